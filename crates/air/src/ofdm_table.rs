//! Packet errors of OFDM, HT, VHT and HE as simulations of links have them.
//!
//! Thresholds of the curves that the IEEE task groups compared (IEEE 802.11-14/0571, 11-14/0803), as ns-3.44 evaluates
//! them. They were measured by calls of its error models, at packet error rates of 90, 50, 10, 1 and 0.1 %. Between two
//! thresholds the logarithm of the expected number of errors in a reference frame is linear in decibels. For other
//! lengths that number is proportional to the length.

use multihop_proto::phy::Modulation;

/// Shares of lost frames at the thresholds.
const SHARES: [f64; 5] = [0.9, 0.5, 0.1, 0.01, 0.001];
/// Frames shorter than this have a reference of their own under convolutional codes \[bytes\].
const SHORT: f64 = 400.0;
/// Reference lengths \[bytes\]; the thresholds of short frames are those of 14 and of 32 bytes.
const LONG_REFERENCE: f64 = 1458.0;
const SHORT_REFERENCES: [f64; 2] = [14.0, 32.0];

/// Ratios of signal to noise at these shares \[dB\].
type Thresholds = [f64; 5];

/// MCS 0 to 9, convolutional code, 1458 bytes.
const BCC_LONG: [Thresholds; 10] = [
    [-0.24, 0.31, 0.93, 1.57, 2.19],
    [2.74, 3.30, 3.95, 4.60, 5.20],
    [5.20, 5.79, 6.44, 7.12, 7.84],
    [8.31, 8.92, 9.71, 10.48, 11.30],
    [11.54, 12.03, 12.81, 13.56, 14.37],
    [15.59, 16.23, 17.05, 17.99, 18.90],
    [16.92, 17.53, 18.38, 19.31, 20.15],
    [18.17, 18.80, 19.64, 20.51, 21.38],
    [22.08, 22.77, 23.71, 24.77, 25.72],
    [23.59, 24.26, 25.15, 26.15, 26.97],
];
/// The same, 14 bytes.
const BCC_14: [Thresholds; 10] = [
    [-3.00, -1.94, -0.75, 0.22, 0.95],
    [-0.18, 1.09, 2.26, 3.25, 3.96],
    [2.44, 3.62, 4.76, 5.72, 6.45],
    [5.06, 6.32, 7.65, 8.80, 9.69],
    [8.55, 9.51, 10.84, 11.92, 12.80],
    [12.05, 13.31, 14.81, 16.05, 17.01],
    [13.27, 14.65, 16.14, 17.39, 18.40],
    [14.58, 16.13, 17.54, 18.90, 19.95],
    [18.04, 19.60, 21.20, 22.56, 23.71],
    [19.68, 21.28, 22.80, 24.07, 25.16],
];
/// The same, 32 bytes.
const BCC_32: [Thresholds; 10] = [
    [-2.33, -1.34, -0.37, 0.48, 1.20],
    [0.76, 1.67, 2.61, 3.48, 4.23],
    [3.27, 4.18, 5.11, 5.96, 6.73],
    [5.91, 6.94, 8.06, 9.11, 9.96],
    [9.17, 10.19, 11.28, 12.25, 13.07],
    [12.98, 14.06, 15.31, 16.44, 17.41],
    [14.26, 15.42, 16.61, 17.77, 18.75],
    [15.73, 16.85, 18.09, 19.31, 20.33],
    [19.14, 20.38, 21.73, 22.98, 24.00],
    [20.86, 22.04, 23.30, 24.46, 25.51],
];
/// MCS 0 to 11, LDPC, 1458 bytes.
const LDPC_LONG: [Thresholds; 12] = [
    [-1.20, -0.93, -0.63, -0.29, -0.00],
    [1.81, 2.08, 2.40, 2.71, 3.00],
    [4.32, 4.56, 4.86, 5.15, 5.43],
    [7.28, 7.56, 7.92, 8.25, 8.65],
    [10.34, 10.62, 10.94, 11.23, 11.50],
    [14.52, 14.78, 15.13, 15.48, 15.76],
    [15.84, 16.15, 16.49, 16.87, 17.20],
    [17.34, 17.65, 18.00, 18.43, 18.75],
    [21.00, 21.30, 21.68, 22.05, 22.43],
    [22.79, 23.10, 23.49, 23.93, 24.29],
    [26.05, 26.38, 26.80, 27.24, 27.68],
    [28.07, 28.44, 28.90, 29.34, 29.76],
];
/// MCS 0 to 11, LDPC, 32 bytes: where a tenth of these frames is lost \[dB\].
const LDPC_SHORT: [f64; 12] =
    [-1.40, 1.59, 4.17, 7.03, 10.26, 14.27, 15.62, 17.10, 20.76, 22.54, 25.80, 27.80];
/// Below this nothing comes through with LDPC; just above it a tenth of frames of 14 bytes is lost \[dB\].
const LDPC_FLOOR: [f64; 12] =
    [-1.50, 1.50, 4.01, 6.76, 10.01, 14.01, 15.51, 17.01, 20.51, 22.26, 25.76, 27.76];

/// Channel code of the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// Binary convolutional code.
    Convolutional,
    /// Low-density parity check.
    Ldpc,
}

/// Expected errors in a bit of a frame of so many bytes, at this ratio; none where there is no curve of this
/// modulation.
pub(super) fn errors_per_bit(of: Modulation, coding: Coding, bytes: f64, ratio: f64) -> Option<f64> {
    let mcs = mcs(of)?;
    let decibels = 10.0 * libm::log10(ratio.max(f64::MIN_POSITIVE));
    match coding {
        Coding::Ldpc if decibels < LDPC_FLOOR[mcs] => Some(f64::INFINITY),
        Coding::Ldpc => Some(ldpc(mcs, decibels)),
        Coding::Convolutional if bytes >= SHORT => Some(interpolated(&long(*BCC_LONG.get(mcs)?), decibels)),
        Coding::Convolutional => Some(short(*BCC_14.get(mcs)?, BCC_32[mcs], decibels)),
    }
}

/// The MCS with this modulation.
fn mcs(of: Modulation) -> Option<usize> {
    (0..12_u8).find(|&mcs| Modulation::of_mcs(mcs) == of).map(usize::from)
}

/// The points of a curve that long frames give.
fn long(thresholds: Thresholds) -> [(f64, f64); 5] {
    let mut points = [(0.0, 0.0); 5];
    for (point, (at, share)) in points.iter_mut().zip(thresholds.into_iter().zip(SHARES)) {
        *point = (at, logarithm(share, LONG_REFERENCE));
    }
    points
}

/// Long frames say nothing of the range just above the floor, where only short ones come through: these give two
/// points.
fn ldpc(mcs: usize, decibels: f64) -> f64 {
    let [a, b, c, d, e] = long(LDPC_LONG[mcs]);
    let [of_14, of_32] = SHORT_REFERENCES.map(|bytes| logarithm(0.1, bytes));
    interpolated(&[(LDPC_FLOOR[mcs], of_14), (LDPC_SHORT[mcs], of_32), a, b, c, d, e], decibels)
}

/// Both lengths give points of one curve.
fn short(of_14: Thresholds, of_32: Thresholds, decibels: f64) -> f64 {
    let mut points = [(0.0, 0.0); 10];
    for (place, share) in SHARES.into_iter().enumerate() {
        points[2 * place] = (of_14[place], logarithm(share, SHORT_REFERENCES[0]));
        points[2 * place + 1] = (of_32[place], logarithm(share, SHORT_REFERENCES[1]));
    }
    points.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    interpolated(&points, decibels)
}

/// Logarithm of the expected errors in a bit, if this share of frames of so many bytes is lost.
fn logarithm(share: f64, bytes: f64) -> f64 {
    libm::log(-libm::log1p(-share) / (8.0 * bytes))
}

/// Linear between neighbouring points, and beyond the ends as between the last two.
fn interpolated(points: &[(f64, f64)], decibels: f64) -> f64 {
    let after = points.iter().position(|&(at, _)| decibels < at).unwrap_or(points.len());
    let place = after.clamp(1, points.len() - 1);
    let [(x0, y0), (x1, y1)] = [points[place - 1], points[place]];
    libm::exp(y0 + (y1 - y0) * (decibels - x0) / (x1 - x0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use multihop_proto::phy::{CodeRate, Constellation};

    #[test]
    fn the_thresholds_are_points_of_the_curves() {
        for (mcs, thresholds) in BCC_LONG.into_iter().enumerate() {
            for (at, share) in thresholds.into_iter().zip(SHARES) {
                let ratio = libm::exp10(at / 10.0);
                let of = Modulation::of_mcs(mcs as u8);
                let errors = errors_per_bit(of, Coding::Convolutional, 1458.0, ratio).expect("it is there");
                let lost = 1.0 - libm::exp(-errors * 8.0 * 1458.0);
                assert!((lost / share - 1.0).abs() < 1e-6, "{mcs} {at}: {lost}");
            }
        }
    }

    /// Just above the floor a short frame comes through about nine times of ten.
    #[test]
    fn short_frames_with_ldpc_come_through_above_the_floor() {
        for (mcs, floor) in LDPC_FLOOR.into_iter().enumerate() {
            let lost = |decibels: f64, bytes: f64| {
                let ratio = libm::exp10(decibels / 10.0);
                let of = Modulation::of_mcs(mcs as u8);
                let errors = errors_per_bit(of, Coding::Ldpc, bytes, ratio).expect("it is there");
                1.0 - libm::exp(-errors * 8.0 * bytes)
            };
            assert!((0.08..0.101).contains(&lost(floor + 0.01, 14.0)), "{mcs}: {}", lost(floor + 0.01, 14.0));
            assert_eq!(lost(floor - 0.01, 14.0), 1.0, "{mcs}");
            assert!((lost(LDPC_SHORT[mcs], 32.0) - 0.1).abs() < 1e-6, "{mcs}");
        }
    }

    #[test]
    fn curves_fall_with_the_ratio() {
        for coding in [Coding::Convolutional, Coding::Ldpc] {
            for bytes in [32.0, 1458.0] {
                let at = |mcs, tenth: i32| {
                    let ratio = libm::exp10(f64::from(tenth) / 100.0);
                    errors_per_bit(Modulation::of_mcs(mcs), coding, bytes, ratio).expect("it is there")
                };
                for mcs in 0..10 {
                    for tenth in -100..400 {
                        assert!(at(mcs, tenth + 1) <= at(mcs, tenth), "{mcs} {tenth}");
                    }
                }
            }
        }
        let bpsk = Modulation::new(Constellation::Bpsk, CodeRate::ThreeQuarters);
        assert!(errors_per_bit(bpsk, Coding::Ldpc, 1458.0, 1.0).is_none(), "the tables have none");
    }
}
