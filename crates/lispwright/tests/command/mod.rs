//! Runs the binary as a user at a terminal does.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs `lispwright` with `arguments` in `directory`, `input` on its standard input, and no root from the environment.
pub(crate) fn lispwright(directory: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lispwright"))
        .args(arguments)
        .current_dir(directory)
        .env_remove("LISPWRIGHT_ROOT")
        .env_remove("MCP_PROJECT_ROOT")
        .env_remove("CLAUDE_PROJECT_DIR")
        .env(
            "XDG_STATE_HOME",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("state").join(directory.strip_prefix("/").unwrap()),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}
