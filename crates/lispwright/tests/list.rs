//! The tool list as clients get it: pinned, within what every client accepts, and small.
//!
//! `UPDATE_GOLDEN=1 cargo test -p lispwright --test list` rewrites the golden file.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use lispwright_server::{Options, Results, Server, Surface, ToolSelection, reference};
use lispwright_tools::{Tool, Workshop, catalogue};
use serde_json::Value;

/// The size limit of the default set, in bytes: clients show the whole list to a model.
const LARGEST_DEFAULT_LIST: usize = 14_000;

/// Every tool, on a workshop that is never used.
fn everything() -> Vec<Tool> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let _inside = runtime.enter();
    let root = tempfile::tempdir().unwrap();
    catalogue(&Workshop::open(&[root.path().to_path_buf()]).unwrap())
}

/// The list with every argument that the tools take.
fn documented(selection: &ToolSelection) -> Value {
    let offer = selection.pick(everything()).unwrap();
    Server::new(Options { results: Results::Text, ..Options::offering(offer) }).documented()
}

fn listed(results: Results, selection: &ToolSelection) -> Value {
    let offer = selection.pick(everything()).unwrap();
    Server::new(Options { results, ..Options::offering(offer) }).tools()
}

#[test]
fn the_list_is_as_recorded() {
    check("tools-list.json", &ToolSelection { sets: vec!["all".into()], ..ToolSelection::default() });
}

#[test]
fn the_lists_of_other_surfaces_are_as_recorded() {
    for (name, surface) in Surface::ALL.into_iter().skip(1) {
        check(&format!("surface-{name}.json"), &ToolSelection { surface, ..ToolSelection::default() });
    }
}

fn check(golden: &str, selection: &ToolSelection) {
    let found = serde_json::to_string_pretty(&listed(Results::Text, selection)).unwrap() + "\n";
    compare(&found, &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(golden));
}

/// Compares with a recorded file, or records it.
fn compare(found: &str, path: &Path) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, found).unwrap();
    }
    let recorded = std::fs::read_to_string(path).unwrap();
    assert_eq!(found, recorded, "the list differs from {}; set UPDATE_GOLDEN=1 to record it", path.display());
}

#[test]
fn the_reference_is_that_of_the_list() {
    let all = ToolSelection { sets: vec!["all".into()], ..ToolSelection::default() };
    compare(&reference(&documented(&all)), &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools.md"));
}

#[test]
fn edits_run_code_only_where_a_tool_for_it_is_offered() {
    let arguments = |without: &[&str]| {
        let without = without.iter().map(|name| (*name).to_owned()).collect();
        let sets = vec!["refactor".to_owned()];
        let list = listed(Results::Text, &ToolSelection { sets, without, ..ToolSelection::default() });
        let tools = list
            .as_array()
            .unwrap()
            .iter()
            .filter(|tool| ["lisp_edit_form", "lisp_edit_batch"].contains(&tool["name"].as_str().unwrap()));
        let names = tools.flat_map(|tool| tool["inputSchema"]["properties"].as_object().unwrap().keys().cloned());
        names.filter(|name| ["verify", "load"].contains(&name.as_str())).count()
    };
    assert_eq!(arguments(&[]), 4);
    assert_eq!(arguments(&["load_system"]), 0);
}

#[test]
fn surfaces_list_their_own_names() {
    let names = |surface, change: fn(&mut ToolSelection)| {
        let mut selection = ToolSelection { surface, ..ToolSelection::default() };
        change(&mut selection);
        let list = listed(Results::Text, &selection);
        list.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let guard = [
        "sexp.guard.pushDelimiter",
        "sexp.guard.popDelimiter",
        "sexp.guard.setSentinel",
        "sexp.guard.balanceAndResume",
        "sexp.guard.pushMany",
        "sexp.guard.popMany",
        "sexp.guard.batch",
        "sexp.guard.scan",
    ];
    assert_eq!(names(Surface::SexpGuard, |_| {}), guard);
    assert_eq!(names(Surface::SexpGuard, |s| s.read_only = true), guard);
    assert_eq!(names(Surface::SexpGuard, |s| s.only = vec!["sexp.guard.popMany".into()]), guard[5..6]);
    assert_eq!(
        names(Surface::Guile, |s| s.read_only = true),
        ["read_module", "read_form", "check_syntax"],
        "nothing that writes or runs"
    );
    let reads = names(Surface::ClMcp, |s| s.read_only = true);
    assert!(reads.contains(&"lisp-read-file".to_owned()), "{reads:?}");
    let runs = ["pool-status", "pool-kill-worker", "repl-eval", "lisp-edit-form", "repl_control"];
    assert!(
        !reads.iter().any(|name| runs.contains(&name.as_str())),
        "tools that could not answer are not listed: {reads:?}"
    );
    let without = names(Surface::ClMcp, |s| s.without = vec!["repl_control".into(), "lisp-edit-form".into()]);
    assert!(without.contains(&"repl-eval".to_owned()));
    assert!(!without.iter().any(|name| ["pool-status", "pool-kill-worker", "lisp-edit-form"].contains(&name.as_str())));
    let more = names(Surface::EvaluateLisp, |s| s.sets = vec!["guard".into()]);
    assert_eq!((more[0].as_str(), more.last().unwrap().as_str()), ("evaluate-lisp", "sexp_guard_scan"));
}

#[test]
fn the_default_set_is_small() {
    let size = listed(Results::Text, &ToolSelection::default()).to_string().len();
    assert!(size < LARGEST_DEFAULT_LIST, "{size} bytes");
}

#[test]
fn every_tool_is_acceptable_to_every_client() {
    for results in [Results::Text, Results::Structured] {
        let list = listed(results, &ToolSelection { sets: vec!["all".into()], ..ToolSelection::default() });
        for tool in list.as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            assert!((1..=40).contains(&name.len()), "{name}");
            assert!(name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_'), "{name}");
            // One schema without an object at its root makes a client drop the whole list.
            assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
            assert!(tool["inputSchema"]["properties"].is_object(), "{name}");
            for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                assert!(tool["annotations"][hint].is_boolean(), "{name} lacks {hint}");
            }
            for text in ["title", "description"] {
                assert!(!tool[text].as_str().unwrap().is_empty(), "{name} has no {text}");
            }
            assert!(!tool.to_string().contains("$ref"), "{name} refers to another schema");
            if let Some(output) = tool.get("outputSchema") {
                assert_eq!(output["type"], "object", "{name}");
            }
        }
        let mut names: Vec<&str> = list.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "two tools share a name");
    }
}

#[test]
fn every_call_that_a_surface_speaks_of_is_on_it() {
    use lispwright_words::surfaces::{cl_mcp, evaluate_lisp, guile};
    for (surface, terms) in [
        (Surface::ClMcp, &cl_mcp::TERMS),
        (Surface::Guile, &guile::TERMS),
        (Surface::EvaluateLisp, &evaluate_lisp::TERMS),
    ] {
        let offer = ToolSelection { surface, ..ToolSelection::default() }.pick(everything()).unwrap();
        for (name, arguments) in terms.names() {
            let row = offer.listed.iter().find(|tool| tool.name == name);
            let row = row.unwrap_or_else(|| panic!("{surface:?} does not list {name}"));
            for argument in arguments {
                assert!(
                    row.input_schema["properties"].get(argument).is_some(),
                    "{surface:?}: {name} takes no {argument}"
                );
            }
        }
    }
}

/// The calls in a text: `NAME {...}` between backquotes.
fn calls(text: &str) -> Vec<(String, serde_json::Map<String, Value>)> {
    let spans = text.split('`').skip(1).step_by(2).map(|span| span.split_whitespace().collect::<Vec<_>>().join(" "));
    let call = |span: String| {
        let (name, arguments) = span.split_once(" {")?;
        let arguments = serde_json::from_str(&format!("{{{arguments}")).ok()?;
        Some((name.to_owned(), arguments))
    };
    spans.filter_map(call).collect()
}

#[test]
fn guides_name_tools_that_there_are_and_show_calls_that_these_take() {
    let tools = everything();
    for guide in lispwright_words::Guide::ALL {
        let text = guide.text();
        let calls = calls(&text);
        assert!(calls.len() >= 3, "{}: {calls:?}", guide.name);
        let mut needed: Vec<&str> = Vec::new();
        for (name, arguments) in calls {
            let tool = tools.iter().find(|tool| tool.name == name);
            let tool = tool.unwrap_or_else(|| panic!("{}: there is no tool {name}", guide.name));
            let checked = lispwright_tools::arguments::prepare(tool.name, &tool.input_schema, arguments);
            assert!(checked.is_ok(), "{}: {name}: {checked:?}", guide.name);
            needed.push(tool.name);
        }
        for name in guide.needs {
            assert!(tools.iter().any(|tool| tool.name == *name) && text.contains(name), "{}: {name}", guide.name);
        }
        // A guide for every server with the default set, or with that of the guard, calls nothing beyond.
        let beyond: Vec<&&str> = needed
            .iter()
            .filter(|name| !guide.needs.contains(name) && **name != "code_describe" && **name != "macroexpand")
            .collect();
        assert!(beyond.is_empty(), "{}: {beyond:?}", guide.name);
    }
}
