//! Shows a file collapsed to signatures, raw, or filtered, always with true line numbers.
//!
//! Everything shown is a slice of the text: a form that is printed anew loses its comments, its conditionals and its
//! spelling, and an edit based on such a view would lose them in the file. A view that does not fit its budget stops,
//! and says where to continue.

mod collapsed;
mod one_line;

pub use one_line::parameters;
use regex::{Regex, RegexBuilder};

use crate::diagnose::{Diagnosis, diagnose};
use crate::refusal::EditRefusal;
use crate::source::Source;

/// The parts of a text to show.
#[derive(Clone, Debug)]
pub struct ViewOptions<'a> {
    /// One line for each form; the whole text otherwise.
    pub collapsed: bool,
    /// In the collapsed view, forms of at most this many lines are shown whole.
    pub whole: u32,
    /// Forms whose name matches are shown verbatim.
    pub name_pattern: Option<&'a str>,
    /// Forms whose text matches are shown verbatim.
    pub content_pattern: Option<&'a str>,
    /// Lines to skip at the start.
    pub offset: u32,
    /// Lines of the text to look at; all when `None`.
    pub limit: Option<u32>,
    /// The most scalar values of the content.
    pub budget: usize,
    /// The most scalar values of an outline of heads, which is shown when the collapsed view does not fit.
    pub heads: usize,
}

/// The kind of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewKind {
    /// One line for each form.
    Collapsed,
    /// The text, line by line.
    Raw,
    /// The lines around those that match a pattern.
    Filtered,
}

impl ViewKind {
    /// The name used in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Collapsed => "collapsed",
            Self::Raw => "raw",
            Self::Filtered => "filtered",
        }
    }
}

/// A view of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Its kind.
    pub mode: ViewKind,
    /// The lines shown, each after its number.
    pub content: String,
    /// The number of lines of the text.
    pub total_lines: u32,
    /// The number of forms at top level; 0 for a text that is not Lisp.
    pub total_forms: usize,
    /// The number of forms in the lines looked at that match a pattern; 0 without a pattern.
    pub matching_forms: usize,
    /// The number of them that are shown verbatim.
    pub expanded_forms: usize,
    /// The offset at which the next view continues, if this one stops early.
    pub next_offset: Option<u32>,
    /// The last line looked at, from 1.
    pub last_line: u32,
    /// Lines, from 1, that are shown in part because they are long.
    pub cut_lines: Vec<u32>,
    /// The first lines, from 1, of forms that match but are too long for the view.
    pub long_forms: Vec<u32>,
    /// Only the heads of forms are shown, because they do not fit otherwise.
    pub is_of_heads: bool,
    /// The mistake in the text.
    pub diagnosis: Option<Diagnosis>,
}

/// The longest line that is shown whole among others, in scalar values.
const LONGEST: usize = 2_000;

/// Room for the number of a line and the note that it is cut.
const BESIDE_A_LINE: usize = 200;

/// Collects numbered lines up to a budget.
struct LineView {
    width: usize,
    left: usize,
    /// The longest line that is shown whole.
    longest: usize,
    content: String,
    /// The lines that are cut.
    cut: Vec<u32>,
}

impl LineView {
    /// Room for what `options` allow, with line numbers up to `last_line`.
    fn new(last_line: u32, options: &ViewOptions<'_>) -> Self {
        let alone = options.limit == Some(1);
        let longest = if alone { options.budget.saturating_sub(BESIDE_A_LINE).max(LONGEST) } else { LONGEST };
        Self {
            width: last_line.to_string().len(),
            left: options.budget,
            longest,
            content: String::new(),
            cut: Vec::new(),
        }
    }

    /// Adds a line with its number; if the budget does not allow it, returns false and adds nothing.
    ///
    /// A very long line is shortened, with a note of its length.
    fn line(&mut self, number: u32, line: &str) -> bool {
        let line = line.trim_end_matches(['\n', '\r']);
        let cut = line.char_indices().nth(self.longest).map(|(at, _)| line.split_at(at));
        let shown = match cut {
            Some((start, rest)) => format!("{start}… [{} more characters]", rest.chars().count()),
            None => line.to_owned(),
        };
        let fits = self.raw(&format!("{number:>width$}| {shown}", width = self.width));
        if fits && cut.is_some() {
            self.cut.push(number);
        }
        fits
    }

    /// Adds a line without a number.
    fn note(&mut self, text: &str) -> bool {
        let line = format!("{:>width$}  {text}", "", width = self.width);
        self.raw(line.trim_end())
    }

    fn raw(&mut self, line: &str) -> bool {
        let cost = line.chars().count() + 1;
        if cost > self.left {
            return false;
        }
        self.left -= cost;
        self.content.push_str(line);
        self.content.push('\n');
        true
    }
}

/// The patterns of a view.
struct Patterns {
    name: Option<Regex>,
    content: Option<Regex>,
}

impl Patterns {
    fn new(options: &ViewOptions<'_>, fold_names: bool) -> Result<Self, EditRefusal> {
        Ok(Self {
            name: compiled("name_pattern", options.name_pattern, fold_names)?,
            content: compiled("content_pattern", options.content_pattern, false)?,
        })
    }
}

fn compiled(argument: &'static str, pattern: Option<&str>, fold: bool) -> Result<Option<Regex>, EditRefusal> {
    let Some(pattern) = pattern.filter(|pattern| !pattern.is_empty()) else { return Ok(None) };
    RegexBuilder::new(pattern).case_insensitive(fold).multi_line(true).size_limit(1 << 20).build().map(Some).map_err(
        |error| EditRefusal::BadPattern {
            argument,
            why: match error {
                regex::Error::CompiledTooBig(_) => "it is too large once compiled; give a shorter one".to_owned(),
                other => last_line_of(&other.to_string()),
            },
        },
    )
}

fn last_line_of(text: &str) -> String {
    text.lines().last().unwrap_or("").trim_start_matches("error: ").to_owned()
}

/// Shows a Lisp text.
///
/// Errors: [`EditRefusal::BadPattern`].
pub fn view(source: &Source<'_>, options: &ViewOptions<'_>) -> Result<View, EditRefusal> {
    let patterns = Patterns::new(options, source.dialect().folds_case())?;
    let total_lines = source.lines.line_count();
    let mut view = View {
        mode: if options.collapsed { ViewKind::Collapsed } else { ViewKind::Raw },
        content: String::new(),
        total_lines,
        total_forms: source.forms.top_level().count(),
        matching_forms: 0,
        expanded_forms: 0,
        next_offset: None,
        last_line: total_lines,
        cut_lines: Vec::new(),
        long_forms: Vec::new(),
        is_of_heads: false,
        diagnosis: diagnose(source.text, &source.tree),
    };
    if options.collapsed {
        collapsed::show(source, options, &patterns, &mut view);
    } else {
        show_lines(source.text, options, &patterns, &mut view);
    }
    Ok(view)
}

/// Shows a text that is not Lisp: its lines, or with a `content_pattern` the matching ones, with five lines around
/// each.
///
/// Errors: [`EditRefusal::BadPattern`].
pub fn view_plain(text: &str, options: &ViewOptions<'_>) -> Result<View, EditRefusal> {
    let patterns = Patterns::new(options, false)?;
    let total_lines = lispwright_syntax::LineIndex::new(text.as_bytes()).line_count();
    let mut view = View {
        mode: ViewKind::Raw,
        content: String::new(),
        total_lines,
        total_forms: 0,
        matching_forms: 0,
        expanded_forms: 0,
        next_offset: None,
        last_line: total_lines,
        cut_lines: Vec::new(),
        long_forms: Vec::new(),
        is_of_heads: false,
        diagnosis: None,
    };
    show_lines(text, options, &patterns, &mut view);
    Ok(view)
}

/// Lines shown before and after one that matches.
pub(super) const AROUND: u32 = 5;

fn show_lines(text: &str, options: &ViewOptions<'_>, patterns: &Patterns, view: &mut View) {
    let last =
        options.limit.map_or(view.total_lines, |limit| options.offset.saturating_add(limit).min(view.total_lines));
    let pattern = patterns.content.as_ref().or(patterns.name.as_ref());
    let wanted: Option<Vec<bool>> = pattern.map(|pattern| {
        view.mode = ViewKind::Filtered;
        let hits: Vec<bool> = text.lines().map(|line| pattern.is_match(line)).collect();
        (0..hits.len())
            .map(|at| {
                let from = at.saturating_sub(AROUND as usize);
                hits[from..(at + AROUND as usize + 1).min(hits.len())].contains(&true)
            })
            .collect()
    });
    let mut lines = LineView::new(view.total_lines, options);
    view.last_line = last;
    let mut skipped = false;
    for (index, line) in
        text.lines().enumerate().skip(options.offset as usize).take((last.saturating_sub(options.offset)) as usize)
    {
        if wanted.as_ref().is_some_and(|wanted| !wanted[index]) {
            skipped = true;
            continue;
        }
        let separated = !skipped || lines.content.is_empty() || lines.raw("--");
        skipped = false;
        if !separated || !lines.line(index as u32 + 1, line) {
            view.next_offset = Some(index as u32);
            view.last_line = index as u32;
            break;
        }
    }
    if view.next_offset.is_none() && last < view.total_lines {
        view.next_offset = Some(last);
    }
    view.content = lines.content;
    view.cut_lines = lines.cut;
}
