//! Surfaces: the tools with the names and arguments of another server or a published protocol.
//!
//! A surface is only a table of rows. A row is a name, a description where the tool's own does not fit, and the listed
//! arguments. The alias of that name ([`crate::names::ALIASES`]) gives its tool and the translation of arguments;
//! without an alias the tool is the one of that name in snake case. A row whose tool is not in the catalogue does not
//! exist.
//!
//! To add a surface: a table below, a variant of [`Surface`], and a golden file by `UPDATE_GOLDEN=1`.

use std::sync::Arc;

use futures::FutureExt;
use lispwright_tools::arguments::{ALIASES as SYNONYMS, prepare, snake_case};
use lispwright_tools::{Annotations, Schema, Tool, ToolSet};
use serde_json::{Map, Value, json};

use crate::names::{ALIASES, Alias};

/// The names that are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surface {
    /// The tools' own names.
    #[default]
    Lispwright,
    /// The names of cl-mcp.
    ClMcp,
    /// The names of a structural tool set for Guile.
    Guile,
    /// The names of lisp-mcp-server, whose main tool is `evaluate-lisp`.
    EvaluateLisp,
    /// The names of the delimiter guard's protocol, `sexp.guard.pushDelimiter` and so on.
    SexpGuard,
}

impl Surface {
    /// Every surface with its name on the command line.
    pub const ALL: [(&'static str, Self); 5] = [
        ("lispwright", Self::Lispwright),
        ("cl-mcp", Self::ClMcp),
        ("guile", Self::Guile),
        ("evaluate-lisp", Self::EvaluateLisp),
        ("sexp-guard", Self::SexpGuard),
    ];

    const fn rows(self) -> &'static [SurfaceRow] {
        match self {
            Self::Lispwright => &[],
            Self::ClMcp => CL_MCP,
            Self::Guile => GUILE,
            Self::EvaluateLisp => EVALUATE_LISP,
            Self::SexpGuard => SEXP_GUARD,
        }
    }

    /// The rows as tools, each with the name of its tool.
    pub(crate) fn tools(self, catalogue: &[Tool]) -> Vec<(Tool, &'static str)> {
        self.rows().iter().filter_map(|row| row.tool(catalogue)).collect()
    }
}

impl std::str::FromStr for Surface {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, surface)| surface);
        found.ok_or_else(|| format!("there are {}", Self::ALL.map(|(known, _)| known).join(", ")))
    }
}

/// One name of a surface.
struct SurfaceRow {
    name: &'static str,
    /// A description, if the tool's own does not fit.
    description: Option<&'static str>,
    /// Annotations, if the row is less dangerous than its tool.
    annotations: Option<Annotations>,
    /// The listed arguments: `NAME`, `NAME*` when required, `NAME:TYPE` when it is accepted and has no effect here.
    /// `None` lists the tool's own.
    arguments: Option<&'static str>,
}

const fn row(name: &'static str, arguments: &'static str) -> SurfaceRow {
    SurfaceRow { name, description: None, annotations: None, arguments: Some(arguments) }
}

const fn same(name: &'static str) -> SurfaceRow {
    SurfaceRow { name, description: None, annotations: None, arguments: None }
}

impl SurfaceRow {
    const fn said(self, description: &'static str) -> Self {
        Self { description: Some(description), ..self }
    }

    const fn reads(self) -> Self {
        Self { annotations: Some(Annotations::READS), ..self }
    }
}

const CL_MCP: &[SurfaceRow] = &[
    row("lisp-read-file", "path* collapsed name_pattern content_pattern offset limit readtable:string"),
    row(
        "lisp-edit-form",
        "file_path* form_type form_name operation* content dry_run normalize_blank_lines:boolean readtable:string",
    ),
    row("lisp-patch-form", "file_path* form_type form_name* old_text* new_text* dry_run readtable:string"),
    row("lisp-check-parens", "path code offset limit"),
    row("clgrep-search", "pattern* path recursive case_insensitive form_types limit include_form"),
    row("code-find", "symbol* package"),
    row("code-describe", "symbol* package"),
    row("code-find-references", "symbol* package project_only"),
    row(
        "repl-eval",
        "code* package print_level print_length timeout_seconds max_output_length safe_read include_result_preview:boolean \
         preview_max_depth:integer preview_max_elements:integer locals_preview_frames:integer \
         locals_preview_max_depth:integer locals_preview_max_elements:integer locals_preview_skip_internal:boolean",
    ),
    row("inspect-object", "id* max_depth max_elements"),
    row("load-system", "system* force clear_fasls timeout_seconds"),
    row("run-tests", "system* framework test tests timeout_seconds"),
    row("clhs-lookup", "query* include_content brief:boolean"),
    row("pool-status", "").said("Say which runtimes there are, and which images run.").reads(),
    row("pool-kill-worker", "reset:boolean").said("End the image; the next evaluation starts a fresh one."),
    row("fs-read-file", "path* offset limit"),
    row("fs-write-file", "path* content*"),
    row("fs-list-directory", "path* show_hidden"),
    row("fs-get-project-info", ""),
    row("fs-set-project-root", "path*"),
];

const GUILE: &[SurfaceRow] = &[
    row("read_module", "path*"),
    row("read_form", "path* name*"),
    row("replace_form", "path* name* new_source*").said(
        "Replace a form by name; everything else stays byte for byte. Source that does not balance is refused with the line \
         to fix.",
    ),
    row("insert_form", "path* anchor_name* position* new_source*").said("Insert forms before or after a form, by its name."),
    row("delete_form", "path* name*").said("Delete a form by name, with its own header comment."),
    row("eval_expr", "expr* namespace"),
    row("check_syntax", "source path dialect"),
    row("find_references", "path_or_module symbol*"),
    row("list_module_exports", "path* offset limit"),
    row("macro_expand", "expr* namespace"),
    row("load_module", "path*"),
];

const EVALUATE_LISP: &[SurfaceRow] = &[
    row("evaluate-lisp", "code* package"),
    row("load-system", "system*"),
    row("describe-symbol", "symbol* package"),
    row("search-documentation", "query*"),
    row("macroexpand-form", "form* package"),
    row("reset-session", "").said("Give the session a fresh image."),
];

const SEXP_GUARD: &[SurfaceRow] = &[
    same("sexp.guard.pushDelimiter"),
    same("sexp.guard.popDelimiter"),
    same("sexp.guard.setSentinel"),
    same("sexp.guard.balanceAndResume"),
    same("sexp.guard.pushMany"),
    same("sexp.guard.popMany"),
    same("sexp.guard.batch"),
    same("sexp.guard.scan"),
];

impl SurfaceRow {
    fn tool(&self, catalogue: &[Tool]) -> Option<(Tool, &'static str)> {
        let snake = snake_case(self.name);
        let alias = ALIASES.iter().find(|alias| alias.name == self.name || alias.name == snake).copied();
        let target = alias.map_or(snake.as_str(), |alias| alias.tool);
        let target = catalogue.iter().find(|tool| tool.name == target)?.clone();
        let alias = alias.unwrap_or_default();
        let tool = Tool {
            name: self.name,
            description: self.description.unwrap_or(target.description),
            annotations: self.annotations.unwrap_or(target.annotations),
            input_schema: match self.arguments {
                Some(arguments) => {
                    let of_target = target.input_schema.clone();
                    Schema::new(move || schema(arguments, &of_target, &alias))
                }
                None => target.input_schema.clone(),
            },
            run: translated(&target, alias),
            ..target.clone()
        };
        Some((tool, target.name))
    }
}

/// The tool's `run` with arguments of the surface.
fn translated(target: &Tool, alias: Alias) -> lispwright_tools::tool::Run {
    let target = target.clone();
    Arc::new(move |given, context| {
        let given = alias.apply(given);
        let ready = match target.set {
            ToolSet::Guard => Ok(given),
            _ => prepare(target.name, &target.input_schema, given),
        };
        match ready {
            Ok(ready) => (target.run)(ready, context),
            Err(error) => async move { Err(error) }.boxed(),
        }
    })
}

/// The schema of the listed arguments, each with the tool's description of the argument that it becomes.
fn schema(arguments: &str, target: &Map<String, Value>, alias: &Alias) -> Map<String, Value> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for word in arguments.split_whitespace() {
        let (name, ignored) = word.split_once(':').map_or((word, None), |(name, kind)| (name, Some(kind)));
        let (name, is_required) = name.strip_suffix('*').map_or((name, false), |name| (name, true));
        let property = match ignored {
            Some(kind) => json!({ "type": kind, "description": "Accepted, and without effect here" }),
            None => property(name, target, alias),
        };
        properties.insert(name.to_owned(), property);
        if is_required {
            required.push(name);
        }
    }
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

/// The tool's description of the argument that `name` becomes, with the surface's own values where it has any.
fn property(name: &str, target: &Map<String, Value>, alias: &Alias) -> Value {
    let becomes =
        |table: &[(&'static str, &'static str)]| table.iter().find(|(from, _)| *from == name).map(|&(_, own)| own);
    let own = becomes(alias.rename).or_else(|| becomes(SYNONYMS)).unwrap_or(name);
    let mut property = target.get("properties").and_then(|all| all.get(own)).cloned().unwrap_or_else(|| json!({}));
    let values: Vec<&str> = alias.values.iter().filter(|(of, ..)| *of == own).map(|&(_, from, _)| from).collect();
    if !values.is_empty() {
        property["enum"] = json!(values);
    }
    property
}
