//! Errors of Clojure on Python (Basilisp), whose server prints them as Python does.

use crate::eval::{Frame, LispError};

const HEADING: &str = "Traceback (most recent call last):";

/// The number of frames that are shown.
const MOST_FRAMES: usize = 20;

/// The error in `complaint`, if that has the form of Python's or of Basilisp's compiler's messages.
pub(super) fn error(complaint: &str) -> Option<LispError> {
    traceback(complaint).or_else(|| compilation(complaint))
}

/// The last of several tracebacks is that of the exception in the end.
fn traceback(complaint: &str) -> Option<LispError> {
    let (_, last) = complaint.rsplit_once(HEADING)?;
    let mut lines = last.trim_start_matches('\n').split('\n').peekable();
    let mut frames = Vec::new();
    while let Some(line) = lines.next_if(|line| line.starts_with(' ')) {
        frames.extend(frame(line));
    }
    let thrown = lines.next()?;
    let (type_name, message) = thrown.split_once(": ").unwrap_or((thrown, ""));
    let message: String = [message].into_iter().chain(lines).collect::<Vec<_>>().join("\n");
    // Python prints the outermost frame first.
    let frames = frames.into_iter().rev().filter(|frame: &Frame| !frame.file.as_deref().is_some_and(is_library));
    Some(LispError {
        type_name: type_name.to_owned(),
        message: message.trim_end().to_owned(),
        frames: (0..).zip(frames.take(MOST_FRAMES)).map(|(number, frame)| Frame { number, ..frame }).collect(),
        ..LispError::default()
    })
}

/// A line such as `  File "a.lpy", line 3, in f`.
fn frame(line: &str) -> Option<Frame> {
    let (file, rest) = line.trim_start().strip_prefix("File \"")?.split_once("\", line ")?;
    let (number, name) = rest.split_once(", in ")?;
    let file = if file.starts_with('<') { "code" } else { file };
    Some(Frame { call: name.to_owned(), file: Some(file.to_owned()), line: number.parse().ok(), ..Frame::default() })
}

fn is_library(file: &str) -> bool {
    ["/site-packages/basilisp/", "/lib/python"].iter().any(|part| file.contains(part))
}

/// `exception: <class 'a.B'>`, then `name: value` on lines of their own.
fn compilation(complaint: &str) -> Option<LispError> {
    let (first, rest) = complaint.split_once('\n')?;
    let (type_name, _) = first.strip_prefix("exception: <class '")?.split_once('\'')?;
    let lines = rest.lines().map(|line| line.trim().trim_start_matches("message: "));
    let message = lines.filter(|line| !line.is_empty() && !line.starts_with("phase: ")).collect::<Vec<_>>().join("\n");
    Some(LispError { type_name: type_name.to_owned(), message, ..LispError::default() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_last_traceback_is_read_innermost_first_without_libraries() {
        let text = "Traceback (most recent call last):\n  File \"a\", line 1, in b\nKeyError: 1\n\nDuring handling of the \
                    above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \
                    \"/v/lib/python3.11/site-packages/basilisp/core.lpy\", line 488, in last\n    (if (seq s))\n     ^^^\n  \
                    File \"<nREPL Input>\", line 1, in g\n  File \"/p/a.lpy\", line 7, in f_12\n    (/ n 0)\n\
                    ZeroDivisionError: Fraction(1, 0)\nand more\n";
        let error = error(text).unwrap();
        assert_eq!((&*error.type_name, &*error.message), ("ZeroDivisionError", "Fraction(1, 0)\nand more"));
        let frames: Vec<_> = error.frames.iter().map(|frame| (frame.number, &*frame.call, frame.line)).collect();
        assert_eq!(frames, [(0, "f_12", Some(7)), (1, "g", Some(1))]);
        assert_eq!(error.frames[1].file.as_deref(), Some("code"));
    }

    #[test]
    fn odd_tracebacks_do_no_harm() {
        assert_eq!(error("Traceback (most recent call last):\nStopIteration\n").unwrap().type_name, "StopIteration");
        assert_eq!(error(HEADING).unwrap(), LispError::default());
        assert!(error("java.lang.Error: x").is_none());
    }

    #[test]
    fn a_compiler_error_has_its_message_form_and_place() {
        let text = "exception: <class 'basilisp.CompilerException'> from <class 'X'>\n      phase: :analyzing\n    message: \
                    unable to resolve symbol 'x'\n       form: x\n   location: <nREPL Input>:1\n";
        let error = error(text).unwrap();
        assert_eq!(error.type_name, "basilisp.CompilerException");
        assert_eq!(error.message, "unable to resolve symbol 'x'\nform: x\nlocation: <nREPL Input>:1");
    }
}
