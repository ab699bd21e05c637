//! The changes of an edit, and the cases in which it changes nothing.
#![allow(clippy::unwrap_used)]

mod fixture;

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use fixture::{Fixture, code};
use lispwright_project::{EditError, Error, NewText, ReadOnlyWhy, digest_of};
use rustix::fs::FlockOperation;

/// Checks that a file with `before`, its text replaced by the result of `edit`, holds `after`.
#[track_caller]
fn check(before: &[u8], edit: impl FnOnce(&str) -> String, after: &[u8]) {
    let fixture = Fixture::new();
    fixture.file("a.lisp", before);
    let written = fixture.roots.edit(Path::new("a.lisp"), |file| Ok::<_, String>(edit(&file.text).into())).unwrap();
    assert_eq!(fixture.bytes("a.lisp"), after);
    assert_eq!(written.changed, before != after);
    assert_eq!(written.len, after.len() as u64);
    assert_eq!(fixture.read("a.lisp").unwrap().digest(), digest_of(after));
    assert_eq!(fixture.names(""), ["a.lisp"]);
}

#[test]
fn only_the_meant_bytes_change() {
    check(b"(a)\n(b)\n", |text| text.replace("(b)", "(c λ)"), "(a)\n(c λ)\n".as_bytes());
    check(b"(a)\r\n(b)\r\n", |text| text.replace('b', "c"), b"(a)\r\n(c)\r\n");
    check(b"\xEF\xBB\xBF(a)\r\n(b)", |text| text.replace('b', "c"), b"\xEF\xBB\xBF(a)\r\n(c)");
    check(b";; caf\xE9\r\n(b)\n", |text| text.replace('b', "ü"), b";; caf\xE9\r\n(\xFC)\n");
    check(b"", |_| "(a)\n".into(), b"(a)\n");
    check(b"(a)\n", |_| String::new(), b"");
    check(b"\xEF\xBB\xBF(a)\n", |_| String::new(), b"\xEF\xBB\xBF");
}

#[test]
fn characters_that_the_encoding_lacks() {
    let fixture = Fixture::new();
    fixture.file("a.lisp", b"caf\xE9\n");
    let error = fixture.put("a.lisp", "café\n(λ)\n").unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("a.lisp:2:2: ") && text.contains("U+03BB") && text.contains("UTF-8"), "{text}");
    assert_eq!(code::<()>(Err(error), "a.lisp"), "BAD_ARGUMENT");
    fixture.file("b.lisp", "(b)\n");
    assert_eq!(code(fixture.put("b.lisp", "(b\0)\n"), "b.lisp"), "BAD_ARGUMENT");
    assert_eq!((fixture.bytes("a.lisp"), fixture.bytes("b.lisp")), (b"caf\xE9\n".to_vec(), b"(b)\n".to_vec()));
}

#[test]
fn edits_that_change_nothing_do_not_write() {
    let fixture = Fixture::new();
    let path = fixture.file("a.lisp", "(a)\n");
    let before = fs::metadata(&path).unwrap();
    assert!(!fixture.put("a.lisp", "(a)\n").unwrap().changed);
    let written = fixture.roots.edit(Path::new("a.lisp"), |_| Ok::<_, String>(NewText::Unchanged)).unwrap();
    assert!(!written.changed);
    match fixture.roots.edit(Path::new("a.lisp"), |file| Err::<NewText, _>(file.text.len())) {
        Err(EditError::Refused(4)) => {}
        other => panic!("{other:?}"),
    }
    let after = fs::metadata(&path).unwrap();
    assert_eq!((before.ino(), before.ctime_nsec()), (after.ino(), after.ctime_nsec()));
}

#[test]
fn a_panic_in_the_edit_frees_the_file() {
    let fixture = Fixture::new();
    fixture.file("a.lisp", "(a)\n");
    let roots = fixture.roots.clone();
    let panicked = std::thread::spawn(move || {
        roots.edit(Path::new("a.lisp"), |_| -> Result<NewText, String> { panic!("on purpose") })
    })
    .join();
    assert!(panicked.is_err());
    assert_eq!(fixture.bytes("a.lisp"), b"(a)\n");
    fixture.put("a.lisp", "(b)\n").unwrap();
    assert_eq!(fixture.names(""), ["a.lisp"]);
}

#[test]
fn mode_and_owner_stay() {
    let fixture = Fixture::new();
    for mode in [0o755, 0o644, 0o600, 0o664, 0o200 | 0o444] {
        let path = fixture.file("a.lisp", "(a)\n");
        fixture.set_mode("a.lisp", mode);
        // Only the superuser may give a file away.
        let _ = std::os::unix::fs::chown(&path, Some(12345), Some(23456));
        let before = fs::metadata(&path).unwrap();
        fixture.put("a.lisp", "(b)\n").unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_eq!(fixture.bytes("a.lisp"), b"(b)\n");
        assert_eq!(fixture.mode("a.lisp"), mode);
        assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn extended_attributes_stay() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let fixture = Fixture::new();
    let path = fixture.file("a.lisp", "(a)\n");
    match setxattr(&path, "user.note", b"kept", XattrFlags::empty()) {
        Ok(()) => {
            fixture.put("a.lisp", "(b)\n").unwrap();
            let mut value = [0; 16];
            let length = getxattr(&path, "user.note", &mut value[..]).unwrap();
            assert_eq!(&value[..length], b"kept");
        }
        // A file system without attributes: an edit must work all the same.
        Err(error) => {
            assert_eq!(error, rustix::io::Errno::OPNOTSUPP);
            fixture.put("a.lisp", "(b)\n").unwrap();
        }
    }
    assert_eq!(fixture.bytes("a.lisp"), b"(b)\n");
}

#[test]
fn files_without_write_permission_are_left_alone() {
    let fixture = Fixture::new();
    fixture.file("a.lisp", "(a)\n");
    for mode in [0o444, 0o555, 0o400] {
        fixture.set_mode("a.lisp", mode);
        match fixture.put("a.lisp", "(b)\n") {
            Err(Error::ReadOnly { why: ReadOnlyWhy::ModeBits, .. }) => {}
            other => panic!("{other:?}"),
        }
        assert_eq!((fixture.bytes("a.lisp"), fixture.mode("a.lisp")), (b"(a)\n".to_vec(), mode));
    }
}

/// The edit of a file is interrupted by another program that changes it.
#[track_caller]
fn check_overtaken(interrupt: impl FnOnce(&Path), left: &[u8]) {
    let fixture = Fixture::new();
    let path = fixture.file("a.lisp", "(a)\n");
    let result = fixture.roots.edit(Path::new("a.lisp"), |_| {
        interrupt(&path);
        Ok::<_, String>(NewText::Text("(mine)\n".into()))
    });
    match result {
        Err(EditError::Project(error)) => {
            assert!(matches!(error, Error::Overtaken { .. }) && error.retryable(), "{error:?}");
            assert_eq!(code::<()>(Err(error), "a.lisp"), "CONFLICT");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(path.read_dir().is_err() && path.exists(), !left.is_empty());
    if path.exists() {
        assert_eq!(fs::read(&path).unwrap(), left);
    }
    assert!(fixture.names("").iter().all(|name| name == "a.lisp"), "{:?}", fixture.names(""));
}

#[test]
fn programs_that_take_no_lock_keep_their_version() {
    check_overtaken(|path| fs::write(path, "(theirs)\n").unwrap(), b"(theirs)\n");
    // The same length, within one tick of the clock.
    check_overtaken(|path| fs::write(path, "(b)\n").unwrap(), b"(b)\n");
    check_overtaken(
        |path| {
            let new = path.with_file_name("new");
            fs::write(&new, "(a)\n").unwrap();
            fs::rename(&new, path).unwrap();
        },
        b"(a)\n",
    );
    check_overtaken(|path| fs::remove_file(path).unwrap(), b"");
}

#[test]
fn a_locked_file_is_waited_for_and_then_reported() {
    let fixture = Fixture::new();
    let path = fixture.file("a.lisp", "(a)\n");
    let holder = fs::File::open(&path).unwrap();
    rustix::fs::flock(&holder, FlockOperation::LockExclusive).unwrap();
    let impatient = fixture.roots.with_lock_wait(Duration::from_millis(200));
    match fixture::put(&impatient, "a.lisp", "(b)\n") {
        Err(error @ Error::Locked { .. }) => {
            let text = error.to_string();
            assert!(text.contains(" s ") && error.retryable(), "{text}");
            let Error::Locked { waited, .. } = error else { unreachable!() };
            assert!(waited >= Duration::from_millis(200), "{waited:?}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(fixture.bytes("a.lisp"), b"(a)\n");
    // Reading needs no lock.
    assert_eq!(fixture.read("a.lisp").unwrap().text, "(a)\n");

    let waiter = {
        let roots = fixture.roots.clone();
        std::thread::spawn(move || fixture::put(&roots, "a.lisp", "(b)\n"))
    };
    drop(holder);
    assert!(waiter.join().unwrap().unwrap().changed);
    assert_eq!(fixture.bytes("a.lisp"), b"(b)\n");
}

#[test]
fn another_thread_of_this_process_is_waited_for_and_then_reported() {
    let fixture = Fixture::new();
    fixture.file("a.lisp", "(a)\n");
    fixture.file("b.lisp", "(b)\n");
    let impatient = fixture.roots.with_lock_wait(Duration::from_millis(100));
    let written = impatient
        .edit(Path::new("a.lisp"), |_| {
            assert_eq!(code(fixture::put(&impatient, "./a.lisp", "(inner)\n"), "a.lisp"), "CONFLICT");
            // Another file is nobody's business.
            fixture::put(&impatient, "b.lisp", "(c)\n").unwrap();
            Ok::<_, String>(NewText::Text("(outer)\n".into()))
        })
        .unwrap();
    assert!(written.changed);
    assert_eq!((fixture.bytes("a.lisp"), fixture.bytes("b.lisp")), (b"(outer)\n".to_vec(), b"(c)\n".to_vec()));
}

#[test]
fn two_threads_lose_no_edit() {
    let fixture = Fixture::new();
    fixture.file("a.lisp", "");
    std::thread::scope(|scope| {
        for writer in ["first", "second"] {
            let roots = &fixture.roots;
            scope.spawn(move || {
                for edit in 0..200 {
                    roots
                        .edit(Path::new("a.lisp"), |file| {
                            Ok::<_, String>(format!("{}{writer} {edit}\n", file.text).into())
                        })
                        .unwrap();
                }
            });
        }
    });
    let text = fixture.read("a.lisp").unwrap().text;
    for writer in ["first", "second"] {
        let edits: Vec<&str> = text.lines().filter(|line| line.starts_with(writer)).collect();
        let expected: Vec<String> = (0..200).map(|edit| format!("{writer} {edit}")).collect();
        assert_eq!(edits, expected);
    }
    assert_eq!((text.lines().count(), fixture.names("")), (400, vec!["a.lisp".to_owned()]));
}

#[test]
fn what_killed_writers_left_is_removed_by_the_next_write() {
    let fixture = Fixture::new();
    fixture.file("a.lisp", "(a)\n");
    let left_by = |name: &str| format!(".lispwright-{}-4711-0.tmp", digest_of(name.as_bytes()));
    fixture.file(&left_by("a.lisp"), "half");
    fixture.file(&left_by("b.lisp"), "another file's");
    let living = fixture.file(&left_by("c.lisp"), "of one that writes");
    let living = std::fs::File::open(living).unwrap();
    living.lock().unwrap();
    fixture.put("a.lisp", "(b)\n").unwrap();
    assert_eq!(fixture.names(""), [left_by("c.lisp").as_str(), "a.lisp"]);
}

#[test]
fn new_files_appear_whole_and_replace_nothing() {
    let fixture = Fixture::new();
    fixture.file("src/a.lisp", "(a)\n");
    let written = fixture.roots.create_new(Path::new("src/new.lisp"), "(λ)\n").unwrap();
    assert_eq!((written.path.as_str(), written.len), ("src/new.lisp", 5));
    assert_eq!(fixture.bytes("src/new.lisp"), "(λ)\n".as_bytes());
    for path in ["src/new.lisp", "src/a.lisp"] {
        assert!(matches!(fixture.roots.create_new(Path::new(path), "(b)\n"), Err(Error::AlreadyExists { .. })));
    }
    assert!(matches!(fixture.roots.create_new(Path::new("src"), "(b)\n"), Err(Error::IsDirectory { .. })));
    let missing = Path::new("none/new.lisp");
    assert_eq!(code(fixture.roots.create_new(missing, "(b)\n"), missing), "FILE_NOT_FOUND");
    assert_eq!(fixture.bytes("src/a.lisp"), b"(a)\n");
    assert_eq!(fixture.names("src"), ["a.lisp", "new.lisp"]);
}
