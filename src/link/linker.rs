//! The linker's outer face: batches in, everything linked out; in one piece while memory lasts, else in buckets.

use super::batch::Batch;
use super::islands::Meetings;
use super::linked::Linked;
use super::part::Part;
use super::stored::{Packed, Packer, Packers};
use super::union::UnionFind;
use crate::table::Spool;
use crate::{Result, memory};
use rayon::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Takes batches, then links them.
pub struct Linker {
    /// Bytes of parts that may stay in memory; also what is linked at a time when they don't.
    most_bytes: usize,
    spool: Arc<Spool>,
    waiting: Mutex<Waiting>,
    meetings: Meetings,
    packers: Packers,
}

#[derive(Default)]
struct Waiting {
    parts: Vec<(u32, Part)>,
    bytes: usize,
    stored: Vec<Stored>,
}

/// A part on disk.
struct Stored {
    unit: u32,
    packed: Packed,
    bytes: usize,
    /// Events of each of its components.
    components: Vec<u32>,
}

/// What there is to link.
pub enum Linkage {
    Whole(Box<Linked>),
    Buckets(Buckets),
}

/// Parts sorted into buckets on disk; each is linked on its own.
pub struct Buckets {
    spool: Arc<Spool>,
    /// By unit, ascending.
    pieces: Vec<Vec<(u32, Packed)>>,
    packers: Packers,
    event_prefixes: Vec<[u8; 12]>,
}

impl Linker {
    /// A linker that keeps up to `most_bytes` in memory before it moves what it has to `spool`.
    pub fn new(most_bytes: usize, spool: Arc<Spool>) -> Linker {
        let meetings = Meetings::new(spool.clone());
        Linker { most_bytes, spool, waiting: Mutex::default(), meetings, packers: Packers::default() }
    }

    /// Takes the batch of unit `unit`; any order, from any thread. The work is done in the caller's thread.
    ///
    /// # Errors
    /// When the spool cannot be written.
    pub fn add(&self, unit: u32, batch: Batch) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        let part = batch.into_part();
        let parts = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.bytes += part.size();
            waiting.parts.push((unit, part));
            if waiting.bytes <= self.most_bytes {
                return Ok(());
            }
            waiting.bytes = 0;
            std::mem::take(&mut waiting.parts)
        };
        parts.into_iter().try_for_each(|(unit, part)| self.store(unit, part))
    }

    fn store(&self, unit: u32, part: Part) -> Result<()> {
        self.meetings.add(unit, &part)?;
        let packed = self.packers.with(|packer| packer.store(&self.spool, &part))?;
        let mut components = vec![0; part.component_count as usize];
        part.components.iter().for_each(|component| components[*component as usize] += 1);
        let stored = Stored { unit, packed, bytes: part.size(), components };
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).stored.push(stored);
        Ok(())
    }

    /// Links everything, or sorts it into buckets. `event_prefixes` has, for each source number, the first 12 hex digits
    /// of its name's hash.
    ///
    /// # Errors
    /// When the spool cannot be written or read.
    pub fn finish(self, event_prefixes: Vec<[u8; 12]>) -> Result<Linkage> {
        let mut parts = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut waiting.parts)
        };
        parts.sort_by_key(|part| part.0);
        let nothing_stored = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).stored.is_empty();
        if nothing_stored {
            return Ok(Linkage::Whole(Box::new(Linked::of(parts, event_prefixes))));
        }
        parts.into_iter().try_for_each(|(unit, part)| self.store(unit, part))?;
        let mut stored = self.waiting.into_inner().unwrap_or_else(PoisonError::into_inner).stored;
        stored.sort_by_key(|part| part.unit);
        memory::trim();
        let places = Places::of(&stored);
        let sets = UnionFind::new(places.components());
        self.meetings.unite(&sets, |unit, component| places.number(unit, component))?;
        let buckets = fill_buckets(&stored, sets, self.most_bytes);
        let count = buckets.iter().max().map_or(0, |last| *last as usize + 1);
        let pieces: Vec<Mutex<Vec<(u32, Packed)>>> = (0..count).map(|_| Mutex::default()).collect();
        let spool = &self.spool;
        stored.par_iter().try_for_each(|part| {
            let start = places.number(part.unit, 0) as usize;
            let of_component = &buckets[start..start + part.components.len()];
            self.packers.with(|packer| {
                split(spool, packer, part, of_component, |bucket, piece| {
                    let mut pieces = pieces[bucket as usize].lock().unwrap_or_else(PoisonError::into_inner);
                    pieces.push((part.unit, piece));
                })
            })
        })?;
        let pieces = pieces.into_iter().map(|pieces| {
            let mut pieces = pieces.into_inner().unwrap_or_else(PoisonError::into_inner);
            pieces.sort_by_key(|piece| piece.0);
            pieces
        });
        let pieces = pieces.collect();
        Ok(Linkage::Buckets(Buckets { pieces, packers: Packers::default(), spool: self.spool, event_prefixes }))
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
    let part = packer.load(spool, part.packed)?;
    for (bucket, piece) in part.split(of_component) {
        put(bucket, packer.store(spool, &piece)?);
    }
    Ok(())
}

/// Numbers for the components of all parts: those of a unit follow each other, units ascending.
struct Places {
    units: Vec<u32>,
    starts: Vec<u32>,
}

impl Places {
    fn of(stored: &[Stored]) -> Places {
        let mut starts = vec![0u32];
        for part in stored {
            let next = starts[starts.len() - 1].checked_add(part.components.len() as u32);
            starts.push(next.expect("fewer than 2^32 components"));
        }
        Places { units: stored.iter().map(|part| part.unit).collect(), starts }
    }

    fn components(&self) -> usize {
        self.starts[self.units.len()] as usize
    }

    fn number(&self, unit: u32, component: u32) -> u32 {
        self.starts[self.units.partition_point(|u| *u < unit)] + component
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
        let parts: Result<Vec<(u32, Part)>> =
            self.pieces[bucket].par_iter().map(|&(unit, piece)| Ok((unit, load(piece)?))).collect();
        Ok(Linked::of(parts?, self.event_prefixes.clone()))
    }
}
