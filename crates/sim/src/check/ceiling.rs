//! How long the exchanges of a flow take, and so how often a packet can pass hops that share the air.

use std::collections::HashMap;

use super::slots::{Choice, SlotRules};
use crate::scenario::Scenario;
use crate::traffic::{Flow, Transport};
use multihop_proto::link::frn::{NextHop, Queues};
use multihop_proto::units::NodeId;
use serde_json::{Value, json};

/// What the packets of a flow take over one hop, and what they carry.
pub(super) struct Exchanges {
    /// Length of a packet at the network layer \[bytes\].
    pub(super) packet: u32,
    /// Payload of a packet \[bytes\].
    pub(super) payload: u32,
    /// Time of the exchange that carries a packet \[s\].
    data: f64,
    /// Time of the exchange that carries its share of an acknowledgement \[s\].
    answer: f64,
    /// Mean back-off of one exchange \[s\].
    backoff: f64,
    /// Acknowledgements a packet.
    pub(super) answers: f64,
    /// What a slotted link does with the packets; the times mean nothing there.
    pub(super) slots: Option<SlotRules>,
}

impl Exchanges {
    pub(super) fn new(config: &Scenario, flow: &Flow) -> Self {
        let mac = &config.mac;
        let tcp = flow.config.tcp(&config.tcp);
        let (payload, answers) = match flow.transport {
            Transport::Tcp => (tcp.segment, 1.0 / f64::from(tcp.ack_every.max(1))),
            Transport::Udp => (config.payload(&flow.config, flow.transport), 0.0),
            // The reports of other transports are few.
            _ => (tcp.segment, 0.0),
        };
        let category = mac.category(flow.config.dscp.unwrap_or_default());
        let data = config.longest_packet(&flow.config, flow.transport);
        let ack = config.tcp_ack();
        let slots = config.slots().map(|link| SlotRules {
            slot: link.slot,
            combined: link.combine && link.fit_together(data, ack),
            whole: link.queues == Queues::One,
            awaited: link.max_retransmissions != Some(0),
            hold_off: link.hold_off,
            choice: match &config.routing {
                routing if routing.spreads() && link.next_hop == NextHop::All => Choice::Any,
                routing if routing.takes_several_paths() => Choice::Shortest,
                _ => Choice::One,
            },
        });
        Self {
            packet: data.get(),
            payload: payload.get(),
            data: mac.exchange(data, category).as_secs_f64(),
            answer: answers * mac.exchange(ack, category).as_secs_f64(),
            backoff: mac.mean_backoff(data, category),
            answers,
            slots,
        }
    }

    /// As [`super::hearing`] says, without the way.
    pub(super) fn to_json(&self, flow: &Flow) -> Value {
        json!({
            "id": flow.name,
            "packet_bytes": self.packet,
            "payload_bytes": self.payload,
            "data_s": self.data,
            "answer_s": self.answer,
            "backoff_s": self.backoff,
            "answers": self.answers,
        })
    }
}

/// Time between two packets that pass hops that share the air: one of them sends at a time \[s\]. Stations count their back-offs
/// down together, so that only those of the busiest one take time.
pub(super) fn cycle(shared: &[(NodeId, NodeId)], times: &Exchanges) -> f64 {
    let mut exchanges: HashMap<NodeId, f64> = HashMap::new();
    for &(sender, receiver) in shared {
        *exchanges.entry(sender).or_default() += 1.0;
        *exchanges.entry(receiver).or_default() += times.answers;
    }
    let most = exchanges.values().copied().fold(0.0, f64::max);
    shared.len() as f64 * (times.data + times.answer) + most * times.backoff
}
