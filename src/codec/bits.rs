//! Packs 32 numbers of a fixed width into bits, lowest bit first.

/// Appends `32 * width / 8` bytes. Each value is less than 2^width; `width` is at most 64.
#[inline]
pub(super) fn pack32(values: &[u64; 32], width: u32, out: &mut Vec<u8>) {
    // One function for each width, so that every shift is a constant and the loop has no branch.
    macro_rules! widths {
        ($($w:literal)*) => {
            match width {
                0 => {}
                $($w => pack::<$w>(values, out),)*
                _ => unreachable!("no value has more than 64 bits"),
            }
        };
    }
    widths!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
        40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64)
}

fn pack<const W: usize>(values: &[u64; 32], out: &mut Vec<u8>) {
    // Two or four narrow values are put together first: a step that does not wait for the one before.
    if W <= 16 {
        let fours: [u64; 8] = std::array::from_fn(|i| {
            let [a, b, c, d] = [values[4 * i], values[4 * i + 1], values[4 * i + 2], values[4 * i + 3]];
            a | b << W | (c | d << W) << ((2 * W) % 64)
        });
        join(&fours, 4 * W, out);
    } else if W <= 32 {
        let twos: [u64; 16] = std::array::from_fn(|i| values[2 * i] | values[2 * i + 1] << (W % 64));
        join(&twos, 2 * W, out);
    } else {
        join(values, W, out);
    }
}

/// Appends values of `width` bits one behind the other.
#[inline(always)]
fn join(values: &[u64], width: usize, out: &mut Vec<u8>) {
    let len = (values.len() * width).div_ceil(8);
    let mut words = [0u64; 32];
    let (mut place, mut filled, mut word) = (0, 0, 0u64);
    for &value in values {
        word |= value << filled;
        filled += width;
        if filled >= 64 {
            words[place] = word;
            place += 1;
            filled -= 64;
            // What did not fit; a shift by 64 would be none at all.
            word = if filled == 0 { 0 } else { value >> (width - filled) };
        }
    }
    if filled > 0 {
        words[place] = word;
    }
    let words = words.map(u64::to_le_bytes);
    out.extend_from_slice(&words.as_flattened()[..len]);
}

/// Bits needed to write `value`.
#[inline]
pub(super) fn width_of(value: u64) -> u32 {
    64 - value.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_packs_like_bit_by_bit() {
        for width in 0..=64u32 {
            let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
            let mut values = [0u64; 32];
            let mut state = 0x9E37_79B9_7F4A_7C15u64;
            for value in &mut values {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *value = (state ^ (state >> 29)) & mask;
            }
            values[7] = mask;
            let mut out = vec![0xEE];
            pack32(&values, width, &mut out);
            let mut expected = vec![0u8; 4 * width as usize];
            for (i, value) in values.iter().enumerate() {
                for bit in 0..width as usize {
                    let place = i * width as usize + bit;
                    expected[place / 8] |= ((value >> bit & 1) as u8) << (place % 8);
                }
            }
            assert_eq!(out[1..], expected[..], "width {width}");
        }
    }
}
