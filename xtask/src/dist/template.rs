//! Templates: texts of `packaging/` in which `{{name}}` stands for a fact of the release.

use std::fs;

use crate::step::{About, Failure};
use crate::workspace;

/// The template with every name replaced; a name that nobody knows is a failure.
pub(crate) fn fill(name: &str, words: &[(&str, String)]) -> Result<String, Failure> {
    let path = workspace().join("packaging").join(name);
    let template = fs::read_to_string(&path).about(&path)?;
    let mut filled = String::with_capacity(template.len());
    let mut rest = template.as_str();
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let (word, after) =
            after.split_once("}}").ok_or_else(|| Failure::new(format!("{}: {{{{ without }}}}", path.display())))?;
        let known = words.iter().find(|(known, _)| *known == word);
        let (_, value) =
            known.ok_or_else(|| Failure::new(format!("{}: nothing is known as {word}", path.display())))?;
        filled.push_str(value);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}
