//! A text laid out.

use lispwright_edit::blank;
use lispwright_syntax::{Language, Tree, read};

use crate::declared::Declared;
use crate::habits::Habits;
use crate::proof::{NotLaidOut, same_tokens};
use crate::tidy::{closers, tidied};
use crate::walk::Walk;

/// How often a text is laid out by its own habits until it stays as it is.
const ROUNDS: usize = 64;

/// Fewer lists on several lines do not show how they end in a project; then closers join the line before.
const FEWEST_LISTS: f32 = 10.0;
/// The share of closers alone on a line that is no habit.
const MOST_LONE: f32 = 0.04;

/// The authority on where lines begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// What the file and its neighbours do; where they show nothing, the rules of the dialect.
    #[default]
    Learned,
    /// The rules of the dialect's mode in Emacs.
    Emacs,
    /// The rules of cljfmt in Clojure, and those of Emacs elsewhere.
    Cljfmt,
}

impl Style {
    /// Every style, with its name.
    pub const ALL: [(&'static str, Self); 3] =
        [("learned", Self::Learned), ("emacs", Self::Emacs), ("cljfmt", Self::Cljfmt)];

    /// The style of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, style)| style)
    }
}

/// The lines to lay out, by their numbers from 1, inclusive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines(Option<Vec<(u32, u32)>>);

impl Lines {
    /// All of them.
    pub const ALL: Self = Self(None);

    /// Those of these ranges.
    pub fn of(ranges: Vec<(u32, u32)>) -> Self {
        Self(Some(ranges))
    }

    /// The line is one of them.
    pub fn has(&self, line: u32) -> bool {
        self.0.as_ref().is_none_or(|ranges| ranges.iter().any(|(first, last)| (*first..=*last).contains(&line)))
    }

    /// It is all of them.
    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }
}

/// How the lines of a project begin.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    style: Style,
    habits: Habits,
    declared: Declared,
    /// Closers that begin a line, and lists on several lines, in the texts of the project.
    closers: (f32, f32),
}

impl Layout {
    /// How much a line of another file of the project counts against one of the file itself.
    pub const BESIDE: f32 = 0.5;

    /// Nothing is known of the project.
    pub fn new(style: Style) -> Self {
        Self { style, ..Self::default() }
    }

    /// Adds what a text of the project declares about the indentation of forms.
    pub fn declare(&mut self, tree: &Tree, text: &str) {
        self.declared.learn(tree, text);
    }

    /// Adds the settings of a project, from the text of a `.dir-locals.el` or `.cljfmt.edn`.
    pub fn set(&mut self, tree: &Tree, text: &str) {
        self.declared.set(tree, text);
    }

    /// Adds what a text shows, except in these lines. Each line counts `weight` times.
    pub fn learn(&mut self, tree: &Tree, text: &str, weight: f32, except: Option<&Lines>) {
        if self.style != Style::Learned {
            return;
        }
        let (lone, lists) = closers(tree, text);
        self.closers.0 += lone as f32 * weight;
        self.closers.1 += lists as f32 * weight;
        let habits = &mut self.habits;
        Walk::new(tree, text, &self.declared).run(|line| {
            let is_shown = !line.strays && !except.is_some_and(|some| some.has(line.number));
            if let Some(question) = line.question.as_ref().filter(|_| is_shown) {
                habits.see(question, line.own, weight);
            }
            line.own
        });
    }

    /// `text` with these lines laid out, as a text of this project.
    ///
    /// Errors: it does not balance, or would not have the same tokens in the same order.
    pub fn laid_out(&self, text: &str, language: &Language, lines: &Lines) -> Result<String, NotLaidOut> {
        let tree = read(text, language);
        if let Some(diagnostic) = tree.diagnostics().first() {
            return Err(NotLaidOut::Unbalanced(diagnostic.span));
        }
        let mut known = self.clone();
        known.declare(&tree, text);
        let laid = if lines.is_all() && self.style == Style::Learned {
            known.until_it_stays(text, language)
        } else {
            known.learn(&tree, text, 1.0, Some(lines));
            known.once(&tree, text, lines)
        };
        if laid != text {
            same_tokens(&tree, text, &read(&laid, language), &laid)?;
        }
        Ok(laid)
    }

    /// Lays out by the habits of the text itself, which change with it.
    fn until_it_stays(&self, text: &str, language: &Language) -> String {
        let mut seen = vec![text.to_owned()];
        for _ in 0..ROUNDS {
            let last = &seen[seen.len() - 1];
            let tree = read(last, language);
            let mut known = self.clone();
            known.learn(&tree, last, 1.0, None);
            let next = known.once(&tree, last, &Lines::ALL);
            if let Some(at) = seen.iter().position(|earlier| *earlier == next) {
                // Of texts that lead to each other, any choice is good that is always the same.
                return seen.drain(at..).min().unwrap_or(next);
            }
            seen.push(next);
        }
        seen.pop().unwrap_or_default()
    }

    /// Closers do not stand alone here.
    fn joins_closers(&self) -> bool {
        let (lone, lists) = self.closers;
        match self.style {
            Style::Learned => lists < FEWEST_LISTS || lone <= lists * MOST_LONE,
            Style::Emacs => false,
            Style::Cljfmt => true,
        }
    }

    /// `text` with these lines laid out by what is known.
    fn once(&self, tree: &Tree, text: &str, lines: &Lines) -> String {
        let mut out = String::with_capacity(text.len() + 256);
        let mut copied = 0;
        Walk::new(tree, text, &self.declared).run(|line| {
            let column = match &line.question {
                _ if line.stays || !lines.has(line.number) => line.own,
                Some(question) if self.style == Style::Learned => {
                    // The text itself was learned from if all of it is laid out.
                    let own = (lines.is_all() && !line.strays).then_some(line.own);
                    self.habits.answer(question, own).unwrap_or(line.own)
                }
                Some(question) => question.by_rule(),
                None => 0,
            };
            if column != line.own {
                out.push_str(&text[copied..line.blank.start as usize]);
                out.push_str(&blank(column as usize, text[line.blank.range()].contains('\t')));
                copied = line.blank.end as usize;
            }
            column
        });
        out.push_str(&text[copied..]);
        tidied(&out, tree, lines, self.joins_closers())
    }
}
