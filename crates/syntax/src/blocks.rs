//! Blocks of Lisp inside texts of another kind: fenced code in Markdown (CommonMark 0.31, 4.5), source blocks in Org.
//!
//! A page is no Lisp, and most of its blocks are parts of programs. So they are found here, each with the dialects that
//! its name may mean, and what is said of them is up to the caller. A block that is not closed is none: all that
//! follows would count as its code.

use crate::dialects::Dialect;
use crate::span::Span;

/// A block of code in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LispBlock {
    /// Its lines, without those that begin and end it.
    pub span: Span,
    /// The line, from 1, on which it begins to be code.
    pub line: u32,
    /// The dialects that its name may mean, likeliest first: `lisp` is a name of several.
    pub dialects: Vec<Dialect>,
}

/// The dialects that pages call `lisp`, beside the one whose name it is. Others have comments that hide delimiters of these.
const ALSO_LISP: &[&str] = &["emacs-lisp", "scheme", "clojure"];

/// The kinds of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    Markdown,
    Org,
}

impl Page {
    fn of(path: &str) -> Option<Self> {
        let (_, ending) = path.rsplit('/').next().unwrap_or(path).rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mdx" | "qmd" | "rmd" => Some(Self::Markdown),
            "org" => Some(Self::Org),
            _ => None,
        }
    }
}

/// A block that has begun.
struct Open<'t> {
    end: End<'t>,
    /// The first byte of its code.
    start: usize,
    line: u32,
    dialects: Vec<Dialect>,
}

/// The line that ends a block.
enum End<'t> {
    /// At least so many of this character, alone.
    Fence(char, usize),
    /// `#+end_NAME`
    Keyword(&'t str),
}

/// The blocks of Lisp in a page, in their order; `None` if the name of the file is not that of a page.
#[must_use]
pub fn lisp_blocks(path: &str, text: &str) -> Option<Vec<LispBlock>> {
    let page = Page::of(path)?;
    let mut found = Vec::new();
    let mut open: Option<Open<'_>> = None;
    let mut at = 0;
    for (number, whole) in text.split_inclusive('\n').enumerate() {
        let line = whole.trim();
        let next = at + whole.len();
        if let Some(block) = open.take_if(|block| block.end.is(line)) {
            let span = Span::new(block.start as u32, at as u32);
            let code = &text[span.range()];
            if !block.dialects.is_empty() && !declares_another(code) {
                found.push(LispBlock { span, line: block.line, dialects: block.dialects });
            }
        } else if open.is_none()
            && let Some((end, name)) = page.begins(line)
        {
            open = Some(Open { end, start: next, line: number as u32 + 2, dialects: dialects(name) });
        }
        at = next;
    }
    Some(found)
}

/// The code is in a notation that is not read by form: `#lang scribble/manual`.
fn declares_another(code: &str) -> bool {
    code.starts_with("#lang") && Dialect::detect("", code.as_bytes()).is_none()
}

impl Page {
    /// The end and the language of the block that begins with this line.
    fn begins(self, line: &str) -> Option<(End<'_>, &str)> {
        match self {
            Self::Markdown => {
                let fence = line.chars().next().filter(|first| ['`', '~'].contains(first))?;
                let named = line.trim_start_matches(fence);
                let count = line.len() - named.len();
                // Backquotes may also stand around code inside of a line.
                let is_fence = count >= 3 && !(fence == '`' && named.contains('`'));
                is_fence.then_some((End::Fence(fence, count), named))
            }
            Self::Org => {
                let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                let name =
                    keyword.get(..8).filter(|begin| begin.eq_ignore_ascii_case("#+begin_")).map(|_| &keyword[8..])?;
                Some((End::Keyword(name), if name.eq_ignore_ascii_case("src") { rest } else { "" }))
            }
        }
    }
}

impl End<'_> {
    fn is(&self, line: &str) -> bool {
        match self {
            Self::Fence(fence, count) => line.len() >= *count && line.chars().all(|c| c == *fence),
            Self::Keyword(name) => {
                line.get(..6).is_some_and(|begin| begin.eq_ignore_ascii_case("#+end_"))
                    && line[6..].eq_ignore_ascii_case(name)
            }
        }
    }
}

/// The dialects that the words behind the beginning of a block may mean: `lisp`, `{.clojure}`, `scheme :exports both`.
fn dialects(words: &str) -> Vec<Dialect> {
    let name = words.trim_start_matches([' ', '\t', '{', '.']);
    let name = name.split([' ', '\t', '}', ',', ':', '=']).next().unwrap_or_default();
    let Some(named) = Dialect::from_name(name) else { return Vec::new() };
    let others: &[&str] = if name.eq_ignore_ascii_case("lisp") { ALSO_LISP } else { &[] };
    std::iter::once(named).chain(others.iter().filter_map(|other| Dialect::from_name(other))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks of a page: line, likeliest dialect, code.
    fn check(path: &str, text: &str, expected: &[(u32, Dialect, &str)]) {
        let found = lisp_blocks(path, text).unwrap_or_default();
        let found: Vec<_> =
            found.iter().map(|block| (block.line, block.dialects[0], &text[block.span.range()])).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn fences_of_markdown() {
        check("a.md", "x\n```lisp\n(a)\n```\ny\n", &[(3, Dialect::CommonLisp, "(a)\n")]);
        check("a.md", "~~~ {.clojure}\r\n[a]\r\n~~~\r\n", &[(2, Dialect::Clojure, "[a]\r\n")]);
        check("a.md", "- a\n\n  ```elisp\n  (a)\n  ```\n", &[(4, Dialect::EmacsLisp, "  (a)\n")]);
        check(
            "a.md",
            "```scheme,ignore\n(a\n```\n```racket\n```",
            &[(2, Dialect::Scheme, "(a\n"), (5, Dialect::Racket, "")],
        );
        // A longer fence holds a shorter one, and a fence may be around one of another kind.
        check("a.md", "````md\n```lisp\n(a\n```\n````\n", &[]);
        check("a.md", "~~~lisp\n```\n~~~\n", &[(2, Dialect::CommonLisp, "```\n")]);
    }

    #[test]
    fn what_is_no_block_of_lisp() {
        for text in
            ["```lisp\n(a", "```lisp (a)```\n(", "```\n(\n```\n", "```python\n(\n```\n", "> ```lisp\n> (\n> ```\n"]
        {
            check("a.md", text, &[]);
        }
        check("a.md", "```racket\n#lang scribble/manual\n@(\n```\n", &[]);
        assert_eq!(lisp_blocks("a.lisp", "```lisp\n(\n```\n"), None);
        assert_eq!(lisp_blocks("md", ""), None);
    }

    #[test]
    fn source_blocks_of_org() {
        check(
            "a.org",
            "* a\n#+begin_src emacs-lisp :tangle yes\n(a)\n#+END_SRC\n",
            &[(3, Dialect::EmacsLisp, "(a)\n")],
        );
        check("a.org", "#+BEGIN_EXAMPLE\n#+begin_src lisp\n(\n#+end_src\n#+END_EXAMPLE\n", &[]);
        check("a.org", "#+begin_src\n(\n#+end_src\n#+begin_src sh\n(\n#+end_src\n#+begin_é\n", &[]);
    }
}
