//! The files of a project and which of them use which: the order in which they are loaded.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lispwright_syntax::Dialect;
use rustc_hash::FxHashMap;

use crate::dialects::rules;
use crate::index::{Document, Index};
use crate::links::{Link, Thing, Tie};
use crate::resolve::{Referent, Symbol, included_file};

/// Files, each with those that it uses. Who uses a file has to be loaded after it.
#[derive(Clone, Debug, Default)]
pub struct FileOrder {
    numbers: FxHashMap<PathBuf, usize>,
    paths: Vec<PathBuf>,
    uses: Vec<Vec<usize>>,
}

impl FileOrder {
    fn number(&mut self, path: &Path) -> usize {
        if let Some(&number) = self.numbers.get(path) {
            return number;
        }
        self.numbers.insert(path.to_owned(), self.paths.len());
        self.paths.push(path.to_owned());
        self.uses.push(Vec::new());
        self.paths.len() - 1
    }

    /// Notes that one file uses another.
    pub fn add(&mut self, user: &Path, used: &Path) {
        let (user, used) = (self.number(user), self.number(used));
        if user != used && !self.uses[user].contains(&used) {
            self.uses[user].push(used);
        }
    }

    /// The files, and all that they use.
    pub fn used_by<'p>(&self, files: impl IntoIterator<Item = &'p Path>) -> HashSet<PathBuf> {
        self.reached(files, &self.uses)
    }

    /// The files, and all that use them.
    pub fn users_of<'p>(&self, files: impl IntoIterator<Item = &'p Path>) -> HashSet<PathBuf> {
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.paths.len()];
        for (user, uses) in self.uses.iter().enumerate() {
            uses.iter().for_each(|&used| users[used].push(user));
        }
        self.reached(files, &users)
    }

    /// The files that use one of the given files and are used by it, also through others.
    pub fn circles_of<'p>(&self, files: impl IntoIterator<Item = &'p Path>) -> HashSet<PathBuf> {
        let mut found = HashSet::new();
        for file in files {
            let used = self.used_by([file]);
            found.extend(self.users_of([file]).into_iter().filter(|user| used.contains(user)));
        }
        found
    }

    fn reached<'p>(&self, files: impl IntoIterator<Item = &'p Path>, steps: &[Vec<usize>]) -> HashSet<PathBuf> {
        let mut found: HashSet<PathBuf> = HashSet::new();
        let mut waiting: Vec<usize> = Vec::new();
        for file in files {
            if found.insert(file.to_owned()) {
                waiting.extend(self.numbers.get(file).copied());
            }
        }
        while let Some(at) = waiting.pop() {
            for &next in &steps[at] {
                if found.insert(self.paths[next].clone()) {
                    waiting.push(next);
                }
            }
        }
        found
    }

    /// The files, each after those of them that it uses, and otherwise in the given order. Of files that use each other
    /// in a circle, the first stays behind the others.
    pub fn ordered(&self, files: &[PathBuf]) -> Vec<PathBuf> {
        let given: FxHashMap<usize, usize> =
            files.iter().enumerate().filter_map(|(at, file)| Some((*self.numbers.get(file)?, at))).collect();
        let mut is_seen = vec![false; files.len()];
        let mut ordered = Vec::with_capacity(files.len());
        for start in 0..files.len() {
            if std::mem::replace(&mut is_seen[start], true) {
                continue;
            }
            // A file waits below those that it uses; the second of the pair is the next of them to look at.
            let mut waiting = vec![(start, 0)];
            while let Some((at, next)) = waiting.pop() {
                let uses = self.numbers.get(&files[at]).map_or(&[][..], |&number| &self.uses[number]);
                let Some(used) = uses.get(next) else {
                    ordered.push(files[at].clone());
                    continue;
                };
                waiting.push((at, next + 1));
                if let Some(&used) = given.get(used)
                    && !std::mem::replace(&mut is_seen[used], true)
                {
                    waiting.push((used, 0));
                }
            }
        }
        ordered
    }
}

impl Index {
    /// Which files of a dialect use which: they import what another declares, are in a package that another declares, write
    /// its name before another, include it, or load it or a feature that it provides.
    pub fn file_order(&self, dialect: Dialect) -> FileOrder {
        let documents = self.of_dialect(dialect);
        let mut declared: FxHashMap<&str, Vec<&Path>> = FxHashMap::default();
        for document in &documents {
            for space in document.facts.spaces.iter().filter(|space| !space.adds && !space.is_file()) {
                for name in std::iter::once(&space.name).chain(&space.nicknames) {
                    declared.entry(name).or_default().push(&document.path);
                }
            }
        }
        let provided = |document: &&Document, name: &str| {
            let provides = |link: &Link| link.thing == Thing::Feature && link.tie == Tie::Provides && link.name == name;
            document.facts.links.iter().any(provides)
        };
        let mut order = parts(&documents);
        for document in &documents {
            for link in document.facts.links.iter().filter(|link| link.tie == Tie::Loads) {
                let file = match link.thing {
                    Thing::Feature => {
                        let is_called = |one: &&&Document| one.path.file_stem().is_some_and(|stem| *stem == *link.name);
                        let called = documents.iter().find(is_called);
                        called.or_else(|| documents.iter().find(|one| provided(one, &link.name))).copied()
                    }
                    Thing::File => included_file(&documents, document, &link.name),
                    Thing::Space | Thing::System => None,
                };
                if let Some(file) = file {
                    order.add(&document.path, &file.path);
                }
            }
            let imported = document.facts.spaces.iter().flat_map(|space| &space.imports).map(|import| &import.from);
            let entered = document.facts.current.iter().map(|(_, space)| space);
            let qualifiers = document.qualifiers();
            for path in
                imported.chain(entered).chain(&qualifiers).filter_map(|space| declared.get(space.as_str())).flatten()
            {
                order.add(&document.path, path);
            }
        }
        order
    }

    /// Those of the files `among` that define what a file uses, directly or through others of them, though it may not say
    /// that it needs them. A name that is not defined where it should be is that of any file.
    pub fn named_by(&self, dialect: Dialect, file: &Path, among: &[&Path]) -> HashSet<PathBuf> {
        let question = self.question(dialect);
        let mut named = HashSet::new();
        let mut waiting = vec![file];
        while let Some(document) = waiting.pop().and_then(|file| self.document(file)) {
            let used = document.facts.uses.iter().filter(|used| question.counts(document, **used));
            let meant = used.map(|used| match question.meaning(document, *used) {
                Referent::Is(symbol) | Referent::Unknown(symbol) => symbol,
            });
            for symbol in meant.collect::<HashSet<Symbol>>() {
                let mut defined = question.definitions(&symbol);
                if defined.is_empty() {
                    defined = question.definitions_named(&symbol.name).collect();
                }
                let paths = defined.into_iter().map(|(document, _)| document.path.as_path());
                let new = paths.filter(|path| *path != file && among.contains(path));
                waiting.extend(new.filter(|path| named.insert(path.to_path_buf())));
            }
        }
        named
    }

    /// The files that a file uses by this order, and those with further code in the packages of these: it is not said which
    /// files define what a package exports.
    pub fn needed_by(&self, dialect: Dialect, order: &FileOrder, file: &Path) -> HashSet<PathBuf> {
        let mut needed = order.used_by([file]);
        if rules(dialect).files_name_others {
            return needed;
        }
        let documents = self.of_dialect(dialect);
        let spaces = documents.iter().flat_map(|one| &one.facts.spaces).filter(|space| !space.is_file());
        let declared: HashSet<&String> = spaces.map(|space| &space.name).collect();
        let packages = |document: &Document| -> Vec<String> {
            let current = document.facts.current.iter().map(|(_, space)| space);
            current.filter(|space| declared.contains(space)).cloned().collect()
        };
        let mut seen: HashSet<String> = HashSet::new();
        loop {
            let used = documents.iter().filter(|one| one.path != file && needed.contains(&one.path));
            let before = seen.len();
            seen.extend(used.flat_map(|one| packages(one)));
            if seen.len() == before {
                return needed;
            }
            let inside = documents.iter().filter(|one| packages(one).iter().any(|package| seen.contains(package)));
            let inside: Vec<&Path> = inside.map(|one| one.path.as_path()).filter(|path| *path != file).collect();
            needed.extend(order.used_by(inside));
        }
    }

    /// Which files of a dialect include which.
    pub fn file_parts(&self, dialect: Dialect) -> FileOrder {
        parts(&self.of_dialect(dialect))
    }

    /// The files of a dialect, by their paths.
    fn of_dialect(&self, dialect: Dialect) -> Vec<&Document> {
        let mut documents: Vec<&Document> = self.documents().filter(|one| one.dialect == dialect).collect();
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        documents
    }
}

fn parts(documents: &[&Document]) -> FileOrder {
    let mut order = FileOrder::default();
    for document in documents {
        for (_, included) in &document.facts.included {
            if let Some(part) = included_file(documents, document, included) {
                order.add(&document.path, &part.path);
            }
        }
    }
    order
}

/// What the names of files with the tests of a feature have around its name.
const OF_TESTS: [(&str, &str); 3] = [("", "-test"), ("", "-tests"), ("test-", "")];

impl Index {
    /// The files of a dialect that provide a feature or are called like it, and those with its tests; none where files are
    /// no features.
    pub fn files_of_feature(&self, dialect: Dialect, name: &str) -> Vec<PathBuf> {
        if !rules(dialect).files_are_features {
            return Vec::new();
        }
        let provides = |link: &Link| link.thing == Thing::Feature && link.tie == Tie::Provides && link.name == name;
        let is_called = |stem: &str| {
            let inner = |(before, after): &(&str, &str)| stem.strip_prefix(before)?.strip_suffix(after);
            stem == name || OF_TESTS.iter().any(|around| inner(around) == Some(name))
        };
        let is_it = |document: &&Document| {
            let stem = document.path.file_stem().and_then(|stem| stem.to_str());
            stem.is_some_and(is_called) || document.facts.links.iter().any(provides)
        };
        let own = self.documents().filter(|one| one.dialect == dialect).filter(is_it);
        own.map(|document| document.path.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(edges: &[(&str, &str)]) -> FileOrder {
        let mut order = FileOrder::default();
        edges.iter().for_each(|(user, used)| order.add(Path::new(user), Path::new(used)));
        order
    }

    fn names(paths: impl IntoIterator<Item = PathBuf>) -> Vec<String> {
        paths.into_iter().map(|path| path.display().to_string()).collect()
    }

    fn sorted(paths: impl IntoIterator<Item = PathBuf>) -> Vec<String> {
        let mut names = names(paths);
        names.sort();
        names
    }

    #[test]
    fn files_come_after_those_that_they_use() {
        let order = order(&[("c", "b"), ("b", "a"), ("d", "a"), ("x", "y")]);
        let given = ["d", "c", "a", "b"].map(PathBuf::from);
        assert_eq!(names(order.ordered(&given)), ["a", "d", "b", "c"]);
        assert_eq!(sorted(order.used_by([Path::new("c")])), ["a", "b", "c"]);
        assert_eq!(sorted(order.users_of([Path::new("a")])), ["a", "b", "c", "d"]);
        assert_eq!(sorted(order.users_of([Path::new("unknown")])), ["unknown"]);
    }

    #[test]
    fn a_circle_has_an_order_too() {
        let order = order(&[("a", "b"), ("b", "c"), ("c", "a")]);
        assert_eq!(names(order.ordered(&["a", "b", "c"].map(PathBuf::from))), ["c", "b", "a"]);
        assert_eq!(sorted(order.users_of([Path::new("b")])), ["a", "b", "c"]);
    }

    #[test]
    fn a_circle_is_what_uses_a_file_and_is_used_by_it() {
        let order = order(&[("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("c", "e")]);
        assert_eq!(sorted(order.circles_of([Path::new("b")])), ["a", "b", "c"]);
        assert_eq!(sorted(order.circles_of([Path::new("e")])), ["e"]);
    }
}
