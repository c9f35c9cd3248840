//! A-MPDUs and transmit opportunities beside stations of 802.11b, and such a neighbour.

use super::rig::{ME, PEER, Rig, config, priority, us};
use crate::contract::Outcome;
use crate::mac::config::{DcfConfig, FrameProtection, Protection};
use crate::mac::{Mac, MacConfig, Older, Standard};
use crate::phy::{Band, TxVector};
use crate::units::{Bitrate, Bytes, Dur, NodeId};
use crate::wire::Category::{BestEffort, Voice};
use crate::wire::FrameKind::{self, CfEnd, Cts, Data, Rts};

const OLDER: NodeId = NodeId(7);

fn beside(protection: FrameProtection) -> DcfConfig {
    DcfConfig { band: Band::Ghz2, basic_rate: Bitrate::from_mbps(2), protection, ..config() }
}

fn kinds(rig: &Rig) -> Vec<FrameKind> {
    rig.sent.iter().map(|sent| sent.frame.kind).collect()
}

/// The CTS reserves up to the end of the block ack.
#[test]
fn an_aggregate_has_one_cts() {
    let mut rig = Rig::new(&beside(FrameProtection::CtsToSelf));
    rig.busy(us(0), us(100));
    for _ in 0..5 {
        rig.comes(us(50), PEER, priority(BestEffort));
    }
    rig.run(us(60_000), |_| true);
    assert_eq!(kinds(&rig), [Cts, Data]);
    let (cts, data) = (&rig.sent[0], &rig.sent[1]);
    assert_eq!(data.mpdus.len(), 5);
    assert_eq!((cts.frame.from, cts.frame.to), (ME, ME));
    assert_eq!(data.at, cts.ends() + Dur::from_us(16));
    let ack = Dur::from_us(16 + 28 + 4 + 6); // block ack at 24 Mb/s: 32 bytes in three symbols, and the extension
    assert_eq!(cts.frame.duration, Dur::from_us(16) + data.frame.airtime + ack);
    assert_eq!(rig.counter("mac.cts-to-self"), 1);
}

#[test]
fn each_exchange_of_an_opportunity_is_protected() {
    let mut rig = Rig::new(&beside(FrameProtection::CtsToSelf));
    rig.busy(us(0), us(100));
    for _ in 0..8 {
        rig.comes(us(50), PEER, priority(Voice));
    }
    rig.run(us(60_000), |_| true);
    assert_eq!(kinds(&rig), [Cts, Data].repeat(8));
    assert_eq!(rig.counter("mac.cts-to-self"), 8);
    // 248 us and 16 us before each frame of 234 us, 50 us after it, 16 us between: three exchanges in 2.08 ms.
    assert_eq!(rig.counter("mac.opportunity-frames"), 5, "the first, fourth and seventh contend");
    let begun = rig.sent[0].at;
    let over = rig.sent[5].ends() + Dur::from_us(16 + 34);
    assert!(over <= begun + Dur::from_us(2_080) && rig.sent[6].at > over);
}

#[test]
fn a_cts_that_reserves_the_whole_opportunity_goes_once() {
    let mut config = beside(FrameProtection::CtsToSelf);
    config.edca.protection = Protection::Multiple;
    let mut rig = Rig::new(&config);
    rig.busy(us(0), us(100));
    for _ in 0..3 {
        rig.comes(us(50), PEER, priority(Voice));
    }
    rig.run(us(60_000), |_| true);
    assert_eq!(kinds(&rig), [Cts, Data, Data, Data, CfEnd]);
    let cts = &rig.sent[0];
    assert_eq!(cts.ends() + cts.frame.duration, cts.at + Dur::from_us(2_080));
    assert!(matches!(rig.sent[4].frame.tx, TxVector::Dsss(_)), "all understand it");
}

#[test]
fn rts_and_cts_protect_each_exchange() {
    let mut rig = Rig::new(&beside(FrameProtection::RtsCts));
    rig.busy(us(0), us(100));
    for _ in 0..2 {
        rig.comes(us(50), PEER, priority(Voice));
    }
    rig.run(us(60_000), |_| true);
    assert_eq!(kinds(&rig), [Rts, Data, Rts, Data]);
    assert_eq!(rig.ended.len(), 2);
}

/// A neighbour of 802.11b gets one packet a frame, under numbers that all priorities share; it is asked for no block
/// ack when frames are lost.
#[test]
fn an_older_neighbour_gets_single_frames() {
    let own = beside(FrameProtection::CtsToSelf);
    let (data_rate, basic_rate) = (Bitrate::from_mbps(11), Bitrate::from_mbps(2));
    let its = DcfConfig { standard: Standard::B, data_rate, basic_rate, ..DcfConfig::default() };
    let mac = MacConfig::Dcf(own.clone()).towards(&MacConfig::Dcf(its));
    let mut rig = Rig::new(&own);
    rig.edca.add_older(&Older { node: OLDER, mac });
    rig.busy(us(0), us(100));
    for of in [BestEffort, Voice, BestEffort, Voice] {
        rig.comes(us(50), OLDER, priority(of));
    }
    let mut lost = 0;
    rig.run(us(600_000), |_| {
        lost += 1;
        lost > 2
    });
    assert_eq!(rig.ended.len(), 4);
    assert!(rig.ended.iter().all(|(_, outcome)| matches!(outcome, Outcome::Delivered { .. })));
    assert!(rig.sent.iter().all(|sent| sent.frame.kind == Data && sent.mpdus.len() == 1));
    let (eleven, bytes) = (Bitrate::from_mbps(11), Bytes(1500 + 36));
    assert!(rig.sent.iter().all(|sent| sent.frame.tx.rate() == eleven && sent.frame.size == bytes));
    let mut numbers: Vec<u16> = rig.sent.iter().map(|sent| sent.frame.sequence).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers, [0, 1, 2, 3], "none twice");
    assert_eq!((rig.counter("mac.cts-to-self"), rig.counter("mac.block-ack-requests")), (0, 0));
}
