//! Frames of OFDM beside stations of 802.11b: what goes before them, and what does not.

use super::station::*;
use crate::contract::{Cause, Offer, Outcome};
use crate::mac::config::{FrameProtection, RateControlKind};
use crate::mac::dcf::Times;
use crate::mac::{Action, DcfConfig, Input, Mac, MacConfig, Older, Standard, Timer};
use crate::phy::{Preamble, TxVector};
use crate::testing::{timeline, us};
use crate::units::{Bitrate, Bytes, Dur, NodeId, SimTime};
use crate::wire::{Frame, FrameKind};

/// A station of 802.11g beside some of 802.11b: the long slot, control frames at 2 Mb/s of DSSS.
fn g(protection: FrameProtection) -> DcfConfig {
    DcfConfig {
        standard: Standard::G,
        data_rate: Bitrate::from_mbps(54),
        basic_rate: Bitrate::from_mbps(2),
        ack_rate: Some(Bitrate::from_mbps(24)),
        cw_min: 15,
        protection,
        ..DcfConfig::default()
    }
}

/// One of 802.11b in the same network.
fn b() -> DcfConfig {
    let (data_rate, basic_rate) = (Bitrate::from_mbps(11), Bitrate::from_mbps(2));
    DcfConfig { data_rate, basic_rate, ..DcfConfig::default() }
}

fn older(node: NodeId, own: &DcfConfig) -> Older {
    let mac = MacConfig::Dcf(own.clone()).towards(&MacConfig::Dcf(b()));
    Older { node, mac }
}

/// 1556 bytes at 54 Mb/s: 20 us, 58 symbols, 6 us of silence. ACK at 24 Mb/s, CTS behind 192 us at 2 Mb/s.
const DATA_US: u64 = 20 + 58 * 4 + 6;
const ACK_US: u64 = 34;
const CTS_US: u64 = 192 + 56;

fn kinds(sent: &[(SimTime, Frame)]) -> Vec<FrameKind> {
    sent.iter().map(|(_, frame)| frame.kind).collect()
}

fn cts_to_self(station: &Station) -> u64 {
    let mut sent = 0;
    station.dcf.each_counter(&mut |name, value| sent += if name == "mac.cts-to-self" { value } else { 0 });
    sent
}

//  1000     1248 1258    1516 1526 1560
//  | CTS     |SIFS| data  |SIFS| Ack |      the CTS reserves 312 us
#[test]
fn a_cts_to_the_own_address_reserves_the_whole_exchange() {
    let mut station = Station::new(g(FrameProtection::CtsToSelf));
    let offer = station.offer();
    let basic = TxVector::dsss(Bitrate::from_mbps(2), Preamble::Long);
    let reserves = 10 + DATA_US + 10 + ACK_US;
    let first = Frame { tx: basic, airtime: Dur::from_us(CTS_US), ..cts(ME, ME, reserves) };
    let tx = station.dcf.exchange.config().data_vector();
    let second = Frame {
        tx,
        size: Bytes(1556),
        airtime: Dur::from_us(DATA_US),
        duration: Dur::from_us(10 + ACK_US),
        ..data(ME, PEER, 1, offer.packet)
    };
    timeline! { station;
        at 1000 us: Input::Send(offer)               => [Arm(Access, us(1000))];
        at 1000 us: Input::Timer(Access)             => [Arm(Sequence, us(1258)), Transmit(first)];
        at 1258 us: Input::Timer(Sequence)           => [Arm(Sequence, us(1580)), Transmit(second)];
        at 1560 us: Input::Receive(&ack(PEER, ME))   => [
            Action::Arm(Timer::Sequence, SimTime::MAX),
            Action::Outcome(offer.packet, Outcome::Delivered { rts: 0, attempts: 1 }),
        ];
    }
    let counters = station.dcf.exchange.counters;
    assert_eq!((counters.rts, counters.cts, counters.data, cts_to_self(&station)), (0, 0, 1, 1));
    assert_eq!(counters.airtime, Dur::from_us(CTS_US + DATA_US));
}

#[test]
fn third_stations_keep_silent_until_the_exchange_is_over() {
    let mut station = Station::new(b());
    station.feed(us(248), Input::Receive(&cts(PEER, PEER, 312)));
    let free = |station: &Station, at| station.dcf.exchange.access.medium.is_unreserved(us(at));
    assert!(!free(&station, 248 + 311) && free(&station, 248 + 312));
}

/// Nothing says that the CTS was not heard: the data fail, as without it.
#[test]
fn a_failure_counts_as_one_without_rts() {
    let mut station = Station::new(g(FrameProtection::CtsToSelf));
    let offer = station.offer();
    let (outcome, sent) = station.serve(us(0), offer, |_| false);
    assert_eq!(outcome, Outcome::GaveUp { cause: Cause::DataLimit, rts: 0, attempts: 7 });
    assert_eq!(kinds(&sent), [FrameKind::Cts, FrameKind::Data].repeat(7));
    let counters = station.dcf.exchange.counters;
    assert_eq!((counters.rts_failures, counters.ack_failures, counters.long_failures), (0, 7, 0));
    assert_eq!(cts_to_self(&station), 7);
    for pair in sent.chunks(2) {
        assert_eq!(pair[1].0, pair[0].0 + Dur::from_us(CTS_US + 10), "SIFS after the CTS");
        assert!(!pair[0].1.retry, "a CTS has no retry bit");
    }
    assert!(sent[3].1.retry);
    let gaps: Vec<Dur> = sent.chunks(2).map(|pair| pair[1].0 + pair[1].1.airtime - SimTime::ZERO).collect();
    assert!(
        gaps.windows(2).all(|two| two[1] - two[0] > Dur::from_us(CTS_US + 10 + DATA_US + 64)),
        "back-off"
    );
}

#[test]
fn an_rts_protects_already() {
    let config = DcfConfig { rts_threshold: Bytes(1000), ..g(FrameProtection::CtsToSelf) };
    let mut station = Station::new(config);
    let offer = station.offer();
    let (_, sent) = station.serve(us(0), offer, |_| true);
    assert_eq!(kinds(&sent), [FrameKind::Rts, FrameKind::Data]);
    assert_eq!(sent[0].1.tx, TxVector::dsss(Bitrate::from_mbps(2), Preamble::Long), "all understand it");
    let short = Offer { size: Bytes(900), ..station.offer() };
    let (_, sent) = station.serve(us(50_000), short, |frame| frame.kind != FrameKind::Cts);
    assert_eq!(kinds(&sent), [FrameKind::Cts, FrameKind::Data]);
}

#[test]
fn rts_and_cts_may_protect_every_frame() {
    let mut station = Station::new(g(FrameProtection::RtsCts));
    let offer = station.offer();
    let (outcome, sent) = station.serve(us(0), offer, |frame| frame.kind == FrameKind::Rts);
    assert_eq!(outcome, Outcome::GaveUp { cause: Cause::DataLimit, rts: 4, attempts: 4 }, "as a long one");
    assert_eq!(kinds(&sent), [FrameKind::Rts, FrameKind::Data].repeat(4));
    assert_eq!(sent[0].1.duration, Dur::from_us(30 + CTS_US + DATA_US + ACK_US));
    assert_eq!(cts_to_self(&station), 0);
}

#[test]
fn what_all_understand_is_not_protected() {
    let own = g(FrameProtection::CtsToSelf);
    let mut station = Station::new(own.clone());
    station.dcf.add_older(&older(FOURTH, &own));
    let (to_older, to_all) = (station.offer(), station.offer());
    let (_, sent) = station.serve(us(0), Offer { to: FOURTH, ..to_older }, |_| true);
    assert_eq!(kinds(&sent), [FrameKind::Data]);
    assert_eq!(sent[0].1.tx, TxVector::dsss(Bitrate::from_mbps(11), Preamble::Long));
    assert_eq!(sent[0].1.duration, Dur::from_us(10 + CTS_US), "an ACK of DSSS is as long as a CTS");
    let (_, sent) = station.serve(us(50_000), Offer { to: NodeId::BROADCAST, ..to_all }, |_| false);
    assert_eq!(kinds(&sent), [FrameKind::Data]);
    assert_eq!(sent[0].1.tx, TxVector::dsss(Bitrate::from_mbps(2), Preamble::Long));
    assert_eq!(cts_to_self(&station), 0);
}

#[test]
fn without_older_stations_nothing_goes_first() {
    for protection in [FrameProtection::Auto, FrameProtection::None] {
        let mut station = Station::new(g(protection));
        let offer = station.offer();
        assert_eq!(kinds(&station.serve(us(0), offer, |_| true).1), [FrameKind::Data]);
    }
    let settled = |standard, protection| {
        let MacConfig::Dcf(dcf) = MacConfig::Dcf(DcfConfig { standard, ..g(protection) }).beside_dsss();
        dcf.protection
    };
    use FrameProtection::{Auto, CtsToSelf, None, RtsCts};
    assert_eq!([Auto, None, RtsCts].map(|it| settled(Standard::G, it)), [CtsToSelf, None, RtsCts]);
    assert_eq!(settled(Standard::B, Auto), Auto, "its own frames are understood");
}

/// Of each amendment the neighbour's own rates, under a rule that starts afresh.
#[test]
fn rates_to_an_older_neighbour_are_its_own() {
    let own = DcfConfig { rate_control: RateControlKind::Arf, ..g(FrameProtection::None) };
    let mut station = Station::new(own.clone());
    station.dcf.add_older(&older(FOURTH, &own));
    let mbps = |sent: &[(SimTime, Frame)]| -> Vec<f64> {
        sent.iter().map(|(_, frame)| frame.tx.rate().as_bps() as f64 / 1e6).collect()
    };
    let offer = station.offer();
    let (_, sent) = station.serve(us(0), Offer { to: FOURTH, ..offer }, |_| false);
    assert_eq!(mbps(&sent), [11.0, 11.0, 5.5, 5.5, 2.0, 2.0, 1.0]);
    let offer = station.offer();
    let (_, sent) = station.serve(us(500_000), offer, |_| true);
    assert_eq!(mbps(&sent), [54.0], "what another neighbour lost does not count");
}

/// A frame of DSSS is answered by DSSS, one of OFDM by OFDM; EIFS counts an ACK of 1 Mb/s.
#[test]
fn answers_are_of_the_kind_of_what_they_answer() {
    let own = g(FrameProtection::CtsToSelf);
    let times = Times::new(&own);
    let dsss = |mbps| TxVector::dsss(Bitrate::from_mbps(mbps), Preamble::Long);
    assert_eq!(times.answer(dsss(11)).tx, dsss(2));
    assert_eq!(times.answer(dsss(1)).tx, dsss(2), "as a station of 802.11b has it");
    assert_eq!(times.answer(own.data_vector()).ack, Dur::from_us(ACK_US));
    assert_eq!(times.eifs(), Dur::from_us(10 + 304 + 50));
}
