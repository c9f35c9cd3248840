//! Airtime fairness: whose turn it is by time on the air, and how much the MAC may have of one next hop.

use super::rig::{Answer, Do, Rig};
use crate::queue::{AirtimeConfig, ClassBy, Input, QueueConfig, Service};
use crate::testing::{udp, us};
use crate::units::{Dur, FlowId, NodeId};

const FAST: u32 = 1;
const SLOW: u32 = 2;

fn airtime(limit: Option<Dur>) -> QueueConfig {
    QueueConfig {
        service: Service::Airtime,
        class_by: ClassBy::Flow,
        limit: 1000,
        airtime: AirtimeConfig { limit, ..AirtimeConfig::default() },
        ..QueueConfig::default()
    }
}

/// Time on the air of a frame to a next hop.
fn cost(hop: u32) -> Dur {
    if hop == FAST { Dur::from_us(700) } else { Dur::from_us(8200) }
}

/// Serves packets, one after the other, until so much time on the air is used; returns how much each next hop had, and
/// the flows in the order of service.
fn serve(rig: &mut Rig, flows: &[(u32, u32)], until: Dur) -> ([Dur; 2], Vec<u32>) {
    let (mut used, mut order) = ([Dur::ZERO; 2], Vec::new());
    while used[0] + used[1] < until {
        let answers = rig.feed(us(1), Do::Serve);
        let [Answer::Offered(number)] = answers[..] else { break };
        let packet = rig.packets.iter().find(|packet| packet.uid == number).map(|it| it.flow.0);
        let flow = packet.expect("it is alive");
        let hop = flows.iter().find(|&&(of, _)| of == flow).expect("a known flow").1;
        rig.queue.used(NodeId(hop), cost(hop), true);
        used[hop as usize - 1] += cost(hop);
        order.push(flow);
        rig.feed(us(1), Do::Delivered);
    }
    (used, order)
}

fn put(rig: &mut Rig, flow: u32, hop: u32, size: u32) {
    let packet = udp(&mut rig.packets, FlowId(flow), NodeId(9), 0, size);
    rig.handle(us(1), Input::Enqueue { packet, to: NodeId(hop) });
}

fn fill(rig: &mut Rig, flows: &[(u32, u32)], packets: usize) {
    for &(flow, hop) in flows {
        (0..packets).for_each(|_| put(rig, flow, hop, 1500));
    }
}

/// One next hop is twelve times slower: both have the same time on the air, to within a frame and a quantum.
#[test]
fn next_hops_have_equal_time() {
    let flows = [(1, FAST), (2, SLOW)];
    let mut rig = Rig::new(airtime(None));
    fill(&mut rig, &flows, 400);
    let ([fast, slow], order) = serve(&mut rig, &flows, Dur::from_ms(400));
    let apart = if fast > slow { fast - slow } else { slow - fast };
    assert!(apart <= cost(SLOW) + Dur::from_us(256), "{fast} and {slow}");
    let packets = |flow| order.iter().filter(|&&it| it == flow).count();
    assert!((10..14).contains(&(packets(1) / packets(2))), "{} and {}", packets(1), packets(2));
}

/// The flows of one next hop share its time: one more flow takes nothing of the other next hop.
#[test]
fn flows_share_the_time_of_their_next_hop() {
    let flows = [(1, FAST), (2, SLOW), (3, FAST)];
    let mut rig = Rig::new(airtime(None));
    fill(&mut rig, &flows, 300);
    let ([fast, slow], order) = serve(&mut rig, &flows, Dur::from_ms(300));
    let share = fast.as_secs_f64() / (fast + slow).as_secs_f64();
    assert!((0.47..0.53).contains(&share), "{share}");
    let packets = |flow| order.iter().filter(|&&it| it == flow).count();
    assert!(packets(1).abs_diff(packets(3)) <= 1, "{} and {}", packets(1), packets(3));
}

/// A next hop that begins to wait goes first, but it still owes what its last frame took.
#[test]
fn a_next_hop_keeps_what_it_owes() {
    let mut rig = Rig::new(airtime(None));
    let flows = [(1, FAST), (2, SLOW)];
    fill(&mut rig, &[(1, FAST)], 100);
    fill(&mut rig, &[(2, SLOW)], 1);
    assert_eq!(serve(&mut rig, &flows, Dur::from_us(1)).1, [2], "it waits for the first time");
    fill(&mut rig, &[(2, SLOW)], 1);
    let (_, order) = serve(&mut rig, &flows, Dur::from_ms(20));
    let before = order.iter().position(|&flow| flow == 2).expect("it has its turn");
    assert!((10..=13).contains(&before), "{before} packets of the other went before");
}

/// What comes from a next hop counts while something waits for it, and not before.
#[test]
fn received_frames_count_while_something_waits() {
    let served = |waits: bool| {
        let mut rig = Rig::new(airtime(None));
        let flows = [(1, FAST), (2, SLOW)];
        fill(&mut rig, &flows, 1);
        assert_eq!(serve(&mut rig, &flows, Dur::from_ms(9)).1.len(), 2, "both are known");
        fill(&mut rig, &[(1, FAST)], 50);
        if waits {
            fill(&mut rig, &[(2, SLOW)], 1);
        }
        rig.queue.used(NodeId(SLOW), Dur::from_ms(14), false);
        if !waits {
            fill(&mut rig, &[(2, SLOW)], 1);
        }
        let (_, order) = serve(&mut rig, &flows, Dur::from_ms(40));
        order.iter().position(|&flow| flow == 2).expect("it has its turn")
    };
    let (before, without) = (served(true), served(false));
    assert!((18..=22).contains(&(before - without)), "{before} and {without}");
}

/// A kilobyte has taken a millisecond: with a limit of 5 ms the MAC gets five, but always one.
#[test]
fn the_mac_has_no_more_than_fits_the_limit() {
    for (limit, most) in [(None, 20), (Some(Dur::from_ms(5)), 5), (Some(Dur::from_us(10)), 1)] {
        let mut rig = Rig::taking(airtime(limit));
        (0..40).for_each(|_| put(&mut rig, 1, FAST, 1000));
        rig.feed(us(1), Do::Serve);
        rig.queue.used(NodeId(FAST), Dur::from_ms(1), true);
        rig.feed(us(1), Do::Delivered);
        let taken = (0..20).filter(|_| !rig.feed(us(2), Do::Serve).is_empty()).count();
        assert_eq!(taken, most, "{limit:?}");
    }
}

/// A node that was down knows of no debts, and of the same next hops.
#[test]
fn a_restart_forgets_debts() {
    let mut rig = Rig::new(airtime(None));
    let flows = [(1, FAST), (2, SLOW)];
    fill(&mut rig, &flows, 10);
    serve(&mut rig, &flows, Dur::from_ms(20));
    rig.feed(us(1), Do::Flush);
    fill(&mut rig, &flows, 10);
    let (used, _) = serve(&mut rig, &flows, Dur::from_us(8900));
    assert_eq!(used, [cost(FAST), cost(SLOW)], "each has a quantum, and goes below it");
}

/// A next hop without credit gets nothing beside what the MAC has for it while another one waits: missing packets of
/// its aggregates would have new ones join them for ever.
#[test]
fn debts_end_what_joins_an_aggregate() {
    let taken = |flows: &[(u32, u32)], spent: Dur| {
        let mut rig = Rig::taking(airtime(None));
        fill(&mut rig, &[(1, SLOW)], 40);
        rig.feed(us(1), Do::Serve);
        fill(&mut rig, flows, 40);
        rig.queue.used(NodeId(SLOW), spent, true);
        (0..20).filter(|_| !rig.feed(us(2), Do::Serve).is_empty()).count()
    };
    assert_eq!(taken(&[(2, FAST)], Dur::from_ms(4)), 0, "the other one has its turn");
    assert_eq!(taken(&[(2, FAST)], Dur::from_us(100)), 20, "there is credit");
    assert_eq!(taken(&[], Dur::from_ms(4)), 20, "nothing else waits");
}
