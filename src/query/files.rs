//! The tables of a trail and the files that are live in each.

use crate::table::ids::Groups;
use crate::{Error, Result};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::io::Write;
use std::path::PathBuf;

/// A table of a trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    Events,
    Links,
    Lifecycles,
    Findings,
    Changes,
}

impl Table {
    pub const ALL: [Table; 5] = [Table::Events, Table::Links, Table::Lifecycles, Table::Findings, Table::Changes];

    /// The table's name, which is its folder's as well.
    pub fn as_str(self) -> &'static str {
        match self {
            Table::Events => "events",
            Table::Links => "links",
            Table::Lifecycles => "lifecycles",
            Table::Findings => "findings",
            Table::Changes => "changes",
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

    /// Where rows of a table may be that have one of these ids: a value of an id column, or a lifecycle's id. Without an
    /// index that is everywhere.
    ///
    /// # Errors
    /// When the trail cannot be read.
    fn places(&self, table: Table, _ids: &BTreeSet<String>) -> Result<Vec<Place>> {
        Ok(self.files(table)?.into_iter().map(|path| Place { path, groups: Groups::All }).collect())
    }
}

/// A file and those of its row groups that are worth a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub path: PathBuf,
    pub groups: Groups,
}

impl Place {
    /// The directory of its partition.
    pub fn partition(&self) -> Option<&OsStr> {
        self.path.parent()?.file_name()
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

    struct Two;

    impl LiveFiles for Two {
        fn files(&self, table: Table) -> Result<Vec<PathBuf>> {
            let of = |name: &str| PathBuf::from(format!("t/{table}/{name}"));
            Ok(if table == Table::Events { vec![of("a b"), of("c")] } else { Vec::new() })
        }
    }

    #[test]
    fn each_live_file_is_a_line_or_ends_with_a_zero_byte() {
        let text = |table, zero_ended| {
            let mut out = Vec::new();
            write_files(&Two, table, zero_ended, &mut out).expect("memory takes every write");
            String::from_utf8(out).expect("UTF-8")
        };
        assert_eq!(text(Table::Events, false), "t/events/a b\nt/events/c\n");
        assert_eq!(text(Table::Events, true), "t/events/a b\0t/events/c\0");
        assert_eq!(text(Table::Findings, false), "");
    }
}
