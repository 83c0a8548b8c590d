//! The linker's events of one commit on disk, so that a later run can link them anew together with its own.
//!
//! An index file of chunks. A chunk is a part (see [`Part::write`]) of whole components of one source, packed by Zstandard; components are numbered through over all chunks.

use super::linker::{PartKey, Places};
use super::part::Part;
use super::stored::{Packer, Packers, Reader, Writer};
use crate::table::index_file::damaged;
use crate::table::trail::LiveFile;
use crate::table::{IndexFile, MappedIndex};
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const MAGIC: &[u8; 8] = b"fxtevnt1";
const WHAT: &str = "not a file of the linker's events";
/// Events in a chunk, unless one component has more: what is read to get at one order.
const CHUNK_EVENTS: u32 = 8192;

/// Takes parts and writes their chunks, from any thread.
pub(super) struct EventWriter {
    open: Mutex<Open>,
    packers: Packers,
}

struct Open {
    file: IndexFile,
    chunks: Vec<(u32, Chunk)>,
}

/// Where a chunk is. While it is written, its first component is that within its part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    /// Number among the file's sources.
    pub source: u32,
    pub first_component: u32,
    pub components: u32,
    pub events: u32,
    /// It holds what stood behind the last whole message: read anew when the source grows.
    pub is_tail: bool,
    start: u64,
    len: u32,
    raw_len: u32,
}

impl EventWriter {
    /// # Errors
    /// When the file cannot be written.
    pub fn create(dir: &Path) -> Result<EventWriter> {
        let file = IndexFile::create(dir, MAGIC)?;
        Ok(EventWriter { open: Mutex::new(Open { file, chunks: Vec::new() }), packers: Packers::default() })
    }

    /// Takes the part of the number `number`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&self, number: u32, key: PartKey, part: &Part) -> Result<()> {
        let mut events_of = vec![0; part.component_count as usize];
        part.components.iter().for_each(|&component| events_of[component as usize] += 1);
        let mut chunk_of = Vec::with_capacity(events_of.len());
        // First component, components and events of each chunk.
        let mut cuts: Vec<(u32, u32, u32)> = Vec::new();
        for (component, events) in (0..).zip(events_of) {
            match cuts.last_mut() {
                Some(last) if last.2 + events <= CHUNK_EVENTS => (last.1, last.2) = (last.1 + 1, last.2 + events),
                _ => cuts.push((component, 1, events)),
            }
            chunk_of.push(cuts.len() as u32 - 1);
        }
        if let [whole] = cuts[..] {
            return self.write(number, key, whole, part);
        }
        for (chunk, piece) in part.split(&chunk_of) {
            self.write(number, key, cuts[chunk as usize], &piece)?;
        }
        Ok(())
    }

    fn write(&self, number: u32, key: PartKey, cut: (u32, u32, u32), part: &Part) -> Result<()> {
        self.packers.with(|packer| {
            let (raw_len, packed) = packer.pack(part);
            let (first_component, components, events) = cut;
            let (source, is_tail) = (key.source, key.is_tail);
            let (len, raw_len) = (packed.len() as u32, raw_len as u32);
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            let start = open.file.append(packed)?;
            let chunk = Chunk { source, first_component, components, events, is_tail, start, len, raw_len };
            open.chunks.push((number, chunk));
            Ok(())
        })
    }

    /// Ends the file and calls it `name`. `sources` are the names of all sources, `dropped` of those whose tails in
    /// earlier commits count no longer.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self, name: &str, places: &Places, sources: &[String], dropped: &[String]) -> Result<LiveFile> {
        let Open { file, mut chunks } = self.open.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (number, chunk) in &mut chunks {
            chunk.first_component += places.number(*number, 0);
        }
        chunks.sort_by_key(|(_, chunk)| chunk.first_component);
        let mut footer = Vec::new();
        let mut out = Writer { bytes: &mut footer };
        for names in [sources, dropped] {
            out.count(names.len());
            names.iter().for_each(|name| out.text(name.as_bytes()));
        }
        out.count(chunks.len());
        for (_, chunk) in &chunks {
            [chunk.source, chunk.first_component, chunk.components, chunk.events, chunk.len, chunk.raw_len]
                .iter()
                .for_each(|number| out.u32(*number));
            out.u64(chunk.start);
            out.u32(u32::from(chunk.is_tail));
        }
        file.finish(&footer, name, chunks.iter().map(|(_, chunk)| u64::from(chunk.events)).sum())
    }
}

/// A file of events, opened.
pub(super) struct EventFile {
    path: PathBuf,
    map: MappedIndex,
    pub sources: Vec<String>,
    /// Names of sources whose tails in earlier commits count no longer.
    pub dropped: Vec<String>,
    /// By their components.
    pub chunks: Vec<Chunk>,
}

impl EventFile {
    /// # Errors
    /// When it cannot be opened, or is damaged.
    pub fn open(path: &Path) -> Result<EventFile> {
        let map = MappedIndex::open(path, MAGIC, WHAT)?;
        Self::read(path, map).ok_or_else(|| damaged(path, WHAT))
    }

    fn read(path: &Path, map: MappedIndex) -> Option<EventFile> {
        let body = map.body().len();
        let mut footer = Reader { bytes: map.footer() };
        let names = |footer: &mut Reader<'_>| {
            let count = footer.count()?;
            footer.many(count, |footer| Some(String::from_utf8_lossy(footer.text()?).into_owned()))
        };
        let (sources, dropped) = (names(&mut footer)?, names(&mut footer)?);
        let count = footer.count()?;
        let chunks: Vec<Chunk> = footer.many(count, |footer| {
            Some(Chunk {
                source: footer.u32()?,
                first_component: footer.u32()?,
                components: footer.u32()?,
                events: footer.u32()?,
                len: footer.u32()?,
                raw_len: footer.u32()?,
                start: footer.u64()?,
                is_tail: footer.u32()? != 0,
            })
        })?;
        let mut next = 0;
        for chunk in &chunks {
            let end = chunk.start.checked_add(u64::from(chunk.len))?;
            if chunk.first_component != next || end > body as u64 || chunk.source as usize >= sources.len() {
                return None;
            }
            next = next.checked_add(chunk.components)?;
        }
        let is_whole = footer.bytes.is_empty();
        is_whole.then(|| EventFile { path: path.to_path_buf(), map, sources, dropped, chunks })
    }

    pub fn components(&self) -> u32 {
        self.chunks.last().map_or(0, |chunk| chunk.first_component + chunk.components)
    }

    /// The chunk of a component; none when there is no such component.
    pub fn chunk_of(&self, component: u32) -> Option<usize> {
        let chunk = self.chunks.partition_point(|chunk| chunk.first_component <= component).checked_sub(1)?;
        let last = &self.chunks[chunk];
        (component - last.first_component < last.components).then_some(chunk)
    }

    /// Reads a chunk.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn load(&self, chunk: usize, packer: &mut Packer) -> Result<Part> {
        let Chunk { start, len, raw_len, components, events, .. } = self.chunks[chunk];
        let packed = &self.map.body()[start as usize..][..len as usize];
        let part = packer.unpack(packed, raw_len as usize);
        let is_whole = |part: &Part| part.component_count == components && part.events.len() == events as usize;
        part.filter(is_whole).ok_or_else(|| self.damaged())
    }

    pub fn damaged(&self) -> Error {
        damaged(&self.path, WHAT)
    }
}
