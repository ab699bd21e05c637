//! The shapes of forms, in a notation like that of the languages' manuals: `dotimes (var count result?) form*`.
//!
//! A word stands for a part: `var` and `name` are names, `list` and `parameters` are lists, `function` and `formals` are
//! one of both, `:word` stands for itself, and any other word for anything. `x?` may be missing, `x*` may come any number
//! of times, `a|b` is one of both, and `{:a :b}` are words with their values in any order. A list is one in the brackets
//! that are written.

use std::fmt;

use lispwright_syntax::{Datum, Dialect, Span};

use crate::file::File;

/// The shape of a form after its head.
#[derive(Debug)]
pub(crate) struct Shape {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    kind: Kind,
    times: Times,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    Once,
    Perhaps,
    Any,
}

#[derive(Debug)]
enum Kind {
    /// Anything; the word says what it is for.
    Anything(&'static str),
    /// A symbol that can be a name.
    Name(&'static str),
    /// A name or a list, such as `(setf name)` or a list of parameters.
    Function(&'static str),
    /// Any list.
    List(&'static str),
    /// This keyword.
    Word(&'static str),
    /// A list of these parts.
    Parts(char, Vec<Part>),
    /// One of these.
    Either(Vec<Kind>),
    /// Keywords with values.
    Pairs(Vec<&'static str>),
}

/// Dialects in which the symbol `nil` is the empty list.
const NIL_IS_A_LIST: &[Dialect] = &[Dialect::CommonLisp, Dialect::EmacsLisp];

/// Dialects in which all brackets mean the same.
const BRACKETS_ARE_ALIKE: &[Dialect] = &[Dialect::Scheme, Dialect::Racket];

/// What is wrong with a form.
pub(crate) struct Fault {
    /// The part that is wrong, or the list that lacks one.
    pub span: Span,
    /// What should be there.
    pub wanted: String,
}

impl Shape {
    /// Reads the notation.
    pub(crate) fn read(source: &'static str) -> Self {
        let mut rest = source;
        Self { parts: parts(&mut rest, None) }
    }

    /// The fewest parts, and the most, if there is such a number.
    pub(crate) fn counts(&self) -> (usize, Option<usize>) {
        counts(&self.parts)
    }

    /// What is wrong with the parts of a form, whose number is right.
    pub(crate) fn fault(&self, file: &File<'_, '_>, head: &str, data: &[Datum]) -> Option<Fault> {
        Judge { file, head }.parts(&self.parts, data)
    }
}

fn counts(parts: &[Part]) -> (usize, Option<usize>) {
    let fewest = parts.iter().filter(|part| part.times == Times::Once && !matches!(part.kind, Kind::Pairs(_))).count();
    let is_open = parts.iter().any(|part| part.times == Times::Any || matches!(part.kind, Kind::Pairs(_)));
    (fewest, (!is_open).then_some(parts.len()))
}

/// Reads parts up to a closer.
fn parts(rest: &mut &'static str, closer: Option<char>) -> Vec<Part> {
    let mut found = Vec::new();
    loop {
        *rest = rest.trim_start();
        match rest.chars().next() {
            None => return found,
            Some(next) if Some(next) == closer => {
                *rest = &rest[1..];
                return found;
            }
            Some(_) => {
                let mut kinds = vec![kind(rest)];
                while let Some(after) = rest.strip_prefix('|') {
                    *rest = after;
                    kinds.push(kind(rest));
                }
                let kind = if kinds.len() == 1 { kinds.remove(0) } else { Kind::Either(kinds) };
                let times = match rest.chars().next() {
                    Some('?') => Times::Perhaps,
                    Some('*') => Times::Any,
                    _ => Times::Once,
                };
                *rest = if times == Times::Once { rest } else { &rest[1..] };
                found.push(Part { kind, times });
            }
        }
    }
}

fn kind(rest: &mut &'static str) -> Kind {
    let opener = rest.chars().next().filter(|first| matches!(first, '(' | '[' | '{'));
    if let Some(opener) = opener {
        *rest = &rest[1..];
        if opener == '{' {
            let (words, after) = rest.split_once('}').unwrap_or((rest, ""));
            *rest = after;
            return Kind::Pairs(words.split_whitespace().collect());
        }
        return Kind::Parts(opener, parts(rest, Some(if opener == '(' { ')' } else { ']' })));
    }
    let end = rest.find(|c: char| matches!(c, '(' | ')' | '[' | ']' | '|' | '?' | '*') || c.is_whitespace());
    let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
    *rest = after;
    match word {
        "var" | "name" => Kind::Name(word),
        "function" | "formals" => Kind::Function(word),
        "list" | "parameters" => Kind::List(word),
        word if word.starts_with(':') => Kind::Word(word),
        word => Kind::Anything(word),
    }
}

impl fmt::Display for Part {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.times {
            Times::Once => write!(to, "{}", self.kind),
            Times::Perhaps => write!(to, "[{}]", self.kind),
            Times::Any => write!(to, "{}...", self.kind),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anything(word) | Self::Name(word) | Self::Function(word) | Self::List(word) | Self::Word(word) => {
                to.write_str(word)
            }
            Self::Parts(opener, parts) => {
                let closer = if *opener == '(' { ')' } else { ']' };
                let parts: Vec<String> = parts.iter().map(Part::to_string).collect();
                write!(to, "{opener}{}{closer}", parts.join(" "))
            }
            Self::Either(kinds) => {
                let kinds: Vec<String> = kinds.iter().map(Self::to_string).collect();
                to.write_str(&kinds.join(" or "))
            }
            Self::Pairs(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("[{word} value]")).collect();
                to.write_str(&words.join(" "))
            }
        }
    }
}

/// Judges the parts of one form.
struct Judge<'f, 'q, 'i> {
    file: &'f File<'q, 'i>,
    head: &'f str,
}

impl Judge<'_, '_, '_> {
    fn parts(&self, parts: &[Part], data: &[Datum]) -> Option<Fault> {
        let mut data = data.iter();
        for (at, part) in parts.iter().enumerate() {
            if let Kind::Pairs(words) = &part.kind {
                return self.pairs(words, data.as_slice());
            }
            let later: usize = counts(&parts[at + 1..]).0;
            let most = match part.times {
                Times::Once => 1,
                Times::Perhaps => usize::from(data.len() > later),
                Times::Any => data.len().saturating_sub(later),
            };
            if let Some(fault) = data.by_ref().take(most).find_map(|datum| self.part(&part.kind, *datum)) {
                return Some(fault);
            }
        }
        None
    }

    fn part(&self, kind: &Kind, datum: Datum) -> Option<Fault> {
        let file = self.file;
        // What the reader or a template puts there is not known.
        if !file.is_plain(datum) || !datum.is_bare() {
            return None;
        }
        let text = file.core(datum);
        let is_open = text.starts_with(['#', ',', '.', '@', '`', '\'', '~', '^', '\\']);
        let is_nil = NIL_IS_A_LIST.contains(&file.dialect()) && text.eq_ignore_ascii_case("nil");
        let wrong = |wanted: String| Some(Fault { span: file.tree.datum_span(datum), wanted });
        let expected = || wrong(format!("`{}` takes {kind} here", self.head));
        match kind {
            Kind::Anything(_) => None,
            Kind::Name(_) if datum.list().is_none() && (is_open || is_name(text)) => None,
            Kind::Function(_) if datum.list().is_some() || is_open || is_name(text) => None,
            Kind::Name(_) | Kind::Function(_) => wrong(format!("`{}` takes a name here", self.head)),
            Kind::List(_) if datum.list().is_some() || is_open || is_nil => None,
            Kind::List(_) => wrong(format!("`{}` takes a list here", self.head)),
            Kind::Word(word) => (!text.eq_ignore_ascii_case(word)).then(expected).flatten(),
            Kind::Parts(_, _) if is_open => None,
            Kind::Parts(_, parts) if is_nil => (counts(parts).0 > 0).then(expected).flatten(),
            Kind::Parts(opener, parts) => {
                let Some(list) = datum.list() else { return expected() };
                let is_alike = BRACKETS_ARE_ALIKE.contains(&file.dialect());
                if !is_alike && !text.starts_with(*opener) {
                    return expected();
                }
                let data = file.data(list);
                // Some of it may be there only for a reader or a template.
                if data.iter().any(|one| !file.is_plain(*one)) {
                    return None;
                }
                let (fewest, most) = counts(parts);
                if data.len() < fewest || most.is_some_and(|most| data.len() > most) {
                    return expected();
                }
                self.parts(parts, &data)
            }
            Kind::Either(kinds) => {
                let faults = kinds.iter().map(|kind| Some((kind, self.part(kind, datum)?)));
                let faults = faults.collect::<Option<Vec<_>>>()?;
                // The one that is meant is the one whose looks it has.
                let is_list = datum.list().is_some();
                let is_alike = |kind: &Kind| matches!(kind, Kind::Parts(..) | Kind::List(_)) == is_list;
                let mut alike = faults.into_iter().filter(|(kind, _)| is_alike(kind)).map(|(_, fault)| fault);
                match (alike.next(), alike.next()) {
                    (Some(fault), None) => Some(fault),
                    _ => expected(),
                }
            }
            Kind::Pairs(_) => None,
        }
    }

    fn pairs(&self, words: &[&str], data: &[Datum]) -> Option<Fault> {
        let file = self.file;
        for pair in data.chunks(2) {
            let text = file.core(pair[0]);
            // A computed word is not known.
            if !text.starts_with(':') || !pair[0].is_bare() {
                return None;
            }
            let span = file.tree.datum_span(pair[0]);
            if !words.iter().any(|word| word.eq_ignore_ascii_case(text)) {
                let wanted = format!("`{}` has no option `{text}`, but {}", self.head, words.join(" "));
                return Some(Fault { span, wanted });
            }
            if pair.len() == 1 {
                return Some(Fault { span, wanted: format!("`{text}` has no value") });
            }
        }
        None
    }
}

/// The text is that of a symbol that can be the name of something.
pub(crate) fn is_name(text: &str) -> bool {
    let is_number = || text.parse::<f64>().is_ok() && text.contains(|c: char| c.is_ascii_digit());
    !text.starts_with(['"', '#']) && !is_number()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_shown_as_manuals_do() {
        let shown = |source: &'static str| {
            let parts: Vec<String> = Shape::read(source).parts.iter().map(Part::to_string).collect();
            (parts.join(" "), Shape::read(source).counts())
        };
        assert_eq!(shown("(var count result?) form*"), ("(var count [result]) form...".into(), (1, None)));
        assert_eq!(shown("test then else?"), ("test then [else]".into(), (2, Some(3))));
        assert_eq!(shown("(var|(var init? step?)*) x"), ("(var or (var [init] [step])...) x".into(), (2, Some(2))));
        assert_eq!(shown("[name {:a :b}]"), ("[name [:a value] [:b value]]".into(), (1, Some(1))));
    }
}
