//! Arguments of `query`.

use super::args::Color;
use crate::types::{Date, Timestamp};
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Ask questions of a trail: one order's story, SQL, the live files, the versions
#[derive(Args)]
#[command(after_help = "Examples:
  fixtrail query order C00000079 trail/
  fixtrail query sql 'select state, count(*) from lifecycles group by state' trail/
  fixtrail query order C00000079 trail/ --as-known-at 2026-03-02
  fixtrail query files trail/ events
  fixtrail query versions trail/

Exit status: 0 answered, 1 nothing found, 2 not done.")]
pub struct QueryArgs {
    #[command(subcommand)]
    pub what: QueryWhat,
}

#[derive(Subcommand)]
pub enum QueryWhat {
    Order(OrderArgs),
    Sql(SqlArgs),
    Files(FilesArgs),
    Versions(VersionsArgs),
}

/// Which version of a trail is asked; the latest unless one of these is given.
#[derive(Args, Clone, Copy)]
pub struct AtArgs {
    /// Ask this version of the trail; `query versions` lists them
    #[arg(long, value_name = "N")]
    pub version: Option<u64>,
    /// Ask the version that was the latest at a time, such as 2026-03-02T18:00:00Z; a date counts to its end, UTC
    #[arg(long, value_name = "TIME", conflicts_with = "version", value_parser = known_at)]
    pub as_known_at: Option<KnownAt>,
}

/// Milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownAt(pub i64);

fn known_at(text: &str) -> Result<KnownAt, String> {
    const DAY_MS: i64 = 86_400_000;
    let end_of = |date: Date| (i64::from(date.0) + 1) * DAY_MS - 1;
    let of_date = Date::parse_iso(text.as_bytes()).map(end_of);
    let of_time = || Timestamp::parse_rfc3339(text.as_bytes()).map(|time| time.0.div_euclid(1_000_000));
    of_date
        .or_else(of_time)
        .map(KnownAt)
        .ok_or_else(|| "expected a date such as 2026-03-02, or a time such as 2026-03-02T18:00:00Z".to_string())
}

/// Show the life of an order as a tree
///
/// All lifecycles that know the identifier are shown, each with its orders nested under the orders they come from, and
/// each order with its events, states, quantities and the time from step to step.
#[derive(Args)]
#[command(after_help = "Examples:
  fixtrail query order C00000079 trail/
  fixtrail query order E00000005 trail/ --json | jq .state

Exit status: 0 found, 1 no lifecycle knows the identifier, 2 not done.")]
pub struct OrderArgs {
    /// A ClOrdID, OrderID or ExecID anywhere in the chain, or a lifecycle's id
    #[arg(value_name = "ID")]
    pub id: String,
    /// Directory that link wrote
    #[arg(value_name = "TRAIL", value_hint = ValueHint::DirPath)]
    pub trail: PathBuf,
    #[command(flatten)]
    pub at: AtArgs,
    /// One JSON object a lifecycle instead of a tree
    #[arg(long)]
    pub json: bool,
    /// Only ASCII in the tree
    #[arg(long, conflicts_with = "json")]
    pub ascii: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", value_enum)]
    pub color: Color,
}

/// Answer a SQL statement over trails, Parquet and CSV files
///
/// Tables of a trail: events, links, lifecycles, findings and changes; the partition is the column date.
#[derive(Args)]
#[command(after_help = "Examples:
  fixtrail query sql 'select symbol, sum(last_qty) from events group by symbol' trail/
  fixtrail query sql -f csv --file report.sql trail/ ref=symbols.csv > report.csv
  fixtrail query sql \"select count(*) from 'day/*.parquet'\"

Exit status: 0 answered, 2 not done.")]
pub struct SqlArgs {
    /// The statement, then the sources: a trail, NAME=TRAIL (tables NAME_events and so on), or [NAME=]PATH of a Parquet
    /// or CSV file, a directory of Parquet files, or a glob; with --file sources only
    #[arg(value_name = "STATEMENT|SOURCE")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub at: AtArgs,
    /// Read the statement from a file, or from standard input for -
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// How rows are written [default: table on a terminal, else csv; with --output by the file's name]
    #[arg(short, long, value_name = "FORMAT", value_enum)]
    pub format: Option<SqlFormat>,
    /// The same as -f json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Rows that a table shows; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub max_rows: usize,
    /// Replace an existing output file
    #[arg(long)]
    pub force: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", value_enum)]
    pub color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SqlFormat {
    Table,
    Csv,
    /// One object a line
    Json,
    Parquet,
}

/// Print the paths of a table's live Parquet files, for other engines
#[derive(Args)]
#[command(after_help = "Examples:
  fixtrail query files trail/ events
  fixtrail query files trail/ events -0 | xargs -0 ls -l
  fixtrail query files trail/ events --version 3

Exit status: 0 done, 2 not done.")]
pub struct FilesArgs {
    /// Directory that link wrote
    #[arg(value_name = "TRAIL", value_hint = ValueHint::DirPath)]
    pub trail: PathBuf,
    #[arg(value_name = "TABLE", value_parser = ["events", "links", "lifecycles", "findings", "changes"])]
    pub table: String,
    #[command(flatten)]
    pub at: AtArgs,
    /// End each path with a zero byte
    #[arg(short = '0', long)]
    pub null: bool,
}

/// List the versions of a trail: when each was made, from what, and what it holds
#[derive(Args)]
#[command(after_help = "Examples:
  fixtrail query versions trail/
  fixtrail query versions trail/ -f json | jq -r '.sources[].name'

Exit status: 0 done, 2 not done.")]
pub struct VersionsArgs {
    /// Directory that link wrote
    #[arg(value_name = "TRAIL", value_hint = ValueHint::DirPath)]
    pub trail: PathBuf,
    /// How versions are written [default: table on a terminal, else csv]
    #[arg(short, long, value_name = "FORMAT", value_enum)]
    pub format: Option<VersionsFormat>,
    /// The same as -f json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VersionsFormat {
    Table,
    Csv,
    /// One object a line, with every table and source
    Json,
}

#[cfg(test)]
mod tests {
    use super::{KnownAt, known_at};

    #[test]
    fn a_date_counts_to_its_end_and_a_time_is_itself() {
        assert_eq!(known_at("1970-01-01"), Ok(KnownAt(86_399_999)));
        assert_eq!(known_at("1970-01-01T00:00:01.0019Z"), Ok(KnownAt(1001)));
        assert_eq!(known_at("1970-01-01T00:00:00+01:00"), Ok(KnownAt(-3_600_000)));
        assert!(known_at("yesterday").is_err());
    }
}
