//! Names of parties and symbols as numbers: one interner per batch, and one sorted table of all.

use crate::types::text_key::TextKey;
use xxhash_rust::xxh3::xxh3_64;

/// Numbers for byte strings in the order in which they appear; 0 is the empty one.
#[derive(Clone)]
pub(super) struct Names {
    /// Number + 1 by hash, open addressing; 0 is free.
    table: Vec<u32>,
    hashes: Vec<u64>,
    ends: Vec<u32>,
    bytes: Vec<u8>,
    /// Short names and their numbers, by hash: a log names the same parties and symbols again and again. Empty until the
    /// first is asked for.
    recent: Vec<(TextKey, u32)>,
}

const RECENT: usize = 256;

impl Default for Names {
    fn default() -> Names {
        let mut names =
            Names { table: vec![0; 64], hashes: Vec::new(), ends: Vec::new(), bytes: Vec::new(), recent: Vec::new() };
        names.look_up(b"");
        names
    }
}

/// Longest name kept, in bytes.
const NAME_LIMIT: usize = 4096;

impl Names {
    /// A name of absurd length is cut; when 4 GiB of names are full, further ones count as empty.
    pub fn number(&mut self, name: &[u8]) -> u32 {
        if self.recent.is_empty() {
            self.recent.resize(RECENT, (TextKey::NONE, 0));
        }
        let key = TextKey::of(name);
        let place = (key.hash() >> 56) as usize % RECENT;
        let (known, number) = self.recent[place];
        if known == key && key.is_whole() {
            return number;
        }
        let number = self.look_up(&name[..name.len().min(NAME_LIMIT)]);
        self.recent[place] = (key, number);
        number
    }

    /// Frees what only speeds up further names.
    pub fn rest(&mut self) {
        self.recent = Vec::new();
    }

    /// The hash of a name, by its number.
    pub fn hash(&self, number: u32) -> u64 {
        self.hashes[number as usize]
    }

    fn look_up(&mut self, name: &[u8]) -> u32 {
        let hash = xxh3_64(name);
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != 0 {
            let number = self.table[slot] - 1;
            if self.hashes[number as usize] == hash && self.get(number) == name {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        if self.bytes.len() + name.len() > u32::MAX as usize {
            return 0;
        }
        let number = self.hashes.len() as u32;
        self.table[slot] = number + 1;
        self.hashes.push(hash);
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len() as u32);
        if self.hashes.len() * 2 > self.table.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 2 - 1;
        let mut table = vec![0; mask + 1];
        for (number, &hash) in self.hashes.iter().enumerate() {
            let mut slot = hash as usize & mask;
            while table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            table[slot] = number as u32 + 1;
        }
        self.table = table;
    }

    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    pub fn get(&self, number: u32) -> &[u8] {
        let start = if number == 0 { 0 } else { self.ends[number as usize - 1] as usize };
        &self.bytes[start..self.ends[number as usize] as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len() as u32).map(|n| self.get(n))
    }
}

/// All names of all batches sorted by their bytes, so that numbers depend on the data only; 0 is the empty name.
#[derive(Default)]
pub(super) struct SortedNames {
    bytes: Vec<Box<[u8]>>,
    texts: Vec<String>,
}

impl SortedNames {
    pub fn of<'a>(batches: impl Iterator<Item = &'a Names>) -> SortedNames {
        let mut all = Names::default();
        for batch in batches {
            batch.iter().for_each(|name| {
                all.number(name);
            });
        }
        let mut bytes: Vec<Box<[u8]>> = all.iter().map(Box::from).collect();
        bytes.sort_unstable();
        let texts = bytes.iter().map(|b| String::from_utf8_lossy(b).into_owned()).collect();
        SortedNames { bytes, texts }
    }

    /// The number here of each number there.
    pub fn renumbering(&self, batch: &Names) -> Vec<u32> {
        batch.iter().map(|name| self.bytes.partition_point(|b| **b < *name) as u32).collect()
    }

    pub fn bytes(&self, number: u32) -> &[u8] {
        &self.bytes[number as usize]
    }

    /// For people: bytes that are no UTF-8 are replaced.
    pub fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_one_number_and_the_sorted_table_forgets_the_order_of_arrival() {
        let texts: Vec<String> = (0..500).map(|n| format!("N{}", n % 250)).collect();
        let mut forward = Names::default();
        let mut backward = Names::default();
        let numbers: Vec<u32> = texts.iter().map(|t| forward.number(t.as_bytes())).collect();
        texts.iter().rev().for_each(|t| {
            backward.number(t.as_bytes());
        });
        assert_eq!(forward.len(), 251);
        assert_eq!(numbers[..250], numbers[250..]);
        let sorted = SortedNames::of([&forward, &backward].into_iter());
        let (a, b) = (sorted.renumbering(&forward), sorted.renumbering(&backward));
        for text in &texts {
            let here = a[forward.number(text.as_bytes()) as usize];
            assert_eq!(here, b[backward.number(text.as_bytes()) as usize]);
            assert_eq!(sorted.text(here), text);
        }
        assert_eq!(sorted.bytes(0), b"");
    }
}
