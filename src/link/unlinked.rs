//! Findings about references that found nothing, or too much.

use super::days::{Days, UnknownKey};
use super::execution::LostExecution;
use super::orders::Orders;
use super::parent::{Ambiguous, LostParent, Parents};
use super::part::{NONE, ParentRef};
use super::store::{KeyText, Store, as_text, field_name};
use crate::event::key::KeyKind;
use crate::finding::{Finding, Level};
use crate::types::digits::push_number;
use std::borrow::Cow;
use std::collections::HashMap;

/// Something to be said about an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Note {
    pub lifecycle: u32,
    pub event: u32,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    UnknownKey {
        entry: u32,
        nearest: u32,
    },
    /// An event of each of two orders that hold it.
    AmbiguousExecution([u32; 2]),
    UnknownExecution,
    UnknownParent(u32),
    AmbiguousParent(u32),
}

/// Everything to be said, sorted by lifecycle and event.
pub(super) fn notes(
    store: &Store,
    days: &Days,
    orders: &Orders,
    lifecycle_of_order: &[u32],
    unknown: &[UnknownKey],
    executions: &[LostExecution],
    parents: &Parents,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |event: u32, what: What| {
        let lifecycle = lifecycle_of_order[orders.of_event(store, days, event) as usize];
        notes.push(Note { lifecycle, event, what });
    };
    let mut with_cl_ord_id = HashMap::new();
    for key in unknown {
        let (part, entry) = store.entry(key.entry);
        let event = store.event_number(part, entry.head);
        // An order with a ClOrdID is known by that, or has a finding for that.
        if key.kind == KeyKind::OrderId {
            let order = orders.of_event(store, days, event);
            if *with_cl_ord_id.entry(order).or_insert_with(|| has_cl_ord_id(store, days, orders, order)) {
                continue;
            }
        }
        note(event, What::UnknownKey { entry: key.entry, nearest: key.nearest });
    }
    for lost in executions {
        note(lost.event, lost.candidates.map_or(What::UnknownExecution, What::AmbiguousExecution));
    }
    for LostParent { event, reference, ambiguous, .. } in &parents.lost {
        note(*event, ambiguous.map_or(What::UnknownParent(*reference), What::AmbiguousParent));
    }
    notes.sort_unstable();
    notes
}

fn has_cl_ord_id(store: &Store, days: &Days, orders: &Orders, order: u32) -> bool {
    let mut events = Vec::new();
    orders.events(days, order, &mut events);
    events.iter().any(|&event| {
        let (part, event) = store.locate(event);
        let part = &store.parts[part];
        part.uses(event).any(|u| part.entries[u.entry as usize].kind == KeyKind::ClOrdId)
    })
}

impl Note {
    /// The finding in words.
    pub fn finding(&self, store: &Store, orders: &Orders, ambiguous: &[Ambiguous]) -> Finding {
        let mut text = Vec::new();
        let code = match self.what {
            What::UnknownKey { entry, nearest } => {
                unknown_key(store, entry, nearest, &mut text);
                "link-unknown-order"
            }
            What::UnknownExecution => {
                text.extend_from_slice(b"no execution has the key ");
                execution_key(store, self.event, &mut text);
                "link-unknown-execution"
            }
            What::AmbiguousExecution(candidates) => {
                text.extend_from_slice(b"several orders have an execution with the key ");
                execution_key(store, self.event, &mut text);
                text.extend_from_slice(b": see events ");
                store.event_id(candidates[0], &mut text);
                text.extend_from_slice(b" and ");
                store.event_id(candidates[1], &mut text);
                "link-ambiguous-execution"
            }
            What::UnknownParent(reference) => {
                text.extend_from_slice(b"no order has the key of the parent, ");
                store.key_text(&parent_key(store, reference), &mut text);
                "link-unknown-parent"
            }
            What::AmbiguousParent(at) => {
                ambiguous_parent(store, orders, &ambiguous[at as usize], &mut text);
                "link-ambiguous-parent"
            }
        };
        finding(store, self.event, code, &text)
    }
}

/// A warning about an event.
pub(super) fn finding(store: &Store, event: u32, code: &'static str, text: &[u8]) -> Finding {
    let event = store.event(event);
    Finding {
        code: Cow::Borrowed(code),
        level: Level::Warning,
        source: event.source,
        offset: event.offset,
        line: event.line,
        event: Some(event.sub),
        tag: 0,
        text: as_text(text).into(),
    }
}

fn unknown_key(store: &Store, entry: u32, nearest: u32, out: &mut Vec<u8>) {
    let (part, entry) = store.entry(entry);
    out.extend_from_slice(b"no event assigns the key ");
    store.key_text(&store.entry_text(part, entry), out);
    if nearest == NONE {
        return;
    }
    let (part, other) = store.entry(nearest);
    out.extend_from_slice(b"; the nearest is ");
    store.key_text(&store.entry_text(part, other), out);
    out.extend_from_slice(match (other.scope == entry.scope, other.day == entry.day) {
        (false, true) => b": the orderer differs",
        (true, false) => b": the day differs",
        _ => b": orderer and day differ",
    });
}

fn execution_key(store: &Store, event: u32, out: &mut Vec<u8>) {
    store.key_text(&correction_key(store, event), out);
}

/// The execution that a correction names.
pub(super) fn correction_key(store: &Store, event: u32) -> KeyText<'_> {
    let (part, local) = store.locate(event);
    let part = &store.parts[part];
    let of_event = &part.events[local as usize];
    let text = part.correction(local).map_or(&[][..], |c| part.text(c.text));
    KeyText { orderer: None, receiver: of_event.receiver, day: of_event.day, field: field_name(KeyKind::ExecId), text }
}

/// The key that a reference to a parent names: what the event's sender had received.
pub(super) fn parent_key(store: &Store, reference: u32) -> KeyText<'_> {
    let (part, r): (usize, &ParentRef) = store.parent_ref(reference);
    let event = &store.parts[part].events[r.event as usize];
    KeyText {
        orderer: None,
        receiver: event.orderer,
        day: event.day,
        field: field_name(r.kind),
        text: store.text(part, r.text),
    }
}

fn ambiguous_parent(store: &Store, orders: &Orders, ambiguous: &Ambiguous, out: &mut Vec<u8>) {
    push_number(ambiguous.count as u64, out);
    out.extend_from_slice(b" orders have the key of the parent, ");
    store.key_text(&parent_key(store, ambiguous.reference), out);
    out.extend_from_slice(b", and not exactly one of them had the symbol and side and was live: ");
    for (i, &order) in ambiguous.candidates.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(b", ");
        }
        order_text(store, orders, order, out);
    }
    if ambiguous.count > ambiguous.candidates.len() {
        out.extend_from_slice(b" and others");
    }
}

/// An order's key for people: that of the first event which assigns a ClOrdID, else the first key of its first event,
/// else the first event's id.
pub(super) fn order_text(store: &Store, orders: &Orders, order: u32, out: &mut Vec<u8>) {
    let head = orders.summaries[order as usize].head();
    let (part_number, local) = store.locate(head);
    let part = &store.parts[part_number];
    let mut entries = part.uses(local).map(|u| (u.role, &part.entries[u.entry as usize]));
    let best = entries.clone().find(|(role, e)| *role == super::part::Use::ASSIGNS && e.kind == KeyKind::ClOrdId);
    match best.or_else(|| entries.next()) {
        Some((_, entry)) => store.key_text(&store.entry_text(part_number, entry), out),
        None => store.event_id(head, out),
    }
}
