//! Polars' errors as one sentence for a person.

use crate::Error;
use polars::prelude::PolarsError;

/// The error in one line; `names` are the tables to choose from.
pub fn plain(error: &PolarsError, names: &[String]) -> Error {
    let text = text_of(error);
    let first = text.split("\n\n").next().unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ");
    let first = first.trim_start_matches("sql parser error: ").trim_end_matches('.').to_string();
    if let Some(name) = first.strip_prefix("relation '").and_then(|rest| rest.strip_suffix("' was not found")) {
        return Error::Query(format!("there is no table {name}; the tables are {}", list(names)));
    }
    // `No such file or directory (os error 2): path`, said as everywhere else: the place first.
    if let Some((what, rest)) = first.split_once(" (os error ")
        && let Some((_, path)) = rest.split_once("): ")
    {
        return Error::Query(format!("{path}: {what}"));
    }
    Error::Query(match error {
        PolarsError::ColumnNotFound(_) => column(&first),
        _ => first,
    })
}

/// `unable to find column "x"; valid columns: ["a", "b"]`, said as for tables.
fn column(text: &str) -> String {
    let name = text.strip_prefix("unable to find column ").and_then(|rest| rest.split_once("; valid columns: "));
    match name {
        Some((name, columns)) => format!(
            "there is no column {}; the columns are {}",
            name.trim_matches('"'),
            columns.trim_matches(['[', ']']).replace('"', "")
        ),
        None => text.to_string(),
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none: name a trail, or read a file with FROM 'path'".to_string() } else { names.join(", ") }
}

/// The message without the error's class and without the plan that Polars adds.
fn text_of(error: &PolarsError) -> String {
    match error {
        PolarsError::Context { error, .. } => text_of(error),
        PolarsError::ExprContext { error, .. } => text_of(error),
        PolarsError::IO { error, msg } => match msg {
            Some(msg) => msg.to_string(),
            None => error.to_string(),
        },
        PolarsError::AssertionError(text)
        | PolarsError::ColumnNotFound(text)
        | PolarsError::ComputeError(text)
        | PolarsError::Duplicate(text)
        | PolarsError::InvalidOperation(text)
        | PolarsError::NoData(text)
        | PolarsError::OutOfBounds(text)
        | PolarsError::SchemaFieldNotFound(text)
        | PolarsError::SchemaMismatch(text)
        | PolarsError::ShapeMismatch(text)
        | PolarsError::SQLInterface(text)
        | PolarsError::SQLSyntax(text)
        | PolarsError::StringCacheMismatch(text)
        | PolarsError::StructFieldNotFound(text) => text.to_string(),
    }
}
