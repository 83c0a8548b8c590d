//! Numbers and byte strings to bytes, as Parquet's encodings have them. No file format, no compression.
//!
//! Every encoder appends to a `Vec<u8>` that its caller reuses. The slow decoders that prove them are test code.

mod bits;
pub mod bytes;
pub mod delta;
pub mod hybrid;
#[cfg(test)]
mod oracle;
pub mod varint;
