//! What the names in a file mean, each found once for a file.
//!
//! A file has most of its names many times, and each rule asks about them. What a name means depends on nothing but the
//! name and the space of the code around it.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use lispwright_index::{Definition, Document, FormRow, Referent, Symbol};
use lispwright_syntax::{Dialect, FormKind, Span};
use rustc_hash::FxHashMap;

use crate::dialects::call_words;
use crate::file::File;
use crate::operators::Operator;

/// What a name is asked for. Where functions have a namespace of their own, the name of one can be that of another sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A function or macro.
    Function,
    /// A variable.
    Variable,
    /// A class.
    Class,
}

impl Sort {
    /// A form defines something of the sort, or may do so; `made` if it is asked about a name that it makes beside its own.
    pub(crate) fn may_be_defined(self, dialect: Dialect, form: &FormRow, made: bool) -> bool {
        let words = &call_words(dialect).names;
        let head = form.head.as_str();
        match self {
            Self::Function => true,
            Self::Variable => !words.no_variables.contains(&head),
            Self::Class => {
                let is_function = words.no_classes.contains(&head) || (made && words.shown.contains(&head));
                !is_function
            }
        }
    }

    /// The sort has names of its own in the dialect.
    pub(crate) fn is_apart(self, dialect: Dialect) -> bool {
        let words = &call_words(dialect).names;
        match self {
            Self::Function => false,
            Self::Variable => !words.no_variables.is_empty(),
            Self::Class => !words.no_classes.is_empty(),
        }
    }
}

/// What a name means in a file, as far as somebody has asked.
pub(crate) struct Name<'i> {
    /// The symbol, or that which it may be.
    pub(crate) symbol: Symbol,
    /// It is that symbol for certain.
    pub(crate) is_certain: bool,
    /// The project defines the symbol.
    pub(crate) is_defined: bool,
    pub(crate) definitions: OnceCell<Vec<(&'i Document, &'i Definition)>>,
    pub(crate) operator: OnceCell<Operator>,
    pub(crate) is_of_language: OnceCell<bool>,
    pub(crate) may_take_data: OnceCell<bool>,
}

/// The names of a file, by the space around them and as they are written.
pub(crate) type Names<'i> = RefCell<FxHashMap<(&'i str, &'i str), Rc<Name<'i>>>>;

impl<'i> File<'_, 'i> {
    /// What the name at a place means.
    pub(crate) fn name(&self, at: Span) -> Rc<Name<'i>> {
        let key = (self.document.facts.space_at(at.start), self.source(at));
        if let Some(known) = self.names.borrow().get(&key) {
            return known.clone();
        }
        let (is_certain, symbol) = match self.question.meaning_at(self.document, at) {
            Referent::Is(symbol) => (true, symbol),
            Referent::Unknown(symbol) => (false, symbol),
        };
        let is_defined = self.question.defines(&symbol);
        let (definitions, operator, is_of_language, may_take_data) = Default::default();
        let name =
            Rc::new(Name { symbol, is_certain, is_defined, definitions, operator, is_of_language, may_take_data });
        self.names.borrow_mut().insert(key, name.clone());
        name
    }

    /// The definitions of what a name means.
    pub(crate) fn definitions<'n>(&self, name: &'n Name<'i>) -> &'n [(&'i Document, &'i Definition)] {
        name.definitions.get_or_init(|| self.question.definitions(&name.symbol))
    }

    /// The project defines what the name means, or may do so.
    pub(crate) fn is_of_project(&self, name: &Name<'i>) -> bool {
        name.is_defined || !self.definitions(name).is_empty()
    }

    /// The project defines something of the name and the sort, or may do so.
    pub(crate) fn is_sort_of_project(&self, name: &Name<'i>, sort: Sort) -> bool {
        let definitions = self.definitions(name);
        let may_be = |(document, one): &(&Document, &Definition)| {
            let form = &document.facts.forms[one.form as usize];
            sort.may_be_defined(self.dialect(), form, one.made)
        };
        definitions.iter().any(may_be) || (name.is_defined && definitions.is_empty())
    }

    /// The definitions of macros among those of what the name at a place means.
    pub(crate) fn macros(&self, at: Span) -> Vec<(&'i Document, &'i Definition)> {
        let name = self.name(at);
        let all = self.definitions(&name).iter();
        all.filter(|(_, one)| one.kind == FormKind::Macro).copied().collect()
    }
}
