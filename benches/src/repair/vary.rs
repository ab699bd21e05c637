//! Variants of a sample: before some unrelated change, and in other layouts.

use lispwright_syntax::{Dialect, TokenKind, read_plain};

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
    let text = match layout {
        Layout::Kept => return Some(sample.clone()),
        Layout::Other => indented(&sample.text, sample.dialect, 4),
        Layout::Absent => indented(&sample.text, sample.dialect, 0),
    };
    let chosen = sample.forms.iter().position(|form| *form == sample.form)?;
    let forms = top_level(&text, sample.dialect)?;
    let form = forms.get(chosen)?.clone();
    Some(Sample { text, form, forms, ..sample.clone() })
}

fn indented(text: &str, dialect: Dialect, step: usize) -> String {
    let tree = read_plain(text, dialect);
    let mut out = String::with_capacity(text.len());
    // For every open list, the indentation of the line that opens it.
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
                        Some(around) => around + step,
                        None => 0,
                    };
                    for _ in body.matches('\n') {
                        out.push('\n');
                    }
                    out.extend(std::iter::repeat_n(' ', indentation));
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
