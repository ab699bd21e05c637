//! Selects the tools that a server offers, and their names: `--surface`, `--toolsets`, `--tools`, `--exclude-tools`,
//! `--read-only`.

use std::str::FromStr;

use lispwright_tools::arguments::{nearest, snake_case};
use lispwright_tools::tool::Schema;
use lispwright_tools::{Tool, ToolSet};
use serde_json::{Map, Value};

use crate::surface::{Manner, Surface};
use crate::withheld::{Withheld, WithheldBy};

/// The names of the sets, as written on the command line.
const SETS: &[(&str, ToolSet)] = &[
    ("default", ToolSet::Default),
    ("fs", ToolSet::Fs),
    ("docs", ToolSet::Docs),
    ("refactor", ToolSet::Refactor),
    ("debug", ToolSet::Debug),
    ("guard", ToolSet::Guard),
];

/// The selected tools. Every field narrows or widens the default set; the order of the catalogue stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSelection {
    /// The names that are listed. Every surface except lispwright's own replaces the default set.
    pub surface: Surface,
    /// Sets in addition to the default one; `all` means every set.
    pub sets: Vec<String>,
    /// When not empty: exactly these tools, of any set.
    pub only: Vec<String>,
    /// Tools to leave out.
    pub without: Vec<String>,
    /// Leave out every tool that writes files or runs code, even if it is selected otherwise.
    pub read_only: bool,
}

/// The tools of a [`ToolSelection`].
#[derive(Clone, Debug)]
pub struct Offer {
    /// The listed tools, in this order.
    pub listed: Vec<Tool>,
    /// The tools for a surface's names, which can be called by their own names.
    pub unlisted: Vec<Tool>,
    /// The tools that are not offered.
    pub withheld: Vec<Withheld>,
    /// The way in which answers are given.
    pub manner: Manner,
}

/// A set or tool that does not exist. `Display` suggests the nearest one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} `{name}`; {next}")]
pub struct SelectError {
    kind: &'static str,
    name: String,
    next: String,
}

impl ToolSelection {
    /// The tools of the catalogue that are offered, in its order.
    ///
    /// Fails on the first name that is not in the catalogue, so that a misspelled `--exclude-tools` does not offer the
    /// tool that it should hide.
    pub fn pick(&self, catalogue: Vec<Tool>) -> Result<Offer, SelectError> {
        let mut sets = Vec::new();
        for name in &self.sets {
            if name.trim() == "all" {
                sets.extend(SETS.iter().map(|(_, set)| *set));
            } else {
                sets.push(set_named(name)?);
            }
        }
        if self.surface == Surface::Lispwright {
            sets.push(ToolSet::Default);
        }
        // Each with the tool that does the work: without the tool, a row of the surface is left out.
        let mut candidates = self.surface.tools(&catalogue);
        let rows = candidates.len();
        candidates.extend(catalogue.iter().map(|tool| (tool.clone(), tool.name)));
        let only = tools_named(&self.only, &candidates)?;
        let without = tools_named(&self.without, &candidates)?;
        // A read-only row of a tool that also runs code could not be answered without that tool.
        let reads = |target: &str| {
            catalogue.iter().find(|tool| tool.name == target).is_some_and(|tool| tool.annotations.read_only)
        };
        let allowed = |(tool, target): &(Tool, &'static str)| {
            !without.contains(&tool.name)
                && !without.contains(target)
                && (!self.read_only || (tool.annotations.read_only && reads(target)))
        };
        let listed: Vec<(Tool, &'static str)> = candidates
            .iter()
            .enumerate()
            .filter(|(index, (tool, _))| match only.is_empty() {
                true => *index < rows || sets.contains(&tool.set),
                false => only.contains(&tool.name),
            })
            .map(|(_, candidate)| candidate.clone())
            .filter(allowed)
            .collect();
        let behind = |tool: &Tool| {
            listed.iter().any(|(_, target)| *target == tool.name) && listed.iter().all(|(row, _)| row.name != tool.name)
        };
        let unlisted =
            catalogue.iter().filter(|tool| behind(tool)).map(|tool| (tool.clone(), tool.name)).filter(allowed);
        let unlisted: Vec<Tool> = unlisted.map(|(tool, _)| tool).collect();
        let listed: Vec<Tool> = listed.into_iter().map(|(tool, _)| tool).collect();
        let is_offered = |tool: &Tool| listed.iter().chain(&unlisted).any(|offered| offered.name == tool.name);
        let withheld = catalogue.iter().filter(|tool| !is_offered(tool)).map(|tool| Withheld {
            why: match tool {
                tool if without.contains(&tool.name) => WithheldBy::Excluded,
                tool if self.read_only && !tool.annotations.read_only => WithheldBy::ReadOnly,
                _ if !only.is_empty() => WithheldBy::Unnamed,
                tool => self.without_set(tool.set),
            },
            tool: tool.clone(),
        });
        let withheld = withheld.collect();
        let may_run = listed.iter().chain(&unlisted).any(|tool| tool.name == LOADER);
        let narrowed = |tool: Tool| if may_run { tool } else { without_running(tool) };
        Ok(Offer {
            listed: listed.into_iter().map(narrowed).collect(),
            unlisted: unlisted.into_iter().map(narrowed).collect(),
            withheld,
            manner: self.surface.manner(),
        })
    }

    /// The tools of the catalogue that clients with read-only tokens are offered.
    pub fn pick_for_readers(&self, catalogue: Vec<Tool>) -> Result<Offer, SelectError> {
        let mut offer = Self { read_only: true, ..self.clone() }.pick(catalogue)?;
        for withheld in offer.withheld.iter_mut().filter(|one| !self.read_only && one.why == WithheldBy::ReadOnly) {
            withheld.why = WithheldBy::ReadOnlyToken;
        }
        Ok(offer)
    }

    /// A tool is left out because its set is not selected.
    fn without_set(&self, set: ToolSet) -> WithheldBy {
        let set = SETS.iter().find(|(_, known)| *known == set).map_or("all", |(name, _)| name);
        let selected = self.sets.iter().map(|name| name.trim());
        WithheldBy::Set { set, sets: selected.chain([set]).collect::<Vec<_>>().join(",") }
    }
}

/// The tool that runs code of files. Without it no other tool does so.
const LOADER: &str = "load_system";

/// Arguments of tools that write files which have their code run.
const RUNNING: &[&str] = &["verify", "load", "system", "session"];

/// A tool that writes files, without the arguments that would have code run.
fn without_running(tool: Tool) -> Tool {
    if !["lisp_edit_form", "lisp_edit_batch", "lisp_rename", "lisp_rewrite", "lisp_change_signature"]
        .contains(&tool.name)
    {
        return tool;
    }
    let whole = tool.input_schema.clone();
    let input_schema = Schema::new(move || {
        let mut schema: Map<String, Value> = (*whole).clone();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.retain(|name, _| !RUNNING.contains(&name.as_str()));
        }
        schema
    });
    Tool { input_schema, ..tool }
}

fn set_named(name: &str) -> Result<ToolSet, SelectError> {
    let wanted = name.trim();
    SETS.iter().find(|(known, _)| *known == wanted).map(|(_, set)| *set).ok_or_else(|| {
        let known: Vec<&str> = SETS.iter().map(|(known, _)| *known).collect();
        SelectError { kind: "toolset", name: wanted.to_owned(), next: format!("there are {}, all", known.join(", ")) }
    })
}

/// The candidates with these names: the one with exactly that name, otherwise the first with that name in snake case.
fn tools_named(names: &[String], candidates: &[(Tool, &'static str)]) -> Result<Vec<&'static str>, SelectError> {
    let known = || candidates.iter().map(|(tool, _)| tool.name);
    let named = |name: &String| {
        let wanted = snake_case(name.trim());
        let exact = known().find(|known| *known == name.trim());
        exact.or_else(|| known().find(|known| snake_case(known) == wanted)).ok_or_else(|| {
            let next = match nearest(&wanted, known()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
            };
            SelectError { kind: "tool", name: name.trim().to_owned(), next }
        })
    };
    names.iter().map(named).collect()
}

/// The form of results.
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
    use lispwright_tools::{Annotations, ProtocolAnswer, Schema};

    use super::*;

    fn picked(change: impl FnOnce(&mut ToolSelection)) -> Result<Vec<&'static str>, String> {
        let tool = |(name, set, annotations)| Tool {
            name,
            title: "",
            description: "",
            set,
            annotations,
            input_schema: Schema::default(),
            output_schema: Schema::default(),
            run: Arc::new(|_, _| async { Ok(ProtocolAnswer::default().into()) }.boxed()),
        };
        let catalogue = [
            ("lisp_read_file", ToolSet::Default, Annotations::READS),
            ("lisp_edit_form", ToolSet::Default, Annotations::WRITES),
            ("repl_eval", ToolSet::Default, Annotations::RUNS),
            ("docs_note", ToolSet::Docs, Annotations::WRITES),
            ("sexp_guard_scan", ToolSet::Guard, Annotations::READS),
        ];
        let mut selection = ToolSelection::default();
        change(&mut selection);
        let tools = selection.pick(catalogue.map(tool).into()).map_err(|error| error.to_string())?;
        Ok(tools.listed.iter().map(|tool| tool.name).collect())
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
            picked(|s| s.only = vec!["repl-eval".into(), "docs_note".into()]).unwrap(),
            ["repl_eval", "docs_note"]
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
            "there is no toolset `gaurd`; there are default, fs, docs, refactor, debug, guard, all"
        );
    }
}
