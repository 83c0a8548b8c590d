//! Which rows of a column under construction have a value.
//!
//! A column whose rows are all alike costs two counters; bits are kept only from the first row that differs.

use super::Column;
use crate::codec::hybrid;
use std::ops::Range;

/// Rows and which of them have a value.
#[derive(Debug, Default)]
pub(super) struct Levels {
    rows: usize,
    /// Of another size than `rows`, lest the compiler update both in one register and then wait for two stores each time.
    nulls: u32,
    /// One bit a row, set when the row has a value; empty while the rows are all alike. Rows at the end that are beyond
    /// the words are null.
    bits: Vec<u64>,
}

impl Levels {
    #[inline]
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Rows that have a value.
    #[inline]
    pub(super) fn values(&self) -> usize {
        self.rows - self.nulls as usize
    }

    /// Adds a row that has a value.
    #[inline]
    pub(super) fn push_value(&mut self) {
        if self.nulls > 0 {
            self.set_bit();
        }
        self.rows += 1;
    }

    #[inline]
    fn set_bit(&mut self) {
        let word = self.rows / 64;
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (self.rows % 64);
    }

    /// Adds up to 64 rows at once, behind a multiple of 64; bit i of `mask` says whether row i has a value.
    pub(super) fn push_mask(&mut self, mask: u64, count: usize) {
        debug_assert!(self.rows.is_multiple_of(64) && count <= 64 && (count == 64 || mask >> count == 0));
        let nulls = count as u32 - mask.count_ones();
        if self.nulls == 0 && nulls > 0 && self.rows > 0 {
            self.keep_bits();
        }
        if mask != 0 && self.nulls + nulls > 0 {
            self.bits.resize(self.rows / 64, 0);
            self.bits.push(mask);
        }
        self.nulls += nulls;
        self.rows += count;
    }

    /// Adds rows without a value.
    #[inline]
    pub(super) fn push_nulls(&mut self, count: usize) {
        if count > 0 {
            if self.nulls == 0 && self.rows > 0 {
                self.keep_bits();
            }
            self.nulls += count as u32;
            self.rows += count;
        }
    }

    /// Adds rows without a value until there are `rows`.
    #[inline]
    pub(super) fn fill_to(&mut self, rows: usize) {
        debug_assert!(rows >= self.rows, "row {rows} comes after row {}", self.rows);
        self.push_nulls(rows.saturating_sub(self.rows));
    }

    /// Adds the nulls that end a chunk of `rows` rows, and checks what [`super::Builder::encode`] demands.
    pub(super) fn fill_to_end(&mut self, column: &Column, rows: usize) {
        assert!(rows >= self.rows, "column {} has {} rows instead of {rows}", column.name, self.rows);
        self.fill_to(rows);
        assert!(column.nullable || self.nulls == 0, "column {} is not nullable and has a null", column.name);
    }

    /// The rows in pieces of at most `page_rows`, a multiple of 64. Rows without any value are one piece.
    pub(super) fn pages(&self, page_rows: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let rows = self.rows;
        let page_rows = if self.values() == 0 { rows.max(1) } else { page_rows };
        (0..rows).step_by(page_rows).map(move |start| start..rows.min(start + page_rows))
    }

    /// So far every row has a value; from here on rows differ.
    #[cold]
    fn keep_bits(&mut self) {
        self.bits.resize(self.rows.div_ceil(64), u64::MAX);
        if !self.rows.is_multiple_of(64)
            && let Some(last) = self.bits.last_mut()
        {
            *last = (1 << (self.rows % 64)) - 1;
        }
    }

    /// How many rows of a range have a value. The range starts at a multiple of 64 and ends at one or with the rows.
    pub(super) fn values_in(&self, rows: &Range<usize>) -> usize {
        if self.bits.is_empty() {
            return if self.nulls > 0 { 0 } else { rows.len() };
        }
        self.words(rows).iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Appends the definition levels of a range of rows behind their length, as a data page has them.
    pub(super) fn put(&self, rows: &Range<usize>, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        let values = self.values_in(rows);
        if values == 0 || values == rows.len() {
            hybrid::put_run(u64::from(values > 0), rows.len(), 1, out);
        } else {
            // Rows beyond the last word are null.
            let words = self.words(rows);
            let known = rows.len().min(64 * words.len());
            hybrid::put_bits(words, known.next_multiple_of(8), out);
            if rows.len() > known {
                hybrid::put_run(0, rows.len() - known, 1, out);
            }
        }
        let length = (out.len() - start - 4) as u32;
        out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    }

    fn words(&self, rows: &Range<usize>) -> &[u64] {
        let end = rows.end.div_ceil(64).min(self.bits.len());
        &self.bits[(rows.start / 64).min(end)..end]
    }

    pub(super) fn clear(&mut self) {
        self.rows = 0;
        self.nulls = 0;
        self.bits.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_pushed_64_at_a_time_are_those_pushed_one_by_one(
            masks in prop::collection::vec(prop_oneof![Just(0), Just(u64::MAX), any::<u64>()], 0..6),
            last in any::<u64>(),
            rest in 0usize..64,
        ) {
            let (mut one_by_one, mut at_once) = (Levels::default(), Levels::default());
            let last = (last & ((1 << rest) - 1), rest);
            for (mask, count) in masks.into_iter().map(|mask| (mask, 64)).chain([last]) {
                at_once.push_mask(mask, count);
                for row in 0..count {
                    if mask >> row & 1 == 1 { one_by_one.push_value() } else { one_by_one.push_nulls(1) }
                }
            }
            prop_assert_eq!((at_once.rows(), at_once.values()), (one_by_one.rows(), one_by_one.values()));
            let put = |levels: &Levels| {
                let mut out = Vec::new();
                levels.put(&(0..levels.rows()), &mut out);
                out
            };
            prop_assert_eq!(put(&at_once), put(&one_by_one));
        }
    }

    fn levels(rows: &[bool]) -> Levels {
        let mut levels = Levels::default();
        for row in rows {
            if *row { levels.push_value() } else { levels.push_nulls(1) }
        }
        levels
    }

    #[test]
    fn rows_that_are_all_alike_keep_no_bits() {
        for row in [true, false] {
            let levels = levels(&[row; 1000]);
            assert_eq!((levels.rows(), levels.values(), levels.bits.len()), (1000, if row { 1000 } else { 0 }, 0));
            let mut out = Vec::new();
            levels.put(&(0..1000), &mut out);
            assert_eq!(out, [3, 0, 0, 0, 0xD0, 0x0F, u8::from(row)]);
        }
    }

    #[test]
    fn values_are_counted_in_ranges() {
        let rows: Vec<bool> = (0..1000).map(|i| i % 3 == 0 && i < 700).collect();
        let levels = levels(&rows);
        for range in [0..64, 64..1000, 128..320, 640..1000, 704..1000, 0..1000] {
            assert_eq!(levels.values_in(&range), rows[range.clone()].iter().filter(|v| **v).count(), "{range:?}");
        }
    }

    #[test]
    fn nulls_behind_the_last_value_are_a_run() {
        let mut levels = levels(&[false, true]);
        levels.fill_to(100);
        let mut out = Vec::new();
        levels.put(&(0..100), &mut out);
        assert_eq!(out, [11, 0, 0, 0, 17, 2, 0, 0, 0, 0, 0, 0, 0, 36 << 1, 0]);
    }

    #[test]
    fn a_null_after_values_starts_the_bits() {
        let mut levels = levels(&[true; 70]);
        levels.push_nulls(1);
        levels.push_value();
        assert_eq!(levels.bits, [u64::MAX, 0b1011_1111]);
    }
}
