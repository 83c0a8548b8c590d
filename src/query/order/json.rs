//! A story as JSON: orders nested, decimals as strings, instants as nanoseconds and as ISO 8601.

use super::story::{Order, Seen, Step, Story};
use crate::types::Timestamp;
use serde::Serialize;

/// One line of JSON, without its end.
pub fn to_json(story: &Story) -> String {
    let lifecycle = &story.lifecycle;
    let view = StoryView {
        lifecycle_id: &lifecycle.id,
        roots: &lifecycle.roots,
        symbol: &lifecycle.symbol,
        side: &lifecycle.side,
        order_qty: lifecycle.order_qty.map(|q| q.to_string()),
        filled_qty: lifecycle.filled_qty.map(|q| q.to_string()),
        state: &lifecycle.state,
        first_time: iso(lifecycle.first),
        first_time_ns: lifecycle.first,
        last_time: iso(lifecycle.last),
        last_time_ns: lifecycle.last,
        firms: &lifecycle.firms,
        orders: roots(story),
        events_of_no_order: story.loose.iter().map(event_view).collect(),
    };
    serde_json::to_string(&view).expect("a tree of texts and numbers has no map with other keys than text")
}

fn iso(nanos: Option<i64>) -> Option<String> {
    nanos.map(|t| Timestamp(t).to_string())
}

#[derive(Serialize)]
struct StoryView<'a> {
    lifecycle_id: &'a str,
    roots: &'a [String],
    symbol: &'a Option<String>,
    side: &'a Option<String>,
    order_qty: Option<String>,
    filled_qty: Option<String>,
    state: &'a Option<String>,
    first_time: Option<String>,
    first_time_ns: Option<i64>,
    last_time: Option<String>,
    last_time_ns: Option<i64>,
    firms: &'a [String],
    orders: Vec<OrderView<'a>>,
    events_of_no_order: Vec<EventView<'a>>,
}

/// An order with the orders shown below it; `number` counts as the tree does, `parents` are such numbers.
#[derive(Serialize)]
struct OrderView<'a> {
    number: usize,
    parents: Vec<usize>,
    orderer: &'a str,
    receiver: &'a str,
    cl_ord_ids: &'a [String],
    order_ids: &'a [String],
    symbol: &'a Option<String>,
    side: &'a Option<String>,
    order_qty: Option<String>,
    price: Option<String>,
    filled_qty: Option<String>,
    avg_px: Option<String>,
    state: &'a str,
    events: Vec<EventView<'a>>,
    orders: Vec<OrderView<'a>>,
}

#[derive(Serialize)]
struct EventView<'a> {
    event_id: &'a str,
    event_time: Option<String>,
    event_timestamp_ns: Option<i64>,
    since_previous_ns: Option<i64>,
    hop_ns: Option<i64>,
    kind: &'a str,
    msg_type: &'a str,
    cat_type: &'a Option<String>,
    sender: &'a str,
    target: &'a str,
    cl_ord_id: &'a Option<String>,
    orig_cl_ord_id: &'a Option<String>,
    order_id: &'a Option<String>,
    exec_id: &'a Option<String>,
    exec_ref_id: &'a Option<String>,
    symbol: &'a Option<String>,
    side: &'a Option<String>,
    ord_type: &'a Option<String>,
    time_in_force: &'a Option<String>,
    ord_status: &'a Option<String>,
    exec_type: &'a Option<String>,
    order_qty: Option<String>,
    price: Option<String>,
    stop_px: Option<String>,
    last_qty: Option<String>,
    last_px: Option<String>,
    cum_qty: Option<String>,
    leaves_qty: Option<String>,
    avg_px: Option<String>,
    text: &'a Option<String>,
    seen: Vec<SeenView<'a>>,
    findings: Vec<FindingView<'a>>,
}

#[derive(Serialize)]
struct SeenView<'a> {
    event_id: &'a str,
    source: &'a str,
    offset: Option<i64>,
    line: Option<i64>,
    repeat: bool,
}

#[derive(Serialize)]
struct FindingView<'a> {
    code: &'a str,
    level: &'a str,
    text: &'a str,
}

fn roots(story: &Story) -> Vec<OrderView<'_>> {
    (0..story.orders.len()).filter(|&i| story.orders[i].shown_under.is_none()).map(|i| order_view(story, i)).collect()
}

/// Nesting is as deep as the tree's, which is bounded.
fn order_view(story: &Story, index: usize) -> OrderView<'_> {
    let order: &Order = &story.orders[index];
    OrderView {
        number: index + 1,
        parents: order.parents.iter().map(|p| p + 1).collect(),
        orderer: &order.orderer,
        receiver: &order.receiver,
        cl_ord_ids: &order.cl_ord_ids,
        order_ids: &order.order_ids,
        symbol: &order.symbol,
        side: &order.side,
        order_qty: order.order_qty.map(|q| q.to_string()),
        price: order.price.map(|q| q.to_string()),
        filled_qty: order.filled_qty.map(|q| q.to_string()),
        avg_px: order.avg_px.map(|q| q.to_string()),
        state: &order.state,
        events: order.steps.iter().map(event_view).collect(),
        orders: order.children.iter().map(|&c| order_view(story, c)).collect(),
    }
}

fn event_view(step: &Step) -> EventView<'_> {
    let e = &step.event;
    EventView {
        event_id: &e.event_id,
        event_time: iso(e.time),
        event_timestamp_ns: e.time,
        since_previous_ns: step.since_previous,
        hop_ns: step.hop,
        kind: &e.kind,
        msg_type: &e.msg_type,
        cat_type: &e.cat_type,
        sender: &e.sender,
        target: &e.target,
        cl_ord_id: &e.cl_ord_id,
        orig_cl_ord_id: &e.orig_cl_ord_id,
        order_id: &e.order_id,
        exec_id: &e.exec_id,
        exec_ref_id: &e.exec_ref_id,
        symbol: &e.symbol,
        side: &e.side,
        ord_type: &e.ord_type,
        time_in_force: &e.time_in_force,
        ord_status: &e.ord_status,
        exec_type: &e.exec_type,
        order_qty: e.order_qty.map(|q| q.to_string()),
        price: e.price.map(|q| q.to_string()),
        stop_px: e.stop_px.map(|q| q.to_string()),
        last_qty: e.last_qty.map(|q| q.to_string()),
        last_px: e.last_px.map(|q| q.to_string()),
        cum_qty: e.cum_qty.map(|q| q.to_string()),
        leaves_qty: e.leaves_qty.map(|q| q.to_string()),
        avg_px: e.avg_px.map(|q| q.to_string()),
        text: &e.text,
        seen: step.seen.iter().map(seen_view).collect(),
        findings: step.findings.iter().map(|f| FindingView { code: &f.code, level: &f.level, text: &f.text }).collect(),
    }
}

fn seen_view(seen: &Seen) -> SeenView<'_> {
    SeenView {
        event_id: &seen.event_id,
        source: &seen.source,
        offset: seen.offset,
        line: seen.line,
        repeat: seen.repeat,
    }
}
