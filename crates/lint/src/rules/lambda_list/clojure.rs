//! The parameter vectors of functions, and the arities that they are.

use lispwright_syntax::{Datum, Span};

use crate::code::CodeForm;
use crate::file::File;
use crate::finding::Findings;

/// Forms that define or are a function.
const FUNCTIONS: &[&str] = &["fn", "defn", "defn-", "defmacro"];

/// Forms with methods, each with the number of arguments before them; the first parameter of a method is its object.
const METHODS: &[(&str, usize)] =
    &[("defprotocol", 1), ("deftype", 2), ("defrecord", 2), ("reify", 0), ("extend-type", 1), ("extend-protocol", 1)];

/// Tells what is wrong with the parameters of a form of Clojure.
pub(super) fn check(file: &File<'_, '_>, form: &CodeForm<'_>, findings: &mut Findings) {
    if FUNCTIONS.contains(&&*form.name) {
        arities(file, form, findings);
    }
    let Some((_, skipped)) = METHODS.iter().find(|(head, _)| *head == form.name) else { return };
    let fields = form.arguments.get(1).filter(|one| *skipped == 2 && one.is_bare() && file.is_plain(**one));
    if let Some(fields) = fields.filter(|one| !is_vector(file, **one)) {
        let message = format!("the fields of `{}` are in a vector", form.name);
        findings.add(file.tree.datum_span(*fields), message);
    }
    // A project may say that another form is like one, which has more parts.
    let is_protocol =
        form.name == "defprotocol" && file.source(file.tree.core_span(form.head)).ends_with("defprotocol");
    for method in form.arguments.iter().skip(*skipped).filter(|one| is_list(file, **one)) {
        let Some(list) = method.list() else { continue };
        let data = file.data(list);
        let vectors = || data.iter().filter(|one| is_vector(file, **one));
        if is_protocol && vectors().next().is_none() && data.iter().all(|one| file.is_plain(*one)) {
            findings.add(file.tree.datum_span(*method), "a method of a protocol has its parameters in a vector");
        }
        // After the vector of a method is its code, in which vectors are values.
        for empty in vectors().take(if is_protocol { data.len() } else { 1 }).filter(|one| is_empty(file, **one)) {
            findings.add(file.tree.datum_span(*empty), "a method takes the object that it is called for, at least");
        }
    }
}

/// Tells what is wrong with the arities of a function.
fn arities(file: &File<'_, '_>, form: &CodeForm<'_>, findings: &mut Findings) {
    let is_definition = form.name != "fn";
    let mut parts = form.arguments.as_slice();
    if let [name, rest @ ..] = parts
        && (is_definition || (name.list().is_none() && is_symbol(file.core(*name))))
    {
        let is_template = file.core(*name).starts_with("{{");
        if is_definition && !is_symbol(file.core(*name)) && file.is_plain(*name) && name.is_bare() && !is_template {
            let message = format!("`{}` needs a name here", form.name);
            return findings.add(file.tree.datum_span(*name), message);
        }
        parts = rest;
    }
    if !form.arguments.iter().all(|one| file.is_plain(*one)) {
        return;
    }
    // A docstring and a map of metadata can be before the parameters.
    while let [first, rest @ ..] = parts
        && is_definition
        && file.core(*first).starts_with(['"', '{'])
    {
        parts = rest;
    }
    let Some(first) = parts.first() else {
        let message = format!("`{}` has no vector of parameters", form.name);
        return findings.add(file.tree.core_span(form.head), message);
    };
    let is_clause = |one: &Datum| one.list().filter(|_| is_list(file, *one));
    match () {
        () if is_vector(file, *first) => markers(file, *first, findings),
        () if is_clause(first).is_some() => {
            let mut seen: Vec<Arity> = Vec::new();
            for clause in parts.iter().filter_map(is_clause) {
                let first = file.tree.data(clause).next();
                if first.is_some_and(|first| !file.is_plain(first)) {
                    continue;
                }
                let Some(vector) = first.filter(|one| is_vector(file, *one)) else {
                    let message = format!("an arity of `{}` begins with its vector of parameters", form.name);
                    findings.add(file.tree.list_span(clause), message);
                    return;
                };
                markers(file, vector, findings);
                let this = Arity::of(file, vector);
                if let Some(message) = seen.iter().find_map(|other| this.clash(other)) {
                    findings.add(this.at, message);
                }
                seen.push(this);
            }
        }
        () if first.is_bare() => {
            let message = format!("the parameters of `{}` are in a vector", form.name);
            findings.add(file.tree.datum_span(*first), message);
        }
        () => {}
    }
}

/// What one arity of a function takes.
struct Arity {
    at: Span,
    required: usize,
    has_rest: bool,
}

impl Arity {
    fn of(file: &File<'_, '_>, vector: Datum) -> Self {
        let data = vector.list().map_or_else(Vec::new, |list| file.data(list));
        let required = data.iter().take_while(|one| file.core(**one) != "&").count();
        Self { at: file.tree.datum_span(vector), required, has_rest: required < data.len() }
    }

    /// What the compiler says of two of them in one function.
    fn clash(&self, other: &Self) -> Option<String> {
        let (rest, fixed) = if self.has_rest { (self, other) } else { (other, self) };
        match (self.has_rest, other.has_rest) {
            (true, true) => Some("two arities take any number of arguments".to_owned()),
            (false, false) if self.required == other.required => {
                Some(format!("an arity with {} parameters is there already", self.required))
            }
            (false, false) => None,
            _ => (fixed.required > rest.required).then(|| {
                format!("an arity with {} parameters is there beside one that takes any number", fixed.required)
            }),
        }
    }
}

/// Tells what is wrong with the `&` in a vector of parameters.
fn markers(file: &File<'_, '_>, vector: Datum, findings: &mut Findings) {
    let Some(list) = vector.list() else { return };
    let parameters = file.data(list);
    let Some(at) = parameters.iter().position(|one| file.core(*one) == "&") else { return };
    match (parameters.get(at + 1), parameters.get(at + 2)) {
        (None, _) => findings.add(file.tree.datum_span(parameters[at]), "`&` has no parameter after it"),
        (_, Some(extra)) => findings.add(file.tree.datum_span(*extra), "`&` takes one parameter, the last one"),
        _ => {}
    }
}

/// The text is that of a symbol, and no number, keyword, string or character.
pub(crate) fn is_symbol(text: &str) -> bool {
    let begins = text.starts_with(|first: char| !first.is_ascii_digit() && !":\"\\#'`@~^([{".contains(first));
    let is_number = text.starts_with(['+', '-']) && text[1..].starts_with(|next: char| next.is_ascii_digit());
    begins && !is_number && !matches!(text, "nil" | "true" | "false")
}

fn is_vector(file: &File<'_, '_>, datum: Datum) -> bool {
    datum.list().is_some() && file.core(datum).starts_with('[')
}

fn is_list(file: &File<'_, '_>, datum: Datum) -> bool {
    datum.list().is_some() && file.core(datum).starts_with('(') && file.is_plain(datum)
}

fn is_empty(file: &File<'_, '_>, vector: Datum) -> bool {
    vector.list().is_some_and(|list| file.tree.data(list).next().is_none())
}
