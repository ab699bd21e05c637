//! Serves the toy catalogue on standard input and output. Arguments: `structured` for structured results.

mod catalogue;

use lispwright_server::{Options, Results, Server};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let results =
        if std::env::args().any(|argument| argument == "structured") { Results::Structured } else { Results::Text };
    // Panics are part of the tests; their messages would hide the test's own output.
    std::panic::set_hook(Box::new(|_| {}));
    Server::new(Options { results, ..Options::new(catalogue::toys()) }).serve_stdio().await;
    // A thread may still be waiting to read a terminal.
    std::process::exit(0);
}
