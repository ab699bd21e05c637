//! Installs nbb, ClojureScript on Node, from npm.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const VERSION: &str = include_str!("nbb.version");

/// The directory of nbb; installs it there unless `cargo xtask test` has. Of several test programs only one installs.
pub(crate) fn nbb() -> &'static Path {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    PLACE.get_or_init(|| {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nbb");
        let lock = std::fs::File::create(place.with_extension("lock")).unwrap();
        lock.lock().unwrap();
        let manifest = std::fs::read_to_string(place.join("node_modules/nbb/package.json")).unwrap_or_default();
        if !manifest.contains(&format!("\"version\": \"{}\"", VERSION.trim())) {
            let mut npm = Command::new("npm");
            npm.args(["install", "--no-audit", "--no-fund", "--save-exact", "--prefix"]).arg(&place);
            let status =
                npm.arg(format!("nbb@{}", VERSION.trim())).status().expect("these tests need npm: apt-get install npm");
            assert!(status.success(), "npm could not install nbb");
        }
        place
    })
}
