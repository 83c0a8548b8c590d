//! Calendar dates of the proleptic Gregorian calendar, as days since 1970-01-01.

use super::digits;
use std::fmt;

/// A calendar date: whole days since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(pub i32);

const DAYS_IN_MONTH: [u8; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

impl Date {
    /// The date of a year (0 to 9999), month and day, or `None` when the calendar has no such day.
    ///
    /// ```
    /// use fixtrail::types::Date;
    /// assert_eq!(Date::from_ymd(2026, 3, 2).map(|d| d.to_string()).as_deref(), Some("2026-03-02"));
    /// assert_eq!(Date::from_ymd(2026, 2, 29), None);
    /// ```
    pub fn from_ymd(year: u32, month: u32, day: u32) -> Option<Date> {
        if !(1..=12).contains(&month) || day == 0 || year > 9999 {
            return None;
        }
        let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let last = if month == 2 && leap { 29 } else { u32::from(DAYS_IN_MONTH[month as usize - 1]) };
        if day > last {
            return None;
        }
        // Days from the civil calendar, counting years from March so that the leap day comes last.
        let y = year as i32 - i32::from(month <= 2);
        let era = y.div_euclid(400);
        let year_of_era = y.rem_euclid(400);
        let month_from_march = (month as i32 + 9) % 12;
        let day_of_year = (153 * month_from_march + 2) / 5 + day as i32 - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Some(Date(era * 146_097 + day_of_era - 719_468))
    }

    /// Year, month and day.
    pub fn ymd(self) -> (i32, u32, u32) {
        let z = self.0 + 719_468;
        let era = z.div_euclid(146_097);
        let day_of_era = z.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        (year_of_era + era * 400 + i32::from(month <= 2), month as u32, day as u32)
    }

    /// Reads `YYYYMMDD` (FIX LocalMktDate, UTCDateOnly); `None` when it is not such a date.
    pub fn parse_compact(text: &[u8]) -> Option<Date> {
        let word = u64::from_le_bytes(text.try_into().ok()?);
        if digits::not_digits(word) != 0 {
            return None;
        }
        let [century, _, year, _, month, _, day, _] = digits::pairs(word).to_le_bytes();
        Date::from_ymd(u32::from(century) * 100 + u32::from(year), month.into(), day.into())
    }
}

/// `YYYY-MM-DD`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (y, m, d) = self.ymd();
        write!(f, "{y:04}-{m:02}-{d:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[test]
    fn every_day_of_four_centuries_survives_the_round_trip() {
        for day in -719_000..=2_932_000 {
            let (y, m, d) = Date(day).ymd();
            assert_eq!(Date::from_ymd(y as u32, m, d), Some(Date(day)));
        }
    }

    #[test]
    fn days_that_no_calendar_has_are_refused() {
        for text in ["20260229", "20260001", "20261301", "20260431", "2026033", "2026-3-2", "19000229"] {
            assert_eq!(Date::parse_compact(text.as_bytes()), None, "{text}");
        }
        assert_eq!(Date::parse_compact(b"20000229"), Date::from_ymd(2000, 2, 29));
    }
}
