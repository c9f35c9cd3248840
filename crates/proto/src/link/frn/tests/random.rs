//! Whatever happens: no panic, each packet ends once, and the same again.

use proptest::prelude::*;

use super::board::Board;
use crate::link::PacketLink;
use crate::link::frn::entry::Phase;
use crate::link::frn::{Frn, FrnConfig, Interval, LifetimeStart, NextHop, Postpone, Queues};
use crate::units::Dur;
use crate::wire::PacketKind::{TcpAck, Udp};

fn config() -> impl Strategy<Value = FrnConfig> {
    let times = (1_u32..9, 0_u64..300, 0_u64..300, 1_u32..4, 0_u32..20);
    let waits = (1_u32..4, 0_u32..9, 0_u32..12, 0_usize..3, 1_u32..12, 1_u32..60);
    let rules = (0_u32..50, any::<bool>(), prop::option::of(0_u32..5), 0_usize..3, 1_u32..30);
    let switches = prop::array::uniform6(any::<bool>());
    (times, waits, rules, switches).prop_map(|(times, waits, rules, on)| FrnConfig {
        mini_slots: times.0,
        guard: Dur::from_us(times.1),
        clock_error: Dur::from_us(times.2),
        hold_off: times.3,
        retry_from: waits.0,
        retry_to: waits.0 + waits.1,
        retry_to_most: waits.0 + waits.1 + waits.2,
        interval: [Interval::Fixed, Interval::Load, Interval::CsmaCd][waits.3],
        history: waits.4,
        history_age: waits.5,
        lifetime: rules.0,
        lifetime_start: if rules.1 { LifetimeStart::Enqueue } else { LifetimeStart::FirstTransmission },
        max_retransmissions: rules.2,
        next_hop: [NextHop::Forward, NextHop::All, NextHop::LeastFailing][rules.3],
        limit: rules.4,
        stop_and_wait: on[0],
        late_echo: on[1],
        queues: if on[2] { Queues::One } else { Queues::Two },
        combine: on[3],
        postpone: if on[4] { Postpone::Ack } else { Postpone::Data },
        combine_waiting: on[5],
        ..FrnConfig::default()
    })
}

type Story = Vec<(u64, u32, u32, u32, Option<usize>)>;

fn tell(config: &FrnConfig, story: &Story, deaf: &[(usize, u64)]) -> (String, Vec<u64>, usize) {
    let mut board = Board::chain(config, 4);
    board.deaf = deaf.to_vec();
    let mut slot = 0;
    let mut up = [true; 5];
    for &(gap, from, to, size, power) in story {
        slot += gap;
        board.run_to(slot);
        if let Some(node) = power {
            up[node] = !up[node];
            board.power(node, up[node]);
        } else if from != to && up[from as usize] {
            board.make(if size < 100 { TcpAck } else { Udp }, from, to, size);
        }
        assert!(board.nodes.iter().all(|node| node.length() <= config.limit));
    }
    board.run_to(slot + 40);
    let held: usize = board.nodes.iter().map(|node| node.length() as usize).sum();
    if !config.late_echo {
        board.nodes.iter().for_each(each_transmission_has_one_end);
    }
    let live = board.packets.live();
    assert!(held <= live && live <= held + 2 * board.nodes.len(), "{held} held, {live} alive");
    (board.diagram(1..=slot + 40), board.arrived, held)
}

/// Late echoes apart, which come after they were missed.
fn each_transmission_has_one_end(node: &Frn) {
    let it = node.counters();
    let under_way = node.entries.iter().filter(|entry| entry.state.phase == Phase::Waiting).count() as u64;
    assert_eq!(it.frames + it.combined, it.echoes + it.missed + it.unawaited + under_way);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_story_ends_and_is_the_same_when_it_is_told_again(
        config in config(),
        story in prop::collection::vec((0_u64..6, 0_u32..5, 0_u32..5, 40_u32..1000, prop::option::weighted(0.1, 0_usize..5)), 1..40),
        deaf in prop::collection::vec((0_usize..5, 0_u64..120), 0..60),
    ) {
        prop_assert_eq!(tell(&config, &story, &deaf), tell(&config, &story, &deaf));
    }
}
