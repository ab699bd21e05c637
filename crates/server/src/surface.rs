//! Surfaces: the tools with the names and arguments of another server or a published protocol.
//!
//! A surface is only a table of rows. A row is a name, a description where the tool's own does not fit, the listed
//! arguments, and the form of the answer where the surface's document describes one ([`Recast`]). The alias of that name
//! ([`crate::names::ALIASES`]) gives its tool and the translation of arguments; without an alias the tool is the one of
//! that name in snake case. A row whose tool is not in the catalogue does not exist. What a surface does for all of its
//! rows is its [`Manner`].
//!
//! To add a surface: a table in a file below `surface/`, a variant of [`Surface`], its terms in `lispwright-words`, and a
//! golden file by `UPDATE_GOLDEN=1`.

mod cl_mcp;
mod evaluate_lisp;
mod guile;
mod sexp_guard;

use std::collections::HashMap;
use std::sync::Arc;

use futures::FutureExt;
use lispwright_tools::arguments::{ALIASES as SYNONYMS, prepare, snake_case};
use lispwright_tools::{Annotations, Schema, Tool, ToolSet};
use lispwright_words::{Recast, Skin};
use serde_json::{Map, Value, json};

use crate::names::{ALIASES, Alias};

/// The names that are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surface {
    /// The tools' own names.
    #[default]
    Lispwright,
    /// The names of cl-mcp.
    ClMcp,
    /// The names of a structural tool set for Guile.
    Guile,
    /// The names of cl-mcp-server, whose main tool is `evaluate-lisp`.
    EvaluateLisp,
    /// The names of the delimiter guard's protocol, `sexp.guard.pushDelimiter` and so on.
    SexpGuard,
}

impl Surface {
    /// Every surface with its name on the command line.
    pub const ALL: [(&'static str, Self); 5] = [
        ("lispwright", Self::Lispwright),
        ("cl-mcp", Self::ClMcp),
        ("guile", Self::Guile),
        ("evaluate-lisp", Self::EvaluateLisp),
        ("sexp-guard", Self::SexpGuard),
    ];

    const fn rows(self) -> &'static [SurfaceRow] {
        match self {
            Self::Lispwright => &[],
            Self::ClMcp => cl_mcp::ROWS,
            Self::Guile => guile::ROWS,
            Self::EvaluateLisp => evaluate_lisp::ROWS,
            Self::SexpGuard => sexp_guard::ROWS,
        }
    }

    /// The rows as tools, each with the name of its tool.
    pub(crate) fn tools(self, catalogue: &[Tool]) -> Vec<(Tool, &'static str)> {
        self.rows().iter().filter_map(|row| row.tool(catalogue)).collect()
    }

    /// The way in which its answers are given.
    pub(crate) fn manner(self) -> Manner {
        let skin = match self {
            Self::Lispwright | Self::SexpGuard => Skin::Client,
            Self::ClMcp => Skin::Surface(&lispwright_words::surfaces::cl_mcp::TERMS),
            Self::Guile => Skin::Surface(&lispwright_words::surfaces::guile::TERMS),
            Self::EvaluateLisp => Skin::Surface(&lispwright_words::surfaces::evaluate_lisp::TERMS),
        };
        let answers = self.rows().iter().map(|row| (row.name, RowAnswer { recast: row.recast, data: row.data }));
        Manner {
            skin,
            answers: answers.collect(),
            fields_beside: self == Self::ClMcp,
            refuses_versions: self == Self::ClMcp,
        }
    }
}

/// The way in which a surface gives its answers.
#[derive(Clone, Debug, Default)]
pub struct Manner {
    /// The names in which next calls are spoken.
    pub(crate) skin: Skin,
    /// The forms of answers, by the name of the row.
    pub(crate) answers: HashMap<&'static str, RowAnswer>,
    /// The fields of an answer stand in the result, beside its content.
    pub(crate) fields_beside: bool,
    /// An `initialize` with an unknown version is refused with the known ones.
    pub(crate) refuses_versions: bool,
}

/// The form of the answers of one row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowAnswer {
    /// What the surface's document says of it.
    pub(crate) recast: Option<Recast>,
    /// The answer is data: it is always sent as structured content.
    pub(crate) data: bool,
}

impl Manner {
    /// The form of the answers under a listed name.
    pub(crate) fn answer(&self, name: &str) -> RowAnswer {
        self.answers.get(name).copied().unwrap_or_default()
    }
}

impl std::str::FromStr for Surface {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, surface)| surface);
        found.ok_or_else(|| format!("there are {}", Self::ALL.map(|(known, _)| known).join(", ")))
    }
}

/// One name of a surface.
struct SurfaceRow {
    name: &'static str,
    /// A description, if the tool's own does not fit.
    description: Option<&'static str>,
    /// Annotations, if the row is less dangerous than its tool.
    annotations: Option<Annotations>,
    /// The listed arguments: `NAME`, `NAME*` when required, `NAME:TYPE` when it is accepted and has no effect here,
    /// `NAME+` when it is accepted and not listed: answers may name it, and the surface's document does not.
    /// `None` lists the tool's own.
    arguments: Option<&'static str>,
    /// Fields of the answer beside the tool's own, as `NAME:TYPE`; several types are separated by `|`.
    fields: &'static str,
    /// The form of the answer, if the surface's document describes it.
    recast: Option<Recast>,
    /// The answer is data, and always sent as such.
    data: bool,
}

const fn row(name: &'static str, arguments: &'static str) -> SurfaceRow {
    SurfaceRow { arguments: Some(arguments), ..same(name) }
}

const fn same(name: &'static str) -> SurfaceRow {
    SurfaceRow { name, description: None, annotations: None, arguments: None, fields: "", recast: None, data: false }
}

impl SurfaceRow {
    const fn said(self, description: &'static str) -> Self {
        Self { description: Some(description), ..self }
    }

    const fn reads(self) -> Self {
        Self { annotations: Some(Annotations::READS), ..self }
    }

    const fn answers(self, recast: Recast, fields: &'static str) -> Self {
        Self { recast: Some(recast), fields, ..self }
    }

    const fn data(self) -> Self {
        Self { data: true, ..self }
    }
}

impl SurfaceRow {
    fn tool(&self, catalogue: &[Tool]) -> Option<(Tool, &'static str)> {
        let snake = snake_case(self.name);
        let alias = ALIASES.iter().find(|alias| alias.name == self.name || alias.name == snake).copied();
        let target = alias.map_or(snake.as_str(), |alias| alias.tool);
        let target = catalogue.iter().find(|tool| tool.name == target)?.clone();
        let alias = alias.unwrap_or_default();
        let tool = Tool {
            name: self.name,
            description: self.description.unwrap_or(target.description),
            annotations: self.annotations.unwrap_or(target.annotations),
            input_schema: match self.arguments {
                Some(arguments) => {
                    let of_target = target.input_schema.clone();
                    Schema::new(move || schema(arguments, &of_target, &alias))
                }
                None => target.input_schema.clone(),
            },
            output_schema: {
                // An answer that is data has the fields of its document.
                let of_target = if self.data { Schema::new(object) } else { target.output_schema.clone() };
                let fields = self.fields;
                Schema::new(move || with_fields(&of_target, fields))
            },
            run: translated(&target, alias),
            ..target.clone()
        };
        Some((tool, target.name))
    }
}

/// The tool's `run` with arguments of the surface.
fn translated(target: &Tool, alias: Alias) -> lispwright_tools::tool::Run {
    let target = target.clone();
    Arc::new(move |given, context| {
        let given = alias.apply(given);
        let ready = match target.set {
            ToolSet::Guard => Ok(given),
            _ => prepare(target.name, &target.input_schema, given),
        };
        match ready {
            Ok(ready) => (target.run)(ready, context),
            Err(error) => async move { Err(error) }.boxed(),
        }
    })
}

/// Marks an argument that is accepted and not listed.
pub(crate) const UNLISTED: &str = "x-unlisted";

/// The schema of the listed arguments, each with the tool's description of the argument that it becomes.
fn schema(arguments: &str, target: &Map<String, Value>, alias: &Alias) -> Map<String, Value> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for word in arguments.split_whitespace() {
        let (name, ignored) = word.split_once(':').map_or((word, None), |(name, kind)| (name, Some(kind)));
        let (name, is_required) = name.strip_suffix('*').map_or((name, false), |name| (name, true));
        let (name, is_unlisted) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
        let mut property = match ignored {
            Some(kind) => json!({ "type": kind, "description": "Accepted, and without effect here" }),
            None => property(name, target, alias),
        };
        if is_unlisted {
            property[UNLISTED] = true.into();
        }
        properties.insert(name.to_owned(), property);
        if is_required {
            required.push(name);
        }
    }
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

/// The schema of an object of which nothing is known.
fn object() -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), "object".into()), ("properties".to_owned(), json!({}))])
}

/// The schema of the tool's fields and the surface's own.
fn with_fields(of_target: &Map<String, Value>, fields: &str) -> Map<String, Value> {
    let mut schema = of_target.clone();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, kinds) in fields.split_whitespace().filter_map(|field| field.split_once(':')) {
            let kinds: Vec<&str> = kinds.split('|').collect();
            let kind = if let [kind] = kinds[..] { json!(kind) } else { json!(kinds) };
            properties.insert(name.to_owned(), json!({ "type": kind }));
        }
    }
    schema
}

/// The tool's description of the argument that `name` becomes, with the surface's own values where it has any.
fn property(name: &str, target: &Map<String, Value>, alias: &Alias) -> Value {
    let becomes =
        |table: &[(&'static str, &'static str)]| table.iter().find(|(from, _)| *from == name).map(|&(_, own)| own);
    let of = |own: &str| target.get("properties").and_then(|all| all.get(own));
    let synonym = || becomes(SYNONYMS).filter(|_| of(name).is_none());
    let own = becomes(alias.rename).or_else(synonym).unwrap_or(name);
    let mut property = of(own).cloned().unwrap_or_else(|| json!({}));
    let values: Vec<&str> = alias.values.iter().filter(|(of, ..)| *of == own).map(|&(_, from, _)| from).collect();
    if !values.is_empty() {
        property["enum"] = json!(values);
    }
    property
}
