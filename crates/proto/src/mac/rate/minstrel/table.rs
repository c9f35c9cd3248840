//! What a station has found out about the rates to one neighbour.

use crate::phy::TxVector;
use crate::units::{Bytes, Dur};

/// Length of the frames that expected throughput counts.
pub(super) const PACKET: Bytes = Bytes(1200);
/// Most tries at one rate.
const MOST_TRIES: u32 = 10;
/// Below this share of successes, and above [`GOOD`], a rate is tried seldom.
const POOR: f64 = 0.1;
/// See [`POOR`].
const GOOD: f64 = 0.95;
/// Most frames that try such a rate until the next update.
const SELDOM: u32 = 4;
/// Most tries at such a rate in a chain.
const FEW_TRIES: u32 = 2;
/// Updates in a row without a frame after which a slow rate is tried like a fast one.
const FORGOTTEN: u32 = 20;

/// What a rate costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// Time of a frame of [`PACKET`] \[s\].
    pub(super) frame: f64,
    /// How many tries fit into a stage of the chain, one at least.
    pub(super) tries: u32,
}

impl Cost {
    /// That of a rate whose frames are answered after `answer`. The window begins at the least of `windows`, and grows
    /// to twice one more than it was, as ns-3.44 counts.
    pub(super) fn new(tx: TxVector, answer: Dur, slot: Dur, windows: (u32, u32), stage: Dur) -> Self {
        let frame = tx.airtime(PACKET);
        let (mut window, most) = windows;
        let (mut time, mut tries) = (frame + answer, 0);
        while tries < MOST_TRIES {
            time += frame + answer + slot * u64::from(window);
            if time > stage {
                break;
            }
            tries += 1;
            window = ((window + 1) * 2).min(most);
        }
        Self { frame: frame.as_secs_f64(), tries: tries.max(1) }
    }
}

/// A rate of one neighbour.
#[derive(Clone, Copy, Debug)]
struct Rate {
    cost: Cost,
    /// Frames since the last update, and those of them that were acknowledged.
    attempts: u32,
    successes: u32,
    /// Share of successes; none if it was never tried.
    share: Option<f64>,
    /// Updates in a row that found no frame.
    idle: u32,
    /// Frames that may still try it until the next update, if they are counted.
    left: Option<u32>,
    /// Tries in a chain.
    tries: u32,
}

impl Rate {
    fn update(&mut self, weight: f64) {
        if self.attempts > 0 {
            let now = f64::from(self.successes) / f64::from(self.attempts);
            self.share = Some(self.share.map_or(now, |old| old * weight + now * (1.0 - weight)));
            (self.attempts, self.successes, self.idle) = (0, 0, 0);
        } else {
            self.idle += 1;
        }
        let seldom = !(POOR..=GOOD).contains(&self.share());
        self.left = seldom.then_some(SELDOM);
        self.tries = if seldom { (self.cost.tries / 2).min(FEW_TRIES) } else { self.cost.tries };
        if self.tries == 0 {
            self.tries = FEW_TRIES;
        }
    }

    fn share(&self) -> f64 {
        self.share.unwrap_or(0.0)
    }

    fn throughput(&self) -> f64 {
        self.share() * f64::from(PACKET.0) * 8.0 / self.cost.frame
    }
}

/// The rates of one neighbour, the slowest first.
#[derive(Clone, Debug)]
pub(super) struct Table {
    rates: Vec<Rate>,
    best: usize,
    second: usize,
    safest: usize,
}

impl Table {
    /// One that knows nothing: it begins at the slowest rate.
    pub(super) fn new(costs: &[Cost]) -> Self {
        let rate = |&cost: &Cost| {
            let Cost { tries, .. } = cost;
            Rate { cost, attempts: 0, successes: 0, share: None, idle: 0, left: None, tries }
        };
        Self { rates: costs.iter().map(rate).collect(), best: 0, second: 0, safest: 0 }
    }

    /// How many rates there are.
    pub(super) const fn len(&self) -> usize {
        self.rates.len()
    }

    /// The rate of the greatest expected throughput.
    pub(super) const fn best(&self) -> usize {
        self.best
    }

    /// That, the second, the one that is least likely to fail, and the slowest.
    pub(super) const fn used(&self) -> [usize; 4] {
        [self.best, self.second, self.safest, 0]
    }

    /// Tries at a rate in a chain.
    pub(super) fn tries(&self, rung: usize) -> u32 {
        self.rates[rung].tries
    }

    /// What is expected of a rate \[bit/s\].
    pub(super) fn throughput(&self, rung: usize) -> f64 {
        self.rates[rung].throughput()
    }

    /// Whether a frame that tries a rate begins with the best one: it is slower than that, and was used lately.
    pub(super) fn defers(&self, rung: usize) -> bool {
        let Rate { cost, idle, .. } = self.rates[rung];
        cost.frame > self.rates[self.best].cost.frame && idle < FORGOTTEN
    }

    /// Takes one of the frames that may still try a rate; returns whether there was one.
    pub(super) fn may_try(&mut self, rung: usize) -> bool {
        match &mut self.rates[rung].left {
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
            None => true,
        }
    }

    /// A frame was sent at a rate, and acknowledged or not.
    pub(super) fn note(&mut self, rung: usize, acked: bool) {
        let rate = &mut self.rates[rung];
        rate.attempts += 1;
        rate.successes += u32::from(acked);
    }

    /// Takes the statistics; `weight` is that of what was known.
    pub(super) fn update(&mut self, weight: f64) {
        self.rates.iter_mut().for_each(|rate| rate.update(weight));
        let rates = &self.rates;
        // Of equal ones the slowest.
        let most = |skipped: Option<usize>| {
            let others = (0..rates.len()).rev().filter(|&rung| Some(rung) != skipped);
            others.max_by(|&one, &other| rates[one].throughput().total_cmp(&rates[other].throughput()))
        };
        self.best = most(None).unwrap_or(0);
        self.second = most(Some(self.best)).unwrap_or(self.best);
        // Those that nearly always get through are alike; of them the fastest is the safest.
        let safety = |rung: usize| {
            let share = rates[rung].share();
            if share >= GOOD { (1.0, rates[rung].throughput()) } else { (share, 0.0) }
        };
        let safer = |&one: &usize, &other: &usize| {
            let ((one, fast), (other, faster)) = (safety(one), safety(other));
            one.total_cmp(&other).then(fast.total_cmp(&faster))
        };
        self.safest = (0..rates.len()).rev().max_by(safer).unwrap_or(0);
    }
}
