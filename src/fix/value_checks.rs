//! What the values of a message of one shape have to be: a look at each, in an order that suits the processor.

use super::dictionary::{CodeSet, Dictionary, Kind, Member, NONE};
use super::message::{Field, Message};
use super::readings::Readings;
use super::validate::lexical::is_written_as;

/// What each value has to be, sorted by kind of check so that each loop below does one thing.
#[derive(Debug, Default)]
pub(super) struct Checks {
    /// Fields that only must not be empty.
    texts: Vec<u16>,
    /// Fields whose code set lists their one byte.
    bytes: Vec<(u16, Check)>,
    decimals: Vec<u16>,
    unsigned: Vec<u16>,
    instants: Vec<u16>,
    others: Vec<(u16, Check)>,
}

#[derive(Clone, Copy, Debug)]
struct Check {
    listed: [u64; 2],
    codes: u16,
    kind: Kind,
}

impl Checks {
    pub fn add(&mut self, at: u16, tag: u32, member: Option<&Member>) {
        let Some(member) = member else { return self.texts.push(at) };
        let check = Check { listed: member.listed, codes: member.codes, kind: member.kind };
        match member.kind {
            // A shape has one MsgType.
            _ if tag == 35 => {}
            _ if member.codes != NONE => self.bytes.push((at, check)),
            Kind::Text | Kind::Data => self.texts.push(at),
            Kind::Decimal => self.decimals.push(at),
            Kind::Unsigned => self.unsigned.push(at),
            Kind::UtcTimestamp => self.instants.push(at),
            _ => self.others.push((at, check)),
        }
    }

    /// Whether the check of a field reads its number or instant.
    pub fn is_read(&self, at: u16) -> bool {
        self.decimals.contains(&at) || self.instants.contains(&at)
    }

    /// Whether every value is right; then `readings` holds those that are read.
    pub fn pass(&self, message: &Message<'_>, dictionary: &Dictionary, readings: &mut Readings) -> bool {
        let fields = message.fields;
        let field = |at: &u16| &fields[usize::from(*at)];
        let value = |at: &u16| message.value(field(at));
        let mut before = None;
        self.texts.iter().all(|at| {
            let Field { start, end, .. } = field(at);
            start < end
        }) && self.bytes.iter().all(|(at, check)| check.lists(value(at)) || check.accepts(value(at), dictionary))
            && self.decimals.iter().all(|at| readings.decimal(message, *at, field(at)))
            && self.unsigned.iter().all(|at| is_written_as(Kind::Unsigned, value(at)))
            && self.instants.iter().all(|at| {
                let own = field(at);
                readings.instant(message, *at, own, before.replace((*at, own)))
            })
            && self.others.iter().all(|(at, check)| check.accepts(value(at), dictionary))
    }
}

impl Check {
    #[inline]
    fn lists(&self, value: &[u8]) -> bool {
        match value {
            [byte @ ..128] => self.listed[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1,
            _ => false,
        }
    }

    /// Several codes in one value are left to the full checks.
    fn accepts(&self, value: &[u8], dictionary: &Dictionary) -> bool {
        let set: Option<&CodeSet> = dictionary.code_sets.get(usize::from(self.codes));
        is_written_as(self.kind, value) && set.is_none_or(|set| set.allows(value))
    }
}
