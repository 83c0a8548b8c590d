//! Small days, linked: how tests write events and read what comes out.

mod arrivals;
mod plain;
mod random;
mod rules;

use super::{Batch, LifecycleRow, LinkRow, Linkage, Linked, Linker, PartKey, Rows, Sources, as_digits};
use crate::event::Kind;
use crate::event::key::{Facts, KeyKind, KeyUse, Role, TextRef, key_hash};
use crate::finding::Finding;
use crate::table::Spool;
use crate::types::decimal::ONE;
use xxhash_rust::xxh3::xxh3_64;

/// An event as a test writes it; its place in the list is its offset and canonical order.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub day: i32,
    pub time: i64,
    pub kind: Kind,
    pub status: u8,
    pub orderer: String,
    pub receiver: String,
    pub symbol: String,
    pub side: u8,
    pub copy: u64,
    pub repeat: bool,
    /// OrderQty, LastQty, CumQty.
    pub quantities: [i64; 3],
    pub keys: Vec<(KeyKind, Role, String)>,
}

/// Kind and parts of a key: a parent is an order that the event's orderer received.
pub(super) fn key_of(event: &Sample, key: &(KeyKind, Role, String)) -> u128 {
    let owner = match key.1 {
        Role::Parent { .. } => &event.orderer,
        _ => &event.receiver,
    };
    key_hash(key.0, xxh3_64(owner.as_bytes()), key.2.as_bytes())
}

pub(super) fn event_id(number: usize) -> String {
    format!("00000000000{}-{}", source_of(number), number * 10)
}

/// Events of a source, but for the last one.
const EACH: usize = 3;
const SOURCES: usize = 8;

/// The source of an event: sources follow each other in canonical order.
fn source_of(number: usize) -> u32 {
    (number / EACH).min(SOURCES - 1) as u32
}

fn source_names() -> Vec<String> {
    (0..SOURCES).map(|source| format!("{source}.log")).collect()
}

fn sources() -> Sources {
    let prefix = |n: usize| std::array::from_fn(|i| if i == 11 { b'0' + n as u8 } else { b'0' });
    Sources { prefixes: (0..SOURCES).map(prefix).collect(), ..Sources::new(&source_names()) }
}

/// Everything that came out, as text.
#[derive(Default, Debug, PartialEq)]
struct Out {
    links: Vec<[String; 4]>,
    lifecycles: Vec<String>,
    findings: Vec<(String, u64, String)>,
    /// Empty for events that were not linked.
    ids: Vec<String>,
    /// All that a row says.
    whole: Vec<String>,
}

impl Out {
    fn sorted(mut self) -> Out {
        self.links.sort_unstable();
        self.lifecycles.sort_unstable();
        self.findings.sort_unstable();
        self.whole.sort_unstable();
        self
    }
}

impl Rows for Out {
    fn link(&mut self, row: LinkRow<'_>) {
        let texts = [row.kind.as_bytes(), row.from_event_id, row.to_event_id, row.key];
        self.links.push(texts.map(|text| String::from_utf8(text.to_vec()).expect("UTF-8")));
        self.whole.push(format!("{row:?}"));
    }

    fn lifecycle(&mut self, row: LifecycleRow<'_>) {
        self.whole.push(format!("{row:?}"));
        self.lifecycles.push(format!(
            "roots={} {} side={} ordered={:?} filled={:?} {} events={} orders={} firms={}",
            row.roots.join("+"),
            row.symbol,
            row.side,
            row.order_qty.map(|q| q / ONE),
            row.filled_qty.map(|q| q / ONE),
            row.state,
            row.events,
            row.orders,
            row.firms.join(">"),
        ));
    }

    fn finding(&mut self, finding: Finding) {
        self.whole.push(format!("{finding:?}"));
        self.findings.push((finding.code.to_string(), finding.offset / 10, finding.text.to_string()));
    }
}

/// Links the samples cut into units at `cuts`, the units added from the last to the first when `backwards`.
fn link(samples: &[Sample], cuts: &[usize], backwards: bool) -> Out {
    link_within(usize::MAX, samples, cuts, backwards)
}

/// The same with a limit for what stays in memory; rows are sorted, for buckets have their own order.
fn link_in_buckets(most_bytes: usize, samples: &[Sample], cuts: &[usize], backwards: bool) -> Out {
    link_within(most_bytes, samples, cuts, backwards).sorted()
}

fn link_within(most_bytes: usize, samples: &[Sample], cuts: &[usize], backwards: bool) -> Out {
    let dir = tempfile::tempdir().expect("a directory");
    let linker = Linker::new(most_bytes, Spool::create(dir.path()).expect("a spool"));
    let mut bounds: Vec<usize> = cuts.iter().map(|c| c % (samples.len() + 1)).chain([0, samples.len()]).collect();
    bounds.sort_unstable();
    let mut batches: Vec<(PartKey, Batch)> = Vec::new();
    for (unit, bounds) in (0..).zip(bounds.windows(2)) {
        for source in 0..SOURCES as u32 {
            let mut batch = Batch::new();
            let own = (bounds[0]..bounds[1]).filter(|&number| source_of(number) == source);
            own.for_each(|number| add(&mut batch, &samples[number], number));
            batches.push((PartKey { source, unit, is_tail: false, is_known: false }, batch));
        }
    }
    if backwards {
        batches.reverse();
    }
    batches.into_iter().for_each(|(key, batch)| linker.add(key, batch).expect("a batch"));
    let out = collect(&linker.finish(sources()).expect("everything linked"), samples.len());
    assert!(out.ids.iter().all(|id| id.len() == 20), "every event has a lifecycle");
    out
}

fn collect(linkage: &Linkage, events: usize) -> Out {
    let mut out = Out { ids: vec![String::new(); events], ..Out::default() };
    match linkage {
        Linkage::Whole(linked) => collect_rows(linked, &mut out),
        Linkage::Buckets(buckets) => {
            for bucket in 0..buckets.len() {
                collect_rows(&buckets.link(bucket).expect("a bucket"), &mut out);
            }
        }
    }
    out
}

fn collect_rows(linked: &Linked, out: &mut Out) {
    let mut own = 0;
    linked.each_event(|event, lifecycle, is_known| {
        out.ids[event.offset as usize / 10] = String::from_utf8_lossy(&linked.id(lifecycle)).into_owned();
        own += usize::from(!is_known);
    });
    for unit in linked.units() {
        let mut last = None;
        linked.each_row(unit, |row, lifecycle| {
            assert!(last.replace(row) < Some(row), "rows ascend");
            assert_eq!(out.ids[row as usize / 2].as_bytes(), linked.id(lifecycle));
            assert_eq!(as_digits(linked.short_id(lifecycle)), linked.id(lifecycle));
            own -= 1;
        });
    }
    assert_eq!(own, 0, "every event is in a unit");
    let before = out.lifecycles.len() as u64;
    (0..linked.blocks()).for_each(|block| linked.block(block, out));
    assert_eq!(out.lifecycles.len() as u64 - before, linked.lifecycles());
}

fn add(batch: &mut Batch, sample: &Sample, number: usize) {
    let mut bytes = Vec::new();
    let scope = batch.name(sample.orderer.as_bytes());
    let uses: Vec<KeyUse> = sample
        .keys
        .iter()
        .map(|key| {
            let text = TextRef { start: bytes.len() as u32, len: key.2.len() as u32 };
            bytes.extend_from_slice(key.2.as_bytes());
            let scope = if key.0 == KeyKind::ClOrdId { scope } else { 0 };
            KeyUse { kind: key.0, role: key.1, scope, hash: key_of(sample, key), text }
        })
        .collect();
    let [order_qty, last_qty, cum_qty] = sample.quantities;
    let facts = Facts {
        row: number as u32 * 2,
        source: source_of(number),
        offset: number as u64 * 10,
        time: sample.time,
        day: sample.day,
        kind: sample.kind,
        status: sample.status,
        side: sample.side,
        repeat: sample.repeat,
        orderer: scope,
        receiver: batch.name(sample.receiver.as_bytes()),
        symbol: batch.name(sample.symbol.as_bytes()),
        order_qty,
        last_qty,
        cum_qty,
        copy: sample.copy,
        ..Facts::default()
    };
    batch.event(&facts, &uses, &bytes);
}
