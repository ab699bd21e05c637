//! A next call in the terms of its reader.

use lispwright_runtime::MAIN;
use lispwright_syntax::in_a_line;
use lispwright_tools::NextCall;

use crate::Skin;

/// The call in the terms of `skin`; `None` if its reader has no such call: a command's image ends with the command, so
/// a shell has no sessions to control, and `outline` shows a whole file.
#[must_use]
pub fn spoken(call: &NextCall, skin: Skin) -> Option<String> {
    match skin {
        Skin::Client => {
            let arguments: Vec<String> =
                call.arguments.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
            Some(format!("{} {{{}}}", call.tool, arguments.join(", ")))
        }
        Skin::Surface(surface) => surface.spoken(call),
        Skin::Shell => {
            let (_, command, options) = COMMANDS.iter().find(|(tool, ..)| *tool == call.tool)?;
            let mut words = format!("lispwright {command}");
            for (name, value) in &call.arguments {
                let (_, option) = options.iter().find(|(argument, _)| argument == name)?;
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                words.push_str(&format!("{option} {}", quoted(&value)));
            }
            Some(words)
        }
    }
}

/// `call` with its session, unless that is the default one.
pub(crate) fn of_session(call: NextCall, session: &str) -> NextCall {
    if session == MAIN { call } else { call.with("session", session) }
}

/// The call that does `action` to `session`, for a reader who controls sessions.
pub(crate) fn control(session: &str, action: &str, skin: Skin) -> Option<String> {
    spoken(&of_session(NextCall::to("repl_control").with("action", action), session), skin)
}

/// A call of `tool` on `session` whose `arguments` have placeholders, such as `"name": NAME`; a shell has no such call.
pub(crate) fn template(tool: &str, arguments: &str, session: &str, skin: Skin) -> Option<String> {
    let session = if session == MAIN { String::new() } else { format!(", \"session\": {session:?}") };
    match skin {
        Skin::Client => Some(format!("{tool} {{{arguments}{session}}}")),
        Skin::Surface(surface) => surface.template(tool, arguments).filter(|_| session.is_empty()),
        Skin::Shell => None,
    }
}

/// An argument of a tool and the option of the command for it, which is empty for a positional argument.
type Parameter = (&'static str, &'static str);

/// The tools, with their commands and parameters.
const COMMANDS: &[(&str, &str, &[Parameter])] = &[
    ("lisp_read_file", "outline", &[("path", "")]),
    (
        "lisp_read_form",
        "read",
        &[("path", ""), ("name", ""), ("form_type", " --type"), ("index", " --index"), ("line", " --line")],
    ),
    ("lisp_edit_form", "edit", &[("accept", " --accept")]),
    ("lisp_undo", "undo", &[("change", " --change")]),
    ("load_system", "load", &[("system", ""), ("path", "")]),
    ("lisp_check_parens", "check", &[("path", ""), ("dialect", " --dialect")]),
    (
        "lisp_search",
        "search",
        &[
            ("pattern", ""),
            ("shape", " --shape"),
            ("path", ""),
            ("in", " --in"),
            ("limit", " --limit"),
            ("offset", " --offset"),
        ],
    ),
    ("code_map", "map", &[("path", ""), ("limit", " --limit")]),
    ("code_find_references", "refs", &[("symbol", ""), ("offset", " --offset")]),
    ("code_describe", "describe", &[("symbol", "")]),
    ("docs_lookup", "docs", &[("query", ""), ("dialect", " --dialect"), ("offset", " --offset")]),
    ("code_exports", "exports", &[("module", ""), ("path", ""), ("offset", " --offset")]),
    ("run_tests", "test", &[("system", ""), ("path", "")]),
];

/// A word, quoted for a shell where necessary.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:+=@%,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if in_a_line(word) == word {
        format!("'{}'", word.replace('\'', "'\\''"))
    } else {
        format!("$'{}'", word.chars().map(escaped).collect::<String>())
    }
}

/// A character between `$'` and `'`, where shells know escapes.
fn escaped(character: char) -> String {
    let is_seen = in_a_line(character.encode_utf8(&mut [0; 4])).starts_with(character);
    match character {
        '\n' => "\\n".to_owned(),
        '\t' => "\\t".to_owned(),
        '\'' | '\\' => format!("\\{character}"),
        _ if is_seen => character.to_string(),
        '\0'..='\x7f' => format!("\\x{:02x}", u32::from(character)),
        '\u{80}'..='\u{ffff}' => format!("\\u{:04x}", u32::from(character)),
        _ => format!("\\U{:08x}", u32::from(character)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_spoken_as_its_reader_makes_it() {
        let call =
            NextCall::to("lisp_read_form").with("path", "src/a b.lisp").with("name", "(setf foo)").with("index", 2);
        let of = |skin| spoken(&call, skin).unwrap_or_default();
        assert_eq!(of(Skin::Client), r#"lisp_read_form {"path": "src/a b.lisp", "name": "(setf foo)", "index": 2}"#);
        assert_eq!(of(Skin::Shell), "lispwright read 'src/a b.lisp' '(setf foo)' --index 2");
        assert_eq!(quoted("a\n\x1b'b\u{202e}\u{e0041}\\λ"), "$'a\\n\\x1b\\'b\\u202e\\U000e0041\\\\λ'");
        assert_eq!(spoken(&NextCall::to("repl_control"), Skin::Shell), None);
        assert_eq!(spoken(&NextCall::to("lisp_read_file").with("path", "a").with("offset", 3), Skin::Shell), None);
    }
}
