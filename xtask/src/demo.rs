//! `cargo xtask demo`: a coding agent's day on a real Common Lisp project, through the server as a client sees it.
//!
//! Copies the example ledger and the distribution's alexandria into a temporary directory, starts `lispwright mcp` on
//! it, and plays one task from the first look to the last test, mistakes included. Every answer is checked: the command
//! fails when the server does not do what the story needs.

mod day;
mod picture;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::apt::{self, Install};
use crate::client::Client;
use crate::files::{self, Scratch};
use crate::step::{About, Failure, say};
use crate::{cargo, target, workspace};
use day::{Day, Wanted};

/// The directory of alexandria's source in Debian and Ubuntu.
const ALEXANDRIA: &str = "/usr/share/common-lisp/source/alexandria";

const REPORT: &str = "ledger/src/report.lisp";

/// The new function.
const WHOLE: &str = "\
(defun savings-rate ()
  \"How many percent of the income are not spent.\"
  (let ((income (total 'income))
        (expense (total 'expense)))
    (round (* 100 (/ (- income expense) income)))))";

/// The point where a token limit stops the model that writes it.
const CUT: &str = "\n    (round";

/// Plays the day, and with `writes` makes the picture of it in the documents.
pub(crate) fn run(install: Install, writes: bool) -> Result<(), Failure> {
    apt::ensure(&[apt::SBCL, apt::ALEXANDRIA], install)?;
    say("building lispwright");
    cargo().args(["build", "--package", "lispwright"]).run()?;

    let place = Scratch::new("demo")?;
    let root = place.path().join("project");
    files::copy(&workspace().join("examples/ledger"), &root.join("ledger"))?;
    files::copy(Path::new(ALEXANDRIA), &root.join("alexandria"))?;
    say(format_args!("starting `lispwright mcp --root {}`, as a client would", root.display()));
    let log = place.path().join("server.log");
    let mut server = Command::new(target().join("debug/lispwright"));
    server
        .args(["mcp", "--toolsets", "refactor", "--root"])
        .arg(&root)
        .env("XDG_CACHE_HOME", place.path().join("cache"));
    let mut day = Day::begin(Client::start(&mut server, &log)?, &root);
    match play(&mut day) {
        Ok(()) => {
            let frames = day.end()?;
            if writes {
                let path = workspace().join("docs/demo.svg");
                fs::write(&path, picture::picture(&frames)).about(&path)?;
            }
            Ok(())
        }
        Err(failure) => {
            let log = fs::read_to_string(&log).unwrap_or_default();
            let tail: Vec<&str> = log.lines().rev().take(20).collect();
            println!("\nthe server's last log lines:");
            tail.iter().rev().for_each(|line| println!("  {line}"));
            Err(failure)
        }
    }
}

fn play(day: &mut Day) -> Result<(), Failure> {
    meet(day)?;
    look_around(day)?;
    write_a_function(day)?;
    meet_an_error(day)?;
    mend_and_run(day)?;
    rename_and_verify(day)?;
    delete_and_be_told(day)?;
    try_and_go_back(day)?;
    lose_the_image(day)
}

fn meet(day: &mut Day) -> Result<(), Failure> {
    day.tell("The agent's client connects and asks what there is.");
    let found = day.request("server/discover")?;
    let instructions = found["instructions"].as_str().unwrap_or_default().to_owned();
    day.note(instructions.lines().next().unwrap_or_default());
    day.check(!instructions.is_empty(), || "the server has no instructions".to_owned())?;
    let listed = day.request("tools/list")?;
    let names: Vec<&str> =
        listed["tools"].as_array().into_iter().flatten().filter_map(|t| t["name"].as_str()).collect();
    day.note(&format!("{} tools: {}", names.len(), names.join(" ")));
    for needed in ["lisp_read_file", "lisp_read_form", "lisp_edit_form", "lisp_patch_form", "lisp_check_parens"] {
        day.check(names.contains(&needed), || format!("{needed} is not listed"))?;
    }
    Ok(())
}

fn look_around(day: &mut Day) -> Result<(), Failure> {
    day.tell("Its task: the ledger should say which share of the income was saved. First, what is in the report?");
    day.call("lisp_read_file", json!({"path": REPORT}), Wanted::Done, &["trial-balance", "print-statement"])?;
    day.tell("How do balances get their sign? A method is addressed by its qualifier and specializers.");
    day.call(
        "lisp_read_form",
        json!({"path": "ledger/src/account.lisp", "name": "balance :around (credit-account)"}),
        Wanted::Done,
        &["(- (call-next-method))"],
    )?;
    day.tell("A library is read the same way: only what matters of a long file.");
    let lists = if day.file("alexandria/alexandria-1/lists.lisp").is_ok() {
        "alexandria/alexandria-1/lists.lisp"
    } else {
        "alexandria/lists.lisp"
    };
    day.call(
        "lisp_read_file",
        json!({"path": lists, "name_pattern": "^flatten$"}),
        Wanted::Done,
        &["(defun flatten", "map-product"],
    )?;
    Ok(())
}

fn write_a_function(day: &mut Day) -> Result<(), Failure> {
    day.show("The agent writes the function, and is stopped before its end. What was to follow is a guess.");
    let before = day.file(REPORT)?;
    let edit =
        |content: &str| json!({"path": REPORT, "operation": "insert_after", "name": "net-worth", "content": content});
    let cut = &WHOLE[..WHOLE.find(CUT).unwrap_or_default()];
    let said = ["content:4:", "the text stops in the middle of a form"];
    day.call("lisp_edit_form", edit(cut), Wanted::Refused, &said)?;
    let after = day.file(REPORT)?;
    day.check(before == after, || "a refused edit changed the file".to_owned())?;

    day.tell("The file is as it was. With the whole function, the edit is made.");
    day.call("lisp_edit_form", edit(WHOLE), Wanted::Done, &["Inserted after defun net-worth"])?;
    let after = day.file(REPORT)?;
    day.check(after.contains(WHOLE), || "the edit is not in the file".to_owned())?;
    let untouched = after.replacen(WHOLE, "", 1).split_whitespace().eq(before.split_whitespace());
    day.check(untouched, || "the edit changed more than it said".to_owned())?;

    day.show("It tries another one, and calls `total` as it is not meant. Nothing has run yet, and it is told.");
    let wrong = "(defun share (class)\n  (/ (total class) (total 'asset 'liability)))";
    let edit =
        json!({"path": REPORT, "operation": "insert_after", "name": "net-worth", "content": wrong, "dry_run": true});
    let said = ["[new]", "`total` takes 1 argument (class), and gets 2"];
    day.call("lisp_edit_form", edit, Wanted::Done, &said)?;
    Ok(())
}

fn meet_an_error(day: &mut Day) -> Result<(), Failure> {
    day.tell("Now it runs the code. The image is started by the first call and keeps its state.");
    day.call(
        "repl_eval",
        json!({"code": LOAD, "timeout_seconds": 120}),
        Wanted::Done,
        &["#<ASSET BANK 0.00>", "=> *TODAY*"],
    )?;
    day.show("An error comes with the restarts that the project offers, and the frames of the user's code.");
    day.call(
        "repl_eval",
        json!({"code": "(record *today* \"Lisp books\" (debit :books 4200) (credit :bank 4200))"}),
        Wanted::Refused,
        &["UNKNOWN-ACCOUNT", "There is no account named BOOKS.", "[Restarts]", "OPEN-ACCOUNT", "[Backtrace]", "RECORD"],
    )?;
    day.tell("It calls again and has the stack held, to see from inside what was meant to be recorded.");
    day.call(
        "repl_eval",
        json!({"code": "(record *today* \"Lisp books\" (debit :books 4200) (credit :bank 4200))", "on_error": "hold"}),
        Wanted::Refused,
        &["UNKNOWN-ACCOUNT", "1: OPEN-ACCOUNT", "[held] The stack is kept"],
    )?;
    day.call(
        "repl_control",
        json!({"action": "eval_in_frame", "frame": 0, "code": "(list name (mapcar #'name (accounts)))"}),
        Wanted::Done,
        &["=> (:BOOKS (:BANK :RENT :SALARY))"],
    )?;
    day.tell("The restart that opens the account is what it wants; the call goes on and ends well.");
    day.call(
        "repl_control",
        json!({"action": "restart", "restart": "OPEN-ACCOUNT", "code": "'expense"}),
        Wanted::Done,
        &["=> "],
    )?;
    day.tell("Then it calls the new function, too early.");
    day.call(
        "repl_eval",
        json!({"code": "(savings-rate)"}),
        Wanted::Refused,
        &["DIVISION-BY-ZERO", "[Backtrace]", "SAVINGS-RATE"],
    )?;
    Ok(())
}

fn try_and_go_back(day: &mut Day) -> Result<(), Failure> {
    day.tell("What if the rent went up? It tries in a copy of the image, which is thrown away.");
    let raise = "(record *today* \"Rent\" (debit :rent 90000) (credit :bank 90000)) (savings-rate)";
    day.call("repl_eval", json!({"code": raise, "trial": true}), Wanted::Done, &["=> 26"])?;
    day.call("repl_eval", json!({"code": "(savings-rate)"}), Wanted::Done, &["=> 62"])?;
    day.tell("For something larger it keeps a checkpoint, and goes back to it.");
    day.call(
        "repl_control",
        json!({"action": "checkpoint", "name": "books"}),
        Wanted::Done,
        &["checkpoint \"books\""],
    )?;
    day.call("repl_eval", json!({"code": "(setf *ledger* (make-ledger))"}), Wanted::Done, &["=> #<LEDGER"])?;
    day.call("repl_control", json!({"action": "rollback", "name": "books"}), Wanted::Done, &["is back at checkpoint"])?;
    day.call("repl_eval", json!({"code": "(savings-rate)"}), Wanted::Done, &["=> 62"])?;
    Ok(())
}

const LOAD: &str = "\
(require :asdf)
(setf *compile-verbose* nil)
(asdf:load-asd (truename \"ledger/ledger.asd\"))
(asdf:load-system \"ledger\")
(in-package :ledger)
(setf *ledger* (make-ledger '(:bank asset) '(:salary income) '(:rent expense)))
(print (find-account :bank))
(defvar *today* \"2026-03-01\")";

/// The division in the function, as first written.
const RATE: &str = "(round (* 100 (/ (- income expense) income)))";

fn mend_and_run(day: &mut Day) -> Result<(), Failure> {
    day.tell(
        "Without an income there is no rate. The patch lacks a parenthesis; what is missing is put back and told.",
    );
    let new = format!("(if (zerop income) 0 {RATE})");
    let lost = new.strip_suffix(')').unwrap_or_default();
    let patch = json!({"path": REPORT, "name": "savings-rate", "old_text": RATE, "new_text": lost});
    day.call("lisp_patch_form", patch, Wanted::Done, &["repaired: the new text", "(zerop income)"])?;
    let after = day.file(REPORT)?;
    day.check(after.contains(&WHOLE.replace(RATE, &new)), || "the repair is not what was meant".to_owned())?;
    day.show(
        "The docstring should say so. It writes the form anew and loses a parenthesis, where the earlier text and the next \
         line agree that there was one: it is put back, and the agent is told.",
    );
    let whole = WHOLE.replace("not spent.", "not spent; 0 without an income.").replace(RATE, &new);
    let lost = whole.replace("(total 'expense)))", "(total 'expense))");
    let replace = json!({"path": REPORT, "operation": "replace", "name": "savings-rate", "content": lost});
    day.call("lisp_edit_form", replace, Wanted::Done, &["repaired: content, line 4"])?;
    let after = day.file(REPORT)?;
    day.check(after.contains(&whole), || "the repair is not what was meant".to_owned())?;
    day.tell("Loaded again: the ledger in the image still knows the books.");
    day.call("load_system", json!({"path": REPORT}), Wanted::Done, &["Loaded ledger/src/report.lisp"])?;
    day.call("repl_eval", json!({"code": RUN}), Wanted::Done, &["=> 62", "=> 155800", "net worth"])?;
    day.tell("The project's own tests, and a library next to them.");
    day.call("run_tests", json!({"system": "ledger"}), Wanted::Done, &["1 passed, 0 failed", "6 of 6 tests passed"])?;
    day.call("repl_eval", json!({"code": LIBRARY, "timeout_seconds": 120}), Wanted::Done, &["=> (1 2 3 4 5)"])?;
    Ok(())
}

const RUN: &str = "\
(record *today* \"Salary\" (debit :bank 250000) (credit :salary 250000))
(record *today* \"Rent\" (debit :rent 90000) (credit :bank 90000))
(print-statement)
(values (savings-rate) (net-worth))";

const LIBRARY: &str = "\
(asdf:load-asd (truename \"alexandria/alexandria.asd\"))
(asdf:load-system \"alexandria\")
(uiop:symbol-call :alexandria :flatten '(1 (2 (3 4)) 5))";

/// The file with the function that is made wrong.
const MONEY: &str = "ledger/src/money.lisp";

fn rename_and_verify(day: &mut Day) -> Result<(), Failure> {
    day.show("`total` says little. Who uses it?");
    day.call("code_find_references", json!({"symbol": "ledger:total"}), Wanted::Done, &["savings-rate"])?;
    day.show("All of these get the new name in one call, or none does. First it looks at what would change.");
    let rename = |dry_run: bool| json!({"symbol": "ledger:total", "new_name": "total-balance", "dry_run": dry_run});
    let before = day.file(REPORT)?;
    day.call(
        "lisp_rename",
        rename(true),
        Wanted::Done,
        &["Dry run, nothing was written", "+  (let ((income (total-balance"],
    )?;
    let after = day.file(REPORT)?;
    day.check(before == after, || "a dry run changed the file".to_owned())?;
    day.call("lisp_rename", rename(false), Wanted::Done, &["Renamed total of ledger to total-balance"])?;
    day.tell("It thinks that it can simplify `cents`, and has the tests decide. They fail, so the file is as it was.");
    let before = day.file(MONEY)?;
    let wrong = "(defun cents (whole &optional (fraction 0))\n  (+ (* 100 whole) fraction 1))";
    let edit = json!({"path": MONEY, "operation": "replace", "name": "cents", "content": wrong, "verify": "tests"});
    day.call("lisp_edit_form", edit, Wanted::Refused, &["The files are as they were.", "does not pass its tests"])?;
    let after = day.file(MONEY)?;
    day.check(before == after, || "a refused edit changed the file".to_owned())?;
    day.tell("With the new name they pass, and the image still knows the books.");
    day.call("run_tests", json!({"system": "ledger"}), Wanted::Done, &["1 passed, 0 failed", "6 of 6 tests passed"])?;
    day.call("repl_eval", json!({"code": "(savings-rate)"}), Wanted::Done, &["=> 62"])?;
    Ok(())
}

/// A function of that file, after `cents`, which others call.
const FORMAT: &str = "\
(defun format-money (amount &optional stream)
  \"Write AMOUNT as 1,234.50 to STREAM, or return it as a string.\"
  (check-type amount money)
  (multiple-value-bind (whole fraction) (truncate (abs amount) 100)
    (format stream \"~:[~;-~]~:d.~2,'0d\" (minusp amount) whole fraction)))";

fn delete_and_be_told(day: &mut Day) -> Result<(), Failure> {
    day.tell("It takes `format-money` for a leftover and deletes it. The image had it; now it has not, as the files, and who calls it is told.");
    let before = day.file(MONEY)?;
    let delete = json!({"path": MONEY, "operation": "delete", "name": "format-money"});
    day.call("lisp_edit_form", delete, Wanted::Done, &["-(defun format-money"])?;
    let tests = || json!({"system": "ledger"});
    let said = ["format-money is gone", "ledger/src/account.lisp:48", "still use it"];
    day.call("run_tests", tests(), Wanted::Done, &said)?;
    day.tell("It puts the function back, and the tests pass again.");
    let back = json!({"path": MONEY, "operation": "insert_after", "name": "cents", "content": FORMAT});
    day.call("lisp_edit_form", back, Wanted::Done, &["Inserted after"])?;
    let after = day.file(MONEY)?;
    day.check(before == after, || "the function is not back as it was".to_owned())?;
    day.call("run_tests", tests(), Wanted::Done, &["1 passed, 0 failed", "6 of 6 tests passed"])?;
    Ok(())
}

fn lose_the_image(day: &mut Day) -> Result<(), Failure> {
    day.tell("Code that never ends is interrupted; the image and its state live on.");
    day.call("repl_eval", json!({"code": "(loop)", "timeout_seconds": 1}), Wanted::Refused, &["interrupted"])?;
    day.call("repl_eval", json!({"code": "*today*"}), Wanted::Done, &["=> \"2026-03-01\""])?;
    day.tell(
        "Somebody kills the image's process. The server lives, the session goes back to its checkpoint, and the next call is \
         told so.",
    );
    let status = day.call("repl_control", json!({"action": "status"}), Wanted::Done, &["sbcl", "pid"])?;
    let after_pid = status.text.split("pid ").nth(1).unwrap_or_default();
    let pid: String = after_pid.chars().take_while(char::is_ascii_digit).collect();
    day.shell(&format!("kill -9 {pid}"))?;
    day.call(
        "repl_eval",
        json!({"code": "(list :still (+ 1 2))"}),
        Wanted::Done,
        &["checkpoint \"books\"", "=> (:STILL 3)"],
    )?;
    day.call("repl_eval", json!({"code": "(savings-rate)"}), Wanted::Done, &["=> 62"])?;
    day.tell("Before it reports back, it makes sure that the file it edited is whole.");
    day.call("lisp_check_parens", json!({"path": REPORT}), Wanted::Done, &[])?;
    Ok(())
}
