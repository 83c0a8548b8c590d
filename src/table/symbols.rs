//! Numbers the different texts of a column in the order in which they come.

use xxhash_rust::xxh3::xxh3_64;

/// Most symbols; more of them pay neither in space nor in time.
const MOST: usize = 65_535;
/// Most bytes of all symbols together.
const MOST_BYTES: usize = 1 << 20;
/// Below so many symbols nobody asks whether they pay.
const TRIAL: usize = 1024;
/// A look-up that probes further than this was meant to be slow, or the table is of no use.
const LONGEST_PROBE: usize = 128;
const EMPTY: u32 = u32::MAX;

/// The different texts of a column.
#[derive(Debug)]
pub(super) struct Symbols {
    bytes: Vec<u8>,
    /// Where each symbol ends in `bytes`.
    ends: Vec<u32>,
    /// Sixteen bits of the hash above the symbol's number; a power of two of slots.
    slots: Vec<u32>,
    /// Number of each symbol that is one byte long, or `u16::MAX`.
    single: Box<[u16; 256]>,
    /// Where the last longer symbol stands and its number, or `u16::MAX` before the first.
    last: (u32, u32),
    last_number: u16,
}

impl Symbols {
    pub(super) fn new() -> Symbols {
        Symbols {
            bytes: Vec::new(),
            ends: Vec::new(),
            slots: vec![EMPTY; 64],
            single: Box::new([u16::MAX; 256]),
            last: (0, 0),
            last_number: u16::MAX,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, number: u16) -> &[u8] {
        let number = usize::from(number);
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.bytes[start as usize..self.ends[number] as usize]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|number| self.get(number as u16))
    }

    /// The number of a text, a new one if need be; `pushed` values came before it. None when symbols do not pay.
    #[inline]
    pub(super) fn number(&mut self, value: &[u8], pushed: usize) -> Option<u16> {
        if let [byte] = value {
            let number = self.single[usize::from(*byte)];
            if number != u16::MAX {
                return Some(number);
            }
        } else if &self.bytes[self.last.0 as usize..self.last.1 as usize] == value && self.last_number != u16::MAX {
            return Some(self.last_number);
        }
        self.search(value, pushed)
    }

    fn search(&mut self, value: &[u8], pushed: usize) -> Option<u16> {
        if let [byte] = value {
            let number = self.add(value, pushed)?;
            self.single[usize::from(*byte)] = number;
            return Some(number);
        }
        let hash = hash(value);
        let mask = self.slots.len() - 1;
        let tag = (hash >> 48) as u32;
        let mut place = hash as usize & mask;
        for _ in 0..LONGEST_PROBE {
            let slot = self.slots[place];
            if slot == EMPTY {
                let number = self.add(value, pushed)?;
                self.slots[place] = tag << 16 | u32::from(number);
                if 2 * self.len() > self.slots.len() {
                    self.grow();
                }
                return Some(number);
            }
            if slot >> 16 == tag && self.get(slot as u16) == value {
                let number = slot as u16;
                let end = self.ends[usize::from(number)];
                self.last = (end - value.len() as u32, end);
                self.last_number = number;
                return Some(number);
            }
            place = (place + 1) & mask;
        }
        None
    }

    fn add(&mut self, value: &[u8], pushed: usize) -> Option<u16> {
        let count = self.len();
        if count >= MOST || self.bytes.len() + value.len() > MOST_BYTES || (count >= TRIAL && 2 * count > pushed) {
            return None;
        }
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len() as u32);
        if value.len() != 1 {
            self.last = (start, self.bytes.len() as u32);
            self.last_number = count as u16;
        }
        Some(count as u16)
    }

    #[cold]
    fn grow(&mut self) {
        let size = 4 * self.slots.len();
        self.slots.clear();
        self.slots.resize(size, EMPTY);
        for number in 0..self.len() {
            let value = self.get(number as u16);
            if value.len() == 1 {
                continue;
            }
            let hash = hash(value);
            let mut place = hash as usize & (size - 1);
            while self.slots[place] != EMPTY {
                place = (place + 1) & (size - 1);
            }
            self.slots[place] = (hash >> 48) as u32 * 65_536 + number as u32;
        }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.slots.fill(EMPTY);
        self.single.fill(u16::MAX);
        self.last = (0, 0);
        self.last_number = u16::MAX;
    }
}

/// A hash for a table that lives as long as a row group: the ends of a short text, folded.
#[inline]
fn hash(value: &[u8]) -> u64 {
    let (a, b) = match value.len() {
        0 => (0, 0),
        1..4 => (u64::from(value[0]), u64::from(value[value.len() / 2]) << 8 | u64::from(value[value.len() - 1])),
        4..8 => (four(value, 0), four(value, value.len() - 4)),
        8..=16 => (eight(value, 0), eight(value, value.len() - 8)),
        _ => return xxh3_64(value),
    };
    let product = u128::from(a ^ 0x2D35_8DCC_AA6C_78A5) * u128::from(b ^ 0x8BB8_4B93_962E_ACC9 ^ value.len() as u64);
    product as u64 ^ (product >> 64) as u64
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

    #[test]
    fn equal_texts_have_one_number_in_the_order_they_come() {
        let mut symbols = Symbols::new();
        let numbers: Vec<_> =
            ["MSFT", "A", "", "MSFT", "B", "A", "", "a long text of more than sixteen bytes", "MSFT", "ABC"]
                .iter()
                .enumerate()
                .map(|(i, text)| symbols.number(text.as_bytes(), i).expect("few symbols pay"))
                .collect();
        assert_eq!(numbers, [0, 1, 2, 0, 3, 1, 2, 4, 0, 5]);
        assert_eq!(symbols.iter().nth(4), Some(&b"a long text of more than sixteen bytes"[..]));
    }

    #[test]
    fn texts_that_never_come_again_do_not_pay() {
        let mut symbols = Symbols::new();
        let refused = (0..).find(|i| symbols.number(format!("id-{i}").as_bytes(), *i).is_none());
        assert_eq!(refused, Some(TRIAL));
    }

    #[test]
    fn many_texts_that_come_again_pay_up_to_a_limit() {
        let mut symbols = Symbols::new();
        let refused = (0..).find(|i| symbols.number(format!("{i:05}").as_bytes(), 1_000_000).is_none());
        assert_eq!(refused, Some(MOST));
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_a_plain_search(values in prop::collection::vec("[a-c]{0,5}|[a-b]{15,18}", 0..500)) {
            let mut symbols = Symbols::new();
            let mut plain: Vec<String> = Vec::new();
            for (i, value) in values.iter().enumerate() {
                let expected = plain.iter().position(|v| v == value).unwrap_or_else(|| {
                    plain.push(value.clone());
                    plain.len() - 1
                });
                prop_assert_eq!(symbols.number(value.as_bytes(), i).map(usize::from), Some(expected));
            }
            symbols.clear();
            prop_assert_eq!(symbols.number(b"abc", 0), Some(0));
        }
    }
}
