//! Events: one row about one message or record, and the keys that link them.

pub mod key;
mod kind;

pub use kind::Kind;
