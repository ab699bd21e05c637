//! Whether a client has our plugin: then it needs nothing of ours in its configuration.

use jsonc_parser::ast::Value;
use toml_edit::Document;

use crate::SERVER;
use crate::entries::{last, root};
use crate::json::Json;

/// How a client records that our plugin is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// `enabledPlugins` of a JSON file has it with the value `true`.
    Enabled,
    /// `[plugins]` of a TOML file has it with `enabled = true`.
    Table,
    /// The manifest of the plugin is there.
    Manifest,
}

/// The record says that our plugin, of whatever marketplace, is installed and not switched off. What cannot be read is no
/// such record.
pub(crate) fn tells(record: Record, text: &str, comments: bool) -> bool {
    match record {
        Record::Enabled => is_enabled(text, comments).unwrap_or(false),
        Record::Table => Document::parse(text).is_ok_and(|document| {
            let plugins = document.get("plugins").and_then(toml_edit::Item::as_table_like);
            plugins.is_some_and(|plugins| {
                plugins.iter().any(|(name, plugin)| {
                    is_ours(name) && plugin.get("enabled").and_then(toml_edit::Item::as_bool).unwrap_or(true)
                })
            })
        }),
        Record::Manifest => true,
    }
}

fn is_enabled(text: &str, comments: bool) -> Option<bool> {
    let json = Json::parse(text, comments).ok()?;
    let (_, plugins) = last(root(&json, text).ok()??, "enabledPlugins")?;
    let ours = plugins.as_object()?.properties.iter().rfind(|member| is_ours(member.name.as_str()))?;
    Some(matches!(&ours.value, Value::BooleanLit(enabled) if enabled.value))
}

/// `name@marketplace`.
fn is_ours(name: &str) -> bool {
    name.split('@').next() == Some(SERVER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_counts_unless_it_is_switched_off() {
        for (record, text, expected) in [
            (Record::Enabled, "{\"enabledPlugins\": {\"x@y\": true, \"lispwright@z\": true}}", true),
            (Record::Enabled, "{\"enabledPlugins\": {\"lispwright@z\": false, \"x@lispwright\": true}}", false),
            (Record::Enabled, "{\"enabledPlugins\": []}", false),
            (Record::Enabled, "{", false),
            (Record::Table, "[plugins.\"lispwright@lispwright\"]\nenabled = true\n", true),
            (Record::Table, "[plugins.\"lispwright@lispwright\"]\nenabled = false\n", false),
            (Record::Table, "[plugins.\"other@lispwright\"]\nenabled = true\n", false),
            (Record::Table, "plugins = 3\n", false),
            (Record::Manifest, "", true),
        ] {
            assert_eq!(tells(record, text, false), expected, "{text}");
        }
    }
}
