//! Probes: what is recorded of a run. They watch; they never change what happens.

mod attempts;
pub mod causes;
mod drops;
mod echoes;
pub mod figures;
mod fingerprint;
mod flow;
mod harms;
mod histogram;
mod interference;
mod losses;
mod mpdus;
pub mod pcap;
pub mod phases;
mod recorder;
mod repairs;
mod report;
mod series;
mod tap;

pub use attempts::{Attempts, Failure, Failures, Tally};
pub use drops::{Drops, PACKET_KINDS, kind_number};
pub use echoes::{Echoes, Ended};
pub use fingerprint::Fingerprint;
pub use flow::{FlowProbe, SenderState};
pub use histogram::DelayHistogram;
pub use interference::{Interference, Interferer};
pub use losses::{Belief, LossRecord, LossWatch, Truth};
pub use mpdus::{CATEGORIES, Death, EndedFrame, LostMpdu, Mpdus, modes_json, mpdu_causes};
pub use recorder::{Doubt, DropRecord, Recorder, RouteRecord};
pub use repairs::{Known, Repair, Repairs};
pub use report::{NodeState, RunOutput, ledger_json, span_json};
pub use series::{Column, EVENT_KINDS, Rows, Series, Table, Thinned};
pub use tap::{Tap, Traced};
