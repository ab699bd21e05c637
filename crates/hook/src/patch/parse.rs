//! Parses a patch.

use std::ops::Range;

use super::{Action, Chunk, FilePatch, Line, Patch, Sign};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

impl Patch {
    /// Parses an argument that is a patch, or a shell command that only applies one. `pointer` is the place of the
    /// argument in the call.
    pub fn parse(text: &str, pointer: &str) -> Option<Self> {
        let (directory, inner) = envelope(text)?;
        let files = Parser { text, rest: lines(text, inner) }.files()?;
        Some(Self { text: text.to_owned(), pointer: pointer.to_owned(), directory, files })
    }
}

/// The place of the lines of the patch, and the directory to which a shell command changes first.
fn envelope(text: &str) -> Option<(Option<String>, Range<usize>)> {
    let mut directory = None;
    let mut lines = lines(text, 0..text.len()).into_iter().filter(|line| !text[line.clone()].trim().is_empty());
    let mut first = lines.next()?;
    let mut last = lines.next_back()?;
    if text[first.clone()].trim() != BEGIN {
        let (went, mark) = heredoc(&text[first])?;
        if text[last].trim() != mark {
            return None;
        }
        directory = went;
        first = lines.next()?;
        last = lines.next_back()?;
    }
    (text[first.clone()].trim() == BEGIN && text[last.clone()].trim() == END)
        .then_some((directory, first.end + 1..last.start))
}

/// `apply_patch <<'EOF'`, perhaps after `cd DIRECTORY &&`: the directory and the mark. A bare `<<'EOF'` counts too.
fn heredoc(line: &str) -> Option<(Option<String>, &str)> {
    let (command, mark) = line.split_once("<<")?;
    let mark = mark.trim().trim_matches(['\'', '"']);
    let plain = !mark.is_empty() && mark.chars().all(|c| c.is_alphanumeric() || c == '_');
    let (directory, program) = match command.split_once("&&") {
        None => (None, command),
        Some((change, program)) => {
            let directory = change.trim().strip_prefix("cd ")?.trim();
            let quote = |c| directory.len() > 1 && directory.starts_with(c) && directory.ends_with(c);
            let directory = if quote('\'') || quote('"') { &directory[1..directory.len() - 1] } else { directory };
            if directory.contains(['$', '`', '\\', '\'', '"', '*', '~', ';', '|']) {
                return None;
            }
            (Some(directory.to_owned()), program)
        }
    };
    (plain && matches!(program.trim(), "apply_patch" | "applypatch" | "")).then_some((directory, mark))
}

/// The lines of a part of `text`, without their line feeds.
fn lines(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = part.start;
    while start < part.end {
        let end = text[start..part.end].find('\n').map_or(part.end, |at| start + at);
        found.push(start..end);
        start = end + 1;
    }
    found
}

struct Parser<'t> {
    text: &'t str,
    /// The remaining lines.
    rest: Vec<Range<usize>>,
}

impl Parser<'_> {
    fn files(mut self) -> Option<Vec<FilePatch>> {
        self.rest.reverse();
        // A line that names the environment of the patch does not matter here.
        self.take_headed("*** Environment ID:");
        let mut files = Vec::new();
        loop {
            while self.peek().is_some_and(|line| line.trim().is_empty()) {
                self.rest.pop();
            }
            if self.rest.is_empty() {
                break;
            }
            let (path, action) = if let Some(path) = self.take_headed("*** Add File:") {
                (path, Action::Add(self.added()))
            } else if let Some(path) = self.take_headed("*** Delete File:") {
                (path, Action::Delete)
            } else {
                (self.take_headed("*** Update File:")?, self.update()?)
            };
            files.push(FilePatch { path, action });
        }
        (!files.is_empty()).then_some(files)
    }

    fn peek(&self) -> Option<&str> {
        self.rest.last().map(|line| &self.text[line.clone()])
    }

    /// The rest of the next line if that begins with `head`.
    fn take_headed(&mut self, head: &str) -> Option<String> {
        let value = self.peek()?.trim().strip_prefix(head)?.trim().to_owned();
        self.rest.pop();
        (!value.is_empty()).then_some(value)
    }

    /// The next line as one of a chunk.
    fn take_signed(&mut self) -> Option<Line> {
        let span = self.rest.last()?.clone();
        let sign = match self.text[span.clone()].bytes().next() {
            Some(b'+') => Sign::Added,
            Some(b'-') => Sign::Removed,
            Some(b' ') => Sign::Kept,
            // An empty line that lost its sign.
            None => {
                self.rest.pop();
                return Some(Line { sign: Sign::Kept, span });
            }
            Some(_) => return None,
        };
        self.rest.pop();
        Some(Line { sign, span: span.start + 1..span.end })
    }

    fn added(&mut self) -> Vec<Line> {
        let mut lines = Vec::new();
        while self.peek().is_some_and(|line| line.starts_with('+')) {
            lines.extend(self.take_signed());
        }
        lines
    }

    fn update(&mut self) -> Option<Action> {
        let moved = self.take_headed("*** Move to:");
        let mut chunks = Vec::new();
        while self.peek().is_some_and(|line| !line.starts_with("*** ")) {
            chunks.push(self.chunk(chunks.is_empty())?);
        }
        (moved.is_some() || !chunks.is_empty()).then_some(Action::Update { moved, chunks })
    }

    /// Only the first chunk of a file may go without a head.
    fn chunk(&mut self, first: bool) -> Option<Chunk> {
        let mut chunk = Chunk::default();
        let head = self.peek()?;
        if head.trim_end() == "@@" {
            self.rest.pop();
        } else if let Some(below) = head.strip_prefix("@@ ") {
            chunk.below = Some(below.trim_end().to_owned());
            self.rest.pop();
        } else if !first {
            return None;
        }
        while let Some(line) = self.peek() {
            if line.trim_end() == "*** End of File" {
                chunk.at_end = true;
                self.rest.pop();
                break;
            }
            if line.starts_with("***") || line.starts_with("@@") {
                break;
            }
            chunk.lines.push(self.take_signed()?);
        }
        (!chunk.lines.is_empty()).then_some(chunk)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const PATCH: &str = "*** Begin Patch\n*** Update File: a.lisp\n*** Move to: b.lisp\n@@ (defun f (x)\n   (a)\n-  (b))\n\
        +  (c))\n*** End of File\n*** Add File: n/c.el\n+(x)\n+\n*** Delete File: d.lisp\n*** End Patch\n";

    fn shown(patch: &Patch) -> Vec<String> {
        let line = |line: &Line| format!("{:?} {}", line.sign, &patch.text[line.span.clone()]);
        let mut out = Vec::new();
        for file in &patch.files {
            match &file.action {
                Action::Add(lines) => {
                    out.push(format!("add {}", file.path));
                    out.extend(lines.iter().map(line));
                }
                Action::Delete => out.push(format!("delete {}", file.path)),
                Action::Update { moved, chunks } => {
                    out.push(format!("update {} {}", file.path, moved.as_deref().unwrap_or("-")));
                    for chunk in chunks {
                        out.push(format!("@@ {} {}", chunk.below.as_deref().unwrap_or("-"), chunk.at_end));
                        out.extend(chunk.lines.iter().map(line));
                    }
                }
            }
        }
        out
    }

    #[test]
    fn a_patch_is_its_files() {
        let expected = [
            "update a.lisp b.lisp",
            "@@ (defun f (x) true",
            "Kept   (a)",
            "Removed   (b))",
            "Added   (c))",
            "add n/c.el",
            "Added (x)",
            "Added ",
            "delete d.lisp",
        ];
        assert_eq!(shown(&Patch::parse(PATCH, "/command").unwrap()), expected);
    }

    #[test]
    fn a_shell_command_may_contain_a_patch() {
        for before in ["apply_patch <<'EOF'\n", "cd \"src dir\" && apply_patch <<EOF\n", "<<\"EOF\"\n"] {
            let text = format!("{before}{PATCH}EOF\n");
            let patch = Patch::parse(&text, "/command").unwrap();
            assert_eq!(shown(&patch).len(), 9);
            assert_eq!(patch.directory.as_deref(), before.contains("cd").then_some("src dir"));
        }
        assert_eq!(Patch::parse(&format!("apply_patch <<'EOF'\n{PATCH}EOF\nmake\n"), ""), None);
        assert_eq!(Patch::parse(&format!("cd $X && apply_patch <<'EOF'\n{PATCH}EOF\n"), ""), None);
        assert_eq!(Patch::parse("cat <<'EOF'\n*** Begin Patch\nEOF\n", ""), None);
    }

    #[test]
    fn other_text_is_not_a_patch() {
        for text in [
            "",
            "\n",
            "*** Begin Patch",
            "*** Begin Patch\n*** End Patch",
            "*** Begin Patch\n*** Update File: a\n*** End Patch",
            "*** Begin Patch\n*** Update File: a\n@@\n*** End Patch",
            "*** Begin Patch\n*** Update File: a\n@@\nx\n*** End Patch",
            "*** Begin Patch\n*** Rename File: a\n*** End Patch",
            "*** Begin Patch\n*** Add File:\n+x\n*** End Patch",
            "EOF <<",
            "<<'EOF'\n<<'EOF'\nEOF",
        ] {
            assert_eq!(Patch::parse(text, "/command"), None, "{text:?}");
        }
    }
}
