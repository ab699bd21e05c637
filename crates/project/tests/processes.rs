//! Writers in processes of their own: rivals, killed ones, ones without space, ones without permission.
//!
//! Each test that needs another process starts this test program again for the same test; the variable [`CHILD`] tells the
//! copy that it is the child, and where the project is.
#![allow(clippy::unwrap_used)]

mod fixture;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fixture::{Fixture, code, names, open, put};
use lispwright_project::{Error, NewText, ReadOnlyWhy, Roots};

const CHILD: &str = "LISPWRIGHT_TEST_CHILD";

/// The project directory, when this process is the child of a test.
fn child_project() -> Option<PathBuf> {
    std::env::var_os(CHILD).map(PathBuf::from)
}

/// The command that runs `test` again as a child, in the words a shell can run.
fn child_words(test: &str) -> Vec<std::ffi::OsString> {
    let program = std::env::current_exe().unwrap();
    vec![program.into_os_string(), "--exact".into(), test.into(), "--nocapture".into(), "--test-threads=1".into()]
}

fn child_command(test: &str, project: &Path) -> Command {
    let words = child_words(test);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env(CHILD, project).stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// Runs the same child to its end, started by `sh` after `setup` has prepared the process, and checks that it has checked.
#[track_caller]
fn check_child_after(wrapper: &[&str], setup: &str, test: &str, project: &Path) {
    let mut words: Vec<std::ffi::OsString> = wrapper.iter().map(Into::into).collect();
    words.extend(["sh".into(), "-c".into(), format!("{setup}\nexec \"$@\"").into(), "sh".into()]);
    words.extend(child_words(test));
    let output = Command::new(&words[0]).args(&words[1..]).env(CHILD, project).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && stdout.contains("1 passed"), "{}\n{stdout}\n{stderr}", output.status);
}

fn patient(project: &Path) -> Roots {
    open(&[project]).unwrap().with_lock_wait(Duration::from_secs(60))
}

fn append(roots: &Roots, line: &str) {
    roots.edit(Path::new("a.lisp"), |file| Ok::<_, String>(format!("{}{line}\n", file.text).into())).unwrap();
}

#[test]
fn two_processes_lose_no_edit() {
    if let Some(project) = child_project() {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap();
        let roots = patient(&project);
        for edit in 0..200 {
            append(&roots, &format!("{} {edit}", line.trim()));
        }
        return;
    }
    let fixture = Fixture::new();
    fixture.file("a.lisp", "");
    let writers = ["first", "second"];
    let mut children: Vec<Child> = writers
        .iter()
        .map(|_| child_command("two_processes_lose_no_edit", &fixture.at("")).stdout(Stdio::null()).spawn().unwrap())
        .collect();
    for (child, writer) in children.iter_mut().zip(writers) {
        writeln!(child.stdin.take().unwrap(), "{writer}").unwrap();
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let text = fixture.read("a.lisp").unwrap().text;
    for writer in writers {
        let edits: Vec<&str> = text.lines().filter(|line| line.starts_with(writer)).collect();
        let expected: Vec<String> = (0..200).map(|edit| format!("{writer} {edit}")).collect();
        assert_eq!(edits, expected);
    }
    assert_eq!((text.lines().count(), fixture.names("")), (400, vec!["a.lisp".to_owned()]));
}

/// Version `n` of the file that the killed writer writes; long enough that a half is easy to tell.
fn version(n: usize) -> String {
    format!("(defun version-{n} ())\n").repeat(20_000)
}

#[test]
fn a_killed_writer_leaves_a_whole_file() {
    if let Some(project) = child_project() {
        let roots = patient(&project);
        for n in (0..2).cycle() {
            put(&roots, "a.lisp", &version(n)).unwrap();
            writeln!(std::io::stdout(), "written {n}").unwrap();
        }
    }
    let fixture = Fixture::new();
    fixture.file("a.lisp", version(0));
    let versions = [version(0), version(1)];
    for round in 0..50_u64 {
        let mut child = child_command("a_killed_writer_leaves_a_whole_file", &fixture.at("")).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let written = lines.by_ref().map(Result::unwrap).find(|line| line.contains("written"));
        assert!(written.is_some(), "the child writes");
        // Killed at another moment of a write in every round.
        let moment = Instant::now() + Duration::from_micros(round * 7919 % 12_000);
        while Instant::now() < moment {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let text = fs::read_to_string(fixture.at("a.lisp")).unwrap();
        assert!(versions.contains(&text), "round {round}: {} bytes are neither version", text.len());
        if round % 5 == 4 {
            let other = versions.iter().find(|version| **version != text).unwrap();
            assert!(fixture.put("a.lisp", other).unwrap().changed);
            assert_eq!(fixture.names(""), ["a.lisp"]);
        }
    }
}

/// A project on a disk with room for a few kilobytes: a large new version fails, a small one goes through.
fn check_full(roots: &Roots, project: &Path) {
    let before = fs::read(project.join("a.lisp")).unwrap();
    let error = put(roots, "a.lisp", &version(1)).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::NoSpace { .. }) && error.retryable(), "{error:?}");
    assert!(text.contains("the file is unchanged"), "{text}");
    assert_eq!(code::<()>(Err(error), "a.lisp"), "LIMIT");
    assert_eq!(fs::read(project.join("a.lisp")).unwrap(), before);
    assert_eq!(code(roots.create_new(Path::new("b.lisp"), &version(1)), "b.lisp"), "LIMIT");
    assert_eq!(names(project), ["a.lisp"]);
    assert!(put(roots, "a.lisp", "(small)\n").unwrap().changed);
    assert_eq!(names(project), ["a.lisp"]);
}

/// Shell words after which no file can grow beyond a few kilobytes.
const SMALL_FILES: &str = "trap '' XFSZ; ulimit -f 8 || exit 99";

#[test]
fn a_file_size_limit_leaves_the_file_unchanged() {
    if let Some(project) = child_project() {
        return check_full(&patient(&project), &project);
    }
    let fixture = Fixture::new();
    fixture.file("a.lisp", "(a)\n");
    check_child_after(&[], SMALL_FILES, "a_file_size_limit_leaves_the_file_unchanged", &fixture.at(""));
    // The child has written its small version.
    assert_eq!(fixture.bytes("a.lisp"), b"(small)\n");
}

/// Whether this machine lets a process mount something for itself alone.
fn mounts_are_possible(project: &Path) -> bool {
    Command::new("unshare")
        .args(["--mount", "--map-root-user", "mount", "-t", "tmpfs", "none"])
        .arg(project)
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[test]
fn a_full_disk_and_a_read_only_one_leave_the_file_unchanged() {
    if let Some(project) = child_project() {
        // In the namespace of the child alone, the project is a disk of 64 kB.
        fs::write(project.join("a.lisp"), "(a)\n").unwrap();
        check_full(&patient(&project), &project);
        let status = Command::new("mount").args(["-o", "remount,ro"]).arg(&project).status().unwrap();
        assert!(status.success());
        match put(&patient(&project), "a.lisp", "(b)\n") {
            Err(Error::ReadOnly { why: ReadOnlyWhy::FileSystem, .. }) => {}
            other => panic!("{other:?}"),
        }
        match patient(&project).create_new(Path::new("b.lisp"), "(b)\n") {
            Err(Error::ReadOnly { why: ReadOnlyWhy::FileSystem, .. }) => {}
            other => panic!("{other:?}"),
        }
        assert_eq!(fs::read(project.join("a.lisp")).unwrap(), b"(small)\n");
        assert_eq!(names(&project), ["a.lisp"]);
        return;
    }
    let fixture = Fixture::new();
    fixture.file("a.lisp", "(outer)\n");
    if mounts_are_possible(&fixture.at("")) {
        let setup = format!("mount -t tmpfs -o size=64k none \"${CHILD}\" || exit 99");
        let test = "a_full_disk_and_a_read_only_one_leave_the_file_unchanged";
        check_child_after(&["unshare", "--mount", "--map-root-user"], &setup, test, &fixture.at(""));
        assert_eq!(fixture.bytes("a.lisp"), b"(outer)\n");
    } else {
        // No disk of its own is available here: a file size limit takes the place of the full disk.
        check_child_after(&[], SMALL_FILES, "a_file_size_limit_leaves_the_file_unchanged", &fixture.at(""));
        assert_eq!(fixture.bytes("a.lisp"), b"(small)\n");
    }
}

/// Runs `work` in a thread without the superuser's rights.
fn unprivileged(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            if rustix::process::geteuid().is_root() {
                // The system keeps these for each thread; they end with it.
                let (group, user) = (rustix::fs::Gid::from_raw(65534), rustix::fs::Uid::from_raw(65534));
                rustix::thread::set_thread_groups(&[]).unwrap();
                rustix::thread::set_thread_res_gid(group, group, group).unwrap();
                rustix::thread::set_thread_res_uid(user, user, user).unwrap();
            }
            work();
        });
        thread.join().unwrap();
    });
}

#[test]
fn a_directory_that_cannot_be_written() {
    let fixture = Fixture::new();
    fixture.file("a.lisp", "(a)\n");
    fixture.set_mode("a.lisp", 0o666);
    fixture.set_mode("", 0o555);
    unprivileged(|| {
        for result in [fixture.put("a.lisp", "(b)\n"), fixture.roots.create_new(Path::new("b.lisp"), "(b)\n")] {
            match result {
                Err(Error::ReadOnly { why: ReadOnlyWhy::Directory, .. }) => {}
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(fixture.read("a.lisp").unwrap().text, "(a)\n");
        // An edit that changes nothing needs no permission to write.
        let unchanged = fixture.roots.edit(Path::new("a.lisp"), |_| Ok::<_, String>(NewText::Unchanged));
        assert!(!unchanged.unwrap().changed);
    });
    fixture.set_mode("", 0o755);
    assert_eq!((fixture.bytes("a.lisp"), fixture.names("")), (b"(a)\n".to_vec(), vec!["a.lisp".to_owned()]));
}

#[test]
fn files_of_another_user() {
    let fixture = Fixture::new();
    fixture.file("private.lisp", "(a)\n");
    fixture.file("dir/a.lisp", "(a)\n");
    fixture.file("shared.lisp", "(a)\n");
    fixture.set_mode("private.lisp", 0o200);
    fixture.set_mode("dir", 0o000);
    fixture.set_mode("", 0o777);
    let other_user = rustix::process::geteuid().is_root();
    unprivileged(|| {
        for path in ["private.lisp", "dir/a.lisp"] {
            match fixture.read(path) {
                Err(Error::Denied { .. }) => {}
                other => panic!("{other:?}"),
            }
        }
        // A writable directory would allow the rename; the file's own mode does not.
        if other_user {
            match fixture.put("shared.lisp", "(b)\n") {
                Err(Error::ReadOnly { why: ReadOnlyWhy::NotOurs, .. }) => {}
                other => panic!("{other:?}"),
            }
        } else {
            assert!(fixture.put("shared.lisp", "(b)\n").unwrap().changed);
        }
    });
    fixture.set_mode("dir", 0o755);
    assert_eq!(fixture.bytes("dir/a.lisp"), b"(a)\n");
}

#[test]
fn a_directory_that_cannot_be_listed() {
    let fixture = Fixture::new();
    fixture.file("dir/a.lisp", "(a)\n");
    fixture.set_mode("dir/a.lisp", 0o666);
    for mode in [0o333, 0o311] {
        fixture.set_mode("dir", mode);
        unprivileged(|| {
            assert_eq!(fixture.read("dir/a.lisp").unwrap().text, "(a)\n");
            assert_eq!(code(fixture.read("dir/b.lisp"), "b.lisp"), "FILE_NOT_FOUND");
        });
    }
    fixture.set_mode("dir", 0o333);
    if rustix::process::geteuid().is_root() {
        // A file of another user stays with that user.
        unprivileged(|| assert_eq!(code(fixture.put("dir/a.lisp", "(b)\n"), "a.lisp"), "READ_ONLY"));
        assert_eq!(fixture.bytes("dir/a.lisp"), b"(a)\n");
        let (user, group) = (rustix::fs::Uid::from_raw(65534), rustix::fs::Gid::from_raw(65534));
        rustix::fs::chown(fixture.at("dir/a.lisp"), Some(user), Some(group)).unwrap();
    }
    unprivileged(|| {
        assert!(fixture.put("dir/a.lisp", "(b)\n").unwrap().changed);
    });
    fixture.set_mode("dir", 0o755);
    assert_eq!((fixture.bytes("dir/a.lisp"), fixture.names("dir")), (b"(b)\n".to_vec(), vec!["a.lisp".to_owned()]));
}
