//! `lisp_search`: where a project has a text, and in which forms, or forms of a certain shape.

use lispwright_index::each;
use lispwright_index::pattern::BadPattern;
use lispwright_index::pattern::advice;
use lispwright_index::pattern::names::Meanings;
use lispwright_index::search::{Search, Searched, Within};
use lispwright_syntax::{Dialect, Form, around, head};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::indexed::{index_around, indexed};
use crate::lisp_read_file::{DEFAULT_BUDGET, MOST, yes};
use crate::lisp_rewrite::Where;
use crate::next_call::NextCall;
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::workshop::Workshop;
use crate::workspace::{Files, Opened, Workspace};

/// Matches when no number is asked for.
const DEFAULT_LIMIT: usize = 200;

/// Characters of a line that are shown.
const WIDTH: usize = 160;

/// Characters of a form that are shown.
const FORM: usize = 4_000;

/// Files that are read before it is asked whether there is room for more matches.
const AT_ONCE: usize = 32;

/// Characters that a match, a form or a file costs besides its texts.
const OVERHEAD: usize = 12;

/// Arguments of `lisp_search`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LispSearch {
    /// Regex
    #[serde(default)]
    pub pattern: Option<String>,
    /// Or a form: ?x one datum, ?*x any, ?+x some; elisp ,x ,@x
    #[serde(default)]
    pub shape: Option<String>,
    /// {variable,kind,text,refers,inside,not_inside}
    #[serde(default)]
    #[schemars(schema_with = "conditions")]
    pub r#where: Vec<Where>,
    /// Path
    #[serde(default)]
    pub path: Option<String>,
    /// Recursive
    #[serde(default = "yes")]
    pub recursive: bool,
    /// Case insensitive
    #[serde(default)]
    pub case_insensitive: bool,
    /// Heads: defun
    #[serde(default)]
    pub form_types: Vec<String>,
    /// In
    #[serde(default)]
    pub r#in: In,
    /// Include form
    #[serde(default)]
    pub include_form: bool,
    /// Default 200
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
    /// Offset
    #[serde(default)]
    pub offset: Option<usize>,
}

/// The schema of the conditions in short: every client reads the list of the tools.
fn conditions(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "array" })
}

/// The part of the source that is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum In {
    /// All of it.
    #[default]
    All,
    /// Neither comments nor strings.
    Code,
    /// Comments.
    Comments,
    /// Strings.
    Strings,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SearchAnswer {
    /// The matches that were asked for, in the order of paths and lines.
    pub matches: Vec<SearchMatch>,
    /// Lines with a match of the regex, or forms of the shape, in all files.
    pub count: usize,
    /// More come after these.
    pub truncated: bool,
    /// Files with a match.
    #[serde(skip)]
    pub files_with: usize,
    /// Files that were searched.
    #[serde(skip)]
    pub files: usize,
    /// Files that could not be read, each with the code of the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<(String, String)>,
    /// Files and directories that ignore files name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// Files that are no Lisp and were not searched, if nothing was found.
    #[serde(skip)]
    pub other_texts: usize,
    /// The files that were searched are no Lisp.
    #[serde(skip)]
    pub are_texts: bool,
    /// Steps of threading forms that look like the shape and have one argument more.
    #[serde(skip)]
    pub steps: usize,
    /// What the shape may have been meant to say, where it matches nothing.
    #[serde(skip)]
    pub advice: Option<String>,
    /// The first of the matches, from 0.
    #[serde(skip)]
    pub offset: usize,
    /// What shows the rest.
    #[serde(skip)]
    pub next: Option<NextCall>,
}

/// A match and the form around it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchMatch {
    /// The file, as it is written in calls.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The line's text.
    pub text: String,
    /// The head of the form, as written.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub form_type: String,
    /// What the form defines.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub form_name: String,
    /// The form's label, by which other calls address it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The form's first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// The form's last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// The package, module or namespace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub package: String,
    /// The file is no Lisp.
    #[serde(skip)]
    pub in_text: bool,
    /// The source of the form, once for its first match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
}

/// Searches the files of the project.
pub async fn lisp_search(
    workshop: &Workshop,
    args: LispSearch,
    context: &CallContext,
) -> Result<SearchAnswer, Refusal> {
    let (workspace, cancel) = (workshop.workspace.clone(), context.cancel.clone());
    let is_over = move || cancel.is_cancelled();
    if args.shape.is_none() {
        return context.on_files(move || SearchAnswer::of(&workspace, &args, None, is_over)).await;
    }
    let look = move |index: &_, _: &_| SearchAnswer::of(&workspace, &args, Some(&Meanings::new(index)), is_over);
    indexed(workshop, context, look).await?
}

impl SearchAnswer {
    /// What the files of the system have, for a command. A shape is compared by what names mean in the project around.
    pub fn anywhere(args: &LispSearch) -> Result<Self, Refusal> {
        let workspace = Workspace::anywhere();
        if args.shape.is_none() {
            return Self::of(&workspace, args, None, || false);
        }
        let index = index_around(&workspace, args.path.as_deref().unwrap_or("."));
        Self::of(&workspace, args, Some(&Meanings::new(&index)), || false)
    }

    /// What a workspace has; empty when `is_over` says that nobody waits any more. A shape is compared by `meanings` where
    /// they are known.
    fn of(
        workspace: &Workspace,
        args: &LispSearch,
        meanings: Option<&Meanings<'_>>,
        is_over: impl Fn() -> bool + Sync,
    ) -> Result<Self, Refusal> {
        let search = args.search()?;
        check_names(&args.r#where, meanings)?;
        let Files { mut files, ignored, .. } = workspace.files(args.path.as_deref(), args.recursive)?;
        let are_texts = files.is_empty() && args.shape.is_none();
        if are_texts {
            files = workspace.other_texts(args.path.as_deref());
        }
        let counts =
            each(&files, |path| if is_over() { Ok((0, 0)) } else { count(workspace, path, &search, meanings) });
        let mut answer =
            Self { files: files.len(), ignored, are_texts, offset: args.offset.unwrap_or(0), ..Self::default() };
        let mut wanted = Vec::new();
        let most = args.limit.unwrap_or(DEFAULT_LIMIT);
        let is_any_searched = counts.iter().any(Result::is_ok);
        for (path, counted) in files.iter().zip(counts) {
            match counted {
                // When no file could be searched, the first says why.
                Err(refusal) if !is_any_searched => return Err(refusal),
                Err(refusal) => answer.left_out.push((path.clone(), refusal.code().to_owned())),
                Ok((0, steps)) => answer.steps += steps,
                Ok((found, steps)) => {
                    answer.steps += steps;
                    let before = answer.count;
                    answer.count += found;
                    answer.files_with += 1;
                    if answer.count > answer.offset && before < answer.offset.saturating_add(most) {
                        wanted.push((path, found, answer.offset.saturating_sub(before)));
                    }
                }
            }
        }
        let budget = if args.limit.is_some() { MOST } else { DEFAULT_BUDGET };
        let mut room = Room { matches: most, characters: budget };
        let mut first_refusal = None;
        let mut is_any_shown = false;
        // Files are read as long as there is room for their matches.
        for some in wanted.chunks(AT_ONCE) {
            let found =
                each(some, |(path, _, skipped)| shown(workspace, path, &search, meanings, *skipped, args.include_form));
            for ((path, counted, _), shown) in some.iter().zip(found) {
                // The file may have changed since its matches were counted.
                let (found, now) = match shown {
                    Ok(shown) => {
                        is_any_shown = true;
                        shown
                    }
                    Err(refusal) => {
                        answer.left_out.push(((*path).clone(), refusal.code().to_owned()));
                        first_refusal = first_refusal.or(Some(refusal));
                        (Vec::new(), 0)
                    }
                };
                answer.count = answer.count - counted + now;
                answer.files_with -= usize::from(now == 0);
                answer.take(found, &mut room);
            }
            if room.matches == 0 {
                break;
            }
        }
        if let Some(refusal) = first_refusal.filter(|_| !is_any_shown) {
            return Err(refusal);
        }
        if answer.count == 0 {
            answer.other_texts = if are_texts { 0 } else { workspace.other_texts(args.path.as_deref()).len() };
            let language =
                || files.iter().find_map(|path| workspace.open_lisp(path).ok()).map(|(_, language)| language);
            answer.advice = args.shape.as_deref().and_then(|shape| advice(shape, language()?));
        }
        let end = answer.offset + answer.matches.len();
        answer.truncated = end < answer.count;
        answer.next = answer.truncated.then(|| args.again().with("offset", end));
        Ok(answer)
    }

    /// Takes as many matches as there is room for, and at least one.
    fn take(&mut self, found: Vec<SearchMatch>, room: &mut Room) {
        for found in found.into_iter().take(room.matches) {
            let last = self.matches.last();
            let in_same = last.is_some_and(|last| (&last.path, &last.label) == (&found.path, &found.label));
            let place = if in_same { 0 } else { found.path.len() + found.label.len() + 2 * OVERHEAD };
            let needed = found.text.chars().count() + OVERHEAD + place + found.form.as_deref().map_or(0, str::len);
            if needed > room.characters && !self.matches.is_empty() {
                room.matches = 0;
                return;
            }
            room.matches -= 1;
            room.characters = room.characters.saturating_sub(needed);
            self.matches.push(found);
        }
    }
}

/// What an answer has room for.
struct Room {
    matches: usize,
    characters: usize,
}

impl LispSearch {
    fn search(&self) -> Result<Search, Refusal> {
        let mut search = match (&self.pattern, &self.shape) {
            (Some(pattern), None) => {
                Search::new(pattern, self.case_insensitive).map_err(|bad| refused("pattern", bad))?
            }
            (None, Some(_)) if self.r#in != In::All || self.case_insensitive => {
                return Err(Refusal::Misfit { why: "`in` and `case_insensitive` are for `pattern`".to_owned() });
            }
            (None, Some(shape)) => Search::shape(shape),
            (pattern, _) => {
                return Err(Refusal::ExactlyOne { arguments: ["pattern", "shape"], has_both: pattern.is_some() });
            }
        };
        if self.shape.is_none() && !self.r#where.is_empty() {
            return Err(Refusal::Misfit { why: "`where` is for `shape`".to_owned() });
        }
        search.guards = self.r#where.iter().map(Where::source).collect();
        search.form_types.clone_from(&self.form_types);
        search.within = match self.r#in {
            In::All => Within::All,
            In::Code => Within::Code,
            In::Comments => Within::Comments,
            In::Strings => Within::Strings,
        };
        Ok(search)
    }

    /// The same call, without its offset.
    fn again(&self) -> NextCall {
        NextCall::to("lisp_search")
            .with_given("pattern", self.pattern.as_deref())
            .with_given("shape", self.shape.as_deref())
            .with_given("where", (!self.r#where.is_empty()).then(|| serde_json::json!(self.r#where)))
            .with_given("path", self.path.as_deref())
            .with_given("recursive", (!self.recursive).then_some(false))
            .with_given("case_insensitive", self.case_insensitive.then_some(true))
            .with_given("form_types", (!self.form_types.is_empty()).then(|| self.form_types.clone()))
            .with_given("in", (self.r#in != In::All).then(|| serde_json::json!(self.r#in)))
            .with_given("include_form", self.include_form.then_some(true))
            .with_given("limit", self.limit)
    }
}

/// The refusal of a pattern.
fn refused(argument: &'static str, BadPattern { why, column }: BadPattern) -> Refusal {
    Refusal::BadPattern { argument, why, column }
}

/// Checks the names in conditions.
///
/// Errors: nothing is called so.
pub(crate) fn check_names(conditions: &[Where], meanings: Option<&Meanings<'_>>) -> Result<(), Refusal> {
    let mut names = conditions.iter().filter_map(|one| one.refers.as_deref());
    let Some(meanings) = meanings else { return Ok(()) };
    names.try_for_each(|name| meanings.check(name)).map_err(|bad| refused("where", bad))
}

/// How many matches a file has, and how many steps that look like them.
fn count(
    workspace: &Workspace,
    path: &str,
    search: &Search,
    meanings: Option<&Meanings<'_>>,
) -> Result<(usize, usize), Refusal> {
    let file = workspace.read(path)?;
    let is_any = search.within == Within::All && search.form_types.is_empty() && !search.is_shape();
    if is_any && Dialect::detect(&file.path, file.text.as_bytes()).is_none() {
        return Ok((search.run_on_text(&file.text).0.len(), 0));
    }
    let mut refusal = None;
    let language = || workspace.lisp_language_of(&file).map_err(|refused| refusal = Some(refused)).ok();
    let known = meanings.and_then(|meanings| meanings.of(&workspace.absolute(path), &file.text));
    let count = search.count(&file.text, language, known).map_err(|bad| refused("shape", bad))?;
    refusal.map_or(Ok(count), Err)
}

/// The matches of a file but the first ones, and how many it has.
fn shown(
    workspace: &Workspace,
    path: &str,
    search: &Search,
    meanings: Option<&Meanings<'_>>,
    skipped: usize,
    with_forms: bool,
) -> Result<(Vec<SearchMatch>, usize), Refusal> {
    let Opened { file, language } = workspace.open(path, None)?;
    let text = &file.text;
    let Some(language) = language else { return Ok(in_text(&file.path, text, search, skipped)) };
    let known = meanings.and_then(|meanings| meanings.of(&workspace.absolute(path), text));
    let found = search.run(text, language, known).map_err(|bad| refused("shape", bad))?;
    let spaces = found.spaces(text);
    let Searched { matches, forms, lines, .. } = &found;
    let mut last = None;
    let described = |(found, package): (&lispwright_index::search::Match, String)| {
        let line = lines.line_span(found.at.line).map_or("", |span| text[span.range()].trim_end());
        let indented = line.len() - line.trim_start().len();
        let middle = (found.at.column as usize).saturating_sub(1 + indented);
        let is_new = std::mem::replace(&mut last, found.form) != found.form;
        let mut described = SearchMatch {
            path: file.path.clone(),
            line: found.at.line,
            column: found.at.column,
            text: around(line.trim_start(), middle, WIDTH),
            package,
            ..SearchMatch::default()
        };
        if let Some(form) = found.form.map(|form| forms.get(form)) {
            described.form_type = form.head.map_or("", |head| &text[head.range()]).to_owned();
            described.form_name = form.name.clone().unwrap_or_default();
            described.label = form.label(text);
            described.start_line = Some(lines.line(form.outer.start));
            described.end_line = Some(lines.line(form.outer.end.saturating_sub(1)));
            described.form = (with_forms && is_new).then(|| source(form, text));
        }
        described
    };
    Ok((matches.iter().zip(spaces).map(described).skip(skipped).collect(), matches.len()))
}

/// The matches in a text that is no Lisp, but the first ones, and how many it has.
fn in_text(path: &str, text: &str, search: &Search, skipped: usize) -> (Vec<SearchMatch>, usize) {
    let (spans, lines) = search.run_on_text(text);
    let found = |span: &lispwright_syntax::Span| {
        let at = lines.line_column(text.as_bytes(), span.start);
        let line = lines.line_span(at.line).map_or("", |span| text[span.range()].trim_end());
        let indented = line.len() - line.trim_start().len();
        let middle = (at.column as usize).saturating_sub(1 + indented);
        SearchMatch {
            path: path.to_owned(),
            line: at.line,
            column: at.column,
            text: around(line.trim_start(), middle, WIDTH),
            in_text: true,
            ..SearchMatch::default()
        }
    };
    (spans.iter().map(found).skip(skipped).collect(), spans.len())
}

/// The source of a form, as far as there is room for it.
fn source(form: &Form, text: &str) -> String {
    let (source, left) = head(&text[form.outer.range()], FORM);
    if left == 0 { source.to_owned() } else { format!("{source}…") }
}
