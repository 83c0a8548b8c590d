//! Makes a trail, or a new version of one: data files, then each table's version, then the commit.

use super::cleanup::{TempFile, Unfinished, create_dir};
use super::commits;
use super::delta::{self, Added, Change};
use super::lock::WriteLock;
use super::strays;
use super::trail::{Commit, INDEXES, IndexState, LiveFile, TableState, TakenSource, Trail};
use super::{FileSummary, Schema};
use crate::event::key::NO_DAY;
use crate::types::Date;
use crate::{Error, Result};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Files and sources on their way to a commit. While it lives no other run can write to the trail; when it is dropped
/// without a commit, the trail is as it was before.
#[derive(Debug)]
pub struct TrailWriter {
    path: PathBuf,
    /// The latest commit.
    before: Option<Commit>,
    /// What the latest commit has stays, but for what is removed.
    adds: bool,
    /// Paths by table.
    removed: BTreeMap<String, BTreeSet<String>>,
    tables: Vec<Table>,
    indexes: BTreeMap<String, Vec<LiveFile>>,
    sources: Vec<TakenSource>,
    /// Directories of partitions that were asked for; not all of them get a file.
    partitions: RefCell<BTreeSet<PathBuf>>,
    unfinished: Unfinished,
    // Released when all is undone or done.
    lock: WriteLock,
}

#[derive(Debug)]
struct Table {
    schema: Schema,
    files: Vec<(Option<Date>, FileSummary)>,
}

impl TrailWriter {
    /// Starts a new trail, or the next commit of one, which replaces all rows; older versions stay. What an unfinished
    /// run left behind is removed.
    ///
    /// # Errors
    /// When another run is writing to the trail and goes on for longer than `wait`.
    pub fn create(path: &Path, wait: Duration) -> Result<TrailWriter> {
        let made: Vec<PathBuf> = path.ancestors().take_while(|dir| !dir.exists()).map(Path::to_path_buf).collect();
        let made: Vec<PathBuf> = made.into_iter().filter(|dir| !dir.as_os_str().is_empty()).rev().collect();
        let lock = WriteLock::acquire(path, wait)?;
        let trail = path.to_path_buf();
        let unfinished = Unfinished::begin(path, move || strays::undo(&trail, &made))?;
        let before = commits::read_latest(path)?;
        strays::remove_ahead(path, before.as_ref())?;
        Ok(TrailWriter {
            path: path.to_path_buf(),
            before,
            adds: false,
            removed: BTreeMap::new(),
            tables: Vec::new(),
            indexes: BTreeMap::new(),
            sources: Vec::new(),
            partitions: RefCell::default(),
            unfinished,
            lock,
        })
    }

    /// The latest commit.
    pub fn before(&self) -> Option<&Commit> {
        self.before.as_ref()
    }

    /// From now on the next commit is the latest one with what is added, and without what is removed.
    pub fn add_to_latest(&mut self) {
        self.adds = true;
    }

    /// The days of which the latest commit has files of a table; `NO_DAY` for rows without one.
    pub fn latest_days(&self, table: &str) -> BTreeSet<i32> {
        let dates = self.latest(table).filter_map(|file| delta::date_of(partition_of(&file.path)));
        dates.map(|date| date.map_or(NO_DAY, |date| date.0)).collect()
    }

    /// The files of one day of a table in the latest commit: as commits name them, and their full paths.
    pub fn latest_files(&self, table: &str, date: Option<Date>) -> Vec<(String, PathBuf)> {
        let partition = delta::partition(date);
        let files = self.latest(table).filter(|file| partition_of(&file.path) == partition);
        files.map(|file| (file.path.clone(), self.path.join(table).join(&file.path))).collect()
    }

    /// The files of a table in the latest commit.
    fn latest(&self, table: &str) -> impl Iterator<Item = &LiveFile> {
        let state = self.before.iter().flat_map(|before| &before.tables).find(|state| state.name == table);
        state.into_iter().flat_map(|state| &state.files)
    }

    /// Takes a file of the latest commit out of the next; `path` is relative to the table's directory.
    pub fn remove_file(&mut self, table: &str, path: &str) {
        self.removed.entry(table.to_string()).or_default().insert(path.to_string());
    }

    /// The directory of an index, made if it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn index_dir(&self, index: &str) -> Result<PathBuf> {
        let dir = self.path.join(INDEXES).join(index);
        create_dir(&dir)?;
        Ok(dir)
    }

    /// The name of a file of an index in this commit.
    pub fn index_file_name(&self, stem: &str, extension: &str) -> String {
        format!("{stem}-v{}.{extension}", self.version())
    }

    /// Takes a finished file of an index into the commit.
    pub fn add_index_file(&mut self, index: &str, file: LiveFile) {
        self.indexes.entry(index.to_string()).or_default().push(file);
    }

    /// The number the commit will have; part of its files' names.
    pub fn version(&self) -> u64 {
        self.before.as_ref().map_or(0, |commit| commit.version + 1)
    }

    /// The directory for a table's rows of one day, made if it is not there.
    pub fn partition_dir(&self, table: &str, date: Option<Date>) -> Result<PathBuf> {
        let dir = self.path.join(table).join(delta::partition(date));
        create_dir(&dir)?;
        self.partitions.borrow_mut().insert(dir.clone());
        Ok(dir)
    }

    /// The name of the `n`-th file of a partition in this commit.
    pub fn file_name(&self, n: usize) -> String {
        format!("part-{n:05}-v{}.parquet", self.version())
    }

    /// Declares a table; it is in the commit even without a file.
    pub fn add_table(&mut self, schema: &Schema) {
        if !self.tables.iter().any(|table| table.schema.table == schema.table) {
            self.tables.push(Table { schema: schema.clone(), files: Vec::new() });
        }
    }

    /// Takes a finished file into the commit.
    ///
    /// # Panics
    /// When the table was not declared: a fault of the caller.
    pub fn add_file(&mut self, table: &str, date: Option<Date>, file: FileSummary) {
        let table = self.tables.iter_mut().find(|t| t.schema.table == table).expect("the table was declared");
        table.files.push((date, file));
    }

    /// Takes a source into the commit, in place of one of its name.
    pub fn add_source(&mut self, source: TakenSource) {
        self.sources.push(source);
    }

    /// Writes each table's version and then the commit; the commit is what makes the files count. Files of the versions
    /// before stay until those expire.
    ///
    /// # Errors
    /// When something cannot be written, or another run has written without the lock.
    pub fn commit(mut self) -> Result<Trail> {
        let (version, time_ms) = (self.version(), time_after(self.before.as_ref()));
        self.tables.sort_by_key(|table| table.schema.table);
        let before = self.before.take_if(|_| self.adds);
        let mut tables = before.as_ref().map_or_else(Vec::new, |before| before.tables.clone());
        for table in &self.tables {
            let name = table.schema.table;
            let at = tables.iter().position(|state| state.name == name);
            let removed = self.removed.remove(name).unwrap_or_default();
            if self.adds && at.is_some() && table.files.is_empty() && removed.is_empty() {
                continue;
            }
            let dir = self.path.join(name);
            create_dir(&dir)?;
            let state = delta::read(&dir)?;
            let mut added: Vec<Added> = Vec::new();
            for (date, file) in &table.files {
                added.push(Added { path: path_in_table(*date, file), date: *date, file });
            }
            added.sort_by(|a, b| a.path.cmp(&b.path));
            let mut files: Vec<LiveFile> = added.iter().map(live_file).collect();
            if let Some(at) = at {
                let kept = tables[at].files.drain(..).filter(|file| !removed.contains(&file.path));
                files.extend(kept);
                files.sort_by(|a, b| a.path.cmp(&b.path));
            }
            let change = if self.adds {
                // A log may list files that the latest commit does not: of a table that it left out.
                let stays: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
                let removed = state.live.iter().filter(|path| !stays.contains(path.as_str())).cloned().collect();
                Change::Update { removed, added: &added }
            } else {
                Change::Replace(&added)
            };
            if !delta::write(&dir, &state, &table.schema, &change, time_ms)? {
                return Err(overtaken(&self.path));
            }
            tables.retain(|state| state.name != name);
            tables.push(TableState { name: name.to_string(), version: state.next, files });
        }
        debug_assert!(self.removed.is_empty(), "files are removed from declared tables only");
        tables.sort_by(|a, b| a.name.cmp(&b.name));
        let mut sources = before.as_ref().map_or_else(Vec::new, |before| before.sources.clone());
        let own: BTreeSet<&str> = self.sources.iter().map(|source| source.name.as_str()).collect();
        sources.retain(|old| !own.contains(old.name.as_str()));
        sources.append(&mut self.sources);
        sources.sort_by(|a, b| a.name.cmp(&b.name));
        let mut indexes: BTreeMap<String, Vec<LiveFile>> = BTreeMap::new();
        for IndexState { name, files } in before.iter().flat_map(|before| before.indexes.clone()) {
            indexes.insert(name, files);
        }
        for (name, files) in std::mem::take(&mut self.indexes) {
            indexes.entry(name).or_default().extend(files);
        }
        let commit = Commit {
            version,
            writer: WRITER.to_string(),
            operation: "write".to_string(),
            time_ms,
            tables,
            sources,
            indexes: indexes.into_iter().map(|(name, files)| IndexState { name, files }).collect(),
        };
        self.partitions.take().iter().for_each(|dir| strays::remove_if_empty(dir));
        publish(&self.path, &commit)?;
        self.unfinished.complete();
        drop(self.lock);
        Ok(Trail { path: self.path, commit })
    }
}

/// The partition's directory in a path relative to the table's.
pub(super) fn partition_of(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}

/// Program and version, as commits name them.
pub(super) const WRITER: &str = concat!("fixtrail ", env!("CARGO_PKG_VERSION"));

/// The time of a new commit, in milliseconds since 1970: now, or just after the commit before when the clock went back.
pub(super) fn time_after(before: Option<&Commit>) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    before.map_or(now, |commit| now.max(commit.time_ms.saturating_add(1)))
}

/// Gives a commit its name; from then on it counts.
///
/// # Errors
/// When it cannot be written, or another run has written without the lock.
pub(super) fn publish(trail: &Path, commit: &Commit) -> Result<()> {
    let temp = TempFile::create(&commits::dir(trail))?;
    let mut text = serde_json::to_vec_pretty(commit).expect("a commit is numbers and texts");
    text.push(b'\n');
    temp.file().write_all(&text).map_err(Error::io(temp.path(), "cannot write"))?;
    if temp.publish_new(&commits::path(trail, commit.version))? { Ok(()) } else { Err(overtaken(trail)) }
}

pub(super) fn overtaken(trail: &Path) -> Error {
    Error::Usage(format!("{}: another run has written to this trail meanwhile; run again", trail.display()))
}

/// An added file as the commit lists it.
pub(super) fn live_file(Added { path, file, .. }: &Added) -> LiveFile {
    LiveFile { path: path.clone(), rows: file.rows, bytes: file.bytes, digest: file.digest.clone() }
}

/// Path relative to the table's directory.
pub(super) fn path_in_table(date: Option<Date>, file: &FileSummary) -> String {
    let name = file.path.file_name().unwrap_or_default().to_string_lossy();
    format!("{}/{name}", delta::partition(date))
}

#[cfg(test)]
mod tests;
