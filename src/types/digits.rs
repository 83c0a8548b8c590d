//! Decimal digits eight at a time: a text's bytes as one word, the first byte lowest.

/// Eight times the digit 0.
const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

/// Up to eight bytes, filled up behind with the digit 0; `None` for none or for more.
#[inline]
pub(crate) fn leading(text: &[u8]) -> Option<u64> {
    let four = |at: usize| u64::from(u32::from_le_bytes([text[at], text[at + 1], text[at + 2], text[at + 3]]));
    let length = text.len();
    match length {
        4..=7 => {
            // The two words overlap, and where they do they have the same bytes.
            let shift = 8 * (length - 4);
            Some(four(0) | four(length - 4) << shift | ZEROS << (8 * length))
        }
        1..=3 => {
            let byte = |at: usize| u64::from(text[at]) << (8 * at);
            Some(byte(0) | byte(length / 2) | byte(length - 1) | ZEROS << (8 * length))
        }
        8 => Some(four(0) | four(4) << 32),
        _ => None,
    }
}

/// Up to eight bytes, filled up in front with the digit 0, so that digits keep their value; `None` for none or for more.
#[inline]
pub(crate) fn trailing(text: &[u8]) -> Option<u64> {
    let word = leading(text)?;
    Some(match text.len() {
        8 => word,
        length => word << (8 * (8 - length)) | ZEROS >> (8 * length),
    })
}

/// As [`trailing`] of `bytes[start..end]`, in fewer steps; also `None` where no eight bytes end at `end`.
#[inline]
pub(crate) fn trailing_in(bytes: &[u8], start: usize, end: usize) -> Option<u64> {
    let last = bytes.get(..end)?.last_chunk::<8>()?;
    if !(1..=8).contains(&end.wrapping_sub(start)) {
        return None;
    }
    let own = u64::MAX << (8 * (8 + start - end));
    Some(u64::from_le_bytes(*last) & own | ZEROS & !own)
}

/// The high bit of each byte that is no ASCII digit.
///
/// Taken by exclusive or with `0`, digits are 0 to 9, and 0x76 lifts from 10 on into the high bit. No byte carries into
/// the next, as the high bits are taken out before and put back after.
#[inline]
pub(crate) fn not_digits(word: u64) -> u64 {
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    const LIFT: u64 = u64::from_le_bytes([0x76; 8]);
    ((((word ^ ZEROS) & !HIGH) + LIFT) | word) & HIGH
}

/// Each digit times ten plus its right neighbour, in the digit's own byte.
#[inline]
pub(crate) fn pairs(digits: u64) -> u64 {
    let values = digits ^ ZEROS;
    values * 10 + (values >> 8)
}

/// The number that eight digits write.
#[inline]
pub(crate) fn number(digits: u64) -> u64 {
    const SECOND: u64 = 0x0000_00FF_0000_00FF;
    let pairs = pairs(digits);
    // Pairs 0 and 2 weigh a million and a hundred, pairs 1 and 3 ten thousand and one; the sum ends up in the upper half.
    let even = (pairs & SECOND).wrapping_mul(100 + (1_000_000 << 32));
    let odd = (pairs >> 16 & SECOND).wrapping_mul(1 + (10_000 << 32));
    even.wrapping_add(odd) >> 32
}

/// Appends a number as decimal digits.
#[inline]
pub(crate) fn push_number(number: u64, out: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    let (mut at, mut rest) = (digits.len(), number);
    while rest >= 10 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
        rest /= 100;
    }
    if rest > 0 || at == digits.len() {
        at -= 1;
        digits[at] = b'0' + rest as u8;
    }
    out.extend_from_slice(&digits[at..]);
}

/// 00 to 99.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut n = 0;
    while n < 100 {
        pairs[n] = [b'0' + n as u8 / 10, b'0' + n as u8 % 10];
        n += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_read_as_the_number_they_write(value in 0u64..100_000_000, width in 1usize..=8) {
            let text = format!("{value:0width$}");
            let word = trailing(text.as_bytes()).expect("one to eight bytes");
            prop_assert_eq!(not_digits(word), 0);
            prop_assert_eq!(number(word), value);
        }

        #[test]
        fn a_number_is_written_as_the_library_writes_it(value in any::<u64>(), shift in 0u32..64) {
            let mut out = Vec::new();
            push_number(value >> shift, &mut out);
            prop_assert_eq!(String::from_utf8(out), Ok((value >> shift).to_string()));
        }

        #[test]
        fn what_is_no_digit_is_marked(text in prop::collection::vec(any::<u8>(), 0..11)) {
            let words = (leading(&text), trailing(&text));
            for front in 0..12 {
                let bytes = [vec![b'7'; front], text.clone(), vec![b'8'; 3]].concat();
                let there = words.1.filter(|_| front + text.len() >= 8);
                prop_assert_eq!(trailing_in(&bytes, front, front + text.len()), there);
            }
            if text.is_empty() || text.len() > 8 {
                prop_assert_eq!(words, (None, None));
                return Ok(());
            }
            let (Some(leading), Some(trailing)) = words else { panic!("one to eight bytes") };
            let marks = |word: u64, from: usize| -> Vec<bool> {
                not_digits(word).to_le_bytes()[from..from + text.len()].iter().map(|b| *b != 0).collect()
            };
            let plain: Vec<bool> = text.iter().map(|b| !b.is_ascii_digit()).collect();
            prop_assert_eq!(&marks(leading, 0), &plain);
            prop_assert_eq!(&marks(trailing, 8 - text.len()), &plain);
        }
    }
}
