//! The class path of a Clojure project whose tool is not installed: its directories, and those of its dependencies that are on
//! this machine already: in `~/.m2`, `~/.gitlibs` and the distribution's own repository. Nothing is fetched.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::build_file::{Build, Coordinate, Origin};

/// The directories for sources of a project that names none: those of Clojure's tools, and those of Maven.
const SOURCES: [&str; 5] = ["src", "src/main/clojure", "src/main/cljc", "src/clj", "src/cljc"];

/// The same for tests and for other files.
const OTHERS: [&str; 8] = [
    "test",
    "src/test/clojure",
    "src/test/cljc",
    "test/clj",
    "test/cljc",
    "resources",
    "src/main/resources",
    "src/test/resources",
];

/// The Maven repository of Debian and its like.
const DISTRIBUTION: &str = "/usr/share/maven-repo";

/// The jars of Debian and its like, some of which are in no repository.
const JARS: &str = "/usr/share/java";

/// Groups and artifacts that the server itself brings along.
const OWN: [(&str, &str); 4] = [
    ("org.clojure", "clojure"),
    ("org.clojure", "spec.alpha"),
    ("org.clojure", "core.specs.alpha"),
    ("nrepl", "nrepl"),
];

/// The most artifacts that are looked up.
const MOST: usize = 500;

/// A class path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClassPath {
    /// Directories and jars that exist, in their order.
    pub(super) entries: Vec<PathBuf>,
    /// Dependencies that are not on this machine: `group/artifact version`.
    pub(crate) missing: Vec<String>,
    /// Those of which there is another version: `group/artifact 2.4 for 2.5`.
    pub(crate) others: Vec<String>,
}

/// The places where dependencies may be.
struct Stores {
    /// Maven repositories, the user's first.
    maven: Vec<PathBuf>,
    git: Option<PathBuf>,
    jars: PathBuf,
}

impl ClassPath {
    /// That of the project at `root`, which is on it itself if it has no directories for sources.
    pub(crate) fn of(root: &Path) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let maven = home.iter().map(|home| home.join(".m2/repository")).chain([DISTRIBUTION.into()]).collect();
        Self::within(root, &Stores { maven, git: home.map(|home| home.join(".gitlibs/libs")), jars: JARS.into() })
    }

    fn within(root: &Path, stores: &Stores) -> Self {
        let build = Build::of(root, true);
        let mut path = Self::default();
        path.add_directories(root, build.paths.iter().map(String::as_str).chain(SOURCES).chain(OTHERS));
        // What a `user.clj` asks for is there only with the tool and its aliases; it is loaded by Clojure itself.
        let extra = build.extra_paths.iter().map(String::as_str);
        path.add_directories(root, extra.filter(|name| !root.join(name).join("user.clj").exists()));
        if path.entries.is_empty() {
            path.add(root.to_owned());
        }
        path.add_dependencies(root, build.dependencies, stores);
        path
    }

    fn add(&mut self, entry: PathBuf) {
        if !self.entries.contains(&entry) {
            self.entries.push(entry);
        }
    }

    fn add_directories<'n>(&mut self, root: &Path, names: impl Iterator<Item = &'n str>) {
        names.map(|name| root.join(name)).filter(|path| path.is_dir()).for_each(|path| self.add(path));
    }

    /// Adds the dependencies of the project at `root`, and what they depend on; the nearest of several versions counts.
    fn add_dependencies(&mut self, root: &Path, dependencies: Vec<Coordinate>, stores: &Stores) {
        let mut seen: HashSet<(String, String)> =
            OWN.map(|(group, artifact)| (group.to_owned(), artifact.to_owned())).into();
        let mut agenda: Vec<(PathBuf, Coordinate)> =
            dependencies.into_iter().map(|dependency| (root.to_owned(), dependency)).collect();
        let mut next = 0;
        while next < agenda.len().min(MOST) {
            let (from, coordinate) = agenda[next].clone();
            next += 1;
            if !seen.insert((coordinate.group.clone(), coordinate.artifact.clone())) {
                continue;
            }
            let more = match &coordinate.from {
                Origin::Maven(version) => self.add_jar(&coordinate, version, stores).map(|more| (from, more)),
                Origin::Git(sha) => stores.checkout(&coordinate, sha).map(|place| self.add_project(place)),
                Origin::Local(path) => {
                    Some(from.join(path)).filter(|place| place.exists()).map(|place| self.add_project(place))
                }
            };
            match more {
                Some((place, more)) => agenda.extend(more.into_iter().map(|one| (place.clone(), one))),
                None => self.missing.push(coordinate.to_string()),
            }
        }
    }

    /// Adds the jar of a coordinate; returns what it depends on.
    fn add_jar(&mut self, coordinate: &Coordinate, version: &str, stores: &Stores) -> Option<Vec<Coordinate>> {
        let (jar, found) = stores.jar(coordinate, version)?;
        if found != version && !version.is_empty() && found != "debian" {
            self.others.push(format!("{}/{} {found} for {version}", coordinate.group, coordinate.artifact));
        }
        let pom = std::fs::read_to_string(jar.with_extension("pom")).unwrap_or_default();
        self.add(jar);
        Some(dependencies_of(&pom))
    }

    /// Adds the directories of another project, or a jar; returns what it depends on.
    fn add_project(&mut self, place: PathBuf) -> (PathBuf, Vec<Coordinate>) {
        if place.is_file() {
            self.add(place.clone());
            return (place, Vec::new());
        }
        let build = Build::of(&place, false);
        let usual: &[&str] = if build.paths.is_empty() { &SOURCES } else { &[] };
        self.add_directories(&place, build.paths.iter().map(String::as_str).chain(usual.iter().copied()));
        (place, build.dependencies)
    }
}

impl std::fmt::Display for Coordinate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Origin::Maven(version) | Origin::Git(version) | Origin::Local(version)) = &self.from;
        write!(formatter, "{}/{} {version}", self.group, self.artifact)
    }
}

impl Stores {
    /// The jar of a coordinate and its version: the one that is asked for, else another.
    fn jar(&self, Coordinate { group, artifact, .. }: &Coordinate, version: &str) -> Option<(PathBuf, String)> {
        let folder = |store: &PathBuf| store.join(group.replace('.', "/")).join(artifact);
        let folders: Vec<PathBuf> = self.maven.iter().map(folder).collect();
        let jar = |folder: &Path, version: &str| {
            let jar = folder.join(version).join(format!("{artifact}-{version}.jar"));
            jar.is_file().then(|| (jar, version.to_owned()))
        };
        let exact = folders.iter().find_map(|folder| jar(folder, version));
        let other = || {
            let versions = |folder: &PathBuf| {
                let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
                let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
                names.sort();
                names
            };
            folders.iter().find_map(|folder| versions(folder).iter().rev().find_map(|version| jar(folder, version)))
        };
        let plain = || {
            let jar = self.jars.join(format!("{artifact}.jar"));
            let jar = jar.is_file().then_some(jar)?;
            let real = std::fs::canonicalize(&jar).ok()?;
            let stem =
                real.file_stem()?.to_str()?.strip_prefix(artifact.as_str())?.strip_prefix('-').unwrap_or(version);
            Some((jar, stem.to_owned()))
        };
        exact.or_else(other).or_else(plain)
    }

    /// The directory of a commit, of which `sha` may be the beginning.
    fn checkout(&self, Coordinate { group, artifact, .. }: &Coordinate, sha: &str) -> Option<PathBuf> {
        let folder = self.git.as_ref()?.join(group).join(artifact);
        let entries = std::fs::read_dir(folder).ok()?.flatten();
        let is_it = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(sha));
        entries.map(|entry| entry.path()).find(is_it)
    }
}

/// The dependencies that a POM lists for those who use its artifact.
fn dependencies_of(pom: &str) -> Vec<Coordinate> {
    let mut text = pom.to_owned();
    for section in ["dependencyManagement", "build", "profiles", "reporting"] {
        while let (Some(start), Some(end)) = (text.find(&format!("<{section}>")), text.find(&format!("</{section}>"))) {
            if end < start {
                break;
            }
            text.replace_range(start..end + section.len() + 3, "");
        }
    }
    let field = |text: &str, name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split_once('<')?.0.trim().to_owned())
    };
    let dependency = |text: &str| {
        let text = text.split_once("</dependency>")?.0;
        // Exclusions have groups and artifacts of their own.
        let text = text.split("<exclusions>").next().unwrap_or(text);
        let is_used = field(text, "scope").is_none_or(|scope| matches!(scope.as_str(), "compile" | "runtime"));
        let is_optional = field(text, "optional").is_some_and(|optional| optional == "true");
        if !is_used || is_optional {
            return None;
        }
        let version = field(text, "version").filter(|version| !version.contains('$')).unwrap_or_default();
        Some(Coordinate {
            group: field(text, "groupId")?,
            artifact: field(text, "artifactId")?,
            from: Origin::Maven(version),
        })
    };
    text.split("<dependency>").skip(1).filter_map(dependency).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn stores(home: &Path) -> Stores {
        let maven = vec![home.join("m2"), home.join("dist")];
        Stores { maven, git: Some(home.join("git")), jars: home.join("java") }
    }

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn only_existing_directories_are_on_it_each_once_and_none_with_a_user_of_an_alias() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("p");
        assert_eq!(ClassPath::within(&root, &stores(home.path())).entries, std::slice::from_ref(&root));
        for name in ["src/main/clojure", "test", "dev"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        write(&root.join("dev/user.clj"), "(ns user)");
        write(&root.join("test/user.clj"), "(ns user)");
        let text = "{:paths [\"src/main/clojure\" \"gone\" \"test\"] :aliases {:dev {:extra-paths [\"dev\"]} :test {:extra-paths [\"dev\"]}}}";
        write(&root.join("deps.edn"), text);
        let path = ClassPath::within(&root, &stores(home.path()));
        assert_eq!(path.entries, ["src/main/clojure", "test", "src"].map(|name| root.join(name)));
    }

    #[test]
    fn directories_of_maven_are_on_it() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("p");
        for name in ["src/main/clojure", "src/test/clojure", "src/test/resources"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        let expected =
            ["src", "src/main/clojure", "src/test/clojure", "src/test/resources"].map(|name| root.join(name));
        assert_eq!(ClassPath::within(&root, &stores(home.path())).entries, expected);
    }

    #[test]
    fn dependencies_are_found_where_they_are_with_what_they_need() {
        let home = tempfile::tempdir().unwrap();
        let (home, root) = (home.path(), home.path().join("p"));
        let text = "{:deps {a/b {:mvn/version \"1.0\"} c/d {:mvn/version \"2.0\"} e/f {:git/sha \"abc\"} g/h {:local/root \"../near\"}
                     i/j {:mvn/version \"9\"} org.clojure/clojure {:mvn/version \"1.9\"} k/l {:mvn/version \"3\"}}}";
        write(&root.join("deps.edn"), text);
        let pom = "<project><dependencyManagement><dependencies><dependency><groupId>no</groupId><artifactId>no</artifactId>
            </dependency></dependencies></dependencyManagement><dependencies>
            <dependency><groupId>x.y</groupId><artifactId>z</artifactId><version>${v}</version></dependency>
            <dependency><groupId>t</groupId><artifactId>t</artifactId><scope>test</scope></dependency></dependencies></project>";
        write(&home.join("m2/a/b/1.0/b-1.0.jar"), "");
        write(&home.join("m2/a/b/1.0/b-1.0.pom"), pom);
        write(&home.join("dist/x/y/z/5/z-5.jar"), "");
        write(&home.join("dist/c/d/2.1/d-2.1.jar"), "");
        write(&home.join("git/e/f/abcdef/src/f.clj"), "");
        write(&home.join("near/lib/h.clj"), "");
        write(&home.join("near/deps.edn"), "{:paths [\"lib\"]}");
        write(&home.join("java/l-3.jar"), "");
        std::os::unix::fs::symlink("l-3.jar", home.join("java/l.jar")).unwrap();
        let path = ClassPath::within(&root, &stores(home));
        let expected = [
            "p",
            "m2/a/b/1.0/b-1.0.jar",
            "dist/c/d/2.1/d-2.1.jar",
            "git/e/f/abcdef/src",
            "p/../near/lib",
            "java/l.jar",
            "dist/x/y/z/5/z-5.jar",
        ];
        assert_eq!(path.entries, expected.map(|name| home.join(name)));
        assert_eq!((path.missing, path.others), (vec!["i/j 9".to_owned()], vec!["c/d 2.1 for 2.0".to_owned()]));
    }
}
