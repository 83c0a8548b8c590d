//! Text for people: control characters, colours, instants and durations.

use super::Style;
use crate::types::Timestamp;

/// How a piece of text stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    #[default]
    Plain,
    Dim,
    Bold,
    Green,
    Yellow,
    Red,
    Cyan,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Paint::Plain => "",
            Paint::Dim => "\x1b[2m",
            Paint::Bold => "\x1b[1m",
            Paint::Green => "\x1b[32m",
            Paint::Yellow => "\x1b[33m",
            Paint::Red => "\x1b[31m",
            Paint::Cyan => "\x1b[1;36m",
        }
    }
}

/// Appends `text` in a colour, if the style has colours.
pub fn push(out: &mut String, text: &str, paint: Paint, style: &Style) {
    if style.colour && paint != Paint::Plain && !text.is_empty() {
        out.push_str(paint.code());
        out.push_str(text);
        out.push_str("\x1b[0m");
    } else {
        out.push_str(text);
    }
}

/// Text from a log made safe for a terminal: each control or direction-changing character becomes `?`.
pub fn clean(text: &str) -> String {
    text.chars().map(|c| if is_unsafe(c) { '?' } else { c }).collect()
}

fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Columns that a text takes, counting a character as one.
pub fn width(text: &str) -> usize {
    text.chars().count()
}

/// A text as an element of a wrapped line.
pub type Piece = (String, Paint);

/// Appends pieces separated by `gap`, broken into lines where the style's width asks for it. `first` and `rest` begin
/// the first and the further lines.
pub fn wrap(out: &mut String, first: &str, rest: &str, gap: &str, pieces: &[Piece], style: &Style) {
    let limit = style.width.unwrap_or(usize::MAX);
    push(out, first, Paint::Dim, style);
    let mut column = width(first);
    let mut at_start = true;
    for (text, paint) in pieces.iter().filter(|(text, _)| !text.is_empty()) {
        if !at_start && column + width(gap) + width(text) > limit {
            out.push('\n');
            push(out, rest, Paint::Dim, style);
            column = width(rest);
        } else if !at_start {
            push(out, gap, Paint::Dim, style);
            column += width(gap);
        }
        push(out, text, *paint, style);
        column += width(text);
        at_start = false;
    }
    out.push('\n');
}

/// A duration with three digits at most and its sign: `+2 ms`, `-35 µs`, `+1.25 s`, `+3 m 20 s`.
pub fn latency(nanos: i64, style: &Style) -> String {
    let sign = if nanos < 0 { "-" } else { "+" };
    let n = nanos.unsigned_abs();
    let micro = if style.ascii { "us" } else { "µs" };
    let text = match n {
        0..1_000 => format!("{n} ns"),
        1_000..1_000_000 => format!("{} {micro}", three_digits(n, 1_000)),
        1_000_000..1_000_000_000 => format!("{} ms", three_digits(n, 1_000_000)),
        1_000_000_000..60_000_000_000 => format!("{} s", three_digits(n, 1_000_000_000)),
        _ => {
            let seconds = n / 1_000_000_000;
            let (days, hours) = (seconds / 86_400, seconds / 3_600 % 24);
            let (minutes, seconds) = (seconds / 60 % 60, seconds % 60);
            match (days, hours) {
                (0, 0) => format!("{minutes} m {seconds:02} s"),
                (0, _) => format!("{hours} h {minutes:02} m"),
                _ => format!("{days} d {hours:02} h"),
            }
        }
    };
    if n == 0 { "0".to_string() } else { format!("{sign}{text}") }
}

/// `n / unit` cut after three digits, without idle zeros.
fn three_digits(n: u64, unit: u64) -> String {
    let whole = n / unit;
    let decimals = match whole {
        0..10 => 2,
        10..100 => 1,
        _ => 0,
    };
    let fraction = n % unit * 1000 / unit;
    let text = format!("{whole}.{fraction:03}");
    let kept = &text[..text.len() - (3 - decimals)];
    kept.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Decimals of a second (0, 3, 6 or 9) that show every one of some instants exactly.
pub fn decimals_needed(times: impl Iterator<Item = i64>) -> usize {
    times
        .map(|t| match t.rem_euclid(1_000_000_000) {
            0 => 0,
            n if n % 1_000_000 == 0 => 3,
            n if n % 1_000 == 0 => 6,
            _ => 9,
        })
        .max()
        .unwrap_or(0)
}

/// `14:30:09.442` with so many decimals.
pub fn time_of_day(nanos: i64, decimals: usize) -> String {
    let of_day = Timestamp(nanos).nanos_of_day();
    let (seconds, fraction) = (of_day / 1_000_000_000, format!("{:09}", of_day % 1_000_000_000));
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if decimals == 0 { clock } else { format!("{clock}.{}", &fraction[..decimals]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_have_three_digits_and_a_sign() {
        let style = Style::default();
        for (nanos, text) in [
            (0, "0"),
            (850, "+850 ns"),
            (1_000_000, "+1 ms"),
            (12_345_678, "+12.3 ms"),
            (999_999_999, "+999 ms"),
            (-35_000, "-35 µs"),
            (1_250_000_000, "+1.25 s"),
            (200_000_000_000, "+3 m 20 s"),
            (3_600_000_000_000, "+1 h 00 m"),
            (90_000_000_000_000, "+1 d 01 h"),
            (i64::MIN, "-106751 d 23 h"),
        ] {
            assert_eq!(latency(nanos, &style), text);
        }
        assert_eq!(latency(1_500, &Style { ascii: true, ..style }), "+1.5 us");
    }

    #[test]
    fn control_and_direction_characters_do_not_reach_a_terminal() {
        assert_eq!(clean("a\x1b[31mb\u{202e}c\u{9b}d\te"), "a?[31mb?c?d?e");
    }

    #[test]
    fn long_lines_break_between_pieces() {
        let pieces =
            [("one", Paint::Plain), ("two", Paint::Plain), ("three", Paint::Plain)].map(|(t, p)| (t.to_string(), p));
        let mut out = String::new();
        wrap(&mut out, "> ", "  ", ", ", &pieces, &Style { width: Some(10), ..Style::default() });
        assert_eq!(out, "> one, two\n  three\n");
    }
}
