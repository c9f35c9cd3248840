//! The parameters of RFC 3561 §10, and what each key may be.

use crate::routing::aodv::AodvConfig;
use crate::units::Dur;
use crate::units::range::{LONGEST, MOST};

/// §10, where LOCAL_ADD_TTL is a constant, and MIN_REPAIR_TTL is the last route's hops; §6.12 has no number of packets
/// that wait. Those of them that follow from others follow.
#[test]
fn they_are_those_of_the_rfc() {
    let c = AodvConfig::default();
    assert_eq!((c.active_timeout, c.my_route_timeout), (Dur::from_secs(3), c.active_timeout * 2));
    assert_eq!((c.allowed_hello_loss, c.hello_interval), (2, Dur::from_secs(1)));
    assert_eq!(
        (c.diameter, c.node_traversal, c.net_traversal()),
        (35, Dur::from_ms(40), Dur::from_ms(2_800))
    );
    assert_eq!((c.rreq_retries, c.rreq_limit, c.rerr_limit), (2, 10, 10));
    assert_eq!((c.ttl_start, c.ttl_increment, c.ttl_threshold, c.timeout_buffer), (1, 2, 7, 2));
    assert_eq!(c.ring_traversal(3), c.node_traversal * (2 * (3 + 2)));
    assert_eq!(c.rreq_memory, c.net_traversal() * 2, "PATH_DISCOVERY_TIME");
    assert_eq!(c.blacklist_timeout(), c.net_traversal() * u64::from(c.rreq_retries));
    let once = [0, 1].map(|rreq_retries| AodvConfig { rreq_retries, ..c.clone() }.blacklist_timeout());
    assert_eq!(once, [c.net_traversal(); 2], "without retries for one search as well");
    assert_eq!(c.delete_period, c.active_timeout * 5, "K = 5");
    assert_eq!(c.next_hop_wait(), c.node_traversal + Dur::from_ms(10));
    assert_eq!(c.max_repair_ttl(), 10, "0.3 of the diameter");
    assert_eq!((c.buffer, c.buffer_age), (64, Dur::from_secs(30)));
    assert_eq!(c.broadcast_jitter, Dur::from_ms(10), "the RFC leaves it open; what ns-2 has");
    assert_eq!(c.lifetime_unit, Dur::from_ms(1), "as replies count it");
    for none in [c.reverse_life, c.purge, c.rreq_hold, c.rreq_memory_tick, c.message_delay, c.buffer_spacing]
    {
        assert_eq!(none, Dur::ZERO, "the RFC knows of no such thing, or has a formula");
    }
    assert!(c.accept_equal_if_broken && !c.reply_through_asker && !c.destination_only && !c.gratuitous);
    assert!(c.rrep_feedback && !c.rrep_ack && c.neighbour_routes && c.reboot_wait);
}

/// The key that is refused.
fn refused(change: impl FnOnce(&mut AodvConfig)) -> Option<String> {
    let mut config = AodvConfig::default();
    change(&mut config);
    config.check().err().map(|wrong| wrong.key)
}

#[test]
fn times_lie_between_nothing_or_the_least_that_makes_sense_and_115_days() {
    type Set = fn(&mut AodvConfig, Dur);
    // Between two beats something else has to have its turn.
    let (least, beat) = (Dur::from_ns(1), Dur::from_ms(1));
    let keys: [(&str, Set, bool, Dur); 14] = [
        ("active-timeout", |c, it| c.active_timeout = it, false, least),
        ("my-route-timeout", |c, it| c.my_route_timeout = it, false, least),
        ("reverse-life", |c, it| c.reverse_life = it, true, least),
        ("delete-period", |c, it| c.delete_period = it, true, least),
        ("purge", |c, it| c.purge = it, true, beat),
        ("lifetime-unit", |c, it| c.lifetime_unit = it, false, least),
        ("node-traversal", |c, it| c.node_traversal = it, false, least),
        ("rreq-hold", |c, it| c.rreq_hold = it, true, least),
        ("rreq-memory", |c, it| c.rreq_memory = it, false, least),
        ("rreq-memory-tick", |c, it| c.rreq_memory_tick = it, true, least),
        ("broadcast-jitter", |c, it| c.broadcast_jitter = it, true, least),
        ("message-delay", |c, it| c.message_delay = it, true, least),
        ("hello-interval", |c, it| c.hello_interval = it, false, beat),
        ("buffer-age", |c, it| c.buffer_age = it, false, least),
    ];
    for (key, set, none, least) in keys {
        assert_eq!(refused(|c| set(c, Dur::ZERO)), (!none).then(|| key.to_owned()));
        for it in [least, LONGEST] {
            assert_eq!(refused(|c| set(c, it)), None, "{key}");
        }
        let shorter = least - Dur::from_ns(1);
        for it in [shorter, LONGEST + Dur::from_ns(1)] {
            assert_eq!(refused(|c| set(c, it)).is_none(), it == Dur::ZERO && none, "{key}");
        }
    }
    assert_eq!(refused(|c| c.buffer_spacing = LONGEST), None);
    assert_eq!(refused(|c| c.buffer_spacing = LONGEST + Dur::from_ns(1)), Some("buffer-spacing".to_owned()));
}

#[test]
fn numbers_lie_within_what_makes_sense() {
    type Set = fn(&mut AodvConfig, u32);
    let keys: [(&str, Set, u32, u32); 9] = [
        ("diameter", |c, it| (c.diameter, c.ttl_threshold) = (it as u8, 1), 1, 255),
        ("ttl-start", |c, it| c.ttl_start = it as u8, 1, 35),
        ("ttl-increment", |c, it| c.ttl_increment = it as u8, 1, 255),
        ("ttl-threshold", |c, it| c.ttl_threshold = it as u8, 0, 35),
        ("rreq-retries", |c, it| c.rreq_retries = it, 0, 16),
        ("rreq-limit", |c, it| c.rreq_limit = it, 0, MOST),
        ("rerr-limit", |c, it| c.rerr_limit = it, 0, MOST),
        ("allowed-hello-loss", |c, it| c.allowed_hello_loss = it, 1, MOST),
        ("buffer", |c, it| c.buffer = it, 1, MOST),
    ];
    for (key, set, least, most) in keys {
        for it in [least, most] {
            assert_eq!(refused(|c| set(c, it)), None, "{key} = {it}");
        }
        if let Some(less) = least.checked_sub(1) {
            assert_eq!(refused(|c| set(c, less)), Some(key.to_owned()));
        }
        if most != 255 {
            assert_eq!(refused(|c| set(c, most + 1)), Some(key.to_owned()));
        }
    }
}
