//! From paths to bytes with a place: which files there are, what they hold, and their decompressed bytes in blocks.
//!
//! [`discover`] turns arguments into named sources, [`open`] looks at magic bytes and maps or decompresses,
//! [`Opened::head`] with [`recognise`] says what a source holds, and [`Opened::blocks`] cuts it into [`Block`]s of a
//! size that depends on the bytes alone, so that every way of reading the same bytes gives the same blocks.

mod blocks;
mod codecs;
mod decode;
mod discover;
mod open;
mod pool;
mod recognise;
mod sniff;
mod stream;
#[cfg(test)]
mod tests;

pub use blocks::{Block, BlockOptions, Blocks};
pub use discover::{Discovered, Origin, SourceSpec, discover};
pub use open::{OpenOptions, Opened, Progress, open, open_reader};
pub use recognise::{ARCHIVE_MAGIC, Recognised, recognise};
pub use sniff::Compression;
pub use stream::Damage;

/// How many of the first decompressed bytes [`Opened::head`] gives at most.
pub const HEAD_LEN: usize = 64 * 1024;
