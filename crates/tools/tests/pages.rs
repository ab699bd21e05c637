//! Pages of Markdown with files, calls and the answers to them: the tools as a client meets them.
//!
//! A block of code whose first line is a fence with a language and a path (`lisp src/a.lisp`) is a file of the page's
//! project, written when the page comes to it. A block that begins with `call NAME` has the arguments of a call as JSON, and
//! the next block, `answer`, what it answers. `UPDATE=1 cargo test -p lispwright-tools --test pages` writes the answers.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use futures::FutureExt as _;
use lispwright_tools::arguments::AnswerWish;
use lispwright_tools::{CallContext, News, Tool, Workshop, catalogue};
use lispwright_words::{Skin, render_as};
use serde_json::Value;

/// A page's project and the tools that work on it.
struct Project {
    directory: tempfile::TempDir,
    tools: Vec<Tool>,
}

impl Project {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join(".git")).unwrap();
        let mut workshop = Workshop::open(&[directory.path().to_owned()]).unwrap();
        workshop.news = News::waiting(Duration::from_secs(600));
        Self { directory, tools: catalogue(&workshop) }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn call(&self, name: &str, arguments: &str) -> String {
        let tool = self.tools.iter().find(|tool| tool.name == name).unwrap_or_else(|| panic!("no tool {name}"));
        let Value::Object(arguments) = serde_json::from_str(arguments).unwrap() else {
            panic!("no object: {arguments}")
        };
        let mut wish = AnswerWish::default();
        let reply = match AnswerWish::of(tool, arguments) {
            Ok((arguments, wished)) => {
                wish = wished;
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on((tool.run)(arguments, CallContext::default()).boxed())
            }
            Err(refusal) => Err(refusal),
        };
        let root = self.directory.path().canonicalize().unwrap();
        render_as(reply, Skin::Client, wish).text.replace(&*root.to_string_lossy(), "ROOT")
    }
}

/// The page with the answers that its calls get, and the number of calls.
fn played(page: &str) -> (String, usize) {
    let project = Project::new();
    let (mut out, mut calls) = (String::new(), 0);
    let mut answer: Option<String> = None;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(out, "{line}");
        let Some(fence) = line.strip_prefix("```").filter(|fence| !fence.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let text = block.join("\n");
        match fence.split_once(' ') {
            Some(("call", name)) => {
                assert!(answer.is_none(), "a call without an answer before {name}");
                answer = Some(project.call(name, &text));
                calls += 1;
                let _ = writeln!(out, "{text}");
            }
            Some((_, path)) => {
                project.write(path, &format!("{text}\n"));
                let _ = writeln!(out, "{text}");
            }
            None if fence == "answer" => {
                let text = answer.take().unwrap();
                let _ = writeln!(out, "{}", text.trim_end());
            }
            None => {
                let _ = writeln!(out, "{text}");
            }
        }
        out.push_str("```\n");
    }
    assert!(answer.is_none(), "the last call has no answer");
    (out, calls)
}

#[test]
fn the_answers_are_those_of_the_pages() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let is_update = std::env::var_os("UPDATE").is_some();
    let mut all = 0;
    for entry in fs::read_dir(pages).unwrap() {
        let path = entry.unwrap().path();
        let page = fs::read_to_string(&path).unwrap();
        let (found, calls) = played(&page);
        assert!(calls > 0, "{} calls nothing", path.display());
        all += calls;
        if is_update {
            fs::write(&path, found).unwrap();
        } else {
            assert_eq!(found, page, "{}: UPDATE=1 writes what is answered", path.display());
        }
    }
    assert!(all > 5, "{all} calls");
}
