//! FIX messages: framing, fields, dictionaries, message-level validation.

pub mod codes;
pub mod dictionary;
pub mod group;
pub mod message;
pub mod validate;

pub use message::{Field, Message};
