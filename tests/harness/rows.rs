//! Tables read back with the Parquet library, as text.

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::path::Path;

/// A row: column name to value as text; nulls are left out.
pub type Row = BTreeMap<String, String>;

/// All rows of the Parquet files below a directory, in the order of their names.
pub fn table(dir: &Path) -> Vec<Row> {
    let mut files: Vec<_> = Vec::new();
    let mut pending = vec![dir.to_path_buf()];
    while let Some(dir) = pending.pop() {
        for entry in std::fs::read_dir(dir).expect("listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|e| e == "parquet") {
                files.push(path);
            }
        }
    }
    files.sort();
    files.iter().flat_map(|path| file(path)).collect()
}

/// All rows of a table in a trail's latest version, in the order of its commit.
pub fn live(trail: &Path, table: &str) -> Vec<Row> {
    live_files(&commit(trail), table).iter().flat_map(|path| file(&trail.join(table).join(path))).collect()
}

/// What the latest commit of a trail says.
pub fn commit(trail: &Path) -> serde_json::Value {
    let versions = std::fs::read_dir(trail.join("_commits"))
        .expect("listed")
        .filter_map(|entry| entry.expect("an entry").file_name().to_str()?.strip_suffix(".json")?.parse::<u64>().ok());
    let latest = versions.max().expect("a commit");
    let text = std::fs::read(trail.join(format!("_commits/{latest}.json"))).expect("read");
    serde_json::from_slice(&text).expect("JSON")
}

/// Paths of a table's files in a commit, relative to the table's directory; none when it has no such table.
pub fn live_files(commit: &serde_json::Value, table: &str) -> Vec<String> {
    let tables = commit["tables"].as_array().expect("tables");
    let files = tables.iter().filter(|state| state["name"] == table).flat_map(|state| state["files"].as_array());
    files.flatten().map(|file| file["path"].as_str().expect("a path").to_string()).collect()
}

/// All rows of one Parquet file.
pub fn file(path: &Path) -> Vec<Row> {
    let file = std::fs::File::open(path).expect("opened");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("a reader");
    let mut rows = Vec::new();
    for batch in reader {
        let batch = batch.expect("a batch");
        for row in 0..batch.num_rows() {
            let mut values = Row::new();
            for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
                if column.is_valid(row) {
                    values.insert(field.name().clone(), text(column, row));
                }
            }
            rows.push(values);
        }
    }
    rows
}

fn text(column: &ArrayRef, row: usize) -> String {
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).to_string(),
        DataType::Utf8View => column.as_string_view().value(row).to_string(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Boolean => column.as_boolean().value(row).to_string(),
        DataType::Timestamp(_, zone) => {
            assert!(zone.is_some(), "a time stamp is UTC");
            column.as_primitive::<TimestampMicrosecondType>().value(row).to_string()
        }
        DataType::Decimal128(18, 8) => {
            let value = column.as_primitive::<Decimal128Type>().value(row);
            fixtrail::types::Decimal(i64::try_from(value).expect("18 digits")).to_string()
        }
        DataType::List(_) => {
            let list = column.as_list::<i32>().value(row);
            let list = list.as_string::<i32>();
            (0..list.len()).map(|i| list.value(i)).collect::<Vec<_>>().join(" | ")
        }
        other => panic!("no column has the type {other}"),
    }
}
