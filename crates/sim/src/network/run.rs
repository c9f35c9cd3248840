//! One run from start to end, with progress and cancellation.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use multihop_proto::units::SimTime;

use super::Network;
use crate::probe::{RunOutput, Tap};
use crate::scenario::Resolved;

/// What another thread may see and ask of a run.
#[derive(Debug, Default)]
pub struct Handle {
    /// Simulated time reached \[ns\].
    pub reached: AtomicU64,
    /// Set to end the run early; it then has no output.
    pub cancelled: AtomicBool,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// It reached its end.
    Done(Box<RunOutput>),
    /// It was cancelled.
    Cancelled,
}

/// Steps into which a run is cut for progress.
const STEPS: u64 = 500;
/// Events after which a run looks whether it has been cancelled: some hundredths of a second.
const LOOK: u64 = 100_000;

/// Runs run number `run` of a scenario.
///
/// # Errors
/// As [`finish`].
pub fn run(
    scenario: &Resolved,
    run: u64,
    handle: &Handle,
    tap: Option<Box<dyn Tap>>,
) -> Result<Ended, String> {
    let mut network = Network::new(scenario, run);
    if let Some(tap) = tap {
        network.set_tap(tap);
    }
    finish(network, scenario, run, handle)
}

/// Takes run number `run` of a scenario from its start to its end.
///
/// # Errors
/// If the ledger does not balance at the end: a fault of the engine, never of the scenario. If its trace cannot be
/// written.
pub fn finish(mut network: Network, scenario: &Resolved, run: u64, handle: &Handle) -> Result<Ended, String> {
    let end = network.end;
    let step = (end.as_ns() / STEPS).max(1);
    let mut reached = 0;
    while reached < end.as_ns() {
        reached = (reached + step).min(end.as_ns());
        while !network.advance_by(SimTime::from_ns(reached), LOOK) {
            handle.reached.store(network.now().as_ns(), Ordering::Relaxed);
            if handle.cancelled.load(Ordering::Relaxed) {
                return Ok(Ended::Cancelled);
            }
        }
        handle.reached.store(reached, Ordering::Relaxed);
        if handle.cancelled.load(Ordering::Relaxed) {
            return Ok(Ended::Cancelled);
        }
    }
    network.check_ledger()?;
    Ok(Ended::Done(Box::new(network.into_output(scenario, run)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;
    use crate::scenario::{Layer, Sources};

    #[test]
    fn a_long_run_ends_soon_after_it_is_cancelled() {
        let text = "run.duration = \"1000000 s\"\nmeasure.sample = \"0 s\"\n\
                    topology = { kind = \"chain\", hops = 1 }\nflow = [{ from = \"0\", to = \"1\" }]\n";
        let scenario = Layer { name: "long.toml".into(), text: text.into() };
        let scenario =
            resolve(&Sources { scenario, techniques: Vec::new(), sets: Vec::new() }).expect("valid");
        let handle = Handle { cancelled: AtomicBool::new(true), ..Handle::default() };
        assert!(matches!(run(&scenario, 1, &handle, None), Ok(Ended::Cancelled)));
        let reached = SimTime::from_ns(handle.reached.load(Ordering::Relaxed));
        assert!(reached > SimTime::ZERO && reached < SimTime::from_secs(1000), "{reached}");
    }
}
