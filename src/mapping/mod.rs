//! FIX messages become events and the keys that link them. A message goes in with its groups laid out; for each of its
//! orders one [`crate::event::Event`] comes out, with the [`Links`] that the linker needs.

mod kind;
mod links;
mod mapper;
mod plan;
mod slots;
mod tags;
#[cfg(test)]
mod tests;

pub use kind::event_kind;
pub use links::{Links, Use};
pub use mapper::{Context, Known, Mapper, Trouble};
pub use tags::{Names, is_secret, write_json_value, write_tags};
