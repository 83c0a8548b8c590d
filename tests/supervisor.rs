//! Runs that are killed at random moments, and everything else that goes wrong around a trail: it is always its old
//! version or the new one, and a later run leaves no trace of those that died.
//!
//! `FIXTRAIL_KILLS=1000 cargo test --test commands supervisor` kills as many times as a long test wants.

use crate::harness::fix::{lines, order};
use crate::harness::rows::{Row, commit, live, live_files};
use crate::harness::{Dice, Place, fixture_text};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TABLES: [&str; 4] = ["events", "links", "lifecycles", "findings"];

/// All rows of a trail's latest version.
type Rows = Vec<Vec<Row>>;

fn rows(trail: &Path) -> Rows {
    let sorted = |table: &&str| {
        let mut rows = live(trail, table);
        rows.sort_unstable();
        rows
    };
    TABLES.iter().map(sorted).collect()
}

/// Two days, and the rows that each gives when nothing goes wrong, alone and added to the other.
struct Days {
    place: Place,
    rows: BTreeMap<&'static str, Rows>,
    /// Versions of trails whose rows were compared; their digests tell whether they still are the same.
    compared: RefCell<BTreeSet<(String, String)>>,
}

impl Days {
    fn new() -> Days {
        let place = Place::new();
        std::os::unix::fs::symlink(fixture_text("fix-day/BRKA"), place.join("a")).expect("a link");
        std::os::unix::fs::symlink(fixture_text("fix-day/BRKB"), place.join("b")).expect("a link");
        let rows = ["a", "b"].map(|day| {
            place.run(Days::link(day, "expected").split(' ')).ends_with(0);
            let rows = rows(&place.join("expected"));
            std::fs::remove_dir_all(place.join("expected")).expect("removed");
            (day, rows)
        });
        assert!(rows[0].1 != rows[1].1, "the days differ");
        let mut rows = BTreeMap::from(rows);
        for (name, first, second) in [("ab", "a", "b"), ("ba", "b", "a")] {
            place.run(Days::link(first, "expected").split(' ')).ends_with(0);
            place.run(Days::add(second, "expected").split(' ')).ends_with(0);
            rows.insert(name, self::rows(&place.join("expected")));
            std::fs::remove_dir_all(place.join("expected")).expect("removed");
        }
        Days { place, rows, compared: RefCell::default() }
    }

    fn link(day: &str, trail: &str) -> String {
        format!("link -q {day} -o {trail} --force --fail-on never --unit-bytes 10000")
    }

    fn add(day: &str, trail: &str) -> String {
        format!("link -q {day} -o {trail} --fail-on never --unit-bytes 10000")
    }

    /// The latest version, if there is one, is whole, and is one or both of the days.
    fn trail_is_whole(&self, trail: &str) {
        let path = self.place.join(trail);
        let has_commit = path.join("_commits").is_dir() && commits(&path).next().is_some();
        if !has_commit {
            return;
        }
        let ran = self.place.run(["link", "-q", "--verify", "--all-versions", trail]);
        assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
        let version = (trail.to_string(), commit(&path)["time_ms"].to_string());
        if !self.compared.borrow_mut().insert(version) {
            return;
        }
        let found = rows(&path);
        assert!(self.rows.values().any(|rows| *rows == found), "version {}", commit(&path)["version"]);
    }
}

fn commits(trail: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(trail.join("_commits")).expect("listed");
    entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.extension().is_some_and(|e| e == "json"))
}

/// What lies in a trail and belongs to no version: files that no commit lists, and empty directories.
fn strays(place: &Place, trail: &str) -> Vec<String> {
    let path = place.join(trail);
    let mut known: BTreeSet<String> = [".lock", ".files-lock"].map(|name| format!("_commits/{name}")).into();
    let mut last: BTreeMap<&str, u64> = BTreeMap::new();
    for file in commits(&path) {
        let text = std::fs::read(&file).expect("read");
        let commit: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        known.insert(format!("_commits/{}", file.file_name().expect("a name").to_string_lossy()));
        for index in commit["indexes"].as_array().expect("indexes") {
            let files = index["files"].as_array().expect("files").iter().map(|file| file["path"].as_str());
            let dir = format!("_indexes/{}", index["name"].as_str().expect("a name"));
            known.extend(files.map(|file| format!("{dir}/{}", file.expect("a path"))));
        }
        for table in TABLES.into_iter().chain(["changes"]) {
            known.extend(live_files(&commit, table).into_iter().map(|file| format!("{table}/{file}")));
            let states = commit["tables"].as_array().expect("tables");
            let version =
                states.iter().find(|state| state["name"] == table).and_then(|state| state["version"].as_u64());
            if let Some(version) = version {
                let entry = last.entry(table).or_default();
                *entry = version.max(*entry);
            }
        }
    }
    for (table, last) in last {
        known.extend((0..=last).map(|version| format!("{table}/_delta_log/{version:020}.json")));
    }
    let files = place.files_below(trail).into_iter().map(|(name, _)| name);
    let mut found: Vec<String> = files.filter(|name| !known.contains(name)).collect();
    let mut pending = vec![path];
    while let Some(dir) = pending.pop() {
        let inner: Vec<PathBuf> =
            std::fs::read_dir(&dir).expect("listed").map(|e| e.expect("an entry").path()).collect();
        if inner.is_empty() {
            found.push(format!("{} is empty", dir.display()));
        }
        pending.extend(inner.into_iter().filter(|path| path.is_dir()));
    }
    found
}

/// Starts the program and ends it by a signal after `after`, unless it is faster.
fn kill_after(place: &Place, words: &str, signal: &str, after: Duration) {
    let mut command = place.command(words.split(' '));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
    std::thread::sleep(after);
    if child.try_wait().expect("asked").is_none() {
        let pid = child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("sent").success());
    }
    child.wait().expect("waited");
}

#[test]
fn killed_at_any_moment_the_trail_is_the_old_version_or_the_new_one() {
    let days = Days::new();
    let place = &days.place;
    let kills: usize = std::env::var("FIXTRAIL_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(15);
    let started = Instant::now();
    place.run(Days::link("a", "measured").split(' ')).ends_with(0);
    let whole = started.elapsed();
    let mut dice = Dice(7);
    for n in 0..kills {
        let words = match dice.below(10) {
            0..2 => Days::link("a", "trail"),
            2..4 => Days::link("b", "trail"),
            4..6 => Days::add("a", "trail"),
            6..8 => Days::add("b", "trail"),
            8 => "link -q --compact trail".to_string(),
            _ => "link -q --expire 2 trail".to_string(),
        };
        let signal = if dice.below(4) == 0 { "-TERM" } else { "-KILL" };
        // Some runs end by themselves, so that there is something to lose.
        let after = whole.mul_f64(dice.below(1200) as f64 / 1000.0);
        kill_after(place, &words, signal, after);
        days.trail_is_whole("trail");
        if n % 5 == 4 {
            kill_after(place, "link -q --backup copy --all-versions trail", "-KILL", after / 4);
            days.trail_is_whole("copy");
        }
    }
    place.run(Days::link("b", "trail").split(' ')).ends_with(0);
    days.trail_is_whole("trail");
    place.run(["link", "-q", "--expire", "2", "trail"]).ends_with(0);
    assert_eq!(strays(place, "trail"), Vec::<String>::new());
    assert!(rows(&place.join("trail")) == days.rows["b"]);
    place.run(["link", "-q", "--backup", "copy", "--all-versions", "trail"]).ends_with(0);
    days.trail_is_whole("copy");
}

#[test]
fn a_terminated_run_leaves_nothing_at_once() {
    let days = Days::new();
    let place = &days.place;
    let started = Instant::now();
    place.run(Days::link("a", "measured").split(' ')).ends_with(0);
    let whole = started.elapsed();
    for part in [2, 4, 6, 8, 9] {
        kill_after(place, &Days::link("b", "new"), "-TERM", whole.mul_f64(f64::from(part) / 10.0));
        if place.join("new").exists() {
            // It was faster.
            assert!(rows(&place.join("new")) == days.rows["b"]);
            std::fs::remove_dir_all(place.join("new")).expect("removed");
        }
        kill_after(place, &Days::link("b", "measured"), "-TERM", whole.mul_f64(f64::from(part) / 10.0));
        days.trail_is_whole("measured");
        assert_eq!(strays(place, "measured"), Vec::<String>::new());
    }
}

#[test]
fn a_full_disk_at_any_point_changes_nothing() {
    let days = Days::new();
    let place = &days.place;
    place.run(Days::link("a", "trail").split(' ')).ends_with(0);
    let before = place.files_below("trail");
    // A limit on file size, in kilobytes, stands for a full disk. A larger commit than the last limit is the last file.
    for limit in [0, 1, 2, 4, 8, 16] {
        for words in [Days::link("b", "trail"), "link -q --compact trail".to_string()] {
            let script = format!("ulimit -f {limit}; exec {} {words}", env!("CARGO_BIN_EXE_fixtrail"));
            let mut command = Command::new("bash");
            let ran = command.args(["-c", &script]).current_dir(place.path()).output().expect("started");
            let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
            assert_eq!(ran.status.code(), Some(2), "{limit} kB: {stderr}");
            assert!(stderr.contains("File too large") && stderr.lines().count() == 1, "{limit} kB: {stderr}");
            let after = place.files_below("trail");
            let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
            assert_eq!(names(&before), names(&after), "{limit} kB: {words}");
            assert!(before == after, "{limit} kB: {words}");
        }
    }
    place.run(Days::link("b", "trail").split(' ')).ends_with(0);
    days.trail_is_whole("trail");
}

#[test]
fn a_reader_sees_one_day_or_the_other_while_a_writer_replaces_them() {
    let place = Place::new();
    // The same order in two lives: in one it is changed and in the other it is not.
    let new = order(1, "C1");
    let change = crate::harness::fix::message(
        "FIX.4.4",
        &[
            (35, "G"),
            (49, "C"),
            (56, "B"),
            (34, "2"),
            (52, "20260302-14:30:01.000"),
            (41, "C1"),
            (11, "C2"),
            (21, "1"),
            (55, "IBM"),
            (54, "1"),
            (60, "20260302-14:30:01.000"),
            (38, "300"),
            (40, "2"),
            (44, "94.32"),
        ],
    );
    place.file("one.log", lines(std::slice::from_ref(&new))).file("two.log", lines(&[new, change]));
    let write = |day: &str| place.run(["link", "-q", day, "-o", "trail", "--force"]).ends_with(0).status;
    let story = || {
        let ran = place.run(["query", "order", "C1", "trail", "--json"]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
        ran.stdout
    };
    let expected = ["one.log", "two.log"].map(|day| {
        write(day);
        story()
    });
    assert_ne!(expected[0], expected[1]);
    let mut seen = BTreeSet::new();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..5 {
                write("one.log");
                write("two.log");
                place.run(["link", "-q", "--compact", "trail"]).ends_with(0);
                place.run(["link", "-q", "--expire", "1h", "trail"]).ends_with(0);
            }
        });
        while !writer.is_finished() {
            let found = story();
            assert!(expected.contains(&found), "neither one nor two: {found}");
            seen.insert(found);
        }
    });
    assert!(!seen.is_empty());
    assert_eq!(commit(&place.join("trail"))["version"], 11);
}

#[test]
fn a_killed_writer_holds_no_lock() {
    let place = Place::new();
    place.file("a.log", order(1, "C1"));
    let mut killed = place.spawn(["link", "-q", "-", "-o", "trail"]);
    while !place.join("trail/_commits/.lock").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(place.run(["link", "-q", "a.log", "-o", "trail"]).status, 2, "the lock is held");
    killed.kill().expect("killed");
    killed.wait().expect("waited");
    place.run(["link", "-q", "a.log", "-o", "trail"]).ends_with(0);
    assert_eq!(strays(&place, "trail"), Vec::<String>::new());
}

#[test]
fn an_input_that_vanishes_meanwhile_stops_the_run_and_changes_nothing() {
    let place = Place::new();
    place.file("a.log", order(1, "C1")).file("b.log", order(2, "C2"));
    place.run(["link", "-q", "a.log", "-o", "trail"]).ends_with(0);
    let before = place.files_below("trail");
    for (output, force) in [("trail", "--force"), ("new", "--quiet")] {
        // Standard input comes first and keeps the run busy.
        let mut child = place.spawn(["link", "-", "b.log", "-o", output, force]);
        while !place.join(output).join("_commits/.lock").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(300));
        std::fs::remove_file(place.join("b.log")).expect("vanished");
        drop(child.stdin.take());
        let ran = child.wait_with_output().expect("waited");
        let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("b.log: cannot read: No such file"), "{stderr}");
        place.file("b.log", order(2, "C2"));
    }
    assert!(place.files_below("trail") == before && !place.join("new").exists());
}

/// A directory in which nothing can be changed as long as this lives.
struct ReadOnly(PathBuf);

impl ReadOnly {
    /// None when this user may write anywhere and the file system has no other means.
    fn new(dir: PathBuf) -> Option<ReadOnly> {
        let made = ReadOnly(dir);
        made.set(true);
        std::fs::write(made.0.join("_commits/probe"), "").is_err().then_some(made)
    }

    fn set(&self, on: bool) {
        let (mode, flag) = if on { ("a-w", "+i") } else { ("u+w", "-i") };
        // Whichever of the two the user and the file system have; before the mode changes the flag must be off.
        let run = |program: &str, what: &str| {
            let _ = Command::new(program).args(["-R", what]).arg(&self.0).stderr(Stdio::null()).status();
        };
        if on {
            run("chmod", mode);
            run("chattr", flag);
        } else {
            run("chattr", flag);
            run("chmod", mode);
        }
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        self.set(false);
    }
}

#[test]
fn a_trail_that_cannot_be_written_is_still_read_checked_and_copied() {
    let place = Place::new();
    place.file("a.log", order(1, "C1"));
    place.run(["link", "-q", "a.log", "-o", "trail"]).ends_with(0);
    let before = place.files_below("trail");
    let Some(_read_only) = ReadOnly::new(place.join("trail")) else { return };
    for words in ["link a.log -o trail --force", "link --compact trail", "link --expire 1 trail"] {
        let ran = place.run(words.split(' '));
        assert_eq!(ran.status, 2, "{words}");
        assert!(ran.stderr.contains("trail/_commits") && ran.stderr.lines().count() == 1, "{words}: {}", ran.stderr);
    }
    place.run(["query", "order", "C1", "trail"]).ends_with(0);
    place.run(["link", "-q", "--verify", "--all-versions", "trail"]).ends_with(0);
    place.run(["link", "-q", "--backup", "copy", "trail"]).ends_with(0);
    place.run(["query", "order", "C1", "copy"]).ends_with(0);
    assert!(place.files_below("trail") == before);
}
