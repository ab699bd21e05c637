//! The list of rules in `docs/linting.md` is what the rules say of themselves.
//!
//! `UPDATE=1 cargo test -p lispwright-lint --test page` writes it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use lispwright_lint::rules;

const BEGIN: &str = "<!-- rules: UPDATE=1 cargo test -p lispwright-lint --test page -->\n";
const END: &str = "<!-- end of rules -->";

/// A row for each rule, then its reason and its first example.
fn list() -> String {
    let mut list = "| rule | level | dialects | what is told |\n| --- | --- | --- | --- |\n".to_owned();
    for rule in rules::ALL {
        let about = rule.about();
        let level = if about.is_default { about.severity.name() } else { "off" };
        let dialects: Vec<&str> = about.dialects.iter().map(|dialect| dialect.name()).collect();
        let what = about.what.replace('|', "\\|");
        let _ = writeln!(list, "| [`{0}`](#{0}) | {level} | {1} | {what} |", about.code, dialects.join(", "));
    }
    for rule in rules::ALL {
        let about = rule.about();
        let _ = writeln!(list, "\n### {}\n\n{} {}", about.code, about.what, about.why);
        if let Some(example) = about.examples.first() {
            let (wrong, right) = (example.wrong.trim_end(), example.right.trim_end());
            let _ = writeln!(list, "\n```{0}\n{wrong}\n```\n\nRight:\n\n```{0}\n{right}\n```", example.dialect.name());
        }
    }
    list
}

#[test]
fn the_page_lists_the_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/linting.md");
    let page = fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("where the list begins");
    let (_, after) = rest.split_once(END).expect("where it ends");
    let expected = format!("{before}{BEGIN}{}{END}{after}", list());
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, expected).expect("the page is written");
    } else {
        assert!(
            page == expected,
            "docs/linting.md lists other rules: UPDATE=1 cargo test -p lispwright-lint --test page"
        );
    }
}
