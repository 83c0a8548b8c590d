//! Builds a column of texts that begin like the row before.

use super::chunk::{Chunk, Coding};
use super::encoder::{ChunkWriter, PAGE_BYTES, PAGE_ROWS};
use super::levels::Levels;
use super::{Builder, Column, Encoder, Type};
use crate::codec::bytes::Prefixes;

/// Texts pushed row by row, of which only what differs from the row before is kept. It makes neither statistics nor
/// filters.
#[derive(Debug, Default)]
pub struct PrefixColumn {
    levels: Levels,
    prefixes: Prefixes,
    /// The row behind the last value.
    next: usize,
    /// Where the pages but the first begin.
    cuts: Vec<Place>,
}

/// A row, a multiple of 64, and what stands in front of it.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    row: usize,
    values: usize,
    rest_bytes: usize,
}

impl PrefixColumn {
    pub fn new() -> PrefixColumn {
        PrefixColumn::default()
    }

    /// Adds a row. The bytes are valid UTF-8, which only a debug build checks.
    #[inline]
    pub fn push(&mut self, value: Option<&[u8]>) {
        match value {
            Some(value) => self.push_value(value),
            None => self.levels.push_nulls(1),
        }
    }

    /// Adds a value at `row`, counted from 0 in the row group; the rows since the last push are null.
    #[inline]
    pub fn push_at(&mut self, row: usize, value: &[u8]) {
        self.levels.fill_to(row);
        self.push_value(value);
    }

    #[inline]
    fn push_value(&mut self, value: &[u8]) {
        debug_assert!(std::str::from_utf8(value).is_ok(), "a text column holds UTF-8");
        let row = self.levels.rows();
        if row / 64 * 64 >= self.next {
            self.end_page_if_full(row / 64 * 64);
        }
        self.next = row + 1;
        self.levels.push_value();
        self.prefixes.push(value);
    }

    /// Adds up to 64 rows at once, behind a multiple of 64.
    #[inline]
    pub fn push_rows<'a>(&mut self, values: impl ExactSizeIterator<Item = &'a [u8]>) {
        let (row, count) = (self.levels.rows(), values.len());
        if count == 0 {
            return;
        }
        self.end_page_if_full(row);
        self.next = row + count;
        values.for_each(|value| self.prefixes.push(value));
        self.levels.push_mask(u64::MAX >> (64 - count), count);
    }

    /// `row` is a multiple of 64 behind the last value.
    fn end_page_if_full(&mut self, row: usize) {
        let last = self.cuts.last().copied().unwrap_or_default();
        let here = self.place(row);
        if here.rest_bytes - last.rest_bytes >= PAGE_BYTES || here.row - last.row >= PAGE_ROWS {
            self.cuts.push(here);
            self.prefixes.restart();
        }
    }

    fn place(&self, row: usize) -> Place {
        Place { row, values: self.prefixes.len(), rest_bytes: self.prefixes.rest_bytes() }
    }
}

impl Builder for PrefixColumn {
    fn rows(&self) -> usize {
        self.levels.rows()
    }

    fn encode(&mut self, column: &Column, rows: usize, encoder: &mut Encoder) -> Chunk {
        assert!(column.ty == Type::Text, "column {} is not a text column", column.name);
        assert!(!column.stats && !column.bloom, "column {} keeps no whole texts", column.name);
        self.levels.fill_to_end(column, rows);
        let mut chunk = ChunkWriter::new();
        let mut start = Place::default();
        let end = self.place(rows);
        for &end in self.cuts.iter().chain([&end]).filter(|end| end.row > 0) {
            let page = start.row..end.row;
            // An empty page in PLAIN holds nothing at all, which no reader misunderstands.
            let coding = if start.values == end.values { Coding::Plain } else { Coding::Prefixes };
            chunk.page(encoder, coding, page.len(), |out| {
                if column.nullable {
                    self.levels.put(&page, out);
                }
                if coding == Coding::Prefixes {
                    self.prefixes.put(start.values..end.values, start.rest_bytes..end.rest_bytes, out);
                }
            });
            start = end;
        }
        let chunk = chunk.finish(rows, rows - self.levels.values(), None, |_| {});
        self.levels.clear();
        self.prefixes.clear();
        self.cuts.clear();
        self.next = 0;
        chunk
    }
}
