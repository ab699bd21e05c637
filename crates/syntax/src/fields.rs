//! Strings that contain code in braces: Hy's `f"{(+ 1 1) :>{width}}"`, which can contain such strings again.
//!
//! The walk keeps its own stack, so nesting of any depth is read, and it can stop anywhere: [`Stopped`] is then the
//! shortest text that continues in the same way.

/// What the walk is inside of.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Inside {
    /// Text up to this end, whose beginning is `open`.
    Text { open: Vec<u8>, close: Vec<u8> },
    /// Code between braces.
    Field {
        /// Brackets that are open.
        depth: usize,
        /// A form has been read: what follows belongs to the field.
        seen: bool,
    },
    /// The format of a field: text up to the brace that ends the field.
    Format,
}

/// The end of a string with fields.
pub(crate) enum End {
    /// The offset after it.
    At(usize),
    /// The text ends before it.
    Open(Stopped),
}

/// Where the walk was when the text ended.
pub(crate) struct Stopped {
    stack: Vec<Inside>,
    /// What may be the beginning of something.
    rest: Vec<u8>,
}

impl Stopped {
    /// The shortest text that leads to the same state; more than `most` bytes are not written.
    pub(crate) fn text(&self, most: usize) -> String {
        let mut text: Vec<u8> = Vec::new();
        for inside in &self.stack {
            match inside {
                Inside::Text { open, .. } => text.extend(open),
                Inside::Field { depth, seen } => {
                    // The blank keeps a brace that follows from being the second of two, which is no field.
                    text.extend(if *seen { &b"{a "[..] } else { b"{ " });
                    text.extend(std::iter::repeat_n(b'(', (*depth).min(most)));
                }
                Inside::Format => text.extend(b"{a :"),
            }
        }
        text.extend(&self.rest);
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// Walks over a string whose beginning, up to `at`, is `open`.
pub(crate) fn end(text: &[u8], at: usize, open: &[u8], close: &[u8]) -> End {
    let first = Inside::Text { open: open.to_vec(), close: close.to_vec() };
    let mut walk = Walk { text, at, stack: vec![first] };
    loop {
        let step = match walk.stack.last().cloned() {
            None => return End::At(walk.at),
            Some(Inside::Text { open, close }) => walk.text(&open, &close),
            Some(Inside::Format) => walk.text(b"", b"}"),
            Some(Inside::Field { depth, seen }) => walk.field(depth, seen),
        };
        if let Err(rest) = step {
            return End::Open(Stopped { stack: walk.stack, rest });
        }
    }
}

/// The text ends inside of something that continues like this.
type Unfinished = Vec<u8>;

struct Walk<'t> {
    text: &'t [u8],
    at: usize,
    stack: Vec<Inside>,
}

impl Walk<'_> {
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn text(&mut self, open: &[u8], close: &[u8]) -> Result<(), Unfinished> {
        let is_quoted = close == b"\"";
        let special = |byte: &u8| matches!(byte, b'{' | b'}' | b'\\') || *byte == close[0];
        let Some(found) = self.text[self.at..].iter().position(special) else {
            return Err(Vec::new());
        };
        self.at += found;
        let rest = &self.text[self.at..];
        if rest.starts_with(close) {
            self.at += close.len();
            // The end of a format is the end of its field.
            self.stack.pop();
            return Ok(());
        }
        if close.starts_with(rest) || rest.len() == 1 {
            return Err(rest.to_vec());
        }
        self.at += match rest[0] {
            b'\\' if is_quoted && open.first() != Some(&b'r') && rest.starts_with(b"\\N{") => {
                match rest.iter().position(|&byte| byte == b'}' || byte == b'"') {
                    Some(end) => end,
                    None => return Err(b"\\N{".to_vec()),
                }
            }
            b'\\' if is_quoted && rest == b"\\N" => return Err(rest.to_vec()),
            b'\\' if is_quoted && matches!(rest[1], b'"' | b'\\') => 2,
            b'{' | b'}' if rest[1] == rest[0] => 2,
            b'{' => {
                self.stack.push(Inside::Field { depth: 0, seen: false });
                1
            }
            _ => 1,
        };
        Ok(())
    }

    fn field(&mut self, depth: usize, seen: bool) -> Result<(), Unfinished> {
        let Some(byte) = self.byte(0) else { return Err(Vec::new()) };
        let outside = depth == 0;
        match byte {
            b';' => {
                let line = self.text[self.at..].iter().position(|&byte| byte == b'\n');
                self.at = line.map_or(self.text.len(), |line| self.at + line);
                return if line.is_some() { Ok(()) } else { Err(b";".to_vec()) };
            }
            b'"' => self.quoted()?,
            b'(' | b'[' | b'{' => {
                self.at += 1;
                self.set(depth + 1, seen);
            }
            b'}' if outside => {
                self.at += 1;
                self.stack.pop();
            }
            b')' | b']' | b'}' => {
                self.at += 1;
                self.set(depth.saturating_sub(1), seen || depth == 1);
            }
            b':' if outside && seen => {
                self.at += 1;
                self.stack.pop();
                self.stack.push(Inside::Format);
            }
            b'!' if outside && seen => match self.byte(1) {
                None => return Err(b"!".to_vec()),
                Some(_) => self.at += 2,
            },
            b'=' if outside && seen => self.at += 1,
            byte if is_blank(byte) || ends_word(byte) => self.at += 1,
            b'#' if self.byte(1).is_none() => return Err(b"#".to_vec()),
            b'#' if self.byte(1) == Some(b'[') => self.bracketed()?,
            _ => {
                let rest = &self.text[self.at..];
                let Some(length) = rest.iter().position(|&byte| is_blank(byte) || ends_word(byte)) else {
                    // A word of three letters is no prefix of a string.
                    return Err(if rest.len() > 2 { b"aaa".to_vec() } else { rest.to_vec() });
                };
                self.at += length;
                let letters = &rest[..length];
                match self.byte(0) {
                    Some(b'"') if before_string(letters) == Some(true) => {
                        self.at += 1;
                        let open = [letters, b"\""].concat();
                        self.set(depth, true);
                        self.stack.push(Inside::Text { open, close: b"\"".to_vec() });
                    }
                    _ => self.set(depth, true),
                }
            }
        }
        Ok(())
    }

    /// Says what the field around is like now.
    fn set(&mut self, now: usize, has_form: bool) {
        if let Some(Inside::Field { depth, seen }) = self.stack.last_mut() {
            (*depth, *seen) = (now, has_form);
        }
    }

    /// A string without fields, from its quote.
    fn quoted(&mut self) -> Result<(), Unfinished> {
        let mut escaped = false;
        for (index, &byte) in self.text.iter().enumerate().skip(self.at + 1) {
            if byte == b'"' && !escaped {
                self.at = index + 1;
                if let Some(Inside::Field { seen, .. }) = self.stack.last_mut() {
                    *seen = true;
                }
                return Ok(());
            }
            escaped = byte == b'\\' && !escaped;
        }
        Err(if escaped { b"\"\\".to_vec() } else { b"\"".to_vec() })
    }

    /// `#[MARK[...]MARK]`, which has fields if the mark says so.
    fn bracketed(&mut self) -> Result<(), Unfinished> {
        let rest = &self.text[self.at..];
        let Some(open) = rest.iter().skip(2).position(|byte| b"[]".contains(byte)).map(|at| at + 2) else {
            return Err(rest.to_vec());
        };
        let mark = &rest[2..open];
        let close = [b"]", mark, b"]"].concat();
        if rest[open] == b']' {
            self.at += open + 1;
        } else if has_fields(mark) {
            self.at += open + 1;
            let open = rest[..=open].to_vec();
            if let Some(Inside::Field { seen, .. }) = self.stack.last_mut() {
                *seen = true;
            }
            self.stack.push(Inside::Text { open, close });
        } else {
            let inside = &rest[open + 1..];
            let Some(end) = memchr::memmem::find(inside, &close) else {
                let ending = (0..close.len()).rev().find(|&end| inside.ends_with(&close[..end])).unwrap_or(0);
                return Err([&rest[..=open], &close[..ending]].concat());
            };
            self.at += open + 1 + end + close.len();
            if let Some(Inside::Field { seen, .. }) = self.stack.last_mut() {
                *seen = true;
            }
        }
        Ok(())
    }
}

/// Letters that can stand before the quote of a string.
pub(crate) const STRING_LETTERS: &[u8] = b"bfrt";

/// A quote after these letters begins a string: whether it has fields.
pub(crate) fn before_string(letters: &[u8]) -> Option<bool> {
    let is_prefix = letters.len() < 3 && letters.iter().all(|letter| STRING_LETTERS.contains(letter));
    is_prefix.then(|| letters.iter().any(|letter| b"ft".contains(letter)))
}

/// A string in brackets with this mark has fields.
pub(crate) fn has_fields(mark: &[u8]) -> bool {
    mark == b"f" || mark.starts_with(b"f-")
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

fn ends_word(byte: u8) -> bool {
    b"()[]{};\"'`~".contains(&byte)
}
