//! Guides: ways of working, as texts for a model.
//!
//! A server offers them as prompts of MCP, and `lispwright setup` writes those about languages as pages of one skill for clients:
//! one text for both, and one line of a session's context for all of them. The five about REPL-driven development are one text, `guides/development.md`, with the sections that each
//! dialect fills in (`guides/DIALECT.md`); a section that a dialect leaves out is empty. Tests hold every call that a guide shows
//! against the schema of its tool.

/// A way of working.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guide {
    /// The name of the prompt: lower case, with hyphens.
    pub name: &'static str,
    /// The title for people.
    pub title: &'static str,
    /// What it is about and when to use it, in at most 1,024 characters.
    pub description: &'static str,
    /// The tools without which it is of no use.
    pub needs: &'static [&'static str],
    /// The extensions of the files that it is about.
    pub extensions: &'static [&'static str],
    body: Body,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    /// The common text with the sections of a dialect.
    Development(&'static str),
    /// A text of its own.
    Whole(&'static str),
}

/// A file of the skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillPage {
    /// Its name; the first is `SKILL.md`.
    pub file: String,
    /// What the skill is about and when to use it, in at most 1,024 characters; in the first file.
    pub description: Option<String>,
    /// The text, as Markdown. It ends with a newline.
    pub text: String,
}

/// The first file of the skill, with `{{pages}}` in the place of the list of the others.
const OVERVIEW: &str = include_str!("guides/overview.md");

/// The skill: a page for each language, and before them one that says which to read.
#[must_use]
pub fn skill() -> Vec<SkillPage> {
    let page = |guide: Guide| match guide.body {
        Body::Development(sections) => Some((guide, section(sections, "language"))),
        Body::Whole(_) => None,
    };
    let pages: Vec<(Guide, &str)> = Guide::ALL.into_iter().filter_map(page).collect();
    let rows = pages.iter().map(|(guide, language)| {
        let (file, files) = (guide.page(), guide.extensions.join("`, `"));
        format!("| {language} | `{files}` | [{file}]({file}) |\n")
    });
    let languages: Vec<String> =
        pages.iter().map(|(guide, language)| format!("{language} ({})", guide.extensions.join(", "))).collect();
    let description = format!(
        "How to read, edit, run and debug Lisp with lispwright's tools: explore by form, develop in the live image, edit by form, verify \
         by loading and testing. Use it when you work on files of {}.",
        languages.join(", ")
    );
    let first = SkillPage {
        file: "SKILL.md".to_owned(),
        description: Some(description),
        text: OVERVIEW.replace("{{pages}}\n", &rows.collect::<String>()),
    };
    let others = pages.iter().map(|(guide, _)| SkillPage { file: guide.page(), description: None, text: guide.text() });
    std::iter::once(first).chain(others).collect()
}

/// The text about REPL-driven development, with `{{SECTION}}` in the places of a dialect's sections.
const DEVELOPMENT: &str = include_str!("guides/development.md");

/// What the common text calls.
const DEVELOPING: &[&str] = &[
    "code_find",
    "code_find_references",
    "code_map",
    "lisp_check_parens",
    "lisp_edit_form",
    "lisp_patch_form",
    "lisp_read_file",
    "lisp_read_form",
    "lisp_search",
    "load_system",
    "repl_control",
    "repl_eval",
    "run_tests",
];

impl Guide {
    /// All guides, in the order in which they are listed.
    pub const ALL: [Self; 6] = [
        Self {
            name: "repl-common-lisp",
            title: "REPL-driven development in Common Lisp",
            description: "How to change and debug Common Lisp with lispwright: explore by form, develop in the live image, edit by form, verify by \
                          loading and testing. Use it when you work on .lisp or .asd files.",
            needs: DEVELOPING,
            extensions: &[".lisp", ".asd"],
            body: Body::Development(include_str!("guides/common-lisp.md")),
        },
        Self {
            name: "repl-scheme",
            title: "REPL-driven development in Scheme",
            description: "How to change and debug Scheme (Guile, Chez) with lispwright: explore by form, develop in the live image, edit by form, \
                          verify by loading and testing. Use it when you work on .scm, .sld, .sls or .ss files.",
            needs: DEVELOPING,
            extensions: &[".scm", ".sld", ".sls", ".ss"],
            body: Body::Development(include_str!("guides/scheme.md")),
        },
        Self {
            name: "repl-racket",
            title: "REPL-driven development in Racket",
            description: "How to change and debug Racket with lispwright: explore by form, develop in the live image, edit by form, verify by \
                          loading and testing. Use it when you work on .rkt files.",
            needs: DEVELOPING,
            extensions: &[".rkt"],
            body: Body::Development(include_str!("guides/racket.md")),
        },
        Self {
            name: "repl-clojure",
            title: "REPL-driven development in Clojure",
            description: "How to change and debug Clojure with lispwright: explore by form, develop over nREPL, edit by form, verify by loading \
                          and testing. Use it when you work on .clj, .cljc or .cljs files.",
            needs: DEVELOPING,
            extensions: &[".clj", ".cljc", ".cljs"],
            body: Body::Development(include_str!("guides/clojure.md")),
        },
        Self {
            name: "repl-emacs-lisp",
            title: "REPL-driven development in Emacs Lisp",
            description: "How to change and debug Emacs Lisp with lispwright: explore by form, develop in a batch Emacs, edit by form, verify by \
                          loading and testing. Use it when you work on .el files.",
            needs: DEVELOPING,
            extensions: &[".el"],
            body: Body::Development(include_str!("guides/emacs-lisp.md")),
        },
        Self {
            name: "delimiter-guard",
            title: "The delimiter guard, where it pays",
            description: "When to ask the delimiter guard (tools sexp_guard_*) while writing Lisp, and when not. Use it for long, deeply nested or \
                          mixed brackets that do not go through lisp_edit_form.",
            needs: &["sexp_guard_balance_and_resume", "sexp_guard_batch", "sexp_guard_scan"],
            extensions: &[],
            body: Body::Whole(include_str!("guides/delimiter-guard.md")),
        },
    ];

    /// Its file in the skill.
    fn page(&self) -> String {
        format!("{}.md", self.name.trim_start_matches("repl-"))
    }

    /// The guide as Markdown. It ends with a newline.
    #[must_use]
    pub fn text(&self) -> String {
        match self.body {
            Body::Whole(text) => text.to_owned(),
            Body::Development(sections) => filled(DEVELOPMENT, sections),
        }
    }
}

/// The section of a dialect's text with this heading.
fn section<'s>(sections: &'s str, name: &str) -> &'s str {
    let mut lines = sections.lines().skip_while(|line| line.strip_prefix("## ") != Some(name));
    lines.nth(1).unwrap_or_default()
}

/// The text with each section in its place.
fn filled(text: &str, sections: &str) -> String {
    let mut filled = text.to_owned();
    for section in format!("\n{sections}").split("\n## ").skip(1) {
        let (name, body) = section.split_once('\n').unwrap_or((section, ""));
        filled = filled.replace(&format!("{{{{{name}}}}}"), body.trim_end_matches('\n'));
    }
    // A section on a line of its own that the dialect leaves out.
    let lines = filled.lines().filter(|line| !(line.starts_with("{{") && line.ends_with("}}")));
    lines.map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_filled_and_every_section_has_one() {
        for guide in Guide::ALL {
            let text = guide.text();
            assert!(!text.contains("{{") && !text.contains("}}"), "{}: {text}", guide.name);
            assert!(text.starts_with("# ") && text.ends_with('\n') && !text.contains("\n\n\n"), "{}", guide.name);
            assert!(text.lines().all(|line| line.chars().count() <= 200), "{}", guide.name);
            if let Body::Development(sections) = guide.body {
                for heading in sections.lines().filter_map(|line| line.strip_prefix("## ")) {
                    assert!(DEVELOPMENT.contains(&format!("{{{{{heading}}}}}")), "{}: {heading}", guide.name);
                }
                assert!(guide.description.chars().count() <= 1024 && !guide.description.contains('\n'));
                for step in ["## Explore", "## Develop", "## Edit", "## Verify"] {
                    assert!(text.contains(step), "{}: {step}", guide.name);
                }
            }
        }
    }
    #[test]
    fn the_skill_names_each_of_its_pages_and_what_they_are_for() {
        let pages = skill();
        let files: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
        assert_eq!(files, ["SKILL.md", "common-lisp.md", "scheme.md", "racket.md", "clojure.md", "emacs-lisp.md"]);
        let (first, description) = (&pages[0], pages[0].description.clone().unwrap_or_default());
        assert!(description.chars().count() <= 1024 && !description.contains('\n'), "{description}");
        assert!(description.contains("Common Lisp (.lisp, .asd), Scheme ("), "{description}");
        assert!(first.text.contains("| Racket | `.rkt` | [racket.md](racket.md) |\n") && !first.text.contains("{{"));
        for guide in Guide::ALL.iter().filter(|guide| matches!(guide.body, Body::Development(_))) {
            assert!(guide.extensions.iter().all(|known| guide.description.contains(known)), "{}", guide.name);
            assert!(first.text.contains(&guide.page()), "{}", guide.name);
            assert!(pages.iter().any(|page| page.file == guide.page() && page.text == guide.text()));
        }
    }
}
