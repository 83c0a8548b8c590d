//! Parts as bytes: how they wait on disk while others are read.

use super::names::Names;
use super::part::{Correction, Entry, Event, ParentRef, Part, by_partition, starts_of};
use super::replay::is_sound;
use crate::Result;
use crate::event::Kind;
use crate::event::key::{Expect, KeyKind, TextRef};
use crate::table::{Segment, Spool};
use std::sync::{Mutex, PoisonError};
use zstd::bulk::{Compressor, Decompressor};

/// One of Zstandard's levels for speed alone: the bytes are read back once and soon.
const LEVEL: i32 = -5;

const EXPECTS: [Expect; 3] = [Expect::Parent, Expect::Perhaps, Expect::SameSymbolAndSide];
const KEY_KINDS: [KeyKind; 5] =
    [KeyKind::ClOrdId, KeyKind::OrderId, KeyKind::ExecId, KeyKind::ClOrdLinkId, KeyKind::Copy];

impl Part {
    /// Appends the part to `raw` as bytes that this process alone reads back.
    fn write(&self, raw: &mut Vec<u8>) {
        let mut out = Writer { bytes: raw };
        out.count(self.names.len());
        self.names.iter().for_each(|name| out.text(name));
        out.u32(self.component_count);
        out.count(self.events.len());
        self.events.iter().for_each(|event| out.event(event));
        self.components.iter().for_each(|component| out.u32(*component));
        out.count(self.uses.len());
        self.uses.iter().for_each(|used| out.u32(*used));
        out.count(self.entries.len());
        self.entries.iter().for_each(|entry| out.entry(entry));
        out.count(self.refs.len());
        self.refs.iter().for_each(|reference| out.reference(reference));
        out.count(self.corrections.len());
        for Correction { event, exec_ref, text } in &self.corrections {
            out.u32(*event);
            out.u64(*exec_ref);
            out.text_ref(*text);
        }
        out.text(&self.texts);
    }

    /// The part that [`Part::write`] made bytes of; `None` when the bytes are damaged.
    fn read(bytes: &[u8]) -> Option<Part> {
        let mut bytes = Reader { bytes };
        let mut names = Names::default();
        for _ in 0..bytes.count()? {
            names.number(bytes.text()?);
        }
        let component_count = bytes.u32()?;
        let count = bytes.count()?;
        let events: Vec<Event> = bytes.many(count, Reader::event)?;
        let components = bytes.many(count, Reader::u32)?;
        let count = bytes.count()?;
        let uses = bytes.many(count, Reader::u32)?;
        let count = bytes.count()?;
        let entries: Vec<Entry> = bytes.many(count, Reader::entry)?;
        let count = bytes.count()?;
        let refs: Vec<ParentRef> = bytes.many(count, Reader::reference)?;
        let count = bytes.count()?;
        let corrections = bytes.many(count, |bytes| {
            Some(Correction { event: bytes.u32()?, exec_ref: bytes.u64()?, text: bytes.text_ref()? })
        })?;
        let texts = bytes.text()?.to_vec();
        let entry_starts = starts_of(entries.iter().map(|e| e.hash));
        let (ref_starts, ref_order) = by_partition(refs.iter().map(|r| r.hash));
        bytes.bytes.is_empty().then_some(Part {
            names,
            events,
            components,
            component_count,
            uses,
            entries,
            entry_starts,
            refs,
            ref_starts,
            ref_order,
            corrections,
            texts,
        })
    }
}

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

    #[inline]
    fn text_ref(&mut self, text: TextRef) {
        self.u32(text.start);
        self.u32(text.len);
    }

    #[inline]
    fn event(&mut self, event: &Event) {
        let [order_qty, last_qty, cum_qty] = [event.order_qty, event.last_qty, event.cum_qty].map(|q| q as u64);
        let longs = [event.time as u64, event.offset, event.line, order_qty, last_qty, cum_qty, event.exec, event.copy];
        longs.iter().for_each(|long| self.u64(*long));
        let ints = [
            event.row,
            event.source,
            event.sub,
            event.day as u32,
            event.orderer,
            event.receiver,
            event.symbol,
            event.uses,
            event.refs,
        ];
        ints.iter().for_each(|int| self.u32(*int));
        let flags = u8::from(event.repeat) | u8::from(event.assigns_cl_ord_id) << 1 | u8::from(event.corrects) << 2;
        self.bytes.extend_from_slice(&[event.kind as u8, event.status, event.side, flags]);
    }

    #[inline]
    fn entry(&mut self, entry: &Entry) {
        entry.hash.iter().for_each(|half| self.u64(*half));
        [entry.scope, entry.day as u32, entry.head, entry.node].iter().for_each(|int| self.u32(*int));
        self.text_ref(entry.text);
        self.bytes.extend_from_slice(&[entry.kind as u8, u8::from(entry.is_assigned)]);
    }

    #[inline]
    fn reference(&mut self, reference: &ParentRef) {
        reference.hash.iter().for_each(|half| self.u64(*half));
        self.u32(reference.event);
        self.u32(u32::from(reference.slot));
        self.text_ref(reference.text);
        self.bytes.extend_from_slice(&[reference.rank, reference.expect as u8, reference.kind as u8]);
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

    #[inline]
    fn text_ref(&mut self) -> Option<TextRef> {
        Some(TextRef { start: self.u32()?, len: self.u32()? })
    }

    pub fn many<T>(&mut self, count: usize, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        // A damaged count must not ask for memory that the bytes cannot fill.
        let mut many = Vec::with_capacity(count.min(self.bytes.len()));
        for _ in 0..count {
            many.push(one(self)?);
        }
        Some(many)
    }

    #[inline]
    fn event(&mut self) -> Option<Event> {
        let mut longs = [0; 8];
        for long in &mut longs {
            *long = self.u64()?;
        }
        let mut ints = [0; 9];
        for int in &mut ints {
            *int = self.u32()?;
        }
        let [kind, status, side, flags] = self.array()?;
        let [time, offset, line, order_qty, last_qty, cum_qty, exec, copy] = longs;
        let [row, source, sub, day, orderer, receiver, symbol, uses, refs] = ints;
        Some(Event {
            time: time as i64,
            offset,
            line,
            order_qty: order_qty as i64,
            last_qty: last_qty as i64,
            cum_qty: cum_qty as i64,
            exec,
            copy,
            row,
            source,
            sub,
            day: day as i32,
            orderer,
            receiver,
            symbol,
            uses,
            refs,
            kind: *Kind::ALL.get(usize::from(kind))?,
            status,
            side,
            repeat: flags & 1 != 0,
            assigns_cl_ord_id: flags & 2 != 0,
            corrects: flags & 4 != 0,
        })
    }

    #[inline]
    fn entry(&mut self) -> Option<Entry> {
        let hash = [self.u64()?, self.u64()?];
        let (scope, day, head, node) = (self.u32()?, self.u32()? as i32, self.u32()?, self.u32()?);
        let text = self.text_ref()?;
        let [kind, is_assigned] = self.array()?;
        let kind = *KEY_KINDS.get(usize::from(kind).wrapping_sub(1))?;
        Some(Entry { hash, scope, day, head, node, text, kind, is_assigned: is_assigned != 0 })
    }

    #[inline]
    fn reference(&mut self) -> Option<ParentRef> {
        let hash = [self.u64()?, self.u64()?];
        let event = self.u32()?;
        let slot = u16::try_from(self.u32()?).ok()?;
        let text = self.text_ref()?;
        let [rank, expect, kind] = self.array()?;
        let expect = *EXPECTS.get(usize::from(expect))?;
        let kind = *KEY_KINDS.get(usize::from(kind).wrapping_sub(1))?;
        Some(ParentRef { hash, event, slot, rank, expect, kind, text })
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
