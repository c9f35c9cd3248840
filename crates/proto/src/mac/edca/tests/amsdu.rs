//! A-MSDUs on the air: IEEE 802.11-2020 §10.11.

use super::rig::{PEER, Rig, SIFS, SLOT, config, priority, us};
use crate::contract::{Cause, Outcome};
use crate::mac::DcfConfig;
use crate::units::Bytes;
use crate::wire::Category::{BestEffort, Voice};
use crate::wire::PacketId;

/// Stations that pack packets; `on`: into A-MPDUs too.
fn packing(on: bool) -> DcfConfig {
    let mut config = config();
    (config.aggregation.on, config.aggregation.amsdu_length) = (on, Bytes(3_839));
    config
}

/// Three packets of 400 bytes that come while the medium is busy.
fn three(rig: &mut Rig) -> [PacketId; 3] {
    rig.busy(us(0), us(100));
    [0; 3].map(|_| rig.comes_long(us(50), PEER, priority(BestEffort), 400))
}

#[test]
fn packets_that_wait_go_in_one_mpdu_and_an_ack_ends_them() {
    let mut rig = Rig::new(&packing(false));
    let packets = three(&mut rig);
    rig.run(us(10_000), |_| true);
    let [sent] = rig.sent.as_slice() else { panic!("{:?}", rig.sent) };
    assert_eq!((sent.at, sent.frame.size), (us(100) + SIFS + SLOT * 3, Bytes(30 + 424 + 424 + 422)));
    assert_eq!((sent.packets.as_slice(), sent.mpdus.len()), (&packets[..], 1));
    let delivered = Outcome::Delivered { rts: 0, attempts: 1 };
    assert_eq!(rig.ended, packets.map(|packet| (packet, delivered)));
    assert_eq!(rig.counter("mac.best-effort-packets"), 3);
    assert_eq!((rig.counter("mac.mpdus"), rig.counter("mac.a-msdus")), (1, 1));
    assert_eq!((rig.counter("mac.a-msdu-packets"), rig.counter("mac.a-mpdus")), (3, 0));
}

#[test]
fn an_a_msdu_is_sent_again_as_it_is_and_given_up_as_a_whole() {
    let mut rig = Rig::new(&packing(false));
    let packets = three(&mut rig);
    rig.run(us(10_000), |_| false);
    assert_eq!(rig.sent.len(), 7, "the retry limit counts the frame");
    for again in &rig.sent[1..] {
        assert!(again.frame.retry && again.packets == rig.sent[0].packets);
        assert_eq!(again.frame.sequence, rig.sent[0].frame.sequence);
    }
    let lost = Outcome::GaveUp { cause: Cause::DataLimit, rts: 0, attempts: 7 };
    assert_eq!(rig.ended, packets.map(|packet| (packet, lost)));
    assert_eq!(rig.counter("mac.given-up-data"), 3, "packets");
}

/// A packet that comes after the first attempt waits for the next MPDU.
#[test]
fn what_comes_while_an_a_msdu_is_retried_joins_the_next_one() {
    let mut rig = Rig::new(&packing(true));
    let packets = three(&mut rig);
    let mut frames = 0;
    rig.run(us(400), |_| {
        frames += 1;
        frames > 1
    });
    let more = [0; 2].map(|_| rig.comes_long(us(410), PEER, priority(BestEffort), 400));
    rig.run(us(10_000), |_| true);
    let sent: Vec<_> = rig.sent.iter().map(|sent| (sent.mpdus.len(), sent.packets.len())).collect();
    assert_eq!(sent, [(1, 3), (2, 5)]);
    assert_eq!(rig.sent[1].packets, [&packets[..], &more[..]].concat());
    assert_eq!(rig.ended.len(), 5);
}

#[test]
fn an_a_mpdu_has_a_msdus() {
    let mut rig = Rig::new(&packing(true));
    rig.busy(us(0), us(100));
    for _ in 0..10 {
        rig.comes(us(50), PEER, priority(BestEffort));
    }
    rig.run(us(10_000), |_| true);
    let [sent] = rig.sent.as_slice() else { panic!("{:?}", rig.sent) };
    assert_eq!((sent.mpdus.len(), sent.packets.len()), (5, 10));
    assert_eq!(sent.frame.size, Bytes(5 * (4 + 30 + 1524 + 1522)));
}

/// Voice is not aggregated in any way.
#[test]
fn voice_is_not_packed() {
    let mut rig = Rig::new(&packing(true));
    rig.busy(us(0), us(100));
    for _ in 0..3 {
        rig.comes_long(us(50), PEER, priority(Voice), 200);
    }
    rig.run(us(10_000), |_| true);
    assert!(rig.sent.len() == 3 && rig.sent.iter().all(|sent| sent.packets.len() == 1), "{:?}", rig.sent);
}
