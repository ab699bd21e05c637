//! Every property, on the committed seeds and on text that a generator with a fixed seed makes.
//!
//! A run without a fuzzer finds what it found the last time; to look further is the fuzzer's work.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use lispwright_properties::TARGETS;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

/// What Lisp is made of, broken or not, and what separates the parts of an input.
const PIECES: [&[u8]; 47] = [
    b"(",
    b")",
    b"(",
    b")",
    b"[",
    b"]",
    b"{",
    b"}",
    b"\"",
    b"\\",
    b"|",
    b"#",
    b";",
    b"'",
    b"`",
    b",@",
    b"#|",
    b"|#",
    b"#\\(",
    b"?(",
    b"?\\)",
    b"#_",
    b"#;",
    b"#+x ",
    b"#?(",
    b"^",
    b"a",
    b"foo",
    b"defun f",
    b"(let ((a 1))",
    b" ",
    b" ",
    b"\n",
    b"\n  ",
    b"\n    ",
    b"\r\n",
    b"\t",
    b"\x0c",
    "λ".as_bytes(),
    "\u{feff}".as_bytes(),
    b"\x80",
    b"\xff",
    b"\n(defun f (x)\n  (g x))\n",
    b"\n(define (f x)\n  (g x))\n",
    b"(defn f [x]\n  {:a x})\n",
    b"#<<E\n",
    b"#!",
];

fn holds(data: &[u8]) {
    for (_, property) in TARGETS {
        property(data);
    }
}

#[test]
fn seeds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    for (name, property) in TARGETS {
        let mut count = 0;
        for entry in std::fs::read_dir(folder.join(name)).unwrap() {
            property(&std::fs::read(entry.unwrap().path()).unwrap());
            count += 1;
        }
        assert!(count > 0, "{name} has no seeds");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::with_cases(600)
    })]

    #[test]
    fn bytes(data in prop::collection::vec(any::<u8>(), 0..200)) {
        holds(&data);
    }

    #[test]
    fn lisp(head in prop::collection::vec(any::<u8>(), 6), pieces in prop::collection::vec(select(&PIECES[..]), 0..60)) {
        holds(&[head, pieces.concat()].concat());
    }
}
