//! Counters that workers bump and a front end may draw.

use std::sync::atomic::{AtomicU64, Ordering};

/// How far a run has come.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    messages: AtomicU64,
}

impl Progress {
    pub fn new() -> Progress {
        Progress::default()
    }

    /// Adds what one unit of work has read.
    pub fn add(&self, bytes: u64, messages: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.messages.fetch_add(messages, Ordering::Relaxed);
    }

    /// Decompressed bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Messages read so far.
    pub fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }
}
