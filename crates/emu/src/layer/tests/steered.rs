//! The steps of ELFN and of TCP-F.

use multihop_proto::shim::{Counters, ElfnConfig, Probe, Restore, ShimConfig, ShimKind, TcpFConfig};
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::SignalKind;

use super::rig::{Rig, ms};
use crate::layer::Verdict;

const NONE: [(bool, u32, u16); 0] = [];
const BROKEN: SignalKind = SignalKind::LinkFailure;
const FAILED: SignalKind = SignalKind::RouteFailure { failed: NodeId(2) };

fn elfn(elfn: ElfnConfig) -> ShimConfig {
    ShimConfig { kind: ShimKind::Elfn, elfn, ..ShimConfig::default() }
}

fn tcp_f(tcp_f: TcpFConfig) -> ShimConfig {
    ShimConfig { kind: ShimKind::TcpF, tcp_f, ..ShimConfig::default() }
}

#[test]
fn elfn_probes_with_the_first_segment_and_goes_on_with_its_window() {
    let mut rig = Rig::new(u32::MAX - 150, &elfn(ElfnConfig::default()));
    rig.data(1, 4);
    assert_eq!(rig.arrive(2, rig.answer(100), 0), Verdict::Pass);
    rig.signal(10, BROKEN, 200);
    assert_eq!(rig.outputs(), [(true, 400, 0), (false, 100, 800)], "TCP stops; the first segment probes");
    assert_eq!(rig.layers.next_at(), ms(2010));
    assert_eq!(rig.due(2009), NONE);
    assert_eq!(rig.due(2010), [(false, 100, 800)]);
    assert_eq!(rig.arrive(2050, rig.answer(200), 0), Verdict::Swallow, "an answer");
    assert_eq!(rig.outputs(), [(false, 200, 800), (false, 300, 800)], "all that is missing");
    rig.arrive(2060, rig.answer(400), 0);
    assert_eq!(rig.outputs(), [(true, 400, 500)], "the window of the receiver");
    assert_eq!(rig.layers.next_at(), SimTime::MAX);
    let frozen = Dur::from_ms(2050);
    let expected = Counters { freezes: 1, probes: 2, retransmissions: 2, frozen, ..Counters::default() };
    assert_eq!(rig.counts(), expected);
}

#[test]
fn elfn_goes_on_in_slow_start_by_a_key_and_repairs_once_more_when_nothing_comes() {
    let mut rig = Rig::new(7, &elfn(ElfnConfig { cwnd: Restore::Initial, ..ElfnConfig::default() }));
    rig.data(1, 4);
    rig.signal(10, BROKEN, 0);
    rig.outputs();
    rig.arrive(50, rig.answer(100), 0);
    assert_eq!(rig.outputs(), [(false, 100, 800)], "a window of one");
    assert_eq!(rig.due(349), NONE);
    assert_eq!(rig.due(350), [(false, 100, 800)], "after a timeout of TCP");
    rig.signal(360, BROKEN, 100);
    assert_eq!(rig.outputs(), [(false, 100, 800)], "broken again: a probe, and TCP is stopped already");
    rig.arrive(400, rig.answer(400), 0);
    assert_eq!(rig.outputs(), [(true, 400, 500)]);
    assert_eq!(rig.counts().freezes, 1);
}

#[test]
fn elfn_probes_with_a_header_or_the_lowest_segment_by_a_key() {
    let mut rig = Rig::new(7, &elfn(ElfnConfig { probe: Probe::Header, ..ElfnConfig::default() }));
    rig.data(1, 3);
    rig.signal(10, BROKEN, 0);
    assert_eq!(rig.outputs(), [(true, 300, 0), (false, u32::MAX, 800)]);
    rig.arrive(20, rig.answer(0), 0);
    assert_eq!(rig.outputs(), [(false, 0, 800), (false, 100, 800), (false, 200, 800)], "each once");
    let mut rig = Rig::new(7, &elfn(ElfnConfig { probe: Probe::LowestReported, ..ElfnConfig::default() }));
    rig.data(1, 3);
    rig.signal(10, BROKEN, 100);
    assert_eq!(rig.outputs(), [(true, 300, 0), (false, 100, 800)]);
}

#[test]
fn tcp_f_waits_for_the_word_that_there_is_a_route() {
    let mut rig = Rig::new(7, &tcp_f(TcpFConfig::default()));
    rig.data(1, 3);
    rig.signal(10, BROKEN, 0);
    assert_eq!(rig.outputs(), NONE, "it listens to its own signals");
    rig.signal(10, FAILED, 0);
    assert_eq!(rig.outputs(), [(true, 300, 0)]);
    assert_eq!(rig.arrive(30, rig.answer(100), 0), Verdict::Swallow);
    assert_eq!(rig.outputs(), NONE, "an acknowledgment that was under way");
    assert_eq!(rig.layers.next_at(), ms(10_010), "no probes");
    rig.signal(4000, SignalKind::RouteRestored, 0);
    assert_eq!(rig.outputs(), [(false, 100, 800), (false, 200, 800)]);
    rig.arrive(4100, rig.answer(300), 0);
    assert_eq!(rig.outputs(), [(true, 300, 500)]);
}

#[test]
fn tcp_f_goes_on_by_itself_when_its_timer_ends() {
    let mut rig = Rig::new(7, &tcp_f(TcpFConfig { reset_on_resume: true, ..TcpFConfig::default() }));
    rig.data(1, 3);
    rig.signal(10, FAILED, 0);
    rig.outputs();
    assert_eq!(rig.due(10_010), [(false, 0, 800)], "a window of one");
}

#[test]
fn a_pause_that_the_end_of_the_run_cuts_short_is_counted() {
    let mut rig = Rig::new(7, &tcp_f(TcpFConfig::default()));
    rig.data(1, 3);
    rig.signal(10, FAILED, 0);
    rig.layers.close(ms(2010));
    assert_eq!((rig.counts().freezes, rig.counts().frozen), (1, Dur::from_secs(2)));
}

#[test]
fn before_the_peer_has_said_anything_nothing_is_stopped() {
    let mut rig = Rig::new(7, &elfn(ElfnConfig::default()));
    let again = rig.segment(0).syn();
    assert_eq!(rig.leave(1, again, 0), Verdict::Pass, "a new connection");
    rig.signal(10, BROKEN, 0);
    assert_eq!(rig.outputs(), NONE);
}
