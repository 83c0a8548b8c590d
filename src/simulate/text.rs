//! Numbers, prices and times as FIX text, appended to a byte buffer without going through `format!`.

use crate::types::Date;

/// One second in nanoseconds.
pub const SECOND: u64 = 1_000_000_000;

/// Appends a whole number.
pub fn push_number(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a whole number with zeros in front, at least `width` digits (at most 20).
pub fn push_padded(out: &mut Vec<u8>, mut number: u64, width: usize) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    while number > 0 {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    out.extend_from_slice(&digits[at.min(digits.len() - width)..]);
}

/// Appends a price in 1/10,000 with two to four decimals, as many as it needs.
pub fn push_price(out: &mut Vec<u8>, price: u64) {
    push_number(out, price / 10_000);
    out.push(b'.');
    let part = price % 10_000;
    match part {
        _ if part % 100 == 0 => push_padded(out, part / 100, 2),
        _ if part % 10 == 0 => push_padded(out, part / 10, 3),
        _ => push_padded(out, part, 4),
    }
}

/// Appends `total / count` (a total in 1/10,000) with four decimals, halves up; zero when the count is zero.
pub fn push_average(out: &mut Vec<u8>, total: u64, count: u64) {
    let average = if count == 0 { 0 } else { (total + count / 2) / count };
    push_number(out, average / 10_000);
    out.push(b'.');
    push_padded(out, average % 10_000, 4);
}

/// Writes times of one day; remembers the last second it wrote.
pub struct Clock {
    second: u64,
    /// `YYYYMMDD-HH:MM:SS` of `second`.
    text: [u8; 17],
}

impl Clock {
    pub fn new(date: Date) -> Clock {
        let (year, month, day) = date.ymd();
        let mut start = Vec::with_capacity(17);
        push_padded(&mut start, year.max(0) as u64, 4);
        push_padded(&mut start, u64::from(month), 2);
        push_padded(&mut start, u64::from(day), 2);
        start.extend_from_slice(b"-00:00:00");
        let mut text = [0u8; 17];
        text.copy_from_slice(&start[..17]);
        Clock { second: 0, text }
    }

    /// Appends `YYYYMMDD-HH:MM:SS.` and three or six digits of the second; `time` is in nanoseconds since midnight.
    pub fn push(&mut self, out: &mut Vec<u8>, time: u64, has_micros: bool) {
        let second = time / SECOND;
        if second != self.second {
            self.second = second;
            for (at, value) in [(9, second / 3600), (12, second / 60 % 60), (15, second % 60)] {
                self.text[at] = b'0' + (value / 10) as u8;
                self.text[at + 1] = b'0' + (value % 10) as u8;
            }
        }
        out.extend_from_slice(&self.text);
        out.push(b'.');
        let part = time % SECOND;
        if has_micros { push_padded(out, part / 1000, 6) } else { push_padded(out, part / 1_000_000, 3) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn prices_have_two_decimals_or_as_many_as_they_need() {
        for (price, expected) in [(0, "0.00"), (943_200, "94.32"), (943_250, "94.325"), (1_000_001, "100.0001")] {
            assert_eq!(text(|out| push_price(out, price)), expected);
        }
    }

    #[test]
    fn an_average_is_rounded_half_up() {
        assert_eq!(text(|out| push_average(out, 0, 0)), "0.0000");
        assert_eq!(text(|out| push_average(out, 943_200 * 3, 3)), "94.3200");
        assert_eq!(text(|out| push_average(out, 5, 2)), "0.0003");
    }

    proptest! {
        #[test]
        fn numbers_read_as_the_standard_library_writes_them(number: u64, width in 0usize..20) {
            prop_assert_eq!(text(|out| push_number(out, number)), number.to_string());
            prop_assert_eq!(text(|out| push_padded(out, number, width)), if number == 0 && width == 0 { String::new() } else { format!("{number:0width$}") });
        }

        #[test]
        fn times_read_as_the_standard_library_writes_them(times in prop::collection::vec(0u64..86_400 * SECOND, 1..20)) {
            let mut clock = Clock::new(Date::from_ymd(2026, 3, 2).unwrap());
            for time in times {
                let second = time / SECOND;
                let head = format!("20260302-{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
                prop_assert_eq!(text(|out| clock.push(out, time, true)), format!("{head}.{:06}", time % SECOND / 1000));
                prop_assert_eq!(text(|out| clock.push(out, time, false)), format!("{head}.{:03}", time % SECOND / 1_000_000));
            }
        }
    }
}
