//! Configuration files outside any root: links, modes, directories, and obstacles.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use lispwright_project::{
    EditError, Error, NewText, create_anywhere, digest_of, edit_anywhere, read_anywhere, remove_anywhere,
};

fn append(path: &Path) -> Result<(), EditError<String>> {
    edit_anywhere(path, |file| Ok(NewText::Text(format!("{}new\n", file.text)))).map(drop)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn an_edit_keeps_links_modes_and_marks() {
    let temp = tempfile::tempdir().unwrap();
    let (home, dots) = (temp.path().join("home"), temp.path().join("dots"));
    fs::create_dir_all(&home).unwrap();
    fs::create_dir_all(&dots).unwrap();
    fs::write(dots.join("settings"), b"\xEF\xBB\xBFold\r\n").unwrap();
    fs::set_permissions(dots.join("settings"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("../dots/settings", home.join("middle")).unwrap();
    symlink("middle", home.join("settings")).unwrap();
    append(&home.join("settings")).unwrap();
    assert_eq!(fs::read(dots.join("settings")).unwrap(), b"\xEF\xBB\xBFold\r\nnew\n");
    assert_eq!(mode(&dots.join("settings")), 0o640);
    assert_eq!(fs::read_link(home.join("settings")).unwrap(), Path::new("middle"));
    assert_eq!(fs::read_dir(&dots).unwrap().count(), 1);
}

#[test]
fn a_new_file_is_private_and_gets_its_directories() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("a/b/settings");
    create_anywhere(&path, "new\n").unwrap();
    assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"new\n".to_vec(), 0o600));
    assert!(matches!(create_anywhere(&path, "x"), Err(Error::AlreadyExists { .. })));
    symlink("b/settings2", temp.path().join("a/link")).unwrap();
    create_anywhere(&temp.path().join("a/link"), "two\n").unwrap();
    assert_eq!(fs::read(temp.path().join("a/b/settings2")).unwrap(), b"two\n");
}

#[test]
fn only_the_expected_file_is_removed() {
    let temp = tempfile::tempdir().unwrap();
    let (path, link) = (temp.path().join("settings"), temp.path().join("link"));
    fs::write(&path, "old\n").unwrap();
    symlink("settings", &link).unwrap();
    assert!(matches!(remove_anywhere(&link, &digest_of(b"older\n")), Err(Error::Overtaken { .. })));
    assert!(path.exists());
    remove_anywhere(&link, &digest_of(b"old\n")).unwrap();
    assert!(!path.exists() && fs::read_link(&link).is_ok());
    assert!(matches!(read_anywhere(&link), Err(Error::Missing { .. })));
    for (directory, stays) in [(".hidden", false), ("plain", true)] {
        let directory = temp.path().join(directory);
        create_anywhere(&directory.join("one"), "1\n").unwrap();
        create_anywhere(&directory.join("two"), "2\n").unwrap();
        remove_anywhere(&directory.join("one"), &digest_of(b"1\n")).unwrap();
        assert!(directory.join("two").exists());
        remove_anywhere(&directory.join("two"), &digest_of(b"2\n")).unwrap();
        assert_eq!(directory.exists(), stays);
    }
}

#[test]
fn what_stands_in_the_way_is_said_with_the_whole_path() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("settings");
    fs::write(&path, "old\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let error = append(&path).unwrap_err();
    let EditError::Project(error @ Error::ReadOnly { .. }) = error else { panic!("{error:?}") };
    assert!(error.to_string().starts_with(path.to_str().unwrap()), "{error}");
    symlink("circle", temp.path().join("circle")).unwrap();
    assert!(matches!(append(&temp.path().join("circle")), Err(EditError::Project(Error::TooManyLinks { .. }))));
    fs::write(temp.path().join("file"), "").unwrap();
    let error = create_anywhere(&temp.path().join("file/settings"), "x").unwrap_err();
    assert!(error.to_string().contains("file"), "{error}");
    assert!(matches!(append(&temp.path().join("none/settings")), Err(EditError::Project(Error::Missing { .. }))));
    assert!(append(temp.path()).is_err());
}
