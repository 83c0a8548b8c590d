//! CheckSum(10): the sum of all bytes before it, modulo 256, taken with 0x01 as separator.

use super::frame::Frame;
use memchr::memmem;

/// What CheckSum(10) says and what the bytes add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckSum {
    /// The number written, or `None` when the message has no trailer.
    pub stated: Option<u16>,
    /// How many digits it has; the standard asks for three.
    pub digits: u8,
    /// The sum with 0x01 put back for each separator.
    pub standard: u8,
    /// The sum of the bytes as they stand. Some writers sum what they render.
    pub rendered: u8,
    /// Line breaks among the message's bytes, which are counted in the same walk.
    pub lines: u64,
}

impl CheckSum {
    /// The number written is the sum by the standard.
    pub fn is_standard(&self) -> bool {
        self.stated == Some(u16::from(self.standard))
    }

    /// The number written is the sum of the rendered bytes.
    pub fn is_rendered(&self) -> bool {
        self.stated == Some(u16::from(self.rendered))
    }
}

/// Sums a frame's bytes; `bytes` are those the frame was found in.
pub fn check_sum(bytes: &[u8], frame: &Frame) -> CheckSum {
    let summed = &bytes[frame.start..frame.trailer];
    let (rendered, lines) = sum_and_lines(summed);
    let sep = frame.separator.as_bytes();
    let standard = if sep == [1] {
        rendered
    } else {
        let count = memmem::find_iter(summed, sep).count() as u8;
        rendered.wrapping_sub(count.wrapping_mul(sum_and_lines(sep).0)).wrapping_add(count)
    };
    let trailer = &bytes[frame.trailer..frame.end];
    if let [b'1', b'0', b'=', a @ b'0'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9', 1] = *trailer {
        let digit = |byte: u8| u16::from(byte - b'0');
        let stated = Some(digit(a) * 100 + digit(b) * 10 + digit(c));
        return CheckSum { stated, digits: 3, standard, rendered, lines };
    }
    let lines = lines + trailer.iter().filter(|b| **b == b'\n').count() as u64;
    let digits = trailer
        .strip_prefix(b"10=")
        .map_or(&[][..], |rest| &rest[..rest.iter().take_while(|b| b.is_ascii_digit()).count().min(3)]);
    let stated = (!digits.is_empty()).then(|| digits.iter().fold(0u16, |n, b| n * 10 + u16::from(b - b'0')));
    CheckSum { stated, digits: digits.len() as u8, standard, rendered, lines }
}

/// Bytes added modulo 256, and how many of them are line breaks.
fn sum_and_lines(bytes: &[u8]) -> (u8, u64) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn with_wide_lanes(bytes: &[u8]) -> (u8, u64) {
            in_lanes(bytes)
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has the instructions.
            return unsafe { with_wide_lanes(bytes) };
        }
    }
    in_lanes(bytes)
}

/// Both are taken in 32 lanes, which the compiler turns into vectors.
#[inline(always)]
fn in_lanes(bytes: &[u8]) -> (u8, u64) {
    let (mut sum, mut lines) = (0u8, 0u64);
    // A lane of line breaks must not overflow.
    for part in bytes.chunks(32 * 128) {
        let (mut sums, mut breaks) = ([0u8; 32], [0u8; 32]);
        let mut add = |chunk: &[u8; 32]| {
            for lane in 0..32 {
                sums[lane] = sums[lane].wrapping_add(chunk[lane]);
                breaks[lane] += u8::from(chunk[lane] == b'\n');
            }
        };
        let (chunks, rest) = part.as_chunks::<32>();
        chunks.iter().for_each(&mut add);
        let mut last = [0; 32];
        last[..rest.len()].copy_from_slice(rest);
        add(&last);
        sum = sums.iter().fold(sum, |n, lane| n.wrapping_add(*lane));
        lines += breaks.iter().map(|lane| u64::from(*lane)).sum::<u64>();
    }
    (sum, lines)
}

#[cfg(test)]
mod tests {
    use super::sum_and_lines;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lanes_add_up_as_one_by_one(bytes in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..9000)) {
            let sum = bytes.iter().fold(0u8, |n, b| n.wrapping_add(*b));
            let lines = bytes.iter().filter(|b| **b == b'\n').count() as u64;
            prop_assert_eq!(sum_and_lines(&bytes), (sum, lines));
        }
    }
}
