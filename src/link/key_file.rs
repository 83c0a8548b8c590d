//! The meetings of one commit on disk, sorted by hash, so that a later run finds those whom its events concern.
//!
//! An index file with a section for each of 256 partitions of the hashes. A section: blocks of about 4 KB, the first hash and the place of each block, then two filters: of all hashes, and of
//! those that concern everybody who comes later (see [`meeting::unite`]). Hashes are cut to 48 bits: a wrong match costs
//! a look at an event that has nothing to do with the matter.

use super::islands::{Meetings, Seen};
use super::meeting::{self, Meeting};
use super::sieve;
use crate::Result;
use crate::codec::varint::{put_signed, put_unsigned, take_count, take_signed, take_unsigned};
use crate::table::index_file::damaged;
use crate::table::scatter::{PARTITIONS, partition};
use crate::table::trail::LiveFile;
use crate::table::{IndexFile, MappedIndex};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"fxtkeys1";
const WHAT: &str = "not a file of the linker's keys";
const BLOCK: usize = 4096;
const FENCE: usize = 12;
/// What is kept of a hash.
const KEPT: u64 = !0xffff;
/// Sections that are made at a time.
const AT_A_TIME: usize = 16;

/// A hash as files have it.
pub(super) fn cut(hash: u64) -> u64 {
    hash & KEPT
}

/// Writes all meetings as `dir/name`; `node_of` gives the number of a part's component among all.
///
/// # Errors
/// When the meetings cannot be read back or the file cannot be written.
pub(super) fn write(
    meetings: &Meetings,
    node_of: impl Fn(u32, u32) -> u32 + Sync,
    dir: &Path,
    name: &str,
) -> Result<LiveFile> {
    let seen = Tables::of(&meetings.seen());
    let mut file = IndexFile::create(dir, MAGIC)?;
    let mut footer = Vec::new();
    put_unsigned(seen.days.len() as u64, &mut footer);
    seen.days.iter().for_each(|day| put_signed(i64::from(*day), &mut footer));
    put_unsigned(seen.scopes.len() as u64, &mut footer);
    seen.scopes.iter().for_each(|scope| footer.extend_from_slice(&scope.to_le_bytes()));
    let mut records = 0;
    for first in (0..PARTITIONS).step_by(AT_A_TIME) {
        let sections: Vec<Section> = (first..first + AT_A_TIME)
            .into_par_iter()
            .map(|number| Ok(Section::of(&meetings.partition(number)?, &node_of, &seen)))
            .collect::<Result<_>>()?;
        for section in sections {
            let start = file.append(&section.bytes)?;
            [start, section.blocks as u64, section.fences as u64, section.all as u64, section.unsettled as u64]
                .iter()
                .for_each(|number| put_unsigned(*number, &mut footer));
            records += section.records;
        }
    }
    file.finish(&footer, name, records)
}

/// Days and scopes, which records name by their number.
struct Tables {
    days: Vec<i32>,
    scopes: Vec<u64>,
}

impl Tables {
    fn of(seen: &Seen) -> Tables {
        Tables { days: seen.days.iter().copied().collect(), scopes: seen.scopes.iter().copied().collect() }
    }
}

/// A section as bytes, and how long its pieces are.
struct Section {
    bytes: Vec<u8>,
    blocks: usize,
    fences: usize,
    all: usize,
    unsettled: usize,
    records: u64,
}

impl Section {
    fn of(meetings: &[Meeting], node_of: &impl Fn(u32, u32) -> u32, seen: &Tables) -> Section {
        let mut bytes = Vec::with_capacity(meetings.len() * 11);
        let (mut fences, mut all, mut unsettled) = (Vec::new(), Vec::new(), Vec::new());
        let (mut block_start, mut last_hash) = (None, 0);
        for run in meetings.chunk_by(|a, b| cut(a.hash) == cut(b.hash)) {
            let hash = cut(run[0].hash);
            if block_start.is_none_or(|start| bytes.len() - start >= BLOCK) {
                block_start = Some(bytes.len());
                fences.extend_from_slice(&hash.to_le_bytes());
                fences.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
                last_hash = hash;
            }
            put_unsigned((hash - last_hash) >> 16, &mut bytes);
            last_hash = hash;
            put_unsigned(run.len() as u64, &mut bytes);
            for meeting in run {
                bytes.push(meeting.role);
                put_unsigned(seen.days.partition_point(|day| *day < meeting.day) as u64, &mut bytes);
                put_unsigned(seen.scopes.partition_point(|scope| *scope < meeting.scope) as u64, &mut bytes);
                put_unsigned(u64::from(node_of(meeting.part, meeting.component)), &mut bytes);
            }
            all.push(hash);
            // Cutting may have mixed two hashes.
            let looks = |run: &[Meeting]| meeting::unite(run, |_, _| {});
            if run.chunk_by(|a, b| a.hash == b.hash).any(looks) {
                unsettled.push(hash);
            }
        }
        let blocks = bytes.len();
        bytes.extend_from_slice(&fences);
        let fences_end = bytes.len();
        sieve::put(&all, &mut bytes);
        let all_end = bytes.len();
        sieve::put(&unsettled, &mut bytes);
        Section {
            blocks,
            fences: fences_end - blocks,
            all: all_end - fences_end,
            unsettled: bytes.len() - all_end,
            records: meetings.len() as u64,
            bytes,
        }
    }
}

/// A file of meetings, opened.
pub(super) struct KeyFile {
    path: PathBuf,
    map: MappedIndex,
    days: Vec<i32>,
    scopes: Vec<u64>,
    sections: Vec<Place>,
}

/// Where the pieces of a section end.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    blocks: usize,
    fences: usize,
    all: usize,
    unsettled: usize,
}

/// Where the last look-up ended: those for rising hashes go on from there.
#[derive(Default)]
pub(super) struct Cursor {
    partition: usize,
    block: usize,
    at: usize,
    /// Hash of the run before `at`.
    hash: u64,
}

impl KeyFile {
    /// # Errors
    /// When it cannot be opened, or is damaged.
    pub fn open(path: &Path) -> Result<KeyFile> {
        let map = MappedIndex::open(path, MAGIC, WHAT)?;
        Self::read(path, map).ok_or_else(|| damaged(path, WHAT))
    }

    fn read(path: &Path, map: MappedIndex) -> Option<KeyFile> {
        let mut footer = map.footer();
        let count = take_count(&mut footer)?;
        let days: Vec<i32> =
            (0..count).map(|_| i32::try_from(take_signed(&mut footer)?).ok()).collect::<Option<_>>()?;
        let count = take_count(&mut footer)?;
        let scopes: Vec<u64> = (0..count)
            .map(|_| {
                let (scope, rest) = footer.split_first_chunk()?;
                footer = rest;
                Some(u64::from_le_bytes(*scope))
            })
            .collect::<Option<_>>()?;
        let mut sections = Vec::with_capacity(PARTITIONS);
        for _ in 0..PARTITIONS {
            let start = take_count(&mut footer)?;
            let blocks = start.checked_add(take_count(&mut footer)?)?;
            let fences = blocks.checked_add(take_count(&mut footer)?)?;
            let all = fences.checked_add(take_count(&mut footer)?)?;
            let unsettled = all.checked_add(take_count(&mut footer)?)?;
            if unsettled > map.body().len() {
                return None;
            }
            sections.push(Place { start, blocks, fences, all, unsettled });
        }
        let is_whole = footer.is_empty();
        is_whole.then(|| KeyFile { path: path.to_path_buf(), map, days, scopes, sections })
    }

    pub fn days(&self) -> &[i32] {
        &self.days
    }

    fn section(&self, hash: u64) -> (usize, Place) {
        let partition = partition(hash);
        (partition, self.sections[partition])
    }

    /// False when the hash is not there.
    pub fn may_have(&self, hash: u64) -> bool {
        let (_, place) = self.section(hash);
        sieve::may_hold(&self.map.body()[place.fences..place.all], cut(hash))
    }

    /// False when nobody there looks beyond its own day under the hash.
    pub fn may_look_further(&self, hash: u64) -> bool {
        let (_, place) = self.section(hash);
        sieve::may_hold(&self.map.body()[place.all..place.unsettled], cut(hash))
    }

    /// Appends who is there under a hash, as meetings of the part `part`.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn look_up(&self, cursor: &mut Cursor, hash: u64, part: u32, out: &mut Vec<Meeting>) -> Result<()> {
        self.find(cursor, cut(hash), part, out).ok_or_else(|| damaged(&self.path, WHAT))
    }

    fn find(&self, cursor: &mut Cursor, hash: u64, part: u32, out: &mut Vec<Meeting>) -> Option<()> {
        let (partition, place) = self.section(hash);
        let (fences, _) = self.map.body()[place.blocks..place.fences].as_chunks::<FENCE>();
        let first = |fence: &[u8; FENCE]| u64::from_le_bytes(*fence.first_chunk().unwrap_or(&[0; 8]));
        let Some(block) = fences.partition_point(|fence| first(fence) <= hash).checked_sub(1) else { return Some(()) };
        let starts = |block: usize| {
            let fence = fences.get(block)?;
            Some(u32::from_le_bytes(*fence.last_chunk()?) as usize)
        };
        let blocks = &self.map.body()[place.start..place.blocks];
        let end = if block + 1 == fences.len() { blocks.len() } else { starts(block + 1)? };
        if (cursor.partition, cursor.block) != (partition, block) || cursor.at == 0 || hash <= cursor.hash {
            *cursor = Cursor { partition, block, at: starts(block)?, hash: first(&fences[block]) };
        }
        let mut bytes = blocks.get(cursor.at..end)?;
        while !bytes.is_empty() {
            let before = bytes.len();
            let next = cursor.hash.checked_add(take_unsigned(&mut bytes)?.checked_mul(1 << 16)?)?;
            if next > hash {
                // The cursor stays in front of this run.
                cursor.at = end - before;
                return Some(());
            }
            let is_wanted = next == hash;
            for _ in 0..take_count(&mut bytes)? {
                let (&role, rest) = bytes.split_first()?;
                bytes = rest;
                let [day, scope, component] =
                    [take_count(&mut bytes)?, take_count(&mut bytes)?, take_count(&mut bytes)?];
                if is_wanted {
                    let (day, scope) = (*self.days.get(day)?, *self.scopes.get(scope)?);
                    let component = u32::try_from(component).ok()?;
                    out.push(Meeting { hash, day, scope, part, component, role });
                }
            }
            cursor.hash = next;
            cursor.at = end - bytes.len();
            if is_wanted {
                return Some(());
            }
        }
        Some(())
    }
}
