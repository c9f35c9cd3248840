//! Rates that are chosen frame by frame, beside access categories.

use super::rig::{PEER, Rig, SIFS, config, priority, us};
use crate::mac::config::{DcfConfig, RateControlKind};
use crate::units::Dur;
use crate::wire::Category::{BestEffort, Voice};
use crate::wire::FrameKind;

fn by_minstrel() -> DcfConfig {
    DcfConfig { rate_control: RateControlKind::MinstrelHt, ..config() }
}

/// Voice finds out that the neighbour is near: best effort begins faster than at the slowest rate.
#[test]
fn categories_share_what_is_known_of_a_neighbour() {
    let mut rig = Rig::new(&by_minstrel());
    rig.busy(us(0), us(100));
    for _ in 0..300 {
        rig.comes(us(50), PEER, priority(Voice));
    }
    rig.run(us(600_000), |_| true);
    assert_eq!(rig.ended.len(), 300, "they are over");
    assert!(rig.counter("mac.rate-probes") > 0);
    rig.comes(us(600_000), PEER, priority(BestEffort));
    rig.run(us(700_000), |_| true);
    let (first, last) = (&rig.sent[0], &rig.sent[300]);
    assert_eq!((first.category(), last.category()), (Voice, BestEffort));
    assert!(last.frame.airtime < first.frame.airtime / 2);
}

/// Which rate the next frame goes at is known before it is sent in an opportunity: several exchanges never take longer.
#[test]
fn no_opportunity_grows_too_long_at_a_slow_rate() {
    let limit = Dur::from_us(2_080);
    let mut rig = Rig::new(&by_minstrel());
    rig.busy(us(0), us(100));
    for _ in 0..300 {
        rig.comes(us(50), PEER, priority(Voice));
    }
    // The fast rates lose two frames of three, so that the rate goes up and down.
    let mut frames = 0;
    rig.run(us(2_000_000), |sent| {
        frames += 1;
        sent.frame.airtime > Dur::from_us(400) || frames % 3 == 0
    });
    let (mut began, mut several) = (rig.sent[0].at, 0);
    for pair in rig.sent.windows(2) {
        let after_data = pair[0].frame.kind == FrameKind::Data;
        if after_data && pair[1].at < pair[0].ends() + SIFS * 4 {
            several += 1;
            assert!(pair[1].ends() + SIFS <= began + limit, "{:?}", pair[1].at);
        } else if after_data || pair[1].frame.kind == FrameKind::Rts {
            began = pair[1].at;
        }
    }
    assert!(several > 20, "{several} frames followed others");
    assert!(rig.counter("mac.rate-down") > 0);
}

/// One best-effort frame has no block ack yet when voice is acknowledged: that says nothing of the best-effort frame.
#[test]
fn an_answer_is_for_the_frame_of_its_category() {
    use crate::mac::aggregate::Peer;
    use crate::mac::rate::RateControl;
    use crate::units::{Entity, Purpose, Rng};

    let expected = |foreign: bool| {
        let rng = || Rng::stream(1, 1, Entity::Node("0"), Purpose::Backoff);
        let mut rates = RateControl::new(&by_minstrel(), rng).expect("rates are chosen");
        let peer = |category| Peer { node: PEER, priority: priority(category) };
        rates.choose(us(0), PEER);
        rates.sent(peer(BestEffort), 10);
        if foreign {
            rates.report(us(100), peer(Voice), 1);
        }
        rates.report(us(200), peer(BestEffort), 10);
        rates.choose(us(60_000), PEER);
        rates.expected_throughput(PEER).expect("Minstrel-HT knows")
    };
    assert_eq!(expected(true), expected(false));
    assert!(expected(true) > 0.0);
}
