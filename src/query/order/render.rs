//! A story as an indented tree: orders below the orders they were sent for, below each its events in aligned columns.

use super::grid::{Cell, Column, Grid, Line};
use super::story::{Event, EventFinding, Order, Step, Story};
use super::words;
use crate::query::Style;
use crate::query::text::{self, Paint, Piece, clean};
use crate::types::{Decimal, Timestamp};

/// Glyphs of the tree.
struct Glyphs {
    branch: &'static str,
    last: &'static str,
    through: &'static str,
    dot: &'static str,
}

const UNICODE: Glyphs = Glyphs { branch: "├─ ", last: "└─ ", through: "│  ", dot: " · " };
const ASCII: Glyphs = Glyphs { branch: "|- ", last: "`- ", through: "|  ", dot: " - " };

/// The whole story as text, each line ended.
pub fn render(story: &Story, style: &Style) -> String {
    let glyphs = if style.ascii { &ASCII } else { &UNICODE };
    let page = Page { story, style, glyphs, clock: Clock::of(story) };
    let mut out = String::new();
    page.header(&mut out);
    let mut grid = Grid::default();
    for (i, order) in story.orders.iter().enumerate() {
        if order.shown_under.is_none() {
            page.order(i, "", "", &mut grid);
        }
    }
    if !story.loose.is_empty() {
        grid.push(Line::Free { first: String::new(), rest: String::new(), pieces: vec![plain("events of no order")] });
        page.steps(&story.loose, "", true, &mut grid);
    }
    grid.render(style, &mut out);
    out
}

/// How instants are shown: the date only where a lifecycle has several, decimals as all of them need.
struct Clock {
    with_date: bool,
    decimals: usize,
}

impl Clock {
    fn of(story: &Story) -> Clock {
        let steps = || story.orders.iter().flat_map(|o| &o.steps).chain(&story.loose);
        let times = || steps().filter_map(|s| s.event.time).chain(story.lifecycle.first).chain(story.lifecycle.last);
        let dates = || times().map(|t| Timestamp(t).date());
        Clock { with_date: dates().min() != dates().max(), decimals: text::decimals_needed(times()) }
    }

    fn show(&self, time: i64) -> String {
        let clock = text::time_of_day(time, self.decimals);
        if self.with_date { format!("{} {clock}", Timestamp(time).date()) } else { clock }
    }
}

struct Page<'a> {
    story: &'a Story,
    style: &'a Style,
    glyphs: &'static Glyphs,
    clock: Clock,
}

impl Page<'_> {
    fn header(&self, out: &mut String) {
        let lifecycle = &self.story.lifecycle;
        let opt = |t: &Option<String>| t.as_deref().map(clean).unwrap_or_default();
        let state = lifecycle.state.as_deref().unwrap_or("state unknown");
        let first = [
            ("lifecycle".to_string(), Paint::Plain),
            (clean(&lifecycle.id), self.id_paint(&lifecycle.id, Paint::Bold)),
            (opt(&lifecycle.symbol), Paint::Bold),
            (lifecycle.side.as_deref().map(words::side).map(clean).unwrap_or_default(), Paint::Bold),
            (clean(state), state_paint(state)),
        ];
        text::wrap(out, "", "  ", "  ", &first, self.style);

        let qty = |q: Option<Decimal>| q.map_or_else(|| "?".to_string(), |q| q.to_string());
        let steps: Vec<&Step> = self.story.orders.iter().flat_map(|o| &o.steps).chain(&self.story.loose).collect();
        let roots = self.story.orders.iter().filter(|o| o.parents.is_empty()).count();
        let mut pieces = vec![
            plain(format!("{} ordered, {} filled", qty(lifecycle.order_qty), qty(lifecycle.filled_qty))),
            plain(format!(
                "{}, {}, {}",
                count(roots, "root"),
                count(self.story.orders.len(), "order"),
                count(steps.len(), "event")
            )),
        ];
        if let (Some(first), Some(last)) = (lifecycle.first, lifecycle.last) {
            let date = if self.clock.with_date { String::new() } else { format!("{} ", Timestamp(first).date()) };
            let span = text::latency(last.saturating_sub(first), self.style);
            pieces.push(plain(format!(
                "{date}{} to {} UTC ({})",
                self.clock.show(first),
                self.clock.show(last),
                span.trim_start_matches('+')
            )));
        }
        pieces.push((lifecycle.firms.iter().map(|f| clean(f)).collect::<Vec<_>>().join(", "), Paint::Plain));
        text::wrap(out, "", "  ", self.glyphs.dot, &pieces, self.style);
        out.push('\n');
    }

    /// An order's line, its events, the orders below it. `first` begins its line, `rest` all lines below.
    fn order(&self, index: usize, first: &str, rest: &str, grid: &mut Grid) {
        let order = &self.story.orders[index];
        let below = if order.steps.is_empty() && order.children.is_empty() { "   " } else { self.glyphs.through };
        grid.push(Line::Free {
            first: first.to_string(),
            rest: format!("{rest}{below}  "),
            pieces: self.order_pieces(index, order),
        });
        let nothing_follows = order.children.is_empty() && order.children_elsewhere.is_empty();
        self.steps(&order.steps, rest, nothing_follows, grid);
        if !order.children_elsewhere.is_empty() {
            let glyph = if order.children.is_empty() { self.glyphs.last } else { self.glyphs.branch };
            let text = format!("part of {}", numbers(&order.children_elsewhere));
            grid.push(Line::Free {
                first: format!("{rest}{glyph}"),
                rest: rest.to_string(),
                pieces: vec![plain(text)],
            });
        }
        for (i, &child) in order.children.iter().enumerate() {
            let (glyph, next) = if i + 1 == order.children.len() {
                (self.glyphs.last, "   ")
            } else {
                (self.glyphs.branch, self.glyphs.through)
            };
            self.order(child, &format!("{rest}{glyph}"), &format!("{rest}{next}"), grid);
        }
    }

    fn order_pieces(&self, index: usize, order: &Order) -> Vec<Piece> {
        let lifecycle = &self.story.lifecycle;
        let mut pieces = vec![(format!("#{}", index + 1), Paint::Bold)];
        if !order.orderer.is_empty() {
            pieces.push((format!("{}>{}", clean(&order.orderer), clean(&order.receiver)), Paint::Bold));
        }
        if order.side != lifecycle.side {
            pieces.extend(order.side.as_deref().map(|s| plain(clean(words::side(s)))));
        }
        if order.symbol != lifecycle.symbol {
            pieces.extend(order.symbol.as_deref().map(|s| plain(clean(s))));
        }
        let price = order.price.map(|p| format!(" @ {p}"));
        if let Some(qty) = order.order_qty {
            pieces.push(plain(format!("{qty}{}", price.unwrap_or_default())));
        }
        let mut state = order.state.clone();
        if state == "unknown" {
            state = "state unknown".to_string();
        }
        if let Some(filled) = order.filled_qty.filter(|q| q.0 > 0) {
            let at = order.avg_px.map(|p| format!(" at {p}")).unwrap_or_default();
            state = if state == "filled" {
                format!("filled {filled}{at}")
            } else {
                format!("{state}, filled {filled}{at}")
            };
        }
        pieces.push((state, state_paint(&order.state)));
        for (name, ids) in [("ClOrdID", &order.cl_ord_ids), ("OrderID", &order.order_ids)] {
            if !ids.is_empty() {
                let paint = if ids.contains(&self.story.asked) { Paint::Cyan } else { Paint::Plain };
                pieces.push((format!("{name} {}", ids.iter().map(|i| clean(i)).collect::<Vec<_>>().join(", ")), paint));
            }
        }
        match order.parents.as_slice() {
            [] => {}
            [only] if Some(*only) == order.shown_under => {}
            [only] => pieces.push(plain(format!("for #{}", only + 1))),
            several => pieces.push(plain(format!("combines {}", numbers(several)))),
        }
        pieces
    }

    /// Lines of some events; `ends` says that nothing comes after them at their level.
    fn steps(&self, steps: &[Step], rest: &str, ends: bool, grid: &mut Grid) {
        for (i, step) in steps.iter().enumerate() {
            let is_last = ends && i + 1 == steps.len();
            let (glyph, next) =
                if is_last { (self.glyphs.last, "   ") } else { (self.glyphs.branch, self.glyphs.through) };
            grid.push(Line::Row { tree: format!("{rest}{glyph}"), cells: self.cells(step) });
            for finding in &step.findings {
                grid.push(Line::Free {
                    first: format!("{rest}{next}  "),
                    rest: format!("{rest}{next}    "),
                    pieces: finding_pieces(finding),
                });
            }
        }
    }

    fn cells(&self, step: &Step) -> Vec<Cell> {
        let e = &step.event;
        let is_fill = matches!(e.kind.as_str(), "fill" | "bust" | "correct");
        let (qty, price) = if is_fill { (e.last_qty, e.last_px) } else { (e.order_qty, e.price) };
        let price_text = match (price, e.stop_px, e.ord_type.as_deref().and_then(words::ord_type)) {
            (Some(price), ..) => format!("@ {price}"),
            (None, Some(stop), _) => format!("@ stop {stop}"),
            (None, None, Some(word)) if e.kind == "new" || e.kind == "replace" => format!("@ {word}"),
            _ => String::new(),
        };
        // An acknowledgement repeats the order's terms: there to be compared, not to be read first.
        let terms = if is_fill || e.is_request() { Paint::Plain } else { Paint::Dim };
        let show = |d: Option<Decimal>| d.map(|d| d.to_string()).unwrap_or_default();
        let gap = |nanos: Option<i64>| nanos.map(|n| text::latency(n, self.style)).unwrap_or_default();
        let arrow = if e.is_request() { ">" } else { "<" };
        let firms =
            if e.sender.is_empty() { String::new() } else { format!("{}>{}", clean(&e.sender), clean(&e.target)) };
        let id = self.event_id(e);
        let id_paint = if mentions(e, &self.story.asked) { Paint::Cyan } else { Paint::Plain };
        vec![
            Cell::new(Column::Kind, kind_text(e), kind_paint(&e.kind)),
            Cell::new(
                Column::Time,
                e.time.map(|t| self.clock.show(t)).unwrap_or_else(|| "no time".into()),
                Paint::Plain,
            ),
            Cell::new(Column::Step, gap(step.since_previous), Paint::Dim),
            Cell::new(Column::Hop, gap(step.hop), Paint::Plain),
            Cell::new(Column::Firms, firms, Paint::Dim),
            Cell::new(Column::Direction, arrow.to_string(), Paint::Dim),
            Cell::new(Column::Id, id, id_paint),
            Cell::new(Column::Qty, show(qty), terms),
            Cell::new(Column::Price, price_text, terms),
            Cell::new(Column::Cum, show(e.cum_qty), Paint::Plain),
            Cell::new(Column::Leaves, show(e.leaves_qty), Paint::Plain),
            Cell::new(
                Column::Status,
                e.ord_status.as_deref().map(|s| clean(words::ord_status(s))).unwrap_or_default(),
                Paint::Plain,
            ),
            Cell::new(Column::Notes, notes(step), Paint::Dim),
        ]
    }

    /// The identifier that this event brings, and the one it is about.
    fn event_id(&self, e: &Event) -> String {
        let about = |id: &Option<String>, word: &str, about: &Option<String>| {
            let id = id.as_deref().map(clean).unwrap_or_default();
            match about {
                Some(other) => format!("{id} ({word} {})", clean(other)),
                None => id,
            }
        };
        match e.kind.as_str() {
            "replace" | "cancel" => about(&e.cl_ord_id, "was", &e.orig_cl_ord_id),
            "bust" | "correct" => about(&e.exec_id, "of", &e.exec_ref_id),
            _ if e.is_request() => about(&e.cl_ord_id, "", &None),
            _ => about(if e.exec_id.is_some() { &e.exec_id } else { &e.cl_ord_id }, "", &None),
        }
    }

    fn id_paint(&self, id: &str, otherwise: Paint) -> Paint {
        if id == self.story.asked { Paint::Cyan } else { otherwise }
    }
}

fn plain(text: impl Into<String>) -> Piece {
    (text.into(), Paint::Plain)
}

fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// `#1, #2`.
fn numbers(indices: &[usize]) -> String {
    indices.iter().map(|i| format!("#{}", i + 1)).collect::<Vec<_>>().join(", ")
}

fn mentions(e: &Event, id: &str) -> bool {
    [&e.cl_ord_id, &e.orig_cl_ord_id, &e.order_id, &e.exec_id].into_iter().any(|c| c.as_deref() == Some(id))
}

fn kind_text(e: &Event) -> String {
    match (&e.cat_type, e.kind.as_str()) {
        (Some(cat), _) => clean(cat),
        (None, "other" | "session" | "") => format!("35={}", clean(&e.msg_type)),
        (None, kind) => clean(kind).replace('_', " "),
    }
}

fn kind_paint(kind: &str) -> Paint {
    match kind {
        "fill" => Paint::Green,
        "rejected" | "cancel_rejected" | "bust" => Paint::Red,
        "cancelled" | "expired" | "correct" | "done" => Paint::Yellow,
        _ => Paint::Plain,
    }
}

fn state_paint(state: &str) -> Paint {
    match state {
        "filled" => Paint::Green,
        "rejected" => Paint::Red,
        "open" => Paint::Bold,
        _ => Paint::Yellow,
    }
}

fn notes(step: &Step) -> String {
    let copies = step.seen.iter().filter(|s| !s.repeat).count();
    let repeats = step.seen.len() - copies;
    let times = |n: usize, verb: &str| match n {
        2 => format!("{verb} twice"),
        n => format!("{verb} {n} times"),
    };
    let mut notes = Vec::new();
    if copies > 1 {
        notes.push(times(copies, "seen"));
    }
    match (copies, repeats) {
        (_, 0) => {}
        (0, n) => notes.push(if n == 1 { "a repeat".to_string() } else { times(n, "repeated") }),
        (_, 1) => notes.push("sent again".to_string()),
        (_, n) => notes.push(format!("sent again {n} times")),
    }
    if let Some(text) = &step.event.text {
        notes.push(format!("\"{}\"", clean(text)));
    }
    notes.join(", ")
}

fn finding_pieces(finding: &EventFinding) -> Vec<Piece> {
    let paint = match finding.level.as_str() {
        "error" => Paint::Red,
        "warning" => Paint::Yellow,
        _ => Paint::Dim,
    };
    vec![(format!("! {}: {}: {}", clean(&finding.level), clean(&finding.code), clean(&finding.text)), paint)]
}
