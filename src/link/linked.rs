//! Everything linked, and the rows it gives.

use super::Rows;
use super::assemble::Assembly;
use super::days::{Days, link_days};
use super::execution::{joined_further, link_executions};
use super::gather::Gathered;
use super::join::{Joined, join};
use super::lifecycles::Lifecycles;
use super::linker::PartKey;
use super::orders::Orders;
use super::parent::{Ambiguous, Edge, find_parents};
use super::part::{Event, Part};
use super::store::Store;
use super::unlinked::{Note, notes};
use std::sync::atomic::AtomicU32;

/// Everything linked.
pub struct Linked {
    pub(super) store: Store,
    /// For each entry the event that its uses lead to.
    pub(super) antecedents: Vec<AtomicU32>,
    pub(super) days: Days,
    pub(super) orders: Orders,
    edges: Vec<Edge>,
    ambiguous: Vec<Ambiguous>,
    pub(super) lifecycles: Lifecycles,
    notes: Vec<Note>,
}

impl Linked {
    /// Links parts, which are in the order of their events.
    pub(super) fn of(parts: Vec<(PartKey, Part)>, event_prefixes: Vec<[u8; 12]>) -> Linked {
        let store = Store::new(parts, event_prefixes);
        let Joined { partitions, antecedents, days } = join(&store);
        let days = Days::new(&store, days);
        let (sets, unknown) = link_days(&store, &partitions, &antecedents, &days);
        let mut orders = Orders::new(sets);
        let (unions, lost_executions) = link_executions(&store, &days, &orders);
        if !unions.is_empty() {
            orders = Orders::new(joined_further(&orders, days.len(), &unions));
        }
        orders.summarize(&store, &days);
        let parents = find_parents(&store, &partitions, &days, &orders);
        drop(partitions);
        let lifecycles = Lifecycles::new(&store, &days, &orders, &parents.edges);
        let notes = notes(&store, &days, &orders, &lifecycles.of_order, &unknown, &lost_executions, &parents);
        let (edges, ambiguous) = (parents.edges, parents.ambiguous);
        Linked { store, antecedents, days, orders, edges, ambiguous, lifecycles, notes }
    }

    /// The units of this run that have events here, ascending.
    pub fn units(&self) -> impl Iterator<Item = u32> + '_ {
        self.store.units()
    }

    /// Hands out the rows of a unit of this run that have a lifecycle, ascending, each with its lifecycle's number.
    pub fn each_row(&self, unit: u32, mut each: impl FnMut(u32, u32)) {
        for number in self.store.parts_of_unit(unit) {
            for (event, local) in self.store.parts[number].events.iter().zip(0..) {
                let order = self.orders.of_local_event(&self.store, &self.days, number, local);
                each(event.row, self.lifecycles.of_order[order as usize]);
            }
        }
    }

    /// Hands out all events, each with its lifecycle's number and whether it came with an earlier commit.
    pub(super) fn each_event(&self, mut each: impl FnMut(&Event, u32, bool)) {
        for (number, (part, key)) in self.store.parts.iter().zip(&self.store.keys).enumerate() {
            for (event, local) in part.events.iter().zip(0..) {
                let order = self.orders.of_local_event(&self.store, &self.days, number, local);
                each(event, self.lifecycles.of_order[order as usize], key.is_known);
            }
        }
    }

    /// The id of a lifecycle: 20 hexadecimal digits.
    pub fn id(&self, lifecycle: u32) -> [u8; 20] {
        self.lifecycles.id(lifecycle)
    }

    /// The bytes that the digits of an id stand for.
    pub fn short_id(&self, lifecycle: u32) -> [u8; 10] {
        self.lifecycles.short_id(lifecycle)
    }

    pub fn events(&self) -> u64 {
        u64::from(self.store.event_count())
    }

    pub fn orders(&self) -> u64 {
        self.orders.len() as u64
    }

    pub fn lifecycles(&self) -> u64 {
        self.lifecycles.len() as u64
    }

    /// Blocks of lifecycles, sorted by day; each can be asked for on its own, from any thread.
    pub fn blocks(&self) -> usize {
        self.lifecycles.blocks()
    }

    /// The day of all lifecycles of a block, or `NO_DAY`.
    pub fn block_day(&self, block: usize) -> i32 {
        self.lifecycles.block_day(block)
    }

    /// Hands out the rows of a block, lifecycle by lifecycle: links, findings, the lifecycle.
    pub fn block(&self, block: usize, rows: &mut impl Rows) {
        let range = self.lifecycles.block(block);
        let mut notes = &self.notes[self.notes.partition_point(|n| n.lifecycle < range.start)..];
        let (mut gathered, mut assembly) = (Gathered::default(), Assembly::default());
        let mut first = range.start;
        while first < range.end {
            let count = gathered.fill(self, first, range.end);
            for n in 0..count {
                let lifecycle = first + n;
                let mine = notes.iter().take_while(|n| n.lifecycle == lifecycle).count();
                for note in &notes[..mine] {
                    rows.finding(note.finding(&self.store, &self.orders, &self.ambiguous));
                }
                notes = &notes[mine..];
                assembly.lifecycle(self, lifecycle, gathered.orders(n), rows);
            }
            first += count;
        }
    }

    /// The edges to an order's parents.
    pub(super) fn edges_from(&self, child: u32) -> &[Edge] {
        let start = self.edges.partition_point(|e| e.child < child);
        let len = self.edges[start..].iter().take_while(|e| e.child == child).count();
        &self.edges[start..start + len]
    }
}
