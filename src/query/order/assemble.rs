//! From the events and links of one lifecycle to its orders and their steps.
//!
//! Events join to one order by the links F1, F2, F4 and F8, and by an equal ClOrdID or OrderID of one day between the
//! same two parties, so that a trail whose links are incomplete still reads well. Copies (F4) and repeats fold into one
//! step.

use super::read::{Found, Link};
use super::story::{Event, EventFinding, Lifecycle, Order, Seen, Step, Story};
use super::{latency, tree};
use crate::types::{Decimal, Timestamp};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The stories of everything found, in order of first time, then of id.
pub fn stories(mut found: Found, asked: &str) -> Vec<Story> {
    let events = std::mem::take(&mut found.events);
    let mut stories: Vec<Story> = events
        .into_iter()
        .map(|(id, events)| {
            let lifecycle = found.lifecycles.remove(&id);
            story(id, events, lifecycle, &found.links, &found.findings, asked)
        })
        .collect();
    stories.sort_by(|a, b| {
        let key = |s: &Story| (s.lifecycle.first.unwrap_or(i64::MAX), s.lifecycle.id.clone());
        key(a).cmp(&key(b))
    });
    stories
}

fn story(
    id: String,
    mut events: Vec<Event>,
    lifecycle: Option<Lifecycle>,
    links: &[Link],
    findings: &HashMap<String, Vec<EventFinding>>,
    asked: &str,
) -> Story {
    sort_events(&mut events);
    let by_id: HashMap<&str, usize> = events.iter().enumerate().map(|(i, e)| (e.event_id.as_str(), i)).collect();
    let mut copies = Joined::new(events.len());
    let mut orders = Joined::new(events.len());
    let mut parent_links = Vec::new();
    for link in links {
        let (Some(&from), Some(&to)) = (by_id.get(link.from.as_str()), by_id.get(link.to.as_str())) else { continue };
        match link.kind.as_str() {
            "F4" => {
                copies.join(from, to);
                orders.join(from, to);
            }
            "F1" | "F2" | "F8" => orders.join(from, to),
            "F5" | "F6" | "F7" => {}
            _ => parent_links.push((from, to)),
        }
    }
    join_by_ids(&events, &mut orders);
    join_repeats(&events, &mut copies, &mut orders);

    // Events are in time order, so the first of each set is its earliest.
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for event in 0..events.len() {
        let number = *numbers.entry(orders.root(event)).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[number].push(event);
    }
    let order_of = |event: usize, orders: &mut Joined| numbers.get(&orders.root(event)).copied();
    let mut parents = vec![BTreeSet::new(); members.len()];
    for (from, to) in parent_links {
        if let (Some(child), Some(parent)) = (order_of(from, &mut orders), order_of(to, &mut orders))
            && child != parent
        {
            parents[child].insert(parent);
        }
    }

    let mut built = Vec::new();
    let mut loose = Vec::new();
    let mut place = vec![None; members.len()];
    for (number, member) in members.iter().enumerate() {
        let steps = fold(member, &events, &mut copies, findings);
        if member.iter().all(|&i| is_of_no_order(&events[i], &id)) {
            loose.extend(steps);
        } else {
            place[number] = Some(built.len());
            built.push((number, order_from(steps)));
        }
    }
    let mut orders: Vec<Order> = Vec::with_capacity(built.len());
    for (number, mut order) in built {
        order.parents = parents[number].iter().filter_map(|&p| place[p]).collect();
        orders.push(order);
    }
    let mut orders = tree::nest(orders);
    latency::measure(&mut orders, &mut loose);
    let lifecycle = lifecycle.unwrap_or_else(|| lifecycle_from(id, &orders, &events));
    Story { lifecycle, orders, loose, asked: asked.to_string() }
}

/// Time order. Within one instant the log's own order counts; between logs, requests come before reports.
fn sort_events(events: &mut [Event]) {
    let place = |e: &Event| (e.source.clone(), e.offset.unwrap_or(0), e.event_id.clone());
    events.sort_by_cached_key(|e| (e.time.unwrap_or(i64::MAX), place(e)));
    for run in events.chunk_by_mut(|a, b| a.time == b.time) {
        if run.iter().any(|e| e.source != run[0].source) {
            run.sort_by_cached_key(|e| (rank(e), place(e)));
        }
    }
}

fn rank(event: &Event) -> u8 {
    match event.kind.as_str() {
        "new" => 0,
        "replace" | "cancel" => 2,
        "pending" => 3,
        "ack" => 1,
        _ => 4,
    }
}

fn join_by_ids(events: &[Event], orders: &mut Joined) {
    let mut first: HashMap<(bool, &str, &str, i32, &str), usize> = HashMap::new();
    for (i, event) in events.iter().enumerate() {
        let Some((orderer, receiver)) = event.parties() else { continue };
        let day = event.time.map_or(0, |t| Timestamp(t).date().0);
        let ids = [(true, &event.cl_ord_id), (true, &event.orig_cl_ord_id), (false, &event.order_id)];
        for (is_cl_ord_id, id) in ids {
            let Some(id) = id.as_deref().filter(|id| !matches!(*id, "" | "NONE" | "0" | "UNKNOWN")) else { continue };
            let other = *first.entry((is_cl_ord_id, orderer, receiver, day, id)).or_insert(i);
            orders.join(i, other);
        }
    }
}

/// A message sent again folds into the one it repeats: same parties, type, ids, and quantities done.
fn join_repeats(events: &[Event], copies: &mut Joined, orders: &mut Joined) {
    let key = |e: &Event| {
        (
            (e.sender.clone(), e.target.clone(), e.msg_type.clone()),
            (e.cl_ord_id.clone(), e.exec_id.clone(), e.order_id.clone()),
            (e.ord_status.clone(), e.cum_qty),
        )
    };
    if !events.iter().any(|e| e.repeat) {
        return;
    }
    let mut originals = HashMap::new();
    for (i, event) in events.iter().enumerate().filter(|(_, e)| !e.repeat) {
        originals.entry(key(event)).or_insert(i);
    }
    for (i, event) in events.iter().enumerate().filter(|(_, e)| e.repeat) {
        let original = *originals.entry(key(event)).or_insert(i);
        copies.join(i, original);
        orders.join(i, original);
    }
}

fn is_of_no_order(event: &Event, lifecycle: &str) -> bool {
    event.lifecycle_id != lifecycle
        || matches!(event.kind.as_str(), "list" | "allocation" | "trade" | "quote" | "session")
}

/// The steps of an order: one for each set of copies, at the place of its first original.
fn fold(
    members: &[usize],
    events: &[Event],
    copies: &mut Joined,
    findings: &HashMap<String, Vec<EventFinding>>,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut step_of: HashMap<usize, usize> = HashMap::new();
    // Originals first, so that a repeat never stands for the message it repeats.
    for &i in members.iter().filter(|&&i| !events[i].repeat).chain(members.iter().filter(|&&i| events[i].repeat)) {
        let event = &events[i];
        let seen = Seen {
            event_id: event.event_id.clone(),
            source: event.source.clone(),
            offset: event.offset,
            line: event.line,
            repeat: event.repeat,
        };
        let its_findings = findings.get(&event.event_id).cloned().unwrap_or_default();
        match step_of.get(&copies.root(i)) {
            Some(&s) => {
                steps[s].seen.push(seen);
                for finding in its_findings {
                    if !steps[s].findings.contains(&finding) {
                        steps[s].findings.push(finding);
                    }
                }
            }
            None => {
                step_of.insert(copies.root(i), steps.len());
                steps.push(Step {
                    event: event.clone(),
                    seen: vec![seen],
                    findings: its_findings,
                    since_previous: None,
                    hop: None,
                });
            }
        }
    }
    // A repeat without its original was put last: back to its time. The sort is stable.
    steps.sort_by_key(|s| s.event.time.unwrap_or(i64::MAX));
    steps
}

fn order_from(steps: Vec<Step>) -> Order {
    let events = || steps.iter().map(|s| &s.event);
    let mut order = Order::default();
    if let Some((orderer, receiver)) = events().find_map(Event::parties) {
        order.orderer = orderer.to_string();
        order.receiver = receiver.to_string();
    }
    let is_id = |id: &&String| !matches!(id.as_str(), "" | "NONE" | "0" | "UNKNOWN");
    for event in events() {
        for id in [&event.orig_cl_ord_id, &event.cl_ord_id].into_iter().flatten().filter(is_id) {
            if !order.cl_ord_ids.contains(id) {
                order.cl_ord_ids.push(id.clone());
            }
        }
        if let Some(id) = event.order_id.as_ref().filter(is_id)
            && !order.order_ids.contains(id)
        {
            order.order_ids.push(id.clone());
        }
    }
    let accepted = || events().filter(|e| e.is_report() && !matches!(e.kind.as_str(), "rejected" | "cancel_rejected"));
    let last_reported = |get: fn(&Event) -> Option<Decimal>| accepted().filter_map(get).next_back();
    let first_asked = |get: fn(&Event) -> Option<Decimal>| events().find_map(get);
    order.symbol = events().find_map(|e| e.symbol.clone());
    order.side = events().find_map(|e| e.side.clone());
    order.order_qty = last_reported(|e| e.order_qty).or_else(|| first_asked(|e| e.order_qty));
    order.price = last_reported(|e| e.price).or_else(|| first_asked(|e| e.price));
    order.filled_qty = events().filter(|e| e.is_report()).filter_map(|e| e.cum_qty).next_back();
    order.avg_px = last_reported(|e| e.avg_px).filter(|_| order.filled_qty.is_some_and(|q| q.0 > 0));
    order.state = state_of(&steps, order.filled_qty).to_string();
    order.steps = steps;
    order
}

/// The state that the last report with an OrdStatus(39) leaves the order in.
fn state_of(steps: &[Step], filled: Option<Decimal>) -> &'static str {
    let reports = steps.iter().rev().map(|s| &s.event).filter(|e| e.is_report() && e.kind != "cancel_rejected");
    let Some(status) = reports.filter_map(|e| e.ord_status.as_deref()).next() else { return "unknown" };
    let partly = filled.is_some_and(|q| q.0 > 0);
    match status {
        "2" => "filled",
        "4" if partly => "partly filled and cancelled",
        "4" => "cancelled",
        "8" => "rejected",
        "C" => "expired",
        "3" => "done for day",
        "0" | "1" | "5" | "6" | "7" | "9" | "A" | "B" | "D" | "E" => "open",
        _ => "unknown",
    }
}

/// A lifecycle that the table does not have, as far as its events tell.
fn lifecycle_from(id: String, orders: &[Order], events: &[Event]) -> Lifecycle {
    Lifecycle {
        id,
        symbol: orders.iter().find_map(|o| o.symbol.clone()),
        side: orders.iter().find_map(|o| o.side.clone()),
        first: events.iter().filter_map(|e| e.time).min(),
        last: events.iter().filter_map(|e| e.time).max(),
        firms: orders
            .iter()
            .flat_map(|o| [o.orderer.clone(), o.receiver.clone()])
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect(),
        ..Lifecycle::default()
    }
}

/// Disjoint sets of event numbers; the smallest member stands for its set.
struct Joined(Vec<usize>);

impl Joined {
    fn new(len: usize) -> Joined {
        Joined((0..len).collect())
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}
