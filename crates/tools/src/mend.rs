//! The safe changes of `lint --fix`.

use lispwright_index::Document;
use lispwright_lint::{Finding, Remedy};
use lispwright_syntax::{Span, TokenKind, Tree, read};

/// The text of a file with the remedies of its findings, and the findings that are left; `None` if none has a remedy that
/// can be trusted.
///
/// Data that is quoted stays, and what comes out has to read with as many mistakes as before.
pub(crate) fn mended(document: &Document, findings: &[Finding]) -> Option<(String, Vec<Finding>)> {
    let tree = document.tree();
    let mut remedies: Vec<&Remedy> = Vec::new();
    let mut left = Vec::new();
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|one| one.remedy.as_ref().map_or(one.span.start, |remedy| remedy.span.start));
    for finding in sorted {
        let remedy = finding.remedy.as_ref().filter(|remedy| {
            let is_apart = remedies.last().is_none_or(|last| last.span.end <= remedy.span.start);
            is_apart && !is_quoted(&tree, &document.text, remedy.span)
        });
        match remedy {
            Some(remedy) => remedies.push(remedy),
            None => left.push(finding.clone()),
        }
    }
    if remedies.is_empty() {
        return None;
    }
    let mut text = document.text.clone();
    for remedy in remedies.iter().rev() {
        text.replace_range(remedy.span.range(), &remedy.text);
    }
    let now = read(&text, document.language.clone());
    let is_sound = now.diagnostics().len() == tree.diagnostics().len() && now.is_balanced() == tree.is_balanced();
    is_sound.then_some((text, left))
}

/// The bytes are in data behind a quote, or in the arguments of `quote`.
fn is_quoted(tree: &Tree, text: &str, span: Span) -> bool {
    let Some(token) = tree.token_at(span.start) else { return false };
    let mut list = tree.list_around(token);
    while let Some(around) = list {
        let open = tree.list(around).open();
        let before = (0..open).rev().take_while(|token| tree.kind(*token) == TokenKind::Prefix);
        let is_quote = |token: u32| matches!(&text[tree.token_span(token).range()], "'" | "`" | "#'");
        let head = tree.data(around).next().map(|head| &text[tree.core_span(head).range()]);
        if before.into_iter().any(is_quote) || head == Some("quote") {
            return true;
        }
        list = tree.list(around).parent();
    }
    false
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use lispwright_index::Index;
    use lispwright_lint::Severity;
    use lispwright_syntax::Dialect;

    use super::*;

    fn fixed(text: &str, word: &str, new: &str) -> Option<String> {
        let path = PathBuf::from("/a.lisp");
        let index = Index::default().with([(path.clone(), text.to_owned(), Dialect::CommonLisp.into())]);
        let document = index.document(&path).expect("the file");
        let start = text.find(word).expect("the word") as u32;
        let span = Span::new(start, start + word.len() as u32);
        let finding = Finding {
            rule: "some-rule",
            severity: Severity::Hint,
            span,
            message: String::new(),
            form: String::new(),
            remedy: Some(Remedy { span, text: new.to_owned() }),
        };
        mended(document, &[finding]).map(|(text, _)| text)
    }

    #[test]
    fn quoted_data_and_what_would_not_read_stay() {
        assert_eq!(fixed("(f (word))", "word", "other").as_deref(), Some("(f (other))"));
        assert_eq!(fixed("(f `,(g) (word))", "word", "other").as_deref(), Some("(f `,(g) (other))"));
        for text in ["(f '(word))", "(f `(a (word)))", "(f (quote (word)))", "(f '(a ,(word)))"] {
            assert_eq!(fixed(text, "word", "other"), None, "{text}");
        }
        assert_eq!(fixed("(f (word))", "word", "(other"), None);
    }
}
