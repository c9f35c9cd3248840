//! The figures of a run: each stated once, with its name, its unit, what it means and how it is read.
//!
//! The output of a run is written from these lists, and Python reads them (`multihop._engine.figures`): tables,
//! summaries, comparisons, JSON Schemas, the metrics of studies and the reference pages follow from them.

mod described;
mod figure;
mod flow;
mod node;
mod run;

pub use described::described;
pub use figure::{Aggregate, Better, Figure, Place, Read, write};
pub use flow::{FLOW, FlowSpan};
pub(crate) use node::dsss;
pub use node::{NODE, NodeSpan};
pub use run::{Packets, RUN, RunSpan};
