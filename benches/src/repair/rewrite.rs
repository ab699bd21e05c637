//! Texts that may have preceded a form before somebody rewrote it.
//!
//! The present form stays the truth, so that the repairer has to restore a person's code; the earlier text is made from
//! it and from the forms around it: another form of the same kind, the form without a datum or with others instead, a
//! body without its wrapper or with one more, lines broken elsewhere.

use std::collections::HashSet;
use std::ops::Range;

use lispwright_syntax::{TokenKind, read_plain};

use super::damage::{Splice, apply};
use super::lists::{Inner, column, inner_lists, shifted};
use super::random::Random;
use super::sample::{Piece, Sample, is_sound, pieces};

/// The number of attempts to rewrite the lines of a given fault.
const ATTEMPTS: usize = 40;

/// An earlier form, with a difference in every line that contains one of `places` (bytes of the form).
pub(crate) fn before(sample: &Sample, places: &[usize], random: &mut Random) -> Option<String> {
    let kind = random.below(100);
    let form = sample.own();
    (0..ATTEMPTS).find_map(|_| {
        let old = match kind {
            0..25 => other(sample, random),
            25..70 => with_other_data(form, sample, random),
            70..85 => with_other_wrapping(sample, random),
            _ => with_other_line_breaks(sample, random),
        }?;
        let rewritten = differs_at(&old, form, places);
        (rewritten && is_sound(&old, sample.dialect)).then_some(old)
    })
}

/// No line of `new` that contains one of the places occurs in `old`.
pub(crate) fn differs_at(old: &str, new: &str, places: &[usize]) -> bool {
    let lines: HashSet<&str> = old.lines().map(str::trim).collect();
    places.iter().all(|&place| {
        let start = new[..place].rfind('\n').map_or(0, |at| at + 1);
        let end = new[place..].find('\n').map_or(new.len(), |at| place + at);
        !lines.contains(new[start..end].trim())
    })
}

/// Another form of the file with the same head, renamed to this one.
fn other(sample: &Sample, random: &mut Random) -> Option<String> {
    let text = &*sample.text;
    let heads = |form: &Range<usize>| -> Option<(Range<usize>, Range<usize>)> {
        let own = pieces(text, form.clone(), sample.dialect);
        let [open, head, name, ..] = &own[..] else { return None };
        let fits = open.kind.is_open() && head.kind == TokenKind::Atom && name.kind == TokenKind::Atom;
        fits.then_some((head.start..head.end, name.start..name.end))
    };
    let (head, name) = heads(&sample.form)?;
    let others: Vec<&Range<usize>> = sample.forms.iter().filter(|form| **form != sample.form).collect();
    let other = (*random.pick(&others)?).clone();
    let (other_head, other_name) = heads(&other)?;
    let same = text[head] == text[other_head] && text[other.clone()].lines().count() > 1;
    same.then(|| {
        let local = other_name.start - other.start..other_name.end - other.start;
        apply(&text[other], vec![Splice { range: local, with: text[name].to_owned() }]).text
    })
}

/// `form` with one to four data replaced, left out or added, symbols renamed; others come from the file of `sample`.
pub(crate) fn with_other_data(form: &str, sample: &Sample, random: &mut Random) -> Option<String> {
    let dialect = sample.dialect;
    let mut form = form.to_owned();
    for _ in 0..=random.below(4) {
        let inner = inner_lists(&form, 0..form.len(), dialect);
        let changed = match random.below(6) {
            0 | 1 => {
                let place = random.pick(&inner)?;
                let donor = donor(sample, column(&form, place.range.start), random)?;
                Splice { range: place.range.clone(), with: donor }
            }
            2 => {
                let late: Vec<&Inner> = inner.iter().filter(|list| list.follows.is_some()).collect();
                let place = random.pick(&late)?;
                Splice { range: place.follows?..place.range.end, with: String::new() }
            }
            3 => {
                let lines: Vec<&Inner> = inner.iter().filter(|list| list.begins_line).collect();
                let place = random.pick(&lines)?;
                let column = column(&form, place.range.start);
                let donor = donor(sample, column, random)?;
                let end = place.range.end;
                Splice { range: end..end, with: format!("\n{}{donor}", " ".repeat(column)) }
            }
            _ => {
                let own = pieces(&form, 0..form.len(), dialect);
                let names: Vec<&Piece> = own.iter().filter(|piece| piece.kind == TokenKind::Atom).collect();
                let name = random.pick(&names)?;
                let donors = pieces(&sample.text, random.pick(&sample.forms)?.clone(), dialect);
                let donors: Vec<&Piece> = donors.iter().filter(|piece| piece.kind == TokenKind::Atom).collect();
                let donor = random.pick(&donors)?;
                Splice { range: name.start..name.end, with: sample.text[donor.start..donor.end].to_owned() }
            }
        };
        form = apply(&form, vec![changed]).text;
    }
    Some(form)
}

/// A list of another form of the file, indented for the column `at`.
fn donor(sample: &Sample, at: usize, random: &mut Random) -> Option<String> {
    let form = random.pick(&sample.forms)?.clone();
    let inner = inner_lists(&sample.text, form, sample.dialect);
    let list = &random.pick(&inner)?.range;
    let by = at as isize - column(&sample.text, list.start) as isize;
    let text = &sample.text[list.clone()];
    (text.lines().count() <= 12).then(|| shifted(text, by))
}

/// A body without the form around it, or with one more around it.
fn with_other_wrapping(sample: &Sample, random: &mut Random) -> Option<String> {
    let form = sample.own();
    let inner = inner_lists(form, 0..form.len(), sample.dialect);
    if random.percent(40) {
        let lines: Vec<&Inner> = inner.iter().filter(|list| list.begins_line).collect();
        let place = random.pick(&lines)?.range.clone();
        let indentation = " ".repeat(column(form, place.start) + 2);
        let body = shifted(&form[place.clone()], 2);
        let head = random.pick(&["(when ready", "(progn", "(let ((result nil))", "(if (null items)"])?;
        return Some(apply(form, vec![Splice { range: place, with: format!("{head}\n{indentation}{body})") }]).text);
    }
    let outer = random.pick(&inner)?.range.clone();
    let own = pieces(form, outer.clone(), sample.dialect);
    let bodies: Vec<usize> = own
        .iter()
        .filter(|piece| piece.depth == 2 && piece.begins_line && piece.kind.is_open())
        .map(|p| p.start)
        .collect();
    let &start = random.pick(&bodies)?;
    let end = own.len().checked_sub(2).map(|at| own[at].end)?;
    let by = column(form, outer.start) as isize - column(form, start) as isize;
    let body = shifted(&form[start..end.max(start)], by);
    Some(apply(form, vec![Splice { range: outer, with: body }]).text)
}

/// The same tokens with one to three line breaks removed or added.
fn with_other_line_breaks(sample: &Sample, random: &mut Random) -> Option<String> {
    let form = sample.own();
    let tree = read_plain(form, sample.dialect);
    let mut splices = Vec::new();
    let blanks: Vec<Range<usize>> =
        tree.tokens().filter(|(kind, _)| *kind == TokenKind::Blank).map(|(_, span)| span.range()).collect();
    for _ in 0..=random.below(3) {
        let blank = random.pick(&blanks)?.clone();
        let with = if form[blank.clone()].contains('\n') {
            " ".to_owned()
        } else {
            format!("\n{}", " ".repeat(column(form, blank.end).min(24)))
        };
        if splices.iter().all(|splice: &Splice| splice.range != blank) {
            splices.push(Splice { range: blank, with });
        }
    }
    Some(apply(form, splices).text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use lispwright_syntax::Dialect;

    use super::super::damage::tests::sample;
    use super::*;

    #[test]
    fn the_form_before_has_other_lines_at_the_fault() {
        for dialect in [Dialect::CommonLisp, Dialect::Clojure] {
            let sample = sample(dialect);
            let place = sample.own().find("(car x)").or(sample.own().find(":y y")).unwrap();
            let line = sample.own().lines().find(|line| line.contains("(car x)") || line.contains(":y y")).unwrap();
            let mut random = Random::new(5);
            let old: HashSet<String> = (0..200).filter_map(|_| before(&sample, &[place], &mut random)).collect();
            assert!(old.len() > 10, "{old:?}");
            for old in &old {
                assert!(is_sound(old, dialect) && old != sample.own());
                assert!(old.lines().all(|other| other.trim() != line.trim()), "{old}");
            }
        }
    }
}
