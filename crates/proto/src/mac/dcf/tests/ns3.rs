//! The rules in which ns-3 differs from the standard, one by one.

use super::station::*;
use crate::contract::{Cause, Outcome};
use crate::mac::dcf::Times;
use crate::mac::{DcfConfig, Input, ResponseTimeout, Sensed};
use crate::testing::{timeline, us};
use crate::units::{Bitrate, Dur, SimTime};
use crate::wire::{Frame, FrameKind, PacketId};

/// The Ack goes at the highest basic rate not above the data frame's; durations follow, EIFS does not.
#[test]
fn an_ack_goes_at_its_own_rate() {
    let (with, without) = (Times::new(&ns3()), Times::new(&standard()));
    let answers = [&with, &without].map(|times| *times.answer(ns3().data_vector()));
    assert_eq!(answers.map(|it| it.ack), [248, 304].map(Dur::from_us));
    assert_eq!((with.cts, with.eifs()), (without.cts, without.eifs()));
    assert_eq!(answers[1].around_data - answers[0].around_data, Dur::from_us(56));
    let slow = DcfConfig { data_rate: Bitrate::from_mbps(1), ..ns3() };
    assert_eq!(Times::new(&slow).answer(slow.data_vector()).ack, Dur::from_us(304));
}

//  0           10         258    308
//  | data ends | own Ack  | DIFS | RTS without a slot
#[test]
fn a_frame_that_comes_in_the_sifs_before_the_own_ack_needs_no_back_off() {
    let mut station = Station::new(ns3());
    let (packet, offer) = (station.packet(), station.offer());
    let received = PacketId(offer.packet.0 + 1);
    timeline! { station;
        at 0 us:   Input::Receive(&data(PEER, ME, 7, packet))  => [Arm(Sequence, us(10)), Deliver { packet: received, from: PEER }];
        at 0 us:   Input::Send(offer)                          => [];
        at 10 us:  Input::Timer(Sequence)                      => [Transmit(Frame { tx: crate::testing::TX, airtime: Dur::from_us(248), ..ack(ME, PEER) }), Arm(Access, us(308))];
        at 308 us: Input::Timer(Access)                        => [Arm(Sequence, us(308 + 352 + 222)), Transmit(rts(ME, PEER, 6990))];
    }
}

//  0    1000  1050
//  | EIFS of a frame that ended at 800 | a carrier that begins meanwhile moves the access and draws nothing
#[test]
fn an_idle_medium_is_one_that_carries_nothing_now() {
    let mut station = Station::new(ns3());
    let offer = station.offer();
    timeline! { station;
        at 0 us:    Sensed::Undecodable(us(800)) => [];
        at 900 us:  Input::Send(offer)           => [Arm(Access, us(1164))]; // EIFS: 364 us
        at 1000 us: Sensed::Carrier(us(1500))    => [Arm(Access, us(1550))];
    }
    assert_eq!(station.dcf.window(), 31);
    let mut busy = Station::new(ns3());
    let offer = busy.offer();
    timeline! { busy;
        at 0 us:   Sensed::Carrier(us(800)) => [];
        at 500 us: Input::Send(offer)       => [Arm(Access, us(850 + 12 * 20))];
    }
}

//  50   402  624            402   700 ... 1000
//  |RTS |222 us: nothing     |RTS | a frame is being received by then: until it ends
#[test]
fn a_timeout_waits_for_the_start_of_the_response() {
    let carrier = |end| Sensed::Carrier(us(end));
    for (sensed, until) in
        [(None, 624), (Some(carrier(1000)), 624), (Some(Sensed::Receiving(us(1000))), 1000)]
    {
        let mut station = Station::new(ns3());
        let offer = station.offer();
        timeline! { station;
            at 0 us:  Input::Send(offer)    => [Arm(Access, us(50))];
            at 50 us: Input::Timer(Access)  => [Arm(Sequence, us(624)), Transmit(rts(ME, PEER, 6990))];
        }
        if let Some(sensed) = sensed {
            assert_eq!(station.feed(us(600), sensed), []);
        }
        if until > 624 {
            assert_eq!(station.feed(us(624), Input::Timer(Sequence)), [Arm(Sequence, us(until))]);
        }
        assert_eq!(station.dcf.exchange.counters.rts_failures, 0);
        station.feed(us(until), Input::Timer(Sequence));
        assert_eq!(station.dcf.exchange.counters.rts_failures, 1);
    }
}

/// Two RTS and their data fail in turn: seven attempts in all, of either kind, and the window stays wide.
#[test]
fn a_frame_has_one_retry_count_and_a_give_up_leaves_the_window_wide() {
    let mut station = Station::new(DcfConfig { response_timeout: ResponseTimeout::End, ..ns3() });
    let offer = station.offer();
    let mut rts_sent = 0;
    let (outcome, sent) = station.serve(us(0), offer, |frame| {
        rts_sent += u32::from(frame.kind == FrameKind::Rts);
        frame.kind == FrameKind::Rts && rts_sent % 2 == 0
    });
    // RTS fails, RTS + data fails, RTS fails, RTS + data fails, ...: seven failures.
    assert_eq!(outcome, Outcome::GaveUp { cause: Cause::RtsLimit, rts: 7, attempts: 3 });
    assert_eq!(sent.len(), 10);
    assert_eq!(station.dcf.window(), 1023);
    // An Ack narrows it.
    let second = station.offer();
    let mut windows = Vec::new();
    let (outcome, _) = station.serve(us(1_000_000), second, |frame| {
        windows.push(frame.kind);
        windows.len() > 1
    });
    assert_eq!(outcome, Outcome::Delivered { rts: 2, attempts: 1 });
    assert_eq!(station.dcf.window(), 31);
}

#[test]
fn the_failure_after_seven_narrows_a_window_that_was_kept() {
    let mut station = Station::new(ns3());
    let (first, second) = (station.offer(), station.offer());
    let (outcome, _) = station.serve(us(0), first, |_| false);
    assert_eq!(outcome, Outcome::GaveUp { cause: Cause::RtsLimit, rts: 7, attempts: 0 });
    assert_eq!(station.dcf.window(), 1023);
    let mut now = us(1_000_000);
    let mut wake = station.feed(now, Input::Send(second));
    for _ in 0..2 {
        let at = wake.iter().find_map(|action| match action {
            Arm(_, at) if *at != SimTime::MAX => Some(*at),
            _ => None,
        });
        now = at.expect("a timer");
        let timer =
            if wake.iter().any(|action| matches!(action, Arm(Sequence, _))) { Sequence } else { Access };
        wake = station.feed(now, Input::Timer(timer));
    }
    assert_eq!(station.dcf.exchange.counters.rts_failures, 8);
    assert_eq!(station.dcf.window(), 31);
}
