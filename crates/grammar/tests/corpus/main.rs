//! Real Lisp, followed by the decoders that the grammars are made for.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::time::Instant;

use lispwright_grammar::{Format, Start, grammar};
use lispwright_syntax::{Dialect, read};
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::ApproximateTokEnv;
use llguidance::{Matcher, ParserFactory};

#[test]
fn probe() {
    let dialect = Dialect::from_name(&std::env::var("D").unwrap()).unwrap();
    let text = grammar(dialect, Start::File, Format::Lark);
    println!("{text}");
    println!("{}", grammar(dialect, Start::File, Format::Gbnf));
    let env = ApproximateTokEnv::single_byte_env();
    let mut factory = ParserFactory::new_simple(&env).unwrap();
    factory.quiet();
    let fresh = Matcher::new(factory.create_parser(TopLevelGrammar::from_lark(text)));
    println!("{:?}", fresh.get_error());
    let (mut bytes, mut files, mut bad) = (0, 0, 0);
    let start = Instant::now();
    for file in std::fs::read_to_string(std::env::var("L").unwrap()).unwrap().lines() {
        let text = std::fs::read(Path::new(file)).unwrap();
        if std::str::from_utf8(&text).is_err() || !read(&text, dialect).diagnostics().is_empty() {
            continue;
        }
        let tokens: Vec<u32> = text.iter().map(|&b| u32::from(b)).collect();
        let mut matcher = fresh.deep_clone();
        let got = matcher.try_consume_tokens(&tokens);
        files += 1;
        bytes += text.len();
        let ok = matches!(got, Ok(n) if n == text.len()) && matcher.is_accepting().unwrap_or(false);
        if !ok {
            bad += 1;
            let at = got.as_ref().copied().unwrap_or(0);
            println!(
                "{file}: {got:?} {:?}",
                String::from_utf8_lossy(&text[at.saturating_sub(40)..(at + 20).min(text.len())])
            );
        }
    }
    println!("{files} files {bytes} bytes {bad} bad, {:?}", start.elapsed());
}
