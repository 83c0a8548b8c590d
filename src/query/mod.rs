//! Answers from a trail: which files are live, the story of one order, SQL.
//!
//! A trail's live Parquet files come in, text for a person or JSON for a program goes out. [`order`] reads Parquet with
//! its own narrow scan and never starts Polars; `sql` is the only place that knows Polars, and is absent from a build
//! without the feature of that name.

mod files;
pub mod order;
mod request;
mod scan;
#[cfg(feature = "sql")]
pub mod sql;
#[cfg(not(feature = "sql"))]
#[path = "sql_absent.rs"]
pub mod sql;
#[cfg(test)]
mod test_trail;
mod text;
pub mod versions;

pub use files::{LiveFiles, Place, Table, write_files};
pub use request::{Format, Source, SqlQuery, Style};
