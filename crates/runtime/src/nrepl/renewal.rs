//! Bringing the image of a server that was started here to the state of the files, before code is judged.
//!
//! Such a server keeps functions for that in a namespace of its own (`images/clojure/renewal.clj`): it notes what each file
//! makes while it is loaded. A server that somebody else runs has none of it; there a load is only a load.

use std::time::{Duration, Instant};

use super::bencode::Bencode;
use super::details::{self, literal};
use super::evaluate::Evaluated;
use super::image::Image;
use crate::eval::Ending;
use crate::remote::Lost;
use crate::renewal::{LoadedFile, Renewal, Renewed};
use crate::stop::Controls;
use crate::wire::Value;
use crate::work::{LoadTarget, Project};

/// The time for the compilation of its functions, which goes on beside the first calls, on a busy machine.
const PREPARATION_LIMIT: Duration = Duration::from_secs(120);

/// A form that loads the target after what has to be loaded anew.
pub(super) fn bringing(target: &LoadTarget, Renewal { stale, gone, .. }: &Renewal, force: bool) -> String {
    let pair = |(space, name): &(String, String)| format!("[{} {}]", literal(space), literal(name));
    let stale = stale.iter().map(|file| {
        let variables: Vec<String> = file.variables.iter().map(pair).collect();
        format!("[{} {} [{}]]", literal(&file.path), file.needed, variables.join(" "))
    });
    let stale: Vec<String> = stale.collect();
    let gone: Vec<String> = gone.iter().map(|path| literal(path)).collect();
    let target = match target {
        LoadTarget::Path(path) => format!(":path {}", literal(path)),
        LoadTarget::System(name) => format!(":library {}", literal(name.trim_start_matches('\''))),
    };
    format!(
        "(lispwright.image/bring-to-files {{{target} :force {force} :stale [{}] :gone [{}]}})",
        stale.join(" "),
        gone.join(" ")
    )
}

impl Image {
    /// Whether the image can be brought to the state of the files.
    pub(super) async fn renews(&mut self) -> Result<bool, Lost> {
        if let Some(known) = self.renews {
            return Ok(known);
        }
        let question = "(do (some-> (resolve 'lispwright.image/ready) deref deref) \
                            (str (when (resolve 'lispwright.image/restore-settings) \"(:THERE T)\")))";
        let answer = if self.prepared { self.ask_image(question).await? } else { None };
        let renews = answer.is_some_and(|answer| answer.get_truth("THERE"));
        self.renews = Some(renews);
        Ok(renews)
    }

    /// The loaded files of the project; none if the image does not know.
    pub(crate) async fn loaded_files(&mut self, project: &Project) -> Result<Evaluated, Lost> {
        let mut files = Vec::new();
        if self.renews().await? {
            let roots = project.roots.iter().map(|root| literal(&format!("{}/", root.trim_end_matches('/'))));
            let question = format!("(lispwright.image/loaded-files [{}])", roots.collect::<Vec<_>>().join(" "));
            files = self.ask_image(&question).await?.map(|answer| LoadedFile::read_all(&answer)).unwrap_or_default();
        }
        Ok(Ending::LoadedFiles(files).into())
    }

    /// What the last load has changed, and the exit status with which a file ended it.
    pub(super) async fn renewed(&mut self) -> Result<(Renewed, Option<i64>), Lost> {
        let answer = self.ask_image("(lispwright.image/told)").await?;
        Ok(answer.map(|answer| (Renewed::read(&answer), answer.get_integer("EXIT-STATUS"))).unwrap_or_default())
    }

    /// Puts back the settings that tests have changed, and returns which ones.
    pub(super) async fn restored(&mut self) -> Result<Vec<String>, Lost> {
        let answer = self.ask_image("(lispwright.image/restore-settings)").await?;
        Ok(answer.map(|answer| Renewed::read(&answer).restored).unwrap_or_default())
    }

    async fn ask_image(&mut self, question: &str) -> Result<Option<Value>, Lost> {
        let session = self.control.clone().unwrap_or_else(|| self.session.clone());
        let message = [
            ("op", Bencode::text("eval")),
            ("session", Bencode::text(session)),
            ("code", Bencode::text(question)),
            ("nrepl.middleware.caught/caught", Bencode::text("clojure.core/identity")),
        ];
        let reply = self.exchange(message, Instant::now() + PREPARATION_LIMIT, &Controls::default()).await?;
        Ok(reply.value.and_then(|(printed, _)| details::answer(&printed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::renewal::StaleFile;

    #[test]
    fn a_request_is_a_form_of_clojure() {
        let renewal = Renewal {
            stale: vec![StaleFile {
                path: "/p/a \"b\".clj".to_owned(),
                needed: true,
                variables: vec![("shop.base".to_owned(), "state".to_owned())],
            }],
            gone: vec!["/p/c.clj".to_owned()],
            uses: vec![],
            keeps: false,
        };
        assert_eq!(
            bringing(&LoadTarget::System("shop.core".to_owned()), &renewal, false),
            "(lispwright.image/bring-to-files {:library \"shop.core\" :force false :stale \
             [[\"/p/a \\\"b\\\".clj\" true [[\"shop.base\" \"state\"]]]] :gone [\"/p/c.clj\"]})"
        );
    }
}
