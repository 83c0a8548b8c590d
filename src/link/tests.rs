//! Small days, linked.

use super::{Batch, LifecycleRow, LinkRow, Linked, Linker, Rows, plain};
use crate::event::Kind;
use crate::event::key::{Expect, Facts, KeyKind, KeyUse, NO_DAY, NO_QTY, NO_TIME, Role, TextRef, key_hash};
use crate::finding::Finding;
use crate::types::decimal::ONE;
use proptest::prelude::*;

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
    key_hash(key.0, [owner.as_bytes(), key.2.as_bytes()])
}

pub(super) fn event_id(number: usize) -> String {
    format!("00000000000{}-{}", number % 3, number * 10)
}

/// Everything that came out, as text.
#[derive(Default, Debug, PartialEq)]
struct Out {
    links: Vec<[String; 4]>,
    lifecycles: Vec<String>,
    findings: Vec<(String, u64, String)>,
    ids: Vec<String>,
}

impl Rows for Out {
    fn link(&mut self, row: LinkRow<'_>) {
        self.links.push([row.kind.as_str(), row.from_event_id, row.to_event_id, row.key].map(str::to_string));
    }

    fn lifecycle(&mut self, row: LifecycleRow<'_>) {
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
        self.findings.push((finding.code.to_string(), finding.offset / 10, finding.text));
    }
}

/// Links the samples cut into units at `cuts`, the units added from the last to the first when `backwards`.
fn link(samples: &[Sample], cuts: &[usize], backwards: bool) -> Out {
    let linker = Linker::new();
    let mut bounds: Vec<usize> = cuts.iter().map(|c| c % (samples.len() + 1)).chain([0, samples.len()]).collect();
    bounds.sort_unstable();
    let mut batches: Vec<Batch> = bounds
        .windows(2)
        .map(|w| {
            let mut batch = Batch::new();
            (w[0]..w[1]).for_each(|number| add(&mut batch, &samples[number], number));
            batch
        })
        .collect();
    let units = batches.len();
    let mut numbered: Vec<(u32, Batch)> = (0..units as u32).zip(batches.drain(..)).collect();
    if backwards {
        numbered.reverse();
    }
    numbered.into_iter().for_each(|(unit, batch)| linker.add(unit, batch));
    let prefixes = (0..3).map(|n| std::array::from_fn(|i| if i == 11 { b'0' + n } else { b'0' })).collect();
    collect(&linker.finish(prefixes), units, samples.len())
}

fn collect(linked: &Linked, units: usize, events: usize) -> Out {
    let mut out = Out::default();
    for unit in 0..units as u32 {
        for (row, lifecycle) in linked.rows(unit) {
            assert_eq!(row as usize, out.ids.len() * 2);
            out.ids.push(String::from_utf8_lossy(&linked.id(lifecycle)).into_owned());
        }
    }
    assert_eq!((out.ids.len(), linked.events()), (events, events as u64));
    (0..linked.blocks()).for_each(|block| linked.block(block, &mut out));
    assert_eq!(out.lifecycles.len() as u64, linked.lifecycles());
    out
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
        source: number as u32 % 3,
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

const DAY: i32 = 20_514; // 2026-03-02

fn sample(kind: Kind, path: &str, time: i64) -> Sample {
    let (orderer, receiver) = path.split_once('>').unwrap_or((path, ""));
    Sample {
        day: DAY,
        time,
        kind,
        status: 0,
        orderer: orderer.to_string(),
        receiver: receiver.to_string(),
        symbol: "T".to_string(),
        side: b'1',
        copy: 0,
        repeat: false,
        quantities: [NO_QTY; 3],
        keys: Vec::new(),
    }
}

/// A key as `ClOrdID=C1`, `+ClOrdID=C1` where assigned, `-ClOrdID=C1` for a predecessor, `!ExecID=E1` for a correction.
fn key(text: &str) -> (KeyKind, Role, String) {
    let role = match text.as_bytes()[0] {
        b'+' => Role::Assigns,
        b'-' => Role::Predecessor,
        b'!' => Role::Corrects,
        _ => Role::Mentions,
    };
    let (field, id) = text.trim_start_matches(['+', '-', '!']).split_once('=').unwrap_or_default();
    let kinds = [KeyKind::ClOrdId, KeyKind::OrderId, KeyKind::ExecId, KeyKind::ClOrdLinkId, KeyKind::Copy];
    let kind = kinds.into_iter().find(|k| super::store::field_name(*k) == field);
    (kind.unwrap_or(KeyKind::Copy), role, id.to_string())
}

impl Sample {
    fn keys(mut self, keys: &str) -> Sample {
        self.keys.extend(keys.split_whitespace().map(key));
        self
    }

    fn parent(mut self, slot: u16, rank: u8, expect: Expect, keys: &str) -> Sample {
        let (kind, _, id) = key(keys);
        self.keys.push((kind, Role::Parent { slot, rank, expect }, id));
        self
    }

    fn on(mut self, day: i32) -> Sample {
        self.day = DAY + day;
        self
    }

    fn says(mut self, status: u8, order_qty: i64, last_qty: i64, cum_qty: i64) -> Sample {
        self.status = status;
        self.quantities = [order_qty, last_qty, cum_qty].map(|q| if q < 0 { NO_QTY } else { q * ONE });
        self
    }
}

fn new(path: &str, time: i64, id: &str, quantity: i64) -> Sample {
    sample(Kind::New, path, time).keys(&format!("+ClOrdID={id}")).says(0, quantity, -1, -1)
}

fn groups_of(out: &Out) -> Vec<usize> {
    out.ids.iter().map(|id| out.ids.iter().position(|other| other == id).unwrap_or_default()).collect()
}

fn codes(out: &Out) -> Vec<(&str, u64)> {
    out.findings.iter().map(|f| (f.0.as_str(), f.1)).collect()
}

#[test]
fn two_orders_combined_into_one_make_one_lifecycle_with_two_roots() {
    let out = link(
        &[
            new("JANE>BRK", 1, "J1", 1000),
            new("RAMON>BRK", 2, "R1", 3000),
            new("BRK>EXCH", 3, "B1", 4000).parent(0, 0, Expect::Parent, "ClOrdID=J1").parent(
                1,
                0,
                Expect::Parent,
                "ClOrdID=R1",
            ),
            sample(Kind::Ack, "BRK>EXCH", 4).keys("ClOrdID=B1 +OrderID=X1").says(b'0', 4000, -1, 0),
            sample(Kind::Fill, "BRK>EXCH", 5).keys("ClOrdID=B1 OrderID=X1 +ExecID=E1").says(b'2', 4000, 4000, 4000),
        ],
        &[2],
        true,
    );
    assert_eq!(
        out.lifecycles,
        ["roots=JANE>BRK 2026-03-02 ClOrdID=J1+RAMON>BRK 2026-03-02 ClOrdID=R1 T side=1 ordered=Some(4000) \
          filled=Some(4000) filled events=5 orders=3 firms=JANE>BRK>RAMON>EXCH"]
    );
    assert_eq!(
        out.links,
        [
            ["F1", "000000000000-30", "000000000002-20", "BRK>EXCH 2026-03-02 ClOrdID=B1"],
            ["F1", "000000000001-40", "000000000002-20", "BRK>EXCH 2026-03-02 ClOrdID=B1"],
            ["F3", "000000000002-20", "000000000000-0", "BRK 2026-03-02 ClOrdID=J1"],
            ["F3", "000000000002-20", "000000000001-10", "BRK 2026-03-02 ClOrdID=R1"],
        ]
    );
    assert_eq!(out.findings, []);
    // The first 20 digits of xxh3-128 of "JANE\x01BRK\x012026-03-02\x01J1".
    let key = xxhash_rust::xxh3::xxh3_128(b"JANE\x01BRK\x012026-03-02\x01J1");
    assert_eq!(out.ids[0], format!("{key:032x}")[..20]);
}

#[test]
fn a_replaced_order_is_one_chain_and_a_drop_copy_finds_it_by_order_id() {
    let out = link(
        &[
            new("C>B", 1, "A", 300),
            sample(Kind::Ack, "C>B", 2).keys("ClOrdID=A +OrderID=O").says(b'0', 300, -1, 0),
            sample(Kind::Replace, "C>B", 3).keys("+ClOrdID=A2 -ClOrdID=A OrderID=O").says(0, 500, -1, -1),
            sample(Kind::Replaced, "C>B", 4).keys("ClOrdID=A2 -ClOrdID=A OrderID=O").says(b'0', 500, -1, 0),
            sample(Kind::Fill, ">B", 5).keys("OrderID=O +ExecID=E").says(b'1', 500, 20, 20),
        ],
        &[],
        false,
    );
    assert_eq!(groups_of(&out), [0, 0, 0, 0, 0]);
    let kinds: Vec<[&str; 3]> = out.links.iter().map(|l| [l[0].as_str(), l[1].as_str(), l[2].as_str()]).collect();
    assert_eq!(
        kinds,
        [
            ["F1", "000000000001-10", "000000000000-0"],
            ["F1", "000000000002-20", "000000000000-0"],
            ["F1", "000000000000-30", "000000000002-20"],
            ["F2", "000000000001-40", "000000000001-10"],
        ]
    );
    assert!(out.lifecycles[0].contains("ordered=Some(500) filled=Some(20) open"), "{}", out.lifecycles[0]);
}

#[test]
fn a_second_observation_is_linked_to_the_first_and_counts_once() {
    let with = |copy: u64, mut sample: Sample| {
        sample.copy = copy;
        sample
    };
    let fill = |time: i64| sample(Kind::Fill, "C>B", time).keys("ClOrdID=A OrderID=O").says(b'2', 100, 100, 100);
    let out = link(
        &[with(7, new("C>B", 1, "A", 100)), with(8, fill(2)), with(7, new("C>B", 1, "A", 100)), with(8, fill(2))],
        &[2],
        true,
    );
    assert!(out.lifecycles[0].contains("ordered=Some(100) filled=Some(100) filled events=4 orders=1"));
    let kinds: Vec<[&str; 3]> = out.links.iter().map(|l| [l[0].as_str(), l[1].as_str(), l[2].as_str()]).collect();
    assert_eq!(
        kinds,
        [
            ["F4", "000000000002-20", "000000000000-0"],
            ["F1", "000000000001-10", "000000000000-0"],
            ["F4", "000000000000-30", "000000000001-10"],
        ]
    );
    assert_eq!(out.links[2][3], "C>B 2026-03-02 message=0000000000000008");
}

#[test]
fn a_reference_looks_into_the_newest_earlier_day_in_which_the_order_was_open() {
    let report = |day, status, id: &str| {
        let keys = format!("ClOrdID={id}");
        sample(Kind::Fill, "C>B", 100 * i64::from(day) + 5).keys(&keys).says(status, 9, 1, 1).on(day)
    };
    let samples = [
        new("C>B", 1, "GTC", 9),
        new("C>B", 1, "DAY", 9),
        report(0, b'2', "DAY"),
        report(2, b'1', "GTC"),
        report(2, b'0', "DAY"),
        new("C>B", 300, "GTC", 5).on(3),
        report(4, b'1', "GTC"),
        sample(Kind::Fill, "D>B", 9).keys("ClOrdID=GTC"),
    ];
    let out = link(&samples, &[3], false);
    assert_eq!(groups_of(&out), [0, 1, 1, 0, 4, 5, 5, 7]);
    assert_eq!(codes(&out), [("link-unknown-order", 7), ("link-unknown-order", 4)]);
    assert_eq!(
        out.findings[0].2,
        "no event assigns the key D>B 2026-03-02 ClOrdID=GTC; the nearest is C>B 2026-03-02 ClOrdID=GTC: the orderer \
         differs"
    );
    assert_eq!(
        out.findings[1].2,
        "no event assigns the key C>B 2026-03-04 ClOrdID=DAY; the nearest is C>B 2026-03-02 ClOrdID=DAY: the day differs"
    );
}

#[test]
fn an_order_that_nobody_sent_is_said_once() {
    let fill = |time| sample(Kind::Fill, "C>B", time).keys("ClOrdID=A OrderID=O").says(b'1', 9, 1, time);
    let out = link(&[fill(2), fill(1), fill(3)], &[1], false);
    assert_eq!(groups_of(&out), [0, 0, 0]);
    assert_eq!(codes(&out), [("link-unknown-order", 1)]);
    let drop = |time| sample(Kind::Fill, ">B", time).keys("OrderID=O").says(b'1', 9, 1, time);
    assert_eq!(codes(&link(&[drop(1), drop(2)], &[1], false)), [("link-unknown-order", 0)]);
    let ack = sample(Kind::Ack, ">B", 0).keys("+OrderID=O");
    assert_eq!(codes(&link(&[ack, drop(1)], &[1], false)), []);
}

#[test]
fn busts_and_corrections_find_their_execution_and_net_it() {
    let out = link(
        &[
            new("C>B", 1, "A", 100),
            sample(Kind::Fill, "C>B", 2).keys("ClOrdID=A +ExecID=E1").says(b'1', 100, 30, 30),
            sample(Kind::Fill, "C>B", 3).keys("ClOrdID=A +ExecID=E2").says(b'1', 100, 30, 60),
            sample(Kind::Bust, ">B", 4).keys("!ExecID=E1 +ExecID=E3").says(b'1', -1, -1, 30),
            sample(Kind::Correct, ">B", 5).keys("!ExecID=E2 +ExecID=E4").says(b'1', -1, 20, 20).on(1),
            sample(Kind::Bust, ">B", 6).keys("!ExecID=E9"),
        ],
        &[4],
        true,
    );
    assert_eq!(groups_of(&out), [0, 0, 0, 0, 0, 5]);
    assert!(out.lifecycles[0].contains("filled=Some(20)"), "{}", out.lifecycles[0]);
    let corrections: Vec<_> = out.links.iter().filter(|l| l[0] == "F8").map(|l| (&l[1][..], &l[3][..])).collect();
    assert_eq!(
        corrections,
        [("000000000000-30", "B 2026-03-02 ExecID=E1"), ("000000000001-40", "B 2026-03-02 ExecID=E2")]
    );
    assert_eq!(codes(&out), [("link-unknown-execution", 5)]);
}

#[test]
fn an_execution_that_several_orders_hold_joins_none_of_them() {
    let fill = |id: &str, time| sample(Kind::Fill, "C>B", time).keys(&format!("ClOrdID={id} +ExecID=1"));
    let mut samples = vec![new("C>B", 1, "A", 1), new("C>B", 1, "B", 1), fill("A", 2), fill("B", 3)];
    samples.push(sample(Kind::Bust, ">B", 4).keys("!ExecID=1"));
    samples.push(sample(Kind::Bust, "C>B", 4).keys("!ExecID=1 ClOrdID=B"));
    let out = link(&samples, &[], false);
    assert_eq!(groups_of(&out), [0, 1, 0, 1, 4, 1]);
    assert_eq!(codes(&out), [("link-ambiguous-execution", 4)]);
}

#[test]
fn of_several_candidates_the_live_one_of_equal_symbol_and_side_is_the_parent() {
    let child = |time| new("B>X", time, "S", 5).parent(0, 0, Expect::Parent, "ClOrdID=1");
    let mut other_side = new("D>B", 1, "1", 5);
    other_side.side = b'2';
    let with = |more: Sample, time| {
        let out = link(&[new("C>B", 1, "1", 5), other_side.clone(), more, child(time)], &[1, 2], true);
        (groups_of(&out)[3], codes(&out).iter().map(|c| c.0.to_string()).collect::<Vec<_>>())
    };
    let closed = sample(Kind::Cancelled, "C>B", 4).keys("ClOrdID=1").says(b'4', -1, -1, -1);
    assert_eq!(with(closed.clone(), 3), (0, vec![]));
    assert_eq!(with(closed.clone(), 4), (0, vec![]));
    assert_eq!(with(closed, 5), (3, vec!["link-ambiguous-parent".to_string()]));
    assert_eq!(with(new("E>B", 1, "1", 5), 3), (3, vec!["link-ambiguous-parent".to_string()]));
    assert_eq!(with(new("E>B", 9, "1", 5), 3), (0, vec![]));
}

#[test]
fn one_candidate_is_the_parent_whatever_its_symbol_unless_it_was_a_guess() {
    let mut parent = new("C>B", 1, "1", 5);
    parent.symbol = "OTHER".to_string();
    let child = |expect, id: &str| new("B>X", 2, "S", 5).parent(0, 0, expect, id);
    let out = |expect, id: &str| {
        let out = link(&[parent.clone(), child(expect, id)], &[], false);
        (groups_of(&out)[1], codes(&out).iter().map(|c| c.0.to_string()).collect::<Vec<_>>())
    };
    assert_eq!(out(Expect::Parent, "ClOrdID=1"), (0, vec![]));
    assert_eq!(out(Expect::SameSymbolAndSide, "ClOrdID=1"), (1, vec![]));
    assert_eq!(out(Expect::Perhaps, "ClOrdID=2"), (1, vec![]));
    assert_eq!(out(Expect::Parent, "ClOrdID=2"), (1, vec!["link-unknown-parent".to_string()]));
    parent.symbol = "T".to_string();
    let out = link(&[parent, child(Expect::SameSymbolAndSide, "ClOrdID=1")], &[], false);
    assert_eq!((groups_of(&out), codes(&out)), (vec![0, 0], vec![]));
}

#[test]
fn the_lowest_rank_that_finds_somebody_decides() {
    let samples = [
        new("C>B", 1, "1", 5).keys("+OrderID=9"),
        new("C>B", 1, "9", 5).keys("+OrderID=1"),
        new("B>X", 2, "S", 5)
            .parent(0, 1, Expect::Parent, "ClOrdID=9")
            .parent(0, 0, Expect::Parent, "OrderID=9")
            .parent(1, 0, Expect::Parent, "OrderID=none")
            .parent(1, 1, Expect::Parent, "ClOrdID=9"),
        new("B>X", 2, "S2", 5).parent(0, 0, Expect::Parent, "OrderID=9").parent(0, 1, Expect::Parent, "ClOrdID=9"),
    ];
    let out = link(&samples, &[2], false);
    assert_eq!(groups_of(&out), [0, 0, 0, 0]);
    let parents: Vec<_> = out.links.iter().filter(|l| l[0] == "F3").map(|l| (&l[1][..], &l[2][..])).collect();
    assert_eq!(
        parents,
        [
            ("000000000002-20", "000000000000-0"),
            ("000000000002-20", "000000000001-10"),
            ("000000000000-30", "000000000000-0")
        ]
    );
}

#[test]
fn roots_that_report_other_fills_than_their_leaves_are_a_finding() {
    let mut samples = vec![
        new("C>B", 1, "A", 100),
        new("B>X", 2, "S", 100).parent(0, 0, Expect::Parent, "ClOrdID=A"),
        sample(Kind::Fill, "B>X", 3).keys("ClOrdID=S +ExecID=X").says(b'1', 100, 60, 60),
        sample(Kind::Fill, "C>B", 4).keys("ClOrdID=A +ExecID=E").says(b'1', 100, 60, 60),
    ];
    assert_eq!(codes(&link(&samples, &[], false)), []);
    samples[3] = samples[3].clone().says(b'1', 100, 70, 70);
    let out = link(&samples, &[], false);
    assert_eq!(codes(&out), [("link-fill-mismatch", 0)]);
    assert_eq!(out.findings[0].2, "CumQty of the roots is 70, but their leaves filled 60");
    assert!(out.lifecycles[0].contains("ordered=Some(100) filled=Some(60)"));
}

#[test]
fn events_without_keys_stand_alone_and_orders_that_are_each_others_parents_have_one_root() {
    let lonely = || sample(Kind::Status, "C>B", 1);
    let out = link(&[lonely(), lonely()], &[], false);
    assert_eq!(groups_of(&out), [0, 1]);
    assert_eq!(out.ids[1], format!("{:032x}", xxhash_rust::xxh3::xxh3_128(b"000000000001-10"))[..20]);
    let a = new("A>B", 1, "1", 5).parent(0, 0, Expect::Parent, "ClOrdID=2");
    let b = new("B>A", 2, "2", 5).parent(0, 0, Expect::Parent, "ClOrdID=1");
    let out = link(&[a, b], &[], false);
    assert_eq!(groups_of(&out), [0, 0]);
    assert!(out.lifecycles[0].starts_with("roots=A>B 2026-03-02 ClOrdID=1 T"), "{}", out.lifecycles[0]);
}

fn any_key() -> impl Strategy<Value = (KeyKind, Role, String)> {
    let expect = prop::sample::select(vec![Expect::Parent, Expect::Perhaps, Expect::SameSymbolAndSide]);
    let id = prop::sample::select(vec!["1", "2", "3"]);
    let own = prop::sample::select(vec![
        (KeyKind::ClOrdId, Role::Assigns),
        (KeyKind::ClOrdId, Role::Mentions),
        (KeyKind::ClOrdId, Role::Predecessor),
        (KeyKind::OrderId, Role::Assigns),
        (KeyKind::OrderId, Role::Mentions),
        (KeyKind::ClOrdLinkId, Role::Mentions),
        (KeyKind::Copy, Role::Mentions),
    ]);
    let parent =
        (prop::sample::select(vec![KeyKind::ClOrdId, KeyKind::OrderId, KeyKind::ClOrdLinkId]), 0u16..2, 0u8..2, expect)
            .prop_map(|(kind, slot, rank, expect)| (kind, Role::Parent { slot, rank, expect }));
    (prop_oneof![5 => own, 2 => parent], id).prop_map(|((kind, role), id)| (kind, role, id.to_string()))
}

fn any_sample() -> impl Strategy<Value = Sample> {
    let one_of = |texts: &[&'static str]| prop::sample::select(texts.to_vec());
    (
        prop_oneof![9 => 0i32..4, 1 => Just(NO_DAY)],
        prop_oneof![9 => 0i64..12, 1 => Just(NO_TIME)],
        prop::sample::select(vec![Kind::New, Kind::Fill, Kind::Bust, Kind::CancelRejected]),
        prop::sample::select(vec![0, b'0', b'1', b'2', b'8']),
        (one_of(&["A", "B", "C"]), one_of(&["B", "X"]), one_of(&["", "S", "T"])),
        prop::sample::select(vec![0, b'1', b'2']),
        prop_oneof![3 => Just(0u64), 1 => 1u64..4],
        prop::collection::vec(any_key(), 0..4),
        (prop::option::of(0u8..4), prop::option::weighted(0.2, 0u8..4)),
    )
        .prop_map(
            |(day, time, kind, status, (orderer, receiver, symbol), side, copy, mut keys, (exec, exec_ref))| {
                // Two references of one rank in one slot are no rule: the first stands.
                let mut taken = Vec::new();
                keys.retain(|k| match k.1 {
                    Role::Parent { slot, rank, .. } if taken.contains(&(slot, rank)) => false,
                    Role::Parent { slot, rank, .. } => {
                        taken.push((slot, rank));
                        true
                    }
                    _ => true,
                });
                // Nor are two ClOrdIDs assigned by one event.
                let mut assigned = 0;
                keys.retain(|k| {
                    assigned += u32::from(k.0 == KeyKind::ClOrdId && k.1 == Role::Assigns);
                    k.0 != KeyKind::ClOrdId || k.1 != Role::Assigns || assigned == 1
                });
                keys.extend(exec.map(|e| (KeyKind::ExecId, Role::Assigns, e.to_string())));
                keys.extend(exec_ref.map(|e| (KeyKind::ExecId, Role::Corrects, e.to_string())));
                let day = if day == NO_DAY { day } else { day + 1 };
                Sample {
                    day,
                    time,
                    kind,
                    status,
                    orderer: orderer.to_string(),
                    receiver: receiver.to_string(),
                    symbol: symbol.to_string(),
                    side,
                    copy,
                    repeat: false,
                    quantities: [NO_QTY; 3],
                    keys,
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_linker_agrees_with_its_plain_twin_however_the_events_arrive(
        samples in prop::collection::vec(any_sample(), 1..24),
        cuts in prop::collection::vec(0usize..100, 0..4),
        backwards: bool,
    ) {
        let out = link(&samples, &cuts, backwards);
        prop_assert_eq!(&out.ids, &plain::link(&samples));
        prop_assert_eq!(&out, &link(&samples, &[], false));
        // The rows of links hold together exactly the lifecycles.
        let number = |id: &str| id.split_once('-').and_then(|p| p.1.parse::<usize>().ok()).unwrap_or_default() / 10;
        let mut sets: Vec<usize> = (0..samples.len()).collect();
        for link in &out.links {
            let (a, b) = (sets[number(&link[1])], sets[number(&link[2])]);
            sets.iter_mut().filter(|s| **s == b).for_each(|s| *s = a);
        }
        for (i, a) in out.ids.iter().enumerate() {
            for (j, b) in out.ids.iter().enumerate() {
                prop_assert_eq!(a == b, sets[i] == sets[j], "events {} and {}: {:?}", i, j, out.links);
            }
        }
    }
}
