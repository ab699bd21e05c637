//! A random walk: a generated project of twelve files that changes step by step, as projects do. After each step the tests
//! say the same in an image that has been kept since the first step and in a fresh process.
//!
//! Every definition has a value, an integer that its constant and the definitions that it uses make, so that tests can
//! expect what the files say now. `LISPWRIGHT_WALK_STEPS` and `LISPWRIGHT_WALK_SEED` say how far to walk, and which way.

pub(crate) mod languages;
mod project;
mod writing;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use lispwright_runtime::Config;
use lispwright_tools::run_tests::{RunTests, run_tests};
use lispwright_tools::{CallContext, Workshop};

use crate::house::{has_died, is_frail, limit};
use crate::stories::Verdict;
use project::Project;
use writing::Writing;

/// The steps of a walk in the suite.
const STEPS: u32 = 25;

/// The walk of the suite.
const SEED: u64 = 20;

/// Steps between two fresh starts of the kept image.
const RESET: u32 = 120;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Walks in a language. Panics at the first step where the two differ, and says what led there.
pub(crate) fn walk(writing: &Writing) {
    let steps = number("LISPWRIGHT_WALK_STEPS").map_or(STEPS, |steps| u32::try_from(steps).unwrap());
    let seed = number("LISPWRIGHT_WALK_SEED").unwrap_or(SEED);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(walked(writing, steps, seed));
}

#[allow(clippy::print_stdout, reason = "a long walk says what it has seen")]
async fn walked(writing: &Writing, steps: u32, seed: u64) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("images");
    let workshop =
        Workshop::open_with(&[root.to_owned()], |config| Config { cache: Some(cache), spare: false, ..config });
    let workshop = workshop.unwrap();
    let mut project = Project::new(seed);
    let mut story = String::new();
    let (mut green, mut red, mut broken) = (0, 0, 0);
    for step in 0..=steps {
        let happened = if step == 0 { "begun".to_owned() } else { project.change() };
        let _ = writeln!(story, "{step}: {happened}");
        write(root, &writing.files(&project));
        let fresh = (writing.fresh)(root).map(|(passed, mut failed)| {
            failed.sort();
            (passed, failed)
        });
        let (kept, words) = kept(&workshop, writing).await;
        match &fresh {
            Some((_, failed)) if failed.is_empty() => green += 1,
            Some(_) => red += 1,
            None => broken += 1,
        }
        if fresh != kept {
            let keep = directory.keep();
            let last: Vec<&str> = story.lines().rev().take(12).collect();
            panic!(
                "seed {seed}, step {step}, {}: fresh {fresh:?}, kept {kept:?}\n{words}\nin {}\n{}",
                writing.name,
                keep.display(),
                last.join("\n")
            );
        }
        if step % RESET == RESET - 1 {
            workshop.sessions.reset(writing.name, std::time::Duration::from_secs(100).into()).await.unwrap();
        }
    }
    println!("{}: {steps} steps from seed {seed}: {green} green, {red} red, {broken} not loaded", writing.name);
    workshop.sessions.shutdown().await;
}

/// Makes the directory have these files, and no others of the language.
fn write(root: &Path, files: &[(String, String)]) {
    for (path, text) in files {
        let path = root.join(path);
        if fs::read_to_string(&path).is_ok_and(|present| present == *text) {
            continue;
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let is_wanted = files.iter().any(|(wanted, _)| root.join(wanted) == path);
            let is_source = files.iter().any(|(wanted, _)| Path::new(wanted).extension() == path.extension());
            if is_source && !is_wanted {
                fs::remove_file(path).unwrap();
            }
        }
    }
}

/// The verdict of the kept image, with its words.
async fn kept(workshop: &Workshop, writing: &Writing) -> (Verdict, String) {
    let is_file = writing.tests.contains('.');
    let target = Some(writing.tests.to_owned());
    let (path, system) = if is_file { (target, None) } else { (None, target) };
    let runtime = Some(writing.runtime.to_owned());
    let timeout_seconds = limit(writing.runtime);
    let session = Some(writing.name.to_owned());
    let args = RunTests { path, system, session, runtime, timeout_seconds, ..RunTests::default() };
    let mut answer = run_tests(workshop, args.clone(), &CallContext::default()).await.unwrap();
    if has_died(&answer.report) && is_frail(writing.runtime) {
        answer = run_tests(workshop, args, &CallContext::default()).await.unwrap();
    }
    let mut words: String =
        answer.diagnostics.iter().map(|one| format!("  {:?}:{:?} {}\n", one.path, one.line, one.message)).collect();
    if answer.is_error() {
        let _ = writeln!(words, "  {:?} {:?}", answer.report.ending, answer.report.notices);
    }
    for test in &answer.failed_tests {
        let _ = writeln!(words, "  {}: {}", test.test_name, test.reason);
    }
    let mut failed: Vec<String> = answer.failed_tests.iter().map(|test| test.test_name.clone()).collect();
    failed.sort();
    ((answer.total > 0 && !answer.is_error()).then_some((answer.passed, failed)), words)
}
