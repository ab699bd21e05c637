//! Listing directories, and making those that a new file needs.
#![allow(clippy::unwrap_used)]

mod fixture;

use std::fs;
use std::path::Path;

use fixture::{Fixture, SECRET};
use lispwright_project::{EntryKind, Error};

fn listed(fixture: &Fixture, path: &str) -> Vec<(String, EntryKind)> {
    let (_, entries) = fixture.roots.list(Path::new(path)).unwrap();
    entries.into_iter().map(|entry| (entry.name, entry.kind)).collect()
}

#[test]
fn entries_come_by_name_with_what_they_lead_to() {
    let fixture = Fixture::new();
    fixture.file("b.lisp", "(b)");
    fixture.file("a/c.lisp", "(c)");
    fixture.link("to-b", "b.lisp");
    fixture.link("to-a", "a");
    fixture.link("to-nothing", "nothing");
    fixture.link("out", "../outside");
    let expected = [
        ("a", EntryKind::Directory),
        ("b.lisp", EntryKind::File),
        ("out", EntryKind::Link),
        ("to-a", EntryKind::Directory),
        ("to-b", EntryKind::File),
        ("to-nothing", EntryKind::Link),
    ];
    assert_eq!(listed(&fixture, "."), expected.map(|(name, kind)| (name.to_owned(), kind)));
    assert_eq!(listed(&fixture, "to-a"), [("c.lisp".to_owned(), EntryKind::File)]);
    assert_eq!(fixture.roots.list(Path::new("a/../.")).unwrap().0, ".");
    assert_eq!(fixture.roots.list(&fixture.at("a")).unwrap().0, "a");
}

#[test]
fn nothing_outside_is_listed() {
    let fixture = Fixture::new();
    fixture.file("b.lisp", "(b)");
    fixture.link("out", "../outside");
    for path in ["..", "../outside", "out", "/", "/etc"] {
        let error = fixture.roots.list(Path::new(path)).unwrap_err();
        assert_eq!(error.code(), "OUTSIDE_ROOT", "{path}: {error}");
    }
    assert!(matches!(fixture.roots.list(Path::new("b.lisp")), Err(Error::NotADirectory { .. })));
    assert!(matches!(fixture.roots.list(Path::new("c")), Err(Error::NotFound { .. })));
}

#[test]
fn directories_are_made_in_the_root_and_nowhere_else() {
    let fixture = Fixture::new();
    fixture.file("there/b.lisp", "(b)");
    fixture.link("out", "../outside");
    let make = |path: &str| fixture.roots.make_directories(Path::new(path));
    make("new/deep/er/a.lisp").unwrap();
    assert!(fixture.at("new/deep/er").is_dir());
    make("there/a.lisp").unwrap();
    make("a.lisp").unwrap();
    let absolute = fixture.at("abs/two/a.lisp");
    fixture.roots.make_directories(&absolute).unwrap();
    assert!(fixture.at("abs/two").is_dir());
    for path in ["../beside/a.lisp", "out/new/a.lisp", "made/../../beside/a.lisp"] {
        assert_eq!(make(path).unwrap_err().code(), "OUTSIDE_ROOT", "{path}");
    }
    assert!(!fixture.at("made").exists(), "what was made before the error is gone");
    assert!(!fixture.beside("beside").exists());
    assert!(matches!(make("there/b.lisp/c/a.lisp"), Err(Error::NotADirectory { .. })));
    let names: Vec<_> = fs::read_dir(fixture.beside("outside")).unwrap().collect();
    assert_eq!(
        (names.len(), fs::read_to_string(fixture.beside("outside/secret.lisp")).unwrap()),
        (1, SECRET.to_owned())
    );
}

#[test]
fn what_was_made_can_be_removed_while_it_is_empty() {
    let fixture = Fixture::new();
    let made = fixture.roots.make_directories(Path::new("one/two/a.lisp")).unwrap();
    made.undo();
    assert!(!fixture.at("one").exists());
    let made = fixture.roots.make_directories(Path::new("one/two/a.lisp")).unwrap();
    fixture.file("one/b.lisp", "(b)");
    made.undo();
    assert!(fixture.at("one/b.lisp").exists() && !fixture.at("one/two").exists());
}

#[test]
fn libraries_are_listed_and_never_written() {
    let fixture = Fixture::new();
    fixture.roots.add_read_only(&fixture.beside("outside")).unwrap();
    let outside = fixture.beside("outside");
    let (shown, entries) = fixture.roots.list(&outside).unwrap();
    assert_eq!((shown, entries.len()), (outside.canonicalize().unwrap().display().to_string(), 1));
    assert!(matches!(fixture.roots.make_directories(&outside.join("new/a.lisp")), Err(Error::ReadOnly { .. })));
}
