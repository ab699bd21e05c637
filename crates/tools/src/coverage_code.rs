//! `coverage_code`: which lines and forms of the project are executed while its tests, or other code, run.
//!
//! The image measures in a copy of itself that is thrown away, so the session keeps its code as it was. It tells a state for
//! each line; the forms are those of our own reader, with labels that edits take.

use std::time::Duration;

use lispwright_runtime::{Ending, EvalRequest, LoadTarget, Printout, Probe, Request};
use lispwright_syntax::FormId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::eval_answer::{EvalAnswer, output_limit};
use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::repl_eval::{ask, time_limit_or};
use crate::repl_work::{Work, relative};
use crate::tool::CallContext;
use crate::workshop::{Workshop, read_source};

/// The default time limit.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Characters of findings: one for each line of the project.
const FINDINGS: usize = 8_000_000;

/// Arguments of `coverage_code`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoverageCode {
    /// System or module whose files are measured; or give path
    #[serde(default)]
    pub system: Option<String>,
    /// File
    #[serde(default)]
    pub path: Option<String>,
    /// Forms to run instead of its tests
    #[serde(default)]
    pub code: Option<String>,
    /// Only these tests
    #[serde(default)]
    pub tests: Option<Vec<String>>,
    /// Package
    #[serde(default)]
    pub package: Option<String>,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
    /// Default 300
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
    /// Characters, default 10000
    #[serde(default)]
    pub max_output_length: Option<u32>,
}

/// What was executed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CoverageAnswer {
    /// The ending of the code or the tests, if it prevented the findings.
    #[serde(flatten)]
    #[schemars(skip)]
    pub otherwise: Option<EvalAnswer>,
    /// The session.
    pub session: String,
    /// Executed expressions.
    pub expressions_covered: u64,
    /// All expressions.
    pub expressions: u64,
    /// Lines of which something was executed.
    pub lines_covered: u64,
    /// Lines with code.
    pub lines: u64,
    /// The files, the least covered first.
    pub files: Vec<FileCoverage>,
    /// The results of the tests, if they ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<CoveredTests>,
    /// The values of the code, if it ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// Its duration.
    pub duration_ms: f64,
    /// The answer of the image to the run.
    #[serde(skip)]
    pub run: EvalAnswer,
    /// The size limit of the answer, in characters.
    #[serde(skip)]
    pub limit: usize,
}

/// What was executed of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileCoverage {
    /// The file, as calls name it.
    pub path: String,
    /// Executed expressions.
    pub expressions_covered: u64,
    /// All expressions.
    pub expressions: u64,
    /// Lines of which something was executed.
    pub lines_covered: u64,
    /// Lines with code.
    pub lines: u64,
    /// The forms that were not or not wholly executed, in the order of the file.
    pub forms: Vec<FormCoverage>,
}

/// A form that was not or not wholly executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FormCoverage {
    /// Its label, which the tools take as its name.
    pub form: String,
    /// Its first line, from 1.
    pub line: u32,
    /// Its last line.
    pub end_line: u32,
    /// Nothing of it was executed but its definition.
    pub is_unused: bool,
    /// The lines that were not executed, each with its last.
    pub not_covered: Vec<(u32, u32)>,
    /// The lines that were executed in part.
    pub partly: Vec<(u32, u32)>,
}

/// The results of the tests of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CoveredTests {
    /// Their framework.
    pub framework: String,
    /// The number of passed tests.
    pub passed: u64,
    /// The number of failed tests.
    pub failed: u64,
    /// The number of skipped tests.
    pub pending: u64,
    /// The number of tests with an unknown result.
    pub unknown: u64,
    /// The names of failed tests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_tests: Vec<String>,
}

impl CoverageAnswer {
    /// There are no findings.
    pub fn is_error(&self) -> bool {
        self.otherwise.is_some()
    }
}

impl CoveredTests {
    /// The number of tests.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.passed + self.failed + self.pending + self.unknown
    }
}

/// Runs the tests of a target, or code after loading it, and tells what was executed.
pub async fn coverage_code(
    workshop: &Workshop,
    args: CoverageCode,
    context: &CallContext,
) -> Result<CoverageAnswer, Refusal> {
    let timeout = time_limit_or(args.timeout_seconds, TIMEOUT)?;
    let limit = output_limit(args.max_output_length);
    let (system, path) = (args.system.as_deref(), args.path.as_deref());
    let work = Work::find(workshop, "coverage_code", system, path, args.session.as_deref(), args.runtime.as_deref())?;
    let runtime = workshop.sessions.runtime_of(&work.session);
    let (kind, target) = match work.target {
        LoadTarget::Path(path) => ("path".to_owned(), path),
        LoadTarget::System(name) => ("system".to_owned(), name),
    };
    let lines = |texts: &[String]| texts.join("\n");
    let tests = args.tests.unwrap_or_default();
    let (roots, definitions) = (lines(&work.project.roots), lines(&work.project.definitions));
    // The package may be one of the target.
    let names = [kind, target, lines(&tests), roots, definitions, args.package.unwrap_or_default()];
    let code = args.code.unwrap_or_default();
    let code =
        runtime.probes.code(Probe::Cover, &code, &names).ok_or(LiveFault::NoProbe { kind: Probe::Cover, runtime })?;
    let request = EvalRequest { value_limit: FINDINGS, timeout, trial: true, ..EvalRequest::new(code) };
    let mut report = ask(&workshop.sessions, &work.session, Request::Eval(request), context).await?;
    let findings = match &mut report.ending {
        Ending::Values(values) => Findings::read(&std::mem::take(values)),
        _ => None,
    };
    let session = report.session.clone();
    let duration_ms = report.duration.as_secs_f64() * 1000.0;
    let run = EvalAnswer::of(report, limit)?;
    let otherwise = findings.is_none().then(|| run.clone());
    let findings = findings.unwrap_or_default();
    let workshop = workshop.clone();
    let told = findings.files.clone();
    let mut files: Vec<FileCoverage> =
        context.on_files(move || Ok(told.iter().map(|found| file_coverage(&workshop, found)).collect())).await?;
    files.sort_by_key(|file| (u64::MAX - file.lines.saturating_sub(file.lines_covered), file.path.clone()));
    let sum = |of: fn(&FileCoverage) -> u64| files.iter().map(of).sum();
    Ok(CoverageAnswer {
        otherwise,
        session,
        expressions_covered: sum(|file| file.expressions_covered),
        expressions: sum(|file| file.expressions),
        lines_covered: sum(|file| file.lines_covered),
        lines: sum(|file| file.lines),
        files,
        tests: findings.tests,
        values: findings.values,
        duration_ms,
        run,
        limit,
    })
}

/// What an image has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Findings {
    tests: Option<CoveredTests>,
    values: Vec<String>,
    files: Vec<Found>,
}

/// What an image has found about a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found {
    path: String,
    covered: u64,
    all: u64,
    /// A character for each line: `+` covered, `-` not, `~` in part, a blank for no code.
    lines: String,
}

impl Findings {
    /// Reads the values of the probe: what ran, `files`, and three texts for each file. `None` if they are not that.
    fn read(values: &[Printout]) -> Option<Self> {
        if values.iter().any(|value| value.cut) {
            return None;
        }
        let texts: Option<Vec<String>> = values.iter().map(|value| unquoted(&value.text)).collect();
        let texts = texts?;
        let (kind, texts) = texts.split_first()?;
        let marker = texts.iter().position(|text| text == "files")?;
        let (run, files) = (&texts[..marker], &texts[marker + 1..]);
        let mut findings = Self::default();
        if kind == "tests" {
            let (framework, run) = run.split_first()?;
            let (counts, failed) = run.split_first()?;
            let mut counts = counts.split(' ').filter_map(|count| count.parse().ok());
            let mut next = || counts.next();
            findings.tests = Some(CoveredTests {
                framework: framework.clone(),
                passed: next()?,
                failed: next()?,
                pending: next()?,
                unknown: next()?,
                failed_tests: failed.to_vec(),
            });
        } else {
            findings.values = run.to_vec();
        }
        for file in files.chunks(3) {
            let [path, counts, lines] = file else { return None };
            let (covered, all) = counts.split_once(' ')?;
            let (covered, all) = (covered.parse().ok()?, all.parse().ok()?);
            findings.files.push(Found { path: path.clone(), covered, all, lines: lines.clone() });
        }
        Some(findings)
    }
}

/// The text of a printed string.
fn unquoted(printed: &str) -> Option<String> {
    let inner = printed.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        text.push(if character == '\\' { characters.next()? } else { character });
    }
    Some(text)
}

/// The findings about a file, by its forms as they are now.
fn file_coverage(workshop: &Workshop, found: &Found) -> FileCoverage {
    let count = |states: &[char]| found.lines.chars().filter(|state| states.contains(state)).count() as u64;
    let mut coverage = FileCoverage {
        path: relative(&found.path, workshop.roots.primary()),
        expressions_covered: found.covered,
        expressions: found.all,
        lines_covered: count(&['+', '~']),
        lines: count(&['+', '~', '-']),
        forms: Vec::new(),
    };
    let Ok((file, language)) = workshop.workspace.open_lisp(&found.path) else { return coverage };
    let source = read_source(&file, &language);
    let mut last: Option<FormId> = None;
    for (line, state) in (1u32..).zip(found.lines.chars()) {
        let Some(span) = source.lines.line_span(line) else { break };
        let text = source.slice(span);
        let blank = text.len() - text.trim_start().len();
        let Some(id) = source.forms.around(span.start + blank as u32) else { continue };
        if !matches!(state, '+' | '-' | '~') {
            continue;
        }
        let form = source.forms.get(id);
        let first = source.lines.line(form.span.start);
        if last != Some(id) {
            last = Some(id);
            let known = coverage.forms.iter().position(|other| other.line == first);
            if let Some(known) = known {
                let known = coverage.forms.remove(known);
                coverage.forms.push(known);
            } else {
                coverage.forms.push(FormCoverage {
                    form: form.label(source.text),
                    line: first,
                    end_line: source.lines.line(form.span.end.saturating_sub(1)),
                    is_unused: true,
                    not_covered: Vec::new(),
                    partly: Vec::new(),
                });
            }
        }
        let Some(current) = coverage.forms.last_mut() else { continue };
        match state {
            '-' => extend(&mut current.not_covered, line),
            '~' if line != first => {
                current.is_unused = false;
                extend(&mut current.partly, line);
            }
            '~' => extend(&mut current.partly, line),
            // The definition itself is executed when its file is loaded.
            _ => current.is_unused &= line == first,
        }
    }
    coverage.forms.retain(|form| !form.not_covered.is_empty() || !form.partly.is_empty());
    for form in &mut coverage.forms {
        form.is_unused &= !form.not_covered.is_empty();
    }
    coverage.forms.sort_by_key(|form| form.line);
    coverage
}

/// Adds a line to the last range if that ends before it, or a range of its own.
fn extend(ranges: &mut Vec<(u32, u32)>, line: u32) {
    match ranges.last_mut() {
        Some((_, end)) if *end + 1 == line => *end = line,
        _ => ranges.push((line, line)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn values(texts: &[&str]) -> Vec<Printout> {
        texts.iter().map(|text| Printout { text: format!("{text:?}"), cut: false }).collect()
    }

    #[test]
    fn findings_are_read() {
        let told = ["tests", "fiveam", "2 1 0 0", "a \"b\"", "files", "/p/a.lisp", "3 4", "+- ~"];
        let findings = Findings::read(&values(&told)).unwrap();
        let tests = findings.tests.unwrap();
        assert_eq!((tests.total(), tests.failed_tests), (3, vec!["a \"b\"".to_owned()]));
        let file = Found { path: "/p/a.lisp".to_owned(), covered: 3, all: 4, lines: "+- ~".to_owned() };
        assert_eq!(findings.files, [file]);
        let ran = Findings::read(&values(&["code", "3", "files"])).unwrap();
        assert_eq!(ran, Findings { values: vec!["3".to_owned()], ..Findings::default() });
        for wrong in [&["code"] as &[&str], &["files"], &["code", "files", "/p/a.lisp", "3"], &["tests", "files"]] {
            assert_eq!(Findings::read(&values(wrong)), None, "{wrong:?}");
        }
        assert_eq!(Findings::read(&[Printout { text: "12".to_owned(), cut: false }]), None);
    }
}
