//! The shape that every source of dictionary data is brought into before messages are laid out from it.

use super::codes::CodeSet;
use super::kind::Kind;
use super::version::Added;

/// A field by itself.
#[derive(Clone, Debug)]
pub(super) struct SpecField {
    pub tag: u32,
    pub name: Box<str>,
    pub kind: Kind,
    pub codes: Option<CodeSet>,
}

/// One place in a message, component or group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub part: Part,
    pub required: bool,
    pub added: Added,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Field(u32),
    /// A component: its items stand here. The number is its place in [`Spec::bodies`].
    Block(usize),
    /// A repeating group: its count tag and the body of one entry.
    Group(u32, usize),
}

#[derive(Clone, Debug)]
pub(super) struct SpecMessage {
    pub msg_type: Box<str>,
    pub name: Box<str>,
    /// Header, body and trailer.
    pub items: Vec<Item>,
}

/// Everything that one source says about one version.
#[derive(Clone, Debug, Default)]
pub(super) struct Spec {
    pub fields: Vec<SpecField>,
    pub bodies: Vec<Vec<Item>>,
    pub messages: Vec<SpecMessage>,
    /// Header and trailer alone, for messages of a type that nobody knows.
    pub frame: Vec<Item>,
}
