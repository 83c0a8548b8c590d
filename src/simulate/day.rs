//! One trading day from the first Logon to the last Logout.

use super::arrival::Pace;
use super::flow::{Act, Flow};
use super::market::Market;
use super::order::{NONE, Orders, State};
use super::random::Random;
use super::recorder::Recorder;
use super::text::SECOND;
use super::{Plan, Shape, shape};
use crate::error::Result;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// 09:30 and 16:00 in New York's winter, as UTC.
const OPEN: u64 = (14 * 3600 + 30 * 60) * SECOND;
const CLOSE: u64 = 21 * 3600 * SECOND;
/// Lifecycles that live at a time; in a busier day they live for less time.
const MOST_LIVING: f64 = 20_000.0;
/// How long a lifecycle rests on average at full pace, and its messages.
const MEAN_LIFE_S: f64 = 120.0;
const MEAN_MESSAGES: f64 = 32.0;
/// One message in so many is a heartbeat.
const HEARTBEAT_ONE_IN: u64 = 250;

/// Writes a day until the logs hold `goal` messages, about; gives the number of the last lifecycle.
pub fn write(
    plan: &Plan,
    market: &mut Market,
    recorder: &mut Recorder,
    random: &mut Random,
    goal: u64,
    lives: u64,
) -> Result<u64> {
    let from = recorder.counts.logged;
    let per_second = (goal - from) as f64 / MEAN_MESSAGES / ((CLOSE - OPEN) / SECOND) as f64;
    let mut flow = Flow {
        plan,
        market,
        recorder,
        random,
        orders: Orders::default(),
        queue: BinaryHeap::new(),
        lives,
        now: OPEN - 300 * SECOND,
        close: CLOSE,
        pace: (MOST_LIVING / (per_second * MEAN_LIFE_S)).min(1.0),
        ties: 0,
    };
    flow.all_sessions(b'A')?;
    flow.now = OPEN;
    if matches!(plan.shape, Shape::Normal | Shape::HotSymbol) {
        trade(&mut flow, Pace { from, goal, open: OPEN, arrived: 0 })?;
    } else {
        shape::write(&mut flow, goal - from)?;
    }
    flow.now = flow.now.max(CLOSE) + 5 * SECOND;
    flow.recorder.repeat_until(flow.market, flow.now)?;
    flow.all_sessions(b'5')?;
    Ok(flow.lives)
}

fn trade(flow: &mut Flow<'_>, mut pace: Pace) -> Result<()> {
    let logons = flow.recorder.counts.logged - pace.from;
    let expected = (pace.goal - pace.from).saturating_sub(2 * logons);
    pace.goal = pace.from + expected.max(1);
    let beat_gap = (CLOSE - OPEN) / (expected / HEARTBEAT_ONE_IN + 1);
    flow.due(OPEN + beat_gap, NONE, Act::Beat);
    if expected > 0 {
        flow.due(OPEN, NONE, Act::Arrive);
    }
    let mut is_closed = false;
    let mut beats = 0;
    loop {
        let next = flow.queue.peek().map_or(u64::MAX, |next| next.0.time);
        if next >= CLOSE && !is_closed {
            is_closed = true;
            flow.now = CLOSE;
            expire_all(flow);
            continue;
        }
        let Some(Reverse(event)) = flow.queue.pop() else { return Ok(()) };
        flow.now = event.time;
        flow.recorder.repeat_until(flow.market, event.time)?;
        match event.act {
            Act::Arrive => {
                flow.arrive(&mut pace);
            }
            Act::Beat => {
                let session = (beats / 2 % flow.market.sessions.len()) as u32;
                flow.session_message(session, (beats % 2) as u8, b'0')?;
                beats += 1;
                if flow.now + beat_gap < CLOSE {
                    flow.due(flow.now + beat_gap, NONE, Act::Beat);
                }
            }
            _ => flow.act(event)?,
        }
    }
}

/// Day orders end with the day.
fn expire_all(flow: &mut Flow<'_>) {
    for at in 0..flow.orders.all.len() as u32 {
        if flow.order(at).state == State::Open {
            let time = CLOSE + flow.random.below(2 * SECOND);
            flow.due(time, at, Act::Expire);
        }
    }
}
