//! The outcomes of broken texts, as files: to add a case, write a file.
//!
//! `fixtures/repaired`, `fixtures/refused` and a folder in `fixtures/doubts` for each doubt contain broken texts; the
//! folder is the verdict. Beside `case.lisp` are `case.before.lisp`, the earlier text if it is known, and `case.out`,
//! the outcome. `«…»` in a text mark the bytes that the edit wrote, if the caller names them. `UPDATE=1` writes the
//! outcomes.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use lispwright_repair::{Candidate, Doubt, Earlier, Outcome, Unrepaired, repair_without};
use lispwright_syntax::Dialect;

/// A broken text with its earlier text and its edit, if known.
struct Case {
    path: PathBuf,
    dialect: Dialect,
    text: String,
    before: Option<String>,
    edited: Option<std::ops::Range<u32>>,
}

impl Case {
    fn read(path: PathBuf) -> Self {
        let dialect = Dialect::detect(&path.to_string_lossy(), b"").unwrap();
        let marked = fs::read_to_string(&path).unwrap();
        let place = |mark| marked.find(mark).map(|at| at as u32);
        let edited = place('«').zip(place('»')).map(|(from, to)| from..to - '«'.len_utf8() as u32);
        let ending = path.extension().unwrap().to_str().unwrap();
        let before = fs::read_to_string(path.with_extension(format!("before.{ending}"))).ok();
        Self { text: marked.replace(['«', '»'], ""), dialect, before, edited, path }
    }

    fn outcome(&self, without: &[Doubt]) -> Outcome {
        let earlier = Earlier { text: self.before.as_deref(), edited: self.edited.clone() };
        repair_without(without, &self.text, self.dialect, &earlier)
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn cases(name: &str) -> Vec<Case> {
    let folder = folder(name);
    let entries = fs::read_dir(&folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| Dialect::detect(&path.to_string_lossy(), b"").is_some());
    paths.retain(|path| !path.file_stem().unwrap().to_string_lossy().ends_with(".before"));
    paths.sort();
    let stems = paths.windows(2).all(|pair| pair[0].with_extension("") != pair[1].with_extension(""));
    assert!(stems, "two cases of {} would have one outcome", folder.display());
    paths.into_iter().map(Case::read).collect()
}

fn lines(sign: char, text: &str) -> String {
    text.lines().map(|line| format!("  {sign} {line}\n")).collect()
}

/// The lines of two texts that differ.
fn differing(text: &str, other: &str) -> String {
    let pairs = text.lines().zip(other.lines()).filter(|(one, other)| one != other);
    pairs.map(|(one, other)| lines('-', one) + &lines('+', other)).collect()
}

/// The outcome in words: a text, or the place and the candidates.
fn shown(outcome: &Outcome) -> String {
    let candidate = |Candidate { line, before, after, why, .. }: &Candidate| {
        format!("line {line}: {why}\n{}{}", lines('-', before), lines('+', after))
    };
    match outcome {
        Outcome::Balanced => "it balances\n".to_owned(),
        Outcome::Repaired(repair) => repair.text.clone(),
        Outcome::Refused(Unrepaired { reason, doubt, diagnosis, candidates }) => {
            let doubt = doubt.map_or(String::new(), |doubt| format!(" ({})", doubt.name()));
            let offered: String = candidates.iter().map(candidate).collect();
            format!("refused at line {}{doubt}: {reason}\n{offered}", diagnosis.line)
        }
    }
}

/// Compares the outcome of a case with the file beside it; adds a difference to `wrong`.
fn compare(case: &Case, shown: &str, wrong: &mut Vec<String>) {
    let beside = case.path.with_extension("out");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&beside, shown).unwrap();
    }
    if shown != fs::read_to_string(&beside).unwrap_or_default() {
        wrong.push(format!("{}: now\n{shown}", beside.display()));
    }
}

#[track_caller]
fn check(name: &str, fits: fn(&Outcome) -> bool) {
    let (cases, mut wrong) = (cases(name), Vec::new());
    assert!(!cases.is_empty(), "there is no case in {name}");
    for case in cases {
        let outcome = case.outcome(&[]);
        let shown = shown(&outcome);
        match fits(&outcome) {
            true => compare(&case, &shown, &mut wrong),
            false => wrong.push(format!("{} is not {name}:\n{shown}", case.path.display())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn faults_with_one_answer_are_repaired() {
    check("repaired", |outcome| matches!(outcome, Outcome::Repaired(_)));
}

#[test]
fn faults_without_a_likely_answer_are_refused() {
    check("refused", |outcome| matches!(outcome, Outcome::Refused(refusal) if refusal.doubt.is_none()));
}

#[test]
fn every_doubt_refuses_its_examples() {
    let mut wrong = Vec::new();
    for doubt in Doubt::ALL {
        let cases = cases(&format!("doubts/{}", doubt.name()));
        if cases.is_empty() {
            wrong.push(format!("{} has no example", doubt.name()));
        }
        for case in cases {
            let outcome = case.outcome(&[]);
            let found = match &outcome {
                Outcome::Refused(refusal) => refusal.doubt,
                _ => None,
            };
            if found != Some(*doubt) {
                wrong.push(format!("{}: {}", case.path.display(), shown(&outcome)));
                continue;
            }
            let without = match case.outcome(&[*doubt]) {
                Outcome::Repaired(repair) => differing(&case.text, &repair.text),
                other => shown(&other),
            };
            compare(&case, &format!("{}\nwithout this doubt:\n{without}", shown(&outcome)), &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_folder_is_named_after_a_doubt() {
    for entry in fs::read_dir(folder("doubts")).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(Doubt::ALL.iter().any(|doubt| *doubt.name() == *name), "there is no doubt {name:?}");
    }
}
