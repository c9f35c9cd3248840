//! Places that are allowed, but may not be meant.

use std::collections::HashSet;

use crate::mobility::Start;
use crate::scenario::{
    EventConfig, EventKind, Locator, Place, Resolved, Scenario, TopologyConfig,
    like_degrees as within_degrees,
};
use indexmap::IndexMap;
use multihop_proto::units::{Dur, Metres};

/// So many nodes are named in a remark, the rest is counted.
const MOST_NAMES: usize = 5;

/// Remarks on where the nodes are.
pub(super) fn remarks(it: &Resolved, _: &Locator<'_>) -> Vec<String> {
    let TopologyConfig::Explicit(_) = it.config.topology else { return Vec::new() };
    like_degrees(&it.nodes).into_iter().chain(in_one_place(&it.config, &it.nodes)).collect()
}

/// That places look like longitudes and latitudes, if they do: they lie near to each other, and are finer than any map.
fn like_degrees(nodes: &[Place]) -> Option<String> {
    let of = |node: &Place| {
        let waypoints = node.waypoints.iter().map(|it| (it.place.x, it.place.y)).collect::<Vec<_>>();
        std::iter::once((node.x.get(), node.y.get())).chain(waypoints)
    };
    let (x, y) = within_degrees(nodes.iter().flat_map(of))?;
    let finer = |metres: f64| (metres * 1e3 - libm::round(metres * 1e3)).abs() > 1e-6;
    nodes.iter().flat_map(of).any(|(x, y)| finer(x) || finer(y)).then(|| {
        format!(
            "all nodes lie within {x:.6} m by {y:.6} m, as if their places were degrees of longitude and latitude: places are metres"
        )
    })
}

/// That nodes stand in one place as the run begins, if they do.
fn in_one_place(config: &Scenario, nodes: &[Place]) -> Option<String> {
    let off = |event: &EventConfig| event.kind == EventKind::NodeDown && event.at == Dur::ZERO;
    let down: HashSet<&str> =
        config.event.iter().filter(|event| off(event)).filter_map(|event| event.node.as_deref()).collect();
    let drawn = |node: &Place| config.mobility_of(node).is_some_and(|it| it.start() == Start::Stationary);
    let mut places: IndexMap<(Metres, Metres), Vec<&str>> = IndexMap::new();
    for node in nodes.iter().filter(|node| !down.contains(&*node.name) && !drawn(node)) {
        places.entry((node.x, node.y)).or_default().push(&node.name);
    }
    places.retain(|_, names| names.len() > 1);
    let ((x, y), names) = places.first()?;
    let shown = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let more = match names.len() - names.len().min(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let others = match places.len() - 1 {
        0 => String::new(),
        1 => "; so do the nodes of another place".to_owned(),
        others => format!("; so do the nodes of {others} other places"),
    };
    Some(format!(
        "nodes {shown}{more} stand in one place (x = {x}, y = {y}){others}: nodes nearer than 1 cm count as 1 cm apart"
    ))
}
