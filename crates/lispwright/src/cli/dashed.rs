//! Names of Lisp on the command line that begin with `-`, such as `-main` and `->thing`.
//!
//! An argument whose `value_parser` this is also has `allow_hyphen_values`, so that a word is taken for it which is no
//! option of the command. A word that begins with two dashes is more likely a misspelled option: it has to follow `--`.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Takes a name.
///
/// Errors: it looks like an option, and no `--` before it says that it is none.
pub(crate) fn dashed(text: &str) -> Result<String, String> {
    let is_settled = || std::env::args_os().any(|word| word == "--");
    if text.len() > 2 && text.starts_with("--") && !is_settled() {
        return Err(format!(
            "there is no such option; if it is a name, put it behind the options, after `--`: -- {text}"
        ));
    }
    Ok(text.to_owned())
}

/// The same error with the whole word that is no option: of `-main`, the parser names `-m`.
pub(crate) fn whole(mut error: Error) -> Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(begun)) = error.get(ContextKind::InvalidArg) else { return error };
    let is_meant = |word: &String| word.starts_with(begun) && !word.starts_with("--");
    if let Some(word) = std::env::args().skip(1).find(is_meant) {
        let tip = format!("to pass '{word}' as a value, use '-- {word}'");
        error.insert(ContextKind::InvalidArg, ContextValue::String(word));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_an_option_is_none_only_after_two_dashes() {
        for name in ["-main", "->thing", "-", "--", "foo--bar", ""] {
            assert_eq!(dashed(name).as_deref(), Ok(name));
        }
        let refused = dashed("--map");
        assert!(refused.is_err_and(|why| why.ends_with("after `--`: -- --map")));
    }
}
