//! Puts row groups, lifecycle ids and the linker's rows together into the files of a trail, in parallel.

use super::tables::RowGroup;
use crate::event::key::NO_DAY;
use crate::event::source_prefix;
use crate::finding::Finding;
use crate::link::{LifecycleRow, LinkRow, Linked, Rows};
use crate::pipeline::Counts;
use crate::table::TrailWriter;
use crate::table::events::{self, unlinked_chunks};
use crate::table::findings::{self, FindingTable};
use crate::table::linked::{LifecycleTable, LinkTable, lifecycle_schema, link_schema};
use crate::table::{Builder, Chunk, CodedColumn, Encoder, FileSummary, Piece, Schema, TableFile, TextListColumn};
use crate::types::Date;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

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
enum Job<'a> {
    Events { groups: &'a [RowGroup], dir: PathBuf, name: String },
    Findings { groups: &'a [RowGroup], dir: PathBuf, name: String },
    Blocks { blocks: std::ops::Range<usize>, dirs: [PathBuf; 3], name: String },
}

/// A finished file and where it belongs.
type Finished = (&'static str, Option<Date>, FileSummary);

/// Writes every file and takes it into `writer`, which is not committed yet. Findings of the linker are counted.
///
/// # Errors
/// When a file cannot be written.
pub fn assemble(
    writer: &mut TrailWriter,
    event_groups: &[RowGroup],
    finding_groups: &[RowGroup],
    linked: Option<&Linked>,
    names: &[String],
    threads: usize,
    counts: &mut Counts,
) -> Result<Written> {
    let schemas = Schemas {
        events: events::schema(),
        findings: findings::schema(),
        links: link_schema(),
        lifecycles: lifecycle_schema(),
    };
    writer.add_table(&schemas.events);
    writer.add_table(&schemas.findings);
    if linked.is_some() {
        writer.add_table(&schemas.links);
        writer.add_table(&schemas.lifecycles);
    }
    let jobs = plan(writer, event_groups, finding_groups, linked)?;
    let prefixes: Vec<String> = names.iter().map(|name| source_prefix(name)).collect();
    let results: Vec<Mutex<Vec<Finished>>> = jobs.iter().map(|_| Mutex::new(Vec::new())).collect();
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let failed: Mutex<Option<Error>> = Mutex::new(None);
    let counted = Mutex::new(Counts::default());
    let work = || {
        let mut worker = Worker {
            schemas: &schemas,
            linked,
            names,
            prefixes: &prefixes,
            encoder: Encoder::new(),
            codes: Vec::new(),
            counts: Counts::default(),
        };
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
    if threads <= 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // A thread that cannot be had is work for this one.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
    }
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    counts.add(&counted.into_inner().unwrap_or_else(PoisonError::into_inner));
    let mut written = Written::default();
    for files in results {
        for (table, date, file) in files.into_inner().unwrap_or_else(PoisonError::into_inner) {
            written.files += 1;
            written.bytes += file.bytes;
            match table {
                "links" => written.links += file.rows,
                "lifecycles" => written.lifecycles += file.rows,
                "findings" => written.findings += file.rows,
                _ => {}
            }
            writer.add_file(table, date, file);
        }
    }
    Ok(written)
}

/// Which files there will be; their names depend on the data only.
fn plan<'a>(
    writer: &TrailWriter,
    event_groups: &'a [RowGroup],
    finding_groups: &'a [RowGroup],
    linked: Option<&Linked>,
) -> Result<Vec<Job<'a>>> {
    let mut jobs = Vec::new();
    let mut file_numbers: BTreeMap<(&str, Option<Date>), usize> = BTreeMap::new();
    let mut number = |table: &'static str, date: Option<Date>| {
        let n = file_numbers.entry((table, date)).or_insert(0);
        *n += 1;
        *n - 1
    };
    for day in event_groups.chunk_by(|a, b| a.date == b.date) {
        for groups in day.chunks(GROUPS_PER_FILE) {
            let dir = writer.partition_dir("events", groups[0].date)?;
            let name = writer.file_name(number("events", groups[0].date));
            jobs.push(Job::Events { groups, dir, name });
        }
    }
    for day in finding_groups.chunk_by(|a, b| a.date == b.date) {
        for groups in day.chunks(FINDING_GROUPS_PER_FILE) {
            let dir = writer.partition_dir("findings", groups[0].date)?;
            let name = writer.file_name(number("findings", groups[0].date));
            jobs.push(Job::Findings { groups, dir, name });
        }
    }
    if let Some(linked) = linked {
        let mut start = 0;
        while start < linked.blocks() {
            let day = linked.block_day(start);
            let end = (start..linked.blocks().min(start + BLOCKS_PER_FILE))
                .find(|&b| linked.block_day(b) != day)
                .unwrap_or(linked.blocks().min(start + BLOCKS_PER_FILE));
            let date = (day != NO_DAY).then_some(Date(day));
            let mut dirs = [PathBuf::new(), PathBuf::new(), PathBuf::new()];
            for (dir, table) in dirs.iter_mut().zip(["links", "lifecycles", "findings"]) {
                *dir = writer.partition_dir(table, date)?;
            }
            // One number for the three files, behind those of `findings` that the messages gave.
            let name = writer.file_name(number("findings", date));
            jobs.push(Job::Blocks { blocks: start..end, dirs, name });
            start = end;
        }
    }
    // The longest first, so that no thread is left alone with one at the end.
    jobs.sort_by_key(|job| match job {
        Job::Events { .. } => 0,
        Job::Blocks { .. } => 1,
        Job::Findings { .. } => 2,
    });
    Ok(jobs)
}

struct Schemas {
    events: Schema,
    findings: Schema,
    links: Schema,
    lifecycles: Schema,
}

struct Worker<'a> {
    schemas: &'a Schemas,
    linked: Option<&'a Linked>,
    names: &'a [String],
    prefixes: &'a [String],
    encoder: Encoder,
    /// For each lifecycle its number among the ids of a row group, or [`NO_CODE`].
    codes: Vec<u32>,
    counts: Counts,
}

const NO_CODE: u32 = u32::MAX;

impl Worker<'_> {
    fn write(&mut self, job: &Job) -> Result<Vec<Finished>> {
        match job {
            Job::Events { groups, dir, name } => {
                let mut file = TableFile::create(dir, name, &self.schemas.events)?;
                for group in *groups {
                    let late = self.lifecycle_chunks(group);
                    file.append_row_group(&pieces(group, &late))?;
                }
                Ok(vec![("events", groups[0].date, file.finish()?)])
            }
            Job::Findings { groups, dir, name } => {
                let mut file = TableFile::create(dir, name, &self.schemas.findings)?;
                for group in *groups {
                    file.append_row_group(&pieces(group, &[]))?;
                }
                Ok(vec![("findings", groups[0].date, file.finish()?)])
            }
            Job::Blocks { blocks, dirs, name } => self.write_blocks(blocks.clone(), dirs, name),
        }
    }

    /// The two columns that linking fills.
    fn lifecycle_chunks(&mut self, group: &RowGroup) -> [Chunk; 2] {
        let schema = &self.schemas.events;
        let Some(linked) = self.linked else { return unlinked_chunks(schema, group.rows, &mut self.encoder) };
        let (mut ids, mut met) = (CodedColumn::new(), Vec::new());
        self.codes.resize(linked.lifecycles() as usize, NO_CODE);
        let mut push = |row: usize, lifecycle: u32| {
            let code = &mut self.codes[lifecycle as usize];
            if *code == NO_CODE {
                *code = ids.add(&linked.id(lifecycle));
                met.push(lifecycle);
            }
            ids.push_at(row, *code);
        };
        match &group.unit_rows {
            None => linked.each_row(group.unit, |row, lifecycle| push(row as usize, lifecycle)),
            Some(own) => {
                let mut at = 0;
                linked.each_row(group.unit, |row, lifecycle| {
                    at += own[at..].iter().take_while(|&&r| r < row).count();
                    if own.get(at) == Some(&row) {
                        push(at, lifecycle);
                    }
                });
            }
        }
        met.iter().for_each(|&lifecycle| self.codes[lifecycle as usize] = NO_CODE);
        [
            ids.encode(&schema.columns[events::LIFECYCLE_ID], group.rows, &mut self.encoder),
            TextListColumn::new().encode(&schema.columns[events::ALSO_IN], group.rows, &mut self.encoder),
        ]
    }

    fn write_blocks(
        &mut self,
        blocks: std::ops::Range<usize>,
        dirs: &[PathBuf; 3],
        name: &str,
    ) -> Result<Vec<Finished>> {
        let Some(linked) = self.linked else { return Ok(Vec::new()) };
        let Schemas { links, lifecycles, findings, .. } = self.schemas;
        let day = linked.block_day(blocks.start);
        let date = (day != NO_DAY).then_some(Date(day));
        let mut link_file = TableFile::create(&dirs[0], name, links)?;
        let mut lifecycle_file = TableFile::create(&dirs[1], name, lifecycles)?;
        let mut rows = BlockRows {
            links: LinkTable::new(),
            lifecycles: LifecycleTable::new(),
            findings: FindingTable::new(),
            names: self.names,
            prefixes: self.prefixes,
            counts: &mut self.counts,
        };
        for block in blocks {
            linked.block(block, &mut rows);
            if rows.links.rows() > 0 {
                append(&mut link_file, &rows.links.encode(links, &mut self.encoder))?;
            }
            if rows.lifecycles.rows() > 0 {
                append(&mut lifecycle_file, &rows.lifecycles.encode(lifecycles, &mut self.encoder))?;
            }
        }
        let mut finished = vec![("lifecycles", date, lifecycle_file.finish()?)];
        if link_file.rows() > 0 {
            finished.push(("links", date, link_file.finish()?));
        }
        if rows.findings.rows() > 0 {
            let mut file = TableFile::create(&dirs[2], name, findings)?;
            let mut chunks = Vec::new();
            rows.findings.encode(findings, &mut self.encoder, |_, chunk| {
                chunks.push(chunk);
                Ok::<(), Error>(())
            })?;
            append(&mut file, &chunks)?;
            finished.push(("findings", date, file.finish()?));
        }
        Ok(finished)
    }
}

fn append(file: &mut TableFile, chunks: &[Chunk]) -> Result<()> {
    let pieces: Vec<Piece> = chunks.iter().map(Piece::Fresh).collect();
    file.append_row_group(&pieces)
}

/// A row group's chunks with the late ones in the gaps.
fn pieces<'a>(group: &'a RowGroup, late: &'a [Chunk]) -> Vec<Piece<'a>> {
    let mut late = late.iter();
    group
        .chunks
        .iter()
        .filter_map(|chunk| match chunk {
            Some(chunk) => Some(Piece::Spooled(chunk)),
            None => late.next().map(Piece::Fresh),
        })
        .collect()
}

struct BlockRows<'a> {
    links: LinkTable,
    lifecycles: LifecycleTable,
    findings: FindingTable,
    names: &'a [String],
    prefixes: &'a [String],
    counts: &'a mut Counts,
}

impl Rows for BlockRows<'_> {
    fn link(&mut self, row: LinkRow<'_>) {
        self.links.push(&row);
    }

    fn lifecycle(&mut self, row: LifecycleRow<'_>) {
        self.lifecycles.push(&row);
    }

    fn finding(&mut self, finding: Finding) {
        self.counts.whole_finding(&finding);
        let source = finding.source as usize;
        let name = self.names.get(source).map_or("", String::as_str);
        let prefix = self.prefixes.get(source).map_or("", String::as_str);
        self.findings.push(&finding, name, prefix);
    }
}
