//! Latencies between the steps of an order, and over the hops between an order and its parents and children.

use super::story::{Order, Step};

/// Fills in `since_previous` and `hop` of every step.
pub fn measure(orders: &mut [Order], loose: &mut [Step]) {
    for order in orders.iter_mut() {
        since_previous(&mut order.steps);
    }
    since_previous(loose);
    let times = |order: &Order, wanted: fn(&Step) -> bool| -> Vec<i64> {
        order.steps.iter().filter(|s| wanted(s)).filter_map(|s| s.event.time).collect()
    };
    let requests: Vec<Vec<i64>> =
        orders.iter().map(|o| times(o, |s| matches!(s.event.kind.as_str(), "new" | "replace"))).collect();
    let fills: Vec<Vec<i64>> = orders.iter().map(|o| times(o, is_fill)).collect();
    for order in orders.iter_mut() {
        let parents = &order.parents;
        if let Some(first) = order.steps.first_mut()
            && let Some(time) = first.event.time
        {
            let before = latest_before(parents.iter().map(|&p| &requests[p]), time);
            // Where the parent's clock is ahead there is no request before; then the first one after tells by how much.
            let after = || parents.iter().filter_map(|&p| requests[p].first()).min().copied();
            first.hop = before.or_else(after).and_then(|t| time.checked_sub(t));
        }
        let children: Vec<usize> = order.children.iter().chain(&order.children_elsewhere).copied().collect();
        for step in order.steps.iter_mut().filter(|s| is_fill(s)) {
            if let Some(time) = step.event.time
                && let Some(fill) = latest_before(children.iter().map(|&c| &fills[c]), time)
            {
                step.hop = time.checked_sub(fill);
            }
        }
    }
}

fn is_fill(step: &Step) -> bool {
    step.event.kind == "fill"
}

fn since_previous(steps: &mut [Step]) {
    let mut previous = None;
    for step in steps {
        step.since_previous = match (previous, step.event.time) {
            (Some(before), Some(now)) => now.checked_sub(before),
            _ => None,
        };
        previous = step.event.time.or(previous);
    }
}

/// The latest of some ascending times that is not after `time`.
fn latest_before<'a>(lists: impl Iterator<Item = &'a Vec<i64>>, time: i64) -> Option<i64> {
    lists.filter_map(|times| times[..times.partition_point(|&t| t <= time)].last().copied()).max()
}
