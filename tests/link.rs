//! `fixtrail link`: true days, the worked example, and what each rule joins.

use crate::harness::rows::{Row, live, table};
use crate::harness::{Place, fixture, fixture_text};
use std::collections::{BTreeMap, BTreeSet};

/// (source, offset) of each message with its true lifecycle, as `truth.jsonl` has it.
fn truth(day: &str) -> BTreeMap<(String, String), String> {
    let text = std::fs::read_to_string(fixture(day).join("truth.jsonl")).expect("read");
    let place = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        ((value["file"].as_str().expect("a file").to_string(), value["offset"].to_string()), value["life"].to_string())
    };
    text.lines().map(place).collect()
}

fn linked(day: &str) -> (Place, Vec<Row>) {
    let place = Place::new();
    place.run(["link", &fixture_text(day), "-o", "trail", "--fail-on", "never"]).ends_with(0);
    let events = table(&place.join("trail/events"));
    (place, events)
}

fn lifecycles_are_the_true_ones(day: &str) {
    let truth = truth(day);
    let (_place, events) = linked(day);
    assert_eq!(events.len(), truth.len(), "every logged message is an event, and nothing else is");
    let mut ours_of_true: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut true_of_ours: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for event in &events {
        let life = &truth[&(event["source"].clone(), event["offset"].clone())];
        let ours = &event["lifecycle_id"];
        ours_of_true.entry(life).or_default().insert(ours);
        true_of_ours.entry(ours).or_default().insert(life);
    }
    let split: Vec<_> = ours_of_true.iter().filter(|(_, ours)| ours.len() > 1).collect();
    let merged: Vec<_> = true_of_ours.iter().filter(|(_, lives)| lives.len() > 1).collect();
    assert!(split.is_empty(), "true lifecycles in pieces: {split:?}");
    assert!(merged.is_empty(), "true lifecycles run together: {merged:?}");
}

#[test]
fn two_messages_share_a_lifecycle_exactly_when_the_truth_says_so() {
    lifecycles_are_the_true_ones("fix-day");
}

#[test]
fn the_hard_day_is_linked_exactly_too_faulty_messages_included() {
    lifecycles_are_the_true_ones("fix-day-hard");
}

#[test]
fn each_injected_fault_is_an_error_at_its_offset_and_no_other_message_has_one() {
    let (place, _) = linked("fix-day-hard");
    let found: BTreeSet<(String, String)> = table(&place.join("trail/findings"))
        .iter()
        .filter(|finding| finding["level"] == "error")
        .map(|finding| (finding["source"].clone(), finding["offset"].clone()))
        .collect();
    let expected = injected();
    assert_eq!(found, expected);
    assert_eq!(expected.len(), 47);
}

/// The places of `injected.jsonl` whose message really has the fault. One entry says bad_type, which spoils
/// OrderQty(38), of an OrderCancelReject, which has no OrderQty: that message is as good as any.
pub fn injected() -> BTreeSet<(String, String)> {
    let day = fixture("fix-day-hard");
    let text = std::fs::read_to_string(day.join("injected.jsonl")).expect("read");
    let mut places = BTreeSet::new();
    for line in text.lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let (file, offset) = (value["file"].as_str().expect("a file"), value["offset"].as_u64().expect("an offset"));
        let log = std::fs::read(day.join(file)).expect("read");
        let message = log[offset as usize..].split(|&b| b == b'\n').next().expect("a line");
        let has = |part: &[u8]| message.windows(part.len()).any(|window| window == part);
        let is_there = match value["fault"].as_str().expect("a fault") {
            "bad_type" => has(b"\x0138=12x\x01"),
            "bad_enum" => has(b"\x0154=Z\x01"),
            "missing_required" => !has(b"\x0154="),
            _ => true,
        };
        if is_there {
            places.insert((file.to_string(), offset.to_string()));
        }
    }
    places
}

#[test]
fn jane_and_ramon_are_one_lifecycle_with_two_roots_and_4000_filled() {
    let (place, events) = linked("jane-and-ramon");
    let lifecycles = table(&place.join("trail/lifecycles"));
    assert_eq!(lifecycles.len(), 1);
    let life = &lifecycles[0];
    assert_eq!(life["roots"], "JANE>BRKR 2026-03-02 ClOrdID=J1 | RAMON>BRKR 2026-03-02 ClOrdID=R1");
    assert_eq!((life["order_qty"].as_str(), life["filled_qty"].as_str()), ("4000", "4000"));
    assert_eq!((life["state"].as_str(), life["symbol"].as_str(), life["side"].as_str()), ("filled", "IBM", "1"));
    assert_eq!((life["events"].as_str(), life["orders"].as_str()), ("5", "3"));
    assert_eq!(life["firms"], "JANE | BRKR | RAMON | XNYS");
    assert_eq!(
        (life["first_time_ns"].as_str(), life["last_time_ns"].as_str()),
        ("1772461801100000000", "1772461802310000000")
    );
    assert!(events.iter().all(|event| event["lifecycle_id"] == life["lifecycle_id"]));
    let links: BTreeSet<(String, String)> =
        table(&place.join("trail/links")).iter().map(|row| (row["kind"].clone(), row["key"].clone())).collect();
    let expected = [
        ("F1", "BRKR>XNYS 2026-03-02 ClOrdID=B1"),
        ("F3", "BRKR 2026-03-02 ClOrdID=J1"),
        ("F3", "BRKR 2026-03-02 ClOrdID=R1"),
    ];
    assert_eq!(links, expected.iter().map(|(kind, key)| (kind.to_string(), key.to_string())).collect());
}

#[test]
fn what_is_no_trail_of_links_is_not_touched_without_force() {
    let place = Place::new();
    let day = fixture_text("jane-and-ramon");
    place.file("other/x", "");
    place.run(["parse", &day, "-o", "events"]).ends_with(0);
    for (dir, sentence) in [("other", "other: is not empty"), ("events", "events: keeps nothing that new events")] {
        let before = place.files_below(dir);
        let ran = place.run(["link", &day, "-o", dir]);
        assert_eq!(ran.status, 2);
        assert!(ran.stderr.contains(sentence), "{}", ran.stderr);
        let files = place.files_below(dir).into_iter().filter(|(name, _)| !name.ends_with(".lock"));
        assert!(files.eq(before.into_iter().filter(|(name, _)| !name.ends_with(".lock"))));
    }
    place.run(["link", &day, "-o", "trail"]).ends_with(0);
    place.run(["link", &day, "-o", "trail", "--force"]).ends_with(0);
    assert_eq!(live(&place.join("trail"), "lifecycles").len(), 1);
    assert!(place.join("trail/_commits/1.json").is_file(), "a new version of the same trail");
}
