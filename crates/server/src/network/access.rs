//! Who may speak with the server over a network: the token, and for HTTP the names in `Host` and `Origin`.
//!
//! A web page in a browser of this machine can reach the ports of this machine. It cannot read the token, and it cannot
//! choose these two headers: `Origin` says where the page comes from, and `Host` is the name that it used, which is the
//! page's own when the page has given that name the address of this machine (DNS rebinding).

use std::net::IpAddr;
use std::sync::Arc;

use super::clients::{Clients, Pass};
use super::token::Token;

/// Who may speak with the server.
#[derive(Clone, Debug, Default)]
pub struct Admission {
    /// What its owner's clients present; without it, whoever reaches the port is served.
    pub token: Option<Token>,
    /// The clients with tokens of their own, which are served as well.
    pub clients: Option<Arc<Clients>>,
    /// Names under which clients reach the server, besides `localhost` and the address of the connection itself.
    pub hosts: Vec<String>,
    /// Origins of web pages that may speak with the server (`https://host:port`), besides those of this machine.
    pub origins: Vec<String>,
}

impl Admission {
    /// The pass of a client with this token, if it is served.
    pub(crate) fn admits(&self, presented: Option<&Token>) -> Option<Pass> {
        match (&self.token, presented) {
            (None, _) => Some(Pass::default()),
            (Some(token), Some(presented)) if token.is(presented) => Some(Pass::default()),
            (Some(_), Some(presented)) => self.clients.as_ref()?.admit(presented),
            (Some(_), None) => None,
        }
    }

    /// Whether `host`, the value of a `Host` header, names this server on a connection to the address `local`.
    ///
    /// An address cannot be rebound, so the connection's own is always right.
    pub(crate) fn knows_host(&self, host: &str, local: IpAddr) -> bool {
        let Some(name) = name_of(host) else { return false };
        is_local(name)
            || address_of(name).is_some_and(|address| address == local.to_canonical())
            || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(name) || known.eq_ignore_ascii_case(host))
    }

    /// Whether a page from `origin`, the value of an `Origin` header, may speak with the server.
    pub(crate) fn knows_origin(&self, origin: &str) -> bool {
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        host.and_then(name_of).is_some_and(is_local)
            || self.origins.iter().any(|known| known.trim_end_matches('/').eq_ignore_ascii_case(origin))
    }
}

/// The name in `name`, `name:port`, `1.2.3.4:port` or `[::1]:port`.
fn name_of(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => host.find(':').map_or((host, ""), |at| host.split_at(at)),
    };
    let is_port = match port.strip_prefix(':') {
        Some(digits) => digits.parse::<u16>().is_ok(),
        None => port.is_empty(),
    };
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:%".contains(&byte));
    (is_port && is_name).then_some(name)
}

fn address_of(name: &str) -> Option<IpAddr> {
    name.parse::<IpAddr>().ok().map(|address| address.to_canonical())
}

fn is_local(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost") || address_of(name).is_some_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 168, 1, 7));

    #[test]
    fn the_servers_own_names_are_known() {
        let access = Admission { hosts: vec!["lisp.example".to_owned()], ..Admission::default() };
        for host in ["localhost", "LOCALHOST:3000", "127.0.0.1:3000", "127.0.0.1", "[::1]:80", "lisp.example:3000"] {
            assert!(access.knows_host(host, HOME), "{host}");
        }
        assert!(access.knows_host("192.168.1.7:3000", ELSEWHERE));
        assert!(!access.knows_host("192.168.1.7:3000", HOME));
        for host in [
            "",
            ":3000",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost:x",
            "[::1",
            "localhost@evil.example",
            "127.0.0.1:3000:4",
            "0.0.0.0:3000",
            "localhost/",
            "localhost,evil",
        ] {
            assert!(!access.knows_host(host, HOME), "{host}");
        }
    }

    #[test]
    fn pages_of_this_machine_are_known() {
        let access = Admission { origins: vec!["https://app.example/".to_owned()], ..Admission::default() };
        for origin in [
            "http://localhost",
            "http://localhost:5173",
            "https://127.0.0.1:3000",
            "http://[::1]:3000",
            "https://app.example",
        ] {
            assert!(access.knows_origin(origin), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://evil.example",
            "https://localhost.evil.example",
            "file://",
            "localhost",
            "http://localhost:5173/path",
            "http://127.0.0.1@evil.example",
            "https://app.example:8443",
            "http://app.example",
            "chrome-extension://localhost",
        ] {
            assert!(!access.knows_origin(origin), "{origin}");
        }
    }

    #[test]
    fn a_token_is_asked_for_unless_there_is_none() {
        let open = Admission::default();
        assert!(open.admits(None).is_some() && open.admits(Some(&Token::new("x"))).is_some());
        let closed = Admission { token: Some(Token::new("right")), ..Admission::default() };
        assert!(closed.admits(Some(&Token::new("right"))).is_some());
        assert!(closed.admits(Some(&Token::new("wrong"))).is_none() && closed.admits(None).is_none());
    }
}
