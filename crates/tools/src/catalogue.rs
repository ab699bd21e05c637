//! All tools, in the order in which they are listed.
//!
//! To add a tool: write its operation in a file of its own, with an argument struct and an `async fn` from workshop,
//! arguments and context to facts of its own, and add an entry below. Doc comments of the arguments become the schema.

use std::future::Future;
use std::sync::Arc;

use futures::FutureExt;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::answer::{Answer, Reply, fields_schema};
use crate::arguments::{parse, schema_of};
use crate::code_describe::{DescribeAnswer, code_describe};
use crate::code_exports::{ExportsAnswer, code_exports};
use crate::code_find::{FindAnswer, code_find};
use crate::code_find_references::{ReferencesAnswer, code_find_references};
use crate::code_map::{MapAnswer, code_map};
use crate::coverage_code::{CoverageAnswer, coverage_code};
use crate::docs_lookup::{DocsAnswer, docs_lookup};
use crate::eval_answer::EvalAnswer;
use crate::fs_list_directory::{ListAnswer, fs_list_directory};
use crate::fs_project::{ProjectAnswer, fs_get_project_info, fs_set_project_root};
use crate::fs_read_file::{TextAnswer, fs_read_file};
use crate::fs_write_file::{WriteAnswer, fs_write_file};
use crate::guard::guard_tools;
use crate::inspect_object::{InspectAnswer, inspect_object};
use crate::lisp_change_signature::{SignatureAnswer, lisp_change_signature};
use crate::lisp_check_parens::{CheckAnswer, lisp_check_parens};
use crate::lisp_edit_batch::{BatchAnswer, lisp_edit_batch};
use crate::lisp_edit_form::EditAnswer;
use crate::lisp_edit_form::lisp_edit_form;
use crate::lisp_patch_form::lisp_patch_form;
use crate::lisp_read_file::{FileAnswer, lisp_read_file};
use crate::lisp_read_form::{FormAnswer, lisp_read_form};
use crate::lisp_rename::{RenameAnswer, lisp_rename};
use crate::lisp_rewrite::{RewriteAnswer, lisp_rewrite};
use crate::lisp_search::{SearchAnswer, lisp_search};
use crate::lisp_undo::{UndoAnswer, lisp_undo};
use crate::load_system::{LoadAnswer, load_system};
use crate::macroexpand::{ExpandAnswer, macroexpand};
use crate::offers::offering;
use crate::premises::Premises;
use crate::probes::{disassemble_code, profile_code, trace_calls};
use crate::refusal::Refusal;
use crate::repl_control::{control_schema, repl_control};
use crate::repl_eval::repl_eval;
use crate::repl_wait::keep;
use crate::run_tests::{TestAnswer, run_tests};
use crate::tool::{Annotations, CallContext, Run, Schema, Tool, ToolSet};
use crate::workshop::Workshop;

/// The tools, working on the workshop of `premises`.
pub fn catalogue(premises: impl Into<Premises>) -> Vec<Tool> {
    let premises = &premises.into();
    let mut tools = vec![
        Entry {
            name: "lisp_read_file",
            title: "Read a Lisp file",
            description: "Look at a Lisp file; prefer it to a plain read. One line per form, short forms whole; broken files and other text too.",
            annotations: Annotations::READS,
            output: fields_schema::<FileAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { lisp_read_file(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "lisp_read_form",
            title: "Read one form",
            description: "One Lisp form by name, as it is in the file, with its comment and digest.",
            annotations: Annotations::READS,
            output: fields_schema::<FormAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { lisp_read_form(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "lisp_edit_form",
            title: "Edit a form",
            description: "Replace, insert, append or delete Lisp forms by name; all else stays. Unbalanced content is repaired if certain, \
                          else refused with candidates. verify compiles or tests it in the same call.",
            annotations: Annotations::WRITES,
            output: fields_schema::<EditAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { lisp_edit_form(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "lisp_patch_form",
            title: "Patch text in a form",
            description: "Change text inside one Lisp form: cheaper than replacing a long one.",
            annotations: Annotations::WRITES,
            output: fields_schema::<EditAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { lisp_patch_form(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "lisp_edit_batch",
            title: "Edit several forms",
            description: "Several edits and patches in several files, written all or none; with verify only if they compile or pass tests.",
            annotations: Annotations::WRITES,
            output: fields_schema::<BatchAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { lisp_edit_batch(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "lisp_rename",
            title: "Rename",
            description: "Rename a Lisp function, variable, macro, class, slot or keyword in all files. Refused where it would capture, collide or cannot \
                          be told.",
            annotations: Annotations::WRITES,
            output: fields_schema::<RenameAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { lisp_rename(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "lisp_check_parens",
            title: "Check delimiters",
            description: "Find missing or extra delimiters, open strings and comments in Lisp; which line to fix and how.",
            annotations: Annotations::READS,
            output: fields_schema::<CheckAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { lisp_check_parens(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "lisp_search",
            title: "Search Lisp source",
            description: "Search Lisp by regex or shape of form; each match with its form.",
            annotations: Annotations::READS,
            output: fields_schema::<SearchAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { lisp_search(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "code_find",
            title: "Find definitions",
            description: "Where a Lisp name is defined: from files and a live image.",
            annotations: Annotations::LOOKS,
            output: fields_schema::<FindAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { code_find(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "code_describe",
            title: "Describe a name",
            description: "What a Lisp name or package is: kind, parameters, documentation, place; with an image value and slots.",
            annotations: Annotations::LOOKS,
            output: fields_schema::<DescribeAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { code_describe(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "code_find_references",
            title: "Find references",
            description: "Who uses a Lisp name, package or file, and how; what it uses; tests that reach it; may it be deleted.",
            annotations: Annotations::LOOKS,
            output: fields_schema::<ReferencesAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { code_find_references(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "code_map",
            title: "Map a project",
            description: "A Lisp project at a glance: systems, packages, entry points, tests, hot spots, problems.",
            annotations: Annotations::READS,
            output: fields_schema::<MapAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { code_map(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "repl_eval",
            title: "Evaluate Lisp",
            description: "Evaluate Lisp in a live image that keeps its state: values, output, warnings, or the error with restarts and backtrace.",
            annotations: Annotations::RUNS,
            output: fields_schema::<EvalAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { repl_eval(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "repl_control",
            title: "Control live images",
            description: "List live Lisp images; start, interrupt, end or renew one, compare it with the files; attach to a running one; debug a held error.",
            annotations: Annotations::RUNS,
            output: control_schema,
        }
        .tool(premises, |workshop, args, context| async move { repl_control(&workshop, args, &context).await }),
        Entry {
            name: "inspect_object",
            title: "Inspect an object",
            description: "Look into a Lisp value by its number in an answer ([object 7]): elements, entries, slots.",
            annotations: Annotations::LOOKS,
            output: fields_schema::<InspectAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { inspect_object(&workshop.sessions, args, &context).await.map(Answer::from) }),
        Entry {
            name: "load_system",
            title: "Load code",
            description: "Load a Lisp system or file: located warnings and errors.",
            annotations: Annotations::RUNS,
            output: fields_schema::<LoadAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { load_system(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "run_tests",
            title: "Run tests",
            description: "Run tests of a Lisp project, system or file: counts, each failure.",
            annotations: Annotations::RUNS,
            output: fields_schema::<TestAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { run_tests(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "macroexpand",
            title: "Expand macros",
            description: "Expand a Lisp form in a live image: code, or by its place in a file.",
            annotations: Annotations::LOOKS,
            output: fields_schema::<ExpandAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { macroexpand(&workshop, args, &context).await.map(Answer::from) }),
    ];
    tools.extend(docs_tools(premises));
    tools.extend(fs_tools(premises));
    tools.extend(refactor_tools(premises));
    tools.extend(debug_tools(premises));
    tools.extend(guard_tools());
    offering(premises, tools)
}

/// What is written about names, and which of them others may use.
fn docs_tools(premises: &Premises) -> Vec<Tool> {
    let tools = [
        Entry {
            name: "docs_lookup",
            title: "Look up documentation",
            description: "What the manual of the language says of a name: HyperSpec (also sections, format directives), Guile, Emacs, \
                          Clojure; docstrings of the project.",
            annotations: Annotations::READS,
            output: fields_schema::<DocsAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { docs_lookup(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "code_exports",
            title: "List exports",
            description: "What a module, package or namespace exports: names, parameters, the first line of the documentation.",
            annotations: Annotations::LOOKS,
            output: fields_schema::<ExportsAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { code_exports(&workshop, args, &context).await.map(Answer::from) }),
    ];
    tools.map(|tool| Tool { set: ToolSet::Docs, ..tool }).into()
}

/// The tools that change many files in one call.
fn refactor_tools(premises: &Premises) -> Vec<Tool> {
    let tools = [
        Entry {
            name: "lisp_change_signature",
            title: "Change parameters",
            description: "Add, drop, move or rename parameters of a Lisp function or macro, in all files: definition, methods, all calls. \
                          Places that cannot be followed are told and refuse the write.",
            annotations: Annotations::WRITES,
            output: fields_schema::<SignatureAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { lisp_change_signature(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "lisp_rewrite",
            title: "Rewrite forms",
            description: "Change all Lisp forms of a shape into another, in all files: a dry run shows count and diffs, expect_count \
                          writes all or none. Refused where a comment would be lost or matches overlap.",
            annotations: Annotations::WRITES,
            output: fields_schema::<RewriteAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { lisp_rewrite(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "lisp_undo",
            title: "Undo",
            description: "Take back the last change that a tool or command has written, all its files or none; again: make it again. \
                          Refused where a file has changed since.",
            annotations: Annotations::WRITES,
            output: fields_schema::<UndoAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { lisp_undo(&workshop, args, &context).await.map(Answer::from) }),
    ];
    tools.map(|tool| Tool { set: ToolSet::Refactor, ..tool }).into()
}

/// The tools for files of any kind, and for the root of the project.
fn fs_tools(premises: &Premises) -> Vec<Tool> {
    let (told, set) = (premises.clone(), premises.clone());
    let tools = [
        Entry {
            name: "fs_read_file",
            title: "Read a file",
            description: "The text of any file of the project, by characters. For Lisp, lisp_read_file shows an outline.",
            annotations: Annotations::READS,
            output: fields_schema::<TextAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { fs_read_file(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "fs_write_file",
            title: "Write a file",
            description: "Write a whole file, with the directories it needs. A new Lisp file is checked first; one that is there is edited \
                          with lisp_edit_form instead.",
            annotations: Annotations::WRITES,
            output: fields_schema::<WriteAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { fs_write_file(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "fs_list_directory",
            title: "List a directory",
            description: "Files and directories in a directory, without hidden ones and compiled files.",
            annotations: Annotations::READS,
            output: fields_schema::<ListAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { fs_list_directory(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "fs_get_project_info",
            title: "Tell the project root",
            description: "Which directory is the project root, and who named it.",
            annotations: Annotations::READS,
            output: fields_schema::<ProjectAnswer>,
        }
        .tool(premises, move |workshop, args, _| {
            let told = told.clone();
            async move { Ok::<_, Refusal>(Answer::from(fs_get_project_info(&told, &workshop, args))) }
        }),
        Entry {
            name: "fs_set_project_root",
            title: "Set the project root",
            description: "Work in another directory, for all clients of this server: only where none was named when it was started.",
            annotations: Annotations::SETS,
            output: fields_schema::<ProjectAnswer>,
        }
        .tool_in(move |args, context| {
            let premises = set.clone();
            async move { fs_set_project_root(&premises, args, &context).await.map(Answer::from) }
        }),
    ];
    tools.map(|tool| Tool { set: ToolSet::Fs, ..tool }).into()
}

/// The looks at running code.
fn debug_tools(premises: &Premises) -> Vec<Tool> {
    let tools = [
        Entry {
            name: "trace_calls",
            title: "Trace calls",
            description: "Run code and show every call of some functions with its arguments and results, in order.",
            annotations: Annotations::RUNS,
            output: fields_schema::<EvalAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { trace_calls(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "profile_code",
            title: "Profile code",
            description: "Run code and show where the time goes: by samples of the stack, or by counting and timing all calls of some \
                          functions.",
            annotations: Annotations::RUNS,
            output: fields_schema::<EvalAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { profile_code(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "coverage_code",
            title: "Test coverage",
            description: "Run the tests of a system or file, or code, in a copy of the image, and show which lines and forms of the \
                          project were not executed.",
            annotations: Annotations::RUNS,
            output: fields_schema::<CoverageAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { coverage_code(&workshop, args, &context).await.map(Answer::from) }),
        Entry {
            name: "disassemble_code",
            title: "Disassemble",
            description: "The instructions that the compiler has made of a function.",
            annotations: Annotations::RUNS,
            output: fields_schema::<EvalAnswer>,
        }
        .tool(premises, |workshop, args, context| async move { disassemble_code(&workshop, args, &context).await.map(Answer::from) }),
    ];
    tools.map(|tool| Tool { set: ToolSet::Debug, ..tool }).into()
}

/// The description of a tool; its operation has its arguments and its work.
struct Entry {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    annotations: Annotations,
    output: fn() -> Map<String, Value>,
}

impl Entry {
    /// The tool whose operation needs no workshop.
    fn tool_in<A, F>(self, run: impl Fn(A, CallContext) -> F + Send + Sync + 'static) -> Tool
    where
        A: JsonSchema + DeserializeOwned + Send + 'static,
        F: Future + Send + 'static,
        F::Output: Into<Reply> + Send,
    {
        self.with::<A>(Arc::new(move |arguments, context| match parse::<A>(arguments) {
            Ok(arguments) => {
                let working = run(arguments, context);
                async move { working.await.into() }.boxed()
            }
            Err(refusal) => async move { Err(refusal) }.boxed(),
        }))
    }

    fn with<A: JsonSchema + 'static>(self, run: Run) -> Tool {
        Tool {
            name: self.name,
            title: self.title,
            description: self.description,
            set: ToolSet::Default,
            annotations: self.annotations,
            input_schema: Schema::new(schema_of::<A>),
            output_schema: Schema::new(self.output),
            run,
        }
    }

    /// The tool whose operation needs a workshop.
    fn tool<A, F>(
        self,
        premises: &Premises,
        run: impl Fn(Workshop, A, CallContext) -> F + Send + Sync + 'static,
    ) -> Tool
    where
        A: JsonSchema + DeserializeOwned + Send + 'static,
        F: Future + Send + 'static,
        F::Output: Into<Reply> + Send,
    {
        let (premises, name) = (premises.clone(), self.name);
        self.with::<A>(Arc::new(move |arguments, context| {
            let ready =
                parse::<A>(arguments).and_then(|arguments| Ok((arguments, premises.workshop(&context)?.for_one(name))));
            match ready {
                Ok((arguments, workshop)) => {
                    let context = CallContext {
                        observer: workshop.observer.clone(),
                        root: Some(workshop.roots.primary().into()),
                        ..context
                    };
                    let roots = workshop.roots.clone();
                    let working = run(workshop, arguments, context.clone());
                    async move {
                        let reply = context.noted(working.await.into(), &roots);
                        keep(&context, &reply);
                        reply
                    }
                    .boxed()
                }
                Err(refusal) => async move { Err(refusal) }.boxed(),
            }
        }))
    }
}
