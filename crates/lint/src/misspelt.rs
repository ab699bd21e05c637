//! Names that nobody defines where not everything is known that could define one.
//!
//! Of the name that a library defines that is not known, or is loaded later as in Emacs Lisp, it cannot be said that nobody
//! defines it. But a name that nothing known defines, that is written once, and that differs from a known one by a slip,
//! is that one. And libraries of Emacs do not define words without a hyphen.

use lispwright_index::{Document, Link, Mark, MarkRole, Thing, Tie, UseKind, spelled};
use lispwright_syntax::name::canonical_symbol;
use lispwright_syntax::{FormKind, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialects::{Quoted, call_words};
use crate::file::File;

/// Shorter names are one letter away from many others.
const FEWEST_LETTERS: usize = 4;

/// A slip of a local variable has at least so many letters.
const FEWEST_LETTERS_OF_LOCAL: usize = 3;

/// A name that is called so often in the project is no slip itself, wherever it is defined.
const FEWEST_CALLS: usize = 3;

/// So many characters of a file say what it is a part of.
const MOST_OF_HEADER: usize = 2_000;

/// A name of more letters with a hyphen in it is nobody's other name, whatever libraries there are.
const TELLING_LETTERS: usize = 8;

impl File<'_, '_> {
    /// The known function or variable of which the name at a place is a misspelling.
    pub(crate) fn meant(&self, at: Span, symbol: &str, is_variable: bool) -> Option<String> {
        let name = spelled(self.dialect(), symbol);
        let name = name.as_str();
        let is_of_modules = || call_words(self.dialect()).names.modules.is_some_and(|all| all.contains_key(name));
        if name.len() < FEWEST_LETTERS || !name.is_ascii() || !self.is_telling(name) || is_of_modules() {
            return None;
        }
        if self.is_again(at, symbol) {
            return None;
        }
        let mut own = self.facts.definitions.iter().map(|one| spelled(self.dialect(), &one.name));
        if let Some(known) = own.find(|known| is_slip(name, known)) {
            return Some(known);
        }
        // Where functions are values of variables, a name of one is that of the other.
        let is_one = !lispwright_index::has_function_namespace(self.dialect());
        let of_language = || {
            let variables = call_words(self.dialect()).names.others.words().filter(|_| is_variable);
            let functions = self.dialect().standard_operators().filter(|_| is_one || !is_variable);
            variables.chain(functions).find(|known| is_slip(name, known)).map(str::to_owned)
        };
        let known = (is_one || is_variable).then(|| self.slip_of_local(at, name)).flatten().or_else(of_language);
        let in_library = || self.question.library_name(name, |known| is_slip(name, known));
        known.or_else(|| self.slip_in_project(name, is_variable)).or_else(|| (!is_variable).then(in_library).flatten())
    }

    /// The local variable of the form of which the name at a place is a misspelling, if that is written nowhere else. What
    /// is bound so near needs fewer letters than what is defined somewhere.
    pub(crate) fn meant_local(&self, at: Span, symbol: &str) -> Option<String> {
        let name = spelled(self.dialect(), symbol);
        let is_judged = name.len() >= FEWEST_LETTERS_OF_LOCAL && name.is_ascii();
        (is_judged && !self.is_again(at, symbol)).then(|| self.slip_of_local(at, &name)).flatten()
    }

    /// The name is written elsewhere, too: it is meant so.
    fn is_again(&self, at: Span, symbol: &str) -> bool {
        self.question.named(symbol).any(|hit| hit.used.span() != at)
    }

    /// The local variable of the form around a place of which the name is a slip.
    fn slip_of_local(&self, at: Span, name: &str) -> Option<String> {
        let is_local = |role| matches!(role, MarkRole::Local | MarkRole::Perhaps);
        let form = self.forms.around(at.start).map(|id| self.forms.get(id).outer)?;
        let mut marks = self.facts.marks.iter().filter(|mark| is_local(mark.role) && form.encloses(mark.span));
        let plain = |mark: &Mark| spelled(self.dialect(), &canonical_symbol(self.dialect(), self.source(mark.span)));
        marks.find_map(|mark| Some(plain(mark)).filter(|known| is_slip(name, known)))
    }

    /// The function or variable that another file of the project defines and of which the name is a slip. There are too
    /// many to be compared with each name, so what the slip may have been is looked up.
    fn slip_in_project(&self, name: &str, is_variable: bool) -> Option<String> {
        let is_it = |known: &String| {
            let symbol = canonical_symbol(self.dialect(), known);
            let mut all = self.question.definitions_named(&symbol);
            let is_called = || {
                let calls =
                    self.question.named(&symbol).filter(|hit| hit.used.kind == UseKind::Call && !hit.used.hidden);
                calls.take(FEWEST_CALLS).count() == FEWEST_CALLS
            };
            all.any(|(_, one)| one.kind != FormKind::Addition && (one.kind == FormKind::Variable) == is_variable)
                || (!is_variable
                    && (self.dialect().special_form(known).is_some() || (is_within_word(name, known) && is_called())))
        };
        meant_by(name).find(is_it)
    }

    /// The name is one word, and nothing that is not known can define it: libraries begin the names that they define
    /// with their own and a hyphen.
    pub(crate) fn is_lone_word(&self, name: &str) -> bool {
        let is_of_old_library = || self.dialect().standard_operator(&format!("cl-{name}")).is_some();
        name.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && self.unknown_features().is_empty()
            && !call_words(self.dialect()).names.words.contains(name)
            && !is_of_old_library()
    }

    /// The place is the head of a form at top level of a file that provides nothing: what loads the file, such as a test
    /// runner, may have loaded more before.
    pub(crate) fn is_of_loader(&self, at: Span) -> bool {
        let is_top = self.list_of(at).is_some_and(|list| self.tree.list(list).parent().is_none());
        is_top && !self.facts.links.iter().any(|link| link.tie == Tie::Provides)
    }

    /// The file provides the feature of its name, or nothing, and nothing known is called so.
    pub(crate) fn provides_itself(&self, stem: &str) -> bool {
        let mut provided = self.facts.links.iter().filter(|link| link.tie == Tie::Provides).peekable();
        match provided.peek() {
            Some(_) => provided.any(|link| link.name == stem),
            None => {
                !call_words(self.dialect()).names.features.contains(stem) && !self.text().contains(";;;###autoload")
            }
        }
    }

    /// The file, or a file of the project, has the name quoted: it asks whether there is such a function or variable, says
    /// that there will be, makes a definition with the name (`~'name`), or means a part of what a macro takes.
    pub(crate) fn quotes(&self, name: &str) -> bool {
        match call_words(self.dialect()).names.quoted {
            Quoted::Nowhere => false,
            Quoted::InFile => quotes(self.text(), name),
            Quoted::InProject => self.question.documents().iter().any(|one| quotes(&one.text, name)),
        }
    }

    /// The file is one of Emacs itself, whose functions may be written in C.
    pub(crate) fn is_of_emacs(&self) -> bool {
        let begin = self.text().char_indices().nth(MOST_OF_HEADER).map_or(self.text().len(), |(end, _)| end);
        self.text()[..begin].contains("This file is part of GNU Emacs")
    }

    /// No library that is not known can define the name.
    fn is_telling(&self, name: &str) -> bool {
        let prefix = name.split('-').next().unwrap_or(name);
        let is_long = name.contains('-') && name.chars().count() >= TELLING_LETTERS;
        let mut unknown = self.unknown_features().iter().filter(|feature| !self.question.is_installed(feature));
        unknown.all(|feature| is_long && feature.split('-').next() != Some(prefix))
    }
}

/// The text has the name after a quote, not after that of a function or variable: `#'name`.
fn quotes(text: &str, name: &str) -> bool {
    let is_end = |next: char| !next.is_alphanumeric() && !"-_*+/:<>=!?&%$.".contains(next);
    text.match_indices(name).any(|(at, _)| {
        let is_quoted = text[..at].strip_suffix('\'').is_some_and(|before| !before.ends_with('#'));
        is_quoted && text[at + name.len()..].chars().next().is_none_or(is_end)
    })
}

/// The features that neither the language nor the project has, of those that a file loads itself or through files of
/// the project.
pub(crate) fn unknown_features(file: &File<'_, '_>) -> Vec<String> {
    let known = call_words(file.dialect()).names.features;
    let loaded_by = |facts: &'_ [Link]| {
        let asked = facts.iter().filter(|link| link.thing == Thing::Feature && link.tie == Tie::Loads);
        asked.map(|link| link.name.clone()).filter(|name| !known.contains(name)).collect::<Vec<String>>()
    };
    let mut waiting = loaded_by(&file.facts.links);
    if waiting.is_empty() {
        return waiting;
    }
    let mut providers: FxHashMap<&str, Vec<&Document>> = FxHashMap::default();
    for document in file.question.documents() {
        let is_provided = |link: &&Link| link.thing == Thing::Feature && link.tie == Tie::Provides;
        for link in document.facts.links.iter().filter(is_provided) {
            providers.entry(link.name.as_str()).or_default().push(document);
        }
    }
    let mut seen: FxHashSet<String> = waiting.iter().cloned().collect();
    let mut unknown = Vec::new();
    while let Some(name) = waiting.pop() {
        let Some(documents) = providers.get(name.as_str()) else {
            unknown.push(name);
            continue;
        };
        let further = documents.iter().flat_map(|document| loaded_by(&document.facts.links));
        waiting.extend(further.filter(|name| seen.insert(name.clone())));
    }
    unknown.sort_unstable();
    unknown
}

/// Two neighbours have changed places, or a letter within is missing or too many. Names that differ at their ends, or in
/// another letter, are often of one family: `and-let*`, `cl-mapcan`.
pub(crate) fn is_slip(name: &str, known: &str) -> bool {
    let (from, to) = (name.as_bytes(), known.as_bytes());
    let (short, long) = if from.len() < to.len() { (from, to) } else { (to, from) };
    let same = short.iter().zip(long).take_while(|(one, other)| one == other).count();
    if to.len() < FEWEST_LETTERS || long.len() - short.len() > 1 || same == short.len() {
        return false;
    }
    match long.len() - short.len() {
        0 => {
            let is_swapped = from.get(same) == to.get(same + 1) && from.get(same + 1) == to.get(same);
            is_swapped && from[same + 2..] == to[same + 2..]
        }
        // A hyphen more or less is another name.
        _ => same > 0 && long[same].is_ascii_alphanumeric() && short[same..] == long[same + 1..],
    }
}

/// The slip is within a word of the name, and of no digit: names of one family, as `read-int` and `read-uint`, `slot` and
/// `slot1`, differ at the ends of their words.
pub(crate) fn is_within_word(name: &str, known: &str) -> bool {
    let (from, to) = (name.as_bytes(), known.as_bytes());
    let (short, long) = if from.len() < to.len() { (from, to) } else { (to, from) };
    let same = short.iter().zip(long).take_while(|(one, other)| one == other).count();
    let is_letter = |at: usize| long.get(at).is_some_and(u8::is_ascii_alphabetic);
    let end = if short.len() == long.len() { same + 1 } else { same };
    (same..=end).all(is_letter) && same > 0 && is_letter(same - 1) && (short.len() == long.len() || is_letter(same + 1))
}

/// The names of which a name is a slip, as [`is_slip`] says.
fn meant_by(name: &str) -> impl Iterator<Item = String> {
    let letters = || (b'a'..=b'z').chain(b'0'..=b'9').map(char::from);
    let with = move |at: usize, letter: char| format!("{}{letter}{}", &name[..at], &name[at..]);
    let longer = (1..name.len()).flat_map(move |at| letters().map(move |letter| with(at, letter)));
    let shorter = (1..name.len()).map(move |at| format!("{}{}", &name[..at], &name[at + 1..]));
    let swapped = (1..name.len()).map(move |at| {
        let (before, pair) = name.split_at(at - 1);
        let (pair, after) = pair.split_at(2);
        before.chars().chain(pair.chars().rev()).chain(after.chars()).collect()
    });
    let is_meant = move |known: &String| is_slip(name, known);
    longer.chain(shorter).chain(swapped).filter(is_meant)
}

#[cfg(test)]
mod tests {
    use super::{is_slip, is_within_word, meant_by};

    #[test]
    fn a_slip_within_a_word_is_none_of_a_family() {
        assert!(is_within_word("cell-rfeerents", "cell-referents") && is_within_word("funclal", "funcall"));
        assert!(is_within_word("make-lck", "make-lock") && is_within_word("buffer-pont", "buffer-point"));
        for (name, known) in
            [("read-int", "read-uint"), ("slot1-x", "slot-x"), ("row-name", "rows-name"), ("int4", "nit4")]
        {
            assert!(!is_within_word(name, known), "{name} {known}");
        }
    }

    #[test]
    fn what_is_meant_is_found_from_the_slip() {
        for (name, known) in [("mapar", "mapcar"), ("buffre", "buffer"), ("bufffer", "buffer"), ("ubffer", "buffer")] {
            assert!(meant_by(name).any(|meant| meant == known), "{name}");
        }
        assert!(meant_by("shop-totl").all(|meant| is_slip("shop-totl", &meant)));
    }

    #[test]
    fn one_letter_is_a_slip() {
        assert!(is_slip("mapar", "mapcar") && is_slip("bufer", "buffer") && is_slip("buffre", "buffer"));
        assert!(is_slip("ubffer", "buffer") && is_slip("bufffer", "buffer"));
        assert!(!is_slip("buffer", "buffer") && !is_slip("map", "mapc") && !is_slip("mapcar-2", "mapcar"));
        assert!(!is_slip("and-let", "and-let*") && !is_slip("cl-mapcan", "cl-mapcar") && !is_slip("setq", "etq"));
    }
}
