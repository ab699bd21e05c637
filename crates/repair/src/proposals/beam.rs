//! The choice of the readings that are worth following.

use crate::proposals::search::State;
use crate::witnesses::nesting::Nesting;

/// Readings that cost this much more than the best are given up.
pub(crate) const WINDOW: f32 = 24.0;
/// The number of readings with the same open lists that are kept, at most.
const PER_STACK: u32 = 8;

/// The number of readings with one stack in the round `round`.
#[derive(Clone, Copy, Default)]
struct Count {
    stack: u64,
    round: u32,
    count: u32,
}

/// Keeps the cheapest readings, a few for each stack.
pub(crate) struct Beam {
    /// The number of readings that are kept, at most.
    width: usize,
    round: u32,
    /// A hash table with twice as many places as a round can fill, a power of two.
    counts: Vec<Count>,
    order: Vec<u64>,
    kept: Vec<State>,
}

impl Beam {
    pub(crate) fn new(width: usize) -> Self {
        let counts = vec![Count::default(); (2 * width).next_power_of_two()];
        Self { width, round: 0, counts, order: Vec::new(), kept: Vec::with_capacity(width) }
    }

    /// Some of this many readings are given up; fewer are all kept.
    pub(crate) fn prunes(&self, readings: usize) -> bool {
        readings > 1 && readings > self.width / 2
    }

    /// Keeps the best of `states`, best first; of equals the earlier. `left_out` more readings cost too much to be
    /// kept.
    pub(crate) fn prune(&mut self, states: &mut Vec<State>, left_out: usize, nesting: &Nesting<'_>) {
        if !self.prunes(states.len() + left_out) {
            return;
        }
        let best = states.iter().map(|state| state.cost).fold(f32::INFINITY, f32::min);
        let bound = best + WINDOW;
        self.order.clear();
        // No cost is negative, so the order of their bits is that of the costs.
        let near = states.iter().enumerate().filter(|(_, state)| state.cost <= bound);
        self.order.extend(near.map(|(index, state)| u64::from(state.cost.to_bits()) << 32 | index as u64));
        self.order.sort_unstable();
        self.next_round();
        self.kept.clear();
        for index in 0..self.order.len() {
            let state = states[self.order[index] as u32 as usize];
            if self.count(nesting.node(state.top).hash) <= PER_STACK {
                self.kept.push(state);
                if self.kept.len() == self.width {
                    break;
                }
            }
        }
        std::mem::swap(states, &mut self.kept);
    }

    fn next_round(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.counts.fill(Count::default());
            self.round = 1;
        }
    }

    /// Counts a reading with `stack`, and returns the number of readings with it in this round.
    fn count(&mut self, stack: u64) -> u32 {
        let mask = self.counts.len() - 1;
        let mut place = (stack >> 32) as usize & mask;
        loop {
            let found = &mut self.counts[place];
            if found.round != self.round {
                *found = Count { stack, round: self.round, count: 1 };
                return 1;
            }
            if found.stack == stack {
                found.count += 1;
                return found.count;
            }
            place = (place + 1) & mask;
        }
    }
}
