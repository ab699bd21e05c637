//! The files of the tokens that network clients present: that of the owner's, and that of the named ones beside it.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use lispwright_project::keep_secret;
use lispwright_server::Token;

use super::kept::state_directory;

/// The bytes of a new token.
const BYTES: usize = 32;

/// The file of the token, if none is named: below the user's directory for state (XDG Base Directory Specification).
pub(crate) fn default_file() -> Result<PathBuf, String> {
    let state = state_directory().ok_or("neither XDG_STATE_HOME nor HOME names a directory: give --token-file")?;
    Ok(state.join("token"))
}

/// The file of the named tokens that count beside the token in `file`.
pub(crate) fn clients_beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".clients");
    name.into()
}

/// The token in `file`, and whether it is new.
pub(crate) fn keep(file: &Path) -> Result<(Token, bool), String> {
    let (text, new) = keep_secret(file, random).map_err(|error| format!("no token: {error}"))?;
    Ok((read(file, &text)?, new))
}

/// The token in an existing file.
pub(crate) fn known(file: &Path) -> Result<Token, String> {
    let text = lispwright_project::read_text_anywhere(file).map_err(|error| format!("no token: {error}"))?;
    read(file, &text)
}

fn read(file: &Path, text: &str) -> Result<Token, String> {
    Token::read(text).map_err(|why| format!("the token in {} cannot be used: {why}", file.display()))
}

/// A token that nobody has.
pub(crate) fn fresh() -> std::io::Result<Token> {
    random().map(Token::new)
}

/// Random hexadecimal digits.
fn random() -> std::io::Result<String> {
    let mut bytes = [0; BYTES];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
