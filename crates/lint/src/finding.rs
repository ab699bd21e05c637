//! What a rule found.

use lispwright_syntax::Span;

use crate::file::File;
use crate::rule::About;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// It fails when it is compiled or run.
    Error,
    /// It is a mistake, or code that does nothing.
    Warning,
    /// It could be better.
    Hint,
}

impl Severity {
    /// The level with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Error, Self::Warning, Self::Hint].into_iter().find(|level| level.name() == name)
    }

    /// Its name in answers and configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

/// A change that is safe: the text of some bytes of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The bytes that it replaces.
    pub span: Span,
    /// Their new text.
    pub text: String,
}

/// What a rule found at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The code of the rule.
    pub rule: &'static str,
    /// Its level.
    pub severity: Severity,
    /// Where it is, in bytes: the name, argument or clause that is wrong, never a whole definition.
    pub span: Span,
    /// What is wrong, with the names and numbers of this case: a sentence without its full stop.
    pub message: String,
    /// The label of the innermost form around it that the index lists, such as `defun area`; empty where there is none.
    pub form: String,
    /// The one safe change that removes it.
    pub remedy: Option<Remedy>,
}

/// Gathers findings.
#[derive(Default)]
pub struct Findings {
    current: Option<&'static About>,
    found: Vec<Finding>,
}

impl Findings {
    /// What is added from here on is of this rule.
    pub(crate) fn begin(&mut self, about: &'static About) {
        self.current = Some(about);
    }

    /// Adds a finding of the rule that is at work, at the rule's level.
    pub fn add(&mut self, span: Span, message: impl Into<String>) {
        self.push(span, message.into(), None);
    }

    /// The same with a safe change.
    pub fn add_with_remedy(&mut self, span: Span, message: impl Into<String>, remedy: Remedy) {
        self.push(span, message.into(), Some(remedy));
    }

    fn push(&mut self, span: Span, message: String, remedy: Option<Remedy>) {
        if let Some(about) = self.current {
            let (rule, severity, form) = (about.code, about.severity, String::new());
            self.found.push(Finding { rule, severity, span, message, form, remedy });
        }
    }

    /// Something is told of the name at the place.
    pub(crate) fn has(&self, span: Span) -> bool {
        self.found.iter().any(|one| one.span == span)
    }

    /// Takes out what is not to be kept.
    pub(crate) fn retain(&mut self, is_kept: impl FnMut(&Finding) -> bool) {
        self.found.retain(is_kept);
    }

    /// What was found outside of broken forms, in the order of places.
    pub(crate) fn finish(mut self, file: &File<'_, '_>) -> Vec<Finding> {
        self.found.retain(|one| !file.is_broken(one.span));
        self.found.sort_by(|a, b| (a.span.start, a.rule).cmp(&(b.span.start, b.rule)));
        self.found.dedup();
        let facts = &file.document.facts;
        for one in &mut self.found {
            let form = facts.form_at(one.span.start).map(|at| &facts.forms[at as usize]);
            one.form = form.map_or(String::new(), |form| form.label.clone());
        }
        self.found
    }
}
