//! Third step: busts and corrections join the order that holds their execution (F8).

use super::days::Days;
use super::join::is_real;
use super::orders::Orders;
use super::part::NONE;
use super::store::Store;
use super::union::UnionFind;
use rayon::prelude::*;

/// A bust or correction whose execution is not there, or is there in several orders.
#[derive(Clone, Copy)]
pub(super) struct LostExecution {
    pub event: u32,
    /// An event of each of two orders that hold the execution, when they cannot be told apart.
    pub candidates: Option<[u32; 2]>,
}

/// An execution, or a correction that looks for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    exec: u64,
    day: i32,
    order: u32,
    event: u32,
}

/// Few executions are corrected: a bitmap of the ExecIDs looked for turns most away unseen.
struct Filter(Vec<u64>);

impl Filter {
    fn of(wanted: &[Named]) -> Filter {
        let bits = (wanted.len() * 16).next_power_of_two().max(1024);
        let mut filter = Filter(vec![0; bits / 64]);
        wanted.iter().for_each(|w| {
            let (word, bit) = filter.place(w.exec);
            filter.0[word] |= bit;
        });
        filter
    }

    fn place(&self, exec: u64) -> (usize, u64) {
        let at = (exec.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize & (self.0.len() * 64 - 1);
        (at / 64, 1 << (at % 64))
    }

    fn may_hold(&self, exec: u64) -> bool {
        let (word, bit) = self.place(exec);
        self.0[word] & bit != 0
    }
}

/// Finds for each correction the order that holds its execution: on its own day, else on the newest earlier day that
/// has one. One that is in such an order already needs nothing; several others cannot be told apart and join nothing.
pub(super) fn link_executions(store: &Store, days: &Days, orders: &Orders) -> (Vec<(u32, u32)>, Vec<LostExecution>) {
    let named = |part: usize, event: u32, exec: u64| {
        let day = store.parts[part].events[event as usize].day;
        Named {
            exec,
            day,
            order: orders.of_local_event(store, days, part, event),
            event: store.event_number(part, event),
        }
    };
    let mut wanted: Vec<Named> = Vec::new();
    for (number, part) in store.parts.iter().enumerate() {
        wanted.extend(part.corrections.iter().map(|c| named(number, c.event, c.exec_ref)));
    }
    if wanted.is_empty() {
        return (Vec::new(), Vec::new());
    }
    // Once for each order is enough, by its first event.
    wanted.sort_unstable();
    wanted.dedup_by_key(|w| (w.exec, w.day, w.order));
    let filter = Filter::of(&wanted);
    let mut found: Vec<Named> = (0..store.parts.len())
        .into_par_iter()
        .flat_map_iter(|number| {
            let events = store.parts[number].events.iter().enumerate();
            let (filter, named) = (&filter, &named);
            events
                .filter(|(_, e)| e.exec != 0 && filter.may_hold(e.exec))
                .map(move |(event, e)| named(number, event as u32, e.exec))
        })
        .collect();
    found.par_sort_unstable();
    found.dedup_by_key(|f| (f.exec, f.day, f.order));
    let mut unions = Vec::new();
    let mut lost = Vec::new();
    for want in &wanted {
        let end = found.partition_point(|f| (f.exec, f.day) <= (want.exec, want.day));
        let newest = found[..end].last().filter(|f| f.exec == want.exec);
        let newest = newest.filter(|f| f.day == want.day || (is_real(f.day) && is_real(want.day)));
        let Some(newest) = newest else {
            lost.push(LostExecution { event: want.event, candidates: None });
            continue;
        };
        let start = found[..end].partition_point(|f| (f.exec, f.day) < (newest.exec, newest.day));
        let holders = &found[start..end];
        if holders.binary_search_by_key(&want.order, |f| f.order).is_ok() {
            continue;
        }
        match holders {
            [one] => unions.push((want.order, one.order)),
            [a, b, ..] => lost.push(LostExecution { event: want.event, candidates: Some([a.event, b.event]) }),
            [] => {}
        }
    }
    (unions, lost)
}

/// The sets of days with some of their orders joined.
pub(super) fn joined_further(orders: &Orders, days: usize, unions: &[(u32, u32)]) -> UnionFind {
    let sets = UnionFind::new(days);
    let mut first_day = vec![NONE; orders.len()];
    for (day, &order) in orders.of_day.iter().enumerate() {
        let first = &mut first_day[order as usize];
        if *first == NONE {
            *first = day as u32;
        }
        sets.union(*first, day as u32);
    }
    unions.iter().for_each(|&(a, b)| {
        sets.union(first_day[a as usize], first_day[b as usize]);
    });
    sets
}
