//! Records sorted into 256 partitions by the first byte of their hashes, on disk but for the last few.

use super::spool::{Segment, Spool};
use crate::Result;
use std::sync::{Arc, Mutex, PoisonError};

/// How many partitions there are.
pub const PARTITIONS: usize = 256;
/// Bytes of a partition that are kept in memory.
const BUFFER: usize = 16 << 10;

/// The partition of a hash.
pub fn partition(hash: u64) -> usize {
    (hash >> 56) as usize
}

/// Bytes by partition, added from any thread.
pub struct Scatter {
    spool: Arc<Spool>,
    partitions: Vec<Mutex<Partition>>,
}

#[derive(Default)]
struct Partition {
    bytes: Vec<u8>,
    segments: Vec<Segment>,
}

impl Scatter {
    pub fn new(spool: Arc<Spool>) -> Scatter {
        Scatter { spool, partitions: (0..PARTITIONS).map(|_| Mutex::default()).collect() }
    }

    /// Appends to a partition what `put` appends.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&self, partition: usize, put: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        let mut to = self.partitions[partition].lock().unwrap_or_else(PoisonError::into_inner);
        put(&mut to.bytes);
        if to.bytes.len() >= BUFFER {
            let segment = self.spool.append_bytes(&to.bytes)?;
            to.segments.push(segment);
            to.bytes.clear();
        }
        Ok(())
    }

    /// All records of a partition, each of `N` bytes, in any order.
    ///
    /// # Errors
    /// When they cannot be read back.
    pub fn records<const N: usize>(&self, partition: usize) -> Result<Vec<[u8; N]>> {
        let partition = self.partitions[partition].lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = Vec::new();
        for &segment in &partition.segments {
            self.spool.read_bytes(segment, &mut bytes)?;
        }
        bytes.extend_from_slice(&partition.bytes);
        let (whole, rest) = bytes.as_chunks::<N>();
        if rest.is_empty() { Ok(whole.to_vec()) } else { Err(self.spool.damaged()) }
    }
}
