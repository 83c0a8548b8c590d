//! The meetings of all parts, brought together partition by partition of their hashes; on disk but for the last few.

use super::meeting::{self, MEETING, Meeting};
use super::part::Part;
use super::union::UnionFind;
use crate::Result;
use crate::table::Spool;
use crate::table::scatter::{PARTITIONS, Scatter, partition};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Everybody who meets somebody else under a hash.
pub(super) struct Meetings {
    spool: Arc<Spool>,
    scatter: Scatter,
    seen: Mutex<Seen>,
}

/// The days and scopes that there are.
#[derive(Clone, Default)]
pub(super) struct Seen {
    pub days: BTreeSet<i32>,
    pub scopes: BTreeSet<u64>,
}

impl Meetings {
    pub fn new(spool: Arc<Spool>) -> Meetings {
        Meetings { scatter: Scatter::new(spool.clone()), spool, seen: Mutex::default() }
    }

    /// Takes the meetings of a part, which has the number `number` among all. Any order, from any thread.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add(&self, number: u32, part: &Part) -> Result<()> {
        let meetings = meeting::of_part(number, part);
        self.see(&meetings);
        for same in meetings.chunk_by(|a, b| partition(a.hash) == partition(b.hash)) {
            let put = |bytes: &mut Vec<u8>| same.iter().for_each(|meeting| meeting.put(bytes));
            self.scatter.add(partition(same[0].hash), put)?;
        }
        Ok(())
    }

    fn see(&self, meetings: &[Meeting]) {
        let mut own = Seen::default();
        let mut last = None;
        for meeting in meetings.iter().filter(|m| last.replace((m.day, m.scope)) != Some((m.day, m.scope))) {
            own.days.insert(meeting.day);
            own.scopes.insert(meeting.scope);
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.days.append(&mut own.days);
        seen.scopes.append(&mut own.scopes);
    }

    /// The days and scopes of all meetings.
    pub fn seen(&self) -> Seen {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Everybody of a partition, sorted.
    ///
    /// # Errors
    /// When the meetings cannot be read back.
    pub fn partition(&self, number: usize) -> Result<Vec<Meeting>> {
        let records = self.scatter.records::<MEETING>(number)?;
        let meetings: Option<Vec<Meeting>> = records.iter().map(Meeting::get).collect();
        let mut meetings = meetings.ok_or_else(|| self.spool.damaged())?;
        meetings.sort_unstable();
        Ok(meetings)
    }

    /// Unites components that meet: `node_of` gives the number of a part's component among all.
    ///
    /// # Errors
    /// When the meetings cannot be read back.
    pub fn unite(&self, sets: &UnionFind, node_of: impl Fn(u32, u32) -> u32 + Sync) -> Result<()> {
        (0..PARTITIONS).into_par_iter().try_for_each(|number| {
            let node = |meeting: &Meeting| node_of(meeting.part, meeting.component);
            for run in self.partition(number)?.chunk_by(|a, b| a.hash == b.hash) {
                meeting::unite(run, |a, b| {
                    sets.union(node(a), node(b));
                });
            }
            Ok(())
        })
    }
}
