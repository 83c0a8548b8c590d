//! What becomes of rows that are there already when new events concern them: which stay, which go, what has changed.
//!
//! The rows of the concerned events alone are the rows that are there now. Linking these events anew together with the
//! new ones gives their rows from now on. Rows in both stay where they are.

use super::lifecycles::as_digits;
use super::linked::Linked;
use super::linker::Linkage;
use super::rows::{LifecycleRow, LinkRow, Rows};
use super::store::as_text;
use crate::Result;
use crate::event::Kind;
use crate::finding::Finding;
use crate::table::changes::ChangeRow;
use crate::table::findings::finding_hash;
use crate::table::linked::link_hash;
use crate::types::{Decimal, Timestamp};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The rows of concerned events as they were.
#[derive(Default)]
pub struct Before {
    links: Marked,
    findings: Marked,
    lifecycles: HashMap<[u8; 20], OldLifecycle>,
    /// By place: source, offset, place within the message.
    events: Vec<(Place, [u8; 10])>,
    moved: Mutex<Vec<Moved>>,
}

type Place = (u32, u64, u32);

/// An event that has another lifecycle than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moved {
    /// Its day, which is its partition.
    pub day: i32,
    pub source: u32,
    pub offset: u64,
    pub sub: u32,
    pub lifecycle: [u8; 10],
}

/// Hashes of rows, each with its partition and its lifecycle, and whether it was met again.
#[derive(Default)]
struct Marked {
    rows: Vec<MarkedRow>,
    met: Vec<AtomicBool>,
}

type MarkedRow = (u128, i32, [u8; 10]);

/// Rows that go: their hashes and their lifecycles.
#[derive(Clone, Debug, Default)]
pub struct GoneRows {
    pub hashes: HashSet<u128>,
    pub lifecycles: HashSet<[u8; 20]>,
}

impl Marked {
    fn of(mut rows: Vec<MarkedRow>) -> Marked {
        rows.sort_unstable();
        let met = rows.iter().map(|_| AtomicBool::new(false)).collect();
        Marked { rows, met }
    }

    /// Marks a row; false when it was not there, or has been met already.
    fn meet(&self, hash: u128, day: i32) -> bool {
        let start = self.rows.partition_point(|row| (row.0, row.1) < (hash, day));
        let same = self.rows[start..].iter().take_while(|row| (row.0, row.1) == (hash, day)).count();
        self.met[start..start + same].iter().any(|met| !met.swap(true, Relaxed))
    }

    fn not_met(&self) -> BTreeMap<i32, GoneRows> {
        let mut by_day: BTreeMap<i32, GoneRows> = BTreeMap::new();
        for ((hash, day, lifecycle), _) in self.rows.iter().zip(&self.met).filter(|(_, met)| !met.load(Relaxed)) {
            let gone = by_day.entry(*day).or_default();
            gone.hashes.insert(*hash);
            gone.lifecycles.insert(as_digits(*lifecycle));
        }
        by_day
    }
}

struct OldLifecycle {
    day: i32,
    values: Vec<Option<String>>,
    met: AtomicBool,
}

/// Rows that go: by day, which is their partition.
#[derive(Debug, Default)]
pub struct Gone {
    pub links: BTreeMap<i32, GoneRows>,
    pub findings: BTreeMap<i32, GoneRows>,
    pub lifecycles: BTreeMap<i32, HashSet<[u8; 20]>>,
    /// Sorted.
    pub moved: Vec<Moved>,
}

/// What happened to lifecycles that have concerned events.
#[derive(Default)]
pub struct News {
    by_id: HashMap<[u8; 20], OfLifecycle>,
}

#[derive(Default)]
struct OfLifecycle {
    /// Lifecycles that its events had before, but for itself.
    others: BTreeSet<[u8; 10]>,
    /// New events by kind.
    new: BTreeMap<Kind, u64>,
}

impl Before {
    /// The rows of `linkage`, which has linked the concerned events alone; `names` are those of the sources.
    ///
    /// # Errors
    /// When a bucket cannot be read back.
    pub fn of(linkage: &Linkage, names: &[String]) -> Result<Before> {
        let (links, findings, events) = (Vec::new(), Vec::new(), Vec::new());
        let mut taking = Taking { names, day: 0, links, findings, lifecycles: HashMap::new(), events };
        linkage.each(|linked| {
            taking.events(linked);
            for block in 0..linked.blocks() {
                taking.day = linked.block_day(block);
                linked.block(block, &mut taking);
            }
            Ok(())
        })?;
        let mut events = taking.events;
        events.sort_unstable();
        Ok(Before {
            links: Marked::of(taking.links),
            findings: Marked::of(taking.findings),
            lifecycles: taking.lifecycles,
            events,
            moved: Mutex::default(),
        })
    }

    /// Compares the lifecycles of events linked anew with those that they had.
    pub fn news(&self, linked: &Linked) -> News {
        let mut known: HashMap<u32, OfLifecycle> = HashMap::new();
        let mut moved = Vec::new();
        linked.each_event(|event, lifecycle, is_known| {
            if !is_known {
                return;
            }
            let of_lifecycle = known.entry(lifecycle).or_default();
            let place = (event.source, event.offset, event.sub);
            let Ok(at) = self.events.binary_search_by_key(&place, |old| old.0) else { return };
            let (before, now) = (self.events[at].1, linked.short_id(lifecycle));
            if before != now {
                of_lifecycle.others.insert(before);
                let (source, offset, sub) = place;
                moved.push(Moved { day: event.day, source, offset, sub, lifecycle: now });
            }
        });
        linked.each_event(|event, lifecycle, is_known| {
            if !is_known && let Some(of_lifecycle) = known.get_mut(&lifecycle) {
                *of_lifecycle.new.entry(event.kind).or_insert(0) += 1;
            }
        });
        self.moved.lock().unwrap_or_else(PoisonError::into_inner).append(&mut moved);
        News { by_id: known.into_iter().map(|(lifecycle, of)| (linked.id(lifecycle), of)).collect() }
    }

    /// True when the row is there already; `day` is its partition.
    pub fn has_link(&self, day: i32, row: &LinkRow<'_>) -> bool {
        self.links.meet(link_hash(row), day)
    }

    /// True when the finding is there already.
    pub fn has_finding(&self, day: i32, finding: &Finding, source: &str) -> bool {
        self.findings.meet(finding_hash(finding, source), day)
    }

    /// True when the row is there already. What is different from before is told to `change`.
    pub fn has_lifecycle(&self, row: &LifecycleRow<'_>, news: &News, mut change: impl FnMut(ChangeRow<'_>)) -> bool {
        let id = id_of(row);
        let of = news.by_id.get(&id);
        let old = self.lifecycles.get(&id);
        if of.is_none() && old.is_none() {
            return false;
        }
        let values = values(row);
        let is_same = old.is_some_and(|old| old.day == row.day && old.values == values);
        if is_same {
            old.inspect(|old| old.met.store(true, Relaxed));
        }
        if is_same && of.is_none_or(|of| of.others.is_empty()) {
            return true;
        }
        let why = why(of);
        let mut tell = |what: &'static str, old: Option<&str>, new: Option<&str>| {
            change(ChangeRow { day: row.day, lifecycle_id: row.lifecycle_id, change: what, old, new, why: &why });
        };
        for other in of.iter().flat_map(|of| &of.others) {
            tell("lifecycle_id", Some(as_text(&as_digits(*other))), Some(row.lifecycle_id));
        }
        // A lifecycle of a new id had no values.
        if let Some(old) = old {
            for (column, (old, new)) in COLUMNS.iter().zip(old.values.iter().zip(&values)) {
                if old != new {
                    tell(column, old.as_deref(), new.as_deref());
                }
            }
        }
        is_same
    }

    /// The rows that were not met again; to be asked for when all new rows were shown.
    pub fn gone(self) -> Gone {
        let mut lifecycles: BTreeMap<i32, HashSet<[u8; 20]>> = BTreeMap::new();
        for (id, old) in self.lifecycles.iter().filter(|(_, old)| !old.met.load(Relaxed)) {
            lifecycles.entry(old.day).or_default().insert(*id);
        }
        let mut moved = self.moved.into_inner().unwrap_or_else(PoisonError::into_inner);
        moved.sort_unstable();
        Gone { links: self.links.not_met(), findings: self.findings.not_met(), lifecycles, moved }
    }
}

/// The columns of `lifecycles` whose changes are told.
const COLUMNS: [&str; 11] = [
    "roots",
    "symbol",
    "side",
    "order_qty",
    "filled_qty",
    "state",
    "first_time",
    "last_time",
    "events",
    "orders",
    "firms",
];

/// The values of [`COLUMNS`] as text.
fn values(row: &LifecycleRow<'_>) -> Vec<Option<String>> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_string());
    let quantity = |quantity: Option<i64>| quantity.map(|q| Decimal(q).to_string());
    let time = |time: Option<i64>| time.map(|t| Timestamp(t).to_string());
    vec![
        text(&row.roots.join(", ")),
        text(row.symbol),
        text(row.side),
        quantity(row.order_qty),
        quantity(row.filled_qty),
        text(row.state),
        time(row.first_time),
        time(row.last_time),
        Some(row.events.to_string()),
        Some(row.orders.to_string()),
        text(&row.firms.join(", ")),
    ]
}

/// `3 new events: 2 fill, 1 bust`, or what stands for it where events elsewhere have made the change.
fn why(of: Option<&OfLifecycle>) -> String {
    let Some(of) = of.filter(|of| !of.new.is_empty()) else {
        return "events of other orders, or a message that had been cut off".into();
    };
    let count: u64 = of.new.values().sum();
    let kinds: Vec<String> = of.new.iter().map(|(kind, count)| format!("{count} {}", kind.as_str())).collect();
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} new event{plural}: {}", kinds.join(", "))
}

/// Takes the rows of what is linked.
struct Taking<'a> {
    names: &'a [String],
    day: i32,
    links: Vec<MarkedRow>,
    findings: Vec<MarkedRow>,
    lifecycles: HashMap<[u8; 20], OldLifecycle>,
    events: Vec<(Place, [u8; 10])>,
}

impl Taking<'_> {
    fn events(&mut self, linked: &Linked) {
        linked.each_event(|event, lifecycle, _| {
            self.events.push(((event.source, event.offset, event.sub), linked.short_id(lifecycle)));
        });
    }
}

impl Rows for Taking<'_> {
    fn link(&mut self, row: LinkRow<'_>) {
        self.links.push((link_hash(&row), self.day, from_digits(&row.lifecycle_id)));
    }

    fn lifecycle(&mut self, row: LifecycleRow<'_>) {
        let old = OldLifecycle { day: row.day, values: values(&row), met: AtomicBool::new(false) };
        self.lifecycles.insert(id_of(&row), old);
    }

    fn finding(&mut self, finding: Finding) {
        let source = self.names.get(finding.source as usize).map_or("", String::as_str);
        self.findings.push((finding_hash(&finding, source), self.day, [0; 10]));
    }
}

fn id_of(row: &LifecycleRow<'_>) -> [u8; 20] {
    row.lifecycle_id.as_bytes().try_into().unwrap_or_default()
}

/// The bytes that hexadecimal digits stand for.
fn from_digits(digits: &[u8; 20]) -> [u8; 10] {
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or_default() as u8;
    std::array::from_fn(|i| value(digits[2 * i]) << 4 | value(digits[2 * i + 1]))
}
