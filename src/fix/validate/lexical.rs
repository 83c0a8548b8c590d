//! How values of each type are written: bytes in, yes or no out; no value is limited in size.

use crate::fix::dictionary::Kind;
use crate::types::digits::{leading, not_digits, pairs};

/// Whether a value is written as its kind demands. An empty value never is.
#[inline(always)]
pub fn is_written_as(kind: Kind, value: &[u8]) -> bool {
    match kind {
        Kind::Text | Kind::Data => !value.is_empty(),
        Kind::Char => value.len() == 1,
        Kind::Boolean => matches!(value, b"Y" | b"N"),
        Kind::Int => is_unsigned(value.strip_prefix(b"-").unwrap_or(value)),
        Kind::Unsigned => is_unsigned(value),
        Kind::Decimal => is_decimal(value),
        Kind::UtcTimestamp => is_utc_timestamp(value),
        Kind::UtcTimeOnly => is_time(value),
        Kind::Date => is_date(value),
        _ => is_written_as_rare(kind, value),
    }
}

/// The kinds that ordinary orders and executions do without.
#[cold]
fn is_written_as_rare(kind: Kind, value: &[u8]) -> bool {
    let letters = |n: usize| value.len() == n && value.iter().all(u8::is_ascii_uppercase);
    match kind {
        Kind::DayOfMonth => {
            matches!(value, [b'1'..=b'9'] | [b'0', b'1'..=b'9'] | [b'1' | b'2', b'0'..=b'9'] | [b'3', b'0' | b'1'])
        }
        Kind::MonthYear => is_month_year(value),
        Kind::MultipleChar => {
            value.len() % 2 == 1 && value.iter().enumerate().all(|(i, &b)| (b == b' ') == (i % 2 == 1))
        }
        Kind::MultipleString => value.split(|&b| b == b' ').all(|word| !word.is_empty()),
        Kind::Currency => letters(3),
        Kind::Country => letters(2),
        Kind::Language => value.len() == 2 && value.iter().all(u8::is_ascii_alphabetic),
        Kind::Mic => value.len() == 4 && value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()),
        Kind::Market => !value.is_empty() && value.iter().all(u8::is_ascii_graphic),
        Kind::TzTimestamp => {
            value.len() > 9 && is_date(&value[..8]) && value[8] == b'-' && is_time_with_zone(&value[9..])
        }
        Kind::TzTimeOnly => is_time_with_zone(value),
        Kind::LocalTime => value.len() == 8 && is_time(value),
        // The others are told apart before.
        _ => !value.is_empty(),
    }
}

/// One or more digits.
#[inline]
pub fn is_unsigned(value: &[u8]) -> bool {
    match leading(value) {
        Some(bytes) => not_digits(bytes) == 0,
        None => !value.is_empty() && value.iter().all(u8::is_ascii_digit),
    }
}

/// Digits with at most one point anywhere and an optional minus before: `-0`, `23.`, `.5`, `00023.23`.
#[inline]
pub fn is_decimal(value: &[u8]) -> bool {
    match leading(value) {
        // The usual shapes at once: digits only, or digits and one point.
        Some(bytes) => {
            let others = not_digits(bytes);
            others == 0
                || (others & (others - 1) == 0
                    && (bytes >> (others.trailing_zeros() & !7)) as u8 == b'.'
                    && value.len() > 1)
                || is_signed_or_long_decimal(value)
        }
        None => is_signed_or_long_decimal(value),
    }
}

#[inline(never)]
fn is_signed_or_long_decimal(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"-").unwrap_or(value);
    let points = digits.iter().filter(|&&b| b == b'.').count();
    points <= 1 && digits.len() > points && digits.iter().all(|&b| b.is_ascii_digit() || b == b'.')
}

/// `YYYYMMDD`, a day of the calendar.
#[inline]
pub fn is_date(value: &[u8]) -> bool {
    let Ok(bytes) = <[u8; 8]>::try_from(value) else { return false };
    let bytes = u64::from_le_bytes(bytes);
    if not_digits(bytes) != 0 {
        return false;
    }
    let pairs = pairs(bytes);
    let [century, _, year, _, month, _, day, _] = pairs.to_le_bytes();
    match day {
        1..=28 => matches!(month, 1..=12),
        29..=31 => day <= days_of(century, year, month),
        _ => false,
    }
}

/// Days of a month; 0 when there is no such month.
fn days_of(century: u8, year: u8, month: u8) -> u8 {
    let leap = if year == 0 { century.is_multiple_of(4) } else { year.is_multiple_of(4) };
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

/// `YYYYMMDD-HH:MM:SS` with 0 to 12 decimals; second 60 is legal.
pub fn is_utc_timestamp(value: &[u8]) -> bool {
    value.len() >= 17 && value[8] == b'-' && is_date(&value[..8]) && is_time(&value[9..])
}

/// `HH:MM:SS` with 0 to 12 decimals; second 60 is legal.
#[inline]
pub fn is_time(value: &[u8]) -> bool {
    let Some((clock, decimals)) = value.split_first_chunk::<8>() else { return false };
    let clock = u64::from_le_bytes(*clock);
    const COLONS: u64 = u64::from_le_bytes([0, 0, b':', 0, 0, b':', 0, 0]);
    const PLACES: u64 = u64::from_le_bytes([0, 0, 0xff, 0, 0, 0xff, 0, 0]);
    const ZEROS: u64 = u64::from_le_bytes([0, 0, b'0', 0, 0, b'0', 0, 0]);
    let digits = clock & !PLACES | ZEROS;
    if clock & PLACES != COLONS || not_digits(digits) != 0 {
        return false;
    }
    let [hour, _, _, minute, _, _, second, _] = pairs(digits).to_le_bytes();
    if hour > 23 || minute > 59 || second > 60 {
        return false;
    }
    match decimals {
        [] => true,
        [b'.', digits @ ..] => digits.len() <= 12 && is_unsigned(digits),
        _ => false,
    }
}

/// `HH:MM`, or a time with seconds, then nothing, `Z`, or `+hh`, `-hh`, `+hh:mm`, `-hh:mm`.
fn is_time_with_zone(value: &[u8]) -> bool {
    let zone = value.iter().position(|b| matches!(b, b'Z' | b'+' | b'-')).unwrap_or(value.len());
    let (time, zone) = value.split_at(zone);
    let is_clock = match *time {
        [h1, h2, b':', m1, m2] => is_time(&[h1, h2, b':', m1, m2, b':', b'0', b'0']),
        _ => is_time(time),
    };
    let is_zone = match *zone {
        [] | [b'Z'] => true,
        [b'+' | b'-', h1, h2] => is_time(&[h1, h2, b':', b'0', b'0', b':', b'0', b'0']),
        [b'+' | b'-', h1, h2, b':', m1, m2] => is_time(&[h1, h2, b':', m1, m2, b':', b'0', b'0']),
        _ => false,
    };
    is_clock && is_zone
}

/// `YYYYMM`, `YYYYMMDD`, or `YYYYMMw1` to `YYYYMMw5`.
fn is_month_year(value: &[u8]) -> bool {
    match *value {
        [y1, y2, y3, y4, m1, m2] => is_date(&[y1, y2, y3, y4, m1, m2, b'0', b'1']),
        [y1, y2, y3, y4, m1, m2, b'w', b'1'..=b'5'] => is_date(&[y1, y2, y3, y4, m1, m2, b'0', b'1']),
        _ => is_date(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(kind: Kind, good: &[&str], bad: &[&str]) {
        for value in good {
            assert!(is_written_as(kind, value.as_bytes()), "{kind:?} {value}");
        }
        for value in bad {
            assert!(!is_written_as(kind, value.as_bytes()), "{kind:?} {value}");
        }
    }

    #[test]
    fn numbers_have_the_shape_of_their_type() {
        all(Kind::Int, &["0", "-5", "0012", "99999999999999999999999"], &["", "-", "+1", "1.0", "1e3", "x", " 1"]);
        all(Kind::Unsigned, &["0", "12"], &["", "-1", "1 "]);
        all(
            Kind::Decimal,
            &["1", "-1.5", ".5", "23.", "00023.23"],
            &["", ".", "-", "-.", "1.2.3", "12x", "1e5", "+1", "--1"],
        );
        all(Kind::DayOfMonth, &["1", "01", "31", "29"], &["0", "00", "32", "001", ""]);
    }

    #[test]
    fn dates_are_days_of_the_calendar() {
        all(
            Kind::Date,
            &["20240229", "20000229", "20260302", "19991231"],
            &["20230229", "19000229", "20261301", "20260431"],
        );
        all(Kind::Date, &[], &["2026032", "202603021", "2026-3-2", "20260300", "20260332", ""]);
        all(Kind::MonthYear, &["202603", "20260302", "202603w5"], &["202613", "202603w6", "2026", "202603W1"]);
    }

    #[test]
    fn times_have_up_to_twelve_decimals_and_a_leap_second() {
        let good = ["20260302-14:30:09", "20260302-23:59:60", "20260302-14:30:09.1", "20260302-14:30:09.123456789012"];
        let bad = [
            "20260302-14:30:09.",
            "20260302-14:30:09.1234567890123",
            "20260302-24:00:00",
            "20260302-14:60:00",
            "20260302-14:30:61",
            "20260302 14:30:09",
            "20260302-14:30",
            "20260302-14:30:09Z",
            "",
        ];
        all(Kind::UtcTimestamp, &good, &bad);
        all(Kind::UtcTimeOnly, &["14:30:09", "14:30:09.123"], &["14:30", "1:30:09", "14;30;09", "143009"]);
        all(Kind::LocalTime, &["14:30:09"], &["14:30:09.1", "14:30"]);
    }

    #[test]
    fn zones_are_z_or_an_offset() {
        all(
            Kind::TzTimeOnly,
            &["07:39Z", "07:39+05:30", "07:39-05", "07:39:10.5Z", "07:39"],
            &["7:39Z", "07:39+5", "07:39ZZ", ""],
        );
        all(Kind::TzTimestamp, &["20060901-07:39Z", "20060901-07:39:01-05:00"], &["20060901", "20060901-", "07:39Z"]);
    }

    #[test]
    fn words_and_characters_are_parted_by_one_blank() {
        all(Kind::MultipleChar, &["1", "1 G", "a b c"], &["", "G1", "G  1", " G", "G "]);
        all(Kind::MultipleString, &["AV", "AV AN"], &["", " ", "AV  AN", "AV "]);
    }

    #[test]
    fn codes_of_other_standards_are_held_to_their_form() {
        all(Kind::Currency, &["USD"], &["usd", "US", "USDX", "U1D"]);
        all(Kind::Country, &["US"], &["USA", "us", ""]);
        all(Kind::Mic, &["XNAS", "360T"], &["N", "XNASD", "xnas"]);
        all(Kind::Market, &["N", "O", "XNAS"], &["", "N Q"]);
        all(Kind::Char, &["1", "\t"], &["", "12"]);
        all(Kind::Boolean, &["Y", "N"], &["y", "1", ""]);
    }

    /// The plain twin: fields cut out as text and read as numbers.
    fn plain_timestamp(text: &str) -> bool {
        let number = |from: usize, to: usize| {
            text.get(from..to).filter(|t| t.bytes().all(|b| b.is_ascii_digit())).and_then(|t| t.parse::<u32>().ok())
        };
        let at = |i: usize| text.as_bytes().get(i).copied();
        let (Some(year), Some(month), Some(day)) = (number(0, 4), number(4, 6), number(6, 8)) else { return false };
        let (Some(hour), Some(minute), Some(second)) = (number(9, 11), number(12, 14), number(15, 17)) else {
            return false;
        };
        let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        let days = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let marks = at(8) == Some(b'-') && at(11) == Some(b':') && at(14) == Some(b':');
        let decimals = text.get(17..).unwrap_or("?");
        let digits = decimals.strip_prefix('.').unwrap_or("");
        marks
            && (1..=12).contains(&month)
            && day >= 1
            && day <= days[month as usize - 1]
            && hour <= 23
            && minute <= 59
            && second <= 60
            && (decimals.is_empty() || ((1..=12).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())))
    }

    fn plain_decimal(text: &str) -> bool {
        let text = text.strip_prefix('-').unwrap_or(text);
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{part}");
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    }

    proptest! {
        #[test]
        fn a_number_is_judged_as_by_its_plain_twin(text in "-?[0-9]{0,9}[.x/:\u{b0}-]?[0-9]{0,9}.?") {
            prop_assert_eq!(is_decimal(text.as_bytes()), plain_decimal(&text));
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            prop_assert_eq!(is_unsigned(text.as_bytes()), digits);
        }

        #[test]
        fn a_timestamp_is_judged_as_by_its_plain_twin(text in "[0-2][0-9]{3}[01][0-9][0-3][0-9][-:][0-2][0-9][:;][0-6][0-9/:]:[0-6][0-9]([.:]?[0-9a]{0,13})?") {
            prop_assert_eq!(is_utc_timestamp(text.as_bytes()), plain_timestamp(&text));
        }

        #[test]
        fn any_bytes_are_judged_without_a_panic(value in proptest::collection::vec(any::<u8>(), 0..30)) {
            for kind in [Kind::UtcTimestamp, Kind::TzTimestamp, Kind::TzTimeOnly, Kind::MonthYear, Kind::Decimal, Kind::MultipleChar] {
                let _ = is_written_as(kind, &value);
            }
            if let Ok(text) = std::str::from_utf8(&value) {
                prop_assert_eq!(is_utc_timestamp(&value), plain_timestamp(text));
            }
        }
    }
}
