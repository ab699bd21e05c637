//! `cargo xtask dist`: everything that a release consists of, from one description of targets ([`targets`]) and facts
//! ([`release`]), and each of it tried by installing it from its file into an empty place.
//!
//! [`compile`] makes the binary of each target, with what [`cross`] fetches for other systems than this. [`payload`] has
//! what travels with it. Each packager is a row of [`PACKAGERS`]: a file here, and a template in `packaging/` where it
//! has a language of its own. [`trial`] says what an installed program has to do. The packages stay in `target/dist`;
//! nothing of them is kept in the repository.

mod archive;
mod bench;
mod bundle;
mod compile;
mod container;
mod cross;
mod deb;
mod npm;
mod parts;
mod payload;
mod plugins;
mod recipes;
mod registry;
mod release;
mod rpm;
mod runner;
mod tar;
mod targets;
mod template;
mod trial;
mod wheel;
mod zip;

use std::fs;

use self::bench::{Bench, Seen};
use self::release::{Release, place};
use self::targets::{TARGETS, Target};
use crate::apt::Install;
use crate::step::{About, Failure, say};

/// What one package manager takes.
struct Packager {
    /// The name that `--only` takes.
    name: &'static str,
    title: &'static str,
    /// Leaves the packages in the place for them and answers with their names; none where the packager is missing.
    make: fn(&Bench) -> Result<Vec<String>, Failure>,
    /// Installs what was made, as far as this machine can.
    try_out: fn(&Bench) -> Result<Vec<Seen>, Failure>,
}

/// Every packager; those that speak of the files of others come after them.
const PACKAGERS: [Packager; 11] = [
    Packager { name: "archive", title: "Archives", make: archive::make, try_out: archive::try_out },
    Packager { name: "npm", title: "npm", make: npm::make, try_out: npm::try_out },
    Packager { name: "wheel", title: "PyPI", make: wheel::make, try_out: wheel::try_out },
    Packager { name: "deb", title: "Debian, Ubuntu", make: deb::make, try_out: deb::try_out },
    Packager { name: "rpm", title: "Fedora, openSUSE", make: rpm::make, try_out: rpm::try_out },
    Packager { name: "homebrew", title: "Homebrew", make: recipes::make_formula, try_out: recipes::try_formula },
    Packager { name: "guix", title: "Guix", make: recipes::make_guix, try_out: recipes::try_guix },
    Packager { name: "container", title: "Container", make: container::make, try_out: container::try_out },
    Packager { name: "mcpb", title: "MCP Bundle", make: bundle::make, try_out: bundle::try_out },
    Packager { name: "plugins", title: "Plugins", make: plugins::make, try_out: plugins::try_out },
    Packager { name: "registry", title: "MCP registry", make: registry::make, try_out: registry::try_out },
];

/// What is asked for.
pub(crate) struct Order<'a> {
    /// The targets; all for none.
    pub(crate) targets: Vec<&'a str>,
    /// The packagers; all for none.
    pub(crate) only: Vec<&'a str>,
    /// Whether compilers for other systems may be fetched.
    pub(crate) may_fetch: bool,
    pub(crate) install: Install,
}

/// Builds, packs and tries out.
pub(crate) fn run(order: &Order) -> Result<(), Failure> {
    let packagers = chosen(&order.only)?;
    let targets = if order.targets.is_empty() {
        TARGETS.iter().collect()
    } else {
        order.targets.iter().map(|name| Target::named(name)).collect::<Result<Vec<_>, _>>()?
    };
    // What an earlier run left is of other sources; a run for some of the packages leaves the others alone.
    if order.targets.is_empty() && order.only.is_empty() && place().exists() {
        fs::remove_dir_all(place()).about(&place())?;
    }
    fs::create_dir_all(place()).about(&place())?;
    let release = Release::read()?;
    say(format_args!("lispwright {} from commit {}", release.version, release.commit));
    let mut report = Vec::new();
    let mut binaries = Vec::new();
    for target in targets {
        say(format_args!("{} ({})", target.title, target.triple));
        match compile::compile(target, &release, order.may_fetch, order.install)? {
            Some(binary) => {
                report.push(format!("{}: {:.1} MB", target.triple, binary.bytes.len() as f64 / 1e6));
                binaries.push(binary);
            }
            None => report.push(format!("{}: left out; the installed toolchain alone cannot make it", target.triple)),
        }
    }
    if binaries.is_empty() {
        return Err(Failure::new("no target can be made with the installed toolchain; leave out --no-cross"));
    }
    say("man pages and completions");
    let bench = Bench { place: place(), release, payload: payload::Payload::make()?, binaries };
    let mut failures = 0;
    for packager in packagers {
        say(packager.title);
        let seen = (packager.make)(&bench).and_then(|_| (packager.try_out)(&bench));
        for line in seen.unwrap_or_else(|failure| {
            failures += 1;
            report.push(format!("FAILED  {}: {failure}", packager.title));
            Vec::new()
        }) {
            report.push(match line {
                Seen::Ran(what) => format!("ran     {}: {what}", packager.title),
                Seen::Made(what) => format!("made    {}: {what}", packager.title),
            });
        }
    }
    sums()?;
    say(format_args!("{} has:", place().display()));
    report.iter().for_each(|line| println!("{line}"));
    match failures {
        0 => Ok(()),
        1 => Err(Failure::new("one packager failed")),
        more => Err(Failure::new(format!("{more} packagers failed"))),
    }
}

fn chosen(names: &[&str]) -> Result<Vec<&'static Packager>, Failure> {
    if names.is_empty() {
        return Ok(PACKAGERS.iter().collect());
    }
    if let Some(unknown) = names.iter().find(|name| PACKAGERS.iter().all(|packager| packager.name != **name)) {
        let known = PACKAGERS.map(|packager| packager.name).join(", ");
        return Err(Failure::new(format!("{unknown} is no packager; these are: {known}")));
    }
    Ok(PACKAGERS.iter().filter(|packager| names.contains(&packager.name)).collect())
}

/// `SHA256SUMS` of every file that is released, as `sha256sum --check` reads it.
fn sums() -> Result<(), Failure> {
    let mut lines = Vec::new();
    for path in crate::files::below(&place())? {
        let name = path.strip_prefix(place()).expect("it lies below").to_string_lossy().into_owned();
        if name != "SHA256SUMS" && !name.starts_with("reference/") {
            lines.push(format!("{}  {name}\n", bench::hex(&bench::sha256(&fs::read(&path).about(&path)?))));
        }
    }
    lines.sort_by(|one, other| one[64..].cmp(&other[64..]));
    let path = place().join("SHA256SUMS");
    fs::write(&path, lines.concat()).about(&path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::compile::Binary;
    use super::payload::{File, Payload};
    use super::*;
    use crate::files::Scratch;

    /// Every package of every target, with a few bytes in the place of each binary.
    #[test]
    fn every_packager_makes_its_packages_from_the_templates() {
        let scratch = Scratch::new("dist-test").unwrap();
        let release = Release::read().unwrap();
        let payload = Payload {
            man: vec![File::new("man/lispwright.1", "a page")],
            completions: vec![File::new("completions/_lispwright", "a completion")],
            documents: vec![File::new("README.md", "a readme"), File::new("LICENSE-MIT", "a licence")],
        };
        let (licenses, bill) = (File::new("THIRD-PARTY-LICENSES.txt", ""), File::new("lispwright.cdx.json", "{}"));
        let binary =
            |target| Binary { target, bytes: b"a binary".to_vec(), licenses: licenses.clone(), bill: bill.clone() };
        let binaries = TARGETS.iter().map(binary).collect();
        let bench = Bench { place: scratch.path().to_owned(), release, payload, binaries };
        // What another program packs is not packed in a test.
        for packager in PACKAGERS.iter().filter(|packager| packager.name != "rpm") {
            let names = (packager.make)(&bench).unwrap();
            assert!(!names.is_empty(), "{}", packager.name);
            for name in names {
                assert!(!bench.left(&name).unwrap().is_empty(), "{name}");
            }
        }
        let mut words = bench.release.words();
        words.extend([("tree", "/tree".to_owned()), ("files", "/usr/bin/lispwright".to_owned())]);
        assert!(template::fill("rpm.spec.in", &words).unwrap().contains("%{buildroot}"));
        for (file, has) in [
            ("lispwright.rb", "on_intel do\n      url \"https://"),
            ("lispwright.scm", "aarch64-unknown-linux-musl.tar.gz"),
            ("server.json", "fileSha256"),
            ("Containerfile", &format!("lispwright_{}_${{TARGETARCH}}.deb", bench.release.version)),
        ] {
            let text = String::from_utf8(bench.left(file).unwrap()).unwrap();
            assert!(text.contains(has), "{file}: {text}");
        }
    }

    #[test]
    fn an_archive_is_the_same_bytes_each_time() {
        let files = [File::program("lispwright", "a binary"), File::new("man/lispwright.1", "a page")];
        assert_eq!(tar::packed(&files, "x/", 7).unwrap(), tar::packed(&files, "x/", 7).unwrap());
        assert_eq!(zip::packed(&files).unwrap(), zip::packed(&files).unwrap());
    }

    #[test]
    fn an_unknown_packager_or_target_is_refused_with_those_that_there_are() {
        assert!(chosen(&["npn"]).is_err_and(|failure| failure.to_string().contains("npm")));
        assert!(Target::named("x86_64-linux").is_err_and(|failure| failure.to_string().contains("linux-musl")));
        assert_eq!(chosen(&[]).unwrap().len(), PACKAGERS.len());
    }
}
