//! The lifecycle of each row, on disk, where lifecycles are linked in buckets.

use crate::Result;
use crate::link::Linked;
use crate::table::{Segment, Spool};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Length of a row on disk: its number and half of its lifecycle's id as hexadecimal digits.
const ROW: usize = 14;
const LEVEL: i32 = 1;

/// Rows of units with their lifecycles' ids.
pub struct RowIds {
    spool: Arc<Spool>,
    by_unit: BTreeMap<u32, Vec<Segment>>,
}

impl RowIds {
    pub fn new(spool: Arc<Spool>) -> RowIds {
        RowIds { spool, by_unit: BTreeMap::new() }
    }

    /// Takes the rows of a bucket.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add(&mut self, linked: &Linked) -> Result<()> {
        let mut bytes = Vec::new();
        for unit in linked.units() {
            bytes.clear();
            linked.each_row(unit, |row, lifecycle| {
                bytes.extend_from_slice(&row.to_le_bytes());
                bytes.extend_from_slice(&linked.short_id(lifecycle));
            });
            let packed = zstd::bulk::compress(&bytes, LEVEL).expect("the level is one of the library's");
            self.by_unit.entry(unit).or_default().push(self.spool.append_bytes(&packed)?);
        }
        Ok(())
    }

    /// The rows of a unit that have a lifecycle, ascending.
    ///
    /// # Errors
    /// When they cannot be read back.
    pub fn of_unit(&self, unit: u32) -> Result<Vec<(u32, [u8; 10])>> {
        let (mut rows, mut packed) = (Vec::new(), Vec::new());
        for &segment in self.by_unit.get(&unit).into_iter().flatten() {
            packed.clear();
            self.spool.read_bytes(segment, &mut packed)?;
            let bytes = zstd::stream::decode_all(&packed[..]).map_err(|_| self.spool.damaged())?;
            let (whole, rest) = bytes.as_chunks::<ROW>();
            if !rest.is_empty() {
                return Err(self.spool.damaged());
            }
            rows.extend(whole.iter().map(|&[a, b, c, d, ref id @ ..]| (u32::from_le_bytes([a, b, c, d]), *id)));
        }
        rows.sort_unstable();
        Ok(rows)
    }
}
