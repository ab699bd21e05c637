//! The grammars, followed by decoders, against the reader.
//!
//! There are two decoders: llguidance itself for Lark ([`lark`]), and for GBNF a machine built after llama.cpp's
//! description of it ([`gbnf`]). They have to agree with the reader on every text: they accept balanced texts and
//! reject broken ones. The texts are the corpus in `target/corpus` (or in `LISPWRIGHT_CORPUS`), which `cargo xtask
//! corpus` fetches, each file whole, with one delimiter removed, and with one added ([`real`]); every character after
//! `#` ([`dispatch`]); single forms ([`form`]); and random strings of difficult pieces ([`random`]).
//!
//! Decoders are slow, so a fixed part of the corpus is tested; with `LISPWRIGHT_WHOLE_CORPUS` set it is all of it.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod dispatch;
mod form;
mod gbnf;
mod lark;
mod random;
mod real;

use lispwright_grammar::{Format, Start, grammar};
use lispwright_syntax::{Dialect, read_plain};

/// A decoder that follows a grammar.
trait Decoder {
    fn accepts(&mut self, text: &str) -> bool;
}

/// Both decoders for a dialect, with their names.
fn decoders(dialect: Dialect, start: Start) -> [(&'static str, Box<dyn Decoder>); 2] {
    let lark = lark::Llguidance::new(&grammar(dialect, start, Format::Lark));
    let gbnf = gbnf::Machine::new(&grammar(dialect, start, Format::Gbnf));
    [("lark", Box::new(lark)), ("gbnf", Box::new(gbnf))]
}

fn is_sound(text: &str, dialect: Dialect) -> bool {
    read_plain(text, dialect).diagnostics().is_empty()
}
