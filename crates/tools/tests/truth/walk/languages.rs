//! The languages of walks.

pub(crate) mod chez;
pub(crate) mod clojure;
pub(crate) mod common_lisp;
pub(crate) mod emacs;
pub(crate) mod guile;
pub(crate) mod racket;
