//! Cuts all sources, in the order of their names, into units of work that end between two messages.
//!
//! The scout walks from BodyLength to BodyLength without summing or reading fields, which costs a small part of what a
//! worker does with the same bytes, and so finds cuts that are right even where a message holds another one.

use super::sessions::Sessions;
use crate::Result;
use crate::finding::{Finding, Level, SourceId};
use crate::fix::frame::{self, Frame, Step};
use crate::fix::{Message, fields};
use crate::input::{Block, BlockOptions, Blocks, OpenOptions, Opened, Recognised, SourceSpec, open, recognise};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

/// How much of what stands in front of a message is looked at for a time and a direction.
pub const PREFIX_LIMIT: usize = 1024;

/// Bytes that are kept in front of the place where the search for a message goes on.
const KEPT_BEFORE: usize = 4 * PREFIX_LIMIT;

/// Some bytes of one source that start and end between messages.
pub struct Piece {
    pub block: Arc<Block>,
    pub source: SourceId,
    /// The bytes of the piece end here.
    pub stop: usize,
    /// The line of the piece's first byte.
    pub line: u64,
    pub sessions: Sessions,
    /// The messages of the piece as places in the block, in their order.
    pub frames: Vec<Frame>,
}

/// The pieces that one worker takes at a time, numbered from 0 in the order of the input.
pub struct Unit {
    pub number: u32,
    pub pieces: Vec<Piece>,
}

/// What is known about a source once it has been read.
#[derive(Clone, Debug, Default)]
pub struct SourceInfo {
    /// Decompressed bytes.
    pub bytes: u64,
    /// BLAKE3 of the decompressed bytes, where it was asked for.
    pub digest: Option<String>,
    /// Nothing in the first bytes looked like FIX: unless a message turns up, there is a finding.
    pub unrecognised: Option<String>,
    pub compression: Vec<&'static str>,
}

/// Hands out units; shared by the workers behind a lock.
pub struct Scout {
    specs: Vec<SourceSpec>,
    next_source: usize,
    current: Option<Current>,
    unit_bytes: usize,
    digest: bool,
    open: OpenOptions,
    next_unit: u32,
    waiting: VecDeque<Piece>,
    waiting_bytes: usize,
    /// Findings about sources as a whole.
    pub findings: Vec<Finding>,
    pub infos: Vec<SourceInfo>,
    fields: Vec<crate::fix::Field>,
}

struct Current {
    source: SourceId,
    blocks: Blocks,
    carry: Option<Tail>,
    line: u64,
    sessions: Sessions,
}

/// What a piece left of its block: the next block begins with it.
struct Tail {
    block: Arc<Block>,
    stop: usize,
    /// Where the search for a message goes on.
    resume: usize,
}

impl Scout {
    /// A scout over `specs`, which are sorted by name. `unit_bytes` is the size of a unit, 32 MB for real work.
    pub fn new(specs: Vec<SourceSpec>, unit_bytes: usize, digest: bool, open: OpenOptions) -> Scout {
        let infos = vec![SourceInfo::default(); specs.len()];
        Scout {
            specs,
            next_source: 0,
            current: None,
            unit_bytes: unit_bytes.max(1),
            digest,
            open,
            next_unit: 0,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            findings: Vec::new(),
            infos,
            fields: Vec::new(),
        }
    }

    /// The next unit, or `None` after the last.
    ///
    /// # Errors
    /// What opening and reading a source gives.
    pub fn next_unit(&mut self) -> Result<Option<Unit>> {
        while self.waiting_bytes < self.unit_bytes {
            match self.next_piece()? {
                Some(piece) => {
                    self.waiting_bytes += piece.stop;
                    self.waiting.push_back(piece);
                }
                None if self.waiting.is_empty() => return Ok(None),
                None => break,
            }
        }
        self.waiting_bytes = 0;
        self.next_unit += 1;
        Ok(Some(Unit { number: self.next_unit - 1, pieces: self.waiting.drain(..).collect() }))
    }

    /// For each source, whether the command line names it.
    pub fn named(&self) -> impl Iterator<Item = bool> + '_ {
        self.specs.iter().map(|spec| spec.is_named)
    }

    fn next_piece(&mut self) -> Result<Option<Piece>> {
        loop {
            if self.current.is_none() && !self.open_next()? {
                return Ok(None);
            }
            let Some(current) = &mut self.current else { continue };
            let source = current.source;
            if let Some(piece) = current.cut(&mut self.fields)? {
                return Ok(Some(piece));
            }
            if let Some(done) = self.current.take() {
                self.close(source, &done.blocks, done.line);
            }
        }
    }

    /// Opens the next source that holds FIX; false when there is none left.
    fn open_next(&mut self) -> Result<bool> {
        while self.next_source < self.specs.len() {
            let source = self.next_source;
            self.next_source += 1;
            let spec = &self.specs[source];
            let opened = open(spec, &self.open)?;
            if let Some(blocks) = self.begin(source, opened) {
                self.current = Some(Current {
                    source: source as SourceId,
                    blocks,
                    carry: None,
                    line: 1,
                    sessions: Sessions::default(),
                });
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn begin(&mut self, source: usize, mut opened: Opened) -> Option<Blocks> {
        let found = recognise(opened.head());
        let named = self.specs[source].is_named;
        self.infos[source].compression = opened.compression.iter().map(|c| c.as_str()).collect();
        let unread = match found {
            Recognised::Fix => None,
            // Compressed data that gives nothing may be empty, or damaged at its beginning: reading tells.
            Recognised::Empty if !opened.compression.is_empty() => None,
            // Messages may come later than the bytes that were looked at.
            Recognised::Unknown | Recognised::FixLike => {
                self.infos[source].unrecognised = found.hint();
                None
            }
            Recognised::CatCsv | Recognised::CatJson => Some("holds CAT records, which are not read yet".to_string()),
            Recognised::Parquet => Some("holds Parquet, which is not read as input yet".to_string()),
            Recognised::Archive => Some("is an archive, which is not read yet".to_string()),
            other => Some(other.hint().unwrap_or_default()),
        };
        if let Some(text) = unread {
            let code = if found == Recognised::Empty { "input-empty" } else { "input-not-recognised" };
            let level = match (named, found) {
                (_, Recognised::Empty) => Level::Info,
                (true, _) => Level::Error,
                (false, _) => Level::Info,
            };
            self.findings.push(source_finding(source, code, level, 0, text));
            return None;
        }
        let options = BlockOptions { size: self.unit_bytes, digest: self.digest, ..BlockOptions::default() };
        Some(opened.blocks(options))
    }

    fn close(&mut self, source: SourceId, blocks: &Blocks, line: u64) {
        let info = &mut self.infos[source as usize];
        info.bytes = blocks.position();
        info.digest = blocks.digest().map(|digest| digest.to_hex().to_string());
        if let Some(damage) = blocks.damage() {
            let mut finding = source_finding(
                source as usize,
                "input-damaged",
                Level::Error,
                damage.offset,
                format!("{}; what came before it was read", damage.what),
            );
            finding.line = line;
            self.findings.push(finding);
        } else if info.bytes == 0 {
            self.findings.push(source_finding(source as usize, "input-empty", Level::Info, 0, "is empty".to_string()));
        }
    }
}

/// A finding about a source and not about a message.
pub(super) fn source_finding(source: usize, code: &'static str, level: Level, offset: u64, text: String) -> Finding {
    Finding {
        code: Cow::Borrowed(code),
        level,
        source: source as SourceId,
        offset,
        line: 1,
        event: None,
        tag: 0,
        text: text.into(),
    }
}

/// Line breaks.
pub(super) fn lines_in(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

impl Current {
    /// The next piece of this source: one block without its undecided end.
    fn cut(&mut self, fields: &mut Vec<crate::fix::Field>) -> Result<Option<Piece>> {
        loop {
            let (carry, from) = match &self.carry {
                Some(tail) => (&tail.block[tail.stop..], tail.resume - tail.stop),
                None => (&b""[..], 0),
            };
            let next = self.blocks.next_block(carry)?;
            self.carry = None;
            let Some(block) = next else { return Ok(None) };
            let block = Arc::new(block);
            let sessions = self.sessions.clone();
            // Counted before the walk, for the walk's jumps find near what this has streamed through.
            let lines = lines_in(&block);
            let mut frames = Vec::with_capacity((block.len() - from) / 256 + 16);
            let (stop, resume) = self.walk(&block, from, &mut frames, fields);
            if !block.is_last() {
                self.carry = Some(Tail { block: block.clone(), stop, resume });
                if stop == 0 {
                    // One message or one long line fills the block: get a longer one.
                    continue;
                }
            }
            let line = self.line;
            self.line += lines - lines_in(&block[stop..]);
            return Ok(Some(Piece { block, source: self.source, stop, line, sessions, frames }));
        }
    }

    /// Walks the messages of a block: where the piece stops, and where the search goes on from.
    fn walk(
        &mut self,
        block: &Block,
        from: usize,
        frames: &mut Vec<Frame>,
        fields: &mut Vec<crate::fix::Field>,
    ) -> (usize, usize) {
        let mut at = from;
        let mut behind = 0;
        loop {
            match frame::next(block, at, block.is_last()) {
                Step::Frame(frame) => {
                    self.note_logon(block, &frame, fields);
                    frames.push(frame);
                    at = frame.end;
                    behind = frame.end;
                }
                Step::Done => return (block.len(), block.len()),
                // What stands right behind the last message may be the prefix of the next.
                Step::More(resume) if resume - behind <= KEPT_BEFORE => return (behind, resume),
                Step::More(resume) => return (resume - KEPT_BEFORE, resume),
            }
        }
    }

    fn note_logon(&mut self, block: &[u8], frame: &Frame, fields: &mut Vec<crate::fix::Field>) {
        if !block[frame.body..].starts_with(b"35=A") || !block[frame.start..].starts_with(b"8=FIXT") {
            return;
        }
        let bytes = &block[frame.start..frame.end];
        fields::split(bytes, frame.separator, fields, &mut Vec::new());
        let message = Message { bytes, fields };
        if message.get(35) == Some(b"A") {
            self.sessions.logon(&message);
        }
    }
}
