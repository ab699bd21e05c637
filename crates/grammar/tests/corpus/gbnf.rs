//! A machine for GBNF, after llama.cpp's description: a set of stacks, each waiting for a character.
//!
//! It was written independently of the generated grammars: it knows the notation, not Lisp. Stacks share their lower
//! parts, so that a set of them is a set of numbers; the sets are numbered as well, and the successor of a set for a
//! character is computed once. A file uses few sets, many times: those of the depths of its lists.

mod classes;
mod notation;

use std::collections::HashMap;

use crate::Decoder;
use classes::{Class, Classes};
use notation::{Element, Program};

/// Index of a place in the program's elements.
type ElementIndex = usize;
/// Index of a stack in the machine's memory; 0 is the empty one.
type Stack = u32;
/// Index of a set of stacks in the machine's memory.
type State = u32;

/// The memory is emptied before the next text when it holds more sets than this.
const MOST_STATES: usize = 400_000;

pub(crate) struct Machine {
    program: Program,
    classes: Classes,
    /// The position to continue at, and the stack below.
    stacks: Vec<(ElementIndex, Stack)>,
    known: HashMap<(ElementIndex, Stack), Stack>,
    /// Every set of stacks so far, in ascending order.
    states: Vec<Vec<Stack>>,
    named: HashMap<Vec<Stack>, State>,
    /// The successors of sets.
    steps: HashMap<(State, Class), State>,
}

impl Machine {
    pub(crate) fn new(grammar: &str) -> Self {
        let program = notation::parse(grammar);
        assert_eq!(program.left_recursive(), None, "llama.cpp refuses rules that begin with themselves");
        Self {
            classes: Classes::of(&program.sets),
            program,
            stacks: Vec::new(),
            known: HashMap::new(),
            states: Vec::new(),
            named: HashMap::new(),
            steps: HashMap::new(),
        }
    }

    fn push(&mut self, place: ElementIndex, below: Stack) -> Stack {
        let stacks = &mut self.stacks;
        *self.known.entry((place, below)).or_insert_with(|| {
            stacks.push((place, below));
            u32::try_from(stacks.len()).unwrap()
        })
    }

    /// Every stack that waits for a character, or is empty, after continuing `from` these positions and stacks.
    fn advance(&mut self, from: Vec<(ElementIndex, Stack)>) -> State {
        let (mut todo, mut seen, mut waiting) = (from, Vec::new(), Vec::new());
        while let Some((place, below)) = todo.pop() {
            // There are few, so a linear search is quicker than a table.
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
        waiting.sort_unstable();
        let states = &mut self.states;
        *self.named.entry(waiting).or_insert_with_key(|waiting| {
            states.push(waiting.clone());
            u32::try_from(states.len() - 1).unwrap()
        })
    }

    fn step(&mut self, state: State, class: Class) -> State {
        if let Some(&known) = self.steps.get(&(state, class)) {
            return known;
        }
        let mut next = Vec::new();
        for &stack in self.states[state as usize].iter().filter(|&&stack| stack != 0) {
            let (place, below) = self.stacks[stack as usize - 1];
            if matches!(self.program.elements[place], Element::Chars(set) if self.classes.meet(class, set)) {
                next.push((place + 1, below));
            }
        }
        let next = self.advance(next);
        self.steps.insert((state, class), next);
        next
    }
}

impl Decoder for Machine {
    fn accepts(&mut self, text: &str) -> bool {
        if self.states.len() > MOST_STATES {
            self.stacks.clear();
            self.known.clear();
            self.states.clear();
            self.named.clear();
            self.steps.clear();
        }
        let root = self.program.rules[self.program.root].clone();
        let mut state = self.advance(root.into_iter().map(|alternative| (alternative, 0)).collect());
        for c in text.chars() {
            state = self.step(state, self.classes.of_char(c));
            if self.states[state as usize].is_empty() {
                return false;
            }
        }
        self.states[state as usize].contains(&0)
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
