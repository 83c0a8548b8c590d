//! Instants as people and other programs write them: `2026-03-02T14:30:00.5+01:00`.

use super::timestamp::parse_time_of_day;
use super::{Date, Timestamp};

impl Date {
    /// Reads `YYYY-MM-DD`; `None` when it is not such a date.
    ///
    /// ```
    /// use fixtrail::types::Date;
    /// assert_eq!(Date::parse_iso(b"2026-03-02"), Date::from_ymd(2026, 3, 2));
    /// ```
    pub fn parse_iso(text: &[u8]) -> Option<Date> {
        let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *<&[u8; 10]>::try_from(text).ok()? else { return None };
        Date::parse_compact(&[y1, y2, y3, y4, m1, m2, d1, d2])
    }
}

impl Timestamp {
    /// Reads RFC 3339: a date, `T` or a space, a time with up to nine decimals, and `Z` or an offset. `None` when it is
    /// not one, or lies outside of what 64 bits of nanoseconds hold.
    ///
    /// ```
    /// use fixtrail::types::Timestamp;
    /// assert_eq!(Timestamp::parse_rfc3339(b"1970-01-01T01:00:00.5+01:00"), Some(Timestamp(500_000_000)));
    /// ```
    pub fn parse_rfc3339(text: &[u8]) -> Option<Timestamp> {
        let (date, rest) = text.split_at_checked(10)?;
        let (b'T' | b't' | b' ', rest) = rest.split_first()? else { return None };
        let zone = rest.iter().position(|byte| matches!(byte, b'Z' | b'z' | b'+' | b'-'))?;
        let (time, zone) = rest.split_at(zone);
        let local = Timestamp::from_parts(Date::parse_iso(date)?, parse_time_of_day(time)?)?;
        local.0.checked_sub(offset_nanos(zone)?).map(Timestamp)
    }
}

/// `Z` or `+HH:MM` as nanoseconds that local time is ahead of UTC.
fn offset_nanos(zone: &[u8]) -> Option<i64> {
    let (sign, [h1, h2, b':', m1, m2]) = (match zone {
        [b'Z' | b'z'] => return Some(0),
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    }) else {
        return None;
    };
    parse_time_of_day(&[*h1, *h2, b':', *m1, *m2, b':', b'0', b'0']).map(|nanos| sign * nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_of_any_zone_are_read_exactly() {
        let base = Timestamp::parse_fix(b"20260302-14:30:09").expect("an instant").0;
        for (text, nanos) in [
            ("2026-03-02T14:30:09Z", 0),
            ("2026-03-02t14:30:09.25z", 250_000_000),
            ("2026-03-02 15:30:09.000000001+01:00", 1),
            ("2026-03-02T09:00:09-05:30", 0),
            ("2026-03-03T00:00:09+09:30", 0),
        ] {
            assert_eq!(Timestamp::parse_rfc3339(text.as_bytes()), Some(Timestamp(base + nanos)), "{text}");
        }
    }

    #[test]
    fn what_is_shown_is_read() {
        for nanos in [0, 1, -1, 1_500_000_000, i64::MAX / 2] {
            assert_eq!(Timestamp::parse_rfc3339(Timestamp(nanos).to_string().as_bytes()), Some(Timestamp(nanos)));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "2026-03-02",
            "2026-03-02T14:30:09",
            "2026-03-02T14:30Z",
            "2026-02-30T14:30:09Z",
            "2026-03-02T14:30:09+1:00",
            "2026-03-02T14:30:09+01:00x",
            "2026-03-02T14:30:09+24:00",
            "2026/03/02T14:30:09Z",
            "20260302T143009Z",
            "2026-03-0\u{e9}T14:30:09Z",
            "9999-03-02T14:30:09Z",
        ] {
            assert_eq!(Timestamp::parse_rfc3339(text.as_bytes()), None, "{text}");
        }
    }
}
