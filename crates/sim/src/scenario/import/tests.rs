mod formats;

use super::super::{Happening, Layer, Resolved, ScenarioError, Sources};
use crate::{resolve, resolve_with};
use insta::assert_snapshot;
use std::path::Path;

/// A scenario in `dir/my.toml` with one other file beside it.
fn with(text: &str, name: &str, content: &str) -> Result<Resolved, ScenarioError> {
    let scenario = Layer { name: "dir/my.toml".into(), text: text.into() };
    let sources = Sources { scenario, techniques: Vec::new(), sets: Vec::new() };
    let beside = Path::new("dir").join(name);
    let read = |path: &Path| if path == beside { Ok(content.to_owned()) } else { Err("no such file".into()) };
    resolve_with(&sources, &read)
}

fn moving(name: &str, content: &str) -> Result<Resolved, ScenarioError> {
    with(&format!("topology = {{ kind = \"explicit\", file = \"{name}\" }}\n"), name, content)
}

/// Where a node is at some seconds.
fn places(scenario: &Resolved, node: usize, seconds: &[f64]) -> Vec<(f64, f64)> {
    let mut links = scenario.links(1);
    let mut place = |&at: &f64| {
        let at = multihop_proto::units::SimTime::from_ns((at * 1e9) as u64);
        let place = links.place(multihop_proto::units::NodeId(node as u32), at).expect("a field");
        ((place.x * 1e6).round() / 1e6, (place.y * 1e6).round() / 1e6)
    };
    seconds.iter().map(&mut place).collect()
}

const SETDEST: &str = "#\n# nodes: 2\n$node_(1) set X_ 500.0\n$node_(1) set Y_ 100.0\n$node_(1) set Z_ 0.0\n\
    $node_(0) set X_ 10.0\n$node_(0) set Y_ 20.0\n$god_ set-dist 0 1 2\n\
    $ns_ at 10.0 \"$node_(0) setdest 110.0 20.0 5.0\"\n$ns_ at 12.5 \"$god_ set-dist 0 1 1\"\n\
    $ns_ at 40.0 \"$node_(0) setdest 110.0 120.0 10.0\"\n$ns_ at 45.0 \"$node_(0) setdest 10.0 70.0 20.0\"\n\
    $ns_ at 47.0 \"$node_(0) setdest 10.0 70.0 0.0\"\n";

#[test]
fn setdest_is_replayed_exactly() {
    let scenario = moving("way.tcl", SETDEST).expect("valid");
    assert_eq!(scenario.nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(), ["0", "1"]);
    // It stands until 10 s, walks 20 s, stands, turns in the middle of its way, is stopped on the next one.
    let way = places(&scenario, 0, &[0.0, 10.0, 20.0, 30.0, 40.0, 44.0, 45.0, 46.0, 47.0, 90.0]);
    let stopped = (70.0, 70.0);
    assert_eq!(
        way,
        [
            (10.0, 20.0),
            (10.0, 20.0),
            (60.0, 20.0),
            (110.0, 20.0),
            (110.0, 20.0),
            (110.0, 60.0),
            (110.0, 70.0),
            (90.0, 70.0),
            stopped,
            stopped
        ]
    );
    assert_eq!(places(&scenario, 1, &[50.0]), [(500.0, 100.0)]);
}

#[test]
fn a_resolved_scenario_needs_no_second_file() {
    let scenario = moving("way.tcl", SETDEST).expect("valid");
    let again = resolve(&Sources {
        scenario: Layer { name: "again.toml".into(), text: scenario.to_toml().expect("TOML") },
        techniques: Vec::new(),
        sets: Vec::new(),
    })
    .expect("valid");
    assert_eq!((again.hash(), &again.nodes), (scenario.hash(), &scenario.nodes));
    assert_eq!(scenario.origins["topology.node.0.x"], "file dir/way.tcl:6:1");
}

#[test]
fn bonnmotion_has_a_line_a_node() {
    let scenario =
        moving("way.movements", "0.0 0.0 0.0 10.0 100.0 0.0 20.0 100.0 0.0\n0 50 60\n").expect("valid");
    assert_eq!(places(&scenario, 0, &[5.0, 15.0, 30.0]), [(50.0, 0.0), (100.0, 0.0), (100.0, 0.0)]);
    assert_eq!(places(&scenario, 1, &[5.0]), [(50.0, 60.0)]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_file() {
    let car = |id: u32| format!("<vehicle id=\"{id}\" x=\"3\" y=\"{id}\"/>");
    let cars = format!("<fcd-export><timestep time=\"0\">{}{}</timestep></fcd-export>", car(0), car(1));
    let moves = "$node_(0) set X_ 3\n$node_(0) set Y_ 0\n$node_(1) set X_ 3\n$node_(1) set Y_ 1";
    for (name, text) in [("a.movements", "0 3 0\n0 3 1"), ("a.tcl", moves), ("a.xml", &cars)] {
        let scenario = moving(name, &format!("\u{feff}{text}")).expect(name);
        assert_eq!(places(&scenario, 0, &[0.0]), [(3.0, 0.0)], "{name}");
    }
    let text = "topology = { kind = \"chain\", hops = 3 }\n[[flow]]\nlist = \"a.flows\"\n";
    assert_eq!(with(text, "a.flows", "\u{feff}0:3:1").expect("valid").flows.len(), 1);
}

#[test]
fn vehicles_are_down_before_they_depart_and_after_they_arrive() {
    let step = |time: u32, bodies: &str| format!("<timestep time=\"{time}.00\">{bodies}</timestep>\n");
    let at = |id: &str, x: u32| format!("<vehicle id=\"{id}\" x=\"{x}\" y=\"5\" speed=\"9\"/>");
    let text = format!(
        "<?xml version=\"1.0\"?>\n<fcd-export>\n{}{}{}{}{}</fcd-export>\n",
        step(0, &at("a", 10)),
        step(1, &(at("a", 20) + &at("b", 90))),
        step(2, &(at("a", 30) + &at("b", 80))),
        step(3, &at("a", 40)),
        step(4, &(at("a", 50) + &at("b", 70))),
    );
    let scenario = moving("cars.xml", &text).expect("valid");
    assert_eq!(places(&scenario, 0, &[0.5, 3.5, 9.0]), [(15.0, 5.0), (45.0, 5.0), (50.0, 5.0)]);
    assert_eq!(places(&scenario, 1, &[0.5, 1.5]), [(90.0, 5.0), (85.0, 5.0)]);
    assert_snapshot!(format!("{:?}", scenario.events), @"[(SimTime(0), Power(NodeId(1), false)), (SimTime(1000000000), Power(NodeId(1), true)), (SimTime(3000000000), Power(NodeId(1), false)), (SimTime(4000000000), Power(NodeId(1), true))]");
}

/// The vehicles of each time step, from 0 s on, with their places from left to right.
fn cars(steps: &[&[(&str, f64)]]) -> String {
    let car = |(id, x): &(&str, f64)| format!("<vehicle id=\"{id}\" x=\"{x}\" y=\"5\"/>");
    let step = |(time, cars): (usize, &&[(&str, f64)])| {
        format!("<timestep time=\"{time}\">{}</timestep>\n", cars.iter().map(car).collect::<String>())
    };
    format!("<fcd-export>\n{}</fcd-export>", steps.iter().enumerate().map(step).collect::<String>())
}

/// When the power of a node changes \[s\], and to what.
fn power(scenario: &Resolved, node: u32) -> Vec<(u64, bool)> {
    let of = |&(at, what): &(multihop_proto::units::SimTime, Happening)| match what {
        Happening::Power(it, up) if it.0 == node => Some((at.as_ns() / 1_000_000_000, up)),
        _ => None,
    };
    scenario.events.iter().filter_map(of).collect()
}

#[test]
fn a_vehicle_is_down_while_steps_are_without_it() {
    let (a, b, c) = (("a", 10.0), ("b", 90.0), ("c", 50.0));
    let steps: [&[(&str, f64)]; 6] = [&[a, b], &[a, b], &[b], &[], &[a, c], &[a]];
    let scenario = moving("cars.xml", &cars(&steps)).expect("valid");
    assert_eq!(power(&scenario, 0), [(2, false), (4, true)]);
    assert_eq!(power(&scenario, 1), [(3, false)]);
    assert_eq!(power(&scenario, 2), [(0, false), (4, true), (5, false)]);
}

#[test]
fn what_a_file_says_of_the_time_after_the_run_is_left_out() {
    let (a, b, c) = (("a", 10.0), ("b", 90.0), ("c", 50.0));
    let steps: [&[(&str, f64)]; 6] = [&[a, b], &[a], &[a], &[a, b], &[b], &[b, c]];
    let text = "run.duration = \"3 s\"\ntopology = { kind = \"explicit\", file = \"cars.xml\" }\n";
    let scenario = with(text, "cars.xml", &cars(&steps)).expect("valid");
    assert_eq!([0, 1, 2].map(|node| power(&scenario, node)), [vec![], vec![(1, false)], vec![(0, false)]]);
}

#[test]
fn vehicles_depart_from_one_place_one_after_the_other() {
    let (a, stays) = (|x| ("a", x), ("s", 90.0));
    let gone: [&[(&str, f64)]; 3] =
        [&[a(10.0), stays], &[a(20.0), stays, ("b", 10.0)], &[("b", 20.0), stays]];
    moving("cars.xml", &cars(&gone)).expect("valid");
    let replaced: [&[(&str, f64)]; 2] = [&[a(10.0), stays], &[("b", 10.0), stays]];
    moving("cars.xml", &cars(&replaced)).expect("valid");
    // A third one enters where the first one still waits: both are there, as the file says.
    let met: [&[(&str, f64)]; 3] = [&[a(10.0), stays], &[a(10.0), stays], &[a(10.0), ("b", 10.0), stays]];
    let scenario = moving("cars.xml", &cars(&met)).expect("valid");
    assert_eq!(places(&scenario, 0, &[2.0]), places(&scenario, 2, &[2.0]));
    assert_eq!(told_of_places(&scenario), "", "as the run begins there is one");
}

/// What is remarked of the places of nodes.
fn told_of_places(scenario: &Resolved) -> String {
    let of = |it: &&String| it.contains("in one place");
    scenario.warnings.iter().find(of).cloned().unwrap_or_default()
}

/// Two cars enter by one lane, and two masts share a roof.
#[test]
fn nodes_may_stand_in_one_place() {
    let lane = "$node_(0) set X_ 12.5\n$node_(0) set Y_ 40\n$ns_ at 1.0 \"$node_(0) setdest 94.5 40 2\"\n\
        $node_(1) set X_ 12.5\n$node_(1) set Y_ 40\n$ns_ at 3.0 \"$node_(1) setdest 94.5 40 2\"\n";
    let scenario = moving("lane.tcl", lane).expect("valid");
    assert_snapshot!(told_of_places(&scenario), @"nodes `0`, `1` stand in one place (x = 12.5 m, y = 40 m): nodes nearer than 1 cm count as 1 cm apart");
    let near = scenario.links(1);
    let link = near.between(multihop_proto::units::NodeId(0), multihop_proto::units::NodeId(1));
    assert!(link.is_some_and(|link| link.decodable && link.power.is_finite()));
    let lines = "0 5 5\n0 9 9\n".repeat(20) + "0 700 5\n";
    let scenario = moving("roof.movements", &lines).expect("valid");
    assert_snapshot!(told_of_places(&scenario), @"nodes `0`, `2`, `4`, `6`, `8` and 15 more stand in one place (x = 5 m, y = 5 m); so do the nodes of another place: nodes nearer than 1 cm count as 1 cm apart");
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the test is about the time that it takes")]
fn thousands_of_nodes_in_one_place_take_no_longer_than_elsewhere() {
    let node = |at: usize| format!("{{ name = \"n{at}\", x = \"1 m\" }}");
    let nodes: Vec<String> = (0..10_000).map(node).collect();
    let text = format!("topology = {{ kind = \"explicit\", node = [{}] }}\n", nodes.join(","));
    let begun = std::time::Instant::now();
    let scenario = with(&text, "-", "").expect("valid");
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
    assert!(told_of_places(&scenario).contains("and 9995 more"));
}

#[test]
fn degrees_are_not_taken_for_metres() {
    let steps: [&[(&str, f64)]; 2] = [&[("a", 8.203), ("b", 8.3)], &[("a", 8.204), ("b", 8.31)]];
    let told = moving("cars.xml", &cars(&steps)).expect_err("degrees").to_string();
    assert_snapshot!(told, @"dir/cars.xml:2:1: all places lie within 0.107000 by 0.000000 of each other, like degrees of longitude and latitude; expected metres; let SUMO write them without --fcd-output.geo");
    let metres: [&[(&str, f64)]; 1] = [&[("a", 8.0), ("b", 9.0)]];
    moving("cars.xml", &cars(&metres)).expect("valid");
}

/// Two cars go 20 m/s, over three degrees of each other: a degree is longer than what they go.
#[test]
fn degrees_far_apart_are_told_by_the_speeds() {
    let text = |metres: f64| {
        let step = |time: u32| {
            let x = 8.0 + 20.0 * f64::from(time) / metres;
            format!(
                "<timestep time=\"{time}\"><vehicle id=\"a\" x=\"{x}\" y=\"47\" speed=\"20.0\"/>\
                 <vehicle id=\"b\" x=\"11.2\" y=\"48\" speed=\"0.0\"/></timestep>\n"
            )
        };
        format!("<fcd-export>\n{}</fcd-export>\n", (0..9).map(step).collect::<String>())
    };
    let told = moving("cars.xml", &text(75_000.0)).expect_err("degrees").to_string();
    assert_snapshot!(told, @"dir/cars.xml:2:1: by their speeds all have gone 160 m and by their places 0.002133, like degrees of longitude and latitude; expected metres; let SUMO write them without --fcd-output.geo");
    moving("cars.xml", &text(1.0)).expect("metres");
    // The node that stands still goes nowhere in any unit.
    moving("cars.xml", &text(75_000.0).replace("20.0", "0.0")).expect("no speed speaks against metres");
}

#[test]
fn sumos_times_for_people_are_those_in_seconds() {
    let text = |times: [&str; 3]| {
        let step = |(place, time): (usize, &str)| {
            format!(
                "<timestep time=\"{time}\"><vehicle id=\"a\" x=\"{place}\" y=\"5\"/><vehicle id=\"b\" x=\"0\" y=\"0\"/></timestep>\n"
            )
        };
        let steps: String = times.into_iter().enumerate().map(step).collect();
        format!("<fcd-export>\n{steps}</fcd-export>\n")
    };
    let read = |times| moving("cars.xml", &text(times)).map(|it| it.nodes[0].waypoints.clone());
    let plain = read(["0.00", "90.50", "86400.25"]).expect("valid");
    assert_eq!(read(["00:00:00.00", "00:01:30.50", "1:00:00:00.25"]).expect("valid"), plain);
    assert_eq!(read(["00:00:00", "00:01:30.5", "24:00:00.25"]).expect("valid"), plain);
    for bad in
        ["00:60:00", "00:00:60", "1:24:00:00", "1:30", "00:-1:30", "0:0:0:0:1", "a:b:c", "00:00:-1", "::"]
    {
        let told = read(["0.00", bad, "2:00:00:00"]).expect_err(bad).to_string();
        let expected = format!(
            "dir/cars.xml:3:1: `time` of <timestep>: expected seconds, hh:mm:ss or days:hh:mm:ss, got `{bad}`; "
        );
        assert!(told.starts_with(&expected), "{told}");
    }
}

#[test]
fn a_list_of_flows_shares_the_other_keys() {
    let text = "topology = { kind = \"chain\", hops = 3 }\n[[flow]]\nfrom = 0\nto = 1\n[[flow]]\nlist = \"ten.flows\"\nstop = \"50 s\"\n";
    let scenario = with(text, "ten.flows", "0:3:10.5, 2:1:11\n3:0:0\n").expect("valid");
    let flows: Vec<_> =
        scenario.flows.iter().map(|it| (it.name.as_str(), it.from.0, it.to.0, it.start.as_ns())).collect();
    assert_eq!(
        flows,
        [("1", 0, 1, 0), ("2", 0, 3, 10_500_000_000), ("3", 2, 1, 11_000_000_000), ("4", 3, 0, 0)]
    );
    assert_eq!(scenario.flows[1].stop.as_secs_f64(), 50.0);
}

#[test]
fn what_makes_no_sense_is_named_with_its_line() {
    let wrong = |name: &str, content: &str| moving(name, content).expect_err("wrong").to_string();
    assert_snapshot!(wrong("a.tcl", "$node_(0) set X_ 1\n$node_(0) jumps"), @r#"dir/a.tcl:2:1: not a line that setdest writes; expected `$node_(N) set X_ PLACE`, `$ns_ at TIME "$node_(N) setdest X Y SPEED"`, or `on` or `off` of a node"#);
    assert_snapshot!(wrong("a.tcl", "$node_(0) set X_ 1\n$node_(0) set Y_ far"), @"dir/a.tcl:2:1: expected a number, got `far`");
    assert_snapshot!(wrong("a.tcl", "\n$node_(x) set X_ 1"), @"dir/a.tcl:2:1: expected a node like `$node_(3)`, got `$node_(x)`");
    assert_snapshot!(wrong("a.tcl", "$ns_ at 1.0 \"$node_(0) setdest 1 2 3\""), @"dir/a.tcl:1:1: nothing says where node 0 is to begin with; set its X_ and Y_: `$node_(0) set X_ 10.0`");
    assert_snapshot!(wrong("a.tcl", "$ns_ at -1.0 \"$node_(0) setdest 1 2 3\""), @"dir/a.tcl:1:1: -1 s is no time of a run");
    assert_snapshot!(wrong("a.tcl", "$ns_ at 1.0 \"$node_(0) setdest 1 2 -3\""), @"dir/a.tcl:1:1: a speed of -3 m/s is below 0");
    assert_snapshot!(wrong("a.tcl", "# nothing"), @"dir/a.tcl: the file moves no node");
    assert_snapshot!(wrong("a.movements", "0 1 2\n0 1 2 3"), @"dir/a.movements:2:1: expected `time x y` again and again, got 4 numbers; motion in three dimensions cannot be read");
    assert_snapshot!(wrong("a.movements", "0 1 2\n0 1 2 3 4"), @"dir/a.movements:2:1: expected `time x y` again and again, got 5 numbers");
    assert_snapshot!(wrong("a.movements", "0 1 2\n0 far 2 3"), @"dir/a.movements:2:1: expected a number, got `far`");
    assert_snapshot!(wrong("a.movements", "0 1 2\n0 1 2 0 3 4"), @"dir/a.movements:2:1: 0 s does not lie after the time before it");
    let told = wrong("a.xml", "<fcd-export>\n<timestep time=\"0\">\n</fcd-export>");
    assert!(told.starts_with("dir/a.xml:3:1: not valid XML") && told.contains("timestep"), "{told}");
    assert_snapshot!(wrong("a.xml", "<fcd-export>\n<timestep time=\"0\">\n</timestep>\n<timestep time=\"1\">\n"), @"dir/a.xml:4:1: the file ends here, within its XML; it has been cut off, or is still being written");
    assert_snapshot!(wrong("a.xml", "<fcd-export>\n<timestep time=\"0\">\n<vehicle id=\"a\" x=\""), @"dir/a.xml:3:1: the file ends here, within its XML; it has been cut off, or is still being written");
    assert_snapshot!(wrong("a.xml", "<fcd-export>\n<timestep time=\"0\">\n<vehicle id=\"a\" x=\"far\" y=\"1\"/></timestep></fcd-export>"), @"dir/a.xml:3:1: `x` of <vehicle>: expected a number, got `far`");
    assert_snapshot!(wrong("a.xml", "<routes/>"), @"dir/a.xml:1:1: expected <fcd-export>, got <routes>; SUMO writes it with --fcd-output");
    assert_snapshot!(wrong("a.xml", "<fcd-export>\n<timestep time=\"0\">\n<vehicle id=\"a\" x=\"1\"/></timestep></fcd-export>"), @"dir/a.xml:3:1: <vehicle> has no attribute `y`");
    assert_snapshot!(wrong("a.xml", "<fcd-export>\n<timestep time=\"0\"><vehicle id=\"a\" x=\"1\" y=\"1\"/>\n<person id=\"a\" x=\"2\" y=\"1\"/></timestep></fcd-export>"), @"dir/a.xml:3:1: `a` is in this time step already; vehicles and persons become nodes of one network; each needs a name of its own");
    assert_snapshot!(wrong("a.csv", "name,x\na,2"), @r#"dir/a.csv:1:1: `name,x` is no motion that can be read; expected ns-2's setdest (`$node_(0) set X_ 10.0`), BonnMotion (a line `time x y time x y` a node), or SUMO's floating-car data (`<fcd-export>`); any of them may be compressed (.gz)"#);
    assert_snapshot!(wrong("a.tcl", "$node_(0) set X_ 1\n$node_(0) set Y_ 1\n$node_(1) set X_ 9e9\n$node_(1) set Y_ 1"), @"dir/a.tcl:3:1: `topology.node.1.x` is 9000000 km; it must lie between -1000 km and 1000 km");
    let absent =
        with("topology = { kind = \"explicit\", file = \"b.tcl\" }", "a.tcl", "").expect_err("absent");
    assert_snapshot!(absent, @"dir/my.toml:1:40: `topology.file`: dir/b.tcl cannot be read: no such file");
    let flows = |extra: &str, content: &str| {
        let text =
            format!("topology = {{ kind = \"chain\", hops = 3 }}\n[[flow]]\nlist = \"a.flows\"\n{extra}");
        with(&text, "a.flows", content).expect_err("wrong").to_string()
    };
    assert_snapshot!(flows("", "0:1"), @"dir/a.flows:1:1: `0:1` is no flow; write source:destination:start, like 3:7:10.5");
    assert_snapshot!(flows("", "\n0:1:soon"), @"dir/a.flows:2:1: expected a number, got `soon`");
    assert_snapshot!(flows("", "0:7:1"), @"dir/a.flows:1:1: `flow.0.to`: there is no node `7`; known: 0, 1, 2, 3 (or `last`)");
    assert_snapshot!(flows("", ""), @"dir/a.flows: the list has no flow");
    assert_snapshot!(flows("to = 3\n", "0:1:1"), @"dir/my.toml:4:1: `flow.0.to` is said beside a list of flows; the list says it of each flow; leave one of them out");
}
