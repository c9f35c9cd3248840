//! Link RED: the average of retries, and what it does to heads.

use super::rig::{Answer::*, Do::*, Rig};
use crate::queue::{Aqm, AqmKind, Leaving, LinkRed, LinkRedConfig, QueueConfig, Served, Verdict};
use crate::testing::{timeline, us};
use crate::units::{Bytes, Dur, Entity, Purpose, Rng, SimTime};
use crate::wire::DropReason::EarlyDrop;
use crate::wire::{PacketId, Payload, flags};

const HEAD: Leaving =
    Leaving { packet: PacketId::NONE, size: Bytes(100), waited: Dur::ZERO, left: 0, ecn: false };

fn link_red(config: LinkRedConfig) -> LinkRed {
    config.check().expect("it can be used");
    LinkRed::new(config, Rng::stream(1, 1, Entity::Node("0"), Purpose::Aqm))
}

#[test]
fn the_probability_grows_with_the_retries_up_to_its_limit() {
    let config = LinkRedConfig { max_p: 0.5, weight: 0.5, ..LinkRedConfig::default() };
    let mut link_red = link_red(config);
    for (attempts, probability) in [
        (1, 0.0),          // average 0
        (3, 0.0),          // 1: the threshold
        (3, 0.5 / 3.0),    // 1.5
        (3, 0.75 / 3.0),   // 1.75
        (7, 0.5),          // 3.875
        (1, 0.9375 / 3.0), // 1.9375
        (1, 0.0),          // 0.97
    ] {
        link_red.served(SimTime::ZERO, &Served { attempts, delivered: attempts < 7 });
        assert!((link_red.probability() - probability).abs() < 1e-12, "{}", link_red.probability());
    }
}

/// Six retries and more: every head is chosen; marked if it can be, dropped otherwise.
fn certain() -> Rig {
    let link_red = LinkRedConfig { min_threshold: 1.0, max_threshold: 2.0, max_p: 1.0, weight: 1.0 };
    Rig::new(QueueConfig { aqm: AqmKind::LinkRed, link_red, ..QueueConfig::default() })
}

#[test]
fn heads_behind_one_that_was_tried_often_are_dropped_or_marked() {
    let mut rig = certain();
    timeline! { rig;
        at 0 us: PutData(0)          => [];
        at 0 us: PutData(0)          => [];
        at 0 us: PutData(flags::ECT) => [];
        at 0 us: PutData(0)          => [];
        at 1 us: Serve               => [Offered(1)];
        at 2 us: GaveUp              => [Dropped(1, crate::wire::DropReason::RetryLimitRts)];
        at 2 us: Serve               => [Dropped(2, EarlyDrop), Offered(3)];
        at 3 us: Delivered           => [];   // the first time: its average is none
        at 3 us: Serve               => [Offered(4)];
    }
    let counters = rig.queue.counters(us(4));
    assert_eq!((counters.marked, counters.early_drops), (1, 1));
    let marks = rig
        .packets
        .iter()
        .filter(|packet| matches!(packet.payload, Payload::Tcp(segment) if segment.flags & flags::CE != 0));
    assert_eq!(marks.count(), 0, "the one that was marked is through");
}

#[test]
fn a_full_share_of_heads_is_chosen() {
    let config = LinkRedConfig { max_p: 0.1, ..LinkRedConfig::default() };
    let mut link_red = link_red(config);
    (0..40).for_each(|_| link_red.served(SimTime::ZERO, &Served { attempts: 7, delivered: true }));
    let chosen = (0..10_000).filter(|_| link_red.leaving(SimTime::ZERO, &HEAD) != Verdict::Pass).count();
    assert!((900..1100).contains(&chosen), "{chosen}");
}
