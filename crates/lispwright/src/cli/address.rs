//! The address of a form on the command line.

use lispwright_edit::Target;

use super::dashed::dashed;

/// The options that name a form.
#[derive(Debug, clap::Args)]
pub(crate) struct Address {
    /// What the form defines: foo, '(setf foo)', 'area :around (circle)'; or its head and first argument: 'setq foo'
    #[arg(allow_hyphen_values = true, value_parser = dashed)]
    pub(crate) name: Option<String>,

    /// Head symbol, such as defun
    #[arg(long = "type", value_name = "HEAD")]
    pub(crate) form_type: Option<String>,

    /// Which of several matches, from 1
    #[arg(long, value_name = "N")]
    pub(crate) index: Option<u32>,

    /// A line of the form
    #[arg(long, value_name = "LINE")]
    pub(crate) line: Option<u32>,
}

impl Address {
    /// The same as [`lispwright_edit::locate`] takes it.
    pub(crate) fn target(&self) -> Target<'_> {
        Target { name: self.name.as_deref(), form_type: self.form_type.as_deref(), index: self.index, line: self.line }
    }
}
