//! The files `_commits/N.json` of a trail: which there are, and what they say.

use super::trail::Commit;
use crate::types::Timestamp;
use crate::{Error, Result};
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// How often a commit that was dropped between listing and reading is looked for again.
const TRIES: usize = 8;

pub(super) fn dir(trail: &Path) -> PathBuf {
    trail.join("_commits")
}

pub(super) fn path(trail: &Path, version: u64) -> PathBuf {
    dir(trail).join(format!("{version}.json"))
}

/// The numbers of a trail's commits, ascending; none when the directory is no trail or not there.
pub(super) fn versions(trail: &Path) -> Result<Vec<u64>> {
    let dir = dir(trail);
    let entries = match fs::read_dir(&dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io(&dir, "cannot read")(error)),
    };
    let mut versions = Vec::new();
    for entry in entries {
        let name = entry.map_err(Error::io(&dir, "cannot read"))?.file_name();
        versions.extend(name.to_str().and_then(|name| name.strip_suffix(".json")?.parse::<u64>().ok()));
    }
    versions.sort_unstable();
    Ok(versions)
}

/// The number of the latest commit.
pub(super) fn latest(trail: &Path) -> Result<Option<u64>> {
    Ok(versions(trail)?.pop())
}

/// What a commit says; none when it is not there.
pub(super) fn read(trail: &Path, version: u64) -> Result<Option<Commit>> {
    let path = path(trail, version);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io(&path, "cannot read")(error)),
    };
    let damaged = |what| Error::Damaged { path: path.clone(), what };
    let commit: Commit = serde_json::from_slice(&text).map_err(|error| damaged(format!("not a commit: {error}")))?;
    if commit.version != version {
        return Err(damaged(format!("says that it is version {}", commit.version)));
    }
    let tables = commit.tables.iter().map(|state| (&state.name, &state.files));
    let all = tables.chain(commit.indexes.iter().map(|state| (&state.name, &state.files)));
    let paths = all.flat_map(|(name, files)| files.iter().map(|file| &file.path).chain([name]));
    if let Some(outside) = paths.into_iter().find(|path| !is_below(path)) {
        return Err(damaged(format!("names {}, which is not within the trail", outside.escape_debug())));
    }
    Ok(Some(commit))
}

/// A relative path that leads nowhere but down.
fn is_below(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The latest commit, if there is any.
pub(super) fn read_latest(trail: &Path) -> Result<Option<Commit>> {
    for _ in 0..TRIES {
        let Some(version) = latest(trail)? else { return Ok(None) };
        if let Some(commit) = read(trail, version)? {
            return Ok(Some(commit));
        }
    }
    Err(Error::Damaged { path: dir(trail), what: "commits vanish faster than they can be read".to_string() })
}

/// A commit by its number.
pub(super) fn read_version(trail: &Path, version: u64) -> Result<Commit> {
    if let Some(commit) = read(trail, version)? {
        return Ok(commit);
    }
    let text = match versions(trail)?[..] {
        [] => "not a trail: it has no commit".to_string(),
        [only] => format!("has no version {version}, only version {only}"),
        [first, .., last] => format!("has no version {version}, only versions {first} to {last}"),
    };
    Err(Error::Usage(format!("{}: {text}", trail.display())))
}

/// The newest commit whose time is not later than `time_ms`. Times rise with versions.
pub(super) fn read_at(trail: &Path, time_ms: i64) -> Result<Commit> {
    for _ in 0..TRIES {
        let versions = versions(trail)?;
        if let Some(found) = newest_until(trail, &versions, time_ms)? {
            return found;
        }
    }
    Err(Error::Damaged { path: dir(trail), what: "commits vanish faster than they can be read".to_string() })
}

/// None when one of the versions is gone.
fn newest_until(trail: &Path, versions: &[u64], time_ms: i64) -> Result<Option<Result<Commit>>> {
    let (mut low, mut high) = (0, versions.len());
    let (mut found, mut first_later) = (None, None);
    while low < high {
        let middle = low + (high - low) / 2;
        let Some(commit) = read(trail, versions[middle])? else { return Ok(None) };
        if commit.time_ms <= time_ms {
            low = middle + 1;
            found = Some(commit);
        } else {
            high = middle;
            first_later = Some(commit);
        }
    }
    Ok(Some(found.ok_or_else(|| {
        let trail = trail.display();
        Error::Usage(match first_later {
            Some(first) => format!(
                "{trail}: nothing was known at {}; the first version is of {}",
                instant(time_ms),
                instant(first.time_ms)
            ),
            None => format!("{trail}: not a trail: it has no commit"),
        })
    })))
}

/// Milliseconds since 1970 as a person reads them.
fn instant(time_ms: i64) -> String {
    time_ms.checked_mul(1_000_000).map_or_else(|| format!("{time_ms} ms"), |nanos| Timestamp(nanos).to_string())
}
