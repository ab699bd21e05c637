//! The calls that take a control string, with what the string takes.

use lispwright_syntax::{Datum, Dialect, TokenKind};

use crate::code::CodeForm;
use crate::control::{Notation, Takes, takes, text_of};
use crate::file::File;

/// Where a call has its control string.
#[derive(Clone, Copy, Debug)]
enum At {
    /// It is the argument of this number, from 0.
    Argument(usize),
    /// It is the first argument, or the second if the first is no string.
    Either,
    /// It is the second argument if the first is a quoted symbol.
    AfterSymbol,
}

/// Functions of a dialect that take a control string.
struct Row {
    dialect: Dialect,
    notation: Notation,
    at: At,
    heads: &'static [&'static str],
}

const ROWS: &[Row] = &[
    Row {
        dialect: Dialect::CommonLisp,
        notation: Notation::Tilde,
        at: At::Argument(0),
        heads: &["error", "warn", "signal", "break", "y-or-n-p", "yes-or-no-p"],
    },
    Row { dialect: Dialect::CommonLisp, notation: Notation::Tilde, at: At::Argument(1), heads: &["format"] },
    Row { dialect: Dialect::Scheme, notation: Notation::Tilde, at: At::Either, heads: &["format"] },
    Row { dialect: Dialect::Scheme, notation: Notation::Tilde, at: At::Argument(0), heads: &["printf"] },
    Row {
        dialect: Dialect::Scheme,
        notation: Notation::Tilde,
        at: At::Argument(1),
        heads: &["simple-format", "fprintf", "errorf", "warningf"],
    },
    Row {
        dialect: Dialect::Racket,
        notation: Notation::RacketTilde,
        at: At::Argument(0),
        heads: &["format", "printf", "eprintf"],
    },
    Row { dialect: Dialect::Racket, notation: Notation::RacketTilde, at: At::Argument(1), heads: &["fprintf"] },
    Row {
        dialect: Dialect::Racket,
        notation: Notation::RacketTilde,
        at: At::AfterSymbol,
        heads: &["error", "raise-user-error"],
    },
    Row {
        dialect: Dialect::EmacsLisp,
        notation: Notation::Percent,
        at: At::Argument(0),
        heads: &["format", "format-message", "message", "error", "user-error"],
    },
    Row {
        dialect: Dialect::Clojure,
        notation: Notation::JavaPercent,
        at: At::Argument(0),
        heads: &["format", "printf"],
    },
];

/// The dialects that have such functions.
pub(crate) const DIALECTS: &[Dialect] =
    &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp, Dialect::Racket];

/// Functions that translate a literal string.
const TRANSLATORS: &[&str] = &["G_", "_", "gettext"];

/// A call with a control string.
pub(crate) struct Formatting<'f, 'i> {
    pub(crate) form: &'f CodeForm<'i>,
    /// The control string.
    pub(crate) control: Datum,
    /// The arguments after it.
    pub(crate) arguments: &'f [Datum],
    /// What the control string takes, or what is wrong with it.
    pub(crate) takes: Result<Takes, String>,
}

/// The calls of a file whose control string is written there and understood.
pub(crate) fn formatting<'f, 'i>(file: &'f File<'_, 'i>) -> impl Iterator<Item = Formatting<'f, 'i>> {
    file.code().forms().iter().filter(|form| form.is_whole).filter_map(|form| {
        let row = ROWS.iter().find(|row| row.dialect == file.dialect() && row.heads.contains(&&*form.name))?;
        let argument = |at: usize| form.arguments.get(at).copied();
        let is_string = |datum: Datum| file.tree.kind(datum.core) == TokenKind::String && datum.list().is_none();
        let at = match row.at {
            At::Argument(at) => at,
            At::Either => usize::from(!argument(0).is_some_and(is_string)),
            At::AfterSymbol => {
                let first = argument(0)?;
                let is_quoted = file.source(file.tree.datum_span(first)).starts_with('\'');
                (is_quoted && first.list().is_none()).then_some(1)?
            }
        };
        let control = file.literal(argument(at)?)?;
        let head = file.tree.core_span(form.head);
        if !file.is_of_language(head) || !file.is_of_platform(head) {
            return None;
        }
        let takes = takes(row.notation, &text_of(file.core(control))?)?;
        let arguments = &form.arguments[at + 1..];
        // Without a directive it may be a pattern of a macro: `(message "text" (one-or-more digit))`.
        let is_plain = form.is_doubtful && takes.as_ref().is_ok_and(|takes| takes.most == Some(0));
        if is_plain && arguments.iter().any(|one| file.is_of_unknown(*one)) {
            return None;
        }
        // The macro may give the arguments itself: `(print! (error "No %s") name)`.
        if form.is_doubtful && arguments.is_empty() {
            return None;
        }
        Some(Formatting { form, control, arguments, takes })
    })
}

impl File<'_, '_> {
    /// The string that a datum is, or that it translates.
    fn literal(&self, datum: Datum) -> Option<Datum> {
        let datum = match datum.list().map(|list| self.data(list)).as_deref() {
            None => datum,
            Some([head, text]) if TRANSLATORS.contains(&self.core(*head)) => *text,
            Some(_) => return None,
        };
        let is_string = datum.list().is_none() && self.tree.kind(datum.core) == TokenKind::String && datum.is_bare();
        is_string.then_some(datum)
    }
}

/// `1 argument`, `2 arguments`.
pub(crate) fn arguments(count: usize) -> String {
    match count {
        1 => "1 argument".to_owned(),
        count => format!("{count} arguments"),
    }
}
