//! Sockets that are files of this machine: the same lines as on TCP, and no token.
//!
//! Only processes of the server's own user are served. The file's mode keeps others out where the system heeds it, and
//! the kernel says of each connection whose it is. No web page reaches such a socket.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net as std_net;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::access::Admission;
use super::gate::Gate;
use super::limits::Limits;
use super::listener::PAUSE;
use super::tcp;
use crate::host::Host;

/// A bound socket that is a file. The file goes with it.
#[derive(Debug)]
pub struct LocalListener {
    /// Its path.
    pub path: PathBuf,
    socket: UnixListener,
    /// Device and inode of the file.
    identity: (u64, u64),
}

impl LocalListener {
    /// Binds a socket at `path`, for its owner alone (mode 600). A socket of a server that has ended is replaced. Must
    /// run inside a tokio runtime.
    ///
    /// Errors: a server listens there, or something else than a socket is there; those of the system, such as that the
    /// path is too long for a socket, about a hundred bytes.
    pub fn bind(path: &Path) -> io::Result<Self> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Nobody else can reach it before it has its mode.
        let private = parent.join(format!(".lw{}", std::process::id()));
        DirBuilder::new().mode(0o700).create(&private)?;
        let bound = Self::bind_in(&private, path);
        // What is in there has another name by now, or is not wanted.
        let _ = std::fs::remove_dir_all(&private);
        bound
    }

    fn bind_in(private: &Path, path: &Path) -> io::Result<Self> {
        let inner = private.join("s");
        let socket = std_net::UnixListener::bind(&inner)?;
        socket.set_nonblocking(true)?;
        std::fs::set_permissions(&inner, Permissions::from_mode(0o600))?;
        make_room(path)?;
        // Unlike a rename, this takes no name that somebody has got meanwhile.
        std::fs::hard_link(&inner, path)?;
        let identity = identity_of(path)?;
        Ok(Self { path: path.to_owned(), socket: UnixListener::from_std(socket)?, identity })
    }

    /// Accepts connections until `stop` is cancelled.
    pub(super) async fn accept(self, host: Arc<dyn Host>, limits: Limits, stop: CancellationToken, tasks: TaskTracker) {
        // Strangers of the network take no places here.
        let gate = Arc::new(Gate::new(Admission::default(), limits));
        loop {
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                () = stop.cancelled() => return,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, path = %self.path.display(), "a connection could not be accepted");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            if !is_ours(&stream) {
                tracing::warn!(path = %self.path.display(), "a connection of another user was closed");
                tasks.spawn(tcp::refuse(stream, "this server serves its own user alone".to_owned()));
                continue;
            }
            match gate.enter() {
                Some(guest) => {
                    let (host, gate, stop) = (host.clone(), gate.clone(), stop.clone());
                    tasks.spawn(tcp::serve(host, gate, stream.into_split(), guest, stop));
                }
                None => {
                    tasks.spawn(tcp::turn_away(stream, limits.connections));
                }
            }
        }
    }
}

impl Drop for LocalListener {
    fn drop(&mut self) {
        if identity_of(&self.path).is_ok_and(|now| now == self.identity) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Removes the socket of a server that has ended.
fn make_room(path: &Path) -> io::Result<()> {
    let taken = |why: &str| Err(io::Error::new(io::ErrorKind::AddrInUse, why));
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(found) if !found.file_type().is_socket() => taken("something else than a socket is there"),
        Ok(_) => match std_net::UnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => std::fs::remove_file(path),
            Err(error) => Err(error),
            Ok(_) => taken("a server listens there"),
        },
    }
}

/// Device and inode of the file at a path.
fn identity_of(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = std::fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// The process at the other end is of the user of this one.
fn is_ours(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[tokio::test]
    async fn a_socket_is_its_owners_and_replaces_only_a_dead_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("socket");
        let first = LocalListener::bind(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let (client, accepted) = tokio::join!(UnixStream::connect(&path), first.socket.accept());
        assert!(is_ours(&accepted.unwrap().0));
        drop(client);
        let why = LocalListener::bind(&path).unwrap_err().to_string();
        assert!(why.contains("a server listens there"), "{why}");
        drop(first);
        assert!(!path.exists());
        // This one ends without a chance to remove its file.
        drop(std_net::UnixListener::bind(&path).unwrap());
        let second = LocalListener::bind(&path).unwrap();
        // Its file is somebody else's by now.
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "mine").unwrap();
        drop(second);
        let why = LocalListener::bind(&path).unwrap_err().to_string();
        assert!(why.contains("something else than a socket"), "{why}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        assert_eq!(directory.path().read_dir().unwrap().count(), 1);
    }
}
