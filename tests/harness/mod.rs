//! A temporary folder, files in it, a command, and what came of it.

pub mod fix;
pub mod rows;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A place of its own for one test.
pub struct Place {
    dir: tempfile::TempDir,
}

/// What a command left behind.
#[derive(Debug)]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    /// -1 when a signal ended it.
    pub status: i32,
}

impl Place {
    pub fn new() -> Place {
        Place { dir: tempfile::tempdir().expect("a temporary directory") }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a file, with the directories above it.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Place {
        let path = self.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        std::fs::write(path, bytes).expect("written");
        self
    }

    /// The binary, started in this place.
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fixtrail"));
        command
            .current_dir(self.path())
            .args(args)
            .stdin(Stdio::null())
            .env("NO_COLOR", "1")
            .env("RUST_BACKTRACE", "0");
        command
    }

    pub fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        Ran::of(self.command(args).output().expect("started"))
    }

    /// Runs with these bytes on standard input.
    pub fn run_with<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>, input: &[u8]) -> Ran {
        let mut child = self.spawn(args);
        let mut stdin = child.stdin.take().expect("piped");
        let input = input.to_vec();
        let feeder = std::thread::spawn(move || {
            // The program may end before it has read everything.
            let _ = stdin.write_all(&input);
        });
        let ran = Ran::of(child.wait_with_output().expect("waited"));
        feeder.join().expect("fed");
        ran
    }

    /// Starts the binary with all three streams as pipes.
    pub fn spawn<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Child {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("started")
    }

    /// Every file below a directory: path relative to it, and bytes; sorted.
    pub fn files_below(&self, name: &str) -> Vec<(String, Vec<u8>)> {
        let root = self.join(name);
        let mut files = Vec::new();
        let mut pending = vec![root.clone()];
        while let Some(dir) = pending.pop() {
            for entry in std::fs::read_dir(dir).expect("listed") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    pending.push(path);
                } else {
                    let relative = path.strip_prefix(&root).expect("below").to_string_lossy().into_owned();
                    files.push((relative, std::fs::read(&path).expect("read")));
                }
            }
        }
        files.sort();
        files
    }

    /// The data files of a trail, without what carries times.
    pub fn data_files(&self, trail: &str) -> Vec<(String, Vec<u8>)> {
        self.files_below(trail).into_iter().filter(|(name, _)| name.ends_with(".parquet")).collect()
    }
}

impl Ran {
    fn of(output: std::process::Output) -> Ran {
        Ran {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            status: output.status.code().unwrap_or(-1),
        }
    }

    /// Fails unless the status is this one.
    #[track_caller]
    pub fn ends_with(&self, status: i32) -> &Ran {
        assert_eq!(self.status, status, "stderr: {}", self.stderr);
        self
    }
}

/// Numbers that look random and are the same in each run.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }
}

/// A folder of `tests/fixtures`.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// A fixture's path as text.
pub fn fixture_text(name: &str) -> String {
    fixture(name).to_str().expect("UTF-8").to_string()
}
