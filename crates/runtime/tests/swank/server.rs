//! The owner's image: a plain SBCL in which the distribution's Swank listens.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// An image with a server. It ends with the test, or with the process that runs it.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

/// The directory of compiled files and of the saved image, for all tests.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("swank")
}

/// SBCL as started by a user without files of his own in `home`.
fn sbcl(home: &Path) -> Command {
    let mut command = Command::new("sbcl");
    command.env("HOME", home).env("XDG_CACHE_HOME", cache().join("fasl"));
    command
}

/// An image with Swank loaded, saved once because compiling it takes long.
fn image() -> &'static Path {
    static IMAGE: OnceLock<PathBuf> = OnceLock::new();
    IMAGE.get_or_init(|| {
        std::fs::create_dir_all(cache()).unwrap();
        let image = cache().join("swank.core");
        let lock: File = OpenOptions::new().create(true).append(true).open(cache().join("lock")).unwrap();
        lock.lock().unwrap();
        if !image.exists() {
            let unfinished = cache().join("unfinished.core");
            let output = sbcl(&cache())
                .args(["--noinform", "--no-sysinit", "--no-userinit", "--disable-debugger"])
                .args(["--eval", "(require :asdf)", "--eval", "(asdf:load-system :swank)"])
                .args(["--eval", &format!("(sb-ext:save-lisp-and-die {unfinished:?})")])
                .stdin(Stdio::null())
                .output()
                .expect("these tests need sbcl on PATH: apt-get install sbcl");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(unfinished.exists(), "these tests need Swank: apt-get install cl-swank\n{said}");
            std::fs::rename(unfinished, &image).unwrap();
        }
        image
    })
}

impl Server {
    /// Starts an image that evaluates `setup` before it listens.
    pub(crate) fn start(setup: &str) -> Self {
        Self::start_at(&cache(), setup)
    }

    /// Starts an image whose owner's home is `home`.
    pub(crate) fn start_at(home: &Path, setup: &str) -> Self {
        let serve = "(let ((port (swank:create-server :port 0 :dont-close t))) (format t \"PORT ~D~%\" port) (finish-output)) \
                     (loop while (read-line *standard-input* nil)) (sb-ext:exit :abort t)";
        let mut child = sbcl(home)
            .arg("--core")
            .arg(image())
            .args(["--noinform", "--no-sysinit", "--no-userinit", "--eval", &format!("(progn nil {setup} {serve})")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port = lines.find_map(|line| line.strip_prefix("PORT ")?.parse().ok()).expect("the server says its port");
        // Its later output needs a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address: SocketAddr::from(([127, 0, 0, 1], port)) }
    }

    /// Whether the image still runs.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Ends it, as its owner may.
    pub(crate) fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}
