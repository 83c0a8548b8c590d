//! Builds a text column.

use super::chunk::{Bounds, Chunk, Coding};
use super::encoder::{ChunkWriter, PAGE_BYTES, PAGE_ROWS};
use super::levels::Levels;
use super::symbols::Symbols;
use super::{Builder, Column, Encoder, Type};
use crate::codec::{bytes, hybrid};

/// Texts pushed row by row.
#[derive(Debug)]
pub struct TextColumn {
    levels: Levels,
    repeats: bool,
    /// The texts so far are in `symbols` and `codes`, else in `bytes` and `lengths`.
    by_symbol: bool,
    symbols: Symbols,
    codes: Vec<u16>,
    bytes: Vec<u8>,
    lengths: Vec<u32>,
}

impl Default for TextColumn {
    fn default() -> TextColumn {
        TextColumn::repeats()
    }
}

impl TextColumn {
    /// For values that come again and again: symbols and codes, written once each; becomes [`TextColumn::ids`] by itself
    /// when they turn out not to.
    pub fn repeats() -> TextColumn {
        TextColumn::new(true)
    }

    /// For values that are mostly different: lengths and bytes.
    pub fn ids() -> TextColumn {
        TextColumn::new(false)
    }

    fn new(repeats: bool) -> TextColumn {
        TextColumn {
            levels: Levels::default(),
            repeats,
            by_symbol: repeats,
            symbols: Symbols::new(),
            codes: Vec::new(),
            bytes: Vec::new(),
            lengths: Vec::new(),
        }
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

    /// Adds up to 64 rows at once, behind a multiple of 64. A column is filled faster so than row by row.
    #[inline]
    pub fn push_rows<'a>(&mut self, values: impl ExactSizeIterator<Item = Option<&'a [u8]>>) {
        let (mut mask, count) = (0, values.len());
        for (row, value) in values.enumerate() {
            let Some(value) = value else { continue };
            mask |= 1 << row;
            if self.by_symbol {
                match self.symbols.number(value, self.codes.len()) {
                    Some(number) => {
                        self.codes.push(number);
                        continue;
                    }
                    None => self.leave_symbols(),
                }
            }
            append(value, &mut self.bytes);
            self.lengths.push(value.len() as u32);
        }
        self.levels.push_mask(mask, count);
    }

    /// Adds `count` rows, at most 64, that all have the same value, behind a multiple of 64.
    pub fn push_same(&mut self, value: &[u8], count: usize) {
        if self.by_symbol
            && let Some(number) = self.symbols.number(value, self.codes.len())
        {
            self.codes.resize(self.codes.len() + count, number);
            return self.levels.push_mask(u64::MAX >> (64 - count.max(1)), count);
        }
        self.push_rows((0..count).map(|_| Some(value)));
    }

    #[inline]
    fn push_value(&mut self, value: &[u8]) {
        debug_assert!(std::str::from_utf8(value).is_ok(), "a text column holds UTF-8");
        self.levels.push_value();
        if self.by_symbol {
            match self.symbols.number(value, self.codes.len()) {
                Some(number) => return self.codes.push(number),
                None => self.leave_symbols(),
            }
        }
        append(value, &mut self.bytes);
        self.lengths.push(value.len() as u32);
    }

    /// Symbols do not pay: writes the texts so far out.
    #[cold]
    fn leave_symbols(&mut self) {
        self.by_symbol = false;
        for code in self.codes.drain(..) {
            let value = self.symbols.get(code);
            self.bytes.extend_from_slice(value);
            self.lengths.push(value.len() as u32);
        }
    }

    /// Appends the page of symbols.
    fn put_symbols(&self, out: &mut Vec<u8>) {
        for symbol in self.symbols.iter() {
            out.extend_from_slice(&(symbol.len() as u32).to_le_bytes());
            out.extend_from_slice(symbol);
        }
    }

    /// Rows in a page: a multiple of 64, so that levels are copied as whole words.
    fn page_rows(&self) -> usize {
        match (self.bytes.len() / self.levels.rows().max(1)).max(1) {
            _ if self.by_symbol => PAGE_ROWS,
            average => (PAGE_BYTES / average / 64 * 64).clamp(64, PAGE_ROWS),
        }
    }
}

impl Builder for TextColumn {
    fn rows(&self) -> usize {
        self.levels.rows()
    }

    fn encode(&mut self, column: &Column, rows: usize, encoder: &mut Encoder) -> Chunk {
        assert!(column.ty == Type::Text, "column {} is not a text column", column.name);
        self.levels.fill_to_end(column, rows);
        let mut chunk = ChunkWriter::new();
        let mut coding = if self.by_symbol { Coding::Symbols } else { Coding::LengthsFirst };
        let width = width(self.symbols.len());
        if self.levels.values() == 0 {
            coding = Coding::Plain;
        } else if coding == Coding::Symbols {
            chunk.symbols(encoder, self.symbols.len(), |out| self.put_symbols(out));
        }
        let (mut value, mut byte) = (0, 0);
        for page in self.levels.pages(self.page_rows()) {
            let values = value..value + self.levels.values_in(&page);
            value = values.end;
            // An empty page in PLAIN holds nothing at all, which no reader misunderstands.
            let coding = if values.is_empty() { Coding::Plain } else { coding };
            let texts = match coding {
                Coding::LengthsFirst => {
                    let len: usize = self.lengths[values.clone()].iter().map(|l| *l as usize).sum();
                    byte..byte + len
                }
                _ => byte..byte,
            };
            byte = texts.end;
            chunk.page(encoder, coding, page.len(), |out| {
                if column.nullable {
                    self.levels.put(&page, out);
                }
                match coding {
                    Coding::Symbols => {
                        out.push(width as u8);
                        hybrid::put(&self.codes[values.clone()], width, out);
                    }
                    Coding::LengthsFirst => {
                        bytes::put_lengths_first(&self.bytes[texts], &self.lengths[values.clone()], out);
                    }
                    _ => {}
                }
            });
        }
        let texts = || Texts { bytes: &self.bytes, lengths: self.lengths.iter() };
        let bounds = match () {
            () if !column.stats => None,
            () if self.by_symbol => Bounds::of_texts(self.symbols.iter()),
            () => Bounds::of_texts(texts()),
        };
        let blooms = &mut encoder.blooms;
        let chunk = chunk.finish(rows, rows - self.levels.values(), bounds, |out| match () {
            () if !column.bloom => {}
            () if self.by_symbol => blooms.put(self.symbols.iter(), out),
            () => blooms.put(texts(), out),
        });
        self.clear();
        chunk
    }
}

impl TextColumn {
    fn clear(&mut self) {
        self.levels.clear();
        self.symbols.clear();
        self.codes.clear();
        self.bytes.clear();
        self.lengths.clear();
        self.by_symbol = self.repeats;
    }
}

/// Appends a text. Up to 32 bytes are two copies of fixed length that may overlap, which saves a call.
#[inline]
fn append(value: &[u8], bytes: &mut Vec<u8>) {
    let start = bytes.len();
    let end = start + value.len();
    match (value.first_chunk::<16>(), value.last_chunk::<16>(), value.first_chunk::<8>(), value.last_chunk::<8>()) {
        (Some(first), Some(last), ..) if value.len() <= 32 => {
            bytes.extend_from_slice(first);
            bytes.extend_from_slice(&[0; 16]);
            bytes[end - 16..end].copy_from_slice(last);
            bytes.truncate(end);
        }
        (None, None, Some(first), Some(last)) => {
            bytes.extend_from_slice(first);
            bytes.extend_from_slice(&[0; 8]);
            bytes[end - 8..end].copy_from_slice(last);
            bytes.truncate(end);
        }
        _ => bytes.extend_from_slice(value),
    }
}

/// Bits for the number of one of `count` symbols. Not 0 for a single one, which some readers do not expect.
pub(super) fn width(count: usize) -> u32 {
    (usize::BITS - count.saturating_sub(1).leading_zeros()).max(1)
}

/// Texts by their lengths.
struct Texts<'a> {
    bytes: &'a [u8],
    lengths: std::slice::Iter<'a, u32>,
}

impl<'a> Iterator for Texts<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let length = self.lengths.next()?;
        let text;
        (text, self.bytes) = self.bytes.split_at(*length as usize);
        Some(text)
    }
}
