//! Recognises our entries by the command that they run.
//!
//! An entry is still ours after the binary has moved: the program's name and the words after it count, not the
//! directory. Hook commands are lines for a shell, so their words are split and quoted as POSIX shells do.

use crate::clients::Client;

/// The name of the program, whatever its directory.
const PROGRAM: &str = "lispwright";

/// `program` is this program, here or in another directory.
pub(crate) fn is_program(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name) == PROGRAM
}

/// The entry starts our server.
pub(crate) fn is_server(command: &str, first_argument: Option<&str>) -> bool {
    is_program(command) && first_argument == Some("mcp")
}

/// The keys of a server's entry that a setup writes, or that clients write by themselves.
const KEYS: &[&str] = &[
    "alwaysAllow",
    "args",
    "autoApprove",
    "available_tools",
    "bundled",
    "cmd",
    "command",
    "default_tools_approval_mode",
    "description",
    "disabled",
    "disabledTools",
    "display_name",
    "enabled",
    "name",
    "tools",
    "trust",
    "type",
];

/// What a person has written into an entry of our server: keys of their own, arguments after `mcp`. A key counts unless its
/// value is an empty object, which clients write.
pub(crate) fn persons<'k>(
    keys: impl Iterator<Item = (&'k str, bool)>,
    arguments: impl Iterator<Item = String>,
) -> Option<String> {
    let own = keys.filter(|(key, is_empty)| !KEYS.contains(key) && !is_empty).map(|(key, _)| format!("`{key}`"));
    let more: Vec<String> = own.chain(arguments.skip_while(|word| word != "mcp").skip(1)).collect();
    (!more.is_empty()).then(|| more.join(", "))
}

/// The suffix that hides the failure of a command from the client.
const FORGIVEN: &str = " || true";

/// The words of a hook's command line, if it is our hook for `client`.
pub(crate) fn hook_words(client: &Client, command: &str) -> Option<Vec<String>> {
    ours(client, split(command.strip_suffix(FORGIVEN).unwrap_or(command))?)
}

/// The same for an entry in which program and arguments are separate.
pub(crate) fn argument_words(client: &Client, program: &str, arguments: Vec<String>) -> Option<Vec<String>> {
    ours(client, [vec![program.to_owned()], arguments].concat())
}

fn ours(client: &Client, words: Vec<String>) -> Option<Vec<String>> {
    let ours = matches!(words.as_slice(), [program, hook, name, ..]
        if is_program(program) && hook == "hook" && name == client.name);
    ours.then_some(words)
}

/// The command line of our hook for `client`, for a shell. `rest` are the words after the client's name.
pub(crate) fn hook_command(client: &Client, program: &str, rest: &[String]) -> String {
    hook_line(client, &quote(program), rest)
}

/// The same for a program that is already a word of a shell.
pub(crate) fn hook_line(client: &Client, program: &str, rest: &[String]) -> String {
    let mut command = format!("{program} hook {}", client.name);
    for word in rest {
        command.push(' ');
        command.push_str(&quote(word));
    }
    if client.hooks.fails_closed {
        command.push_str(FORGIVEN);
    }
    command
}

/// The words after the client's name, with `--stats` set to `stats` if it is given; other words are kept.
pub(crate) fn with_stats(rest: &[String], stats: Option<&str>) -> Vec<String> {
    let Some(stats) = stats else { return rest.to_vec() };
    let mut kept = Vec::new();
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        if word == "--stats" {
            words.next();
        } else if !word.starts_with("--stats=") {
            kept.push(word.clone());
        }
    }
    kept.extend(["--stats".to_owned(), stats.to_owned()]);
    kept
}

/// A word, quoted for a POSIX shell.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The words of a simple command (POSIX.1-2024, Shell Command Language, 2.2 Quoting); `None` if a quote is not closed.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        inside => word.push(inside),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '\\' => match characters.next()? {
                            escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                            other => word.extend(['\\', other]),
                        },
                        inside => word.push(inside),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(characters.next()?),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(command: &str, ours: bool) {
        assert_eq!(hook_words(Client::CLAUDE_CODE, command).is_some(), ours, "{command}");
    }

    #[test]
    fn our_commands_are_recognised() {
        check("lispwright hook claude-code", true);
        check("/opt/old/lispwright hook claude-code --stats /tmp/s", true);
        check("'/home/a b/lispwright' hook claude-code", true);
        check("\"/home/a b/lispwright\" hook claude-code", true);
        check("/home/a\\ b/lispwright  hook\tclaude-code", true);
        check("lispwright hook codex", false);
        check("lispwright check", false);
        check("my-lispwright hook claude-code", false);
        check("echo lispwright hook claude-code", false);
        check("'lispwright hook claude-code", false);
        check("", false);
    }

    #[test]
    fn statistics_are_set_once() {
        let words = |line: &str| split(line).expect("quotes are closed");
        let rest = words("--stats old --quiet --stats=older");
        assert_eq!(with_stats(&rest, Some("new")), words("--quiet --stats new"));
        assert_eq!(with_stats(&rest, None), rest);
    }

    proptest! {
        #[test]
        fn quoted_words_are_split_again(words in proptest::collection::vec("[^\0]{0,12}", 1..5)) {
            let line = words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(split(&line), Some(words));
        }
    }
}
