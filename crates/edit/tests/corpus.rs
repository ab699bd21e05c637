//! Edits on real files: replacing a form by itself changes nothing, inserted source can be deleted again, and every
//! form has an address.
//!
//! The files are a sample of the corpus in `target/corpus` (or in `LISPWRIGHT_CORPUS`), which `cargo xtask corpus`
//! fetches.
#![allow(clippy::unwrap_used, missing_docs)]

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use lispwright_edit::{Edit, EditRefusal, Edited, FormOperation, Source, Target, edit, locate};
use lispwright_syntax::{Dialect, FormId, Span, TokenKind};

/// The number of files of each section, and of forms of each file, evenly spread.
const FILES: usize = 40;
const FORMS: usize = 3;

/// The longest file that is used: longer ones only take more time.
const LARGEST: u64 = 80_000;

#[test]
fn common_lisp_libraries() {
    check("common-lisp", Dialect::CommonLisp, "(defun inserted-here ()\n  1)");
}

#[test]
fn sbcl() {
    check("sbcl", Dialect::CommonLisp, "(defun inserted-here ()\n  1)");
}

#[test]
fn guile() {
    check("guile", Dialect::Scheme, "(define (inserted-here)\n  1)");
}

#[test]
fn clojure() {
    check("clojure", Dialect::Clojure, "(defn inserted-here []\n  1)");
}

#[test]
fn emacs_lisp() {
    check("emacs-lisp", Dialect::EmacsLisp, "(defun inserted-here ()\n  1)");
}

fn check(section: &str, dialect: Dialect, content: &str) {
    let root = std::env::var_os("LISPWRIGHT_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/corpus"), PathBuf::from);
    let files = sample(&root.join(section));
    assert!(files.len() >= FILES / 2, "the {section} corpus has {} files: run `cargo xtask corpus`", files.len());
    let (next, edits) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    edits.fetch_add(check_file(file, dialect, content), Ordering::Relaxed);
                }
            });
        }
    });
    let edits = edits.into_inner();
    assert!(edits >= files.len() * 4, "only {edits} edits were tried on {} files", files.len());
}

/// Some of the files below a directory, in the order of their names.
fn sample(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().map(Result::unwrap) {
            let kind = entry.metadata().unwrap();
            if kind.is_dir() {
                directories.push(entry.path());
            } else if kind.len() < LARGEST {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    let step = files.len().div_ceil(FILES).max(1);
    files.into_iter().step_by(step).collect()
}

/// Makes edits in one file, and returns their number.
fn check_file(file: &Path, dialect: Dialect, content: &str) -> usize {
    let Ok(text) = String::from_utf8(std::fs::read(file).unwrap()) else { return 0 };
    let source = Source::read(&text, dialect);
    if !source.tree.diagnostics().is_empty() {
        return 0;
    }
    addressed(file, &source);
    let mut edits = 0;
    let step = source.forms.len().div_ceil(FORMS).max(1);
    let sampled = source.forms.iter().step_by(step).map(|(id, _)| id);
    let nested = source.forms.iter().filter(|(_, form)| form.parent.is_some()).map(|(id, _)| id).take(FORMS);
    for id in sampled.chain(nested) {
        let Some(target) = address(&source, id) else { continue };
        let place = || format!("{} line {}", file.display(), source.form_text(id).start_line);
        let run = |operation, content: &str| -> Result<Edited, EditRefusal> {
            edit(&source, &Edit { operation, target, content: Some(content), digest: None, repair: false })
        };
        let own = source.form_text(id).content;
        let same = run(FormOperation::Replace, own).unwrap_or_else(|refusal| panic!("{}: {refusal:?}", place()));
        assert!(!same.changed, "{}: the form replaced by itself\n{}", place(), same.diff);
        if let Some((from, to)) = one_symbol(&source, id) {
            let start = source.form_text(id).span.start as usize;
            let content = format!("{}{to}{}", &text[start..from.start], &text[from.end..start + own.len()]);
            let changed =
                run(FormOperation::Replace, &content).unwrap_or_else(|refusal| panic!("{}: {refusal:?}", place()));
            let wanted = format!("{}{to}{}", &text[..from.start], &text[from.end..]);
            assert!(changed.text == wanted, "{}: one symbol changed\n{}", place(), changed.diff);
        }
        for operation in [FormOperation::InsertBefore, FormOperation::InsertAfter] {
            let inserted = run(operation, content).unwrap_or_else(|refusal| panic!("{}: {refusal:?}", place()));
            let again = Source::read(&inserted.text, dialect);
            let target = Target { name: Some("inserted-here"), ..Target::default() };
            // Definitions are not searched in every place where a form can be.
            if locate(&again, &target).is_err() {
                continue;
            }
            let request = Edit { operation: FormOperation::Delete, target, content: None, digest: None, repair: false };
            let restored = edit(&again, &request).unwrap_or_else(|refusal| panic!("{}: {refusal:?}", place()));
            let solid = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert!(solid(&restored.text) == solid(&text), "{}: inserted and deleted\n{}", place(), restored.diff);
        }
        edits += 3;
    }
    edits
}

/// The last symbol inside a form, apart from its first and last lines, and another symbol to replace it.
fn one_symbol(source: &Source<'_>, id: FormId) -> Option<(Range<usize>, &'static str)> {
    let span = source.forms.get(id).span;
    let letters = |span: &Span| source.slice(*span).bytes().all(|byte| byte.is_ascii_lowercase());
    let atoms = source.tree.tokens_within(span).filter(|(kind, _)| *kind == TokenKind::Atom).map(|(_, span)| span);
    let last =
        atoms.filter(letters).filter(|atom| source.slice(Span::new(span.start, atom.start)).contains('\n')).last();
    last.map(|atom| (atom.range(), "changed-here"))
}

/// Checks that the label of a form is an address of it, and that a definition is preferred to forms that only mention
/// its name.
fn addressed(file: &Path, source: &Source<'_>) {
    let line = |id: FormId| source.lines.line(source.forms.get(id).outer.start);
    let candidates = |name: &str| match locate(source, &Target { name: Some(name), ..Target::default() }) {
        Ok(id) => vec![line(id)],
        Err(EditRefusal::FormAmbiguous { candidates, .. }) => candidates.iter().map(|form| form.line).collect(),
        Err(_) => Vec::new(),
    };
    for (id, form) in source.forms.iter() {
        let (place, label) = (format!("{}:{}", file.display(), line(id)), form.label(source.text));
        let found = candidates(&label);
        assert!(label.is_empty() || found.contains(&line(id)), "{place}: `{label}` leads to lines {found:?}");
        let Some(name) = form.name.as_deref().filter(|_| form.kind.defines()) else { continue };
        let found = candidates(name);
        let defines = |at: &u32| source.forms.iter().any(|(id, form)| form.kind.defines() && line(id) == *at);
        assert!(found.iter().all(defines), "{place}: `{name}` leads to lines {found:?}");
    }
}

/// An address that means this form alone.
fn address<'s>(source: &'s Source<'_>, id: FormId) -> Option<Target<'s>> {
    let form = source.forms.get(id);
    let line = Some(source.lines.line(form.outer.start));
    let name = form.name.as_deref();
    [None, Some(1), Some(2), Some(3)]
        .into_iter()
        .map(|index| Target { name, form_type: None, index, line })
        .find(|target| locate(source, target) == Ok(id))
}
