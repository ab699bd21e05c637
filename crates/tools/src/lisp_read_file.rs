//! `lisp_read_file`: a file at a glance, or its lines.

use lispwright_edit as edit;
use lispwright_edit::{Source, View, ViewOptions, view, view_plain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::DiagnosisFacts;
use crate::news::prepare;
use crate::next_call::NextCall;
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::workshop::{Workshop, read_source};
use crate::workspace::Opened;

/// Characters of a view without a `limit`.
pub(crate) const DEFAULT_BUDGET: usize = 10_000;

/// The most lines of a form that is shown whole.
const SHORT: u32 = 5;

/// Characters of an outline of heads, some 5,000 tokens.
const HEADS: usize = 20_000;

/// Characters of a view at most.
pub(crate) const MOST: usize = 40_000;

pub(crate) fn yes() -> bool {
    true
}

/// Arguments of `lisp_read_file`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LispReadFile {
    /// Path
    pub path: String,
    /// False: the text
    #[serde(default = "yes")]
    pub collapsed: bool,
    /// Regex: forms whose name matches
    #[serde(default)]
    pub name_pattern: Option<String>,
    /// Regex: forms whose source matches; in other files lines
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

/// A file at a glance, or its lines.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FileAnswer {
    /// The file, as the project calls it.
    pub path: String,
    /// The mode of the view.
    pub mode: Mode,
    /// The lines shown, each after its number.
    pub content: String,
    /// Lines of the file.
    pub total_lines: u32,
    /// Forms at top level; 0 for a text that is not Lisp.
    pub total_forms: usize,
    /// Forms shown whole because a pattern fits them.
    pub expanded_forms: usize,
    /// The view is incomplete.
    pub truncated: bool,
    /// The offset at which the next view continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u32>,
    /// The mistakes of the text.
    pub diagnostics: Vec<DiagnosisFacts>,
    /// The dialect in which it was read, if it is Lisp.
    #[serde(skip)]
    pub dialect: Option<&'static str>,
    /// The number of forms that the patterns fit, if there are patterns.
    #[serde(skip)]
    pub matching_forms: Option<usize>,
    /// Only the heads of forms are shown.
    #[serde(skip)]
    pub is_of_heads: bool,
    /// The call that shows the rest.
    #[serde(skip)]
    pub next: Option<NextCall>,
    /// Lines that are cut because they are long.
    #[serde(skip)]
    pub cut_lines: Vec<u32>,
    /// The calls that show a form on the first of them, and more of that line.
    #[serde(skip)]
    pub beyond_the_cut: Vec<NextCall>,
    /// The calls that show the matching forms that are too long for the view.
    #[serde(skip)]
    pub long_forms: Vec<NextCall>,
}

/// The mode of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// One line for each form.
    Collapsed,
    /// The text, line by line.
    Raw,
    /// The lines around those that match a pattern.
    Filtered,
}

impl From<edit::ViewKind> for Mode {
    fn from(mode: edit::ViewKind) -> Self {
        match mode {
            edit::ViewKind::Collapsed => Self::Collapsed,
            edit::ViewKind::Raw => Self::Raw,
            edit::ViewKind::Filtered => Self::Filtered,
        }
    }
}

/// Shows a file. With a `limit`, the answer may have 40,000 characters instead of 10,000.
pub async fn lisp_read_file(
    workshop: &Workshop,
    args: LispReadFile,
    context: &CallContext,
) -> Result<FileAnswer, Refusal> {
    let workshop = workshop.clone();
    context.on_files(move || run(&workshop, &args)).await
}

fn run(workshop: &Workshop, args: &LispReadFile) -> Result<FileAnswer, Refusal> {
    let Opened { file, language } = workshop.workspace.open(&args.path, None)?;
    if let Some(language) = &language {
        prepare(workshop, language);
    }
    let options = ViewOptions {
        collapsed: args.collapsed,
        whole: SHORT,
        name_pattern: args.name_pattern.as_deref(),
        content_pattern: args.content_pattern.as_deref(),
        offset: args.offset.unwrap_or(0),
        limit: args.limit,
        budget: if args.limit.is_some() { MOST } else { DEFAULT_BUDGET },
        heads: HEADS,
    };
    match language {
        Some(language) => FileAnswer::of(&file.path, &read_source(&file, &language), &options),
        None => {
            let shown = view_plain(&file.text, &options).map_err(|fault| Refusal::text(&file.path, fault))?;
            Ok(FileAnswer::new(&file.path, None, shown, &options))
        }
    }
}

impl FileAnswer {
    /// The view of the Lisp file at `path` with `options`.
    pub fn of(path: &str, source: &Source<'_>, options: &ViewOptions<'_>) -> Result<Self, Refusal> {
        let shown = view(source, options).map_err(|fault| Refusal::text(path, fault))?;
        Ok(Self::new(path, Some(source.dialect().name()), shown, options))
    }

    fn new(path: &str, dialect: Option<&'static str>, shown: View, options: &ViewOptions<'_>) -> Self {
        let mut patterns = [options.name_pattern, options.content_pattern].into_iter().flatten();
        let is_searched = shown.mode == edit::ViewKind::Collapsed && patterns.any(|pattern| !pattern.is_empty());
        Self {
            path: path.to_owned(),
            mode: shown.mode.into(),
            content: shown.content,
            total_lines: shown.total_lines,
            total_forms: shown.total_forms,
            expanded_forms: shown.expanded_forms,
            truncated: shown.next_offset.is_some(),
            next_offset: shown.next_offset,
            diagnostics: shown.diagnosis.into_iter().map(DiagnosisFacts::from).collect(),
            dialect,
            matching_forms: is_searched.then_some(shown.matching_forms),
            is_of_heads: shown.is_of_heads,
            next: shown.next_offset.map(|offset| again(path, options).with("offset", offset)),
            beyond_the_cut: shown.cut_lines.first().map_or(Vec::new(), |&line| {
                let whole_line = (options.limit != Some(1)).then(|| raw(path, line - 1).with("limit", 1));
                dialect.map(|_| form_on(path, line)).into_iter().chain(whole_line).collect()
            }),
            cut_lines: shown.cut_lines,
            long_forms: shown.long_forms.iter().map(|&line| form_on(path, line)).collect(),
        }
    }
}

/// The call that shows the lines of the file at `path` after the first `offset`.
pub(crate) fn raw(path: &str, offset: u32) -> NextCall {
    NextCall::to("lisp_read_file").with("path", path).with("collapsed", false).with("offset", offset)
}

/// The call that shows the form on a line.
fn form_on(path: &str, line: u32) -> NextCall {
    NextCall::to("lisp_read_form").with("path", path).with("line", line)
}

/// The call that shows the same view from another line.
fn again(path: &str, options: &ViewOptions<'_>) -> NextCall {
    NextCall::to("lisp_read_file")
        .with("path", path)
        .with_given("collapsed", (!options.collapsed).then_some(false))
        .with_given("name_pattern", options.name_pattern)
        .with_given("content_pattern", options.content_pattern)
        .with_given("limit", options.limit)
}
