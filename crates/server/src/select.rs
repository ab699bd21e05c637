//! Which tools of the catalogue a server offers: `--toolsets`, `--tools`, `--exclude-tools`, `--read-only`.

use std::str::FromStr;

use lispwright_tools::arguments::{nearest, snake_case};
use lispwright_tools::{Tool, ToolSet};

/// The names of the sets, as written on the command line.
const SETS: &[(&str, ToolSet)] = &[
    ("default", ToolSet::Default),
    ("fs", ToolSet::Fs),
    ("docs", ToolSet::Docs),
    ("guard", ToolSet::Guard),
    ("debug", ToolSet::Debug),
];

/// What is offered. Every part narrows or widens the default set; the order of the catalogue stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Sets offered beside the default one; `all` stands for every set.
    pub sets: Vec<String>,
    /// When not empty: exactly these tools, of whatever set.
    pub only: Vec<String>,
    /// Tools left out.
    pub without: Vec<String>,
    /// Leave out every tool that writes files or runs code, whatever else is asked for.
    pub read_only: bool,
}

/// A set or tool that does not exist. `Display` names the nearest one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} `{name}`; {next}")]
pub struct SelectError {
    kind: &'static str,
    name: String,
    next: String,
}

impl Selection {
    /// The tools of the catalogue that are offered, in its order.
    ///
    /// Fails on the first name that is not in the catalogue, so that a misspelled `--exclude-tools` does not offer what
    /// it was to hide.
    pub fn pick(&self, catalogue: Vec<Tool>) -> Result<Vec<Tool>, SelectError> {
        let mut sets = vec![ToolSet::Default];
        for name in &self.sets {
            if name.trim() == "all" {
                sets.extend(SETS.iter().map(|(_, set)| *set));
            } else {
                sets.push(set_named(name)?);
            }
        }
        let only = tools_named(&self.only, &catalogue)?;
        let without = tools_named(&self.without, &catalogue)?;
        Ok(catalogue
            .into_iter()
            .filter(|tool| if only.is_empty() { sets.contains(&tool.set) } else { only.contains(&tool.name) })
            .filter(|tool| !without.contains(&tool.name))
            .filter(|tool| tool.annotations.read_only || !self.read_only)
            .collect())
    }
}

fn set_named(name: &str) -> Result<ToolSet, SelectError> {
    let wanted = name.trim();
    SETS.iter().find(|(known, _)| *known == wanted).map(|(_, set)| *set).ok_or_else(|| {
        let known: Vec<&str> = SETS.iter().map(|(known, _)| *known).collect();
        SelectError { kind: "toolset", name: wanted.to_owned(), next: format!("there are {}, all", known.join(", ")) }
    })
}

fn tools_named(names: &[String], catalogue: &[Tool]) -> Result<Vec<&'static str>, SelectError> {
    let named = |name: &String| {
        let wanted = snake_case(name.trim());
        catalogue.iter().map(|tool| tool.name).find(|known| *known == wanted).ok_or_else(|| {
            let next = match nearest(&wanted, catalogue.iter().map(|tool| tool.name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    format!("there are {}", catalogue.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", "))
                }
            };
            SelectError { kind: "tool", name: name.trim().to_owned(), next }
        })
    };
    names.iter().map(named).collect()
}

/// How results are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Results {
    /// One text; structured content only from tools whose answer is a data structure (the guard set).
    #[default]
    Text,
    /// The text, and the same facts as `structuredContent`, with output schemas in the list.
    Structured,
}

impl FromStr for Results {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "text" => Ok(Self::Text),
            "structured" => Ok(Self::Structured),
            _ => Err("results are `text` or `structured`".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use futures::FutureExt;
    use lispwright_tools::{Annotations, Outcome};
    use serde_json::Map;

    use super::*;

    fn picked(change: impl FnOnce(&mut Selection)) -> Result<Vec<&'static str>, String> {
        let tool = |(name, set, annotations)| Tool {
            name,
            title: "",
            description: "",
            set,
            annotations,
            input_schema: Map::new(),
            output_schema: Map::new(),
            run: Arc::new(|_, _| async { Outcome::default() }.boxed()),
        };
        let catalogue = [
            ("lisp_read_file", ToolSet::Default, Annotations::READS),
            ("lisp_edit_form", ToolSet::Default, Annotations::WRITES),
            ("repl_eval", ToolSet::Default, Annotations::RUNS),
            ("fs_write_file", ToolSet::Fs, Annotations::WRITES),
            ("sexp_guard_scan", ToolSet::Guard, Annotations::READS),
        ];
        let mut selection = Selection::default();
        change(&mut selection);
        let tools = selection.pick(catalogue.map(tool).into()).map_err(|error| error.to_string())?;
        Ok(tools.iter().map(|tool| tool.name).collect())
    }

    #[test]
    fn the_default_set_is_the_default() {
        assert_eq!(picked(|_| {}).unwrap(), ["lisp_read_file", "lisp_edit_form", "repl_eval"]);
    }

    #[test]
    fn sets_are_added() {
        let guard = picked(|s| s.sets = vec!["guard".into()]).unwrap();
        assert_eq!(guard, ["lisp_read_file", "lisp_edit_form", "repl_eval", "sexp_guard_scan"]);
        assert_eq!(picked(|s| s.sets = vec!["all".into()]).unwrap().len(), 5);
    }

    #[test]
    fn tools_are_named_in_any_spelling() {
        assert_eq!(
            picked(|s| s.only = vec!["repl-eval".into(), "fs_write_file".into()]).unwrap(),
            ["repl_eval", "fs_write_file"]
        );
        assert_eq!(picked(|s| s.without = vec!["repl_eval".into()]).unwrap(), ["lisp_read_file", "lisp_edit_form"]);
    }

    #[test]
    fn read_only_wins_over_everything() {
        let read_only = picked(|s| {
            s.read_only = true;
            s.sets = vec!["all".into()];
        });
        assert_eq!(read_only.unwrap(), ["lisp_read_file", "sexp_guard_scan"]);
        let named = picked(|s| {
            s.read_only = true;
            s.only = vec!["repl_eval".into(), "lisp_read_file".into()];
        });
        assert_eq!(named.unwrap(), ["lisp_read_file"]);
    }

    #[test]
    fn what_does_not_exist_is_an_error() {
        assert_eq!(
            picked(|s| s.without = vec!["repl_evl".into()]).unwrap_err(),
            "there is no tool `repl_evl`; did you mean `repl_eval`?"
        );
        assert_eq!(
            picked(|s| s.sets = vec!["gaurd".into()]).unwrap_err(),
            "there is no toolset `gaurd`; there are default, fs, docs, guard, debug, all"
        );
    }
}
