//! The files that a path may reach.
#![allow(clippy::unwrap_used)]

mod fixture;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fixture::{Fixture, SECRET, code, open, put};
use lispwright_project::{Error, LibraryPlace, RootChoice, RootFault, RootSource, Roots};

#[track_caller]
fn check_text(fixture: &Fixture, path: impl AsRef<Path>, shown: &str, text: &str) {
    let file = fixture.read(path).unwrap();
    assert_eq!((file.path.as_str(), file.text.as_str()), (shown, text));
}

#[track_caller]
fn check_outside(fixture: &Fixture, path: impl AsRef<Path>) {
    let path = path.as_ref();
    assert_eq!(code(fixture.read(path), path), "OUTSIDE_ROOT");
    assert_eq!(code(fixture.put(path, "(changed)\n"), path), "OUTSIDE_ROOT");
    assert_eq!(code(fixture.roots.create_new(path, "(new)\n"), path), "OUTSIDE_ROOT");
    assert_eq!(code(fixture.roots.absolute(path), path), "OUTSIDE_ROOT");
    fixture.check_neighbours();
}

#[test]
fn relative_absolute_and_dotted_paths() {
    let fixture = Fixture::new();
    fixture.file("src/a.lisp", "(a)\n");
    check_text(&fixture, "src/a.lisp", "src/a.lisp", "(a)\n");
    check_text(&fixture, "./src/./a.lisp", "src/a.lisp", "(a)\n");
    check_text(&fixture, "src/../src/a.lisp", "src/a.lisp", "(a)\n");
    check_text(&fixture, "src//a.lisp", "src/a.lisp", "(a)\n");
    check_text(&fixture, fixture.at("src/a.lisp"), "src/a.lisp", "(a)\n");
    check_text(&fixture, fixture.at("src/../src/a.lisp"), "src/a.lisp", "(a)\n");
    check_text(&fixture, fixture.beside("outside/../project/src/a.lisp"), "src/a.lisp", "(a)\n");
    check_text(&fixture, "../project/src/a.lisp", "src/a.lisp", "(a)\n");
}

#[test]
fn paths_that_leave_the_root() {
    let fixture = Fixture::new();
    fixture.file("src/a.lisp", "(a)\n");
    for path in
        ["../secret.lisp", "src/../../secret.lisp", "../outside/secret.lisp", "../../../../etc/passwd", "/etc/passwd"]
    {
        check_outside(&fixture, path);
    }
    check_outside(&fixture, fixture.beside("secret.lisp"));
    check_outside(&fixture, fixture.at("../secret.lisp"));
    // A neighbour whose name starts like the root's.
    fs::create_dir(fixture.beside("project-2")).unwrap();
    fs::write(fixture.beside("project-2/a.lisp"), SECRET).unwrap();
    let path = fixture.beside("project-2/a.lisp");
    assert_eq!(code(fixture.read(&path), &path), "OUTSIDE_ROOT");
    // Existing or not makes no difference to the answer.
    assert_eq!(code(fixture.read("../no-such-file"), "no-such-file"), "OUTSIDE_ROOT");
}

#[test]
fn links_that_leave_the_root() {
    let fixture = Fixture::new();
    fixture.file("src/a.lisp", "(a)\n");
    fixture.link("file.lisp", "../secret.lisp");
    fixture.link("absolute.lisp", fixture.beside("secret.lisp"));
    fixture.link("dir", "../outside");
    fixture.link("src/parent", "../..");
    fixture.link("src/middle", fixture.beside("outside"));
    fixture.link("chain.lisp", "file.lisp");
    fixture.link("missing.lisp", "../no-such-file.lisp");
    fixture.link("device", "/dev/zero");
    for path in [
        "file.lisp",
        "absolute.lisp",
        "chain.lisp",
        "missing.lisp",
        "dir/secret.lisp",
        "dir/new.lisp",
        "src/parent/secret.lisp",
        "src/middle/secret.lisp",
        "src/middle/../secret.lisp",
        "device",
    ] {
        check_outside(&fixture, path);
        check_outside(&fixture, fixture.at(path));
    }
}

#[test]
fn links_that_stay_inside() {
    let fixture = Fixture::new();
    fixture.file("src/deep/a.lisp", "(a)\n");
    fixture.link("file.lisp", "src/deep/a.lisp");
    fixture.link("absolute.lisp", fixture.at("src/deep/a.lisp"));
    fixture.link("dir", "src/deep");
    fixture.link("src/deep/up", "..");
    fixture.link("round.lisp", "../project/src/deep/a.lisp");
    for path in
        ["file.lisp", "absolute.lisp", "dir/a.lisp", "src/deep/up/deep/a.lisp", "dir/../deep/a.lisp", "round.lisp"]
    {
        check_text(&fixture, path, path, "(a)\n");
        assert_eq!(fixture.roots.absolute(Path::new(path)).unwrap(), fixture.roots.primary().join("src/deep/a.lisp"));
    }
    // Writing replaces the target, and the link stays a link.
    fixture.put("file.lisp", "(b)\n").unwrap();
    assert_eq!(fixture.bytes("src/deep/a.lisp"), b"(b)\n");
    assert_eq!(fs::read_link(fixture.at("file.lisp")).unwrap(), Path::new("src/deep/a.lisp"));
    // A new file through a linked directory is inside.
    fixture.roots.create_new(Path::new("dir/new.lisp"), "(new)\n").unwrap();
    assert_eq!(fixture.names("src/deep"), ["a.lisp", "new.lisp", "up"]);
}

#[test]
fn links_in_a_circle() {
    let fixture = Fixture::new();
    fixture.link("a", "b");
    fixture.link("b", "a");
    fixture.link("self", "self/self");
    for path in ["a", "self", "a/x.lisp"] {
        match fixture.read(path) {
            Err(Error::TooManyLinks { .. }) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_directory_that_turns_into_a_link_never_leads_out() {
    let fixture = Fixture::new();
    fixture.file("dir/secret.lisp", "(inside)\n");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                fs::rename(fixture.at("dir"), fixture.at("aside")).unwrap();
                fixture.link("dir", "../outside");
                fs::remove_file(fixture.at("dir")).unwrap();
                fs::rename(fixture.at("aside"), fixture.at("dir")).unwrap();
            }
        });
        let (mut inside, mut refused) = (0, 0);
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while (inside < 300 || refused < 300) && std::time::Instant::now() < deadline {
            match fixture.read("dir/secret.lisp") {
                Ok(file) => {
                    assert_eq!(file.text, "(inside)\n");
                    inside += 1;
                }
                Err(error) => {
                    assert!(["OUTSIDE_ROOT", "FILE_NOT_FOUND"].contains(&error.code()), "{error}");
                    refused += 1;
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
        assert!(inside >= 300 && refused >= 300, "{inside} reads inside, {refused} refused");
    });
    fixture.check_neighbours();
}

#[test]
fn other_spellings_of_the_root() {
    let fixture = Fixture::new();
    fixture.file("a.lisp", "(a)\n");
    std::os::unix::fs::symlink("project", fixture.beside("alias")).unwrap();
    // The path goes through a link to the root.
    check_text(&fixture, fixture.beside("alias/a.lisp"), "a.lisp", "(a)\n");
    // The root itself was given as a link.
    let by_alias = open(&[&fixture.beside("alias")]).unwrap();
    for path in [fixture.beside("alias/a.lisp"), fixture.at("a.lisp"), "a.lisp".into()] {
        assert_eq!(by_alias.read(&path).unwrap().path, "a.lisp");
    }
    assert_eq!(by_alias.primary(), fixture.roots.primary());
}

#[test]
fn several_roots() {
    let fixture = Fixture::new();
    fixture.file("a.lisp", "(a)\n");
    let (first, second) = (fixture.at("."), fixture.beside("outside"));
    let roots = open(&[&first, &second, &first]).unwrap();
    assert_eq!(roots.writable().count(), 2);
    assert_eq!(roots.read(Path::new("a.lisp")).unwrap().path, "a.lisp");
    let secret = second.join("secret.lisp");
    assert_eq!(roots.read(&secret).unwrap().path, secret.canonicalize().unwrap().display().to_string());
    // Relative paths are the first root's alone, and a link may lead from one root into the other.
    assert_eq!(code(roots.read(Path::new("secret.lisp")), "secret.lisp"), "FILE_NOT_FOUND");
    fixture.link("over.lisp", "../outside/secret.lisp");
    assert_eq!(roots.read(Path::new("over.lisp")).unwrap().text, SECRET);
}

#[test]
fn libraries_may_be_read_and_not_written() {
    let fixture = Fixture::new();
    fixture.file("a.lisp", "(a)\n");
    let secret = fixture.beside("outside/secret.lisp");
    assert_eq!(code(fixture.read(&secret), &secret), "OUTSIDE_ROOT");
    fixture.roots.add_read_only(&fixture.beside("outside")).unwrap();
    fixture.roots.add_read_only(&fixture.beside("outside")).unwrap();
    assert_eq!(fixture.read(&secret).unwrap().text, SECRET);
    assert_eq!(code(fixture.put(&secret, "(b)\n"), &secret), "READ_ONLY");
    let new = fixture.beside("outside/new.lisp");
    assert_eq!(code(fixture.roots.create_new(&new, "(b)\n"), &new), "READ_ONLY");
    fixture.link("library.lisp", "../outside/secret.lisp");
    assert_eq!(code(fixture.put("library.lisp", "(b)\n"), "library.lisp"), "READ_ONLY");
    fixture.check_neighbours();
    // The project below a library directory stays writable.
    fixture.roots.add_read_only(&fixture.beside(".")).unwrap();
    fixture.put("a.lisp", "(b)\n").unwrap();
    assert!(matches!(fixture.roots.add_read_only(Path::new("/")), Err(Error::Root { fault: RootFault::System, .. })));
}

/// The fixture with places of libraries in a home directory, of which `open` says whether they may be read now.
fn with_places(fixture: &Fixture, home: &Path, places: &[&str], open: &'static AtomicBool) -> Roots {
    let known: Vec<LibraryPlace> = places.iter().filter_map(|place| LibraryPlace::new(place, Some(home))).collect();
    fixture.roots.with_libraries(move || if open.load(Ordering::Relaxed) { known.clone() } else { Vec::new() })
}

#[test]
fn places_of_libraries_are_opened_when_they_may_be_read() {
    static OPEN: AtomicBool = AtomicBool::new(false);
    let fixture = Fixture::new();
    let home = tempfile::tempdir().unwrap();
    let source = home.path().join("dists/lib/a.lisp");
    fs::create_dir_all(source.parent().unwrap()).unwrap();
    fs::write(&source, "(a)\n").unwrap();
    fs::write(home.path().join("b.lisp"), "(b)\n").unwrap();
    let roots = with_places(&fixture, home.path(), &["~/dists", "~/gone"], &OPEN);
    assert_eq!(code(roots.read(&source), &source), "OUTSIDE_ROOT");
    OPEN.store(true, Ordering::Relaxed);
    assert_eq!(roots.read(&source).unwrap().text, "(a)\n");
    assert_eq!(code(put(&roots, &source, "(b)\n"), &source), "READ_ONLY");
    // What is beside the place stays outside, however it is named.
    std::os::unix::fs::symlink(home.path().join("b.lisp"), home.path().join("dists/link.lisp")).unwrap();
    std::os::unix::fs::symlink("..", home.path().join("dists/up")).unwrap();
    for name in
        ["b.lisp", "dists/../b.lisp", "dists/lib/../../b.lisp", "dists/link.lisp", "dists/up/b.lisp", "gone/b.lisp"]
    {
        let path = home.path().join(name);
        assert_eq!(code(roots.read(&path), &path), "OUTSIDE_ROOT");
    }
    fixture.check_neighbours();
}

#[test]
fn a_place_that_a_link_leads_to_is_none() {
    static OPEN: AtomicBool = AtomicBool::new(true);
    let fixture = Fixture::new();
    let temporary = tempfile::tempdir().unwrap();
    let home = temporary.path();
    fs::create_dir(home.join("real")).unwrap();
    std::os::unix::fs::symlink(fixture.beside("outside"), home.join("dists")).unwrap();
    std::os::unix::fs::symlink(fixture.beside("."), home.join("above")).unwrap();
    std::os::unix::fs::symlink("/", home.join("real/all")).unwrap();
    let roots =
        with_places(&fixture, home, &["~/dists", "~/above/outside", "~/real/all/etc", "~/real/all", "/etc"], &OPEN);
    for path in [fixture.beside("outside/secret.lisp"), home.join("dists/secret.lisp"), "/etc/passwd".into()] {
        assert_eq!(code(roots.read(&path), &path), "OUTSIDE_ROOT");
    }
    assert!(LibraryPlace::new("~/dists", None).is_none());
    // The home directory itself may be a link.
    std::os::unix::fs::symlink("real", home.join("link")).unwrap();
    fs::create_dir(home.join("real/dists")).unwrap();
    fs::write(home.join("real/dists/a.lisp"), "(a)\n").unwrap();
    let roots = with_places(&fixture, &home.join("link"), &["~/dists"], &OPEN);
    assert_eq!(roots.read(&home.join("real/dists/a.lisp")).unwrap().text, "(a)\n");
}

#[test]
fn missing_files_name_their_neighbours() {
    let fixture = Fixture::new();
    for name in ["src/main.lisp", "src/package.lisp", "src/main-test.lisp", "src/mian.scm", "src/z.txt"] {
        fixture.file(name, "");
    }
    match fixture.read("src/mian.lisp") {
        Err(Error::NotFound { missing, nearest, .. }) => {
            assert_eq!(missing, "src/mian.lisp");
            assert_eq!(nearest[0], "src/main.lisp");
            assert!(nearest.contains(&"src/mian.scm".to_owned()), "{nearest:?}");
            assert!(!nearest.contains(&"src/z.txt".to_owned()), "{nearest:?}");
        }
        other => panic!("{other:?}"),
    }
    match fixture.read("scr/main.lisp") {
        Err(Error::NotFound { missing, nearest, .. }) => {
            assert_eq!((missing.as_str(), &nearest[..]), ("scr", &["src".to_owned()][..]))
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(code(fixture.put("src/none.lisp", ""), "none.lisp"), "FILE_NOT_FOUND");
    fixture.link("dangling.lisp", "src/gone.lisp");
    assert_eq!(code(fixture.read("dangling.lisp"), "dangling.lisp"), "FILE_NOT_FOUND");
}

#[test]
fn paths_that_are_no_paths() {
    let fixture = Fixture::new();
    fixture.file("a.lisp", "(a)\n");
    let long_name = "x".repeat(256);
    let long_path = "d/".repeat(3000);
    for path in ["", "a\0.lisp", long_name.as_str(), long_path.as_str()] {
        let error = fixture.read(path).unwrap_err();
        assert!(matches!(error, Error::BadPath { .. }), "{error:?}");
        assert!(error.to_string().len() < 600);
    }
    match fixture.read("a.lisp/b.lisp") {
        Err(Error::NotADirectory { at, .. }) => assert_eq!(at, "a.lisp"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn names_that_are_not_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let fixture = Fixture::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xE9.lisp");
    fs::write(fixture.at(".").join(name), "(a)\n").unwrap();
    fixture.put(name, "(b)\n").unwrap();
    assert_eq!(fixture.read(name).unwrap().text, "(b)\n");
}

#[track_caller]
fn check_root(path: &Path, home: Option<&Path>, expected: RootFault) {
    let choice = RootChoice { paths: vec![path.to_owned()], source: RootSource::WorkingDirectory };
    let error = Roots::open(&choice, home).unwrap_err();
    match &error {
        Error::Root { fault, .. } => assert_eq!(*fault, expected),
        other => panic!("{other:?}"),
    }
    assert_eq!(error.code(), "BAD_ARGUMENT");
    let text = error.to_string();
    assert!(text.contains("--root DIR") && text.contains("the working directory"), "{text}");
}

#[test]
fn roots_that_are_refused() {
    let fixture = Fixture::new();
    fixture.file("a.lisp", "");
    for path in ["/", "/home", "/tmp", "/usr", "/etc", "/var", "/opt", "/proc/self", "/tmp/../usr", "/proc/self/root"] {
        check_root(Path::new(path), None, RootFault::System);
    }
    check_root(Path::new(""), None, RootFault::Unnamed);
    // It is the directory above the one of this test.
    let above = RootChoice { paths: vec!["..".into()], source: RootSource::Explicit };
    assert_eq!(Roots::open(&above, None).unwrap().primary(), Path::new("..").canonicalize().unwrap());
    check_root(&fixture.at("none"), None, RootFault::Missing);
    check_root(&fixture.at("a.lisp"), None, RootFault::NotADirectory);
    check_root(&fixture.at("."), Some(&fixture.at(".")), RootFault::Home);
    std::os::unix::fs::symlink("/usr", fixture.beside("alias")).unwrap();
    check_root(&fixture.beside("alias"), None, RootFault::System);
    // A directory inside the home directory is a valid root.
    open(&[&fixture.at(".")]).unwrap();
    Roots::open(&RootChoice { paths: vec![fixture.at(".")], source: RootSource::Explicit }, Some(&fixture.beside(".")))
        .unwrap();
}

#[test]
fn a_root_that_is_replaced_says_so() {
    let fixture = Fixture::new();
    fixture.file("a.lisp", "(a)\n");
    fs::remove_dir_all(fixture.at(".").canonicalize().unwrap()).unwrap();
    fs::create_dir(fixture.beside("project")).unwrap();
    fixture.file("a.lisp", "(a)\n");
    match fixture.read("a.lisp") {
        Err(Error::RootGone { .. }) => {}
        other => panic!("{other:?}"),
    }
}
