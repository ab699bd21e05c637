//! What the tables of a dialect say about a head: all of it in one look-up, because a walk asks for every list.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

use crate::definer::{FormKind, Shape, Wrapper};
use crate::dialects::Dialect;
use crate::special::SpecialForm;

/// How the lines of a form are indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indent {
    /// Below the first argument.
    Align,
    /// The arguments after so many, counted from 1, are a body: two columns right of the opener.
    Body(u8),
    /// All lines are two columns right of the opener.
    Definition,
}

/// What a dialect knows of a head, in canonical spelling.
#[derive(Clone, Copy, Debug, Default)]
pub struct Head {
    /// How its forms treat their arguments; `None` for a call.
    pub special: Option<SpecialForm>,
    /// It is a function that takes the name of a function for an argument, quoted: `mapcar`, `add-hook`.
    pub takes_functions: bool,
    /// How the mode of the dialect indents its forms, where the table says it.
    pub indent: Option<Indent>,
    /// What its forms define, and their shape.
    pub(crate) definer: Option<(FormKind, Shape)>,
    /// The shape of its forms, if they define macros.
    pub(crate) defines_macro: Option<Shape>,
    /// It only wraps definitions.
    pub(crate) wrapper: Option<Wrapper>,
}

impl Head {
    /// The tables say something of it.
    pub(crate) fn is_known(&self) -> bool {
        self.special.is_some() || self.indent.is_some() || self.definer.is_some() || self.wrapper.is_some()
    }
}

type Heads = HashMap<&'static str, Head, BuildHasherDefault<Words>>;

fn of(dialect: Dialect) -> Heads {
    let table = dialect.table();
    let mut heads = Heads::default();
    for (row, head) in table.definers.iter().flat_map(|row| row.heads.iter().map(move |head| (row, *head))) {
        let head = heads.entry(head).or_default();
        head.definer.get_or_insert((row.kind, row.shape));
        if row.kind == FormKind::Macro {
            head.defines_macro.get_or_insert(row.shape);
        }
    }
    for (row, head) in table.wrappers.iter().flat_map(|row| row.heads.iter().map(move |head| (row, *head))) {
        heads.entry(head).or_default().wrapper.get_or_insert(row.wrapper);
    }
    for (form, head) in table.special_forms.iter().flat_map(|(form, all)| all.iter().map(move |head| (*form, *head))) {
        heads.entry(head).or_default().special = Some(form);
    }
    for head in table.takes_functions {
        heads.entry(head).or_default().takes_functions = true;
    }
    for (head, indent) in table.shapes.indents.split_whitespace().filter_map(|row| row.rsplit_once(':')) {
        let indent = match indent.parse() {
            Ok(arguments) => Indent::Body(arguments),
            Err(_) if indent == "a" => Indent::Align,
            Err(_) => Indent::Definition,
        };
        heads.entry(head).or_default().indent = Some(indent);
    }
    heads
}

impl Dialect {
    /// What the tables say of a head, canonical; of an unknown one, nothing.
    pub fn head(self, head: &str) -> Head {
        // Each is made on first use, because a hook reads one file.
        static HEADS: [OnceLock<Heads>; Dialect::ALL.len()] = [const { OnceLock::new() }; Dialect::ALL.len()];
        HEADS[self as usize].get_or_init(|| of(self)).get(head).copied().unwrap_or_default()
    }
}

/// A quick hash for the words of the tables, which nobody chooses in order to collide.
#[derive(Default)]
pub(crate) struct Words(u64);

impl Words {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add(u64::from_le_bytes(last) ^ ((bytes.len() as u64) << 56));
    }

    fn write_u8(&mut self, _: u8) {}

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}
