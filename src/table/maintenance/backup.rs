//! A copy of a trail that is a trail itself, made while others go on writing.

use super::{Versions, other_digest, read_all};
use crate::table::cleanup::{TempFile, Unfinished, create_dir, sync_parent};
use crate::table::lock::{FilesLock, WriteLock};
use crate::table::trail::{Commit, LiveFile};
use crate::table::{commits, delta, strays};
use crate::{Error, Result};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a backup holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackedUp {
    pub versions: u64,
    /// Data files of these versions.
    pub files: u64,
    /// Of the data files, those that were there already.
    pub present: u64,
    /// Of the data files, those that share their bytes with the trail.
    pub linked: u64,
    /// Bytes of data files that were copied.
    pub copied_bytes: u64,
}

/// Copies some versions of a trail to `to`: a new or empty directory, or an earlier backup of the same trail, of which
/// only what is missing is written. Files are linked where the file system can, else copied and their digests checked.
/// Each version's commit comes last.
///
/// # Errors
/// When a file of the trail is damaged, `to` holds something else or lies within the trail, or old versions are being
/// removed for longer than `wait`.
pub fn backup(trail: &Path, to: &Path, which: Versions, wait: Duration) -> Result<BackedUp> {
    super::must_exist(trail)?;
    let _keep = FilesLock::keep(trail, wait)?;
    let made: Vec<PathBuf> = to.ancestors().take_while(|dir| !dir.exists()).map(Path::to_path_buf).collect();
    let made: Vec<PathBuf> = made.into_iter().filter(|dir| !dir.as_os_str().is_empty()).rev().collect();
    must_be_apart(trail, to)?;
    must_be_ours(to)?;
    let _write = WriteLock::acquire(to, wait)?;
    let path = to.to_path_buf();
    let unfinished = Unfinished::begin(to, move || strays::undo(&path, &made))?;
    strays::remove_ahead(to, commits::read_latest(to)?.as_ref())?;
    let mut copy = Copy { trail, to, done: BackedUp::default(), seen: BTreeSet::new(), dirs: BTreeSet::new() };
    for version in which.of(trail)? {
        let commit = commits::read_version(trail, version)?;
        copy.version(&commit)?;
    }
    unfinished.complete();
    Ok(copy.done)
}

/// A backup within its trail would be part of the next one.
fn must_be_apart(trail: &Path, to: &Path) -> Result<()> {
    let trail = fs::canonicalize(trail).map_err(Error::io(trail, "cannot open"))?;
    // As far as it exists.
    let existing = to.ancestors().find_map(|dir| {
        let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
        fs::canonicalize(dir).ok()
    });
    if existing.is_some_and(|dir| dir.starts_with(&trail)) {
        return Err(Error::Usage(format!("{}: lies within the trail; give a directory beside it", to.display())));
    }
    Ok(())
}

/// Of what is in a directory that no backup began in, nothing must be taken for a file of a backup that did not end.
fn must_be_ours(to: &Path) -> Result<()> {
    if commits::dir(to).is_dir() || !to.exists() {
        return Ok(());
    }
    match fs::read_dir(to).map_err(Error::io(to, "cannot read"))?.next() {
        None => Ok(()),
        Some(_) => {
            let hint = "is not empty and no backup; give a new directory, or one that holds a backup of this trail";
            Err(Error::Usage(format!("{}: {hint}", to.display())))
        }
    }
}

struct Copy<'a> {
    trail: &'a Path,
    to: &'a Path,
    done: BackedUp,
    /// Data files that were seen to.
    seen: BTreeSet<PathBuf>,
    /// Directories with new names in them.
    dirs: BTreeSet<PathBuf>,
}

impl Copy<'_> {
    fn version(&mut self, commit: &Commit) -> Result<()> {
        // Another trail differs in these already, before much is copied.
        for state in &commit.tables {
            let log = delta::log_dir(Path::new(&state.name));
            create_dir(&self.to.join(&log))?;
            for version in 0..=state.version {
                self.small(&log.join(delta::version_name(version)))?;
            }
        }
        for (path, file) in commit.files() {
            if self.seen.insert(path.clone()) {
                self.data(&path, file)?;
            }
        }
        for dir in std::mem::take(&mut self.dirs) {
            sync_parent(&dir.join("x"))?;
        }
        self.small(&commits::path(Path::new(""), commit.version))?;
        for dir in std::mem::take(&mut self.dirs) {
            sync_parent(&dir.join("x"))?;
        }
        self.done.versions += 1;
        Ok(())
    }

    /// A commit or a table's version.
    fn small(&mut self, path: &Path) -> Result<()> {
        let (from, to) = (self.trail.join(path), self.to.join(path));
        let read = |path: &Path| fs::read(path).map_err(Error::io(path, "cannot read"));
        if to.exists() {
            return if read(&to)? == read(&from)? { Ok(()) } else { Err(other_trail(&to)) };
        }
        if !self.link(&from, &to)? {
            let temp = TempFile::create(parent(&to))?;
            temp.file().write_all(&read(&from)?).map_err(Error::io(&to, "cannot write"))?;
            if !temp.publish_new(&to)? {
                return Err(other_trail(&to));
            }
        }
        Ok(())
    }

    fn data(&mut self, path: &Path, expected: &LiveFile) -> Result<()> {
        let (from, to) = (self.trail.join(path), self.to.join(path));
        self.done.files += 1;
        if let Ok(meta) = fs::metadata(&to) {
            if meta.size() != expected.bytes {
                return Err(other_trail(&to));
            }
            self.done.present += 1;
            return Ok(());
        }
        create_dir(parent(&to))?;
        if self.link(&from, &to)? {
            self.done.linked += 1;
            return Ok(());
        }
        let mut file = File::open(&from).map_err(Error::io(&from, "cannot open"))?;
        let temp = TempFile::create(parent(&to))?;
        let digest =
            read_all(&mut file, &from, |bytes| temp.file().write_all(bytes).map_err(Error::io(&to, "cannot write")))?;
        if digest != expected.digest {
            return Err(Error::Damaged { path: from, what: other_digest(&digest, &expected.digest) });
        }
        if !temp.publish_new(&to)? {
            return Err(other_trail(&to));
        }
        self.done.copied_bytes += expected.bytes;
        Ok(())
    }

    /// False when the file system has no links, or none to there.
    fn link(&mut self, from: &Path, to: &Path) -> Result<bool> {
        match fs::hard_link(from, to) {
            Ok(()) => {
                self.dirs.insert(parent(to).to_path_buf());
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Err(Error::io(from, "cannot copy")(error)),
            // Whatever else it is, a copy tells whether it can be done.
            Err(_) => Ok(false),
        }
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

fn other_trail(path: &Path) -> Error {
    let text = "is not that of this trail; give a new directory, or one that holds a backup of this trail";
    Error::Usage(format!("{}: {text}", path.display()))
}
