//! mapping
