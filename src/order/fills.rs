//! What was filled: executions net of busts and corrections, each counted once.

use crate::event::key::NO_QTY;
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Executions searched one by one before an index is made.
const FEW: usize = 16;

/// The executions of one order.
#[derive(Debug, Default)]
pub struct Fills {
    /// Hash of the ExecID, and the number of the fill that it stands for.
    names: Vec<(u64, u32)>,
    /// Made when `names` grows long; only looked up, never walked, so that its order is of no matter.
    index: HashMap<u64, u32>,
    quantities: Vec<i64>,
    sum: i128,
}

impl Fills {
    /// Forgets everything and keeps its memory.
    pub fn clear(&mut self) {
        self.names.clear();
        self.index.clear();
        self.quantities.clear();
        self.sum = 0;
    }

    /// Adds a fill unless its ExecID is known. A fill without ExecID (`exec` 0) is known when it is marked as a repeat
    /// and a fill of the same quantity left the same CumQty. True when it was added.
    pub fn fill(&mut self, exec: u64, last_qty: i64, cum_qty: i64, repeat: bool) -> bool {
        let name = if exec == 0 { nameless(last_qty, cum_qty) } else { exec };
        if (exec != 0 || repeat) && self.find(name).is_some() {
            return false;
        }
        self.add(name, last_qty);
        true
    }

    /// Undoes the execution `exec_ref`; one that is not here was not counted.
    pub fn bust(&mut self, exec_ref: u64) {
        if let Some(fill) = self.find(exec_ref) {
            self.set(fill, 0);
        }
    }

    /// Gives the execution `exec_ref` another quantity; it then goes by both ids. One that is not here is added, for
    /// the correction says what was done.
    pub fn correct(&mut self, exec: u64, exec_ref: u64, last_qty: i64) {
        if last_qty == NO_QTY || (exec != 0 && self.find(exec).is_some()) {
            return;
        }
        match self.find(exec_ref) {
            Some(fill) => {
                self.set(fill, last_qty);
                if exec != 0 {
                    self.name(exec, fill);
                }
            }
            None => {
                let fill = self.add(exec, last_qty);
                if exec_ref != 0 {
                    self.name(exec_ref, fill);
                }
            }
        }
    }

    /// Sum of the fills.
    pub fn sum(&self) -> i128 {
        self.sum
    }

    fn set(&mut self, fill: u32, quantity: i64) {
        let old = std::mem::replace(&mut self.quantities[fill as usize], quantity);
        self.sum += i128::from(quantity) - i128::from(old);
    }

    fn add(&mut self, name: u64, last_qty: i64) -> u32 {
        let fill = self.quantities.len() as u32;
        self.quantities.push(0);
        self.set(fill, if last_qty == NO_QTY { 0 } else { last_qty });
        self.name(name, fill);
        fill
    }

    fn name(&mut self, name: u64, fill: u32) {
        self.names.push((name, fill));
        if self.names.len() == FEW + 1 {
            self.index.extend(self.names.iter().rev().copied());
        } else if self.names.len() > FEW {
            self.index.entry(name).or_insert(fill);
        }
    }

    fn find(&self, name: u64) -> Option<u32> {
        if name == 0 {
            None
        } else if self.names.len() > FEW {
            self.index.get(&name).copied()
        } else {
            self.names.iter().find(|n| n.0 == name).map(|n| n.1)
        }
    }
}

/// Stands in for an ExecID that is missing.
fn nameless(last_qty: i64, cum_qty: i64) -> u64 {
    xxh3_64_with_seed(&cum_qty.to_le_bytes(), last_qty as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_execution_counts_once_net_of_busts_and_corrections() {
        for offset in [0, 100] {
            let mut fills = Fills::default();
            for other in 0..offset {
                assert!(fills.fill(1000 + other, 1, NO_QTY, false));
            }
            assert!(fills.fill(1, 100, 100, false));
            assert!(!fills.fill(1, 100, 100, false));
            assert!(fills.fill(2, 50, 150, false));
            fills.correct(3, 2, 40);
            fills.correct(3, 2, 40);
            assert_eq!(fills.sum() - i128::from(offset), 140);
            fills.bust(3);
            fills.bust(1);
            fills.bust(1);
            assert_eq!(fills.sum() - i128::from(offset), 0);
            fills.correct(9, 8, 7);
            assert!(!fills.fill(8, 10, NO_QTY, false));
            assert_eq!(fills.sum() - i128::from(offset), 7);
        }
    }

    #[test]
    fn a_repeat_without_exec_id_counts_once_and_two_equal_fills_count_twice() {
        let mut fills = Fills::default();
        assert!(fills.fill(0, 100, 100, false));
        assert!(!fills.fill(0, 100, 100, true));
        assert!(fills.fill(0, 100, 200, true));
        assert!(fills.fill(0, 100, NO_QTY, false));
        assert!(fills.fill(0, 100, NO_QTY, false));
        assert_eq!(fills.sum(), 400);
    }
}
