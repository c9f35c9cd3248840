//! Which RTS are answered while others have reserved the medium.

use super::rig::{ME, PEER, Rig, config, priority, us};
use crate::mac::config::DcfConfig;
use crate::units::{Bytes, Dur, NodeId};
use crate::wire::Category::BestEffort;
use crate::wire::{Frame, FrameKind};

const OTHER: NodeId = NodeId(8);

/// An RTS as stations send it.
fn rts() -> Frame {
    let mut rig = Rig::new(&DcfConfig { rts_threshold: Bytes(0), ..config() });
    rig.busy(us(0), us(100));
    rig.comes(us(50), PEER, priority(BestEffort));
    rig.run(us(200), |_| false);
    rig.sent[0].frame
}

/// Which of the RTS get a CTS that these stations send 1, 1.5, 2 ms after others have reserved the medium for 5 ms;
/// those without a sender are a CTS for others, which reserves it for longer.
fn answered(cts_if_asked_again: bool, by: &[Option<NodeId>]) -> Vec<bool> {
    let cts = Frame { kind: FrameKind::Cts, from: OTHER, to: NodeId(9), duration: Dur::from_ms(5), ..rts() };
    let mut rig = Rig::new(&DcfConfig { cts_if_asked_again, ..config() });
    rig.hears(us(0), &cts);
    let mut answers = Vec::new();
    for (place, from) in (2..).zip(by) {
        let (at, sent) = (us(500 * place), rig.sent.len());
        let Some(from) = *from else {
            rig.hears(at, &cts);
            continue;
        };
        rig.hears(at, &Frame { from, to: ME, duration: Dur::from_us(300), ..rts() });
        rig.run(at + Dur::from_us(490), |_| false);
        answers.push(rig.sent.len() > sent);
    }
    assert!(rig.sent.iter().all(|it| it.frame.kind == FrameKind::Cts));
    answers
}

/// §10.3.2.9: not while the NAV says busy. ns-3 notes the sender of that RTS, and answers its next one as that of the
/// holder of the transmit opportunity.
#[test]
fn a_station_that_asks_again_during_a_reservation_may_be_answered() {
    let peer = Some(PEER);
    assert_eq!(answered(false, &[peer, peer, peer]), [false; 3]);
    assert_eq!(answered(true, &[peer, peer, peer]), [false, true, true]);
    assert_eq!(answered(true, &[peer, Some(OTHER), peer]), [false; 3], "another one has asked meanwhile");
    assert_eq!(answered(true, &[peer, None, peer, peer]), [false, false, true], "a new reservation");
}
