//! A grammar of each dialect, for decoders that let a model write only what the grammar allows.
//!
//! Text that follows the grammar is text in which the reader finds no fault: every delimiter is closed by its own,
//! every string and comment ends, every prefix has its datum. The grammar is made from the tables of the reader.
//!
//! [`model`] has the parts of a grammar, [`dialect`] makes one from the tables of a dialect, where the syntax after `#`
//! is given by [`pattern`]s. [`lark`] and [`gbnf`] write it down. The difference between the two is a lexer: llguidance
//! has one that takes the longest token, llama.cpp has none, so for it [`adjacency`] works into the rules which tokens
//! may come directly after which.

mod adjacency;
mod chars;
mod dialect;
mod expr;
mod gbnf;
mod lark;
mod model;
mod pattern;

use lispwright_syntax::Dialect;

/// The form of a model's whole output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Any number of data, as in a source file.
    #[default]
    File,
    /// Exactly one datum, with white space and comments around it.
    Form,
}

/// The notation of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lark as llguidance understands it: terminals are regular expressions, and a lexer takes the longest.
    Lark,
    /// GBNF, the grammars of llama.cpp: rules down to single characters.
    Gbnf,
}

/// The grammar of `dialect`, ready for a decoder.
///
/// Syntax that a context-free grammar cannot express is left out and stays forbidden: Scheme's here-strings, the
/// skipped bytes of compiled Emacs Lisp, a script header that reads as a comment only because nothing closes it.
pub fn grammar(dialect: Dialect, start: Start, format: Format) -> String {
    let grammar = dialect::of(dialect, start);
    match format {
        Format::Lark => lark::write(&grammar),
        Format::Gbnf => gbnf::write(&grammar),
    }
}
