//! How much of the indentation of real code comes back when it is taken away.
//!
//! The indentation of one top-level form is removed, and the form is laid out again with the rest of its file in place. A line is right when
//! it begins where its author began it. Lines inside of strings and block comments are not counted. Beside it, every file is
//! laid out as a whole, twice: the second time has to change nothing, and no token may change at all.

use std::fs;
use std::path::{Path, PathBuf};

use lispwright_edit::column;
use lispwright_layout::{Layout, Lines, Style};
use lispwright_syntax::{Dialect, Span, TokenKind, Tree, read};

use crate::Setting;
use crate::table::Row;

/// The folders of the corpus with their dialects.
const FOLDERS: [(&str, Dialect); 6] = [
    ("common-lisp", Dialect::CommonLisp),
    ("sbcl", Dialect::CommonLisp),
    ("guile", Dialect::Scheme),
    ("clojure", Dialect::Clojure),
    ("emacs-lisp", Dialect::EmacsLisp),
    ("racket", Dialect::Racket),
];

/// Bytes of each folder that are laid out, about: every so many files of it.
const BYTES: usize = 1_500_000;
/// Lines of a form at least.
const FEWEST_LINES: usize = 3;
/// Bytes of a file at most; larger ones are data.
const MOST_BYTES: u64 = 400_000;
/// Bytes of the files beside a file that it is compared with.
const MOST_BESIDE: usize = 300_000;

#[derive(Default)]
struct Score {
    forms: usize,
    lines: usize,
    right: usize,
    /// Lines that a style of rules alone gives back.
    ruled: usize,
    files: usize,
    kept: usize,
    whole: usize,
    refused: usize,
    unstable: usize,
}

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    let mut table = String::from(
        "| corpus | forms | lines | right, by the rules alone | right, learned | whole files: lines that stay | second run changes | left alone: would read differently |\n\
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut rows = Vec::new();
    for (name, dialect) in FOLDERS {
        let score = measured(&setting.corpus.join(name), dialect);
        if score.lines == 0 {
            continue;
        }
        let share = |some: usize, all: usize| 100.0 * some as f64 / all.max(1) as f64;
        let (right, ruled) = (share(score.right, score.lines), share(score.ruled, score.lines));
        table.push_str(&format!(
            "| {name} | {} | {} | {ruled:.1} % | {right:.1} % | {:.1} % | {} of {} files | {} files |\n",
            score.forms,
            score.lines,
            share(score.kept, score.whole),
            score.unstable,
            score.files,
            score.refused,
        ));
        rows.push(Row {
            what: format!("layout: lines of {name} given back"),
            measured: format!("{right:.1} %"),
            baseline: format!("rules alone {ruled:.1} %"),
            elsewhere: "-",
            target: "96 %",
            met: right >= 96.0,
        });
    }
    let path = setting.scratch.join("layout-lines.md");
    if let Err(error) = fs::write(&path, table) {
        eprintln!("{}: {error}", path.display());
    }
    rows
}

fn measured(folder: &Path, dialect: Dialect) -> Score {
    let mut files = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
            } else if Dialect::detect(&path.to_string_lossy(), b"") == Some(dialect)
                && entry.metadata().is_ok_and(|data| data.len() <= MOST_BYTES)
            {
                files.push(path);
            }
        }
    }
    files.sort();
    let texts: Vec<(PathBuf, String)> = files
        .into_iter()
        .filter_map(|path| {
            let text = fs::read_to_string(&path).ok()?;
            read(&text, dialect).is_balanced().then_some((path, text))
        })
        .collect();
    let all: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let mut score = Score::default();
    for (at, (path, text)) in texts.iter().enumerate().step_by((all / BYTES).max(1)) {
        let tree = read(text, dialect);
        let beside = beside(&texts, at, path);
        let mut layout = Layout::new(Style::Learned);
        for other in &beside {
            layout.declare(&read(other, dialect), other);
        }
        for other in &beside {
            layout.learn(&read(other, dialect), other, Layout::BESIDE, None);
        }
        whole(&layout, text, dialect, &mut score);
        let ruled = Layout::new(Style::Emacs);
        for datum in tree.top_level() {
            let span = tree.datum_span(datum);
            if text[span.range()].lines().count() >= FEWEST_LINES {
                form(&layout, &ruled, text, &tree, span, &mut score);
            }
        }
    }
    score
}

/// The texts in the same directory.
fn beside<'t>(texts: &'t [(PathBuf, String)], own: usize, path: &Path) -> Vec<&'t str> {
    let mut left = MOST_BESIDE;
    let others = texts.iter().enumerate().filter(|(at, (other, _))| *at != own && other.parent() == path.parent());
    let fits = |text: &&str| {
        let fits = text.len() <= left;
        left -= if fits { text.len() } else { 0 };
        fits
    };
    others.map(|(_, (_, text))| text.as_str()).filter(fits).collect()
}

/// The column of each token that is not white space, if it begins a line.
fn starts(tree: &Tree, text: &str) -> Vec<(u32, Option<usize>)> {
    let mut line = Some(0);
    let mut starts = Vec::new();
    for (kind, span) in tree.tokens() {
        let source = &text[span.range()];
        if kind != TokenKind::Blank {
            let begins = line.take().map(|line| column(&text[line..span.start as usize]));
            starts.push((span.start, begins));
        } else if let Some(newline) = source.rfind('\n') {
            line = Some(span.start as usize + newline + 1);
        }
    }
    starts
}

/// The lines of `old` that begin inside of `span`, and how many of them begin in the same column in `new`.
fn kept(old: (&Tree, &str), new: &str, span: Span) -> (usize, usize) {
    let tree = read(new, old.0.language());
    let pairs = starts(old.0, old.1).into_iter().zip(starts(&tree, new));
    let inside = pairs.filter(|((at, begins), _)| span.start < *at && *at < span.end && begins.is_some());
    inside.fold((0, 0), |(all, same), ((_, old), (_, new))| (all + 1, same + usize::from(old == new)))
}

/// Lays out a whole file, twice.
fn whole(layout: &Layout, text: &str, dialect: Dialect, score: &mut Score) {
    score.files += 1;
    let Ok(once) = layout.laid_out(text, &dialect.into(), &Lines::ALL) else {
        score.refused += 1;
        return;
    };
    let tree = read(text, dialect);
    let (all, same) = kept((&tree, text), &once, Span::new(0, text.len() as u32));
    score.whole += all;
    score.kept += same;
    if layout.laid_out(&once, &dialect.into(), &Lines::ALL).as_ref() != Ok(&once) {
        score.unstable += 1;
    }
}

/// Takes the indentation of a form away, and compares what comes back.
fn form(layout: &Layout, ruled: &Layout, text: &str, tree: &Tree, span: Span, score: &mut Score) {
    let first = text[..span.start as usize].matches('\n').count() as u32 + 1;
    let count = text[span.range()].matches('\n').count() as u32;
    let flat = flattened(text, tree, span);
    let lines = Lines::of(vec![(first + 1, first + count)]);
    let of = |layout: &Layout| {
        let laid = layout.laid_out(&flat, tree.language(), &lines).unwrap_or_default();
        kept((tree, text), &laid, span)
    };
    let (all, right) = of(layout);
    score.forms += 1;
    score.lines += all;
    score.right += right;
    score.ruled += of(ruled).1;
}

/// The text without the indentation of the lines that begin inside of `span`.
fn flattened(text: &str, tree: &Tree, span: Span) -> String {
    let mut flat = String::with_capacity(text.len());
    let mut copied = 0;
    for (kind, at) in tree.tokens_within(span) {
        let newline = if kind == TokenKind::Blank { text[at.range()].rfind('\n') } else { None };
        if let Some(newline) = newline {
            flat.push_str(&text[copied..at.start as usize + newline + 1]);
            copied = at.end as usize;
        }
    }
    flat.push_str(&text[copied..]);
    flat
}
