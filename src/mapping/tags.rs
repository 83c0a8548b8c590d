//! The `tags` column: tags without a column as JSON text, groups as arrays of objects, nothing left out.

use crate::fix::group::Place;
use crate::fix::{Field, Message};
use crate::types::digits::push_number;

/// How tags and values are called in the output.
pub trait Names {
    /// The key for a tag; `None` writes its number.
    fn name(&self, tag: u32) -> Option<&str>;
    /// A word for an enumerated value, such as `BUY` for Side(54)=1.
    fn label(&self, tag: u32, value: &[u8]) -> Option<&str>;
}

/// Password(554), NewPassword(925), and RawData(96) of a Logon hold secrets that no output shows.
pub fn is_secret(tag: u32, msg_type: &[u8]) -> bool {
    matches!(tag, 554 | 925) || (tag == 96 && msg_type == b"A")
}

/// Appends `value` as JSON: a string, or `{"hex":"…"}` when it is not UTF-8.
pub fn write_json_value(out: &mut Vec<u8>, value: &[u8]) {
    if value.iter().all(|&b| (0x20..0x7f).contains(&b) && b != b'"' && b != b'\\') {
        out.push(b'"');
        out.extend_from_slice(value);
        out.push(b'"');
    } else {
        write_unusual(out, value);
    }
}

#[cold]
fn write_unusual(out: &mut Vec<u8>, value: &[u8]) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let Ok(text) = std::str::from_utf8(value) else {
        out.extend_from_slice(b"{\"hex\":\"");
        for &b in value {
            out.extend_from_slice(&[HEX[usize::from(b >> 4)], HEX[usize::from(b & 15)]]);
        }
        out.extend_from_slice(b"\"}");
        return;
    };
    out.push(b'"');
    for c in text.chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => {
                out.extend_from_slice(format!("\\u{:04x}", c as u32).as_bytes())
            }
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

/// Appends `"tag":` with a comma in front unless it is the first of its object.
#[inline]
pub(super) fn write_key(out: &mut Vec<u8>, tag: u32, name: Option<&str>) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    out.push(b'"');
    match name {
        Some(name) => out.extend_from_slice(name.as_bytes()),
        None => push_number(tag.into(), out),
    }
    out.extend_from_slice(b"\":");
}

/// One field to be written, with its place among groups.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub field: Field,
    pub depth: u8,
    pub entry: bool,
}

/// Appends the object of all fields that `skip` does not hold back, with groups nested and repeated tags as arrays.
///
/// `places` is empty (no groups) or has one place for each field.
pub fn write_tags(
    out: &mut Vec<u8>,
    message: &Message,
    places: &[Place],
    skip: &[bool],
    msg_type: &[u8],
    names: Option<&dyn Names>,
) {
    write_items(out, message, &items(message, places, skip), msg_type, names);
}

/// As [`write_tags`] without names, but leaves the values out: gives the place in `out` and the field of each.
pub(super) fn record_tags(
    out: &mut Vec<u8>,
    message: &Message,
    places: &[Place],
    skip: &[bool],
    msg_type: &[u8],
) -> Vec<(usize, Field)> {
    let mut marks = Vec::new();
    let items = items(message, places, skip);
    let level = items.first().map_or(0, |item| item.depth);
    Writer { message, msg_type, names: None, marks: Some(&mut marks) }.object(out, &items, level);
    marks
}

fn items(message: &Message, places: &[Place], skip: &[bool]) -> Vec<Item> {
    message
        .fields
        .iter()
        .enumerate()
        .filter(|(i, _)| !skip.get(*i).copied().unwrap_or(false))
        .map(|(i, &field)| {
            let place = places.get(i);
            Item { field, depth: place.map_or(0, |p| p.depth), entry: place.is_some_and(|p| p.entry) }
        })
        .collect()
}

pub(super) fn write_items(
    out: &mut Vec<u8>,
    message: &Message,
    items: &[Item],
    msg_type: &[u8],
    names: Option<&dyn Names>,
) {
    let level = items.first().map_or(0, |item| item.depth);
    let mut writer = Writer { message, msg_type, names, marks: None };
    writer.object(out, items, level);
}

struct Writer<'a> {
    message: &'a Message<'a>,
    msg_type: &'a [u8],
    names: Option<&'a dyn Names>,
    /// Takes note of values instead of writing them.
    marks: Option<&'a mut Vec<(usize, Field)>>,
}

impl Writer<'_> {
    /// One object: the items at `level`, each with the deeper items behind it as its group.
    fn object(&mut self, out: &mut Vec<u8>, items: &[Item], level: u8) {
        // (tag, start, end behind its group), in order of appearance.
        let mut members: Vec<(u32, usize, usize)> = Vec::new();
        let mut at = 0;
        while at < items.len() {
            let end = at + 1 + items[at + 1..].iter().take_while(|item| item.depth > level).count();
            members.push((items[at].field.tag, at, end));
            at = end;
        }
        // Repeats of a tag are collected at its first appearance; sorting by (tag, place) finds them in n log n.
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by_key(|&i| (members[i].0, i));
        let mut first_of: Vec<(usize, usize)> = vec![(0, 0); members.len()];
        let mut i = 0;
        while i < order.len() {
            let run = order[i..].iter().take_while(|&&m| members[m].0 == members[order[i]].0).count();
            first_of[order[i]] = (i, run);
            i += run;
        }
        out.push(b'{');
        for (place, &(tag, _, _)) in members.iter().enumerate() {
            let (from, run) = first_of[place];
            if run == 0 {
                continue;
            }
            write_key(out, tag, self.names.and_then(|n| n.name(tag)));
            if run > 1 {
                out.push(b'[');
            }
            for (n, &m) in order[from..from + run].iter().enumerate() {
                if n > 0 {
                    out.push(b',');
                }
                let (_, start, end) = members[m];
                self.member(out, &items[start..end], level);
            }
            if run > 1 {
                out.push(b']');
            }
        }
        out.push(b'}');
    }

    /// A value, or for a count with entries behind it the array of its entries.
    fn member(&mut self, out: &mut Vec<u8>, items: &[Item], level: u8) {
        let (count, group) = (items[0].field, &items[1..]);
        if group.is_empty() {
            return self.value(out, count);
        }
        out.push(b'[');
        let mut at = 0;
        while at < group.len() {
            let next = group[at + 1..].iter().take_while(|item| !(item.entry && item.depth == level + 1)).count();
            if at > 0 {
                out.push(b',');
            }
            self.object(out, &group[at..at + 1 + next], level + 1);
            at += 1 + next;
        }
        out.push(b']');
    }

    fn value(&mut self, out: &mut Vec<u8>, field: Field) {
        if is_secret(field.tag, self.msg_type) {
            return out.extend_from_slice(b"\"***\"");
        }
        if let Some(marks) = &mut self.marks {
            out.push(b'"');
            marks.push((out.len(), field));
            return out.push(b'"');
        }
        let value = self.message.value(&field);
        match self.names.and_then(|n| n.label(field.tag, value)) {
            Some(label) => {
                out.extend_from_slice(b"{\"value\":");
                write_json_value(out, value);
                out.extend_from_slice(b",\"label\":");
                write_json_value(out, label.as_bytes());
                out.push(b'}');
            }
            None => write_json_value(out, value),
        }
    }
}
