//! Transmit opportunities: several frames of a category, SIFS apart.

use super::rig::{ME, PEER, Rig, SIFS, SLOT, config, priority, us};
use crate::contract::{Cause, Outcome};
use crate::mac::config::{DcfConfig, Protection};
use crate::testing::udp;
use crate::units::{Bytes, Dur, FlowId, NodeId};
use crate::wire::Category::{BestEffort, Video, Voice};
use crate::wire::{Frame, FrameKind};

const ACK: Dur = Dur::from_us(28);
const BLOCK_ACK: Dur = Dur::from_us(32);

/// Frames reserve all that is left of their opportunity.
fn reserving() -> DcfConfig {
    let mut config = config();
    config.edca.protection = Protection::Multiple;
    config
}

/// 1500 bytes take 228 us, the ACK and the gaps 60 us: seven exchanges fit into 2.08 ms. The next one contends anew.
#[test]
fn the_limit_ends_a_burst() {
    let mut rig = Rig::new(&config());
    rig.busy(us(0), us(100));
    for _ in 0..10 {
        rig.comes(us(50), PEER, priority(Voice));
    }
    rig.run(us(60_000), |_| true);
    assert_eq!((rig.sent.len(), rig.ended.len()), (10, 10));
    let begun = rig.sent[0].at;
    assert_eq!((begun, rig.sent[0].frame.airtime), (us(134), Dur::from_us(228)));
    for (place, pair) in rig.sent.windows(2).enumerate() {
        let over = pair[0].ends() + SIFS + ACK;
        let gap = if place == 6 { SIFS + SLOT * 2 } else { SIFS };
        assert_eq!(pair[1].at, over + gap, "before frame {}", place + 2);
    }
    assert!(rig.sent[6].ends() + SIFS + ACK <= begun + Dur::from_us(2_080));
    assert!(
        rig.sent[6].ends() + SIFS + ACK + SIFS + Dur::from_us(228) + SIFS + ACK > begun + Dur::from_us(2_080)
    );
    assert_eq!(rig.counter("mac.opportunity-frames"), 8);
}

#[test]
fn without_a_limit_each_frame_contends() {
    let mut config = config();
    config.edca.voice.txop = Some(Dur::ZERO);
    let mut rig = Rig::new(&config);
    rig.busy(us(0), us(100));
    for _ in 0..3 {
        rig.comes(us(50), PEER, priority(Voice));
    }
    rig.run(us(60_000), |_| true);
    for pair in rig.sent.windows(2) {
        assert_eq!(pair[1].at, pair[0].ends() + SIFS + ACK + SIFS + SLOT * 2);
    }
    assert_eq!(rig.counter("mac.opportunity-frames"), 0);
}

/// A frame that gets no answer ends the opportunity: a back-off follows.
#[test]
fn a_failure_ends_a_burst() {
    let mut rig = Rig::new(&config());
    rig.busy(us(0), us(100));
    for _ in 0..3 {
        rig.comes(us(50), PEER, priority(Voice));
    }
    let mut frames = 0;
    rig.run(us(60_000), |_| {
        frames += 1;
        frames != 2
    });
    assert_eq!(rig.sent.len(), 4);
    let timeout = SIFS + ACK + SLOT;
    assert_eq!(rig.sent[2].at, rig.sent[1].ends() + timeout + SIFS + SLOT * 2);
    assert_eq!(rig.sent[2].mpdus, rig.sent[1].mpdus);
    assert!(rig.sent[2].frame.retry);
}

/// 802.11-2020 §9.2.5.2, §10.23.2.10: 2.08 ms of voice are reserved by each frame. What is not used is given back.
#[test]
fn a_burst_may_reserve_all_of_its_opportunity() {
    for rts_threshold in [Bytes(65_535), Bytes(0)] {
        let mut rig = Rig::new(&DcfConfig { rts_threshold, ..reserving() });
        rig.busy(us(0), us(100));
        for _ in 0..2 {
            rig.comes(us(50), PEER, priority(Voice));
        }
        rig.run(us(60_000), |_| true);
        let kinds: Vec<_> = rig.sent.iter().map(|it| it.frame.kind).collect();
        let expected = [FrameKind::Rts, FrameKind::Data, FrameKind::Data, FrameKind::CfEnd];
        let first = usize::from(rts_threshold > Bytes(0));
        assert_eq!(kinds, expected[first..], "the RTS goes before the first alone");
        let (end, frames) = rig.sent.split_last().expect("it sent");
        for it in frames {
            assert_eq!(it.ends() + it.frame.duration, us(134 + 2_080), "{:?}", it.frame.kind);
        }
        assert_eq!(end.at, frames[frames.len() - 1].ends() + SIFS + ACK + SIFS);
        assert_eq!((end.frame.to, end.frame.size), (NodeId::BROADCAST, Bytes(20)));
        assert_eq!((end.frame.duration, end.frame.airtime), (Dur::ZERO, Dur::from_us(52)), "6 Mb/s");
        assert_eq!(rig.counter("mac.cf-ends"), 1);
    }
}

/// A back-off follows the CF-End.
#[test]
fn the_next_frame_waits_for_aifs_after_the_cf_end() {
    let mut rig = Rig::new(&reserving());
    rig.busy(us(0), us(100));
    rig.comes(us(50), PEER, priority(Voice));
    let until = us(134 + 228 + 16 + 28 + 16 + 20);
    rig.run(until, |_| true);
    assert_eq!(rig.sent[1].frame.kind, FrameKind::CfEnd);
    rig.comes(until, PEER, priority(Voice));
    assert_eq!(rig.access_at(), Some(rig.sent[1].ends() + SIFS + SLOT * 2));
}

/// A station that gets no answer sends no CF-End. One that has used all of its opportunity has nothing to give back.
#[test]
fn no_cf_end_follows_a_failure_or_a_full_opportunity() {
    let mut rig = Rig::new(&reserving());
    rig.busy(us(0), us(100));
    rig.comes(us(50), PEER, priority(Voice));
    rig.run(us(60_000), |_| false);
    assert_eq!((rig.sent.len(), rig.counter("mac.cf-ends")), (7, 0));
    let mut full = reserving();
    full.edca.voice.txop = Some(Dur::from_us(228 + 16 + 28 + 60));
    let mut rig = Rig::new(&full);
    rig.busy(us(0), us(100));
    rig.comes(us(50), PEER, priority(Voice));
    rig.run(us(60_000), |_| true);
    assert_eq!((rig.sent.len(), rig.sent[0].frame.duration), (1, SIFS + ACK + Dur::from_us(60)));
}

/// An ACK reserves what is left of what its frame reserved; a CF-End ends what was reserved.
#[test]
fn others_mind_the_reservation_until_its_cf_end() {
    let mut sample = Rig::new(&reserving());
    sample.busy(us(0), us(100));
    sample.comes(us(50), PEER, priority(Voice));
    sample.run(us(60_000), |_| true);
    let [data, end] = [0, 1].map(|place| Frame { from: PEER, ..sample.sent[place].frame });
    let mut addressed = Rig::new(&reserving());
    let packet = udp(&mut addressed.packets, FlowId(0), ME, 0, 1500);
    addressed.hears(us(362), &Frame { to: ME, packet, ..data });
    addressed.run(us(400), |_| true);
    let ack = &addressed.sent[0].frame;
    assert_eq!((ack.kind, ack.duration), (FrameKind::Ack, data.duration - SIFS - ACK));
    for gives_back in [false, true] {
        let mut other = Rig::new(&reserving());
        other.hears(us(362), &Frame { to: NodeId(7), ..data });
        other.comes(us(400), PEER, priority(Voice));
        if gives_back {
            other.hears(us(474), &end);
        }
        let idle = if gives_back { us(474) } else { us(362) + data.duration };
        assert_eq!(other.access_at(), Some(idle + SIFS + SLOT * 2));
    }
}

/// The opportunity bounds an aggregate too: 2.4 ms hold 11 MPDUs with RTS and CTS, 12 without.
#[test]
fn an_aggregate_fits_into_its_opportunity() {
    for (rts_threshold, most) in [(Bytes(65_535), 12), (Bytes(0), 11)] {
        let mut config = config();
        config.rts_threshold = rts_threshold;
        config.edca.best_effort.txop = Some(Dur::from_us(2_400));
        let mut rig = Rig::new(&config);
        rig.busy(us(0), us(100));
        for _ in 0..40 {
            rig.comes(us(50), PEER, priority(BestEffort));
        }
        rig.run(us(143 + 2_400), |_| true);
        let data: Vec<_> = rig.sent.iter().filter(|it| it.frame.kind == FrameKind::Data).collect();
        assert_eq!(data[0].mpdus.len(), most);
        assert!(data[0].ends() + SIFS + BLOCK_ACK <= us(143 + 2_400));
        rig.run(us(60_000), |_| true);
        assert_eq!(rig.ended.len(), 40);
    }
}

/// A frame with a whole block ack window of MPDUs leaves nothing that could be sent before its block ack. What waits in
/// the queue goes on with the opportunity all the same.
#[test]
fn a_whole_window_does_not_end_an_opportunity() {
    let mut config = config();
    config.aggregation.window = 4;
    let mut rig = Rig::new(&config);
    rig.busy(us(0), us(100));
    for _ in 0..11 {
        rig.comes_long(us(50), PEER, priority(Video), 100);
    }
    rig.run(us(60_000), |_| true);
    let counts: Vec<_> = rig.sent.iter().map(|it| it.mpdus.len()).collect();
    assert_eq!(counts, [4, 4, 3]);
    for pair in rig.sent.windows(2) {
        assert_eq!(pair[1].at, pair[0].ends() + SIFS + BLOCK_ACK + SIFS);
    }
    assert_eq!((rig.ended.len(), rig.counter("mac.opportunity-frames")), (11, 2));
    // Where an opportunity is one frame, the queue keeps all others.
    config.edca.video.txop = Some(Dur::ZERO);
    let mut rig = Rig::new(&config);
    rig.busy(us(0), us(100));
    for _ in 0..11 {
        rig.comes_long(us(50), PEER, priority(Video), 100);
    }
    assert_eq!(rig.waiting(), 7);
    rig.run(us(60_000), |_| true);
    assert_eq!((rig.ended.len(), rig.counter("mac.opportunity-frames")), (11, 0));
}

/// A single MPDU that is longer than the opportunity goes all the same.
#[test]
fn a_long_mpdu_goes_anyway() {
    let mut config = config();
    config.edca.best_effort.txop = Some(Dur::from_us(64));
    let mut rig = Rig::new(&config);
    rig.busy(us(0), us(100));
    rig.comes(us(50), PEER, priority(BestEffort));
    rig.comes(us(50), PEER, priority(BestEffort));
    rig.run(us(60_000), |_| true);
    assert_eq!((rig.sent.len(), rig.ended.len()), (2, 2));
    assert_eq!(rig.sent[1].at, rig.sent[0].ends() + SIFS + ACK + SIFS + SLOT * 3);
}

/// Voice is not aggregated: seven attempts, and it is given up.
#[test]
fn voice_has_seven_attempts() {
    let mut rig = Rig::new(&config());
    rig.busy(us(0), us(100));
    let packet = rig.comes(us(50), PEER, priority(Voice));
    rig.run(us(60_000), |_| false);
    assert_eq!(rig.sent.len(), 7);
    assert_eq!((rig.counter("mac.voice-given-up"), rig.counter("mac.voice-packets")), (1, 0));
    assert_eq!(rig.ended, [(packet, Outcome::GaveUp { cause: Cause::DataLimit, rts: 0, attempts: 7 })]);
}

/// A station that has sent waits for AIFS and its slots before the next frame, though that comes to an idle medium.
#[test]
fn a_back_off_follows_the_last_frame() {
    let mut rig = Rig::new(&config());
    rig.busy(us(0), us(100));
    rig.comes(us(50), PEER, priority(BestEffort));
    rig.run(us(150), |_| true);
    let over = rig.sent[0].ends() + SIFS + ACK;
    rig.run(over + Dur::from_us(1), |_| true);
    rig.comes(over + Dur::from_us(1), PEER, priority(BestEffort));
    assert_eq!(rig.access_at(), Some(over + SIFS + SLOT * 3));
}
