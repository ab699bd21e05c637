//! What an installed program has to do before its package counts as working.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::client::Client;
use crate::step::{About, Failure};

const SOUND: &str = "(defun twice (x)\n  (* 2 x))\n";
const BROKEN: &str = "(defun twice (x)\n  (* 2 x)\n";

/// Asks the program for its version, has it check a sound and a broken file, and calls a tool of its server. `command`
/// begins a call of it; `says` is in its version.
pub(crate) fn run(command: impl Fn() -> Command, says: &[&str], scratch: &Path) -> Result<(), Failure> {
    let project = scratch.join("project");
    std::fs::create_dir_all(&project).about(&project)?;
    for (name, text) in [("sound.lisp", SOUND), ("broken.lisp", BROKEN)] {
        let path = project.join(name);
        std::fs::write(&path, text).about(&path)?;
    }
    let call = |arguments: &[&str], code: i32| -> Result<String, Failure> {
        let mut command = command();
        let output = command.args(arguments).current_dir(&project).output();
        let output = output.map_err(|error| Failure::new(format!("{command:?}: {error}")))?;
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        if output.status.code() == Some(code) {
            Ok(said)
        } else {
            Err(Failure::new(format!("{command:?} ended with {} instead of {code}: {said}", output.status)))
        }
    };
    let version = call(&["--version"], 0)?;
    if let Some(lacking) = says.iter().find(|word| !version.contains(**word)) {
        return Err(Failure::new(format!("the version is {version}, without {lacking}")));
    }
    call(&["check", "sound.lisp"], 0)?;
    let broken = call(&["check", "broken.lisp"], 1)?;
    if !broken.contains("broken.lisp:") {
        return Err(Failure::new(format!("of a broken file was said: {broken}")));
    }

    let mut server = command();
    server.arg("mcp").arg("--root").arg(&project).current_dir(&project);
    let mut client = Client::start(&mut server, &scratch.join("server.log"))?;
    let answer = client.call("lisp_check_parens", &json!({"path": "broken.lisp"}))?;
    if !answer.text.contains("broken.lisp:") {
        return Err(Failure::new(format!("lisp_check_parens said: {}", answer.text)));
    }
    client.hang_up()
}
