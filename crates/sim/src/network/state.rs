//! What a network in virtual time consists of.

use multihop_proto::routing::config::Metric;
use multihop_proto::units::SimTime;
use multihop_proto::wire::PacketStore;

use super::cut_off::CutOff;
use super::doze::Dozes;
use super::frame_errors::FrameErrors;
use super::needs::Needs;
use super::sample::Sampler;
use super::scheduled::Agenda;
use super::simultaneous::SimultaneousStarts;
use super::stations::Nodes;
use super::ties::TieBreak;
use super::world::World;
use crate::air::{EnergyMeter, Links, Radios};
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
    pub(super) errors: FrameErrors,
    pub(super) agenda: Agenda,
    /// What radios do with their energy.
    pub(super) meter: Box<EnergyMeter>,
    pub(super) dozes: Dozes,
    /// Transmissions whose nodes went down in the middle of them.
    pub(super) cut_off: CutOff,
    pub(super) needs: Needs,
    /// Which of several events of one instant is the first.
    pub(super) ties: TieBreak,
    /// What stations begin to send together; kept for its memory.
    pub(super) simultaneous: SimultaneousStarts,
    /// By what the paths are the best on which agents stand.
    pub(super) metric: Metric,
    pub(super) flows: Vec<Flow>,
    pub(super) applications: Vec<Application>,
    pub(super) sampler: Sampler,
}
