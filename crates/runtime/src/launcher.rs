//! The command line of a worker that is run by another command.
//!
//! Most launchers take a command as words. Some hand it to a shell: `ssh` joins its words with blanks for the shell of the
//! other machine, which would take a Lisp form apart. They get one word instead, quoted for any shell of Unix, which also
//! changes into the directory of the session where there is one of that name.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// The place in a launcher for the whole command as one word for a shell.
const PLACE: &str = "{}";

/// The launchers that hand all words after their own to a shell.
const SHELLS: [&str; 2] = ["ssh", "autossh"];

/// Runs its arguments in the directory that comes before them, if there is one.
const SCRIPT: &str = "cd \"$0\" 2>/dev/null; exec \"$@\"";

/// The words of `command` in `directory`, behind `launcher`.
pub(crate) fn behind(launcher: &[String], directory: &Path, command: Vec<OsString>) -> Vec<OsString> {
    let own = || launcher.iter().map(OsString::from);
    let hands_to_shell = launcher.first().is_some_and(|first| {
        let name = Path::new(first).file_name();
        SHELLS.iter().any(|shell| name == Some(OsStr::new(shell)))
    });
    if launcher.iter().any(|word| word == PLACE) {
        let line = line(directory, &command);
        return own().map(|word| if word == PLACE { line.clone() } else { word }).collect();
    }
    match hands_to_shell {
        true => own().chain([line(directory, &command)]).collect(),
        false => own().chain(command).collect(),
    }
}

/// A command line for a shell.
fn line(directory: &Path, command: &[OsString]) -> OsString {
    let mut line = OsString::from("exec sh -c ");
    let words = [OsStr::new(SCRIPT), directory.as_os_str()].into_iter().chain(command.iter().map(OsString::as_os_str));
    for (index, word) in words.enumerate() {
        if index > 0 {
            line.push(" ");
        }
        line.push(quoted(word));
    }
    line
}

/// A word in quotes that every shell of Unix reads as it is.
fn quoted(word: &OsStr) -> OsString {
    let mut quoted = OsString::from("'");
    for (index, part) in word.as_bytes().split(|byte| *byte == b'\'').enumerate() {
        if index > 0 {
            quoted.push(r"'\''");
        }
        quoted.push(OsStr::from_bytes(part));
    }
    quoted.push("'");
    quoted
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::process::Command;

    use super::*;

    fn words(launcher: &str, command: &[&str]) -> Vec<String> {
        let launcher: Vec<String> = launcher.split(' ').map(str::to_owned).collect();
        let command = command.iter().map(OsString::from).collect();
        let words = behind(&launcher, Path::new("/a b"), command);
        words.into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    #[test]
    fn most_launchers_take_words() {
        assert_eq!(words("docker exec -i box", &["sbcl", "(a 'b)"]), ["docker", "exec", "-i", "box", "sbcl", "(a 'b)"]);
    }

    #[test]
    fn a_shell_gets_one_word() {
        let line = r#"exec sh -c 'cd "$0" 2>/dev/null; exec "$@"' '/a b' 'sbcl' '(a '\''b)'"#;
        assert_eq!(words("/usr/bin/ssh -T host", &["sbcl", "(a 'b)"]), ["/usr/bin/ssh", "-T", "host", line]);
        assert_eq!(words("su -c {} builder", &["sbcl", "(a 'b)"]), ["su", "-c", line, "builder"]);
    }

    #[test]
    fn the_shell_reads_the_words_as_they_are() {
        let strange = ["printf", "%s|", "a b", "$HOME `x` \\ \"", "it's", "", "(f \"x\" '(1))", "\n", "!*?[a]~"];
        let all = words("sh -c {}", &strange);
        let output = Command::new(&all[0]).args(&all[1..]).output().unwrap();
        let expected: String = strange[2..].iter().map(|word| format!("{word}|")).collect();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}
