//! One table's log in Delta's JSON protocol (reader 1, writer 2): which files make up each version.
//!
//! A version is a file of one JSON action a line under a name of twenty digits. It appears by put-if-absent and is never
//! changed. The partition column `date` stands in the log and in the directory names, not in the data files.

use super::cleanup::{TempFile, create_dir};
use super::strays;
use super::{Bound, FileSummary, Schema, Type};
use crate::types::Date;
use crate::{Error, Result};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The directory name of rows without a date, as every reader of such directories knows it.
const NO_DATE: &str = "__HIVE_DEFAULT_PARTITION__";

/// How our versions of a table begin to say who wrote them.
const ENGINE: &str = "fixtrail/";

/// The directory of a day's rows.
pub(super) fn partition(date: Option<Date>) -> String {
    match date {
        Some(date) => format!("date={date}"),
        None => format!("date={NO_DATE}"),
    }
}

/// The day of a partition's directory; none when it is no such directory.
pub(super) fn date_of(partition: &str) -> Option<Option<Date>> {
    match partition.strip_prefix("date=")? {
        NO_DATE => Some(None),
        date => Date::parse_iso(date.as_bytes()).map(Some),
    }
}

/// What a table's log says after one of its versions.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LogState {
    /// The number the next version will have.
    pub next: u64,
    pub live: BTreeSet<String>,
    id: Option<String>,
    schema: Option<String>,
}

/// A file to add.
pub(super) struct Added<'a> {
    /// Relative to the table's directory.
    pub path: String,
    pub date: Option<Date>,
    pub file: &'a FileSummary,
}

/// What a new version changes.
pub(super) enum Change<'a> {
    /// The added files are the only ones.
    Replace(&'a [Added<'a>]),
    /// Some files go, others come.
    Update { removed: Vec<String>, added: &'a [Added<'a>] },
    /// The same rows in other files.
    Merge { merged: Vec<String>, into: &'a [Added<'a>] },
}

pub(super) fn log_dir(table_dir: &Path) -> PathBuf {
    table_dir.join("_delta_log")
}

pub(super) fn version_name(version: u64) -> String {
    format!("{version:020}.json")
}

fn version_path(table_dir: &Path, version: u64) -> PathBuf {
    log_dir(table_dir).join(version_name(version))
}

/// Reads a table's log from its first version on; a table without one is empty.
pub(super) fn read(table_dir: &Path) -> Result<LogState> {
    replay(table_dir, |_, _| {})
}

/// The same, showing the live files of each version to `visit`.
pub(super) fn replay(table_dir: &Path, mut visit: impl FnMut(u64, &BTreeSet<String>)) -> Result<LogState> {
    let mut state = LogState::default();
    loop {
        let path = version_path(table_dir, state.next);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(state),
            Err(error) => return Err(Error::io(&path, "cannot read")(error)),
        };
        for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let action: Value = serde_json::from_slice(line).map_err(|error| Error::Damaged {
                path: path.clone(),
                what: format!("not a version of a table: {error}"),
            })?;
            let text = |pointer: &str| action.pointer(pointer).and_then(Value::as_str).map(str::to_string);
            if let Some(file) = text("/add/path") {
                state.live.insert(file);
            }
            if let Some(file) = text("/remove/path") {
                state.live.remove(&file);
            }
            if let Some(id) = text("/metaData/id") {
                state.id = Some(id);
                state.schema = text("/metaData/schemaString");
            }
        }
        visit(state.next, &state.live);
        state.next += 1;
    }
}

/// Removes the versions after `last`, all of them for `None`, and temporary files; the newest first, so that what is
/// left never has a gap.
///
/// # Errors
/// When another program wrote one of them: nobody's work is removed but that of our own runs that did not end.
pub(super) fn remove_after(table_dir: &Path, last: Option<u64>) -> Result<()> {
    let dir = log_dir(table_dir);
    let mut ahead = Vec::new();
    for (path, name) in strays::files(&dir)? {
        let version = name.strip_suffix(".json").and_then(|name| name.parse::<u64>().ok());
        if version.is_some_and(|version| last.is_none_or(|last| version > last)) {
            ahead.push((version, path));
        } else if strays::is_temporary(&name) {
            strays::remove(&path)?;
        }
    }
    ahead.sort();
    for (_, path) in &ahead {
        let text = fs::read_to_string(path).map_err(Error::io(path, "cannot read"))?;
        if !text.lines().next().unwrap_or_default().contains(ENGINE) {
            let hint = "another program wrote this version of the table; remove it, or link into another directory";
            return Err(Error::Usage(format!("{}: {hint}", path.display())));
        }
    }
    for (_, path) in ahead.iter().rev() {
        strays::remove(path)?;
    }
    if last.is_none() {
        strays::remove_if_empty(&dir);
    }
    Ok(())
}

/// Writes the next version. False when another run wrote it first.
pub(super) fn write(
    table_dir: &Path,
    state: &LogState,
    schema: &Schema,
    change: &Change,
    time_ms: i64,
) -> Result<bool> {
    let log_dir = log_dir(table_dir);
    create_dir(&log_dir)?;
    let temp = TempFile::create(&log_dir)?;
    let actions = actions(table_dir, state, schema, change, time_ms);
    let text: String = actions.iter().map(|action| format!("{action}\n")).collect();
    temp.file().write_all(text.as_bytes()).map_err(Error::io(temp.path(), "cannot write"))?;
    temp.publish_new(&version_path(table_dir, state.next))
}

fn actions(table_dir: &Path, state: &LogState, schema: &Schema, change: &Change, time_ms: i64) -> Vec<Value> {
    let (operation, parameters) = match change {
        Change::Replace(_) => ("WRITE", json!({"mode": "Overwrite", "partitionBy": "[\"date\"]"})),
        Change::Update { removed, .. } if removed.is_empty() => {
            ("WRITE", json!({"mode": "Append", "partitionBy": "[\"date\"]"}))
        }
        Change::Update { .. } => ("MERGE", json!({})),
        Change::Merge { .. } => ("OPTIMIZE", json!({})),
    };
    let mut actions = vec![json!({"commitInfo": {
        "timestamp": time_ms,
        "operation": operation,
        "operationParameters": parameters,
        "engineInfo": format!("{ENGINE}{}", env!("CARGO_PKG_VERSION")),
    }})];
    if state.next == 0 {
        actions.push(json!({"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}));
    }
    let schema_string = schema_string(schema);
    if state.schema.as_ref() != Some(&schema_string) {
        actions.push(json!({"metaData": {
            "id": state.id.clone().unwrap_or_else(|| new_id(table_dir, time_ms)),
            "name": schema.table,
            "format": {"provider": "parquet", "options": {}},
            "schemaString": schema_string,
            "partitionColumns": ["date"],
            "configuration": {},
            "createdTime": time_ms,
        }}));
    }
    let (removed, added, changes_rows): (Vec<&String>, &[Added], bool) = match change {
        Change::Replace(added) => {
            let kept: BTreeSet<&str> = added.iter().map(|added| added.path.as_str()).collect();
            (state.live.iter().filter(|path| !kept.contains(path.as_str())).collect(), added, true)
        }
        Change::Update { removed, added } => (removed.iter().collect(), added, true),
        Change::Merge { merged, into } => (merged.iter().collect(), into, false),
    };
    for path in removed {
        actions.push(json!({"remove": {"path": path, "deletionTimestamp": time_ms, "dataChange": changes_rows}}));
    }
    for Added { path, date, file } in added {
        actions.push(json!({"add": {
            "path": path,
            "partitionValues": {"date": date.map(|date| date.to_string())},
            "size": file.bytes,
            "modificationTime": time_ms,
            "dataChange": changes_rows,
            "stats": stats(schema, file).to_string(),
        }}));
    }
    actions
}

/// The columns in Delta's words, the partition column last.
fn schema_string(schema: &Schema) -> String {
    let field =
        |name: &str, ty: Value, nullable: bool| json!({"name": name, "type": ty, "nullable": nullable, "metadata": {}});
    let fields = schema.columns.iter().map(|column| field(column.name, type_of(column.ty), column.nullable));
    let fields: Vec<Value> = fields.chain([field("date", json!("date"), true)]).collect();
    json!({"type": "struct", "fields": fields}).to_string()
}

fn type_of(ty: Type) -> Value {
    match ty {
        Type::Text => json!("string"),
        Type::Long => json!("long"),
        Type::Int => json!("integer"),
        Type::Date => json!("date"),
        Type::Timestamp => json!("timestamp"),
        Type::Decimal => json!("decimal(18,8)"),
        Type::Bool => json!("boolean"),
        Type::TextList => json!({"type": "array", "elementType": "string", "containsNull": false}),
    }
}

/// Rows, nulls and bounds of a file, by which readers pass over it.
fn stats(schema: &Schema, file: &FileSummary) -> Value {
    let (mut min, mut max, mut nulls) = (Map::new(), Map::new(), Map::new());
    for (column, summary) in schema.columns.iter().zip(&file.columns) {
        if column.ty == Type::TextList {
            continue;
        }
        nulls.insert(column.name.to_string(), summary.nulls.into());
        let bounds = summary.min.as_ref().zip(summary.max.as_ref());
        if let Some((low, high)) = bounds.and_then(|(l, h)| bound(column.ty, l).zip(bound(column.ty, h))) {
            min.insert(column.name.to_string(), low);
            max.insert(column.name.to_string(), high);
        }
    }
    json!({"numRecords": file.rows, "minValues": min, "maxValues": max, "nullCount": nulls})
}

/// A bound as Delta's statistics have it. None for decimals: readers take them for floating point, and a bound that is
/// rounded the wrong way hides rows.
fn bound(ty: Type, bound: &Bound) -> Option<Value> {
    match (ty, bound) {
        (Type::Text, Bound::Text(text)) => Some(text.as_str().into()),
        (Type::Long | Type::Int, Bound::Int(value)) => Some((*value).into()),
        (Type::Date, Bound::Int(days)) => Some(Date(i32::try_from(*days).ok()?).to_string().into()),
        (Type::Timestamp, Bound::Int(micros)) => {
            let days = i32::try_from(micros.div_euclid(86_400_000_000)).ok()?;
            let rest = micros.rem_euclid(86_400_000_000);
            let (seconds, fraction) = (rest / 1_000_000, rest % 1_000_000);
            let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            let year = Date(days).ymd().0;
            // Years of other lengths have no form that readers agree on.
            (0..=9999)
                .contains(&year)
                .then(|| format!("{}T{hour:02}:{minute:02}:{second:02}.{fraction:06}Z", Date(days)).into())
        }
        _ => None,
    }
}

/// An identifier in the form of a UUID that no other table has.
fn new_id(table_dir: &Path, time_ms: i64) -> String {
    let seed = format!("{}\n{time_ms}\n{}", table_dir.display(), std::process::id());
    let hex = blake3::hash(seed.as_bytes()).to_hex();
    // Version 8 and variant 1 of RFC 9562: made in a way of one's own.
    format!("{}-{}-8{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    #[test]
    fn the_schema_names_every_type_and_the_partition() {
        let schema = Schema {
            table: "t",
            columns: vec![
                Column::required("id", Type::Text),
                Column::nullable("price", Type::Decimal),
                Column::nullable("also_in", Type::TextList),
            ],
            sorted_by: vec![],
            version: 1,
        };
        let expected = json!({"type": "struct", "fields": [
            {"name": "id", "type": "string", "nullable": false, "metadata": {}},
            {"name": "price", "type": "decimal(18,8)", "nullable": true, "metadata": {}},
            {"name": "also_in", "nullable": true, "metadata": {},
             "type": {"type": "array", "elementType": "string", "containsNull": false}},
            {"name": "date", "type": "date", "nullable": true, "metadata": {}},
        ]});
        assert_eq!(serde_json::from_str::<Value>(&schema_string(&schema)).expect("JSON"), expected);
    }

    #[test]
    fn bounds_of_times_keep_their_microseconds() {
        let time = |micros| bound(Type::Timestamp, &Bound::Int(micros));
        assert_eq!(time(1_767_603_600_123_456), Some(json!("2026-01-05T09:00:00.123456Z")));
        assert_eq!(time(-1), Some(json!("1969-12-31T23:59:59.999999Z")));
        assert_eq!(time(i64::MAX), None);
        assert_eq!(bound(Type::Date, &Bound::Int(20_458)), Some(json!("2026-01-05")));
        assert_eq!(bound(Type::Decimal, &Bound::Int(1)), None);
    }

    #[test]
    fn a_table_of_another_program_is_left_alone() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::create_dir(log_dir(dir.path())).expect("a directory");
        fs::write(version_path(dir.path(), 0), "{\"commitInfo\":{\"engineInfo\":\"other/1\"}}\n").expect("a file");
        let error = remove_after(dir.path(), None).expect_err("not ours").to_string();
        assert!(error.contains("00000000000000000000.json: another program wrote this version"), "{error}");
        assert_eq!(read(dir.path()).expect("a log").next, 1);
        remove_after(dir.path(), Some(0)).expect("nothing is ahead");
    }

    #[test]
    fn a_damaged_log_names_its_file() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::create_dir(dir.path().join("_delta_log")).expect("a directory");
        fs::write(version_path(dir.path(), 0), "{\"add\":").expect("a file");
        let error = read(dir.path()).expect_err("no JSON").to_string();
        assert!(error.contains("_delta_log/00000000000000000000.json: not a version of a table"), "{error}");
    }
}
