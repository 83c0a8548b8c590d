//! A trail's history: versions by number and by time, and what a run that replaces or fails leaves behind.

use crate::harness::fix::{lines, order};
use crate::harness::rows::{commit, live};
use crate::harness::{Place, Ran};
use std::time::Duration;

/// A trail of three versions with 1, 2 and 3 orders.
fn three_versions() -> Place {
    let place = Place::new();
    for orders in 1..=3 {
        place.file("a.log", lines(&(1..=orders).map(|n| order(n, &format!("C{n}"))).collect::<Vec<_>>()));
        place.run(["link", "-q", "a.log", "-o", "trail", "--force"]).ends_with(0);
        // Times are in milliseconds.
        std::thread::sleep(Duration::from_millis(5));
    }
    place
}

fn query(place: &Place, words: &str) -> Ran {
    place.run([&["query"], &words.split(' ').collect::<Vec<_>>()[..]].concat())
}

/// Times of the versions, as `query versions` prints them.
fn times(place: &Place) -> Vec<String> {
    let ran = query(place, "versions trail -f csv");
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    ran.stdout.lines().skip(1).map(|line| line.split(',').nth(1).expect("a time").to_string()).collect()
}

#[test]
fn versions_are_listed_with_their_rows_and_sources() {
    let place = three_versions();
    let ran = query(&place, "versions trail");
    let rows: Vec<Vec<&str>> = ran.stdout.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| {
        let at = rows[0].iter().position(|heading| *heading == name).expect("a heading");
        rows[1..].iter().map(|row| row[at]).collect::<Vec<_>>()
    };
    assert_eq!(column("version"), ["0", "1", "2"]);
    assert_eq!(column("messages"), ["1", "2", "3"]);
    assert_eq!(column("events"), ["1", "2", "3"]);
    assert_eq!(column("lifecycles_version"), ["0", "1", "2"]);
    let times = times(&place);
    assert!(times.is_sorted() && times[0].starts_with("20") && times[0].ends_with('Z'), "{times:?}");
    let json = query(&place, "versions trail --json").stdout;
    let last: serde_json::Value = serde_json::from_str(json.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["operation"], &last["tables"]["events"]["rows"]), (&"write".into(), &3.into()));
    assert_eq!((&last["sources"][0]["name"], &last["sources"][0]["messages"]), (&"a.log".into(), &3.into()));
    let table = query(&place, "versions trail -f table").stdout;
    assert!(table.starts_with("version  time ") && table.lines().count() == 4, "{table}");
}

#[test]
fn an_order_is_known_in_the_versions_that_have_it() {
    let place = three_versions();
    for (version, status) in [(0, 1), (1, 1), (2, 0)] {
        let ran = query(&place, &format!("order C3 trail --version {version}"));
        assert_eq!(ran.status, status, "version {version}: {}", ran.stderr);
    }
    let times = times(&place);
    for (n, time) in times.iter().enumerate() {
        let ran = query(&place, &format!("order C3 trail --as-known-at {time}"));
        assert_eq!(ran.status, i32::from(n < 2), "at {time}: {}", ran.stderr);
    }
    let today = &times[2][..10];
    query(&place, &format!("order C3 trail --as-known-at {today}")).ends_with(0);
}

#[test]
fn live_files_of_a_version_stay_when_the_next_replaces_them() {
    let place = three_versions();
    let files = |more: &str| {
        let ran = query(&place, &format!("files trail events{more}"));
        ran.ends_with(0);
        ran.stdout.lines().map(str::to_string).collect::<Vec<_>>()
    };
    let all: Vec<_> = (0..3).flat_map(|version| files(&format!(" --version {version}"))).collect();
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|path| place.join(path).is_file()));
    assert_eq!(files(""), all[2..]);
    assert_eq!(files(&format!(" --as-known-at {}", times(&place)[1])), all[1..2]);
}

#[test]
fn a_version_that_is_not_there_is_one_clear_sentence() {
    let place = three_versions();
    let sentence = |words: &str| {
        let ran = query(&place, words);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
        ran.stderr
    };
    assert_eq!(
        sentence("files trail events --version 3"),
        "fixtrail: error: trail: has no version 3, only versions 0 to 2\n"
    );
    let first = &times(&place)[0];
    assert_eq!(
        sentence("order C1 trail --as-known-at 1999-12-31"),
        format!(
            "fixtrail: error: trail: nothing was known at 1999-12-31T23:59:59.999Z; the first version is of {first}\n"
        )
    );
    let wrong = sentence("order C1 trail --as-known-at yesterday");
    assert!(wrong.contains("expected a date such as 2026-03-02"), "{wrong}");
    let both = sentence("order C1 trail --version 1 --as-known-at 2026-03-02");
    assert!(both.contains("cannot be used with"), "{both}");
}

#[cfg(feature = "sql")]
#[test]
fn sql_asks_the_version_that_it_is_told() {
    let place = three_versions();
    let count = |more: &[&str]| {
        let ran = place.run([&["query", "sql", "select count(*) as n from events", "-f", "csv"], more].concat());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout
    };
    assert_eq!(count(&["trail"]), "n\n3\n");
    assert_eq!(count(&["trail", "--version", "1"]), "n\n2\n");
    assert_eq!(count(&["trail", "--as-known-at", &times(&place)[0]]), "n\n1\n");
    let ran = place.run(["query", "sql", "select 1 as n", "--version", "1"]);
    assert_eq!(ran.status, 2);
    assert_eq!(ran.stderr, "fixtrail: error: a version was asked for, and none of the sources is a trail\n");
}

#[test]
fn a_failed_run_leaves_nothing_where_there_was_no_trail_and_the_old_version_where_there_was() {
    let place = Place::new();
    place.file("a.log", lines(&(1..=2000).map(|n| order(n, &format!("C{n}"))).collect::<Vec<_>>()));
    let full = |output: &str| {
        let script = format!("ulimit -f 4; exec {} link a.log -o {output} --force", env!("CARGO_BIN_EXE_fixtrail"));
        let mut command = std::process::Command::new("bash");
        let ran = command.args(["-c", &script]).current_dir(place.path()).output().expect("started");
        assert_eq!(ran.status.code(), Some(2), "{}", String::from_utf8_lossy(&ran.stderr));
    };
    full("new/trail");
    assert!(!place.join("new").exists());
    place.file("b.log", order(1, "B1"));
    place.run(["link", "-q", "b.log", "-o", "trail"]).ends_with(0);
    let before = place.files_below("trail");
    full("trail");
    assert_eq!(place.files_below("trail"), before);
    assert_eq!(
        (commit(&place.join("trail"))["version"].as_u64(), live(&place.join("trail"), "events").len()),
        (Some(0), 1)
    );
    assert_eq!(std::fs::read_dir(place.join("trail/events")).expect("listed").count(), 2, "a partition and the log");
}

#[test]
fn a_second_writer_is_refused_or_waits() {
    let place = Place::new();
    place.file("b.log", order(1, "B1"));
    let mut first = place.spawn(["link", "-q", "-", "-o", "trail"]);
    while !place.join("trail/_commits/.lock").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let refused = place.run(["link", "b.log", "-o", "trail"]);
    assert_eq!(refused.status, 2);
    assert_eq!(
        refused.stderr,
        "fixtrail: error: trail: another run is writing to this trail; --wait SECONDS waits for it to end\n"
    );
    let waiting = place.spawn(["link", "-q", "b.log", "-o", "trail", "--force", "--wait", "60"]);
    std::thread::sleep(Duration::from_millis(200));
    drop(first.stdin.take());
    assert!(first.wait().expect("waited").success());
    let waited = waiting.wait_with_output().expect("waited");
    assert_eq!(String::from_utf8_lossy(&waited.stderr), "");
    assert_eq!(commit(&place.join("trail"))["version"], 1);
    assert_eq!(live(&place.join("trail"), "events").len(), 1);
}
