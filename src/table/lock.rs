//! Who may change a trail: one writer at a time, and nobody takes files away while they are copied or checked.
//!
//! Locks are the system's on two empty files in `_commits`; whatever ends a process, its locks end with it.

use super::cleanup::create_dir;
use super::commits;
use crate::{Error, Result};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a lock that another run holds is asked for.
const PAUSE: Duration = Duration::from_millis(50);

/// Held by the one run that adds versions to a trail or takes some away.
#[derive(Debug)]
pub(super) struct WriteLock {
    _file: File,
}

impl WriteLock {
    /// Waits at most `wait` for another run to end. Makes the directory of commits if it is not there.
    ///
    /// # Errors
    /// When another run still writes then, or the lock cannot be had.
    pub fn acquire(trail: &Path, wait: Duration) -> Result<WriteLock> {
        let path = write_lock_path(trail);
        let busy = || {
            let hint = "another run is writing to this trail; --wait SECONDS waits for it to end";
            Error::Usage(format!("{}: {hint}", trail.display()))
        };
        Waiting::new(wait).lock(&path, File::try_lock, busy).map(|_file| WriteLock { _file })
    }
}

/// Held by runs that need the files of old versions to stay, and in the other way by the one that removes them.
#[derive(Debug)]
pub(super) struct FilesLock {
    _file: Option<File>,
}

impl FilesLock {
    /// No file of any version goes while this is held. Where nothing can be written, nothing goes and no lock is needed.
    pub fn keep(trail: &Path, wait: Duration) -> Result<FilesLock> {
        let busy = || Error::Usage(format!("{}: another run is removing old versions", trail.display()));
        match Waiting::new(wait).lock(&files_lock_path(trail), File::try_lock_shared, busy) {
            Ok(file) => Ok(FilesLock { _file: Some(file) }),
            Err(Error::Io { source, .. })
                if matches!(source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) =>
            {
                Ok(FilesLock { _file: None })
            }
            Err(error) => Err(error),
        }
    }

    /// Nobody needs files of old versions while this is held.
    pub fn remove(trail: &Path, wait: Duration) -> Result<FilesLock> {
        let busy = || {
            let hint = "is being checked or copied; --wait SECONDS waits for that to end";
            Error::Usage(format!("{}: {hint}", trail.display()))
        };
        let file = Waiting::new(wait).lock(&files_lock_path(trail), File::try_lock, busy)?;
        Ok(FilesLock { _file: Some(file) })
    }
}

fn write_lock_path(trail: &Path) -> PathBuf {
    commits::dir(trail).join(".lock")
}

fn files_lock_path(trail: &Path) -> PathBuf {
    commits::dir(trail).join(".files-lock")
}

/// Removes the lock files of a trail that did not come to be; the caller holds the write lock.
pub(super) fn remove_files(trail: &Path) {
    for path in [files_lock_path(trail), write_lock_path(trail)] {
        // It may not be there, and a file that stays does no harm.
        let _ = fs::remove_file(path);
    }
}

struct Waiting {
    until: Option<Instant>,
}

impl Waiting {
    fn new(wait: Duration) -> Waiting {
        Waiting { until: Instant::now().checked_add(wait) }
    }

    fn lock(
        &self,
        path: &Path,
        lock: fn(&File) -> std::result::Result<(), TryLockError>,
        busy: impl Fn() -> Error,
    ) -> Result<File> {
        loop {
            if let Some(dir) = path.parent() {
                create_dir(dir)?;
            }
            let file = match OpenOptions::new().create(true).truncate(false).write(true).open(path) {
                Ok(file) => file,
                // A run that failed has just removed the directory.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(Error::io(path, "cannot create")(error)),
            };
            match lock(&file) {
                // A run that failed may have removed the file before it was locked here.
                Ok(()) if is_at(&file, path) => return Ok(file),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    if self.until.is_some_and(|until| Instant::now() >= until) {
                        return Err(busy());
                    }
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::Error(error)) => return Err(Error::io(path, "cannot lock")(error)),
            }
        }
    }
}

/// `path` still leads to the opened file.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(opened), Ok(named)) => (opened.dev(), opened.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    #[test]
    fn one_writer_at_a_time_and_the_next_may_wait() {
        let dir = tempfile::tempdir().expect("a directory");
        let first = WriteLock::acquire(dir.path(), NOW).expect("a lock");
        let error = WriteLock::acquire(dir.path(), NOW).expect_err("a second lock").to_string();
        assert!(error.ends_with("another run is writing to this trail; --wait SECONDS waits for it to end"), "{error}");
        let waiting = std::thread::spawn({
            let path = dir.path().to_path_buf();
            move || WriteLock::acquire(&path, Duration::from_secs(60)).map(|_| ())
        });
        std::thread::sleep(2 * PAUSE);
        assert!(!waiting.is_finished(), "the second waits");
        drop(first);
        waiting.join().expect("no panic").expect("the lock at last");
    }

    #[test]
    fn a_lock_file_that_was_removed_is_no_lock() {
        let dir = tempfile::tempdir().expect("a directory");
        let first = WriteLock::acquire(dir.path(), NOW).expect("a lock");
        remove_files(dir.path());
        let second = WriteLock::acquire(dir.path(), NOW).expect("a lock on the new file");
        drop(first);
        assert!(WriteLock::acquire(dir.path(), NOW).is_err());
        drop(second);
    }

    #[test]
    fn files_are_kept_by_many_and_removed_by_one() {
        let dir = tempfile::tempdir().expect("a directory");
        let keep = [FilesLock::keep(dir.path(), NOW), FilesLock::keep(dir.path(), NOW)];
        assert!(keep.iter().all(Result::is_ok));
        let error = FilesLock::remove(dir.path(), NOW).expect_err("a lock").to_string();
        assert!(error.ends_with("is being checked or copied; --wait SECONDS waits for that to end"), "{error}");
        drop(keep);
        let _remove = FilesLock::remove(dir.path(), NOW).expect("a lock");
        let error = FilesLock::keep(dir.path(), NOW).expect_err("a lock").to_string();
        assert!(error.ends_with("another run is removing old versions"), "{error}");
    }
}
