//! Second step: references that nobody answers on their own day look into earlier days (F1, F2).
//!
//! The rule: the newest earlier day in which the order under that key was not terminal at the day's end. What finds no
//! day is unknown, and is said once for each key.

use super::groups::Groups;
use super::join::{Group, Runs, is_real};
use super::part::NONE;
use super::store::Store;
use super::union::UnionFind;
use crate::event::key::KeyKind;
use crate::order::is_terminal;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

/// The orders of single days: sets of events joined by keys of one day.
pub(super) struct Days {
    /// The set of each node.
    pub of_node: Vec<u32>,
    pub events: Groups,
    /// 0 not looked at yet, 1 open at the day's end, 2 terminal.
    ends: Vec<AtomicU8>,
}

impl Days {
    pub fn new(store: &Store, sets: UnionFind) -> Days {
        let (of_node, count) = sets.into_sets();
        let events = Groups::of(count as usize, store.nodes().map(|node| of_node[node as usize]));
        let ends = (0..count).map(|_| AtomicU8::new(0)).collect();
        Days { of_node, events, ends }
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// True when the last status of the day says that nothing more can happen.
    pub fn is_terminal(&self, store: &Store, day: u32) -> bool {
        let known = self.ends[day as usize].load(Relaxed);
        if known != 0 {
            return known == 2;
        }
        let last = self.events.get(day).iter().filter_map(|&number| {
            let event = store.event(number);
            is_terminal(event.kind, event.status).map(|terminal| (event.time, number, terminal))
        });
        let terminal = last.max().is_some_and(|(_, _, terminal)| terminal);
        self.ends[day as usize].store(1 + u8::from(terminal), Relaxed);
        terminal
    }
}

/// A key that is referred to and that no event assigned.
#[derive(Clone, Copy)]
pub(super) struct UnknownKey {
    /// The entry, whose head is the first event that refers to the key.
    pub entry: u32,
    /// The entry of the nearest key that an event did assign, or [`NONE`].
    pub nearest: u32,
    pub kind: KeyKind,
}

/// Joins days to orders. Antecedents of references are led on to the event of the earlier day.
pub(super) fn link_days(
    store: &Store,
    partitions: &[Runs],
    antecedents: &[AtomicU32],
    days: &Days,
) -> (UnionFind, Vec<UnknownKey>) {
    let orders = UnionFind::new(days.len());
    let unknown = partitions
        .par_iter()
        .flat_map_iter(|runs| {
            let mut unknown = Vec::new();
            for run in &runs.runs {
                let groups = runs.groups(run);
                if groups.first().is_some_and(|g| matches!(g.kind, KeyKind::ClOrdId | KeyKind::OrderId)) {
                    link_run(store, runs, groups, antecedents, days, &orders, &mut unknown);
                }
            }
            unknown
        })
        .collect();
    (orders, unknown)
}

fn link_run(
    store: &Store,
    runs: &Runs,
    groups: &[Group],
    antecedents: &[AtomicU32],
    days: &Days,
    orders: &UnionFind,
    unknown: &mut Vec<UnknownKey>,
) {
    let mut assigned_by_day: Option<Vec<(i32, u32)>> = None;
    for same_scope in groups.chunk_by(|a, b| a.scope == b.scope) {
        let mut newest_open: Option<&Group> = None;
        for group in same_scope {
            let day = days.of_node[group.node as usize];
            match newest_open.filter(|_| !group.is_assigned) {
                Some(earlier) => {
                    orders.union(day, days.of_node[earlier.node as usize]);
                    let head = antecedents[earlier.entry as usize].load(Relaxed);
                    runs.members(group).iter().for_each(|&entry| antecedents[entry as usize].store(head, Relaxed));
                }
                None if !group.is_assigned => {
                    let assigned = assigned_by_day.get_or_insert_with(|| by_day(groups));
                    let nearest = nearest(groups, same_scope, group, assigned);
                    unknown.push(UnknownKey { entry: group.entry, nearest, kind: group.kind });
                }
                None => {}
            }
            let is_looked_at = same_scope.len() > 1 && is_real(group.day);
            if is_looked_at && !days.is_terminal(store, day) {
                newest_open = Some(group);
            }
        }
    }
}

fn by_day(groups: &[Group]) -> Vec<(i32, u32)> {
    let mut assigned: Vec<(i32, u32)> =
        groups.iter().enumerate().filter(|(_, g)| g.is_assigned).map(|(i, g)| (g.day, i as u32)).collect();
    assigned.sort_unstable();
    assigned
}

/// The assigned key that differs least: another orderer on the same day, else another day of the same orderer (earlier
/// before later), else any.
fn nearest(groups: &[Group], same_scope: &[Group], group: &Group, assigned: &[(i32, u32)]) -> u32 {
    let at = assigned.partition_point(|a| a.0 < group.day);
    if let Some(&(day, other)) = assigned.get(at)
        && day == group.day
    {
        return groups[other as usize].entry;
    }
    // Few days lie between a late reference and its order; looking no further than some keeps this linear.
    const NEAR: usize = 32;
    let at = same_scope.partition_point(|g| g.day < group.day);
    let earlier = same_scope[..at].iter().rev().take(NEAR).find(|g| g.is_assigned);
    let found = earlier.or_else(|| same_scope[at..].iter().take(NEAR).find(|g| g.is_assigned));
    match found {
        Some(found) => found.entry,
        None => assigned.first().map_or(NONE, |&(_, other)| groups[other as usize].entry),
    }
}
