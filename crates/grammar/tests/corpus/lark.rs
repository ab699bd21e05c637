//! llguidance, fed byte by byte.

use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{ApproximateTokEnv, TokenId};
use llguidance::{Matcher, ParserFactory};

use crate::Decoder;

pub(crate) struct Llguidance {
    matcher: Matcher,
    end: TokenId,
}

impl Llguidance {
    pub(crate) fn new(grammar: &str) -> Self {
        let tokens = ApproximateTokEnv::single_byte_env();
        let end = tokens.tok_trie().eos_token();
        let mut factory = ParserFactory::new_simple(&tokens).unwrap();
        factory.quiet();
        let mut matcher = Matcher::new(factory.create_parser(TopLevelGrammar::from_lark(grammar.to_owned())));
        assert_eq!(matcher.get_error(), None, "{grammar}");
        assert_eq!(matcher.grammar_warnings(), Vec::<String>::new());
        Self { matcher, end }
    }
}

impl Decoder for Llguidance {
    fn accepts(&mut self, text: &str) -> bool {
        let tokens: Vec<TokenId> = text.bytes().map(TokenId::from).chain([self.end]).collect();
        self.matcher.validate_tokens(&tokens).unwrap() == tokens.len()
    }
}
