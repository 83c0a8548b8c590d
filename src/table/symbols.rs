//! Numbers the different texts of a column in the order in which they come.

use crate::types::text_key::TextKey;

/// Most symbols: a larger table leaves the cache, and finding symbols then costs more than writing ids.
const MOST: usize = 20_000;
/// Most bytes of all symbols together.
const MOST_BYTES: usize = 1 << 20;
/// Below so many symbols nobody asks whether they pay: a day begins with new orders, and what comes again comes later.
const TRIAL: usize = 2048;
/// A look-up that probes further than this was meant to be slow, or the table is of no use.
const LONGEST_PROBE: usize = 128;
const EMPTY: u32 = u32::MAX;

/// The different texts of a column.
#[derive(Debug)]
pub(super) struct Symbols {
    bytes: Vec<u8>,
    symbols: Vec<Symbol>,
    /// Sixteen bits of the hash above the symbol's number; a power of two of slots.
    slots: Vec<u32>,
    /// Number of each symbol that is one byte long, or `u16::MAX`.
    single: Box<[u16; 256]>,
    /// The symbol last found among the longer ones and its number; [`TextKey::NONE`] before the first.
    last: TextKey,
    last_number: u16,
}

#[derive(Clone, Copy, Debug)]
struct Symbol {
    key: TextKey,
    /// Where it starts in `bytes`.
    start: u32,
}

impl Symbols {
    pub(super) fn new() -> Symbols {
        Symbols {
            bytes: Vec::new(),
            symbols: Vec::new(),
            slots: vec![EMPTY; 64],
            single: Box::new([u16::MAX; 256]),
            last: TextKey::NONE,
            last_number: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.symbols.len()
    }

    pub(super) fn get(&self, number: u16) -> &[u8] {
        let Symbol { key, start } = self.symbols[usize::from(number)];
        &self.bytes[start as usize..(start + key.text_len()) as usize]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|number| self.get(number as u16))
    }

    /// The number of a text, a new one if need be; `pushed` values came before it. None when symbols do not pay.
    #[inline(always)]
    pub(super) fn number(&mut self, value: &[u8], pushed: usize) -> Option<u16> {
        if let [byte] = value {
            let number = self.single[usize::from(*byte)];
            if number != u16::MAX {
                return Some(number);
            }
            return self.add_single(*byte, pushed);
        }
        let key = TextKey::of(value);
        if key == self.last && (key.is_whole() || self.get(self.last_number) == value) {
            return Some(self.last_number);
        }
        self.search(value, key, pushed)
    }

    #[cold]
    fn add_single(&mut self, byte: u8, pushed: usize) -> Option<u16> {
        let number = self.add(&[byte], TextKey::of(&[byte]), pushed)?;
        self.single[usize::from(byte)] = number;
        Some(number)
    }

    fn search(&mut self, value: &[u8], key: TextKey, pushed: usize) -> Option<u16> {
        let hash = key.hash();
        let mask = self.slots.len() - 1;
        let tag = (hash >> 48) as u32;
        let mut place = hash as usize & mask;
        for _ in 0..LONGEST_PROBE {
            let slot = self.slots[place];
            if slot == EMPTY {
                let number = self.add(value, key, pushed)?;
                self.slots[place] = tag << 16 | u32::from(number);
                if 2 * self.len() > self.slots.len() {
                    self.grow();
                }
                (self.last, self.last_number) = (key, number);
                return Some(number);
            }
            let number = slot as u16;
            if slot >> 16 == tag
                && self.symbols[usize::from(number)].key == key
                && (key.is_whole() || self.get(number) == value)
            {
                (self.last, self.last_number) = (key, number);
                return Some(number);
            }
            place = (place + 1) & mask;
        }
        None
    }

    fn add(&mut self, value: &[u8], key: TextKey, pushed: usize) -> Option<u16> {
        let count = self.len();
        if count >= MOST || self.bytes.len() + value.len() > MOST_BYTES || (count >= TRIAL && 2 * count > pushed) {
            return None;
        }
        self.symbols.push(Symbol { key, start: self.bytes.len() as u32 });
        self.bytes.extend_from_slice(value);
        Some(count as u16)
    }

    #[cold]
    fn grow(&mut self) {
        let size = 4 * self.slots.len();
        self.slots.clear();
        self.slots.resize(size, EMPTY);
        for (number, symbol) in self.symbols.iter().enumerate().filter(|(_, symbol)| symbol.key.text_len() != 1) {
            let hash = symbol.key.hash();
            let mut place = hash as usize & (size - 1);
            while self.slots[place] != EMPTY {
                place = (place + 1) & (size - 1);
            }
            self.slots[place] = ((hash >> 48) as u32) << 16 | number as u32;
        }
    }

    pub(super) fn clear(&mut self) {
        if self.symbols.is_empty() {
            return;
        }
        self.bytes.clear();
        self.symbols.clear();
        self.slots.fill(EMPTY);
        self.single.fill(u16::MAX);
        self.last = TextKey::NONE;
    }
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
