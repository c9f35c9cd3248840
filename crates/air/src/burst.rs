//! Losses in bursts: each direction of each link goes on its own between a good and a bad state (Gilbert 1960, Elliott
//! 1963), in continuous time: the lengths of both states are exponential.

use std::collections::BTreeMap;

use multihop_proto::units::range::{Checked, probability, span};
use multihop_proto::units::{Dur, Entity, NodeId, Purpose, Rng, SimTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lengths and losses of the two states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BurstConfig {
    /// Mean length of the good state.
    pub good: Dur,
    /// Mean length of the bad state.
    pub bad: Dur,
    /// Probability that a frame is lost which meets no bad state.
    #[serde(default)]
    pub loss_good: f64,
    /// Probability that a frame is lost which meets a bad state at any time from its beginning to its end.
    #[serde(default = "always")]
    pub loss_bad: f64,
}

const fn always() -> f64 {
    1.0
}

impl BurstConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        span("good", self.good)?;
        span("bad", self.bad)?;
        probability("loss-good", self.loss_good)?;
        probability("loss-bad", self.loss_bad)
    }
}

/// The states of all links in one run.
#[derive(Clone, Debug)]
pub struct Bursts {
    config: BurstConfig,
    names: Vec<String>,
    seed: (u64, u64),
    links: BTreeMap<(NodeId, NodeId), State>,
}

/// The state of one direction of a link.
#[derive(Clone, Debug)]
struct State {
    bad: bool,
    until: SimTime,
    rng: Rng,
}

impl Bursts {
    /// Links between nodes of these names, in the states that the long run has.
    #[must_use]
    pub fn new(config: &BurstConfig, names: Vec<String>, seed: u64, run: u64) -> Self {
        Self { config: config.clone(), names, seed: (seed, run), links: BTreeMap::new() }
    }

    /// Probability that a frame is lost which took this time on its way. Frames of a link must come in order.
    pub(super) fn loss(&mut self, from: NodeId, to: NodeId, begin: SimTime, end: SimTime) -> f64 {
        let Self { config, names, seed, links } = self;
        let state = links.entry((from, to)).or_insert_with(|| {
            let entity = Entity::Link(&names[from.index()], &names[to.index()]);
            State::stationary(config, Rng::stream(seed.0, seed.1, entity, Purpose::Burst))
        });
        while state.until <= begin {
            state.turn(config);
        }
        if state.bad || state.until < end { config.loss_bad } else { config.loss_good }
    }
}

impl State {
    fn stationary(config: &BurstConfig, mut rng: Rng) -> Self {
        let (good, bad) = (config.good.as_secs_f64(), config.bad.as_secs_f64());
        let bad = rng.f64() * (good + bad) < bad;
        let mut state = Self { bad: !bad, until: SimTime::ZERO, rng };
        state.turn(config);
        state
    }

    fn turn(&mut self, config: &BurstConfig) {
        self.bad = !self.bad;
        let mean = if self.bad { config.bad } else { config.good };
        self.until += mean.mul_f64(self.rng.exponential()).max(Dur::from_ns(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bursts(good: u64, bad: u64) -> Bursts {
        let config =
            BurstConfig { good: Dur::from_ms(good), bad: Dur::from_ms(bad), loss_good: 0.0, loss_bad: 1.0 };
        Bursts::new(&config, vec!["a".to_owned(), "b".to_owned()], 1, 1)
    }

    /// Looked at every 100 us over 2000 s: mean lengths, and the share of the bad state.
    #[test]
    fn states_have_their_mean_lengths() {
        let mut bursts = bursts(90, 10);
        let (mut lengths, mut last, mut bad) = ([(0_u64, 0_u64); 2], false, 0_u64);
        let looks = 20_000_000;
        for look in 0..looks {
            let at = SimTime::from_us(100 * look);
            let now = bursts.loss(NodeId(0), NodeId(1), at, at) > 0.5;
            bad += u64::from(now);
            lengths[usize::from(now)].0 += 1;
            lengths[usize::from(now)].1 += u64::from(now != last);
            last = now;
        }
        let share = bad as f64 / looks as f64;
        assert!((share - 0.1).abs() < 0.003, "{share}");
        let mean = |state: usize| lengths[state].0 as f64 * 0.1 / lengths[state].1 as f64;
        // States shorter than a look are not seen; of exponential lengths that makes half a look.
        assert!((mean(1) / 10.0 - 1.0).abs() < 0.03, "{}", mean(1));
        assert!((mean(0) / 90.0 - 1.0).abs() < 0.03, "{}", mean(0));
    }

    /// A frame of length t escapes with the share of the good state times exp(-t / good).
    #[test]
    fn a_frame_is_lost_if_it_meets_a_bad_state() {
        let mut bursts = bursts(50, 5);
        let frames = 200_000;
        let lost: f64 = (0..frames)
            .map(|frame| {
                let begin = SimTime::from_ms(40 * frame);
                bursts.loss(NodeId(0), NodeId(1), begin, begin + Dur::from_ms(10))
            })
            .sum();
        let closed = 1.0 - 50.0 / 55.0 * libm::exp(-10.0 / 50.0);
        assert!((lost / frames as f64 / closed - 1.0).abs() < 0.02, "{} {closed}", lost / frames as f64);
    }

    #[test]
    fn directions_are_independent() {
        let mut bursts = bursts(10, 10);
        let mut same = 0;
        for look in 0..20_000 {
            let at = SimTime::from_ms(50 * look);
            let mut loss = |from, to| bursts.loss(NodeId(from), NodeId(to), at, at);
            same += u32::from(loss(0, 1) == loss(1, 0));
        }
        assert!((9_500..10_500).contains(&same), "{same}");
    }
}
