//! The grammar of a dialect, from the characters of its readtable.

use lispwright_syntax::alphabet::{Alphabet, Beginning, Inside};
use lispwright_syntax::dialects::{Bang, Role, Table};
use lispwright_syntax::{Delimiter, Dialect};

use crate::Start;
use crate::chars::Chars;
use crate::expr::Expr;
use crate::model::{Before, Grammar, Rule, RuleShape, Symbol, Token, TokenShape};
use crate::pattern::Names;

// The rules, in the order in which they are written. The rule for the whole text comes before all of these.
const ITEM: Rule = 1;
const GAP: Rule = 2;
const DATUM: Rule = 3;
const COMMENT: Rule = 4;
const COMMENT_PART: Rule = 5;

/// The grammar of `dialect`.
pub(crate) fn of(dialect: Dialect, start: Start) -> Grammar {
    let alphabet = Alphabet::of(dialect);
    let constituents = Chars::filter(|c| alphabet.inside(c) == Inside::Constituent);
    let escapes = alphabet.inside('\\') == Inside::Escape;
    let escape = escapes.then(|| Expr::Sequence(vec![Expr::text("\\"), Expr::Chars(Chars::all())]));
    let bar = (alphabet.inside('|') == Inside::Bar).then(|| Expr::quoted("|", '|'));
    let quoting: Vec<Expr> = escape.into_iter().chain(bar).collect();
    let table = dialect.table();
    let names = Names { constituents: &constituents, quoting: &quoting, table };
    // A token that continues a symbol must not come directly after one.
    let mut joining = constituents.clone();
    for quote in quoting.iter().filter_map(first_char) {
        joining = joining.with(quote);
    }
    let mut builder = Builder { grammar: Grammar::default(), joining, gaps: Vec::new(), data: Vec::new() };
    let what = match start {
        Start::File => "any number of data, as in a file",
        Start::Form => "exactly one datum",
    };
    builder.grammar.about = format!("{}: {what}. Made by lispwright from the tables of its reader.", dialect.name());

    builder.blanks_and_comments(table, alphabet);
    builder.symbols_and_strings(alphabet, &names);
    for piece in table.pieces {
        builder.piece(piece.name, piece.role, names.parse(piece.pattern));
    }
    builder.finish(table, alphabet, start)
}

/// The first character of an expression that begins with a text.
fn first_char(expr: &Expr) -> Option<char> {
    match expr {
        Expr::Text(text) => text.chars().next(),
        Expr::Sequence(parts) => parts.first().and_then(first_char),
        _ => None,
    }
}

/// Collects tokens and their uses.
struct Builder {
    grammar: Grammar,
    /// The characters that would continue a symbol.
    joining: Chars,
    gaps: Vec<Vec<Symbol>>,
    data: Vec<Vec<Symbol>>,
}

impl Builder {
    fn token(&mut self, name: &'static str, expr: Expr, leaves: Before) -> Token {
        let mut refuses = Vec::new();
        if expr.can_begin_with(&self.joining) {
            refuses.push(Before::Symbol);
        }
        if expr.can_begin_with(&Chars::of("@")) {
            refuses.push(Before::Unquote);
        }
        self.grammar.tokens.push(TokenShape { name, expr, leaves, refuses, repeats: false });
        self.grammar.tokens.len() - 1
    }

    fn piece(&mut self, name: &'static str, role: Role, expr: Expr) {
        let leaves = match role {
            Role::Symbol | Role::PrefixSymbol => Before::Symbol,
            Role::Unquote => Before::Unquote,
            _ => Before::Free,
        };
        let token = self.token(name, expr, leaves);
        let (first, gap, datum) = (Symbol::Token(token), Symbol::Many(GAP), Symbol::Rule(DATUM));
        match role {
            Role::Datum | Role::Symbol => self.data.push(vec![first]),
            Role::Prefix | Role::PrefixSymbol | Role::Unquote => self.data.push(vec![first, gap, datum]),
            Role::Annotation => self.data.push(vec![first, gap, datum, gap, datum]),
            Role::Discard => self.gaps.push(vec![first, gap, datum]),
            Role::Comment => self.gaps.push(vec![first]),
            Role::Open(delimiter) => {
                let close = self.close(delimiter);
                self.data.push(vec![first, Symbol::Many(ITEM), Symbol::Token(close)]);
            }
        }
    }

    /// The token that closes `delimiter`.
    fn close(&mut self, delimiter: Delimiter) -> Token {
        let name = match delimiter {
            Delimiter::Paren => "close_paren",
            Delimiter::Bracket => "close_bracket",
            Delimiter::Brace => "close_brace",
        };
        let known = self.grammar.tokens.iter().position(|token| token.name == name);
        known.unwrap_or_else(|| self.token(name, Expr::text(delimiter.close()), Before::Free))
    }

    fn blanks_and_comments(&mut self, table: &Table, alphabet: Alphabet) {
        let blank = Expr::Chars(Chars::filter(|c| alphabet.beginning(c) == Beginning::Blank));
        let blank = self.token("blank", blank, Before::Free);
        self.grammar.tokens[blank].repeats = true;
        self.gaps.push(vec![Symbol::Token(blank)]);
        let line = Expr::Sequence(vec![comment_start(table, alphabet), not_newline(), Expr::text("\n")]);
        self.piece("line_comment", Role::Comment, line);
    }

    /// The tokens that begin with a character that has a meaning by itself.
    fn symbols_and_strings(&mut self, alphabet: Alphabet, symbols: &Names<'_>) {
        let begins = |c: char| alphabet.beginning(c) == Beginning::Atom;
        let first = Chars::filter(|c| begins(c) && alphabet.inside(c) == Inside::Constituent);
        let at = first.meets(&Chars::of("@"));
        let mut choices = vec![Expr::Chars(first.without("@"))];
        choices.extend(symbols.quoting.iter().filter(|quote| first_char(quote).is_some_and(begins)).cloned());
        let first = if choices.len() == 1 { choices.remove(0) } else { Expr::Choice(choices) };
        if alphabet.has_package_prefix() {
            let list = Expr::Sequence(vec![first.clone(), symbols.rest(), Expr::text("::(")]);
            self.piece("package_list", Role::Open(Delimiter::Paren), list);
        }
        self.piece("symbol", Role::Symbol, Expr::Sequence(vec![first, symbols.rest()]));
        if at {
            self.piece("at_symbol", Role::Symbol, Expr::Sequence(vec![Expr::text("@"), symbols.rest()]));
        }
        self.piece("string", Role::Datum, Expr::quoted("\"", '"'));

        let of = |wanted: Beginning| Chars::filter(|c| alphabet.beginning(c) == wanted);
        let (joining, others): (Vec<char>, Vec<char>) = (' '..='~')
            .filter(|&c| alphabet.beginning(c) == Beginning::Prefix)
            .partition(|&c| alphabet.inside(c) == Inside::Constituent);
        for (name, chars) in [("quote", others), ("joining_quote", joining)] {
            if !chars.is_empty() {
                self.piece(name, Role::Prefix, Expr::one_of(&chars.into_iter().collect::<String>()));
            }
        }
        let unquote = of(Beginning::Unquote);
        if !unquote.is_empty() {
            let unquote = Expr::Chars(unquote);
            self.piece("unquote", Role::Unquote, unquote.clone());
            self.piece("unquote_splicing", Role::Prefix, Expr::Sequence(vec![unquote, Expr::text("@")]));
        }
        let annotation = of(Beginning::Annotation);
        if !annotation.is_empty() {
            self.piece("meta", Role::Annotation, Expr::Chars(annotation));
        }
        let lists =
            [("open_paren", Delimiter::Paren), ("open_bracket", Delimiter::Bracket), ("open_brace", Delimiter::Brace)];
        for (name, delimiter) in lists {
            if alphabet.beginning(delimiter.open()) == Beginning::Open(delimiter) {
                self.piece(name, Role::Open(delimiter), Expr::text(delimiter.open()));
            }
        }
    }

    fn finish(mut self, table: &Table, alphabet: Alphabet, start: Start) -> Grammar {
        let mut comments = Vec::new();
        if table.nested_comments {
            self.gaps.push(vec![Symbol::Rule(COMMENT)]);
            comments = self.nested_comment();
        }
        let (many_items, many_gaps) = (Symbol::Many(ITEM), Symbol::Many(GAP));
        let text = match start {
            Start::Form => vec![many_gaps, Symbol::Rule(DATUM), many_gaps],
            Start::File => {
                let mut text = Vec::new();
                text.push(Symbol::MaybeToken(self.token("byte_order_mark", Expr::text('\u{feff}'), Before::Free)));
                if table.bang == Bang::Header {
                    let header = Expr::Sequence(vec![Expr::text("#!"), not_newline(), Expr::text("\n")]);
                    text.push(Symbol::MaybeToken(self.token("script_header", header, Before::Free)));
                }
                text.push(many_items);
                let last = Expr::Sequence(vec![comment_start(table, alphabet), not_newline()]);
                text.push(Symbol::MaybeToken(self.token("last_comment", last, Before::Free)));
                text
            }
        };
        let mut rules = vec![
            ("text", vec![text]),
            ("item", vec![vec![Symbol::Rule(GAP)], vec![Symbol::Rule(DATUM)]]),
            ("gap", self.gaps),
            ("datum", self.data),
        ];
        rules.extend(comments);
        self.grammar.rules = rules.into_iter().map(|(name, alternatives)| RuleShape { name, alternatives }).collect();
        self.grammar
    }

    /// `#| ... |#`, which nests, so it cannot be a token. Runs of `#` and of `|` are tokens together with their ends: a
    /// lexer that never goes back has to know at once.
    fn nested_comment(&mut self) -> Vec<(&'static str, Vec<Vec<Symbol>>)> {
        let open = self.token("comment_open", Expr::text("#|"), Before::Free);
        let marks = |mark: &str, next: Expr| Expr::Sequence(vec![Expr::text(mark).some(), next]);
        let inner = self.token("comment_inner", marks("#", Expr::text("|")), Before::Free);
        let close = self.token("comment_close", marks("|", Expr::text("#")), Before::Free);
        let other = || Expr::Chars(Chars::except("#|"));
        let words = self.token("comment_text", other(), Before::Free);
        self.grammar.tokens[words].repeats = true;
        let mark =
            self.token("comment_mark", Expr::Choice(vec![marks("#", other()), marks("|", other())]), Before::Free);
        let body = |first| vec![Symbol::Token(first), Symbol::Many(COMMENT_PART), Symbol::Token(close)];
        vec![
            ("comment", vec![body(open)]),
            ("comment_part", vec![vec![Symbol::Token(words)], vec![Symbol::Token(mark)], body(inner)]),
        ]
    }
}

/// The start of a comment up to the end of the line.
fn comment_start(table: &Table, alphabet: Alphabet) -> Expr {
    let plain = Expr::Chars(Chars::filter(|c| alphabet.beginning(c) == Beginning::Comment));
    match table.bang {
        Bang::Line => Expr::Choice(vec![plain, Expr::text("#!")]),
        Bang::Name => {
            let other = Chars::except("abcdefghijklmnopqrstuvwxyz\n");
            Expr::Choice(vec![plain, Expr::Sequence(vec![Expr::text("#!"), Expr::Chars(other)])])
        }
        Bang::Header | Bang::Block => plain,
    }
}

fn not_newline() -> Expr {
    Expr::Chars(Chars::except("\n")).many()
}
