//! What the forms of one dialect alone need: a file for each.

mod clojure;
mod emacs_lisp;
