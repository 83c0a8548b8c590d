//! Builds a text column.

use super::{Builder, Chunk, Column, Encoder};

/// Texts pushed row by row.
pub struct TextColumn {}

impl TextColumn {
    /// For values that come again and again: symbols and codes, written once each; becomes [`TextColumn::ids`] by itself
    /// when they turn out not to.
    pub fn repeats() -> TextColumn {
        todo!()
    }

    /// For values that are mostly different: lengths and bytes.
    pub fn ids() -> TextColumn {
        todo!()
    }

    /// For ids that share their beginning with the row before.
    pub fn ids_sharing_prefixes() -> TextColumn {
        todo!()
    }

    /// Adds a row. The bytes are valid UTF-8, which only a debug build checks.
    #[inline]
    pub fn push(&mut self, value: Option<&[u8]>) {
        let _ = value;
        todo!()
    }

    /// Adds a value at `row`, counted from 0 in the row group; the rows since the last push are null.
    #[inline]
    pub fn push_at(&mut self, row: usize, value: &[u8]) {
        let _ = (row, value);
        todo!()
    }
}

impl Builder for TextColumn {
    fn rows(&self) -> usize {
        todo!()
    }

    fn encode(&mut self, _column: &Column, _rows: usize, _encoder: &mut Encoder) -> Chunk {
        todo!()
    }
}
