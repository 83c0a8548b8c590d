//! What is done to a trail between runs: checking it, merging its small files, dropping old versions, copying it.
//!
//! Each takes the path of a trail and says in numbers what it did. Whatever ends it, the trail is its old version or the
//! new one, and every version that is still there has its files.

mod backup;
mod compact;
mod expire;
#[cfg(test)]
mod tests;
mod verify;

pub use backup::{BackedUp, backup};
pub use compact::{Compacted, compact};
pub use expire::{Expired, Keep, expire};
pub use verify::{Checked, Damage, verify};

use super::commits;
use crate::{Error, Result};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes read at a time.
const BUFFER: usize = 1 << 20;

/// The versions that something is done with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versions {
    Latest,
    All,
}

impl Versions {
    fn of(self, trail: &Path) -> Result<Vec<u64>> {
        let mut versions = commits::versions(trail)?;
        if self == Versions::Latest {
            versions.drain(..versions.len().saturating_sub(1));
        }
        Ok(versions)
    }
}

/// An error unless there is a version.
fn must_exist(trail: &Path) -> Result<()> {
    match commits::latest(trail)? {
        Some(_) => Ok(()),
        None => Err(Error::Usage(format!("{}: not a trail: it has no commit", trail.display()))),
    }
}

/// Reads the rest of a file and calls `take` with each piece; BLAKE3 of all in hex.
fn read_all(file: &mut File, path: &Path, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; BUFFER];
    loop {
        let read = match file.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finalize().to_hex().to_string()),
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Error::io(path, "cannot read")(error)),
        };
        hasher.update(&buffer[..read]);
        take(&buffer[..read])?;
    }
}

/// What is said of a file whose bytes are not those that were written.
fn other_digest(found: &str, expected: &str) -> String {
    format!("the content has changed since it was written: digest {found}, expected {expected}")
}
