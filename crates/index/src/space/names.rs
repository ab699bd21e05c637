//! Sets of imported names, which Scheme and Racket make of one another.

use super::Import;

/// A set of imported names, as imports of one module.
pub(super) struct Set {
    pub(super) imports: Vec<Import>,
}

impl Set {
    /// Only these names, as pairs of theirs and ours.
    pub(super) fn select(&mut self, pairs: Vec<(String, String)>) {
        for import in &mut self.imports {
            import.only = Some(pairs.clone());
        }
    }

    /// Only the names that are `names` in the set.
    pub(super) fn only(&mut self, names: Vec<String>) {
        for import in &mut self.imports {
            let theirs = |name: &String| Some((import.theirs(name)?.to_owned(), name.clone()));
            import.only = Some(names.iter().filter_map(theirs).collect());
            import.prefix.clear();
        }
    }

    pub(super) fn except(&mut self, names: &[String]) {
        for import in &mut self.imports {
            let theirs: Vec<String> = names.iter().filter_map(|name| import.theirs(name)).map(str::to_owned).collect();
            match &mut import.only {
                Some(only) => {
                    let prefix = import.prefix.clone();
                    only.retain(|(_, ours)| !names.iter().any(|name| *name == format!("{prefix}{ours}")));
                }
                None => import.except.extend(theirs),
            }
        }
    }

    /// Pairs of names in the set and their new names.
    pub(super) fn rename(&mut self, pairs: Vec<(String, String)>) {
        let mut renamed = Vec::new();
        for import in &self.imports {
            let theirs = |(old, new): &(String, String)| Some((import.theirs(old)?.to_owned(), new.clone()));
            let only: Vec<(String, String)> = pairs.iter().filter_map(theirs).collect();
            renamed.push(Import { only: Some(only), ..Import::all(import.from.clone()) });
        }
        self.except(&pairs.into_iter().map(|(old, _)| old).collect::<Vec<_>>());
        self.imports.extend(renamed);
    }

    pub(super) fn prefix(&mut self, prefix: &str) {
        for import in &mut self.imports {
            import.prefix = format!("{prefix}{}", import.prefix);
        }
    }
}
