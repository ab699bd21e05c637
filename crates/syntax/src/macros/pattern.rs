//! The parameters of a macro, and the places of their arguments in its calls.

use super::Reading;
use crate::datum::Datum;
use crate::definer::Place;
use crate::name::parameter_word;

/// The parameters of a macro.
pub(super) struct Pattern<'t> {
    pub(super) parameters: Vec<Parameter<'t>>,
    /// The data of the lambda list or pattern that the arguments of a call match, in order.
    pub(super) data: Vec<Datum>,
}

/// A parameter whose argument is at a known place.
#[derive(Clone, Copy)]
pub(super) struct Parameter<'t> {
    pub(super) name: &'t str,
    pub(super) place: Place,
    /// It takes this argument and all after it.
    pub(super) rest: bool,
}

impl<'t> Reading<'t> {
    /// The parameters in a lambda list or vector.
    pub(super) fn lambda_list(&self, datum: Datum) -> Option<Pattern<'t>> {
        Some(self.pattern(self.data(datum.list()?)))
    }

    /// The parameters in `data`, the content of a lambda list, or of a pattern without its keyword.
    pub(super) fn pattern(&self, data: impl Iterator<Item = Datum>) -> Pattern<'t> {
        let mut pattern = Pattern { parameters: Vec::new(), data: Vec::new() };
        let (mut rest, mut aside) = (false, false);
        for datum in data {
            let word = self.atom(datum).unwrap_or_default();
            match parameter_word(word).to_ascii_lowercase().as_str() {
                "&whole" | "&environment" => aside = true,
                "&optional" => {}
                "&rest" | "&body" | "&" | "." => rest = true,
                "..." => {
                    if let Some(last) = pattern.parameters.last_mut() {
                        last.rest = last.place.within.is_none();
                    }
                }
                // The arguments for all further parameters are found by keyword.
                word if word.starts_with(['&', ':']) || word.starts_with("#:") => break,
                _ if aside => aside = false,
                _ => {
                    let at = pattern.data.len() as u8;
                    pattern.data.push(datum);
                    pattern.parameters.extend(self.parameters(datum, at, rest));
                }
            }
        }
        pattern
    }

    /// The parameters in one datum of a lambda list: a symbol is one, a list contains several.
    fn parameters(&self, datum: Datum, at: u8, rest: bool) -> Vec<Parameter<'t>> {
        if let Some(name) = self.atom(datum) {
            return vec![Parameter { name, place: Place { at, within: None }, rest }];
        }
        let inner = datum.list().into_iter().flat_map(|list| self.data(list)).map_while(|datum| self.atom(datum));
        let inner = inner.take_while(|name| *name != "." && !parameter_word(name).starts_with('&')).enumerate();
        inner
            .map(|(within, name)| Parameter { name, place: Place { at, within: Some(within as u8) }, rest: false })
            .collect()
    }
}
