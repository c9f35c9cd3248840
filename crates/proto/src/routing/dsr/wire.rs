//! The header of Dynamic Source Routing (RFC 4728 §6 and §7), IP protocol 48: a fixed part of four bytes and options,
//! padded to a multiple of four bytes. Before it, or in its place, may stand the four bytes of a flow (§7.1).
//!
//! Acknowledgments and requests for them (§6.5, §6.6) are not made here, where the MAC acknowledges, and not known.

use std::sync::Arc;

use crate::units::NodeId;
use crate::wire::Malformed;
use crate::wire::address::{self, one_node};

/// Next header: none (RFC 8200 §4.7), another header of this protocol.
pub(super) const NO_NEXT_HEADER: u8 = 59;
const DSR: u8 = 48;
/// Option types, §6.2 to §6.8 and §7.2.
const PAD_N: u8 = 0;
const ROUTE_REQUEST: u8 = 1;
const ROUTE_REPLY: u8 = 2;
const ROUTE_ERROR: u8 = 3;
const SOURCE_ROUTE: u8 = 96;
const TIMEOUT: u8 = 128;
const PAD_1: u8 = 224;
/// Error types, §6.4 and §7.3.
const NODE_UNREACHABLE: u8 = 1;
const FLOW_UNKNOWN: u8 = 129;
const DEFAULT_FLOW_UNKNOWN: u8 = 130;
/// Most addresses of an option: its length is one byte, and no route is nearly as long.
const MOST_ADDRESSES: usize = 60;

/// A route request, §6.2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Number that the initiator has given it.
    pub id: u16,
    /// The node that is looked for.
    pub target: NodeId,
    /// Relays that it has passed.
    pub addresses: Vec<NodeId>,
}

/// A route error, §6.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteError {
    /// Salvage count of the packet that it is about.
    pub salvage: u8,
    /// The node that reports it.
    pub source: NodeId,
    /// The node that shall hear it.
    pub destination: NodeId,
    /// What is wrong.
    pub what: Trouble,
}

/// What a route error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The link from its source to this node is broken.
    Unreachable(NodeId),
    /// A flow to this destination is not known, §7.3.1.
    FlowUnknown(NodeId, u16),
    /// There is no default flow to this destination, §7.3.2.
    DefaultFlowUnknown(NodeId),
}

/// A source route, §6.7. Without salvaging it runs from the packet's source over the addresses to its destination; a
/// salvaged packet's begins at the first address, of the node that salvaged it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRoute {
    /// How often the packet has been salvaged; four bits.
    pub salvage: u8,
    /// Addresses that have still to be visited; six bits.
    pub left: u8,
    /// Relays.
    pub addresses: Vec<NodeId>,
}

/// The flow that a packet belongs to, §7.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowHeader {
    /// Hops that it has gone; seven bits.
    pub hops: u8,
    /// The flow's number.
    pub id: u16,
}

/// A whole header. Options stand in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Protocol of what follows.
    pub next: u8,
    /// Header of the flow.
    pub flow: Option<FlowHeader>,
    /// Request.
    pub request: Option<Request>,
    /// Addresses of a reply: the route from the packet's destination, which is not among them, to the target, which is
    /// (§6.3).
    pub reply: Option<Vec<NodeId>>,
    /// Errors.
    pub errors: Vec<RouteError>,
    /// Lifetime of the flow in seconds, §7.2.1.
    pub timeout: Option<u16>,
    /// Source route.
    pub route: Option<SourceRoute>,
}

impl Header {
    /// Whether there is anything but a flow in it.
    fn has_options(&self) -> bool {
        self.request.is_some()
            || self.reply.is_some()
            || !self.errors.is_empty()
            || self.timeout.is_some()
            || self.route.is_some()
    }

    /// Its bytes.
    #[must_use]
    pub fn emit(&self) -> Arc<[u8]> {
        let mut out = Vec::with_capacity(64);
        let options = self.has_options() || self.flow.is_none();
        if let Some(flow) = self.flow {
            let [high, low] = flow.id.to_be_bytes();
            out.extend([if options { DSR } else { self.next }, 0x80 | flow.hops & 0x7f, high, low]);
        }
        if options {
            let start = out.len();
            out.extend([self.next, 0, 0, 0]);
            self.emit_options(&mut out);
            match (out.len() - start) % 4 {
                0 => {}
                3 => out.push(PAD_1),
                odd => out.extend([PAD_N, 2 - odd as u8].into_iter().chain(vec![0; 2 - odd])), // 1 or 2
            }
            let length = u16::try_from(out.len() - start - 4).unwrap_or(u16::MAX); // a few hundred
            out[start + 2..start + 4].copy_from_slice(&length.to_be_bytes());
        }
        out.into()
    }

    fn emit_options(&self, out: &mut Vec<u8>) {
        if let Some(request) = &self.request {
            option(out, ROUTE_REQUEST, |out| {
                out.extend(request.id.to_be_bytes());
                out.extend(address::ipv4(request.target));
                addresses(out, &request.addresses);
            });
        }
        if let Some(reply) = &self.reply {
            option(out, ROUTE_REPLY, |out| {
                out.push(0);
                addresses(out, reply);
            });
        }
        for error in &self.errors {
            option(out, ROUTE_ERROR, |out| emit_error(out, error));
        }
        if let Some(timeout) = self.timeout {
            option(out, TIMEOUT, |out| out.extend(timeout.to_be_bytes()));
        }
        if let Some(route) = &self.route {
            option(out, SOURCE_ROUTE, |out| {
                let bits = u16::from(route.salvage & 0xf) << 6 | u16::from(route.left & 0x3f);
                out.extend(bits.to_be_bytes());
                addresses(out, &route.addresses);
            });
        }
    }

    /// Reads a header. No byte may be left over.
    ///
    /// # Errors
    /// If the bytes are none, hold an option twice or one that is not known, or an address that no node has.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut header = Self::default();
        let mut bytes = bytes;
        if let [next, hops, high, low, rest @ ..] = bytes
            && hops & 0x80 != 0
        {
            header.next = *next;
            header.flow = Some(FlowHeader { hops: hops & 0x7f, id: u16::from_be_bytes([*high, *low]) });
            if rest.is_empty() {
                return if *next == DSR { Err(Malformed("cut after the flow")) } else { Ok(header) };
            }
            if *next != DSR {
                return Err(Malformed("more after the flow"));
            }
            bytes = rest;
        }
        let [next, 0, high, low, options @ ..] = bytes else { return Err(Malformed("no DSR header")) };
        if *next == DSR {
            return Err(Malformed("a DSR header in a DSR header"));
        }
        header.next = *next;
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        if length != options.len() || length % 4 != 0 {
            return Err(Malformed("another length than it says"));
        }
        header.parse_options(options)?;
        Ok(header)
    }

    fn parse_options(&mut self, mut rest: &[u8]) -> Result<(), Malformed> {
        while let [kind, after @ ..] = rest {
            if *kind == PAD_1 {
                rest = after;
                continue;
            }
            let [length, after @ ..] = after else { return Err(Malformed("an option without length")) };
            let Some((data, after)) = after.split_at_checked(usize::from(*length)) else {
                return Err(Malformed("an option beyond the end"));
            };
            rest = after;
            match *kind {
                PAD_N => {}
                ROUTE_REQUEST => once(&mut self.request, request(data)?)?,
                ROUTE_REPLY => once(&mut self.reply, reply(data)?)?,
                ROUTE_ERROR => self.errors.push(error(data)?),
                TIMEOUT => match data {
                    [high, low] => once(&mut self.timeout, u16::from_be_bytes([*high, *low]))?,
                    _ => return Err(Malformed("a timeout has two bytes")),
                },
                SOURCE_ROUTE => once(&mut self.route, source_route(data)?)?,
                _ => return Err(Malformed("an unknown option")),
            }
        }
        Ok(())
    }
}

fn once<T>(place: &mut Option<T>, value: T) -> Result<(), Malformed> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(Malformed("an option twice")),
    }
}

fn option(out: &mut Vec<u8>, kind: u8, data: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend([kind, 0]);
    data(out);
    out[start + 1] = u8::try_from(out.len() - start - 2).unwrap_or(u8::MAX); // at most 246
}

fn addresses(out: &mut Vec<u8>, nodes: &[NodeId]) {
    nodes.iter().take(MOST_ADDRESSES).for_each(|&node| out.extend(address::ipv4(node)));
}

fn emit_error(out: &mut Vec<u8>, error: &RouteError) {
    let kind = match error.what {
        Trouble::Unreachable(_) => NODE_UNREACHABLE,
        Trouble::FlowUnknown(..) => FLOW_UNKNOWN,
        Trouble::DefaultFlowUnknown(_) => DEFAULT_FLOW_UNKNOWN,
    };
    out.extend([kind, error.salvage & 0xf]);
    out.extend(address::ipv4(error.source));
    out.extend(address::ipv4(error.destination));
    match error.what {
        Trouble::Unreachable(node) | Trouble::DefaultFlowUnknown(node) => out.extend(address::ipv4(node)),
        Trouble::FlowUnknown(node, id) => {
            out.extend(address::ipv4(node));
            out.extend(id.to_be_bytes());
        }
    }
}

fn nodes(bytes: &[u8]) -> Result<Vec<NodeId>, Malformed> {
    let (each, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() || each.len() > MOST_ADDRESSES {
        return Err(Malformed("a part of an address"));
    }
    each.iter().map(|&bytes| one_node(bytes)).collect()
}

fn request(data: &[u8]) -> Result<Request, Malformed> {
    let [i, d, a, b, c, e, rest @ ..] = data else { return Err(Malformed("a cut request")) };
    Ok(Request {
        id: u16::from_be_bytes([*i, *d]),
        target: one_node([*a, *b, *c, *e])?,
        addresses: nodes(rest)?,
    })
}

fn reply(data: &[u8]) -> Result<Vec<NodeId>, Malformed> {
    match data {
        [0, rest @ ..] if !rest.is_empty() => nodes(rest),
        _ => Err(Malformed("no reply")),
    }
}

fn error(data: &[u8]) -> Result<RouteError, Malformed> {
    let [kind, salvage @ 0..=15, rest @ ..] = data else { return Err(Malformed("no error")) };
    let (each, more) = rest.as_chunks::<4>();
    let &[source, destination, third] = each else { return Err(Malformed("a cut error")) };
    let what = match (*kind, more) {
        (NODE_UNREACHABLE, []) => Trouble::Unreachable(one_node(third)?),
        (FLOW_UNKNOWN, [high, low]) => {
            Trouble::FlowUnknown(one_node(third)?, u16::from_be_bytes([*high, *low]))
        }
        (DEFAULT_FLOW_UNKNOWN, []) => Trouble::DefaultFlowUnknown(one_node(third)?),
        _ => return Err(Malformed("an error of another kind")),
    };
    Ok(RouteError { salvage: *salvage, source: one_node(source)?, destination: one_node(destination)?, what })
}

fn source_route(data: &[u8]) -> Result<SourceRoute, Malformed> {
    let [high, low, rest @ ..] = data else { return Err(Malformed("a cut source route")) };
    let bits = u16::from_be_bytes([*high, *low]);
    if bits >> 10 != 0 {
        return Err(Malformed("a route from or to the outside"));
    }
    let route = SourceRoute {
        salvage: (bits >> 6 & 0xf) as u8, // four bits
        left: (bits & 0x3f) as u8,        // six bits
        addresses: nodes(rest)?,
    };
    let first = usize::from(route.salvage > 0); // the salvaging node has been visited
    if usize::from(route.left) + first > route.addresses.len() {
        return Err(Malformed("more segments left than there are"));
    }
    Ok(route)
}
