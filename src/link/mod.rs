//! Keys in, lifecycles out. The linker knows no protocol: it joins equal keys.
//!
//! Workers fill a [`Batch`] per unit of work; [`Linker::add`] takes them in any order; [`Linker::finish`] gives
//! [`Linked`], which tells each row its lifecycle and hands out links, lifecycles and findings block by block.

mod batch;
mod linked;
mod rows;

pub use batch::Batch;
pub use linked::{Linked, Linker};
pub use rows::{LifecycleRow, LinkKind, LinkRow, Rows};
