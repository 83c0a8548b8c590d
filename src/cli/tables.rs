//! From a plan to a committed directory of tables; what `parse -o DIR` and `link` have in common.

use super::args::{MakeArgs, RunArgs};
use super::input::unreadable_finding;
use super::progress::with_bar;
use super::report::Report;
use super::{Outcome, sources, summary};
use crate::event::source_prefix;
use crate::finding::{Finding, SourceId};
use crate::input::SourceSpec;
use crate::link::Known;
use crate::pipeline::{
    Counts, LINKER, Plan, Relinked, RunSummary, TableRun, Tail, Tails, UnitTables, Written, assemble, relink, run,
    spool_source_findings,
};
use crate::progress::Progress;
use crate::table::maintenance::{Keep, expire};
use crate::table::trail::{FileMark, TakenSource};
use crate::table::{Trail, TrailWriter};
use crate::{Error, Result};
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

/// How events are linked.
pub struct LinkTo {
    /// What the linker may keep in memory.
    pub bytes: usize,
    pub adding: Option<Adding>,
}

/// What there is when a run adds to a trail.
pub struct Adding {
    pub known: Known,
    /// Sources that are read on, as they were.
    pub grown: BTreeMap<SourceId, TakenSource>,
    /// Sources that have got a name of their own, and what they are called.
    pub rewritten: BTreeMap<SourceId, String>,
}

/// Reads everything, links it for a trail, writes the files and commits them. A directory that is no trail keeps no older
/// version.
///
/// # Errors
/// Trouble that stops the run; nothing is committed then.
pub fn make_tables(
    args: &MakeArgs,
    mut plan: Plan,
    unreadable: &[String],
    mut writer: TrailWriter,
    dir: &Path,
    link: Option<LinkTo>,
) -> Result<Made> {
    let specs = plan.specs.clone();
    let threads = plan.threads;
    // Linking takes as many threads as reading does. A pool that is there already is an earlier call's, of as many.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    // A directory of events is read by a glob and has no history, unless it was a trail before.
    let has_history = link.is_some() || Trail::open(dir).is_ok_and(|trail| trail.files("lifecycles").is_ok());
    let (link_bytes, adding) = link.map_or((None, None), |link| (Some(link.bytes), link.adding));
    let kept = link_bytes.map(|bytes| Ok::<_, Error>((bytes, writer.index_dir(LINKER)?))).transpose()?;
    let temp_dir = args.temp_dir.as_deref().unwrap_or(dir);
    let tables = TableRun::create(temp_dir, kept.as_ref().map(|(bytes, dir)| (*bytes, dir.as_path())))?;
    let grown = adding.as_ref().map(|adding| adding.grown.clone()).unwrap_or_default();
    plan.resumes = grown.iter().filter_map(|(source, before)| Some((*source, before.resume.clone()?))).collect();
    let marks: Vec<Option<FileMark>> = specs.iter().map(|spec| sources::settled_mark(&spec.origin)).collect();
    let progress = Progress::new();
    let (summary, consumers) =
        with_bar(&args.run, &specs, &progress, || run(plan, &progress, || UnitTables::new(&tables)))?;
    drop(consumers);
    let mut counts = summary.counts.clone();
    let mut late = summary.findings.clone();
    let mut more: Vec<Finding> = unreadable.iter().map(|text| unreadable_finding(text)).collect();
    if link_bytes.is_some() {
        let taken = writer.before().filter(|_| adding.is_some()).map_or(&[][..], |before| &before.sources);
        more.extend(sources::same_content(&specs, &summary.sources, taken, &grown));
    }
    for (source, original) in adding.iter().flat_map(|adding| &adding.rewritten) {
        more.push(sources::rewritten(*source, original, &specs[*source as usize].name));
    }
    more.iter().for_each(|finding| counts.whole_finding(finding));
    late.append(&mut more);
    let names: Vec<String> = specs.iter().map(|spec| spec.name.clone()).collect();
    spool_source_findings(&tables, &late, |source| {
        let name = names.get(source as usize).cloned().unwrap_or_default();
        let prefix = source_prefix(&name);
        (name, prefix)
    })?;
    let spool = tables.spool.clone();
    let (events, findings, linker, ids) = tables.into_parts();
    let tails: Tails = grown
        .values()
        .filter_map(|before| Some((before.name.clone(), before.resume.as_ref()?)))
        .map(|(name, resume)| (name, Tail { offset: resume.offset, messages: resume.tail_messages }))
        .collect();
    let known = adding.as_ref().map(|adding| &adding.known);
    let link_bytes = link_bytes.unwrap_or_default();
    let relinked =
        linker.map(|linker| relink(linker, &mut writer, &names, &tails, known, &spool, link_bytes)).transpose()?;
    drop(adding);
    let (linkage, before, all_names) = match relinked {
        Some(Relinked { linkage, before, names }) => (Some(linkage), before, names),
        None => (None, None, names),
    };
    let written = assemble(
        &mut writer,
        &events,
        &findings,
        linkage,
        before,
        &tails,
        ids.as_ref(),
        &spool,
        &all_names,
        threads,
        &mut counts,
    )?;
    let read = summary.sources.iter().zip(&summary.messages_by_source).zip(&marks);
    for ((source, spec), ((info, messages), mark)) in (0..).zip(&specs).zip(read) {
        let earlier = grown.get(&source).map_or(0, |before| {
            before.messages - before.resume.as_ref().map_or(0, |resume| resume.tail_messages).min(before.messages)
        });
        writer.add_source(TakenSource {
            name: spec.name.clone(),
            digest: info.digest.clone().unwrap_or_default(),
            bytes: info.bytes,
            messages: earlier + messages,
            resume: info.resume.clone(),
            file: *mark,
        });
    }
    let version = writer.commit()?.commit().version;
    if !has_history {
        expire(dir, Keep::Versions(1), args.wait)?;
    }
    Ok(Made { summary, counts, written, specs, spooled: spool.len_bytes(), version })
}
