//! Fourth step: orders find their parents (F3).

use super::candidates::{Candidate, Found, Pool, Seeker};
use super::days::Days;
use super::join::{Run, Runs};
use super::orders::Orders;
use super::part::{NONE, Part};
use super::store::Store;
use crate::event::key::Expect;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Up to this many orders on a day are looked at one by one.
const FEW: usize = 32;
/// In place of an order: several fit.
const SEVERAL: u32 = NONE - 1;
/// Candidates named in a finding.
pub(super) const NAMED: usize = 5;

/// A child order and one of its parents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub child: u32,
    pub parent: u32,
    /// The event that refers to the parent, and how.
    pub time: i64,
    pub event: u32,
    pub reference: u32,
}

/// A reference that several orders fit.
pub(super) struct Ambiguous {
    pub reference: u32,
    /// The first few of them.
    pub candidates: Vec<u32>,
    pub count: usize,
}

/// A reference without a parent.
pub(super) struct LostParent {
    pub child: u32,
    pub event: u32,
    pub reference: u32,
    /// Place in the list of ambiguous references, or `None` when nobody fits.
    pub ambiguous: Option<u32>,
}

/// What the fourth step finds.
pub(super) struct Parents {
    /// Sorted; one for each pair of orders.
    pub edges: Vec<Edge>,
    pub lost: Vec<LostParent>,
    pub ambiguous: Vec<Ambiguous>,
}

pub(super) fn find_parents(store: &Store, partitions: &[Runs], days: &Days, orders: &Orders) -> Parents {
    let outcomes: Vec<AtomicU32> = (0..store.ref_count()).map(|_| AtomicU32::new(NONE)).collect();
    let mut ambiguous: Vec<Ambiguous> = partitions
        .par_iter()
        .flat_map_iter(|runs| {
            let mut ambiguous = Vec::new();
            for run in runs.runs.iter().filter(|r| !r.refs.is_empty() && !r.groups.is_empty()) {
                look_up(store, runs, run, days, orders, &outcomes, &mut ambiguous);
            }
            ambiguous
        })
        .collect();
    ambiguous.sort_unstable_by_key(|a| a.reference);
    let (edges, lost): (Vec<Vec<Edge>>, Vec<Vec<LostParent>>) = (0..store.parts.len())
        .into_par_iter()
        .map(|part| choose(store, part, days, orders, &outcomes, &ambiguous))
        .unzip();
    let mut edges = edges.concat();
    edges.par_sort_unstable();
    edges.dedup_by_key(|e| (e.child, e.parent));
    let mut lost: Vec<LostParent> = lost.into_iter().flatten().collect();
    keep_first_of_each(store, &edges, &mut lost);
    Parents { edges, lost, ambiguous }
}

/// Looks up all references to one key.
fn look_up(
    store: &Store,
    runs: &Runs,
    run: &Run,
    days: &Days,
    orders: &Orders,
    outcomes: &[AtomicU32],
    ambiguous: &mut Vec<Ambiguous>,
) {
    let groups = runs.groups(run);
    let pool = |is_guess: bool, only_open: bool| {
        let day_of = |node: u32| days.of_node[node as usize];
        let open = groups.iter().filter(|g| !only_open || !days.is_terminal(store, day_of(g.node)));
        let candidates = open.map(|g| {
            let order = orders.of_day[day_of(g.node) as usize];
            let class = if is_guess { orders.summaries[order as usize].class() } else { 0 };
            Candidate { class, day: g.day, order }
        });
        Pool::new(candidates.collect())
    };
    let mut pools: [[Option<Pool>; 2]; 2] = Default::default();
    for &number in runs.refs(run) {
        let (part, reference) = store.parent_ref(number);
        let event = &store.parts[part].events[reference.event as usize];
        let order = orders.of_local_event(store, days, part, reference.event);
        let class = orders.summaries[order as usize].class();
        let seeker = Seeker { order, class, day: event.day, time: event.time };
        let is_guess = reference.expect == Expect::SameSymbolAndSide;
        // Nearly always one order alone has the key, and today.
        if let [only] = groups
            && only.day == event.day
            && !is_guess
        {
            let parent = orders.of_day[days.of_node[only.node as usize] as usize];
            if parent != order {
                outcomes[number as usize].store(parent, Relaxed);
            }
            continue;
        }
        let class = if is_guess { class } else { 0 };
        let [all, open] = &mut pools[usize::from(is_guess)];
        let mut pool_used = all.get_or_insert_with(|| pool(is_guess, false));
        let mut day = pool_used.on_own_day(&seeker, class);
        if day.is_empty() {
            pool_used = open.get_or_insert_with(|| pool(is_guess, true));
            day = pool_used.on_earlier_day(&seeker, class);
        }
        let outcome = match pool_used.decide(day.clone(), &seeker, &orders.summaries, FEW) {
            Found::Nobody => continue,
            Found::One(parent) => parent,
            Found::Several => {
                if !is_guess {
                    let count = pool_used.count_others(day.clone(), order);
                    let candidates = pool_used.others(day, order).take(NAMED).collect();
                    ambiguous.push(Ambiguous { reference: number, candidates, count });
                }
                SEVERAL
            }
        };
        outcomes[number as usize].store(outcome, Relaxed);
    }
}

/// For each slot of each event of a part, the lowest rank that found somebody decides.
fn choose(
    store: &Store,
    part_number: usize,
    days: &Days,
    orders: &Orders,
    outcomes: &[AtomicU32],
    ambiguous: &[Ambiguous],
) -> (Vec<Edge>, Vec<LostParent>) {
    let part: &Part = &store.parts[part_number];
    let (mut edges, mut lost) = (Vec::new(), Vec::new());
    let mut by_slot: Vec<u32> = Vec::new();
    for of_event in part.refs.chunk_by(|a, b| a.event == b.event) {
        let first = part.refs(of_event[0].event).start;
        by_slot.clear();
        by_slot.extend(first..first + of_event.len() as u32);
        let place = |&r: &u32| (part.refs[r as usize].slot, part.refs[r as usize].rank);
        if !by_slot.is_sorted_by_key(place) {
            by_slot.sort_by_key(place);
        }
        let child = orders.of_local_event(store, days, part_number, of_event[0].event);
        let event = store.event_number(part_number, of_event[0].event);
        for slot in by_slot.chunk_by(|&a, &b| part.refs[a as usize].slot == part.refs[b as usize].slot) {
            let outcome = |&r: &u32| outcomes[store.ref_number(part_number, r) as usize].load(Relaxed);
            let decisive = slot.iter().find(|r| outcome(r) != NONE);
            let reference = store.ref_number(part_number, *decisive.unwrap_or(&slot[0]));
            match decisive.map(outcome) {
                None => {
                    if slot.iter().any(|&r| part.refs[r as usize].expect == Expect::Parent) {
                        lost.push(LostParent { child, event, reference, ambiguous: None });
                    }
                }
                Some(SEVERAL) => {
                    if let Ok(at) = ambiguous.binary_search_by_key(&reference, |a| a.reference) {
                        lost.push(LostParent { child, event, reference, ambiguous: Some(at as u32) });
                    }
                }
                Some(parent) => {
                    let time = part.events[of_event[0].event as usize].time;
                    edges.push(Edge { child, parent, time, event, reference });
                }
            }
        }
    }
    (edges, lost)
}

/// An order says once what it misses, however often its messages repeat it, and not at all when one of them found it.
fn keep_first_of_each(store: &Store, edges: &[Edge], lost: &mut Vec<LostParent>) {
    if lost.is_empty() {
        return;
    }
    let hash = |reference: u32| store.parent_ref(reference).1.hash;
    lost.sort_by_cached_key(|l| (l.child, hash(l.reference), store.when(l.event)));
    lost.dedup_by_key(|l| (l.child, hash(l.reference)));
    let mut found: Vec<(u32, [u64; 2])> = Vec::new();
    for edge in edges.iter().filter(|e| lost.binary_search_by_key(&e.child, |l| l.child).is_ok()) {
        found.push((edge.child, hash(edge.reference)));
    }
    found.sort_unstable();
    lost.retain(|l| found.binary_search(&(l.child, hash(l.reference))).is_err());
}
