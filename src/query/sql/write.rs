//! Rows as CSV, JSON lines and Parquet.

use super::value;
use crate::{Error, Result};
use polars::io::parquet::write::BatchedWriter;
use polars::prelude::{AnyValue, DataFrame, ParquetCompression, ParquetWriter, PolarsError, Schema, Series};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Takes the batches of a result.
pub trait Sink {
    /// Writes the rows of a batch.
    fn rows(&mut self, batch: &DataFrame) -> Result<()>;

    /// Writes what comes after the last row.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Calls `take` with each row of a batch, as values in the order of columns.
pub fn for_each_row(batch: &DataFrame, mut take: impl FnMut(&[AnyValue<'_>]) -> Result<()>) -> Result<()> {
    let columns: Vec<&Series> = batch.columns().iter().map(|c| c.as_materialized_series()).collect();
    let mut rows: Vec<_> = columns.iter().map(|c| c.iter()).collect();
    let mut values = Vec::with_capacity(columns.len());
    for _ in 0..batch.height() {
        values.clear();
        values.extend(rows.iter_mut().map(|row| row.next().unwrap_or(AnyValue::Null)));
        take(&values)?;
    }
    Ok(())
}

/// CSV with a line of headings. Null is an empty field, an empty text a quoted one.
pub struct Csv<'a> {
    out: &'a mut dyn Write,
    line: String,
    field: String,
}

impl<'a> Csv<'a> {
    pub fn new(schema: &Schema, out: &'a mut dyn Write) -> Result<Csv<'a>> {
        let mut csv = Csv { out, line: String::new(), field: String::new() };
        for (i, name) in schema.iter_names().enumerate() {
            csv.push_field(i, name);
        }
        csv.end_line()?;
        Ok(csv)
    }

    fn push_field(&mut self, column: usize, text: &str) {
        if column > 0 {
            self.line.push(',');
        }
        if text.is_empty() || text.contains(['"', ',', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ') {
            self.line.push('"');
            self.line.push_str(&text.replace('"', "\"\""));
            self.line.push('"');
        } else {
            self.line.push_str(text);
        }
    }

    fn end_line(&mut self) -> Result<()> {
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes()).map_err(Error::stdout)?;
        self.line.clear();
        Ok(())
    }
}

impl Sink for Csv<'_> {
    fn rows(&mut self, batch: &DataFrame) -> Result<()> {
        for_each_row(batch, |values| {
            for (i, value) in values.iter().enumerate() {
                if value.is_null() {
                    self.line.push_str(if i > 0 { "," } else { "" });
                    continue;
                }
                let mut field = std::mem::take(&mut self.field);
                field.clear();
                value::push_text(&mut field, value);
                self.push_field(i, &field);
                self.field = field;
            }
            self.end_line()
        })
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.out.flush().map_err(Error::stdout)
    }
}

/// One JSON object a line.
pub struct Json<'a> {
    out: &'a mut dyn Write,
    /// `"name":` of each column, with the comma or brace before it.
    keys: Vec<String>,
    line: String,
}

impl<'a> Json<'a> {
    pub fn new(schema: &Schema, out: &'a mut dyn Write) -> Json<'a> {
        let keys = schema.iter_names().enumerate().map(|(i, name)| {
            let mut key = String::from(if i == 0 { "{" } else { "," });
            value::push_json_text(&mut key, name);
            key.push(':');
            key
        });
        Json { out, keys: keys.collect(), line: String::new() }
    }
}

impl Sink for Json<'_> {
    fn rows(&mut self, batch: &DataFrame) -> Result<()> {
        for_each_row(batch, |values| {
            self.line.clear();
            for (key, value) in self.keys.iter().zip(values) {
                self.line.push_str(key);
                value::push_json(&mut self.line, value);
            }
            self.line.push_str("}\n");
            self.out.write_all(self.line.as_bytes()).map_err(Error::stdout)
        })
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.out.flush().map_err(Error::stdout)
    }
}

/// Parquet with Zstandard, a row group a batch.
pub struct Parquet<'a> {
    writer: BatchedWriter<Recorded<'a>>,
    error: Arc<Mutex<Option<io::Error>>>,
}

/// Remembers why writing failed: the engine's own errors no longer tell a full disk from a reader that hung up.
struct Recorded<'a> {
    out: &'a mut dyn Write,
    error: Arc<Mutex<Option<io::Error>>>,
}

impl Write for Recorded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).inspect_err(|e| remember(&self.error, e))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().inspect_err(|e| remember(&self.error, e))
    }
}

fn remember(place: &Mutex<Option<io::Error>>, error: &io::Error) {
    if error.kind() != io::ErrorKind::Interrupted {
        let copy = match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(error.kind(), error.to_string()),
        };
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(copy);
    }
}

impl<'a> Parquet<'a> {
    pub fn new(schema: &Schema, out: &'a mut dyn Write) -> Result<Parquet<'a>> {
        let error = Arc::new(Mutex::new(None));
        let recorded = Recorded { out, error: Arc::clone(&error) };
        let writer = ParquetWriter::new(recorded).with_compression(ParquetCompression::Zstd(None)).batched(schema);
        match writer {
            Ok(writer) => Ok(Parquet { writer, error }),
            Err(e) => Err(refused(&error, e)),
        }
    }
}

impl Sink for Parquet<'_> {
    fn rows(&mut self, batch: &DataFrame) -> Result<()> {
        self.writer.write_batch(batch).map_err(|e| refused(&self.error, e))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.writer.finish().map_err(|e| refused(&self.error, e)).map(|_| ())
    }
}

/// The operating system's error where there was one.
fn refused(place: &Mutex<Option<io::Error>>, error: PolarsError) -> Error {
    match place.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Error::stdout(error),
        None => super::error::plain(&error, &[]),
    }
}
