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
    let rendered = sum(summed);
    let sep = frame.separator.as_bytes();
    let standard = if sep == [1] {
        rendered
    } else {
        let count = memmem::find_iter(summed, sep).count() as u8;
        rendered.wrapping_sub(count.wrapping_mul(sum(sep))).wrapping_add(count)
    };
    let digits = bytes[frame.trailer..frame.end]
        .strip_prefix(b"10=")
        .map_or(&[][..], |rest| &rest[..rest.iter().take_while(|b| b.is_ascii_digit()).count().min(3)]);
    let stated = (!digits.is_empty()).then(|| digits.iter().fold(0u16, |n, b| n * 10 + u16::from(b - b'0')));
    CheckSum { stated, digits: digits.len() as u8, standard, rendered }
}

/// Bytes added modulo 256; a loop of byte lanes, which the compiler turns into vector adds.
fn sum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0u8, |n, &b| n.wrapping_add(b))
}
