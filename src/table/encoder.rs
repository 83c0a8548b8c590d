//! What a worker needs to turn builders into chunks: a compressor and buffers that are used again.

use super::{Chunk, Column};

/// A column under construction.
///
/// A builder is filled with `push`, one call a row, or with `push_at`, which leaves the rows between null at no cost.
pub trait Builder {
    /// Rows pushed so far.
    fn rows(&self) -> usize;

    /// Empties the builder into a chunk of `rows` rows; rows that were not pushed are null.
    ///
    /// The builder keeps its buffers for the next row group. The same pushes give the same bytes. `rows` is at least
    /// [`Builder::rows`]; in a column that is not nullable it is equal.
    fn encode(&mut self, column: &Column, rows: usize, encoder: &mut Encoder) -> Chunk;
}

/// Buffers and compressor of one worker, used for every chunk it encodes.
pub struct Encoder {}

impl Encoder {
    pub fn new() -> Encoder {
        todo!()
    }
}

impl Default for Encoder {
    fn default() -> Encoder {
        Encoder::new()
    }
}
