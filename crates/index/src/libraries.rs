//! What installed libraries give out, from their declarations alone.
//!
//! A library is read when somebody asks for a space that no file of the project declares, and what was found is kept. A
//! library that computes what it exports is not known.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lispwright_project::{Access, Links, open_regular, survey};
use lispwright_syntax::{Dialect, read};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialects::rules;
use crate::facts::Facts;
use crate::library_operators::{LibraryOperator, LibraryOperators, needed};
use crate::links::{Thing, Tie};
use crate::question::UseIndex;
use crate::space::Exports;
use crate::space::racket::LIBRARY;

/// How the libraries of a dialect lie below the places where they are installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LibraryLayout {
    /// It is not known.
    Unknown,
    /// A system has a file that is called like it, and its sources below the directory of that.
    Systems,
    /// A module is the file that is called like it.
    Modules,
    /// A feature is the file that is called like it, the files of a package are in a directory `name-version`, and the names
    /// that a feature defines begin with its own.
    Features,
    /// What a module exports its implementation is asked for: macros write most of its declarations.
    Asked,
}

/// The names that a space of a library exports.
pub type LibraryNames = Arc<FxHashSet<String>>;

/// A space of a library.
#[derive(Debug, Default)]
struct LibrarySpace {
    names: FxHashSet<String>,
    /// The spaces whose names it exports, too.
    from: Vec<String>,
    /// It exports more than its declarations say.
    is_open: bool,
    /// A form declares it, not only additions to it.
    is_declared: bool,
}

/// Tells of some modules of libraries what each exports, in the same order; `None` of one that is not there or cannot be
/// had without running it, and `None` of all where nobody answers, who is not asked again.
pub(crate) type Asker = dyn Fn(Dialect, &[String]) -> Option<Vec<Option<Vec<String>>>> + Send + Sync;

/// The installed libraries of a machine.
#[derive(Default)]
pub struct Libraries {
    places: Vec<(Dialect, PathBuf)>,
    asker: Option<Box<Asker>>,
    known: Mutex<Known>,
}

impl fmt::Debug for Libraries {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Libraries").field("places", &self.places).finish_non_exhaustive()
    }
}

/// What has been read.
#[derive(Debug, Default)]
struct Known {
    /// The files that define systems, by the names of these.
    systems: Option<FxHashMap<String, PathBuf>>,
    /// The features, once they have been looked for.
    features: Option<Features>,
    /// The files and directories that have been read.
    read: FxHashSet<PathBuf>,
    /// The systems that the files of systems depend on.
    depends: FxHashMap<String, Vec<String>>,
    /// The names of spaces by their nicknames.
    nicknames: FxHashMap<String, String>,
    /// What is said of spaces, by their names.
    spaces: FxHashMap<String, LibrarySpace>,
    /// Who says what modules export did not answer.
    is_silent: bool,
    /// What was found out of them.
    asked: FxHashMap<String, Option<LibraryNames>>,
    /// The directory or file in which each of them is declared.
    homes: FxHashMap<String, PathBuf>,
    /// What the directories and files define.
    operators: FxHashMap<PathBuf, Arc<LibraryOperators>>,
}

/// The features of Emacs that are installed.
#[derive(Debug, Default)]
struct Features {
    /// The directories of the packages that have a feature, or its files, by its name.
    homes: FxHashMap<String, FxHashSet<PathBuf>>,
    /// The features that each of them has.
    of_home: FxHashMap<PathBuf, Vec<String>>,
}

impl Features {
    /// Where the feature is; `None` if there are several: it is not known which one is loaded.
    fn home(&self, feature: &str) -> Option<&Path> {
        let homes = self.homes.get(feature).filter(|homes| homes.len() == 1)?;
        homes.iter().next().map(PathBuf::as_path)
    }
}

/// Directories below a place are looked into to this depth.
const DEEPEST: usize = 4;

/// At most so many directories are looked into, and so many files of a library are read.
const MOST: usize = 4_000;

/// At most so many systems are read for one question.
const MOST_SYSTEMS: usize = 200;

/// So many bytes of a library are read at most for what it defines.
const MOST_READ: u64 = 4 << 20;

/// The largest file of a library that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// Text in a file that exports names in ways that are not read.
const COMPUTES: &[&str] =
    &["do-symbols", "do-external-symbols", "module-export!", "export-all", "module-use-interfaces", ". #"];

impl Libraries {
    /// Those below some directories, each of a dialect. `~/` is left to who calls.
    pub fn new(places: impl IntoIterator<Item = (Dialect, PathBuf)>) -> Self {
        Self { places: places.into_iter().collect(), ..Self::default() }
    }

    /// The same libraries; those that their implementation alone knows are asked for with `asker`.
    #[must_use]
    pub fn asking(self, asker: Box<Asker>) -> Self {
        Self { asker: Some(asker), ..self }
    }

    /// The names that a space exports; `None` if no library is known to declare it, or not all of them are known. A
    /// project needs the `systems`, or the modules.
    pub(crate) fn exports(
        &self,
        dialect: Dialect,
        space: &str,
        needed: &dyn Fn() -> Vec<String>,
    ) -> Option<LibraryNames> {
        // What was read by a call that failed is read again.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if rules(dialect).libraries == LibraryLayout::Asked {
            return known.ask(dialect, self.asker.as_deref()?, space, needed);
        }
        let places: Vec<&Path> =
            self.places.iter().filter(|(of, _)| *of == dialect).map(|(_, place)| place.as_path()).collect();
        if places.is_empty() || space.is_empty() {
            return None;
        }
        if let Some(found) = known.asked.get(space) {
            return found.clone();
        }
        match rules(dialect).libraries {
            LibraryLayout::Unknown | LibraryLayout::Features | LibraryLayout::Asked => return None,
            LibraryLayout::Systems => known.find_package(&places, space, needed),
            LibraryLayout::Modules => known.find_module(dialect, &places, space),
        }
        let found = known.names(dialect, &places, space).map(Arc::new);
        known.asked.insert(space.to_owned(), found.clone());
        found
    }

    /// There is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// What a space whose exports are known defines by a name.
    pub(crate) fn operator(&self, dialect: Dialect, space: &str, name: &str) -> Option<Arc<LibraryOperator>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let space = known.nicknames.get(space).cloned().unwrap_or_else(|| space.to_owned());
        let home = known.homes.get(&space)?.clone();
        known.operators(dialect, &home, is_lisp_source).get(&space, name)
    }

    /// What the installed packages define with whose features the name begins, the longest first. A package of which the
    /// project has one of the features that it provides is another version of what is there.
    pub(crate) fn of_features(
        &self,
        dialect: Dialect,
        name: &str,
        provided: &dyn Fn() -> FxHashSet<String>,
    ) -> Vec<Arc<LibraryOperators>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(features) = known.features(&self.places, dialect) else { return Vec::new() };
        let mut homes: Vec<PathBuf> = name
            .rmatch_indices('-')
            .filter_map(|(end, _)| features.home(&name[..end]))
            .map(Path::to_path_buf)
            .collect();
        if !homes.is_empty() {
            let provided = provided();
            homes.retain(|home| !features.of_home[home].iter().any(|feature| provided.contains(feature)));
        }
        homes.iter().map(|home| known.operators(dialect, home, is_emacs_source)).collect()
    }

    /// The feature is installed, in one version.
    pub(crate) fn has_feature(&self, dialect: Dialect, feature: &str) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.features(&self.places, dialect).is_some_and(|features| features.home(feature).is_some())
    }
}

/// The directory of the package that a file of a feature is in, or the file.
fn home_of_feature(file: &Path) -> PathBuf {
    let directory = file.parent().filter(|directory| {
        let name = directory.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let version = name.rsplit_once('-').map_or("", |(_, version)| version);
        version.starts_with(|first: char| first.is_ascii_digit())
    });
    directory.unwrap_or(file).to_path_buf()
}

/// The file is a source of Emacs Lisp, but for those that tools write.
fn is_emacs_source(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".el")
        && !name.starts_with('.')
        && !["-autoloads.el", "-pkg.el"].iter().any(|end| name.ends_with(end))
}

/// The file is a source of Common Lisp.
fn is_lisp_source(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["lisp", "cl", "lsp"].iter().any(|one| ending == *one))
}

impl Known {
    /// What the files of a library define: `home`, or those sources that are below that directory.
    fn operators(&mut self, dialect: Dialect, home: &Path, is_source: fn(&Path) -> bool) -> Arc<LibraryOperators> {
        if let Some(found) = self.operators.get(home) {
            return found.clone();
        }
        let files = if home.is_dir() { survey(home, false, is_source).files } else { vec![home.to_path_buf()] };
        let size = |file: &PathBuf| file.metadata().map_or(0, |data| data.len());
        // Of a library that is too large for an answer in time, nothing is known.
        let is_small = files.len() <= MOST && files.iter().map(size).sum::<u64>() <= MOST_READ;
        let texts = files.into_iter().filter(|_| is_small).filter_map(|file| Some((file.clone(), text_of(&file)?)));
        let found = Arc::new(LibraryOperators::of(dialect, texts.collect()));
        self.operators.insert(home.to_path_buf(), found.clone());
        found
    }

    /// What a module exports. All that are needed are asked for at once, when the first one is.
    fn ask(
        &mut self,
        dialect: Dialect,
        asker: &Asker,
        space: &str,
        needed: &dyn Fn() -> Vec<String>,
    ) -> Option<LibraryNames> {
        let is_open = |known: &Self, space: &str| space.starts_with(LIBRARY) && !known.asked.contains_key(space);
        if is_open(self, space) && !self.is_silent {
            let mut spaces = needed();
            spaces.push(space.to_owned());
            spaces.retain(|space| is_open(self, space));
            spaces.sort_unstable();
            spaces.dedup();
            let modules: Vec<String> = spaces.iter().map(|space| space[LIBRARY.len()..].to_owned()).collect();
            let answer = asker(dialect, &modules);
            self.is_silent = answer.is_none();
            let mut told = answer.unwrap_or_default().into_iter();
            for space in spaces {
                let names = told.next().flatten().map(|names| Arc::new(names.into_iter().collect()));
                self.asked.insert(space, names);
            }
        }
        self.asked.get(space)?.clone()
    }

    /// The features that are installed, which are looked for once; `None` in a dialect that has none.
    fn features(&mut self, places: &[(Dialect, PathBuf)], dialect: Dialect) -> Option<&Features> {
        if rules(dialect).libraries != LibraryLayout::Features {
            return None;
        }
        if self.features.is_none() {
            let own = places.iter().filter(|(of, _)| *of == dialect);
            let places: Vec<&Path> = own.map(|(_, place)| place.as_path()).collect();
            let mut found = Features::default();
            for_each_file(&places, |path| {
                let name = path.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
                let Some(name) = name.filter(|_| is_emacs_source(&path)) else { return };
                // A link to the file stands for it.
                let home = home_of_feature(&path.canonicalize().unwrap_or(path));
                if found.homes.entry(name.clone()).or_default().insert(home.clone()) {
                    found.of_home.entry(home).or_default().push(name);
                }
            });
            self.features = Some(found);
        }
        self.features.as_ref()
    }

    /// All names of a space, with those that it has from others.
    fn names(&mut self, dialect: Dialect, places: &[&Path], space: &str) -> Option<FxHashSet<String>> {
        let mut names = FxHashSet::default();
        let mut waiting = vec![space.to_owned()];
        let mut seen = FxHashSet::default();
        while let Some(space) = waiting.pop() {
            if !seen.insert(space.clone()) {
                continue;
            }
            match rules(dialect).libraries {
                LibraryLayout::Modules => self.find_module(dialect, places, &space),
                _ => self.find_package(places, &space, &Vec::new),
            }
            let found = self.space(&space).filter(|found| !found.is_open)?;
            names.extend(found.names.iter().cloned());
            waiting.extend(found.from.iter().cloned());
        }
        Some(names)
    }

    /// What is known of the space with this name or nickname.
    fn space(&self, name: &str) -> Option<&LibrarySpace> {
        let declared = |name: &str| self.spaces.get(name).filter(|found| found.is_declared);
        declared(name).or_else(|| declared(self.nicknames.get(name)?))
    }

    fn declares(&self, space: &str) -> bool {
        self.space(space).is_some()
    }

    /// Reads systems until one of them declares the package: the one that is called so, those that the project needs, and
    /// those that these need.
    fn find_package(&mut self, places: &[&Path], package: &str, systems: &dyn Fn() -> Vec<String>) {
        if self.declares(package) {
            return;
        }
        self.systems.get_or_insert_with(|| find_systems(places));
        let mut waiting: std::collections::VecDeque<String> = [package.to_owned()].into();
        let mut seen: FxHashSet<String> = FxHashSet::default();
        let mut asks_project = true;
        while seen.len() < MOST_SYSTEMS {
            let Some(system) = waiting.pop_front() else {
                if !std::mem::take(&mut asks_project) {
                    return;
                }
                waiting.extend(systems());
                continue;
            };
            // `name/part` is defined in the file of `name`.
            let system = system.split('/').next().unwrap_or_default().to_owned();
            if !seen.insert(system.clone()) {
                continue;
            }
            self.read_system(&system);
            if self.declares(package) {
                return;
            }
            waiting.extend(self.depends.get(&system).into_iter().flatten().cloned());
        }
    }

    /// Reads what the files below the directory of a system declare.
    fn read_system(&mut self, system: &str) {
        let Some(file) = self.systems.as_ref().and_then(|systems| systems.get(system)).cloned() else { return };
        if !self.depends.contains_key(system) {
            let text = text_of(&file).unwrap_or_default();
            let facts = Facts::declared(&read(&text, Dialect::CommonLisp), &text);
            let needed = facts.links.into_iter().filter(|link| link.thing == Thing::System && link.tie == Tie::Depends);
            self.depends.insert(system.to_owned(), needed.map(|link| link.name).collect());
        }
        let Some(directory) = file.parent().filter(|directory| self.read.insert(directory.to_path_buf())) else {
            return;
        };
        let directory = directory.to_path_buf();
        let files = survey(&directory, false, is_lisp_source).files;
        if files.len() > MOST {
            return;
        }
        for text in files.iter().filter_map(|file| text_of(file)) {
            let folded = text.to_ascii_lowercase();
            if ["defpackage", "define-package", "(export "].iter().any(|word| folded.contains(word)) {
                self.declare(Dialect::CommonLisp, &text, computes(&folded), &directory);
            }
        }
    }

    /// Reads the file of a module.
    fn find_module(&mut self, dialect: Dialect, places: &[&Path], module: &str) {
        let path = format!("{}.scm", (rules(dialect).space_file)(module));
        if self.declares(module) || !module.starts_with('(') {
            return;
        }
        let is_in = |place: &Path| Some(place.join(&path)).filter(|file| file.is_file());
        let files = places.iter().flat_map(|place| {
            let below =
                || directories(place).into_iter().flat_map(|one| [vec![one.clone()], directories(&one)].concat());
            std::iter::once(place.to_path_buf()).chain(below()).filter_map(|place| is_in(&place)).collect::<Vec<_>>()
        });
        let files: Vec<PathBuf> = files.collect();
        let [file] = files.as_slice() else { return };
        let Some(text) = text_of(file) else { return };
        let root = file.ancestors().nth(Path::new(&path).iter().count()).unwrap_or(file);
        let is_open =
            computes(&text) || text.contains("load-extension") || includes_exports(dialect, &text, [root, file]);
        self.declare(dialect, &text, is_open, file);
    }

    /// Takes what a text declares. If `is_open`, it exports more from the spaces that it declares or enters.
    fn declare(&mut self, dialect: Dialect, text: &str, is_open: bool, home: &Path) {
        let tree = read(text, dialect);
        let is_nested = text.match_indices("(defpackage").any(|(at, _)| at > 0 && !text[..at].ends_with('\n'));
        let facts = if is_nested { Facts::of(&tree, text) } else { Facts::declared(&tree, text) };
        for (_, entered) in facts.current.iter().filter(|_| is_open) {
            self.spaces.entry(entered.clone()).or_default().is_open = true;
        }
        for space in facts.spaces {
            for name in &space.nicknames {
                self.nicknames.insert(name.clone(), space.name.clone());
            }
            if !space.adds {
                self.homes.insert(space.name.clone(), home.to_owned());
            }
            let known = self.spaces.entry(space.name).or_default();
            match space.exports {
                Exports::Names(exported) => known.names.extend(exported),
                Exports::All => known.is_open = true,
            }
            known.is_declared |= !space.adds;
            known.is_open |= is_open || space.exports_more || facts.opens || !space.provides.is_empty();
            let again = space.imports.into_iter().filter(|import| import.reexports);
            known.from.extend(again.map(|import| import.from));
        }
    }
}

/// Code in the text exports what no declaration says.
fn computes(text: &str) -> bool {
    let is_exporting = |at: usize| at > 0 && !text[..at].ends_with('\n');
    COMPUTES.iter().any(|word| text.contains(word)) && text.contains("export")
        || text.match_indices("(export ").any(|(at, _)| is_exporting(at) && !text[..at].ends_with("(eval-when "))
}

/// The text of a module makes files a part of it that may export names, or that are not found: from `root`, where modules
/// are, or beside `file`.
fn includes_exports(dialect: Dialect, text: &str, [root, file]: [&Path; 2]) -> bool {
    let count = text.matches("(include").count();
    if count == 0 {
        return false;
    }
    let included = Facts::declared(&read(text, dialect), text).included;
    let beside = file.parent().unwrap_or(root);
    let is_known = |name: &str| {
        let mut texts = [root, beside].into_iter().filter_map(|place| text_of(&place.join(name)));
        // A definition can export, too: `define-public`.
        let gives = ["export", "-public", "(include", "load-extension"];
        texts.next().is_some_and(|text| !gives.iter().any(|word| text.contains(word)))
    };
    included.len() < count || !included.iter().all(|(_, name)| is_known(name))
}

/// The files that define systems below some directories.
fn find_systems(places: &[&Path]) -> FxHashMap<String, PathBuf> {
    let mut systems = FxHashMap::default();
    for_each_file(places, |path| {
        if path.extension().is_some_and(|ending| ending == "asd") {
            // A link to the file stands for it.
            let file = path.canonicalize().unwrap_or(path);
            if let Some(name) = file.file_stem().and_then(|name| name.to_str()) {
                systems.entry(name.to_owned()).or_insert(file);
            }
        }
    });
    systems
}

/// Shows the files below some directories, at most so many directories deep.
fn for_each_file(places: &[&Path], mut show: impl FnMut(PathBuf)) {
    let mut waiting: Vec<(PathBuf, usize)> = places.iter().map(|place| (place.to_path_buf(), 0)).collect();
    let mut count = 0;
    while let Some((directory, depth)) = waiting.pop() {
        count += 1;
        if count > MOST {
            break;
        }
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            match is_directory {
                true if depth < DEEPEST => waiting.push((path, depth + 1)),
                true => {}
                false => show(path),
            }
        }
    }
}

/// The directories in a directory.
fn directories(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()).collect()
}

fn text_of(path: &Path) -> Option<String> {
    use std::io::Read as _;
    let file = open_regular(path, Access::Read, Links::Followed).ok()?;
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

impl UseIndex<'_> {
    /// The names that a space of an installed library exports; `None` if the project declares the space, no library is
    /// known to do so, or not all that it exports is known.
    pub fn library_exports(&self, space: &str) -> Option<LibraryNames> {
        if self.declares(space) {
            return None;
        }
        self.libraries.exports(self.dialect, space, &|| needed(self.documents()))
    }
}
