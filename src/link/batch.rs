//! One unit of work on its way to the linker.

use crate::event::key::{Facts, KeyUse};

/// What one unit of work (some 150,000 events in a row) gives to the linker.
#[derive(Default)]
pub struct Batch {}

impl Batch {
    pub fn new() -> Batch {
        Batch::default()
    }

    /// The number of a party's or symbol's name in this batch; 0 is the empty name.
    pub fn name(&mut self, _bytes: &[u8]) -> u32 {
        todo!()
    }

    /// Takes one event with its keys. `bytes` is what the keys' texts point into. Events come in the order of the unit.
    pub fn event(&mut self, _facts: &Facts, _uses: &[KeyUse], _bytes: &[u8]) {
        todo!()
    }
}
