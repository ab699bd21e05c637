//! What is run as the tests of a directory or of the whole project: systems, and files by custom.
//!
//! In Common Lisp it is the systems that have tests: those with a test-op that no other one delegates to, and those that are called
//! tests. In the other languages it is the files that define tests, and the scripts in directories of tests that are called tests or that
//! a Makefile or the project's continuous integration names.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use lispwright_index::{Document, FormRow, Import, Index, files_are_modules};
use lispwright_lint::is_of_another_host;
use lispwright_runtime::Runtime;
use lispwright_syntax::{Dialect, FormKind};

use crate::indexed::indexed;
use crate::refusal::Refusal;
use crate::repl_work::relative;
use crate::test_omissions::Omissions;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// The most goals of one call.
const MOST: usize = 500;

/// Directories of tests.
const FOLDERS: [&str; 6] = ["test", "tests", "t", "spec", "specs", "testing"];

/// Files that name scripts with tests.
const LISTS: [&str; 6] = ["Makefile", "Makefile.am", "GNUmakefile", "makefile", "justfile", ".gitlab-ci.yml"];

/// Something whose tests are run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Goal {
    /// A system, by its name.
    System(String),
    /// A file, as calls name it.
    File(String),
}

impl Goal {
    /// The arguments of a tool: a system, or a path.
    pub(crate) fn arguments(&self) -> (Option<String>, Option<String>) {
        match self {
            Self::System(system) => (Some(system.clone()), None),
            Self::File(path) => (None, Some(path.clone())),
        }
    }

    /// Its dialect, if its name tells it.
    pub(crate) fn dialect(&self) -> Option<Dialect> {
        match self {
            Self::System(name) if name.trim_start().starts_with('(') => Some(Dialect::Scheme),
            Self::System(_) => Some(Dialect::CommonLisp),
            Self::File(path) => Dialect::detect(path, b""),
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::System(name) | Self::File(name) => name,
        }
    }
}

/// What is run below a directory, or in the whole project.
pub(crate) struct Goals {
    /// The goals, as calls name them.
    pub(crate) goals: Vec<Goal>,
    /// The files with tests that the project leaves out of such a run, as calls name them.
    pub(crate) omitted: Vec<String>,
}

/// The goals below a directory, or of the whole project.
///
/// Errors: those of the index.
pub(crate) async fn goals(
    workshop: &Workshop,
    context: &CallContext,
    directory: Option<&str>,
) -> Result<Goals, Refusal> {
    let root = workshop.roots.primary().to_owned();
    let directory = directory.map_or_else(|| root.clone(), |path| workshop.workspace.absolute(path));
    let lists = lists(&root);
    let (listed, loaded) = (listed(&lists), loaded(&lists));
    indexed(workshop, context, move |index, _| {
        let project = Project { index, root: &root, directory: &directory, listed: &listed, loaded: &loaded };
        let mut goals: Vec<Goal> = project.systems().into_iter().map(Goal::System).collect();
        let omissions = Omissions::of(index);
        let files = project.files(!goals.is_empty());
        let (omitted, files): (Vec<String>, Vec<String>) =
            files.into_iter().partition(|file| omissions.contains(&root.join(file)));
        goals.extend(files.into_iter().map(Goal::File));
        goals.truncate(MOST);
        Goals { goals, omitted }
    })
    .await
}

/// The texts of the files that name scripts with tests: scripts of the shell beside the project's files are among them.
fn lists(root: &Path) -> Vec<String> {
    let entries = |directory: &Path| std::fs::read_dir(directory).into_iter().flatten().flatten().map(|one| one.path());
    let scripts = entries(root).filter(|path| path.extension().is_some_and(|extension| extension == "sh"));
    let files = LISTS.map(|name| root.join(name)).into_iter().chain(entries(&root.join(".github/workflows")));
    let mut files: Vec<_> = files.chain(scripts).collect();
    files.sort();
    files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

/// The words of the files that list tests.
fn listed(lists: &[String]) -> BTreeSet<String> {
    let words = lists.iter().flat_map(|text| text.split([' ', '\t', '\n', '"', '\'', '=', ';']));
    words.filter(|word| word.contains('.')).map(|word| word.trim_start_matches("./").to_owned()).collect()
}

/// The files that scripts load into Emacs before it runs all tests, `-l lib.el -l examples.el -f ert-run-tests-batch`, and
/// whether each is the last one: that has the tests.
fn loaded(lists: &[String]) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    for text in lists {
        for line in text.replace("\\\n", " ").lines() {
            let Some((before, _)) = line.split_once("ert-run-tests") else { continue };
            let files = before.split(" -l").skip(1).filter_map(|rest| rest.split_whitespace().next());
            let files: Vec<&str> =
                files.map(|file| file.trim_matches(['"', '\'', '=']).trim_start_matches("./")).collect();
            for (at, file) in files.iter().enumerate() {
                *found.entry((*file).to_owned()).or_insert(false) |= at + 1 == files.len();
            }
        }
    }
    found
}

struct Project<'i> {
    index: &'i Index,
    root: &'i Path,
    directory: &'i Path,
    /// Words of the files that list tests.
    listed: &'i BTreeSet<String>,
    /// The files that scripts load into Emacs before it runs all tests; the last one has the tests.
    loaded: &'i BTreeMap<String, bool>,
}

impl Project<'_> {
    fn shown(&self, path: &Path) -> String {
        relative(&path.to_string_lossy(), self.root)
    }

    /// The systems with tests whose definitions are below the directory; if there are none, in the nearest directory around it.
    fn systems(&self) -> Vec<String> {
        let definitions: Vec<&Document> =
            self.index.documents().filter(|document| is_definition(&document.path)).collect();
        let mut near: Vec<&Document> =
            definitions.iter().filter(|document| document.path.starts_with(self.directory)).copied().collect();
        if near.is_empty() && self.directory != self.root && self.has_lisp(self.directory) {
            let around = self.directory.ancestors().skip(1).take_while(|directory| directory.starts_with(self.root));
            let of = |directory: &Path| -> Vec<&Document> {
                definitions.iter().filter(|document| document.path.parent() == Some(directory)).copied().collect()
            };
            near = around.map(of).find(|found| !found.is_empty()).unwrap_or_default();
        }
        let all: Vec<System> = definitions.iter().flat_map(|document| systems_of(document)).collect();
        let rank = |system: &System| (system.is_called_tests(), system.name.clone());
        // Two that name each other are one goal: the one that is called tests.
        let is_delegated = |one: &System| {
            let mut others = all.iter().filter(|other| other.name != one.name && other.delegates_to(&one.name));
            others.any(|other| !one.delegates_to(&other.name) || rank(one) < rank(other))
        };
        let mut names: Vec<String> = Vec::new();
        for system in near.iter().flat_map(|document| systems_of(document)) {
            let has_tests = system.has_test_op() || system.is_called_tests();
            if has_tests && !is_delegated(&system) && !names.contains(&system.name) {
                names.push(system.name);
            }
        }
        names
    }

    /// The dialect of the definitions of systems.
    fn of_systems(&self) -> Option<Dialect> {
        self.index.documents().find(|document| is_definition(&document.path)).map(|document| document.dialect)
    }

    fn has_lisp(&self, directory: &Path) -> bool {
        let mut own = self.index.documents().filter(|document| Some(document.dialect) == self.of_systems());
        own.any(|document| document.path.starts_with(directory))
    }

    /// The files with tests below the directory; those that systems have count among them if there are none.
    fn files(&self, has_systems: bool) -> Vec<String> {
        let own = self.index.documents().filter(|document| document.path.starts_with(self.directory));
        let dialect = self.of_systems().filter(|_| has_systems);
        let of_systems = |document: &&Document| Some(document.dialect) == dialect;
        let spaces = self.index.documents().flat_map(|document| &document.facts.spaces);
        let with_rackunit: HashSet<&str> =
            spaces.filter(|space| space.imports.iter().any(is_rackunit)).map(|space| &*space.name).collect();
        let tests = own.filter(|document| {
            !is_definition(&document.path)
                && !is_of_another_host(&document.path)
                && !of_systems(document)
                && Runtime::for_dialect(document.dialect).is_some()
                && match self.loaded.get(&self.shown(&document.path)) {
                    Some(true) => true,
                    Some(false) => defines_tests(document),
                    None => {
                        defines_tests(document) || self.checks(document, &with_rackunit) || self.is_script(document)
                    }
                }
        });
        let mut paths: Vec<String> = tests.map(|document| self.shown(&document.path)).collect();
        paths.sort();
        paths
    }

    /// Whether a module of Racket makes checks inside of forms of its own: of macros of the project, of functions that it
    /// calls. `with_rackunit` are the modules of the project that require its framework.
    fn checks(&self, document: &Document, with_rackunit: &HashSet<&str>) -> bool {
        let mut imports = document.facts.spaces.iter().flat_map(|space| &space.imports);
        // It may come with a file of the project that has the macros.
        let has_framework = imports.any(|import| is_rackunit(import) || with_rackunit.contains(&*import.from));
        let in_folder = in_folder(&self.shown(&document.path));
        let checks = |form: &FormRow| {
            let text = &document.text[form.span.range()];
            // What is only defined runs nothing.
            form.kind == FormKind::Expression
                && !matches!(&*form.head, "" | "provide")
                && (in_folder || ["(check-", "(test-", "(run-tests"].iter().any(|made| text.contains(made)))
        };
        has_framework && document.facts.forms.iter().any(checks)
    }

    /// Whether a file without tests of a framework is one that tests by itself.
    fn is_script(&self, document: &Document) -> bool {
        let name = document.path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if name.contains("helper") || name.contains("util") {
            return false;
        }
        let is_test = name.split(['.', '-', '_']).any(|word| matches!(word, "test" | "tests" | "check"));
        let folder = self.shown(&document.path);
        let in_folder = in_folder(&folder);
        let is_listed = || self.listed.iter().any(|word| folder == *word || folder.ends_with(&format!("/{word}")));
        // A module is for others, unless it is listed.
        is_test && in_folder && !defines_module(document) || (is_test || in_folder) && is_listed()
    }
}

fn is_rackunit(import: &Import) -> bool {
    import.from.starts_with("lib:rackunit/")
}

/// Whether the file at `path`, as calls name it, is in a directory of tests.
fn in_folder(path: &str) -> bool {
    let parent = Path::new(path).parent();
    parent.is_some_and(|parent| {
        parent.components().any(|one| FOLDERS.contains(&one.as_os_str().to_string_lossy().as_ref()))
    })
}

fn is_definition(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "asd")
}

/// Whether the file is a library, module or namespace that others use: no script.
fn defines_module(document: &Document) -> bool {
    document.facts.forms.iter().any(|form| form.kind == FormKind::Package)
}

/// Whether a framework's tests are in the file: outside of a macro's definition.
fn defines_tests(document: &Document) -> bool {
    let is_submodule = |form: &FormRow| form.head == "module+" && form.called() == "test";
    document.facts.forms.iter().any(|form| is_test(document, form) || is_submodule(form))
}

/// The form is a test, or a check of a module that has `rackunit`.
pub(crate) fn is_test(document: &Document, form: &FormRow) -> bool {
    let is_check = || {
        let is_called = ["check-", "test-"].iter().any(|start| form.head.starts_with(start));
        is_called && files_are_modules(document.dialect) && document.text.contains("rackunit")
    };
    form.kind == FormKind::Test || is_check()
}

/// The definition of a system.
struct System {
    name: String,
    /// The definition and the methods that say how its tests are run, in lower case.
    text: String,
}

impl System {
    fn has_test_op(&self) -> bool {
        self.text.contains("test-op")
    }

    fn is_called_tests(&self) -> bool {
        self.name.contains("test")
    }

    /// Whether its test-op asks for that of the system called `name`.
    fn delegates_to(&self, name: &str) -> bool {
        self.text.split("test-op").skip(1).any(|after| {
            // The names that follow, up to the next clause.
            let clause = after.split(":components").next().unwrap_or(after);
            names(clause, name)
        })
    }
}

/// Whether a text has the designator of a system called `name`.
fn names(text: &str, name: &str) -> bool {
    let is_end = |next: Option<char>| next.is_none_or(|next| !(next.is_alphanumeric() || "-/._+*".contains(next)));
    text.match_indices(name).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        is_end(text[at + found.len()..].chars().next())
            && before.is_some_and(|before| ['"', ':', '#', '\'', ' '].contains(&before))
    })
}

/// The systems of a file. A method of `perform` for `test-op` whose parameter is one of them belongs to it: `(defmethod perform ((o
/// test-op) (c (eql (find-system "shop")))) ...)`.
fn systems_of(document: &Document) -> Vec<System> {
    let text = |form: &FormRow| document.text[form.span.range()].to_lowercase();
    let methods = document.facts.forms.iter().filter(|form| form.head == "defmethod").map(text);
    let methods: Vec<String> = methods.filter(|text| text.contains("test-op")).collect();
    let is_of = |method: &str, name: &str| {
        let parameter = method.split("find-system").nth(1).and_then(|after| after.split(')').next());
        parameter.is_some_and(|parameter| names(parameter, name))
    };
    let forms = document.facts.forms.iter().filter(|form| form.kind == FormKind::System);
    let system = |form: &FormRow| {
        let name = form.designated().to_lowercase();
        let text = methods.iter().filter(|method| is_of(method, &name)).fold(text(form), |all, one| all + "\n" + one);
        System { name, text }
    };
    forms.map(system).collect()
}
