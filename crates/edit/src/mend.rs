//! Asking the repairer, and putting its answer into lines.
//!
//! What speaks for a change is handed over in [`Witnesses`]: the text before it broke, the part that was written, and
//! the neighbours among which a new form will stand. Neighbours show how this file is indented; they stand in front of
//! the text while the repairer looks at it, and nothing in them is ever changed.

use std::fmt;

use lispwright_repair::{Earlier, Edit, Outcome, Reason, repair};
use lispwright_syntax::{Language, LineIndex, Span, read_plain};

use crate::source::Source;

/// A line, or several that belong together, before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineChange {
    /// The line, from 1.
    pub line: u32,
    /// How it is, without its line ending.
    pub before: String,
    /// How it would be.
    pub after: String,
}

/// A change of some lines that would make a text balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Every line it changes, in order; at least one.
    pub lines: Vec<LineChange>,
    /// Delimiters that are added.
    pub add: String,
    /// Delimiters that are removed.
    pub remove: String,
    /// The reason, in a few words.
    pub why: String,
    /// The bytes it changes.
    pub(crate) edits: Vec<Edit>,
}

/// What was done to new source before it was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// The lines that were changed.
    pub lines: Vec<LineChange>,
    /// Why this and nothing else, a sentence each.
    pub evidence: Vec<String>,
}

impl LineChange {
    /// The line before and after as an answer shows them, without the white space around; long lines are cut to the
    /// neighbourhood of the change.
    #[must_use]
    pub fn shown(&self) -> (String, String) {
        let (before, after) = (self.before.trim(), self.after.trim());
        let same = before.chars().zip(after.chars()).take_while(|(before, after)| before == after).count();
        (around(before, same), around(after, same))
    }
}

/// So many of the fixes that are not certain are worth a reader's time; the true one is hardly ever further down.
pub const MOST_SHOWN: usize = 3;

/// Longest line that is shown whole, in scalar values.
const WIDTH: usize = 100;

/// `line`, cut to the part around its `middle`th scalar value when it is long.
fn around(line: &str, middle: usize) -> String {
    let count = line.chars().count();
    if count <= WIDTH {
        return line.to_owned();
    }
    let start = middle.saturating_sub(WIDTH * 2 / 3).min(count - WIDTH);
    let part: String = line.chars().skip(start).take(WIDTH).collect();
    let (front, back) = (if start > 0 { "…" } else { "" }, if start + WIDTH < count { "…" } else { "" });
    format!("{front}{part}{back}")
}

impl Fix {
    /// The lines before and after, two lines of text for each.
    #[must_use]
    pub fn diff(&self) -> String {
        shown_changes(&self.lines)
    }

    /// Moves it `lines` down, with `lead` in front of the first line of the text and `tail` behind its last one.
    pub(crate) fn shift(&mut self, lines: u32, lead: &str, last: u32, tail: &str) {
        for change in &mut self.lines {
            if change.line == 1 {
                change.before.insert_str(0, lead);
                change.after.insert_str(0, lead);
            }
            if change.line == last {
                change.before.push_str(tail);
                change.after.push_str(tail);
            }
            change.line += lines;
        }
    }
}

impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = match (self.add.as_str(), self.remove.as_str()) {
            ("", remove) => format!("remove `{remove}`"),
            (add, "") => format!("add `{add}`"),
            (add, remove) => format!("`{add}` for `{remove}`"),
        };
        match self.lines.as_slice() {
            [only] => write!(f, "line {}: {change} ({}): {}", only.line, self.why, only.shown().1),
            several => {
                write!(f, "{change} in {} lines ({}):", several.len(), self.why)?;
                several.iter().try_for_each(|change| write!(f, "\n    line {}: {}", change.line, change.shown().1))
            }
        }
    }
}

impl Mended {
    /// The lines before and after, two lines of text for each.
    #[must_use]
    pub fn shown(&self) -> String {
        shown_changes(&self.lines)
    }
}

fn shown_changes(lines: &[LineChange]) -> String {
    let mut out = String::new();
    for change in lines {
        let (before, after) = change.shown();
        out.push_str(&format!("\n  {0} - {before}\n  {0} + {after}", change.line));
    }
    out
}

impl From<&Fix> for Mended {
    fn from(fix: &Fix) -> Self {
        Self { lines: fix.lines.clone(), evidence: vec![fix.why.clone()] }
    }
}

/// What is known besides a broken text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Witnesses<'a> {
    /// Sound forms of the same file, each ended by a blank line; nothing is in front of the text when empty.
    pub(crate) neighbours: String,
    /// The text before it broke.
    pub(crate) earlier: Option<&'a str>,
    /// The bytes that were written since.
    pub(crate) edited: Option<Span>,
}

/// What the repairer says.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// The line to look at, from 1.
    pub(crate) line: Option<u32>,
    /// The byte to look at.
    pub(crate) at: Option<u32>,
    pub(crate) fixes: Vec<Fix>,
    /// The text with the first fix made, when it is certain.
    pub(crate) repaired: Option<String>,
    /// Why nothing is certain.
    pub(crate) doubt: String,
}

/// A longer text is diagnosed without fixes, in bytes.
const LONGEST: usize = 2 << 20;

/// So many lists left open behind a word are a text that was cut, not a slip.
const FORGOTTEN: i64 = 3;

/// At most so many bytes of neighbours are shown to the repairer.
const MOST_NEIGHBOURS: usize = 16 << 10;

impl Witnesses<'_> {
    /// What to change in `text`, whose lines are `lines`, to make it balance.
    pub(crate) fn judge(&self, text: &str, lines: &LineIndex, language: &Language) -> Verdict {
        if text.len() > LONGEST {
            return Verdict { doubt: format!("texts over {LONGEST} bytes are not repaired"), ..Verdict::default() };
        }
        if !self.neighbours.is_empty() && stops_inside(text, language) {
            let line = Some(lines.line(text.trim_end().len() as u32));
            return Verdict { line, doubt: Reason::CutShort.to_string(), ..Verdict::default() };
        }
        let by_earlier = self.earlier.map(|earlier| {
            let edited = self.edited.map(|span| span.start..span.end);
            repair(text, language, &Earlier { text: Some(earlier), edited })
        });
        match by_earlier {
            Some(outcome) => self.agreed(outcome, text, lines, language),
            None => verdict(self.among_neighbours(text, language), text, lines),
        }
    }

    /// What the neighbours' layout says, with the text behind them.
    fn among_neighbours(&self, text: &str, language: &Language) -> Outcome {
        let front = &self.neighbours;
        if front.is_empty() {
            return repair(text, language, &Earlier::default());
        }
        // What a caller sends is whole, whether or not its last line has an end.
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let base = front.len() as u32;
        let edited = base..base + text.len() as u32;
        let own = |edit: &Edit| edit.at >= edited.start && edit.range().end <= edited.end as usize;
        let whole = format!("{front}{text}{end}");
        match repair(&whole, language, &Earlier { text: None, edited: Some(edited.clone()) }) {
            Outcome::Balanced => Outcome::Balanced,
            Outcome::Repaired(mut done) => {
                if !done.edits.iter().all(own) {
                    return repair(text, language, &Earlier::default());
                }
                done.text = done.text[front.len()..done.text.len() - end.len()].to_owned();
                let lines = newlines(front);
                done.edits.iter_mut().for_each(|edit| edit.at -= base);
                done.evidence.iter_mut().for_each(|sentence| *sentence = moved_up(sentence, lines));
                done.forms.iter_mut().for_each(|form| form.line = form.line.saturating_sub(lines));
                Outcome::Repaired(done)
            }
            Outcome::Refused(mut refusal) => {
                let lines = newlines(front);
                refusal.diagnosis.line = refusal.diagnosis.line.saturating_sub(lines).max(1);
                refusal.candidates.retain(|candidate| candidate.edits.iter().all(own));
                for candidate in &mut refusal.candidates {
                    candidate.line = candidate.line.saturating_sub(lines);
                    candidate.edits.iter_mut().for_each(|edit| edit.at -= base);
                }
                Outcome::Refused(refusal)
            }
        }
    }

    /// Weighs what the earlier text says, `by_earlier`, against what the layout says.
    ///
    /// In lines that were written anew the earlier text is a poor witness: its words meet others by chance. So it decides
    /// alone only about lines that say what they said before, and elsewhere needs the layout's consent. The layout
    /// decides alone where the earlier text is silent.
    fn agreed(&self, by_earlier: Outcome, text: &str, lines: &LineIndex, language: &Language) -> Verdict {
        let cut = matches!(&by_earlier, Outcome::Refused(refusal) if refusal.reason == Reason::CutShort);
        if cut {
            return verdict(by_earlier, text, lines);
        }
        match (by_earlier, self.among_neighbours(text, language)) {
            (Outcome::Repaired(one), Outcome::Repaired(other)) if same_code(&one.text, &other.text) => {
                verdict(Outcome::Repaired(one), text, lines)
            }
            (Outcome::Repaired(one), Outcome::Repaired(other)) => {
                let mut found = verdict(Outcome::Repaired(other), text, lines);
                found.fixes.extend(verdict(Outcome::Repaired(one), text, lines).fixes);
                found.doubted("the earlier text and the indentation contradict each other")
            }
            (Outcome::Repaired(one), Outcome::Refused(_)) => {
                let known = self.earlier.is_some_and(|earlier| says_what_it_said(earlier, text, lines, &one.edits));
                let found = verdict(Outcome::Repaired(one), text, lines);
                if known {
                    found
                } else {
                    found.doubted("it is in a line that was written anew, and the indentation is no proof")
                }
            }
            (_, Outcome::Repaired(other)) => {
                // A missing or extra opener shows in no column.
                let openers =
                    |edit: &Edit| edit.removed.contains(['(', '[', '{']) || edit.inserted.contains(['(', '[', '{']);
                let closers_only = !other.edits.iter().any(openers);
                let found = verdict(Outcome::Repaired(other), text, lines);
                if closers_only {
                    found
                } else {
                    found.doubted("the indentation alone does not tell where a list begins")
                }
            }
            (_, other) => verdict(other, text, lines),
        }
    }
}

impl Verdict {
    /// The same, with nothing certain any more.
    fn doubted(mut self, why: &str) -> Self {
        self.repaired = None;
        self.doubt = why.to_owned();
        self
    }
}

/// The repairer's answer about `text`, in lines.
fn verdict(outcome: Outcome, text: &str, lines: &LineIndex) -> Verdict {
    match outcome {
        Outcome::Balanced => Verdict::default(),
        Outcome::Repaired(done) => {
            let at = done.edits.first().map(|edit| edit.at);
            // What was changed says which form it was, unless there are several.
            let form = match done.forms.as_slice() {
                [only] => format!("in the form at line {}, ", only.line),
                _ => String::new(),
            };
            let told = |sentence: &String| sentence.strip_prefix(&form).unwrap_or(sentence).to_owned();
            let why = done.evidence.iter().map(told).collect::<Vec<_>>().join("; ");
            Verdict {
                line: at.map(|at| lines.line(at)),
                at,
                fixes: vec![fix(done.edits, why, text, lines)],
                repaired: Some(done.text),
                doubt: String::new(),
            }
        }
        Outcome::Refused(refusal) => {
            let line = refusal.diagnosis.line;
            let fixes: Vec<Fix> = refusal
                .candidates
                .into_iter()
                .filter(|candidate| !candidate.edits.is_empty())
                .map(|candidate| fix(candidate.edits, candidate.why, text, lines))
                .collect();
            let at = fixes.first().map(|fix| fix.edits[0].at).filter(|&at| lines.line(at) == line);
            Verdict { line: Some(line), at, fixes, repaired: None, doubt: refusal.reason.to_string() }
        }
    }
}

fn fix(edits: Vec<Edit>, why: String, text: &str, lines: &LineIndex) -> Fix {
    let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    Fix {
        lines: line_changes(text, lines, &edits),
        add: edits.iter().map(|edit| solid(&edit.inserted)).collect(),
        remove: edits.iter().map(|edit| solid(&edit.removed)).collect(),
        why,
        edits,
    }
}

/// The lines that `edits` change, before and after. Edits are in order and do not overlap.
fn line_changes(text: &str, lines: &LineIndex, edits: &[Edit]) -> Vec<LineChange> {
    let mut changes = Vec::new();
    let mut rest = edits;
    while let Some(first) = rest.first() {
        let start = lines.line_span(lines.line(first.at)).unwrap_or_default().start as usize;
        let (mut end, mut count) = (start, 0);
        let mut after = String::new();
        let mut copied = start;
        for edit in rest {
            let range = edit.range();
            if count > 0 && range.start >= end {
                break;
            }
            after.push_str(&text[copied..range.start]);
            after.push_str(&edit.inserted);
            copied = range.end;
            end = lines.line_span(lines.line(range.end as u32)).map_or(text.len(), |span| span.end as usize);
            count += 1;
        }
        after.push_str(&text[copied..end]);
        let without_ending = |text: &str| text.trim_end_matches(['\n', '\r']).to_owned();
        let before = without_ending(&text[start..end]);
        changes.push(LineChange { line: lines.line(start as u32), before, after: without_ending(&after) });
        rest = &rest[count..];
    }
    changes
}

/// The text does not end with a closer, and more lists are open there than anybody forgets to close.
fn stops_inside(text: &str, language: &Language) -> bool {
    let tree = read_plain(text, language);
    let open =
        tree.tokens().fold(0i64, |open, (kind, _)| open + i64::from(kind.is_open()) - i64::from(kind.is_close()));
    open >= FORGOTTEN && !text.trim_end().ends_with([')', ']', '}'])
}

/// Every edit of `text` lies within one of `spans`, their ends included, or could as well be made there: one closer more
/// or less in a run of them comes to the same wherever in the run it is.
pub(crate) fn inside(text: &str, edits: &[Edit], spans: &[Span]) -> bool {
    let within =
        |from: usize, to: usize| spans.iter().any(|span| span.start as usize <= from && to <= span.end as usize);
    edits.iter().all(|edit| {
        let range = edit.range();
        let moved = if edit.removed.is_empty() { &edit.inserted } else { &edit.removed };
        let byte = moved.as_bytes().first().copied().unwrap_or_default();
        let uniform = (edit.removed.is_empty() || edit.inserted.is_empty()) && moved.bytes().all(|other| other == byte);
        if within(range.start, range.end) || !uniform {
            return within(range.start, range.end);
        }
        let same = |other: &u8| *other == byte;
        let back = text.as_bytes()[..range.start].iter().rev().take_while(|other| same(other)).count();
        let on = text.as_bytes()[range.end..].iter().take_while(|other| same(other)).count();
        (range.start - back..=range.start + on).any(|start| within(start, start + range.len()))
    })
}

/// Equal but for white space.
fn same_code(one: &str, other: &str) -> bool {
    let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    solid(one) == solid(other)
}

/// The lines that `edits` change have, delimiters and white space apart, the words of lines of the earlier text.
fn says_what_it_said(earlier: &str, text: &str, lines: &LineIndex, edits: &[Edit]) -> bool {
    let words = |line: &str| -> Vec<String> {
        let bare = line.replace(['(', ')', '[', ']', '{', '}', '"', '|', '\\'], " ");
        bare.split_whitespace().map(str::to_owned).collect()
    };
    let known: Vec<Vec<String>> = earlier.lines().map(words).collect();
    edits.iter().all(|edit| {
        let line = lines.line_span(lines.line(edit.at)).map_or("", |span| &text[span.range()]);
        let words = words(line);
        !words.is_empty() && known.contains(&words)
    })
}

fn newlines(text: &str) -> u32 {
    text.bytes().filter(|&byte| byte == b'\n').count() as u32
}

/// A sentence about lines of a text, for the part of it that begins `by` lines further down.
fn moved_up(sentence: &str, by: u32) -> String {
    let mut moved = String::with_capacity(sentence.len());
    for piece in sentence.split_inclusive("line ") {
        let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
        match piece[..digits].parse::<u32>() {
            Ok(line) if moved.ends_with("line ") => {
                moved.push_str(&line.saturating_sub(by).to_string());
                moved.push_str(&piece[digits..]);
            }
            _ => moved.push_str(piece),
        }
    }
    moved
}

/// Sound top-level forms around `at`, nearest last, to show how the file is laid out.
pub(crate) fn neighbours(source: &Source<'_>, at: u32) -> String {
    let sound: Vec<Span> = source
        .forms
        .top_level()
        .filter(|(_, form)| !form.broken && form.datum.list().is_some())
        .map(|(_, form)| form.outer)
        .filter(|outer| source.indentation(outer.start) == Some(""))
        .collect();
    let middle = sound.partition_point(|span| span.start < at);
    let (mut before, mut after) = (sound[..middle].iter().rev().peekable(), sound[middle..].iter().peekable());
    let mut chosen: Vec<&str> = Vec::new();
    let mut room = MOST_NEIGHBOURS;
    while before.peek().is_some() || after.peek().is_some() {
        for span in [before.next(), after.next()].into_iter().flatten() {
            let Some(left) = room.checked_sub(span.len() as usize + 2) else { continue };
            room = left;
            chosen.push(source.slice(*span));
        }
        // Whatever is further away says less than what has been passed over for its length.
        if room < MOST_NEIGHBOURS / 8 {
            break;
        }
    }
    let text: String = chosen.iter().rev().map(|form| format!("{form}\n\n")).collect();
    if read_plain(&text, source.tree.language()).diagnostics().is_empty() { text } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(at: u32, removed: &str, inserted: &str) -> Edit {
        Edit { at, removed: removed.to_owned(), inserted: inserted.to_owned() }
    }

    #[test]
    fn a_closer_may_stand_anywhere_in_its_run() {
        let text = "(a (b (c)) d";
        let check = |edit, from, to| inside(text, &[edit], &[Span::new(from, to)]);
        assert!(check(edit(10, "", ")"), 6, 9));
        assert!(check(edit(9, ")", ""), 6, 9));
        assert!(!check(edit(10, "", "]"), 6, 9));
        assert!(!check(edit(12, "", ")"), 6, 9));
        assert!(!check(edit(9, ")", "]"), 6, 9));
    }

    #[test]
    fn lines_in_sentences_move_with_the_text() {
        assert_eq!(moved_up("in the form at line 12, line up", 10), "in the form at line 2, line up");
        assert_eq!(moved_up("lines 12 and line 7", 5), "lines 12 and line 2");
    }

    #[test]
    fn edits_on_one_line_are_one_change() {
        let text = "(a b\n (c)\n d\n";
        let changes = |edits: &[Edit]| line_changes(text, &LineIndex::new(text.as_bytes()), edits);
        let of =
            |line, before: &str, after: &str| LineChange { line, before: before.to_owned(), after: after.to_owned() };
        let edits = [edit(6, "(", ""), edit(8, ")", ""), edit(12, "", ")")];
        assert_eq!(changes(&edits), [of(2, " (c)", " c"), of(3, " d", " d)")]);
        assert_eq!(changes(&[edit(4, "\n ", " ")]), [of(1, "(a b\n (c)", "(a b (c)")]);
    }

    #[test]
    fn a_long_line_is_shown_around_its_change() {
        let before = format!("({}", "x ".repeat(200));
        let after = format!("{})", before.trim_end());
        let (old, new) = LineChange { line: 1, before, after }.shown();
        assert!(old.starts_with('…') && old.ends_with("x x"), "{old}");
        assert!(new.starts_with('…') && new.ends_with("x x)"), "{new}");
        assert_eq!(new.chars().count(), WIDTH + 1);
    }
}
