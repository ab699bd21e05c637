//! Files and namespaces: loading them with located diagnostics, and running their tests.

use std::path::{Path, PathBuf};
use std::time::Instant;

use lispwright_project::{Links, read_regular};

use super::bencode::Bencode;
use super::class_path::ClassPath;
use super::details::{self, Flavour, literal};
use super::evaluate::{Evaluated, Thrown, refused};
use super::forms::Code;
use super::image::{Image, Reply};
use super::renewal::bringing;
use crate::eval::{CurrentForm, Ending, LispError, Phase};
use crate::operation::ImageOperation;
use crate::remote::Lost;
use crate::renewal::Renewed;
use crate::stop::Controls;
use crate::tally::Tally;
use crate::work::{CompilerDiagnostic, LoadTarget, Project};

/// The longest file that is sent, in bytes.
const LONGEST: u64 = 8 << 20;

/// The JVM's error for a file that cannot be read.
const UNREAD: &str = "java.io.IOException";

/// The beginning of the compiler's warnings about reflection.
const REFLECTION: &str = "Reflection warning, ";

impl Image {
    /// Loads a file or a namespace.
    pub(crate) async fn load(
        &mut self,
        target: &LoadTarget,
        project: &Project,
        force: bool,
        deadline: Instant,
        controls: &Controls,
    ) -> Result<Evaluated, Lost> {
        let renews = self.renews().await?;
        let text = match target {
            LoadTarget::Path(path) => match read(path).await {
                Ok(text) => text,
                Err(why) => return Ok(unread(path, why)),
            },
            LoadTarget::System(_) => String::new(),
        };
        let reply = match target {
            target if renews => {
                let code = bringing(target, &project.renewal, force);
                self.exchange(self.plain_message(&code), deadline, controls).await?
            }
            LoadTarget::Path(path) => self.exchange(self.load_message(path, &text), deadline, controls).await?,
            LoadTarget::System(name) => {
                let reload = if force { " :reload" } else { "" };
                let code = format!("(do (require (symbol {}){reload}) nil)", literal(name));
                self.exchange(self.plain_message(&code), deadline, controls).await?
            }
        };
        let failed = self.failure(&reply, target, project).await?;
        let (renewed, exit) = if renews { self.renewed().await? } else { (Renewed::default(), None) };
        let unchanged = renews && !force && renewed.loaded.is_empty();
        let mut evaluated =
            Evaluated { renewed, ..failed.unwrap_or_else(|| Ending::Loaded { unchanged, exit }.into()) };
        let mut warnings = self.take_error_lines(reflection_warning);
        for file in warnings.iter_mut().filter_map(|warning| warning.file.as_mut()) {
            *file = source_file(project, file);
        }
        warnings.append(&mut evaluated.diagnostics);
        evaluated.diagnostics = warnings;
        Ok(evaluated)
    }

    /// Loads a file or a namespace anew and runs its tests.
    pub(crate) async fn test(
        &mut self,
        target: &LoadTarget,
        project: &Project,
        names: &[String],
        deadline: Instant,
        controls: &Controls,
    ) -> Result<Evaluated, Lost> {
        if self.flavour == Flavour::Node {
            // clojure.test of the JVM is not there, and cljs.test reports to nobody.
            return Ok(Ending::NotOffered { operation: ImageOperation::RunTests }.into());
        }
        let space = match target {
            LoadTarget::System(name) => Some(format!("(symbol {})", literal(name))),
            LoadTarget::Path(path) => {
                read(path).await.ok().as_deref().and_then(namespace_form).map(|form| format!("(second '{form}\n)"))
            }
        };
        let renews = self.renews().await?;
        if let Some(space) = space.as_ref().filter(|_| !renews) {
            self.exchange(self.plain_message(&details::forget_tests(space)), deadline, controls).await?;
        }
        let mut loaded = self.load(target, project, true, deadline, controls).await?;
        let Ending::Loaded { exit, .. } = loaded.ending else { return Ok(loaded) };
        let time = deadline.saturating_duration_since(Instant::now());
        let question = details::tests_question(space.as_deref().unwrap_or("'user"), names, time, renews);
        self.underway = None;
        let reply = self.exchange(self.plain_message(&question), deadline, controls).await?;
        let underway = self.underway.take();
        let failed = self.failure(&reply, target, project).await?;
        if renews {
            loaded.renewed.restored = self.restored().await?;
        }
        if let Some(failed) = failed {
            return Ok(Evaluated { tests: underway, renewed: loaded.renewed, ..failed });
        }
        let answer = reply.value.and_then(|(printed, _)| details::answer(&printed));
        let Some(mut tests) = answer.as_ref().and_then(Tally::read) else {
            return Ok(Ending::AgentFault("the server gave no results of tests".to_owned()).into());
        };
        tests.exit_status = exit;
        Ok(Evaluated { tests: Some(tests), ending: Ending::Tested, ..loaded })
    }

    fn load_message(&self, path: &str, text: &str) -> Vec<(&'static str, Bencode)> {
        let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path);
        let mut message = self.plain_message("");
        message.retain(|(key, _)| !matches!(*key, "op" | "code" | "ns"));
        message.extend([
            ("op", Bencode::text("load-file")),
            ("file", Bencode::text(text)),
            ("file-path", Bencode::text(path)),
            ("file-name", Bencode::text(name)),
        ]);
        message
    }

    fn plain_message(&self, code: &str) -> Vec<(&'static str, Bencode)> {
        let mut message = vec![
            ("op", Bencode::text("eval")),
            ("session", Bencode::text(&self.session)),
            ("code", Bencode::text(code)),
            ("ns", Bencode::text("user")),
        ];
        if self.prints_with_limits {
            message.push(("nrepl.middleware.caught/caught", Bencode::text("clojure.core/identity")));
        }
        message
    }

    /// The failure, if there was one.
    async fn failure(
        &mut self,
        reply: &Reply,
        target: &LoadTarget,
        project: &Project,
    ) -> Result<Option<Evaluated>, Lost> {
        let (LoadTarget::Path(name) | LoadTarget::System(name)) = target;
        let mut place = loading(name);
        if let Some(reason) = reply.stopped {
            // The code of the call is this program's.
            let frames = reply.frames.iter().filter(|frame| frame.file.as_deref() != Some("code")).cloned().collect();
            place.index = 0;
            return Ok(Some(Ending::Stopped { reason, frames, place, kept: false }.into()));
        }
        if let Some(thrown) = &reply.thrown {
            let Thrown { mut error, phase, at, source } = self.error(thrown, reply).await?;
            // The code of the call is this program's.
            error.frames.retain(|frame| frame.file.as_deref() != Some("code"));
            place.at = at;
            place.phase = if phase == Phase::Read { Phase::Eval } else { phase };
            // The target may have loaded another file, and failed there.
            let file = match (source, target) {
                (Some(source), _) => Some(source_file(project, &source)),
                (None, LoadTarget::Path(path)) => Some(path.clone()),
                (None, LoadTarget::System(_)) => None,
            };
            // A namespace fails in the innermost known file.
            let file = file.or_else(|| {
                let mut files = error.frames.iter().filter_map(|frame| frame.file.as_ref());
                files.find(|file| Path::new(file).is_absolute()).cloned()
            });
            let framed = error.frames.iter().find(|frame| frame.file.is_some() && frame.file == file);
            let line = at.map(|(line, _)| line).or_else(|| framed.and_then(|frame| frame.line));
            let diagnostic = CompilerDiagnostic {
                severity: "error".to_owned(),
                type_name: if phase == Phase::Read { "READ-ERROR".to_owned() } else { error.type_name.clone() },
                message: unplaced(&error.message),
                file,
                line,
                column: at.map(|(_, column)| column),
                form: None,
            };
            let diagnostics = vec![diagnostic];
            return Ok(Some(Evaluated { diagnostics, ..Ending::Error { error, place }.into() }));
        }
        Ok(refused(reply).map(|why| Ending::AgentFault(why).into()))
    }
}

/// A message without the compiler's place at its beginning.
fn unplaced(message: &str) -> String {
    let is_doing = |line: &&str| {
        ["while reading", "while compiling", "while expanding"].iter().any(|doing| line.starts_with(doing))
    };
    let lines = message.lines().map(|line| match line.split_once(", ").filter(|_| is_doing(&line)) {
        Some((doing, place)) if place.ends_with(|last: char| last.is_ascii_digit()) => doing,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// `Reflection warning, /path/file.clj:3:1 - call to method ...`
fn reflection_warning(line: &str) -> Option<CompilerDiagnostic> {
    let (place, message) = line.strip_prefix(REFLECTION)?.split_once(" - ")?;
    let (place, column) = place.rsplit_once(':')?;
    let (file, line) = place.rsplit_once(':')?;
    Some(CompilerDiagnostic {
        severity: "warning".to_owned(),
        type_name: "reflection".to_owned(),
        message: message.to_owned(),
        file: Some(file.to_owned()),
        line: line.parse().ok(),
        column: column.parse().ok(),
        form: None,
    })
}

/// The source directories below the root of a project, as its tools name them.
const SOURCE_DIRECTORIES: [&str; 9] =
    ["src", "test", "", "src/clj", "src/cljc", "src/main/clojure", "test/clj", "src/test/clojure", "dev"];

/// The path of a source that the compiler names relative to the class path; the name itself when it is not found.
fn source_file(project: &Project, name: &str) -> String {
    if Path::new(name).is_absolute() {
        return name.to_owned();
    }
    let roots = || project.roots.iter().map(Path::new);
    let usual = roots().flat_map(|root| SOURCE_DIRECTORIES.map(|directory| root.join(directory)));
    let mut places =
        usual.chain(roots().flat_map(|root| ClassPath::of(root).entries)).map(|directory| directory.join(name));
    places.find(|place| place.is_file()).map_or_else(|| name.to_owned(), |place| place.display().to_string())
}

/// The failure to load the file at `path`, which could not be read, as the JVM would give it.
fn unread(path: &str, why: String) -> Evaluated {
    let diagnostic = CompilerDiagnostic {
        severity: "error".to_owned(),
        type_name: UNREAD.to_owned(),
        message: why.clone(),
        file: Some(path.to_owned()),
        line: None,
        column: None,
        form: None,
    };
    let error = LispError { type_name: UNREAD.to_owned(), message: why, ..LispError::default() };
    Evaluated { diagnostics: vec![diagnostic], ..Ending::Error { error, place: loading(path) }.into() }
}

/// The load of a file or a namespace as a form that is evaluated.
fn loading(name: &str) -> CurrentForm {
    CurrentForm { phase: Phase::Eval, index: 1, total: Some(1), start: (1, 1), at: None, text: name.to_owned() }
}

/// The text at `path`, which had no links when it was resolved.
async fn read(path: &str) -> Result<String, String> {
    let file = PathBuf::from(path);
    let read = tokio::task::spawn_blocking(move || read_regular(&file, LONGEST, Links::Refused)).await;
    let bytes = read.map_err(std::io::Error::other).flatten();
    bytes
        .and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other))
        .map_err(|error| format!("{path} cannot be read: {error}"))
}

/// The form that names the namespace of a file.
fn namespace_form(text: &str) -> Option<&str> {
    let code = Code::read(text);
    code.forms.iter().map(|form| code.slice(*form)).find(|form| {
        let head = form.strip_prefix('(').unwrap_or_default().trim_start();
        head.strip_prefix("ns").is_some_and(|rest| rest.starts_with(char::is_whitespace))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_about_reflection_have_a_place() {
        let line = "Reflection warning, /p/a b.clj:3:12 - reference to field length can't be resolved.";
        let warning = reflection_warning(line).expect("it is one");
        assert_eq!((warning.file.as_deref(), warning.line, warning.column), (Some("/p/a b.clj"), Some(3), Some(12)));
        assert_eq!(warning.message, "reference to field length can't be resolved.");
        assert!(reflection_warning("Reflection warning, nonsense").is_none());
    }

    #[test]
    fn a_place_is_not_repeated_in_the_message() {
        assert_eq!(
            unplaced("No such var\nwhile compiling f, src/a b, c.clj:6\nex-data: {:a, 1}"),
            "No such var\nwhile compiling f\nex-data: {:a, 1}"
        );
        assert_eq!(unplaced("x\nwhile reading, line 3"), "x\nwhile reading");
        assert_eq!(unplaced("He said, 3"), "He said, 3");
    }

    #[test]
    fn the_namespace_of_a_file_is_found_after_comments() {
        assert_eq!(namespace_form("; (ns no)\n#_(ns no)\n(ns ^:x a.b)\n(c)"), Some("(ns ^:x a.b)"));
        assert_eq!(namespace_form("(nsx a)"), None);
    }
}
