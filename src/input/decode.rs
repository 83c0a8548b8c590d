//! Compressed bytes to plain bytes, member after member, with everything before a damage delivered.

use super::Compression;
use super::codecs::{Codec, Outcome, codec};
use super::sniff::SNIFF_LEN;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a read gave no bytes.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The operating system refused.
    Io(io::Error),
    /// The compressed data is wrong from here on; reading again gives the end.
    Damage(String),
}

/// Bytes in order. A read gives at least one byte, or none at the end.
pub(super) trait Bytes: Send {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Trouble>;
}

/// The bytes of a file or pipe as they are, counted.
pub(super) struct Raw {
    pub reader: Box<dyn Read + Send>,
    pub count: Arc<AtomicU64>,
}

impl Bytes for Raw {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Trouble> {
        loop {
            match self.reader.read(out) {
                Ok(n) => {
                    self.count.fetch_add(n as u64, Ordering::Relaxed);
                    return Ok(n);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Trouble::Io(e)),
            }
        }
    }
}

/// Bytes read to look at them, then the rest.
pub(super) struct Peeked {
    pub head: Vec<u8>,
    pub taken: usize,
    pub rest: Box<dyn Bytes>,
    /// What ended the peeking early, kept for the read that comes to it.
    pub trouble: Option<Trouble>,
}

impl Peeked {
    /// Looks at `len` bytes, or fewer at the end.
    pub fn new(rest: Box<dyn Bytes>, len: usize) -> Peeked {
        let mut peeked = Peeked { head: Vec::new(), taken: 0, rest, trouble: None };
        peeked.extend_head(len);
        peeked
    }

    /// Looks at the first `len` bytes, or fewer at the end. Of use before the first read only.
    pub fn extend_head(&mut self, len: usize) {
        let mut filled = self.head.len();
        if filled >= len || self.taken > 0 {
            return;
        }
        self.head.resize(len, 0);
        while filled < len && self.trouble.is_none() {
            match self.rest.read(&mut self.head[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) => self.trouble = Some(e),
            }
        }
        self.head.truncate(filled);
    }
}

impl Bytes for Peeked {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Trouble> {
        let left = &self.head[self.taken..];
        if !left.is_empty() {
            let n = left.len().min(out.len());
            out[..n].copy_from_slice(&left[..n]);
            self.taken += n;
            return Ok(n);
        }
        match self.trouble.take() {
            Some(trouble) => Err(trouble),
            None => self.rest.read(out),
        }
    }
}

const BUFFER_LEN: usize = 256 * 1024;

/// Decompresses the members of `inner`; zero bytes between and behind members are padding.
pub(super) struct Decoder {
    inner: Box<dyn Bytes>,
    compression: Compression,
    codec: Box<dyn Codec>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    inner_ended: bool,
    in_member: bool,
    ended: bool,
    /// Told when all bytes before it are delivered.
    trouble: Option<Trouble>,
}

impl Decoder {
    pub fn new(inner: Box<dyn Bytes>, compression: Compression, xz_memory: u64) -> io::Result<Decoder> {
        Ok(Decoder {
            inner,
            compression,
            codec: codec(compression, xz_memory)?,
            buffer: vec![0; BUFFER_LEN],
            start: 0,
            end: 0,
            inner_ended: false,
            in_member: false,
            ended: false,
            trouble: None,
        })
    }

    /// Reads until `len` bytes wait or the input ends.
    fn want(&mut self, len: usize) {
        if self.end - self.start >= len || self.inner_ended {
            return;
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while self.end < len && !self.inner_ended {
            match self.inner.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.inner_ended = true,
                Ok(n) => self.end += n,
                Err(trouble) => {
                    self.inner_ended = true;
                    self.trouble = Some(trouble);
                }
            }
        }
    }

    fn fail(&mut self, what: impl Into<String>) {
        // What went wrong below comes first: it is the cause.
        if self.trouble.is_none() {
            self.trouble = Some(Trouble::Damage(format!("{} data: {}", self.compression.as_str(), what.into())));
        }
        self.ended = true;
    }

    /// Stands at the first byte of a member afterwards, or at the end.
    fn next_member(&mut self) {
        loop {
            self.want(SNIFF_LEN);
            let waiting = &self.buffer[self.start..self.end];
            if waiting.is_empty() {
                self.ended = true;
                return;
            }
            if Compression::sniff(waiting) == Some(self.compression) {
                match self.codec.start_member() {
                    Ok(()) => self.in_member = true,
                    Err(e) => self.fail(e.to_string()),
                }
                return;
            }
            let padding = waiting.iter().take_while(|b| **b == 0).count();
            if padding == 0 {
                return self.fail("what follows is not compressed");
            }
            self.start += padding;
        }
    }
}

impl Bytes for Decoder {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Trouble> {
        if out.is_empty() {
            return Ok(0);
        }
        while !self.ended {
            if !self.in_member {
                self.next_member();
                continue;
            }
            self.want(1);
            let step = self.codec.step(&self.buffer[self.start..self.end], out);
            self.start += step.consumed;
            match step.outcome {
                Outcome::Going if step.consumed == 0 && step.produced == 0 => {
                    let cut = self.inner_ended && self.start == self.end;
                    self.fail(if cut { "cut off in the middle" } else { "it makes no progress" });
                }
                Outcome::Going => {}
                Outcome::MemberEnd => self.in_member = false,
                Outcome::Damaged(what) => self.fail(what),
            }
            if step.produced > 0 {
                return Ok(step.produced);
            }
        }
        match self.trouble.take() {
            Some(trouble) => Err(trouble),
            None => Ok(0),
        }
    }
}
