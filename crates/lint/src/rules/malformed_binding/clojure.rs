//! Bindings in vectors.

use lispwright_syntax::Datum;

use crate::code::CodeForm;
use crate::file::File;
use crate::finding::Findings;
use crate::identity::nearest_of;
use crate::rules::lambda_list::is_symbol;

/// Forms whose first argument is a vector of bindings, each with what these are.
const HEADS: &[(&str, Bindings)] = &[
    ("let", Bindings::Pairs),
    ("loop", Bindings::Pairs),
    ("for", Bindings::Each),
    ("doseq", Bindings::Each),
    ("if-let", Bindings::One),
    ("if-some", Bindings::One),
    ("when-let", Bindings::One),
    ("when-some", Bindings::One),
    ("when-first", Bindings::One),
    ("dotimes", Bindings::One),
    ("with-open", Bindings::Pairs),
    ("binding", Bindings::Other),
    ("with-redefs", Bindings::Other),
    ("with-local-vars", Bindings::Other),
    ("letfn", Bindings::Functions),
];

/// What the bindings of a form are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bindings {
    /// Names or patterns with their values.
    Pairs,
    /// The same, and words of the form with theirs.
    Each,
    /// One pair.
    One,
    /// Names that are there already.
    Other,
    /// Functions with their names.
    Functions,
}

/// The words that stand among the bindings of a comprehension.
const WORDS: &[&str] = &[":let", ":when", ":while"];

/// The words of a pattern for a map; the first three take a vector of names.
const PATTERN_WORDS: &[&str] = &["keys", "strs", "syms", "or", "as"];

/// Tells what is wrong with the bindings of a form of Clojure.
pub(super) fn check(file: &File<'_, '_>, findings: &mut Findings) {
    for form in file.code().certain().filter(|form| form.is_whole) {
        if let [_, name, ..] = form.arguments.as_slice()
            && is_catch(file, form)
            && (name.list().is_some() || !is_symbol(file.core(*name)))
            && !file.core(*name).starts_with(['~', '#'])
        {
            findings.add(file.tree.datum_span(*name), "`catch` has a class and then a name");
        }
        let Some((_, kind)) = HEADS.iter().find(|(head, _)| *head == form.name) else { continue };
        let Some(first) = form.arguments.first().filter(|first| first.is_bare()) else { continue };
        if !file.is_of_language(file.tree.core_span(form.head)) {
            continue;
        }
        let list = first.list().filter(|_| file.core(*first).starts_with('['));
        let Some(list) = list else {
            findings.add(file.tree.datum_span(*first), format!("the bindings of `{}` are in a vector", form.name));
            continue;
        };
        let data = file.data(list);
        if data.iter().all(|one| file.is_plain(*one)) {
            bindings(file, form, *kind, &data, findings);
        }
    }
}

/// The form is a clause of `try`; elsewhere `catch` is a function, if it is anything.
fn is_catch(file: &File<'_, '_>, form: &CodeForm<'_>) -> bool {
    let around = form.around.map(|around| &file.code().forms()[around]);
    file.core(form.head) == "catch" && around.is_some_and(|around| file.core(around.head) == "try")
}

fn bindings(file: &File<'_, '_>, form: &CodeForm<'_>, kind: Bindings, data: &[Datum], findings: &mut Findings) {
    let mut tell = |datum: Datum, message: String| findings.add(file.tree.datum_span(datum), message);
    if kind == Bindings::One
        && let Some(extra) = data.get(2).filter(|_| data.len().is_multiple_of(2))
    {
        tell(*extra, format!("`{}` binds one name", form.name));
    }
    if kind == Bindings::Functions {
        let is_function = |one: &&Datum| one.list().is_none() || !file.core(**one).starts_with('(');
        if let Some(wrong) = data.iter().find(is_function).filter(|one| one.is_bare()) {
            tell(*wrong, format!("a binding of `{}` is a list: `(name [parameters] …)`", form.name));
        }
        return;
    }
    if kind == Bindings::Other {
        return;
    }
    for name in data.iter().step_by(2).copied() {
        let text = file.core(name);
        let is_word = kind == Bindings::Each && text.starts_with(':');
        if is_word && !WORDS.contains(&text) {
            let near = nearest_of(text, WORDS.iter().copied());
            tell(name, format!("`{}` has no word `{text}`{near}", form.name));
        }
        if !is_word && let Some((at, message)) = no_pattern(file, name) {
            tell(at, message);
        }
    }
}

/// What in a pattern can be bound to nothing, and why.
fn no_pattern(file: &File<'_, '_>, pattern: Datum) -> Option<(Datum, String)> {
    let mut waiting = vec![pattern];
    while let Some(pattern) = waiting.pop() {
        let text = file.core(pattern);
        let Some(list) = pattern.list() else {
            // What stands before it is metadata; anything else is none that the language has.
            let is_name = is_symbol(text) || text.starts_with(['~', '#', '@', '`', '\'']);
            if !is_name {
                return Some((pattern, format!("`{text}` is no name that can be bound")));
            }
            continue;
        };
        let data = file.data(list);
        if !data.iter().all(|one| file.is_plain(*one)) {
            continue;
        }
        match text.chars().next() {
            Some('[') => {
                let is_word = |one: &&Datum| matches!(file.core(**one), "&" | ":as");
                waiting.extend(data.iter().filter(|one| !is_word(one)));
            }
            Some('{') => {
                for pair in data.chunks_exact(2) {
                    let key = file.core(pair[0]);
                    let Some(word) = key.strip_prefix(':') else {
                        waiting.push(pair[0]);
                        continue;
                    };
                    let word = word.trim_start_matches(':').rsplit('/').next().unwrap_or(word);
                    let Some(at) = PATTERN_WORDS.iter().position(|known| *known == word) else {
                        return Some((pair[0], format!("`{key}` is no word of a pattern for a map")));
                    };
                    if at < 3 && !file.core(pair[1]).starts_with(['[', '~', '#']) {
                        return Some((pair[1], format!("`{key}` takes a vector of names")));
                    }
                }
            }
            Some('(') if pattern.is_bare() => {
                return Some((pattern, "a list is no name that can be bound".to_owned()));
            }
            _ => {}
        }
    }
    None
}
