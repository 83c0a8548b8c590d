//! FIX messages: framing, fields, dictionaries, message-level validation.

pub mod message;
pub mod prefix;

pub use message::{Field, Message};
