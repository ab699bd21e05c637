//! A generated project that changes: modules with definitions, in no language yet.

use std::collections::HashMap;

/// The number of modules; two more files are the top and the tests.
const MODULES: usize = 10;

/// Definitions of a module at first.
const ITEMS: usize = 3;

/// What a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Function,
    Macro,
    /// A function whose body goes into its callers.
    Inline,
    Constant,
    /// A variable whose definition keeps a value that is there.
    Variable,
    /// A structure of two fields whose order its constant decides, with an accessor of each.
    Record,
    /// A function with methods, of which its constant decides how many.
    Generic,
}

const KINDS: [Kind; 7] =
    [Kind::Function, Kind::Macro, Kind::Inline, Kind::Constant, Kind::Variable, Kind::Record, Kind::Generic];

/// A definition.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) constant: i64,
    /// The names of other definitions in its body.
    pub(crate) uses: Vec<String>,
}

/// A module in a file.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) name: String,
    pub(crate) items: Vec<Item>,
    /// The numbers of the modules that it imports, all smaller than its own.
    pub(crate) imports: Vec<usize>,
    /// What is wrong with its file.
    pub(crate) fault: Option<Fault>,
    /// The number of remarks in its file.
    pub(crate) remarks: u32,
}

/// What can be wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is not there.
    Gone,
    /// It ends too early.
    Unbalanced,
    /// A form at top level signals an error.
    Raises,
}

/// The project. It changes by the numbers of a generator.
pub(crate) struct Project {
    pub(crate) modules: Vec<Module>,
    /// The names that the tests call, and the value that they expect.
    pub(crate) tests: Vec<(String, i64)>,
    seed: u64,
    next: u32,
}

impl Project {
    pub(crate) fn new(seed: u64) -> Self {
        let mut project = Self { modules: Vec::new(), tests: Vec::new(), seed: seed.wrapping_mul(2) + 1, next: 0 };
        for number in 0..MODULES {
            let mut imports: Vec<usize> = (0..number).filter(|_| project.chance(3)).collect();
            if number > 0 && imports.is_empty() {
                imports.push(number - 1);
            }
            let name = format!("m{number}");
            project.modules.push(Module { name, items: Vec::new(), imports, fault: None, remarks: 0 });
            for _ in 0..ITEMS {
                project.add_item(number);
            }
        }
        project.expect_all();
        project
    }

    /// A number below `bound`, of a multiplicative generator.
    fn below(&mut self, bound: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.seed >> 33) % bound as u64).unwrap()
    }

    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// The names that a module can use: those of its imports and its own.
    fn usable(&self, module: usize) -> Vec<String> {
        let imported = self.modules[module].imports.iter().flat_map(|&number| &self.modules[number].items);
        imported.chain(&self.modules[module].items).map(|item| item.name.clone()).collect()
    }

    fn add_item(&mut self, module: usize) -> String {
        let usable = self.usable(module);
        let uses: Vec<String> = usable.into_iter().filter(|_| self.chance(4)).take(3).collect();
        self.next += 1;
        let name = format!("d{}", self.next);
        let kind = KINDS[self.below(KINDS.len())];
        let constant = i64::try_from(self.below(50)).unwrap();
        // A record is made of nothing else.
        let uses = if kind == Kind::Record { Vec::new() } else { uses };
        self.modules[module].items.push(Item { name: name.clone(), kind, constant, uses });
        name
    }

    /// All definitions, with the numbers of their modules.
    pub(crate) fn items(&self) -> impl Iterator<Item = (usize, &Item)> {
        self.modules.iter().enumerate().flat_map(|(number, module)| module.items.iter().map(move |item| (number, item)))
    }

    pub(crate) fn item(&self, name: &str) -> Option<&Item> {
        self.items().map(|(_, item)| item).find(|item| item.name == name)
    }

    /// The values of all definitions that are there.
    fn values(&self) -> HashMap<String, i64> {
        let mut values = HashMap::new();
        for (_, item) in self.items() {
            let used: i64 = item.uses.iter().filter_map(|name| values.get(name)).sum();
            values.insert(item.name.clone(), item.value(used));
        }
        values
    }

    /// Makes the tests expect what the files say.
    fn expect_all(&mut self) {
        let values = self.values();
        let wanted: Vec<String> = self.items().map(|(_, item)| item.name.clone()).collect();
        let mut tests: Vec<(String, i64)> = Vec::new();
        for name in wanted {
            if self.chance(2) {
                tests.push((name.clone(), values[&name]));
            }
        }
        self.tests = tests;
    }

    /// A name that is used and that no module defines.
    fn dangling(&self) -> Option<String> {
        let mut used = self.items().flat_map(|(_, item)| &item.uses);
        used.find(|name| self.item(name).is_none()).cloned()
    }

    fn forget_uses(&mut self, name: &str) {
        for item in self.modules.iter_mut().flat_map(|module| &mut module.items) {
            item.uses.retain(|used| used != name);
        }
    }

    fn any_module(&mut self) -> usize {
        self.below(MODULES)
    }

    /// A definition: the numbers of its module and in it.
    fn any_item(&mut self) -> Option<(usize, usize)> {
        let module = self.any_module();
        let count = self.modules[module].items.len();
        (count > 0).then(|| (module, self.below(count)))
    }

    /// Changes something, and says what.
    pub(crate) fn change(&mut self) -> String {
        // What is wrong is put right before long.
        if let Some(number) = self.modules.iter().position(|module| module.fault.is_some())
            && self.chance(2)
        {
            let module = &mut self.modules[number];
            let fault = module.fault.take();
            return format!("{}: no longer {fault:?}", module.name);
        }
        if self.chance(3)
            && let Some(name) = self.dangling()
        {
            self.forget_uses(&name);
            self.expect_all();
            return format!("{name} is not used any more");
        }
        let happened = loop {
            if let Some(happened) = self.try_change() {
                break happened;
            }
        };
        if !self.chance(4) {
            self.expect_all();
        }
        happened
    }

    fn try_change(&mut self) -> Option<String> {
        let (module, at) = self.any_item()?;
        let name = self.modules[module].items[at].name.clone();
        let file = self.modules[module].name.clone();
        Some(match self.below(20) {
            0..7 => {
                self.modules[module].items[at].constant += 1;
                format!("{file}: another constant of {name}")
            }
            7..9 => {
                let kind = KINDS[self.below(KINDS.len())];
                let item = &mut self.modules[module].items[at];
                if kind == Kind::Record || kind == item.kind {
                    return None;
                }
                item.kind = kind;
                format!("{file}: {name} is a {kind:?} now")
            }
            9 => {
                // Its users stay.
                self.modules[module].items.remove(at);
                format!("{file}: {name} removed")
            }
            10 => {
                self.modules[module].items.remove(at);
                self.forget_uses(&name);
                self.tests.retain(|(test, _)| *test != name);
                format!("{file}: {name} removed, with its uses")
            }
            11 | 12 => format!("{file}: {} added", self.add_item(module)),
            13 => {
                self.next += 1;
                let new = format!("d{}", self.next);
                self.modules[module].items[at].name.clone_from(&new);
                let others = self.modules.iter_mut().flat_map(|module| &mut module.items);
                for used in others.flat_map(|item| &mut item.uses).filter(|used| **used == name) {
                    used.clone_from(&new);
                }
                format!("{file}: {name} renamed to {new}")
            }
            14 => {
                let to = self.below(module + 1);
                if to == module || !self.modules[module].imports.contains(&to) {
                    return None;
                }
                // Who uses it imports its new module as well.
                let users: Vec<usize> =
                    self.items().filter(|(_, item)| item.uses.contains(&name)).map(|(number, _)| number).collect();
                let mut item = self.modules[module].items.remove(at);
                item.uses.clear();
                self.modules[to].items.push(item);
                for user in users {
                    if user > to && !self.modules[user].imports.contains(&to) {
                        self.modules[user].imports.push(to);
                    }
                }
                format!("{file}: {name} moved to m{to}")
            }
            15 => {
                let import = self.below(module + 1);
                if import == module || self.modules[module].imports.contains(&import) {
                    return None;
                }
                self.modules[module].imports.push(import);
                format!("{file}: imports m{import}")
            }
            16 => {
                let usable = self.usable(module);
                let item = &self.modules[module].items[at];
                let later = self.modules[module].items[at..].iter().map(|item| item.name.clone()).collect::<Vec<_>>();
                if item.kind == Kind::Record {
                    return None;
                }
                let usable: Vec<String> = usable.into_iter().filter(|name| !later.contains(name)).collect();
                if usable.is_empty() {
                    return None;
                }
                let used = usable[self.below(usable.len())].clone();
                self.modules[module].items[at].uses = vec![used.clone()];
                format!("{file}: {name} uses {used}")
            }
            17 => {
                let fault = [Fault::Gone, Fault::Unbalanced, Fault::Raises][self.below(3)];
                self.modules[module].fault = Some(fault);
                format!("{file}: {fault:?}")
            }
            18 => {
                self.modules[module].remarks += 1;
                format!("{file}: a remark")
            }
            _ => {
                self.expect_all();
                "tests: others".to_owned()
            }
        })
    }
}

impl Item {
    /// Its value, with those that it uses.
    fn value(&self, used: i64) -> i64 {
        match self.kind {
            Kind::Record => 1 + self.constant % 2,
            Kind::Generic => self.constant + used + 100 * (self.constant % 2),
            _ => self.constant + used,
        }
    }
}
