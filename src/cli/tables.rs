//! From a plan to a committed directory of tables; what `parse -o DIR` and `link` have in common.

use super::args::{MakeArgs, RunArgs};
use super::input::unreadable_finding;
use super::progress::with_bar;
use super::report::Report;
use super::{Outcome, summary};
use crate::Result;
use crate::event::source_prefix;
use crate::input::SourceSpec;
use crate::link::Sources;
use crate::pipeline::{Counts, Plan, RunSummary, TableRun, UnitTables, Written, assemble, run, spool_source_findings};
use crate::progress::Progress;
use crate::table::maintenance::{Keep, expire};
use crate::table::trail::TakenSource;
use crate::table::{Trail, TrailWriter};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// What was made.
pub struct Made {
    pub summary: RunSummary,
    /// Of the whole run, linking included.
    pub counts: Counts,
    pub written: Written,
    pub specs: Vec<SourceSpec>,
    /// Bytes of temporary files.
    pub spooled: u64,
    /// Of the commit.
    pub version: u64,
}

impl Made {
    /// Says what was made, writes the report, and gives the outcome. `text` is what stands behind the counts.
    ///
    /// # Errors
    /// When the report cannot be written.
    pub fn close(
        self,
        args: &RunArgs,
        mut report: Report,
        unreadable: Vec<String>,
        text: &str,
        started: Instant,
    ) -> Result<Outcome> {
        report.read(&self.specs, &self.summary);
        report.counts = self.counts.clone();
        report.unreadable = unreadable;
        report.written = self.written.report(self.counts.events);
        report.written.insert("spooled_bytes", self.spooled);
        summary::close(args, &self.counts, self.specs.len(), text, started, report)?;
        Ok(Outcome::of(&self.counts, args.fail_on.level()))
    }
}

impl Written {
    /// The `written` part of the report.
    pub fn report(&self, events: u64) -> BTreeMap<&'static str, u64> {
        [
            ("events", events),
            ("links", self.links),
            ("lifecycles", self.lifecycles),
            ("findings", self.findings),
            ("files", self.files),
            ("bytes", self.bytes),
        ]
        .into_iter()
        .collect()
    }
}

/// Reads everything, links it for a trail, writes the files and commits them. A directory that is no trail keeps no older
/// version.
///
/// # Errors
/// Trouble that stops the run; nothing is committed then.
pub fn make_tables(
    args: &MakeArgs,
    plan: Plan,
    unreadable: &[String],
    dir: &Path,
    link_bytes: Option<usize>,
) -> Result<Made> {
    let specs = plan.specs.clone();
    let threads = plan.threads;
    // Linking takes as many threads as reading does. A pool that is there already is an earlier call's, of as many.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    let mut writer = TrailWriter::create(dir, args.wait)?;
    // A directory of events is read by a glob and has no history, unless it was a trail before.
    let has_history = link_bytes.is_some() || Trail::open(dir).is_ok_and(|trail| trail.files("lifecycles").is_ok());
    let tables = TableRun::create(args.temp_dir.as_deref().unwrap_or(dir), link_bytes)?;
    let progress = Progress::new();
    let (summary, consumers) =
        with_bar(&args.run, &specs, &progress, || run(plan, &progress, || UnitTables::new(&tables)))?;
    drop(consumers);
    let mut counts = summary.counts.clone();
    let mut late = summary.findings.clone();
    for text in unreadable {
        let finding = unreadable_finding(text);
        counts.whole_finding(&finding);
        late.push(finding);
    }
    let names: Vec<String> = specs.iter().map(|spec| spec.name.clone()).collect();
    spool_source_findings(&tables, &late, |source| {
        let name = names.get(source as usize).cloned().unwrap_or_default();
        let prefix = source_prefix(&name);
        (name, prefix)
    })?;
    let spool = tables.spool.clone();
    let (events, findings, linker) = tables.into_parts();
    let linkage = linker.map(|linker| linker.finish(Sources::new(&names))).transpose()?;
    let written = assemble(&mut writer, &events, &findings, linkage, &spool, &names, threads, &mut counts)?;
    for ((spec, info), messages) in specs.iter().zip(&summary.sources).zip(&summary.messages_by_source) {
        writer.add_source(TakenSource {
            name: spec.name.clone(),
            digest: info.digest.clone().unwrap_or_default(),
            bytes: info.bytes,
            messages: *messages,
        });
    }
    let version = writer.commit()?.commit().version;
    if !has_history {
        expire(dir, Keep::Versions(1), args.wait)?;
    }
    Ok(Made { summary, counts, written, specs, spooled: spool.len_bytes(), version })
}
