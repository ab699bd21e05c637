//! The new name: what it may be, and how it is written in a place.

use lispwright_index::{is_name, plain_name};
use lispwright_syntax::{Language, TokenKind, read};

use crate::refusal::RenameRefusal;

/// A name to be given.
#[derive(Clone, Debug)]
pub(crate) struct NewName {
    /// As the reader interns it.
    pub(crate) canonical: String,
    /// As it is written in code.
    pub(crate) written: String,
    folds_case: bool,
}

impl NewName {
    /// The name that a caller writes.
    ///
    /// Errors: it is not one symbol that can be the name of a function or variable.
    pub(crate) fn new(written: &str, language: &Language) -> Result<Self, RenameRefusal> {
        let bad = |why| RenameRefusal::BadName { why };
        let dialect = language.dialect();
        let tree = read(written, language.clone());
        let mut tokens = tree.tokens();
        let is_one =
            tree.is_balanced() && tokens.len() == 1 && tokens.next().is_some_and(|(kind, _)| kind == TokenKind::Atom);
        if !is_one {
            return Err(bad("it does not read as one symbol"));
        }
        if !is_name(dialect, written) {
            return Err(bad("it reads as a number, a keyword, a constant or a part of the syntax"));
        }
        let Some(canonical) = plain_name(dialect, written).filter(|name| !name.is_empty()) else {
            return Err(bad("it has a package or namespace; the name stays in its own"));
        };
        let head = lispwright_syntax::name::canonical_head(dialect, written);
        if dialect.special_form(&head).is_some() || dialect.knows_definer(&head) {
            return Err(bad("forms that begin with it are read in a way of their own"));
        }
        Ok(Self { canonical, written: written.to_owned(), folds_case: dialect.folds_case() })
    }

    /// A name that a definition derives from `main`.
    pub(crate) fn derived(canonical: String, main: &Self) -> Self {
        let around = canonical.split_once(&main.canonical);
        let spelled = |part: &str| if main.folds_case { part.to_lowercase() } else { part.to_owned() };
        let written = match around {
            Some((before, after)) => format!("{}{}{}", spelled(before), main.written, spelled(after)),
            None => spelled(&canonical),
        };
        Self { canonical, written, folds_case: main.folds_case }
    }

    /// The name in the place of `old`, a symbol without its qualifier.
    pub(crate) fn instead_of(&self, old: &str) -> String {
        let is_loud = self.folds_case && !old.contains('|') && old == old.to_uppercase() && old != old.to_lowercase();
        if is_loud && !self.written.contains(['|', '\\']) { self.written.to_uppercase() } else { self.written.clone() }
    }

    /// The name in the place of the word `old` of a comment or string.
    pub(crate) fn in_prose(&self, old: &str) -> String {
        self.instead_of(old)
    }
}
