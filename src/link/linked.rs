//! The linker's outer face.

use super::{Batch, Rows};

/// Takes batches, then links them.
#[derive(Default)]
pub struct Linker {}

impl Linker {
    pub fn new() -> Linker {
        Linker::default()
    }

    /// Takes the batch of unit `unit`; any order, from any thread. Most of the work is done in the caller's thread.
    pub fn add(&self, _unit: u32, _batch: Batch) {
        todo!()
    }

    /// Links everything. `event_prefixes` has, for each source number, the first 12 hex digits of its name's hash.
    pub fn finish(self, _event_prefixes: Vec<[u8; 12]>) -> Linked {
        todo!()
    }
}

/// Everything linked.
pub struct Linked {}

impl Linked {
    /// The rows of a unit that have a lifecycle, ascending, each with its lifecycle's number.
    pub fn rows(&self, _unit: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        std::iter::empty()
    }

    /// The id of a lifecycle: 20 hexadecimal digits.
    pub fn id(&self, _lifecycle: u32) -> [u8; 20] {
        todo!()
    }

    pub fn events(&self) -> u64 {
        todo!()
    }

    pub fn orders(&self) -> u64 {
        todo!()
    }

    pub fn lifecycles(&self) -> u64 {
        todo!()
    }

    /// Blocks of lifecycles, sorted by day; each can be asked for on its own, from any thread.
    pub fn blocks(&self) -> usize {
        todo!()
    }

    /// The day of all lifecycles of a block, or `NO_DAY`.
    pub fn block_day(&self, _block: usize) -> i32 {
        todo!()
    }

    /// Hands out the rows of a block.
    pub fn block(&self, _block: usize, _rows: &mut impl Rows) {
        todo!()
    }
}
