//! The surface `cl-mcp`: a server for SBCL that sends facts as fields beside the content of a result.
//!
//! Its document names the fields of each answer. Where a tool has the same fact under another name, or several where
//! the document has one, the functions below say it in the document's way; the other fields of the tool stay.

use lispwright_runtime::{ImageRefusal, SessionError};
use lispwright_tools::code_find_references::ReferencesAnswer;
use lispwright_tools::eval_answer::{ErrorFacts, EvalAnswer, FrameFacts};
use lispwright_tools::lisp_edit_form::EditAnswer;
use lispwright_tools::lisp_read_file::{FileAnswer, Mode};
use lispwright_tools::load_system::{LoadAnswer, LoadStatus};
use lispwright_tools::repl_status::StatusAnswer;
use lispwright_tools::{Answer, LiveAnswer, LiveFault, Refusal};
use serde_json::{Map, Value, json};

use super::{Called, SurfaceCall, SurfaceTerms, or_null, set, whole_milliseconds, with_warnings, without_line_numbers};
use crate::evaluated::{self, block};
use crate::rendering::visible;
use crate::terms::Terms;
use crate::{Rendering, Skin};

/// The names of the surface.
pub static TERMS: SurfaceTerms = SurfaceTerms {
    terms: Terms {
        name: "`form_name`",
        append: "fs-write-file",
        outline: "lisp-read-file",
        read: "lisp-read-file with name_pattern",
        read_all: "lisp-read-file with collapsed=false and \"limit\"",
        patch: "lisp-patch-form",
        check: "lisp-check-parens",
        edit: "lisp-edit-form",
        eval: "repl-eval",
        load: "load-system",
        tests: "run-tests",
        inspect: "inspect-object",
        ..Terms::TOOLS
    },
    calls: &[
        SurfaceCall::plain(
            "lisp_read_file",
            "lisp-read-file",
            &[
                ("path", "path"),
                ("collapsed", "collapsed"),
                ("name_pattern", "name_pattern"),
                ("content_pattern", "content_pattern"),
                ("offset", "offset"),
                ("limit", "limit"),
            ],
        ),
        SurfaceCall::plain("lisp_edit_form", "lisp-edit-form", &[("accept", "accept")]),
        SurfaceCall::plain(
            "lisp_check_parens",
            "lisp-check-parens",
            &[("path", "path"), ("code", "code"), ("dialect", "dialect")],
        ),
        SurfaceCall::plain(
            "lisp_search",
            "clgrep-search",
            &[("pattern", "pattern"), ("path", "path"), ("limit", "limit")],
        ),
        SurfaceCall::plain("repl_eval", "repl-eval", &[("code", "code"), ("package", "package")]),
        SurfaceCall::plain(
            "inspect_object",
            "inspect-object",
            &[("id", "id"), ("max_depth", "max_depth"), ("max_elements", "max_elements"), ("offset", "offset")],
        ),
        SurfaceCall::plain("load_system", "load-system", &[("system", "system")]),
        SurfaceCall::plain(
            "run_tests",
            "run-tests",
            &[("system", "system"), ("framework", "framework"), ("test", "test"), ("tests", "tests")],
        ),
        SurfaceCall {
            tool: "docs_lookup",
            name: "clhs-lookup",
            implied: &[("dialect", "common-lisp")],
            arguments: &[("query", "query"), ("offset", "offset")],
        },
        SurfaceCall::plain("code_find", "code-find", &[("symbol", "symbol"), ("package", "package")]),
        SurfaceCall::plain("code_describe", "code-describe", &[("symbol", "symbol"), ("package", "package")]),
        SurfaceCall::plain(
            "code_find_references",
            "code-find-references",
            &[("symbol", "symbol"), ("package", "package")],
        ),
        SurfaceCall::plain(
            "fs_read_file",
            "fs-read-file",
            &[("path", "path"), ("offset", "offset"), ("limit", "limit")],
        ),
        SurfaceCall::plain(
            "fs_list_directory",
            "fs-list-directory",
            &[("path", "path"), ("show_hidden", "show_hidden"), ("offset", "offset"), ("limit", "limit")],
        ),
        SurfaceCall::plain("fs_set_project_root", "fs-set-project-root", &[("path", "path")]),
        SurfaceCall { tool: "repl_control", name: "pool-status", implied: &[("action", "status")], arguments: &[] },
        SurfaceCall { tool: "repl_control", name: "pool-kill-worker", implied: &[("action", "kill")], arguments: &[] },
        SurfaceCall { tool: "repl_control", name: "pool-kill-worker", implied: &[("action", "reset")], arguments: &[] },
    ],
};

/// `repl-eval`: the text begins with the values as they are printed; `error_context` has the condition.
pub fn evaluated(called: Called<'_>, rendering: &mut Rendering) {
    whole_milliseconds(rendering);
    let Some(LiveAnswer::Evaluated(answer)) = called.live() else { return };
    set(rendering, "stderr", with_warnings(&answer.stderr, &answer.told_warnings));
    if let Some(error) = &answer.error {
        let message = rendering.fields.get("message").and_then(Value::as_str).unwrap_or_default();
        let context = error_context(error, message);
        rendering.fields.remove("error");
        set(rendering, "error_context", context);
    }
    rendering.text = visible_eval(answer);
}

fn visible_eval(answer: &EvalAnswer) -> String {
    let skin = Skin::Surface(&TERMS);
    let mut text = evaluated::values_text(answer, "");
    let mut output = String::new();
    block(&mut output, "[stdout]", &answer.stdout);
    block(&mut output, "[stderr]", &with_warnings(&answer.stderr, &answer.told_warnings));
    text.push_str(&output);
    text.push_str(&evaluated::rest_text(answer, skin));
    text.trim_end().to_owned()
}

fn error_context(error: &ErrorFacts, message: &str) -> Value {
    let frame = |frame: &FrameFacts| {
        let locals: Vec<Value> =
            frame.locals.iter().map(|one| json!({ "name": one.name, "value": one.value })).collect();
        json!({
            "index": frame.index,
            "function": frame.function,
            "source_file": or_null(frame.path.clone()),
            "source_line": or_null(frame.line),
            "locals": locals,
        })
    };
    let frames: Vec<Value> = error.frames.iter().flatten().map(frame).collect();
    json!({
        "condition_type": error.type_name,
        "message": error.message.as_deref().unwrap_or(message),
        "restarts": error.restarts.clone().unwrap_or_default(),
        "frames": frames,
    })
}

/// `load-system`.
pub fn loaded(called: Called<'_>, rendering: &mut Rendering) {
    whole_milliseconds(rendering);
    set(rendering, "forced", called.flag("force", true));
    set(rendering, "clear_fasls", called.flag("clear_fasls", false));
    match called.live() {
        Some(LiveAnswer::Loaded(answer)) => {
            set(rendering, "status", load_status(answer));
            if answer.warnings > 0 {
                set(rendering, "warning_details", warning_details(answer));
            }
            if !answer.is_error() {
                rendering.fields.remove("message");
            }
        }
        _ if rendering.is_error => {
            set(rendering, "system", called.text("system"));
            let status = if rendering.fields.get("code") == Some(&json!("TIMEOUT")) { "timeout" } else { "error" };
            set(rendering, "status", status);
        }
        _ => {}
    }
}

fn load_status(answer: &LoadAnswer) -> &'static str {
    let code = answer.otherwise.as_ref().and_then(|other| other.code);
    match answer.status {
        LoadStatus::Loaded | LoadStatus::Unchanged => "loaded",
        LoadStatus::Failed if code == Some("TIMEOUT") => "timeout",
        LoadStatus::Failed => "error",
    }
}

fn warning_details(answer: &LoadAnswer) -> String {
    let warnings = answer.diagnostics.iter().filter(|one| one.severity.ends_with("warning"));
    let line = |one: &lispwright_tools::repl_work::DiagnosticFacts| {
        let path = one.path.as_deref().map(|path| format!("{path}:")).unwrap_or_default();
        let line = one.line.map(|line| format!("{line}:")).unwrap_or_default();
        let gap = if path.is_empty() { "" } else { " " };
        format!("{path}{line}{gap}{}: {}", one.severity, one.message)
    };
    warnings.map(line).collect::<Vec<_>>().join("\n")
}

/// `run-tests`: the place of a failure has its `file`.
pub fn tested(_: Called<'_>, rendering: &mut Rendering) {
    whole_milliseconds(rendering);
    let failed = rendering.fields.get_mut("failed_tests").and_then(Value::as_array_mut);
    for source in failed.into_iter().flatten().filter_map(|test| test.get_mut("source")) {
        if let Value::Object(source) = source
            && let Some(path) = source.remove("path")
        {
            source.insert("file".into(), path);
        }
    }
}

/// `code-find`: the place of the first definition.
pub fn found(called: Called<'_>, rendering: &mut Rendering) {
    if let Some(LiveAnswer::Found(answer)) = called.live()
        && let Some(first) = answer.definitions.first()
    {
        set(rendering, "path", first.path.as_str());
        set(rendering, "line", or_null(first.line));
    }
}

/// `code-describe`: the types are words without blanks, and a name without a meaning is `unbound`.
pub fn described(called: Called<'_>, rendering: &mut Rendering) {
    match called.reply {
        Ok(_) => {
            let kind = rendering.fields.get("type").and_then(Value::as_str).unwrap_or_default();
            let kind = match kind {
                "special variable" | "constant" | "symbol macro" | "global variable" => "variable".to_owned(),
                kind => kind.replace(' ', "-"),
            };
            set(rendering, "type", kind);
            for absent in ["arglist", "documentation"] {
                rendering.fields.entry(absent).or_insert(Value::Null);
            }
        }
        Err(
            Refusal::Live(LiveFault::Undefined { .. }) | Refusal::Image { refusal: ImageRefusal::NoName { .. }, .. },
        ) => {
            set(rendering, "name", called.text("symbol"));
            set(rendering, "type", "unbound");
        }
        Err(_) => {}
    }
}

/// `code-find-references`: a reference for each place.
pub fn referred(called: Called<'_>, rendering: &mut Rendering) {
    let Some(LiveAnswer::Referred(answer)) = called.live() else { return };
    let refs = references(answer);
    set(rendering, "count", refs.len());
    set(rendering, "refs", refs);
    set(rendering, "symbol", called.text("symbol"));
    set(rendering, "project_only", called.flag("project_only", true));
}

fn references(answer: &ReferencesAnswer) -> Vec<Value> {
    let mut refs = Vec::new();
    for mention in &answer.refs {
        for site in &mention.call_sites {
            let kind = match site.kind.as_str() {
                "call" => "call",
                "macro" | "template" => "macro",
                "binding" => "bind",
                "assignment" => "set",
                _ => "reference",
            };
            let context = if site.context.is_empty() { mention.context.clone() } else { Some(site.context.clone()) };
            refs.push(json!({
                "path": or_null(mention.path.clone()),
                "line": or_null(site.line.or(mention.line)),
                "column": or_null(site.column),
                "type": kind,
                "caller": mention.form_name,
                "context": or_null(context),
            }));
        }
    }
    refs
}

/// `lisp-read-file`: lines of the file as they are, and the counts below `meta`.
pub fn file(called: Called<'_>, rendering: &mut Rendering) {
    let Ok(Answer::File(file)) = called.reply else { return };
    let mode = match file.mode {
        Mode::Collapsed => "lisp-collapsed",
        Mode::Filtered => "text-filtered",
        Mode::Raw if called.flag("collapsed", true) => "text-snippet",
        Mode::Raw => "raw",
    };
    set(rendering, "mode", mode);
    let meta = match file.mode {
        Mode::Collapsed => json!({ "total_forms": file.total_forms, "expanded_forms": file.expanded_forms,
                                   "total_lines": file.total_lines, "truncated": file.truncated }),
        _ => json!({ "total_lines": file.total_lines, "truncated": file.truncated }),
    };
    set(rendering, "meta", meta);
    if file.mode == Mode::Raw && file.diagnostics.is_empty() && file.cut_lines.is_empty() && !file.content.is_empty() {
        rendering.text = visible(&slice(called, file));
    }
}

/// The lines of the file, and where to go on.
fn slice(called: Called<'_>, file: &FileAnswer) -> String {
    let mut text = without_line_numbers(&file.content);
    if let Some(next) = file.next_offset {
        let first = called.arguments.get("offset").and_then(Value::as_u64).unwrap_or(0) + 1;
        text.push_str(&format!(
            "[Showing lines {first}-{next} of {}. Use offset={next} to read more.]",
            file.total_lines
        ));
    }
    text
}

/// `lisp-edit-form` and `lisp-patch-form`: the size of the file after an edit; the texts before and after a dry run.
pub fn edited(called: Called<'_>, rendering: &mut Rendering) {
    let Ok(Answer::Edited(answer)) = called.reply else { return };
    let EditAnswer { texts, .. } = &**answer;
    let is_patch = called.arguments.contains_key("old_text");
    if !answer.dry_run {
        set(rendering, "bytes", texts.file.len());
    } else {
        set(rendering, "original", texts.before.as_str());
        let preview = if is_patch { &texts.after } else { &texts.file };
        set(rendering, "preview", preview.as_str());
        if let Some(repair) = &answer.repair {
            let lines: Vec<String> = repair.lines.iter().map(|one| format!("line {}", one.line)).collect();
            let warning = format!("Delimiters were repaired in {}; see repair.", lines.join(", "));
            set(rendering, "parinfer_warning", warning);
        }
    }
    if is_patch && !answer.would_change {
        rendering.fields.remove("delta");
    }
}

/// `fs-read-file`: the text alone.
pub fn text(called: Called<'_>, rendering: &mut Rendering) {
    if let Ok(Answer::Text(answer)) = called.reply {
        crate::files::bare(answer, rendering);
    }
}

/// `clhs-lookup`: the first entry, with the address of the copy where there is one.
pub fn clhs(called: Called<'_>, rendering: &mut Rendering) {
    let Ok(Answer::Documented(answer)) = called.reply else { return };
    let Some(first) = answer.entries.first() else { return };
    set(rendering, if first.is_section { "section" } else { "symbol" }, first.name.as_str());
    let local = first.path.as_ref().map(|path| format!("file://{path}"));
    set(rendering, "source", if local.is_some() { "local" } else { "remote" });
    set(rendering, "url", local.or_else(|| first.url.clone()).unwrap_or_default());
}

/// `pool-status`: images as workers, a spare image as one that stands by.
pub fn pool(called: Called<'_>, rendering: &mut Rendering) {
    let Some(LiveAnswer::Status(status)) = called.live() else { return };
    let workers = workers(status);
    let bound = status.sessions.iter().filter(|session| session.pid.is_some()).count();
    set(rendering, "pool_running", true);
    set(rendering, "total_workers", workers.len());
    set(rendering, "bound_count", bound);
    set(rendering, "standby_count", workers.len() - bound);
    set(rendering, "max_pool_size", status.max_sessions);
    set(rendering, "warmup_target", status.workers.len().min(1));
    set(rendering, "workers", workers);
}

fn workers(status: &StatusAnswer) -> Vec<Value> {
    let bound = status.sessions.iter().filter_map(|session| {
        let name: String = session.session.chars().take(8).collect();
        Some((json!("bound"), json!(name), session.pid?, session.runtime))
    });
    let spare = status
        .workers
        .iter()
        .filter_map(|worker| Some((json!("standby"), Value::Null, worker.spare_pid?, worker.runtime)));
    let worker = |(number, (state, session, pid, runtime)): (usize, (Value, Value, i32, &str))| {
        // An image speaks over a pipe and has no port.
        json!({ "id": number + 1, "state": state, "session": session, "pid": pid, "tcp_port": null, "runtime": runtime })
    };
    bound.chain(spare).enumerate().map(worker).collect()
}

/// `pool-kill-worker`: a session that has no image is no error.
pub fn killed(called: Called<'_>, rendering: &mut Rendering) {
    let asks_for_another = called.flag("reset", false);
    match called.reply {
        Ok(Answer::Live(LiveAnswer::Acted(acted))) => {
            set(rendering, "killed", acted.killed == Some(true));
            if acted.killed == Some(true) {
                set(rendering, "reset", false);
            }
        }
        Ok(Answer::Live(LiveAnswer::Session(session))) => {
            set(rendering, "killed", session.replaced);
            set(rendering, "reset", true);
        }
        Err(Refusal::Session(error)) if matches!(**error, SessionError::Unknown(_)) => {
            *rendering = Rendering {
                text: "No image runs, so there is none to end; the next evaluation starts one.".to_owned(),
                fields: Map::from_iter([("killed".to_owned(), false.into())]),
                is_error: false,
            };
        }
        // The image was ended, and the other did not start.
        Err(_) if asks_for_another => {
            set(rendering, "killed", true);
            set(rendering, "reset", false);
        }
        _ => {}
    }
}
