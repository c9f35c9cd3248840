//! Tables 1 to 4 and figure 3.

use proptest::prelude::*;

use crate::contract::Class;
use crate::routing::frn::{ConfigurationTable, FARTHEST, Line, Reliability, emit, parse, size};
use crate::units::{Bytes, NodeId};

fn next_hops(table: &ConfigurationTable, destination: u32) -> Vec<(u32, Class)> {
    table.next_hops(NodeId(destination)).iter().map(|way| (way.neighbour.0, way.class)).collect()
}

fn lines(lines: &[(u32, u8)]) -> Vec<Line> {
    lines.iter().map(|&(id, relays)| (NodeId(id), relays)).collect()
}

//  □ × □ □ … □ ×
#[test]
fn a_row_of_table_4_counts_what_was_received_of_the_last_cycles() {
    let mut row = Reliability::default();
    for received in [true, false, true, true, true, false] {
        if received {
            row.hear();
        }
        row.end_cycle();
    }
    assert_eq!([1, 2, 3, 6, 8, 32].map(|window| row.received(window)), [0, 1, 2, 4, 4, 4]);
    assert!(row.is_above(0.6, 6) && !row.is_above(4.0 / 6.0, 6), "4/6 is not above 4/6");
    assert!(!row.is_above(0.5, 8), "nor 4/8 above one half");
    row.hear();
    assert_eq!(row.received(1), 0, "the cycle is not over");
    row.end_cycle();
    assert!(row.is_above(0.5, 8));
}

#[test]
fn table_1_lists_for_each_destination_the_neighbours_and_their_relays() {
    let mut table = ConfigurationTable::new(NodeId(0));
    table.install(NodeId(1), lines(&[(1, 0), (3, 1), (4, 2)]));
    table.install(NodeId(2), lines(&[(2, 0), (3, 2)]));
    assert_eq!(next_hops(&table, 3), [(1, Class::Forward), (2, Class::Sideward)]);
    assert_eq!(next_hops(&table, 4), [(1, Class::Forward)]);
    assert_eq!(next_hops(&table, 5), []);
    assert_eq!(next_hops(&table, 0), [], "it is there already");
    assert_eq!(
        [0, 1, 3, 4, 5].map(|id| table.shortest(NodeId(id))),
        [Some(0), Some(1), Some(2), Some(3), None]
    );
    assert_eq!(table.next_hop(NodeId(4)), Some(NodeId(1)));
    assert_eq!(table.next_hop(NodeId(0)), None);
}

#[test]
fn what_a_neighbour_no_longer_says_it_no_longer_reaches() {
    let mut table = ConfigurationTable::new(NodeId(0));
    table.install(NodeId(1), lines(&[(1, 0), (3, 1), (4, 2)]));
    table.install(NodeId(1), lines(&[(1, 0), (4, 3)]));
    assert_eq!((next_hops(&table, 3), table.shortest(NodeId(4))), (vec![], Some(4)));
}

#[test]
fn figure_3_sorts_neighbours_into_forward_sideward_and_backward() {
    let mut table = ConfigurationTable::new(NodeId(0));
    for (neighbour, relays) in [(1, 4), (2, 2), (3, 3), (4, 2), (5, 7)] {
        table.install(NodeId(neighbour), lines(&[(9, relays)]));
    }
    let (forward, sideward, backward) = (Class::Forward, Class::Sideward, Class::Backward);
    assert_eq!(
        next_hops(&table, 9),
        [(2, forward), (4, forward), (3, sideward), (1, backward), (5, backward)]
    );
}

// Table 3: the packet of node 0 says that it is 0 relays from itself, 2 from node 1, 1 from node 2 and 3 from node 3.
#[test]
fn a_control_packet_is_table_3() {
    let mut table = ConfigurationTable::new(NodeId(0));
    table.install(NodeId(2), lines(&[(2, 0), (1, 1), (3, 2), (0, 1)]));
    let all: Vec<Line> = table.all().collect();
    assert_eq!(all, lines(&[(0, 0), (1, 2), (2, 1), (3, 3)]));
    let body = emit(all.iter().copied());
    assert_eq!(body[..10], [10, 0, 0, 1, 0, 10, 0, 0, 2, 2]);
    assert_eq!(size(&body), Bytes(40));
    assert_eq!(parse(&body, NodeId(0)), Ok(all));
}

#[test]
fn what_is_farther_than_32_relays_is_not_reached() {
    let mut table = ConfigurationTable::new(NodeId(0));
    table.install(NodeId(1), lines(&[(7, FARTHEST - 1), (8, FARTHEST)]));
    assert_eq!(table.shortest(NodeId(7)), Some(FARTHEST));
    assert_eq!((table.shortest(NodeId(8)), next_hops(&table, 8)), (None, Vec::new()));
}

#[test]
fn a_neighbour_is_accepted_above_the_threshold_and_forgotten_after_a_silent_window() {
    let mut table = ConfigurationTable::new(NodeId(0));
    let mut counts = Vec::new();
    for cycle in 0..12 {
        if cycle < 3 {
            table.hear(NodeId(1), lines(&[(1, 0)]));
        }
        table.end_cycle(4, 0.5);
        counts.push((table.reliability(NodeId(1), 4), table.shortest(NodeId(1))));
    }
    let (near, not) = (Some(1), None);
    assert_eq!(counts[..3], [(Some(1), not), (Some(2), not), (Some(3), near)], "2/4 is not above one half");
    assert_eq!(counts[3..7], [(Some(3), near), (Some(2), not), (Some(1), not), (None, not)]);
}

#[test]
fn what_is_no_control_packet_is_refused() {
    let own = [10, 0, 0, 1, 0];
    for (bytes, from) in [
        (&own[..4], 0),                           // half a line
        (&[], 0),                                 // nothing
        (&own, 1),                                // another's
        (&[10, 0, 0, 1, 1], 0),                   // one relay from itself
        (&[192, 168, 0, 1, 0], 0),                // no address
        (&[10, 0, 0, 1, 0, 10, 0, 0, 2, 33], 0),  // too far
        (&[10, 0, 0, 1, 0, 10, 200, 0, 2, 1], 0), // a number that would fill memory
    ] {
        assert!(parse(bytes, NodeId(from)).is_err(), "{bytes:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64), from in 0_u32..4) {
        if let Ok(lines) = parse(&bytes, NodeId(from)) {
            prop_assert_eq!(&*emit(lines.into_iter()), &bytes[..]);
        }
    }

    #[test]
    fn the_best_way_is_always_forward(relays in prop::collection::vec(0_u8..=FARTHEST, 1..8)) {
        let mut table = ConfigurationTable::new(NodeId(0));
        for (neighbour, &count) in (1..).zip(&relays) {
            table.install(NodeId(neighbour), lines(&[(99, count)]));
        }
        let next_hops = next_hops(&table, 99);
        if table.shortest(NodeId(99)).is_some() {
            prop_assert_eq!(next_hops.len(), relays.len());
            prop_assert!(next_hops.is_sorted_by_key(|&(_, class)| class));
            prop_assert_eq!(next_hops[0].1, Class::Forward);
            prop_assert_eq!(Some(NodeId(next_hops[0].0)), table.next_hop(NodeId(99)));
        }
    }
}
