//! `fixtrail link --compact`, `--expire`, `--verify` and `--backup`.

use crate::harness::fix::{lines, order};
use crate::harness::rows::{Row, commit, live, live_files};
use crate::harness::{Place, Ran, fixture_text};

fn link(place: &Place, words: &str) -> Ran {
    place.run([&["link"], &words.split(' ').collect::<Vec<_>>()[..]].concat())
}

/// A day in a trail of many small files.
fn small_files() -> Place {
    let place = Place::new();
    let day = fixture_text("fix-day/BRKA");
    place.run(["link", "-q", &day, "-o", "trail", "--fail-on", "never", "--unit-bytes", "3000"]).ends_with(0);
    place
}

const TABLES: [&str; 4] = ["events", "links", "lifecycles", "findings"];

fn all_rows(place: &Place) -> Vec<Vec<Row>> {
    TABLES.iter().map(|table| live(&place.join("trail"), table)).collect()
}

#[test]
fn merging_keeps_rows_in_their_order_and_the_old_version() {
    let place = small_files();
    let before = (all_rows(&place), commit(&place.join("trail")));
    let ran = link(&place, "--compact trail");
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.starts_with("fixtrail: trail: ") && ran.stderr.contains(", version 1; "), "{}", ran.stderr);
    let after = (all_rows(&place), commit(&place.join("trail")));
    assert!(before.0 == after.0, "the rows differ");
    let files = |commit: &serde_json::Value| live_files(commit, "events").len();
    assert!(files(&before.1) >= 5, "{} files", files(&before.1));
    assert_eq!(files(&after.1), 1);
    let ran = link(&place, "--verify --all-versions trail");
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains(" in 2 versions checked (") && ran.stderr.contains("), all sound; "), "{}", ran.stderr);
    let ran = link(&place, "--compact trail");
    assert!(ran.status == 0 && ran.stderr.contains("trail: nothing to merge; "), "{}", ran.stderr);
    let story = |version: &str| place.run(["query", "order", "C00000150", "trail", "--version", version]).stdout;
    assert_eq!(story("0"), story("1"));
}

#[test]
fn damage_is_printed_with_its_file_and_is_status_1() {
    let place = small_files();
    let path = format!("trail/events/{}", live_files(&commit(&place.join("trail")), "events")[0]);
    let mut bytes = std::fs::read(place.join(&path)).expect("read");
    bytes[1000] ^= 1;
    std::fs::write(place.join(&path), bytes).expect("written");
    let ran = link(&place, "--verify trail --report report.json");
    assert_eq!(ran.status, 1);
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    assert!(ran.stdout.starts_with(&format!("{path}: error: trail-digest: the content has changed")), "{}", ran.stdout);
    assert!(ran.stderr.contains(", 1 finding; "), "{}", ran.stderr);
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.join("report.json")).expect("read")).expect("JSON");
    assert_eq!((&report["written"]["findings"], &report["settings"]["verify"]), (&1.into(), &"trail".into()));
}

#[test]
fn expiry_keeps_what_it_is_told_to_keep() {
    let place = Place::new();
    place.file("a.log", lines(&[order(1, "C1")]));
    for _ in 0..4 {
        place.run(["link", "-q", "a.log", "-o", "trail", "--force"]).ends_with(0);
    }
    let versions = || {
        let text = place.run(["query", "versions", "trail", "-f", "csv"]).stdout;
        text.lines().skip(1).map(|line| line.split(',').next().expect("a number").to_string()).collect::<Vec<_>>()
    };
    let ran = link(&place, "--expire 1d trail");
    assert!(
        ran.stderr.contains("trail: 0 versions dropped, 0 files removed (0 bytes), 4 versions kept"),
        "{}",
        ran.stderr
    );
    let ran = link(&place, "--expire 2 trail");
    assert!(ran.stderr.contains("trail: 2 versions dropped, 10 files removed ("), "{}", ran.stderr);
    assert_eq!(versions(), ["2", "3"]);
    link(&place, "-q --expire 0d trail").ends_with(0);
    assert_eq!(versions(), ["3"]);
    assert_eq!(place.data_files("trail").len(), 2, "events and lifecycles of one version");
    link(&place, "-q --verify --all-versions trail").ends_with(0);
    assert_eq!(live(&place.join("trail"), "events").len(), 1);
}

#[test]
fn a_backup_answers_like_its_trail() {
    let place = small_files();
    link(&place, "-q --compact trail").ends_with(0);
    let ran = link(&place, "--backup copies/now trail");
    assert!(ran.status == 0 && ran.stderr.contains("trail: 1 version in copies/now: "), "{}", ran.stderr);
    let story = |trail: &str| place.run(["query", "order", "C00000150", trail]).stdout;
    assert_eq!(story("copies/now"), story("trail"));
    let ran = link(&place, "--backup copies/now --all-versions trail");
    assert!(ran.status == 0 && ran.stderr.contains("trail: 2 versions in copies/now: "), "{}", ran.stderr);
    std::fs::remove_dir_all(place.join("trail")).expect("lost");
    link(&place, "-q --verify --all-versions copies/now").ends_with(0);
    assert!(story("copies/now").contains("C00000150"));
}

/// Another file system than the one tests write to, if there is one: there files cannot be linked.
#[cfg(target_os = "linux")]
#[test]
fn a_backup_on_another_file_system_is_copied() {
    use std::os::unix::fs::MetadataExt;
    let place = small_files();
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else { return };
    let device = |path: &std::path::Path| std::fs::metadata(path).expect("there").dev();
    if device(other.path()) == device(place.path()) {
        return;
    }
    let copy = other.path().join("copy").to_str().expect("UTF-8").to_string();
    let ran = link(&place, &format!("--backup {copy} trail"));
    assert!(ran.status == 0 && ran.stderr.contains(" 0 linked, "), "{}", ran.stderr);
    link(&place, &format!("-q --verify {copy}")).ends_with(0);
    let names = |trail: &std::path::Path| TABLES.map(|table| live_files(&commit(trail), table));
    assert_eq!(names(&other.path().join("copy")), names(&place.join("trail")));
}

#[test]
fn what_cannot_be_done_is_said_in_one_sentence() {
    let place = Place::new();
    place.file("a.log", lines(&[order(1, "C1")]));
    place.run(["link", "-q", "a.log", "-o", "trail"]).ends_with(0);
    for (words, part) in [
        ("--verify gone", "gone: no such directory"),
        ("--compact .", ".: is no trail"),
        ("--verify", "name the one trail"),
        ("--verify trail trail", "name the one trail"),
        ("--compact --all-versions trail", "--all-versions goes with --verify or --backup"),
        ("--compact --verify trail", "cannot be used with"),
        ("--verify trail -o trail", "cannot be used with"),
        ("--expire 0 trail", "expected an age such as 12h, 30d or 8w"),
        ("--backup trail/copy trail", "lies within the trail"),
        ("a.log", "--output"),
    ] {
        let ran = link(&place, words);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{words}");
        assert!(ran.stderr.contains(part), "{words}: {}", ran.stderr);
    }
}

#[test]
fn a_directory_of_events_has_no_history_but_a_trail_keeps_its_own() {
    let place = Place::new();
    place.file("a.log", lines(&[order(1, "C1"), order(2, "C2")]));
    for _ in 0..2 {
        place.run(["parse", "-q", "a.log", "-o", "events", "--force"]).ends_with(0);
    }
    assert_eq!(crate::harness::rows::table(&place.join("events/events")).len(), 2);
    place.run(["link", "-q", "a.log", "-o", "trail"]).ends_with(0);
    place.run(["parse", "-q", "a.log", "-o", "trail", "--force"]).ends_with(0);
    place.run(["query", "order", "C1", "trail", "--version", "0"]).ends_with(0);
}
