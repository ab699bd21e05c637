//! The calls of a file that are certain to be calls, each with what its head means, if that is known.
//!
//! What looks like a call is none in data, in the clauses of a macro, or where a macro adds arguments. So a list counts only
//! if every form around it is a special form, a function, or a macro whose definition shows what becomes of the argument.

use std::borrow::Cow;

use lispwright_index::{MarkRole, Use, UseKind, data_are_names};
use lispwright_syntax::name::{canonical_head, canonical_symbol};
use lispwright_syntax::{
    Datum, FormKind, Implementations, ListId, OperatorKind, Span, SpecialForm, StandardOperator, TokenKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialects::call_words;
use crate::file::File;
use crate::local_calls::local_calls;
use crate::operators::Operator;

mod values;

pub(crate) use values::{Values, values};

/// A call of a function or macro.
#[derive(Debug)]
pub(crate) struct Call {
    /// The name at its head.
    pub(crate) name: Span,
    /// What that means.
    pub(crate) operator: Operator,
    /// Its arguments, without what a threading form adds.
    pub(crate) arguments: Vec<Datum>,
    /// A threading form adds an argument.
    pub(crate) is_threaded: bool,
    /// How many arguments there are is not known: some are spliced in, or depend on conditions of the reader.
    pub(crate) is_open: bool,
}

impl Call {
    /// How many arguments it passes, if that is known.
    pub(crate) fn count(&self) -> Option<usize> {
        (!self.is_open).then(|| self.arguments.len() + usize::from(self.is_threaded))
    }
}

/// A macro of the project around a call, or another use of a function, may give the name another meaning there: its
/// definition has a local function or macro of the name.
pub(crate) fn is_rebound(file: &File<'_, '_>, at: Span) -> bool {
    let name = file.source(at);
    // A name in quotes may be the one that the macro binds unless it is given another: `(finalizer 'finalize)`.
    let bindings = ["({} (", "({} [", "(({} ", "({} nil", "({} #'", " '{})"].map(|binding| binding.replace("{}", name));
    file.lists_around(at).any(|list| {
        let head = file.tree.data(list).next().filter(|head| head.list().is_none());
        let head = head.map(|head| file.tree.core_span(head)).filter(|head| *head != at);
        head.is_some_and(|head| {
            file.macros(head).into_iter().any(|(document, one)| {
                let definition = &document.text[document.facts.forms[one.form as usize].span.range()];
                bindings.iter().any(|binding| definition.contains(binding))
            })
        })
    })
}

/// Keywords of slots.
const SLOT_OPTIONS: &[&str] = &[":initform", ":initarg", ":reader", ":writer", ":accessor", ":type", ":documentation"];

/// A part of a definer that is not known may be a slot that is called like a function.
pub(crate) fn may_be_slot(file: &File<'_, '_>, call: &Call) -> bool {
    let mut words = call.arguments.iter().map(|one| file.core(*one));
    words.any(|word| SLOT_OPTIONS.iter().any(|option| option.eq_ignore_ascii_case(word)))
}

/// Parts of the names of forms in which errors are expected, or code is not run.
const EXPECTS: &[&str] = &[
    "error",
    "signals",
    "raises",
    "throws",
    "thrown",
    "exn",
    "exception",
    "fails",
    "failure",
    "comment",
    "disabled",
    "condition",
    "macroexpand",
    "expand",
    "expansion",
];

/// Those of them that functions of test frameworks have in their names, which take code that fails.
const TESTS: &[&str] = &["signals", "raises", "throws", "thrown", "check-exn", "fails", "failure", "expect"];

/// Heads of patterns that call a function with the value that is matched.
const PATTERNS: &[&str] =
    &["pred", "app", "?", "->*", "->*m", "->i", "->d", "->dm", "rename", "only", "except", "prefix"];

/// The end of a datum, in bytes.
fn end_of(file: &File<'_, '_>, datum: Datum) -> usize {
    file.tree.datum_span(datum).end as usize
}

/// The search for calls in a file.
pub(crate) struct Search<'f, 'q, 'i> {
    pub(crate) file: &'f File<'q, 'i>,
    /// The uses at heads of lists, by their starts.
    uses: FxHashMap<u32, Use>,
    /// The uses that assign something, among them those at heads of places, by their starts.
    places: FxHashMap<u32, Use>,
    /// The lists whose data are certain to be code, as those of all around it are.
    known: FxHashMap<ListId, bool>,
    /// The lists that are no forms that only custom knows, as all around it are none.
    established: FxHashMap<ListId, bool>,
    /// The lists whose data are code if what nothing is known of are functions.
    likely: FxHashMap<ListId, bool>,
    /// The starts of the names of methods at the heads of these.
    methods: FxHashSet<u32>,
}

/// The calls of a file.
pub(crate) fn calls(file: &File<'_, '_>) -> Vec<Call> {
    if !file.has_known_language() {
        return Vec::new();
    }
    // What a file contains of another under a computed name, it may define.
    let is_open_ended = file.text().contains("(include/");
    let mut search = Search::of(file);
    let mut uses: Vec<Use> = search.uses.values().copied().collect();
    uses.sort_unstable_by_key(|used| used.start);
    let found: Vec<Call> = uses.into_iter().filter_map(|used| search.call(used)).collect();
    let found = found.into_iter();
    let is_meant = |call: &Call| match &call.operator {
        Operator::Standard(standard) => file.has_table(call.name, standard),
        _ => !is_open_ended,
    };
    let mut found: Vec<Call> = found.filter(is_meant).collect();
    if !is_open_ended {
        found.extend(local_calls(&mut search));
    }
    found
}

impl File<'_, '_> {
    /// The name is that of a local function.
    pub(crate) fn is_local_function(&self, name: Span) -> bool {
        let at = self.facts.marks.partition_point(|mark| mark.span.start < name.start);
        let mark = self.facts.marks.get(at).filter(|mark| mark.span == name);
        if !mark.is_some_and(|mark| matches!(mark.role, MarkRole::Local | MarkRole::LocalFunction)) {
            return false;
        }
        // A local macro is bound in the first list of its form, too.
        let Ok(bound) = self.facts.bound.binary_search_by_key(&name.start, |(start, _)| *start) else { return false };
        let binder = self.facts.bound[bound].1;
        let mut list = self.tree.token_at(binder).and_then(|token| self.tree.list_around(token));
        for _ in 0..3 {
            let Some(around) = list else { break };
            let head = self.head_of(around).unwrap_or_default();
            if head.contains("macrolet") || head.contains("syntax") || head.contains("symbol-macro") {
                return false;
            }
            list = self.tree.list(around).parent();
        }
        true
    }

    /// The name is that of a class in the parameters of a method: `(x class)`.
    pub(crate) fn is_specializer(&self, at: Span) -> bool {
        let form =
            self.forms.around(at.start).map(|id| self.forms.get(id)).filter(|form| form.kind == FormKind::Method);
        let is_in_parameters = |span: &Span| span.encloses(at) && span.start < at.start;
        let list = self.list_of(at).filter(|list| {
            let mut data = self.tree.data(*list);
            data.nth(1).is_some_and(|second| self.tree.core_span(second) == at) && data.next().is_none()
        });
        let parameter = list.map(|list| self.tree.list_span(list));
        form.is_some_and(|form| form.signature.iter().any(is_in_parameters))
            && parameter.is_some_and(|span| form.is_some_and(|form| form.signature.iter().all(|all| *all != span)))
    }

    /// The list begins with a keyword, and is an option of a form of the language.
    pub(crate) fn is_option_of_language(&self, list: ListId) -> bool {
        let around = self.tree.list(list).parent().and_then(|around| self.tree.data(around).next());
        around.filter(|head| head.list().is_none()).is_some_and(|head| {
            let head = canonical_head(self.dialect(), self.core(head));
            self.dialect().is_standard(&canonical_symbol(self.dialect(), &head))
        })
    }

    /// The list is in one that begins with a keyword, as clauses of macros do where keywords are no functions.
    pub(crate) fn is_in_clause(&self, list: ListId) -> bool {
        let mut lists = std::iter::successors(self.tree.list(list).parent(), |list| self.tree.list(*list).parent());
        let begins =
            |list| self.head_of(list).is_some_and(|head| head.starts_with(':')) && !self.is_option_of_language(list);
        call_words(self.dialect()).names.separator == Some(":") && lists.any(begins)
    }
}

impl<'f, 'q, 'i> Search<'f, 'q, 'i> {
    fn of(file: &'f File<'q, 'i>) -> Self {
        let of_kind = |kind| {
            let all = file.uses().filter(move |used: &&Use| used.kind == kind);
            all.map(|used| (used.start, *used)).collect()
        };
        let (uses, places) = (of_kind(UseKind::Call), of_kind(UseKind::Assignment));
        let methods = file.uses().filter(|used| used.kind == UseKind::Method).map(|used| used.start).collect();
        let (known, established, likely) = Default::default();
        Self { file, uses, places, known, established, likely, methods }
    }
}

impl<'i> Search<'_, '_, 'i> {
    /// The call at whose head a use is.
    fn call(&mut self, used: Use) -> Option<Call> {
        let file = self.file;
        if used.hidden {
            return None;
        }
        let token = file.tree.token_at(used.start)?;
        let list = file.tree.list_around(token)?;
        let data = file.data(list);
        let head = data.first().copied().filter(|head| head.is_bare() && file.tree.core_span(*head) == used.span())?;
        let start = file.tree.list_span(list).start;
        let is_among = |starts: &[u32]| starts.binary_search(&start).is_ok();
        if is_among(&file.facts.no_forms) || is_among(&file.facts.unclear) || head.list().is_some() {
            return None;
        }
        if self.is_clause(list) || self.is_binding(list) || self.is_specializer(list, used.span()) {
            return None;
        }
        let operator = file.operator(used);
        if matches!(&operator, Operator::Own(own) if own.is_made) && self.is_in_words(list) {
            return None;
        }
        if !self.is_code(list) || self.is_syntax_argument(list, &operator) {
            return None;
        }
        if matches!(operator, Operator::Standard(_) | Operator::Unknown) && self.is_word(list) {
            return None;
        }
        if !matches!(operator, Operator::Unknown) && file.is_in_clause(list) {
            return None;
        }
        let is_threaded = is_among(&file.facts.steps);
        if is_threaded && !self.adds_one(list) {
            return None;
        }
        let arguments: Vec<Datum> = data.into_iter().skip(1).collect();
        let is_open = arguments.iter().any(|datum| self.is_open(*datum));
        Some(Call { name: used.span(), operator, arguments, is_threaded, is_open })
    }

    /// The call of a local function.
    pub(crate) fn local_call(&mut self, list: ListId, name: Span, operator: Operator) -> Option<Call> {
        let file = self.file;
        let start = file.tree.list_span(list).start;
        let is_among = |starts: &[u32]| starts.binary_search(&start).is_ok();
        if is_among(&file.facts.no_forms) || is_among(&file.facts.unclear) || self.is_clause(list) {
            return None;
        }
        if !self.is_code(list) || self.is_syntax_argument(list, &operator) || self.is_in_unknown(list) {
            return None;
        }
        let is_threaded = is_among(&file.facts.steps);
        if is_threaded && !self.adds_one(list) {
            return None;
        }
        let arguments: Vec<Datum> = file.tree.data(list).skip(1).collect();
        let is_open = arguments.iter().any(|datum| self.is_open(*datum));
        Some(Call { name, operator, arguments, is_threaded, is_open })
    }

    /// The form around a list may be a word of a macro, which does what it likes with it.
    fn is_in_unknown(&self, list: ListId) -> bool {
        let file = self.file;
        let Some(around) = file.tree.list(list).parent() else { return false };
        let Some(head) = file.tree.data(around).next().filter(|head| head.list().is_none()) else { return false };
        let span = file.tree.core_span(head);
        let word = canonical_head(file.dialect(), file.source(span));
        let is_marked = file.facts.marks.binary_search_by_key(&span.start, |mark| mark.span.start).is_ok();
        let is_known = is_marked
            || !matches!(file.tree.kind(head.core), TokenKind::Atom)
            || matches!(&*word, "else" | "_")
            || word.starts_with([':', '#'])
            || file.dialect().special_form(&word).is_some()
            || file.dialect().standard_operator(&word).is_some();
        let is_function = |used: &Use| file.operator(*used).is_function();
        let mut lists = std::iter::successors(Some(list), |list| file.tree.list(*list).parent());
        !(is_known || self.uses.get(&span.start).is_some_and(is_function)) || lists.any(|list| file.is_prefixed(list))
    }

    /// The list is a binding of the form around it, whatever a macro around that makes of the code.
    fn is_binding(&self, list: ListId) -> bool {
        use SpecialForm as F;
        let tree = &self.file.tree;
        let form = |list: ListId| self.head(list).and_then(|head| self.file.dialect().special_form(&head));
        let Some(around) = tree.list(list).parent() else { return false };
        let is_first = |of: ListId, list: ListId| {
            let named = usize::from(tree.data(of).nth(1).is_some_and(|name| name.list().is_none()));
            tree.data(of).nth(1 + named).and_then(Datum::list) == Some(list)
        };
        if matches!(form(around), Some(F::Each | F::Iterator)) && is_first(around, list) {
            return true;
        }
        let Some(outer) = tree.list(around).parent() else { return false };
        matches!(form(outer), Some(F::Let | F::LetStar | F::LetRec | F::Do | F::DoStar)) && is_first(outer, around)
    }

    /// The list is written like a clause, or is a part of a contract or pattern: it gets arguments from elsewhere.
    fn is_clause(&self, list: ListId) -> bool {
        let file = self.file;
        let opener = file.source(file.tree.token_span(file.tree.list(list).open()));
        if !matches!(opener, "(" | "#(") {
            return true;
        }
        let Some(around) = file.tree.list(list).parent() else { return false };
        if self.is_head(list, around) || self.is_test_name(list, around) {
            return true;
        }
        // A contract, or a list of parameters with their default values.
        let is_contract = |datum: Datum| {
            datum.list().is_none()
                && matches!(
                    file.core(datum).to_ascii_lowercase().as_str(),
                    "->*" | "->*m" | "->i" | "->d" | "->dm" | "&key" | "&optional" | "&aux"
                )
        };
        file.tree.data(around).any(is_contract)
            || self
                .head(around)
                .is_some_and(|head| PATTERNS.contains(&&*head) || self.is_parameters(&head, around, list))
    }

    /// The list is the head of another where only names are heads: what is around is a clause of a macro.
    fn is_head(&self, list: ListId, around: ListId) -> bool {
        let file = self.file;
        let start = file.tree.list_span(around).start;
        lispwright_index::has_function_namespace(file.dialect())
            && file.tree.data(around).next().and_then(Datum::list) == Some(list)
            && file.facts.no_forms.binary_search(&start).is_err()
    }

    /// A list around begins with a keyword and is no option of the language: what is in it are words of a macro.
    fn is_in_words(&self, list: ListId) -> bool {
        let file = self.file;
        let mut lists = std::iter::successors(file.tree.list(list).parent(), |list| file.tree.list(*list).parent());
        let begins = |list: ListId| file.head_of(list).is_some_and(|head| head.starts_with(':'));
        lists.any(|list| begins(list) && !file.is_option_of_language(list))
    }

    /// The form around has words of its own that are called like functions, or lists of values.
    fn is_word(&self, list: ListId) -> bool {
        let around = self.file.tree.list(list).parent().and_then(|around| self.head(around));
        let has_words = |head: &str| {
            let parts = ["test", "case", "class/c", "object/c"];
            head.starts_with("iter") || parts.iter().any(|part| head.contains(part))
        };
        let is_known = |head: &str| self.file.is_hosted() && self.file.dialect().special_form(head).is_some();
        around.is_some_and(|head| has_words(&head) && !is_known(&head))
    }

    /// The list is the second datum of a function without a name.
    fn is_parameters(&self, head: &str, around: ListId, list: ListId) -> bool {
        let second = self.file.tree.data(around).nth(1).and_then(Datum::list);
        matches!(head, "lambda" | "lambda*" | "λ" | "fn") && second == Some(list)
    }

    /// The place is among the specialized parameters of a method: `(eql 1)` is no call there.
    fn is_specializer(&self, list: ListId, name: Span) -> bool {
        // `(:method ((x (eql 1))) …)` in a generic function.
        let around = |list: ListId| self.file.tree.list(list).parent();
        let option = around(list).and_then(around).and_then(around).and_then(|option| self.head(option));
        if option.is_some_and(|head| head.trim_start_matches(':') == "method") {
            return true;
        }
        // A type, or a specializer in what a macro makes a method of.
        if self.file.source(name).eq_ignore_ascii_case("eql") && self.file.tree.data(list).count() == 2 {
            return true;
        }
        let form = self.file.forms.around(name.start).map(|id| self.file.forms.get(id));
        // `&key (end (length list))`: no marker is before what is specialized.
        let is_before_markers = |signature: &Span| {
            let before = &self.file.text()[signature.start as usize..name.start as usize];
            !before.split(|one: char| one.is_whitespace() || one == '(').any(|word| word.starts_with('&'))
        };
        form.is_some_and(|form| {
            form.signature.iter().any(|signature| signature.encloses(name) && is_before_markers(signature))
        }) && form.is_some_and(|form| form.kind == FormKind::Method)
    }

    /// The form around adds one argument to each of its steps.
    fn adds_one(&self, list: ListId) -> bool {
        let Some(around) = self.file.tree.list(list).parent() else { return false };
        let special = self.head(around).and_then(|head| self.file.dialect().special_form(&head));
        matches!(special, Some(SpecialForm::Threading | SpecialForm::ThreadingFirst | SpecialForm::ThreadingIf { .. }))
    }

    /// The datum stands for any number of arguments.
    fn is_open(&self, datum: Datum) -> bool {
        let file = self.file;
        let source = file.core(datum);
        let begins = &file.source(file.tree.datum_span(datum));
        let is_spliced = |prefix: &str| matches!(prefix, ",@" | ",." | "~@" | "#,@" | "#$@" | "#+@");
        let mut prefixes = file.tree.prefixes(datum).map(|prefix| file.source(file.tree.token_span(prefix.token)));
        // In an encoding that is not known, a character literal can be read as several data.
        let is_misread = source.starts_with('?') && !source.is_ascii();
        // `@name{text}` is a form of its own in some languages of modules.
        let is_text = lispwright_index::files_are_modules(file.dialect()) && source.starts_with('@');
        // Braces that a readtable of the project reads.
        let is_brace = datum.list().is_none()
            && matches!(file.tree.kind(datum.core), TokenKind::Atom)
            && source.contains(['{', '}']);
        is_misread
            || is_text
            || is_brace
            || matches!(source, "." | "..." | "<...>" | "#cs" | "#ci" | "#p" | "#P")
            || (source == "\"\"" && file.text()[end_of(file, datum)..].starts_with('"'))
            || ["#+", "#-", "#?"].iter().any(|condition| begins.starts_with(condition))
            || prefixes.any(|prefix| is_spliced(prefix) || prefix.starts_with("#+") || prefix.starts_with("#-"))
    }

    /// The head of a list in canonical spelling, if it is a symbol.
    fn head(&self, list: ListId) -> Option<Cow<'i, str>> {
        let head = self.file.tree.data(list).next().filter(|head| head.list().is_none())?;
        Some(canonical_head(self.file.dialect(), self.file.core(head)))
    }

    /// The list is an argument of a macro of the project that may take it apart: one that is written as rules, or one to
    /// which a word is a list whose head happens to be the name of a function of the language.
    fn is_syntax_argument(&self, list: ListId, operator: &Operator) -> bool {
        let file = self.file;
        let Some(around) = file.tree.list(list).parent() else { return false };
        let Some(head) = file.tree.data(around).next().filter(|head| head.list().is_none()) else { return false };
        let span = file.tree.core_span(head);
        let Some(used) = self.uses.get(&span.start) else {
            // In an argument of a macro, the name is none that is called, but that of a macro all the same.
            return !file.macros(span).is_empty();
        };
        let Some(word) = self.head(around) else { return false };
        let is_known =
            file.dialect().special_form(&word).is_some() || file.dialect().standard_operator(&word).is_some();
        if is_known || file.is_of_host(span) {
            return false;
        }
        let macro_ = file.operator(*used);
        let is_own_function = matches!(&macro_, Operator::Own(own) if own.kind == OperatorKind::Function);
        if self.is_method_like(list) && !is_own_function {
            return true;
        }
        if !matches!(macro_, Operator::Own(_) | Operator::Obscure(_)) || macro_.is_function() {
            return false;
        }
        let is_option = || {
            let data = file.data(around);
            let at = data.iter().position(|one| one.list() == Some(list));
            at.is_some_and(|at| at > 1 && data[at - 1].list().is_none() && file.core(data[at - 1]).starts_with(':'))
        };
        let is_other = match operator {
            Operator::Standard(_) | Operator::Unknown => true,
            Operator::Own(own) => own.is_made,
            Operator::Obscure(_) => false,
        };
        self.has_rules() || is_other || is_option()
    }

    /// Macros are written as rules or as procedures over syntax: only their treatment of whole arguments is known.
    fn has_rules(&self) -> bool {
        let dialect = self.file.dialect();
        !lispwright_index::has_function_namespace(dialect) && !data_are_names(dialect)
    }

    /// The project defines the name as a macro that the language has not.
    fn is_own_macro(&self, name: Span) -> bool {
        let file = self.file;
        let word = canonical_head(file.dialect(), file.source(name));
        file.dialect().special_form(&word).is_none()
            && file.dialect().standard_operator(&word).is_none()
            && !file.macros(name).is_empty()
    }

    /// The list is written like a method: a name, a vector of parameters, and code.
    fn is_method_like(&self, list: ListId) -> bool {
        let second = self.file.tree.data(list).nth(1).filter(|second| second.list().is_some());
        data_are_names(self.file.dialect()) && second.is_some_and(|second| self.file.core(second).starts_with('['))
    }

    /// All forms around a list take it as code.
    fn is_code(&mut self, list: ListId) -> bool {
        self.file.tree.list(list).parent().is_none_or(|around| self.has_code(around))
    }

    /// A list takes its data as code, and so do all forms around it.
    fn has_code(&mut self, list: ListId) -> bool {
        self.all_around(list, |search| &mut search.known, |search, list| search.passes(list))
    }

    /// It is so of a list and of all around it. What is found out is noted.
    fn all_around(
        &mut self,
        list: ListId,
        notes: impl Fn(&mut Self) -> &mut FxHashMap<ListId, bool>,
        is_so: impl Fn(&Self, ListId) -> bool,
    ) -> bool {
        let mut open = Vec::new();
        let mut next = Some(list);
        let mut are_so = true;
        while let Some(outer) = next {
            if let Some(known) = notes(self).get(&outer) {
                are_so = *known;
                break;
            }
            open.push(outer);
            next = self.file.tree.list(outer).parent();
        }
        while let Some(outer) = open.pop() {
            are_so = are_so && is_so(self, outer);
            notes(self).insert(outer, are_so);
        }
        are_so
    }

    /// What a list does with its data is known, and it is no argument whose part is not.
    fn passes(&self, list: ListId) -> bool {
        let file = self.file;
        let start = file.tree.list_span(list).start;
        let around = file.tree.list(list).parent();
        if file.facts.unclear.binary_search(&start).is_ok()
            || around.is_some_and(|around| file.goes_to_unknown(around, start))
        {
            return false;
        }
        let Some(head) = file.tree.data(list).next().filter(|head| head.list().is_none()) else { return true };
        let span = file.tree.core_span(head);
        if self.methods.contains(&span.start) {
            return true;
        }
        let word = file.source(span).to_ascii_lowercase();
        let used = self.uses.get(&span.start).or_else(|| self.places.get(&span.start));
        if self.expects(&word) && !used.is_some_and(|used| self.is_plain_function(*used, &word)) {
            return false;
        }
        if file.facts.calls.binary_search(&start).is_err() {
            return self.is_understood(list, head, &word) && !(self.has_rules() && self.is_own_macro(span));
        }
        match used {
            // The macros of the language that take anything but code are special forms of the tables.
            Some(used) => {
                let operator = file.operator(*used);
                let is_of_language =
                    |one: &StandardOperator| one.origin.has(Implementations::ALL) || file.has_table(span, one);
                operator.is_function()
                    || matches!(&operator, Operator::Standard(standard) if is_of_language(standard))
                    || file.dialect().standard_operator(&word).is_some_and(|standard| is_of_language(&standard))
                    || file.is_of_host(span)
                    || matches!(operator, Operator::Unknown) && self.asserts(&word)
            }
            None => file.is_local_function(span) || file.is_operator(span) || file.is_of_host(span),
        }
    }

    /// The word is that of a form in which errors are expected, or code is not run.
    fn expects(&self, word: &str) -> bool {
        let dialect = self.file.dialect();
        let is_standard = || dialect.is_standard(&canonical_symbol(dialect, &canonical_head(dialect, word)));
        EXPECTS.iter().any(|part| word.contains(part)) && (word == "ignore-errors" || !is_standard())
    }

    /// A function of the project evaluates its arguments, whatever its name is like, unless tests are written with it.
    fn is_plain_function(&self, used: Use, word: &str) -> bool {
        !TESTS.iter().any(|part| word.contains(part)) && self.file.operator(used).is_function()
    }

    /// The macro of a test framework runs its arguments.
    fn asserts(&self, word: &str) -> bool {
        let plain = word.rsplit([':', '/']).next().unwrap_or(word);
        call_words(self.file.dialect()).asserts.contains(&plain)
    }

    /// The list is the name of a test with its options.
    fn is_test_name(&self, list: ListId, around: ListId) -> bool {
        self.file.tree.data(around).nth(1).and_then(Datum::list) == Some(list)
            && self.head(around).is_some_and(|head| head.contains("test") && self.asserts(&head))
    }

    /// A list that is no call takes its data as the index knows: it is no data itself, nor a macro that adds arguments to
    /// them.
    fn is_understood(&self, list: ListId, head: Datum, word: &str) -> bool {
        let file = self.file;
        let is_text =
            matches!(file.tree.kind(head.core), TokenKind::String) || word.starts_with(|c: char| c.is_ascii_digit());
        let start = file.tree.list_span(list).start;
        if is_text && file.facts.no_forms.binary_search(&start).is_err() {
            return false;
        }
        let is_special = file.dialect().special_form(&canonical_head(file.dialect(), word)).is_some();
        let is_threading =
            word.starts_with("->") || word.starts_with("--") || word.ends_with("->") || word.ends_with("->>");
        is_special || !(is_threading || word.contains("match"))
    }
}
