//! The search hints of tools, for clients that load tools on demand.
//!
//! Claude Code shows a model the names of tools only, and searches names, descriptions and these hints when the model
//! asks for a tool by a word. The hints are people's words for a tool's purpose that its name and description lack.

use rmcp::model::MetaObject;
use serde_json::{Map, Value};

/// The words that lead to a tool; those that are in the prompt from the start need none.
const WORDS: &[(&str, &str)] = &[
    ("lisp_read_form", "defun function definition sexp"),
    ("lisp_patch_form", "edit function str_replace"),
    ("lisp_check_parens", "parentheses parens balance brackets"),
    ("lisp_search", "grep find text pattern"),
    ("lisp_edit_batch", "edit several files refactor"),
    ("lisp_change_signature", "refactor parameter argument add remove reorder arity"),
    ("lisp_rewrite", "refactor codemod replace pattern structural"),
    ("lisp_rename", "refactor symbol"),
    ("lisp_undo", "revert restore back redo"),
    ("code_map", "overview architecture"),
    ("docs_lookup", "documentation reference clhs hyperspec info docstring"),
    ("repl_eval", "run code sbcl guile racket clojure emacs scheme"),
    ("repl_control", "debugger backtrace swank nrepl connect"),
    ("load_system", "asdf quickload compile require"),
    ("run_tests", "unit test fiveam ert srfi-64"),
];

/// The tools that begin a task: these are in the prompt from the start.
const ALWAYS: &[&str] = &["lisp_read_file", "lisp_edit_form"];

/// The `_meta` of a tool, if it has hints.
pub(crate) fn meta(tool: &str) -> Option<MetaObject> {
    let mut meta = Map::new();
    if let Some((_, words)) = WORDS.iter().find(|(name, _)| *name == tool) {
        meta.insert("anthropic/searchHint".to_owned(), Value::from(*words));
    }
    if ALWAYS.contains(&tool) {
        meta.insert("anthropic/alwaysLoad".to_owned(), Value::from(true));
    }
    (!meta.is_empty()).then(|| meta.into())
}
