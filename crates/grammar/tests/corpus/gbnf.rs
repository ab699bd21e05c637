//! A machine for GBNF, after llama.cpp's description: a set of stacks, each waiting for a character.
//!
//! Written without a look at how the grammars are made: it knows the notation, not Lisp. Stacks share their lower
//! parts, so that a set of them is a set of numbers.

mod notation;

use std::collections::HashMap;

use crate::Decoder;
use notation::{Element, Program};

/// Index of a place in the program's elements.
type Place = usize;
/// Index of a stack in the machine's memory; 0 is the empty one.
type Stack = u32;

pub(crate) struct Machine {
    program: Program,
    /// Place to go on at, and the stack below.
    stacks: Vec<(Place, Stack)>,
    known: HashMap<(Place, Stack), Stack>,
}

impl Machine {
    pub(crate) fn new(grammar: &str) -> Self {
        let program = notation::parse(grammar);
        assert_eq!(program.left_recursive(), None, "llama.cpp refuses rules that begin with themselves");
        Self { program, stacks: Vec::new(), known: HashMap::new() }
    }

    fn push(&mut self, place: Place, below: Stack) -> Stack {
        let stacks = &mut self.stacks;
        *self.known.entry((place, below)).or_insert_with(|| {
            stacks.push((place, below));
            u32::try_from(stacks.len()).unwrap()
        })
    }

    /// Every stack that waits for a character, or is empty, when reading goes on at `place` above `below`.
    fn advance(&mut self, from: Vec<(Place, Stack)>) -> Vec<Stack> {
        let (mut todo, mut seen, mut waiting) = (from, Vec::new(), Vec::new());
        while let Some((place, below)) = todo.pop() {
            // There are few, so that looking through them is quicker than a table.
            if seen.contains(&(place, below)) {
                continue;
            }
            seen.push((place, below));
            match self.program.elements[place] {
                Element::Chars(_) => waiting.push(self.push(place, below)),
                Element::End if below == 0 => waiting.push(0),
                Element::End => todo.push(self.stacks[below as usize - 1]),
                Element::Rule(rule) => {
                    let last = matches!(self.program.elements[place + 1], Element::End);
                    let below = if last { below } else { self.push(place + 1, below) };
                    todo.extend(self.program.rules[rule].iter().map(|&alternative| (alternative, below)));
                }
            }
        }
        waiting
    }
}

impl Decoder for Machine {
    fn accepts(&mut self, text: &str) -> bool {
        self.stacks.clear();
        self.known.clear();
        let root = self.program.rules[self.program.root].clone();
        let mut waiting = self.advance(root.into_iter().map(|alternative| (alternative, 0)).collect());
        for c in text.chars() {
            let mut next = Vec::new();
            for stack in waiting.into_iter().filter(|&stack| stack != 0) {
                let (place, below) = self.stacks[stack as usize - 1];
                if matches!(self.program.elements[place], Element::Chars(set) if self.program.sets[set].has(c)) {
                    next.push((place + 1, below));
                }
            }
            if next.is_empty() {
                return false;
            }
            waiting = self.advance(next);
        }
        waiting.contains(&0)
    }
}

#[test]
fn the_machine_follows_the_notation() {
    let mut machine = Machine::new(
        "# a comment\nroot ::= \"a\\\"\" [^b-d\\]]+ (\"x\" | two)? \"\" # end\ntwo ::=\n  [\\x41\\u00e9] |\n  \"yy\"*\n",
    );
    for text in ["a\"e", "a\"eex", "a\"eA", "a\"éé", "a\"zyyyy"] {
        assert!(machine.accepts(text), "{text}");
    }
    for text in ["", "a", "a\"", "a\"b", "a\"]", "a\"ed"] {
        assert!(!machine.accepts(text), "{text}");
    }
    assert_eq!(notation::parse("root ::= (\"a\"? root)*").left_recursive().as_deref(), Some("root"));
}
