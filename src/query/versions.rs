//! The versions of a trail as a list: when each was made, from what, and what it holds.

use super::{Format, Table, text};
use crate::table::trail::{Commit, TableState};
use crate::types::Timestamp;
use crate::{Error, Result};
use serde_json::{Map, Value, json};
use std::io::Write;

/// Columns before those of the tables.
const COLUMNS: [&str; 7] = ["version", "time", "operation", "sources", "messages", "files", "bytes"];

/// Writes commits, oldest first: aligned columns, CSV, or one JSON object a line.
///
/// # Errors
/// When `out` refuses.
pub fn write(mut commits: impl Iterator<Item = Result<Commit>>, format: Format, out: &mut dyn Write) -> Result<()> {
    let mut put = |text: String| out.write_all(text.as_bytes()).map_err(Error::stdout);
    match format {
        Format::Json => commits.try_for_each(|commit| put(format!("{}\n", object(&commit?)))),
        Format::Table => {
            let mut rows = vec![headings(false)];
            for commit in commits {
                rows.push(row(&commit?, false));
            }
            put(aligned(&rows))
        }
        Format::Csv | Format::Parquet => {
            put(csv_line(&headings(true)))?;
            commits.try_for_each(|commit| put(csv_line(&row(&commit?, true))))
        }
    }
}

/// A table's rows, and for programs its version in its own log too.
fn headings(with_logs: bool) -> Vec<String> {
    let mut headings: Vec<String> = COLUMNS.iter().map(ToString::to_string).collect();
    for table in Table::ALL {
        headings.push(table.to_string());
        headings.extend(with_logs.then(|| format!("{table}_version")));
    }
    headings
}

fn row(commit: &Commit, with_logs: bool) -> Vec<String> {
    let sum = |of: fn(&TableState) -> u64| commit.tables.iter().map(of).sum::<u64>().to_string();
    let mut row = vec![
        commit.version.to_string(),
        time(commit),
        commit.operation.clone(),
        commit.sources.len().to_string(),
        commit.sources.iter().map(|source| source.messages).sum::<u64>().to_string(),
        sum(|table| table.files.len() as u64),
        sum(TableState::bytes),
    ];
    for table in Table::ALL {
        let state = commit.tables.iter().find(|state| state.name == table.as_str());
        let text = |of: fn(&TableState) -> u64| state.map(|state| of(state).to_string()).unwrap_or_default();
        row.push(text(TableState::rows));
        row.extend(with_logs.then(|| text(|state| state.version)));
    }
    row
}

fn time(commit: &Commit) -> String {
    commit.time_ms.checked_mul(1_000_000).map_or_else(String::new, |nanos| Timestamp(nanos).to_string())
}

fn object(commit: &Commit) -> Value {
    let tables: Map<String, Value> = commit
        .tables
        .iter()
        .map(|state| {
            let value = json!({
                "version": state.version,
                "files": state.files.len(),
                "rows": state.rows(),
                "bytes": state.bytes(),
            });
            (state.name.clone(), value)
        })
        .collect();
    json!({
        "version": commit.version,
        "time": time(commit),
        "operation": commit.operation,
        "writer": commit.writer,
        "tables": tables,
        "sources": commit.sources,
    })
}

/// Words are left-aligned, numbers right-aligned.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> =
        (0..columns).map(|n| rows.iter().map(|row| text::width(&row[n])).max().unwrap_or(0)).collect();
    let mut out = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(n, (cell, width))| {
            let cell = text::clean(cell);
            if matches!(COLUMNS.get(n), Some(&("time" | "operation"))) {
                format!("{cell:<width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    out
}

/// Values with a comma or a quote, which only a foreign operation's name could have, are quoted.
fn csv_line(row: &[String]) -> String {
    let fields = row.iter().map(|field| {
        if field.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", field.replace('"', "\"\""))
        } else {
            field.clone()
        }
    });
    fields.collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::trail::{LiveFile, TakenSource};

    fn commits() -> Vec<Commit> {
        let file = |rows| LiveFile { path: "date=2026-03-02/x".to_string(), rows, bytes: 10, digest: String::new() };
        let events = |version, files: &[u64]| TableState {
            name: "events".into(),
            version,
            files: files.iter().map(|&n| file(n)).collect(),
        };
        let source =
            TakenSource { name: "a.log".into(), digest: "d".into(), bytes: 5, messages: 7, resume: None, file: None };
        let commit = |version, operation: &str, tables| Commit {
            indexes: Vec::new(),
            version,
            writer: "fixtrail 1".into(),
            operation: operation.into(),
            time_ms: 1_772_461_800_000 + version as i64,
            tables,
            sources: vec![source.clone()],
        };
        vec![commit(0, "write", vec![events(0, &[3, 4])]), commit(1, "compact", vec![events(2, &[1000])])]
    }

    fn written(format: Format) -> String {
        let mut out = Vec::new();
        write(commits().into_iter().map(Ok), format, &mut out).expect("memory");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn a_row_for_each_version() {
        let expected = "\
version  time                      operation  sources  messages  files  bytes  events  links  lifecycles  findings  changes
      0  2026-03-02T14:30:00Z      write            1         7      2     20       7
      1  2026-03-02T14:30:00.001Z  compact          1         7      1     10    1000
";
        assert_eq!(written(Format::Table), expected);
        let csv = written(Format::Csv);
        let lines: Vec<&str> = csv.lines().collect();
        assert!(lines[0].ends_with(",files,bytes,events,events_version,links,links_version,lifecycles,lifecycles_version,findings,findings_version,changes,changes_version"));
        assert_eq!(lines[2], "1,2026-03-02T14:30:00.001Z,compact,1,7,1,10,1000,2,,,,,,,,");
    }

    #[test]
    fn json_has_every_table_and_source() {
        let text = written(Format::Json);
        let first: Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
        assert_eq!(first["tables"]["events"], json!({"version": 0, "files": 2, "rows": 7, "bytes": 20}));
        assert_eq!(first["sources"][0]["name"], "a.log");
        assert_eq!((&first["time"], text.lines().count()), (&json!("2026-03-02T14:30:00Z"), 2));
    }
}
