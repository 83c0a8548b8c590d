//! Short texts as two words, which compare and hash in a few steps.

use xxhash_rust::xxh3::xxh3_64;

/// What is compared instead of a text: up to 16 bytes all of it, in two words that may overlap, else its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextKey {
    words: [u64; 2],
    len: u32,
}

impl TextKey {
    /// No text's key: no text is that long.
    pub const NONE: TextKey = TextKey { words: [0; 2], len: u32::MAX };

    #[inline(always)]
    pub fn of(value: &[u8]) -> TextKey {
        let words = match value.len() {
            0 => [0, 0],
            1..4 => [value[0].into(), u64::from(value[value.len() / 2]) << 8 | u64::from(value[value.len() - 1])],
            4..8 => [four(value, 0), four(value, value.len() - 4)],
            8..=16 => [eight(value, 0), eight(value, value.len() - 8)],
            _ => [xxh3_64(value), 0],
        };
        TextKey { words, len: value.len() as u32 }
    }

    /// Length of the text in bytes.
    #[inline]
    pub fn text_len(&self) -> u32 {
        self.len
    }

    /// Equal keys are equal texts.
    #[inline]
    pub fn is_whole(&self) -> bool {
        self.len <= 16
    }

    /// A hash for a table that does not outlive the run.
    #[inline]
    pub fn hash(&self) -> u64 {
        let [a, b] = self.words;
        let product =
            u128::from(a ^ 0x2D35_8DCC_AA6C_78A5) * u128::from(b ^ 0x8BB8_4B93_962E_ACC9 ^ u64::from(self.len));
        product as u64 ^ (product >> 64) as u64
    }
}

#[inline]
fn four(value: &[u8], at: usize) -> u64 {
    value[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes).into())
}

#[inline]
fn eight(value: &[u8], at: usize) -> u64 {
    value[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_are_equal_where_texts_are(a in "[ab]{0,18}", b in "[ab]{0,18}") {
            let (x, y) = (TextKey::of(a.as_bytes()), TextKey::of(b.as_bytes()));
            prop_assert_eq!(x == y, a == b);
            prop_assert!(x != y || x.hash() == y.hash());
            prop_assert_eq!(x.is_whole(), a.len() <= 16);
        }
    }
}
