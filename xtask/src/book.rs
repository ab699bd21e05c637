//! The documents as a book (`book.toml`): that `docs/SUMMARY.md` has each page once, and that the links between pages lead
//! to what is there. mdBook is not needed for that.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;

use crate::workspace;

/// The targets of the links in a Markdown text, outside of blocks and pieces of code.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
        links.extend(plain.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())));
    }
    links
}

/// The name by which a link leads to a heading: as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn anchors(text: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let headings = text.lines().filter_map(|line| {
        is_code ^= line.starts_with("```");
        let heading = line.trim_start_matches('#');
        (!is_code && heading.len() < line.len()).then(|| anchor(heading))
    });
    headings.collect()
}

fn pages() -> Vec<String> {
    let names = fs::read_dir(workspace().join("docs")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    names.retain(|name| name.ends_with(".md") && name != "SUMMARY.md");
    names.sort();
    names
}

#[test]
fn the_summary_has_each_page_once() {
    let summary = fs::read_to_string(workspace().join("docs/SUMMARY.md")).unwrap();
    let mut listed = links(&summary);
    listed.sort();
    assert_eq!(listed, pages());
    let book = fs::read_to_string(workspace().join("book.toml")).unwrap();
    assert!(book.contains("src = \"docs\""));
}

#[test]
fn links_lead_to_pages_and_headings_that_are_there() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    let documents = pages().into_iter().map(|page| format!("docs/{page}"));
    for path in documents.chain(["README.md".to_owned()]) {
        let text = fs::read_to_string(workspace().join(&path)).unwrap();
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            // A book has no files above its own.
            let is_above = path.starts_with("docs/") && file.starts_with("..");
            let base = workspace().join(&path);
            let target = if file.is_empty() { base } else { base.parent().unwrap().join(file) };
            let leads = match fs::read_to_string(&target) {
                Ok(text) => heading.is_empty() || anchors(&text).contains(heading),
                Err(_) => target.is_dir(),
            };
            if is_above || !leads {
                wrong.push(format!("{path}: {link}"));
            }
        }
    }
    assert!(seen > 100, "{seen}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
