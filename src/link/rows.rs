//! What the linker hands out: rows of `links` and `lifecycles`, findings, and the trait that takes them.

use crate::finding::Finding;
pub use crate::table::linked::{LifecycleRow, LinkRow};

/// Kinds of link between events; the text is what the `kind` column of `links` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkKind {
    /// A report, replacement or cancel to the event that assigned its ClOrdID or OrigClOrdID.
    Chain,
    /// A message to the one that assigned its OrderID, where no ClOrdID does it.
    OrderId,
    /// A child order to its parent.
    Parent,
    /// The second observation of a message to the first.
    Observation,
    /// A bust or correction to its execution.
    Correction,
}

impl LinkKind {
    /// F1, F2, F3, F4 or F8.
    pub fn as_str(self) -> &'static str {
        match self {
            LinkKind::Chain => "F1",
            LinkKind::OrderId => "F2",
            LinkKind::Parent => "F3",
            LinkKind::Observation => "F4",
            LinkKind::Correction => "F8",
        }
    }
}

/// Takes the rows of one block, in an order that depends on the data only.
pub trait Rows {
    fn link(&mut self, row: LinkRow<'_>);
    fn lifecycle(&mut self, row: LifecycleRow<'_>);
    fn finding(&mut self, finding: Finding);
}
