//! Colours, if standard output is a terminal that shows them and the environment does not forbid them (`NO_COLOR`,
//! `CLICOLOR`, `TERM=dumb`).

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

const GONE: Style = AnsiColor::Red.on_default();
const NEW: Style = AnsiColor::Green.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();
const ASIDE: Style = Style::new().dimmed();
const FAULT: Style = AnsiColor::Red.on_default().bold();

/// An answer with its diff in colours.
pub(crate) fn painted(text: &str) -> Cow<'_, str> {
    let mut in_diff = false;
    by_line(text, |line| {
        in_diff |= line.starts_with("@@");
        match line.as_bytes().first() {
            Some(b'@') if in_diff => Some(PLACE),
            Some(b'-') if in_diff => Some(GONE),
            Some(b'+') if in_diff => Some(NEW),
            _ => None,
        }
    })
}

/// A verdict, with its first line in green or red.
pub(crate) fn verdict(text: &str, is_sound: bool) -> Cow<'_, str> {
    let mut first = true;
    by_line(text, |_| std::mem::take(&mut first).then_some(if is_sound { NEW } else { FAULT }))
}

/// A view with dimmed line numbers.
pub(crate) fn view(text: &str) -> Cow<'_, str> {
    if !wanted() {
        return text.into();
    }
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let gutter = line.find('|').filter(|&at| line[..at].bytes().all(|byte| byte == b' ' || byte.is_ascii_digit()));
        let (number, rest) = line.split_at(gutter.map_or(0, |at| at + 1));
        let _ = write!(out, "{ASIDE}{number}{ASIDE:#}{rest}");
    }
    out.into()
}

/// What a search has found, with files in the colour of places and forms set apart.
pub(crate) fn found(text: &str) -> Cow<'_, str> {
    let mut is_first = true;
    by_line(text, |line| match () {
        () if std::mem::take(&mut is_first) || line.starts_with('[') => Some(ASIDE),
        () if line.starts_with("    ") => None,
        () if line.starts_with("  ") => Some(NEW),
        () => Some(PLACE),
    })
}

/// Problems, with their places set apart from the source.
pub(crate) fn problems(text: &str) -> Cow<'_, str> {
    by_line(text, |line| match line.trim_start() {
        carets if carets.starts_with('^') => Some(FAULT),
        _ if line.starts_with("    ") => None,
        _ if line.contains(": error: ") => Some(FAULT),
        _ if line.starts_with('[') => Some(ASIDE),
        _ => Some(PLACE),
    })
}

fn by_line(text: &str, mut style: impl FnMut(&str) -> Option<Style>) -> Cow<'_, str> {
    if !wanted() {
        return text.into();
    }
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        let _ = match style(body) {
            Some(style) => write!(out, "{style}{body}{style:#}{end}"),
            None => write!(out, "{line}"),
        };
    }
    out.into()
}

fn wanted() -> bool {
    AutoStream::choice(&io::stdout()) != ColorChoice::Never
}
