//! Bloom filters of id columns, so that readers pass over row groups that cannot hold an id.
//!
//! The format's split block filter: the upper half of a value's XXH64 picks a block of eight words, the lower half one
//! bit in each of them.

use crate::codec::varint::put_signed;
use xxhash_rust::xxh64::xxh64;

/// Share of absent ids that a filter lets through.
const FALSE_POSITIVES: f64 = 0.01;
/// Most blocks, four megabytes: more would cost a reader more than the row group.
const MOST_BLOCKS: usize = 1 << 17;
/// The format's multipliers, one for each word of a block.
const SALT: [u32; 8] =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

/// How many hashes are remembered.
const RECENT: usize = 4096;

type Block = [u32; 8];

/// Makes filters; its space is used again.
#[derive(Debug, Default)]
pub(super) struct Blooms {
    /// Without those that came shortly before: ids of an order come again and again.
    hashes: Vec<u64>,
    recent: Vec<u64>,
    seen: Vec<u64>,
    blocks: Vec<Block>,
    /// What filters were made of, while somebody wants it.
    noted: Option<Vec<u64>>,
}

impl Blooms {
    /// Appends the filter of `values`, header and bits, as it stands in a file.
    pub(super) fn put<'a>(&mut self, values: impl Iterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
        self.hashes.clear();
        self.recent.clear();
        self.recent.resize(RECENT, 0);
        for value in values {
            let hash = hash_of(value);
            let recent = &mut self.recent[hash as usize % RECENT];
            if *recent != hash || hash == 0 {
                *recent = hash;
                self.hashes.push(hash);
            }
        }
        if let Some(noted) = &mut self.noted {
            noted.extend_from_slice(&self.hashes);
        }
        let count = self.distinct();
        self.blocks.clear();
        self.blocks.resize(blocks_for(count), [0; 8]);
        for hash in &self.hashes {
            // The same as the upper half modulo the number of blocks, which is a power of two, from above.
            let place = ((hash >> 32) * self.blocks.len() as u64) >> 32;
            let block = &mut self.blocks[place as usize];
            for (word, salt) in block.iter_mut().zip(SALT) {
                *word |= 1 << ((*hash as u32).wrapping_mul(salt) >> 27);
            }
        }
        put_header(32 * self.blocks.len(), out);
        out.reserve(32 * self.blocks.len());
        for word in self.blocks.as_flattened() {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }

    /// From now on the hashes of all filters' values are kept until they are taken.
    pub(super) fn note(&mut self) {
        self.noted.get_or_insert_default();
    }

    /// The hashes since the last call; each may be there more than once.
    pub(super) fn take_noted(&mut self) -> Vec<u64> {
        self.noted.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// About how many different hashes there are, by how full a bitmap of at least as many bits gets.
    fn distinct(&mut self) -> f64 {
        let bits = self.hashes.len().next_power_of_two().max(64);
        self.seen.clear();
        self.seen.resize(bits / 64, 0);
        for hash in &self.hashes {
            let place = (hash >> 8) as usize & (bits - 1);
            self.seen[place / 64] |= 1 << (place % 64);
        }
        let empty = bits - self.seen.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        // A full bitmap is as good as impossible; one empty bit bounds the logarithm.
        let bits = bits as f64;
        (bits * (bits / empty.max(1) as f64).ln()).min(self.hashes.len() as f64)
    }
}

/// XXH64 with seed 0; ids are short, and then it takes a few steps.
#[inline]
pub(super) fn hash_of(value: &[u8]) -> u64 {
    const P1: u64 = 0x9E37_79B1_85EB_CA87;
    const P2: u64 = 0xC2B2_AE3D_27D4_EB4F;
    const P3: u64 = 0x1656_67B1_9E37_79F9;
    const P4: u64 = 0x85EB_CA77_C2B2_AE63;
    const P5: u64 = 0x27D4_EB2F_1656_67C5;
    if value.len() >= 32 {
        return xxh64(value, 0);
    }
    let mut hash = P5.wrapping_add(value.len() as u64);
    let (eights, rest) = value.as_chunks::<8>();
    for eight in eights {
        let lane = u64::from_le_bytes(*eight).wrapping_mul(P2).rotate_left(31).wrapping_mul(P1);
        hash = (hash ^ lane).rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
    }
    let (fours, rest) = rest.as_chunks::<4>();
    for four in fours {
        let lane = u64::from(u32::from_le_bytes(*four)).wrapping_mul(P1);
        hash = (hash ^ lane).rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
    }
    for byte in rest {
        hash = (hash ^ u64::from(*byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
    }
    hash = (hash ^ hash >> 33).wrapping_mul(P2);
    hash = (hash ^ hash >> 29).wrapping_mul(P3);
    hash ^ hash >> 32
}

/// Blocks for so many different values: a power of two, which not every reader demands.
fn blocks_for(count: f64) -> usize {
    let bits = -8.0 * count / (1.0 - FALSE_POSITIVES.powf(1.0 / 8.0)).ln();
    ((bits / 256.0).ceil() as usize).clamp(1, MOST_BLOCKS).next_power_of_two()
}

/// Thrift's BloomFilterHeader: the size, and for algorithm, hash and compression the first of each union.
fn put_header(bytes: usize, out: &mut Vec<u8>) {
    out.push(0x15);
    put_signed(bytes as i64, out);
    for _ in 0..3 {
        out.extend_from_slice(&[0x1C, 0x1C, 0, 0]);
    }
    out.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::bloom_filter::Sbbf;

    #[test]
    fn the_filter_is_the_librarys() {
        let values: Vec<String> = (0..5000).map(|i| format!("id-{}", i % 1999)).collect();
        let mut out = Vec::new();
        let mut blooms = Blooms::default();
        blooms.put([].into_iter(), &mut out);
        assert_eq!(out.len(), 14 + 1 + 32);
        out.clear();
        blooms.put(values.iter().map(|v| v.as_bytes()), &mut out);
        let mut expected = Sbbf::new_with_ndv_fpp(1999, FALSE_POSITIVES).expect("a share");
        values.iter().for_each(|value| expected.insert(value.as_str()));
        let mut bytes = Vec::new();
        expected.write(&mut bytes).expect("memory takes every write");
        assert!(out == bytes);
    }

    #[test]
    fn the_hash_is_the_librarys_at_every_length() {
        let bytes: Vec<u8> = (0..80u8).map(|b| b.wrapping_mul(37)).collect();
        for len in 0..bytes.len() {
            assert_eq!(hash_of(&bytes[..len]), xxh64(&bytes[..len], 0), "{len}");
        }
    }

    #[test]
    fn the_size_follows_the_different_values() {
        let mut blooms = Blooms::default();
        for (different, repeats) in [(1000, 1), (1000, 50), (100_000, 2)] {
            blooms.hashes =
                (0..different * repeats).map(|i| xxh64(format!("{}", i % different).as_bytes(), 0)).collect();
            let found = blooms.distinct();
            let expected = different as f64;
            assert!((found - expected).abs() < 0.03 * expected, "{found} for {different}");
        }
    }
}
