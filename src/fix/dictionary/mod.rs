//! FIX data dictionaries: what a version's messages and fields are, as immutable tables built once.
//!
//! The data comes from a crate ([`source`] is the only module that knows it), is corrected where it is known to be wrong
//! ([`quirks`]) and is completed by what later versions allow ([`later`]). A message type is laid out when it is first
//! asked for. After that a look-up of a message or a tag is one or two array accesses.
//!
//! ```
//! use fixtrail::fix::dictionary::{Dictionary, Version};
//! let dictionary = Dictionary::get(Version::Fix44);
//! assert_eq!(dictionary.message(b"D").map(|m| m.name()), Some("NewOrderSingle"));
//! assert_eq!(dictionary.field_name(54), Some("Side"));
//! assert_eq!(dictionary.label(54, b"1"), Some("BUY"));
//! ```

mod codes;
mod definition;
mod kind;
mod later;
mod layout;
mod quirks;
mod source;
mod spec;
mod version;

pub use codes::{CodeSet, Open};
pub use definition::MessageDef;
pub(in crate::fix) use definition::{Bits, Container, Member, NONE, Root};
pub use kind::Kind;
pub use version::{Added, BeginString, Version};

use spec::Spec;
use std::sync::OnceLock;

/// A field of one version.
#[derive(Clone, Debug)]
pub struct FieldDef {
    pub tag: u32,
    pub name: Box<str>,
    pub kind: Kind,
    /// Place in [`Dictionary::code_sets`], or [`NONE`].
    pub(in crate::fix) codes: u16,
}

/// Fields and messages of one version.
#[derive(Debug)]
pub struct Dictionary {
    version: Version,
    spec: Spec,
    fields: Vec<FieldDef>,
    /// Place in `fields` plus one, by tag.
    by_tag: Vec<u16>,
    pub(in crate::fix) code_sets: Vec<CodeSet>,
    /// Place in `spec.messages` plus one, by MsgType of one and of two characters.
    one: [u16; 128],
    two: Vec<u16>,
    /// Laid out on first use, by place in `spec.messages`.
    messages: Vec<OnceLock<MessageDef>>,
    unknown: OnceLock<MessageDef>,
}

impl Dictionary {
    /// The dictionary of a version, built when first asked for (1 to 20 ms).
    ///
    /// FIX 5.0 and later come with header, trailer and admin messages of FIXT.1.1.
    pub fn get(version: Version) -> &'static Dictionary {
        static ALL: [OnceLock<Dictionary>; Version::ALL.len()] = [const { OnceLock::new() }; Version::ALL.len()];
        let over_fixt = version >= Version::Fix50;
        ALL[version as usize].get_or_init(|| Dictionary::build(version, over_fixt))
    }

    /// The dictionary of a version whose messages are carried over FIXT.1.1: the same as [`Dictionary::get`] from FIX
    /// 5.0 on; before, with FIXT's header, trailer and admin messages in place of the version's own.
    pub fn get_over_fixt(version: Version) -> &'static Dictionary {
        static ALL: [OnceLock<Dictionary>; Version::Fix50 as usize] =
            [const { OnceLock::new() }; Version::Fix50 as usize];
        match ALL.get(version as usize) {
            Some(dictionary) => dictionary.get_or_init(|| Dictionary::build(version, true)),
            None => Dictionary::get(version),
        }
    }

    fn build(version: Version, over_fixt: bool) -> Dictionary {
        let mut spec = source::load(version, over_fixt);
        let mut code_sets = Vec::new();
        let mut fields = Vec::new();
        let size = spec.fields.last().map_or(0, |f| f.tag as usize + 1);
        let mut by_tag = vec![0; size];
        for field in std::mem::take(&mut spec.fields) {
            let codes = match field.codes {
                Some(set) => {
                    code_sets.push(set);
                    code_sets.len() as u16 - 1
                }
                None => NONE,
            };
            fields.push(FieldDef { tag: field.tag, name: field.name, kind: field.kind, codes });
            by_tag[field.tag as usize] = fields.len() as u16;
        }
        let mut one = [0; 128];
        let mut two = vec![0; PAIR_BASE * PAIR_BASE];
        for (place, message) in spec.messages.iter().enumerate() {
            match *message.msg_type.as_bytes() {
                [a @ ..128] => one[usize::from(a)] = place as u16 + 1,
                [a, b] => {
                    if let Some(pair) = pair(a, b) {
                        two[pair] = place as u16 + 1;
                    }
                }
                // No version has longer ones; a test holds every message against its look-up.
                _ => {}
            }
        }
        let messages = spec.messages.iter().map(|_| OnceLock::new()).collect();
        Dictionary { version, spec, fields, by_tag, code_sets, one, two, messages, unknown: OnceLock::new() }
    }

    pub fn version(&self) -> Version {
        self.version
    }

    /// The message of a MsgType(35).
    #[inline]
    pub fn message(&self, msg_type: &[u8]) -> Option<&MessageDef> {
        let place = match *msg_type {
            [a @ ..128] => self.one[usize::from(a)],
            [a, b] => self.two[pair(a, b)?],
            _ => 0,
        };
        let place = usize::from(place.checked_sub(1)?);
        Some(self.messages[place].get_or_init(|| {
            let message = &self.spec.messages[place];
            let later =
                later::message(&message.msg_type).map(|m| layout::Place { spec: later::table(), items: &m.items });
            layout::lay_out(message, &self.spec, later, &|tag| self.facts(tag))
        }))
    }

    /// Header and trailer alone, for a message whose type is not known.
    pub(in crate::fix) fn unknown_message(&self) -> &MessageDef {
        self.unknown.get_or_init(|| {
            let items = self.spec.frame.clone();
            let message = spec::SpecMessage { msg_type: "".into(), name: "".into(), items };
            layout::lay_out(&message, &self.spec, None, &|tag| self.facts(tag))
        })
    }

    /// All MsgTypes of this version, with their messages.
    pub fn messages(&self) -> impl Iterator<Item = &MessageDef> {
        self.spec.messages.iter().filter_map(|m| self.message(m.msg_type.as_bytes()))
    }

    /// A field of this version.
    #[inline]
    pub fn field(&self, tag: u32) -> Option<&FieldDef> {
        let place = self.by_tag.get(tag as usize)?.checked_sub(1)?;
        Some(&self.fields[usize::from(place)])
    }

    /// The name of a tag, also when only a later version has it.
    pub fn field_name(&self, tag: u32) -> Option<&str> {
        self.field(tag).map(|f| &*f.name).or_else(|| later_field_name(tag))
    }

    /// The standard's name of an enumerated value.
    pub fn label(&self, tag: u32, value: &[u8]) -> Option<&str> {
        self.codes(tag)?.label(value)
    }

    /// The enumerated values of a tag.
    pub fn codes(&self, tag: u32) -> Option<&CodeSet> {
        self.code_sets.get(usize::from(self.field(tag)?.codes))
    }

    fn facts(&self, tag: u32) -> layout::Facts {
        let (kind, codes) = match self.field(tag) {
            Some(field) => (field.kind, field.codes),
            None => (later::field(tag).map_or(Kind::Text, |f| f.kind), NONE),
        };
        let listed = self.code_sets.get(usize::from(codes)).map_or([0; 2], CodeSet::listed_bytes);
        layout::Facts { kind, codes, listed }
    }
}

/// The name of a tag that only later versions have.
pub(in crate::fix) fn later_field_name(tag: u32) -> Option<&'static str> {
    later::field(tag).map(|f| &*f.name)
}

/// Digits, capitals and small letters.
const PAIR_BASE: usize = 62;

/// Place of a MsgType of two characters.
#[inline]
fn pair(a: u8, b: u8) -> Option<usize> {
    let place = |byte: u8| match byte {
        b'0'..=b'9' => Some(usize::from(byte - b'0')),
        b'A'..=b'Z' => Some(usize::from(byte - b'A') + 10),
        b'a'..=b'z' => Some(usize::from(byte - b'a') + 36),
        _ => None,
    };
    Some(place(a)? * PAIR_BASE + place(b)?)
}

#[cfg(test)]
mod tests;
