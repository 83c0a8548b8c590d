//! A message type as the checks use it: which tags may stand where, found by array look-ups.

use super::kind::Kind;
use super::version::Added;

/// No group, no code set.
pub(in crate::fix) const NONE: u16 = u16::MAX;
/// Marks a table entry of a tag that stands in groups only.
const GROUPED: u16 = 1 << 15;

/// One tag at one place of a message: at its root or in one of its groups.
#[derive(Clone, Copy, Debug)]
pub(in crate::fix) struct Member {
    pub tag: u32,
    /// Place of the code set within the dictionary, or [`NONE`].
    pub codes: u16,
    /// For a count tag, place of its group within [`MessageDef::containers`], else [`NONE`].
    pub group: u16,
    pub kind: Kind,
    /// Only later versions have it here.
    pub later: bool,
    /// The version's own and no count tag: nothing to tell and nothing to open.
    pub is_plain: bool,
    pub added: Added,
    /// Bit n: the code set lists the one-byte value n. Empty without a code set.
    pub listed: [u64; 2],
}

impl Member {
    /// Whether a value is one byte that the code set lists: then type and code are both right.
    #[inline]
    pub fn lists(&self, value: &[u8]) -> bool {
        match value {
            [byte @ ..128] => self.listed[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1,
            _ => false,
        }
    }
}

/// Members of an optional component: when one of `any` is there, all of `required` must be.
#[derive(Clone, Debug)]
pub(in crate::fix) struct Conditional {
    pub any: Box<[Bits]>,
    pub required: Box<[Bits]>,
}

/// A word of a set of members that is not empty: bit n stands for place 64 * word + n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::fix) struct Bits {
    pub word: usize,
    pub bits: u64,
}

/// The root of a message or the body of a group entry.
#[derive(Clone, Debug)]
pub(in crate::fix) struct Container {
    /// The group's count tag; 0 for the root.
    pub count_tag: u32,
    /// A group that only later versions have; its members are not marked once more.
    pub later: bool,
    /// In the order of the standard; in a group the first is its delimiter.
    pub members: Box<[Member]>,
    /// Tag and place, sorted by tag.
    by_tag: Box<[(u32, u16)]>,
    pub required: Box<[Bits]>,
    pub conditional: Box<[Conditional]>,
}

impl Container {
    pub(super) fn new(
        count_tag: u32,
        later: bool,
        members: Vec<Member>,
        required: Box<[Bits]>,
        conditional: Vec<Conditional>,
    ) -> Self {
        let mut by_tag: Vec<(u32, u16)> = members.iter().enumerate().map(|(i, m)| (m.tag, i as u16)).collect();
        by_tag.sort_unstable();
        Container {
            count_tag,
            later,
            members: members.into(),
            by_tag: by_tag.into(),
            required,
            conditional: conditional.into(),
        }
    }

    /// Where a tag stands among the members.
    pub fn place(&self, tag: u32) -> Option<usize> {
        self.by_tag.binary_search_by_key(&tag, |&(t, _)| t).ok().map(|i| usize::from(self.by_tag[i].1))
    }

    /// 64-bit words of a set of members.
    pub fn words(&self) -> usize {
        self.members.len().div_ceil(64)
    }
}

/// What the root of a message says about a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::fix) enum Root {
    /// A member of the root, at this place.
    Member(usize),
    /// A member of groups only; the first such group.
    InGroup(usize),
    Absent,
}

/// One message type of one version.
#[derive(Clone, Debug)]
pub struct MessageDef {
    name: Box<str>,
    msg_type: Box<str>,
    /// The root first, then the groups, each after the one it stands in.
    pub(in crate::fix) containers: Box<[Container]>,
    /// By tag: 0 absent; n the root's member n-1; n with [`GROUPED`] a member of container n.
    table: Box<[u16]>,
}

impl MessageDef {
    pub(super) fn new(msg_type: &str, name: &str, containers: Vec<Container>) -> MessageDef {
        let size = containers.iter().flat_map(|c| c.members.iter().map(|m| m.tag + 1)).max().unwrap_or(0);
        let mut table = vec![0; size as usize];
        for (place, member) in containers[0].members.iter().enumerate() {
            table[member.tag as usize] = place as u16 + 1;
        }
        for (place, container) in containers.iter().enumerate().skip(1) {
            for member in &container.members {
                let entry: &mut u16 = &mut table[member.tag as usize];
                if *entry == 0 {
                    *entry = place as u16 | GROUPED;
                }
            }
        }
        MessageDef { name: name.into(), msg_type: msg_type.into(), containers: containers.into(), table: table.into() }
    }

    /// The name, such as `NewOrderSingle`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value of MsgType(35).
    pub fn msg_type(&self) -> &str {
        &self.msg_type
    }

    /// The root's view of a tag: one array look-up.
    #[inline]
    pub(in crate::fix) fn root(&self, tag: u32) -> Root {
        match self.table.get(tag as usize) {
            None | Some(0) => Root::Absent,
            Some(n) if n & GROUPED != 0 => Root::InGroup(usize::from(n & !GROUPED)),
            Some(n) => Root::Member(usize::from(n - 1)),
        }
    }
}
