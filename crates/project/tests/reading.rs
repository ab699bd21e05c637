//! Which bytes are text, and that reading never blocks.
#![allow(clippy::unwrap_used)]

mod fixture;

use std::fs::{self, File};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use fixture::{Fixture, code};
use lispwright_project::{Encoding, Error, LineEnding, MAX_FILE_BYTES, NotRegular, NotTextWhy, digest_of};
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

/// Runs `work` in a thread of its own and fails when it does not end.
#[track_caller]
fn within_deadline<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(Duration::from_secs(120)).expect("the call blocks")
}

#[test]
fn a_file_and_what_is_known_about_it() {
    let fixture = Fixture::new();
    let bytes = b"\xEF\xBB\xBF(a \xCE\xBB)\r\n";
    fixture.file("a.lisp", bytes);
    let file = fixture.read("a.lisp").unwrap();
    assert_eq!(file.text, "(a λ)\r\n");
    assert_eq!((file.encoding, file.bom, file.line_ending), (Encoding::Utf8, true, LineEnding::CrLf));
    assert_eq!((file.len, file.digest()), (11, digest_of(bytes)));

    fixture.file("empty.lisp", "");
    let file = fixture.read("empty.lisp").unwrap();
    assert_eq!((file.text.as_str(), file.len, file.line_ending), ("", 0, LineEnding::None));

    fixture.file("latin1.lisp", b";; caf\xE9\n");
    let file = fixture.read("latin1.lisp").unwrap();
    assert_eq!((file.text.as_str(), file.encoding), (";; café\n", Encoding::Latin1));
}

#[test]
fn bytes_that_are_no_text() {
    let fixture = Fixture::new();
    fixture.file("binary.lisp", b"\x7FELF\x02\0\0");
    fixture.file("utf16.lisp", b"\xFF\xFE(\0a\0)\0");
    let why = |path| match fixture.read(path) {
        Err(error @ Error::NotText { why, .. }) => {
            assert_eq!(code::<()>(Err(error), path), "NOT_TEXT");
            why
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(why("binary.lisp"), NotTextWhy::Nul { offset: 5 });
    assert_eq!(why("utf16.lisp"), NotTextWhy::Utf16);
    assert_eq!(code(fixture.put("binary.lisp", "(a)\n"), "binary.lisp"), "NOT_TEXT");
    assert_eq!(fixture.bytes("binary.lisp"), b"\x7FELF\x02\0\0");
}

#[test]
fn directories_say_what_they_hold() {
    let fixture = Fixture::new();
    fixture.file("src/a.lisp", "");
    fixture.file("src/.hidden", "");
    for path in ["src", "src/", "src/.", "./src"] {
        match fixture.read(path) {
            Err(Error::IsDirectory { holds, .. }) => assert_eq!(holds, ["src/a.lisp"]),
            other => panic!("{other:?}"),
        }
    }
    for path in [".", "src/.."] {
        assert!(matches!(fixture.read(path), Err(Error::IsDirectory { .. })));
        assert!(matches!(fixture.put(path, ""), Err(Error::IsDirectory { .. })));
    }
    assert!(matches!(fixture.read(fixture.at("")), Err(Error::IsDirectory { .. })));
}

#[test]
fn pipes_sockets_and_devices_are_not_opened() {
    let fixture = Fixture::new();
    mknodat(CWD, fixture.at("fifo.lisp"), FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    fixture.link("link.lisp", "fifo.lisp");
    let _socket = std::os::unix::net::UnixListener::bind(fixture.at("socket.lisp")).unwrap();
    let mut cases =
        vec![("fifo.lisp", NotRegular::Fifo), ("link.lisp", NotRegular::Fifo), ("socket.lisp", NotRegular::Socket)];
    // Only the superuser can make a device; the one that a link leads to is outside and tested with the paths.
    if mknodat(CWD, fixture.at("zero.lisp"), FileType::CharacterDevice, Mode::from_raw_mode(0o666), makedev(1, 5))
        .is_ok()
    {
        cases.push(("zero.lisp", NotRegular::Device));
    }
    for (path, expected) in cases {
        let roots = fixture.roots.clone();
        let results = within_deadline(move || {
            let path = Path::new(path);
            [roots.read(path).map(drop), fixture::put(&roots, path, "(a)\n").map(drop)]
        });
        for result in results {
            match result {
                Err(Error::NotRegular { kind, .. }) => assert_eq!(kind, expected),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn long_files_are_not_read() {
    let fixture = Fixture::new();
    let size = 200 * 1024 * 1024;
    File::create(fixture.at("sparse.lisp")).unwrap().set_len(size).unwrap();
    let error = fixture.read("sparse.lisp").unwrap_err();
    let text = error.to_string();
    assert!(text.contains("209715200") && text.contains("16 MiB"), "{text}");
    assert_eq!(code::<()>(Err(error), "sparse.lisp"), "TOO_LARGE");
    assert_eq!(code(fixture.put("sparse.lisp", "(a)\n"), "sparse.lisp"), "TOO_LARGE");
    assert_eq!(fs::metadata(fixture.at("sparse.lisp")).unwrap().len(), size);

    // The limit itself is allowed, and no edit may go beyond it.
    let longest = " ".repeat(usize::try_from(MAX_FILE_BYTES).unwrap());
    fixture.file("longest.lisp", &longest);
    assert_eq!(fixture.read("longest.lisp").unwrap().len, MAX_FILE_BYTES);
    assert_eq!(code(fixture.put("longest.lisp", &(longest.clone() + " ")), "longest.lisp"), "TOO_LARGE");
    assert_eq!(fixture.bytes("longest.lisp"), longest.as_bytes());
}
