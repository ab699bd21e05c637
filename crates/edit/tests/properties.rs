//! Properties that hold for every text, however broken.
#![allow(clippy::unwrap_used, missing_docs)]

use lispwright_edit::{Edit, FormOperation, FormPatch, Note, Source, Target, ViewOptions, check, edit, patch, view};
use lispwright_syntax::{Dialect, flaws, read};
use proptest::prelude::*;
use proptest::sample::select;

use FormOperation::{Append, Delete, InsertAfter, InsertBefore, Replace};

const DIALECTS: [Dialect; 4] = [Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp];

/// Pieces that combine into well-formed and broken code of every dialect.
const PIECES: [&str; 43] = [
    "(defun f (x)\n  x)",
    "(defun g ())",
    "(define (h a) a)",
    "(defn k [x] x)",
    "(defvar *v* 1)",
    "(a)",
    "(b c)",
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "  ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "\"a ( b\"",
    ";",
    "; (c\n",
    ";; about\n",
    ";;;; part\n\n",
    "#|",
    "|#",
    "#| (c) |#",
    "#\\(",
    "\\(",
    "?\\(",
    "'",
    "`",
    ",@",
    "#+sbcl ",
    "#-(or a b)\n",
    "#?(:clj ",
    "#_",
    "#;",
    "|a(b|",
    "#.",
    "λ",
    "(eval-when (:execute)\n  ",
    "(progn ",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&PIECES[..]), 0..24).prop_map(|pieces| pieces.concat())
}

/// Texts in which most forms are healthy.
fn healthy_text() -> impl Strategy<Value = String> {
    let form = select(
        &[
            "(defun f (x)\n  x)\n",
            "(defun g ())\n",
            ";; about\n(defvar *v* 1)\n",
            "(progn\n  (defun n (a)\n    a)\n  ;; c\n  (defun m ()))\n",
            "#+x (defun f (y) y) ; tail\n",
            "\n",
            ";;;; part\n",
            "(a) (b)\n",
            "\"s ( s\"\n",
            "(defn k [x] x)\n",
            "\r\n",
            "(c (d\n",
            "(e))\n",
            "\x0c\n",
            "\x0c",
        ][..],
    );
    prop::collection::vec(form, 1..10).prop_map(|forms| forms.concat())
}

fn operation() -> impl Strategy<Value = FormOperation> {
    select(&[Replace, InsertBefore, InsertAfter, Append, Delete][..])
}

/// The source of each datum at top level.
fn data(text: &str, dialect: Dialect) -> Vec<String> {
    let tree = read(text, dialect);
    tree.top_level().map(|datum| text[tree.datum_span(datum).range()].to_owned()).collect()
}

/// A form of the text with a line of it, and an address that means only this form.
fn address<'s>(source: &'s Source<'_>, pick: usize) -> Option<(u32, Target<'s>)> {
    let count = source.forms.len();
    let id = (pick % count.max(1)) as u32;
    let (_, form) = source.forms.iter().nth(id as usize)?;
    let line = Some(source.lines.line(form.outer.start));
    let name = form.name.as_deref();
    (1..=count as u32)
        .map(|index| Target { name, form_type: None, index: Some(index), line })
        .find(|target| lispwright_edit::locate(source, target) == Ok(id))
        .map(|target| (id, target))
}

/// `new` is `old` with one run of at most `at_most` elements replaced.
fn differs_in_one_place(old: &[String], new: &[String], at_most: usize) -> bool {
    let same_before = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same_before;
    let same_after = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    old.len() - same_before - same_after <= at_most
}

/// `text` without the white space of every dialect at its end.
fn solid_start(text: &str) -> &str {
    text.trim_end_matches([' ', '\t', '\r', '\n', ','])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_500) })]

    #[test]
    fn an_edit_leaves_all_other_forms_alone(
        old in prop_oneof![text(), healthy_text()], content in prop_oneof![text(), healthy_text()],
        dialect in select(&DIALECTS[..]), operation in operation(), pick in 0usize..20,
    ) {
        let source = Source::read(&old, dialect);
        let found = address(&source, pick);
        let target = match (&found, operation) {
            (Some((_, target)), _) => *target,
            (None, Append) => Target::default(),
            (None, _) => return Ok(()),
        };
        let Ok(edited) = edit(&source, &Edit { operation, target, content: Some(&content), digest: None, repair: true }) else {
            return Ok(());
        };
        // Bytes: the text before and after the form stays, except white space.
        let (start, end) = match (operation, &found) {
            (Append, _) | (_, None) => (old.len(), old.len()),
            (_, Some((id, _))) => {
                let form = source.forms.get(*id);
                (form.header.map_or(form.outer.start, |header| header.start) as usize, form.outer.end as usize)
            }
        };
        let after = &old[end..];
        // Stray closers and the comment on the last line of the form may be removed with it, and also a whole reader
        // conditional.
        let later = after.find('\n').map_or("", |newline| after[newline..].trim());
        if !old.contains("#?(") {
            prop_assert!(edited.text.starts_with(solid_start(&old[..start])), "before the form: {:?}", edited.text);
            prop_assert!(edited.text.trim_end().ends_with(later), "behind the form: {:?}", edited.text);
        }
        // Readings: at most one datum at top level differs.
        let (before, now) = (data(&old, dialect), data(&edited.text, dialect));
        let at_most = usize::from(matches!(operation, Replace | Delete) || found.is_some());
        prop_assert!(differs_in_one_place(&before, &now, at_most), "{before:?} became {now:?}");
        prop_assert!(read(&edited.text, dialect).diagnostics().len() <= source.tree.diagnostics().len());
        prop_assert_eq!(edited.changed, edited.text != old);
    }

    #[test]
    fn page_breaks_beside_a_form_stay(
        old in healthy_text(), dialect in select(&DIALECTS[..]), operation in operation(), pick in 0usize..20,
    ) {
        let source = Source::read(&old, dialect);
        let Some((id, target)) = address(&source, pick) else { return Ok(()) };
        let content = Some(";; about\n(defun inserted-here ()\n  1)");
        let Ok(edited) = edit(&source, &Edit { operation, target, content, digest: None, repair: true }) else {
            return Ok(());
        };
        let breaks = |text: &str| text.matches('\x0c').count();
        let own = breaks(&old[source.forms.get(id).outer.range()]);
        let kept = if matches!(operation, Replace | Delete) { own } else { 0 };
        prop_assert_eq!(breaks(&edited.text), breaks(&old) - kept, "{:?} became {:?}", old, edited.text);
    }

    #[test]
    fn a_form_replaced_by_itself_changes_nothing(
        old in prop_oneof![text(), healthy_text()], dialect in select(&DIALECTS[..]), pick in 0usize..20,
    ) {
        let source = Source::read(&old, dialect);
        let Some((id, target)) = address(&source, pick) else { return Ok(()) };
        let own = source.form_text(id).content;
        let request = Edit { operation: Replace, target, content: Some(own), digest: None, repair: false };
        if let Ok(edited) = edit(&source, &request) {
            // Closers without an opener are removed with the form before them.
            if edited.notes.iter().all(|note| !matches!(note, Note::StraysRemoved(_))) {
                prop_assert_eq!(&edited.text, &old);
            }
        } else {
            prop_assert!(!source.tree.diagnostics().is_empty() || own.contains(['[', '{']), "refused in a healthy text");
        }
    }

    #[test]
    fn inserted_source_can_be_deleted_again(
        old in healthy_text(), operation in select(&[InsertBefore, InsertAfter, Append][..]),
        pick in 0usize..20,
    ) {
        let source = Source::read(&old, Dialect::CommonLisp);
        let Some((_, target)) = address(&source, pick) else { return Ok(()) };
        let content = Some("(defun inserted-here ()\n  1)");
        let Ok(edited) = edit(&source, &Edit { operation, target, content, digest: None, repair: true }) else { return Ok(()) };
        let again = Source::read(&edited.text, Dialect::CommonLisp);
        let target = Target { name: Some("inserted-here"), ..Target::default() };
        let request = Edit { operation: Delete, target, content: None, digest: None, repair: true };
        let restored = edit(&again, &request).unwrap();
        let solid = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(solid(&restored.text), solid(&old));
    }

    #[test]
    fn source_inserted_after_a_form_leaves_no_trace_when_deleted(
        old in healthy_text(), dialect in select(&DIALECTS[..]), pick in 0usize..20, header: bool, several: bool,
    ) {
        let source = Source::read(&old, dialect);
        let Some((id, target)) = address(&source, pick) else { return Ok(()) };
        // Beside other code on its line there is room for one line only.
        let behind = old[source.forms.get(id).outer.end as usize..].lines().next().unwrap_or_default().trim_start();
        let alone = behind.is_empty() || behind.starts_with(';');
        let form = if several && alone { "(defun inserted-here ()\n  1)" } else { "(defun inserted-here () 1)" };
        let content = format!("{}{form}", if header && alone { ";; about it\n" } else { "" });
        let content = Some(content.as_str());
        let request = Edit { operation: InsertAfter, target, content, digest: None, repair: false };
        let Ok(edited) = edit(&source, &request) else { return Ok(()) };
        let again = Source::read(&edited.text, dialect);
        let target = Target { name: Some("inserted-here"), ..Target::default() };
        // A dialect without this definer finds the form by its line.
        let line = again.forms.iter().find(|(_, form)| edited.text[form.span.range()].starts_with("(defun inserted-here"));
        let line = line.map(|(_, form)| again.lines.line(form.outer.start));
        let target = if lispwright_edit::locate(&again, &target).is_ok() { target } else { Target { line, ..Target::default() } };
        let request = Edit { operation: Delete, target, content: None, digest: None, repair: false };
        let Ok(restored) = edit(&again, &request) else { return Ok(()) };
        prop_assert_eq!(&restored.text, &old, "by way of {:?}", edited.text);
    }

    #[test]
    fn a_patch_leaves_all_other_forms_alone(
        old in prop_oneof![text(), healthy_text()], dialect in select(&DIALECTS[..]), pick in 0usize..20,
        from in select(&PIECES[..]), to in text(), replace_all: bool,
    ) {
        let source = Source::read(&old, dialect);
        let Some((_, target)) = address(&source, pick) else { return Ok(()) };
        let request = FormPatch { target, old_text: from, new_text: &to, replace_all, digest: None, repair: true };
        let Ok(edited) = patch(&source, &request) else { return Ok(()) };
        let (before, now) = (data(&old, dialect), data(&edited.text, dialect));
        prop_assert!(differs_in_one_place(&before, &now, 1), "{before:?} became {now:?}");
        prop_assert_eq!(before.len(), now.len());
        prop_assert!(read(&edited.text, dialect).diagnostics().len() <= source.tree.diagnostics().len());
    }

    #[test]
    fn checks_and_views_take_any_text(old in prop_oneof![text(), healthy_text(), any::<String>()], dialect in select(&DIALECTS[..])) {
        let report = check(&old, dialect);
        let tree = read(&old, dialect);
        let is_sound = tree.diagnostics().is_empty() && flaws(&tree, &old).is_empty();
        prop_assert_eq!(report.diagnosis.is_none(), is_sound);
        if let Some(diagnosis) = &report.diagnosis {
            for change in diagnosis.fixes.iter().flat_map(|fix| &fix.lines) {
                let count = change.before.matches('\n').count() + 1;
                let lines: Vec<&str> = old.split('\n').skip(change.line as usize - 1).take(count).collect();
                let lines = lines.join("\n");
                prop_assert_eq!(change.before.as_str(), lines.trim_end_matches('\r'));
                prop_assert_ne!(&change.before, &change.after);
            }
            if let Some(repaired) = &diagnosis.repaired {
                prop_assert!(read(repaired, dialect).diagnostics().is_empty(), "{repaired:?}");
            }
        }
        let source = Source::read(&old, dialect);
        for collapsed in [true, false] {
            let options = ViewOptions {
                whole: 5,
                collapsed, name_pattern: None, content_pattern: None, offset: 0, limit: None, budget: 10_000,
                heads: 18_000,
            };
            let shown = view(&source, &options).unwrap();
            for line in shown.content.lines().filter(|line| !line.contains("...") && !line.contains('…')) {
                let (number, text) = line.split_once("| ").unwrap_or((line.trim_end_matches('|'), ""));
                let number: u32 = number.trim().parse().unwrap();
                prop_assert!(source.line_text(number).trim_end().ends_with(text.trim()), "line {number}: {text:?}");
            }
        }
    }
}
