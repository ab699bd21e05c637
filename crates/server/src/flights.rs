//! The unanswered requests of a connection.
//!
//! Requests are passed on under numbers of our own, so that the ids of a client never collide inside the server, and an
//! answer is sent only for a number that is still recorded: each request gets exactly one.

use std::collections::{HashMap, HashSet};

use rmcp::model::{ProgressToken, RequestId};

/// The limit on a client's unanswered requests.
pub(crate) const MOST_IN_FLIGHT: usize = 1024;

/// The unanswered requests, by the client's id and by the server's number.
#[derive(Debug, Default)]
pub(crate) struct Flights {
    last: i64,
    flying: HashMap<i64, Flight>,
    numbers: HashMap<RequestId, i64>,
    /// The request whose progress a token is for.
    tokens: HashMap<ProgressToken, i64>,
    /// Requests of this server that the client has not answered.
    pub(crate) asked: HashSet<i64>,
    /// Answers that are being written.
    writing: HashSet<i64>,
}

#[derive(Debug)]
struct Flight {
    id: RequestId,
    token: Option<ProgressToken>,
}

/// The reason why a request is not accepted.
#[derive(Debug, PartialEq)]
pub(crate) enum Turned {
    /// A request with the same id is unanswered.
    Duplicate,
    /// [`MOST_IN_FLIGHT`] requests are unanswered.
    TooMany,
}

impl Flights {
    /// Records a request, and the token of its progress.
    pub(crate) fn board(&mut self, id: &RequestId, token: Option<ProgressToken>) -> Result<i64, Turned> {
        if self.numbers.contains_key(id) {
            return Err(Turned::Duplicate);
        }
        if self.flying.len() >= MOST_IN_FLIGHT {
            return Err(Turned::TooMany);
        }
        self.last += 1;
        if let Some(token) = &token {
            self.tokens.insert(token.clone(), self.last);
        }
        self.flying.insert(self.last, Flight { id: id.clone(), token });
        self.numbers.insert(id.clone(), self.last);
        Ok(self.last)
    }

    /// The client's id for an answer that is to be written, unless the request was withdrawn or already answered.
    pub(crate) fn land(&mut self, number: i64) -> Option<RequestId> {
        let id = self.remove(number)?;
        self.writing.insert(number);
        Some(id)
    }

    /// An answer has been written.
    pub(crate) fn landed(&mut self, number: i64) {
        self.writing.remove(&number);
    }

    /// Takes a request back; it gets no answer.
    pub(crate) fn withdraw(&mut self, id: &RequestId) -> Option<i64> {
        let number = *self.numbers.get(id)?;
        self.remove(number)?;
        Some(number)
    }

    fn remove(&mut self, number: i64) -> Option<RequestId> {
        let Flight { id, token } = self.flying.remove(&number)?;
        self.numbers.remove(&id);
        if let Some(token) = token
            && self.tokens.get(&token) == Some(&number)
        {
            self.tokens.remove(&token);
        }
        Some(id)
    }

    /// Whether a request with this id is unanswered.
    pub(crate) fn has(&self, id: &RequestId) -> bool {
        self.numbers.contains_key(id)
    }

    /// The ids of all unanswered requests.
    pub(crate) fn ids(&self) -> Vec<RequestId> {
        self.numbers.keys().cloned().collect()
    }

    /// The number of the unanswered request that gave this token.
    pub(crate) fn of_token(&self, token: &ProgressToken) -> Option<i64> {
        self.tokens.get(token).copied()
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.flying.is_empty() && self.writing.is_empty()
    }

    pub(crate) fn is_done(&self, number: i64) -> bool {
        !self.flying.contains_key(&number) && !self.writing.contains(&number)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use rmcp::model::NumberOrString;

    use super::*;

    fn id(number: i64) -> RequestId {
        RequestId::Number(number)
    }

    fn token(number: i64) -> Option<ProgressToken> {
        Some(ProgressToken(NumberOrString::Number(number)))
    }

    #[test]
    fn an_id_is_taken_until_its_answer_lands() {
        let mut flights = Flights::default();
        let number = flights.board(&id(7), None).unwrap();
        assert_eq!(flights.board(&id(7), None), Err(Turned::Duplicate));
        assert_eq!(flights.land(number), Some(id(7)));
        assert_eq!(flights.land(number), None, "one answer only");
        // The client may use the id again as soon as it can have read the answer.
        assert!(flights.board(&id(7), None).unwrap() != number);
        assert!(!flights.is_done(number), "the answer is being written");
        flights.landed(number);
        assert!(flights.is_done(number));
    }

    #[test]
    fn a_withdrawn_request_lands_no_answer() {
        let mut flights = Flights::default();
        let number = flights.board(&id(7), None).unwrap();
        assert_eq!(flights.withdraw(&id(7)), Some(number));
        assert_eq!(flights.withdraw(&id(7)), None);
        assert_eq!(flights.land(number), None);
        assert!(flights.is_idle());
    }

    #[test]
    fn unanswered_requests_are_bounded() {
        let mut flights = Flights::default();
        for number in 0..MOST_IN_FLIGHT as i64 {
            flights.board(&id(number), None).unwrap();
        }
        assert_eq!(flights.board(&id(-1), None), Err(Turned::TooMany));
        flights.withdraw(&id(5));
        assert!(flights.board(&id(-1), None).is_ok());
    }

    #[test]
    fn progress_belongs_to_the_last_request_with_its_token() {
        let mut flights = Flights::default();
        let first = flights.board(&id(1), token(9)).unwrap();
        assert_eq!(flights.of_token(&token(9).unwrap()), Some(first));
        let second = flights.board(&id(2), token(9)).unwrap();
        flights.land(first);
        assert_eq!(flights.of_token(&token(9).unwrap()), Some(second));
        flights.land(second);
        assert_eq!(flights.of_token(&token(9).unwrap()), None);
    }
}
