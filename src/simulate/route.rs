//! A broker sends orders on: whole, in parts, through another broker, or several combined into one.

use super::flow::{Act, Flow};
use super::message::member_places;
use super::order::{Course, NONE, Order, State};

impl Flow<'_> {
    pub fn route(&mut self, at: u32) {
        let broker = self.receiver(at);
        let order = self.order(at);
        if order.state != State::Open || order.is_cancelling {
            return;
        }
        let rest = order.qty - order.sent_on;
        let course = if order.children == 0 { order.course } else { Course::Direct };
        if self.now >= self.close || rest == 0 {
            return;
        }
        match course {
            Course::Member => self.combine(at, broker),
            Course::Via => self.send_via(at, broker, rest),
            Course::Slices(parts) => self.slice(at, broker, rest, parts),
            _ => {
                let time = self.soon();
                self.send_to_exchange(at, broker, rest, time);
            }
        }
    }

    fn slice(&mut self, at: u32, broker: usize, qty: u64, parts: u8) {
        let part = (qty / u64::from(parts)).max(1);
        let part = if part > 100 { part / 100 * 100 } else { part };
        let (mut rest, mut time) = (qty, self.soon());
        for number in 1..=parts {
            let qty = if number == parts { rest } else { part.min(rest) };
            if qty == 0 {
                break;
            }
            self.send_to_exchange(at, broker, qty, time);
            rest -= qty;
            time += self.later() - self.now;
        }
    }

    fn send_to_exchange(&mut self, at: u32, broker: usize, qty: u64, time: u64) {
        let exchange = self.random.below(self.market.counts().2 as u64) as usize;
        let session = self.market.exchange_session(broker, exchange);
        let course = if self.random.chance(0.01) { Course::Reject } else { Course::Match };
        self.send_below(at, session, 0, course, qty, time);
    }

    fn send_via(&mut self, at: u32, broker: usize, qty: u64) {
        let brokers = self.market.counts().1;
        let time = self.soon();
        if brokers < 2 {
            return self.send_to_exchange(at, broker, qty, time);
        }
        let other = (broker + 1 + self.random.below(brokers as u64 - 1) as usize) % brokers;
        let (session, from) = self.market.broker_session(broker, other);
        let course = if self.random.chance(0.7) { Course::Direct } else { Course::Slices(3) };
        self.send_below(at, session, from, course, qty, time);
    }

    fn send_below(&mut self, at: u32, session: u32, from: u8, course: Course, qty: u64, time: u64) {
        let cl = self.take_cl_ord_id(session, from);
        let has_reference = !self.random.chance(self.plan.missing_refs);
        let life = if has_reference { self.order(at).life } else { self.new_life() };
        let mut order = Order::new(life, cl, session, from, course);
        self.plan_fills(&mut order);
        let parent = self.order(at);
        parent.sent_on += qty;
        parent.children += 1;
        parent.open_children += 1;
        (order.symbol, order.side, order.price) = (parent.symbol, parent.side, parent.price);
        (order.parent, order.root, order.qty) = (at, parent.root, qty);
        order.has_reference = has_reference;
        let child = self.orders.add(order);
        self.due(time, child, Act::Send);
    }

    fn plan_fills(&mut self, order: &mut Order) {
        order.account = self.random.between(1, 99) as u16;
        let chance = self.random.below(100);
        order.fills_left = if chance < 6 { 0 } else { 1 + self.random.below(4) as u16 + self.random.below(3) as u16 };
        order.is_short = chance >= 94;
    }

    pub fn new_life(&mut self) -> u64 {
        self.lives += 1;
        self.lives
    }

    /// Once all members of a tree are open, one order for all of them.
    fn combine(&mut self, at: u32, broker: usize) {
        let root = self.order(at).root;
        let places: Vec<u32> = member_places(&self.orders, root).collect();
        let is_ready = |place: &u32| {
            let member = &self.orders.all[*place as usize];
            member.state == State::Open && member.children == 0
        };
        if !places.iter().all(is_ready) {
            return;
        }
        let exchange = self.random.below(self.market.counts().2 as u64) as usize;
        let session = self.market.exchange_session(broker, exchange);
        let cl = self.take_cl_ord_id(session, 0);
        let first = &self.orders.all[root as usize];
        let (has_reference, first_life) = (first.has_reference, first.life);
        let life = if has_reference { first_life } else { self.new_life() };
        let mut order = Order::new(life, cl, session, 0, Course::Match);
        self.plan_fills(&mut order);
        let first = self.order(root);
        (order.symbol, order.side, order.price, order.root) = (first.symbol, first.side, first.price, root);
        (order.has_reference, order.is_combined, order.parent) = (has_reference, true, NONE);
        order.fills_left += 2;
        for place in places {
            let member = self.order(place);
            member.children = 1;
            member.open_children = 1;
            order.qty += member.qty;
        }
        let combined = self.orders.add(order);
        let time = self.soon();
        self.due(time, combined, Act::Send);
    }
}
