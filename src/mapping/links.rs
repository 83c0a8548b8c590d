//! The keys of a FIX message: which order it is about, and which orders are that one's parents. Kinds F1 to F4 and F8.

use super::kind::{msg, msg_code};
use super::slots::{self, NOTES};
use crate::event::key::{Expect, KeyKind, Role};
use crate::event::{Event, Kind, Span, Text};
use crate::fix::Message;
use crate::fix::group::Place;
use std::ops::Range;

/// One use of a key: `id` is the identifier, the party is the order's receiver, or for a parent the event's sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    pub kind: KeyKind,
    pub role: Role,
    pub id: Span,
}

/// What links one event, as places in its message's bytes.
#[derive(Clone, Debug)]
pub struct Links {
    /// The event may belong to an order.
    pub is_order_flow: bool,
    /// The party that orders sent this event.
    pub from_orderer: bool,
    /// PossDupFlag(43)=Y or PossResend(97)=Y.
    pub repeat: bool,
    pub orderer: Span,
    pub receiver: Span,
    /// ExecRefID(19) of a bust or correct.
    pub exec_ref: Span,
    pub uses: Vec<Use>,
}

impl Default for Links {
    fn default() -> Links {
        Links {
            is_order_flow: false,
            from_orderer: false,
            repeat: false,
            orderer: Span::NONE,
            receiver: Span::NONE,
            exec_ref: Span::NONE,
            uses: Vec::new(),
        }
    }
}

const REF_ORDER_BY_ORDER_ID: &[u8] = b"1";
const REF_ORDER_BY_PARENT: &[u8] = b"9";
const RELATED_ORDER_ID: u32 = 2887;
const RELATED_ORDER_ID_SOURCE: u32 = 2888;

impl Links {
    /// Reads the keys of the event whose order's fields are `own`.
    pub(super) fn read(
        &mut self,
        message: &Message,
        places: &[Place],
        own: Range<usize>,
        event: &Event,
        notes: &[Span; NOTES.len()],
    ) {
        let bytes = message.bytes;
        self.uses.clear();
        self.exec_ref = Span::NONE;
        let code = msg_code(event.text(Text::MsgType).bytes(bytes));
        self.is_order_flow = true;
        self.from_orderer = match event.kind {
            Kind::New | Kind::Replace | Kind::Cancel => true,
            _ if code == msg::STATUS_REQUEST => true,
            _ => {
                self.is_order_flow = matches!(code, msg::EXECUTION_REPORT | msg::CANCEL_REJECT);
                false
            }
        };
        if !self.is_order_flow {
            return;
        }
        self.repeat = event.poss_dup == Some(true) || notes[slots::POSS_RESEND].bytes(bytes) == b"Y";
        // The true parties: a hub that relays names them in 115 and 128.
        let or = |note: usize, text| if notes[note] == Span::NONE { event.text(text) } else { notes[note] };
        let sender = or(slots::ON_BEHALF_OF, Text::SenderCompId);
        let target = or(slots::DELIVER_TO, Text::TargetCompId);
        (self.orderer, self.receiver) = if self.from_orderer { (sender, target) } else { (target, sender) };

        self.own_order(message, places, &own, event);
        if matches!(event.kind, Kind::Bust | Kind::Correct) && is_reference(notes[slots::EXEC_REF_ID].bytes(bytes)) {
            self.exec_ref = notes[slots::EXEC_REF_ID];
            self.add(KeyKind::ExecId, Role::Corrects, self.exec_ref);
        }
        if matches!(event.kind, Kind::New | Kind::Replace) {
            self.parents(message, &own, event, notes);
        }
        if self.uses.is_empty() {
            self.add(KeyKind::Copy, Role::Mentions, Span::NONE);
        }
    }

    #[inline]
    fn add(&mut self, kind: KeyKind, role: Role, id: Span) {
        self.uses.push(Use { kind, role, id });
    }

    /// The keys under which the event's own order is known.
    fn own_order(&mut self, message: &Message, places: &[Place], own: &Range<usize>, event: &Event) {
        let bytes = message.bytes;
        let assigns = matches!(event.kind, Kind::New | Kind::Replace | Kind::Cancel);
        let id = event.text(Text::ClOrdId);
        if id != Span::NONE && (assigns || is_id(id.bytes(bytes))) {
            self.add(KeyKind::ClOrdId, if assigns { Role::Assigns } else { Role::Mentions }, id);
        }
        let orig = event.text(Text::OrigClOrdId);
        if is_reference(orig.bytes(bytes)) && orig.bytes(bytes) != id.bytes(bytes) {
            self.add(KeyKind::ClOrdId, Role::Predecessor, orig);
        }
        let order_id = event.text(Text::OrderId);
        if is_reference(order_id.bytes(bytes)) && is_id(order_id.bytes(bytes)) {
            let first = !self.from_orderer && matches!(event.kind, Kind::Ack | Kind::Pending | Kind::Rejected);
            self.add(KeyKind::OrderId, if first { Role::Assigns } else { Role::Mentions }, order_id);
        }
        // Cross orders: each side of NoSides(552) has ids of its own.
        let code = msg_code(event.text(Text::MsgType).bytes(bytes));
        if matches!(code, msg::NEW_ORDER_CROSS | msg::REPLACE_CROSS | msg::CANCEL_CROSS) {
            for i in own.clone() {
                let (field, depth) = (&message.fields[i], places.get(i).map_or(0, |p| p.depth));
                let span = Span { start: field.start, end: field.end };
                match field.tag {
                    11 if depth > 0 => self.add(KeyKind::ClOrdId, Role::Assigns, span),
                    41 if depth > 0 && is_reference(message.value(field)) => {
                        self.add(KeyKind::ClOrdId, Role::Predecessor, span);
                    }
                    _ => {}
                }
            }
        }
    }

    /// The orders that the sender had received and now passes on (F3), by the first of the rules that applies.
    fn parents(&mut self, message: &Message, own: &Range<usize>, event: &Event, notes: &[Span; NOTES.len()]) {
        let bytes = message.bytes;
        let mut slot = 0u16;
        let add = |uses: &mut Vec<Use>, slot, rank, kind, id, expect| {
            uses.push(Use { kind, role: Role::Parent { slot, rank, expect }, id });
        };
        let reference = notes[slots::REF_ORDER_ID];
        if is_reference(reference.bytes(bytes)) {
            let source = notes[slots::REF_ORDER_ID_SOURCE].bytes(bytes);
            slot = u16::from(matches!(source, REF_ORDER_BY_PARENT | REF_ORDER_BY_ORDER_ID | b""));
            if matches!(source, REF_ORDER_BY_PARENT | REF_ORDER_BY_ORDER_ID | b"") {
                add(&mut self.uses, 0, 0, KeyKind::OrderId, reference, Expect::Parent);
            }
            if matches!(source, REF_ORDER_BY_PARENT | b"") {
                add(&mut self.uses, 0, 1, KeyKind::ClOrdId, reference, Expect::Parent);
            }
        }
        if message.fields[own.clone()].iter().any(|f| f.tag == RELATED_ORDER_ID) {
            let fields = &message.fields[own.clone()];
            for (i, field) in fields.iter().enumerate().filter(|(_, f)| f.tag == RELATED_ORDER_ID) {
                let id = Span { start: field.start, end: field.end };
                if !is_reference(id.bytes(bytes)) {
                    continue;
                }
                let source = fields[i + 1..]
                    .iter()
                    .take_while(|f| f.tag != RELATED_ORDER_ID)
                    .take(8)
                    .find(|f| f.tag == RELATED_ORDER_ID_SOURCE)
                    .map_or(&b""[..], |f| message.value(f));
                if matches!(source, b"1" | b"") {
                    add(&mut self.uses, slot, 0, KeyKind::OrderId, id, Expect::Parent);
                }
                if matches!(source, b"2" | b"") {
                    add(&mut self.uses, slot, 1, KeyKind::ClOrdId, id, Expect::Parent);
                }
                slot = slot.saturating_add(u16::from(matches!(source, b"1" | b"2" | b"")));
            }
        }
        let link_id = notes[slots::CL_ORD_LINK_ID];
        if is_reference(link_id.bytes(bytes)) {
            self.add(KeyKind::ClOrdLinkId, Role::Assigns, link_id);
        }
        if slot > 0 {
            return;
        }
        let secondary = notes[slots::SECONDARY_CL_ORD_ID];
        let perhaps = |uses: &mut Vec<Use>, rank, kind, id, expect| add(uses, 0, rank, kind, id, expect);
        if is_reference(secondary.bytes(bytes)) {
            perhaps(&mut self.uses, 0, KeyKind::ClOrdId, secondary, Expect::Perhaps);
        }
        if is_reference(link_id.bytes(bytes)) {
            perhaps(&mut self.uses, 1, KeyKind::ClOrdId, link_id, Expect::Perhaps);
            perhaps(&mut self.uses, 2, KeyKind::ClOrdLinkId, link_id, Expect::Perhaps);
        }
        // A guess, for a new order only: a replacement's parent is its predecessor's.
        let id = event.text(Text::ClOrdId);
        if event.kind == Kind::New && id != Span::NONE {
            perhaps(&mut self.uses, 3, KeyKind::ClOrdId, id, Expect::SameSymbolAndSide);
        }
    }
}

/// An id that stands for an order, and not for the lack of one.
fn is_id(id: &[u8]) -> bool {
    !id.is_empty() && id != b"NONE" && id != b"UNKNOWN"
}

/// OrigClOrdID, OrderID and the like that are filled in only because the field is required say `NONE` or `0`.
fn is_reference(id: &[u8]) -> bool {
    !id.is_empty() && id != b"NONE" && id != b"0"
}
