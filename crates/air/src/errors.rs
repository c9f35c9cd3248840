//! Transmission errors beside collisions: independent bit errors and packet errors, drawn for every frame and
//! receiver, control frames and broadcasts included.

use std::collections::BTreeMap;

use multihop_proto::phy::{PLCP, TxVector};
use multihop_proto::units::{Bytes, NodeId, Rng, SimTime};
use multihop_proto::wire::{Bitmap, GiveUp, Mpdu};

use super::burst::Bursts;
use super::config::{AirConfig, ErrorCurve, OfdmErrors, Reception};
use super::curve::{Parts, wide};
use super::geometry::Position;

/// What the channel did to a frame, beside other signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Harm {
    /// It struck bits: by the bit or packet error rate, noise, or a bad time of the link.
    Bits,
    /// It lost the frame as a link that is said to lose some does.
    Link,
    /// The receiver stood in a jammed region.
    Jam,
    /// This one frame came too weak, which on average would not be so.
    Fade,
}

impl Harm {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Bits, Self::Link, Self::Jam, Self::Fade];
}

impl From<Harm> for GiveUp {
    fn from(harm: Harm) -> Self {
        match harm {
            Harm::Bits => Self::BitErrors,
            Harm::Link => Self::LinkLoss,
            Harm::Jam => Self::Jamming,
            Harm::Fade => Self::Fading,
        }
    }
}

/// What the channel did to the MPDUs of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Struck {
    /// Those that it left.
    pub left: Bitmap,
    /// Those that it damaged, in the order of [`Harm::ALL`].
    harms: [Bitmap; Harm::ALL.len()],
    /// What damaged the last of these.
    pub last: Option<Harm>,
}

impl Struck {
    /// Nothing.
    #[must_use]
    pub const fn none() -> Self {
        Self { left: Bitmap::ALL, harms: [Bitmap::NONE; Harm::ALL.len()], last: None }
    }

    /// It damaged all of them so.
    #[must_use]
    pub fn all(harm: Harm) -> Self {
        let harms = Harm::ALL.map(|it| if it == harm { Bitmap::ALL } else { Bitmap::NONE });
        Self { left: Bitmap::NONE, harms, last: Some(harm) }
    }

    /// What it did to the MPDU at a place.
    #[must_use]
    pub fn harm(&self, place: u16) -> Option<Harm> {
        Harm::ALL.into_iter().find(|&harm| self.harms[harm as usize].has(place))
    }
}

/// Draws errors; probabilities are kept by frame length.
#[derive(Clone, Debug)]
pub struct ErrorModel {
    strikes: bool,
    bit_error_rate: f64,
    packet_error_rate: f64,
    plcp: Bytes,
    /// Probability of an error by MPDU length; negative = not computed yet.
    by_length: Vec<f64>,
    /// Losses of single links, by transmitter and receiver.
    links: BTreeMap<(NodeId, NodeId), f64>,
    jams: Vec<Jam>,
    bursts: Option<Box<Bursts>>,
    noise: Option<Noise>,
}

/// Bit errors by noise alone: what the mode of a frame and its power make of its bits.
#[derive(Clone, Copy, Debug)]
struct Noise {
    /// \[W\] in 20 MHz.
    power: f64,
    ofdm: OfdmErrors,
}

impl Noise {
    const fn new(air: &AirConfig) -> Self {
        Self { power: air.noise.get(), ofdm: air.ofdm_errors }
    }

    /// Ratio of signal to noise of a frame that arrives at this power \[W\].
    fn ratio(&self, tx: TxVector, power: f64) -> f64 {
        power / (self.power * wide(tx)).max(f64::MIN_POSITIVE)
    }

    /// Probability that a frame of this length which arrives at this power \[W\] comes through.
    fn intact(&self, length: Bytes, tx: TxVector, power: f64) -> f64 {
        let (parts, ratio) = (Parts::new(tx, length, SimTime::ZERO, self.ofdm), self.ratio(tx, power));
        parts.header_intact(ratio, parts.header, parts.header_end)
            * parts.payload_intact(ratio, parts.payload, parts.payload_end)
    }
}

/// Probability that noise alone spares a frame of this length which arrives at this power \[W\], with the reception
/// that the configuration has.
#[must_use]
pub fn undamaged(air: &AirConfig, length: Bytes, tx: TxVector, power: f64) -> f64 {
    let noise = Noise::new(air);
    let (locks, curve) = match air.reception {
        Reception::Ns2 => (true, air.noise_errors),
        Reception::Sinr => {
            (noise.ratio(tx, power) >= air.sinr_threshold.ratio(), air.error_curve == ErrorCurve::Dsss)
        }
    };
    match (locks, curve) {
        (false, _) => 0.0,
        (true, false) => 1.0,
        (true, true) => noise.intact(length, tx, power),
    }
}

/// The least power \[W\] at which noise spares all but a millionth of such frames; zero where it damages none.
#[must_use]
pub fn least_power(air: &AirConfig, length: Bytes, tx: TxVector) -> f64 {
    let spared = |decibels| undamaged(air, length, tx, libm::exp10(decibels / 10.0)) >= 1.0 - 1e-6;
    let (mut low, mut high) = (-300.0, 60.0);
    if spared(low) {
        return 0.0;
    }
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if spared(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    libm::exp10(high / 10.0)
}

/// A region in which frames are lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jam {
    /// Tells it from others.
    pub number: usize,
    /// Its middle.
    pub middle: Position,
    /// Its radius \[m\].
    pub radius: f64,
    /// Probability that a frame is lost at a receiver in it.
    pub loss: f64,
}

impl ErrorModel {
    /// The model that the configuration asks for; `local` if losses of single links or regions may come as well.
    #[must_use]
    pub fn new(config: &AirConfig, local: bool) -> Self {
        Self {
            strikes: config.bit_error_rate > 0.0 || config.packet_error_rate > 0.0 || local,
            bit_error_rate: config.bit_error_rate,
            packet_error_rate: config.packet_error_rate,
            plcp: if config.error_plcp { PLCP } else { Bytes::ZERO },
            by_length: Vec::new(),
            links: BTreeMap::new(),
            jams: Vec::new(),
            bursts: None,
            noise: None,
        }
    }

    /// From now on links have good and bad times.
    pub fn set_bursts(&mut self, bursts: Bursts) {
        self.strikes = true;
        self.bursts = Some(Box::new(bursts));
    }

    /// From now on noise strikes bits, by the mode of frames and the power at which they arrive.
    pub const fn set_noise(&mut self, air: &AirConfig) {
        self.strikes = true;
        self.noise = Some(Noise::new(air));
    }

    /// From now on frames from one node to another are lost with this probability, besides all other errors.
    pub fn set_link(&mut self, from: NodeId, to: NodeId, loss: f64) {
        if loss > 0.0 {
            self.links.insert((from, to), loss);
        } else {
            self.links.remove(&(from, to));
        }
    }

    /// From now on a region is jammed so; a loss of 0 ends it.
    pub fn set_jam(&mut self, jam: Jam) {
        self.jams.retain(|other| other.number != jam.number);
        if jam.loss > 0.0 {
            self.jams.push(jam);
        }
    }

    /// What damages a frame of this length on its way from one node to another, which is at a `place`; it took this
    /// time and came at this power \[W\].
    #[inline(never)]
    pub fn hits(
        &mut self,
        (length, tx): (Bytes, TxVector),
        (from, to): (NodeId, NodeId),
        (begin, end): (SimTime, SimTime),
        power: f64,
        place: impl FnOnce() -> Option<Position>,
        rng: &mut Rng,
    ) -> Option<Harm> {
        let mut probability = self.probability(length);
        // One draw decides for all causes, so each of them has a part of it.
        let mut parts = [(probability, Harm::Bits); 4];
        let mut add = |part: usize, loss: f64, harm| {
            probability = 1.0 - (1.0 - probability) * (1.0 - loss);
            parts[part..].fill((probability, harm));
        };
        if !self.links.is_empty() {
            add(1, self.links.get(&(from, to)).copied().unwrap_or(0.0), Harm::Link);
        }
        if !self.jams.is_empty()
            && let Some(place) = place()
        {
            for jam in self.jams.iter().filter(|jam| jam.middle.distance(&place) <= jam.radius) {
                add(2, jam.loss, Harm::Jam);
            }
        }
        if let Some(noise) = &self.noise {
            add(3, 1.0 - noise.intact(length, tx, power), Harm::Bits);
        }
        if let Some(bursts) = &mut self.bursts {
            add(3, bursts.loss(from, to, begin, end), Harm::Bits);
        }
        if !self.strikes {
            return None;
        }
        let draw = rng.f64();
        parts.iter().find(|(probability, _)| draw < *probability).map(|&(_, harm)| harm)
    }

    /// Which MPDUs of an A-MPDU are left of those that came through overlap and noise, in a frame that arrives from one
    /// node at another at this power \[W\] and was on the air for this time. Each is judged over its own bytes, unless
    /// only whether `any` is left matters.
    #[inline(never)]
    pub fn strike_each(
        &mut self,
        frame: (&[Mpdu], TxVector),
        (way, power): ((NodeId, NodeId), f64),
        time: (SimTime, SimTime),
        place: Option<Position>,
        (map, any): (Bitmap, bool),
        rng: &mut Rng,
    ) -> Struck {
        let mut struck = Struck { left: Bitmap::NONE, ..Struck::none() };
        for (number, mpdu) in (0..).zip(frame.0).filter(|&(number, _)| map.has(number)) {
            match self.hits((mpdu.size, frame.1), way, time, power, || place, rng) {
                Some(harm) => {
                    struck.harms[harm as usize].set(number);
                    struck.last = Some(harm);
                }
                None => drop(struck.left.set(number)),
            }
            if any && !struck.left.is_empty() {
                return Struck { last: None, ..struck };
            }
        }
        struck
    }

    /// Whether there are errors at all.
    #[inline]
    #[must_use]
    pub const fn strikes(&self) -> bool {
        self.strikes
    }

    /// Probability that a frame of this length arrives damaged: `1 - (1 - BER)^bits`, or the packet error.
    pub fn probability(&mut self, length: Bytes) -> f64 {
        let index = length.get() as usize;
        if self.by_length.len() <= index {
            self.by_length.resize(index + 1, -1.0);
        }
        if self.by_length[index] < 0.0 {
            let bits = (length + self.plcp).bits() as f64;
            let intact = libm::pow(1.0 - self.bit_error_rate, bits) * (1.0 - self.packet_error_rate);
            self.by_length[index] = 1.0 - intact;
        }
        self.by_length[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multihop_proto::phy::Preamble;
    use multihop_proto::units::{Bitrate, Entity, Purpose};

    fn dsss(mbps: f64) -> TxVector {
        TxVector::dsss(Bitrate::from_bps((mbps * 1e6) as u64), Preamble::Long)
    }

    #[test]
    fn follows_the_formula() {
        let config = AirConfig { bit_error_rate: 5e-5, error_plcp: true, ..AirConfig::default() };
        let mut errors = ErrorModel::new(&config, false);
        let expected = 1.0 - libm::pow(1.0 - 5e-5, 8.0 * 1578.0);
        assert!((errors.probability(Bytes(1554)) - expected).abs() < 1e-12);
        let packets = AirConfig { packet_error_rate: 0.05, ..AirConfig::default() };
        assert!((ErrorModel::new(&packets, false).probability(Bytes(20)) - 0.05).abs() < 1e-12);
    }

    #[test]
    fn links_and_regions_lose_frames_of_their_own() {
        let mut errors = ErrorModel::new(&AirConfig::default(), true);
        let (a, b) = (NodeId(0), NodeId(1));
        let mut rng = Rng::stream(1, 1, Entity::Node("b"), Purpose::FrameError);
        let mut lost = |errors: &mut ErrorModel, from, to, x| {
            let place = || Some(Position { x, y: 0.0 });
            (0..1000)
                .filter(|_| {
                    errors
                        .hits(
                            (Bytes(20), dsss(1.0)),
                            (from, to),
                            (SimTime::ZERO, SimTime::ZERO),
                            1.0,
                            place,
                            &mut rng,
                        )
                        .is_some()
                })
                .count()
        };
        errors.set_link(a, b, 0.3);
        let share = lost(&mut errors, a, b, 0.0);
        assert!((250..350).contains(&share), "{share}");
        assert_eq!(lost(&mut errors, b, a, 0.0), 0);
        errors.set_link(a, b, 0.0);
        let middle = Position { x: 100.0, y: 0.0 };
        errors.set_jam(Jam { number: 7, middle, radius: 50.0, loss: 1.0 });
        assert_eq!((lost(&mut errors, a, b, 140.0), lost(&mut errors, a, b, 160.0)), (1000, 0));
        errors.set_jam(Jam { number: 7, middle, radius: 50.0, loss: 0.0 });
        assert_eq!(lost(&mut errors, a, b, 140.0), 0);
    }

    #[test]
    fn the_least_power_is_that_which_noise_spares() {
        let air = AirConfig::default();
        let (length, tx) = (Bytes(1536), dsss(11.0));
        let least = least_power(&air, length, tx);
        assert!(undamaged(&air, length, tx, least) >= 1.0 - 1e-6);
        assert!(undamaged(&air, length, tx, least * 0.99) < 1.0 - 1e-6);
        let ratio = 10.0 * libm::log10(least / air.noise.get());
        assert!((6.0..9.0).contains(&ratio), "{ratio} dB for 11 Mb/s");
        let careless = AirConfig { reception: Reception::Ns2, ..air.clone() };
        assert_eq!(least_power(&careless, length, tx), 0.0);
        let threshold = AirConfig { error_curve: ErrorCurve::None, ..air };
        let least = 10.0 * libm::log10(least_power(&threshold, length, tx) / threshold.noise.get());
        assert!((least - 4.0).abs() < 1e-6, "{least} dB: a receiver must lock onto it");
    }

    /// 1536 bytes behind a long preamble: at 5 dB those of 5.5 Mb/s come through and those of 11 Mb/s mostly not, at 0
    /// dB those of 1 Mb/s alone.
    #[test]
    fn noise_strikes_the_faster_frames_first() {
        let noise = Noise { power: 1e-13, ofdm: OfdmErrors::Table };
        let loss = |mbps: f64, decibels: f64| {
            1.0 - noise.intact(Bytes(1536), dsss(mbps), 1e-13 * libm::exp10(decibels / 10.0))
        };
        let at = |decibels| [1.0, 2.0, 5.5, 11.0].map(|mbps| loss(mbps, decibels));
        assert!(at(8.0).iter().all(|&loss| loss < 1e-4), "{:?}", at(8.0));
        let [one, two, five, eleven] = at(5.0);
        assert!(one < 1e-9 && two < 1e-4 && five < 1e-6 && (0.02..0.1).contains(&eleven), "{:?}", at(5.0));
        let [one, two, five, eleven] = at(0.0);
        assert!(one < 1e-5 && two > 0.5 && five > 0.5 && eleven > 0.999, "{:?}", at(0.0));
        // The header goes at 1 Mb/s whatever the frame does.
        assert!(loss(11.0, -10.0) > 0.999 && loss(1.0, -10.0) > 0.999);
    }
}
