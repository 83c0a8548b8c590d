//! The event: one row about one message, as places in the message's bytes and exact numbers.

use super::Kind;
use crate::finding::SourceId;
use crate::types::Date;

/// A piece of a message's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// No value.
    pub const NONE: Span = Span { start: u32::MAX, end: u32::MAX };

    /// The bytes, or `None` for [`Span::NONE`].
    #[inline]
    pub fn of(self, bytes: &[u8]) -> Option<&[u8]> {
        if self.start == u32::MAX { None } else { bytes.get(self.start as usize..self.end as usize) }
    }

    /// The bytes, empty for [`Span::NONE`].
    #[inline]
    pub fn bytes(self, bytes: &[u8]) -> &[u8] {
        self.of(bytes).unwrap_or_default()
    }
}

impl Default for Span {
    fn default() -> Span {
        Span::NONE
    }
}

/// The text columns that hold a tag's value as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Text {
    MsgType,
    SenderCompId,
    TargetCompId,
    ClOrdId,
    OrigClOrdId,
    OrderId,
    ExecId,
    Symbol,
    Side,
    OrdType,
    TimeInForce,
    Account,
    OrdStatus,
    ExecType,
}

impl Text {
    pub const COUNT: usize = 14;
    /// Column names, in the order of the enum.
    pub const NAMES: [&'static str; Text::COUNT] = [
        "msg_type",
        "sender_comp_id",
        "target_comp_id",
        "cl_ord_id",
        "orig_cl_ord_id",
        "order_id",
        "exec_id",
        "symbol",
        "side",
        "ord_type",
        "time_in_force",
        "account",
        "ord_status",
        "exec_type",
    ];
    /// The FIX tags behind them.
    pub const TAGS: [u32; Text::COUNT] = [35, 49, 56, 11, 41, 37, 17, 55, 54, 40, 59, 1, 39, 150];
}

/// The decimal columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Number {
    Price,
    StopPx,
    LastPx,
    AvgPx,
    OrderQty,
    LastQty,
    CumQty,
    LeavesQty,
}

impl Number {
    pub const COUNT: usize = 8;
    /// Column names, in the order of the enum.
    pub const NAMES: [&'static str; Number::COUNT] =
        ["price", "stop_px", "last_px", "avg_px", "order_qty", "last_qty", "cum_qty", "leaves_qty"];
    /// The FIX tags behind them.
    pub const TAGS: [u32; Number::COUNT] = [44, 99, 31, 6, 38, 32, 14, 151];
}

/// The time columns other than the derived ones, in nanoseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Time {
    /// SendingTime(52).
    Sending,
    /// TransactTime(60).
    Transact,
    /// The log's own stamp in front of the message.
    Capture,
}

/// One row. Texts are spans of the message's bytes; the buffers are used again for the next message.
#[derive(Clone, Debug)]
pub struct Event {
    pub source: SourceId,
    /// Byte offset of `8=` in the decompressed source.
    pub offset: u64,
    /// Line of that place, from 1.
    pub line: u64,
    /// 0, or k for the k-th order of a message that carries several (35=E).
    pub sub: u32,
    /// TradeDate(75), else the date of SendingTime(52), else of the capture time.
    pub date: Option<Date>,
    pub kind: Kind,
    pub times: [Option<i64>; 3],
    /// MsgSeqNum(34).
    pub msg_seq_num: Option<i64>,
    /// PossDupFlag(43), where present and Y or N.
    pub poss_dup: Option<bool>,
    pub texts: [Span; Text::COUNT],
    pub numbers: [Option<i64>; Number::COUNT],
    /// The tags without a column, as JSON text.
    pub tags: Vec<u8>,
}

impl Event {
    /// An event with nothing in it.
    pub fn new() -> Event {
        Event {
            source: 0,
            offset: 0,
            line: 0,
            sub: 0,
            date: None,
            kind: Kind::Other,
            times: [None; 3],
            msg_seq_num: None,
            poss_dup: None,
            texts: [Span::NONE; Text::COUNT],
            numbers: [None; Number::COUNT],
            tags: Vec::new(),
        }
    }

    /// A text column's span.
    #[inline]
    pub fn text(&self, column: Text) -> Span {
        self.texts[column as usize]
    }

    /// A decimal column's value in 10^-8.
    #[inline]
    pub fn number(&self, column: Number) -> Option<i64> {
        self.numbers[column as usize]
    }

    /// `event_timestamp_ns`: TransactTime(60), else SendingTime(52), else the capture time.
    #[inline]
    pub fn time(&self) -> Option<i64> {
        self.times[Time::Transact as usize]
            .or(self.times[Time::Sending as usize])
            .or(self.times[Time::Capture as usize])
    }
}

impl Default for Event {
    fn default() -> Event {
        Event::new()
    }
}

/// The part of an event's id that names its source: the first 12 hex digits of the name's XXH3 hash of 128 bits.
pub fn source_prefix(name: &str) -> String {
    let hash = format!("{:032x}", xxhash_rust::xxh3::xxh3_128(name.as_bytes()));
    hash[..12].to_string()
}
