//! Customers' orders come in: how often, from whom, for what.

use super::flow::{Act, Flow};
use super::order::{Course, NONE, Order};
use crate::error::Result;

/// Messages of a lifecycle, before the day has told its own figure.
const GUESS: f64 = 32.0;

/// Where the day stands.
pub struct Pace {
    /// Messages in the logs when the day began, and how many there should be at its end.
    pub from: u64,
    pub goal: u64,
    pub open: u64,
    /// Groups of orders that have come in, and are still on their way.
    pub arrived: u64,
}

impl Flow<'_> {
    /// Takes one customer's order in, or several that will be combined, and plans the next arrival. False when the day
    /// has enough.
    pub fn arrive(&mut self, pace: &mut Pace) -> bool {
        self.take_in();
        pace.arrived += 1;
        let done = (self.recorder.counts.logged - pace.from) as f64;
        let alive = self.orders.living_trees() as f64;
        let per_arrival = if pace.arrived > 300 { done / (pace.arrived as f64 - alive / 2.0) } else { GUESS };
        let missing = (pace.goal - pace.from) as f64 / per_arrival - pace.arrived as f64;
        let last = self.close - (self.close - pace.open) / 50;
        if missing < 1.0 || self.now >= last {
            return false;
        }
        // More at the open and the close than at noon: the part of the day's trade that is left decides.
        let place = |time: u64| (time - pace.open) as f64 / (last - pace.open) as f64 - 0.5;
        let share = |x: f64| 0.6 * x + 1.6 * x * x * x;
        let density = |x: f64| 0.6 + 4.8 * x * x;
        let here = place(self.now);
        let left = (share(0.5) - share(here)).max(1e-9);
        let mean = left / density(here) / missing * (last - pace.open) as f64;
        let gap = (2.0 * mean * self.random.unit()) as u64;
        self.due((self.now + gap).min(last), NONE, Act::Arrive);
        true
    }

    fn take_in(&mut self) {
        let (_, brokers, _) = self.market.counts();
        let broker = self.random.below(brokers as u64) as usize;
        match self.random.below(100) {
            0..3 => self.one(broker, Course::Reject),
            3..6 => self.one(broker, Course::Hold),
            6..16 => self.several(broker),
            16..30 => self.one(broker, Course::Via),
            30..52 => {
                let parts = self.random.between(2, 8) as u8;
                self.one(broker, Course::Slices(parts));
            }
            _ => self.one(broker, Course::Direct),
        }
    }

    /// A customer's order with terms of its own; not in the arena yet.
    fn draw(&mut self, broker: usize, course: Course) -> Order {
        let (clients, _, _) = self.market.counts();
        let client = self.random.below(clients as u64) as usize;
        let session = self.market.client_session(client, broker);
        let cl = self.take_cl_ord_id(session, 0);
        let mut order = Order::new(0, cl, session, 0, course);
        order.symbol = self.market.draw_symbol(self.random, self.plan.shape);
        order.side = [b'1', b'1', b'1', b'2', b'2', b'5'][self.random.below(6) as usize];
        order.qty = self.random.between(1, 40) * 100;
        order.account = self.random.between(1, 99) as u16;
        let last = self.market.symbols[order.symbol as usize].price;
        order.price = if self.random.chance(0.12) { 0 } else { last + self.random.below(60) * 100 };
        order
    }

    fn one(&mut self, broker: usize, course: Course) {
        let mut order = self.draw(broker, course);
        order.life = self.new_life();
        let at = self.orders.add(order);
        self.due(self.now, at, Act::Send);
    }

    /// Two to six customers' orders of equal symbol, side and limit that the broker will combine.
    fn several(&mut self, broker: usize) {
        let count = self.random.between(2, 6);
        let is_named = !self.random.chance(self.plan.missing_refs);
        let mut terms = None;
        let (mut root, mut life, mut time) = (NONE, 0, self.now);
        for _ in 0..count {
            let mut order = self.draw(broker, Course::Member);
            if !is_named || root == NONE {
                life = self.new_life();
            }
            let (symbol, side, price) = *terms.get_or_insert((order.symbol, order.side, order.price));
            (order.symbol, order.side, order.price) = (symbol, side, price);
            (order.life, order.root, order.has_reference) = (life, root, is_named);
            let at = self.orders.add(order);
            root = if root == NONE { at } else { root };
            self.due(time, at, Act::Send);
            time += (self.later() - self.now) / 4;
        }
    }

    /// Every session logs on or off, both sides.
    pub fn all_sessions(&mut self, msg_type: u8) -> Result<()> {
        for session in 0..self.market.sessions.len() as u32 {
            for side in [0, 1] {
                self.session_message(session, side, msg_type)?;
            }
            self.now += 1_000_000;
        }
        Ok(())
    }

    pub fn session_message(&mut self, session: u32, side: u8, msg_type: u8) -> Result<()> {
        let now = self.now;
        self.writer().session_message(session, side, msg_type, now)
    }
}
