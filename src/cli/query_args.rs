//! Arguments of `query`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Asks questions of a trail.
#[derive(Args, Debug)]
pub struct QueryArgs {
    #[command(subcommand)]
    pub what: QueryWhat,
}

#[derive(Subcommand, Debug)]
pub enum QueryWhat {
    /// Show the life of an order as a tree
    #[command(
        after_help = "Examples:\n  fixtrail query order C00000079 trail/\n  fixtrail query order E00000005 trail/ --json | jq .state\n\nStatus 1 when no lifecycle knows the identifier."
    )]
    Order(OrderArgs),
    /// Answer a SQL statement over trails, Parquet and CSV files
    #[command(
        after_help = "Examples:\n  fixtrail query sql 'select symbol, sum(last_qty) from events where kind = ''fill'' group by symbol' trail/\n  fixtrail query sql -f csv --file report.sql trail/ ref=symbols.csv > report.csv\n  fixtrail query sql 'select tag(tags, 1080) from events' trail/\n  fixtrail query sql \"select count(*) from 'day/*.parquet'\"\n\nTables of a trail: events, links, lifecycles, findings; the partition is the column date."
    )]
    Sql(SqlArgs),
    /// Print the paths of a table's live Parquet files, for other engines
    #[command(after_help = "Example:\n  duckdb -c \"select count(*) from read_parquet([$(fixtrail query files trail events | sed \"s/.*/'&'/\" | paste -sd,)])\"")]
    Files(FilesArgs),
}

#[derive(Args, Debug)]
pub struct OrderArgs {
    /// A ClOrdID, OrderID or ExecID anywhere in the chain, or a lifecycle's id
    #[arg(value_name = "ID")]
    pub id: String,
    /// Folder that `link` wrote
    #[arg(value_name = "TRAIL")]
    pub trail: PathBuf,
    /// One JSON object a lifecycle instead of a tree
    #[arg(long)]
    pub json: bool,
    /// Only ASCII in the tree
    #[arg(long, conflicts_with = "json")]
    pub ascii: bool,
}

#[derive(Args, Debug)]
pub struct SqlArgs {
    /// The statement, then the sources: with --file, or - for standard input, sources only
    ///
    /// A source is a trail, NAME=TRAIL (tables NAME_events and so on), or [NAME=]PATH of a Parquet or CSV file, a folder
    /// of Parquet files, or a glob.
    #[arg(value_name = "STATEMENT|SOURCE")]
    pub words: Vec<String>,
    /// Read the statement from a file
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// table on a terminal, else csv; with --output by the file's name
    #[arg(short, long, value_enum)]
    pub format: Option<SqlFormat>,
    /// Same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Rows that a table shows; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub max_rows: usize,
    /// Replace an existing output file
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SqlFormat {
    Table,
    Csv,
    Json,
    Parquet,
}

#[derive(Args, Debug)]
pub struct FilesArgs {
    /// Folder that `link` wrote
    #[arg(value_name = "TRAIL")]
    pub trail: PathBuf,
    #[arg(value_name = "TABLE", value_parser = ["events", "links", "lifecycles", "findings"])]
    pub table: String,
    /// End each path with a zero byte
    #[arg(short = '0', long)]
    pub null: bool,
}
