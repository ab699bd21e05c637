//! Reading on, token by token, with a stack that is shared between the readings that are compared.
//!
//! A stack is a chain of nodes, innermost first. Taking in a datum replaces the innermost node by one that knows of it,
//! so that another reading that holds the old node is not disturbed.

use lispwright_syntax::{Delimiter, TokenKind};

use crate::code::{LITERAL, Token};
use crate::habits::{Habits, Place, Setting};
use crate::operators::is_threading;
use crate::question::{MAP, MOST_ARGUMENTS, Question, argument, part_of, with_atom};

/// Index of a node.
pub(crate) type NodeId = u32;

/// The end of every chain: top level.
pub(crate) const ROOT: NodeId = 0;

/// What the head of a list is when it is not a symbol.
const NO_HEAD: u64 = 0;
/// Marks lists without a head symbol, which are known by the head around them.
const HEADLESS: u64 = 0x6A09_E667_F3BC_C908;

/// An open list with what has been read of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) parent: NodeId,
    pub(crate) delimiter: Delimiter,
    /// How many lists are open, this one included.
    pub(crate) depth: u32,
    /// Which openers are open, as a hash.
    pub(crate) hash: u64,
    column: i32,
    line: u32,
    head: u64,
    /// Which datum of the list around it this list is, from 0.
    index: u32,
    children: u32,
    /// Column of the first argument, when it stands on the opener's line; else -1.
    argument: i32,
    /// Column of the last datum that begins a line here; else -1.
    sibling: i32,
    sibling_is_list: bool,
    /// Lines that began with a list before any began with an atom.
    lists_in_a_row: u8,
    /// The last datum is an atom that began a line.
    after_line_atom: bool,
    /// It is not a symbol.
    after_literal: bool,
    /// A symbol stands on the line of the head that belongs to the body.
    crowded: bool,
    /// Its docstring has been read.
    documented: bool,
    /// It begins as a definition does.
    definer: bool,
    /// What the list is for the form around it, in place of a head; else [`NO_HEAD`].
    part: u64,
    /// What the lists in this list are for the form around it: bindings of `let`; else [`NO_HEAD`]. Nothing in it is called.
    parts: u64,
    /// The last datum is a list that began a line.
    after_line_list: bool,
    /// What this list has shown before: a bit for each answer to each question, and one for lines under each other.
    shown: u32,
}

/// The bits of [`Node::shown`] for lines under each other, and for going on with many arguments.
const SIBLINGS: u32 = 31;
const GOES_ON: u32 = 30;
/// What a list shows again says little that is new: by how much less it counts.
const REPEATED: f32 = 0.1;

/// What a line costs that stands left of the opener of its list, as the line before.
const LEFT_AGAIN: f32 = 1.5;

impl Node {
    /// What holds the top-level forms.
    const ROOT: Self = Self {
        parent: ROOT,
        delimiter: Delimiter::Paren,
        depth: 0,
        hash: 0x9E37,
        column: -1,
        line: u32::MAX,
        head: NO_HEAD,
        index: 0,
        children: 0,
        argument: -1,
        sibling: -1,
        sibling_is_list: false,
        lists_in_a_row: 0,
        after_line_atom: false,
        after_literal: false,
        crowded: false,
        documented: false,
        definer: false,
        part: NO_HEAD,
        parts: NO_HEAD,
        after_line_list: false,
        shown: 0,
    };

    /// What an observation costs that this list may have shown before.
    fn repeated(&mut self, bit: u32, cost: f32) -> f32 {
        let before = self.shown >> bit & 1 == 1;
        self.shown |= 1 << bit;
        if before { cost * REPEATED } else { cost }
    }
}

/// The nodes of all readings.
pub(crate) struct Nesting<'h> {
    nodes: Vec<Node>,
    habits: &'h Habits,
    /// Column where top-level forms begin.
    base: i32,
    /// What breaks the shape of a form that everyone knows costs [`BROKEN_SHAPE`].
    pub(crate) checks: bool,
}

/// What a shape costs besides that no reader of the language would take.
const BROKEN_SHAPE: f32 = 6.0;

/// A definition where a function to call is expected: `((defun ...`.
const CALLED_DEFINITION: f32 = 4.0;

/// A second form where one is expected: on a line of its own in the column of forms, elsewhere.
const SECOND_FORM: f32 = 5.0;
const FALLEN_OUT: f32 = 9.0;

impl<'h> Nesting<'h> {
    pub(crate) fn new(habits: &'h Habits, base: i32) -> Self {
        Self { nodes: vec![Node::ROOT], habits, base, checks: false }
    }

    /// Forgets everything that was read.
    pub(crate) fn start_over(&mut self) {
        self.nodes.truncate(ROOT as usize + 1);
    }

    fn shape(&self, question: Question, head: u64, yes: bool) -> f32 {
        let broken = self.checks && self.habits.breaks(question, head, yes);
        self.habits.shape(question, head, yes) + if broken { BROKEN_SHAPE } else { 0.0 }
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }

    /// What the innermost list says of a token that begins a line.
    fn place(node: &Node, column: i32) -> (Setting, Place) {
        let setting = Setting { call: node.head != NO_HEAD, sibling: node.sibling >= 0, head: node.head };
        let place = match column - node.column {
            _ if node.sibling == column && column > node.column => Place::Sibling,
            ..=0 if node.sibling == column => Place::Sibling,
            ..=0 => Place::Left,
            _ if column == node.argument => Place::Argument,
            1 => Place::One,
            2 => Place::Two,
            4 => Place::Four,
            _ => Place::Right,
        };
        (setting, place)
    }

    /// Takes in a datum that begins with `token`; the new innermost node and what that costs.
    pub(crate) fn datum(&mut self, top: NodeId, token: &Token, shift: i32) -> (NodeId, f32) {
        let mut node = *self.node(top);
        let is_list = token.kind.is_open();
        let column = if token.opens_line { token.place } else { token.place + shift };
        let mut cost = 0.0;
        if top == ROOT || node.depth == 0 {
            if node.children > 0 {
                let beside = token.opens_line && column == self.base;
                cost += if beside { SECOND_FORM } else { FALLEN_OUT };
            } else if !is_list {
                cost += SECOND_FORM;
            }
            node.children += 1;
            return (self.add(node), cost);
        }
        let parent_head = self.node(node.parent).head;
        if token.opens_line {
            let (setting, place) = Self::place(&node, column);
            let more = self.habits.place(setting, place);
            cost += match place {
                Place::Sibling if column <= node.column => LEFT_AGAIN,
                Place::Sibling => node.repeated(SIBLINGS, more),
                _ => more,
            };
        }
        if let Some((question, head)) = Self::ends(&node, parent_head) {
            let more = self.shape(question, head, false);
            cost += if node.children > MOST_ARGUMENTS { node.repeated(GOES_ON, more) } else { more };
        }
        for (question, head, yes) in self.questions(&node, token, is_list).into_iter().flatten() {
            let more = self.shape(question, head, yes);
            let broken = self.checks && self.habits.breaks(question, head, yes);
            cost += if broken { more } else { node.repeated(2 * question as u32 + u32::from(yes), more) };
        }
        if !is_list && Self::may_call(&node) {
            cost += self.habits.name(token.name, Self::is_head(&node));
        }
        if token.definer && node.children == 0 && node.depth > 1 && node.index == 0 {
            cost += CALLED_DEFINITION;
        }
        self.take_in(&mut node, token, column, is_list);
        (self.add(node), cost)
    }

    /// The same for code known to be sound: counted instead of charged.
    pub(crate) fn learn(&mut self, top: NodeId, token: &Token, habits: &mut Habits) -> NodeId {
        let mut node = *self.node(top);
        let is_list = token.kind.is_open();
        if node.depth == 0 {
            node.children += 1;
            return self.add(node);
        }
        let parent_head = self.node(node.parent).head;
        if token.opens_line {
            let (setting, place) = Self::place(&node, token.place);
            habits.see_place(setting, place);
        }
        if let Some((question, head)) = Self::ends(&node, parent_head) {
            habits.see_shape(question, head, false);
        }
        for (question, head, yes) in self.questions(&node, token, is_list).into_iter().flatten() {
            habits.see_shape(question, head, yes);
        }
        if !is_list && Self::may_call(&node) {
            habits.see_name(token.name, Self::is_head(&node));
        }
        self.take_in(&mut node, token, token.place, is_list);
        self.add(node)
    }

    /// The next symbol stands in first place because it is called, or not in first place.
    fn may_call(node: &Node) -> bool {
        node.children > 0 || (node.part == NO_HEAD && node.parts == NO_HEAD)
    }

    /// What comes next is the head of a list.
    fn is_head(node: &Node) -> bool {
        node.children == 0 && node.delimiter == Delimiter::Paren
    }

    fn questions(&self, node: &Node, token: &Token, is_list: bool) -> [Option<(Question, u64, bool)>; 4] {
        if node.children == 0 {
            let asks = node.delimiter == Delimiter::Paren;
            return [asks.then(|| (Question::ListFirst, self.first(node), is_list)), None, None, None];
        }
        let begins = token.opens_line;
        let follow = match (node.after_line_list, node.after_line_atom) {
            (true, _) => Some((Question::Follows, node.head, !begins)),
            (false, true) if node.after_literal => Some((Question::LiteralGoesOn, node.head, !begins)),
            (false, true) => Some((Question::SymbolGoesOn, node.head, !begins)),
            (false, false) => None,
        };
        let kind = match (begins, node.sibling >= 0) {
            (false, _) => None,
            (true, true) if node.lists_in_a_row > 1 => Some((Question::AtomAfterLists, node.head, !is_list)),
            (true, true) => node.sibling_is_list.then_some((Question::AtomAfterList, node.head, !is_list)),
            (true, false) => Some((Question::AtomFirst, node.head, !is_list)),
        };
        let call = node.head != NO_HEAD && node.delimiter == Delimiter::Paren;
        let is = call.then_some((Question::IsList, argument(node.head, node.children), is_list));
        let minds = || self.habits.crowds(node.head, MOST_ARGUMENTS);
        let crowded = (begins && node.sibling < 0 && minds()).then_some((Question::Crowded, node.head, node.crowded));
        [follow, kind, is, crowded]
    }

    fn take_in(&self, node: &mut Node, token: &Token, column: i32, is_list: bool) {
        if node.children == 0 && token.kind == TokenKind::Atom && token.head != NO_HEAD && node.parts == NO_HEAD {
            node.head = if node.part == NO_HEAD { token.head } else { node.part };
            node.definer = token.definer;
        } else if node.children == 1 {
            if token.line == node.line {
                node.argument = column;
            }
            if !is_list && self.habits.minds_atom(node.head) {
                node.head = with_atom(node.head);
            }
        }
        let beside = token.kind == TokenKind::Atom && token.name != LITERAL && token.line == node.line;
        node.crowded |= beside && !token.opens_line && self.habits.crowds(node.head, node.children);
        // Whatever has a docstring has as many arguments besides as without it.
        let fits = token.kind == TokenKind::String && !node.documented;
        let docstring = fits && self.habits.has_docstring(node.head, node.children);
        node.documented |= docstring;
        node.children += u32::from(!docstring);
        if token.opens_line {
            node.sibling = column;
            node.sibling_is_list = is_list;
            node.lists_in_a_row = if is_list { node.lists_in_a_row.saturating_add(1) } else { 0 };
        }
        node.after_line_atom = token.opens_line && !is_list;
        node.after_literal = token.name == LITERAL;
        node.after_line_list = token.opens_line && is_list;
    }

    /// A list opens.
    pub(crate) fn open(&mut self, top: NodeId, delimiter: Delimiter, token: &Token, index: u32, shift: i32) -> NodeId {
        let around = *self.node(top);
        let argument = around.children.saturating_sub(1);
        let has_parts = |inner| around.head != NO_HEAD && self.habits.has_parts(around.head, argument, inner);
        let (part, parts) = match delimiter {
            Delimiter::Paren if around.depth == 0 => (NO_HEAD, NO_HEAD),
            Delimiter::Paren if around.parts != NO_HEAD => (around.parts, NO_HEAD),
            Delimiter::Paren if has_parts(false) => (part_of(around.head), NO_HEAD),
            Delimiter::Paren if has_parts(true) => (NO_HEAD, part_of(around.head)),
            _ => (NO_HEAD, NO_HEAD),
        };
        self.add(Node {
            parent: top,
            delimiter,
            depth: around.depth + 1,
            hash: (around.hash.rotate_left(7) ^ u64::from(index).wrapping_add(1)).wrapping_mul(0x517c_c1b7_2722_0a95),
            column: token.column + if token.first { 0 } else { shift },
            line: token.line,
            index: argument,
            part,
            parts,
            ..Node::ROOT
        })
    }

    /// The innermost list is one that may begin with a list: bindings, a clause, or what this file has shown to.
    pub(crate) fn may_begin_with_list(&self, top: NodeId) -> bool {
        let node = self.node(top);
        let clause = node.part != NO_HEAD && self.node(node.parent).parts == NO_HEAD;
        clause || node.parts != NO_HEAD || self.habits.allows(Question::ListFirst, self.first(node))
    }

    /// The innermost list stands in a form that everyone knows to define something, `define` or `defmethod`.
    pub(crate) fn is_in_definition(&self, top: NodeId) -> bool {
        let around = self.node(self.node(top).parent);
        around.definer && self.habits.is_operator(around.head)
    }

    /// What is asked about the first datum of a list: by the head around it and which argument it is, or as one of the
    /// bindings of a form.
    fn first(&self, node: &Node) -> u64 {
        let around = self.node(node.parent);
        match around.parts {
            NO_HEAD => argument(around.head, node.index),
            parts => argument(parts, 0),
        }
    }

    /// The innermost list closes: the one around it, and what that costs.
    pub(crate) fn close(&self, top: NodeId) -> (NodeId, f32) {
        let node = self.node(top);
        let around = self.node(node.parent).head;
        let ends = Self::ends(node, around).map_or(0.0, |(question, head)| self.shape(question, head, true));
        let pairs = Self::pairs(node, around).map_or(0.0, |(head, yes)| self.shape(Question::Pairs, head, yes));
        (node.parent, ends + pairs)
    }

    /// The same for code known to be sound.
    pub(crate) fn learn_close(&self, top: NodeId, habits: &mut Habits) -> NodeId {
        let node = self.node(top);
        let around = self.node(node.parent).head;
        if let Some((question, head)) = Self::ends(node, around) {
            habits.see_shape(question, head, true);
        }
        if let Some((head, yes)) = Self::pairs(node, around) {
            habits.see_shape(Question::Pairs, head, yes);
        }
        node.parent
    }

    /// What is asked when the list may end. The form around may supply an argument, as `->` does.
    fn ends(node: &Node, around: u64) -> Option<(Question, u64)> {
        let asks = node.children > 0 && node.delimiter == Delimiter::Paren;
        let head = if node.head == NO_HEAD { around ^ HEADLESS } else { node.head };
        let supplied = u32::from(node.index > 1 && is_threading(around));
        asks.then(|| (Question::Ends, argument(head, node.children - 1 + supplied)))
    }

    fn pairs(node: &Node, around: u64) -> Option<(u64, bool)> {
        let head = match node.delimiter {
            Delimiter::Paren => return None,
            Delimiter::Bracket => argument(around, node.index),
            Delimiter::Brace => MAP,
        };
        Some((head, node.children.is_multiple_of(2)))
    }
}
