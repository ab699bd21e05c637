//! The names of a structural tool set for Guile.

use lispwright_words::surfaces::guile;

use super::{SurfaceRow, row};

pub(super) const ROWS: &[SurfaceRow] = &[
    row("read_module", "path* collapsed+ name_pattern+ content_pattern+ offset+ limit+"),
    row("read_form", "path* name* form_type+ index+ line+"),
    row("replace_form", "path* name* new_source* form_type+ index+ line+ digest+ repair+")
        .said(
            "Replace a form by name; everything else stays byte for byte. Source that does not balance is repaired if certain, \
             else refused with the line to fix.",
        )
        .answers(guile::edited, "repaired_source:string"),
    row("insert_form", "path* anchor_name* position* new_source* form_type+ index+ line+ digest+ repair+")
        .said("Insert forms before or after a form, by its name.")
        .answers(guile::edited, "repaired_source:string"),
    row("delete_form", "path* name* form_type+ index+ line+ digest+").said("Delete a form by name, with its own header comment."),
    row("eval_expr", "expr* namespace").answers(guile::evaluated, "value:string"),
    row("check_syntax", "source_or_path source+ path+ dialect")
        .answers(guile::checked, "valid:boolean errors:array repaired_source:string|null")
        .data(),
    row("find_references", "path_or_module symbol*").answers(guile::referred, "refs:array").data(),
    row("list_module_exports", "path* offset limit"),
    row("macro_expand", "expr* namespace"),
    row("load_module", "path*"),
];
