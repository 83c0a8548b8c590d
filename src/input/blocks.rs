//! A source cut into consecutive blocks, each led by what the consumer left of the one before.
//!
//! Where a block ends depends on the bytes and on what the consumer carries over, never on how the bytes arrive: a map, a
//! pipe and a compressed file of the same content give the same blocks.

use super::open::{Content, Map, Opened};
use super::pool::Pool;
use super::stream::{Damage, Stream};
use crate::{Error, Result};
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a source is cut.
#[derive(Clone, Copy, Debug)]
pub struct BlockOptions {
    /// Bytes in a block, with what was carried over.
    pub size: usize,
    /// Bytes to which a block may grow when nothing of it is consumed.
    pub limit: usize,
    /// Compute the digest of the decompressed bytes on the way.
    pub digest: bool,
}

impl Default for BlockOptions {
    fn default() -> Self {
        BlockOptions { size: 4 << 20, limit: 1 << 30, digest: true }
    }
}

/// Some consecutive decompressed bytes of a source; derefs to them.
///
/// It owns its buffer or shares the map, and can go to another thread. Dropping it recycles the buffer, or tells the
/// kernel that the pages of the map are no longer needed.
pub struct Block {
    held: Held,
    offset: u64,
    is_last: bool,
    at_limit: bool,
}

enum Held {
    Buffer { buffer: Vec<u8>, len: usize, pool: Arc<Pool> },
    Mapped { map: Arc<Map>, range: Range<usize> },
}

impl Block {
    /// Where the first byte stands in the decompressed source.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Nothing follows: what cannot be consumed is incomplete for good.
    pub fn is_last(&self) -> bool {
        self.is_last
    }

    /// The block is as long as blocks may become; carrying all of it over is an error.
    pub fn is_at_limit(&self) -> bool {
        self.at_limit
    }
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.held {
            Held::Buffer { buffer, len, .. } => &buffer[..*len],
            Held::Mapped { map, range } => &map.bytes[range.clone()],
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        match &mut self.held {
            Held::Buffer { buffer, pool, .. } => pool.give_back(std::mem::take(buffer)),
            Held::Mapped { map, range } => release(map, range.clone()),
        }
    }
}

/// Tells the kernel that these pages are not needed now, so that a long file does not fill the resident memory.
fn release(map: &Map, range: Range<usize>) {
    // SAFETY: on a private file map that nobody writes to, a page that is dropped and touched again comes back from the
    // file with the content it would have had; a neighbour that still reads the border page only waits for it.
    #[cfg(unix)]
    let _ = unsafe { map.bytes.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, range.start, range.len()) };
    #[cfg(not(unix))]
    let _ = (map, range);
}

/// Cuts one source; see [`Opened::blocks`].
pub struct Blocks {
    from: From,
    options: BlockOptions,
    taken: Arc<AtomicU64>,
    hasher: Option<Box<blake3::Hasher>>,
    /// End of the previous block, in the source.
    position: u64,
    previous_len: usize,
    ended: bool,
}

enum From {
    Map { map: Arc<Map>, damage: Option<Damage> },
    Stream { stream: Box<Stream>, pool: Arc<Pool>, peeked: Option<u8> },
}

impl Blocks {
    pub(super) fn new(opened: Opened, options: BlockOptions) -> Blocks {
        let options =
            BlockOptions { size: options.size.max(1), limit: options.limit.max(options.size).max(1), ..options };
        let from = match opened.content {
            Content::Map(map) => From::Map { map, damage: None },
            Content::Stream(stream) => {
                From::Stream { stream, pool: Arc::new(Pool::new(options.size.saturating_mul(2))), peeked: None }
            }
        };
        let hasher = options.digest.then(|| Box::new(blake3::Hasher::new()));
        Blocks { from, options, taken: opened.taken, hasher, position: 0, previous_len: 0, ended: false }
    }

    /// The next block: `carry`, which must be the unconsumed tail of the previous block, and new bytes behind it. `None`
    /// behind the last block.
    ///
    /// A block has [`BlockOptions::size`] bytes, or twice as many as were carried over if that is more; the last one has
    /// what is left.
    ///
    /// # Errors
    /// [`Error::Io`] when reading fails, [`Error::Usage`] when a block that [is at the limit](Block::is_at_limit) is
    /// carried over as a whole.
    pub fn next_block(&mut self, carry: &[u8]) -> Result<Option<Block>> {
        debug_assert!(carry.len() <= self.previous_len, "only bytes of the previous block can be carried over");
        if self.ended {
            return Ok(None);
        }
        if carry.len() >= self.options.limit {
            return Err(Error::Usage(format!(
                "{}: nothing in the {} bytes from offset {} can be read as a whole; longer messages are not read",
                self.path().display(),
                carry.len(),
                self.position - carry.len() as u64
            )));
        }
        let target = self.options.size.max(carry.len().saturating_mul(2)).min(self.options.limit);
        let offset = self.position - carry.len() as u64;
        let (held, is_last) = match &mut self.from {
            From::Map { map, damage } => {
                let range = map_range(map, damage, self.position, carry.len(), target)?;
                let is_last = range.end == map.bytes.len() || damage.is_some();
                (Held::Mapped { map: map.clone(), range }, is_last)
            }
            From::Stream { stream, pool, peeked } => {
                let mut buffer = pool.take(target);
                buffer[..carry.len()].copy_from_slice(carry);
                let mut len = carry.len();
                if let Some(byte) = peeked.take() {
                    buffer[len] = byte;
                    len += 1;
                }
                len += stream.fill(&mut buffer[len..target])?;
                // One byte more tells whether this block is the last.
                let mut next = [0];
                if len == target && stream.fill(&mut next)? == 1 {
                    *peeked = Some(next[0]);
                }
                let is_last = peeked.is_none();
                (Held::Buffer { buffer, len, pool: pool.clone() }, is_last)
            }
        };
        let mut block = Block { held, offset, is_last, at_limit: false };
        block.at_limit = !is_last && block.len() >= self.options.limit;
        self.ended = is_last;
        let fresh = block.get(carry.len()..).unwrap_or_default();
        self.position += fresh.len() as u64;
        self.previous_len = block.len();
        if let Some(hasher) = &mut self.hasher {
            hasher.update(fresh);
        }
        if matches!(self.from, From::Map { .. }) {
            self.taken.store(self.position, Ordering::Relaxed);
        }
        Ok((!block.is_empty()).then_some(block))
    }

    /// Passes over the bytes up to `offset`, of which only the digest is taken; to be called before the first block.
    ///
    /// # Errors
    /// When reading fails.
    pub fn skip(&mut self, offset: u64) -> Result<()> {
        const AT_ONCE: usize = 1 << 20;
        let mut buffer = Vec::new();
        while self.position < offset {
            let wanted = usize::try_from(offset - self.position).unwrap_or(AT_ONCE).min(AT_ONCE);
            let bytes = match &mut self.from {
                From::Map { map, .. } => {
                    let start = (self.position as usize).min(map.bytes.len());
                    &map.bytes[start..map.bytes.len().min(start + wanted)]
                }
                From::Stream { stream, .. } => {
                    buffer.resize(wanted, 0);
                    let read = stream.fill(&mut buffer)?;
                    &buffer[..read]
                }
            };
            if bytes.is_empty() {
                return Ok(());
            }
            if let Some(hasher) = &mut self.hasher {
                hasher.update(bytes);
            }
            self.position += bytes.len() as u64;
        }
        Ok(())
    }

    /// Decompressed bytes delivered so far; after the last block the length of the source.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// BLAKE3 of the decompressed bytes delivered so far, unless switched off; after the last block the digest of the
    /// source, and at any earlier [`position`](Blocks::position) that of the bytes before it.
    pub fn digest(&self) -> Option<blake3::Hash> {
        self.hasher.as_ref().map(|hasher| hasher.finalize())
    }

    /// What ended the source early; known when the last block is delivered.
    pub fn damage(&self) -> Option<&Damage> {
        match &self.from {
            From::Map { damage, .. } => damage.as_ref(),
            From::Stream { stream, .. } => stream.damage.as_ref(),
        }
    }

    fn path(&self) -> &Path {
        match &self.from {
            From::Map { map, .. } => &map.path,
            From::Stream { stream, .. } => &stream.path,
        }
    }
}

/// The range of the next block, and the damage if the file has become too short for it.
fn map_range(
    map: &Map,
    damage: &mut Option<Damage>,
    position: u64,
    carried: usize,
    target: usize,
) -> Result<Range<usize>> {
    // The position never passes the length of the map, which is a usize.
    let position = position as usize;
    let start = position - carried;
    let end = start.saturating_add(target).min(map.bytes.len());
    let present = map.file.metadata().map_err(Error::io(&map.path, "cannot read"))?.len();
    if present >= end as u64 {
        return Ok(start..end);
    }
    let present = present as usize;
    *damage = Some(Damage {
        offset: present.max(position) as u64,
        what: format!("the file was cut from {} to {present} bytes while it was read", map.bytes.len()),
    });
    Ok(start.min(present)..end.min(present))
}
