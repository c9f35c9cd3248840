//! One connection from node 0 to node 2, and the layer at node 0.

use std::sync::Arc;

use etherparse::{Ipv4Header, PacketBuilder, PacketBuilderStep, TcpHeader};
use multihop_proto::shim::{Beginning, Counters, ShimConfig};
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::{Signal, SignalKind};

use crate::datagram::{emulated, read};
use crate::icmp;
use crate::layer::{HostEvent, Layers, Output, Times, Verdict};

pub(super) const HOST: NodeId = NodeId(0);
pub(super) const RTO: Dur = Dur::from_ms(300);
pub(super) const TIMES: Times = Times { rto: RTO, srtt: Dur::from_ms(100) };
pub(super) const LENGTH: u32 = 100;

pub(super) fn ms(ms: u64) -> SimTime {
    SimTime::from_ms(ms)
}

/// A network of one layer, with what it has outputs since that was looked at.
pub(super) struct Rig {
    pub(super) layers: Layers,
    initial: u32,
    pub(super) outputs: Vec<Output>,
}

impl Rig {
    /// A connection whose stream begins at this number, and whose SYN is acknowledged.
    pub(super) fn new(initial: u32, shim: &ShimConfig) -> Self {
        let (rto, ends) = (Dur::from_secs(1), (HOST, NodeId(2)));
        let beginning = Beginning { rto, ssthresh: 64.0, ends, receive_threshold: 1.0 };
        let layers = Layers::new(shim, beginning, emulated).expect("a form for Linux");
        let mut rig = Self { layers, initial, outputs: Vec::new() };
        let syn = rig.segment(0).syn();
        assert_eq!(rig.leave(0, syn, 0), Verdict::Pass);
        assert_eq!(rig.arrive(0, rig.answer(1).syn(), 0), Verdict::Pass);
        rig.initial = initial.wrapping_add(1);
        assert_eq!(rig.arrive(0, rig.answer(0), 0), Verdict::Pass);
        rig
    }

    pub(super) fn segment(&self, place: u32) -> PacketBuilderStep<TcpHeader> {
        let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 3], 64);
        builder.tcp(1000, 2000, self.initial.wrapping_add(place), 800).ack(1)
    }

    pub(super) fn answer(&self, place: u32) -> PacketBuilderStep<TcpHeader> {
        let builder = PacketBuilder::ipv4([10, 0, 0, 3], [10, 0, 0, 1], 64);
        builder.tcp(2000, 1000, 1, 500).ack(self.initial.wrapping_add(place))
    }

    pub(super) fn leave(&mut self, at: u64, builder: PacketBuilderStep<TcpHeader>, length: u32) -> Verdict {
        let bytes: Arc<[u8]> = built(builder, length).into();
        let seen = read(&bytes).expect("a datagram");
        self.layers.leaving(ms(at), &seen, &bytes, &mut self.outputs)
    }

    pub(super) fn arrive(&mut self, at: u64, builder: PacketBuilderStep<TcpHeader>, length: u32) -> Verdict {
        self.arrive_with(at, 0.0, builder, length)
    }

    /// The same with this power.
    pub(super) fn arrive_with(
        &mut self,
        at: u64,
        power: f64,
        builder: PacketBuilderStep<TcpHeader>,
        length: u32,
    ) -> Verdict {
        let bytes = built(builder, length);
        self.layers.arriving(ms(at), (HOST, power), &bytes, |_| Some(TIMES), &mut self.outputs)
    }

    /// So many segments of data leave.
    pub(super) fn data(&mut self, at: u64, count: u32) {
        for number in 0..count {
            let segment = self.segment(number * LENGTH);
            assert_eq!(self.leave(at, segment, LENGTH), Verdict::Pass);
        }
        assert_eq!(self.outputs(), [] as [(bool, u32, u16); 0]);
    }

    /// Node 1 says that node 2 is unreachable.
    pub(super) fn unreachable(&mut self, at: u64) -> Verdict {
        let about = built(self.segment(0), LENGTH);
        let bytes = icmp::unreachable(NodeId(1), &about).expect("an error");
        self.layers.arriving(ms(at), (HOST, 0.0), &bytes, |_| Some(TIMES), &mut self.outputs)
    }

    /// The network tells the source of the connection.
    pub(super) fn signal(&mut self, at: u64, kind: SignalKind, sequence: u64) {
        let signal = Signal { kind, source: HOST, destination: NodeId(2), sequence };
        let event = HostEvent::Signal { way: (HOST, NodeId(2), (1000, 2000)), signal, from: NodeId(1) };
        self.layers.event(ms(at), event, |_| Some(TIMES), &mut self.outputs);
    }

    /// An oracle tells the node.
    pub(super) fn outage(&mut self, at: u64, ahead: bool) {
        let event = HostEvent::Outage { node: HOST, peer: NodeId(2), ahead };
        self.layers.event(ms(at), event, |_| Some(TIMES), &mut self.outputs);
    }

    pub(super) fn counts(&self) -> Counters {
        self.layers.counts[&(HOST, NodeId(2), (1000, 2000))]
    }

    pub(super) fn due(&mut self, at: u64) -> Vec<(bool, u32, u16)> {
        self.layers.due(ms(at), |_| Some(TIMES), &mut self.outputs);
        self.outputs()
    }

    /// What was outputs: whether to the host; the acknowledgment then, else the sequence number, from the beginning of
    /// the stream; and the window.
    pub(super) fn outputs(&mut self) -> Vec<(bool, u32, u16)> {
        let told = |outputs| {
            let (to_host, bytes): (bool, Vec<u8>) = match outputs {
                Output::Host(HOST, bytes) => (true, bytes),
                Output::Network(HOST, bytes) => (false, bytes.to_vec()),
                other => panic!("{other:?}"),
            };
            let (_, inside) = Ipv4Header::from_slice(&bytes).expect("a datagram");
            let (tcp, _) = TcpHeader::from_slice(inside).expect("a segment");
            let number = if to_host { tcp.acknowledgment_number } else { tcp.sequence_number };
            (to_host, number.wrapping_sub(self.initial), tcp.window_size)
        };
        self.outputs.drain(..).map(told).collect()
    }
}

pub(super) fn built(builder: PacketBuilderStep<TcpHeader>, length: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    builder.write(&mut bytes, &vec![7; length as usize]).expect("memory");
    bytes
}
