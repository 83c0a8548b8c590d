//! Exact values: instants, calendar dates, decimals. Text comes in, whole numbers go out; nothing is rounded.

pub mod date;
pub mod decimal;
pub(crate) mod digits;
mod rfc3339;
pub(crate) mod text_key;
pub mod timestamp;

pub use date::Date;
pub use decimal::Decimal;
pub use timestamp::Timestamp;
