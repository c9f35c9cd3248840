//! Retries: windows, counters, limits, and which event resets which of them.

use super::station::*;
use crate::contract::{Cause, Outcome};
use crate::mac::{Action, DcfConfig, Input, Mac};
use crate::testing::{timeline, us};
use crate::units::{Bytes, SimTime};
use crate::wire::FrameKind;

const fn gave_up(cause: Cause, rts: u32, attempts: u32) -> Outcome {
    Outcome::GaveUp { cause, rts, attempts }
}

//  290  960   1090  1760   2270  2940     8070  8740   9610  10280     24630  25300     34310  34980
//  |RTS |4 sl | RTS |23 sl | RTS |254 sl | RTS |41 sl | RTS | 715 sl  | RTS  | 448 sl  | RTS   | given up
#[test]
fn seven_rts_without_a_cts_end_in_giving_up() {
    let mut station = Station::new(ns2());
    let offer = station.offer();
    let again = || Transmit(rts(ME, PEER, 7046));
    timeline! { station;
        at 0 us:     Input::Send(offer)      => [Arm(Access, us(290))];
        at 290 us:   Input::Timer(Access)    => [Arm(Sequence, us(960)), again()];
        at 960 us:   Input::Timer(Sequence)  => [Arm(Access, us(1090))];
        at 1090 us:  Input::Timer(Access)    => [Arm(Sequence, us(1760)), again()];
        at 1760 us:  Input::Timer(Sequence)  => [Arm(Access, us(2270))];
        at 2270 us:  Input::Timer(Access)    => [Arm(Sequence, us(2940)), again()];
        at 2940 us:  Input::Timer(Sequence)  => [Arm(Access, us(8070))];
        at 8070 us:  Input::Timer(Access)    => [Arm(Sequence, us(8740)), again()];
        at 8740 us:  Input::Timer(Sequence)  => [Arm(Access, us(9610))];
        at 9610 us:  Input::Timer(Access)    => [Arm(Sequence, us(10280)), again()];
        at 10280 us: Input::Timer(Sequence)  => [Arm(Access, us(24630))];
        at 24630 us: Input::Timer(Access)    => [Arm(Sequence, us(25300)), again()];
        at 25300 us: Input::Timer(Sequence)  => [Arm(Access, us(34310))];
        at 34310 us: Input::Timer(Access)    => [Arm(Sequence, us(34980)), again()];
        at 34980 us: Input::Timer(Sequence)  => [Action::Outcome(offer.packet, gave_up(Cause::RtsLimit, 7, 0))];
    }
    let counters = station.dcf.exchange.counters;
    assert_eq!((counters.rts_failures, counters.given_up_rts, counters.given_up_data), (7, 1, 0));
    assert_eq!(station.dcf.window(), 31);
    assert!(station.dcf.wants_frame());
}

//  966          7374   7692   7742   7822
//  | data        | no Ack | DIFS | 4 slots | RTS again
#[test]
fn a_missing_ack_starts_the_exchange_again_with_the_retry_bit() {
    let mut station = Station::new(ns2());
    let offer = station.offer();
    let mut again = data(ME, PEER, 1, offer.packet);
    again.retry = true;
    timeline! { station;
        at 0 us:    Input::Send(offer)                    => [Arm(Access, us(290))];
        at 290 us:  Input::Timer(Access)                  => [Arm(Sequence, us(960)), Transmit(rts(ME, PEER, 7046))];
        at 956 us:  Input::Receive(&cts(PEER, ME, 6732))  => [Arm(Sequence, us(966))];
        at 966 us:  Input::Timer(Sequence)                => [Arm(Sequence, us(7692)), Transmit(data(ME, PEER, 1, offer.packet))];
        at 7692 us: Input::Timer(Sequence)                => [Arm(Access, us(7822))];
        at 7822 us: Input::Timer(Access)                  => [Arm(Sequence, us(8492)), Transmit(rts(ME, PEER, 7046))];
        at 8488 us: Input::Receive(&cts(PEER, ME, 6732))  => [Arm(Sequence, us(8498))];
        at 8498 us: Input::Timer(Sequence)                => [Arm(Sequence, us(15224)), Transmit(again)];
    }
    assert_eq!(station.dcf.exchange.counters.ack_failures, 1);
}

#[test]
fn long_frames_are_given_up_after_four_data_attempts() {
    let mut station = Station::new(ns2());
    let offer = station.offer();
    let (outcome, sent) = station.serve(us(0), offer, |frame| frame.kind == FrameKind::Rts);
    assert_eq!(outcome, gave_up(Cause::DataLimit, 4, 4));
    assert_eq!(sent.iter().filter(|(_, frame)| frame.kind == FrameKind::Data).count(), 4);
    assert_eq!(station.dcf.exchange.counters.given_up_data, 1);
}

#[test]
fn short_frames_are_given_up_after_seven_data_attempts() {
    let mut station = Station::new(DcfConfig { rts_threshold: Bytes(1554), ..ns2() });
    let offer = station.offer();
    let (outcome, sent) = station.serve(us(0), offer, |_| false);
    assert_eq!(outcome, gave_up(Cause::DataLimit, 0, 7));
    assert!(sent.iter().all(|(_, frame)| frame.kind == FrameKind::Data));
    assert_eq!(sent.iter().filter(|(_, frame)| frame.retry).count(), 6);
}

/// A CTS resets the short counter, not the window; only an Ack or giving up resets the long one.
#[test]
fn a_cts_resets_the_rts_counter_alone() {
    // Six RTS fail, the seventh gets through, its data fail: three times over, then the fourth data frame fails.
    let mut station = Station::new(ns2());
    let offer = station.offer();
    let mut rts_sent = 0;
    let (outcome, sent) = station.serve(us(0), offer, |frame| {
        rts_sent += u32::from(frame.kind == FrameKind::Rts);
        frame.kind == FrameKind::Rts && rts_sent % 7 == 0
    });
    assert_eq!(outcome, gave_up(Cause::DataLimit, 4 * 7, 4));
    assert_eq!(sent.len(), 4 * 8);
    assert_eq!(station.dcf.exchange.counters.rts_failures, 4 * 6);
}

#[test]
fn the_window_grows_with_every_failure_and_a_cts_leaves_it() {
    let mut station = Station::new(ns2());
    let offer = station.offer();
    assert_eq!(station.dcf.window(), 31);
    timeline! { station;
        at 0 us:    Input::Send(offer)                    => [Arm(Access, us(290))];
        at 290 us:  Input::Timer(Access)                  => [Arm(Sequence, us(960)), Transmit(rts(ME, PEER, 7046))];
        at 960 us:  Input::Timer(Sequence)                => [Arm(Access, us(1090))];
        at 1090 us: Input::Timer(Access)                  => [Arm(Sequence, us(1760)), Transmit(rts(ME, PEER, 7046))];
        at 1756 us: Input::Receive(&cts(PEER, ME, 6732))  => [Arm(Sequence, us(1766))];
    }
    assert_eq!(station.dcf.window(), 63);
    station.feed(us(1766), Input::Timer(Sequence));
    assert_eq!(
        station.feed(us(8488), Input::Receive(&ack(PEER, ME))),
        [
            Arm(Sequence, SimTime::MAX),
            Action::Outcome(offer.packet, Outcome::Delivered { rts: 2, attempts: 1 })
        ]
    );
    assert_eq!(station.dcf.window(), 31);
}

#[test]
fn the_window_stops_at_its_maximum() {
    let mut station = Station::new(DcfConfig { short_retry_limit: 100, ..ns2() });
    let offer = station.offer();
    let mut seen = 0;
    station.serve(us(0), offer, |_| {
        seen += 1;
        seen > 9
    });
    let mut station = Station::new(DcfConfig { cw_max: 127, short_retry_limit: 10, ..ns2() });
    let offer = station.offer();
    let mut failures = 0;
    let (_, sent) = station.serve(us(0), offer, |_| {
        failures += 1;
        false
    });
    let longest = sent.windows(2).map(|pair| pair[1].0 - pair[0].0).max();
    assert!(longest.is_some_and(|gap| gap.as_us() < 670 + 50 + 127 * 20));
}

/// What a queue that keeps frames relies on: the old number, the retry bit, the counters afresh.
#[test]
fn a_frame_offered_again_goes_under_its_old_number_with_fresh_counters() {
    let mut station = Station::new(ns2());
    let kept = station.offer();
    let (outcome, _) = station.serve(us(0), kept, |_| false);
    assert_eq!(outcome, gave_up(Cause::RtsLimit, 7, 0));
    let other = station.offer();
    let (_, sent) = station.serve(us(100_000), other, |_| true);
    assert_eq!((sent[1].1.sequence, sent[1].1.retry), (2, false));
    let (outcome, sent) = station.serve(us(200_000), kept, |_| true);
    assert_eq!(outcome, Outcome::Delivered { rts: 1, attempts: 1 });
    assert_eq!((sent[1].1.sequence, sent[1].1.retry), (1, true));
    let (outcome, _) = station.serve(us(300_000), kept, |_| false);
    assert_eq!(outcome, gave_up(Cause::RtsLimit, 7, 0));
}

/// Under the standard's rules a station that has given up does not send the next frame at once.
#[test]
fn giving_up_is_followed_by_a_back_off_too() {
    let config = DcfConfig { short_retry_limit: 1, ..standard() };
    let mut station = Station::new(config);
    let (first, second) = (station.offer(), station.offer());
    timeline! { station;
        at 1000 us: Input::Send(first)       => [Arm(Access, us(1000))];
        at 1000 us: Input::Timer(Access)     => [Arm(Sequence, us(1686)), Transmit(rts(ME, PEER, 7046))];
        at 1686 us: Input::Timer(Sequence)   => [Action::Outcome(first.packet, gave_up(Cause::RtsLimit, 1, 0))];
        at 1686 us: Input::Send(second)      => [Arm(Access, us(1686 + 50 + 12 * 20))];
    }
}

/// With `early-reset` a CTS puts the window back too, and so does the answering of another station's frame.
#[test]
fn an_early_reset_puts_counter_and_window_back() {
    for (early, after_cts, after_data) in [(false, 63, 63), (true, 31, 31)] {
        let mut station = Station::new(DcfConfig { early_reset: early, ..ns2() });
        let offer = station.offer();
        station.feed(us(0), Input::Send(offer));
        station.feed(us(290), Input::Timer(Access));
        station.feed(us(960), Input::Timer(Sequence));
        assert_eq!(station.dcf.window(), 63);
        // Another's exchange: RTS, own CTS, data.
        let packet = station.packet();
        station.feed(us(970), Input::Receive(&rts(PEER, ME, 7046)));
        station.feed(us(980), Input::Timer(Sequence));
        station.feed(us(7702), Input::Receive(&data(PEER, ME, 9, packet)));
        assert_eq!(station.dcf.window(), after_data);
        // The own exchange: RTS again, CTS.
        let mut station = Station::new(DcfConfig { early_reset: early, ..ns2() });
        let offer = station.offer();
        station.feed(us(0), Input::Send(offer));
        station.feed(us(290), Input::Timer(Access));
        station.feed(us(960), Input::Timer(Sequence));
        station.feed(us(1090), Input::Timer(Access));
        station.feed(us(1756), Input::Receive(&cts(PEER, ME, 6732)));
        assert_eq!(station.dcf.window(), after_cts);
    }
}
