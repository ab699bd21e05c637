//! Serves what MCP's conformance suite calls at a port of the loopback interface. Prints the port, and ends when its
//! standard input does.

use std::io::Write as _;

use lispwright_server::{Admission, Limits, Listener, Network, Transport, conformance};
use tokio::io::AsyncReadExt as _;
use tokio_util::sync::CancellationToken;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let listener = Listener::bind(Transport::Http, "127.0.0.1:0".parse().expect("an address")).expect("a free port");
    let mut output = std::io::stdout();
    writeln!(output, "{}", listener.address.port()).and_then(|()| output.flush()).expect("an output");
    let network = Network {
        listeners: vec![listener],
        locals: Vec::new(),
        access: Admission::default(),
        limits: Limits::default(),
    };
    let stop = CancellationToken::new();
    let server = conformance::server();
    let input = async {
        let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
        stop.cancel();
    };
    tokio::join!(server.serve_network(network, &stop), input);
    std::process::exit(0);
}
