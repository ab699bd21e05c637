//! What code can have from other spaces by a name, and where it is defined instead.

use lispwright_index::{Import, ImportKind, LibraryNames, Provide, Provided, Symbol, UseKind};
use lispwright_syntax::{FormKind, edit_distance, nearest};

use super::Search;
use crate::identity::near_it;
use crate::modules;
use crate::names::Sort;

/// A name of another module is near one that differs from it in a letter, and in one more for so many letters.
const LETTERS_FOR_ONE: usize = 10;

impl Search<'_, '_, '_> {
    /// A library gives the name to code of a space.
    pub(super) fn is_of_library(&self, space: &str, name: &str) -> bool {
        let question = self.file.question;
        question.imports_of(space).any(|import| {
            let theirs = import.theirs(name).filter(|_| import.only.is_none());
            theirs.is_some_and(|theirs| question.library_exports(&import.from).is_some_and(|all| all.contains(theirs)))
        })
    }

    /// All that code of a space can have from elsewhere by the name is known.
    pub(super) fn is_closed(&mut self, home: &str, symbol: &Symbol, written: &str) -> bool {
        match self.words.by_macros {
            true => self.is_without(home, written),
            false => symbol.space == home && self.file.question.has_space(home) && self.imports_are_known(home),
        }
    }

    /// No module gives code of `home` the name: not the one that it is written in, nor those that it requires or stands in.
    pub(super) fn is_without(&mut self, home: &str, name: &str) -> bool {
        let question = self.file.question;
        let mut waiting = vec![home];
        let (mut seen, mut has_language) = (Vec::new(), false);
        while let Some(space) = waiting.pop() {
            if !question.has_space(space) || !self.file.is_of_racket(space) {
                return false;
            }
            seen.push(space);
            if question.declarations(space).any(|one| one.imports_more) {
                return false;
            }
            for import in question.declarations(space).flat_map(|one| &one.imports) {
                has_language |= import.kind == ImportKind::Language;
                if import.kind == ImportKind::Inside {
                    waiting.push(&import.from);
                    continue;
                }
                let Some(theirs) = import.theirs(name) else { continue };
                let is_without = import.only.is_none()
                    && !import.is_conditional
                    && match question.has_space(&import.from) {
                        true => self.gives_not_out(&import.from, theirs),
                        false => question.library_exports(&import.from).is_some_and(|all| !all.contains(theirs)),
                    };
                if !is_without {
                    return false;
                }
            }
        }
        has_language && !seen.iter().any(|space| self.makers.may_be_conjured(space, name))
    }

    /// A module of the project does not give out the name, nor may a macro in it do so.
    pub(super) fn gives_not_out(&mut self, space: &str, name: &str) -> bool {
        let question = self.file.question;
        let gives_all = |provide: &Provide| matches!(provide.what, Provided::Defined);
        let gives_all = question.declarations(space).flat_map(|one| &one.provides).any(gives_all);
        self.file.is_of_racket(space)
            && question.gives_out(space, name) == Some(false)
            && self.makers.exports_are_written(space)
            && !(gives_all && self.makers.may_be_conjured(space, name))
    }

    /// All names that code of a space can have from elsewhere are known.
    pub(super) fn imports_are_known(&self, space: &str) -> bool {
        let question = self.file.question;
        let is_known = |import: &Import| {
            let is_project = || {
                question.has_space(&import.from)
                    && question.gives_out(&import.from, "").is_some()
                    && self.makers.exports_are_written(&import.from)
            };
            let is_named = import.only.is_some();
            is_named
                || is_project()
                || question.library_exports(&import.from).is_some()
                || self.words.libraries.split('\n').any(|known| known.trim() == import.from)
        };
        // A package without the names of the language has them from the macro that declares it.
        let has_language = self
            .words
            .libraries
            .split('\n')
            .take(2)
            .any(|known| question.imports_of(space).any(|import| import.from == known.trim()));
        question.has_space(space)
            && question.declarations(space).any(|one| !one.adds)
            && (has_language || self.words.separator != Some(":"))
            && question.imports_of(space).all(is_known)
    }

    /// Another space that defines the name, if code of `home` does not have it from there, and nothing else may define it.
    pub(super) fn elsewhere(&self, home: &str, name: &str, sort: Sort) -> Option<String> {
        let question = self.file.question;
        let gives = |import: &Import| {
            let theirs = import.theirs(name).filter(|_| question.has_space(&import.from));
            theirs.is_some_and(|theirs| question.gives_out(&import.from, theirs) != Some(false))
        };
        if question.gives_out(home, name) != Some(false) || question.imports_of(home).any(gives) {
            return None;
        }
        let mut found = None;
        for hit in question.named(name).filter(|hit| !self.makers.is_mere_use(hit)) {
            if self.makers.is_of_other_sort(&hit, name, sort) {
                continue;
            }
            let form = hit.form()?;
            match hit.used.kind {
                UseKind::Export if form.kind == FormKind::Package => {}
                UseKind::Definition if self.makers.is_clear(hit.document, form) => {
                    let space = hit.document.facts.space_at(hit.used.start);
                    if !question.has_space(space) || question.is_same_space(space, home) {
                        return None;
                    }
                    found.get_or_insert_with(|| space.to_owned());
                }
                _ => return None,
            }
        }
        found
    }

    /// The name that is nearest to it of those that the space defines.
    pub(super) fn near(&self, space: &str, name: &str) -> String {
        if let Some(module) = modules::racket_module(name).filter(|_| self.words.by_macros) {
            return format!(" here; module `{module}` does");
        }
        let documents = match self.words.by_prefix {
            true => vec![self.file.document],
            false => self.file.question.documents_in(space),
        };
        let own = documents.iter().flat_map(|document| &document.facts.definitions).map(|one| one.name.as_str());
        match nearest(name, own.filter(|one| *one != name), 1).pop() {
            Some(near) => near_it(&lispwright_index::spelled(self.file.dialect(), &near)),
            None if self.words.by_macros => self.near_of_modules(space, name).unwrap_or_default(),
            None => String::new(),
        }
    }

    /// The name that differs from it in a letter or two, of those that code of the module has from others, or could have from
    /// a module of the language.
    fn near_of_modules(&self, space: &str, name: &str) -> Option<String> {
        let question = self.file.question;
        let from = || question.imports_of(space).filter(|one| one.only.is_none() && one.prefix.is_empty());
        let of_libraries: Vec<LibraryNames> = from().filter_map(|one| question.library_exports(&one.from)).collect();
        let of_project = from().flat_map(|one| {
            let definitions = question.documents_in(&one.from).into_iter().flat_map(|one| &one.facts.definitions);
            definitions.map(|one| one.name.as_str()).filter(|name| question.gives_out(&one.from, name) == Some(true))
        });
        let all = of_libraries.iter().flat_map(|all| all.iter()).map(String::as_str).chain(of_project);
        let few = 1 + name.len() / LETTERS_FOR_ONE;
        let is_near = |near: &String| edit_distance(name, near) <= few;
        let not_asked_for = || {
            let near = nearest(name, modules::racket_names(), 1).pop().filter(is_near)?;
            let module = modules::racket_module(&near)?;
            Some(format!("{} of module `{module}`", near_it(&near)))
        };
        nearest(name, all, 1).pop().filter(is_near).map(|near| near_it(&near)).or_else(not_asked_for)
    }
}
