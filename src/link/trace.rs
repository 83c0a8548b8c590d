//! Link rows: from each event to its antecedent.
//!
//! The rows of an order are a tree over its events: one for each event but the first, by the strongest key that leads
//! to another event, and one more where only a weaker key holds two parts together.

use super::linked::Linked;
use super::observed::Observed;
use super::parent::Edge;
use super::part::{NONE, Use};
use super::rows::{LinkKind, LinkRow, Rows};
use super::store::{KeyText, key_field};
use super::unlinked::{correction_key, parent_key};
use crate::event::key::KeyKind;
use std::sync::atomic::Ordering::Relaxed;

/// Working memory.
#[derive(Default)]
pub(super) struct Trace {
    /// Of all rows, until it is set anew.
    pub lifecycle_id: [u8; 20],
    /// Union-find over places.
    parents: Vec<u32>,
    /// (ExecID, day, time, place).
    executions: Vec<(u64, i32, i64, u32)>,
    from: Vec<u8>,
    to: Vec<u8>,
    key: Vec<u8>,
    /// The event whose id is in `to`, and what the first half of `key` tells.
    to_event: Option<u32>,
    key_place: Option<(Option<u32>, u32, i32)>,
    key_place_len: usize,
}

impl Trace {
    /// Rows of one order: `events` in canonical order, `places` by time.
    pub fn order(
        &mut self,
        linked: &Linked,
        events: &[u32],
        places: &[u32],
        observed: &Observed,
        rows: &mut impl Rows,
    ) {
        self.parents.clear();
        self.parents.extend(0..events.len() as u32);
        self.executions.clear();
        let mut parts = events.len();
        for &place in places {
            let original = observed.original(place);
            if original != place {
                parts -= usize::from(self.unite(place, original));
                self.observation(linked, events[place as usize], events[original as usize], rows);
            } else {
                parts -= usize::from(self.chain(linked, events, place, rows));
                parts -= usize::from(self.correction(linked, events, place, true, rows));
            }
        }
        let mut rest = places.iter();
        while parts > 1
            && let Some(&place) = rest.next()
        {
            while self.chain(linked, events, place, rows) {
                parts -= 1;
            }
            parts -= usize::from(self.correction(linked, events, place, false, rows));
        }
    }

    /// The row of an event by its strongest key that leads to an event not yet joined; false when none does.
    fn chain(&mut self, linked: &Linked, events: &[u32], place: u32, rows: &mut impl Rows) -> bool {
        let store = &linked.store;
        let number = events[place as usize];
        let (part_number, local) = store.locate(number);
        let part = &store.parts[part_number];
        for wanted in [STRONGEST, PREDECESSOR, ORDER_ID, COPY] {
            for used in part.uses(local) {
                let entry = &part.entries[used.entry as usize];
                if strength(entry.kind, used.role) != wanted {
                    continue;
                }
                let entry_number = store.entry_number(part_number, used.entry);
                let antecedent = linked.antecedents[entry_number as usize].load(Relaxed);
                if antecedent == number {
                    continue;
                }
                let Ok(to) = events.binary_search(&antecedent) else { continue };
                if self.unite(place, to as u32) {
                    let kind = if wanted == ORDER_ID { LinkKind::OrderId } else { LinkKind::Chain };
                    let kind = if wanted == COPY { LinkKind::Observation } else { kind };
                    let to = store.event(antecedent);
                    let key = KeyText { receiver: to.receiver, day: to.day, ..store.entry_text(part_number, entry) };
                    self.row(linked, kind, number, antecedent, &key, rows);
                    return true;
                }
            }
        }
        false
    }

    fn observation(&mut self, linked: &Linked, from: u32, to: u32, rows: &mut impl Rows) {
        let event = linked.store.event(to);
        let mut digits = [0u8; 16];
        for (i, digit) in digits.iter_mut().enumerate() {
            *digit = b"0123456789abcdef"[(event.copy >> (60 - 4 * i)) as usize & 15];
        }
        let (orderer, receiver, day) = (Some(event.orderer), event.receiver, event.day);
        let key = KeyText { orderer, receiver, day, field: "message", text: &digits };
        self.row(linked, LinkKind::Observation, from, to, &key, rows);
    }

    /// The row of a bust or correction to the earliest report of its execution within the order: on its own day, else
    /// on the newest earlier one. True when it joined two parts; unless `always`, there is no row otherwise.
    fn correction(&mut self, linked: &Linked, events: &[u32], place: u32, always: bool, rows: &mut impl Rows) -> bool {
        let store = &linked.store;
        let from = events[place as usize];
        let (part, local) = store.locate(from);
        let Some(correction) = store.parts[part].correction(local) else { return false };
        if self.executions.is_empty() {
            for (&number, place) in events.iter().zip(0..) {
                let event = store.event(number);
                if event.exec != 0 {
                    self.executions.push((event.exec, event.day, event.time, place));
                }
            }
            self.executions.sort_unstable();
        }
        let exec = correction.exec_ref;
        let of_day = |day: i32| self.executions.partition_point(|e| (e.0, e.1) < (exec, day));
        let own_day = store.parts[part].events[local as usize].day;
        let until = self.executions.partition_point(|e| (e.0, e.1) <= (exec, own_day));
        let newest = self.executions[..until].last().filter(|e| e.0 == exec);
        let at = newest.map_or(until, |e| of_day(e.1));
        let Some(&(_, day, _, to)) = self.executions.get(at).filter(|e| e.0 == exec && e.3 != place) else {
            return false;
        };
        let joined = self.unite(place, to);
        if joined || always {
            let key = KeyText { day, ..correction_key(store, from) };
            self.row(linked, LinkKind::Correction, from, events[to as usize], &key, rows);
        }
        joined
    }

    /// The row of a child order's event to the event that stands for the parent.
    pub fn parent(&mut self, linked: &Linked, edge: &Edge, rows: &mut impl Rows) {
        let to = linked.orders.summaries[edge.parent as usize].head();
        let key = KeyText { day: linked.store.event(to).day, ..parent_key(&linked.store, edge.reference) };
        self.row(linked, LinkKind::Parent, edge.event, to, &key, rows);
    }

    fn row(&mut self, linked: &Linked, kind: LinkKind, from: u32, to: u32, key: &KeyText<'_>, rows: &mut impl Rows) {
        debug_assert!(from != NONE && to != NONE);
        let store = &linked.store;
        let event = store.event(from);
        self.from.clear();
        store.id_of(event, &mut self.from);
        // Rows of one order mostly lead to one event and name one place.
        if self.to_event != Some(to) {
            self.to_event = Some(to);
            self.to.clear();
            store.event_id(to, &mut self.to);
        }
        let place = Some((key.orderer, key.receiver, key.day));
        if self.key_place != place {
            self.key_place = place;
            self.key.clear();
            store.key_place(key, &mut self.key);
            self.key_place_len = self.key.len();
        }
        self.key.truncate(self.key_place_len);
        key_field(key, &mut self.key);
        rows.link(LinkRow {
            day: event.day,
            kind,
            lifecycle_id: self.lifecycle_id,
            from_event_id: &self.from,
            to_event_id: &self.to,
            key: &self.key,
        });
    }

    fn find(&mut self, mut place: u32) -> u32 {
        while self.parents[place as usize] != place {
            let parent = self.parents[place as usize];
            self.parents[place as usize] = self.parents[parent as usize];
            place = parent;
        }
        place
    }

    fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
        a != b
    }
}

const STRONGEST: u8 = 0;
const PREDECESSOR: u8 = 1;
const ORDER_ID: u8 = 2;
const COPY: u8 = 3;
const NONE_AT_ALL: u8 = 4;

/// How well a use of a key tells the antecedent.
fn strength(kind: KeyKind, role: u32) -> u8 {
    match kind {
        KeyKind::ClOrdId if role == Use::PREDECESSOR => PREDECESSOR,
        KeyKind::ClOrdId => STRONGEST,
        KeyKind::OrderId => ORDER_ID,
        KeyKind::Copy => COPY,
        KeyKind::ExecId | KeyKind::ClOrdLinkId => NONE_AT_ALL,
    }
}
