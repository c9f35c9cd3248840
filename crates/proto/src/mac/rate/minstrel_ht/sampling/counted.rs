//! ns-3.44, after Linux before 2021: all rates in turn, each by a whole frame, so many frames after the one before.
//!
//! ```text
//!   probe × 4 ── 16 + 2 · mean MPDUs of a frame ── probe ── 16 + 2 · mean MPDUs ── probe ──
//!
//!   candidates: of each group in turn the next MCS of a random order, the same one of all groups
//!               used rate, share above 95 % ──► left out, the next frame looks at the next candidate
//!               slower than all that are fallen back to ──► left out for 20 updates
//! ```

use super::super::table::{Group, Table};
use super::contract::{GOOD, Sampling};
use crate::mac::rate::contract::Attempt;
use crate::units::{Rng, SimTime};

/// The first so many frames may each try a rate.
const FIRST: u32 = 4;
/// Frames between two that try a rate, beside twice the mean MPDUs of a frame.
const WAIT: u32 = 16;
/// Frames of an interval that may try a rate, by groups.
const MOST: u32 = 8;
/// A slower rate is tried after so many updates that found it unused.
const PATIENCE: u32 = 20;

/// What is tried of one neighbour's rates.
#[derive(Clone, Debug)]
pub(in crate::mac::rate::minstrel_ht) struct Counted {
    groups: Vec<Group>,
    turn: usize,
    /// Places in a group in the order in which they are looked at, the present one last.
    order: Vec<usize>,
    /// Frames before the next one that may try a rate.
    wait: u32,
    /// Frames that may try a rate before others are waited for.
    tries: u32,
    /// Frames that may try a rate before the next update.
    left: u32,
}

impl Counted {
    /// One that tries rates at once.
    #[must_use]
    pub(super) fn new(table: &Table) -> Self {
        Self { groups: table.groups(), turn: 0, order: Vec::new(), wait: 0, tries: FIRST, left: 0 }
    }

    /// The next rate, which a group may lack.
    fn candidate(&mut self, table: &Table, rng: &mut Rng) -> Option<usize> {
        if self.turn == 0 {
            self.order.pop();
            if self.order.is_empty() {
                let most = self.groups.iter().map(|&group| table.of_group(group).count()).max();
                self.order = shuffled((0..most.unwrap_or(0)).collect(), rng);
            }
        }
        let group = self.groups[self.turn];
        self.turn = (self.turn + 1) % self.groups.len();
        table.of_group(group).nth(*self.order.last()?)
    }
}

impl Sampling for Counted {
    fn refill(&mut self, _: &Table, _: &mut Rng) {
        self.left = MOST * self.groups.len() as u32; // a few
    }

    fn next(&mut self, _: SimTime, table: &Table, rng: &mut Rng) -> Option<Attempt> {
        if self.wait > 0 {
            self.wait -= 1;
            return None;
        }
        if self.left == 0 {
            return None;
        }
        let rung = self.candidate(table, rng).filter(|&rung| is_worth(table, rung))?;
        self.left -= 1;
        self.tries -= 1;
        if self.tries == 0 {
            self.tries = 1;
            self.wait = WAIT + 2 * table.length() as u32; // no more than a window
        }
        Some(Attempt { probe: true, ..Attempt::at(rung) })
    }
}

/// Whether something may be learnt of a rate.
fn is_worth(table: &Table, rung: usize) -> bool {
    let used @ [_, second, safest] = table.used();
    let slower = [second, safest].into_iter().all(|it| table.alone(rung) >= table.alone(it));
    !used.contains(&rung) && table.share(rung) <= GOOD && (!slower || table.idle(rung) >= PATIENCE)
}

/// In an order that is as likely as any other.
fn shuffled(mut places: Vec<usize>, rng: &mut Rng) -> Vec<usize> {
    for last in (1..places.len()).rev() {
        places.swap(last, rng.below(last as u32 + 1) as usize); // a few dozen
    }
    places
}

#[cfg(test)]
mod tests {
    use super::super::super::estimate::Estimate;
    use super::super::super::table::Cost;
    use super::*;
    use crate::units::{Entity, Purpose};

    /// Rates of one group whose packets take 5, 4, 3, 2 and 1 ms.
    fn table() -> Table {
        groups(&[(1, 5.0), (1, 4.0), (1, 3.0), (1, 2.0), (1, 1.0)])
    }

    fn groups(costs: &[(u8, f64)]) -> Table {
        let cost = |&(streams, ms): &(u8, f64)| Cost {
            group: Group { streams, ..Group::default() },
            packet: ms / 1e3,
            preamble: 0.0,
            overhead: 0.0,
        };
        Table::new(Estimate::Percents, &costs.iter().map(cost).collect::<Vec<_>>())
    }

    fn rng(seed: u64) -> Rng {
        Rng::stream(seed, 1, Entity::Node("0"), Purpose::Backoff)
    }

    /// At these of so many frames in one interval a rate is tried, and which.
    fn tried(it: &mut Counted, table: &Table, frames: u32, rng: &mut Rng) -> Vec<(u32, usize)> {
        it.refill(table, rng);
        let next = |frame| it.next(SimTime::ZERO, table, rng).map(|attempt| (frame, attempt.rung));
        (0..frames).filter_map(next).collect()
    }

    fn ready(table: &Table) -> Counted {
        Counted { tries: 1, ..Counted::new(table) }
    }

    /// The slowest is in use: the frame at which it is the candidate tries nothing.
    #[test]
    fn four_frames_may_try_a_rate_at_first_and_then_each_after_a_wait() {
        for seed in 1..20 {
            let (table, mut rng) = (table(), rng(seed));
            let frames = tried(&mut Counted::new(&table), &table, 40, &mut rng);
            let mut first: Vec<usize> = frames[..4].iter().map(|&(_, rung)| rung).collect();
            first.sort_unstable();
            assert_eq!(first, [1, 2, 3, 4], "seed {seed}: each once");
            let fourth = frames[3].0;
            assert!(fourth == 3 || fourth == 4, "seed {seed}: {fourth}");
            // One MPDU a frame: 16 + 2 others before the next. The slowest may be the last of a round and the first of
            // another.
            assert!((fourth + 19..=fourth + 21).contains(&frames[4].0), "seed {seed}: {frames:?}");
        }
    }

    #[test]
    fn the_wait_counts_frames_and_grows_with_their_mpdus() {
        for (mpdus, wait) in [(1, 18), (5, 16 + 2 * 2), (9, 16 + 2 * 3), (13, 16 + 2 * 4)] {
            let (mut table, mut rng) = (groups(&[(1, 5.0), (1, 4.0)]), rng(1));
            table.note(0, mpdus, mpdus); // the mean of frames is three quarters of 1 and a quarter of this
            table.update();
            let mut it = ready(&table);
            it.order = vec![1; 4];
            let frames: Vec<u32> =
                tried(&mut it, &table, 100, &mut rng).into_iter().map(|(at, _)| at).take(3).collect();
            assert_eq!(frames, [0, wait + 1, 2 * wait + 2], "{mpdus} MPDUs");
        }
    }

    #[test]
    fn a_probe_is_a_whole_frame() {
        let (table, mut rng) = (groups(&[(1, 5.0), (1, 4.0)]), rng(1));
        let mut it = ready(&table);
        it.refill(&table, &mut rng);
        it.order = vec![1; 2];
        let probe = Attempt { rung: 1, probe: true, alone: false, fallback: false };
        assert_eq!(it.next(SimTime::ZERO, &table, &mut rng), Some(probe));
    }

    #[test]
    fn an_interval_has_eight_probes_of_each_group() {
        for count in [1, 2, 3] {
            let costs: Vec<(u8, f64)> =
                (0..2 * count).map(|rung| (rung / 2, 9.0 - f64::from(rung))).collect();
            let (table, mut rng) = (groups(&costs), rng(1));
            let mut it = Counted::new(&table);
            let most = tried(&mut it, &table, 10_000, &mut rng).len();
            assert_eq!(most, 8 * usize::from(count));
            assert_eq!(tried(&mut it, &table, 10_000, &mut rng).len(), most, "and so has the next");
        }
    }

    /// Groups of three and of two rates, in turn, and each time the same place of both.
    #[test]
    fn all_groups_in_turn_try_the_same_place_of_an_order() {
        let table = groups(&[(1, 6.0), (2, 5.0), (1, 4.0), (2, 3.0), (1, 2.0)]);
        let (mut it, mut rng) = (Counted::new(&table), rng(4));
        let drawn: Vec<_> = (0..12).map(|_| it.candidate(&table, &mut rng)).collect();
        let pairs = [[Some(0), Some(1)], [Some(2), Some(3)], [Some(4), None]];
        for round in drawn.chunks(6) {
            assert!(pairs.iter().all(|pair| round.chunks(2).any(|it| it == pair)), "{round:?}");
        }
        assert_ne!(drawn[..6], drawn[6..], "of this seed");
    }

    #[test]
    fn each_order_is_drawn_equally_often() {
        let mut rng = rng(9);
        let mut counts = [0u32; 27];
        for _ in 0..6000 {
            let order = shuffled(vec![0, 1, 2], &mut rng);
            counts[order[0] * 9 + order[1] * 3 + order[2]] += 1;
        }
        let drawn: Vec<u32> = counts.into_iter().filter(|&count| count > 0).collect();
        assert!(drawn.len() == 6 && drawn.iter().all(|count| (900..1100).contains(count)), "{drawn:?}");
    }

    /// Of a hundred MPDUs at each rate so many came through; those that were not tried are none.
    fn worth(acked: [Option<u32>; 5], updates: u32) -> Vec<usize> {
        let mut table = table();
        for _ in 0..updates {
            table.update();
        }
        for (rung, count) in acked.into_iter().enumerate() {
            if let Some(count) = count {
                table.note(rung, 100, count);
            }
        }
        table.update();
        (0..5).filter(|&rung| is_worth(&table, rung)).collect()
    }

    #[test]
    fn used_rates_and_those_of_more_than_95_per_cent_are_left_out() {
        // The fourth is the best, the first the second best and safest.
        assert_eq!(worth([Some(100), Some(20), Some(0), Some(50), Some(0)], 0), [1, 2, 4]);
        // In use are the fourth, the third and, as the safest, the third again.
        assert_eq!(worth([Some(96), Some(95), Some(90), Some(70), Some(0)], 40), [4]);
        assert_eq!(worth([None; 5], 0), [1, 2, 3, 4], "the slowest is where it begins");
    }

    /// In use are the fifth, the fourth and, as the safest, the fifth: the others are slower than what is fallen back
    /// to.
    #[test]
    fn slower_rates_wait_for_twenty_updates() {
        let top = [None, None, None, Some(90), Some(100)];
        assert_eq!(worth(top, 18), [0; 0]);
        assert_eq!(worth(top, 19), [0, 1, 2], "the twentieth without an MPDU");
        let seen = [None, Some(90), None, Some(90), Some(100)];
        assert_eq!(worth(seen, 19), [0, 2], "one that was used lately waits anew");
        let good = [None, None, Some(100), Some(90), Some(100)];
        assert_eq!(worth(good, 30), [0, 1]);
    }
}
