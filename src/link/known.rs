//! The events of earlier commits, and which of them new events concern: those on the islands that the new ones are on.
//!
//! From each hash of the new events to those who have it or look for it, from their other hashes to others, until nobody
//! new turns up. An island is that of the earlier events alone as well as that of all events together, so that rows made
//! of its earlier events alone are the rows that are there now.

use super::batch::Batch;
use super::event_file::EventFile;
use super::key_file::{Cursor, KeyFile, cut};
use super::linker::{Linker, PartKey};
use super::meeting::{self, Meeting};
use super::part::Part;
use super::replay::Replay;
use super::stored::Packers;
use crate::Result;
use crate::table::scatter::PARTITIONS;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Chunks whose components are followed up at a time.
const CHUNKS_AT_A_TIME: usize = 64;
/// Events in a part that is handed out.
const PART_EVENTS: usize = 64 * 1024;
/// In the number of a meeting's part: it is a new one, and not that of a commit.
const NEW: u32 = 1 << 31;

/// Components that were found and are not followed yet, by commit and chunk.
type Waiting = BTreeMap<(u32, usize), Vec<u32>>;

/// What earlier commits have kept.
pub struct Known {
    commits: Vec<Earlier>,
    packers: Packers,
}

struct Earlier {
    keys: KeyFile,
    events: EventFile,
    /// Chunks that count no longer; empty when all do.
    dead: Vec<bool>,
}

impl Earlier {
    fn is_dead(&self, component: u32) -> bool {
        !self.dead.is_empty() && self.events.chunk_of(component).is_none_or(|chunk| self.dead[chunk])
    }
}

/// The earlier events that new ones concern.
pub struct Reach {
    /// A bit for each component of each commit.
    marks: Vec<Vec<AtomicU64>>,
    /// Chunks of each commit that the new events replace; empty when there are none.
    replaced: Vec<Vec<bool>>,
}

impl Reach {
    fn has(&self, commit: u32, component: u32) -> bool {
        self.marks[commit as usize][component as usize / 64].load(Relaxed) >> (component % 64) & 1 == 1
    }

    /// False when it had the component already.
    fn mark(&self, commit: u32, component: u32) -> bool {
        let bit = 1 << (component % 64);
        self.marks[commit as usize][component as usize / 64].fetch_or(bit, Relaxed) & bit == 0
    }

    fn is_replaced(&self, commit: usize, chunk: usize) -> bool {
        self.replaced[commit].get(chunk).is_some_and(|replaced| *replaced)
    }
}

impl Known {
    /// Opens what the commits of a trail have kept: of each the file of events and that of keys, oldest first.
    ///
    /// # Errors
    /// When a file cannot be opened, or is damaged.
    pub fn open(files: &[[PathBuf; 2]]) -> Result<Known> {
        let mut commits: Vec<Earlier> = Vec::with_capacity(files.len());
        for [events, keys] in files {
            let events = EventFile::open(events)?;
            for earlier in &mut commits {
                let is_dead = |source: u32| events.dropped.contains(&earlier.events.sources[source as usize]);
                let chunks = earlier.events.chunks.iter();
                let dead: Vec<usize> =
                    chunks.enumerate().filter(|(_, c)| c.is_tail && is_dead(c.source)).map(|(at, _)| at).collect();
                if !dead.is_empty() {
                    earlier.dead.resize(earlier.events.chunks.len(), false);
                    dead.into_iter().for_each(|chunk| earlier.dead[chunk] = true);
                }
            }
            commits.push(Earlier { keys: KeyFile::open(keys)?, events, dead: Vec::new() });
        }
        Ok(Known { commits, packers: Packers::default() })
    }

    /// The names of all sources.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.commits.iter().flat_map(|commit| commit.events.sources.iter().map(String::as_str))
    }

    /// Finds what the events of `linker` concern. `grown` are the names of sources whose tails it has anew.
    ///
    /// # Errors
    /// When something cannot be read, or is damaged.
    pub fn reach(&self, linker: &Linker, grown: &[String]) -> Result<Reach> {
        let grown: HashSet<&str> = grown.iter().map(String::as_str).collect();
        let replaced = |commit: &Earlier| -> Vec<bool> {
            let chunks = commit.events.chunks.iter().enumerate();
            let all: Vec<bool> = chunks
                .map(|(at, chunk)| {
                    let name = commit.events.sources[chunk.source as usize].as_str();
                    chunk.is_tail && grown.contains(name) && !commit.dead.get(at).is_some_and(|dead| *dead)
                })
                .collect();
            if all.contains(&true) { all } else { Vec::new() }
        };
        let words = |commit: &Earlier| commit.events.components().div_ceil(64);
        let reach = Reach {
            marks: self.commits.iter().map(|c| (0..words(c)).map(|_| AtomicU64::new(0)).collect()).collect(),
            replaced: self.commits.iter().map(replaced).collect(),
        };
        let mut waiting = Waiting::default();
        for (number, (commit, replaced)) in (0..).zip(self.commits.iter().zip(&reach.replaced)) {
            for (chunk, _) in commit.events.chunks.iter().zip(replaced).filter(|(_, replaced)| **replaced) {
                let components = chunk.first_component..chunk.first_component + chunk.components;
                self.wait(&mut waiting, components.filter(|&c| reach.mark(number, c)).map(|c| (number, c)))?;
            }
        }
        let found: Vec<Vec<(u32, u32)>> = (0..PARTITIONS)
            .into_par_iter()
            .map(|partition| {
                let mut search = Search::new(self, &reach);
                let mut meetings = linker.meetings().partition(partition)?;
                meetings.iter_mut().for_each(|meeting| meeting.part |= NEW);
                for run in meetings.chunk_by(|a, b| cut(a.hash) == cut(b.hash)) {
                    search.follow(run, true)?;
                }
                Ok(search.fresh)
            })
            .collect::<Result<_>>()?;
        self.wait(&mut waiting, found.into_iter().flatten())?;
        while !waiting.is_empty() {
            let now: Vec<_> = std::iter::from_fn(|| waiting.pop_first()).take(CHUNKS_AT_A_TIME).collect();
            let meetings = now.into_par_iter().map(|(chunk, components)| self.meetings(chunk, components));
            let mut meetings = meetings.collect::<Result<Vec<_>>>()?.concat();
            meetings.par_sort_unstable();
            let mut search = Search::new(self, &reach);
            for run in meetings.chunk_by(|a, b| a.hash == b.hash) {
                search.follow(run, false)?;
            }
            self.wait(&mut waiting, search.fresh)?;
        }
        Ok(reach)
    }

    /// Puts components, each with its commit, to those that wait.
    fn wait(&self, waiting: &mut Waiting, components: impl IntoIterator<Item = (u32, u32)>) -> Result<()> {
        for (commit, component) in components {
            let events = &self.commits[commit as usize].events;
            let chunk = events.chunk_of(component).ok_or_else(|| events.damaged())?;
            waiting.entry((commit, chunk)).or_default().push(component);
        }
        Ok(())
    }

    /// The meetings of some components of a chunk.
    fn meetings(&self, (commit, chunk): (u32, usize), mut components: Vec<u32>) -> Result<Vec<Meeting>> {
        components.sort_unstable();
        let events = &self.commits[commit as usize].events;
        let first = events.chunks[chunk].first_component;
        let part = self.packers.with(|packer| events.load(chunk, packer))?;
        let mut meetings = meeting::of_part(commit, &part);
        meetings.retain_mut(|meeting| {
            meeting.component += first;
            meeting.hash = cut(meeting.hash);
            components.binary_search(&meeting.component).is_ok()
        });
        Ok(meetings)
    }

    /// Gives the earlier events that new ones concern to two linkers: to `before` as they were, to `linker` without those
    /// that its own events replace. `names` has the names of all sources by number.
    ///
    /// # Errors
    /// When something cannot be read, or is damaged; or when a linker cannot take them.
    pub fn give(&self, reach: &Reach, names: &[String], before: &Linker, linker: &Linker) -> Result<()> {
        self.hand_out(reach, names, |key, part, is_replaced| {
            if !is_replaced {
                linker.add_known(key, part.clone())?;
            }
            before.add_known(key, part)
        })
    }

    /// Hands out the events, source by source; the last value says that new events replace these.
    fn hand_out(
        &self,
        reach: &Reach,
        names: &[String],
        mut take: impl FnMut(PartKey, Part, bool) -> Result<()>,
    ) -> Result<()> {
        let numbers: BTreeMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
        // By source and whether they are replaced: these come last in their sources.
        let mut chunks: BTreeMap<(u32, bool), Vec<(usize, usize)>> = BTreeMap::new();
        for (number, commit) in self.commits.iter().enumerate() {
            for (at, chunk) in commit.events.chunks.iter().enumerate() {
                let mut components = chunk.first_component..chunk.first_component + chunk.components;
                if !components.any(|component| reach.has(number as u32, component)) {
                    continue;
                }
                let name = commit.events.sources[chunk.source as usize].as_str();
                let source = *numbers.get(name).ok_or_else(|| commit.events.damaged())?;
                chunks.entry((source, reach.is_replaced(number, at))).or_default().push((number, at));
            }
        }
        let mut next_unit = 0;
        for ((source, is_replaced), chunks) in chunks {
            let pieces: Vec<Part> = chunks
                .into_par_iter()
                .map(|(commit, chunk)| self.piece(reach, commit, chunk))
                .collect::<Result<_>>()?;
            let places = |(number, piece): (usize, &Part)| {
                let events = piece.events.iter().zip(0u32..);
                events.map(move |(event, local)| (event.offset, event.sub, number, local)).collect::<Vec<_>>()
            };
            let mut order: Vec<(u64, u32, usize, u32)> = pieces.iter().enumerate().flat_map(places).collect();
            order.par_sort_unstable();
            let mut replay = Replay::default();
            for some in order.chunks(PART_EVENTS) {
                let mut batch = Batch::with_capacity(some.len());
                for (&(_, _, piece, local), row) in some.iter().zip(0..) {
                    replay.event(&pieces[piece], local, source, row, &mut batch);
                }
                let key = PartKey { source, unit: next_unit, is_tail: false, is_known: true };
                next_unit += 1;
                take(key, batch.into_part(), is_replaced)?;
            }
        }
        Ok(())
    }

    /// The components of a chunk that new events concern.
    fn piece(&self, reach: &Reach, commit: usize, chunk: usize) -> Result<Part> {
        let events = &self.commits[commit].events;
        let part = self.packers.with(|packer| events.load(chunk, packer))?;
        let first = events.chunks[chunk].first_component;
        let wanted: Vec<u32> =
            (0..part.component_count).map(|c| u32::from(!reach.has(commit as u32, first + c))).collect();
        if !wanted.contains(&1) {
            return Ok(part);
        }
        Ok(part.split(&wanted).swap_remove(0).1)
    }
}

/// A search for those whom some meetings concern.
struct Search<'a> {
    known: &'a Known,
    reach: &'a Reach,
    cursors: Vec<Cursor>,
    old: Vec<Meeting>,
    mixed: Vec<Meeting>,
    /// Those of one hash: (part, component), and the set of each.
    nodes: Vec<(u32, u32)>,
    sets: Vec<u32>,
    /// Found, and not followed yet.
    fresh: Vec<(u32, u32)>,
}

impl<'a> Search<'a> {
    fn new(known: &'a Known, reach: &'a Reach) -> Search<'a> {
        let cursors = known.commits.iter().map(|_| Cursor::default()).collect();
        let (old, mixed, nodes) = (Vec::new(), Vec::new(), Vec::new());
        Search { known, reach, cursors, old, mixed, nodes, sets: Vec::new(), fresh: Vec::new() }
    }

    /// Finds those whom the meetings `own`, sorted and of one hash, concern.
    fn follow(&mut self, own: &[Meeting], are_new: bool) -> Result<()> {
        let hash = cut(own[0].hash);
        let commits = &self.known.commits;
        let looks = own.chunk_by(|a, b| a.hash == b.hash).any(|own| meeting::unite(own, |_, _| {}));
        let asks_all = looks
            || commits.iter().any(|commit| commit.keys.may_look_further(hash))
            || own.iter().any(|m| self.is_replaced(m));
        self.old.clear();
        for (number, (commit, cursor)) in commits.iter().zip(&mut self.cursors).enumerate() {
            let days = commit.keys.days();
            let shares_day = || own.iter().any(|m| days.binary_search(&m.day).is_ok());
            if (asks_all || shares_day()) && commit.keys.may_have(hash) {
                commit.keys.look_up(cursor, hash, number as u32, &mut self.old)?;
            }
        }
        self.old.retain(|m| !commits[m.part as usize].is_dead(m.component));
        if self.old.is_empty() {
            return Ok(());
        }
        self.old.sort_unstable();
        let new = if are_new { own } else { &[] };
        self.nodes.clear();
        self.nodes.extend(self.old.iter().chain(new).map(|m| (m.part, m.component)));
        self.nodes.sort_unstable();
        self.nodes.dedup();
        self.sets.clear();
        self.sets.extend(0..self.nodes.len() as u32);
        let (nodes, sets) = (&self.nodes, &mut self.sets);
        unite(nodes, sets, &self.old);
        let any_replaced = self.old.iter().any(|m| is_replaced(self.known, self.reach, m));
        if are_new || any_replaced {
            self.mixed.clear();
            self.mixed.extend(self.old.iter().filter(|m| !is_replaced(self.known, self.reach, m)));
            self.mixed.extend(new.iter().map(|m| Meeting { hash, ..*m }));
            self.mixed.sort_unstable();
            unite(nodes, sets, &self.mixed);
        }
        let is_reached = |&(part, component): &(u32, u32)| part & NEW != 0 || self.reach.has(part, component);
        let mut reached: Vec<u32> = Vec::new();
        for (node, number) in self.nodes.iter().zip(0..) {
            if is_reached(node) {
                reached.push(find(&mut self.sets, number));
            }
        }
        reached.sort_unstable();
        reached.dedup();
        for (&(part, component), number) in self.nodes.iter().zip(0..) {
            let is_on = reached.binary_search(&find(&mut self.sets, number)).is_ok();
            if part & NEW == 0 && is_on && self.reach.mark(part, component) {
                self.fresh.push((part, component));
            }
        }
        Ok(())
    }

    fn is_replaced(&self, meeting: &Meeting) -> bool {
        is_replaced(self.known, self.reach, meeting)
    }
}

/// True when new events replace those of an earlier meeting.
fn is_replaced(known: &Known, reach: &Reach, meeting: &Meeting) -> bool {
    if meeting.part & NEW != 0 || reach.replaced[meeting.part as usize].is_empty() {
        return false;
    }
    let chunk = known.commits[meeting.part as usize].events.chunk_of(meeting.component);
    chunk.is_some_and(|chunk| reach.is_replaced(meeting.part as usize, chunk))
}

fn unite(nodes: &[(u32, u32)], sets: &mut [u32], meetings: &[Meeting]) {
    let node = |m: &Meeting| nodes.binary_search(&(m.part, m.component)).unwrap_or(0) as u32;
    meeting::unite(meetings, |a, b| {
        let (a, b) = (find(sets, node(a)), find(sets, node(b)));
        sets[a.max(b) as usize] = a.min(b);
    });
}

fn find(sets: &mut [u32], mut member: u32) -> u32 {
    while sets[member as usize] != member {
        let parent = sets[member as usize];
        sets[member as usize] = sets[parent as usize];
        member = parent;
    }
    member
}
