//! What links: keys, and the few facts about an event that the linker needs. No protocol below this line.
//!
//! A mapping turns a message into [`Facts`] and [`KeyUse`]s; the linker joins equal keys. A key's hash covers its kind
//! and its normalised fields but not the day: the linker looks in the event's own day first and then in earlier ones.

use super::Kind;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// What a key is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum KeyKind {
    /// (receiver, ClOrdID), with the orderer as scope: link kind F1; across scopes it finds parents (F3).
    ClOrdId = 1,
    /// (receiver, OrderID): link kind F2; finds parents (F3).
    OrderId = 2,
    /// (receiver, ExecID): link kind F8.
    ExecId = 3,
    /// (receiver, ClOrdLinkID): finds parents only (F3).
    ClOrdLinkId = 4,
    /// (sender, receiver, MsgSeqNum, SendingTime, MsgType, body) of a message with none of the ids above: link kind F4.
    Copy = 5,
}

/// What an event does with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Role {
    /// The event brings the key into being: a new order or a replacement its ClOrdID, the first acknowledgement its
    /// OrderID, an execution its ExecID.
    Assigns,
    /// The event is about the order that has this key.
    Mentions,
    /// The event is about the order that has this key and replaces, cancels or answers for it: OrigClOrdID(41).
    Predecessor,
    /// The event undoes or corrects the execution that has this key: ExecRefID(19).
    Corrects,
    /// The order that has this key, at the event's sender, is the parent of the event's order. `slot` numbers the
    /// event's parents (a combined order has several), `rank` the ways to find one parent: the lowest rank with a
    /// candidate decides.
    Parent { slot: u16, rank: u8, expect: Expect },
}

/// How sure a parent reference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Expect {
    /// The message says it is a parent: none found is a finding.
    Parent,
    /// The field may hold something else: none found is silent.
    Perhaps,
    /// A guess: silent, and only a candidate with equal symbol and side counts.
    SameSymbolAndSide,
}

/// One use of a key by an event.
#[derive(Clone, Copy, Debug)]
pub struct KeyUse {
    pub kind: KeyKind,
    pub role: Role,
    /// Name number of the orderer for [`KeyKind::ClOrdId`] (the same as [`Facts::orderer`]), else 0. Keys of the roles
    /// Assigns, Mentions and Predecessor join within one scope only; Parent looks into every scope.
    pub scope: u32,
    /// [`key_hash`] of the normalised fields, without scope and day.
    pub hash: u128,
    /// The identifier as it stands, for people and for the lifecycle's id.
    pub text: TextRef,
}

/// A piece of the bytes of the message or record that uses the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextRef {
    pub start: u32,
    pub len: u32,
}

/// No quantity.
pub const NO_QTY: i64 = i64::MIN;
/// No time.
pub const NO_TIME: i64 = i64::MIN;
/// No day.
pub const NO_DAY: i32 = i32::MIN;

/// What the linker keeps of one event that may belong to an order.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The event's row within its unit of work.
    pub row: u32,
    /// Number of the source, in the order of names.
    pub source: u32,
    /// Byte offset of the message in its decompressed source.
    pub offset: u64,
    pub line: u64,
    /// Place of the event within its message: 0, or k for the k-th order of a list.
    pub sub: u32,
    /// `event_timestamp_ns`, or [`NO_TIME`].
    pub time: i64,
    /// Days since 1970-01-01, or [`NO_DAY`].
    pub day: i32,
    pub kind: Kind,
    /// OrdStatus(39) as its one byte, or 0.
    pub status: u8,
    /// Side(54) as its one byte, or 0.
    pub side: u8,
    /// The event was sent by the orderer (D, F, G and the like), not by the receiver.
    pub from_orderer: bool,
    /// PossDupFlag(43)=Y or PossResend(97)=Y.
    pub repeat: bool,
    /// Name numbers of the event's batch: the party that orders, the party that receives the order, Symbol(55). 0 is the empty name.
    pub orderer: u32,
    pub receiver: u32,
    pub symbol: u32,
    /// OrderQty(38), LastQty(32), CumQty(14) in 10^-8, or [`NO_QTY`].
    pub order_qty: i64,
    pub last_qty: i64,
    pub cum_qty: i64,
    /// Low 64 bits of the [`key_hash`] of [`KeyKind::ExecId`] for ExecID(17) and ExecRefID(19) at their receiver, or 0.
    /// Uses of [`KeyKind::ExecId`] fill them in where they are 0; an execution needs no use of its own.
    pub exec: u64,
    pub exec_ref: u64,
    /// Hash of sender, receiver, MsgSeqNum, SendingTime, MsgType and body; the copies of one message in two logs, or in
    /// one log and its backup, have the same.
    /// 0: not known.
    pub copy: u64,
}

impl Default for Facts {
    /// An event of which nothing is known.
    fn default() -> Facts {
        Facts {
            row: 0,
            source: 0,
            offset: 0,
            line: 0,
            sub: 0,
            time: NO_TIME,
            day: NO_DAY,
            kind: Kind::Other,
            status: 0,
            side: 0,
            from_orderer: false,
            repeat: false,
            orderer: 0,
            receiver: 0,
            symbol: 0,
            order_qty: NO_QTY,
            last_qty: NO_QTY,
            cum_qty: NO_QTY,
            exec: 0,
            exec_ref: 0,
            copy: 0,
        }
    }
}

/// Hash of a key: its kind, the party whose it is, and the identifier.
///
/// `party` is the [`xxh3_64`](xxhash_rust::xxh3::xxh3_64) of the party's name, which is made once for many keys, or 0.
#[inline]
pub fn key_hash(kind: KeyKind, party: u64, id: &[u8]) -> u128 {
    xxh3_128_with_seed(id, party.wrapping_add((kind as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}
