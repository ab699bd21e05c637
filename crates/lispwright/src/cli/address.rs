//! What a person says on the command line about the form that is meant.

use lispwright_edit::Target;

/// The form.
#[derive(Debug, clap::Args)]
pub(crate) struct Address {
    /// What the form defines: foo, '(setf foo)', 'area :around (circle)'; or its head and first argument: 'setq foo'
    #[arg(allow_hyphen_values = true)]
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
    /// The same for [`lispwright_edit::locate`].
    pub(crate) fn target(&self) -> Target<'_> {
        Target { name: self.name.as_deref(), form_type: self.form_type.as_deref(), index: self.index, line: self.line }
    }
}
