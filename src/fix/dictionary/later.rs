//! Tags and groups that later versions and extension packs allow, read from a generated table on first need.

use super::kind::Kind;
use super::spec::{Item, Part, Spec, SpecField, SpecMessage};
use super::version::Added;
use std::sync::OnceLock;

/// Written by `tools/later-tags` from the FIX Orchestra file of FIX Latest.
const TABLE: &str = include_str!("generated/later.txt");

/// Messages in which firms send NoOrders(73) as RelatedOrderGrp, the group that EP259 put into ExecutionReport.
///
/// EP312 still has it in ExecutionReport and the sides of TradeCaptureReport only; orders carry it all the same to name
/// the orders they combine.
const RELATED_ORDERS: &[&str] = &["D", "F", "G", "s", "t", "AB", "AC"];

/// The table; about a millisecond on first use.
pub(super) fn table() -> &'static Spec {
    static SPEC: OnceLock<Spec> = OnceLock::new();
    SPEC.get_or_init(|| {
        let mut spec = read(TABLE);
        add_related_orders(&mut spec);
        spec
    })
}

fn add_related_orders(spec: &mut Spec) {
    let is_group = |item: &&Item| matches!(item.part, Part::Group(73, _));
    let report = spec.messages.iter().find(|m| &*m.msg_type == "8");
    if let Some(group) = report.and_then(|m| m.items.iter().find(is_group)).copied() {
        for message in spec.messages.iter_mut().filter(|m| RELATED_ORDERS.contains(&&*m.msg_type)) {
            if !message.items.iter().any(|i| is_group(&i)) {
                message.items.push(group);
            }
        }
    }
}

/// A field that some later version knows.
pub(super) fn field(tag: u32) -> Option<&'static SpecField> {
    let fields = &table().fields;
    fields.binary_search_by_key(&tag, |f| f.tag).ok().map(|i| &fields[i])
}

/// What later versions allow in a message type.
pub(super) fn message(msg_type: &str) -> Option<&'static SpecMessage> {
    static SORTED: OnceLock<Vec<&'static SpecMessage>> = OnceLock::new();
    let sorted = SORTED.get_or_init(|| {
        let mut all: Vec<_> = table().messages.iter().collect();
        all.sort_by_key(|m| &m.msg_type);
        all
    });
    sorted.binary_search_by(|m| (*m.msg_type).cmp(msg_type)).ok().map(|i| sorted[i])
}

/// Reads the table. Lines that do not fit are passed over; a test reads each line of the real one strictly.
fn read(text: &str) -> Spec {
    let mut spec = Spec::default();
    for line in text.lines() {
        match line.split_once(' ') {
            Some(("#", _)) => {}
            Some(("b", items)) => spec.bodies.push(read_items(items)),
            Some(("m", rest)) => {
                if let Some((msg_type, items)) = rest.split_once(' ') {
                    let items = read_items(items);
                    spec.messages.push(SpecMessage { msg_type: msg_type.into(), name: "".into(), items });
                }
            }
            Some((tag, name)) => spec.fields.extend(read_field(tag, name)),
            None if line == "b" => spec.bodies.push(Vec::new()),
            None => {}
        }
    }
    // A body that the file names and does not have must not be followed.
    let bodies = spec.bodies.len();
    let exists = |item: &Item| match item.part {
        Part::Field(_) => true,
        Part::Block(body) | Part::Group(_, body) => body < bodies,
    };
    spec.bodies.iter_mut().for_each(|b| b.retain(exists));
    spec.messages.iter_mut().for_each(|m| m.items.retain(exists));
    spec
}

fn read_field(tag: &str, name: &str) -> Option<SpecField> {
    let (&letter, digits) = tag.as_bytes().split_last()?;
    let tag = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some(SpecField { tag, name: name.into(), kind: Kind::from_letter(letter)?, codes: None })
}

fn read_items(text: &str) -> Vec<Item> {
    let mut added = Added::default();
    let mut items = Vec::new();
    for word in text.split(' ') {
        if let Some(version) = word.strip_prefix('@') {
            added = Added::parse(version).unwrap_or_default();
            continue;
        }
        let part = match word.split_once('*') {
            None => word.parse().ok().map(Part::Field),
            Some(("", body)) => body.parse().ok().map(Part::Block),
            Some((count, body)) => count.parse().ok().zip(body.parse().ok()).map(|(c, b)| Part::Group(c, b)),
        };
        items.extend(part.map(|part| Item { part, required: false, added }));
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_the_table_is_read() {
        let spec = read(TABLE);
        let lines: Vec<&str> = TABLE.lines().filter(|l| !l.starts_with('#')).collect();
        assert_eq!(spec.fields.len() + spec.bodies.len() + spec.messages.len(), lines.len());
        let words = |l: &&&str| l.split(' ').skip(1).filter(|w| !w.starts_with('@') && !w.is_empty()).count();
        let in_bodies: usize = lines.iter().filter(|l| l.starts_with('b')).map(|l| words(&l)).sum();
        assert_eq!(spec.bodies.iter().map(Vec::len).sum::<usize>(), in_bodies);
        let in_messages: usize = lines.iter().filter(|l| l.starts_with("m ")).map(|l| words(&l) - 1).sum();
        assert_eq!(spec.messages.iter().map(|m| m.items.len()).sum::<usize>(), in_messages);
        assert!(spec.fields.is_sorted_by_key(|f| f.tag));
    }

    #[test]
    fn related_orders_are_a_group_of_a_new_order() {
        let order = message("D").expect("known");
        let group = order.items.iter().find_map(|i| match i.part {
            Part::Group(73, body) => Some((body, i.added.to_string())),
            _ => None,
        });
        let (body, added) = group.expect("added");
        assert_eq!(added, "FIX 5.0 SP2 EP259");
        let tags: Vec<u32> = table().bodies[body]
            .iter()
            .filter_map(|i| if let Part::Field(t) = i.part { Some(t) } else { None })
            .collect();
        assert_eq!(tags, [2887, 2888, 2836, 2889, 2890, 2835]);
        assert_eq!(field(2887).map(|f| &*f.name), Some("RelatedOrderID"));
        assert!(field(39999).is_none());
    }

    #[test]
    fn broken_lines_are_passed_over() {
        let spec = read("1s Account\nxx\n2? AdvId\nb 5 *9 73*7 @ x\nm D 11 *0 *1\n");
        assert_eq!(spec.fields.len(), 1);
        assert_eq!(spec.bodies[0].len(), 1);
        assert_eq!(spec.messages[0].items.len(), 2);
    }
}
