//! The clauses of a `loop`: those of a condition are two columns right of it, as in
//!
//! ```lisp
//! (loop for x in list
//!       when (oddp x)
//!         collect x
//!       finally (done))
//! ```

use crate::habits::NOWHERE;

/// Words whose clause is a condition of the next.
const CONDITIONS: &[&str] = &["when", "if", "unless"];

/// Words that begin what a condition is for.
const ACTIONS: &[&str] = &[
    "append",
    "appending",
    "collect",
    "collecting",
    "count",
    "counting",
    "do",
    "doing",
    "maximize",
    "maximizing",
    "minimize",
    "minimizing",
    "nconc",
    "nconcing",
    "return",
    "sum",
    "summing",
];

/// Words that begin a clause of the loop itself, whatever comes before.
const MAIN: &[&str] =
    &["for", "as", "with", "repeat", "while", "until", "always", "never", "thereis", "initially", "finally"];

/// Where the clauses of a `loop` are, as far as it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clauses {
    /// The column of the last line that begins a clause of the loop itself.
    main: u32,
    /// The column of the last condition that begins a line.
    condition: u32,
    /// A condition waits for what it is for.
    waits: bool,
    /// The last clause that begins a line belongs to a condition.
    is_inside: bool,
}

impl Default for Clauses {
    fn default() -> Self {
        Self { main: NOWHERE, condition: NOWHERE, waits: false, is_inside: false }
    }
}

fn is_one(word: &str, words: &[&str]) -> bool {
    words.iter().any(|one| one.eq_ignore_ascii_case(word))
}

impl Clauses {
    /// Takes a word of the loop in that stands in a column; it may begin a line.
    pub(crate) fn take(&mut self, word: &str, column: u32, begins: bool) {
        let word = word.trim_start_matches(['#', ':']);
        let (is_condition, is_else) = (is_one(word, CONDITIONS), is_one(word, &["else"]));
        let is_other = is_one(word, ACTIONS) || is_one(word, MAIN);
        if begins {
            if self.waits || (self.is_inside && is_one(word, &["and"])) {
                self.is_inside = true;
            } else if is_condition || is_other {
                (self.main, self.is_inside) = (column, false);
            }
            if is_condition || (is_else && self.condition != NOWHERE) {
                self.condition = column;
            }
        }
        if is_condition || is_else {
            self.waits = true;
        } else if is_other {
            self.waits = false;
        }
    }

    /// The column of a line that begins with a word, and a number for what the rule says.
    pub(crate) fn rule(&self, word: &str) -> Option<(u32, u32)> {
        let word = word.trim_start_matches(['#', ':']);
        let is_action = is_one(word, ACTIONS) || is_one(word, CONDITIONS);
        if self.waits && self.condition != NOWHERE && is_action {
            return Some((self.condition + 2, 11));
        }
        if self.condition != NOWHERE && is_one(word, &["else", "end"]) {
            return Some((self.condition, 12));
        }
        let is_next = is_one(word, MAIN) || (is_action && !self.waits);
        (self.is_inside && is_next && self.main != NOWHERE).then_some((self.main, 13))
    }
}
