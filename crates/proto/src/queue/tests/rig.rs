//! A queue whose packets go by their numbers: the first one put in is 1.

use crate::contract::{Cause, Held, Outcome};
use crate::queue::{Action, AnyAqm, Input, Queue, QueueConfig};
use crate::testing::{cx, packet, routing_message, udp};
use crate::units::{Bytes, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use crate::wire::{
    DropReason, Packet, PacketId, PacketStore, Payload, Protocol, Segment, Signal, SignalKind, Towards,
    UserPriority, flags,
};

/// What a line of a time line may say.
#[derive(Clone, Copy, Debug)]
pub(super) enum Do {
    /// A packet of this many bytes to this destination, through the next hop of the same number.
    Put(u32, u32),
    /// A routing message.
    PutRouting,
    /// A TCP segment with data and these flags, of 100 bytes.
    PutData(u8),
    /// A TCP segment towards its source, of 40 bytes.
    PutAck,
    /// A signal.
    PutSignal,
    /// The MAC asks for a frame.
    Serve,
    /// The MAC has come to an end with it.
    Delivered,
    GaveUp,
    Held,
    /// The node goes down.
    Flush,
}

/// What the queue answers, with packets by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Offered(u64),
    /// Offered again after having been kept.
    Again(u64),
    Dropped(u64, DropReason),
    Space,
    /// It wants to be woken.
    Wake,
}

pub(super) struct Rig {
    pub(super) queue: Queue,
    pub(super) packets: PacketStore,
    /// What the MAC has, oldest first.
    offered: Vec<PacketId>,
    header: Bytes,
    /// Whether the MAC takes packets out, several for one next hop.
    takes: bool,
}

impl Rig {
    /// A queue whose MAC takes packets out.
    pub(super) fn taking(config: QueueConfig) -> Self {
        let mut rig = Self::new(config);
        rig.queue.let_take();
        rig.takes = true;
        rig
    }

    pub(super) fn new(config: QueueConfig) -> Self {
        Self::with_header(config, 0)
    }

    /// A queue where routing adds so many bytes to every packet.
    pub(super) fn with_header(config: QueueConfig, header: u32) -> Self {
        let aqm = AnyAqm::new(&config, || Rng::stream(1, 1, Entity::Node("0"), Purpose::Aqm));
        let mut queue = Queue::new(config);
        queue.set_aqm(aqm);
        queue.set_header(Bytes(header));
        Self { queue, packets: PacketStore::new(8), offered: Vec::new(), header: Bytes(header), takes: false }
    }

    pub(super) fn feed(&mut self, now: SimTime, what: Do) -> Vec<Answer> {
        let input = match what {
            Do::Put(destination, size) => {
                let packet = udp(&mut self.packets, FlowId(destination), NodeId(destination), 0, size);
                Input::Enqueue { packet, to: NodeId(destination) }
            }
            Do::PutRouting => {
                let packet = routing_message(&mut self.packets, Protocol::Experimental, &[0; 12]);
                Input::Enqueue { packet, to: NodeId::BROADCAST }
            }
            Do::PutData(flags) => {
                let segment = Segment { len: 60, flags, ..Segment::default() };
                self.enqueue(packet(FlowId(1), NodeId(1), 100, Payload::Tcp(segment)))
            }
            Do::PutAck => {
                let segment = Payload::Tcp(Segment { flags: flags::ACK, ..Segment::default() });
                self.enqueue(Packet { towards: Towards::Source, ..packet(FlowId(1), NodeId(1), 40, segment) })
            }
            Do::PutSignal => {
                let (source, destination) = (NodeId(0), NodeId(1));
                let signal = Signal { kind: SignalKind::BadState, source, destination, sequence: 0 };
                self.enqueue(packet(FlowId(1), NodeId(1), 56, Payload::Signal(signal)))
            }
            Do::Serve => return self.serve(now),
            Do::Delivered => Input::Outcome(self.oldest(), Outcome::Delivered { rts: 0, attempts: 1 }),
            Do::GaveUp => {
                Input::Outcome(self.latest(), Outcome::GaveUp { cause: Cause::RtsLimit, rts: 7, attempts: 0 })
            }
            Do::Held => Input::Outcome(self.latest(), Outcome::Held(Held::Peer)),
            Do::Flush => {
                self.offered.clear();
                Input::Flush
            }
        };
        self.handle(now, input)
    }

    fn enqueue(&mut self, packet: Packet) -> Input {
        let to = packet.destination;
        Input::Enqueue { packet: self.packets.create(packet), to }
    }

    fn oldest(&mut self) -> PacketId {
        if self.offered.is_empty() { PacketId::NONE } else { self.offered.remove(0) }
    }

    fn latest(&mut self) -> PacketId {
        self.offered.pop().unwrap_or(PacketId::NONE)
    }

    pub(super) fn handle(&mut self, now: SimTime, input: Input) -> Vec<Answer> {
        let mut out = Vec::new();
        self.queue.handle(&mut cx(now, &mut self.packets), input, &mut out);
        told(out)
    }

    fn serve(&mut self, now: SimTime) -> Vec<Answer> {
        let mut out = Vec::new();
        let beside = self.offered.last().and_then(|&packet| self.queue.in_service(packet).map(|(to, _)| to));
        let cx = &mut cx(now, &mut self.packets);
        let offer = if self.takes {
            self.queue.take(cx, beside.map(|to| (to, UserPriority::BEST_EFFORT)), &mut out)
        } else {
            self.queue.offer(cx, &mut out)
        };
        let mut answers = told(out);
        answers.extend(offer.map(|offer| {
            self.offered.push(offer.packet);
            let packet = &self.packets[offer.packet];
            assert_eq!(offer.size, packet.size + self.header, "the routing layer's header is added");
            assert_eq!(self.packets.stay(offer.packet).offered, now);
            if offer.kept { Answer::Again(packet.uid) } else { Answer::Offered(packet.uid) }
        }));
        answers
    }

    /// Serves `frames` frames, all delivered, and returns their numbers.
    pub(super) fn drain(&mut self, now: SimTime, frames: usize) -> Vec<u64> {
        let mut numbers = Vec::new();
        for _ in 0..frames {
            match self.serve(now)[..] {
                [Answer::Offered(number) | Answer::Again(number)]
                | [Answer::Space, Answer::Offered(number) | Answer::Again(number)] => numbers.push(number),
                _ => break,
            }
            self.feed(now, Do::Delivered);
        }
        numbers
    }

    /// Puts in a packet of a flow now.
    pub(super) fn handle_put(&mut self, now: SimTime, flow: u32, size: u32) {
        let packet = udp(&mut self.packets, FlowId(flow), NodeId(flow), 0, size);
        self.handle(now, Input::Enqueue { packet, to: NodeId(flow) });
    }

    /// Puts in a packet of a flow towards a destination through a next hop.
    pub(super) fn put(&mut self, flow: u32, destination: u32, next_hop: u32, size: u32) -> PacketId {
        let packet = udp(&mut self.packets, FlowId(flow), NodeId(destination), 0, size);
        self.handle(SimTime::ZERO, Input::Enqueue { packet, to: NodeId(next_hop) });
        packet
    }
}

fn told(actions: Vec<Action>) -> Vec<Answer> {
    let answer = |action| match action {
        Action::Dropped(dropped) => Answer::Dropped(dropped.uid, dropped.reason),
        Action::Space => Answer::Space,
        Action::Wake => Answer::Wake,
    };
    actions.into_iter().map(answer).collect()
}
