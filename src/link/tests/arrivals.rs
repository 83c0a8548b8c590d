//! Events that arrive commit by commit: the rows that are there in the end are those of linking everything at once. And
//! what is kept for that on disk.

use super::random::any_samples;
use super::{EACH, Out, SOURCES, Sample, add, collect, link, source_names, sources};
use crate::link::islands::Meetings;
use crate::link::key_file::{self, Cursor, KeyFile};
use crate::link::meeting::{self, Meeting};
use crate::link::part::Part;
use crate::link::replay::Replay;
use crate::link::{Batch, Known, Linker, PartKey};
use crate::table::Spool;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// In which commits a source comes: what is in front of the cut in the first, the rest in the second. Some events behind
/// the cut were in the first commit already, as a tail that the second replaces.
#[derive(Clone, Debug)]
struct Arrival {
    first: usize,
    second: usize,
    cut: usize,
    has_tail: bool,
}

fn any_arrival() -> impl Strategy<Value = Arrival> {
    (0usize..4, 0usize..4, 0..=EACH, any::<bool>()).prop_map(|(a, b, cut, has_tail)| Arrival {
        first: a.min(b),
        second: a.max(b),
        cut,
        has_tail,
    })
}

/// The rows of a trail, and the lifecycle of each event.
#[derive(Default, Debug, PartialEq)]
struct Trail {
    rows: BTreeMap<String, i64>,
    ids: BTreeMap<usize, String>,
}

impl Trail {
    /// Takes what a run has linked for what was linked before.
    fn update(&mut self, before: &Out, now: &Out) {
        for (out, sign) in [(before, -1), (now, 1)] {
            for row in &out.whole {
                *self.rows.entry(row.clone()).or_insert(0) += sign;
            }
        }
        self.rows.retain(|_, count| *count != 0);
        for (number, id) in before.ids.iter().enumerate().filter(|(_, id)| !id.is_empty()) {
            assert_eq!(self.ids.remove(&number).as_ref(), Some(id), "event {number}");
        }
        for (number, id) in now.ids.iter().enumerate().filter(|(_, id)| !id.is_empty()) {
            assert_eq!(self.ids.insert(number, id.clone()), None, "event {number}");
        }
    }
}

/// Links what comes with a commit.
fn link_commit(
    dir: &Path,
    commit: usize,
    kept: &mut Vec<[PathBuf; 2]>,
    samples: &[Sample],
    arrivals: &[Arrival],
    most_bytes: usize,
    trail: &mut Trail,
) {
    let names = source_names();
    let spool = || Spool::create(dir).expect("a spool");
    let mut linker = Linker::keeping(most_bytes, spool(), dir).expect("a linker");
    let mut grown = Vec::new();
    for (source, arrival) in (0u32..).zip(arrivals) {
        let start = samples.len().min(source as usize * EACH);
        let end = samples.len().min(start + EACH);
        let cut = end.min(start + arrival.cut);
        let is_split = arrival.first < arrival.second;
        let (whole, tail) = match commit {
            _ if commit == arrival.first && !is_split => (start..end, 0..0),
            _ if commit == arrival.first => (start..cut, cut..if arrival.has_tail { end.min(cut + 1) } else { cut }),
            _ if commit == arrival.second => (cut..end, 0..0),
            _ => continue,
        };
        if commit == arrival.second && is_split {
            grown.push(names[source as usize].clone());
        }
        for (unit, range, is_tail) in [(0, whole, false), (1, tail, true)] {
            let mut batch = Batch::new();
            range.for_each(|number| add(&mut batch, &samples[number], number));
            linker.add(PartKey { source, unit, is_tail, is_known: false }, batch).expect("a batch");
        }
    }
    let known = Known::open(kept).expect("kept files");
    let reach = known.reach(&linker, &grown).expect("reach");
    let files = [format!("events-{commit}"), format!("keys-{commit}")];
    linker.keep(dir, [&files[0], &files[1]], &names, &grown).expect("kept");
    kept.push(files.map(|name| dir.join(name)));
    let before = Linker::new(most_bytes, spool());
    known.give(&reach, &names, &before, &linker).expect("given");
    let of = |linker: Linker| collect(&linker.finish(sources()).expect("linked"), samples.len());
    trail.update(&of(before), &of(linker));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn rows_in_the_end_are_those_of_linking_everything_at_once(
        samples in any_samples(),
        arrivals in prop::collection::vec(any_arrival(), SOURCES),
        most_bytes in prop_oneof![Just(usize::MAX), 0usize..4000],
    ) {
        let dir = tempfile::tempdir().expect("a directory");
        let (mut kept, mut trail) = (Vec::new(), Trail::default());
        let commits: BTreeSet<usize> = arrivals.iter().flat_map(|a| [a.first, a.second]).collect();
        for commit in commits {
            link_commit(dir.path(), commit, &mut kept, &samples, &arrivals, most_bytes, &mut trail);
        }
        let mut at_once = Trail::default();
        at_once.update(&Out::default(), &link(&samples, &[], false));
        prop_assert_eq!(trail, at_once);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_part_comes_back_from_bytes_and_damaged_bytes_give_no_other_than_a_sound_one(
        samples in any_samples(),
        cut in any::<prop::sample::Index>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let mut batch = Batch::new();
        samples.iter().enumerate().for_each(|(number, sample)| add(&mut batch, sample, number));
        let part = batch.into_part();
        let bytes = part.to_bytes();
        let back = Part::from_bytes(&bytes).expect("what was written");
        prop_assert_eq!(back.to_bytes(), bytes.clone());
        let alike = |a: &Part, b: &Part| {
            let hashes = |part: &Part| {
                let entries = part.entries.iter().map(|e| (e.hash, e.day, part.text(e.text).to_vec()));
                let refs = part.refs.iter().map(|r| (r.hash, r.event as i32, part.text(r.text).to_vec()));
                entries.chain(refs).collect::<Vec<_>>()
            };
            hashes(a) == hashes(b)
        };
        prop_assert!(alike(&part, &back));
        let mut wrong = bytes[..cut.index(bytes.len())].to_vec();
        prop_assert!(Part::from_bytes(&wrong).is_none());
        wrong.clone_from(&bytes);
        for (at, byte) in flips {
            wrong[at.index(bytes.len())] = byte;
        }
        // Whatever comes of it can be linked again.
        if let Some(part) = Part::from_bytes(&wrong) {
            let (mut replay, mut batch) = (Replay::default(), Batch::new());
            (0..part.events.len() as u32).for_each(|local| replay.event(&part, local, 0, local, &mut batch));
            batch.into_part();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_file_of_keys_finds_whoever_has_a_hash_and_damage_is_told_or_does_no_harm(
        samples in any_samples(),
        cut_at in any::<prop::sample::Index>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        order in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().expect("a directory");
        let meetings = Meetings::new(Spool::create(dir.path()).expect("a spool"));
        let mut all: Vec<Meeting> = Vec::new();
        for (number, samples) in (0..).zip(samples.chunks(5)) {
            let mut batch = Batch::new();
            samples.iter().enumerate().for_each(|(number, sample)| add(&mut batch, sample, number));
            let part = batch.into_part();
            all.extend(meeting::of_part(number, &part));
            meetings.add(number, &part).expect("taken");
        }
        let node_of = |part: u32, component: u32| part * 1000 + component;
        let file = key_file::write(&meetings, node_of, dir.path(), "keys").expect("written");
        prop_assert_eq!(file.rows, all.len() as u64);
        let path = dir.path().join("keys");
        let keys = KeyFile::open(&path).expect("opened");
        all.sort_unstable();
        let mut runs: Vec<&[Meeting]> = all.chunk_by(|a, b| a.hash == b.hash).collect();
        if order {
            runs.reverse();
        }
        let mut cursor = Cursor::default();
        for run in runs {
            let hash = run[0].hash;
            let mut found = Vec::new();
            prop_assert!(keys.may_have(hash));
            let looks_further = meeting::unite(run, |_, _| ());
            prop_assert!(!looks_further || keys.may_look_further(hash));
            keys.look_up(&mut cursor, hash, 7, &mut found).expect("looked up");
            let mut expected: Vec<Meeting> = run
                .iter()
                .map(|m| Meeting { hash: key_file::cut(hash), part: 7, component: node_of(m.part, m.component), ..*m })
                .collect();
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
        let whole = std::fs::read(&path).expect("read");
        std::fs::write(&path, &whole[..cut_at.index(whole.len())]).expect("written");
        prop_assert!(KeyFile::open(&path).is_err());
        let mut wrong = whole;
        for (at, byte) in flips {
            let at = at.index(wrong.len());
            wrong[at] = byte;
        }
        std::fs::write(&path, &wrong).expect("written");
        if let Ok(keys) = KeyFile::open(&path) {
            let mut found = Vec::new();
            for meeting in &all {
                let _ = keys.look_up(&mut cursor, meeting.hash, 7, &mut found);
            }
        }
    }
}
