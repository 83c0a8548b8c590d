//! What a caller asks of a query: the statement, where tables come from, how the answer looks.

use super::LiveFiles;
use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// How text meant for a person looks. The caller knows the terminal; queries only obey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Columns to fit into, or `None` for as wide as it gets.
    pub width: Option<usize>,
    pub colour: bool,
    /// Only ASCII: no box-drawing glyphs, arrows or `µ`.
    pub ascii: bool,
}

/// How the rows of a query are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns, or one block a row where columns do not fit.
    Table,
    Csv,
    /// One JSON object a line; decimals are strings, instants ISO 8601.
    Json,
    Parquet,
}

impl Format {
    /// The format of a word or of a file name's extension.
    pub fn from_word(word: &str) -> Option<Format> {
        match word {
            "table" | "txt" => Some(Format::Table),
            "csv" => Some(Format::Csv),
            "json" | "jsonl" | "ndjson" => Some(Format::Json),
            "parquet" => Some(Format::Parquet),
            _ => None,
        }
    }
}

/// Where tables come from.
pub enum Source<'a> {
    /// A trail: its tables by their names. Several trails without a prefix are read as one; with a prefix the tables
    /// are `prefix_events` and so on.
    Trail { prefix: Option<String>, files: &'a dyn LiveFiles },
    /// A Parquet or CSV file, a folder of Parquet files, or a glob, as the table `name`.
    File { name: String, path: PathBuf },
}

impl<'a> Source<'a> {
    /// Splits `name=path`, the form in which a source gets a name. A path that exists with `=` in it is a path.
    pub fn split_name(argument: &str) -> (Option<&str>, &str) {
        match argument.split_once('=') {
            Some((name, path)) if is_name(name) && !Path::new(argument).exists() => (Some(name), path),
            _ => (None, argument),
        }
    }

    /// A file, folder or glob as a table; without a name it is called as the file is, up to the first dot.
    ///
    /// # Errors
    /// [`Error::Usage`] when the path gives no name that SQL can take.
    pub fn file(name: Option<&str>, path: &str) -> Result<Source<'a>> {
        let stem = || {
            let file = Path::new(path).file_name().and_then(|n| n.to_str()).unwrap_or("");
            file.split('.').next().unwrap_or("").to_string()
        };
        let name = name.map_or_else(stem, str::to_string);
        if !is_name(&name) {
            return Err(Error::Usage(format!("{path} needs a table name: write name={path}")));
        }
        Ok(Source::File { name, path: PathBuf::from(path) })
    }
}

/// True when SQL can name it without quotes.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// One SQL query.
pub struct SqlQuery<'a> {
    pub statement: &'a str,
    pub sources: Vec<Source<'a>>,
    pub format: Format,
    /// Rows that [`Format::Table`] shows; how many are left out is said below them. `None` shows all.
    pub max_rows: Option<usize>,
    pub style: Style,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_before_the_equals_sign_names_the_source() {
        assert_eq!(Source::split_name("ref=/data/ref.csv"), (Some("ref"), "/data/ref.csv"));
        assert_eq!(Source::split_name("/data/date=2026-03-02/a.parquet"), (None, "/data/date=2026-03-02/a.parquet"));
        assert_eq!(Source::split_name("trail"), (None, "trail"));
        assert_eq!(Source::split_name("1x=a.csv"), (None, "1x=a.csv"));
    }

    #[test]
    fn a_path_that_exists_is_not_split_at_its_equals_sign() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("a=b.csv");
        std::fs::write(&path, "x\n1\n").expect("a file");
        let text = path.to_string_lossy().to_string();
        assert_eq!(Source::split_name(&text), (None, text.as_str()));
    }

    #[test]
    fn a_file_is_called_as_its_name_up_to_the_first_dot() {
        let name = |path| match Source::file(None, path) {
            Ok(Source::File { name, .. }) => name,
            Ok(Source::Trail { .. }) => "a trail".to_string(),
            Err(e) => e.to_string(),
        };
        assert_eq!(name("/x/ref_2026.csv.gz"), "ref_2026");
        assert_eq!(name("/x/2026.csv"), "/x/2026.csv needs a table name: write name=/x/2026.csv");
    }
}
