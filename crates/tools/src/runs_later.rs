//! Files of a project that a program outside runs, or takes names of programs from, when it comes to them.

/// Directories and files, by the ends of their paths, each with who runs what is there. A directory ends with a slash.
const PLACES: &[(&str, &str)] = &[
    (".git/hooks/", "git, at its next command"),
    (".git/config", "git, at its next command"),
    (".git/modules/", "git, at its next command"),
    (".githooks/", "git, if its configuration names the directory"),
    (".husky/", "git, at the next commit"),
    (".envrc", "direnv, when a shell enters the directory"),
    (".mcp.json", "an agent's client, when it starts"),
    (".claude/", "an agent's client, when it starts"),
    (".codex/", "an agent's client, when it starts"),
    (".gemini/", "an agent's client, when it starts"),
    (".qwen/", "an agent's client, when it starts"),
    (".cursor/", "an editor, when it opens the directory"),
    (".vscode/tasks.json", "an editor, when it opens the directory"),
    (".vscode/settings.json", "an editor, when it opens the directory"),
    (".vscode/launch.json", "an editor, when it debugs"),
    (".vscode/mcp.json", "an editor, when it opens the directory"),
    (".zed/", "an editor, when it opens the directory"),
    (".idea/", "an editor, when it opens the directory"),
    (".exrc", "an editor, when it is started in the directory"),
    (".nvim.lua", "an editor, when it is started in the directory"),
];

/// Who runs what is written to `path`, which is relative or absolute, without anybody asking for it.
pub(crate) fn runs_later(path: &str) -> Option<&'static str> {
    let path = format!("/{}", path.replace('\\', "/"));
    let is_at = |place: &str| {
        let place = format!("/{place}");
        if place.ends_with('/') { path.contains(&place) } else { path.ends_with(&place) }
    };
    PLACES.iter().find(|(place, _)| is_at(place)).map(|(_, who)| *who)
}

#[cfg(test)]
mod tests {
    use super::runs_later;

    #[test]
    fn places_are_known_by_the_end_of_the_path() {
        for path in [".git/hooks/pre-commit", "sub/.git/config", "/a/.envrc", ".claude/settings.json", "x\\.mcp.json"] {
            assert!(runs_later(path).is_some(), "{path}");
        }
        for path in ["git/config", ".git/description", "src/envrc", ".gitignore", "a.mcp.json", "docs/.claude.md"] {
            assert_eq!(runs_later(path), None, "{path}");
        }
    }
}
