//! The stacks of open lists of all readings that are compared, and the cost of each token that is added to them.
//!
//! A stack is a chain of nodes, innermost first, and readings share nodes. Adding a datum replaces the innermost node
//! by a new one, so that another reading with the old node is not disturbed. A reading that is alone changes its nodes
//! in place.

use lispwright_syntax::{Delimiter, TokenKind};

use crate::proposals::steps::Steps;
use crate::text::code::{LITERAL, Token, name_of};
use crate::witnesses::arity::ArityId;
use crate::witnesses::cached_habits::CachedHabits;
use crate::witnesses::habits::{Habits, Place, Setting};
use crate::witnesses::operators::{is_conditional, is_of_data, is_threading};
use crate::witnesses::question::{MAP, MOST_ARGUMENTS, Question, argument, part_of, with_atom};

/// Index of a node.
pub(crate) type NodeId = u32;

/// The end of every chain: top level.
pub(crate) const ROOT: NodeId = 0;

/// The head of a list that does not begin with a symbol.
const NO_HEAD: u64 = 0;
/// Marks the key of lists without a head symbol, which are counted by the head around them.
const HEADLESS: u64 = 0x6A09_E667_F3BC_C908;

/// An open list as a part of a stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) parent: NodeId,
    /// The number of open lists, this one included.
    pub(crate) depth: u32,
    /// A hash of the openers that are open.
    pub(crate) hash: u64,
    pub(crate) delimiter: Delimiter,
    /// The index of the token that opens it; one that was added has its highest bit set.
    pub(crate) opener: u32,
    list: ListId,
}

/// Index of a list.
pub(crate) type ListId = u32;

/// Everything about an open list that decides the cost of the next token.
#[derive(Clone, Copy, Debug, PartialEq)]
struct List {
    delimiter: Delimiter,
    /// Whether it is inside another list, is a top-level form, or is top level itself.
    level: Level,
    column: i32,
    line: u32,
    head: u64,
    /// The head of the list around it.
    around: u64,
    /// The key for questions about its first datum: from the head around it and its index there, or from the part that
    /// it is of a form.
    first: u64,
    /// Its index among the data of the list around it, from 0.
    index: u32,
    /// The number of its arguments that the list around it supplies, like `->`.
    supplied: u32,
    children: u32,
    /// Column of the first argument if it is on the opener's line; otherwise -1.
    argument: i32,
    /// Column of the last datum that begins a line in the list; otherwise -1.
    sibling: i32,
    sibling_is_list: bool,
    /// The number of lines in a row, up to the last one, that begin with a list.
    lists_in_a_row: u8,
    /// The last datum is an atom that began a line.
    after_line_atom: bool,
    /// The last datum is an atom that is not a symbol.
    after_literal: bool,
    /// A symbol that belongs to the body is on the line of the head.
    crowded: bool,
    /// Its docstring has been read.
    documented: bool,
    /// It begins like a definition.
    definer: bool,
    /// The part that the list is of the form around it, which replaces its head; otherwise [`NO_HEAD`].
    part: u64,
    /// The part that the lists in this list are of the form around it, for example bindings of `let`; otherwise
    /// [`NO_HEAD`]. If set, nothing in this list is called.
    parts: u64,
    /// The last datum is a list that began a line.
    after_line_list: bool,
    /// The observations that this list has shown before: a bit for each answer to each question, and those below.
    shown: u32,
    /// It or a list around it is quoted.
    quoted: bool,
    /// Its place is not that of a call, or how many arguments it has is not known.
    uncounted: bool,
    /// It is in a definition, where lists that begin with keywords are options.
    in_definer: bool,
    /// How many arguments its head takes.
    arity: ArityId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Top,
    Form,
    Inner,
}

/// The bits of [`List::shown`] for lines below each other, and for a list that goes on after many arguments.
const SIBLINGS: u32 = 31;
const GOES_ON: u32 = 30;
/// The weight of an observation that the list has shown before, because it adds little evidence.
const REPEATED: f32 = 0.1;

/// The most that the column of a line costs which is as in the earlier text: it may belong to another list now.
const SETTLED: f32 = 1.0;
/// The cost of a line left of the opener of its list, in the same column as the line before.
const LEFT_AGAIN: f32 = 1.5;

impl List {
    /// The cost of an observation, lower if this list has shown it before.
    fn repeated(&mut self, bit: u32, cost: f32) -> f32 {
        let before = self.shown >> bit & 1 == 1;
        self.shown |= 1 << bit;
        if before { cost * REPEATED } else { cost }
    }
}

/// The end of every stack.
const BOTTOM: Node =
    Node { parent: ROOT, depth: 0, hash: 0x9E37, delimiter: Delimiter::Paren, opener: u32::MAX, list: ROOT };

/// The list at the beginning of each reading: top level.
const TOP_LEVEL: List = List {
    delimiter: Delimiter::Paren,
    level: Level::Top,
    column: -1,
    line: u32::MAX,
    head: NO_HEAD,
    around: NO_HEAD,
    first: NO_HEAD,
    index: 0,
    supplied: 0,
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
    quoted: false,
    uncounted: false,
    in_definer: false,
    arity: 0,
};

/// The readings of a usual form need about so many nodes and lists.
const MANY: usize = 2048;

/// The stacks of all readings.
pub(crate) struct Nesting<'h> {
    nodes: Vec<Node>,
    lists: Vec<List>,
    habits: CachedHabits<'h>,
    /// A cache for the current token, if several readings are followed.
    steps: Option<Steps>,
    /// Column where top-level forms begin.
    base: i32,
    /// A broken shape of a form of the dialect costs [`BROKEN_SHAPE`].
    pub(crate) checks: bool,
    /// The numbers of arguments cost nothing.
    pub(crate) shapes_only: bool,
}

/// The additional cost of a shape that is wrong in the language.
const BROKEN_SHAPE: f32 = 6.0;

/// The cost of a definition in the place of a function to call: `((defun ...`.
const CALLED_DEFINITION: f32 = 4.0;

/// The costs of a second top-level datum: at the beginning of a line in the column of forms, and elsewhere.
const SECOND_FORM: f32 = 5.0;
const FALLEN_OUT: f32 = 9.0;

impl<'h> Nesting<'h> {
    /// For one reading.
    pub(crate) fn new(habits: &'h Habits, base: i32) -> Self {
        let habits = CachedHabits::new(habits);
        Self {
            nodes: vec![BOTTOM],
            lists: vec![TOP_LEVEL],
            habits,
            steps: None,
            base,
            checks: false,
            shapes_only: false,
        }
    }

    /// For several readings: call [`Nesting::next_token`] before each token.
    pub(crate) fn of_many(habits: &'h Habits, base: i32) -> Self {
        let mut nesting = Self { steps: Some(Steps::default()), ..Self::new(habits, base) };
        nesting.nodes.reserve(MANY);
        nesting.lists.reserve(MANY);
        nesting.remember();
        nesting
    }

    /// All readings go on with the next token.
    pub(crate) fn next_token(&mut self) {
        if let Some(steps) = &mut self.steps {
            steps.clear();
        }
    }

    /// Caches the answers of the habits, which pays for a long text.
    pub(crate) fn remember(&mut self) {
        self.habits.remember();
    }

    /// Forgets everything that was read.
    pub(crate) fn start_over(&mut self) {
        self.nodes.truncate(1);
        self.lists.clear();
        self.lists.push(TOP_LEVEL);
    }

    fn shape(&self, question: Question, head: u64, yes: bool) -> f32 {
        let broken = self.checks && self.habits.breaks(question, head, yes);
        self.habits.shape(question, head, yes) + if broken { BROKEN_SHAPE } else { 0.0 }
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    fn list(&self, id: NodeId) -> &List {
        &self.lists[self.node(id).list as usize]
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }

    fn add_list(&mut self, list: List) -> ListId {
        self.lists.push(list);
        self.lists.len() as ListId - 1
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Removes all nodes and lists that are in none of the stacks `tops`, and updates `tops`. Only between tokens.
    pub(crate) fn keep_only(&mut self, tops: &mut [NodeId]) {
        const GONE: u32 = u32::MAX;
        let (mut moved, mut moved_lists) = (vec![GONE; self.nodes.len()], vec![GONE; self.lists.len()]);
        (moved[ROOT as usize], moved_lists[ROOT as usize]) = (ROOT, ROOT);
        for &top in tops.iter() {
            let mut id = top;
            while moved[id as usize] == GONE {
                moved[id as usize] = id;
                let node = self.node(id);
                moved_lists[node.list as usize] = node.list;
                id = node.parent;
            }
        }
        let mut kept = 0;
        for (id, moved) in moved_lists.iter_mut().enumerate().filter(|(_, moved)| **moved != GONE) {
            self.lists[kept] = self.lists[id];
            *moved = kept as ListId;
            kept += 1;
        }
        self.lists.truncate(kept);
        // A node is younger than its parent.
        kept = 0;
        for id in 0..moved.len() {
            if moved[id] != GONE {
                let node = self.nodes[id];
                let (parent, list) = (moved[node.parent as usize], moved_lists[node.list as usize]);
                self.nodes[kept] = Node { parent, list, ..node };
                moved[id] = kept as NodeId;
                kept += 1;
            }
        }
        self.nodes.truncate(kept);
        tops.iter_mut().for_each(|top| *top = moved[*top as usize]);
    }

    /// The situation and place of a token that begins a line in `list`.
    fn place(list: &List, column: i32) -> (Setting, Place) {
        let setting = Setting { call: list.head != NO_HEAD, sibling: list.sibling >= 0, head: list.head };
        let place = match column - list.column {
            _ if list.sibling == column && column > list.column => Place::Sibling,
            ..=0 if list.sibling == column => Place::Sibling,
            ..=0 => Place::Left,
            _ if column == list.argument => Place::Argument,
            1 => Place::One,
            2 => Place::Two,
            4 => Place::Four,
            _ => Place::Right,
        };
        (setting, place)
    }

    /// Adds a datum that begins with `token` to the innermost list; returns the new innermost node and the cost.
    pub(crate) fn datum(&mut self, top: NodeId, token: &Token, shift: i32) -> (NodeId, f32) {
        let node = *self.node(top);
        let column = if token.opens_line { token.place } else { token.place + shift };
        let from = (node.list, column, token.kind, token.opens_line);
        if let Some((list, cost)) = self.steps.as_ref().and_then(|steps| steps.datum(from)) {
            return (self.add(Node { list, ..node }), cost);
        }
        let mut list = self.lists[node.list as usize];
        let cost = self.take(&mut list, token, column);
        if self.steps.is_none() {
            self.lists[node.list as usize] = list;
            return (top, cost);
        }
        let list = self.add_list(list);
        if let Some(steps) = &mut self.steps {
            steps.keep_datum(from, (list, cost));
        }
        (self.add(Node { list, ..node }), cost)
    }

    /// Adds a datum to `list`, and returns the cost.
    fn take(&self, list: &mut List, token: &Token, column: i32) -> f32 {
        let is_list = token.kind.is_open();
        let mut cost = 0.0;
        if token.aside {
            let inside = list.level != Level::Top;
            let cost = if inside { self.placed(list, token, column) } else { 0.0 };
            Self::take_aside(list, token, column);
            return cost;
        }
        if list.level == Level::Top {
            if list.children > 0 {
                let beside = token.opens_line && column == self.base;
                cost += if beside { SECOND_FORM } else { FALLEN_OUT };
            } else if !is_list {
                cost += SECOND_FORM;
            }
            list.children += 1;
            return cost;
        }
        cost += self.placed(list, token, column);
        if let Some((question, head)) = Self::ends(list) {
            let more = self.shape(question, head, false);
            cost += if list.children > MOST_ARGUMENTS { list.repeated(GOES_ON, more) } else { more };
        }
        for (question, head, yes) in self.questions(list, token, is_list).into_iter().flatten() {
            let more = self.shape(question, head, yes);
            let broken = self.checks && self.habits.breaks(question, head, yes);
            cost += if broken { more } else { list.repeated(2 * question as u32 + u32::from(yes), more) };
        }
        if !is_list && Self::may_call(list) {
            cost += self.habits.name(token.name, Self::is_head(list));
        }
        if list.arity != 0 && !(list.uncounted || token.several || self.shapes_only) {
            cost += self.habits.habits().arities.row(list.arity).goes_on(list.children + list.supplied);
        }
        if token.definer && list.children == 0 && list.level == Level::Inner && list.index == 0 {
            cost += CALLED_DEFINITION;
        }
        Self::take_in(&self.habits, list, token, column, is_list);
        cost
    }

    /// Adds a datum without computing the cost; for one reading.
    pub(crate) fn pass(&mut self, top: NodeId, token: &Token) {
        let id = self.node(top).list as usize;
        let list = &mut self.lists[id];
        match list.level {
            _ if token.aside => Self::take_aside(list, token, token.place),
            Level::Top => list.children += 1,
            _ => Self::take_in(&self.habits, list, token, token.place, token.kind.is_open()),
        }
    }

    /// The cost of the column of a token, if it begins a line.
    fn placed(&self, list: &mut List, token: &Token, column: i32) -> f32 {
        if !token.opens_line {
            return 0.0;
        }
        let (setting, place) = Self::place(list, column);
        let more = self.habits.place(setting, place);
        let cost = match place {
            Place::Sibling if column <= list.column => LEFT_AGAIN,
            Place::Sibling => list.repeated(SIBLINGS, more),
            _ => more,
        };
        if token.settled { cost.min(SETTLED) } else { cost }
    }

    /// Adds a token that is no datum of the list: it only shows in which column its lines begin.
    fn take_aside(list: &mut List, token: &Token, column: i32) {
        if token.opens_line {
            list.sibling = column;
        }
        (list.after_line_atom, list.after_line_list) = (false, false);
        list.uncounted = true;
    }

    /// Adds a datum of sound code, and counts what it shows instead of computing the cost.
    pub(crate) fn learn(&mut self, top: NodeId, token: &Token, habits: &mut Habits) {
        let list = self.list(top);
        let is_list = token.kind.is_open();
        if list.level != Level::Top {
            if token.opens_line {
                let (setting, place) = Self::place(list, token.place);
                habits.see_place(setting, place);
            }
            if let Some((question, head)) = Self::ends(list).filter(|_| !token.aside) {
                habits.see_shape(question, head, false);
            }
            let asked = if token.aside { [None; 4] } else { self.questions(list, token, is_list) };
            for (question, head, yes) in asked.into_iter().flatten() {
                habits.see_shape(question, head, yes);
            }
            if !is_list && !token.aside && Self::may_call(list) {
                habits.see_name(token.name, Self::is_head(list));
            }
        }
        self.pass(top, token);
    }

    /// The next symbol, if it is the first of the list, is called.
    fn may_call(list: &List) -> bool {
        list.children > 0 || Self::may_call_head(list)
    }

    fn may_call_head(list: &List) -> bool {
        list.part == NO_HEAD && list.parts == NO_HEAD
    }

    /// The next datum is the head of the list.
    fn is_head(list: &List) -> bool {
        list.children == 0 && list.delimiter == Delimiter::Paren
    }

    fn questions(&self, list: &List, token: &Token, is_list: bool) -> [Option<(Question, u64, bool)>; 4] {
        if list.children == 0 {
            let asks = list.delimiter == Delimiter::Paren;
            return [asks.then_some((Question::ListFirst, list.first, is_list)), None, None, None];
        }
        let begins = token.opens_line;
        let follow = match (list.after_line_list, list.after_line_atom) {
            (true, _) => Some((Question::Follows, list.head, !begins)),
            (false, true) if list.after_literal => Some((Question::LiteralGoesOn, list.head, !begins)),
            (false, true) => Some((Question::SymbolGoesOn, list.head, !begins)),
            (false, false) => None,
        };
        let kind = match (begins, list.sibling >= 0) {
            (false, _) => None,
            (true, true) if list.lists_in_a_row > 1 => Some((Question::AtomAfterLists, list.head, !is_list)),
            (true, true) => list.sibling_is_list.then_some((Question::AtomAfterList, list.head, !is_list)),
            (true, false) => Some((Question::AtomFirst, list.head, !is_list)),
        };
        let call = list.head != NO_HEAD && list.delimiter == Delimiter::Paren;
        let is = call.then_some((Question::IsList, argument(list.head, list.children), is_list));
        let has_line = || self.habits.crowds(list.head, MOST_ARGUMENTS);
        let crowded =
            (begins && list.sibling < 0 && has_line()).then_some((Question::Crowded, list.head, list.crowded));
        [follow, kind, is, crowded]
    }

    fn take_in(habits: &CachedHabits<'_>, list: &mut List, token: &Token, column: i32, is_list: bool) {
        if list.children == 0 && token.kind == TokenKind::Atom && token.head != NO_HEAD && list.parts == NO_HEAD {
            list.head = if list.part == NO_HEAD { token.head } else { list.part };
            list.definer = token.definer;
            let option = list.in_definer && token.name == LITERAL;
            let no_call = list.part != NO_HEAD || list.quoted || list.uncounted || option;
            let counts = list.delimiter == Delimiter::Paren && !no_call;
            list.arity = if counts { habits.habits().arities.id(token.head) } else { 0 };
        } else if list.children == 1 {
            if token.line == list.line {
                list.argument = column;
            }
            if !is_list && habits.depends_on_atom(list.head) {
                list.head = with_atom(list.head);
            }
        }
        list.uncounted |= token.several;
        let beside = token.is_symbol() && token.line == list.line;
        list.crowded |= beside && !token.opens_line && habits.crowds(list.head, list.children);
        // A docstring does not count as an argument.
        let fits = token.kind == TokenKind::String && !list.documented;
        let docstring = fits && habits.has_docstring(list.head, list.children);
        list.documented |= docstring;
        list.children += u32::from(!docstring);
        if token.opens_line {
            list.sibling = column;
            list.sibling_is_list = is_list;
            list.lists_in_a_row = if is_list { list.lists_in_a_row.saturating_add(1) } else { 0 };
        }
        list.after_line_atom = token.opens_line && !is_list;
        list.after_literal = token.name == LITERAL;
        list.after_line_list = token.opens_line && is_list;
    }

    /// Opens a list, and returns its node.
    pub(crate) fn open(&mut self, top: NodeId, delimiter: Delimiter, token: &Token, index: u32, shift: i32) -> NodeId {
        let around = *self.node(top);
        let column = token.column + if token.first { 0 } else { shift };
        let from = (around.list, column, delimiter);
        if self.steps.is_none() {
            // The nodes after the innermost one are of lists that are closed.
            self.nodes.truncate(top as usize + 1);
            self.lists.truncate(around.list as usize + 1);
        }
        let list = match self.steps.as_ref().and_then(|steps| steps.opened(from)) {
            Some(list) => list,
            None => {
                let list = self.opened(around.list, delimiter, token, column);
                if let Some(steps) = &mut self.steps {
                    steps.keep_opened(from, list);
                }
                list
            }
        };
        self.add(Node {
            parent: top,
            depth: around.depth + 1,
            hash: (around.hash.rotate_left(7) ^ u64::from(index).wrapping_add(1)).wrapping_mul(0x517c_c1b7_2722_0a95),
            delimiter,
            opener: index,
            list,
        })
    }

    /// A new list in the list `around`; an equal one that this token has opened before, if any.
    fn opened(&mut self, around: ListId, delimiter: Delimiter, token: &Token, column: i32) -> ListId {
        let around = &self.lists[around as usize];
        let index = around.children.saturating_sub(1);
        let has_parts = |inner| around.head != NO_HEAD && self.habits.has_parts(around.head, index, inner);
        let (part, parts) = match delimiter {
            Delimiter::Paren if around.level == Level::Top || token.aside => (NO_HEAD, NO_HEAD),
            Delimiter::Paren if around.parts != NO_HEAD => (around.parts, NO_HEAD),
            Delimiter::Paren if has_parts(false) => (part_of(around.head), NO_HEAD),
            Delimiter::Paren if has_parts(true) => (NO_HEAD, part_of(around.head)),
            _ => (NO_HEAD, NO_HEAD),
        };
        let first = match around.parts {
            NO_HEAD => argument(around.head, index),
            parts => argument(parts, 0),
        };
        let quoted = around.quoted || token.quoted || is_of_data(around.head);
        let in_definer = around.definer;
        let uncounted = token.aside || Self::is_no_call(&self.habits, around, index);
        let level = if around.level == Level::Top { Level::Form } else { Level::Inner };
        let (line, around) = (token.line, around.head);
        let supplied = u32::from(index > 1 && is_threading(around));
        let list = List {
            delimiter,
            level,
            column,
            line,
            around,
            first,
            index,
            supplied,
            part,
            parts,
            quoted,
            uncounted,
            in_definer,
            ..TOP_LEVEL
        };
        let alike = self.steps.iter().flat_map(Steps::all_opened).find(|id| self.lists[*id as usize] == list);
        alike.unwrap_or_else(|| self.add_list(list))
    }

    /// A list in the list `around` as the datum `index` is none that is called: a list of parameters, what a clause
    /// compares with, or a step of a conditional pipeline.
    fn is_no_call(habits: &CachedHabits<'_>, around: &List, index: u32) -> bool {
        let defines = around.definer && index == 1;
        let compares = around.part != NO_HEAD && index == 0 && around.part != part_of(name_of(b"cond"));
        defines || compares || habits.habits().takes_list(around.head, index) || is_conditional(around.head)
    }

    /// The innermost list may begin with a list: bindings, a clause, or one that does so in this file.
    pub(crate) fn may_begin_with_list(&self, top: NodeId) -> bool {
        let list = self.list(top);
        let clause = list.part != NO_HEAD && self.list(self.node(top).parent).parts == NO_HEAD;
        clause || list.parts != NO_HEAD || self.habits.habits().allows(Question::ListFirst, list.first)
    }

    /// The next datum of the innermost list is called, if it is a symbol: the list is in the body of an operator or of
    /// a clause, and not in one of their other parts.
    pub(crate) fn is_call(&self, top: NodeId) -> bool {
        let (list, around) = (self.list(top), self.list(self.node(top).parent));
        let operator = || around.parts == NO_HEAD && self.habits.habits().is_operator(around.head);
        Self::is_head(list) && Self::may_call_head(list) && (around.part != NO_HEAD || operator())
    }

    /// The innermost list is in a definition of the language, such as `define` or `defmethod`.
    pub(crate) fn is_in_definition(&self, top: NodeId) -> bool {
        let around = self.list(self.node(top).parent);
        around.definer && self.habits.habits().is_operator(around.head)
    }

    /// Closes the innermost list, and returns the node around it and the cost.
    pub(crate) fn close(&self, top: NodeId) -> (NodeId, f32) {
        let list = self.list(top);
        let ends = Self::ends(list).map_or(0.0, |(question, head)| self.shape(question, head, true));
        let pairs = Self::pairs(list).map_or(0.0, |(head, yes)| self.shape(Question::Pairs, head, yes));
        let arguments = match list.arity {
            0 => 0.0,
            _ if list.uncounted || self.shapes_only => 0.0,
            id => self.habits.habits().arities.row(id).ends(list.children - 1 + list.supplied),
        };
        (self.node(top).parent, ends + pairs + arguments)
    }

    /// The innermost list has fewer or more arguments than its head takes.
    pub(crate) fn breaks_arity(&self, top: NodeId) -> bool {
        let list = self.list(top);
        let row = self.habits.habits().arities.row(list.arity);
        !list.uncounted && list.children > 0 && row.forbids(list.children - 1 + list.supplied)
    }

    /// Closes the innermost list without computing the cost.
    pub(crate) fn leave(&self, top: NodeId) -> NodeId {
        self.node(top).parent
    }

    /// Closes the innermost list of sound code, and counts what it shows instead of computing the cost.
    pub(crate) fn learn_close(&self, top: NodeId, habits: &mut Habits) -> NodeId {
        let list = self.list(top);
        if let Some((question, head)) = Self::ends(list) {
            habits.see_shape(question, head, true);
        }
        if let Some((head, yes)) = Self::pairs(list) {
            habits.see_shape(Question::Pairs, head, yes);
        }
        self.node(top).parent
    }

    /// The question whether the list ends here.
    fn ends(list: &List) -> Option<(Question, u64)> {
        let asks = list.children > 0 && list.delimiter == Delimiter::Paren;
        let head = if list.head == NO_HEAD { list.around ^ HEADLESS } else { list.head };
        asks.then(|| (Question::Ends, argument(head, list.children - 1 + list.supplied)))
    }

    fn pairs(list: &List) -> Option<(u64, bool)> {
        let head = match list.delimiter {
            Delimiter::Paren => return None,
            Delimiter::Bracket => argument(list.around, list.index),
            Delimiter::Brace => MAP,
        };
        Some((head, list.children.is_multiple_of(2)))
    }
}
