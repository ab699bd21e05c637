//! Tells a story: a project in a directory, an image that is kept, and a fresh process to compare with.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use lispwright_runtime::{Config, Ending, EvalReport, Notice};
use lispwright_syntax::{Dialect, Forms, read};
use lispwright_tools::lisp_edit_batch::{LispEditBatch, lisp_edit_batch};
use lispwright_tools::load_system::{LoadStatus, LoadSystem, load_system};
use lispwright_tools::run_tests::{RunTests, run_tests};
use lispwright_tools::{Answer, CallContext, Workshop};
use lispwright_words::{Skin, render};
use serde_json::{Value, json};

use crate::stories::{Language, Story, Verdict, Verifies};

/// The state of the files.
#[derive(Clone, Copy, Debug)]
enum Chapter {
    Before = 0,
    After = 1,
}

use Chapter::{After, Before};

/// Implementations that a collection of garbage ends or stops now and then: what is said then is said again.
const FRAIL: [&str; 2] = ["ecl", "clisp"];

/// How often a story is told again because a frail implementation has died in it.
const DEATHS: usize = 3;

/// The time limit of a call of a frail implementation, which takes about a second: seconds. Others have the default.
const FRAIL_LIMIT: f64 = 60.0;

/// Whether the implementation may end or stop by itself.
pub(crate) fn is_frail(runtime: &str) -> bool {
    FRAIL.contains(&runtime)
}

/// The limit of a call, where it is not the default: seconds.
pub(crate) fn limit(runtime: &str) -> Option<f64> {
    is_frail(runtime).then_some(FRAIL_LIMIT)
}

/// Whether the image has died at the work that the report is of, or before it.
pub(crate) fn has_died(report: &EvalReport) -> bool {
    matches!(report.ending, Ending::Died { .. })
        || report.notices.iter().any(|notice| matches!(notice, Notice::Died { .. }))
}

/// Every story is told at each of its distances, with every edit that is verified.
fn tells_all() -> bool {
    std::env::var_os("LISPWRIGHT_ALL_STORIES").is_some()
}

/// A project that a story happens to.
struct House<'s> {
    directory: tempfile::TempDir,
    workshop: Workshop,
    language: &'s Language,
    story: &'s Story,
    distance: usize,
    /// The files that each session has loaded by themselves.
    loaded: Mutex<HashSet<(String, String)>>,
    /// An image has died at work that no story asks to die.
    died: AtomicBool,
    /// What a fresh process has said of files with these contents.
    said: RefCell<HashMap<BTreeMap<PathBuf, Vec<u8>>, Verdict>>,
}

impl<'s> House<'s> {
    fn new(language: &'s Language, story: &'s Story, distance: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("images");
        let workshop = Workshop::open_with(&[directory.path().to_owned()], |config| Config {
            cache: Some(cache),
            spare: false,
            ..config
        });
        Self {
            directory,
            workshop: workshop.unwrap(),
            language,
            story,
            distance,
            loaded: Mutex::default(),
            died: AtomicBool::default(),
            said: RefCell::default(),
        }
    }

    /// Writes the files as they are in a chapter.
    fn write(&self, chapter: Chapter) {
        let write = |path: &str, text: Option<&str>| {
            let path = self.directory.path().join(path);
            let Some(text) = text else {
                let _ = fs::remove_file(path);
                return;
            };
            if fs::read_to_string(&path).is_ok_and(|present| present == text) {
                return;
            }
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
        };
        let at = chapter as usize;
        write(self.language.base, self.story.base[at]);
        self.story.others.iter().for_each(|(path, texts)| write(path, texts[at]));
        for (path, text) in (self.language.around)(self.distance, self.story) {
            let mut text = self.story.heads.map_or(text.clone(), |heads| text.replace("HEAD", heads[at]));
            text = text.replace("FILES", &self.files(at).join(" "));
            if path == self.language.tests {
                text += self.story.more_tests[at];
            }
            write(&path, Some(&text));
        }
    }

    /// The base and the other files, as they are in a chapter, in the order of their names: as strings of Lisp.
    fn files(&self, at: usize) -> Vec<String> {
        let base = (self.language.base, self.story.base);
        let all = std::iter::once(base).chain(self.story.others.iter().copied());
        let mut files: Vec<String> = all.filter_map(|(path, texts)| texts[at].map(|_| format!("\"{path}\""))).collect();
        files.sort();
        files
    }

    /// Writes the files as they are before the change, with only the test of that name: each is on a line of its own.
    fn write_with_one_test(&self, name: &str) {
        self.write(Before);
        let tests = if self.language.tests.contains('.') { self.language.tests } else { "tests.lisp" };
        let path = self.directory.path().join(tests);
        let other = if name == "old" { "new" } else { "old" };
        // There may be one of each distance: `old-0`, `old-1`.
        let names_other =
            |word: &str| word.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
        let is_other = |line: &str| line.split(|c: char| !c.is_alphanumeric() && c != '-').any(names_other);
        let text = fs::read_to_string(&path).unwrap();
        let kept: String = text.lines().filter(|line| !is_other(line)).map(|line| format!("{line}\n")).collect();
        let of = |name: &str| text.matches(&format!("{name}-")).count().max(1);
        assert_eq!(text.lines().count(), kept.lines().count() + of(other), "a line for each test");
        fs::write(path, kept).unwrap();
    }

    /// Makes the change of the base in one edit that the tests verify, in a session that has run them before. Returns
    /// whether it stays, with its words; `None` if the change is not one of the base alone.
    async fn verified(&self, session: &str) -> Option<(bool, String)> {
        let [Some(before), Some(after)] = self.story.base else { return None };
        if self.story.heads.is_some() || self.story.others.iter().any(|(_, texts)| texts[0] != texts[1]) {
            return None;
        }
        // A line there is one of the form inside.
        if before.contains("(eval-when") {
            return None;
        }
        let path = self.language.base;
        let language = Dialect::detect(path, before.as_bytes()).unwrap();
        let tree = read(before, language);
        let forms = Forms::new(&tree, before).iter().filter(|(_, form)| form.parent.is_none()).count();
        let delete = json!({"operation": "delete", "path": path, "line": 1});
        let append = json!({"operation": "append", "path": path, "content": after, "repair": false});
        let edits: Vec<Value> = std::iter::repeat_n(delete, forms).chain([append]).collect();
        let args = json!({
            "edits": edits, "verify": "tests", "session": session, "runtime": self.language.runtime,
            "system": self.language.tests,
        });
        let args: LispEditBatch = serde_json::from_value(args).unwrap();
        let answer = lisp_edit_batch(&self.workshop, args, &CallContext::default()).await;
        let answer = render(answer.map(Answer::from), Skin::Client);
        // Some changes do not get as far as the image.
        let is_judged = !answer.is_error || answer.text.starts_with("The files are as they were.");
        is_judged.then_some((!answer.is_error, answer.text))
    }

    /// What a fresh process says of the files as they are, which it is asked once.
    fn fresh(&self) -> Verdict {
        let files = self.contents();
        if let Some(verdict) = self.said.borrow().get(&files) {
            return verdict.clone();
        }
        let verdict = (self.language.fresh)(self.directory.path()).map(in_order);
        self.said.borrow_mut().insert(files, verdict.clone());
        verdict
    }

    /// The contents of the files.
    fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut directories = vec![self.directory.path().to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    directories.push(path);
                } else {
                    files.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        files
    }

    /// The verdict of the image of `session`, with its words.
    async fn kept(&self, session: &str) -> (Verdict, String) {
        self.load_single_files(session).await;
        let (system, path) = self.target();
        let args = RunTests {
            system,
            path,
            session: Some(session.to_owned()),
            runtime: Some(self.language.runtime.to_owned()),
            timeout_seconds: limit(self.language.runtime),
            ..RunTests::default()
        };
        let answer = run_tests(&self.workshop, args, &CallContext::default()).await.unwrap();
        self.judge_image(&answer.report);
        let mut words: String =
            answer.diagnostics.iter().map(|one| format!("  {:?}:{:?} {}\n", one.path, one.line, one.message)).collect();
        if answer.is_error() {
            words += &format!("  {:?} {:?}\n", answer.report.ending, answer.report.notices);
        }
        let failed = answer.failed_tests.iter().map(|test| test.test_name.clone()).collect();
        ((answer.total > 0 && !answer.is_error()).then(|| in_order((answer.passed, failed))), words)
    }

    /// The tests: a system, or a file.
    fn target(&self) -> (Option<String>, Option<String>) {
        let tests = self.language.tests.to_owned();
        if tests.contains('.') { (None, Some(tests)) } else { (Some(tests), None) }
    }

    /// Loads the new ones of the files that the language loads by themselves.
    async fn load_single_files(&self, session: &str) {
        for path in self.language.single_files {
            let key = (session.to_owned(), (*path).to_owned());
            if !self.directory.path().join(path).exists() {
                self.loaded.lock().unwrap().remove(&key);
                continue;
            }
            let is_new = !self.loaded.lock().unwrap().contains(&key);
            if is_new && self.load_target(session, (None, Some((*path).to_owned()))).await != LoadStatus::Failed {
                self.loaded.lock().unwrap().insert(key);
            }
        }
    }

    async fn load(&self, session: &str) {
        self.load_single_files(session).await;
        self.load_target(session, self.target()).await;
    }

    async fn load_target(&self, session: &str, (system, path): (Option<String>, Option<String>)) -> LoadStatus {
        let args = LoadSystem {
            system,
            path,
            session: Some(session.to_owned()),
            runtime: Some(self.language.runtime.to_owned()),
            timeout_seconds: limit(self.language.runtime),
            ..LoadSystem::default()
        };
        let answer = load_system(&self.workshop, args, &CallContext::default()).await.unwrap();
        self.judge_image(&answer.report);
        answer.status
    }

    /// An image that is to be kept did not need a fresh one to be right.
    fn judge_image(&self, report: &EvalReport) {
        if has_died(report) {
            self.died.store(true, Ordering::Relaxed);
        }
        let renewed = report.notices.iter().find(|notice| matches!(notice, Notice::Renewed { .. }));
        assert!(renewed.is_none() || !self.language.keeps_its_image, "{renewed:?}");
    }
}

/// The results with the names in their order.
fn in_order((passed, mut failed): (u32, Vec<String>)) -> (u32, Vec<String>) {
    failed.sort();
    (passed, failed)
}

/// Tells the story of that name at one of its distances, from story to story another, or at each ([`tells_all`]).
pub(crate) fn tell(language: &Language, name: &str) {
    let story = language.stories.iter().find(|story| story.name == name).expect("each test has its story");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut wrong = Vec::new();
    let distances = &story.distances[..story.distances.len().min(language.distances)];
    let in_turn = name.len() % distances.len();
    let distances = if tells_all() { distances } else { &distances[in_turn..=in_turn] };
    for &distance in distances {
        let tell_once = || {
            let house = House::new(language, story, distance);
            (runtime.block_on(told(&house)), house.died.into_inner())
        };
        let mut told = tell_once();
        // What such an image had loaded by hand is lost with it.
        for _ in 0..DEATHS {
            if told.1 && is_frail(language.runtime) {
                told = tell_once();
            }
        }
        wrong.extend(told.0);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What differs between an image that is kept and a fresh process.
async fn told(house: &House<'_>) -> Vec<String> {
    let wrong = RefCell::new(Vec::new());
    let compare = |chapter: &str, fresh: &Verdict, (kept, words): (Verdict, String)| {
        if *fresh != kept {
            wrong
                .borrow_mut()
                .push(format!("{} files away, {chapter}: fresh {fresh:?}, kept {kept:?}\n{words}", house.distance));
        }
    };
    let names: &[&str] = match house.language.verifies {
        Verifies::InTurn if tells_all() => &["old", "new"],
        Verifies::InTurn if (house.story.name.len() + house.distance).is_multiple_of(2) => &["old"],
        Verifies::InTurn => &["new"],
        Verifies::Nothing => &[],
    };
    for &name in names {
        house.write_with_one_test(name);
        let (session, before) = (format!("verified-{name}"), house.fresh());
        compare(&format!("before the edit with the test {name}"), &before, house.kept(&session).await);
        let Some((stays, words)) = house.verified(&session).await else { break };
        let now = fs::read_to_string(house.directory.path().join(house.language.base)).unwrap();
        let base = house.story.base.map(Option::unwrap_or_default);
        let is_new = now.trim_end() == base[1].trim_end();
        assert!(is_new || now == base[0], "{now}");
        assert_eq!(is_new, stays);
        // What the change is judged by.
        if !is_new {
            fs::write(house.directory.path().join(house.language.base), base[1]).unwrap();
        }
        let should_stay = match (&before, house.fresh()) {
            (Some((_, before)), Some((_, after))) => after.iter().all(|test| before.contains(test)),
            (None, Some((_, after))) => after.is_empty(),
            (before, None) => before.is_none(),
        };
        fs::write(house.directory.path().join(house.language.base), &now).unwrap();
        if stays != should_stay {
            wrong
                .borrow_mut()
                .push(format!("{} files away, verified by {name}: stays {stays}\n{words}", house.distance));
        }
        compare(&format!("after the edit with the test {name}"), &house.fresh(), house.kept(&session).await);
    }
    house.write(Before);
    let before = house.fresh();
    compare("before", &before, house.kept("tests").await);
    compare("before, again", &before, house.kept("tests").await);
    // Loaded and not tested yet.
    house.load("loads").await;
    house.write(After);
    let after = house.fresh();
    assert_ne!(before, after, "nothing happens in this story");
    for path in house.story.loads {
        house.load_target("tests", (None, Some((*path).to_owned()))).await;
    }
    compare("after", &after, house.kept("tests").await);
    compare("after, again", &after, house.kept("tests").await);
    house.load("loads").await;
    compare("after a load", &after, house.kept("loads").await);
    house.write(Before);
    compare("back again", &before, house.kept("tests").await);
    house.workshop.sessions.shutdown().await;
    wrong.into_inner()
}
