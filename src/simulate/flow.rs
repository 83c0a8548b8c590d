//! What happens to an order: one function for each kind of event, each writes at most a message or two.

use super::market::Market;
use super::message::{Report, Writer, member_places};
use super::order::{Course, NONE, Order, Orders, State};
use super::random::Random;
use super::recorder::Recorder;
use super::text::SECOND;
use super::{Plan, Shape};
use crate::error::Result;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is due. Small, because the queue moves events about all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    Arrive,
    Beat,
    Send,
    Receive,
    Route,
    Fill,
    Bust,
    /// A fill of a child comes up: price and quantity.
    Filled(u32, u32),
    /// An undone fill of a child comes up.
    Busted,
    /// A child has ended.
    Returned,
    AskReplace,
    DecideReplace,
    AskCancel,
    DecideCancel,
    Expire,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    pub time: u64,
    /// Breaks ties in the order of planning.
    tie: u64,
    pub order: u32,
    pub act: Act,
}

/// One trading day under way.
pub struct Flow<'a> {
    pub plan: &'a Plan,
    pub market: &'a mut Market,
    pub recorder: &'a mut Recorder,
    pub random: &'a mut Random,
    pub orders: Orders,
    pub queue: BinaryHeap<Reverse<Event>>,
    /// Number of the last lifecycle.
    pub lives: u64,
    /// Nanoseconds since midnight.
    pub now: u64,
    pub close: u64,
    /// Factor on the time that orders rest, at most 1.
    pub pace: f64,
    pub ties: u64,
}

impl Flow<'_> {
    pub fn due(&mut self, time: u64, order: u32, act: Act) {
        self.ties += 1;
        self.queue.push(Reverse(Event { time, tie: self.ties, order, act }));
        if order != NONE {
            let root = self.orders.all[order as usize].root;
            self.orders.all[root as usize].events += 1;
        }
    }

    /// A message's way and its handling: 60 to 900 microseconds.
    pub fn soon(&mut self) -> u64 {
        self.now + self.random.between(60_000, 900_000)
    }

    /// Thinking or resting: mostly a second or so, sometimes up to half an hour, shortened by the pace.
    pub fn later(&mut self) -> u64 {
        let span = match self.random.below(20) {
            0..12 => self.random.between(SECOND / 20, 2 * SECOND),
            12..19 => self.random.between(2 * SECOND, 60 * SECOND),
            _ => self.random.between(60 * SECOND, 1800 * SECOND),
        };
        self.now + 60_000 + (span as f64 * self.pace) as u64
    }

    pub fn writer(&mut self) -> Writer<'_> {
        Writer { market: self.market, recorder: self.recorder }
    }

    pub fn order(&mut self, at: u32) -> &mut Order {
        &mut self.orders.all[at as usize]
    }

    pub fn report(&mut self, at: u32, report: Report) -> Result<u64> {
        let mut writer = Writer { market: self.market, recorder: self.recorder };
        writer.report(&self.orders.all[at as usize], report, self.now)
    }

    /// The next ClOrdID of the sender of a session's side.
    pub fn take_cl_ord_id(&mut self, session: u32, from: u8) -> u64 {
        let link = &mut self.market.sessions[session as usize];
        let sender = &mut self.market.parties[link.parties[from as usize] as usize];
        match (sender.kind == super::market::Kind::Client, self.plan.shape) {
            (true, Shape::OneClOrdId) => 1,
            (true, _) => link.cl_ord_ids.take(),
            (false, _) => sender.cl_ord_ids.take(),
        }
    }

    pub fn receiver(&self, at: u32) -> usize {
        let order = &self.orders.all[at as usize];
        self.market.sessions[order.session as usize].parties[1 - order.from as usize] as usize
    }

    /// Does what is due and gives the order's place back if that was its tree's last event.
    pub fn act(&mut self, event: Event) -> Result<()> {
        let at = event.order;
        match event.act {
            Act::Arrive | Act::Beat => return Ok(()),
            Act::Send => self.send(at)?,
            Act::Receive => self.receive(at)?,
            Act::Route => self.route(at),
            Act::Fill => self.fill(at)?,
            Act::Bust => self.bust(at)?,
            Act::Filled(price, qty) => self.filled(at, u64::from(price), u64::from(qty))?,
            Act::Busted => self.busted(at)?,
            Act::Returned => self.returned(at)?,
            Act::AskReplace => self.ask_replace(at)?,
            Act::DecideReplace => self.decide_replace(at)?,
            Act::AskCancel => self.ask_cancel(at)?,
            Act::DecideCancel => self.decide_cancel(at)?,
            Act::Expire => self.expire(at)?,
        }
        let root = self.order(at).root;
        self.order(root).events -= 1;
        self.orders.settle(root);
        Ok(())
    }

    /// An order is over: its parent hears of it.
    pub fn end(&mut self, at: u32, status: u8) {
        let (parent, root) = (self.order(at).parent, self.order(at).root);
        self.order(at).state = State::Ended(status);
        self.order(root).open_in_tree -= 1;
        if self.order(at).is_combined {
            for member in member_places(&self.orders, root).collect::<Vec<_>>() {
                self.order(member).open_children -= 1;
                self.tell_return(member);
            }
        } else if parent != NONE {
            let rejected = if status == b'8' { self.order(at).qty } else { 0 };
            let order = self.order(parent);
            order.open_children -= 1;
            order.sent_on -= rejected;
            self.tell_return(parent);
        }
    }

    fn tell_return(&mut self, at: u32) {
        let time = self.after_reports(at);
        self.due(time, at, Act::Returned);
    }

    /// When the next report reaches an order: never before one that left earlier.
    pub fn after_reports(&mut self, at: u32) -> u64 {
        let time = self.soon();
        let order = self.order(at);
        order.report_at = time.max(order.report_at + 1000);
        order.report_at
    }

    fn send(&mut self, at: u32) -> Result<()> {
        let parent = self.order(at).parent;
        let is_late = self.now >= self.close || parent != NONE && self.order(parent).is_cancelling;
        if is_late {
            // Nobody has seen it.
            self.end(at, b'0');
            return Ok(());
        }
        self.order(at).state = State::Sent;
        let mut writer = Writer { market: self.market, recorder: self.recorder };
        writer.new_order(&self.orders, at, self.now)?;
        let time = self.soon();
        self.due(time, at, Act::Receive);
        Ok(())
    }

    fn receive(&mut self, at: u32) -> Result<()> {
        let receiver = self.receiver(at);
        if self.order(at).order_id == 0 {
            self.order(at).order_id = self.market.parties[receiver].order_ids.take();
        }
        let course = self.order(at).course;
        if course == Course::Reject {
            self.end(at, b'8');
            self.report(at, Report::of(b'8', b'8'))?;
            return Ok(());
        }
        if course != Course::Match && !self.order(at).was_pending && self.random.chance(0.04) {
            self.order(at).was_pending = true;
            self.report(at, Report::of(b'A', b'A'))?;
            let time = self.soon();
            self.due(time, at, Act::Receive);
            return Ok(());
        }
        self.order(at).state = State::Open;
        self.report(at, Report::of(b'0', b'0'))?;
        if self.now >= self.close {
            let time = self.soon();
            self.due(time, at, Act::Expire);
        } else if course == Course::Match {
            self.plan_fill(at);
        } else if course != Course::Hold {
            let time = self.soon();
            self.due(time, at, Act::Route);
        }
        self.plan_requests(at, course);
        Ok(())
    }

    /// Customers change their minds.
    fn plan_requests(&mut self, at: u32, course: Course) {
        if self.order(at).parent != NONE || matches!(course, Course::Match | Course::Member) {
            return;
        }
        if self.random.chance(0.10) {
            let time = self.later();
            self.due(time, at, Act::AskReplace);
        }
        if course == Course::Hold || self.random.chance(0.07) {
            let time = self.later();
            self.due(time, at, Act::AskCancel);
        }
    }

    pub fn refuse(&mut self, at: u32, is_replace: bool) -> Result<()> {
        self.order(at).is_asked = false;
        let mut writer = Writer { market: self.market, recorder: self.recorder };
        writer.refuse(&self.orders.all[at as usize], is_replace, self.now)
    }

    /// A child is back: a broker that waits for all of them may now answer.
    fn returned(&mut self, at: u32) -> Result<()> {
        if self.order(at).is_ended() {
            return Ok(());
        }
        self.finish_waiting(at)?;
        let order = self.order(at);
        if order.state != State::Open || order.is_cancelling || order.open_children > 0 || order.reports_due > 0 {
            return Ok(());
        }
        if order.course == Course::Member {
            // The broker gives up on what the combined order did not fill.
            self.end(at, b'4');
            self.report(at, Report::of(b'4', b'4'))?;
        } else if order.sent_on < order.qty {
            let time = self.soon();
            self.due(time, at, Act::Route);
        }
        Ok(())
    }

    pub fn finish_waiting(&mut self, at: u32) -> Result<()> {
        let order = self.order(at);
        if order.is_ended() || order.open_children > 0 || order.reports_due > 0 {
            return Ok(());
        }
        if order.is_cancelling {
            return self.cancelled(at);
        }
        if self.now >= self.close { self.expire(at) } else { Ok(()) }
    }

    pub fn cancelled(&mut self, at: u32) -> Result<()> {
        self.order(at).is_asked = false;
        self.end(at, b'4');
        let answers = self.order(at).asked_cl;
        self.report(at, Report { answers, ..Report::of(b'4', b'4') })?;
        Ok(())
    }

    fn expire(&mut self, at: u32) -> Result<()> {
        let order = self.order(at);
        let is_waiting = order.open_children > 0 || order.reports_due > 0 || order.is_cancelling;
        if order.state != State::Open || is_waiting {
            return Ok(());
        }
        self.end(at, b'C');
        self.report(at, Report::of(b'C', b'C'))?;
        Ok(())
    }
}
