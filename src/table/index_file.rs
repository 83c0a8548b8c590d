//! Files of indexes. Each begins with a magic number of eight bytes and ends with a footer, its length in eight bytes, and
//! the magic number again.

use super::cleanup::TempFile;
use super::trail::LiveFile;
use crate::{Error, Result};
use memmap2::Mmap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What a file begins and ends with.
pub type Magic = [u8; 8];
/// Length of what stands behind the footer.
pub(super) const ENDING: usize = 16;

/// Where the footer of a file of `len` bytes begins, whose last [`ENDING`] bytes these are; `None` when it is no such file.
pub(super) fn footer_start(ending: &[u8], len: u64, magic: &Magic) -> Option<u64> {
    let (footer_len, rest) = ending.split_first_chunk()?;
    if rest != magic {
        return None;
    }
    len.checked_sub(ENDING as u64)?.checked_sub(u64::from_le_bytes(*footer_len))
}

/// A file of an index in memory, read where it is looked at.
pub struct MappedIndex {
    map: Mmap,
    footer: usize,
}

impl MappedIndex {
    /// # Errors
    /// When it cannot be opened or does not begin and end as it should: then it is `what`, as in "not a file of keys".
    pub fn open(path: &Path, magic: &Magic, what: &str) -> Result<MappedIndex> {
        let file = File::open(path).map_err(Error::io(path, "cannot open"))?;
        // SAFETY: files of a commit are never changed; one that is cut off by somebody else ends the process, as with
        // every mapped file.
        let map = unsafe { Mmap::map(&file) }.map_err(Error::io(path, "cannot read"))?;
        let ending = map.last_chunk::<ENDING>().filter(|_| map.starts_with(magic));
        let footer = ending.and_then(|ending| footer_start(ending, map.len() as u64, magic));
        match footer.and_then(|footer| usize::try_from(footer).ok()) {
            Some(footer) => Ok(MappedIndex { map, footer }),
            None => Err(damaged(path, what)),
        }
    }

    /// Everything in front of the footer.
    pub fn body(&self) -> &[u8] {
        &self.map[..self.footer]
    }

    pub fn footer(&self) -> &[u8] {
        &self.map[self.footer..self.map.len() - ENDING]
    }
}

/// What is said of a file that is `what`, as in "not a file of keys".
pub fn damaged(path: &Path, what: &str) -> Error {
    Error::Damaged { path: path.to_path_buf(), what: format!("is {what}, or is damaged") }
}

/// A file of an index under construction: it gets its name and digest when it is complete.
///
/// It is written from front to back, and goes away when it is not finished.
pub struct IndexFile {
    temp: TempFile,
    dir: PathBuf,
    magic: Magic,
    hasher: blake3::Hasher,
    len: u64,
}

impl IndexFile {
    /// A new file in `dir`, which exists; `magic` stands at its beginning and its end.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(dir: &Path, magic: &Magic) -> Result<IndexFile> {
        let (temp, dir, hasher) = (TempFile::create(dir)?, dir.to_path_buf(), blake3::Hasher::new());
        let mut file = IndexFile { temp, dir, magic: *magic, hasher, len: 0 };
        file.append(magic)?;
        Ok(file)
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

    /// Ends the file, makes it durable and calls it `name`; `rows` is how many records it holds.
    ///
    /// # Errors
    /// When it cannot be written, made durable or renamed.
    pub fn finish(mut self, footer: &[u8], name: &str, rows: u64) -> Result<LiveFile> {
        self.append(footer)?;
        self.append(&(footer.len() as u64).to_le_bytes())?;
        let magic = self.magic;
        self.append(&magic)?;
        let digest = self.hasher.finalize().to_hex().to_string();
        self.temp.publish(&self.dir.join(name))?;
        Ok(LiveFile { path: name.to_string(), rows, bytes: self.len, digest })
    }
}
