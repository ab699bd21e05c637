//! What is told of random edits is what a look at all files before and after them tells.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Instant;

use lispwright_index::Index;
use lispwright_lint::{Chosen, lasting, new_since};
use lispwright_syntax::{Dialect, Language};

use super::{Ask, Change, Snapshot, is_unfinished, slots};
use crate::problems::Problem;

type Texts = BTreeMap<PathBuf, String>;

const FILES: &[(&str, &str)] = &[
    ("package.lisp", "(defpackage :shop (:use :cl) (:export #:total #:rate #:item))\n"),
    (
        "base.lisp",
        "(in-package :shop)\n\n(defvar *rate* 2)\n\n(defstruct item name (price 0))\n\n\
         (defclass till () ((owner :initarg :owner :accessor owner) (coins :reader coins)))\n\n\
         (defmacro with-rate ((rate) &body body)\n  `(let ((*rate* ,rate)) ,@body))\n\n\
         (defun rate (x &optional factor)\n  (* x (or factor *rate*)))\n\n(defun label (x)\n  (format nil \"~a: ~a\" (item-name x) (item-price x)))\n",
    ),
    (
        "sum.lisp",
        "(in-package :shop)\n\n(defun total (items)\n  (let ((sum 0) (count (length items)))\n    \
         (dolist (one items (list sum count))\n      (incf sum (rate (item-price one))))))\n\n\
         (defmethod open-till ((x till) to)\n  (setf (owner x) to)\n  (list (owner x) (coins x)))\n\n\
         (defun report (items)\n  (with-rate (3)\n    (mapcar #'label items)\n    (total items)))\n",
    ),
    (
        "use.lisp",
        "(in-package :shop)\n\n(defun main (x)\n  (report (list (make-item :name x :price 1)))\n  (rate 1 2))\n\n\
         (defun again (x y)\n  (case x (1 (main y)) (2 (label y)))\n  (when (coins y) (open-till y x)))\n",
    ),
];

/// Numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

/// The text with one change of those that edits make: a word is another one, an argument or a form comes or goes.
fn edited(text: &str, random: &mut Random) -> Option<String> {
    let is_word = |at: usize| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-*".contains(&byte);
        is_letter(text.as_bytes()[at]) && !is_letter(*text.as_bytes().get(at.wrapping_sub(1)).unwrap_or(&b' '))
    };
    let words: Vec<usize> = (0..text.len()).filter(|at| is_word(*at)).collect();
    let start = words[random.below(words.len())];
    let end =
        text[start..].find(|next: char| next.is_whitespace() || "()'`,#\"".contains(next)).map(|end| start + end)?;
    let word = |random: &mut Random| {
        let at = words[random.below(words.len())];
        text[at..]
            .split(|next: char| next.is_whitespace() || "()'`,#\"".contains(next))
            .next()
            .unwrap_or("x")
            .to_owned()
    };
    let ends: Vec<usize> = text.match_indices("\n\n").map(|(at, _)| at).collect();
    let changed = match random.below(8) {
        0 => format!("{}{}{}", &text[..start], word(random), &text[end..]),
        1 => format!("{} {}{}", &text[..end], word(random), &text[end..]),
        2 => format!("{}{}", text[..start].trim_end_matches(' '), &text[end..]),
        3 if end > start + 3 => format!("{}{}", &text[..start + 2], &text[start + 3..]),
        4 => format!("{text}\n(defun new-{} (x)\n  (list x ({} x)))\n", random.below(5), word(random)),
        5 if ends.len() > 1 => {
            let at = random.below(ends.len() - 1);
            format!("{}{}", &text[..ends[at]], &text[ends[at + 1]..])
        }
        6 => format!("{}; {}\n{}", &text[..text.find("\n\n")? + 2], word(random), &text[text.find("\n\n")? + 2..]),
        _ => format!("{} ({} {}){}", &text[..end], word(random), word(random), &text[end..]),
    };
    (changed != text).then_some(changed)
}

fn language() -> Language {
    Dialect::CommonLisp.into()
}

fn index(texts: &Texts) -> Index {
    Index::default().with(texts.iter().map(|(path, text)| (path.clone(), text.clone(), language())))
}

/// What all rules find in all files after, and did not find before.
fn expected(before: &Texts, after: &Texts) -> Vec<String> {
    let (then, now) = (index(before), index(after));
    let (earlier, later) = (then.question(Dialect::CommonLisp), now.question(Dialect::CommonLisp));
    let chosen = Chosen::default();
    let mut told = Vec::new();
    for path in after.keys() {
        let (Some(old), Some(new)) = (then.document(path), now.document(path)) else { continue };
        let (found, known) = (chosen.findings(&later, new), chosen.findings(&earlier, old));
        let fresh = new_since(&known, &found).into_iter().filter(|one| !is_unfinished(new, Some(old), one));
        told.extend(fresh.map(|one| shown(&Problem::of(new, one, Path::new("")))));
    }
    told.sort();
    told
}

/// The same problem can have another name near it in each.
fn shown(problem: &Problem) -> String {
    format!("{}:{} {}", problem.path, problem.line, lasting(&problem.message))
}

fn ask(path: &Path, before: &str, after: &str) -> Ask {
    let change =
        Change { path: path.to_owned(), before: before.to_owned(), after: after.to_owned(), language: language() };
    Ask { changed: vec![change], chosen: Chosen::default(), reply: channel().0, until: Instant::now() }
}

#[test]
fn an_edit_tells_what_a_look_at_all_files_tells() {
    let mut random = Random(32);
    let mut texts: Texts = FILES.iter().map(|(name, text)| (PathBuf::from(name), (*text).to_owned())).collect();
    let start = texts.clone();
    let (mut judged, mut told) = (0, 0);
    for round in 0..60 {
        if round % 4 == 0 {
            texts.clone_from(&start);
        }
        let known = index(&texts);
        let slots = slots();
        let mut snapshot = Snapshot::of(&known, &slots);
        for _ in 0..6 {
            let path = texts.keys().nth(random.below(texts.len())).expect("a file").clone();
            let before = texts[&path].clone();
            let Some(after) = edited(&before, &mut random) else { continue };
            let mut now = texts.clone();
            now.insert(path.clone(), after.clone());
            let answer = snapshot.news(&ask(&path, &before, &after), Path::new(""));
            let earlier = std::mem::replace(&mut texts, now);
            // Where that needs a look at all files, it is one.
            let Some(answer) = answer else { break };
            let mut answer: Vec<String> = answer.iter().map(shown).collect();
            answer.sort();
            let expected = expected(&earlier, &texts);
            judged += 1;
            told += expected.len();
            assert_eq!(answer, expected, "{}\n--- before\n{before}\n--- after\n{after}", path.display());
        }
    }
    assert!(judged > 100 && told > 50, "{judged} edits are judged, and {told} problems told");
}
