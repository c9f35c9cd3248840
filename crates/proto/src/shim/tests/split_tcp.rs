//! Both ends of Split TCP.

use super::rig::{Answer, MSS, Rig, ack, arriving};
use crate::shim::SplitEndsConfig;
use crate::shim::contract::Shim;
use crate::shim::{Input, ShimConfig, ShimKind};
use crate::units::{Dur, SimTime};
use crate::wire::{Segment, flags};
use Answer::{Deliver, Replaced, Send, Swallowed, Wake};

fn config(ack_every: u32, window: u32) -> ShimConfig {
    let split_tcp = SplitEndsConfig { ack_every, ack_delay: Dur::from_ms(500), window };
    ShimConfig { kind: ShimKind::SplitTcp, split_tcp, ..ShimConfig::default() }
}

const fn ms(ms: u64) -> SimTime {
    SimTime::from_ms(ms)
}

fn data(number: u64) -> Segment {
    Segment { seq: number * MSS, len: MSS as u32, flags: flags::ACK, ..Segment::default() }
}

fn marked(segment: Segment) -> Segment {
    Segment { flags: segment.flags | flags::END_TO_END, ..segment }
}

/// With a window of so many segments.
fn with_window(segment: Segment, segments: u64) -> Segment {
    Segment { window: (segments * MSS) as u32, ..segment }
}

/// A source that has sent fifteen segments. The first proxy has all of them; the first left at 1 s.
fn source() -> Rig {
    let mut it = Rig::sender(&config(4, 40));
    assert_eq!(it.feed(ms(1000), Input::Leaving(&data(0))), [Wake(ms(4000))], "3 s at first (RFC 6298)");
    for number in 1..15 {
        assert_eq!(it.feed(ms(1000), Input::Leaving(&data(number))), []);
    }
    it.una = 15 * MSS;
    it
}

#[test]
fn a_local_ack_moves_the_window_no_further_than_that_from_end_to_end_allows() {
    let mut it = Rig::sender(&config(4, 40));
    it.feed(ms(1000), Input::Leaving(&data(0)));
    it.max_sent = 6 * MSS;
    let local = ack(5 * MSS);
    assert_eq!(it.feed(ms(1100), arriving(&local)), [Replaced(with_window(local, 3))], "8, twice 4");
    it.max_sent = 8 * MSS;
    let all = ack(8 * MSS);
    assert_eq!(it.feed(ms(1200), arriving(&all)), [Replaced(with_window(all, 0))]);
    it.max_sent = 15 * MSS;
    assert_eq!(it.feed(ms(1300), arriving(&all)), [Replaced(with_window(all, 7))], "what is outstanding");
    // TCP would ask for a window that no node but this end has closed.
    let probe = Segment { len: 1, ..data(5) };
    assert_eq!(it.feed(ms(1400), Input::Leaving(&probe)), [], "the last byte of a file");
    it.peer_window = 0;
    assert_eq!(it.feed(ms(1400), Input::Leaving(&probe)), [Swallowed]);
}

#[test]
fn the_destinations_own_ack_opens_the_window_from_end_to_end() {
    let mut it = source();
    // Eight of fifteen: the window was 8 and is 16 now; a round trip of 400 ms gives a timeout of 1.2 s.
    let own = marked(ack(8 * MSS));
    let answers = it.feed(ms(1400), arriving(&own));
    let update = with_window(ack(15 * MSS), 9);
    assert_eq!(
        answers,
        [Swallowed, Wake(ms(2600)), Deliver(update)][..2],
        "TCP waits for nothing: {update:?}"
    );
    // All of it: no timer.
    it.una = 14 * MSS;
    let own = marked(ack(15 * MSS));
    assert_eq!(
        it.feed(ms(1500), arriving(&own)),
        [Replaced(with_window(ack(15 * MSS), 23)), Wake(SimTime::MAX)]
    );
    it.una = 15 * MSS;
    assert_eq!(it.feed(ms(1600), arriving(&own)), [Swallowed], "an old one");
}

#[test]
fn what_is_not_acknowledged_from_end_to_end_goes_again_with_a_mark() {
    let mut it = source();
    it.feed(ms(1400), arriving(&marked(ack(3 * MSS))));
    // NORMAL to REPAIR: its first segment again; the timeout is doubled.
    assert_eq!(it.feed(ms(2600), Input::Timer), [Send(marked(data(3))), Wake(ms(5000))]);
    // An ACK below what had been sent: the next two, then three.
    let answers = it.feed(ms(2900), arriving(&marked(ack(4 * MSS))));
    assert_eq!(answers[..3], [Swallowed, Send(marked(data(4))), Send(marked(data(5)))]);
    let answers = it.feed(ms(3000), arriving(&marked(ack(6 * MSS))));
    let three = [6, 7, 8].map(|number| Send(marked(data(number))));
    assert_eq!(answers[1..4], three);
    assert_eq!(it.count("shim.retransmissions"), 6);
    // All that had been sent: NORMAL again, with half of the window, and as congestion
    // avoidance lets it grow.
    let own = marked(ack(15 * MSS));
    it.una = 14 * MSS;
    assert_eq!(it.feed(ms(3200), arriving(&own))[0], Replaced(with_window(ack(15 * MSS), 9)));
    assert_eq!(it.feed(ms(3300), Input::Timer), [], "it stands still");
}

#[test]
fn what_the_first_proxy_does_not_have_is_left_to_tcp() {
    let mut it = source();
    it.una = 3 * MSS;
    it.feed(ms(1400), arriving(&marked(ack(3 * MSS))));
    assert_eq!(it.feed(ms(2600), Input::Timer), [Wake(ms(3800))], "nothing of it, and no doubling");
    assert_eq!(it.count("shim.retransmissions"), 0);
    // The proxy has two more: these are repaired, and no others.
    it.una = 5 * MSS;
    assert_eq!(it.feed(ms(3800), Input::Timer), [Send(marked(data(3))), Wake(ms(6200))]);
    let answers = it.feed(ms(4000), arriving(&marked(ack(4 * MSS))));
    assert_eq!(answers[..2], [Swallowed, Send(marked(data(4)))]);
    assert_eq!(it.count("shim.retransmissions"), 2);
    it.feed(ms(4200), arriving(&marked(ack(5 * MSS))));
    assert_eq!(it.feed(ms(9000), Input::Timer)[..1], [Wake(ms(10_200))], "NORMAL again");
}

#[test]
fn a_timeout_doubles_until_the_destination_is_heard() {
    let mut it = source();
    for (at, next) in
        [(4000, 10_000), (10_000, 22_000), (22_000, 46_000), (46_000, 94_000), (94_000, 154_000)]
    {
        assert_eq!(it.feed(ms(at), Input::Timer), [Send(marked(data(0))), Wake(ms(next))]);
    }
}

#[test]
fn the_destination_acknowledges_now_and_then_or_when_it_is_asked() {
    let mut it = Rig::receiver(&config(3, 40));
    assert_eq!(it.feed(ms(0), arriving(&data(0))), [Wake(ms(500))]);
    assert_eq!(it.feed(ms(0), Input::Leaving(&ack(MSS))), [], "what TCP says is for the last proxy");
    it.feed(ms(10), arriving(&data(1)));
    assert_eq!(it.feed(ms(10), arriving(&ack(0))), [], "an ACK is not counted");
    assert_eq!(it.feed(ms(10), Input::Leaving(&ack(2 * MSS))), [], "the second");
    it.feed(ms(20), arriving(&data(2)));
    let own = [Send(marked(ack(3 * MSS))), Wake(SimTime::MAX)];
    assert_eq!(it.feed(ms(20), Input::Leaving(&ack(3 * MSS))), own, "the third");
    assert_eq!(it.feed(ms(30), arriving(&marked(data(0)))), [Wake(ms(530))]);
    assert_eq!(it.feed(ms(30), Input::Leaving(&ack(3 * MSS))), own, "at once");
    it.feed(ms(40), arriving(&data(3)));
    assert_eq!(it.feed(ms(540), Input::Timer), [Send(marked(ack(5 * MSS))), Wake(SimTime::MAX)], "late");
    assert_eq!(it.feed(ms(600), Input::Timer), [], "nothing to say");
}

/// TCP waits for the window that this end has closed. An ACK from the destination that is older than the proxy's opens
/// it; one that opens nothing does not reach TCP, which would take it for a duplicate ACK.
#[test]
fn an_old_ack_of_the_destination_tells_tcp_only_of_more_window() {
    let mut it = source();
    it.peer_window = 0;
    let update = with_window(ack(15 * MSS), 9);
    let answers = it.feed(ms(1400), arriving(&marked(ack(8 * MSS))));
    assert_eq!(answers, [Swallowed, Wake(ms(2600)), Deliver(update)]);
    // The window from end to end is full: 24 segments from the eighth on, all of them outstanding.
    let mut it = source();
    (it.peer_window, it.max_sent) = (0, 24 * MSS);
    assert_eq!(it.feed(ms(1400), arriving(&marked(ack(8 * MSS))))[2..], [Deliver(update)]);
    // At the ACK of the proxy itself: more window goes on to TCP, as much as before does not.
    for (before, passes) in [(22, true), (23, false), (24, false)] {
        let mut it = source();
        it.peer_window = before * MSS;
        let answers = it.feed(ms(1400), arriving(&marked(ack(15 * MSS))));
        let new = Replaced(with_window(ack(15 * MSS), 23));
        assert_eq!(answers[0], if passes { new } else { Swallowed }, "{before} segments before");
    }
}

/// RFC 6298 §2.3: the mean with a gain of 1/8, the variation with one of 1/4, and the timeout four variations above the
/// mean.
#[test]
fn the_timeout_from_end_to_end_follows_mean_and_variation_of_the_round_trip() {
    let mut it = source();
    let answers = it.feed(ms(3000), arriving(&marked(ack(8 * MSS))));
    assert_eq!(answers[1], Wake(ms(9000)), "2 s, and four times the half of it");
    it.feed(ms(3000), Input::Leaving(&data(15)));
    it.feed(ms(7000), arriving(&marked(ack(16 * MSS))));
    // The mean is (7 * 2 + 4) / 8 = 2.25 s, the variation (3 * 1 + |2 - 4|) / 4 = 1.25 s.
    assert_eq!(it.feed(ms(8000), Input::Leaving(&data(16))), [Wake(ms(15_250))]);
}

/// RFC 6298 §3 (Karn): what is sent again measures no round trip.
#[test]
fn a_segment_that_tcp_sends_again_is_not_timed_from_end_to_end() {
    let mut it = source();
    it.feed(ms(1400), arriving(&marked(ack(8 * MSS))));
    it.feed(ms(1500), Input::Leaving(&data(14)));
    it.feed(ms(9500), arriving(&marked(ack(15 * MSS))));
    assert_eq!(it.feed(ms(9500), Input::Leaving(&data(15))), [Wake(ms(10_700))], "1.2 s, as before");
}

/// RFC 6298 §2.4, §2.5: a second at least, a minute at most, however often it doubles.
#[test]
fn a_timeout_doubles_from_a_second_to_a_minute() {
    let mut it = source();
    it.feed(ms(1100), arriving(&marked(ack(3 * MSS)))); // a round trip of 100 ms
    let mut at = 2100;
    for next in [2, 4, 8, 16, 32, 60, 60] {
        let answers = it.feed(ms(at), Input::Timer);
        at += next * 1000;
        assert_eq!(answers, [Send(marked(data(3))), Wake(ms(at))]);
    }
}

#[test]
fn the_source_waits_for_its_timer_and_times_data_only() {
    let mut it = Rig::sender(&config(4, 40));
    assert_eq!(it.feed(ms(0), Input::Leaving(&ack(0))), [], "an ACK of its own is not acknowledged");
    let mut it = source();
    assert_eq!(it.feed(ms(3999), Input::Timer), [], "an old one");
    assert_eq!(it.feed(ms(4000), Input::Timer)[..1], [Send(marked(data(0)))]);
}

/// A file is complete when the destination has all of it, not when the first proxy has.
#[test]
fn what_is_unacknowledged_is_what_the_destination_has_not_acknowledged() {
    let mut it = source();
    it.feed(ms(1400), arriving(&marked(ack(3 * MSS))));
    assert_eq!(it.shim.unacknowledged(), Some(3 * MSS));
    assert_eq!(Rig::receiver(&config(4, 40)).shim.unacknowledged(), None);
    assert_eq!(Rig::sender(&ShimConfig::default()).shim.unacknowledged(), None);
}
