//! A finished column chunk: the bytes of its pages and what the file's footer says about them.

/// The least or the greatest value of a chunk or a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    Int(i64),
    /// At most 64 bytes; a longer minimum is cut, a longer maximum is cut and raised, so that the bounds still hold.
    Text(String),
}

/// One column of one row group, encoded and compressed.
#[derive(Debug)]
pub struct Chunk {
    pub(super) bytes: Vec<u8>,
}

impl Chunk {
    /// Rows in the chunk, nulls among them.
    pub fn rows(&self) -> usize {
        todo!()
    }

    /// Size on disk, bloom filter included.
    pub fn len_bytes(&self) -> usize {
        self.bytes.len()
    }
}
