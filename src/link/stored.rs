//! Parts as bytes: how they wait on disk while others are read.

use super::part::{Correction, Entry, Event, ParentRef, Part, by_partition, starts_of};
use super::replay::is_sound;
use crate::Result;
use crate::codec::varint::{put_signed, put_unsigned, take_signed, take_unsigned, unzigzag, zigzag};
use crate::event::Kind;
use crate::event::key::{Expect, KeyKind, TextRef, key_hash};
use crate::table::{Segment, Spool};
use std::sync::{Mutex, PoisonError};
use zstd::bulk::{Compressor, Decompressor};

/// One of Zstandard's levels for speed alone: the bytes are read back once and soon.
const LEVEL: i32 = 1;

const EXPECTS: [Expect; 3] = [Expect::Parent, Expect::Perhaps, Expect::SameSymbolAndSide];
const KEY_KINDS: [KeyKind; 5] =
    [KeyKind::ClOrdId, KeyKind::OrderId, KeyKind::ExecId, KeyKind::ClOrdLinkId, KeyKind::Copy];

impl Part {
    /// Appends the part to `raw`, column by column: most values differ little from the one before.
    fn write(&self, raw: &mut Vec<u8>) {
        let mut out = Writer { bytes: raw };
        out.count(self.names.len());
        self.names.iter().for_each(|name| out.text(name));
        out.u32(self.component_count);
        let counts =
            [&self.events.len(), &self.uses.len(), &self.entries.len(), &self.refs.len(), &self.corrections.len()];
        counts.iter().for_each(|count| out.count(**count));
        let events = || self.events.iter();
        out.steps(events().map(|e| e.time));
        out.steps(events().map(|e| e.offset as i64));
        out.steps(events().map(|e| e.line as i64));
        out.quantities(events().map(|e| e.order_qty));
        out.quantities(events().map(|e| e.last_qty));
        out.quantities(events().map(|e| e.cum_qty));
        out.hashes(events().map(|e| e.exec));
        out.hashes(events().map(|e| e.copy));
        out.steps(events().map(|e| i64::from(e.row)));
        out.steps(events().map(|e| i64::from(e.source)));
        out.steps(events().map(|e| i64::from(e.sub)));
        out.steps(events().map(|e| i64::from(e.day)));
        out.numbers(events().map(|e| e.orderer));
        out.numbers(events().map(|e| e.receiver));
        out.numbers(events().map(|e| e.symbol));
        out.steps(events().map(|e| i64::from(e.uses)));
        out.steps(events().map(|e| i64::from(e.refs)));
        out.bytes.extend(events().map(|e| e.kind as u8));
        out.bytes.extend(events().map(|e| e.status));
        out.bytes.extend(events().map(|e| e.side));
        out.bytes.extend(
            events().map(|e| u8::from(e.repeat) | u8::from(e.assigns_cl_ord_id) << 1 | u8::from(e.corrects) << 2),
        );
        out.steps(self.components.iter().map(|c| i64::from(*c)));
        out.steps(self.uses.iter().map(|u| i64::from(*u)));
        let entries = || self.entries.iter();
        out.bytes.extend(entries().map(|e| {
            let is_made = self.made_hash(e.kind, self.events[e.head as usize].receiver, e.text) == e.hash;
            e.kind as u8 | u8::from(e.is_assigned) << 4 | u8::from(is_made) << 5
        }));
        out.numbers(entries().map(|e| e.scope));
        out.steps(entries().map(|e| i64::from(e.day)));
        out.numbers(entries().map(|e| e.head));
        out.numbers(entries().map(|e| e.node));
        out.text_refs(entries().map(|e| e.text));
        for entry in entries() {
            if self.made_hash(entry.kind, self.events[entry.head as usize].receiver, entry.text) != entry.hash {
                entry.hash.iter().for_each(|half| out.u64(*half));
            }
        }
        let refs = || self.refs.iter();
        out.bytes.extend(refs().map(|r| {
            let is_made = self.made_hash(r.kind, self.events[r.event as usize].orderer, r.text) == r.hash;
            r.kind as u8 | (r.expect as u8) << 4 | u8::from(is_made) << 6
        }));
        out.bytes.extend(refs().map(|r| r.rank));
        out.steps(refs().map(|r| i64::from(r.event)));
        out.numbers(refs().map(|r| u32::from(r.slot)));
        out.text_refs(refs().map(|r| r.text));
        for reference in refs() {
            let party = self.events[reference.event as usize].orderer;
            if self.made_hash(reference.kind, party, reference.text) != reference.hash {
                reference.hash.iter().for_each(|half| out.u64(*half));
            }
        }
        for Correction { event, exec_ref, text } in &self.corrections {
            out.u32(*event);
            out.u64(*exec_ref);
            out.text_refs([*text].into_iter());
        }
        out.text(&self.texts);
    }

    /// The hash of a key of this kind, party and text, as most keys have it.
    fn made_hash(&self, kind: KeyKind, party: u32, text: TextRef) -> [u64; 2] {
        let hash = key_hash(kind, self.names.hash(party), self.text(text));
        [(hash >> 64) as u64, hash as u64]
    }

    /// The hash that was kept, or else the one made of the rest; `None` when there is no such party.
    fn hash_or_made(&self, kept: Option<[u64; 2]>, kind: KeyKind, party: u32, text: TextRef) -> Option<[u64; 2]> {
        let is_named = (party as usize) < self.names.len();
        kept.or_else(|| is_named.then(|| self.made_hash(kind, party, text)))
    }

    /// The part as bytes.
    #[cfg(test)]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        bytes
    }

    /// The part that the bytes are of, if it is sound.
    #[cfg(test)]
    pub fn from_bytes(bytes: &[u8]) -> Option<Part> {
        Part::read(bytes).filter(is_sound)
    }

    /// The part that [`Part::write`] made bytes of; `None` when the bytes are damaged.
    fn read(bytes: &[u8]) -> Option<Part> {
        let mut bytes = Reader { bytes };
        let mut part = Part::default();
        for _ in 0..bytes.count()? {
            part.names.number(bytes.text()?);
        }
        part.names.rest();
        part.component_count = bytes.u32()?;
        let mut counts = [0; 5];
        for count in &mut counts {
            *count = bytes.count()?;
        }
        let [events, uses, entries, refs, corrections] = counts;
        // An event takes more bytes than one: a damaged count must not ask for memory that the bytes cannot fill.
        if counts.iter().any(|count| *count > bytes.bytes.len()) {
            return None;
        }
        let mut all = vec![NO_EVENT; events];
        fn set(events: &mut [Event], values: Vec<i64>, to: impl Fn(&mut Event, i64)) {
            events.iter_mut().zip(values).for_each(|(event, value)| to(event, value));
        }
        set(&mut all, bytes.steps(events)?, |e, v| e.time = v);
        set(&mut all, bytes.steps(events)?, |e, v| e.offset = v as u64);
        set(&mut all, bytes.steps(events)?, |e, v| e.line = v as u64);
        set(&mut all, bytes.quantities(events)?, |e, v| e.order_qty = v);
        set(&mut all, bytes.quantities(events)?, |e, v| e.last_qty = v);
        set(&mut all, bytes.quantities(events)?, |e, v| e.cum_qty = v);
        set(&mut all, bytes.hashes(events)?, |e, v| e.exec = v as u64);
        set(&mut all, bytes.hashes(events)?, |e, v| e.copy = v as u64);
        set(&mut all, bytes.steps(events)?, |e, v| e.row = v as u32);
        set(&mut all, bytes.steps(events)?, |e, v| e.source = v as u32);
        set(&mut all, bytes.steps(events)?, |e, v| e.sub = v as u32);
        set(&mut all, bytes.steps(events)?, |e, v| e.day = v as i32);
        set(&mut all, bytes.numbers(events)?, |e, v| e.orderer = v as u32);
        set(&mut all, bytes.numbers(events)?, |e, v| e.receiver = v as u32);
        set(&mut all, bytes.numbers(events)?, |e, v| e.symbol = v as u32);
        set(&mut all, bytes.steps(events)?, |e, v| e.uses = v as u32);
        set(&mut all, bytes.steps(events)?, |e, v| e.refs = v as u32);
        let [kinds, statuses, sides, flags] =
            [bytes.few(events)?, bytes.few(events)?, bytes.few(events)?, bytes.few(events)?];
        for (n, event) in all.iter_mut().enumerate() {
            event.kind = *Kind::ALL.get(usize::from(kinds[n]))?;
            (event.status, event.side) = (statuses[n], sides[n]);
            (event.repeat, event.assigns_cl_ord_id) = (flags[n] & 1 != 0, flags[n] & 2 != 0);
            event.corrects = flags[n] & 4 != 0;
        }
        part.events = all;
        part.components = bytes.steps(events)?.into_iter().map(|v| v as u32).collect();
        part.uses = bytes.steps(uses)?.into_iter().map(|v| v as u32).collect();
        let tags = bytes.few(entries)?;
        let scopes = bytes.numbers(entries)?;
        let days = bytes.steps(entries)?;
        let heads = bytes.numbers(entries)?;
        let nodes = bytes.numbers(entries)?;
        let texts = bytes.text_refs(entries)?;
        let entry_tail = bytes.hashes_of(tags.iter().map(|tag| tag & 32 == 0))?;
        let (ref_tags, ranks) = (bytes.few(refs)?, bytes.few(refs)?);
        let (ref_events, slots) = (bytes.steps(refs)?, bytes.numbers(refs)?);
        let ref_texts = bytes.text_refs(refs)?;
        let ref_tail = bytes.hashes_of(ref_tags.iter().map(|tag| tag & 64 == 0))?;
        part.corrections = bytes.many(corrections, |bytes| {
            let (event, exec_ref) = (bytes.u32()?, bytes.u64()?);
            Some(Correction { event, exec_ref, text: *bytes.text_refs(1)?.first()? })
        })?;
        part.texts = bytes.text()?.to_vec();
        let within =
            |text: &TextRef| text.start.checked_add(text.len).is_some_and(|end| end as usize <= part.texts.len());
        if !bytes.bytes.is_empty() || !texts.iter().chain(&ref_texts).all(within) {
            return None;
        }
        for n in 0..entries {
            let kind = *KEY_KINDS.get(usize::from(tags[n] & 15).wrapping_sub(1))?;
            let head = heads[n] as u32;
            let party = part.events.get(head as usize)?.receiver;
            let hash = part.hash_or_made(entry_tail[n], kind, party, texts[n])?;
            let (scope, day, node, is_assigned) =
                (scopes[n] as u32, days[n] as i32, nodes[n] as u32, tags[n] & 16 != 0);
            part.entries.push(Entry { hash, scope, day, head, node, text: texts[n], kind, is_assigned });
        }
        for n in 0..refs {
            let kind = *KEY_KINDS.get(usize::from(ref_tags[n] & 15).wrapping_sub(1))?;
            let expect = *EXPECTS.get(usize::from(ref_tags[n] >> 4 & 3))?;
            let event = ref_events[n] as u32;
            let party = part.events.get(event as usize)?.orderer;
            let hash = part.hash_or_made(ref_tail[n], kind, party, ref_texts[n])?;
            let (slot, rank) = (u16::try_from(slots[n]).ok()?, ranks[n]);
            part.refs.push(ParentRef { hash, event, slot, rank, expect, kind, text: ref_texts[n] });
        }
        part.entry_starts = starts_of(part.entries.iter().map(|e| e.hash));
        (part.ref_starts, part.ref_order) = by_partition(part.refs.iter().map(|r| r.hash));
        Some(part)
    }
}

const NO_EVENT: Event = Event {
    time: 0,
    offset: 0,
    line: 0,
    order_qty: 0,
    last_qty: 0,
    cum_qty: 0,
    exec: 0,
    copy: 0,
    row: 0,
    source: 0,
    sub: 0,
    day: 0,
    orderer: 0,
    receiver: 0,
    symbol: 0,
    uses: 0,
    refs: 0,
    kind: Kind::Other,
    status: 0,
    side: 0,
    repeat: false,
    assigns_cl_ord_id: false,
    corrects: false,
};

/// A part on disk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    segment: Segment,
    raw_len: usize,
}

/// Moves parts to disk and back. Its buffers are as large as a part and used again.
pub(super) struct Packer {
    raw: Vec<u8>,
    packed: Vec<u8>,
    compressor: Compressor<'static>,
    decompressor: Decompressor<'static>,
}

impl Packer {
    fn new() -> Packer {
        let compressor = Compressor::new(LEVEL).expect("the level is one of the library's");
        let decompressor = Decompressor::new().expect("memory for a decompressor");
        Packer { raw: Vec::new(), packed: Vec::new(), compressor, decompressor }
    }

    /// A part packed, and how long it is unpacked.
    pub fn pack(&mut self, part: &Part) -> (usize, &[u8]) {
        self.raw.clear();
        part.write(&mut self.raw);
        self.packed.clear();
        self.packed.reserve(zstd::zstd_safe::compress_bound(self.raw.len()));
        self.compressor
            .compress_to_buffer(&self.raw, &mut self.packed)
            .expect("the buffer has room for the worst case and the input has no limit");
        (self.raw.len(), &self.packed)
    }

    /// The part that was packed; `None` when the bytes are damaged.
    pub fn unpack(&mut self, packed: &[u8], raw_len: usize) -> Option<Part> {
        self.raw.clear();
        self.raw.reserve(raw_len);
        self.decompressor.decompress_to_buffer(packed, &mut self.raw).ok()?;
        Part::read(&self.raw).filter(is_sound)
    }

    /// # Errors
    /// When the part cannot be written.
    pub fn store(&mut self, spool: &Spool, part: &Part) -> Result<Packed> {
        let (raw_len, packed) = self.pack(part);
        Ok(Packed { segment: spool.append_bytes(packed)?, raw_len })
    }

    /// # Errors
    /// When the part cannot be read back.
    pub fn load(&mut self, spool: &Spool, part: Packed) -> Result<Part> {
        self.packed.clear();
        spool.read_bytes(part.segment, &mut self.packed)?;
        self.raw.clear();
        self.raw.reserve(part.raw_len);
        let read = self.decompressor.decompress_to_buffer(&self.packed, &mut self.raw);
        read.ok().and_then(|_| Part::read(&self.raw)).ok_or_else(|| spool.damaged())
    }
}

/// Packers that are free.
#[derive(Default)]
pub(super) struct Packers(Mutex<Vec<Packer>>);

impl Packers {
    /// Does something with a packer that nobody else has.
    pub fn with<T>(&self, work: impl FnOnce(&mut Packer) -> T) -> T {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut packer = free.unwrap_or_else(Packer::new);
        let result = work(&mut packer);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(packer);
        result
    }
}

pub(super) struct Writer<'a> {
    pub bytes: &'a mut Vec<u8>,
}

impl Writer<'_> {
    #[inline]
    pub fn u32(&mut self, number: u32) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    #[inline]
    pub fn u64(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    pub fn count(&mut self, count: usize) {
        self.u64(count as u64);
    }

    pub fn text(&mut self, text: &[u8]) {
        self.count(text.len());
        self.bytes.extend_from_slice(text);
    }

    /// Each value as its difference from the one before.
    fn steps(&mut self, values: impl Iterator<Item = i64>) {
        let mut last = 0i64;
        values.for_each(|value| put_signed(value.wrapping_sub(std::mem::replace(&mut last, value)), self.bytes));
    }

    fn numbers(&mut self, values: impl Iterator<Item = u32>) {
        values.for_each(|value| put_unsigned(u64::from(value), self.bytes));
    }

    /// No quantity becomes 0.
    fn quantities(&mut self, values: impl Iterator<Item = i64>) {
        values.for_each(|value| put_unsigned(zigzag(value).wrapping_add(1), self.bytes));
    }

    /// Hashes cannot be made shorter, but for the lack of one.
    fn hashes(&mut self, values: impl Iterator<Item = u64> + Clone) {
        self.bytes.extend(values.clone().map(|hash| u8::from(hash != 0)));
        values.filter(|hash| *hash != 0).for_each(|hash| self.u64(hash));
    }

    fn text_refs(&mut self, texts: impl Iterator<Item = TextRef> + Clone) {
        self.steps(texts.clone().map(|text| i64::from(text.start)));
        self.numbers(texts.map(|text| text.len));
    }
}

pub(super) struct Reader<'a> {
    pub bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    #[inline]
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*array)
    }

    #[inline]
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    #[inline]
    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn count(&mut self) -> Option<usize> {
        usize::try_from(self.u64()?).ok()
    }

    pub fn text(&mut self) -> Option<&'a [u8]> {
        let len = self.count()?;
        let (text, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        Some(text)
    }

    pub fn many<T>(&mut self, count: usize, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        // A damaged count must not ask for memory that the bytes cannot fill.
        let mut many = Vec::with_capacity(count.min(self.bytes.len()));
        for _ in 0..count {
            many.push(one(self)?);
        }
        Some(many)
    }

    /// So many bytes.
    fn few(&mut self, count: usize) -> Option<&'a [u8]> {
        let (few, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(few)
    }

    fn steps(&mut self, count: usize) -> Option<Vec<i64>> {
        let mut last = 0i64;
        self.many(count, |bytes| {
            last = last.wrapping_add(take_signed(&mut bytes.bytes)?);
            Some(last)
        })
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<i64>> {
        self.many(count, |bytes| take_unsigned(&mut bytes.bytes).map(|value| value as i64))
    }

    fn quantities(&mut self, count: usize) -> Option<Vec<i64>> {
        self.many(count, |bytes| take_unsigned(&mut bytes.bytes).map(|value| unzigzag(value.wrapping_sub(1))))
    }

    fn hashes(&mut self, count: usize) -> Option<Vec<i64>> {
        let present = self.few(count)?;
        present.iter().map(|present| if *present == 0 { Some(0) } else { self.u64().map(|hash| hash as i64) }).collect()
    }

    /// The hashes of keys that have one here.
    fn hashes_of(&mut self, present: impl Iterator<Item = bool>) -> Option<Vec<Option<[u64; 2]>>> {
        present.map(|present| if present { Some(Some([self.u64()?, self.u64()?])) } else { Some(None) }).collect()
    }

    fn text_refs(&mut self, count: usize) -> Option<Vec<TextRef>> {
        let (starts, lens) = (self.steps(count)?, self.numbers(count)?);
        Some(
            starts.into_iter().zip(lens).map(|(start, len)| TextRef { start: start as u32, len: len as u32 }).collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_for_the_kinds_they_came_from() {
        for (number, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
        }
        for (number, kind) in KEY_KINDS.into_iter().enumerate() {
            assert_eq!(kind as usize, number + 1);
        }
        for (number, expect) in EXPECTS.into_iter().enumerate() {
            assert_eq!(expect as usize, number);
        }
    }
}
