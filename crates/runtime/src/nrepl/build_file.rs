//! What the build file of a Clojure project says literally, for a project whose tool is not installed: its directories and its
//! dependencies. Aliases and profiles count as far as they are for tests.

use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use lispwright_syntax::{Dialect, ListId, Tree, read};
use rustix::fs::OFlags;

/// The files of projects, the first of which counts.
const FILES: [&str; 3] = ["deps.edn", "project.clj", "bb.edn"];

/// The keys whose vectors list directories.
const PATHS: [&str; 5] = [":paths", ":extra-paths", ":source-paths", ":test-paths", ":resource-paths"];

/// The keys whose maps or vectors list dependencies.
const DEPENDENCIES: [&str; 3] = [":deps", ":extra-deps", ":dependencies"];

/// The number of bytes of a file that are read.
const MOST_READ: u64 = 1 << 20;

/// A build file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Build {
    /// Directories, relative to the project.
    pub(super) paths: Vec<String>,
    /// Directories of aliases and profiles for tests.
    pub(super) extra_paths: Vec<String>,
    /// Dependencies, in their order.
    pub(super) dependencies: Vec<Coordinate>,
}

/// A dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Coordinate {
    pub(super) group: String,
    pub(super) artifact: String,
    pub(super) from: Origin,
}

/// Where a dependency comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A version in a Maven repository; empty if it is not said.
    Maven(String),
    /// A commit, perhaps only its beginning.
    Git(String),
    /// A directory or jar, relative to the project.
    Local(String),
}

impl Build {
    /// The build file of the project at `root`; of one that only others depend on without its tests.
    pub(super) fn of(root: &Path, with_tests: bool) -> Self {
        let text = FILES.iter().find_map(|name| text_of(&root.join(name)));
        text.map(|text| Self::read(&text, with_tests)).unwrap_or_default()
    }

    fn read(text: &str, with_tests: bool) -> Self {
        let tree = read(text, Dialect::Clojure);
        let file = Edn { tree: &tree, text };
        let mut build = Self::default();
        // What a project of Leiningen is said with may be defined before it.
        let lists = || tree.top_level().filter_map(|datum| datum.list());
        let is_project = |list: &ListId| file.words(*list).next() == Some("defproject");
        let Some(top) = lists().find(is_project).or_else(|| lists().next()) else { return build };
        let entries = file.entries(top);
        let maps: Vec<(&str, ListId)> = entries
            .iter()
            .filter(|(key, _)| [":aliases", ":profiles"].contains(key))
            .flat_map(|(_, map)| file.entries(*map))
            .collect();
        build.take(&file, &entries, &maps, false);
        for (_, map) in maps.iter().filter(|(name, _)| with_tests && is_for_tests(name)) {
            build.take(&file, &file.entries(*map), &maps, true);
        }
        build
    }

    /// Adds what the `entries` of a map say; `named` are vectors of directories by keyword.
    fn take(&mut self, file: &Edn<'_>, entries: &[(&str, ListId)], named: &[(&str, ListId)], is_extra: bool) {
        // A keyword in a vector of directories names another one, which may lead back.
        let mut lists: Vec<ListId> =
            entries.iter().filter(|(key, _)| PATHS.contains(key)).map(|(_, list)| *list).collect();
        let mut next = 0;
        while let Some(list) = lists.get(next).copied() {
            next += 1;
            for word in file.words(list) {
                if let Some(name) = unquoted(word) {
                    let paths = if is_extra { &mut self.extra_paths } else { &mut self.paths };
                    paths.push(name.to_owned());
                } else if let Some((_, list)) = named.iter().find(|(name, _)| *name == word)
                    && !lists.contains(list)
                {
                    lists.push(*list);
                }
            }
        }
        for (key, list) in entries.iter().filter(|(key, _)| DEPENDENCIES.contains(key)) {
            let found = if *key == ":dependencies" { file.vectors(*list) } else { file.coordinates(*list) };
            self.dependencies.extend(found);
        }
    }
}

/// Whether an alias or profile of that name is for tests. Leiningen's profile `:dev` has the dependencies of tests.
fn is_for_tests(name: &str) -> bool {
    name.contains("test") || name == ":dev"
}

fn text_of(path: &Path) -> Option<String> {
    // It may not be a regular file: opening it must not wait.
    let mut options = std::fs::OpenOptions::new();
    let file = options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path).ok()?;
    let mut text = String::new();
    let is_file = file.metadata().ok()?.is_file();
    file.take(MOST_READ).read_to_string(&mut text).ok().filter(|_| is_file)?;
    Some(text)
}

/// A text in EDN.
struct Edn<'t> {
    tree: &'t Tree,
    text: &'t str,
}

impl<'t> Edn<'t> {
    /// The data of a list as words.
    fn words(&self, list: ListId) -> impl Iterator<Item = &'t str> {
        self.tree.data(list).map(|datum| &self.text[self.tree.datum_span(datum).range()])
    }

    /// The keywords and symbols in a list that are followed by a list, with that list.
    fn entries(&self, list: ListId) -> Vec<(&'t str, ListId)> {
        let data: Vec<_> = self.tree.data(list).collect();
        let pairs = data.windows(2).filter(|pair| pair[0].list().is_none());
        pairs.filter_map(|pair| Some((&self.text[self.tree.datum_span(pair[0]).range()], pair[1].list()?))).collect()
    }

    /// The value after `key` in a map, as a string.
    fn string(&self, map: ListId, key: &str) -> Option<String> {
        let words: Vec<&str> = self.words(map).collect();
        let pair = words.windows(2).find(|pair| pair[0] == key)?;
        unquoted(pair[1]).map(str::to_owned)
    }

    /// The dependencies in a map such as `{a/b {:mvn/version "1"}}`.
    fn coordinates(&self, map: ListId) -> Vec<Coordinate> {
        let coordinate = |(name, map): (&str, ListId)| {
            let git = || self.string(map, ":git/sha").or_else(|| self.string(map, ":sha"));
            let version = || self.string(map, ":mvn/version").map(Origin::Maven);
            let local = || self.string(map, ":local/root").map(Origin::Local);
            let from = version().or_else(local).or_else(|| git().map(Origin::Git))?;
            let (group, artifact) = name_of(name);
            Some(Coordinate { group, artifact, from })
        };
        self.entries(map).into_iter().filter_map(coordinate).collect()
    }

    /// The dependencies in a vector such as `[[a/b "1"]]`.
    fn vectors(&self, vector: ListId) -> Vec<Coordinate> {
        let coordinate = |list: ListId| {
            let mut words = self.words(list);
            let (group, artifact) = name_of(words.next()?);
            let version = words.next().and_then(unquoted).unwrap_or_default();
            Some(Coordinate { group, artifact, from: Origin::Maven(version.to_owned()) })
        };
        self.tree.data(vector).filter_map(|datum| datum.list()).filter_map(coordinate).collect()
    }
}

/// The group and the artifact of a name; a name without a group is both.
fn name_of(name: &str) -> (String, String) {
    // A classifier follows a dollar sign.
    let name = name.split('$').next().unwrap_or(name);
    let (group, artifact) = name.split_once('/').unwrap_or((name, name));
    (group.to_owned(), artifact.to_owned())
}

fn unquoted(word: &str) -> Option<&str> {
    word.strip_prefix('"')?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maven(group: &str, artifact: &str, version: &str) -> Coordinate {
        Coordinate { group: group.into(), artifact: artifact.into(), from: Origin::Maven(version.into()) }
    }

    #[test]
    fn aliases_count_as_far_as_they_are_for_tests() {
        let text = "{:paths [\"src/main/clojure\" :more #_\"gone\"] ; [\"no\"]
             :deps {org.clojure/data.json {:mvn/version \"2.4.0\"} hiccup {:mvn/version \"1.0.5\"}
                    my/near {:local/root \"../near\"} io.github.my/far {:git/tag \"v1\" :git/sha \"abc123\"}}
             :aliases {:more [\"src/more\"] :dev-tools {:extra-paths [\"dev\"] :extra-deps {no/thing {:mvn/version \"1\"}}}
                       :test {:extra-paths [\"test/clj\"] :extra-deps {test/check {:mvn/version \"3\"}}}
                       #_#_:test-old {:extra-paths [\"old\"]}}}";
        let build = Build::read(text, true);
        assert_eq!(build.paths, ["src/main/clojure", "src/more"]);
        assert_eq!(build.extra_paths, ["test/clj"]);
        let git = Coordinate { from: Origin::Git("abc123".into()), ..maven("io.github.my", "far", "") };
        let local = Coordinate { from: Origin::Local("../near".into()), ..maven("my", "near", "") };
        let [json, hiccup, check] =
            [("org.clojure", "data.json", "2.4.0"), ("hiccup", "hiccup", "1.0.5"), ("test", "check", "3")]
                .map(|(group, artifact, version)| maven(group, artifact, version));
        assert_eq!(build.dependencies, [json.clone(), hiccup.clone(), local.clone(), git.clone(), check]);
        assert_eq!(Build::read(text, false).dependencies, [json, hiccup, local, git]);
        assert_eq!(Build::read(text, false).extra_paths, Vec::<String>::new());
    }

    #[test]
    fn a_project_of_leiningen_names_them_in_vectors() {
        let text = "(defproject mill \"1.0\" :description \":paths\" :source-paths [\"src/clj\"] :test-paths ^:replace [\"t\"]
             :dependencies [[org.clojure/clojure \"1.11.1\"] [ring \"1.9\" :exclusions [a/b]]]
             :profiles {:dev {:source-paths [\"dev\"] :dependencies [[midje \"1.10\"]]} :uberjar {:source-paths [\"u\"]}})";
        let build = Build::read(text, true);
        assert_eq!(Build::read(&format!("(def version [\"1\"])\n{text}"), true), build);
        assert_eq!(
            (build.paths.as_slice(), build.extra_paths.as_slice()),
            (&["src/clj".to_owned(), "t".into()][..], &["dev".to_owned()][..])
        );
        let expected = [("org.clojure", "clojure", "1.11.1"), ("ring", "ring", "1.9"), ("midje", "midje", "1.10")];
        assert_eq!(build.dependencies, expected.map(|(group, artifact, version)| maven(group, artifact, version)));
        for odd in [
            "",
            "{:paths",
            "{:paths [\"a\" :paths]}",
            "{:paths :more :more}",
            "[:paths]",
            "{:aliases {:a [:b] :b [:a]} :paths [:a]}",
        ] {
            assert!(Build::read(odd, true).paths.len() <= 1, "{odd}");
        }
    }
}
