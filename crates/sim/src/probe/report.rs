//! The output of a run: one JSON object and the tables.

use multihop_proto::mac::Counters as MacCounters;
use multihop_proto::queue::Counters as QueueCounters;
use multihop_proto::units::{Dur, SimTime};
use multihop_proto::wire::{Absorbed, DropReason, FlowLedger};
use serde_json::{Map, Value, json};

use super::attempts::Failures;
use super::series::Series;
use crate::air::StateTimes;

/// A reading of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeState {
    /// Its MAC's counters.
    pub mac: MacCounters,
    /// Time for which its medium was busy.
    pub busy: Dur,
    /// Its queue's counters.
    pub queue: QueueCounters,
    /// Its failed attempts.
    pub failures: Failures,
    /// What its radio did, if that is metered.
    pub radio: StateTimes,
    /// When its battery was found empty.
    pub spent_at: Option<SimTime>,
}

impl NodeState {
    /// The readings of two radios of a node together.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            mac: self.mac + other.mac,
            busy: self.busy + other.busy,
            queue: self.queue + other.queue,
            failures: self.failures.and(&other.failures),
            radio: self.radio.and(&other.radio),
            spent_at: self.spent_at.or(other.spent_at),
        }
    }
}

/// What a run leaves behind.
#[derive(Clone, Debug)]
pub struct RunOutput {
    /// The run as one JSON object.
    pub json: String,
    /// Its tables.
    pub series: Series,
}

impl RunOutput {
    /// Notes how long the run took on the wall clock \[s\], and how much of it went into setting it up: the caller that
    /// made it knows, the engine does not.
    pub fn set_wall(&mut self, seconds: f64, setup: f64) {
        if let Some(open) = self.json.strip_suffix('}') {
            self.json = format!("{open},\"wall_s\":{},\"setup_s\":{}}}", json!(seconds), json!(setup));
        }
    }
}

/// A ledger as JSON; causes that never occurred are left out.
#[must_use]
pub fn ledger_json(ledger: &FlowLedger) -> Value {
    let absorbed = Absorbed::ALL.iter().map(|by| (by.label(), ledger.absorbed[*by as usize]));
    let dropped = DropReason::ALL.iter().map(|reason| (reason.label(), ledger.dropped[*reason as usize]));
    json!({
        "created": ledger.created,
        "copied": ledger.copied(),
        "delivered": ledger.delivered,
        "absorbed": counts(absorbed),
        "in_network": ledger.inside(),
        "dropped": counts(dropped),
    })
}

/// The ledger of the time between two readings as JSON: what was inside before, plus what was created and copied, is
/// what was delivered, absorbed, dropped, or is inside at the end. Copied is negative if more second custodies turned
/// out to be hand-overs than began.
#[must_use]
pub fn span_json(before: &FlowLedger, after: &FlowLedger) -> Value {
    let absorbed = Absorbed::ALL
        .iter()
        .map(|by| (by.label(), after.absorbed[*by as usize] - before.absorbed[*by as usize]));
    let dropped = DropReason::ALL
        .iter()
        .map(|reason| (reason.label(), after.dropped[*reason as usize] - before.dropped[*reason as usize]));
    json!({
        "in_network_before": before.inside(),
        "created": after.created - before.created,
        "copied": after.copied() as i64 - before.copied() as i64, // packets in flight, far below 2^63
        "delivered": after.delivered - before.delivered,
        "absorbed": counts(absorbed),
        "in_network": after.inside(),
        "dropped": counts(dropped),
    })
}

fn counts(counts: impl Iterator<Item = (&'static str, u64)>) -> Value {
    Value::Object(
        counts.filter(|&(_, n)| n > 0).map(|(name, n)| (name.to_owned(), json!(n))).collect::<Map<_, _>>(),
    )
}
