//! Rows that are there no longer, and events whose lifecycle is another: the files that hold them are written again.

use super::assemble::Assembly;
use super::assembler::path_in_trail;
use crate::Result;
use crate::event::key::NO_DAY;
use crate::link::{Gone, as_digits};
use crate::table::events::EventId;
use crate::table::findings::finding_hash;
use crate::table::rewrite::{self, Rewritten};
use crate::types::Date;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A file to be written again.
struct Work<'a> {
    table: &'static str,
    date: Option<Date>,
    /// As the commit names it.
    path: String,
    from: PathBuf,
    dir: PathBuf,
    name: String,
    write: &'a Write<'a>,
}

/// Writes a file (the first) as the third in the directory (the second), if something in it changes.
type Write<'a> = dyn Fn(&Path, &Path, &str) -> Result<Rewritten> + Sync + 'a;

/// What of a source is read anew.
#[derive(Clone, Copy, Debug)]
pub struct Tail {
    /// Where it begins.
    pub offset: u64,
    /// Messages that were found in it.
    pub messages: u64,
}

/// Tails by the names of their sources.
pub type Tails = BTreeMap<String, Tail>;

impl Assembly<'_> {
    /// Takes rows and tails out of the latest commit's files, and gives moved events their lifecycles.
    pub(super) fn take_out(&mut self, gone: &Gone, tails: &Tails) -> Result<()> {
        let moved = self.moved(gone);
        let (none, nothing) = (HashSet::new(), HashMap::new());
        let is_tail = |source: &str, offset: u64| tails.get(source).is_some_and(|tail| offset >= tail.offset);
        let any_messages = tails.values().any(|tail| tail.messages > 0);
        let mut writes: Vec<(&'static str, i32, Box<Write<'_>>)> = Vec::new();
        for (day, rows) in &gone.links {
            let write = |from: &Path, dir: &Path, name: &str| {
                rewrite::links_without(from, dir, name, &rows.hashes, &rows.lifecycles)
            };
            writes.push(("links", *day, Box::new(write)));
        }
        for (day, ids) in &gone.lifecycles {
            let write = |from: &Path, dir: &Path, name: &str| rewrite::lifecycles_without(from, dir, name, ids);
            writes.push(("lifecycles", *day, Box::new(write)));
        }
        let days = |table: &str, any: bool| if any { self.writer.latest_days(table) } else { BTreeSet::new() };
        let of_findings: BTreeSet<i32> =
            gone.findings.keys().copied().chain(days("findings", !tails.is_empty())).collect();
        for day in of_findings {
            let hashes = gone.findings.get(&day).map_or(&none, |rows| &rows.hashes);
            let write = move |from: &Path, dir: &Path, name: &str| {
                rewrite::findings_without(from, dir, name, |finding, source| {
                    // What the linker found about a tail goes only if it is not found again.
                    (is_tail(source, finding.offset) && !finding.code.starts_with("link-"))
                        || (!hashes.is_empty() && hashes.contains(&finding_hash(finding, source)))
                })
            };
            writes.push(("findings", day, Box::new(write)));
        }
        let of_events: BTreeSet<i32> = moved.keys().copied().chain(days("events", any_messages)).collect();
        for day in of_events {
            let ids = moved.get(&day).unwrap_or(&nothing);
            let write = move |from: &Path, dir: &Path, name: &str| {
                rewrite::events_changed(from, dir, name, ids, is_tail, any_messages)
            };
            writes.push(("events", day, Box::new(write)));
        }
        let mut works = Vec::new();
        for (table, day, write) in &writes {
            let date = (*day != NO_DAY).then_some(Date(*day));
            let dir = self.writer.partition_dir(table, date)?;
            for (path, from) in self.writer.latest_files(table, date) {
                // As the files of blocks are numbered.
                let name = self.next_name(if *table == "events" { "events" } else { "findings" }, date);
                works.push(Work { table, date, path, from, dir: dir.clone(), name, write });
            }
        }
        let done: Vec<Rewritten> =
            works.par_iter().map(|work| (work.write)(&work.from, &work.dir, &work.name)).collect::<Result<_>>()?;
        let of_moved: BTreeMap<i32, HashSet<[u8; 20]>> =
            moved.iter().map(|(day, ids)| (*day, ids.values().copied().collect())).collect();
        for (Work { table, date, path, .. }, rewritten) in works.into_iter().zip(done) {
            match rewritten {
                Rewritten::Same => continue,
                Rewritten::Empty => {}
                Rewritten::Other(file) => {
                    if let Some(ids) = self.ids {
                        let now = path_in_trail(table, &file.path);
                        ids.move_file(&format!("{table}/{path}"), &now);
                        let of_day = of_moved.get(&date.map_or(NO_DAY, |date| date.0)).filter(|_| table == "events");
                        ids.add_file(&now, of_day.into_iter().flatten().map(|id| &id[..]))?;
                    }
                    self.written.files += 1;
                    self.written.bytes += file.bytes;
                    self.writer.add_file(table, date, file);
                }
            }
            self.writer.remove_file(table, &path);
        }
        Ok(())
    }

    /// By day the new lifecycle of each moved event's id.
    fn moved(&self, gone: &Gone) -> BTreeMap<i32, HashMap<Vec<u8>, [u8; 20]>> {
        let mut moved: BTreeMap<i32, HashMap<Vec<u8>, [u8; 20]>> = BTreeMap::new();
        let mut id = EventId::default();
        for event in &gone.moved {
            let prefix = self.prefixes.get(event.source as usize).map_or("", String::as_str);
            let id = id.write(prefix, event.offset, event.sub).to_vec();
            moved.entry(event.day).or_default().insert(id, as_digits(event.lifecycle));
        }
        moved
    }
}
