//! What a channel adds to its mean power: shadowing, which is of a pair of nodes, and fading, which is of a frame.
//!
//! Nothing here has a state: the gain of a pair, and of a frame that begins at an instant, is drawn from a stream that
//! the two nodes' own keys and the instant name. So no frame's luck depends on another frame, on which other node
//! listens, or on how nodes are numbered.

use multihop_proto::units::{Entity, NodeId, Purpose, Rng, SimTime};

use super::config::{AirConfig, Fading};

/// Shadowing is cut off at so many standard deviations: 0.3 % of all pairs.
const FARTHEST_DEVIATION: f64 = 3.0;
/// The greatest gain of fading, 10 dB: more has a probability of 5e-5 under Rayleigh fading.
const GREATEST_FADE: f64 = 10.0;

/// The gains of all pairs of nodes in one run.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Standard deviation of the shadowing \[dB\].
    shadowing: f64,
    fading: Fading,
    /// Power of the direct path over that of all others.
    rician_k: f64,
    /// Of each node, what names its part in a pair: for shadowing, for fading.
    keys: Vec<(u64, u64)>,
}

impl Channel {
    /// The channel between stations, if it adds anything to the mean. Each is given with the name of its node, which
    /// decides its shadowing, and with its own, which decides its fading.
    #[must_use]
    pub fn new<'a>(
        config: &AirConfig,
        names: impl Iterator<Item = (&'a str, &'a str)>,
        seed: u64,
        run: u64,
    ) -> Option<Self> {
        let key = |name, purpose| Rng::stream(seed, run, Entity::Node(name), purpose).bits();
        let changes = config.shadowing.get() > 0.0 || config.fading != Fading::None;
        changes.then(|| Self {
            shadowing: config.shadowing.get(),
            fading: config.fading,
            rician_k: config.rician_k.ratio(),
            keys: names
                .map(|(node, own)| (key(node, Purpose::Shadowing), key(own, Purpose::Fading)))
                .collect(),
        })
    }

    /// Whether each frame has its own power.
    pub(super) const fn fades(&self) -> bool {
        !matches!(self.fading, Fading::None)
    }

    /// Gain of a pair of nodes, the same both ways: log-normal, with a median of 1.
    pub(super) fn shadow(&self, one: NodeId, other: NodeId) -> f64 {
        if self.shadowing == 0.0 {
            return 1.0;
        }
        let (one, other) = (self.keys[one.index()].0, self.keys[other.index()].0);
        let deviations = Rng::of_pair(one.min(other), one.max(other), 0).normal();
        decibels(self.shadowing * deviations.clamp(-FARTHEST_DEVIATION, FARTHEST_DEVIATION))
    }

    /// Gain of a frame that begins at an instant, with a mean of 1.
    pub(super) fn fade(&self, from: NodeId, to: NodeId, at: SimTime) -> f64 {
        let mut rng = match self.fading {
            Fading::None => return 1.0,
            _ => Rng::of_pair(self.keys[from.index()].1, self.keys[to.index()].1, at.as_ns()),
        };
        let gain = match self.fading {
            Fading::Rician => rician(&mut rng, self.rician_k),
            _ => rng.exponential(),
        };
        gain.min(GREATEST_FADE)
    }
}

/// The greatest gain over the mean power that a frame can have.
pub(super) fn greatest_gain(config: &AirConfig) -> f64 {
    let fade = if config.fading == Fading::None { 1.0 } else { GREATEST_FADE };
    fade * decibels(config.shadowing.get() * FARTHEST_DEVIATION)
}

/// A direct path with `k` times the power of all others together, which are normal in both phases.
fn rician(rng: &mut Rng, k: f64) -> f64 {
    let deviation = libm::sqrt(0.5 / (k + 1.0));
    let (x, y) = (libm::sqrt(k / (k + 1.0)) + deviation * rng.normal(), deviation * rng.normal());
    x * x + y * y
}

fn decibels(value: f64) -> f64 {
    libm::pow(10.0, value / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use multihop_proto::units::Decibel;

    fn channel(config: &AirConfig, nodes: usize) -> Channel {
        let names: Vec<String> = (0..nodes).map(|node| node.to_string()).collect();
        Channel::new(config, names.iter().map(|it| (it.as_str(), it.as_str())), 1, 1)
            .expect("it adds something")
    }

    fn fades(fading: Fading, k: f64) -> Vec<f64> {
        let config = AirConfig { fading, rician_k: Decibel::new(k), ..AirConfig::default() };
        let channel = channel(&config, 2);
        (0..200_000).map(|us| channel.fade(NodeId(0), NodeId(1), SimTime::from_us(us))).collect()
    }

    #[test]
    fn without_shadowing_and_fading_there_is_nothing() {
        assert!(Channel::new(&AirConfig::default(), [("a", "a"), ("b", "b")].into_iter(), 1, 1).is_none());
    }

    /// Outage below a share x of the mean: 1 - exp(-x).
    #[test]
    fn rayleigh_fading_has_its_outage_probability() {
        let gains = fades(Fading::Rayleigh, 0.0);
        for x in [0.01, 0.1, 0.5, 1.0, 2.0] {
            let outage = gains.iter().filter(|&&gain| gain < x).count() as f64 / gains.len() as f64;
            let closed = 1.0 - libm::exp(-x);
            assert!(
                (outage - closed).abs() < 0.003 && (outage / closed - 1.0).abs() < 0.06,
                "{x}: {outage} {closed}"
            );
        }
    }

    /// The power of a Rician channel has mean 1 and variance (1 + 2K) / (1 + K)²; with K = 0 it is Rayleigh's.
    #[test]
    fn rician_fading_has_its_moments() {
        for k in [-20.0, 0.0, 6.0, 12.0] {
            let gains = fades(Fading::Rician, k);
            let count = gains.len() as f64;
            let mean = gains.iter().sum::<f64>() / count;
            let variance = gains.iter().map(|gain| (gain - mean) * (gain - mean)).sum::<f64>() / count;
            let ratio = Decibel::new(k).ratio();
            let closed = (1.0 + 2.0 * ratio) / ((1.0 + ratio) * (1.0 + ratio));
            assert!((mean - 1.0).abs() < 0.01, "{k} dB: {mean}");
            assert!((variance / closed - 1.0).abs() < 0.03, "{k} dB: {variance} {closed}");
        }
    }

    #[test]
    fn shadowing_is_normal_in_decibels_and_the_same_both_ways() {
        let config = AirConfig { shadowing: Decibel::new(6.0), ..AirConfig::default() };
        let channel = channel(&config, 300);
        let pairs = (0..300).flat_map(|a| (0..a).map(move |b| (NodeId(a), NodeId(b))));
        let values: Vec<f64> = pairs
            .map(|(a, b)| {
                assert!(channel.shadow(a, b) == channel.shadow(b, a));
                10.0 * libm::log10(channel.shadow(a, b))
            })
            .collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let deviation = libm::sqrt(values.iter().map(|x| x * x).sum::<f64>() / count);
        assert!(mean.abs() < 0.1 && (deviation - 6.0).abs() < 0.15, "{mean} {deviation}");
        let within = values.iter().filter(|x| x.abs() < 6.0).count() as f64 / count;
        assert!((within - 0.6827).abs() < 0.01, "{within}");
        assert!(values.iter().all(|x| x.abs() <= 18.0 + 1e-9));
    }
}
