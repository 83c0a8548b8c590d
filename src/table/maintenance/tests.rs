//! What stays readable, whatever is done to a trail in whatever order.

use super::*;
use crate::finding::{Finding, Level};
use crate::table::findings::{FindingTable, schema};
use crate::table::trail::Trail;
use crate::table::{Encoder, Piece, TableFile, TrailWriter, strays};
use crate::types::Date;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

const NOW: Duration = Duration::ZERO;
const LARGE: u64 = 1 << 30;

/// Offsets of findings, by partition, in the order of their files.
type Rows = BTreeMap<String, Vec<i64>>;

fn finding(offset: i64) -> Finding {
    Finding {
        code: "fix-required".into(),
        level: Level::Error,
        source: 0,
        offset: offset as u64,
        line: 1,
        event: None,
        tag: 55,
        text: format!("text {}", offset % 3).into(),
    }
}

/// Commits a version with a file for each list of offsets, on days in turn: 0 is no day.
fn write(trail: &Path, files: &[(u32, Vec<i64>)]) -> Trail {
    let mut writer = TrailWriter::create(trail, NOW).expect("a writer");
    let schema = schema();
    writer.add_table(&schema);
    for (n, (day, offsets)) in files.iter().enumerate() {
        let date = Date::from_ymd(2026, 1, *day);
        let dir = writer.partition_dir("findings", date).expect("a directory");
        let mut file = TableFile::create(&dir, &writer.file_name(n), &schema).expect("a file");
        // Two row groups where there is enough for them.
        for offsets in offsets.chunks(offsets.len().div_ceil(2).max(1)) {
            let mut table = FindingTable::new();
            offsets.iter().for_each(|offset| table.push(&finding(*offset), "a.log", "0123456789ab"));
            let mut chunks = Vec::new();
            let keep = |_, chunk| {
                chunks.push(chunk);
                Ok::<(), Error>(())
            };
            table.encode(&schema, &mut Encoder::new(), keep).expect("chunks");
            file.append_row_group(&chunks.iter().map(Piece::Fresh).collect::<Vec<_>>()).expect("a row group");
        }
        writer.add_file("findings", date, file.finish().expect("a file"));
    }
    writer.commit().expect("a commit")
}

fn expected(files: &[(u32, Vec<i64>)]) -> Rows {
    let mut rows = Rows::new();
    for (day, offsets) in files {
        let partition = delta_partition(*day);
        rows.entry(partition).or_default().extend(offsets);
    }
    rows
}

fn delta_partition(day: u32) -> String {
    crate::table::delta::partition(Date::from_ymd(2026, 1, day))
}

/// The rows of a version, read with the Parquet library.
fn rows(trail: &Trail) -> Rows {
    let mut rows = Rows::new();
    for path in trail.files("findings").expect("a table") {
        let partition = path.parent().and_then(Path::file_name).expect("a partition").to_string_lossy().into_owned();
        let file = fs::File::open(&path).expect("a file");
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("a reader");
        for batch in reader {
            let batch = batch.expect("rows");
            let offsets = batch.column_by_name("offset").expect("a column").as_primitive::<Int64Type>();
            rows.entry(partition.clone()).or_default().extend(offsets.values());
        }
    }
    rows
}

/// Data files below a trail that no version lists, and files that a version lists and are not there.
fn astray(trail: &Path) -> Vec<PathBuf> {
    let listed: BTreeSet<PathBuf> = Trail::history(trail)
        .expect("a history")
        .flat_map(|commit| {
            let trail = Trail { path: trail.to_path_buf(), commit: commit.expect("a commit") };
            trail.files("findings").expect("a table")
        })
        .collect();
    let mut found = BTreeSet::new();
    for partition in strays::partitions(&trail.join("findings")).expect("listed") {
        let files = strays::files(&partition).expect("listed");
        assert!(!files.is_empty(), "{} is empty", partition.display());
        found.extend(files.into_iter().map(|(path, _)| path));
    }
    listed.symmetric_difference(&found).cloned().collect()
}

fn is_sound(trail: &Path) {
    let checked = verify(trail, Versions::All, NOW).expect("checked");
    assert_eq!(checked.damage, []);
}

#[test]
fn merged_files_have_the_same_rows_and_statistics_in_fewer_files() {
    let dir = tempfile::tempdir().expect("a directory");
    let files = [(5, vec![4, 9, 2]), (5, vec![7]), (5, vec![1, 1]), (6, vec![3]), (0, vec![8]), (0, vec![6])];
    let before = write(dir.path(), &files);
    let done = compact(dir.path(), LARGE, NOW).expect("merged");
    assert_eq!((done.version, done.merged, done.into), (Some(1), 5, 2));
    let after = Trail::open(dir.path()).expect("a trail");
    assert_eq!(after.commit().operation, "compact");
    assert_eq!(after.files("findings").expect("a table").len(), 3);
    assert_eq!(rows(&after), expected(&files));
    assert_eq!(rows(&before), expected(&files), "the old version is still there");
    is_sound(dir.path());
    let log = fs::read_to_string(dir.path().join("findings/_delta_log/00000000000000000001.json")).expect("a log");
    let actions: Vec<serde_json::Value> = log.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert_eq!(actions[0]["commitInfo"]["operation"], "OPTIMIZE");
    let of = |what: &str| actions.iter().filter(|a| a.get(what).is_some()).map(|a| a[what].clone()).collect::<Vec<_>>();
    assert_eq!((of("remove").len(), of("add").len(), of("metaData").len()), (5, 2, 0));
    assert!(of("remove").iter().chain(&of("add")).all(|action| action["dataChange"] == false));
    let stats: serde_json::Value =
        serde_json::from_str(of("add")[0]["stats"].as_str().expect("a text")).expect("JSON in the text");
    assert_eq!(stats["numRecords"], 6);
    assert_eq!((&stats["minValues"]["source"], &stats["maxValues"]["code"]), (&"a.log".into(), &"fix-required".into()));
    assert_eq!(stats["nullCount"]["event_id"], 6);
    // Nothing is left to merge.
    assert_eq!(compact(dir.path(), LARGE, NOW).expect("done"), Compacted::default());
    assert_eq!(Trail::open(dir.path()).expect("a trail").commit().version, 1);
}

#[test]
fn large_files_stay_as_they_are_and_part_runs_of_small_ones() {
    let dir = tempfile::tempdir().expect("a directory");
    let large: Vec<i64> = (0..4000).map(|n| n * n % 7919).collect();
    let files = [(5, vec![1]), (5, vec![2]), (5, large), (5, vec![3]), (5, vec![4])];
    let before = write(dir.path(), &files);
    let sizes: Vec<u64> = before.commit().tables[0].files.iter().map(|file| file.bytes).collect();
    // Two small files fit into one, and no third.
    let target = sizes[0] + sizes[1] + 1;
    assert!(sizes[2] > target, "{sizes:?}");
    let done = compact(dir.path(), target, NOW).expect("merged");
    assert_eq!((done.merged, done.into), (4, 2));
    let after = Trail::open(dir.path()).expect("a trail");
    assert_eq!(after.commit().tables[0].files[1], before.commit().tables[0].files[2]);
    assert_eq!(rows(&after), expected(&files));
    is_sound(dir.path());
}

#[test]
fn a_damaged_file_is_not_merged_and_nothing_changes() {
    let dir = tempfile::tempdir().expect("a directory");
    let trail = write(dir.path(), &[(5, vec![1]), (5, vec![2])]);
    let path = trail.files("findings").expect("a table").pop().expect("a file");
    let mut bytes = fs::read(&path).expect("read");
    bytes[20] ^= 1;
    fs::write(&path, bytes).expect("written");
    let error = compact(dir.path(), LARGE, NOW).expect_err("damage").to_string();
    assert!(error.starts_with(&path.display().to_string()) && error.contains("has changed since"), "{error}");
    assert_eq!(Trail::open(dir.path()).expect("a trail").commit().version, 0);
    assert_eq!(astray(dir.path()), Vec::<PathBuf>::new());
}

#[test]
fn every_kind_of_damage_is_found_and_names_its_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let found = |break_it: &dyn Fn(&Path)| {
        let trail = dir.path().join("trail");
        write(&trail, &[(5, vec![1, 2]), (6, vec![3])]);
        write(&trail, &[(5, vec![1, 2])]);
        is_sound(&trail);
        break_it(&trail);
        let checked = verify(&trail, Versions::All, NOW).expect("checked");
        assert_eq!(checked.versions, 2);
        let damage = checked.damage.iter().map(|damage| {
            let path = damage.path.strip_prefix(&trail).expect("below the trail").display();
            format!("{path}: {}: {}", damage.code, damage.text)
        });
        let damage: Vec<String> = damage.collect();
        fs::remove_dir_all(&trail).expect("removed");
        damage
    };
    let file = "findings/date=2026-01-05/part-00000-v0.parquet";
    let one = |damage: &[String], start: &str| {
        assert!(damage.len() == 1 && damage[0].starts_with(start), "{damage:?}");
    };
    let change = |name: &'static str, change: fn(&mut Vec<u8>)| {
        move |trail: &Path| {
            let mut bytes = fs::read(trail.join(name)).expect("read");
            change(&mut bytes);
            fs::write(trail.join(name), bytes).expect("written");
        }
    };
    one(&found(&|trail| fs::remove_file(trail.join(file)).expect("gone")), &format!("{file}: trail-missing: is not"));
    one(&found(&change(file, |bytes| bytes.truncate(9))), &format!("{file}: trail-size: is 9 bytes long, expected "));
    one(&found(&change(file, |bytes| bytes[9] ^= 4)), &format!("{file}: trail-digest: the content has changed"));
    one(&found(&change("_commits/0.json", |bytes| bytes.truncate(99))), "_commits/0.json: trail-commit: not a commit");
    let log = "findings/_delta_log/00000000000000000000.json";
    one(&found(&change(log, |bytes| bytes.truncate(99))), &format!("{log}: trail-log: not a version of a table"));
    one(&found(&|trail| fs::remove_file(trail.join(log)).expect("gone")), &format!("{log}: trail-log: is not there"));
    // A commit that says something else than the files: here, too many rows.
    let text = |bytes: &mut Vec<u8>| {
        let text = String::from_utf8(std::mem::take(bytes)).expect("UTF-8");
        *bytes = text.replacen("\"rows\": 2", "\"rows\": 3", 1).into_bytes();
    };
    one(&found(&change("_commits/0.json", text)), &format!("{file}: trail-rows: has 2 rows, expected 3"));
}

#[test]
fn only_what_was_asked_for_is_checked() {
    let dir = tempfile::tempdir().expect("a directory");
    let old = write(dir.path(), &[(5, vec![1])]);
    write(dir.path(), &[(5, vec![2])]);
    fs::remove_file(&old.files("findings").expect("a table")[0]).expect("gone");
    let latest = verify(dir.path(), Versions::Latest, NOW).expect("checked");
    assert_eq!((latest.versions, latest.files, latest.damage.len()), (1, 1, 0));
    let all = verify(dir.path(), Versions::All, NOW).expect("checked");
    assert_eq!((all.versions, all.files, all.damage.len()), (2, 2, 1));
}

#[test]
fn an_expired_version_is_gone_with_the_files_that_only_it_had() {
    let dir = tempfile::tempdir().expect("a directory");
    write(dir.path(), &[(5, vec![1]), (5, vec![2]), (6, vec![3])]);
    compact(dir.path(), LARGE, NOW).expect("merged");
    // A foreign file is left alone.
    fs::write(dir.path().join("findings/date=2026-01-06/notes.txt"), "x").expect("written");
    let done = expire(dir.path(), Keep::Versions(1), NOW).expect("expired");
    assert_eq!((done.versions, done.files, done.kept), (1, 2, 1));
    assert!(dir.path().join("findings/date=2026-01-06/notes.txt").is_file());
    let trail = Trail::open(dir.path()).expect("a trail");
    assert_eq!(rows(&trail), expected(&[(5, vec![1, 2]), (6, vec![3])]));
    let error = Trail::open_version(dir.path(), 0).expect_err("gone").to_string();
    assert!(error.ends_with("has no version 0, only version 1"), "{error}");
    is_sound(dir.path());
    assert_eq!(expire(dir.path(), Keep::Versions(1), NOW).expect("expired").versions, 0);
}

#[test]
fn an_expiry_that_was_killed_is_finished_by_the_next() {
    let dir = tempfile::tempdir().expect("a directory");
    write(dir.path(), &[(5, vec![1])]);
    write(dir.path(), &[(6, vec![2])]);
    // It got as far as the first commit.
    fs::remove_file(commits::path(dir.path(), 0)).expect("removed");
    is_sound(dir.path());
    let done = expire(dir.path(), Keep::Age(Duration::MAX), NOW).expect("expired");
    assert_eq!((done.versions, done.files), (0, 1));
    assert_eq!(astray(dir.path()), Vec::<PathBuf>::new());
}

#[test]
fn a_backup_is_a_trail_and_the_next_one_adds_to_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let (trail, copy) = (dir.path().join("trail"), dir.path().join("copies/copy"));
    write(&trail, &[(5, vec![1]), (5, vec![2])]);
    let done = backup(&trail, &copy, Versions::Latest, NOW).expect("copied");
    assert_eq!((done.versions, done.files, done.linked + done.copied_bytes.min(2)), (1, 2, 2));
    compact(&trail, LARGE, NOW).expect("merged");
    write(&trail, &[(5, vec![3])]);
    let done = backup(&trail, &copy, Versions::All, NOW).expect("copied");
    assert_eq!((done.versions, done.files, done.present), (3, 4, 2));
    fs::remove_dir_all(&trail).expect("lost");
    is_sound(&copy);
    let restored = |version| rows(&Trail::open_version(&copy, version).expect("a version"));
    assert_eq!(restored(1), expected(&[(5, vec![1, 2])]));
    assert_eq!(restored(2), expected(&[(5, vec![3])]));
    // It can be written on.
    write(&copy, &[(5, vec![4])]);
    is_sound(&copy);
}

#[test]
fn a_backup_goes_neither_into_its_trail_nor_into_another() {
    let dir = tempfile::tempdir().expect("a directory");
    let [trail, other] = ["trail", "other"].map(|name| dir.path().join(name));
    write(&trail, &[(5, vec![1])]);
    write(&other, &[(5, vec![1])]);
    let error = backup(&trail, &trail.join("copy"), Versions::All, NOW).expect_err("within").to_string();
    assert!(error.ends_with("lies within the trail; give a directory beside it"), "{error}");
    assert!(!trail.join("copy").exists());
    let error = backup(&trail, &other, Versions::All, NOW).expect_err("another").to_string();
    assert!(error.contains("is not that of this trail"), "{error}");
    is_sound(&other);
    let error = backup(&dir.path().join("gone"), &other, Versions::All, NOW).expect_err("no trail").to_string();
    assert!(error.ends_with("not a trail: it has no commit") && !dir.path().join("gone").exists(), "{error}");
}

#[test]
fn a_backup_takes_no_directory_that_holds_something_else() {
    let dir = tempfile::tempdir().expect("a directory");
    let [trail, to] = ["trail", "to"].map(|name| dir.path().join(name));
    write(&trail, &[(5, vec![1])]);
    // A name that a run which did not end could have left.
    let own = to.join("events/date=2026-01-06/part-00000-v0.parquet");
    fs::create_dir_all(own.parent().expect("a directory")).expect("made");
    fs::write(&own, "somebody's").expect("written");
    let error = backup(&trail, &to, Versions::All, NOW).expect_err("not empty").to_string();
    assert!(error.contains("is not empty and no backup"), "{error}");
    assert_eq!(fs::read(&own).expect("still there"), b"somebody's");
    assert!(!to.join("_commits").exists());
}

#[test]
fn files_are_not_removed_while_they_are_copied_or_checked() {
    let dir = tempfile::tempdir().expect("a directory");
    write(dir.path(), &[(5, vec![1])]);
    let keep = crate::table::lock::FilesLock::keep(dir.path(), NOW).expect("a lock");
    assert!(expire(dir.path(), Keep::Versions(1), NOW).is_err());
    write(dir.path(), &[(5, vec![2])]);
    is_sound(dir.path());
    drop(keep);
    assert_eq!(expire(dir.path(), Keep::Versions(1), NOW).expect("expired").versions, 1);
}

#[derive(Clone, Debug)]
enum Step {
    Write(Vec<(u32, Vec<i64>)>),
    Compact(u64),
    Expire(u64),
    Backup(bool),
    /// A writer that dies before its commit, with a file and a table's version.
    Die,
}

fn step() -> impl Strategy<Value = Step> {
    let files = prop::collection::vec((5u32..8, prop::collection::vec(0i64..1000, 1..6)), 0..6);
    prop_oneof![
        3 => files.prop_map(Step::Write),
        3 => prop_oneof![Just(LARGE), Just(4000)].prop_map(Step::Compact),
        2 => (1u64..4).prop_map(Step::Expire),
        1 => any::<bool>().prop_map(Step::Backup),
        1 => Just(Step::Die),
    ]
}

/// What a SIGKILL would leave: written without anything that cleans up.
fn die(trail: &Path, next: u64) {
    let partition = trail.join("findings/date=2026-01-09");
    fs::create_dir_all(&partition).expect("made");
    fs::write(partition.join(format!("part-00000-v{next}.parquet")), "PAR1").expect("written");
    fs::write(partition.join(".tmp-1-1"), "").expect("written");
    let table = trail.join("findings");
    let state = crate::table::delta::read(&table).expect("a log");
    let change = crate::table::delta::Change::Replace(&[]);
    assert!(crate::table::delta::write(&table, &state, &schema(), &change, 0).expect("a version"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_order_of_steps_keeps_the_rows_of_every_kept_version(steps in prop::collection::vec(step(), 1..9)) {
        let dir = tempfile::tempdir().expect("a directory");
        let (trail, copy) = (dir.path().join("trail"), dir.path().join("copy"));
        let first = [(5, vec![1, 2]), (5, vec![3])];
        write(&trail, &first);
        let mut versions = BTreeMap::from([(0u64, expected(&first))]);
        let mut copied: BTreeMap<u64, Rows> = BTreeMap::new();
        for step in steps {
            let (last, latest) = versions.last_key_value().map(|(n, rows)| (*n, rows.clone())).expect("a version");
            match step {
                Step::Write(files) => {
                    write(&trail, &files);
                    versions.insert(last + 1, expected(&files));
                }
                Step::Compact(target) => {
                    if let Some(version) = compact(&trail, target, NOW).expect("merged").version {
                        versions.insert(version, latest);
                    }
                }
                Step::Expire(keep) => {
                    expire(&trail, Keep::Versions(keep), NOW).expect("expired");
                    versions.retain(|version, _| version + keep > last);
                    prop_assert_eq!(astray(&trail), Vec::<PathBuf>::new());
                }
                Step::Backup(all) => {
                    let which = if all { Versions::All } else { Versions::Latest };
                    backup(&trail, &copy, which, NOW).expect("copied");
                    copied.extend(versions.iter().filter(|(n, _)| all || **n == last).map(|(n, r)| (*n, r.clone())));
                }
                Step::Die => die(&trail, last + 1),
            }
            for (path, versions) in [(&trail, &versions), (&copy, &copied)] {
                for (version, expected) in versions {
                    let found = rows(&Trail::open_version(path, *version).expect("a version"));
                    prop_assert_eq!(&found, expected, "version {} of {}", version, path.display());
                }
            }
            is_sound(&trail);
        }
        write(&trail, &[]);
        is_sound(&trail);
        expire(&trail, Keep::Versions(1), NOW).expect("expired");
        prop_assert_eq!(astray(&trail), Vec::<PathBuf>::new());
        if !copied.is_empty() {
            is_sound(&copy);
        }
    }
}
