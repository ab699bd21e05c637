//! The ground truth: real forms with their neighbours, and every token of theirs with what it is in the tree.

use std::ops::Range;
use std::path::{Path, PathBuf};

use lispwright_syntax::{Dialect, TokenKind, Tree, read_plain};

use super::random::Random;

/// So many forms stand before and after the one that is damaged.
const NEIGHBOURS: usize = 30;

/// A token of a sample that is neither white space nor a comment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// No token of the sample follows on its line.
    pub(crate) ends_line: bool,
    /// Only closers follow on its line.
    pub(crate) trails: bool,
    /// It is the first on its line.
    pub(crate) begins_line: bool,
    /// The closing character of the innermost list after this token; none at top level.
    pub(crate) around: Option<char>,
}

/// A form, and the text around it.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) dialect: Dialect,
    pub(crate) file: PathBuf,
    /// The neighbours and the form.
    pub(crate) text: String,
    /// Where the form stands in it.
    pub(crate) form: Range<usize>,
}

/// Every readable file of a corpus folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A random form of a random file, when that file is sound and holds a form of two lines or more.
pub(crate) fn sample(files: &[PathBuf], dialect: Dialect, random: &mut Random) -> Option<Sample> {
    let file = random.pick(files)?;
    let text = std::fs::read_to_string(file).ok()?;
    if text.len() > 400_000 {
        return None;
    }
    let tree = read_plain(&text, dialect);
    if !tree.diagnostics().is_empty() {
        return None;
    }
    let forms: Vec<Range<usize>> = tree.top_level().map(|datum| tree.datum_span(datum).range()).collect();
    let large: Vec<usize> = (0..forms.len())
        .filter(|&at| {
            let form = &text[forms[at].clone()];
            (2..=150).contains(&form.lines().count()) && form.contains('(') && begins_line(&text, forms[at].start)
        })
        .collect();
    let &chosen = random.pick(&large)?;
    let first = forms[chosen.saturating_sub(NEIGHBOURS)].start;
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let last = forms[(chosen + NEIGHBOURS).min(forms.len() - 1)].end;
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at + 1);
    let form = forms[chosen].start - start..forms[chosen].end - start;
    let window = text[start..end].to_owned();
    let sound = read_plain(&window, dialect).diagnostics().is_empty();
    sound.then_some(Sample { dialect, file: file.clone(), text: window, form })
}

fn begins_line(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}

/// The tokens of `range` in `text`, which is sound.
pub(crate) fn pieces(text: &str, range: Range<usize>, dialect: Dialect) -> Vec<Piece> {
    let tree = read_plain(text, dialect);
    let mut open = Vec::new();
    let mut found: Vec<Piece> = Vec::new();
    for (kind, span) in tree.tokens() {
        if kind.is_trivia() || !(range.start <= span.range().start && span.range().end <= range.end) {
            continue;
        }
        if kind.is_open() {
            open.push(match kind {
                TokenKind::OpenParen => ')',
                TokenKind::OpenBracket => ']',
                _ => '}',
            });
        } else if kind.is_close() {
            open.pop();
        }
        let (start, end) = (span.range().start, span.range().end);
        let same_line = found.last().is_some_and(|last| !text[last.end..start].contains('\n'));
        found.push(Piece {
            kind,
            start,
            end,
            ends_line: false,
            trails: false,
            begins_line: !same_line,
            around: open.last().copied(),
        });
    }
    for at in (0..found.len()).rev() {
        let next = found.get(at + 1).copied();
        found[at].ends_line = next.is_none_or(|next| next.begins_line);
        found[at].trails = found[at].ends_line || next.is_some_and(|next| next.kind.is_close() && next.trails);
    }
    found
}

/// What the reader of the language would see: every token but white space and comments, and the nesting.
pub(crate) fn meaning(text: &str, tree: &Tree) -> Vec<String> {
    tree.tokens().filter(|(kind, _)| !kind.is_trivia()).map(|(_, span)| text[span.range()].to_owned()).collect()
}
