//! Writers that are killed at a chosen step: after each of them all files of a change are old, or all are new.
//!
//! The steps are the calls of [`step`] in the code. A test starts this program again for the same test, and that copy kills
//! itself when the steps that it was given have been taken.
#![allow(clippy::unwrap_used)]

use std::cell::Cell;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Destination, NewText, Roots, SourceFile};

thread_local! {
    /// The steps that this thread may still take.
    static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// A moment at which a writer may be killed.
pub(crate) fn step() {
    LEFT.with(|left| match left.get() {
        None => {}
        Some(0) => {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
        Some(some) => left.set(Some(some - 1)),
    });
}

const CHILD: &str = "LISPWRIGHT_TEST_KILLED";

/// The work of a child.
const DEEDS: [&str; 3] = ["keep", "put-back", "settle"];

fn roots(project: &Path) -> Roots {
    Roots::of_client(&[project.to_owned()]).unwrap()
}

fn destinations(files: usize) -> Vec<Destination> {
    let old = (0..files).map(|at| Destination { path: old_path(at), may_be_new: false });
    let others = [("new.lisp", true), ("gone.lisp", false)];
    old.chain(others.map(|(path, may_be_new)| Destination { path: path.into(), may_be_new })).collect()
}

/// The change: a line more in each file, one file that comes, and one that goes.
fn change(sources: &[&SourceFile]) -> Result<Vec<NewText>, String> {
    let new = |source: &&SourceFile| match source.path.as_str() {
        "gone.lisp" => NewText::Removed,
        _ => NewText::Text(format!("{}(new)\n", source.text)),
    };
    Ok(sources.iter().map(new).collect())
}

fn old_path(at: usize) -> PathBuf {
    format!("{}f{at}.lisp", if at.is_multiple_of(2) { "" } else { "src/" }).into()
}

/// Runs as the child of a test: `DEED STEPS FILES PROJECT`.
fn work(order: &str) {
    let words: Vec<&str> = order.splitn(4, ' ').collect();
    let roots = roots(Path::new(words[3]));
    LEFT.with(|left| left.set(Some(words[1].parse().unwrap())));
    match words[0] {
        "settle" => roots.settle(),
        deed => {
            let trial = roots.edit_several(&destinations(words[2].parse().unwrap()), change).unwrap();
            if deed == "keep" { drop(trial.keep()) } else { assert_eq!(trial.put_back(), []) }
        }
    }
    LEFT.with(|left| left.set(None));
}

/// Has a child work until it has taken `steps`; whether it was killed.
fn child(test: &str, deed: &str, steps: u64, files: usize, project: &Path) -> bool {
    let order = format!("{deed} {steps} {files} {}", project.display());
    let mut command = Command::new(std::env::current_exe().unwrap());
    let done = command.args(["--exact", test, "--test-threads=1"]).env(CHILD, order).output().unwrap();
    let is_killed = done.status.signal() == Some(9);
    assert!(is_killed || done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    is_killed
}

fn project(files: usize) -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir(temp.path().join("src")).unwrap();
    fs::write(temp.path().join("gone.lisp"), "(gone)\n").unwrap();
    for at in 0..files {
        fs::write(temp.path().join(old_path(at)), format!("(old {at})\n")).unwrap();
    }
    temp
}

/// All files have their new texts, or all their old ones; nothing else is in the project.
#[track_caller]
fn is_new(project: &Path, files: usize) -> bool {
    let text = |path: &Path| fs::read_to_string(project.join(path)).unwrap();
    let is_new = project.join("new.lisp").exists();
    assert_eq!(fs::read_to_string(project.join("gone.lisp")).ok(), (!is_new).then(|| "(gone)\n".to_owned()));
    for at in 0..files {
        assert_eq!(text(&old_path(at)), format!("(old {at})\n{}", if is_new { "(new)\n" } else { "" }), "file {at}");
    }
    for directory in [project.to_owned(), project.join("src")] {
        for entry in directory.read_dir().unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(name == "src" || name.ends_with(".lisp") && !name.starts_with('.'), "{name} is left");
        }
    }
    is_new
}

/// Kills writers of `files` files at each of their steps, and after some also those that take back; the number of kills.
fn kill_at_every_step(test: &str, files: usize) -> usize {
    let mut kills = 0;
    for deed in &DEEDS[..2] {
        for steps in 0.. {
            let temp = project(files);
            if !child(test, deed, steps, files, temp.path()) {
                assert_eq!(is_new(temp.path(), files), *deed == "keep");
                assert!(steps > 8, "there are steps");
                break;
            }
            kills += 1;
            // The ones that take it back are killed, too, each a step later.
            for later in (0..).take_while(|later| child(test, "settle", *later, files, temp.path())) {
                kills += 1;
                assert!(later < 1000, "it comes to an end");
            }
            let roots = roots(temp.path());
            roots.settle();
            is_new(temp.path(), files);
        }
    }
    kills
}

#[test]
fn a_change_is_whole_wherever_its_writer_was_killed() {
    if let Ok(order) = std::env::var(CHILD) {
        return work(&order);
    }
    let test = "killed::a_change_is_whole_wherever_its_writer_was_killed";
    let wanted: usize = std::env::var("LISPWRIGHT_TEST_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let (mut kills, mut files) = (0, 2);
    while kills < wanted {
        kills += kill_at_every_step(test, files);
        files += 1;
    }
    assert!(kills > 30, "{kills}");
}

#[test]
fn what_was_taken_back_is_told_once_and_files_that_moved_on_are_left() {
    if let Ok(order) = std::env::var(CHILD) {
        return work(&order);
    }
    let test = "killed::what_was_taken_back_is_told_once_and_files_that_moved_on_are_left";
    // The last step at which a kill leaves all files as the change makes them.
    let mut steps = 0;
    let temp = loop {
        let temp = project(2);
        assert!(child(test, "put-back", steps, 2, temp.path()), "it is killed before it puts back");
        if !temp.path().join("gone.lisp").exists() {
            break temp;
        }
        steps += 1;
    };
    fs::write(temp.path().join("f0.lisp"), "(mine)\n").unwrap();
    let roots = roots(temp.path());
    // Any writer in the root settles what lies there.
    roots
        .edit(Path::new("src/f1.lisp"), |source| {
            assert_eq!(source.text, "(old 1)\n");
            Ok::<_, String>(NewText::Unchanged)
        })
        .unwrap();
    let told = roots.taken_back();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(
        (told[0].files.join(" "), told[0].left.join(" ")),
        ("src/f1.lisp new.lisp gone.lisp".into(), "f0.lisp".into())
    );
    assert_eq!(roots.taken_back(), []);
    assert_eq!(fs::read_to_string(temp.path().join("f0.lisp")).unwrap(), "(mine)\n");
}

#[test]
fn a_change_that_runs_is_not_taken_back_by_others() {
    let temp = project(2);
    let ours = roots(temp.path());
    let trial = ours.edit_several(&destinations(2), change).unwrap();
    let other = roots(temp.path());
    other.settle();
    assert_eq!(other.taken_back(), []);
    trial.keep();
    assert!(is_new(temp.path(), 2));
}

/// Sets how many descriptors this process may have.
fn allow_descriptors(count: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: Some(count), maximum }).unwrap();
}

#[test]
fn no_temporary_file_stays_where_descriptors_run_out() {
    let test = "killed::no_temporary_file_stays_where_descriptors_run_out";
    if std::env::var(CHILD).is_err() {
        // In a process of its own: the limit is that of all threads.
        assert!(!child(test, "keep", 0, 0, Path::new("unused")));
        return;
    }
    let mut refused = 0;
    for count in 3.. {
        let temp = project(3);
        let roots = roots(temp.path());
        allow_descriptors(count);
        let done = roots.edit_several(&destinations(3), change).map(|trial| drop(trial.keep()));
        allow_descriptors(256);
        assert_eq!(is_new(temp.path(), 3), done.is_ok(), "{count} descriptors");
        if done.is_ok() {
            break;
        }
        refused += 1;
    }
    assert!(refused > 8, "{refused}");
}
