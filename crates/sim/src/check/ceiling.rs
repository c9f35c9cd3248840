//! How long the exchanges of a flow take, and so how often a packet can pass hops that share the air.

use std::collections::HashMap;

use super::hops::{Exchange, Hop, Hops};
use super::slots::{Choice, SlotRules};
use crate::scenario::Scenario;
use crate::traffic::{Flow, Transport};
use multihop_proto::units::{Bytes, NodeId};
use multihop_proto::wire::Dscp;
use serde_json::{Value, json};

/// The packets of a flow, and what they carry.
pub(super) struct Exchanges {
    /// Length of a packet at the network layer \[bytes\].
    pub(super) packet: u32,
    /// Payload of a packet \[bytes\].
    pub(super) payload: u32,
    /// Length of an acknowledgement at the network layer.
    ack: Bytes,
    /// Acknowledgements a packet.
    pub(super) answers: f64,
    dscp: Dscp,
    /// What a slotted link does with the packets.
    pub(super) slots: Option<SlotRules>,
}

impl Exchanges {
    pub(super) fn new(config: &Scenario, flow: &Flow) -> Self {
        let tcp = flow.config.tcp(&config.tcp);
        let (payload, answers) = match flow.transport {
            Transport::Tcp => (tcp.segment, 1.0 / f64::from(tcp.ack_every.max(1))),
            Transport::Udp => (config.payload(&flow.config, flow.transport), 0.0),
            // The reports of other transports are few.
            _ => (tcp.segment, 0.0),
        };
        let data = config.longest_packet(&flow.config, flow.transport);
        let ack = config.tcp_ack();
        let slots = config.slots().map(|link| SlotRules {
            slot: link.slot,
            combined: link.combine && link.fit_together(data, ack),
            whole: link.keeps_one_queue(),
            awaited: link.max_retransmissions != Some(0),
            hold_off: link.hold_off,
            choice: match &config.routing {
                routing if routing.spreads() && link.takes_all_next_hops() => Choice::Any,
                routing if routing.takes_several_paths() => Choice::Shortest,
                _ => Choice::One,
            },
        });
        let dscp = flow.config.dscp.unwrap_or_default();
        Self { packet: data.get(), payload: payload.get(), ack, answers, dscp, slots }
    }

    /// What a packet takes of each of some hops, and its share of an acknowledgement on the way back.
    pub(super) fn over(&self, hops: &[Hop], air: &Hops<'_>) -> Vec<Exchange> {
        let mut found = Vec::new();
        for &(from, to) in hops {
            found.push(air.over((from, to), Bytes(self.packet), self.dscp));
            if self.answers > 0.0 {
                found.push(air.over((to, from), self.ack, self.dscp).times(self.answers));
            }
        }
        found
    }

    /// As [`super::hearing`] says, without the way.
    pub(super) fn to_json(&self, flow: &Flow) -> Value {
        json!({
            "id": flow.name,
            "packet_bytes": self.packet,
            "payload_bytes": self.payload,
            "answers": self.answers,
        })
    }
}

/// Time between two packets that pass hops that share the air: one of them sends at a time \[s\]. Stations count their
/// back-offs down together, so that only those of the busiest one take time.
pub(super) fn cycle(exchanges: &[Exchange]) -> f64 {
    let mut backoffs: HashMap<NodeId, f64> = HashMap::new();
    for it in exchanges {
        *backoffs.entry(it.hop.0).or_default() += it.backoff;
    }
    exchanges.iter().map(|it| it.time).sum::<f64>() + backoffs.into_values().fold(0.0, f64::max)
}
