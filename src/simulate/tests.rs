//! What a simulated day promises: sound messages, both firms' logs alike, the truth at its places, the same bytes again.

use super::*;
use std::collections::{BTreeMap, HashMap, HashSet};

type Files = BTreeMap<String, Vec<u8>>;

fn plan(messages: u64) -> Plan {
    Plan { has_truth: true, ..Plan::new(messages, Date::from_ymd(2026, 3, 2).unwrap()) }
}

fn hard(messages: u64) -> Plan {
    Plan { faults: 0.02, missing_refs: 0.1, resends: 0.02, prefix: Prefix::QuickFix, ..plan(messages) }
}

/// All files of a run by their names.
fn files_of(plan: &Plan) -> (Files, Counts) {
    let dir = tempfile::tempdir().unwrap();
    let counts = write(plan, dir.path(), false).unwrap();
    let list = fs::read_to_string(dir.path().join(MANIFEST)).unwrap();
    let files = list.lines().map(|name| (name.to_string(), fs::read(dir.path().join(name)).unwrap())).collect();
    (files, counts)
}

fn logs(files: &Files) -> impl Iterator<Item = (&String, &Vec<u8>)> {
    files.iter().filter(|(name, _)| name.ends_with(".log"))
}

/// The messages of a log with their offsets, without prefix and line end.
fn messages(log: &[u8]) -> Vec<(usize, &[u8])> {
    let mut start = 0;
    let lines = log.split_inclusive(|byte| *byte == b'\n').map(move |line| {
        let skip = line.windows(5).position(|window| window == b"8=FIX").unwrap();
        start += line.len();
        (start - line.len() + skip, &line[skip..line.len() - 1])
    });
    lines.collect()
}

fn fields(message: &[u8]) -> Vec<(u32, String)> {
    let text = std::str::from_utf8(message).unwrap();
    let field = |field: &str| {
        let (tag, value) = field.split_once('=').unwrap();
        (tag.parse().unwrap(), value.to_string())
    };
    text.strip_suffix('\x01').unwrap().split('\x01').map(field).collect()
}

fn value(fields: &[(u32, String)], tag: u32) -> &str {
    fields.iter().find(|field| field.0 == tag).map_or("", |field| &field.1)
}

/// Recomputes BodyLength(9) and CheckSum(10) from the text; true where the message has the right one.
fn sums(message: &[u8]) -> (bool, bool) {
    let text = std::str::from_utf8(message).unwrap();
    let body = text.find("\x0135=").unwrap() + 1;
    let trailer = text.rfind("\x0110=").unwrap() + 1;
    let fields = fields(message);
    let sum: u64 = message[..trailer].iter().map(|byte| u64::from(*byte)).sum();
    (value(&fields, 9) == (trailer - body).to_string(), value(&fields, 10) == format!("{:03}", sum % 256))
}

fn json_lines(files: &Files, name: &str) -> Vec<serde_json::Value> {
    let text = std::str::from_utf8(&files[name]).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_message_is_well_framed_and_its_header_in_order() {
    let (files, counts) = files_of(&plan(4000));
    let mut seen = 0;
    for (name, log) in logs(&files) {
        for (offset, message) in messages(log) {
            assert_eq!(sums(message), (true, true), "{name}:{offset}");
            let fields = fields(message);
            let tags: Vec<u32> = fields.iter().map(|field| field.0).collect();
            assert_eq!(tags[..7], [8, 9, 35, 49, 56, 34, 52], "{name}:{offset}");
            assert_eq!(tags[tags.len() - 1], 10, "{name}:{offset}");
            let alone: Vec<u32> = tags.into_iter().filter(|tag| !(2887..=2890).contains(tag)).collect();
            assert_eq!(alone.iter().collect::<HashSet<_>>().len(), alone.len(), "a tag comes twice at {name}:{offset}");
            assert!(fields.iter().all(|field| !field.1.is_empty()), "{name}:{offset}");
            seen += 1;
        }
    }
    assert_eq!(seen, counts.logged);
    assert!((3200..4800).contains(&seen), "{seen} messages");
    assert_eq!((counts.faults, counts.repeats), (0, 0));
}

#[test]
fn quantities_of_reports_add_up() {
    let (files, _) = files_of(&plan(6000));
    let mut statuses = HashSet::new();
    for (name, log) in logs(&files) {
        for (offset, message) in messages(log) {
            let fields = fields(message);
            if value(&fields, 35) != "8" {
                continue;
            }
            let number = |tag| value(&fields, tag).parse::<u64>().unwrap();
            let status = value(&fields, 39).to_string();
            let leaves = if matches!(&status[..], "4" | "8" | "C") { 0 } else { number(38) - number(14) };
            assert_eq!(number(151), leaves, "{name}:{offset}");
            assert_eq!(status == "2", number(14) == number(38), "{name}:{offset}");
            statuses.insert(status);
        }
    }
    assert!(["0", "1", "2", "4", "8"].iter().all(|status| statuses.contains(*status)), "{statuses:?}");
}

#[test]
fn both_firms_log_the_same_messages() {
    let (files, _) = files_of(&Plan { prefix: Prefix::None, ..hard(4000) });
    let mut sessions: HashMap<&str, Vec<&Vec<u8>>> = HashMap::new();
    for (name, log) in logs(&files) {
        sessions.entry(name.split_once('/').unwrap().1).or_default().push(log);
    }
    for (name, logs) in &sessions {
        assert_eq!(logs.len(), if name.starts_with("CLI") { 1 } else { 2 }, "{name}");
        assert!(logs.iter().all(|log| *log == logs[0]), "{name}");
    }
    assert_eq!(sessions.len(), 12 * 3 + 3 * 3 + 3);
}

#[test]
fn the_truth_has_each_message_at_its_place() {
    let (files, counts) = files_of(&hard(4000));
    let truth = json_lines(&files, "truth.jsonl");
    assert_eq!(truth.len() as u64, counts.logged);
    let mut repeats = 0;
    for line in &truth {
        let offset = line["offset"].as_u64().unwrap() as usize;
        let log = &files[line["file"].as_str().unwrap()];
        let end = log[offset..].iter().position(|byte| *byte == b'\n').unwrap();
        let fields = fields(&log[offset..offset + end]);
        assert_eq!(line["seq"].to_string(), value(&fields, 34));
        assert_eq!(line["msg_type"], value(&fields, 35));
        assert_eq!(line["cl"].as_str().unwrap_or(""), value(&fields, 11));
        assert_eq!(line["order_id"].as_str().unwrap_or(""), value(&fields, 37));
        assert_eq!(line["dup"].as_bool().unwrap(), value(&fields, 43) == "Y");
        assert_eq!(line["life"].is_null(), matches!(value(&fields, 35), "A" | "0" | "5"));
        repeats += u64::from(line["dup"].as_bool().unwrap());
    }
    assert_eq!(repeats, counts.repeats);
    assert!(repeats > 0);
}

#[test]
fn an_order_has_one_lifecycle_and_so_has_its_parent() {
    let (files, _) = files_of(&hard(6000));
    let mut lives: HashMap<(String, String), u64> = HashMap::new();
    let mut references = Vec::new();
    for line in json_lines(&files, "truth.jsonl") {
        let Some(life) = line["life"].as_u64() else { continue };
        let offset = line["offset"].as_u64().unwrap() as usize;
        let log = &files[line["file"].as_str().unwrap()];
        let end = log[offset..].iter().position(|byte| *byte == b'\n').unwrap();
        let fields = fields(&log[offset..offset + end]);
        let is_from_orderer = matches!(value(&fields, 35), "D" | "F" | "G");
        let receiver = value(&fields, if is_from_orderer { 56 } else { 49 });
        // A client may use an identifier with two brokers, so the receiver is part of the key.
        for tag in [11, 41, 37] {
            let id = value(&fields, tag);
            if !id.is_empty() {
                let key = (receiver.to_string(), id.to_string());
                assert_eq!(*lives.entry(key).or_insert(life), life, "{receiver} {id}");
            }
        }
        let named = fields.iter().filter(|field| matches!(field.0, 1080 | 2887));
        references.extend(named.map(|field| (value(&fields, 49).to_string(), field.1.clone(), life)));
    }
    for (receiver, id, life) in &references {
        assert_eq!(lives[&(receiver.clone(), id.clone())], *life, "{receiver} {id}");
    }
    assert!(references.len() > 100);
}

#[test]
fn each_fault_is_where_injected_says_and_nowhere_else() {
    let (files, counts) = files_of(&hard(6000));
    let place =
        |line: &serde_json::Value| (line["file"].as_str().unwrap().to_string(), line["offset"].as_u64().unwrap());
    let injected: HashMap<_, _> = json_lines(&files, "injected.jsonl")
        .iter()
        .map(|line| (place(line), line["fault"].as_str().unwrap().to_string()))
        .collect();
    assert_eq!(injected.len() as u64, counts.faults);
    for (name, log) in logs(&files) {
        for (offset, message) in messages(log) {
            let fault = injected.get(&(name.clone(), offset as u64)).map_or("", |fault| &fault[..]);
            assert_eq!(sums(message), (fault != "bad_length", fault != "bad_checksum"), "{name}:{offset}");
            let fields = fields(message);
            if matches!(value(&fields, 35), "D" | "F" | "G" | "8") {
                assert_eq!(value(&fields, 54).is_empty(), fault == "missing_required", "{name}:{offset}");
                assert_eq!(value(&fields, 54) == "Z", fault == "bad_enum", "{name}:{offset}");
                assert_eq!(value(&fields, 38) == "12x", fault == "bad_type", "{name}:{offset}");
            }
        }
    }
    assert_eq!(injected.values().collect::<HashSet<_>>().len(), 5);
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_any_number_of_threads() {
    let alone = files_of(&hard(3000));
    assert_eq!(files_of(&Plan { threads: 4, ..hard(3000) }), alone);
    assert_ne!(files_of(&Plan { seed: 2, ..hard(3000) }).0, alone.0);
}

#[test]
fn compressed_logs_hold_the_same_bytes() {
    let (plain, _) = files_of(&plan(2000));
    let (compressed, _) = files_of(&Plan { is_compressed: true, threads: 2, ..plan(2000) });
    for (name, log) in logs(&plain) {
        let restored = zstd::decode_all(&compressed[&format!("{name}.zst")][..]).unwrap();
        assert_eq!(&restored, log, "{name}");
    }
}

#[test]
fn several_days_have_a_directory_each_and_leave_out_the_weekend() {
    let friday = Date::from_ymd(2026, 3, 6).unwrap();
    let (files, _) = files_of(&Plan { days: 2, date: friday, ..plan(2000) });
    let days: HashSet<&str> = logs(&files).map(|(name, _)| name.split_once('/').unwrap().0).collect();
    assert_eq!(days, HashSet::from(["2026-03-06", "2026-03-09"]));
    let monday = &files["2026-03-09/BRKA/CLI01-BRKA.log"];
    assert!(messages(monday).iter().all(|message| value(&fields(message.1), 52).starts_with("20260309-")));
}

#[test]
fn every_shape_is_sound_and_close_to_the_size_asked_for() {
    for shape in
        [Shape::HotSymbol, Shape::ManyFills, Shape::ReplaceChain, Shape::Combined, Shape::OneEvent, Shape::OneClOrdId]
    {
        let (files, counts) = files_of(&Plan { shape, ..plan(3000) });
        assert!((2500..3700).contains(&counts.logged), "{shape:?} wrote {}", counts.logged);
        for (name, log) in logs(&files) {
            for (offset, message) in messages(log) {
                assert_eq!(sums(message), (true, true), "{shape:?} {name}:{offset}");
            }
        }
    }
}

#[test]
fn a_directory_with_other_files_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("mine.txt"), "mine").unwrap();
    let refusal = |force| write(&plan(300), dir.path(), force).unwrap_err().to_string();
    assert_eq!(
        refusal(false),
        format!("{}: the directory is not empty; --force replaces an earlier run's files", dir.path().display())
    );
    assert_eq!(
        refusal(true),
        format!("{}: the directory holds files of others; name another directory", dir.path().display())
    );
    assert_eq!(fs::read_to_string(dir.path().join("mine.txt")).unwrap(), "mine");
}

#[test]
fn force_replaces_an_earlier_run_and_leaves_nothing_of_it() {
    let dir = tempfile::tempdir().unwrap();
    write(&Plan { clients: 20, ..plan(500) }, dir.path(), false).unwrap();
    write(&plan(500), dir.path(), true).unwrap();
    assert!(!dir.path().join("BRKA/CLI20-BRKA.log").exists());
    assert!(dir.path().join("BRKA/CLI12-BRKA.log").exists());
}

#[test]
fn one_file_holds_the_logs_of_all_firms() {
    let (apart, counts) = files_of(&plan(2000));
    let (files, counts_of_one) = files_of(&Plan { one_file: true, ..plan(2000) });
    assert_eq!(counts_of_one, counts);
    assert_eq!(files.keys().collect::<Vec<_>>(), ["all.log", "injected.jsonl", "truth.jsonl"]);
    let sorted = |all: Vec<&Vec<u8>>| {
        let mut lines: Vec<Vec<u8>> =
            all.iter().flat_map(|log| messages(log)).map(|message| message.1.to_vec()).collect();
        lines.sort();
        lines
    };
    assert!(sorted(logs(&files).map(|log| log.1).collect()) == sorted(logs(&apart).map(|log| log.1).collect()));
}

#[test]
fn a_day_asked_to_be_smaller_than_its_logons_has_only_session_messages() {
    let (files, counts) = files_of(&Plan { days: 3, ..plan(50) });
    assert_eq!(logs(&files).count(), 3 * 60);
    assert_eq!(counts.lifecycles, 0);
    assert!(counts.logged >= 3 * 240, "{}", counts.logged);
}
