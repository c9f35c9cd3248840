//! Flows: from names to nodes, and what is suspicious about them.

use super::error::suggestion;
use super::reach::{connected, receive_range};
use super::validate::Check;
use super::{Flow, Place, Scenario, ScenarioError, TopologyConfig};
use crate::mobility::Start;
use crate::traffic::{FlowConfig, Transport};
use multihop_proto::mac::MacConfig;
use multihop_proto::queue::config::OnGiveUp;
use multihop_proto::shim::config::Retransmit;
use multihop_proto::shim::{ShimConfig, ShimKind};
use multihop_proto::signals::SignalsConfig;
use multihop_proto::tcp::config::{Loss, LossDetectorKind, TcpConfig};
use multihop_proto::units::range::{Checked, Wrong};
use multihop_proto::units::{Bitrate, Bytes, Dur, FlowId, NodeId, SimTime};
use std::collections::HashMap;

/// Headers of IPv4 and UDP, of ATP, and a TCP acknowledgement without options.
const UDP_HEADERS: Bytes = Bytes(28);
const ATP_HEADERS: Bytes = Bytes(40);
pub(super) const TCP_ACK: Bytes = Bytes(40);

/// Checks every flow and finds its nodes.
pub(super) fn flows(
    config: &Scenario,
    nodes: &[Place],
    check: &Check<'_>,
) -> Result<Vec<Flow>, ScenarioError> {
    let numbers: HashMap<&str, u32> =
        nodes.iter().zip(0..).map(|(node, number)| (node.name.as_str(), number)).collect();
    let mut names = HashMap::new();
    let mut flows = Vec::with_capacity(config.flow.len());
    for (index, flow) in config.flow.iter().enumerate() {
        let path = |key: &str| format!("flow.{index}.{key}");
        let find = |key: &str, name: &str| match numbers.get(name) {
            Some(&number) => Ok(NodeId(number)),
            None => Err(missing_node(&path(key), name, nodes, check)),
        };
        let (from, to) = (find("from", &flow.from)?, find("to", &flow.to)?);
        if from == to {
            let message = format!("a flow from node `{}` to itself crosses no air", flow.from);
            return Err(check.error(&path("to"), message, "name another node"));
        }
        let name = flow.name.clone().unwrap_or_else(|| (index + 1).to_string());
        if let Some(other) = names.insert(name.clone(), index + 1) {
            let message = format!("flows {other} and {} are both called `{name}`", index + 1);
            return Err(check.error(&path("name"), message, "give each its own name"));
        }
        let end = config.run.duration;
        let stop = flow.stop.unwrap_or(end).min(end);
        if flow.stop.is_some_and(|stop| flow.start >= stop) {
            let message = format!("flow `{name}` stops at {stop}, but starts at {}", flow.start);
            return Err(check.error(&path("stop"), message, "a flow must start before it stops"));
        }
        check.section(&format!("flow.{index}"), flow.check())?;
        let transport = match flow.transport() {
            Transport::Tcp if config.atp.replaces_tcp => Transport::Atp,
            other => other,
        };
        if transport == Transport::Atp && config.frn.is_some() {
            let message = format!(
                "flow `{name}` over ATP cannot act: it needs interface queues, in which nodes measure how long packets wait"
            );
            return Err(check.error(
                &format!("flow.{index}"),
                message,
                "use another transport over the slotted link of `[frn]`",
            ));
        }
        if transport == Transport::Tcp {
            let own = flow.shim.as_ref().is_some_and(|own| own.says("kind"));
            let place = if own { format!("flow.{index}.shim") } else { "shim".to_owned() };
            check.section(&place, is_whole(flow.shim(&config.shim), flow.tcp(&config.tcp), own))?;
            check.section(&place, hears(flow.shim(&config.shim), flow.tcp(&config.tcp), &config.signals))?;
        }
        if let Some(frn) = &config.frn {
            check.section("frn", frn.check_packet(longest_packet(config, flow, transport)))?;
        }
        flows.push(Flow {
            id: FlowId(u32::try_from(index).unwrap_or(u32::MAX)),
            name,
            from,
            to,
            transport,
            start: SimTime::ZERO + flow.start,
            stop: SimTime::ZERO + stop,
            config: flow.clone(),
        });
    }
    Ok(flows)
}

/// One half of ADTCP acts on what the other measures. A flow that says itself that it has another shim is a TCP to which
/// nobody says anything of the path.
fn is_whole(shim: &ShimConfig, tcp: &TcpConfig, own: bool) -> Checked {
    let (acts, measures) = (tcp.judge == LossDetectorKind::Adtcp, shim.kind == ShimKind::Adtcp);
    if acts == measures || (own && acts) {
        return Ok(());
    }
    let message = "ADTCP's judgement and its shim hang together: the one acts on what the other measures";
    let help = "set shim.kind = \"adtcp\" and tcp.judge = \"adtcp\", as the technique `adtcp` does";
    Err(Wrong::says("kind", message, help))
}

/// The longest packet that the source of a flow makes, with what routing adds to each.
pub(super) fn longest_packet(config: &Scenario, flow: &FlowConfig, transport: Transport) -> Bytes {
    let tcp = flow.tcp(&config.tcp);
    let own = match transport {
        Transport::Tcp => tcp.segment + tcp.data_header,
        Transport::Atp => tcp.segment + ATP_HEADERS,
        Transport::Udp => flow.packet.unwrap_or(config.udp.packet) + UDP_HEADERS,
    };
    own + config.routing.header
}

/// A shim that waits for signals which nobody sends would never act.
fn hears(shim: &ShimConfig, tcp: &TcpConfig, signals: &SignalsConfig) -> Checked {
    let (key, sent) = match shim.kind {
        // Freeze-TCP and ENIC listen to the oracle, to signals on the air, to routing; the last three to ACKs.
        ShimKind::None
        | ShimKind::FreezeTcp
        | ShimKind::Enic
        | ShimKind::Eln
        | ShimKind::SplitTcp
        | ShimKind::Adtcp => {
            return Ok(());
        }
        // It acts on duplicate ACKs and timeouts too.
        ShimKind::Atcp if shim.atcp.retransmit != Retransmit::Holes || tcp.loss == Loss::Sack => {
            return Ok(());
        }
        ShimKind::Atcp => {
            let message = "ATCP that sends the holes known from SACK needs a TCP with SACK";
            return Err(Wrong::says(
                "atcp.retransmit",
                message,
                "set tcp.loss = \"sack\", or choose \"first-lost\"",
            ));
        }
        ShimKind::Ebsn => ("ebsn", signals.ebsn),
        ShimKind::TcpF => ("rfn", signals.rfn),
        ShimKind::Elfn => ("elfn", signals.elfn),
        ShimKind::TcpBus => ("erdn", signals.erdn),
    };
    if sent {
        return Ok(());
    }
    let kind = serde_json::to_value(shim.kind).unwrap_or_default();
    let message = format!("a shim of kind {kind} waits for signals that no node sends");
    Err(Wrong::says("kind", message, format!("set signals.{key} = true, as the technique {kind} does")))
}

/// The node of this name.
pub(super) fn node_number(
    path: &str,
    name: &str,
    nodes: &[Place],
    check: &Check<'_>,
) -> Result<NodeId, ScenarioError> {
    match nodes.iter().zip(0..).find(|(node, _)| node.name == name) {
        Some((_, number)) => Ok(NodeId(number)),
        None => Err(missing_node(path, name, nodes, check)),
    }
}

fn missing_node(path: &str, name: &str, nodes: &[Place], check: &Check<'_>) -> ScenarioError {
    let names: Vec<_> = nodes.iter().map(|node| node.name.as_str()).collect();
    let help = match names.as_slice() {
        [first, .., last] if names.len() > 12 => {
            format!("there are {} nodes, `{first}` to `{last}`", names.len())
        }
        _ if name.parse::<u64>().is_ok() => format!("known: {}", names.join(", ")),
        _ => suggestion(name, &names),
    };
    check.error(path, format!("`{path}`: there is no node `{name}`"), help)
}

/// What is allowed but likely not meant.
pub(super) fn warnings(config: &Scenario, nodes: &[Place], flows: &[Flow]) -> Vec<String> {
    let mut warnings = Vec::new();
    if flows.is_empty() {
        warnings.push("there is no [[flow]]: nothing but routing will be sent".to_owned());
    }
    let range = receive_range(&config.air);
    let parts = connected(config, nodes, range);
    let moves = config.moves(nodes);
    // Where nodes are drawn anew for each run, nothing can be said of their places here.
    let drawn =
        nodes.iter().any(|node| config.mobility_of(node).is_some_and(|it| it.start() == Start::Stationary));
    for flow in flows {
        let name = |id: NodeId| &nodes[id.index()].name;
        if !drawn && parts[flow.from.index()] != parts[flow.to.index()] {
            warnings.push(format!(
                "flow `{}`: node `{}` cannot be reached from node `{}`{} over {}",
                flow.name,
                name(flow.to),
                name(flow.from),
                if moves { " as the run begins" } else { "" },
                match config.topology {
                    TopologyConfig::Links(_) => "the listed links".to_owned(),
                    _ => format!("hops of at most {range:.0} m"),
                }
            ));
        }
        if flow.config.start >= config.run.duration {
            warnings.push(format!(
                "flow `{}` starts at {}, after the end of the run",
                flow.name, flow.config.start
            ));
        }
    }
    let MacConfig::Dcf(dcf) = &config.mac;
    if config.frn.is_none() {
        warnings.extend(unknown_rate("mac.data-rate", dcf.data_rate));
    }
    if config.queue.keep_limit.is_some() && config.queue.on_give_up == OnGiveUp::Drop {
        warnings.push("`queue.keep-limit` has no effect while `queue.on-give-up` is \"drop\"".to_owned());
    }
    let TcpConfig { ack_every, ack_delay, min_rto, .. } = config.tcp;
    if ack_every > 1 && ack_delay > min_rto && min_rto > Dur::ZERO {
        warnings.push(format!(
            "`tcp.ack-delay`, {ack_delay}, is above `tcp.min-rto`, {min_rto}: a lone segment times out before its ACK is sent"
        ));
    }
    warnings
}
/// Rates that the DSSS PHY has, with HR/DSSS (IEEE 802.11-2020 §15, §16) \[bit/s\].
const DSSS: [u64; 4] = [1_000_000, 2_000_000, 5_500_000, 11_000_000];

/// A data rate that no PHY here has: preamble, slots and gaps are not those of a faster one.
pub(super) fn unknown_rate(key: &str, rate: Bitrate) -> Option<String> {
    (!DSSS.contains(&rate.as_bps())).then(|| {
        format!(
            "`{key}` is {rate}: frames here are those of DSSS, which has 1, 2, 5.5 and 11 Mbps; preamble, slots and gaps are not those of another PHY"
        )
    })
}
