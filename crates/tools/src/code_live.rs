//! Shared parts of the `code_*` tools: the choice of the image, and the present places of its answers in files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lispwright_edit::{Source, definition_near, mention};
use lispwright_project::SourceFile;
use lispwright_runtime::{MAIN, Notice, Question, Reference, SessionError, Sessions};
use lispwright_syntax::{Dialect, Form, FormId, Language};
use schemars::JsonSchema;
use serde::Serialize;

use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::repl_eval::{Told, ask_soon};
use crate::repl_work::{relative, runtime_of};
use crate::tool::CallContext;
use crate::workshop::{Workshop, read_source};

/// The time that a question waits for an image that runs code: answers of the files need not wait for it.
const PATIENCE: Duration = Duration::from_millis(25);

/// Characters of a source line that are shown.
const CONTEXT: usize = 160;

/// The name in a call.
pub(crate) fn named(symbol: String) -> Result<String, Refusal> {
    if symbol.trim().is_empty() {
        return Err(LiveFault::NoSymbol.into());
    }
    Ok(symbol)
}

/// Asks the image of `session`; without one, that of the only session that has an image (and runs `dialect`, if given).
/// Cancelling the context interrupts it. An image that runs code is not waited for.
pub(crate) async fn ask_living<Q: Question>(
    sessions: &Sessions,
    session: Option<&str>,
    dialect: Option<Dialect>,
    question: Q,
    context: &CallContext,
) -> Result<Told<Q::Answer>, Refusal> {
    // An earlier call may start the image.
    context.turn().await;
    let session = living(sessions, session, dialect)?;
    let asked = ask_soon(sessions, &session, question, PATIENCE, context).await;
    if let Err(Refusal::Session(error)) = &asked
        && let SessionError::Busy { doing, .. } = &**error
    {
        context.note(&session, Notice::Busy { doing: doing.clone() });
    }
    asked
}

/// Asks the image besides what the files say: nothing when none is meant, or it cannot tell more than the files.
///
/// Errors count when a session was named, and when the files know nothing.
pub(crate) async fn ask_besides<Q: Question>(
    workshop: &Workshop,
    session: Option<&str>,
    dialect: Option<Dialect>,
    question: Q,
    context: &CallContext,
    only: bool,
) -> Result<Option<Told<Q::Answer>>, Refusal> {
    let is_running = !workshop.sessions.living().is_empty();
    if session.is_none() && !is_running {
        return Ok(None);
    }
    match ask_living(&workshop.sessions, session, dialect, question, context).await {
        Ok(told) => Ok(Some(told)),
        Err(_) if !only => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// The name in `(setf name)`, else the name as it is.
pub(crate) fn plain_name(symbol: &str) -> &str {
    let symbol = symbol.trim();
    let inner = symbol.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inner.and_then(|inner| inner.split_whitespace().nth(1)).unwrap_or(symbol)
}

fn living(sessions: &Sessions, session: Option<&str>, dialect: Option<Dialect>) -> Result<String, Refusal> {
    let mut living = sessions.living();
    if session.is_none()
        && let Some(dialect) = dialect
    {
        living.retain(|(_, runtime)| runtime.dialect == dialect);
        if living.is_empty() {
            return Err(LiveFault::NoImage { of: Some(runtime_of(dialect).unwrap_or(dialect.name())) }.into());
        }
    }
    let has_image = |name: &str| living.iter().any(|(living, _)| living == name);
    let names: Vec<String> = living.iter().map(|(name, _)| name.clone()).collect();
    match (session, names.as_slice()) {
        (Some(session), _) if has_image(session) => Ok(session.to_owned()),
        (None, _) if has_image(MAIN) => Ok(MAIN.to_owned()),
        (None, [only]) => Ok(only.clone()),
        (None, []) | (Some(_), []) => Err(LiveFault::NoImage { of: None }.into()),
        (Some(session), _) => Err(LiveFault::NoImageOfSession { session: session.to_owned(), living: names }.into()),
        (None, _) => Err(LiveFault::SeveralImages(names).into()),
    }
}

/// The package that an `in-package` form names.
pub(crate) fn package_in(source: &Source<'_>, form: &Form) -> Option<String> {
    let text = source.slice(form.span);
    let name = text.get((form.head?.end - form.span.start) as usize..)?.trim_end_matches(')').trim();
    Some(name.trim_start_matches("#:").trim_start_matches([':', '\'']).trim_matches('"').to_owned())
}

/// The present files that answers of an image mention, each read once.
pub(crate) struct Files<'w> {
    workshop: &'w Workshop,
    read: HashMap<String, Option<(SourceFile, Language)>>,
}

/// The present place of a definition or a mention.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The file, as calls name it.
    pub(crate) path: String,
    /// Line, from 1.
    pub(crate) line: Option<u32>,
    /// Last line of the form.
    pub(crate) end_line: Option<u32>,
    /// Column, from 1; absent for a definition.
    pub(crate) column: Option<u32>,
    /// The head of the form, if the file is readable.
    pub(crate) form_type: Option<String>,
    /// The name of the form.
    pub(crate) form_name: Option<String>,
    /// The line itself.
    pub(crate) context: String,
}

/// Where an answer about a name comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The files of the project.
    #[default]
    Static,
    /// A live image.
    Live,
    /// Both of them.
    Both,
}

impl Place {
    /// The label of the form: head and name, else its name in the image.
    pub(crate) fn label(&self, called: &str) -> String {
        match (&self.form_type, &self.form_name) {
            (Some(head), Some(name)) => format!("{head} {name}"),
            _ => called.to_owned(),
        }
    }
}

impl<'w> Files<'w> {
    pub(crate) fn new(workshop: &'w Workshop) -> Self {
        Self { workshop, read: HashMap::new() }
    }

    /// The result of `look` on a file; `None` if it is no readable Lisp file.
    fn look<T>(&mut self, path: &str, look: impl FnOnce(&Source<'_>) -> Option<T>) -> Option<T> {
        let workshop = self.workshop;
        let entry = self.read.entry(path.to_owned()).or_insert_with(|| workshop.workspace.open_lisp(path).ok());
        let (file, language) = entry.as_ref()?;
        look(&read_source(file, language))
    }

    /// The present place of the definition of `name` that the image knows on `line` of `file`.
    pub(crate) fn definition(&mut self, name: &str, file: &str, line: Option<u32>) -> Place {
        let found = self.look(file, |source| Some(form_place(source, definition_near(source, name, line)?)));
        self.placed(file, line, found)
    }

    /// The present place of a reference to `name`.
    pub(crate) fn reference(&mut self, name: &str, reference: &Reference) -> Option<Place> {
        let file = reference.file.as_deref()?;
        let found = self.look(file, |source| {
            if let Some((line, column)) = reference.at {
                return place_at(source, reference, line, column);
            }
            let form = definition_near(source, &reference.name, reference.line)?;
            let Some(offset) = mention(source, form, name, reference.form_number) else {
                return Some(form_place(source, form));
            };
            let at = source.place(offset);
            let form = source.forms.around(offset).unwrap_or(form);
            let context = shown(source.line_text(at.line));
            Some(Place { line: Some(at.line), column: Some(at.column), context, ..form_place(source, form) })
        });
        Some(self.placed(file, reference.line, found))
    }

    fn placed(&self, file: &str, line: Option<u32>, found: Option<Place>) -> Place {
        let path = relative(file, self.workshop.roots.primary());
        match found {
            Some(place) => Place { path, ..place },
            None => Place { path, line, ..Place::default() },
        }
    }

    /// Whether a file belongs to the project.
    pub(crate) fn is_of_project(&self, file: &str) -> bool {
        self.workshop.roots.writable().any(|root| Path::new(file).starts_with(root))
    }
}

/// The present place of a reference whose line and column are those of the loaded file: it has moved with its
/// definition.
fn place_at(source: &Source<'_>, reference: &Reference, line: u32, column: u32) -> Option<Place> {
    let definition = definition_near(source, &reference.name, reference.line);
    let now = definition.map(|form| source.lines.line(source.forms.get(form).span.start));
    let line = match (now, reference.line) {
        (Some(now), Some(then)) => (line + now).saturating_sub(then),
        _ => line,
    };
    let span = source.lines.line_span(line)?;
    let characters = source.slice(span).chars().take(column.saturating_sub(1) as usize).map(char::len_utf8);
    let offset = span.start + u32::try_from(characters.sum::<usize>()).ok()?;
    let context = shown(source.line_text(line));
    let place = source.forms.around(offset).map(|form| form_place(source, form)).unwrap_or_default();
    Some(Place { line: Some(line), column: Some(column), context, ..place })
}

fn form_place(source: &Source<'_>, id: FormId) -> Place {
    let form = source.forms.get(id);
    let line = source.lines.line(form.outer.start);
    Place {
        path: String::new(),
        line: Some(line),
        end_line: Some(source.lines.line(form.span.end.saturating_sub(1))),
        column: None,
        form_type: Some(form.head_name.clone()).filter(|head| !head.is_empty()),
        form_name: form.called(source.text),
        context: shown(source.line_text(line)),
    }
}

fn shown(line: &str) -> String {
    crate::image_text::one_line(line, CONTEXT)
}

/// The files that `path` means, as a test of absolute paths: the file itself, all below a directory, or that of a module when
/// it is the name of one, such as `(my app)`.
pub(crate) fn within(
    workshop: &Workshop,
    path: Option<&str>,
) -> Result<impl Fn(&str) -> bool + Clone + Send + 'static + use<>, Refusal> {
    let module = path.and_then(|path| path.trim().strip_prefix('(')?.strip_suffix(')'));
    let module = module.map(|parts| parts.split_whitespace().collect::<PathBuf>());
    let wanted = match (path, &module) {
        (Some(path), None) => Some(workshop.roots.absolute_or_directory(Path::new(path))?),
        _ => None,
    };
    Ok(move |file: &str| {
        let file = Path::new(file);
        wanted.as_ref().is_none_or(|wanted| file.starts_with(wanted))
            && module.as_ref().is_none_or(|module| file.with_extension("").ends_with(module))
    })
}

/// The dialect of `path`: that of a file, or Scheme for the name of a module.
pub(crate) fn dialect_within(path: Option<&str>) -> Option<Dialect> {
    let path = path?.trim();
    if path.starts_with('(') { Some(Dialect::Scheme) } else { Dialect::detect(path, b"") }
}

/// The dialect that a session runs, when it has an image.
pub(crate) fn dialect_of(workshop: &Workshop, session: Option<&str>) -> Option<Dialect> {
    let living = workshop.sessions.living();
    let found = living.iter().find(|(name, _)| Some(name.as_str()) == session);
    found.map(|(_, runtime)| runtime.dialect)
}
