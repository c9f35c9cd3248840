//! What a station has found out about the rates to one neighbour.

use super::estimate::Estimate;
use crate::phy::{GuardInterval, TxVector, Width};
use crate::units::{Bytes, Dur};
use core::cmp::Reverse;

/// Payload of the packets that expected throughput counts \[bit\].
const PACKET: f64 = 1200.0 * 8.0;
/// A share of successes above this counts as this.
const MOST: f64 = 0.9;
/// A rate with a smaller share has no throughput.
const LEAST: f64 = 0.1;
/// A rate is safe from this share on.
const SAFE: f64 = 0.75;

/// Rates of one group differ by their MCS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group {
    pub(super) width: Width,
    /// The longer comes first.
    pub(super) guard: Option<Reverse<GuardInterval>>,
    /// Spatial streams; none of OFDM and DSSS.
    pub(super) streams: u8,
}

/// What a rate costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    pub(super) group: Group,
    /// Time of a packet in the frame \[s\].
    pub(super) packet: f64,
    /// Time of what stands before the payload of a frame \[s\].
    pub(super) preamble: f64,
    /// Time of an exchange beside \[s\].
    pub(super) overhead: f64,
}

impl Cost {
    /// That of a rate; `overhead` is what an exchange takes beside the frame's payload.
    #[must_use]
    pub(super) fn new(tx: TxVector, overhead: Dur) -> Self {
        let group = match tx {
            TxVector::Mcs(mcs) => {
                Group { width: mcs.width, guard: Some(Reverse(mcs.guard)), streams: mcs.streams }
            }
            TxVector::Dsss(_) | TxVector::Ofdm(_) => Group::default(),
        };
        Self {
            group,
            packet: PACKET / tx.rate().as_bps() as f64,
            preamble: tx.sections(Bytes::ZERO).before_payload().as_secs_f64(),
            overhead: overhead.as_secs_f64(),
        }
    }
}

/// A rate of one neighbour.
#[derive(Clone, Copy, Debug)]
struct Rate {
    cost: Cost,
    /// MPDUs since the last update, and those of them that were acknowledged.
    attempts: u32,
    successes: u32,
    /// Updates in a row that found no MPDU.
    idle: u32,
    /// Estimates of the share of successes, now and before; none if it was never tried.
    filtered: Option<[f64; 2]>,
    /// The share that it is taken to have.
    share: f64,
}

impl Rate {
    /// Takes the statistics of an interval: one without MPDUs says nothing.
    fn update(&mut self, estimate: Estimate) {
        if self.attempts == 0 {
            self.idle += 1;
            return;
        }
        let next = estimate.next((self.attempts, self.successes), self.filtered);
        self.filtered = Some([next, self.filtered.map_or(next, |[now, _]| now)]);
        self.share = next;
        (self.attempts, self.successes, self.idle) = (0, 0, 0);
    }
}

/// The rates of one neighbour, the slowest first.
#[derive(Clone, Debug)]
pub(super) struct Table {
    estimate: Estimate,
    rates: Vec<Rate>,
    /// The four of most throughput, the best first.
    best: [usize; 4],
    /// The one that is least likely to fail.
    safest: usize,
    /// Mean MPDUs of a frame.
    length: f64,
    /// Frames and their MPDUs since the last update, those that try a rate among them.
    frames: u32,
    mpdus: u32,
}

impl Table {
    /// One that knows nothing: it begins at the slowest rate.
    #[must_use]
    pub(super) fn new(estimate: Estimate, costs: &[Cost]) -> Self {
        let rate = |&cost| Rate { cost, attempts: 0, successes: 0, idle: 0, filtered: None, share: 0.0 };
        let rates = costs.iter().map(rate).collect();
        Self { estimate, rates, best: [0; 4], safest: 0, length: 1.0, frames: 0, mpdus: 0 }
    }

    /// How many rates there are.
    #[must_use]
    pub(super) const fn len(&self) -> usize {
        self.rates.len()
    }

    /// The four rates of most throughput, the best first.
    #[must_use]
    pub(super) const fn best(&self) -> [usize; 4] {
        self.best
    }

    /// The rates of the retry chain: best, second best, safest.
    #[must_use]
    pub(super) const fn used(&self) -> [usize; 3] {
        let [best, second, ..] = self.best;
        [best, second, self.safest]
    }

    /// The groups, each once.
    #[must_use]
    pub(super) fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = self.rates.iter().map(|it| it.cost.group).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// The rates of a group, the slowest first.
    pub(super) fn of_group(&self, group: Group) -> impl Iterator<Item = usize> {
        (0..self.rates.len()).filter(move |&rung| self.group(rung) == group)
    }

    /// Mean MPDUs of a frame.
    #[must_use]
    pub(super) const fn length(&self) -> f64 {
        self.length
    }

    /// Updates in a row that found no MPDU sent at a rate.
    pub(super) fn idle(&self, rung: usize) -> u32 {
        self.rates[rung].idle
    }

    /// The share of MPDUs that a rate is taken to bring through.
    pub(super) fn share(&self, rung: usize) -> f64 {
        self.rates[rung].share
    }

    /// Time of a packet at a rate \[s\].
    pub(super) fn packet(&self, rung: usize) -> f64 {
        self.rates[rung].cost.packet
    }

    /// Time of a packet at a rate, in a frame of its own \[s\].
    pub(super) fn alone(&self, rung: usize) -> f64 {
        let Cost { preamble, packet, .. } = self.rates[rung].cost;
        preamble + packet
    }

    /// Group of a rate.
    #[must_use]
    pub(super) fn group(&self, rung: usize) -> Group {
        self.rates[rung].cost.group
    }

    /// What is expected of a rate \[bit/s\].
    #[must_use]
    pub(super) fn throughput(&self, rung: usize) -> f64 {
        let Rate { share, cost, .. } = self.rates[rung];
        if share < LEAST {
            return 0.0;
        }
        let time = match self.estimate.spread(self.length) {
            Some(length) => cost.overhead / length + cost.packet,
            None => self.alone(rung),
        };
        share.min(MOST) * PACKET / time
    }

    /// Time of a frame of mean length with its answer \[s\].
    #[must_use]
    pub(super) fn exchange(&self, rung: usize) -> f64 {
        let Cost { packet, overhead, .. } = self.rates[rung].cost;
        overhead + packet * self.length
    }

    /// So many MPDUs were sent at a rate, and so many acknowledged.
    pub(super) fn note(&mut self, rung: usize, sent: u32, acked: u32) {
        let rate = &mut self.rates[rung];
        rate.attempts += sent;
        rate.successes += acked;
        self.frames += 1;
        self.mpdus += sent;
    }

    /// MPDUs that were sent at a rate since the last update.
    #[cfg(test)]
    pub(super) fn attempts(&self, rung: usize) -> u32 {
        self.rates[rung].attempts
    }

    /// No answer to a frame came: it counts as one MPDU that was lost.
    pub(super) fn missed(&mut self, rung: usize) {
        self.rates[rung].attempts += 1;
    }

    /// Takes the statistics.
    pub(super) fn update(&mut self) {
        let estimate = self.estimate;
        self.rates.iter_mut().for_each(|it| it.update(estimate));
        if self.frames > 0 {
            self.length = self.estimate.length(self.length, f64::from(self.mpdus) / f64::from(self.frames));
            (self.frames, self.mpdus) = (0, 0);
        }
        self.assume();
        self.rank();
    }

    /// What rates are worth that were never tried.
    fn assume(&mut self) {
        for rung in 0..self.rates.len() {
            if self.rates[rung].filtered.is_some() {
                continue;
            }
            let group = self.group(rung);
            let faster =
                self.rates[rung + 1..].iter().filter(|it| it.cost.group == group && it.filtered.is_some());
            let faster = faster.map(|it| it.share).fold(0.0, f64::max);
            self.rates[rung].share = self.estimate.untried(faster);
        }
    }

    fn rank(&mut self) {
        let mut order: Vec<usize> = (0..self.rates.len()).collect();
        let key = |&rung: &usize| (self.throughput(rung), self.share(rung));
        order.sort_by(|one, other| {
            let ((first, share), (second, other)) = (key(one), key(other));
            second.total_cmp(&first).then(other.total_cmp(&share))
        });
        let known = |&rung: &usize| self.throughput(rung) > 0.0;
        let mut best = order.iter().copied().filter(known);
        let first = best.next().unwrap_or(0);
        let mut ranked = [first; 4];
        for place in &mut ranked[1..] {
            *place = best.next().unwrap_or(first);
        }
        let first_with =
            |share: &dyn Fn(f64) -> bool| order.iter().copied().find(|&rung| share(self.share(rung)));
        let most = self.rates.iter().map(|it| it.share).fold(0.0, f64::max);
        let safest =
            first_with(&|share| share > SAFE).or_else(|| first_with(&|share| share >= most && most > 0.0));
        (self.best, self.safest) = (ranked, safest.unwrap_or(0));
    }

    /// Whether the best rate fails so often that the next update is too late: more than 30 MPDUs, fewer than a quarter
    /// through.
    #[must_use]
    pub(super) fn has_collapsed(&self) -> bool {
        let Rate { attempts, successes, .. } = self.rates[self.best[0]];
        attempts > 30 && successes < attempts / 4 && self.best[0] > 0
    }

    /// The best of the slower rates of no more streams takes the place of the best.
    pub(super) fn step_down(&mut self) {
        let first = self.best[0];
        let slower = (0..first).filter(|&rung| self.group(rung).streams <= self.group(first).streams);
        let most = slower.max_by(|&one, &other| self.throughput(one).total_cmp(&self.throughput(other)));
        self.best[0] = most.unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates of one group whose packets take so many milliseconds, with one besides for each frame.
    fn table(packets: &[f64]) -> Table {
        groups(&packets.iter().map(|&ms| (1, ms)).collect::<Vec<_>>())
    }

    fn groups(costs: &[(u8, f64)]) -> Table {
        let cost = |&(streams, ms)| Cost {
            group: Group { streams, ..Group::default() },
            packet: ms / 1e3,
            preamble: 0.0,
            overhead: 1e-3,
        };
        Table::new(Estimate::Smooth, &costs.iter().map(cost).collect::<Vec<_>>())
    }

    /// Of a hundred MPDUs at each rate so many were acknowledged.
    fn acked(mut table: Table, counts: &[(usize, u32)]) -> Table {
        counts.iter().for_each(|&(rung, count)| table.note(rung, 100, count));
        table.update();
        table
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-3 * expected.max(0.1), "{found} in place of {expected}");
    }

    #[test]
    fn an_interval_without_mpdus_says_nothing_of_a_rate() {
        let mut table = acked(table(&[4.0, 3.0]), &[(0, 80)]);
        near(table.share(0), 0.8);
        let last = table.share(0);
        table = acked(table, &[(1, 100)]);
        table.update();
        assert_eq!(table.share(0).to_bits(), last.to_bits());
        assert_eq!([0, 1].map(|rung| table.idle(rung)), [2, 1]);
        table = acked(table, &[(0, 0)]);
        near(table.share(0), 0.8 * (5273.0 - 2350.0) / 4096.0);
        assert_eq!([0, 1].map(|rung| table.idle(rung)), [0, 2]);
    }

    #[test]
    fn throughput_counts_the_share_between_a_tenth_and_nine_tenths_and_the_length_of_frames() {
        let of = |count| acked(table(&[4.0]), &[(0, count)]).throughput(0);
        assert_eq!(of(9).to_bits(), 0);
        // The mean length is 0.75 * 1 + 0.25 * 100 MPDUs, over which one millisecond is spread.
        let time = 4e-3 + 1e-3 / 25.75;
        near(of(10), 0.1 * 9600.0 / time);
        near(of(50), 0.5 * 9600.0 / time);
        assert_eq!(of(90).to_bits(), of(100).to_bits());
        let mut table = acked(table(&[4.0]), &[(0, 50)]);
        near(table.exchange(0), 1e-3 + 4e-3 * 25.75);
        table.note(0, 1, 1);
        table.note(0, 3, 3);
        table.update();
        near(table.exchange(0), 1e-3 + 4e-3 * (0.75 * 25.75 + 0.25 * 2.0));
        let length = table.exchange(0);
        table.update();
        assert_eq!(table.exchange(0).to_bits(), length.to_bits(), "no frame, no length");
    }

    #[test]
    fn a_rate_that_was_never_tried_is_as_good_as_a_faster_one_of_its_group() {
        let table = acked(
            groups(&[(1, 5.0), (1, 4.0), (2, 3.5), (1, 3.0), (1, 2.0), (2, 1.0)]),
            &[(1, 50), (3, 80), (4, 60)],
        );
        let shares = [0.8, 0.5, 0.0, 0.8, 0.6, 0.0];
        (0..6).for_each(|rung| near(table.share(rung), shares[rung]));
    }

    #[test]
    fn the_best_are_those_of_most_throughput_and_the_safest_is_the_best_of_those_that_rarely_fail() {
        let of = |shares: [u32; 5]| {
            let counts: Vec<_> = shares.into_iter().enumerate().collect();
            let table = acked(table(&[5.0, 4.0, 3.0, 2.0, 1.0]), &counts);
            (table.best(), table.used()[2])
        };
        assert_eq!(of([100, 95, 80, 60, 50]), ([4, 3, 2, 1], 2), "more than three quarters");
        assert_eq!(of([74, 70, 60, 60, 50]), ([4, 3, 2, 1], 0), "none: the greatest share");
        assert_eq!(of([50, 9, 0, 0, 9]), ([0, 0, 0, 0], 0), "one alone has a throughput");
        assert_eq!(of([0, 0, 0, 0, 0]), ([0, 0, 0, 0], 0));
        assert_eq!(of([0, 0, 0, 5, 0]), ([0, 0, 0, 0], 3), "not even a tenth");
    }

    /// Linux leaves a rate before the statistics are due when fewer than a quarter of more than 30 MPDUs came through.
    #[test]
    fn a_rate_collapses_after_thirty_mpdus() {
        let collapsed = |shares: &[(usize, u32)], sent, acked_of| {
            let mut table = acked(table(&[5.0, 4.0, 3.0]), shares);
            table.note(table.best()[0], sent, acked_of);
            table.has_collapsed()
        };
        let good = [(0, 100), (1, 100), (2, 100)];
        assert!(collapsed(&good, 31, 6));
        assert!(!collapsed(&good, 30, 0));
        assert!(!collapsed(&good, 31, 7));
        assert!(collapsed(&good, 40, 9) && !collapsed(&good, 40, 10));
        assert!(!collapsed(&[(0, 100), (1, 0), (2, 0)], 100, 0), "there is no slower one");
    }

    #[test]
    fn a_step_down_leads_to_the_best_slower_rate_of_no_more_streams() {
        let costs = [(1, 5.0), (1, 4.0), (2, 3.0), (1, 2.0)];
        let mut table = acked(groups(&costs), &[(0, 100), (1, 60), (2, 90), (3, 90)]);
        assert_eq!(table.best()[0], 3);
        table.step_down();
        assert_eq!(table.best()[0], 0, "0.9 in 5 ms is more than 0.6 in 4 ms, and 2 has two streams");
        table.step_down();
        assert_eq!(table.best()[0], 0);
    }
}
