//! What a compiler would say of Lisp source, before anything runs: from the files alone, in every dialect.
//!
//! A [`Rule`] is an object with its documentation and examples; [`rules::ALL`] lists them, a file each. [`lint`] shows
//! each rule each [`File`], with the index of the project that the file belongs to, and gathers what the rules find as
//! [`Finding`]s. A rule that is not sure is silent: what a macro of unknown shape does with its arguments is not judged.

mod bodies;
mod bound;
mod calls;
mod chosen;
mod code;
mod control;
mod declared_options;
mod dialects;
mod file;
mod finding;
mod formatting;
mod host;
mod identity;
mod imports;
pub mod kondo;
mod local;
mod local_calls;
mod macro_made;
mod makers;
mod misspelt;
mod modules;
mod names;
mod operators;
mod part;
mod platform;
mod rule;
pub mod rules;
mod shape;
mod structures;
mod suppress;
mod syntax_rules;
mod word_table;

pub use chosen::Chosen;
pub use code::{CodeForm, CodeForms};
pub use file::File;
pub use finding::{Finding, Findings, Remedy, Severity};
pub use identity::{Identity, lasting, new_since};
pub use part::JudgedPart;
pub use platform::is_of_another_host;
pub use rule::{About, Example, Rule};

use lispwright_index::{Document, UseIndex};

/// What `rules` find in one file of `question`, in the order of their places. A file that does not balance is judged in
/// its sound top-level forms.
pub fn lint<'i>(question: &UseIndex<'i>, document: &'i Document, rules: &[&dyn Rule]) -> Vec<Finding> {
    examine(&File::new(question, document), rules)
}

fn examine(file: &File<'_, '_>, rules: &[&dyn Rule]) -> Vec<Finding> {
    let mut findings = Findings::default();
    let is_code = !file.document.is_data();
    for rule in rules.iter().filter(|rule| is_code && rule.about().dialects.contains(&file.dialect())) {
        findings.begin(rule.about());
        rule.check(file, &mut findings);
    }
    findings.retain(|one| !file.is_not_compiled(one.span));
    suppress::apply(file, rules, &mut findings);
    if file.part.is_some() {
        let is_of_file = |code: &str| rules.iter().any(|rule| rule.about().code == code && rule.needs_file());
        findings.retain(|one| file.is_judged(one.span.start) || is_of_file(one.rule));
    }
    findings.finish(file)
}
