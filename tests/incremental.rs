//! Adding to a trail: in the end it has the rows of linking everything at once, whatever came when.

use crate::harness::fix::{lines, message, order};
use crate::harness::rows::{Row, commit, live};
use crate::harness::{Dice, Place, fixture};
use std::path::{Path, PathBuf};

/// Links the files below `day`, whatever they hold.
fn link(place: &Place, day: &str, trail: &str, more: &[&str]) -> String {
    let ran = place.run([&["link", day, "-o", trail, "--fail-on", "never"], more].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    ran.stderr
}

/// Rows of a table, sorted; without those that say that two sources are alike, which depends on who came first.
fn rows(place: &Place, trail: &str, table: &str) -> Vec<Row> {
    let mut rows = live(&place.join(trail), table);
    rows.retain(|row| row.get("code").is_none_or(|code| code != "input-same-content"));
    rows.sort_unstable();
    rows
}

fn assert_same_rows(place: &Place, a: &str, b: &str) {
    for table in ["events", "links", "lifecycles", "findings"] {
        let (a, b) = (rows(place, a, table), rows(place, b, table));
        assert!(!a.is_empty(), "{table} is empty");
        for (a, b) in a.iter().zip(&b) {
            assert_eq!(a, b, "{table}");
        }
        assert_eq!(a.len(), b.len(), "{table}");
    }
    assert_eq!(place.run(["link", "--verify", b, "--all-versions"]).status, 0);
}

/// Files below a directory, relative to it, sorted.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![dir.to_path_buf()];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(&next).expect("listed") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => pending.push(path),
                false if path.extension().is_some_and(|e| e == "log") => {
                    found.push(path.strip_prefix(dir).expect("below").to_path_buf());
                }
                false => {}
            }
        }
    }
    found.sort();
    found
}

/// Lets the logs of a day arrive in `runs` runs, each cut anywhere, and links after each.
fn arrive(place: &Place, day: &str, runs: usize, seed: u64, more: &[&str]) {
    let source = fixture(day);
    let mut dice = Dice(seed);
    let (in_parts, trail) = (format!("{seed}/{day}"), format!("trail-{seed}"));
    for run in 1..=runs {
        for path in files(&source) {
            let whole = std::fs::read(source.join(&path)).expect("a log");
            let name = format!("{in_parts}/{}", path.display());
            let now = std::fs::metadata(place.join(&name)).map_or(0, |meta| meta.len() as usize);
            let rest = whole.len() - now;
            let more = match dice.below(4) {
                _ if run == runs => rest,
                0 | 1 => 0,
                2 => rest,
                _ => dice.below(rest as u64 + 1) as usize,
            };
            if more > 0 || now > 0 {
                place.file(&name, &whole[..now + more]);
            }
        }
        place.file(&format!("{in_parts}/.keep"), "");
        link(place, &in_parts, &trail, more);
    }
    let at_once = format!("at-once-{seed}");
    link(place, &in_parts, &at_once, &[]);
    assert_same_rows(place, &at_once, &trail);
}

#[test]
fn logs_that_grow_and_come_late_end_as_if_they_had_been_there_at_once() {
    let place = Place::new();
    place.file("tmp/keep", "");
    for (seed, day) in [(1, "fix-day"), (2, "fix-day-hard"), (3, "fix-day-hard"), (4, "jane-and-ramon")] {
        arrive(&place, day, 4, seed, &[]);
    }
    // With little memory, and in small units.
    arrive(&place, "fix-day-hard", 3, 5, &["--memory", "1M", "--unit-bytes", "50000", "-j2"]);
    arrive(&place, "fix-day", 5, 6, &["--unit-bytes", "3000"]);
}

#[test]
fn firms_that_report_one_after_the_other_are_joined() {
    let place = Place::new();
    let day = fixture("fix-day");
    for firm in ["BRKB", "XNYS", "BRKA", "ARCX", "XNAS", "BRKC"] {
        for path in files(&day).iter().filter(|path| path.starts_with(firm)) {
            place.file(&format!("day/{}", path.display()), std::fs::read(day.join(path)).expect("a log"));
        }
        link(&place, "day", "trail", &[]);
    }
    link(&place, "day", "at-once", &[]);
    assert_same_rows(&place, "at-once", "trail");
    // Compacting changes no row, and what comes later still finds its orders.
    assert_eq!(place.run(["link", "--compact", "trail"]).status, 0);
    assert_same_rows(&place, "at-once", "trail");
    let late = lines(&[order(900, "LATE-1")]);
    place.file("day/late.log", &late);
    link(&place, "day", "trail", &[]);
    link(&place, "day", "at-once", &["--force"]);
    assert_same_rows(&place, "at-once", "trail");
}

fn report(seq: u32, time: &str, cl_ord_id: &str, exec_id: &str, more: &[(u32, &str)]) -> Vec<u8> {
    let seq = seq.to_string();
    let mut fields = vec![
        (35, "8"),
        (49, "B"),
        (56, "C"),
        (34, &seq),
        (52, time),
        (37, "O1"),
        (11, cl_ord_id),
        (17, exec_id),
        (55, "IBM"),
        (54, "1"),
        (38, "100"),
        (60, time),
    ];
    fields.extend_from_slice(more);
    message("FIX.4.4", &fields)
}

fn new(seq: u32) -> Vec<u8> {
    report(seq, "20260302-14:30:01.000", "C1", "E0", &[(150, "0"), (39, "0"), (151, "100"), (14, "0"), (6, "0")])
}

fn fill(seq: u32, time: &str, exec_id: &str, cum: &str, leaves: &str, status: &str) -> Vec<u8> {
    let more = [(150, "F"), (39, status), (32, "50"), (31, "94"), (14, cum), (151, leaves), (6, "94")];
    report(seq, time, "C1", exec_id, &more)
}

#[test]
fn what_later_days_change_in_an_order_is_told() {
    let place = Place::new();
    place.file("day/1.log", lines(&[order(1, "C1"), new(2), fill(3, "20260302-14:31:00.000", "E1", "50", "50", "1")]));
    link(&place, "day", "trail", &[]);
    place.file("day/2.log", lines(&[fill(1, "20260303-10:00:00.000", "E2", "100", "0", "2")]));
    link(&place, "day", "trail", &[]);
    let bust = [(150, "H"), (39, "1"), (19, "E2"), (32, "50"), (31, "94"), (14, "50"), (151, "50"), (6, "94")];
    place.file("day/3.log", lines(&[report(1, "20260304-09:00:00.000", "C1", "E3", &bust)]));
    link(&place, "day", "trail", &[]);
    let lifecycles = rows(&place, "trail", "lifecycles");
    assert_eq!(lifecycles.len(), 1, "one order over three days");
    assert_eq!((lifecycles[0]["filled_qty"].as_str(), lifecycles[0]["state"].as_str()), ("50", "open"));
    let changes = rows(&place, "trail", "changes");
    let told = |version: &str, change: &str| {
        let row = changes.iter().find(|row| row["version"] == version && row["change"] == change);
        row.map(|row| (row["old"].as_str(), row["new"].as_str(), row["why"].as_str()))
    };
    assert_eq!(told("1", "state"), Some(("open", "filled", "1 new event: 1 fill")));
    assert_eq!(told("1", "filled_qty"), Some(("50", "100", "1 new event: 1 fill")));
    assert_eq!(told("2", "filled_qty"), Some(("100", "50", "1 new event: 1 bust")));
    assert_eq!(told("2", "state"), Some(("filled", "open", "1 new event: 1 bust")));
    assert_eq!(told("1", "lifecycle_id"), None);
    assert!(changes.iter().all(|row| row["lifecycle_id"] == lifecycles[0]["lifecycle_id"]));
    let told = place.run(["query", "files", "trail", "changes"]);
    assert_eq!((told.status, told.stdout.lines().count()), (0, 2), "a file of each version that changed something");
    // The old rows are gone from the latest version only.
    let before = place.run(["query", "files", "trail", "lifecycles", "--version", "0"]);
    let paths: Vec<&str> = before.stdout.lines().collect();
    let old = crate::harness::rows::file(&place.join(paths[0]));
    assert_eq!((paths.len(), old[0]["filled_qty"].as_str()), (1, "50"));
}

#[test]
fn versions_that_leave_a_table_out_lose_nothing_of_the_ones_before() {
    let place = Place::new();
    place.file("day/1.log", lines(&[order(1, "C1"), new(2)]));
    link(&place, "day", "trail", &[]);
    place.file("day/2.log", lines(&[fill(3, "20260302-14:31:00.000", "E1", "50", "50", "1")]));
    link(&place, "day", "trail", &[]);
    assert!(!rows(&place, "trail", "changes").is_empty());
    let verified = || {
        let ran = place.run(["link", "--verify", "--all-versions", "trail"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    };
    // Made anew there is nothing that has changed; events alone have no links either.
    link(&place, "day", "trail", &["--force"]);
    assert!(rows(&place, "trail", "changes").is_empty());
    assert_eq!(place.run(["parse", "day", "-o", "trail", "--force"]).status, 0);
    verified();
    for _ in 0..2 {
        link(&place, "day", "trail", &["--force"]);
        verified();
    }
    let before = place.run(["query", "files", "trail", "changes", "--version", "1"]);
    assert_eq!((before.status, before.stdout.lines().count()), (0, 1));
}

#[test]
fn a_directory_without_logs_changes_no_trail() {
    let place = Place::new();
    place.file("day/1.log", lines(&[order(1, "C1")])).file("empty/.keep", "");
    link(&place, "day", "trail", &[]);
    let said = link(&place, "empty", "trail", &[]);
    assert!(said.contains("nothing new: 0 inputs taken already; trail stays at version 0"), "{said}");
}

#[test]
fn a_parent_that_comes_late_gives_the_lifecycle_its_id_and_the_old_one_is_an_alias() {
    let place = Place::new();
    let child = message(
        "FIX.4.4",
        &[
            (35, "D"),
            (49, "B"),
            (56, "X"),
            (34, "1"),
            (52, "20260302-14:30:02.000"),
            (11, "B1"),
            (1080, "C1"),
            (1081, "9"),
            (21, "1"),
            (55, "IBM"),
            (54, "1"),
            (60, "20260302-14:30:02.000"),
            (38, "100"),
            (40, "2"),
            (44, "94.32"),
        ],
    );
    place.file("day/x.log", lines(&[child]));
    link(&place, "day", "trail", &[]);
    let alone = rows(&place, "trail", "lifecycles")[0]["lifecycle_id"].clone();
    assert_eq!(rows(&place, "trail", "findings").iter().filter(|f| f["code"] == "link-unknown-parent").count(), 1);
    place.file("day/a.log", lines(&[order(1, "C1")]));
    link(&place, "day", "trail", &[]);
    link(&place, "day", "at-once", &[]);
    assert_same_rows_without_findings(&place, "at-once", "trail");
    let joined = rows(&place, "trail", "lifecycles")[0]["lifecycle_id"].clone();
    assert_ne!(alone, joined);
    let alias: Vec<Row> =
        rows(&place, "trail", "changes").into_iter().filter(|row| row["change"] == "lifecycle_id").collect();
    assert_eq!(alias.len(), 1);
    assert_eq!((&alias[0]["old"], &alias[0]["new"], &alias[0]["lifecycle_id"]), (&alone, &joined, &joined));
    assert!(rows(&place, "trail", "findings").iter().all(|finding| finding["code"] != "link-unknown-parent"));
}

fn assert_same_rows_without_findings(place: &Place, a: &str, b: &str) {
    for table in ["events", "links", "lifecycles"] {
        assert_eq!(rows(place, a, table), rows(place, b, table), "{table}");
    }
}

#[test]
fn nothing_is_taken_twice_and_another_name_is_another_observation() {
    let place = Place::new();
    let log = lines(&[order(1, "C1"), order(2, "C2")]);
    place.file("day/a.log", &log);
    link(&place, "day", "trail", &[]);
    for more in [&[][..], &["--check-content"]] {
        let said = link(&place, "day", "trail", more);
        assert!(said.contains("nothing new: 1 input taken already; trail stays at version 0"), "{said}");
    }
    assert_eq!(commit(&place.join("trail"))["version"], 0);
    place.file("day/b.log", &log);
    link(&place, "day", "trail", &[]);
    let findings = live(&place.join("trail"), "findings");
    let same: Vec<&Row> = findings.iter().filter(|f| f["code"] == "input-same-content").collect();
    assert_eq!(same.len(), 1);
    assert_eq!((same[0]["source"].as_str(), same[0]["level"].as_str()), ("b.log", "info"));
    assert!(same[0]["text"].contains("a.log"), "{}", same[0]["text"]);
    assert_eq!(rows(&place, "trail", "events").len(), 4);
    assert_eq!(rows(&place, "trail", "lifecycles").len(), 2);
}

#[test]
fn a_log_that_was_rewritten_is_a_source_of_its_own() {
    let place = Place::new();
    let rewritten = |trail: &str| {
        let findings = rows(&place, trail, "findings");
        findings.into_iter().filter(|f| f["code"] == "input-rewritten").map(|f| f["source"].clone()).collect::<Vec<_>>()
    };
    place.file("day/a.log", lines(&[order(1, "C1")]));
    link(&place, "day", "trail", &[]);
    place.file("day/a.log", lines(&[order(1, "C2")]));
    link(&place, "day", "trail", &[]);
    assert_eq!(rewritten("trail"), ["a.log~2"]);
    // It is known by then, and read on when it grows.
    let said = link(&place, "day", "trail", &[]);
    assert!(said.contains("nothing new"), "{said}");
    place.file("day/a.log", lines(&[order(1, "C2"), order(2, "C3")]));
    let said = place.run(["link", "day", "-o", "trail", "--dry-run"]);
    assert!(said.stdout.starts_with("a.log~2: grown: read on from byte "), "{}", said.stdout);
    link(&place, "day", "trail", &[]);
    place.file("day/a.log", lines(&[order(1, "C4")]));
    link(&place, "day", "trail", &[]);
    assert_eq!(rewritten("trail"), ["a.log~2", "a.log~3"]);
    let ids: Vec<String> = rows(&place, "trail", "events").iter().map(|row| row["cl_ord_id"].clone()).collect();
    assert_eq!(ids.len(), 4);
    assert!(["C1", "C2", "C3", "C4"].iter().all(|id| ids.iter().any(|other| other == id)), "{ids:?}");
}

#[test]
fn a_file_that_has_the_name_of_a_rewritten_source_is_another_source() {
    let place = Place::new();
    place.file("day/a.log", lines(&[order(1, "C1")])).file("day/a.log~2", lines(&[order(1, "C2")]));
    link(&place, "day", "trail", &[]);
    place.file("day/a.log", lines(&[order(1, "C3")]));
    link(&place, "day", "trail", &[]);
    let source_of = |id: &str| {
        let rows = rows(&place, "trail", "events");
        rows.iter().filter(|row| row["cl_ord_id"] == id).map(|row| row["source"].clone()).collect::<Vec<_>>()
    };
    assert_eq!([source_of("C1"), source_of("C2"), source_of("C3")], [["a.log"], ["a.log~2"], ["a.log~3"]]);
    // Back to what it was at first: that is known.
    place.file("day/a.log", lines(&[order(1, "C1"), order(2, "C4")]));
    link(&place, "day", "trail", &[]);
    assert_eq!(source_of("C4"), ["a.log"]);
}

#[test]
fn a_file_is_known_by_length_and_time_unless_its_content_is_asked_for() {
    let place = Place::new();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let write = |id: &str| {
        place.file("day/a.log", lines(&[order(1, id)]));
        let file = std::fs::File::options().write(true).open(place.join("day/a.log")).expect("a log");
        file.set_modified(old).expect("a time");
    };
    write("C1");
    link(&place, "day", "trail", &[]);
    write("C2");
    let said = |more: &[&str]| place.run([&["link", "day", "-o", "trail", "--dry-run"], more].concat()).stdout;
    assert_eq!(said(&[]), "a.log: taken already\n");
    assert!(said(&["--check-content"]).starts_with("a.log~2: rewritten: "));
}

#[test]
fn a_pipe_cannot_have_the_name_of_a_source_that_was_taken() {
    let place = Place::new();
    let log = lines(&[order(1, "C1")]);
    assert_eq!(place.run_with(["link", "-", "-o", "trail"], &log).status, 0);
    let again = place.run_with(["link", "-", "-o", "trail"], &log);
    assert_eq!(again.status, 2);
    assert!(again.stderr.contains("-: a source of this name was taken already; --stdin-name gives another"));
    let other = place.run_with(["link", "--stdin-name", "b", "-o", "trail"], &lines(&[order(2, "C2")]));
    assert_eq!(other.status, 0, "{}", other.stderr);
    assert_eq!(rows(&place, "trail", "events").len(), 2);
}

#[test]
fn a_dry_run_says_what_would_be_done_and_does_nothing() {
    let place = Place::new();
    place.file("day/a.log", lines(&[order(1, "C1")])).file("day/b.log", lines(&[order(2, "C2")]));
    let ran = place.run(["link", "day", "-o", "trail", "--dry-run"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "a.log: new\nb.log: new\n"), "{}", ran.stderr);
    let bytes = lines(&[order(1, "C1"), order(2, "C2")]).len();
    assert!(ran.stderr.contains(&format!("2 of 2 inputs would be read, {bytes} bytes on the disk")), "{}", ran.stderr);
    assert!(!place.join("trail").exists());
    link(&place, "day", "trail", &[]);
    place.file("day/b.log", lines(&[order(2, "C2"), order(3, "C3")])).file("day/c.log", lines(&[order(4, "C4")]));
    let before = place.files_below("trail");
    let ran = place.run(["link", "day", "-o", "trail", "--dry-run"]);
    let expected = ["a.log: taken already", "b.log: grown: read on from byte ", "c.log: new"];
    assert_eq!(ran.stdout.lines().count(), 3);
    for (line, expected) in ran.stdout.lines().zip(expected) {
        assert!(line.starts_with(expected), "{line}");
    }
    assert!(ran.stderr.contains("dry run: 2 of 3 inputs would be read"), "{}", ran.stderr);
    assert_eq!(place.files_below("trail"), before);
}

#[test]
fn a_watched_directory_is_taken_as_files_settle() {
    let place = Place::new();
    place.file("day/a.log", lines(&[order(1, "C1")]));
    let watching = ["link", "day", "-o", "trail", "--watch=0.05", "--settle", "0.2"];
    let mut child = place.spawn(watching);
    let version = || {
        let has = Path::exists(&place.join("trail/_commits/0.json"));
        has.then(|| commit(&place.join("trail"))["version"].as_u64()).flatten()
    };
    let wait_for = |wanted: u64| {
        let started = std::time::Instant::now();
        while version() != Some(wanted) {
            assert!(started.elapsed().as_secs() < 60, "version {wanted} does not come");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    };
    wait_for(0);
    place.file("day/b.log", lines(&[order(2, "C2")]));
    wait_for(1);
    place.file("day/b.log", lines(&[order(2, "C2"), order(3, "C3")]));
    wait_for(2);
    // Meanwhile the trail can be asked.
    assert_eq!(place.run(["query", "order", "C3", "trail"]).status, 0);
    child.kill().expect("killed");
    child.wait().expect("waited");
    link(&place, "day", "at-once", &[]);
    assert_same_rows_without_findings(&place, "at-once", "trail");
    assert_eq!(version(), Some(2), "nothing is committed when nothing is new");
    let refused = place.run(["link", "-", "-o", "trail", "--watch"]);
    assert_eq!((refused.status, refused.stderr.contains("--watch needs files")), (2, true));
}

#[test]
fn a_damaged_index_stops_the_run_with_a_sentence_and_changes_nothing() {
    let place = Place::new();
    place.file("day/a.log", lines(&[order(1, "C1"), order(2, "C2")]));
    link(&place, "day", "trail", &[]);
    place.file("day/b.log", lines(&[order(3, "C1")]));
    for name in ["events-v0.lnk", "keys-v0.lnk"] {
        let path = place.join("trail/_indexes/linker").join(name);
        let whole = std::fs::read(&path).expect("an index");
        for cut in [0, 7, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..cut]).expect("written");
            let ran = place.run(["link", "day", "-o", "trail"]);
            assert_eq!(ran.status, 2, "{name} cut at {cut}: {}", ran.stderr);
            assert!(ran.stderr.contains(name), "{}", ran.stderr);
            let checked = place.run(["link", "--verify", "trail"]);
            assert_eq!(checked.status, 1);
            assert!(checked.stdout.contains(&format!("{name}: error: trail-size: ")), "{}", checked.stdout);
        }
        std::fs::write(&path, &whole).expect("written");
    }
    link(&place, "day", "trail", &[]);
    assert_eq!(commit(&place.join("trail"))["version"], 1);
    // Of a damaged index of ids a query says so, and searches everywhere.
    let ids = place.join("trail/_indexes/ids/ids-v0.idx");
    let whole = std::fs::read(&ids).expect("an index");
    std::fs::write(&ids, &whole[..whole.len() / 2]).expect("written");
    let ran = place.run(["query", "order", "C1", "trail"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("ids-v0.idx: is no index of ids, or is damaged; all files are searched"));
    let damaged = ran.stdout;
    std::fs::write(&ids, &whole).expect("written");
    assert_eq!(place.run(["query", "order", "C1", "trail"]).stdout, damaged);
}

#[test]
fn an_order_is_found_without_opening_files_that_do_not_hold_it() {
    let place = Place::new();
    for number in 0..6 {
        let id = format!("ID-{number}");
        place.file(&format!("day/{number}.log"), lines(&[order(1, &id), order(2, &format!("{id}-b"))]));
        link(&place, "day", "trail", &[]);
    }
    assert_eq!(commit(&place.join("trail"))["tables"][0]["files"].as_array().map(Vec::len), Some(6));
    let story = |id: &str| {
        let ran = place.run(["query", "order", id, "trail", "--json"]);
        assert_eq!(ran.status, 0, "{id}: {}", ran.stderr);
        ran.stdout
    };
    let before: Vec<String> = (0..6).map(|number| story(&format!("ID-{number}"))).collect();
    assert_eq!(place.run(["query", "order", "nobody", "trail"]).status, 1);
    // Nobody misses the files that do not hold it.
    let saved = place.files_below("trail");
    let others: Vec<&(String, Vec<u8>)> = saved
        .iter()
        .filter(|(name, _)| {
            name.ends_with(".parquet") && !name.starts_with("findings") && !name.ends_with("-v3.parquet")
        })
        .collect();
    assert_eq!(others.len(), 10, "five of events and five of lifecycles");
    others.iter().for_each(|(name, _)| std::fs::remove_file(place.join("trail").join(name)).expect("removed"));
    assert_eq!(story("ID-3"), before[3]);
    assert_eq!(place.run(["query", "order", "ID-2", "trail"]).status, 2);
    others.iter().for_each(|(name, bytes)| {
        place.file(&format!("trail/{name}"), bytes);
    });
    // The files that merging makes take the place of those that the index knows.
    assert_eq!(place.run(["link", "--compact", "trail"]).status, 0);
    let after: Vec<String> = (0..6).map(|number| story(&format!("ID-{number}"))).collect();
    assert_eq!(before, after);
}
