//! Numbers the different whole numbers of a chunk in the order in which they come.

/// Most different numbers; more of them pay neither in space nor in time.
const MOST: usize = 65_535;
/// Below so many nobody asks whether they pay.
const TRIAL: usize = 1024;
/// A look-up that probes further than this was meant to be slow, or the table is of no use.
const LONGEST_PROBE: usize = 128;
const EMPTY: u32 = u32::MAX;

/// The different numbers of a chunk and which of them each value is; space for it is kept between chunks.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub distinct: Vec<i64>,
    /// For each value its place in `distinct`.
    pub codes: Vec<u16>,
    slots: Vec<(i64, u32)>,
}

impl Numbers {
    /// Numbers `values`; false when that does not pay.
    pub(super) fn fill(&mut self, values: &[i64]) -> bool {
        self.distinct.clear();
        self.codes.clear();
        self.codes.reserve(values.len());
        self.slots.clear();
        self.slots.resize(256, (0, EMPTY));
        let Some(first) = values.first() else { return false };
        let (mut last, mut last_code) = (first.wrapping_add(1), 0);
        for value in values {
            if *value != last {
                let Some(code) = self.code(*value) else { return false };
                (last, last_code) = (*value, code);
            }
            self.codes.push(last_code);
        }
        true
    }

    #[inline]
    fn code(&mut self, value: i64) -> Option<u16> {
        let mask = self.slots.len() - 1;
        let mut place = hash(value) & mask;
        for _ in 0..LONGEST_PROBE {
            let (key, code) = self.slots[place];
            if key == value && code != EMPTY {
                return Some(code as u16);
            }
            if code == EMPTY {
                return self.add(value, place);
            }
            place = (place + 1) & mask;
        }
        None
    }

    fn add(&mut self, value: i64, place: usize) -> Option<u16> {
        let code = self.distinct.len();
        if code >= MOST || (code >= TRIAL && 2 * code > self.codes.len()) {
            return None;
        }
        self.distinct.push(value);
        self.slots[place] = (value, code as u32);
        if 2 * self.distinct.len() > self.slots.len() {
            let size = 4 * self.slots.len();
            self.slots.clear();
            self.slots.resize(size, (0, EMPTY));
            for (code, value) in self.distinct.iter().enumerate() {
                let mut place = hash(*value) & (size - 1);
                while self.slots[place].1 != EMPTY {
                    place = (place + 1) & (size - 1);
                }
                self.slots[place] = (*value, code as u32);
            }
        }
        Some(code as u16)
    }
}

#[inline]
fn hash(value: i64) -> usize {
    let product = u128::from(value as u64 ^ 0x2D35_8DCC_AA6C_78A5) * 0x8BB8_4B93_962E_ACC9;
    (product as u64 ^ (product >> 64) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_that_never_come_again_do_not_pay() {
        let mut numbers = Numbers::default();
        assert!(!numbers.fill(&(0..5000).collect::<Vec<_>>()));
        assert!(numbers.fill(&(0..5000).map(|i| i % 900).collect::<Vec<_>>()));
        assert_eq!(numbers.distinct.len(), 900);
        assert!(!numbers.fill(&[]));
    }

    proptest! {
        #[test]
        fn codes_lead_back_to_the_values(values in prop::collection::vec(prop_oneof![any::<i64>(), 0i64..50], 1..800)) {
            let mut numbers = Numbers::default();
            prop_assert!(numbers.fill(&values));
            let back: Vec<i64> = numbers.codes.iter().map(|c| numbers.distinct[usize::from(*c)]).collect();
            prop_assert_eq!(back, values);
        }
    }
}
