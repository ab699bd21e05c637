//! The behaviour of every system: the same tests for each that can be compiled here.
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use lispwright_platform::{Descendant, System};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::Signal;

/// A shell that leads a process group and waits for a child in it; and the child's number.
fn family() -> (Child, i32) {
    let mut shell = Command::new("sh");
    let mut shell =
        shell.args(["-c", "sleep 1000 & echo $!; wait"]).process_group(0).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (shell, line.trim().parse().unwrap())
}

fn only_what_belongs_to_a_process_is_found_below_it<S: System>() {
    let (mut shell, child) = family();
    let (own, root) = (std::process::id().cast_signed(), shell.id().cast_signed());
    for pid in [root, child] {
        assert_eq!(Descendant::<S>::find(root, pid).unwrap().pid(), pid);
    }
    for stranger in [own, 1, 0, -1, -root, i32::MAX, i32::MIN] {
        assert!(Descendant::<S>::find(root, stranger).is_none(), "{stranger}");
    }
    Descendant::<S>::find(root, child).unwrap().signal(Signal::KILL);
    assert!(shell.wait().unwrap().success());
}

fn a_link_is_not_opened<S: System>() {
    let root = tempfile::tempdir().unwrap();
    let (file, link) = (root.path().join("file"), root.path().join("link"));
    std::fs::write(&file, "").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let open = |path| S::open_without_links(path, OFlags::RDONLY, Mode::empty());
    assert!(open(&file).is_ok());
    assert_eq!(Errno::from_io_error(&open(&link).unwrap_err()), Some(Errno::LOOP));
}

fn a_nameless_file_can_be_named<S: System>() {
    let root = tempfile::tempdir().unwrap();
    let directory = File::open(root.path()).unwrap();
    if let Some(file) = S::nameless_file(directory.as_fd(), Mode::RUSR).unwrap() {
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
        S::give_name(&file, directory.as_fd(), "name".as_ref()).unwrap();
        assert!(root.path().join("name").is_file());
    }
}

fn this_program_can_be_started_again<S: System>() {
    let again = Command::new(S::this_program().unwrap()).arg("--list").output().unwrap();
    assert!(String::from_utf8(again.stdout).unwrap().contains("this_program_can_be_started_again"));
}

/// A process that starts one program after another is missed by no search, where the system can search at all.
fn a_process_is_found_while_it_starts_a_program<S: System>() {
    let root = tempfile::tempdir().unwrap();
    let script = root.path().join("again");
    std::fs::write(&script, "exec sh \"$0\"").unwrap();
    let mut shell = Command::new("sh").arg(&script).env("LISPWRIGHT_TEST_OF_SEARCH", "1").spawn().unwrap();
    let searches: Vec<_> = (0..300).map(|_| S::carriers(b"LISPWRIGHT_TEST_OF_SEARCH=")).collect();
    shell.kill().unwrap();
    shell.wait().unwrap();
    let own = shell.id().cast_signed();
    let found = |pids: &Vec<rustix::process::Pid>| pids.iter().any(|pid| pid.as_raw_nonzero().get() == own);
    assert!(searches.iter().all(Vec::is_empty) || searches.iter().all(found));
}

fn what_is_lacking_is_said_in_words<S: System>() {
    for lack in S::LACKS {
        assert!(!lack.name().is_empty() && !lack.consequence().ends_with('.'), "{lack:?}");
    }
}

macro_rules! conformance {
    ($module:ident, $system:ty) => {
        mod $module {
            conformance!(
                $system: only_what_belongs_to_a_process_is_found_below_it, a_link_is_not_opened,
                a_nameless_file_can_be_named, this_program_can_be_started_again,
                a_process_is_found_while_it_starts_a_program, what_is_lacking_is_said_in_words
            );
        }
    };
    ($system:ty: $($name:ident),*) => {
        $(#[test]
        fn $name() {
            super::$name::<$system>();
        })*
    };
}

conformance!(unix, lispwright_platform::Unix);
#[cfg(target_os = "linux")]
conformance!(linux, lispwright_platform::Linux);

/// Only this test asks which system it is on.
#[test]
fn no_other_crate_asks_which_system_it_is_on() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut open: Vec<_> = std::fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path().join("src")).collect();
    let mut looked_at = 0;
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if !path.starts_with(crates.join("platform")) {
                looked_at += 1;
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                for word in ["target_os", "lispwright_portable"] {
                    assert!(!text.contains(word), "{}: {word}", path.display());
                }
            }
        }
    }
    assert!(looked_at > 200);
}
