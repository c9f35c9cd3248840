//! Events: from the words of `[[event]]` to what happens to the network.

use super::flows::node_number;
use super::topology::Place;
use crate::air::Position;
use crate::scenario::config::Scenario;
use crate::scenario::error::ScenarioError;
use crate::scenario::event::{EventConfig, EventKind};
use crate::scenario::locate::Locator;
use crate::scenario::wire::WireConfig;
use multihop_proto::mac::{MacConfig, Standard};
use multihop_proto::phy::{DsssRate, OfdmRate};
use multihop_proto::units::range::{Wrong, must};
use multihop_proto::units::{Bitrate, Metres, NodeId, SimTime};

/// What happens, with nodes instead of names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Happening {
    /// A node goes down, or comes back (`true`).
    Power(NodeId, bool),
    /// The link from one node to another is cut (`true`) or restored.
    Cut(NodeId, NodeId, bool),
    /// Frames from one node to another are lost with this probability.
    Loss(NodeId, NodeId, f64),
    /// So many of the packets with data that come next over a wire from one node to another are lost.
    Lose(NodeId, NodeId, u32),
    /// Data frames of one node, to one neighbour or to all, go at this rate.
    Rate(NodeId, Option<NodeId>, Bitrate),
    /// Frames are lost with this probability at receivers within a radius of a place; jams are told apart by the first
    /// number, and 0 ends one.
    Jam(usize, Position, f64, f64),
}

impl Happening {
    /// In words, for the reader of a figure.
    pub(crate) fn words<'a>(&self, name: impl Fn(NodeId) -> &'a str) -> String {
        match *self {
            Self::Power(node, up) => format!("node {} {}", name(node), if up { "up" } else { "down" }),
            Self::Cut(from, to, cut) => {
                format!("link {}-{} {}", name(from), name(to), if cut { "down" } else { "up" })
            }
            Self::Loss(from, to, loss) => format!("link {}-{} loses {loss}", name(from), name(to)),
            Self::Lose(from, to, packets) => {
                format!("link {}-{} loses the next {packets}", name(from), name(to))
            }
            Self::Rate(node, None, rate) => format!("node {} sends at {rate}", name(node)),
            Self::Rate(from, Some(to), rate) => format!("link {}-{} at {rate}", name(from), name(to)),
            Self::Jam(_, _, _, 0.0) => "jam ends".to_owned(),
            Self::Jam(..) => "jam".to_owned(),
        }
    }
}

/// All that happens, in the order of time; what happens at one instant in the order of the file.
pub(crate) fn schedule(
    config: &Scenario,
    nodes: &[Place],
    at: &Locator<'_>,
) -> Result<Vec<(SimTime, Happening)>, ScenarioError> {
    let mut schedule = Vec::new();
    let controlled = config.macs().any(|(_, mac)| mac.chooses_rates());
    for (index, event) in config.event.iter().enumerate() {
        let section = format!("event.{index}");
        at.section(&section, event.check(config.run.duration))?;
        let path = |key: &str| format!("event.{index}.{key}");
        let find = |key: &str, name: &Option<String>| {
            node_number(&path(key), name.as_deref().unwrap_or_default(), nodes, at)
        };
        let time = SimTime::ZERO + event.at;
        let mut both = |happening: &dyn Fn(NodeId, NodeId) -> Happening| -> Result<(), ScenarioError> {
            let (from, to) = (find("from", &event.from)?, find("to", &event.to)?);
            let other = must(from != to, "to", &nodes[to.index()].name, "be another node than `from`");
            at.section(&section, other)?;
            schedule.push((time, happening(from, to)));
            if !event.one_way {
                schedule.push((time, happening(to, from)));
            }
            Ok(())
        };
        let loss = event.loss.unwrap_or(1.0);
        let rate = event.rate.unwrap_or(Bitrate::from_bps(1)); // is there: it has been checked
        if event.kind == EventKind::Rate
            && !joined(config, event)
            && let Some(rule) = unheard_of(&config.mac, rate)
        {
            at.section(&section, must(false, "rate", rate, rule))?;
        }
        match event.kind {
            EventKind::LinkDown => both(&|from, to| Happening::Cut(from, to, true))?,
            EventKind::LinkUp => both(&|from, to| Happening::Cut(from, to, false))?,
            EventKind::LinkLoss => both(&|from, to| Happening::Loss(from, to, loss))?,
            EventKind::PacketLoss if !joined(config, event) => {
                let message =
                    "an event of kind \"packet-loss\" is of a wired link, and no [[wire]] joins these nodes";
                let help = "add the [[wire]], or take kind = \"link-loss\"";
                at.section(&section, Err(Wrong::says("kind", message, help)))?;
            }
            EventKind::PacketLoss => {
                both(&|from, to| Happening::Lose(from, to, event.packets.unwrap_or_default()))?
            }
            EventKind::Rate if config.is_mixed() && !joined(config, event) => {
                let message = "rates are not set by an event where stations are of several standards";
                at.section(&section, Err(Wrong::says("kind", message, "leave the event out")))?;
            }
            EventKind::Rate if controlled && !joined(config, event) => {
                let message = "rates that `mac.rate-control` chooses are not set by an event";
                let help = "leave the event out, or set mac.rate-control = \"fixed\"";
                at.section(&section, Err(Wrong::says("kind", message, help)))?;
            }
            EventKind::Rate if event.node.is_some() => {
                schedule.push((time, Happening::Rate(find("node", &event.node)?, None, rate)));
            }
            EventKind::Rate => both(&|from, to| Happening::Rate(from, Some(to), rate))?,
            EventKind::NodeDown => schedule.push((time, Happening::Power(find("node", &event.node)?, false))),
            EventKind::NodeUp => schedule.push((time, Happening::Power(find("node", &event.node)?, true))),
            EventKind::Jam => jam(event, index, &mut schedule),
        }
    }
    schedule.sort_by_key(|&(at, _)| at);
    Ok(schedule)
}

/// Whether a wire joins the ends of an event's link.
fn joined(config: &Scenario, event: &EventConfig) -> bool {
    let ends = [event.from.as_ref(), event.to.as_ref()];
    let joins = |wire: &WireConfig| {
        let (from, to) = (Some(&wire.from), Some(&wire.to));
        ends == [from, to] || ends == [to, from]
    };
    config.wire.iter().any(joins)
}

fn jam(event: &EventConfig, index: usize, schedule: &mut Vec<(SimTime, Happening)>) {
    let place = |value: Option<Metres>| value.map_or(0.0, Metres::get);
    let (middle, radius) = (Position { x: place(event.x), y: place(event.y) }, place(event.radius));
    schedule
        .push((SimTime::ZERO + event.at, Happening::Jam(index, middle, radius, event.loss.unwrap_or(1.0))));
    if let Some(until) = event.until {
        schedule.push((SimTime::ZERO + until, Happening::Jam(index, middle, radius, 0.0)));
    }
}

/// What a rate that an event sets must be under this standard, if it is not.
fn unheard_of(mac: &MacConfig, rate: Bitrate) -> Option<&'static str> {
    match mac.standard() {
        Standard::B => (rate > DsssRate::MAX).then_some("be at most 4 Gb/s"),
        Standard::A | Standard::G => OfdmRate::of(rate)
            .is_none()
            .then_some("be 6, 9, 12, 18, 24, 36, 48 or 54 Mb/s with this `mac.standard`"),
        Standard::N | Standard::Ac | Standard::Ax => {
            Some("not be set by an event with this `mac.standard`, whose data frames go by `mac.mcs`")
        }
    }
}
