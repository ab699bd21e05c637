//! `lisp_check_parens`: does it balance, and if not, which line to fix.

use lispwright_edit::{CheckReport, Diagnosis, MOST_SHOWN, Place, check_window};
use lispwright_syntax::in_a_line;
use lispwright_syntax::{Dialect, Language};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;

use crate::answer::Reply;
use crate::lisp_read_file::counted;
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::refused::diagnosis_fields;
use crate::tool::CallContext;
use crate::workshop::{Workshop, blocking, named_dialect};

/// Arguments of `lisp_check_parens`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LispCheckParens {
    /// File to check; either this or code
    #[serde(default)]
    pub path: Option<String>,
    /// Source to check
    #[serde(default)]
    pub code: Option<String>,
    /// common-lisp, scheme, clojure, edn or emacs-lisp; default: by the file, else common-lisp
    #[serde(default)]
    pub dialect: Option<String>,
    /// Characters to skip
    #[serde(default)]
    pub offset: Option<u32>,
    /// Characters to check
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub limit: Option<u32>,
}

/// Checks a file or a piece of code. A text that does not balance is a finding, not an error.
pub async fn lisp_check_parens(workshop: &Workshop, args: LispCheckParens, _context: &CallContext) -> Reply {
    let workshop = workshop.clone();
    blocking(move || run(&workshop, &args)).await.map(|outcome: Outcome| outcome.visible().into())
}

fn run(workshop: &Workshop, args: &LispCheckParens) -> Result<Outcome, Refusal> {
    let (place, text, language) = match (&args.path, &args.code) {
        (Some(path), None) => {
            let file = workshop.read(path)?;
            let language = match workshop.language(&file, args.dialect.as_deref())? {
                Some(language) => language,
                None => {
                    let why = "not known to be Lisp, neither by its extension nor by its first lines. Pass `dialect`";
                    return Err(Refusal::worded("BAD_ARGUMENT", format!("{}: {why}.", file.path)));
                }
            };
            (file.path, file.text, language)
        }
        (None, Some(code)) => {
            let dialect = match &args.dialect {
                Some(name) => named_dialect(name)?,
                None => Dialect::detect("", code.as_bytes()).unwrap_or(Dialect::CommonLisp),
            };
            ("code".to_owned(), code.clone(), workshop.extended(dialect, None)?)
        }
        (given, _) => {
            let what = if given.is_some() { "both were given" } else { "neither was given" };
            let message = format!("lisp_check_parens takes either `path` or `code`; {what}. Pass exactly one.");
            return Err(Refusal::worded("BAD_ARGUMENT", message));
        }
    };
    Ok(verdict(&place, &text, &language, args.offset.unwrap_or(0), args.limit))
}

/// The verdict on a window of `text`, which stands at `place`.
pub fn verdict(place: &str, text: &str, language: &Language, offset: u32, limit: Option<u32>) -> Outcome {
    let CheckReport { diagnosis, forms, lines } = check_window(text, language, offset, limit);
    if let Some(diagnosis) = diagnosis {
        return unbalanced(place, language, diagnosis);
    }
    let (forms, lines) = (counted(forms, "form"), counted(lines as usize, "line"));
    let place = in_a_line(place);
    let text = format!("{place}: balanced ({forms}, {lines}, {}).", language.dialect().name());
    Outcome { text, fields: Map::from_iter([("ok".to_owned(), true.into())]), is_error: false }
}

/// The verdict on a text at `place` that does not balance.
pub fn unbalanced(place: &str, language: &Language, diagnosis: Diagnosis) -> Outcome {
    let mut fields = Map::from_iter([("ok".to_owned(), false.into())]);
    let dialect = language.dialect().name();
    fields.extend(diagnosis_fields(&diagnosis));
    let kind = diagnosis.kind.code();
    let Place { line, column, .. } = diagnosis.likely_at;
    let place = in_a_line(place);
    let mut text = format!("{place}:{line}:{column}: {kind} (read as {dialect})\n{diagnosis}");
    let certain = diagnosis.is_certain();
    match (diagnosis.fixes.as_slice(), diagnosis.repaired) {
        ([fix, ..], Some(repaired)) => {
            text.push_str(&format!("\nCertain fix ({}):{}", fix.why, fix.diff()));
            fields.insert("repaired_source".into(), repaired.into());
        }
        ([], _) => text.push_str(&format!("\nNo fix is known: {}.", diagnosis.doubt)),
        (candidates, None) => {
            text.push_str(&format!("\nCandidates, likeliest first; none is certain: {}.", diagnosis.doubt));
            for candidate in candidates.iter().take(MOST_SHOWN) {
                text.push_str(&format!("\n  {candidate}"));
            }
        }
    }
    if let Some(line) = diagnosis.next_form_line {
        text.push_str(&format!("\nForms read well again from line {line} on."));
    }
    if diagnosis.count > 1 && !certain {
        text.push_str(&format!("\n{} mistakes in all; correct this one and check again.", diagnosis.count));
    }
    Outcome { text, fields, is_error: false }
}
