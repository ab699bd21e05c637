//! The number of times that an edit reads bytes: new source once by itself and once in its place, the rest of the file
//! never.
#![cfg(debug_assertions)]
#![allow(clippy::unwrap_used)]

use lispwright_edit::{Edit, FormOperation, FormPatch, Source, Target, edit, patch};
use lispwright_syntax::Dialect;
use lispwright_syntax::effort::bytes_read;

/// A file of two hundred short forms.
fn file() -> String {
    (0..200).map(|n| format!("(defun f{n} (x)\n  (list x {n}))\n\n")).collect()
}

/// A form of more than a thousand bytes.
fn form() -> String {
    let lines: String = (0..60).map(|n| format!("  (print (list x {n}))\n")).collect();
    format!("(defun f100 (x)\n{lines}  x)\n")
}

/// The number of bytes that `work` reads on a source that has been read.
fn read_during<T>(text: &str, work: impl FnOnce(&Source<'_>) -> T) -> usize {
    let source = Source::read(text, Dialect::CommonLisp);
    let before = bytes_read();
    work(&source);
    bytes_read() - before
}

/// The bytes of the short forms beside an edit.
const BESIDE: usize = 100;

#[test]
fn new_source_is_read_by_itself_and_in_its_place() {
    let (text, content) = (file(), form());
    for (operation, times) in [
        (FormOperation::Replace, 2),
        (FormOperation::InsertBefore, 2),
        (FormOperation::InsertAfter, 2),
        (FormOperation::Append, 2),
        (FormOperation::Delete, 0),
    ] {
        for content in [content.trim(), &content, &format!("\n\n{content}\n")] {
            let target = Target { name: Some("f100"), ..Target::default() };
            let request = Edit { operation, target, content: Some(content), digest: None, repair: true };
            let read = read_during(&text, |source| edit(source, &request).unwrap());
            let least = times * content.trim().len();
            assert!((least..=least + BESIDE).contains(&read), "{operation:?}: {read} bytes for {}", content.len());
        }
    }
}

#[test]
fn a_patched_form_is_read_by_itself_and_in_its_place() {
    let text = file().replacen("(defun f100 (x)\n  (list x 100))\n", &form(), 1);
    let request = FormPatch {
        target: Target { name: Some("f100"), ..Target::default() },
        old_text: "(list x 30)",
        new_text: "(list x 31)",
        replace_all: false,
        digest: None,
        repair: false,
    };
    let read = read_during(&text, |source| patch(source, &request).unwrap());
    // In its place it is read up to the end of the change.
    let once = form().trim().len();
    assert!((once..=2 * once + BESIDE).contains(&read), "{read} bytes");
}
