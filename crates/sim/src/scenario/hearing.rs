//! Who hears whom as a run begins, for maps and checks: nothing runs for it.

use super::flows::{TCP_ACK, longest_packet};
use super::noise::Noise;
use super::{Flow, Place, Resolved, TopologyConfig};
use crate::air::{ETX, Link, Motion, etx};
use crate::traffic::Transport;
use multihop_proto::link::frn::{FrnConfig, NextHop, Queues};
use multihop_proto::mac::dcf::Times;
use multihop_proto::mac::{BackoffDraw, DcfConfig, MacConfig};
use multihop_proto::routing::config::RoutingKind;
use multihop_proto::units::{Bytes, Dur, NodeId, SimTime};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Waypoints of a node that its trace has.
const MOST_POINTS: usize = 200;

impl Resolved {
    /// Where the nodes are as a run of this number begins, and what each hears of each other but for fading, as JSON.
    ///
    /// `nodes[]`: `name`, `x`, `y` \[m\], `trace`: pairs of `x` and `y` that it passes during the run, empty if it stays.
    /// `links[]`: `from`, `to`, `decodable` (a lone frame is received), `sensed` (it
    /// keeps the listener from sending), `margin_db` (its power over the receive threshold), and of listed links `loss`
    /// (the probability that a frame is received wrong) and `etx` (transmissions a frame, by the losses of both directions),
    /// and `noise` (what noise alone does to its data frames, see
    /// [`Noise::of`]). `range_m`: how far a frame is decoded; null if links are listed.
    /// `metric`: by what paths are the best, `hops` or `etx`. `placed`: whether places mean anything. `flows[]`: `id`, `packet_bytes` and `payload_bytes` of a packet, `data_s` and `answer_s`: how
    /// long the exchanges over one hop take, back-off apart, that carry one packet and, of TCP, its share of an
    /// acknowledgement; `backoff_s`: the mean back-off of one exchange; `answers`: acknowledgements a packet; `slots`, over a
    /// slotted link, where those times mean nothing: `slot_s`, whether packets go
    /// `combined` and then leave together (`whole`), whether their echoes are `awaited`, `hold_off`, and of which `ways` a
    /// packet takes any (`one`, `shortest`, `any`).
    #[must_use]
    pub fn hearing(&self, run: u64) -> String {
        let links = self.links(run);
        let threshold = self.config.air.receive_threshold.get();
        let losses: HashMap<_, _> =
            links.losses().iter().map(|&(from, to, loss)| ((from, to), loss)).collect();
        let etx = etx(links.losses());
        let noise = Noise::new(self);
        let mut found = Vec::new();
        for from in (0..self.nodes.len() as u32).map(NodeId) {
            let mut heard = links.listeners(from).to_vec();
            heard.sort_by(|a, b| b.power.total_cmp(&a.power).then(a.to.cmp(&b.to)));
            for link in &heard {
                let loss = losses.get(&(from, link.to)).copied().unwrap_or(0.0);
                let mut told = self.heard(from, link, loss, threshold);
                told["etx"] = (etx.get(&(from, link.to)).copied().unwrap_or(ETX) as f64 / ETX as f64).into();
                told["noise"] = noise.as_ref().map_or(Value::Null, |noise| noise.of(link));
                found.push(told);
            }
        }
        let places = self.nodes.iter().zip(self.starts(run));
        let nodes: Vec<Value> = places
            .map(|(node, at)| json!({ "name": node.name, "x": at.x, "y": at.y, "trace": self.trace(node, run) }))
            .collect();
        let placed = !matches!(self.config.topology, TopologyConfig::Links(_));
        let range = placed.then(|| super::reach::receive_range(&self.config.air));
        let flows: Vec<Value> = self.flows.iter().map(|flow| self.exchanges(flow)).collect();
        let metric = self.config.routing.metric();
        json!({ "nodes": nodes, "links": found, "range_m": range, "metric": metric, "placed": placed, "flows": flows })
            .to_string()
    }

    /// Where a node passes during a run \[m\], in order of time: its start, its waypoints (thinned if there are many) and
    /// its end; nothing if it stays where it is.
    fn trace(&self, node: &Place, run: u64) -> Vec<(f64, f64)> {
        if matches!(self.config.topology, TopologyConfig::Links(_)) {
            return Vec::new();
        }
        let (way, end) = (self.config.way(node, run), SimTime::ZERO + self.config.run.duration);
        let passed = way.waypoints.iter().take_while(|waypoint| waypoint.at <= end);
        let step = passed.clone().count() / MOST_POINTS + 1;
        let last = Motion::along(way.start, &way.waypoints).place(end);
        let between = passed.step_by(step).map(|waypoint| waypoint.place);
        let mut points: Vec<(f64, f64)> =
            std::iter::once(way.start).chain(between).chain([last]).map(|at| (at.x, at.y)).collect();
        points.dedup();
        if points.len() < 2 { Vec::new() } else { points }
    }

    fn exchanges(&self, flow: &Flow) -> Value {
        let MacConfig::Dcf(dcf) = &self.config.mac;
        let slots = self.config.frn.as_ref();
        let tcp = flow.config.tcp(&self.config.tcp);
        let (payload, answers) = match flow.transport {
            Transport::Tcp => (tcp.segment, 1.0 / f64::from(tcp.ack_every.max(1))),
            // Its reports are few.
            Transport::Atp => (tcp.segment, 0.0),
            Transport::Udp => (flow.config.packet.unwrap_or(self.config.udp.packet), 0.0),
        };
        let data = longest_packet(&self.config, &flow.config, flow.transport);
        let ack = TCP_ACK + self.config.routing.header;
        json!({
            "id": flow.name,
            "packet_bytes": data.get(),
            "payload_bytes": payload.get(),
            "data_s": exchange(dcf, data),
            "answer_s": answers * exchange(dcf, ack),
            "backoff_s": backoff(dcf),
            "answers": answers,
            "slots": slots.map(|frn| self.slots(frn, frn.fit_together(data, ack))),
        })
    }

    /// What is to be known for the slots that a packet takes, if it fits in one with an acknowledgement or not.
    fn slots(&self, frn: &FrnConfig, fit: bool) -> Value {
        let ways = match self.config.routing.kind {
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

    fn heard(&self, from: NodeId, link: &Link, loss: f64, threshold: f64) -> Value {
        json!({
            "from": self.nodes[from.index()].name,
            "to": self.nodes[link.to.index()].name,
            "decodable": link.decodable,
            "sensed": link.sensed,
            "margin_db": 10.0 * libm::log10(link.power / threshold),
            "loss": loss,
        })
    }
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
