//! What the clients of the crowd do: each tool at least once, with what its answer has to say.

use serde_json::{Value, json};

/// A call whose answer is always the same.
pub(crate) struct Deed {
    pub(crate) tool: &'static str,
    arguments: fn() -> Value,
    /// Words of the answer.
    pub(crate) says: &'static str,
    /// It needs the image of a session, which somebody may kill.
    pub(crate) is_live: bool,
}

impl Deed {
    /// The arguments, with the session of a client if there is an image.
    pub(crate) fn arguments(&self, session: &str) -> Value {
        let mut arguments = (self.arguments)();
        if self.is_live {
            arguments["session"] = session.into();
        }
        arguments
    }
}

const fn reads(tool: &'static str, says: &'static str, arguments: fn() -> Value) -> Deed {
    Deed { tool, arguments, says, is_live: false }
}

const fn live(tool: &'static str, says: &'static str, arguments: fn() -> Value) -> Deed {
    Deed { tool, arguments, says, is_live: true }
}

/// The calls. A tool without a row fails the test; so a new one needs a row here, or one among [`ELSEWHERE`].
pub(crate) const DEEDS: &[Deed] = &[
    reads("lisp_read_file", "area", || json!({ "path": "area.lisp" })),
    reads("lisp_read_form", "(* 3 r r)", || json!({ "path": "area.lisp", "name": "area" })),
    reads("lisp_check_parens", "balanced", || json!({ "code": "(a (b))", "dialect": "common-lisp" })),
    reads("lisp_search", "area", || json!({ "pattern": "3 r", "path": "area.lisp" })),
    reads("code_find", "area.lisp:", || json!({ "symbol": "area" })),
    reads("code_describe", "area", || json!({ "symbol": "area" })),
    reads("code_find_references", "volume", || json!({ "symbol": "area", "path": "area.lisp" })),
    reads("code_map", "crowd.asd", || json!({})),
    reads("code_exports", "area", || json!({ "path": "package.lisp" })),
    reads("docs_lookup", "f_car_c", || json!({ "query": "car", "dialect": "common-lisp" })),
    reads("lisp_rename", "Dry run", || json!({ "symbol": "volume", "new_name": "size", "path": "area.lisp" })),
    reads(
        "lisp_change_signature",
        "Dry run",
        || json!({ "symbol": "volume", "rename": {"r": "radius"}, "path": "area.lisp" }),
    ),
    reads("lisp_rewrite", "Dry run", || json!({ "shape": "(* 3 ?x ?x)", "template": "(* 3 (expt ?x 2))" })),
    // What the clients write is not told here: they write all the time.
    reads("lisp_undo", "hange", || json!({ "list": true })),
    reads("lisp_edit_batch", "Dry run", || {
        let edit = json!({ "path": "area.lisp", "operation": "delete", "name": "volume" });
        json!({ "edits": [edit], "dry_run": true })
    }),
    reads("fs_read_file", "(* 3 r r)", || json!({ "path": "area.lisp" })),
    reads(
        "fs_write_file",
        "notes/all.txt",
        || json!({ "path": "notes/all.txt", "content": "the same of everybody\n" }),
    ),
    reads("fs_list_directory", "area.lisp", || json!({ "path": "." })),
    reads("fs_get_project_info", "Project root", || json!({})),
    reads("fs_set_project_root", "roject root", || json!({ "path": "." })),
    reads("repl_control", "Sessions", || json!({ "action": "status" })),
    reads("sexp_guard_push_delimiter", r#""stack":["paren"]"#, || json!({ "stack": [], "type": "paren" })),
    reads("sexp_guard_pop_delimiter", r#""stack":[]"#, || json!({ "stack": ["paren"], "type": "paren" })),
    reads("sexp_guard_set_sentinel", r#""sentinel":7"#, || json!({ "cursor": 7 })),
    reads(
        "sexp_guard_balance_and_resume",
        r#""text":")""#,
        || json!({ "stack": ["paren"], "sentinel": 3, "mode": "suggest-fix" }),
    ),
    reads("sexp_guard_push_many", r#""ok":true"#, || json!({ "stack": [], "types": ["paren", "brace"] })),
    reads(
        "sexp_guard_pop_many",
        r#""ok":true"#,
        || json!({ "stack": ["paren", "brace"], "types": ["brace", "paren"] }),
    ),
    reads(
        "sexp_guard_batch",
        r#""ok":true"#,
        || json!({ "stack": [], "ops": [{ "op": "push", "type": "paren" }, { "op": "pop", "type": "paren" }] }),
    ),
    reads("sexp_guard_scan", r#""balanced":true"#, || json!({ "text": "(a (b))", "dialect": "clojure" })),
    live("macroexpand", "(if a", || json!({ "code": "(when a b)" })),
    live("trace_calls", "EVENP", || json!({ "code": "(funcall 'evenp 2)", "functions": ["evenp"] })),
    live(
        "profile_code",
        "EVENP",
        || json!({ "code": "(funcall 'evenp 2)", "mode": "deterministic", "functions": ["evenp"] }),
    ),
    live("coverage_code", "lines executed", || json!({ "path": "area.lisp", "code": "(area 2)" })),
    live("disassemble_code", "disassembly", || json!({ "function": "(lambda (x) x)" })),
    live("load_system", "Loaded", || json!({ "path": "area.lisp" })),
    live("run_tests", "1 passed", || json!({ "system": "crowd" })),
];

/// Tools that the clients call in another way: see the parts of `Client::act`.
pub(crate) const ELSEWHERE: &[&str] = &["lisp_edit_form", "lisp_patch_form", "repl_eval", "inspect_object"];

/// Codes of an answer for a session whose image has been killed, is being killed, or starts.
pub(crate) const OF_KILLED: &[&str] = &["SESSION_LOST", "SESSION_BUSY", "TIMEOUT", "CANCELLED", "LIMIT"];
