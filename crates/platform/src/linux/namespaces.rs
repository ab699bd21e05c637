//! Namespaces for an image, as bubblewrap makes them, for machines without that program.
//!
//! Two processes are needed above the image. The outer one makes the namespaces ([`enter`]) and waits; it is not in the
//! new PID namespace itself. The first process inside ([`furnish`], called by [`confine`](super::confine)) arranges the
//! mounts, confines itself, starts the image and reaps orphans. When it ends, the kernel ends everything inside. See
//! `namespaces(7)` and `mount_setattr(2)`.

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::mount::{MountFlags, MoveMountFlags, OpenTreeFlags, mount, move_mount, open_tree};
use rustix::net::{AddressFamily, SendFlags, SocketType, send, socket};
use rustix::process::{Signal, getegid, geteuid, set_parent_process_death_signal};
use rustix::thread::{
    CapabilitySet, UnshareFlags, capabilities, configure_capability_in_ambient_set, set_capabilities, unshare_unsafe,
};

use super::confine::DEVICES;

/// The directory of devices, where the first process inside replaces those of the machine.
const DEV: &str = "/dev";

/// A netlink message (`rtnetlink(7)`) that brings up the first interface, which is the loopback of a new network: an
/// RTM_NEWLINK request of 32 bytes with the flag IFF_UP, which is also the only flag that it changes.
const LOOPBACK_UP: [u32; 8] = [32, 16 | 1 << 16, 0, 0, 0, 1, 1, 1];

/// Gives this process new namespaces; its child processes get a new PID namespace.
pub(super) fn enter() -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let all = UnshareFlags::NEWUSER
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWNET
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS;
    // SAFETY: the table of descriptors stays shared.
    unsafe { unshare_unsafe(all) }?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    let request = LOOPBACK_UP.map(u32::to_ne_bytes);
    send(socket(AddressFamily::NETLINK, SocketType::RAW, None)?, request.as_flattened(), SendFlags::empty())?;
    // The program that is started keeps this one; it loses the other capabilities unless its user is the superuser.
    let mut sets = capabilities(None)?;
    sets.inheritable |= CapabilitySet::SYS_ADMIN;
    set_capabilities(None, sets)?;
    Ok(configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)?)
}

/// Makes every file in this mount namespace read-only except those below `places`, covers what is `hidden`, and mounts the
/// processes of its own PID namespace and devices without terminals of the user.
pub(super) fn furnish(places: &[(PathBuf, OwnedFd)], hidden: &[PathBuf]) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let directory = std::env::current_dir();
    // Copied before the other mounts are restricted: a copy keeps the attributes of its mount.
    let below = OpenTreeFlags::AT_EMPTY_PATH | OpenTreeFlags::AT_RECURSIVE;
    let places = places
        .iter()
        .map(|(path, place)| Ok((path, copy(place, Path::new(""), below)?)))
        .collect::<io::Result<Vec<_>>>()?;
    let devices =
        DEVICES.iter().filter_map(|path| Some((*path, copy(CWD, Path::new(path), OpenTreeFlags::empty()).ok()?)));
    let devices: Vec<_> = devices.collect();
    let mut covers = Vec::new();
    for path in hidden {
        let cover = match fs::metadata(path) {
            Ok(found) if found.is_dir() => None,
            Ok(_) => Some(copy(CWD, Path::new("/dev/null"), OpenTreeFlags::empty())?),
            Err(_) => continue,
        };
        covers.push((path, cover));
    }
    let root = openat(CWD, "/", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let tame = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
    set_attributes(&root, tame | libc::MOUNT_ATTR_RDONLY)?;

    let tame_flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("proc", "/proc", "proc", tame_flags | MountFlags::NOEXEC | MountFlags::RDONLY, None)?;
    mount("tmpfs", DEV, "tmpfs", tame_flags, c"mode=0755")?;
    for (path, device) in devices {
        fs::File::create(path)?;
        attach(&device, Path::new(path))?;
    }
    let dev = Path::new(DEV);
    fs::create_dir(dev.join("shm"))?;
    fs::create_dir(dev.join("pts"))?;
    mount(
        "devpts",
        dev.join("pts"),
        "devpts",
        MountFlags::NOSUID | MountFlags::NOEXEC,
        c"newinstance,ptmxmode=0666,mode=0620",
    )?;
    for (name, target) in [
        ("ptmx", "pts/ptmx"),
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ] {
        symlink(target, dev.join(name))?;
    }
    let places = places.into_iter().map(|(path, place)| (path, Some(place), false));
    let mut all: Vec<_> = places.chain(covers.into_iter().map(|(path, cover)| (path, cover, true))).collect();
    // A mount covers those below it, so the outer ones are the first.
    all.sort_by_key(|(path, ..)| path.as_path());
    for (path, tree, hides) in &all {
        match tree {
            None => {
                let holds_place = all.iter().any(|(place, _, hides)| !hides && place.starts_with(path));
                let closed = if holds_place { MountFlags::empty() } else { MountFlags::RDONLY };
                mount("tmpfs", path.as_path(), "tmpfs", tame_flags | MountFlags::NOEXEC | closed, c"mode=0755")?;
            }
            Some(cover) if *hides => attach(cover, path)?,
            Some(place) => {
                set_attributes(place, tame)?;
                // A place among the devices, or below a cover, no longer exists.
                fs::create_dir_all(path)?;
                attach(place, path)?;
            }
        }
    }
    // The new mount hides the old working directory.
    directory.and_then(std::env::set_current_dir)
}

/// A copy of the mount that `path` in `directory` is on, from `path` down.
fn copy(directory: impl AsFd, path: &Path, flags: OpenTreeFlags) -> rustix::io::Result<OwnedFd> {
    open_tree(directory, path, flags | OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC)
}

fn attach(tree: &OwnedFd, path: &Path) -> rustix::io::Result<()> {
    move_mount(tree, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}

/// Sets the attributes of a mount and of all mounts below it, and makes them private to this namespace.
fn set_attributes(tree: &OwnedFd, attributes: u64) -> io::Result<()> {
    let wanted = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: libc::MS_PRIVATE, userns_fd: 0 };
    let flags = libc::AT_EMPTY_PATH | libc::AT_RECURSIVE;
    // SAFETY: the kernel reads an empty path and a structure of the given size, both of which outlive the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const wanted,
            size_of::<libc::mount_attr>(),
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
