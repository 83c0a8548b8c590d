//! Files of ours written again without some rows, or with other lifecycles. A file in which nothing changes is not
//! written; one that would be empty is not either.

use super::events::{self, LIFECYCLE_ID};
use super::file::{FileSummary, RowGroups, TableFile};
use super::findings::{self, FindingTable};
use super::linked::{LifecycleRow, LifecycleTable, LinkRow, LinkTable, lifecycle_schema, link_hash, link_schema};
use super::{Builder, Chunk, CodedColumn, Encoder, Piece, Schema};
use crate::finding::{Finding, Level};
use crate::{Error, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::fs::File;
use std::path::Path;

const BATCH_ROWS: usize = 8192;

/// What became of a file.
#[derive(Debug)]
pub enum Rewritten {
    /// It stays as it is.
    Same,
    /// This file takes its place.
    Other(FileSummary),
    /// No row is left.
    Empty,
}

/// Writes a file of `links` again as `dir/name` without the rows that have one of these hashes; their lifecycles are
/// among `lifecycles`.
///
/// # Errors
/// When the file cannot be read or is damaged, or the other cannot be written.
pub fn links_without(
    from: &Path,
    dir: &Path,
    name: &str,
    gone: &HashSet<u128>,
    lifecycles: &HashSet<[u8; 20]>,
) -> Result<Rewritten> {
    let is_concerned = |id: &str| contains(lifecycles, id);
    if !any_text(from, "lifecycle_id", is_concerned)? {
        return Ok(Rewritten::Same);
    }
    rewrite(from, dir, name, &link_schema(), &mut LinkTable::new(), |table, batch| {
        let texts: Vec<_> = (0..5).map(|column| batch.column(column).as_string::<i32>()).collect();
        for row in 0..batch.num_rows() {
            let mut lifecycle_id = [0; 20];
            lifecycle_id.iter_mut().zip(texts[1].value(row).bytes()).for_each(|(to, from)| *to = from);
            let link = LinkRow {
                kind: texts[0].value(row),
                lifecycle_id,
                from_event_id: texts[2].value(row).as_bytes(),
                to_event_id: texts[3].value(row).as_bytes(),
                key: texts[4].value(row).as_bytes(),
            };
            if !(lifecycles.contains(&lifecycle_id) && gone.contains(&link_hash(&link))) {
                table.push(&link);
            }
        }
    })
}

/// The same of `lifecycles`, without those of these ids.
///
/// # Errors
/// As [`links_without`].
pub fn lifecycles_without(from: &Path, dir: &Path, name: &str, gone: &HashSet<[u8; 20]>) -> Result<Rewritten> {
    if !any_text(from, "lifecycle_id", |id| contains(gone, id))? {
        return Ok(Rewritten::Same);
    }
    rewrite(from, dir, name, &lifecycle_schema(), &mut LifecycleTable::new(), |table, batch| {
        let text = |column: usize, row: usize| {
            let texts = batch.column(column).as_string::<i32>();
            if texts.is_null(row) { "" } else { texts.value(row) }
        };
        let list = |column: usize, row: usize| -> Vec<String> {
            let list = batch.column(column).as_list::<i32>().value(row);
            list.as_string::<i32>().iter().flatten().map(str::to_string).collect()
        };
        let long = |column: usize, row: usize| of_row(batch.column(column), row, |a| a.as_primitive::<Int64Type>());
        let decimal = |column: usize, row: usize| {
            let array = batch.column(column);
            let value = (!array.is_null(row)).then(|| array.as_primitive::<Decimal128Type>().value(row));
            value.and_then(|value| i64::try_from(value).ok())
        };
        for row in 0..batch.num_rows() {
            let id = text(0, row);
            if contains(gone, id) {
                continue;
            }
            let (roots, firms) = (list(1, row), list(13, row));
            let firms: Vec<&str> = firms.iter().map(String::as_str).collect();
            table.push(&LifecycleRow {
                day: 0,
                lifecycle_id: id,
                roots: &roots,
                symbol: text(2, row),
                side: text(3, row),
                order_qty: decimal(4, row),
                filled_qty: decimal(5, row),
                state: text(6, row),
                first_time: long(7, row),
                last_time: long(8, row),
                events: long(11, row).unwrap_or_default() as u64,
                orders: long(12, row).unwrap_or_default() as u64,
                firms: &firms,
            });
        }
    })
}

/// The same of `findings`, without those for which `is_gone` says so; it is told their source.
///
/// # Errors
/// As [`links_without`].
pub fn findings_without(
    from: &Path,
    dir: &Path,
    name: &str,
    is_gone: impl Fn(&Finding, &str) -> bool,
) -> Result<Rewritten> {
    let schema = findings::schema();
    let columns: Vec<&str> = schema.columns.iter().map(|column| column.name).collect();
    let mut any = false;
    each_batch(from, None, &columns, |batch| {
        any = any || (0..batch.num_rows()).map(|row| finding(batch, row)).any(|(f, source, _)| is_gone(&f, source));
        Ok(())
    })?;
    if !any {
        return Ok(Rewritten::Same);
    }
    rewrite(from, dir, name, &schema, &mut FindingTable::new(), |table, batch| {
        for (finding, source, prefix) in (0..batch.num_rows()).map(|row| finding(batch, row)) {
            if !is_gone(&finding, source) {
                table.push(&finding, source, prefix);
            }
        }
    })
}

/// A finding as a file has it, its source and how its event's id begins.
fn finding(batch: &RecordBatch, row: usize) -> (Finding, &str, &str) {
    let text = |column: usize| batch.column(column).as_string::<i32>().value(row);
    let long = |column: usize| of_row(batch.column(column), row, |a| a.as_primitive::<Int64Type>());
    let level = [Level::Info, Level::Warning, Level::Error].into_iter().find(|level| level.as_str() == text(1));
    let event_id = (!batch.column(2).is_null(row)).then(|| text(2));
    let prefix = event_id.and_then(|id| id.split_once('-')).map_or("", |(prefix, _)| prefix);
    let finding = Finding {
        code: Cow::Owned(text(0).to_string()),
        level: level.unwrap_or(Level::Error),
        source: 0,
        offset: long(4).unwrap_or_default() as u64,
        line: long(5).unwrap_or_default() as u64,
        event: event_id.map(|id| id.rsplit_once('.').and_then(|(_, sub)| sub.parse().ok()).unwrap_or(0)),
        tag: long(6).and_then(|tag| u32::try_from(tag).ok()).unwrap_or_default(),
        text: text(7).into(),
    };
    (finding, text(3), prefix)
}

/// Writes a file of `events` again, in which events of these ids have another lifecycle, and without the row groups all of
/// whose rows are in a tail: `is_tail` is told source and offset. What does not change is copied byte for byte.
///
/// # Errors
/// As [`links_without`].
pub fn events_changed(
    from: &Path,
    dir: &Path,
    name: &str,
    changed: &HashMap<Vec<u8>, [u8; 20]>,
    is_tail: impl Fn(&str, u64) -> bool,
    any_tail: bool,
) -> Result<Rewritten> {
    let schema = events::schema();
    let groups = row_groups(from, &schema)?;
    let mut encoder = Encoder::new();
    let (mut stay, mut any_gone) = (Vec::with_capacity(groups.count()), false);
    for group in 0..groups.count() {
        if any_tail && all_in_tail(from, group, &is_tail)? {
            any_gone = true;
        } else {
            stay.push((group, with_lifecycles(from, group, &schema, changed, &mut encoder)?));
        }
    }
    if !any_gone && stay.iter().all(|(_, other)| other.is_none()) {
        return Ok(Rewritten::Same);
    }
    if stay.is_empty() {
        return Ok(Rewritten::Empty);
    }
    let mut file = TableFile::create(dir, name, &schema)?;
    for (group, other) in &stay {
        file.copy_row_group(&groups, *group, other.as_ref().map(|chunk| (LIFECYCLE_ID, chunk)))?;
    }
    Ok(Rewritten::Other(file.finish()?))
}

fn all_in_tail(from: &Path, group: usize, is_tail: &impl Fn(&str, u64) -> bool) -> Result<bool> {
    let mut all = true;
    each_batch(from, Some(group), &["source", "offset"], |batch| {
        let (sources, offsets) = (batch.column(0).as_string::<i32>(), batch.column(1).as_primitive::<Int64Type>());
        all = all && (0..batch.num_rows()).all(|row| is_tail(sources.value(row), offsets.value(row).unsigned_abs()));
        Ok(())
    })?;
    Ok(all)
}

/// The column of lifecycles of a row group, if any of them changes.
fn with_lifecycles(
    from: &Path,
    group: usize,
    schema: &Schema,
    changed: &HashMap<Vec<u8>, [u8; 20]>,
    encoder: &mut Encoder,
) -> Result<Option<Chunk>> {
    if changed.is_empty() {
        return Ok(None);
    }
    let mut any = false;
    let mut codes: HashMap<Vec<u8>, u32> = HashMap::new();
    let (mut column, mut rows) = (CodedColumn::new(), 0);
    each_batch(from, Some(group), &["event_id", "lifecycle_id"], |batch| {
        let (ids, lifecycles) = (batch.column(0).as_string::<i32>(), batch.column(1).as_string::<i32>());
        for row in 0..batch.num_rows() {
            let other = changed.get(ids.value(row).as_bytes());
            let old = (!lifecycles.is_null(row)).then(|| lifecycles.value(row).as_bytes());
            any |= other.is_some_and(|other| old != Some(other));
            if let Some(id) = other.map(|other| &other[..]).or(old) {
                let code = match codes.get(id) {
                    Some(code) => *code,
                    None => {
                        let code = column.add(id);
                        codes.insert(id.to_vec(), code);
                        code
                    }
                };
                column.push_at(rows + row, code);
            }
        }
        rows += batch.num_rows();
        Ok(())
    })?;
    Ok(any.then(|| column.encode(&schema.columns[LIFECYCLE_ID], rows, encoder)))
}

fn of_row<'a>(
    array: &'a ArrayRef,
    row: usize,
    of: impl Fn(&'a ArrayRef) -> &'a arrow_array::PrimitiveArray<Int64Type>,
) -> Option<i64> {
    (!array.is_null(row)).then(|| of(array).value(row))
}

fn row_groups(from: &Path, schema: &Schema) -> Result<RowGroups> {
    let groups = RowGroups::open(from)?;
    if groups.are_of(schema)? {
        return Ok(groups);
    }
    let hint = "has other columns than today's; link anew with --force";
    Err(Error::Usage(format!("{}: {hint}", from.display())))
}

/// Rows on their way to a row group.
trait Rows {
    fn encode(&mut self, schema: &Schema, encoder: &mut Encoder) -> Vec<Chunk>;
}

impl Rows for LinkTable {
    fn encode(&mut self, schema: &Schema, encoder: &mut Encoder) -> Vec<Chunk> {
        LinkTable::encode(self, schema, encoder)
    }
}

impl Rows for LifecycleTable {
    fn encode(&mut self, schema: &Schema, encoder: &mut Encoder) -> Vec<Chunk> {
        LifecycleTable::encode(self, schema, encoder)
    }
}

impl Rows for FindingTable {
    fn encode(&mut self, schema: &Schema, encoder: &mut Encoder) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        let taken: std::result::Result<(), Infallible> = FindingTable::encode(self, schema, encoder, |_, chunk| {
            chunks.push(chunk);
            Ok(())
        });
        let Ok(()) = taken;
        chunks
    }
}

/// Reads row group by row group; `take` pushes what stays.
fn rewrite<T: Rows>(
    from: &Path,
    dir: &Path,
    name: &str,
    schema: &Schema,
    table: &mut T,
    mut take: impl FnMut(&mut T, &RecordBatch),
) -> Result<Rewritten> {
    let groups = row_groups(from, schema)?;
    let columns: Vec<&str> = schema.columns.iter().map(|column| column.name).collect();
    let mut file = TableFile::create(dir, name, schema)?;
    let mut encoder = Encoder::new();
    for group in 0..groups.count() {
        each_batch(from, Some(group), &columns, |batch| {
            take(table, batch);
            Ok(())
        })?;
        let chunks = table.encode(schema, &mut encoder);
        let pieces: Vec<Piece<'_>> = chunks.iter().map(Piece::Fresh).collect();
        file.append_row_group(&pieces)?;
    }
    if file.rows() == 0 {
        return Ok(Rewritten::Empty);
    }
    Ok(Rewritten::Other(file.finish()?))
}

/// Calls `take` with the wanted columns, in their order in the file, of a row group or of all.
fn each_batch(
    from: &Path,
    group: Option<usize>,
    columns: &[&str],
    mut take: impl FnMut(&RecordBatch) -> Result<()>,
) -> Result<()> {
    let damaged = |error: &dyn std::fmt::Display| Error::Damaged {
        path: from.to_path_buf(),
        what: format!("not Parquet: {error}"),
    };
    let file = File::open(from).map_err(Error::io(from, "cannot open"))?;
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = ArrowReaderMetadata::load(&file, options).map_err(|e| damaged(&e))?;
    let descr = metadata.parquet_schema();
    let leaves = (0..descr.num_columns()).filter(|&i| columns.contains(&descr.get_column_root(i).name()));
    let mask = ProjectionMask::leaves(descr, leaves);
    let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
        .with_projection(mask)
        .with_batch_size(BATCH_ROWS);
    if let Some(group) = group {
        builder = builder.with_row_groups(vec![group]);
    }
    for batch in builder.build().map_err(|e| damaged(&e))? {
        let batch = batch.map_err(|e| damaged(&e))?;
        if batch.num_columns() != columns.len() {
            return Err(damaged(&"columns are missing"));
        }
        take(&batch)?;
    }
    Ok(())
}

/// True when a text of the column is wanted.
fn any_text(from: &Path, column: &str, is_wanted: impl Fn(&str) -> bool) -> Result<bool> {
    let mut any = false;
    each_batch(from, None, &[column], |batch| {
        any = any || batch.column(0).as_string::<i32>().iter().flatten().any(&is_wanted);
        Ok(())
    })?;
    Ok(any)
}

fn contains(ids: &HashSet<[u8; 20]>, id: &str) -> bool {
    <&[u8; 20]>::try_from(id.as_bytes()).is_ok_and(|id| ids.contains(id))
}
