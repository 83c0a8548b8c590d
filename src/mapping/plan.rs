//! How all messages of one shape are mapped: which field goes into which column, and what `tags` looks like around the
//! values of the others. A message that departs from its plan (a value that does not fit its column, a byte that JSON
//! escapes) is mapped field by field instead.

use super::kind::{msg, msg_code};
use super::slots::{Slot, slot};
use super::tags::record_tags;
use crate::fix::Message;
use crate::fix::data_fields::{data_tag, is_data};
use crate::fix::shape::Shape;

/// A field's place in its message and the column or note it fills.
pub(super) type Move = (u16, u8);

/// A field whose value is a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub at: u16,
    /// Where the message has been checked, the check has read the number.
    pub is_read: bool,
}

/// Bytes that a copy may read behind a literal.
pub(super) const SLACK: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Plan {
    shape: u64,
    pub texts: Vec<Move>,
    pub numbers: Vec<(Source, u8)>,
    pub notes: Vec<Move>,
    pub seq_num: Option<u16>,
    pub poss_dup: Option<u16>,
    pub sending_time: Option<Source>,
    pub transact_time: Option<Source>,
    /// The JSON text between the values, one piece after the other and [`SLACK`] bytes more.
    literals: Vec<u8>,
    /// Length of the literal in front of each value, and the value's field.
    values: Vec<(u32, u16)>,
    /// No message of the shape can be mapped by a plan.
    is_void: bool,
}

impl Plan {
    pub fn is_for(&self, shape: &Shape) -> bool {
        self.shape == shape.number()
    }

    pub fn is_void(&self) -> bool {
        self.is_void
    }

    /// The plan of the shape of `message`.
    pub fn new(shape: &Shape, message: &Message) -> Plan {
        let mut plan = Plan { shape: shape.number(), ..Plan::default() };
        let places = shape.places();
        let msg_type = message.get(35).unwrap_or_default();
        let has_orders = places.iter().any(|p| p.depth == 1 && p.entry);
        // A list has an event for each order. A data field may hold any byte, its separator too.
        let holds_data = |tag: u32| data_tag(tag).is_some() || is_data(tag);
        if (msg_code(msg_type) == msg::NEW_ORDER_LIST && has_orders) || shape.tags().iter().any(|&tag| holds_data(tag))
        {
            return Plan { is_void: true, ..plan };
        }
        let mut seen = Vec::new();
        let mut consumed = vec![false; message.fields.len()];
        for (at, field) in message.fields.iter().enumerate() {
            let slot = slot(field.tag);
            let is_grouped = places.get(at).is_some_and(|p| p.depth > 0);
            if slot == Slot::Tags || is_grouped || seen.contains(&field.tag) {
                continue;
            }
            seen.push(field.tag);
            let at = at as u16;
            consumed[usize::from(at)] = !matches!(slot, Slot::Note(_));
            let source = Source { at, is_read: shape.is_read(at) };
            match slot {
                Slot::Tags => {}
                Slot::Text(column) => plan.texts.push((at, column)),
                Slot::Number(column) => plan.numbers.push((source, column)),
                Slot::Note(note) => plan.notes.push((at, note)),
                Slot::MsgSeqNum => plan.seq_num = Some(at),
                Slot::PossDup => plan.poss_dup = Some(at),
                Slot::SendingTime => plan.sending_time = Some(source),
                Slot::TransactTime => plan.transact_time = Some(source),
            }
        }
        let marks = record_tags(&mut plan.literals, message, places, &consumed, msg_type);
        let mut behind = 0;
        for (end, field) in marks {
            // A mark's field is one of the message's, told by where it starts.
            let at = message.fields.partition_point(|f| f.start < field.start);
            plan.values.push(((end - behind) as u32, at as u16));
            behind = end;
        }
        plan.literals.extend_from_slice(&[0; SLACK]);
        plan
    }

    /// Appends the JSON text of `tags`. The values of `message` are printable ASCII without quotes and backslashes;
    /// `space` is used again.
    pub fn write_tags(&self, message: &Message, space: &mut Vec<u8>, out: &mut Vec<u8>) {
        let most = self.literals.len() + message.bytes.len() * self.values.len().min(2) + 2 * SLACK;
        if space.len() < most {
            space.resize(most, 0);
        }
        let (mut at, mut literal) = (0, 0);
        for &(len, field) in &self.values {
            let len = len as usize;
            copy(space, at, &self.literals, literal, len);
            literal += len;
            at += len;
            let field = &message.fields[usize::from(field)];
            let (start, len) = (field.start as usize, (field.end - field.start) as usize);
            copy(space, at, message.bytes, start, len);
            at += len;
        }
        let len = self.literals.len() - SLACK - literal;
        copy(space, at, &self.literals, literal, len);
        out.extend_from_slice(&space[..at + len]);
    }
}

/// Copies `len` bytes; up to 16 as one piece of fixed length where both sides have room, which saves a call.
#[inline(always)]
fn copy(to: &mut [u8], at: usize, from: &[u8], start: usize, len: usize) {
    match (to.get_mut(at..at + 16), from.get(start..start + 16)) {
        // As a number, lest the compiler make one call of both copies.
        (Some(to), Some(from)) if len <= 16 => {
            to.copy_from_slice(&from.first_chunk().map_or(0, |bytes| u128::from_ne_bytes(*bytes)).to_ne_bytes());
        }
        _ => to[at..at + len].copy_from_slice(&from[start..start + len]),
    }
}
