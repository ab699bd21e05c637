//! Guides: ways of working, as texts for a model.
//!
//! A server offers them as prompts of MCP, and `lispwright setup` writes them as skill files for clients: one text for both. The five about REPL-driven development are one text, `guides/development.md`, with the sections that each
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
    body: Body,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    /// The common text with the sections of a dialect.
    Development(&'static str),
    /// A text of its own.
    Whole(&'static str),
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
            body: Body::Development(include_str!("guides/common-lisp.md")),
        },
        Self {
            name: "repl-scheme",
            title: "REPL-driven development in Scheme",
            description: "How to change and debug Scheme (Guile, Chez) with lispwright: explore by form, develop in the live image, edit by form, \
                          verify by loading and testing. Use it when you work on .scm, .sld, .sls or .ss files.",
            needs: DEVELOPING,
            body: Body::Development(include_str!("guides/scheme.md")),
        },
        Self {
            name: "repl-racket",
            title: "REPL-driven development in Racket",
            description: "How to change and debug Racket with lispwright: explore by form, develop in the live image, edit by form, verify by \
                          loading and testing. Use it when you work on .rkt files.",
            needs: DEVELOPING,
            body: Body::Development(include_str!("guides/racket.md")),
        },
        Self {
            name: "repl-clojure",
            title: "REPL-driven development in Clojure",
            description: "How to change and debug Clojure with lispwright: explore by form, develop over nREPL, edit by form, verify by loading \
                          and testing. Use it when you work on .clj, .cljc or .cljs files.",
            needs: DEVELOPING,
            body: Body::Development(include_str!("guides/clojure.md")),
        },
        Self {
            name: "repl-emacs-lisp",
            title: "REPL-driven development in Emacs Lisp",
            description: "How to change and debug Emacs Lisp with lispwright: explore by form, develop in a batch Emacs, edit by form, verify by \
                          loading and testing. Use it when you work on .el files.",
            needs: DEVELOPING,
            body: Body::Development(include_str!("guides/emacs-lisp.md")),
        },
        Self {
            name: "delimiter-guard",
            title: "The delimiter guard, where it pays",
            description: "When to ask the delimiter guard (tools sexp_guard_*) while writing Lisp, and when not. Use it for long, deeply nested or \
                          mixed brackets that do not go through lisp_edit_form.",
            needs: &["sexp_guard_balance_and_resume", "sexp_guard_batch", "sexp_guard_scan"],
            body: Body::Whole(include_str!("guides/delimiter-guard.md")),
        },
    ];

    /// The guide as Markdown. It ends with a newline.
    #[must_use]
    pub fn text(&self) -> String {
        match self.body {
            Body::Whole(text) => text.to_owned(),
            Body::Development(sections) => filled(DEVELOPMENT, sections),
        }
    }
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
}
