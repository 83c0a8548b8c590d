//! What a finished batch leaves: compact, with its keys in the order of partitions, so that a partition of all parts
//! can be worked off, or spilled and read back, on its own.

use super::names::Names;
use crate::event::Kind;
use crate::event::key::{Expect, Facts, KeyKind, TextRef};
use std::ops::Range;

/// No event, no entry.
pub(super) const NONE: u32 = u32::MAX;
/// In place of a time that is not known: sorts last.
pub(super) const UNTIMED: i64 = i64::MAX;
/// Keys are split by the top bits of their hash.
pub(super) const PARTITIONS: usize = 256;

pub(super) fn partition(hash: [u64; 2]) -> usize {
    (hash[0] >> 56) as usize
}

/// One event; see [`Facts`].
#[derive(Clone, Copy)]
pub(super) struct Event {
    pub time: i64,
    pub offset: u64,
    pub line: u64,
    pub order_qty: i64,
    pub last_qty: i64,
    pub cum_qty: i64,
    pub exec: u64,
    pub copy: u64,
    pub row: u32,
    pub source: u32,
    pub sub: u32,
    pub day: i32,
    pub orderer: u32,
    pub receiver: u32,
    pub symbol: u32,
    /// Where its uses and references start.
    pub uses: u32,
    pub refs: u32,
    pub kind: Kind,
    pub status: u8,
    pub side: u8,
    pub repeat: bool,
    pub assigns_cl_ord_id: bool,
    /// It has a [`Correction`].
    pub corrects: bool,
}

impl Event {
    pub fn new(facts: &Facts, time: i64, uses: u32, refs: u32) -> Event {
        Event {
            time,
            offset: facts.offset,
            line: facts.line,
            order_qty: facts.order_qty,
            last_qty: facts.last_qty,
            cum_qty: facts.cum_qty,
            exec: facts.exec,
            copy: facts.copy,
            row: facts.row,
            source: facts.source,
            sub: facts.sub,
            day: facts.day,
            orderer: facts.orderer,
            receiver: facts.receiver,
            symbol: facts.symbol,
            uses,
            refs,
            kind: facts.kind,
            status: facts.status,
            side: facts.side,
            repeat: facts.repeat,
            assigns_cl_ord_id: false,
            corrects: false,
        }
    }
}

/// A distinct key of a batch on a day.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub hash: [u64; 2],
    pub scope: u32,
    pub day: i32,
    /// The earliest event that assigns the key; when none does, the earliest that uses it.
    pub head: u32,
    /// Node, then component of its uses.
    pub node: u32,
    pub text: TextRef,
    pub kind: KeyKind,
    pub is_assigned: bool,
}

/// An event's use of an entry: the entry's number and, in the low two bits, the role.
#[derive(Clone, Copy)]
pub(super) struct Use {
    pub entry: u32,
    pub role: u32,
}

impl Use {
    pub const ASSIGNS: u32 = 0;
    pub const MENTIONS: u32 = 1;
    pub const PREDECESSOR: u32 = 2;

    pub fn unpack(packed: u32) -> Use {
        Use { entry: packed >> 2, role: packed & 3 }
    }
}

/// A reference to a parent.
#[derive(Clone, Copy)]
pub(super) struct ParentRef {
    pub hash: [u64; 2],
    pub event: u32,
    pub slot: u16,
    pub rank: u8,
    pub expect: Expect,
    pub kind: KeyKind,
    pub text: TextRef,
}

/// A bust or correction with the execution that it names.
#[derive(Clone, Copy)]
pub(super) struct Correction {
    pub event: u32,
    pub exec_ref: u64,
    pub text: TextRef,
}

/// A finished batch. Events have their component instead of a node.
#[derive(Clone, Default)]
pub(super) struct Part {
    pub names: Names,
    pub events: Vec<Event>,
    pub components: Vec<u32>,
    pub component_count: u32,
    pub uses: Vec<u32>,
    /// In the order of partitions.
    pub entries: Vec<Entry>,
    pub entry_starts: Vec<u32>,
    /// In the order of events; `ref_order` has their numbers in the order of partitions.
    pub refs: Vec<ParentRef>,
    pub ref_starts: Vec<u32>,
    pub ref_order: Vec<u32>,
    /// In the order of events.
    pub corrections: Vec<Correction>,
    pub texts: Vec<u8>,
}

impl Part {
    /// Bytes of memory.
    pub fn size(&self) -> usize {
        self.events.len() * (size_of::<Event>() + 4)
            + self.uses.len() * 4
            + self.entries.len() * size_of::<Entry>()
            + self.refs.len() * (size_of::<ParentRef>() + 4)
            + self.corrections.len() * size_of::<Correction>()
            + self.texts.len()
    }

    pub fn uses(&self, event: u32) -> impl DoubleEndedIterator<Item = Use> + Clone + '_ {
        let uses = self.use_range(event);
        self.uses[uses.start as usize..uses.end as usize].iter().map(|&u| Use::unpack(u))
    }

    /// Where the uses of an event are.
    pub fn use_range(&self, event: u32) -> Range<u32> {
        let end = self.events.get(event as usize + 1).map_or(self.uses.len() as u32, |e| e.uses);
        self.events[event as usize].uses..end
    }

    /// The references of an event: their numbers.
    pub fn refs(&self, event: u32) -> Range<u32> {
        let end = self.events.get(event as usize + 1).map_or(self.refs.len() as u32, |e| e.refs);
        self.events[event as usize].refs..end
    }

    pub fn correction(&self, event: u32) -> Option<&Correction> {
        if !self.events[event as usize].corrects {
            return None;
        }
        let at = self.corrections.binary_search_by_key(&event, |c| c.event).ok()?;
        Some(&self.corrections[at])
    }

    pub fn text(&self, text: TextRef) -> &[u8] {
        &self.texts[text.start as usize..(text.start + text.len) as usize]
    }
}

/// Where each partition starts when the hashes are sorted by partition, and their number.
pub(super) fn starts_of(hashes: impl Iterator<Item = [u64; 2]>) -> Vec<u32> {
    let mut starts = vec![0u32; PARTITIONS + 1];
    hashes.for_each(|hash| starts[partition(hash) + 1] += 1);
    for p in 0..PARTITIONS {
        starts[p + 1] += starts[p];
    }
    starts
}

/// Counting sort by partition: (where each partition starts, the numbers in order).
pub(super) fn by_partition(hashes: impl Iterator<Item = [u64; 2]> + Clone) -> (Vec<u32>, Vec<u32>) {
    let starts = starts_of(hashes.clone());
    let mut next = starts.clone();
    let mut order = vec![0; starts[PARTITIONS] as usize];
    for (number, hash) in hashes.enumerate() {
        let place = &mut next[partition(hash)];
        order[*place as usize] = number as u32;
        *place += 1;
    }
    (starts, order)
}
