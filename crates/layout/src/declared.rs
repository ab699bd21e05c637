//! What the macros and settings of a project say about the indentation of their forms.

use std::collections::HashMap;

use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Datum, Dialect, Indent, Tree};

/// Indentation by head, canonical.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared(HashMap<String, Indent>);

/// Heads of definitions of macros.
const MACROS: &[&str] = &["defmacro", "defmacro-", "cl-defmacro", "defmacro*", "defmacro!", "define-macro"];
/// Functions and forms that set how a symbol is indented.
const SETS: &[&str] = &["put", "function-put", "put-clojure-indent"];
/// The properties that modes of Emacs ask for.
const PROPERTIES: &[&str] = &[
    "lisp-indent-function",
    "scheme-indent-function",
    "common-lisp-indent-function",
    "clojure-indent-function",
    "racket-indent-function",
    "lisp-indent-hook",
];

impl Declared {
    /// The indentation of the forms of a head, canonical, if something declares it.
    pub(crate) fn get(&self, head: &str) -> Option<Indent> {
        self.0.get(head).copied()
    }

    /// Adds what `text`, from which `tree` was read, declares: parameters after `&body`, `(declare (indent 1))`,
    /// `:style/indent`, `(put 'f 'scheme-indent-function 1)`. Settings of Emacs count as well, wherever they stand:
    /// in a file of Lisp or in `.dir-locals.el`.
    pub(crate) fn learn(&mut self, tree: &Tree, text: &str) {
        let dialect = tree.dialect();
        for list in 0..tree.lists().len() as u32 {
            let mut data = tree.data(list);
            let Some(head) = data.next().filter(|head| head.is_bare() && head.list().is_none()) else { continue };
            let head = &text[tree.datum_span(head).range()];
            let head = head.rsplit(['/', ':']).next().unwrap_or(head).to_ascii_lowercase();
            if MACROS.contains(&head.as_str()) || head.starts_with("def") {
                self.macro_of(tree, text, &data.collect::<Vec<_>>(), MACROS.contains(&head.as_str()), dialect);
            } else if SETS.contains(&head.as_str()) {
                self.property(tree, text, &data.take(3).collect::<Vec<_>>(), dialect);
            }
        }
    }

    /// Adds what the settings of an editor or of a formatter say: symbols with a number in `.dir-locals.el`, and the
    /// rules of `.cljfmt.edn`.
    pub(crate) fn set(&mut self, tree: &Tree, text: &str) {
        self.learn(tree, text);
        let source = |datum: Datum| &text[tree.datum_span(datum).range()];
        for list in 0..tree.lists().len() as u32 {
            let mut data = tree.data(list);
            while let Some(key) = data.next() {
                let is_rules = matches!(source(key), ":indents" | ":extra-indents");
                let Some(rules) = is_rules.then(|| data.next().and_then(Datum::list)).flatten() else { continue };
                let mut rules = tree.data(rules);
                while let (Some(head), Some(rule)) = (rules.next(), rules.next()) {
                    if let Some(indent) = cljfmt_rule(source(rule)) {
                        self.0.insert(canonical_head(Dialect::Clojure, source(head)).into_owned(), indent);
                    }
                }
            }
        }
    }

    /// Adds what a definition says of its own forms.
    fn macro_of(&mut self, tree: &Tree, text: &str, data: &[Datum], is_macro: bool, dialect: Dialect) {
        let source = |datum: &Datum| &text[tree.datum_span(*datum).range()];
        let Some(name) = data.iter().find(|datum| datum.list().is_none()) else { return };
        let name = canonical_head(dialect, source(name)).into_owned();
        let mut stated = None;
        for datum in data.iter().skip(1).take(6) {
            let Some(list) = datum.list() else { continue };
            let mut inside = tree.data(list);
            match inside.next().filter(|first| first.list().is_none()).map(|first| source(&first)) {
                Some("declare") => {
                    for clause in inside.filter_map(Datum::list) {
                        let mut parts = tree.data(clause).map(|part| source(&part));
                        if parts.next() == Some("indent") {
                            stated = parts.next().and_then(number);
                        }
                    }
                }
                Some(":style/indent") => stated = inside.next().and_then(|value| number(source(&value))),
                _ => {}
            }
        }
        let body = || {
            let parameters = data.iter().find_map(|datum| datum.list()).filter(|_| is_macro)?;
            body_of(tree.data(parameters).map(|datum| source(&datum)))
        };
        if let Some(indent) = stated.or_else(body) {
            self.0.insert(name, indent);
        }
    }

    /// Adds `'symbol 'property value`.
    fn property(&mut self, tree: &Tree, text: &str, data: &[Datum], dialect: Dialect) {
        let source = |datum: &Datum| text[tree.datum_span(*datum).range()].trim_start_matches(['\'', '`']);
        match data {
            [symbol, value] => {
                if let Some(indent) = number(source(value)) {
                    self.0.insert(canonical_head(dialect, source(symbol)).into_owned(), indent);
                }
            }
            [symbol, property, value] if PROPERTIES.contains(&source(property)) => {
                if let Some(indent) = number(source(value)) {
                    self.0.insert(canonical_head(dialect, source(symbol)).into_owned(), indent);
                }
            }
            _ => {}
        }
    }
}

/// The indentation that a number, or the word for definitions, stands for.
fn number(text: &str) -> Option<Indent> {
    match text.trim_start_matches('\'') {
        "defun" | ":defn" => Some(Indent::Definition),
        digits => digits.parse().ok().map(Indent::Body),
    }
}

/// The indentation that a rule of cljfmt stands for: `[[:block 1]]`, `[[:inner 0]]`.
fn cljfmt_rule(rule: &str) -> Option<Indent> {
    let mut words = rule.split(|c: char| c == '[' || c == ']' || c.is_whitespace()).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        match word {
            ":block" => return words.next()?.parse().ok().map(Indent::Body),
            ":inner" => return Some(Indent::Definition),
            _ => {}
        }
    }
    None
}

/// The indentation of the calls of a macro with these parameters: those after `&body` are a body.
fn body_of<'p>(parameters: impl Iterator<Item = &'p str>) -> Option<Indent> {
    let (mut before, mut skip, mut counts) = (0u8, false, true);
    for parameter in parameters {
        match parameter.to_ascii_lowercase().as_str() {
            "&body" => return Some(Indent::Body(before)),
            "&environment" | "&whole" => skip = true,
            "&optional" => {}
            "&rest" | "&key" | "." | "&aux" => counts = false,
            _ if skip => skip = false,
            _ if counts => before = before.saturating_add(1),
            _ => {}
        }
    }
    None
}
