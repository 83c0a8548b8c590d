//! The rules of linking, one by one.

use super::{Out, Sample, link};
use crate::event::Kind;
use crate::event::key::{Expect, KeyKind, NO_QTY, Role};
use crate::types::decimal::ONE;

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
    let kind = kinds.into_iter().find(|k| super::super::store::field_name(*k) == field);
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
            ["F1", "000000000001-30", "000000000000-20", "BRK>EXCH 2026-03-02 ClOrdID=B1"],
            ["F1", "000000000001-40", "000000000000-20", "BRK>EXCH 2026-03-02 ClOrdID=B1"],
            ["F3", "000000000000-20", "000000000000-0", "BRK 2026-03-02 ClOrdID=J1"],
            ["F3", "000000000000-20", "000000000000-10", "BRK 2026-03-02 ClOrdID=R1"],
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
            ["F1", "000000000000-10", "000000000000-0"],
            ["F1", "000000000000-20", "000000000000-0"],
            ["F1", "000000000001-30", "000000000000-20"],
            ["F2", "000000000001-40", "000000000000-10"],
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
            ["F4", "000000000000-20", "000000000000-0"],
            ["F4", "000000000001-30", "000000000000-10"],
            ["F1", "000000000000-10", "000000000000-0"],
        ]
    );
    assert_eq!(out.links[1][3], "C>B 2026-03-02 message=0000000000000008");
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
        [("000000000001-30", "B 2026-03-02 ExecID=E1"), ("000000000001-40", "B 2026-03-02 ExecID=E2")]
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
            ("000000000000-20", "000000000000-0"),
            ("000000000000-20", "000000000000-10"),
            ("000000000001-30", "000000000000-0")
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
    assert_eq!(out.ids[1], format!("{:032x}", xxhash_rust::xxh3::xxh3_128(b"000000000000-10"))[..20]);
    let a = new("A>B", 1, "1", 5).parent(0, 0, Expect::Parent, "ClOrdID=2");
    let b = new("B>A", 2, "2", 5).parent(0, 0, Expect::Parent, "ClOrdID=1");
    let out = link(&[a, b], &[], false);
    assert_eq!(groups_of(&out), [0, 0]);
    assert!(out.lifecycles[0].starts_with("roots=A>B 2026-03-02 ClOrdID=1 T"), "{}", out.lifecycles[0]);
}
