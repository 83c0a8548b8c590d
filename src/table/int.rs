//! Builds a column of whole numbers: counts, times, days, decimals.

use super::{Builder, Chunk, Column, Encoder};

/// Whole numbers pushed row by row; the column's type says what they mean.
pub struct IntColumn {}

impl IntColumn {
    /// For values near the one before: times, offsets, sequence numbers.
    pub fn steps() -> IntColumn {
        todo!()
    }

    /// For values that come again and again: prices, quantities; becomes [`IntColumn::steps`] by itself when they don't.
    pub fn repeats() -> IntColumn {
        todo!()
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, value: Option<i64>) {
        let _ = value;
        todo!()
    }

    /// Adds a value at `row`, counted from 0 in the row group; the rows since the last push are null.
    #[inline]
    pub fn push_at(&mut self, row: usize, value: i64) {
        let _ = (row, value);
        todo!()
    }
}

impl Builder for IntColumn {
    fn rows(&self) -> usize {
        todo!()
    }

    fn encode(&mut self, _column: &Column, _rows: usize, _encoder: &mut Encoder) -> Chunk {
        todo!()
    }
}
