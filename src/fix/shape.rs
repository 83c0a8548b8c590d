//! The shape of a message: which tags it has, in which order.
//!
//! A log of millions of messages has a few hundred shapes. What the checks of [`super::validate`] say follows from the
//! shape as soon as every value is right for its place, so what they said of the first message of a shape is kept, and the
//! next ones need no more than a look at their values; and where its groups lie is known without walking them. A value that is not
//! plainly right sends its message to the full checks, which alone have words for what is wrong.

use super::dictionary::Dictionary;
use super::group::{Groups, Place};
use super::message::{Field, Message};
use super::readings::Readings;
use super::separator::Separator;
use super::tag_tree::{Leaf, MOST_FIELDS, TagTree};
use super::value_checks::Checks;
use crate::finding::Noted;

/// Sets of shapes; a power of two.
const SETS: usize = 256;
/// Shapes in a set. A new one takes the place of the oldest.
const WAYS: usize = 4;

/// After so many messages, and whenever there are sixteen times as many, the tree is sorted.
const FIRST_SORT: u64 = if cfg!(test) { 2 } else { 1024 };

/// What is known of all messages with the same tags in the same order, MsgType, dictionary, separator and group counts.
#[derive(Debug)]
pub struct Shape {
    slot: usize,
    number: u64,
    path: Path,
    /// How many messages came by the path.
    uses: u64,
    /// The first byte of the separator.
    sep: u8,
    dictionary: &'static Dictionary,
    msg_type: Box<[u8]>,
    tags: Box<[u32]>,
    /// The count fields and their values, which say where groups end.
    counts: Box<[(u16, Box<[u8]>)]>,
    places: Box<[Place]>,
    checks: Checks,
    /// What the full checks have said about a message of this shape, all of it following from the shape alone.
    issues: Option<Box<[Noted]>>,
}

/// A shape's way through the tree of tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    /// Not added yet, or no longer there.
    Unknown,
    EndsAt(Leaf),
    None,
}

impl Shape {
    /// Tells apart all shapes that one [`Shapes`] has made.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Below [`Shapes::SLOTS`], and one shape's at a time: for tables of what else is known of each shape.
    pub fn slot(&self) -> usize {
        self.slot
    }

    /// The place of each field among groups; empty when there are none. As [`Groups::lay_out`] says.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The tags, in order.
    pub fn tags(&self) -> &[u32] {
        &self.tags
    }

    /// What [`super::validate::Validator::check`] says about a message of this shape, where that is known. Then `readings`
    /// holds the values of the fields for which [`Shape::is_read`] holds.
    pub fn known_issues(&self, message: &Message<'_>, readings: &mut Readings) -> Option<&[Noted]> {
        self.issues.as_deref().filter(|_| self.checks.pass(message, self.dictionary, readings))
    }

    /// Whether the check of a field reads its number or instant.
    pub fn is_read(&self, at: u16) -> bool {
        self.checks.is_read(at)
    }

    /// The full checks said this about a message of this shape, and all of it follows from its tags: so they will say
    /// the same of every other one whose values are right.
    pub fn learn(&mut self, issues: &[Noted]) {
        self.issues.get_or_insert_with(|| issues.into());
    }

    fn is_of(&self, message: &Message<'_>, msg_type: &[u8], dictionary: &'static Dictionary) -> bool {
        let fields = message.fields;
        self.tags.len() == fields.len()
            && std::ptr::eq(self.dictionary, dictionary)
            && *self.msg_type == *msg_type
            && self.sep == sep_of(message)
            && self.tags.iter().zip(fields).fold(0, |other, (tag, field)| other | (tag ^ field.tag)) == 0
    }

    fn has_counts(&self, message: &Message<'_>) -> bool {
        self.counts.iter().all(|(field, value)| message.value(&message.fields[usize::from(*field)]) == &**value)
    }

    fn new(message: &Message<'_>, msg_type: &[u8], dictionary: &'static Dictionary, groups: &mut Groups) -> Shape {
        let known = dictionary.message(msg_type);
        let def = known.unwrap_or_else(|| dictionary.unknown_message());
        let (mut places, mut counts, mut checks) = (Vec::new(), Vec::new(), Checks::default());
        groups.reset();
        for (at, field) in message.fields.iter().enumerate() {
            let value = message.value(field);
            let step = groups.step(def, field.tag, value, &mut |_| {});
            checks.add(at as u16, field.tag, step.member);
            if step.place.count {
                counts.push((at as u16, value.into()));
            }
            places.push(step.place);
        }
        if counts.is_empty() || known.is_none() {
            places.clear();
        }
        Shape {
            slot: 0,
            number: 0,
            path: Path::Unknown,
            uses: 0,
            sep: sep_of(message),
            dictionary,
            msg_type: msg_type.into(),
            tags: message.fields.iter().map(|f| f.tag).collect(),
            counts: counts.into(),
            places: places.into(),
            checks,
            issues: None,
        }
    }
}

/// The shapes met so far; at most [`Shapes::SLOTS`] at a time.
#[derive(Debug)]
pub struct Shapes {
    slots: Vec<Option<Box<Shape>>>,
    made: u64,
    groups: Groups,
    tree: TagTree,
    /// Messages that came by the tree.
    cuts: u64,
    /// As many have come when the tree is sorted next.
    next_sort: u64,
}

/// A message cut by [`Shapes::cut`]: how many fields it has, and where its tags led.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    pub count: usize,
    leaf: Leaf,
}

impl Default for Shapes {
    fn default() -> Shapes {
        let slots = (0..Shapes::SLOTS).map(|_| None).collect();
        Shapes { slots, made: 0, groups: Groups::new(), tree: TagTree::default(), cuts: 0, next_sort: FIRST_SORT }
    }
}

impl Shapes {
    /// Shapes known at a time.
    pub const SLOTS: usize = SETS * WAYS;
    /// Longest message with a shape, in fields: longer ones are rare, and seldom alike.
    pub const MOST_FIELDS: usize = MOST_FIELDS;

    /// Cuts a message whose tags have been met before into `fields`, which has room for [`Shapes::MOST_FIELDS`]; others
    /// are left to [`super::fields::split`], which would give the same fields.
    #[inline]
    pub fn cut(&self, message: &[u8], separator: Separator, fields: &mut [Field]) -> Option<Cut> {
        let (count, leaf) = self.tree.cut(message, separator.single()?, fields)?;
        Some(Cut { count, leaf })
    }

    /// As [`Shapes::find`], for a message that `cut` has cut.
    pub fn find_cut(
        &mut self,
        cut: Option<Cut>,
        message: &Message<'_>,
        dictionary: &'static Dictionary,
    ) -> Option<&mut Shape> {
        if let Some(Cut { leaf, .. }) = cut
            && let Some(slot) = self.tree.slot(leaf)
            && let Some(shape) = &mut self.slots[slot]
            && shape.path == Path::EndsAt(leaf)
            && std::ptr::eq(shape.dictionary, dictionary)
            && message.fields.get(2).is_some_and(|kind| message.value(kind) == &*shape.msg_type)
        {
            shape.uses += 1;
            self.cuts += 1;
            if self.cuts == self.next_sort {
                self.next_sort *= 16;
                self.sort_paths();
            }
            return self.slots[slot].as_deref_mut().filter(|shape| shape.has_counts(message));
        }
        self.find(message, dictionary)
    }

    /// The shape of a message, made if it is new. A message has none when it does not begin with tags 8, 9, 35 and end
    /// with 10, when it is very long, or when it has a known shape's tags with other counts in its groups.
    pub fn find(&mut self, message: &Message<'_>, dictionary: &'static Dictionary) -> Option<&mut Shape> {
        let fields = message.fields;
        let [eight, nine, kind, .., ten] = fields else { return None };
        if (eight.tag, nine.tag, kind.tag, ten.tag) != (8, 9, 35, 10) || fields.len() > MOST_FIELDS {
            return None;
        }
        let msg_type = message.value(kind);
        let first = set_of(fields, msg_type) * WAYS;
        let known = (first..first + WAYS)
            .find(|&slot| self.slots[slot].as_ref().is_some_and(|s| s.is_of(message, msg_type, dictionary)));
        let slot = match known {
            Some(slot) => slot,
            None => self.make(first, message, msg_type, dictionary),
        };
        self.remember_path(slot);
        self.slots[slot].as_deref_mut().filter(|shape| shape.has_counts(message))
    }

    /// Lets the next message with these tags come by the tree.
    fn remember_path(&mut self, slot: usize) {
        if self.tree.is_full() {
            self.tree.clear();
            self.slots.iter_mut().flatten().for_each(|shape| shape.path = Path::Unknown);
        }
        let Some(shape) = &mut self.slots[slot] else { return };
        if shape.path == Path::Unknown {
            shape.path = self.tree.add(&shape.tags, &shape.msg_type, shape.sep).map_or(Path::None, Path::EndsAt);
        }
        if let Path::EndsAt(leaf) = shape.path {
            self.tree.set_slot(leaf, slot);
        }
    }

    /// Builds the tree anew, so that the likeliest tag is compared first at each place.
    #[cold]
    fn sort_paths(&mut self) {
        self.tree.clear();
        let mut slots: Vec<usize> = (0..self.slots.len()).collect();
        slots.sort_by_key(|&slot| std::cmp::Reverse(self.slots[slot].as_ref().map_or(0, |shape| shape.uses)));
        self.slots.iter_mut().flatten().for_each(|shape| shape.path = Path::Unknown);
        slots.into_iter().for_each(|slot| self.remember_path(slot));
    }

    #[cold]
    fn make(&mut self, first: usize, message: &Message<'_>, msg_type: &[u8], dictionary: &'static Dictionary) -> usize {
        let number = |slot: &usize| self.slots[*slot].as_ref().map_or(0, |shape| shape.number + 1);
        let slot = (first..first + WAYS).min_by_key(number).unwrap_or(first);
        let mut shape = Shape::new(message, msg_type, dictionary, &mut self.groups);
        (shape.slot, shape.number) = (slot, self.made);
        self.made += 1;
        self.slots[slot] = Some(Box::new(shape));
        slot
    }
}

/// The first byte of the separator behind MsgType, 0 where there is none.
fn sep_of(message: &Message<'_>) -> u8 {
    let end = message.fields.get(2).map_or(0, |kind| kind.end as usize);
    message.bytes.get(end).copied().unwrap_or_default()
}

/// The set of shapes that a message's is in. A sum waits for nothing; tags in another order fall into the same set.
#[inline]
fn set_of(fields: &[Field], msg_type: &[u8]) -> usize {
    let tags = fields.iter().fold(0u64, |sum, field| sum + u64::from(field.tag));
    let kind = msg_type.iter().take(4).fold(0u64, |word, byte| word << 8 | u64::from(*byte));
    let mixed = (tags << 20 ^ kind << 8 ^ fields.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 56) as usize % SETS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Noted;
    use crate::fix::Separator;
    use crate::fix::dictionary::Version;
    use crate::fix::fields::plain;
    use crate::fix::validate::Validator;
    use proptest::prelude::*;

    /// What the full checks say, and whether all of it follows from the tags.
    fn full(message: &Message<'_>, dictionary: &'static Dictionary) -> (Vec<Noted>, bool) {
        let (mut noted, mut follow) = (Vec::new(), true);
        Validator::new().check(message, dictionary, &mut |issue| {
            follow &= issue.follows_from_tags();
            noted.push(Noted { code: issue.code, level: issue.level, tag: issue.tag, text: issue.text().into() });
        });
        (noted, follow)
    }

    /// Values right and wrong for the tags below.
    fn value() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "1",
            "2",
            "D",
            "8",
            "Y",
            "0",
            "9",
            "100",
            "12x",
            "-5",
            "1.5",
            ".",
            "",
            "USD",
            "XNAS",
            "1 2",
            "1 G",
            "AB",
            "20260302",
            "20260302-14:30:09",
            "20260302-14:30:09.442",
            "20260302-25:00:00",
        ])
    }

    fn tag() -> impl Strategy<Value = u32> {
        prop::sample::select(vec![
            11, 55, 54, 60, 38, 40, 44, 59, 18, 15, 100, 453, 448, 447, 452, 802, 523, 803, 1080, 73, 2887, 2888, 9001,
            58, 0, 39,
        ])
    }

    fn text(kind: &str, fields: &[(u32, &str)]) -> Vec<u8> {
        let mut text = format!("8=FIX.4.4|9=5|35={kind}|49=A|56=B|34=1|52=20260302-14:37:41|");
        fields.iter().for_each(|(tag, value)| text += &format!("{tag}={value}|"));
        (text + "10=000|").into_bytes()
    }

    proptest! {
        #[test]
        fn a_shape_says_what_the_full_checks_say(
            kind in prop::sample::select(vec!["D", "8", "F", "UX", "zz"]),
            tags in prop::collection::vec(tag(), 0..12),
            all_values in prop::collection::vec(prop::collection::vec(value(), 12), 1..8),
        ) {
            let dictionary = Dictionary::get(Version::Fix44);
            let (mut shapes, mut readings) = (Shapes::default(), Readings::new(true));
            let separator = Separator::new(b"|").expect("one byte");
            for values in &all_values {
                let fields: Vec<(u32, &str)> = tags.iter().copied().zip(values.iter().copied()).collect();
                // Each message twice: the second is the first that can be known.
                for _ in 0..2 {
                    let bytes = text(kind, &fields);
                    let (fields, _) = plain(&bytes, separator);
                    let message = Message { bytes: &bytes, fields: &fields };
                    let (issues, follow) = full(&message, dictionary);
                    let mut room = vec![Field { tag: 0, start: 0, end: 0 }; Shapes::MOST_FIELDS];
                    let cut = shapes.cut(&bytes, separator, &mut room);
                    if let Some(cut) = cut {
                        prop_assert_eq!(&room[..cut.count], &fields[..]);
                    }
                    let plainly = shapes.find(&message, dictionary).map(|shape| shape.number());
                    let Some(shape) = shapes.find_cut(cut, &message, dictionary) else {
                        prop_assert_eq!(plainly, None);
                        continue;
                    };
                    prop_assert_eq!(Some(shape.number()), plainly);
                    let def = dictionary.message(kind.as_bytes());
                    let places = def.map_or(Vec::new(), |def| Groups::new().lay_out(&message, def).to_vec());
                    prop_assert_eq!(shape.places(), &places[..]);
                    if let Some(known) = shape.known_issues(&message, &mut readings) {
                        prop_assert_eq!(known, &issues[..]);
                    }
                    if follow {
                        shape.learn(&issues);
                    }
                }
            }
        }

        #[test]
        fn no_more_shapes_are_kept_than_there_are_slots(
            all_tags in prop::collection::vec(prop::collection::vec(tag(), 0..4), 0..200),
        ) {
            let dictionary = Dictionary::get(Version::Fix44);
            let mut shapes = Shapes::default();
            let separator = Separator::new(b"|").expect("one byte");
            for tags in all_tags {
                let bytes = text("D", &tags.iter().map(|tag| (*tag, "1")).collect::<Vec<_>>());
                let (fields, _) = plain(&bytes, separator);
                let message = Message { bytes: &bytes, fields: &fields };
                let shape = shapes.find(&message, dictionary).expect("a usual message has a shape");
                prop_assert_eq!(shape.tags(), fields.iter().map(|f| f.tag).collect::<Vec<_>>());
                prop_assert!(shape.slot() < Shapes::SLOTS);
            }
        }
    }

    #[test]
    fn orders_that_are_right_are_known_after_the_first() {
        let dictionary = Dictionary::get(Version::Fix44);
        let mut shapes = Shapes::default();
        let separator = Separator::new(b"|").expect("one byte");
        let order = [(11, "A"), (55, "GE"), (54, "1"), (60, "20260302-14:37:41"), (38, "5"), (40, "1"), (1080, "X")];
        for (n, qty) in ["5", "7.5", "x", "9"].iter().enumerate() {
            let mut order = order;
            order[4].1 = qty;
            let bytes = text("D", &order);
            let (fields, _) = plain(&bytes, separator);
            let message = Message { bytes: &bytes, fields: &fields };
            let (issues, follow) = full(&message, dictionary);
            let shape = shapes.find(&message, dictionary).expect("a shape");
            let known = shape.known_issues(&message, &mut Readings::new(true)).map(<[Noted]>::to_vec);
            assert_eq!(known, (n > 0 && *qty != "x").then_some(issues.clone()), "{qty}");
            if follow {
                assert_eq!(issues.iter().map(|i| i.code).collect::<Vec<_>>(), ["fix-later-version"]);
                shape.learn(&issues);
            }
        }
    }
}
