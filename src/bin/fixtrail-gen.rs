//! Writes simulated FIX days with known lifecycles, for benchmarks and tests.

use clap::{Parser, ValueEnum};
use fixtrail::Result;
use fixtrail::simulate::{self, Counts, Plan, Prefix, Shape, Versions};
use fixtrail::types::Date;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Writes simulated FIX days: one directory a firm, one log a session, and what is true about each message.
///
/// The same options and seed give the same bytes. With --truth, truth.jsonl holds a line for each logged message with
/// the number of its lifecycle (null for session messages), and injected.jsonl a line for each damaged one.
#[derive(Parser)]
#[command(name = "fixtrail-gen", version, after_help = EXAMPLES)]
struct Arguments {
    /// Directory to write to; made if missing
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Messages in all logs together, about; one that two firms logged counts twice
    #[arg(short = 'n', long, value_name = "N", default_value = "1000000", value_parser = count)]
    messages: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Trading days; with more than one, each has a directory of its own
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    days: u32,
    /// The first day
    #[arg(long, value_name = "YYYY-MM-DD", default_value = "2026-03-02", value_parser = date)]
    date: Date,
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=5000))]
    clients: u16,
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    brokers: u16,
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    exchanges: u16,
    /// Share of the messages that are damaged
    #[arg(long, value_name = "RATE", default_value = "0.001", value_parser = rate)]
    faults: f64,
    /// Share of the orders sent on that do not name their parent
    #[arg(long, value_name = "RATE", default_value = "0.01", value_parser = rate)]
    missing_refs: f64,
    /// Share of the orders and reports that are repeated with PossDupFlag(43)=Y
    #[arg(long, value_name = "RATE", default_value = "0.002", value_parser = rate)]
    resends: f64,
    /// The firms' clocks are off by up to this many microseconds
    #[arg(long, value_name = "US", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=60_000_000))]
    clock_skew: u64,
    /// What stands before each message
    #[arg(long, value_enum, default_value = "none")]
    prefix: PrefixName,
    /// FIX version between brokers and customers; 4.4 between firms
    #[arg(long, value_enum, default_value = "mixed")]
    fix_version: VersionName,
    /// What the day is like
    #[arg(long, value_enum, default_value = "normal")]
    shape: ShapeName,
    /// Write one log, all.log, instead of one for each session and firm
    #[arg(long)]
    one_file: bool,
    #[arg(long, value_enum, default_value = "none")]
    compress: Compression,
    /// Also write truth.jsonl and injected.jsonl
    #[arg(long)]
    truth: bool,
    /// Threads: one makes the messages, the others compress and write
    #[arg(short = 'j', long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Replace the files of an earlier run
    #[arg(long)]
    force: bool,
    /// No summary
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "Examples:
  fixtrail-gen -o day -n 5000000
  fixtrail-gen -o hard -n 100k --faults 0.01 --missing-refs 0.06 --prefix quickfix --truth
  fixtrail-gen -o chain -n 200k --shape replace-chain";

#[derive(Clone, Copy, ValueEnum)]
enum PrefixName {
    None,
    Quickfix,
}

#[derive(Clone, Copy, ValueEnum)]
enum VersionName {
    #[value(name = "4.2")]
    Fix42,
    #[value(name = "4.4")]
    Fix44,
    Mixed,
}

#[derive(Clone, Copy, ValueEnum)]
enum ShapeName {
    Normal,
    /// One symbol makes half of all messages
    HotSymbol,
    /// One order gets all fills
    ManyFills,
    /// One order is replaced again and again
    ReplaceChain,
    /// One order combines a third of N client orders
    Combined,
    /// Each order is one message, and nobody answers
    OneEvent,
    /// Each client gives all orders the same ClOrdID
    OneClordid,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Compression {
    None,
    Zstd,
}

/// A whole number, perhaps with k, m or g for thousands, millions, thousands of millions.
fn count(text: &str) -> std::result::Result<u64, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 1_000_000),
        Some(b'g' | b'G') => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    number
        .filter(|number| (1..=1 << 40).contains(number))
        .ok_or_else(|| "expected a number such as 250000, 250k or 5m".to_string())
}

fn rate(text: &str) -> std::result::Result<f64, String> {
    let rate = text.parse::<f64>().ok().filter(|rate| (0.0..=1.0).contains(rate));
    rate.ok_or_else(|| "expected a share from 0 to 1, such as 0.01".to_string())
}

fn date(text: &str) -> std::result::Result<Date, String> {
    let compact: String = text.split('-').collect();
    let is_dashed = text.len() == 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
    let date = Date::parse_compact(compact.as_bytes()).filter(|_| is_dashed);
    date.ok_or_else(|| "expected a date such as 2026-03-02".to_string())
}

fn plan(arguments: &Arguments) -> Plan {
    Plan {
        seed: arguments.seed,
        days: arguments.days,
        clients: usize::from(arguments.clients),
        brokers: usize::from(arguments.brokers),
        exchanges: usize::from(arguments.exchanges),
        faults: arguments.faults,
        missing_refs: arguments.missing_refs,
        resends: arguments.resends,
        clock_skew_us: arguments.clock_skew,
        prefix: match arguments.prefix {
            PrefixName::None => Prefix::None,
            PrefixName::Quickfix => Prefix::QuickFix,
        },
        versions: match arguments.fix_version {
            VersionName::Fix42 => Versions::Fix42,
            VersionName::Fix44 => Versions::Fix44,
            VersionName::Mixed => Versions::Mixed,
        },
        shape: match arguments.shape {
            ShapeName::Normal => Shape::Normal,
            ShapeName::HotSymbol => Shape::HotSymbol,
            ShapeName::ManyFills => Shape::ManyFills,
            ShapeName::ReplaceChain => Shape::ReplaceChain,
            ShapeName::Combined => Shape::Combined,
            ShapeName::OneEvent => Shape::OneEvent,
            ShapeName::OneClordid => Shape::OneClOrdId,
        },
        one_file: arguments.one_file,
        is_compressed: arguments.compress == Compression::Zstd,
        has_truth: arguments.truth,
        threads: usize::from(arguments.threads),
        ..Plan::new(arguments.messages, arguments.date)
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let started = Instant::now();
    let counts = simulate::write(&plan(arguments), &arguments.output, arguments.force)?;
    if !arguments.quiet {
        summarise(&counts, started.elapsed().as_secs_f64());
    }
    Ok(())
}

fn summarise(counts: &Counts, seconds: f64) {
    let Counts { logged, bytes, faults, repeats, lifecycles } = counts;
    eprintln!(
        "fixtrail-gen: {logged} messages ({bytes} bytes, {:.0} a message) of {lifecycles} lifecycles, {faults} damaged, \
         {repeats} repeats, in {seconds:.2} s: {:.0} messages/s",
        *bytes as f64 / (*logged).max(1) as f64,
        *logged as f64 / seconds.max(1e-9),
    );
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fixtrail-gen: {error}");
            ExitCode::from(2)
        }
    }
}
