//! The codec.

use proptest::prelude::*;

use crate::routing::dsr::wire::{FlowHeader, Header, Request, RouteError, SourceRoute, Trouble};
use crate::units::NodeId;
use crate::wire::Malformed;
use crate::wire::address::MOST_NODES;

fn nodes(numbers: &[u32]) -> Vec<NodeId> {
    numbers.iter().copied().map(NodeId).collect()
}

#[test]
fn a_source_route_stands_as_the_rfc_draws_it() {
    let route = SourceRoute { salvage: 3, left: 1, addresses: nodes(&[0, 8]) };
    let header = Header { next: 6, route: Some(route), ..Header::default() };
    let expected = [
        6, 0, 0, 12, // next header, reserved, length of the options
        96, 10, 0,
        0xc1, // option, length; first and last hop external, reserved, salvage 3, segments left 1
        10, 0, 0, 1, 10, 0, 0, 9,
    ];
    assert_eq!(*header.emit(), expected);
}

#[test]
fn a_request_with_an_error_on_board() {
    let error = RouteError {
        salvage: 2,
        source: NodeId(4),
        destination: NodeId(0),
        what: Trouble::Unreachable(NodeId(5)),
    };
    let request = Request { id: 0x0102, target: NodeId(6), addresses: nodes(&[1]) };
    let header = Header { next: 59, request: Some(request), errors: vec![error], ..Header::default() };
    let expected = [
        59, 0, 0, 28, //
        1, 10, 1, 2, 10, 0, 0, 7, 10, 0, 0, 2, //
        3, 14, 1, 2, 10, 0, 0, 5, 10, 0, 0, 1, 10, 0, 0, 6,
    ];
    assert_eq!(*header.emit(), expected);
}

#[test]
fn options_are_padded_to_four_bytes() {
    let reply = Header { next: 59, reply: Some(nodes(&[1, 2])), ..Header::default() };
    let bytes = reply.emit();
    assert_eq!(bytes[..7], [59, 0, 0, 12, 2, 9, 0]);
    assert_eq!(bytes[15..], [224], "one byte");
    let unknown = RouteError {
        salvage: 0,
        source: NodeId(4),
        destination: NodeId(0),
        what: Trouble::FlowUnknown(NodeId(5), 7),
    };
    let two = Header { next: 59, errors: vec![unknown], ..Header::default() }.emit();
    assert_eq!(two[two.len() - 2..], [0, 0], "two");
    let both =
        Header { next: 59, reply: Some(nodes(&[1])), errors: vec![unknown], ..Header::default() }.emit();
    assert_eq!(both[both.len() - 3..], [0, 1, 0], "three");
}

#[test]
fn a_flow_stands_before_the_options_or_in_their_place() {
    let flow = FlowHeader { hops: 2, id: 0x0305 };
    let alone = Header { next: 6, flow: Some(flow), ..Header::default() };
    assert_eq!(*alone.emit(), [6, 0x82, 3, 5]);
    let set_up = Header { timeout: Some(60), ..alone };
    assert_eq!(*set_up.emit(), [48, 0x82, 3, 5, 6, 0, 0, 4, 128, 2, 0, 60]);
}

#[test]
fn what_is_no_header_is_refused() {
    let refused: [(&[u8], &str); 13] = [
        (&[], "nothing"),
        (&[6, 0, 0], "cut"),
        (&[6, 0, 0, 4], "shorter than it says"),
        (&[6, 0, 0, 2, 0, 0], "no multiple of four"),
        (&[6, 0, 0, 4, 77, 2, 0, 0], "an unknown option"),
        (&[6, 0, 0, 4, 128, 2, 0, 60, 0, 0, 0, 0], "longer than it says"),
        (&[6, 0, 0, 8, 128, 2, 0, 60, 128, 2, 0, 60], "an option twice"),
        (&[6, 0, 0, 8, 96, 6, 0, 1, 11, 0, 0, 1], "no node has 11.0.0.1"),
        (&[6, 0, 0, 8, 96, 6, 0, 1, 10, 255, 255, 255], "nor 10.255.255.255"),
        (&[6, 0, 0, 8, 96, 6, 0, 2, 10, 0, 0, 1], "more segments left than there are"),
        (&[6, 0, 0, 8, 96, 6, 0, 0x41, 10, 0, 0, 1], "the salvaging node is to be visited"),
        (&[6, 0, 0, 4, 2, 1, 0, 224], "a reply without addresses"),
        (&[48, 0x81, 0, 1], "nothing after a flow that says so"),
    ];
    for (bytes, why) in refused {
        assert!(Header::parse(bytes).is_err(), "{why}: {bytes:?}");
    }
}

fn node() -> impl Strategy<Value = NodeId> {
    (0..MOST_NODES).prop_map(NodeId)
}

fn path(least: usize) -> impl Strategy<Value = Vec<NodeId>> {
    prop::collection::vec(node(), least..16)
}

fn error() -> impl Strategy<Value = RouteError> {
    let what = prop_oneof![
        node().prop_map(Trouble::Unreachable),
        (node(), any::<u16>()).prop_map(|(node, id)| Trouble::FlowUnknown(node, id)),
        node().prop_map(Trouble::DefaultFlowUnknown),
    ];
    (0u8..16, node(), node(), what).prop_map(|(salvage, source, destination, what)| RouteError {
        salvage,
        source,
        destination,
        what,
    })
}

fn source_route() -> impl Strategy<Value = SourceRoute> {
    (0u8..16, any::<u8>(), path(1)).prop_map(|(salvage, left, addresses)| {
        let most = addresses.len() as u8 + u8::from(salvage == 0);
        SourceRoute { salvage, left: left % most, addresses }
    })
}

prop_compose! {
    fn header()(
        next in any::<u8>(),
        flow in prop::option::of((0u8..128, any::<u16>()).prop_map(|(hops, id)| FlowHeader { hops, id })),
        request in prop::option::of((any::<u16>(), node(), path(0))
            .prop_map(|(id, target, addresses)| Request { id, target, addresses })),
        reply in prop::option::of(path(1)),
        errors in prop::collection::vec(error(), 0..4),
        timeout in prop::option::of(any::<u16>()),
        route in prop::option::of(source_route()),
    ) -> Header {
        Header { next, flow, request, reply, errors, timeout, route }
    }
}

#[test]
fn a_header_in_a_header_is_malformed() {
    // A flow, an empty header, and after it once more DSR: written anew it would be a flow that is cut off.
    let bytes = [48, 0xf4, 0xf9, 0xf9, 48, 0, 0, 0];
    assert_eq!(Header::parse(&bytes), Err(Malformed("a DSR header in a DSR header")));
}

proptest! {
    #[test]
    fn what_is_emitted_is_parsed(header in header()) {
        // A flow alone says what follows; "DSR" would be a promise.
        prop_assume!(header.next != 48);
        prop_assert_eq!(Header::parse(&header.emit()), Ok(header));
    }

    #[test]
    fn any_bytes_are_a_header_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        if let Ok(header) = Header::parse(&bytes) {
            prop_assert_eq!(Header::parse(&header.emit()), Ok(header));
        }
    }

    #[test]
    fn damaged_headers_do_no_harm(header in header(), place in any::<prop::sample::Index>(), bits in 1u8..) {
        let mut bytes = header.emit().to_vec();
        let place = place.index(bytes.len());
        bytes[place] ^= bits;
        if let Ok(other) = Header::parse(&bytes) {
            prop_assert_eq!(Header::parse(&other.emit()), Ok(other));
        }
    }
}

/// RFC 4728 §6.1: the header names what follows it by the number that it has in IP.
#[test]
fn the_header_names_the_protocol_that_follows() {
    use crate::routing::dsr::source_route::next_header;
    use crate::testing::packet;
    use crate::units::FlowId;
    use crate::wire::{Payload, Segment, Signal, SignalKind};
    let number = |payload| next_header(&packet(FlowId(0), NodeId(9), 100, payload));
    let signal =
        Signal { kind: SignalKind::BadState, source: NodeId(0), destination: NodeId(9), sequence: 0 };
    assert_eq!(number(Payload::Tcp(Segment::default())), 6, "TCP");
    assert_eq!(number(Payload::Signal(signal)), 1, "ICMP");
    let mut packets = crate::wire::PacketStore::new(1);
    let udp = crate::testing::udp(&mut packets, FlowId(0), NodeId(9), 0, 100);
    assert_eq!(next_header(&packets[udp]), 17, "UDP");
    let message = crate::testing::routing_message(&mut packets, crate::wire::Protocol::Dsr, &[]);
    assert_eq!(next_header(&packets[message]), 59, "no next header (RFC 8200 §4.7)");
}
