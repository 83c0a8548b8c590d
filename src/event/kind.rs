//! What a message says about an order: the `kind` column.

/// The kind of an event, by what the message does and not by its MsgType alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    New,
    Replace,
    Cancel,
    Ack,
    Pending,
    Replaced,
    Cancelled,
    Rejected,
    CancelRejected,
    Fill,
    Bust,
    Correct,
    Expired,
    Done,
    Status,
    List,
    Allocation,
    Trade,
    Quote,
    Session,
    Other,
}

impl Kind {
    /// Every kind, in the order of the enum.
    pub const ALL: [Kind; 21] = [
        Kind::New,
        Kind::Replace,
        Kind::Cancel,
        Kind::Ack,
        Kind::Pending,
        Kind::Replaced,
        Kind::Cancelled,
        Kind::Rejected,
        Kind::CancelRejected,
        Kind::Fill,
        Kind::Bust,
        Kind::Correct,
        Kind::Expired,
        Kind::Done,
        Kind::Status,
        Kind::List,
        Kind::Allocation,
        Kind::Trade,
        Kind::Quote,
        Kind::Session,
        Kind::Other,
    ];

    /// The word in the `kind` column.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::New => "new",
            Kind::Replace => "replace",
            Kind::Cancel => "cancel",
            Kind::Ack => "ack",
            Kind::Pending => "pending",
            Kind::Replaced => "replaced",
            Kind::Cancelled => "cancelled",
            Kind::Rejected => "rejected",
            Kind::CancelRejected => "cancel_rejected",
            Kind::Fill => "fill",
            Kind::Bust => "bust",
            Kind::Correct => "correct",
            Kind::Expired => "expired",
            Kind::Done => "done",
            Kind::Status => "status",
            Kind::List => "list",
            Kind::Allocation => "allocation",
            Kind::Trade => "trade",
            Kind::Quote => "quote",
            Kind::Session => "session",
            Kind::Other => "other",
        }
    }
}
