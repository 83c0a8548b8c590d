//! Lifecycles: orders joined with their parents; their order in the output, and their ids.

use super::days::Days;
use super::groups::Groups;
use super::orders::{Orders, assigned_cl_ord_id};
use super::parent::Edge;
use super::part::NONE;
use super::store::{Store, push_day};
use super::union::UnionFind;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

/// Events in a block, unless one lifecycle alone has more.
const BLOCK_EVENTS: u64 = 64 * 1024;

/// All lifecycles, numbered by (day, time, place) of their first event.
pub(super) struct Lifecycles {
    /// The lifecycle of each order.
    pub of_order: Vec<u32>,
    pub orders: Groups,
    /// Orders with a parent and with a child, by order.
    pub has_parent: Vec<bool>,
    pub has_child: Vec<bool>,
    /// Half of an xxh3-128: 20 hex digits.
    ids: Vec<[u8; 10]>,
    /// Where each block starts, then the number of lifecycles; and the day of each block.
    block_starts: Vec<u32>,
    block_days: Vec<i32>,
}

impl Lifecycles {
    pub fn new(store: &Store, days: &Days, orders: &Orders, edges: &[Edge]) -> Lifecycles {
        let sets = UnionFind::new(orders.len());
        let (mut has_parent, mut has_child) = (vec![false; orders.len()], vec![false; orders.len()]);
        for edge in edges {
            sets.union(edge.child, edge.parent);
            has_parent[edge.child as usize] = true;
            has_child[edge.parent as usize] = true;
        }
        let (mut of_order, count) = sets.into_sets();
        let firsts = sort_by_first_event(store, orders, &mut of_order, count);
        let groups = Groups::of(count as usize, of_order.iter().copied());
        let (block_starts, block_days) = blocks(days, orders, &groups, &firsts);
        let mut lifecycles =
            Lifecycles { of_order, orders: groups, has_parent, has_child, ids: Vec::new(), block_starts, block_days };
        lifecycles.break_cycles(orders);
        lifecycles.name(store, orders, &firsts);
        lifecycles
    }

    pub fn len(&self) -> usize {
        self.orders.len()
    }

    /// The orders without a parent.
    pub fn roots(&self, lifecycle: u32) -> impl Iterator<Item = u32> + '_ {
        self.orders.get(lifecycle).iter().copied().filter(|&order| !self.has_parent[order as usize])
    }

    pub fn id(&self, lifecycle: u32) -> [u8; 20] {
        as_digits(self.ids[lifecycle as usize])
    }

    pub fn short_id(&self, lifecycle: u32) -> [u8; 10] {
        self.ids[lifecycle as usize]
    }

    pub fn blocks(&self) -> usize {
        self.block_days.len()
    }

    pub fn block_day(&self, block: usize) -> i32 {
        self.block_days[block]
    }

    pub fn block(&self, block: usize) -> std::ops::Range<u32> {
        self.block_starts[block]..self.block_starts[block + 1]
    }

    /// Orders that are each other's parents leave no root, or no leaf: then the earliest order is the root, and the
    /// last one the leaf.
    fn break_cycles(&mut self, orders: &Orders) {
        for lifecycle in 0..self.orders.len() as u32 {
            let members = self.orders.get(lifecycle);
            if members.len() < 2 {
                continue;
            }
            let when = |&&order: &&u32| {
                let summary = &orders.summaries[order as usize];
                (summary.first_time, summary.first_event)
            };
            if members.iter().all(|&o| self.has_parent[o as usize])
                && let Some(&first) = members.iter().min_by_key(when)
            {
                self.has_parent[first as usize] = false;
            }
            if members.iter().all(|&o| self.has_child[o as usize])
                && let Some(&last) = members.iter().max_by_key(when)
            {
                self.has_child[last as usize] = false;
            }
        }
    }

    fn name(&mut self, store: &Store, orders: &Orders, firsts: &[(u32, i32)]) {
        let this = &*self;
        let mut ids: Vec<[u8; 10]> = (0..self.len() as u32)
            .into_par_iter()
            .with_min_len(1024)
            .map_init(Vec::new, |key, lifecycle| {
                this.earliest_root_key(store, orders, lifecycle, key);
                shortened(xxh3_128(key))
            })
            .collect();
        // Two lifecycles with one key take the event_id of their first event into the hash.
        let mut sorted: Vec<([u8; 10], u32)> = ids.iter().copied().zip(0..).collect();
        sorted.par_sort_unstable();
        let mut key = Vec::new();
        for equal in sorted.chunk_by(|a, b| a.0 == b.0).filter(|equal| equal.len() > 1) {
            for &(_, lifecycle) in equal {
                this.earliest_root_key(store, orders, lifecycle, &mut key);
                key.push(1);
                store.event_id(firsts[lifecycle as usize].0, &mut key);
                ids[lifecycle as usize] = shortened(xxh3_128(&key));
            }
        }
        self.ids = ids;
    }

    /// The key of the root with the earliest first event; of those of one instant the smallest key.
    fn earliest_root_key(&self, store: &Store, orders: &Orders, lifecycle: u32, key: &mut Vec<u8>) {
        key.clear();
        let time = |order: u32| orders.summaries[order as usize].first_time;
        let Some(earliest) = self.roots(lifecycle).map(time).min() else { return };
        let mut other = Vec::new();
        for root in self.roots(lifecycle).filter(|&root| time(root) == earliest) {
            let target = if key.is_empty() { &mut *key } else { &mut other };
            target.clear();
            order_key(store, orders, root, target);
            if !other.is_empty() && other < *key {
                std::mem::swap(key, &mut other);
            }
        }
    }
}

/// What the id is the hash of: orderer, receiver, day and ClOrdID with SOH between them, of the first event that
/// assigns a ClOrdID; of an order without one, the `event_id` of its first event.
fn order_key(store: &Store, orders: &Orders, order: u32, out: &mut Vec<u8>) {
    let summary = &orders.summaries[order as usize];
    if summary.key_event == NONE {
        return store.event_id(summary.first_event, out);
    }
    let event = store.event(summary.key_event);
    out.extend_from_slice(store.names.bytes(event.orderer));
    out.push(1);
    out.extend_from_slice(store.names.bytes(event.receiver));
    out.push(1);
    push_day(event.day, out);
    out.push(1);
    out.extend_from_slice(assigned_cl_ord_id(store, summary.key_event));
}

/// The hexadecimal digits of a lifecycle's id.
pub fn as_digits(id: [u8; 10]) -> [u8; 20] {
    let mut text = [0; 20];
    for (pair, byte) in text.chunks_exact_mut(2).zip(id) {
        pair[0] = b"0123456789abcdef"[usize::from(byte >> 4)];
        pair[1] = b"0123456789abcdef"[usize::from(byte & 15)];
    }
    text
}

/// The first 20 hex digits.
fn shortened(hash: u128) -> [u8; 10] {
    let bytes = hash.to_be_bytes();
    std::array::from_fn(|i| bytes[i])
}

/// Renumbers the lifecycles by (day, time, place) of their first events, which it gives back with
/// their days.
fn sort_by_first_event(store: &Store, orders: &Orders, of_order: &mut [u32], count: u32) -> Vec<(u32, i32)> {
    let mut firsts = vec![(i64::MAX, NONE); count as usize];
    for (summary, &lifecycle) in orders.summaries.iter().zip(&*of_order) {
        let first = &mut firsts[lifecycle as usize];
        *first = (*first).min((summary.first_time, summary.first_event));
    }
    let mut sorted: Vec<(i32, i64, u32, u32)> =
        firsts.iter().zip(0..).map(|(&(time, event), old)| (store.event(event).day, time, event, old)).collect();
    sorted.par_sort_unstable();
    let mut renumbered = vec![0; count as usize];
    for (new, entry) in sorted.iter().enumerate() {
        renumbered[entry.3 as usize] = new as u32;
    }
    of_order.iter_mut().for_each(|lifecycle| *lifecycle = renumbered[*lifecycle as usize]);
    sorted.iter().map(|&(day, _, event, _)| (event, day)).collect()
}

/// Cuts the lifecycles into blocks of one day each.
fn blocks(days: &Days, orders: &Orders, groups: &Groups, firsts: &[(u32, i32)]) -> (Vec<u32>, Vec<i32>) {
    let (mut starts, mut block_days) = (Vec::new(), Vec::new());
    let mut events = 0;
    for (lifecycle, &(_, day)) in (0..groups.len() as u32).zip(firsts) {
        if block_days.last() != Some(&day) || events >= BLOCK_EVENTS {
            starts.push(lifecycle);
            block_days.push(day);
            events = 0;
        }
        events += groups.get(lifecycle).iter().map(|&o| orders.event_count(days, o)).sum::<u64>();
    }
    starts.push(groups.len() as u32);
    (starts, block_days)
}
