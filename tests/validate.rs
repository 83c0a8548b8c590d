//! `fixtrail validate`: findings, formats, statuses.

use crate::harness::fix::{lines, message, order, order_with, rendered};
use crate::harness::{Place, fixture_text, rows};
use crate::link::injected;
use std::collections::BTreeSet;

#[test]
fn a_clean_log_prints_nothing_and_ends_with_0() {
    let place = Place::new();
    place.file("a.log", lines(&[order(1, "C1"), order(2, "C2")]));
    let ran = place.run(["validate", "a.log"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""));
    assert!(
        ran.stderr.starts_with(
            "fixtrail: 2 messages in 1 file (276 bytes), 0 wrong; findings: 0 errors, 0 warnings, 0 info;"
        ),
        "{}",
        ran.stderr
    );
    assert_eq!(place.run(["validate", "-q", "a.log"]).stderr, "");
}

#[test]
fn findings_are_printed_with_file_offset_level_code_and_sentence() {
    let place = Place::new();
    let good = order(1, "C1");
    let wrong_sum = [&good[..good.len() - 4], b"999\x01"].concat();
    let computed = String::from_utf8_lossy(&good[good.len() - 4..good.len() - 1]).into_owned();
    place.file(
        "a.log",
        lines(&[good.clone(), wrong_sum, order_with(3, "C3", &[(54, "1")]), order_with(4, "C4", &[(59, "~")])]),
    );
    let line = good.len() + 1;
    let ran = place.run(["validate", "a.log"]);
    let expected = format!(
        "a.log:{line}: error: fix-checksum: CheckSum(10) is 999, computed {computed}\n\
         a.log:{}: error: fix-tag-duplicate: Side(54) stands twice, the second time with \"1\"\n",
        2 * line
    );
    let shown: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(ran.status, 1);
    assert_eq!(shown[0], expected.lines().next().expect("a line"));
    assert!(shown[1].starts_with(&format!("a.log:{}: error: fix-tag-duplicate: ", 2 * line)), "{}", shown[1]);
    assert!(
        shown[2].starts_with(&format!("a.log:{}: error: fix-enum: TimeInForce(59) is \"~\", expected ", 3 * line + 5)),
        "{}",
        shown[2]
    );
    assert_eq!(shown.len(), 3);
}

#[test]
fn every_format_says_the_same() {
    let place = Place::new();
    let day = fixture_text("fix-day-hard");
    let text = place.run(["validate", &day, "--min-level", "error"]);
    let json = place.run(["validate", &day, "--min-level", "error", "-f", "json"]);
    let csv = place.run(["validate", &day, "--min-level", "error", "-f", "csv"]);
    place.run(["validate", &day, "--min-level", "error", "-f", "parquet", "-o", "f.parquet"]).ends_with(1);
    assert_eq!((text.status, json.status, csv.status), (1, 1, 1));
    let text: Vec<String> = text.stdout.lines().map(str::to_string).collect();
    let json: Vec<String> = json
        .stdout
        .lines()
        .map(|line| {
            let v: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let s = |key: &str| v[key].as_str().expect("text").to_string();
            format!("{}:{}: {}: {}: {}", s("source"), v["offset"], s("level"), s("code"), s("text"))
        })
        .collect();
    let csv: Vec<String> = csv::Reader::from_reader(csv.stdout.as_bytes())
        .records()
        .map(|record| {
            let r = record.expect("CSV");
            format!("{}:{}: {}: {}: {}", &r[0], &r[1], &r[3], &r[4], &r[6])
        })
        .collect();
    let parquet: Vec<String> = rows::file(&place.join("f.parquet"))
        .iter()
        .map(|r| format!("{}:{}: {}: {}: {}", r["source"], r["offset"], r["level"], r["code"], r["text"]))
        .collect();
    assert_eq!(text.len(), 47);
    assert_eq!(json, text);
    assert_eq!(csv, text);
    assert_eq!(parquet, text);
    let places: BTreeSet<(String, String)> = text
        .iter()
        .map(|line| line.split(": error").next().expect("a place").rsplit_once(':').expect("an offset"))
        .map(|(file, offset)| (file.to_string(), offset.to_string()))
        .collect();
    assert_eq!(places, injected());
}

#[test]
fn fail_on_decides_the_status() {
    let place = Place::new();
    place.file("info.log", order_with(1, "C1", &[(1080, "X"), (1081, "9")]));
    for (level, status) in [("error", 0), ("warning", 0), ("info", 1), ("never", 0)] {
        place.run(["validate", "info.log", "--fail-on", level]).ends_with(status);
    }
    place.file("error.log", order_with(1, "C1", &[(59, "~")]));
    for (level, status) in [("error", 1), ("warning", 1), ("info", 1), ("never", 0)] {
        place.run(["validate", "error.log", "--fail-on", level]).ends_with(status);
    }
}

#[test]
fn versions_come_from_begin_string_appl_ver_id_and_the_logon() {
    let place = Place::new();
    let head = |kind: &'static str, more: &[(u32, &'static str)]| {
        let mut fields = vec![(35, kind), (49, "C"), (56, "B"), (34, "1"), (52, "20260302-14:30:00")];
        fields.extend_from_slice(more);
        fields
    };
    // ExecInst(18) 'e' and HandlInst(21) are judged by the application version; 4.2 requires HandlInst, 4.4 does not.
    let body = [(11, "C1"), (55, "IBM"), (54, "1"), (60, "20260302-14:30:00"), (38, "1"), (40, "1")];
    let fixt = |more: &[(u32, &'static str)]| message("FIXT.1.1", &[head("D", more), body.to_vec()].concat());
    let logon = |version| message("FIXT.1.1", &head("A", &[(98, "0"), (108, "30"), (1137, version)]));
    let codes = |log: Vec<u8>| -> Vec<String> {
        let ran = place.run_with(["validate"], &log);
        ran.stdout.lines().map(|line| line.splitn(5, ": ").skip(2).take(2).collect::<Vec<_>>().join(" ")).collect()
    };
    let missing = "fix-required-tag-missing HandlInst(21) is missing, NewOrderSingle requires it";
    assert_eq!(codes(fixt(&[])), Vec::<String>::new(), "the default is 5.0 SP2");
    assert_eq!(codes(fixt(&[(1128, "4")])), [missing]);
    assert_eq!(codes(lines(&[logon("4"), fixt(&[])])), [missing]);
    assert_eq!(codes(lines(&[logon("4"), fixt(&[(1128, "9")])])), Vec::<String>::new());
    assert_eq!(codes(lines(&[logon("4"), logon("9"), fixt(&[])])), Vec::<String>::new(), "the last Logon counts");
    assert_eq!(codes(message("FIX.4.2", &[head("D", &[]), body.to_vec()].concat())), [missing]);
    assert_eq!(codes(message("FIX.4.4", &[head("D", &[]), body.to_vec()].concat())), Vec::<String>::new());
    let unknown = codes(message("FIX.3.0", &[head("D", &[]), body.to_vec()].concat()));
    assert_eq!(
        unknown,
        [
            "fix-version-unknown BeginString(8) is \"FIX.3.0\", expected FIX.4.0 to FIX.4.4 or FIXT.1.1; read as FIX.5.0SP2"
        ]
    );
}

#[test]
fn framing_alone_is_checked_on_request() {
    let place = Place::new();
    place.file("a.log", order_with(1, "C1", &[(59, "~")]));
    let ran = place.run(["validate", "--level", "frame", "a.log"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""));
}

#[test]
fn lengths_and_sums_of_rendered_logs_are_taken_on_the_restored_bytes() {
    let place = Place::new();
    for separator in ["|", ";", "^A", "<SOH>", "\u{2401}"] {
        let ran = place.run_with(["validate"], &lines(&[rendered(&order(1, "C1"), separator), order(2, "C2")]));
        assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{separator}");
        assert!(ran.stderr.contains("2 messages"), "{}", ran.stderr);
    }
}
