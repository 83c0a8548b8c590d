//! `FROM 'path'`: files named in a statement, taken out of it and replaced by table names.

use std::path::Path;

/// A statement whose quoted paths after FROM and JOIN have become table names, and those paths in order: the n-th is
/// the table [`name`]`(n)`.
pub fn take_paths(statement: &str) -> (String, Vec<String>) {
    let mut out = String::with_capacity(statement.len());
    let mut paths = Vec::new();
    let mut after_from = false;
    let mut rest = statement;
    while let Some(first) = rest.chars().next() {
        let token_len = match first {
            '\'' => quoted_len(rest, '\''),
            '"' | '`' => quoted_len(rest, first),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            c if c.is_alphanumeric() || c == '_' => {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        let (token, tail) = rest.split_at(token_len);
        rest = tail;
        let is_gap = token.starts_with("--") || token.starts_with("/*") || token.trim().is_empty();
        if after_from && first == '\'' {
            let text = token[1..].strip_suffix('\'').unwrap_or(&token[1..]).replace("''", "'");
            if is_path(&text) {
                out.push('"');
                out.push_str(&name(paths.len()));
                out.push('"');
                paths.push(text);
                after_from = false;
                continue;
            }
        }
        if !is_gap {
            after_from = token.eq_ignore_ascii_case("from") || token.eq_ignore_ascii_case("join");
        }
        out.push_str(token);
    }
    (out, paths)
}

/// Table name of the n-th path of a statement, from 0.
pub fn name(n: usize) -> String {
    format!("file_{}", n + 1)
}

/// Length of the quoted text that `text` begins with, its quotes included; a doubled quote does not end it.
fn quoted_len(text: &str, quote: char) -> usize {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == quote && chars.next_if(|(_, next)| *next == quote).is_none() {
            return at + 1;
        }
    }
    text.len()
}

/// `extract(day from '2026-03-02')` has a text after FROM that is no path.
fn is_path(text: &str) -> bool {
    let ends = |extension: &str| text.to_ascii_lowercase().ends_with(extension);
    [".parquet", ".csv", ".tsv"].into_iter().any(ends) || text.contains('*') || Path::new(text).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(statement: &str) -> (String, Vec<String>) {
        take_paths(statement)
    }

    #[test]
    fn quoted_paths_after_from_and_join_become_tables() {
        assert_eq!(
            taken("select * FROM 'a.parquet' x\njoin /* the 'other' */ 'it''s/*.csv' y on x.k = y.k where z = 'a.csv'"),
            (
                "select * FROM \"file_1\" x\njoin /* the 'other' */ \"file_2\" y on x.k = y.k where z = 'a.csv'"
                    .to_string(),
                vec!["a.parquet".to_string(), "it's/*.csv".to_string()]
            )
        );
    }

    #[test]
    fn texts_comments_and_names_stay_as_they_are() {
        for statement in [
            "select extract(day from '2026-03-02') from events -- from 'a.csv'",
            "select \"from 'x.csv'\" from events where a = 'from ''b.csv'''",
            "select 'unended from x.csv",
            "select \"unended",
            "/* unended from 'a.csv'",
            "sélect * from événements",
            "",
        ] {
            assert_eq!(taken(statement), (statement.to_string(), Vec::new()));
        }
    }
}
