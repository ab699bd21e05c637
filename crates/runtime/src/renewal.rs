//! The state of an image beside the files of the project: which files it has loaded, which of them it has to load again
//! before code is judged, and what that has changed in it.
//!
//! An image knows what it has loaded ([`LoadedFile`]); the index knows who uses whom. Whoever asks for a load or for tests
//! joins the two into a [`Renewal`], which goes with the request. The image carries it out, and says in [`Renewed`] what
//! it did: a definition that left the files leaves the image, too.

use crate::wire::{Value, keyed};

/// A file of the project that an image has loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedFile {
    /// The file, absolute.
    pub path: String,
    /// What has become of it since.
    pub state: FileState,
    /// The files of the project that it uses, as the image knows.
    pub uses: Vec<String>,
}

/// What has become of a file since an image has loaded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    /// It has the same content.
    Same,
    /// Its content is another, or only a part of it was loaded.
    Changed,
    /// It is not there.
    Gone,
}

/// What an image has to load anew before the target of a request, and what it has to forget.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renewal {
    /// Files that have changed, and those that use them; each after those of them that it uses.
    pub stale: Vec<StaleFile>,
    /// Loaded files that are not there any more, absolute.
    pub gone: Vec<String>,
    /// For stale files, the loaded files that each uses and that do not use it: where files are loaded by themselves, these
    /// come before it, whatever the order of their loading was.
    pub uses: Vec<(String, Vec<String>)>,
    /// The target is a file whose code was not made with anything that has changed: it need not be compiled again.
    pub keeps: bool,
}

/// A file that an image has loaded and that it has to load anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleFile {
    /// The file, absolute.
    pub path: String,
    /// The target needs it: if it does not load, neither does the target.
    pub needed: bool,
    /// Variables whose definition leaves a value that they have as it is, and says another one than before: their
    /// packages or namespaces, which may be empty, and their names.
    pub variables: Vec<(String, String)>,
}

/// What a load has changed in an image besides its target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renewed {
    /// The files of the project that the target consists of or uses, absolute, as far as the image knows them.
    pub files: Vec<String>,
    /// The systems that were loaded because they contain the file that was asked for.
    pub systems: Vec<String>,
    /// The files that were loaded, absolute, in this order.
    pub loaded: Vec<String>,
    /// Definitions that no file has any more, and that the image has forgotten.
    pub removed: Vec<Removed>,
    /// Variables that have the value of their new definition: names.
    pub reset: Vec<String>,
    /// Variables that keep a value which is not that of their definition: names.
    pub kept: Vec<String>,
    /// Stale files that do not load and that the target does not need, with the reason.
    pub left: Vec<(String, String)>,
    /// The reason why only a fresh image can do what was asked for.
    pub needs_fresh: Option<String>,
    /// What failed would fail in a fresh image, too.
    pub as_fresh: bool,
    /// Settings of the image that the work has changed and that were put back, in words: `the load path`.
    pub restored: Vec<String>,
}

/// A definition that an image has forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Its kind, in a word or two of the runtime's own: `function`, `method`, `class`.
    pub kind: String,
    /// Its name, as it is written in code.
    pub name: String,
    /// The file that had it, absolute.
    pub file: Option<String>,
}

impl LoadedFile {
    /// The files in an answer: `((path state (path ...)) ...)`.
    pub(crate) fn read_all(answer: &Value) -> Vec<Self> {
        answer.get_list("FILES").iter().filter_map(Self::read).collect()
    }

    fn read(value: &Value) -> Option<Self> {
        let [path, state, uses] = value.as_list()? else { return None };
        Some(Self {
            path: path.as_text()?.to_owned(),
            state: match state.as_keyword()? {
                "SAME" => FileState::Same,
                "GONE" => FileState::Gone,
                _ => FileState::Changed,
            },
            uses: texts(uses.as_list().unwrap_or_default()),
        })
    }
}

impl Renewal {
    /// There is something to do.
    pub fn is_any(&self) -> bool {
        !self.stale.is_empty() || !self.gone.is_empty()
    }

    pub(crate) fn arguments(&self) -> Vec<Value> {
        let variable = |(space, name): &(String, String)| Value::List(vec![Value::text(space), Value::text(name)]);
        let stale = |file: &StaleFile| {
            let variables = file.variables.iter().map(variable).collect();
            Value::List(vec![Value::text(&file.path), Value::truth(file.needed), Value::List(variables)])
        };
        let uses = |(file, used): &(String, Vec<String>)| {
            Value::List(std::iter::once(file).chain(used).map(Value::text).collect())
        };
        keyed([
            ("STALE", Value::List(self.stale.iter().map(stale).collect())),
            ("GONE", Value::List(self.gone.iter().map(Value::text).collect())),
            ("USES", Value::List(self.uses.iter().map(uses).collect())),
            ("KEEPS", Value::truth(self.keeps)),
        ])
    }
}

impl Renewed {
    /// The parts of the answer to a load or to tests.
    pub(crate) fn read(answer: &Value) -> Self {
        let removed = |value: &Value| {
            let [kind, name, file] = value.as_list()? else { return None };
            let text = |value: &Value| value.as_text().map(str::to_owned);
            Some(Removed { kind: text(kind)?, name: text(name)?, file: text(file) })
        };
        Self {
            files: texts(answer.get_list("COMPRISES")),
            systems: texts(answer.get_list("SYSTEMS")),
            loaded: texts(answer.get_list("LOADED")),
            removed: answer.get_list("REMOVED").iter().filter_map(removed).collect(),
            reset: texts(answer.get_list("RESET")),
            kept: texts(answer.get_list("KEEPS")),
            left: answer.get_list("LEFT").iter().map(Value::text_pair).collect(),
            needs_fresh: answer.get_text("NEEDS-FRESH").map(str::to_owned),
            as_fresh: answer.get_truth("AS-FRESH"),
            restored: texts(answer.get_list("RESTORED")),
        }
    }
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(Value::as_text).map(str::to_owned).collect()
}
