//! Transmission errors beside collisions: independent bit errors and packet errors, drawn for every frame and
//! receiver, control frames and broadcasts included.

use multihop_proto::mac::dcf::PLCP;
use multihop_proto::units::{Bytes, Rng};

use super::config::AirConfig;

/// Draws errors; probabilities are kept by frame length.
#[derive(Clone, Debug)]
pub struct ErrorModel {
    strikes: bool,
    bit_error_rate: f64,
    packet_error_rate: f64,
    plcp: Bytes,
    /// Probability of an error by MPDU length; negative = not computed yet.
    by_length: Vec<f64>,
}

impl ErrorModel {
    /// The model that the configuration asks for.
    #[must_use]
    pub fn new(config: &AirConfig) -> Self {
        Self {
            strikes: config.bit_error_rate > 0.0 || config.packet_error_rate > 0.0,
            bit_error_rate: config.bit_error_rate,
            packet_error_rate: config.packet_error_rate,
            plcp: if config.error_plcp { PLCP } else { Bytes::ZERO },
            by_length: Vec::new(),
        }
    }

    /// Whether the frame arrives damaged.
    #[inline]
    pub fn hits(&mut self, length: Bytes, rng: &mut Rng) -> bool {
        self.strikes && rng.f64() < self.probability(length)
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

    #[test]
    fn follows_the_formula() {
        let config = AirConfig { bit_error_rate: 5e-5, error_plcp: true, ..AirConfig::default() };
        let mut errors = ErrorModel::new(&config);
        let expected = 1.0 - libm::pow(1.0 - 5e-5, 8.0 * 1578.0);
        assert!((errors.probability(Bytes(1554)) - expected).abs() < 1e-12);
        let packets = AirConfig { packet_error_rate: 0.05, ..AirConfig::default() };
        assert!((ErrorModel::new(&packets).probability(Bytes(20)) - 0.05).abs() < 1e-12);
    }
}
