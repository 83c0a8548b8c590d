//! First step: equal keys of one day join (F1 within a scope, F2, F4).
//!
//! Partition by partition, all entries of equal hash are brought together by sorting. What needs another look later,
//! because nobody assigns the key or because somebody looks for a parent under it, is kept as a [`Run`].

use super::part::{NONE, PARTITIONS};
use super::store::Store;
use super::union::UnionFind;
use crate::event::key::{Expect, KeyKind, NO_DAY};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The uses of one key in one scope on one day; of a key that does not join, one use.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub scope: u32,
    pub day: i32,
    pub node: u32,
    /// The entry whose head is the group's head.
    pub entry: u32,
    /// The group's entries: start in [`Runs::members`] and count. Kept only when nobody assigns the key.
    members: (u32, u32),
    pub kind: KeyKind,
    pub is_assigned: bool,
}

/// All groups of one hash, ascending by scope and day, and the references that look for a parent there.
#[derive(Clone)]
pub(super) struct Run {
    pub groups: Range<u32>,
    pub refs: Range<u32>,
}

/// The runs of a partition.
#[derive(Default)]
pub(super) struct Runs {
    pub runs: Vec<Run>,
    pub groups: Vec<Group>,
    pub refs: Vec<u32>,
    members: Vec<u32>,
}

impl Runs {
    pub fn groups(&self, run: &Run) -> &[Group] {
        &self.groups[run.groups.start as usize..run.groups.end as usize]
    }

    pub fn refs(&self, run: &Run) -> &[u32] {
        &self.refs[run.refs.start as usize..run.refs.end as usize]
    }

    pub fn members(&self, group: &Group) -> &[u32] {
        &self.members[group.members.0 as usize..(group.members.0 + group.members.1) as usize]
    }
}

/// What the first step leaves.
pub(super) struct Joined {
    pub partitions: Vec<Runs>,
    /// For each entry the event that assigned its key, or else the earliest that uses it.
    pub antecedents: Vec<AtomicU32>,
    /// Sets of nodes: the orders of single days.
    pub days: UnionFind,
}

/// A row of the sort: an entry.
#[derive(Clone, Copy)]
struct Row {
    hash: [u64; 2],
    scope: u32,
    day: i32,
    part: u32,
    entry: u32,
}

pub(super) fn join(store: &Store) -> Joined {
    let antecedents: Vec<AtomicU32> = (0..store.entry_count()).map(|_| AtomicU32::new(NONE)).collect();
    let days = UnionFind::new(store.node_count() as usize);
    let partitions = (0..PARTITIONS).into_par_iter().map(|p| join_partition(store, p, &antecedents, &days)).collect();
    Joined { partitions, antecedents, days }
}

fn join_partition(store: &Store, partition: usize, antecedents: &[AtomicU32], days: &UnionFind) -> Runs {
    let mut rows = Vec::new();
    let mut refs = Vec::new();
    for (number, part) in store.parts.iter().enumerate() {
        let (start, end) = (part.entry_starts[partition], part.entry_starts[partition + 1]);
        rows.extend((start..end).map(|entry| {
            let e = &part.entries[entry as usize];
            Row { hash: e.hash, scope: e.scope, day: e.day, part: number as u32, entry }
        }));
        let (start, end) = (part.ref_starts[partition] as usize, part.ref_starts[partition + 1] as usize);
        refs.extend(
            part.ref_order[start..end].iter().map(|&r| (part.refs[r as usize].hash, store.ref_number(number, r))),
        );
    }
    rows.sort_unstable_by_key(|r| (r.hash, r.scope, r.day, r.part, r.entry));
    refs.sort_unstable();
    let mut runs = Runs::default();
    let mut refs = &refs[..];
    for run in rows.chunk_by(|a, b| a.hash == b.hash) {
        let hash = run[0].hash;
        let (nobodys, rest) = split_front(refs, |r| r.0 < hash);
        keep_hopeless(store, nobodys, &mut runs);
        let (mine, rest) = split_front(rest, |r| r.0 == hash);
        join_run(store, run, mine, antecedents, days, &mut runs);
        refs = rest;
    }
    keep_hopeless(store, refs, &mut runs);
    runs.runs.shrink_to_fit();
    runs.groups.shrink_to_fit();
    runs.refs.shrink_to_fit();
    runs
}

/// Splits off the front for which `is_front` holds; short, so it is walked.
fn split_front<T>(slice: &[T], is_front: impl Fn(&T) -> bool) -> (&[T], &[T]) {
    slice.split_at(slice.iter().take_while(|t| is_front(t)).count())
}

/// References to keys that nobody has: only those that must have a parent are of interest.
fn keep_hopeless(store: &Store, refs: &[([u64; 2], u32)], runs: &mut Runs) {
    let start = runs.refs.len() as u32;
    runs.refs.extend(refs.iter().map(|r| r.1).filter(|&r| store.parent_ref(r).1.expect == Expect::Parent));
    let groups = runs.groups.len() as u32;
    if runs.refs.len() as u32 > start {
        runs.runs.push(Run { groups: groups..groups, refs: start..runs.refs.len() as u32 });
    }
}

fn join_run(
    store: &Store,
    run: &[Row],
    refs: &[([u64; 2], u32)],
    antecedents: &[AtomicU32],
    days: &UnionFind,
    runs: &mut Runs,
) {
    let kind = store.parts[run[0].part as usize].entries[run[0].entry as usize].kind;
    let joins = kind != KeyKind::ClOrdLinkId;
    let first_group = runs.groups.len() as u32;
    let first_member = runs.members.len();
    let mut is_worth_keeping = !refs.is_empty();
    for rows in run.chunk_by(|a, b| joins && a.scope == b.scope && a.day == b.day) {
        let entry_of = |row: &Row| &store.parts[row.part as usize].entries[row.entry as usize];
        let head_of = |row: &Row| store.event_number(row.part as usize, entry_of(row).head);
        let node_of = |row: &Row| store.node_number(row.part as usize, entry_of(row).node);
        let mut best = &rows[0];
        for row in &rows[1..] {
            let rank = |row: &Row| (!entry_of(row).is_assigned, store.when(head_of(row)));
            if rank(row) < rank(best) {
                best = row;
            }
            days.union(node_of(&rows[0]), node_of(row));
        }
        let is_assigned = entry_of(best).is_assigned;
        let head = head_of(best);
        let number_of = |row: &Row| store.entry_number(row.part as usize, row.entry);
        rows.iter().for_each(|row| antecedents[number_of(row) as usize].store(head, Relaxed));
        let mut members = (0, 0);
        if !is_assigned && matches!(kind, KeyKind::ClOrdId | KeyKind::OrderId) {
            is_worth_keeping = true;
            members = (runs.members.len() as u32, rows.len() as u32);
            runs.members.extend(rows.iter().map(number_of));
        }
        let (scope, day) = (best.scope, best.day);
        runs.groups.push(Group { scope, day, node: node_of(best), entry: number_of(best), members, kind, is_assigned });
    }
    if is_worth_keeping && kind != KeyKind::Copy {
        let first_ref = runs.refs.len() as u32;
        runs.refs.extend(refs.iter().map(|r| r.1));
        runs.runs.push(Run { groups: first_group..runs.groups.len() as u32, refs: first_ref..runs.refs.len() as u32 });
    } else {
        runs.groups.truncate(first_group as usize);
        runs.members.truncate(first_member);
    }
}

/// Days that know each other: an event without a day is on a day of its own, which no other day looks into.
pub(super) fn is_real(day: i32) -> bool {
    day != NO_DAY
}
