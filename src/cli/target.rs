//! Where results go: standard output, a file that appears when it is complete, or a directory.

use crate::table::Trail;
use crate::table::cleanup::TempFile;
use crate::table::trail::{INDEXES, TABLES};
use crate::{Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The directory a file lies in.
pub fn parent(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A place for lines of text.
pub enum Target {
    Stdout,
    /// A pipe or a device, such as `/dev/null`: it is written to, never replaced.
    Special {
        file: File,
        path: PathBuf,
    },
    File {
        temp: TempFile,
        path: PathBuf,
    },
}

impl Target {
    /// Standard output for `None` and `-`, else a file, which must not exist unless `force`.
    ///
    /// # Errors
    /// An existing file, or a directory that cannot be written to.
    pub fn open(path: Option<&Path>, force: bool) -> Result<Target> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else { return Ok(Target::Stdout) };
        if is_special(path) {
            let file = OpenOptions::new().append(true).open(path).map_err(Error::io(path, "cannot open"))?;
            return Ok(Target::Special { file, path: path.to_path_buf() });
        }
        let path = new_file(path, force)?;
        Ok(Target::File { temp: TempFile::create(parent(&path))?, path })
    }

    /// A buffered writer to it.
    ///
    /// # Errors
    /// When the temporary file cannot be used.
    pub fn writer(&self) -> Result<Box<dyn Write + Send>> {
        Ok(match self {
            Target::Stdout => Box::new(BufWriter::with_capacity(1 << 16, io::stdout())),
            Target::Special { file, path } => {
                let file = file.try_clone().map_err(Error::io(path, "cannot write"))?;
                Box::new(BufWriter::with_capacity(1 << 16, file))
            }
            Target::File { temp, path } => {
                let file = temp.file().try_clone().map_err(Error::io(path, "cannot write"))?;
                Box::new(BufWriter::with_capacity(1 << 20, file))
            }
        })
    }

    /// Gives a file its name.
    ///
    /// # Errors
    /// When it cannot be made durable or renamed.
    pub fn publish(self) -> Result<()> {
        match self {
            Target::Stdout | Target::Special { .. } => Ok(()),
            Target::File { temp, path } => temp.publish(&path),
        }
    }
}

/// Where a file that is complete gets its name: behind a link, the file that the link leads to.
///
/// # Errors
/// A directory, a pipe or a device of that name, or a file that `force` does not allow to replace.
pub fn new_file(path: &Path, force: bool) -> Result<PathBuf> {
    let usage = |what: &str| Err(Error::Usage(format!("{}: {what}", path.display())));
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => usage("is a directory, expected a file"),
        Ok(meta) if !meta.is_file() => usage("is a pipe or a device, expected a file"),
        Ok(_) if !force => usage("exists already; --force replaces it"),
        Ok(_) => fs::canonicalize(path).map_err(Error::io(path, "cannot open")),
        Err(_) => Ok(path.to_path_buf()),
    }
}

fn is_special(path: &Path) -> bool {
    // What `/dev/stdout` leads to may be a file, but one that others write to as well.
    let is_descriptor = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|place| path.starts_with(place));
    is_descriptor || fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// What a failed write to a file means; the path is said by whoever knows it.
pub fn file_error(error: io::Error) -> Error {
    Error::io("output", "cannot write")(error)
}

/// Checks the directory for a trail or for tables, which need not be there. What holds something else already needs
/// `force`, but for a trail that `may_add`.
///
/// # Errors
/// When it is in use, or no directory.
pub fn directory(path: &Path, force: bool, may_add: bool) -> Result<()> {
    if path.exists() && !path.is_dir() {
        return Err(Error::Usage(format!("{}: is a file, expected a directory", path.display())));
    }
    if !path.exists() {
        return Ok(());
    }
    // What a run that was stopped has left is nobody's: it has no commit.
    let ours = |name: &std::ffi::OsStr| {
        let name = name.as_encoded_bytes();
        name.starts_with(b".")
            || name == b"_commits"
            || name == INDEXES.as_bytes()
            || TABLES.iter().any(|table| name == table.as_bytes())
    };
    let mut entries = fs::read_dir(path).map_err(Error::io(path, "cannot list the directory"))?;
    if Trail::exists(path) && may_add {
        return Ok(());
    }
    let used = Trail::exists(path) || entries.any(|entry| entry.is_ok_and(|e| !ours(&e.file_name())));
    if used && !force {
        let text = format!("{}: is not empty; --force replaces what it holds", path.display());
        return Err(Error::Usage(text));
    }
    Ok(())
}
