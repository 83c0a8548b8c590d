//! Puts chunks together to a Parquet file that appears under its name only when it is complete.

use super::chunk::{Bound, Bounds, Chunk, ChunkMeta};
use super::cleanup::TempFile;
use super::{Schema, SpooledChunk, footer};
use crate::{Error, Result};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData};
use parquet::schema::types::SchemaDescPtr;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const MAGIC: &[u8] = b"PAR1";
/// Bytes of a chunk that are copied at once.
const COPIED_AT_ONCE: u64 = 1 << 20;

/// One column of a row group, wherever it is.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    Fresh(&'a Chunk),
    Spooled(&'a SpooledChunk),
}

impl Piece<'_> {
    fn meta(&self) -> &ChunkMeta {
        match self {
            Piece::Fresh(chunk) => &chunk.meta,
            Piece::Spooled(chunk) => &chunk.meta,
        }
    }
}

/// A Parquet file being written under a temporary name in its directory.
pub struct TableFile {
    path: PathBuf,
    temp: TempFile,
    schema: Schema,
    descr: SchemaDescPtr,
    hasher: blake3::Hasher,
    len: u64,
    rows: u64,
    row_groups: Vec<RowGroupMetaData>,
    columns: Vec<ColumnSummary>,
    buffer: Vec<u8>,
}

impl TableFile {
    /// Starts a file that [`TableFile::finish`] will call `dir/name`. `dir` exists.
    pub fn create(dir: &Path, name: &str, schema: &Schema) -> Result<TableFile> {
        let path = dir.join(name);
        let descr = footer::descriptor(schema).map_err(refused(&path))?;
        let columns = schema.columns.iter().map(|column| ColumnSummary::new(column.name)).collect();
        let mut file = TableFile {
            temp: TempFile::create(dir)?,
            path,
            schema: schema.clone(),
            descr,
            hasher: blake3::Hasher::new(),
            len: 0,
            rows: 0,
            row_groups: Vec::new(),
            columns,
            buffer: Vec::new(),
        };
        file.write(MAGIC)?;
        Ok(file)
    }

    /// Adds a row group: one piece for each column of the schema, in its order, all with the same number of rows. None
    /// is added for no rows.
    ///
    /// # Panics
    /// When the pieces are not those of the schema: a fault of the caller.
    pub fn append_row_group(&mut self, pieces: &[Piece]) -> Result<()> {
        assert_eq!(pieces.len(), self.schema.columns.len(), "one piece for each column of {}", self.schema.table);
        let rows = pieces.first().map_or(0, |piece| piece.meta().rows);
        assert!(pieces.iter().all(|piece| piece.meta().rows == rows), "all columns have the same number of rows");
        if rows == 0 {
            return Ok(());
        }
        let mut starts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            starts.push(self.len);
            self.write_part(piece, 0, piece.meta().pages_len)?;
        }
        let mut chunks = Vec::with_capacity(pieces.len());
        for (index, (piece, start)) in pieces.iter().zip(starts).enumerate() {
            let meta = piece.meta();
            let bloom = self.len;
            self.write_part(piece, meta.pages_len, meta.bloom_len)?;
            let column = &self.schema.columns[index];
            let chunk = footer::chunk(self.descr.column(index), column, meta, start, bloom);
            chunks.push(chunk.map_err(refused(&self.path))?);
            self.columns[index].add(meta);
        }
        let group = footer::row_group(&self.descr, &self.schema, chunks, rows, self.row_groups.len());
        self.row_groups.push(group.map_err(refused(&self.path))?);
        self.rows += rows as u64;
        Ok(())
    }

    /// Adds the row groups of a finished file of the same columns, byte for byte.
    ///
    /// # Errors
    /// When they cannot be read, or their places are not in the file.
    pub(super) fn copy_row_groups(&mut self, from: &RowGroups) -> Result<()> {
        (0..from.metadata.num_row_groups()).try_for_each(|group| self.copy_row_group(from, group, None))
    }

    /// Adds a row group of a finished file of the same columns: byte for byte, but for a column that is given anew.
    ///
    /// # Errors
    /// When it cannot be read, or its places are not in the file.
    pub(super) fn copy_row_group(
        &mut self,
        from: &RowGroups,
        group: usize,
        other: Option<(usize, &Chunk)>,
    ) -> Result<()> {
        let group = from.metadata.row_group(group);
        let other_at =
            |index: usize| other.filter(|(column, _)| *column == index).map(|(_, chunk)| Piece::Fresh(chunk));
        let mut places = Vec::with_capacity(group.num_columns());
        for (index, chunk) in group.columns().iter().enumerate() {
            places.push(self.len);
            if let Some(piece) = other_at(index) {
                self.write_part(&piece, 0, piece.meta().pages_len)?;
                continue;
            }
            let (start, len) = footer::pages(chunk).ok_or_else(|| from.damaged("a column's place is wrong"))?;
            self.copy(from, start, len)?;
        }
        let mut chunks = Vec::with_capacity(places.len());
        for (index, (chunk, start)) in group.columns().iter().zip(places).enumerate() {
            let bloom = self.len;
            let column = &self.schema.columns[index];
            if let Some(piece) = other_at(index) {
                let meta = piece.meta();
                let made = footer::chunk(self.descr.column(index), column, meta, start, bloom);
                chunks.push(made.map_err(refused(&self.path))?);
                self.columns[index].add(meta);
                self.write_part(&piece, meta.pages_len, meta.bloom_len)?;
                continue;
            }
            let moved = footer::moved(chunk, start, bloom).map_err(refused(&self.path))?;
            self.columns[index].add_bounds(
                group.num_rows() as u64,
                chunk.statistics().and_then(|s| s.null_count_opt()).unwrap_or(0),
                footer::bounds(column, chunk).as_ref(),
            );
            if let Some((start, len)) = footer::bloom(chunk) {
                self.copy(from, start, len)?;
            }
            chunks.push(moved);
        }
        let copied = footer::renumbered(group, chunks, self.row_groups.len()).map_err(refused(&self.path))?;
        self.row_groups.push(copied);
        self.rows += group.num_rows() as u64;
        Ok(())
    }

    fn copy(&mut self, from: &RowGroups, mut start: u64, mut len: u64) -> Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        while len > 0 {
            buffer.resize(len.min(COPIED_AT_ONCE) as usize, 0);
            from.file.read_exact_at(&mut buffer, start).map_err(Error::io(&from.path, "cannot read"))?;
            self.write(&buffer)?;
            start += buffer.len() as u64;
            len -= buffer.len() as u64;
        }
        self.buffer = buffer;
        Ok(())
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes so far.
    pub fn len_bytes(&self) -> u64 {
        self.len
    }

    /// Writes the footer, makes the file durable and gives it its name, replacing a file that has it already. Without a
    /// row group it is an empty table that still shows its columns. Dropping the file instead removes it.
    pub fn finish(mut self) -> Result<FileSummary> {
        let metadata = footer::file(&self.descr, &self.schema, std::mem::take(&mut self.row_groups));
        let mut footer = Vec::new();
        ParquetMetaDataWriter::new(&mut footer, &metadata).finish().map_err(refused(&self.path))?;
        self.write(&footer)?;
        self.temp.publish(&self.path)?;
        Ok(FileSummary {
            path: self.path,
            rows: self.rows,
            bytes: self.len,
            digest: self.hasher.finalize().to_hex().to_string(),
            columns: self.columns,
        })
    }

    fn write_part(&mut self, piece: &Piece, start: usize, len: usize) -> Result<()> {
        match piece {
            Piece::Fresh(chunk) => self.write(&chunk.bytes[start..start + len]),
            Piece::Spooled(chunk) => {
                let mut buffer = std::mem::take(&mut self.buffer);
                buffer.resize(len, 0);
                chunk.spool.read(chunk.start + start as u64, &mut buffer)?;
                let written = self.write(&buffer);
                chunk.spool.free(chunk.start + start as u64, len);
                self.buffer = buffer;
                written
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.hasher.update(bytes);
        self.temp.file().write_all(bytes).map_err(Error::io(&self.path, "cannot write"))?;
        self.len += bytes.len() as u64;
        Ok(())
    }
}

/// The row groups of a finished file, to be copied into another.
pub(super) struct RowGroups {
    path: PathBuf,
    file: File,
    metadata: ParquetMetaData,
}

impl RowGroups {
    /// Reads the footer of a file.
    ///
    /// # Errors
    /// When it cannot be read or is no footer.
    pub fn open(path: &Path) -> Result<RowGroups> {
        let file = File::open(path).map_err(Error::io(path, "cannot open"))?;
        let metadata = ParquetMetaDataReader::new()
            .parse_and_finish(&file)
            .map_err(|error| Error::Damaged { path: path.to_path_buf(), what: format!("not Parquet: {error}") })?;
        Ok(RowGroups { path: path.to_path_buf(), file, metadata })
    }

    /// The columns and their meaning are those of `schema`.
    ///
    /// # Errors
    /// When the library refuses the schema: a fault of ours.
    pub fn are_of(&self, schema: &Schema) -> Result<bool> {
        let descr = footer::descriptor(schema).map_err(refused(&self.path))?;
        let file = self.metadata.file_metadata();
        let version = file.key_value_metadata().into_iter().flatten().find(|pair| pair.key == footer::SCHEMA_VERSION);
        let is_version = version.and_then(|pair| pair.value.as_deref()) == Some(schema.version.to_string().as_str());
        Ok(is_version && file.schema_descr().root_schema() == descr.root_schema())
    }

    pub fn count(&self) -> usize {
        self.metadata.num_row_groups()
    }

    pub(super) fn damaged(&self, what: &str) -> Error {
        Error::Damaged { path: self.path.clone(), what: what.to_string() }
    }
}

/// The library's refusal about the file at `path`.
fn refused(path: &Path) -> impl FnOnce(ParquetError) -> Error {
    let path = path.to_path_buf();
    move |error| match error {
        ParquetError::External(error) if error.is::<io::Error>() => {
            Error::Io { path, doing: "cannot write", source: *error.downcast().expect("the guard asked for its type") }
        }
        error => Error::Parquet { path, what: error.to_string() },
    }
}

/// What a finished file holds.
#[derive(Clone, Debug)]
pub struct FileSummary {
    pub path: PathBuf,
    pub rows: u64,
    pub bytes: u64,
    /// BLAKE3 of the whole file, in hex.
    pub digest: String,
    /// One for each column of the schema, in its order.
    pub columns: Vec<ColumnSummary>,
}

/// What a finished file holds of one column.
#[derive(Clone, Debug)]
pub struct ColumnSummary {
    pub name: &'static str,
    pub nulls: u64,
    /// Least and greatest value; none without statistics or without a value.
    pub min: Option<Bound>,
    pub max: Option<Bound>,
    /// A chunk has values without a bound.
    unbounded: bool,
}

impl ColumnSummary {
    fn new(name: &'static str) -> ColumnSummary {
        ColumnSummary { name, nulls: 0, min: None, max: None, unbounded: false }
    }

    fn add(&mut self, meta: &ChunkMeta) {
        self.add_bounds(meta.rows as u64, meta.nulls as u64, meta.bounds.as_ref());
    }

    fn add_bounds(&mut self, rows: u64, nulls: u64, bounds: Option<&Bounds>) {
        self.nulls += nulls;
        self.unbounded |= nulls < rows && bounds.is_none_or(|bounds| bounds.max.is_none());
        if self.unbounded {
            (self.min, self.max) = (None, None);
        } else if let Some(bounds) = bounds {
            let min = self.min.take().map_or_else(|| bounds.min.clone(), |min| min.min(bounds.min.clone()));
            self.min = Some(min);
            // None is less than any bound.
            self.max = self.max.take().max(bounds.max.clone());
        }
    }
}
