//! Instants as FIX writes them: `YYYYMMDD-HH:MM:SS` with up to twelve decimals.

use super::{Date, digits};
use std::fmt;

/// An instant in UTC, in whole nanoseconds since 1970-01-01T00:00:00Z.
///
/// Up to nine fractional digits are kept. FIX also allows picoseconds: further digits that are not zero are an error of
/// [`Timestamp::parse_fix`], never rounded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

const NANOS_PER_DAY: i64 = 86_400_000_000_000;

impl Timestamp {
    /// Reads FIX's UTCTimestamp: `20260302-14:30:09`, 0 to 12 decimals, second 60 allowed (a leap second counts as the
    /// first second of the next minute). `None` when it is not one, when digits beyond the ninth decimal are not zero,
    /// or when the instant lies outside of what 64 bits of nanoseconds hold (1677 to 2262).
    ///
    /// ```
    /// use fixtrail::types::Timestamp;
    /// assert_eq!(Timestamp::parse_fix(b"19700101-00:00:01.5"), Some(Timestamp(1_500_000_000)));
    /// assert_eq!(Timestamp::parse_fix(b"19700101-24:00:00"), None);
    /// ```
    pub fn parse_fix(text: &[u8]) -> Option<Timestamp> {
        if text.len() < 17 || text[8] != b'-' {
            return None;
        }
        let date = Date::parse_compact(&text[..8])?;
        Timestamp::from_parts(date, parse_time_of_day(&text[9..])?)
    }

    /// The instant `nanos_of_day` after midnight UTC of `date`.
    pub fn from_parts(date: Date, nanos_of_day: i64) -> Option<Timestamp> {
        i64::from(date.0).checked_mul(NANOS_PER_DAY)?.checked_add(nanos_of_day).map(Timestamp)
    }

    /// The date in UTC.
    pub fn date(self) -> Date {
        Date(self.0.div_euclid(NANOS_PER_DAY) as i32)
    }

    /// Nanoseconds since midnight UTC.
    pub fn nanos_of_day(self) -> i64 {
        self.0.rem_euclid(NANOS_PER_DAY)
    }
}

/// Reads one instant after another; those of one day cost less than [`Timestamp::parse_fix`], which gives the same.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The date that was read last, as it was written, and its midnight.
    day: u64,
    midnight: Timestamp,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock { day: u64::from_le_bytes(*b"19700101"), midnight: Timestamp(0) }
    }
}

impl Clock {
    /// As [`Timestamp::parse_fix`].
    #[inline]
    pub fn parse_fix(&mut self, text: &[u8]) -> Option<Timestamp> {
        let (day, rest) = text.split_first_chunk::<8>()?;
        let (b'-', time) = rest.split_first()? else { return None };
        let day = u64::from_le_bytes(*day);
        if day != self.day {
            let Some(midnight) = Timestamp::from_parts(Date::parse_compact(&text[..8])?, 0) else {
                // The first day that 64 bits can tell has no midnight.
                return Timestamp::parse_fix(text);
            };
            (self.day, self.midnight) = (day, midnight);
        }
        self.midnight.0.checked_add(parse_time_of_day(time)?).map(Timestamp)
    }
}

/// Reads `HH:MM:SS` with 0 to 12 decimals as nanoseconds since midnight; second 60 is legal.
#[inline]
pub fn parse_time_of_day(text: &[u8]) -> Option<i64> {
    let (clock, decimals) = text.split_first_chunk::<8>()?;
    const COLONS: u64 = u64::from_le_bytes([0, 0, b':', 0, 0, b':', 0, 0]);
    const PLACES: u64 = u64::from_le_bytes([0, 0, 0xff, 0, 0, 0xff, 0, 0]);
    const ZEROS: u64 = u64::from_le_bytes([0, 0, b'0', 0, 0, b'0', 0, 0]);
    let clock = u64::from_le_bytes(*clock);
    let digits = clock & !PLACES | ZEROS;
    if clock & PLACES != COLONS || digits::not_digits(digits) != 0 {
        return None;
    }
    let [hour, _, _, minute, _, _, second, _] = digits::pairs(digits).to_le_bytes();
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
    Some(seconds * 1_000_000_000 + parse_decimals(decimals)?)
}

/// Reads `.` and 1 to 12 decimals of a second, or nothing, as nanoseconds.
#[inline]
fn parse_decimals(text: &[u8]) -> Option<i64> {
    let Some((b'.', decimals)) = text.split_first() else { return text.is_empty().then_some(0) };
    if let Some(word) = digits::leading(decimals) {
        // Eight digits count tens of nanoseconds, however many of them are the filling.
        return (digits::not_digits(word) == 0).then(|| 10 * digits::number(word) as i64);
    }
    let (nanos, finer) = decimals.split_at_checked(9)?;
    let (tens, last) = (digits::leading(&nanos[..8])?, nanos[8].wrapping_sub(b'0'));
    let is_right = digits::not_digits(tens) == 0 && last <= 9 && finer.len() <= 3 && finer.iter().all(|b| *b == b'0');
    is_right.then(|| 10 * digits::number(tens) as i64 + i64::from(last))
}

/// `2026-03-02T14:30:09.442Z`, with as many decimals (0, 3, 6 or 9) as the instant needs.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.nanos_of_day();
        let (seconds, fraction) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
        write!(f, "{}T{:02}:{:02}:{:02}", self.date(), seconds / 3600, seconds / 60 % 60, seconds % 60)?;
        if fraction == 0 {
            f.write_str("Z")
        } else if fraction % 1_000_000 == 0 {
            write!(f, ".{:03}Z", fraction / 1_000_000)
        } else if fraction % 1000 == 0 {
            write!(f, ".{:06}Z", fraction / 1000)
        } else {
            write!(f, ".{fraction:09}Z")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Timestamp};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_clock_reads_what_a_single_look_reads(
            texts in prop::collection::vec("(20260302|20260303|20260230|16770921|22620411|22620412)[-x][0-2][0-9]:[0-6][0-9]:[0-6][0-9]([.][0-9]{0,13})?", 1..20),
        ) {
            let mut clock = Clock::default();
            for text in &texts {
                prop_assert_eq!(clock.parse_fix(text.as_bytes()), Timestamp::parse_fix(text.as_bytes()), "{}", text);
            }
        }
    }

    #[test]
    fn decimals_from_none_to_twelve_are_read_exactly() {
        let base = Timestamp::parse_fix(b"20260302-14:30:09").map(|t| t.0).unwrap_or_default();
        assert_eq!(base, 1_772_461_809_000_000_000);
        for (text, nanos) in [
            (&b"20260302-14:30:09.4"[..], 400_000_000),
            (b"20260302-14:30:09.442", 442_000_000),
            (b"20260302-14:30:09.442001", 442_001_000),
            (b"20260302-14:30:09.442001999", 442_001_999),
            (b"20260302-14:30:09.442001999000", 442_001_999),
        ] {
            assert_eq!(Timestamp::parse_fix(text), Some(Timestamp(base + nanos)));
        }
        assert_eq!(Timestamp::parse_fix(b"20260302-14:30:60"), Some(Timestamp(base + 51_000_000_000)));
    }

    #[test]
    fn what_is_not_an_instant_is_refused() {
        for text in [
            "",
            "20260302",
            "20260302-14:30",
            "20260302 14:30:09",
            "20260302-24:00:00",
            "20260302-14:60:00",
            "20260302-14:30:61",
            "20260302-14:30:09.",
            "20260302-14:30:09.4420019990001",
            "20260302-14:30:09.442001999001",
            "20260230-14:30:09",
            "99991231-00:00:00",
            "20260302-1a:30:09",
        ] {
            assert_eq!(Timestamp::parse_fix(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn shown_with_the_decimals_it_needs() {
        for (nanos, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (1_000_000, "1970-01-01T00:00:00.001Z"),
            (1_000, "1970-01-01T00:00:00.000001Z"),
            (-1, "1969-12-31T23:59:59.999999999Z"),
        ] {
            assert_eq!(Timestamp(nanos).to_string(), text);
        }
    }
}
