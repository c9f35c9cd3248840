//! RTS before block ack requests.

use super::rig::{PEER, Rig, config, priority, us};
use crate::mac::config::{AfterMissed, AggregationConfig, DcfConfig};
use crate::units::{Bytes, Dur};
use crate::wire::Category::BestEffort;
use crate::wire::FrameKind::{self, BlockAckRequest, Data, Rts};

/// Kinds and reservations of what is sent: three packets in a frame whose block ack does not come.
fn sent(
    announces_requests: bool,
    rts_threshold: u32,
    answered: impl Fn(usize, FrameKind) -> bool,
) -> Vec<(FrameKind, Dur)> {
    let aggregation =
        AggregationConfig { after_missed: AfterMissed::Request, announces_requests, ..config().aggregation };
    let mut config = DcfConfig { aggregation, rts_threshold: Bytes(rts_threshold), ..config() };
    config.edca.best_effort.txop = Some(Dur::ZERO);
    let mut rig = Rig::new(&config);
    rig.busy(us(0), us(100));
    for _ in 0..3 {
        rig.comes(us(50), PEER, priority(BestEffort));
    }
    let mut place = 0;
    rig.run(us(60_000), |it| {
        place += 1;
        answered(place - 1, it.frame.kind)
    });
    rig.sent.iter().map(|it| (it.frame.kind, it.frame.duration)).collect()
}

fn kinds(sent: &[(FrameKind, Dur)]) -> Vec<FrameKind> {
    sent.iter().map(|&(kind, _)| kind).collect()
}

/// dot11RTSThreshold is for data and management frames; ns-3 goes by the length of any frame.
#[test]
fn an_rts_may_go_before_a_request_that_is_longer_than_the_threshold() {
    let but_the_first = |place, kind| kind != Data || place > 1;
    let announced = sent(true, 0, but_the_first);
    assert_eq!(kinds(&announced)[..4], [Rts, Data, Rts, BlockAckRequest]);
    // Three SIFS, CTS, request as if it were data, and block ack; SIFS and block ack.
    assert_eq!([2, 3].map(|place| announced[place].1), [48 + 44 + 40 + 32, 16 + 32].map(Dur::from_us));
    assert_eq!(kinds(&sent(false, 0, but_the_first))[..3], [Rts, Data, BlockAckRequest]);
    // 24 bytes are not above this threshold, the frame of three packets is.
    assert_eq!(kinds(&sent(true, 24, but_the_first))[..3], [Rts, Data, BlockAckRequest]);
    assert_eq!(kinds(&sent(true, 23, but_the_first))[..4], [Rts, Data, Rts, BlockAckRequest]);
}

/// An attempt at a request counts once, also where its RTS gets no answer: after seven the data go again.
#[test]
fn a_request_that_no_cts_lets_go_is_given_up() {
    let mute = sent(true, 0, |place, kind| place == 0 || place > 8 && kind == Rts);
    assert_eq!(kinds(&mute)[..11], [Rts, Data, Rts, Rts, Rts, Rts, Rts, Rts, Rts, Rts, Data]);
    let request = Dur::from_us(48 + 44 + 40 + 32);
    assert_eq!(mute[..11].iter().filter(|&&it| it == (Rts, request)).count(), 7);
}
