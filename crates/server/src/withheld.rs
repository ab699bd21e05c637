//! Tools that a server does not offer, with what would offer them.
//!
//! A model knows names from another project, from a document or from yesterday's settings. "Unknown" would send it on a
//! search for a tool that its user can have by one word in a configuration.

use std::fmt;

use lispwright_tools::Tool;

/// A tool of the catalogue that is not offered.
#[derive(Clone, Debug)]
pub struct Withheld {
    /// The tool.
    pub tool: Tool,
    /// What leaves it out.
    pub why: WithheldBy,
}

/// What leaves a tool out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WithheldBy {
    /// `--exclude-tools`.
    Excluded,
    /// `--read-only`.
    ReadOnly,
    /// The client's token, which is read-only.
    ReadOnlyToken,
    /// `--tools`, which names others.
    Unnamed,
    /// It is in a set that is not offered.
    Set {
        /// The name of the set.
        set: &'static str,
        /// The value of `--toolsets` that offers it beside what is offered.
        sets: String,
    },
}

impl fmt::Display for WithheldBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Excluded => f.write_str("this server was started with --exclude-tools, which leaves it out."),
            Self::ReadOnly => {
                f.write_str("this server was started with --read-only; the tool writes files or runs code.")
            }
            Self::ReadOnlyToken => f.write_str(
                "the token of this client is read-only, and the tool writes files or runs code. Whoever runs the server \
                 can give this client one that may: `lispwright token add NAME`, without --read-only.",
            ),
            Self::Unnamed => f.write_str("this server was started with --tools, which names others."),
            Self::Set { set, sets } => write!(
                f,
                "it is in the set `{set}`, which this server does not offer. To have it, the server is started with \
                 `--toolsets {sets}`; in the client's entry for it: \"args\": [\"mcp\", \"--toolsets\", \"{sets}\"]."
            ),
        }
    }
}
