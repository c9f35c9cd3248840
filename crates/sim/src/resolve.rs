//! From the text of a scenario to settled values, nodes and flows: reads, checks, places, and remarks what is
//! suspicious.

use crate::check::{flows as flow_rules, lint, motion, names, ranges};
use crate::scenario::{self, Layers, Reader, Resolved, ScenarioError, Sources};

/// Resolves a scenario that names no other files.
///
/// # Errors
/// As of [`resolve_with`], and if the scenario names a file.
pub fn resolve(sources: &Sources) -> Result<Resolved, ScenarioError> {
    resolve_with(sources, &|_| Err("there are no files here".to_owned()))
}

/// Resolves a scenario: profile, file, overlays, settings, the files that these name, then validation and the places
/// of the nodes. `read` reads a file by its path.
///
/// # Errors
/// The first thing wrong, with its place and what was expected.
pub fn resolve_with(sources: &Sources, read: Reader<'_>) -> Result<Resolved, ScenarioError> {
    settle(sources, read).map_err(scenario::suggest)
}

fn settle(sources: &Sources, read: Reader<'_>) -> Result<Resolved, ScenarioError> {
    names::files(sources)?;
    let layers = Layers::read(sources, read)?;
    let mut config = layers.settle(ranges::sections)?;
    let at = layers.locator();
    let nodes = scenario::nodes(&config, &at)?;
    scenario::radios(&config, &nodes, &at)?;
    scenario::name_last(&mut config, &nodes);
    motion::check(&config, &nodes, &at)?;
    let wires = scenario::wires(&config, &nodes, &at)?;
    let flows = scenario::flows(&config, &nodes, &at)?;
    flow_rules::check(&config, &flows, &at)?;
    let agents = scenario::agents(&config, &nodes, &flows, &at)?;
    let events = scenario::schedule(&config, &nodes, &at)?;
    let techniques = layers.techniques(&config)?;
    let windows = scenario::windows(&config);
    let mut resolved = Resolved {
        config,
        nodes,
        wires,
        flows,
        agents,
        events,
        windows,
        techniques,
        origins: layers.origins(),
        warnings: layers.remarks.clone(),
    };
    ranges::radios(&resolved, &at)?;
    let remarks = lint::remarks(&resolved, &at);
    resolved.warnings.extend(remarks);
    Ok(resolved)
}
