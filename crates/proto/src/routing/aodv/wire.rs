//! AODV's messages on the wire, RFC 3561 §5: RREQ (type 1), RREP (2), RERR (3), RREP-ACK (4). Hellos are replies.
//!
//! What is reserved is sent as zero and ignored on reception.

use std::sync::Arc;

use super::config::WireSize;
use crate::units::{Bytes, NodeId};
use crate::wire::Malformed;
use crate::wire::address::{self, one_node};

const RREQ: u8 = 1;
const RREP: u8 = 2;
const RERR: u8 = 3;
const ACK: u8 = 4;
/// Second byte of a request: gratuitous reply, destination only, unknown sequence number.
const G: u8 = 0x20;
const D: u8 = 0x10;
const U: u8 = 0x08;
/// Second byte of a reply: acknowledgment required.
const A: u8 = 0x40;
/// Second byte of an error: do not delete.
const N: u8 = 0x80;
/// IPv4 and UDP headers.
const HEADERS: usize = 28;
/// Most destinations in an error: their count is a byte.
pub(super) const MOST_UNREACHABLE: usize = 255;

/// Route request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// G: a reply from a table shall be told to the destination too.
    pub gratuitous: bool,
    /// D: only the destination may reply.
    pub destination_only: bool,
    /// Hops from the originator to the node that sent this copy.
    pub hops: u8,
    /// Number of the request, the originator's own count.
    pub id: u32,
    /// The node that is looked for.
    pub destination: NodeId,
    /// The newest sequence number known of it; none: the U flag.
    pub destination_sequence: Option<u32>,
    /// The node that asks.
    pub originator: NodeId,
    /// Its sequence number.
    pub originator_sequence: u32,
}

/// What tells requests apart: which node asks, and its number of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RequestKey {
    /// The node that asks.
    pub(super) originator: NodeId,
    /// The originator's own count.
    pub(super) id: u32,
}

impl RequestKey {
    /// Of no request.
    pub(super) const NONE: Self = Self { originator: NodeId::BROADCAST, id: 0 };

    /// A number in whose low bits requests differ that have little to do with each other.
    #[inline]
    pub(super) const fn spread(self) -> u32 {
        self.originator.0.wrapping_mul(0x9e37_79b1).wrapping_add(self.id) // Knuth's multiplicative hash
    }
}

impl Request {
    /// What tells it from others.
    pub(super) const fn key(&self) -> RequestKey {
        RequestKey { originator: self.originator, id: self.id }
    }
}

/// Route reply, or hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// A: an acknowledgment is asked for.
    pub acknowledge: bool,
    /// Hops from the node that sent this copy to the destination.
    pub hops: u8,
    /// The node that was looked for.
    pub destination: NodeId,
    /// Its sequence number.
    pub destination_sequence: u32,
    /// The node that asked; of a hello the same as the destination.
    pub originator: NodeId,
    /// How long the route may be used, in milliseconds.
    pub lifetime_ms: u32,
}

/// A destination that cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// Which.
    pub destination: NodeId,
    /// Its sequence number.
    pub sequence: u32,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Route request.
    Request(Request),
    /// Route reply, or hello.
    Reply(Reply),
    /// Route error.
    Error {
        /// N: the route has been mended; it must not be deleted.
        keep: bool,
        /// The node that cannot be reached.
        unreachable: Vec<Unreachable>,
    },
    /// Acknowledgment of a reply.
    Acknowledgment,
}

/// The bytes of a message. An error tells of [`MOST_UNREACHABLE`] destinations at most.
#[must_use]
pub fn emit(message: &Message) -> Arc<[u8]> {
    match message {
        Message::Request(request) => {
            let unknown = request.destination_sequence.is_none();
            let flag = |set: bool, bit: u8| if set { bit } else { 0 };
            let flags = flag(request.gratuitous, G) | flag(request.destination_only, D) | flag(unknown, U);
            words([
                [RREQ, flags, 0, request.hops],
                request.id.to_be_bytes(),
                address::ipv4(request.destination),
                request.destination_sequence.unwrap_or(0).to_be_bytes(),
                address::ipv4(request.originator),
                request.originator_sequence.to_be_bytes(),
            ])
        }
        Message::Reply(reply) => words([
            [RREP, if reply.acknowledge { A } else { 0 }, 0, reply.hops],
            address::ipv4(reply.destination),
            reply.destination_sequence.to_be_bytes(),
            address::ipv4(reply.originator),
            reply.lifetime_ms.to_be_bytes(),
        ]),
        Message::Error { keep, unreachable } => {
            let told = &unreachable[..unreachable.len().min(MOST_UNREACHABLE)];
            let mut lines = vec![[RERR, if *keep { N } else { 0 }, 0, told.len() as u8]];
            lines.extend(
                told.iter().flat_map(|lost| [address::ipv4(lost.destination), lost.sequence.to_be_bytes()]),
            );
            lines.as_flattened().into()
        }
        Message::Acknowledgment => [ACK, 0].into(),
    }
}

/// The bytes of so many words of a header.
fn words<const N: usize>(words: [[u8; 4]; N]) -> Arc<[u8]> {
    words.as_flattened().into()
}

/// The message in these bytes.
///
/// # Errors
/// If they are no message: of no type, cut or too long, without a destination, or about an address that no node has.
pub fn parse(body: &[u8]) -> Result<Message, Malformed> {
    match body {
        [RREQ, flags, _, hops, rest @ ..] => request(*flags, *hops, rest).map(Message::Request),
        [RREP, flags, _, hops, rest @ ..] => reply(*flags, *hops, rest),
        [RERR, flags, _, count, rest @ ..] => error(*flags, *count, rest),
        [ACK, _] => Ok(Message::Acknowledgment),
        _ => Err(Malformed("not a type of AODV, or cut")),
    }
}

/// What tells the request in these bytes from others; none if they are another message, or none.
#[inline]
pub(super) fn request_key(body: &[u8]) -> Option<RequestKey> {
    let [RREQ, flags, _, hops, rest @ ..] = body else { return None };
    request(*flags, *hops, rest).ok().map(|request| request.key())
}

#[inline(always)]
fn request(flags: u8, hops: u8, rest: &[u8]) -> Result<Request, Malformed> {
    let ([id, destination, sequence, originator, originator_sequence], []) = rest.as_chunks::<4>() else {
        return Err(Malformed("a request has 24 bytes"));
    };
    Ok(Request {
        gratuitous: flags & G != 0,
        destination_only: flags & D != 0,
        hops,
        id: u32::from_be_bytes(*id),
        destination: one_node(*destination)?,
        destination_sequence: (flags & U == 0).then_some(u32::from_be_bytes(*sequence)),
        originator: one_node(*originator)?,
        originator_sequence: u32::from_be_bytes(*originator_sequence),
    })
}

fn reply(flags: u8, hops: u8, rest: &[u8]) -> Result<Message, Malformed> {
    let ([destination, sequence, originator, lifetime], []) = rest.as_chunks::<4>() else {
        return Err(Malformed("a reply has 20 bytes"));
    };
    Ok(Message::Reply(Reply {
        acknowledge: flags & A != 0,
        hops,
        destination: one_node(*destination)?,
        destination_sequence: u32::from_be_bytes(*sequence),
        originator: one_node(*originator)?,
        lifetime_ms: u32::from_be_bytes(*lifetime),
    }))
}

fn error(flags: u8, count: u8, rest: &[u8]) -> Result<Message, Malformed> {
    let (lines, []) = rest.as_chunks::<8>() else {
        return Err(Malformed("an error has eight bytes for each destination"));
    };
    if lines.is_empty() || lines.len() != usize::from(count) {
        return Err(Malformed("an error tells of as many destinations as it says, one at least"));
    }
    let line = |&[a, b, c, d, s0, s1, s2, s3]: &[u8; 8]| {
        let destination = one_node([a, b, c, d])?;
        Ok(Unreachable { destination, sequence: u32::from_be_bytes([s0, s1, s2, s3]) })
    };
    let unreachable = lines.iter().map(line).collect::<Result<_, Malformed>>()?;
    Ok(Message::Error { keep: flags & N != 0, unreachable })
}

/// The simulated length of a message of `body` bytes, with its headers.
#[must_use]
pub fn size(message: &Message, body: usize, wire: WireSize) -> Bytes {
    let bytes = match (wire, message) {
        (WireSize::Rfc, _) | (WireSize::Ns2, Message::Acknowledgment) => HEADERS + body,
        (WireSize::Ns2, Message::Request(_)) => 48,
        (WireSize::Ns2, Message::Reply(_)) => 44,
        (WireSize::Ns2, Message::Error { .. }) => HEADERS - 8 + body,
    };
    Bytes(u32::try_from(bytes).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request() -> Request {
        Request {
            gratuitous: true,
            destination_only: false,
            hops: 2,
            id: 7,
            destination: NodeId(4),
            destination_sequence: None,
            originator: NodeId(0),
            originator_sequence: 0x0102_0304,
        }
    }

    #[test]
    fn messages_are_laid_out_as_the_rfc_draws_them() {
        let bytes = emit(&Message::Request(request()));
        let head = [1, 0x28, 0, 2, 0, 0, 0, 7];
        assert_eq!(*bytes, [&head[..], &[10, 0, 0, 5, 0, 0, 0, 0], &[10, 0, 0, 1, 1, 2, 3, 4]].concat());
        let reply = Reply {
            acknowledge: true,
            hops: 3,
            destination: NodeId(4),
            destination_sequence: 9,
            originator: NodeId(0),
            lifetime_ms: 6_000,
        };
        let tail = [10, 0, 0, 5, 0, 0, 0, 9, 10, 0, 0, 1, 0, 0, 0x17, 0x70];
        assert_eq!(*emit(&Message::Reply(reply)), [&[2, 0x40, 0, 3][..], &tail].concat());
        let lost = Unreachable { destination: NodeId(4), sequence: 10 };
        let error = Message::Error { keep: true, unreachable: vec![lost] };
        assert_eq!(*emit(&error), [3, 0x80, 0, 1, 10, 0, 0, 5, 0, 0, 0, 10]);
        assert_eq!(*emit(&Message::Acknowledgment), [4, 0]);
        let plain = emit(&Message::Reply(Reply { acknowledge: false, ..reply }));
        assert_eq!(plain[..4], [2, 0, 0, 3], "no bit is set that nobody has set");
        let most = emit(&Message::Error { keep: false, unreachable: vec![lost; 300] });
        assert_eq!((&most[..4], most.len()), (&[3, 0, 0, 255][..], 4 + 255 * 8));
    }

    #[test]
    fn lengths_are_those_of_the_rfc_or_of_ns2() {
        let lost = Unreachable { destination: NodeId(4), sequence: 10 };
        let error = Message::Error { keep: false, unreachable: vec![lost; 3] };
        let reply = parse(&[&[2, 0, 0, 0][..], &[10, 0, 0, 5, 0, 0, 0, 0, 10, 0, 0, 5, 0, 0, 0, 0]].concat());
        for (message, rfc, ns2) in
            [(Message::Request(request()), 52, 48), (reply.expect("20 bytes"), 48, 44), (error, 56, 48)]
        {
            let body = emit(&message).len();
            assert_eq!(size(&message, body, WireSize::Rfc), Bytes(rfc));
            assert_eq!(size(&message, body, WireSize::Ns2), Bytes(ns2));
        }
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let whole = emit(&Message::Request(request()));
        for bytes in [
            &[][..],
            &[5, 0, 0, 0],
            &whole[..23],
            &[4],
            &[4, 0, 0],
            &[3, 0, 0, 0],
            &[3, 0, 0, 2, 10, 0, 0, 5, 0, 0, 0, 1],
        ] {
            assert!(parse(bytes).is_err(), "{bytes:?}");
        }
        let mut nobody = whole.to_vec();
        nobody[8] = 11;
        assert!(parse(&nobody).is_err(), "no node has 11.0.0.5");
        nobody[8..12].copy_from_slice(&[10, 255, 255, 255]);
        assert!(parse(&nobody).is_err(), "nor 10.255.255.255");
        nobody[8..12].fill(255);
        assert!(parse(&nobody).is_err(), "nobody asks for all");
    }

    fn any_node() -> impl Strategy<Value = NodeId> {
        (0..address::MOST_NODES).prop_map(NodeId)
    }

    fn any_message() -> impl Strategy<Value = Message> {
        let numbers = (any::<u8>(), any::<u32>(), any::<u32>(), any::<u32>());
        let request = (any::<(bool, bool, bool)>(), numbers, any_node(), any_node()).prop_map(
            |((gratuitous, destination_only, known), (hops, id, sequence, own), destination, originator)| {
                Message::Request(Request {
                    gratuitous,
                    destination_only,
                    hops,
                    id,
                    destination,
                    destination_sequence: known.then_some(sequence),
                    originator,
                    originator_sequence: own,
                })
            },
        );
        let numbers = (any::<u8>(), any::<u32>(), any::<u32>());
        let reply = (any::<bool>(), numbers, any_node(), any_node()).prop_map(
            |(acknowledge, (hops, destination_sequence, lifetime_ms), destination, originator)| {
                Message::Reply(Reply {
                    acknowledge,
                    hops,
                    destination,
                    destination_sequence,
                    originator,
                    lifetime_ms,
                })
            },
        );
        let lost = (any_node(), any::<u32>())
            .prop_map(|(destination, sequence)| Unreachable { destination, sequence });
        let error = (any::<bool>(), prop::collection::vec(lost, 1..=MOST_UNREACHABLE))
            .prop_map(|(keep, unreachable)| Message::Error { keep, unreachable });
        prop_oneof![request, reply, error, Just(Message::Acknowledgment)]
    }

    proptest! {
        #[test]
        fn what_is_emitted_is_parsed(message in any_message()) {
            prop_assert_eq!(parse(&emit(&message)), Ok(message));
        }

        #[test]
        fn any_bytes_are_a_message_or_an_error(mut body in prop::collection::vec(any::<u8>(), 0..60), kind in 0u8..6) {
            if let Some(first) = body.first_mut() {
                *first = kind;
            }
            if let Ok(message) = parse(&body) {
                prop_assert_eq!(emit(&message).len(), body.len());
            }
        }
    }
}
