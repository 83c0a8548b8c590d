//! Islands: sets of events among which all links are. No link, no parent and no finding looks beyond its island, so
//! islands can be linked one by one, in any company, with the same rows.
//!
//! Within a part, components are what is joined already. Between them:
//!
//! - uses of a key that join, of one scope and day, make an island;
//! - where somebody looks for a parent under a key, or nobody assigns it on the day of its use, everybody who has the key
//!   in whatever scope and on whatever day comes in, for all of them are looked at;
//! - an execution comes in where a bust or correction names its ExecID.
//!
//! The hashes of all parts are brought together partition by partition.

use super::part::Part;
use super::union::UnionFind;
use crate::Result;
use crate::event::key::KeyKind;
use crate::table::{Segment, Spool};
use std::sync::{Arc, Mutex, PoisonError};

const PARTITIONS: usize = 256;
/// Bytes of a partition that are kept in memory.
const BUFFER: usize = 16 << 10;

/// Somebody who uses a key or looks for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Meeting {
    hash: u64,
    /// Hash of scope and day.
    group: u64,
    unit: u32,
    component: u32,
    role: u8,
}

/// Length of a meeting on disk.
const MEETING: usize = 25;

/// Looks for a parent, or names an execution.
const SEEKS: u8 = 1;
/// The key is one whose uses join.
const JOINS: u8 = 2;
const ASSIGNS: u8 = 4;

impl Meeting {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.hash.to_le_bytes());
        out.extend_from_slice(&self.group.to_le_bytes());
        out.extend_from_slice(&self.unit.to_le_bytes());
        out.extend_from_slice(&self.component.to_le_bytes());
        out.push(self.role);
    }

    fn get(bytes: &[u8; MEETING]) -> Option<Meeting> {
        let (hash, rest) = bytes.split_first_chunk()?;
        let (group, rest) = rest.split_first_chunk()?;
        let (unit, rest) = rest.split_first_chunk()?;
        let (component, rest) = rest.split_first_chunk()?;
        Some(Meeting {
            hash: u64::from_le_bytes(*hash),
            group: u64::from_le_bytes(*group),
            unit: u32::from_le_bytes(*unit),
            component: u32::from_le_bytes(*component),
            role: *rest.first()?,
        })
    }
}

/// Everybody who meets somebody else under a hash, on disk but for the last few.
pub(super) struct Meetings {
    spool: Arc<Spool>,
    keys: Vec<Mutex<Partition>>,
    executions: Vec<Mutex<Partition>>,
}

#[derive(Default)]
struct Partition {
    bytes: Vec<u8>,
    segments: Vec<Segment>,
}

impl Meetings {
    pub fn new(spool: Arc<Spool>) -> Meetings {
        let partitions = || (0..PARTITIONS).map(|_| Mutex::default()).collect();
        Meetings { spool, keys: partitions(), executions: partitions() }
    }

    /// Takes the hashes of a part. Any order, from any thread.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add(&self, unit: u32, part: &Part) -> Result<()> {
        let component = |event: u32| part.components[event as usize];
        let seeks = |hash: u64, event: u32| Meeting { hash, group: 0, unit, component: component(event), role: SEEKS };
        let entries = part.entries.iter().map(|entry| {
            let joins = if entry.kind == KeyKind::ClOrdLinkId { 0 } else { JOINS };
            let assigns = if entry.is_assigned { ASSIGNS } else { 0 };
            let group = group(part.names.hash(entry.scope), entry.day);
            Meeting { hash: entry.hash[0], group, unit, component: entry.node, role: joins | assigns }
        });
        self.put(&self.keys, entries.chain(part.refs.iter().map(|r| seeks(r.hash[0], r.event))))?;
        let executions = part.events.iter().zip(&part.components).filter(|(event, _)| event.exec != 0);
        let executions =
            executions.map(|(event, &component)| Meeting { hash: event.exec, group: 0, unit, component, role: 0 });
        let corrections = part.corrections.iter().map(|c| seeks(c.exec_ref, c.event));
        self.put(&self.executions, executions.chain(corrections))
    }

    fn put(&self, partitions: &[Mutex<Partition>], meetings: impl Iterator<Item = Meeting>) -> Result<()> {
        let mut meetings: Vec<Meeting> = meetings.collect();
        meetings.sort_unstable();
        meetings.dedup();
        for same in meetings.chunk_by(|a, b| partition(a.hash) == partition(b.hash)) {
            let mut to = partitions[partition(same[0].hash)].lock().unwrap_or_else(PoisonError::into_inner);
            same.iter().for_each(|meeting| meeting.put(&mut to.bytes));
            if to.bytes.len() >= BUFFER {
                let segment = self.spool.append_bytes(&to.bytes)?;
                to.segments.push(segment);
                to.bytes.clear();
            }
        }
        Ok(())
    }

    /// Unites components that met: `node_of` gives the number of a unit's component among all.
    ///
    /// # Errors
    /// When the hashes cannot be read back.
    pub fn unite(self, sets: &UnionFind, node_of: impl Fn(u32, u32) -> u32) -> Result<()> {
        let unite = |meetings: &[Meeting]| {
            let node = |meeting: &Meeting| node_of(meeting.unit, meeting.component);
            for meeting in &meetings[1..] {
                sets.union(node(&meetings[0]), node(meeting));
            }
        };
        for partition in self.keys {
            let meetings = read(&self.spool, partition)?;
            for run in meetings.chunk_by(|a, b| a.hash == b.hash) {
                let is_sought = run.iter().any(|m| m.role & SEEKS != 0) && run.iter().any(|m| m.role & SEEKS == 0);
                let mut is_open = false;
                for group in run.chunk_by(|a, b| a.group == b.group).filter(|group| group[0].role & JOINS != 0) {
                    unite(group);
                    is_open |= group.iter().all(|m| m.role & ASSIGNS == 0);
                }
                if is_sought || is_open {
                    unite(run);
                }
            }
        }
        for partition in self.executions {
            let meetings = read(&self.spool, partition)?;
            for run in meetings.chunk_by(|a, b| a.hash == b.hash) {
                if run.iter().any(|m| m.role & SEEKS != 0) {
                    unite(run);
                }
            }
        }
        Ok(())
    }
}

/// All meetings of a partition, sorted.
fn read(spool: &Spool, partition: Mutex<Partition>) -> Result<Vec<Meeting>> {
    let mut partition = partition.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut bytes = Vec::new();
    for segment in partition.segments.drain(..) {
        spool.read_bytes(segment, &mut bytes)?;
    }
    bytes.append(&mut partition.bytes);
    let (whole, rest) = bytes.as_chunks::<MEETING>();
    let meetings: Option<Vec<Meeting>> = whole.iter().map(Meeting::get).collect();
    let mut meetings = meetings.filter(|_| rest.is_empty()).ok_or_else(|| spool.damaged())?;
    meetings.sort_unstable();
    Ok(meetings)
}

fn group(scope_hash: u64, day: i32) -> u64 {
    // Seekers have group 0; equal groups with other seekers do no harm.
    (scope_hash ^ u64::from(day as u32).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .rotate_left(29)
        .wrapping_mul(0xd6e8_feb8_6659_fd93)
}

fn partition(hash: u64) -> usize {
    (hash >> 56) as usize
}
