//! The hybrid of run lengths and bit packing that Parquet uses for levels and for numbers of symbols.

use super::bits::pack32;
use super::varint::put_unsigned;

/// Values alike before a run of its own pays: fewer cost less inside a packed run.
const RUN: usize = 16;

/// Appends `values`, each less than 2^width; `width` is 1 to 32.
pub fn put<T: Copy + Eq + Into<u64>>(values: &[T], width: u32, out: &mut Vec<u8>) {
    let mut packed_from = 0;
    let mut at = 0;
    // Runs start at multiples of eight after the packed values before them, as a packed run holds whole eights.
    while at + RUN <= values.len() {
        let value = values[at];
        if values[at..at + RUN].iter().all(|v| *v == value) {
            let run = RUN + values[at + RUN..].iter().take_while(|v| **v == value).count();
            put_packed(&values[packed_from..at], width, out);
            put_run(value.into(), run, width, out);
            at += run;
            packed_from = at;
        } else {
            at += 8;
        }
    }
    put_packed(&values[packed_from..], width, out);
}

/// Appends `count` times the same value.
pub fn put_run(value: u64, count: usize, width: u32, out: &mut Vec<u8>) {
    put_unsigned((count as u64) << 1, out);
    out.extend_from_slice(&value.to_le_bytes()[..width.div_ceil(8) as usize]);
}

/// Appends `count` bits that are packed already, lowest bit first; the bits after the last are 0.
pub fn put_bits(words: &[u64], count: usize, out: &mut Vec<u8>) {
    let bytes = count.div_ceil(8);
    put_unsigned((bytes as u64) << 1 | 1, out);
    out.reserve(bytes + 8);
    let start = out.len();
    for word in &words[..count.div_ceil(64)] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.truncate(start + bytes);
}

fn put_packed<T: Copy + Into<u64>>(values: &[T], width: u32, out: &mut Vec<u8>) {
    if values.is_empty() {
        return;
    }
    let eights = values.len().div_ceil(8);
    put_unsigned((eights as u64) << 1 | 1, out);
    let end = out.len() + eights * width as usize;
    let (whole, rest) = values.as_chunks::<32>();
    for values in whole {
        pack32(&values.map(Into::into), width, out);
    }
    if !rest.is_empty() {
        let mut last = [0; 32];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = (*from).into();
        }
        pack32(&last, width, out);
    }
    out.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::super::oracle::{Reader, read_hybrid};
    use super::*;
    use proptest::prelude::*;

    fn round_trip(values: &[u32], width: u32) -> usize {
        let mut out = Vec::new();
        put(values, width, &mut out);
        let expected: Vec<u64> = values.iter().map(|&v| v.into()).collect();
        let mut reader = Reader::new(&out);
        assert_eq!(read_hybrid(&mut reader, width, values.len()), Some(expected));
        assert_eq!(reader.rest(), 0);
        out.len()
    }

    #[test]
    fn none_one_and_all_alike_come_back() {
        assert_eq!(round_trip(&[], 3), 0);
        assert_eq!(round_trip(&[5], 3), 1 + 3);
        assert_eq!(round_trip(&[5; 100_000], 3), 3 + 1);
        assert_eq!(round_trip(&[u32::MAX; 5], 32), 1 + 32);
    }

    #[test]
    fn runs_between_packed_values_come_back() {
        for lead in 0..20 {
            for run in [0, 7, 8, 15, 16, 17, 24, 40] {
                let mut values: Vec<u32> = (0..lead).map(|i| i % 3).collect();
                values.extend(std::iter::repeat_n(6, run));
                values.extend([1, 2, 3]);
                round_trip(&values, 3);
            }
        }
    }

    #[test]
    fn bits_come_back() {
        let words = [0xDEAD_BEEF_0123_4567, 0x5];
        for count in [1, 8, 9, 64, 67] {
            let masked: Vec<u64> = (0..2).map(|w| words[w] & mask(count, w)).collect();
            let mut out = Vec::new();
            put_bits(&masked, count, &mut out);
            let expected: Vec<u64> = (0..count).map(|i| words[i / 64] >> (i % 64) & 1).collect();
            assert_eq!(read_hybrid(&mut Reader::new(&out), 1, count), Some(expected));
        }
    }

    fn mask(count: usize, word: usize) -> u64 {
        match count.saturating_sub(64 * word) {
            0 => 0,
            64.. => u64::MAX,
            n => (1 << n) - 1,
        }
    }

    #[test]
    fn a_cut_at_any_byte_is_noticed() {
        let values: Vec<u32> = (0..100).map(|i| if i < 60 { 9 } else { i % 16 }).collect();
        let mut out = Vec::new();
        put(&values, 4, &mut out);
        for end in 0..out.len() {
            assert_eq!(read_hybrid(&mut Reader::new(&out[..end]), 4, 100), None, "cut at {end}");
        }
    }

    proptest! {
        #[test]
        fn any_values_come_back(runs in prop::collection::vec((any::<u16>(), 1usize..40), 0..60), width in 1u32..=16) {
            let values: Vec<u32> = runs.iter()
                .flat_map(|&(v, n)| std::iter::repeat_n(u32::from(v) & ((1 << width) - 1), n)).collect();
            round_trip(&values, width);
        }
    }
}
