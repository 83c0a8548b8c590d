//! The linker's outer face: batches in, everything linked out; in one piece while memory lasts, else in buckets.

use super::batch::Batch;
use super::event_file::EventWriter;
use super::islands::Meetings;
use super::key_file;
use super::linked::Linked;
use super::part::Part;
use super::stored::{Packed, Packer, Packers};
use super::union::UnionFind;
use crate::event::source_prefix;
use crate::table::Spool;
use crate::table::trail::LiveFile;
use crate::{Result, memory};
use rayon::prelude::*;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Takes batches, then links them.
pub struct Linker {
    /// Bytes of parts that may stay in memory; also what is linked at a time when they don't.
    most_bytes: usize,
    spool: Arc<Spool>,
    waiting: Mutex<Waiting>,
    meetings: Meetings,
    packers: Packers,
    /// Writes what later runs need, where there will be some.
    writer: Option<EventWriter>,
    /// Meetings are noted on arrival, and not only when parts move to disk.
    notes_all: bool,
}

/// Which events a part has: those of a source in a unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartKey {
    pub source: u32,
    pub unit: u32,
    /// What stood behind the last whole message of the source.
    pub is_tail: bool,
    /// The events came with an earlier commit; the unit only tells their order.
    pub is_known: bool,
}

#[derive(Default)]
struct Waiting {
    /// Key and number of components of each part, by the number that it got on arrival.
    arrived: Vec<(PartKey, u32)>,
    parts: Vec<(u32, Part)>,
    bytes: usize,
    stored: Vec<Stored>,
}

/// A part on disk.
struct Stored {
    number: u32,
    packed: Packed,
    bytes: usize,
    /// Events of each of its components.
    components: Vec<u32>,
}

/// The sources of all events: how their ids begin, and their order.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub(super) prefixes: Vec<[u8; 12]>,
    pub(super) ranks: Vec<u32>,
}

impl Sources {
    /// The sources of these names, numbered from 0; they rank by their names.
    pub fn new(names: &[String]) -> Sources {
        let mut sorted: Vec<usize> = (0..names.len()).collect();
        sorted.sort_by_key(|&number| &names[number]);
        let mut ranks = vec![0; names.len()];
        sorted.iter().zip(0..).for_each(|(&number, rank)| ranks[number] = rank);
        let prefix = |name: &String| {
            let mut prefix = [b'0'; 12];
            prefix.iter_mut().zip(source_prefix(name).bytes()).for_each(|(to, from)| *to = from);
            prefix
        };
        Sources { prefixes: names.iter().map(prefix).collect(), ranks }
    }

    /// By this, parts are in the order of their events: by source, then by offset.
    fn place(&self, key: &PartKey) -> (u32, bool, u32) {
        (self.ranks.get(key.source as usize).copied().unwrap_or(u32::MAX), !key.is_known, key.unit)
    }
}

/// What there is to link.
pub enum Linkage {
    Whole(Box<Linked>),
    Buckets(Buckets),
}

/// Parts sorted into buckets on disk; each is linked on its own.
pub struct Buckets {
    spool: Arc<Spool>,
    /// In the order of their events.
    pieces: Vec<Vec<(PartKey, Packed)>>,
    packers: Packers,
    sources: Sources,
}

impl Linker {
    /// A linker that keeps up to `most_bytes` in memory before it moves what it has to `spool`.
    pub fn new(most_bytes: usize, spool: Arc<Spool>) -> Linker {
        let meetings = Meetings::new(spool.clone());
        let (waiting, packers) = (Mutex::default(), Packers::default());
        Linker { most_bytes, spool, waiting, meetings, packers, writer: None, notes_all: false }
    }

    /// The same, and what later runs need of the events is written to files in `dir`, which exists; [`Linker::keep`]
    /// ends them.
    ///
    /// # Errors
    /// When they cannot be created.
    pub fn keeping(most_bytes: usize, spool: Arc<Spool>, dir: &Path) -> Result<Linker> {
        let writer = Some(EventWriter::create(dir)?);
        Ok(Linker { writer, notes_all: true, ..Linker::new(most_bytes, spool) })
    }

    /// Takes a batch; any order, from any thread. The work is done in the caller's thread.
    ///
    /// # Errors
    /// When the spool, or what is kept, cannot be written.
    pub fn add(&self, key: PartKey, batch: Batch) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        let part = batch.into_part();
        let number = self.arrive(key, &part);
        if let Some(writer) = &self.writer {
            writer.add(number, key, &part)?;
        }
        self.take(number, part)
    }

    /// Takes a part of earlier events, of which nothing is kept again.
    pub(super) fn add_known(&self, key: PartKey, part: Part) -> Result<()> {
        let number = self.arrive(key, &part);
        self.take(number, part)
    }

    fn arrive(&self, key: PartKey, part: &Part) -> u32 {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.arrived.push((key, part.component_count));
        waiting.arrived.len() as u32 - 1
    }

    fn take(&self, number: u32, part: Part) -> Result<()> {
        if self.notes_all {
            self.meetings.add(number, &part)?;
        }
        let parts = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.bytes += part.size();
            waiting.parts.push((number, part));
            if waiting.bytes <= self.most_bytes {
                return Ok(());
            }
            waiting.bytes = 0;
            std::mem::take(&mut waiting.parts)
        };
        parts.into_iter().try_for_each(|(number, part)| self.store(number, part))
    }

    fn store(&self, number: u32, part: Part) -> Result<()> {
        if !self.notes_all {
            self.meetings.add(number, &part)?;
        }
        let packed = self.packers.with(|packer| packer.store(&self.spool, &part))?;
        let mut components = vec![0; part.component_count as usize];
        part.components.iter().for_each(|component| components[*component as usize] += 1);
        let stored = Stored { number, packed, bytes: part.size(), components };
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).stored.push(stored);
        Ok(())
    }

    /// Ends the files for later runs, which are called `events_name` and `keys_name`. `names` are those of the sources,
    /// `dropped` of those whose tails in earlier commits count no longer.
    ///
    /// # Errors
    /// When they cannot be written.
    ///
    /// # Panics
    /// When the linker was not made by [`Linker::keeping`].
    pub fn keep(
        &mut self,
        dir: &Path,
        file_names: [&str; 2],
        names: &[String],
        dropped: &[String],
    ) -> Result<Vec<LiveFile>> {
        let writer = self.writer.take().expect("a linker that keeps");
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let places = Places::of(&waiting.arrived, &Sources::new(names));
        drop(waiting);
        let events = writer.finish(file_names[0], &places, names, dropped)?;
        let node_of = |part, component| places.number(part, component);
        Ok(vec![events, key_file::write(&self.meetings, node_of, dir, file_names[1])?])
    }

    pub(super) fn meetings(&self) -> &Meetings {
        &self.meetings
    }

    /// Links everything, or sorts it into buckets.
    ///
    /// # Errors
    /// When the spool cannot be written or read.
    pub fn finish(self, sources: Sources) -> Result<Linkage> {
        let (mut parts, arrived, nothing_stored) = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            (std::mem::take(&mut waiting.parts), std::mem::take(&mut waiting.arrived), waiting.stored.is_empty())
        };
        let key = |number: u32| arrived[number as usize].0;
        if nothing_stored {
            parts.sort_by_key(|(number, _)| sources.place(&key(*number)));
            let parts = parts.into_iter().map(|(number, part)| (key(number), part)).collect();
            return Ok(Linkage::Whole(Box::new(Linked::of(parts, sources.prefixes))));
        }
        parts.into_iter().try_for_each(|(number, part)| self.store(number, part))?;
        let mut stored = self.waiting.into_inner().unwrap_or_else(PoisonError::into_inner).stored;
        stored.sort_by_key(|part| sources.place(&key(part.number)));
        memory::trim();
        let places = Places::of(&arrived, &sources);
        let sets = UnionFind::new(places.components());
        self.meetings.unite(&sets, |part, component| places.number(part, component))?;
        let buckets = fill_buckets(&stored, sets, self.most_bytes);
        let count = buckets.iter().max().map_or(0, |last| *last as usize + 1);
        let pieces: Vec<Mutex<Vec<(PartKey, Packed)>>> = (0..count).map(|_| Mutex::default()).collect();
        let spool = &self.spool;
        stored.par_iter().try_for_each(|part| {
            let start = places.number(part.number, 0) as usize;
            let of_component = &buckets[start..start + part.components.len()];
            self.packers.with(|packer| {
                split(spool, packer, part, of_component, |bucket, piece| {
                    let mut pieces = pieces[bucket as usize].lock().unwrap_or_else(PoisonError::into_inner);
                    pieces.push((key(part.number), piece));
                })
            })
        })?;
        let pieces = pieces.into_iter().map(|pieces| {
            let mut pieces = pieces.into_inner().unwrap_or_else(PoisonError::into_inner);
            pieces.sort_by_key(|piece| sources.place(&piece.0));
            pieces
        });
        let pieces = pieces.collect();
        Ok(Linkage::Buckets(Buckets { pieces, packers: Packers::default(), spool: self.spool, sources }))
    }
}

/// Moves the pieces of a part into their buckets.
fn split(
    spool: &Spool,
    packer: &mut Packer,
    part: &Stored,
    of_component: &[u32],
    mut put: impl FnMut(u32, Packed),
) -> Result<()> {
    if let Some((&first, rest)) = of_component.split_first()
        && rest.iter().all(|bucket| *bucket == first)
    {
        put(first, part.packed);
        return Ok(());
    }
    let part = packer.load(spool, part.packed)?;
    for (bucket, piece) in part.split(of_component) {
        put(bucket, packer.store(spool, &piece)?);
    }
    Ok(())
}

/// Numbers for the components of all parts: those of a part follow each other, parts in the order of their events.
pub(super) struct Places {
    /// By the parts' numbers.
    starts: Vec<u32>,
    count: u32,
}

impl Places {
    fn of(arrived: &[(PartKey, u32)], sources: &Sources) -> Places {
        let mut order: Vec<usize> = (0..arrived.len()).collect();
        order.sort_by_key(|&number| sources.place(&arrived[number].0));
        let (mut starts, mut count) = (vec![0; arrived.len()], 0u32);
        for number in order {
            starts[number] = count;
            count = count.checked_add(arrived[number].1).expect("fewer than 2^32 components");
        }
        Places { starts, count }
    }

    fn components(&self) -> usize {
        self.count as usize
    }

    pub fn number(&self, part: u32, component: u32) -> u32 {
        self.starts[part as usize] + component
    }
}

/// The bucket of each component of each part. Buckets are filled one after the other in the order of the islands' first
/// parts, so that what happened together is linked together; an island is never cut.
fn fill_buckets(stored: &[Stored], sets: UnionFind, most_bytes: usize) -> Vec<u32> {
    let (set_of, count) = sets.into_sets();
    let mut bytes = vec![0u64; count as usize];
    let mut sets = set_of.iter();
    for part in stored {
        let events: u64 = part.components.iter().map(|events| u64::from(*events)).sum();
        let each = part.bytes as u64 / events.max(1);
        for (events, set) in part.components.iter().zip(sets.by_ref()) {
            bytes[*set as usize] += u64::from(*events) * each;
        }
    }
    let (mut bucket, mut filled) = (0, 0);
    let bucket_of: Vec<u32> = bytes
        .iter()
        .map(|bytes| {
            if filled > 0 && filled + bytes > most_bytes as u64 {
                (bucket, filled) = (bucket + 1, 0);
            }
            filled += bytes;
            bucket
        })
        .collect();
    set_of.into_iter().map(|set| bucket_of[set as usize]).collect()
}

impl Linkage {
    /// Calls `take` with everything linked, piece by piece.
    ///
    /// # Errors
    /// When a bucket cannot be read back; or what `take` says.
    pub fn each(&self, mut take: impl FnMut(&Linked) -> Result<()>) -> Result<()> {
        match self {
            Linkage::Whole(linked) => take(linked),
            Linkage::Buckets(buckets) => (0..buckets.len()).try_for_each(|bucket| take(&buckets.link(bucket)?)),
        }
    }
}

impl Buckets {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Links a bucket.
    ///
    /// # Errors
    /// When it cannot be read back.
    pub fn link(&self, bucket: usize) -> Result<Linked> {
        memory::trim();
        let load = |piece| self.packers.with(|packer| packer.load(&self.spool, piece));
        let parts: Result<Vec<(PartKey, Part)>> =
            self.pieces[bucket].par_iter().map(|&(key, piece)| Ok((key, load(piece)?))).collect();
        Ok(Linked::of(parts?, self.sources.prefixes.clone()))
    }
}
