//! Why the program could not go on. Wrong data is a [`crate::finding::Finding`], never an error.

use std::io;
use std::path::{Path, PathBuf};

pub type Result<T> = std::result::Result<T, Error>;

/// Trouble that stops a run; each is one sentence for a person.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused something about a path.
    #[error("{}: {doing}: {}", path.display(), plain(source))]
    Io { path: PathBuf, doing: &'static str, source: io::Error },
    /// Writing to standard output failed for another reason than a reader that hung up.
    #[error("standard output: {}", plain(.0))]
    Stdout(io::Error),
    /// The reader of standard output hung up: the run ends quietly.
    #[error("the reader hung up")]
    HungUp,
    /// The arguments ask for something that cannot be done; the text says what and how to mend it.
    #[error("{0}")]
    Usage(String),
    /// A file that should hold our own format does not.
    #[error("{}: {what}", path.display())]
    Damaged { path: PathBuf, what: String },
    /// The Parquet library refused; a fault of ours or of the disk.
    #[error("{}: cannot write Parquet: {what}", path.display())]
    Parquet { path: PathBuf, what: String },
    /// A query that cannot be answered as written.
    #[error("query: {0}")]
    Query(String),
}

impl Error {
    /// An I/O error at `path` while `doing` something, such as "cannot read".
    pub fn io(path: impl AsRef<Path>, doing: &'static str) -> impl FnOnce(io::Error) -> Error {
        let path = path.as_ref().to_path_buf();
        move |source| Error::Io { path, doing, source }
    }

    /// An error of writing to standard output; a reader that hung up is told apart.
    pub fn stdout(source: io::Error) -> Error {
        if source.kind() == io::ErrorKind::BrokenPipe { Error::HungUp } else { Error::Stdout(source) }
    }
}

/// The operating system's sentence without its number: "No space left on device".
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}
