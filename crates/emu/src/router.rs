//! The routing of a node whose host decides: the kernel names the next hop of each packet by the address of a frame.
//!
//! A datagram that a node has to pass on is given to the kernel of its host. It waits here until the kernel hands it to
//! the device again, with the address of its next hop. So the packet keeps its number, its age and its flow from end to
//! end. All other frames go one hop as messages: ARP, neighbour discovery, and what routing daemons say.

use std::collections::VecDeque;
use std::sync::{Arc, MutexGuard, PoisonError};

use multihop_proto::contract::{Cx, drop_packet};
use multihop_proto::routing::{Action, Decision, Input, Outgoing, Provenance, Routing};
use multihop_proto::units::{Bytes, Dur, NodeId, SimTime};
use multihop_proto::wire::address::mac;
use multihop_proto::wire::ethernet::{self, Ethernet};
use multihop_proto::wire::{Carriage, DropReason, Fate, PacketId, Payload, Protocol, flags};

use crate::datagram::{arrived, is_same};
use crate::exchange::{Delivered, Exchange, Shared};

/// How long the kernel has to pass a datagram on: more than it waits for an answer to ARP (3 s, `ucast_solicit`,
/// `mcast_solicit` and `retrans_time_ms` of arp(7)).
const PATIENCE: Dur = Dur::from_secs(5);

/// The routing of one node.
#[derive(Debug)]
pub(crate) struct KernelRouting {
    me: NodeId,
    shared: Shared,
    /// What the kernel has to pass on, in the order of arrival.
    waiting: VecDeque<Waiting>,
}

/// A datagram that the kernel has.
#[derive(Debug)]
struct Waiting {
    packet: PacketId,
    until: SimTime,
    datagram: Arc<[u8]>,
}

impl KernelRouting {
    pub(crate) fn new(me: NodeId, shared: Shared) -> Self {
        Self { me, shared, waiting: VecDeque::new() }
    }

    fn exchange(&self) -> MutexGuard<'_, Exchange> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the host a frame.
    fn give(&self, at: SimTime, bytes: Vec<u8>) {
        self.exchange().delivered.push(Delivered { node: self.me, at, power: 0.0, bytes });
    }

    /// Wakes the node when the first datagram has waited long enough.
    fn arm(&self, out: &mut Vec<Action>) {
        out.push(Action::Arm(self.waiting.front().map_or(SimTime::MAX, |first| first.until)));
    }

    /// The kernel hands a frame to the device.
    fn send(&mut self, cx: &mut Cx<'_>, to: NodeId, frame: Arc<[u8]>, out: &mut Vec<Action>) {
        let Some((header, inside)) = Ethernet::read(&frame) else { return };
        let passed_on = header.kind == ethernet::IPV4 && !to.is_broadcast();
        let same = |waiting: &Waiting| is_same(&waiting.datagram, inside);
        let place = self.waiting.iter().position(same).filter(|_| passed_on);
        if let Some(waiting) = place.and_then(|place| self.waiting.remove(place)) {
            cx.packets.rewrite(waiting.packet, frame);
            return out.push(Action::Forward { packet: waiting.packet, to, delay: Dur::ZERO });
        }
        let size = Bytes(u32::try_from(inside.len()).unwrap_or(u32::MAX));
        let protocol = Protocol::of_frame(header.kind);
        let body = if protocol.carriage() == Carriage::Frame { frame } else { Arc::from(inside) };
        out.push(Action::Send(Outgoing {
            protocol,
            body,
            size,
            destination: to,
            to,
            ttl: 1,
            delay: Dur::ZERO,
        }));
    }

    /// A neighbour has sent what is no datagram of a flow.
    fn hear(&self, cx: &mut Cx<'_>, id: PacketId, from: NodeId) {
        let packet = &cx.packets[id];
        let to = if packet.destination.is_broadcast() { packet.destination } else { self.me };
        let body = cx.packets.message(id).map_or(&[][..], |body| body);
        let bytes = match packet.payload {
            Payload::Message { protocol, .. } => match protocol.carriage() {
                Carriage::Link(kind) => {
                    [&Ethernet { to: mac(to), from: mac(from), kind }.emit(), body].concat()
                }
                _ => body.to_vec(),
            },
            _ => body.to_vec(),
        };
        cx.packets.end(id, Fate::Delivered);
        self.give(cx.now, bytes);
    }

    /// The kernel gets a datagram that is to be passed on.
    fn pass_on(&mut self, cx: &Cx<'_>, id: PacketId, frame: &[u8], head: usize, marked: bool) -> Option<()> {
        let (header, datagram) = frame.split_at_checked(head)?;
        let come = arrived(datagram, 1, marked)?;
        self.give(cx.now, [header, &come].concat());
        self.waiting.push_back(Waiting { packet: id, until: cx.now + PATIENCE, datagram: come.into() });
        Some(())
    }

    /// Datagrams that the kernel has not passed on are lost.
    fn lose(&mut self, cx: &mut Cx<'_>, by: SimTime, reason: DropReason, out: &mut Vec<Action>) {
        while self.waiting.front().is_some_and(|first| first.until <= by)
            && let Some(first) = self.waiting.pop_front()
        {
            out.push(Action::Dropped(drop_packet(cx, first.packet, reason)));
        }
        self.arm(out);
    }
}

impl Routing for KernelRouting {
    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        provenance: Provenance,
        out: &mut Vec<Action>,
    ) -> Decision {
        let packet = &cx.packets[id];
        let Payload::Opaque(datagram) = packet.payload else { return Decision::To(packet.destination) };
        let Some(frame) = cx.packets.message(id).cloned() else {
            return Decision::Refused(DropReason::Malformed);
        };
        if let Provenance::Neighbour(_) = provenance {
            let marked = datagram.ecn & flags::CE != 0;
            let taken = self.pass_on(cx, id, &frame, datagram.head.into(), marked);
            self.arm(out);
            return taken.map_or(Decision::Refused(DropReason::Malformed), |()| Decision::Waiting);
        }
        let next = Ethernet::read(&frame).and_then(|(header, _)| header.destination());
        next.map_or(Decision::Refused(DropReason::NoRoute), Decision::To)
    }

    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) {
        match input {
            Input::Message { packet, from } => self.hear(cx, packet, from),
            Input::Wake => {
                let frames = std::mem::take(&mut self.exchange().frames);
                frames.into_iter().for_each(|(to, frame)| self.send(cx, to, frame, out));
                self.arm(out);
            }
            Input::Timer => self.lose(cx, cx.now, DropReason::NotForwarded, out),
            Input::Stop => self.lose(cx, SimTime::MAX, DropReason::NodeDown, out),
            Input::Start | Input::Wanted(_) | Input::Overheard(_) => {}
        }
    }

    fn resolves(&self) -> bool {
        true
    }

    fn packets(&self) -> Vec<PacketId> {
        self.waiting.iter().map(|waiting| waiting.packet).collect()
    }
}

#[cfg(test)]
mod tests {
    use etherparse::{Ipv4Header, PacketBuilder};
    use multihop_proto::units::FlowId;
    use multihop_proto::wire::{INITIAL_TTL, LinkHeader, Opaque, Packet, PacketStore, Towards, UserPriority};

    use super::*;
    use crate::device::Device;

    const ME: NodeId = NodeId(1);
    const BEFORE: NodeId = NodeId(0);
    const NEXT: NodeId = NodeId(2);
    /// EtherType of ARP.
    const RESOLUTION: u16 = 0x0806;

    struct Rig {
        packets: PacketStore,
        routing: KernelRouting,
    }

    impl Rig {
        fn new() -> Self {
            Self { packets: PacketStore::new(1), routing: KernelRouting::new(ME, Shared::default()) }
        }

        fn packet(&mut self, destination: NodeId, payload: Payload) -> PacketId {
            let now = SimTime::ZERO;
            self.packets.create(Packet {
                uid: 0,
                flow: FlowId(0),
                source: BEFORE,
                maker: BEFORE,
                destination,
                towards: Towards::Destination,
                size: Bytes(100),
                ttl: INITIAL_TTL,
                forced: false,
                priority: UserPriority::BEST_EFFORT,
                link: LinkHeader::default(),
                header: None,
                payload,
                created: now,
                enqueued: now,
            })
        }

        /// A datagram of the first node for the fourth, in a frame for this one.
        fn datagram(&mut self, ecn: u8) -> PacketId {
            let head = Device::Tap.head();
            let seen = |body| Opaque { protocol: 17, ecn, head, position: None, len: 10, body };
            let payload = self.packets.opaque(frame(BEFORE, ME, 64, 7).into(), seen);
            self.packet(NodeId(3), payload)
        }

        fn route(&mut self, id: PacketId, provenance: Provenance) -> (Decision, Vec<Action>) {
            let mut out = Vec::new();
            let mut cx = Cx { now: SimTime::ZERO, packets: &mut self.packets };
            (self.routing.route(&mut cx, id, provenance, &mut out), out)
        }

        fn handle(&mut self, now: SimTime, input: Input) -> Vec<Action> {
            let mut out = Vec::new();
            self.routing.handle(&mut Cx { now, packets: &mut self.packets }, input, &mut out);
            out
        }

        /// The kernel hands a frame to the device.
        fn send(&mut self, to: NodeId, frame: Vec<u8>) -> Vec<Action> {
            self.routing.exchange().frames.push_back((to, frame.into()));
            self.handle(SimTime::ZERO, Input::Wake)
        }

        fn given(&self) -> Vec<Vec<u8>> {
            std::mem::take(&mut self.routing.exchange().delivered).into_iter().map(|it| it.bytes).collect()
        }
    }

    fn frame(from: NodeId, to: NodeId, ttl: u8, first: u8) -> Vec<u8> {
        let mut bytes = Ethernet { to: mac(to), from: mac(from), kind: ethernet::IPV4 }.emit().to_vec();
        let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 4], ttl).udp(1, 2);
        builder.write(&mut bytes, &[first; 10]).expect("memory");
        bytes
    }

    const OFF: Action = Action::Arm(SimTime::MAX);

    #[test]
    fn the_kernel_names_the_next_hop_and_the_packet_stays_the_same() {
        let mut rig = Rig::new();
        let id = rig.datagram(flags::ECT | flags::CE);
        let armed = Action::Arm(SimTime::ZERO + PATIENCE);
        assert_eq!(rig.route(id, Provenance::Neighbour(BEFORE)), (Decision::Waiting, vec![armed.clone()]));
        assert_eq!(rig.routing.packets(), [id]);
        let given = rig.given();
        let (ip, _) = Ipv4Header::from_slice(&given[0][ethernet::HEADER..]).expect("a datagram");
        assert_eq!((given.len(), &given[0][..6], ip.ecn.value()), (1, &mac(ME)[..], 3), "with its mark");
        let other = rig.send(NEXT, frame(ME, NEXT, 63, 8));
        assert!(matches!(other[..], [Action::Send(_), ref arm] if *arm == armed), "another one: {other:?}");
        let mut passed = given[0].clone();
        passed[..12].copy_from_slice(&[mac(NEXT), mac(ME)].concat());
        passed[ethernet::HEADER + 8] -= 1;
        let out = rig.send(NEXT, passed.clone());
        assert_eq!(out, [Action::Forward { packet: id, to: NEXT, delay: Dur::ZERO }, OFF]);
        assert_eq!(
            rig.packets.message(id).map(|bytes| bytes.to_vec()),
            Some(passed),
            "as the kernel wrote it"
        );
        assert_eq!(rig.routing.packets(), []);
        assert_eq!(
            rig.route(id, Provenance::Kept(NEXT)).0,
            Decision::To(NEXT),
            "the MAC gave it up, the queue kept it"
        );
    }

    #[test]
    fn what_the_kernel_keeps_is_lost_in_time_or_with_the_node() {
        let mut rig = Rig::new();
        let (one, other) = (rig.datagram(0), rig.datagram(0));
        rig.route(one, Provenance::Neighbour(BEFORE));
        let late = SimTime::ZERO + PATIENCE;
        assert_eq!(rig.handle(SimTime::ZERO, Input::Timer), [Action::Arm(late)], "too early");
        let reasons = |out: &[Action]| -> Vec<_> {
            let reason = |action: &Action| match action {
                Action::Dropped(dropped) => Some(dropped.reason),
                _ => None,
            };
            out.iter().filter_map(reason).collect()
        };
        assert_eq!(reasons(&rig.handle(late, Input::Timer)), [DropReason::NotForwarded]);
        rig.route(other, Provenance::Neighbour(BEFORE));
        assert_eq!(reasons(&rig.handle(late, Input::Stop)), [DropReason::NodeDown]);
        assert_eq!((rig.routing.packets(), rig.packets.live()), (vec![], 0));
    }

    #[test]
    fn other_frames_go_one_hop_as_they_are() {
        let mut rig = Rig::new();
        let arp =
            [&Ethernet { to: [0xff; 6], from: mac(ME), kind: RESOLUTION }.emit()[..], &[9; 28]].concat();
        let hello =
            [&Ethernet { to: [0x33; 6], from: mac(ME), kind: 0x86dd }.emit()[..], &[0x60; 48]].concat();
        for (bytes, protocol, size) in [(arp, Protocol::Arp, 28), (hello, Protocol::Ethernet, 48)] {
            let out = rig.send(NodeId::BROADCAST, bytes.clone());
            let [Action::Send(sent), _] = &out[..] else { panic!("{out:?}") };
            assert_eq!(
                (sent.protocol, sent.size, sent.to, sent.ttl),
                (protocol, Bytes(size), NodeId::BROADCAST, 1)
            );
            let payload = rig.packets.payload(protocol, Arc::clone(&sent.body));
            let id = rig.packet(NodeId::BROADCAST, payload);
            rig.handle(SimTime::ZERO, Input::Message { packet: id, from: ME });
            assert_eq!((rig.given(), rig.packets.live()), (vec![bytes], 0), "a neighbour's host gets it");
        }
    }

    #[test]
    fn an_answer_of_arp_is_for_this_node() {
        let mut rig = Rig::new();
        let payload = rig.packets.payload(Protocol::Arp, [9; 28].into());
        let id = rig.packet(ME, payload);
        rig.handle(SimTime::ZERO, Input::Message { packet: id, from: NEXT });
        let header = Ethernet { to: mac(ME), from: mac(NEXT), kind: RESOLUTION };
        assert_eq!(rig.given(), [[&header.emit()[..], &[9; 28]].concat()]);
    }
}
