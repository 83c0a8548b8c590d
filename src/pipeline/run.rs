//! Drives the workers: each takes the next unit, reads it, and lets its consumer finish it.

use super::consumer::Consumer;
use super::reader::{Check, Reader};
use super::scout::{Scout, SourceInfo, source_finding};
use super::tally::Counts;
use crate::event::source_prefix;
use crate::finding::{Finding, Level, SourceId};
use crate::fix::dictionary::Version;
use crate::input::{OpenOptions, SourceSpec};
use crate::progress::Progress;
use crate::table::trail::Resume;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a run reads, and how.
pub struct Plan {
    /// Sorted by name.
    pub specs: Vec<SourceSpec>,
    /// At least 1.
    pub threads: usize,
    pub unit_bytes: usize,
    pub check: Check,
    /// Fields are read even where nothing checks them.
    pub wants_fields: bool,
    /// For FIXT sessions whose Logon is not in the log.
    pub default_version: Version,
    /// Take the digest of each source.
    pub digest: bool,
    pub open: OpenOptions,
    /// Where reading begins in sources that were read before.
    pub resumes: BTreeMap<SourceId, Resume>,
}

impl Plan {
    /// The size of a unit of work that becomes a row group: large enough for a good one, small enough to keep every worker
    /// busy.
    pub const ROW_GROUP_BYTES: usize = 32 << 20;
    /// The size of a unit of work that becomes lines: what the scout has walked is still near when a worker reads it.
    pub const LINES_BYTES: usize = 1 << 20;
}

/// What a run has read.
#[derive(Debug, Default)]
pub struct RunSummary {
    pub counts: Counts,
    /// One for each source, in the order of the plan.
    pub sources: Vec<SourceInfo>,
    pub messages_by_source: Vec<u64>,
    /// Findings about sources as a whole, counted in `counts`, in the order of sources.
    pub findings: Vec<Finding>,
}

/// Reads everything. `make` gives each worker its consumer; the consumers are returned.
///
/// # Errors
/// The first error of reading or of a consumer; the other workers stop after their unit.
pub fn run<C: Consumer>(plan: Plan, progress: &Progress, make: impl Fn() -> C + Sync) -> Result<(RunSummary, Vec<C>)> {
    let names: Vec<(String, String)> = plan.specs.iter().map(|s| (s.name.clone(), source_prefix(&s.name))).collect();
    let threads = plan.threads.max(1);
    let mut scout = Scout::new(plan.specs, plan.unit_bytes, plan.digest, plan.open);
    scout.resume(plan.resumes);
    let scout = Mutex::new(scout);
    let stop = AtomicBool::new(false);
    let failed: Mutex<Option<Error>> = Mutex::new(None);
    let done: Mutex<Vec<(Reader, C)>> = Mutex::new(Vec::new());
    let by_source: Mutex<Vec<u64>> = Mutex::new(vec![0; names.len()]);
    let work = || {
        let mut reader = Reader::new(plan.check, plan.wants_fields, plan.default_version);
        let mut consumer = make();
        let outcome = (|| -> Result<()> {
            while !stop.load(Ordering::Relaxed) {
                let Some(unit) = scout.lock().unwrap_or_else(PoisonError::into_inner).next_unit()? else { break };
                consumer.begin_unit(unit.is_tail);
                let before = (reader.counts.bytes, reader.counts.messages);
                for piece in unit.pieces {
                    let (name, prefix) = &names[piece.source as usize];
                    reader.read(&piece, name, prefix, &mut consumer);
                }
                {
                    let mut by_source = by_source.lock().unwrap_or_else(PoisonError::into_inner);
                    for (source, messages) in reader.take_sources() {
                        by_source[source as usize] += messages;
                    }
                }
                consumer.end_unit(unit.number)?;
                progress.add(reader.counts.bytes - before.0, reader.counts.messages - before.1);
            }
            Ok(())
        })();
        if let Err(error) = outcome {
            stop.store(true, Ordering::Relaxed);
            consumer.abandon();
            failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
        done.lock().unwrap_or_else(PoisonError::into_inner).push((reader, consumer));
    };
    if threads == 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for n in 0..threads {
                let builder = std::thread::Builder::new().name(format!("worker-{n}"));
                // A thread that cannot be had is work for the others; the first one runs here if there is none.
                if builder.spawn_scoped(scope, work).is_err() && n == 0 {
                    work();
                }
            }
        });
    }
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let scout = scout.into_inner().unwrap_or_else(PoisonError::into_inner);
    let named: Vec<bool> = scout.named().collect();
    let mut summary = RunSummary {
        sources: scout.infos,
        findings: scout.findings,
        messages_by_source: by_source.into_inner().unwrap_or_else(PoisonError::into_inner),
        ..RunSummary::default()
    };
    let mut consumers = Vec::new();
    for (reader, consumer) in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        summary.counts.add(&reader.counts);
        consumers.push(consumer);
    }
    for (source, info) in summary.sources.iter().enumerate() {
        if let Some(hint) = &info.unrecognised
            && summary.messages_by_source[source] == 0
        {
            let level = if named[source] { Level::Error } else { Level::Info };
            summary.findings.push(source_finding(source, "input-not-recognised", level, 0, hint.clone()));
        }
    }
    summary.findings.sort_by(|a, b| (a.source, a.offset, &a.code).cmp(&(b.source, b.offset, &b.code)));
    for finding in &summary.findings {
        summary.counts.whole_finding(finding);
    }
    Ok((summary, consumers))
}
