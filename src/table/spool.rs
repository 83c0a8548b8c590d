//! Finished chunks wait on disk until their file is put together.

use super::chunk::{Chunk, ChunkMeta};
use super::cleanup::TempFile;
use crate::{Error, Result};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An append-only temporary file of chunks and other bytes, shared by workers. It goes away with the last handle to it.
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
        let start = self.append_bytes(&chunk.bytes)?.start;
        Ok(SpooledChunk { spool: self.clone(), start, meta: chunk.meta })
    }

    /// Moves bytes to disk; workers may call this at the same time.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append_bytes(&self, bytes: &[u8]) -> Result<Segment> {
        let start = self.end.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.file.write_all_at(bytes, start).map_err(Error::io(&self.dir, "cannot write a temporary file"))?;
        Ok(Segment { start, len: bytes.len() })
    }

    /// Appends to `bytes` what [`Spool::append_bytes`] has moved to disk.
    ///
    /// # Errors
    /// When they cannot be read back.
    pub fn read_bytes(&self, segment: Segment, bytes: &mut Vec<u8>) -> Result<()> {
        let from = bytes.len();
        bytes.resize(from + segment.len, 0);
        self.read(segment.start, &mut bytes[from..])
    }

    /// What is said when bytes that came back are not those that were moved to disk.
    pub fn damaged(&self) -> Error {
        Error::Damaged { path: self.dir.clone(), what: "a temporary file is damaged".to_string() }
    }

    /// Bytes on disk.
    pub fn len_bytes(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    pub(super) fn read(&self, start: u64, bytes: &mut [u8]) -> Result<()> {
        self.file.read_exact_at(bytes, start).map_err(Error::io(&self.dir, "cannot read a temporary file"))
    }
}

impl Spool {
    /// Gives the room of bytes that are needed no more back to the disk, where the system can: the files that they go to
    /// need it.
    pub(super) fn free(&self, start: u64, len: usize) {
        #[cfg(target_os = "linux")]
        if let (Ok(start), Ok(len)) = (libc::off_t::try_from(start), libc::off_t::try_from(len))
            && len > 0
        {
            let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            // SAFETY: it changes the content of a file of ours and no memory. That it is refused costs room only.
            let _ = unsafe { libc::fallocate(self.file.as_raw_fd(), mode, start, len) };
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (start, len);
    }
}

/// Where bytes are in a [`Spool`].
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    start: u64,
    len: usize,
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
