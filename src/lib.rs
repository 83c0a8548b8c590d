//! fixtrail turns the audit files of broker-dealers into order lifecycles.

pub mod cli;
pub mod codec;
pub mod error;
pub mod event;
pub mod finding;
pub mod fix;
pub mod input;
pub mod link;
pub mod mapping;
pub mod memory;
pub mod order;
pub mod pipeline;
pub mod progress;
pub mod query;
pub mod simulate;
pub mod table;
pub mod types;

pub use error::{Error, Result};
