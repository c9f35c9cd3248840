//! Radios that add interference up: locking, capture, error curves.

use super::*;
use multihop_proto::phy::{Preamble, TxVector};
use multihop_proto::units::{Bitrate, Bytes, Decibel, Entity, Power, Purpose};

fn at(us: u64) -> SimTime {
    SimTime::from_us(us)
}

/// A frame at 2 Mb/s that fills the time until `end`, if it begins at 0.
fn arrival(from: u32, power: f64, end: u64) -> Arrival {
    let (decodable, sensed) = (power >= 1.0, power >= 0.1);
    let tx = TxVector::dsss(Bitrate::from_mbps(2), Preamble::Long);
    let size = Bytes(end.saturating_sub(192) as u32 / 4);
    Arrival { from: NodeId(from), power, end: at(end), tx, size, parted: false, decodable, sensed }
}

/// A receiver that finds out everything for itself.
struct Alone {
    radio: SinrRadio,
    findings: Findings,
}

impl Alone {
    fn begin(&mut self, now: SimTime, arrival: &Arrival) -> SignalStart {
        self.radio.begin(now, arrival, &mut self.findings)
    }

    fn end(&mut self, now: SimTime, from: NodeId, power: f64) -> Ending {
        self.radio.end(now, (from, power), &mut self.findings)
    }

    fn end_parted(&mut self, now: SimTime, from: NodeId, mpdus: &[Mpdu]) -> (Ending, Bitmap) {
        self.radio.end_parted(now, (from, 1.0), (mpdus, true), &mut self.findings)
    }
}

fn radio_with(config: AirConfig) -> Alone {
    let config = AirConfig {
        noise: Power::new(0.001),
        sinr_threshold: Decibel::new(4.0),
        capture: Decibel::new(10.0),
        ..config
    };
    let rng = Rng::stream(1, 1, Entity::Node("0"), Purpose::Reception);
    Alone { radio: SinrRadio::new(&config, rng), findings: Findings::default() }
}

/// One that goes by the threshold alone.
fn radio() -> Alone {
    radio_with(AirConfig { error_curve: ErrorCurve::None, ..AirConfig::default() })
}

/// One that goes by the error curve, and is never taken over.
fn curved() -> Alone {
    radio_with(AirConfig { late_capture: false, ..AirConfig::default() })
}

#[test]
fn interference_adds_up() {
    let mut radio = radio();
    radio.begin(at(0), &arrival(1, 1.0, 100));
    for other in 2..6 {
        radio.begin(at(10), &arrival(other, 0.09, 90)); // each alone 10 dB below
    }
    for other in 2..6 {
        radio.end(at(90), NodeId(other), 0.09);
    }
    assert_eq!(radio.end(at(100), NodeId(1), 1.0), Ending::Whole); // 1 / 0.361 = 4.4 dB
    radio.begin(at(200), &arrival(1, 1.0, 300));
    for other in 2..7 {
        radio.begin(at(210), &arrival(other, 0.09, 290));
    }
    for other in 2..7 {
        radio.end(at(290), NodeId(other), 0.09);
    }
    assert_eq!(radio.end(at(300), NodeId(1), 1.0), Ending::Garbled); // 1 / 0.451 = 3.5 dB
}

#[test]
fn a_much_stronger_late_signal_takes_over() {
    let mut radio = radio();
    radio.begin(at(0), &arrival(1, 1.0, 100));
    radio.begin(at(10), &arrival(2, 16.0, 60));
    assert_eq!(radio.end(at(60), NodeId(2), 16.0), Ending::Whole);
    assert_eq!(radio.end(at(100), NodeId(1), 1.0), Ending::Overlapped);
    let mut firm =
        radio_with(AirConfig { error_curve: ErrorCurve::None, late_capture: false, ..AirConfig::default() });
    firm.begin(at(0), &arrival(1, 1.0, 100));
    firm.begin(at(10), &arrival(2, 16.0, 60));
    assert_eq!(firm.end(at(60), NodeId(2), 16.0), Ending::Overlapped);
    assert_eq!(firm.end(at(100), NodeId(1), 1.0), Ending::Garbled);
}

#[test]
fn energy_alone_leaves_nothing() {
    let mut radio = radio();
    assert_eq!(radio.begin(at(0), &arrival(1, 0.5, 100)), SignalStart::Busy);
    assert_eq!(radio.begin(at(5), &arrival(2, 0.01, 80)), SignalStart::Nothing);
    assert_eq!(radio.end(at(80), NodeId(2), 0.01), Ending::Overlapped);
    assert_eq!(radio.end(at(100), NodeId(1), 0.5), Ending::Overlapped);
}

/// In whatever order equal powers are told, and however long they last: neither is locked onto.
#[test]
fn of_two_equal_signals_that_begin_together_neither_is_received() {
    for lock_time in [Dur::ZERO, Dur::from_us(4)] {
        for threshold in [4.0, -20.0] {
            for order in [[(1, 300), (2, 900)], [(2, 900), (1, 300)]] {
                let mut radio = radio_with(AirConfig { lock_time, ..AirConfig::default() });
                radio.radio.threshold = Decibel::new(threshold).ratio();
                for (from, end) in order {
                    radio.begin(at(0), &arrival(from, 1.0, end));
                }
                assert_eq!(radio.end(at(300), NodeId(1), 1.0), Ending::Overlapped);
                assert_eq!(radio.end(at(900), NodeId(2), 1.0), Ending::Overlapped);
            }
        }
    }
}

/// A signal is judged 4 us after it begins, the strongest of those that have begun by then.
#[test]
fn a_stronger_signal_within_the_lock_time_is_the_one_that_counts() {
    for (second, first_ends, second_ends) in
        [(2, Ending::Overlapped, Ending::Whole), (5, Ending::Whole, Ending::Overlapped)]
    {
        let mut radio = curved();
        radio.begin(at(0), &arrival(1, 1.0, 900));
        radio.begin(at(second), &arrival(2, 16.0, 140)); // over before the header
        assert_eq!(radio.end(at(140), NodeId(2), 16.0), second_ends);
        assert_eq!(radio.end(at(900), NodeId(1), 1.0), first_ends);
    }
}

/// A frame locked onto survives what would have kept the receiver from locking: its RTS at 1 Mb/s at 0 dB.
#[test]
fn a_locked_frame_survives_interference_by_the_curve() {
    let mut radio = curved();
    let mut whole = 0;
    for round in 0..1000 {
        let start = round * 10_000;
        let frame = |from, power, start: u64, length: u64, rate: u64| {
            let end = at(start + length);
            let size = Bytes((rate * (length - 192) / 8) as u32);
            let tx = TxVector::dsss(Bitrate::from_mbps(rate), Preamble::Long);
            Arrival { from: NodeId(from), power, end, tx, size, parted: false, decodable: true, sensed: true }
        };
        // 352 us at 1 Mb/s, overlapped from 20 us on by as strong a signal.
        radio.begin(at(start), &frame(1, 1.0, start, 352, 1));
        radio.begin(at(start + 20), &frame(2, 1.0, start + 20, 304, 1));
        assert_eq!(radio.end(at(start + 324), NodeId(2), 1.0), Ending::Overlapped);
        assert_eq!(radio.end(at(start + 352), NodeId(1), 1.0), Ending::Whole);
        // 6336 us at 2 Mb/s, overlapped for 304 us of its payload.
        radio.begin(at(start + 1000), &frame(1, 1.0, start + 1000, 6336, 2));
        radio.begin(at(start + 2000), &frame(2, 1.0, start + 2000, 304, 1));
        radio.end(at(start + 2304), NodeId(2), 1.0);
        match radio.end(at(start + 7336), NodeId(1), 1.0) {
            Ending::Whole => whole += 1,
            ending => assert_eq!(ending, Ending::Garbled),
        }
    }
    assert!((865..=920).contains(&whole), "0.89 of them: {whole}"); // +- 3 standard deviations
}

/// A signal of the same power overlaps 4 us of the PHY header of an A-MPDU: at 0 dB BPSK mostly survives. By the
/// threshold alone all MPDUs are lost, by the curve none that the signal does not overlap.
#[test]
fn interference_in_its_header_costs_an_a_mpdu_what_the_curve_says() {
    use multihop_proto::phy::{Band, DurationRule, Generation, GuardInterval, McsVector, Width};
    use multihop_proto::wire::PacketId;
    let (generation, mcs, streams, width) = (Generation::Ht, 7, 1, Width::Mhz20);
    let (guard, band, durations) = (GuardInterval::Ns800, Band::Ghz5, DurationRule::Standard);
    let tx = TxVector::Mcs(McsVector { generation, mcs, streams, width, guard, band, durations });
    let mpdu = Mpdu { packet: PacketId::NONE, number: 0, retry: false, size: Bytes(100), room: Bytes(104) };
    for (error_curve, survive) in [(ErrorCurve::None, 0..=0), (ErrorCurve::Dsss, 190..=200)] {
        let config = AirConfig {
            late_capture: false,
            lock_time: Dur::from_us(4),
            ofdm_errors: OfdmErrors::Table,
            error_curve,
            ..AirConfig::default()
        };
        let mut radio = radio_with(config);
        let whole = (0..200).filter(|round| {
            let start = round * 1000;
            let end = start + 64;
            let (size, from) = (Bytes(208), NodeId(1));
            let frame = Arrival { tx, size, from, parted: true, ..arrival(1, 1.0, end) };
            radio.begin(at(start), &frame);
            radio.begin(at(start + 20), &Arrival { from: NodeId(2), ..arrival(2, 1.0, start + 24) });
            radio.end(at(start + 24), NodeId(2), 1.0);
            let (ending, map) = radio.end_parted(at(end), from, &[mpdu; 2]);
            assert_eq!(ending == Ending::Whole, map.has(0) && map.has(1), "both or none");
            ending == Ending::Whole
        });
        let whole = whole.count();
        assert!(survive.contains(&whole), "{error_curve:?}: {whole}");
    }
}

/// Two that end together before the time that locking takes: each is judged with the other on the air.
#[test]
fn what_ends_together_is_judged_together() {
    for order in [[(1, 1.0), (2, 0.5)], [(2, 0.5), (1, 1.0)]] {
        let config =
            AirConfig { error_curve: ErrorCurve::None, lock_time: Dur::from_us(400), ..AirConfig::default() };
        let mut radio = radio_with(config);
        radio.begin(at(0), &arrival(1, 1.0, 300));
        radio.begin(at(10), &arrival(2, 0.5, 300)); // 3 dB below
        for (from, power) in order {
            assert_eq!(radio.end(at(300), NodeId(from), power), Ending::Overlapped, "{order:?}");
        }
    }
}

/// Bit errors in the PLCP header leave no EIFS and free the receiver at its end.
#[test]
fn a_lost_header_frees_the_receiver() {
    let mut radio = curved();
    radio.begin(at(0), &arrival(1, 1.0, 5000));
    radio.begin(at(10), &arrival(2, 100.0, 500));
    assert_eq!(radio.end(at(500), NodeId(2), 100.0), Ending::Overlapped);
    radio.begin(at(600), &arrival(3, 16.0, 1000));
    assert_eq!(radio.end(at(1000), NodeId(3), 16.0), Ending::Whole);
    assert_eq!(radio.end(at(5000), NodeId(1), 1.0), Ending::Overlapped);
}

#[test]
fn a_sum_of_powers_leaves_nothing_behind() {
    let mut sum = Sum::default();
    let powers = [3.652e-10, 1.559e-11, 1e-9, 0.28, 7.3e-13];
    powers.iter().for_each(|&power| sum.add(Units::of(power)));
    powers.iter().rev().for_each(|&power| sum.take(Units::of(power)));
    assert_eq!(sum, Sum::default());
}

/// What stations of older amendments make of a frame of 802.11n: one of 802.11g reads in its first header how long it
/// lasts, and then finds it garbled; one of 802.11b senses it, if it is strong enough, and never hears it end.
#[test]
fn older_receivers_make_less_of_a_frame() {
    use multihop_proto::phy::{Band, Generation, GuardInterval, McsVector, Ofdm, OfdmRate, Width};
    let mcs = McsVector {
        generation: Generation::Ht,
        mcs: 0,
        streams: 1,
        width: Width::Mhz20,
        guard: GuardInterval::Ns800,
        band: Band::Ghz2,
        durations: multihop_proto::phy::DurationRule::Standard,
    };
    let ofdm = Ofdm { rate: OfdmRate::Mbps6, width: Width::Mhz20, band: Band::Ghz2 };
    let dsss = TxVector::dsss(Bitrate::from_mbps(2), Preamble::Long);
    let frames = [TxVector::Mcs(mcs), TxVector::Ofdm(ofdm), dsss];
    let heard = |reads, energy, tx: TxVector| {
        [curved(), radio()].map(|mut radio| {
            radio.radio.set_reads(reads, energy);
            let end = SimTime::ZERO + tx.airtime(Bytes(100));
            let arrival = Arrival { tx, size: Bytes(100), end, ..arrival(1, 1.0, 0) };
            let begun = radio.begin(SimTime::ZERO, &arrival);
            (begun, radio.end(end, NodeId(1), 1.0))
        })
    };
    let all = |reads, energy| frames.map(|tx| heard(reads, energy, tx));
    let whole = [(SignalStart::Busy, Ending::Whole); 2];
    let garbled = [(SignalStart::Busy, Ending::Garbled); 2];
    assert_eq!(all(Reads::All, 5.0), [whole, whole, whole]);
    assert_eq!(all(Reads::Ofdm, 5.0), [garbled, whole, whole]);
    let (sensed, missed) =
        ([(SignalStart::Busy, Ending::Overlapped); 2], [(SignalStart::Nothing, Ending::Overlapped); 2]);
    assert_eq!(all(Reads::Dsss, 0.5), [sensed, sensed, whole]);
    assert_eq!(all(Reads::Dsss, 5.0), [missed, missed, whole]);
    // No MPDU of an A-MPDU comes through there.
    let mut radio = curved();
    radio.radio.set_reads(Reads::Ofdm, 5.0);
    let tx = frames[0];
    let end = SimTime::ZERO + tx.airtime(Bytes(208));
    radio.begin(SimTime::ZERO, &Arrival { tx, size: Bytes(208), end, parted: true, ..arrival(1, 1.0, 0) });
    let mpdu = |packet| Mpdu { packet, number: 0, retry: false, size: Bytes(100), room: Bytes(104) };
    let mpdus = [mpdu(multihop_proto::wire::PacketId(0)), mpdu(multihop_proto::wire::PacketId(1))];
    assert_eq!(radio.end_parted(end, NodeId(1), &mpdus), (Ending::Garbled, Bitmap::NONE));
}
