//! `query sql`: a statement over the tables of trails and over Parquet and CSV files. The only place that knows Polars.
//!
//! Tables are lazy scans, so that only the columns and row groups a statement needs are read; rows come out of the
//! streaming engine batch by batch and are written as they come.

mod columns;
mod error;
mod paths;
mod run;
mod table;
mod tables;
mod tag;
#[cfg(test)]
mod tests;
mod value;
mod write;

use super::{Format, SqlQuery};
use crate::Result;
use std::io::Write;

/// Runs a statement and writes its rows.
///
/// # Errors
/// [`crate::Error::Query`] with one sentence when the statement cannot be answered; errors of reading and of `out`.
pub fn run(query: &SqlQuery<'_>, out: &mut dyn Write) -> Result<()> {
    let (mut frame, names) = tables::frame(query)?;
    let schema = frame.collect_schema().map_err(|e| error::plain(&e, &names))?;
    let mut sink: Box<dyn write::Sink + '_> = match query.format {
        Format::Table => Box::new(table::Table::new(&schema, query.max_rows, query.style, out)),
        Format::Csv => Box::new(write::Csv::new(&schema, out)?),
        Format::Json => Box::new(write::Json::new(&schema, out)),
        Format::Parquet => Box::new(write::Parquet::new(&schema, out)?),
    };
    run::for_each_batch(frame, &names, &mut |batch| sink.rows(batch))?;
    sink.finish()
}
