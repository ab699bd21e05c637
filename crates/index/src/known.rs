//! What is certain of a name that no file defines: who could still define it.

use rustc_hash::FxHashSet;

use crate::facts::Definition;
use crate::index::Document;
use crate::notes::is_symbol;
use crate::question::UseIndex;
use crate::resolve::Symbol;
use crate::space::common_lisp::is_of_language;
use crate::space::{Import, Provided, Space};

/// Packages of libraries that give on the names of the language.
const FACADES: &[&str] = &["c2cl", "uiop/cl"];

impl<'i> UseIndex<'i> {
    /// The declarations of a space, with those that add to it.
    pub fn declarations<'a>(&'a self, space: &'a str) -> impl Iterator<Item = &'i Space> {
        self.spaces.by_name.get(self.spaces.proper(space)).into_iter().flatten().copied()
    }

    /// The imports of a space.
    pub fn imports_of<'a>(&'a self, space: &'a str) -> impl Iterator<Item = &'i Import> {
        self.declarations(space).flat_map(|one| &one.imports)
    }

    /// The project declares the space.
    pub fn has_space(&self, space: &str) -> bool {
        self.declares(space)
    }

    /// Both names are of one space: nicknames count as the name.
    pub fn is_same_space(&self, one: &str, other: &str) -> bool {
        self.spaces.proper(one) == self.spaces.proper(other)
    }

    /// The files with code in a space.
    pub fn documents_in(&self, space: &str) -> Vec<&'i Document> {
        let space = self.spaces.proper(space);
        let is_in = |document: &&&'i Document| {
            self.spaces.proper(&document.facts.file) == space
                || document.facts.current.iter().any(|(_, current)| self.spaces.proper(current) == space)
        };
        self.documents().iter().filter(is_in).copied().collect()
    }

    /// The space gives out the name; `None` if the project does not show all that it gives out.
    pub fn gives_out(&self, space: &str, name: &str) -> Option<bool> {
        // Words of clauses are no names in code, so that no definition of one is known: `(define else #t)`.
        if !name.is_empty() && !is_symbol(self.dialect(), name) {
            return None;
        }
        let mut waiting = vec![space];
        let mut seen = Vec::new();
        while let Some(space) = waiting.pop() {
            let home = self.spaces.proper(space);
            if seen.contains(&home) {
                continue;
            }
            seen.push(home);
            let mut declared = self.declarations(home).peekable();
            if declared.peek().is_none() {
                if self.library_exports(space)?.contains(name) {
                    return Some(true);
                }
                continue;
            }
            for one in declared {
                if one.exports_more || one.exports_apart || one.imports.iter().any(|import| import.is_conditional) {
                    return None;
                }
                let again = one.imports.iter().filter(|import| import.reexports && import.only.is_none());
                for import in again {
                    // Names of libraries are not known under other names.
                    if !self.has_space(&import.from) && import.theirs(name) != Some(name) {
                        return None;
                    }
                    waiting.push(&import.from);
                }
                for provide in &one.provides {
                    match &provide.what {
                        Provided::From(from) => {
                            if !provide.prefix.is_empty() && !self.has_space(from) {
                                return None;
                            }
                            waiting.push(from);
                        }
                        Provided::Structure(name) if !self.shows_names(home, name) => return None,
                        Provided::Defined | Provided::Structure(_) => {}
                    }
                }
            }
        }
        Some(self.spaces.exports(self.spaces.proper(space), name))
    }

    /// A form of the space itself shows the names of a structure: it is not one of another module, nor made by a macro.
    fn shows_names(&self, space: &str, structure: &str) -> bool {
        let definitions = self.definitions(&Symbol { space: space.to_owned(), name: structure.to_owned() });
        let is_shown = |(document, one): &(&Document, &Definition)| {
            let row = &document.facts.forms[one.form as usize];
            let options = ["#:name", "#:constructor-name", "#:extra-"];
            !one.made
                && matches!(row.head.as_str(), "struct" | "define-struct")
                && !options.iter().any(|option| document.text[row.span.range()].contains(option))
        };
        definitions.iter().any(is_shown)
    }

    /// Code in a space has this name of the language, which nothing there defines. A package that uses no package of the
    /// language has only what it imports (CLHS, `defpackage`): in one for Coalton, `let` is another form.
    pub fn gets_from_language(&self, space: &str, name: &str) -> bool {
        if !self.spaces.imports_first || !self.has_space(space) {
            return true;
        }
        let mut declared = self.declarations(space);
        if declared.any(|one| one.imports.is_empty()) {
            return true;
        }
        let is_named = |import: &Import| import.only.iter().flatten().any(|(_, ours)| ours == name);
        if self.imports_of(space).any(|import| is_named(import) && is_of_language(&import.from)) {
            return true;
        }
        let all_of = |import: &&Import| import.only.is_none();
        // What a package computes that it gives out is that of the language, unless the project has one of the name.
        let has_no_other = || self.definitions_named(name).next().is_none();
        let mut waiting: Vec<&str> = self.imports_of(space).filter(all_of).map(|import| import.from.as_str()).collect();
        let mut seen = FxHashSet::default();
        while let Some(from) = waiting.pop() {
            let is_of_library = !self.has_space(from);
            let is_facade = || from.contains("common-lisp") || FACADES.contains(&from);
            if (is_of_library && (is_of_language(from) || is_facade()))
                || (has_no_other() && self.declarations(from).any(|one| one.exports_more))
                || self.spaces.exports(self.spaces.proper(from), name)
            {
                return true;
            }
            if seen.insert(from) {
                let again = self.imports_of(from).filter(all_of).filter(|import| import.reexports);
                waiting.extend(again.map(|import| import.from.as_str()));
            }
        }
        false
    }
}
