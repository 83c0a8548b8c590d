//! Events: one row about one message or record, and the keys that link them.

pub mod key;
mod kind;
mod record;

pub use kind::Kind;
pub use record::{Event, Number, Span, Text, Time, source_prefix};
