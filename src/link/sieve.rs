//! Tells for most hashes that are not in a set that they are not: a filter of blocks of 256 bits, one bit a word.

/// Bits for each member: one absent hash in a hundred passes.
const BITS: usize = 12;
const WORDS: usize = 8;
pub(super) const BLOCK_BYTES: usize = 4 * WORDS;
const SALT: [u32; WORDS] =
    [0x8f1b_bcdd, 0x5a82_79a9, 0x6ed9_eba1, 0xca62_c1d7, 0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f];

/// Appends the filter of some hashes, ascending, which have their first byte in common; empty when there are none.
pub(super) fn put(hashes: &[u64], out: &mut Vec<u8>) {
    if hashes.is_empty() {
        return;
    }
    let mut blocks = vec![[0u32; WORDS]; (hashes.len() * BITS).div_ceil(32 * WORDS)];
    for &hash in hashes {
        let place = place(hash, blocks.len());
        let block = &mut blocks[place];
        let low = mixed(hash);
        for (word, salt) in block.iter_mut().zip(SALT) {
            *word |= 1 << (low.wrapping_mul(salt) >> 27);
        }
    }
    blocks.as_flattened().iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
}

/// False when the hash is not among those that the filter was made of.
pub(super) fn may_hold(filter: &[u8], hash: u64) -> bool {
    let (blocks, _) = filter.as_chunks::<BLOCK_BYTES>();
    if blocks.is_empty() {
        return false;
    }
    let (words, _) = blocks[place(hash, blocks.len())].as_chunks::<4>();
    let low = mixed(hash);
    words.iter().zip(SALT).all(|(word, salt)| u32::from_le_bytes(*word) >> (low.wrapping_mul(salt) >> 27) & 1 == 1)
}

/// Ascending hashes have ascending blocks, so that sorted questions go through the filter once.
fn place(hash: u64, blocks: usize) -> usize {
    let high = (hash << 8) >> 32;
    ((high * blocks as u64) >> 32) as usize
}

fn mixed(hash: u64) -> u32 {
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(count: u64, salt: u64) -> Vec<u64> {
        let mut hashes: Vec<u64> = (0..count)
            .map(|n| xxhash_rust::xxh3::xxh3_64(&(n ^ salt).to_le_bytes()) & 0x00ff_ffff_ffff_0000 | 7 << 56)
            .collect();
        hashes.sort_unstable();
        hashes
    }

    #[test]
    fn members_pass_and_few_others_do() {
        for count in [1, 2, 100, 5000] {
            let members = hashes(count, 0);
            let mut filter = Vec::new();
            put(&members, &mut filter);
            assert!(members.iter().all(|&hash| may_hold(&filter, hash)));
            let passed = hashes(10_000, 1 << 40).iter().filter(|&&hash| may_hold(&filter, hash)).count();
            assert!(passed < 300, "{passed} of 10,000 pass a filter of {count}");
        }
    }

    #[test]
    fn a_filter_of_nothing_holds_nothing() {
        let mut filter = Vec::new();
        put(&[], &mut filter);
        assert!(filter.is_empty() && !may_hold(&filter, 5));
    }
}
