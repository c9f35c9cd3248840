//! Linux since 2021: every so often one MPDU tries a rate that is likely to be of use.
//!
//! ```text
//!   faster ── JUMP: a random rate of each group, faster than all that are in use
//!     ▲      INC: of each group the slowest that is faster than the best
//!   best
//!     ▼
//!   slower ── SLOW: between the fastest and the slowest in use
//! ```

use super::super::table::Table;
use super::contract::{GOOD, Sampling};
use crate::mac::rate::contract::Attempt;
use crate::units::{Dur, Rng, SimTime};

/// Rates of a kind that an interval tries at most.
const MOST: usize = 5;

/// The kinds in their order.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Inc,
    Jump,
    Slow,
}

const ORDER: [Kind; 6] = [Kind::Inc, Kind::Jump, Kind::Inc, Kind::Jump, Kind::Inc, Kind::Slow];

/// What is tried of one neighbour's rates.
#[derive(Clone, Debug)]
pub(in crate::mac::rate::minstrel_ht) struct Timed {
    /// By kind, the next one last.
    lists: [Vec<usize>; 3],
    turn: usize,
    every: Dur,
    due: SimTime,
}

impl Timed {
    /// One that tries a rate at once.
    #[must_use]
    pub(super) const fn new(now: SimTime, every: Dur) -> Self {
        Self { lists: [Vec::new(), Vec::new(), Vec::new()], turn: 0, every, due: now }
    }
}

impl Sampling for Timed {
    fn refill(&mut self, table: &Table, rng: &mut Rng) {
        let used @ [best, ..] = table.used();
        let time = |&rung: &usize| table.packet(rung);
        let fastest = used.iter().map(time).fold(f64::INFINITY, f64::min);
        let slowest = used.iter().map(time).fold(0.0, f64::max);
        let fresh = |rung: &usize| !used.contains(rung);
        let groups = table.groups();
        let of = |group| table.of_group(group).filter(fresh);
        let inc = groups.iter().filter_map(|&group| of(group).find(|rung| time(rung) < table.packet(best)));
        let mut jump = Vec::new();
        for &group in &groups {
            let faster: Vec<usize> = of(group).filter(|rung| time(rung) < fastest).collect();
            if !faster.is_empty() {
                jump.push(faster[rng.below(faster.len() as u32) as usize]); // a few dozen
            }
        }
        let between =
            |rung: &usize| time(rung) > fastest && time(rung) <= slowest && table.share(*rung) <= GOOD;
        let slow = (0..table.len()).filter(fresh).filter(between);
        self.lists = [inc.take(MOST).collect(), jump, slow.take(MOST).collect()];
        self.lists[1].truncate(MOST);
        self.lists.iter_mut().for_each(|list| list.reverse());
    }

    fn next(&mut self, now: SimTime, table: &Table, _: &mut Rng) -> Option<Attempt> {
        if now < self.due {
            return None;
        }
        for _ in ORDER {
            let kind = ORDER[self.turn] as usize;
            self.turn = (self.turn + 1) % ORDER.len();
            while let Some(rung) = self.lists[kind].pop() {
                if rung != table.best()[0] {
                    self.due = now + self.every;
                    return Some(Attempt { probe: true, alone: true, ..Attempt::at(rung) });
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::estimate::Estimate;
    use super::super::super::table::{Cost, Group};
    use super::*;
    use crate::units::{Entity, Purpose};

    /// Rates of one group whose packets take 5, 4, 3, 2 and 1 ms; of a hundred MPDUs at each so many came through.
    fn tried(acked: [u32; 5]) -> (Timed, Table, Rng) {
        let cost = |ms: f64| Cost { group: Group::default(), packet: ms / 1e3, preamble: 0.0, overhead: 0.0 };
        let mut table = Table::new(Estimate::Smooth, &[5.0, 4.0, 3.0, 2.0, 1.0].map(cost));
        acked.iter().enumerate().for_each(|(rung, &count)| table.note(rung, 100, count));
        table.update();
        let mut sampling = Timed::new(SimTime::ZERO, Dur::from_ms(20));
        let mut rng = Rng::stream(1, 1, Entity::Node("0"), Purpose::Backoff);
        sampling.refill(&table, &mut rng);
        (sampling, table, rng)
    }

    fn all(acked: [u32; 5]) -> Vec<usize> {
        let (mut sampling, table, mut rng) = tried(acked);
        let next = |at| sampling.next(SimTime::from_ms(at), &table, &mut rng).map(|it| it.rung);
        (0..).map_while(|turn| Some(turn * 20)).map_while(next).collect()
    }

    /// The best is the fourth, the second and the safest is the first.
    #[test]
    fn first_what_is_faster_than_the_best_is_tried_and_then_what_is_between_those_in_use() {
        assert_eq!(all([100, 20, 0, 50, 0]), [4, 4, 1, 2], "INC, JUMP, and twice SLOW");
        assert_eq!(all([0, 0, 0, 0, 100]), [0; 0], "the best is the fastest, and none is slower in use");
    }

    #[test]
    fn a_rate_is_tried_when_it_is_due() {
        let (mut sampling, table, mut rng) = tried([100, 20, 0, 50, 0]);
        let mut next = |at| sampling.next(SimTime::from_ms(at), &table, &mut rng).map(|it| it.rung);
        assert_eq!([0, 19, 20, 39].map(&mut next), [Some(4), None, Some(4), None]);
        assert_eq!([40, 60, 80].map(&mut next), [Some(1), Some(2), None]);
    }
}
