//! Orders while they live, and the arena that holds them.

/// No order.
pub const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not sent yet.
    Planned,
    /// On its way to the receiver.
    Sent,
    Open,
    /// Ended with this OrdStatus(39).
    Ended(u8),
}

/// What the receiver is going to do with an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    Reject,
    /// A broker keeps it for a while.
    Hold,
    /// An exchange matches it.
    Match,
    /// A broker sends it on as one order.
    Direct,
    /// A broker sends it on in this many parts.
    Slices(u8),
    /// A broker sends it to another broker.
    Via,
    /// A broker combines it with the other members of its tree.
    Member,
}

#[derive(Clone, Debug)]
pub struct Order {
    pub life: u64,
    /// Numbers of the identifiers; 0 is none. `asked_cl` is of a change or cancel on its way.
    pub cl: u64,
    pub asked_cl: u64,
    pub order_id: u64,
    pub last_exec: u64,
    pub last_fill: (u64, u64),
    pub qty: u64,
    pub cum: u64,
    /// Quantity in the orders below; of a member, in the fills passed on to it.
    pub sent_on: u64,
    /// Price times quantity of all fills.
    pub total: u64,
    /// Limit in 1/10,000; 0 for a market order.
    pub price: u64,
    pub asked_qty: u64,
    pub asked_price: u64,
    /// When the last report from below arrives: reports do not overtake each other.
    pub report_at: u64,
    pub session: u32,
    pub parent: u32,
    /// The tree's first order, and the next order of the tree.
    pub root: u32,
    pub next: u32,
    pub children: u32,
    pub open_children: u32,
    pub reports_due: u32,
    /// Of the root: events due and orders not ended in the whole tree.
    pub events: u32,
    pub open_in_tree: u32,
    pub symbol: u16,
    pub account: u16,
    pub fills_left: u16,
    /// The side of the session that sent the order.
    pub from: u8,
    pub side: u8,
    pub course: Course,
    pub state: State,
    /// Names its parent or, of a combined order's members, is named.
    pub has_reference: bool,
    /// The last planned fill does not come.
    pub is_short: bool,
    /// A change or cancel is on its way.
    pub is_asked: bool,
    pub is_cancelling: bool,
    pub was_pending: bool,
    /// The combined order of a tree of members.
    pub is_combined: bool,
}

impl Order {
    /// An order that nobody has sent yet, the root of its own tree.
    pub fn new(life: u64, cl: u64, session: u32, from: u8, course: Course) -> Order {
        Order {
            life,
            cl,
            asked_cl: 0,
            order_id: 0,
            last_exec: 0,
            last_fill: (0, 0),
            qty: 0,
            cum: 0,
            sent_on: 0,
            total: 0,
            price: 0,
            asked_qty: 0,
            asked_price: 0,
            report_at: 0,
            session,
            parent: NONE,
            root: NONE,
            next: NONE,
            children: 0,
            open_children: 0,
            reports_due: 0,
            events: 0,
            open_in_tree: 0,
            symbol: 0,
            account: 0,
            fills_left: 0,
            from,
            side: b'1',
            course,
            state: State::Planned,
            has_reference: true,
            is_short: false,
            is_asked: false,
            is_cancelling: false,
            was_pending: false,
            is_combined: false,
        }
    }

    pub fn leaves(&self) -> u64 {
        if matches!(self.state, State::Ended(_)) { 0 } else { self.qty - self.cum }
    }

    /// OrdStatus(39).
    pub fn status(&self) -> u8 {
        match self.state {
            State::Ended(status) => status,
            _ if self.cum > 0 => b'1',
            _ => b'0',
        }
    }

    pub fn is_ended(&self) -> bool {
        matches!(self.state, State::Ended(_))
    }
}

/// All living orders; ended trees give their places back.
#[derive(Default)]
pub struct Orders {
    pub all: Vec<Order>,
    free: Vec<u32>,
    trees: u64,
}

impl Orders {
    /// Customers' orders, with all that came of them, that are not over.
    pub fn living_trees(&self) -> u64 {
        self.trees
    }

    /// Adds an order to the tree of `order.root`, or as the root of its own.
    pub fn add(&mut self, mut order: Order) -> u32 {
        let at = self.free.pop().unwrap_or(self.all.len() as u32);
        if order.root == NONE {
            order.root = at;
            order.next = NONE;
            order.open_in_tree = 1;
            self.trees += 1;
        } else {
            let root = &mut self.all[order.root as usize];
            order.next = std::mem::replace(&mut root.next, at);
            root.open_in_tree += 1;
        }
        if at as usize == self.all.len() {
            self.all.push(order)
        } else {
            self.all[at as usize] = order
        }
        at
    }

    /// Gives the places of a tree back when nothing in it is open or due.
    pub fn settle(&mut self, root: u32) {
        let first = &self.all[root as usize];
        if first.events > 0 || first.open_in_tree > 0 {
            return;
        }
        self.trees -= 1;
        let mut at = root;
        while at != NONE {
            self.free.push(at);
            let order = &mut self.all[at as usize];
            order.state = State::Ended(0);
            at = order.next;
        }
    }
}
