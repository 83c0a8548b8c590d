//! The decompressed bytes of a source that is not mapped, with the damage that ended them early.

use super::decode::{Bytes, Peeked, Trouble};
use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// Where the readable part of a source ends although more was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// How many decompressed bytes came before it; all of them were delivered.
    pub offset: u64,
    /// What was found; lower case, no full stop.
    pub what: String,
}

pub(super) struct Stream {
    pub path: PathBuf,
    pub bytes: Peeked,
    pub delivered: u64,
    pub damage: Option<Damage>,
}

impl Stream {
    pub fn new(path: &Path, bytes: Peeked) -> Stream {
        Stream { path: path.to_path_buf(), bytes, delivered: 0, damage: None }
    }

    /// Fills `out`, or less at the end.
    pub fn fill(&mut self, out: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < out.len() && self.damage.is_none() {
            match self.bytes.read(&mut out[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(Trouble::Io(e)) => return Err(Error::io(&self.path, "cannot read")(e)),
                Err(Trouble::Damage(what)) => {
                    self.damage = Some(Damage { offset: self.delivered + filled as u64, what });
                }
            }
        }
        self.delivered += filled as u64;
        Ok(filled)
    }
}
