//! What assembly needs of the events of some lifecycles, copied together.
//!
//! The events of an order lie all over the parts, and so do their keys: walking them one after the other would wait for
//! memory most of the time. Here every look-up is a pass of its own over some hundred events, which asks for the memory
//! that the next pass reads.

use super::linked::Linked;
use super::part::{Event, Use};
use crate::event::key::{KeyKind, TextRef};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// Events gathered at a time, unless one lifecycle has more: few enough to stay near.
const AT_A_TIME: usize = 1024;

/// The events of some lifecycles, order by order, those of an order in canonical order.
#[derive(Default)]
pub(super) struct Gathered {
    orders: Vec<(u32, Range<u32>)>,
    /// Where the orders of each lifecycle end.
    lifecycle_ends: Vec<u32>,
    numbers: Vec<u32>,
    places: Vec<(u32, u32)>,
    members: Vec<Member>,
    uses: Vec<MemberUse>,
    of_order: Vec<u32>,
}

/// An event and where it is.
pub(super) struct Member {
    pub part: u32,
    pub local: u32,
    pub event: Event,
    uses: Range<u32>,
}

/// An event's use of a key.
pub(super) struct MemberUse {
    /// The event that uses of the key lead to.
    pub antecedent: u32,
    pub scope: u32,
    pub kind: KeyKind,
    pub role: u32,
    pub text: TextRef,
}

/// The events of one order.
#[derive(Clone, Copy)]
pub(super) struct OrderEvents<'a> {
    pub order: u32,
    /// Numbers of the events, ascending.
    pub numbers: &'a [u32],
    pub members: &'a [Member],
    uses: &'a [MemberUse],
}

impl<'a> OrderEvents<'a> {
    /// The keys that an event uses.
    pub fn uses(&self, member: &Member) -> &'a [MemberUse] {
        &self.uses[member.uses.start as usize..member.uses.end as usize]
    }
}

impl Gathered {
    /// Gathers lifecycle `first` and some behind it, below `end`; gives how many.
    pub fn fill(&mut self, linked: &Linked, first: u32, end: u32) -> u32 {
        self.find_events(linked, first, end);
        self.copy_events(linked);
        self.copy_uses(linked);
        self.lifecycle_ends.len() as u32
    }

    /// The orders of the `n`th lifecycle gathered.
    pub fn orders(&self, n: u32) -> impl Iterator<Item = OrderEvents<'_>> {
        let start = n.checked_sub(1).map_or(0, |before| self.lifecycle_ends[before as usize]);
        let orders = &self.orders[start as usize..self.lifecycle_ends[n as usize] as usize];
        orders.iter().map(|(order, events)| {
            let events = events.start as usize..events.end as usize;
            OrderEvents {
                order: *order,
                numbers: &self.numbers[events.clone()],
                members: &self.members[events],
                uses: &self.uses,
            }
        })
    }

    fn find_events(&mut self, linked: &Linked, first: u32, end: u32) {
        self.orders.clear();
        self.lifecycle_ends.clear();
        self.numbers.clear();
        for lifecycle in first..end {
            if self.numbers.len() >= AT_A_TIME {
                break;
            }
            for &order in linked.lifecycles.orders.get(lifecycle) {
                fetch(&linked.orders.summaries[order as usize]);
                let start = self.numbers.len() as u32;
                linked.orders.events(&linked.days, order, &mut self.of_order);
                self.numbers.extend_from_slice(&self.of_order);
                self.orders.push((order, start..self.numbers.len() as u32));
            }
            self.lifecycle_ends.push(self.orders.len() as u32);
        }
        self.places.clear();
        for &number in &self.numbers {
            let (part, local) = linked.store.locate(number);
            let event = &linked.store.parts[part].events[local as usize];
            fetch(event);
            fetch(&event.source);
            self.places.push((part as u32, local));
        }
    }

    fn copy_events(&mut self, linked: &Linked) {
        self.members.clear();
        for &(part, local) in &self.places {
            let of_part = &linked.store.parts[part as usize];
            let event = of_part.events[local as usize];
            let uses = of_part.use_range(local);
            if let Some(first) = of_part.uses.get(uses.start as usize) {
                fetch(first);
            }
            self.members.push(Member { part, local, event, uses });
        }
    }

    fn copy_uses(&mut self, linked: &Linked) {
        for member in &self.members {
            let part = &linked.store.parts[member.part as usize];
            for &packed in &part.uses[member.uses.start as usize..member.uses.end as usize] {
                let entry = Use::unpack(packed).entry;
                fetch(&part.entries[entry as usize]);
                fetch(&linked.antecedents[linked.store.entry_number(member.part as usize, entry) as usize]);
            }
        }
        self.uses.clear();
        for member in &mut self.members {
            let part = &linked.store.parts[member.part as usize];
            let start = self.uses.len() as u32;
            for &packed in &part.uses[member.uses.start as usize..member.uses.end as usize] {
                let used = Use::unpack(packed);
                let entry = &part.entries[used.entry as usize];
                let number = linked.store.entry_number(member.part as usize, used.entry);
                if let Some(text) = part.texts.get(entry.text.start as usize) {
                    fetch(text);
                }
                self.uses.push(MemberUse {
                    antecedent: linked.antecedents[number as usize].load(Relaxed),
                    scope: entry.scope,
                    kind: entry.kind,
                    role: used.role,
                    text: entry.text,
                });
            }
            member.uses = start..self.uses.len() as u32;
        }
    }
}

#[inline(always)]
fn fetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch touches nothing that a program could see, and the place is there.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
