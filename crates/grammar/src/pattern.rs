//! Parses the patterns in which dialects describe their tokens.

use std::iter::Peekable;
use std::str::Chars as Letters;

use lispwright_syntax::dialects::Table;

use crate::chars::Chars;
use crate::expr::Expr;

/// The meanings of the names in patterns.
pub(crate) struct Names<'a> {
    /// Characters that have no special meaning in symbols.
    pub(crate) constituents: &'a Chars,
    /// Escaped and quoted characters.
    pub(crate) quoting: &'a [Expr],
    /// Directives and fragments.
    pub(crate) table: &'a Table,
}

impl Names<'_> {
    /// The rest of a symbol, which may be empty.
    pub(crate) fn rest(&self) -> Expr {
        self.step("").many()
    }

    /// One step of a symbol that is none of the characters of `list`.
    fn step(&self, list: &str) -> Expr {
        let mut choices = vec![Expr::Chars(self.constituents.without(list))];
        choices.extend(self.quoting.iter().cloned());
        if choices.len() == 1 { choices.remove(0) } else { Expr::Choice(choices) }
    }

    /// The meaning of `name`, where its first character is not in `list`.
    fn find(&self, name: &str, list: &str) -> Expr {
        match name {
            "constituent" => Expr::Chars(self.constituents.without(list)),
            "step" => self.step(list),
            "rest" if list.is_empty() => self.rest(),
            "rest" => Expr::Sequence(vec![self.step(list), self.rest()]).maybe(),
            "string" => Expr::quoted("\"", '"'),
            _ => {
                let fragment = self.table.fragments.iter().find(|(known, _)| *known == name);
                parse(fragment.expect("a pattern names fragments of its dialect").1, self)
            }
        }
    }

    /// The expression of a pattern.
    pub(crate) fn parse(&self, pattern: &str) -> Expr {
        parse(pattern, self)
    }
}

/// Patterns are written in the tables of dialects, so an invalid one is a mistake there that any test finds.
fn parse(pattern: &str, names: &Names<'_>) -> Expr {
    let mut parser = Parser { rest: pattern.chars().peekable(), names };
    let expr = parser.choice();
    assert_eq!(parser.rest.next(), None, "the pattern {pattern} ends");
    expr
}

struct Parser<'p> {
    rest: Peekable<Letters<'p>>,
    names: &'p Names<'p>,
}

impl Parser<'_> {
    fn choice(&mut self) -> Expr {
        let mut choices = vec![self.sequence()];
        while self.rest.next_if_eq(&'|').is_some() {
            choices.push(self.sequence());
        }
        if choices.len() == 1 { choices.remove(0) } else { Expr::Choice(choices) }
    }

    fn sequence(&mut self) -> Expr {
        let mut parts: Vec<Expr> = Vec::new();
        while self.rest.peek().is_some_and(|next| !"|)".contains(*next)) {
            let part = self.one();
            let part = self.repeated(part);
            match (parts.last_mut(), part) {
                (Some(Expr::Text(text)), Expr::Text(more)) => text.push_str(&more),
                (_, part) => parts.push(part),
            }
        }
        if parts.len() == 1 { parts.remove(0) } else { Expr::Sequence(parts) }
    }

    fn repeated(&mut self, part: Expr) -> Expr {
        match self.rest.peek() {
            Some('*') => self.past(Expr::many, part),
            Some('+') => self.past(Expr::some, part),
            Some('?') => self.past(Expr::maybe, part),
            Some('{') => {
                let times: String = self.until('}');
                let most = times.trim_start_matches("{,").parse().expect("a number of times stands in {,…}");
                part.up_to(most)
            }
            _ => part,
        }
    }

    fn past(&mut self, make: fn(Expr) -> Expr, part: Expr) -> Expr {
        self.rest.next();
        make(part)
    }

    /// The letters up to `end`, which is excluded, without backslashes before them.
    fn until(&mut self, end: char) -> String {
        let mut letters = String::new();
        while let Some(letter) = self.rest.next().filter(|letter| *letter != end) {
            letters.push(if letter == '\\' { self.escaped() } else { letter });
        }
        letters
    }

    fn escaped(&mut self) -> char {
        match self.rest.next().expect("a letter stands behind a backslash") {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\x0c',
            letter => letter,
        }
    }

    fn one(&mut self) -> Expr {
        match self.rest.next().expect("the caller has seen a letter") {
            '(' => {
                let inner = self.choice();
                self.rest.next_if_eq(&')').expect("a group ends");
                inner
            }
            '[' => {
                let negated = self.rest.next_if_eq(&'^').is_some();
                let list = self.class();
                Expr::Chars(if negated { Chars::except(&list) } else { Chars::of(&list) })
            }
            '<' => {
                let inside = self.until('>');
                let (name, list) = inside.split_once(" -").unwrap_or((&inside, ""));
                self.names.find(name, list)
            }
            '.' => Expr::Chars(Chars::all()),
            '\\' if self.rest.next_if_eq(&'d').is_some() => Expr::Chars(Chars::digits()),
            '\\' if self.rest.next_if_eq(&'h').is_some() => Expr::Chars(Chars::hex_digits()),
            '\\' => Expr::text(self.escaped()),
            letter => Expr::text(letter),
        }
    }

    /// The characters of a class, including those of its ranges.
    fn class(&mut self) -> String {
        let mut list = String::new();
        while let Some(letter) = self.rest.next().filter(|letter| *letter != ']') {
            match letter {
                '\\' => list.push(self.escaped()),
                '-' => {
                    let first = list.pop().expect("a range has a first character");
                    list.extend(first..=self.rest.next().expect("a range has a last character"));
                }
                _ => list.push(letter),
            }
        }
        list
    }
}
