//! `Start::Form`: one form of a real file is accepted; nothing, two forms, and a form that lost a delimiter are not.

use std::path::Path;

use lispwright_grammar::Start;
use lispwright_syntax::{Dialect, read_plain};

use crate::{decoders, is_sound};

/// Longer forms are skipped, in bytes.
const LONGEST: usize = 2_000;

#[track_caller]
fn check(dialect: Dialect, extension: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/tests/fixtures/ok");
    let mut decoders = decoders(dialect, Start::Form);
    let mut forms = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if path.extension().is_none_or(|found| found != extension) || !is_sound(&text, dialect) {
            continue;
        }
        let tree = read_plain(&text, dialect);
        for datum in tree.top_level().filter(|datum| datum.list().is_some()) {
            let form = &text[tree.datum_span(datum).range()];
            // The meaning of a form may depend on the file around it.
            if form.len() > LONGEST || !is_sound(form, dialect) {
                continue;
            }
            forms += 1;
            let closer = read_plain(form, dialect).tokens().filter(|(kind, _)| kind.is_close()).last().unwrap().1;
            let open = format!("{}{}", &form[..closer.range().start], &form[closer.range().end..]);
            for (name, decoder) in &mut decoders {
                assert!(decoder.accepts(form), "{name} rejects {form}");
                assert!(
                    decoder.accepts(&format!("\n; before\n{form} ; behind\n")),
                    "{name} rejects comments around {form}"
                );
                assert!(!decoder.accepts(&format!("{form}\n{form}")), "{name} accepts two of {form}");
                assert!(!decoder.accepts(&open), "{name} accepts {open}");
            }
        }
    }
    assert!(forms >= 5, "{forms} forms in the fixtures of .{extension}");
    for (name, decoder) in &mut decoders {
        for text in ["", " ", "; only a comment\n", "a b", ")", "(a) b", "(a) (b)"] {
            assert!(!decoder.accepts(text), "{name} accepts {text:?}");
        }
        assert!(["a", "(a)", "'(a)", "\"(\""].iter().all(|text| decoder.accepts(text)), "{name}");
        let prefixed = ["sb-ext::(defun f () 1)", "'a::(b c::(d))", "|A b|::(c)"];
        let lisp = dialect == Dialect::CommonLisp;
        assert!(prefixed.iter().all(|text| decoder.accepts(text) == lisp), "{name}: a package before a list");
        assert!(!decoder.accepts("a::(b"), "{name}");
    }
}

#[test]
fn one_form_of_common_lisp() {
    check(Dialect::CommonLisp, "lisp");
}

#[test]
fn one_form_of_scheme() {
    check(Dialect::Scheme, "scm");
}

#[test]
fn one_form_of_clojure() {
    check(Dialect::Clojure, "cljc");
}

#[test]
fn one_form_of_emacs_lisp() {
    check(Dialect::EmacsLisp, "el");
}
