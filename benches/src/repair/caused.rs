//! Faults with a cause: an edit whose author did one half of what it takes.
//!
//! The classes of [`super::damage`] draw a delimiter and remove it. In the histories of public projects a delimiter is
//! seldom lost for no reason: somebody wraps code and forgets the closer, which belongs into a line that was not
//! touched, or unwraps it and leaves the closer behind; the columns are still those of the old nesting, or of the one
//! that the author had in mind. Here the edit is made first, from an earlier text to the one that was meant, and then
//! the half of it that people forget is undone.

use std::ops::Range;

use lispwright_syntax::TokenKind;

use super::damage::{Class, Splice, any_line_end, apply, collide, damage};
use super::lists::{Datum, Inner, closers, column, hunks, inner_lists, lists, shifted};
use super::random::Random;
use super::rewrite;
use super::sample::{Sample, is_sound, pieces};
use super::vary;

/// The cause of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    Wrap,
    Unwrap,
    LastChild,
    Around,
    Moved,
    Hunks,
    Parallel,
    OnPurpose,
    Accident,
    MidLine,
    Opener,
    HalfIndented,
    Column0,
    Tabs,
    Docstring,
    NewString,
}

/// Every cause, its share of a hundred, and its description.
///
/// Of 421 corrections in public histories whose earlier text is known, 20 in a hundred were in lines that the edit had
/// not written, and 70 of the edits had two hunks or more. Of 423 corrections of one place, 93 in a hundred were of
/// closers at the end of a line, 4 of openers, half of them lost, 1 of closers inside a line, 2 of quotes. How the
/// causes share the closers at line ends is an estimate.
pub(crate) const CAUSES: [(Cause, f64, &str); 16] = [
    (Cause::Wrap, 13.0, "wrap without its tail"),
    (Cause::Unwrap, 8.0, "unwrap, or an opener that is deleted or commented out, and its closer stays"),
    (Cause::LastChild, 8.0, "new last child below the closers of its parent"),
    (Cause::Around, 6.0, "call put round the last argument"),
    (Cause::Moved, 5.0, "form moved with closers too many or too few"),
    (Cause::Hunks, 23.0, "several hunks, and a slip in one"),
    (Cause::Parallel, 6.0, "same slip in parallel lines"),
    (Cause::OnPurpose, 4.0, "delimiters changed on purpose, and a slip"),
    (Cause::Accident, 3.0, "earlier text that balances by accident"),
    (Cause::MidLine, 1.0, "closer lost in the middle of a line"),
    (Cause::Opener, 2.0, "opener lost"),
    (Cause::HalfIndented, 6.0, "slip in code that is half re-indented"),
    (Cause::Column0, 6.0, "slip in code with inner lines in column 0"),
    (Cause::Tabs, 4.0, "slip in code with a tab for each level"),
    (Cause::Docstring, 3.0, "slip in code with strings in column 0"),
    (Cause::NewString, 2.0, "new string without one of its quotes"),
];

/// An edit of a part of a file, and its faults.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    /// The text of the file before it, without the fault, and the part of it that is edited.
    pub(crate) sample: Sample,
    /// That part before the edit.
    pub(crate) before: String,
    /// That part as it was meant.
    pub(crate) after: String,
    /// The faults, as changes of `after`.
    pub(crate) faults: Vec<Splice>,
}

/// Edits the form of a sample with a fault of this cause; `None` when that is not possible in it.
pub(crate) fn cause(sample: &Sample, cause: Cause, random: &mut Random) -> Option<Edit> {
    let plain = |made: Option<(String, String, Vec<Splice>)>| {
        let (before, after, faults) = made?;
        Some(Edit { sample: sample.clone(), before, after, faults })
    };
    let edit = match cause {
        Cause::Wrap => plain(wrapped(sample, random)),
        Cause::Unwrap => plain(unwrapped(sample, random)),
        Cause::LastChild => plain(last_child(sample, random)),
        Cause::Around => plain(around(sample, random)),
        Cause::Moved => plain(moved(sample, random)),
        Cause::Hunks => plain(in_one_of_several_hunks(sample, random)),
        Cause::Parallel => plain(parallel(sample, random)),
        Cause::OnPurpose => plain(on_purpose(sample, random)),
        Cause::Accident => accident(sample, random),
        Cause::MidLine => plain(in_new_lines(sample, mid_line(sample, random)?, random)),
        Cause::Opener => plain(in_new_lines(sample, opener(sample, random)?, random)),
        Cause::HalfIndented => slip_in(vary::half_indented(sample, random)?, random),
        Cause::Column0 => slip_in(vary::with_lines_in_column_0(sample, random)?, random),
        Cause::Tabs => slip_in(vary::with_tabs(sample)?, random),
        Cause::Docstring => slip_in(vary::with_strings_in_column_0(sample)?, random),
        Cause::NewString => plain(new_string(sample, random)),
    }?;
    let dialect = sample.dialect;
    let sound = is_sound(&edit.before, dialect) && is_sound(&edit.after, dialect) && edit.before != edit.after;
    (sound && !collide(&edit.faults)).then_some(edit)
}

fn removal(range: Range<usize>) -> Splice {
    Splice { range, with: String::new() }
}

fn insertion(at: usize, with: &str) -> Splice {
    Splice { range: at..at, with: with.to_owned() }
}

/// A list with a body that is indented like one, which may be put around that body or taken from it; and the index of
/// the datum with which the body begins.
fn wrapper<'l>(form: &str, all: &'l [Inner], random: &mut Random) -> Option<(&'l Inner, usize)> {
    let wraps = |list: &&Inner| {
        let body = list.body().filter(|_| list.is_call() && list.begins_line && list.tail().is_some());
        body.is_some_and(|body| {
            let step = column(form, list.data[body].range.start).saturating_sub(column(form, list.range.start));
            list.data.len() - body <= 8 && (1..=4).contains(&step)
        })
    };
    let found: Vec<&Inner> = all.iter().filter(wraps).collect();
    let list = *random.pick(&found)?;
    Some((list, list.body()?))
}

/// `body`, whose lines stand in the columns of a wrapper, with the lines from `kept` on moved left by `step` columns.
fn half_moved(body: &str, kept: usize, step: usize) -> String {
    let old = shifted(body, -(step as isize));
    let lines = body.split('\n').zip(old.split('\n')).enumerate();
    let lines: Vec<&str> = lines.map(|(at, (new, old))| if at < kept { new } else { old }).collect();
    lines.join("\n")
}

/// How many of the lines of a body are re-indented: none, some, or all.
fn re_indented(lines: usize, random: &mut Random) -> usize {
    match random.below(100) {
        0..40 => 0,
        40..65 => random.below(lines),
        _ => lines,
    }
}

/// A wrapper that the form has is new, and its closer was forgotten. The lines of its body that were not re-indented
/// are as before.
fn wrapped(sample: &Sample, random: &mut Random) -> Option<(String, String, Vec<Splice>)> {
    let form = sample.own();
    let all = inner_lists(form, 0..form.len(), sample.dialect);
    let (list, first) = match wrapper(form, &all, random) {
        Some(found) if random.percent(85) => found,
        _ => return wrapped_whole(sample, random),
    };
    let (start, end) = (list.data[first].range.start, list.tail()?);
    let step = column(form, start).checked_sub(column(form, list.range.start))?;
    let body = &form[start..end];
    let before = [&form[..list.range.start], &shifted(body, -(step as isize)), &form[list.range.end..]].concat();
    let kept = re_indented(body.lines().count(), random);
    // The first line is moved by the white space before it.
    let by = if kept == 0 { step } else { 0 };
    let head = form[..start - by.min(step)].to_owned();
    let after = format!("{head}{}", half_moved(body, kept, step));
    let at = after.len();
    Some((before, format!("{after}){}", &form[list.range.end..]), vec![removal(at..at + 1)]))
}

/// A wrapper is put around the whole form, and its closer forgotten.
fn wrapped_whole(sample: &Sample, random: &mut Random) -> Option<(String, String, Vec<Splice>)> {
    let form = sample.own();
    let head = wrapper_head(sample, random)?;
    let kept = re_indented(form.lines().count(), random);
    let body = half_moved(&shifted(form, 2), kept, 2);
    let indentation = if kept > 0 { "  " } else { "" };
    let after = format!("{head}\n{indentation}{body}");
    let at = after.len();
    Some((form.to_owned(), format!("{after})"), vec![removal(at..at + 1)]))
}

/// The beginning of a form that people put around others.
fn wrapper_head(sample: &Sample, random: &mut Random) -> Option<String> {
    use lispwright_syntax::Dialect::{Clojure, CommonLisp, Edn, EmacsLisp, Fennel, Hy, Janet, Racket, Scheme};
    let heads: &[&str] = match sample.dialect {
        CommonLisp => {
            &["(progn", "(eval-when (:compile-toplevel :load-toplevel :execute)", "(when *ready*", "(let ((n 0))"]
        }
        EmacsLisp => {
            &["(when (featurep 'x)", "(progn", "(eval-and-compile", "(with-eval-after-load 'x", "(let ((n 0))"]
        }
        Scheme | Racket => &["(begin", "(let ((n 0))", "(define-library (x)"],
        Fennel | Janet | Hy => &["(do", "(let [n 0]"],
        Clojure | Edn => &["(do", "(comment", "(when ready?", "(let [n 0]"],
    };
    random.pick(heads).map(|head| (*head).to_owned())
}

/// A wrapper was deleted or commented out, and its closer stays.
fn unwrapped(sample: &Sample, random: &mut Random) -> Option<(String, String, Vec<Splice>)> {
    let form = sample.own();
    let all = inner_lists(form, 0..form.len(), sample.dialect);
    let (list, first) = wrapper(form, &all, random)?;
    let (start, end) = (list.data[first].range.start, list.tail()?);
    let step = column(form, start).checked_sub(column(form, list.range.start))?;
    let body = &form[start..end];
    let indentation = " ".repeat(column(form, list.range.start));
    let (head, kept) = if random.percent(35) {
        let lines = form[list.range.start..start].trim_end().lines();
        let comments: Vec<String> = lines.map(|line| format!(";; {}\n{indentation}", line.trim_start())).collect();
        (comments.concat(), if random.percent(70) { usize::MAX } else { 0 })
    } else {
        (String::new(), re_indented(body.lines().count(), random))
    };
    let blank = if kept > 0 { " ".repeat(step) } else { String::new() };
    let front = format!("{}{head}{blank}{}", &form[..list.range.start], half_moved(body, kept, step));
    let at = front.len();
    Some((form.to_owned(), format!("{front}{}", &form[list.range.end..]), vec![insertion(at, ")")]))
}

/// A new last datum was written below the closers that end its list.
fn last_child(sample: &Sample, random: &mut Random) -> Option<(String, String, Vec<Splice>)> {
    let form = sample.own();
    let fits = |list: &&Inner| {
        let [.., before, last] = &list.data[..] else { return false };
        let blank = || form[before.range.end..last.range.start].trim().is_empty();
        last.begins_line && before.begins_line && list.tail().is_some() && blank()
    };
    let all = lists(form, 0..form.len(), sample.dialect);
    let found: Vec<&Inner> = all.iter().filter(fits).collect();
    let list = *random.pick(&found)?;
    let (old_end, end) = (list.data[list.data.len() - 2].range.end, list.tail()?);
    let run = closers(form, end);
    let before = format!("{}{run}{}", &form[..old_end], &form[end + run.len()..]);
    // Most authors write the closers that they see above; some write those that they think are due.
    let written = if random.percent(70) { run.len() } else { 1 + random.below(run.len()) };
    let mut faults = vec![insertion(old_end, run)];
    if written < run.len() {
        faults.push(removal(end + written..end + run.len()));
    }
    Some((before, form.to_owned(), faults))
}

/// A call was put round the last argument of another, and its closer forgotten.
fn around(sample: &Sample, random: &mut Random) -> Option<(String, String, Vec<Splice>)> {
    let form = sample.own();
    let all = lists(form, 0..form.len(), sample.dialect);
    let last_of = |list: &Inner| all.iter().any(|outer| outer.tail() == Some(list.range.end));
    let fits = |list: &&Inner| {
        let calls = list.is_call() && list.data.len() > 1 && list.tail().is_some();
        calls && list.follows.is_some() && !list.begins_line && last_of(list)
    };
    let found: Vec<&Inner> = all.iter().filter(fits).collect();
    let list = *random.pick(&found)?;
    let (argument, end) = (&list.data[list.data.len() - 1].range, list.tail()?);
    let moved = column(form, argument.start) as isize - column(form, list.range.start) as isize;
    let argument = shifted(&form[argument.clone()], if random.percent(50) { -moved } else { 0 });
    let before = format!("{}{argument}{}", &form[..list.range.start], &form[list.range.end..]);
    Some((before, form.to_owned(), vec![removal(end..end + 1)]))
}

/// The last datum of a list was moved up; its line took the closers with it or left them behind.
fn moved(sample: &Sample, random: &mut Random) -> Option<(String, String, Vec<Splice>)> {
    let form = sample.own();
    let fits = |list: &&Inner| {
        let body = list.body().filter(|body| list.data.len() - body > 1 && list.tail().is_some());
        body.is_some_and(|body| {
            list.data[body..].windows(2).all(|pair| form[pair[0].range.end..pair[1].range.start].trim().is_empty())
        })
    };
    let all = lists(form, 0..form.len(), sample.dialect);
    let found: Vec<&Inner> = all.iter().filter(fits).collect();
    let list = *random.pick(&found)?;
    let body = list.body()?;
    let last = list.data.len() - 1;
    let to = body + random.below(last - body);
    let (target, datum, end) = (list.data[to].range.start, &list.data[last].range, list.tail()?);
    let run = closers(form, end);
    let head = format!("{}{}", &form[..target], &form[datum.clone()]);
    let indentation = " ".repeat(column(form, target));
    let rest = format!("\n{indentation}{}", &form[target..list.data[last - 1].range.end]);
    let (first, second) = (head.len(), head.len() + rest.len());
    let after = format!("{head}{rest}{}", &form[end..]);
    let faults = match random.percent(60) {
        true => vec![removal(second..second + run.len())],
        false => vec![insertion(first, run)],
    };
    Some((form.to_owned(), after, faults))
}

/// Several parts of the form were rewritten, with a slip at the end of one of the new lines.
fn in_one_of_several_hunks(sample: &Sample, random: &mut Random) -> Option<(String, String, Vec<Splice>)> {
    let form = sample.alone()?;
    let faults = damage(&form, any_line_end(random), random)?;
    let (before, after, faults) = in_new_lines(sample, faults, random)?;
    let more = rewrite::with_other_data(&before, sample, random)?;
    let places: Vec<usize> = faults.iter().map(|fault| fault.range.start).collect();
    let several = hunks(&more, &after).len() > 1 && rewrite::differs_at(&more, &after, &places);
    several.then_some((more, after, faults))
}

/// The form before its lines with the faults were written.
fn in_new_lines(sample: &Sample, faults: Vec<Splice>, random: &mut Random) -> Option<(String, String, Vec<Splice>)> {
    let places: Vec<usize> = faults.iter().map(|fault| fault.range.start).collect();
    let before = rewrite::before(sample, &places, random)?;
    Some((before, sample.own().to_owned(), faults))
}

/// A slip at the end of a new line of the form, in a text that is laid out in an unusual way.
fn slip_in(sample: Sample, random: &mut Random) -> Option<Edit> {
    let faults = damage(&sample.alone()?, any_line_end(random), random)?;
    let (before, after, faults) = in_new_lines(&sample, faults, random)?;
    Some(Edit { sample, before, after, faults })
}

/// Two lines or more that are alike were changed in the same way, and each lost or gained the same closer.
fn parallel(sample: &Sample, random: &mut Random) -> Option<(String, String, Vec<Splice>)> {
    let form = sample.own();
    let all = lists(form, 0..form.len(), sample.dialect);
    let one_line = |range: &Range<usize>| !form[range.clone()].contains('\n');
    let ends_line =
        |end: usize| form[end..].lines().next().unwrap_or_default().trim_matches([')', ']', '}']).is_empty();
    let list_at =
        |range: &Range<usize>| all.iter().find(|list| list.range.end == range.end && list.range.start >= range.start);
    // Runs of lists on a line each.
    let mut runs: Vec<Vec<&Inner>> = Vec::new();
    for list in &all {
        let mut run = Vec::new();
        for datum in &list.data {
            let alike = datum.kind.is_open() && one_line(&datum.range) && ends_line(datum.range.end);
            match list_at(&datum.range).filter(|inner| alike && inner.data.len() > 1) {
                Some(inner) => run.push(inner),
                None => runs.push(std::mem::take(&mut run)),
            }
        }
        runs.push(run);
    }
    runs.retain(|run| run.len() > 1);
    let run = random.pick(&runs)?;
    let count = 2 + random.below(run.len().min(4) - 1);
    let first = random.below(run.len() - count + 1);
    let chosen = &run[first..first + count];
    let (mut changes, mut faults) = (Vec::new(), Vec::new());
    let loses = random.percent(55);
    for list in chosen {
        let inside =
            all.iter().filter(|inner| list.range.start <= inner.range.start && inner.range.end <= list.range.end);
        let mut arguments = inside.flat_map(|inner| inner.data.iter().skip(1));
        let atom = arguments.find(|datum| datum.kind == TokenKind::Atom)?;
        let end = list.range.end;
        changes.push(Splice { range: atom.range.clone(), with: format!("old-{}", &form[atom.range.clone()]) });
        faults.push(if loses { removal(end - 1..end) } else { insertion(end, &form[end - 1..end]) });
    }
    Some((apply(form, changes).text, form.to_owned(), faults))
}

/// A variable was made a function or a function a variable, so its uses got or lost parentheses; and one of the changed
/// lines lost or gained a closer besides.
fn on_purpose(sample: &Sample, random: &mut Random) -> Option<(String, String, Vec<Splice>)> {
    let form = sample.own();
    let all = lists(form, 0..form.len(), sample.dialect);
    let symbol = |text: &str| text.starts_with(|c: char| c.is_alphabetic() || c == '*');
    let mut names: Vec<&str> = all
        .iter()
        .flat_map(|list| list.data.iter().skip(1))
        .filter(|datum| datum.kind == TokenKind::Atom && symbol(&form[datum.range.clone()]))
        .map(|datum| &form[datum.range.clone()])
        .collect();
    names.sort_unstable();
    names.dedup();
    let name = *random.pick(&names)?;
    let places =
        all.iter().flat_map(|list| list.data.iter().skip(1)).filter(|datum| &form[datum.range.clone()] == name);
    let mut places: Vec<Range<usize>> = places.map(|datum| datum.range.clone()).collect();
    places.sort_by_key(|place| place.start);
    if !(2..=6).contains(&places.len()) {
        return None;
    }
    let called = format!("({name})");
    let changes = places.iter().map(|place| Splice { range: place.clone(), with: called.clone() }).collect();
    let made = apply(form, changes);
    let (mut before, mut after) = (form.to_owned(), made.text);
    let mut at: Vec<usize> = made.at.iter().map(|at| at + called.len()).collect();
    if random.percent(40) {
        (before, after) = (after, before);
        at = places.iter().map(|place| place.end).collect();
    }
    let place = *random.pick(&at)?;
    let line_end = after[place..].find('\n').map_or(after.len(), |end| place + end);
    let code = after[..line_end].trim_end();
    let run = code.len() - code.trim_end_matches([')', ']', '}']).len();
    if run < 2 || code.len() < place {
        return None;
    }
    let end = code.len();
    let fault = if random.percent(60) { removal(end - 1..end) } else { insertion(end, &code[end - 1..]) };
    Some((before, after, vec![fault]))
}

/// Two faults of the earlier text cancelled each other, and the edit corrected one of them.
fn accident(sample: &Sample, random: &mut Random) -> Option<Edit> {
    if random.percent(50) {
        // A closer was in another line of the form.
        let form = sample.alone()?;
        let both = damage(&form, Class::L, random)?;
        let [_, _] = &both[..] else { return None };
        let left = both[random.below(2)].clone();
        let before = apply(&form.text, both).text;
        return Some(Edit { sample: sample.clone(), before, after: form.text, faults: vec![left] });
    }
    // The form before lacked a closer, and this one had one too many.
    let index = sample.forms.iter().position(|form| *form == sample.form)?.checked_sub(1)?;
    let region = sample.forms[index].start..sample.form.end;
    let text = sample.text[region.clone()].to_owned();
    let end = sample.forms[index].end - region.start;
    let lists = text[..end].ends_with(')') && text.ends_with(')') && column(&sample.text, region.start) == 0;
    if !lists {
        return None;
    }
    let both = vec![removal(end - 1..end), insertion(text.len(), ")")];
    let left = both[random.below(2)].clone();
    let before = apply(&text, both).text;
    let mut forms = sample.forms.clone();
    forms.splice(index..index + 2, [region.clone()]);
    let sample = Sample { form: region, forms, ..sample.clone() };
    Some(Edit { sample, before, after: text, faults: vec![left] })
}

/// A closer inside a line of the form is lost.
fn mid_line(sample: &Sample, random: &mut Random) -> Option<Vec<Splice>> {
    let form = sample.alone()?;
    let own = pieces(&form.text, form.form.clone(), form.dialect);
    let inside = |at: usize| {
        let followed = own[at + 1..].iter().find(|piece| !piece.kind.is_close());
        own[at].kind.is_close() && followed.is_some_and(|next| !next.begins_line)
    };
    let found: Vec<usize> = (0..own.len()).filter(|&at| inside(at)).collect();
    let &at = random.pick(&found)?;
    Some(vec![removal(own[at].start..own[at].end)])
}

/// An opener that no other opener touches is lost.
fn opener(sample: &Sample, random: &mut Random) -> Option<Vec<Splice>> {
    let form = sample.alone()?;
    let own = pieces(&form.text, form.form.clone(), form.dialect);
    let single = |at: &usize| {
        let beside = |other: Option<&super::sample::Piece>| {
            other.is_some_and(|other| {
                other.kind.is_open() && (other.end == own[*at].start || own[*at].end == other.start)
            })
        };
        own[*at].kind.is_open() && !beside(at.checked_sub(1).and_then(|at| own.get(at))) && !beside(own.get(at + 1))
    };
    let found: Vec<usize> = (0..own.len()).filter(single).collect();
    let &at = random.pick(&found)?;
    Some(vec![removal(own[at].end - 1..own[at].end)])
}

/// A string on one line was written in the place of an atom, or between what was there, and its end quote forgotten,
/// seldom the other one. As many of them stand in mid-line as at the end of a line.
fn new_string(sample: &Sample, random: &mut Random) -> Option<(String, String, Vec<Splice>)> {
    let form = sample.own();
    let all = lists(form, 0..form.len(), sample.dialect);
    let texts = |datum: &&Datum| {
        let source = &form[datum.range.clone()];
        datum.kind == TokenKind::String && source.len() > 3 && source.starts_with('"') && !source.contains('\n')
    };
    let ends_line =
        |end: usize| form[end..].lines().next().unwrap_or_default().trim_matches([')', ']', '}', ' ']).is_empty();
    let strings: Vec<Range<usize>> =
        all.iter().flat_map(|list| list.data.iter().skip(1)).filter(texts).map(|datum| datum.range.clone()).collect();
    let (last, inner): (Vec<_>, Vec<_>) = strings.into_iter().partition(|string| ends_line(string.end));
    let [first, second] = if random.percent(50) { [&last, &inner] } else { [&inner, &last] };
    let string = random.pick(first).or(random.pick(second))?.clone();
    let before = if random.percent(50) {
        format!("{}1{}", &form[..string.start], &form[string.end..])
    } else {
        let front = form[..string.start].trim_end();
        format!("{front}{}", &form[string.end..])
    };
    let lost = if random.percent(75) { string.end - 1..string.end } else { string.start..string.start + 1 };
    Some((before, form.to_owned(), vec![removal(lost)]))
}

/// The lines of `edit` in which it has a fault were not written by it.
pub(crate) fn is_outside(edit: &Edit, damaged: &str, at: &[usize]) -> bool {
    let written = hunks(&edit.before, damaged);
    at.iter().all(|&at| {
        let line = damaged[..at].matches('\n').count();
        !written.iter().any(|hunk| hunk.contains(&line))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeMap;

    use std::path::PathBuf;

    use lispwright_syntax::Dialect;

    use super::super::sample::top_level;
    use super::*;

    const LISP: &str = "(defun g (x)\n  (h x))\n\n(defun f (x y)\n  \"Of two.\"\n  (let ((a (car x))\n        (b (cdr x)))\n    (when (g x) (h y))\n    (cond\n      ((g a) (list a 1))\n      ((g b) (list b 2))\n      ((g y) (list y 3)))\n    (list\n     a\n     (list a b))))\n\n(defun h (x)\n  (print x)\n  x)\n";
    const CLOJURE: &str = "(def a [1])\n\n(defn f\n  \"Of two.\"\n  [x y]\n  (let [y (g \"a\" x)\n        z {:y y}]\n    (when (g x) (h y))\n    (cond\n      (g y) 1\n      :else 2)\n    (f x 1)\n    (f y 2)\n    (f z 3)\n    (h y\n       z)))\n\n(defn h [x]\n  (print x)\n  x)\n";

    #[test]
    fn every_cause_breaks_an_edit_of_the_form() {
        for (dialect, text) in [(Dialect::CommonLisp, LISP), (Dialect::Clojure, CLOJURE)] {
            let forms = top_level(text, dialect).unwrap();
            let (form, file) = (forms[1].clone(), PathBuf::new());
            let sample = Sample { dialect, file, text: text.to_owned(), form, forms };
            let mut random = Random::new(1);
            let mut made = BTreeMap::<String, (usize, usize)>::new();
            for (cause, ..) in CAUSES.repeat(80) {
                let Some(edit) = super::cause(&sample, cause, &mut random) else { continue };
                let damaged = apply(&edit.after, edit.faults.clone());
                let count = made.entry(format!("{cause:?}")).or_default();
                count.0 += 1;
                count.1 += usize::from(!is_sound(&damaged.text, dialect));
                assert!(damaged.text != edit.before, "{cause:?} {}", damaged.text);
            }
            assert_eq!(made.len(), CAUSES.len(), "{made:?}");
            assert!(made.values().all(|&(count, broken)| count > 3 && broken * 2 > count), "{made:?}");
        }
    }
}
