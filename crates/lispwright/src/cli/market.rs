//! `lispwright setup --plugin DIR`: the plugins for the clients that have them, in a directory from which they install.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::ExitCode;

use lispwright_project::{EditError, Error, NewText, create_anywhere, edit_anywhere, read_anywhere};
use lispwright_setup::{MarketFile, marketplace};
use lispwright_words::skill;
use serde_json::{Value, json};

use super::clients;
use super::text::{print, print_json, shown};

/// Writes what differs, and says how each client installs from there.
pub(crate) fn write(directory: &Path, as_json: bool) -> Result<ExitCode, String> {
    let directory = &std::path::absolute(directory).map_err(|error| format!("{}: {error}", shown(directory)))?;
    let pages = skill();
    let files = marketplace(&pages.iter().map(clients::page).collect::<Vec<_>>());
    refuse_another(directory, &files[0].path)?;
    let mut written = 0;
    for file in &files {
        written += usize::from(write_file(directory, file)?);
    }
    let place = shown(directory);
    if as_json {
        print_json(&json!({
            "directory": directory.display().to_string(),
            "files": files.iter().map(|file| &file.path).collect::<Vec<_>>(),
            "written": written,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    print(&format!(
        "{place}: {} files, {written} written.\n\
         Claude Code:  claude plugin marketplace add {place} && claude plugin install lispwright@lispwright\n\
         Codex:        codex plugin marketplace add {place} && codex plugin add lispwright@lispwright\n\
         Copilot CLI:  copilot plugin marketplace add {place} && copilot plugin install lispwright@lispwright\n\
         Gemini CLI:   gemini extensions install {place}/plugins/gemini\n\
         They look for lispwright on the PATH, and where package managers put it.\n",
        files.len()
    ));
    Ok(ExitCode::SUCCESS)
}

/// An error, if the directory is the marketplace of somebody else.
fn refuse_another(directory: &Path, catalogue: &str) -> Result<(), String> {
    let path = directory.join(catalogue);
    let Ok(file) = read_anywhere(&path) else { return Ok(()) };
    let name = serde_json::from_str::<Value>(&file.text).ok().and_then(|text| Some(text["name"].as_str()?.to_owned()));
    match name.as_deref() {
        Some("lispwright") => Ok(()),
        _ => Err(format!("{}: this directory is the marketplace of other plugins; name another", shown(&path))),
    }
}

/// Whether the file had to be written.
fn write_file(directory: &Path, file: &MarketFile) -> Result<bool, String> {
    let path = directory.join(&file.path);
    let failed = |error: std::io::Error| format!("{}: {error}", shown(&path));
    let changed = match read_anywhere(&path) {
        Ok(before) if before.text == file.text => false,
        Ok(_) => {
            let edited = edit_anywhere(&path, |_| Ok::<_, std::convert::Infallible>(NewText::Text(file.text.clone())));
            edited.map_err(|error| match error {
                EditError::Project(error) => error.to_string(),
                EditError::Refused(never) => match never {},
            })?;
            true
        }
        Err(Error::Missing { .. }) => {
            create_anywhere(&path, &file.text).map_err(|error| error.to_string())?;
            true
        }
        Err(error) => return Err(error.to_string()),
    };
    // A plugin has no secrets, and is copied to other people.
    let mode = if file.is_script { 0o755 } else { 0o644 };
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).map_err(failed)?;
    Ok(changed)
}
