//! The files in which nREPL servers publish their ports for editors.

use std::path::{Path, PathBuf};

use lispwright_project::{Links, read_regular};

/// The name of such a file.
pub(crate) const PORT_FILE: &str = ".nrepl-port";

/// The most directories directly below the root that are searched for it.
const MOST_DIRECTORIES: usize = 200;

/// The port in a file. Blocks.
pub(crate) fn port_in(path: &Path) -> Option<u16> {
    let text = String::from_utf8(read_regular(path, 16, Links::OnTheWay).ok()?).ok()?;
    text.trim().parse().ok().filter(|port| *port != 0)
}

/// The port files below `root`: its own first, then those of its directories by name.
pub(super) fn port_files(root: &Path) -> Vec<(PathBuf, u16)> {
    let mut places = vec![root.to_owned()];
    let directories = std::fs::read_dir(root).into_iter().flatten().flatten().take(MOST_DIRECTORIES);
    let mut directories: Vec<PathBuf> = directories
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."))
        .map(|entry| entry.path())
        .collect();
    directories.sort();
    places.append(&mut directories);
    let named = |place: PathBuf| {
        let file = place.join(PORT_FILE);
        let port = port_in(&file)?;
        Some((file.strip_prefix(root).unwrap_or(&file).to_owned(), port))
    };
    places.into_iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn port_files_are_found_in_order_and_read_with_care() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("b/.nrepl-port", "4712\n");
        write("a/.nrepl-port", "4713");
        write("c/.nrepl-port", "none");
        write("d/.nrepl-port", "0");
        write("e/.nrepl-port", &"1".repeat(1000));
        write(".hidden/.nrepl-port", "4714");
        write(".nrepl-port", "4711");
        std::fs::create_dir(root.path().join("f")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            root.path().join("c/.nrepl-port.new"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        std::fs::rename(root.path().join("c/.nrepl-port.new"), root.path().join("c/.nrepl-port")).unwrap();
        std::os::unix::fs::symlink(root.path().join(".nrepl-port"), root.path().join("f/.nrepl-port")).unwrap();
        let found = port_files(root.path());
        let found: Vec<(&str, u16)> = found.iter().map(|(path, port)| (path.to_str().unwrap(), *port)).collect();
        assert_eq!(found, [(".nrepl-port", 4711), ("a/.nrepl-port", 4713), ("b/.nrepl-port", 4712)]);
    }
}
