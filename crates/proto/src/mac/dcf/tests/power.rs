//! A station that goes down and comes back.

use super::station::*;
use crate::contract::{Held, Outcome};
use crate::mac::{Action, Input, Mac, Sensed};
use crate::testing::{timeline, us};
use crate::units::Dur;

//  290   500           700           1000
//  | RTS | down         | (CTS)        | up: as good as new
#[test]
fn going_down_gives_the_frame_back_and_ends_every_exchange() {
    let mut station = Station::new(ns2());
    let (first, second) = (station.offer(), station.offer());
    timeline! { station;
        at 0 us:    Input::Send(first)                       => [Arm(Access, us(290))];
        at 290 us:  Input::Timer(Access)                     => [Arm(Sequence, us(960)), Transmit(rts(ME, PEER, 7046))];
        at 500 us:  Input::Power(false)                      => [Action::Outcome(first.packet, Outcome::Held(Held::NoRoute))];
    }
    assert!(!station.dcf.wants_frame());
    timeline! { station;
        at 700 us:  Input::Receive(&cts(PEER, ME, 6732))     => [];
        at 800 us:  Input::Receive(&rts(PEER, ME, 7046))     => [];
        at 960 us:  Input::Timer(Sequence)                   => [];
        at 1000 us: Input::Power(true)                       => [];
    }
    assert!(station.dcf.wants_frame());
    timeline! { station;
        at 2000 us: Input::Send(second)                      => [Arm(Access, us(2000 + 50 + 2 * 20))];
        at 2090 us: Input::Timer(Access)                     => [Arm(Sequence, us(2760)), Transmit(rts(ME, PEER, 7046))];
    }
}

#[test]
fn a_station_that_answers_goes_down_silently() {
    let mut station = Station::new(ns2());
    timeline! { station;
        at 0 us:  Input::Receive(&rts(PEER, ME, 7046))  => [Arm(Sequence, us(10))];
        at 5 us:  Input::Power(false)                   => [];
        at 10 us: Input::Timer(Sequence)                => [];
    }
    assert_eq!(station.dcf.exchange.counters.frames(), 0);
}

/// Counters are readings of a meter: they never fall.
#[test]
fn the_busy_time_survives_a_power_cycle() {
    let mut station = Station::new(ns2());
    timeline! { station;
        at 0 us:    Sensed::Carrier(us(1000))  => [];
        at 1500 us: Input::Power(false)       => [];
        at 1600 us: Input::Power(true)        => [];
        at 2000 us: Sensed::Carrier(us(2100))  => [];
    }
    assert_eq!(station.dcf.busy_time(crate::units::SimTime::MAX), Dur::from_us(1100));
}
