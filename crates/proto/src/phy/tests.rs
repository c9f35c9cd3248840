//! Rates and lengths of frames, by the tables and formulas of the standard.

use super::*;
use crate::units::{Bitrate, Bytes, Dur};
use proptest::prelude::*;

const HT20: McsVector = McsVector {
    generation: Generation::Ht,
    mcs: 7,
    streams: 1,
    width: Width::Mhz20,
    guard: GuardInterval::Ns800,
    band: Band::Ghz5,
    durations: DurationRule::Standard,
};

fn ofdm(rate: OfdmRate, band: Band) -> TxVector {
    TxVector::Ofdm(Ofdm { rate, width: Width::Mhz20, band })
}

fn us(vector: McsVector, bytes: u32) -> f64 {
    TxVector::Mcs(vector).airtime(Bytes(bytes)).as_ns() as f64 / 1e3
}

#[test]
fn frames_keep_what_they_are_sent_with_in_few_bytes() {
    assert!(size_of::<TxVector>() <= 10);
}

/// IEEE 802.11-2020 tables 17-4, 19-27, 19-36, 21-30ff; 802.11ax-2021 tables 27-54ff \[Mb/s\].
#[test]
fn rates_are_those_of_the_tables() {
    let rates = OfdmRate::ALL.map(|rate| rate.bitrate().as_bps() / 1_000_000);
    assert_eq!(rates, [6, 9, 12, 18, 24, 36, 48, 54]);
    let short = GuardInterval::Ns400;
    let (vht, he) = (Generation::Vht, Generation::He);
    let ac80 = McsVector { generation: vht, mcs: 9, streams: 2, width: Width::Mhz80, ..HT20 };
    let he80 = McsVector { generation: he, mcs: 11, ..ac80 };
    let ht40 = McsVector { streams: 2, width: Width::Mhz40, guard: short, ..HT20 };
    let table = [
        (HT20, 65.0),
        (McsVector { guard: short, ..HT20 }, 72.2),
        (ht40, 300.0),
        (McsVector { guard: short, ..ac80 }, 866.7),
        (ac80, 780.0),
        (he80, 1201.0),
        (McsVector { mcs: 0, streams: 1, width: Width::Mhz20, ..he80 }, 8.6),
    ];
    for (vector, mbps) in table {
        let rate = vector.rate().as_bps() as f64 / 1e6;
        assert!((rate - mbps).abs() < 0.05, "{vector:?}: {rate}");
    }
}

#[test]
fn dsss_frames_have_a_preamble_and_their_bits() {
    let long = TxVector::dsss(Bitrate::from_mbps(2), Preamble::Long);
    assert_eq!(long.airtime(Bytes(1536)), Dur::from_us(192 + 6144));
    let parts = long.sections(Bytes(1536));
    assert_eq!(
        (parts.preamble, parts.header, parts.payload),
        (Dur::from_us(144), Dur::from_us(48), Dur::from_us(6144))
    );
    let short = TxVector::dsss(Bitrate::from_mbps(11), Preamble::Short).sections(Bytes(1100));
    assert_eq!((short.preamble, short.header), (Dur::from_us(72), Dur::from_us(24)));
    assert_eq!(short.header_rate, Bitrate::from_mbps(2));
    // RTS at 1 Mb/s in a network whose data, and with them all headers, go at 2 Mb/s.
    let TxVector::Dsss(data) = TxVector::dsss(Bitrate::from_mbps(2), Preamble::DataRate) else {
        unreachable!()
    };
    let rts = TxVector::Dsss(Dsss { rate: DsssRate::of(Bitrate::from_mbps(1)), ..data });
    assert_eq!(rts.airtime(Bytes(20)), Dur::from_us(96 + 160));
    for mbps in [2, 11] {
        let vector = TxVector::dsss(Bitrate::from_mbps(mbps), Preamble::DataRate);
        let parts = vector.sections(Bytes(1536));
        assert_eq!(vector.airtime(Bytes(1536)).as_ns(), (1560 * 8000_u64).div_ceil(mbps));
        assert_eq!(parts.header_rate, Bitrate::from_mbps(mbps));
        assert!(parts.airtime() == vector.airtime(Bytes(1536)), "{parts:?}");
    }
}

/// §17.4.3: 1536 bytes at 54 Mb/s are 57 symbols of 216 bits, an ACK at 24 Mb/s two of 96.
#[test]
fn ofdm_frames_are_whole_symbols() {
    let at = |rate, bytes, band| ofdm(rate, band).airtime(Bytes(bytes)).as_us();
    use Band::{Ghz2, Ghz5};
    assert_eq!(at(OfdmRate::Mbps54, 1536, Ghz5), 20 + 4 * 57);
    assert_eq!(at(OfdmRate::Mbps54, 1536, Ghz2), 20 + 4 * 57 + 6);
    assert_eq!((at(OfdmRate::Mbps24, 14, Ghz5), at(OfdmRate::Mbps6, 14, Ghz5)), (28, 44));
    assert_eq!((at(OfdmRate::Mbps24, 32, Ghz5), at(OfdmRate::Mbps24, 56, Ghz5)), (32, 40));
    assert_eq!((at(OfdmRate::Mbps24, 20, Ghz5), at(OfdmRate::Mbps6, 20, Ghz5)), (28, 52));
}

/// §19.4.3, §21.4.3 and 802.11ax-2021 §27.4.3, each with its training fields, symbols and rounding.
#[test]
fn frames_with_an_mcs_follow_their_formulas() {
    assert_eq!(us(HT20, 1538), 36.0 + 4.0 * 48.0); // 16 + 6 + 12304 bits in symbols of 260
    let short = McsVector { guard: GuardInterval::Ns400, ..HT20 };
    assert_eq!(us(short, 1538), 36.0 + 176.0); // 48 of 3.6 us are 172.8 us
    assert_eq!(us(McsVector { durations: DurationRule::Ns3, ..short }, 1538), 36.0 + 172.8);
    assert_eq!(us(McsVector { band: Band::Ghz2, ..HT20 }, 1538), 42.0 + 4.0 * 48.0);
    let vht = McsVector { generation: Generation::Vht, ..HT20 };
    assert_eq!(us(vht, 1538), 40.0 + 4.0 * 48.0);
    assert_eq!(us(McsVector { durations: DurationRule::Ns3, ..vht }, 1538), 36.0 + 4.0 * 48.0);
    // Four streams: 4 training fields; 4 encoders of 6 tail bits each at 1560 Mb/s * 2.
    let wide = McsVector { mcs: 9, streams: 4, width: Width::Mhz160, ..vht };
    assert_eq!(wide.rate(), Bitrate::from_mbps(3120));
    assert_eq!(us(wide, 65_535), 32.0 + 16.0 + 4.0 + 4.0 * f64::ceil((16.0 + 36.0 + 524_280.0) / 12_480.0));
    let he = McsVector { generation: Generation::He, mcs: 0, ..HT20 };
    assert_eq!(us(he, 100), 36.0 + 7.2 + 13.6 * 8.0); // 822 bits in symbols of 117
    let slow = McsVector { guard: GuardInterval::Ns3200, ..he };
    assert_eq!(us(slow, 100), 36.0 + 16.0 + 16.0 * 8.0);
    assert_eq!(us(McsVector { durations: DurationRule::Ns3, ..slow }, 100), 36.0 + 8.0 + 16.0 * 8.0);
}

/// §10.6.11: what answers a frame goes no faster than its modulation carries.
#[test]
fn each_modulation_has_its_reference_rate() {
    let of_mcs: Vec<_> = (0..12).map(|mcs| OfdmRate::reference(Modulation::of_mcs(mcs))).collect();
    use OfdmRate::{Mbps6, Mbps12, Mbps18, Mbps24, Mbps36, Mbps48, Mbps54};
    assert_eq!(of_mcs[..7], [Mbps6, Mbps12, Mbps18, Mbps24, Mbps36, Mbps48, Mbps54]);
    assert!(of_mcs[7..].iter().all(|&rate| rate == Mbps54));
    for rate in OfdmRate::ALL {
        assert_eq!(OfdmRate::reference(rate.modulation()), rate);
        assert_eq!(OfdmRate::of(rate.bitrate()), Some(rate));
    }
    assert_eq!(OfdmRate::of(Bitrate::from_mbps(11)), None);
}

#[test]
fn frames_that_the_standard_does_not_have_are_refused() {
    let vht = McsVector { generation: Generation::Vht, ..HT20 };
    let he = McsVector { generation: Generation::He, ..HT20 };
    let wrong = [
        McsVector { mcs: 8, ..HT20 },
        McsVector { streams: 5, ..HT20 },
        McsVector { streams: 0, ..HT20 },
        McsVector { width: Width::Mhz80, ..HT20 },
        McsVector { guard: GuardInterval::Ns1600, ..HT20 },
        McsVector { mcs: 10, ..vht },
        McsVector { mcs: 9, ..vht },
        McsVector { mcs: 6, streams: 3, width: Width::Mhz80, ..vht },
        McsVector { band: Band::Ghz2, ..vht },
        McsVector { mcs: 12, ..he },
        McsVector { guard: GuardInterval::Ns400, ..he },
        McsVector { band: Band::Ghz2, width: Width::Mhz80, ..he },
    ];
    for vector in wrong {
        assert!(vector.check().is_err(), "{vector:?}");
    }
    for vector in [HT20, vht, he, McsVector { mcs: 9, streams: 3, ..vht }, McsVector { mcs: 11, ..he }] {
        assert_eq!(vector.check(), Ok(()), "{vector:?}");
    }
}

fn vectors() -> impl Strategy<Value = TxVector> {
    let generations = [Generation::Ht, Generation::Vht, Generation::He];
    let guards = [GuardInterval::Ns400, GuardInterval::Ns800, GuardInterval::Ns1600, GuardInterval::Ns3200];
    let bands = [Band::Ghz2, Band::Ghz5];
    let mcs = (0..3_usize, 0..12_u8, 1..9_u8, 0..4_usize, 0..4_usize, 0..2_usize, any::<bool>())
        .prop_map(move |(generation, mcs, streams, width, guard, band, ns3)| McsVector {
            generation: generations[generation],
            mcs,
            streams,
            width: Width::ALL[width],
            guard: guards[guard],
            band: bands[band],
            durations: if ns3 { DurationRule::Ns3 } else { DurationRule::Standard },
        })
        .prop_filter("the standard has it", |vector| vector.check().is_ok())
        .prop_map(TxVector::Mcs);
    let legacy =
        (0..8_usize, 0..2_usize).prop_map(move |(rate, band)| ofdm(OfdmRate::ALL[rate], bands[band]));
    let preambles = [Preamble::Long, Preamble::Short, Preamble::DataRate];
    let dsss = (100_000..20_000_000_u64, 0..3_usize)
        .prop_map(move |(bps, preamble)| TxVector::dsss(Bitrate::from_bps(bps), preambles[preamble]));
    prop_oneof![dsss, legacy, mcs]
}

/// Rates by their figure, an MCS with its streams; those of one format and number of streams follow each other.
#[test]
fn modes_are_named_as_scenarios_set_them() {
    let mcs = |mcs, streams| {
        TxVector::Mcs(McsVector {
            generation: Generation::Vht,
            mcs,
            streams,
            width: Width::Mhz80,
            guard: GuardInterval::Ns400,
            band: Band::Ghz5,
            durations: DurationRule::Standard,
        })
    };
    let ofdm = TxVector::Ofdm(Ofdm { rate: OfdmRate::Mbps54, width: Width::Mhz20, band: Band::Ghz5 });
    let dsss = TxVector::dsss(Bitrate::from_bps(5_500_000), Preamble::Long);
    let mut modes = [mcs(0, 2), mcs(9, 1), mcs(7, 2), ofdm, dsss].map(TxVector::named);
    modes.sort_unstable();
    let names = modes.map(|mode| mode.to_string());
    assert_eq!(names, ["5.5 Mb/s", "54 Mb/s", "MCS 9", "MCS 0, 2 streams", "MCS 7, 2 streams"]);
}

proptest! {
    /// The parts of a frame add up to its length, which never falls as bytes come to it, and the payload is not faster
    /// than the rate says.
    #[test]
    fn parts_add_up(vector in vectors(), bytes in 14_u32..60_000, more in 0_u32..2_000) {
        let parts = vector.sections(Bytes(bytes));
        prop_assert_eq!(parts.airtime(), vector.airtime(Bytes(bytes)));
        prop_assert!(vector.airtime(Bytes(bytes + more)) >= vector.airtime(Bytes(bytes)));
        let seconds = f64::from(bytes) * 8.0 / vector.rate().as_bps() as f64;
        prop_assert!(parts.payload.as_secs_f64() > seconds - 2e-9);
        prop_assert!(vector.mode() < MODES.len());
    }

    /// The longest PSDU that fits into a time does, and one byte more does not.
    #[test]
    fn the_longest_within_a_time_just_fits(vector in vectors(), bytes in 1_u32..60_000, more in 0_u64..100_000) {
        let time = vector.airtime(Bytes(bytes)) + Dur::from_ns(more);
        let longest = vector.longest_within(time);
        prop_assert!(longest >= Bytes(bytes));
        prop_assert!(vector.airtime(longest) <= time);
        prop_assert!(vector.airtime(longest + Bytes(1)) > time);
        prop_assert_eq!(vector.longest_within(vector.before_payload()), Bytes::ZERO);
    }
}
