//! What is certain of a name that no file defines: who could still define it.

use crate::index::Document;
use crate::question::UseIndex;
use crate::space::{Import, Provided, Space};

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
        let mut waiting = vec![space];
        let mut seen = Vec::new();
        while let Some(space) = waiting.pop() {
            let home = self.spaces.proper(space);
            if seen.contains(&home) {
                continue;
            }
            seen.push(home);
            let mut declared = self.declarations(home).peekable();
            declared.peek()?;
            for one in declared {
                if one.exports_more || one.imports.iter().any(|import| import.is_conditional) {
                    return None;
                }
                let again = one.imports.iter().filter(|import| import.reexports && import.only.is_none());
                waiting.extend(again.map(|import| import.from.as_str()));
                for provide in &one.provides {
                    match &provide.what {
                        Provided::From(from) => waiting.push(from),
                        Provided::Defined | Provided::Structure(_) => {}
                    }
                }
            }
        }
        Some(self.spaces.exports(self.spaces.proper(space), name))
    }
}
