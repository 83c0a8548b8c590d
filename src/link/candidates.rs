//! Which order is meant by a reference to a parent (F3), among all orders found under the key.
//!
//! Own day first, else the newest earlier day in which an order under the key was open at the day's end. Of several,
//! the one that alone has the child's symbol and side and was live at the time. However many orders share a key and
//! however many references look there, each step is a binary search.

use super::join::is_real;
use super::orders::Summary;
use std::collections::HashMap;
use std::ops::Range;

/// One order under the key on one day. The class is 0 where symbol and side do not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    pub class: u64,
    pub day: i32,
    pub order: u32,
}

/// Candidates sorted, and how to step over days that have only one order.
#[derive(Default)]
pub(super) struct Pool {
    candidates: Vec<Candidate>,
    /// Start of the stretch of days, up to this candidate, on each of which this order is alone.
    stretches: Vec<u32>,
    /// By start of a day's slice.
    indexes: HashMap<u32, LiveIndex>,
}

/// Who looks for a parent.
#[derive(Clone, Copy)]
pub(super) struct Seeker {
    /// The order that looks: never its own parent.
    pub order: u32,
    pub class: u64,
    pub day: i32,
    pub time: i64,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Nobody,
    One(u32),
    Several,
}

impl Pool {
    pub fn new(mut candidates: Vec<Candidate>) -> Pool {
        candidates.sort_unstable();
        candidates.dedup();
        let mut stretches = Vec::with_capacity(candidates.len());
        let same_day = |a: &Candidate, b: &Candidate| (a.class, a.day) == (b.class, b.day);
        for (i, candidate) in candidates.iter().enumerate() {
            let before = i.checked_sub(1).map(|i| &candidates[i]);
            let is_alone = !before.is_some_and(|b| same_day(b, candidate))
                && !candidates.get(i + 1).is_some_and(|next| same_day(next, candidate));
            let goes_on = is_alone
                && before.is_some_and(|b| (b.class, b.order) == (candidate.class, candidate.order))
                && !(i >= 2 && same_day(&candidates[i - 2], &candidates[i - 1]));
            stretches.push(if goes_on { stretches[i - 1] } else { i as u32 });
        }
        Pool { candidates, stretches, indexes: HashMap::new() }
    }

    /// The candidates of the seeker's own day; empty when there is none but itself.
    pub fn on_own_day(&self, seeker: &Seeker, class: u64) -> Range<usize> {
        let day = self.day(class, seeker.day);
        if self.has_others(&day, seeker.order) { day } else { 0..0 }
    }

    /// The candidates of the newest earlier day that has one besides the seeker.
    pub fn on_earlier_day(&self, seeker: &Seeker, class: u64) -> Range<usize> {
        if !is_real(seeker.day) {
            return 0..0;
        }
        let mut end = self.candidates.partition_point(|c| (c.class, c.day) < (class, seeker.day));
        while let Some(last) = end.checked_sub(1).map(|i| self.candidates[i])
            && last.class == class
            && is_real(last.day)
        {
            let day = self.day(class, last.day);
            if self.has_others(&day, seeker.order) {
                return day;
            }
            end = self.stretches[day.start] as usize;
        }
        0..0
    }

    fn day(&self, class: u64, day: i32) -> Range<usize> {
        let start = self.candidates.partition_point(|c| (c.class, c.day) < (class, day));
        let len = self.candidates[start..].partition_point(|c| (c.class, c.day) == (class, day));
        start..start + len
    }

    fn has_others(&self, day: &Range<usize>, order: u32) -> bool {
        day.len() > 1 || self.candidates[day.clone()].first().is_some_and(|c| c.order != order)
    }

    /// The orders of a slice besides the seeker.
    pub fn others(&self, day: Range<usize>, order: u32) -> impl Iterator<Item = u32> + '_ {
        self.candidates[day].iter().map(|c| c.order).filter(move |&o| o != order)
    }

    /// How many [`Pool::others`] there are.
    pub fn count_others(&self, day: Range<usize>, order: u32) -> usize {
        let slice = &self.candidates[day];
        slice.len() - usize::from(slice.binary_search_by_key(&order, |c| c.order).is_ok())
    }

    /// Decides among the orders of one day. Slices longer than `few` are indexed once.
    pub fn decide(&mut self, day: Range<usize>, seeker: &Seeker, orders: &[Summary], few: usize) -> Found {
        let mut others = self.others(day.clone(), seeker.order);
        match (others.next(), others.next()) {
            (None, _) => return Found::Nobody,
            (Some(one), None) => return Found::One(one),
            _ => {}
        }
        drop(others);
        let fits = |order: u32| {
            let summary = &orders[order as usize];
            summary.class() == seeker.class && summary.is_live_at(seeker.time)
        };
        if day.len() <= few {
            let mut fitting = self.others(day, seeker.order).filter(|&o| fits(o));
            return match (fitting.next(), fitting.next()) {
                (Some(one), None) => Found::One(one),
                _ => Found::Several,
            };
        }
        let slice = &self.candidates[day.clone()];
        let index = self.indexes.entry(day.start as u32).or_insert_with(|| LiveIndex::new(slice, orders));
        let (mut count, mut sum) = index.live(seeker.class, seeker.time);
        if slice.binary_search_by_key(&seeker.order, |c| c.order).is_ok() && fits(seeker.order) {
            count -= 1;
            sum -= u64::from(seeker.order);
        }
        if count == 1 { Found::One(sum as u32) } else { Found::Several }
    }
}

/// Answers how many orders of a class were live at a time, and the sum of their numbers: of one, that is the order.
struct LiveIndex {
    begins: Vec<(u64, i64, u64)>,
    ends: Vec<(u64, i64, u64)>,
}

impl LiveIndex {
    fn new(slice: &[Candidate], orders: &[Summary]) -> LiveIndex {
        let summed = |time: fn(&Summary) -> i64| {
            let mut sorted: Vec<(u64, i64, u64)> = slice
                .iter()
                .map(|c| (&orders[c.order as usize], u64::from(c.order)))
                .map(|(summary, order)| (summary.class(), time(summary), order))
                .collect();
            sorted.sort_unstable();
            let mut sum = 0;
            for entry in &mut sorted {
                sum += entry.2;
                entry.2 = sum;
            }
            sorted
        };
        LiveIndex { begins: summed(Summary::begin), ends: summed(|s| s.end) }
    }

    fn live(&self, class: u64, time: i64) -> (usize, u64) {
        let before = |sorted: &[(u64, i64, u64)], key: (u64, i64, bool)| {
            // `key.2` takes in the instant itself.
            let count =
                sorted.partition_point(|e| (e.0, e.1) < (key.0, key.1) || (key.2 && (e.0, e.1) == (key.0, key.1)));
            (count, count.checked_sub(1).map_or(0, |last| sorted[last].2))
        };
        let outside = before(&self.begins, (class, i64::MIN, false));
        let begun = before(&self.begins, (class, time, true));
        let over = if time == super::part::UNTIMED {
            before(&self.ends, (class, i64::MIN, false))
        } else {
            before(&self.ends, (class, time, false))
        };
        let classes_before = before(&self.ends, (class, i64::MIN, false));
        let count = (begun.0 - outside.0) - (over.0 - classes_before.0);
        let sum = (begun.1 - outside.1) - (over.1 - classes_before.1);
        (count, sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::key::NO_DAY;
    use proptest::prelude::*;

    fn summary(class: u64, first_time: i64, end: i64) -> Summary {
        let (symbol, side) = ((class >> 8) as u32, class as u8);
        Summary { first_time, end, first_event: 0, key_event: 0, symbol, side }
    }

    proptest! {
        #[test]
        fn the_index_decides_as_the_plain_walk_does(
            lives in prop::collection::vec((0u64..3, 0i64..8, 0i64..8), 1..40),
            seekers in prop::collection::vec((0u32..40, 0i64..10), 1..40),
        ) {
            let orders: Vec<Summary> = lives
                .iter()
                .map(|&(class, begin, len)| {
                    let end = if len == 7 { super::super::part::UNTIMED } else { begin + len };
                    summary(class, if begin == 7 { super::super::part::UNTIMED } else { begin }, end)
                })
                .collect();
            let candidates =
                (0..orders.len() as u32).map(|order| Candidate { class: 0, day: 1, order }).collect::<Vec<_>>();
            let mut pool = Pool::new(candidates);
            for (order, time) in seekers {
                let order = order % orders.len() as u32;
                let time = if time == 9 { super::super::part::UNTIMED } else { time };
                let seeker = Seeker { order, class: orders[order as usize].class(), day: 1, time };
                let day = pool.on_own_day(&seeker, 0);
                let plain = pool.decide(day.clone(), &seeker, &orders, usize::MAX);
                prop_assert_eq!(pool.decide(day, &seeker, &orders, 0), plain);
            }
        }
    }

    #[test]
    fn the_newest_earlier_day_with_another_order_is_taken() {
        let at = |day, order| Candidate { class: 0, day, order };
        let pool = Pool::new(vec![at(1, 5), at(2, 7), at(3, 7), at(4, 7), at(NO_DAY, 9), at(2, 6)]);
        let seeker = |order, day| Seeker { order, class: 0, day, time: 0 };
        let orders = |day: Range<usize>| pool.candidates[day].iter().map(|c| c.order).collect::<Vec<_>>();
        assert_eq!(orders(pool.on_earlier_day(&seeker(7, 9), 0)), [6, 7]);
        assert_eq!(orders(pool.on_earlier_day(&seeker(8, 9), 0)), [7]);
        assert_eq!(orders(pool.on_earlier_day(&seeker(8, 2), 0)), [5]);
        assert_eq!(orders(pool.on_earlier_day(&seeker(5, 2), 0)), [0u32; 0]);
        assert_eq!(orders(pool.on_own_day(&seeker(7, 3), 0)), [0u32; 0]);
        assert_eq!(orders(pool.on_own_day(&seeker(8, 3), 0)), [7]);
        assert_eq!(orders(pool.on_own_day(&seeker(8, NO_DAY), 0)), [9]);
        assert_eq!(orders(pool.on_earlier_day(&seeker(8, NO_DAY), 0)), [0u32; 0]);
    }
}
