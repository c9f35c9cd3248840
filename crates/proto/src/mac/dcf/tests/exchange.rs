//! The exchanges themselves: exact instants of RTS, CTS, data and Ack on both sides.

use super::station::*;
use crate::contract::{Offer, Outcome};
use crate::mac::config::Preamble;
use crate::mac::dcf::Times;
use crate::mac::{Action, DcfConfig, Input, Mac, Timer};
use crate::phy::TxVector;
use crate::testing::{timeline, us};
use crate::units::{Bitrate, Bytes, Dur, NodeId, SimTime};
use crate::wire::Frame;

/// The Ack has come before its timer.
const OFF: Action = Action::Arm(Timer::Sequence, SimTime::MAX);

const fn delivered(offer: Offer, rts: u32, attempts: u32) -> Action {
    Action::Outcome(offer.packet, Outcome::Delivered { rts, attempts })
}

//  0  50       290   642 652   956 966    7374 7384  7688     7738 7778
//  |DIFS| 12 sl | RTS |SIFS| CTS |SIFS| data |SIFS| Ack | DIFS | 2 sl |
#[test]
fn rts_cts_exchange_of_the_sender_under_ns2_rules() {
    let mut station = Station::new(ns2());
    let (first, second) = (station.offer(), station.offer());
    timeline! { station;
        at 0 us:    Input::Send(first)                    => [Arm(Access, us(290))];
        at 290 us:  Input::Timer(Access)                  => [Arm(Sequence, us(960)), Transmit(rts(ME, PEER, 7046))];
        at 956 us:  Input::Receive(&cts(PEER, ME, 6732))  => [Arm(Sequence, us(966))];
        at 966 us:  Input::Timer(Sequence)                => [Arm(Sequence, us(7692)), Transmit(data(ME, PEER, 1, first.packet))];
        at 7688 us: Input::Receive(&ack(PEER, ME))        => [OFF, delivered(first, 1, 1)];
        at 7688 us: Input::Send(second)                   => [Arm(Access, us(7778))];
        at 7778 us: Input::Timer(Access)                  => [Arm(Sequence, us(8448)), Transmit(rts(ME, PEER, 7046))];
    }
    let counters = station.dcf.exchange.counters;
    assert_eq!((counters.rts, counters.data, counters.data_bits), (2, 1, 1554 * 8));
    assert_eq!(counters.airtime, Dur::from_us(352 + 6408 + 352));
}

//  0         10        314 324      6732 6742      7046
//  | RTS ends |SIFS| CTS |SIFS| data   |SIFS| Ack    |
#[test]
fn rts_cts_exchange_of_the_receiver_under_ns2_rules() {
    let mut station = Station::new(ns2());
    let packet = station.packet();
    let received = crate::wire::PacketId(packet.0 + 1);
    timeline! { station;
        at 0 us:    Input::Receive(&rts(PEER, ME, 7046))       => [Arm(Sequence, us(10))];
        at 10 us:   Input::Timer(Sequence)                     => [Arm(Sequence, us(6736)), Transmit(cts(ME, PEER, 6732))];
        at 6732 us: Input::Receive(&data(PEER, ME, 7, packet)) => [Arm(Sequence, us(6742)), Deliver { packet: received, from: PEER }];
        at 6742 us: Input::Timer(Sequence)                     => [Transmit(ack(ME, PEER))];
    }
    let counters = station.dcf.exchange.counters;
    assert_eq!((counters.cts, counters.ack, counters.frames()), (1, 1, 2));
    assert_eq!(station.packets.ledger().received, 1);
}

//  1000   1352 1362  1666 1676    8084 8094  8398
//  | RTS   |SIFS| CTS |SIFS| data  |SIFS| Ack |
#[test]
fn the_standard_waits_a_slot_for_responses_and_sends_at_once_on_an_idle_medium() {
    let mut station = Station::new(standard());
    let offer = station.offer();
    timeline! { station;
        at 1000 us: Input::Send(offer)                    => [Arm(Access, us(1000))];
        at 1000 us: Input::Timer(Access)                  => [Arm(Sequence, us(1686)), Transmit(rts(ME, PEER, 7046))];
        at 1666 us: Input::Receive(&cts(PEER, ME, 6732))  => [Arm(Sequence, us(1676))];
        at 1676 us: Input::Timer(Sequence)                => [Arm(Sequence, us(8418)), Transmit(data(ME, PEER, 1, offer.packet))];
        at 8398 us: Input::Receive(&ack(PEER, ME))        => [OFF, delivered(offer, 1, 1)];
    }
}

//  1000    7408 7418  7722  7772 8012
//  | data   |SIFS| Ack | DIFS | 12 slots |
#[test]
fn basic_access_below_the_rts_threshold() {
    let mut station = Station::new(DcfConfig { rts_threshold: Bytes(1554), ..standard() });
    let (first, second) = (station.offer(), station.offer());
    timeline! { station;
        at 1000 us: Input::Send(first)              => [Arm(Access, us(1000))];
        at 1000 us: Input::Timer(Access)            => [Arm(Sequence, us(7742)), Transmit(data(ME, PEER, 1, first.packet))];
        at 7722 us: Input::Receive(&ack(PEER, ME))  => [OFF, delivered(first, 0, 1)];
        at 7800 us: Input::Send(second)             => [Arm(Access, us(8012))];
        at 8012 us: Input::Timer(Access)            => [Arm(Sequence, us(14754)), Transmit(data(ME, PEER, 2, second.packet))];
    }
}

//  0  50      290      7294
//  |DIFS| 12 sl | broadcast at 1 Mb/s |
#[test]
fn a_broadcast_goes_once_at_the_basic_rate_and_is_not_acknowledged() {
    let mut station = Station::new(ns2());
    let mut offer = station.offer();
    offer.to = NodeId::BROADCAST;
    offer.size = Bytes(100);
    let frame = Frame {
        size: Bytes(134),
        tx: TxVector::dsss(Bitrate::from_mbps(1), Preamble::Long),
        airtime: Dur::from_us(192 + 134 * 8),
        duration: Dur::ZERO,
        ..data(ME, NodeId::BROADCAST, 1, offer.packet)
    };
    timeline! { station;
        at 0 us:    Input::Send(offer)      => [Arm(Access, us(290))];
        at 290 us:  Input::Timer(Access)    => [Arm(Sequence, us(1554)), Transmit(frame)];
        at 1554 us: Input::Timer(Sequence)  => [delivered(offer, 0, 1)];
    }
    assert_eq!(station.dcf.exchange.counters.broadcast, 1);
}

#[test]
fn a_heard_broadcast_is_delivered_without_an_answer() {
    let mut station = Station::new(ns2());
    let packet = station.packet();
    let received = crate::wire::PacketId(packet.0 + 1);
    let frame = Frame { duration: Dur::ZERO, ..data(PEER, NodeId::BROADCAST, 9, packet) };
    timeline! { station;
        at 100 us: Input::Receive(&frame) => [Deliver { packet: received, from: PEER }];
    }
}

//  0         10        314 ...          6736
//  | RTS ends |SIFS| CTS |  no data comes | free again
#[test]
fn a_cts_that_no_data_follows_holds_the_station_until_the_data_would_have_ended() {
    let mut station = Station::new(ns2());
    let offer = station.offer();
    timeline! { station;
        at 0 us:    Input::Receive(&rts(PEER, ME, 7046))  => [Arm(Sequence, us(10))];
        at 5 us:    Input::Send(offer)                    => [];
        at 10 us:   Input::Timer(Sequence)                => [Arm(Sequence, us(6736)), Transmit(cts(ME, PEER, 6732))];
        at 6736 us: Input::Timer(Sequence)                => [Arm(Access, us(6736 + 50 + 12 * 20))];
    }
}

#[test]
fn responses_that_nobody_waits_for_are_ignored() {
    let mut station = Station::new(ns2());
    timeline! { station;
        at 10 us: Input::Receive(&cts(PEER, ME, 6732)) => [];
        at 20 us: Input::Receive(&ack(PEER, ME))       => [];
        at 30 us: Input::Timer(Sequence)               => [];
        at 40 us: Input::Timer(Access)                 => [];
    }
    assert!(station.dcf.wants_frame());
}

#[test]
fn the_access_timer_may_fire_early() {
    let mut station = Station::new(ns2());
    let offer = station.offer();
    timeline! { station;
        at 0 us:   Input::Send(offer)   => [Arm(Access, us(290))];
        at 100 us: Input::Timer(Access) => [Arm(Access, us(290))];
        at 290 us: Input::Timer(Access) => [Arm(Sequence, us(960)), Transmit(rts(ME, PEER, 7046))];
    }
}

#[test]
fn a_short_preamble_halves_the_plcp_time() {
    let config = DcfConfig { preamble: crate::mac::Preamble::Short, ..ns2() };
    let times = crate::mac::dcf::Times::new(&config);
    assert_eq!(times.rts, Dur::from_us(96 + 160));
    let data = |to| times.vector(to).airtime(Bytes(1554));
    assert_eq!(data(NodeId(1)), Dur::from_us(96 + 6216));
    assert_eq!(data(NodeId::BROADCAST), Dur::from_us(96 + 12_432));
    assert_eq!((times.difs(), times.eifs()), (Dur::from_us(50), Dur::from_us(10 + 96 + 112 + 50)));
    assert_eq!(DATA, Dur::from_us(192 + 6216));
}

/// ns-2 of 2001 at 2 Mb/s: 24 bytes of PLCP in 96 us, and RTS, CTS, Ack at the data rate.
#[test]
fn a_plcp_at_the_data_rate_counts_24_bytes_of_it() {
    let rate = crate::units::Bitrate::from_mbps(2);
    let config = DcfConfig { preamble: crate::mac::Preamble::DataRate, basic_rate: rate, ..ns2() };
    let times = crate::mac::dcf::Times::new(&config);
    assert_eq!(
        (times.rts, times.cts, times.answer(config.data_vector()).ack),
        (Dur::from_us(176), Dur::from_us(152), Dur::from_us(152))
    );
    assert_eq!(times.vector(NodeId(1)).airtime(times.mpdu(Bytes(1480))), Dur::from_us(96 + 4 * (1480 + 34)));
    assert_eq!(times.eifs(), Dur::from_us(10 + 152 + 50));
}

// Data go at the rate that was set last for their neighbour, or for all; broadcasts as ever. What is sent again shows
// its rate in nothing but its length in time.
#[test]
fn data_rates_can_be_changed_for_one_neighbour_or_for_all() {
    let at = |mbps| TxVector::dsss(Bitrate::from_mbps(mbps), Preamble::Long);
    let mut times = Times::new(&DcfConfig::default()); // 2 Mb/s behind 192 us
    let data = |times: &Times, to| times.vector(to).airtime(Bytes(1000)).as_us();
    times.set_vector(Some(NodeId(1)), at(1));
    assert_eq!([1, 2].map(|to| data(&times, NodeId(to))), [8192, 4192]);
    times.set_vector(None, at(8));
    assert_eq!([1, 2].map(|to| data(&times, NodeId(to))), [1192, 1192]);
    times.set_vector(Some(NodeId(2)), at(4));
    times.set_vector(Some(NodeId(2)), at(2));
    assert_eq!([1, 2].map(|to| data(&times, NodeId(to))), [1192, 4192]);
    assert_eq!(data(&times, NodeId::BROADCAST), 8192);
    let mut old = Times::new(&DcfConfig { preamble: Preamble::DataRate, ..DcfConfig::default() });
    old.set_vector(None, TxVector::dsss(Bitrate::from_mbps(8), Preamble::DataRate));
    let airtime = old.vector(NodeId(1)).airtime(Bytes(1000));
    assert_eq!(airtime, Dur::from_us(1024), "24 bytes more at the same rate");
}
