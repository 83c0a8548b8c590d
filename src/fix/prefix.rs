//! What stands between the message before and `8=`: when the message was captured, and which way it went.
//!
//! Logs put all sorts of things there. The stamp of QuickFIX and its relatives has a short path, since it is the most
//! common by far; every other form is looked for in the last line of the prefix. What could mean two things, such as
//! 04/05/2026, means nothing here.

mod direction;
mod stamp;

use crate::types::{Date, Timestamp};

/// Which way a message went, seen from the system that wrote the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
}

impl Direction {
    /// The word in the `direction` column.
    pub fn as_str(self) -> &'static str {
        match self {
            Direction::In => "in",
            Direction::Out => "out",
        }
    }
}

/// What the prefix of a message says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prefix {
    /// When the message was written to the log. Without a zone it is read as UTC.
    pub capture: Option<Timestamp>,
    /// The stamp says its zone or offset from UTC. Named zones other than UTC and GMT do not count: EST, IST and others
    /// name several.
    pub zone_known: bool,
    pub direction: Option<Direction>,
}

/// How much of a long prefix is looked at, from its end.
const LOOK_BACK: usize = 1024;

/// Reads the bytes between the end of the message before, or the start of the file, and `8=`.
///
/// ```
/// use fixtrail::fix::prefix::{self, Direction};
/// let found = prefix::read(b"<20260415-09:30:00.5, FIX.4.4:SND->TGT, incoming> (");
/// assert_eq!(found.capture.map(|t| t.to_string()).as_deref(), Some("2026-04-15T09:30:00.500Z"));
/// assert_eq!((found.zone_known, found.direction), (false, Some(Direction::In)));
/// ```
#[inline]
pub fn read(prefix: &[u8]) -> Prefix {
    if prefix.is_empty() {
        return Prefix::default();
    }
    // A newline is what is left of the line before when the framer does not take it.
    let start = prefix.iter().take_while(|b| matches!(b, b'\n' | b'\r')).count();
    match quickfix(&prefix[start..]) {
        Some(capture) => Prefix { capture: Some(capture), zone_known: false, direction: None },
        None => read_line(last_line(&prefix[prefix.len().saturating_sub(LOOK_BACK)..])),
    }
}

/// The line that `8=` stands in; the one before when nothing but blanks and brackets stand before `8=`, as in the two
/// lines of QuickFIX/Go's screen log.
fn last_line(prefix: &[u8]) -> &[u8] {
    let mut rest = prefix;
    for _ in 0..2 {
        let start = memchr::memrchr2(b'\n', b'\r', rest).map_or(0, |at| at + 1);
        let line = &rest[start..];
        if line.iter().any(|b| !matches!(b, b' ' | b'\t' | b'(' | 0)) {
            return line;
        }
        rest = &rest[..start.saturating_sub(1)];
        // CR and LF end one line.
        rest = rest.strip_suffix(b"\r").unwrap_or(rest);
    }
    &[]
}

fn read_line(line: &[u8]) -> Prefix {
    let stamp = stamp::find(line);
    Prefix {
        capture: stamp.map(|s| s.instant),
        zone_known: stamp.is_some_and(|s| s.zone_known),
        direction: direction::find(line),
    }
}

/// `YYYYMMDD-HH:MM:SS`, up to nine decimals, and one of the few things that the engines put behind it.
#[inline]
fn quickfix(prefix: &[u8]) -> Option<Timestamp> {
    let (date, rest) = prefix.split_first_chunk::<8>()?;
    let (&[b'-', h1, h2, b':', m1, m2, b':', s1, s2], rest) = rest.split_first_chunk::<9>()? else { return None };
    let (hour, minute, second) = (two(h1, h2)?, two(m1, m2)?, two(s1, s2)?);
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (nanos, tail) = match rest {
        [b'.', decimals @ ..] => {
            let mut nanos = 0;
            let mut len = 0;
            while let Some(digit) = decimals.get(len).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10 && len < 9) {
                nanos = nanos * 10 + u32::from(digit);
                len += 1;
            }
            const SCALE: [u32; 10] = [0, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1];
            if len == 0 {
                return None;
            }
            (nanos * SCALE[len], &decimals[len..])
        }
        _ => (0, rest),
    };
    if !matches!(tail, b" : " | b": " | b" - " | b" " | b"") {
        return None;
    }
    let ymd = eight_digits(*date)?;
    let date = Date::from_ymd(ymd / 10_000, ymd / 100 % 100, ymd % 100)?;
    let seconds = (hour * 60 + minute) * 60 + second;
    Timestamp::from_parts(date, i64::from(seconds) * 1_000_000_000 + i64::from(nanos))
}

#[inline]
fn two(a: u8, b: u8) -> Option<u32> {
    let (a, b) = (a.wrapping_sub(b'0'), b.wrapping_sub(b'0'));
    if a > 9 || b > 9 { None } else { Some(u32::from(a) * 10 + u32::from(b)) }
}

/// Eight ASCII digits as a number, all at once.
#[inline]
fn eight_digits(text: [u8; 8]) -> Option<u32> {
    let v = u64::from_le_bytes(text);
    // A digit has the high half 3, and still has it with 6 added.
    let high = v & 0xf0f0_f0f0_f0f0_f0f0;
    let shifted = v.wrapping_add(0x0606_0606_0606_0606) & 0xf0f0_f0f0_f0f0_f0f0;
    if high != 0x3030_3030_3030_3030 || shifted != 0x3030_3030_3030_3030 {
        return None;
    }
    let v = v & 0x0f0f_0f0f_0f0f_0f0f;
    // Neighbours join: 8 digits to 4 pairs, to 2 fours, to 1 number.
    let pairs = (v.wrapping_mul(10) + (v >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours.wrapping_mul(10_000) + (fours >> 32)) as u32)
}

#[cfg(test)]
#[path = "prefix/tests.rs"]
mod tests;
