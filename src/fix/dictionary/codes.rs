//! The values that a field enumerates, with their names.

/// Which values outside of the list are fine as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// None.
    Closed,
    /// Whole numbers from this one on, by agreement of the two sides; the standard reserves the room.
    From(u64),
    /// A decimal number: quantities that may also be S, M or L.
    Number,
    /// A tenor such as `D5` or `M3`.
    Tenor,
    /// Anything: the list points to a code list of somebody else.
    Any,
}

/// Enumerated values of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeSet {
    /// Bit n: the one-byte value n is in the list.
    single: u128,
    /// All values and labels, in the order of the standard.
    listed: Vec<(Box<str>, Box<str>)>,
    /// Places in `listed` of values of more than one byte, sorted by value.
    long: Vec<u16>,
    open: Open,
}

impl CodeSet {
    pub(super) fn new(values: impl IntoIterator<Item = (String, String)>, open: Open) -> CodeSet {
        let mut listed: Vec<(Box<str>, Box<str>)> = Vec::new();
        for (value, label) in values {
            if !listed.iter().any(|(v, _)| **v == *value) && listed.len() < usize::from(u16::MAX) {
                listed.push((value.into(), label.into()));
            }
        }
        let mut single = 0;
        let mut long = Vec::new();
        for (place, (value, _)) in listed.iter().enumerate() {
            match value.as_bytes() {
                [byte @ ..128] => single |= 1u128 << byte,
                _ => long.push(place as u16),
            }
        }
        long.sort_by(|&a, &b| listed[usize::from(a)].0.cmp(&listed[usize::from(b)].0));
        CodeSet { single, listed, long, open }
    }

    /// Whether a value is allowed.
    #[inline]
    pub fn allows(&self, value: &[u8]) -> bool {
        self.lists(value) || self.is_open_to(value)
    }

    /// Whether a value is in the list itself.
    #[inline]
    pub fn lists(&self, value: &[u8]) -> bool {
        match value {
            [byte @ ..128] => self.single >> byte & 1 == 1,
            _ => self.long.binary_search_by(|&p| self.listed[usize::from(p)].0.as_bytes().cmp(value)).is_ok(),
        }
    }

    fn is_open_to(&self, value: &[u8]) -> bool {
        match self.open {
            Open::Closed => false,
            Open::Any => true,
            Open::From(least) => {
                !value.is_empty()
                    && value.len() <= 18
                    && value.iter().all(u8::is_ascii_digit)
                    && value.iter().fold(0u64, |n, b| n * 10 + u64::from(b - b'0')) >= least
            }
            Open::Number => value.iter().any(u8::is_ascii_digit) && crate::fix::validate::lexical::is_decimal(value),
            Open::Tenor => match value {
                [b'D' | b'W' | b'M' | b'Y', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
                _ => false,
            },
        }
    }

    /// The values of one byte in the list, as bits.
    pub(super) fn listed_bytes(&self) -> [u64; 2] {
        [self.single as u64, (self.single >> 64) as u64]
    }

    /// The standard's name of a value.
    pub fn label(&self, value: &[u8]) -> Option<&str> {
        self.listed.iter().find(|(v, _)| v.as_bytes() == value).map(|(_, label)| &**label)
    }

    /// Values and labels in the order of the standard.
    pub fn listed(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.listed.iter().map(|(value, label)| (&**value, &**label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(open: Open) -> CodeSet {
        CodeSet::new([("1", "ONE"), ("AB", "LETTERS"), ("10", "TEN")].map(|(v, l)| (v.into(), l.into())), open)
    }

    #[test]
    fn a_closed_set_allows_what_it_lists() {
        let codes = set(Open::Closed);
        assert!(codes.allows(b"1") && codes.allows(b"AB") && codes.allows(b"10"));
        assert!(!codes.allows(b"2") && !codes.allows(b"A") && !codes.allows(b"ABC") && !codes.allows(b""));
        assert!(!codes.allows(b"100") && !codes.allows(b"\xff"));
    }

    #[test]
    fn reserved_numbers_are_allowed_from_their_start_on() {
        let codes = set(Open::From(99));
        assert!(codes.allows(b"99") && codes.allows(b"100") && codes.allows(b"4711"));
        assert!(!codes.allows(b"98") && !codes.allows(b"-100") && !codes.allows(b"1x0"));
        assert!(!codes.allows(b"9999999999999999999999"));
    }

    #[test]
    fn open_sets_allow_what_their_field_may_hold() {
        assert!(set(Open::Any).allows(b"whatever"));
        assert!(set(Open::Number).allows(b"1500.5") && !set(Open::Number).allows(b"L5"));
        assert!(set(Open::Tenor).allows(b"M3") && !set(Open::Tenor).allows(b"M"));
    }

    #[test]
    fn labels_are_found_by_value_and_order_is_kept() {
        let codes = set(Open::Closed);
        assert_eq!(codes.label(b"AB"), Some("LETTERS"));
        assert_eq!(codes.label(b"B"), None);
        assert_eq!(codes.listed().map(|(v, _)| v).collect::<Vec<_>>(), ["1", "AB", "10"]);
    }
}
