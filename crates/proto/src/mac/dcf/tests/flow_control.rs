//! Flagged CTS, holds, forced RTS; and silence instead.

use super::station::*;
use crate::contract::{Held, Hold, Outcome};
use crate::mac::{Action, DcfConfig, FlowControlConfig, FlowRule, Input, Mac};
use crate::testing::{timeline, us};
use crate::units::{Dur, SimTime};
use crate::wire::Frame;

fn with(rule: FlowRule) -> DcfConfig {
    DcfConfig { flow_control: FlowControlConfig { rule, most_holds: 3, longest_hold: 4 }, ..ns2() }
}

fn flagged(frame: Frame) -> Frame {
    Frame { more: true, ..frame }
}

fn counts(station: &Station) -> Vec<u64> {
    let mut values = Vec::new();
    station.dcf.each_counter(&mut |name, value| {
        if ["mac.cts-flagged", "mac.cts-withheld", "mac.held", "mac.rts-forced"].contains(&name) {
            values.push(value);
        }
    });
    values
}

#[test]
fn a_full_queue_answers_with_a_flagged_cts_that_reserves_nothing() {
    let mut station = Station::new(with(FlowRule::FlaggedCts));
    station.behind = Behind(0);
    timeline! { station;
        at 0 us:    Input::Receive(&rts(PEER, ME, 7046))           => [Arm(Sequence, us(10))];
        at 10 us:   Input::Timer(Sequence)                         => [Transmit(flagged(cts(ME, PEER, 0)))];
        // It awaits nothing: the next RTS is answered, and with room as ever.
        at 1000 us: Input::Receive(&rts(OTHER, ME, 7046))          => [Arm(Sequence, us(1010))];
    }
    station.behind = Behind(1);
    timeline! { station;
        at 1010 us: Input::Timer(Sequence) => [Arm(Sequence, us(7736)), Transmit(cts(ME, OTHER, 6732))];
    }
    assert_eq!(counts(&station), [1, 0, 0, 0]);
}

//  0   50     100  110          414  464           664
//  |DIFS| 2 slots | RTS | flagged CTS | DIFS | 10 slots | its own RTS
#[test]
fn its_own_back_off_goes_on_when_the_flagged_cts_is_over() {
    let mut station = Station::new(with(FlowRule::FlaggedCts));
    station.behind = Behind(0);
    let offer = station.offer();
    timeline! { station;
        at 0 us:   Input::Send(offer)                    => [Arm(Access, us(290))];
        at 100 us: Input::Receive(&rts(OTHER, ME, 7046)) => [Arm(Access, SimTime::MAX), Arm(Sequence, us(110))];
        at 110 us: Input::Timer(Sequence)                => [Transmit(flagged(cts(ME, OTHER, 0))), Arm(Access, us(664))];
        at 664 us: Input::Timer(Access)                  => [Arm(Sequence, us(1334)), Transmit(rts(ME, PEER, 7046))];
    }
}

#[test]
fn a_forced_rts_is_answered_as_ever() {
    let mut station = Station::new(with(FlowRule::FlaggedCts));
    station.behind = Behind(0);
    timeline! { station;
        at 0 us:  Input::Receive(&flagged(rts(PEER, ME, 7046))) => [Arm(Sequence, us(10))];
        at 10 us: Input::Timer(Sequence)                        => [Arm(Sequence, us(6736)), Transmit(cts(ME, PEER, 6732))];
    }
}

#[test]
fn what_a_forced_rts_brings_is_marked_until_it_goes_on() {
    for (forced, rule) in [(true, FlowRule::FlaggedCts), (false, FlowRule::FlaggedCts), (true, FlowRule::Off)]
    {
        let mut station = Station::new(with(rule));
        let packet = station.packet();
        station.feed(us(0), Input::Receive(&Frame { more: forced, ..rts(PEER, ME, 7046) }));
        station.feed(us(10), Input::Timer(Sequence));
        let came = station.feed(us(6732), Input::Receive(&data(PEER, ME, 1, packet)));
        let [Arm(Sequence, _), Deliver { packet: copy, from: PEER }] = came[..] else { panic!("{came:?}") };
        let marked = forced && rule == FlowRule::FlaggedCts;
        assert_eq!(station.packets[copy].forced, marked, "{forced} {rule:?}");
        // Ack; then the same packet without an announcement, and its way on.
        station.feed(us(6742), Input::Timer(Sequence));
        let plain = station.feed(us(20_000), Input::Receive(&data(PEER, ME, 2, packet)));
        let [Arm(Sequence, _), Deliver { packet: other, .. }] = plain[..] else { panic!("{plain:?}") };
        assert!(!station.packets[other].forced);
        station.feed(us(20_010), Input::Timer(Sequence));
        station.feed(us(30_000), Input::Send(offer_of(copy)));
        assert!(!station.packets[copy].forced, "that was the hop before");
    }
}

#[test]
fn a_forced_rts_whose_data_do_not_come_is_forgotten() {
    let mut station = Station::new(with(FlowRule::FlaggedCts));
    station.behind = Behind(0);
    timeline! { station;
        at 0 us:    Input::Receive(&flagged(rts(PEER, ME, 7046))) => [Arm(Sequence, us(10))];
        at 10 us:   Input::Timer(Sequence)                        => [Arm(Sequence, us(6736)), Transmit(cts(ME, PEER, 6732))];
        at 6736 us: Input::Timer(Sequence)                        => [];
        at 7000 us: Input::Receive(&rts(OTHER, ME, 7046))         => [Arm(Sequence, us(7010))];
        at 7010 us: Input::Timer(Sequence)                        => [Transmit(flagged(cts(ME, OTHER, 0)))];
    }
}

#[test]
fn who_may_not_answer_says_nothing_of_its_queue_either() {
    let mut station = Station::new(with(FlowRule::FlaggedCts));
    station.behind = Behind(0);
    timeline! { station;
        at 0 us:    Input::Receive(&cts(OTHER, FOURTH, 6732)) => [];
        at 1000 us: Input::Receive(&rts(PEER, ME, 7046))      => [Arm(Sequence, us(1010))];
        at 1010 us: Input::Timer(Sequence)                    => [];
    }
    assert_eq!(counts(&station), [0; 4]);
}

#[test]
fn without_flow_control_a_full_queue_changes_nothing_and_silence_is_silence() {
    for (rule, answer) in [
        (FlowRule::Off, vec![Arm(Sequence, us(6736)), Transmit(cts(ME, PEER, 6732))]),
        (FlowRule::NoCts, vec![]),
    ] {
        let mut station = Station::new(with(rule));
        station.behind = Behind(0);
        station.feed(us(0), Input::Receive(&rts(PEER, ME, 7046)));
        assert_eq!(station.feed(us(10), Input::Timer(Sequence)), answer);
        let none: &[u64] = if rule == FlowRule::Off { &[] } else { &[0, 1, 0, 0] };
        assert_eq!(counts(&station), none);
    }
}

/// Offers a frame, and answers its RTS so; what the station says of it, the RTS, and when that went.
fn attempt(station: &mut Station, at: SimTime, answer: Frame) -> (Vec<Action>, Frame, SimTime) {
    let offer = station.offer();
    let mut now = at;
    let mut actions = station.feed(now, Input::Send(offer));
    while let [Arm(Access, wake)] = actions[..] {
        now = wake;
        actions = station.feed(now, Input::Timer(Access));
    }
    let Some(&Transmit(sent)) = actions.last() else { panic!("no RTS: {actions:?}") };
    let end = now + Dur::from_us(352 + 10 + 304);
    (station.feed(end, Input::Receive(&answer)), sent, end)
}

/// RTS, CTS, data, Ack and three SIFS.
const EXCHANGE: Dur = Dur::from_us(7398);

#[test]
fn a_flagged_cts_holds_the_frame_for_one_exchange_two_four_and_then_the_rts_is_forced() {
    let mut station = Station::new(with(FlowRule::FlaggedCts));
    let mut at = us(0);
    for times in [1, 2, 4] {
        let (actions, sent, end) = attempt(&mut station, at, flagged(cts(PEER, ME, 0)));
        assert!(!sent.more);
        let until = end + EXCHANGE * times;
        assert!(
            matches!(actions[..], [Arm(Sequence, SimTime::MAX), Action::Hold(hold), Action::Outcome(_, Outcome::Held(Held::Peer))]
                if hold == Hold::Neighbour(PEER, until)),
            "{actions:?}"
        );
        assert!(station.dcf.wants_frame());
        assert_eq!(station.dcf.window(), 31, "no failure");
        at = until;
    }
    let (actions, sent, end) = attempt(&mut station, at, flagged(cts(PEER, ME, 0)));
    assert!(sent.more, "forced");
    assert!(actions.contains(&Action::Hold(Hold::Neighbour(PEER, end + EXCHANGE * 4))), "never longer");
    assert_eq!(counts(&station), [0, 0, 4, 1]);
    assert_eq!(station.dcf.exchange.counters.rts_failures, 0);
}

#[test]
fn a_cts_ends_the_holds() {
    let mut station = Station::new(with(FlowRule::FlaggedCts));
    for _ in 0..2 {
        attempt(&mut station, us(0), flagged(cts(PEER, ME, 0)));
    }
    let (actions, _, end) = attempt(&mut station, SimTime::from_secs(1), cts(PEER, ME, 6732));
    assert_eq!(actions, [Arm(Sequence, end + Dur::from_us(10))]);
    let data = end + Dur::from_us(10);
    station.feed(data, Input::Timer(Sequence));
    station.feed(data + Dur::from_us(6408 + 314), Input::Receive(&ack(PEER, ME)));
    let (actions, _, end) = attempt(&mut station, SimTime::from_secs(2), flagged(cts(PEER, ME, 0)));
    assert!(actions.contains(&Action::Hold(Hold::Neighbour(PEER, end + EXCHANGE))), "one exchange again");
}

#[test]
fn a_neighbour_that_is_heard_sending_data_is_asked_again_at_once() {
    let mut station = Station::new(with(FlowRule::FlaggedCts));
    let (_, _, end) = attempt(&mut station, us(0), flagged(cts(PEER, ME, 0)));
    let packet = station.packet();
    let at = end + Dur::from_us(1000);
    // Others, and other frames of it, say nothing of its queue.
    assert_eq!(station.feed(at, Input::Receive(&data(OTHER, FOURTH, 1, packet))), []);
    assert_eq!(station.feed(at, Input::Receive(&cts(PEER, OTHER, 0))), []);
    let heard = Input::Receive(&data(PEER, OTHER, 1, packet));
    assert_eq!(station.feed(at, heard), [Action::Hold(Hold::Neighbour(PEER, at)), Action::Ready]);
    let again = Input::Receive(&data(PEER, OTHER, 2, packet));
    assert_eq!(station.feed(at, again), [], "nothing is held any more");
}
