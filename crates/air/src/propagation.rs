//! Propagation: received power over distance.
//!
//! Free space: Friis (1946). Two-ray ground reflection: Rappaport, Wireless Communications, §4.6, free space below
//! the cross-over distance 4π·ht·hr/λ. Antenna gains and system loss are 1.

use std::sync::Arc;

use super::config::{AirConfig, Propagation};

/// Received power \[W\] in free space at `distance` \[m\].
#[must_use]
pub fn free_space(power: f64, wavelength: f64, distance: f64) -> f64 {
    let spread = wavelength / (4.0 * std::f64::consts::PI * distance);
    power * spread * spread
}

/// Received power \[W\] over flat ground with antennas `height` \[m\] above it.
#[must_use]
pub fn two_ray(power: f64, wavelength: f64, height: f64, distance: f64) -> f64 {
    if distance < crossover(wavelength, height) {
        return free_space(power, wavelength, distance);
    }
    let square = distance * distance;
    power * (height * height) * (height * height) / (square * square)
}

/// Distance from which on the ground reflection counts \[m\].
fn crossover(wavelength: f64, height: f64) -> f64 {
    4.0 * std::f64::consts::PI * height * height / wavelength
}

/// Received power \[W\] that falls with a power of the distance beyond a reference.
#[must_use]
pub(super) fn log_distance(power: f64, wavelength: f64, reference: f64, exponent: f64, distance: f64) -> f64 {
    if distance <= reference {
        return free_space(power, wavelength, distance);
    }
    free_space(power, wavelength, reference) * libm::pow(reference / distance, exponent)
}

/// [`two_ray`] with its constants worked out.
#[derive(Clone, Copy, Debug)]
pub(super) struct TwoRay {
    /// Transmit power \[W\].
    power: f64,
    wavelength: f64,
    /// Distance from which on the ground reflection counts \[m\].
    crossover: f64,
    /// What is divided by the fourth power of the distance beyond it.
    far: f64,
}

impl TwoRay {
    /// The constants; none under another model.
    pub(super) fn new(config: &AirConfig) -> Option<Self> {
        let (power, wavelength) = (config.tx_power.get(), config.frequency.wavelength());
        let height = config.antenna_height.get();
        let crossover = crossover(wavelength, height);
        let far = power * (height * height) * (height * height);
        (config.propagation == Propagation::TwoRay).then_some(Self { power, wavelength, crossover, far })
    }

    /// Received power \[W\] at a distance, by its square \[m²\].
    #[inline(always)]
    pub(super) fn at_square(&self, square: f64) -> f64 {
        if square < self.crossover * self.crossover {
            return free_space(self.power, self.wavelength, libm::sqrt(square));
        }
        self.far / (square * square)
    }

    /// The same at some distances at once.
    #[inline(always)]
    pub(super) fn at_squares<const N: usize>(&self, squares: [f64; N]) -> [f64; N] {
        let near = self.crossover * self.crossover;
        if squares.iter().fold(false, |any, square| any | (*square < near)) {
            return squares.map(|square| self.at_square(square));
        }
        squares.map(|square| self.far / (square * square))
    }
}

/// What [`path_loss`] needs, worked out.
#[derive(Clone, Debug)]
pub(super) enum Mean {
    /// Two-ray ground reflection.
    TwoRay(TwoRay),
    /// Another model.
    Other(Arc<AirConfig>),
}

impl Mean {
    /// That of a configuration.
    pub(super) fn new(config: &AirConfig) -> Self {
        TwoRay::new(config).map_or_else(|| Self::Other(Arc::new(config.clone())), Self::TwoRay)
    }

    /// Received power \[W\] at a distance, by its square \[m²\].
    #[inline]
    pub(super) fn at_square(&self, square: f64) -> f64 {
        match self {
            Self::TwoRay(two_ray) => two_ray.at_square(square),
            Self::Other(config) => path_loss(config, libm::sqrt(square)),
        }
    }
}

/// Received power \[W\] at `distance` \[m\] under the configured model. The disk model has no attenuation: inside
/// its range a signal arrives at the receive threshold, inside the sense or interference range at the sense
/// threshold, beyond at nothing.
#[must_use]
pub fn path_loss(config: &AirConfig, distance: f64) -> f64 {
    let power = config.tx_power.get();
    match config.propagation {
        Propagation::TwoRay => {
            two_ray(power, config.frequency.wavelength(), config.antenna_height.get(), distance)
        }
        Propagation::FreeSpace => free_space(power, config.frequency.wavelength(), distance),
        Propagation::LogDistance => {
            let (reference, exponent) = (config.reference_distance.get(), config.path_loss_exponent);
            log_distance(power, config.frequency.wavelength(), reference, exponent, distance)
        }
        Propagation::Disk if distance <= config.range.get() => config.receive_threshold.get(),
        Propagation::Disk if distance <= config.sense_range.get().max(config.interference_range.get()) => {
            config.sense_threshold.get()
        }
        Propagation::Disk => 0.0,
    }
}

/// Distance up to which the power is at least so much \[W\], by bisection to the last bit \[m\].
pub(super) fn range(config: &AirConfig, power: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while path_loss(config, high) >= power && high < 1e7 {
        high *= 2.0;
    }
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if path_loss(config, middle) >= power { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_radio_reaches_250_and_is_sensed_to_550_metres() {
        let config = AirConfig::default();
        for (distance, threshold) in [(250.0, config.receive_threshold), (550.0, config.sense_threshold)] {
            let power = path_loss(&config, distance);
            assert!((power / threshold.get() - 1.0).abs() < 1e-3, "{distance} m: {power}");
        }
        let near = path_loss(&config, 100.0);
        assert!((near / path_loss(&config, 200.0) - 16.0).abs() < 1e-9);
    }

    #[test]
    fn log_distance_is_free_space_and_then_falls_by_its_exponent() {
        let power = |exponent, distance| log_distance(1.0, 0.3, 10.0, exponent, distance);
        assert!(power(3.0, 5.0) == free_space(1.0, 0.3, 5.0));
        assert!((power(3.0, 10.0) / power(3.0, 10.000_001) - 1.0).abs() < 1e-6);
        let decade = 10.0 * libm::log10(power(3.5, 20.0) / power(3.5, 200.0));
        assert!((decade - 35.0).abs() < 1e-9, "10 times the exponent, in decibels a decade: {decade}");
        assert!((power(2.0, 70.0) / free_space(1.0, 0.3, 70.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn constants_worked_out_beforehand_change_no_bit() {
        let config = AirConfig { propagation: Propagation::TwoRay, ..AirConfig::default() };
        let two_ray = TwoRay::new(&config).expect("the model");
        for step in 1..6000 {
            let distance = f64::from(step) * 0.137;
            let alone = path_loss(&config, distance).to_bits();
            assert_eq!(two_ray.at_square(distance * distance).to_bits(), alone, "{distance}");
            let at_once = two_ray.at_squares([distance * distance, 250_000.0]);
            assert_eq!(at_once[0].to_bits(), alone, "{distance}");
        }
    }

    #[test]
    fn the_two_models_meet_at_the_crossover() {
        let config = AirConfig::default();
        let wavelength = config.frequency.wavelength();
        let crossover = 4.0 * std::f64::consts::PI * 2.25 / wavelength;
        let below = two_ray(1.0, wavelength, 1.5, crossover * 0.999_999);
        let above = two_ray(1.0, wavelength, 1.5, crossover * 1.000_001);
        assert!((below / above - 1.0).abs() < 1e-4);
    }
}
