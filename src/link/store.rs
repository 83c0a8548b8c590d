//! All parts side by side. Events are numbered through in canonical order, and so are entries, references and nodes.

use super::linker::PartKey;
use super::names::SortedNames;
use super::part::{Entry, Event, ParentRef, Part, UNTIMED};
use crate::event::key::{KeyKind, NO_DAY, TextRef};
use crate::types::Date;
use crate::types::digits::push_number;
use rayon::prelude::*;
use std::io::Write;

/// Events per step of the table that finds an event's part.
const STEP: u32 = 4096;

pub(super) struct Store {
    pub parts: Vec<Part>,
    pub keys: Vec<PartKey>,
    /// The parts of this run's units, by unit.
    by_unit: Vec<(u32, u32)>,
    event_bases: Vec<u32>,
    entry_bases: Vec<u32>,
    ref_bases: Vec<u32>,
    node_bases: Vec<u32>,
    /// The part of every [`STEP`]th event.
    hints: Vec<u32>,
    pub names: SortedNames,
    prefixes: Vec<[u8; 12]>,
}

/// 0, then the running sums.
fn bases(lens: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut sum = 0u32;
    std::iter::once(0)
        .chain(lens.map(|len| {
            sum =
                u32::try_from(len).ok().and_then(|len| sum.checked_add(len)).expect("fewer than 2^32 events and keys");
            sum
        }))
        .collect()
}

impl Store {
    /// `parts` in the order of their events. Names become numbers of the sorted table.
    pub fn new(parts: Vec<(PartKey, Part)>, prefixes: Vec<[u8; 12]>) -> Store {
        let (keys, mut parts): (Vec<PartKey>, Vec<Part>) = parts.into_iter().unzip();
        let own = keys.iter().zip(0..).filter(|(key, _)| !key.is_known);
        let mut by_unit: Vec<(u32, u32)> = own.map(|(key, number)| (key.unit, number)).collect();
        by_unit.sort_unstable();
        let names = SortedNames::of(parts.iter().map(|p| &p.names));
        parts.par_iter_mut().for_each(|part| {
            let renumber = names.renumbering(&part.names);
            let new = |old: u32| renumber.get(old as usize).copied().unwrap_or(0);
            for event in &mut part.events {
                event.orderer = new(event.orderer);
                event.receiver = new(event.receiver);
                event.symbol = new(event.symbol);
            }
            part.entries.iter_mut().for_each(|entry| entry.scope = new(entry.scope));
        });
        let event_bases = bases(parts.iter().map(|p| p.events.len()));
        let events = event_bases[parts.len()];
        let mut hints = Vec::with_capacity((events / STEP) as usize + 1);
        let mut part = 0;
        for event in (0..events).step_by(STEP as usize) {
            while event_bases[part + 1] <= event {
                part += 1;
            }
            hints.push(part as u32);
        }
        Store {
            keys,
            by_unit,
            event_bases,
            entry_bases: bases(parts.iter().map(|p| p.entries.len())),
            ref_bases: bases(parts.iter().map(|p| p.refs.len())),
            node_bases: bases(parts.iter().map(|p| p.component_count as usize)),
            hints,
            names,
            prefixes,
            parts,
        }
    }

    pub fn event_count(&self) -> u32 {
        self.event_bases[self.parts.len()]
    }

    pub fn entry_count(&self) -> u32 {
        self.entry_bases[self.parts.len()]
    }

    pub fn ref_count(&self) -> u32 {
        self.ref_bases[self.parts.len()]
    }

    pub fn node_count(&self) -> u32 {
        self.node_bases[self.parts.len()]
    }

    pub fn event_number(&self, part: usize, event: u32) -> u32 {
        self.event_bases[part] + event
    }

    pub fn entry_number(&self, part: usize, entry: u32) -> u32 {
        self.entry_bases[part] + entry
    }

    pub fn ref_number(&self, part: usize, reference: u32) -> u32 {
        self.ref_bases[part] + reference
    }

    pub fn node_number(&self, part: usize, component: u32) -> u32 {
        self.node_bases[part] + component
    }

    /// The part of an event and its number there.
    pub fn locate(&self, event: u32) -> (usize, u32) {
        let mut part = self.hints[(event / STEP) as usize] as usize;
        while self.event_bases[part + 1] <= event {
            part += 1;
        }
        (part, event - self.event_bases[part])
    }

    pub fn event(&self, event: u32) -> &Event {
        let (part, event) = self.locate(event);
        &self.parts[part].events[event as usize]
    }

    /// (time, number): the order of events.
    pub fn when(&self, event: u32) -> (i64, u32) {
        (self.event(event).time, event)
    }

    pub fn entry(&self, entry: u32) -> (usize, &Entry) {
        let part = self.entry_bases.partition_point(|&base| base <= entry) - 1;
        (part, &self.parts[part].entries[(entry - self.entry_bases[part]) as usize])
    }

    pub fn parent_ref(&self, reference: u32) -> (usize, &ParentRef) {
        let part = self.ref_bases.partition_point(|&base| base <= reference) - 1;
        (part, &self.parts[part].refs[(reference - self.ref_bases[part]) as usize])
    }

    /// The nodes of all events, in order.
    pub fn nodes(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        self.parts.iter().zip(&self.node_bases).flat_map(|(part, base)| part.components.iter().map(move |c| base + c))
    }

    /// The units of this run that have events here, ascending.
    pub fn units(&self) -> impl Iterator<Item = u32> + '_ {
        self.by_unit.chunk_by(|a, b| a.0 == b.0).map(|parts| parts[0].0)
    }

    /// The parts of a unit of this run, in the order of their rows.
    pub fn parts_of_unit(&self, unit: u32) -> impl Iterator<Item = usize> + '_ {
        let start = self.by_unit.partition_point(|part| part.0 < unit);
        self.by_unit[start..].iter().take_while(move |part| part.0 == unit).map(|part| part.1 as usize)
    }

    /// The `event_id` of an event.
    pub fn event_id(&self, event: u32, out: &mut Vec<u8>) {
        self.id_of(self.event(event), out);
    }

    /// The `event_id` of an event at hand.
    pub fn id_of(&self, event: &Event, out: &mut Vec<u8>) {
        out.extend_from_slice(self.prefixes.get(event.source as usize).unwrap_or(&[b'0'; 12]));
        out.push(b'-');
        push_number(event.offset, out);
        if event.sub > 0 {
            out.push(b'.');
            push_number(u64::from(event.sub), out);
        }
    }

    /// A key for people: `CLI04>BRKA 2026-03-02 ClOrdID=C00000001`.
    pub fn key_text(&self, key: &KeyText<'_>, out: &mut Vec<u8>) {
        self.key_place(key, out);
        key_field(key, out);
    }

    /// The first half of a key: `CLI04>BRKA 2026-03-02 `.
    pub fn key_place(&self, key: &KeyText<'_>, out: &mut Vec<u8>) {
        if let Some(orderer) = key.orderer {
            out.extend_from_slice(self.names.text(orderer).as_bytes());
            out.push(b'>');
        }
        out.extend_from_slice(self.names.text(key.receiver).as_bytes());
        out.push(b' ');
        push_day(key.day, out);
        out.push(b' ');
    }

    /// The key of an entry as its head event used it.
    pub fn entry_text(&self, part: usize, entry: &Entry) -> KeyText<'_> {
        let head = &self.parts[part].events[entry.head as usize];
        KeyText {
            orderer: (entry.kind == KeyKind::ClOrdId).then_some(entry.scope),
            receiver: head.receiver,
            day: entry.day,
            field: field_name(entry.kind),
            text: self.parts[part].text(entry.text),
        }
    }

    pub fn text(&self, part: usize, text: TextRef) -> &[u8] {
        self.parts[part].text(text)
    }
}

/// What a readable key is made of.
#[derive(Clone, Copy)]
pub(super) struct KeyText<'a> {
    pub orderer: Option<u32>,
    pub receiver: u32,
    pub day: i32,
    pub field: &'static str,
    pub text: &'a [u8],
}

/// The second half of a key: `ClOrdID=C00000001`.
pub(super) fn key_field(key: &KeyText<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(key.field.as_bytes());
    out.push(b'=');
    match std::str::from_utf8(key.text) {
        Ok(text) => out.extend_from_slice(text.as_bytes()),
        Err(_) => out.extend_from_slice(String::from_utf8_lossy(key.text).as_bytes()),
    }
}

pub(super) fn field_name(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::ClOrdId => "ClOrdID",
        KeyKind::OrderId => "OrderID",
        KeyKind::ExecId => "ExecID",
        KeyKind::ClOrdLinkId => "ClOrdLinkID",
        KeyKind::Copy => "message",
    }
}

/// `2026-03-02`, or `no-day`.
pub(super) fn push_day(day: i32, out: &mut Vec<u8>) {
    if day == NO_DAY {
        out.extend_from_slice(b"no-day");
        return;
    }
    let (year, month, day_of_month) = Date(day).ymd();
    if (0..=9999).contains(&year) {
        let mut text = *b"0000-00-00";
        for (at, digit) in [(0, year / 1000), (1, year / 100 % 10), (2, year / 10 % 10), (3, year % 10)] {
            text[at] += digit as u8;
        }
        for (at, number) in [(5, month), (8, day_of_month)] {
            text[at] += (number / 10) as u8;
            text[at + 1] += (number % 10) as u8;
        }
        out.extend_from_slice(&text);
    } else {
        write!(out, "{}", Date(day)).expect("a Vec takes every byte");
    }
}

/// Text made here is UTF-8: its pieces are.
pub(super) fn as_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// A time, or `None` for [`UNTIMED`].
pub(super) fn known_time(time: i64) -> Option<i64> {
    (time != UNTIMED).then_some(time)
}
