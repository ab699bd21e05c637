//! Names that are one slip of the hand away from one that is there.
//!
//! Where any library that is loaded later can define a name, as in Emacs Lisp, it cannot be known that nobody defines it.
//! But a name that nothing known defines, that is written once, and that differs from a known one by a slip, is that one.

use lispwright_index::{Link, MarkRole, Thing, Tie};
use lispwright_syntax::Span;
use rustc_hash::FxHashSet;

use crate::dialects::call_words;
use crate::file::File;

/// Shorter names are one letter away from many others.
const FEWEST_LETTERS: usize = 4;

/// A name of more letters with a hyphen in it is nobody's other name, whatever libraries there are.
const TELLING_LETTERS: usize = 8;

impl File<'_, '_> {
    /// The known function or variable of which the name at a place is a misspelling.
    pub(crate) fn meant(&self, at: Span, is_variable: bool) -> Option<String> {
        let name = self.source(at);
        if name.len() < FEWEST_LETTERS || !name.is_ascii() || !self.is_telling(name) {
            return None;
        }
        // What is written again elsewhere is meant so.
        if self.question.named(name).any(|hit| hit.used.span() != at) {
            return None;
        }
        // Those of other files of a large project are too many to be compared with each name.
        let own = self.facts.definitions.iter().map(|one| one.name.as_str()).find(|known| is_slip(name, known));
        let known = own.or_else(|| match is_variable {
            true => {
                let is_local = |role| matches!(role, MarkRole::Local | MarkRole::Perhaps);
                let form = self.forms.around(at.start).map(|id| self.forms.get(id).outer)?;
                let marks = self.facts.marks.iter().filter(|mark| is_local(mark.role) && form.encloses(mark.span));
                let mut locals = marks.map(|mark| self.source(mark.span));
                let mut of_language = call_words(self.dialect()).names.others.words();
                locals.find(|known| is_slip(name, known)).or_else(|| of_language.find(|known| is_slip(name, known)))
            }
            false => self.dialect().standard_operators().find(|known| is_slip(name, known)),
        })?;
        Some(known.to_owned())
    }

    /// No library that is not known can define the name.
    fn is_telling(&self, name: &str) -> bool {
        let prefix = name.split('-').next().unwrap_or(name);
        let is_long = name.contains('-') && name.chars().count() >= TELLING_LETTERS;
        let unknown = self.unknown_features();
        unknown.iter().all(|feature| is_long && feature.split('-').next() != Some(prefix))
    }
}

/// The features that a file asks for and that neither the language nor the project has.
pub(crate) fn unknown_features(file: &File<'_, '_>) -> Vec<String> {
    let is_feature = |link: &&Link| link.thing == Thing::Feature;
    let asked = file.facts.links.iter().filter(is_feature).filter(|link| link.tie != Tie::Provides);
    let known = call_words(file.dialect()).names.features;
    let mut unknown: FxHashSet<&str> =
        asked.map(|link| link.name.as_str()).filter(|name| !known.contains(name)).collect();
    if !unknown.is_empty() {
        let all = file.question.documents().iter().flat_map(|document| &document.facts.links);
        for link in all.filter(is_feature).filter(|link| link.tie == Tie::Provides) {
            unknown.remove(link.name.as_str());
        }
    }
    let mut unknown: Vec<String> = unknown.into_iter().map(str::to_owned).collect();
    unknown.sort_unstable();
    unknown
}

/// Two neighbours have changed places, or a letter within is missing or too many. Names that differ at their ends, or in
/// another letter, are often of one family: `and-let*`, `cl-mapcan`.
fn is_slip(name: &str, known: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::is_slip;

    #[test]
    fn one_letter_is_a_slip() {
        assert!(is_slip("mapar", "mapcar") && is_slip("bufer", "buffer") && is_slip("buffre", "buffer"));
        assert!(is_slip("ubffer", "buffer") && is_slip("bufffer", "buffer"));
        assert!(!is_slip("buffer", "buffer") && !is_slip("map", "mapc") && !is_slip("mapcar-2", "mapcar"));
        assert!(!is_slip("and-let", "and-let*") && !is_slip("cl-mapcan", "cl-mapcar") && !is_slip("setq", "etq"));
    }
}
