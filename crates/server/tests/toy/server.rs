//! Serves the toy catalogue. Without arguments on standard input and output.
//!
//! Arguments: `structured` for structured results; `tcp`, `http` to listen there instead; `token=TEXT`, `host=NAME`, `origin=URL`; `connections=N`,
//! `newcomers=N`, `sessions=N`, `farewell=MS`, `introduction=MS`, `patience=MS`, `head=MS`, `body=MS` for limits. A server that listens prints a port on each line, and ends
//! when its standard input does.

mod catalogue;

use std::io::Write as _;
use std::time::Duration;

use lispwright_server::{Admission, Limits, Listener, Network, Options, Results, Server, Token, Transport};
use tokio::io::AsyncReadExt as _;
use tokio_util::sync::CancellationToken;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // Panics are part of the tests; their messages would hide the test's own output.
    std::panic::set_hook(Box::new(|_| {}));
    let mut results = Results::Text;
    let mut network =
        Network { listeners: Vec::new(), locals: Vec::new(), access: Admission::default(), limits: Limits::default() };
    for argument in std::env::args().skip(1) {
        let (name, value) = argument.split_once('=').unwrap_or((&argument, ""));
        let count = || value.parse::<usize>().expect("a number");
        let time = || Duration::from_millis(value.parse().expect("milliseconds"));
        match name {
            "structured" => results = Results::Structured,
            "tcp" => network.listeners.push(listener(Transport::Tcp)),
            "http" => network.listeners.push(listener(Transport::Http)),
            "host" => network.access.hosts.push(value.to_owned()),
            "origin" => network.access.origins.push(value.to_owned()),
            "sessions" => network.limits.sessions = count(),
            "head" => network.limits.head = time(),
            "body" => network.limits.body = time(),
            "token" => network.access.token = Some(Token::new(value)),
            "connections" => network.limits.connections = count(),
            "newcomers" => network.limits.newcomers = count(),
            "farewell" => network.limits.farewell = time(),
            "introduction" => network.limits.introduction = time(),
            "patience" => network.limits.patience = time(),
            other => panic!("no argument {other}"),
        }
    }
    let server = Server::new(Options { results, ..Options::new(catalogue::toys()) });
    let stop = CancellationToken::new();
    if network.listeners.is_empty() {
        server.serve_stdio(&stop).await;
    } else {
        let input = async {
            let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
            stop.cancel();
        };
        tokio::join!(server.serve_network(network, &stop), input);
    }
    // A thread may still be waiting to read a terminal.
    std::process::exit(0);
}

fn listener(transport: Transport) -> Listener {
    let listener = Listener::bind(transport, "127.0.0.1:0".parse().expect("an address")).expect("a port");
    let mut output = std::io::stdout();
    writeln!(output, "{}", listener.address.port()).and_then(|()| output.flush()).expect("an output");
    listener
}
