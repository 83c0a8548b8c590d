//! A framed message cut into fields, with no allocation a field.
//!
//! Separators of one byte are found 64 bytes at a time as a bit mask; [`plain`] is the slow twin that tests compare
//! with. Data fields end where their length tag says, provided that a separator follows there.

use super::data_fields::{data_tag, may_be_length_tag};
use super::frame::read_length;
#[cfg(target_arch = "x86_64")]
use super::masks::{Wide, wide_mask64};
use super::masks::{each_end, mask64};
use super::message::Field;
use super::separator::Separator;
use memchr::memmem;

/// A data field that does not end where its length tag says. It was cut at the next separator instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongDataLength {
    pub length_tag: u32,
    pub data_tag: u32,
    pub stated: usize,
    /// Bytes up to the next separator.
    pub found: usize,
}

/// Cuts `message` into `fields` (cleared first). Wrong data lengths are added to `wrong`.
///
/// Every byte belongs to a field or a separator. A piece without `=` is a field of tag 0 that is all value. Line breaks
/// behind the last separator are left out.
pub fn split(message: &[u8], separator: Separator, fields: &mut Vec<Field>, wrong: &mut Vec<WrongDataLength>) {
    fields.clear();
    // A field has a tag, `=`, a value and a separator; most have more than eight bytes.
    fields.reserve(message.len() / 8);
    if let Some(sep) = separator.single()
        && split_by_masks(message, sep, fields)
    {
        return;
    }
    fields.clear();
    let sep = separator.as_bytes();
    let mut cutter = Cutter { message, sep_len: sep.len(), fields, wrong, at: 0, data: None };
    match separator.single() {
        Some(sep) => memchr::memchr_iter(sep, message).for_each(|end| cutter.separator_at(end)),
        None => memmem::find_iter(message, sep).for_each(|end| cutter.separator_at(end)),
    }
    cutter.rest();
}

/// Cuts at each `sep`; false when there is a length tag, behind which a separator need not end its field.
fn split_by_masks(message: &[u8], sep: u8, fields: &mut Vec<Field>) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
        fn with_bit_instructions(message: &[u8], sep: u8, fields: &mut Vec<Field>) -> bool {
            cut_by_masks(message, fields, |block| wide_mask64(block, sep))
        }
        if Wide::detect().is_some() {
            // SAFETY: there is a `Wide` only where the processor has these instructions.
            return unsafe { with_bit_instructions(message, sep, fields) };
        }
    }
    cut_by_masks(message, fields, |block| mask64(block, sep))
}

/// `mask` tells where separators stand in a block.
#[inline(always)]
fn cut_by_masks(message: &[u8], fields: &mut Vec<Field>, mask: impl Fn(&[u8; 64]) -> u64) -> bool {
    let mut at = 0;
    let mut length_tags = 0;
    each_end(message, mask, |end| {
        let (tag, value) = read_tag(&message[at..end]);
        length_tags |= may_be_length_tag(tag);
        fields.push(Field { tag, start: (at + value) as u32, end: end as u32 });
        at = end + 1;
        true
    });
    let end = at + without_line_end(&message[at..]);
    if end > at {
        let (tag, value) = read_tag(&message[at..end]);
        length_tags |= may_be_length_tag(tag);
        fields.push(Field { tag, start: (at + value) as u32, end: end as u32 });
    }
    length_tags & 1 == 0
}

/// The length of what stands before the line breaks at the end.
fn without_line_end(text: &[u8]) -> usize {
    text.iter().rposition(|b| !matches!(b, b'\r' | b'\n')).map_or(0, |last| last + 1)
}

struct Cutter<'a> {
    message: &'a [u8],
    sep_len: usize,
    fields: &'a mut Vec<Field>,
    wrong: &'a mut Vec<WrongDataLength>,
    /// Where the next field starts.
    at: usize,
    /// The last field was a length tag: (its tag, the data tag, bytes).
    data: Option<(u32, u32, usize)>,
}

impl Cutter<'_> {
    fn separator_at(&mut self, end: usize) {
        if end < self.at {
            return;
        }
        let (tag, value) = read_tag(&self.message[self.at..end]);
        let value = self.at + value;
        if self.data.is_some() && self.data_field(tag, value, end) {
            return;
        }
        if let Some(data_tag) = data_tag(tag) {
            self.data = read_length(&self.message[value..end]).map(|length| (tag, data_tag, length));
        }
        self.fields.push(Field { tag, start: value as u32, end: end as u32 });
        self.at = end + self.sep_len;
    }

    /// The field behind a length tag; true when it was a data field that ends where its length says.
    fn data_field(&mut self, tag: u32, value: usize, end: usize) -> bool {
        let Some((length_tag, data_tag, stated)) = self.data.take() else { return false };
        if tag != data_tag {
            return false;
        }
        let data_end = value.saturating_add(stated);
        if data_end == end {
            return false;
        }
        let sep_start = data_end.min(self.message.len());
        let sep = &self.message[end..end + self.sep_len];
        if data_end < self.message.len() && self.message[sep_start..].starts_with(sep) {
            self.fields.push(Field { tag, start: value as u32, end: data_end as u32 });
            self.at = data_end + self.sep_len;
            return true;
        }
        self.wrong.push(WrongDataLength { length_tag, data_tag, stated, found: end - value });
        false
    }

    /// What stands behind the last separator: nothing, or a last field that lacks one.
    fn rest(&mut self) {
        let end = self.at + without_line_end(&self.message[self.at.min(self.message.len())..]);
        if end > self.at {
            let (tag, value) = read_tag(&self.message[self.at..end]);
            self.fields.push(Field { tag, start: (self.at + value) as u32, end: end as u32 });
        }
    }
}

/// The tag of a field and where its value starts; (0, …) when the text before `=` is no tag number.
#[inline(always)]
fn read_tag(field: &[u8]) -> (u32, usize) {
    // One to four digits are nearly all there is; each length is tried as straight code. Messages of one kind have the
    // same lengths again and again, so that the branches are foreseen, and no trick without branches is as fast.
    let digit = |i: usize| u32::from(field[i].wrapping_sub(b'0'));
    if field.len() > 2 && field[2] == b'=' {
        let (a, b) = (digit(0), digit(1));
        if a.wrapping_sub(1) <= 8 && b <= 9 {
            return (a * 10 + b, 3);
        }
    } else if field.len() > 3 && field[3] == b'=' {
        let (a, b, c) = (digit(0), digit(1), digit(2));
        if a.wrapping_sub(1) <= 8 && b <= 9 && c <= 9 {
            return (a * 100 + b * 10 + c, 4);
        }
    } else if field.len() > 1 && field[1] == b'=' {
        let a = digit(0);
        if a.wrapping_sub(1) <= 8 {
            return (a, 2);
        }
    } else if field.len() > 4 && field[4] == b'=' {
        let (a, b, c, d) = (digit(0), digit(1), digit(2), digit(3));
        if a.wrapping_sub(1) <= 8 && b <= 9 && c <= 9 && d <= 9 {
            return (a * 1000 + b * 100 + c * 10 + d, 5);
        }
    }
    read_any_tag(field)
}

#[inline(never)]
fn read_any_tag(field: &[u8]) -> (u32, usize) {
    let mut tag = 0u32;
    for (i, &b) in field.iter().enumerate().take(10) {
        let digit = b.wrapping_sub(b'0');
        if digit <= 9 {
            tag = tag.wrapping_mul(10).wrapping_add(u32::from(digit));
        } else if b == b'=' && i > 0 && field[0] != b'0' {
            return (tag, i + 1);
        } else {
            break;
        }
    }
    // No tag number: the value starts behind `=`, or is the whole piece.
    (0, memchr::memchr(b'=', field).map_or(0, |i| i + 1))
}

/// The slow plain twin of [`split`]: one field after the other, byte by byte.
pub fn plain(message: &[u8], separator: Separator) -> (Vec<Field>, Vec<WrongDataLength>) {
    let sep = separator.as_bytes();
    let (mut fields, mut wrong) = (Vec::new(), Vec::new());
    let mut at = 0;
    let mut length_before: Option<(u32, usize)> = None;
    let end_of_text = message.len() - message.iter().rev().take_while(|b| matches!(b, b'\r' | b'\n')).count();
    while at < message.len() {
        let next = (at..message.len()).find(|&i| message[i..].starts_with(sep));
        let mut end = next.unwrap_or(end_of_text);
        if end <= at && next.is_none() {
            break;
        }
        let text = &message[at..end];
        let equals = text.iter().position(|&b| b == b'=');
        let tag_text = equals.map_or(&[][..], |i| &text[..i]);
        let tag = std::str::from_utf8(tag_text)
            .ok()
            .filter(|t| t.len() <= 9 && !t.starts_with('0') && t.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|t| t.parse().ok())
            .unwrap_or(0);
        let value = at + equals.map_or(0, |i| i + 1);
        if let Some((length_tag, stated)) = length_before.take()
            && next.is_some()
            && data_tag(length_tag) == Some(tag)
            && value + stated != end
        {
            if value + stated < message.len() && message[value + stated..].starts_with(sep) {
                end = value + stated;
            } else {
                wrong.push(WrongDataLength { length_tag, data_tag: tag, stated, found: end - value });
            }
        }
        if data_tag(tag).is_some() {
            length_before = read_length(&message[value.min(end)..end]).map(|n| (tag, n));
        }
        fields.push(Field { tag, start: value as u32, end: end as u32 });
        if next.is_none() {
            break;
        }
        at = end + sep.len();
    }
    (fields, wrong)
}
