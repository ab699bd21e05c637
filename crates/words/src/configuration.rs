//! Faults of the configuration of a project.

use lispwright_layout::Style;
use lispwright_syntax::language::DispatchShape;
use lispwright_syntax::{Dialect, in_a_line};
use lispwright_tools::languages::{BadConfiguration, ConfigFault, FILE_NAME};

/// The place of the fault and the fault, in one line.
#[must_use]
pub fn configuration(bad: &BadConfiguration) -> String {
    let dialects = || Dialect::ALL.map(Dialect::name).join(", ");
    let what = match &bad.fault {
        ConfigFault::Unreadable(error) => return in_a_line(&error.to_string()).into_owned(),
        ConfigFault::Toml { line, why } => format!(":{line}: {why}"),
        ConfigFault::Dialect(name) => format!(": [{name}] is not a dialect: use one of {}", dialects()),
        ConfigFault::Character { dialect, key } => format!(": [{dialect}.dispatch] \"{key}\" is not one character"),
        ConfigFault::Shape { dialect, key, shape } => {
            let shapes = DispatchShape::ALL.map(|(name, _)| name).join(", ");
            format!(": [{dialect}.dispatch] \"{key}\" = \"{shape}\": use one of {shapes}")
        }
        ConfigFault::Style(name) => {
            let styles = Style::ALL.map(|(name, _)| name).join(", ");
            format!(": [fmt] style = \"{name}\": use one of {styles}")
        }
        ConfigFault::Misplaced { table, key } => format!(": [{table}] cannot have {key}"),
        ConfigFault::Rule(code) => format!(": [lint] there is no rule `{code}`"),
        ConfigFault::Level { rule, level } => {
            format!(": [lint] {rule} = \"{level}\": use one of off, on, error, warning, hint")
        }
        ConfigFault::Extension { dialect, error } => format!(": [{dialect}] {error}"),
    };
    in_a_line(&format!("{}/{FILE_NAME}{what}", bad.directory.display())).into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use lispwright_tools::languages::Languages;

    use super::*;

    #[test]
    fn mistakes_are_named() {
        for (text, says) in [
            ("[lisp]\n", "/p/lispwright.toml: [lisp] is not a dialect: use one of common-lisp, scheme"),
            ("[scheme]\nbracket = []\n", "/p/lispwright.toml:2: unknown field `bracket`"),
            ("[scheme.dispatch]\nab = \"atom\"\n", "\"ab\" is not one character"),
            ("[scheme.dispatch]\n\"/\" = \"regex\"\n", "delimited, delimited-by-next, "),
            ("[fmt]\nstyle = \"pretty\"\n", "[fmt] style = \"pretty\": use one of learned, emacs, cljfmt"),
            ("[fmt]\nbrackets = [\"[]\"]\n", "[fmt] cannot have brackets"),
            ("[scheme]\nstyle = \"emacs\"\n", "[scheme] cannot have style"),
            ("[lint]\nrules = { odd-pear = \"off\" }\n", ": [lint] there is no rule `odd-pear`"),
            ("[lint]\nrules = { duplicate-definition = \"loud\" }\n", "use one of off, on, error, "),
            ("[lint]\nrule = {}\n", "/p/lispwright.toml:2: unknown field `rule`"),
            ("[scheme.definers]\nroute = \"nonsense\"\n", "`nonsense` is not a definer"),
        ] {
            let fault = Languages::parse(text).unwrap_err();
            let said = configuration(&BadConfiguration { directory: "/p".into(), fault });
            assert!(said.contains(says), "{said}");
        }
    }
}
