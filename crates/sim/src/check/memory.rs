//! What a run will take of the memory, known before it begins.
//!
//! Links are counted at a sample of the nodes; the rest follows from counts that the scenario states. What grows with
//! the events (packets in queues, distinct causes of loss) is small beside it and not in the sum.

use crate::air::{Links, Waypoint};
use crate::scenario::{Place, Resolved, ScenarioError, TopologyConfig, positions};
use crate::traffic::Transport;
use multihop_proto::units::{Bytes, Dur};

/// Bytes of a link: half as much again as it has, while the list grows.
const LINK: u64 = size_of::<crate::air::Link>() as u64 * 3 / 2;
/// Bytes of a node with its machines, and of a flow with both its ends.
const NODE: u64 = 4_000;
const FLOW: u64 = 16_000;
/// Bytes of a lost packet or a loss event kept one by one, twice: as it is recorded, and as a table.
const ROW: u64 = 200;
/// Bytes of an event of a TCP sender, as it is recorded and as the columns of a table.
const EVENT: u64 = 64 + 2 * 8 * 8;

/// Bytes of a captured frame beside its content: the block and the radiotap header. Bytes of a packet that is
/// captured as lost beside its payload: the block, its headers, the comment.
const CAPTURED: u32 = 90;
const LOST: u32 = 130;
/// The short preamble and header (IEEE 802.11-2020 §16.2.2.3) \[s\].
const SHORTEST_PREAMBLE_S: f64 = 96e-6;

/// Bytes that a part of a run takes, and the key that bounds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryShare {
    /// In words.
    pub what: &'static str,
    /// The key that makes it smaller.
    pub key: &'static str,
    /// Bytes.
    pub bytes: u64,
}

/// The parts of the memory that one run takes, the largest first.
#[must_use]
pub fn memory(it: &Resolved) -> Vec<MemoryShare> {
    let (nodes, flows) = (it.nodes.len() as u64, it.flows.len() as u64);
    let links = match &it.config.topology {
        TopologyConfig::Links(listed) => 2 * listed.link.len() as u64,
        _ => Links::estimate(&it.config.air, &positions(&it.nodes)),
    };
    let routes = it.config.routing.memory(nodes, (2 * flows).min(nodes));
    let measure = &it.config.measure;
    let samples = if measure.sample > Dur::ZERO { it.config.run.duration.whole(measure.sample) } else { 0 };
    let tcp = it.flows.iter().filter(|flow| flow.transport != Transport::Udp).count() as u64;
    // A column has eight bytes a row; once more when they are handed on as tables.
    let stations = it.stations();
    let radios = if stations.are_several() { stations.count() as u64 } else { 0 };
    let series = samples.saturating_mul(flows * 3 + tcp * 8 + nodes * 3 + radios * 4).saturating_mul(8 * 2);
    let part = |what, key, bytes| MemoryShare { what, key, bytes };
    let mut parts = vec![
        part("links between nodes", "topology", links.saturating_mul(LINK)),
        part("routes", "routing.kind", routes),
        part("series", "measure.sample", series),
        part("lost packets one by one", "measure.rows", 2 * u64::from(measure.rows) * ROW),
        part("events of TCP", "measure.events", tcp * u64::from(measure.events) * EVENT),
        part("nodes", "topology", nodes * NODE),
        part("motion", "mobility", motion(it)),
        part("flows", "flow", flows * (FLOW + 8 * it.windows.len() as u64)),
    ];
    parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    parts
}

/// Bytes that the captures of a run take at most: every node's receiver is always busy, with whatever gives the
/// most to write in its time, and all that applications offer at a rate of their own is lost unsent.
#[must_use]
pub fn captured(it: &Resolved) -> u64 {
    let mac = &it.config.mac;
    let seconds = it.config.run.duration.as_secs_f64();
    // The shortest frame, an ACK, at the rate of its answer; and data that fill the air.
    let shortest = mac.basic_rate().airtime(Bytes(14)).as_secs_f64() + SHORTEST_PREAMBLE_S;
    let fastest = it.config.all_macs().map(|mac| mac.data_rate().as_bps() as f64).fold(0.0, f64::max);
    let rate = (f64::from(CAPTURED + 14) / shortest).max(fastest / 8.0 * 1.25);
    let offered: f64 = it
        .flows
        .iter()
        .map(|flow| {
            let packet = it.config.payload(&flow.config, flow.transport);
            let bytes = f64::from(packet.get()).max(1.0);
            let bits = flow.config.rate.map_or(0.0, |rate| rate.as_bps() as f64);
            bits / 8.0 / bytes * (bytes + f64::from(LOST))
        })
        .sum();
    (seconds * (rate * it.nodes.len() as f64 + offered)) as u64 // saturates
}

/// Whether a run of this would show anything, and fits into so many bytes.
///
/// # Errors
/// What is missing, or the figure and the key that makes most of it.
pub fn ready(it: &Resolved, most: u64) -> Result<(), ScenarioError> {
    let at = |key: &str| {
        let below = |path: &String| path == key || path.starts_with(&format!("{key}."));
        let origin = it.origins.iter().find(|(path, _)| below(path)).map(|(_, from)| from.as_str());
        origin.unwrap_or("default").to_owned()
    };
    if it.flows.is_empty() {
        let message = "there is no [[flow]]: no application would send anything";
        return Err(ScenarioError::of("scenario", message)
            .key("flow")
            .help("say who sends to whom, like [[flow]] with from = \"0\", to = \"1\""));
    }
    let parts = memory(it);
    let sum = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.bytes));
    if sum <= most {
        return Ok(());
    }
    let MemoryShare { what, key, bytes } = parts[0];
    let message = format!(
        "a run would take about {} of memory, {} of them for {what} (`{key}`, {})",
        gigabytes(sum),
        gigabytes(bytes),
        at(key)
    );
    let help = format!(
        "at most {} are allowed; MULTIHOP_MEMORY=\"16 GB\" in the environment allows more",
        gigabytes(most)
    );
    Err(ScenarioError::of("scenario", message).key(key).help(help))
}

/// Bytes that the waypoints of all nodes take, about.
fn motion(it: &Resolved) -> u64 {
    let config = &it.config;
    let count = |node: &Place| match config.mobility_of(node) {
        Some(model) => config.area_of(model).map_or(0, |area| model.waypoints(&area, config.run.duration)),
        None => node.waypoints.len() as u64,
    };
    let all = it.nodes.iter().map(count).fold(0_u64, u64::saturating_add);
    all.saturating_mul(2 * size_of::<Waypoint>() as u64) // a list that grows
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;
    use crate::scenario::{Layer, Sources};

    const GB: u64 = 1_000_000_000;

    fn scenario(text: &str) -> Resolved {
        let scenario = Layer { name: "my.toml".into(), text: text.into() };
        resolve(&Sources { scenario, techniques: Vec::new(), sets: Vec::new() }).expect("valid")
    }

    fn refused(text: &str) -> String {
        ready(&scenario(text), 2 * GB).expect_err("too much").to_string()
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_figure() {
        let flow = "flow = [{ from = \"0\", to = \"1\" }]\n";
        let star = refused(&format!("topology = {{ kind = \"star\", leaves = 10000 }}\n{flow}"));
        assert!(star.contains("about 2.5 GB of memory, 2.4 GB of them for links between nodes"), "{star}");
        let fine = "topology = { kind = \"chain\", hops = 999 }\nmeasure.sample = \"1 ms\"\n";
        let fine = refused(&format!("{fine}{flow}"));
        assert!(fine.contains("for series (`measure.sample`, file my.toml:2:"), "{fine}");
        let grid = scenario(&format!("topology = {{ kind = \"grid\", columns = 100, rows = 100 }}\n{flow}"));
        ready(&grid, 2 * GB).expect("a large grid fits");
    }

    #[test]
    fn a_scenario_without_flows_resolves_but_is_not_run() {
        let empty = refused("topology = { kind = \"chain\", hops = 2 }\n");
        assert!(empty.contains("there is no [[flow]]"), "{empty}");
    }
}
