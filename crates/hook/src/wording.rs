//! The messages to a model: the event, its place, the lines, the next step. Text of a file is always inside a fence;
//! outside are only its name and line numbers.

use std::fmt::Write as _;

use lispwright_edit::{Diagnosis, LineChange, Unexpected};
use lispwright_repair::{Renested, TextEdit, line_changes};
use lispwright_syntax::{Delimiter, DiagnosticKind, Flaw, LineIndex, TokenKind, Tree, around, fenced};

use crate::change::ChangedFile;
use crate::files::Mistake;
use crate::judge::{Repaired, Trees};
use crate::quoted::quoted;

/// The most changed lines shown of a repair.
const MOST_LINES: usize = 8;
/// The most fixes shown.
const MOST_FIXES: usize = 3;
/// The most effects shown that are seldom meant.
const MOST_EFFECTS: usize = 4;
/// Scalar values shown of a line.
const WIDTH: usize = 140;

/// The subject of a message: the name of the file, and the part of the call.
pub(crate) struct About<'a> {
    /// The file.
    pub(crate) path: &'a str,
    /// The name of the call's texts.
    pub(crate) texts: &'static str,
    /// The number of places to which each of them is written.
    pub(crate) places: usize,
}

/// The characters of a file that is not in UTF-8.
#[derive(Debug)]
pub(crate) struct Kept {
    /// The name of its encoding.
    pub(crate) encoding: &'static str,
    /// The characters that are not ASCII.
    pub(crate) count: usize,
    /// The first line with one, from 1.
    pub(crate) line: u32,
    /// That line.
    pub(crate) first: String,
}

/// Lines whose characters became U+FFFD.
#[derive(Debug)]
pub(crate) struct Lost {
    /// The name of the encoding that the file had.
    pub(crate) encoding: &'static str,
    /// The numbers of the lines as they are, from 1, and what they were.
    pub(crate) lines: Vec<(u32, String)>,
}

/// The next step after a loss of characters.
const KEEPERS: &str = "`lisp_edit_form`, `lisp_patch_form`, `lispwright edit` and `lispwright patch` keep them";

/// A call that is refused because its client would lose characters of the file.
pub(crate) fn would_lose(about: &About<'_>, kept: &Kept, is_written: bool) -> String {
    let name = quoted(about.path);
    let Kept { encoding, count, line, first } = kept;
    let shown = fenced(&format!("{line} {}", around(first, 0, WIDTH)));
    let (characters, are) = if *count == 1 { ("character", "is") } else { ("characters", "are") };
    let mut out = format!("lispwright: nothing was written. {name} is in {encoding}, not in UTF-8: ");
    let _ = match is_written {
        false => write!(
            out,
            "this tool would put U+FFFD in place of its {count} {characters} outside of ASCII, the first here:\n{shown}\n\
             Make the change with another tool: {KEEPERS}."
        ),
        true => write!(
            out,
            "the text has U+FFFD where its {count} {characters} outside of ASCII {are}, the first here:\n{shown}\n\
             Send the text with the characters themselves, and it becomes UTF-8, or change it by another tool: {KEEPERS}."
        ),
    };
    out
}

/// A file that has lost characters since the last commit.
pub(crate) fn has_lost(about: &About<'_>, lost: &Lost) -> String {
    let (name, count) = (quoted(about.path), lost.lines.len());
    let shown: Vec<String> =
        lost.lines.iter().take(MOST_LINES).map(|(line, was)| format!("{line} {}", around(was, 0, WIDTH))).collect();
    let more = if count > MOST_LINES { format!("\n{} more lines.", count - MOST_LINES) } else { String::new() };
    format!(
        "lispwright: {name} was in {} at the last commit; what is not ASCII is U+FFFD now. These lines were:\n{}{more}\n\
         `git checkout -- {name}` puts the bytes back. Then make the change with another tool: {KEEPERS}.",
        lost.encoding,
        fenced(&shown.join("\n"))
    )
}

/// A call whose texts were changed.
pub(crate) fn repaired(about: &About<'_>, change: &ChangedFile, done: &Repaired) -> String {
    let mut out = format!(
        "lispwright changed this call: {} in {}, which would not have balanced. Lines, - as sent, + as written:\n{}\n",
        summary(&done.edits),
        quoted(about.path),
        lines(&line_changes(&change.after, &done.edits))
    );
    if let Some(fix) = done.found.fixes.first() {
        let _ = write!(out, "Why: {}. ", fix.why);
    }
    out.push_str("If you meant something else, edit these lines.");
    out
}

/// A call that is refused because its client lets nobody change it, with the change.
pub(crate) fn repairable(about: &About<'_>, change: &ChangedFile, done: &Repaired) -> String {
    let mut out = format!(
        "lispwright: nothing was written, because {} would not balance: {}. One repair is certain: {}. Lines, - as sent, \
         + as they should be:\n{}\n",
        quoted(about.path),
        located(&done.found),
        summary(&done.edits),
        lines(&line_changes(&change.after, &done.edits))
    );
    if let Some(fix) = done.found.fixes.first() {
        let _ = write!(out, "Why: {}. ", fix.why);
    }
    out.push_str("Send the call again with these lines, or with what you mean instead.");
    out
}

/// A call that is refused.
pub(crate) fn denied(
    about: &About<'_>,
    change: &ChangedFile,
    found: &Diagnosis,
    undoes: bool,
    trees: &Trees,
) -> String {
    if let DiagnosticKind::Flawed(flaw) = found.kind {
        return flawed(about, change, found, flaw);
    }
    let was_broken = trees.were_broken();
    let name = quoted(about.path);
    let mut out = match was_broken {
        false => format!("lispwright: nothing was written, because {name} would not balance"),
        true => format!("lispwright: nothing was written, because {name} does not balance now and would be worse"),
    };
    let _ = write!(out, ": {}.", located(found));
    if let Some(sum) = sum(&trees.after, about.places).filter(|_| !was_broken) {
        let _ = write!(out, " {} {sum}.", about.texts);
    }
    // Models show source to people in such a fence.
    let fenced = change.after.trim_start().starts_with("```");
    let _ = match found.doubt.as_str() {
        _ if fenced => {
            write!(out, " It is wrapped in a Markdown fence, whose backquotes are read as quotes.")
        }
        "" if undoes => write!(out, " It was not repaired: the repaired text is what the file already has."),
        "" if was_broken => write!(out, " It was not repaired: the file had other faults before this call."),
        "" => write!(out, " It was not repaired: no repair of the text that you sent is certain."),
        doubt => write!(out, " It was not repaired: {doubt}."),
    };
    out.push_str(&details(&change.after, found, "as it would be"));
    out.push_str(if fenced {
        "\nSend the source alone, without the lines of backquotes."
    } else if undoes {
        "\nSend the change that you mean, with the delimiters right."
    } else {
        "\nSend the call again with the delimiters right."
    });
    out
}

/// A call that is refused although its text balances.
fn flawed(about: &About<'_>, change: &ChangedFile, found: &Diagnosis, flaw: Flaw) -> String {
    let (name, located, details) =
        (quoted(about.path), located(found), details(&change.after, found, "as it would be"));
    let (why, next) = match flaw {
        Flaw::LeftOut => ("would lack code", "Send the call again with the code itself: what is not sent is lost."),
        _ => ("would not be readable", "Send the call again without this."),
    };
    format!("lispwright: nothing was written, because {name} {why}: {located}.{details}\n{next}")
}

/// A call that is let through although the file does not balance, as it did not before.
pub(crate) fn still_broken(about: &About<'_>, text: &str, found: &Diagnosis) -> String {
    let (name, located, details) = (quoted(about.path), located(found), details(text, found, "after the call"));
    format!("lispwright: {name} did not balance before this call and does not after it: {located}.{details}")
}

/// A call that is let through because the notation of its file is not known.
pub(crate) fn unknown(about: &About<'_>, found: &Diagnosis) -> String {
    format!("lispwright: {} was not checked: {}.", quoted(about.path), found.doubt)
}

/// A file that does not balance after a call.
pub(crate) fn now_broken(about: &About<'_>, text: &str, found: &Diagnosis) -> String {
    let (name, located, details) = (quoted(about.path), located(found), details(text, found, "now"));
    format!("lispwright: {name} does not balance now: {located}.{details}\nMend it before going on.")
}

/// The most problems that are told; further ones are counted.
const MOST_PROBLEMS: usize = 3;

/// What a call has made wrong in a file whose delimiters are right.
pub(crate) fn problems(about: &About<'_>, found: &[Mistake]) -> String {
    let line = |one: &Mistake| format!("line {}: {}\n", one.line, one.message);
    let told: String = found.iter().take(MOST_PROBLEMS).map(line).collect();
    let mut out = format!("lispwright: new in {} since this call:\n{}", quoted(about.path), fenced(&told));
    if found.len() > MOST_PROBLEMS {
        let _ = write!(out, "\n{} more: lispwright lint tells them.", found.len() - MOST_PROBLEMS);
    }
    out
}

/// A block of Lisp in a page that does not balance since a call.
pub(crate) fn block(about: &About<'_>, text: &str, found: &Diagnosis) -> String {
    let (name, located, details) = (quoted(about.path), located(found), details(text, found, "now"));
    format!(
        "lispwright: a block of Lisp in {name} does not balance since this call: {located}.{details}\n\
         Mend it, unless it is meant to be a part."
    )
}

/// Further files that do not balance after a call.
pub(crate) fn more_broken(count: usize) -> String {
    let files = if count == 1 { "file does" } else { "files do" };
    format!("lispwright: {count} more Lisp {files} not balance now. lispwright check DIR lists them.")
}

/// A call that is let through although lines contradict its delimiters.
pub(crate) fn renested(about: &About<'_>, text: &str, forms: &[Renested], others: &[Unexpected]) -> String {
    let index = LineIndex::new(text.as_bytes());
    let name = quoted(about.path);
    let mut out = format!(
        "lispwright: {name} balances, but since this change the indentation of some lines contradicts their nesting. \
         The call was not changed; check that this is meant."
    );
    for form in forms.iter().take(MOST_FIXES) {
        let next = form.line + 1;
        let mut shown = vec![form.form_line, form.line, next];
        shown.dedup();
        shown.retain(|line| *line <= index.line_count());
        let _ = write!(out, "\n{}:\n{}", form.message, numbered(text, &index, &shown));
    }
    if forms.len() > MOST_FIXES {
        let _ = write!(out, "\n(and {} more forms)", forms.len() - MOST_FIXES);
    }
    out.push_str(&effects(text, &index, others));
    out
}

/// What is seldom meant, with the lines that show it.
fn effects(text: &str, index: &LineIndex, found: &[Unexpected]) -> String {
    let mut out = String::new();
    for effect in found.iter().take(MOST_EFFECTS) {
        let _ = write!(out, "\n{}\n{}", effect.without_source(), numbered(text, index, &effect.lines()));
    }
    if found.len() > MOST_EFFECTS {
        let _ = write!(out, "\n(and {} more; lispwright check tells all)", found.len() - MOST_EFFECTS);
    }
    out
}

/// A call that is let through although it has an effect that is seldom meant.
pub(crate) fn unexpected(about: &About<'_>, text: &str, found: &[Unexpected]) -> String {
    let index = LineIndex::new(text.as_bytes());
    let mut out = format!("lispwright: {} balances, and was not changed by lispwright. But:", quoted(about.path));
    out.push_str(&effects(text, &index, found));
    out
}

/// The message to the user that a call was not checked, and why.
pub(crate) fn not_checked(about: &About<'_>, why: &str) -> String {
    format!(
        "lispwright did not check the edit of {}, and will check no edit here until this is fixed: {why}",
        quoted(about.path)
    )
}

/// The mistake with its places.
fn located(found: &Diagnosis) -> String {
    let mut out = found.mistake();
    if let Some(line) = found.likely_elsewhere() {
        let _ = write!(out, "; line {line} is most likely wrong");
    }
    if found.count > 1 {
        let _ = write!(out, " ({} faults in all)", found.count);
    }
    out
}

/// The numbers of missing and surplus delimiters in a text whose strings and comments are closed.
fn sum(tree: &Tree, places: usize) -> Option<String> {
    use DiagnosticKind::{UnclosedComment, UnclosedString, UnclosedSymbol};
    if tree.diagnostics().iter().any(|found| matches!(found.kind, UnclosedString | UnclosedComment | UnclosedSymbol)) {
        return None;
    }
    let mut seen = [0i64; 1 << u8::BITS];
    tree.tokens().for_each(|(token, _)| seen[usize::from(token as u8)] += 1);
    let places = i64::try_from(places.max(1)).ok()?;
    let mut parts = Vec::new();
    for (delimiter, open, close) in [
        (Delimiter::Paren, TokenKind::OpenParen, TokenKind::CloseParen),
        (Delimiter::Bracket, TokenKind::OpenBracket, TokenKind::CloseBracket),
        (Delimiter::Brace, TokenKind::OpenBrace, TokenKind::CloseBrace),
    ] {
        match seen[open as usize] - seen[close as usize] {
            0 => {}
            count if count % places != 0 => return None,
            count @ 1.. => parts.push(format!("lacks {} `{}`", count / places, delimiter.close())),
            count => parts.push(format!("has {} `{}` too many", -count / places, delimiter.close())),
        }
    }
    (!parts.is_empty()).then(|| parts.join(" and "))
}

/// The fixes, or the lines of the mistake when there are none.
fn details(text: &str, found: &Diagnosis, when: &str) -> String {
    if found.fixes.is_empty() {
        let index = LineIndex::new(text.as_bytes());
        let shown = found.opened_at.into_iter().chain([found.likely_at]);
        let mut shown: Vec<u32> = shown.map(|place| place.line).collect();
        shown.sort_unstable();
        shown.dedup();
        return format!("\nThe lines of the file {when}:\n{}", numbered(text, &index, &shown));
    }
    let mut out = match found.fixes.len() {
        1 => format!("\nLikely fix (the file {when}):"),
        _ => format!("\nLikely fixes, best first (the file {when}):"),
    };
    for fix in found.fixes.iter().take(MOST_FIXES) {
        let _ = write!(out, "\n{}:\n{}", fix.why, lines(&fix.lines));
    }
    out
}

/// `added 1 `)` and removed 2 `]``.
fn summary(edits: &[TextEdit]) -> String {
    let count = |side: fn(&TextEdit) -> &str, verb: &str| {
        let mut kinds: Vec<(char, usize)> = Vec::new();
        for c in edits.iter().flat_map(|edit| side(edit).chars()).filter(|c| !c.is_whitespace()) {
            match kinds.iter_mut().find(|(kind, _)| *kind == c) {
                Some((_, count)) => *count += 1,
                None => kinds.push((c, 1)),
            }
        }
        let all: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} `{kind}`")).collect();
        (!all.is_empty()).then(|| format!("{verb} {}", all.join(", ")))
    };
    let parts: Vec<String> =
        [count(|edit| &edit.inserted, "added"), count(|edit| &edit.removed, "removed")].into_iter().flatten().collect();
    if parts.is_empty() { "moved white space".to_owned() } else { parts.join(" and ") }
}

/// Changed lines with their numbers, each before and after, in a fence.
fn lines(changes: &[LineChange]) -> String {
    let mut shown: Vec<String> = Vec::new();
    for LineChange { line, before, after } in changes.iter().take(MOST_LINES) {
        let same = before.chars().zip(after.chars()).take_while(|(before, after)| before == after).count();
        shown.extend(before.lines().map(|before| format!("{line} -{}", around(before, same, WIDTH))));
        shown.extend(after.lines().map(|after| format!("{line} +{}", around(after, same, WIDTH))));
    }
    let more = match changes.len().saturating_sub(MOST_LINES) {
        0 => String::new(),
        more => format!("\n(and {more} more lines)"),
    };
    format!("{}{more}", fenced(&shown.join("\n")))
}

/// Lines of a text with their numbers, in a fence.
fn numbered(text: &str, index: &LineIndex, lines: &[u32]) -> String {
    let numbered = |&line: &u32| format!("{line} {}", line_text(text, index, line));
    fenced(&lines.iter().map(numbered).collect::<Vec<_>>().join("\n"))
}

/// The beginning of a line.
fn line_text(text: &str, index: &LineIndex, line: u32) -> String {
    let span = index.line_span(line).unwrap_or_default();
    around(text[span.range()].trim_end_matches(['\n', '\r']), 0, WIDTH)
}
