//! The trail: tables as partitioned Parquet with a log in Delta's format, and one file that commits them all.
//!
//! `TRAIL/<table>/date=YYYY-MM-DD/….parquet` holds rows, `TRAIL/<table>/_delta_log/` the versions of one table, and
//! `TRAIL/_commits/N.json` the versions of all tables that belong together. Nothing counts before that file exists.

use super::commits;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The tables that a trail may have.
pub const TABLES: [&str; 5] = ["changes", "events", "findings", "lifecycles", "links"];

/// The directory of what belongs to commits and is no table.
pub const INDEXES: &str = "_indexes";

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
    /// In the order of their rows within each partition.
    pub files: Vec<LiveFile>,
}

impl TableState {
    /// Rows of all files.
    pub fn rows(&self) -> u64 {
        self.files.iter().map(|file| file.rows).sum()
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// Files of a commit that are no table: what later runs or queries need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexState {
    pub name: String,
    /// Paths are relative to the index's directory; in the order in which they came.
    pub files: Vec<LiveFile>,
}

/// A source that was taken in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenSource {
    pub name: String,
    pub digest: String,
    pub bytes: u64,
    pub messages: u64,
    /// Where reading goes on when the source has grown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
    /// Of the file, where it was one: its length as it lies on the disk and when it was last changed, in nanoseconds since
    /// 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileMark>,
}

/// By which a file is known again without being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    pub bytes: u64,
    pub changed_ns: i64,
}

/// Where reading of a source goes on when it has grown: behind the last message whose end was certain. What stood behind
/// that, the tail, is read anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// In the decompressed source.
    pub offset: u64,
    /// Bytes from there on in which no message begins.
    pub skip: u64,
    pub line: u64,
    /// FIXT sessions, as hashes of their parties, with their default versions.
    pub sessions: Vec<(u64, String)>,
    /// Messages that were found in the tail.
    pub tail_messages: u64,
}

/// What `_commits/N.json` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    pub version: u64,
    /// Program and version that wrote it.
    pub writer: String,
    /// What made it: `write`, or `compact` when its rows are those of the version before.
    #[serde(default = "write")]
    pub operation: String,
    /// Milliseconds since 1970-01-01T00:00:00Z; later than the commit before, whatever the clock says.
    pub time_ms: i64,
    /// Sorted by name.
    pub tables: Vec<TableState>,
    pub sources: Vec<TakenSource>,
    /// Sorted by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<IndexState>,
}

impl Commit {
    /// All data files with their paths relative to the trail.
    pub(super) fn files(&self) -> impl Iterator<Item = (PathBuf, &LiveFile)> {
        let of_tables = self.tables.iter().map(|table| (PathBuf::from(&table.name), &table.files));
        let of_indexes = self.indexes.iter().map(|index| (Path::new(INDEXES).join(&index.name), &index.files));
        of_tables.chain(of_indexes).flat_map(|(dir, files)| files.iter().map(move |file| (dir.join(&file.path), file)))
    }
}

fn write() -> String {
    "write".to_string()
}

/// A trail as one commit shows it.
#[derive(Clone, Debug)]
pub struct Trail {
    pub(super) path: PathBuf,
    pub(super) commit: Commit,
}

impl Trail {
    /// A trail is there: at least one commit.
    pub fn exists(path: &Path) -> bool {
        matches!(commits::latest(path), Ok(Some(_)))
    }

    /// The latest version.
    ///
    /// # Errors
    /// When `path` is no trail, or its latest commit cannot be read.
    pub fn open(path: &Path) -> Result<Trail> {
        let Some(commit) = commits::read_latest(path)? else {
            return Err(Error::Usage(format!("{}: not a trail: it has no commit", path.display())));
        };
        Ok(Trail { path: path.to_path_buf(), commit })
    }

    /// A version by its number.
    ///
    /// # Errors
    /// When it is not there, or not any more; the error says which are.
    pub fn open_version(path: &Path, version: u64) -> Result<Trail> {
        Ok(Trail { path: path.to_path_buf(), commit: commits::read_version(path, version)? })
    }

    /// The version that was the latest at a time, in milliseconds since 1970.
    ///
    /// # Errors
    /// When every version is later.
    pub fn open_as_known_at(path: &Path, time_ms: i64) -> Result<Trail> {
        Ok(Trail { path: path.to_path_buf(), commit: commits::read_at(path, time_ms)? })
    }

    /// What the commits of a trail say, oldest first; each is read when it is asked for.
    ///
    /// # Errors
    /// When the trail cannot be listed, or a commit cannot be read.
    pub fn history(path: &Path) -> Result<impl Iterator<Item = Result<Commit>>> {
        let versions = commits::versions(path)?;
        let path = path.to_path_buf();
        // One that is gone was dropped just now.
        Ok(versions.into_iter().filter_map(move |version| commits::read(&path, version).transpose()))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Full paths of the files of an index, in the order in which they came; none when there is no such index.
    pub fn index_files(&self, index: &str) -> Vec<PathBuf> {
        let dir = self.path.join(INDEXES).join(index);
        let state = self.commit.indexes.iter().find(|state| state.name == index);
        state.into_iter().flat_map(|state| state.files.iter().map(|file| dir.join(&file.path))).collect()
    }

    pub fn commit(&self) -> &Commit {
        &self.commit
    }

    /// Full paths of the files of a table, in the order of their rows; an error that lists the tables when there is no
    /// such table.
    pub fn files(&self, table: &str) -> Result<Vec<PathBuf>> {
        let Some(state) = self.commit.tables.iter().find(|state| state.name == table) else {
            let names: Vec<&str> = self.commit.tables.iter().map(|state| state.name.as_str()).collect();
            let text = format!("{}: no table `{table}`; it has {}", self.path.display(), names.join(", "));
            return Err(Error::Usage(text));
        };
        Ok(state.files.iter().map(|file| self.path.join(table).join(&file.path)).collect())
    }
}
