//! From a scenario to what is emulated of it: the network, without the traffic.

use multihop_proto::shim::ShimConfig;
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_sim::scenario::{ABOUT_ROUTES, Resolved};
use multihop_sim::traffic::{Flow, FlowConfig, Transport};
use serde_json::json;

use crate::agents;
use crate::device::Device;
use crate::layer;

/// What is wanted of an emulation.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// How long it lasts at most \[s\]; by default as long as the scenario.
    pub seconds: Option<f64>,
    /// Pairs of nodes whose traffic is to be counted as a flow, source first.
    pub pairs: Vec<(String, String)>,
    /// Which device the hosts have.
    pub device: Device,
}

/// The scenario as it is emulated: all flows may send from the beginning to the end, there is no warm-up, and each pair
/// that is wanted is a flow.
///
/// # Errors
/// A sentence on what cannot be emulated.
pub fn prepare(scenario: &Resolved, wanted: &Wanted) -> Result<Resolved, String> {
    refuse(scenario, wanted.device)?;
    let mut scenario = scenario.clone();
    if wanted.device == Device::Tap {
        leave_routing_to_hosts(&mut scenario)?;
    }
    if let Some(seconds) = wanted.seconds {
        scenario.config.run.duration = Dur::from_secs_f64(seconds);
    }
    scenario.config.measure.warm_up = Dur::ZERO;
    scenario.config.measure.until = None;
    for (from, to) in &wanted.pairs {
        add(&mut scenario, from, to)?;
    }
    let end = scenario.end();
    for flow in &mut scenario.flows {
        (flow.start, flow.stop) = (SimTime::ZERO, end);
        (flow.config.start, flow.config.stop) = (Dur::ZERO, None);
    }
    scenario.config.flow = scenario.flows.iter().map(|flow| flow.config.clone()).collect();
    Ok(scenario)
}

/// Adds a flow between two nodes, unless there is one in either direction.
fn add(scenario: &mut Resolved, from: &str, to: &str) -> Result<(), String> {
    let place = |name: &str| {
        let known = scenario.nodes.iter().position(|place| place.name == name);
        known
            .map(|index| NodeId(index as u32))
            .ok_or_else(|| format!("there is no node \"{name}\" in the scenario"))
    };
    let (source, sink) = (place(from)?, place(to)?);
    let ends = |flow: &Flow| [(flow.from, flow.to), (flow.to, flow.from)].contains(&(source, sink));
    if source == sink || scenario.flows.iter().any(ends) {
        return Ok(());
    }
    let number = scenario.flows.len();
    let mut name = (number + 1).to_string();
    while scenario.flows.iter().any(|flow| flow.name == name) {
        name.push('b');
    }
    let config: FlowConfig = serde_json::from_value(json!({ "name": name, "from": from, "to": to }))
        .map_err(|error| format!("no flow from {from} to {to}: {error}"))?;
    scenario.flows.push(Flow {
        id: FlowId(number as u32),
        name,
        from: source,
        to: sink,
        transport: Transport::Tcp,
        start: SimTime::ZERO,
        stop: scenario.end(),
        config,
    });
    Ok(())
}

/// What acts on the simulator's own transport does nothing to that of Linux.
fn refuse(scenario: &Resolved, device: Device) -> Result<(), String> {
    let config = &scenario.config;
    let has_form = layer::is_there(&config.shim);
    let shim = (config.shim != ShimConfig::default() && !(has_form && device == Device::Tun))
        || scenario.flows.iter().any(|flow| flow.config.shim.is_some());
    let signals = layer::unheard(&config.shim, &config.signals);
    let (what, so) = if shim && has_form {
        ("[shim]", "hears of routes from the simulated routing, which `--tap` leaves out")
    } else if shim {
        ("[shim]", "stands between the simulator's TCP and the network")
    } else if signals.any() {
        ("[signals], but for `unreachable` and what a shim hears,", "speaks to the simulator's TCP")
    } else if scenario.agents.iter().any(|agent| !agents::is_there(agent.config.kind)) {
        ("[[agent]] of this kind", "changes segments of the simulator's TCP")
    } else if device == Device::Tap && !scenario.agents.is_empty() {
        ("[[agent]]", "sees what the simulated network forwards; with `--tap` kernels forward")
    } else if scenario.flows.iter().any(|flow| flow.transport == Transport::Atp) {
        ("transport = \"atp\"", "is a transport that Linux does not have")
    } else {
        return own_tcp(scenario);
    };
    Err(format!(
        "{what} {so}: it would do nothing to that of Linux. Leave it out of the scenario, or use `multihop run`"
    ))
}

/// A technique or a setting that changes the simulator's TCP does nothing to that of Linux; `tcp.ecn` has its switch
/// there.
fn own_tcp(scenario: &Resolved) -> Result<(), String> {
    let inert = |path: &str| path.starts_with("tcp.") && path != "tcp.ecn";
    match scenario.origins.iter().find(|(path, from)| inert(path) && asked(from)) {
        None => Ok(()),
        Some((path, from)) => Err(format!(
            "`{path}`, set by {from}, changes the simulator's TCP: the programs of an emulation use that of Linux, which \
             does not read it. Leave it out, or use `multihop run`"
        )),
    }
}

/// Where the kernels of the hosts route, the simulator does not, nor does it resolve addresses or say what is
/// unreachable. What a file or a profile says of these is for simulations.
fn leave_routing_to_hosts(scenario: &mut Resolved) -> Result<(), String> {
    let inside = |path: &str| ABOUT_ROUTES.iter().any(|section| path.starts_with(section));
    if let Some((path, from)) = scenario.origins.iter().find(|(path, from)| inside(path) && asked(from)) {
        return Err(format!(
            "`{path}`, set by {from}, is about the routing of the simulator. With `--tap` the kernel of each node routes, \
             and nothing would read the key. Leave it out, or leave out `--tap`"
        ));
    }
    let config = &mut scenario.config;
    if !config.has_queues() {
        return Err("`link.kind` names a link with a routing of its own. With `--tap` the kernel of each node routes: it \
             needs the link of 802.11. Use another scenario, or leave out `--tap`"
            .to_owned());
    }
    config.forget_routes();
    scenario.origins.retain(|path, _| !inside(path));
    Ok(())
}

/// Whether a value is wanted for this run, and does not just stand in the scenario.
fn asked(from: &str) -> bool {
    from == "--set" || from.starts_with("technique")
}
