//! Same in, same out: threads, order of arguments, pipes and unit sizes change no byte of the tables.

use crate::harness::fix::{lines, order};
use crate::harness::rows::table;
use crate::harness::{Place, fixture_text};

type Files = Vec<(String, Vec<u8>)>;

fn linked(place: &Place, name: &str, args: &[&str]) -> Files {
    let ran = place.run([&["link", "-o", name, "--fail-on", "never"], args].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let files = place.data_files(name);
    assert!(files.len() >= 2, "events and lifecycles at least");
    files
}

fn assert_same(a: &Files, b: &Files, what: &str) {
    let names = |files: &Files| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(a), names(b), "{what}");
    for ((name, x), (_, y)) in a.iter().zip(b) {
        assert!(x == y, "{what}: {name} differs");
    }
}

#[test]
fn threads_do_not_matter_at_any_unit_size() {
    let place = Place::new();
    for (day, size) in [("jane-and-ramon", "1"), ("fix-day-hard/BRKA", "30000"), ("fix-day-hard", "400000")] {
        let day = fixture_text(day);
        let one = linked(&place, &format!("one-{size}"), &[&day, "-j1", "--unit-bytes", size]);
        let two = linked(&place, &format!("two-{size}"), &[&day, "-j2", "--unit-bytes", size]);
        let five = linked(&place, &format!("five-{size}"), &[&day, "-j5", "--unit-bytes", size]);
        assert_same(&one, &two, "two threads");
        assert_same(&one, &five, "five threads");
    }
}

#[test]
fn the_order_of_arguments_does_not_matter() {
    let place = Place::new();
    let logs: Vec<String> = (0..6)
        .map(|n| {
            let name = format!("{n}.log");
            place.file(&name, lines(&(1..=20).map(|m| order(m, &format!("C{n}-{m}"))).collect::<Vec<_>>()));
            name
        })
        .collect();
    let forward: Vec<&str> = logs.iter().map(String::as_str).collect();
    let mut shuffled = forward.clone();
    shuffled.rotate_left(2);
    shuffled.swap(0, 3);
    assert_same(&linked(&place, "a", &forward), &linked(&place, "b", &shuffled), "shuffled");
}

#[test]
fn a_pipe_a_map_and_a_plain_read_are_the_same() {
    let place = Place::new();
    let log = lines(&(1..=3000).map(|n| order(n, &format!("C{n}"))).collect::<Vec<_>>());
    place.file("x.log", &log);
    let size = ["--unit-bytes", "40000"];
    let mapped = linked(&place, "a", &[&["x.log"], &size[..]].concat());
    let read = linked(&place, "b", &[&["x.log", "--no-mmap"], &size[..]].concat());
    assert_same(&mapped, &read, "read");
    let args = [&["link", "-o", "c", "--fail-on", "never", "--stdin-name", "x.log", "-"], &size[..]].concat();
    let piped = place.run_with(args, &log);
    assert_eq!(piped.status, 0, "{}", piped.stderr);
    assert_same(&mapped, &place.data_files("c"), "pipe");
}

#[test]
fn lines_come_out_in_order_whatever_the_threads_and_units() {
    let place = Place::new();
    let day = fixture_text("fix-day-hard");
    let run = |command: &str, more: &[&str]| {
        let ran = place.run([&[command, &day, "--fail-on", "never"], more].concat());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout
    };
    for command in ["validate", "parse"] {
        let whole = run(command, &["-j1"]);
        assert!(whole.lines().count() > 1000);
        for size in ["500", "5000", "100000"] {
            assert!(run(command, &["-j4", "--unit-bytes", size]) == whole, "{command} in units of {size}");
        }
    }
}

#[test]
fn events_in_pieces_of_other_names_differ_only_in_their_places() {
    let place = Place::new();
    let all: Vec<Vec<u8>> = (1..=40).map(|n| order(n, &format!("C{n}"))).collect();
    place
        .file("whole/s.log", lines(&all))
        .file("halves/s1.log", lines(&all[..20]))
        .file("halves/s2.log", lines(&all[20..]));
    let ids = |trail: &str, day: &str| {
        linked(&place, trail, &[day, "--validate", "message"]);
        crate::harness::rows::table(&place.join(&format!("{trail}/lifecycles")))
            .iter()
            .map(|row| row["lifecycle_id"].clone())
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(ids("a", "whole"), ids("b", "halves"));
}

#[test]
fn how_much_fits_into_memory_does_not_matter() {
    let place = Place::new();
    place.file("tmp/keep", "");
    for (day, size) in [("fix-day", "100000"), ("fix-day-hard", "400000")] {
        let day = fixture_text(day);
        let link = |name: &str, more: &[&str]| {
            let fixed =
                ["link", &day, "-o", name, "--fail-on", "never", "--unit-bytes", size, "--report", "report.json"];
            let ran = place.run([&fixed[..], more].concat());
            assert_eq!(ran.status, 0, "{}", ran.stderr);
            let report: serde_json::Value =
                serde_json::from_slice(&std::fs::read(place.join("report.json")).expect("a report")).expect("JSON");
            let spooled = report["written"]["spooled_bytes"].as_u64().expect("a number");
            let tables = ["events", "links", "lifecycles", "findings"];
            let rows = tables.map(|name_of| {
                let mut rows: Vec<String> =
                    table(&place.join(name).join(name_of)).iter().map(|row| format!("{row:?}")).collect();
                rows.sort_unstable();
                rows
            });
            (rows, spooled)
        };
        let (whole, spooled_whole) = link(&format!("whole-{size}"), &[]);
        let (small, spooled_small) = link(&format!("small-{size}"), &["--memory", "1M", "--temp-dir", "tmp", "-j2"]);
        assert!(spooled_small > spooled_whole, "the linker has used the disk: {spooled_small}, {spooled_whole}");
        assert!(whole.iter().take(3).all(|rows| rows.len() > 100));
        for (name, (a, b)) in ["events", "links", "lifecycles", "findings"].iter().zip(whole.iter().zip(&small)) {
            assert!(a == b, "{name} of {day} differ");
        }
        assert_same(
            &linked(&place, &format!("one-{size}"), &[&day, "--unit-bytes", size, "--memory", "1M", "-j1"]),
            &place.data_files(&format!("small-{size}")),
            "threads",
        );
    }
    assert_eq!(place.files_below("tmp").len(), 1, "temporary files are gone");
}
