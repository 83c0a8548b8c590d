//! The story of a lifecycle: its orders, nested, and what happened to each, step by step.

use crate::types::Decimal;

/// A lifecycle with its orders, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    pub lifecycle: Lifecycle,
    /// In the order in which they are shown: an order stands after its parents. Numbers shown count from 1.
    pub orders: Vec<Order>,
    /// Events of the lifecycle that belong to no order of it, such as allocations.
    pub loose: Vec<Step>,
    /// The identifier that was asked for.
    pub asked: String,
}

/// The lifecycle's row, or what the events say where the table has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lifecycle {
    pub id: String,
    /// Readable keys of the orders that nobody sent for another.
    pub roots: Vec<String>,
    pub symbol: Option<String>,
    /// Side(54) as FIX writes it.
    pub side: Option<String>,
    pub order_qty: Option<Decimal>,
    pub filled_qty: Option<Decimal>,
    pub state: Option<String>,
    /// Nanoseconds since 1970 of the first and last event.
    pub first: Option<i64>,
    pub last: Option<i64>,
    pub firms: Vec<String>,
    pub events: Option<i64>,
}

/// What one party knows as one order: a chain of ClOrdIDs from `orderer` to `receiver`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Order {
    pub orderer: String,
    pub receiver: String,
    /// Every ClOrdID of the chain, first to last.
    pub cl_ord_ids: Vec<String>,
    pub order_ids: Vec<String>,
    pub symbol: Option<String>,
    pub side: Option<String>,
    pub order_qty: Option<Decimal>,
    pub price: Option<Decimal>,
    pub filled_qty: Option<Decimal>,
    pub avg_px: Option<Decimal>,
    /// open, filled, cancelled, rejected, expired, done for day, partly filled and cancelled, or unknown.
    pub state: String,
    pub steps: Vec<Step>,
    /// Orders that this one was sent for.
    pub parents: Vec<usize>,
    /// The order below which this one is shown.
    pub shown_under: Option<usize>,
    /// Orders shown below this one.
    pub children: Vec<usize>,
    /// Children that are shown below another parent.
    pub children_elsewhere: Vec<usize>,
}

/// One event of an order; copies of it in other logs and repeats of it are folded in.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub event: Event,
    /// Every place where the event was seen, the shown one first.
    pub seen: Vec<Seen>,
    pub findings: Vec<EventFinding>,
    /// Nanoseconds since the order's previous step.
    pub since_previous: Option<i64>,
    /// Nanoseconds over the hop between orders: from the parent's request to this order's first event, and from a
    /// child's fill to this order's fill. Negative where clocks disagree.
    pub hop: Option<i64>,
}

/// A place where an event was logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub event_id: String,
    pub source: String,
    pub offset: Option<i64>,
    pub line: Option<i64>,
    /// Sent again: PossDupFlag(43) or PossResend(97).
    pub repeat: bool,
}

/// A finding about an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventFinding {
    pub code: String,
    pub level: String,
    pub text: String,
}

/// The columns of an event that a story tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    pub event_id: String,
    pub lifecycle_id: String,
    pub source: String,
    pub offset: Option<i64>,
    pub line: Option<i64>,
    /// Nanoseconds since 1970: `event_timestamp_ns`.
    pub time: Option<i64>,
    pub kind: String,
    pub msg_type: String,
    pub cat_type: Option<String>,
    pub msg_seq_num: Option<String>,
    /// PossDupFlag(43)=Y or PossResend(97)=Y.
    pub repeat: bool,
    pub sender: String,
    pub target: String,
    pub cl_ord_id: Option<String>,
    pub orig_cl_ord_id: Option<String>,
    pub order_id: Option<String>,
    pub exec_id: Option<String>,
    /// ExecRefID(19).
    pub exec_ref_id: Option<String>,
    pub symbol: Option<String>,
    pub side: Option<String>,
    pub ord_type: Option<String>,
    pub time_in_force: Option<String>,
    pub ord_status: Option<String>,
    pub exec_type: Option<String>,
    pub price: Option<Decimal>,
    pub stop_px: Option<Decimal>,
    pub last_px: Option<Decimal>,
    pub avg_px: Option<Decimal>,
    pub order_qty: Option<Decimal>,
    pub last_qty: Option<Decimal>,
    pub cum_qty: Option<Decimal>,
    pub leaves_qty: Option<Decimal>,
    /// Text(58), the reason of a rejection.
    pub text: Option<String>,
}

impl Event {
    /// True for what the orderer sends: a new order, a change, a cancel, a status request.
    pub fn is_request(&self) -> bool {
        matches!(self.kind.as_str(), "new" | "replace" | "cancel")
            || matches!(
                self.msg_type.as_str(),
                "D" | "E" | "F" | "G" | "H" | "q" | "AB" | "AC" | "s" | "t" | "u" | "AF"
            )
    }

    /// True for what the receiver answers about one order.
    pub fn is_report(&self) -> bool {
        !self.is_request()
            && (matches!(self.msg_type.as_str(), "8" | "9" | "Q" | "r" | "AG")
                || matches!(
                    self.kind.as_str(),
                    "ack"
                        | "pending"
                        | "replaced"
                        | "cancelled"
                        | "rejected"
                        | "cancel_rejected"
                        | "fill"
                        | "bust"
                        | "correct"
                        | "expired"
                        | "done"
                        | "status"
                ))
    }

    /// Orderer and receiver, where the event tells.
    pub fn parties(&self) -> Option<(&str, &str)> {
        if self.sender.is_empty() || self.target.is_empty() {
            None
        } else if self.is_request() {
            Some((&self.sender, &self.target))
        } else if self.is_report() {
            Some((&self.target, &self.sender))
        } else {
            None
        }
    }
}
