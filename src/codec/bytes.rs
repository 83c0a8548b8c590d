//! Byte strings: PLAIN, DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY.
//!
//! Strings come as their bytes one after another and their lengths, as column builders keep them.

use super::delta;
use std::ops::Range;

/// Appends each string behind its length in four bytes.
pub fn put_plain(mut bytes: &[u8], lengths: &[u32], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 4 * lengths.len());
    for length in lengths {
        let value;
        (value, bytes) = bytes.split_at(*length as usize);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(value);
    }
}

/// Appends all lengths, then all bytes.
pub fn put_lengths_first(bytes: &[u8], lengths: &[u32], out: &mut Vec<u8>) {
    delta::put_int(lengths, out);
    out.extend_from_slice(bytes);
}

/// Texts for DELTA_BYTE_ARRAY, kept as how much of the one before each begins with, and the rest of it.
#[derive(Debug, Default)]
pub struct Prefixes {
    last: Vec<u8>,
    shared: Vec<u32>,
    rest_lengths: Vec<u32>,
    rests: Vec<u8>,
}

impl Prefixes {
    /// Takes the next text.
    #[inline]
    pub fn push(&mut self, value: &[u8]) {
        let shared = shared_prefix(&self.last, value);
        let rest = &value[shared..];
        self.shared.push(shared as u32);
        self.rest_lengths.push(rest.len() as u32);
        self.rests.extend_from_slice(rest);
        self.last.truncate(shared);
        self.last.extend_from_slice(rest);
    }

    /// The next text is kept whole, so that a page can begin with it.
    pub fn restart(&mut self) {
        self.last.clear();
    }

    /// Texts so far.
    pub fn len(&self) -> usize {
        self.shared.len()
    }

    pub fn is_empty(&self) -> bool {
        self.shared.is_empty()
    }

    /// Bytes of the rests so far.
    pub fn rest_bytes(&self) -> usize {
        self.rests.len()
    }

    /// Appends the texts of a range, the first of which is kept whole; `rests` is the range of their rests' bytes.
    pub fn put(&self, values: Range<usize>, rests: Range<usize>, out: &mut Vec<u8>) {
        delta::put_int(&self.shared[values.clone()], out);
        put_lengths_first(&self.rests[rests], &self.rest_lengths[values], out);
    }

    pub fn clear(&mut self) {
        self.last.clear();
        self.shared.clear();
        self.rest_lengths.clear();
        self.rests.clear();
    }
}

/// How many bytes two strings have in common at their beginning.
#[inline]
pub fn shared_prefix(a: &[u8], b: &[u8]) -> usize {
    let (a8, a_rest) = a.as_chunks::<8>();
    let (b8, b_rest) = b.as_chunks::<8>();
    for (i, (x, y)) in a8.iter().zip(b8).enumerate() {
        let different = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if different != 0 {
            return 8 * i + different.trailing_zeros() as usize / 8;
        }
    }
    let same = 8 * a8.len().min(b8.len());
    let (a_rest, b_rest) = match a8.len().cmp(&b8.len()) {
        std::cmp::Ordering::Equal => (a_rest, b_rest),
        _ => (&a[same..], &b[same..]),
    };
    same + a_rest.iter().zip(b_rest).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use super::super::oracle::{Reader, read_lengths_first, read_plain, read_prefixes};
    use super::*;
    use proptest::prelude::*;

    fn parts(values: &[&[u8]]) -> (Vec<u8>, Vec<u32>) {
        (values.concat(), values.iter().map(|v| v.len() as u32).collect())
    }

    fn all_three(values: &[&[u8]]) -> [Vec<u8>; 3] {
        let (bytes, lengths) = parts(values);
        let mut out = [Vec::new(), Vec::new(), Vec::new()];
        put_plain(&bytes, &lengths, &mut out[0]);
        put_lengths_first(&bytes, &lengths, &mut out[1]);
        let mut prefixes = Prefixes::default();
        values.iter().for_each(|value| prefixes.push(value));
        prefixes.put(0..prefixes.len(), 0..prefixes.rest_bytes(), &mut out[2]);
        out
    }

    fn read_three(out: [&[u8]; 3], count: usize) -> [Option<Vec<Vec<u8>>>; 3] {
        let readers = out.map(Reader::new);
        let [mut a, mut b, mut c] = readers;
        [read_plain(&mut a, count), read_lengths_first(&mut b), read_prefixes(&mut c)]
    }

    fn round_trip(values: &[&[u8]]) {
        let out = all_three(values);
        let expected: Vec<Vec<u8>> = values.iter().map(|v| v.to_vec()).collect();
        for read in read_three([&out[0], &out[1], &out[2]], values.len()) {
            assert_eq!(read.as_ref(), Some(&expected));
        }
    }

    #[test]
    fn none_one_empty_and_long_come_back() {
        round_trip(&[]);
        round_trip(&[b""]);
        round_trip(&[b"a", b"", b"abc", b"", b"abcd"]);
        round_trip(&[&[7; 100_000], b"x", &[7; 99_999]]);
    }

    #[test]
    fn an_id_that_counts_up_keeps_only_its_last_digits() {
        let ids: Vec<String> = (0..1000).map(|i| format!("3fa9c01b77e2-{}", 1_000_000 + 211 * i)).collect();
        let ids: Vec<&[u8]> = ids.iter().map(String::as_bytes).collect();
        let [plain, lengths, prefixes] = all_three(&ids);
        assert_eq!((plain.len(), lengths.len()), (24_000, 20_046));
        assert!(prefixes.len() < 5_000, "{}", prefixes.len());
    }

    #[test]
    fn a_cut_at_any_byte_is_noticed() {
        let values: &[&[u8]] = &[b"alpha", b"alphabet", b"alp", b"", b"beta"];
        let out = all_three(values);
        for end in 0..out[0].len() {
            assert_eq!(read_three([&out[0][..end], &out[1], &out[2]], 5)[0], None, "plain cut at {end}");
        }
        for end in 0..out[1].len() {
            assert_eq!(read_three([&out[0], &out[1][..end], &out[2]], 5)[1], None, "lengths cut at {end}");
        }
        for end in 0..out[2].len() {
            assert_eq!(read_three([&out[0], &out[1], &out[2][..end]], 5)[2], None, "prefixes cut at {end}");
        }
    }

    #[test]
    fn a_page_begins_where_prefixes_restart() {
        let values: &[&[u8]] = &[b"alpha", b"alphabet", b"alpine", b"alps"];
        let mut prefixes = Prefixes::default();
        prefixes.push(values[0]);
        prefixes.push(values[1]);
        let first = prefixes.rest_bytes();
        prefixes.restart();
        prefixes.push(values[2]);
        prefixes.push(values[3]);
        let mut pages = [Vec::new(), Vec::new()];
        prefixes.put(0..2, 0..first, &mut pages[0]);
        prefixes.put(2..4, first..prefixes.rest_bytes(), &mut pages[1]);
        for (page, values) in pages.iter().zip([&values[..2], &values[2..]]) {
            let expected: Vec<Vec<u8>> = values.iter().map(|v| v.to_vec()).collect();
            assert_eq!(read_prefixes(&mut Reader::new(page)), Some(expected));
        }
        prefixes.clear();
        assert!(prefixes.is_empty());
    }

    #[test]
    fn a_shared_prefix_ends_at_the_first_difference() {
        for len in 0..40 {
            let a = vec![b'x'; len];
            for at in 0..len {
                let mut b = a.clone();
                b[at] = b'y';
                assert_eq!(shared_prefix(&a, &b), at);
                assert_eq!(shared_prefix(&a, &b[..at]), at);
            }
            assert_eq!(shared_prefix(&a, &a), len);
        }
    }

    proptest! {
        #[test]
        fn any_strings_come_back(values in prop::collection::vec("[ab]{0,20}", 0..200)) {
            round_trip(&values.iter().map(String::as_bytes).collect::<Vec<_>>());
        }

        #[test]
        fn a_shared_prefix_is_the_plain_one(a in "[ab]{0,30}", b in "[ab]{0,30}") {
            let plain = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
            prop_assert_eq!(shared_prefix(a.as_bytes(), b.as_bytes()), plain);
        }
    }
}
