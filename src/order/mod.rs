//! The state of one order from its events: one state machine for every part that asks what became of an order.

mod fills;
mod state;

pub use fills::Fills;
pub use state::{Order, State, Step};

/// True when an OrdStatus(39) says that nothing more can happen: filled, cancelled, rejected, expired.
///
/// The OrdStatus of a cancel reject is 8 when the order is unknown (FIX 4.4, CxlRejReason(102)=1), which says nothing
/// about the order: `None` for it, as for no status at all.
pub fn is_terminal(kind: crate::event::Kind, status: u8) -> Option<bool> {
    match status {
        0 => None,
        b'8' if kind == crate::event::Kind::CancelRejected => None,
        b'2' | b'4' | b'8' | b'C' => Some(true),
        _ => Some(false),
    }
}
