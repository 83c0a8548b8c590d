//! The trail: tables as partitioned Parquet with a log in Delta's format, and one file that commits them all.
//!
//! `TRAIL/<table>/date=YYYY-MM-DD/….parquet` holds rows, `TRAIL/<table>/_delta_log/` the versions of one table, and
//! `TRAIL/_commits/N.json` the versions of all tables that belong together. Nothing counts before that file exists.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs;
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
    /// Sorted by path.
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
    /// Sorted by name.
    pub tables: Vec<TableState>,
    pub sources: Vec<TakenSource>,
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
        matches!(latest(path), Ok(Some(_)))
    }

    /// The latest commit.
    ///
    /// # Errors
    /// When `path` is no trail, or its latest commit cannot be read.
    pub fn open(path: &Path) -> Result<Trail> {
        let Some(version) = latest(path)? else {
            return Err(Error::Usage(format!("{}: not a trail: it has no commit", path.display())));
        };
        let file = commit_path(path, version);
        let text = fs::read(&file).map_err(Error::io(&file, "cannot read"))?;
        let commit = serde_json::from_slice(&text)
            .map_err(|error| Error::Damaged { path: file, what: format!("not a commit: {error}") })?;
        Ok(Trail { path: path.to_path_buf(), commit })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn commit(&self) -> &Commit {
        &self.commit
    }

    /// Full paths of the files of a table, sorted; an error that lists the tables when there is no such table.
    pub fn files(&self, table: &str) -> Result<Vec<PathBuf>> {
        let Some(state) = self.commit.tables.iter().find(|state| state.name == table) else {
            let names: Vec<&str> = self.commit.tables.iter().map(|state| state.name.as_str()).collect();
            let text = format!("{}: no table `{table}`; it has {}", self.path.display(), names.join(", "));
            return Err(Error::Usage(text));
        };
        Ok(state.files.iter().map(|file| self.path.join(table).join(&file.path)).collect())
    }
}

pub(super) fn commits_dir(trail: &Path) -> PathBuf {
    trail.join("_commits")
}

pub(super) fn commit_path(trail: &Path, version: u64) -> PathBuf {
    commits_dir(trail).join(format!("{version}.json"))
}

/// The number of the latest commit; none when the directory is no trail or not there.
pub(super) fn latest(trail: &Path) -> Result<Option<u64>> {
    let dir = commits_dir(trail);
    let entries = match fs::read_dir(&dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io(&dir, "cannot read")(error)),
    };
    let mut last = None;
    for entry in entries {
        let name = entry.map_err(Error::io(&dir, "cannot read"))?.file_name();
        let version = name.to_str().and_then(|name| name.strip_suffix(".json")).and_then(|n| n.parse().ok());
        last = last.max(version);
    }
    Ok(last)
}
