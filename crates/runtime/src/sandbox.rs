//! `--sandbox`: the mechanism that confines workers, their command lines, and the guarantees that follow.
//!
//! A confined worker may read everything but what is [hidden](crate::hidden), and may write below the project's roots, in a cache directory for these roots
//! alone, and in a temporary directory that is removed with it. The saved images lie outside, so that it cannot change
//! the image that another worker starts from; so does everything else that the server runs or removes by itself. Where
//! no mechanism works no worker starts.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use lispwright_platform::{Here, Lack, System as _};

use crate::config::Config;
use crate::environment::{distrust, entrust, find_program, is_for_linker, search_path, told};
use crate::hidden::Hiding;
use crate::image::{UNUSED, hash, mark_used, unused_for};
use crate::place::{Held, around, outermost};
use crate::scratch::{self, Scratch};

/// The choice of a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxChoice {
    /// The first of bubblewrap, namespaces and Landlock that works.
    Auto,
    /// The kernel's Landlock, without namespaces.
    Landlock,
    /// Namespaces that this program makes, and Landlock as far as the kernel supports it.
    Namespaces,
    /// The program `bwrap`.
    Bubblewrap,
}

/// The configuration of the sandbox.
#[derive(Clone, Debug)]
pub struct SandboxConfig {
    /// The mechanism.
    pub choice: SandboxChoice,
    /// The program whose command `confine` calls [`become_confined`](crate::become_confined), usually this one.
    pub program: PathBuf,
    /// The directories below which workers may write: the project's roots.
    pub writable: Vec<PathBuf>,
    /// What workers do not see.
    pub hiding: Hiding,
}

impl SandboxConfig {
    /// The directories below which workers may write, without links in their names.
    fn roots(&self) -> Vec<PathBuf> {
        self.writable.iter().map(|root| root.canonicalize().unwrap_or_else(|_| root.clone())).collect()
    }

    /// Prevents programs that workers may write from being run outside of the sandbox.
    pub(crate) fn distrust_roots(&self) {
        distrust(&self.roots());
    }
}

/// The mechanism in use.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mechanism {
    Landlock,
    Namespaces,
    Bubblewrap(PathBuf),
}

/// The place of the pipes to a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pipes {
    /// Its standard input and output; it moves them by itself.
    Standard,
    /// Descriptors that its environment names.
    Moved,
}

/// A sandbox that works here.
#[derive(Debug)]
pub(crate) struct Sandbox {
    mechanism: Mechanism,
    program: PathBuf,
    /// The roots, and the cache of confined workers.
    writable: Vec<Held>,
    /// The directory for files that confined workers compile.
    cache: Option<PathBuf>,
    /// The directory for the temporary directories of its workers; removed with it.
    scratch: Scratch,
    /// What its workers do not see.
    hiding: Hiding,
    /// A launcher starts the workers, so the directories here may not exist there.
    is_launched: bool,
}

/// The sandbox of one worker. Its temporary directory is removed with it.
#[derive(Debug)]
pub(crate) struct Confined {
    /// The words in front of the worker's program.
    pub(crate) prefix: Vec<OsString>,
    /// The changes of its environment.
    pub(crate) environment: Vec<(&'static str, OsString)>,
    /// The directory for files that it compiles.
    pub(crate) cache: PathBuf,
    /// Its temporary directory.
    pub(crate) scratch: PathBuf,
    _place: Held,
    _directory: Scratch,
    _sandbox: Arc<Sandbox>,
}

impl Sandbox {
    /// The sandbox that `wanted` asks for, with temporary directories in one called `name`; or the reason why there is
    /// none.
    pub(crate) fn find(wanted: &SandboxConfig, config: &Config, name: &str) -> Result<Self, String> {
        if Here::LACKS.contains(&Lack::Sandbox) {
            return Err(
                "--sandbox: this system has nothing that keeps images in; Linux has. No worker is started without it: \
                        start the server without --sandbox."
                    .to_owned(),
            );
        }
        let roots = wanted.roots();
        let bubblewrap = || working_bubblewrap(find_program("bwrap")).map(Mechanism::Bubblewrap);
        let namespaces = || working_namespaces(&wanted.program).map(|()| Mechanism::Namespaces);
        let landlock = || working_landlock().map(|()| Mechanism::Landlock);
        let mechanism = mechanism(wanted.choice, [&bubblewrap, &namespaces, &landlock])?;
        let is_launched = !config.launcher.is_empty();
        if mechanism == Mechanism::Landlock
            && let Some((hidden, root)) = wanted.hiding.hide.iter().find_map(|path| {
                let path = path.canonicalize().ok()?;
                roots.iter().find(|root| path.starts_with(root)).map(|root| (path.clone(), root))
            })
        {
            return Err(format!(
                "--hide {}: Landlock alone cannot hide what lies in the root {}. No worker is started so: install bubblewrap, or \
                 give a root that does not hold it.",
                hidden.display(),
                root.display()
            ));
        }
        let cannot = |path: &Path, error: std::io::Error| {
            let why = format!("--sandbox: {} cannot be made: {error}", path.display());
            format!(
                "{why}. No worker is started without it: set TMPDIR and XDG_CACHE_HOME to directories that can be written."
            )
        };
        let scratch = std::env::temp_dir().join(name);
        let scratch = Scratch::new(scratch.clone()).map_err(|error| cannot(&scratch, error))?;
        let saved = config.cache_directory();
        let cache = saved.as_ref().map(|cache| cache.join("sandboxed").join(own_name(&roots)));
        // Without a usable cache its workers compile into their temporary directories.
        let cache = cache.filter(|cache| std::fs::create_dir_all(cache).is_ok());
        if let Some(cache) = cache.clone() {
            // It can take a while, and nobody waits for it.
            std::thread::spawn(move || remove_unused(&cache));
        }
        if !is_launched {
            let own = [
                ("the cache", saved.as_deref(), "set XDG_CACHE_HOME to a directory outside of it"),
                ("the directory for temporary files", Some(scratch.path()), "set TMPDIR to one outside of it"),
                ("lispwright itself", Some(wanted.program.as_path()), "install it elsewhere"),
            ];
            own.into_iter().try_for_each(|(what, path, remedy)| stays_outside(what, path, &roots, remedy))?;
        }
        let places = outermost(&roots).into_iter().chain(&cache);
        let held = |path: &PathBuf| if is_launched { Ok(Held::elsewhere(path)) } else { Held::new(path) };
        // A missing directory gives no right.
        let writable = places.filter_map(|path| held(path).ok()).collect();
        Ok(Self {
            mechanism,
            program: wanted.program.clone(),
            writable,
            cache,
            scratch,
            hiding: wanted.hiding.clone(),
            is_launched,
        })
    }

    /// The places that a worker does not see if it starts now.
    fn hidden(&self) -> Vec<PathBuf> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let mut places = if self.is_launched { Vec::new() } else { self.hiding.places(home.as_deref()) };
        if self.mechanism == Mechanism::Landlock {
            // Rights below a directory cannot be taken back further below.
            places.retain(|place| !self.writable.iter().any(|held| place.starts_with(&held.path)));
        }
        places
    }

    /// Fails when a writable place has been replaced, so that workers can no longer be confined.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.writable.iter().try_for_each(Held::check).map_err(|why| format!("--sandbox: {why}"))
    }

    /// The confinement of a new worker with `pipes`, or the reason why it cannot be confined.
    pub(crate) fn confined(self: &Arc<Self>, name: &str, pipes: Pipes) -> Result<Confined, String> {
        self.check()?;
        let directory = self.scratch.path().join(name.rsplit('-').next().unwrap_or(name));
        let cannot = |error| format!("--sandbox: no temporary directory for a worker: {error}");
        let directory = Scratch::new(directory).map_err(cannot)?;
        let scratch = Held::new(directory.path()).map_err(cannot)?;
        let path = scratch.path.clone();
        let scratch = if self.is_launched { Held::elsewhere(&path) } else { scratch };
        self.cache.iter().for_each(|cache| mark_used(cache));
        let cache = self.cache.clone().unwrap_or_else(|| path.clone());
        let mut environment: Vec<_> =
            ["TMPDIR", "TMP", "TEMP"].map(|name| (name, path.clone().into_os_string())).into();
        environment.push(("XDG_CACHE_HOME", cache.clone().into_os_string()));
        let prefix = self.prefix(pipes, &scratch);
        Ok(Confined {
            prefix,
            environment,
            cache,
            scratch: path,
            _place: scratch,
            _directory: directory,
            _sandbox: Arc::clone(self),
        })
    }

    fn prefix(&self, pipes: Pipes, scratch: &Held) -> Vec<OsString> {
        let writable = || self.writable.iter().chain([scratch]);
        let hidden = self.hidden();
        let mut words: Vec<OsString> = Vec::new();
        match &self.mechanism {
            Mechanism::Landlock => words.extend([self.program.clone().into(), "confine".into()]),
            Mechanism::Namespaces => words.extend(in_namespaces(&self.program)),
            Mechanism::Bubblewrap(program) => {
                words.push(program.into());
                words.extend(BUBBLEWRAP.map(OsString::from));
                let bound = writable().map(|place| (&place.path, false)).chain(hidden.iter().map(|path| (path, true)));
                let mut mounts: Vec<_> = bound.collect();
                // A mount covers those below it, so the outer ones are the first.
                mounts.sort();
                words.extend(mounts.iter().flat_map(|(path, hides)| mount(path, *hides)));
                // A place below a cover has to be made in it.
                let covers = hidden.iter().filter(|path| path.is_dir());
                words.extend(covers.flat_map(|path| ["--remount-ro".into(), path.into()]));
                words.extend(["--".into(), self.program.clone().into(), "confine".into(), "--in-bubblewrap".into()]);
            }
        }
        words.extend((pipes == Pipes::Moved).then(|| "--conversation".into()));
        words.extend(writable().flat_map(|place| ["--write".into(), place.word()]));
        if !matches!(self.mechanism, Mechanism::Bubblewrap(_)) {
            words.extend(hidden.into_iter().flat_map(|path| ["--hide".into(), path.into()]));
        }
        // The sandbox is set up without the linker's variables, and passes them to the program.
        let linker = told().filter(|(name, _)| is_for_linker(name));
        words.extend(linker.flat_map(|(mut word, value)| {
            word.push("=");
            word.push(value);
            ["--env".into(), word]
        }));
        words.push("--".into());
        words
    }

    /// The guarantees for the workers, in a sentence or two.
    pub(crate) fn describe(&self) -> String {
        let places = self.writable.iter().map(|place| place.path.display().to_string()).collect::<Vec<_>>().join(", ");
        let files = format!(
            "writing only below {places} and a temporary directory each; reading as usual{}",
            self.describe_hidden()
        );
        let passed_over = search_path().1.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        let passed_over = match passed_over.as_str() {
            "" => String::new(),
            paths => format!(" Programs in {paths} are not run, since images may write there."),
        };
        let apart = "a network, processes and devices of its own, with nobody else in them; no sockets that are files; no \
                     capabilities. Not restricted: reading your other files.";
        match &self.mechanism {
            Mechanism::Landlock => format!(
                "Landlock: {files}; no sockets; no signals to processes outside; no capabilities. Not restricted: modes, owners and \
                 times of your files elsewhere, seeing your other processes, reading your files and terminals. bubblewrap (apt-get \
                 install bubblewrap) and namespaces, where users may make them, restrict all of these but reading files.{passed_over}"
            ),
            Mechanism::Namespaces => format!("namespaces: {files}; {apart}{passed_over}"),
            Mechanism::Bubblewrap(_) => format!("bubblewrap: {files}; {apart}{passed_over}"),
        }
    }

    /// What workers do not see, as the end of a sentence.
    fn describe_hidden(&self) -> String {
        let hidden = self.hidden();
        let named: Vec<_> = hidden.iter().take(MOST_NAMED).map(|path| path.display().to_string()).collect();
        match hidden.len().saturating_sub(MOST_NAMED) {
            _ if hidden.is_empty() => String::new(),
            0 => format!(", but not {}", named.join(", ")),
            more => format!(", but not {} and {more} more", named.join(", ")),
        }
    }

    /// The name of the mechanism.
    pub(crate) fn name(&self) -> &'static str {
        match self.mechanism {
            Mechanism::Landlock => "landlock",
            Mechanism::Namespaces => "namespaces",
            Mechanism::Bubblewrap(_) => "bubblewrap",
        }
    }

    /// The directory of the temporary directories.
    pub(crate) fn scratch(&self) -> &Path {
        self.scratch.path()
    }
}

/// Removes the caches beside `current` that no server has used for long: their roots may be gone.
fn remove_unused(current: &Path) {
    mark_used(current);
    let Some(entries) = current.parent().and_then(|caches| std::fs::read_dir(caches).ok()) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path != current && unused_for(&path).is_some_and(|age| age > UNUSED) {
            scratch::remove(&path);
        }
    }
}

/// All files, but read-only; and devices, processes, a network and a host name of its own. The user's capabilities are
/// dropped; the rights of files remain.
const BUBBLEWRAP: [&str; 15] = [
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
];

/// How many hidden places are named.
const MOST_NAMED: usize = 4;

/// The words that make a place writable, or hide it.
fn mount(path: &Path, hides: bool) -> Vec<OsString> {
    match hides {
        true if path.is_dir() => vec!["--tmpfs".into(), path.into()],
        true => vec!["--ro-bind".into(), "/dev/null".into(), path.into()],
        false => vec!["--bind-try".into(), path.into(), path.into()],
    }
}

/// A mechanism, or the reason why it does not work here.
type Attempt<'a> = &'a dyn Fn() -> Result<Mechanism, String>;

/// The mechanism for `choice`: the first that works of the eligible ones. `attempts` are ordered from the most
/// restrictive on.
fn mechanism(choice: SandboxChoice, attempts: [Attempt; 3]) -> Result<Mechanism, String> {
    let tried = match choice {
        SandboxChoice::Auto => &attempts[..],
        SandboxChoice::Bubblewrap => &attempts[..1],
        SandboxChoice::Namespaces => &attempts[1..2],
        SandboxChoice::Landlock => &attempts[2..],
    };
    let mut whys = Vec::new();
    for attempt in tried {
        match attempt() {
            Ok(mechanism) => return Ok(mechanism),
            Err(why) => whys.push(why),
        }
    }
    Err(format!(
        "--sandbox: {}. No worker is started without it: mend that, or start the server without --sandbox.",
        whys.join(", and ")
    ))
}

/// Fails when a file that the server runs or removes by itself lies where workers may write.
fn stays_outside(what: &str, path: Option<&Path>, roots: &[PathBuf], remedy: &str) -> Result<(), String> {
    let path = path.and_then(|path| path.canonicalize().ok());
    let inside = |path: &PathBuf| roots.iter().find(|root| path.starts_with(root)).cloned();
    match path.as_ref().and_then(|path| Some((path, inside(path)?))) {
        None => Ok(()),
        Some((path, root)) => Err(format!(
            "--sandbox: {what}, {}, lies below the root {}, where images may write, and what they left there would run or be \
             removed outside of the sandbox. No worker is started so: {remedy}, or give a root that does not hold it.",
            path.display(),
            root.display()
        )),
    }
}

/// Fails when one of the roots that a user has named lies below another: images may write below the outer one, so the
/// inner one bounds nothing, and they may replace it. Among the roots that a client declares, inner ones are ignored.
pub fn refuse_nested(roots: &[PathBuf]) -> Result<(), String> {
    let roots: Vec<PathBuf> = roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
    match roots.iter().find_map(|root| Some((root, around(root, &roots)?))) {
        None => Ok(()),
        Some((inner, outer)) => Err(format!(
            "--sandbox: the root {} lies in the root {}, where images may write, and would bound nothing. Give one of the two, or \
             directories of which none lies in another.",
            inner.display(),
            outer.display()
        )),
    }
}

/// A name for the cache of these roots: compiled files of one project are not run by another.
fn own_name(roots: &[PathBuf]) -> String {
    let mut roots: Vec<&[u8]> = roots.iter().map(|root| root.as_os_str().as_encoded_bytes()).collect();
    roots.sort_unstable();
    format!("{:016x}", hash(roots.join(&0).into_iter()))
}

/// The words that run `program`, which is this program, as the first process of new namespaces.
fn in_namespaces(program: &Path) -> [OsString; 7] {
    let program = program.as_os_str();
    [
        program,
        "confine".as_ref(),
        "--apart".as_ref(),
        "--".as_ref(),
        program,
        "confine".as_ref(),
        "--in-namespaces".as_ref(),
    ]
    .map(OsStr::to_owned)
}

/// `program`, if it works here with the needed options; otherwise the reason.
fn working_bubblewrap(program: Option<PathBuf>) -> Result<PathBuf, String> {
    let program = program.ok_or("bubblewrap is not installed (apt-get install bubblewrap)")?;
    let words = BUBBLEWRAP.map(OsString::from);
    works("bubblewrap", &program, &words).map(|()| program)
}

fn working_namespaces(program: &Path) -> Result<(), String> {
    let [program, words @ ..] = in_namespaces(program);
    works("making namespaces", Path::new(&program), &words)
}

fn working_landlock() -> Result<(), String> {
    let why = "this kernel has no Landlock that restricts files and signals (Linux 6.12 or later, with landlock in its list of \
               security modules)";
    Here::landlock_works().then_some(()).ok_or_else(|| why.to_owned())
}

/// Fails when `program`, called with `words`, does not run another program.
fn works(what: &str, program: &Path, words: &[OsString]) -> Result<(), String> {
    let mut command = Command::new(program);
    entrust(&mut command);
    match command.args(words).args(["--", "true"]).stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!("{what} does not work here ({})", said.lines().next().unwrap_or("it said nothing").trim()))
        }
        Err(error) => Err(format!("{what} does not start ({error})")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_most_restrictive_mechanism_that_works_is_taken() {
        use SandboxChoice::{Auto, Bubblewrap, Landlock, Namespaces};
        let bubblewrap = || Mechanism::Bubblewrap("/usr/bin/bwrap".into());
        let all = || [bubblewrap(), Mechanism::Namespaces, Mechanism::Landlock];
        let taken = |choice, working: [bool; 3]| {
            let attempt = |index: usize| {
                move || if working[index] { Ok(all()[index].clone()) } else { Err(format!("{index} does not work")) }
            };
            mechanism(choice, [&attempt(0), &attempt(1), &attempt(2)])
        };
        assert_eq!(taken(Auto, [true; 3]), Ok(bubblewrap()));
        assert_eq!(taken(Auto, [false, true, true]), Ok(Mechanism::Namespaces));
        assert_eq!(taken(Auto, [false, false, true]), Ok(Mechanism::Landlock));
        assert!(
            taken(Auto, [false; 3]).unwrap_err().contains("0 does not work, and 1 does not work, and 2 does not work")
        );
        for (index, choice) in [Bubblewrap, Namespaces, Landlock].into_iter().enumerate() {
            let mut working = [true; 3];
            assert_eq!(taken(choice, working), Ok(all()[index].clone()));
            working[index] = false;
            let why = taken(choice, working).unwrap_err();
            assert!(why.contains("No worker is started without it"), "{why}");
        }
    }

    #[test]
    fn files_that_the_server_runs_are_below_no_root() {
        let root = tempfile::tempdir().unwrap();
        let roots = [root.path().canonicalize().unwrap()];
        let inside = root.path().join(".cache");
        std::fs::create_dir(&inside).unwrap();
        let check = |path: &Path| stays_outside("the cache", Some(path), &roots, "move it");
        assert_eq!(check(Path::new("/usr")), Ok(()));
        assert_eq!(check(Path::new("/nonexistent")), Ok(()));
        for path in [inside.as_path(), root.path()] {
            let why = check(path).unwrap_err();
            assert!(why.contains("No worker is started so: move it"), "{why}");
        }
    }

    #[test]
    fn caches_that_nobody_has_used_for_long_are_removed() {
        let caches = tempfile::tempdir().unwrap();
        let old = std::time::SystemTime::now() - UNUSED - std::time::Duration::from_secs(60);
        let [current, used, unused] = ["current", "used", "unused"].map(|name| {
            let path = caches.path().join(name);
            std::fs::create_dir_all(path.join("inside")).unwrap();
            std::fs::File::open(&path).unwrap().set_modified(old).unwrap();
            path
        });
        mark_used(&used);
        remove_unused(&current);
        assert!(current.is_dir() && used.is_dir() && !unused.exists());
        assert!(unused_for(&current).unwrap() < UNUSED);
    }

    #[test]
    fn the_cache_of_roots_does_not_depend_on_their_order() {
        let name = |roots: &[&str]| own_name(&roots.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(name(&["/a", "/b"]), name(&["/b", "/a"]));
        assert_ne!(name(&["/a", "/b"]), name(&["/a"]));
        assert_ne!(name(&["/a", "/b"]), name(&["/a/b"]));
    }

    #[test]
    fn roots_inside_each_other_are_refused_by_their_real_paths() {
        let place = tempfile::tempdir().unwrap();
        let [outer, inner, beside, link] = ["a", "a/b", "ab", "link"].map(|name| place.path().join(name));
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::create_dir(&beside).unwrap();
        std::os::unix::fs::symlink(&inner, &link).unwrap();
        for roots in [vec![outer.clone(), beside], vec![outer.clone(), outer.clone()], vec![inner.clone()]] {
            assert_eq!(refuse_nested(&roots), Ok(()));
        }
        for roots in [[outer.clone(), inner.clone()], [inner.clone(), outer.clone()], [link, outer.clone()]] {
            let why = refuse_nested(&roots).unwrap_err();
            let named = |path: &Path| path.canonicalize().unwrap().display().to_string();
            let names = format!("the root {} lies in the root {},", named(&inner), named(&outer));
            assert!(why.contains(&names) && why.contains("Give one of the two"), "{why}");
        }
    }

    #[test]
    fn a_program_that_is_no_bubblewrap_is_refused() {
        assert!(working_bubblewrap(None).unwrap_err().contains("apt-get install bubblewrap"));
        assert!(working_bubblewrap(Some("/bin/false".into())).unwrap_err().contains("does not work here"));
        assert!(working_bubblewrap(Some("/nonexistent/bwrap".into())).unwrap_err().contains("does not start"));
    }

    #[test]
    fn the_temporary_directory_of_a_worker_is_removed_with_it() {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let sandbox = |mechanism| Sandbox {
            mechanism,
            program: "/opt/lispwright".into(),
            writable: vec![Held::new(&project).unwrap()],
            cache: None,
            scratch: Scratch::new(root.path().join("scratch")).unwrap(),
            // Which secrets there are depends on the machine.
            hiding: Hiding { show: vec!["/".into()], ..Hiding::default() },
            is_launched: false,
        };
        let words = |confined: &Confined| {
            let words: Vec<String> = confined.prefix.iter().map(|word| word.to_str().unwrap().to_owned()).collect();
            words
        };
        let bubblewrapped = Arc::new(sandbox(Mechanism::Bubblewrap("/usr/bin/bwrap".into())));
        let confined = bubblewrapped.confined("1-2-3", Pipes::Moved).unwrap();
        let own = confined.scratch.to_str().unwrap().to_owned();
        let prefix = words(&confined);
        let said = |part: &[&str]| prefix.windows(part.len()).any(|words| words == part);
        assert!(said(&[
            "--bind-try",
            &own,
            &own,
            "--",
            "/opt/lispwright",
            "confine",
            "--in-bubblewrap",
            "--conversation"
        ]));
        let place = Held::new(&confined.scratch).unwrap().word().into_string().unwrap();
        assert!(said(&["--write", &place]) && prefix.last().is_some_and(|word| word == "--"));
        drop((confined, bubblewrapped));

        let sandbox = Arc::new(sandbox(Mechanism::Landlock));
        let confined = sandbox.confined("1-2-3", Pipes::Standard).unwrap();
        assert!(confined.scratch.is_dir());
        assert_eq!(words(&confined)[..3], ["/opt/lispwright", "confine", "--write"]);
        let own = confined.scratch.to_str().unwrap();
        assert!(confined.environment.contains(&("TMPDIR", own.into())));
        let scratch = confined.scratch.clone();
        std::fs::create_dir(scratch.join("inside")).unwrap();
        std::os::unix::fs::symlink("/", scratch.join("link")).unwrap();
        std::fs::create_dir_all(scratch.join("shut/in")).unwrap();
        std::fs::set_permissions(scratch.join("shut"), std::fs::Permissions::from_mode(0o000)).unwrap();
        drop(confined);
        assert!(!scratch.exists() && root.path().join("scratch").exists());
        drop(sandbox);
        assert!(!root.path().join("scratch").exists());
    }
}
