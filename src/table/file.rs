//! Puts chunks together to a Parquet file that appears under its name only when it is complete.

use super::{Bound, Chunk, Schema, SpooledChunk};
use crate::Result;
use std::path::{Path, PathBuf};

/// One column of a row group, wherever it is.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    Fresh(&'a Chunk),
    Spooled(&'a SpooledChunk),
}

/// A Parquet file being written under a temporary name in its directory.
pub struct TableFile {}

impl TableFile {
    /// Starts a file that [`TableFile::finish`] will call `dir/name`. `dir` exists.
    pub fn create(dir: &Path, name: &str, schema: &Schema) -> Result<TableFile> {
        let _ = (dir, name, schema);
        todo!()
    }

    /// Adds a row group: one piece for each column of the schema, in its order, all with the same number of rows.
    pub fn append_row_group(&mut self, pieces: &[Piece]) -> Result<()> {
        let _ = pieces;
        todo!()
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        todo!()
    }

    /// Bytes so far.
    pub fn len_bytes(&self) -> u64 {
        todo!()
    }

    /// Writes the footer, makes the file durable and gives it its name, replacing a file that has it already. Without a
    /// row group it is an empty table that still shows its columns. Dropping the file instead removes it.
    pub fn finish(self) -> Result<FileSummary> {
        todo!()
    }
}

/// What a finished file holds.
#[derive(Clone, Debug)]
pub struct FileSummary {
    pub path: PathBuf,
    pub rows: u64,
    pub bytes: u64,
    /// BLAKE3 of the whole file, in hex.
    pub digest: String,
    /// One for each column of the schema, in its order.
    pub columns: Vec<ColumnSummary>,
}

/// What a finished file holds of one column.
#[derive(Clone, Debug)]
pub struct ColumnSummary {
    pub name: &'static str,
    pub nulls: u64,
    /// Least and greatest value; none without statistics or without a value.
    pub min: Option<Bound>,
    pub max: Option<Bound>,
}
