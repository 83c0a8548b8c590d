//! What a worker needs to turn builders into chunks: a compressor and buffers that are used again.

use super::Column;
use super::bloom::Blooms;
use super::chunk::{Bounds, Chunk, ChunkMeta, Coding};
use super::page;
use std::ops::Range;
use zstd::bulk::Compressor;

/// Most rows in a page, a multiple of 64.
pub(super) const PAGE_ROWS: usize = 128 * 1024;
/// A page of texts is cut at about this size before compression.
pub(super) const PAGE_BYTES: usize = 1 << 20;
/// Zstandard's fastest regular level: higher ones cost more time and hardly save any space here.
const LEVEL: i32 = 1;
/// Bytes of a page that tell whether compression is worth its time.
const SAMPLE: usize = 4096;

/// A column under construction.
///
/// A builder is filled with `push`, one call a row, or with `push_at`, which leaves the rows between null at no cost.
pub trait Builder {
    /// Rows pushed so far.
    fn rows(&self) -> usize;

    /// Empties the builder into a chunk of `rows` rows; rows that were not pushed are null.
    ///
    /// The builder keeps its buffers for the next row group. The same pushes give the same bytes.
    ///
    /// # Panics
    /// When more rows were pushed than `rows`, when a column that is not nullable has a null, or when the builder is
    /// not one for the column's type: these are faults of the caller, not of the data.
    fn encode(&mut self, column: &Column, rows: usize, encoder: &mut Encoder) -> Chunk;
}

/// Buffers and compressor of one worker, used for every chunk it encodes.
pub struct Encoder {
    compressor: Compressor<'static>,
    raw: Vec<u8>,
    packed: Vec<u8>,
    pub(super) blooms: Blooms,
    pub(super) numbers: super::numbers::Numbers,
}

impl Encoder {
    pub fn new() -> Encoder {
        let compressor = Compressor::new(LEVEL).expect("the level is one of the library's");
        Encoder {
            compressor,
            raw: Vec::new(),
            packed: Vec::new(),
            blooms: Blooms::default(),
            numbers: super::numbers::Numbers::default(),
        }
    }

    /// From now on [`Encoder::take_ids`] tells the hashes of ids.
    pub fn note_ids(&mut self) {
        self.blooms.note();
    }

    /// The hashes of all values of columns with a bloom filter that were encoded since the last call.
    pub fn take_ids(&mut self) -> Vec<u64> {
        self.blooms.take_noted()
    }

    /// Compresses a part of what `self.raw` holds to `self.packed`.
    fn compress(&mut self, part: Range<usize>) {
        let raw = &self.raw[part];
        self.packed.clear();
        self.packed.reserve(zstd::zstd_safe::compress_bound(raw.len()));
        self.compressor
            .compress_to_buffer(raw, &mut self.packed)
            .expect("the buffer has room for the worst case and the input has no limit");
    }

    /// Packs what `self.raw` holds, or leaves it as it is.
    fn pack(&mut self, compressed: bool) {
        if compressed {
            self.compress(0..self.raw.len());
        } else {
            std::mem::swap(&mut self.raw, &mut self.packed);
        }
    }

    /// True when compression would save a fifth of what `self.raw` holds, by a sample of it.
    fn is_worth_compressing(&mut self) -> bool {
        let len = self.raw.len();
        if len < 4 * SAMPLE {
            return true;
        }
        self.compress(len / 2..len / 2 + SAMPLE);
        self.packed.len() <= SAMPLE - SAMPLE / 5
    }
}

impl Default for Encoder {
    fn default() -> Encoder {
        Encoder::new()
    }
}

/// A chunk that grows page by page.
pub(super) struct ChunkWriter {
    bytes: Vec<u8>,
    raw_len: usize,
    symbols_len: usize,
    levels: usize,
    pages: Vec<(Coding, usize)>,
    /// Decided by the first page.
    compressed: Option<bool>,
}

impl ChunkWriter {
    pub(super) fn new() -> ChunkWriter {
        ChunkWriter { bytes: Vec::new(), raw_len: 0, symbols_len: 0, levels: 0, pages: Vec::new(), compressed: None }
    }

    /// The page of `count` symbols, which comes before every data page; `fill` appends them in PLAIN.
    pub(super) fn symbols(&mut self, encoder: &mut Encoder, count: usize, fill: impl FnOnce(&mut Vec<u8>)) {
        encoder.raw.clear();
        fill(&mut encoder.raw);
        let raw_len = encoder.raw.len();
        self.compressed = Some(true);
        encoder.pack(true);
        page::put_symbols_header(count, raw_len, encoder.packed.len(), &mut self.bytes);
        self.raw_len += self.bytes.len() + raw_len;
        self.bytes.extend_from_slice(&encoder.packed);
        self.symbols_len = self.bytes.len();
    }

    /// A data page with `levels` values and nulls; `fill` appends levels and values.
    pub(super) fn page(
        &mut self,
        encoder: &mut Encoder,
        coding: Coding,
        levels: usize,
        fill: impl FnOnce(&mut Vec<u8>),
    ) {
        encoder.raw.clear();
        fill(&mut encoder.raw);
        let raw_len = encoder.raw.len();
        // Steps between numbers are packed to the bit, which often leaves nothing to find.
        let compressed =
            *self.compressed.get_or_insert_with(|| coding != Coding::Delta || encoder.is_worth_compressing());
        encoder.pack(compressed);
        let start = self.bytes.len();
        page::put_data_header(coding, levels, raw_len, encoder.packed.len(), &mut self.bytes);
        self.raw_len += self.bytes.len() - start + raw_len;
        self.bytes.extend_from_slice(&encoder.packed);
        self.levels += levels;
        match self.pages.last_mut() {
            Some((last, count)) if *last == coding => *count += 1,
            _ => self.pages.push((coding, 1)),
        }
    }

    /// The chunk; `bloom` appends a filter if there is to be one.
    pub(super) fn finish(
        mut self,
        rows: usize,
        nulls: usize,
        bounds: Option<Bounds>,
        bloom: impl FnOnce(&mut Vec<u8>),
    ) -> Chunk {
        let pages_len = self.bytes.len();
        bloom(&mut self.bytes);
        let meta = ChunkMeta {
            rows,
            levels: self.levels,
            nulls,
            pages_len,
            raw_len: self.raw_len,
            symbols_len: self.symbols_len,
            compressed: self.compressed.unwrap_or(true),
            pages: self.pages,
            bounds,
            bloom_len: self.bytes.len() - pages_len,
        };
        Chunk { bytes: self.bytes, meta }
    }
}
