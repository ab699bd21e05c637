//! Why is it void? Names that a failure says are not bound are looked up in the files of the project.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use lispwright_index::{Definition, Document, Index, Space, files_are_modules, files_name_others};
use lispwright_runtime::{Ending, EvalReport, FileState, LoadedFile};
use lispwright_syntax::{Dialect, FormKind};
use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;

use crate::indexed::indexed;
use crate::refusal::Refusal;
use crate::renewal::loaded_files;
use crate::repl_eval::Visiting;
use crate::repl_work::{project, relative};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Names that are looked up.
const MOST_NAMES: usize = 5;

/// A name that is not bound where it is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unbound {
    /// The name, as it was told.
    pub name: String,
    /// The file that defines it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line of the definition, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The package, module or namespace that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// The system that has the file, which is to be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The image has loaded that file.
    pub is_loaded: bool,
    /// A file that uses the name has to import it from that one.
    #[serde(skip)]
    pub is_to_be_imported: bool,
    /// The library of the language that has it, to be required first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// Names of the project like it, if no file defines it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
}

/// A library, what its names begin with, and other names of it.
type Library = (&'static str, &'static str, &'static str);

/// Libraries of a language that code has to require. Later versions have some of the names without that.
const LIBRARIES: &[(Dialect, &[Library])] = &[(
    Dialect::EmacsLisp,
    &[
        ("cl-lib", "cl-", ""),
        ("seq", "seq-", ""),
        ("map", "map-", ""),
        ("json", "json-", ""),
        (
            "subr-x",
            "",
            "string-join string-blank-p string-empty-p string-trim string-trim-left string-trim-right string-remove-prefix \
             string-remove-suffix string-reverse string-pad string-fill string-limit string-lines string-chop-newline \
             string-clean-whitespace hash-table-keys hash-table-values hash-table-empty-p thread-first thread-last \
             named-let replace-region-contents",
        ),
    ],
)];

/// The library of the language that has a name.
fn library_of(dialect: Dialect, name: &str) -> Option<&'static str> {
    let mut all = LIBRARIES.iter().filter(|(of, _)| *of == dialect).flat_map(|(_, all)| *all);
    let has = |(_, prefix, names): &&Library| {
        let is_known = || dialect.standard_operator(name).is_some() || dialect.special_form(name).is_some();
        (!prefix.is_empty() && name.starts_with(prefix) && is_known())
            || names.split_whitespace().any(|one| one == name)
    };
    all.find(has).map(|(library, ..)| *library)
}

/// What implementations say of names that are not bound; the name is the first group that there is.
static SENTENCES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // SBCL, ECL
        r"(?i)\bfunction (\S+) is undefined",
        r"(?i)\bvariable (\S+) is unbound",
        r"(?i)\bundefined (?:function|variable): (\S+)",
        r#"The name "([^"]+)" does not designate any package"#,
        r"\bPackage (\S+) does not exist",
        // CLISP
        r"undefined function (\S+)",
        r"variable (\S+) has no value",
        r"(?i)there (?:is|exists) no package with (?:the )?name (\S+)",
        // Guile, Chez, Racket
        r"Unbound variable: (\S+)",
        r"variable (\S+) is not bound",
        r"(\S+): (?:unbound identifier|undefined;)",
        r"no code for module (\([^)]*\))",
        // Emacs
        r"void-(?:function|variable):? \(?([^\s()]+)",
        r"definition is void: (\S+)",
        r"as variable is void: (\S+)",
        r"Cannot open load file: [^,]*, (\S+)",
        // Clojure
        r"Unable to resolve symbol: (\S+)",
        r"No such (?:var|namespace): (\S+)",
        r"(\S+): no class is called so, and no namespace",
    ]
    .iter()
    .map(|sentence| Regex::new(sentence).expect("each is a regular expression"))
    .collect()
});

/// What Clojure says of a namespace for which there is no file: the group is the path of its class.
static NO_NAMESPACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"Could not locate (\S+?)__init\.class").expect("it is a regular expression"));

/// The names that a text says are not bound.
fn names_in(text: &str) -> impl Iterator<Item = String> {
    let names = SENTENCES.iter().filter_map(move |sentence| {
        let name = sentence.captures(text)?.get(1)?.as_str();
        let name = name.trim_end_matches(['.', ',', ';', ':']).trim_matches(['`', '\'', '"', '‘', '’']);
        (!name.is_empty()).then(|| name.to_owned())
    });
    let class = NO_NAMESPACE.captures(text).and_then(|found| found.get(1));
    names.chain(class.map(|class| class.as_str().replace('/', ".").replace('_', "-")))
}

/// What work lacks that did not come to its end: names that no file of the project defines, one at least in each error.
/// A fresh image does not come further where another one has lacked them.
pub(crate) fn lacking(report: &EvalReport, unbound: &[Unbound]) -> Option<HashSet<String>> {
    let diagnostics = report.diagnostics.iter().filter(|one| one.severity == "error");
    let mut errors: Vec<&str> = diagnostics.map(|one| one.message.as_str()).collect();
    // A loader says no more of an error that has been located.
    if errors.is_empty()
        && let Ending::Error { error, .. } = &report.ending
    {
        errors.push(&error.message);
    }
    let is_unknown = |name: &String| unbound.iter().any(|one| one.name == *name && one.path.is_none());
    let mut lacking = HashSet::new();
    for error in errors {
        let names: Vec<String> = names_in(error).filter(is_unknown).collect();
        if names.is_empty() {
            return None;
        }
        lacking.extend(names);
    }
    Some(lacking).filter(|names| !names.is_empty())
}

/// The names that the report says are not bound, with what the files know of them.
pub(crate) async fn unbound_in(
    workshop: &Workshop,
    report: &EvalReport,
    loaded: HashSet<PathBuf>,
    context: &CallContext,
) -> Result<Vec<Unbound>, Refusal> {
    let diagnostics = report.diagnostics.iter().map(|one| one.message.as_str());
    let failures = report.tests.iter().flat_map(|tests| &tests.failed_tests).map(|test| test.reason.as_str());
    let mut names: Vec<String> = Vec::new();
    for name in diagnostics.chain(failures).flat_map(names_in) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut found = looked_up_each(workshop, report, names, loaded, context).await?;
    let dialect = report.runtime.dialect;
    for one in &mut found {
        let is_of_module = files_are_modules(dialect) || (files_name_others(dialect) && one.space.is_some());
        one.is_to_be_imported = is_of_module && one.path.is_some() && !one.name.contains('/');
    }
    Ok(found)
}

/// The names that the error of an evaluation says are not bound, with what the files know of them. `visit` is that of the
/// evaluation: code may have loaded files without anybody to note it.
pub(crate) async fn unbound_in_error(
    workshop: &Workshop,
    visit: &mut Visiting<'_>,
    report: &EvalReport,
    context: &CallContext,
) -> Result<Vec<Unbound>, Refusal> {
    let Ending::Error { error, .. } = &report.ending else { return Ok(Vec::new()) };
    let names: Vec<String> = names_in(&format!("{}: {}", error.type_name, error.message)).collect();
    let mut loaded = workshop.ledger.files_of(&report.session);
    if !names.is_empty() && !error.kept {
        for LoadedFile { path, state, .. } in loaded_files(visit, &project(workshop)).await.unwrap_or_default() {
            match state {
                FileState::Same => loaded.insert(PathBuf::from(path)),
                // What was added to the file since is not loaded.
                FileState::Changed | FileState::Gone => loaded.remove(Path::new(&path)),
            };
        }
    }
    looked_up_each(workshop, report, names, loaded, context).await
}

async fn looked_up_each(
    workshop: &Workshop,
    report: &EvalReport,
    mut names: Vec<String>,
    loaded: HashSet<PathBuf>,
    context: &CallContext,
) -> Result<Vec<Unbound>, Refusal> {
    names.truncate(MOST_NAMES);
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let (root, dialect) = (workshop.roots.primary().to_owned(), report.runtime.dialect);
    indexed(workshop, context, move |index, _| {
        names.into_iter().map(|name| looked_up(index, dialect, name, &loaded, &root)).collect()
    })
    .await
}

/// What the files know of a name.
fn looked_up<'i>(index: &'i Index, dialect: Dialect, name: String, loaded: &HashSet<PathBuf>, root: &Path) -> Unbound {
    // The home of the name is not always the package that was searched.
    let plain = name.rsplit([':', '/']).next().unwrap_or(&name);
    let found = [name.as_str(), plain].into_iter().flat_map(|name| index.definitions(name, None));
    let mut found: Vec<(&Document, &Definition)> = found
        .filter(|(document, one)| {
            document.dialect == dialect && !matches!(one.kind, FormKind::Addition | FormKind::Test)
        })
        .collect();
    // What is not loaded explains more.
    found.sort_by_key(|(document, _)| loaded.contains(&document.path));
    let space = || index.spaces(&name).into_iter().next();
    // A module can give out a name under this one.
    let given_out = || {
        let spaces = index.documents().filter(|document| document.dialect == dialect);
        let mut spaces = spaces.flat_map(|document| document.facts.spaces.iter().map(move |space| (document, space)));
        spaces.find(|(_, space)| space.renamed.iter().any(|(_, outer)| outer == plain))
    };
    let place = match found.first() {
        Some((document, one)) => {
            let form = &document.facts.forms[one.form as usize];
            Some((*document, form.span.start, one.package()))
        }
        None => {
            let declared = space().map(|(document, space)| (document, space.at, None));
            declared.or_else(|| {
                let named = |space: &'i Space| (!files_are_modules(dialect)).then_some(space.name.as_str());
                given_out().map(|(document, space)| (document, space.at, named(space)))
            })
        }
    };
    let document = place.map(|(document, ..)| document);
    let library = library_of(dialect, plain).filter(|_| place.is_none());
    Unbound {
        path: document.map(|document| relative(&document.path.to_string_lossy(), root)),
        line: place.map(|(document, at, _)| document.line(at)),
        space: place.and_then(|(.., space)| space).map(str::to_owned),
        system: document.and_then(|document| index.system_of(&document.path)).map(str::to_owned),
        is_to_be_imported: false,
        is_loaded: document.is_some_and(|document| loaded.contains(&document.path)),
        library: library.map(str::to_owned),
        nearest: if place.is_none() && library.is_none() { index.nearest(&name, 2) } else { Vec::new() },
        name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_of_the_language_has_names_of_its_own() {
        let library = |name| library_of(Dialect::EmacsLisp, name);
        assert_eq!((library("cl-loop"), library("cl-till"), library("car")), (Some("cl-lib"), None, None));
        assert_eq!((library("string-join"), library("seq-mapcat")), (Some("subr-x"), Some("seq")));
        assert_eq!(library_of(Dialect::CommonLisp, "string-join"), None);
    }

    #[test]
    fn names_are_found_in_the_words_of_each_implementation() {
        for (text, name) in [
            ("The function SHOP::HELPER is undefined.", "SHOP::HELPER"),
            ("UNBOUND-VARIABLE: The variable *X* is unbound.", "*X*"),
            ("undefined variable: SHOP::NO-SUCH", "SHOP::NO-SUCH"),
            ("The name \"SHOP\" does not designate any package.", "SHOP"),
            ("EVAL: undefined function FOO", "FOO"),
            ("SYSTEM::READ-EVAL-PRINT: variable X has no value", "X"),
            ("There is no package with the name SHOP.", "SHOP"),
            ("There exists no package with name \"SHOP\"", "SHOP"),
            ("READ: there is no package with name \"SHOP\"", "SHOP"),
            ("unbound-variable: Unbound variable: old-name", "old-name"),
            ("variable old-name is not bound", "old-name"),
            ("f: unbound identifier in module in: f", "f"),
            ("void-function: with-playground", "with-playground"),
            ("Symbol’s function definition is void: with-playground", "with-playground"),
            ("Cannot open load file: No such file or directory, heavy-test-helpers", "heavy-test-helpers"),
            ("Unable to resolve symbol: foo in this context", "foo"),
            ("No such var: c/netto", "c/netto"),
            ("Could not locate shop/gone__init.class, shop/gone.clj or shop/gone.cljc on classpath.", "shop.gone"),
            ("no code for module (shop gone)", "(shop gone)"),
            ("exn:fail:contract:variable: grind: undefined;\n cannot reference an identifier", "grind"),
        ] {
            assert_eq!(names_in(text).next().as_deref(), Some(name), "{text}");
        }
        for text in ["The value 1 is not of type LIST", "The variable is a list and the function is undefined here"] {
            assert_eq!(names_in(text).next(), None, "{text}");
        }
    }
}
