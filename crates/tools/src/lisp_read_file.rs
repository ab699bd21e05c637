//! `lisp_read_file`: a file at a glance, or its lines.

use lispwright_edit::{MOST_SHOWN, Mode, Place, View, ViewOptions, view, view_plain};
use lispwright_syntax::in_a_line;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer::Reply;
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::refused::diagnosis_fields;
use crate::tool::CallContext;
use crate::workshop::{Workshop, blocking, read_source};

/// Characters of a view when no `limit` asks for more.
pub(crate) const DEFAULT_BUDGET: usize = 10_000;

/// Forms of at most so many lines are shown whole.
const SHORT: u32 = 5;

/// Characters of a view at most.
pub(crate) const MOST: usize = 40_000;

pub(crate) fn yes() -> bool {
    true
}

/// Arguments of `lisp_read_file`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LispReadFile {
    /// File below the root
    pub path: String,
    /// One line per form; false shows the text
    #[serde(default = "yes")]
    pub collapsed: bool,
    /// Regex: forms whose name matches are shown whole
    #[serde(default)]
    pub name_pattern: Option<String>,
    /// Regex: forms whose source matches are shown whole; other files: matching lines
    #[serde(default)]
    pub content_pattern: Option<String>,
    /// Lines to skip
    #[serde(default)]
    pub offset: Option<u32>,
    /// Lines to show
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub limit: Option<u32>,
}

/// Shows a file. An explicit `limit` raises the size of the answer from 10,000 characters to 40,000.
pub async fn lisp_read_file(workshop: &Workshop, args: LispReadFile, _context: &CallContext) -> Reply {
    let workshop = workshop.clone();
    blocking(move || show(&workshop, &args)).await.map(|outcome: Outcome| outcome.visible().into())
}

fn show(workshop: &Workshop, args: &LispReadFile) -> Result<Outcome, Refusal> {
    let file = workshop.read(&args.path)?;
    let options = ViewOptions {
        collapsed: args.collapsed,
        whole: SHORT,
        name_pattern: args.name_pattern.as_deref(),
        content_pattern: args.content_pattern.as_deref(),
        offset: args.offset.unwrap_or(0),
        limit: args.limit,
        budget: if args.limit.is_some() { MOST } else { DEFAULT_BUDGET },
    };
    let language = workshop.language(&file, None)?;
    let refused = |fault| Refusal::text(&file.path, fault);
    let shown = match &language {
        Some(language) => view(&read_source(&file, language), &options).map_err(refused)?,
        None => view_plain(&file.text, &options).map_err(refused)?,
    };

    let name = in_a_line(&file.path);
    let mut text = format!("{name}: {}", counted(shown.total_lines as usize, "line"));
    if let Some(language) = &language {
        text.push_str(&format!(", {}, {}", counted(shown.total_forms, "form"), language.dialect().name()));
    }
    text.push_str(&fitting(args, &shown));
    text.push('\n');
    let mut diagnostics = Vec::new();
    if let Some(diagnosis) = &shown.diagnosis {
        let Place { line, column, .. } = diagnosis.likely_at;
        text.push_str(&format!("{name}:{line}:{column}: {}: {diagnosis}\n", diagnosis.kind.code()));
        if let Some(line) = diagnosis.next_form_line {
            text.push_str(&format!("Forms read well again from line {line} on.\n"));
        }
        let sure = if diagnosis.is_certain() { "Certain" } else { "Candidate" };
        for fix in diagnosis.fixes.iter().take(MOST_SHOWN) {
            text.push_str(&format!("{sure} fix: {fix}\n"));
        }
        diagnostics.push(Value::Object(diagnosis_fields(diagnosis)));
    }
    text.push_str(&shown.content);
    if shown.content.is_empty() && shown.total_lines > 0 {
        text.push_str("[nothing to show: no line or form fits the pattern, offset and limit]\n");
    }
    text.push_str(&shown.remainder(&continuation(args)));

    let mut fields = Map::new();
    fields.insert("path".into(), file.path.clone().into());
    fields.insert("mode".into(), shown.mode.name().into());
    fields.insert("content".into(), shown.content.into());
    fields.insert("total_lines".into(), shown.total_lines.into());
    fields.insert("total_forms".into(), shown.total_forms.into());
    fields.insert("expanded_forms".into(), shown.expanded_forms.into());
    fields.insert("truncated".into(), shown.next_offset.is_some().into());
    if let Some(offset) = shown.next_offset {
        fields.insert("next_offset".into(), offset.into());
    }
    fields.insert("diagnostics".into(), diagnostics.into());
    Ok(Outcome { text: text.trim_end().to_owned(), fields, is_error: false })
}

/// What the patterns find among the forms of a collapsed view.
fn fitting(args: &LispReadFile, shown: &View) -> String {
    let patterns = [&args.name_pattern, &args.content_pattern];
    let asked = patterns.iter().any(|pattern| pattern.as_ref().is_some_and(|pattern| !pattern.is_empty()));
    if !asked || shown.mode != Mode::Collapsed {
        return String::new();
    }
    match (shown.matching_forms, shown.expanded_forms) {
        (0, _) => "; no form fits the pattern".to_owned(),
        (1, 1) => "; 1 fits the pattern and is shown whole".to_owned(),
        (fit, whole) if fit == whole => format!("; {fit} fit the pattern and are shown whole"),
        (fit, whole) => format!(
            "; {} the pattern, {whole} of them shown whole",
            if fit == 1 { "1 fits".to_owned() } else { format!("{fit} fit") }
        ),
    }
}

/// The call that shows the rest, without its offset.
fn continuation(args: &LispReadFile) -> String {
    let mut call = format!("lisp_read_file path={}", in_a_line(&args.path));
    if !args.collapsed {
        call.push_str(" collapsed=false");
    }
    for (name, pattern) in [("name_pattern", &args.name_pattern), ("content_pattern", &args.content_pattern)] {
        if let Some(pattern) = pattern {
            call.push_str(&format!(" {name}={}", json!(pattern)));
        }
    }
    if let Some(limit) = args.limit {
        call.push_str(&format!(" limit={limit}"));
    }
    call
}

/// `1 line`, `2 lines`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
