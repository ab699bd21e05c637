//! What manuals and the project say of a name.

use lispwright_tools::NextCall;
use lispwright_tools::docs_lookup::{DocsAnswer, DocsEntry, MissingManual, Undocumented};
use lispwright_tools::image_text::{fence, listed, one_line};

use crate::Skin;
use crate::call::spoken;
use crate::rendering::counted;

/// Characters of a line that names something.
const LINE: usize = 300;

/// The entries, each below a line that says where it comes from.
pub(crate) fn text(answer: &DocsAnswer, skin: Skin) -> String {
    let mut text: String = answer.entries.iter().map(entry).collect::<Vec<_>>().join("\n");
    if answer.entries.is_empty() {
        text.push_str(&format!("There are only {} characters.\n", answer.total));
    }
    if answer.truncated {
        let next = NextCall::to("docs_lookup").with("query", answer.query.as_str());
        let next = match &answer.dialect {
            Some(dialect) => next.with("dialect", dialect.as_str()),
            None => next,
        };
        let next = spoken(&next.with("offset", answer.end), skin);
        let next = next.map(|call| format!(": {call}")).unwrap_or_default();
        text.push_str(&format!("[note] {} more characters{next}\n", answer.total - answer.end));
    }
    let lacks_text = answer.with_content && answer.entries.iter().any(|entry| entry.content.is_none());
    if lacks_text && let Some(missing) = not_installed(&answer.missing) {
        text.push_str(&format!("[note] {missing}\n"));
    }
    text
}

/// `Function CAR: Common Lisp HyperSpec`, its places, and its text.
fn entry(entry: &DocsEntry) -> String {
    let from = match &entry.manual {
        Some(manual) => manual.clone(),
        None => format!("{} of the project", entry.dialect),
    };
    let title = entry.title.as_deref().map(|title| format!(" ({})", one_line(title, LINE))).unwrap_or_default();
    let mut text = format!("[{from}] {}{title}\n", one_line(&entry.name, LINE));
    if let Some(url) = &entry.url {
        text.push_str(&format!("{}\n", one_line(url, LINE)));
    }
    if let Some(path) = &entry.path {
        let line = entry.line.map(|line| format!(":{line}")).unwrap_or_default();
        text.push_str(&format!("{}{line}\n", one_line(path, LINE)));
    }
    if let Some(content) = &entry.content {
        text.push_str(&fence(content.trim_end()));
        text.push('\n');
    }
    text
}

/// Which manuals are not installed, and how to install them.
fn not_installed(missing: &[MissingManual]) -> Option<String> {
    let names: Vec<&str> = missing.iter().map(|manual| &*manual.name).collect();
    let packages: Vec<&str> = missing.iter().filter_map(|manual| manual.package.as_deref()).collect();
    if names.is_empty() {
        return None;
    }
    let mut text = format!("Not installed: {}", names.join(", "));
    if !packages.is_empty() {
        text.push_str(&format!(" (apt-get install {})", packages.join(" ")));
    }
    if packages.contains(&"hyperspec") {
        text.push_str("; LISPWRIGHT_HYPERSPEC names a copy of the HyperSpec elsewhere");
    }
    Some(text + ".")
}

/// Nothing says anything about the query.
pub(crate) fn undocumented(unknown: &Undocumented, skin: Skin) -> String {
    let query = one_line(&unknown.query, LINE);
    let mut looked = unknown.looked.clone();
    if unknown.files > 0 {
        looked.push(format!("the docstrings of {}", counted(unknown.files, "file")));
    }
    let mut text = match &looked[..] {
        [] => format!("No manual that could know {query} is installed, and the project has no Lisp file."),
        _ => format!("{query} is not in {}.", looked.join(", ")),
    };
    if !unknown.nearest.is_empty() {
        text.push_str(&format!(" Nearest: {}.", listed(&unknown.nearest)));
    }
    if let Some(missing) = not_installed(&unknown.missing) {
        text.push_str(&format!(" {missing}"));
    }
    let describe = NextCall::to("code_describe").with("symbol", unknown.query.as_str());
    if unknown.has_image
        && let Some(call) = spoken(&describe, skin)
    {
        text.push_str(&format!(" The image that runs may know it: {call}"));
    }
    text
}
