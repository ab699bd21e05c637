//! Why a name is not bound.

use lispwright_tools::NextCall;
use lispwright_tools::image_text::one_line;
use lispwright_tools::unbound::Unbound;

use crate::Skin;
use crate::call::spoken;

/// A note for each name of which something can be told.
pub(crate) fn text(names: &[Unbound], skin: Skin) -> String {
    names.iter().filter_map(|name| Some(format!("[note] {}\n", line(name, skin)?))).collect()
}

fn line(unbound: &Unbound, skin: Skin) -> Option<String> {
    let name = one_line(&unbound.name, 100);
    if let Some(library) = &unbound.library {
        return Some(format!("{name}: {library} has it, which is not loaded: (require '{library})."));
    }
    let Some(path) = &unbound.path else {
        let nearest: Vec<String> = unbound.nearest.iter().map(|name| one_line(name, 60)).collect();
        return (!nearest.is_empty())
            .then(|| format!("{name}: no file of the project defines it. Nearest: {}.", nearest.join(", ")));
    };
    let line = unbound.line.map(|line| format!(":{line}")).unwrap_or_default();
    let place = format!("{}{line}", one_line(path, 200));
    let space = unbound.space.as_ref().map(|space| format!(" ({})", one_line(space, 100))).unwrap_or_default();
    Some(if unbound.is_loaded {
        format!("{name}: defined in {place}{space}, which is loaded: not imported where it is used, or used before it.")
    } else if unbound.is_to_be_imported && name.starts_with('(') {
        // A module that was asked for and not found.
        format!("{name}: {place} defines it, where a file of this name is not looked for.")
    } else if unbound.is_to_be_imported {
        format!("{name}: defined in {place}{space}, which is not imported where it is used.")
    } else {
        let call = NextCall::to("load_system");
        let call = match &unbound.system {
            Some(system) => call.with("system", system.as_str()),
            None => call.with("path", path.as_str()),
        };
        let load = spoken(&call, skin).map_or_else(|| ".".to_owned(), |call| format!(": {call}"));
        format!("{name}: defined in {place}{space}, not loaded here{load}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_definition_is_told_and_whether_it_is_loaded() {
        let unbound = |path: Option<&str>, is_loaded, nearest: &[&str]| Unbound {
            name: "helper".into(),
            path: path.map(str::to_owned),
            line: path.map(|_| 41),
            space: path.map(|_| "shop.util".into()),
            system: None,
            is_loaded,
            is_to_be_imported: false,
            library: None,
            nearest: nearest.iter().map(|name| (*name).to_owned()).collect(),
        };
        for (name, expected) in [
            (
                unbound(Some("a.el"), false, &[]),
                "[note] helper: defined in a.el:41 (shop.util), not loaded here: load_system {\"path\": \"a.el\"}\n",
            ),
            (
                Unbound { system: Some("shop".into()), ..unbound(Some("a.lisp"), false, &[]) },
                "[note] helper: defined in a.lisp:41 (shop.util), not loaded here: load_system {\"system\": \"shop\"}\n",
            ),
            (
                Unbound { name: "cl-loop".into(), library: Some("cl-lib".into()), ..unbound(None, false, &[]) },
                "[note] cl-loop: cl-lib has it, which is not loaded: (require 'cl-lib).\n",
            ),
            (
                unbound(Some("a.el"), true, &[]),
                "[note] helper: defined in a.el:41 (shop.util), which is loaded: not imported where it is used, or used \
                 before it.\n",
            ),
            (
                Unbound { is_to_be_imported: true, ..unbound(Some("a.scm"), false, &[]) },
                "[note] helper: defined in a.scm:41 (shop.util), which is not imported where it is used.\n",
            ),
            (
                Unbound { name: "(shop util)".into(), is_to_be_imported: true, ..unbound(Some("a.scm"), false, &[]) },
                "[note] (shop util): a.scm:41 defines it, where a file of this name is not looked for.\n",
            ),
            (unbound(None, false, &["help"]), "[note] helper: no file of the project defines it. Nearest: help.\n"),
            (unbound(None, false, &[]), ""),
        ] {
            assert_eq!(text(&[name], Skin::Client), expected);
        }
    }
}
