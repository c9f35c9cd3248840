//! What a station has found out about the rates to one neighbour.

use crate::phy::TxVector;
use crate::units::Dur;

/// Payload of the packets that expected throughput counts \[bit\].
const PACKET: f64 = 1200.0 * 8.0;
/// A share of successes above this counts as this.
const MOST: f64 = 0.9;
/// A rate with a smaller share has no throughput.
const LEAST: f64 = 0.1;
/// A rate is safe from this share on.
const SAFE: f64 = 0.75;

/// What a rate costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// Rates of one group differ by their MCS: its spatial streams.
    pub(super) group: u8,
    /// Time of a packet in the frame \[s\].
    pub(super) packet: f64,
    /// Time of an exchange beside \[s\].
    pub(super) overhead: f64,
}

impl Cost {
    /// That of a rate; `overhead` is what an exchange takes beside the frame's payload.
    #[must_use]
    pub(super) fn new(tx: TxVector, overhead: Dur) -> Self {
        let group = match tx {
            TxVector::Mcs(mcs) => mcs.streams,
            TxVector::Dsss(_) | TxVector::Ofdm(_) => 0,
        };
        Self { group, packet: PACKET / tx.rate().as_bps() as f64, overhead: overhead.as_secs_f64() }
    }
}

/// A rate of one neighbour.
#[derive(Clone, Copy, Debug)]
struct Rate {
    cost: Cost,
    /// MPDUs since the last update, and those of them that were acknowledged.
    attempts: u32,
    successes: u32,
    /// Filtered share of successes, now and before; none if it was never tried.
    filtered: Option<[f64; 2]>,
    /// The share that it is taken to have.
    share: f64,
}

impl Rate {
    /// A low-pass filter of second order over the shares of each interval.
    fn update(&mut self) {
        if self.attempts == 0 {
            return;
        }
        let share = f64::from(self.successes) / f64::from(self.attempts);
        let weight = libm::exp(-core::f64::consts::PI * core::f64::consts::SQRT_2 / 16.0);
        let second = 2.0 * weight * libm::cos(core::f64::consts::SQRT_2 * 2.0 * core::f64::consts::PI / 16.0);
        let third = -weight * weight;
        let next = self
            .filtered
            .map_or(share, |[now, before]| (1.0 - second - third) * share + second * now + third * before);
        let next = next.clamp(0.0, 1.0);
        self.filtered = Some([next, self.filtered.map_or(next, |[now, _]| now)]);
        self.share = next;
        (self.attempts, self.successes) = (0, 0);
    }
}

/// The rates of one neighbour, the slowest first.
#[derive(Clone, Debug)]
pub(super) struct Table {
    rates: Vec<Rate>,
    /// The four of most throughput, the best first.
    best: [usize; 4],
    /// The one that is least likely to fail.
    safest: usize,
    /// Mean MPDUs of a frame.
    length: f64,
    /// Frames and their MPDUs since the last update, probes apart.
    frames: u32,
    mpdus: u32,
}

impl Table {
    /// One that knows nothing: it begins at the slowest rate.
    #[must_use]
    pub(super) fn new(costs: &[Cost]) -> Self {
        let rate = |&cost| Rate { cost, attempts: 0, successes: 0, filtered: None, share: 0.0 };
        let rates = costs.iter().map(rate).collect();
        Self { rates, best: [0; 4], safest: 0, length: 1.0, frames: 0, mpdus: 0 }
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

    /// The rate that is least likely to fail.
    #[must_use]
    pub(super) const fn safest(&self) -> usize {
        self.safest
    }

    /// The share of MPDUs that a rate is taken to bring through.
    #[must_use]
    pub(super) fn share(&self, rung: usize) -> f64 {
        self.rates[rung].share
    }

    /// Time of a packet at a rate \[s\].
    #[must_use]
    pub(super) fn packet(&self, rung: usize) -> f64 {
        self.rates[rung].cost.packet
    }

    /// Group of a rate.
    #[must_use]
    pub(super) fn group(&self, rung: usize) -> u8 {
        self.rates[rung].cost.group
    }

    /// What is expected of a rate \[bit/s\].
    #[must_use]
    pub(super) fn throughput(&self, rung: usize) -> f64 {
        let Rate { share, cost, .. } = self.rates[rung];
        if share < LEAST {
            return 0.0;
        }
        share.min(MOST) * PACKET / (cost.overhead / self.length + cost.packet)
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

    /// Takes the statistics.
    pub(super) fn update(&mut self) {
        self.rates.iter_mut().for_each(Rate::update);
        if self.frames > 0 {
            self.length = 0.75 * self.length + 0.25 * f64::from(self.mpdus) / f64::from(self.frames);
            (self.frames, self.mpdus) = (0, 0);
        }
        self.assume();
        self.rank();
    }

    /// A rate that was never tried is taken for as good as the best of the faster ones of its group.
    fn assume(&mut self) {
        for rung in 0..self.rates.len() {
            if self.rates[rung].filtered.is_some() {
                continue;
            }
            let group = self.group(rung);
            let faster =
                self.rates[rung + 1..].iter().filter(|it| it.cost.group == group && it.filtered.is_some());
            self.rates[rung].share = faster.map(|it| it.share).fold(0.0, f64::max);
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
        let no_worse =
            |&rung: &usize| self.packet(rung) >= self.packet(first) || self.share(rung) >= self.share(first);
        let mut candidates = order.iter().copied().filter(no_worse);
        let safest = candidates.clone().find(|&rung| self.share(rung) > SAFE).or_else(|| {
            let most = candidates.clone().map(|rung| self.share(rung)).fold(0.0, f64::max);
            candidates.find(|&rung| self.share(rung) >= most && most > 0.0)
        });
        (self.best, self.safest) = (ranked, safest.unwrap_or(0));
    }

    /// Whether the best rate fails so often that the next update is too late: more than 30 MPDUs, fewer than a quarter through.
    #[must_use]
    pub(super) fn has_collapsed(&self) -> bool {
        let Rate { attempts, successes, .. } = self.rates[self.best[0]];
        attempts > 30 && successes < attempts / 4 && self.best[0] > 0
    }

    /// The best of the slower rates of no more streams takes the place of the best.
    pub(super) fn step_down(&mut self) {
        let first = self.best[0];
        let slower = (0..first).filter(|&rung| self.group(rung) <= self.group(first));
        let most = slower.max_by(|&one, &other| self.throughput(one).total_cmp(&self.throughput(other)));
        self.best[0] = most.unwrap_or(0);
    }
}
