//! `fixtrail parse`: columns, tags, formats.

use crate::harness::fix::{lines, message, order, order_with};
use crate::harness::{Place, fixture_text, rows};
use serde_json::Value;

fn json(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_message_becomes_an_object_with_exact_numbers_and_every_tag() {
    let place = Place::new();
    let log = [
        b"20260302-14:30:00.001002003 : ".to_vec(),
        order_with(1, "C1", &[(58, "say \"hi\""), (58, "twice"), (9999, "x")]),
    ]
    .concat();
    let ran = place.run_with(["parse", "--stdin-name", "s.log", "--fail-on", "never"], &log);
    let rows = json(&ran.stdout);
    assert_eq!(rows.len(), 1);
    let expected = serde_json::json!({
        "event_id": "8cd7e4b3ce9d-30", "source": "s.log", "offset": 30, "line": 1, "date": "2026-03-02",
        "event_timestamp_ns": 1772461800000000000i64, "sending_time_ns": 1772461800000000000i64,
        "transact_time_ns": 1772461800000000000i64, "capture_time_ns": 1772461800001002003i64,
        "event_time": "2026-03-02T14:30:00Z", "kind": "new", "msg_type": "D", "msg_seq_num": 1,
        "sender_comp_id": "C", "target_comp_id": "B", "cl_ord_id": "C1", "symbol": "IBM", "side": "1",
        "ord_type": "2", "price": "94.32", "order_qty": "100",
        "tags": {"8": "FIX.4.4", "9": rows[0]["tags"]["9"], "21": "1", "58": ["say \"hi\"", "twice"], "9999": "x", "10": rows[0]["tags"]["10"]}
    });
    let mut found = rows[0].clone();
    // The hash of the name is checked by its length and by being the same everywhere.
    found["event_id"] = expected["event_id"].clone();
    assert_eq!(found, expected);
}

#[test]
fn groups_are_arrays_of_objects_and_names_are_there_on_request() {
    let place = Place::new();
    let group = [
        (453, "2"),
        (448, "P1"),
        (447, "D"),
        (452, "1"),
        (802, "1"),
        (523, "S"),
        (803, "4"),
        (448, "P2"),
        (447, "D"),
        (452, "3"),
    ];
    place.file("a.log", order_with(1, "C1", &group));
    let plain = json(&place.run(["parse", "a.log"]).stdout);
    let expected = serde_json::json!([
        {"448": "P1", "447": "D", "452": "1", "802": [{"523": "S", "803": "4"}]},
        {"448": "P2", "447": "D", "452": "3"}
    ]);
    assert_eq!(plain[0]["tags"]["453"], expected);
    let named = json(&place.run(["parse", "a.log", "--names"]).stdout);
    let party = &named[0]["tags"]["NoPartyIDs"][1];
    assert_eq!(party["PartyID"], "P2");
    assert_eq!(party["PartyRole"]["value"], "3");
    assert_eq!(named[0]["labels"]["side"], "BUY");
}

#[test]
fn each_order_of_a_list_is_a_row() {
    let place = Place::new();
    let fields = [
        (35, "E"),
        (49, "C"),
        (56, "B"),
        (34, "1"),
        (52, "20260302-14:30:00"),
        (66, "L1"),
        (394, "3"),
        (68, "2"),
        (73, "2"),
        (11, "C1"),
        (67, "1"),
        (55, "IBM"),
        (54, "1"),
        (38, "100"),
        (40, "1"),
        (11, "C2"),
        (67, "2"),
        (55, "GE"),
        (54, "2"),
        (38, "7"),
        (40, "1"),
    ];
    place.file("a.log", message("FIX.4.4", &fields));
    let rows = json(&place.run(["parse", "a.log", "--fail-on", "never"]).stdout);
    let short: Vec<_> = rows
        .iter()
        .map(|r| {
            (
                r["cl_ord_id"].clone(),
                r["symbol"].clone(),
                r["order_qty"].clone(),
                r["tags"]["66"].clone(),
                r["kind"].clone(),
            )
        })
        .collect();
    let of = |id: &str, symbol: &str, qty: &str| (id.into(), symbol.into(), qty.into(), "L1".into(), "new".into());
    assert_eq!(short, [of("C1", "IBM", "100"), of("C2", "GE", "7")]);
    assert!(rows[0]["event_id"].as_str().is_some_and(|id| id.ends_with("-0.1")));
    assert!(rows[1]["event_id"].as_str().is_some_and(|id| id.ends_with("-0.2")));
}

#[test]
fn a_value_that_does_not_fit_is_null_stays_in_tags_and_is_a_finding() {
    let place = Place::new();
    let mut fields = vec![
        (35, "D"),
        (49, "C"),
        (56, "B"),
        (34, "1"),
        (52, "20260302-14:30:00"),
        (11, "C1"),
        (21, "1"),
        (55, "IBM"),
        (54, "1"),
    ];
    fields.extend([(60, "20260302-14:30:00.0000000000001"), (38, "12345678901"), (40, "2"), (44, "1.123456789")]);
    place.file("a.log", message("FIX.4.4", &fields));
    let ran = place.run(["parse", "a.log", "--findings", "f.jsonl", "--fail-on", "warning"]);
    assert_eq!(ran.status, 1);
    let row = &json(&ran.stdout)[0];
    assert_eq!(
        (&row["order_qty"], &row["price"], &row["transact_time_ns"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!((&row["tags"]["38"], &row["tags"]["44"]), (&"12345678901".into(), &"1.123456789".into()));
    assert_eq!(row["tags"]["60"], "20260302-14:30:00.0000000000001");
    let findings = json(&std::fs::read_to_string(place.join("f.jsonl")).expect("written"));
    let values: Vec<_> = findings.iter().filter(|f| f["code"] == "event-value").map(|f| f["tag"].clone()).collect();
    assert_eq!(values, [60, 38, 44]);
}

#[test]
fn other_bytes_are_hex_and_passwords_are_never_shown() {
    let place = Place::new();
    let logon = message(
        "FIX.4.4",
        &[
            (35, "A"),
            (49, "C"),
            (56, "B"),
            (34, "1"),
            (52, "20260302-14:30:00"),
            (98, "0"),
            (108, "30"),
            (95, "6"),
            (96, "secret"),
            (553, "me"),
            (554, "hunter2"),
            (925, "hunter3"),
        ],
    );
    let mut other = order_with(2, "C2", &[(58, "caf@")]);
    let at = other.iter().position(|&b| b == b'@').expect("there");
    other[at] = 0xe9;
    place.file("a.log", lines(&[logon, other]));
    let everything = place.run(["parse", "a.log", "--findings", "f.jsonl", "--names", "--fail-on", "never"]);
    let named = json(&everything.stdout);
    assert_eq!(named[1]["tags"]["Text"]["hex"], "636166e9");
    place.run(["parse", "a.log", "-o", "out", "--fail-on", "never"]).ends_with(0);
    let tags = &rows::table(&place.join("out/events"))[0]["tags"];
    let plain = place.run(["parse", "a.log", "--fail-on", "never"]).stdout;
    let csv = place.run(["parse", "a.log", "-f", "csv", "--fail-on", "never"]).stdout;
    let findings = std::fs::read_to_string(place.join("f.jsonl")).expect("written");
    for text in [tags, &everything.stdout, &plain, &csv, &findings, &everything.stderr] {
        assert!(!text.contains("hunter") && !text.contains("secret"), "{text}");
    }
    assert!(tags.contains("\"554\":\"***\"") && tags.contains("\"553\":\"me\""));
}

#[test]
fn parquet_json_and_csv_hold_the_same_rows() {
    let place = Place::new();
    let day = fixture_text("fix-day-hard");
    place.run(["parse", &day, "-o", "out", "--fail-on", "never"]).ends_with(0);
    let parquet = rows::table(&place.join("out/events"));
    let json = json(&place.run(["parse", &day, "--fail-on", "never"]).stdout);
    let csv = place.run(["parse", &day, "-f", "csv", "--fail-on", "never"]).stdout;
    let mut csv = csv::Reader::from_reader(csv.as_bytes());
    let names: Vec<String> = csv.headers().expect("a header").iter().map(str::to_string).collect();
    let csv: Vec<csv::StringRecord> = csv.records().map(|r| r.expect("CSV")).collect();
    assert_eq!((parquet.len(), json.len(), csv.len()), (4012, 4012, 4012));
    for ((parquet, json), csv) in parquet.iter().zip(&json).zip(&csv) {
        for (name, value) in names.iter().zip(csv) {
            let in_json = match &json[name] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            if name == "tags" {
                let parsed: Value = serde_json::from_str(value).expect("JSON");
                assert_eq!(parsed, json[name]);
                assert_eq!(value, parquet[name]);
                continue;
            }
            assert_eq!(value, in_json, "{name}");
            // The date is the directory's name, and the time stamp is microseconds there.
            if name != "date" && name != "event_time" {
                assert_eq!(value, parquet.get(name).map_or("", String::as_str), "{name}");
            }
        }
    }
}

#[test]
fn formats_follow_the_output_and_wrong_combinations_are_refused() {
    let place = Place::new();
    place.file("a.log", lines(&[order(1, "C1")]));
    place.run(["parse", "a.log", "-o", "out.csv"]).ends_with(0);
    place.run(["parse", "a.log", "-o", "out.json"]).ends_with(0);
    place.run(["parse", "a.log", "-o", "out"]).ends_with(0);
    let start = |name: &str| std::fs::read_to_string(place.join(name)).expect("written")[..9].to_string();
    assert_eq!((start("out.csv").as_str(), start("out.json").as_str()), ("event_id,", "{\"event_i"));
    assert!(place.join("out/events/date=2026-03-02").is_dir());
    for args in [&["-f", "parquet"][..], &["--names", "-f", "csv"], &["-o", "out.csv"], &["-o", "out"]] {
        let ran = place.run([&["parse", "a.log"], args].concat());
        assert_eq!(ran.status, 2, "{args:?}");
        assert!(ran.stderr.starts_with("fixtrail: error: ") && ran.stderr.lines().count() == 1, "{}", ran.stderr);
    }
}

#[test]
fn a_directory_is_not_named_like_a_file() {
    let place = Place::new();
    place.file("a.log", lines(&[order(1, "C1")]));
    let ran = place.run(["parse", "a.log", "-o", "x.parquet"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("x.parquet: Parquet is a directory of files"), "{}", ran.stderr);
    assert!(!place.join("x.parquet").exists());
}
