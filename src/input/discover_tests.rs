use super::{Discovered, Origin, discover, name_of};
use crate::Error;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

fn names(found: &Discovered) -> Vec<&str> {
    found.sources.iter().map(|s| s.name.as_str()).collect()
}

fn files(root: &Path, paths: &[&str]) {
    for path in paths {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, "x").expect("a file");
    }
}

#[test]
fn no_path_and_a_dash_are_standard_input_under_its_name() {
    for paths in [vec![], vec![PathBuf::from("-")]] {
        let found = discover(&paths, "feed").expect("no error");
        assert_eq!(names(&found), ["feed"]);
        assert_eq!(found.sources[0].origin, Origin::Stdin);
        assert!(found.sources[0].is_named);
    }
}

#[test]
fn a_walk_is_sorted_by_name_and_passes_hidden_names_over() {
    let dir = tempfile::tempdir().expect("a directory");
    files(dir.path(), &["b.log", "a/2.log", "a/10.log", "a.log", ".hidden/x", "_delta_log/0", "a/_x", "a/.y", "B.log"]);
    let found = discover(&[dir.path().to_path_buf()], "-").expect("no error");
    assert_eq!(names(&found), ["B.log", "a.log", "a/10.log", "a/2.log", "b.log"]);
    assert!(found.sources.iter().all(|s| !s.is_named));
    assert!(found.unreadable.is_empty());
}

#[test]
fn files_keep_the_name_they_are_given_and_the_order_of_arguments_does_not_count() {
    let dir = tempfile::tempdir().expect("a directory");
    files(dir.path(), &["x/b.log", "x/a.log", "c.log"]);
    let (x, c) = (dir.path().join("x"), dir.path().join("c.log"));
    let one = discover(&[x.clone(), c.clone(), "-".into()], "-").expect("no error");
    let other = discover(&["-".into(), c.clone(), x], "-").expect("no error");
    assert_eq!(names(&one), ["-", c.to_str().expect("utf-8"), "a.log", "b.log"]);
    assert_eq!(one.sources, other.sources);
}

#[test]
fn equal_names_are_an_error_that_asks_for_another() {
    let dir = tempfile::tempdir().expect("a directory");
    files(dir.path(), &["x/a.log", "y/a.log"]);
    let (x, y) = (dir.path().join("x"), dir.path().join("y"));
    let text = |paths: &[PathBuf], stdin: &str| match discover(paths, stdin) {
        Err(Error::Usage(text)) => text.replace(&dir.path().display().to_string(), "DIR"),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        text(&[x.clone(), y], "-"),
        "DIR/x/a.log and DIR/y/a.log would both be named \"a.log\"; give a directory above both, or the files themselves"
    );
    assert_eq!(
        text(&[x.clone(), "-".into()], "a.log"),
        "standard input and a file are both named \"a.log\"; name standard input with --stdin-name"
    );
    assert_eq!(text(&["-".into(), "-".into()], "-"), "standard input is given twice");
    assert_eq!(text(&[x.join("a.log"), x.join("a.log")], "-"), "DIR/x/a.log is given twice");
    assert!(discover(&[dir.path().to_path_buf()], "-").is_ok());
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_found() {
    let dir = tempfile::tempdir().expect("a directory");
    files(dir.path(), &["a.log"]);
    let missing = dir.path().join("missing.log");
    let found = discover(&[missing.clone(), dir.path().to_path_buf(), "/dev/null".into()], "-").expect("no error");
    assert_eq!(names(&found), ["a.log"]);
    let texts: Vec<_> = found.unreadable.iter().map(|(_, e)| e.to_string()).collect();
    assert_eq!(
        texts,
        [
            "/dev/null: is a device; give a file, a directory or a pipe".to_string(),
            format!("{}: cannot read: No such file or directory", missing.display()),
        ]
    );
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn links_are_followed_but_nothing_is_read_twice_by_a_linked_directory() {
        let dir = tempfile::tempdir().expect("a directory");
        let outside = tempfile::tempdir().expect("a directory");
        files(dir.path(), &["2026-04-15/a.log"]);
        files(outside.path(), &["far.log"]);
        for (target, link) in [
            (Path::new("2026-04-15"), "current"),
            (Path::new("."), "2026-04-15/loop"),
            (dir.path(), "2026-04-15/up"),
            (outside.path(), "far"),
            (Path::new("2026-04-15/a.log"), "latest.log"),
            (Path::new("nowhere"), "dangling"),
        ] {
            symlink(target, dir.path().join(link)).expect("a link");
        }
        let found = discover(&[dir.path().to_path_buf()], "-").expect("no error");
        assert_eq!(names(&found), ["2026-04-15/a.log", "far/far.log", "latest.log"]);
        assert_eq!(found.unreadable.len(), 1);
        assert_eq!(found.unreadable[0].0, dir.path().join("dangling"));
    }

    #[test]
    fn a_pipe_is_read_when_it_is_named_and_passed_over_in_a_walk() {
        let dir = tempfile::tempdir().expect("a directory");
        let pipe = dir.path().join("pipe");
        let path = std::ffi::CString::new(pipe.as_os_str().as_bytes()).expect("no zero");
        // SAFETY: the path is a C string that lives through the call.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("socket")).expect("a socket");
        let found = discover(&[dir.path().to_path_buf()], "-").expect("no error");
        assert_eq!(found.passed_over, [("pipe".to_string(), "pipe"), ("socket".to_string(), "socket")]);
        assert!(found.sources.is_empty() && found.unreadable.is_empty());
        let named = discover(std::slice::from_ref(&pipe), "-").expect("no error");
        assert_eq!(named.sources[0].origin, Origin::Path(pipe));
    }

    #[test]
    fn what_may_not_be_read_is_unreadable() {
        let dir = tempfile::tempdir().expect("a directory");
        files(dir.path(), &["a.log", "shut/b.log"]);
        for path in ["a.log", "shut"] {
            fs::set_permissions(dir.path().join(path), fs::Permissions::from_mode(0o000)).expect("a mode");
        }
        // The superuser may read everything.
        if fs::File::open(dir.path().join("a.log")).is_err() {
            let found = discover(&[dir.path().to_path_buf()], "-").expect("no error");
            let texts: Vec<_> = found.unreadable.iter().map(|(_, e)| e.to_string()).collect();
            assert_eq!(texts.len(), 2);
            assert!(texts.iter().all(|t| t.ends_with("Permission denied")), "{texts:?}");
        }
        fs::set_permissions(dir.path().join("shut"), fs::Permissions::from_mode(0o700)).expect("a mode");
    }

    #[test]
    fn different_paths_never_have_one_name() {
        for (path, name) in [
            (&b"plain\\name"[..], "plain\\name"),
            (b"caf\xc3\xa9.log", "caf\u{e9}.log"),
            (b"caf\xe9.log", "caf\\xe9.log"),
            (b"caf\\xe9.log", "caf\\\\xe9.log"),
            (b"caf\\\\xe9.log", "caf\\\\\\\\xe9.log"),
            (b"\xff\\", "\\xff\\\\"),
        ] {
            assert_eq!(name_of(OsStr::from_bytes(path)), name);
        }
    }
}
