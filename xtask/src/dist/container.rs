//! The definition of a container image, beside the packages that it installs.

use super::bench::{Bench, Seen};
use super::template;
use crate::step::Failure;

/// Writes `Containerfile`; the directory of packages is the context to build in.
pub(crate) fn make(bench: &Bench) -> Result<Vec<String>, Failure> {
    bench.leave("Containerfile", template::fill("Containerfile.in", &bench.release.words())?.as_bytes())?;
    Ok(vec!["Containerfile".into()])
}

/// An image is built from a base that is downloaded, which is not done here.
pub(crate) fn try_out(_: &Bench) -> Result<Vec<Seen>, Failure> {
    Ok(vec![Seen::Made("not built: podman build --file target/dist/Containerfile target/dist".into())])
}
