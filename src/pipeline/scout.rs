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
use crate::table::trail::Resume;
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// How much of what stands in front of a message is looked at for a time and a direction.
pub const PREFIX_LIMIT: usize = 1024;

/// Bytes that are kept in front of the place where the search for a message goes on.
const KEPT_BEFORE: usize = 4 * PREFIX_LIMIT;

/// Some bytes of one source that start and end between messages.
pub struct Piece {
    pub block: Arc<Block>,
    pub source: SourceId,
    /// The bytes of the piece begin and end here.
    pub start: usize,
    pub stop: usize,
    /// The line of the piece's first byte.
    pub line: u64,
    pub sessions: Sessions,
    /// The messages of the piece as places in the block, in their order.
    pub frames: Vec<Frame>,
    /// It is what stands behind the last message of the source whose end is certain.
    pub is_tail: bool,
}

/// The pieces that one worker takes at a time, numbered from 0 in the order of the input.
pub struct Unit {
    pub number: u32,
    /// It is the tail of a source, and nothing else.
    pub is_tail: bool,
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
    /// Where reading goes on when the source has grown.
    pub resume: Option<Resume>,
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
    /// The tail that comes next, as a unit of its own.
    tail: Option<Piece>,
    /// Where reading begins in sources that were read before.
    resumes: BTreeMap<SourceId, Resume>,
    /// Findings about sources as a whole.
    pub findings: Vec<Finding>,
    pub infos: Vec<SourceInfo>,
    fields: Vec<crate::fix::Field>,
}

struct Current {
    source: SourceId,
    blocks: Blocks,
    carry: Option<Tail>,
    /// Bytes of the first block in which no message begins.
    skip: usize,
    tail: Option<Piece>,
    resume: Option<Resume>,
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
            tail: None,
            resumes: BTreeMap::new(),
            findings: Vec::new(),
            infos,
            fields: Vec::new(),
        }
    }

    /// Begins these sources where an earlier run has left them.
    pub fn resume(&mut self, resumes: BTreeMap<SourceId, Resume>) {
        self.resumes = resumes;
    }

    /// The next unit, or `None` after the last.
    ///
    /// # Errors
    /// What opening and reading a source gives.
    pub fn next_unit(&mut self) -> Result<Option<Unit>> {
        while self.waiting_bytes < self.unit_bytes && self.tail.is_none() {
            match self.next_piece()? {
                Some(piece) if piece.is_tail => self.tail = Some(piece),
                Some(piece) => {
                    self.waiting_bytes += piece.stop - piece.start;
                    self.waiting.push_back(piece);
                }
                None => break,
            }
        }
        self.waiting_bytes = 0;
        let is_tail = self.waiting.is_empty();
        let pieces: Vec<Piece> =
            if is_tail { self.tail.take().into_iter().collect() } else { self.waiting.drain(..).collect() };
        if pieces.is_empty() {
            return Ok(None);
        }
        self.next_unit += 1;
        Ok(Some(Unit { number: self.next_unit - 1, is_tail, pieces }))
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
                self.infos[source as usize].resume = done.resume;
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
            if let Some(mut blocks) = self.begin(source, opened) {
                let from = self.resumes.remove(&(source as SourceId));
                let from = from.unwrap_or_else(|| Resume { line: 1, ..Resume::default() });
                blocks.skip(from.offset)?;
                self.current = Some(Current {
                    source: source as SourceId,
                    blocks,
                    carry: None,
                    skip: usize::try_from(from.skip).unwrap_or(0),
                    tail: None,
                    resume: None,
                    line: from.line,
                    sessions: Sessions::from_names(&from.sessions),
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
        if let Some(tail) = self.tail.take() {
            return Ok(Some(tail));
        }
        loop {
            let (carry, from) = match &self.carry {
                Some(tail) => (&tail.block[tail.stop..], tail.resume - tail.stop),
                None => (&b""[..], std::mem::take(&mut self.skip)),
            };
            let next = self.blocks.next_block(carry)?;
            self.carry = None;
            let Some(block) = next else { return Ok(None) };
            let block = Arc::new(block);
            let sessions = self.sessions.clone();
            // Counted before the walk, for the walk's jumps find near what this has streamed through.
            let lines = lines_in(&block);
            let mut frames = Vec::with_capacity((block.len() - from) / 256 + 16);
            let from = from.min(block.len());
            let (stop, resume) = self.walk(&block, false, from, &mut frames, fields);
            let line = self.line;
            if !block.is_last() {
                self.carry = Some(Tail { block: block.clone(), stop, resume });
                if stop == 0 {
                    // One message or one long line fills the block: get a longer one.
                    continue;
                }
                self.line += lines - lines_in(&block[stop..]);
                let (source, start, is_tail) = (self.source, 0, false);
                return Ok(Some(Piece { block, source, start, stop, line, sessions, frames, is_tail }));
            }
            return Ok(Some(self.last_piece(block, (stop, resume), lines, sessions, frames, fields)));
        }
    }

    /// The last block's piece. Messages that would not be sure to end where they do if more bytes came are the tail, which
    /// waits; without any of them there is none.
    fn last_piece(
        &mut self,
        block: Arc<Block>,
        (stop, resume): (usize, usize),
        lines: u64,
        sessions: Sessions,
        frames: Vec<Frame>,
        fields: &mut Vec<crate::fix::Field>,
    ) -> Piece {
        let line = self.line;
        let line_of_tail = line + lines - lines_in(&block[stop..]);
        let mut go_on = Resume {
            offset: block.offset() + stop as u64,
            skip: (resume - stop) as u64,
            line: line_of_tail,
            sessions: self.sessions.to_names(),
            tail_messages: 0,
        };
        let of_tail = self.sessions.clone();
        let mut tail = Vec::new();
        self.walk(&block, true, resume, &mut tail, fields);
        go_on.tail_messages = tail.len() as u64;
        self.resume = Some(go_on);
        self.line += lines;
        let (source, len) = (self.source, block.len());
        let piece = |start, stop, line, sessions, frames, is_tail| Piece {
            block: block.clone(),
            source,
            start,
            stop,
            line,
            sessions,
            frames,
            is_tail,
        };
        if tail.is_empty() {
            return piece(0, len, line, sessions, frames, false);
        }
        let tail = piece(stop, len, line_of_tail, of_tail, tail, true);
        if stop == 0 {
            return tail;
        }
        self.tail = Some(tail);
        piece(0, stop, line, sessions, frames, false)
    }

    /// Walks the messages of a block: where the piece stops, and where the search goes on from.
    fn walk(
        &mut self,
        block: &Block,
        is_last: bool,
        from: usize,
        frames: &mut Vec<Frame>,
        fields: &mut Vec<crate::fix::Field>,
    ) -> (usize, usize) {
        let mut at = from;
        let mut behind = 0;
        loop {
            match frame::next(block, at, is_last) {
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
