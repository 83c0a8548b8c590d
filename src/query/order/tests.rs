//! Stories of whole trails.

use super::*;
use crate::query::test_trail::{Row, TestTrail, jane_and_ramon};

const DAY: &str = "2026-03-02";

fn tree(trail: &TestTrail, id: &str, style: &Style) -> String {
    let mut out = Vec::new();
    let stories = find(&trail.open(), id).expect("a readable trail");
    write_trees(&stories, style, &mut out).expect("memory takes all");
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn jane_and_ramon_are_one_tree_with_two_roots() {
    assert_eq!(
        tree(&jane_and_ramon(), "J1", &Style::default()),
        "\
lifecycle  7c1f2a9be04d1102  IBM  buy  filled
4000 ordered, 4000 filled · 2 roots, 3 orders, 5 events · 2026-03-02 14:30:00.000 to 14:30:00.009 UTC (9 ms) · BRK, JANE, RAMON, XNYS

            time (UTC)     step    hop  from>to    id   qty @ price   cum  leaves  status
#1  JANE>BRK  1000 @ 50.25  state unknown  ClOrdID J1
├─ new      14:30:00.000                JANE>BRK   J1  1000 @ 50.25
└─ part of #3
#2  RAMON>BRK  3000 @ 50.25  state unknown  ClOrdID R1
├─ new      14:30:00.002                RAMON>BRK  R1  3000 @ 50.25
│    ! error: fix-required: TransactTime(60) is missing
└─ #3  BRK>XNYS  4000 @ 50.25  filled 4000 at 50.25  ClOrdID B1  OrderID X1  combines #1, #2
   ├─ new   14:30:00.005         +3 ms  BRK>XNYS   B1  4000 @ 50.25                        seen twice
   ├─ ack   14:30:00.006  +1 ms         XNYS>BRK   E1  4000 @ 50.25     0    4000  new
   └─ fill  14:30:00.009  +3 ms         XNYS>BRK   E2  4000 @ 50.25  4000       0  filled
"
    );
}

#[test]
fn a_narrow_terminal_loses_the_least_telling_columns_and_no_id() {
    assert_eq!(
        tree(&jane_and_ramon(), "E2", &Style { width: Some(78), colour: false, ascii: true }),
        "\
lifecycle  7c1f2a9be04d1102  IBM  buy  filled
4000 ordered, 4000 filled - 2 roots, 3 orders, 5 events
  2026-03-02 14:30:00.000 to 14:30:00.009 UTC (9 ms) - BRK, JANE, RAMON, XNYS

            time (UTC)     step    hop     id   qty @ price   cum
#1  JANE>BRK  1000 @ 50.25  state unknown  ClOrdID J1
|- new      14:30:00.000                >  J1  1000 @ 50.25
`- part of #3
#2  RAMON>BRK  3000 @ 50.25  state unknown  ClOrdID R1
|- new      14:30:00.002                >  R1  3000 @ 50.25
|    ! error: fix-required: TransactTime(60) is missing
`- #3  BRK>XNYS  4000 @ 50.25  filled 4000 at 50.25  ClOrdID B1  OrderID X1
   |    combines #1, #2
   |- new   14:30:00.005         +3 ms  >  B1  4000 @ 50.25        seen twice
   |- ack   14:30:00.006  +1 ms         <  E1  4000 @ 50.25     0
   `- fill  14:30:00.009  +3 ms         <  E2  4000 @ 50.25  4000
"
    );
}

#[test]
fn every_id_of_the_chain_and_the_lifecycle_id_find_the_same_story() {
    let trail = jane_and_ramon();
    let expected = find(&trail.open(), "J1").map(|s| s[0].orders.clone()).expect("a story");
    for id in ["R1", "B1", "X1", "E1", "E2", "7c1f2a9be04d1102"] {
        let stories = find(&trail.open(), id).expect("a readable trail");
        assert_eq!(stories.len(), 1, "{id}");
        assert_eq!(stories[0].orders, expected, "{id}");
    }
    assert_eq!(find(&trail.open(), "nobody").map(|s| s.len()).map_err(|e| e.to_string()), Ok(0));
}

#[test]
fn links_that_are_missing_still_give_the_same_orders_side_by_side() {
    let trail = jane_and_ramon();
    std::fs::remove_dir_all(trail.dir.path().join("links")).expect("links were there");
    let stories = find(&trail.open(), "B1").expect("a readable trail");
    let parties: Vec<_> =
        stories[0].orders.iter().map(|o| (o.orderer.as_str(), o.steps.len(), o.shown_under)).collect();
    // Without F4 the second observation of the new order is a step of its own.
    assert_eq!(parties, [("JANE", 1, None), ("RAMON", 1, None), ("BRK", 4, None)]);
}

#[test]
fn json_nests_orders_and_keeps_decimals_as_text() {
    let stories = find(&jane_and_ramon().open(), "J1").expect("a readable trail");
    let json: serde_json::Value = serde_json::from_str(&stories[0].to_json()).expect("JSON");
    assert_eq!(json["order_qty"], "4000");
    assert_eq!(json["first_time"], "2026-03-02T14:30:00Z");
    assert_eq!(json["orders"][1]["orders"][0]["parents"], serde_json::json!([1, 2]));
    assert_eq!(json["orders"][1]["events"][0]["findings"][0]["code"], "fix-required");
    let new = &json["orders"][1]["orders"][0]["events"][0];
    assert_eq!(new["price"], "50.25");
    assert_eq!(new["hop_ns"], 3_000_000);
    assert_eq!(
        new["seen"][1],
        serde_json::json!({
            "event_id": "6", "source": "XNYS/BRK-XNYS.log", "offset": 500, "line": 6, "repeat": false
        })
    );
}

#[test]
fn one_id_of_two_parties_gives_two_stories_in_order_of_time() {
    let trail = TestTrail::new();
    let new = |time, sender| Row::event("new", time, sender, "BRK").and("cl_ord_id=C1 order_qty=5");
    trail.events(DAY, "b", &[new(7, "LATE"), new(1, "SOON").with("lifecycle_id", "z")]);
    assert_eq!(
        tree(&trail, "C1", &Style::default()),
        "\
2 lifecycles have C1, shown in order of first time

lifecycle  z  IBM  buy  state unknown
? ordered, ? filled · 1 root, 1 order, 1 event · 2026-03-02 14:30:00.001 to 14:30:00.001 UTC (0) · BRK, SOON

        time (UTC)    from>to   id  qty
#1  SOON>BRK  5  state unknown  ClOrdID C1
└─ new  14:30:00.001  SOON>BRK  C1    5

lifecycle  b  IBM  buy  state unknown
? ordered, ? filled · 1 root, 1 order, 1 event · 2026-03-02 14:30:00.007 to 14:30:00.007 UTC (0) · BRK, LATE

        time (UTC)    from>to   id  qty
#1  LATE>BRK  5  state unknown  ClOrdID C1
└─ new  14:30:00.007  LATE>BRK  C1    5
"
    );
}

#[test]
fn a_change_a_repeat_a_bust_and_an_allocation_tell_their_parts() {
    let trail = TestTrail::new();
    let e = Row::event;
    trail.events(DAY, "a", &[
        e("new", 0, "C", "B").and("cl_ord_id=1 order_qty=10 price=5"),
        e("ack", 1, "B", "C").and("cl_ord_id=1 order_id=O exec_id=E1 order_qty=10 price=5 cum_qty=0 ord_status=0"),
        e("replace", 2, "C", "B").and("cl_ord_id=2 orig_cl_ord_id=1 order_qty=20 price=5.5"),
        e("replaced", 3, "B", "C").and("cl_ord_id=2 orig_cl_ord_id=1 order_id=O exec_id=E2 order_qty=20 price=5.5 cum_qty=0 ord_status=5"),
        e("fill", 4, "B", "C").and("cl_ord_id=2 order_id=O exec_id=E3 order_qty=20 last_qty=8 last_px=5.4 cum_qty=8 avg_px=5.4 ord_status=1"),
        e("fill", 4, "B", "C").and("cl_ord_id=2 order_id=O exec_id=E3 order_qty=20 last_qty=8 last_px=5.4 cum_qty=8 avg_px=5.4 ord_status=1 poss_dup=Y"),
        e("bust", 5, "B", "C").and("cl_ord_id=2 order_id=O exec_id=E4 order_qty=20 last_qty=8 last_px=5.4 cum_qty=0 ord_status=0").with("tags", r#"{"19":"E3"}"#),
        e("cancelled", 86_400_006, "B", "C").and("cl_ord_id=2 order_id=O exec_id=E5 cum_qty=0 ord_status=4").with("tags", "{\"58\":\"end\\u001b[2J of day\"}"),
        e("allocation", 9, "B", "C").and("also_in=a lifecycle_id=other"),
    ]);
    trail.links(DAY, &["F1 8 7"]);
    assert_eq!(
        tree(&trail, "2", &Style::default()),
        "\
lifecycle  a  IBM  buy  state unknown
? ordered, ? filled · 1 root, 1 order, 8 events · 2026-03-02 14:30:00.000 to 2026-03-03 14:30:00.006 UTC (1 d 00 h) · B, C

               time (UTC)                    step  from>to  id          qty @ price  cum  status
#1  C>B  20 @ 5.5  cancelled  ClOrdID 1, 2  OrderID O
├─ new         2026-03-02 14:30:00.000             C>B      1            10 @ 5
├─ ack         2026-03-02 14:30:00.001      +1 ms  B>C      E1           10 @ 5        0  new
├─ replace     2026-03-02 14:30:00.002      +1 ms  C>B      2 (was 1)    20 @ 5.5
├─ replaced    2026-03-02 14:30:00.003      +1 ms  B>C      E2           20 @ 5.5      0  replaced
├─ fill        2026-03-02 14:30:00.004      +1 ms  B>C      E3            8 @ 5.4      8  partly filled  sent again
├─ bust        2026-03-02 14:30:00.005      +1 ms  B>C      E4 (of E3)    8 @ 5.4      0  new
└─ cancelled   2026-03-03 14:30:00.006  +1 d 00 h  B>C      E5                         0  cancelled      \"end?[2J of day\"
events of no order
└─ allocation  2026-03-02 14:30:00.009             B>C
"
    );
}

#[test]
fn colours_are_quiet_and_the_asked_id_stands_out() {
    let text = tree(&jane_and_ramon(), "E2", &Style { colour: true, ..Style::default() });
    let last = text.lines().last().unwrap_or_default();
    assert!(last.contains("\x1b[32mfill\x1b[0m"), "{last:?}");
    assert!(last.contains("\x1b[1;36mE2\x1b[0m"), "{last:?}");
    let bare: String = strip(&text);
    assert_eq!(bare, tree(&jane_and_ramon(), "E2", &Style::default()));
}

/// The text without its colour codes.
fn strip(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split("\x1b[");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    out
}
