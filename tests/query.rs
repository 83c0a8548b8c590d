//! `fixtrail query`: one order's story, SQL, live files.

use crate::harness::{Place, fixture_text};

fn trail(day: &str) -> Place {
    let place = Place::new();
    place.run(["link", "-q", &fixture_text(day), "-o", "trail", "--fail-on", "never"]).ends_with(0);
    place
}

#[test]
fn any_identifier_of_the_chain_tells_the_same_story() {
    let place = trail("jane-and-ramon");
    let story = |id: &str| {
        let ran = place.run(["query", "order", id, "trail"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout
    };
    let jane = story("J1");
    for id in ["R1", "B1", "X9", "E1", "E2"] {
        assert_eq!(story(id), jane, "{id}");
    }
    let lines: Vec<&str> = jane.lines().collect();
    assert!(lines[0].ends_with("  IBM  buy  filled"), "{jane}");
    assert!(
        lines[1].starts_with("4000 ordered, 4000 filled · 2 roots, 3 orders, 5 events · 2026-03-02 14:30:01.100"),
        "{jane}"
    );
    assert!(jane.contains("└─ #3  BRKR>XNYS  4000 @ 170.25  filled 4000 at 170.2"), "{jane}");
}

#[test]
fn the_story_is_there_for_machines_too() {
    let place = trail("jane-and-ramon");
    let ran = place.run(["query", "order", "E2", "trail", "--json"]);
    let story: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one object");
    assert_eq!((ran.status, ran.stdout.lines().count()), (0, 1));
    assert_eq!((&story["symbol"], &story["state"]), (&"IBM".into(), &"filled".into()));
    assert_eq!((&story["order_qty"], &story["filled_qty"]), (&"4000".into(), &"4000".into()));
}

#[test]
fn an_unknown_order_is_status_1_and_no_trail_is_status_2() {
    let place = trail("jane-and-ramon");
    let ran = place.run(["query", "order", "nobody", "trail"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""));
    assert_eq!(ran.stderr, "fixtrail: no order in trail has the identifier nobody\n");
    for path in ["gone", "."] {
        let ran = place.run(["query", "order", "J1", path]);
        assert_eq!(ran.status, 2, "{path}");
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
}

#[test]
fn live_files_are_those_of_the_last_commit() {
    let place = trail("jane-and-ramon");
    let files = |table: &str| {
        let ran = place.run(["query", "files", "trail", table]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout.lines().map(str::to_string).collect::<Vec<_>>()
    };
    let before = files("events");
    assert_eq!(before.len(), 1);
    assert!(place.join(&before[0]).is_file());
    place.run(["link", "-q", &fixture_text("jane-and-ramon"), "-o", "trail", "--force"]).ends_with(0);
    let after = files("events");
    assert_eq!(after.len(), 1);
    assert_ne!(after, before);
    assert!(place.join(&after[0]).is_file());
}

#[cfg(feature = "sql")]
mod sql {
    use super::*;

    fn ask(place: &Place, more: &[&str]) -> String {
        let ran = place.run([&["query", "sql"], more].concat());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout
    }

    #[test]
    fn sums_are_exact_and_joins_find_their_rows() {
        let place = trail("fix-day");
        let by_state = "select state, count(*) as n, sum(order_qty) as ordered, sum(filled_qty) as filled \
                        from lifecycles group by state order by n desc";
        let expected = "state,n,ordered,filled\nfilled,200,194900,194900\ncancelled,23,19100,0\nrejected,5,1900,0\nopen,4,1300,0\n";
        assert_eq!(ask(&place, &[by_state, "trail", "-f", "csv"]), expected);
        let joined = "select count(*) as n from events e join lifecycles l on e.lifecycle_id = l.lifecycle_id \
                      where l.state = 'rejected' and e.date = '2026-03-02'";
        assert_eq!(ask(&place, &[joined, "trail", "-f", "csv"]), "n\n10\n");
        assert_eq!(ask(&place, &["select count(*) as n from 'trail/links/*/*.parquet'", "-f", "csv"]), "n\n3837\n");
    }

    #[test]
    fn formats_and_files() {
        let place = trail("jane-and-ramon");
        let statement =
            "select symbol, price from events where kind = 'fill' or cl_ord_id = 'J1' order by event_timestamp_ns";
        assert_eq!(
            ask(&place, &[statement, "trail", "--json"]),
            "{\"symbol\":\"IBM\",\"price\":\"170.25\"}\n{\"symbol\":\"IBM\",\"price\":\"170.25\"}\n"
        );
        ask(&place, &[statement, "trail", "-o", "out.parquet"]);
        assert_eq!(crate::harness::rows::file(&place.join("out.parquet"))[1]["symbol"], "IBM");
        let ran = place.run(["query", "sql", "select * from nowhere", "trail"]);
        assert_eq!(ran.status, 2);
        assert_eq!(
            ran.stderr,
            "fixtrail: error: query: there is no table nowhere; the tables are events, links, lifecycles, findings, changes\n"
        );
    }
}
