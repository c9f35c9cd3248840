//! What a network in virtual time consists of.

use multihop_proto::routing::config::Metric;
use multihop_proto::units::{Dur, NodeId, Rng, SimTime};
use multihop_proto::wire::PacketStore;

use super::battery::Batteries;
use super::doze::Doze;
use super::outage_oracle::OutageOracle;
use super::sample::Sampler;
use super::scheduled::Schedule;
use super::simultaneous::SimultaneousStarts;
use super::stations::Nodes;
use super::world::World;
use crate::air::{EnergyMeter, ErrorModel, Links, Radios};
use crate::scenario::Flow;
use crate::traffic::Application;

/// A network in virtual time.
pub struct Network {
    pub(super) world: World,
    pub(super) end: SimTime,
    pub(super) events: u64,
    pub(super) nodes: Nodes,
    pub(super) packets: PacketStore,
    pub(super) links: Links,
    pub(super) radios: Radios,
    pub(super) errors: ErrorModel,
    /// What happens to the network, the next first.
    pub(super) schedule: Schedule,
    /// What of it receivers are told beforehand.
    pub(super) outage_oracle: OutageOracle,
    /// Each receiver's own draws of frame errors.
    pub(super) error_draws: Vec<Rng>,
    /// What radios do with their energy.
    pub(super) meter: Box<EnergyMeter>,
    /// What nodes have to spend.
    pub(super) batteries: Batteries,
    /// What each radio slept.
    pub(super) dozes: Vec<Doze>,
    /// Whether any station counts its slots in seconds.
    pub(super) cuts_slots: bool,
    /// Whether any station minds what it is receiving when a sequence timer fires.
    pub(super) tells_receptions: bool,
    /// Whether more is to be done at the beginning of transmissions than usual.
    pub(super) special: bool,
    /// Whether no signal is lost by chance, nothing watches, and only signals that can be decoded matter at their ends.
    pub(super) plain: bool,
    /// Whether nodes move where receivers keep what came first: then they may come nearer between two frames.
    pub(super) moving: bool,
    /// Whether a node has several radios, and so may receive several frames at a time.
    pub(super) several_radios: bool,
    /// Whether links keep their packets themselves, and take their steps at the same instants.
    pub(super) in_step: bool,
    /// Stations whose events of one kind come at this instant; kept for its memory.
    pub(super) at_once: Vec<NodeId>,
    /// What stations begin to send together; kept for its memory.
    pub(super) simultaneous: SimultaneousStarts,
    /// Nodes that went down in the middle of a transmission, which still is noise.
    pub(super) cut: Vec<NodeId>,
    /// What was left to send of such transmissions, node by node.
    pub(super) unsent: Vec<Dur>,
    /// Places of the nodes in the order of their names.
    pub(super) ranks: Vec<u32>,
    /// By what the paths are the best on which agents stand.
    pub(super) metric: Metric,
    pub(super) flows: Vec<Flow>,
    pub(super) applications: Vec<Application>,
    pub(super) sampler: Sampler,
}
