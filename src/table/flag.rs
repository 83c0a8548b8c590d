//! Builds a column of yes and no.

use super::chunk::{Chunk, Coding};
use super::encoder::ChunkWriter;
use super::levels::Levels;
use super::{Builder, Column, Encoder, Type};

/// Truth values pushed row by row.
#[derive(Debug, Default)]
pub struct BoolColumn {
    levels: Levels,
    /// One bit a value, lowest first.
    bits: Vec<u8>,
}

impl BoolColumn {
    /// An empty column.
    pub fn new() -> BoolColumn {
        BoolColumn::default()
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, value: Option<bool>) {
        match value {
            Some(value) => self.push_value(value),
            None => self.levels.push_nulls(1),
        }
    }

    /// Adds a value at `row`, counted from 0 in the row group; the rows since the last push are null.
    #[inline]
    pub fn push_at(&mut self, row: usize, value: bool) {
        self.levels.fill_to(row);
        self.push_value(value);
    }

    #[inline]
    fn push_value(&mut self, value: bool) {
        let place = self.levels.values();
        if place.is_multiple_of(8) {
            self.bits.push(0);
        }
        self.bits[place / 8] |= u8::from(value) << (place % 8);
        self.levels.push_value();
    }
}

impl Builder for BoolColumn {
    fn rows(&self) -> usize {
        self.levels.rows()
    }

    fn encode(&mut self, column: &Column, rows: usize, encoder: &mut Encoder) -> Chunk {
        assert!(column.ty == Type::Bool, "column {} is not a column of truth values", column.name);
        self.levels.fill_to_end(column, rows);
        let mut chunk = ChunkWriter::new();
        // Two bits a row: one page is small whatever the row group.
        for page in self.levels.pages(rows.max(1)) {
            chunk.page(encoder, Coding::Plain, page.len(), |out| {
                if column.nullable {
                    self.levels.put(&page, out);
                }
                out.extend_from_slice(&self.bits);
            });
        }
        let chunk = chunk.finish(rows, rows - self.levels.values(), None, |_| {});
        self.levels.clear();
        self.bits.clear();
        chunk
    }
}
