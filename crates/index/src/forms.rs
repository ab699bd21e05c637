//! Code for the forms of single dialects, one file for each.

mod clojure;
mod emacs_lisp;
mod scheme;
