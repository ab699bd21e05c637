//! The transports of the server: standard input and output, and sockets.

use std::fs::DirBuilder;
use std::io::Write as _;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use lispwright_server::{Admission, Clients, Limits, Listener, LocalListener, Network, Server, Token, Transport};
use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::{kept, token_file};

/// The options for transports.
#[derive(Debug, clap::Args)]
pub(crate) struct NetworkArgs {
    /// How clients connect: stdio, tcp, http, unix, or several of them at once, which then share everything. Without it,
    /// stdio, or unix with --socket
    #[arg(long, value_name = "NAMES", value_enum, value_delimiter = ',')]
    transport: Vec<Way>,

    /// Path of the socket of unix, which only you can reach, without a token. Without it,
    /// ~/.local/state/lispwright/socket
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,

    /// Address for clients of the network, for one transport or for all; port 0 takes a free one. Without it, tcp
    /// listens at 127.0.0.1:12345, http at 127.0.0.1:3000
    #[arg(long, value_name = "[NAME=]ADDRESS:PORT")]
    listen: Vec<String>,

    /// File of the token that clients of the network show; made when it is missing. Without it,
    /// ~/.local/state/lispwright/token. Tokens of `lispwright token add` count as well
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Serve whoever reaches the port. Any program and any user of this machine can then run code as you
    #[arg(long, conflicts_with = "token_file")]
    no_token: bool,

    /// Name under which HTTP clients reach the server, besides localhost and its address; repeatable
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,

    /// Origin of web pages that may use the server over HTTP, besides those of this machine; repeatable
    #[arg(long, value_name = "URL")]
    allow_origin: Vec<String>,
}

/// A way in which clients connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Way {
    /// Standard input and output
    Stdio,
    /// A socket with one JSON object a line
    Tcp,
    /// Streamable HTTP at /mcp
    Http,
    /// A socket that is a file, with one JSON object a line
    Unix,
}

impl Way {
    fn transport(self) -> Option<Transport> {
        match self {
            Self::Stdio | Self::Unix => None,
            Self::Tcp => Some(Transport::Tcp),
            Self::Http => Some(Transport::Http),
        }
    }
}

/// The ways to the server, open for clients.
pub(crate) struct Doors {
    stdio: bool,
    network: Option<(Network, Signals)>,
}

impl NetworkArgs {
    /// Opens the sockets, and tells on standard error where they are. Must run inside a tokio runtime. `roots` are
    /// directories whose files clients may read.
    pub(crate) fn open(self, roots: &[&Path]) -> Result<Doors, String> {
        let ways = match (&self.transport[..], &self.socket) {
            ([], None) => vec![Way::Stdio],
            ([], Some(_)) => vec![Way::Unix],
            (ways, _) => ways.to_vec(),
        };
        let stdio = ways.contains(&Way::Stdio);
        let locals = match ways.contains(&Way::Unix) {
            true => vec![bind_file(self.socket, roots)?],
            false if self.socket.is_some() => return Err("--socket is for --transport unix: add it".to_owned()),
            false => Vec::new(),
        };
        let mut transports: Vec<Transport> = Vec::new();
        for transport in ways.iter().filter_map(|way| way.transport()) {
            if !transports.contains(&transport) {
                transports.push(transport);
            }
        }
        if transports.is_empty() {
            return match (self.listen.first(), &self.token_file, self.no_token) {
                (None, None, false) if locals.is_empty() => Ok(Doors { stdio, network: None }),
                (None, None, false) => {
                    let signals = Signals::catch()?;
                    locals.iter().for_each(announce_file);
                    let access = Admission::default();
                    let network = Network { listeners: Vec::new(), locals, access, limits: Limits::default() };
                    Ok(Doors { stdio, network: Some((network, signals)) })
                }
                _ => Err("--listen, --token-file and --no-token are for clients of a network: add --transport tcp"
                    .to_owned()),
            };
        }
        let listeners = transports
            .iter()
            .map(|transport| bind(*transport, &self.listen, &transports))
            .collect::<Result<Vec<Listener>, String>>()?;
        let open_to_others = listeners.iter().find(|listener| !listener.address.ip().is_loopback());
        let (file, token, new, clients) = if self.no_token {
            if let Some(listener) = open_to_others {
                let address = listener.address;
                return Err(format!(
                    "--no-token: everybody who reaches {address} could run code as you; leave it out, or listen at 127.0.0.1"
                ));
            }
            (None, None, false, None)
        } else {
            let file = self.token_file.map_or_else(token_file::default_file, Ok)?;
            refuse_below("--token-file", &file, roots)?;
            let (token, new) = token_file::keep(&file)?;
            let clients = Clients::open(&token_file::clients_beside(&file))?;
            (Some(file), Some(token), new, Some(Arc::new(clients)))
        };
        // Whoever has read where the server is may send one.
        let signals = Signals::catch()?;
        for listener in &listeners {
            announce(listener);
        }
        locals.iter().for_each(announce_file);
        if let Some(listener) = open_to_others {
            warn_of_others(listener.address);
        }
        for listener in &listeners {
            explain(listener, file.as_deref(), token.as_ref().filter(|_| new));
        }
        let access = Admission { token, clients, hosts: self.allow_host, origins: self.allow_origin };
        let network = Network { listeners, locals, access, limits: Limits::default() };
        Ok(Doors { stdio, network: Some((network, signals)) })
    }
}

/// The socket of a transport, at the address that `--listen` names.
fn bind(transport: Transport, listen: &[String], all: &[Transport]) -> Result<Listener, String> {
    let mut named: Option<&str> = None;
    for address in listen {
        let rest = match address.split_once('=') {
            Some((name, rest)) => {
                if !all.iter().any(|transport| transport.name() == name) {
                    return Err(format!(
                        "--listen {address}: {name} is not among the network transports of --transport"
                    ));
                }
                if name != transport.name() {
                    continue;
                }
                rest
            }
            None => address,
        };
        if named.replace(rest).is_some() {
            return Err(format!("--listen: {} has more than one address", transport.name()));
        }
    }
    let text = named.unwrap_or(match transport {
        Transport::Tcp => "127.0.0.1:12345",
        Transport::Http => "127.0.0.1:3000",
    });
    let address = address(text).map_err(|why| format!("--listen {text}: {why}"))?;
    Listener::bind(transport, address).map_err(|error| {
        format!(
            "{} cannot listen at {address}: {error}; give another address with --listen, or port 0 for a free one",
            transport.name()
        )
    })
}

/// The socket of transport unix.
fn bind_file(named: Option<PathBuf>, roots: &[&Path]) -> Result<LocalListener, String> {
    let path = match named {
        Some(path) => path,
        None => {
            let state =
                kept::state_directory().ok_or("neither XDG_STATE_HOME nor HOME names a directory: give --socket")?;
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&state);
            made.map_err(|error| format!("{}: {error}", state.display()))?;
            state.join("socket")
        }
    };
    // What images may write they could put their own socket in the place of.
    refuse_below("--socket", &path, roots)?;
    let path = std::path::absolute(&path).map_err(|error| format!("--socket {}: {error}", path.display()))?;
    LocalListener::bind(&path)
        .map_err(|error| format!("unix cannot listen at {}: {error}; give another path with --socket", path.display()))
}

fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let mut found =
        text.to_socket_addrs().map_err(|error| format!("give an address and a port, such as 127.0.0.1:0 ({error})"))?;
    found.next().ok_or_else(|| "the name has no address".to_owned())
}

/// Refuses a file that the tools could show, or write.
fn refuse_below(option: &str, file: &Path, roots: &[&Path]) -> Result<(), String> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(place) = parent.canonicalize() else { return Ok(()) };
    match roots.iter().find(|root| place.starts_with(root)) {
        Some(root) => Err(format!(
            "{option} {}: the tools could reach it, because it is below the root {}; give another file",
            file.display(),
            root.display()
        )),
        None => Ok(()),
    }
}

/// Writes a line on standard error. If that is closed, nobody is told.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Tells other programs where a socket is.
fn announce(listener: &Listener) {
    let (transport, address) = (listener.transport.name(), listener.address);
    tell(&json!({ "transport": transport, "listening": address.to_string(), "port": address.port() }).to_string());
}

/// Tells other programs where a socket that is a file is, and a person what to give to a client.
fn announce_file(local: &LocalListener) {
    tell(&json!({ "transport": "unix", "listening": local.path.display().to_string() }).to_string());
    tell(&format!("For a client on standard input and output: lispwright bridge --connect {}", quoted(&local.path)));
}

fn warn_of_others(address: SocketAddr) {
    tell(&format!(
        "WARNING: other machines can reach {address}. Nothing is encrypted: whoever reads the traffic has the token, and \
         whoever has the token runs code as you. Prefer 127.0.0.1, and ssh -L for clients on other machines."
    ));
}

/// Tells a person what to give to a client. `new` is a token that nobody has seen yet; it is shown this once.
fn explain(listener: &Listener, file: Option<&Path>, new: Option<&Token>) {
    let address = listener.address;
    match listener.transport {
        Transport::Tcp => {
            let file = file.map_or_else(String::new, |file| format!(" --token-file {}", quoted(file)));
            tell(&format!("For a client on standard input and output: lispwright bridge --connect {address}{file}"));
        }
        Transport::Http => {
            let bearer = match (new, file) {
                (Some(token), _) => format!(" --header \"Authorization: Bearer {}\"", token.expose()),
                (None, Some(file)) => format!(" --header \"Authorization: Bearer $(cat {})\"", quoted(file)),
                (None, None) => String::new(),
            };
            tell(&format!(
                "For a client that speaks HTTP: claude mcp add --transport http lispwright http://{address}/mcp{bearer}"
            ));
        }
    }
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./~+,:@%".contains(c));
    if is_plain { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

impl Doors {
    /// Serves until standard input ends, if that is a way to the server, or a signal comes.
    pub(crate) async fn serve(self, server: &Server) {
        let stop = CancellationToken::new();
        let Some((network, signals)) = self.network else { return server.serve_stdio(&stop).await };
        let stdio = async {
            if self.stdio {
                server.serve_stdio(&stop).await;
                stop.cancel();
            }
        };
        let serving = async { tokio::join!(server.serve_network(network, &stop), stdio) };
        tokio::select! {
            _ = serving => {}
            () = signals.end(&stop) => {}
        }
    }
}

/// The signals that ask for the end.
struct Signals([Signal; 3]);

impl Signals {
    /// Catches them from now on.
    fn catch() -> Result<Self, String> {
        let caught = |kind| signal(kind).map_err(|error| format!("signals cannot be caught: {error}"));
        Ok(Self([caught(SignalKind::terminate())?, caught(SignalKind::interrupt())?, caught(SignalKind::hangup())?]))
    }

    /// Waits for the next one.
    async fn next(&mut self) {
        let [terminate, interrupt, hangup] = &mut self.0;
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {}, _ = hangup.recv() => {} }
    }

    /// Cancels `stop` with the first one, and ends the process with the second.
    async fn end(mut self, stop: &CancellationToken) {
        self.next().await;
        stop.cancel();
        self.next().await;
        // The images end with their keepers.
        std::process::exit(1);
    }
}
