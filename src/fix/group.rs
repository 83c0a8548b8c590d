//! Repeating groups: how deep each field of a message lies, and where entries start.
//!
//! FIX marks groups by their tags alone: a count tag opens one, and its first tag starts each entry. [`Groups`] walks a
//! message once and keeps the open groups on a stack. A tag that the innermost group does not have closes it when
//! something around it has the tag; a user-defined or unknown tag closes nothing, it belongs to the entry it stands in.

use super::dictionary::{Bits, Container, Member, MessageDef, NONE, Root};
use super::message::Message;

/// Where a field lies among the groups of its message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// 0 outside of groups, 1 in an entry of a group, 2 in a group within.
    pub depth: u8,
    /// This field starts an entry of its group.
    pub entry: bool,
    /// This field counts the entries that follow, which lie one deeper.
    pub count: bool,
}

/// What is wrong with a group. Containers and members are places in the message's definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::fix) enum Trouble {
    Count { container: usize, declared: u32, found: u32 },
    Delimiter { container: usize, tag: u32, entry: u32 },
    Order { container: usize, tag: u32, entry: u32 },
    Missing { container: usize, tag: u32, entry: u32 },
}

/// One field as the walk sees it.
#[derive(Clone, Copy, Debug)]
pub(in crate::fix) struct Step<'d> {
    /// What the place where the field lies knows of its tag.
    pub member: Option<&'d Member>,
    /// Whether the place is the root of the message.
    pub at_root: bool,
    pub place: Place,
}

/// An open group.
#[derive(Clone, Copy, Debug)]
struct Open {
    container: usize,
    /// The count as the message gives it, where it is a number.
    declared: Option<u32>,
    entries: u32,
    /// Where this group's bits start in [`Groups::seen`].
    bits: usize,
    /// Highest place of a member seen in this entry.
    last: usize,
    order_told: bool,
    delimiter_told: bool,
    missing_told: bool,
}

/// Walks the groups of one message after another; its memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    open: Vec<Open>,
    /// Bits of the members that each open group has in its current entry.
    seen: Vec<u64>,
    places: Vec<Place>,
}

impl Groups {
    pub fn new() -> Self {
        Self::default()
    }

    /// The place of each field, in their order; empty when the message has no group, and then each field lies outside.
    pub fn lay_out(&mut self, message: &Message<'_>, def: &MessageDef) -> &[Place] {
        self.places.clear();
        let opens = |tag| matches!(def.root(tag), Root::Member(m) if def.containers[0].members[m].group != NONE);
        let Some(first) = message.fields.iter().position(|f| opens(f.tag)) else { return &[] };
        self.places.resize(first, Place::default());
        self.reset();
        for field in &message.fields[first..] {
            let place = self.step(def, field.tag, message.value(field), &mut |_| {}).place;
            self.places.push(place);
        }
        &self.places
    }

    /// Forgets the open groups of a message before.
    pub(in crate::fix) fn reset(&mut self) {
        self.open.clear();
        self.seen.clear();
    }

    /// Whether the walk stands outside of all groups.
    #[inline]
    pub(in crate::fix) fn at_root(&self) -> bool {
        self.open.is_empty()
    }

    /// Takes the next field.
    pub(in crate::fix) fn step<'d>(
        &mut self,
        def: &'d MessageDef,
        tag: u32,
        value: &[u8],
        tell: &mut dyn FnMut(Trouble),
    ) -> Step<'d> {
        while let Some(group) = self.open.last() {
            let container = &def.containers[group.container];
            match container.place(tag) {
                Some(place) => {
                    // A tag that the entry has already starts the next one, unless the group is complete and the tag
                    // has a place around it as well.
                    let starts = group.entries == 0 || self.has(group.bits, place);
                    let complete = group.declared.is_some_and(|d| group.entries >= d);
                    if !(starts && complete && self.is_around(def, tag)) {
                        return self.take(def, container, place, starts, value, tell);
                    }
                }
                None if !self.is_around(def, tag) => {
                    let depth = self.open.len() - usize::from(group.entries == 0);
                    return Step { member: None, at_root: false, place: self.place(depth, false, false) };
                }
                None => {}
            }
            self.close(def, tell);
        }
        let member = match def.root(tag) {
            Root::Member(place) => Some(&def.containers[0].members[place]),
            Root::InGroup(_) | Root::Absent => None,
        };
        let count = member.is_some_and(|m| m.group != NONE);
        if let Some(member) = member.filter(|_| count) {
            self.enter(def, member, value);
        }
        Step { member, at_root: true, place: self.place(0, false, count) }
    }

    /// Closes what is still open at the end of the message.
    pub(in crate::fix) fn finish(&mut self, def: &MessageDef, tell: &mut dyn FnMut(Trouble)) {
        while !self.open.is_empty() {
            self.close(def, tell);
        }
    }

    /// Opens the group that a count tag announces.
    pub(in crate::fix) fn enter(&mut self, def: &MessageDef, count: &Member, value: &[u8]) {
        let container = usize::from(count.group);
        let bits = self.seen.len();
        self.seen.resize(bits + def.containers[container].words(), 0);
        self.open.push(Open {
            container,
            declared: number(value),
            entries: 0,
            bits,
            last: 0,
            order_told: false,
            delimiter_told: false,
            missing_told: false,
        });
    }

    /// A member of the innermost group.
    fn take<'d>(
        &mut self,
        def: &'d MessageDef,
        container: &'d Container,
        place: usize,
        starts: bool,
        value: &[u8],
        tell: &mut dyn FnMut(Trouble),
    ) -> Step<'d> {
        if starts {
            self.end_entry(container, tell);
        }
        let depth = self.open.len();
        let member = &container.members[place];
        let group = &mut self.open[depth - 1];
        if starts {
            group.entries = group.entries.saturating_add(1);
            group.last = 0;
            group.order_told = false;
            if place != 0 && !group.delimiter_told {
                group.delimiter_told = true;
                tell(Trouble::Delimiter { container: group.container, tag: member.tag, entry: group.entries });
            }
        }
        // What later versions added stands behind the version's own members here, wherever it stands in theirs. An entry
        // that started with the wrong tag has had its finding.
        if !member.later && !container.later && !starts {
            let told = group.order_told || group.delimiter_told;
            if place < group.last && !told {
                group.order_told = true;
                tell(Trouble::Order { container: group.container, tag: member.tag, entry: group.entries });
            }
        }
        if !member.later {
            group.last = group.last.max(place);
        }
        self.seen[group.bits + place / 64] |= 1 << (place % 64);
        let count = member.group != NONE;
        if count {
            self.enter(def, member, value);
        }
        Step { member: Some(member), at_root: false, place: self.place(depth, starts, count) }
    }

    fn place(&self, depth: usize, entry: bool, count: bool) -> Place {
        Place { depth: u8::try_from(depth).unwrap_or(u8::MAX), entry, count }
    }

    fn has(&self, bits: usize, place: usize) -> bool {
        self.seen[bits + place / 64] >> (place % 64) & 1 == 1
    }

    /// Whether a group around the innermost one, or the root, has a tag.
    fn is_around(&self, def: &MessageDef, tag: u32) -> bool {
        let outer = &self.open[..self.open.len().saturating_sub(1)];
        matches!(def.root(tag), Root::Member(_))
            || outer.iter().any(|g| def.containers[g.container].place(tag).is_some())
    }

    /// Checks that the innermost group's entry is whole, and clears its bits for the next.
    fn end_entry(&mut self, container: &Container, tell: &mut dyn FnMut(Trouble)) {
        let Some(group) = self.open.last_mut() else { return };
        let seen = &mut self.seen[group.bits..];
        if group.entries > 0 && !group.missing_told {
            for_each_missing(container, seen, &mut |tag| {
                group.missing_told = true;
                tell(Trouble::Missing { container: group.container, tag, entry: group.entries });
            });
        }
        seen.fill(0);
    }

    fn close(&mut self, def: &MessageDef, tell: &mut dyn FnMut(Trouble)) {
        let Some(group) = self.open.last().copied() else { return };
        self.end_entry(&def.containers[group.container], tell);
        if let Some(declared) = group.declared.filter(|&d| d != group.entries) {
            tell(Trouble::Count { container: group.container, declared, found: group.entries });
        }
        self.seen.truncate(group.bits);
        self.open.pop();
    }
}

/// Calls `tell` with each tag that a container must have and `seen` has not: members that are always required, and those
/// required because another member of their component is there.
#[inline]
pub(in crate::fix) fn for_each_missing(container: &Container, seen: &[u64], tell: &mut dyn FnMut(u32)) {
    let mut tell_missing = |set: &[Bits]| {
        for &Bits { word, bits } in set {
            let mut missing = bits & !seen[word];
            while missing != 0 {
                tell(container.members[word * 64 + missing.trailing_zeros() as usize].tag);
                missing &= missing - 1;
            }
        }
    };
    tell_missing(&container.required);
    for conditional in &container.conditional {
        if conditional.any.iter().any(|b| b.bits & seen[b.word] != 0) {
            tell_missing(&conditional.required);
        }
    }
}

/// A count, where it is a number that fits; what is none has its finding elsewhere.
fn number(value: &[u8]) -> Option<u32> {
    std::str::from_utf8(value).ok().filter(|t| t.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix::Field;
    use crate::fix::dictionary::{Dictionary, Version};

    /// Depths as digits, with `*` behind the field that starts an entry and `#` behind a count.
    fn shape(version: Version, text: &str) -> String {
        let mut fields = Vec::new();
        let mut at = 0;
        for piece in text.split_terminator('|') {
            let (tag, _) = piece.split_once('=').expect("tag=value");
            let start = at + tag.len() + 1;
            fields.push(Field {
                tag: tag.parse().expect("a number"),
                start: start as u32,
                end: (at + piece.len()) as u32,
            });
            at += piece.len() + 1;
        }
        let message = Message { bytes: text.as_bytes(), fields: &fields };
        let def = Dictionary::get(version).message(message.get(35).expect("a type")).expect("known");
        let mark =
            |p: &Place| format!("{}{}{}", p.depth, if p.entry { "*" } else { "" }, if p.count { "#" } else { "" });
        Groups::new().lay_out(&message, def).iter().map(mark).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_message_without_groups_has_no_places() {
        assert_eq!(shape(Version::Fix44, "35=D|11=a|55=b|"), "");
    }

    #[test]
    fn groups_nest_and_end_where_the_message_goes_on() {
        let text = "35=D|453=2|448=a|447=D|802=1|523=x|803=1|448=b|452=1|55=z|";
        assert_eq!(shape(Version::Fix44, text), "0 0# 1* 1 1# 2* 2 1* 1 0");
    }

    #[test]
    fn user_defined_tags_belong_to_the_entry_they_stand_in() {
        let text = "35=D|9001=x|453=2|448=a|9001=x|448=b|9002=y|55=z|9003=w|";
        assert_eq!(shape(Version::Fix44, text), "0 0 0# 1* 1 1* 1 0 0");
    }

    #[test]
    fn groups_of_later_versions_nest() {
        let text = "35=D|73=2|2887=a|2888=1|2887=b|2889=5|54=1|";
        assert_eq!(shape(Version::Fix44, text), "0 0# 1* 1 1* 1 0");
    }

    #[test]
    fn a_wrong_first_tag_still_parts_the_entries() {
        let text = "35=D|453=2|447=D|448=a|447=D|448=b|55=z|";
        assert_eq!(shape(Version::Fix44, text), "0 0# 1* 1 1* 1 0");
        assert_eq!(shape(Version::Fix44, "35=D|453=0|55=z|"), "0 0# 0");
        assert_eq!(shape(Version::Fix44, "35=D|453=1|9001=x|55=z|"), "0 0# 0 0");
    }
}
