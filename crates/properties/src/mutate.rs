//! Inputs made from other inputs without a fuzzer: bytes are removed, repeated or moved, and pieces of Lisp are
//! inserted.

/// Pieces of Lisp, broken or not, marks that change the reading of a text, and the separator of the parts of an input.
pub const PIECES: [&[u8]; 53] = [
    b"(",
    b")",
    b"(",
    b")",
    b"[",
    b"]",
    b"{",
    b"}",
    b"\"",
    b"\\",
    b"|",
    b"#",
    b";",
    b"'",
    b"`",
    b",@",
    b"#|",
    b"|#",
    b"#\\(",
    b"?(",
    b"?\\)",
    b"#_",
    b"#;",
    b"#+x ",
    b"#?(",
    b"^",
    b"a",
    b"foo",
    b"defun f",
    b"(let ((a 1))",
    b" ",
    b" ",
    b"\n",
    b"\n  ",
    b"\n    ",
    b"\r\n",
    b"\t",
    b"\x0c",
    "λ".as_bytes(),
    "\u{feff}".as_bytes(),
    b"\x80",
    b"\xff",
    b"\n(defun f (x)\n  (g x))\n",
    b"\n(define (f x)\n  (g x))\n",
    b"(defn f [x]\n  {:a x})\n",
    b"#<<E\n",
    b"#!",
    b"!#",
    b"#!r7rs",
    b"(chezscheme)",
    b"#!fold-case",
    b"(define-library ",
    b"#lang ",
];

/// Makes the same inputs from the same seed on every run.
#[derive(Clone, Debug)]
pub struct Mutator {
    state: u64,
}

impl Mutator {
    /// A mutator that begins with `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number below `end`, or 0.
    fn below(&mut self, end: usize) -> usize {
        // A linear congruential generator; its high bits are the output.
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % end.max(1)
    }

    /// One of `inputs` with a few changes, of at most `longest` bytes.
    #[must_use]
    pub fn mutated(&mut self, inputs: &[Vec<u8>], longest: usize) -> Vec<u8> {
        let mut data = inputs[self.below(inputs.len())].clone();
        for _ in 0..=self.below(5) {
            self.change(&mut data, inputs);
        }
        data.truncate(longest);
        data
    }

    fn change(&mut self, data: &mut Vec<u8>, inputs: &[Vec<u8>]) {
        let at = self.below(data.len() + 1);
        let longest = 2 << self.below(8);
        let end = at + self.below((data.len() - at + 1).min(longest));
        match self.below(6) {
            0 => drop(data.drain(at..end)),
            1 => {
                let copy = data[at..end].to_vec();
                let to = self.below(data.len() + 1);
                data.splice(to..to, copy);
            }
            2 => {
                let other = &inputs[self.below(inputs.len())];
                let from = self.below(other.len() + 1);
                let to = from + self.below((other.len() - from + 1).min(200));
                data.splice(at..end, other[from..to].iter().copied());
            }
            3 if at < data.len() => data[at] = self.below(256) as u8,
            _ => {
                let piece = PIECES[self.below(PIECES.len())];
                data.splice(at..at, piece.iter().copied());
            }
        }
    }
}
