//! `lispwright setup` and the report of `doctor` about it, in a home directory of their own.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use lispwright_words::{Guide, skill};
use serde_json::Value;

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lispwright"));
        command.args(arguments).current_dir(self.0.path()).env("HOME", self.0.path()).env("PATH", "/usr/bin:/bin");
        command.stdin(Stdio::null());
        for name in
            ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "COPILOT_HOME", "QWEN_HOME"]
        {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Every file below the home directory with its bytes, sorted.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut pending = vec![self.0.path().to_owned()];
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    pending.push(path);
                } else {
                    files.push((path.clone(), fs::read(path).unwrap()));
                }
            }
        }
        files.sort();
        files
    }
}

#[track_caller]
fn told(output: &Output, code: i32) -> String {
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

const CLAUDE: &str = "{\n  \"userID\": \"x\",\n  \"mcpServers\": {},\n  \"projects\": {}\n}";
const SETTINGS: &str = "{\r\n\t\"model\": \"m\"\r\n}\r\n";
const COMMENTED: &str = "{\n  // mine\n  \"model\": {} // here\n}";
const CODEX: &str = "# mine\nmodel = \"o5\"\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n";

#[test]
fn each_client_is_set_up_once_and_undone() {
    let files = [
        ("claude-code", vec![".claude.json", ".claude/settings.json"]),
        ("codex", vec![".codex/config.toml", ".codex/hooks.json"]),
        ("gemini", vec![".gemini/settings.json"]),
        ("opencode", vec![".config/opencode/opencode.json", ".config/opencode/plugins/lispwright.js"]),
        ("copilot", vec![".copilot/mcp-config.json", ".copilot/hooks/lispwright.json"]),
        ("qwen", vec![".qwen/settings.json"]),
    ];
    for existing in [true, false] {
        let home = Home::new();
        if existing {
            home.write(".claude.json", CLAUDE);
            home.write(".claude/settings.json", SETTINGS);
            home.write(".codex/config.toml", CODEX);
            home.write(".gemini/settings.json", COMMENTED);
            home.write(".qwen/settings.json", COMMENTED);
            home.write(".config/opencode/opencode.json", COMMENTED);
        }
        let before = home.files();
        for (client, paths) in &files {
            assert!(
                told(&home.run(&["setup", client]), 0).contains(&format!("Undo: lispwright setup {client} --remove"))
            );
            for path in paths {
                assert!(home.read(path).contains("lispwright"), "{path}");
            }
            let after = home.files();
            assert!(told(&home.run(&["setup", client]), 0).contains("Already configured; nothing was written."));
            assert_eq!(home.files(), after);
        }
        for (client, _) in &files {
            told(&home.run(&["setup", client, "--remove"]), 0);
        }
        assert_eq!(home.files(), before);
        assert!(told(&home.run(&["setup", "codex", "--remove"]), 0).contains("There was nothing to remove."));
    }
}

#[test]
fn every_client_that_is_found_is_set_up_when_it_is_asked_for() {
    let home = Home::new();
    let none = told(&home.run(&["setup"]), 2);
    assert!(none.contains("no coding agent is found here; name one: claude-code, "), "{none}");
    for directory in [
        ".codex",
        ".cursor",
        ".config/Code/User",
        ".qwen",
        ".codeium/windsurf",
        ".cline/data/settings",
        ".config/Claude",
    ] {
        fs::create_dir_all(home.path(directory)).unwrap();
    }
    home.write(".config/zed/settings.json", "{\n  // mine\n  \"context_servers\": {}\n}\n");
    home.write(".config/crush/crush.json", "{}\n");
    let before = home.files();
    let shown = told(&home.run(&["setup"]), 0);
    for title in ["Codex", "Qwen Code", "Cursor", "VS Code", "Zed", "Windsurf", "Crush", "Cline", "Claude Desktop"] {
        assert!(shown.contains(&format!("{title}:\n")), "{title}: {shown}");
    }
    assert!(shown.contains("All of this: lispwright setup --yes") && !shown.contains("Gemini"), "{shown}");
    assert_eq!(home.files(), before);
    let done = told(&home.run(&["setup", "--yes"]), 0);
    assert!(done.contains("/hooks") && done.contains("Next: restart them."), "{done}");
    let entry = |file: &str, key: &str| {
        let text = home.read(file).replace("// mine", "");
        serde_json::from_str::<Value>(&text).unwrap()[key]["lispwright"].clone()
    };
    for (file, key, kind) in [
        (".qwen/settings.json", "mcpServers", None),
        (".cursor/mcp.json", "mcpServers", None),
        (".config/Code/User/mcp.json", "servers", Some("stdio")),
        (".config/zed/settings.json", "context_servers", None),
        (".codeium/windsurf/mcp_config.json", "mcpServers", None),
        (".config/crush/crush.json", "mcp", Some("stdio")),
        (".cline/data/settings/cline_mcp_settings.json", "mcpServers", None),
        (".config/Claude/claude_desktop_config.json", "mcpServers", None),
    ] {
        let entry = entry(file, key);
        assert_eq!(entry["args"], serde_json::json!(["mcp"]), "{file}");
        assert_eq!(entry["type"].as_str(), kind, "{file}");
        assert!(entry["command"].as_str().unwrap().ends_with("lispwright"), "{file}");
    }
    let status = told(&home.run(&["setup", "--status"]), 0);
    let zed = format!("Zed: configured\n  {}\n", home.path(".config/zed/settings.json").display());
    assert!(status.contains(&zed), "{status}");
    assert!(told(&home.run(&["setup"]), 0).contains("Codex: already configured\n"));
    told(&home.run(&["setup", "--remove", "--yes"]), 0);
    assert_eq!(home.files(), before);
    let one: Value = serde_json::from_str(&told(&home.run(&["setup", "zed", "--status", "--json"]), 0)).unwrap();
    assert_eq!(one["clients"][0]["state"], "not configured");
    let none = told(&home.run(&["setup", "windsurf", "--scope", "project"]), 2);
    assert!(none.contains("Windsurf reads no configuration of a project"), "{none}");
}

#[test]
fn a_project_has_files_of_its_own() {
    let home = Home::new();
    for client in ["claude-code", "codex", "gemini", "opencode", "copilot", "qwen"] {
        told(&home.run(&["setup", client, "--scope", "project"]), 0);
    }
    let names: Vec<PathBuf> =
        home.files().into_iter().map(|(path, _)| path.strip_prefix(home.0.path()).unwrap().to_owned()).collect();
    let is_page = |name: &PathBuf| name.parent().is_some_and(|parent| parent.ends_with("skills/lispwright"));
    let (skills, files): (Vec<PathBuf>, Vec<PathBuf>) = names.into_iter().partition(is_page);
    let expected = [
        ".claude/settings.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".github/hooks/lispwright.json",
        ".mcp.json",
        ".opencode/plugins/lispwright.js",
        ".qwen/settings.json",
        "opencode.json",
    ];
    assert_eq!(files, expected.map(PathBuf::from));
    for directory in [".claude", ".codex", ".gemini", ".github", ".opencode", ".qwen"] {
        for page in skill() {
            let skill = PathBuf::from(format!("{directory}/skills/lispwright/{}", page.file));
            assert!(skills.contains(&skill), "{skill:?}");
        }
    }
    for client in ["claude-code", "codex", "gemini", "opencode", "copilot", "qwen"] {
        told(&home.run(&["setup", client, "--scope", "project", "--remove"]), 0);
    }
    assert_eq!(home.files(), []);
}

#[test]
fn the_skill_has_the_texts_of_the_prompts_and_a_directory_of_its_own() {
    const DIRECTORY: &str = ".claude/skills/lispwright";
    let home = Home::new();
    let path = |file: &str| format!("{DIRECTORY}/{file}");
    told(&home.run(&["setup", "claude-code", "--no-skills"]), 0);
    assert!(!home.path(".claude/skills").exists());
    told(&home.run(&["setup", "claude-code"]), 0);
    let first = home.read(&path("SKILL.md"));
    assert!(first.starts_with("---\nname: lispwright\ndescription: \"How to "), "{first}");
    assert_eq!(fs::read_dir(home.path(".claude/skills")).unwrap().count(), 1);
    for page in skill() {
        assert!(home.read(&path(&page.file)).ends_with(&page.text), "{}", page.file);
    }
    for guide in Guide::ALL.iter().filter(|guide| guide.name.starts_with("repl-")) {
        let file = guide.name.replace("repl-", "") + ".md";
        assert!(home.read(&path(&file)).ends_with(&guide.text()), "{file}");
    }
    // A page that a person has made their own, an older one, and one of theirs in the directory.
    let racket = home.read(&path("racket.md"));
    let mine = racket.lines().filter(|line| !line.starts_with("<!--")).collect::<Vec<_>>().join("\n");
    home.write(&path("racket.md"), &mine);
    let beside = home.write(&path("notes.md"), "mine");
    let scheme = home.read(&path("scheme.md"));
    home.write(&path("scheme.md"), &scheme.replace("# ", "# Once "));
    let said = told(&home.run(&["setup", "claude-code"]), 1);
    assert!(said.contains("a skill file of our name is somebody else's and was left alone"), "{said}");
    assert!(said.contains("skill file updated (it was another version)"), "{said}");
    assert_eq!(home.read(&path("racket.md")), mine);
    assert_eq!(home.read(&path("scheme.md")), scheme);
    told(&home.run(&["setup", "claude-code", "--remove"]), 1);
    let files: Vec<PathBuf> = home.files().into_iter().map(|(file, _)| file).collect();
    assert_eq!(files, [beside, home.path(&path("racket.md"))]);
}

#[test]
fn a_client_with_a_yaml_file_gets_the_server_once_it_has_made_that() {
    let home = Home::new();
    for (client, file) in [("goose", ".config/goose/config.yaml"), ("continue", ".continue/config.yaml")] {
        fs::create_dir_all(home.path(file).parent().unwrap()).unwrap();
        let said = told(&home.run(&["setup", client]), 0);
        assert!(said.contains(" yet, which it makes when you set it up: nothing is written"), "{said}");
        assert!(told(&home.run(&["setup"]), 0).contains("config.yaml yet"));
        let status = told(&home.run(&["setup", client, "--status"]), 0);
        assert!(status.contains(": not configured"), "{status}");
        let text = "# mine\nname: x\n";
        home.write(file, text);
        told(&home.run(&["setup", client]), 0);
        let status = told(&home.run(&["setup", client, "--status"]), 0);
        assert!(status.contains(": configured"), "{status}");
        told(&home.run(&["setup", client, "--remove"]), 0);
        assert_eq!(home.read(file), text);
        // Somebody's own entry is said to be left.
        let own = "extensions:\n  l:\n    cmd: lispwright\n    args: [mcp, --read-only]\n";
        let own =
            if client == "goose" { own } else { "mcpServers:\n- command: lispwright\n  args: [mcp, --read-only]\n" };
        home.write(file, own);
        let said = told(&home.run(&["setup", client, "--remove"]), 1);
        assert!(said.contains("was left: it has --read-only, which setup does not write"), "{said}");
        assert_eq!(home.read(file), own);
        home.write(file, text);
    }
}

#[test]
fn skills_of_an_earlier_version_make_room_for_the_one() {
    let home = Home::new();
    told(&home.run(&["setup", "codex"]), 0);
    let before = home.files();
    let page = home.read(".codex/skills/lispwright/racket.md");
    home.write(".codex/skills/lispwright-repl-racket/SKILL.md", &page);
    // This one is somebody's own by now.
    let own = home.write(".codex/skills/lispwright-repl-scheme/SKILL.md", "# Mine\n");
    let status = told(&home.run(&["setup", "codex", "--status"]), 0);
    assert!(status.contains("partly configured (skills of an earlier version)"), "{status}");
    told(&home.run(&["setup", "codex"]), 0);
    assert!(!home.path(".codex/skills/lispwright-repl-racket").exists());
    fs::remove_file(own).unwrap();
    assert_eq!(home.files(), before);
    home.write(".codex/skills/lispwright-repl-racket/SKILL.md", &page);
    told(&home.run(&["setup", "codex", "--remove"]), 0);
    assert_eq!(home.files(), []);
}

#[test]
fn a_plugin_is_ours_by_the_command_it_runs() {
    const PLUGIN: &str = ".config/opencode/plugins/lispwright.js";
    let home = Home::new();
    told(&home.run(&["setup", "opencode", "--stats", "counts"]), 0);
    let ours = home.read(PLUGIN);
    let command = ours.lines().find(|line| line.starts_with("const COMMAND = ")).unwrap();
    assert!(command.ends_with(&format!(r#","hook","opencode","--stats","{}"]"#, home.path("counts").display())));
    let moved = ours.replace(command, r#"const COMMAND = ["/old/lispwright","hook","opencode","--stats","/s"]"#);
    home.write(PLUGIN, &moved.replace("EDITS", "TOOLS"));
    let text = told(&home.run(&["setup", "opencode"]), 0);
    assert!(text.contains("updated (it was /old/lispwright hook opencode --stats /s)"), "{text}");
    assert_eq!(home.read(PLUGIN), ours.replace(home.path("counts").to_str().unwrap(), "/s"));
    let theirs = moved.replace("/old/lispwright", "/old/other");
    home.write(PLUGIN, &theirs);
    for arguments in [&["setup", "opencode"][..], &["setup", "opencode", "--remove"]] {
        assert!(told(&home.run(arguments), 1).contains("runs something else and was left alone"));
        assert_eq!(home.read(PLUGIN), theirs);
    }
}

#[test]
fn hooks_are_set_up_for_the_calls_that_they_understand() {
    let clients = lispwright_setup::Client::ALL.into_iter().filter(|client| client.has_hooks());
    let names: Vec<&str> = clients.map(|client| client.name).collect();
    assert_eq!(names, lispwright_hook::HookClient::ALL.map(|client| client.name));
}

#[test]
fn a_dry_run_shows_and_writes_nothing() {
    let home = Home::new();
    home.write(".claude.json", CLAUDE);
    let before = home.files();
    let text = told(&home.run(&["setup", "claude-code", "--diff"]), 0);
    assert!(text.contains("-  \"mcpServers\": {},\n+  \"mcpServers\": {\"lispwright\": "), "{text}");
    assert!(text.contains("Nothing was written"), "{text}");
    let document: Value =
        serde_json::from_str(&told(&home.run(&["setup", "claude-code", "--json", "--dry-run"]), 0)).unwrap();
    assert_eq!(document["changed"], false);
    assert_eq!(document["files"][0]["entries"][0]["done"], "added");
    assert_eq!(home.files(), before);
}

#[test]
fn parts_can_be_left_out_and_statistics_asked_for() {
    let home = Home::new();
    told(&home.run(&["setup", "gemini", "--no-hooks"]), 0);
    assert!(!home.read(".gemini/settings.json").contains("hook gemini"));
    told(&home.run(&["setup", "gemini", "--no-server", "--stats", "counts file"]), 0);
    let stats = home.path("counts file");
    let written: Value = serde_json::from_str(&home.read(".gemini/settings.json")).unwrap();
    let command = written["hooks"]["AfterTool"][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(command.ends_with(&format!(" hook gemini --stats '{}'", stats.display())), "{command}");
    told(&home.run(&["setup", "gemini", "--no-server", "--remove"]), 0);
    let written: Value = serde_json::from_str(&home.read(".gemini/settings.json")).unwrap();
    assert_eq!(written["mcpServers"]["lispwright"]["args"][0], "mcp");
    assert!(written.get("hooks").is_none());
}

#[test]
fn the_program_has_the_name_by_which_the_client_finds_it() {
    let home = Home::new();
    let binary = env!("CARGO_BIN_EXE_lispwright");
    let command = |home: &Home| {
        let written: Value = serde_json::from_str(&home.read(".gemini/settings.json")).unwrap();
        written["mcpServers"]["lispwright"]["command"].as_str().unwrap().to_owned()
    };
    let real = fs::canonicalize(binary).unwrap();
    told(&home.run(&["setup", "gemini"]), 0);
    assert_eq!(command(&home), real.to_str().unwrap());
    fs::create_dir(home.path("bin")).unwrap();
    symlink(&real, home.path("bin/lispwright")).unwrap();
    let path = format!("{}:/usr/bin", home.path("bin").display());
    let again = home.command(&["setup", "gemini"]).env("PATH", &path).output().unwrap();
    assert!(told(&again, 0).contains("MCP server updated (it was "));
    assert_eq!(command(&home), "lispwright");
    // Another program of that name is not this one.
    home.write("other/lispwright", "#!/bin/sh\n");
    fs::set_permissions(home.path("other/lispwright"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{path}", home.path("other").display());
    told(&home.command(&["setup", "gemini"]).env("PATH", path).output().unwrap(), 0);
    assert_eq!(command(&home), real.to_str().unwrap());
}

#[test]
fn directories_that_are_moved_are_found() {
    let home = Home::new();
    for (client, variable, files) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", ["moved/.claude.json", "moved/settings.json"]),
        ("codex", "CODEX_HOME", ["moved/config.toml", "moved/hooks.json"]),
        ("gemini", "GEMINI_CLI_HOME", ["moved/.gemini/settings.json"; 2]),
        ("copilot", "COPILOT_HOME", ["moved/mcp-config.json", "moved/hooks/lispwright.json"]),
        ("qwen", "QWEN_HOME", ["moved/settings.json"; 2]),
        ("opencode", "XDG_CONFIG_HOME", ["moved/opencode/opencode.json", "moved/opencode/plugins/lispwright.js"]),
    ] {
        let run = |arguments: &[&str]| {
            home.command(arguments).env_remove("HOME").env(variable, home.path("moved")).output().unwrap()
        };
        told(&run(&["setup", client]), 0);
        for file in files {
            assert!(home.path(file).is_file(), "{file}");
        }
        told(&run(&["setup", client, "--remove"]), 0);
        assert_eq!(home.files(), []);
    }
    let homeless = home.command(&["setup", "codex"]).env_remove("HOME").output().unwrap();
    assert!(told(&homeless, 2).contains("set HOME or CODEX_HOME"));
}

#[test]
fn a_broken_file_stops_all_changes() {
    let home = Home::new();
    let broken = home.write(".claude/settings.json", "{\n  \"a\": 1,\n  \"b\" 2\n}\n");
    let before = home.files();
    for arguments in [&["setup", "claude-code"][..], &["setup", "claude-code", "--remove"]] {
        let text = told(&home.run(arguments), 2);
        assert!(text.contains(&format!("{}: line 3, column 7: ", broken.display())), "{text}");
        assert!(text.contains("Nothing was changed"), "{text}");
        assert_eq!(home.files(), before);
    }
    // These clients reject such files as well.
    for (client, file, text, why) in [
        ("claude-code", ".claude/settings.json", COMMENTED, "line 2, column 3: Comments are not allowed"),
        ("gemini", ".gemini/settings.json", "\u{FEFF}{}\n", "byte order mark"),
        ("codex", ".codex/hooks.json", "\u{FEFF}{}\n", "byte order mark"),
    ] {
        home.write(file, text);
        let said = told(&home.run(&["setup", client]), 2);
        assert!(said.contains(why), "{said}");
        assert_eq!(home.read(file), text);
    }
    home.write(".codex/hooks.json", "{}");
    home.write(".codex/config.toml", "\u{FEFF}a = 1\n");
    told(&home.run(&["setup", "codex"]), 0);
    told(&home.run(&["setup", "codex", "--remove"]), 0);
    assert_eq!(home.read(".codex/config.toml"), "\u{FEFF}a = 1\n");
}

#[test]
fn links_into_a_repository_of_dotfiles_stay_links() {
    let home = Home::new();
    let target = home.write("dotfiles/gemini.json", SETTINGS);
    fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).unwrap();
    fs::create_dir(home.path(".gemini")).unwrap();
    symlink("../dotfiles/gemini.json", home.path(".gemini/settings.json")).unwrap();
    told(&home.run(&["setup", "gemini"]), 0);
    assert!(home.read("dotfiles/gemini.json").contains("lispwright"));
    assert!(fs::symlink_metadata(home.path(".gemini/settings.json")).unwrap().is_symlink());
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o644);
    told(&home.run(&["setup", "gemini", "--remove"]), 0);
    assert_eq!(home.read("dotfiles/gemini.json"), SETTINGS);
}

#[test]
fn files_that_cannot_be_written_are_named() {
    let home = Home::new();
    let path = home.write(".gemini/settings.json", "{}\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let text = told(&home.run(&["setup", "gemini"]), 2);
    assert!(text.contains(&format!("{}: cannot be written", path.display())), "{text}");
    assert_eq!(home.read(".gemini/settings.json"), "{}\n");
    fs::write(home.path("notes"), "").unwrap();
    let text = told(&home.command(&["setup", "codex"]).env("CODEX_HOME", home.path("notes")).output().unwrap(), 2);
    assert!(text.contains("notes"), "{text}");
}

#[test]
fn an_entry_with_our_name_that_is_not_ours_is_reported() {
    let home = Home::new();
    let text = "{\"mcpServers\": {\"lispwright\": {\"httpUrl\": \"http://localhost:1\"}}}\n";
    home.write(".gemini/settings.json", text);
    let said = told(&home.run(&["setup", "gemini", "--no-hooks"]), 1);
    assert!(said.contains("runs something else and was left alone"), "{said}");
    assert_eq!(home.read(".gemini/settings.json"), text);
}

#[test]
fn doctor_says_which_clients_are_set_up() {
    let home = Home::new();
    let project = home.path("project");
    fs::create_dir(&project).unwrap();
    fs::create_dir(home.path(".claude")).unwrap();
    fs::create_dir(home.path(".codex")).unwrap();
    fs::create_dir(home.path(".gemini")).unwrap();
    told(&home.run(&["setup", "claude-code"]), 0);
    told(&home.run(&["setup", "codex", "--no-hooks"]), 0);
    let output = home.command(&["doctor", "--root", project.to_str().unwrap()]).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for line in [
        "Claude Code: configured\n",
        "Codex: partly configured (no PreToolUse, no PostToolUse); run: lispwright setup codex\n",
        "Gemini CLI: not configured; run: lispwright setup gemini\n",
        "\nNext: lispwright setup codex\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert!(!Path::new(&home.path(".gemini/settings.json")).exists());
}

/// The directory that the repository is for clients that install plugins from it.
const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn the_plugins_of_the_repository_are_what_setup_writes() {
    let home = Home::new();
    told(&home.run(&["setup", "--plugin", "market"]), 0);
    let market = home.path("market");
    let path = |file: &Path| file.strip_prefix(&market).unwrap().to_owned();
    let made: Vec<(PathBuf, Vec<u8>)> = home.files().into_iter().map(|(file, text)| (path(&file), text)).collect();
    assert!(made.len() > 10);
    let repository = Path::new(REPOSITORY);
    if std::env::var_os("UPDATE").is_some() {
        let _ = fs::remove_dir_all(repository.join("plugins"));
        told(&home.run(&["setup", "--plugin", REPOSITORY]), 0);
    }
    let mut kept = Vec::new();
    let mut pending = vec![repository.join(".claude-plugin"), repository.join("plugins")];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let file = entry.unwrap().path();
            match file.is_dir() {
                true => pending.push(file),
                false => kept.push((file.strip_prefix(repository).unwrap().to_owned(), fs::read(&file).unwrap())),
            }
        }
    }
    kept.sort();
    assert!(kept == made, "the plugins differ; UPDATE=1 cargo test -p lispwright --test setup writes them");
    for script in ["plugins/lispwright/launch", "plugins/gemini/launch"] {
        assert_eq!(fs::metadata(repository.join(script)).unwrap().permissions().mode() & 0o111, 0o111, "{script}");
    }
    // A second run writes nothing, and the directory of others is left alone.
    assert!(told(&home.run(&["setup", "--plugin", "market"]), 0).contains(" 0 written"));
    home.write("others/.claude-plugin/marketplace.json", "{\"name\": \"others\"}");
    let said = told(&home.run(&["setup", "--plugin", "others"]), 2);
    assert!(said.contains("the marketplace of other plugins"), "{said}");
    assert!(!home.path("others/plugins").exists());
}

#[test]
fn a_launcher_finds_the_program_or_says_how_to_get_it() {
    let home = Home::new();
    told(&home.run(&["setup", "--plugin", "market"]), 0);
    let launch = |arguments: &[&str]| {
        let mut command = Command::new(home.path("market/plugins/lispwright/launch"));
        command.args(arguments).env_clear().env("HOME", home.0.path()).env("PATH", "/usr/bin:/bin").output().unwrap()
    };
    if Path::new("/usr/local/bin/lispwright").exists() || Path::new("/opt/homebrew/bin/lispwright").exists() {
        // It would find that one.
        assert!(launch(&["--version"]).status.success());
        return;
    }
    assert!(told(&launch(&["mcp"]), 127).contains("docs/install.md"));
    assert_eq!(told(&launch(&["hook", "codex"]), 0), "");
    fs::create_dir_all(home.path(".cargo/bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_lispwright"), home.path(".cargo/bin/lispwright")).unwrap();
    assert!(told(&launch(&["--version"]), 0).starts_with("lispwright "));
}

#[test]
fn a_client_with_the_plugin_gets_nothing_a_second_time() {
    let enabled = "{\"enabledPlugins\": {\"lispwright@lispwright\": true}}\n";
    for (client, record, text) in [
        ("claude-code", ".claude/settings.json", enabled),
        ("codex", ".codex/config.toml", "[plugins.\"lispwright@lispwright\"]\nenabled = true\n"),
        ("gemini", ".gemini/extensions/lispwright/gemini-extension.json", "{\"name\": \"lispwright\"}\n"),
        ("copilot", ".copilot/settings.json", enabled),
    ] {
        let home = Home::new();
        told(&home.run(&["setup", client]), 0);
        told(&home.run(&["setup", client, "--remove"]), 0);
        home.write(record, text);
        let before = home.files();
        let said = told(&home.run(&["setup", client, "--approve"]), 0);
        assert!(said.contains("has the plugin lispwright") && said.contains("nothing is written"), "{said}");
        told(&home.run(&["setup", "--yes"]), 0);
        assert_eq!(home.files(), before);
        let status = told(&home.run(&["setup", client, "--status"]), 0);
        assert!(status.contains(": configured (by its plugin)"), "{status}");
        // What a setup wrote before the plugin came is told, and can be taken out.
        fs::remove_file(home.path(record)).unwrap();
        told(&home.run(&["setup", client]), 0);
        let own = fs::read_to_string(home.path(record)).unwrap_or_default();
        let both = match serde_json::from_str::<Value>(&own) {
            Ok(mut own) => {
                own["enabledPlugins"] = serde_json::json!({ "lispwright@lispwright": true });
                own.to_string()
            }
            Err(_) => format!("{own}{text}"),
        };
        home.write(record, &both);
        let said = told(&home.run(&["setup", client]), 0);
        assert!(said.contains("a second time") && said.contains(&format!("setup {client} --remove")), "{said}");
        assert!(told(&home.run(&["setup", client, "--status"]), 0).contains(": configured twice"));
        told(&home.run(&["setup", client, "--remove"]), 0);
        assert!(told(&home.run(&["setup", client, "--status"]), 0).contains(": configured (by its plugin)"));
    }
}
