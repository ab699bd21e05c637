//! Cuts bytes into tokens, one at a time, by a dialect's readtable.
//!
//! The lexer always makes progress: every call to [`Lexer::next`] before the end of the text consumes a byte or more.

use memchr::{memchr, memchr2, memmem};

use crate::fields;
use crate::readtable::{DispatchShape, Readtable, Readtables, Start, Within};
use crate::token::TokenKind;

/// A position in a text, with the readtables for it.
#[derive(Clone)]
pub(crate) struct Lexer<'t> {
    text: &'t [u8],
    /// The offset of the next byte.
    at: usize,
    /// The start of the current token.
    token: usize,
    readtable: &'t Readtable,
    /// The readtable for tokens that begin at `from` or after it.
    then: &'t Readtable,
    from: usize,
    /// The offset at which reading began.
    #[cfg(debug_assertions)]
    pub(crate) begin: usize,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t [u8], tables: Readtables<'t>) -> Self {
        Self::from(text, tables, 0)
    }

    /// Byte offset of the next token.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Byte offset of the last token read.
    pub(crate) fn start(&self) -> usize {
        self.token
    }

    /// A lexer whose next token begins at `offset`, which has to be the start of a token.
    pub(crate) fn from(text: &'t [u8], tables: Readtables<'t>, offset: usize) -> Self {
        Self {
            text,
            at: offset,
            token: 0,
            readtable: tables.first,
            then: tables.then,
            from: tables.from,
            #[cfg(debug_assertions)]
            begin: offset,
        }
    }

    /// Ends the current token early, at `offset`.
    pub(crate) fn rewind(&mut self, offset: usize) {
        debug_assert!(offset > self.token, "a token keeps at least one byte");
        self.at = offset;
    }

    /// Reads one token; `None` at the end of the text.
    // Called for every token, in one loop for sound text and one for broken text.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<TokenKind> {
        let first = *self.text.get(self.at)?;
        self.token = self.at;
        if self.at >= self.from {
            (self.readtable, self.from) = (self.then, usize::MAX);
        }
        Some(match self.readtable.start[first as usize] {
            Start::Atom => self.symbol(),
            Start::Blank => self.blank(),
            Start::Bracket(kind) => {
                self.at += 1;
                kind
            }
            Start::StringQuote => self.string(),
            Start::Comment => self.line_comment(),
            Start::Prefix => self.take(1, TokenKind::Prefix),
            Start::Unquote => {
                self.at += 1;
                if self.peek().is_some_and(|next| self.readtable.splices.contains(&next)) {
                    self.at += 1;
                }
                TokenKind::Prefix
            }
            Start::Dispatch => match self.extra_dispatch() {
                Some(shape) => self.extra(shape),
                None => (self.readtable.dispatch)(self),
            },
            Start::Character => (self.readtable.character)(self),
            Start::Annotation => self.take(1, TokenKind::Annotation),
            Start::NonAscii => self.non_ascii(),
        })
    }

    /// The shape that the project has declared for the character after the `#`.
    fn extra_dispatch(&self) -> Option<DispatchShape> {
        let sub = self.peek_at(1).filter(u8::is_ascii)?;
        self.readtable.extra[sub as usize]
    }

    /// `#` and a character whose shape the project has declared.
    fn extra(&mut self, shape: DispatchShape) -> TokenKind {
        let sub = self.text[self.at + 1];
        match shape {
            DispatchShape::Prefix => self.take(2, TokenKind::Prefix),
            DispatchShape::Annotation => self.take(2, TokenKind::Annotation),
            DispatchShape::Discard => self.take(2, TokenKind::Discard),
            DispatchShape::LineComment => self.line_comment(),
            DispatchShape::Atom => {
                self.at += 2;
                self.atom_rest()
            }
            DispatchShape::Character => {
                self.at += 1;
                self.hash_character()
            }
            DispatchShape::Delimited => {
                self.at += 2;
                self.quoted(partner(sub))
            }
            DispatchShape::DelimitedByNext => {
                self.at += 2;
                self.skip_while(|byte| byte.is_ascii_alphabetic());
                let Some(open) = self.peek() else { return TokenKind::Atom };
                self.skip_char();
                self.quoted(partner(open))
            }
            DispatchShape::CharacterSet => {
                self.at += 2;
                self.character_set(partner(sub))
            }
            DispatchShape::HereString => {
                self.at += 1;
                let again = self.peek_at(1).is_some_and(|next| next == sub || next == b'#');
                if again { self.here_string() } else { self.atom_rest() }
            }
            DispatchShape::Foreign => {
                self.at += 2;
                self.flat_comment(&[partner(sub), b'#'])
            }
        }
    }

    /// Text up to `close`, with the flags of a regular expression behind it.
    fn quoted(&mut self, close: u8) -> TokenKind {
        if !self.past_closing(close) {
            return TokenKind::UnterminatedString;
        }
        if close == b'/' {
            self.skip_while(|byte| byte.is_ascii_lowercase());
        }
        TokenKind::String
    }

    /// A set of characters up to `close`. A name within it has brackets of its own: `[:alpha:]`.
    fn character_set(&mut self, close: u8) -> TokenKind {
        while let Some(byte) = self.peek() {
            self.skip_char();
            match byte {
                b'\\' => self.skip_char(),
                b'[' if self.peek() == Some(b':') => match memmem::find(&self.text[self.at..], b":]") {
                    Some(found) => self.at += found + 2,
                    None => break,
                },
                _ if byte == close => return TokenKind::String,
                _ => {}
            }
        }
        self.at = self.text.len();
        TokenKind::UnterminatedString
    }

    /// A symbol or number, or a package prefix before a list.
    #[inline]
    fn symbol(&mut self) -> TokenKind {
        let kind = self.atom_rest();
        let before_list =
            self.readtable.package_prefix && self.peek() == Some(b'(') && self.token_bytes().ends_with(b"::");
        if before_list && kind == TokenKind::Atom { TokenKind::Prefix } else { kind }
    }

    /// All white space from here.
    #[inline]
    fn blank(&mut self) -> TokenKind {
        loop {
            let start = &self.readtable.start;
            self.at += count_while(&self.text[self.at..], |byte| matches!(start[byte as usize], Start::Blank));
            let non_ascii = self.peek().is_some_and(|byte| matches!(start[byte as usize], Start::NonAscii));
            if !non_ascii || !self.is_wide_blank() {
                return TokenKind::Blank;
            }
            self.skip_char();
        }
    }

    /// A token that begins outside ASCII. A byte order mark at the start of the text is white space.
    fn non_ascii(&mut self) -> TokenKind {
        if self.at == 0 && self.text.starts_with(b"\xEF\xBB\xBF") {
            self.at = 3;
            return self.blank();
        }
        if self.is_wide_blank() { self.blank() } else { self.atom_rest() }
    }

    #[cold]
    fn is_wide_blank(&self) -> bool {
        decode(&self.text[self.at..]).is_some_and(|c| (self.readtable.wide_blank)(c))
    }

    /// The current byte, then the rest of an atom.
    pub(crate) fn atom(&mut self) -> TokenKind {
        self.at += 1;
        self.atom_rest()
    }

    /// The rest of an atom, which may be empty.
    #[inline]
    pub(crate) fn atom_rest(&mut self) -> TokenKind {
        let within = &self.readtable.within;
        loop {
            self.at += count_while(&self.text[self.at..], |byte| within[byte as usize] == Within::Constituent);
            let Some(byte) = self.peek() else { return TokenKind::Atom };
            match within[byte as usize] {
                Within::Constituent | Within::Terminator => return TokenKind::Atom,
                Within::Escape => {
                    self.at += 1;
                    self.skip_char();
                }
                Within::Bar => {
                    if !self.bar() {
                        return TokenKind::UnterminatedSymbol;
                    }
                }
                Within::NonAscii => {
                    if self.is_wide_blank() {
                        return TokenKind::Atom;
                    }
                    self.skip_char();
                }
            }
        }
    }

    /// Skips from a `|` past the one that closes it. False if there is none.
    fn bar(&mut self) -> bool {
        self.at += 1;
        self.past_closing(b'|')
    }

    /// A string, from its opening quote, which is the current byte.
    pub(crate) fn string(&mut self) -> TokenKind {
        self.at += 1;
        if self.past_closing(b'"') { TokenKind::String } else { TokenKind::UnterminatedString }
    }

    /// A string in a row of `quote`, up to as many of them: Janet's ``` ``a ` b`` ```. Nothing escapes.
    pub(crate) fn fenced_string(&mut self, quote: u8) -> TokenKind {
        let fence = count_while(&self.text[self.at..], |byte| byte == quote);
        self.at += fence;
        while let Some(found) = memchr(quote, &self.text[self.at..]) {
            self.at += found;
            let run = count_while(&self.text[self.at..], |byte| byte == quote);
            if run >= fence {
                self.at += fence;
                return TokenKind::String;
            }
            self.at += run;
        }
        self.unterminated_string()
    }

    /// A string up to `close`, in which nothing escapes; its beginning is read.
    pub(crate) fn string_until(&mut self, close: &[u8]) -> TokenKind {
        match memmem::find(&self.text[self.at..], close) {
            Some(found) => {
                self.at += found + close.len();
                TokenKind::String
            }
            None => self.unterminated_string(),
        }
    }

    /// The same for a string with code in braces.
    pub(crate) fn string_with_fields(&mut self, close: &[u8]) -> TokenKind {
        match fields::end(self.text, self.at, self.token_bytes(), close) {
            fields::End::At(end) => {
                self.at = end;
                TokenKind::String
            }
            fields::End::Open(_) => self.unterminated_string(),
        }
    }

    /// A string up to the end of the text.
    pub(crate) fn unterminated_string(&mut self) -> TokenKind {
        self.at = self.text.len();
        TokenKind::UnterminatedString
    }

    /// Skips past the next `close` that is not escaped by a backslash; if there is none, skips to the end of the text
    /// and returns false.
    fn past_closing(&mut self, close: u8) -> bool {
        while let Some(found) = memchr2(close, b'\\', &self.text[self.at..]) {
            self.at += found + 1;
            if self.text[self.at - 1] == close {
                return true;
            }
            self.skip_char();
        }
        self.at = self.text.len();
        false
    }

    /// A comment up to the end of the line, without the line end.
    pub(crate) fn line_comment(&mut self) -> TokenKind {
        self.at = memchr(b'\n', &self.text[self.at..]).map_or(self.text.len(), |found| self.at + found);
        if self.at > self.token + 1 && self.text[self.at - 1] == b'\r' {
            self.at -= 1;
        }
        TokenKind::LineComment
    }

    /// A comment that nests. The current byte is the second one of `open`; the token began with the first one, possibly
    /// with digits between them.
    pub(crate) fn nested_comment(&mut self, open: &[u8; 2], close: &[u8; 2]) -> TokenKind {
        self.at += 1;
        let mut depth = 1u32;
        while let Some(found) = memchr2(open[0], close[0], &self.text[self.at..]) {
            self.at += found;
            let pair = self.text.get(self.at..self.at + 2);
            if pair == Some(close) {
                self.at += 2;
                depth -= 1;
                if depth == 0 {
                    return TokenKind::BlockComment;
                }
            } else if pair == Some(open) {
                self.at += 2;
                depth += 1;
            } else {
                self.at += 1;
            }
        }
        self.at = self.text.len();
        TokenKind::UnterminatedComment
    }

    /// A comment that does not nest, up to `close`, which is included.
    pub(crate) fn flat_comment(&mut self, close: &[u8]) -> TokenKind {
        match memmem::find(&self.text[self.at..], close) {
            Some(found) => {
                self.at += found + close.len();
                TokenKind::BlockComment
            }
            None => {
                self.at = self.text.len();
                TokenKind::UnterminatedComment
            }
        }
    }

    /// `\` and a character after `#`, then the rest of an atom: `#\(`, `#\space`, `#\x41`.
    pub(crate) fn hash_character(&mut self) -> TokenKind {
        self.at += 1;
        self.skip_char();
        match self.atom_rest() {
            TokenKind::Atom => TokenKind::Character,
            unterminated => unterminated,
        }
    }

    /// A token that began with `#` and continues like an atom. If a bracket directly follows, it opens a special list,
    /// such as a vector; if a string follows one of `strings`, the token is a prefix of the string. `#`, a number and
    /// `=` are a label, anything else is an atom.
    pub(crate) fn marked(&mut self, strings: &[&[u8]]) -> TokenKind {
        let kind = self.atom_rest();
        if kind != TokenKind::Atom {
            return kind;
        }
        let token = self.token_bytes();
        let label = token.strip_prefix(b"#").and_then(|rest| rest.strip_suffix(b"="));
        match self.peek() {
            _ if label.is_some_and(|label| !label.is_empty() && label.iter().all(u8::is_ascii_digit)) => {
                TokenKind::Prefix
            }
            Some(b'(') => self.open(TokenKind::OpenParen),
            Some(b'[') => self.open(TokenKind::OpenBracket),
            Some(b'{') => self.open(TokenKind::OpenBrace),
            Some(b'"') if strings.contains(&token) => TokenKind::Prefix,
            _ => kind,
        }
    }

    /// Guile's `#{...}#`, from the opening brace, which is the current byte. A backslash escapes.
    pub(crate) fn extended_symbol(&mut self) -> TokenKind {
        self.at += 1;
        while self.past_closing(b'}') {
            if self.peek() == Some(b'#') {
                self.at += 1;
                return TokenKind::Atom;
            }
        }
        TokenKind::UnterminatedSymbol
    }

    /// Racket's and Chicken's here-string `#<<MARK`, up to a line that is exactly the mark.
    pub(crate) fn here_string(&mut self) -> TokenKind {
        let line_end = |from: usize| memchr(b'\n', &self.text[from..]).map_or(self.text.len(), |found| from + found);
        let opening_end = line_end(self.at);
        let mark = self.text[self.at + 2..opening_end].trim_ascii_end();
        let mut from = (opening_end + 1).min(self.text.len());
        let mut found = None;
        while from < self.text.len() {
            let end = line_end(from);
            if self.text[from..end].trim_ascii_end() == mark {
                found = Some(from + mark.len());
                break;
            }
            from = end + 1;
        }
        self.at = found.unwrap_or(self.text.len());
        if found.is_some() { TokenKind::String } else { TokenKind::UnterminatedString }
    }

    /// The current byte is an opening bracket, which ends the token.
    pub(crate) fn open(&mut self, kind: TokenKind) -> TokenKind {
        self.take(1, kind)
    }

    /// Ends a token of this `kind` after `count` more bytes.
    pub(crate) fn take(&mut self, count: usize, kind: TokenKind) -> TokenKind {
        self.at += count;
        kind
    }

    /// The current byte.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// The byte `ahead` bytes further on.
    pub(crate) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    /// How many bytes of white space follow.
    pub(crate) fn blanks_ahead(&self) -> usize {
        let rest = &self.text[self.at..];
        rest.iter().take_while(|&&byte| self.readtable.start[byte as usize] == Start::Blank).count()
    }

    /// The text from the current byte.
    pub(crate) fn rest(&self) -> &'t [u8] {
        &self.text[self.at..]
    }

    pub(crate) fn looking_at(&self, bytes: &[u8]) -> bool {
        self.text[self.at..].starts_with(bytes)
    }

    /// Braces are brackets in the current readtable.
    pub(crate) fn has_braces(&self) -> bool {
        matches!(self.readtable.start[b'{' as usize], Start::Bracket(_))
    }

    /// The current token is the first of the text.
    pub(crate) fn at_start(&self) -> bool {
        self.token == 0
    }

    /// The bytes of the current token that have been read.
    pub(crate) fn token_bytes(&self) -> &'t [u8] {
        &self.text[self.token..self.at]
    }

    /// Skips `count` bytes, which are known to be ASCII.
    pub(crate) fn skip(&mut self, count: usize) {
        self.at += count;
    }

    /// Skips one character; at the end of the text, nothing.
    pub(crate) fn skip_char(&mut self) {
        self.at = (self.at + 1).min(self.text.len());
        self.finish_char();
    }

    /// Skips ASCII bytes while `accepts` holds, and returns how many.
    pub(crate) fn skip_while(&mut self, accepts: impl Fn(u8) -> bool) -> usize {
        self.skip_at_most(usize::MAX, accepts)
    }

    /// Skips at most `most` bytes while `accepts` holds, and returns how many.
    pub(crate) fn skip_at_most(&mut self, most: usize, accepts: impl Fn(u8) -> bool) -> usize {
        let count = self.text[self.at..].iter().take(most).take_while(|&&byte| accepts(byte)).count();
        self.at += count;
        self.finish_char();
        count
    }

    /// Skips `count` bytes, or as many as there are, and then to the next character boundary.
    pub(crate) fn skip_bytes_to_boundary(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.text.len());
        self.finish_char();
    }

    /// Skips the continuation bytes of a character that has been entered, at most three.
    fn finish_char(&mut self) {
        for _ in 0..3 {
            if self.text.get(self.at).is_none_or(|byte| byte & 0xC0 != 0x80) {
                break;
            }
            self.at += 1;
        }
    }
}

/// What ends text that begins with this character.
fn partner(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        b'>' => b'<',
        same => same,
    }
}

/// The number of bytes at the start that `accepts`.
#[inline]
fn count_while(bytes: &[u8], accepts: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&byte| !accepts(byte)).unwrap_or(bytes.len())
}

/// The first character of `bytes`, if they begin with valid UTF-8.
fn decode(bytes: &[u8]) -> Option<char> {
    let prefix = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(prefix) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&prefix[..error.valid_up_to()]).ok()?,
    };
    valid.chars().next()
}
