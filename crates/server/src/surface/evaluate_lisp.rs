//! The names of cl-mcp-server, whose main tool is `evaluate-lisp`.

use lispwright_words::surfaces::evaluate_lisp;

use super::{SurfaceRow, row};

pub(super) const ROWS: &[SurfaceRow] = &[
    row("evaluate-lisp", "code* package").answers(evaluate_lisp::evaluated, ""),
    row("load-system", "system*"),
    row("describe-symbol", "symbol* package"),
    row("search-documentation", "query*"),
    row("macroexpand-form", "form* package"),
    row("reset-session", "").said("Give the session a fresh image."),
];
