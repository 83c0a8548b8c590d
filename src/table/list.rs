//! Builds a column of lists of texts, nearly all of them null.

use super::chunk::{Chunk, Coding};
use super::encoder::{ChunkWriter, PAGE_BYTES, PAGE_ROWS};
use super::{Builder, Column, Encoder, Type};
use crate::codec::{bytes, hybrid};
use std::ops::Range;

/// Levels of one entry: no list, an empty list, the first text of a list, a further one.
const NO_LIST: u8 = 0;
const EMPTY_LIST: u8 = 1;
const FIRST: u8 = 2;
const FURTHER: u8 = 2 | REPEATED;
/// Bit beside the definition level: the entry goes on with the list of the entry before.
const REPEATED: u8 = 4;

/// Lists of texts pushed row by row.
#[derive(Debug, Default)]
pub struct TextListColumn {
    rows: usize,
    nulls: usize,
    /// One entry for each null, empty list and text; empty while there are only nulls.
    entries: Vec<u8>,
    bytes: Vec<u8>,
    lengths: Vec<u32>,
}

impl TextListColumn {
    /// An empty column.
    pub fn new() -> TextListColumn {
        TextListColumn::default()
    }

    /// Adds a row: no list, or a list of any length. The texts are valid UTF-8.
    #[inline]
    pub fn push<T: AsRef<[u8]>>(&mut self, value: Option<&[T]>) {
        match value {
            Some(value) => self.push_at(self.rows, value),
            None => self.push_nulls(1),
        }
    }

    /// Adds a list at `row`, counted from 0 in the row group; the rows since the last push are null.
    pub fn push_at<T: AsRef<[u8]>>(&mut self, row: usize, value: &[T]) {
        debug_assert!(row >= self.rows, "row {row} comes after row {}", self.rows);
        self.push_nulls(row.saturating_sub(self.rows));
        if self.entries.is_empty() {
            self.entries.resize(self.nulls, NO_LIST);
        }
        self.rows += 1;
        if value.is_empty() {
            self.entries.push(EMPTY_LIST);
        }
        for (place, text) in value.iter().map(AsRef::as_ref).enumerate() {
            debug_assert!(std::str::from_utf8(text).is_ok(), "a text column holds UTF-8");
            self.entries.push(if place == 0 { FIRST } else { FURTHER });
            self.bytes.extend_from_slice(text);
            self.lengths.push(text.len() as u32);
        }
    }

    #[inline]
    fn push_nulls(&mut self, count: usize) {
        self.rows += count;
        self.nulls += count;
        if !self.entries.is_empty() {
            self.entries.resize(self.entries.len() + count, NO_LIST);
        }
    }

    /// The entries of the next page: whole lists, until one of the limits is passed; its texts and their bytes.
    fn next_page(&self, start: usize, texts: usize) -> (Range<usize>, Range<usize>, usize) {
        let (mut end, mut last, mut bytes) = (start, texts, 0);
        for entry in &self.entries[start..] {
            let full = bytes >= PAGE_BYTES || end - start >= PAGE_ROWS;
            if full && entry & REPEATED == 0 {
                break;
            }
            if entry & !REPEATED == FIRST {
                bytes += self.lengths[last] as usize;
                last += 1;
            }
            end += 1;
        }
        (start..end, texts..last, bytes)
    }
}

impl Builder for TextListColumn {
    fn rows(&self) -> usize {
        self.rows
    }

    fn encode(&mut self, column: &Column, rows: usize, encoder: &mut Encoder) -> Chunk {
        assert!(column.ty == Type::TextList, "column {} is not a column of lists", column.name);
        assert!(rows >= self.rows, "column {} has {} rows instead of {rows}", column.name, self.rows);
        self.push_nulls(rows - self.rows);
        assert!(column.nullable || self.nulls == 0, "column {} is not nullable and has a null", column.name);
        let mut chunk = ChunkWriter::new();
        if self.entries.is_empty() && rows > 0 {
            chunk.page(encoder, Coding::Plain, rows, |out| {
                with_length(out, |out| hybrid::put_run(0, rows, 1, out));
                with_length(out, |out| hybrid::put_run(0, rows, 2, out));
            });
        }
        let (mut entry, mut text, mut byte) = (0, 0, 0);
        while entry < self.entries.len() {
            let (entries, texts, len) = self.next_page(entry, text);
            (entry, text) = (entries.end, texts.end);
            let of_page = byte..byte + len;
            byte += len;
            let coding = if texts.is_empty() { Coding::Plain } else { Coding::LengthsFirst };
            chunk.page(encoder, coding, entries.len(), |out| {
                // Without null lists there is one level less.
                let (shift, width) = if column.nullable { (0, 2) } else { (1, 1) };
                let entries = &self.entries[entries];
                let repeated: Vec<u8> = entries.iter().map(|e| e / REPEATED).collect();
                let defined: Vec<u8> = entries.iter().map(|e| (e & !REPEATED) - shift).collect();
                with_length(out, |out| hybrid::put(&repeated, 1, out));
                with_length(out, |out| hybrid::put(&defined, width, out));
                if coding == Coding::LengthsFirst {
                    bytes::put_lengths_first(&self.bytes[of_page], &self.lengths[texts], out);
                }
            });
        }
        let empty = self.entries.iter().filter(|entry| **entry == EMPTY_LIST).count();
        // For the format an empty list, which has no value either, counts among the nulls.
        let chunk = chunk.finish(rows, self.nulls + empty, None, |_| {});
        *self = TextListColumn {
            entries: std::mem::take(&mut self.entries),
            bytes: std::mem::take(&mut self.bytes),
            lengths: std::mem::take(&mut self.lengths),
            rows: 0,
            nulls: 0,
        };
        self.entries.clear();
        self.bytes.clear();
        self.lengths.clear();
        chunk
    }
}

/// Appends what `fill` does behind its length in four bytes.
fn with_length(out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    fill(out);
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}
