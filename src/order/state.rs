//! The state machine: events of one order in the order of time go in, state and quantities come out.

use super::Fills;
use crate::event::Kind;
use crate::event::key::NO_QTY;

/// What became of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    Open,
    Filled,
    Cancelled,
    Rejected,
    /// Cancelled, expired or done for good with a part filled.
    PartlyFilledCancelled,
    /// Neither the order nor any word on its state was seen.
    Unknown,
}

impl State {
    /// The word in the `state` column.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Open => "open",
            State::Filled => "filled",
            State::Cancelled => "cancelled",
            State::Rejected => "rejected",
            State::PartlyFilledCancelled => "partly_filled_cancelled",
            State::Unknown => "unknown",
        }
    }
}

/// What one event says about its order. Quantities in 10^-8 or [`NO_QTY`].
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub kind: Kind,
    /// OrdStatus(39) as its one byte, or 0.
    pub status: u8,
    /// Marked as a possible repeat of an earlier message.
    pub repeat: bool,
    pub order_qty: i64,
    pub last_qty: i64,
    pub cum_qty: i64,
    /// Hashes of ExecID and ExecRefID, or 0.
    pub exec: u64,
    pub exec_ref: u64,
}

/// An order as far as its events tell. Give it each message once: second observations are left out by the caller,
/// repeats are told by their mark.
#[derive(Debug)]
pub struct Order {
    state: State,
    /// A report said what state the order is in.
    reported: bool,
    sent: bool,
    accepted_qty: i64,
    /// OrderQty of the last replacement asked for and not yet answered.
    asked_qty: i64,
    cum_qty: i64,
    fill_events: u32,
    fills: Fills,
}

impl Default for Order {
    fn default() -> Order {
        Order {
            state: State::Unknown,
            reported: false,
            sent: false,
            accepted_qty: NO_QTY,
            asked_qty: NO_QTY,
            cum_qty: NO_QTY,
            fill_events: 0,
            fills: Fills::default(),
        }
    }
}

impl Order {
    /// An order of which nothing is known; keeps its memory.
    pub fn clear(&mut self) {
        let mut fills = std::mem::take(&mut self.fills);
        fills.clear();
        *self = Order { fills, ..Order::default() };
    }

    /// Takes the next event.
    pub fn apply(&mut self, step: &Step) {
        match step.kind {
            Kind::New | Kind::List => {
                if !self.sent && step.order_qty != NO_QTY {
                    self.accepted_qty = step.order_qty;
                }
                self.sent = true;
                if self.state == State::Unknown {
                    self.state = State::Open;
                }
                return;
            }
            Kind::Replace => {
                self.asked_qty = step.order_qty;
                return;
            }
            Kind::Cancel | Kind::Allocation | Kind::Trade | Kind::Quote | Kind::Session | Kind::Other => return,
            Kind::Fill => {
                self.fill_events += 1;
                self.fills.fill(step.exec, step.last_qty, step.cum_qty, step.repeat);
            }
            Kind::Bust => self.fills.bust(step.exec_ref),
            Kind::Correct => self.fills.correct(step.exec, step.exec_ref, step.last_qty),
            _ => {}
        }
        // A repeat tells an older state when its time is that of the resending.
        let is_closed = !matches!(self.state, State::Open | State::Unknown);
        if step.repeat && (is_closed || (step.cum_qty != NO_QTY && step.cum_qty < self.cum_qty)) {
            return;
        }
        self.take_quantities(step);
        self.take_state(step);
    }

    fn take_quantities(&mut self, step: &Step) {
        if step.cum_qty != NO_QTY && step.kind != Kind::CancelRejected {
            self.cum_qty = step.cum_qty;
        }
        if step.kind == Kind::Replaced {
            let quantity = if step.order_qty == NO_QTY { self.asked_qty } else { step.order_qty };
            if quantity != NO_QTY {
                self.accepted_qty = quantity;
            }
            self.asked_qty = NO_QTY;
            return;
        }
        // The receiver's word stands when no order was seen, and when it names the quantity that was asked for.
        let is_only_word = self.accepted_qty == NO_QTY;
        let stands = match step.kind {
            Kind::Pending | Kind::CancelRejected | Kind::Rejected => !self.sent && is_only_word,
            _ => !self.sent || is_only_word || step.order_qty == self.asked_qty,
        };
        if stands && step.order_qty != NO_QTY {
            self.accepted_qty = step.order_qty;
        }
    }

    fn take_state(&mut self, step: &Step) {
        let some_filled = self.cum_qty > 0 || (self.cum_qty == NO_QTY && self.fills.sum() > 0);
        let closed = if some_filled { State::PartlyFilledCancelled } else { State::Cancelled };
        self.state = match (step.status, step.kind) {
            (b'8', Kind::CancelRejected) | (0, Kind::CancelRejected) => return,
            (b'2', _) => State::Filled,
            (b'4' | b'C', _) => closed,
            (b'8', _) => State::Rejected,
            (b'B', _) if some_filled && self.cum_qty == self.accepted_qty => State::Filled,
            (0, Kind::Cancelled | Kind::Expired) => closed,
            (0, Kind::Rejected) => State::Rejected,
            (0, Kind::Fill) if self.cum_qty != NO_QTY && self.cum_qty >= self.accepted_qty && self.accepted_qty > 0 => {
                State::Filled
            }
            (0, Kind::Status | Kind::Done) => return,
            _ => State::Open,
        };
        self.reported = true;
    }

    pub fn state(&self) -> State {
        self.state
    }

    /// A report told the state; otherwise it is what the order alone says.
    pub fn is_reported(&self) -> bool {
        self.reported
    }

    /// The last OrderQty that stands: the order's, that of an accepted replacement, or the reports' when nothing else.
    pub fn order_qty(&self) -> Option<i64> {
        (self.accepted_qty != NO_QTY).then_some(self.accepted_qty)
    }

    /// The last CumQty reported.
    pub fn cum_qty(&self) -> Option<i64> {
        (self.cum_qty != NO_QTY).then_some(self.cum_qty)
    }

    /// Fills net of busts and corrections, each ExecID once.
    pub fn filled_qty(&self) -> i128 {
        self.fills.sum()
    }

    /// At least one fill was reported.
    pub fn has_fills(&self) -> bool {
        self.fill_events > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(kind: Kind, status: u8, order_qty: i64, last_qty: i64, cum_qty: i64) -> Step {
        Step { kind, status, repeat: false, order_qty, last_qty, cum_qty, exec: 0, exec_ref: 0 }
    }

    fn run(steps: &[Step]) -> Order {
        let mut order = Order::default();
        steps.iter().for_each(|s| order.apply(s));
        order
    }

    #[test]
    fn a_filled_order_counts_its_fills() {
        let order = run(&[
            step(Kind::New, 0, 300, NO_QTY, NO_QTY),
            step(Kind::Ack, b'0', 300, NO_QTY, 0),
            Step { exec: 1, ..step(Kind::Fill, b'1', 300, 100, 100) },
            Step { exec: 1, repeat: true, ..step(Kind::Fill, b'1', 300, 100, 100) },
            Step { exec: 2, ..step(Kind::Fill, b'2', 300, 200, 300) },
        ]);
        assert_eq!((order.state(), order.order_qty(), order.filled_qty()), (State::Filled, Some(300), 300));
        assert_eq!((order.cum_qty(), order.has_fills(), order.is_reported()), (Some(300), true, true));
    }

    #[test]
    fn only_an_accepted_replacement_changes_the_quantity() {
        let sent = [step(Kind::New, 0, 300, NO_QTY, NO_QTY), step(Kind::Replace, 0, 500, NO_QTY, NO_QTY)];
        assert_eq!(run(&sent).order_qty(), Some(300));
        let with = |answer: Step| run(&[sent[0], sent[1], answer]).order_qty();
        assert_eq!(with(step(Kind::CancelRejected, b'0', NO_QTY, NO_QTY, NO_QTY)), Some(300));
        assert_eq!(with(step(Kind::Pending, b'E', 500, NO_QTY, NO_QTY)), Some(300));
        assert_eq!(with(step(Kind::Replaced, b'0', NO_QTY, NO_QTY, 0)), Some(500));
        assert_eq!(with(step(Kind::Replaced, b'0', 450, NO_QTY, 0)), Some(450));
        assert_eq!(with(step(Kind::Fill, b'1', 500, 10, 10)), Some(500));
        assert_eq!(with(step(Kind::Fill, b'1', 300, 10, 10)), Some(300));
    }

    #[test]
    fn an_order_known_by_reports_alone_has_the_reports_quantity_and_state() {
        let order = run(&[step(Kind::Fill, b'1', 700, 50, 50), step(Kind::Cancelled, b'4', 650, NO_QTY, 50)]);
        assert_eq!((order.state(), order.order_qty()), (State::PartlyFilledCancelled, Some(650)));
        assert_eq!(run(&[step(Kind::Expired, b'C', 1, NO_QTY, 0)]).state(), State::Cancelled);
        assert_eq!(run(&[step(Kind::Cancel, 0, 1, NO_QTY, 0)]).state(), State::Unknown);
        assert_eq!(run(&[step(Kind::Rejected, b'8', 1, NO_QTY, 0)]).state(), State::Rejected);
    }

    #[test]
    fn a_cancel_reject_for_an_unknown_order_does_not_reject_the_order() {
        let order =
            run(&[step(Kind::New, 0, 300, NO_QTY, NO_QTY), step(Kind::CancelRejected, b'8', NO_QTY, NO_QTY, NO_QTY)]);
        assert_eq!((order.state(), order.is_reported()), (State::Open, false));
        assert_eq!(super::super::is_terminal(Kind::CancelRejected, b'8'), None);
        assert_eq!(super::super::is_terminal(Kind::Fill, b'2'), Some(true));
        assert_eq!(super::super::is_terminal(Kind::Fill, b'1'), Some(false));
    }

    #[test]
    fn a_late_repeat_does_not_reopen_a_filled_order() {
        let order = run(&[
            step(Kind::New, 0, 100, NO_QTY, NO_QTY),
            Step { exec: 2, ..step(Kind::Fill, b'2', 100, 100, 100) },
            Step { exec: 1, repeat: true, ..step(Kind::Ack, b'0', 100, NO_QTY, 0) },
        ]);
        assert_eq!((order.state(), order.cum_qty()), (State::Filled, Some(100)));
    }
}
