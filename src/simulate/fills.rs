//! Fills: the exchange makes them, the orders above pass them on, and a few are undone.

use super::flow::{Act, Flow};
use super::message::{Report, member_places};
use super::order::{NONE, State};
use crate::error::Result;

impl Flow<'_> {
    pub fn fill(&mut self, at: u32) -> Result<()> {
        if self.order(at).state != State::Open || self.now >= self.close {
            return Ok(());
        }
        let (leaves, fills_left, symbol) = {
            let order = self.order(at);
            (order.leaves(), order.fills_left, order.symbol as usize)
        };
        let most = (leaves / u64::from(fills_left.max(1))).max(1);
        let qty = if fills_left <= 1 { leaves } else { self.random.between(most.div_ceil(2), most).min(leaves) };
        let price = self.fill_price(at, symbol);
        let order = self.order(at);
        order.fills_left = fills_left.saturating_sub(1);
        let status = self.apply_fill(at, price, qty);
        let exec = self.report(at, Report { fill: Some((price, qty)), ..Report::of(b'F', status) })?;
        self.order(at).last_exec = exec;
        self.pass_up(at, price, qty);
        if status == b'2' {
            self.end(at, b'2');
        } else {
            self.plan_fill(at);
        }
        Ok(())
    }

    /// The next fill; or none, until somebody loses patience.
    pub fn plan_fill(&mut self, at: u32) {
        let time = self.later();
        let order = self.order(at);
        if order.fills_left > u16::from(order.is_short) {
            let has_bust = order.last_exec != 0 && self.random.chance(0.004);
            self.due(time, at, Act::Fill);
            if has_bust {
                self.due(time - (time - self.now) / 2, at, Act::Bust);
            }
        } else {
            let who = if order.is_combined { at } else { order.root };
            self.due(time, who, Act::AskCancel);
        }
    }

    /// At the limit or a little better; market orders at the last price, which wanders.
    fn fill_price(&mut self, at: u32, symbol: usize) -> u64 {
        let step = self.random.below(5) * 100;
        let order = &self.orders.all[at as usize];
        let last = &mut self.market.symbols[symbol].price;
        if order.price == 0 {
            *last = (*last + step).saturating_sub(200).max(10_000);
            return *last;
        }
        let better = step + if order.qty.is_multiple_of(300) { 50 } else { 0 };
        if order.side == b'1' { order.price.saturating_sub(better).max(100) } else { order.price + better }
    }

    /// Books a fill; gives the order's status with it.
    pub fn apply_fill(&mut self, at: u32, price: u64, qty: u64) -> u8 {
        let order = self.order(at);
        order.cum += qty;
        order.total += price * qty;
        order.last_fill = (price, qty);
        if order.cum == order.qty { b'2' } else { b'1' }
    }

    /// Reports a fill to the orders above, shared among the members of a combined order.
    fn pass_up(&mut self, at: u32, price: u64, qty: u64) {
        let (parent, root) = (self.order(at).parent, self.order(at).root);
        if !self.order(at).is_combined {
            if parent != NONE {
                self.tell_fill(parent, price, qty);
            }
            return;
        }
        let mut rest = qty;
        for member in member_places(&self.orders, root).collect::<Vec<_>>() {
            let order = self.order(member);
            let share = rest.min(order.qty - order.sent_on);
            if share > 0 {
                // Of a member, what is promised to it by reports on their way.
                order.sent_on += share;
                rest -= share;
                self.tell_fill(member, price, share);
            }
        }
    }

    fn tell_fill(&mut self, at: u32, price: u64, qty: u64) {
        self.order(at).reports_due += 1;
        let time = self.after_reports(at);
        self.due(time, at, Act::Filled(price as u32, qty as u32));
    }

    pub fn filled(&mut self, at: u32, price: u64, qty: u64) -> Result<()> {
        self.order(at).reports_due -= 1;
        let status = self.apply_fill(at, price, qty);
        let exec = self.report(at, Report { fill: Some((price, qty)), ..Report::of(b'F', status) })?;
        self.order(at).last_exec = exec;
        self.pass_up(at, price, qty);
        if status == b'2' {
            self.end(at, b'2');
            if self.order(at).is_cancelling {
                self.refuse(at, false)?;
            } else if self.order(at).parent == NONE && self.random.chance(0.01) {
                // The customer asks before the report has come.
                let time = self.soon();
                self.due(time, at, Act::AskCancel);
            }
        } else {
            self.finish_waiting(at)?;
        }
        Ok(())
    }

    /// The exchange undoes the last fill, if every order above has only this one below it.
    pub fn bust(&mut self, at: u32) -> Result<()> {
        let mut above = self.order(at).parent;
        let mut is_alone =
            self.order(at).state == State::Open && self.order(at).last_exec != 0 && !self.order(at).is_combined;
        while above != NONE {
            let order = self.order(above);
            is_alone &= order.children == 1 && order.reports_due == 0 && order.state == State::Open;
            above = order.parent;
        }
        if is_alone { self.busted_here(at) } else { Ok(()) }
    }

    fn busted_here(&mut self, at: u32) -> Result<()> {
        let order = self.order(at);
        let (price, qty) = order.last_fill;
        let undone = std::mem::take(&mut order.last_exec);
        order.cum -= qty;
        order.total -= price * qty;
        order.fills_left = order.fills_left.saturating_add(1);
        let status = order.status();
        let parent = order.parent;
        self.report(at, Report { fill: Some((price, qty)), undone, ..Report::of(b'H', status) })?;
        if parent != NONE {
            self.order(parent).reports_due += 1;
            let time = self.after_reports(parent);
            self.due(time, parent, Act::Busted);
        }
        Ok(())
    }

    pub fn busted(&mut self, at: u32) -> Result<()> {
        self.order(at).reports_due -= 1;
        self.busted_here(at)?;
        self.finish_waiting(at)
    }
}
