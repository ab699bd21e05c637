//! Projects of some small files in one string: a line `== PATH` begins each.
#![allow(clippy::unwrap_used, dead_code, unreachable_pub)]

use std::fs;
use std::path::Path;

use lispwright_index::Index;
use lispwright_refactor::{Doubt, MentionKind, Rename, RenameRefusal, RenameRequest, Spot, rename, rename_any};
use lispwright_syntax::{Dialect, Language};

/// The files of a project: path and text.
pub fn files(project: &str) -> Vec<(String, String)> {
    let parts = project.split("== ").skip(1);
    parts.map(|part| part.split_once('\n').unwrap()).map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

fn language(path: &Path, text: &str) -> Option<Language> {
    Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Into::into)
}

/// A rename of `old` (`package/name` if it has a package) with its outcome: the changed files as a project, or the
/// refusal in a line.
pub fn renamed(
    project: &str,
    old: &str,
    new_name: &str,
    also: &[MentionKind],
) -> (Result<Rename, RenameRefusal>, String) {
    let top = tempfile::tempdir().unwrap();
    let root = top.path().canonicalize().unwrap();
    for (path, text) in files(project) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut index = Index::default();
    index.refresh([root.as_path()], &language);
    let qualified = old.split_once('/').filter(|_| !old.starts_with(':'));
    let (package, symbol) = qualified.map_or((None, old), |(package, name)| (Some(package), name));
    let is_here = |_: &Path| true;
    let request = RenameRequest {
        symbol,
        package,
        new_name,
        is_here: &is_here,
        told: &|_, _| None,
        also,
        language_of: &language,
    };
    let done = match symbol.contains(['.', ':']) {
        true => rename_any(&index, &request),
        false => rename(&index, &request),
    };
    let done = match done {
        Err(RenameRefusal::Derived { .. }) => rename_any(&index, &request),
        done => done,
    };
    let relative = |path: &Path| path.strip_prefix(&root).unwrap_or(path).display().to_string();
    let text = match &done {
        Ok(rename) => {
            let mut after = String::new();
            for (path, text) in files(project) {
                let changed = rename.files.iter().find(|file| relative(&file.path) == path);
                let text = changed.map_or(text.as_str(), |file| file.new_text.as_str());
                after.push_str(&format!("== {path}\n{text}"));
            }
            after
        }
        Err(refusal) => in_a_line(refusal, &|spot| format!("{}:{}:{}", relative(&spot.path), spot.line, spot.column)),
    };
    (done, text)
}

/// A refusal in a line, without the path of the project.
fn in_a_line(refusal: &RenameRefusal, at: &dyn Fn(&Spot) -> String) -> String {
    match refusal {
        RenameRefusal::NotDefined { nearest } => format!("not defined; nearest {}", nearest.join(" ")),
        RenameRefusal::Ambiguous(candidates) | RenameRefusal::Elsewhere(candidates) => {
            let all: Vec<_> = candidates.iter().map(|one| format!("{} {}", one.symbol.space, at(&one.spot))).collect();
            format!("ambiguous: {}", all.join(", "))
        }
        RenameRefusal::IsSpace(one) => format!("a space: {}", at(&one.spot)),
        RenameRefusal::Dialect(name) => format!("dialect {name}"),
        RenameRefusal::BadName { why } => format!("bad name: {why}"),
        RenameRefusal::SameName => "same name".to_owned(),
        RenameRefusal::NoClass { spot } => format!("no class {}", at(spot)),
        RenameRefusal::Derived { spot, label, from } => format!("derived from {from} by {label} {}", at(spot)),
        RenameRefusal::IsSyntax { spot } => format!("syntax {}", at(spot)),
        RenameRefusal::UnknownDefiner { spot, head, .. } => format!("unknown definer {head} {}", at(spot)),
        RenameRefusal::OfLibrary { spot } => format!("of a library {}", at(spot)),
        RenameRefusal::Collides { name, spot, symbol } => {
            format!("{name} collides {}: {}/{}", at(spot), symbol.space, symbol.name)
        }
        RenameRefusal::Inherited { name, space, symbol } => {
            format!("{space} has {name} as {}/{}", symbol.space, symbol.name)
        }
        RenameRefusal::Captured { name, spot } => format!("{name} captured {}", at(spot)),
        RenameRefusal::CannotTell { spot, why, more } => {
            let why = match why {
                Doubt::Unplaced => "unplaced".to_owned(),
                Doubt::Undeclared { space } => format!("{space} undeclared"),
                Doubt::Keyword => "keyword".to_owned(),
                Doubt::Dynamic => "dynamic".to_owned(),
                Doubt::SlotOrName => "slot or name".to_owned(),
                Doubt::MayBeDerived { name } => format!("{name} may be derived"),
                Doubt::Free { local } => format!("free, local {}", at(local)),
                Doubt::InMacro { head } => format!("in {head}"),
                Doubt::Image => "image".to_owned(),
                Doubt::OnePlatform => "one platform".to_owned(),
                Doubt::UnderCondition => "condition".to_owned(),
                Doubt::Read => "read".to_owned(),
                Doubt::MayMean { reason } => reason.name().to_owned(),
            };
            let others: String = more.others.iter().map(|other| format!(", {}", at(other))).collect();
            format!("cannot tell {}{others}: {why}", at(spot))
        }
        RenameRefusal::Unbalanced { path } => format!("unbalanced {}", path.file_name().unwrap().to_string_lossy()),
        RenameRefusal::WouldBreak { spot } => format!("would break {}", at(spot)),
    }
}

/// Renames in a project whose files mark each place that must change as `«old»`.
#[track_caller]
pub fn check(project: &str, old: &str, new: &str) {
    check_also(project, old, new, &[]);
}

/// The same with mentions that are changed, too.
#[track_caller]
pub fn check_also(project: &str, old: &str, new: &str, also: &[MentionKind]) {
    check_each(project, old, new, also, |place| {
        let name = old.rsplit('/').next().unwrap();
        if place.contains(name) {
            place.replace(name, new)
        } else {
            // In upper case, or with the first letters of a longer derived name.
            place.replace(&name.to_uppercase(), &new.to_uppercase())
        }
    });
}

#[track_caller]
fn check_each(project: &str, old: &str, new: &str, also: &[MentionKind], becomes: impl Fn(&str) -> String) {
    let plain = project.replace(['«', '»'], "");
    let mut expected = String::new();
    for (at, part) in project.split(['«', '»']).enumerate() {
        expected.push_str(&if at % 2 == 1 { becomes(part) } else { part.to_owned() });
    }
    let (done, found) = renamed(&plain, old, new, also);
    assert_eq!(found, expected, "{done:?}");
}

/// Checks that a rename is refused, with the refusal in a line.
#[track_caller]
pub fn refused(project: &str, old: &str, new: &str, expected: &str) {
    let (_, found) = renamed(project, old, new, &[]);
    assert_eq!(found, expected);
}

/// Checks the mentions that a rename leaves: `path:line kind`.
#[track_caller]
pub fn left(project: &str, old: &str, new: &str, expected: &[&str]) {
    let (done, text) = renamed(&project.replace(['«', '»'], ""), old, new, &[]);
    let rename = done.unwrap_or_else(|_| panic!("{text}"));
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let found: Vec<String> =
        rename.left.iter().map(|one| format!("{}:{} {}", name(&one.path), one.line, one.kind.name())).collect();
    assert_eq!(found, expected);
}
