//! Nanoseconds per event through the linker: `cargo run --release --example linker_speed -- [EVENTS] [SHAPE]`.
//!
//! Shapes: `day` (brokers' and exchanges' logs of a day, each message in two logs), `single` (orders of one event),
//! `fills` (one order with every fill), `chain` (one order replaced again and again), `same` (one ClOrdID for all),
//! `combined` (orders of 50,000 parents), `siblings` (one link id, everybody's parent).

use fixtrail::event::Kind;
use fixtrail::event::key::{Expect, Facts, KeyKind, KeyUse, NO_QTY, Role, TextRef, key_hash};
use fixtrail::finding::Finding;
use fixtrail::link::{Batch, LifecycleRow, LinkRow, Linkage, Linker, PartKey, Rows, Sources};
use fixtrail::table::Spool;
use rayon::prelude::*;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

const UNIT: usize = 150_000;

#[derive(Clone, Copy)]
struct Line {
    facts: Facts,
    orderer: u32,
    receiver: u32,
    ids: [u64; 4],
    parent: u64,
    parent_count: u32,
    shape: u8,
}

/// Names made once: parties, symbols.
struct Texts {
    parties: Vec<String>,
    symbols: Vec<String>,
}

/// CPU time of all threads: other programs on the machine do not count. In steps of 10 ms.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: u64 = stat.split_whitespace().skip(13).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// One message as an event: ids are ClOrdID, OrigClOrdID, OrderID, ExecID (0: none).
fn put(texts: &Texts, batch: Option<&mut Batch>, uses: &mut Vec<KeyUse>, bytes: &mut Vec<u8>, line: &Line, row: u32) {
    uses.clear();
    bytes.clear();
    let (orderer, receiver) = (&texts.parties[line.orderer as usize], &texts.parties[line.receiver as usize]);
    let mut batch = batch;
    let mut name = |text: &str| batch.as_mut().map_or(0, |b| b.name(text.as_bytes()));
    let scope = name(orderer);
    let is_request = line.facts.from_orderer;
    let mut add = |kind, role, owner: &str, id: u64| {
        let start = bytes.len();
        bytes.push(b'C');
        let mut digits = [b'0'; 9];
        let mut rest = id;
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        bytes.extend_from_slice(&digits);
        let hash = key_hash(kind, xxh3_64(owner.as_bytes()), &bytes[start..]);
        let text = TextRef { start: start as u32, len: (bytes.len() - start) as u32 };
        uses.push(KeyUse { kind, role, scope: if kind == KeyKind::ClOrdId { scope } else { 0 }, hash, text });
    };
    let own = if is_request { Role::Assigns } else { Role::Mentions };
    let [cl, orig, order, exec] = line.ids;
    if cl != 0 {
        add(KeyKind::ClOrdId, own, receiver, cl);
    }
    if orig != 0 {
        add(KeyKind::ClOrdId, Role::Predecessor, receiver, orig);
    }
    if order != 0 {
        let role = if line.facts.kind == Kind::Ack { Role::Assigns } else { Role::Mentions };
        add(KeyKind::OrderId, role, receiver, order);
    }
    if exec != 0 {
        add(KeyKind::ExecId, Role::Assigns, receiver, exec);
    }
    for slot in 0..line.parent_count {
        let kind = if line.shape == 1 { KeyKind::ClOrdLinkId } else { KeyKind::OrderId };
        let parent = line.parent + u64::from(slot);
        let role = |rank| Role::Parent { slot: slot as u16, rank, expect: Expect::Parent };
        add(kind, role(0), orderer, parent);
        if line.shape == 0 {
            add(KeyKind::ClOrdId, role(1), orderer, parent);
        }
    }
    if line.shape == 1 {
        add(KeyKind::ClOrdLinkId, Role::Mentions, receiver, 7);
    }
    let facts = Facts {
        row,
        orderer: scope,
        receiver: name(receiver),
        symbol: name(&texts.symbols[(line.ids[0] / 16 % 5000) as usize]),
        ..line.facts
    };
    match batch {
        Some(batch) => batch.event(&facts, uses, bytes),
        None => {
            std::hint::black_box((facts, &uses));
        }
    }
}

struct Day {
    sources: Vec<Vec<Line>>,
    events: usize,
    clock: i64,
}

impl Day {
    fn push(
        &mut self,
        sources: &[usize],
        kind: Kind,
        path: (u32, u32),
        ids: [u64; 4],
        quantities: [i64; 3],
        parent: u64,
    ) {
        self.clock += 1000;
        let is_request = matches!(kind, Kind::New | Kind::Replace | Kind::Cancel);
        let [order_qty, last_qty, cum_qty] = quantities;
        let status = match kind {
            Kind::Ack => b'0',
            Kind::Fill if cum_qty == order_qty => b'2',
            Kind::Fill => b'1',
            _ => 0,
        };
        for &source in sources {
            let facts = Facts {
                source: source as u32,
                offset: self.sources[source].len() as u64 * 220,
                line: self.sources[source].len() as u64 + 1,
                time: self.clock,
                day: 20_514,
                kind,
                status,
                side: b'1',
                from_orderer: is_request,
                order_qty,
                last_qty,
                cum_qty,
                copy: self.clock as u64,
                ..Facts::default()
            };
            let (parent_count, shape) = (u32::from(parent != 0), 0);
            let (orderer, receiver) = path;
            self.sources[source].push(Line { facts, orderer, receiver, ids, parent, parent_count, shape });
            self.events += 1;
        }
    }
}

/// Clients' orders to brokers, passed on to exchanges; the brokers' messages with exchanges are in both firms' logs.
fn trading_day(events: usize) -> Day {
    let mut day = Day { sources: vec![Vec::new(); 120], events: 0, clock: 0 };
    let mut id = 0;
    while day.events < events {
        id += 16;
        let (client, broker, venue) = ((id / 16 % 20) as u32 + 20, (id / 16 % 5) as u32, (id / 16 % 3) as u32 + 10);
        let client_log = [(broker * 20 + client - 20) as usize];
        let venue_logs = [100 + (broker * 3 + venue - 10) as usize % 15, 105 + (broker * 3 + venue - 10) as usize];
        let (c, v) = ((client, broker), (broker, venue));
        day.push(&client_log, Kind::New, c, [id, 0, 0, 0], [300, NO_QTY, NO_QTY], 0);
        day.push(&client_log, Kind::Ack, c, [id, 0, id + 1, 0], [300, NO_QTY, 0], 0);
        day.push(&venue_logs, Kind::New, v, [id + 2, 0, 0, 0], [300, NO_QTY, NO_QTY], id + 1);
        day.push(&venue_logs, Kind::Ack, v, [id + 2, 0, id + 3, 0], [300, NO_QTY, 0], 0);
        for fill in 1..=3 {
            day.push(&venue_logs, Kind::Fill, v, [id + 2, 0, id + 3, id + 3 + fill], [300, 100, 100 * fill as i64], 0);
            day.push(&client_log, Kind::Fill, c, [id, 0, id + 1, id + 6 + fill], [300, 100, 100 * fill as i64], 0);
        }
    }
    day
}

/// Shapes that would hurt a careless linker.
fn skewed(events: usize, shape: &str) -> Day {
    let mut day = Day { sources: vec![Vec::new()], events: 0, clock: 0 };
    let new = [1, NO_QTY, NO_QTY];
    for n in 1..=events as u64 {
        match shape {
            "single" => day.push(&[0], Kind::New, (20, 0), [n, 0, 0, 0], new, 0),
            "fills" if n > 1 => day.push(&[0], Kind::Fill, (20, 0), [1, 0, 2, n], [1 << 40, 1, n as i64], 0),
            "chain" => day.push(&[0], Kind::Replace, (20, 0), [n, n - 1, 0, 0], new, 0),
            "combined" => day.push(&[0], Kind::New, (20, 0), [n, 0, n, 0], new, 0),
            "siblings" => {
                day.push(&[0], Kind::New, (0, 0), [n, 0, 0, 0], new, 7);
                if let Some(line) = day.sources[0].last_mut() {
                    line.shape = 1;
                }
            }
            _ => day.push(&[0], Kind::New, (20, 0), [1, 0, 0, 0], new, 0),
        }
        if shape == "combined" && n % 50_000 == 0 {
            day.push(&[0], Kind::New, (0, 10), [1_000_000_000 + n, 0, 0, 0], new, 0);
            if let Some(line) = day.sources[0].last_mut() {
                (line.parent, line.parent_count) = (n - 49_999, 50_000);
            }
        }
    }
    day
}

#[derive(Default)]
struct Count {
    links: u64,
    lifecycles: u64,
    findings: u64,
    bytes: u64,
}

impl Rows for Count {
    fn link(&mut self, row: LinkRow<'_>) {
        self.links += 1;
        self.bytes += (row.from_event_id.len() + row.to_event_id.len() + row.key.len()) as u64;
    }

    fn lifecycle(&mut self, row: LifecycleRow<'_>) {
        self.lifecycles += 1;
        self.bytes += row.roots.iter().map(|r| r.len() as u64).sum::<u64>();
    }

    fn finding(&mut self, finding: Finding) {
        self.findings += 1;
        self.bytes += finding.text.len() as u64;
    }
}

fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or_default() / 1024
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or_default() / 1024
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let events: usize = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(5_000_000);
    let shape = arguments.next().unwrap_or_else(|| "day".to_string());
    let day = if shape == "day" { trading_day(events) } else { skewed(events, &shape) };
    let lines: Vec<Line> = day.sources.into_iter().flatten().collect();
    let texts = Texts {
        parties: (0..40).map(|n| format!("PARTY{n:02}")).collect(),
        symbols: (0..5000).map(|n| format!("S{n}")).collect(),
    };
    let (mut uses, mut bytes) = (Vec::new(), Vec::new());
    let start = cpu_time();
    lines.iter().for_each(|line| put(&texts, None, &mut uses, &mut bytes, line, 0));
    let making = cpu_time() - start;
    let before = resident_mib();
    let dir = tempfile::tempdir().expect("a directory");
    let linker = Linker::new(usize::MAX, Spool::create(dir.path()).expect("a spool"));
    let start = cpu_time();
    for (unit, lines) in (0..).zip(lines.chunks(UNIT)) {
        for lines in lines.chunk_by(|a, b| a.facts.source == b.facts.source) {
            let mut batch = Batch::with_capacity(lines.len());
            for (line, row) in lines.iter().zip(0..) {
                put(&texts, Some(&mut batch), &mut uses, &mut bytes, line, row);
            }
            let source = lines[0].facts.source;
            linker.add(PartKey { source, unit, is_tail: false, is_known: false }, batch).expect("memory");
        }
    }
    let absorbed = cpu_time() - start;
    let names: Vec<String> = (0..120).map(|n| format!("{n:03}.log")).collect();
    let Ok(Linkage::Whole(linked)) = linker.finish(Sources::new(&names)) else {
        unreachable!("everything is in memory")
    };
    let finished = cpu_time() - start;
    let counts: Vec<Count> = (0..linked.blocks())
        .into_par_iter()
        .map(|block| {
            let mut count = Count::default();
            linked.block(block, &mut count);
            count
        })
        .collect();
    let all = cpu_time() - start;
    let ns = |d: Duration| d.as_nanos() as u64 / linked.events();
    println!(
        "{shape}: {} events, {} orders, {} lifecycles, {} links, {} findings",
        linked.events(),
        linked.orders(),
        counts.iter().map(|c| c.lifecycles).sum::<u64>(),
        counts.iter().map(|c| c.links).sum::<u64>(),
        counts.iter().map(|c| c.findings).sum::<u64>(),
    );
    println!(
        "CPU ns/event: absorb {}, making the events {}, finish {}, rows {}, all {}; {} blocks; {} MiB, peak {} MiB over the input's {} MiB; text {} MiB",
        ns(absorbed.saturating_sub(making)),
        ns(making),
        ns(finished - absorbed),
        ns(all - finished),
        ns(all.saturating_sub(making)),
        linked.blocks(),
        resident_mib() - before,
        peak_mib() - before,
        before,
        counts.iter().map(|c| c.bytes).sum::<u64>() >> 20,
    );
}
