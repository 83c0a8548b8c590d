//! One worker's part in putting files together.

use super::assemble::{Finished, Job, Update};
use super::row_ids::RowIds;
use super::tables::RowGroup;
use crate::event::key::NO_DAY;
use crate::finding::Finding;
use crate::link::{LifecycleRow, LinkRow, Linked, Rows, as_digits};
use crate::pipeline::Counts;
use crate::table::changes::{self, ChangeTable};
use crate::table::events::{self, unlinked_chunks};
use crate::table::findings::{self, FindingTable};
use crate::table::ids::IdNotes;
use crate::table::linked::{LifecycleTable, LinkTable, lifecycle_schema, link_schema};
use crate::table::{Builder, Chunk, CodedColumn, Encoder, Piece, Schema, TableFile, TextListColumn};
use crate::types::Date;
use crate::{Error, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Where a row's lifecycle is known from.
#[derive(Clone, Copy)]
pub(super) enum Ids<'a> {
    /// Nothing was linked.
    None,
    Linked(&'a Linked),
    Stored(&'a RowIds),
}

pub(super) struct Schemas {
    pub events: Schema,
    pub findings: Schema,
    pub links: Schema,
    pub lifecycles: Schema,
    pub changes: Schema,
}

impl Schemas {
    pub fn new() -> Schemas {
        Schemas {
            events: events::schema(),
            findings: findings::schema(),
            links: link_schema(),
            lifecycles: lifecycle_schema(),
            changes: changes::schema(),
        }
    }
}

pub(super) struct Worker<'a> {
    schemas: &'a Schemas,
    names: &'a [String],
    prefixes: &'a [String],
    encoder: Encoder,
    /// For each lifecycle its number among the ids of a row group, or [`NO_CODE`].
    codes: Vec<u32>,
    pub counts: Counts,
    ids: Option<&'a IdNotes>,
}

const NO_CODE: u32 = u32::MAX;

/// Places in a row group of the rows of its unit, asked for in ascending order.
struct RowPlaces<'a> {
    unit_rows: Option<&'a [u32]>,
    at: usize,
}

impl RowPlaces<'_> {
    fn of(group: &RowGroup) -> RowPlaces<'_> {
        RowPlaces { unit_rows: group.unit_rows.as_deref(), at: 0 }
    }

    /// `None` when the row is of another day and so in another group.
    #[inline]
    fn of_row(&mut self, row: u32) -> Option<usize> {
        let Some(own) = self.unit_rows else { return Some(row as usize) };
        self.at += own[self.at..].iter().take_while(|&&own| own < row).count();
        (own.get(self.at) == Some(&row)).then_some(self.at)
    }
}

impl<'a> Worker<'a> {
    pub fn new(
        schemas: &'a Schemas,
        names: &'a [String],
        prefixes: &'a [String],
        ids: Option<&'a IdNotes>,
    ) -> Worker<'a> {
        let (mut encoder, counts) = (Encoder::new(), Counts::default());
        if ids.is_some() {
            encoder.note_ids();
        }
        Worker { schemas, names, prefixes, encoder, codes: Vec::new(), counts, ids }
    }

    /// Finishes a file, and says where its row groups are.
    fn finish(&self, table: &'static str, date: Option<Date>, file: TableFile, groups: &[u32]) -> Result<Finished> {
        let file = file.finish()?;
        if let Some(ids) = self.ids {
            let path = path_in_trail(table, &file.path);
            groups.iter().enumerate().for_each(|(number, group)| ids.place(*group, &path, number));
        }
        Ok((table, date, file))
    }

    /// Writes a file, or the three that blocks of lifecycles give.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&mut self, job: &Job<'_>) -> Result<Vec<Finished>> {
        match job {
            Job::Events { groups, ids, dir, name } => {
                let mut file = TableFile::create(dir, name, &self.schemas.events)?;
                let mut numbers = Vec::new();
                for group in *groups {
                    let late = self.lifecycle_chunks(group, *ids)?;
                    if let (Some(ids), Some(number)) = (self.ids, group.ids) {
                        ids.add_to(number, self.encoder.take_ids())?;
                        numbers.push(number);
                    }
                    file.append_row_group(&pieces(group, &late))?;
                }
                Ok(vec![self.finish("events", groups[0].date, file, &numbers)?])
            }
            Job::Findings { groups, dir, name } => {
                let mut file = TableFile::create(dir, name, &self.schemas.findings)?;
                for group in *groups {
                    file.append_row_group(&pieces(group, &[]))?;
                }
                Ok(vec![("findings", groups[0].date, file.finish()?)])
            }
            Job::Blocks { linked, blocks, dirs, name, update } => {
                self.write_blocks(linked, blocks.clone(), dirs, name, *update)
            }
        }
    }

    /// The two columns that linking fills.
    fn lifecycle_chunks(&mut self, group: &RowGroup, ids: Ids<'_>) -> Result<[Chunk; 2]> {
        let schema = &self.schemas.events;
        let mut column = CodedColumn::new();
        let mut place = RowPlaces::of(group);
        match ids {
            Ids::None => return Ok(unlinked_chunks(schema, group.rows, &mut self.encoder)),
            Ids::Linked(linked) => {
                let mut met = Vec::new();
                self.codes.resize(linked.lifecycles() as usize, NO_CODE);
                linked.each_row(group.unit, |row, lifecycle| {
                    let Some(row) = place.of_row(row) else { return };
                    let code = &mut self.codes[lifecycle as usize];
                    if *code == NO_CODE {
                        *code = column.add(&linked.id(lifecycle));
                        met.push(lifecycle);
                    }
                    column.push_at(row, *code);
                });
                met.iter().for_each(|&lifecycle| self.codes[lifecycle as usize] = NO_CODE);
            }
            Ids::Stored(row_ids) => {
                let mut codes: HashMap<[u8; 10], u32> = HashMap::new();
                for (row, id) in row_ids.of_unit(group.unit)? {
                    let Some(row) = place.of_row(row) else { continue };
                    let code = *codes.entry(id).or_insert_with(|| column.add(&as_digits(id)));
                    column.push_at(row, code);
                }
            }
        }
        Ok([
            column.encode(&schema.columns[events::LIFECYCLE_ID], group.rows, &mut self.encoder),
            TextListColumn::new().encode(&schema.columns[events::ALSO_IN], group.rows, &mut self.encoder),
        ])
    }

    fn write_blocks(
        &mut self,
        linked: &Linked,
        blocks: std::ops::Range<usize>,
        dirs: &[PathBuf; 4],
        name: &str,
        update: Option<Update<'_>>,
    ) -> Result<Vec<Finished>> {
        let Schemas { links, lifecycles, findings, changes, .. } = self.schemas;
        let day = linked.block_day(blocks.start);
        let date = (day != NO_DAY).then_some(Date(day));
        let mut link_file = TableFile::create(&dirs[0], name, links)?;
        let mut lifecycle_file = TableFile::create(&dirs[1], name, lifecycles)?;
        let mut rows = BlockRows {
            links: LinkTable::new(),
            lifecycles: LifecycleTable::new(),
            findings: FindingTable::new(),
            changes: ChangeTable::new(update.map_or(0, |update| update.version)),
            day,
            update,
            names: self.names,
            prefixes: self.prefixes,
            counts: &mut self.counts,
        };
        let (mut link_ids, mut lifecycle_ids) = (Vec::new(), Vec::new());
        for block in blocks {
            linked.block(block, &mut rows);
            if rows.links.rows() > 0 {
                append(&mut link_file, &rows.links.encode(links, &mut self.encoder))?;
                note_ids(self.ids, &mut self.encoder, &mut link_ids)?;
            }
            if rows.lifecycles.rows() > 0 {
                append(&mut lifecycle_file, &rows.lifecycles.encode(lifecycles, &mut self.encoder))?;
                note_ids(self.ids, &mut self.encoder, &mut lifecycle_ids)?;
            }
        }
        let BlockRows { findings: mut found, changes: mut changed, .. } = rows;
        let mut finished = Vec::new();
        if lifecycle_file.rows() > 0 {
            finished.push(self.finish("lifecycles", date, lifecycle_file, &lifecycle_ids)?);
        }
        if changed.rows() > 0 {
            let mut file = TableFile::create(&dirs[3], name, changes)?;
            append(&mut file, &changed.encode(changes, &mut self.encoder))?;
            let mut ids = Vec::new();
            note_ids(self.ids, &mut self.encoder, &mut ids)?;
            finished.push(self.finish("changes", date, file, &ids)?);
        }
        if link_file.rows() > 0 {
            finished.push(self.finish("links", date, link_file, &link_ids)?);
        }
        if found.rows() > 0 {
            let mut file = TableFile::create(&dirs[2], name, findings)?;
            let mut chunks = Vec::new();
            found.encode(findings, &mut self.encoder, |_, chunk| {
                chunks.push(chunk);
                Ok::<(), Error>(())
            })?;
            append(&mut file, &chunks)?;
            finished.push(("findings", date, file.finish()?));
        }
        Ok(finished)
    }
}

/// Notes the ids of a row group that was encoded just now.
fn note_ids(ids: Option<&IdNotes>, encoder: &mut Encoder, numbers: &mut Vec<u32>) -> Result<()> {
    if let Some(ids) = ids {
        numbers.push(ids.add(encoder.take_ids())?);
    }
    Ok(())
}

/// `events/date=2026-03-02/part-00000-v0.parquet`.
pub(super) fn path_in_trail(table: &str, path: &Path) -> String {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    format!("{table}/{}/{}", path.parent().map(name).unwrap_or_default(), name(path))
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
    changes: ChangeTable,
    /// Of all lifecycles of the block.
    day: i32,
    update: Option<Update<'a>>,
    names: &'a [String],
    prefixes: &'a [String],
    counts: &'a mut Counts,
}

impl Rows for BlockRows<'_> {
    fn link(&mut self, row: LinkRow<'_>) {
        if self.update.is_some_and(|update| update.before.has_link(self.day, &row)) {
            return;
        }
        self.links.push(&row);
    }

    fn lifecycle(&mut self, row: LifecycleRow<'_>) {
        if let Some(Update { before, news, .. }) = self.update
            && before.has_lifecycle(&row, news, |change| self.changes.push(&change))
        {
            return;
        }
        self.lifecycles.push(&row);
    }

    fn finding(&mut self, finding: Finding) {
        let source = finding.source as usize;
        let name = self.names.get(source).map_or("", String::as_str);
        if self.update.is_some_and(|update| update.before.has_finding(self.day, &finding, name)) {
            return;
        }
        self.counts.whole_finding(&finding);
        let prefix = self.prefixes.get(source).map_or("", String::as_str);
        self.findings.push(&finding, name, prefix);
    }
}
