//! One thing wrong with a message, and its sentence.

use crate::finding::Level;
use crate::fix::codes::Code;
use crate::fix::dictionary::{Added, Dictionary, Kind, MessageDef};
use std::fmt::{self, Write as _};

/// Something wrong with a message; it borrows what it tells about. Its sentence is its [`fmt::Display`].
#[derive(Clone, Copy, Debug)]
pub struct Issue<'a> {
    pub code: &'static str,
    pub level: Level,
    /// The tag it is about, or 0 where there is none.
    pub tag: u32,
    dict: &'a Dictionary,
    def: &'a MessageDef,
    msg_type: &'a [u8],
    detail: Detail<'a>,
}

/// What was found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Detail<'a> {
    MsgType,
    Missing,
    MissingInGroup {
        count_tag: u32,
        entry: u32,
    },
    Undefined,
    NotForMessage,
    BeyondTables,
    /// The text before `=`, and the value.
    InvalidTag(&'a [u8], &'a [u8]),
    Empty,
    Type(&'a [u8], Kind),
    Code(&'a [u8]),
    Duplicate(&'a [u8]),
    Count {
        declared: u32,
        found: u32,
    },
    /// The count tag of the group that the tag belongs to.
    OutsideGroup(u32),
    Delimiter {
        count_tag: u32,
        first: u32,
        entry: u32,
    },
    Order {
        count_tag: u32,
        entry: u32,
    },
    FieldOrder,
    Later(Added),
}

impl Issue<'_> {
    /// Whether every message of a known type with the same tags and counts has this issue, as long as its values are
    /// right: the issue is about no value and shows none.
    pub fn follows_from_tags(&self) -> bool {
        match self.detail {
            Detail::MsgType
            | Detail::InvalidTag(..)
            | Detail::Empty
            | Detail::Type(..)
            | Detail::Code(_)
            | Detail::Duplicate(_) => false,
            Detail::Missing
            | Detail::MissingInGroup { .. }
            | Detail::Undefined
            | Detail::NotForMessage
            | Detail::BeyondTables
            | Detail::Count { .. }
            | Detail::OutsideGroup(_)
            | Detail::Delimiter { .. }
            | Detail::Order { .. }
            | Detail::FieldOrder
            | Detail::Later(_) => true,
        }
    }
}

/// How much of a value a sentence shows.
const SHOWN_BYTES: usize = 64;
/// How many expected values a sentence lists.
const SHOWN_CODES: usize = 12;

impl<'a> Issue<'a> {
    pub(super) fn new(
        code: Code,
        tag: u32,
        dict: &'a Dictionary,
        def: &'a MessageDef,
        msg_type: &'a [u8],
        detail: Detail<'a>,
    ) -> Self {
        Issue { code: code.code, level: code.level, tag, dict, def, msg_type, detail }
    }

    /// The sentence: what was found and what was expected, without a full stop. Secrets are shown as `***`.
    pub fn text(&self) -> String {
        self.to_string()
    }

    fn name(&self, tag: u32) -> Name<'a> {
        Name { dict: self.dict, tag }
    }

    fn value(&self, value: &'a [u8]) -> Value<'a> {
        let is_secret = matches!(self.tag, 554 | 925 | 1402 | 1404) || (self.tag == 96 && self.msg_type == b"A");
        if is_secret { Value(None) } else { Value(Some(value)) }
    }

    fn message(&self) -> &'a str {
        if self.def.name().is_empty() { "a message of this type" } else { self.def.name() }
    }
}

impl fmt::Display for Issue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tag, version, message) = (self.name(self.tag), self.dict.version(), self.message());
        match self.detail {
            Detail::MsgType => {
                let user = self.msg_type.first() == Some(&b'U');
                let of = if user { "which the two sides defined" } else { "expected a message type of" };
                write!(f, "{tag} is {}, {of}", self.value(self.msg_type))?;
                if user { Ok(()) } else { write!(f, " {version}") }
            }
            Detail::Missing => write!(f, "{tag} is missing, {message} requires it"),
            Detail::MissingInGroup { count_tag, entry } => {
                write!(f, "{tag} is missing in entry {entry} of {}", self.name(count_tag))
            }
            Detail::Undefined => write!(f, "{tag} is not defined in {version} nor in {message} of a later version"),
            Detail::NotForMessage => write!(f, "{tag} is not a tag of {message} in {version}"),
            Detail::BeyondTables => write!(f, "{tag} is one of the tags from 40000 on that came with FIX Latest"),
            Detail::InvalidTag(tag, value) => {
                write!(f, "tag {} is no number from 1 on, its value is {}", Value(Some(tag)), Value(Some(value)))
            }
            Detail::Empty => write!(f, "{tag} has no value"),
            Detail::Type(value, kind) => write!(f, "{tag} is {}, expected {}", self.value(value), kind.expected()),
            Detail::Code(value) => {
                write!(f, "{tag} is {}, expected one of ", self.value(value))?;
                self.expected_codes(f)
            }
            Detail::Duplicate(value) => write!(f, "{tag} stands twice, the second value is {}", self.value(value)),
            Detail::Count { declared, found } => {
                let entries = if found == 1 { "entry follows" } else { "entries follow" };
                write!(f, "{tag} is {declared}, but {found} {entries}")
            }
            Detail::OutsideGroup(count_tag) => {
                write!(f, "{tag} stands outside of its group, expected it after {}", self.name(count_tag))
            }
            Detail::Delimiter { count_tag, first, entry } => {
                write!(f, "entry {entry} of {} starts with {tag}, expected {}", self.name(count_tag), self.name(first))
            }
            Detail::Order { count_tag, entry } => write!(
                f,
                "{tag} stands too late in entry {entry} of {}, expected it before the tag in front of it",
                self.name(count_tag)
            ),
            Detail::FieldOrder => f.write_str("expected 8, 9 and 35 as the first three tags and 10 as the last"),
            Detail::Later(added) => {
                write!(f, "{tag} is not in {message} of {version}, later versions allow it there ({added})")
            }
        }
    }
}

impl Issue<'_> {
    fn expected_codes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(set) = self.dict.codes(self.tag) else { return f.write_str("its values") };
        for (place, (value, _)) in set.listed().take(SHOWN_CODES).enumerate() {
            write!(f, "{}{value}", if place == 0 { "" } else { ", " })?;
        }
        if set.listed().len() > SHOWN_CODES { f.write_str(", …") } else { Ok(()) }
    }
}

/// `Side(54)`, or `tag 9001` where no version has a name for it.
struct Name<'a> {
    dict: &'a Dictionary,
    tag: u32,
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dict.field_name(self.tag) {
            Some(name) => write!(f, "{name}({})", self.tag),
            None => write!(f, "tag {}", self.tag),
        }
    }
}

/// A value in quotes: what is not printable is escaped, what is long is cut, what is secret is hidden.
struct Value<'a>(Option<&'a [u8]>);

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(value) = self.0 else { return f.write_str("***") };
        f.write_char('"')?;
        for &byte in value.iter().take(SHOWN_BYTES) {
            match byte {
                b'"' | b'\\' => write!(f, "\\{}", char::from(byte))?,
                b' '..=b'~' => f.write_char(char::from(byte))?,
                _ => write!(f, "\\x{byte:02x}")?,
            }
        }
        f.write_str(if value.len() > SHOWN_BYTES { "…\"" } else { "\"" })
    }
}
