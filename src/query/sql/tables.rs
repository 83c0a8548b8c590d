//! Registers the tables that a statement can name, and makes the statement a lazy frame.

use super::{columns, error, paths, tag};
use crate::query::{Source, SqlQuery, Table};
use crate::{Error, Result};
use polars::prelude::{
    DataType, Field, IntoLazy, LazyCsvReader, LazyFileListReader, LazyFrame, PlRefPath, PolarsResult, ScanArgsParquet,
    Schema,
};
use polars::sql::SQLContext;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The statement as a lazy frame, and the names of the tables that it could have used.
pub fn frame(query: &SqlQuery<'_>) -> Result<(LazyFrame, Vec<String>)> {
    let (statement, files) = paths::take_paths(query.statement);
    let statement = statement.trim().trim_end_matches(';');
    if statement.trim().is_empty() {
        return Err(Error::Query("there is no statement".to_string()));
    }
    let mut context = SQLContext::new().with_function_registry(Arc::new(tag::Functions));
    let mut names = Vec::new();
    let mut register = |name: String, frame: PolarsResult<LazyFrame>| -> Result<()> {
        let frame = frame.map_err(|e| error::plain(&e, &[]))?;
        if names.contains(&name) {
            return Err(Error::Usage(format!("two sources are called {name}: name one of them, as in other={name}")));
        }
        context.register(&name, frame);
        names.push(name);
        Ok(())
    };

    // Trails without a name of their own are read as one.
    let mut trail_files: BTreeMap<(Option<&str>, Table), Vec<PathBuf>> = BTreeMap::new();
    for source in &query.sources {
        if let Source::Trail { prefix, files } = source {
            for table in Table::ALL {
                trail_files.entry((prefix.as_deref(), table)).or_default().extend(files.files(table)?);
            }
        }
    }
    for ((prefix, table), files) in trail_files {
        let frame = if files.is_empty() { columns::empty(table).map(IntoLazy::lazy) } else { scan_files(&files) };
        register(table_name(prefix, table), frame)?;
    }
    for source in &query.sources {
        if let Source::File { name, path } = source {
            register(name.clone(), scan_path(path))?;
        }
    }
    for (n, path) in files.iter().enumerate() {
        context.register(&paths::name(n), scan_path(Path::new(path)).map_err(|e| error::plain(&e, &[]))?);
    }
    let frame = context.execute(statement).map_err(|e| error::plain(&e, &names))?;
    Ok((frame, names))
}

/// The name under which a trail's table is known.
fn table_name(prefix: Option<&str>, table: Table) -> String {
    match prefix {
        Some(prefix) => format!("{prefix}_{table}"),
        None => table.to_string(),
    }
}

/// Live files of one table. Columns are those of the last file, the newest: older ones may lack some.
fn scan_files(files: &[PathBuf]) -> PolarsResult<LazyFrame> {
    let mut args = ScanArgsParquet { glob: false, allow_missing_columns: true, ..Default::default() };
    args.hive_options.enabled = Some(false);
    if let [.., _, newest] = files {
        let newest = PlRefPath::try_from_path(newest)?;
        args.schema = Some(LazyFrame::scan_parquet(newest, args.clone())?.collect_schema()?);
    }
    args.hive_options.enabled = Some(true);
    args.hive_options.try_parse_dates = true;
    args.hive_options.schema = files.first().map(|path| hive_schema(path).into());
    let paths = files.iter().map(|path| PlRefPath::try_from_path(path)).collect::<PolarsResult<Vec<_>>>()?;
    LazyFrame::scan_parquet_files(paths.into_iter().collect(), args)
}

/// Types of the columns that a path has in its folders' names: `date` is a date even where every row's is null.
fn hive_schema(path: &Path) -> Schema {
    let folders = path.parent().map(|p| p.components().collect::<Vec<_>>()).unwrap_or_default();
    let names = folders.iter().filter_map(|c| match c {
        Component::Normal(name) => name.to_str()?.split_once('=').map(|(key, _)| key),
        _ => None,
    });
    Schema::from_iter(names.map(|name| {
        let dtype = if name == "date" { DataType::Date } else { DataType::String };
        Field::new(name.into(), dtype)
    }))
}

/// A Parquet or CSV file, a folder of Parquet files, or a glob.
fn scan_path(path: &Path) -> PolarsResult<LazyFrame> {
    let text = path.to_string_lossy().to_lowercase();
    let is_folder = path.is_dir();
    let place = PlRefPath::try_from_path(path)?;
    if [".csv", ".tsv", ".txt"].iter().any(|e| text.ends_with(e)) {
        let separator = if text.ends_with(".tsv") { b'\t' } else { b',' };
        return LazyCsvReader::new(place)
            .with_separator(separator)
            .with_try_parse_dates(true)
            .with_missing_is_null(true)
            .with_infer_schema_length(Some(10_000))
            .finish();
    }
    let mut args = ScanArgsParquet { glob: !path.is_file(), allow_missing_columns: true, ..Default::default() };
    args.hive_options.enabled = Some(is_folder || text.contains('='));
    args.hive_options.try_parse_dates = true;
    LazyFrame::scan_parquet(place, args)
}
