//! Replacing several files: all of them or none.
#![allow(clippy::unwrap_used)]

mod fixture;

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use fixture::{Fixture, code};
use lispwright_project::{Destination, EditError, Error, NewText, NotPutBack, SourceFile, Trial};

fn targets(paths: &[&str]) -> Vec<Destination> {
    paths.iter().map(|path| Destination { path: path.into(), may_be_new: path.starts_with("new") }).collect()
}

fn edit(fixture: &Fixture, paths: &[&str], edit: impl Fn(&SourceFile) -> NewText) -> Result<Trial, Error> {
    let all = |files: &[&SourceFile]| Ok::<_, std::convert::Infallible>(files.iter().map(|file| edit(file)).collect());
    fixture.roots.edit_several(&targets(paths), all).map_err(|error| match error {
        EditError::Project(error) => error,
        EditError::Refused(never) => match never {},
    })
}

fn renamed(file: &SourceFile) -> NewText {
    NewText::Text(format!("{}(new)\n", file.text.replace('a', "b")))
}

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.file("one.lisp", "(a)\r\n");
    fixture.file("src/two.lisp", b"\xEF\xBB\xBF(a a)\n");
    fixture
}

#[test]
fn all_files_get_their_new_texts() {
    let fixture = fixture();
    let trial = edit(&fixture, &["src/two.lisp", "one.lisp", "new.lisp"], renamed).unwrap();
    let written = trial.keep();
    let paths: Vec<_> = written.iter().map(|one| (one.path.as_str(), one.changed, one.len)).collect();
    assert_eq!(paths, [("src/two.lisp", true, 15), ("one.lisp", true, 11), ("new.lisp", true, 6)]);
    assert_eq!(fixture.bytes("one.lisp"), b"(b)\r\n(new)\n");
    assert_eq!(fixture.bytes("src/two.lisp"), b"\xEF\xBB\xBF(b b)\n(new)\n");
    assert_eq!(fixture.bytes("new.lisp"), b"(new)\n");
    assert_eq!(
        (fixture.names(""), fixture.names("src")),
        (vec!["new.lisp".into(), "one.lisp".into(), "src".into()], vec!["two.lisp".to_owned()])
    );
    fixture.check_neighbours();
}

#[test]
fn nothing_is_written_when_one_file_is_refused() {
    let fixture = fixture();
    fixture.file("old.lisp", b"caf\xE9\n");
    fixture.file("fixed.lisp", "(a)\n");
    fixture.set_mode("fixed.lisp", 0o444);
    let unwritable =
        |file: &SourceFile| NewText::Text(if file.path == "old.lisp" { "(λ)".into() } else { "(b)".into() });
    assert_eq!(code(edit(&fixture, &["one.lisp", "old.lisp"], unwritable), "old.lisp"), "BAD_ARGUMENT");
    assert_eq!(code(edit(&fixture, &["one.lisp", "none.lisp"], renamed), "none.lisp"), "FILE_NOT_FOUND");
    assert_eq!(code(edit(&fixture, &["one.lisp", "fixed.lisp"], renamed), "fixed.lisp"), "READ_ONLY");
    assert_eq!(code(edit(&fixture, &["one.lisp", "../secret.lisp"], renamed), "secret.lisp"), "OUTSIDE_ROOT");
    fixture.link("other.lisp", "src/two.lisp");
    assert_eq!(code(edit(&fixture, &["src/two.lisp", "other.lisp"], renamed), "other.lisp"), "BAD_ARGUMENT");
    let refused = fixture.roots.edit_several(&targets(&["one.lisp", "new.lisp"]), |_| Err("no"));
    assert!(matches!(refused, Err(EditError::Refused("no"))));
    assert_eq!(fixture.bytes("one.lisp"), b"(a)\r\n");
    assert_eq!(fixture.names(""), ["fixed.lisp", "old.lisp", "one.lisp", "other.lisp", "src"]);
    assert_eq!(fixture.names("src"), ["two.lisp"]);
    fixture.check_neighbours();
}

/// A file that a program without locks changes while the new texts are made.
#[test]
fn nothing_is_written_when_a_file_changes_meanwhile() {
    let fixture = fixture();
    let changing = |file: &SourceFile| {
        fixture.file("src/two.lisp", "(theirs)\n");
        renamed(file)
    };
    let error = edit(&fixture, &["one.lisp", "src/two.lisp"], changing).unwrap_err();
    assert!(matches!(error, Error::Overtaken { .. }), "{error}");
    assert_eq!(
        (fixture.bytes("one.lisp"), fixture.bytes("src/two.lisp")),
        (b"(a)\r\n".to_vec(), b"(theirs)\n".to_vec())
    );
    assert_eq!(
        (fixture.names(""), fixture.names("src")),
        (vec!["one.lisp".to_owned(), "src".to_owned()], vec!["two.lisp".to_owned()])
    );
}

#[test]
fn files_are_put_back_when_a_later_one_cannot_be_written() {
    let fixture = fixture();
    let identity = |name: &str| {
        let metadata = fs::metadata(fixture.at(name)).unwrap();
        (metadata.ino(), metadata.mtime(), metadata.mtime_nsec())
    };
    let before = [identity("one.lisp"), identity("src/two.lisp")];
    // Another program takes the name of the new file while the texts are made.
    let taking = |file: &SourceFile| {
        fixture.file("new.lisp", "(theirs)\n");
        renamed(file)
    };
    for paths in [["one.lisp", "src/two.lisp", "new.lisp"], ["new.lisp", "src/two.lisp", "one.lisp"]] {
        assert_eq!(code(edit(&fixture, &paths, taking), "new.lisp"), "BAD_ARGUMENT");
        assert_eq!([identity("one.lisp"), identity("src/two.lisp")], before);
        assert_eq!((fixture.bytes("new.lisp"), fixture.names("").len()), (b"(theirs)\n".to_vec(), 3));
        fs::remove_file(fixture.at("new.lisp")).unwrap();
    }
}

#[test]
fn a_trial_is_put_back_with_its_inodes_and_times() {
    let fixture = fixture();
    let identity = |name: &str| {
        let metadata = fs::metadata(fixture.at(name)).unwrap();
        (metadata.ino(), metadata.mtime(), metadata.mtime_nsec(), metadata.nlink())
    };
    let before = [identity("one.lisp"), identity("src/two.lisp")];
    for is_dropped in [false, true] {
        let trial = edit(&fixture, &["one.lisp", "src/two.lisp", "new.lisp"], renamed).unwrap();
        assert_eq!(fixture.bytes("one.lisp"), b"(b)\r\n(new)\n");
        if is_dropped {
            drop(trial);
        } else {
            assert_eq!(trial.put_back(), []);
        }
        assert_eq!([identity("one.lisp"), identity("src/two.lisp")], before);
        assert_eq!(
            (fixture.names(""), fixture.names("src")),
            (vec!["one.lisp".to_owned(), "src".to_owned()], vec!["two.lisp".to_owned()])
        );
    }
}

#[test]
fn a_trial_can_show_the_old_texts_for_a_while() {
    let fixture = fixture();
    let inode = |name: &str| fs::metadata(fixture.at(name)).unwrap().ino();
    let (before, names) = (inode("one.lisp"), ["one.lisp", "src/two.lisp", "new.lisp"]);
    for is_kept in [false, true] {
        let mut trial = edit(&fixture, &names, renamed).unwrap();
        let new = fixture.bytes("one.lisp");
        assert_eq!(trial.old_bytes("one.lisp"), Some(&b"(a)\r\n"[..]));
        assert_eq!((trial.old_bytes("new.lisp"), trial.old_bytes("other")), (Some(&b""[..]), None));
        trial.show_old().unwrap();
        assert_eq!(fixture.bytes("one.lisp"), b"(a)\r\n");
        assert!(!fixture.at("new.lisp").exists());
        if is_kept {
            trial.show_new().unwrap();
            trial.keep();
            assert_eq!(fixture.bytes("one.lisp"), new);
            assert!(fixture.at("new.lisp").exists());
        } else {
            assert_eq!(trial.put_back(), []);
            assert_eq!((inode("one.lisp"), fixture.names("").len()), (before, 2));
        }
    }
}

#[test]
fn old_texts_are_not_shown_where_somebody_has_written_meanwhile() {
    let fixture = fixture();
    let mut trial = edit(&fixture, &["one.lisp", "src/two.lisp"], renamed).unwrap();
    let new = fixture.bytes("one.lisp");
    fixture.file("src/two.lisp", "(theirs)\n");
    let changed = NotPutBack { path: "src/two.lisp".into(), was_changed: true };
    assert_eq!(trial.show_old(), Err(changed.clone()));
    assert_eq!(fixture.bytes("one.lisp"), new);
    fixture.file("src/two.lisp", "(b)\n");
    assert_eq!(trial.put_back(), [changed]);
}

#[test]
fn what_others_write_during_a_trial_is_not_put_back() {
    let fixture = fixture();
    let trial = edit(&fixture, &["one.lisp", "src/two.lisp"], renamed).unwrap();
    trial.takes_long();
    let error = fixture.put("one.lisp", "(mine)").unwrap_err();
    assert!(matches!(error, Error::InTrial { .. }) && error.retryable(), "{error}");
    fixture.file("src/two.lisp", "(theirs)\n");
    assert_eq!(trial.put_back(), [NotPutBack { path: "src/two.lisp".into(), was_changed: true }]);
    assert_eq!(
        (fixture.bytes("one.lisp"), fixture.bytes("src/two.lisp")),
        (b"(a)\r\n".to_vec(), b"(theirs)\n".to_vec())
    );
    fixture.put("one.lisp", "(mine)").unwrap();
}

#[test]
fn calls_with_the_same_files_do_not_wait_for_each_other() {
    let fixture = fixture();
    let count = |file: &SourceFile| NewText::Text(format!("{}x", file.text));
    std::thread::scope(|scope| {
        for paths in [["one.lisp", "src/two.lisp"], ["src/two.lisp", "one.lisp"]] {
            let fixture = &fixture;
            scope.spawn(move || (0..50).for_each(|_| drop(edit(fixture, &paths, count).unwrap().keep())));
        }
    });
    for name in ["one.lisp", "src/two.lisp"] {
        assert_eq!(fixture.read(name).unwrap().text.matches('x').count(), 100);
    }
}
