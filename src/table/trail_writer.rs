//! Makes a trail, or replaces what one holds: data files, then each table's version, then the commit.

use super::cleanup::{TempFile, create_dir};
use super::delta::{self, Added};
use super::trail::{Commit, LiveFile, TableState, TakenSource, Trail, commit_path, commits_dir, latest};
use super::{FileSummary, Schema};
use crate::types::Date;
use crate::{Error, Result};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Files and sources on their way to a commit. While it lives no other run can write to the trail.
#[derive(Debug)]
pub struct TrailWriter {
    path: PathBuf,
    version: u64,
    /// Full paths of the files of the commit before.
    before: Vec<PathBuf>,
    tables: Vec<Table>,
    sources: Vec<TakenSource>,
    /// Locked as long as it is open; the system unlocks it whatever ends the process.
    _lock: File,
}

#[derive(Debug)]
struct Table {
    schema: Schema,
    files: Vec<(Option<Date>, FileSummary)>,
}

impl TrailWriter {
    /// Starts a new trail, or the next commit of one, which replaces all that it holds. What an unfinished run left
    /// behind is removed.
    ///
    /// # Errors
    /// When another run is writing to the trail.
    pub fn create(path: &Path) -> Result<TrailWriter> {
        let dir = commits_dir(path);
        create_dir(&dir)?;
        let lock_path = dir.join(".lock");
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .map_err(Error::io(&lock_path, "cannot create"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Usage(format!("{}: another run is writing to this trail", path.display())));
            }
            Err(TryLockError::Error(error)) => return Err(Error::io(&lock_path, "cannot lock")(error)),
        }
        let mut before = Vec::new();
        let mut version = 0;
        if latest(path)?.is_some() {
            let trail = Trail::open(path)?;
            version = trail.commit.version + 1;
            for table in &trail.commit.tables {
                before.extend(trail.files(&table.name)?);
            }
        }
        remove_leftovers(path, version)?;
        Ok(TrailWriter {
            path: path.to_path_buf(),
            version,
            before,
            tables: Vec::new(),
            sources: Vec::new(),
            _lock: lock,
        })
    }

    /// The number the commit will have; part of its files' names.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The directory for a table's rows of one day, made if it is not there.
    pub fn partition_dir(&self, table: &str, date: Option<Date>) -> Result<PathBuf> {
        let dir = self.path.join(table).join(delta::partition(date));
        create_dir(&dir)?;
        Ok(dir)
    }

    /// The name of the `n`-th file of a partition in this commit.
    pub fn file_name(&self, n: usize) -> String {
        format!("part-{n:05}-v{}.parquet", self.version)
    }

    /// Declares a table; it is in the commit even without a file.
    pub fn add_table(&mut self, schema: &Schema) {
        if !self.tables.iter().any(|table| table.schema.table == schema.table) {
            self.tables.push(Table { schema: schema.clone(), files: Vec::new() });
        }
    }

    /// Takes a finished file into the commit.
    ///
    /// # Panics
    /// When the table was not declared: a fault of the caller.
    pub fn add_file(&mut self, table: &str, date: Option<Date>, file: FileSummary) {
        let table = self.tables.iter_mut().find(|t| t.schema.table == table).expect("the table was declared");
        table.files.push((date, file));
    }

    /// Takes a source into the commit.
    pub fn add_source(&mut self, source: TakenSource) {
        self.sources.push(source);
    }

    /// Writes each table's version and then the commit; the commit is what makes the files count. Files of the commit
    /// before are removed, so that a glob over the directories finds no row twice.
    pub fn commit(mut self) -> Result<Trail> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let time_ms = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        self.tables.sort_by_key(|table| table.schema.table);
        let mut tables = Vec::new();
        for table in &self.tables {
            let dir = self.path.join(table.schema.table);
            create_dir(&dir)?;
            let state = delta::read(&dir)?;
            let mut added: Vec<Added> = Vec::new();
            for (date, file) in &table.files {
                added.push(Added { path: path_in_table(*date, file), date: *date, file });
            }
            added.sort_by(|a, b| a.path.cmp(&b.path));
            if !delta::replace(&dir, &state, &table.schema, &added, time_ms)? {
                return Err(self.overtaken());
            }
            let files = added.iter().map(|Added { path, file, .. }| LiveFile {
                path: path.clone(),
                rows: file.rows,
                bytes: file.bytes,
                digest: file.digest.clone(),
            });
            let name = table.schema.table.to_string();
            tables.push(TableState { name, version: state.next, files: files.collect() });
        }
        let commit = Commit {
            version: self.version,
            writer: concat!("fixtrail ", env!("CARGO_PKG_VERSION")).to_string(),
            time_ms,
            tables,
            sources: std::mem::take(&mut self.sources),
        };
        let temp = TempFile::create(&commits_dir(&self.path))?;
        let mut text = serde_json::to_vec_pretty(&commit).expect("a commit is numbers and texts");
        text.push(b'\n');
        temp.file().write_all(&text).map_err(Error::io(temp.path(), "cannot write"))?;
        if !temp.publish_new(&commit_path(&self.path, self.version))? {
            return Err(self.overtaken());
        }
        for path in &self.before {
            // It is not part of the trail any more; a failure leaves a file that nothing refers to.
            let _ = fs::remove_file(path);
        }
        Ok(Trail { path: self.path, commit })
    }

    fn overtaken(&self) -> Error {
        Error::Usage(format!("{}: another run has written to this trail meanwhile; run again", self.path.display()))
    }
}

fn path_in_table(date: Option<Date>, file: &FileSummary) -> String {
    let name = file.path.file_name().unwrap_or_default().to_string_lossy();
    format!("{}/{name}", delta::partition(date))
}

/// Removes temporary files, and data files of commits from `version` on, which never came to be.
fn remove_leftovers(trail: &Path, version: u64) -> Result<()> {
    for table in directories(trail)? {
        for partition in directories(&table)? {
            for entry in fs::read_dir(&partition).map_err(Error::io(&partition, "cannot read"))? {
                let path = entry.map_err(Error::io(&partition, "cannot read"))?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let of_commit = name
                    .strip_prefix("part-")
                    .and_then(|name| name.strip_suffix(".parquet")?.rsplit_once("-v")?.1.parse::<u64>().ok());
                if name.starts_with(".tmp-") || of_commit.is_some_and(|of| of >= version) {
                    fs::remove_file(&path).map_err(Error::io(&path, "cannot remove"))?;
                }
            }
        }
    }
    Ok(())
}

fn directories(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(Error::io(dir, "cannot read"))? {
        let entry = entry.map_err(Error::io(dir, "cannot read"))?;
        if entry.file_type().map_err(Error::io(entry.path(), "cannot read"))?.is_dir() {
            found.push(entry.path());
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Builder, Column, Encoder, IntColumn, Piece, TableFile, Type};

    fn schema() -> Schema {
        Schema {
            table: "events",
            columns: vec![Column::required("n", Type::Long).with_stats()],
            sorted_by: vec![],
            version: 1,
        }
    }

    fn write(writer: &mut TrailWriter, date: Option<Date>, values: &[i64]) {
        let schema = schema();
        writer.add_table(&schema);
        let mut column = IntColumn::steps();
        values.iter().for_each(|value| column.push(Some(*value)));
        let chunk = column.encode(&schema.columns[0], values.len(), &mut Encoder::new());
        let dir = writer.partition_dir("events", date).expect("a directory");
        let mut file = TableFile::create(&dir, &writer.file_name(0), &schema).expect("a file");
        file.append_row_group(&[Piece::Fresh(&chunk)]).expect("a row group");
        writer.add_file("events", date, file.finish().expect("a finished file"));
    }

    #[test]
    fn a_commit_shows_its_files_and_sources() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("trail");
        assert!(!Trail::exists(&path));
        assert!(Trail::open(&path).expect_err("no trail").to_string().ends_with("not a trail: it has no commit"));
        let mut writer = TrailWriter::create(&path).expect("a writer");
        write(&mut writer, Date::from_ymd(2026, 1, 5), &[1, 2, 3]);
        write(&mut writer, None, &[7]);
        let source = TakenSource { name: "a.fix".to_string(), digest: "00".to_string(), bytes: 12, messages: 4 };
        writer.add_source(source.clone());
        assert!(!Trail::exists(&path), "nothing counts before the commit");
        writer.commit().expect("a commit");
        let trail = Trail::open(&path).expect("a trail");
        assert_eq!(trail.commit().version, 0);
        assert_eq!(trail.commit().sources, [source]);
        assert_eq!(
            trail.files("events").expect("a table"),
            [
                path.join("events/date=2026-01-05/part-00000-v0.parquet"),
                path.join("events/date=__HIVE_DEFAULT_PARTITION__/part-00000-v0.parquet")
            ]
        );
        assert_eq!(trail.commit().tables[0].files.iter().map(|f| f.rows).collect::<Vec<_>>(), [3, 1]);
        let error = trail.files("orders").expect_err("no such table").to_string();
        assert!(error.ends_with("no table `orders`; it has events"), "{error}");
    }

    #[test]
    fn the_log_says_what_readers_need() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut writer = TrailWriter::create(dir.path()).expect("a writer");
        write(&mut writer, Date::from_ymd(2026, 1, 5), &[1, 2, 3]);
        writer.commit().expect("a commit");
        let log = dir.path().join("events/_delta_log/00000000000000000000.json");
        let log = fs::read_to_string(log).expect("a log");
        let lines: Vec<serde_json::Value> = log.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
        assert_eq!(lines[1]["protocol"], serde_json::json!({"minReaderVersion": 1, "minWriterVersion": 2}));
        assert_eq!(lines[2]["metaData"]["partitionColumns"], serde_json::json!(["date"]));
        assert_eq!(lines[3]["add"]["path"], "date=2026-01-05/part-00000-v0.parquet");
        assert_eq!(lines[3]["add"]["partitionValues"]["date"], "2026-01-05");
        assert_eq!(
            lines[3]["add"]["stats"],
            r#"{"maxValues":{"n":3},"minValues":{"n":1},"nullCount":{"n":0},"numRecords":3}"#
        );
    }

    #[test]
    fn the_next_commit_replaces_files_and_keeps_the_tables_id() {
        let dir = tempfile::tempdir().expect("a directory");
        for version in 0..3 {
            let mut writer = TrailWriter::create(dir.path()).expect("a writer");
            assert_eq!(writer.version(), version);
            write(&mut writer, Date::from_ymd(2026, 1, 5), &[version as i64]);
            let trail = writer.commit().expect("a commit");
            let partition = dir.path().join("events/date=2026-01-05");
            let name = format!("part-00000-v{version}.parquet");
            assert_eq!(trail.files("events").expect("a table"), [partition.join(&name)]);
            let names: Vec<_> =
                fs::read_dir(&partition).expect("a directory").map(|e| e.expect("x").file_name()).collect();
            assert_eq!(names, [name.as_str()]);
        }
        let state = delta::read(&dir.path().join("events")).expect("a log");
        assert_eq!((state.next, state.live.len()), (3, 1));
    }

    #[test]
    fn what_an_unfinished_run_left_is_removed() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut writer = TrailWriter::create(dir.path()).expect("a writer");
        write(&mut writer, None, &[1]);
        writer.commit().expect("a commit");
        let mut writer = TrailWriter::create(dir.path()).expect("a writer");
        write(&mut writer, None, &[2]);
        drop(writer);
        let partition = dir.path().join("events/date=__HIVE_DEFAULT_PARTITION__");
        fs::write(partition.join(".tmp-1-1"), "").expect("a file");
        // It had written the table's version too, but not the commit.
        let table = dir.path().join("events");
        let state = delta::read(&table).expect("a log");
        assert!(delta::replace(&table, &state, &schema(), &[], 0).expect("a version"));
        assert_eq!(fs::read_dir(&partition).expect("a directory").count(), 3);
        let mut writer = TrailWriter::create(dir.path()).expect("a writer");
        assert_eq!(fs::read_dir(&partition).expect("a directory").count(), 1);
        assert_eq!(Trail::open(dir.path()).expect("a trail").commit().version, 0);
        write(&mut writer, None, &[3]);
        let trail = writer.commit().expect("a commit");
        assert_eq!(trail.files("events").expect("a table"), [partition.join("part-00000-v1.parquet")]);
        assert_eq!(fs::read_dir(&partition).expect("a directory").count(), 1);
        assert_eq!(trail.commit().tables[0].version, 2);
    }

    #[test]
    fn two_runs_cannot_write_at_once() {
        let dir = tempfile::tempdir().expect("a directory");
        let first = TrailWriter::create(dir.path()).expect("a writer");
        let error = TrailWriter::create(dir.path()).expect_err("a second writer").to_string();
        assert!(error.ends_with("another run is writing to this trail"), "{error}");
        drop(first);
        TrailWriter::create(dir.path()).expect("a writer");
    }
}
