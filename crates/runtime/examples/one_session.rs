//! A server that evaluates one piece of code and then waits to be killed.
//!
//! Arguments: the root, the directory for saved images, the code.

use lispwright_runtime::{Config, EvalRequest, MAIN, Sessions};

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().expect("three arguments: root, image directory, code");
    let (root, cache) = (next(), next());
    let sessions = Sessions::new(Config { cache: Some(cache.into()), ..Config::new(root) });
    let report = sessions.eval(MAIN, EvalRequest::new(next()), &tokio_util::sync::CancellationToken::new()).await;
    assert!(report.is_ok(), "{report:?}");
    std::future::pending::<()>().await;
}
