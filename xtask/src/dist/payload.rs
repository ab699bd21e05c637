//! The files that travel with the binary: man pages, completions, licences, documents.

use std::fs;
use std::path::Path;

use super::release::place;
use super::tar;
use crate::step::{About, Failure};
use crate::{cargo, files, workspace};

/// A file of a package.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// Where it is in the package, with `/` between the parts.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_program: bool,
}

impl File {
    /// A file that is not run.
    pub(crate) fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into(), is_program: false }
    }

    /// A program.
    pub(crate) fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { is_program: true, ..Self::new(path, bytes) }
    }

    /// The same file elsewhere.
    pub(crate) fn at(&self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self.clone() }
    }
}

/// Writes files below a directory, as an unpacked package.
pub(crate) fn write(files: &[File], directory: &Path) -> Result<(), Failure> {
    for file in files {
        let path = directory.join(&file.path);
        let parent = path.parent().expect("a joined path has a parent");
        fs::create_dir_all(parent).about(parent)?;
        fs::write(&path, &file.bytes).about(&path)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = if file.is_program { 0o755 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).about(&path)?;
        }
    }
    Ok(())
}

/// What every package has beside the binary, with the paths of an archive.
pub(crate) struct Payload {
    /// `man/NAME.1`.
    pub(crate) man: Vec<File>,
    /// `completions/FILE`, named as each shell expects it.
    pub(crate) completions: Vec<File>,
    /// Licences, the readme, the list of changes.
    pub(crate) documents: Vec<File>,
}

impl Payload {
    /// Has the man pages and completions made from the definitions of the commands, and reads the documents.
    pub(crate) fn make() -> Result<Self, Failure> {
        let reference = place().join("reference");
        if reference.exists() {
            fs::remove_dir_all(&reference).about(&reference)?;
        }
        let mut step = cargo();
        step.env("LISPWRIGHT_REFERENCE", &reference);
        step.args(["test", "--quiet", "--package", "lispwright", "--bin", "lispwright", "reference"]).run()?;
        let mut documents = Vec::new();
        for name in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            let path = workspace().join(name);
            documents.push(File::new(name, fs::read(&path).about(&path)?));
        }
        Ok(Self { man: read(&reference, "man")?, completions: read(&reference, "completions")?, documents })
    }

    /// Where a Unix system looks for each file, with `prefix` such as `usr/`.
    pub(crate) fn installed(&self, prefix: &str) -> Result<Vec<File>, Failure> {
        let mut files = Vec::new();
        for page in &self.man {
            let name = page.path.trim_start_matches("man/");
            files.push(File::new(format!("{prefix}share/man/man1/{name}.gz"), tar::gzipped(&page.bytes)?));
        }
        for (file, place) in [
            ("lispwright.bash", "share/bash-completion/completions/lispwright"),
            ("_lispwright", "share/zsh/site-functions/_lispwright"),
            ("lispwright.fish", "share/fish/vendor_completions.d/lispwright.fish"),
            ("lispwright.nu", "share/nushell/vendor/autoload/lispwright.nu"),
        ] {
            let name = format!("completions/{file}");
            let known = self.completions.iter().filter(|completion| completion.path == name);
            files.extend(known.map(|completion| completion.at(format!("{prefix}{place}"))));
        }
        files.extend(self.documents.iter().map(|file| file.at(format!("{prefix}share/doc/lispwright/{}", file.path))));
        Ok(files)
    }
}

/// The files below one directory of the reference, sorted.
fn read(reference: &Path, name: &str) -> Result<Vec<File>, Failure> {
    let mut found = files::below(&reference.join(name))?;
    found.sort();
    found
        .iter()
        .map(|path| {
            let name = path.strip_prefix(reference).expect("it lies below").to_string_lossy().replace('\\', "/");
            Ok(File::new(name, fs::read(path).about(path)?))
        })
        .collect()
}
