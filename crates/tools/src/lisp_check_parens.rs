//! `lisp_check_parens`: whether a text balances, and if not, the line to fix.

use lispwright_edit::{CheckReport, Unexpected, check_at_forms, check_block, check_window};
use lispwright_syntax::{Dialect, Language, LispBlock, lisp_blocks, without_prose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::DiagnosisFacts;
use crate::lisp_read_file::yes;
use crate::news::problems_of;
use crate::problems::Problem;
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::workshop::{Workshop, named_dialect};
use crate::workspace::Opened;

/// Arguments of `lisp_check_parens`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LispCheckParens {
    /// File; or give code
    #[serde(default)]
    pub path: Option<String>,
    /// Source to check
    #[serde(default)]
    pub code: Option<String>,
    /// common-lisp, scheme, racket, clojure, edn, emacs-lisp
    #[serde(default)]
    pub dialect: Option<String>,
    /// Characters to skip
    #[serde(default)]
    pub offset: Option<u32>,
    /// Characters to check
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub limit: Option<u32>,
    /// Also tell what a compiler would say of the file; false for the balance alone
    #[serde(default = "yes")]
    pub lint: bool,
}

/// Whether a text balances. That it does not is a finding, not an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckAnswer {
    /// It balances.
    pub ok: bool,
    /// Its first mistake, if it does not.
    #[serde(flatten)]
    pub diagnosis: Option<DiagnosisFacts>,
    /// The checked text with the first fix, if that is certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repaired_source: Option<String>,
    /// What balances and is seldom meant, such as a definition inside of another one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unexpected: Vec<Unexpectedness>,
    /// What a compiler would say of the forms of a file that balance.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// The file, or another name of the text.
    #[serde(skip)]
    pub path: String,
    /// The dialect in which it was read.
    #[serde(skip)]
    pub dialect: &'static str,
    /// Data at top level.
    #[serde(skip)]
    pub forms: usize,
    /// Its lines.
    #[serde(skip)]
    pub lines: u32,
}

/// Something in a text that balances and is seldom meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unexpectedness {
    /// Its line, from 1.
    pub line: u32,
    /// Its kind, such as `swallowed`.
    pub kind: &'static str,
    /// What it is, and what to do.
    pub message: String,
}

impl From<&Unexpected> for Unexpectedness {
    fn from(found: &Unexpected) -> Self {
        Self { line: found.line(), kind: found.kind(), message: found.sentence() }
    }
}

/// The longest code, in bytes, that is checked where the call is: it takes some 10 microseconds, and a few milliseconds if
/// it does not balance.
const SHORT: usize = 1024;

/// Checks a file or a piece of code.
pub async fn lisp_check_parens(
    workshop: &Workshop,
    args: LispCheckParens,
    context: &CallContext,
) -> Result<CheckAnswer, Refusal> {
    if args.path.is_none() && args.code.as_ref().is_some_and(|code| code.len() <= SHORT && !may_be_path(code)) {
        return context.at_once(|| run(workshop, &args)).await;
    }
    let workshop = workshop.clone();
    context.on_files(move || run(&workshop, &args)).await
}

/// Whether code is one word that can be the name of a file: a model means that, since a word alone always balances.
fn may_be_path(code: &str) -> bool {
    let word = code.trim();
    word.contains(['.', '/']) && !word.contains(|c: char| c.is_whitespace() || "()[]{}\"';`,#|".contains(c))
}

fn run(workshop: &Workshop, args: &LispCheckParens) -> Result<CheckAnswer, Refusal> {
    let dialect = args.dialect.as_deref().map(named_dialect).transpose()?;
    let (path, text, language) = match (&args.path, &args.code) {
        (Some(path), None) => {
            let Opened { file, language } = workshop.workspace.open(path, dialect)?;
            if language.is_none()
                && let Some(blocks) = lisp_blocks(&file.path, &file.text).filter(|blocks| !blocks.is_empty())
            {
                let extended = |dialect| workshop.workspace.extended(dialect, Some(&file.path));
                return CheckAnswer::of_page(&file.path, &file.text, &blocks, extended);
            }
            if language.is_none()
                && let Some(answer) = CheckAnswer::of_at_forms(&file.path, &file.text)
            {
                return Ok(answer);
            }
            let not_lisp = || Refusal::NotLisp { path: file.path.clone(), may_be_said: true };
            let language = language.ok_or_else(not_lisp)?;
            let mut answer = CheckAnswer::of(&file.path, &file.text, &language, args.offset.unwrap_or(0), args.limit);
            if args.lint && args.offset.is_none() && args.limit.is_none() {
                answer.problems = problems_of(workshop, &file.path);
                let problems = &answer.problems;
                let is_told = |one: &Unexpectedness| {
                    let told = |problem: &Problem| problem.code == "duplicate-definition" && problem.line == one.line;
                    one.kind == "defined-twice" && problems.iter().any(told)
                };
                answer.unexpected.retain(|one| !is_told(one));
            }
            return Ok(answer);
        }
        (None, Some(code)) if may_be_path(code) && workshop.workspace.read(code.trim()).is_ok() => {
            let path = Some(code.trim().to_owned());
            return run(workshop, &LispCheckParens { path, code: None, dialect: None, ..args.clone() });
        }
        (None, Some(code)) => {
            let dialect = dialect.or_else(|| Dialect::detect("", code.as_bytes())).unwrap_or(Dialect::CommonLisp);
            ("code".to_owned(), code.clone(), workshop.workspace.extended(dialect, None)?)
        }
        (given, _) => {
            return Err(Refusal::ExactlyOne { arguments: ["path", "code"], has_both: given.is_some() });
        }
    };
    Ok(CheckAnswer::of(&path, &text, &language, args.offset.unwrap_or(0), args.limit))
}

impl CheckAnswer {
    /// The verdict on a window of `text`, with `path` as its name.
    pub fn of(path: &str, text: &str, language: &Language, offset: u32, limit: Option<u32>) -> Self {
        Self::new(path, language, check_window(text, language, offset, limit))
    }

    /// The verdict on the blocks of a page: the first that does not balance, else the last with the forms of all.
    ///
    /// Errors: those of `language`.
    pub fn of_page<E>(
        path: &str,
        text: &str,
        blocks: &[LispBlock],
        language: impl Fn(Dialect) -> Result<Language, E>,
    ) -> Result<Self, E> {
        let mut forms = 0;
        let mut last = None;
        for block in blocks {
            let answer = Self::of_block(path, text, block, &language)?;
            if !answer.ok {
                return Ok(answer);
            }
            forms += answer.forms;
            last = Some(answer);
        }
        let sound = last.expect("there is a block");
        Ok(Self { forms, lines: text.lines().count() as u32, ..sound })
    }

    /// The verdict on a block of a page.
    ///
    /// Errors: those of `language`.
    pub fn of_block<E>(
        path: &str,
        text: &str,
        block: &LispBlock,
        language: impl Fn(Dialect) -> Result<Language, E>,
    ) -> Result<Self, E> {
        let languages = block.dialects.iter().map(|dialect| language(*dialect)).collect::<Result<Vec<_>, E>>()?;
        let of = |dialect| languages.iter().find(|language| language.dialect() == dialect).cloned();
        let (language, report) = check_block(text, block, |dialect| of(dialect).unwrap_or_else(|| dialect.into()));
        // What is repaired is the block alone.
        Ok(Self { repaired_source: None, ..Self::new(path, &language, report) })
    }

    /// The verdict on a text of `@`-forms; `None` if the text does not declare them.
    pub fn of_at_forms(path: &str, text: &str) -> Option<Self> {
        let code = without_prose(text)?;
        let language = Language::from(Dialect::Racket);
        Some(Self::new(path, &language, check_at_forms(text, &code, language.clone())))
    }

    /// The verdict in a report, with `path` as the name of the text.
    pub fn new(path: &str, language: &Language, report: CheckReport) -> Self {
        let CheckReport { diagnosis, unexpected, forms, lines } = report;
        Self {
            ok: diagnosis.is_none(),
            unexpected: unexpected.iter().map(Unexpectedness::from).collect(),
            problems: Vec::new(),
            repaired_source: diagnosis.as_ref().and_then(|diagnosis| diagnosis.repaired.clone()),
            diagnosis: diagnosis.map(DiagnosisFacts::from),
            path: path.to_owned(),
            dialect: language.dialect().name(),
            forms,
            lines,
        }
    }
}
