//! Conditions, restarts and frames of an image.

use lispwright_runtime::{Frame, LispError, Repetition};
use lispwright_tools::image_text::{fence, one_line};

/// A condition with its restarts and frames, after `title`.
pub(crate) fn error_text(title: &str, error: &LispError) -> String {
    let mut text = format!("{title} {}\n{}\n", one_line(&error.type_name, 200), fence(&error.message));
    text.push_str(&restarts_text(&error.restarts, error.kept));
    text.push_str(&frames_text(&error.frames));
    text
}

/// Restarts and their descriptions; with their numbers if they can be taken.
pub(crate) fn restarts_text(restarts: &[(String, String)], numbered: bool) -> String {
    let mut text = String::new();
    if !restarts.is_empty() {
        text.push_str("[Restarts]\n");
    }
    for (number, (name, description)) in restarts.iter().enumerate() {
        let number = if numbered { format!("{number}: ") } else { String::new() };
        text.push_str(&format!("{number}{}: {}\n", one_line(name, 60), one_line(description, 200)));
    }
    text
}

/// `1 error`, `2 errors`.
pub(crate) fn errors_text(count: u32) -> String {
    if count == 1 { "1 error".to_owned() } else { format!("{count} errors") }
}

/// The frames, innermost first.
pub(crate) fn frames_text(frames: &[Frame]) -> String {
    if frames.is_empty() {
        return String::new();
    }
    let mut text = "[Backtrace]\n".to_owned();
    for frame in frames {
        text.push_str(&frame_line(frame));
        // A compiler's own variable has no name.
        for (name, value) in frame.locals.iter().filter(|(name, _)| name != "NIL") {
            text.push_str(&format!("     {} = {}\n", one_line(name, 60), one_line(value, 160)));
        }
        if let Some(repeated) = frame.repeated {
            text.push_str(&repeated_line(repeated));
        }
    }
    text
}

/// The line for the repeated frames that are left out.
fn repeated_line(repeated: Repetition) -> String {
    let at_least = if repeated.at_least { "at least " } else { "" };
    let times = thousands(repeated.times);
    match repeated.frames {
        1 => format!("   ... {at_least}{times} more like it\n"),
        frames => format!("   ... {at_least}{times} more times these {frames}\n"),
    }
}

/// A number with a comma after each three digits.
fn thousands(number: u32) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// A frame's number, call and source on one line.
pub(crate) fn frame_line(frame: &Frame) -> String {
    let mut line = format!("{}: {}", frame.number, one_line(&frame.call, 220));
    if let Some(file) = &frame.file {
        let at: String = [frame.line, frame.column].iter().flatten().map(|number| format!(":{number}")).collect();
        line.push_str(&format!("  {}{at}", one_line(file, 200)));
    }
    line + "\n"
}
