//! FIX messages: framing, fields, dictionaries, message-level validation.

pub mod checksum;
pub mod codes;
pub mod data_fields;
pub mod dictionary;
pub mod fields;
pub mod frame;
pub mod group;
mod masks;
pub mod message;
pub mod prefix;
pub mod readings;
mod separator;
pub mod shape;
mod tag_tree;
#[cfg(test)]
mod tests;
pub mod validate;
mod value_checks;

pub use message::{Field, Message};
pub use separator::Separator;
