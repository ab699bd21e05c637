//! Changes of parameters, in all dialects.
#![allow(clippy::unwrap_used)]

mod clojure;
mod common_lisp;
mod emacs_lisp;
mod scheme;
mod values;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lispwright_index::Index;
use lispwright_refactor::{
    LookReason, OpenReason, SignatureChange, SignatureRefusal, SignatureRequest, change_signature,
};
use lispwright_syntax::{Dialect, Language};

fn language(path: &Path, text: &str) -> Option<Language> {
    Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Into::into)
}

/// The files of a project: a line `== PATH` begins each.
fn files(project: &str) -> Vec<(String, String)> {
    let parts = project.split("== ").skip(1);
    parts.map(|part| part.split_once('\n').unwrap()).map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

fn map(pairs: &str, sign: char) -> BTreeMap<String, String> {
    let pairs = pairs.split(';').filter(|pair| !pair.trim().is_empty());
    pairs
        .map(|pair| pair.trim().split_once(sign).unwrap())
        .map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned()))
        .collect()
}

/// What a change makes of a project: the files, then what it tells, or the refusal. A request is
/// `SYMBOL (PARAMETERS) ; old>new ; name=value ; arity=N`, where all but the symbol can be left out.
fn changed(project: &str, request: &str) -> String {
    let top = tempfile::tempdir().unwrap();
    let root = top.path().canonicalize().unwrap();
    for (path, text) in files(project) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut index = Index::default();
    index.refresh([root.as_path()], &language);
    let (what, options) = request.split_once(';').unwrap_or((request, ""));
    let (symbol, parameters) = what.trim().split_once(' ').unwrap_or((what.trim(), ""));
    let option =
        |sign: char| -> String { options.split(';').filter(|one| one.contains(sign)).collect::<Vec<_>>().join(";") };
    let mut values = map(&option('='), '=');
    let arity = values.remove("arity").map(|arity| arity.parse().unwrap());
    let (package, symbol) = symbol.split_once('/').map_or((None, symbol), |(package, name)| (Some(package), name));
    let done = change_signature(
        &index,
        &SignatureRequest {
            symbol,
            package,
            parameters: Some(parameters).filter(|given| !given.trim().is_empty()),
            rename: &map(&option('>'), '>'),
            values: &values,
            arity,
            is_here: &|_| true,
            language_of: &language,
        },
    );
    match done {
        Ok(change) => told(&change, project, &root),
        Err(refusal) => refused(&refusal),
    }
}

fn told(change: &SignatureChange, project: &str, root: &Path) -> String {
    let mut after = String::new();
    for (path, text) in files(project) {
        let changed = change.files.iter().find(|file| file.path.strip_prefix(root).unwrap() == Path::new(&path));
        let text = changed.map_or(text.as_str(), |file| file.new_text.as_str());
        after.push_str(&format!("== {path}\n{text}"));
    }
    let mut told = format!("-- {} definitions, {} methods, {} calls", change.definitions, change.methods, change.calls);
    for one in &change.open {
        let why = match &one.why {
            OpenReason::Possible(reason) => reason.name().to_owned(),
            why => format!("{why:?}").to_lowercase(),
        };
        told.push_str(&format!("\nopen {}: {why}", one.spot.line));
    }
    for (spot, why) in &change.look_at {
        let why = match why {
            LookReason::Documentation(name) => format!("documentation of {name}"),
            why => format!("{why:?}").to_lowercase(),
        };
        told.push_str(&format!("\nlook at {}: {why}", spot.line));
    }
    let lines = |name: &str, spots: &[lispwright_refactor::Spot]| -> String {
        spots.iter().map(|spot| format!("\n{name} {}", spot.line)).collect()
    };
    told.push_str(&lines("reordered", &change.reordered));
    told.push_str(&lines("dropped", &change.dropped));
    told.push_str(&lines("symbol", &change.symbols));
    format!("{after}{told}\n")
}

fn refused(refusal: &SignatureRefusal) -> String {
    let lines = |spots: &[lispwright_refactor::Spot]| {
        spots.iter().map(|spot| spot.line.to_string()).collect::<Vec<_>>().join(", ")
    };
    let text = match refusal {
        SignatureRefusal::StillUsed { name, spots } => format!("{name} still used in {}", lines(spots)),
        SignatureRefusal::Taken { name, spot } => format!("{name} taken in {}", spot.line),
        SignatureRefusal::TooLate { name, spot } => format!("{name} too late in {}", spot.line),
        SignatureRefusal::NeedsValue { name } => format!("{name} needs a value"),
        SignatureRefusal::BadParameters { why } => why.clone(),
        SignatureRefusal::NoParameter { name, known } => format!("no {name} in {}", known.join(" ")),
        SignatureRefusal::Several { lists } => {
            let all: Vec<String> = lists.iter().map(|(list, required)| format!("{list} {required}")).collect();
            format!("several: {}", all.join(", "))
        }
        SignatureRefusal::Comment { spot } => format!("comment in {}", spot.line),
        SignatureRefusal::NoParameters { spot } => format!("no parameters in {}", spot.line),
        SignatureRefusal::Same { list } => format!("same {list}"),
        other => format!("{other:?}"),
    };
    format!("refused: {text}\n")
}

/// Checks a change of one file.
#[track_caller]
fn check(path: &str, before: &str, request: &str, after: &str) {
    let project = format!("== {path}\n{before}");
    let found = changed(&project, request);
    let found = found.strip_prefix(&format!("== {path}\n")).unwrap_or(&found);
    assert_eq!(found, after, "\n{found}");
}

/// Checks a change of several files.
#[track_caller]
fn check_all(project: &str, request: &str, after: &str) {
    let found = changed(project, request);
    assert_eq!(found, after, "\n{found}");
}
