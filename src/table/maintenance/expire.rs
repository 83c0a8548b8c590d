//! Drops old versions of a trail, then the files that no version needs.

use crate::Result;
use crate::table::cleanup::sync_parent;
use crate::table::lock::{FilesLock, WriteLock};
use crate::table::trail::{INDEXES, TABLES, Trail};
use crate::table::{commits, strays};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Which versions stay; the latest always does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Those that were the latest at some moment within this time up to now.
    Age(Duration),
    /// So many of the newest.
    Versions(u64),
}

/// What went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expired {
    pub versions: u64,
    pub files: u64,
    pub bytes: u64,
    /// Versions that are still there.
    pub kept: u64,
}

/// Drops the versions that `keep` does not ask for, oldest first, then the data files that no version lists, and what
/// killed runs left. Logs of the tables keep their old versions, as Delta's readers start at the first.
///
/// # Errors
/// When another run is writing, checking or copying for longer than `wait`, or something cannot be removed; a further
/// run goes on where this one stopped.
pub fn expire(trail: &Path, keep: Keep, wait: Duration) -> Result<Expired> {
    super::must_exist(trail)?;
    let _write = WriteLock::acquire(trail, wait)?;
    let _files = FilesLock::remove(trail, wait)?;
    strays::remove_ahead(trail, commits::read_latest(trail)?.as_ref())?;
    let mut history = Vec::new();
    for commit in Trail::history(trail)? {
        let commit = commit?;
        history.push(Moment { version: commit.version, time_ms: commit.time_ms });
    }
    let (old, kept) = history.split_at(first_kept(&history, keep, now_ms()));
    let needed = files_of(trail, kept)?;
    for Moment { version, .. } in old {
        let path = commits::path(trail, *version);
        strays::remove(&path)?;
        // The commit must be gone for good before its files go.
        sync_parent(&path)?;
    }
    let mut expired = Expired { versions: old.len() as u64, kept: kept.len() as u64, ..Expired::default() };
    for table in TABLES.map(|name| trail.join(name)) {
        if !table.is_dir() {
            continue;
        }
        for partition in strays::partitions(&table)? {
            for (path, name) in strays::files(&partition)? {
                if strays::commit_of(&name).is_some() {
                    expired.remove_unless(&needed, &path)?;
                }
            }
            strays::remove_if_empty(&partition);
        }
    }
    for index in strays::dirs(&trail.join(INDEXES))? {
        for (path, name) in strays::files(&index)? {
            if strays::commit_of_index(&name).is_some() {
                expired.remove_unless(&needed, &path)?;
            }
        }
        strays::remove_if_empty(&index);
    }
    Ok(expired)
}

impl Expired {
    fn remove_unless(&mut self, needed: &BTreeSet<PathBuf>, path: &Path) -> Result<()> {
        if needed.contains(path) {
            return Ok(());
        }
        let bytes = fs::symlink_metadata(path).map_or(0, |meta| meta.len());
        strays::remove(path)?;
        self.files += 1;
        self.bytes += bytes;
        Ok(())
    }
}

/// Paths of all files that these versions list.
fn files_of(trail: &Path, versions: &[Moment]) -> Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    for Moment { version, .. } in versions {
        let commit = commits::read_version(trail, *version)?;
        files.extend(commit.files().map(|(path, _)| trail.join(path)));
    }
    Ok(files)
}

/// When a version was made.
struct Moment {
    version: u64,
    time_ms: i64,
}

/// Place of the first version that stays.
fn first_kept(history: &[Moment], keep: Keep, now_ms: i64) -> usize {
    let last = history.len().saturating_sub(1);
    match keep {
        Keep::Versions(count) => history.len().saturating_sub(usize::try_from(count.max(1)).unwrap_or(usize::MAX)),
        Keep::Age(age) => {
            let since = now_ms.saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX));
            // A version was the latest until the next one came.
            history.iter().skip(1).take_while(|next| next.time_ms <= since).count().min(last)
        }
    }
}

fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_stays_while_it_was_the_latest_within_the_age() {
        // Commits at 1, 2, 3 and 4 seconds, asked at 5.
        let history = [1, 2, 3, 4].map(|version| Moment { version, time_ms: 1000 * version as i64 });
        let first = |age_ms| first_kept(&history, Keep::Age(Duration::from_millis(age_ms)), 5000);
        assert_eq!([0, 999, 1000, 1001, 2000, 2001, 9000].map(first), [3, 3, 3, 2, 2, 1, 0]);
        let first = |count| first_kept(&history, Keep::Versions(count), 5000);
        assert_eq!([0, 1, 2, 4, 5, u64::MAX].map(first), [3, 3, 2, 0, 0, 0]);
        assert_eq!(first_kept(&[], Keep::Versions(1), 0), 0);
    }
}
