//! Events that are allowed, but change nothing.

use std::collections::{HashMap, HashSet};

use super::mac::unknown_rate;
use crate::air::{Fading, Links, Motion, Position};
use crate::scenario::{
    EventConfig, EventKind, Locator, Place, Resolved, Scenario, TopologyConfig, WireConfig,
};
use multihop_proto::units::{Bitrate, Metres, NodeId};

/// What is to be said of the events, each with its place in the file, in the order of time.
pub(super) fn remarks(it: &Resolved, at: &Locator<'_>) -> Vec<String> {
    let (config, nodes) = (&it.config, &it.nodes);
    let mut order: Vec<(usize, &EventConfig)> = config.event.iter().enumerate().collect();
    order.sort_by_key(|(_, event)| event.at);
    let mut state = State::new(config);
    let mut said = Vec::new();
    for (index, event) in order {
        let vain = unheeded(config, event).or_else(|| state.change(event));
        let vain = vain.or_else(|| unheard(it, event)).or_else(|| unjammed(config, nodes, event));
        let remark = |key: &str, what: String| at.remark(&format!("event.{index}.{key}"), what);
        if let Some(why) = vain {
            said.push(remark("kind", format!("the event at {} changes nothing: {why}", event.at)));
        }
        if !config.has_queues() {
            continue;
        }
        if is_wired(config, event) {
            continue;
        }
        if let Some(what) =
            event.rate.and_then(|rate| unknown_rate(&format!("event.{index}.rate"), &config.mac, rate))
        {
            said.push(remark("rate", what));
        }
    }
    said
}

/// Why an event changes nothing in this kind of network, or at its time.
fn unheeded(config: &Scenario, event: &EventConfig) -> Option<String> {
    if event.at == config.run.duration {
        return Some("the run ends then".to_owned());
    }
    let (key, rate) = config.only_rate().filter(|_| event.kind == EventKind::Rate)?;
    Some(format!("all frames go at `{key}`, {rate}"))
}

/// Nodes and links that are down, links that lose frames, and rates.
struct State<'a> {
    nodes: HashSet<&'a str>,
    links: HashSet<(&'a str, &'a str)>,
    losses: HashMap<(&'a str, &'a str), f64>,
    /// That of all nodes.
    rate: Bitrate,
    /// Those that events have set, of nodes and of links.
    rates: HashMap<(&'a str, Option<&'a str>), Bitrate>,
    /// Ends of wires: the rate of a node is not theirs.
    wires: HashSet<(&'a str, &'a str)>,
}

impl<'a> State<'a> {
    /// As the run begins.
    fn new(config: &'a Scenario) -> Self {
        let listed = match &config.topology {
            TopologyConfig::Links(listed) => listed.link.as_slice(),
            _ => &[],
        };
        let lossy = listed.iter().flat_map(|link| {
            let back = (!link.one_way).then_some((link.to.as_str(), link.from.as_str()));
            let ways = std::iter::once((link.from.as_str(), link.to.as_str())).chain(back);
            ways.map(|way| (way, link.loss))
        });
        Self {
            nodes: HashSet::new(),
            links: HashSet::new(),
            losses: lossy.chain(wired(config, |wire| wire.loss)).filter(|(_, loss)| *loss > 0.0).collect(),
            rate: config.mac.data_rate(),
            wires: wired(config, |_| ()).map(|(ends, ())| ends).collect(),
            rates: wired(config, |wire| wire.rate)
                .map(|((from, to), rate)| ((from, Some(to)), rate))
                .collect(),
        }
    }

    /// Sets a rate of a node, or of a link; whether it is another than before.
    fn set_rate(&mut self, node: &'a str, to: Option<&'a str>, rate: Bitrate) -> bool {
        let of_node = self.rates.get(&(node, None)).copied().unwrap_or(self.rate);
        if to.is_some() {
            return self.rates.insert((node, to), rate).unwrap_or(of_node) != rate;
        }
        // What is said of a node is said of all its links.
        let wires = &self.wires;
        let of_radio = |to: &Option<&str>| to.is_some_and(|to| !wires.contains(&(node, to)));
        let links = self.rates.extract_if(|(other, to), _| *other == node && of_radio(to));
        let differs = links.filter(|(_, other)| *other != rate).count() > 0;
        self.rates.insert((node, None), rate);
        differs || of_node != rate
    }

    /// Lets an event happen; why it changes nothing, if all is so already.
    fn change(&mut self, event: &'a EventConfig) -> Option<String> {
        match event.kind {
            EventKind::NodeDown | EventKind::NodeUp => {
                let node = event.node.as_deref()?;
                let (changes, how) = match event.kind {
                    EventKind::NodeDown => (self.nodes.insert(node), "down"),
                    _ => (self.nodes.remove(node), "up"),
                };
                (!changes).then(|| format!("node `{node}` is {how} already"))
            }
            EventKind::LinkDown | EventKind::LinkUp => {
                let (from, to) = ends(event)?;
                let mut changes = false;
                let mut how = "";
                for link in ways(event, from, to) {
                    let (changed, so) = match event.kind {
                        EventKind::LinkDown => (self.links.insert(link), "down"),
                        _ => (self.links.remove(&link), "up"),
                    };
                    changes |= changed;
                    how = so;
                }
                (!changes).then(|| format!("the link from `{from}` to `{to}` is {how} already"))
            }
            EventKind::LinkLoss => {
                let (from, to) = ends(event)?;
                let loss = event.loss?;
                let mut changes = false;
                for link in ways(event, from, to) {
                    changes |= self.losses.insert(link, loss).unwrap_or(0.0) != loss;
                }
                (!changes).then(|| format!("the loss from `{from}` to `{to}` is {loss} already"))
            }
            EventKind::Rate => {
                let rate = event.rate?;
                let (changes, whose) = match (event.node.as_deref(), ends(event)) {
                    (Some(node), _) => (self.set_rate(node, None, rate), format!("node `{node}` sends")),
                    (None, Some((from, to))) => {
                        let mut changes = false;
                        for (from, to) in ways(event, from, to) {
                            changes |= self.set_rate(from, Some(to), rate);
                        }
                        (changes, format!("`{from}` and `{to}` send to each other"))
                    }
                    _ => return None,
                };
                (!changes).then(|| format!("{whose} at {rate} already"))
            }
            EventKind::PacketLoss | EventKind::Jam => None,
        }
    }
}

/// Why an event of a link changes nothing, if its ends are never in reach of each other. Nothing is said where that is
/// drawn by chance or nodes move.
fn unheard(it: &Resolved, event: &EventConfig) -> Option<String> {
    let (config, nodes) = (&it.config, &it.nodes);
    let (from, to) = ends(event)?;
    if is_wired(config, event) {
        return None;
    }
    let find = |name: &str| (0..).map(NodeId).zip(nodes).find(|(_, node)| node.name == name);
    let [(one, here), (other, there)] = [find(from)?, find(to)?];
    if !it.stations().share_channel(one, other) {
        return Some(format!("nodes `{from}` and `{to}` have no radios on the same channel"));
    }
    let places = [here, there];
    // What is cut is noise as well; a frame that is lost or sent at another rate would have been decoded.
    let noise = matches!(event.kind, EventKind::LinkDown | EventKind::LinkUp);
    let heard = match &config.topology {
        TopologyConfig::Links(listed) => ways(event, from, to).any(|(a, b)| {
            listed.link.iter().any(|link| {
                let to_and_fro =
                    (link.from == a && link.to == b) || !link.one_way && link.from == b && link.to == a;
                to_and_fro && (noise || !link.sense_only)
            })
        }),
        _ => {
            let moves = |node: &&Place| !node.waypoints.is_empty() || config.mobility_of(node).is_some();
            let by_chance = config.air.shadowing.get() > 0.0 || config.air.fading != Fading::None;
            if by_chance || places.iter().any(moves) {
                return None;
            }
            let motion = |it: &Place| Motion::along(it.position(), &[]);
            let links = Links::new(&config.air, places.map(motion).into());
            links.between(NodeId(0), NodeId(1)).is_some_and(|link| noise || link.decodable)
        }
    };
    let what = if noise { "never hear" } else { "can never receive" };
    (!heard).then(|| format!("nodes `{from}` and `{to}` {what} each other"))
}

/// Why a jam changes nothing: it loses nothing, or no node is there. Nothing is said where nodes move.
fn unjammed(config: &Scenario, nodes: &[Place], event: &EventConfig) -> Option<String> {
    let (x, y, radius) = (event.x?, event.y.map_or(0.0, Metres::get), event.radius?);
    if event.kind != EventKind::Jam {
        return None;
    }
    if event.loss == Some(0.0) {
        return Some("`loss` is 0".to_owned());
    }
    if matches!(config.topology, TopologyConfig::Links(_)) {
        return Some("listed links have no places; `link-loss` is of a link".to_owned());
    }
    let middle = Position { x: x.get(), y };
    let moves = |node: &Place| !node.waypoints.is_empty() || config.mobility_of(node).is_some();
    let there = |node: &Place| middle.distance(&node.position()) <= radius.get();
    let nobody = !nodes.iter().any(|node| moves(node) || there(node));
    nobody.then(|| "no node is in the region".to_owned())
}

/// What each direction of the wired links has.
fn wired<T: Copy>(
    config: &Scenario,
    what: impl Fn(&WireConfig) -> T,
) -> impl Iterator<Item = ((&str, &str), T)> {
    config.wire.iter().flat_map(move |wire| {
        let (from, to, value) = (wire.from.as_str(), wire.to.as_str(), what(wire));
        [((from, to), value), ((to, from), value)]
    })
}

/// Whether an event is of a link that has a wire.
fn is_wired(config: &Scenario, event: &EventConfig) -> bool {
    ends(event).is_some_and(|ends| wired(config, |_| ()).any(|(wire, ())| wire == ends))
}

fn ends(event: &EventConfig) -> Option<(&str, &str)> {
    event.from.as_deref().zip(event.to.as_deref())
}

/// The directions of a link that an event means.
fn ways<'a>(
    event: &EventConfig,
    from: &'a str,
    to: &'a str,
) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
    std::iter::once((from, to)).chain((!event.one_way).then_some((to, from)))
}
