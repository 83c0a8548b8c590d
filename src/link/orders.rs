//! Orders and what the later steps need to know of each: when it lived, what it trades, which event stands for it.

use super::days::Days;
use super::groups::Groups;
use super::part::{Event, NONE, UNTIMED, Use};
use super::store::Store;
use super::union::UnionFind;
use crate::event::Kind;
use crate::event::key::KeyKind;
use crate::order::is_terminal;
use rayon::prelude::*;

/// An order at a glance.
#[derive(Clone, Copy)]
pub(super) struct Summary {
    /// Time of the first event, or [`UNTIMED`].
    pub first_time: i64,
    /// Time of the event that made the order terminal for good, or [`UNTIMED`].
    pub end: i64,
    /// The first event.
    pub first_event: u32,
    /// The first event that assigns a ClOrdID, or [`NONE`].
    pub key_event: u32,
    pub symbol: u32,
    pub side: u8,
}

impl Summary {
    /// The event that stands for the order.
    pub fn head(&self) -> u32 {
        if self.key_event == NONE { self.first_event } else { self.key_event }
    }

    /// The class of orders that may be told apart by time only.
    pub fn class(&self) -> u64 {
        u64::from(self.symbol) << 8 | u64::from(self.side)
    }

    /// True when the order had begun and was not terminal before `time`; what has no time is taken to be.
    pub fn is_live_at(&self, time: i64) -> bool {
        time == UNTIMED || (self.begin() <= time && self.end >= time)
    }

    pub fn begin(&self) -> i64 {
        if self.first_time == UNTIMED { i64::MIN } else { self.first_time }
    }
}

/// All orders: sets of days.
pub(super) struct Orders {
    /// The order of each day.
    pub of_day: Vec<u32>,
    /// The days of each order; `None` when each is of one day.
    days: Option<Groups>,
    count: u32,
    pub summaries: Vec<Summary>,
}

impl Orders {
    pub fn new(sets: UnionFind) -> Orders {
        let (of_day, count) = sets.into_sets();
        let days = (count as usize != of_day.len()).then(|| Groups::of(count as usize, of_day.iter().copied()));
        Orders { of_day, days, count, summaries: Vec::new() }
    }

    /// Looks at the events of every order; to be called once the orders are final.
    pub fn summarize(&mut self, store: &Store, days: &Days) {
        self.summaries = (0..self.count)
            .into_par_iter()
            .with_min_len(1024)
            .map_init(Vec::new, |events, order| {
                self.events(days, order, events);
                summarize(store, events)
            })
            .collect();
    }

    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// The order of an event.
    pub fn of_event(&self, store: &Store, days: &Days, event: u32) -> u32 {
        let (part, event) = store.locate(event);
        self.of_local_event(store, days, part, event)
    }

    pub fn of_local_event(&self, store: &Store, days: &Days, part: usize, event: u32) -> u32 {
        let node = store.node_number(part, store.parts[part].components[event as usize]);
        self.of_day[days.of_node[node as usize] as usize]
    }

    /// Number of events of an order.
    pub fn event_count(&self, days: &Days, order: u32) -> u64 {
        match &self.days {
            None => days.events.get(order).len() as u64,
            Some(groups) => groups.get(order).iter().map(|&day| days.events.get(day).len() as u64).sum(),
        }
    }

    /// The events of an order, in canonical order.
    pub fn events(&self, days: &Days, order: u32, out: &mut Vec<u32>) {
        out.clear();
        match &self.days {
            None => out.extend_from_slice(days.events.get(order)),
            Some(groups) => {
                let of_order = groups.get(order);
                of_order.iter().for_each(|&day| out.extend_from_slice(days.events.get(day)));
                if of_order.len() > 1 {
                    out.sort_unstable();
                }
            }
        }
    }
}

fn summarize(store: &Store, events: &[u32]) -> Summary {
    let mut first = (UNTIMED, NONE);
    let mut key: Option<(u32, &Event)> = None;
    let mut symbol = (UNTIMED, NONE, 0);
    let mut side = (UNTIMED, NONE, 0);
    let mut last_open = (i64::MIN, 0);
    for &number in events {
        let event = store.event(number);
        let when = (event.time, number);
        first = first.min(when);
        if event.symbol != 0 {
            symbol = symbol.min((event.time, number, event.symbol));
        }
        if event.side != 0 {
            side = side.min((event.time, number, event.side));
        }
        if event.assigns_cl_ord_id && key.is_none_or(|k| stands_before(store, (number, event), k)) {
            key = Some((number, event));
        }
        if is_terminal(event.kind, event.status) == Some(false) {
            last_open = last_open.max(when);
        }
    }
    let end = events
        .iter()
        .map(|&number| (number, store.event(number)))
        .filter(|(number, e)| is_terminal(e.kind, e.status) == Some(true) && (e.time, *number) > last_open)
        .map(|(_, e)| e.time)
        .min();
    Summary {
        first_time: first.0,
        end: end.unwrap_or(UNTIMED),
        first_event: first.1,
        key_event: key.map_or(NONE, |k| k.0),
        symbol: symbol.2,
        side: side.2,
    }
}

/// The earlier event stands for the order; of those of one instant a new order, then the smaller ClOrdID. The place in
/// the sources comes last, for names of sources must not change an id.
fn stands_before(store: &Store, (number, event): (u32, &Event), (other_number, other): (u32, &Event)) -> bool {
    let rank = |e: &Event| (e.time, e.kind != Kind::New);
    if rank(event) != rank(other) {
        return rank(event) < rank(other);
    }
    if event.copy == other.copy && event.copy != 0 && event.sub == other.sub {
        return false;
    }
    assigned_cl_ord_id(store, number) < assigned_cl_ord_id(store, other_number)
}

/// The ClOrdID that an event assigns, or nothing.
pub(super) fn assigned_cl_ord_id(store: &Store, number: u32) -> &[u8] {
    let (part_number, event) = store.locate(number);
    let part = &store.parts[part_number];
    part.uses(event)
        .filter(|u| u.role == Use::ASSIGNS)
        .map(|u| &part.entries[u.entry as usize])
        .find(|entry| entry.kind == KeyKind::ClOrdId)
        .map_or(&[], |entry| part.text(entry.text))
}
