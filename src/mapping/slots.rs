//! Which column or note a tag fills.

use crate::event::{Number, Text};

/// What the mapper does with a tag outside of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Only `tags`.
    Tags,
    Text(u8),
    Number(u8),
    MsgSeqNum,
    PossDup,
    SendingTime,
    TransactTime,
    /// Stays in `tags`, and is remembered.
    Note(u8),
}

/// Tags without a column that the mapper remembers: the place in this list is the note's number.
pub const NOTES: [u32; 10] = [97, 115, 128, 75, 20, 19, 526, 583, 1080, 1081];

/// Numbers of notes.
pub const POSS_RESEND: usize = 0;
pub const ON_BEHALF_OF: usize = 1;
pub const DELIVER_TO: usize = 2;
pub const TRADE_DATE: usize = 3;
pub const EXEC_TRANS_TYPE: usize = 4;
pub const EXEC_REF_ID: usize = 5;
pub const SECONDARY_CL_ORD_ID: usize = 6;
pub const CL_ORD_LINK_ID: usize = 7;
pub const REF_ORDER_ID: usize = 8;
pub const REF_ORDER_ID_SOURCE: usize = 9;

const LEN: usize = 1088;

static SLOTS: [Slot; LEN] = {
    let mut slots = [Slot::Tags; LEN];
    let mut i = 0;
    while i < Text::COUNT {
        slots[Text::TAGS[i] as usize] = Slot::Text(i as u8);
        i += 1;
    }
    i = 0;
    while i < Number::COUNT {
        slots[Number::TAGS[i] as usize] = Slot::Number(i as u8);
        i += 1;
    }
    i = 0;
    while i < NOTES.len() {
        slots[NOTES[i] as usize] = Slot::Note(i as u8);
        i += 1;
    }
    slots[34] = Slot::MsgSeqNum;
    slots[43] = Slot::PossDup;
    slots[52] = Slot::SendingTime;
    slots[60] = Slot::TransactTime;
    slots
};

/// The slot of a tag.
#[inline]
pub fn slot(tag: u32) -> Slot {
    if (tag as usize) < LEN { SLOTS[tag as usize] } else { Slot::Tags }
}
