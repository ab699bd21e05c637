//! The resources of a server: the reference of its tools, the project's `lispwright.toml`, and by a template the grammar of each
//! dialect.

use lispwright_grammar::{Format, Start, grammar};
use lispwright_project::Error;
use lispwright_syntax::Dialect;
use lispwright_tools::Premises;
use lispwright_tools::languages::FILE_NAME;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

/// The reference of the tools.
const TOOLS: &str = "lispwright://tools";

/// The project's configuration.
const CONFIGURATION: &str = "lispwright://lispwright.toml";

/// The part of the address of a grammar before its dialect.
const GRAMMAR: &str = "lispwright://grammar/";

/// The notations of grammars, by the last part of an address.
const FORMATS: [(&str, Format); 2] = [("lark", Format::Lark), ("gbnf", Format::Gbnf)];

const MARKDOWN: &str = "text/markdown";
const TOML: &str = "application/toml";
const PLAIN: &str = "text/plain";

/// The `resources` of `resources/list`.
pub(crate) fn listed() -> Vec<Resource> {
    vec![
        Resource::new(TOOLS, "tools")
            .with_title("Reference of the tools")
            .with_description("Every tool of this server with its arguments.")
            .with_mime_type(MARKDOWN),
        Resource::new(CONFIGURATION, FILE_NAME)
            .with_title("The project's lispwright.toml")
            .with_description("What this project adds to its dialects: forms, brackets, dispatch characters.")
            .with_mime_type(TOML),
    ]
}

/// The `resourceTemplates` of `resources/templates/list`.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let dialects: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
    vec![
        ResourceTemplate::new(format!("{GRAMMAR}{{dialect}}/{{format}}"), "grammar")
            .with_title("Grammar for constrained decoding")
            .with_description(format!(
                "With it, a decoder writes only balanced Lisp. dialect: {}; format: lark (llguidance) or gbnf (llama.cpp).",
                dialects.join(", ")
            ))
            .with_mime_type(PLAIN),
    ]
}

/// The resource at an address, or why there is none. `reference` makes that of the tools.
pub(crate) fn read(
    uri: &str,
    reference: impl FnOnce() -> String,
    premises: &Premises,
) -> Result<ResourceContents, String> {
    let (text, kind) = match uri {
        TOOLS => (reference(), MARKDOWN),
        CONFIGURATION => (configuration(premises)?, TOML),
        _ => (grammar_at(uri)?, PLAIN),
    };
    Ok(ResourceContents::text(text, uri).with_mime_type(kind))
}

fn grammar_at(uri: &str) -> Result<String, String> {
    let unknown = || {
        let shown: String = uri.chars().take(120).collect();
        let grammars: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        format!(
            "There is no resource {shown}. There are {TOOLS}, {CONFIGURATION} and {GRAMMAR}DIALECT/FORMAT with {} and lark, gbnf.",
            grammars.join(", ")
        )
    };
    let (dialect, format) = uri.strip_prefix(GRAMMAR).and_then(|rest| rest.split_once('/')).ok_or_else(unknown)?;
    let dialect = Dialect::from_name(dialect).ok_or_else(unknown)?;
    let (_, format) = FORMATS.into_iter().find(|(name, _)| *name == format).ok_or_else(unknown)?;
    Ok(grammar(dialect, Start::File, format))
}

/// The text of the configuration at the project's root; a comment, if there is none.
fn configuration(premises: &Premises) -> Result<String, String> {
    let Some(workshop) = premises.present() else {
        return Err(
            "There is no project: the server was started without --root in a directory that cannot be one.".to_owned()
        );
    };
    match workshop.roots.read(std::path::Path::new(FILE_NAME)) {
        Ok(file) => Ok(file.text),
        Err(Error::NotFound { .. } | Error::Missing { .. }) => Ok(format!(
            "# There is no {FILE_NAME} at the root of this project. It is not needed; it would have, for example:\n\
             #\n# [common-lisp]\n# brackets = [\"[]\"]\n#\n# [common-lisp.forms]\n# defroute = \"defun\"\n# my-let = \"((name value?)*) body+\"\n"
        )),
        Err(error) => Err(error.to_string()),
    }
}
