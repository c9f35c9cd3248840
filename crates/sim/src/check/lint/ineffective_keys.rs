//! Keys of models that the scenario has not chosen: they are read, checked, and change nothing.

use crate::air::AirConfig;
use crate::scenario::{Locator, Resolved, Scenario, TopologyConfig};
use multihop_proto::link::LinkKind;

/// What the scenario or `--set` says of models that are not in use, each with its place. What profiles and techniques
/// say is meant for several.
pub(super) fn remarks(it: &Resolved, at: &Locator<'_>) -> Vec<String> {
    let ignored = |path: &'_ str| why(path, &it.config).map(|why| (path.to_owned(), why));
    let links = LinkKind::ALL.iter().flat_map(|kind| kind.sections());
    ["air", "tcp", "flow", "node"]
        .iter()
        .chain(links)
        .flat_map(|section| at.own_under(section))
        .filter_map(ignored)
        .map(|(path, why)| at.remark(&path, format!("`{path}` is ignored: {why}")))
        .collect()
}

/// Why a key changes nothing, if it is so.
fn why(path: &str, config: &Scenario) -> Option<String> {
    if let [list @ ("flow" | "node"), place, section, key] = *path.splitn(4, '.').collect::<Vec<_>>() {
        let needed = of_one(config, list, place.parse().ok()?, section, key);
        return needed.map(|needed| format!("it is used only with {needed}"));
    }
    let (section, key) = path.split_once('.')?;
    let links = LinkKind::ALL.iter().filter(|kind| kind.sections().contains(&section));
    if links.clone().count() > 0 && !links.clone().any(|kind| *kind == config.link.kind) {
        // What is said of interface queue and MAC is remarked with the keys that count in their place.
        let needed = links.filter(|kind| !kind.has_queue()).map(|kind| kind.name()).next()?;
        return Some(format!("it is used only with link.kind = \"{needed}\""));
    }
    let listed = matches!(config.topology, TopologyConfig::Links(_));
    if section == "air" && listed && AirConfig::is_of_places(key) {
        return Some("listed links have no places and no powers".to_owned());
    }
    config.unmet(section, key).map(|needed| format!("it is used only with {needed}"))
}

/// What would have to be set for a key of one flow, or of some nodes, to mean something.
fn of_one(config: &Scenario, list: &str, place: usize, section: &str, key: &str) -> Option<&'static str> {
    match (list, section) {
        ("flow", "tcp") => config.flow.get(place)?.tcp(&config.tcp).unmet(key),
        ("node", "queue") if config.has_queues() => config.parts_of(Some(place)).queue.unmet(key),
        ("node", "mac") if config.has_queues() => config.parts_of(Some(place)).mac.unmet(key),
        _ => None,
    }
}
