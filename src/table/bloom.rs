//! Bloom filters of id columns, so that readers pass over row groups that cannot hold an id.

use parquet::bloom_filter::Sbbf;

/// Share of absent ids that a filter lets through.
const FALSE_POSITIVES: f64 = 0.01;

/// A filter being filled.
pub(super) struct Bloom(Sbbf);

impl Bloom {
    /// A filter of `values`, of which about `count` are different.
    pub(super) fn of<'a>(values: impl Iterator<Item = &'a [u8]>, count: usize) -> Bloom {
        let mut filter = Sbbf::new_with_ndv_fpp(count as u64, FALSE_POSITIVES).expect("the share lies between 0 and 1");
        let mut previous: Option<&[u8]> = None;
        for value in values {
            if previous != Some(value) {
                filter.insert(value);
                previous = Some(value);
            }
        }
        // Equal values that are not neighbours made it too large.
        filter.fold_to_target_fpp(FALSE_POSITIVES);
        Bloom(filter)
    }

    /// Appends header and bits, as they stand in a file.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        self.0.write(&mut *out).expect("memory takes every write");
    }
}
