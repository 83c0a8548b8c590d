//! Link rows: from each event to its antecedent.
//!
//! The rows of an order are a tree over its events: one for each event but the first, by the strongest key that leads
//! to another event, and one more where only a weaker key holds two parts together.

use super::gather::{Member, OrderEvents};
use super::linked::Linked;
use super::observed::Observed;
use super::parent::Edge;
use super::part::{Event, NONE, Use};
use super::rows::{LinkKind, LinkRow, Rows};
use super::store::{KeyText, field_name, key_field};
use super::unlinked::{correction_key, parent_key};
use crate::event::key::KeyKind;

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
    /// Rows of one order; `places` are those of its events, sorted by time. Second observations come first: their ids
    /// and keys are alike.
    pub fn order(
        &mut self,
        linked: &Linked,
        events: OrderEvents<'_>,
        places: &[u32],
        observed: &Observed,
        rows: &mut impl Rows,
    ) {
        self.parents.clear();
        self.parents.extend(0..places.len() as u32);
        self.executions.clear();
        let mut parts = places.len();
        for &place in places {
            let original = observed.original(place);
            if original != place {
                parts -= usize::from(self.unite(place, original));
                self.observation(linked, events, place, original, rows);
            }
        }
        for &place in places.iter().filter(|&&place| observed.original(place) == place) {
            parts -= usize::from(self.chain(linked, events, place, rows));
            parts -= usize::from(self.correction(linked, events, place, true, rows));
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
    fn chain(&mut self, linked: &Linked, events: OrderEvents<'_>, place: u32, rows: &mut impl Rows) -> bool {
        let number = events.numbers[place as usize];
        let member = &events.members[place as usize];
        let uses = events.uses(member);
        for wanted in [STRONGEST, PREDECESSOR, ORDER_ID, COPY] {
            for used in uses {
                if strength(used.kind, used.role) != wanted || used.antecedent == number {
                    continue;
                }
                let Ok(to) = events.numbers.binary_search(&used.antecedent) else { continue };
                if self.unite(place, to as u32) {
                    let kind = match wanted {
                        ORDER_ID => LinkKind::OrderId,
                        COPY => LinkKind::Observation,
                        _ => LinkKind::Chain,
                    };
                    let antecedent = &events.members[to].event;
                    let key = KeyText {
                        orderer: (used.kind == KeyKind::ClOrdId).then_some(used.scope),
                        receiver: antecedent.receiver,
                        day: antecedent.day,
                        field: field_name(used.kind),
                        text: linked.store.text(member.part as usize, used.text),
                    };
                    self.row(linked, kind, &member.event, (used.antecedent, antecedent), &key, rows);
                    return true;
                }
            }
        }
        false
    }

    fn observation(&mut self, linked: &Linked, events: OrderEvents<'_>, from: u32, to: u32, rows: &mut impl Rows) {
        let event = &events.members[to as usize].event;
        let mut digits = [0u8; 16];
        for (i, digit) in digits.iter_mut().enumerate() {
            *digit = b"0123456789abcdef"[(event.copy >> (60 - 4 * i)) as usize & 15];
        }
        let (orderer, receiver, day) = (Some(event.orderer), event.receiver, event.day);
        let key = KeyText { orderer, receiver, day, field: field_name(KeyKind::Copy), text: &digits };
        let from = &events.members[from as usize].event;
        self.row(linked, LinkKind::Observation, from, (events.numbers[to as usize], event), &key, rows);
    }

    /// The row of a bust or correction to the earliest report of its execution within the order: on its own day, else
    /// on the newest earlier one. True when it joined two parts; unless `always`, there is no row otherwise.
    fn correction(
        &mut self,
        linked: &Linked,
        events: OrderEvents<'_>,
        place: u32,
        always: bool,
        rows: &mut impl Rows,
    ) -> bool {
        let Member { part, local, event, .. } = &events.members[place as usize];
        if !event.corrects {
            return false;
        }
        let Some(correction) = linked.store.parts[*part as usize].correction(*local) else { return false };
        if self.executions.is_empty() {
            for (Member { event, .. }, place) in events.members.iter().zip(0..) {
                if event.exec != 0 {
                    self.executions.push((event.exec, event.day, event.time, place));
                }
            }
            self.executions.sort_unstable();
        }
        let exec = correction.exec_ref;
        let of_day = |day: i32| self.executions.partition_point(|e| (e.0, e.1) < (exec, day));
        let until = self.executions.partition_point(|e| (e.0, e.1) <= (exec, event.day));
        let newest = self.executions[..until].last().filter(|e| e.0 == exec);
        let at = newest.map_or(until, |e| of_day(e.1));
        let Some(&(_, day, _, to)) = self.executions.get(at).filter(|e| e.0 == exec && e.3 != place) else {
            return false;
        };
        let joined = self.unite(place, to);
        if joined || always {
            let key = KeyText { day, ..correction_key(&linked.store, events.numbers[place as usize]) };
            let to = (events.numbers[to as usize], &events.members[to as usize].event);
            self.row(linked, LinkKind::Correction, event, to, &key, rows);
        }
        joined
    }

    /// The row of a child order's event to the event that stands for the parent.
    pub fn parent(&mut self, linked: &Linked, edge: &Edge, rows: &mut impl Rows) {
        let store = &linked.store;
        let to = linked.orders.summaries[edge.parent as usize].head();
        let head = store.event(to);
        let key = KeyText { day: head.day, ..parent_key(store, edge.reference) };
        self.row(linked, LinkKind::Parent, store.event(edge.event), (to, head), &key, rows);
    }

    fn row(
        &mut self,
        linked: &Linked,
        kind: LinkKind,
        from: &Event,
        (to, antecedent): (u32, &Event),
        key: &KeyText<'_>,
        rows: &mut impl Rows,
    ) {
        debug_assert!(to != NONE);
        let store = &linked.store;
        self.from.clear();
        store.id_of(from, &mut self.from);
        // Rows of one order mostly lead to one event and name one place.
        if self.to_event != Some(to) {
            self.to_event = Some(to);
            self.to.clear();
            store.id_of(antecedent, &mut self.to);
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
            kind: kind.as_str(),
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
