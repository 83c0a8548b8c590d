//! Changes and cancels: one party asks, the other decides, and a broker asks below before it answers.

use super::flow::{Act, Flow};
use super::message::{Report, Writer};
use super::order::{Course, NONE, State};
use crate::error::Result;

impl Flow<'_> {
    pub fn ask_replace(&mut self, at: u32) -> Result<()> {
        let order = self.order(at);
        if order.state != State::Open || order.is_asked || self.now >= self.close {
            return Ok(());
        }
        let (session, from, parent) = (self.order(at).session, self.order(at).from, self.order(at).parent);
        let asked_cl = self.take_cl_ord_id(session, from);
        let is_for_price = parent != NONE || self.random.chance(0.6);
        let more = self.random.between(1, 10) * 100;
        let order = self.order(at);
        order.is_asked = true;
        order.asked_cl = asked_cl;
        (order.asked_qty, order.asked_price) = (order.qty, order.price);
        if is_for_price && order.price > 0 {
            order.asked_price = if order.side == b'1' { order.price + more } else { order.price.max(20_000) - more };
        } else {
            order.asked_qty += more;
        }
        if parent != NONE {
            // A broker passes the customer's new limit on.
            let price = self.order(parent).price;
            let order = self.order(at);
            (order.asked_qty, order.asked_price) = (order.qty, price);
        }
        let mut writer = Writer { market: self.market, recorder: self.recorder };
        writer.replace(&self.orders.all[at as usize], self.now)?;
        let time = self.soon();
        self.due(time, at, Act::DecideReplace);
        Ok(())
    }

    pub fn decide_replace(&mut self, at: u32) -> Result<()> {
        if self.order(at).is_ended() {
            return self.refuse(at, true);
        }
        let order = self.order(at);
        let (new_cl, more) = (order.asked_cl, order.asked_qty - order.qty);
        let has_new_price = order.asked_price != order.price;
        (order.qty, order.price) = (order.asked_qty, order.asked_price);
        order.is_asked = false;
        let status = order.status();
        self.report(at, Report { answers: new_cl, ..Report::of(b'5', status) })?;
        self.order(at).cl = new_cl;
        if self.now >= self.close || !matches!(self.order(at).course, Course::Direct | Course::Slices(_) | Course::Via)
        {
            return Ok(());
        }
        if more > 0 {
            let time = self.soon();
            self.due(time, at, Act::Route);
        }
        if has_new_price {
            self.ask_children(at, Act::AskReplace);
        }
        Ok(())
    }

    fn ask_children(&mut self, at: u32, act: Act) {
        let mut child = self.order(at).root;
        while child != NONE {
            let next = self.order(child).next;
            if self.order(child).parent == at && !self.order(child).is_ended() {
                let time = self.soon();
                self.due(time, child, act);
            }
            child = next;
        }
    }

    pub fn ask_cancel(&mut self, at: u32) -> Result<()> {
        let order = self.order(at);
        let (state, is_asked) = (order.state, order.is_asked);
        // Only a customer, who may not know yet, asks for an order that is filled.
        let is_over = matches!(state, State::Ended(status) if status != b'2' || order.parent != NONE);
        if self.now >= self.close || is_over {
            return Ok(());
        }
        if state == State::Planned {
            // It will not be sent while its parent is being cancelled.
            return Ok(());
        }
        if is_asked || state == State::Sent {
            // Once the request on its way is answered, or the order acknowledged.
            let time = self.now + 50_000_000;
            self.due(time, at, Act::AskCancel);
            return Ok(());
        }
        let (session, from) = (self.order(at).session, self.order(at).from);
        let asked_cl = self.take_cl_ord_id(session, from);
        let order = self.order(at);
        (order.asked_cl, order.is_asked) = (asked_cl, true);
        let mut writer = Writer { market: self.market, recorder: self.recorder };
        writer.cancel(&self.orders.all[at as usize], self.now)?;
        let time = self.soon();
        self.due(time, at, Act::DecideCancel);
        Ok(())
    }

    pub fn decide_cancel(&mut self, at: u32) -> Result<()> {
        let order = self.order(at);
        if order.is_ended() {
            return self.refuse(at, false);
        }
        if order.open_children == 0 && order.reports_due == 0 {
            return self.cancelled(at);
        }
        order.is_cancelling = true;
        if self.random.chance(0.5) {
            let answers = self.order(at).asked_cl;
            self.report(at, Report { answers, ..Report::of(b'6', b'6') })?;
        }
        self.ask_children(at, Act::AskCancel);
        Ok(())
    }
}
