//! What is allowed but likely not meant: remarks, section by section.

mod bands;
mod events;
mod flows;
mod frn;
mod ineffective_keys;
mod mac;
mod places;
mod queue;
mod tcp;

use crate::scenario::{Locator, Resolved};

/// What a section remarks of a scenario, each with its place in the file if it has one.
type Section = fn(&Resolved, &Locator<'_>) -> Vec<String>;

/// The sections, in the order of their remarks.
const SECTIONS: [Section; 9] = [
    places::remarks,
    flows::remarks,
    mac::remarks,
    bands::remarks,
    queue::remarks,
    tcp::remarks,
    frn::remarks,
    ineffective_keys::remarks,
    events::remarks,
];

/// All remarks on a scenario.
pub(crate) fn remarks(it: &Resolved, at: &Locator<'_>) -> Vec<String> {
    SECTIONS.iter().flat_map(|section| section(it, at)).collect()
}
