//! What is wrong in one file, as far as it can be told without its project: for a hook, which has some milliseconds.

use std::collections::BTreeSet;
use std::path::Path;

use lispwright_index::{Document, Index, UseIndex};
use lispwright_lint::{JudgedPart, new_since};
use lispwright_syntax::Language;

use crate::lint_table::{configured_around, linting_in};
use crate::problems::Problem;
use crate::workspace::Workspace;

/// A larger file is not looked at, in bytes: it would take longer than all else that a hook does.
const LARGEST: usize = 64 << 10;

/// The problems of a file that it has with the text `now`, and had not with the text `before`. Only rules are asked that
/// need to know nothing of other files.
pub fn problems_alone(path: &Path, before: &str, now: &str, language: &Language) -> Vec<Problem> {
    let is_code = language.dialect().has_special_forms();
    if !is_code || now.len() > LARGEST || before == now {
        return Vec::new();
    }
    let root = configured_around(path);
    let linting = linting_in(&Workspace::anywhere(), root);
    if linting.is_silent_on_edits || path.strip_prefix(root).is_ok_and(|path| linting.excludes(path)) {
        return Vec::new();
    }
    let chosen = linting.chosen().alone();
    let (after, tree) = Index::alone(path, now.to_owned(), language.clone());
    let Some(document) = after.document(path).filter(|one| one.is_balanced) else { return Vec::new() };
    let question = after.question(document.dialect);
    let mut changed = JudgedPart::changed(document, before);
    if document.facts.spaces.iter().any(|space| changed.contains(space.at)) {
        changed = JudgedPart::whole(document);
    }
    let mut names = names_in(document, &changed);
    let judged = with_uses(changed, document, &question, &names);
    let found = chosen.findings_read(&question, document, &tree, &judged);
    if found.is_empty() {
        return Vec::new();
    }
    let (earlier, tree) = Index::alone(path, before.to_owned(), language.clone());
    let known = earlier.document(path).map(|one| {
        let question = earlier.question(one.dialect);
        let [changed, _] = JudgedPart::changed_both(one, document);
        names.extend(names_in(one, &changed));
        chosen.findings_read(&question, one, &tree, &with_uses(changed, one, &question, &names))
    });
    let new = new_since(known.as_deref().unwrap_or_default(), &found);
    new.into_iter().map(|finding| Problem::of(document, finding, root)).collect()
}

/// The names that a part of the file defines.
fn names_in<'d>(document: &'d Document, part: &JudgedPart) -> BTreeSet<&'d str> {
    let facts = &document.facts;
    let own = facts.definitions.iter().filter(|one| part.contains(facts.forms[one.form as usize].span.start));
    own.map(|one| one.name.as_str()).collect()
}

/// The part with the forms that use the names.
fn with_uses(part: JudgedPart, document: &Document, question: &UseIndex<'_>, names: &BTreeSet<&str>) -> JudgedPart {
    part.with(document, names.iter().flat_map(|name| question.named(name)).map(|hit| hit.used.start))
}
