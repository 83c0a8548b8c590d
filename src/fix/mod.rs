//! FIX messages: framing, fields, dictionaries, message-level validation.

pub mod checksum;
pub mod codes;
pub mod data_fields;
pub mod dictionary;
pub mod fields;
pub mod frame;
pub mod group;
pub mod message;
pub mod prefix;
mod separator;
pub mod shape;
#[cfg(test)]
mod tests;
pub mod validate;

pub use message::{Field, Message};
pub use separator::Separator;
