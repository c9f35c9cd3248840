//! Keys of models that the scenario has not chosen: they are read, checked, and change nothing.

use crate::air::{Fading, Propagation, Reception};
use crate::scenario::{Locator, Resolved, Scenario, TopologyConfig};
use multihop_proto::link::frn::{Interval, NextHop};
use multihop_proto::mac::config::{MacConfig, RateControlKind};
use multihop_proto::routing::RoutingKind;

/// What the scenario or `--set` says of models that are not in use, each with its place. What profiles and techniques say
/// is meant for several.
pub(super) fn remarks(it: &Resolved, at: &Locator<'_>) -> Vec<String> {
    let config = &it.config;
    let listed = matches!(config.topology, TopologyConfig::Links(_));
    let said = |path: &str| match path.strip_prefix("air.") {
        Some(key) if listed && of_places(key) => Some("listed links have no places and no powers".to_owned()),
        Some(key) => needs(key, config).map(|it| format!("it is used only with {it}")),
        None if path.starts_with("frn.") => {
            slotted(path, config).map(|it| format!("it is used only with {it}"))
        }
        None => rates(path, config).map(|it| format!("it is used only with {it}")),
    };
    let own = at.own_under("air").chain(at.own_under("mac").filter(|_| config.frn.is_none()));
    own.chain(at.own_under("frn"))
        .filter_map(|path| said(path).map(|why| at.remark(path, format!("`{path}` is ignored: {why}"))))
        .collect()
}

/// Whether a key of `[air]` is about how power falls with distance. The thresholds are the powers of listed links.
fn of_places(key: &str) -> bool {
    const KEYS: [&str; 12] = [
        "propagation",
        "path-loss-exponent",
        "reference-distance",
        "shadowing",
        "fading",
        "rician-k",
        "frequency",
        "tx-power",
        "antenna-height",
        "range",
        "sense-range",
        "interference-range",
    ];
    KEYS.contains(&key)
}

/// What would have to be set for a key of `[air]` to mean something, if it does not now.
fn needs(key: &str, config: &Scenario) -> Option<&'static str> {
    let air = &config.air;
    let (used, needed) = match key {
        "range" | "sense-range" | "interference-range" => {
            (air.propagation == Propagation::Disk, "air.propagation = \"disk\"")
        }
        "path-loss-exponent" | "reference-distance" => {
            (air.propagation == Propagation::LogDistance, "air.propagation = \"log-distance\"")
        }
        "rician-k" => (air.fading == Fading::Rician, "air.fading = \"rician\""),
        "capture" => (
            air.reception == Reception::Ns2 || air.late_capture,
            "air.reception = \"ns2\" or air.late-capture = true",
        ),
        "sinr-threshold" | "lock-time" | "late-capture" | "error-curve" | "interference-floor" => {
            (air.reception == Reception::Sinr, "air.reception = \"sinr\"")
        }
        _ => return None,
    };
    (!used).then_some(needed)
}

/// The same of the parameters of the slotted link.
fn slotted(path: &str, config: &Scenario) -> Option<&'static str> {
    let frn = config.frn.as_ref()?;
    let failing = frn.next_hop == NextHop::LeastFailing && config.routing.kind == RoutingKind::Frn;
    let (used, needed) = match path {
        // Other routings name one neighbour for each packet.
        "frn.next-hop" => (config.routing.kind == RoutingKind::Frn, "routing.kind = \"frn\""),
        "frn.history" | "frn.history-age" => (
            frn.interval == Interval::Load || failing,
            "frn.interval = \"load\", or with frn.next-hop = \"least-failing\" and routing.kind = \"frn\"",
        ),
        "frn.retry-to-most" => (frn.interval != Interval::Fixed, "frn.interval = \"load\" or \"csma-cd\""),
        "frn.postpone" | "frn.combine-waiting" => (frn.combine, "frn.combine = true"),
        _ => return None,
    };
    (!used).then_some(needed)
}

/// The same of the parameters of rate control.
fn rates(path: &str, config: &Scenario) -> Option<&'static str> {
    let own = config.node.iter().filter_map(|group| group.mac.as_ref().map(|own| &own.settled));
    let mut all = std::iter::once(&config.mac).chain(own);
    let mut used = |kind| all.any(|MacConfig::Dcf(dcf)| dcf.rate_control == kind);
    let (used, needed) = match path {
        _ if path.starts_with("mac.arf.") => (used(RateControlKind::Arf), "mac.rate-control = \"arf\""),
        _ if path.starts_with("mac.snr.") => (used(RateControlKind::Snr), "mac.rate-control = \"snr\""),
        _ => return None,
    };
    (!used).then_some(needed)
}
