//! When a station may send: carrier, NAV, EIFS, capture, post-back-off, immediate access.

use super::station::*;
use crate::mac::{DcfConfig, EifsRule, ImmediateAccess, Input, Mac, Sensed};
use crate::testing::{timeline, us};
use crate::units::{Dur, SimTime};

//  0  50       135         1000  1050     1210
//  |DIFS| 4 slots | carrier | DIFS | 8 slots |
#[test]
fn a_carrier_freezes_the_back_off_and_whole_slots_stay_counted() {
    let mut station = Station::new(ns2());
    let offer = station.offer();
    timeline! { station;
        at 0 us:    Input::Send(offer)         => [Arm(Access, us(290))];
        at 135 us:  Sensed::Carrier(us(1000))   => [Arm(Access, us(1210))];
        at 290 us:  Input::Timer(Access)       => [Arm(Access, us(1210))];
        at 1210 us: Input::Timer(Access)       => [Arm(Sequence, us(1880)), Transmit(rts(ME, PEER, 7046))];
    }
    assert_eq!(station.dcf.busy_time(SimTime::MAX), Dur::from_us(865));
}

//  0   290
//  | a carrier at the very instant at which the back-off ends: both send
#[test]
fn stations_that_drew_the_same_slot_collide() {
    let mut station = Station::new(ns2());
    let offer = station.offer();
    timeline! { station;
        at 0 us:   Input::Send(offer)        => [Arm(Access, us(290))];
        at 290 us: Sensed::Carrier(us(1000))  => [];
        at 290 us: Input::Timer(Access)      => [Arm(Sequence, us(960)), Transmit(rts(ME, PEER, 7046))];
    }
}

//  275   290: within the 15 us that sensing takes
#[test]
fn a_back_off_that_ends_before_the_carrier_can_be_sensed_still_fires() {
    let mut station = Station::new(standard());
    let offer = station.offer();
    timeline! { station;
        at 0 us:   Input::Send(offer)        => [Arm(Access, us(290))];
        at 275 us: Sensed::Carrier(us(1000))  => [];
        at 290 us: Input::Timer(Access)      => [Arm(Sequence, us(976)), Transmit(rts(ME, PEER, 7046))];
    }
    let mut late = Station::new(standard());
    let offer = late.offer();
    timeline! { late;
        at 0 us:   Input::Send(offer)        => [Arm(Access, us(290))];
        at 274 us: Sensed::Carrier(us(1000))  => [Arm(Access, us(1000 + 50 + 20))];
        at 290 us: Input::Timer(Access)      => [Arm(Access, us(1000 + 50 + 20))];
    }
}

//  0   100                    7146  7196     7436
//  |    | overheard RTS: NAV   | DIFS | 12 slots |
#[test]
fn an_overheard_frame_reserves_the_medium() {
    let mut station = Station::new(ns2());
    let offer = station.offer();
    timeline! { station;
        at 100 us: Input::Receive(&rts(PEER, OTHER, 7046))  => [];
        at 200 us: Input::Send(offer)                       => [Arm(Access, us(7146 + 50 + 240))];
    }
    let mut station = Station::new(ns2());
    let offer = station.offer();
    timeline! { station;
        at 100 us: Input::Receive(&cts(PEER, OTHER, 6732))  => [];
        at 150 us: Input::Receive(&ack(PEER, OTHER))        => []; // duration 0 shortens nothing
        at 200 us: Input::Send(offer)                       => [Arm(Access, us(6832 + 50 + 240))];
    }
}

//  100   656: 2 SIFS + CTS + PHY start delay + 2 slots after the RTS nothing has been heard
#[test]
fn the_nav_of_an_rts_lapses_if_no_cts_follows() {
    let mut silent = Station::new(standard());
    let offer = silent.offer();
    timeline! { silent;
        at 100 us: Input::Receive(&rts(PEER, OTHER, 7046))  => [];
        at 200 us: Input::Send(offer)                       => [Arm(Access, us(656 + 50 + 240))];
    }
    let mut used = Station::new(standard());
    let offer = used.offer();
    timeline! { used;
        at 100 us: Input::Receive(&rts(PEER, OTHER, 7046))  => [];
        at 428 us: Sensed::Carrier(us(6836))                 => []; // the data frame
        at 500 us: Input::Send(offer)                       => [Arm(Access, us(7146 + 50 + 240))];
    }
    let mut kept = Station::new(ns2());
    let offer = kept.offer();
    timeline! { kept;
        at 100 us: Input::Receive(&rts(PEER, OTHER, 7046))  => [];
        at 500 us: Input::Send(offer)                       => [Arm(Access, us(7146 + 50 + 240))];
    }
}

//  0        100                464  514
//  | garbled | NAV of 364 us     | DIFS |
#[test]
fn eifs_of_ns2_is_a_nav_that_nothing_cancels() {
    let mut station = Station::new(ns2());
    let offer = station.offer();
    timeline! { station;
        at 0 us:   Sensed::Carrier(us(100))             => [];
        at 0 us:   Sensed::Undecodable(us(100))         => [];
        at 150 us: Input::Receive(&ack(PEER, OTHER))   => [];
        at 200 us: Input::Send(offer)                  => [Arm(Access, us(464 + 50 + 240))];
    }
}

//  0        100    464: EIFS of 364 us includes DIFS
//  | garbled | EIFS |
#[test]
fn eifs_of_the_standard_takes_the_place_of_difs_and_ends_with_a_correct_frame() {
    let mut station = Station::new(standard());
    let offer = station.offer();
    timeline! { station;
        at 0 us:   Sensed::Carrier(us(100))      => [];
        at 0 us:   Sensed::Undecodable(us(100))  => [];
        at 150 us: Input::Send(offer)           => [Arm(Access, us(464 + 240))];
    }
    let mut relieved = Station::new(standard());
    let offer = relieved.offer();
    timeline! { relieved;
        at 0 us:   Sensed::Carrier(us(100))            => [];
        at 0 us:   Sensed::Undecodable(us(100))        => [];
        at 150 us: Sensed::Carrier(us(200))            => [];
        at 200 us: Input::Receive(&ack(PEER, OTHER))  => [];
        at 200 us: Input::Send(offer)                 => [Arm(Access, us(250 + 240))];
    }
}

//  0        100   150
//  | garbled | DIFS |
#[test]
fn without_eifs_an_undecodable_frame_is_followed_by_difs() {
    let mut station = Station::new(DcfConfig { eifs: EifsRule::None, ..standard() });
    let offer = station.offer();
    timeline! { station;
        at 0 us:   Sensed::Carrier(us(100))      => [];
        at 0 us:   Sensed::Undecodable(us(100))  => [];
        at 50 us:  Input::Send(offer)           => [Arm(Access, us(150 + 240))];
    }
}

#[test]
fn a_captured_frame_sets_the_nav_under_ns2_rules_only() {
    let mut ns2 = Station::new(ns2());
    let offer = ns2.offer();
    timeline! { ns2;
        at 0 us:   Sensed::Captured(us(100)) => [];
        at 150 us: Input::Send(offer)       => [Arm(Access, us(464 + 50 + 240))];
    }
    let mut real = Station::new(standard());
    let offer = real.offer();
    timeline! { real;
        at 0 us:   Sensed::Captured(us(100)) => [];
        at 150 us: Input::Send(offer)       => [Arm(Access, us(150))];
    }
}

//  0      1000   1050
//  | busy  | DIFS: a frame that comes meanwhile backs off; after it, it goes at once
#[test]
fn immediate_access_needs_difs_of_idle_medium() {
    for (arrival, access) in [(1020, 1070 + 240), (1049, 1099 + 240), (1050, 1050), (2000, 2000)] {
        let mut station = Station::new(standard());
        let offer = station.offer();
        timeline! { station;
            at 0 us: Sensed::Carrier(us(1000)) => [];
        }
        assert_eq!(station.feed(us(arrival), Input::Send(offer)), [Arm(Access, us(access.max(arrival)))]);
    }
}

//  0         10    314   320  370        610
//  | data ends | own Ack | DIFS | 12 slots |
#[test]
fn immediate_access_counts_the_stations_own_transmissions_as_busy() {
    let mut station = Station::new(standard());
    let (packet, offer) = (station.packet(), station.offer());
    let received = crate::wire::PacketId(offer.packet.0 + 1);
    timeline! { station;
        at 0 us:   Input::Receive(&data(PEER, ME, 7, packet))  => [Arm(Sequence, us(10)), Deliver { packet: received, from: PEER }];
        at 10 us:  Input::Timer(Sequence)                      => [Transmit(ack(ME, PEER))];
        at 320 us: Input::Send(offer)                          => [Arm(Access, us(370 + 240))];
    }
}

//  7688     7738 7778   8000: ended with nothing to send, so the next frame draws anew
#[test]
fn a_post_back_off_that_has_ended_is_not_used_again() {
    let mut station = Station::new(ns2());
    let first = station.offer();
    let (_, sent) = station.serve(us(0), first, |_| true);
    assert_eq!(sent.len(), 2);
    let second = station.offer();
    timeline! { station;
        at 8000 us: Input::Send(second) => [Arm(Access, us(8000 + 50 + 5 * 20))];
    }
}

//  7778: post-back-off over    8000: data comes, is acknowledged until 8314, and is passed on
#[test]
fn a_relay_whose_post_back_off_has_ended_draws_before_it_forwards() {
    let mut station = Station::new(ns2());
    let first = station.offer();
    station.serve(us(0), first, |_| true);
    let packet = station.packet();
    let received = crate::wire::PacketId(packet.0 + 1);
    timeline! { station;
        at 8000 us: Input::Receive(&data(PEER, ME, 7, packet))  => [Arm(Sequence, us(8010)), Deliver { packet: received, from: PEER }];
        at 8000 us: Input::Send(offer_of(received))             => [];
        at 8010 us: Input::Timer(Sequence)                      => [Transmit(ack(ME, PEER)), Arm(Access, us(8314 + 50 + 5 * 20))];
    }
}

#[test]
fn without_post_back_off_the_standard_lets_a_frame_go_at_once() {
    let mut station = Station::new(DcfConfig { post_backoff: false, ..standard() });
    let first = station.offer();
    station.serve(us(1000), first, |_| true); // until 8398 us
    let second = station.offer();
    timeline! { station;
        at 9000 us: Input::Send(second) => [Arm(Access, us(9000))];
    }
}

//  0  50 110        200: RTS for this station; its own exchange freezes the back-off after 7 slots
#[test]
fn answering_freezes_the_back_off() {
    let mut station = Station::new(ns2());
    let offer = station.offer();
    timeline! { station;
        at 0 us:    Input::Send(offer)                     => [Arm(Access, us(290))];
        at 199 us:  Input::Receive(&rts(PEER, ME, 7046))   => [Arm(Access, SimTime::MAX), Arm(Sequence, us(209))];
        at 209 us:  Input::Timer(Sequence)                 => [Arm(Sequence, us(6935)), Transmit(cts(ME, PEER, 6732))];
        at 290 us:  Input::Timer(Access)                   => [];
        at 6935 us: Input::Timer(Sequence)                 => [Arm(Access, us(6935 + 50 + 5 * 20))];
    }
}

/// The rules of ns-2 as they were in 2001, at its data rate.
fn of_2001() -> DcfConfig {
    DcfConfig { immediate_access: ImmediateAccess::Defer, early_reset: true, ..ns2() }
}

//  1000   1050
//  | DIFS | RTS: an idle medium needs no back-off, but always DIFS
#[test]
fn a_deferring_frame_goes_difs_after_its_arrival() {
    let mut station = Station::new(of_2001());
    let offer = station.offer();
    timeline! { station;
        at 1000 us: Input::Send(offer)       => [Arm(Access, us(1050))];
        at 1050 us: Input::Timer(Access)     => [Arm(Sequence, us(1720)), Transmit(rts(ME, PEER, 7046))];
    }
}

//  1000    1030        1500  1550      2050
//  | DIFS..| others     | DIFS | 25 slots of a window of 63
#[test]
fn a_deferring_frame_draws_from_a_wider_window_if_the_medium_turns_busy() {
    let mut station = Station::new(of_2001());
    let offer = station.offer();
    timeline! { station;
        at 1000 us: Input::Send(offer)             => [Arm(Access, us(1050))];
        at 1030 us: Sensed::Carrier(us(1500))      => [Arm(Access, us(1550))];
        at 1550 us: Input::Timer(Access)           => [Arm(Access, us(1550 + 25 * 20))];
    }
    assert_eq!(station.dcf.window(), 63);
}

//  0                1000   1050   1290
//  | others, a frame | DIFS | 12 slots: a busy medium on arrival means a draw from the present window
#[test]
fn a_frame_that_finds_the_medium_busy_does_not_defer() {
    let mut station = Station::new(of_2001());
    let offer = station.offer();
    timeline! { station;
        at 0 us:   Sensed::Carrier(us(1000)) => [];
        at 500 us: Input::Send(offer)        => [Arm(Access, us(1050 + 12 * 20))];
    }
    assert_eq!(station.dcf.window(), 31);
}
