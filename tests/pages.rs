//! Man pages, completions and the README are what the program says of itself.

use crate::harness::Place;
use std::path::Path;

#[test]
fn man_pages_and_completions_are_those_of_the_argument_table() {
    let place = Place::new();
    place.run(["gen", "."]).ends_with(0);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for dir in ["man", "completions"] {
        let made = place.files_below(dir);
        assert!(made.len() >= 3, "{dir} has {} files", made.len());
        let mut committed: Vec<String> = std::fs::read_dir(root.join(dir))
            .expect("listed")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        committed.sort();
        assert_eq!(committed, made.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
        for (name, bytes) in made {
            let kept = std::fs::read(root.join(dir).join(&name)).expect("read");
            assert!(kept == bytes, "{dir}/{name} is out of date: run `cargo run -- gen .`");
        }
    }
}

#[test]
fn the_commands_of_the_operations_page_run_as_they_stand() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operations.md")).expect("read");
    let block = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of commands");
    let place = Place::new();
    std::os::unix::fs::symlink(crate::harness::fixture("jane-and-ramon"), place.join("logs")).expect("a link");
    let mut commands = 0;
    for line in block.lines() {
        let words = line.strip_prefix("fixtrail ").expect("a command of ours").split(' ');
        place.run(words).ends_with(0);
        commands += 1;
    }
    assert_eq!(commands, 6);
    place.run(["link", "-q", "--verify", "backup/trail"]).ends_with(0);
}

#[test]
fn every_subcommand_explains_itself_with_examples() {
    let place = Place::new();
    for command in ["validate", "parse", "link", "query"] {
        let ran = place.run([command, "--help"]);
        assert_eq!(ran.status, 0);
        assert!(ran.stdout.contains("Usage: fixtrail "), "{}", ran.stdout);
        assert!(ran.stdout.contains("Examples:"), "{command} has no examples");
        assert!(ran.stdout.contains("Exit status:"), "{command} does not tell its status");
    }
    let ran = place.run(["compress"]);
    assert_eq!(ran.status, 2, "a command that does not exist does not pretend");
}
