//! Lifecycle assembly: from the events of each order to rows.

use super::gather::{Member, OrderEvents};
use super::linked::Linked;
use super::observed::Observed;
use super::part::NONE;
use super::rows::{LifecycleRow, Rows};
use super::store::{as_text, known_time};
use super::trace::Trace;
use super::unlinked::{finding, order_text};
use crate::event::key::NO_QTY;
use crate::order::{Order, State, Step};
use crate::types::{Decimal, decimal::LIMIT};

/// Working memory of a block.
#[derive(Default)]
pub(super) struct Assembly {
    /// Places of an order's events, sorted by time.
    sorted: Vec<(i64, u32)>,
    observed: Observed,
    trace: Trace,
    order: Order,
    firms: Vec<(u32, i64, u64)>,
    roots: Vec<(i64, u32)>,
    root_texts: Vec<String>,
    text: Vec<u8>,
    places: Vec<u32>,
}

/// Sums over a lifecycle.
#[derive(Default)]
struct Sums {
    events: u64,
    last_time: Option<i64>,
    order_qty: Option<i128>,
    filled_qty: i128,
    root_cum_qty: i128,
    /// Every root reported fills and a CumQty.
    roots_report_fills: bool,
    /// Every root's state was reported.
    roots_report_state: bool,
    state: Option<State>,
}

impl Assembly {
    /// Hands out the rows of one lifecycle.
    pub fn lifecycle<'a>(
        &mut self,
        linked: &Linked,
        lifecycle: u32,
        orders: impl Iterator<Item = OrderEvents<'a>>,
        rows: &mut impl Rows,
    ) {
        let mut sums = Sums { roots_report_fills: true, roots_report_state: true, ..Sums::default() };
        self.firms.clear();
        self.roots.clear();
        self.trace.lifecycle_id = linked.id(lifecycle);
        for events in orders {
            self.one_order(linked, events, &mut sums, rows);
        }
        self.row(linked, lifecycle, &sums, rows);
    }

    fn one_order(&mut self, linked: &Linked, events: OrderEvents<'_>, sums: &mut Sums, rows: &mut impl Rows) {
        let members = events.members;
        self.observed.find(members);
        self.sorted.clear();
        self.sorted.extend(members.iter().zip(0..).map(|(member, place)| (member.event.time, place)));
        self.sorted.sort();
        self.places.clear();
        self.places.extend(self.sorted.iter().map(|s| s.1));
        self.order.clear();
        let mut parties = (NONE, NONE);
        for &place in &self.places {
            let Member { part, local, event, .. } = &members[place as usize];
            if (event.orderer, event.receiver) != parties {
                parties = (event.orderer, event.receiver);
                let number = u64::from(events.numbers[place as usize]);
                self.firms.push((event.orderer, event.time, number * 2));
                self.firms.push((event.receiver, event.time, number * 2 + 1));
            }
            sums.last_time = sums.last_time.max(known_time(event.time));
            if self.observed.original(place) == place {
                let part = &linked.store.parts[*part as usize];
                let correction = if event.corrects { part.correction(*local) } else { None };
                self.order.apply(&Step {
                    kind: event.kind,
                    status: event.status,
                    repeat: event.repeat,
                    order_qty: event.order_qty,
                    last_qty: event.last_qty,
                    cum_qty: event.cum_qty,
                    exec: event.exec,
                    exec_ref: correction.map_or(0, |c| c.exec_ref),
                });
            }
        }
        sums.events += members.len() as u64;
        self.trace.order(linked, events, &self.places, &self.observed, rows);
        if linked.lifecycles.has_parent[events.order as usize] {
            linked.edges_from(events.order).iter().for_each(|edge| self.trace.parent(linked, edge, rows));
        }
        self.add(linked, events.order, sums);
    }

    /// Adds an order's quantities to the lifecycle's.
    fn add(&mut self, linked: &Linked, order: u32, sums: &mut Sums) {
        let state = &self.order;
        if !linked.lifecycles.has_child[order as usize] {
            sums.filled_qty += state.filled_qty();
        }
        if linked.lifecycles.has_parent[order as usize] {
            return;
        }
        self.roots.push((linked.orders.summaries[order as usize].first_time, order));
        if let Some(quantity) = state.order_qty() {
            sums.order_qty = Some(sums.order_qty.unwrap_or(0) + i128::from(quantity));
        }
        sums.root_cum_qty += i128::from(state.cum_qty().unwrap_or(0));
        sums.roots_report_fills &= state.has_fills() && state.cum_qty().is_some();
        sums.roots_report_state &= state.is_reported();
        sums.state = Some(sums.state.map_or(state.state(), |s| both(s, state.state())));
    }

    fn row(&mut self, linked: &Linked, lifecycle: u32, sums: &Sums, rows: &mut impl Rows) {
        let (store, orders) = (&linked.store, &linked.orders);
        self.roots.sort_unstable();
        self.root_texts.clear();
        for &(_, root) in &self.roots {
            self.text.clear();
            order_text(store, orders, root, &mut self.text);
            self.root_texts.push(as_text(&self.text).to_string());
        }
        let members = linked.lifecycles.orders.get(lifecycle);
        let first = members.iter().map(|&o| &orders.summaries[o as usize]).map(|s| (s.first_time, s.first_event)).min();
        let (first_time, first_event) = first.unwrap_or((0, 0));
        let root = &orders.summaries[self.roots.first().map_or(members[0], |r| r.1) as usize];
        if sums.roots_report_fills && sums.root_cum_qty != sums.filled_qty {
            self.text.clear();
            self.text.extend_from_slice(mismatch(sums).as_bytes());
            rows.finding(finding(store, root.head(), "link-fill-mismatch", &self.text));
        }
        let firms = self.firms_in_order();
        let names: Vec<&str> = firms.iter().map(|&f| store.names.text(f)).filter(|name| !name.is_empty()).collect();
        let side = [root.side];
        rows.lifecycle(LifecycleRow {
            day: store.event(first_event).day,
            lifecycle_id: as_text(&linked.lifecycles.id(lifecycle)),
            roots: &self.root_texts,
            symbol: store.names.text(root.symbol),
            side: if root.side == 0 { "" } else { as_text(&side) },
            order_qty: sums.order_qty.and_then(fitting),
            filled_qty: fitting(sums.filled_qty),
            state: state_of(sums).as_str(),
            first_time: known_time(first_time),
            last_time: sums.last_time,
            events: sums.events,
            orders: members.len() as u64,
            firms: &names,
        });
    }

    /// Each party once, by its first appearance.
    fn firms_in_order(&mut self) -> Vec<u32> {
        self.firms.sort_unstable();
        self.firms.dedup_by_key(|f| f.0);
        self.firms.sort_unstable_by_key(|f| (f.1, f.2));
        self.firms.iter().map(|f| f.0).collect()
    }
}

/// A quantity that DECIMAL(18,8) holds.
fn fitting(quantity: i128) -> Option<i64> {
    i64::try_from(quantity).ok().filter(|q| *q != NO_QTY && q.abs() < LIMIT)
}

fn mismatch(sums: &Sums) -> String {
    let shown =
        |q: i128| fitting(q).map_or_else(|| "a number that does not fit".to_string(), |q| Decimal(q).to_string());
    format!("CumQty of the roots is {}, but their leaves filled {}", shown(sums.root_cum_qty), shown(sums.filled_qty))
}

/// The state of two roots together: one that is open keeps both open; one of which nothing is known says nothing.
fn both(a: State, b: State) -> State {
    match (a.min(b), a.max(b)) {
        (a, b) if a == b => a,
        (known, State::Unknown) => known,
        (State::Open, _) => State::Open,
        (State::Cancelled, State::Rejected) => State::Cancelled,
        _ => State::PartlyFilledCancelled,
    }
}

/// The roots' own reports decide. Roots that were never answered are filled when what was done for them fills them.
fn state_of(sums: &Sums) -> State {
    let state = sums.state.unwrap_or(State::Unknown);
    let is_filled = sums.order_qty.is_some_and(|q| q > 0 && sums.filled_qty >= q);
    if !sums.roots_report_state && is_filled { State::Filled } else { state }
}

#[cfg(test)]
mod tests {
    use super::{State, both};

    #[test]
    fn roots_of_different_states_make_one() {
        use State::*;
        for (a, b, together) in [
            (Open, Filled, Open),
            (Filled, Filled, Filled),
            (Filled, Cancelled, PartlyFilledCancelled),
            (Cancelled, Rejected, Cancelled),
            (Filled, Rejected, PartlyFilledCancelled),
            (Unknown, Rejected, Rejected),
            (Unknown, Unknown, Unknown),
        ] {
            assert_eq!((both(a, b), both(b, a)), (together, together));
        }
    }
}
