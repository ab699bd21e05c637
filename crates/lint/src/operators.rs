//! What the names at the heads of forms are, and how many arguments they take.

use std::rc::Rc;

use lispwright_index::{
    Definition, Document, FormRow, Import, ImportKind, Referent, Signature, Symbol, Use, UseIndex, UseKind,
};
use lispwright_syntax::{FormKind, OperatorKind, Span, StandardOperator};

use crate::dialects::call_words;
use crate::file::File;
use crate::modules::may_define;
use crate::platform::{is_for_all_hosts, is_of_another_host};
use crate::structures::made;
use crate::syntax_rules::shapes;

/// What is known of a name at the head of forms.
#[derive(Clone, Debug)]
pub(crate) enum Operator {
    /// The project defines it, with all of these lists of parameters.
    Own(Rc<OwnOperator>),
    /// The project defines it in a way that does not show its parameters.
    Obscure(OperatorKind),
    /// The language defines it.
    Standard(StandardOperator),
    /// Nothing is known of it.
    Unknown,
}

/// An operator that the project defines.
#[derive(Debug)]
pub(crate) struct OwnOperator {
    pub(crate) kind: OperatorKind,
    pub(crate) signatures: Vec<Signature>,
    /// A structure or class makes it.
    pub(crate) is_made: bool,
}

impl Operator {
    /// Its arguments are evaluated.
    pub(crate) fn is_function(&self) -> bool {
        match self {
            Self::Own(own) => own.kind == OperatorKind::Function,
            Self::Obscure(kind) => *kind == OperatorKind::Function,
            Self::Standard(standard) => standard.kind == OperatorKind::Function,
            Self::Unknown => false,
        }
    }
}

impl<'i> File<'_, 'i> {
    /// What is known of what the name of a use means.
    pub(crate) fn operator(&self, used: Use) -> Operator {
        let written = self.source(used.span());
        if self.document.facts.owner_of(used).is_some() {
            let meant = self.question.meaning(self.document, used);
            let is_defined = matches!(&meant, Referent::Is(symbol) if self.question.defines(symbol));
            let (Referent::Is(symbol) | Referent::Unknown(symbol)) = meant;
            let definitions = is_defined.then(|| self.question.definitions(&symbol));
            return self.find_operator(&symbol, definitions.as_deref(), written);
        }
        let name = self.name(used.span());
        let definitions = || (name.is_certain && name.is_defined).then(|| self.definitions(&name));
        name.operator.get_or_init(|| self.find_operator(&name.symbol, definitions(), written)).clone()
    }

    /// Code of the file can have the definition: it is not that of another host.
    fn has(&self, (document, one): (&Document, &Definition)) -> bool {
        let is_one_host = || is_of_another_host(&self.document.path) == is_of_another_host(&document.path);
        let paths = [&self.document.path, &document.path];
        one.kind == FormKind::Macro || paths.into_iter().any(|path| is_for_all_hosts(path)) || is_one_host()
    }

    /// What is known of a symbol, which the project defines if there are `definitions`.
    fn find_operator(
        &self,
        symbol: &Symbol,
        definitions: Option<&[(&'i Document, &'i Definition)]>,
        written: &str,
    ) -> Operator {
        let operators = Operators { question: self.question };
        // Of another host, code has the macros alone.
        let seen: Option<Vec<_>> = definitions.map(|all| all.iter().copied().filter(|one| self.has(*one)).collect());
        let definitions = seen.as_deref().filter(|seen| !seen.is_empty());
        // What the project adds to a name of the language leaves it what it is.
        let own = definitions.and_then(|definitions| operators.own(symbol, definitions));
        own.unwrap_or_else(|| operators.foreign(self.document, symbol, written))
    }
}

/// The operators of a project in one dialect.
struct Operators<'q, 'i> {
    question: &'q UseIndex<'i>,
}

impl<'i> Operators<'_, 'i> {
    /// What the project defines by a symbol; `None` if that is no function or macro.
    fn own(&self, symbol: &Symbol, definitions: &[(&'i Document, &'i Definition)]) -> Option<Operator> {
        let dialect = self.question.dialect();
        let two_namespaces = lispwright_index::has_function_namespace(dialect);
        let words = call_words(dialect);
        let mut signatures: Vec<Signature> = Vec::new();
        let mut methods: Vec<Signature> = Vec::new();
        let mut kind = None;
        let mut is_clear = true;
        let mut generics = 0;
        for &(document, one) in definitions {
            let row = &document.facts.forms[one.form as usize];
            let of_form = document.signatures(one.form);
            let is_certain = words.definers.contains(&row.head.as_str()) && self.is_defined_by_language(document, row);
            // What a branch of a reader conditional defines is another function on another host.
            let before = document.text[..row.span.start as usize].trim_end();
            let word = before.rsplit([' ', '\n', '\t', '(', '[']).next().unwrap_or_default();
            is_clear &= !(words.is_hosted && word.starts_with(':') && !word.ends_with([')', ']', '}']));
            match one.kind {
                // The writer `(setf name)` is no function of the name.
                _ if document.text[row.name.range()].starts_with('(') && two_namespaces => {}
                _ if one.made || (one.kind == FormKind::Structure && !two_namespaces) => {
                    let made = made(document, one).filter(|_| self.is_defined_by_language(document, row));
                    is_clear &= made.is_some();
                    // What classes and structures make are functions, whatever they take.
                    if one.made && matches!(row.kind, FormKind::Class | FormKind::Structure | FormKind::Condition) {
                        kind.get_or_insert(OperatorKind::Function);
                    }
                    if let Some(made) = made {
                        kind.get_or_insert(OperatorKind::Function);
                        signatures.extend(made);
                    }
                }
                // Code inside of another definition defines it: the parameters of the form are not its own.
                _ if !is_named_by(document, one) => is_clear = false,
                FormKind::Macro => {
                    kind = Some(OperatorKind::Syntax);
                    match shapes(document, row).filter(|_| self.is_defined_by_language(document, row)) {
                        Some(shapes) => signatures.extend(shapes),
                        None => {
                            is_clear &= is_certain && !of_form.is_empty();
                            signatures.extend_from_slice(of_form);
                        }
                    }
                }
                FormKind::Function => {
                    kind.get_or_insert(OperatorKind::Function);
                    is_clear &= is_certain && !of_form.is_empty();
                    signatures.extend_from_slice(of_form);
                }
                FormKind::GenericFunction => {
                    kind.get_or_insert(OperatorKind::Function);
                    generics += 1;
                    is_clear &= is_certain && !of_form.is_empty();
                    signatures.extend(of_form.iter().filter(|one| !one.is_method).cloned());
                }
                FormKind::Method => {
                    kind.get_or_insert(OperatorKind::Function);
                    is_clear &= words.methods_can_differ || (is_certain && !of_form.is_empty());
                    methods.extend_from_slice(of_form);
                }
                FormKind::Variable if two_namespaces => {}
                FormKind::Variable => {
                    is_clear &= is_certain && !of_form.is_empty();
                    kind.get_or_insert(OperatorKind::Function);
                    signatures.extend_from_slice(of_form);
                }
                FormKind::Structure | FormKind::Class | FormKind::Condition | FormKind::Type | FormKind::Package
                    if two_namespaces => {}
                FormKind::Addition => {}
                _ => is_clear = false,
            }
        }
        // The list of a generic function counts for its methods, too, but for their keywords.
        if generics == 0 || words.methods_can_differ {
            signatures.append(&mut methods);
        }
        for one in signatures.iter_mut().filter(|one| one.has_keys && (one.is_method || generics > 0)) {
            one.takes_other_keys = true;
        }
        let kind = kind?;
        // Of several declarations of a package, for several ways to build it, one counts, and its definitions.
        let is_declared_again = || {
            words.names.has_exports
                && self.question.declarations(&symbol.space).filter(|one| !one.adds).nth(1).is_some()
        };
        if !is_clear || signatures.is_empty() || self.is_assigned(symbol) || is_declared_again() {
            return Some(Operator::Obscure(kind));
        }
        signatures.dedup();
        let is_made = definitions.iter().any(|(_, one)| one.made);
        Some(Operator::Own(Rc::new(OwnOperator { kind, signatures, is_made })))
    }

    /// The head of a definition is the one of the language, not another that is called so.
    fn is_defined_by_language(&self, document: &Document, row: &FormRow) -> bool {
        let start = row.span.start + 1;
        let begin = &document.text[start as usize..row.span.end as usize];
        let length = begin.find(|next: char| next.is_whitespace() || "()[]".contains(next)).unwrap_or(begin.len());
        let head = Span::new(start, start + length as u32);
        let (Referent::Is(symbol) | Referent::Unknown(symbol)) = self.question.meaning_at(document, head);
        let written = &begin[..length];
        let is_qualified = written.contains('/') || written.contains(':');
        let is_language = || is_of_language(self.question, document, &symbol, written);
        !self.question.defines(&symbol) && (!is_qualified || is_language())
    }

    /// Something gives the name another value where functions are values of variables.
    fn is_assigned(&self, symbol: &Symbol) -> bool {
        let is_it = |kind| kind == UseKind::Assignment;
        !lispwright_index::has_function_namespace(self.question.dialect())
            && self.question.uses(symbol).hits.iter().any(|hit| is_it(hit.used.kind))
    }

    /// A module of the project may give out its own definition of the name, in the place of the language's.
    fn may_be_hidden(&self, written: &str) -> bool {
        call_words(self.question.dialect()).modules_hide && self.question.definitions_named(written).next().is_some()
    }

    /// A module that is required whole may give its own definition of the name.
    fn may_be_replaced(&self, document: &Document, name: &str) -> bool {
        let may_give = |import: &Import| {
            import.kind == ImportKind::Asked
                && import.only.is_none()
                && import.theirs(name).is_some_and(|theirs| may_define(self.question, &import.from, theirs))
        };
        call_words(self.question.dialect()).modules_hide
            && document.facts.spaces.iter().flat_map(|space| &space.imports).any(may_give)
    }

    /// What is known of a name that the project does not define.
    fn foreign(&self, document: &Document, symbol: &Symbol, written: &str) -> Operator {
        let dialect = self.question.dialect();
        let qualified = format!("{}/{}", symbol.space, symbol.name);
        // Without a space there is no qualifier: `/=` is no `=` of one.
        let found = match dialect.standard_operator(&qualified).filter(|_| !symbol.space.is_empty()) {
            Some(found) => Some(found),
            None => {
                let name = lispwright_index::spelled(dialect, &symbol.name);
                let is_language = |_: &StandardOperator| {
                    is_of_language(self.question, document, symbol, written) && !self.may_be_hidden(written)
                };
                dialect.standard_operator(&name).filter(is_language)
            }
        };
        match found {
            Some(standard) if self.may_be_replaced(document, &symbol.name) => Operator::Obscure(standard.kind),
            Some(standard) => Operator::Standard(standard),
            None if call_words(dialect).names.autoloads.contains(&symbol.name) => {
                Operator::Obscure(OperatorKind::Function)
            }
            None => self.of_library(symbol),
        }
    }

    /// What a function of a library takes. Macros of libraries do with their arguments what they like.
    fn of_library(&self, symbol: &Symbol) -> Operator {
        match self.question.library_operator(symbol) {
            Some(known) if known.kind == OperatorKind::Syntax => Operator::Unknown,
            Some(known) if known.signatures.is_empty() => Operator::Obscure(known.kind),
            Some(known) => {
                let signatures = known.signatures.clone();
                Operator::Own(Rc::new(OwnOperator { kind: known.kind, signatures, is_made: false }))
            }
            None => Operator::Unknown,
        }
    }
}

/// A name that no file defines is that of the language: it is written without another space, and the file does not say
/// that it has it from elsewhere.
pub(crate) fn is_of_language(question: &UseIndex<'_>, document: &Document, symbol: &Symbol, written: &str) -> bool {
    let is_language = matches!(symbol.space.as_str(), "common-lisp" | "cl" | "clojure.core" | "");
    if is_language {
        return true;
    }
    let is_qualified = written.len() > 1 && written.contains([':', '/']);
    let is_own = question.is_of_project(&symbol.space);
    let imports = || document.facts.spaces.iter().flat_map(|space| &space.imports);
    let is_named = imports().any(|import| {
        let named = import.only.iter().flatten().map(|(_, ours)| ours);
        let is_it = |name: &String| *name == symbol.name;
        named.clone().any(is_it)
            || import.except.iter().any(is_it)
            || import.renamed.iter().any(|(theirs, _)| is_it(theirs))
    });
    !is_qualified && is_own && !is_named && question.gets_from_language(&symbol.space, &symbol.name)
}

/// The form of a definition is called as what it defines, and no form inside of it defines that.
pub(crate) fn is_named_by(document: &Document, one: &Definition) -> bool {
    let row = &document.facts.forms[one.form as usize];
    lispwright_index::plain_name(document.dialect, &document.text[row.name.range()]).is_none_or(|name| name == one.name)
}
