//! What the sound forms of a file, and its earlier text, show of its habits.

use lispwright_syntax::Language;

use crate::code::Token;
use crate::habits::Habits;
use crate::nesting::{Nesting, ROOT};
use crate::scope::Chunk;

/// Tokens of healthy forms from which habits are learnt.
const MOST_LEARNT: usize = 30_000;

/// Counts the layout of the healthy forms but the one at `around`, nearest to it first, and of the sound texts in
/// `context`.
pub(crate) fn learn<'a>(
    tokens: &[Token],
    chunks: &[Chunk],
    around: usize,
    context: impl IntoIterator<Item = &'a str>,
    language: &Language,
) -> Habits {
    let known = Habits::knowing(language.dialect());
    let mut habits = known.clone();
    let mut nesting = Nesting::new(&known, 0);
    let mut learnt = 0;
    for distance in 1..=chunks.len() {
        for index in [around.checked_sub(distance), around.checked_add(distance)].into_iter().flatten() {
            let Some(chunk) = chunks.get(index).filter(|chunk| chunk.healthy) else { continue };
            learnt += chunk.tokens.len();
            learn_chunk(&tokens[chunk.tokens.clone()], &mut nesting, &mut habits);
        }
        if learnt > MOST_LEARNT {
            break;
        }
    }
    for text in context {
        if learnt > MOST_LEARNT {
            break;
        }
        let tokens = crate::code::tokens(text, language);
        for chunk in crate::scope::chunks(&tokens).iter().filter(|chunk| chunk.healthy) {
            learnt += chunk.tokens.len();
            learn_chunk(&tokens[chunk.tokens.clone()], &mut nesting, &mut habits);
        }
    }
    habits
}

fn learn_chunk(tokens: &[Token], nesting: &mut Nesting<'_>, habits: &mut Habits) {
    nesting.start_over();
    let mut top = ROOT;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            kind if kind.is_prefix() => {}
            kind if kind.is_close() => top = nesting.learn_close(top, habits),
            kind => {
                top = nesting.learn(top, token, habits);
                if kind.is_open()
                    && let Some(delimiter) = token.delimiter()
                {
                    top = nesting.open(top, delimiter, token, index as u32, 0);
                }
            }
        }
    }
}
