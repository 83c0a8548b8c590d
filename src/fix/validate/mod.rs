//! Message-level checks against a dictionary: a message in, what is wrong with it out.
//!
//! [`Validator::check`] walks the fields once. A message with nothing wrong costs array look-ups and type checks only;
//! sentences are written when somebody asks an [`Issue`] for its text. One fault gives one issue: an empty value has no
//! type, a value of the wrong type is not looked up among the codes, and so on.

pub mod issue;
pub mod lexical;

pub use issue::Issue;

use super::codes::{self, Code};
use super::dictionary::{CodeSet, Dictionary, Kind, Member, MessageDef, NONE, Root};
use super::group::{Groups, Trouble, for_each_missing};
use super::message::{Field, Message};
use issue::Detail;
use lexical::is_written_as;

/// Tags that two sides define between themselves: no dictionary has them.
pub(in crate::fix) fn is_user_defined(tag: u32) -> bool {
    (5000..40000).contains(&tag)
}

/// Fields of complex derivatives in FIX Latest, of which no table is carried.
fn is_beyond_the_tables(tag: u32) -> bool {
    matches!(tag, 40000..=43123 | 50000..=50002)
}

/// Checks one message after another; its memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Validator {
    groups: Groups,
    /// Bits of the root's members that the message has.
    seen: Vec<u64>,
    /// Groups whose members stand outside of them, told once each.
    stray_groups: Vec<usize>,
}

/// What the checks of one message share.
struct Check<'a, 's> {
    message: &'a Message<'a>,
    dict: &'a Dictionary,
    def: &'a MessageDef,
    msg_type: &'a [u8],
    is_known: bool,
    sink: &'s mut dyn FnMut(&Issue<'_>),
}

impl Validator {
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks a message against its version's dictionary and calls `sink` with each issue.
    ///
    /// Framing (BodyLength, CheckSum, what BeginString is) is not looked at.
    pub fn check(&mut self, message: &Message<'_>, dict: &Dictionary, sink: &mut dyn FnMut(&Issue<'_>)) {
        let msg_type = match message.fields.get(2) {
            Some(field) if field.tag == 35 => message.value(field),
            _ => message.get(35).unwrap_or_default(),
        };
        let known = dict.message(msg_type);
        let def = known.unwrap_or_else(|| dict.unknown_message());
        let mut check = Check { message, dict, def, msg_type, is_known: known.is_some(), sink };
        if known.is_none() && !msg_type.is_empty() {
            let code = if msg_type[0] == b'U' { codes::MSG_TYPE_USER } else { codes::MSG_TYPE_UNKNOWN };
            check.tell(code, 35, Detail::MsgType);
        }
        self.walk(&mut check);
        check.order();
    }

    fn walk(&mut self, check: &mut Check<'_, '_>) {
        let (message, def) = (check.message, check.def);
        let root = &def.containers[0];
        let members = &root.members[..];
        let Validator { groups, seen, stray_groups } = self;
        seen.clear();
        seen.resize(root.words(), 0);
        groups.reset();
        stray_groups.clear();
        let mut next = 0;
        while next < message.fields.len() {
            if groups.at_root() {
                next += right_fields(message, &message.fields[next..], def, seen);
            }
            let Some(field) = message.fields.get(next) else { break };
            next += 1;
            let value = message.value(field);
            if !groups.at_root() {
                let step = groups.step(def, field.tag, value, &mut |trouble| check.trouble(trouble));
                if !step.at_root {
                    match step.member {
                        Some(member) => check.member(value, member),
                        None => check.stray(field, value, stray_groups),
                    }
                    continue;
                }
                // Where the field opens a group at the root, the walk has opened it; below it is opened once more.
                groups.reset();
            }
            let Root::Member(place) = def.root(field.tag) else {
                check.stray(field, value, stray_groups);
                continue;
            };
            let member = &members[place];
            if member.group != NONE {
                groups.enter(def, member, value);
            }
            let (word, bit) = (&mut seen[place / 64], 1 << (place % 64));
            if *word & bit != 0 {
                check.tell(codes::TAG_DUPLICATE, field.tag, Detail::Duplicate(value));
                continue;
            }
            *word |= bit;
            check.member(value, member);
        }
        groups.finish(def, &mut |trouble| check.trouble(trouble));
        for_each_missing(root, seen, &mut |tag| check.tell(codes::REQUIRED, tag, Detail::Missing));
    }
}

impl Check<'_, '_> {
    /// A field whose tag has no place where it stands.
    #[cold]
    fn stray(&mut self, field: &Field, value: &[u8], stray_groups: &mut Vec<usize>) {
        let tag = field.tag;
        if tag == 0 {
            return self.tell(codes::TAG_INVALID, 0, Detail::InvalidTag(tag_text(self.message, field), value));
        }
        if value.is_empty() {
            return self.tell(codes::VALUE_EMPTY, tag, Detail::Empty);
        }
        if is_user_defined(tag) {
            return;
        }
        if let Root::InGroup(container) = self.def.root(tag) {
            if !stray_groups.contains(&container) {
                let group = &self.def.containers[container];
                let is_within = |&other: &usize| self.def.containers[other].place(group.count_tag).is_some();
                let is_told = stray_groups.iter().any(is_within);
                stray_groups.push(container);
                // Otherwise the group around it has had its issue.
                if !is_told {
                    let is_later = group.later || group.place(tag).is_some_and(|p| group.members[p].later);
                    let code = if is_later { codes::LATER_VERSION } else { codes::GROUP_COUNT };
                    self.tell(code, tag, Detail::OutsideGroup(group.count_tag));
                }
            }
            return;
        }
        match self.dict.field(tag) {
            Some(known) if !self.is_known => self.value(tag, value, known.kind, known.codes),
            Some(_) => self.tell(codes::TAG_NOT_FOR_MESSAGE, tag, Detail::NotForMessage),
            None if is_beyond_the_tables(tag) => self.tell(codes::LATER_VERSION, tag, Detail::BeyondTables),
            None => self.tell(codes::TAG_UNDEFINED, tag, Detail::Undefined),
        }
    }

    fn tell(&mut self, code: Code, tag: u32, detail: Detail<'_>) {
        (self.sink)(&Issue::new(code, tag, self.dict, self.def, self.msg_type, detail));
    }

    /// A field that stands where its tag belongs.
    #[inline]
    fn member(&mut self, value: &[u8], member: &Member) {
        if member.later {
            self.later(member);
        }
        let is_right = member.lists(value) || (member.codes == NONE && is_written_as(member.kind, value));
        if !is_right {
            self.value(member.tag, value, member.kind, member.codes);
        }
    }

    /// A value that is not known to be right: it may be wrong, or one of the longer codes, or several of them.
    #[inline(never)]
    fn value(&mut self, tag: u32, value: &[u8], kind: Kind, set: u16) {
        if value.is_empty() {
            self.tell(codes::VALUE_EMPTY, tag, Detail::Empty);
        } else if !is_written_as(kind, value) {
            // BodyLength and CheckSum are framing's to judge.
            if !matches!(tag, 9 | 10) {
                self.tell(codes::TYPE, tag, Detail::Type(value, kind));
            }
        } else if let Some(set) = self.dict.code_sets.get(usize::from(set)) {
            self.code(tag, value, kind, set);
        }
    }

    fn code(&mut self, tag: u32, value: &[u8], kind: Kind, set: &CodeSet) {
        if matches!(kind, Kind::MultipleChar | Kind::MultipleString) {
            for word in value.split(|&b| b == b' ') {
                if !set.allows(word) {
                    return self.tell(codes::ENUM, tag, Detail::Code(word));
                }
            }
        } else if !set.allows(value) {
            self.tell(codes::ENUM, tag, Detail::Code(value));
        }
    }

    /// A tag that a later version allows: told once for a group, by its count tag.
    #[cold]
    fn later(&mut self, member: &Member) {
        self.tell(codes::LATER_VERSION, member.tag, Detail::Later(member.added));
    }

    #[cold]
    fn trouble(&mut self, trouble: Trouble) {
        let count_tag = |container: usize| self.def.containers[container].count_tag;
        match trouble {
            Trouble::Count { container, declared, found } => {
                self.tell(codes::GROUP_COUNT, count_tag(container), Detail::Count { declared, found });
            }
            Trouble::Delimiter { container, tag, entry } => {
                let group = &self.def.containers[container];
                let first = group.members.first().map_or(0, |m| m.tag);
                self.tell(codes::GROUP_DELIMITER, tag, Detail::Delimiter { count_tag: group.count_tag, first, entry });
            }
            Trouble::Order { container, tag, entry } => {
                self.tell(codes::GROUP_ORDER, tag, Detail::Order { count_tag: count_tag(container), entry });
            }
            Trouble::Missing { container, tag, entry } => {
                self.tell(codes::REQUIRED, tag, Detail::MissingInGroup { count_tag: count_tag(container), entry });
            }
        }
    }

    /// The first three fields and the last have fixed places; one that is missing altogether is told as missing.
    fn order(&mut self) {
        let fields = self.message.fields;
        let starts = matches!(fields, [a, b, c, ..] if a.tag == 8 && b.tag == 9 && c.tag == 35);
        if !(starts && fields.last().is_some_and(|f| f.tag == 10)) {
            let wrong = [8, 9, 35].iter().enumerate().find(|&(i, &tag)| fields.get(i).is_none_or(|f| f.tag != tag));
            let is_there = |tag: u32| fields.iter().any(|f| f.tag == tag);
            if [8, 9, 35, 10].iter().all(|&tag| is_there(tag)) {
                self.tell(codes::FIELD_ORDER, wrong.map_or(10, |(_, &tag)| tag), Detail::FieldOrder);
            }
        }
    }
}

/// How many fields from the first on stand at the root and have nothing to tell or to open; marks them as seen.
///
/// This is where ordinary messages spend their time: nothing here is shared with the rest, so all stays in registers.
#[inline(never)]
fn right_fields(message: &Message<'_>, fields: &[Field], def: &MessageDef, seen: &mut [u64]) -> usize {
    let members = &def.containers[0].members[..];
    for (done, field) in fields.iter().enumerate() {
        let Root::Member(place) = def.root(field.tag) else { return done };
        let member = &members[place];
        let word = &mut seen[place / 64];
        let bit = 1 << (place % 64);
        let value = message.value(field);
        let is_right = member.lists(value) || (member.codes == NONE && is_written_as(member.kind, value));
        if !is_right || !member.is_plain || *word & bit != 0 {
            return done;
        }
        *word |= bit;
    }
    fields.len()
}

/// What stands where a tag should be: the bytes between the separator before a field and its `=`.
fn tag_text<'a>(message: &Message<'a>, field: &Field) -> &'a [u8] {
    let at = message.fields.iter().position(|f| f == field).unwrap_or(0);
    // The separator is what lies between BeginString's value and `9=`.
    let separator = match message.fields {
        [first, second, ..] if second.tag == 9 => (second.start as usize).saturating_sub(first.end as usize + 2),
        _ => 1,
    };
    let start = match at.checked_sub(1) {
        Some(before) => message.fields[before].end as usize + separator,
        None => 0,
    };
    message.bytes.get(start..(field.start as usize).saturating_sub(1)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
