//! Builds a column of lists of texts, nearly all of them null.

use super::{Builder, Chunk, Column, Encoder};

/// Lists of texts pushed row by row.
pub struct TextListColumn {}

impl TextListColumn {
    /// An empty column.
    pub fn new() -> TextListColumn {
        todo!()
    }

    /// Adds a row: no list, or a list of any length. The texts are valid UTF-8.
    pub fn push(&mut self, value: Option<&[&[u8]]>) {
        let _ = value;
        todo!()
    }

    /// Adds a list at `row`, counted from 0 in the row group; the rows since the last push are null.
    pub fn push_at(&mut self, row: usize, value: &[&[u8]]) {
        let _ = (row, value);
        todo!()
    }
}

impl Default for TextListColumn {
    fn default() -> TextListColumn {
        TextListColumn::new()
    }
}

impl Builder for TextListColumn {
    fn rows(&self) -> usize {
        todo!()
    }

    fn encode(&mut self, _column: &Column, _rows: usize, _encoder: &mut Encoder) -> Chunk {
        todo!()
    }
}
