//! A name that nobody defines.

mod elsewhere;
mod provided;

use lispwright_index::{Import, LibraryNames, Owner, Referent, Space, Symbol, Use, UseKind};
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{
    Dialect, FormKind, OperatorKind, Span, SpecialForm as F, StandardOperator, TokenKind, nearest,
};

use crate::calls::is_rebound;
use crate::dialects::{NameWords, call_words};
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::host::is_class;
use crate::identity::{near_it, nearest_of};
use crate::makers::Makers;
use crate::misspelt::is_within_word;
use crate::names::Sort;
use crate::operators::Operator;
use crate::rule::{About, Example, Rule};

/// A name that nobody defines.
pub(crate) struct UndefinedName;

static ABOUT: About = About {
    code: "undefined-name",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Racket, Dialect::Clojure, Dialect::EmacsLisp],
    what: "Code uses a name that nobody defines: a function that is called, a variable, a name of another module or namespace, \
           or one that a package does not export.",
    why: "It fails when it is read, loaded or run. It is told only where everything that could define the name is known: no \
          macro or reader macro of which nothing is known, nor a module, unless the name is a slip of the hand away from one that \
          is there. What modules of Racket export the installed Racket says; without it only slips are told. In Emacs Lisp, where any library can define it, it is told \
          if it has the prefix of its file, is a slip of the hand away from a name that is there, or is a word without a \
          hyphen in a file that loads nothing unknown.",
    examples: &[
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(defn statement [x] x)\n(defn f [x] (statment x))\n",
            right: "(ns shop.core)\n(declare total)\n(defn statement [x] x)\n(defn f [x] (statement (total x)))\n\
                    (defn g [x]\n  (let #?(:clj [amount (inc x)] :cljs [amount (dec x)])\n    (list amount)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core (:require [clojure.string :as str]))\n(defn f [x] (str/joins \",\" x))\n",
            right: "(ns shop.core (:require [clojure.string :as str]))\n(defn f [x] (str/join \",\" x))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defpackage :shop (:use :cl) (:export #:total))\n(defpackage :app (:use :cl))\n(in-package :app)\n\
                    (defun f (x) (shop:totl x))\n",
            right: "(defpackage :shop (:use :cl) (:export #:total))\n(defpackage :app (:use :cl))\n(in-package :shop)\n\
                    (defun total (x) x)\n(in-package :app)\n(defun f (x) (shop:total x))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defpackage :shop (:use :cl) (:export #:total))\n(defpackage :app (:use :cl))\n(in-package :shop)\n\
                    (defun total (x) x)\n(in-package :app)\n(defun f (x) (total x))\n",
            right: "(defpackage :shop (:use :cl) (:export #:total))\n(defpackage :app (:use :cl :shop))\n(in-package :shop)\n\
                    (defun total (x) x)\n(in-package :app)\n(defun f (x) (total x))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defun statement (x) x)\n(defun f (x) (statment x))\n",
            right: "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defun statement (x) x)\n(defun f (x) (statement x))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defun total (items)\n  (loop for item in itmes sum item))\n",
            right: "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defvar *rate* 2)\n\
                    (defmacro aif (test then) `(let ((it ,test)) (if it ,then)))\n(defmacro jump (tag) `(go ,tag))\n\
                    (defun again (x) (prog () top (if x (jump top))))\n\
                    (defun total (items)\n  (declare (special currency))\n  (restart-case (aif items (list it *rate* currency))\n\
                        (leave () nil)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define-module (shop))\n(define (total items) (fold + 0 items))\n",
            right: "(define-module (shop) #:use-module ((srfi srfi-1) #:select (fold)))\n(define (total items) (fold + 0 items))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define-module (shop) #:use-module (srfi srfi-1))\n(define (total items) (fold + 0 itmes))\n",
            right: "(define-module (shop) #:use-module (srfi srfi-1))\n(define (total items)\n  (define rate 2)\n\
                      (sigaction SIGINT #f)\n  (fold + rate (map (@ (ice-9 match) match:error) items)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define-module (shop) #:use-module (srfi srfi-1))\n(define (statement x) x)\n(define (f x) (statment x))\n",
            right: "(define-module (shop) #:use-module (srfi srfi-1))\n(define (statement x) x)\n(define (f x) (statement (first x)))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(require shop/parts)\n(define (statement items) (apply + items))\n\
                    (define (report items) (displayln (statment items)))\n",
            right: "#lang racket\n(require shop/parts)\n(define (statement items) (apply + items))\n\
                    (define (report items) (displayln (statement (other items))))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket/base\n(require racket/list)\n(define (report items) (string-join (rest items) \",\"))\n",
            right: "#lang racket/base\n(require racket/list racket/string)\n(define (report items) (string-join (rest items) \",\"))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; example.el -*- lexical-binding: t -*-\n(defun example-statement (x) x)\n(defun example-f (x) (example-statment x))\n",
            right: ";;; example.el -*- lexical-binding: t -*-\n(defun example-statement (x) x)\n(defun example-f (x) (example-statement x))\n\
                    (defclass example-thing () nil)\n(defun example-g (x) (example-thing-p x))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; example.el -*- lexical-binding: t -*-\n(defun example-names (things)\n  (mapcar #'car thigns))\n",
            right: ";;; example.el -*- lexical-binding: t -*-\n(require 'other)\n(defun example-names (things)\n\
                      (mapcar #'car (others things other-list fill-column)))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; example.el -*- lexical-binding: t -*-\n(defun example-total (items)\n  (apply #'+ prices items))\n",
            right: ";;; example.el -*- lexical-binding: t -*-\n(defvar prices)\n(defun example-total (items)\n\
                      (apply #'+ prices items))\n",
        },
    ],
};

impl Rule for UndefinedName {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn needs_project(&self) -> bool {
        true
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let words = &call_words(file.dialect()).names;
        let mut search = Search { file, words, makers: Makers::of(file) };
        for used in file.uses().filter(|used| !used.hidden) {
            if let Some(message) = search.of_elsewhere(*used) {
                findings.add(used.span(), message);
            }
        }
        for call in file.calls().iter().filter(|call| matches!(call.operator, Operator::Unknown)) {
            if let Some(message) = search.of_here(call.name, Sort::Function).filter(|_| !is_rebound(file, call.name)) {
                findings.add(call.name, message);
            }
        }
        for call in file.calls().iter().filter(|call| matches!(call.operator, Operator::Standard(_))) {
            if let Some(message) = search.of_module(call.name, false).filter(|_| !is_rebound(file, call.name)) {
                findings.add(call.name, message);
            }
        }
        for used in file.uses().filter(|used| used.kind == UseKind::Method && file.is_specializer(used.span())) {
            if let Some(message) = search.of_here(used.span(), Sort::Class) {
                findings.add(used.span(), message);
            }
        }
        for at in if words.by_macros { search.provided() } else { Vec::new() } {
            if let Some(message) = search.of_provided(at) {
                findings.add(at, message);
            }
        }
        if !words.judges_variables {
            return;
        }
        let values = file.values();
        for used in values.places.iter().chain(&values.functions) {
            if let Some(message) =
                search.of_here(used.span(), Sort::Function).filter(|_| !is_rebound(file, used.span()))
            {
                findings.add(used.span(), message);
            }
        }
        for used in &values.likely {
            let sort = if used.kind == UseKind::Call { Sort::Function } else { Sort::Variable };
            let message = search.of_slip(used.span(), sort).filter(|_| !file.may_be_bound(used.span()));
            if let Some(message) = message {
                findings.add(used.span(), message);
            }
        }
        for used in &values.variables {
            let message = search.of_here(used.span(), Sort::Variable).or_else(|| search.of_module(used.span(), true));
            if let Some(message) = message.filter(|_| !file.may_be_bound(used.span())) {
                findings.add(used.span(), message);
            }
        }
    }
}

/// Shorter names are a letter away from names of packages and modules that are not known.
const FEWEST_LETTERS: usize = 5;

/// A search for names that nobody defines.
struct Search<'f, 'q, 'i> {
    file: &'f File<'q, 'i>,
    words: &'static NameWords,
    /// What may define names beside what the index knows.
    makers: Makers<'f, 'q, 'i>,
}

impl<'i> Search<'_, '_, 'i> {
    /// What is wrong with a use of a name of another space of the project.
    fn of_elsewhere(&mut self, used: Use) -> Option<String> {
        let (file, question) = (self.file, self.file.question);
        let written = file.source(used.span());
        let owner = file.facts.owner_of(used);
        let (space, is_exported) = match owner {
            // Where a reader interns names, what is imported by name need not be exported.
            Some(Owner::Space { name, is_exported })
                if used.kind == UseKind::Export && (!self.words.has_exports || self.words.separator.is_none()) =>
            {
                (name.clone(), *is_exported)
            }
            Some(_) => return None,
            None => {
                let is_symbol = !written.starts_with(['#', ':', '"', '|']);
                let separator = written.find(self.words.separator?);
                let separator = separator.filter(|at| is_symbol && *at > 0 && at + 1 < written.len())?;
                let (Referent::Is(symbol) | Referent::Unknown(symbol)) = question.meaning(file.document, used);
                let is_external = self.words.separator == Some(":") && !written[separator..].starts_with("::");
                (symbol.space, is_external)
            }
        };
        if self.words.by_macros && !file.is_of_module(used.span()) {
            return None;
        }
        if matches!(used.kind, UseKind::Template | UseKind::Definition | UseKind::Method) && !is_exported {
            return None;
        }
        if used.kind == UseKind::Quoted && !is_exported {
            return None;
        }
        if self.words.closed.contains(&space.as_str()) && !question.has_space(&space) {
            return self.of_language(used, &space);
        }
        if let Some(all) = question.library_exports(&space).filter(|_| is_exported) {
            return self.of_installed(used, &space, &all);
        }
        // A name that a space gives out under another is no name of its own.
        let home = file.document.facts.space_at(used.start);
        // What a file qualifies with the space that it is in is a name of that, unless it can be had from elsewhere.
        let is_own = space == home && (owner.is_some() || self.words.has_exports);
        if is_own || !question.has_space(&space) || self.file.is_in_branch(used.span()) {
            return None;
        }
        let (Referent::Is(symbol) | Referent::Unknown(symbol)) = question.meaning(file.document, used);
        let is_judged = self.words.by_macros && is_exported;
        if !is_judged && (question.defines(&symbol) || !question.definitions(&symbol).is_empty()) {
            return None;
        }
        let name = symbol.name.trim_start_matches("map->").trim_start_matches("->").trim_end_matches('.').to_owned();
        // What is imported and begins with a capital may be a class of Java.
        let is_class = !self.words.has_exports && name.starts_with(|first: char| first.is_uppercase());
        if is_class && used.kind == UseKind::Export {
            return None;
        }
        if name.is_empty() || name.contains('.') || question.imports_of(&space).any(|import| import.is_conditional) {
            return None;
        }
        if self.words.has_exports {
            // What is not exported cannot be had, whether or not it is defined.
            // One of several definitions of the space may give out another name under this one.
            let plain = lispwright_index::plain_name(file.dialect(), written);
            let is_given = |name: &str| question.gives_out(&space, name) != Some(false);
            if !is_exported || is_given(&symbol.name) || plain.is_some_and(|name| is_given(&name)) {
                return None;
            }
            let is_certain = match self.words.by_macros {
                true => self.gives_not_out(&space, &symbol.name),
                false => self.makers.exports_are_written(&space),
            };
            if !is_certain {
                return None;
            }
            let (word, space) = (self.words.space_word, file.space_text(&space));
            return Some(format!("{word} `{space}` does not export `{}`", symbol_text(written)));
        }
        // What the other space has from elsewhere is no name of its own.
        if self.makers.may_define(&space, &name) || file.quotes(&name) {
            return None;
        }
        let near = self.near(&space, &name);
        Some(format!("{} `{space}` defines no `{name}`{near}", self.words.space_word))
    }

    /// What is wrong with a use of an exported name of a space of a library.
    fn of_installed(&self, used: Use, space: &str, all: &LibraryNames) -> Option<String> {
        let (file, question) = (self.file, self.file.question);
        let (Referent::Is(symbol) | Referent::Unknown(symbol)) = question.meaning(file.document, used);
        if all.contains(&symbol.name) || question.defines(&symbol) || self.file.is_in_branch(used.span()) {
            return None;
        }
        let near = nearest(&symbol.name, all.iter().map(String::as_str), 1);
        let near = near.first().map(|near| lispwright_index::spelled(file.dialect(), near));
        let near = near.map_or_else(String::new, |near| near_it(&near));
        let name = symbol_text(file.source(used.span()));
        let (word, space) = (self.words.space_word, file.space_text(space));
        Some(format!("{word} `{space}` does not export `{name}`{near}"))
    }

    /// What is wrong with a use of a name of a space of the language.
    fn of_language(&self, used: Use, space: &str) -> Option<String> {
        let file = self.file;
        let written = file.source(used.span());
        let name = written.rsplit('/').next()?;
        let is_plain = name.starts_with(|first: char| first.is_lowercase()) && !name.ends_with(['.', '#']);
        let is_code = matches!(used.kind, UseKind::Call | UseKind::Value | UseKind::Export);
        if !is_plain || !is_code || !file.is_of_platform(used.span()) || self.file.is_in_branch(used.span()) {
            return None;
        }
        let prefix = format!("{space}/");
        let dialect = file.dialect();
        if dialect.standard_operator(&format!("{prefix}{name}")).is_some() {
            return None;
        }
        let all = dialect.standard_operators().filter_map(|one| one.strip_prefix(prefix.as_str()));
        let near = nearest_of(name, all);
        Some(format!("{} `{space}` defines no `{name}`{near}", self.words.space_word))
    }

    /// The name is one that is written in full, and is judged.
    fn is_plain(&self, written: &str, is_variable: bool) -> bool {
        let separator = self.words.separator;
        let has_packages = separator == Some(":");
        let is_global = |mark: char| written.len() > 4 && written.starts_with(mark) && written.ends_with(mark);
        let begins = written.starts_with(|first: char| first.is_alphabetic())
            || (has_packages && is_variable && (is_global('*') || is_global('+')))
            || (has_packages && !is_variable && written.starts_with('%'));
        let is_qualified = separator.is_some_and(|separator| written.contains(separator));
        // In Racket, `name:class` is a pattern.
        let is_odd = written.contains(['.', '|', '#', '{', '}', '[', ']', '@', '\\', '$', '\''])
            || (written.contains('%') && !has_packages)
            || (written.contains(':') && self.words.by_macros);
        // Constants of the system are in capitals, and differ from version to version.
        let is_of_system = is_variable
            && separator.is_none()
            && !self.words.by_macros
            && !written.contains(|one: char| one.is_lowercase());
        begins && !is_qualified && !is_odd && !is_of_system && written.chars().count() > 2
    }

    /// The file has strings in three quotes, as a reader macro of some libraries reads them: what is in them is no code.
    fn has_other_strings(&self) -> bool {
        self.words.separator == Some(":") && self.file.text().contains("\"\"\"")
    }

    /// What is wrong with a name without a qualifier: that of a variable, of a function that is called, or of a class.
    fn of_here(&mut self, at: Span, sort: Sort) -> Option<String> {
        let is_variable = sort == Sort::Variable;
        let (file, question) = (self.file, self.file.question);
        let written = file.source(at);
        let words = self.words;
        // Another host of the language has names of its own: only a slip of one that all have is told.
        let is_platform = file.is_of_platform(at);
        if !self.is_plain(written, is_variable)
            || !(is_platform || file.is_hosted())
            || file.platform().is_later
            || file.is_broken(at)
        {
            return None;
        }
        let name = file.name(at);
        let symbol = &name.symbol;
        let spelled = lispwright_index::spelled(file.dialect(), &symbol.name);
        // A variable can have the name of a function where those have a namespace of their own.
        let is_apart = sort.is_apart(file.dialect());
        let is_known = || {
            if is_apart && is_variable {
                return words.others.contains(&spelled) || file.tree.language().is_stated(&spelled);
            }
            file.dialect().standard_operator(&spelled).is_some()
                || file.dialect().special_form(&spelled).is_some()
                || file.tree.language().is_stated(&spelled)
                || file.dialect().is_standard(&spelled)
                || file.dialect().is_standard(&symbol.name)
                || words.others.contains(&spelled)
        };
        let is_own = if is_apart { file.is_sort_of_project(&name, sort) } else { file.is_of_project(&name) };
        if is_own || is_known() || self.has_other_strings() {
            return None;
        }
        let home =
            question.proper(&Symbol { space: file.document.facts.space_at(at.start).to_owned(), ..Symbol::default() });
        let home = home.space;
        // The space can be called like a package of the host, which has the classes that are imported from it.
        let is_of_package = |import: &Import| import.from == home && import.only.is_some();
        if question.imports_of(&home).any(|import| is_of_package(import) && import.theirs(&symbol.name).is_some()) {
            return None;
        }
        // The file itself says where it is.
        let is_declared = |one: &Space| one.name == home && !one.adds;
        let is_whole = words.entries.is_empty() || words.entries.iter().any(|entry| file.text().contains(entry));
        let is_entered =
            is_whole && is_platform && (words.has_exports || file.document.facts.spaces.iter().any(is_declared));
        let mut meant = None;
        let local = || is_variable.then(|| file.meant_local(at, &symbol.name)).flatten();
        if words.by_prefix {
            // All names of a package of Emacs begin with its own.
            let stem = file.document.path.file_stem()?.to_str()?;
            let is_own = |name: &str| name.strip_prefix(stem).is_some_and(|rest| rest.starts_with('-'));
            let has_own = file.facts.definitions.iter().any(|one| is_own(&one.name));
            if is_variable && !file.has_lexical_variables() {
                return None;
            }
            meant = file.meant(at, &symbol.name, is_variable).or_else(local);
            // A macro of another file makes predicates of its names: `shop-item?`.
            // A file that provides nothing may be called like the library that it is about: `autoload/eshell.el`.
            let is_owner = file.provides_itself(stem);
            let is_owned = is_own(&spelled) && has_own && is_owner && !spelled.ends_with('?') && !file.is_of_emacs();
            // An old library gives what `cl-lib` has without the prefix, another one what later versions of Emacs have.
            let gives_words = || {
                let asks = |text: &str, library: &str| text.contains(&format!("(require '{library})"));
                asks(file.text(), "cl") || question.documents().iter().any(|one| asks(&one.text, "compat"))
            };
            let is_lone = file.is_lone_word(&spelled) && !gives_words() && !file.is_of_loader(at);
            if meant.is_none() && !is_owned && !is_lone {
                return None;
            }
        } else if self.is_for_another() {
            return None;
        } else if !(is_entered && self.is_closed(&home, symbol, written)) {
            // A longer name that is used once and is a slip of one that is there is not that of an unknown package or module.
            // A file that enters no module is a part of another, or data.
            let form = file.forms.around(at.start).map(|id| file.forms.get(id).kind);
            let is_code = is_entered
                || !is_platform
                || words.by_macros
                || matches!(form, Some(FormKind::Function | FormKind::Method));
            let is_long = spelled.len() >= FEWEST_LETTERS && is_code;
            let known = match is_long {
                true => file.meant(at, &symbol.name, is_variable),
                false => local().filter(|_| is_code),
            };
            let is_slip = |known: &String| is_within_word(&spelled, known) && !is_class(&spelled);
            meant = Some(known.filter(|known| is_platform || is_slip(known))?);
        }
        if file.list_of(at).is_some_and(|list| file.is_in_clause(list))
            || file.is_option(at)
            || file.quotes(written)
            || self.is_of_library(&home, &symbol.name)
            || self.may_bind(at, written, is_variable)
            || (words.by_macros && meant.is_none() && file.may_be_of_macro(at))
        {
            return None;
        }
        let mut elsewhere = None;
        if self.makers.has_definition(&home, &symbol.name, sort) {
            // Where all that code can have from elsewhere is known, it has not what is there.
            let is_closed = meant.is_none() && !words.by_prefix;
            elsewhere = Some(is_closed.then(|| self.elsewhere(&home, &symbol.name, sort)).flatten()?);
        }
        // What is written once and is a slip of what is there is not what a macro or another platform has.
        let may_be_there = |search: &mut Self| {
            file.is_in_branch(at)
                || file.may_be_assertion(at)
                || search.makers.may_be_made(&symbol.name)
                || search.makers.may_be_computed(&symbol.name)
                || search.makers.may_be_conjured(&home, &symbol.name)
        };
        if may_be_there(self) {
            let known = meant.or_else(|| file.meant(at, &symbol.name, is_variable))?;
            meant = Some(is_within_word(&spelled, &known).then_some(known)?);
        }
        let near = match (meant, elsewhere) {
            (Some(meant), _) => near_it(&meant),
            (None, Some(space)) => {
                format!(" here; {} `{}` does", words.space_word, file.space_text(&space))
            }
            (None, None) => match file.meant(at, &symbol.name, is_variable) {
                Some(meant) => near_it(&meant),
                None => self.near(&home, &symbol.name),
            },
        };
        let what = match sort {
            Sort::Class => "the class ",
            Sort::Variable if is_apart && file.is_of_project(&name) => "the variable ",
            Sort::Variable | Sort::Function => "",
        };
        Some(format!("nobody defines {what}`{written}`{near}"))
    }

    /// What is wrong with a name in what may be data of a macro: it is a slip of one that is there, and written once.
    fn of_slip(&mut self, at: Span, sort: Sort) -> Option<String> {
        let file = self.file;
        let name = file.name(at);
        let spelled = lispwright_index::spelled(file.dialect(), &name.symbol.name);
        if spelled.len() < FEWEST_LETTERS {
            return None;
        }
        let meant = file.meant(at, &name.symbol.name, sort == Sort::Variable)?;
        if !is_within_word(&spelled, &meant) {
            return None;
        }
        self.of_here(at, sort)
    }

    /// What is wrong with a name that modules of the language have, if the code has asked for none of them.
    fn of_module(&mut self, at: Span, is_variable: bool) -> Option<String> {
        let file = self.file;
        let written = file.source(at);
        let name = file.name(at);
        if let [module, ..] = file.racket_modules_with(at)
            && self.words.by_macros
        {
            let home = file.document.facts.space_at(at.start).to_owned();
            let is_judged = file.definitions(&name).is_empty()
                && !file.is_broken(at)
                && !self.makers.may_define(&home, written)
                && !file.is_in_branch(at)
                && !self.may_bind(at, written, is_variable);
            return is_judged.then(|| format!("nobody defines `{written}` here; module `{module}` does"));
        }
        let [module, ..] = file.modules_with(at) else { return None };
        if file.is_of_project(&name) {
            return None;
        }
        let home = file.document.facts.space_at(at.start).to_owned();
        let is_declared = |one: &Space| one.name == home && !one.adds;
        let is_judged = file.document.facts.spaces.iter().any(is_declared)
            && name.symbol.space == home
            && self.imports_are_known(&home)
            && !file.is_imported(&home, written)
            && !self.makers.may_define(&home, written)
            && !file.is_in_branch(at)
            && !self.may_bind(at, written, is_variable);
        is_judged.then(|| format!("nobody defines `{written}` here; module `{module}` does"))
    }

    /// The name of the file, or of its directory, is that of an implementation whose names are not in the table.
    fn is_for_another(&self) -> bool {
        let path = self.file.document.path.to_string_lossy();
        let mut words = path.rsplit('/').take(2).flat_map(|part| part.split(['-', '_', '.']));
        words.any(|word| self.words.hosts.iter().any(|host| host.eq_ignore_ascii_case(word)))
    }

    /// A macro around the place may bind the name: it is written elsewhere in the form, too. Or a body around it defines it.
    fn may_bind(&self, at: Span, written: &str, is_variable: bool) -> bool {
        let file = self.file;
        let lists = file.lists_around(at);
        let outermost = file.lists_around(at).last();
        let definitions = [format!("(define ({written}"), format!("(define {written}"), format!("((setf {written})")];
        let is_defined = |list| definitions.iter().any(|one| file.source(file.tree.list_span(list)).contains(one));
        if outermost.is_some_and(is_defined) {
            return true;
        }
        lists.skip(usize::from(!is_variable)).any(|list| {
            let Some(head) = file.tree.data(list).next().filter(|head| head.list().is_none()) else { return false };
            let head = file.tree.core_span(head);
            let word = canonical_head(file.dialect(), file.source(head));
            // What is threaded to the end of a form is in what that binds.
            let special = file.dialect().special_form(&word);
            let is_threading = matches!(special, Some(F::Threading | F::ThreadingIf { first: false }));
            // Macros of which the table has only the names may bind, where it has so many.
            let is_clear = |one: &StandardOperator| one.kind == OperatorKind::Function || !self.words.by_macros;
            let is_standard = file.dialect().standard_operator(&word).as_ref().is_some_and(is_clear);
            if !is_threading && (special.is_some() || is_standard) {
                return false;
            }
            let span = file.tree.list_span(list);
            let atoms = file.tree.tokens_within(span).filter(|(kind, _)| *kind == TokenKind::Atom);
            atoms.filter(|(_, span)| file.source(*span).eq_ignore_ascii_case(written)).count() > 1
        })
    }
}

/// A name without its package.
fn symbol_text(written: &str) -> &str {
    written.rsplit(':').next().filter(|end| !end.is_empty()).unwrap_or(written)
}
