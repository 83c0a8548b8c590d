//! Commits: what they show, what they keep, and what is undone without one.

use super::*;
use crate::table::{Builder, Column, Encoder, IntColumn, Piece, TableFile, Type};
use std::fs;

fn writer(path: &Path) -> TrailWriter {
    TrailWriter::create(path, Duration::ZERO).expect("a writer")
}

fn schema() -> Schema {
    Schema {
        table: "events",
        columns: vec![Column::required("n", Type::Long).with_stats()],
        sorted_by: vec![],
        version: 1,
    }
}

fn write(writer: &mut TrailWriter, date: Option<Date>, values: &[i64]) {
    let schema = schema();
    writer.add_table(&schema);
    let mut column = IntColumn::steps();
    values.iter().for_each(|value| column.push(Some(*value)));
    let chunk = column.encode(&schema.columns[0], values.len(), &mut Encoder::new());
    let dir = writer.partition_dir("events", date).expect("a directory");
    let mut file = TableFile::create(&dir, &writer.file_name(0), &schema).expect("a file");
    file.append_row_group(&[Piece::Fresh(&chunk)]).expect("a row group");
    writer.add_file("events", date, file.finish().expect("a finished file"));
}

#[test]
fn a_commit_shows_its_files_and_sources() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("trail");
    assert!(!Trail::exists(&path));
    assert!(Trail::open(&path).expect_err("no trail").to_string().ends_with("not a trail: it has no commit"));
    let mut writer = writer(&path);
    write(&mut writer, Date::from_ymd(2026, 1, 5), &[1, 2, 3]);
    write(&mut writer, None, &[7]);
    let (name, digest) = ("a.fix".to_string(), "00".to_string());
    let source = TakenSource { name, digest, bytes: 12, messages: 4, resume: None, file: None };
    writer.add_source(source.clone());
    assert!(!Trail::exists(&path), "nothing counts before the commit");
    writer.commit().expect("a commit");
    let trail = Trail::open(&path).expect("a trail");
    assert_eq!(trail.commit().version, 0);
    assert_eq!(trail.commit().sources, [source]);
    assert_eq!(
        trail.files("events").expect("a table"),
        [
            path.join("events/date=2026-01-05/part-00000-v0.parquet"),
            path.join("events/date=__HIVE_DEFAULT_PARTITION__/part-00000-v0.parquet")
        ]
    );
    assert_eq!(trail.commit().tables[0].files.iter().map(|f| f.rows).collect::<Vec<_>>(), [3, 1]);
    let error = trail.files("orders").expect_err("no such table").to_string();
    assert!(error.ends_with("no table `orders`; it has events"), "{error}");
}

#[test]
fn the_log_says_what_readers_need() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut writer = writer(dir.path());
    write(&mut writer, Date::from_ymd(2026, 1, 5), &[1, 2, 3]);
    writer.commit().expect("a commit");
    let log = dir.path().join("events/_delta_log/00000000000000000000.json");
    let log = fs::read_to_string(log).expect("a log");
    let lines: Vec<serde_json::Value> = log.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert_eq!(lines[1]["protocol"], serde_json::json!({"minReaderVersion": 1, "minWriterVersion": 2}));
    assert_eq!(lines[2]["metaData"]["partitionColumns"], serde_json::json!(["date"]));
    assert_eq!(lines[3]["add"]["path"], "date=2026-01-05/part-00000-v0.parquet");
    assert_eq!(lines[3]["add"]["partitionValues"]["date"], "2026-01-05");
    assert_eq!(
        lines[3]["add"]["stats"],
        r#"{"maxValues":{"n":3},"minValues":{"n":1},"nullCount":{"n":0},"numRecords":3}"#
    );
}

#[test]
fn the_next_commit_replaces_rows_and_keeps_files_and_the_tables_id() {
    let dir = tempfile::tempdir().expect("a directory");
    for version in 0..3 {
        let mut writer = writer(dir.path());
        assert_eq!(writer.version(), version);
        write(&mut writer, Date::from_ymd(2026, 1, 5), &[version as i64]);
        let trail = writer.commit().expect("a commit");
        let partition = dir.path().join("events/date=2026-01-05");
        let name = format!("part-00000-v{version}.parquet");
        assert_eq!(trail.files("events").expect("a table"), [partition.join(&name)]);
        assert_eq!(fs::read_dir(&partition).expect("a directory").count(), version as usize + 1);
    }
    let mut live = Vec::new();
    let state = delta::replay(&dir.path().join("events"), |_, files| live.push(files.clone())).expect("a log");
    assert_eq!((state.next, state.live.len()), (3, 1));
    let expected = (0..3).map(|version| [format!("date=2026-01-05/part-00000-v{version}.parquet")].into());
    assert_eq!(live, expected.collect::<Vec<_>>());
    let log = fs::read_to_string(dir.path().join("events/_delta_log/00000000000000000002.json")).expect("a log");
    let removed: serde_json::Value =
        serde_json::from_str(log.lines().find(|line| line.contains("remove")).expect("a removed file")).expect("JSON");
    let time = Trail::open(dir.path()).expect("a trail").commit().time_ms;
    let path = "date=2026-01-05/part-00000-v1.parquet";
    assert_eq!(removed["remove"], serde_json::json!({"path": path, "deletionTimestamp": time, "dataChange": true}));
}

#[test]
fn every_version_can_be_opened_by_number_and_by_time() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut times = Vec::new();
    for version in 0..5 {
        let mut writer = writer(dir.path());
        write(&mut writer, None, &[version]);
        times.push(writer.commit().expect("a commit").commit().time_ms);
    }
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
    for (version, time) in (0..).zip(&times) {
        let trail = Trail::open_version(dir.path(), version).expect("a version");
        assert_eq!((trail.commit().version, trail.commit().time_ms), (version, *time));
        let until_next = times.get(version as usize + 1).map_or(i64::MAX, |next| next - 1);
        for known_at in [*time, until_next] {
            let trail = Trail::open_as_known_at(dir.path(), known_at).expect("a version");
            assert_eq!(trail.commit().version, version);
        }
    }
    let history = Trail::history(dir.path()).expect("a history");
    assert_eq!(history.map(|commit| commit.expect("a commit").time_ms).collect::<Vec<_>>(), times);
    let error = Trail::open_version(dir.path(), 5).expect_err("no such version").to_string();
    assert!(error.ends_with("has no version 5, only versions 0 to 4"), "{error}");
    let error = Trail::open_as_known_at(dir.path(), times[0] - 1).expect_err("too early").to_string();
    assert!(error.contains("nothing was known at 20") && error.contains("; the first version is of 20"), "{error}");
}

#[test]
fn a_commit_that_leads_out_of_the_trail_is_damaged() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut first = writer(dir.path());
    write(&mut first, None, &[1]);
    let commit = first.commit().expect("a commit").commit().clone();
    for path in ["../x.parquet", "/x.parquet", "date=1/../../x", "."] {
        let mut wrong = commit.clone();
        wrong.tables[0].files[0].path = path.to_string();
        fs::write(commits::path(dir.path(), 0), serde_json::to_vec(&wrong).expect("JSON")).expect("written");
        let error = Trail::open(dir.path()).expect_err("damage").to_string();
        assert!(error.ends_with(&format!("_commits/0.json: names {path}, which is not within the trail")), "{error}");
    }
}

#[test]
fn a_clock_that_goes_back_does_not_turn_time_round() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut first = writer(dir.path()).commit().expect("a commit").commit().clone();
    first.time_ms += 3_600_000;
    fs::write(commits::path(dir.path(), 0), serde_json::to_vec(&first).expect("JSON")).expect("written");
    let second = writer(dir.path()).commit().expect("a commit");
    assert_eq!(second.commit().time_ms, first.time_ms + 1);
}

#[test]
fn what_an_unfinished_run_left_is_removed() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut first = writer(dir.path());
    write(&mut first, None, &[1]);
    first.commit().expect("a commit");
    let partition = dir.path().join("events/date=__HIVE_DEFAULT_PARTITION__");
    // A run that was killed had written a file, the table's version and one of another table, but not the commit.
    fs::copy(partition.join("part-00000-v0.parquet"), partition.join("part-00000-v1.parquet")).expect("a file");
    fs::write(partition.join(".tmp-1-1"), "").expect("a file");
    fs::write(commits::dir(dir.path()).join(".tmp-1-2"), "").expect("a file");
    for (table, more) in [("events", "date=2026-01-06"), ("links", "date=2026-01-05")] {
        let table = dir.path().join(table);
        fs::create_dir_all(table.join(more)).expect("a partition");
        let state = delta::read(&table).expect("a log");
        assert!(delta::write(&table, &state, &schema(), &Change::Replace(&[]), 0).expect("a version"));
    }
    let mut next = writer(dir.path());
    assert_eq!(fs::read_dir(&partition).expect("a directory").count(), 1);
    assert!(!dir.path().join("events/date=2026-01-06").exists() && !dir.path().join("links").exists());
    assert_eq!(strays::files(&commits::dir(dir.path())).expect("listed").len(), 2, "the commit and the lock");
    assert_eq!(Trail::open(dir.path()).expect("a trail").commit().version, 0);
    write(&mut next, None, &[3]);
    let trail = next.commit().expect("a commit");
    assert_eq!(trail.files("events").expect("a table"), [partition.join("part-00000-v1.parquet")]);
    assert_eq!(trail.commit().tables[0].version, 1);
}

#[test]
fn without_a_commit_the_trail_is_as_it_was() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("new/trail");
    let mut failed = writer(&path);
    write(&mut failed, None, &[1]);
    assert!(path.join("events").is_dir());
    drop(failed);
    assert_eq!(fs::read_dir(dir.path()).expect("a directory").count(), 0, "directories that it made are gone too");
    fs::create_dir_all(&path).expect("a directory");
    drop(writer(&path));
    assert_eq!(fs::read_dir(&path).expect("still there").count(), 0);
    let mut first = writer(&path);
    write(&mut first, None, &[1]);
    first.commit().expect("a commit");
    let mut failed = writer(&path);
    write(&mut failed, Date::from_ymd(2026, 1, 5), &[2]);
    drop(failed);
    assert!(!path.join("events/date=2026-01-05").exists());
    let trail = Trail::open(&path).expect("a trail");
    assert!(trail.files("events").expect("a table").iter().all(|file| file.is_file()));
}

#[test]
fn two_runs_cannot_write_at_once() {
    let dir = tempfile::tempdir().expect("a directory");
    let first = writer(dir.path());
    let error = TrailWriter::create(dir.path(), Duration::ZERO).expect_err("a second writer").to_string();
    assert!(error.contains("another run is writing to this trail"), "{error}");
    drop(first);
    writer(dir.path());
}
