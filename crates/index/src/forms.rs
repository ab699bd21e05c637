//! Code for the forms of single dialects, one file for each.

mod chez;
mod clojure;
mod emacs_lisp;
pub(crate) mod racket;
mod racket_class;
mod racket_syntax;
mod scheme;

pub(crate) use racket_syntax::variable_of_pattern;
