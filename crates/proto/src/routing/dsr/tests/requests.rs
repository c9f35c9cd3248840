//! Time lines of requests of others, and of replies that pass.

use super::rig::{Done, Rig, config, ms, reply};
use crate::routing::dsr::{DsrConfig, Learn};
use crate::units::Dur;
use Done::{Dropped, Forward, Reply, Timer};

/// Without what a relay learns by the way.
fn plain() -> DsrConfig {
    DsrConfig { learn: Learn::Onward, ..config() }
}

#[test]
fn a_relay_adds_itself_and_passes_the_first_copy_on() {
    let mut rig = Rig::new(plain());
    let (first, second) = (rig.request(0, 7, 9, &[4], 255), rig.request(0, 7, 9, &[5], 255));
    assert_eq!(rig.hear(ms(0), first, 4), [Forward(99, 0)]);
    let request = rig.header(first).and_then(|header| header.request).expect("a request");
    assert_eq!(request.addresses, super::rig::nodes(&[4, 1]));
    assert_eq!((rig.packets[first].ttl, rig.packets[first].source.0), (254, 0));
    assert_eq!(rig.hear(ms(1), second, 5), [], "the same again");
    let other = rig.request(5, 7, 9, &[], 255);
    assert_eq!(rig.hear(ms(2), other, 5), [Forward(99, 0)], "another's number");
}

#[test]
fn requests_end_at_their_initiator_at_a_relay_that_is_in_them_and_at_the_hop_limit() {
    let mut rig = Rig::new(plain());
    let own = rig.request(1, 7, 9, &[4], 255);
    let again = rig.request(0, 8, 9, &[1, 4], 255);
    let ring = rig.request(0, 9, 9, &[], 1);
    let relays: Vec<u32> = (20..35).collect();
    let long = rig.request(0, 10, 9, &relays, 255);
    for request in [own, again, ring, long] {
        assert_eq!(rig.hear(ms(0), request, 4), []);
    }
    assert_eq!(rig.packets.live(), 0, "each is at its end");
    let most = rig.request(0, 11, 9, &relays[..14], 255);
    assert_eq!(rig.hear(ms(0), most, 4), [Forward(99, 0)]);
}

#[test]
fn a_target_answers_every_copy_and_knows_the_way_back() {
    let mut rig = Rig::new(plain());
    let (first, second) = (rig.request(0, 7, 1, &[4], 255), rig.request(0, 7, 1, &[5], 255));
    assert_eq!(rig.hear(ms(0), first, 4), [Reply(vec![0, 4, 1], 4)]);
    assert_eq!(rig.hear(ms(1), second, 5), [Reply(vec![0, 5, 1], 5)]);
    assert_eq!(rig.knows(ms(1), 0), Some(vec![1, 4, 0]));
}

#[test]
fn only_the_highest_number_counts_where_the_table_has_one() {
    let mut rig = Rig::new(DsrConfig { request_ids: 1, ..plain() });
    for (id, passed) in [(7, true), (7, false), (5, false), (8, true), (65_535, false), (9, true)] {
        let request = rig.request(0, id, 9, &[], 255);
        assert_eq!(!rig.hear(ms(0), request, 0).is_empty(), passed, "{id}");
    }
    let mut rig = Rig::new(plain());
    for (id, passed) in [(7, true), (5, true), (7, false)] {
        let request = rig.request(0, id, 9, &[], 255);
        assert_eq!(!rig.hear(ms(0), request, 0).is_empty(), passed, "{id} of 16");
    }
}

#[test]
fn the_table_forgets_who_has_not_been_heard_for_longest() {
    let mut rig = Rig::new(DsrConfig { request_table: 2, ..plain() });
    for initiator in [3, 4, 5] {
        let request = rig.request(initiator, 1, 9, &[], 255);
        rig.hear(ms(0), request, initiator);
    }
    for (initiator, passed) in [(4, false), (5, false), (3, true)] {
        let request = rig.request(initiator, 1, 9, &[], 255);
        assert_eq!(!rig.hear(ms(0), request, initiator).is_empty(), passed, "{initiator}");
    }
}

#[test]
fn a_relay_answers_from_its_cache_without_loops_or_not_at_all() {
    let mut rig = Rig::knowing(plain(), &[&[1, 2, 3, 9]]);
    let request = rig.request(0, 7, 9, &[], 1);
    assert_eq!(rig.hear(ms(0), request, 0), [Reply(vec![0, 1, 2, 3, 9], 0)]);
    let over = rig.request(0, 8, 9, &[3], 255);
    assert_eq!(rig.hear(ms(0), over, 3), [Forward(99, 0)], "3 would be there twice");
    let mut deaf = Rig::knowing(DsrConfig { reply_from_cache: false, ..plain() }, &[&[1, 2, 9]]);
    let request = deaf.request(0, 7, 9, &[], 255);
    assert_eq!(deaf.hear(ms(0), request, 0), [Forward(99, 0)]);
    assert_eq!(rig.dsr.counters().cached_replies, 1);
}

#[test]
fn a_long_answer_waits_longer_and_not_at_all_if_a_better_route_is_in_use() {
    let hold = DsrConfig { reply_hold_off: Dur::from_ms(10), ..plain() };
    let mut rig = Rig::knowing(hold.clone(), &[&[1, 2, 9]]);
    let request = rig.request(0, 7, 9, &[], 255);
    let done = rig.hear(ms(0), request, 0);
    let [Timer(at)] = done[..] else { panic!("{done:?}") };
    assert!((20..30).contains(&at), "three hops: two and a bit of the third: {at}");
    assert_eq!(rig.timer(ms(at + 1)), [Reply(vec![0, 1, 2, 9], 0)]);
    for (route, told) in [(&[0, 5, 6, 7, 9][..], true), (&[0, 5, 6, 9], false), (&[0, 5, 6, 8], true)] {
        let mut rig = Rig::knowing(hold.clone(), &[&[1, 2, 9]]);
        let request = rig.request(0, 7, 9, &[], 255);
        rig.hear(ms(0), request, 0);
        let data = rig.routed(route, 1);
        rig.overhear(ms(5), data, 0, 5);
        assert_eq!(!rig.timer(ms(40)).is_empty(), told, "{route:?}");
    }
    // Nor if it has become wrong.
    let mut rig = Rig::knowing(hold, &[&[1, 2, 9]]);
    let request = rig.request(0, 7, 9, &[], 255);
    rig.hear(ms(0), request, 0);
    let wrong = rig.message(super::rig::error(2, 9, 0), &[2, 1], 1);
    rig.hear(ms(5), wrong, 2);
    assert_eq!(rig.timer(ms(40)), []);
}

#[test]
fn a_reply_goes_its_way_and_teaches_who_passes_it_on() {
    for (learns, knows) in [(true, Some(vec![1, 2, 9])), (false, None)] {
        let mut rig = Rig::new(DsrConfig { relay_learns_reply: learns, ..plain() });
        let message = rig.message(reply(&[0, 1, 2, 9]), &[9, 2, 1, 0], 2);
        assert_eq!(rig.hear(ms(0), message, 2), [Forward(0, 0)]);
        assert_eq!(rig.way(message), (vec![9, 2, 1, 0], 3));
        assert_eq!(rig.knows(ms(0), 9), knows);
        assert_eq!(rig.knows(ms(0), 0), Some(vec![1, 0]), "the way that it goes");
    }
    let mut rig = Rig::new(config());
    let message = rig.message(reply(&[0, 1, 2, 9]), &[9, 2, 1, 0], 2);
    rig.packets[message].ttl = 1;
    assert_eq!(rig.hear(ms(0), message, 2), [Dropped("expired")]);
}

#[test]
fn what_is_no_message_or_not_for_this_node_is_lost() {
    let mut rig = Rig::new(config());
    let elsewhere = rig.message(reply(&[0, 5, 9]), &[9, 5, 0], 1);
    assert_eq!(rig.hear(ms(0), elsewhere, 9), [Dropped("malformed")]);
    let protocol = crate::wire::Protocol::Dsr;
    let bytes = crate::testing::routing_message(&mut rig.packets, protocol, &[1, 2, 3]);
    assert_eq!(rig.hear(ms(0), bytes, 9), [Dropped("malformed")]);
    let other = crate::testing::routing_message(&mut rig.packets, crate::wire::Protocol::Dsdv, &[]);
    assert_eq!(rig.hear(ms(0), other, 9), [Dropped("malformed")]);
}
