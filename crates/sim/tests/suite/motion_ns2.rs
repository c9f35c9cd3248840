//! Motion beside ns-2's: on the same script of setdest, which node decodes which at every instant.

use std::collections::BTreeSet;

use multihop_proto::units::{NodeId, SimTime};
use multihop_sim::resolve_with;
use multihop_sim::scenario::{Layer, Sources};

const MOTION: &str = include_str!("../../../../studies/validation/motion/rwp50_101.tcl");
/// Beacons of nodes in turn, alone on the air, twice a second: instant, sender, nodes that decoded it.
const BEACONS: &str = include_str!("../../../../studies/validation/ns2-beacons.csv");

#[test]
fn every_beacon_reaches_whom_it_reaches_in_ns2() {
    let text = "profile = \"ns2\"\nrun.duration = \"200 s\"\n\
        topology = { kind = \"explicit\", file = \"rwp50_101.tcl\" }\n";
    let scenario = Layer { name: "test.toml".to_owned(), text: text.to_owned() };
    let sources = Sources { scenario, techniques: Vec::new(), sets: Vec::new() };
    let scenario = resolve_with(&sources, &|_| Ok(MOTION.to_owned())).expect("valid");
    let mut links = scenario.links(1);
    let (mut beacons, mut heard) = (0, 0);
    for line in BEACONS.lines().skip(2) {
        let parts: Vec<&str> = line.split(',').collect();
        let nanoseconds = libm::round(parts[0].parse::<f64>().expect("an instant") * 1e9) as u64;
        let from = NodeId(parts[1].parse().expect("a node"));
        let theirs: BTreeSet<u32> =
            parts[2].split_whitespace().map(|node| node.parse().expect("a node")).collect();
        let all = links.begin(from, SimTime::from_ns(nanoseconds));
        let ours: BTreeSet<u32> = all.iter().filter(|link| link.decodable).map(|link| link.to.0).collect();
        assert_eq!(ours, theirs, "beacon of {from:?} at {} s", parts[0]);
        beacons += 1;
        heard += ours.len();
    }
    assert!(beacons > 390 && heard > 6000, "{beacons} {heard}");
}
