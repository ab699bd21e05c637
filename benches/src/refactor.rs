//! How often a rename, and a change of a signature, is written, and whether the compiler of the language takes what was
//! written.
//!
//! Names are chosen at random in libraries that compile. Each is renamed, or gets one more parameter, by the command
//! in a copy of its library, which is compiled again as a whole. A change is wrong if the compiler says something
//! that it did not say of the unchanged library under the old name. A library counts only if the compiler notices a name
//! that is changed in its definition alone.

mod oracle;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lispwright_index::{Document, Index};
use lispwright_syntax::{Dialect, FormKind, Language, Span};

use crate::Setting;
use crate::repair::random::Random;
use crate::table::Row;
use oracle::Library;

/// Changes of each kind in each language.
const CHANGES: usize = 20;

/// Definitions whose name is changed alone before a library is given up.
const CONTROLS: usize = 12;

/// The code of a language.
struct Section {
    name: &'static str,
    folder: &'static str,
    dialect: Dialect,
    /// Libraries: their directories below the folder, each with the system that loads it, where there are such.
    libraries: &'static [(&'static str, &'static str)],
}

const SECTIONS: [Section; 5] = [
    Section {
        name: "Common Lisp (SBCL)",
        folder: "common-lisp",
        dialect: Dialect::CommonLisp,
        libraries: &[
            ("cl-chunga", "chunga"),
            ("cl-csv", "cl-csv"),
            ("cl-drakma", "drakma"),
            ("cl-flexi-streams", "flexi-streams"),
            ("cl-hunchentoot", "hunchentoot"),
            ("cl-iterate", "iterate"),
            ("cl-lparallel", "lparallel"),
            ("cl-ppcre", "cl-ppcre"),
            ("cl-quri", "quri"),
            ("cl-salza2", "salza2"),
            ("cl-unicode", "cl-unicode"),
            ("cl-who", "cl-who"),
            ("cl-xmls", "xmls"),
            ("cl-yason", "yason"),
        ],
    },
    Section {
        name: "Guile",
        folder: "guile",
        dialect: Dialect::Scheme,
        libraries: &[("guile-3.0-libs/sxml", ""), ("guile-3.0-libs/texinfo", ""), ("guile-3.0-libs/web", "")],
    },
    Section {
        name: "Emacs Lisp",
        folder: "emacs-lisp",
        dialect: Dialect::EmacsLisp,
        libraries: &[
            ("emacs-el/calendar", ""),
            ("emacs-el/erc", ""),
            ("emacs-el/eshell", ""),
            ("emacs-el/mail", ""),
            ("emacs-el/play", ""),
            ("emacs-el/vc", ""),
        ],
    },
    Section {
        name: "Clojure",
        folder: "clojure",
        dialect: Dialect::Clojure,
        libraries: &[
            ("libclout-clojure", ""),
            ("libcompojure-clojure", ""),
            ("libcore-match-clojure", ""),
            ("libdata-json-clojure", ""),
            ("libhiccup-clojure", ""),
            ("libhoneysql-clojure", ""),
            ("libinstaparse-clojure", ""),
            ("libmedley-clojure", ""),
            ("libring-core-clojure", ""),
            ("libspecter-clojure", ""),
            ("libtools-cli-clojure", ""),
            ("libtools-namespace-clojure", ""),
        ],
    },
    Section {
        name: "Racket",
        folder: "racket",
        dialect: Dialect::Racket,
        libraries: &[
            ("racket-common/data", ""),
            ("racket-common/db", ""),
            ("racket-common/file", ""),
            ("racket-common/net", ""),
            ("racket-common/openssl", ""),
            ("racket-common/xml", ""),
        ],
    },
];

/// What is changed of a definition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Name,
    Parameters,
}

const KINDS: [(Kind, &str); 2] = [(Kind::Name, "rename"), (Kind::Parameters, "one more parameter")];

#[derive(Clone, Copy, Default)]
struct Score {
    right: usize,
    wrong: usize,
    refused: usize,
}

/// A definition that may be changed.
#[derive(Clone)]
struct Subject {
    path: PathBuf,
    /// The place of its name.
    place: Span,
    name: String,
    /// The words between the brackets of its parameters, if they are plain names, with the opener.
    parameters: Option<(char, Vec<String>)>,
}

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut table = String::from(
        "| language | change | tried | written, and the compiler takes it | written, and it does not | refused |\n\
         | --- | --- | ---: | ---: | ---: | ---: |\n",
    );
    let mut log = String::new();
    for section in &SECTIONS {
        if !setting.corpus.join(section.folder).is_dir() {
            continue;
        }
        let scores = measured(section, setting, &mut log);
        for (kind, word) in KINDS {
            let score = scores.get(&kind).copied().unwrap_or_default();
            let tried = score.right + score.wrong + score.refused;
            table.push_str(&format!(
                "| {} | {word} | {tried} | {} | {} | {} |\n",
                section.name, score.right, score.wrong, score.refused
            ));
            let written = score.right + score.wrong;
            rows.push(Row {
                what: format!("refactor: {word}, written, {}", section.name),
                measured: format!("{:.0} % of {tried}, {} wrong", share(written, tried), score.wrong),
                baseline: "the compiler".to_owned(),
                elsewhere: "-",
                target: "90 %, none wrong",
                met: score.wrong == 0 && share(written, tried) >= 90.0,
            });
            for (name, text) in [("refactor.md", &table), ("refactor-log.txt", &log)] {
                let path = setting.scratch.join(name);
                if let Err(error) = fs::write(&path, text) {
                    eprintln!("{}: {error}", path.display());
                }
            }
        }
    }
    rows
}

fn share(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

fn measured(section: &Section, setting: &Setting, log: &mut String) -> BTreeMap<Kind, Score> {
    let mut random = Random::new(28);
    let mut scores: BTreeMap<Kind, Score> = BTreeMap::new();
    let each = CHANGES.div_ceil(section.libraries.len());
    for (directory, system) in section.libraries {
        let library =
            Library::copied(section.dialect, &setting.corpus, section.folder, directory, system, &setting.scratch);
        let library = match library {
            Ok(library) => library,
            Err(error) => {
                eprintln!("{directory}: {error}");
                continue;
            }
        };
        let before = library.told();
        let subjects = subjects(section.dialect, &library);
        let mut controls = subjects.clone();
        let controls =
            std::iter::from_fn(|| (!controls.is_empty()).then(|| controls.swap_remove(random.below(controls.len()))));
        if !controls.take(CONTROLS).any(|one| library.notices(&before, &one.path, one.place)) {
            eprintln!("{directory} does not count: the compiler notices no fault in it");
            log.push_str(&format!("left out {directory}: {}\n", before.iter().next().map_or("", String::as_str)));
            continue;
        }
        for (kind, _) in KINDS {
            let wanted = |one: &&Subject| kind == Kind::Name || one.parameters.is_some();
            let mut left: Vec<&Subject> = subjects.iter().filter(wanted).collect();
            for _ in 0..each {
                if left.is_empty() {
                    break;
                }
                let subject = left.swap_remove(random.below(left.len()));
                let (new, words) = request(section.dialect, kind, subject, &mut random);
                let score = scores.entry(kind).or_default();
                let shown = format!("{directory} {} in {}", subject.name, subject.path.display());
                match library.changed(&setting.binary, &words, &subject.path) {
                    Err(said) => {
                        score.refused += 1;
                        log.push_str(&format!("refused {shown}: {said}\n"));
                    }
                    Ok(()) => match library.news(&before, &subject.name, &new) {
                        None => score.right += 1,
                        Some(news) => {
                            score.wrong += 1;
                            log.push_str(&format!("WRONG {shown}: {news}\n"));
                        }
                    },
                }
                library.restore();
            }
        }
    }
    scores
}

/// The new name, and the command and its arguments.
fn request(dialect: Dialect, kind: Kind, subject: &Subject, random: &mut Random) -> (String, Vec<String>) {
    let name = subject.name.clone();
    if let (Kind::Parameters, Some((opener, words))) = (kind, &subject.parameters) {
        let mut words = words.clone();
        words.insert(random.below(words.len() + 1), "new-one".to_owned());
        let closer = if *opener == '[' { ']' } else { ')' };
        let value = if dialect == Dialect::Clojure { "new-one=:new" } else { "new-one='new" };
        let list = format!("{opener}{}{closer}", words.join(" "));
        return ("new-one".to_owned(), vec!["change-signature".into(), name, list, "--value".into(), value.into()]);
    }
    let middle = name.trim_matches(['*', '+']);
    let new = match name.split_once(middle).filter(|_| !middle.is_empty()) {
        Some((before, after)) => format!("{before}{}-new{after}", middle.trim_end_matches(['?', '!'])),
        None => format!("{name}-new"),
    };
    (new.clone(), vec!["rename".into(), name, new])
}

/// The definitions of functions, macros and variables, each name once.
fn subjects(dialect: Dialect, library: &Library) -> Vec<Subject> {
    let mut index = Index::default();
    let language =
        |path: &Path, text: &str| Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Language::from);
    index.refresh([library.root.as_path()], &language);
    let mut found: BTreeMap<String, Subject> = BTreeMap::new();
    for document in index.documents().filter(|one| one.dialect == dialect && library.has(&one.path)) {
        for one in document.facts.definitions.iter().filter(|one| !one.made) {
            let is_wanted = matches!(one.kind, FormKind::Function | FormKind::Macro | FormKind::Variable);
            let name = if dialect.folds_case() { one.name.to_lowercase() } else { one.name.clone() };
            let is_plain = name.chars().all(|c| c.is_alphanumeric() || "-*+?!/<>=%_".contains(c)) && name.len() > 2;
            if is_wanted && is_plain && !found.contains_key(&name) {
                let parameters = parameters(document, one.form);
                let (path, place) = (document.path.clone(), document.facts.forms[one.form as usize].name);
                found.insert(name.clone(), Subject { path, place, name, parameters });
            }
        }
    }
    found.into_values().collect()
}

/// The parameters of a function that are written right after its name.
fn parameters(document: &Document, form: u32) -> Option<(char, Vec<String>)> {
    let form = &document.facts.forms[form as usize];
    if form.kind != FormKind::Function {
        return None;
    }
    let is_header = document.text[..form.name.start as usize].ends_with('(');
    let after = document.text.get(form.name.end as usize..)?;
    let (opener, inner) = match after.trim_start() {
        _ if is_header => ('(', after),
        after => (after.chars().next().filter(|first| "([".contains(*first))?, after.get(1..)?),
    };
    let end = inner.find(if opener == '[' { ']' } else { ')' })?;
    let inner = &inner[..end];
    let is_plain = inner.chars().all(|c| c.is_alphanumeric() || c.is_whitespace() || "-*+?!/<>=%_".contains(c));
    is_plain.then(|| (opener, inner.split_whitespace().map(str::to_owned).collect()))
}
