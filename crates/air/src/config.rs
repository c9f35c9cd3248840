//! Configuration of the radio channel.

use super::burst::BurstConfig;
use multihop_proto::keys;
use multihop_proto::units::range::{Checked, Wrong, must, within};
use multihop_proto::units::{Decibel, Dur, Frequency, Metres, Power};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// Propagation, reception and errors. Defaults are the field's usual card (Lucent WaveLAN at 914 MHz: 250 m to
    /// receive, 550 m to sense) with interference added up.
    #[derive(Clone, Debug, PartialEq)]
    pub struct AirConfig {
        /// How power falls with distance.
        pub propagation: Propagation = Propagation::TwoRay,
        /// With `propagation = "log-distance"`: how fast power falls beyond `reference-distance`, 2 as in free space.
        pub path_loss_exponent: f64 = 3.0,
        /// With `propagation = "log-distance"`: distance up to which power is that of free space.
        pub reference_distance: Metres = Metres::new(1.0),
        /// Standard deviation of the shadowing: each pair of nodes has, for the whole run and both ways, a gain that is
        /// normal in decibels, with a mean of 0 dB; cut off at three deviations.
        pub shadowing: Decibel = Decibel::new(0.0),
        /// How the power of a frame at a receiver varies about its mean; drawn anew for each frame and receiver.
        pub fading: Fading = Fading::None,
        /// With `fading = "rician"`: power of the direct path over that of all others.
        pub rician_k: Decibel = Decibel::new(6.0),
        /// Bursts of losses: each direction of each link has its own good and bad times. Default: none.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub burst: Option<BurstConfig> = None,
        /// Carrier frequency.
        pub frequency: Frequency = Frequency::new(914e6),
        /// Power of every transmitter; antennas have gain 1.
        pub tx_power: Power = Power::new(0.281_838_15),
        /// Height of every antenna above ground, for `two-ray`.
        pub antenna_height: Metres = Metres::new(1.5) => within(NEAREST, Metres::new(1e4)),
        /// Weakest signal that can be decoded.
        pub receive_threshold: Power = Power::new(3.652e-10),
        /// Weakest signal that makes the medium busy.
        pub sense_threshold: Power = Power::new(1.559e-11),
        /// Weakest signal that makes the medium busy at a station of 802.11b if it is none of DSSS (energy detection,
        /// IEEE 802.11-2020 §17.3.10.6). Ranges of `disk` and listed links have no such power: there all that is
        /// sensed does.
        pub energy_threshold: Power = Power::new(6.31e-10),
        /// Distance up to which frames are decoded, for `disk`.
        pub range: Metres = Metres::new(250.0),
        /// Distance up to which the medium is sensed busy, for `disk`.
        pub sense_range: Metres = Metres::new(550.0),
        /// Distance up to which a transmission destroys another's reception, for `disk`.
        pub interference_range: Metres = Metres::new(550.0),
        /// What becomes of frames that overlap.
        pub reception: Reception = Reception::Sinr,
        /// With `reception = "ns2"`: a later frame this much weaker than the one being received is ignored. With `sinr`
        /// and `late-capture`: the ratio at which a later frame takes the receiver over.
        pub capture: Decibel = Decibel::new(10.0),
        /// With `reception = "sinr"`: least ratio of signal to noise and interference at which a receiver locks onto a
        /// signal, and, without an error curve, over the whole frame.
        pub sinr_threshold: Decibel = Decibel::new(4.0),
        /// With `reception = "sinr"`: how long after its beginning a signal is judged for locking, the strongest of
        /// those that have begun by then (preamble detection; ns-3: 4 us).
        pub lock_time: Dur = Dur::from_us(4),
        /// With `reception = "sinr"`: whether a receiver that is locked lets itself be taken over by a signal that
        /// begins later and whose own ratio reaches `capture`.
        pub late_capture: bool = true,
        /// With `reception = "sinr"`: what destroys a frame that a receiver has locked onto.
        pub error_curve: ErrorCurve = ErrorCurve::Dsss,
        /// What bit errors strike frames of OFDM and of 802.11n, ac and ax, where an error curve or `noise-errors` is
        /// at work.
        pub ofdm_errors: OfdmErrors = OfdmErrors::Table,
        /// With `reception = "sinr"`: whether an error in the service, tail or padding bits of an OFDM frame destroys
        /// it, too, as in ns-3. No FCS covers them.
        pub padding_errors: bool = false,
        /// With `reception = "sinr"`: weakest signal that counts as interference. Default: the sense threshold or a
        /// hundredth of the receive threshold, whichever is less.
        pub interference_floor: Option<Power> = None,
        /// With `reception = "sinr"`: noise power in 20 MHz, thermal and receiver's; wider frames meet more. Default:
        /// 22 MHz at 290 K and 7 dB.
        pub noise: Power = Power::new(4e-13) => within(Power::new(0.0), Power::new(1.0)),
        /// Time from transmitter to receiver, the same for all pairs (1 us is 300 m). Two stations that start within
        /// this time of each other cannot hear each other start; `mac.cca-time` adds to that window.
        pub propagation_delay: Dur = Dur::ZERO,
        /// With `reception = "ns2"`: noise strikes bits too, by the rate of the frame and the ratio of its power to
        /// `noise`, as under `error-curve = "dsss"`; interference stays a matter of `capture`.
        pub noise_errors: bool = false,
        /// Probability that a bit is received wrong, independent of all others, on every frame and receiver.
        pub bit_error_rate: f64 = 0.0 => probability,
        /// Probability that a frame is received wrong, whatever its length; adds to `bit-error-rate`.
        pub packet_error_rate: f64 = 0.0 => probability,
        /// Bit errors also strike the 24 bytes of PLCP preamble and header, as in ns-2.
        pub error_plcp: bool = false,
    }
    also(its) {
        must(its.frequency.get() >= 1e3, "frequency", its.frequency, "be at least 1 kHz")?;
        must(its.frequency.get() <= 1e12, "frequency", its.frequency, "be at most 1000 GHz")?;
        power("tx-power", its.tx_power)?;
        power("receive-threshold", its.receive_threshold)?;
        power("sense-threshold", its.sense_threshold)?;
        power("energy-threshold", its.energy_threshold)?;
        its.check_channel()?;
        length("range", its.range)?;
        length("sense-range", its.sense_range)?;
        length("interference-range", its.interference_range)?;
        if its.propagation == Propagation::Disk {
            let rule = format_args!("not be shorter than `air.range`, {}", its.range);
            must(its.sense_range >= its.range, "sense-range", its.sense_range, rule)?;
            must(its.interference_range >= its.range, "interference-range", its.interference_range, rule)?;
        } else {
            let rule = format_args!("not be above `air.receive-threshold`, {}", its.receive_threshold);
            let met = its.sense_threshold <= its.receive_threshold;
            must(met, "sense-threshold", its.sense_threshold, rule)?;
            let rule = format_args!("be above `air.receive-threshold`, {}", its.receive_threshold);
            must(its.tx_power > its.receive_threshold, "tx-power", its.tx_power, rule)?;
        }
        for (path, value) in [("capture", its.capture), ("sinr-threshold", its.sinr_threshold)] {
            must((-100.0..=100.0).contains(&value.get()), path, value, "lie between -100 dB and 100 dB")?;
        }
        within("lock-time", its.lock_time, Dur::ZERO, Dur::from_us(72))?;
        if let Some(floor) = its.interference_floor {
            power("interference-floor", floor)?;
            let rule = format_args!("not be above `air.sense-threshold`, {}", its.sense_threshold);
            must(floor <= its.sense_threshold, "interference-floor", floor, rule)?;
        }
        its.check_noise()
    }
}

impl AirConfig {
    fn check_noise(&self) -> Checked {
        let (message, help) = match (self.reception, self.propagation) {
            _ if !self.noise_errors => return Ok(()),
            (Reception::Sinr, _) => (
                "`noise-errors` is for reception = \"ns2\"",
                "leave it out: error-curve = \"dsss\" does the same for reception = \"sinr\"",
            ),
            (_, Propagation::Disk) => (
                "`noise-errors` means nothing to fixed ranges, propagation = \"disk\"",
                "leave it out, or choose another propagation",
            ),
            _ => return Ok(()),
        };
        Err(Wrong::says("noise-errors", message, help))
    }

    fn check_channel(&self) -> Checked {
        let (exponent, deviation) = (self.path_loss_exponent, self.shadowing);
        must((1.0..=10.0).contains(&exponent), "path-loss-exponent", exponent, "lie between 1 and 10")?;
        length("reference-distance", self.reference_distance)?;
        must((0.0..=20.0).contains(&deviation.get()), "shadowing", deviation, "lie between 0 dB and 20 dB")?;
        must(
            (-100.0..=100.0).contains(&self.rician_k.get()),
            "rician-k",
            self.rician_k,
            "lie between -100 dB and 100 dB",
        )?;
        if self.propagation == Propagation::Disk {
            let rule = "be 0 dB with propagation = \"disk\", whose ranges are fixed";
            must(deviation.get() == 0.0, "shadowing", deviation, rule)?;
            if self.fading != Fading::None {
                let message = "`fading` means nothing to fixed ranges, propagation = \"disk\"";
                return Err(Wrong::says("fading", message, "leave it out, or choose another propagation"));
            }
        }
        self.burst.as_ref().map_or(Ok(()), |burst| burst.check().map_err(|wrong| wrong.inside("burst")))
    }
}

/// Side of the largest area, and the largest coordinate.
pub const FARTHEST: Metres = Metres::new(1e6);
/// Nearest neighbours; closer, the far-field formulas mean nothing.
pub(crate) const NEAREST: Metres = Metres::new(0.01);

/// The value must be a distance between nodes.
pub fn length(key: &str, value: Metres) -> Checked {
    within(key, value, NEAREST, FARTHEST)
}

fn power(key: &str, value: Power) -> Checked {
    within(key, value, Power::new(1e-30), Power::new(1e6))
}

/// How power falls with distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Propagation {
    /// Free space up to the cross-over distance 4π·h²/λ, then h⁴/d⁴ (Rappaport, §4.6).
    TwoRay,
    /// Friis: (λ/4πd)².
    FreeSpace,
    /// Free space up to `reference-distance`, then falling with `path-loss-exponent` (Rappaport, §4.9).
    LogDistance,
    /// Fixed ranges: everything up to `range` is received at one power, nothing beyond it.
    Disk,
}

/// How the power of a frame varies about its mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fading {
    /// It does not.
    None,
    /// Many paths and none direct: power is exponential (Rappaport, §5.6).
    Rayleigh,
    /// A direct path among many.
    Rician,
}

/// What becomes of frames that overlap at a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reception {
    /// Pair by pair in the order of arrival: a later frame weaker by `capture` is ignored, any other later frame
    /// destroys both.
    Ns2,
    /// Interference is added up; the ratio of signal to noise and interference decides.
    Sinr,
}

/// What destroys a frame that a receiver has locked onto.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCurve {
    /// A ratio below `sinr-threshold` at any time.
    None,
    /// Bit errors by the ratio, in stretches of constant interference: the PLCP header and the payload each at its
    /// rate (DBPSK, DQPSK, CCK; IEEE 802.11-2020 clauses 15 and 16). Frames of OFDM by `ofdm-errors`.
    Dsss,
}

/// Bit errors of OFDM and of what came after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OfdmErrors {
    /// Simulations of links with the convolutional code (IEEE 802.11-14/0571), as ns-3.44 has them; BPSK 3/4, MCS 10
    /// and 11 by `yans`.
    Table,
    /// The same with LDPC, which needs 1.5 to 2 dB less.
    TableLdpc,
    /// Closed form with hard decisions, 3 to 4 dB more pessimistic (Pei & Henderson, 2010).
    Nist,
    /// Closed form with the shortest paths of the code alone (Lacage & Henderson, 2006).
    Yans,
}

impl OfdmErrors {
    /// Whether the errors per bit depend on the length of what carries them.
    pub(super) const fn minds_length(self) -> bool {
        matches!(self, Self::Table | Self::TableLdpc)
    }
}
