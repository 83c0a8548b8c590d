//! Numbers and byte strings to bytes, as Parquet's encodings have them. No file format, no compression.
