//! A narrow scan of Parquet: the rows in which one of some text columns holds one of some values.
//!
//! Row groups are skipped by their statistics and Bloom filters, column by column; what remains is filtered on the
//! columns that can match, and other columns are decoded only for the rows that do. Row groups are read in parallel and
//! come out in the order of files.

use super::files::Place;
use crate::table::ids::Groups;
use crate::{Error, Result};
use arrow_array::{Array, BooleanArray, ListArray, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowPredicateFn, ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowFilter,
};
use parquet::file::metadata::{ColumnChunkMetaData, PageIndexPolicy};
use parquet::schema::types::SchemaDescriptor;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Beyond so many values a Bloom filter says "perhaps" too often to be worth its reading.
const MAX_BLOOM_VALUES: usize = 256;

const BATCH_ROWS: usize = 8192;

/// The rows wanted: those in which any of `columns` (text, or lists of text) holds any of `values`.
pub struct Wanted<'a> {
    pub columns: &'a [&'a str],
    pub values: &'a BTreeSet<String>,
    /// A column and the only values that it has in wanted rows: row groups whose statistics rule them out are skipped.
    pub only: Option<(&'a str, &'a BTreeSet<String>)>,
}

impl<'a> Wanted<'a> {
    pub fn new(columns: &'a [&'a str], values: &'a BTreeSet<String>) -> Wanted<'a> {
        Wanted { columns, values, only: None }
    }
}

/// The wanted rows of some files, with the columns named in `output` as far as a file has them.
///
/// # Errors
/// When a file cannot be read or is not Parquet.
pub fn rows(places: &[Place], wanted: &Wanted<'_>, output: &[&str]) -> Result<Vec<RecordBatch>> {
    if wanted.values.is_empty() {
        return Ok(Vec::new());
    }
    let opened: Vec<(Opened<'_>, &Groups)> =
        places.par_iter().map(|place| Ok((Opened::open(&place.path)?, &place.groups))).collect::<Result<_>>()?;
    let groups: Vec<(&Opened<'_>, usize)> = opened
        .iter()
        .flat_map(|(file, groups)| {
            let is_worth = |group: &usize| match groups {
                Groups::All => true,
                Groups::Some(groups) => groups.contains(group),
            };
            (0..file.metadata.metadata().num_row_groups()).filter(is_worth).map(move |group| (file, group))
        })
        .collect();
    let lookup: Arc<HashSet<String>> = Arc::new(wanted.values.iter().cloned().collect());
    let found: Vec<Vec<RecordBatch>> = groups
        .par_iter()
        .map(|(file, group)| file.rows_of_group(*group, wanted, &lookup, output))
        .collect::<Result<_>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// True when every file has the column.
pub fn have_column(places: &[Place], column: &str) -> Result<bool> {
    for place in places {
        if leaf(Opened::open(&place.path)?.metadata.parquet_schema(), column).is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A file whose footer has been read.
struct Opened<'a> {
    path: &'a Path,
    metadata: ArrowReaderMetadata,
}

impl<'a> Opened<'a> {
    fn open(path: &'a Path) -> Result<Opened<'a>> {
        let file = File::open(path).map_err(Error::io(path, "cannot open"))?;
        // The writer's Arrow types are left aside, so that text is Utf8 and decimals are Decimal128 whoever wrote them.
        let options = ArrowReaderOptions::new()
            .with_skip_arrow_metadata(true)
            .with_offset_index_policy(PageIndexPolicy::Optional);
        let metadata = ArrowReaderMetadata::load(&file, options).map_err(|e| damaged(path, &e))?;
        Ok(Opened { path, metadata })
    }

    fn rows_of_group(
        &self,
        group: usize,
        wanted: &Wanted<'_>,
        lookup: &Arc<HashSet<String>>,
        output: &[&str],
    ) -> Result<Vec<RecordBatch>> {
        let schema = self.metadata.parquet_schema();
        if let Some((column, values)) = wanted.only
            && let Some(index) = leaf(schema, column)
            && !statistics_allow(self.metadata.metadata().row_group(group).column(index), values)
        {
            return Ok(Vec::new());
        }
        // Each reader has a file of its own: clones of one would share its position.
        let file = File::open(self.path).map_err(Error::io(self.path, "cannot open"))?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let mut columns = Vec::new();
        for name in wanted.columns {
            let Some(index) = leaf(schema, name) else { continue };
            let chunk = self.metadata.metadata().row_group(group).column(index);
            if statistics_allow(chunk, wanted.values) && self.bloom_allows(&builder, group, index, wanted.values)? {
                columns.push(*name);
            }
        }
        if columns.is_empty() {
            return Ok(Vec::new());
        }
        let values = Arc::clone(lookup);
        let predicate =
            ArrowPredicateFn::new(mask(schema, &columns), move |batch: RecordBatch| matching_rows(&batch, &values));
        let reader = builder
            .with_batch_size(BATCH_ROWS)
            .with_row_groups(vec![group])
            .with_projection(mask(schema, output))
            .with_row_filter(RowFilter::new(vec![Box::new(predicate)]))
            .build()
            .map_err(|e| damaged(self.path, &e))?;
        let mut batches = Vec::new();
        for batch in reader {
            let batch = batch.map_err(|e| damaged(self.path, &e))?;
            if batch.num_rows() > 0 {
                batches.push(batch);
            }
        }
        Ok(batches)
    }

    fn bloom_allows(
        &self,
        builder: &ParquetRecordBatchReaderBuilder<File>,
        group: usize,
        column: usize,
        values: &BTreeSet<String>,
    ) -> Result<bool> {
        if values.len() > MAX_BLOOM_VALUES {
            return Ok(true);
        }
        let filter = builder.get_row_group_column_bloom_filter(group, column).map_err(|e| damaged(self.path, &e))?;
        Ok(filter.is_none_or(|filter| values.iter().any(|v| filter.check(v.as_str()))))
    }
}

fn damaged(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::Damaged { path: path.to_path_buf(), what: format!("cannot read as Parquet: {error}") }
}

/// Number of the first leaf of the column `name`.
fn leaf(schema: &SchemaDescriptor, name: &str) -> Option<usize> {
    (0..schema.num_columns()).find(|&i| schema.get_column_root(i).name() == name)
}

fn mask(schema: &SchemaDescriptor, names: &[&str]) -> ProjectionMask {
    ProjectionMask::leaves(
        schema,
        (0..schema.num_columns()).filter(|&i| names.contains(&schema.get_column_root(i).name())),
    )
}

/// False when the chunk's statistics rule every value out.
fn statistics_allow(chunk: &ColumnChunkMetaData, values: &BTreeSet<String>) -> bool {
    let Some(statistics) = chunk.statistics() else { return true };
    if statistics.null_count_opt().is_some_and(|nulls| nulls >= chunk.num_values().unsigned_abs()) {
        return false;
    }
    match (statistics.min_bytes_opt(), statistics.max_bytes_opt()) {
        (Some(min), Some(max)) => values.iter().any(|v| v.as_bytes() >= min && v.as_bytes() <= max),
        _ => true,
    }
}

/// Marks the rows in which any column of the batch holds a wanted value.
fn matching_rows(batch: &RecordBatch, values: &HashSet<String>) -> std::result::Result<BooleanArray, ArrowError> {
    let mut marks = vec![false; batch.num_rows()];
    // One value is the common case, and comparing beats a look-up.
    let single = if values.len() == 1 { values.iter().next().map(String::as_str) } else { None };
    let is_wanted = |text: &str| single.map_or_else(|| values.contains(text), |v| v == text);
    for column in batch.columns() {
        if let Some(texts) = column.as_any().downcast_ref::<StringArray>() {
            for (mark, text) in marks.iter_mut().zip(texts) {
                *mark |= text.is_some_and(is_wanted);
            }
        } else if let Some(lists) = column.as_any().downcast_ref::<ListArray>() {
            for (mark, list) in marks.iter_mut().zip(lists.iter()) {
                let Some(list) = list else { continue };
                let Some(texts) = list.as_any().downcast_ref::<StringArray>() else { continue };
                *mark |= texts.iter().flatten().any(is_wanted);
            }
        }
    }
    Ok(BooleanArray::from(marks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::test_trail::write_parquet;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{ArrayRef, Int64Array};
    use proptest::prelude::*;
    use std::path::PathBuf;

    type Ids = (Option<String>, Option<String>);

    /// A file with two id columns and a column of row numbers, in row groups of four.
    fn file(dir: &Path, ids: &[Ids]) -> PathBuf {
        let column =
            |get: fn(&Ids) -> Option<&str>| -> ArrayRef { Arc::new(ids.iter().map(get).collect::<StringArray>()) };
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ids.len() as i64));
        let columns =
            [("a", column(|i| i.0.as_deref()), true), ("b", column(|i| i.1.as_deref()), true), ("n", numbers, false)];
        let path = dir.join("ids.parquet");
        write_parquet(&path, &RecordBatch::try_from_iter_with_nullable(columns).expect("equal lengths"));
        path
    }

    fn numbers(batches: &[RecordBatch]) -> Vec<i64> {
        batches.iter().flat_map(|b| b.column(0).as_primitive::<Int64Type>().values().to_vec()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn skipping_and_filtering_find_what_a_walk_over_all_rows_finds(
            ids in prop::collection::vec((prop::option::of("[ab]{0,3}"), prop::option::of("[bc]{0,3}")), 1..40),
            wanted in prop::collection::btree_set("[abc]{0,3}", 0..4),
        ) {
            let dir = tempfile::tempdir().expect("a temporary folder");
            let path = file(dir.path(), &ids);
            let is_wanted = |id: &Option<String>| id.as_ref().is_some_and(|id| wanted.contains(id));
            let walked: Vec<i64> = (0..ids.len() as i64)
                .filter(|&n| is_wanted(&ids[n as usize].0) || is_wanted(&ids[n as usize].1))
                .collect();
            let found = rows(&[Place { path, groups: Groups::All }], &Wanted::new(&["a", "absent", "b"], &wanted), &["n"]);
            prop_assert_eq!(numbers(&found.map_err(|e| TestCaseError::fail(e.to_string()))?), walked);
        }
    }

    #[test]
    fn a_file_that_is_not_parquet_is_named_in_the_error() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("x.parquet");
        std::fs::write(&path, "PAR1 but no more").expect("a file");
        let values = BTreeSet::from(["x".to_string()]);
        let place = Place { path: path.clone(), groups: Groups::All };
        let error = rows(&[place], &Wanted::new(&["a"], &values), &["a"]).err();
        let text = error.map(|e| e.to_string()).unwrap_or_default();
        assert!(text.starts_with(&format!("{}: cannot read as Parquet: ", path.display())), "{text}");
    }
}
