//! Bit errors of OFDM, HT, VHT and HE over the ratio of signal to noise and interference: closed forms.
//!
//! `nist`: Miller, "Validation of 802.11a/UWB coexistence simulation", NIST, 2003; Pei & Henderson, "Validation of OFDM
//! error rate model in ns-3", 2010. Hard decisions: 3 to 4 dB more pessimistic than simulations of links. Weights of
//! the code (133, 171), K = 7, and of its punctured forms: Frenger, Orten, Ottosson & Svensson, 1998; 5/6: Haccoun &
//! Bégin, IEEE Transactions on Communications 37, 1989.
//!
//! `yans`: Lacage & Henderson, "Yet another network simulator", 2006: the first terms of the union bound over paths.

use multihop_proto::phy::{CodeRate, Constellation, Modulation};

/// Probability of an error event per bit after decoding, NIST's model.
pub(super) fn nist(of: Modulation, ratio: f64) -> f64 {
    let raw = raw_nist(of.constellation, ratio);
    let distance = libm::sqrt(4.0 * raw * (1.0 - raw)).min(1.0);
    let (bits, first, step, weights): (f64, i32, f64, &[f64]) = match of.code {
        CodeRate::Half => (1.0, 10, distance * distance, &HALF),
        CodeRate::TwoThirds => (2.0, 6, distance, &TWO_THIRDS),
        CodeRate::ThreeQuarters => (3.0, 5, distance, &THREE_QUARTERS),
        CodeRate::FiveSixths => (5.0, 4, distance, &FIVE_SIXTHS),
    };
    let sum = weights.iter().rev().fold(0.0, |sum, weight| sum * step + weight);
    (sum * libm::pow(distance, f64::from(first)) / (2.0 * bits)).min(1.0)
}

/// Weights by distance, from the least one on; of rate 1/2 every second distance has none.
const HALF: [f64; 9] =
    [36.0, 211.0, 1_404.0, 11_633.0, 77_433.0, 502_690.0, 3_322_763.0, 21_292_910.0, 134_365_911.0];
const TWO_THIRDS: [f64; 10] =
    [3.0, 70.0, 285.0, 1_276.0, 6_160.0, 27_128.0, 117_019.0, 498_860.0, 2_103_891.0, 8_784_123.0];
const THREE_QUARTERS: [f64; 10] = [
    42.0,
    201.0,
    1_492.0,
    10_469.0,
    62_935.0,
    379_644.0,
    2_253_373.0,
    13_073_811.0,
    75_152_755.0,
    428_005_675.0,
];
const FIVE_SIXTHS: [f64; 10] = [
    92.0,
    528.0,
    8_694.0,
    79_453.0,
    792_114.0,
    7_375_573.0,
    67_884_974.0,
    610_875_423.0,
    5_427_275_376.0,
    47_664_215_639.0,
];

/// Probability of a wrong bit before decoding.
fn raw_nist(of: Constellation, ratio: f64) -> f64 {
    match of {
        Constellation::Bpsk => 0.5 * libm::erfc(libm::sqrt(ratio)),
        Constellation::Qpsk => 0.5 * libm::erfc(libm::sqrt(ratio / 2.0)),
        _ => {
            let points = f64::from(1 << of.bits());
            let scale = (1.0 - 1.0 / libm::sqrt(points)) * 2.0 / f64::from(of.bits());
            scale * libm::erfc(libm::sqrt(3.0 * ratio / (2.0 * (points - 1.0))))
        }
    }
}

/// Probability of an error event per bit after decoding, YANS' model; `spread`: Hz of bandwidth per coded bit in a
/// second.
pub(super) fn yans(of: Modulation, ratio: f64, spread: f64) -> f64 {
    let raw = raw_yans(of.constellation, ratio * spread);
    let (least, paths, next) = match of.code {
        CodeRate::Half => (10, 11.0, 0.0),
        CodeRate::TwoThirds => (6, 1.0, 16.0),
        CodeRate::ThreeQuarters => (5, 8.0, 31.0),
        CodeRate::FiveSixths => (4, 14.0, 69.0),
    };
    // BPSK counts the shortest paths alone.
    let next = if of.constellation == Constellation::Bpsk { 0.0 } else { next };
    (paths * path(raw, least) + next * path(raw, least + 1)).min(1.0)
}

fn raw_yans(of: Constellation, per_bit: f64) -> f64 {
    if of == Constellation::Bpsk {
        return 0.5 * libm::erfc(libm::sqrt(per_bit));
    }
    let (points, bits) = (f64::from(1 << of.bits()), f64::from(of.bits()));
    let one_way =
        (1.0 - 1.0 / libm::sqrt(points)) * libm::erfc(libm::sqrt(1.5 * bits * per_bit / (points - 1.0)));
    (2.0 - one_way) * one_way / bits
}

/// Probability that a path at this distance is taken for the one sent: most of its bits are wrong, or just half and a
/// coin decides.
fn path(raw: f64, distance: i32) -> f64 {
    let term = |wrong: i32| {
        let ways = (0..wrong).fold(1.0, |ways, i| ways * f64::from(distance - i) / f64::from(i + 1));
        ways * libm::pow(raw, f64::from(wrong)) * libm::pow(1.0 - raw, f64::from(distance - wrong))
    };
    let tie = if distance % 2 == 0 { 0.5 * term(distance / 2) } else { 0.0 };
    tie + (distance / 2 + 1..=distance).map(term).sum::<f64>()
}
