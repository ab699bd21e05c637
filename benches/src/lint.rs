//! How many faults that the compiler of the language tells the linter tells, too, and at the same line.
//!
//! Faults are planted one at a time in files of libraries that compile. The compiler judges each changed file and the
//! unchanged one; a fault counts if it says something new. It is found if the linter says something new at
//! the lines of the call, or the line of the name, that is wrong, or of the name that is misspelt there, or of the name
//! of which the compiler says it: a parameter that is dropped is told where it is used, and so is a call that has now
//! too many arguments.
//! Beside it, what the linter tells of the unchanged files is counted, and how much of it the compiler tells.

mod oracle;
mod plant;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lispwright_index::{Index, Libraries};
use lispwright_lint::{Finding, Severity, lint, new_since, rules};
use lispwright_runtime::library_exports;
use lispwright_syntax::{Dialect, Language, read};

use crate::Setting;
use crate::repair::random::Random;
use crate::table::Row;
use oracle::Case;
use plant::{Fault, Planted};

/// The code of a language in which faults are planted.
struct Section {
    name: &'static str,
    folder: &'static str,
    dialect: Dialect,
    /// Projects: their directories below the folder, each with the system that loads it, where there are such.
    projects: &'static [(&'static str, &'static str)],
}

const SECTIONS: [Section; 5] = [
    Section {
        name: "Common Lisp (SBCL)",
        folder: "common-lisp",
        dialect: Dialect::CommonLisp,
        projects: &[
            ("cl-alexandria", "alexandria"),
            ("cl-ppcre", "cl-ppcre"),
            ("cl-flexi-streams", "flexi-streams"),
            ("cl-chunga", "chunga"),
            ("cl-babel", "babel"),
            ("cl-drakma", "drakma"),
            ("cl-hunchentoot", "hunchentoot"),
            ("cl-who", "cl-who"),
            ("cl-local-time", "local-time"),
            ("cl-iterate", "iterate"),
            ("cl-esrap", "esrap"),
            ("cl-lparallel", "lparallel"),
            ("cl-csv", "cl-csv"),
            ("cl-yason", "yason"),
            ("cl-quri", "quri"),
            ("cl-fiveam", "fiveam"),
            ("cl-postgres", "cl-postgres"),
            ("cl-postmodern", "postmodern"),
            ("cl-s-sql", "s-sql"),
            ("cl-salza2", "salza2"),
            ("cl-chipz", "chipz"),
            ("cl-xmls", "xmls"),
            ("cl-usocket", "usocket"),
            ("cl-zpb-ttf", "zpb-ttf"),
            ("cl-mustache", "cl-mustache"),
        ],
    },
    Section {
        name: "Guile",
        folder: "guile",
        dialect: Dialect::Scheme,
        projects: &[
            ("guile-3.0-libs/ice-9", ""),
            ("guile-3.0-libs/language", ""),
            ("guile-3.0-libs/oop", ""),
            ("guile-3.0-libs/scripts", ""),
            ("guile-3.0-libs/srfi", ""),
            ("guile-3.0-libs/sxml", ""),
            ("guile-3.0-libs/system", ""),
            ("guile-3.0-libs/texinfo", ""),
            ("guile-3.0-libs/web", ""),
        ],
    },
    Section {
        name: "Emacs Lisp",
        folder: "emacs-lisp",
        dialect: Dialect::EmacsLisp,
        projects: &[
            ("emacs-el/calendar", ""),
            ("emacs-el/erc", ""),
            ("emacs-el/eshell", ""),
            ("emacs-el/mail", ""),
            ("emacs-el/net", ""),
            ("emacs-el/play", ""),
            ("emacs-el/textmodes", ""),
            ("emacs-el/vc", ""),
        ],
    },
    Section {
        name: "Clojure",
        folder: "clojure",
        dialect: Dialect::Clojure,
        projects: &[
            ("libnrepl-clojure/nrepl", ""),
            ("libring-core-clojure/ring-core", ""),
            ("libtools-deps-clojure/tools.deps", ""),
            ("libcore-async-clojure/core.async", ""),
            ("libdata-xml-clojure/data.xml", ""),
            ("libcore-match-clojure/core.match", ""),
            ("libtools-namespace-clojure/tools.namespace", ""),
            ("libparsley-clojure/parsley", ""),
            ("libhiccup-clojure/hiccup", ""),
            ("libinstaparse-clojure/instaparse", ""),
            ("libliberator-clojure/liberator", ""),
            ("libstencil-clojure/stencil", ""),
            ("libcompojure-clojure/compojure", ""),
            ("libregex-clojure/regex", ""),
            ("libring-headers-clojure/ring-headers", ""),
            ("libtrapperkeeper-clojure/trapperkeeper", ""),
            ("libpuppetlabs-i18n-clojure/puppetlabs-i18n", ""),
            ("libordered-clojure/ordered", ""),
            ("libclj-stacktrace-clojure/clj-stacktrace", ""),
            ("libtools-logging-clojure/tools.logging", ""),
            ("libtools-gitlibs-clojure/tools.gitlibs", ""),
            ("libjava-jdbc-clojure/java.jdbc", ""),
            ("libdynapath-clojure/dynapath", ""),
            ("libdata-json-clojure/data.json", ""),
            ("libtools-cli-clojure/tools.cli", ""),
            ("libdata-csv-clojure/data.csv", ""),
            ("libmedley-clojure/medley", ""),
            ("libclout-clojure/clout", ""),
            ("libcomidi-clojure/comidi", ""),
            ("libat-at-clojure/at-at", ""),
            ("libtools-trace-clojure/tools.trace", ""),
            ("libhoneysql-clojure/honeysql", ""),
            ("liblambdaisland-uri-clojure/uri", ""),
            ("libslingshot-clojure/slingshot", ""),
            ("libpomegranate-clojure/pomegranate", ""),
            ("libbultitude-clojure/bultitude", ""),
        ],
    },
    Section {
        name: "Racket",
        folder: "racket",
        dialect: Dialect::Racket,
        projects: &[
            ("racket-common/racket", ""),
            ("racket-common/syntax", ""),
            ("racket-common/setup", ""),
            ("racket-common/compiler", ""),
            ("racket-common/ffi", ""),
            ("racket-common/file", ""),
            ("racket-common/planet", ""),
            ("racket-common/xml", ""),
            ("racket-common/net", ""),
            ("racket-common/db", ""),
            ("racket-common/openssl", ""),
            ("racket-common/data", ""),
        ],
    },
];

/// Files of each section in which faults are planted.
const FILES: usize = 50;
/// Faults of each kind that are planted in each section.
const FAULTS: usize = 40;
/// Bytes of a file at most.
const MOST_BYTES: u64 = 50_000;

/// A file in which faults are planted.
struct Ground {
    project: usize,
    path: PathBuf,
    text: String,
    planted: Vec<Planted>,
}

#[derive(Default)]
struct Score {
    told: usize,
    found: usize,
}

/// What a section gave.
#[derive(Default)]
struct Result {
    faults: BTreeMap<Fault, Score>,
    lines: usize,
    /// What the linter tells of the unchanged files, and how much of it the compiler tells.
    alarms: usize,
    confirmed: usize,
}

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut table = String::from("| language |");
    for fault in Fault::ALL {
        table.push_str(&format!(" {} |", fault.name()));
    }
    table.push_str(" all | told of unchanged files, per 5,000 lines | of these by the compiler, too |\n| --- |");
    table.push_str(&" ---: |".repeat(Fault::ALL.len() + 3));
    table.push('\n');
    let mut log = String::new();
    for section in &SECTIONS {
        if !setting.corpus.join(section.folder).is_dir() {
            continue;
        }
        let result = measured(section, setting, &mut log);
        let (told, found) = result.faults.values().fold((0, 0), |(a, b), one| (a + one.told, b + one.found));
        table.push_str(&format!("| {} |", section.name));
        for fault in Fault::ALL {
            match result.faults.get(&fault).filter(|one| one.told > 0) {
                Some(one) => table.push_str(&format!(" {} of {} |", one.found, one.told)),
                None => table.push_str(" - |"),
            }
        }
        let share = 100.0 * found as f64 / told.max(1) as f64;
        let alarms = 5000.0 * result.alarms as f64 / result.lines.max(1) as f64;
        table.push_str(&format!(
            " {found} of {told}: {share:.0} % | {alarms:.1} ({} in {}) | {} |\n",
            result.alarms, result.lines, result.confirmed
        ));
        rows.push(Row {
            what: format!("lint: faults found that the compiler tells, {}", section.name),
            measured: format!("{share:.0} % of {told}"),
            baseline: "the compiler".to_owned(),
            elsewhere: "-",
            target: "90 %",
            met: share >= 90.0,
        });
        for (name, text) in [("lint-found.md", &table), ("lint-log.txt", &log)] {
            let path = setting.scratch.join(name);
            if let Err(error) = fs::write(&path, text) {
                eprintln!("{}: {error}", path.display());
            }
        }
    }
    rows
}

fn measured(section: &Section, setting: &Setting, log: &mut String) -> Result {
    let home = setting.corpus.join(section.folder);
    let mut random = Random::new(32);
    let mut grounds = grounds(section, &home, &mut random);
    for fault in Fault::ALL {
        let mut tries = 0;
        let mut count = 0;
        while count < FAULTS && tries < 20 * FAULTS && !grounds.is_empty() {
            tries += 1;
            let at = random.below(grounds.len());
            let ground = &mut grounds[at];
            let Some(planted) = plant::plant(&ground.text, section.dialect, fault, &mut random) else { continue };
            ground.planted.push(planted);
            count += 1;
        }
    }
    grounds.retain(|ground| !ground.planted.is_empty());
    let cases: Vec<Case> = grounds
        .iter()
        .enumerate()
        .flat_map(|(number, ground)| {
            let texts = std::iter::once(&ground.text).chain(ground.planted.iter().map(|one| &one.text));
            let context = match section.dialect {
                Dialect::Racket => ground.path.display().to_string(),
                _ => section.projects[ground.project].1.to_owned(),
            };
            texts.enumerate().map(move |(at, text)| Case {
                name: format!("{number}.{at}"),
                context: context.clone(),
                text,
            })
        })
        .collect();
    let scratch = setting.scratch.join("lint").join(section.folder);
    let told = oracle::ask(section.dialect, &cases, &home, &scratch);
    let mut result = Result::default();
    for project in 0..section.projects.len() {
        let own: Vec<(usize, &Ground)> =
            grounds.iter().enumerate().filter(|(_, ground)| ground.project == project).collect();
        if own.is_empty() {
            continue;
        }
        let libraries = Libraries::new([(section.dialect, home.clone())]).asking(Box::new(library_exports));
        let mut index = Index::with_libraries(libraries);
        let language =
            |path: &Path, text: &str| Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Language::from);
        index.refresh([home.join(section.projects[project].0).as_path()], &language);
        for (number, ground) in own {
            judge(section, &index, number, ground, &told, &mut result, log);
        }
    }
    result
}

/// Some files of the section that balance.
fn grounds(section: &Section, home: &Path, random: &mut Random) -> Vec<Ground> {
    let mut all = Vec::new();
    for (project, (directory, _)) in section.projects.iter().enumerate() {
        for path in crate::repair::sample::files(&home.join(directory)) {
            let is_right = Dialect::detect(&path.to_string_lossy(), b"") == Some(section.dialect)
                && path.extension().is_none_or(|ending| ending != "asd" && ending != "cljs")
                && !path.to_string_lossy().contains("test")
                && path.metadata().is_ok_and(|data| data.len() <= MOST_BYTES);
            if let Ok(text) = fs::read_to_string(&path)
                && is_right
                && read(&text, section.dialect).is_balanced()
            {
                all.push(Ground { project, path, text, planted: Vec::new() });
            }
        }
    }
    let mut chosen = Vec::new();
    while chosen.len() < FILES && !all.is_empty() {
        chosen.push(all.swap_remove(random.below(all.len())));
    }
    chosen
}

/// Compares what is told of a file and of each of its faults.
fn judge(
    section: &Section,
    index: &Index,
    number: usize,
    ground: &Ground,
    told: &oracle::Told,
    result: &mut Result,
    log: &mut String,
) {
    let Some(base) = told.get(&format!("{number}.0")) else { return };
    let before = findings(index, section.dialect, &ground.path);
    let name = ground.path.display();
    result.lines += ground.text.lines().count();
    for (line, one) in before.iter().filter(|(_, one)| one.severity != Severity::Hint) {
        let word = one.message.split('`').nth(1).unwrap_or_default().to_lowercase();
        let word = word.rsplit(':').next().unwrap_or_default();
        let is_told = base.iter().any(|text| text.to_lowercase().contains(word));
        result.alarms += 1;
        result.confirmed += usize::from(is_told);
        let mark = if is_told { "confirmed" } else { "alarm" };
        log.push_str(&format!("{mark} {name}:{line}: {} [{}]\n", one.message, one.rule));
    }
    let known: Vec<Finding> = before.into_iter().map(|(_, one)| one).collect();
    for (at, planted) in ground.planted.iter().enumerate() {
        let Some(said) = told.get(&format!("{number}.{}", at + 1)) else { continue };
        let Some(news) = oracle::news(base, said) else { continue };
        let language = Language::from(section.dialect);
        let changed = index.with([(ground.path.clone(), planted.text.clone(), language)]);
        let after = findings(&changed, section.dialect, &ground.path);
        let all: Vec<Finding> = after.iter().map(|(_, one)| one.clone()).collect();
        let new = new_since(&known, &all);
        let is_new = |one: &Finding| new.contains(&one);
        let here: Vec<&(u32, Finding)> = after.iter().filter(|(_, one)| is_new(one)).collect();
        let names = |one: &Finding| {
            let message = one.message.to_lowercase();
            planted.names.iter().flatten().any(|name| message.contains(name.as_str()))
        };
        let said: Vec<String> = news.to_lowercase().split(is_end_of_name).map(str::to_owned).collect();
        let is_said = |one: &Finding| {
            let name = one.message.split('`').nth(1).unwrap_or_default().to_lowercase();
            name.len() > 2 && said.iter().any(|word| word.rsplit(':').next() == Some(name.as_str()))
        };
        let is_found = here.iter().any(|(line, one)| planted.lines.contains(line) || names(one) || is_said(one));
        let score = result.faults.entry(planted.fault).or_default();
        score.told += 1;
        score.found += usize::from(is_found);
        let mark = if is_found { "found" } else { "MISSED" };
        log.push_str(&format!(
            "{mark} {} {name}:{}: {} | {news}\n",
            planted.fault.name(),
            planted.lines.start(),
            planted.shown
        ));
        for (line, one) in here.iter().filter(|(line, _)| !planted.lines.contains(line)) {
            log.push_str(&format!("    elsewhere {line}: {} [{}]\n", one.message, one.rule));
        }
    }
}

/// No name of a symbol goes on here, in what a compiler says.
fn is_end_of_name(next: char) -> bool {
    next.is_whitespace() || "()`'‘’,;\"".contains(next)
}

/// What the rules that are on find in a file, each with its line.
fn findings(index: &Index, dialect: Dialect, path: &Path) -> Vec<(u32, Finding)> {
    let question = index.question(dialect);
    let Some(document) = index.document(path) else { return Vec::new() };
    let found = lint(&question, document, &rules::defaults());
    found.into_iter().map(|one| (document.line(one.span.start), one)).collect()
}
