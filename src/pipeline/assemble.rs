//! Puts row groups, lifecycle ids and the linker's rows together into the files of a trail, in parallel.

use super::assembler::{Ids, Schemas, Worker};
use super::row_ids::RowIds;
use super::tables::RowGroup;
use super::take_out::Tails;
use crate::event::key::NO_DAY;
use crate::event::source_prefix;
use crate::link::{Before, Linkage, Linked, News};
use crate::pipeline::Counts;
use crate::table::ids::{IDS, IdNotes};
use crate::table::trail::Commit;
use crate::table::{FileSummary, Spool, TrailWriter};
use crate::types::Date;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Row groups in one file of `events`, about a million rows.
const GROUPS_PER_FILE: usize = 8;
/// Row groups in one file of `findings`, which are mostly small.
const FINDING_GROUPS_PER_FILE: usize = 64;
/// Blocks of lifecycles in one file.
const BLOCKS_PER_FILE: usize = 4;

/// What the files of a run hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    pub links: u64,
    pub lifecycles: u64,
    pub findings: u64,
    pub bytes: u64,
    pub files: u64,
}

/// One file to be written by whoever is free.
pub(super) enum Job<'a> {
    Events {
        groups: &'a [RowGroup],
        ids: Ids<'a>,
        dir: PathBuf,
        name: String,
    },
    Findings {
        groups: &'a [RowGroup],
        dir: PathBuf,
        name: String,
    },
    Blocks {
        linked: &'a Linked,
        blocks: std::ops::Range<usize>,
        dirs: [PathBuf; 4],
        name: String,
        update: Option<Update<'a>>,
    },
}

/// What is there already, and what happened to it.
#[derive(Clone, Copy)]
pub(super) struct Update<'a> {
    pub before: &'a Before,
    pub news: &'a News,
    /// The commit to come.
    pub version: u64,
}

/// A finished file and where it belongs.
pub(super) type Finished = (&'static str, Option<Date>, FileSummary);

/// Writes every file and takes it into `writer`, which is not committed yet. Findings of the linker are counted. With
/// `before`, rows that are there already are not written again, and those that are there no longer are taken out, as are
/// the `tails` of sources that are read anew.
///
/// # Errors
/// When a file cannot be written, or what waits in `spool` cannot be read back.
#[expect(clippy::too_many_arguments, reason = "the ends of a run meet here")]
pub fn assemble(
    writer: &mut TrailWriter,
    event_groups: &[RowGroup],
    finding_groups: &[RowGroup],
    linkage: Option<Linkage>,
    before: Option<Before>,
    tails: &Tails,
    ids: Option<&IdNotes>,
    spool: &Arc<Spool>,
    names: &[String],
    threads: usize,
    counts: &mut Counts,
) -> Result<Written> {
    let schemas = Schemas::new();
    writer.add_table(&schemas.events);
    writer.add_table(&schemas.findings);
    if linkage.is_some() {
        writer.add_table(&schemas.links);
        writer.add_table(&schemas.lifecycles);
        // Of a trail that is made anew no change is told any more.
        let has_changes = |before: &Commit| before.tables.iter().any(|table| table.name == schemas.changes.table);
        if writer.before().is_some_and(has_changes) {
            writer.add_table(&schemas.changes);
        }
    }
    let prefixes: Vec<String> = names.iter().map(|name| source_prefix(name)).collect();
    let mut assembly = Assembly {
        writer,
        schemas: &schemas,
        names,
        prefixes: &prefixes,
        threads,
        counts,
        ids,
        written: Written::default(),
        file_numbers: BTreeMap::new(),
    };
    let old = before.as_ref();
    match linkage {
        Some(Linkage::Whole(linked)) => {
            let mut jobs = assembly.groups(event_groups, finding_groups, Ids::Linked(&linked))?;
            let news = old.map(|before| before.news(&linked));
            jobs.extend(assembly.blocks(&linked, old.zip(news.as_ref()))?);
            assembly.run(jobs)?;
        }
        Some(Linkage::Buckets(buckets)) => {
            let mut row_ids = RowIds::new(spool.clone());
            for bucket in 0..buckets.len() {
                let linked = buckets.link(bucket)?;
                let news = old.map(|before| before.news(&linked));
                let jobs = assembly.blocks(&linked, old.zip(news.as_ref()))?;
                assembly.run(jobs)?;
                row_ids.add(&linked)?;
            }
            let jobs = assembly.groups(event_groups, finding_groups, Ids::Stored(&row_ids))?;
            assembly.run(jobs)?;
        }
        None => {
            let jobs = assembly.groups(event_groups, finding_groups, Ids::None)?;
            assembly.run(jobs)?;
        }
    }
    if let Some(before) = before {
        assembly.take_out(&before.gone(), tails)?;
    }
    let written = assembly.written;
    if let Some(ids) = ids {
        let file = ids.write(&writer.index_dir(IDS)?, &writer.index_file_name("ids", "idx"))?;
        writer.add_index_file(IDS, file);
    }
    Ok(written)
}

pub(super) struct Assembly<'a> {
    pub(super) writer: &'a mut TrailWriter,
    schemas: &'a Schemas,
    names: &'a [String],
    pub(super) prefixes: &'a [String],
    threads: usize,
    counts: &'a mut Counts,
    pub(super) ids: Option<&'a IdNotes>,
    pub(super) written: Written,
    /// Files so far by table and date: names depend on the data only.
    file_numbers: BTreeMap<(&'static str, Option<Date>), usize>,
}

impl Assembly<'_> {
    pub(super) fn next_name(&mut self, table: &'static str, date: Option<Date>) -> String {
        let number = self.file_numbers.entry((table, date)).or_insert(0);
        *number += 1;
        self.writer.file_name(*number - 1)
    }

    /// The files of what the messages gave.
    fn groups<'j>(&mut self, events: &'j [RowGroup], findings: &'j [RowGroup], ids: Ids<'j>) -> Result<Vec<Job<'j>>> {
        let mut jobs = Vec::new();
        for day in events.chunk_by(|a, b| a.date == b.date) {
            for groups in day.chunks(GROUPS_PER_FILE) {
                let dir = self.writer.partition_dir("events", groups[0].date)?;
                let name = self.next_name("events", groups[0].date);
                jobs.push(Job::Events { groups, ids, dir, name });
            }
        }
        for day in findings.chunk_by(|a, b| a.date == b.date) {
            for groups in day.chunks(FINDING_GROUPS_PER_FILE) {
                let dir = self.writer.partition_dir("findings", groups[0].date)?;
                let name = self.next_name("findings", groups[0].date);
                jobs.push(Job::Findings { groups, dir, name });
            }
        }
        Ok(jobs)
    }

    /// The files of what linking gave.
    fn blocks<'j>(&mut self, linked: &'j Linked, old: Option<(&'j Before, &'j News)>) -> Result<Vec<Job<'j>>> {
        let version = self.writer.version();
        let update = old.map(|(before, news)| Update { before, news, version });
        let mut jobs = Vec::new();
        let mut start = 0;
        while start < linked.blocks() {
            let day = linked.block_day(start);
            let end = (start..linked.blocks().min(start + BLOCKS_PER_FILE))
                .find(|&b| linked.block_day(b) != day)
                .unwrap_or(linked.blocks().min(start + BLOCKS_PER_FILE));
            let date = (day != NO_DAY).then_some(Date(day));
            let mut dirs: [PathBuf; 4] = Default::default();
            let tables = ["links", "lifecycles", "findings", "changes"];
            for (dir, table) in dirs.iter_mut().zip(&tables[..if update.is_some() { 4 } else { 3 }]) {
                *dir = self.writer.partition_dir(table, date)?;
            }
            // One number for the files, another than those of `findings` that the messages gave.
            let name = self.next_name("findings", date);
            jobs.push(Job::Blocks { linked, blocks: start..end, dirs, name, update });
            start = end;
        }
        Ok(jobs)
    }

    /// Writes the files, the longest first, so that no thread is left alone with one at the end.
    fn run(&mut self, mut jobs: Vec<Job<'_>>) -> Result<()> {
        jobs.sort_by_key(|job| match job {
            Job::Events { .. } => 0,
            Job::Blocks { .. } => 1,
            Job::Findings { .. } => 2,
        });
        let results: Vec<Mutex<Vec<Finished>>> = jobs.iter().map(|_| Mutex::new(Vec::new())).collect();
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let failed: Mutex<Option<Error>> = Mutex::new(None);
        let counted = Mutex::new(Counts::default());
        let work = || {
            let mut worker = Worker::new(self.schemas, self.names, self.prefixes, self.ids);
            while !stop.load(Ordering::Relaxed) {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(at) else { break };
                match worker.write(job) {
                    Ok(files) => *results[at].lock().unwrap_or_else(PoisonError::into_inner) = files,
                    Err(error) => {
                        stop.store(true, Ordering::Relaxed);
                        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                }
            }
            counted.lock().unwrap_or_else(PoisonError::into_inner).add(&worker.counts);
        };
        if self.threads <= 1 {
            work();
        } else {
            std::thread::scope(|scope| {
                for _ in 1..self.threads {
                    // A thread that cannot be had is work for this one.
                    let _ = std::thread::Builder::new().spawn_scoped(scope, work);
                }
                work();
            });
        }
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        self.counts.add(&counted.into_inner().unwrap_or_else(PoisonError::into_inner));
        for files in results {
            for (table, date, file) in files.into_inner().unwrap_or_else(PoisonError::into_inner) {
                self.written.files += 1;
                self.written.bytes += file.bytes;
                match table {
                    "changes" => self.writer.add_table(&self.schemas.changes),
                    "links" => self.written.links += file.rows,
                    "lifecycles" => self.written.lifecycles += file.rows,
                    "findings" => self.written.findings += file.rows,
                    _ => {}
                }
                self.writer.add_file(table, date, file);
            }
        }
        Ok(())
    }
}
