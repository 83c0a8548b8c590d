//! Union-find: sets that only grow together. The smallest member is the root, whatever the order of the unions.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Sets of dense numbers, joined from many threads without a lock.
///
/// A root is only ever hooked under a smaller one, so the final root of a set is its smallest member: the result does
/// not depend on the order of the unions. Relaxed order suffices: a stale parent is still an ancestor, and a union
/// retries until its compare-and-swap hooks a true root; readers come after the threads were joined.
#[derive(Default)]
pub(super) struct UnionFind {
    parents: Vec<AtomicU32>,
}

impl UnionFind {
    pub fn new(len: usize) -> UnionFind {
        UnionFind { parents: (0..len as u32).map(AtomicU32::new).collect() }
    }

    pub fn find(&self, mut member: u32) -> u32 {
        loop {
            let parent = self.parents[member as usize].load(Relaxed);
            if parent == member {
                return member;
            }
            let grandparent = self.parents[parent as usize].load(Relaxed);
            if grandparent != parent {
                // Halves the path; losing the race to another thread loses nothing.
                let _ = self.parents[member as usize].compare_exchange_weak(parent, grandparent, Relaxed, Relaxed);
            }
            member = parent;
        }
    }

    /// Joins two sets; false when they were one already.
    pub fn union(&self, a: u32, b: u32) -> bool {
        let (mut a, mut b) = (a, b);
        loop {
            a = self.find(a);
            b = self.find(b);
            if a == b {
                return false;
            }
            if a > b {
                std::mem::swap(&mut a, &mut b);
            }
            if self.parents[b as usize].compare_exchange(b, a, Relaxed, Relaxed).is_ok() {
                return true;
            }
        }
    }

    /// Numbers the sets 0, 1, 2… by their smallest member: (the set of each member, the number of sets).
    pub fn into_sets(self) -> (Vec<u32>, u32) {
        let mut sets: Vec<u32> = self.parents.into_iter().map(AtomicU32::into_inner).collect();
        let mut count = 0;
        for member in 0..sets.len() {
            let parent = sets[member] as usize;
            // A parent is smaller than its child and so has its set's number already.
            sets[member] = if parent == member {
                count += 1;
                count - 1
            } else {
                sets[parent]
            };
        }
        (sets, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn sets_are_numbered_by_their_smallest_member_whatever_the_order_of_unions() {
        let pairs: Vec<(u32, u32)> = (0..5000u32).map(|i| (i * 7919 % 10_000, i * 104_729 % 10_000)).collect();
        let plain = {
            let mut set: Vec<u32> = (0..10_000).collect();
            for &(a, b) in &pairs {
                let (a, b) = (set[a as usize], set[b as usize]);
                set.iter_mut().filter(|s| **s == a.max(b)).for_each(|s| *s = a.min(b));
            }
            let mut roots = set.clone();
            roots.sort_unstable();
            roots.dedup();
            set.iter().map(|s| roots.partition_point(|r| r < s) as u32).collect::<Vec<_>>()
        };
        let sets = UnionFind::new(10_000);
        pairs.par_iter().for_each(|&(a, b)| {
            sets.union(a, b);
        });
        assert_eq!(sets.into_sets().0, plain);
        let sets = UnionFind::new(10_000);
        pairs.iter().rev().for_each(|&(a, b)| {
            sets.union(b, a);
        });
        assert_eq!(sets.into_sets().0, plain);
    }
}
