//! Values that the types allow and physics, protocols or sense forbid.

use super::names;
use crate::kernel::EventQueue;
use crate::scenario::{Locator, Scenario, ScenarioError};
use multihop_proto::arp::ArpKind;
use multihop_proto::mac::config::{DcfConfig, MacConfig};
use multihop_proto::routing::RoutingKind;
use multihop_proto::units::Dur;
use multihop_proto::units::range::{Checked, Wrong, must};

type Outcome = Result<(), ScenarioError>;

/// Checks every section, and what two of them say together; flows and events need the nodes first.
pub(crate) fn sections(config: &Scenario, at: &Locator<'_>) -> Outcome {
    config.check(at)?;
    names::scenario(config, at)?;
    at.section("rates", rates(config))?;
    let own = config.node.iter().filter_map(|group| group.mac.as_ref().map(|own| &own.settled));
    for MacConfig::Dcf(dcf) in std::iter::once(&config.mac).chain(own) {
        at.section("air", delay(config.air.propagation_delay, dcf))?;
    }
    if config.frn.is_some() && config.arp.kind != ArpKind::Off {
        let message =
            "address resolution cannot act: it needs interface queue and MAC, whose place `frn` has taken";
        let help = "set `arp.kind` = \"off\": a packet goes on in the next slot, and who is near is known from control packets";
        return Err(at.error("arp.kind", message, help));
    }
    Ok(())
}

/// Hop-by-hop rate control has a header between IP and TCP, and stands in front of the interface queue.
fn rates(config: &Scenario) -> Checked {
    let (what, help) = match (config.routing.kind, &config.frn) {
        _ if !config.rates.on => return Ok(()),
        (RoutingKind::Dsr, _) => (
            "rate control cannot act: it needs the place between IP and TCP, where DSR has a header of its own",
            "choose another routing",
        ),
        (_, Some(_)) => (
            "rate control cannot act: it needs an interface queue, whose place `frn` has taken",
            "leave [frn] out",
        ),
        _ => return Ok(()),
    };
    Err(Wrong::says("on", what, help))
}

/// The run must end while the event queue can still tell instants from never.
pub(crate) fn length(duration: Dur, nodes: usize, flows: usize, at: &Locator<'_>) -> Outcome {
    let longest = Dur::from_secs(EventQueue::horizon(nodes, flows).as_ns() / 1_000_000_000);
    let rule = format_args!("be at most {longest} with {nodes} nodes");
    at.section("run", must(duration <= longest, "duration", duration, rule))
}

/// A response travels back: the station that waits for it must wait as long as both ways take.
fn delay(delay: Dur, mac: &DcfConfig) -> Checked {
    let key = "propagation-delay";
    let rule = format_args!("be shorter than `mac.sifs`, {}", mac.sifs);
    must(delay < mac.sifs, key, delay, rule)?;
    let rule = format_args!("be at most half of `mac.timeout-slack`, {}", mac.timeout_slack);
    must(delay * 2 <= mac.timeout_slack, key, delay, rule)
}
