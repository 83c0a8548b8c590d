//! Whole numbers of variable length: seven bits a byte, low bits first, the top bit set on all but the last.

/// Appends an unsigned number, at most ten bytes.
#[inline]
pub fn put_unsigned(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a signed number so that small ones of both signs are short.
#[inline]
pub fn put_signed(value: i64, out: &mut Vec<u8>) {
    put_unsigned(zigzag(value), out);
}

/// Numbers small in either direction as small unsigned ones.
#[inline]
pub fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// What [`zigzag`] was made of.
#[inline]
pub fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Takes an unsigned number off the front; `None` when the bytes end within it, or when it is longer than any.
#[inline]
pub fn take_unsigned(bytes: &mut &[u8]) -> Option<u64> {
    let (mut value, mut shift) = (0u64, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
}

/// Takes a signed number off the front; as [`take_unsigned`].
#[inline]
pub fn take_signed(bytes: &mut &[u8]) -> Option<i64> {
    take_unsigned(bytes).map(unzigzag)
}

/// Takes an unsigned number that is a count or a place in memory; as [`take_unsigned`].
#[inline]
pub fn take_count(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(take_unsigned(bytes)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_takes_a_byte_for_each_seven_bits() {
        let bytes = |value| {
            let mut out = Vec::new();
            put_unsigned(value, &mut out);
            out
        };
        assert_eq!(bytes(0), [0]);
        assert_eq!(bytes(127), [127]);
        assert_eq!(bytes(300), [0xAC, 0x02]);
        assert_eq!(bytes(u64::MAX), [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    }

    #[test]
    fn numbers_come_back_and_cut_ones_do_not() {
        for value in [0, 1, -1, 63, -64, 64, 1 << 40, i64::MAX, i64::MIN] {
            let mut bytes = Vec::new();
            put_signed(value, &mut bytes);
            put_unsigned(value as u64, &mut bytes);
            let mut rest = &bytes[..];
            assert_eq!((take_signed(&mut rest), take_unsigned(&mut rest)), (Some(value), Some(value as u64)));
            assert!(rest.is_empty());
            assert_eq!(take_unsigned(&mut &bytes[bytes.len()..]), None);
        }
        assert_eq!(take_unsigned(&mut &[0x80, 0x80][..]), None);
        assert_eq!(take_unsigned(&mut &[0xff; 12][..]), None, "longer than any number");
    }

    #[test]
    fn small_negative_numbers_are_short() {
        let bytes = |value| {
            let mut out = Vec::new();
            put_signed(value, &mut out);
            out
        };
        assert_eq!((bytes(0), bytes(-1), bytes(1), bytes(-64)), (vec![0], vec![1], vec![2], vec![127]));
        assert_eq!(bytes(i64::MIN), [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    }
}
