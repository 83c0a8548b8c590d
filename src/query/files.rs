//! The tables of a trail and the files that are live in each.

use crate::{Error, Result};
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A table of a trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    Events,
    Links,
    Lifecycles,
    Findings,
}

impl Table {
    pub const ALL: [Table; 4] = [Table::Events, Table::Links, Table::Lifecycles, Table::Findings];

    /// The table's name, which is its folder's as well.
    pub fn as_str(self) -> &'static str {
        match self {
            Table::Events => "events",
            Table::Links => "links",
            Table::Lifecycles => "lifecycles",
            Table::Findings => "findings",
        }
    }

    /// The table of a name.
    pub fn from_word(word: &str) -> Option<Table> {
        Table::ALL.into_iter().find(|t| t.as_str() == word)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The Parquet files that hold a table's current rows.
pub trait LiveFiles {
    /// Live files of a table in a fixed order; empty when the table has no rows.
    ///
    /// # Errors
    /// When the trail cannot be read.
    fn files(&self, table: Table) -> Result<Vec<PathBuf>>;
}

/// A trail without commits: every `*.parquet` below `root/<table>/` is live, in the order of paths.
pub struct Directory {
    root: PathBuf,
}

impl Directory {
    /// The folder `root`, which has at least one of the tables.
    ///
    /// # Errors
    /// [`Error::Usage`] when it has none.
    pub fn open(root: &Path) -> Result<Directory> {
        if Table::ALL.iter().any(|t| root.join(t.as_str()).is_dir()) {
            return Ok(Directory { root: root.to_path_buf() });
        }
        Err(Error::Usage(format!("{} is no trail: it has no folder events", root.display())))
    }
}

impl LiveFiles for Directory {
    fn files(&self, table: Table) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.join(table.as_str())];
        while let Some(folder) = folders.pop() {
            if !folder.is_dir() {
                continue;
            }
            for entry in std::fs::read_dir(&folder).map_err(Error::io(&folder, "cannot list"))? {
                let entry = entry.map_err(Error::io(&folder, "cannot list"))?;
                let (path, name) = (entry.path(), entry.file_name());
                if name.as_encoded_bytes().starts_with(b"_") || name.as_encoded_bytes().starts_with(b".") {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "parquet") {
                    found.push(path);
                }
            }
        }
        found.sort();
        Ok(found)
    }
}

/// Prints the live files of a table, one path a line (`query files`), or each ended by a zero byte.
///
/// # Errors
/// When the trail cannot be read or `out` refuses.
pub fn write_files(files: &dyn LiveFiles, table: Table, zero_ended: bool, out: &mut dyn Write) -> Result<()> {
    let end: &[u8] = if zero_ended { b"\0" } else { b"\n" };
    for path in files.files(table)? {
        out.write_all(path.as_os_str().as_encoded_bytes()).map_err(Error::stdout)?;
        out.write_all(end).map_err(Error::stdout)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_files_are_those_of_the_table_sorted_and_without_logs_and_leftovers() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for path in
            ["events/date=2026-03-03/b.parquet", "events/date=2026-03-02/a.parquet", "links/date=2026-03-02/l.parquet"]
        {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            std::fs::write(path, "").expect("a file");
        }
        for path in ["events/date=2026-03-02/.a.parquet", "events/date=2026-03-02/notes.txt", "events/_c.parquet"] {
            std::fs::write(dir.path().join(path), "").expect("a file");
        }
        let trail = Directory::open(dir.path()).expect("a trail");
        let mut out = Vec::new();
        write_files(&trail, Table::Events, false, &mut out).expect("paths");
        let root = dir.path().display();
        assert_eq!(
            String::from_utf8_lossy(&out),
            format!("{root}/events/date=2026-03-02/a.parquet\n{root}/events/date=2026-03-03/b.parquet\n")
        );
        assert_eq!(trail.files(Table::Findings).map_err(|e| e.to_string()), Ok(Vec::new()));
    }

    #[test]
    fn a_folder_without_tables_is_no_trail() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let error = Directory::open(dir.path()).err().map(|e| e.to_string());
        assert_eq!(error, Some(format!("{} is no trail: it has no folder events", dir.path().display())));
    }
}
