//! Arguments that tools take and the list leaves out, because others say the same or calls hardly ever need them.
//!
//! A model pays for every word of the list in every task. What is left out here is taken all the same, and stands in the
//! reference of the tools: a form's head and number are part of `name` (`defun foo`, `foo[2]`), the image of a file is
//! that of its Lisp, and answers that are cut name the call that goes on.

use serde_json::{Map, Value};

/// A tool with the arguments that are not listed; those of the elements of an argument follow its name and a dot.
type Row = (&'static str, &'static [&'static str]);

const ROWS: &[Row] = &[
    ("lisp_read_form", &["index"]),
    ("lisp_edit_form", &["form_type", "index", "format", "runtime", "session"]),
    ("lisp_patch_form", &["form_type", "index", "digest", "repair", "accept", "runtime", "session"]),
    (
        "lisp_edit_batch",
        &[
            "accept",
            "system",
            "session",
            "runtime",
            "edits.form_type",
            "edits.index",
            "edits.digest",
            "edits.repair",
            "edits.format",
        ],
    ),
    ("lisp_rename", &["also", "system", "session", "runtime"]),
    ("lisp_check_parens", &["offset", "limit", "lint"]),
    ("lisp_search", &["recursive", "include_form", "offset"]),
    ("code_find", &["session"]),
    ("code_describe", &["session"]),
    ("code_find_references", &["limit", "offset", "project_only", "session"]),
    ("repl_eval", &["max_output_length", "print_level", "print_length", "safe_read"]),
    ("repl_control", &["package"]),
    ("inspect_object", &["offset"]),
    ("load_system", &["clear_fasls", "runtime"]),
    ("run_tests", &["framework", "runtime", "tests"]),
    ("macroexpand", &["form_type", "index", "timeout_seconds", "session", "runtime"]),
];

/// Takes the arguments that are not listed out of the schema of a tool.
pub(crate) fn leave_out(tool: &str, schema: &mut Map<String, Value>) {
    let Some((_, names)) = ROWS.iter().find(|(name, _)| *name == tool) else { return };
    for name in *names {
        let (of, name) = match name.split_once('.') {
            Some((argument, name)) => (schema["properties"].get_mut(argument).map(|inner| &mut inner["items"]), name),
            None => (None, *name),
        };
        let properties = match of {
            Some(element) => element.get_mut("properties"),
            None => schema.get_mut("properties"),
        };
        if let Some(Value::Object(properties)) = properties {
            properties.shift_remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use lispwright_tools::{Workshop, catalogue};

    use super::*;

    #[test]
    fn every_argument_that_is_left_out_is_one_that_is_not_required() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let _inside = runtime.enter();
        let root = tempfile::tempdir().unwrap();
        let tools = catalogue(&Workshop::open(&[root.path().to_owned()]).unwrap());
        for (tool, names) in ROWS {
            let tool = tools.iter().find(|known| known.name == *tool).unwrap();
            let whole = Map::clone(&tool.input_schema);
            let mut listed = whole.clone();
            leave_out(tool.name, &mut listed);
            let size = |schema: &Map<String, Value>| Value::Object(schema.clone()).to_string().len();
            assert!(size(&listed) < size(&whole));
            for name in *names {
                let (of, name) = match name.split_once('.') {
                    Some((argument, name)) => (&whole["properties"][argument]["items"], name),
                    None => (&Value::Object(whole.clone()), *name),
                };
                assert!(of["properties"].get(name).is_some(), "{} takes no {name}", tool.name);
                let none = Vec::new();
                let required = of["required"].as_array().unwrap_or(&none);
                assert!(!required.iter().any(|required| required == name), "{} needs {name}", tool.name);
            }
        }
    }
}
