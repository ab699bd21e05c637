//! Recipes for package managers that fetch the archives of a release: Homebrew and Guix.

use std::fmt::Write as _;

use super::bench::{Bench, Seen};
use super::targets::{System, Target};
use super::{archive, template};
use crate::step::{Failure, Step};

/// The archive of a target, where it is downloaded from, and its sum.
type Archive = (&'static Target, String, Vec<u8>);

/// The archives that were made.
fn archives(bench: &Bench) -> Result<Vec<Archive>, Failure> {
    bench
        .binaries
        .iter()
        .map(|binary| {
            let name = archive::name(&bench.release.version, binary.target.triple);
            Ok((binary.target, bench.release.address(&name), super::bench::sha256(&bench.left(&name)?)))
        })
        .collect()
}

/// `lispwright.rb`, for a tap.
pub(crate) fn make_formula(bench: &Bench) -> Result<Vec<String>, Failure> {
    let archives = archives(bench)?;
    let mut systems = String::new();
    for (system, block) in [(System::Mac, "on_macos"), (System::Linux, "on_linux")] {
        let there: Vec<_> = archives.iter().filter(|(target, ..)| target.system == system).collect();
        if there.is_empty() {
            continue;
        }
        let _ = writeln!(systems, "  {block} do");
        for (target, address, sum) in there {
            let cpu = if target.machine == "aarch64" { "on_arm" } else { "on_intel" };
            let sum = super::bench::hex(sum);
            let _ = write!(systems, "    {cpu} do\n      url \"{address}\"\n      sha256 \"{sum}\"\n    end\n");
        }
        systems.push_str("  end\n\n");
    }
    let mut words = bench.release.words();
    words.push(("systems", systems.trim_end().to_owned() + "\n"));
    bench.leave("lispwright.rb", template::fill("formula.rb.in", &words)?.as_bytes())?;
    Ok(vec!["lispwright.rb".into()])
}

/// Has Ruby read the formula, if it is there.
pub(crate) fn try_formula(bench: &Bench) -> Result<Vec<Seen>, Failure> {
    let formula = bench.place.join("lispwright.rb");
    if !Step::new("ruby").arg("--version").succeeds() {
        return Ok(vec![Seen::Made("neither brew nor ruby is installed".into())]);
    }
    Step::new("ruby").arg("-c").arg(formula).silent().run_quietly(&[0])?;
    Ok(vec![Seen::Made("read by ruby; brew is not installed".into())])
}

/// `lispwright.scm`, for `guix package -f`.
pub(crate) fn make_guix(bench: &Bench) -> Result<Vec<String>, Failure> {
    let mut systems = String::new();
    for (target, address, sum) in archives(bench)?.into_iter().filter(|(target, ..)| target.system == System::Linux) {
        let machine = target.machine;
        let _ = write!(
            systems,
            "   ((string-prefix? \"{machine}-\" system)\n    '(\"{address}\"\n      . \"{}\"))\n",
            base32(&sum)
        );
    }
    let mut words = bench.release.words();
    words.push(("systems", systems));
    bench.leave("lispwright.scm", template::fill("guix.scm.in", &words)?.as_bytes())?;
    Ok(vec!["lispwright.scm".into()])
}

/// Has Guix make the derivation, which reads the recipe and fetches nothing, if it is there.
pub(crate) fn try_guix(bench: &Bench) -> Result<Vec<Seen>, Failure> {
    let Some(_) = bench.here() else { return Ok(vec![Seen::Made("no binary for this machine".into())]) };
    if !Step::new("guix").arg("--version").succeeds() {
        return Ok(vec![Seen::Made("guix is not installed".into())]);
    }
    let recipe = bench.place.join("lispwright.scm");
    Step::new("guix").args(["build", "--derivations", "--file"]).arg(recipe).silent().run_quietly(&[0])?;
    Ok(vec![Seen::Made("guix made its derivation".into())])
}

/// The base 32 of Nix and Guix: from the last byte to the first, without the letters e, o, t and u.
fn base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"0123456789abcdfghijklmnpqrsvwxyz";
    let digits = (bytes.len() * 8).div_ceil(5);
    (0..digits)
        .rev()
        .map(|digit| {
            let (byte, shift) = (digit * 5 / 8, digit * 5 % 8);
            let next = bytes.get(byte + 1).copied().unwrap_or_default();
            let pair = u16::from(bytes[byte]) | u16::from(next) << 8;
            char::from(ALPHABET[(pair >> shift & 31) as usize])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base32_is_that_of_nix() {
        // The sum of an empty file, as `nix-hash --type sha256 --base32` prints it.
        let sum = super::super::bench::sha256(b"");
        assert_eq!(base32(&sum), "0mdqa9w1p6cmli6976v4wi0sw9r4p5prkj7lzfd1877wk11c9c73");
    }
}
