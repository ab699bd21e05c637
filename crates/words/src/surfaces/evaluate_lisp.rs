//! The surface `evaluate-lisp`: one tool that evaluates, and blocks of text as its answer.

use lispwright_tools::LiveAnswer;
use lispwright_tools::eval_answer::EvalAnswer;

use super::{Called, SurfaceCall, SurfaceTerms, with_warnings};
use crate::evaluated;
use crate::terms::Terms;
use crate::{Rendering, Skin};

/// The names of the surface.
pub static TERMS: SurfaceTerms = SurfaceTerms {
    terms: Terms {
        eval: "evaluate-lisp",
        load: "load-system",
        tests: "evaluate-lisp",
        inspect: "evaluate-lisp",
        ..Terms::TOOLS
    },
    calls: &[
        SurfaceCall::plain("repl_eval", "evaluate-lisp", &[("code", "code"), ("package", "package")]),
        SurfaceCall::plain("load_system", "load-system", &[("system", "system")]),
        SurfaceCall::plain("code_describe", "describe-symbol", &[("symbol", "symbol"), ("package", "package")]),
        SurfaceCall::plain("docs_lookup", "search-documentation", &[("query", "query")]),
        SurfaceCall::plain("macroexpand", "macroexpand-form", &[("code", "form"), ("package", "package")]),
        SurfaceCall { tool: "repl_control", name: "reset-session", implied: &[("action", "reset")], arguments: &[] },
    ],
};

/// `evaluate-lisp`: blocks with an empty line between them, warnings in that of standard error.
pub fn evaluated(called: Called<'_>, rendering: &mut Rendering) {
    if let Some(LiveAnswer::Evaluated(answer)) = called.live() {
        rendering.text = blocks(answer);
    }
}

fn blocks(answer: &EvalAnswer) -> String {
    let printed = |title: &str, text: &str| {
        let text = text.trim_start_matches('\n').trim_end();
        if text.is_empty() { String::new() } else { format!("{title}\n{text}") }
    };
    let rest = evaluated::rest_text(answer, Skin::Surface(&TERMS));
    let rest = ["[Restarts]", "[Backtrace]"]
        .iter()
        .fold(rest, |rest, title| rest.replace(&format!("\n{title}\n"), &format!("\n\n{title}\n")));
    let blocks = [
        printed("[stdout]", &answer.stdout),
        printed("[stderr]", &with_warnings(&answer.stderr, &answer.told_warnings)),
        evaluated::values_text(answer, "=> ").trim_end().to_owned(),
        rest.trim_end().to_owned(),
    ];
    blocks.into_iter().filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n\n")
}
