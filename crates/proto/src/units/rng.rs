//! Keyed random streams.
//!
//! Every process of the model draws from its own stream, found by *name*: the run's seed and number,
//! the entity (a node's name, a link, a flow) and the purpose. Adding a node, renumbering nodes or
//! changing a technique leaves the streams of everything else untouched, which is what makes runs
//! with common random numbers comparable.
//!
//! Key: XXH3-64 over `seed ‖ run ‖ purpose tag ‖ entity tag ‖ names`, integers little-endian, each
//! text preceded by its length. Generator: xoshiro256++ (Blackman & Vigna 2021), seeded from the key
//! through SplitMix64. Neither depends on the platform, the compiler or this program's version.

use super::Dur;
use rand_core::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Whose randomness it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entity<'a> {
    /// A node, by its name.
    Node(&'a str),
    /// A directed link, from and to, by the nodes' names.
    Link(&'a str, &'a str),
    /// A flow, by its name.
    Flow(&'a str),
    /// The network as a whole.
    Whole,
}

/// What the randomness is for. The text keys are part of every result: never change one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// Back-off slots of a MAC.
    Backoff,
    /// Bit and packet errors.
    FrameError,
    /// Bit errors by interference.
    Reception,
    /// Deliberate jitter of periodic messages.
    Jitter,
    /// Arrivals and sizes of application data.
    Traffic,
    /// Placement of nodes.
    Topology,
    /// Movement of nodes.
    Motion,
    /// Fading of the channel.
    Fading,
    /// Shadowing of pairs of nodes.
    Shadowing,
    /// Bursts of losses on a link.
    Burst,
    /// What an active queue management leaves to chance.
    Aqm,
}

impl Purpose {
    const fn key(self) -> &'static str {
        match self {
            Self::Backoff => "backoff",
            Self::FrameError => "frame-error",
            Self::Reception => "reception",
            Self::Jitter => "jitter",
            Self::Traffic => "traffic",
            Self::Topology => "topology",
            Self::Motion => "motion",
            Self::Fading => "fading",
            Self::Shadowing => "shadowing",
            Self::Burst => "burst",
            Self::Aqm => "aqm",
        }
    }
}

/// One stream of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// The stream of `entity` for `purpose` in run number `run` of a scenario with this `seed`.
    #[must_use]
    pub fn stream(seed: u64, run: u64, entity: Entity<'_>, purpose: Purpose) -> Self {
        let mut key = Vec::with_capacity(64);
        key.extend_from_slice(&seed.to_le_bytes());
        key.extend_from_slice(&run.to_le_bytes());
        let mut text = |part: &str| {
            key.extend_from_slice(&(part.len() as u64).to_le_bytes());
            key.extend_from_slice(part.as_bytes());
        };
        text(purpose.key());
        match entity {
            Entity::Node(name) => ["node", name].into_iter().for_each(&mut text),
            Entity::Link(from, to) => ["link", from, to].into_iter().for_each(&mut text),
            Entity::Flow(name) => ["flow", name].into_iter().for_each(&mut text),
            Entity::Whole => text("world"),
        }
        Self(Xoshiro256PlusPlus::seed_from_u64(xxhash_rust::xxh3::xxh3_64(&key)))
    }

    /// Another stream, whose seed is the next draw of this one.
    #[must_use]
    pub fn split(&mut self) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(self.bits()))
    }

    /// The stream of two entities, by the first bits of their own streams, at an instant: for draws that come up in no
    /// order.
    #[inline]
    #[must_use]
    pub fn of_pair(one: u64, other: u64, at_ns: u64) -> Self {
        let mut key = [0; 24];
        for (part, value) in key.chunks_exact_mut(8).zip([one, other, at_ns]) {
            part.copy_from_slice(&value.to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::seed_from_u64(xxhash_rust::xxh3::xxh3_64(&key)))
    }

    /// The next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A whole number in `0..bound`, by multiply-shift over 64 bits: always exactly one draw, so that
    /// streams stay aligned, at the price of a bias below `bound / 2^64`. Zero for `bound` 0.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u32
    }

    /// A number in `[0, 1)` with 53 random bits.
    #[inline]
    pub fn f64(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A number from the normal distribution with mean 0 and standard deviation 1, of two draws (Box and Muller 1958).
    #[inline]
    pub fn normal(&mut self) -> f64 {
        let (radius, turn) = (1.0 - self.f64(), self.f64()); // never the logarithm of 0
        libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(std::f64::consts::TAU * turn)
    }

    /// A number from the exponential distribution with mean 1.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.f64())
    }

    /// A length in `from..to`; `from` if the range is empty.
    #[inline]
    pub fn range_dur(&mut self, from: Dur, to: Dur) -> Dur {
        let width = to.saturating_sub(from).as_ns();
        from + Dur::from_ns(((u128::from(self.bits()) * u128::from(width)) >> 64) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The streams are part of every published result: these draws must never change.
    #[test]
    fn first_draws_are_golden() {
        let mut draws = String::new();
        for (entity, purpose) in [
            (Entity::Node("0"), Purpose::Backoff),
            (Entity::Node("1"), Purpose::Backoff),
            (Entity::Link("0", "1"), Purpose::FrameError),
            (Entity::Flow("1"), Purpose::Traffic),
            (Entity::Whole, Purpose::Topology),
        ] {
            let mut rng = Rng::stream(1, 1, entity, purpose);
            let slots: Vec<_> = (0..4).map(|_| rng.below(32)).collect();
            draws += &format!("{entity:?} {slots:?} {:016x}\n", rng.bits());
        }
        insta::assert_snapshot!(draws, @r#"
        Node("0") [12, 2, 5, 31] 14e1c2a33a3c11d8
        Node("1") [31, 15, 21, 26] 7354f0e8c7e7cf27
        Link("0", "1") [1, 30, 16, 1] 5ebdf18a1fcc80af
        Flow("1") [23, 19, 21, 15] 8cc496ebdef7236f
        Whole [13, 9, 4, 8] cd7b50de9d610e3c
        "#);
    }

    #[test]
    fn keys_do_not_run_together() {
        let stream = |entity| Rng::stream(1, 1, entity, Purpose::FrameError);
        assert_ne!(stream(Entity::Link("1", "23")), stream(Entity::Link("12", "3")));
        assert_ne!(stream(Entity::Node("1")), stream(Entity::Flow("1")));
        assert_ne!(stream(Entity::Whole), Rng::stream(1, 2, Entity::Whole, Purpose::FrameError));
    }

    #[test]
    fn draws_are_in_range_and_spread() {
        let mut rng = Rng::stream(7, 1, Entity::Whole, Purpose::Jitter);
        let mut counts = [0_u32; 31];
        for _ in 0..31_000 {
            counts[rng.below(31) as usize] += 1;
        }
        assert!(counts.iter().all(|&n| (850..1150).contains(&n)), "{counts:?}");
        let mean = (0..10_000).map(|_| rng.f64()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        let drawn: Vec<f64> = (0..100_000).map(|_| rng.normal()).collect();
        let moment = |power: i32| drawn.iter().map(|x| libm::pow(*x, f64::from(power))).sum::<f64>() / 1e5;
        assert!(moment(1).abs() < 0.02 && (moment(2) - 1.0).abs() < 0.02 && (moment(4) - 3.0).abs() < 0.15);
        let mean = (0..100_000).map(|_| rng.exponential()).sum::<f64>() / 1e5;
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        for _ in 0..100 {
            let length = rng.range_dur(Dur::from_us(5), Dur::from_us(6));
            assert!(length >= Dur::from_us(5) && length < Dur::from_us(6));
        }
        assert_eq!(rng.range_dur(Dur::from_us(5), Dur::from_us(5)), Dur::from_us(5));
    }
}
