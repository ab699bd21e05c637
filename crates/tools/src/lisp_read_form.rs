//! `lisp_read_form`: one form, exactly as it stands in its file.

use lispwright_edit::{Target, locate};
use lispwright_syntax::in_a_line;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;

use crate::answer::Reply;
use crate::fence::{fenced, head};
use crate::lisp_read_file::{DEFAULT_BUDGET, MOST};
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::workshop::{Workshop, blocking, read_source};

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
    /// Characters to show (default 10000, at most 40000)
    #[serde(default)]
    #[schemars(range(min = 1, max = 40000))]
    pub limit: Option<u32>,
}

/// Shows a form with its header comment and its condition.
pub async fn lisp_read_form(workshop: &Workshop, args: LispReadForm, _context: &CallContext) -> Reply {
    let workshop = workshop.clone();
    blocking(move || show(&workshop, &args)).await.map(|outcome: Outcome| outcome.visible().into())
}

fn show(workshop: &Workshop, args: &LispReadForm) -> Result<Outcome, Refusal> {
    let file = workshop.read(&args.path)?;
    let language = workshop.lisp_language(&file)?;
    let source = read_source(&file, &language);
    let target =
        Target { name: args.name.as_deref(), form_type: args.form_type.as_deref(), index: args.index, line: args.line };
    let id = locate(&source, &target).map_err(|fault| Refusal::text(&file.path, fault))?;
    let form = source.forms.get(id);
    let whole = source.form_text(id);
    let limit = args.limit.map_or(DEFAULT_BUDGET, |limit| (limit as usize).min(MOST));
    let (content, left) = head(whole.content, limit);

    let label = form.label(source.text);
    let (start, end) = (whole.start_line, whole.end_line);
    let lines = if start == end { start.to_string() } else { format!("{start}-{end}") };
    let path = in_a_line(&file.path);
    let mut text = format!("{path}:{lines} {label}, digest {}\n{}", whole.digest, fenced(content));
    if form.broken {
        text.push_str("\nThis form does not balance. lisp_check_parens shows likely fixes.");
    }
    if left > 0 {
        let next_line = start + content.matches('\n').count() as u32;
        let total = limit + left;
        let more = if total <= MOST {
            format!("limit={total} shows all of it")
        } else {
            format!("lisp_read_file path={} collapsed=false offset={} goes on", in_a_line(&file.path), next_line - 1)
        };
        text.push_str(&format!("\n[{left} of {total} characters are left, from line {next_line} on. {more}.]"));
    }

    let mut fields = Map::new();
    fields.insert("path".into(), file.path.clone().into());
    fields.insert("form_type".into(), form.head.map_or("", |head| source.slice(head)).into());
    fields.insert("name".into(), form.name.clone().unwrap_or_default().into());
    fields.insert("start_line".into(), start.into());
    fields.insert("end_line".into(), end.into());
    fields.insert("digest".into(), whole.digest.into());
    fields.insert("content".into(), content.into());
    if left > 0 {
        fields.insert("truncated".into(), true.into());
    }
    Ok(Outcome { text, fields, is_error: false })
}
