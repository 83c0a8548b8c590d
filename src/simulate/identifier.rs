//! Identifiers in the styles that real systems use, each written from a running number.

use super::random::mix;
use super::text::{push_number, push_padded};

/// How a system writes its identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `C160000079`
    Counter,
    /// `CLI01C0302-79`
    Dashed,
    /// `5f0c9e3a-71b2-4d38-9c11-02a6e0b7d954`
    Uuid,
    /// `116020000079`
    Decimal,
    /// `C163K9QZ07XW2`, in no visible order
    Base36,
}

/// The styles in the order in which parties get them.
pub const STYLES: [Style; 5] = [Style::Counter, Style::Dashed, Style::Decimal, Style::Base36, Style::Uuid];

/// Writes the identifiers of one kind of one system; two different makers never write the same one.
#[derive(Clone, Debug)]
pub struct Maker {
    style: Style,
    start: Vec<u8>,
    salt: u64,
    /// The last number given out; 0 stands for no identifier.
    pub last: u64,
}

impl Maker {
    /// `space` is a letter for the kind of identifier; `code` is the party's number, equally long for all parties, so
    /// that no two parties write the same identifier.
    pub fn new(style: Style, space: u8, name: &str, code: &str, month_day: u32, salt: u64) -> Maker {
        let letter = char::from(space);
        let start = match style {
            Style::Counter | Style::Base36 => format!("{letter}{code}").into_bytes(),
            Style::Dashed => format!("{name}{letter}{month_day:04}-").into_bytes(),
            Style::Decimal => format!("1{code}{:02}", space.wrapping_sub(b'A')).into_bytes(),
            Style::Uuid => Vec::new(),
        };
        let party = code.bytes().fold(u64::from(space), |sum, digit| sum * 256 + u64::from(digit));
        Maker { style, start, salt: mix(salt ^ party), last: 0 }
    }

    /// Starts again at 1 for another day. Counters then give the same identifiers as the day before; the random ones do
    /// not, and dashed ones hold the day.
    pub fn start_day(&mut self, month_day: u32) {
        match self.style {
            Style::Dashed => {
                self.last = 0;
                self.start.truncate(self.start.len() - 5);
                push_padded(&mut self.start, u64::from(month_day), 4);
                self.start.push(b'-');
            }
            Style::Counter | Style::Decimal => self.last = 0,
            Style::Base36 | Style::Uuid => {}
        }
    }

    /// Gives out the next number.
    pub fn take(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Appends the identifier of a number.
    pub fn push(&self, out: &mut Vec<u8>, number: u64) {
        out.extend_from_slice(&self.start);
        match self.style {
            Style::Counter | Style::Decimal => push_padded(out, number, 7),
            Style::Dashed => push_number(out, number),
            Style::Base36 => push_base36(out, self.salt, number),
            Style::Uuid => push_uuid(out, mix(self.salt ^ number), mix(self.salt.wrapping_add(number))),
        }
    }
}

/// Multiplying by an odd number modulo 2^51 meets each value once; ten characters hold it.
fn push_base36(out: &mut Vec<u8>, salt: u64, number: u64) {
    let mut rest = number.wrapping_mul(salt | 1) & ((1 << 51) - 1);
    let mut text = [0u8; 10];
    for byte in &mut text {
        *byte = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(rest % 36) as usize];
        rest /= 36;
    }
    out.extend_from_slice(&text);
}

fn push_uuid(out: &mut Vec<u8>, high: u64, low: u64) {
    let mut text = *b"00000000-0000-4000-8000-000000000000";
    let mut rest = u128::from(high) << 64 | u128::from(low);
    for (at, byte) in text.iter_mut().enumerate() {
        if !matches!(at, 8 | 13 | 14 | 18 | 19 | 23) {
            *byte = b"0123456789abcdef"[(rest & 15) as usize];
            rest >>= 4;
        }
    }
    out.extend_from_slice(&text);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn text(maker: &Maker, number: u64) -> String {
        let mut out = Vec::new();
        maker.push(&mut out, number);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_style_has_its_form() {
        let maker = |style| Maker::new(style, b'C', "CLI01", "16", 302, 1);
        assert_eq!(text(&maker(Style::Counter), 79), "C160000079");
        assert_eq!(text(&maker(Style::Dashed), 79), "CLI01C0302-79");
        assert_eq!(text(&maker(Style::Decimal), 79), "116020000079");
        assert_eq!(text(&maker(Style::Base36), 79).len(), 13);
        let uuid = text(&maker(Style::Uuid), 79);
        assert_eq!(uuid.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert_eq!(&uuid[14..15], "4");
    }

    #[test]
    fn no_identifier_comes_twice() {
        for style in STYLES {
            let maker = Maker::new(style, b'O', "BRKA", "03", 302, 1);
            let all: HashSet<String> = (1..5000).map(|number| text(&maker, number)).collect();
            assert_eq!(all.len(), 4999, "{style:?}");
        }
    }
}
