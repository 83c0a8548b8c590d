//! Finished chunks wait on disk until their file is put together.

use super::chunk::{Chunk, ChunkMeta};
use super::cleanup::TempFile;
use crate::{Error, Result};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An append-only temporary file of chunks, shared by workers. It goes away with the last handle to it.
#[derive(Debug)]
pub struct Spool {
    /// Has no name, so that it cannot outlive the process.
    file: File,
    dir: PathBuf,
    end: AtomicU64,
}

impl Spool {
    /// A new spool in `dir`, which exists.
    pub fn create(dir: &Path) -> Result<Arc<Spool>> {
        let file = TempFile::create_nameless(dir)?;
        Ok(Arc::new(Spool { file, dir: dir.to_path_buf(), end: AtomicU64::new(0) }))
    }

    /// Moves a chunk to disk; workers may call this at the same time.
    pub fn append(self: &Arc<Spool>, chunk: Chunk) -> Result<SpooledChunk> {
        let start = self.end.fetch_add(chunk.bytes.len() as u64, Ordering::Relaxed);
        self.file.write_all_at(&chunk.bytes, start).map_err(Error::io(&self.dir, "cannot write a temporary file"))?;
        Ok(SpooledChunk { spool: self.clone(), start, meta: chunk.meta })
    }

    /// Bytes on disk.
    pub fn len_bytes(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    pub(super) fn read(&self, start: u64, bytes: &mut [u8]) -> Result<()> {
        self.file.read_exact_at(bytes, start).map_err(Error::io(&self.dir, "cannot read a temporary file"))
    }
}

/// A chunk that waits in a [`Spool`]; some hundred bytes.
#[derive(Clone, Debug)]
pub struct SpooledChunk {
    pub(super) spool: Arc<Spool>,
    pub(super) start: u64,
    pub(super) meta: ChunkMeta,
}

impl SpooledChunk {
    /// Rows in the chunk, nulls among them.
    pub fn rows(&self) -> usize {
        self.meta.rows
    }
}
