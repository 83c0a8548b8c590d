//! Buffers that are used again, so that a long stream costs a few allocations and no zeroing.

use std::sync::{Mutex, PoisonError};

/// Buffers waiting for their next use. Their whole length is initialised.
pub(super) struct Pool {
    waiting: Mutex<Vec<Vec<u8>>>,
    /// Buffers above this length held an unusually long message and are let go.
    keep_len: usize,
}

impl Pool {
    pub fn new(keep_len: usize) -> Pool {
        Pool { waiting: Mutex::new(Vec::new()), keep_len }
    }

    /// A buffer of at least `len` bytes with any content.
    pub fn take(&self, len: usize) -> Vec<u8> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match waiting {
            Some(buffer) if buffer.len() >= len => buffer,
            _ => vec![0; len],
        }
    }

    pub fn give_back(&self, buffer: Vec<u8>) {
        if buffer.len() <= self.keep_len {
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
        }
    }
}
