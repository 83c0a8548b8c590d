//! Bad input, bad places, hang-ups and interrupts: one sentence, the right status, nothing half-written.

use crate::harness::fix::{lines, order};
use crate::harness::{Place, Ran};
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

fn one_sentence(ran: &Ran, status: i32, part: &str) {
    assert_eq!(ran.status, status, "{}", ran.stderr);
    assert!(ran.stderr.contains(part), "expected {part:?} in {:?}", ran.stderr);
    let errors = ran.stderr.lines().filter(|line| line.contains("error: ")).count();
    assert_eq!(errors, 1, "{}", ran.stderr);
}

/// Names in a directory that a run must not leave behind.
fn leftovers(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending = vec![dir.to_path_buf()];
    while let Some(dir) = pending.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(".tmp-") {
                found.push(name);
            }
            if entry.path().is_dir() {
                pending.push(entry.path());
            }
        }
    }
    found
}

#[test]
fn empty_and_junk_files_are_told_apart() {
    let place = Place::new();
    let junk: Vec<u8> = (0..200_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    place.file("empty", "").file("junk", junk);
    let empty = place.run(["validate", "empty"]);
    assert_eq!((empty.status, empty.stdout.as_str()), (0, "empty:0: info: input-empty: is empty\n"));
    let junk = place.run(["validate", "junk"]);
    assert_eq!(junk.status, 1);
    assert!(junk.stdout.starts_with("junk:0: error: input-not-recognised: "), "{}", junk.stdout);
    let nothing = place.run_with(["parse"], b"");
    assert_eq!((nothing.status, nothing.stdout.as_str()), (0, ""));
    place.run(["link", "empty", "-o", "trail"]).ends_with(0);
    assert!(place.join("trail/_commits/0.json").is_file());
}

#[test]
fn a_log_cut_at_any_byte_keeps_all_its_messages() {
    let place = Place::new();
    let log = lines(&[order(1, "C1"), order(2, "C2")]);
    let second = order(1, "C1").len() + 1;
    for cut in (second + 5..log.len() - 2).step_by(5) {
        let ran = place.run_with(["parse", "-q", "--fail-on", "never", "--validate", "none"], &log[..cut]);
        assert_eq!(ran.stdout.lines().count(), 2, "cut at {cut}");
    }
}

#[test]
fn a_missing_or_forbidden_input_stops_link_and_parse_before_anything_is_written() {
    let place = Place::new();
    place.file("a.log", order(1, "C1"));
    one_sentence(&place.run(["link", "a.log", "gone.log", "-o", "trail"]), 2, "gone.log: cannot read: No such file");
    one_sentence(&place.run(["parse", "a.log", "gone.log", "-o", "out"]), 2, "gone.log: cannot read: No such file");
    assert!(!place.join("trail").exists() && !place.join("out").exists());
    let ran = place.run(["link", "a.log", "gone.log", "-o", "trail", "--skip-unreadable"]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("error: input-unreadable: 1"), "{}", ran.stderr);
    let ran = place.run(["validate", "a.log", "gone.log"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("1 message"), "the others are checked: {}", ran.stderr);
}

#[test]
fn places_that_cannot_be_written_are_said_before_the_work() {
    let place = Place::new();
    place.file("a.log", order(1, "C1")).file("taken", "x");
    one_sentence(&place.run(["link", "a.log", "-o", "taken"]), 2, "taken: is a file, expected a directory");
    one_sentence(&place.run(["parse", "a.log", "-o", "none/out.json"]), 2, "none");
    std::fs::create_dir(place.join("dir.json")).expect("made");
    one_sentence(&place.run(["parse", "a.log", "-f", "json", "-o", "dir.json"]), 2, "is a directory");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_sentence_and_no_file() {
    let place = Place::new();
    let log = lines(&(1..=2000).map(|n| order(n, &format!("C{n}"))).collect::<Vec<_>>());
    place.file("a.log", &log);
    // The device that is always full stands for a full disk under standard output.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("opened");
    let output = place.command(["parse", "a.log"]).stdout(full).output().expect("started");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr, "fixtrail: error: standard output: No space left on device\n");
    // A limit on file size stands for a full disk under a directory.
    for command in ["parse a.log -o out", "link a.log -o out", "parse a.log -o out.json"] {
        let script = format!("ulimit -f 4; exec {} {command}", env!("CARGO_BIN_EXE_fixtrail"));
        let output = std::process::Command::new("bash")
            .args(["-c", &script])
            .current_dir(place.path())
            .env("RUST_BACKTRACE", "0")
            .output()
            .expect("started");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{command}: {stderr}");
        assert!(stderr.contains("File too large"), "{command}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(!place.join("out.json").exists() && !place.join("out/_commits/0.json").exists());
        assert_eq!(leftovers(place.path()), Vec::<String>::new(), "{command}");
    }
    // With room again, the same command does its work where the failed one was.
    place.run(["link", "a.log", "-o", "out"]).ends_with(0);
}

#[test]
fn a_reader_that_hangs_up_ends_the_run_quietly() {
    let place = Place::new();
    let log = lines(&(1..=20_000).map(|n| order(n, &format!("C{n}"))).collect::<Vec<_>>());
    place.file("a.log", &log);
    let mut child = place.spawn(["parse", "a.log", "--unit-bytes", "10000", "-j2"]);
    let mut first = [0u8; 100];
    child.stdout.as_mut().expect("piped").read_exact(&mut first).expect("read");
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("read");
    assert_eq!((child.wait().expect("waited").code(), stderr.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_by_its_signal_and_leaves_nothing() {
    use std::os::unix::process::ExitStatusExt;
    let place = Place::new();
    let mut child = place.spawn(["link", "-", "-o", "trail"]);
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(&lines(&[order(1, "C1")])).expect("written");
    // The commit directory is there once the run is under way; then it waits for more input.
    let started = Instant::now();
    while !place.join("trail/_commits").exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "the run never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(200));
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().expect("sent").success());
    let status = child.wait().expect("waited");
    assert_eq!(status.signal(), Some(2));
    assert_eq!(leftovers(place.path()), Vec::<String>::new());
    assert!(!place.join("trail/_commits/0.json").exists());
    drop(stdin);
}

#[test]
fn wrong_arguments_are_usage_errors() {
    let place = Place::new();
    for args in [&["nonsense"][..], &["link", "a.log"], &["validate", "-j0"], &["parse", "-f", "xml"]] {
        let ran = place.run(args);
        assert_eq!(ran.status, 2, "{args:?}");
        assert!(ran.stderr.contains("error:") && ran.stdout.is_empty(), "{}", ran.stderr);
    }
}

#[test]
fn an_output_that_is_a_pipe_or_a_link_stays_one() {
    use std::os::unix::fs::FileTypeExt;
    let place = Place::new();
    place.file("a.log", lines(&[order(1, "C1")])).file("old.txt", "old");
    let pipe = place.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    for arguments in [&["parse", "a.log", "-f", "json", "-o", "pipe"][..], &["validate", "a.log", "--report", "pipe"]] {
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read_to_string(pipe).expect("read")
        });
        place.run(arguments).ends_with(0);
        let text = reader.join().expect("the reader ends");
        assert!(text.starts_with('{') && text.ends_with("}\n"), "{text}");
        assert!(std::fs::metadata(&pipe).expect("still there").file_type().is_fifo());
    }
    one_sentence(
        &place.run(["validate", "a.log", "-f", "parquet", "-o", "pipe", "--force"]),
        2,
        "is a pipe or a device",
    );

    std::os::unix::fs::symlink("old.txt", place.join("link.txt")).expect("a link");
    one_sentence(&place.run(["parse", "a.log", "-f", "csv", "-o", "link.txt"]), 2, "exists already");
    place.run(["parse", "a.log", "-f", "csv", "-o", "link.txt", "--force"]).ends_with(0);
    assert!(std::fs::symlink_metadata(place.join("link.txt")).expect("still there").is_symlink());
    assert!(std::fs::read_to_string(place.join("old.txt")).expect("read").starts_with("event_id,"));
}

#[test]
fn a_report_to_standard_output_stands_behind_what_is_there() {
    let place = Place::new();
    place.file("a.log", lines(&[order(1, "C1")]));
    let out = std::fs::File::create(place.join("out.txt")).expect("a file");
    let status = place
        .command(["parse", "a.log", "-f", "json", "-q", "--report", "/dev/stdout"])
        .stdout(out)
        .status()
        .expect("it runs");
    assert!(status.success());
    let text = std::fs::read_to_string(place.join("out.txt")).expect("read");
    assert!(text.starts_with("{\"event_id\"") && text.ends_with("}\n") && text.contains("\"version\""), "{text}");
}

#[test]
fn compressed_data_cut_before_its_first_byte_is_damage_and_not_empty() {
    use std::io::Write;
    let place = Place::new();
    let log = lines(&(1..200).map(|n| order(n, &format!("C{n}"))).collect::<Vec<_>>());
    let mut bz2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    bz2.write_all(&log).expect("memory");
    let bz2 = bz2.finish().expect("memory");
    place.file("cut.bz2", &bz2[..200]);
    let ran = place.run(["validate", "cut.bz2"]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("error: input-damaged: bzip2 data: cut off in the middle"), "{}", ran.stdout);
    let mut empty = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    empty.flush().expect("memory");
    place.file("empty.bz2", empty.finish().expect("memory"));
    let ran = place.run(["validate", "empty.bz2"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "empty.bz2:0: info: input-empty: is empty\n"));
}
