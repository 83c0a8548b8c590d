//! Days of extreme shape, which a linker that is only fast on ordinary days fails on.

use super::Shape;
use super::flow::Flow;
use super::message::{Report, Writer};
use super::order::{Course, NONE, Order, Orders, State};
use super::text::SECOND;
use crate::error::Result;

/// Writes about `messages` messages of the plan's shape.
pub fn write(flow: &mut Flow<'_>, messages: u64) -> Result<()> {
    let session_messages = 4 * flow.market.sessions.len() as u64;
    let messages = messages.saturating_sub(session_messages).max(1);
    let step = (flow.close - flow.now) / (messages + 1);
    match flow.plan.shape {
        Shape::Normal | Shape::HotSymbol => Ok(()),
        Shape::ManyFills => many_fills(flow, messages, step),
        Shape::ReplaceChain => replace_chain(flow, messages, step),
        Shape::Combined => combined(flow, messages, step),
        Shape::OneEvent => one_event(flow, messages, step),
        Shape::OneClOrdId => one_cl_ord_id(flow, messages, step),
    }
}

fn next(flow: &mut Flow<'_>, step: u64) -> Result<()> {
    flow.now += step;
    flow.recorder.repeat_until(flow.market, flow.now)
}

/// A customer's order of a client, acknowledged or not by its message alone.
fn order(flow: &mut Flow<'_>, client: usize, qty: u64) -> Order {
    let session = flow.market.client_session(client, 0);
    let cl = flow.take_cl_ord_id(session, 0);
    let mut order = Order::new(flow.new_life(), cl, session, 0, Course::Hold);
    (order.qty, order.price, order.account) = (qty, flow.market.symbols[0].price, 1 + (client % 99) as u16);
    order
}

fn acknowledge(flow: &mut Flow<'_>, at: u32, step: u64) -> Result<()> {
    next(flow, step)?;
    let receiver = flow.receiver(at);
    flow.order(at).order_id = flow.market.parties[receiver].order_ids.take();
    flow.order(at).state = State::Open;
    flow.report(at, Report::of(b'0', b'0'))?;
    Ok(())
}

fn send(flow: &mut Flow<'_>, at: u32, step: u64) -> Result<()> {
    next(flow, step)?;
    let mut writer = Writer { market: flow.market, recorder: flow.recorder };
    writer.new_order(&flow.orders, at, flow.now)
}

fn fill(flow: &mut Flow<'_>, at: u32, qty: u64, step: u64) -> Result<()> {
    next(flow, step)?;
    let price = flow.order(at).price;
    let status = flow.apply_fill(at, price, qty);
    if status == b'2' {
        flow.order(at).state = State::Ended(b'2');
    }
    flow.report(at, Report { fill: Some((price, qty)), ..Report::of(b'F', status) })?;
    Ok(())
}

fn many_fills(flow: &mut Flow<'_>, messages: u64, step: u64) -> Result<()> {
    let fills = messages.saturating_sub(2).max(1);
    let first = order(flow, 0, fills);
    let at = flow.orders.add(first);
    send(flow, at, step)?;
    acknowledge(flow, at, step)?;
    for _ in 0..fills {
        fill(flow, at, 1, step)?;
    }
    Ok(())
}

fn replace_chain(flow: &mut Flow<'_>, messages: u64, step: u64) -> Result<()> {
    let first = order(flow, 0, 1000);
    let at = flow.orders.add(first);
    send(flow, at, step)?;
    acknowledge(flow, at, step)?;
    for _ in 0..messages.saturating_sub(2) / 2 {
        next(flow, step)?;
        let (session, from) = (flow.order(at).session, flow.order(at).from);
        let asked_cl = flow.take_cl_ord_id(session, from);
        let order = flow.order(at);
        (order.asked_cl, order.asked_qty, order.asked_price) = (asked_cl, order.qty + 1, order.price);
        let mut writer = Writer { market: flow.market, recorder: flow.recorder };
        writer.replace(&flow.orders.all[at as usize], flow.now)?;
        next(flow, step)?;
        flow.order(at).qty += 1;
        flow.report(at, Report { answers: asked_cl, ..Report::of(b'5', b'0') })?;
        flow.order(at).cl = asked_cl;
    }
    Ok(())
}

/// Each client order is sent, acknowledged and filled: three messages.
fn combined(flow: &mut Flow<'_>, messages: u64, step: u64) -> Result<()> {
    let clients = flow.market.counts().0;
    let count = (messages.saturating_sub(6) / 3).max(2);
    let (mut root, mut life, mut total) = (NONE, 0, 0);
    let mut members = Vec::new();
    for number in 0..count {
        let mut member = order(flow, number as usize % clients, 100);
        if root == NONE {
            life = member.life;
        }
        flow.lives = life;
        (member.life, member.root, member.course) = (life, root, Course::Member);
        total += member.qty;
        let at = flow.orders.add(member);
        root = if root == NONE { at } else { root };
        members.push(at);
        send(flow, at, step)?;
        acknowledge(flow, at, step)?;
    }
    let session = flow.market.exchange_session(0, 0);
    let cl = flow.take_cl_ord_id(session, 0);
    let mut whole = Order::new(life, cl, session, 0, Course::Match);
    (whole.qty, whole.price, whole.root, whole.is_combined) = (total, flow.order(root).price, root, true);
    let at = flow.orders.add(whole);
    send(flow, at, step)?;
    acknowledge(flow, at, step)?;
    fill(flow, at, total, step)?;
    for member in members {
        fill(flow, member, 100, step)?;
    }
    Ok(())
}

fn one_event(flow: &mut Flow<'_>, messages: u64, step: u64) -> Result<()> {
    let clients = flow.market.counts().0;
    for number in 0..messages {
        flow.orders = Orders::default();
        let single = order(flow, number as usize % clients, 100);
        let at = flow.orders.add(single);
        send(flow, at, step)?;
    }
    Ok(())
}

/// All orders of one session share their ClOrdID, so they are one lifecycle.
fn one_cl_ord_id(flow: &mut Flow<'_>, messages: u64, step: u64) -> Result<()> {
    let clients = flow.market.counts().0;
    let first_life = flow.lives;
    for number in 0..messages.div_ceil(3) {
        flow.orders = Orders::default();
        let client = number as usize % clients;
        let mut single = order(flow, client, 100);
        single.life = first_life + 1 + client as u64;
        let at = flow.orders.add(single);
        send(flow, at, step)?;
        acknowledge(flow, at, step)?;
        fill(flow, at, 100, step)?;
    }
    flow.lives = first_life + clients as u64;
    flow.now = flow.now.max(flow.close - SECOND);
    Ok(())
}
