//! Where a server may be joined: on this machine only, because nREPL asks nobody who they are.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Why an address is not one to join.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Neither `host:port` nor a port.
    #[error("{0:?} is not an address: give host:port, such as 127.0.0.1:7888, or the port alone")]
    Malformed(String),
    /// Another machine.
    #[error(
        "{0:?} is not on this machine. An nREPL server runs whatever it is sent, so only loopback addresses are joined; for \
         another machine forward its port first: ssh -L 7888:127.0.0.1:PORT HOST"
    )]
    Elsewhere(String),
}

/// Reads `7888`, `localhost:7888`, `127.0.0.1:7888`, `[::1]:7888` or any of them after `nrepl://`.
pub fn loopback(address: &str) -> Result<SocketAddr, AddressError> {
    let malformed = || AddressError::Malformed(address.to_owned());
    let bare = address.trim();
    let bare = bare.strip_prefix("nrepl://").unwrap_or(bare).trim_end_matches('/');
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
        Ok(SocketAddr::new(ip, port))
    } else {
        Err(AddressError::Elsewhere(address.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_are_read_in_every_spelling() {
        for address in ["7888", "localhost:7888", "127.0.0.1:7888", "nrepl://127.0.0.1:7888", " 127.0.0.1:7888 "] {
            assert_eq!(loopback(address), Ok(SocketAddr::from(([127, 0, 0, 1], 7888))), "{address}");
        }
        assert_eq!(loopback("[::1]:7888").map(|address| address.port()), Ok(7888));
    }

    #[test]
    fn others_are_refused() {
        for address in ["10.0.0.1:7888", "example.org:7888", "[2001:db8::1]:7888"] {
            assert_eq!(loopback(address), Err(AddressError::Elsewhere(address.to_owned())));
        }
        for address in ["", "host", "127.0.0.1:0", "127.0.0.1:99999", "a b:1", "0"] {
            assert_eq!(loopback(address), Err(AddressError::Malformed(address.to_owned())), "{address}");
        }
    }
}
