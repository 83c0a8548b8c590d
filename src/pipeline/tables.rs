//! Events and findings as tables: workers encode their units into row groups, which wait on disk until the run knows
//! each event's lifecycle and puts the files together.

use super::consumer::{Consumer, Found};
use super::link::LinkFill;
use crate::Result;
use crate::event::Event;
use crate::finding::{Finding, Level, Noted};
use crate::link::{Batch, Linker, PartKey};
use crate::mapping::{Links, Mapper, Trouble};
use crate::table::events::{self, EventTable};
use crate::table::findings::{self, FindingTable};
use crate::table::ids::IdNotes;
use crate::table::{Encoder, Schema, Spool, SpooledChunk};
use crate::types::Date;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A row group on disk.
pub struct RowGroup {
    pub unit: u32,
    pub date: Option<Date>,
    pub rows: usize,
    /// In the order of the schema; `None` where linking has the last word.
    pub chunks: Vec<Option<SpooledChunk>>,
    /// The row within the unit of each row, or `None` when they are the same.
    pub unit_rows: Option<Vec<u32>>,
    /// Its number in the index of ids, where there is one.
    pub ids: Option<u32>,
}

/// What all workers of one run share.
pub struct TableRun {
    pub spool: Arc<Spool>,
    pub event_schema: Schema,
    pub finding_schema: Schema,
    pub events: Mutex<Vec<RowGroup>>,
    pub findings: Mutex<Vec<RowGroup>>,
    /// Present when events are linked.
    pub linker: Option<Linker>,
    pub ids: Option<IdNotes>,
}

impl TableRun {
    /// A run whose spool lies in `dir`, which exists. `link` is for a linker, if there is one: what it may keep in memory,
    /// and the directory of what it keeps for later runs.
    ///
    /// # Errors
    /// When a file cannot be created.
    pub fn create(dir: &Path, link: Option<(usize, &Path)>) -> Result<TableRun> {
        let spool = Spool::create(dir)?;
        let linker = link.map(|(bytes, kept)| Linker::keeping(bytes, spool.clone(), kept)).transpose()?;
        Ok(TableRun {
            event_schema: events::schema(),
            finding_schema: findings::schema(),
            events: Mutex::new(Vec::new()),
            findings: Mutex::new(Vec::new()),
            ids: link.map(|_| IdNotes::new(spool.clone())),
            linker,
            spool,
        })
    }

    /// The row groups of both tables, sorted by date and unit, the linker, and the ids of the events.
    pub fn into_parts(self) -> (Vec<RowGroup>, Vec<RowGroup>, Option<Linker>, Option<IdNotes>) {
        let sorted = |groups: Mutex<Vec<RowGroup>>| {
            let mut groups = groups.into_inner().unwrap_or_else(PoisonError::into_inner);
            groups.sort_by_key(|group| (group.date, group.unit));
            groups
        };
        (sorted(self.events), sorted(self.findings), self.linker, self.ids)
    }
}

/// One worker's tables.
pub struct UnitTables<'a> {
    run: &'a TableRun,
    encoder: Encoder,
    mapper: Mapper,
    fill: LinkFill,
    /// The events of one source for the linker, and those of the unit's sources before.
    batch: Batch,
    batch_source: u32,
    batches: Vec<(u32, Batch)>,
    is_tail: bool,
    days: Vec<DayTables>,
    /// Place in `days` of the last event's day.
    last: usize,
    rows: u32,
    made: u64,
}

/// The rows of one day. Emptied tables are kept for the next unit.
struct DayTables {
    date: Option<Date>,
    events: EventTable,
    findings: FindingTable,
    unit_rows: Vec<u32>,
}

impl<'a> UnitTables<'a> {
    pub fn new(run: &'a TableRun) -> UnitTables<'a> {
        let mut encoder = Encoder::new();
        if run.ids.is_some() {
            encoder.note_ids();
        }
        UnitTables {
            run,
            encoder,
            mapper: Mapper::new(),
            fill: LinkFill::default(),
            batch: Batch::new(),
            batch_source: 0,
            batches: Vec::new(),
            is_tail: false,
            days: Vec::new(),
            last: 0,
            rows: 0,
            made: 0,
        }
    }
}

/// Where the tables of a day are among `days`, made if they are not.
fn day_place(days: &mut Vec<DayTables>, last: usize, date: Option<Date>) -> usize {
    if days.get(last).is_some_and(|day| day.date == date) {
        return last;
    }
    days.iter().position(|day| day.date == date).unwrap_or_else(|| {
        days.push(DayTables { date, events: EventTable::new(), findings: FindingTable::new(), unit_rows: Vec::new() });
        days.len() - 1
    })
}

impl Consumer for UnitTables<'_> {
    fn begin_unit(&mut self, is_tail: bool) {
        self.is_tail = is_tail;
    }

    fn message(&mut self, found: &Found, more: &mut Vec<Noted>) {
        let context = found.context();
        let UnitTables { run, mapper, fill, batch, batch_source, batches, days, last, rows, made, .. } = self;
        if *batch_source != found.source {
            if !batch.is_empty() {
                batches.push((*batch_source, std::mem::take(batch)));
            }
            *batch_source = found.source;
        }
        let mut first = None;
        let direction = found.direction.map(|d| d.as_str());
        mapper.map(&found.message, found.places, found.known, context, None, |event: &Event, links: &Links| {
            *last = day_place(days, *last, event.date);
            let day = &mut days[*last];
            day.events.push(event, found.message.bytes, found.name, found.id_prefix, direction);
            day.unit_rows.push(*rows);
            first.get_or_insert((event.sub, *last));
            if run.linker.is_some() && links.is_order_flow {
                fill.add(batch, found, event, links, *rows);
            }
            *rows += 1;
            *made += 1;
        });
        note_troubles(mapper.troubles(), more);
        let Some((sub, place)) = first else { return };
        for noted in found.noted.iter().chain(more.iter()) {
            let finding = found.finding(noted.clone(), Some(sub));
            days[place].findings.push(&finding, found.name, found.id_prefix);
        }
    }

    fn take_events(&mut self) -> u64 {
        std::mem::take(&mut self.made)
    }

    fn end_unit(&mut self, unit: u32) -> Result<()> {
        let unit_rows = std::mem::take(&mut self.rows) as usize;
        for day in &mut self.days {
            let rows = day.events.rows();
            let own = std::mem::take(&mut day.unit_rows);
            if rows > 0 {
                let mut chunks: Vec<Option<SpooledChunk>> = vec![None; self.run.event_schema.columns.len()];
                day.events.encode(&self.run.event_schema, &mut self.encoder, |i, chunk| {
                    chunks[i] = Some(self.run.spool.append(chunk)?);
                    Ok::<(), crate::Error>(())
                })?;
                let unit_rows = (rows < unit_rows).then_some(own);
                let ids = self.run.ids.as_ref().map(|ids| ids.add(self.encoder.take_ids())).transpose()?;
                let group = RowGroup { unit, date: day.date, rows, chunks, unit_rows, ids };
                self.run.events.lock().unwrap_or_else(PoisonError::into_inner).push(group);
            }
            let rows = day.findings.rows();
            if rows > 0 {
                let group = spool_findings(self.run, &mut day.findings, day.date, unit, &mut self.encoder)?;
                self.run.findings.lock().unwrap_or_else(PoisonError::into_inner).push(group);
            }
        }
        // Logs of many days would otherwise keep tables of every day for ever.
        if self.days.len() > 16 {
            self.days.clear();
        }
        self.last = 0;
        if let Some(linker) = &self.run.linker {
            // The next unit is likely to have as many events.
            let next = Batch::with_capacity(self.batch.len() + self.batch.len() / 16);
            self.batches.push((self.batch_source, std::mem::replace(&mut self.batch, next)));
            for (source, batch) in self.batches.drain(..) {
                linker.add(PartKey { source, unit, is_tail: self.is_tail, is_known: false }, batch)?;
            }
        }
        Ok(())
    }
}

fn spool_findings(
    run: &TableRun,
    table: &mut FindingTable,
    date: Option<Date>,
    unit: u32,
    encoder: &mut Encoder,
) -> Result<RowGroup> {
    let rows = table.rows();
    let mut chunks = Vec::new();
    table.encode(&run.finding_schema, encoder, |_, chunk| {
        chunks.push(Some(run.spool.append(chunk)?));
        Ok::<(), crate::Error>(())
    })?;
    Ok(RowGroup { unit, date, rows, chunks, unit_rows: None, ids: None })
}

/// Findings about sources as a whole become the last row group of the undated partition.
///
/// # Errors
/// When the spool cannot be written.
pub fn spool_source_findings(run: &TableRun, list: &[Finding], name: impl Fn(u32) -> (String, String)) -> Result<()> {
    if list.is_empty() {
        return Ok(());
    }
    let mut table = FindingTable::new();
    for finding in list {
        let (name, prefix) = name(finding.source);
        table.push(finding, &name, &prefix);
    }
    let group = spool_findings(run, &mut table, None, u32::MAX, &mut Encoder::new())?;
    run.findings.lock().unwrap_or_else(PoisonError::into_inner).push(group);
    Ok(())
}

/// Values that did not fit their columns.
pub(super) fn note_troubles(troubles: &[Trouble], more: &mut Vec<Noted>) {
    for trouble in troubles {
        more.push(Noted {
            code: "event-value",
            level: Level::Warning,
            tag: trouble.tag,
            text: format!(
                "the value of tag {} {}: it is null in its column and stays in tags",
                trouble.tag, trouble.what
            )
            .into(),
        });
    }
}
