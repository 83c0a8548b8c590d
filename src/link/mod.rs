//! Keys in, lifecycles out. The linker knows no protocol: it joins equal keys.
//!
//! Workers fill a [`Batch`] per unit of work; [`Linker::add`] takes them in any order; [`Linker::finish`] gives
//! [`Linked`], which tells each row its lifecycle and hands out links, lifecycles and findings block by block.
//!
//! Four steps, each a union-find over what the step before made: events of one day that share a key (`join`), days of
//! one order (`days`, `execution`), orders with their parents (`candidates`, `parent`), then assembly (`lifecycles`,
//! `assemble`, `trace`, `unlinked`). Every step decides on what the step before left, never on what itself has joined
//! so far, and sets are named by their smallest member: so neither threads nor the order of batches can be seen in the
//! result.

mod assemble;
mod batch;
mod candidates;
mod days;
mod event_file;
mod execution;
mod gather;
mod groups;
mod islands;
mod join;
mod key_file;
mod known;
mod lifecycles;
mod linked;
mod linker;
mod meeting;
mod names;
mod observed;
mod orders;
mod parent;
mod part;
mod replay;
mod rows;
mod sieve;
mod split;
mod store;
mod stored;
#[cfg(test)]
mod tests;
mod trace;
mod union;
mod unlinked;
mod update;

pub use batch::Batch;
pub use known::{Known, Reach};
pub use lifecycles::as_digits;
pub use linked::Linked;
pub use linker::{Buckets, Linkage, Linker, PartKey, Sources};
pub use rows::{LifecycleRow, LinkKind, LinkRow, Rows};
pub use update::{Before, Gone, Moved, News};
