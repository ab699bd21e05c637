//! The reports of SBCL's runtime about itself when its memory runs out or it dies: tables of its heap, frames of its
//! own functions. They do not help the caller and take some two thousand characters, so a line with their number
//! replaces them. The sentences around them, which say what happened, stay.

use crate::capture::Printed;

/// The first line of a table of the heap: SBCL 2.2 and newer, and older versions.
const TABLE_BEGINS: [&str; 2] = ["Immobile Object Counts", "Gen "];

/// The name in the last line of a table of the heap.
const TABLE_ENDS: &str = "*STOP-FOR-GC-PENDING*";

/// The most lines of a table of the heap.
const MOST_TABLE_LINES: usize = 40;

/// The package of the agent, whose frames are the outermost.
const AGENT: &str = "LISPWRIGHT.AGENT::";

/// `printed` without the reports of SBCL's runtime about itself.
pub(crate) fn without_self_reports(printed: Printed) -> Printed {
    Printed { head: shortened(printed.head), dropped: printed.dropped, tail: shortened(printed.tail) }
}

fn shortened(text: String) -> String {
    if !(text.contains("Heap exhausted during") || text.contains(" guard page ") || text.contains(" pc=0x")) {
        return text;
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut kept = String::with_capacity(text.len());
    let mut index = 0;
    while index < lines.len() {
        let rest = &lines[index..];
        let (length, what) = if let Some(length) = table(rest) {
            (length, "of SBCL's on its heap")
        } else if let Some(length) = agent_frames(rest) {
            (length, "of frames that evaluate")
        } else if let Some(length) = runtime_frames(rest) {
            (length, "of SBCL's own frames")
        } else {
            if !is_of_guard_page(lines[index]) {
                kept.push_str(lines[index]);
            }
            index += 1;
            continue;
        };
        kept.push_str(&format!("   ... {length} lines {what}\n"));
        index += length;
    }
    kept
}

/// The number of lines of a heap table at the start of `lines`.
fn table(lines: &[&str]) -> Option<usize> {
    let first = lines.first()?.trim_start();
    if !TABLE_BEGINS.iter().any(|begin| first.starts_with(begin)) {
        return None;
    }
    let last = lines.iter().take(MOST_TABLE_LINES).position(|line| line.trim_start().starts_with(TABLE_ENDS))?;
    Some(last + 1)
}

/// The number of lines of frames at the start of `lines`, from the agent's innermost frame outwards.
fn agent_frames(lines: &[&str]) -> Option<usize> {
    let first = lines.first()?;
    (is_frame(first) && first.contains(AGENT)).then(|| lines.iter().take_while(|line| is_frame(line)).count())
}

/// The number of lines of frames at the start of `lines` that are SBCL's own: of its runtime in C, or of its packages.
fn runtime_frames(lines: &[&str]) -> Option<usize> {
    let is_own = |line: &&&str| {
        is_frame(line)
            && !line.contains(AGENT)
            && ["Foreign function", " SB-", "(SB-"].iter().any(|mark| line.contains(mark))
    };
    Some(lines.iter().take_while(is_own).count()).filter(|count| *count > 0)
}

/// Whether `line` is one of those that SBCL prints for each frame when it dies: `  12: fp=0x7f75 pc=0x52a1 NAME`.
fn is_frame(line: &str) -> bool {
    let Some((number, frame)) = line.trim_start().split_once(": ") else { return false };
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && frame.starts_with("fp=0x")
}

/// Whether `line` only reports SBCL's handling of a guard page, which the condition reports too.
fn is_of_guard_page(line: &str) -> bool {
    let line = line.trim_start_matches("INFO: ");
    ["Control stack", "Binding stack", "Alien stack"].iter().any(|stack| line.starts_with(stack))
        && [" guard page unprotected", " guard page reprotected", " guard page temporarily disabled"]
            .iter()
            .any(|what| line.contains(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_the_heap_is_counted_instead() {
        let text = "mine\nHeap exhausted during allocation: 0 bytes available, 32 requested.\n        Immobile Object Counts\n Gen \
                    layout\n  0 1\nGC control variables:\n   *GC-INHIBIT* = false\n   *STOP-FOR-GC-PENDING* = false\nmore\n";
        assert_eq!(
            shortened(text.to_owned()),
            "mine\nHeap exhausted during allocation: 0 bytes available, 32 requested.\n   ... 6 lines of SBCL's on its \
             heap\nmore\n"
        );
        let cut = &text[..text.len() - 30];
        assert_eq!(shortened(cut.to_owned()), cut);
    }

    #[test]
    fn frames_of_the_agent_are_counted_instead() {
        let text = "   0: fp=0x7f pc=0x53 SHOP::TOTAL\n   1: fp=0x7f pc=0x52 LISPWRIGHT.AGENT::RUN\n   2: fp=0x7f pc=0x52 \
                    SB-IMPL::%START-LISP\nend";
        assert_eq!(
            shortened(text.to_owned()),
            "   0: fp=0x7f pc=0x53 SHOP::TOTAL\n   ... 2 lines of frames that evaluate\nend"
        );
    }

    #[test]
    fn frames_of_the_runtime_are_counted_instead() {
        let text = "   0: fp=0x7f pc=0x53 (FLET \"CLEANUP-FUN-12\" :IN SB-SYS::INVOKE-INTERRUPTION)\n   1: fp=0x7f pc=0x55 \
                    Foreign function (null)\n   2: fp=0x7f pc=0x52 SHOP::TOTAL\n   3: fp=0x7f pc=0x52 SB-INT:EVAL\n   4: \
                    fp=0x7f pc=0x52 LISPWRIGHT.AGENT::RUN\n";
        assert_eq!(
            shortened(text.to_owned()),
            "   ... 2 lines of SBCL's own frames\n   2: fp=0x7f pc=0x52 SHOP::TOTAL\n   ... 1 lines of SBCL's own frames\n   \
             ... 1 lines of frames that evaluate\n"
        );
    }

    #[test]
    fn lines_about_guard_pages_are_left_out() {
        let text = "a\nINFO: Control stack guard page unprotected\nControl stack guard page temporarily disabled: proceed \
                    with caution\nmy guard page unprotected\n";
        assert_eq!(shortened(text.to_owned()), "a\nmy guard page unprotected\n");
    }
}
