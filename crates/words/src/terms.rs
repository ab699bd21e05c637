//! Terms that differ between readers: the arguments and tools of a client, the options and commands of a shell.

use crate::Skin;

/// The terms of one kind of reader.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) name: &'static str,
    pub(crate) line: &'static str,
    pub(crate) index: &'static str,
    pub(crate) content: &'static str,
    pub(crate) old_text: &'static str,
    pub(crate) new_text: &'static str,
    pub(crate) dialect: &'static str,
    pub(crate) repair_edit: &'static str,
    pub(crate) repair_patch: &'static str,
    pub(crate) replace_all: &'static str,
    pub(crate) delete: &'static str,
    pub(crate) insert: &'static str,
    pub(crate) insert_before: &'static str,
    /// The operation that puts forms at the end of a file.
    pub(crate) append: &'static str,
    pub(crate) outline: &'static str,
    pub(crate) read: &'static str,
    pub(crate) read_all: &'static str,
    pub(crate) patch: &'static str,
    pub(crate) check: &'static str,
    pub(crate) edit: &'static str,
    pub(crate) eval: &'static str,
    pub(crate) load: &'static str,
    pub(crate) tests: &'static str,
    pub(crate) inspect: &'static str,
    /// The request to repeat the call.
    pub(crate) again: &'static str,
}

impl Terms {
    /// The terms of the readers of `skin`.
    pub(crate) const fn of(skin: Skin) -> &'static Self {
        match skin {
            Skin::Client => &Self::TOOLS,
            Skin::Surface(surface) => &surface.terms,
            Skin::Shell => &Self::COMMAND_LINE,
        }
    }

    /// The tools' own names.
    pub(crate) const TOOLS: Self = Self {
        name: "`name`",
        line: "`line`",
        index: "`index`",
        content: "`content`",
        old_text: "old_text",
        new_text: "new_text",
        dialect: "`dialect`",
        repair_edit: "with repair=true",
        repair_patch: "with repair=true",
        replace_all: "replace_all=true",
        delete: "operation=delete",
        insert: "operation=insert_before or insert_after",
        insert_before: "insert_before",
        append: "lisp_edit_form with operation append",
        outline: "lisp_read_file",
        read: "lisp_read_form",
        read_all: "lisp_read_form and \"limit\"",
        patch: "lisp_patch_form",
        check: "lisp_check_parens",
        edit: "lisp_edit_form",
        eval: "repl_eval",
        load: "load_system",
        tests: "run_tests",
        inspect: "inspect_object",
        again: "call again",
    };

    const COMMAND_LINE: Self = Self {
        name: "NAME",
        line: "--line",
        index: "--index",
        content: "standard input",
        old_text: "--old",
        new_text: "--new",
        dialect: "--dialect",
        repair_edit: "without --no-repair",
        repair_patch: "with --repair",
        replace_all: "--replace-all",
        delete: "`lispwright edit FILE delete`",
        insert: "`lispwright edit FILE insert-before` or `insert-after`",
        insert_before: "insert-before",
        append: "`lispwright edit FILE append`",
        outline: "`lispwright outline`",
        read: "`lispwright read`",
        read_all: "`lispwright read`; its characters are",
        patch: "`lispwright patch`",
        check: "`lispwright check`",
        edit: "`lispwright edit`",
        eval: "`lispwright eval`",
        load: "`lispwright load`",
        tests: "`lispwright test`",
        inspect: "`lispwright eval`",
        again: "run it again",
    };
}
