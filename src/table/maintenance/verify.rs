//! Reads every file of a trail's versions again and compares it with what the commits say.

use super::{Versions, other_digest, read_all};
use crate::table::lock::FilesLock;
use crate::table::trail::{Commit, LiveFile, TableState};
use crate::table::{commits, delta};
use crate::{Error, Result};
use parquet::file::metadata::ParquetMetaDataReader;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{ErrorKind, Seek};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Damage {
    pub path: PathBuf,
    /// A stable code: `trail-missing`, `trail-size`, `trail-digest`, `trail-footer`, `trail-rows`, `trail-unreadable`,
    /// `trail-log` or `trail-commit`.
    pub code: &'static str,
    /// What was found and what was expected. Lower case, no full stop.
    pub text: String,
}

/// What was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    pub versions: u64,
    pub files: u64,
    /// Of the files, as the commits say.
    pub bytes: u64,
    /// Sorted by path.
    pub damage: Vec<Damage>,
}

/// Checks the data files of some versions: size, digest, footer and rows; and that each table's log lists the same
/// files. Each file is read once. Runs that write may go on meanwhile; runs that remove versions wait or are refused.
///
/// # Errors
/// When the directories cannot be read, or old versions are being removed for longer than `wait`.
pub fn verify(trail: &Path, which: Versions, wait: Duration) -> Result<Checked> {
    super::must_exist(trail)?;
    let _keep = FilesLock::keep(trail, wait)?;
    let mut found = Found::default();
    let versions = which.of(trail)?;
    for version in &versions {
        match commits::read(trail, *version) {
            Ok(commit) => commit.into_iter().for_each(|commit| found.take(trail, commit)),
            Err(Error::Damaged { path, what }) => found.damage.push(Damage { path, code: "trail-commit", text: what }),
            Err(Error::Io { path, source, .. }) => found.damage.push(unreadable(path, &source)),
            Err(error) => return Err(error),
        }
    }
    let Found { files, logs, mut damage } = found;
    damage.extend(logs.into_iter().flat_map(|(table, versions)| log(&trail.join(table), versions)));
    let bytes = files.values().map(|file| file.bytes).sum();
    let files: Vec<(PathBuf, LiveFile)> = files.into_iter().collect();
    damage.par_extend(files.par_iter().filter_map(|(path, file)| data_file(path, file)));
    damage.sort();
    Ok(Checked { versions: versions.len() as u64, files: files.len() as u64, bytes, damage })
}

/// What the commits expect.
#[derive(Default)]
struct Found {
    files: BTreeMap<PathBuf, LiveFile>,
    /// By table: the digest of the paths that a version of its log must list.
    logs: BTreeMap<String, BTreeMap<u64, blake3::Hash>>,
    damage: Vec<Damage>,
}

impl Found {
    fn take(&mut self, trail: &Path, commit: Commit) {
        for (path, file) in commit.files() {
            let path = trail.join(path);
            match self.files.get(&path) {
                Some(other) if other != file => {
                    let text = "two versions say different things about this file".to_string();
                    self.damage.push(Damage { path, code: "trail-commit", text });
                }
                _ => {
                    self.files.insert(path, file.clone());
                }
            }
        }
        for TableState { name, version, files } in commit.tables {
            let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
            self.logs.entry(name).or_default().insert(version, digest_of(paths));
        }
    }
}

/// Of sorted paths.
fn digest_of<'a>(paths: impl IntoIterator<Item = &'a str>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for path in paths {
        hasher.update(path.as_bytes()).update(b"\n");
    }
    hasher.finalize()
}

fn unreadable(path: PathBuf, error: &std::io::Error) -> Damage {
    Damage { path, code: "trail-unreadable", text: format!("cannot be read: {error}") }
}

/// A table's log must list, in each version that a commit names, the files that the commit lists.
fn log(table: &Path, mut versions: BTreeMap<u64, blake3::Hash>) -> Vec<Damage> {
    let mut damage = Vec::new();
    let file = |version: u64| delta::log_dir(table).join(delta::version_name(version));
    let replayed = delta::replay(table, |version, live| {
        let Some(expected) = versions.remove(&version) else { return };
        if digest_of(live.iter().map(String::as_str)) != expected {
            let text = "the log lists other files than the commit".to_string();
            damage.push(Damage { path: file(version), code: "trail-log", text });
        }
    });
    match replayed {
        Ok(_) if versions.is_empty() => {}
        Ok(state) => {
            let text = "is not there, and versions behind it cannot be read".to_string();
            damage.push(Damage { path: file(state.next), code: "trail-log", text });
        }
        Err(Error::Damaged { path, what }) => damage.push(Damage { path, code: "trail-log", text: what }),
        Err(Error::Io { path, source, .. }) => damage.push(unreadable(path, &source)),
        Err(error) => damage.push(Damage { path: table.to_path_buf(), code: "trail-log", text: error.to_string() }),
    }
    damage
}

/// The first thing that is wrong with a data file.
fn data_file(path: &Path, expected: &LiveFile) -> Option<Damage> {
    let damage = |code, text| Some(Damage { path: path.to_path_buf(), code, text });
    let checked = (|| {
        let mut file = File::open(path).map_err(Error::io(path, "cannot open"))?;
        let bytes = file.metadata().map_err(Error::io(path, "cannot read"))?.len();
        if bytes != expected.bytes {
            return Ok(damage("trail-size", format!("is {bytes} bytes long, expected {}", expected.bytes)));
        }
        let digest = read_all(&mut file, path, |_| Ok(()))?;
        if digest != expected.digest {
            return Ok(damage("trail-digest", other_digest(&digest, &expected.digest)));
        }
        // What is no table is read by whoever needs it.
        if path.extension().is_none_or(|extension| extension != "parquet") {
            return Ok(None);
        }
        file.rewind().map_err(Error::io(path, "cannot read"))?;
        let metadata = match ParquetMetaDataReader::new().parse_and_finish(&file) {
            Ok(metadata) => metadata,
            Err(error) => return Ok(damage("trail-footer", format!("has no Parquet footer: {error}"))),
        };
        let rows = metadata.file_metadata().num_rows();
        let in_groups: i64 = metadata.row_groups().iter().map(|group| group.num_rows()).sum();
        if rows != in_groups || u64::try_from(rows) != Ok(expected.rows) {
            return Ok(damage("trail-rows", format!("has {in_groups} rows, expected {}", expected.rows)));
        }
        Ok(None)
    })();
    match checked {
        Ok(found) => found,
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
            damage("trail-missing", "is not there".to_string())
        }
        Err(Error::Io { path, source, .. }) => Some(unreadable(path, &source)),
        Err(error) => damage("trail-unreadable", error.to_string()),
    }
}
