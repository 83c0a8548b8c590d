//! Numbers, prices and times as FIX text, appended to a byte buffer without going through `format!`.

use crate::types::Date;

/// One second in nanoseconds.
pub const SECOND: u64 = 1_000_000_000;

/// `00` to `99`, one after the other.
const PAIRS: [u8; 200] = {
    let mut pairs = [0; 200];
    let mut at = 0;
    while at < 100 {
        pairs[2 * at] = b'0' + (at / 10) as u8;
        pairs[2 * at + 1] = b'0' + (at % 10) as u8;
        at += 1;
    }
    pairs
};

/// Puts the digits of a number at the end of `digits`; gives where they start. Zero has one.
fn put_digits(digits: &mut [u8; 20], number: u64) -> usize {
    let mut at = digits.len();
    let mut big = number;
    while big > u64::from(u32::MAX) {
        let pair = 2 * (big % 100) as usize;
        big /= 100;
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    // Divisions of 32 bits are cheaper, and nearly all numbers are small.
    let mut rest = big as u32;
    while rest >= 10 {
        let pair = 2 * (rest % 100) as usize;
        rest /= 100;
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    if rest > 0 || at == digits.len() {
        at -= 1;
        digits[at] = b'0' + rest as u8;
    }
    at
}

/// Appends a whole number.
pub fn push_number(out: &mut Vec<u8>, number: u64) {
    let mut digits = [b'0'; 20];
    let at = put_digits(&mut digits, number);
    out.extend_from_slice(&digits[at..]);
}

/// Appends a whole number with zeros in front, at least `width` digits (at most 20).
pub fn push_padded(out: &mut Vec<u8>, number: u64, width: usize) {
    let mut digits = [b'0'; 20];
    let at = put_digits(&mut digits, number);
    out.extend_from_slice(&digits[at.min(digits.len() - width)..]);
}

/// Appends a price in 1/10,000 with two to four decimals, as many as it needs.
pub fn push_price(out: &mut Vec<u8>, price: u64) {
    push_number(out, price / 10_000);
    out.push(b'.');
    let part = price % 10_000;
    match part {
        _ if part.is_multiple_of(100) => push_padded(out, part / 100, 2),
        _ if part.is_multiple_of(10) => push_padded(out, part / 10, 3),
        _ => push_padded(out, part, 4),
    }
}

/// Appends `total / count` (a total in 1/10,000) with four decimals, halves up; zero when the count is zero.
pub fn push_average(out: &mut Vec<u8>, total: u64, count: u64) {
    let average = (total + count / 2).checked_div(count).unwrap_or(0);
    push_number(out, average / 10_000);
    out.push(b'.');
    push_padded(out, average % 10_000, 4);
}

/// Writes times of one day; remembers the last one, since a message repeats it.
pub struct Clock {
    second: u64,
    micros: u64,
    /// `YYYYMMDD-HH:MM:SS.` and six digits.
    text: [u8; 24],
}

impl Clock {
    pub fn new(date: Date) -> Clock {
        let (year, month, day) = date.ymd();
        let mut start = Vec::with_capacity(24);
        push_padded(&mut start, year.max(0) as u64, 4);
        push_padded(&mut start, u64::from(month), 2);
        push_padded(&mut start, u64::from(day), 2);
        start.extend_from_slice(b"-00:00:00.000000");
        let mut text = [0u8; 24];
        text.copy_from_slice(&start[..24]);
        Clock { second: 0, micros: 0, text }
    }

    /// Appends `YYYYMMDD-HH:MM:SS.` and three or six digits of the second; `time` is in nanoseconds since midnight.
    pub fn push(&mut self, out: &mut Vec<u8>, time: u64, has_micros: bool) {
        let micros = time / 1000;
        if micros != self.micros {
            self.micros = micros;
            self.set(micros / 1_000_000, (micros % 1_000_000) as usize);
        }
        out.extend_from_slice(if has_micros { &self.text } else { &self.text[..21] });
    }

    fn set(&mut self, second: u64, part: usize) {
        let mut put = |at: usize, value: usize| self.text[at..at + 2].copy_from_slice(&PAIRS[2 * value..2 * value + 2]);
        put(18, part / 10_000);
        put(20, part / 100 % 100);
        put(22, part % 100);
        if second != self.second {
            self.second = second;
            put(9, (second / 3600 % 100) as usize);
            put(12, (second / 60 % 60) as usize);
            put(15, (second % 60) as usize);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
            prop_assert_eq!(text(|out| push_padded(out, number, width)), format!("{number:0width$}"));
            prop_assert_eq!(text(|out| push_number(out, number % 1000)), (number % 1000).to_string());
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
