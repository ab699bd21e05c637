//! What calls of the functions and macros of a file pass, as far as their definitions say it.

use lispwright_syntax::{Datum, Form, Forms, ListId, Tree};
use rustc_hash::FxHashMap;

use crate::dialects::parameter_notation;
use crate::index::Document;
use crate::parameters::{ParameterList, ParameterReader, ParameterRole, begins_with_condition};

/// What calls of a function or macro pass, by one of its lists of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// How many arguments every call passes by their place.
    pub required: usize,
    /// How many more it can pass so.
    pub optional: usize,
    /// It takes any number of further arguments.
    pub has_rest: bool,
    /// It takes arguments by keyword.
    pub has_keys: bool,
    /// The keywords as calls write them, each with whether a call has to pass it.
    pub keys: Vec<(String, bool)>,
    /// It takes keywords that are not among these.
    pub takes_other_keys: bool,
    /// The list belongs to a method, of which there may be others.
    pub is_method: bool,
    /// The parameters as they are written, on one line, without the brackets around them.
    pub shown: String,
}

impl Signature {
    /// What the list of parameters says that a datum is; `None` if it is not understood.
    pub fn of_datum(tree: &Tree, text: &str, datum: Datum) -> Option<Self> {
        let reader = ParameterReader { tree, text, dialect: tree.dialect() };
        Some(Self::of(&reader.read(datum, 0, false).ok()?, text, tree, false))
    }

    /// What a list says in which so many data are before the parameters: `(name . parameters)`.
    pub fn of_parameters(tree: &Tree, text: &str, list: ListId, skipped: usize) -> Option<Self> {
        let around = tree.list(list).parent()?;
        let datum = tree.data(around).find(|one| one.list() == Some(list))?;
        let reader = ParameterReader { tree, text, dialect: tree.dialect() };
        Some(Self::of(&reader.read(datum, skipped, false).ok()?, text, tree, false))
    }

    /// So many arguments, which are shown so.
    pub const fn fixed(required: usize, shown: String) -> Self {
        Self {
            required,
            optional: 0,
            has_rest: false,
            has_keys: false,
            keys: Vec::new(),
            takes_other_keys: false,
            is_method: false,
            shown,
        }
    }

    /// What a list of parameters says.
    fn of(list: &ParameterList, text: &str, tree: &Tree, is_method: bool) -> Self {
        let dialect = tree.dialect();
        let notation = parameter_notation(dialect);
        // Without its default value, an argument by keyword has to be there, where keywords can be anywhere.
        let is_asked = |span: lispwright_syntax::Span| {
            notation.keys_anywhere && !text[span.range()].trim_end().ends_with([')', ']', '}'])
        };
        let keys = list.parameters.iter().filter_map(|one| Some((one.keyword.clone()?, is_asked(one.span)))).collect();
        let words = list.items.iter().flat_map(|(span, _)| text[span.range()].split_whitespace());
        let shown = words.collect::<Vec<_>>().join(" ");
        Self {
            required: list.count(ParameterRole::Required),
            optional: list.count(ParameterRole::Optional),
            has_rest: list.count(ParameterRole::Rest) > 0,
            has_keys: list.count(ParameterRole::Key) > 0 || list.word(Some(ParameterRole::Key)).is_some(),
            keys,
            takes_other_keys: list.word(None).is_some(),
            is_method,
            shown,
        }
    }
}

/// Conditions of the reader decide what the definition consists of.
fn has_conditions(tree: &Tree, text: &str, form: &Form) -> bool {
    let is_condition = |datum: Datum| begins_with_condition(&text[tree.datum_span(datum).range()]);
    form.datum.list().is_some_and(|list| tree.data(list).take(MOST_CONDITIONS).any(is_condition))
}

/// So many data of a definition are looked at for conditions: its parameters are among them.
const MOST_CONDITIONS: usize = 8;

/// The signatures of the definitions of a file, by the number of the form.
#[derive(Debug, Default)]
pub(crate) struct Signatures(FxHashMap<u32, Vec<Signature>>);

impl Signatures {
    fn of(tree: &Tree, forms: &Forms, text: &str) -> Self {
        let reader = ParameterReader { tree, text, dialect: tree.dialect() };
        let of_form = |form: &Form| -> Vec<Signature> {
            if has_conditions(tree, text, form) {
                return Vec::new();
            }
            let lists = reader.of_form(form).into_iter();
            lists.map(|one| Signature::of(&one.list, text, tree, one.is_method)).collect()
        };
        let defining = forms.iter().filter(|(_, form)| form.kind.defines());
        let known = defining.map(|(id, form)| (id, of_form(form))).filter(|(_, all)| !all.is_empty());
        Self(known.collect())
    }
}

impl Document {
    /// Finds what [`Self::signatures`] says in the text as it has been read.
    pub fn take_signatures(&self, tree: &Tree, forms: &Forms) {
        self.signatures.get_or_init(|| Signatures::of(tree, forms, &self.text));
    }

    /// What calls of the function or macro pass that a form of [`crate::Facts::forms`] defines: one signature for each of
    /// its lists of parameters, and for a generic function those of methods inside of its definition. Empty if the form
    /// defines nothing of the kind, or one of its lists is not understood.
    pub fn signatures(&self, form: u32) -> &[Signature] {
        let known = self.signatures.get_or_init(|| {
            let tree = self.tree();
            Signatures::of(&tree, &Forms::new(&tree, &self.text), &self.text)
        });
        known.0.get(&form).map_or(&[], Vec::as_slice)
    }
}
