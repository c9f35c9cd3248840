//! The answering side: CTS refused, Ack always, exchanges that meet each other, duplicates.

use super::station::*;
use crate::mac::{DcfConfig, Input, Sensed};
use crate::testing::{timeline, us};
use crate::units::SimTime;
use crate::wire::{Absorbed, Frame, PacketId};

//  0         10
//  | RTS ends | SIFS; a carrier has come at 5
#[test]
fn a_busy_medium_refuses_the_cts_under_ns2_rules_only() {
    let mut ns2 = Station::new(ns2());
    timeline! { ns2;
        at 0 us:  Input::Receive(&rts(PEER, ME, 7046))  => [Arm(Sequence, us(10))];
        at 5 us:  Sensed::Carrier(us(400))               => [];
        at 10 us: Input::Timer(Sequence)                => [];
    }
    let mut real = Station::new(standard());
    timeline! { real;
        at 0 us:  Input::Receive(&rts(PEER, ME, 7046))  => [Arm(Sequence, us(10))];
        at 5 us:  Sensed::Carrier(us(400))               => [];
        at 10 us: Input::Timer(Sequence)                => [Arm(Sequence, us(6752)), Transmit(cts(ME, PEER, 6732))];
    }
}

#[test]
fn the_nav_refuses_the_cts_under_both_rules() {
    for config in [ns2(), standard()] {
        let mut station = Station::new(config);
        timeline! { station;
            at 0 us:    Input::Receive(&cts(OTHER, FOURTH, 6732))  => [];
            at 1000 us: Input::Receive(&rts(PEER, ME, 7046))       => [Arm(Sequence, us(1010))];
            at 1010 us: Input::Timer(Sequence)                     => [];
        }
    }
}

//  0          10     314: whatever the medium does
//  | data ends | SIFS | Ack |
#[test]
fn an_ack_goes_out_on_a_busy_medium_too() {
    for config in [ns2(), standard()] {
        let mut station = Station::new(config);
        let packet = station.packet();
        let received = PacketId(packet.0 + 1);
        timeline! { station;
            at 0 us:    Input::Receive(&cts(OTHER, FOURTH, 6732))       => [];
            at 1000 us: Input::Receive(&data(PEER, ME, 7, packet))      => [Arm(Sequence, us(1010)), Deliver { packet: received, from: PEER }];
            at 1005 us: Sensed::Carrier(us(2000))                        => [];
            at 1010 us: Input::Timer(Sequence)                          => [Transmit(ack(ME, PEER))];
        }
    }
}

//  966: the data frame is due, but a carrier has come at 960
#[test]
fn data_after_a_cts_needs_an_idle_medium_under_ns2_rules_only() {
    let mut ns2 = Station::new(ns2());
    let offer = ns2.offer();
    timeline! { ns2;
        at 0 us:   Input::Send(offer)                    => [Arm(Access, us(290))];
        at 290 us: Input::Timer(Access)                  => [Arm(Sequence, us(960)), Transmit(rts(ME, PEER, 7046))];
        at 956 us: Input::Receive(&cts(PEER, ME, 6732))  => [Arm(Sequence, us(966))];
        at 960 us: Sensed::Carrier(us(2000))              => [];
        at 966 us: Input::Timer(Sequence)                => [Arm(Access, us(2000 + 50 + 4 * 20))];
    }
    assert_eq!(ns2.dcf.window(), 63);
    let mut real = Station::new(standard());
    let offer = real.offer();
    timeline! { real;
        at 1000 us: Input::Send(offer)                    => [Arm(Access, us(1000))];
        at 1000 us: Input::Timer(Access)                  => [Arm(Sequence, us(1686)), Transmit(rts(ME, PEER, 7046))];
        at 1666 us: Input::Receive(&cts(PEER, ME, 6732))  => [Arm(Sequence, us(1676))];
        at 1670 us: Sensed::Carrier(us(2000))              => [];
        at 1676 us: Input::Timer(Sequence)                => [Arm(Sequence, us(8418)), Transmit(data(ME, PEER, 1, offer.packet))];
    }
}

//  10    314                  1000          6752
//  | CTS | lost; no data comes | RTS again  | the data would have ended
#[test]
fn a_cts_in_vain_leaves_a_station_deaf_to_rts_under_ns2_rules_only() {
    let mut ns2 = Station::new(ns2());
    timeline! { ns2;
        at 0 us:    Input::Receive(&rts(PEER, ME, 7046))  => [Arm(Sequence, us(10))];
        at 10 us:   Input::Timer(Sequence)                => [Arm(Sequence, us(6736)), Transmit(cts(ME, PEER, 6732))];
        at 1000 us: Input::Receive(&rts(PEER, ME, 7046))  => [];
    }
    let mut real = Station::new(standard());
    timeline! { real;
        at 0 us:    Input::Receive(&rts(PEER, ME, 7046))  => [Arm(Sequence, us(10))];
        at 10 us:   Input::Timer(Sequence)                => [Arm(Sequence, us(6752)), Transmit(cts(ME, PEER, 6732))];
        at 1000 us: Input::Receive(&rts(PEER, ME, 7046))  => [Arm(Sequence, us(1010))];
        at 1010 us: Input::Timer(Sequence)                => [Arm(Sequence, us(7752)), Transmit(cts(ME, PEER, 6732))];
    }
}

//  1352  1700: an RTS instead of the CTS
#[test]
fn a_frame_instead_of_the_cts_fails_the_exchange_under_the_standards_rules() {
    let mut real = Station::new(standard());
    let offer = real.offer();
    timeline! { real;
        at 1000 us: Input::Send(offer)                      => [Arm(Access, us(1000))];
        at 1000 us: Input::Timer(Access)                    => [Arm(Sequence, us(1686)), Transmit(rts(ME, PEER, 7046))];
        at 1680 us: Input::Receive(&rts(OTHER, ME, 7046))   => [Arm(Access, us(1680 + 50 + 25 * 20)), Arm(Access, SimTime::MAX), Arm(Sequence, us(1690))];
        at 1690 us: Input::Timer(Sequence)                  => [Arm(Sequence, us(8432)), Transmit(cts(ME, OTHER, 6732))];
    }
    assert_eq!((real.dcf.exchange.counters.rts_failures, real.dcf.window()), (1, 63));
    let mut ns2 = Station::new(ns2());
    let offer = ns2.offer();
    timeline! { ns2;
        at 0 us:   Input::Send(offer)                      => [Arm(Access, us(290))];
        at 290 us: Input::Timer(Access)                    => [Arm(Sequence, us(960)), Transmit(rts(ME, PEER, 7046))];
        at 950 us: Input::Receive(&rts(OTHER, ME, 7046))   => [];
        at 956 us: Input::Receive(&cts(PEER, ME, 6732))    => [Arm(Sequence, us(966))];
    }
}

#[test]
fn a_station_in_an_exchange_answers_nobody_else() {
    let mut station = Station::new(ns2());
    let packet = station.packet();
    timeline! { station;
        at 0 us:    Input::Receive(&rts(PEER, ME, 7046))            => [Arm(Sequence, us(10))];
        at 4 us:    Input::Receive(&rts(OTHER, ME, 7046))           => [];
        at 5 us:    Input::Receive(&data(OTHER, ME, 3, packet))     => [];
        at 10 us:   Input::Timer(Sequence)                          => [Arm(Sequence, us(6736)), Transmit(cts(ME, PEER, 6732))];
        at 1000 us: Input::Receive(&rts(OTHER, ME, 7046))           => [];
    }
    assert_eq!(station.packets.ledger().received, 0);
}

//  The Ack of number 7 is lost; the sender keeps the frame, sends 8 to 20, and comes back to 7.
#[test]
fn a_frame_that_was_kept_and_comes_again_is_filtered_but_acknowledged() {
    let mut station = Station::new(DcfConfig { rts_threshold: crate::units::Bytes(65_535), ..ns2() });
    let packet = station.packet();
    let mut now = us(0);
    let mut receive = |station: &mut Station, frame: &Frame| {
        now += crate::units::Dur::from_ms(10);
        let answers = station.feed(now, Input::Receive(frame));
        station.feed(now + crate::units::Dur::from_us(10), Input::Timer(Sequence));
        station.feed(now + crate::units::Dur::from_us(314), Input::Timer(Sequence));
        answers.len()
    };
    for number in 7..20 {
        assert_eq!(receive(&mut station, &data(PEER, ME, number, packet)), 2, "armed and delivered");
    }
    let again = Frame { retry: true, ..data(PEER, ME, 7, packet) };
    assert_eq!(receive(&mut station, &again), 1, "armed only");
    assert_eq!(receive(&mut station, &data(OTHER, ME, 7, packet)), 2, "another transmitter's number");
    assert_eq!(station.dcf.exchange.counters.ack, 15);
    let ledger = station.packets.ledger();
    assert_eq!(ledger.absorbed[Absorbed::MacDuplicate as usize], 1);
    assert_eq!(ledger.received, 15);
}
