//! DELTA_BINARY_PACKED: each number as the difference from the one before, in blocks of 128 with four widths each.

use super::bits::{pack32, width_of};
use super::varint::{put_signed, put_unsigned};

const BLOCK: usize = 128;
const MINI: usize = 32;

/// Appends `values` as the INT64 form; differences wrap, so every value is welcome.
pub fn put_long<T: Copy + Into<i64>>(values: &[T], out: &mut Vec<u8>) {
    put::<T, false>(values, out);
}

/// Appends the low 32 bits of `values` as the INT32 form, in which differences wrap at 32 bits.
pub fn put_int<T: Copy + Into<i64>>(values: &[T], out: &mut Vec<u8>) {
    put::<T, true>(values, out);
}

fn put<T: Copy + Into<i64>, const NARROW: bool>(values: &[T], out: &mut Vec<u8>) {
    let narrow = |value: i64| if NARROW { i64::from(value as i32) } else { value };
    put_unsigned(BLOCK as u64, out);
    put_unsigned((BLOCK / MINI) as u64, out);
    put_unsigned(values.len() as u64, out);
    let Some((first, rest)) = values.split_first() else {
        put_signed(0, out);
        return;
    };
    let mut previous = narrow((*first).into());
    put_signed(previous, out);
    let mut steps = [0i64; BLOCK];
    for block in rest.chunks(BLOCK) {
        let mut least = i64::MAX;
        for (step, value) in steps.iter_mut().zip(block) {
            let value = narrow((*value).into());
            *step = narrow(value.wrapping_sub(previous));
            least = least.min(*step);
            previous = value;
        }
        put_signed(least, out);
        let widths = out.len();
        out.extend_from_slice(&[0; BLOCK / MINI]);
        for (mini, steps) in steps[..block.len()].chunks(MINI).enumerate() {
            let mut above = [0u64; MINI];
            let mut all = 0;
            for (above, step) in above.iter_mut().zip(steps) {
                let value = step.wrapping_sub(least);
                *above = if NARROW { u64::from(value as u32) } else { value as u64 };
                all |= *above;
            }
            let width = width_of(all);
            out[widths + mini] = width as u8;
            pack32(&above, width, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::{Reader, read_delta};
    use super::*;
    use proptest::prelude::*;

    fn round_trip(values: &[i64]) {
        let mut out = Vec::new();
        put_long(values, &mut out);
        let mut reader = Reader::new(&out);
        assert_eq!(read_delta(&mut reader, 64).as_deref(), Some(values));
        assert_eq!(reader.rest(), 0);
    }

    #[test]
    fn the_first_bytes_are_those_of_the_format() {
        let mut out = Vec::new();
        put_long(&[7i64, 5, 3, 1, 2, 3, 4, 5], &mut out);
        // 128 in a block, 4 minis, 8 values, first 7, least step -2, one width of 2 bits.
        assert_eq!(out[..10], [0x80, 0x01, 4, 8, 14, 3, 2, 0, 0, 0]);
        assert_eq!(out[10..], [0b1100_0000, 0b0011_1111, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn none_one_and_a_full_block_come_back() {
        round_trip(&[]);
        round_trip(&[42]);
        for n in [2, 32, 33, 34, 128, 129, 130, 257] {
            round_trip(&(0..n).map(|i| i * i * 3 - 7).collect::<Vec<i64>>());
        }
        round_trip(&[5; 1000]);
    }

    #[test]
    fn extremes_wrap() {
        round_trip(&[i64::MAX, i64::MIN, i64::MAX, 0, i64::MIN, -1, 1, i64::MAX]);
        let mut out = Vec::new();
        let values = [i64::from(i32::MAX), i64::from(i32::MIN), 0, -1, i64::from(i32::MAX)];
        put_int(&values, &mut out);
        assert_eq!(read_delta(&mut Reader::new(&out), 32).as_deref(), Some(&values[..]));
    }

    #[test]
    fn a_cut_at_any_byte_is_noticed() {
        let mut out = Vec::new();
        put_long(&(0..300i64).map(|i| i * 977 % 131).collect::<Vec<_>>(), &mut out);
        for end in 0..out.len() {
            assert_eq!(read_delta(&mut Reader::new(&out[..end]), 64), None, "cut at {end}");
        }
    }

    proptest! {
        #[test]
        fn any_numbers_come_back(values in prop::collection::vec(any::<i64>(), 0..400)) {
            round_trip(&values);
        }

        #[test]
        fn any_small_steps_come_back(steps in prop::collection::vec(-40i64..1000, 0..400)) {
            let mut at = 1_700_000_000_000_000_000i64;
            round_trip(&steps.iter().map(|s| { at += s; at }).collect::<Vec<_>>());
        }

        #[test]
        fn any_narrow_numbers_come_back(values in prop::collection::vec(any::<i32>(), 0..400)) {
            let mut out = Vec::new();
            put_int(&values, &mut out);
            let expected: Vec<i64> = values.iter().map(|&v| v.into()).collect();
            prop_assert_eq!(read_delta(&mut Reader::new(&out), 32), Some(expected));
        }
    }
}
