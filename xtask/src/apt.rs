//! The packages of the distribution: programs to install when they are missing, and packages to download for their
//! files.

use std::collections::HashSet;
use std::path::Path;

use crate::step::{Failure, Step, say};

/// Whether missing programs may be installed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Install {
    Missing,
    Never,
}

/// A program or file that the commands need, with the distribution package that provides it.
#[derive(Clone, Copy)]
pub(crate) struct Need {
    pub(crate) package: &'static str,
    pub(crate) why: &'static str,
    present: Presence,
}

/// The test whether a need is met.
#[derive(Clone, Copy)]
enum Presence {
    Program(&'static str),
    Call(&'static [&'static str]),
    Path(&'static str),
}

pub(crate) const SBCL: Need = Need { package: "sbcl", why: "runs Common Lisp", present: Presence::Program("sbcl") };
pub(crate) const ALEXANDRIA: Need = Need {
    package: "cl-alexandria",
    why: "a real library to read and load",
    present: Presence::Path("/usr/share/common-lisp/source/alexandria"),
};
pub(crate) const FIVEAM: Need = Need {
    package: "cl-fiveam",
    why: "a test framework to run tests with",
    present: Presence::Path("/usr/share/common-lisp/source/fiveam"),
};
pub(crate) const RT: Need = Need {
    package: "cl-rt",
    why: "another test framework",
    present: Presence::Path("/usr/share/common-lisp/source/rt"),
};
pub(crate) const FIASCO: Need = Need {
    package: "cl-fiasco",
    why: "a third test framework",
    present: Presence::Path("/usr/share/common-lisp/source/fiasco"),
};
pub(crate) const GUILE: Need =
    Need { package: "guile-3.0", why: "reads Scheme as Guile does", present: Presence::Program("guile") };
pub(crate) const GUILE_DOC: Need = Need {
    package: "guile-3.0-doc",
    why: "a manual to look into",
    present: Presence::Path("/usr/share/info/guile-3.0"),
};
pub(crate) const CHEZ: Need =
    Need { package: "chezscheme", why: "another Scheme", present: Presence::Program("scheme") };
pub(crate) const CLOJURE: Need =
    Need { package: "clojure", why: "reads Clojure as Clojure does", present: Presence::Program("clojure") };
pub(crate) const ANALYZER: Need = Need {
    package: "libtools-analyzer-jvm-clojure",
    why: "judges Clojure as its compiler does, and counts arguments",
    present: Presence::Path("/usr/share/java/tools.analyzer.jvm.jar"),
};
pub(crate) const NREPL: Need = Need {
    package: "libnrepl-clojure",
    why: "a REPL server for Clojure",
    present: Presence::Path("/usr/share/java/nrepl.jar"),
};
pub(crate) const ECL: Need = Need { package: "ecl", why: "another Common Lisp", present: Presence::Program("ecl") };
pub(crate) const CLISP: Need =
    Need { package: "clisp", why: "a third Common Lisp", present: Presence::Program("clisp") };
pub(crate) const SWANK: Need = Need {
    package: "cl-swank",
    why: "the REPL server of many Lisp programmers",
    present: Presence::Path("/usr/share/common-lisp/source/slime/swank.asd"),
};
pub(crate) const BUBBLEWRAP: Need =
    Need { package: "bubblewrap", why: "confines images", present: Presence::Program("bwrap") };
pub(crate) const NODE: Need = Need { package: "nodejs", why: "runs ClojureScript", present: Presence::Program("node") };
pub(crate) const NPM: Need =
    Need { package: "npm", why: "fetches nbb, a Clojure on Node", present: Presence::Program("npm") };
pub(crate) const EMACS: Need =
    Need { package: "emacs-nox", why: "runs Emacs Lisp", present: Presence::Program("emacs") };
pub(crate) const RACKET: Need = Need { package: "racket", why: "runs Racket", present: Presence::Program("racket") };
pub(crate) const BUTTERCUP: Need = Need {
    package: "elpa-buttercup",
    why: "a test framework of Emacs Lisp",
    present: Presence::Call(&["sh", "-c", "ls -d /usr/share/emacs/site-lisp/elpa-src/buttercup-*"]),
};
pub(crate) const UNZIP: Need =
    Need { package: "unzip", why: "unpacks the sources inside jars", present: Presence::Program("unzip") };
pub(crate) const RIPGREP: Need =
    Need { package: "ripgrep", why: "searches text, to compare with", present: Presence::Program("rg") };
pub(crate) const PROCPS: Need = Need {
    package: "procps",
    why: "ends processes from outside, as an accident would",
    present: Presence::Program("kill"),
};
pub(crate) const PYTHON: Need = Need {
    package: "python3-venv",
    why: "runs the official MCP client library",
    present: Presence::Call(&["python3", "-c", "import venv, ensurepip"]),
};

pub(crate) const SSHD: Need = Need {
    package: "openssh-server",
    why: "carries images from another machine, which is this one",
    present: Presence::Path("/usr/sbin/sshd"),
};

pub(crate) const RUSTC_WEB: Need =
    Need { package: "rustc-web", why: "compiles for other systems", present: Presence::Path("/usr/bin/rustc") };
pub(crate) const CARGO_WEB: Need =
    Need { package: "cargo-web", why: "calls that compiler", present: Presence::Path("/usr/bin/cargo") };
pub(crate) const RUST_WEB_SRC: Need = Need {
    package: "rust-web-src",
    why: "the library of other systems, as source",
    present: Presence::Path("/usr/lib/rustlib/src/rust/library/std"),
};

impl Need {
    fn is_met(&self) -> bool {
        match self.present {
            Presence::Program(name) => on_path(name),
            Presence::Call(call) => Step::new(call[0]).args(&call[1..]).succeeds(),
            Presence::Path(path) => Path::new(path).exists(),
        }
    }
}

fn on_path(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

/// The packages of unmet needs.
pub(crate) fn missing(needs: &[Need]) -> Vec<&'static str> {
    needs.iter().filter(|need| !need.is_met()).map(|need| need.package).collect()
}

/// Makes sure that every need is met; installs packages if that is allowed.
pub(crate) fn ensure(needs: &[Need], install: Install) -> Result<(), Failure> {
    let missing: Vec<&Need> = needs.iter().filter(|need| !need.is_met()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list: String = missing.iter().map(|need| format!("\n  {:15} {}", need.package, need.why)).collect();
    let names: Vec<&str> = missing.iter().map(|need| need.package).collect();
    if install == Install::Never || !on_path("apt-get") {
        return Err(Failure::new(format!(
            "missing, and not installed for you:{list}\nOn Debian or Ubuntu: apt-get install --no-install-recommends {}",
            names.join(" ")
        )));
    }
    say(format_args!("installing with apt-get (--no-install forbids it):{list}"));
    update()?;
    as_root("apt-get").args(["install", "-y", "--no-install-recommends"]).args(&names).run()?;
    match missing.iter().find(|need| !need.is_met()) {
        None => Ok(()),
        Some(need) => Err(Failure::new(format!("{} is installed, yet what it is for is not there", need.package))),
    }
}

/// Downloads the packages, as files, into an existing directory. Nothing is installed, and no rights are needed.
/// Packages that the distribution does not have are left out; the answer names them.
pub(crate) fn download(packages: &[&str], directory: &Path, install: Install) -> Result<Vec<String>, Failure> {
    let mut available = candidates(packages);
    if available.len() < packages.len() && install == Install::Missing {
        update()?;
        available = candidates(packages);
    }
    let (found, absent): (Vec<&str>, Vec<&str>) = packages.iter().copied().partition(|name| available.contains(*name));
    if found.is_empty() {
        return Err(Failure::new("apt knows none of the packages; run `apt-get update` as root, then this again"));
    }
    let fetch = |names: &[&str]| {
        let mut step = Step::new("apt-get");
        // As root, apt would drop its rights and then complain about a directory that is not its own.
        step.args(["-qq", "-o", "APT::Sandbox::User=root", "download"]).args(names).inside(directory);
        step.run()
    };
    // An outdated package list names files that the server no longer has.
    if fetch(&found).is_err() {
        if install == Install::Missing {
            update()?;
        }
        fetch(&found)?;
    }
    Ok(absent.into_iter().map(str::to_owned).collect())
}

/// Installs those of the packages that the distribution has, if that is allowed.
pub(crate) fn install_available(packages: &[String], install: Install) -> Result<(), Failure> {
    let is_installed = |name: &&str| Path::new("/usr/share/doc").join(name).exists();
    let missing: Vec<&str> = packages.iter().map(String::as_str).filter(|name| !is_installed(name)).collect();
    if missing.is_empty() || install == Install::Never {
        return Ok(());
    }
    let available = candidates(&missing);
    let names: Vec<&str> = missing.into_iter().filter(|name| available.contains(*name)).collect();
    if names.is_empty() {
        return Ok(());
    }
    as_root("apt-get").args(["install", "-y", "-q", "--no-install-recommends"]).args(&names).run()
}

/// The packages that the distribution can provide.
fn candidates(packages: &[&str]) -> HashSet<String> {
    let mut step = Step::new("apt-cache");
    let policy = step.env("LC_ALL", "C").arg("policy").args(packages).answer().unwrap_or_default();
    let mut known = HashSet::new();
    let mut current = "";
    for line in policy.lines() {
        if let Some(candidate) = line.strip_prefix("  Candidate: ") {
            if candidate != "(none)" {
                known.insert(current.to_owned());
            }
        } else if let Some(name) = line.strip_suffix(':').filter(|name| !name.starts_with(' ')) {
            current = name;
        }
    }
    known
}

fn update() -> Result<(), Failure> {
    as_root("apt-get").args(["-q", "update"]).run()
}

/// The program with root's rights, and without questions.
fn as_root(program: &str) -> Step {
    let is_root = Step::new("id").args(["-u"]).answer().is_some_and(|id| id.trim() == "0");
    if is_root {
        let mut step = Step::new(program);
        step.env("DEBIAN_FRONTEND", "noninteractive");
        step
    } else {
        let mut step = Step::new("sudo");
        step.args(["DEBIAN_FRONTEND=noninteractive", program]);
        step
    }
}
