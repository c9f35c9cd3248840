//! Dozing through the exchanges of others.

use super::station::*;
use crate::mac::config::FrameProtection;
use crate::mac::{Action, DcfConfig, Input, Mac};
use crate::testing::{timeline, us};
use crate::wire::{Frame, FrameKind};

fn dozing() -> Station {
    Station::new(DcfConfig { nav_doze: true, ..ns2() })
}

fn naps(station: &Station) -> u64 {
    let mut naps = 0;
    station.dcf.each_counter(&mut |name, value| naps += if name == "mac.nav-dozes" { value } else { 0 });
    naps
}

#[test]
fn an_overheard_rts_or_cts_is_slept_through_and_access_goes_on_after_it() {
    let mut station = dozing();
    timeline! { station;
        at 0 us:    Input::Receive(&rts(PEER, OTHER, 7000))   => [Arm(Sequence, us(7000)), Action::Doze(true)];
        at 7000 us: Input::Timer(Sequence)                    => [Action::Doze(false)];
        at 8000 us: Input::Receive(&cts(OTHER, PEER, 6000))   => [Arm(Sequence, us(14000)), Action::Doze(true)];
        // A frame that arrives at the station while it dozes waits until DIFS after it.
    }
    let offer = station.offer();
    timeline! { station;
        at 9000 us:  Input::Send(offer)                       => [];
    }
    let woken = station.feed(us(14000), Input::Timer(Sequence));
    assert!(matches!(woken[..], [Arm(Access, at), Action::Doze(false)] if at >= us(14050)), "{woken:?}");
    assert_eq!(naps(&station), 2);
}

/// Data follow a CTS to its own sender, and that CTS does not name their receiver.
#[test]
fn where_a_cts_may_be_one_to_its_sender_only_an_rts_is_slept_through() {
    let protection = FrameProtection::CtsToSelf;
    let mut station = Station::new(DcfConfig { nav_doze: true, protection, ..ns2() });
    timeline! { station;
        at 0 us:    Input::Receive(&cts(PEER, PEER, 6000))    => [];
        at 7000 us: Input::Receive(&rts(PEER, OTHER, 7000))   => [Arm(Sequence, us(14000)), Action::Doze(true)];
    }
    assert_eq!(naps(&station), 1);
}

#[test]
fn it_sleeps_until_the_last_reservation_that_it_knows_of() {
    let mut station = dozing();
    let data = Frame { kind: FrameKind::Data, ..rts(FOURTH, PEER, 9000) };
    timeline! { station;
        at 0 us:   Input::Receive(&data)                      => []; // data are not slept through
        at 100 us: Input::Receive(&rts(PEER, OTHER, 500))     => [Arm(Sequence, us(9000)), Action::Doze(true)];
    }
}

#[test]
fn whoever_is_in_an_exchange_or_hears_that_nothing_is_reserved_stays_awake() {
    let mut station = dozing();
    timeline! { station;
        at 0 us:    Input::Receive(&cts(PEER, OTHER, 0))      => []; // a flagged CTS
        at 100 us:  Input::Receive(&rts(PEER, ME, 7046))      => [Arm(Sequence, us(110))];
        at 110 us:  Input::Timer(Sequence)                    => [Arm(Sequence, us(6836)), Transmit(cts(ME, PEER, 6732))];
        at 500 us:  Input::Receive(&rts(FOURTH, OTHER, 7000)) => [];
    }
    assert_eq!(naps(&station), 0);
}

#[test]
fn without_the_option_nobody_dozes() {
    let mut station = Station::new(ns2());
    timeline! { station;
        at 0 us: Input::Receive(&rts(PEER, OTHER, 7000)) => [];
    }
}
