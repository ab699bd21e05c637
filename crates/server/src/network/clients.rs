//! The clients with tokens of their own, as their file says at this moment.
//!
//! The file is read whenever a named token is shown, and every second while a client with one is connected: a token that
//! was revoked counts for nothing from then on, and whatever its client has open ends. A file that cannot be read admits
//! nobody. A read of some kilobytes from the cache of the system takes some microseconds.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lispwright_project::read_private;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::roll::{NamedToken, digest_of, read_roll};
use super::token::Token;
use crate::host::Visitor;

/// The time between looks into the file while a client with a named token is connected.
const LOOK: Duration = Duration::from_secs(1);

/// The named tokens of a server.
pub struct Clients {
    path: PathBuf,
    known: Mutex<Known>,
    /// Some token counts no more.
    pub(crate) revoked: Notify,
    /// Cancelled when the calls of all clients have to stop.
    closing: CancellationToken,
}

#[derive(Default)]
struct Known {
    /// What the file had.
    text: Vec<u8>,
    members: Vec<Arc<Member>>,
    /// Why the file could not be read, if it could not.
    fault: Option<String>,
}

/// A token that counts.
struct Member {
    token: NamedToken,
    visitor: Visitor,
    /// Cancelled when it is revoked.
    ended: CancellationToken,
}

/// The right of a connection, a session or a request to be served.
#[derive(Clone, Default)]
pub(crate) struct Pass(Option<Arc<Member>>);

impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clients").field("path", &self.path).finish_non_exhaustive()
    }
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pass").field(&self.0.as_ref().map(|member| &member.token)).finish()
    }
}

impl Clients {
    /// The named tokens in the file at `path`, which may be missing. An error says what is wrong with the file, and
    /// what to do.
    pub fn open(path: &Path) -> Result<Self, String> {
        let clients = Self {
            path: path.to_owned(),
            known: Mutex::default(),
            revoked: Notify::new(),
            closing: CancellationToken::new(),
        };
        let fault = clients.fresh().fault.clone();
        fault.map_or(Ok(clients), Err)
    }

    /// The pass of a client that shows this token, if it counts.
    pub(crate) fn admit(&self, presented: &Token) -> Option<Pass> {
        let digest = digest_of(presented);
        let known = self.fresh();
        // All are compared, so that the time does not tell which it was.
        let found = known.members.iter().fold(None, |found, member| match member.token.has(&digest) {
            true => Some(member),
            false => found,
        });
        found.map(|member| Pass(Some(member.clone())))
    }

    /// Whether a pass still counts.
    pub(crate) fn honours(&self, pass: &Pass) -> bool {
        if pass.0.is_some() {
            drop(self.fresh());
        }
        pass.counts()
    }

    /// Looks into the file as long as somebody needs that.
    pub(crate) async fn watch(&self) {
        loop {
            tokio::time::sleep(LOOK).await;
            let is_needed = self.known().members.iter().any(|member| Arc::strong_count(member) > 1);
            if is_needed {
                drop(self.fresh());
            }
        }
    }

    /// Ends the calls of all clients.
    pub(crate) fn close(&self) {
        self.closing.cancel();
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // The members are replaced by one assignment, so a panic elsewhere does not spoil them.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the file says now.
    fn fresh(&self) -> MutexGuard<'_, Known> {
        let mut known = self.known();
        let (text, read) = match read_private(&self.path) {
            Ok(None) => (Vec::new(), Ok(Vec::new())),
            Ok(Some(text)) if text == known.text && known.fault.is_none() => return known,
            Ok(Some(text)) => {
                let read = read_roll(&self.path, &text).map_err(|fault| fault.to_string());
                (text, read)
            }
            Err(error) => (Vec::new(), Err(error.to_string())),
        };
        known.text = text;
        let (tokens, fault) = match read {
            Ok(tokens) => (tokens, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        if let Some(why) = &fault
            && known.fault != fault
        {
            tracing::error!("no named token counts any more: {why}");
        }
        known.fault = fault;
        let before = std::mem::take(&mut known.members);
        let (kept, gone): (Vec<_>, Vec<_>) = before.into_iter().partition(|member| tokens.contains(&member.token));
        for member in &gone {
            member.ended.cancel();
        }
        if !gone.is_empty() {
            self.revoked.notify_one();
        }
        let member = |token: NamedToken| match kept.iter().find(|member| member.token == token) {
            Some(member) => member.clone(),
            None => Arc::new(Member {
                visitor: Visitor { name: Some(token.name.as_str().into()), read_only: token.read_only },
                ended: self.closing.child_token(),
                token,
            }),
        };
        known.members = tokens.into_iter().map(member).collect();
        known
    }
}

impl Pass {
    /// Whose it is.
    pub(crate) fn visitor(&self) -> Visitor {
        self.0.as_ref().map_or_else(Visitor::default, |member| member.visitor.clone())
    }

    /// Whether the token was not revoked when it was last looked at.
    pub(crate) fn counts(&self) -> bool {
        self.0.as_ref().is_none_or(|member| !member.ended.is_cancelled())
    }

    /// Whether both are of the same token.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// Waits until the token is revoked.
    pub(crate) async fn ends(&self) {
        match &self.0 {
            Some(member) => member.ended.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// What is cancelled when the token is revoked.
    pub(crate) fn closing(&self) -> CancellationToken {
        self.0.as_ref().map_or_else(CancellationToken::new, |member| member.ended.child_token())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::super::roll::{roll_with, roll_without};
    use super::*;

    const SECRET: &str = "0123456789abcdef";

    struct Kept {
        path: PathBuf,
        clients: Clients,
        _directory: tempfile::TempDir,
    }

    impl Kept {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("clients");
            let kept = Self { clients: Clients::open(&path).unwrap(), path, _directory: directory };
            let ci = NamedToken::new("ci", true, "today".to_owned(), &Token::new(SECRET)).unwrap();
            kept.write(&roll_with("", &ci));
            kept
        }

        fn write(&self, text: &str) {
            fs::write(&self.path, text).unwrap();
            fs::set_permissions(&self.path, fs::Permissions::from_mode(0o600)).unwrap();
        }

        fn text(&self) -> String {
            fs::read_to_string(&self.path).unwrap()
        }

        fn admits(&self, token: &str) -> Option<Pass> {
            self.clients.admit(&Token::new(token))
        }
    }

    #[test]
    fn a_token_counts_from_when_it_is_added_to_when_it_is_revoked() {
        let kept = Kept::new();
        let pass = kept.admits(SECRET).unwrap();
        assert!(pass.visitor().read_only && pass.visitor().name.as_deref() == Some("ci"));
        assert!(kept.admits("0123456789abcdeF").is_none() && kept.admits("").is_none());
        assert!(pass.is(&kept.admits(SECRET).unwrap()) && !pass.is(&Pass::default()));
        let other = NamedToken::new("dev", false, "today".to_owned(), &Token::new("another")).unwrap();
        kept.write(&roll_with(&kept.text(), &other));
        assert!(kept.clients.honours(&pass) && pass.is(&kept.admits(SECRET).unwrap()));
        kept.write(&roll_without(&kept.text(), "ci"));
        assert!(!kept.clients.honours(&pass) && pass.closing().is_cancelled());
        assert!(kept.admits(SECRET).is_none() && kept.admits("another").is_some());
        // Of the same name, but another token.
        let again = NamedToken::new("ci", true, "today".to_owned(), &Token::new("again")).unwrap();
        kept.write(&roll_with(&kept.text(), &again));
        assert!(!kept.clients.honours(&pass) && kept.admits(SECRET).is_none());
    }

    #[test]
    fn other_rights_are_another_token() {
        let kept = Kept::new();
        let pass = kept.admits(SECRET).unwrap();
        kept.write(&kept.text().replace("read-only", "all-tools"));
        assert!(!kept.clients.honours(&pass));
        assert!(!kept.admits(SECRET).unwrap().visitor().read_only);
    }

    #[test]
    fn a_file_that_cannot_be_read_admits_nobody() {
        let kept = Kept::new();
        let whole = kept.text();
        for damaged in [&whole[..whole.len() - 30], "nonsense", "ci all-tools sha256: today"] {
            let pass = kept.admits(SECRET).unwrap();
            kept.write(damaged);
            assert!(kept.admits(SECRET).is_none() && !pass.counts(), "{damaged}");
            let why = Clients::open(&kept.path).unwrap_err();
            assert!(why.contains("clients:") && why.contains("correct or remove the line"), "{why}");
            kept.write(&whole);
        }
        let pass = kept.admits(SECRET).unwrap();
        fs::set_permissions(&kept.path, fs::Permissions::from_mode(0o620)).unwrap();
        assert!(!kept.clients.honours(&pass) && kept.admits(SECRET).is_none());
        assert!(Clients::open(&kept.path).unwrap_err().contains("chmod 600"));
        fs::write(&kept.path, [0xff, 0xfe]).unwrap();
        fs::set_permissions(&kept.path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(Clients::open(&kept.path).unwrap_err().contains("not text"));
        fs::remove_file(&kept.path).unwrap();
        assert!(kept.admits(SECRET).is_none() && Clients::open(&kept.path).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_connected_ends_without_a_request() {
        let kept = Kept::new();
        let pass = kept.admits(SECRET).unwrap();
        let revoking = async {
            tokio::time::sleep(LOOK * 3).await;
            fs::remove_file(&kept.path).unwrap();
            tokio::join!(pass.ends(), kept.clients.revoked.notified());
        };
        tokio::select! {
            () = revoking => {}
            () = kept.clients.watch() => {}
        }
        assert!(!pass.counts());
    }
}
