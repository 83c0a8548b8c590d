//! The first date with a time in a line, in any of the forms that loggers write.

use super::two;
use crate::types::{Date, Timestamp};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while_m_n, take_while1};
use nom::character::complete::{char, one_of};
use nom::combinator::{map, map_opt, opt, verify};
use nom::sequence::{preceded, separated_pair};
use nom::{IResult, Parser};

/// An instant and whether its zone was written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub instant: Timestamp,
    pub zone_known: bool,
}

/// The first stamp in the line. Times without a date, dates without a year, and days that could be months are none.
pub(super) fn find(line: &[u8]) -> Option<Stamp> {
    let mut before = b' ';
    for (at, byte) in line.iter().enumerate() {
        if byte.is_ascii_digit()
            && !before.is_ascii_digit()
            && let Ok((_, Some(stamp))) = stamp(&line[at..])
        {
            return Some(stamp);
        }
        before = *byte;
    }
    None
}

/// The digits at the start are as many as a day, a month, a year or a whole date has, and something can follow them:
/// spares numbers that are no date the four ways of reading one.
fn could_start_stamp(input: &[u8]) -> bool {
    let digits = input.iter().take(9).take_while(|b| b.is_ascii_digit()).count();
    matches!((digits, input.get(digits)), (1 | 2 | 4, Some(b'-' | b'/' | b'.' | b' ')) | (8, Some(_)))
}

fn no<T>(input: &[u8]) -> Found<'_, T> {
    Err(nom::Err::Error(nom::error::Error::new(input, nom::error::ErrorKind::Verify)))
}

type Found<'a, T> = IResult<&'a [u8], T>;

/// A date, a gap, a time, a zone. The inner `None` is a stamp that says no instant.
fn stamp(input: &[u8]) -> Found<'_, Option<Stamp>> {
    if !could_start_stamp(input) {
        return no(input);
    }
    let (input, (date, clock)) = match fixed(input) {
        Some(found) => found,
        None => separated_pair(date, gap, alt((clock, compact_clock))).parse(input)?,
    };
    let (input, nanos) = nanos_of_day(input, clock)?;
    let (_, offset) = opt(zone).parse(input)?;
    let instant = date.zip(nanos).and_then(|(date, nanos)| {
        let local = Timestamp::from_parts(date, nanos)?;
        local.0.checked_sub(i64::from(offset.unwrap_or(0)) * 60_000_000_000).map(Timestamp)
    });
    Ok((input, instant.map(|instant| Stamp { instant, zone_known: offset.is_some() })))
}

fn digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

fn value(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |n, b| n * 10 + u32::from(b - b'0'))
}

/// A number of `min` to `max` digits, at most nine.
fn number(min: usize, max: usize) -> impl Fn(&[u8]) -> Found<'_, u32> {
    move |input| map(take_while_m_n(min, max, digit), value).parse(input)
}

fn date(input: &[u8]) -> Found<'_, Option<Date>> {
    match input.get(4) {
        Some(b) if b.is_ascii_digit() && input[2].is_ascii_digit() => compact_date(input),
        _ => alt((year_first, year_last, month_named)).parse(input),
    }
}

/// `20260415`.
fn compact_date(input: &[u8]) -> Found<'_, Option<Date>> {
    map(take_while_m_n(8, 8, digit), Date::parse_compact).parse(input)
}

/// `2026-04-15`, `2026/04/15`, `2026.4.15`.
fn year_first(input: &[u8]) -> Found<'_, Option<Date>> {
    let (input, year) = number(4, 4)(input)?;
    let (input, mark) = one_of("-/.")(input)?;
    let (input, (month, day)) = separated_pair(number(1, 2), char(mark), number(1, 2)).parse(input)?;
    Ok((input, Date::from_ymd(year, month, day)))
}

/// `04/15/2026` and `15/04/2026`, with `/`, `-` or `.`, where the numbers tell which is the month.
fn year_last(input: &[u8]) -> Found<'_, Option<Date>> {
    let (input, first) = number(1, 2)(input)?;
    let (input, mark) = one_of("-/.")(input)?;
    let (input, (second, year)) = separated_pair(number(1, 2), char(mark), number(4, 4)).parse(input)?;
    let date = match (first, second) {
        (day, month) if day > 12 || day == month => Date::from_ymd(year, month, day),
        (month, day) if day > 12 => Date::from_ymd(year, month, day),
        _ => None,
    };
    Ok((input, date))
}

/// `15-Apr-2026`, `15 Apr 2026`, `15/Apr/2026`.
fn month_named(input: &[u8]) -> Found<'_, Option<Date>> {
    let (input, day) = number(1, 2)(input)?;
    let (input, mark) = one_of("-/ ")(input)?;
    let (input, month) = map_opt(take_while_m_n(3, 3, |b: u8| b.is_ascii_alphabetic()), month_number).parse(input)?;
    let (input, year) = preceded(char(mark), number(4, 4)).parse(input)?;
    Ok((input, Date::from_ymd(year, month, day)))
}

fn month_number(name: &[u8]) -> Option<u32> {
    const NAMES: [&[u8]; 12] =
        [b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"];
    NAMES.iter().position(|n| n.eq_ignore_ascii_case(name)).map(|at| at as u32 + 1)
}

fn gap(input: &[u8]) -> Found<'_, ()> {
    let blanks = map(take_while1(|b| b == b' ' || b == b'\t'), |_| ());
    alt((blanks, map(tag(&b", "[..]), |_| ()), map(one_of("T-_:"), |_| ()))).parse(input)
}

/// `2026-04-15 09:30:00` with any marks: the layout of nearly all loggers, without trying others.
fn fixed(input: &[u8]) -> Option<(&[u8], DateAndClock)> {
    let (&[y1, y2, y3, y4, mark, m1, m2, mark2, d1, d2, gap, h1, h2, b':', i1, i2, b':', s1, s2], rest) =
        input.split_first_chunk::<19>()?
    else {
        return None;
    };
    if mark != mark2 || !matches!(mark, b'-' | b'/' | b'.') || !matches!(gap, b' ' | b'T' | b'-' | b'_' | b':') {
        return None;
    }
    let date = Date::from_ymd(two(y1, y2)? * 100 + two(y3, y4)?, two(m1, m2)?, two(d1, d2)?);
    Some((rest, (date, (two(h1, h2)?, two(i1, i2)?, two(s1, s2)?))))
}

/// Hour, minute and second as they stand.
type Clock = (u32, u32, u32);
type DateAndClock = (Option<Date>, Clock);

/// Nanoseconds since midnight, with what follows the seconds; `None` when no clock shows it.
fn nanos_of_day(input: &[u8], (hour, minute, second): Clock) -> Found<'_, Option<i64>> {
    let (input, fraction) = opt(fraction).parse(input)?;
    let (input, half) = opt(half_day).parse(input)?;
    let hour = match half {
        Some(is_pm) if (1..=12).contains(&hour) => hour % 12 + if is_pm { 12 } else { 0 },
        Some(_) => return Ok((input, None)),
        None => hour,
    };
    let nanos = fraction.unwrap_or(Some(0));
    if hour > 23 || minute > 59 || second > 60 {
        return Ok((input, None));
    }
    let seconds = i64::from((hour * 60 + minute) * 60 + second);
    Ok((input, nanos.map(|nanos| seconds * 1_000_000_000 + nanos)))
}

fn clock(input: &[u8]) -> Found<'_, Clock> {
    let (input, hour) = number(1, 2)(input)?;
    let (input, minute) = preceded(char(':'), number(2, 2)).parse(input)?;
    let (input, second) = preceded(char(':'), number(2, 2)).parse(input)?;
    Ok((input, (hour, minute, second)))
}

/// `093000`.
fn compact_clock(input: &[u8]) -> Found<'_, Clock> {
    map(number(6, 6), |n| (n / 10_000, n / 100 % 100, n % 100)).parse(input)
}

/// `.5` to twelve digits, further groups of three behind `_`; `,123` and `:123` in threes only, since a comma or colon
/// may also end the stamp. The inner `None` is more than nanoseconds hold.
fn fraction(input: &[u8]) -> Found<'_, Option<i64>> {
    let Some((mark @ (b'.' | b',' | b':'), behind)) = input.split_first() else { return no(input) };
    let len = behind.iter().take(12).take_while(|b| b.is_ascii_digit()).count();
    if len == 0 || (*mark != b'.' && len % 3 != 0) {
        return no(input);
    }
    let (first, mut rest) = behind.split_at(len);
    let mut digits = [b'0'; 12];
    digits[..first.len()].copy_from_slice(first);
    let mut len = first.len();
    while len % 3 == 0
        && len < 12
        && let Ok((next, group)) =
            preceded(char('_'), take_while_m_n::<_, _, nom::error::Error<_>>(3, 3, digit)).parse(rest)
    {
        digits[len..len + 3].copy_from_slice(group);
        len += 3;
        rest = next;
    }
    let fits = digits[9..] == *b"000" && !rest.first().is_some_and(u8::is_ascii_digit);
    Ok((rest, fits.then(|| i64::from(value(&digits[..9])))))
}

/// ` PM` is true, ` AM` is false.
fn half_day(input: &[u8]) -> Found<'_, bool> {
    let (input, _) = opt(char(' ')).parse(input)?;
    let (input, half) = one_of("AaPp")(input)?;
    let (input, _) = one_of("Mm")(input)?;
    ends_here(input, half.eq_ignore_ascii_case(&'p'))
}

/// Minutes east of UTC: `Z`, ` UTC`, ` GMT`, `+02`, `+0200`, `+02:00`, and with a blank before it the last two.
fn zone(input: &[u8]) -> Found<'_, i32> {
    let (input, blank) = opt(char(' ')).parse(input)?;
    if let Ok((rest, _)) =
        alt((tag::<_, _, nom::error::Error<_>>(&b"Z"[..]), tag(&b"UTC"[..]), tag(&b"GMT"[..]))).parse(input)
    {
        return ends_here(rest, 0);
    }
    let (input, sign) = one_of("+-")(input)?;
    let (input, hours) = verify(number(2, 2), |h| *h <= 14).parse(input)?;
    let minutes = preceded(opt(char(':')), verify(number(2, 2), |m| *m <= 59)).parse(input);
    let (input, minutes) = match minutes {
        Ok(found) => found,
        Err(_) if blank.is_none() => (input, 0),
        Err(e) => return Err(e),
    };
    let offset = (hours * 60 + minutes) as i32;
    ends_here(input, if sign == '-' { -offset } else { offset })
}

/// Gives `found` when no letter or digit follows.
fn ends_here<T>(input: &[u8], found: T) -> Found<'_, T> {
    match input.first() {
        Some(b) if b.is_ascii_alphanumeric() => no(input),
        _ => Ok((input, found)),
    }
}
