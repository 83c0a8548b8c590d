//! Which sources a run reads: arguments come in, named sources in the order of their names go out.

use crate::{Error, Result};
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the bytes of a source come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Path(PathBuf),
    Stdin,
}

/// A source that a run is going to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSpec {
    /// The path as given, the path relative to the walked directory, or the name for standard input. Bytes that are
    /// not UTF-8 stand as `\xHH`; no two paths have the same name for that reason.
    pub name: String,
    pub origin: Origin,
    /// Named on the command line, not found in a walk: content that is not recognised weighs more.
    pub is_named: bool,
}

/// What [`discover`] found.
#[derive(Debug, Default)]
pub struct Discovered {
    /// Sorted by name.
    pub sources: Vec<SourceSpec>,
    /// Paths that cannot be read, sorted; the caller stops or makes each a finding.
    pub unreadable: Vec<(PathBuf, Error)>,
    /// Pipes, devices and sockets met in a walk, by the name they would have had, and what they are. A walk never opens
    /// them: a pipe without a writer would stop the run.
    pub passed_over: Vec<(String, &'static str)>,
}

/// Finds the sources that `paths` name: files, directories (walked), `-` for standard input, which is also the meaning of
/// no path at all.
///
/// In a walk names that start with `.` or `_` are passed over, symbolic links are followed, and a directory is visited
/// once: neither a loop nor a link such as `current -> 2026-04-15` reads a file twice.
///
/// # Errors
/// [`Error::Usage`] when two sources have the same name.
pub fn discover(paths: &[PathBuf], stdin_name: &str) -> Result<Discovered> {
    let mut found = Discovered::default();
    let stdin = || SourceSpec { name: stdin_name.to_string(), origin: Origin::Stdin, is_named: true };
    if paths.is_empty() {
        found.sources.push(stdin());
    }
    for path in paths {
        if path.as_os_str() == "-" {
            found.sources.push(stdin());
            continue;
        }
        match fs::metadata(path) {
            Err(e) => found.unreadable.push((path.clone(), Error::io(path, "cannot read")(e))),
            Ok(meta) if meta.is_dir() => walk(path, &mut found),
            Ok(meta) => match special(&meta) {
                Some(what) if what != PIPE => {
                    let text = format!("{}: is a {what}; give a file, a directory or a pipe", path.display());
                    found.unreadable.push((path.clone(), Error::Usage(text)));
                }
                kind => add_file(path.clone(), name_of(path.as_os_str()), true, kind.is_none(), &mut found),
            },
        }
    }
    found.sources.sort_by(|a, b| a.name.cmp(&b.name));
    found.unreadable.sort_by(|a, b| a.0.cmp(&b.0));
    found.passed_over.sort();
    match found.sources.windows(2).find(|pair| pair[0].name == pair[1].name) {
        Some(pair) => Err(same_name(&pair[0], &pair[1])),
        None => Ok(found),
    }
}

fn same_name(a: &SourceSpec, b: &SourceSpec) -> Error {
    let name = &a.name;
    Error::Usage(match (&a.origin, &b.origin) {
        (Origin::Stdin, Origin::Stdin) => "standard input is given twice".to_string(),
        (Origin::Path(a), Origin::Path(b)) if a == b => format!("{} is given twice", a.display()),
        (Origin::Path(a), Origin::Path(b)) => format!(
            "{} and {} would both be named {name:?}; give a directory above both, or the files themselves",
            a.display(),
            b.display()
        ),
        _ => format!("standard input and a file are both named {name:?}; name standard input with --stdin-name"),
    })
}

fn add_file(path: PathBuf, name: String, is_named: bool, is_regular: bool, found: &mut Discovered) {
    // Opening a pipe waits for its writer, so that only files are tried.
    if is_regular && let Err(e) = fs::File::open(&path) {
        let error = Error::io(&path, "cannot read")(e);
        found.unreadable.push((path, error));
        return;
    }
    found.sources.push(SourceSpec { name, origin: Origin::Path(path), is_named });
}

/// Adds the files below `root`, real directories first, so that a link to one of them adds nothing.
fn walk(root: &Path, found: &mut Discovered) {
    let mut visited = BTreeSet::new();
    let mut linked = VecDeque::from([(root.to_path_buf(), String::new())]);
    while let Some((start, prefix)) = linked.pop_front() {
        let mut pending = vec![(start, prefix)];
        while let Some((dir, prefix)) = pending.pop() {
            let canonical = match fs::canonicalize(&dir) {
                Ok(canonical) => canonical,
                Err(e) => {
                    let error = Error::io(&dir, "cannot read the directory")(e);
                    found.unreadable.push((dir, error));
                    continue;
                }
            };
            if !visited.insert(canonical) {
                continue;
            }
            match list(&dir) {
                Err(error) => found.unreadable.push((dir, error)),
                Ok(entries) => {
                    for entry in entries {
                        let name = format!("{prefix}{}", name_of(&entry));
                        let path = dir.join(&entry);
                        match (fs::symlink_metadata(&path), fs::metadata(&path)) {
                            (Ok(link), Ok(meta)) if meta.is_dir() && link.is_symlink() => {
                                linked.push_back((path, name + "/"));
                            }
                            (_, Ok(meta)) if meta.is_dir() => pending.push((path, name + "/")),
                            (_, Ok(meta)) => match special(&meta) {
                                Some(what) => found.passed_over.push((name, what)),
                                None => add_file(path, name, false, true, found),
                            },
                            (_, Err(e)) => {
                                let error = Error::io(&path, "cannot read")(e);
                                found.unreadable.push((path, error));
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The names in a directory, sorted, without those that a walk passes over.
fn list(dir: &Path) -> Result<Vec<std::ffi::OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(Error::io(dir, "cannot list the directory"))? {
        let name = entry.map_err(Error::io(dir, "cannot list the directory"))?.file_name();
        if !matches!(name.as_encoded_bytes().first(), Some(b'.' | b'_')) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

const PIPE: &str = "pipe";

/// What a path is that is neither file nor directory.
fn special(meta: &fs::Metadata) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = meta.file_type();
        if kind.is_fifo() {
            return Some(PIPE);
        } else if kind.is_socket() {
            return Some("socket");
        } else if kind.is_char_device() || kind.is_block_device() {
            return Some("device");
        }
    }
    if meta.is_file() { None } else { Some("special file") }
}

/// A path as text that keeps every byte apart: as it stands, unless it holds bytes that are not UTF-8, or `\x` that
/// could be taken for them; then these bytes become `\xHH` and each backslash two.
fn name_of(path: &OsStr) -> String {
    let bytes = path.as_encoded_bytes();
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.contains("\\x")
    {
        return if cfg!(windows) { text.replace('\\', "/") } else { text.to_string() };
    }
    let mut name = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        name.push_str(&chunk.valid().replace('\\', "\\\\"));
        for byte in chunk.invalid() {
            name.push_str(&format!("\\x{byte:02x}"));
        }
    }
    name
}

#[cfg(test)]
#[path = "discover_tests.rs"]
mod tests;
