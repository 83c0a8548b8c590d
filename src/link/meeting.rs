//! Meetings: who has to do with whom under a hash. No link, no parent and no finding looks at an event that its own does
//! not meet, directly or through others: sets of events that meet are islands, which can be linked one by one, in any
//! company, with the same rows.
//!
//! Within a part, components are what is joined already. Between them:
//!
//! - uses of a key that join, of one scope and day, meet;
//! - who looks for a parent under a key meets all who have it on the same day; when nobody has, or when symbol and side
//!   decide, or when the seeker may find only itself, all who have it on whatever day;
//! - where nobody assigns a key on a day of its use, all who have it in whatever scope and on whatever day meet;
//! - a bust or correction meets the executions of its day that it names; when there is none, those of all days.

use super::part::Part;
use crate::event::key::{Expect, KeyKind};

/// Somebody who has a key, or looks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Meeting {
    pub hash: u64,
    pub day: i32,
    /// Hash of the scope's name; 0 for those who look.
    pub scope: u64,
    /// The part and the component in it.
    pub part: u32,
    pub component: u32,
    pub role: u8,
}

/// Has the key.
pub(super) const HAS: u8 = 1;
/// Has a key whose uses join.
pub(super) const JOINS: u8 = 2;
pub(super) const ASSIGNS: u8 = 4;
/// Looks for a parent, on its own day if one is there.
pub(super) const SEEKS: u8 = 8;
/// Looks for a parent on every day.
pub(super) const SEEKS_ANY_DAY: u8 = 16;
/// Is an execution of that ExecID.
pub(super) const EXECUTES: u8 = 32;
/// Corrects or busts it.
pub(super) const CORRECTS: u8 = 64;

/// Length of a meeting on disk.
pub(super) const MEETING: usize = 29;

impl Meeting {
    pub fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.hash.to_le_bytes());
        out.extend_from_slice(&self.day.to_le_bytes());
        out.extend_from_slice(&self.scope.to_le_bytes());
        out.extend_from_slice(&self.part.to_le_bytes());
        out.extend_from_slice(&self.component.to_le_bytes());
        out.push(self.role);
    }

    pub fn get(bytes: &[u8; MEETING]) -> Option<Meeting> {
        let (hash, rest) = bytes.split_first_chunk()?;
        let (day, rest) = rest.split_first_chunk()?;
        let (scope, rest) = rest.split_first_chunk()?;
        let (part, rest) = rest.split_first_chunk()?;
        let (component, rest) = rest.split_first_chunk()?;
        Some(Meeting {
            hash: u64::from_le_bytes(*hash),
            day: i32::from_le_bytes(*day),
            scope: u64::from_le_bytes(*scope),
            part: u32::from_le_bytes(*part),
            component: u32::from_le_bytes(*component),
            role: *rest.first()?,
        })
    }

    pub fn is(&self, role: u8) -> bool {
        self.role & role != 0
    }
}

/// All meetings of a part, which is given the number `number`; sorted, each once.
pub(super) fn of_part(number: u32, part: &Part) -> Vec<Meeting> {
    let of_event = |hash: u64, event: u32, role: u8| {
        let (day, component) = (part.events[event as usize].day, part.components[event as usize]);
        Meeting { hash, day, scope: 0, part: number, component, role }
    };
    let mut meetings = Vec::with_capacity(part.entries.len() + part.refs.len() + part.events.len() / 2);
    meetings.extend(part.entries.iter().map(|entry| {
        // Copies of a message have nothing to find on other days.
        let is_copy = entry.kind == KeyKind::Copy;
        let joins = if entry.kind == KeyKind::ClOrdLinkId { 0 } else { JOINS };
        let assigns = if entry.is_assigned || is_copy { ASSIGNS } else { 0 };
        let scope = part.names.hash(entry.scope);
        let (hash, component) = (entry.hash[0], entry.node);
        Meeting { hash, day: entry.day, scope, part: number, component, role: HAS | joins | assigns }
    }));
    meetings.extend(part.refs.iter().map(|r| {
        let event = &part.events[r.event as usize];
        let any_day = r.expect == Expect::SameSymbolAndSide || event.orderer == event.receiver;
        of_event(r.hash[0], r.event, if any_day { SEEKS_ANY_DAY } else { SEEKS })
    }));
    let executions = part.events.iter().zip(0..).filter(|(event, _)| event.exec != 0);
    meetings.extend(executions.map(|(event, local)| of_event(event.exec, local, EXECUTES)));
    meetings.extend(part.corrections.iter().map(|c| of_event(c.exec_ref, c.event, CORRECTS)));
    meetings.sort_unstable();
    meetings.dedup();
    meetings
}

/// Unites those who meet. `run` has one hash and is sorted. True when some look beyond their own day, or would if they
/// found somebody there: then everybody who comes later under this hash concerns them.
pub(super) fn unite(run: &[Meeting], mut unite: impl FnMut(&Meeting, &Meeting)) -> bool {
    let (mut looks_further, mut lost_execution) = (false, false);
    let mut all = 0;
    for day in run.chunk_by(|a, b| a.day == b.day) {
        let roles = day.iter().fold(0, |roles, m| roles | m.role);
        all |= roles;
        if roles & JOINS != 0 {
            for group in day.chunk_by(|a, b| a.scope == b.scope) {
                let mut joining = group.iter().filter(|m| m.is(JOINS));
                let Some(first) = joining.next() else { continue };
                let mut assigned = first.is(ASSIGNS);
                for other in joining {
                    unite(first, other);
                    assigned |= other.is(ASSIGNS);
                }
                looks_further |= !assigned;
            }
        }
        looks_further |= roles & SEEKS_ANY_DAY != 0;
        if roles & SEEKS != 0 {
            if roles & HAS != 0 {
                unite_all(day, HAS | SEEKS, &mut unite);
            } else {
                looks_further = true;
            }
        }
        if roles & CORRECTS != 0 {
            if roles & EXECUTES != 0 {
                unite_all(day, EXECUTES | CORRECTS, &mut unite);
            } else {
                lost_execution = true;
            }
        }
    }
    if looks_further && all & HAS != 0 {
        unite_all(run, HAS | SEEKS | SEEKS_ANY_DAY, &mut unite);
    }
    if lost_execution && all & EXECUTES != 0 {
        unite_all(run, EXECUTES | CORRECTS, &mut unite);
    }
    looks_further || lost_execution
}

fn unite_all(run: &[Meeting], roles: u8, unite: &mut impl FnMut(&Meeting, &Meeting)) {
    let mut of_roles = run.iter().filter(|m| m.is(roles));
    let Some(first) = of_roles.next() else { return };
    of_roles.for_each(|other| unite(first, other));
}
