//! Data rates that are chosen frame by frame, in whole exchanges.

use super::station::*;
use crate::contract::{Cause, Outcome};
use crate::mac::config::RateControlKind;
use crate::mac::dcf::Times;
use crate::mac::{Action, DcfConfig, Input, Mac, Standard};
use crate::phy::MODES;
use crate::testing::us;
use crate::units::{Bitrate, Bytes, Dur, NodeId, Power, SimTime};
use crate::wire::{Frame, FrameKind};

/// Airtime of a data frame of 1554 bytes at 1, 2, 5.5 and 11 Mb/s behind 192 us.
const AIRTIME: [Dur; 4] = [
    Dur::from_us(192 + 12_432),
    DATA,
    Dur::from_ns(192_000 + 2_260_364), // 12432 bits, rounded up
    Dur::from_ns(192_000 + 1_130_182),
];

fn controlled(rate_control: RateControlKind) -> DcfConfig {
    DcfConfig { rate_control, data_rate: Bitrate::from_mbps(11), ..standard() }
}

/// Lengths of the data frames among them, and duration fields of all.
fn lengths(sent: &[(SimTime, Frame)]) -> Vec<Dur> {
    sent.iter().filter(|(_, frame)| frame.kind == FrameKind::Data).map(|(_, frame)| frame.airtime).collect()
}

#[test]
fn arf_falls_in_the_middle_of_a_frame_and_rises_after_ten() {
    let mut config = controlled(RateControlKind::Arf);
    config.arf.timer = Dur::from_secs(10);
    let mut station = Station::new(config);
    let offer = station.offer();
    let (outcome, sent) = station.serve(us(0), offer, |frame| frame.kind == FrameKind::Rts);
    assert_eq!(outcome, Outcome::GaveUp { cause: Cause::DataLimit, rts: 4, attempts: 4 });
    assert_eq!(lengths(&sent), [3, 3, 2, 2].map(|rung| AIRTIME[rung]));
    // At 2 Mb/s; ten frames in a row, and the next one is tried at 5.5.
    let mut last = Vec::new();
    for frame in 0..11 {
        let offer = station.offer();
        let start = us(200_000 + 10_000 * frame);
        last = lengths(&station.serve(start, offer, |_| true).1);
        assert_eq!(last.len(), 1);
    }
    assert_eq!(last, [AIRTIME[2]]);
}

/// The duration of an RTS is that of the frame which follows it, at the rate of that: three SIFS, CTS, data, ACK.
#[test]
fn each_frame_reserves_the_time_that_its_own_rate_takes() {
    let mut station = Station::new(controlled(RateControlKind::Arf));
    let offer = station.offer();
    let (_, sent) = station.serve(us(0), offer, |frame| frame.kind == FrameKind::Rts);
    let of = |kind| sent.iter().filter(move |(_, frame)| frame.kind == kind).map(|(_, frame)| *frame);
    for (rts, data) in of(FrameKind::Rts).zip(of(FrameKind::Data)) {
        assert_eq!((rts.airtime, rts.size), (Dur::from_us(352), Bytes(20)), "at the basic rate");
        assert_eq!(rts.duration, Dur::from_us(30 + 304 + 304) + data.airtime);
        assert_eq!(data.duration, Dur::from_us(10 + 304));
    }
}

#[test]
fn an_rts_without_an_answer_and_a_broadcast_say_nothing_of_the_rate() {
    let mut station = Station::new(controlled(RateControlKind::Arf));
    let offer = station.offer();
    assert!(lengths(&station.serve(us(0), offer, |_| false).1).is_empty());
    let offer = crate::contract::Offer { to: NodeId::BROADCAST, ..station.offer() };
    let (_, sent) = station.serve(SimTime::from_secs(1), offer, |_| false);
    assert_eq!(lengths(&sent), [AIRTIME[0]], "a broadcast goes at the basic rate");
    let offer = station.offer();
    assert_eq!(lengths(&station.serve(SimTime::from_secs(2), offer, |_| true).1), [AIRTIME[3]]);
    assert_eq!(station.dcf.counters().unwrap().by_mode[..4], [0, 0, 0, 1]);
}

#[test]
fn what_was_sent_at_each_rate_is_counted() {
    let mut station = Station::new(controlled(RateControlKind::Arf));
    let offer = station.offer();
    station.serve(us(0), offer, |frame| frame.kind == FrameKind::Rts); // 11, 11, 5.5, 5.5
    let offer = station.offer();
    station.serve(SimTime::from_secs(1), offer, |_| true); // the timer has it try 5.5
    assert_eq!(station.dcf.counters().unwrap().by_mode[..4], [0, 0, 3, 2]);
    let mut sent = Vec::new();
    station.dcf.each_rate(&mut |tx, frames| sent.push((tx.named().to_string(), frames)));
    let expected = [("1 Mb/s", 0), ("2 Mb/s", 0), ("5.5 Mb/s", 3), ("11 Mb/s", 2)];
    assert_eq!(sent, expected.map(|(rate, frames)| (rate.to_owned(), frames)));
    let mut turns = Vec::new();
    station.dcf.each_counter(&mut |name, value| {
        if name.starts_with("mac.rate-") {
            turns.push((name, value));
        }
    });
    assert_eq!(turns, [("mac.rate-up", 0), ("mac.rate-down", 1)], "11 to 5.5; to 2 and back went no frame");
    let mut fixed = Station::new(standard());
    let offer = fixed.offer();
    fixed.serve(us(0), offer, |_| true);
    assert_eq!(fixed.dcf.counters().unwrap().by_mode, [0; MODES.len()]);
    let mut told = Vec::new();
    fixed.dcf.each_rate(&mut |tx, frames| told.push((tx.named().to_string(), frames)));
    assert_eq!(told, [("2 Mb/s".to_owned(), 1)], "all have one mode");
    fixed.dcf.set_rate(None, Bitrate::from_mbps(1));
    fixed.dcf.each_rate(&mut |tx, _| panic!("frames went otherwise before {tx:?}"));
}

/// A frame of the peer at 5 dB, less than 11 Mb/s need, overheard; a CTS for others does not name its sender.
#[test]
fn what_was_heard_of_the_neighbour_says_the_rate() {
    let mut station = Station::new(controlled(RateControlKind::Snr));
    let rates = station.dcf.rates.as_mut().expect("it has");
    assert!(rates.minds_power());
    rates.set_noise(Power::new(1.0));
    let first = |station: &mut Station, second| {
        let offer = station.offer();
        lengths(&station.serve(SimTime::from_secs(second), offer, |_| true).1)
    };
    assert_eq!(first(&mut station, 1), [AIRTIME[0]], "never heard");
    let rates = station.dcf.rates.as_mut().expect("it has");
    rates.heard(&rts(PEER, OTHER, 0), ME, 3.16); // 5 dB
    rates.heard(&cts(PEER, OTHER, 0), ME, 100.0);
    assert_eq!(first(&mut station, 2), [AIRTIME[2]]);
    let rates = station.dcf.rates.as_mut().expect("it has");
    rates.heard(&cts(PEER, ME, 0), ME, 100.0);
    assert_eq!(first(&mut station, 3), [AIRTIME[3]]);
}

#[test]
fn a_station_that_goes_down_forgets_its_rates() {
    let mut station = Station::new(controlled(RateControlKind::Arf));
    let offer = station.offer();
    station.serve(us(0), offer, |frame| frame.kind == FrameKind::Rts);
    for up in [false, true] {
        station.feed(us(900_000), Input::Power(up));
    }
    let offer = station.offer();
    assert_eq!(lengths(&station.serve(SimTime::from_secs(1), offer, |_| true).1), [AIRTIME[3]]);
}

/// Where the fastest basic rate is 2 Mb/s, the ACK of a frame at 1 Mb/s goes at 1 Mb/s, all others at 2 Mb/s.
#[test]
fn an_ack_is_no_faster_than_its_frame() {
    for rule in [RateControlKind::Fixed, RateControlKind::Arf] {
        let config = DcfConfig { ack_rate: Some(Bitrate::from_mbps(2)), ..controlled(rule) };
        let times = Times::new(&config);
        for (vector, ack) in config.modes().into_iter().zip([112, 56, 56, 56]) {
            assert_eq!(times.answer(vector).ack, Dur::from_us(192 + ack), "{vector:?}");
        }
    }
}

/// Of 802.11n the ACK of MCS 0 goes at 6 Mb/s, of MCS 1 and 2 at 12, of all others at 24: the basic rates of OFDM.
#[test]
fn an_ack_goes_at_the_basic_rate_up_to_the_reference_rate_of_its_mcs() {
    let ofdm = |mbps| Some(Bitrate::from_mbps(mbps));
    let mac = DcfConfig { standard: Standard::N, ack_rate: ofdm(24), mcs: 7, ..DcfConfig::default() };
    let config =
        DcfConfig { rate_control: RateControlKind::MinstrelHt, basic_rate: Bitrate::from_mbps(6), ..mac };
    let times = Times::new(&config);
    let rates = config.modes().into_iter().map(|mode| times.answer(mode).tx.rate().as_bps() / 1_000_000);
    assert_eq!(rates.collect::<Vec<_>>(), [6, 12, 12, 24, 24, 24, 24, 24]);
}

#[test]
fn only_the_rates_of_the_ladder_can_be_chosen_from() {
    let config = DcfConfig { data_rate: Bitrate::from_mbps(3), ..controlled(RateControlKind::Arf) };
    let wrong = config.check().expect_err("3 Mb/s");
    assert_eq!(wrong.key, "data-rate");
    assert!(controlled(RateControlKind::Snr).check().is_ok());
    assert!(DcfConfig { rate_control: RateControlKind::Fixed, ..config }.check().is_ok());
    let mut falling = controlled(RateControlKind::Snr);
    falling.snr.least_5mbps = crate::units::Decibel::new(1.0);
    assert_eq!(falling.check().expect_err("below 2 Mb/s").key, "snr.least-5mbps");
}

/// What the station answers is at the basic rate whatever rate it is itself at.
#[test]
fn answers_go_at_the_basic_rate() {
    let mut station = Station::new(controlled(RateControlKind::Arf));
    let packet = station.packet();
    let frame = Frame { airtime: AIRTIME[3], ..data(PEER, ME, 1, packet) };
    station.feed(us(2000), Input::Receive(&frame));
    let sent = station.feed(us(2010), Input::Timer(Sequence));
    let ack = sent.iter().find_map(|action| match action {
        Action::Transmit(frame) => Some(*frame),
        _ => None,
    });
    assert_eq!(ack.map(|ack| (ack.kind, ack.airtime)), Some((FrameKind::Ack, Dur::from_us(304))));
}
