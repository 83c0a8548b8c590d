//! Findings as one Parquet file.

use super::consumer::{Consumer, Found};
use super::sequence::Sequence;
use crate::Result;
use crate::event::source_prefix;
use crate::finding::Noted;
use crate::finding::{Finding, Level};
use crate::table::findings::{FindingTable, schema};
use crate::table::{Chunk, Encoder, Piece, Schema, TableFile};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A file under construction, shared by the workers.
pub struct FindingFile {
    file: Mutex<TableFile>,
    sequence: Sequence<Vec<Chunk>>,
    schema: Schema,
    min_level: Level,
}

impl FindingFile {
    /// Starts the file that [`FindingFile::finish`] will call `path`.
    ///
    /// # Errors
    /// When its directory cannot be written to.
    pub fn create(path: &Path, min_level: Level) -> Result<FindingFile> {
        let schema = schema();
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let file = TableFile::create(dir, &name, &schema)?;
        Ok(FindingFile { file: Mutex::new(file), sequence: Sequence::new(64), schema, min_level })
    }

    /// One worker's part.
    pub fn consumer(&self) -> FindingRows<'_> {
        FindingRows { file: self, table: FindingTable::new(), encoder: Encoder::new() }
    }

    /// Adds the findings about sources as a whole and gives the file its name.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self, late: &[Finding], name: impl Fn(&Finding) -> String) -> Result<()> {
        let mut table = FindingTable::new();
        for finding in late.iter().filter(|finding| finding.level >= self.min_level) {
            let name = name(finding);
            let prefix = source_prefix(&name);
            table.push(finding, &name, &prefix);
        }
        let chunks = encode(&mut table, &self.schema, &mut Encoder::new());
        let mut file = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        append(&mut file, &chunks)?;
        file.finish().map(|_| ())
    }
}

fn encode(table: &mut FindingTable, schema: &Schema, encoder: &mut Encoder) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    if table.rows() > 0 {
        let done: std::result::Result<(), std::convert::Infallible> = table.encode(schema, encoder, |_, chunk| {
            chunks.push(chunk);
            Ok(())
        });
        debug_assert!(done.is_ok());
    }
    chunks
}

fn append(file: &mut TableFile, chunks: &[Chunk]) -> Result<()> {
    if chunks.is_empty() {
        return Ok(());
    }
    let pieces: Vec<Piece> = chunks.iter().map(Piece::Fresh).collect();
    file.append_row_group(&pieces)
}

/// Takes the findings of a worker's units.
pub struct FindingRows<'a> {
    file: &'a FindingFile,
    table: FindingTable,
    encoder: Encoder,
}

impl Consumer for FindingRows<'_> {
    fn message(&mut self, found: &Found, _: &mut Vec<Noted>) {
        for noted in found.noted.iter().filter(|noted| noted.level >= self.file.min_level) {
            self.table.push(&found.finding(noted.clone(), Some(0)), found.name, found.id_prefix);
        }
    }

    fn end_unit(&mut self, unit: u32) -> Result<()> {
        let chunks = encode(&mut self.table, &self.file.schema, &mut self.encoder);
        self.file.sequence.put(unit, chunks, |chunks| {
            append(&mut self.file.file.lock().unwrap_or_else(PoisonError::into_inner), &chunks)
        })
    }

    fn abandon(&mut self) {
        self.file.sequence.stop();
    }
}
