//! The argument table: what can be typed. Man pages and completions are generated from it.

use super::memory::Size;
use super::upkeep_args::UpkeepArgs;
use crate::finding::Level;
use crate::fix::dictionary::Version;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;
use std::time::Duration;

const ABOUT: &str = "Order lifecycles from FIX logs, CAT files and Parquet";

const STATUS: &str = "Exit status:
  0  done, no finding at or above --fail-on
  1  done, with such findings, or nothing found
  2  not done";

#[derive(Parser)]
#[command(name = "fixtrail", version, about = ABOUT, after_help = STATUS, disable_help_subcommand = true)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    Validate(ValidateArgs),
    Parse(ParseArgs),
    Link(LinkArgs),
    Query(super::query::QueryArgs),
    #[command(hide = true)]
    Gen(GenArgs),
}

/// What is read, and how; the same for every subcommand that reads logs.
#[derive(Args, Clone)]
pub struct InputArgs {
    /// Files, directories (walked) or - for standard input, which is also the default
    #[arg(value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<PathBuf>,
    /// What standard input is called in findings and ids
    #[arg(long, value_name = "NAME", default_value = "-")]
    pub stdin_name: String,
    /// Worker threads [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Read files instead of mapping them, for logs that may be cut short meanwhile
    #[arg(long)]
    pub no_mmap: bool,
    /// Application version of FIXT sessions whose Logon is not in the log
    #[arg(long, value_name = "VERSION", default_value = "5.0sp2", value_enum)]
    pub appl_version: ApplVersion,
    /// Bytes in a unit of work; for tests
    #[arg(long, value_name = "BYTES", hide = true)]
    pub unit_bytes: Option<usize>,
}

/// What is said about the run; the same for every subcommand.
#[derive(Args, Clone)]
pub struct RunArgs {
    /// Say nothing on standard error but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Say more: every kind of finding with its count, bytes outside of messages
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Write a summary of the run as JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
    /// End with status 1 if there is a finding of this level or worse
    #[arg(long, value_name = "LEVEL", default_value = "error", value_enum)]
    pub fail_on: FailOn,
    /// When to use colours and a progress bar
    #[arg(long, value_name = "WHEN", default_value = "auto", value_enum)]
    pub color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Info,
    Warning,
    Error,
    Never,
}

impl FailOn {
    pub fn level(self) -> Option<Level> {
        match self {
            FailOn::Info => Some(Level::Info),
            FailOn::Warning => Some(Level::Warning),
            FailOn::Error => Some(Level::Error),
            FailOn::Never => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MinLevel {
    Info,
    Warning,
    Error,
}

impl MinLevel {
    pub fn level(self) -> Level {
        match self {
            MinLevel::Info => Level::Info,
            MinLevel::Warning => Level::Warning,
            MinLevel::Error => Level::Error,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ApplVersion {
    #[value(name = "4.0")]
    Fix40,
    #[value(name = "4.1")]
    Fix41,
    #[value(name = "4.2")]
    Fix42,
    #[value(name = "4.3")]
    Fix43,
    #[value(name = "4.4")]
    Fix44,
    #[value(name = "5.0")]
    Fix50,
    #[value(name = "5.0sp1")]
    Fix50Sp1,
    #[value(name = "5.0sp2")]
    Fix50Sp2,
}

impl ApplVersion {
    pub fn version(self) -> Version {
        match self {
            ApplVersion::Fix40 => Version::Fix40,
            ApplVersion::Fix41 => Version::Fix41,
            ApplVersion::Fix42 => Version::Fix42,
            ApplVersion::Fix43 => Version::Fix43,
            ApplVersion::Fix44 => Version::Fix44,
            ApplVersion::Fix50 => Version::Fix50,
            ApplVersion::Fix50Sp1 => Version::Fix50Sp1,
            ApplVersion::Fix50Sp2 => Version::Fix50Sp2,
        }
    }
}

/// Check FIX messages; print every finding with its place and a stable code
///
/// Framing, BodyLength(9), CheckSum(10), required and undefined tags, types, enumerated values, repeated tags and
/// repeating groups are checked against the dictionary of each message's version, FIX 4.0 to 5.0 SP2.
#[derive(Args)]
#[command(after_help = "Examples:
  fixtrail validate day/
  zcat session.log.gz | fixtrail validate --stdin-name session.log
  fixtrail validate day/ -f json | jq -r .code | sort | uniq -c

Exit status: 0 clean, 1 findings at or above --fail-on, 2 some input could not be read.")]
pub struct ValidateArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// How findings are written
    #[arg(short, long, value_name = "FORMAT", default_value = "text", value_enum)]
    pub format: ValidateFormat,
    /// The same as -f json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Write findings to a file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Replace an existing output file
    #[arg(long)]
    pub force: bool,
    /// What is checked: framing and sums only, or whole messages
    #[arg(long, value_name = "WHAT", default_value = "message", value_enum)]
    pub level: CheckLevel,
    /// Write only findings of this level or worse; all are counted
    #[arg(long, value_name = "LEVEL", default_value = "info", value_enum)]
    pub min_level: MinLevel,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckLevel {
    Frame,
    Message,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ValidateFormat {
    /// file:offset: level: code: sentence
    Text,
    /// One object a line
    Json,
    Csv,
    Parquet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WhileReading {
    /// Framing and sums only
    None,
    /// Every message against its dictionary
    Message,
}

/// Turn logs into typed events: JSON lines or CSV on a pipe, Parquet in a directory
///
/// Every message becomes a row, wrong ones too; prices and quantities are exact, times are nanoseconds, and every tag is
/// kept.
#[derive(Args)]
#[command(after_help = "Examples:
  fixtrail parse day/ | jq -c 'select(.kind == \"fill\")'
  fixtrail parse day/ -f csv -o day.csv
  fixtrail parse day/ -o events/ && duckdb -c \"from 'events/events/*/*.parquet'\"

Exit status: 0 clean, 1 findings at or above --fail-on, 2 not done.")]
pub struct ParseArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// A directory for Parquet, partitioned by date, or a file for JSON or CSV [default: standard output]
    #[arg(short, long, value_name = "DIR|FILE", value_hint = ValueHint::AnyPath)]
    pub output: Option<PathBuf>,
    /// How events are written [default: json to a pipe or a .json file, csv to a .csv file, parquet to a directory]
    #[arg(short, long, value_name = "FORMAT", value_enum)]
    pub format: Option<ParseFormat>,
    /// The same as -f json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// In JSON, call tags by their names and add the words for their values
    #[arg(long)]
    pub names: bool,
    /// Write findings to a file: JSON lines, or CSV if its name ends in .csv
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub findings: Option<PathBuf>,
    #[command(flatten)]
    pub make: MakeArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ParseFormat {
    /// One object a line
    Json,
    Csv,
    /// A directory of files, partitioned by date
    Parquet,
}

/// How events are made; the same for `parse` and `link`.
#[derive(Args)]
pub struct MakeArgs {
    /// What is checked while reading
    #[arg(long, value_name = "WHAT", default_value = "message", value_enum)]
    pub validate: WhileReading,
    /// Make an unreadable input a finding instead of stopping
    #[arg(long)]
    pub skip_unreadable: bool,
    /// Replace what the output already holds; a trail keeps its older versions
    #[arg(long)]
    pub force: bool,
    /// Directory for temporary files, which go when the run ends [default: the output's]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub temp_dir: Option<PathBuf>,
    /// Wait so long for another run that is writing to the same output
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds)]
    pub wait: Duration,
    #[command(flatten)]
    pub run: RunArgs,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().map_err(|_| "expected seconds, such as 30 or 0.5".to_string())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "expected seconds, such as 30 or 0.5".to_string())
}

/// Link events into order lifecycles; write a trail, or take care of one
///
/// Joins every order with its changes, cancels, reports and fills, with the orders it was routed or combined into, and
/// with the other party's copy of the same messages, and names each reference that leads nowhere.
#[derive(Args)]
#[command(
    override_usage = "fixtrail link [OPTIONS] [INPUT]... --output <TRAIL>
       fixtrail link --compact|--expire <AGE|VERSIONS>|--verify|--backup <DIR> [OPTIONS] <TRAIL>",
    after_help = "Examples:
  fixtrail link day/ -o trail/
  fixtrail query order C00000079 trail/
  fixtrail query sql 'select state, count(*) from lifecycles group by state' trail/
  fixtrail link incoming/ -o trail/ --watch=60
  fixtrail link --compact trail/ && fixtrail link --expire 90d trail/
  fixtrail link --verify trail/
  fixtrail link --backup /backup/trail --all-versions trail/

Exit status: 0 clean, 1 findings at or above --fail-on, or damage, 2 not done."
)]
pub struct LinkArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The trail's directory
    #[arg(short, long, value_name = "TRAIL", value_hint = ValueHint::DirPath)]
    #[arg(required_unless_present = "upkeep", conflicts_with = "upkeep")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub upkeep: UpkeepArgs,
    /// With --verify and --backup: not only the latest version
    #[arg(long, requires = "upkeep", help_heading = "Care of a trail")]
    pub all_versions: bool,
    /// Memory that linking may take, such as 512M or 4G; what does not fit goes through temporary files [default: a
    /// quarter of the machine's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    /// Read inputs that were taken already even if length and time of the file are the same
    #[arg(long, conflicts_with = "upkeep")]
    pub check_content: bool,
    /// Go on until interrupted: look again every so many seconds and commit what has come
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "60", value_parser = seconds)]
    #[arg(require_equals = true, conflicts_with_all = ["upkeep", "dry_run", "force"])]
    pub watch: Option<Duration>,
    /// With --watch: take a file when it has not changed for so long
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, requires = "watch")]
    pub settle: Duration,
    /// Say what would be done with each input, and write nothing
    #[arg(long, conflicts_with = "upkeep")]
    pub dry_run: bool,
    #[command(flatten)]
    pub make: MakeArgs,
}

/// Write man pages and completions
#[derive(Args)]
pub struct GenArgs {
    /// Directory that gets man/ and completions/
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
}
