//! The linker's slow plain twin: the rules as they stand, pair by pair.

use super::{Sample, event_id, key_of};
use crate::event::Kind;
use crate::event::key::{Expect, KeyKind, NO_DAY, NO_TIME, Role};
use crate::order::is_terminal;
use crate::types::Date;
use xxhash_rust::xxh3::xxh3_128;

/// The lifecycle id of each event.
pub(super) fn link(events: &[Sample]) -> Vec<String> {
    let mut sets: Vec<usize> = (0..events.len()).collect();
    let mut pairs = Vec::new();
    for (i, a) in events.iter().enumerate() {
        for (j, b) in events.iter().enumerate() {
            if a.day == b.day && a.keys.iter().any(|x| b.keys.iter().any(|y| joins(a, x, b, y))) {
                pairs.push((i, j));
            }
        }
    }
    merge(&mut sets, &pairs);
    merge_days(events, &mut sets);
    merge_executions(events, &mut sets);
    let edges = parents(events, &sets);
    let orders = sets.clone();
    let pairs: Vec<(usize, usize)> = edges.clone();
    merge(&mut sets, &pairs);
    ids(events, &orders, &sets, &edges)
}

fn merge(sets: &mut [usize], pairs: &[(usize, usize)]) {
    for &(i, j) in pairs {
        let (a, b) = (sets[i].min(sets[j]), sets[i].max(sets[j]));
        sets.iter_mut().filter(|s| **s == b).for_each(|s| *s = a);
    }
}

type Key = (KeyKind, Role, String);

fn is_own(role: Role) -> bool {
    !matches!(role, Role::Parent { .. })
}

fn joins(a: &Sample, x: &Key, b: &Sample, y: &Key) -> bool {
    is_own(x.1)
        && is_own(y.1)
        && !matches!(x.0, KeyKind::ClOrdLinkId | KeyKind::ExecId)
        && key_of(a, x) == key_of(b, y)
        && (x.0 != KeyKind::ClOrdId || a.orderer == b.orderer)
}

fn time(event: &Sample) -> i64 {
    if event.time == NO_TIME { i64::MAX } else { event.time }
}

/// The last status of a set of events is terminal.
fn ends_terminal<'a>(events: impl Iterator<Item = (usize, &'a Sample)>) -> bool {
    events
        .filter_map(|(i, e)| is_terminal(e.kind, e.status).map(|t| (time(e), i, t)))
        .max()
        .is_some_and(|(_, _, terminal)| terminal)
}

fn merge_days(events: &[Sample], sets: &mut [usize]) {
    let days = sets.to_vec();
    let mut pairs = Vec::new();
    for (i, event) in events.iter().enumerate().filter(|(_, e)| e.day != NO_DAY) {
        for key in event.keys.iter().filter(|k| is_own(k.1) && matches!(k.0, KeyKind::ClOrdId | KeyKind::OrderId)) {
            let users = |day: i32| {
                let of_day = events.iter().enumerate().filter(move |(_, e)| e.day == day);
                of_day.filter(|(_, e)| e.keys.iter().any(|k| joins(event, key, e, k)))
            };
            let assigned =
                users(event.day).any(|(_, e)| e.keys.iter().any(|k| k.1 == Role::Assigns && joins(event, key, e, k)));
            if assigned {
                continue;
            }
            let earlier = (0..event.day).rev().find_map(|day| {
                let (user, _) = users(day).next()?;
                let of_order = events.iter().enumerate().filter(|(j, _)| days[*j] == days[user]);
                (!ends_terminal(of_order)).then_some(user)
            });
            pairs.extend(earlier.map(|user| (i, user)));
        }
    }
    merge(sets, &pairs);
}

fn merge_executions(events: &[Sample], sets: &mut [usize]) {
    let orders = sets.to_vec();
    let mut pairs = Vec::new();
    for (i, event) in events.iter().enumerate() {
        for name in event.keys.iter().filter(|k| k.1 == Role::Corrects) {
            let holders = |day: i32| {
                let named =
                    |e: &Sample| e.keys.iter().any(|k| k.1 == Role::Assigns && key_of(e, k) == key_of(event, name));
                let mut holders: Vec<usize> = (0..events.len())
                    .filter(|&j| events[j].day == day && named(&events[j]))
                    .map(|j| orders[j])
                    .collect();
                holders.sort_unstable();
                holders.dedup();
                holders
            };
            let mut found = holders(event.day);
            if found.is_empty() && event.day != NO_DAY {
                found = (0..event.day).rev().map(holders).find(|h| !h.is_empty()).unwrap_or_default();
            }
            if let [one] = found[..] {
                pairs.push((i, one));
            }
        }
    }
    merge(sets, &pairs);
}

struct Order {
    first: i64,
    symbol: String,
    side: u8,
}

fn look(events: &[Sample], orders: &[usize], order: usize) -> Order {
    let mut mine: Vec<(i64, usize)> =
        (0..events.len()).filter(|&j| orders[j] == order).map(|j| (time(&events[j]), j)).collect();
    mine.sort_unstable();
    let symbol = mine.iter().map(|m| &events[m.1].symbol).find(|s| !s.is_empty());
    let side = mine.iter().map(|m| events[m.1].side).find(|s| *s != 0);
    Order { first: mine[0].0, symbol: symbol.cloned().unwrap_or_default(), side: side.unwrap_or(0) }
}

fn is_live(events: &[Sample], orders: &[usize], order: usize, at: i64) -> bool {
    if at == i64::MAX {
        return true;
    }
    let first = look(events, orders, order).first;
    let mut mine: Vec<(i64, usize, bool)> = (0..events.len())
        .filter(|&j| orders[j] == order)
        .filter_map(|j| is_terminal(events[j].kind, events[j].status).map(|t| (time(&events[j]), j, t)))
        .collect();
    mine.sort_unstable();
    // The instant from which on every status is terminal.
    let stays = mine.iter().rposition(|m| !m.2).map_or(0, |last| last + 1);
    let end = mine.get(stays).map_or(i64::MAX, |m| m.0);
    (first == i64::MAX || first <= at) && end >= at
}

/// (child event, parent event) of each reference that finds one order.
fn parents(events: &[Sample], orders: &[usize]) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    for (i, event) in events.iter().enumerate() {
        for slot in 0..3u16 {
            for rank in 0..3u8 {
                let mut refs = event
                    .keys
                    .iter()
                    .filter(|k| matches!(k.1, Role::Parent { slot: s, rank: r, .. } if s == slot && r == rank));
                let Some(key) = refs.next() else { continue };
                let Role::Parent { expect, .. } = key.1 else { continue };
                let found = candidates(events, orders, i, key, expect == Expect::SameSymbolAndSide);
                if found.is_empty() {
                    continue;
                }
                let mine = look(events, orders, orders[i]);
                let fits = |order: usize| {
                    let other = look(events, orders, order);
                    other.symbol == mine.symbol
                        && other.side == mine.side
                        && is_live(events, orders, order, time(event))
                };
                let left: Vec<usize> =
                    if found.len() == 1 { found } else { found.into_iter().filter(|&o| fits(o)).collect() };
                if let [one] = left[..] {
                    edges.push((i, one));
                }
                break;
            }
        }
    }
    edges
}

fn candidates(events: &[Sample], orders: &[usize], i: usize, key: &Key, is_guess: bool) -> Vec<usize> {
    let event = &events[i];
    let mine = look(events, orders, orders[i]);
    // The orders of single days, for what was terminal at a day's end.
    let mut days: Vec<usize> = (0..events.len()).collect();
    let mut pairs = Vec::new();
    for (a, x) in events.iter().enumerate() {
        for (b, y) in events.iter().enumerate() {
            if x.day == y.day && x.keys.iter().any(|p| y.keys.iter().any(|q| joins(x, p, y, q))) {
                pairs.push((a, b));
            }
        }
    }
    merge(&mut days, &pairs);
    let on = |day: i32, only_open: bool| {
        let mut found: Vec<usize> = (0..events.len())
            .filter(|&j| events[j].day == day && orders[j] != orders[i])
            .filter(|&j| events[j].keys.iter().any(|k| is_own(k.1) && key_of(&events[j], k) == key_of(event, key)))
            .filter(|&j| !only_open || !ends_terminal(events.iter().enumerate().filter(|(k, _)| days[*k] == days[j])))
            .map(|j| orders[j])
            .filter(|&o| {
                let other = look(events, orders, o);
                !is_guess || (other.symbol == mine.symbol && other.side == mine.side)
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    let own = on(event.day, false);
    if !own.is_empty() || event.day == NO_DAY {
        return own;
    }
    (0..event.day).rev().map(|day| on(day, true)).find(|f| !f.is_empty()).unwrap_or_default()
}

fn ids(events: &[Sample], orders: &[usize], sets: &[usize], edges: &[(usize, usize)]) -> Vec<String> {
    let order_key = |order: usize| {
        let mut mine: Vec<usize> = (0..events.len()).filter(|&j| orders[j] == order).collect();
        mine.sort_unstable_by_key(|&j| (time(&events[j]), j));
        let assigned = |j: usize| events[j].keys.iter().find(|k| k.0 == KeyKind::ClOrdId && k.1 == Role::Assigns);
        let first = mine
            .iter()
            .filter_map(|&j| assigned(j).map(|k| (time(&events[j]), events[j].kind != Kind::New, k.2.clone(), j)))
            .min();
        let key = match first {
            Some((_, _, text, j)) => {
                let e = &events[j];
                let day = if e.day == NO_DAY { "no-day".to_string() } else { Date(e.day).to_string() };
                format!("{}\u{1}{}\u{1}{}\u{1}{}", e.orderer, e.receiver, day, text)
            }
            None => event_id(mine[0]),
        };
        (time(&events[mine[0]]), key)
    };
    let id_of = |set: usize| {
        let mut members: Vec<usize> = (0..events.len()).filter(|&j| sets[j] == set).map(|j| orders[j]).collect();
        members.sort_unstable();
        members.dedup();
        let has_parent = |&&order: &&usize| edges.iter().any(|e| orders[e.0] == order);
        let mut roots: Vec<usize> = members.iter().filter(|o| !has_parent(o)).copied().collect();
        if roots.is_empty() {
            let first =
                |order: usize| (0..events.len()).filter(|&j| orders[j] == order).map(|j| (time(&events[j]), j)).min();
            roots.extend(members.iter().min_by_key(|&&o| first(o)));
        }
        let earliest = roots.into_iter().map(order_key).min().map(|k| k.1).unwrap_or_default();
        format!("{:032x}", xxh3_128(earliest.as_bytes()))[..20].to_string()
    };
    sets.iter().map(|&set| id_of(set)).collect()
}
