//! What stands in for `query sql` in a build without the feature `sql`.

use super::SqlQuery;
use crate::{Error, Result};
use std::io::Write;

/// Always an error that names the build that can answer.
///
/// # Errors
/// [`Error::Query`].
pub fn run(_query: &SqlQuery<'_>, _out: &mut dyn Write) -> Result<()> {
    Err(Error::Query(
        "this fixtrail was built without SQL; build it with the cargo feature `sql`, which is on by default"
            .to_string(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Format, Style};

    #[test]
    fn a_build_without_sql_names_the_build_that_has_it() {
        let query = SqlQuery {
            statement: "select 1",
            sources: Vec::new(),
            format: Format::Json,
            max_rows: None,
            style: Style::default(),
        };
        let mut out = Vec::new();
        let error = run(&query, &mut out).map_err(|e| e.to_string());
        assert_eq!(
            error,
            Err("query: this fixtrail was built without SQL; build it with the cargo feature `sql`, which is on by default"
                .to_string())
        );
        assert!(out.is_empty());
    }
}
