//! A finished column chunk: the bytes of its pages and what the file's footer says about them.

/// The least or the greatest value of a chunk or a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    Int(i64),
    /// At most 64 bytes; a longer minimum is cut, a longer maximum is cut and raised, so that the bounds still hold.
    Text(String),
}

/// The range of the values of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub min: Bound,
    /// None when a long maximum cannot be cut and raised.
    pub max: Option<Bound>,
    pub min_is_exact: bool,
    pub max_is_exact: bool,
}

/// What the values of a chunk's data pages look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Plain,
    Symbols,
    Delta,
    LengthsFirst,
    Prefixes,
}

/// What a footer says about a chunk. Places count from the start of the chunk.
#[derive(Clone, Debug)]
pub(super) struct ChunkMeta {
    pub rows: usize,
    /// Values and nulls; a list adds one for each text after its first.
    pub levels: usize,
    pub nulls: usize,
    /// Headers and pages, as compressed and before.
    pub pages_len: usize,
    pub raw_len: usize,
    /// Length of the page of symbols in front, header included, or 0.
    pub symbols_len: usize,
    pub compressed: bool,
    /// Data pages by coding.
    pub pages: Vec<(Coding, usize)>,
    pub bounds: Option<Bounds>,
    /// Length of the bloom filter behind the pages, or 0.
    pub bloom_len: usize,
}

/// One column of one row group, encoded and compressed.
#[derive(Debug)]
pub struct Chunk {
    /// The pages, then the bloom filter.
    pub(super) bytes: Vec<u8>,
    pub(super) meta: ChunkMeta,
}

impl Chunk {
    /// Rows in the chunk, nulls among them.
    pub fn rows(&self) -> usize {
        self.meta.rows
    }

    /// Size on disk, bloom filter included.
    pub fn len_bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// Longest text kept as a bound, in bytes.
const LONGEST: usize = 64;

impl Bounds {
    pub(super) fn of_ints(values: &[i64]) -> Option<Bounds> {
        let (mut min, mut max) = (*values.first()?, *values.first()?);
        for value in values {
            min = min.min(*value);
            max = max.max(*value);
        }
        Some(Bounds { min: Bound::Int(min), max: Some(Bound::Int(max)), min_is_exact: true, max_is_exact: true })
    }

    pub(super) fn of_texts<'a>(mut values: impl Iterator<Item = &'a [u8]>) -> Option<Bounds> {
        let first = values.next()?;
        let (mut min, mut max) = (first, first);
        let (mut min_head, mut max_head) = (head(first), head(first));
        for value in values {
            // Most comparisons are decided by the first eight bytes.
            let value_head = head(value);
            if value_head <= min_head && value < min {
                (min, min_head) = (value, value_head);
            }
            if value_head >= max_head && value > max {
                (max, max_head) = (value, value_head);
            }
        }
        Some(Bounds {
            min: Bound::Text(cut(min)),
            max: if max.len() <= LONGEST { Some(cut(max)) } else { raised(cut(max)) }.map(Bound::Text),
            min_is_exact: min.len() <= LONGEST,
            max_is_exact: max.len() <= LONGEST,
        })
    }
}

/// The first eight bytes as a number that compares as they do.
#[inline]
fn head(value: &[u8]) -> u64 {
    match value.first_chunk::<8>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => value.iter().enumerate().fold(0, |n, (i, byte)| n | u64::from(*byte) << (56 - 8 * i)),
    }
}

/// The longest beginning of at most [`LONGEST`] bytes that cuts no character.
fn cut(value: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(&value[..value.len().min(LONGEST + 4)]).into_owned();
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

/// A text of the same length or shorter that is greater than everything that starts with `text`.
fn raised(mut text: String) -> Option<String> {
    while let Some(last) = text.pop() {
        // One up, as long as it takes no more bytes: the surrogates are no characters.
        let next = (last as u32 + 1..=last as u32 + 0x801).find_map(char::from_u32);
        if let Some(next) = next.filter(|next| next.len_utf8() == last.len_utf8()) {
            text.push(next);
            return Some(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(values: &[&str]) -> Bounds {
        Bounds::of_texts(values.iter().map(|v| v.as_bytes())).expect("there are values")
    }

    #[test]
    fn texts_are_ordered_by_their_bytes() {
        let b = bounds(&["b", "", "ab", "b\0", "abcdefghij", "abcdefgh"]);
        assert_eq!((b.min, b.max), (Bound::Text(String::new()), Some(Bound::Text("b\0".into()))));
        let b = bounds(&["abcdefghij", "abcdefghii", "abcdefghik"]);
        assert_eq!((b.min, b.max), (Bound::Text("abcdefghii".into()), Some(Bound::Text("abcdefghik".into()))));
    }

    #[test]
    fn a_long_bound_is_cut_and_still_holds() {
        let low = "a".repeat(100);
        let high = "z".repeat(100);
        let b = bounds(&[&low, &high]);
        assert_eq!(b.min, Bound::Text("a".repeat(64)));
        assert_eq!(b.max, Some(Bound::Text(format!("{}{{", "z".repeat(63)))));
        assert_eq!((b.min_is_exact, b.max_is_exact), (false, false));
    }

    #[test]
    fn a_cut_leaves_characters_whole_and_gives_up_at_the_last_one() {
        let b = bounds(&[&format!("{}é{}", "x".repeat(63), "y".repeat(9))]);
        assert_eq!((b.min, b.max), (Bound::Text("x".repeat(63)), Some(Bound::Text(format!("{}y", "x".repeat(62))))));
        assert_eq!(bounds(&[&"\u{10FFFF}".repeat(17)]).max, None);
    }

    #[test]
    fn no_value_has_no_bounds() {
        assert_eq!(Bounds::of_texts(std::iter::empty()), None);
        assert_eq!(Bounds::of_ints(&[]), None);
        assert_eq!(Bounds::of_ints(&[3, -5, 9]).map(|b| (b.min, b.max)), Some((Bound::Int(-5), Some(Bound::Int(9)))));
    }
}
