//! Radios that nodes have in common: from the names of `[[radio]]` to nodes.

use super::flows::node_number;
use super::topology::Place;
use crate::scenario::config::Scenario;
use crate::scenario::error::ScenarioError;
use crate::scenario::group::MOST_RADIOS;
use crate::scenario::locate::Locator;
use std::collections::HashSet;

/// The channels of each node's own radios, in their order; none of a node that has none.
pub(crate) fn own_channels(config: &Scenario, nodes: &[Place]) -> Vec<Vec<u16>> {
    let common: Vec<(u16, Option<HashSet<&str>>)> = (config.radio.iter())
        .map(|it| (it.channel, it.nodes.as_ref().map(|names| names.iter().map(String::as_str).collect())))
        .collect();
    let of = |place: &Place| {
        let mut own = of_group(config, place);
        let has = common
            .iter()
            .filter(|(_, names)| names.as_ref().is_none_or(|names| names.contains(place.name.as_str())));
        own.extend(has.map(|&(channel, _)| channel));
        own
    };
    nodes.iter().map(of).collect()
}

/// The channels that the `[[node]]` of a node says.
fn of_group(config: &Scenario, place: &Place) -> Vec<u16> {
    let group = place.group.and_then(|index| config.node.get(index));
    group.into_iter().flat_map(|group| &group.radio).map(|radio| radio.channel).collect()
}

/// Checks every `[[radio]]`: its nodes are there, and none of them has two radios on a channel, or too many.
pub(crate) fn radios(config: &Scenario, nodes: &[Place], at: &Locator<'_>) -> Result<(), ScenarioError> {
    let mut has: Vec<Vec<u16>> = nodes.iter().map(|place| of_group(config, place)).collect();
    for (index, radio) in config.radio.iter().enumerate() {
        let section = format!("radio.{index}");
        at.section(&section, radio.check())?;
        let path = |place: usize| format!("{section}.nodes.{place}");
        let mut of = Vec::new();
        match &radio.nodes {
            None => of.extend((0..nodes.len()).map(|number| (number, format!("{section}.channel")))),
            Some(names) => {
                for (place, name) in names.iter().enumerate() {
                    if names[..place].contains(name) {
                        let message = format!("node `{name}` stands twice in the list");
                        return Err(at.error(&path(place), message, "name each node once"));
                    }
                    of.push((node_number(&path(place), name, nodes, at)?.index(), path(place)));
                }
            }
        }
        for (number, path) in of {
            let (own, name) = (&mut has[number], &nodes[number].name);
            if own.contains(&radio.channel) {
                let message = format!(
                    "`{section}.channel` is {}: node `{name}` has a radio on it already",
                    radio.channel
                );
                return Err(at.error(&path, message, "give each radio of a node a channel of its own"));
            }
            if own.len() == MOST_RADIOS {
                let message = format!("node `{name}` has more than {MOST_RADIOS} radios");
                return Err(at.error(&path, message, "name fewer radios"));
            }
            own.push(radio.channel);
        }
    }
    Ok(())
}
