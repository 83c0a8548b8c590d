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
    let mut checked = Checked::default();
    let mut found = Vec::new();
    for version in which.of(trail)? {
        match commits::read(trail, version) {
            Ok(commit) => found.extend(commit),
            Err(Error::Damaged { path, what }) => {
                checked.damage.push(Damage { path, code: "trail-commit", text: what })
            }
            Err(Error::Io { path, source, .. }) => checked.damage.push(unreadable(path, &source)),
            Err(error) => return Err(error),
        }
    }
    checked.versions = (found.len() + checked.damage.len()) as u64;
    let mut files: BTreeMap<PathBuf, &LiveFile> = BTreeMap::new();
    for (table, file) in found.iter().flat_map(|commit| &commit.tables).flat_map(files_of) {
        let path = trail.join(table).join(&file.path);
        if files.insert(path.clone(), file).is_some_and(|other| other != file) {
            let text = "two versions say different things about this file".to_string();
            checked.damage.push(Damage { path, code: "trail-commit", text });
        }
    }
    checked.files = files.len() as u64;
    checked.bytes = files.values().map(|file| file.bytes).sum();
    checked.damage.extend(logs(trail, &found));
    let files: Vec<(PathBuf, &LiveFile)> = files.into_iter().collect();
    checked.damage.par_extend(files.par_iter().filter_map(|(path, file)| data_file(path, file)));
    checked.damage.sort();
    Ok(checked)
}

fn files_of(state: &TableState) -> impl Iterator<Item = (&str, &LiveFile)> {
    state.files.iter().map(|file| (state.name.as_str(), file))
}

fn unreadable(path: PathBuf, error: &std::io::Error) -> Damage {
    Damage { path, code: "trail-unreadable", text: format!("cannot be read: {error}") }
}

/// Each table's log must list, in the version that a commit names, the files that the commit lists.
fn logs(trail: &Path, commits: &[Commit]) -> Vec<Damage> {
    let mut expected: BTreeMap<&str, BTreeMap<u64, &TableState>> = BTreeMap::new();
    for state in commits.iter().flat_map(|commit| &commit.tables) {
        expected.entry(&state.name).or_default().insert(state.version, state);
    }
    let mut damage = Vec::new();
    for (table, mut versions) in expected {
        let dir = trail.join(table);
        let file = |version: u64| delta::log_dir(&dir).join(delta::version_name(version));
        let replayed = delta::replay(&dir, |version, live| {
            let Some(state) = versions.remove(&version) else { return };
            let listed: BTreeSet<&str> = state.files.iter().map(|file| file.path.as_str()).collect();
            if !live.iter().map(String::as_str).eq(listed) {
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
            Err(error) => damage.push(Damage { path: dir, code: "trail-log", text: error.to_string() }),
        }
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
