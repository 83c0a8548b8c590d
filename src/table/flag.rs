//! Builds a column of yes and no.

use super::{Builder, Chunk, Column, Encoder};

/// Truth values pushed row by row.
pub struct BoolColumn {}

impl BoolColumn {
    /// An empty column.
    pub fn new() -> BoolColumn {
        todo!()
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, value: Option<bool>) {
        let _ = value;
        todo!()
    }

    /// Adds a value at `row`, counted from 0 in the row group; the rows since the last push are null.
    #[inline]
    pub fn push_at(&mut self, row: usize, value: bool) {
        let _ = (row, value);
        todo!()
    }
}

impl Builder for BoolColumn {
    fn rows(&self) -> usize {
        todo!()
    }

    fn encode(&mut self, _column: &Column, _rows: usize, _encoder: &mut Encoder) -> Chunk {
        todo!()
    }
}

impl Default for BoolColumn {
    fn default() -> BoolColumn {
        BoolColumn::new()
    }
}
