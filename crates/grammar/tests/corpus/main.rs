//! The grammars, followed by decoders, against the reader.
//!
//! Two decoders: llguidance itself for Lark ([`lark`]), and for GBNF a machine built after llama.cpp's description of
//! it ([`gbnf`]). On every text they have to agree with the reader: what it finds balanced they accept, what it finds
//! broken they reject. The texts are the corpus in `target/corpus` (or in `LISPWRIGHT_CORPUS`), which `cargo xtask
//! corpus` fetches, each file whole, with one delimiter removed, and with one added ([`real`]); everything that can
//! stand behind `#` ([`dispatch`]); single forms ([`form`]); and random strings of difficult pieces ([`random`]).
//!
//! Decoders are slow, so a fixed part of the corpus is taken; with `LISPWRIGHT_WHOLE_CORPUS` set it is all of it.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod dispatch;
mod form;
mod gbnf;
mod lark;
mod random;
mod real;

use lispwright_grammar::{Format, Start, grammar};
use lispwright_syntax::{Dialect, read_plain};

/// Something that follows a grammar.
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
