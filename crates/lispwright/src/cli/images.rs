//! The options for live images.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use lispwright_runtime::{Config, Hiding, SandboxChoice, SandboxConfig, refuse_nested};

use super::live::keeper;

/// The options for live images.
#[derive(Debug, clap::Args)]
pub(crate) struct ImageArgs {
    /// Sessions at the same time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1000))]
    max_sessions: u16,

    /// Minutes after which an idle image is ended; 0 for never
    #[arg(long, value_name = "MINUTES", default_value_t = 720.0)]
    max_idle: f64,

    /// Megabytes of heap for each image; with all that it starts it may take a quarter and 256 MB more before it is
    /// killed
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(64..))]
    max_memory: u32,

    /// Processes of an image with all that it starts; it is killed if they are more
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(8..))]
    max_processes: u32,

    /// Let images write only below the roots and a cache, and reach no network and no other processes. Without HOW, by
    /// the best that works here: bubblewrap, namespaces or Landlock. If none works, no image starts. See
    /// docs/security.md
    #[arg(long, value_name = "HOW", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "auto")]
    sandbox: Option<How>,

    /// With --sandbox: a file or directory that images do not see, beside those of keys, passwords and browsers in your
    /// home directory (docs/security.md); repeatable
    #[arg(long, value_name = "PATH", requires = "sandbox")]
    hide: Vec<PathBuf>,

    /// With --sandbox: a place of keys, passwords or browsers that images may see; repeatable
    #[arg(long, value_name = "PATH", requires = "sandbox")]
    show: Vec<PathBuf>,

    /// Command that runs the workers and carries their standard input and output: "ssh host", "bwrap ..."
    #[arg(long, value_name = "CMD")]
    launcher: Option<String>,
}

/// The mechanism of a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum How {
    /// The one that restricts most here
    Auto,
    /// The kernel's Landlock, alone
    Landlock,
    /// Namespaces and mounts of the kernel, made without bwrap
    Namespaces,
    /// The program bwrap
    Bubblewrap,
}

impl From<How> for SandboxChoice {
    fn from(how: How) -> Self {
        match how {
            How::Auto => Self::Auto,
            How::Landlock => Self::Landlock,
            How::Namespaces => Self::Namespaces,
            How::Bubblewrap => Self::Bubblewrap,
        }
    }
}

impl ImageArgs {
    /// The change of a configuration that these options describe, or the reason why it is impossible with the named
    /// `roots`.
    pub(crate) fn change(&self, roots: &[PathBuf]) -> Result<impl FnOnce(Config) -> Config + Clone + use<>, String> {
        let idle = Duration::try_from_secs_f64(self.max_idle * 60.0)
            .map_err(|_| format!("--max-idle {}: give minutes, 0 or more", self.max_idle))?;
        let launcher = self.launcher.as_deref().map(words).transpose()?.unwrap_or_default();
        let (max_sessions, heap_megabytes, max_processes) =
            (self.max_sessions.into(), self.max_memory, self.max_processes);
        let hiding = || Hiding { hide: self.hide.clone(), show: self.show.clone() };
        let sandbox = self.sandbox.map(|how| sandbox(how, roots, hiding())).transpose()?;
        Ok(move |config| Config {
            max_sessions,
            max_idle: (!idle.is_zero()).then_some(idle),
            heap_megabytes,
            max_processes,
            keeper: keeper(),
            sandbox,
            launcher,
            ..config
        })
    }
}

/// A sandbox that this program sets up. `roots` are the named roots, which images may write.
fn sandbox(how: How, roots: &[PathBuf], hiding: Hiding) -> Result<SandboxConfig, String> {
    refuse_nested(roots)?;
    if let Some(missing) = hiding.hide.iter().find(|path| !path.exists()) {
        return Err(format!("--hide {}: there is no such file or directory", missing.display()));
    }
    let program =
        std::env::current_exe().map_err(|error| format!("--sandbox: this program cannot be found: {error}"))?;
    Ok(SandboxConfig { choice: how.into(), program, writable: Vec::new(), hiding })
}

/// The words of a command line: separated by blanks, with quotes and backslashes as in a POSIX shell, without
/// expansion.
fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        match (character, quote) {
            (end, Some(open)) if end == open => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(rest.next()),
            (other, Some(_)) => word.get_or_insert_default().push(other),
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (blank, None) if blank.is_whitespace() => words.extend(word.take()),
            (other, None) => word.get_or_insert_default().push(other),
        }
    }
    if quote.is_some() {
        return Err(format!("--launcher {line:?}: a quote is not closed"));
    }
    words.extend(word);
    if words.is_empty() { Err("--launcher: give a command".to_owned()) } else { Ok(words) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_launcher_is_split_as_a_shell_would() {
        assert_eq!(words("ssh -T host").unwrap(), ["ssh", "-T", "host"]);
        assert_eq!(words(r#"a 'b "c' "d \" e" f\ g ''"#).unwrap(), ["a", "b \"c", "d \" e", "f g", ""]);
        assert!(words("a 'b").is_err());
        assert!(words("  ").is_err());
    }
}
