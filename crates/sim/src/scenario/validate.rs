//! Values that the types allow and physics, protocols or sense forbid.

use super::tree::{LayerSource, Origin};
use super::{Scenario, ScenarioError};
use crate::kernel::EventQueue;
use multihop_proto::arp::ArpKind;
use multihop_proto::mac::config::{DcfConfig, MacConfig};
use multihop_proto::routing::RoutingKind;
use multihop_proto::units::Dur;
use multihop_proto::units::range::{Checked, What, Wrong, must};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Builds errors that know where the value stands.
pub(super) struct Check<'a> {
    places: &'a BTreeMap<String, Origin>,
    file: Origin,
}

/// Whether a path leads into what another one stands for.
fn is_inside(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
}

impl<'a> Check<'a> {
    pub(super) fn new(places: &'a BTreeMap<String, Origin>, file: &Arc<LayerSource>) -> Self {
        Self { places, file: Origin::whole(file) }
    }

    /// An error at the value with this path, or at what holds it if it was never written.
    pub(super) fn error(
        &self,
        path: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ScenarioError {
        let mut at = path;
        let origin = loop {
            match (self.places.get(at), at.rfind('.')) {
                (Some(origin), _) => break origin,
                (None, Some(dot)) => at = &at[..dot],
                (None, None) => break &self.file,
            }
        };
        ScenarioError::at(origin, message).key(path).help(help)
    }

    /// Whether the scenario file or `--set` says this value, not a profile or a technique.
    pub(super) fn is_own(&self, path: &str) -> bool {
        let own = |it: &Origin| matches!(*it.source, LayerSource::File(_) | LayerSource::Set(_));
        self.places.get(path).is_some_and(own)
    }

    /// The values under a prefix that the scenario file or `--set` says, by path.
    pub(super) fn own_under(&self, prefix: &str) -> impl Iterator<Item = &'a str> {
        let places: &'a BTreeMap<String, Origin> = self.places;
        let whole = |path: &&str| !places.keys().any(|other| is_inside(other, path));
        let under = places.keys().map(String::as_str).filter(|path| is_inside(path, prefix));
        under.filter(|path| self.is_own(path)).filter(whole)
    }

    /// Whether the user chose this value: in the file, by `--set`, or by the name of a technique.
    fn is_chosen(&self, path: &str) -> bool {
        self.places.get(path).is_some_and(|it| !matches!(*it.source, LayerSource::Profile(_)))
    }

    /// The first value named in a text that the scenario file or `--set` says.
    fn named_own<'m>(&self, text: &'m str) -> Option<&'m str> {
        text.split('`').skip(1).step_by(2).find(|path| self.is_own(path))
    }

    /// What is wrong in a section, with its place in the file: of two values that do not go together, the place of the one
    /// that the user chose.
    pub(super) fn section(&self, name: &str, checked: Checked) -> Outcome {
        checked.map_err(|Wrong { key, what, help }| {
            let path = format!("{name}.{key}");
            let message = match what {
                What::Is(value) => format!("`{path}` is {value}"),
                What::Says(what) => what,
            };
            let named = self.named_own(&message).or_else(|| self.named_own(&help));
            let place = named.filter(|_| !self.is_chosen(&path)).unwrap_or(&path);
            self.error(place, &message, &help)
        })
    }
}

type Outcome = Result<(), ScenarioError>;

/// Checks every section, and what two of them say together; flows and events need the nodes first.
pub(super) fn scenario(config: &Scenario, check: &Check<'_>) -> Outcome {
    config.check(check)?;
    check.section("rates", rates(config))?;
    let own = config.node.iter().filter_map(|group| group.mac.as_ref().map(|own| &own.settled));
    for MacConfig::Dcf(dcf) in std::iter::once(&config.mac).chain(own) {
        check.section("air", delay(config.air.propagation_delay, dcf))?;
    }
    if config.frn.is_some() && config.arp.kind != ArpKind::Off {
        let message =
            "address resolution cannot act: it needs interface queue and MAC, whose place `frn` has taken";
        let help = "set `arp.kind` = \"off\": a packet goes on in the next slot, and who is near is known from control packets";
        return Err(check.error("arp.kind", message, help));
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
pub(super) fn length(duration: Dur, nodes: usize, flows: usize, check: &Check<'_>) -> Outcome {
    let longest = Dur::from_secs(EventQueue::horizon(nodes, flows).as_ns() / 1_000_000_000);
    let rule = format_args!("be at most {longest} with {nodes} nodes");
    check.section("run", must(duration <= longest, "duration", duration, rule))
}

/// A response travels back: the station that waits for it must wait as long as both ways take.
fn delay(delay: Dur, mac: &DcfConfig) -> Checked {
    let key = "propagation-delay";
    let rule = format_args!("be shorter than `mac.sifs`, {}", mac.sifs);
    must(delay < mac.sifs, key, delay, rule)?;
    let rule = format_args!("be at most half of `mac.timeout-slack`, {}", mac.timeout_slack);
    must(delay * 2 <= mac.timeout_slack, key, delay, rule)
}
