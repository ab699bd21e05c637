//! The names of cl-mcp and of the smaller lisp-mcp-server before it.

use lispwright_words::surfaces::cl_mcp;

use super::{SurfaceRow, row};

pub(super) const ROWS: &[SurfaceRow] = &[
    row("lisp-read-file", "path* collapsed name_pattern content_pattern offset limit readtable:string")
        .answers(cl_mcp::file, "mode:string meta:object"),
    row(
        "lisp-edit-form",
        "file_path* form_type form_name operation* content dry_run normalize_blank_lines:boolean readtable:string \
         index+ line+ digest+ repair+ accept+",
    )
    .answers(cl_mcp::edited, "bytes:integer original:string preview:string parinfer_warning:string"),
    row(
        "lisp-patch-form",
        "file_path* form_type form_name* old_text* new_text* dry_run readtable:string index+ line+ digest+ repair+ replace_all+",
    )
        .answers(cl_mcp::edited, "bytes:integer original:string preview:string"),
    row("lisp-check-parens", "path code offset limit dialect+"),
    row("check-parens", "path code offset limit dialect+").said("The same as lisp-check-parens."),
    row("clgrep-search", "pattern* path recursive case_insensitive form_types limit include_form offset+ in+"),
    row("code-find", "symbol* package").answers(cl_mcp::found, "path:string line:integer|null"),
    row("code-describe", "symbol* package")
        .answers(cl_mcp::described, "type:string arglist:string|null documentation:string|null"),
    row("code-find-references", "symbol* package project_only")
        .answers(cl_mcp::referred, "refs:array count:integer symbol:string project_only:boolean"),
    row(
        "repl-eval",
        "code* package print_level print_length timeout_seconds max_output_length safe_read include_result_preview:boolean \
         preview_max_depth:integer preview_max_elements:integer locals_preview_frames:integer \
         locals_preview_max_depth:integer locals_preview_max_elements:integer locals_preview_skip_internal:boolean",
    )
    .answers(cl_mcp::evaluated, "error_context:object duration_ms:integer"),
    row("inspect-object", "id* max_depth max_elements offset+"),
    row("load-system", "system* force clear_fasls timeout_seconds").answers(
        cl_mcp::loaded,
        "status:string duration_ms:integer warnings:integer warning_details:string forced:boolean clear_fasls:boolean \
         message:string",
    ),
    row("run-tests", "system* framework test tests timeout_seconds").answers(cl_mcp::tested, "duration_ms:integer"),
    row("clhs-lookup", "query* include_content brief offset+ limit+")
        .said("Look up a symbol or a section (22.3) in the Common Lisp HyperSpec.")
        .answers(cl_mcp::clhs, "symbol:string section:string url:string source:string"),
    row("pool-status", "").said("Say which runtimes there are, and which images run.").reads().answers(
        cl_mcp::pool,
        "pool_running:boolean total_workers:integer bound_count:integer standby_count:integer max_pool_size:integer \
         warmup_target:integer workers:array",
    ),
    row("pool-kill-worker", "reset:boolean")
        .said("End the image; the next evaluation starts a fresh one, reset=true starts it at once.")
        .answers(cl_mcp::killed, "killed:boolean reset:boolean"),
    row("fs-read-file", "path* offset limit")
        .said("The text of any file of the project, by characters. For Lisp, lisp-read-file shows an outline.")
        .answers(cl_mcp::text, ""),
    row("fs-write-file", "path* content*").said(
        "Write a whole file, with the directories it needs. A new Lisp file is checked first; one that is there is edited with \
         lisp-edit-form instead.",
    ),
    row("fs-list-directory", "path* show_hidden offset+ limit+"),
    row("fs-get-project-info", ""),
    row("fs-set-project-root", "path*"),
];
