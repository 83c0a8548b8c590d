//! One value as text: exact decimals, ISO 8601 instants, lists as JSON.

use crate::types::{Date, Timestamp};
use polars::prelude::{AnyValue, Series, TimeUnit};
use std::fmt::Write;

/// Appends a value as plain text; null is nothing.
pub fn push_text(out: &mut String, value: &AnyValue<'_>) {
    match value {
        AnyValue::Null => {}
        AnyValue::List(_) | AnyValue::Struct(..) | AnyValue::StructOwned(_) => push_json(out, value),
        AnyValue::Binary(bytes) => push_hex(out, bytes),
        AnyValue::BinaryOwned(bytes) => push_hex(out, bytes),
        _ => match value.get_str() {
            Some(text) => out.push_str(text),
            None => push_scalar(out, value),
        },
    }
}

/// Appends a value as JSON. Decimals are strings, so that no reader makes floats of them.
pub fn push_json(out: &mut String, value: &AnyValue<'_>) {
    match value {
        AnyValue::Null => out.push_str("null"),
        AnyValue::Boolean(_)
        | AnyValue::UInt8(_)
        | AnyValue::UInt16(_)
        | AnyValue::UInt32(_)
        | AnyValue::UInt64(_)
        | AnyValue::Int8(_)
        | AnyValue::Int16(_)
        | AnyValue::Int32(_)
        | AnyValue::Int64(_) => push_scalar(out, value),
        AnyValue::Float32(x) if x.is_finite() => push_scalar(out, value),
        AnyValue::Float64(x) if x.is_finite() => push_scalar(out, value),
        // JSON has no infinity and no not-a-number.
        AnyValue::Float32(_) | AnyValue::Float64(_) => out.push_str("null"),
        AnyValue::List(series) => push_list(out, series),
        AnyValue::Struct(..) | AnyValue::StructOwned(_) => push_struct(out, value),
        AnyValue::Binary(bytes) => push_hex_object(out, bytes),
        AnyValue::BinaryOwned(bytes) => push_hex_object(out, bytes),
        _ => {
            let mut text = String::new();
            push_text(&mut text, value);
            push_json_text(out, &text);
        }
    }
}

/// Appends a JSON string.
pub fn push_json_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' || c == '\u{7f}' => put(out, format_args!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a String takes all text");
}

fn push_scalar(out: &mut String, value: &AnyValue<'_>) {
    match value {
        AnyValue::Boolean(b) => out.push_str(if *b { "true" } else { "false" }),
        AnyValue::UInt8(n) => put(out, format_args!("{n}")),
        AnyValue::UInt16(n) => put(out, format_args!("{n}")),
        AnyValue::UInt32(n) => put(out, format_args!("{n}")),
        AnyValue::UInt64(n) => put(out, format_args!("{n}")),
        AnyValue::UInt128(n) => put(out, format_args!("{n}")),
        AnyValue::Int8(n) => put(out, format_args!("{n}")),
        AnyValue::Int16(n) => put(out, format_args!("{n}")),
        AnyValue::Int32(n) => put(out, format_args!("{n}")),
        AnyValue::Int64(n) => put(out, format_args!("{n}")),
        AnyValue::Int128(n) => put(out, format_args!("{n}")),
        AnyValue::Float32(x) => put(out, format_args!("{x}")),
        AnyValue::Float64(x) => put(out, format_args!("{x}")),
        AnyValue::Decimal(n, _, scale) => push_decimal(out, *n, *scale),
        AnyValue::Date(days) => put(out, format_args!("{}", Date(*days))),
        AnyValue::Datetime(t, unit, zone) => push_instant(out, *t, *unit, zone.is_some()),
        AnyValue::DatetimeOwned(t, unit, zone) => push_instant(out, *t, *unit, zone.is_some()),
        AnyValue::Duration(d, unit) => push_duration(out, i128::from(*d) * nanos_of(*unit)),
        AnyValue::Time(nanos) => push_time(out, *nanos),
        other => put(out, format_args!("{other:?}")),
    }
}

/// Digits without idle zeros: `94.32`, `-0.5`, `300`.
fn push_decimal(out: &mut String, value: i128, scale: usize) {
    if value < 0 {
        out.push('-');
    }
    let digits = format!("{:0width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    out.push_str(whole);
    let fraction = fraction.trim_end_matches('0');
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
}

fn nanos_of(unit: TimeUnit) -> i128 {
    match unit {
        TimeUnit::Nanoseconds => 1,
        TimeUnit::Microseconds => 1_000,
        TimeUnit::Milliseconds => 1_000_000,
    }
}

/// `2026-03-02T14:30:09.442Z`; without a zone no `Z`. What lies beyond the years that nanoseconds hold is a number.
fn push_instant(out: &mut String, value: i64, unit: TimeUnit, has_zone: bool) {
    match i64::try_from(i128::from(value) * nanos_of(unit)) {
        Ok(nanos) => {
            put(out, format_args!("{}", Timestamp(nanos)));
            if !has_zone {
                out.pop();
            }
        }
        Err(_) => put(out, format_args!("{value}")),
    }
}

fn push_time(out: &mut String, nanos: i64) {
    let decimals = crate::query::text::decimals_needed(std::iter::once(nanos));
    out.push_str(&crate::query::text::time_of_day(nanos, decimals));
}

/// ISO 8601: `PT1.5S`, `-PT0.000001S`.
fn push_duration(out: &mut String, nanos: i128) {
    if nanos < 0 {
        out.push('-');
    }
    out.push_str("PT");
    push_decimal(out, i128::try_from(nanos.unsigned_abs()).unwrap_or(i128::MAX), 9);
    out.push('S');
}

fn push_list(out: &mut String, series: &Series) {
    out.push('[');
    for (i, value) in series.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        push_json(out, &value);
    }
    out.push(']');
}

fn push_struct(out: &mut String, value: &AnyValue<'_>) {
    let owned;
    let AnyValue::StructOwned(parts) = value else {
        owned = value.clone().into_static();
        return if matches!(owned, AnyValue::StructOwned(_)) { push_struct(out, &owned) } else { out.push_str("null") };
    };
    let (values, fields) = parts.as_ref();
    out.push('{');
    for (i, (value, field)) in values.iter().zip(fields).enumerate() {
        if i > 0 {
            out.push(',');
        }
        push_json_text(out, field.name());
        out.push(':');
        push_json(out, value);
    }
    out.push('}');
}

fn push_hex(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        put(out, format_args!("{byte:02x}"));
    }
}

fn push_hex_object(out: &mut String, bytes: &[u8]) {
    out.push_str("{\"hex\":\"");
    push_hex(out, bytes);
    out.push_str("\"}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: AnyValue<'_>) -> String {
        let mut out = String::new();
        push_text(&mut out, &value);
        out
    }

    #[test]
    fn decimals_are_exact_at_any_scale() {
        for (value, scale, shown) in [
            (9_432_000_000, 8, "94.32"),
            (-50_000_000, 8, "-0.5"),
            (30_000_000_000, 8, "300"),
            (1, 8, "0.00000001"),
            (0, 8, "0"),
            (300, 0, "300"),
            (99_999_999_999_999_999_999_999_999_999_999_999_999, 8, "999999999999999999999999999999.99999999"),
        ] {
            assert_eq!(text(AnyValue::Decimal(value, 38, scale)), shown);
        }
    }

    #[test]
    fn instants_dates_and_durations_are_iso() {
        assert_eq!(
            text(AnyValue::Datetime(1_772_461_809_442_000, TimeUnit::Microseconds, None)),
            "2026-03-02T14:30:09.442"
        );
        assert_eq!(text(AnyValue::Date(20_514)), "2026-03-02");
        assert_eq!(text(AnyValue::Duration(1_500, TimeUnit::Milliseconds)), "PT1.5S");
        assert_eq!(text(AnyValue::Duration(-1, TimeUnit::Microseconds)), "-PT0.000001S");
        assert_eq!(text(AnyValue::Time(52_200_000_000_000)), "14:30:00");
        assert_eq!(text(AnyValue::Datetime(i64::MAX, TimeUnit::Milliseconds, None)), "9223372036854775807");
    }

    #[test]
    fn json_escapes_text_and_has_no_infinity() {
        let mut out = String::new();
        push_json(&mut out, &AnyValue::String("a\"\\\n\u{1}é"));
        push_json(&mut out, &AnyValue::Float64(f64::INFINITY));
        assert_eq!(out, "\"a\\\"\\\\\\n\\u0001é\"null");
    }
}
