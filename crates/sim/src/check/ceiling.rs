//! What frame times allow a flow at most, over one hop and back-off apart.

use crate::scenario::Scenario;
use crate::traffic::{Flow, Transport};
use multihop_proto::link::frn::{FrnConfig, NextHop, Queues};
use multihop_proto::mac::dcf::Times;
use multihop_proto::mac::{BackoffDraw, DcfConfig, MacConfig};
use multihop_proto::routing::config::RoutingKind;
use multihop_proto::units::{Bytes, Dur, NodeId};
use serde_json::{Value, json};

/// How long the exchanges over one hop take that carry a packet of a flow, and what they carry: see [`super::hearing`].
pub(super) fn exchanges(config: &Scenario, flow: &Flow) -> Value {
    let MacConfig::Dcf(dcf) = &config.mac;
    let slotted = config.frn.as_ref();
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
        "data_s": exchange(dcf, data),
        "answer_s": answers * exchange(dcf, ack),
        "backoff_s": backoff(dcf),
        "answers": answers,
        "slots": slotted.map(|frn| slots(config, frn, frn.fit_together(data, ack))),
    })
}

/// What is to be known for the slots that a packet takes, if it fits in one with an acknowledgement or not.
fn slots(config: &Scenario, frn: &FrnConfig, fit: bool) -> Value {
    let ways = match config.routing.kind {
        RoutingKind::Frn if frn.next_hop == NextHop::All => "any",
        RoutingKind::Frn | RoutingKind::Multipath => "shortest",
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

/// How long a station has the medium to send a packet over one hop \[s\]: DIFS, RTS and CTS if the packet is long enough,
/// data, ACK (IEEE 802.11-2020 §10.3).
fn exchange(dcf: &DcfConfig, packet: Bytes) -> f64 {
    let times = Times::new(dcf);
    let mpdu = times.mpdu(packet);
    let reserved = if mpdu > dcf.rts_threshold { times.rts + times.cts + dcf.sifs * 2 } else { Dur::ZERO };
    (times.difs() + reserved + times.data(mpdu, NodeId(0)) + dcf.sifs + times.ack).as_secs_f64()
}

/// The mean back-off between two exchanges of a station, with the smallest window \[s\].
fn backoff(dcf: &DcfConfig) -> f64 {
    let drawn = match dcf.backoff_draw {
        BackoffDraw::Inclusive => dcf.cw_min,
        BackoffDraw::Exclusive => dcf.cw_min.saturating_sub(1),
    };
    f64::from(drawn) / 2.0 * dcf.slot.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use multihop_proto::units::Bitrate;

    #[test]
    fn an_exchange_is_the_sum_of_its_frames_and_gaps() {
        let dcf =
            DcfConfig { rts_threshold: Bytes(0), data_rate: Bitrate::from_mbps(2), ..DcfConfig::default() };
        // DIFS 50, RTS 352, CTS 304, data 192 + 8 * 1536 / 2, ACK 304, three SIFS
        let us = 50.0 + 352.0 + 304.0 + 192.0 + 6144.0 + 304.0 + 30.0;
        assert!((exchange(&dcf, Bytes(1500)) * 1e6 - us).abs() < 1e-6, "{}", exchange(&dcf, Bytes(1500)));
        let bare = DcfConfig { rts_threshold: Bytes(65_535), ..dcf };
        assert!((exchange(&bare, Bytes(1500)) * 1e6 - (us - 352.0 - 304.0 - 20.0)).abs() < 1e-6);
        // 31 slots of 20 us at most
        assert!((backoff(&dcf) * 1e6 - 310.0).abs() < 1e-6, "{}", backoff(&dcf));
    }
}
