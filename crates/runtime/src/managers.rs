//! The package managers of systems, and how each installs a Lisp.

use crate::backends::Runtime;
use crate::environment::find_program;

/// A package manager.
struct Manager {
    /// The name that rows of runtimes have for it.
    name: &'static str,
    /// The program whose presence shows that a system uses it.
    program: &'static str,
    /// The beginning of the call that installs.
    install: &'static str,
}

/// Debian's is the one whose packages every row names.
const DEBIAN: &str = "apt";

/// The system's own come first; those that are used beside another come last.
const MANAGERS: [Manager; 8] = [
    Manager { name: DEBIAN, program: "apt-get", install: "apt-get install" },
    Manager { name: "dnf", program: "dnf", install: "dnf install" },
    Manager { name: "zypper", program: "zypper", install: "zypper install" },
    Manager { name: "pacman", program: "pacman", install: "pacman -S" },
    Manager { name: "apk", program: "apk", install: "apk add" },
    Manager { name: "brew", program: "brew", install: "brew install" },
    Manager { name: "nix", program: "nix", install: "nix profile install" },
    Manager { name: "guix", program: "guix", install: "guix install" },
];

impl Manager {
    /// The call that installs a runtime, where its package is known.
    fn call(&self, runtime: Runtime) -> Option<String> {
        let package = if self.name == DEBIAN {
            Some(runtime.package)
        } else {
            runtime.packages.iter().find(|(manager, _)| *manager == self.name).map(|(_, package)| *package)
        };
        package.map(|package| format!("{} {package}", self.install))
    }
}

/// The call that installs a runtime with the first package manager of this system that has it; with Debian's, if no
/// manager is found.
#[must_use]
pub fn install_call(runtime: Runtime) -> String {
    install_call_with(runtime, |program| find_program(program).is_some())
}

fn install_call_with(runtime: Runtime, is_there: impl Fn(&str) -> bool) -> String {
    let there = MANAGERS.iter().filter(|manager| is_there(manager.program));
    let called = there.filter_map(|manager| manager.call(runtime)).next();
    called.unwrap_or_else(|| format!("apt-get install {}", runtime.package))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_of_a_manager_that_is_known() {
        for runtime in Runtime::all() {
            for (manager, package) in runtime.packages {
                assert!(MANAGERS.iter().any(|known| known.name == *manager), "{runtime}: {manager}");
                assert!(!package.is_empty() && *manager != DEBIAN, "{runtime}: {manager}");
            }
            assert!(runtime.is_only_joined() || runtime.packages.iter().any(|(name, _)| *name == "brew"), "{runtime}");
        }
    }

    #[test]
    fn the_manager_of_the_system_is_named() {
        let call = |runtime: &str, there: &[&str]| {
            let runtime = Runtime::named(runtime).expect("it is a runtime");
            install_call_with(runtime, |program| there.contains(&program))
        };
        assert_eq!(call("sbcl", &["brew"]), "brew install sbcl");
        assert_eq!(call("guile", &["dnf", "brew"]), "dnf install guile30");
        assert_eq!(call("guile", &["apt-get", "brew"]), "apt-get install guile-3.0");
        // A manager without the package is passed over for the next.
        assert_eq!(call("chez", &["dnf", "guix"]), "guix install chez-scheme");
        assert_eq!(call("sbcl", &[]), "apt-get install sbcl");
    }
}
