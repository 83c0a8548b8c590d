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
    put_unsigned(((value << 1) ^ (value >> 63)) as u64, out);
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
