//! Chains with one flow, for machines that are put in from outside.

use multihop_proto::units::SimTime;
use multihop_sim::network::Network;
use multihop_sim::scenario::{Layer, Resolved, Sources, resolve};

/// A chain with one flow from end to end, and settings over it.
pub(crate) fn chain(hops: usize, flow: &str, sets: &[&str]) -> Resolved {
    let text = format!(
        "profile = \"ns2\"\n[run]\nduration = \"1000 s\"\n[measure]\nsample = \"0 s\"\n\
         [topology]\nkind = \"chain\"\nhops = {hops}\nspacing = \"200 m\"\n\
         [tcp]\nmax-window = 20\n[[flow]]\nfrom = \"0\"\nto = \"{hops}\"\n{flow}\n"
    );
    let sources = Sources {
        scenario: Layer { name: "walls.toml".to_owned(), text },
        techniques: Vec::new(),
        sets: sets.iter().map(ToString::to_string).collect(),
    };
    resolve(&sources).unwrap_or_else(|error| panic!("{error}"))
}

/// Lets the network run until then, and checks its books.
pub(crate) fn advance(network: &mut Network, seconds: u64) {
    network.advance(SimTime::from_secs(seconds));
    network.check_ledger().unwrap_or_else(|unbalanced| panic!("{unbalanced}"));
}
