//! A clause of `loop` that begins with no word of its.

use lispwright_syntax::{Datum, Dialect, SpecialForm, edit_distance};

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A clause of `loop` that begins with no word of its.
pub(crate) struct LoopClause;

static ABOUT: About = About {
    code: "loop-clause",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::EmacsLisp],
    what: "A word of `loop` is misspelt, or a form stands where a clause begins.",
    why: "The macro refuses the form; often `do` is missing.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun f (items)\n  (loop for item in items colect item))\n",
            right: "(defun f (items)\n  (loop :for item :in items :when item :collect item :into all :finally (return all)))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun f (items)\n  (loop for item in items\n        (print item)))\n",
            right: "(defun f (items)\n  (loop for (item . rest) of-type (t . list) on items by #'cddr\n        with count fixnum = 0\n\
                    \x20       for key being the hash-keys of (first rest) using (hash-value value)\n\
                    \x20       do (print item) (print key)\n        if value sum count into all and collect item else return rest end\n\
                    \x20       finally (return all)))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(require 'cl-lib)\n(defun f (items)\n  (cl-loop for item inn items collect item))\n",
            right: ";;; -*- lexical-binding: t -*-\n(require 'cl-lib)\n(defun f (items)\n  (cl-loop for item in items vconcat item))\n",
        },
    ],
};

/// Words after which comes one form: tests, and what is done or returned.
const ONE: &[&str] =
    &["repeat", "while", "until", "always", "never", "thereis", "return", "if", "when", "unless", "named"];

/// Words after which come forms that are lists.
const FORMS: &[&str] = &["do", "doing", "initially", "finally"];

/// Words after which comes a form, and perhaps where its value goes.
const GATHERS: &[&str] = &[
    "collect",
    "collecting",
    "append",
    "appending",
    "nconc",
    "nconcing",
    "count",
    "counting",
    "sum",
    "summing",
    "maximize",
    "maximizing",
    "minimize",
    "minimizing",
    "maximise",
    "minimise",
    "concat",
    "vconcat",
    "concing",
    "adjoin",
    "adjoining",
];

/// Words that bind variables.
const BINDS: &[&str] = &["for", "as", "with"];

/// Words between clauses.
const BETWEEN: &[&str] = &["and", "else", "end"];

/// Words of a variable that goes through something, each before a form.
const THROUGH: &[&str] = &[
    "in",
    "on",
    "=",
    "then",
    "across",
    "by",
    "from",
    "upfrom",
    "downfrom",
    "to",
    "upto",
    "downto",
    "below",
    "above",
    "in-ref",
    "on-ref",
    "across-ref",
    "iter-by",
];

/// The word before what has parts of several kinds.
const BEING: &str = "being";

/// So many letters of a word are misspelt at most.
const MOST_SLIPS: usize = 1;

impl Rule for LoopClause {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for form in file.code().certain().filter(|form| form.is_whole) {
            if file.dialect().special_form(&form.name) != Some(SpecialForm::Loop) {
                continue;
            }
            let clauses = Clauses { file, data: &form.arguments, at: 0 };
            if let Some((datum, message)) = clauses.wrong()
                && file.is_of_language(file.tree.core_span(form.head))
            {
                findings.add(file.tree.datum_span(datum), message);
            }
        }
    }
}

/// The clauses of a `loop`, read from left to right.
struct Clauses<'f, 'q, 'i> {
    file: &'f File<'q, 'i>,
    data: &'f [Datum],
    at: usize,
}

impl Clauses<'_, '_, '_> {
    /// The datum as a word of a loop, if it is a symbol.
    fn word(&self, at: usize) -> Option<String> {
        let datum = self.data.get(at).filter(|datum| datum.list().is_none() && datum.is_bare())?;
        let text = self.file.core(*datum);
        let plain = text.rsplit(':').next().unwrap_or(text).to_ascii_lowercase();
        (plain == "=" || plain.starts_with(|first: char| first.is_ascii_alphabetic())).then_some(plain)
    }

    fn is_word(&self, at: usize, words: &[&str]) -> bool {
        self.word(at).is_some_and(|word| words.contains(&word.as_str()))
    }

    fn is_list(&self, at: usize) -> bool {
        self.data.get(at).is_some_and(|datum| datum.list().is_some())
    }

    /// A word that begins a clause, or stands between two.
    fn begins(&self, at: usize) -> bool {
        [ONE, FORMS, GATHERS, BINDS, BETWEEN].iter().any(|words| self.is_word(at, words))
    }

    /// The first datum that is wrong; nothing where the clauses are not understood.
    fn wrong(mut self) -> Option<(Datum, String)> {
        if self.is_list(0) {
            return None;
        }
        let mut is_binding = false;
        while self.at < self.data.len() {
            let here = self.data[self.at];
            let Some(word) = self.word(self.at) else {
                let is_form = self.is_list(self.at) && here.is_bare() && self.file.core(here).starts_with('(');
                let message = "a clause of `loop` begins with a word: `do` before this form is missing";
                return is_form.then(|| (here, message.to_owned()));
            };
            let word = word.as_str();
            self.at += 1;
            match word {
                "and" if is_binding && !self.begins(self.at) => self.variable(),
                word if BETWEEN.contains(&word) => continue,
                word if ONE.contains(&word) => self.at += 1,
                word if FORMS.contains(&word) => {
                    while self.is_list(self.at) {
                        self.at += 1;
                    }
                }
                word if GATHERS.contains(&word) => self.gathered(),
                word if BINDS.contains(&word) => self.variable(),
                _ => return self.slip(self.at - 1, &[ONE, FORMS, GATHERS, BINDS, BETWEEN, THROUGH, &["into"]]),
            }
            is_binding = BINDS.contains(&word) || (is_binding && word == "and");
        }
        None
    }

    /// The word is a slip of one of these.
    fn slip(&self, at: usize, words: &[&[&'static str]]) -> Option<(Datum, String)> {
        let word = self.word(at)?;
        let near = |known: &&&str| known.len() > 1 && edit_distance(&word, known) <= MOST_SLIPS;
        let near = words.iter().copied().flatten().find(near)?;
        Some((self.data[at], format!("`loop` has no word `{word}`; near it: `{near}`")))
    }

    /// A form, `into name`, and a type.
    fn gathered(&mut self) {
        self.at += 1;
        if self.is_word(self.at, &["into"]) {
            self.at += 2;
        }
        self.kind();
    }

    /// `of-type type`, or a type that is one word before another word.
    fn kind(&mut self) {
        if self.is_word(self.at, &["of-type"]) {
            self.at += 2;
        } else if self.is_word(self.at, TYPES) {
            self.at += 1;
        }
    }

    /// A variable, its type, and what it goes through.
    fn variable(&mut self) {
        let is_pattern = self.is_list(self.at);
        self.at += 1;
        if is_pattern && self.is_list(self.at) {
            self.at += 1;
        }
        self.kind();
        if self.is_word(self.at, &[BEING]) {
            while self.at < self.data.len() && !self.begins(self.at) {
                // What follows is a form, whatever it is called.
                let is_before_form = self.is_word(self.at, &["of", "in", "from", "to", "using", "property"]);
                self.at += if is_before_form { 2 } else { 1 };
            }
        }
        while self.is_word(self.at, THROUGH) {
            self.at += 2;
        }
    }
}

/// Types that need no word before them.
const TYPES: &[&str] = &[
    "fixnum",
    "float",
    "t",
    "nil",
    "number",
    "integer",
    "real",
    "single-float",
    "double-float",
    "bit",
    "character",
    "symbol",
    "list",
    "string",
    "vector",
    "cons",
    "boolean",
];
