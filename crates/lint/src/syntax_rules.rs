//! How many arguments the macros of a project take that are written as rules: `define-syntax-rule`, and `define-syntax`
//! with `syntax-rules` (R7RS, 4.3.2).

use lispwright_index::{Document, FormRow, Signature};
use lispwright_syntax::{Datum, Tree, read};

/// What the macro that a form defines takes by each of its patterns; `None` if the form does not show it.
pub(crate) fn shapes(document: &Document, row: &FormRow) -> Option<Vec<Signature>> {
    if !matches!(row.head.as_str(), "define-syntax-rule" | "define-syntax") {
        return None;
    }
    let text = &document.text[row.span.range()];
    let tree = read(text, document.language.clone());
    let rules = Rules { tree: &tree, text };
    let data = rules.inside(tree.top_level().next()?);
    let second = *data.get(1)?;
    if row.head == "define-syntax-rule" {
        return Some(vec![rules.shape(second)?]);
    }
    let [transformer] = data.get(2..)? else { return None };
    let parts = rules.inside(*transformer);
    let is_rules = transformer.is_bare() && second.list().is_none() && rules.source(*parts.first()?) == "syntax-rules";
    // Another word before the literals stands for the dots.
    let has_literals = parts.get(1).is_some_and(|literals| literals.list().is_some());
    let clauses = parts.get(2..).filter(|clauses| is_rules && has_literals && !clauses.is_empty())?;
    clauses.iter().map(|clause| rules.shape(*rules.inside(*clause).first()?)).collect()
}

/// The form of a macro.
struct Rules<'t> {
    tree: &'t Tree,
    text: &'t str,
}

impl<'t> Rules<'t> {
    fn source(&self, datum: Datum) -> &'t str {
        &self.text[self.tree.core_span(datum).range()]
    }

    fn inside(&self, datum: Datum) -> Vec<Datum> {
        datum.list().into_iter().flat_map(|list| self.tree.data(list)).collect()
    }

    /// What a pattern takes after its keyword: `(_ name value ...)`, `(_ name . body)`.
    fn shape(&self, pattern: Datum) -> Option<Signature> {
        let list = pattern.list().filter(|_| pattern.is_bare())?;
        let data: Vec<Datum> = self.tree.data(list).skip(1).collect();
        let words: Vec<&str> = data.iter().map(|datum| self.source(*datum)).collect();
        // `(... ...)` stands for dots.
        let is_odd = |word: &&str| word.replace(char::is_whitespace, "").starts_with("(...");
        if words.iter().any(is_odd) {
            return None;
        }
        let mut takes = Signature::fixed(0, words.join(" "));
        for (at, word) in words.iter().enumerate() {
            match *word {
                "." => {
                    takes.has_rest = true;
                    break;
                }
                "..." => takes.has_rest = true,
                _ if words.get(at + 1) == Some(&"...") => {}
                _ => takes.required += 1,
            }
        }
        Some(takes)
    }
}
