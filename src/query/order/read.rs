//! Reads what a story needs from the tables: from an identifier to lifecycles, from those to events, links, findings.

use super::rows::{Row, rows_of};
use super::story::{Event, EventFinding, Lifecycle};
use crate::Result;
use crate::event::{Number, Text};
use crate::query::files::{LiveFiles, Place, Table};
use crate::query::scan::{self, Wanted};
use crate::table::linked::lifecycle_schema;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;

/// Columns in which the identifier asked for may stand.
const ID_COLUMNS: [&str; 5] = ["cl_ord_id", "order_id", "exec_id", "orig_cl_ord_id", "lifecycle_id"];

/// The columns that a story needs of an event, apart from its texts and numbers.
const EVENT_COLUMNS: [&str; 12] = [
    "event_id",
    "lifecycle_id",
    "also_in",
    "source",
    "offset",
    "line",
    "event_timestamp_ns",
    "kind",
    "cat_type",
    "msg_seq_num",
    "poss_dup",
    "tags",
];

/// A link between two events.
pub struct Link {
    pub kind: String,
    pub from: String,
    pub to: String,
}

/// What the tables hold about some lifecycles.
#[derive(Default)]
pub struct Found {
    pub lifecycles: BTreeMap<String, Lifecycle>,
    /// Events by lifecycle; an event that belongs to several stands in each.
    pub events: BTreeMap<String, Vec<Event>>,
    pub links: Vec<Link>,
    /// Findings by event.
    pub findings: HashMap<String, Vec<EventFinding>>,
}

/// Everything about the lifecycles in which `id` is a ClOrdID, OrderID, ExecID or the lifecycle's own id.
pub fn read(files: &dyn LiveFiles, id: &str) -> Result<Found> {
    let mut found = Found::default();
    let asked = BTreeSet::from([id.to_string()]);
    let hits = scan::rows(
        &files.places(Table::Events, &asked)?,
        &Wanted::new(&ID_COLUMNS, &asked),
        &["lifecycle_id", "also_in"],
    )?;
    let mut ids = BTreeSet::new();
    for row in rows_of(&hits) {
        ids.extend(row.text("lifecycle_id").filter(|id| !id.is_empty()));
        ids.extend(row.list("also_in"));
    }
    if ids.is_empty() {
        return Ok(found);
    }

    let of_lifecycles = Wanted::new(&["lifecycle_id"], &ids);
    let lifecycle_places = files.places(Table::Lifecycles, &ids)?;
    for row in rows_of(&scan::rows(&lifecycle_places, &of_lifecycles, &lifecycle_schema().names())?) {
        let lifecycle = lifecycle_of(&row);
        found.lifecycles.insert(lifecycle.id.clone(), lifecycle);
    }

    let (mut event_ids, mut sources) = (BTreeSet::new(), BTreeSet::new());
    let event_places = files.places(Table::Events, &ids)?;
    let event_columns = [&EVENT_COLUMNS[..], &Text::NAMES, &Number::NAMES].concat();
    let members = Wanted::new(&["lifecycle_id", "also_in"], &ids);
    for row in rows_of(&scan::rows(&event_places, &members, &event_columns)?) {
        let event = event_of(&row);
        event_ids.insert(event.event_id.clone());
        sources.insert(event.source.clone());
        let mut homes = BTreeSet::from_iter(row.list("also_in"));
        homes.insert(event.lifecycle_id.clone());
        for home in homes.intersection(&ids) {
            found.events.entry(home.clone()).or_default().push(event.clone());
        }
    }

    let link_places = files.places(Table::Links, &ids)?;
    let of_events = Wanted::new(&["from_event_id"], &event_ids);
    let wanted = if scan::have_column(&link_places, "lifecycle_id")? { &of_lifecycles } else { &of_events };
    for row in rows_of(&scan::rows(&link_places, wanted, &["kind", "from_event_id", "to_event_id"])?) {
        found.links.push(Link {
            kind: row.text_or_empty("kind"),
            from: row.text_or_empty("from_event_id"),
            to: row.text_or_empty("to_event_id"),
        });
    }

    // A finding is in the partition of its event, or of the first event of its lifecycle.
    let days: BTreeSet<&OsStr> = event_places.iter().chain(&lifecycle_places).filter_map(Place::partition).collect();
    let mut finding_places = files.places(Table::Findings, &ids)?;
    finding_places.retain(|place| place.partition().is_none_or(|day| days.contains(day)));
    let of_events = Wanted { only: Some(("source", &sources)), ..Wanted::new(&["event_id"], &event_ids) };
    for row in rows_of(&scan::rows(&finding_places, &of_events, &["event_id", "code", "level", "text"])?) {
        found.findings.entry(row.text_or_empty("event_id")).or_default().push(EventFinding {
            code: row.text_or_empty("code"),
            level: row.text_or_empty("level"),
            text: row.text_or_empty("text"),
        });
    }
    Ok(found)
}

fn lifecycle_of(row: &Row<'_>) -> Lifecycle {
    Lifecycle {
        id: row.text_or_empty("lifecycle_id"),
        roots: row.list("roots"),
        symbol: row.text("symbol"),
        side: row.text("side"),
        order_qty: row.decimal("order_qty"),
        filled_qty: row.decimal("filled_qty"),
        state: row.text("state"),
        first: row.int("first_time_ns"),
        last: row.int("last_time_ns"),
        firms: row.list("firms"),
        events: row.int("events"),
    }
}

fn event_of(row: &Row<'_>) -> Event {
    let tags = Tags::parse(row.text("tags"));
    Event {
        event_id: row.text_or_empty("event_id"),
        lifecycle_id: row.text_or_empty("lifecycle_id"),
        source: row.text_or_empty("source"),
        offset: row.int("offset"),
        line: row.int("line"),
        time: row.int("event_timestamp_ns"),
        kind: row.text_or_empty("kind"),
        msg_type: row.text_or_empty("msg_type"),
        cat_type: row.text("cat_type"),
        msg_seq_num: row.text("msg_seq_num"),
        repeat: row.text("poss_dup").as_deref() == Some("Y") || tags.get("97").as_deref() == Some("Y"),
        // The parties are those for whom the session carries the message, where it says so.
        sender: tags.get("115").unwrap_or_else(|| row.text_or_empty("sender_comp_id")),
        target: tags.get("128").unwrap_or_else(|| row.text_or_empty("target_comp_id")),
        cl_ord_id: row.text("cl_ord_id"),
        orig_cl_ord_id: row.text("orig_cl_ord_id"),
        order_id: row.text("order_id"),
        exec_id: row.text("exec_id"),
        exec_ref_id: tags.get("19"),
        symbol: row.text("symbol"),
        side: row.text("side"),
        ord_type: row.text("ord_type"),
        time_in_force: row.text("time_in_force"),
        ord_status: row.text("ord_status"),
        exec_type: row.text("exec_type"),
        price: row.decimal("price"),
        stop_px: row.decimal("stop_px"),
        last_px: row.decimal("last_px"),
        avg_px: row.decimal("avg_px"),
        order_qty: row.decimal("order_qty"),
        last_qty: row.decimal("last_qty"),
        cum_qty: row.decimal("cum_qty"),
        leaves_qty: row.decimal("leaves_qty"),
        text: tags.get("58"),
    }
}

/// The `tags` column of one event.
struct Tags(serde_json::Value);

impl Tags {
    fn parse(text: Option<String>) -> Tags {
        Tags(text.and_then(|t| serde_json::from_str(&t).ok()).unwrap_or_default())
    }

    /// A tag's value; a repeated tag's first.
    fn get(&self, tag: &str) -> Option<String> {
        let value = self.0.get(tag)?;
        let value = value.get(0).unwrap_or(value);
        value.as_str().filter(|t| !t.is_empty()).map(str::to_string)
    }
}
