//! The addresses of servers to attach to: on this machine only, because the protocols have no authentication.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use super::{Endpoint, Protocol};
use crate::backends::Runtime;
use crate::emacs_server;

/// The default port of Swank and Slynk.
pub const SWANK_PORT: u16 = 4005;

/// The reason why an address is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Neither `host:port` nor a port.
    #[error("{0:?} is not an address: give host:port, such as 127.0.0.1:4005, or the port alone")]
    Malformed(String),
    /// Another machine.
    #[error(
        "{0:?} is not on this machine. Such a server runs whatever it is sent, so only loopback addresses are joined; for \
         another machine forward its port first: ssh -L 4005:127.0.0.1:PORT HOST"
    )]
    Elsewhere(String),
    /// No Emacs has such a server.
    #[error("{0}")]
    NoEmacs(String),
}

/// The address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    /// Its listener.
    pub listener: Endpoint,
    /// The runtime that the address names, if it does.
    pub runtime: Option<Runtime>,
}

impl ServerAddress {
    /// Parses `4005`, `localhost:4005`, `127.0.0.1:4005`, `[::1]:4005`, or any of them after `swank://`, `slynk://` or
    /// `nrepl://`; and `emacs://NAME`, with the name of an Emacs server or the path of its file.
    pub fn read(address: &str) -> Result<Self, AddressError> {
        let malformed = || AddressError::Malformed(address.to_owned());
        let bare = address.trim();
        let (bare, protocol) = match bare.split_once("://") {
            Some((scheme, rest)) => (rest, Some(Protocol::of_scheme(scheme).ok_or_else(malformed)?)),
            None => (bare, None),
        };
        let bare = bare.trim_end_matches('/');
        if protocol == Some(Protocol::Emacs) {
            let path = emacs_server::file_of(bare).map_err(AddressError::NoEmacs)?;
            return Ok(Self { listener: Endpoint::Emacs(path), runtime: protocol.map(Runtime::speaking) });
        }
        let (host, port) = bare.rsplit_once(':').unwrap_or(("", bare));
        let port: u16 = port.parse().map_err(|_| malformed())?;
        let ip = match host.trim_start_matches('[').trim_end_matches(']') {
            "" | "localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
            host => host.parse().map_err(|_| {
                if host.contains(|character: char| character.is_whitespace() || character == ':') {
                    malformed()
                } else {
                    AddressError::Elsewhere(address.to_owned())
                }
            })?,
        };
        if port == 0 {
            Err(malformed())
        } else if ip.is_loopback() {
            Ok(Self { listener: SocketAddr::new(ip, port).into(), runtime: protocol.map(Runtime::speaking) })
        } else {
            Err(AddressError::Elsewhere(address.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_are_read_in_every_spelling() {
        let here = SocketAddr::from(([127, 0, 0, 1], 7888));
        for (address, runtime) in [
            ("7888", None),
            ("localhost:7888", None),
            ("127.0.0.1:7888", None),
            (" 127.0.0.1:7888 ", None),
            ("nrepl://127.0.0.1:7888", Some("clojure")),
            ("swank://127.0.0.1:7888/", Some("swank")),
            ("slynk://7888", Some("swank")),
        ] {
            let runtime = runtime.and_then(Runtime::named);
            assert_eq!(ServerAddress::read(address), Ok(ServerAddress { listener: here.into(), runtime }), "{address}");
        }
        let other = SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], 7888));
        assert_eq!(ServerAddress::read("[::1]:7888").map(|address| address.listener), Ok(other.into()));
    }

    #[test]
    fn others_are_refused() {
        for address in ["10.0.0.1:7888", "example.org:7888", "[2001:db8::1]:7888"] {
            assert_eq!(ServerAddress::read(address), Err(AddressError::Elsewhere(address.to_owned())));
        }
        for address in ["", "host", "127.0.0.1:0", "127.0.0.1:99999", "a b:1", "0", "http://127.0.0.1:80"] {
            assert_eq!(ServerAddress::read(address), Err(AddressError::Malformed(address.to_owned())), "{address}");
        }
    }
}
