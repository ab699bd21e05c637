//! `lisp_read_form`: one form, exactly as it is in its file.

use lispwright_edit::{Source, Target, locate};
use lispwright_syntax::head;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lisp_read_file::{DEFAULT_BUDGET, MOST, raw};
use crate::news::prepare;
use crate::next_call::NextCall;
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::workshop::{Workshop, read_source};

/// Arguments of `lisp_read_form`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LispReadForm {
    /// Path
    pub path: String,
    /// What the form defines: foo, (setf foo), area :around (circle), `foo[2]`, setq foo
    #[serde(default)]
    pub name: Option<String>,
    /// Head, such as defun
    #[serde(default)]
    pub form_type: Option<String>,
    /// Which match, from 1
    #[serde(default)]
    pub index: Option<u32>,
    /// A line of it
    #[serde(default)]
    pub line: Option<u32>,
    /// Characters, default 10000; with line, lines around it
    #[serde(default)]
    #[schemars(range(min = 1, max = 40000))]
    pub limit: Option<u32>,
}

/// A form with its header comment and its condition.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FormAnswer {
    /// The file, as the project calls it.
    pub path: String,
    /// Head of the form, as written.
    pub form_type: String,
    /// Its name; empty if it has none.
    pub name: String,
    /// Its first line, from 1, including its header comment.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// Digest of all of it.
    pub digest: String,
    /// The source, up to the limit of the call.
    pub content: String,
    /// The source is incomplete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// False if it does not balance, else absent.
    #[serde(skip_serializing_if = "Clone::clone")]
    pub balanced: bool,
    /// The label of the form in answers and its address.
    #[serde(skip)]
    pub label: String,
    /// The number of omitted scalar values.
    #[serde(skip)]
    pub left: usize,
    /// The line of its head, without its comment and conditions.
    #[serde(skip)]
    pub head_line: u32,
    /// The lines around one that were asked for, if these are not all of the form.
    #[serde(skip)]
    pub around: Option<(u32, u32)>,
    /// The call that shows the rest.
    #[serde(skip)]
    pub next: Option<NextCall>,
}

/// Shows a form.
pub async fn lisp_read_form(
    workshop: &Workshop,
    args: LispReadForm,
    context: &CallContext,
) -> Result<FormAnswer, Refusal> {
    let workshop = workshop.clone();
    context.on_files(move || run(&workshop, &args)).await
}

fn run(workshop: &Workshop, args: &LispReadForm) -> Result<FormAnswer, Refusal> {
    let (file, language) = workshop.workspace.open_lisp(&args.path)?;
    prepare(workshop, &language);
    let target =
        Target { name: args.name.as_deref(), form_type: args.form_type.as_deref(), index: args.index, line: args.line };
    let limit = args.limit.map_or(DEFAULT_BUDGET, |limit| (limit as usize).min(MOST));
    let source = read_source(&file, &language);
    match (args.line, args.limit) {
        (Some(line), Some(lines)) => Ok(FormAnswer::of(&file.path, &source, &target, MOST)?.around(line, lines)),
        _ => FormAnswer::of(&file.path, &source, &target, limit),
    }
}

impl FormAnswer {
    /// At most `limit` scalar values of the form of the file at `path` that `target` names.
    pub fn of(path: &str, source: &Source<'_>, target: &Target<'_>, limit: usize) -> Result<Self, Refusal> {
        let id = locate(source, target).map_err(|fault| Refusal::text(path, fault))?;
        let form = source.forms.get(id);
        let whole = source.form_text(id);
        let (content, left) = head(whole.content, limit);
        Ok(Self {
            path: path.to_owned(),
            form_type: form.head.map_or("", |head| source.slice(head)).to_owned(),
            name: form.name.clone().unwrap_or_default(),
            start_line: whole.start_line,
            end_line: whole.end_line,
            digest: whole.digest,
            content: content.to_owned(),
            truncated: left > 0,
            balanced: !form.broken,
            label: form.label(source.text),
            left,
            head_line: source.lines.line(form.span.start),
            around: None,
            next: (left > 0).then(|| match limit + left {
                all @ ..=MOST => again(path, target).with("limit", all),
                _ => raw(path, whole.start_line + content.matches('\n').count() as u32 - 1),
            }),
        })
    }
}

impl FormAnswer {
    /// The answer with `count` lines of the form around `line`, below its head.
    fn around(self, line: u32, count: u32) -> Self {
        let lines: Vec<&str> = self.content.split_inclusive('\n').collect();
        let all = lines.len() as u32;
        if all <= count {
            return self;
        }
        let middle = line.clamp(self.start_line, self.end_line) - self.start_line;
        let first = middle.saturating_sub(count / 2).min(all - count);
        let shown = &lines[first as usize..(first + count) as usize];
        let at = self.head_line - self.start_line;
        let head = if first > at { format!("{}\n…\n", lines[at as usize].trim_end()) } else { String::new() };
        let content = format!("{head}{}", shown.concat());
        let begin = self.start_line + first;
        let left = self.content.chars().count() + self.left - shown.concat().chars().count();
        let around = Some((begin, begin + count - 1));
        let content = content.trim_end_matches(['\n', '\r']).to_owned();
        Self { content, truncated: true, left, around, next: None, ..self }
    }
}

/// The call that shows the same form.
fn again(path: &str, target: &Target<'_>) -> NextCall {
    NextCall::to("lisp_read_form")
        .with("path", path)
        .with_given("name", target.name)
        .with_given("form_type", target.form_type)
        .with_given("index", target.index)
        .with_given("line", target.line)
}
