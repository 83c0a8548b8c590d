//! What is read and how it is named: layouts, compression, pipes, directories.

use crate::harness::Place;
use crate::harness::fix::{lines, message, order, rendered};
use std::io::Write;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("written");
    encoder.finish().expect("finished")
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).expect("written");
    encoder.finish().expect("finished")
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(bytes).expect("written");
    encoder.finish().expect("finished")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("compressed")
}

/// Offsets and ids as JSON gives them.
fn events(place: &Place, args: &[&str]) -> Vec<(u64, u64, String)> {
    let ran = place.run([&["parse", "--fail-on", "never"], args].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    ran.stdout
        .lines()
        .map(|line| {
            let v: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let number = |key: &str| v[key].as_u64().expect("a number");
            (number("offset"), number("line"), v["cl_ord_id"].as_str().unwrap_or_default().to_string())
        })
        .collect()
}

#[test]
fn compressed_files_are_known_by_their_bytes_and_members_may_follow_each_other() {
    let place = Place::new();
    let log = lines(&(1..=50).map(|n| order(n, &format!("C{n}"))).collect::<Vec<_>>());
    place.file("plain", &log);
    let expected = events(&place, &["plain"]);
    assert_eq!(expected.len(), 50);
    let (a, b) = log.split_at(log.len() / 3);
    for (name, pack) in [("gz", gzip as fn(&[u8]) -> Vec<u8>), ("bz", bzip2), ("xz", xz), ("zst", zstd)] {
        place.file(name, pack(&log)).file("two", [pack(a), pack(b)].concat());
        assert_eq!(events(&place, &[name]), expected, "{name}");
        assert_eq!(events(&place, &["two"]), expected, "two members of {name}");
    }
}

#[test]
fn damage_in_a_compressed_file_is_a_finding_and_what_came_before_is_kept() {
    let place = Place::new();
    let log = lines(&(1..=2000).map(|n| order(n, &format!("C{n}"))).collect::<Vec<_>>());
    let packed = gzip(&log);
    place.file("cut.gz", &packed[..packed.len() / 2]);
    let ran = place.run(["validate", "cut.gz"]);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.contains(": error: input-damaged: "), "{}", ran.stdout);
    assert!(events(&place, &["cut.gz"]).len() > 500);
}

#[test]
fn messages_are_found_whatever_stands_around_them() {
    let place = Place::new();
    let (a, b, c) = (order(1, "C1"), rendered(&order(2, "C2"), "|"), rendered(&order(3, "C3"), "^A"));
    let log = [
        b"\xef\xbb\xbf20260302-14:30:00.000 : ".as_slice(),
        &a,
        b"\r\n",
        b"2026-03-02 14:30:00,123 INFO out - FIX.4.4:C->B: ",
        &b,
        b" trailing\n",
        b"an event line\n\n\0\0\0",
        &c,
        &a,
    ]
    .concat();
    place.file("a.log", &log);
    let found: Vec<_> = events(&place, &["a.log"]).into_iter().map(|(_, line, id)| (line, id)).collect();
    let expected = [(1, "C1"), (2, "C2"), (5, "C3"), (5, "C1")].map(|(line, id)| (line, id.to_string()));
    assert_eq!(found, expected);
    let ran = place.run(["validate", "-v", "a.log"]);
    let summed: u64 = ran
        .stderr
        .lines()
        .find(|line| line.starts_with("fixtrail: bytes: "))
        .expect("a line about bytes")
        .split(|c: char| !(c.is_ascii_digit() || c == ','))
        .filter_map(|word| word.replace(',', "").parse::<u64>().ok())
        .sum();
    assert_eq!(summed, log.len() as u64, "each byte is counted once: {}", ran.stderr);
}

#[test]
fn a_message_within_a_message_stays_there() {
    let place = Place::new();
    let inner = order(7, "INNER");
    let xml = format!("<RTRF>{}</RTRF>", String::from_utf8(inner).expect("ASCII"));
    let length = xml.len().to_string();
    let outer = message(
        "FIX.4.4",
        &[(35, "n"), (49, "CME"), (56, "B"), (34, "1"), (52, "20260302-14:30:00"), (212, &length), (213, &xml)],
    );
    place.file("a.log", lines(&[outer, order(2, "C2")]));
    let ids: Vec<String> = events(&place, &["a.log"]).into_iter().map(|(_, _, id)| id).collect();
    assert_eq!(ids, ["", "C2"]);
    assert_eq!(place.run(["validate", "a.log"]).stdout, "");
}

#[test]
fn directories_are_walked_and_what_is_not_recognised_is_said() {
    let place = Place::new();
    place.file("day/b/two.log", order(2, "C2")).file("day/a/one.log", order(1, "C1"));
    place.file("day/.hidden", order(3, "C3")).file("day/_scratch/x.log", order(4, "C4")).file("day/notes.txt", "hello");
    let ids: Vec<String> = events(&place, &["day"]).into_iter().map(|(_, _, id)| id).collect();
    assert_eq!(ids, ["C1", "C2"]);
    let ran = place.run(["validate", "day"]);
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (0, "notes.txt:0: info: input-not-recognised: is neither FIX, CAT, Parquet nor an archive\n")
    );
    let ran = place.run(["validate", "day/notes.txt"]);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.starts_with("day/notes.txt:0: error: input-not-recognised: "), "{}", ran.stdout);
}

#[test]
fn the_same_name_twice_is_refused() {
    let place = Place::new();
    place.file("x/a.log", order(1, "C1")).file("y/a.log", order(2, "C2"));
    let ran = place.run(["validate", "x", "y"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("would both be named"), "{}", ran.stderr);
    let ran = place.run(["validate", "x/a.log", "x/a.log"]);
    assert!(ran.status == 2 && ran.stderr.contains("given twice"), "{}", ran.stderr);
}
