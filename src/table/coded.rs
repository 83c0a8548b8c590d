//! Builds a text column whose different texts the caller numbers himself.

use super::chunk::{Bounds, Chunk, Coding};
use super::encoder::{ChunkWriter, PAGE_ROWS};
use super::levels::Levels;
use super::text::width;
use super::{Builder, Column, Encoder, Type};
use crate::codec::hybrid;

/// Texts pushed by their numbers: each text is written once, and no row is compared with another.
#[derive(Debug, Default)]
pub struct CodedColumn {
    levels: Levels,
    symbols: Vec<u8>,
    ends: Vec<usize>,
    codes: Vec<u32>,
}

impl CodedColumn {
    pub fn new() -> CodedColumn {
        CodedColumn::default()
    }

    /// Adds a text that rows may have, and gives its number: 0, 1, 2… The bytes are valid UTF-8.
    pub fn add(&mut self, text: &[u8]) -> u32 {
        debug_assert!(std::str::from_utf8(text).is_ok(), "a text column holds UTF-8");
        self.symbols.extend_from_slice(text);
        self.ends.push(self.symbols.len());
        (self.ends.len() - 1) as u32
    }

    /// Adds a row with the text of that number.
    #[inline]
    pub fn push(&mut self, code: u32) {
        debug_assert!((code as usize) < self.ends.len(), "there is no text {code}");
        self.levels.push_value();
        self.codes.push(code);
    }

    /// Adds a value at `row`, counted from 0 in the row group; the rows since the last push are null.
    #[inline]
    pub fn push_at(&mut self, row: usize, code: u32) {
        self.levels.fill_to(row);
        self.push(code);
    }

    fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.symbols[std::mem::replace(&mut start, end)..end])
    }
}

impl Builder for CodedColumn {
    fn rows(&self) -> usize {
        self.levels.rows()
    }

    fn encode(&mut self, column: &Column, rows: usize, encoder: &mut Encoder) -> Chunk {
        assert!(column.ty == Type::Text, "column {} is not a text column", column.name);
        self.levels.fill_to_end(column, rows);
        let mut chunk = ChunkWriter::new();
        let width = width(self.ends.len());
        if !self.codes.is_empty() {
            chunk.symbols(encoder, self.ends.len(), |out| {
                for text in self.texts() {
                    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
                    out.extend_from_slice(text);
                }
            });
        }
        let mut value = 0;
        for page in self.levels.pages(PAGE_ROWS) {
            let values = value..value + self.levels.values_in(&page);
            value = values.end;
            // An empty page in PLAIN holds nothing at all, which no reader misunderstands.
            let coding = if values.is_empty() { Coding::Plain } else { Coding::Symbols };
            chunk.page(encoder, coding, page.len(), |out| {
                if column.nullable {
                    self.levels.put(&page, out);
                }
                if coding == Coding::Symbols {
                    out.push(width as u8);
                    hybrid::put(&self.codes[values], width, out);
                }
            });
        }
        let bounds = if column.stats { Bounds::of_texts(self.texts()) } else { None };
        let mut blooms = std::mem::take(&mut encoder.blooms);
        let chunk = chunk.finish(rows, rows - self.levels.values(), bounds, |out| {
            if column.bloom {
                blooms.put(self.texts(), out);
            }
        });
        encoder.blooms = blooms;
        self.levels.clear();
        self.symbols.clear();
        self.ends.clear();
        self.codes.clear();
        chunk
    }
}
