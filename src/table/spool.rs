//! Finished chunks wait on disk until their file is put together.

use super::Chunk;
use crate::Result;
use std::path::Path;
use std::sync::Arc;

/// An append-only temporary file of chunks, shared by workers. It goes away with the last handle to it.
#[derive(Debug)]
pub struct Spool {}

impl Spool {
    /// A new spool in `dir`, which exists.
    pub fn create(dir: &Path) -> Result<Arc<Spool>> {
        let _ = dir;
        todo!()
    }

    /// Moves a chunk to disk; workers may call this at the same time.
    pub fn append(self: &Arc<Spool>, chunk: Chunk) -> Result<SpooledChunk> {
        let _ = chunk;
        todo!()
    }

    /// Bytes on disk.
    pub fn len_bytes(&self) -> u64 {
        todo!()
    }
}

/// A chunk that waits in a [`Spool`]; some hundred bytes.
#[derive(Clone, Debug)]
pub struct SpooledChunk {}

impl SpooledChunk {
    /// Rows in the chunk, nulls among them.
    pub fn rows(&self) -> usize {
        todo!()
    }
}
