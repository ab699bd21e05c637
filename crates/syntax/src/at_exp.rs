//! Texts with `@`-forms: `#lang scribble/manual`, `#lang at-exp racket` (Scribble, "The Scribble Syntax at a Glance").
//!
//! Such a text is Racket with prose in it: `@racket[(f x)]{prose @bold{more}}`. Its delimiters are those of the code
//! and the braces around prose. So [`without_prose`] puts a space in the place of each byte of prose and of `@`-notation;
//! what is left is Racket, with every delimiter where it was.
//!
//! For those who ask what the code means, [`as_lists`] writes each command as the list that it is read as, in the bytes
//! that it has: `@f[x]{more}` as `(f x "  ")`.

/// A text of `@`-forms as Racket: as many bytes, with the same line ends. `None` if the text does not declare them.
#[must_use]
pub fn without_prose(text: &str) -> Option<String> {
    let (at, outermost) = begun(text)?;
    let mut eraser = Eraser::new(text, outermost, false);
    eraser.erase(at + text[at..].find('\n').unwrap_or(text.len() - at));
    eraser.finish()
}

/// A text of `@`-forms with each command as a list, prose as strings, and the rest as it is: as many bytes, with the same
/// line ends. A list or string spans the bytes of what it stands for. `None` if the text does not declare `@`-forms.
pub(crate) fn as_lists(text: &str) -> Option<String> {
    let (at, outermost) = begun(text)?;
    let mut eraser = Eraser::new(text, outermost, true);
    eraser.keep(at + text[at..].find('\n').unwrap_or(text.len() - at));
    eraser.finish()
}

/// The text declares `@`-forms.
pub(crate) fn has_at_forms(text: &str) -> bool {
    begun(text).is_some()
}

/// The start of the line that declares `@`-forms, and what the text after it is inside of.
fn begun(text: &str) -> Option<(usize, Frame)> {
    let (at, word) = declared(text)?;
    let outermost = match word.split_once(char::is_whitespace).map_or(word, |(word, _)| word) {
        "at-exp" => Frame::Code { closer: 0, then: Then::Nothing },
        word if word.starts_with("scribble/") => Frame::Prose { is_outermost: true },
        _ => return None,
    };
    Some((at, outermost))
}

/// The first line that begins with `#lang`: its start, and what follows.
fn declared(text: &str) -> Option<(usize, &str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n').take(50) {
        if let Some(word) = line.strip_prefix("#lang ") {
            return Some((at, word.trim()));
        }
        let is_before = line.trim().is_empty() || line.starts_with([';', '#']);
        if !is_before {
            return None;
        }
        at += line.len();
    }
    None
}

/// What the reader is inside of.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Frame {
    /// Prose between braces, or that of the whole text.
    Prose { is_outermost: bool },
    /// Braces in prose.
    Braces,
    /// Prose between `|<<{` and `}>>|`; this is what stands between the bar and the brace.
    Barred { mark: Vec<u8>, is_command: bool },
    /// Code, up to this closer; 0 is the end of the text.
    Code { closer: u8, then: Then },
}

/// What may follow a list of code without a blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Nothing,
    /// The arguments or the prose of a command.
    Arguments(Command),
    /// The prose of a command.
    Prose,
}

/// Where a command begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Command {
    /// Its `@`.
    start: usize,
    /// What comes after `@` and its prefixes.
    name: usize,
}

struct Eraser<'t> {
    bytes: &'t [u8],
    /// What has been read so far.
    out: Vec<u8>,
    /// At least one.
    stack: Vec<Frame>,
    /// Commands are written as lists.
    as_lists: bool,
    /// The first and the last byte of the prose that is being read, blanks around it left out.
    prose: Option<(usize, usize)>,
}

impl<'t> Eraser<'t> {
    fn new(text: &'t str, outermost: Frame, as_lists: bool) -> Self {
        Self {
            bytes: text.as_bytes(),
            out: Vec::with_capacity(text.len()),
            stack: vec![outermost],
            as_lists,
            prose: None,
        }
    }

    fn finish(mut self) -> Option<String> {
        while self.out.len() < self.bytes.len() {
            self.step();
        }
        self.end_prose();
        String::from_utf8(self.out).ok()
    }

    /// Passes over a byte of prose.
    fn pass_prose(&mut self) {
        let at = self.out.len();
        if !self.peek().is_ascii_whitespace() {
            self.prose = Some((self.prose.map_or(at, |(first, _)| first), at));
        }
        self.erase_next(1);
    }

    /// Writes the prose up to here as a string, if lists are wanted and it has the two bytes of the quotes.
    fn end_prose(&mut self) {
        let Some((first, last)) = self.prose.take().filter(|_| self.as_lists) else { return };
        // A single byte takes the blank or the brace before it.
        let before = first.saturating_sub(1);
        let first = if first == last && self.out[before] == b' ' { before } else { first };
        if first < last {
            (self.out[first], self.out[last]) = (b'"', b'"');
        }
    }

    /// A command has arguments or prose: it becomes a list, which begins at its `@`, after its prefixes.
    fn begin_list(&mut self, command: Command) {
        if self.as_lists {
            self.out[command.start..command.name].rotate_left(1);
            self.out[command.name - 1] = b'(';
        }
    }

    /// Keeps the delimiter that opens arguments or prose, or puts a space for it.
    fn open_part(&mut self) {
        if self.as_lists { self.erase_next(1) } else { self.keep(1) }
    }

    /// Keeps the delimiter that closes a command, or closes its list.
    fn close_command(&mut self) {
        if self.as_lists { self.out.push(b')') } else { self.keep(1) }
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.out.len()..]
    }

    fn peek(&self) -> u8 {
        self.rest().first().copied().unwrap_or(0)
    }

    /// Keeps `count` bytes.
    fn keep(&mut self, count: usize) {
        let at = self.out.len();
        self.out.extend_from_slice(&self.bytes[at..(at + count).min(self.bytes.len())]);
    }

    /// Puts spaces up to byte `end`, which is at most the end of the text; line ends stay.
    fn erase(&mut self, end: usize) {
        let at = self.out.len();
        let blank = |byte: &u8| if matches!(byte, b'\n' | b'\r') { *byte } else { b' ' };
        self.out.extend(self.bytes[at..end.min(self.bytes.len())].iter().map(blank));
    }

    fn erase_next(&mut self, count: usize) {
        self.erase(self.out.len() + count);
    }

    /// Reads on by at least one byte.
    fn step(&mut self) {
        match self.stack.last().cloned() {
            Some(Frame::Prose { is_outermost }) => match self.peek() {
                b'@' => self.command(),
                b'{' if !is_outermost => self.inner_brace(),
                b'}' if !is_outermost => {
                    self.end_prose();
                    self.stack.pop();
                    self.close_command();
                }
                _ => self.pass_prose(),
            },
            Some(Frame::Braces) => match self.peek() {
                b'@' => self.command(),
                b'{' => self.inner_brace(),
                b'}' => {
                    self.stack.pop();
                    if self.as_lists { self.pass_prose() } else { self.keep(1) }
                }
                _ => self.pass_prose(),
            },
            Some(Frame::Barred { mark, is_command }) => self.barred(&mark, is_command),
            Some(Frame::Code { closer, then }) => self.code(closer, then),
            None => self.erase_next(1),
        }
    }

    fn inner_brace(&mut self) {
        if self.as_lists {
            self.pass_prose()
        } else {
            self.keep(1)
        }
        self.stack.push(Frame::Braces);
    }

    fn barred(&mut self, mark: &[u8], is_command: bool) {
        let closing: Vec<u8> = mark.iter().rev().map(|byte| mirrored(*byte)).collect();
        let (opens, escapes) = ([b"|", mark, b"{"].concat(), [b"|", mark, b"@"].concat());
        let closes = [b"}", closing.as_slice(), b"|"].concat();
        if self.rest().starts_with(&closes) {
            self.stack.pop();
            if is_command || !self.as_lists {
                // The list ends where the command does.
                self.end_prose();
                if self.as_lists {
                    self.erase_next(closes.len() - 1)
                } else {
                    self.keep(1)
                }
                if self.as_lists { self.close_command() } else { self.erase_next(closes.len() - 1) }
            } else {
                (0..closes.len()).for_each(|_| self.pass_prose());
            }
        } else if self.rest().starts_with(&escapes) {
            self.end_prose();
            self.erase_next(escapes.len() - 1);
            self.command();
        } else if self.rest().starts_with(&opens) {
            self.erase_next(opens.len() - 1);
            if self.as_lists {
                self.pass_prose()
            } else {
                self.keep(1)
            }
            self.stack.push(Frame::Barred { mark: mark.to_vec(), is_command: false });
        } else {
            self.pass_prose();
        }
    }

    /// Reads what begins with `@`.
    fn command(&mut self) {
        self.end_prose();
        let start = self.out.len();
        self.erase_next(1);
        if self.peek() == b';' {
            self.comment(start);
            return;
        }
        loop {
            let prefix: &[&[u8]] = &[b"#,@", b"#'", b"#`", b"#,", b",@", b"'", b"`", b","];
            let Some(found) = prefix.iter().find(|prefix| self.rest().starts_with(prefix)) else { break };
            self.keep(found.len());
        }
        let command = Command { start, name: self.out.len() };
        match self.peek() {
            b'(' => self.open(b')', Then::Arguments(command)),
            b'"' => {
                self.string();
                self.arguments(command);
            }
            b'|' if self.barred_opener().is_none() => {
                self.erase_next(1);
                self.stack.push(Frame::Code { closer: b'|', then: Then::Arguments(command) });
            }
            b'[' | b'{' | b'|' => self.arguments(command),
            // No command begins so. It closes nothing: what is open stays open, and without that it is one too many.
            b')' | b']' | b'}' if self.stack.len() > 1 => self.erase_next(1),
            b')' | b']' | b'}' => self.keep(1),
            _ => {
                self.word(b"|@");
                self.arguments(command);
            }
        }
    }

    /// Reads a comment whose `@` is at `start`. As a list it is one that the reader drops.
    fn comment(&mut self, start: usize) {
        self.erase_next(1);
        if self.prose() {
            if self.as_lists {
                self.out[start..start + 3].copy_from_slice(b"#;(");
            }
            return;
        }
        let end = self.rest().iter().position(|byte| *byte == b'\n').unwrap_or(self.rest().len());
        if self.as_lists {
            self.out[start + 1] = b';';
            self.keep(end);
        } else {
            self.erase_next(end);
        }
    }

    /// Begins what follows a command without a blank, if something does.
    fn arguments(&mut self, command: Command) {
        if self.peek() == b'[' {
            self.begin_list(command);
            self.open_part();
            self.stack.push(Frame::Code { closer: b']', then: Then::Prose });
        } else if self.prose() {
            self.begin_list(command);
        }
    }

    /// Begins prose, if it is there.
    fn prose(&mut self) -> bool {
        if self.peek() == b'{' {
            self.open_part();
            self.stack.push(Frame::Prose { is_outermost: false });
            return true;
        }
        let Some(mark) = self.barred_opener() else { return false };
        self.erase_next(1 + mark.len());
        self.open_part();
        self.stack.push(Frame::Barred { mark, is_command: true });
        true
    }

    /// Prose follows.
    fn is_before_prose(&self, ahead: usize) -> bool {
        let rest = self.rest().get(ahead..).unwrap_or_default();
        rest.first() == Some(&b'{') || mark_of(rest).is_some()
    }

    /// What stands between bar and brace of `|<<{`.
    fn barred_opener(&self) -> Option<Vec<u8>> {
        mark_of(self.rest())
    }

    fn open(&mut self, closer: u8, then: Then) {
        self.keep(1);
        self.stack.push(Frame::Code { closer, then });
    }

    /// Reads one token of Racket (The Racket Reference, 1.3).
    fn code(&mut self, closer: u8, then: Then) {
        match self.peek() {
            b'|' if closer == b'|' => {
                self.erase_next(1);
                self.stack.pop();
                if let Then::Arguments(command) = then {
                    self.arguments(command);
                }
            }
            b'@' => self.command(),
            b'(' => self.open(b')', Then::Nothing),
            b'[' => self.open(b']', Then::Nothing),
            b'{' => self.open(b'}', Then::Nothing),
            b']' if closer == b']' && then == Then::Prose => {
                self.stack.pop();
                if self.is_before_prose(1) {
                    self.open_part();
                    self.prose();
                } else {
                    self.close_command();
                }
            }
            b')' | b']' | b'}' => {
                self.keep(1);
                // One that does not fit closes all the same; the text does not balance in any case.
                if closer != 0 && closer != b'|' {
                    self.stack.pop();
                    match then {
                        Then::Nothing => {}
                        Then::Arguments(command) => self.arguments(command),
                        Then::Prose => {
                            self.prose();
                        }
                    }
                }
            }
            b'"' => self.string(),
            b';' => {
                let end = self.rest().iter().position(|byte| *byte == b'\n').unwrap_or(self.rest().len());
                self.keep(end);
            }
            b',' if self.rest().starts_with(b",@") => self.keep(2),
            b'#' => self.dispatch(),
            byte if is_delimiter(byte) => self.keep(1),
            _ => self.word(if closer == b'|' { b"|" } else { b"" }),
        }
    }

    fn dispatch(&mut self) {
        match self.rest().get(1) {
            Some(b'|') => {
                let (mut depth, mut at) = (0_usize, 0);
                loop {
                    let rest = &self.rest()[at.min(self.rest().len())..];
                    match rest {
                        [] => break,
                        [b'#', b'|', ..] => (depth, at) = (depth + 1, at + 2),
                        [b'|', b'#', ..] if depth <= 1 => {
                            at += 2;
                            break;
                        }
                        [b'|', b'#', ..] => (depth, at) = (depth - 1, at + 2),
                        _ => at += 1,
                    }
                }
                self.keep(at);
            }
            Some(b'\\') => {
                // The character itself may be a delimiter.
                let rest = &self.rest()[2..];
                let width = std::str::from_utf8(&rest[..rest.len().min(4)])
                    .map_or_else(|error| error.valid_up_to(), str::len)
                    .min(rest.iter().skip(1).position(|byte| *byte & 0xC0 != 0x80).map_or(rest.len(), |at| at + 1));
                let is_name = rest.first().is_some_and(u8::is_ascii_alphanumeric);
                self.keep(2 + width.max(1));
                if is_name && !is_delimiter(self.peek()) && !self.rest().is_empty() {
                    self.word(b"");
                }
            }
            Some(b'<') if self.rest().starts_with(b"#<<") => {
                let text = self.rest();
                let line = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
                let end = [b"\n", &text[3..line], b"\n"].concat();
                let found = text[line..].windows(end.len()).position(|window| window == end);
                let count = found.map_or(text.len(), |at| line + at + end.len() - 1);
                self.keep(count);
            }
            Some(b',') if self.rest().starts_with(b"#,@") => self.keep(3),
            Some(b';' | b'\'' | b'`' | b',' | b'(' | b'[' | b'{' | b'&') => {
                let count = usize::from(!b"([{".contains(&self.rest()[1])) + 1;
                self.keep(count);
            }
            // `#rx"..."`, `#"..."`: the string is the next token.
            _ => self.word(b""),
        }
    }

    fn string(&mut self) {
        let mut at = 1;
        while let Some(byte) = self.rest().get(at) {
            match byte {
                b'\\' => at += 2,
                b'"' => {
                    at += 1;
                    break;
                }
                _ => at += 1,
            }
        }
        self.keep(at);
    }

    /// Keeps a symbol or number, which also ends before one of `ends`.
    fn word(&mut self, ends: &[u8]) {
        let mut at = 0;
        while let Some(byte) = self.rest().get(at) {
            match byte {
                b'\\' => at += 2,
                byte if ends.contains(byte) && at > 0 => break,
                b'|' if !ends.contains(&b'|') => {
                    let quoted = self.rest()[at + 1..].iter().position(|byte| *byte == b'|');
                    at += quoted.map_or(1, |length| length + 2);
                }
                byte if is_delimiter(*byte) => break,
                _ => at += 1,
            }
        }
        // What is no word is passed over.
        if at == 0 { self.erase_next(1) } else { self.keep(at) }
    }
}

/// What stands between bar and brace of `|<<{`, with which a text begins.
fn mark_of(text: &[u8]) -> Option<Vec<u8>> {
    let rest = text.strip_prefix(b"|")?;
    let is_mark = |byte: &u8| byte.is_ascii_punctuation() && !b"{}[]()|@;\"".contains(byte);
    let end = rest.iter().position(|byte| !is_mark(byte))?;
    (rest[end] == b'{').then(|| rest[..end].to_vec())
}

fn is_delimiter(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"()[]{}\"',`;".contains(&byte)
}

fn mirrored(byte: u8) -> u8 {
    match byte {
        b'<' => b'>',
        b'>' => b'<',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a text behind its first line.
    fn check(lang: &str, text: &str, expected: &str) {
        let whole = format!("#lang {lang}\n{text}");
        let found = without_prose(&whole).unwrap_or_default();
        assert_eq!(found.len(), whole.len(), "{text}");
        let found: Vec<&str> = found.split_whitespace().collect();
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn prose_is_left_out_and_code_stays() {
        check("scribble/manual", "A (b @racket[(f \"}\")]{c} :-( d", "racket[(f \"}\")]{ }");
        check("scribble/base", "@section[#:tag \"x\"]{A @bold{b} {c} ] }", "section[#:tag \"x\"]{ bold{ } { } }");
        check("scribble/base", "@(define x '(1 #\\)))@|x|. @x{y}", "(define x '(1 #\\))) x x{ }");
        check("scribble/base", "@;{ a (b } @; c (d\n@\"}\"[a]", "{ } \"}\"[a]");
        check(
            "at-exp racket",
            "(f @list{a) @(g 1) \"b} ,@x a@b) ; @c{\n\"@{\"",
            "(f list{ (g 1) } ,@x a@b) ; @c{ \"@{\"",
        );
        check("at-exp racket", "(f #;@a{b} #rx\"@{\" #|@{|# |@{|)", "(f #; a{ } #rx\"@{\" #|@{|# |@{|)");
    }

    #[test]
    fn a_character_may_be_a_delimiter_or_end_before_one() {
        check("at-exp racket", "(f #\\x)[#\\(]{#\\space}(#\\é)", "(f #\\x)[#\\(]{#\\space}(#\\é)");
    }

    #[test]
    fn other_braces_hold_what_would_end_prose() {
        check("scribble/base", "@verb|{a } @b{ |@c{d} |{e}| }|", "verb { c{ } { } }");
        check("scribble/base", "@verb|<<{a }| |<@b |<<@c[1] }>>|", "verb { c[1] }");
        check("scribble/base", "@codeblock|{(f @x{)}|", "codeblock { }");
    }

    /// A text as lists, behind its first line.
    fn check_lists(lang: &str, text: &str, expected: &str) {
        let whole = format!("#lang {lang}\n{text}");
        let found = as_lists(&whole).unwrap_or_default();
        assert_eq!(found.len(), whole.len(), "{text}");
        assert_eq!(found.split_once('\n').unwrap_or_default().1, expected, "{text}");
    }

    #[test]
    fn a_command_becomes_a_list_in_its_bytes() {
        check_lists("at-exp racket", "(d @f{hey} 1)", "(d (f \" \") 1)");
        check_lists("at-exp racket", "@f[x]{y} @g[x] @h @(i j) @(i){}", "(f x \"\") (g x)  h  (i j) ((i) )");
        check_lists("at-exp racket", "@'f{ab} @|k|{ab}", "'(f \"\") ( k  \"\")");
        check_lists("scribble/base", "aé @f{b @g[1] {c}} d@h", "\" \" (f\"\" (g 1) \" \")\"\" h");
        check_lists("scribble/base", "@f|<{a }| |<@g{b c} }>|", "(f   \"  \"   (g \" \")   )");
        check_lists("scribble/base", "@;{old @f{a}} ; @; (x\n@x", "#;(\" \" (f\"\"))\"\"  ; (x\n x");
        check_lists("scribble/base", "@f[(x]{ab}", "(f (x]{ab}");
    }

    #[test]
    fn what_does_not_balance_does_not_afterwards() {
        check("scribble/base", "@f[(g]{a}", "f[(g]{a}");
        check("scribble/base", "@f{a @g{b}", "f{ g{ }");
        check("at-exp racket", "@f{a}}", "f{ }}");
        check("scribble/base", "a @) b", ")");
        check("scribble/base", "@f{ @} b", "f{");
    }

    #[test]
    fn any_bytes_keep_their_number() {
        let pieces = [
            "@", "|", "{", "}", "[", "]", "(", ")", "\"", "\\", ";", "#|", "|#", "#\\", "é", "#<<A\n", "\n", "a", "<",
            " ",
        ];
        let mut seed = 7_usize;
        for _ in 0..3000 {
            let mut text = String::from("#lang at-exp racket\n");
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(seed >> 33) % pieces.len()]);
            }
            for found in [without_prose(&text), as_lists(&text)] {
                assert_eq!(found.map(|found| found.len()), Some(text.len()), "{text:?}");
            }
        }
    }

    #[test]
    fn other_texts_have_no_prose() {
        for text in ["#lang racket\n@{", "(f)\n#lang at-exp racket\n", "", "#lang pollen\n◊f{"] {
            assert_eq!(without_prose(text), None, "{text}");
        }
    }
}
