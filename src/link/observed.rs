//! Second observations: the same message in another log, or again in one (F4).

use super::gather::Member;

/// For each event of an order, by its place in canonical order, the place of its first observation.
#[derive(Default)]
pub(super) struct Observed {
    originals: Vec<u32>,
    sorted: Vec<(u64, u32, u32)>,
}

impl Observed {
    pub fn find(&mut self, members: &[Member]) {
        self.originals.clear();
        self.originals.extend(0..members.len() as u32);
        self.sorted.clear();
        for (member, place) in members.iter().zip(0..) {
            if member.event.copy != 0 {
                self.sorted.push((member.event.copy, member.event.sub, place));
            }
        }
        self.sorted.sort_unstable();
        for equal in self.sorted.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            equal[1..].iter().for_each(|later| self.originals[later.2 as usize] = equal[0].2);
        }
    }

    /// The place of the first observation; an event that is one has its own.
    pub fn original(&self, place: u32) -> u32 {
        self.originals[place as usize]
    }
}
