//! A file of an index under construction: it gets its name and digest when it is complete.

use super::cleanup::TempFile;
use super::trail::LiveFile;
use crate::{Error, Result};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Written from front to back; it goes away when it is not finished.
pub struct IndexFile {
    temp: TempFile,
    dir: PathBuf,
    hasher: blake3::Hasher,
    len: u64,
}

impl IndexFile {
    /// A new file in `dir`, which exists.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(dir: &Path) -> Result<IndexFile> {
        Ok(IndexFile { temp: TempFile::create(dir)?, dir: dir.to_path_buf(), hasher: blake3::Hasher::new(), len: 0 })
    }

    /// Appends bytes: where they begin.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append(&mut self, bytes: &[u8]) -> Result<u64> {
        self.temp.file().write_all(bytes).map_err(Error::io(&self.dir, "cannot write"))?;
        self.hasher.update(bytes);
        self.len += bytes.len() as u64;
        Ok(self.len - bytes.len() as u64)
    }

    /// Bytes so far.
    pub fn len_bytes(&self) -> u64 {
        self.len
    }

    /// Makes the file durable and calls it `name`; `rows` is how many records it holds.
    ///
    /// # Errors
    /// When it cannot be made durable or renamed.
    pub fn finish(self, name: &str, rows: u64) -> Result<LiveFile> {
        let digest = self.hasher.finalize().to_hex().to_string();
        self.temp.publish(&self.dir.join(name))?;
        Ok(LiveFile { path: name.to_string(), rows, bytes: self.len, digest })
    }
}
