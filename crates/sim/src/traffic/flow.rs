//! A flow, with nodes instead of names.

use multihop_proto::units::{FlowId, NodeId, SimTime};

use super::config::{FlowConfig, Transport};

/// A flow between two existing nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Its place in the list.
    pub id: FlowId,
    /// Its name, unique.
    pub name: String,
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// What carries it.
    pub transport: Transport,
    /// When it begins.
    pub start: SimTime,
    /// When it ends; at the latest with the run.
    pub stop: SimTime,
    /// All that the file says of it.
    pub config: FlowConfig,
}
