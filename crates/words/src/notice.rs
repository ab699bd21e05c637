//! Events of a session that come with its next answer.

use lispwright_runtime::Notice;
use lispwright_runtime::notice::{During, EndedChildren, PassedOver, Remaining, UnheardEnd};
use lispwright_syntax::in_a_line;
use lispwright_tools::image_text::one_line;

use crate::rendering::counted;

/// Characters of a notice.
const LONGEST: usize = 1000;

/// A notice of `session`, on one line.
pub(crate) fn notice_line(notice: &Notice, session: &str) -> String {
    one_line(&words(notice, session), LONGEST)
}

fn words(notice: &Notice, session: &str) -> String {
    match notice {
        Notice::Died { during, status, last_words } => {
            let when = match during {
                During::Rest => "while no call was running",
                During::UnheardCall => "during a call that was withdrawn",
            };
            let printed =
                if last_words.is_empty() { String::new() } else { format!(" It printed last:\n{last_words}\n") };
            format!(
                "The image of session {session:?} died {when} ({status}): its definitions and other state are lost.{printed} \
                 This call ran in a fresh image."
            )
        }
        Notice::WentBack { status, checkpoint } => format!(
            "The image of session {session:?} died while no call was running ({status}), and the session went back to \
             checkpoint {checkpoint:?}: later changes are lost."
        ),
        Notice::EndedIdle(idle) => format!(
            "The image of session {session:?} was ended because nobody used it for {} s: its definitions and other state \
             are lost. This call ran in a fresh image.",
            idle.as_secs()
        ),
        Notice::Unheard { call, end, took, stands, last_words } => {
            let took = took.as_secs_f64();
            let end = match end {
                UnheardEnd::StoppedIn { form, of } => {
                    let of = of.map(|count| format!(" of {count}")).unwrap_or_default();
                    format!("was stopped by its client after {took:.1} s, in form {form}{of}")
                }
                UnheardEnd::Stopped => format!("was stopped by its client after {took:.1} s"),
                UnheardEnd::Answered => format!("ended after {took:.1} s, when its client no longer waited"),
            };
            let effects = if *stands { "; its effects remain" } else { "" };
            let printed =
                if last_words.is_empty() { String::new() } else { format!(" It printed last: {last_words}") };
            format!("The previous call ({call}) {end}{effects}.{printed}")
        }
        Notice::EndedChildren(ended) => {
            let (count, why) = match ended {
                EndedChildren::Awaited(count) => (*count, "that it did not stop waiting for"),
                EndedChildren::Printing(count) => (*count, "that would have printed on"),
            };
            match count {
                1 => format!("A process of the code {why} was ended."),
                _ => format!("{count} processes of the code {why} were ended."),
            }
        }
        Notice::Attached { address, file } => format!(
            "Attached to the nREPL server at {address} that {} names; it belongs to somebody else and is never ended from here.",
            in_a_line(&file.to_string_lossy())
        ),
        Notice::Started { with, took, passed_over, missing, other_versions } => {
            let passed = passed_over.as_ref().map(|passed| format!(" {}", passed_over_words(passed))).unwrap_or_default();
            let missing = missing_words(missing, other_versions);
            let took = took.as_secs_f64();
            format!("Started an nREPL server with {with} in {took:.1} s; it ends with this session.{passed}{missing}")
        }
        Notice::Reconnected(remaining) => match remaining {
            Remaining::Unknown => {
                "The connection to the server was lost and made again: its definitions may have changed, and *1 and *e are empty."
            }
            Remaining::WithoutHistory => {
                "The server had forgotten the session, as when somebody closes all sessions there, and a new one was made. \
                 Definitions are as they were, *1 and *e are empty."
            }
            Remaining::WithoutObjects => {
                "The connection to the server was made again. Definitions are as the image has them; the session's package, \
                 objects and held errors are gone."
            }
        }
        .to_owned(),
        Notice::Unconfined => "The server that this session is attached to is not confined by --sandbox.".to_owned(),
        Notice::NoInput => {
            "The standard input of a session is empty; give the code a string to read with (with-in-str \"...\" ...)."
                .to_owned()
        }
        Notice::Busy { doing } => {
            let what = if doing.is_empty() { "is busy".to_owned() } else { format!("is busy, {doing}") };
            format!("The image of session {session:?} {what}: this is what the files say, without waiting for it.")
        }
        Notice::Renewed { reason, evaluations, earlier } => {
            let lost = match (evaluations, earlier) {
                (0, _) => String::new(),
                (count, Some(earlier)) => format!(
                    " The earlier image, with what {} did in it by hand, is session {earlier:?} now.",
                    counted(*count as usize, "evaluation")
                ),
                (count, None) => format!(" What {} did by hand is lost.", counted(*count as usize, "evaluation")),
            };
            format!(
                "Session {session:?} goes on in a fresh image, which loads the files; the earlier one did not: {reason}{lost}"
            )
        }
        Notice::Comparing => "The tests are still being run in a fresh image, to be compared.".to_owned(),
        Notice::AlsoGreen { tests, took, after } if after.is_empty() => {
            format!("The tests of {tests} also pass in a fresh image ({:.1} s).", took.as_secs_f64())
        }
        Notice::AlsoGreen { tests, after, .. } => {
            format!("The tests of {tests} also pass in a fresh image that was given {after}; without that they do not.")
        }
        Notice::Differs { tests, kept, fresh, after } => {
            let image = match after.as_str() {
                "" => "a fresh image, which has only what the files have".to_owned(),
                after => format!("a fresh image that was given {after}"),
            };
            format!("The tests of {tests} have other results in {image}: {fresh}\nIn the session's image it was: {kept}")
        }
    }
}

fn passed_over_words(passed: &PassedOver) -> String {
    match passed {
        PassedOver::Unconfined { file, port } => format!(
            "{} names a server at port {port}, which is not confined. With --sandbox it is used only after you attach to \
             127.0.0.1:{port}.",
            in_a_line(&file.to_string_lossy())
        ),
        PassedOver::OutOfDate { file, why } => format!("{} is out of date: {why}.", in_a_line(&file.to_string_lossy())),
    }
}

/// The dependencies of a Clojure project that no tool could fetch.
fn missing_words(missing: &[String], others: &[String]) -> String {
    let listed = |names: &[String]| {
        let shown = in_a_line(&names[..names.len().min(8)].join(", ")).into_owned();
        match names.len().saturating_sub(8) {
            0 => shown,
            more => format!("{shown} and {more} more"),
        }
    };
    let missing = match missing {
        [] => String::new(),
        names => format!(" Neither ~/.m2, ~/.gitlibs nor /usr/share/maven-repo has {}.", listed(names)),
    };
    let others = match others {
        [] => String::new(),
        names => format!(" Other versions are on the class path: {}.", listed(names)),
    };
    missing + &others
}
