//! Control strings: how many arguments their directives take.

/// How many arguments a control string takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Takes {
    /// The fewest.
    pub(crate) fewest: usize,
    /// The most that are looked at; `None` for any number.
    pub(crate) most: Option<usize>,
}

impl Takes {
    const NONE: Self = Self { fewest: 0, most: Some(0) };
    const ANY: Self = Self { fewest: 0, most: None };

    /// One of two.
    fn or(self, other: Self) -> Self {
        let most = self.most.zip(other.most).map(|(a, b)| a.max(b));
        Self { fewest: self.fewest.min(other.fewest), most }
    }
}

/// The notation of a control string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// Directives begin with a tilde: `~a`, `~{~a~}`, as in Common Lisp and in Guile.
    Tilde,
    /// The few directives of Racket.
    RacketTilde,
    /// `%s`, as in Emacs Lisp.
    Percent,
    /// `%s`, as in Java.
    JavaPercent,
}

/// What a control string takes, or what is wrong with it; `None` if it cannot be said.
pub(crate) fn takes(notation: Notation, control: &str) -> Option<Result<Takes, String>> {
    match notation {
        Notation::Tilde => tilde(control).map(Ok),
        Notation::RacketTilde => Some(racket(control)),
        Notation::Percent => Some(percent(control)),
        Notation::JavaPercent => java(control).map(Ok),
    }
}

/// The text of a string literal, without its quotes and backslashes.
pub(crate) fn text_of(literal: &str) -> Option<String> {
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                '\n' => {}
                // What it stands for is no directive.
                c if c.is_ascii_alphanumeric() => text.push(' '),
                c => text.push(c),
            },
            c => text.push(c),
        }
    }
    Some(text)
}

/// Where a part of a control string with tildes is in what it has taken.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The arguments that the directives before it have passed, at least and at most.
    at: Takes,
    /// The fewest that all directives need, once a `~^` may have ended the string.
    ended: Option<usize>,
    /// The most that any directive has looked at.
    most: Option<usize>,
}

impl Place {
    const START: Self = Self { at: Takes::NONE, ended: None, most: Some(0) };

    fn pass(&mut self, takes: Takes) {
        self.at.fewest += takes.fewest;
        self.at.most = self.at.most.zip(takes.most).map(|(a, b)| a + b);
        self.most = self.most.zip(self.at.most).map(|(a, b)| a.max(b));
    }

    fn takes(self) -> Takes {
        Takes { fewest: self.ended.unwrap_or(self.at.fewest), most: self.most }
    }
}

/// A block of directives that is not closed yet: `~[`, `~{`, `~<`.
struct Block {
    opener: char,
    at_sign: bool,
    /// The place before it, with what its own parameters have taken.
    before: Place,
    /// What the clauses before this one take.
    clauses: Option<Takes>,
    /// It has a clause for all other values, or its number of clauses says that none is left out.
    is_total: bool,
    /// It has a parameter that chooses the clause.
    is_chosen: bool,
    /// Where its text begins.
    start: usize,
}

/// What a control string with tildes takes (CLHS 22.3); `None` if it cannot be said.
fn tilde(control: &str) -> Option<Takes> {
    let one = Takes { fewest: 1, most: Some(1) };
    let bytes = control.as_bytes();
    let mut place = Place::START;
    let mut blocks: Vec<Block> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'~' {
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        let mut number: Option<i64> = None;
        let mut parameters = 0;
        // Prefix parameters.
        loop {
            match *bytes.get(at)? {
                b'\'' => {
                    let quoted = control.get(at + 1..)?.chars().next()?;
                    at += 1 + quoted.len_utf8();
                    parameters += 1;
                }
                b'v' | b'V' => {
                    place.pass(one);
                    at += 1;
                    parameters += 1;
                    number = Some(i64::MAX);
                }
                b'#' => {
                    at += 1;
                    parameters += 1;
                    number = Some(i64::MAX);
                }
                b'+' | b'-' | b'0'..=b'9' => {
                    let from = at;
                    at += 1;
                    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                        at += 1;
                    }
                    number = control[from..at].parse().ok();
                    parameters += 1;
                }
                b',' => at += 1,
                _ => break,
            }
        }
        let (mut colon, mut at_sign) = (false, false);
        loop {
            match *bytes.get(at)? {
                b':' => colon = true,
                b'@' => at_sign = true,
                _ => break,
            }
            at += 1;
        }
        let directive = control.get(at..)?.chars().next()?;
        at += directive.len_utf8();
        match directive.to_ascii_lowercase() {
            'a' | 's' | 'd' | 'b' | 'o' | 'x' | 'r' | 'c' | 'f' | 'e' | 'g' | '$' | 'w' | 'y' => place.pass(one),
            'p' if colon => {}
            'p' => place.pass(one),
            '?' | 'k' if at_sign => {
                place.pass(one);
                place.pass(Takes::ANY);
            }
            '?' | 'k' => place.pass(Takes { fewest: 2, most: Some(2) }),
            '%' | '&' | '|' | '~' | '\n' | '\r' | 't' | '_' | 'i' | '!' | 'q' => {}
            '/' => {
                // `~/name/`
                match control.get(at..)?.find('/') {
                    Some(end) => at += end + 1,
                    None => return None,
                }
                place.pass(one);
            }
            '*' => {
                let fixed = place.at.most.filter(|most| *most == place.at.fewest)?;
                let number = number.unwrap_or(if at_sign { 0 } else { 1 });
                let to = match (colon, at_sign) {
                    (true, false) => fixed as i64 - number,
                    (false, true) => number,
                    (false, false) => fixed as i64 + number,
                    (true, true) => return None,
                };
                let to = usize::try_from(to).ok().filter(|to| *to < 1_000)?;
                // Going back leaves the need for what was taken.
                if to < fixed {
                    place.ended = Some(place.ended.unwrap_or(fixed).max(fixed));
                    return Some(Takes { fewest: place.ended?, most: None }).filter(|_| blocks.is_empty());
                }
                place.pass(Takes { fewest: to - fixed, most: Some(to - fixed) });
            }
            '^' => {
                if place.ended.is_none() {
                    place.ended = Some(place.at.fewest);
                }
            }
            '(' => blocks.push(Block {
                opener: '(',
                at_sign,
                before: place,
                clauses: None,
                is_total: false,
                is_chosen: false,
                start: at,
            }),
            opener @ ('[' | '{' | '<') => {
                if opener == '[' && number == Some(i64::MAX) && !colon && !at_sign {
                    // What is left decides.
                    return Some(Takes { fewest: place.takes().fewest, most: None }).filter(|_| blocks.is_empty());
                }
                let takes_one = match opener {
                    '[' => !at_sign && parameters == 0,
                    '{' => !at_sign,
                    _ => false,
                };
                if takes_one {
                    place.pass(one);
                }
                let is_chosen = parameters > 0;
                blocks.push(Block {
                    opener,
                    at_sign,
                    before: place,
                    clauses: None,
                    is_total: colon && opener == '[',
                    is_chosen,
                    start: at,
                });
                if opener == '[' {
                    place.ended = None;
                }
            }
            ';' => {
                let block = blocks.last_mut()?;
                match block.opener {
                    '[' => {
                        let clause = relative(block.before, place)?;
                        block.clauses = Some(block.clauses.map_or(clause, |before| before.or(clause)));
                        block.is_total |= colon;
                        place = block.before;
                        place.ended = None;
                    }
                    '<' => {}
                    _ => return None,
                }
            }
            ')' => {
                blocks.pop().filter(|block| block.opener == '(')?;
            }
            ']' => {
                let block = blocks.pop().filter(|block| block.opener == '[')?;
                let clause = relative(block.before, place)?;
                let clauses = block.clauses.map_or(clause, |before| before.or(clause));
                place = block.before;
                let takes = match (block.at_sign, block.is_total) {
                    // The argument is looked at, and passed if it is false.
                    (true, _) => Takes { fewest: 1, most: clauses.most.map(|most| most.max(1)) },
                    (false, true) => clauses,
                    (false, false) => clauses.or(Takes::NONE),
                };
                if block.is_chosen && block.at_sign {
                    return None;
                }
                place.pass(takes);
            }
            '}' => {
                let block = blocks.pop().filter(|block| block.opener == '{')?;
                place = block.before;
                if block.start == start {
                    // The control string is an argument, too.
                    place.pass(one);
                }
                if block.at_sign {
                    place.pass(Takes::ANY);
                }
            }
            '>' => {
                let block = blocks.pop().filter(|block| block.opener == '<')?;
                if colon {
                    // A logical block.
                    place = block.before;
                    place.pass(if block.at_sign { Takes::ANY } else { one });
                } else if place.ended.is_some() && block.before.ended.is_none() {
                    place.ended = Some(block.before.at.fewest);
                }
            }
            _ => return None,
        }
    }
    blocks.is_empty().then(|| place.takes())
}

/// What a clause takes that begins at one place and ends at another.
fn relative(before: Place, after: Place) -> Option<Takes> {
    let fewest = after.ended.unwrap_or(after.at.fewest).checked_sub(before.at.fewest)?;
    let most = match (before.most, after.most, before.at.most) {
        (Some(_), Some(most), Some(at)) => Some(most.saturating_sub(at)),
        _ => None,
    };
    Some(Takes { fewest, most })
}

/// What a control string of Racket takes.
fn racket(control: &str) -> Result<Takes, String> {
    let mut count = 0;
    let mut chars = control.chars();
    while let Some(c) = chars.next() {
        if c != '~' {
            continue;
        }
        match chars.next() {
            None => return Err("the control string ends within a directive".to_owned()),
            Some('.') => match chars.next() {
                Some('a' | 'A' | 's' | 'S' | 'v' | 'V') => count += 1,
                other => return Err(format!("`~.{}` is no directive", other.map(String::from).unwrap_or_default())),
            },
            Some('a' | 'A' | 's' | 'S' | 'v' | 'V' | 'e' | 'E' | 'c' | 'C' | 'b' | 'B' | 'o' | 'O' | 'x' | 'X') => {
                count += 1;
            }
            Some('n' | 'N' | '%' | '~') => {}
            Some(c) if c.is_whitespace() => {}
            Some(c) => return Err(format!("`~{c}` is no directive")),
        }
    }
    Ok(Takes { fewest: count, most: Some(count) })
}

/// The number of the argument that a directive names, if `2$` or the like begins at `at`, and the place after it. The number
/// is `None` if it is too large.
fn numbered(control: &str, at: usize) -> Option<(Option<usize>, usize)> {
    let digits = control.as_bytes()[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_number = digits > 0 && control.as_bytes().get(at + digits) == Some(&b'$');
    is_number.then(|| (control[at..at + digits].parse().ok(), at + digits + 1))
}

/// The place after the flags, the width and the precision of a directive, of which `flags` are the flags.
fn after_flags(bytes: &[u8], mut at: usize, flags: &[u8]) -> usize {
    while bytes.get(at).is_some_and(|byte| flags.contains(byte)) {
        at += 1;
    }
    while bytes.get(at).is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.') {
        at += 1;
    }
    at
}

/// What a control string of Emacs Lisp takes.
fn percent(control: &str) -> Result<Takes, String> {
    let (mut next, mut most) = (0, 0);
    let bytes = control.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        at += 1;
        if bytes[at - 1] != b'%' {
            continue;
        }
        if let Some((number, after)) = numbered(control, at) {
            next = number.unwrap_or(1).saturating_sub(1);
            at = after;
        }
        at = after_flags(bytes, at, b"-+ #0");
        match control.get(at..).and_then(|rest| rest.chars().next()) {
            None => return Err("the control string ends within a directive".to_owned()),
            Some('%') => at += 1,
            Some('s' | 'S' | 'd' | 'i' | 'o' | 'x' | 'X' | 'c' | 'e' | 'f' | 'g') => {
                at += 1;
                next += 1;
                most = most.max(next);
            }
            Some(c) => return Err(format!("`%{}` is no directive", c.escape_debug())),
        }
    }
    Ok(Takes { fewest: most, most: Some(most) })
}

/// What a control string of Java takes; `None` if it cannot be said.
fn java(control: &str) -> Option<Takes> {
    let (mut next, mut most) = (0, 0);
    let bytes = control.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        at += 1;
        if bytes[at - 1] != b'%' {
            continue;
        }
        let (own, after) = numbered(control, at).unwrap_or((None, at));
        at = after;
        let is_before = bytes.get(at) == Some(&b'<');
        at = after_flags(bytes, at, b"-#+ 0,(<");
        let conversion = *bytes.get(at)?;
        at += 1;
        match conversion {
            b'n' | b'%' => continue,
            b't' | b'T' => at += 1,
            b'b' | b'B' | b'h' | b'H' | b's' | b'S' | b'c' | b'C' | b'd' | b'o' | b'x' | b'X' | b'e' | b'E' | b'f'
            | b'g' | b'G' | b'a' | b'A' => {}
            _ => return None,
        }
        match own {
            _ if is_before => {}
            Some(own) => most = most.max(own),
            None => {
                next += 1;
                most = most.max(next);
            }
        }
    }
    Some(Takes { fewest: most, most: Some(most) })
}

#[cfg(test)]
mod tests {
    use super::{Notation, takes};

    fn check(notation: Notation, rows: &[(&str, &str)]) {
        for (control, expected) in rows {
            let found = match takes(notation, control) {
                None => "?".to_owned(),
                Some(Err(message)) => message,
                Some(Ok(takes)) => match takes.most {
                    Some(most) if most == takes.fewest => most.to_string(),
                    Some(most) => format!("{}-{most}", takes.fewest),
                    None => format!("{}-", takes.fewest),
                },
            };
            assert_eq!(&found, expected, "{control}");
        }
    }

    #[test]
    fn directives_with_tildes() {
        check(
            Notation::Tilde,
            &[
                ("no directive~%", "0"),
                ("~a ~S ~5,2F ~,'0d ~v,vf", "7"),
                ("~{~a~^, ~}", "1"),
                ("~@{~a~}", "0-"),
                ("~{~}", "2"),
                ("~a~:p ~a~p", "3"),
                ("~[zero~;one~:;~a~]", "1-2"),
                ("~:[no~;yes ~a~]", "1-2"),
                ("~@[ ~a~]", "1"),
                ("~a~^ ~a", "1-2"),
                ("~(~a~) ~<~a~;~a~>", "3"),
                ("~@<~a~:>", "0-"),
                ("~<~a~:>", "1"),
                ("~/foo:bar/ ~?", "3"),
                ("~2*~a", "3"),
                ("~a ~:*~a", "1-"),
                ("~#[none~;~a~:;~a and ~a~]", "0-"),
                ("~1{~a~:}", "1"),
                ("~j", "?"),
                ("ends ~", "?"),
            ],
        );
    }

    #[test]
    fn directives_with_percent_signs() {
        check(
            Notation::Percent,
            &[
                ("%s %-10s %% %05.2f", "3"),
                ("%2$s %1$s", "2"),
                ("100%", "the control string ends within a directive"),
                ("%y", "`%y` is no directive"),
            ],
        );
        check(Notation::JavaPercent, &[("%s %5.2f%n", "2"), ("%2$s %<s", "2"), ("%tY", "1"), ("%y", "?")]);
        check(
            Notation::RacketTilde,
            &[("~a ~.s~n~%", "2"), ("~q", "`~q` is no directive"), ("~", "the control string ends within a directive")],
        );
    }
}
