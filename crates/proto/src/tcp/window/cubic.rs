//! CUBIC (RFC 9438): after a loss the window returns to where it was along a cubic function of time, and where NewReno
//! would be faster it follows NewReno.
//!
//! ```text
//!   W(t) = C (t - K)³ + W_max      K = ∛((W_max - cwnd at the epoch's start) / C)
//! ```
//!
//! `rules = "linux"` is tcp_cubic.c of Linux 6.x: the least round-trip time in place of the smoothed one, an additive
//! increase of 8/15 for good, growth by at most half of what is acknowledged and, before the first loss, by at least a
//! twentieth, in whole segments ([`super::cubic_linux`]); a timeout forgets `W_max` and the least round trip.

use super::config::{CubicConfig, CubicRules};
use super::contract::{AckSample, PathSample, WindowRule};
use super::cubic_linux::Counts;
use super::newreno::NewReno;
use super::state::{Congestion, LossResponse, PartialAck};
use crate::tcp::undo::Before;
use crate::units::{Dur, SimTime};

/// Largest growth of the target in one round trip (RFC 9438 §4.2).
const MOST_OF_A_ROUND: f64 = 1.5;
/// What a mark leaves of the window if marks count less than losses (RFC 8511 §4.1).
const GENTLE: f64 = 0.85;
/// Linux takes no round-trip times for the least one so soon after a recovery.
const UNSETTLED: Dur = Dur::from_secs(1);

/// The time since the last reduction in which the window was used.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Epoch {
    /// When it began, moved on by pauses.
    start: SimTime,
    /// Until when it is known whether the window was used.
    last: SimTime,
    /// Time from its start until the function is at its plateau, in seconds.
    k: f64,
    /// Window at the plateau.
    origin: f64,
    /// Where NewReno would be.
    estimate: f64,
    /// The same, and the growth, as Linux counts them.
    counts: Counts,
}

/// The rule and its state.
#[derive(Clone, Debug)]
pub struct Cubic {
    config: CubicConfig,
    newreno: NewReno,
    /// Window before the last reduction, or less (fast convergence). None before the first one.
    w_max: Option<f64>,
    /// Window before the last reduction.
    prior: f64,
    /// A timeout begins the next epoch at its plateau (§4.8).
    flat: bool,
    epoch: Option<Epoch>,
    /// What the last reduction has forgotten: the three before.
    saved: (Option<f64>, f64, Option<Epoch>),
    min_rtt: Option<Dur>,
}

impl Cubic {
    /// The rule before the first loss.
    #[must_use]
    pub const fn new(config: CubicConfig, deflates_partly: bool) -> Self {
        Self {
            config,
            newreno: NewReno { deflates_partly },
            w_max: None,
            prior: 0.0,
            flat: false,
            epoch: None,
            saved: (None, 0.0, None),
            min_rtt: None,
        }
    }

    const fn is_linux(&self) -> bool {
        matches!(self.config.rules, CubicRules::Linux)
    }

    /// Additive increase of NewReno with this decrease (§4.3).
    fn alpha(&self, estimate: f64) -> f64 {
        if self.prior > 0.0 && estimate >= self.prior {
            return 1.0;
        }
        3.0 * (1.0 - self.config.beta) / (1.0 + self.config.beta)
    }

    /// An epoch begins with the first ACK of congestion avoidance.
    fn begin(&mut self, now: SimTime, cwnd: f64) -> Epoch {
        let plateau = self.w_max.filter(|&w_max| w_max > cwnd && !self.flat);
        self.flat = false;
        let origin = plateau.unwrap_or(cwnd);
        let k = libm::cbrt((origin - cwnd) / self.config.c);
        Epoch { start: now, last: now, k, origin, estimate: cwnd, counts: Counts::new(now, cwnd) }
    }

    /// So much later: unless this time `counts`, it moves the epoch and not the window (§5.8).
    fn pass(&mut self, now: SimTime, counts: bool) {
        if let Some(epoch) = &mut self.epoch {
            let passed = now - std::mem::replace(&mut epoch.last, now);
            if !counts {
                epoch.start += passed;
            }
        }
    }

    /// Window, threshold and memory after a loss or a mark, which leaves this share of the window.
    fn reduce(&mut self, congestion: &mut Congestion, share: f64) {
        let window = congestion.in_use();
        self.remember(window);
        congestion.ssthresh = congestion.share(share);
        congestion.forget_credit();
    }

    fn remember(&mut self, window: f64) {
        self.saved = (self.w_max, self.prior, self.epoch);
        let gives_up = self.config.fast_convergence && self.w_max.is_some_and(|w_max| window < w_max);
        let kept = if gives_up { (1.0 + self.config.beta) / 2.0 } else { 1.0 };
        self.w_max = Some(window * kept);
        self.prior = window;
        self.epoch = None;
    }

    /// The function at so long after the epoch's start, as Linux does with the distance from the plateau in whole
    /// segments.
    fn at(&self, epoch: &Epoch, length: Dur) -> f64 {
        let t = length.as_secs_f64() - epoch.k;
        let distance = self.config.c * t * t * t;
        epoch.origin + if self.is_linux() { libm::trunc(distance) } else { distance }
    }

    /// Segments by which the window grows for these (§4.3 to §4.5).
    fn growth(&self, epoch: &Epoch, cwnd: f64, sample: &AckSample) -> f64 {
        let elapsed = sample.now - epoch.start;
        if self.at(epoch, elapsed) < epoch.estimate {
            return (epoch.estimate - cwnd).max(0.0);
        }
        let target = self.at(epoch, elapsed + sample.srtt.unwrap_or_default());
        (target.clamp(cwnd, MOST_OF_A_ROUND * cwnd) - cwnd) / cwnd * sample.segments
    }

    /// The window grows as in Linux.
    fn grow_as_linux(&self, congestion: &mut Congestion, epoch: &mut Epoch, now: SimTime, segments: f64) {
        let target = self.at(epoch, now - epoch.start + self.min_rtt.unwrap_or_default());
        let (cwnd, first) = (congestion.cwnd, self.w_max.is_none());
        let per = epoch.counts.per(now, cwnd, segments, self.config.beta, target, first);
        congestion.grow(per, segments);
    }
}

impl WindowRule for Cubic {
    fn on_ack(&mut self, congestion: &mut Congestion, sample: &AckSample) {
        let used = sample.is_limited(congestion);
        let mut segments = sample.segments;
        let starting = congestion.cwnd < congestion.ssthresh;
        // In slow start the function is not used; Linux counts that time.
        self.pass(sample.now, used && (!starting || self.is_linux()));
        if starting {
            if !used {
                return;
            }
            if !self.is_linux() {
                return congestion.open(segments);
            }
            segments = congestion.start_slowly(segments);
            if segments <= 0.0 {
                return;
            }
        }
        let cwnd = congestion.cwnd;
        let mut epoch = match self.epoch {
            Some(epoch) => epoch,
            None => self.begin(sample.now, cwnd),
        };
        if used {
            if self.is_linux() {
                self.grow_as_linux(congestion, &mut epoch, sample.now, segments);
            } else {
                epoch.estimate += self.alpha(epoch.estimate) * segments / cwnd;
                congestion.cwnd += self.growth(&epoch, cwnd, sample);
            }
        }
        self.epoch = Some(epoch);
    }

    fn wants_path(&self) -> bool {
        self.is_linux()
    }

    fn on_path(&mut self, _congestion: &mut Congestion, sample: &PathSample) {
        let settled = self.epoch.is_none_or(|epoch| sample.ack.now - epoch.start >= UNSETTLED);
        if let Some(rtt) = sample.path.rtt.filter(|_| settled) {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
    }

    /// Nothing was outstanding since the last ACK (Linux, `CA_EVENT_TX_START`).
    fn on_idle_end(&mut self, now: SimTime) {
        self.pass(now, false);
    }

    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        self.reduce(congestion, self.config.beta);
        congestion.cwnd = congestion.ssthresh;
        congestion.inflation = dupacks;
        LossResponse::FastRecovery
    }

    fn on_partial_ack(&mut self, congestion: &mut Congestion, segments: f64) -> PartialAck {
        self.newreno.on_partial_ack(congestion, segments)
    }

    fn on_timeout(&mut self, congestion: &mut Congestion, hold: bool) {
        if !hold {
            self.reduce(congestion, self.config.beta);
        }
        self.epoch = None;
        self.flat = true;
        if self.is_linux() {
            (self.w_max, self.min_rtt) = (None, None);
        }
        congestion.cwnd = 1.0;
        congestion.forget_credit();
        congestion.leave_recovery();
    }

    /// §4.9: all that the reduction has changed; Linux restores the window alone.
    fn on_undo(&mut self, congestion: &mut Congestion, before: Before) {
        congestion.restore(before);
        if !self.is_linux() {
            (self.w_max, self.prior, self.epoch) = self.saved;
            self.flat = false;
        }
    }

    fn on_echo(&mut self, congestion: &mut Congestion) {
        let before = congestion.in_use();
        let share = if congestion.gentle { GENTLE.max(self.config.beta) } else { self.config.beta };
        self.reduce(congestion, share);
        congestion.cwnd = congestion.ssthresh.min(before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::TcpConfig;

    const RTT: Dur = Dur::from_ms(20);

    fn start(cwnd: f64, rules: CubicRules) -> (Cubic, Congestion) {
        let config = TcpConfig { max_window: 100_000, initial_ssthresh: Some(2), ..TcpConfig::default() };
        let mut congestion = Congestion::new(&config);
        congestion.cwnd = cwnd;
        (Cubic::new(CubicConfig { rules, ..CubicConfig::default() }, true), congestion)
    }

    fn ack(now: SimTime, congestion: &Congestion) -> AckSample {
        let outstanding = libm::floor(congestion.cwnd) - 1.0;
        let flight = outstanding + 1.0;
        AckSample { now, segments: 1.0, outstanding, flight, srtt: Some(RTT), ..AckSample::default() }
    }

    fn give(rule: &mut Cubic, congestion: &mut Congestion, now: SimTime) {
        let sample = ack(now, congestion);
        rule.on_ack(congestion, &sample);
    }

    /// A round of ACKs, evenly over a round-trip time.
    fn round(rule: &mut Cubic, congestion: &mut Congestion, now: &mut SimTime, rtt: Dur) {
        let acks = congestion.segments();
        for _ in 0..acks {
            let sample = AckSample { srtt: Some(rtt), ..ack(*now, congestion) };
            rule.on_ack(congestion, &sample);
            *now += Dur::from_ns(rtt.as_ns() / u64::from(acks));
        }
    }

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} and not {expected}");
    }

    /// RFC 9438 §4.2 and §4.6: a loss at 100 leaves 70, K is ∛75 s, and at K/2, K and 1.5 K the window is 96.25, 100
    /// and 103.75.
    #[test]
    fn a_lossless_epoch_follows_the_function() {
        let (mut rule, mut congestion) = start(100.0, CubicRules::Rfc9438);
        rule.on_loss(&mut congestion, 0);
        assert_eq!((congestion.cwnd, congestion.ssthresh), (70.0, 70.0));
        let (rtt, mut now) = (Dur::from_ms(200), SimTime::from_secs(1));
        let k = libm::cbrt(30.0 / 0.4);
        near(k, 4.217, 0.001);
        for (share, expected) in [(0.5, 96.25), (1.0, 100.0), (1.5, 103.75)] {
            // The target lies a round trip ahead, and the window is there a round trip later.
            while now < SimTime::from_secs_f64(1.0 + share * k) {
                round(&mut rule, &mut congestion, &mut now, rtt);
            }
            near(congestion.cwnd, expected, 1.0);
        }
    }

    /// §4.7: the second loss below the first maximum gives up 15 % of it.
    #[test]
    fn fast_convergence_lowers_the_plateau() {
        let (mut rule, mut congestion) = start(100.0, CubicRules::Rfc9438);
        rule.on_loss(&mut congestion, 0);
        congestion.cwnd = 80.0;
        rule.on_loss(&mut congestion, 0);
        assert_eq!(rule.w_max, Some(68.0));
        near(congestion.cwnd, 56.0, 1e-9);
        congestion.cwnd = 90.0;
        rule.on_loss(&mut congestion, 0);
        assert_eq!(rule.w_max, Some(90.0), "above the plateau: no competitor is there");
    }

    /// §4.3: with a short round trip the window is NewReno's with the smaller decrease: 0.529 segments a round, and one
    /// segment a round from the old window on.
    #[test]
    fn a_short_path_follows_newreno() {
        let (mut rule, mut congestion) = start(20.0, CubicRules::Rfc9438);
        rule.on_loss(&mut congestion, 0);
        near(congestion.cwnd, 14.0, 1e-9);
        let mut now = SimTime::from_secs(1);
        let mut rounds = 0;
        while rule.epoch.is_none_or(|epoch| epoch.estimate < 20.0) {
            round(&mut rule, &mut congestion, &mut now, RTT);
            rounds += 1;
        }
        near(f64::from(rounds), 6.0 / (0.9 / 1.7), 2.0);
        let before = congestion.cwnd;
        (0..10).for_each(|_| round(&mut rule, &mut congestion, &mut now, RTT));
        near(congestion.cwnd - before, 10.0, 0.6);
    }

    /// §4.2: the target is never more than 1.5 times the window.
    #[test]
    fn growth_is_bounded_by_half_a_window_a_round() {
        let (mut rule, mut congestion) = start(10.0, CubicRules::Rfc9438);
        rule.w_max = Some(10.0);
        let mut now = SimTime::from_secs(1);
        give(&mut rule, &mut congestion, now);
        now += Dur::from_secs(100);
        let before = congestion.cwnd;
        rule.epoch = rule.epoch.map(|epoch| Epoch { last: now, estimate: 0.0, ..epoch });
        give(&mut rule, &mut congestion, now);
        near(congestion.cwnd - before, 0.5, 1e-9);
    }

    /// §4.8: after a timeout the function begins at its plateau.
    #[test]
    fn a_timeout_starts_at_the_plateau() {
        let (mut rule, mut congestion) = start(100.0, CubicRules::Rfc9438);
        rule.on_timeout(&mut congestion, false);
        assert_eq!((congestion.cwnd, congestion.ssthresh), (1.0, 70.0));
        rule.on_timeout(&mut congestion, true);
        assert_eq!(congestion.ssthresh, 70.0, "the same segment again");
        congestion.cwnd = 70.0;
        give(&mut rule, &mut congestion, SimTime::from_secs(9));
        let epoch = rule.epoch.unwrap();
        assert_eq!((epoch.k, epoch.origin), (0.0, 70.0));
    }

    /// §5.8: a pause in which little was sent moves the epoch and not the window.
    #[test]
    fn a_pause_does_not_count() {
        let (mut rule, mut congestion) = start(100.0, CubicRules::Rfc9438);
        rule.on_loss(&mut congestion, 0);
        let (rtt, mut now) = (Dur::from_ms(100), SimTime::from_secs(1));
        (0..5).for_each(|_| round(&mut rule, &mut congestion, &mut now, rtt));
        let before = (congestion.cwnd, rule.epoch.unwrap().start);
        now += Dur::from_secs(30);
        let idle = AckSample { outstanding: 0.0, flight: 1.0, ..ack(now, &congestion) };
        rule.on_ack(&mut congestion, &idle);
        assert_eq!(congestion.cwnd, before.0);
        assert!(rule.epoch.unwrap().start >= before.1 + Dur::from_secs(30));
    }

    /// §5.8: after thirty seconds without data the window fills at once, and its ACKs find it used. It grows as without
    /// the pause. If it begins anew with ten segments, it comes back to where it was and no further.
    #[test]
    fn a_pause_that_ends_with_a_full_window_does_not_count() {
        for rules in [CubicRules::Rfc9438, CubicRules::Linux] {
            let after = |pause: Dur, restart: Option<f64>| {
                let (mut rule, mut congestion) = start(100.0, rules);
                rule.on_loss(&mut congestion, 0);
                let (rtt, mut now) = (Dur::from_ms(100), SimTime::from_secs(1));
                (0..5).for_each(|_| round(&mut rule, &mut congestion, &mut now, rtt));
                now += pause;
                rule.on_idle_end(now);
                congestion.cwnd = restart.unwrap_or(congestion.cwnd);
                (0..6).for_each(|_| round(&mut rule, &mut congestion, &mut now, rtt));
                congestion.cwnd
            };
            let steady = after(Dur::ZERO, None);
            assert!(steady > 70.0 && steady < 100.0, "{rules:?}: {steady}");
            // Linux keeps a count for 31 ms, which the pause ends earlier.
            let within = if rules == CubicRules::Linux { 0.5 } else { 1e-9 };
            near(after(Dur::from_secs(30), None), steady, within);
            let restarted = after(Dur::from_secs(30), Some(10.0));
            assert!(restarted > 70.0 && restarted <= steady + 1.0, "{rules:?}: {restarted}, not {steady}");
        }
    }

    /// Slow start after a pause is no time of the epoch by the standard; by Linux it is.
    #[test]
    fn slow_start_within_an_epoch_counts_in_linux_alone() {
        for rules in [CubicRules::Rfc9438, CubicRules::Linux] {
            let (mut rule, mut congestion) = start(100.0, rules);
            rule.on_loss(&mut congestion, 0);
            give(&mut rule, &mut congestion, SimTime::from_secs(1));
            let before = rule.epoch.unwrap().start;
            congestion.cwnd = 10.0;
            give(&mut rule, &mut congestion, SimTime::from_secs(2));
            let moved = rule.epoch.unwrap().start - before;
            let expected = if rules == CubicRules::Linux { Dur::ZERO } else { Dur::from_secs(1) };
            assert_eq!(moved, expected, "{rules:?}");
        }
    }

    /// §4.9: a loss that was none leaves window, plateau and epoch as they were. Linux restores the window, and the
    /// function begins anew from the plateau that the reduction has left.
    #[test]
    fn a_needless_reduction_leaves_nothing_behind() {
        for rules in [CubicRules::Rfc9438, CubicRules::Linux] {
            let (mut rule, mut congestion) = start(100.0, rules);
            rule.on_loss(&mut congestion, 0);
            let mut now = SimTime::from_secs(1);
            (0..5).for_each(|_| round(&mut rule, &mut congestion, &mut now, Dur::from_ms(100)));
            let (before, window) = ((rule.w_max, rule.prior, rule.epoch), congestion.before());
            rule.on_loss(&mut congestion, 0);
            assert!(congestion.cwnd < window.cwnd && rule.epoch.is_none() && rule.w_max != before.0);
            rule.on_undo(&mut congestion, window);
            assert_eq!((congestion.cwnd, congestion.ssthresh), (window.cwnd, window.ssthresh), "{rules:?}");
            assert_eq!(
                (rule.w_max, rule.prior, rule.epoch) == before,
                rules == CubicRules::Rfc9438,
                "{rules:?}"
            );
        }
    }

    /// tcp_cubic.c: before the first loss a segment for twenty ACKs; a timeout forgets the maximum.
    #[test]
    fn linux_departs_from_the_standard() {
        let (mut rule, mut congestion) = start(100.0, CubicRules::Linux);
        let now = SimTime::from_secs(1);
        (0..20).for_each(|_| give(&mut rule, &mut congestion, now));
        near(congestion.cwnd, 101.0, 0.1);
        rule.on_loss(&mut congestion, 0);
        assert!(rule.w_max.is_some());
        rule.on_timeout(&mut congestion, false);
        assert_eq!(rule.w_max, None);
    }
}
