//! The names of a tool.
//!
//! Models call a tool by the name that a client showed them (`mcp__lispwright__lisp_read_form`), by the name of a
//! similar tool of another server (`clgrep-search`, `sexp.guard.pushDelimiter`), or in another letter case. [`Names`]
//! finds the tool for all of these; [`ALIASES`] is the table of other servers' names, which may also rename and preset
//! arguments.

use std::collections::HashMap;

use lispwright_tools::Tool;
use lispwright_tools::arguments::{nearest, snake_case};
use serde_json::{Map, Value};

/// Another name for a tool, with the translation of its arguments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alias {
    /// The other name: in snake case, which means every spelling of it, or exactly as that server spells it.
    pub name: &'static str,
    /// The tool that it means; the alias does not exist when the tool is not offered.
    pub tool: &'static str,
    /// Arguments renamed, as `(from, to)`.
    pub rename: &'static [(&'static str, &'static str)],
    /// Values replaced after renaming, as `(argument, from, to)`.
    pub values: &'static [(&'static str, &'static str, &'static str)],
    /// Arguments set when absent.
    pub preset: &'static [(&'static str, &'static str)],
    /// Arguments set when absent and the other server's argument is given.
    pub implied: &'static [Implied],
    /// Arguments of the other server that have no effect here.
    pub ignore: &'static [&'static str],
}

/// An argument that is set when another one is given.
#[derive(Clone, Copy, Debug)]
pub struct Implied {
    /// The argument of the other server.
    pub given: &'static str,
    /// The value that it must have; any value if absent.
    pub flag: Option<bool>,
    /// The argument that is set, and its value. It takes precedence over a preset.
    pub sets: (&'static str, &'static str),
}

impl Implied {
    fn follows(&self, name: &str, value: &Value) -> bool {
        self.given == name && self.flag.is_none_or(|flag| value.as_bool() == Some(flag))
    }
}

/// Names longer than this many bytes are unknown without a search: twice the longest name that any client sends.
const LONGEST: usize = 256;

const NOTHING: Alias = Alias { name: "", tool: "", rename: &[], values: &[], preset: &[], implied: &[], ignore: &[] };

/// The tool names of servers whose prompts and skills are in use.
pub const ALIASES: &[Alias] = &[
    Alias { name: "check_parens", tool: "lisp_check_parens", ..NOTHING },
    Alias {
        name: "check_syntax",
        tool: "lisp_check_parens",
        rename: &[("source", "code"), ("source_or_path", "code")],
        implied: &[
            Implied { given: "source", flag: None, sets: ("dialect", "scheme") },
            Implied { given: "source_or_path", flag: None, sets: ("dialect", "scheme") },
        ],
        ..NOTHING
    },
    Alias { name: "clgrep_search", tool: "lisp_search", ..NOTHING },
    Alias { name: "clhs_lookup", tool: "docs_lookup", preset: &[("dialect", "common-lisp")], ..NOTHING },
    Alias { name: "search_documentation", tool: "docs_lookup", ..NOTHING },
    Alias { name: "pool_status", tool: "repl_control", preset: &[("action", "status")], ..NOTHING },
    Alias {
        name: "pool_kill_worker",
        tool: "repl_control",
        preset: &[("action", "kill")],
        implied: &[Implied { given: "reset", flag: Some(true), sets: ("action", "reset") }],
        ignore: &["reset"],
        ..NOTHING
    },
    Alias { name: "reset_session", tool: "repl_control", preset: &[("action", "reset")], ..NOTHING },
    Alias { name: "read_module", tool: "lisp_read_file", ..NOTHING },
    Alias { name: "read_form", tool: "lisp_read_form", ..NOTHING },
    Alias {
        name: "replace_form",
        tool: "lisp_edit_form",
        rename: &[("new_source", "content")],
        preset: &[("operation", "replace")],
        ..NOTHING
    },
    Alias {
        name: "insert_form",
        tool: "lisp_edit_form",
        rename: &[("anchor_name", "name"), ("position", "operation"), ("new_source", "content")],
        values: &[("operation", "before", "insert_before"), ("operation", "after", "insert_after")],
        ..NOTHING
    },
    Alias { name: "delete_form", tool: "lisp_edit_form", preset: &[("operation", "delete")], ..NOTHING },
    Alias {
        name: "eval_expr",
        tool: "repl_eval",
        rename: &[("expr", "code"), ("namespace", "package")],
        preset: &[("runtime", "guile")],
        ..NOTHING
    },
    Alias { name: "evaluate_lisp", tool: "repl_eval", ..NOTHING },
    Alias { name: "describe_symbol", tool: "code_describe", ..NOTHING },
    Alias { name: "find_references", tool: "code_find_references", rename: &[("path_or_module", "path")], ..NOTHING },
    Alias { name: "list_module_exports", tool: "code_exports", ..NOTHING },
    Alias {
        name: "macro_expand",
        tool: "macroexpand",
        rename: &[("expr", "code"), ("namespace", "package")],
        preset: &[("runtime", "guile")],
        ..NOTHING
    },
    Alias { name: "macroexpand_form", tool: "macroexpand", rename: &[("form", "code")], ..NOTHING },
    Alias { name: "load_module", tool: "load_system", preset: &[("runtime", "guile")], ..NOTHING },
    // The same tools under literal names, with arguments that only tune what is a default or automatic here.
    Alias {
        name: "repl-eval",
        tool: "repl_eval",
        ignore: &[
            "include_result_preview",
            "preview_max_depth",
            "preview_max_elements",
            "locals_preview_frames",
            "locals_preview_max_depth",
            "locals_preview_max_elements",
            "locals_preview_skip_internal",
        ],
        ..NOTHING
    },
    Alias {
        name: "lisp-read-file",
        tool: "lisp_read_file",
        implied: &[Implied { given: "collapsed", flag: Some(false), sets: ("limit", "500") }],
        ignore: &["readtable"],
        ..NOTHING
    },
    Alias {
        name: "lisp-edit-form",
        tool: "lisp_edit_form",
        ignore: &["normalize_blank_lines", "readtable"],
        ..NOTHING
    },
    Alias { name: "lisp-patch-form", tool: "lisp_patch_form", ignore: &["readtable"], ..NOTHING },
];

impl Alias {
    /// The arguments in the tool's own terms.
    pub(crate) fn apply(&self, arguments: Map<String, Value>) -> Map<String, Value> {
        let mut given = Map::new();
        let mut implied = Vec::new();
        for (name, value) in arguments {
            let snake = snake_case(&name);
            implied.extend(self.implied.iter().filter(|rule| rule.follows(&snake, &value)).map(|rule| rule.sets));
            if self.ignore.contains(&snake.as_str()) {
                continue;
            }
            let renamed = self.rename.iter().find(|(from, _)| *from == snake).map(|(_, to)| (*to).to_owned());
            given.insert(renamed.unwrap_or(name), value);
        }
        for (argument, from, to) in self.values {
            if let Some(value) = given.get_mut(*argument)
                && value == from
            {
                *value = (*to).into();
            }
        }
        for (argument, value) in implied.into_iter().chain(self.preset.iter().copied()) {
            given.entry(argument).or_insert_with(|| value.into());
        }
        given
    }
}

/// The names of one catalogue.
#[derive(Debug)]
pub(crate) struct Names {
    /// Names as they are written: the index of the tool, and the alias that led to it.
    literal: HashMap<String, (usize, Option<Alias>)>,
    /// The same in snake case.
    known: HashMap<String, (usize, Option<Alias>)>,
}

impl Names {
    /// The names of `tools`; of two with the same name in snake case, the first has it.
    pub(crate) fn new(tools: &[Tool], aliases: &[Alias]) -> Self {
        let (mut literal, mut known) = (HashMap::new(), HashMap::new());
        for alias in aliases {
            if let Some(index) = tools.iter().position(|tool| tool.name == alias.tool) {
                literal.insert(alias.name.to_owned(), (index, Some(*alias)));
                if snake_case(alias.name) == alias.name {
                    known.insert(alias.name.to_owned(), (index, Some(*alias)));
                }
            }
        }
        // A tool's own name takes precedence over another server's, the first of several over the others. A name of a
        // surface may differ from a tool's only in its separators.
        for (index, tool) in tools.iter().enumerate().rev() {
            known.insert(snake_case(tool.name), (index, None));
            literal.insert(tool.name.to_owned(), (index, None));
        }
        Self { literal, known }
    }

    /// The tool that a name means, and the arguments in its terms.
    pub(crate) fn resolve(&self, name: &str, arguments: Map<String, Value>) -> Option<(usize, Map<String, Value>)> {
        let found = |(spelling, snake): &(String, String)| {
            self.literal.get(spelling).or_else(|| self.known.get(snake)).copied()
        };
        let (index, alias) = spellings(name).iter().find_map(found)?;
        Some((
            index,
            match alias {
                Some(alias) => alias.apply(arguments),
                None => arguments,
            },
        ))
    }

    /// Up to three known names similar to a misspelled one, nearest first.
    pub(crate) fn suggest(&self, name: &str) -> Vec<&str> {
        if name.len() > LONGEST {
            return Vec::new();
        }
        let word = name.rsplit_once("__").map_or(name, |(_, tool)| tool);
        let mut left: Vec<&str> = self.literal.keys().chain(self.known.keys()).map(String::as_str).collect();
        // Of two spellings of one name, the one in tools/list.
        left.sort_unstable_by_key(|known| (self.literal.get(*known).is_none_or(|(_, alias)| alias.is_some()), *known));
        let mut found = Vec::new();
        while found.len() < 3
            && let Some(next) = nearest(word, left.iter().copied())
        {
            left.retain(|known| snake_case(known) != snake_case(next));
            found.push(next);
        }
        found
    }
}

/// What may be the name of a tool in a name, as it is written and in snake case, the most literal first. A part of the
/// name in snake case is not as it is written.
fn spellings(name: &str) -> Vec<(String, String)> {
    if name.len() > LONGEST {
        return Vec::new();
    }
    let name = name.trim();
    let snake = snake_case(name);
    let mut found = vec![(name.to_owned(), snake.clone())];
    // `mcp__server__tool`, and `mcp__plugin_p_server__tool`.
    if let Some((_, tool)) = name.rsplit_once("__") {
        found.push((tool.to_owned(), snake_case(tool)));
    }
    // `mcp_server_tool`: the server's own name may contain underscores.
    if let Some(rest) = snake.strip_prefix("mcp_") {
        found.extend(rest.match_indices('_').map(|(at, _)| (String::new(), rest[at + 1..].to_owned())));
    }
    if let Some(rest) = snake.strip_prefix("lispwright_") {
        found.push((String::new(), rest.trim_start_matches('_').to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use futures::FutureExt;
    use lispwright_tools::{Annotations, ProtocolAnswer, Schema, ToolSet};
    use serde_json::json;

    use super::*;

    fn tool(name: &'static str) -> Tool {
        Tool {
            name,
            title: "",
            description: "",
            set: ToolSet::Default,
            annotations: Annotations::READS,
            input_schema: Schema::default(),
            output_schema: Schema::default(),
            run: Arc::new(|_, _| async { Ok(ProtocolAnswer::default().into()) }.boxed()),
        }
    }

    fn found(name: &str, arguments: Value) -> Option<String> {
        let catalogue: Vec<Tool> =
            ["lisp_read_form", "lisp_edit_form", "lisp_check_parens", "repl_control", "sexp_guard_push_delimiter"]
                .map(tool)
                .into();
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        let (index, arguments) = Names::new(&catalogue, ALIASES).resolve(name, arguments)?;
        Some(format!("{} {}", catalogue[index].name, Value::Object(arguments)))
    }

    #[test]
    fn a_tool_answers_to_every_spelling() {
        for name in [
            "lisp_read_form",
            "lisp-read-form",
            "lispReadForm",
            "lisp.read.form",
            "lisp/read_form",
            "LISP-READ-FORM",
            "mcp__lispwright__lisp_read_form",
            "mcp__plugin_lisp_tools_lispwright__lisp-read-form",
            "mcp_lispwright_lisp_read_form",
            "mcp_my_lisp_server_lisp_read_form",
            "lispwright.lisp_read_form",
            "lispwright__lisp_read_form",
            "read_form",
            "mcp__lispwright__read-form",
        ] {
            assert_eq!(found(name, json!({})).as_deref(), Some("lisp_read_form {}"), "{name}");
        }
        let guard = found("sexp.guard.pushDelimiter", json!({}));
        assert_eq!(guard.as_deref(), Some("sexp_guard_push_delimiter {}"));
    }

    #[test]
    fn unknown_names_are_unknown() {
        for name in ["", "_", "__", "mcp__", "mcp_", "lisp", "lisp_search", "check_brackets", "\u{0}", "λ", "mcp__a__"]
        {
            assert_eq!(found(name, json!({})), None, "{name}");
        }
        assert_eq!(found(&"x_".repeat(100_000), json!({})), None);
    }

    #[test]
    fn aliases_translate_arguments() {
        assert_eq!(found("pool-status", json!({})).unwrap(), r#"repl_control {"action":"status"}"#);
        assert_eq!(
            found("insert_form", json!({"path": "a", "anchor_name": "f", "position": "after", "new_source": "x"}))
                .unwrap(),
            r#"lisp_edit_form {"path":"a","name":"f","operation":"insert_after","content":"x"}"#
        );
        assert_eq!(
            found("mcp__cl-mcp__lisp-edit-form", json!({"path": "a", "readtable": "x", "kind": 1})).unwrap(),
            r#"lisp_edit_form {"path":"a","kind":1}"#
        );
        // The tool called Scheme's syntax check reads Scheme, unless a file or the caller says otherwise.
        for (given, becomes) in [
            (json!({"source": "a"}), r#"lisp_check_parens {"code":"a","dialect":"scheme"}"#),
            (json!({"source": "a", "dialect": "clojure"}), r#"lisp_check_parens {"code":"a","dialect":"clojure"}"#),
            (json!({"path": "a"}), r#"lisp_check_parens {"path":"a"}"#),
        ] {
            assert_eq!(found("check_syntax", given).unwrap(), becomes);
        }
        assert_eq!(found("pool-kill-worker", json!({"reset": true})).unwrap(), r#"repl_control {"action":"reset"}"#);
        assert_eq!(found("pool-kill-worker", json!({"reset": false})).unwrap(), r#"repl_control {"action":"kill"}"#);
    }

    #[test]
    fn near_names_are_suggested() {
        let catalogue: Vec<Tool> = ["lisp_read_form", "lisp_read_file", "repl_eval"].map(tool).into();
        let names = Names::new(&catalogue, &[]);
        assert_eq!(names.suggest("mcp__x__lisp_raed_form"), ["lisp_read_form", "lisp_read_file"]);
        assert_eq!(names.suggest("fetch"), Vec::<&str>::new());
        let alias = Alias { name: "lisp-read-file", tool: "lisp_read_file", ..NOTHING };
        assert_eq!(Names::new(&catalogue, &[alias]).suggest("lisp_read_fil"), ["lisp_read_file", "lisp_read_form"]);
    }
}
