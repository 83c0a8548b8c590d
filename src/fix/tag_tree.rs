//! A tree of the tags that messages have had, in their order: a message of a known shape is cut into fields by comparing
//! each field's beginning with what is expected there, and where the walk ends says which shape it is.
//!
//! No digit is read on the way, which halves the cost of cutting a message and finding its shape. A message that departs
//! from all paths is left to [`super::fields::split`]; [`super::fields::plain`] is the twin that tests compare with.

use super::data_fields::data_tag;
#[cfg(target_arch = "x86_64")]
use super::masks::wide_mask64;
use super::masks::{Wide, each_end, mask64};
use super::message::Field;
use crate::types::digits::push_number;

/// Longest message that is walked, in fields.
pub const MOST_FIELDS: usize = 512;
/// Most nodes, of 32 bytes each; one more empties the tree.
const MOST_NODES: usize = 1 << 14;
/// Most nodes that may follow one node: a search among more would cost as much as cutting anew.
const MOST_SIBLINGS: usize = 16;
/// No node's place.
const NONE: u32 = u32::MAX;

/// Where a path ends.
pub type Leaf = u32;

/// The beginning of a field that may stand at one place: the tag and `=`, behind MsgType(35) also its value and the
/// separator.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Up to eight bytes, the last one highest.
    text: u64,
    /// How far eight bytes of a message are shifted to leave only as many as `text` has.
    shift: u8,
    /// Length of the tag and `=`.
    head: u8,
    tag: u32,
    /// Its own place.
    place: u32,
    /// The first of the nodes that may follow.
    child: u32,
    /// What may stand here instead.
    other: u32,
    /// The slot of the shape that was last found at the end of this path, or [`NONE`].
    slot: u32,
}

/// The paths of the shapes met so far.
#[derive(Debug)]
pub struct TagTree {
    /// The first is the parent of those that begin a message.
    nodes: Vec<Node>,
    wide: Option<Wide>,
}

impl Default for TagTree {
    fn default() -> TagTree {
        TagTree { nodes: vec![Node::new(0, 0, b"")], wide: Wide::detect() }
    }
}

impl Node {
    /// `text` has at most eight bytes.
    fn new(place: usize, tag: u32, text: &[u8]) -> Node {
        let word = text.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
        let shift = 64 - 8 * text.len().clamp(1, 8);
        let head = text.iter().position(|byte| *byte == b'=').map_or(0, |at| at + 1);
        Node {
            text: word << shift,
            shift: shift as u8,
            head: head as u8,
            tag,
            place: place as u32,
            child: NONE,
            other: NONE,
            slot: NONE,
        }
    }
}

impl TagTree {
    /// Cuts a message with separators `sep` into `fields`, of which there are [`MOST_FIELDS`]. Gives how many it has and
    /// where its path ends, or `None` when none of the paths is the message's.
    #[inline]
    pub fn cut(&self, message: &[u8], sep: u8, fields: &mut [Field]) -> Option<(usize, Leaf)> {
        // A path's text must not hold a separator.
        if sep.is_ascii_digit() || sep == b'=' {
            return None;
        }
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
            fn with_bit_instructions(
                nodes: &[Node],
                message: &[u8],
                sep: u8,
                fields: &mut [Field],
            ) -> Option<(usize, Leaf)> {
                walk(nodes, message, fields, |block| wide_mask64(block, sep))
            }
            if self.wide.is_some() {
                // SAFETY: there is a `Wide` only where the processor has these instructions.
                return unsafe { with_bit_instructions(&self.nodes, message, sep, fields) };
            }
        }
        walk(&self.nodes, message, fields, |block| mask64(block, sep))
    }

    /// The shape's slot that was last noted for a path.
    pub fn slot(&self, leaf: Leaf) -> Option<usize> {
        self.nodes.get(leaf as usize).filter(|node| node.slot != NONE).map(|node| node.slot as usize)
    }

    pub fn set_slot(&mut self, leaf: Leaf, slot: usize) {
        if let Some(node) = self.nodes.get_mut(leaf as usize) {
            node.slot = slot as u32;
        }
    }

    /// Adds the path of messages with these tags, whose third field is MsgType(35), and gives its end. `None` when they
    /// have none: with a tag that is no number or has more than seven digits, with length tags, behind which a value may
    /// hold separators, with a type of more than four bytes, or where too many paths part.
    pub fn add(&mut self, tags: &[u32], msg_type: &[u8], sep: u8) -> Option<Leaf> {
        let has_path = |tag: u32| (1..10_000_000).contains(&tag) && data_tag(tag).is_none();
        if tags.len() > MOST_FIELDS || !tags.iter().all(|tag| has_path(*tag)) || msg_type.len() > 4 {
            return None;
        }
        let (mut place, mut text) = (0, Vec::new());
        for (at, &tag) in tags.iter().enumerate() {
            text.clear();
            push_number(tag.into(), &mut text);
            text.push(b'=');
            // Messages of two types seldom go on alike.
            if at == 2 {
                text.extend_from_slice(msg_type);
                text.push(sep);
            }
            place = self.step(place, tag, &text)?;
        }
        Some(place as Leaf)
    }

    /// There is no room for another long path.
    pub fn is_full(&self) -> bool {
        self.nodes.len() + MOST_FIELDS > MOST_NODES
    }

    pub fn clear(&mut self) {
        self.nodes.truncate(1);
        self.nodes[0].child = NONE;
    }

    /// The node with this text behind `parent`, made if need be.
    fn step(&mut self, parent: usize, tag: u32, text: &[u8]) -> Option<usize> {
        let place = self.nodes.len();
        let new = Node::new(place, tag, text);
        let (mut last, mut next) = (parent, self.nodes[parent].child);
        let mut siblings = 0;
        while let Some(node) = self.nodes.get(next as usize) {
            if (node.text, node.shift) == (new.text, new.shift) {
                return Some(next as usize);
            }
            (last, next) = (next as usize, node.other);
            siblings += 1;
        }
        if siblings == MOST_SIBLINGS {
            return None;
        }
        self.nodes.push(new);
        if last == parent {
            self.nodes[last].child = place as u32;
        } else {
            self.nodes[last].other = place as u32;
        }
        Some(place)
    }
}

#[inline(always)]
fn walk(
    nodes: &[Node],
    message: &[u8],
    fields: &mut [Field],
    mask: impl Fn(&[u8; 64]) -> u64,
) -> Option<(usize, Leaf)> {
    let room = fields.len();
    let mut places = fields.iter_mut();
    let mut here = nodes.first()?;
    let mut at = 0;
    let last_word = message.len().checked_sub(8)?;
    let is_known = each_end(message, mask, |end| {
        // The last field has fewer than eight bytes, and moves down over those that it lacks.
        let from = at.min(last_word);
        let bytes = message[from..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let word = bytes >> ((8 * (at - from)) & 63);
        let mut next = here.child;
        here = loop {
            let Some(node) = nodes.get(next as usize) else { return false };
            if word << (node.shift & 63) == node.text {
                break node;
            }
            next = node.other;
        };
        let Some(place) = places.next() else { return false };
        *place = Field { tag: here.tag, start: at as u32 + u32::from(here.head), end: end as u32 };
        at = end + 1;
        true
    });
    (is_known && at == message.len()).then_some((room - places.len(), here.place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix::Separator;
    use crate::fix::fields::plain;
    use proptest::prelude::*;

    const EMPTY: Field = Field { tag: 0, start: 0, end: 0 };

    /// Well-formed pieces and others: tags cut short, with zeros in front, without `=`, of data and of their lengths.
    fn piece() -> impl Strategy<Value = String> {
        let tag =
            prop::sample::select(vec!["8", "9", "35", "55", "5", "555", "055", "x", "", "95", "96", "10000001", "10"]);
        let value = "|=?[0-9D=]{0,9}";
        prop_oneof![
            (tag, "[0-9D=]{0,9}").prop_map(|(tag, value)| format!("{tag}={value}")),
            value.prop_map(String::from)
        ]
    }

    proptest! {
        #[test]
        fn what_the_tree_cuts_is_what_the_plain_twin_cuts(
            pieces in prop::collection::vec(piece(), 1..24),
            values in prop::collection::vec(prop::collection::vec("[0-9D=]{0,9}", 24), 1..5),
            separator in prop::sample::select(vec!["|", "\u{1}", "=", "5", "D"]),
            tail in prop::sample::select(vec!["", "\n", "\r\n", "10=1"]),
        ) {
            let mut tree = TagTree::default();
            let separator = Separator::new(separator.as_bytes()).expect("one byte");
            let sep = separator.single().expect("one byte");
            // Messages with the same tags and other values, or with some of the fields only.
            for values in &values {
                let mut text = String::new();
                for (piece, value) in pieces.iter().zip(values) {
                    let tag = piece.split('=').next().unwrap_or_default();
                    match value.len() {
                        0 => text += piece,
                        1 => continue,
                        _ => text += &format!("{tag}={value}"),
                    }
                    text.push(char::from(sep));
                }
                let bytes = (text + tail).into_bytes();
                let (fields, wrong) = plain(&bytes, separator);
                let tags: Vec<u32> = fields.iter().map(|field| field.tag).collect();
                let msg_type = fields.get(2).map_or(&b""[..], |f| &bytes[f.start as usize..f.end as usize]);
                let mut room = vec![EMPTY; MOST_FIELDS];
                for wanted in [false, true] {
                    if let Some((count, _)) = tree.cut(&bytes, sep, &mut room) {
                        prop_assert_eq!(&room[..count], &fields[..]);
                        prop_assert!(wrong.is_empty());
                    } else if wanted {
                        let is_usual = !matches!(sep, b'=' | b'5') && tail.is_empty() && bytes.len() >= 8;
                        prop_assert!(!is_usual || tree.add(&tags, msg_type, sep).is_none());
                    }
                    tree.add(&tags, msg_type, sep);
                }
            }
        }
    }

    #[test]
    fn two_message_types_have_paths_of_their_own() {
        let mut tree = TagTree::default();
        let mut room = vec![EMPTY; MOST_FIELDS];
        let mut ends = Vec::new();
        for kind in ["D", "8", "AE", "AB", "ABCD", "ABCDE"] {
            let bytes = format!("8=FIX.4.4|9=5|35={kind}|55=A|10=000|").into_bytes();
            let leaf = tree.add(&[8, 9, 35, 55, 10], kind.as_bytes(), b'|');
            let cut = tree.cut(&bytes, b'|', &mut room);
            assert_eq!(cut, leaf.map(|leaf| (5, leaf)), "{kind}");
            ends.extend(leaf);
        }
        ends.dedup();
        assert_eq!(ends.len(), 5);
    }

    #[test]
    fn a_tree_does_not_grow_without_end() {
        let mut tree = TagTree::default();
        for n in 0..2 * MOST_SIBLINGS as u32 {
            let is_added = tree.add(&[8, 100 + n], b"", b'|').is_some();
            assert_eq!(is_added, (n as usize) < MOST_SIBLINGS, "{n}");
        }
        assert!(!tree.is_full());
        tree.clear();
        assert_eq!(tree.cut(b"8=FIX.4.4|100=5|", b'|', &mut [EMPTY; 8]), None);
    }
}
