//! What frame times allow a flow at most, over one hop and back-off apart.

use crate::scenario::Scenario;
use crate::traffic::{Flow, Transport};
use multihop_proto::link::frn::{FrnConfig, NextHop, Queues};
use serde_json::{Value, json};

/// How long the exchanges over one hop take that carry a packet of a flow, and what they carry: see [`super::hearing`].
pub(super) fn exchanges(config: &Scenario, flow: &Flow) -> Value {
    let mac = &config.mac;
    let tcp = flow.config.tcp(&config.tcp);
    let (payload, answers) = match flow.transport {
        Transport::Tcp => (tcp.segment, 1.0 / f64::from(tcp.ack_every.max(1))),
        // The reports of other transports are few.
        Transport::Udp => (config.payload(&flow.config, flow.transport), 0.0),
        _ => (tcp.segment, 0.0),
    };
    let data = config.longest_packet(&flow.config, flow.transport);
    let ack = config.tcp_ack();
    json!({
        "id": flow.name,
        "packet_bytes": data.get(),
        "payload_bytes": payload.get(),
        "data_s": mac.exchange(data).as_secs_f64(),
        "answer_s": answers * mac.exchange(ack).as_secs_f64(),
        "backoff_s": mac.mean_backoff(),
        "answers": answers,
        "slots": config.slots().map(|frn| slots(config, frn, frn.fit_together(data, ack))),
    })
}

/// What is to be known for the slots that a packet takes, if it fits in one with an acknowledgement or not.
fn slots(config: &Scenario, frn: &FrnConfig, fit: bool) -> Value {
    let ways = match &config.routing {
        routing if routing.spreads() && frn.next_hop == NextHop::All => "any",
        routing if routing.takes_several_paths() => "shortest",
        _ => "one",
    };
    json!({
        "slot_s": frn.slot.as_secs_f64(),
        "combined": frn.combine && fit,
        "whole": frn.queues == Queues::One,
        "awaited": frn.max_retransmissions != Some(0),
        "hold_off": frn.hold_off,
        "ways": ways,
    })
}
