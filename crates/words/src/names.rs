//! Names in a live image: their meanings, definitions and references, and the exports of modules.

use lispwright_tools::NextCall;
use lispwright_tools::code_describe::{DescribeAnswer, Meaning, Sense};
use lispwright_tools::code_exports::{Export, ExportsAnswer};
use lispwright_tools::code_find::{Definition, FindAnswer};
use lispwright_tools::code_find_references::{Mention, ReferencesAnswer};
use lispwright_tools::eval_answer::output_limit;
use lispwright_tools::image_text::{fence, one_line, start_of_fenced};

use crate::Skin;
use crate::aside::notes;
use crate::call::spoken;

/// Definitions shown.
const MOST_DEFINITIONS: usize = 50;

/// Methods listed in a description.
const MOST_METHODS: usize = 30;

/// Characters of the first line of a documentation string in a list.
const DOCUMENTATION: usize = 120;

/// The definitions of a name.
pub(crate) fn found(answer: &FindAnswer, skin: Skin) -> String {
    let name = one_line(&answer.symbol, 200);
    let mut text = match answer.definitions.len() {
        0 if answer.narrowed => format!("{name} is not defined there, as far as the live image knows.\n"),
        0 => {
            let mut kinds: Vec<&str> = answer.kinds.iter().map(String::as_str).collect();
            kinds.dedup();
            let more = match spoken(&NextCall::to("code_describe").with("symbol", name.as_str()), skin) {
                Some(_) => " code_describe says what the live image knows.",
                None => "",
            };
            format!(
                "{name} ({}) has no place in a file of the project: it was evaluated, or comes with the runtime.{more}\n",
                one_line(&kinds.join(", "), 200)
            )
        }
        1 => format!("{name} is defined, as the live image knows it, at\n"),
        several => format!("{name} has {several} definitions in the live image:\n"),
    };
    for Definition { path, line, label, .. } in answer.definitions.iter().take(MOST_DEFINITIONS) {
        text.push_str(&format!("{}: {}\n", place(path, [*line, None]), one_line(label, 260)));
    }
    if answer.definitions.len() > MOST_DEFINITIONS {
        let more = answer.definitions.len() - MOST_DEFINITIONS;
        text.push_str(&format!("[note] {more} more are left out; narrow them with path.\n"));
    }
    text + &notes(&answer.aside, skin)
}

/// The meanings of a name.
pub(crate) fn described(answer: &DescribeAnswer, skin: Skin) -> String {
    let mut text = headline(answer);
    let mut methods = 0;
    for meaning in &answer.meanings {
        let is_method = meaning.sense.kind.as_deref() == Some("method");
        methods += usize::from(is_method);
        if !is_method || methods <= MOST_METHODS {
            text.push_str(&meaning_text(meaning, is_method));
        }
    }
    if methods > MOST_METHODS {
        text.push_str(&format!("[note] {} more methods are left out.\n", methods - MOST_METHODS));
    }
    let (mut text, cut) = start_of_fenced(&text, output_limit(None));
    if cut > 0 {
        text.push_str(&format!("[note] {cut} characters are left out.\n"));
    }
    text + &notes(&answer.aside, skin)
}

/// `FARM:AREA, exported`.
fn headline(answer: &DescribeAnswer) -> String {
    let exported = match (&answer.package, answer.exported) {
        (Some(home), Some(true)) => format!(", exported from {}", one_line(home, 100)),
        (Some(home), Some(false)) => format!(", internal to {}", one_line(home, 100)),
        (Some(home), None) => format!(", of {}", one_line(home, 100)),
        (None, _) => String::new(),
    };
    format!("{}{exported}\n", fence(&one_line(&answer.name, 200)))
}

/// A meaning. The name of a method already has its parameters.
fn meaning_text(meaning: &Meaning, is_method: bool) -> String {
    let Sense { kind, arglist, documentation, path, line, facts } = &meaning.sense;
    let mut text = format!("[{}] {}", one_line(kind.as_deref().unwrap_or_default(), 60), one_line(&meaning.name, 200));
    let mut arglists = arglist.iter().filter(|_| !is_method).flat_map(|lists| lists.split('\n'));
    if let Some(first) = arglists.next() {
        text.push_str(&format!(" {}", one_line(first, 500)));
    }
    if let Some(path) = path {
        text.push_str(&format!("  {}", place(path, [*line, None])));
    }
    text.push('\n');
    for more in arglists {
        text.push_str(&format!("or {}\n", one_line(more, 500)));
    }
    for fact in facts {
        text.push_str(&format!("{}: {}\n", one_line(&fact.name, 60), one_line(&fact.text, 600)));
    }
    if let Some(documentation) = documentation {
        text.push_str(&fence(documentation.trim_end()));
        text.push('\n');
    }
    text
}

/// The references to a name.
pub(crate) fn references(answer: &ReferencesAnswer, skin: Skin) -> String {
    let (name, outside) = (one_line(&answer.symbol, 200), answer.outside_project);
    let mut text = match answer.count {
        0 if outside > 0 => format!("The live image knows no reference to {name} in the project.\n"),
        0 => format!("The live image knows no reference to {name}, which does not mean that there is none.\n"),
        1 => format!("1 reference to {name}, as the live image knows it:\n"),
        several => format!("{several} references to {name}, as the live image knows them:\n"),
    };
    for mention in &answer.refs {
        text.push_str(&mention_text(mention));
    }
    let (mut text, cut) = start_of_fenced(&text, output_limit(None));
    if answer.truncated || cut > 0 {
        text.push_str("[note] More are left out; narrow them with path or kinds.\n");
    }
    if outside > 0 {
        text.push_str(&format!("[note] {outside} more outside the project; project_only false shows them.\n"));
    }
    if let Some(first) = answer.not_known.first() {
        let next = spoken(&NextCall::to("load_system").with("path", first.as_str()), skin);
        let next = next.map(|call| format!(" {call} compiles one.")).unwrap_or_default();
        text.push_str(&format!(
            "[note] References in these files are unknown, because they were not compiled in this image: {}.{next}\n",
            one_line(&answer.not_known.join(", "), 500)
        ));
    }
    let not_looked_at = answer.aside.runtime.words.not_looked_at;
    if !not_looked_at.is_empty() {
        let mentions = match skin {
            Skin::Client => " lisp_read_file with content_pattern shows mentions in a file.",
            Skin::Shell => "",
        };
        text.push_str(&format!("[note] Not looked at: {not_looked_at}.{mentions}\n"));
    }
    text + &notes(&answer.aside, skin)
}

fn mention_text(mention: &Mention) -> String {
    let (kind, label) = (one_line(&mention.kind, 40), one_line(&mention.label, 200));
    let Some(path) = &mention.path else { return format!("(evaluated, in no file): {kind} in {label}\n") };
    let context = mention.context.as_deref().filter(|context| !context.is_empty());
    let context = context.map(|context| format!(": {context}")).unwrap_or_default();
    format!("{}: {kind} in {label}{context}\n", place(path, [mention.line, mention.column]))
}

/// The exports of a module.
pub(crate) fn exports(answer: &ExportsAnswer, skin: Skin) -> String {
    let name = one_line(&answer.module, 200);
    let mut text = match answer.total {
        0 => format!("{name} exports nothing.\n"),
        1 => format!("{name} exports 1 name:\n"),
        total => format!("{name} exports {total} names:\n"),
    };
    for export in &answer.exports {
        text.push_str(&export_text(export));
    }
    let (mut text, cut) = start_of_fenced(&text, output_limit(None));
    if cut > 0 {
        text.push_str(&format!("[note] {cut} characters are left out; ask for fewer with limit.\n"));
    } else if answer.truncated {
        let next = NextCall::to("code_exports").with("module", answer.module.as_str()).with("offset", answer.end);
        let next = spoken(&next, skin).map(|call| format!(": {call}")).unwrap_or_default();
        text.push_str(&format!("[note] {} more{next}\n", answer.total - answer.end));
    }
    text + &notes(&answer.aside, skin)
}

/// `procedure crop (x)  farm/field.scm:2  Grows one.`
fn export_text(export: &Export) -> String {
    let mut text = format!("{} {}", one_line(&export.kind, 60), one_line(&export.name, 200));
    if let Some(arglist) = &export.arglist {
        let lists: Vec<String> = arglist.split('\n').map(|list| one_line(list, 300)).collect();
        text.push_str(&format!(" {}", lists.join(" or ")));
    }
    if let Some(from) = &export.from {
        text.push_str(&format!("  from {}", one_line(from, 100)));
    }
    if let Some(path) = &export.path {
        text.push_str(&format!("  {}", place(path, [export.line, None])));
    }
    if let Some(documentation) = &export.documentation {
        text.push_str(&format!("  {}", one_line(documentation, DOCUMENTATION)));
    }
    text + "\n"
}

/// `path:line:column` as far as it is known.
fn place(path: &str, numbers: [Option<u32>; 2]) -> String {
    let numbers: String = numbers.into_iter().flatten().map(|number| format!(":{number}")).collect();
    one_line(path, 300) + &numbers
}
