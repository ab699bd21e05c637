//! Comments that silence rules: `; lispwright:ignore RULE …` at the end of a line or before a form, and clj-kondo's own
//! `#_:clj-kondo/ignore` and `#_{:clj-kondo/ignore [:linter …]}` before a form.

use lispwright_syntax::{Span, TokenId, TokenKind};

use crate::file::File;
use crate::finding::{Finding, Findings, Remedy};
use crate::kondo;
use crate::rule::Rule;
use crate::rules::{unused_suppression, with_code};

/// What a comment begins with that silences rules.
const MARK: &str = "lispwright:ignore";

/// The keyword of clj-kondo.
const KONDO_MARK: &str = ":clj-kondo/ignore";

/// A comment that silences rules, or a discarded datum that does.
#[derive(Debug)]
struct Suppression {
    /// The comment.
    span: Span,
    /// What starts in these bytes is silenced.
    scope: Span,
    /// The codes of the rules; without any all of them.
    rules: Option<Vec<String>>,
    /// It is written for another program, too.
    is_foreign: bool,
    /// It has silenced something.
    is_used: bool,
}

/// Takes out what comments silence, and adds the comments that silence nothing, as far as all of their rules were among
/// the `asked`.
pub(crate) fn apply(file: &File<'_, '_>, asked: &[&dyn Rule], findings: &mut Findings) {
    let text = file.text();
    if !text.contains(MARK) && !text.contains(KONDO_MARK) {
        return;
    }
    let mut suppressions = suppressions(file);
    findings.retain(|one| {
        let silencing = suppressions.iter_mut().filter(|suppression| suppression.silences(one));
        // All of them are used.
        silencing.map(|suppression| suppression.is_used = true).count() == 0
    });
    let about = unused_suppression::ABOUT.code;
    if !asked.iter().any(|rule| rule.about().code == about) {
        return;
    }
    findings.begin(&unused_suppression::ABOUT);
    for one in suppressions.iter().filter(|one| !one.is_used && !one.is_foreign) {
        let unknown = one.rules.iter().flatten().find(|code| with_code(code).is_none());
        if let Some(code) = unknown {
            findings.add(one.span, format!("there is no rule `{code}`"));
            continue;
        }
        let is_asked = |code: &str| asked.iter().any(|rule| rule.about().code == code);
        let are_asked = match &one.rules {
            Some(codes) => codes.iter().all(|code| is_asked(code)),
            None => crate::rules::defaults().iter().all(|rule| is_asked(rule.about().code)),
        };
        if are_asked {
            let remedy = Remedy { span: one.removed(text), text: String::new() };
            findings.add_with_remedy(one.span, "nothing is told here that this comment would silence", remedy);
        }
    }
}

impl Suppression {
    fn silences(&self, finding: &Finding) -> bool {
        self.scope.contains(finding.span.start)
            && self.rules.as_ref().is_none_or(|codes| codes.iter().any(|code| code == finding.rule))
    }

    /// The bytes that go with the comment: the space before it, and its line if it has one for itself.
    fn removed(&self, text: &str) -> Span {
        let before = text[..self.span.start as usize].trim_end_matches([' ', '\t']);
        let is_alone = before.is_empty() || before.ends_with('\n');
        let end = self.span.end as usize;
        let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        Span::new(before.len() as u32, if is_alone { line_end as u32 } else { self.span.end })
    }
}

/// All comments that silence rules.
fn suppressions(file: &File<'_, '_>) -> Vec<Suppression> {
    let (tree, text) = (&file.tree, file.text());
    let mut found = Vec::new();
    let mut line_start = 0;
    for token in 0..tree.token_count() {
        let (kind, span) = (tree.kind(token), tree.token_span(token));
        let written = &text[span.range()];
        if kind == TokenKind::LineComment && written.contains(MARK) {
            let words = written.split_once(MARK).map_or("", |(_, words)| words);
            let before = &text[line_start..span.start as usize];
            let scope = match before.trim().is_empty() {
                true => datum_after(file, token + 1),
                false => {
                    let start = text[..span.start as usize].rfind('\n').map_or(0, |at| at + 1);
                    Some(Span::new(start as u32, span.end))
                }
            };
            if let Some(scope) = scope {
                found.push(Suppression { span, scope, rules: codes(words), is_foreign: false, is_used: false });
            }
        }
        if kind == TokenKind::Discard
            && let Some((rules, after)) = kondo_mark(file, token)
            && let Some(scope) = datum_after(file, after)
        {
            found.push(Suppression { span, scope, rules, is_foreign: true, is_used: false });
        }
        if let Some(at) = written.rfind('\n') {
            line_start = span.start as usize + at + 1;
        }
    }
    found
}

/// The codes that a comment names, up to what is no code; `None` if it names none.
fn codes(words: &str) -> Option<Vec<String>> {
    let is_code = |word: &&str| {
        word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            && word.contains('-')
            && !word.starts_with('-')
    };
    let words = words.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    let codes: Vec<String> = words.take_while(is_code).map(str::to_owned).collect();
    (!codes.is_empty()).then_some(codes)
}

/// The bytes of the first datum that begins at or after a token, with its prefixes.
fn datum_after(file: &File<'_, '_>, token: TokenId) -> Option<Span> {
    let tree = &file.tree;
    let first = (token..tree.token_count()).find(|token| !tree.kind(*token).is_trivia())?;
    let start = tree.token_span(first).start;
    let list = match tree.list_around(first) {
        Some(own) if tree.list(own).open() == first => tree.list(own).parent(),
        list => list,
    };
    let mut data = list.map_or_else(|| tree.top_level(), |list| tree.data(list));
    let datum = data.find(|datum| tree.datum_span(*datum).end > start)?;
    Some(Span::new(start, tree.datum_span(datum).end))
}

/// The rules that a discarded mark of clj-kondo silences, and the token after it.
fn kondo_mark(file: &File<'_, '_>, discard: TokenId) -> Option<(Option<Vec<String>>, TokenId)> {
    let tree = &file.tree;
    let next = (discard + 1..tree.token_count()).find(|token| !tree.kind(*token).is_trivia())?;
    let written = |token: TokenId| file.source(tree.token_span(token));
    if written(next) == KONDO_MARK {
        return Some((None, next + 1));
    }
    let list = tree.list_around(next).filter(|list| tree.list(*list).open() == next)?;
    let end = tree.list(list).end();
    let tokens: Vec<&str> = (next + 1..end).filter(|token| !tree.kind(*token).is_trivia()).map(written).collect();
    let (first, rest) = tokens.split_first()?;
    if *first != KONDO_MARK {
        return None;
    }
    let names = rest.iter().filter_map(|word| word.strip_prefix(':'));
    let rules = match rest.first() {
        Some(&":all") => None,
        _ => Some(names.flat_map(kondo::codes).map(|code| (*code).to_owned()).collect()),
    };
    Some((rules, end))
}
