//! How often sound code looks unexpected, and how often a slip does: `cargo run -p lispwright-edit --example unexpected
//! -- [--since | --slips | --pairs] [--show] PATH…`. Counts what `unexpected` tells of the files below the paths, by dialect and
//! kind; with `--since`, what `unexpected_since` tells when one form at a time is put into its file, or taken out; with
//! `--slips`, of how many slips either tells; with `--pairs`, what is new in `N.after.EXT` since `N.before.EXT`. `--show`
//! prints each.

#![allow(clippy::print_stdout, missing_docs)]

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use lispwright_edit::{Unexpected, unexpected, unexpected_since};
use lispwright_repair::renested_since;
use lispwright_syntax::{Dialect, Flaw, Form, FormKind, Forms, Language, Span, Tree, flaws_since, read_plain};

/// The most forms of a file that are put in and taken out.
const MOST_FORMS: usize = 12;

fn main() {
    let (options, paths): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|one| one.starts_with("--"));
    let has = |name: &str| options.iter().any(|one| one == name);
    let mut open: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut planted: BTreeMap<(&str, &str), [usize; 4]> = BTreeMap::new();
    let mut sizes: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    while let Some(path) = open.pop() {
        if let Ok(entries) = fs::read_dir(&path) {
            let mut inner: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            inner.sort();
            open.extend(inner.into_iter().rev());
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let name = path.to_string_lossy();
        let Some(dialect) = Dialect::detect(&name, text.as_bytes()) else { continue };
        let language = Language::from(dialect);
        let tree = read_plain(&text, &language).learning(&text);
        if !tree.diagnostics().is_empty() {
            continue;
        }
        let size = sizes.entry(dialect.name()).or_default();
        size.0 += 1;
        size.1 += text.lines().count();
        let mut tell = |found: Vec<Unexpected>, text: &str| {
            for one in found {
                *counts.entry((dialect.name(), one.kind())).or_default() += 1;
                if has("--show") {
                    let line = text.lines().nth(one.line() as usize - 1).unwrap_or_default().trim();
                    println!("{name}:{}: {}: {} | {line}", one.line(), one.kind(), one.sentence());
                }
            }
        };
        if has("--pairs") {
            let Some(before) = name.contains(".after.").then(|| name.replace(".after.", ".before.")) else { continue };
            let Ok(before) = fs::read_to_string(before) else { continue };
            let other = read_plain(&before, &language).learning(&before);
            if other.diagnostics().is_empty() {
                sizes.entry(dialect.name()).or_default().2 += 1;
                tell(unexpected_since((&other, &before), (&tree, &text)), &text);
                let refused = flaws_since(&before, &tree, &text).into_iter().filter(|(flaw, _)| *flaw == Flaw::LeftOut);
                for (_, span) in refused {
                    *counts.entry((dialect.name(), "refused")).or_default() += 1;
                    println!("{name}: refused: {}", &text[span.range()]);
                }
            }
            continue;
        }
        if has("--slips") {
            for (kind, slipped) in slips(&text, &tree) {
                let other = read_plain(&slipped, &language).learning(&slipped);
                if !other.diagnostics().is_empty() {
                    continue;
                }
                let is_told = [
                    !unexpected(&other, &slipped).is_empty(),
                    !unexpected_since((&tree, &text), (&other, &slipped)).is_empty()
                        || !flaws_since(&text, &other, &slipped).is_empty(),
                    !renested_since(&text, &slipped, dialect).is_empty(),
                ];
                if has("--show") && !is_told[1] {
                    let line = text.lines().zip(slipped.lines()).take_while(|(old, new)| old == new).count() + 1;
                    println!("{name}:{line}: {kind}");
                }
                let told = planted.entry((dialect.name(), kind)).or_default();
                told[0] += 1;
                told[1] += usize::from(is_told[0]);
                told[2] += usize::from(is_told[1]);
                told[3] += usize::from(is_told[1] || is_told[2]);
            }
            continue;
        }
        if !has("--since") {
            tell(unexpected(&tree, &text), &text);
            continue;
        }
        let data: Vec<_> = tree.top_level().map(|datum| tree.datum_span(datum)).collect();
        let step = data.len().div_ceil(MOST_FORMS).max(1);
        for form in data.iter().step_by(step).filter(|form| !text[form.range()].starts_with('#')) {
            let without = format!("{}{}", &text[..form.start as usize], &text[form.end as usize..]);
            let other: Tree = read_plain(&without, &language).learning(&without);
            if !other.diagnostics().is_empty() {
                continue;
            }
            sizes.entry(dialect.name()).or_default().2 += 2;
            tell(unexpected_since((&other, &without), (&tree, &text)), &text);
            tell(unexpected_since((&tree, &text), (&other, &without)), &without);
        }
    }
    for (dialect, (files, lines, edits)) in &sizes {
        println!("# {dialect}: {files} files, {lines} lines, {edits} edits");
    }
    for ((dialect, kind), count) in &counts {
        println!("# {dialect}: {kind} {count}");
    }
    for ((dialect, kind), [all, alone, since, hook]) in &planted {
        println!(
            "# {dialect}: {kind}: {all} slips, {alone} told alone, {since} since, {hook} with what lines contradict"
        );
    }
}

/// The most forms of a file that have a slip.
const MOST_SLIPS: usize = 4;

/// Wordings of what models leave in the place of code.
const WORDS: [&str; 8] = [
    ";; rest of the function unchanged",
    ";; existing code",
    ";; ... rest unchanged",
    ";; TODO: keep as is",
    ";; (unchanged)",
    ";; remaining code stays the same",
    ";; same as before",
    ";; your code here",
];

/// The text with one slip each, in some of its definitions.
fn slips(text: &str, tree: &Tree) -> Vec<(&'static str, String)> {
    let forms = Forms::new(tree, text);
    let all: Vec<&Form> = forms.top_level().map(|(_, form)| form).collect();
    let mut found = Vec::new();
    let step = all.len().div_ceil(MOST_SLIPS).max(1);
    let is_function = |form: &Form| matches!(form.kind, FormKind::Function | FormKind::Method | FormKind::Macro);
    for (at, pair) in all.windows(2).enumerate().step_by(step) {
        let [form, next] = pair else { continue };
        let (Some(list), true) = (form.datum.list(), form.outer == form.span && is_function(form)) else { continue };
        let (start, end) = (form.span.start as usize, form.span.end as usize);
        let with = |range: Range<usize>, new: &str| format!("{}{new}{}", &text[..range.start], &text[range.end..]);
        if next.outer == next.span && next.kind.defines() {
            let after = next.span.end as usize;
            let moved = format!("{}{}){}", &text[..end - 1], &text[end..after], &text[after..]);
            found.push(("swallowed", moved));
            found.push(("twice", with(after..after, &format!("\n\n{}", &text[start..end]))));
        }
        let data: Vec<Span> = tree.data(list).map(|datum| tree.datum_span(datum)).collect();
        let [.., before, last] = data[..] else { continue };
        let (before, last) = (before.end as usize, last.start as usize..last.end as usize);
        let own_line = text[before..last.start].contains('\n') && data.len() > 3;
        if own_line {
            found.push(("closed early", format!("{}){}{}", &text[..before], &text[before..last.end], &text[end..])));
            let words = WORDS[at % WORDS.len()];
            found.push(("words for code", with(last.clone(), &format!("{words}\n"))));
        }
        if own_line && text[last.clone()].starts_with('(') {
            found.push(("body for definition", with(start..end, &text[last.clone()])));
        }
        if let Some(doc) = form.docstring {
            let doc = doc.start as usize..doc.end as usize;
            let left = format!("{}{}{}", &text[..start], &text[doc.start..end - 1], &text[end..]);
            found.push(("header lost", left));
            let mut words = text[doc.clone()].match_indices(' ').map(|(at, _)| doc.start + at);
            if let (Some(from), Some(to)) = (words.next(), words.next()) {
                let word = &text[from + 1..to];
                if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
                    found.push(("quotes in a string", with(from + 1..to, &format!("\"{word}\""))));
                }
            }
        }
        if let (Some(parameters), true) = (form.signature.last(), own_line && form.signature.len() == 1) {
            let after = form.docstring.map_or(parameters.end, |doc| doc.end.max(parameters.end)) as usize;
            found.push(("half a definition", with(after..end - 1, "")));
        }
    }
    found
}
