//! Temporary files and directories that never outlive the run: removed on drop, on error and on a signal.
//!
//! All of them stand in one list under one lock. A file that gets its final name leaves the list under the same lock,
//! so that a signal finds it either temporary or finished. Work of several files, such as a version of a trail, stands in
//! the list with what undoes it.

use crate::{Error, Result};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

static TEMPORARIES: Mutex<Temporaries> = Mutex::new(Temporaries { closed: false, kinds: BTreeMap::new() });
static SERIAL: AtomicU64 = AtomicU64::new(0);

struct Temporaries {
    /// The process is about to end: nothing new, nothing final.
    closed: bool,
    kinds: BTreeMap<PathBuf, Kind>,
}

enum Kind {
    File,
    Dir,
    /// Undone by this; it must not ask for the list.
    Work(Box<dyn Fn() + Send>),
}

/// A panic elsewhere does not spoil the list: each change of it is one step.
fn temporaries() -> MutexGuard<'static, Temporaries> {
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Temporaries {
    fn still_open(&self) -> io::Result<()> {
        if self.closed { Err(io::Error::new(io::ErrorKind::Interrupted, "the run was interrupted")) } else { Ok(()) }
    }

    fn remove(&mut self, path: &Path) {
        // Nothing can be done about a failure, and the file may be gone with its directory.
        let _ = match self.kinds.remove(path) {
            Some(Kind::File) => fs::remove_file(path),
            Some(Kind::Dir) => fs::remove_dir_all(path),
            Some(Kind::Work(undo)) => {
                undo();
                Ok(())
            }
            None => Ok(()),
        };
    }

    /// What lies in a directory goes before the directory.
    fn close(&mut self) {
        self.closed = true;
        while let Some((path, _)) = self.kinds.last_key_value() {
            let path = path.clone();
            self.remove(&path);
        }
    }
}

/// A temporary file; dropping it removes it.
#[derive(Debug)]
pub struct TempFile {
    path: PathBuf,
    file: File,
}

impl TempFile {
    /// A new file `dir/.tmp-…`, readable and writable, with the directory's mode without its execute bits.
    pub fn create(dir: &Path) -> Result<TempFile> {
        let path = dir.join(temporary_name());
        let create = || {
            let mode = fs::metadata(dir)?.mode() & 0o666;
            let mut temporaries = temporaries();
            temporaries.still_open()?;
            let file = OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(&path)?;
            temporaries.kinds.insert(path.clone(), Kind::File);
            drop(temporaries);
            let temp = TempFile { path: path.clone(), file };
            // The process's mask took bits away.
            temp.file.set_permissions(Permissions::from_mode(mode))?;
            Ok(temp)
        };
        create().map_err(Error::io(&path, "cannot create"))
    }

    /// A new file in `dir` without a name: it takes space until it is closed, whatever ends the process.
    pub fn create_nameless(dir: &Path) -> Result<File> {
        let temp = TempFile::create(dir)?;
        temp.file.try_clone().map_err(Error::io(&temp.path, "cannot open"))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self) -> &File {
        &self.file
    }

    /// Makes the file durable and renames it to `path` in the same file system; a file that is there is replaced.
    pub fn publish(self, path: &Path) -> Result<()> {
        self.file.sync_all().map_err(Error::io(&self.path, "cannot write"))?;
        {
            let mut temporaries = temporaries();
            temporaries
                .still_open()
                .and_then(|()| fs::rename(&self.path, path))
                .map_err(Error::io(path, "cannot create"))?;
            temporaries.kinds.remove(&self.path);
        }
        sync_parent(path)
    }

    /// Makes the file durable and gives it the name `path` only if nothing has that name: false when something has.
    pub fn publish_new(self, path: &Path) -> Result<bool> {
        self.file.sync_all().map_err(Error::io(&self.path, "cannot write"))?;
        {
            let mut temporaries = temporaries();
            let linked = temporaries.still_open().and_then(|()| fs::hard_link(&self.path, path));
            match linked {
                Ok(()) => temporaries.remove(&self.path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
                Err(error) => return Err(Error::io(path, "cannot create")(error)),
            }
        }
        sync_parent(path).map(|()| true)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        temporaries().remove(&self.path);
    }
}

/// A temporary directory; dropping it removes it with all it holds.
#[derive(Debug)]
pub struct TempDir {
    path: PathBuf,
}

impl TempDir {
    /// A new directory `dir/.tmp-…` that only its owner can enter.
    pub fn create(dir: &Path) -> Result<TempDir> {
        let path = dir.join(temporary_name());
        let create = || {
            let mut temporaries = temporaries();
            temporaries.still_open()?;
            DirBuilder::new().mode(0o700).create(&path)?;
            temporaries.kinds.insert(path.clone(), Kind::Dir);
            Ok(TempDir { path: path.clone() })
        };
        create().map_err(Error::io(&path, "cannot create"))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        temporaries().remove(&self.path);
    }
}

/// Work in a directory that is undone on drop and on a signal unless it is completed.
#[derive(Debug)]
pub struct Unfinished {
    dir: PathBuf,
}

impl Unfinished {
    /// Begins work in `dir`; `undo` is told to undo it when all temporary files below are gone. One at a time in a
    /// directory.
    pub fn begin(dir: &Path, undo: impl Fn() + Send + 'static) -> Result<Unfinished> {
        let mut temporaries = temporaries();
        temporaries.still_open().map_err(Error::io(dir, "cannot write"))?;
        temporaries.kinds.insert(dir.to_path_buf(), Kind::Work(Box::new(undo)));
        Ok(Unfinished { dir: dir.to_path_buf() })
    }

    /// The work is done and stays.
    pub fn complete(self) {
        temporaries().kinds.remove(&self.dir);
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        temporaries().remove(&self.dir);
    }
}

/// Removes every temporary file and directory; to be called when a signal ends the process. From then on no temporary
/// and no directory can be created and no file gets its final name: all are errors.
pub fn remove_all_temporaries() {
    temporaries().close();
}

/// Makes a directory and those above it; each takes the mode of the one it is in.
pub fn create_dir(dir: &Path) -> Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    let parent = match dir.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    create_dir(parent)?;
    let create = || {
        let temporaries = temporaries();
        temporaries.still_open()?;
        let mode = fs::metadata(parent)?.mode() & 0o777;
        match fs::create_dir(dir) {
            // Another worker was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => return Ok(()),
            result => result?,
        }
        // Under /tmp everyone may write; what is made there is its owner's to open up.
        if mode & 0o002 == 0 {
            fs::set_permissions(dir, Permissions::from_mode(mode))?;
        }
        Ok(())
    };
    create().map_err(Error::io(dir, "cannot create the directory"))?;
    sync_parent(dir)
}

fn temporary_name() -> String {
    format!(".tmp-{}-{}", std::process::id(), SERIAL.fetch_add(1, Ordering::Relaxed))
}

/// Makes the name of a file or directory durable.
pub(super) fn sync_parent(path: &Path) -> Result<()> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(parent).and_then(|dir| dir.sync_all()).map_err(Error::io(parent, "cannot write"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .expect("the directory is there")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name in ASCII"))
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_dropped_temporary_is_gone() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = TempFile::create(dir.path()).expect("a file");
        let inner = TempDir::create(dir.path()).expect("a directory");
        fs::write(inner.path().join("x"), "x").expect("a file within");
        assert_eq!(names(dir.path()).len(), 2);
        drop((file, inner));
        assert!(names(dir.path()).is_empty());
    }

    #[test]
    fn a_published_file_has_its_name_and_its_directorys_mode() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::set_permissions(dir.path(), Permissions::from_mode(0o770)).expect("a mode");
        let file = TempFile::create(dir.path()).expect("a file");
        file.file().write_all(b"rows").expect("a write");
        let path = dir.path().join("final");
        file.publish(&path).expect("a name");
        assert_eq!(names(dir.path()), ["final"]);
        assert_eq!(fs::metadata(&path).expect("a file").mode() & 0o777, 0o660);
    }

    #[test]
    fn only_the_first_gets_a_new_name() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("0.json");
        let publish = |text: &[u8]| {
            let file = TempFile::create(dir.path()).expect("a file");
            file.file().write_all(text).expect("a write");
            file.publish_new(&path).expect("a name or none")
        };
        assert_eq!((publish(b"first"), publish(b"second")), (true, false));
        assert_eq!(names(dir.path()), ["0.json"]);
        assert_eq!(fs::read(&path).expect("a file"), b"first");
    }

    #[test]
    fn a_signal_removes_all_and_lets_nothing_follow() {
        // A list of its own: closing the process's would fail the other tests.
        let dir = tempfile::tempdir().expect("a directory");
        let mut list = Temporaries { closed: false, kinds: BTreeMap::new() };
        fs::write(dir.path().join("a"), "x").expect("a file");
        fs::create_dir(dir.path().join("b")).expect("a directory");
        fs::write(dir.path().join("b/c"), "x").expect("a file");
        fs::write(dir.path().join("kept"), "x").expect("a file");
        for (name, kind) in [("a", Kind::File), ("b", Kind::Dir), ("b/c", Kind::File), ("gone", Kind::File)] {
            list.kinds.insert(dir.path().join(name), kind);
        }
        assert!(list.still_open().is_ok());
        list.close();
        assert_eq!(names(dir.path()), ["kept"]);
        assert_eq!(list.still_open().map_err(|e| e.kind()), Err(io::ErrorKind::Interrupted));
    }

    #[test]
    fn unfinished_work_is_undone_and_finished_work_is_not() {
        let dir = tempfile::tempdir().expect("a directory");
        let [kept, lost] = ["kept", "lost"].map(|name| dir.path().join(name));
        for path in [&kept, &lost] {
            fs::create_dir(path).expect("a directory");
        }
        let begin = |path: &Path| {
            let undone = path.to_path_buf();
            Unfinished::begin(path, move || fs::remove_dir(&undone).expect("an empty directory")).expect("open")
        };
        let (done, failed) = (begin(&kept), begin(&lost));
        let _inner = TempFile::create(&kept).expect("a file");
        done.complete();
        drop(failed);
        assert!(kept.is_dir() && !lost.exists());
    }

    #[test]
    fn a_nameless_file_leaves_nothing_to_remove() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut file = TempFile::create_nameless(dir.path()).expect("a file");
        file.write_all(b"x").expect("a write");
        assert!(names(dir.path()).is_empty());
    }

    #[test]
    fn a_new_directory_takes_the_mode_of_the_one_it_is_in() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::set_permissions(dir.path(), Permissions::from_mode(0o750)).expect("a mode");
        create_dir(&dir.path().join("a/b")).expect("two directories");
        for inner in ["a", "a/b"] {
            assert_eq!(fs::metadata(dir.path().join(inner)).expect("a directory").mode() & 0o777, 0o750);
        }
    }
}
