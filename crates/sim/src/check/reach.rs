//! Which node hears which as a run begins, for maps and checks: nothing runs for it.

use super::ceiling::Exchanges;
use super::hops::Hops;
use super::noise::Noise;
use super::paths::ranks;
use super::ways::Ways;
use crate::air::{ETX, Link, Motion, etx, parts, receive_range};
use crate::scenario::{Place, Resolved, TopologyConfig, WireConfig, positions};
use multihop_proto::phy::TxVector;
use multihop_proto::units::{Bytes, NodeId, SimTime};
use multihop_proto::wire::Dscp;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Waypoints of a node that its trace has.
const MOST_POINTS: usize = 200;
/// The rate of a link is the one at which packets of this length get over it best.
const FULL: Bytes = Bytes(1500);
/// Rates of DSSS \[bit/s\].
const DSSS: [u64; 4] = [1_000_000, 2_000_000, 5_500_000, 11_000_000];

/// Where the nodes are as a run of this number begins, and what each hears of each other but for fading, as JSON.
///
/// * `nodes[]`: `name`, `x`, `y` \[m\], `trace`: pairs of `x` and `y` that it passes during the run, empty if it stays.
/// * `links[]`: `from`, `to`; `decodable`: a lone frame is received; `sensed`: it keeps the listener from sending;
///   `margin_db`: its power over the receive threshold; of listed links `loss`, the probability that a frame is
///   received wrong, and `etx`, transmissions a frame by the losses of both directions; where radios have several
///   channels `channels`, those that the two share, first the one on which the one sends to the other; `noise`: what
///   noise alone does to its data frames, see [`Noise::of`]; `rate_bps`, where a rule chooses rates: the one at which a
///   link that is decoded brings packets of 1500 bytes over best; `mode`, of a link of 802.11 that is decoded: what its
///   frames are sent with as the run begins, by name.
/// * `wires[]`: `from`, `to`; `rate_bps`, `delay_s` and `loss` of each direction.
/// * `parts[]`: the connected parts of the network, the largest first: the names of their nodes.
/// * `range_m`: how far a frame is decoded; null if links are listed. `placed`: whether places mean anything.
/// * `metric`: by what paths are the best, `hops` or `etx`.
/// * `flows[]`: `id`; `packet_bytes` and `payload_bytes` of a packet; `answers`: acknowledgements a packet; `way`: see
///   [`Ways::of`].
#[must_use]
pub fn hearing(it: &Resolved, run: u64) -> String {
    let links = it.links(run);
    let threshold = it.config.air.receive_threshold.get();
    let losses: HashMap<_, _> = links.losses().iter().map(|&(from, to, loss)| ((from, to), loss)).collect();
    let etx = etx(links.losses());
    let noise = Noise::new(it);
    let hops = Hops::new(it, &links);
    let mut found = Vec::new();
    for from in (0..it.nodes.len() as u32).map(NodeId) {
        let mut listeners: Vec<Link> = links.radio_links(from).collect();
        listeners.sort_by(|a, b| b.power.total_cmp(&a.power).then(a.to.cmp(&b.to)));
        listeners.dedup_by_key(|link| link.to);
        for link in &listeners {
            let loss = losses.get(&(from, link.to)).copied().unwrap_or(0.0);
            let mut told = heard(it, from, link, loss, threshold);
            told["etx"] = (etx.get(&(from, link.to)).copied().unwrap_or(ETX) as f64 / ETX as f64).into();
            let channels = links.channels(from, link.to);
            if !channels.is_empty() {
                told["channels"] = json!(channels);
            }
            told["noise"] =
                noise.as_ref().map_or(Value::Null, |noise| noise.of(link, &hops.mac((from, link.to))));
            if link.decodable && hops.chooses_rates(from) {
                let tx = hops.over((from, link.to), FULL, Dscp::default()).tx;
                (told["rate_bps"], told["mode"]) = (tx.rate().as_bps().into(), mode(tx));
            } else if link.decodable && it.config.has_queues() {
                told["mode"] = mode(hops.mac((from, link.to)).data_vector());
            }
            found.push(told);
        }
    }
    let places = it.nodes.iter().zip(it.starts(run));
    let nodes: Vec<Value> = places
        .map(|(node, at)| json!({ "name": node.name, "x": at.x, "y": at.y, "trace": trace(it, node, run) }))
        .collect();
    let placed = !matches!(it.config.topology, TopologyConfig::Links(_));
    let range = placed.then(|| receive_range(&it.config.air));
    let names: Vec<&str> = it.nodes.iter().map(|node| node.name.as_str()).collect();
    let ranks = ranks(&names);
    let ways = Ways::new(it, &links, &ranks);
    let flow = |flow| {
        let times = Exchanges::new(&it.config, flow);
        let mut told = times.to_json(flow);
        told["way"] = ways.of(flow, &times);
        told
    };
    let flows: Vec<Value> = it.flows.iter().map(flow).collect();
    let wires: Vec<Value> = it.config.wire.iter().map(wire).collect();
    let metric = it.config.routing.metric();
    json!({ "nodes": nodes, "links": found, "range_m": range, "metric": metric, "placed": placed, "flows": flows,
        "parts": ways.parts(), "wires": wires })
        .to_string()
}

/// What frames are sent with, by name; a rate that the standard does not have by its figure.
fn mode(tx: TxVector) -> Value {
    let odd = matches!(tx, TxVector::Dsss(dsss) if !DSSS.contains(&dsss.rate.get().as_bps()));
    if odd { tx.rate().to_string().into() } else { tx.named().to_string().into() }
}

fn wire(wire: &WireConfig) -> Value {
    json!({ "from": wire.from, "to": wire.to, "rate_bps": wire.rate.as_bps(), "delay_s": wire.delay.as_secs_f64(),
        "loss": wire.loss })
}

/// Where a node passes during a run \[m\], in order of time: its start, its waypoints (thinned if there are many) and
/// its end; nothing if it stays where it is.
fn trace(it: &Resolved, node: &Place, run: u64) -> Vec<(f64, f64)> {
    if matches!(it.config.topology, TopologyConfig::Links(_)) {
        return Vec::new();
    }
    let (way, end) = (it.config.way(node, run), SimTime::ZERO + it.config.run.duration);
    let passed = way.waypoints.iter().take_while(|waypoint| waypoint.at <= end);
    let step = passed.clone().count() / MOST_POINTS + 1;
    let last = Motion::along(way.start, &way.waypoints).place(end);
    let between = passed.step_by(step).map(|waypoint| waypoint.place);
    let mut points: Vec<(f64, f64)> =
        std::iter::once(way.start).chain(between).chain([last]).map(|at| (at.x, at.y)).collect();
    points.dedup();
    if points.len() < 2 { Vec::new() } else { points }
}

fn heard(it: &Resolved, from: NodeId, link: &Link, loss: f64, threshold: f64) -> Value {
    json!({
        "from": it.nodes[from.index()].name,
        "to": it.nodes[link.to.index()].name,
        "decodable": link.decodable,
        "sensed": link.sensed,
        "margin_db": 10.0 * libm::log10(link.power / threshold),
        "loss": loss,
    })
}

/// For each node the number of the connected part in which it is when the run begins, over wires and links that carry
/// frames in both directions.
pub(super) fn connected(it: &Resolved, range: f64) -> Vec<usize> {
    let mut part = connected_by_radio(it, range);
    for [from, to] in it.wires.iter().map(|wire| wire.ends) {
        join(&mut part, from.index(), to.index());
    }
    part
}

/// The parts of two nodes become one.
fn join(part: &mut [usize], from: usize, to: usize) {
    let (kept, joined) = (part[from].min(part[to]), part[from].max(part[to]));
    part.iter_mut().filter(|part| **part == joined).for_each(|part| *part = kept);
}

fn connected_by_radio(it: &Resolved, range: f64) -> Vec<usize> {
    let (nodes, stations) = (&it.nodes, it.stations());
    let meet = |one: usize, other: usize| {
        stations.share_channel(NodeId(one as u32), NodeId(other as u32)) // node counts are 32-bit
    };
    let TopologyConfig::Links(listed) = &it.config.topology else {
        let places = positions(nodes);
        if stations.is_plain() {
            return parts(&places, range);
        }
        let mut part: Vec<usize> = (0..nodes.len()).collect();
        for one in 0..nodes.len() {
            for other in (0..one).filter(|&other| places[one].distance(&places[other]) <= range) {
                if meet(one, other) {
                    join(&mut part, one, other);
                }
            }
        }
        return part;
    };
    let numbers: HashMap<&str, usize> =
        nodes.iter().zip(0..).map(|(node, number)| (&*node.name, number)).collect();
    let number = |name: &str| numbers.get(name).copied();
    let mut part: Vec<usize> = (0..nodes.len()).collect();
    let heard = listed.link.iter().filter(|link| !link.sense_only);
    let ways: HashSet<_> = heard.clone().map(|link| (&link.from, &link.to)).collect();
    for link in heard.filter(|link| !link.one_way || ways.contains(&(&link.to, &link.from))) {
        if let (Some(from), Some(to)) = (number(&link.from), number(&link.to))
            && (meet(from, to) || from == to)
        {
            join(&mut part, from, to);
        }
    }
    part
}
