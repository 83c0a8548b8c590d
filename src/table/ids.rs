//! Where ids are: for each id (every value of a column with a bloom filter) the row groups that hold it, so that one
//! order is found among many files without opening them.
//!
//! Each commit has an index file that covers the files it has added: 256 sections by the first byte of the ids' hashes
//! (XXH64, cut to 48 bits: a wrong match costs a look into a row group). A section: blocks of about 4 KB, then the first hash and the place of each block. A file that was written anew, with
//! other lifecycles or merged with others, is noted as taking the place of another: it is looked through as a whole.

use super::bloom::hash_of;
use super::index_file::{ENDING, IndexFile, damaged, footer_start};
use super::scatter::{PARTITIONS, Scatter, partition};
use super::spool::Spool;
use super::trail::LiveFile;
use crate::codec::varint::{put_unsigned, take_count, take_unsigned};
use crate::{Error, Result};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The name of the index.
pub const IDS: &str = "ids";

const MAGIC: &[u8; 8] = b"fxtids_1";
const WHAT: &str = "no index of ids";
const BLOCK: usize = 4096;
const FENCE: usize = 12;
const RECORD: usize = 12;
/// In place of a row group: the whole file.
const WHOLE: u32 = u32::MAX;

/// Takes the ids of row groups from any thread, and writes a commit's file.
pub struct IdNotes {
    scatter: Scatter,
    next: AtomicU32,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    /// Where each row group is: path within the trail, and its number there or [`WHOLE`].
    places: BTreeMap<u32, (String, u32)>,
    /// From a path to the one in its place.
    moved: BTreeMap<String, String>,
}

impl IdNotes {
    pub fn new(spool: Arc<Spool>) -> IdNotes {
        IdNotes { scatter: Scatter::new(spool), next: AtomicU32::new(0), noted: Mutex::default() }
    }

    /// Takes the hashes of a row group's ids: a number for it.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add(&self, hashes: Vec<u64>) -> Result<u32> {
        let group = self.next.fetch_add(1, Ordering::Relaxed);
        self.add_to(group, hashes)?;
        Ok(group)
    }

    /// Takes further ids of a row group.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add_to(&self, group: u32, mut hashes: Vec<u64>) -> Result<()> {
        hashes.sort_unstable();
        hashes.dedup();
        for same in hashes.chunk_by(|a, b| partition(*a) == partition(*b)) {
            self.scatter.add(partition(same[0]), |bytes| {
                for hash in same {
                    bytes.extend_from_slice(&hash.to_be_bytes());
                    bytes.extend_from_slice(&group.to_be_bytes());
                }
            })?;
        }
        Ok(())
    }

    /// Takes texts that a whole file may hold.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add_file<'a>(&self, path: &str, texts: impl Iterator<Item = &'a [u8]>) -> Result<()> {
        let group = self.add(texts.map(hash_of).collect())?;
        self.noted().places.insert(group, (path.to_string(), WHOLE));
        Ok(())
    }

    /// Says where a row group came to be: the path within the trail, and its number in the file.
    pub fn place(&self, group: u32, path: &str, number: usize) {
        self.noted().places.insert(group, (path.to_string(), number as u32));
    }

    /// Says that a file has taken the place of another.
    pub fn move_file(&self, from: &str, to: &str) {
        self.noted().moved.insert(from.to_string(), to.to_string());
    }

    fn noted(&self) -> std::sync::MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes everything as `dir/name`.
    ///
    /// # Errors
    /// When it cannot be written, or read back from the spool.
    pub fn write(&self, dir: &Path, name: &str) -> Result<LiveFile> {
        let mut file = IndexFile::create(dir, MAGIC)?;
        let noted = self.noted();
        let paths: BTreeSet<&str> = noted.places.values().map(|(path, _)| path.as_str()).collect();
        let paths: Vec<&str> = paths.into_iter().collect();
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        let mut footer = Vec::new();
        put_texts(&paths, &mut footer);
        put_unsigned(noted.places.len() as u64, &mut footer);
        for ((group, (path, row_group)), number) in noted.places.iter().zip(0..) {
            numbers.insert(*group, number);
            put_unsigned(paths.partition_point(|other| *other < path.as_str()) as u64, &mut footer);
            put_unsigned(u64::from(*row_group), &mut footer);
        }
        let moved: Vec<&str> = noted.moved.iter().flat_map(|(from, to)| [from.as_str(), to.as_str()]).collect();
        put_texts(&moved, &mut footer);
        let mut count = 0;
        for number in 0..PARTITIONS {
            let mut records = self.scatter.records::<RECORD>(number)?;
            records.sort_unstable();
            // Of a group without a place nothing was written.
            let of = |record: &[u8; RECORD]| {
                let (hash, group) = record.split_at(8);
                let hash = u64::from_be_bytes(hash.try_into().unwrap_or_default());
                let group = u32::from_be_bytes(group.try_into().unwrap_or_default());
                numbers.get(&group).map(|place| (hash >> 16, *place))
            };
            let mut pairs: Vec<(u64, u32)> = records.iter().filter_map(of).collect();
            pairs.sort_unstable();
            pairs.dedup();
            count += pairs.len() as u64;
            let (bytes, blocks) = section(&pairs);
            put_unsigned(file.append(&bytes)?, &mut footer);
            put_unsigned(blocks as u64, &mut footer);
            put_unsigned((bytes.len() - blocks) as u64, &mut footer);
        }
        file.finish(&footer, name, count)
    }
}

fn put_texts(texts: &[&str], out: &mut Vec<u8>) {
    put_unsigned(texts.len() as u64, out);
    for text in texts {
        put_unsigned(text.len() as u64, out);
        out.extend_from_slice(text.as_bytes());
    }
}

/// Blocks, then fences; and how long the blocks are.
fn section(pairs: &[(u64, u32)]) -> (Vec<u8>, usize) {
    let (mut bytes, mut fences) = (Vec::new(), Vec::new());
    let (mut start, mut last) = (None, 0);
    for of_hash in pairs.chunk_by(|a, b| a.0 == b.0) {
        let hash = of_hash[0].0;
        if start.is_none_or(|start| bytes.len() - start >= BLOCK) {
            start = Some(bytes.len());
            fences.extend_from_slice(&hash.to_le_bytes());
            fences.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            last = hash;
        }
        put_unsigned(hash - last, &mut bytes);
        last = hash;
        put_unsigned(of_hash.len() as u64, &mut bytes);
        of_hash.iter().for_each(|(_, place)| put_unsigned(u64::from(*place), &mut bytes));
    }
    let blocks = bytes.len();
    bytes.extend_from_slice(&fences);
    (bytes, blocks)
}

/// The index files of a commit, oldest first.
pub struct Ids {
    files: Vec<IdFile>,
    covered: HashSet<String>,
}

struct IdFile {
    path: PathBuf,
    file: File,
    paths: Vec<String>,
    places: Vec<(usize, u32)>,
    moved: BTreeMap<String, String>,
    /// Of each section: start, length of the blocks, length of the fences.
    sections: Vec<(u64, usize, usize)>,
}

/// Row groups that may hold what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Groups {
    All,
    Some(BTreeSet<usize>),
}

impl Ids {
    /// # Errors
    /// When a file cannot be opened, or is damaged.
    pub fn open(paths: &[PathBuf]) -> Result<Ids> {
        let files: Vec<IdFile> = paths.iter().map(|path| IdFile::open(path)).collect::<Result<_>>()?;
        Ok(Ids { covered: covered(&files), files })
    }

    /// Where texts may be: paths within the trail and their row groups. Paths that are not live any more are among them.
    /// A file that [is not covered](Ids::covers) may hold them as well.
    ///
    /// # Errors
    /// When the index cannot be read, or is damaged.
    pub fn look_up<'a>(&self, texts: impl Iterator<Item = &'a str>) -> Result<BTreeMap<String, Groups>> {
        let mut hashes: Vec<u64> = texts.map(|text| hash_of(text.as_bytes())).collect();
        hashes.sort_unstable();
        let mut found: BTreeMap<String, Groups> = BTreeMap::new();
        for (number, file) in self.files.iter().enumerate() {
            for of_partition in hashes.chunk_by(|a, b| partition(*a) == partition(*b)) {
                for place in file.look_up(of_partition)? {
                    let (path, group) = &file.places[place];
                    let (path, was_moved) = self.now(&file.paths[*path], number);
                    let groups = found.entry(path.to_string()).or_insert_with(|| Groups::Some(BTreeSet::new()));
                    match groups {
                        _ if was_moved || *group == WHOLE => *groups = Groups::All,
                        Groups::Some(groups) => {
                            groups.insert(*group as usize);
                        }
                        Groups::All => {}
                    }
                }
            }
        }
        Ok(found)
    }

    /// What has taken the place of a file since the index file of that number, and whether something has.
    fn now<'a>(&'a self, path: &'a str, number: usize) -> (&'a str, bool) {
        let mut now = path;
        for file in &self.files[number..] {
            if let Some(next) = file.moved.get(now) {
                now = next;
            }
        }
        (now, now != path)
    }

    /// The index has the ids of this file.
    pub fn covers(&self, path: &str) -> bool {
        self.covered.contains(path)
    }
}

/// Paths whose ids are in the index: those that it was told of, and what has taken the place of nothing but these.
fn covered(files: &[IdFile]) -> HashSet<String> {
    let mut covered: HashSet<String> = HashSet::new();
    for file in files {
        covered.extend(file.paths.iter().cloned());
        let mut now: BTreeMap<&str, bool> = BTreeMap::new();
        for (from, to) in &file.moved {
            *now.entry(to).or_insert(true) &= covered.contains(from);
        }
        for (to, is_covered) in now {
            if is_covered {
                covered.insert(to.to_string());
            } else {
                covered.remove(to);
            }
        }
    }
    covered
}

impl IdFile {
    fn open(path: &Path) -> Result<IdFile> {
        let file = File::open(path).map_err(Error::io(path, "cannot open"))?;
        let len = file.metadata().map_err(Error::io(path, "cannot read"))?.len();
        let damaged = || damaged(path, WHAT);
        let read = |start: u64, len: usize| {
            let mut bytes = vec![0; len];
            file.read_exact_at(&mut bytes, start).map_err(Error::io(path, "cannot read"))?;
            Ok::<_, Error>(bytes)
        };
        let end = len.checked_sub(ENDING as u64).ok_or_else(damaged)?;
        let start = footer_start(&read(end, ENDING)?, len, MAGIC).ok_or_else(damaged)?;
        let footer = read(start, usize::try_from(end - start).map_err(|_| damaged())?)?;
        let (paths, places, moved, sections) = parse_footer(&footer, start).ok_or_else(damaged)?;
        Ok(IdFile { path: path.to_path_buf(), file, paths, places, moved, sections })
    }

    /// The places of hashes, which are sorted and of one partition.
    fn look_up(&self, hashes: &[u64]) -> Result<Vec<usize>> {
        let (start, blocks, fences) = self.sections[partition(hashes[0])];
        let mut bytes = vec![0; fences];
        let read = |bytes: &mut [u8], at: u64| {
            self.file.read_exact_at(bytes, at).map_err(Error::io(&self.path, "cannot read"))
        };
        read(&mut bytes, start + blocks as u64)?;
        let (fences, _) = bytes.as_chunks::<FENCE>();
        let first = |fence: &[u8; FENCE]| fence.first_chunk().map_or(0, |hash| u64::from_le_bytes(*hash));
        let at = |fence: &[u8; FENCE]| fence.last_chunk().map_or(0, |at| u32::from_le_bytes(*at)) as usize;
        let mut found = Vec::new();
        for hash in hashes.iter().map(|hash| hash >> 16) {
            let Some(block) = fences.partition_point(|fence| first(fence) <= hash).checked_sub(1) else { continue };
            let from = at(&fences[block]);
            let to = fences.get(block + 1).map_or(blocks, at);
            if from > to || to > blocks {
                return Err(damaged(&self.path, WHAT));
            }
            let mut bytes = vec![0; to - from];
            read(&mut bytes, start + from as u64)?;
            let places = in_block(&bytes, first(&fences[block]), hash).ok_or_else(|| damaged(&self.path, WHAT))?;
            if places.iter().any(|place| *place >= self.places.len()) {
                return Err(damaged(&self.path, WHAT));
            }
            found.extend(places);
        }
        Ok(found)
    }
}

fn in_block(mut bytes: &[u8], first: u64, wanted: u64) -> Option<Vec<usize>> {
    let mut hash = first;
    while !bytes.is_empty() {
        hash = hash.checked_add(take_unsigned(&mut bytes)?)?;
        let count = take_unsigned(&mut bytes)?;
        let mut places = Vec::new();
        for _ in 0..count {
            let place = take_count(&mut bytes)?;
            if hash == wanted {
                places.push(place);
            }
        }
        if hash >= wanted {
            return Some(places);
        }
    }
    Some(Vec::new())
}

type Footer = (Vec<String>, Vec<(usize, u32)>, BTreeMap<String, String>, Vec<(u64, usize, usize)>);

fn parse_footer(mut bytes: &[u8], end: u64) -> Option<Footer> {
    let bytes = &mut bytes;
    let paths = texts(bytes)?;
    let mut places = Vec::new();
    for _ in 0..take_unsigned(bytes)? {
        let path = take_count(bytes).filter(|path| *path < paths.len())?;
        places.push((path, u32::try_from(take_unsigned(bytes)?).ok()?));
    }
    let moved = texts(bytes)?;
    let (pairs, rest) = moved.as_chunks::<2>();
    let moved = pairs.iter().map(|[from, to]| (from.clone(), to.clone())).collect();
    let mut sections = Vec::with_capacity(PARTITIONS);
    for _ in 0..PARTITIONS {
        let (start, blocks, fences) = (take_unsigned(bytes)?, take_unsigned(bytes)?, take_unsigned(bytes)?);
        if start.checked_add(blocks)?.checked_add(fences)? > end {
            return None;
        }
        sections.push((start, usize::try_from(blocks).ok()?, usize::try_from(fences).ok()?));
    }
    (bytes.is_empty() && rest.is_empty()).then_some((paths, places, moved, sections))
}

fn texts(bytes: &mut &[u8]) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    for _ in 0..take_unsigned(bytes)? {
        let len = take_count(bytes)?;
        let (text, rest) = bytes.split_at_checked(len)?;
        *bytes = rest;
        texts.push(String::from_utf8(text.to_vec()).ok()?);
    }
    Some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Row groups of one commit: (file, texts).
    type Written = Vec<(u8, Vec<String>)>;

    fn any_commit() -> impl Strategy<Value = Written> {
        prop::collection::vec((0u8..3, prop::collection::vec("[a-c]{0,3}", 0..20)), 0..6)
    }

    fn write(dir: &Path, number: usize, groups: &Written, moves: &[(String, String)]) -> PathBuf {
        let notes = IdNotes::new(Spool::create(dir).expect("a spool"));
        let mut rows = [0; 3];
        for (file, texts) in groups {
            let group = notes.add(texts.iter().map(|text| hash_of(text.as_bytes())).collect()).expect("a group");
            notes.place(group, &format!("events/{number}-{file}"), rows[usize::from(*file)]);
            rows[usize::from(*file)] += 1;
        }
        moves.iter().for_each(|(from, to)| notes.move_file(from, to));
        let name = format!("ids-v{number}.idx");
        notes.write(dir, &name).expect("written");
        dir.join(name)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn ids_are_found_in_all_row_groups_that_hold_them(
            commits in prop::collection::vec(any_commit(), 1..4),
            moved in 0usize..4,
            wanted in "[a-c]{0,3}",
            cut in any::<prop::sample::Index>(),
            flip in (any::<prop::sample::Index>(), any::<u8>()),
        ) {
            let dir = tempfile::tempdir().expect("a directory");
            let mut paths = Vec::new();
            for (number, groups) in commits.iter().enumerate() {
                // The last commit has written one of the first one's files again.
                let last = number > 0 && number + 1 == commits.len() && moved < 3;
                let moves = [(format!("events/0-{moved}"), format!("events/{number}-again"))];
                paths.push(write(dir.path(), number, groups, if last { &moves } else { &[] }));
            }
            let ids = Ids::open(&paths).expect("opened");
            let found = ids.look_up([wanted.as_str()].into_iter()).expect("looked up");
            let mut expected: BTreeMap<String, Groups> = BTreeMap::new();
            for (number, groups) in commits.iter().enumerate() {
                let mut rows = [0; 3];
                for (file, texts) in groups {
                    let row_group = rows[usize::from(*file)];
                    rows[usize::from(*file)] += 1;
                    if !texts.contains(&wanted) {
                        continue;
                    }
                    if number == 0 && usize::from(*file) == moved && commits.len() > 1 {
                        expected.insert(format!("events/{}-again", commits.len() - 1), Groups::All);
                    } else {
                        let path = format!("events/{number}-{file}");
                        let groups = expected.entry(path).or_insert_with(|| Groups::Some(BTreeSet::new()));
                        if let Groups::Some(groups) = groups {
                            groups.insert(row_group);
                        }
                    }
                }
            }
            prop_assert_eq!(found, expected);
            // Damage is told, or does no harm.
            let whole = std::fs::read(&paths[0]).expect("read");
            std::fs::write(&paths[0], &whole[..cut.index(whole.len())]).expect("written");
            prop_assert!(Ids::open(&paths[..1]).is_err());
            let mut wrong = whole.clone();
            wrong[flip.0.index(whole.len())] = flip.1;
            std::fs::write(&paths[0], &wrong).expect("written");
            if let Ok(ids) = Ids::open(&paths[..1]) {
                let _ = ids.look_up([wanted.as_str()].into_iter());
            }
        }
    }
}
