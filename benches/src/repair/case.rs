//! Damaged texts, and the facts about each.

use std::ops::Range;
use std::path::PathBuf;

use lispwright_syntax::Dialect;

use super::caused::{self, CAUSES};
use super::damage::{CLASSES, Class, Splice, apply, collide, damage, one_of};
use super::lists::hunks;
use super::random::Random;
use super::rewrite;
use super::sample::{Sample, draw, is_fit, is_sound, same_meaning};
use super::vary::{Layout, earlier, laid_out};

/// Whole files are damaged up to this size, in bytes.
const LARGEST_FILE: usize = 100_000;

/// A situation: the text and the context that the repairer gets.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Track {
    Alone,
    Before,
    BeforeChange,
    File,
    FileBefore,
    Rewritten,
    RewrittenForm,
    Insert,
    InsertFile,
    Several,
    SeveralBefore,
    Caused,
    CausedBefore,
    CausedHook,
    CausedForm,
}

/// Every situation, its name, and its meaning.
pub(crate) const TRACKS: [(Track, &str, &str); 15] = [
    (Track::Alone, "alone", "a form among its neighbours, nothing else known"),
    (Track::Before, "earlier text", "the same texts, and the text before the damage"),
    (
        Track::BeforeChange,
        "earlier text, changed",
        "the same texts, and the text before the damage and a small change elsewhere in the form",
    ),
    (Track::File, "file", "a form in its whole file, nothing else known"),
    (Track::FileBefore, "file, earlier text", "the same files, and the file before the damage"),
    (
        Track::Rewritten,
        "rewritten",
        "a file in which a form was rewritten, the damage in the new lines; the file before and the place of the new form are known, as a hook knows them",
    ),
    (
        Track::RewrittenForm,
        "rewritten, form only",
        "the same forms, alone; the form before is known, as an edit by form knows it",
    ),
    (Track::Insert, "insert", "a new form alone, without a final newline, nothing else known"),
    (Track::InsertFile, "insert, file known", "the same forms, and the file that they go into"),
    (Track::Several, "several", "two or three faults in one file, nothing else known"),
    (Track::SeveralBefore, "several, earlier text", "the same files, and the file before the damage"),
    (Track::Caused, "caused", "a file after half an edit, nothing else known"),
    (Track::CausedBefore, "caused, earlier text", "the same files, and the file before the edit"),
    (
        Track::CausedHook,
        "caused, hook",
        "the same files, and the file before the edit and the lines that it wrote, as a hook knows them",
    ),
    (
        Track::CausedForm,
        "caused, edit by form",
        "the same files, and the file before the edit and the form that it wrote, as an edit by form knows them",
    ),
];

/// The number of faults, whether they are in one form, their share of a dozen, and a description. Of 55 corrections in
/// public histories 8 were of two delimiters and 4 of more; how many of them were in one form is an estimate.
pub(crate) const SEVERAL: [(usize, bool, f64, &str); 4] = [
    (2, true, 4.0, "two in one form"),
    (2, false, 4.0, "two in different forms"),
    (3, true, 2.0, "three in one form"),
    (3, false, 2.0, "three in different forms"),
];

/// Situations that share their damaged texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    Window,
    File,
    Rewritten,
    Insert,
    Several,
    Caused,
}

impl Group {
    pub(crate) const ALL: [Self; 6] =
        [Self::Window, Self::File, Self::Rewritten, Self::Insert, Self::Several, Self::Caused];

    /// Kinds of case, each with its share.
    pub(crate) fn rows(self) -> Vec<(String, f64)> {
        match self {
            Self::Several => SEVERAL.iter().map(|(.., share, what)| ((*what).to_owned(), *share)).collect(),
            Self::Caused => CAUSES.iter().map(|(_, share, what)| ((*what).to_owned(), *share)).collect(),
            _ => CLASSES.iter().map(|(class, share, what)| (format!("{class:?} {what}"), *share)).collect(),
        }
    }

    /// The situations of the group.
    pub(crate) fn tracks(self) -> &'static [Track] {
        match self {
            Self::Window => &[Track::Alone, Track::Before, Track::BeforeChange],
            Self::File => &[Track::File, Track::FileBefore],
            Self::Rewritten => &[Track::Rewritten, Track::RewrittenForm],
            Self::Insert => &[Track::Insert, Track::InsertFile],
            Self::Several => &[Track::Several, Track::SeveralBefore],
            Self::Caused => &[Track::Caused, Track::CausedBefore, Track::CausedHook, Track::CausedForm],
        }
    }
}

impl Track {
    /// The group whose texts this situation uses.
    pub(crate) fn group(self) -> Group {
        *Group::ALL.iter().find(|group| group.tracks().contains(&self)).expect("every track is in a group")
    }
}

/// The context that the repairer gets with the text.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) track: Track,
    pub(crate) earlier: Option<String>,
    pub(crate) edited: Option<Range<u32>>,
}

impl View {
    fn new(track: Track, earlier: Option<String>) -> Self {
        Self { track, earlier, edited: None }
    }
}

/// A damaged text and the facts about it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) dialect: Dialect,
    pub(crate) file: PathBuf,
    pub(crate) truth: String,
    pub(crate) damaged: String,
    /// Counting delimiters does not reveal the damage.
    pub(crate) balances: bool,
    /// Byte offsets of the faults in the damaged text.
    pub(crate) at: Vec<usize>,
    /// All faults are in lines that the edit did not write.
    pub(crate) outside: bool,
    /// Forms of the truth that were not damaged.
    pub(crate) neighbours: Vec<Range<usize>>,
    pub(crate) views: Vec<View>,
}

impl Case {
    /// A sample with some changes; `None` when they have no effect.
    fn new(sample: &Sample, splices: Vec<Splice>) -> Option<Self> {
        let hit = |form: &Range<usize>| {
            *form == sample.form || splices.iter().any(|s| s.range.start <= form.end && form.start <= s.range.end)
        };
        let neighbours = sample.forms.iter().filter(|form| !hit(form)).cloned().collect();
        let damaged = apply(&sample.text, splices);
        let changed = !same_meaning(&damaged.text, &sample.text, sample.dialect);
        changed.then(|| Self {
            dialect: sample.dialect,
            file: sample.file.clone(),
            truth: sample.text.clone(),
            balances: is_sound(&damaged.text, sample.dialect),
            damaged: damaged.text,
            at: damaged.at,
            outside: false,
            neighbours,
            views: Vec::new(),
        })
    }
}

/// Draws a form and damages it; the cases share a draw. `None` when this damage is not possible in the form.
pub(crate) fn generate(
    files: &[PathBuf],
    dialect: Dialect,
    (group, row, layout): (Group, usize, Layout),
    random: &mut Random,
) -> Option<Vec<Case>> {
    let largest = if group == Group::Window { usize::MAX } else { LARGEST_FILE };
    let sample = draw(files, dialect, largest, random)?;
    match group {
        Group::Window => {
            let sample = laid_out(&sample.window()?, layout)?;
            let mut case = Case::new(&sample, damage(&sample, CLASSES[row].0, random)?)?;
            case.views = vec![
                View::new(Track::Alone, None),
                View::new(Track::Before, Some(sample.text.clone())),
                View::new(Track::BeforeChange, Some(earlier(&sample, random))),
            ];
            Some(vec![case])
        }
        Group::File => {
            let mut case = Case::new(&sample, damage(&sample, CLASSES[row].0, random)?)?;
            case.views = vec![View::new(Track::File, None), View::new(Track::FileBefore, Some(sample.text))];
            Some(vec![case])
        }
        Group::Rewritten => rewritten(&sample, CLASSES[row].0, random),
        Group::Insert => {
            let form = sample.alone()?;
            let mut case = Case::new(&form, damage(&form, CLASSES[row].0, random)?)?;
            let line_end =
                sample.text[sample.form.end..].find('\n').map_or(sample.text.len(), |at| sample.form.end + at + 1);
            let file = format!("{}{}", &sample.text[..sample.form.start], &sample.text[line_end..]);
            case.views = vec![View::new(Track::Insert, None), View::new(Track::InsertFile, Some(file))];
            Some(vec![case])
        }
        Group::Several => {
            let (wanted, together, ..) = SEVERAL[row];
            let splices = several(&sample, wanted, together, random)?;
            let mut case = Case::new(&sample, splices).filter(|case| !case.balances)?;
            case.views = vec![View::new(Track::Several, None), View::new(Track::SeveralBefore, Some(sample.text))];
            Some(vec![case])
        }
        Group::Caused => Some(vec![after_half_an_edit(&sample, CAUSES[row].0, random)?]),
    }
}

/// A file after an edit with a fault.
fn after_half_an_edit(sample: &Sample, cause: caused::Cause, random: &mut Random) -> Option<Case> {
    let edit = caused::cause(sample, cause, random)?;
    let sample = &edit.sample;
    let damaged = apply(&edit.after, edit.faults.clone());
    let start = sample.form.start;
    let (before, text) = (sample.with(&edit.before), sample.with(&damaged.text));
    let form = start as u32..(start + damaged.text.len()) as u32;
    let written = hull(&before, &text)?;
    // The edited form may have another length than in the sample.
    let moved = |at: usize| if at < sample.form.end { at } else { at - sample.form.len() + edit.after.len() };
    let others = sample.forms.iter().filter(|form| **form != sample.form);
    let known = |track, edited| View { track, earlier: Some(before.clone()), edited };
    let views = vec![
        View::new(Track::Caused, None),
        known(Track::CausedBefore, None),
        known(Track::CausedHook, Some(written)),
        known(Track::CausedForm, Some(form)),
    ];
    Some(Case {
        dialect: sample.dialect,
        file: sample.file.clone(),
        truth: sample.with(&edit.after),
        balances: is_sound(&text, sample.dialect),
        outside: caused::is_outside(&edit, &damaged.text, &damaged.at),
        at: damaged.at.iter().map(|at| start + at).collect(),
        damaged: text,
        neighbours: others.map(|form| moved(form.start)..moved(form.end)).collect(),
        views,
    })
}

/// The bytes of the lines of `text` from the first to the last that differs from `before`.
fn hull(before: &str, text: &str) -> Option<Range<u32>> {
    let hunks = hunks(before, text);
    let (first, last) = (hunks.first()?.start, hunks.last()?.end);
    let line = |line: usize| text.split_inclusive('\n').take(line).map(str::len).sum::<usize>() as u32;
    let end = line(last);
    let ends_line = end > line(first) && text[..end as usize].ends_with('\n');
    Some(line(first)..if ends_line { end - 1 } else { end })
}

/// Damages the form in lines that it did not have before: in its file, and alone.
fn rewritten(sample: &Sample, class: Class, random: &mut Random) -> Option<Vec<Case>> {
    let form = sample.alone()?;
    let splices = damage(&form, class, random)?;
    let places: Vec<usize> = splices.iter().map(|splice| splice.range.start).collect();
    let mut alone = Case::new(&form, splices)?;
    let old = rewrite::before(sample, &places, random)?;
    let start = sample.form.start;
    let damaged = sample.with(&alone.damaged);
    let edited = start as u32..(start + alone.damaged.len()) as u32;
    let inside = Case {
        truth: sample.text.clone(),
        balances: is_sound(&damaged, sample.dialect),
        damaged,
        at: alone.at.iter().map(|at| start + at).collect(),
        neighbours: sample.forms.iter().filter(|form| **form != sample.form).cloned().collect(),
        views: vec![View { track: Track::Rewritten, earlier: Some(sample.with(&old)), edited: Some(edited) }],
        ..alone.clone()
    };
    alone.views = vec![View::new(Track::RewrittenForm, Some(old))];
    Some(vec![inside, alone])
}

/// Faults of the common classes, by their shares.
fn several(sample: &Sample, wanted: usize, together: bool, random: &mut Random) -> Option<Vec<Splice>> {
    let mut others: Vec<Range<usize>> =
        sample.forms.iter().filter(|form| **form != sample.form && is_fit(&sample.text, form)).cloned().collect();
    let mut form = sample.form.clone();
    let mut splices: Vec<Splice> = Vec::new();
    for count in 0..wanted {
        if count > 0 && !together {
            if others.is_empty() {
                return None;
            }
            form = others.swap_remove(random.below(others.len()));
        }
        let hit = Sample { form: form.clone(), ..sample.clone() };
        splices = (0..12).find_map(|_| {
            let mut more = splices.clone();
            more.extend(damage(&hit, any_class(random), random)?);
            (!collide(&more)).then_some(more)
        })?;
    }
    Some(splices)
}

/// One of the classes A to J, by its share.
fn any_class(random: &mut Random) -> Class {
    let last = CLASSES.iter().position(|(class, ..)| *class == Class::K).unwrap_or(CLASSES.len());
    one_of(&CLASSES[..last], random)
}
