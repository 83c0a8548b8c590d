//! The trail: tables as partitioned Parquet with a log in Delta's format, and one file that commits them all.
//!
//! `TRAIL/<table>/date=YYYY-MM-DD/….parquet` holds rows, `TRAIL/<table>/_delta_log/` the versions of one table, and
//! `TRAIL/_commits/N.json` the versions of all tables that belong together. Nothing counts before that file exists.

use super::{FileSummary, Schema};
use crate::Result;
use crate::types::Date;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One file that belongs to a version of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveFile {
    /// Path relative to the table's directory, such as `date=2026-01-05/part-00000-v0.parquet`.
    pub path: String,
    pub rows: u64,
    pub bytes: u64,
    /// BLAKE3 in hex.
    pub digest: String,
}

/// A table within a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableState {
    pub name: String,
    /// Version in the table's `_delta_log`.
    pub version: u64,
    pub files: Vec<LiveFile>,
}

/// A source that was taken in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenSource {
    pub name: String,
    pub digest: String,
    pub bytes: u64,
    pub messages: u64,
}

/// What `_commits/N.json` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    pub version: u64,
    /// Program and version that wrote it.
    pub writer: String,
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub time_ms: i64,
    pub tables: Vec<TableState>,
    pub sources: Vec<TakenSource>,
}

/// A trail as one commit shows it.
#[derive(Clone, Debug)]
pub struct Trail {
    path: PathBuf,
    commit: Commit,
}

impl Trail {
    /// A trail is there: at least one commit.
    pub fn exists(path: &Path) -> bool {
        let _ = path;
        todo!()
    }

    /// The latest commit.
    pub fn open(path: &Path) -> Result<Trail> {
        let _ = path;
        todo!()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn commit(&self) -> &Commit {
        &self.commit
    }

    /// Full paths of the files of a table, sorted; an error that lists the tables when there is no such table.
    pub fn files(&self, table: &str) -> Result<Vec<PathBuf>> {
        let _ = table;
        todo!()
    }
}

/// Files and sources on their way to a commit.
pub struct TrailWriter {}

impl TrailWriter {
    /// Starts a new trail, or the next commit of one, whose files are all replaced.
    pub fn create(path: &Path) -> Result<TrailWriter> {
        let _ = path;
        todo!()
    }

    /// The number the commit will have; part of its files' names.
    pub fn version(&self) -> u64 {
        todo!()
    }

    /// The directory for a table's rows of one day, made if it is not there.
    pub fn partition_dir(&self, table: &str, date: Option<Date>) -> Result<PathBuf> {
        let _ = (table, date);
        todo!()
    }

    /// The name of the `n`-th file of a partition in this commit.
    pub fn file_name(&self, n: usize) -> String {
        let _ = n;
        todo!()
    }

    /// Declares a table; it is in the commit even without a file.
    pub fn add_table(&mut self, schema: &Schema) {
        let _ = schema;
        todo!()
    }

    /// Takes a finished file into the commit.
    pub fn add_file(&mut self, table: &str, date: Option<Date>, file: FileSummary) {
        let _ = (table, date, file);
        todo!()
    }

    /// Takes a source into the commit.
    pub fn add_source(&mut self, source: TakenSource) {
        let _ = source;
        todo!()
    }

    /// Writes each table's version and then the commit; the commit is what makes the files count.
    pub fn commit(self) -> Result<Trail> {
        todo!()
    }
}
