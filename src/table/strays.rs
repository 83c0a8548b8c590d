//! What runs that did not end left in a trail: temporary files, and data files and table versions that no commit lists.

use super::commits;
use super::trail::{Commit, INDEXES, TABLES};
use super::{delta, lock};
use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Removes temporary files, data files and table versions that are ahead of the latest commit, and directories that are
/// empty then. The caller holds the write lock.
pub(super) fn remove_ahead(trail: &Path, latest: Option<&Commit>) -> Result<()> {
    let next = latest.map_or(0, |commit| commit.version + 1);
    for table in TABLES.map(|name| trail.join(name)) {
        if !table.is_dir() {
            continue;
        }
        let name = table.file_name().unwrap_or_default().to_string_lossy();
        delta::remove_after(&table, latest.map_or(Ok(None), |latest| last_version(trail, latest, &name))?)?;
        for partition in partitions(&table)? {
            for (path, name) in files(&partition)? {
                if is_temporary(&name) || commit_of(&name).is_some_and(|version| version >= next) {
                    remove(&path)?;
                }
            }
            remove_if_empty(&partition);
        }
        remove_if_empty(&table);
    }
    for index in dirs(&trail.join(INDEXES))? {
        for (path, name) in files(&index)? {
            if is_temporary(&name) || commit_of_index(&name).is_some_and(|version| version >= next) {
                remove(&path)?;
            }
        }
        remove_if_empty(&index);
    }
    remove_if_empty(&trail.join(INDEXES));
    for (path, name) in files(&commits::dir(trail))? {
        if is_temporary(&name) {
            remove(&path)?;
        }
    }
    // Here a file may be of a run that is not about the trail, such as a query's.
    for (path, name) in files(trail)? {
        if is_temporary(&name) && is_of_dead_run(&name) {
            remove(&path)?;
        }
    }
    Ok(())
}

/// The version of a table in the newest commit that has the table: a later one may have left it out.
fn last_version(trail: &Path, latest: &Commit, table: &str) -> Result<Option<u64>> {
    let of = |commit: &Commit| commit.tables.iter().find(|state| state.name == table).map(|state| state.version);
    if let Some(version) = of(latest) {
        return Ok(Some(version));
    }
    for version in commits::versions(trail)?.into_iter().rev() {
        if let Some(version) = commits::read(trail, version)?.as_ref().and_then(of) {
            return Ok(Some(version));
        }
    }
    Ok(None)
}

/// Undoes what a run did that did not come to its commit; `made` are directories that it made, outer ones first. After
/// its commit nothing is undone.
pub(super) fn undo(trail: &Path, made: &[PathBuf]) {
    // What cannot be removed now is removed by the next run.
    let Ok(latest) = commits::read_latest(trail) else { return };
    let _ = remove_ahead(trail, latest.as_ref());
    if latest.is_none() {
        lock::remove_files(trail);
        remove_if_empty(&commits::dir(trail));
        made.iter().rev().for_each(|dir| remove_if_empty(dir));
    }
}

/// Directories of a table's partitions, sorted.
pub(super) fn partitions(table: &Path) -> Result<Vec<PathBuf>> {
    let is_partition = |dir: &PathBuf| dir.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(b"date="));
    Ok(dirs(table)?.into_iter().filter(is_partition).collect())
}

/// Directories in a directory, sorted; none when it is not there.
pub(super) fn dirs(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io(dir, "cannot read")(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::io(dir, "cannot read"))?;
        if entry.file_type().map_err(Error::io(entry.path(), "cannot read"))?.is_dir() {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Files in a directory with their names; none when it is not there.
pub(super) fn files(dir: &Path) -> Result<Vec<(PathBuf, String)>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io(dir, "cannot read")(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::io(dir, "cannot read"))?;
        if !entry.file_type().map_err(Error::io(entry.path(), "cannot read"))?.is_dir() {
            found.push((entry.path(), entry.file_name().to_string_lossy().into_owned()));
        }
    }
    Ok(found)
}

/// The number of the commit that a data file was written for.
pub(super) fn commit_of(name: &str) -> Option<u64> {
    name.strip_prefix("part-")?.strip_suffix(".parquet")?.rsplit_once("-v")?.1.parse().ok()
}

/// The number of the commit that a file of an index was written for.
pub(super) fn commit_of_index(name: &str) -> Option<u64> {
    name.rsplit_once('.')?.0.rsplit_once("-v")?.1.parse().ok()
}

/// Removes a file; that it is gone already is no error.
pub(super) fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(path, "cannot remove")(error)),
        _ => Ok(()),
    }
}

pub(super) fn remove_if_empty(dir: &Path) {
    // The system refuses when it is not empty.
    let _ = fs::remove_dir(dir);
}

pub(super) fn is_temporary(name: &str) -> bool {
    name.starts_with(".tmp-")
}

/// The process in a temporary file's name has ended; where the system does not tell, it has not.
fn is_of_dead_run(name: &str) -> bool {
    let process = name.strip_prefix(".tmp-").and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
    let processes = Path::new("/proc");
    processes.join("self").exists() && process.is_some_and(|id| !processes.join(id.to_string()).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_files_name_their_commit() {
        assert_eq!(commit_of("part-00012-v7.parquet"), Some(7));
        for name in ["part-00012.parquet", "part-0-v.parquet", "part-0-v1.csv", "other-v1.parquet"] {
            assert_eq!(commit_of(name), None, "{name}");
        }
    }

    #[test]
    fn temporary_files_of_running_processes_are_theirs() {
        assert!(!is_of_dead_run(&format!(".tmp-{}-0", std::process::id())));
        assert!(!is_of_dead_run(".tmp-x"));
        #[cfg(target_os = "linux")]
        assert!(is_of_dead_run(".tmp-4294967295-0"));
    }
}
