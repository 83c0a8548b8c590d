//! Prices and quantities as whole numbers of 10^-8: the Parquet type DECIMAL(18,8).

use super::digits;
use std::fmt;

/// A price or a quantity, exact: a whole number of hundred-millionths, of at most 18 digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal(pub i64);

/// Decimal places kept.
pub const SCALE: u32 = 8;
/// One whole unit.
pub const ONE: i64 = 100_000_000;
/// The largest magnitude of DECIMAL(18,8), exclusive.
pub const LIMIT: i64 = 1_000_000_000_000_000_000;

/// Why a text is not a [`Decimal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecimalError {
    /// Not a FIX float: an optional sign, digits, at most one point.
    NotANumber,
    /// A number, but one with more than 10 digits before or 8 digits (zeros apart) after the point.
    DoesNotFit,
}

impl Decimal {
    /// Reads FIX's float (Price, Qty, Amt): optional `-` or `+`, digits with at most one point, no exponent; leading and
    /// trailing zeros are free.
    ///
    /// # Errors
    /// [`DecimalError::NotANumber`] or [`DecimalError::DoesNotFit`]; a value is never rounded.
    ///
    /// ```
    /// use fixtrail::types::Decimal;
    /// assert_eq!(Decimal::parse(b"-94.320"), Ok(Decimal(-9_432_000_000)));
    /// assert!(Decimal::parse(b"12x").is_err());
    /// ```
    #[inline]
    pub fn parse(text: &[u8]) -> Result<Decimal, DecimalError> {
        match parse_short(text) {
            Some(value) => Ok(Decimal(value)),
            None => Decimal::parse_any(text),
        }
    }

    fn parse_any(text: &[u8]) -> Result<Decimal, DecimalError> {
        let (negative, digits) = match text.first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        // Seventeen digits cannot overflow; what is longer takes the careful way.
        if digits.len() > 17 {
            return parse_long(digits).map(|value| Decimal(if negative { -value } else { value }));
        }
        let mut value = 0i64;
        let mut point = digits.len();
        for (i, &b) in digits.iter().enumerate() {
            let digit = b.wrapping_sub(b'0');
            if digit <= 9 {
                value = value * 10 + i64::from(digit);
            } else if b == b'.' && point == digits.len() {
                point = i;
            } else {
                return Err(DecimalError::NotANumber);
            }
        }
        let decimals = digits.len().saturating_sub(point + 1);
        if digits.len() == usize::from(point < digits.len()) {
            return Err(DecimalError::NotANumber);
        }
        if decimals > SCALE as usize {
            return parse_long(digits).map(|value| Decimal(if negative { -value } else { value }));
        }
        match value.checked_mul(POWERS[SCALE as usize - decimals]) {
            Some(value) if value < LIMIT => Ok(Decimal(if negative { -value } else { value })),
            _ => Err(DecimalError::DoesNotFit),
        }
    }
}

/// Ten to the power of the place.
const POWERS: [i64; SCALE as usize + 1] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The value of up to eight bytes without a sign, taken as one word; `None` where it takes a longer look.
#[inline]
fn parse_short(text: &[u8]) -> Option<i64> {
    short(digits::trailing(text)?, text.len())
}

/// As [`Decimal::parse`] of `bytes[start..end]`, but `None` where it takes a longer look.
#[inline]
pub(crate) fn short_in(bytes: &[u8], start: usize, end: usize) -> Option<i64> {
    short(digits::trailing_in(bytes, start, end)?, end - start)
}

/// `length` bytes at the end of the word are the text.
#[inline]
fn short(word: u64, length: usize) -> Option<i64> {
    let others = digits::not_digits(word);
    if others == 0 {
        return Some(digits::number(word) as i64 * ONE);
    }
    let point = others.trailing_zeros() & !7;
    if others & (others - 1) != 0 || (word >> point) as u8 != b'.' || length == 1 {
        return None;
    }
    // What stands before the point moves up over it.
    let before = word & ((1 << point) - 1);
    let behind = word & (!0 << point << 8);
    let decimals = 7 - point as usize / 8;
    Some(digits::number(behind | before << 8 | u64::from(b'0')) as i64 * POWERS[SCALE as usize - decimals])
}

/// The value of unsigned digits with at most one point, of any length: leading zeros, and zeros behind the eighth decimal,
/// are free. Also the plain twin of the short way.
fn parse_long(digits: &[u8]) -> Result<i64, DecimalError> {
    let mut value = 0i64;
    let mut decimals: Option<u32> = None;
    let mut any = false;
    let mut fits = true;
    for &b in digits {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            if b != b'.' || decimals.is_some() {
                return Err(DecimalError::NotANumber);
            }
            decimals = Some(0);
            continue;
        }
        any = true;
        if let Some(n) = &mut decimals {
            if *n == SCALE {
                fits &= digit == 0;
                continue;
            }
            *n += 1;
        }
        if value >= LIMIT / 10 {
            fits = false;
        } else {
            value = value * 10 + i64::from(digit);
        }
    }
    if !any {
        return Err(DecimalError::NotANumber);
    }
    for _ in decimals.unwrap_or(0)..SCALE {
        if value >= LIMIT / 10 {
            fits = false;
        } else {
            value *= 10;
        }
    }
    if fits { Ok(value) } else { Err(DecimalError::DoesNotFit) }
}

/// Plain digits without trailing zeros: `94.32`, `-0.5`, `300`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.unsigned_abs();
        if self.0 < 0 {
            f.write_str("-")?;
        }
        write!(f, "{}", magnitude / ONE as u64)?;
        let fraction = magnitude % ONE as u64;
        if fraction != 0 {
            let text = format!("{fraction:08}");
            write!(f, ".{}", text.trim_end_matches('0'))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_and_shown_without_idle_zeros() {
        for (text, value, shown) in [
            ("0", 0, "0"),
            ("300", 30_000_000_000, "300"),
            ("94.32", 9_432_000_000, "94.32"),
            ("00094.3200", 9_432_000_000, "94.32"),
            ("-.5", -50_000_000, "-0.5"),
            ("5.", 500_000_000, "5"),
            ("+1", ONE, "1"),
            ("0.00000001", 1, "0.00000001"),
            ("9999999999.99999999", LIMIT - 1, "9999999999.99999999"),
            ("1.000000000000", ONE, "1"),
        ] {
            assert_eq!(Decimal::parse(text.as_bytes()), Ok(Decimal(value)), "{text}");
            assert_eq!(Decimal(value).to_string(), shown);
        }
    }

    proptest::proptest! {
        #[test]
        fn the_short_way_agrees_with_the_careful_one(text in "[0-9.x]{0,18}") {
            proptest::prop_assert_eq!(Decimal::parse(text.as_bytes()), parse_long(text.as_bytes()).map(Decimal));
            if let Some(short) = short_in(format!("8=9|{text}|").as_bytes(), 4, 4 + text.len()) {
                proptest::prop_assert_eq!(Ok(short), parse_long(text.as_bytes()));
            }
            proptest::prop_assert_eq!(Decimal::parse_any(text.as_bytes()), parse_long(text.as_bytes()).map(Decimal));
        }
    }

    #[test]
    fn what_is_not_a_number_and_what_does_not_fit_are_told_apart() {
        for text in ["", "-", ".", "12x", "1e5", "1.2.3", "--1", " 1", "0x1", "1,000"] {
            assert_eq!(Decimal::parse(text.as_bytes()), Err(DecimalError::NotANumber), "{text}");
        }
        for text in ["10000000000", "0.000000001", "99999999999999999999999999", "-10000000000.0"] {
            assert_eq!(Decimal::parse(text.as_bytes()), Err(DecimalError::DoesNotFit), "{text}");
        }
    }
}
