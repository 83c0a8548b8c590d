//! The last lines of a run: counts for a person on standard error, and for machines the report.

use super::args::RunArgs;
use super::report::Report;
use super::say;
use crate::Result;
use crate::finding::Level;
use crate::pipeline::Counts;
use std::time::Instant;

/// Says what a run did. `written` is what stands behind the counts, such as "12 files in trail/".
pub fn close(
    args: &RunArgs,
    counts: &Counts,
    files: usize,
    written: &str,
    started: Instant,
    mut report: Report,
) -> Result<()> {
    let seconds = started.elapsed().as_secs_f64();
    if !args.quiet {
        if args.verbose {
            say_details(counts);
        } else {
            say_findings(counts, Level::Warning);
        }
        let rate = if seconds > 0.0 { counts.messages as f64 / seconds } else { 0.0 };
        let mut line = format!(
            "{} in {} ({}), {} wrong; findings: {}, {}, {}",
            plural(counts.messages, "message"),
            plural(files as u64, "file"),
            bytes(counts.bytes),
            counts.messages.min(counts.wrong),
            plural(counts.at(Level::Error), "error"),
            plural(counts.at(Level::Warning), "warning"),
            format_args!("{} info", counts.at(Level::Info)),
        );
        if !written.is_empty() {
            line.push_str("; ");
            line.push_str(written);
        }
        say(&format!("{line}; {seconds:.1} s, {} messages/s", thousands(rate as u64)));
    }
    if let Some(path) = &args.report {
        report.seconds = seconds;
        report.write(path)?;
    }
    Ok(())
}

fn say_findings(counts: &Counts, from: Level) {
    for (code, (level, count)) in counts.findings.iter().filter(|(_, (level, _))| *level >= from) {
        say(&format!("{level}: {code}: {}", thousands(*count)));
    }
}

fn say_details(counts: &Counts) {
    say_findings(counts, Level::Info);
    say(&format!(
        "bytes: {} in messages, {} in prefixes, {} blank, {} other",
        thousands(counts.message_bytes),
        thousands(counts.prefix_bytes),
        thousands(counts.blank_bytes),
        thousands(counts.other_bytes)
    ));
}

/// `1 file`, `2,000 files`.
pub fn plural(count: u64, word: &str) -> String {
    format!("{} {word}{}", thousands(count), if count == 1 { "" } else { "s" })
}

/// `1,234,567`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1.2 GB`, in powers of ten.
pub fn bytes(count: u64) -> String {
    let mut value = count as f64;
    for unit in ["bytes", "kB", "MB", "GB", "TB"] {
        if value < 1000.0 || unit == "TB" {
            return if unit == "bytes" { plural(count, "byte") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    plural(count, "byte")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 1, 999, 1000, 1_234_567_890].map(bytes), ["0 bytes", "1 byte", "999 bytes", "1.0 kB", "1.2 GB"]);
    }
}
