//! The steps of Freeze-TCP: node 0 receives.

use std::sync::Arc;

use etherparse::{Ipv4Header, TcpHeader};
use multihop_proto::shim::{Counters, FreezeTcpConfig, ShimConfig, ShimKind};
use multihop_proto::units::Dur;

use super::rig::{Rig, built};
use crate::layer::{Output, Verdict};

fn freeze() -> ShimConfig {
    let freeze_tcp = FreezeTcpConfig::default();
    ShimConfig { kind: ShimKind::FreezeTcp, freeze_tcp, ..ShimConfig::default() }
}

/// What was sent to the peer: acknowledgment and window of each.
fn to_peer(rig: &mut Rig) -> Vec<(u32, u16)> {
    let segments = rig.outputs.drain(..).map(|output| match output {
        Output::Network(_, bytes) => header(&bytes),
        other => panic!("{other:?}"),
    });
    segments.map(|tcp| (tcp.acknowledgment_number, tcp.window_size)).collect()
}

fn header(bytes: &[u8]) -> TcpHeader {
    let (_, inside) = Ipv4Header::from_slice(bytes).expect("a datagram");
    TcpHeader::from_slice(inside).expect("a segment").0
}

#[test]
fn the_window_is_closed_in_all_that_leaves_until_the_outage_is_over() {
    let mut rig = Rig::new(7, &freeze());
    let own = rig.segment(0).ack(5000);
    assert_eq!(rig.leave(1, own, 0), Verdict::Pass);
    rig.outage(10, true);
    assert_eq!(to_peer(&mut rig), [(5000, 0); 2]);
    let (own, same) = (rig.segment(0).ack(6000), rig.segment(0).ack(6000));
    let Verdict::Replace(closed) = rig.leave(11, own, 30) else { panic!("it says the window of TCP") };
    assert_eq!((header(&closed).acknowledgment_number, header(&closed).window_size), (6000, 0));
    assert_eq!(closed.len(), built(same, 30).len(), "its data go along");
    rig.outage(20, true);
    assert_eq!(to_peer(&mut rig), [], "it is closed already");
    rig.outage(510, false);
    assert_eq!(to_peer(&mut rig), [(6000, 800); 3]);
    let own = rig.segment(30).ack(7000);
    assert_eq!(rig.leave(511, own, 0), Verdict::Pass);
    let expected = Counters { freezes: 1, frozen: Dur::from_ms(500), ..Counters::default() };
    assert_eq!(rig.counts(), expected);
}

#[test]
fn data_that_grow_weak_close_the_window() {
    let mut rig = Rig::new(7, &freeze());
    let own = rig.segment(0).ack(5000);
    rig.leave(1, own, 0);
    for (at, power) in [(2, 100.0), (3, 50.0)] {
        assert_eq!(rig.arrive_with(at, power, rig.answer(0), 100), Verdict::Pass);
    }
    assert_eq!(to_peer(&mut rig), []);
    rig.arrive_with(4, 1.5, rig.answer(0), 0);
    assert_eq!(to_peer(&mut rig), [], "an acknowledgment");
    for at in 5..60 {
        rig.arrive_with(at, 1.5, rig.answer(0), 100);
    }
    assert_eq!(to_peer(&mut rig), [(5000, 0); 2]);
}

#[test]
fn a_connection_that_is_only_being_opened_says_nothing() {
    let mut rig = Rig::new(7, &freeze());
    let syn: Arc<[u8]> = built(rig.segment(0).syn(), 0).into();
    assert!(header(&syn).syn);
    let syn = rig.segment(0).syn();
    rig.leave(1, syn, 0);
    rig.outage(10, true);
    assert_eq!(to_peer(&mut rig), []);
}
