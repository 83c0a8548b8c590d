//! Memory asked for ahead of its use.
//!
//! The events of an order lie all over the parts, and so do their keys: walking them one after the other waits for memory
//! most of the time. Lifecycles soon to be walked have theirs fetched meanwhile, in three steps, each of which needs what
//! the step before fetched.

use super::linked::Linked;

/// Events of a lifecycle that are fetched ahead: more would push out what is needed sooner.
const MOST_EVENTS: usize = 256;

impl Linked {
    /// To be called before the rows of `lifecycle` are handed out; `end` is the end of its block.
    pub(super) fn fetch_ahead(&self, lifecycle: u32, end: u32) {
        let store = &self.store;
        self.each_event(lifecycle + 3, end, |part, local| {
            if let Some(event) = store.parts[part].events.get(local as usize) {
                fetch(event);
                fetch(&event.source);
            }
        });
        self.each_event(lifecycle + 2, end, |part, local| {
            let part = &store.parts[part];
            if let Some(first) = part.uses.get(part.events[local as usize].uses as usize) {
                fetch(first);
            }
        });
        self.each_event(lifecycle + 1, end, |number, local| {
            let part = &store.parts[number];
            for used in part.uses(local) {
                fetch(&part.entries[used.entry as usize]);
                fetch(&self.antecedents[store.entry_number(number, used.entry) as usize]);
            }
        });
    }

    /// Part and place of each event of a lifecycle, if it is in the block.
    fn each_event(&self, lifecycle: u32, end: u32, mut each: impl FnMut(usize, u32)) {
        if lifecycle >= end {
            return;
        }
        let mut left = MOST_EVENTS;
        for &order in self.lifecycles.orders.get(lifecycle) {
            self.orders.each_day(order, |day| {
                let events = self.days.events.get(day);
                for &event in &events[..events.len().min(left)] {
                    let (part, local) = self.store.locate(event);
                    each(part, local);
                }
                left -= events.len().min(left);
            });
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
