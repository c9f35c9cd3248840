//! Rules of route discovery (RFC 4728 §8.2) that no single time line shows: what is told how often, to which node, and
//! when.

use super::rig::{Done, Rig, config, error, ms, nodes, reply};
use crate::routing::contract::{Action, Input};
use crate::routing::dsr::wire::Header;
use crate::routing::dsr::{DsrConfig, Learn};
use crate::units::{Dur, NodeId, SimTime};
use Done::{Forward, Found, Reply, Request};

fn plain() -> DsrConfig {
    DsrConfig { learn: Learn::Onward, ..config() }
}

/// Requests that a node makes for destinations that another layer of it wants, at these milliseconds.
fn requests(rig: &mut Rig, at: &[u64]) -> Vec<Header> {
    let mut headers = Vec::new();
    for (&at, to) in at.iter().zip(20..) {
        for action in rig.act(ms(at), Input::Wanted(NodeId(to))) {
            let Action::Send(message) = action else { continue };
            headers.push(Header::parse(&message.body).expect("its own codec"));
        }
    }
    headers
}

/// §8.2.1: each request has a number that its initiator has not used lately.
#[test]
fn each_request_has_the_next_number() {
    let made = requests(&mut Rig::new(plain()), &[0, 1, 2]);
    let ids: Vec<u16> = made.into_iter().filter_map(|header| header.request).map(|it| it.id).collect();
    assert_eq!(ids, [1, 2, 3]);
}

/// §3.4.4: an error goes with the next request; here for less than a second, as in ns-2.
#[test]
fn an_error_goes_with_requests_for_less_than_a_second() {
    for (at, aboard) in [(999, 1), (1000, 0)] {
        let mut rig = Rig::new(plain());
        let message = rig.message(error(2, 9, 1), &[2, 1], 1);
        rig.hear(ms(0), message, 2);
        assert_eq!(requests(&mut rig, &[at])[0].errors.len(), aboard, "{at} ms");
    }
    let mut silent = Rig::new(DsrConfig { gratuitous_errors: false, ..plain() });
    let message = silent.message(error(2, 9, 1), &[2, 1], 1);
    silent.hear(ms(0), message, 2);
    assert_eq!(requests(&mut silent, &[1])[0].errors.len(), 0);
}

/// §8.2.2 and BroadcastJitter in §9: relays wait for a random time within it.
#[test]
fn relayed_requests_are_spread_over_the_jitter() {
    let mut rig = Rig::new(DsrConfig { broadcast_jitter: Dur::from_ms(10), ..plain() });
    let mut delays = Vec::new();
    for id in 0..20 {
        let packet = rig.request(0, id, 9, &[], 255);
        for action in rig.act(ms(0), Input::Message { packet, from: NodeId(0) }) {
            delays.extend(if let Action::Forward { delay, .. } = action { Some(delay) } else { None });
        }
    }
    let (least, most) = (delays.iter().min().copied(), delays.iter().max().copied());
    assert!(delays.len() == 20 && least < most && most <= Some(Dur::from_ms(10)), "{delays:?}");
    // In ns-2 the target's answers are spread as well.
    let mut target = Rig::new(DsrConfig { reply_jitter: Dur::from_ms(10), ..plain() });
    let mut delays = Vec::new();
    for id in 0..20 {
        let packet = target.request(0, id, 1, &[], 255);
        delays.extend(target.sent(ms(0), packet, 0).iter().map(|message| message.delay));
    }
    assert!(delays.iter().min() < delays.iter().max() && delays.iter().all(|&it| it <= Dur::from_ms(10)));
}

/// §8.2.2: the hop limit is counted down before the request goes on, and a relay that learns both ways knows the way
/// back.
#[test]
fn a_request_goes_on_until_its_hop_limit_and_shows_the_way_back() {
    let mut rig = Rig::new(config());
    let last = rig.request(0, 7, 9, &[4], 2);
    assert_eq!(rig.hear(ms(0), last, 4), [Forward(99, 0)]);
    assert_eq!(rig.packets[last].ttl, 1);
    assert_eq!((rig.knows(ms(0), 0), rig.knows(ms(0), 4)), (Some(vec![1, 4, 0]), Some(vec![1, 4])));
    assert_eq!((rig.dsr.counters().rreq_forwarded, rig.dsr.counters().rreq_with_rerr), (1, 0));
    let telling = rig.request_with(error(5, 6, 0), (0, 8, 9), &[4], 2);
    assert_eq!(rig.hear(ms(0), telling, 4), [Forward(99, 0)]);
    assert_eq!((rig.dsr.counters().rreq_forwarded, rig.dsr.counters().rreq_with_rerr), (2, 1));
    let mut onward = Rig::new(plain());
    let request = onward.request(0, 7, 9, &[4], 2);
    onward.hear(ms(0), request, 4);
    assert_eq!(onward.knows(ms(0), 0), None);
}

/// A record that visits a node twice is malformed: no node answers it, or passes it on.
#[test]
fn a_request_that_has_gone_in_a_circle_ends() {
    let mut rig = Rig::new(plain());
    for (id, target) in [(7, 9), (8, 1)] {
        let circle = rig.request(0, id, target, &[4, 5, 4], 255);
        assert_eq!(rig.hear(ms(0), circle, 4), []);
    }
    assert_eq!(rig.packets.live(), 0);
}

/// §8.2.2: a target answers each copy, also where a node remembers one number only, and has seen a later one.
#[test]
fn a_target_answers_copies_that_are_older_than_what_it_has_relayed() {
    let mut rig = Rig::new(DsrConfig { request_ids: 1, ..plain() });
    let relayed = rig.request(0, 8, 9, &[], 255);
    assert_eq!(rig.hear(ms(0), relayed, 0), [Forward(99, 0)]);
    rig.packets.end(relayed, crate::wire::Fate::Delivered);
    let copy = rig.request(0, 7, 1, &[4], 255);
    assert_eq!(rig.hear(ms(1), copy, 4), [Reply(vec![0, 4, 1], 4)]);
    assert_eq!(rig.packets.live(), 0, "and it has come");
}

/// §8.2.4 and §8.2.5: a reply goes back over the reversed record, as a route of its own that no node has salvaged.
#[test]
fn a_reply_carries_the_way_back_and_the_way_there() {
    let mut rig = Rig::new(plain());
    let request = rig.request(0, 7, 1, &[4, 5], 255);
    let sent = rig.sent(ms(0), request, 5);
    let [message] = &sent[..] else { panic!("{sent:?}") };
    let header = Header::parse(&message.body).expect("its own codec");
    let route = header.route.expect("a route");
    assert_eq!((route.salvage, route.left, route.addresses), (0, 2, nodes(&[5, 4])));
    assert_eq!((header.reply, message.destination), (Some(nodes(&[4, 5, 1])), NodeId(0)));
    assert_eq!(rig.dsr.counters().rrep_originated, 1);
}

/// §8.2.3: a joined route of more than 15 hops is no answer.
#[test]
fn an_answer_from_the_cache_has_fifteen_hops_at_most() {
    for (relays, answered) in [(12, true), (13, false)] {
        let mut rig = Rig::knowing(plain(), &[&[1, 2, 9]]);
        let over: Vec<u32> = (20..20 + relays).collect();
        let request = rig.request(0, 7, 9, &over, 255);
        let done = rig.hear(ms(0), request, 19 + relays);
        assert_eq!(matches!(done[0], Reply(..)), answered, "{relays}: {done:?}");
    }
}

/// §8.2.5: an answer waits for its hops but one, and for a random part of another.
#[test]
fn answers_are_held_off_for_different_times_and_leave_at_the_very_instant() {
    let mut waits = Vec::new();
    let mut rig = Rig::knowing(DsrConfig { reply_hold_off: Dur::from_ms(10), ..plain() }, &[&[1, 2, 9]]);
    for id in 0..8 {
        let request = rig.request(0, id, 9, &[], 255);
        rig.hear(ms(0), request, 0);
        waits.push(rig.dsr.answers.next().saturating_since(SimTime::ZERO));
        let at = rig.dsr.answers.next();
        let early = rig.timer(at - Dur::from_ns(1));
        assert!(!early.iter().any(|done| matches!(done, Reply(..))), "{early:?}");
        assert_eq!(rig.timer(at), [Reply(vec![0, 1, 2, 9], 0)]);
    }
    assert!(waits.iter().all(|wait| (20..30).contains(&wait.whole(Dur::from_ms(1)))), "{waits:?}");
    assert!(waits.iter().min() < waits.iter().max(), "{waits:?}");
}

/// A better route in use spares the answer only to the node that uses it: another initiator still waits.
#[test]
fn an_answer_is_not_spared_by_a_route_of_another_initiator() {
    for (first, spared) in [(0, true), (8, false)] {
        let mut rig = Rig::knowing(DsrConfig { reply_hold_off: Dur::from_ms(10), ..plain() }, &[&[1, 2, 9]]);
        let request = rig.request(0, 7, 9, &[], 255);
        rig.hear(ms(0), request, 0);
        let data = rig.routed(&[first, 5, 6, 9], 1);
        rig.overhear(ms(5), data, first, 5);
        assert_eq!((rig.dsr.answers.next() == SimTime::MAX), spared, "{first}");
    }
}

/// §8.2.6: packets that wait leave as soon as there is a route, whatever taught it; a route to an initiator is one.
#[test]
fn a_request_frees_packets_that_wait_for_its_initiator() {
    let mut rig = Rig::new(plain());
    let packet = rig.packet(1, 0);
    rig.send(ms(0), packet);
    let request = rig.request(0, 7, 1, &[4], 255);
    assert_eq!(rig.hear(ms(5), request, 4), [Found(0), Reply(vec![0, 4, 1], 4), Forward(4, 0)]);
    let mut relay = Rig::new(config());
    let packet = relay.packet(1, 0);
    relay.send(ms(0), packet);
    let request = relay.request(0, 7, 9, &[4], 255);
    assert_eq!(relay.hear(ms(5), request, 4), [Found(0), Forward(99, 0), Forward(4, 0)]);
}

/// ns-2: a reply frees what waits at once, everything else that teaches a route at the next poll.
#[test]
fn where_the_buffer_is_polled_a_reply_frees_at_once_and_the_rest_waits_for_the_poll() {
    let polled = DsrConfig { poll: Dur::from_ms(30), ..plain() };
    let mut rig = Rig::new(polled.clone());
    let packet = rig.packet(1, 9);
    rig.send(ms(0), packet);
    let answer = rig.message(reply(&[1, 2, 9]), &[9, 2, 1], 2);
    assert!(rig.hear(ms(1), answer, 2).contains(&Forward(2, 0)));
    let mut rig = Rig::new(polled);
    let packet = rig.packet(1, 0);
    rig.send(ms(0), packet);
    let request = rig.request(0, 7, 1, &[4], 255);
    let done = rig.hear(ms(1), request, 4);
    assert!(!done.contains(&Forward(4, 0)), "{done:?}");
    let at = rig.dsr.waiting.poll_at();
    let done = rig.timer(at);
    assert!(done.contains(&Forward(4, 0)) && !done.contains(&Request(0, 1)), "{done:?}");
    assert!((30..=60).contains(&rig.dsr.waiting.poll_at().saturating_since(at).whole(Dur::from_ms(1))));
}

/// §8.1.5: a reply on its way counts its hops, and goes on with the last.
#[test]
fn a_reply_that_passes_counts_its_hops() {
    let mut rig = Rig::new(plain());
    let message = rig.message(reply(&[0, 1, 2, 9]), &[9, 2, 1, 0], 2);
    rig.packets[message].ttl = 2;
    assert_eq!(rig.hear(ms(0), message, 2), [Forward(0, 0)]);
    assert_eq!((rig.packets[message].ttl, rig.dsr.counters().rrep_forwarded), (1, 1));
    assert_eq!(rig.dsr.counters().rerr_forwarded, 0);
}
