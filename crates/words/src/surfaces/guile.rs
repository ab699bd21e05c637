//! The surface `guile`: a structural tool set for Scheme, described by signatures.
//!
//! Its document gives the fields of two answers, of a check and of a search for references; the others are described in
//! words only.

use lispwright_syntax::fenced;
use lispwright_tools::facts::DiagnosisFacts;
use lispwright_tools::{Answer, LiveAnswer};
use serde_json::{Value, json};

use super::{Called, SurfaceCall, SurfaceTerms, or_null, set};
use crate::Rendering;
use crate::terms::Terms;

/// The names of the surface.
pub static TERMS: SurfaceTerms = SurfaceTerms {
    terms: Terms {
        content: "`new_source`",
        delete: "delete_form",
        insert: "insert_form",
        insert_before: "insert_form",
        append: "A write tool of your own",
        outline: "read_module",
        read: "read_form",
        read_all: "read_form",
        patch: "replace_form",
        check: "check_syntax",
        edit: "replace_form",
        eval: "eval_expr",
        load: "load_module",
        tests: "eval_expr",
        inspect: "eval_expr",
        ..Terms::TOOLS
    },
    calls: &[
        SurfaceCall::plain(
            "lisp_read_file",
            "read_module",
            &[
                ("path", "path"),
                ("collapsed", "collapsed"),
                ("name_pattern", "name_pattern"),
                ("content_pattern", "content_pattern"),
                ("offset", "offset"),
                ("limit", "limit"),
            ],
        ),
        SurfaceCall::plain("lisp_read_form", "read_form", &[("path", "path"), ("name", "name"), ("line", "line")]),
        SurfaceCall::plain(
            "lisp_check_parens",
            "check_syntax",
            &[("path", "source_or_path"), ("code", "source_or_path"), ("dialect", "dialect")],
        ),
        SurfaceCall::plain("repl_eval", "eval_expr", &[("code", "expr"), ("package", "namespace")]),
        SurfaceCall::plain(
            "code_find_references",
            "find_references",
            &[("symbol", "symbol"), ("path", "path_or_module")],
        ),
        SurfaceCall::plain(
            "code_exports",
            "list_module_exports",
            &[("path", "path"), ("offset", "offset"), ("limit", "limit")],
        ),
        SurfaceCall::plain("macroexpand", "macro_expand", &[("code", "expr"), ("package", "namespace")]),
        SurfaceCall::plain("load_system", "load_module", &[("path", "path")]),
    ],
};

/// `check_syntax`: `{valid, errors, repaired_source}`.
pub fn checked(called: Called<'_>, rendering: &mut Rendering) {
    let Ok(Answer::Checked(answer)) = called.reply else { return };
    let error = |found: &DiagnosisFacts| {
        json!({
            "kind": found.kind,
            "line": found.position.line,
            "column": found.position.column,
            "expected": or_null(found.expected.clone()),
            "found": or_null(found.found.clone()),
            "message": found.message,
        })
    };
    let errors: Vec<Value> = answer.diagnosis.iter().map(error).collect();
    // The facts have no sentences yet; the rendering has.
    let message = rendering.fields.get("message").cloned();
    set(rendering, "valid", answer.ok);
    set(rendering, "errors", errors);
    if let (Some(message), Some(Value::Array(errors))) = (message, rendering.fields.get_mut("errors"))
        && let Some(first) = errors.first_mut()
    {
        first["message"] = message;
    }
    rendering.fields.entry("repaired_source").or_insert(Value::Null);
}

/// `replace_form` and `insert_form`: the source as it was written, if it was repaired.
pub fn edited(called: Called<'_>, rendering: &mut Rendering) {
    let Ok(Answer::Edited(answer)) = called.reply else { return };
    if answer.repair.is_some() {
        set(rendering, "repaired_source", answer.texts.after.as_str());
        rendering.text.push_str(&format!("\nThe form is now:\n{}", fenced(&answer.texts.after)));
    }
}

/// `eval_expr`: the value besides the values.
pub fn evaluated(called: Called<'_>, rendering: &mut Rendering) {
    if let Some(LiveAnswer::Evaluated(answer)) = called.live()
        && let Some(last) = answer.values.first()
    {
        set(rendering, "value", last.as_str());
    }
}

/// `find_references`: `{form_name, path, line, context_snippet}` for each hit.
pub fn referred(called: Called<'_>, rendering: &mut Rendering) {
    let Some(LiveAnswer::Referred(answer)) = called.live() else { return };
    let mut hits = Vec::new();
    for mention in &answer.refs {
        for site in &mention.call_sites {
            let context = if site.context.is_empty() { mention.context.clone() } else { Some(site.context.clone()) };
            hits.push(json!({
                "form_name": mention.form_name,
                "path": or_null(mention.path.clone()),
                "line": or_null(site.line.or(mention.line)),
                "column": or_null(site.column),
                "kind": site.kind,
                "context_snippet": or_null(context),
            }));
        }
    }
    set(rendering, "refs", hits);
}
