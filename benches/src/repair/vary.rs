//! Variants of a sample: before some unrelated change, and in other layouts.

use lispwright_syntax::{Dialect, TokenKind, read_plain};

use super::damage::{Splice, apply};
use super::lists::{Inner, inner_lists, lists};
use super::random::Random;
use super::sample::{Sample, pieces, top_level};

/// The text before somebody renamed a symbol, or added or removed a line of the form.
pub(crate) fn earlier(sample: &Sample, random: &mut Random) -> String {
    for _ in 0..8 {
        let changed = match random.below(4) {
            0 | 1 => rename(sample, random),
            2 => without_a_line(sample, random),
            _ => with_a_line_twice(sample, random),
        };
        if let Some(changed) = changed
            && read_plain(&changed, sample.dialect).diagnostics().is_empty()
        {
            return changed;
        }
    }
    sample.text.clone()
}

fn rename(sample: &Sample, random: &mut Random) -> Option<String> {
    let text = &*sample.text;
    let own = pieces(text, sample.form.clone(), sample.dialect);
    let names: Vec<&str> = own
        .iter()
        .filter(|piece| piece.kind == TokenKind::Atom && piece.end - piece.start > 2)
        .map(|piece| &text[piece.start..piece.end])
        .collect();
    let name = *random.pick(&names)?;
    let mut out = String::new();
    let mut from = 0;
    for piece in own.iter().filter(|piece| piece.kind == TokenKind::Atom && &text[piece.start..piece.end] == name) {
        out.push_str(&text[from..piece.start]);
        out.push_str(name);
        out.push_str("-x");
        from = piece.end;
    }
    out.push_str(&text[from..]);
    Some(out)
}

/// Start and end of a line of the form that contains only whole data.
fn whole_line(sample: &Sample, random: &mut Random) -> Option<std::ops::Range<usize>> {
    let text = &*sample.text;
    let own = pieces(text, sample.form.clone(), sample.dialect);
    let starts: Vec<usize> = own.iter().filter(|piece| piece.begins_line).map(|piece| piece.start).collect();
    let start = *random.pick(&starts)?;
    let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let line = &text[start..end];
    let begin = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let alone = start > sample.form.start && end < sample.form.end;
    (alone && read_plain(line, sample.dialect).diagnostics().is_empty()).then_some(begin..end + 1)
}

fn without_a_line(sample: &Sample, random: &mut Random) -> Option<String> {
    let line = whole_line(sample, random)?;
    Some(format!("{}{}", &sample.text[..line.start], &sample.text[line.end..]))
}

fn with_a_line_twice(sample: &Sample, random: &mut Random) -> Option<String> {
    let line = whole_line(sample, random)?;
    Some(format!("{}{}{}", &sample.text[..line.end], &sample.text[line.clone()], &sample.text[line.end..]))
}

/// The layout of the lines of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Kept,
    Other,
    Absent,
}

/// The sample in another layout: four columns for every list that a line is in, or no white space before lines.
pub(crate) fn laid_out(sample: &Sample, layout: Layout) -> Option<Sample> {
    match layout {
        Layout::Kept => Some(sample.clone()),
        Layout::Other => of_text(sample, indented(&sample.text, sample.dialect, "    ")),
        Layout::Absent => of_text(sample, indented(&sample.text, sample.dialect, "")),
    }
}

/// The sample with a tab for every list that a line is in.
pub(crate) fn with_tabs(sample: &Sample) -> Option<Sample> {
    of_text(sample, indented(&sample.text, sample.dialect, "\t"))
}

/// The sample with all strings that begin lines in column 0.
pub(crate) fn with_strings_in_column_0(sample: &Sample) -> Option<Sample> {
    let own = pieces(&sample.text, 0..sample.text.len(), sample.dialect);
    let strings = own.iter().filter(|piece| piece.kind == TokenKind::String && piece.begins_line);
    let moves: Vec<Splice> = strings.filter_map(|piece| without_indentation(&sample.text, piece.start)).collect();
    let mut inside = moves.iter().filter(|moved| sample.form.contains(&moved.range.end));
    inside.next()?;
    of_text(sample, apply(&sample.text, moves).text)
}

/// The sample with some lines of its form in column 0; or with its form and some of those beside it in another form,
/// whose body is in column 0.
pub(crate) fn with_lines_in_column_0(sample: &Sample, random: &mut Random) -> Option<Sample> {
    if random.percent(40) {
        return in_another_form(sample, random);
    }
    let own = lists(&sample.text, sample.form.clone(), sample.dialect);
    let one_line = |list: &&Inner| {
        list.depth > 0 && list.begins_line && list.is_call() && !sample.text[list.range.clone()].contains('\n')
    };
    let found: Vec<&Inner> = own.iter().filter(one_line).collect();
    let first = random.below(found.len().max(1));
    let chosen = found.get(first..(first + 1 + random.below(3)).min(found.len()))?;
    let moves: Vec<Splice> =
        chosen.iter().filter_map(|list| without_indentation(&sample.text, list.range.start)).collect();
    (!moves.is_empty()).then(|| of_text(sample, apply(&sample.text, moves).text))?
}

/// The form and up to two after it, in a form around them that does not indent them.
fn in_another_form(sample: &Sample, random: &mut Random) -> Option<Sample> {
    let heads: &[&str] = match sample.dialect {
        Dialect::CommonLisp => &["(progn", "(eval-when (:compile-toplevel :load-toplevel :execute)", "(let ((n 0))"],
        Dialect::EmacsLisp => &["(progn", "(eval-and-compile", "(with-eval-after-load 'x"],
        Dialect::Scheme | Dialect::Racket => &["(begin", "(library (x)\n(export)\n(import)", "(define-library (x)"],
        Dialect::Fennel | Dialect::Janet | Dialect::Hy => &["(do", "(let [n 0]"],
        Dialect::Clojure | Dialect::Edn => &["(do", "(comment", "(let [n 0]"],
    };
    let chosen = sample.forms.iter().position(|form| *form == sample.form)?;
    let last = sample.forms.get(chosen..=chosen + random.below(3))?.last()?.end;
    let start = sample.form.start;
    let (head, tail) = (random.pick(heads)?, if random.percent(50) { ")" } else { "\n)" });
    let body = &sample.text[start..last];
    let text = format!("{}{head}\n{body}{tail}{}", &sample.text[..start], &sample.text[last..]);
    let form = start..start + head.len() + 1 + body.len() + tail.len();
    let forms = top_level(&text, sample.dialect)?;
    forms.contains(&form).then(|| Sample { text, form, forms, ..sample.clone() })
}

/// The sample with a part of its form moved right or left by some columns, though nothing was put around it.
pub(crate) fn half_indented(sample: &Sample, random: &mut Random) -> Option<Sample> {
    let text = &*sample.text;
    let own = inner_lists(text, sample.form.clone(), sample.dialect);
    let long: Vec<&Inner> = own.iter().filter(|list| text[list.range.clone()].matches('\n').count() > 1).collect();
    let list = random.pick(&long)?;
    let begins: Vec<usize> = pieces(text, list.range.clone(), sample.dialect)
        .iter()
        .filter(|piece| piece.begins_line && piece.start > list.range.start)
        .map(|piece| piece.start)
        .collect();
    let from = random.below(begins.len().max(1));
    let to = from + 1 + random.below((begins.len() - from).max(1));
    let by = [2, 2, 4, -2][random.below(4)];
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |line| line + 1);
    let moves: Vec<Splice> = begins
        .get(from..to.min(begins.len()))?
        .iter()
        .filter(|&&at| text[line_start(at)..at].trim_matches(' ').is_empty())
        .map(|&at| {
            let wanted = (at - line_start(at)).saturating_add_signed(by);
            Splice { range: line_start(at)..at, with: " ".repeat(wanted) }
        })
        .collect();
    (!moves.is_empty()).then(|| of_text(sample, apply(text, moves).text))?
}

/// Removes the white space before a token that begins a line, if it has some.
fn without_indentation(text: &str, at: usize) -> Option<Splice> {
    let line = text[..at].rfind('\n').map_or(0, |line| line + 1);
    let blank = at > line && text[line..at].trim().is_empty();
    blank.then(|| Splice { range: line..at, with: String::new() })
}

/// The sample with another `text`, in which only white space between tokens differs.
fn of_text(sample: &Sample, text: String) -> Option<Sample> {
    let chosen = sample.forms.iter().position(|form| *form == sample.form)?;
    let forms = top_level(&text, sample.dialect)?;
    let form = forms.get(chosen)?.clone();
    Some(Sample { text, form, forms, ..sample.clone() })
}

fn indented(text: &str, dialect: Dialect, step: &str) -> String {
    let tree = read_plain(text, dialect);
    let mut out = String::with_capacity(text.len());
    // For every open list, the indentation of the line that opens it, in steps.
    let mut open: Vec<usize> = Vec::new();
    let mut indentation = 0;
    for (kind, span) in tree.tokens() {
        let body = &text[span.range()];
        match kind {
            TokenKind::Blank => match body.rfind('\n') {
                Some(_) if span.end < tree.len() => {
                    let closes = text[span.range().end..].starts_with([')', ']', '}']);
                    let around = open.len().checked_sub(1).map(|at| open[at]);
                    indentation = match around {
                        Some(around) if closes => around,
                        Some(around) => around + 1,
                        None => 0,
                    };
                    for _ in body.matches('\n') {
                        out.push('\n');
                    }
                    out.extend(std::iter::repeat_n(step, indentation));
                }
                _ => out.push_str(body),
            },
            _ => {
                if kind.is_open() {
                    open.push(indentation);
                } else if kind.is_close() {
                    open.pop();
                }
                out.push_str(body);
            }
        }
    }
    out
}
