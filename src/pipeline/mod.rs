//! A run over all inputs: sources are cut into units of work, workers turn units into messages, consumers take them.
//!
//! [`Scout`] hands out [`Unit`]s of about 32 MB in the order of the sources' names. Where a unit ends depends on the bytes
//! alone, so whatever is made of a unit is the same for any number of threads. [`run`] drives the workers; each reads its
//! units with a [`Reader`] and gives every message to its [`Consumer`].

mod assemble;
mod assembler;
mod consumer;
mod finding_file;
mod link;
mod output;
mod reader;
mod relink;
mod row_ids;
mod run;
mod scout;
mod sequence;
mod sessions;
mod tables;
mod take_out;
mod tally;

pub use assemble::{Written, assemble};
pub use consumer::{Consumer, Found};
pub use finding_file::{FindingFile, FindingRows};
pub use output::{EventFormat, FINDINGS_CSV_HEADER, FindingFormat, LineWriter, Lines, events_csv_header, finding_line};
pub use reader::{Check, Reader};
pub use relink::{LINKER, Relinked, open_known, relink};
pub use run::{Plan, RunSummary, run};
pub use scout::{Piece, Scout, SourceInfo, Unit};
pub use tables::{TableRun, UnitTables, spool_source_findings};
pub use take_out::{Tail, Tails};
pub use tally::Counts;
