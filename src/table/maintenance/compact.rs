//! Merges small files of a partition into larger ones: row groups are copied as they are, rows keep their order.

use super::{other_digest, read_all};
use crate::table::cleanup::Unfinished;
use crate::table::delta::{self, Added, Change};
use crate::table::file::{FileSummary, RowGroups, TableFile};
use crate::table::ids::{IDS, IdNotes};
use crate::table::linked::{lifecycle_schema, link_schema};
use crate::table::lock::WriteLock;
use crate::table::trail::{Commit, INDEXES, LiveFile, TableState};
use crate::table::trail_writer::{WRITER, live_file, overtaken, partition_of, path_in_table, publish, time_after};
use crate::table::{Schema, Spool, changes, commits, events, findings, strays};
use crate::types::Date;
use crate::{Error, Result};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

/// What was merged; `version` is none when there was nothing to merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    pub version: Option<u64>,
    /// Files that were merged, and files that they became.
    pub merged: u64,
    pub into: u64,
    /// Bytes that were written.
    pub bytes: u64,
}

/// Commits a version in which neighbouring files of a partition are merged as long as the result is at most
/// `target_bytes` long. Files of other columns than today's stay as they are. Older versions keep their files.
///
/// # Errors
/// When another run is writing for longer than `wait`, or a file to be merged is damaged; the trail is unchanged then.
pub fn compact(trail: &Path, target_bytes: u64, wait: Duration) -> Result<Compacted> {
    super::must_exist(trail)?;
    let _lock = WriteLock::acquire(trail, wait)?;
    let Some(before) = commits::read_latest(trail)? else { return Ok(Compacted::default()) };
    let path = trail.to_path_buf();
    let unfinished = Unfinished::begin(trail, move || strays::undo(&path, &[]))?;
    strays::remove_ahead(trail, Some(&before))?;
    let time_ms = time_after(Some(&before));
    let (version, done) = (before.version + 1, Compacted::default());
    let mut merger = Merger { trail, version, target_bytes, done, moved: Vec::new() };
    let tables = before.tables.iter().map(|state| merger.table(state, time_ms)).collect::<Result<Vec<_>>>()?;
    if merger.done.merged > 0 {
        let (writer, operation) = (WRITER.to_string(), "compact".to_string());
        let (sources, mut indexes) = (before.sources.clone(), before.indexes.clone());
        if let Some(ids) = indexes.iter_mut().find(|index| index.name == IDS) {
            ids.files.push(moved_ids(trail, merger.version, &merger.moved)?);
        }
        let commit = Commit { version: merger.version, writer, operation, time_ms, tables, sources, indexes };
        publish(trail, &commit)?;
        merger.done.version = Some(merger.version);
    }
    unfinished.complete();
    Ok(merger.done)
}

struct Merger<'a> {
    trail: &'a Path,
    /// Of the commit to come.
    version: u64,
    target_bytes: u64,
    done: Compacted,
    /// Paths within the trail and what has taken their place.
    moved: Vec<(String, String)>,
}

impl Merger<'_> {
    /// The table's state with its files merged, and that written to the table's log if anything has changed.
    fn table(&mut self, state: &TableState, time_ms: i64) -> Result<TableState> {
        let Some(schema) = schema_of(&state.name) else { return Ok(state.clone()) };
        let dir = self.trail.join(&state.name);
        let mut files = Vec::new();
        let (mut merged, mut summaries) = (Vec::new(), Vec::new());
        for day in state.files.chunk_by(|a, b| partition_of(&a.path) == partition_of(&b.path)) {
            let Some(date) = delta::date_of(partition_of(&day[0].path)) else {
                files.extend_from_slice(day);
                continue;
            };
            let mut made = 0;
            for run in self.runs(&dir, &schema, day)? {
                if let [alone] = run {
                    files.push(alone.clone());
                    continue;
                }
                let name = format!("part-{made:05}-v{}.parquet", self.version);
                let summary = merge(&dir, &schema, run, date, &name)?;
                made += 1;
                let added = Added { path: path_in_table(date, &summary), date, file: &summary };
                files.push(live_file(&added));
                let now = format!("{}/{}", state.name, added.path);
                self.moved.extend(run.iter().map(|file| (format!("{}/{}", state.name, file.path), now.clone())));
                merged.extend(run.iter().map(|file| file.path.clone()));
                summaries.push((date, summary));
            }
        }
        if merged.is_empty() {
            return Ok(state.clone());
        }
        self.done.merged += merged.len() as u64;
        self.done.into += summaries.len() as u64;
        self.done.bytes += summaries.iter().map(|(_, file)| file.bytes).sum::<u64>();
        let added = |(date, file): &'_ (Option<Date>, FileSummary)| path_in_table(*date, file);
        let added: Vec<Added> =
            summaries.iter().map(|both| Added { path: added(both), date: both.0, file: &both.1 }).collect();
        let log = delta::read(&dir)?;
        if !delta::write(&dir, &log, &schema, &Change::Merge { merged, into: &added }, time_ms)? {
            return Err(overtaken(self.trail));
        }
        Ok(TableState { name: state.name.clone(), version: log.next, files })
    }

    /// Cuts the files of a partition into runs of neighbours that become one file each.
    fn runs<'f>(&self, dir: &Path, schema: &Schema, files: &'f [LiveFile]) -> Result<Vec<&'f [LiveFile]>> {
        let mut runs = Vec::new();
        let (mut start, mut bytes, mut open) = (0, 0, false);
        for (at, file) in files.iter().enumerate() {
            let fits = file.bytes < self.target_bytes && RowGroups::open(&dir.join(&file.path))?.are_of(schema)?;
            if at > start && !(open && fits && bytes + file.bytes <= self.target_bytes) {
                runs.push(&files[start..at]);
                (start, bytes) = (at, 0);
            }
            (bytes, open) = (bytes + file.bytes, fits);
        }
        runs.push(&files[start..]);
        Ok(runs)
    }
}

/// Tells the index of ids which files have taken the place of others.
fn moved_ids(trail: &Path, version: u64, moved: &[(String, String)]) -> Result<LiveFile> {
    let dir = trail.join(INDEXES).join(IDS);
    let notes = IdNotes::new(Spool::create(&dir)?);
    moved.iter().for_each(|(from, to)| notes.move_file(from, to));
    notes.write(&dir, &format!("ids-v{version}.idx"))
}

/// Columns of a table as they are today.
fn schema_of(table: &str) -> Option<Schema> {
    [changes::schema(), events::schema(), findings::schema(), link_schema(), lifecycle_schema()]
        .into_iter()
        .find(|s| s.table == table)
}

/// One file of the row groups of several, whose digests are checked first.
fn merge(dir: &Path, schema: &Schema, files: &[LiveFile], date: Option<Date>, name: &str) -> Result<FileSummary> {
    let mut merged = TableFile::create(&dir.join(delta::partition(date)), name, schema)?;
    for file in files {
        let path = dir.join(&file.path);
        let mut bytes = File::open(&path).map_err(Error::io(&path, "cannot open"))?;
        let digest = read_all(&mut bytes, &path, |_| Ok(()))?;
        if digest != file.digest {
            return Err(Error::Damaged { path, what: other_digest(&digest, &file.digest) });
        }
        merged.copy_row_groups(&RowGroups::open(&path)?)?;
    }
    merged.finish()
}
