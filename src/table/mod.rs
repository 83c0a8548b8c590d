//! Tables at rest: rows are pushed into column builders, builders become chunks, chunks become Parquet files, and files
//! become versions of a trail.
//!
//! The page encoders are our own because a row of forty columns must cost well under a microsecond. One worker owns one
//! builder per column and one [`Encoder`]; after a row group's worth of rows it encodes each builder into a [`Chunk`].
//! Chunks wait in a [`Spool`] until a [`TableFile`] puts them together.
//!
//! ```no_run
//! use fixtrail::table::{Builder, Column, Encoder, IntColumn, Piece, Schema, TableFile, TextColumn, Type};
//!
//! # fn main() -> fixtrail::Result<()> {
//! let schema = Schema {
//!     table: "orders",
//!     columns: vec![Column::required("id", Type::Text).with_bloom(), Column::nullable("price", Type::Decimal)],
//!     sorted_by: vec![],
//!     version: 1,
//! };
//! let (mut id, mut price) = (TextColumn::ids(), IntColumn::repeats());
//! id.push(Some(b"A-1"));
//! price.push(Some(12_50000000));
//! id.push(Some(b"A-2"));
//! price.push(None);
//! let mut encoder = Encoder::new();
//! let chunks = [id.encode(&schema.columns[0], 2, &mut encoder), price.encode(&schema.columns[1], 2, &mut encoder)];
//! let mut file = TableFile::create("out".as_ref(), "part-00000.parquet", &schema)?;
//! file.append_row_group(&[Piece::Fresh(&chunks[0]), Piece::Fresh(&chunks[1])])?;
//! let summary = file.finish()?;
//! assert_eq!(summary.rows, 2);
//! # Ok(())
//! # }
//! ```

mod bloom;
pub mod changes;
mod chunk;
pub mod cleanup;
mod coded;
mod commits;
mod delta;
mod encoder;
pub mod events;
mod file;
pub mod findings;
mod flag;
mod footer;
pub mod ids;
pub mod index_file;
mod int;
mod levels;
pub mod linked;
mod list;
mod lock;
pub mod maintenance;
mod numbers;
mod page;
mod prefixes;
pub mod rewrite;
pub mod scatter;
mod schema;
mod spool;
mod strays;
mod symbols;
#[cfg(test)]
mod tests;
mod text;
pub mod trail;
mod trail_writer;

pub use chunk::{Bound, Chunk};
pub use coded::CodedColumn;
pub use encoder::{Builder, Encoder};
pub use file::{ColumnSummary, FileSummary, Piece, TableFile};
pub use flag::BoolColumn;
pub use index_file::{IndexFile, MappedIndex};
pub use int::IntColumn;
pub use list::TextListColumn;
pub use prefixes::PrefixColumn;
pub use schema::{Column, Schema, Type};
pub use spool::{Segment, Spool, SpooledChunk};
pub use text::TextColumn;
pub use trail::Trail;
pub use trail_writer::TrailWriter;
