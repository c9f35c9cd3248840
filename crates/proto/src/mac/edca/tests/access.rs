//! Which category sends first: AIFS, internal collisions, back-offs side by side.

use super::rig::{ME, PEER, Rig, SIFS, SLOT, config, priority, us};
use crate::contract::Outcome;
use crate::mac::config::CategoryConfig;
use crate::units::{Dur, NodeId};
use crate::wire::Category::{Background, BestEffort, Video, Voice};
use crate::wire::{Category, UserPriority};

//  50          100       116    125    134        143            179
//  | comes     | idle    | SIFS | slot | VO, VI   | BE           | BK
#[test]
fn each_category_waits_for_its_aifs() {
    for (category, at) in [(Voice, 134), (Video, 134), (BestEffort, 143), (Background, 179)] {
        let mut rig = Rig::new(&config());
        rig.busy(us(0), us(100));
        rig.comes(us(50), PEER, priority(category));
        assert_eq!(rig.access_at(), Some(us(at)), "{category:?}");
        rig.run(us(at), |_| true);
        assert_eq!((rig.sent.len(), rig.sent[0].frame.from, rig.sent[0].category()), (1, ME, category));
    }
}

/// Background has come first, and waits longest: the others do not wait for it.
#[test]
fn categories_contend_side_by_side() {
    let mut rig = Rig::new(&config());
    rig.busy(us(0), us(100));
    for category in [Background, BestEffort, Voice] {
        rig.comes(us(50), PEER, priority(category));
    }
    rig.run(us(5_000), |_| true);
    let sent: Vec<Category> = rig.sent.iter().map(|it| it.category()).collect();
    assert_eq!(sent, [Voice, BestEffort, Background]);
    // Each waits for its own AIFS after the exchange before.
    for (pair, aifsn) in rig.sent.windows(2).zip([3, 7]) {
        let ack = Dur::from_us(28);
        assert_eq!(pair[1].at, pair[0].ends() + SIFS + ack + SIFS + SLOT * aifsn);
    }
    assert_eq!(rig.counter("mac.internal-collisions"), 0);
    assert!(rig.ended.iter().all(|(_, outcome)| matches!(outcome, Outcome::Delivered { .. })));
}

/// Voice and video are ready at the same instant: voice sends, video draws from a doubled window. Nothing of it is on
/// the air.
#[test]
fn of_two_that_are_ready_at_once_the_higher_sends() {
    let mut config = config();
    config.edca.video = CategoryConfig { cw_min: Some(0), cw_max: Some(1023), ..config.edca.video };
    let mut rig = Rig::new(&config);
    rig.busy(us(0), us(100));
    rig.comes(us(50), PEER, priority(Video));
    rig.comes(us(50), PEER, priority(Voice));
    rig.run(us(134), |_| true);
    assert_eq!((rig.sent.len(), rig.sent[0].category()), (1, Voice));
    assert_eq!(rig.counter("mac.internal-collisions"), 1);
    assert_eq!(rig.counter("mac.ack-failures"), 0);
    rig.run(us(5_000), |_| true);
    assert_eq!(rig.sent[1].category(), Video);
    assert!(!rig.sent[1].frame.retry, "it was not on the air");
    let from = rig.sent[0].ends() + SIFS + Dur::from_us(28) + SIFS + SLOT * 2;
    assert!(rig.sent[1].at == from || rig.sent[1].at == from + SLOT, "0 or 1 slots: {:?}", rig.sent[1].at);
}

/// A category that gives way counts a failure. Without an agreement the seventh ends the attempts.
#[test]
fn giving_way_counts_against_the_retry_limit_without_an_agreement() {
    for (aggregate, given_up) in [(false, true), (true, false)] {
        let mut config = config();
        config.edca.video.aggregate = Some(aggregate);
        config.edca.voice.txop = Some(Dur::ZERO);
        config.edca.video.txop = Some(Dur::ZERO);
        let mut rig = Rig::new(&config);
        rig.busy(us(0), us(100));
        let video = rig.comes(us(50), PEER, priority(Video));
        for _ in 0..30 {
            rig.comes(us(50), PEER, priority(Voice));
        }
        rig.run(us(60_000), |_| true);
        let end = rig.ended.iter().find(|(packet, _)| *packet == video).map(|&(_, outcome)| outcome);
        let gave_up = matches!(end, Some(Outcome::GaveUp { attempts: 0, .. }));
        assert_eq!(gave_up, given_up, "{end:?}");
        assert!(rig.counter("mac.internal-collisions") >= 7);
    }
}

/// The slots of a category that waits are counted while another one sends nothing, and frozen while it sends.
#[test]
fn a_parked_back_off_goes_on_where_it_stopped() {
    let mut config = config();
    let wide = Some(1023);
    config.edca.best_effort = CategoryConfig { cw_min: wide, cw_max: wide, ..config.edca.voice };
    let mut rig = Rig::new(&config);
    rig.busy(us(0), us(100));
    rig.comes(us(50), PEER, priority(BestEffort));
    let alone = rig.access_at().expect("it contends");
    let waits = (alone - us(143)).as_ns() / SLOT.as_ns();
    assert!(waits > 3, "the seed draws {waits} slots");
    // Voice comes when two slots have passed and the third begins, and finds the medium idle.
    let comes = us(143) + SLOT * 2;
    rig.run(comes, |_| true);
    rig.comes(comes, PEER, priority(Voice));
    rig.run(us(60_000), |_| true);
    assert_eq!(rig.sent[0].category(), Voice);
    assert_eq!(rig.sent[0].at, comes);
    let over = rig.sent[0].ends() + SIFS + Dur::from_us(28);
    assert_eq!(rig.sent[1].at, over + SIFS + SLOT * 3 + SLOT * (waits - 3));
}

/// Priorities 0 and 3 are both best effort, but of agreements of their own: no frame has MPDUs of both, and each counts
/// its numbers.
#[test]
fn each_priority_has_an_agreement_of_its_own() {
    let mut config = config();
    config.edca.best_effort.txop = Some(Dur::ZERO);
    let mut rig = Rig::new(&config);
    rig.busy(us(0), us(100));
    for number in 0..12 {
        rig.comes(us(10 + number), PEER, UserPriority::new(if number % 2 == 0 { 0 } else { 3 }));
    }
    rig.run(us(60_000), |_| true);
    for of in [0, 3].map(UserPriority::new) {
        let own: Vec<_> = rig.sent.iter().filter(|it| it.frame.priority == of).collect();
        let numbers: Vec<u16> = own.iter().flat_map(|it| it.mpdus.iter().map(|mpdu| mpdu.0)).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5], "{of:?}");
        let alike = |packet| rig.packets[packet].priority == of;
        assert!(own.iter().all(|it| it.mpdus.iter().all(|&(_, packet)| alike(packet))));
    }
    assert_eq!(rig.ended.len(), 12);
    assert!(rig.sent.iter().any(|it| it.mpdus.len() > 1));
}

/// Each category has at most what it can send; a broadcast needs no answer.
#[test]
fn a_broadcast_goes_in_its_category() {
    let mut rig = Rig::new(&config());
    rig.busy(us(0), us(100));
    rig.comes(us(50), NodeId::BROADCAST, priority(Voice));
    rig.comes(us(50), NodeId::BROADCAST, priority(BestEffort));
    rig.run(us(60_000), |_| false);
    let sent: Vec<Category> = rig.sent.iter().map(|it| it.category()).collect();
    assert_eq!((sent, rig.ended.len()), (vec![Voice, BestEffort], 2));
    assert_eq!(rig.sent[1].at, rig.sent[0].ends() + SIFS + SLOT * 3);
}
