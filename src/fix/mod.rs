//! FIX messages: framing, fields, dictionaries, message-level validation.

pub mod message;

pub use message::{Field, Message};
