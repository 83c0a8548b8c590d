//! Temporary files and directories that never outlive the run: removed on drop, on error and on a signal.

use crate::Result;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A temporary file; dropping it removes it.
#[derive(Debug)]
pub struct TempFile {
    path: PathBuf,
    file: File,
}

impl TempFile {
    /// A new file `dir/.tmp-…`, readable and writable, with the directory's mode without its execute bits.
    pub fn create(dir: &Path) -> Result<TempFile> {
        let _ = dir;
        todo!()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self) -> &File {
        &self.file
    }

    /// Makes the file durable and renames it to `path` in the same file system; a file that is there is replaced.
    pub fn publish(self, path: &Path) -> Result<()> {
        let _ = path;
        todo!()
    }

    /// Makes the file durable and gives it the name `path` only if nothing has that name: false when something has.
    pub fn publish_new(self, path: &Path) -> Result<bool> {
        let _ = path;
        todo!()
    }
}

/// A temporary directory; dropping it removes it with all it holds.
#[derive(Debug)]
pub struct TempDir {
    path: PathBuf,
}

impl TempDir {
    /// A new directory `dir/.tmp-…`.
    pub fn create(dir: &Path) -> Result<TempDir> {
        let _ = dir;
        todo!()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Removes every temporary file and directory; to be called when a signal ends the process. From then on no temporary
/// can be created and no file gets its final name: both are errors.
pub fn remove_all_temporaries() {
    todo!()
}

/// A name for a final file that is being written elsewhere: `create_dir_all` and the directory made durable.
pub fn create_dir(dir: &Path) -> Result<()> {
    let _ = dir;
    todo!()
}
