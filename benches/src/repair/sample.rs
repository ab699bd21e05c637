//! The ground truth: real forms, alone, with their neighbours or in their whole file.

use std::ops::Range;
use std::path::{Path, PathBuf};

use lispwright_syntax::{Dialect, TokenKind, read_plain};

use super::random::Random;

/// The number of forms before and after the damaged one, in a window.
const NEIGHBOURS: usize = 30;
/// Larger files are skipped, in bytes.
const LARGEST: usize = 400_000;
/// The numbers of lines of forms that are damaged.
const LINES: std::ops::RangeInclusive<usize> = 2..=150;

/// A token that is neither white space nor a comment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// No token of the sample follows on its line.
    pub(crate) ends_line: bool,
    /// It is the first on its line.
    pub(crate) begins_line: bool,
    /// The number of open lists after it.
    pub(crate) depth: usize,
}

/// A form, and the text around it.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) dialect: Dialect,
    pub(crate) file: PathBuf,
    pub(crate) text: String,
    /// The range of the form in it.
    pub(crate) form: Range<usize>,
    /// Every top-level datum of the text, including the form.
    pub(crate) forms: Vec<Range<usize>>,
}

/// Every file of a corpus folder, in order of name.
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

/// A random form of a random file, in that file, if the file is sound and contains a form of a suitable size.
pub(crate) fn draw(files: &[PathBuf], dialect: Dialect, largest: usize, random: &mut Random) -> Option<Sample> {
    let file = random.pick(files)?;
    let size = std::fs::metadata(file).ok()?.len();
    if size > LARGEST.min(largest) as u64 {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    let forms = top_level(&text, dialect)?;
    let fit: Vec<&Range<usize>> = forms.iter().filter(|form| is_fit(&text, form)).collect();
    let form = (*random.pick(&fit)?).clone();
    Some(Sample { dialect, file: file.clone(), form, forms, text })
}

/// The spans of the top-level data of a sound text.
pub(crate) fn top_level(text: &str, dialect: Dialect) -> Option<Vec<Range<usize>>> {
    let tree = read_plain(text, dialect);
    let sound = tree.diagnostics().is_empty();
    sound.then(|| tree.top_level().map(|datum| tree.datum_span(datum).range()).collect())
}

/// The form contains a list, begins a line, and is of a size that people edit.
pub(crate) fn is_fit(text: &str, form: &Range<usize>) -> bool {
    let own = &text[form.clone()];
    let begins_line = form.start == 0 || text.as_bytes()[form.start - 1] == b'\n';
    begins_line && own.contains('(') && LINES.contains(&own.lines().count())
}

impl Sample {
    /// The form with some forms before and after it.
    pub(crate) fn window(&self) -> Option<Self> {
        let chosen = self.forms.iter().position(|form| *form == self.form)?;
        let first = self.forms[chosen.saturating_sub(NEIGHBOURS)].start;
        let start = self.text[..first].rfind('\n').map_or(0, |at| at + 1);
        let last = self.forms[(chosen + NEIGHBOURS).min(self.forms.len() - 1)].end;
        let end = self.text[last..].find('\n').map_or(self.text.len(), |at| last + at + 1);
        self.part(start..end)
    }

    /// The form and nothing else, without a final newline.
    pub(crate) fn alone(&self) -> Option<Self> {
        self.part(self.form.clone())
    }

    fn part(&self, range: Range<usize>) -> Option<Self> {
        let text = self.text[range.clone()].to_owned();
        let form = self.form.start - range.start..self.form.end - range.start;
        let forms = top_level(&text, self.dialect)?;
        forms.contains(&form).then(|| Self { dialect: self.dialect, file: self.file.clone(), text, form, forms })
    }

    /// The text of the form.
    pub(crate) fn own(&self) -> &str {
        &self.text[self.form.clone()]
    }

    /// The text with another form instead of this one.
    pub(crate) fn with(&self, form: &str) -> String {
        format!("{}{form}{}", &self.text[..self.form.start], &self.text[self.form.end..])
    }
}

/// The tokens of `range` in `text`, which is sound.
pub(crate) fn pieces(text: &str, range: Range<usize>, dialect: Dialect) -> Vec<Piece> {
    let tree = read_plain(text, dialect);
    let mut depth = 0;
    let mut found: Vec<Piece> = Vec::new();
    for (kind, span) in tree.tokens() {
        let (start, end) = (span.range().start, span.range().end);
        if kind.is_trivia() || !(range.start <= start && end <= range.end) {
            continue;
        }
        if kind.is_open() {
            depth += 1;
        } else if kind.is_close() {
            depth -= 1;
        }
        let same_line = found.last().is_some_and(|last| !text[last.end..start].contains('\n'));
        found.push(Piece { kind, start, end, ends_line: false, begins_line: !same_line, depth });
    }
    for at in (0..found.len()).rev() {
        found[at].ends_line = found.get(at + 1).is_none_or(|next| next.begins_line);
    }
    found
}

/// The closing characters of the lists that are open after piece `at`, innermost first.
pub(crate) fn around(own: &[Piece], at: usize) -> Vec<char> {
    let mut open = Vec::new();
    for piece in &own[..=at] {
        match piece.kind {
            TokenKind::OpenParen => open.push(')'),
            TokenKind::OpenBracket => open.push(']'),
            TokenKind::OpenBrace => open.push('}'),
            kind if kind.is_close() => drop(open.pop()),
            _ => {}
        }
    }
    open.reverse();
    open
}

/// Both texts are the same to the language's reader: the same tokens except white space and comments, so the same tree.
pub(crate) fn same_meaning(a: &str, b: &str, dialect: Dialect) -> bool {
    let (trees, texts) = ([read_plain(a, dialect), read_plain(b, dialect)], [a, b]);
    let tokens = |at: usize| {
        let tokens = trees[at].tokens().filter(|(kind, _)| !kind.is_trivia());
        tokens.map(move |(_, span)| &texts[at][span.range()])
    };
    tokens(0).eq(tokens(1))
}

/// The text can be read without a fault.
pub(crate) fn is_sound(text: &str, dialect: Dialect) -> bool {
    read_plain(text, dialect).diagnostics().is_empty()
}
