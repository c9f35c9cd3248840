//! `[[agent]]`: where agents stand, which nodes they serve, and every way in which that can be wrong.

use super::{complaint, good, sources};
use crate::scenario::{Agent, PathPlace, Placement};
use insta::assert_snapshot;
use multihop_proto::units::{FlowId, NodeId};

/// A chain of four hops with two flows over TCP, the second called `back`, and one over UDP.
const FLOWS: &str = r#"topology = { kind = "chain", hops = 4 }
flow = [
  { from = 0, to = 4 }, { name = "back", from = 4, to = 0 },
  { kind = "cbr", rate = "9 kbps", packet = "500 B", from = 1, to = 3 },
]
"#;

fn agents(extra: &str) -> Vec<Agent> {
    good(&sources(&format!("{FLOWS}[[agent]]\n{extra}"))).agents
}

#[track_caller]
fn wrong(extra: &str) -> String {
    complaint(&sources(&format!("{FLOWS}[[agent]]\n{extra}")))
}

#[test]
fn agents_stand_where_they_are_named_or_on_a_path_and_serve_what_runs_over_tcp() {
    let [it] = &agents("kind = \"i-tcp\"\nat = [3, \"1\"]")[..] else { panic!("one") };
    assert_eq!(it.placement, Placement::Nodes(vec![NodeId(3), NodeId(1)]));
    assert_eq!(it.flows, [FlowId(0), FlowId(1)]);
    let of = |extra: &str| agents(&format!("kind = \"i-tcp\"\n{extra}")).remove(0);
    assert_eq!(of("every = 2").placement, Placement::Every(2));
    assert_eq!(of("place = \"middle\"").placement, Placement::One(PathPlace::Middle));
    assert_eq!(of("every = 2\nflows = [\"back\"]").flows, [FlowId(1)]);
    assert_eq!(of("every = 2\nflows = [2, 1]").flows, [FlowId(1), FlowId(0)], "numbers count from 1");
}

#[test]
fn flows_that_lack_its_part_at_their_ends_are_left_out_unless_they_are_named() {
    let split = |extra: &str| format!("{FLOWS}[[agent]]\nkind = \"split-tcp\"\nevery = 2\n{extra}");
    let mut it = sources(&split(""));
    it.sets = vec!["shim.kind=split-tcp".into(), "flow.1.shim={ kind = \"none\" }".into()];
    assert_eq!(good(&it).agents[0].flows, [FlowId(0)]);
    it.scenario.text = split("flows = [\"back\"]");
    assert_snapshot!(complaint(&it), @r#"my.toml:9:10: agents of kind "split-tcp" need their part at the ends of flow `back`; set shim.kind = "split-tcp", as the technique split-tcp does"#);
}

#[test]
fn a_place_on_a_path_leaves_its_ends_out() {
    let path: Vec<NodeId> = [7, 1, 2, 3, 4, 9].map(NodeId).to_vec();
    let stands = |placement: Placement, hops: usize| -> Vec<u32> {
        placement.nodes(&path[..=hops]).into_iter().map(|node| node.0).collect()
    };
    let one = |place, hops| stands(Placement::One(place), hops);
    assert_eq!(one(PathPlace::FirstRelay, 5), [1]);
    assert_eq!(one(PathPlace::Middle, 5), [2], "of two the nearer to the source");
    assert_eq!(one(PathPlace::Middle, 4), [2]);
    assert_eq!(one(PathPlace::LastRelay, 5), [4]);
    for place in [PathPlace::FirstRelay, PathPlace::Middle, PathPlace::LastRelay] {
        assert_eq!(one(place, 2), [1]);
        assert!(one(place, 1).is_empty(), "no relay");
        assert_eq!(Placement::One(place).nodes(&[]), [], "no path");
    }
    assert_eq!(stands(Placement::Every(2), 5), [2, 4]);
    assert!(stands(Placement::Every(5), 5).is_empty());
    assert_eq!(Placement::Every(1).nodes(&[]), []);
}

#[test]
fn what_the_overlays_say_can_be_changed_with_a_parameter() {
    let mut base = sources(FLOWS);
    for (technique, placement) in [
        ("split-tcp", Placement::Every(3)),
        ("split-tcp:2", Placement::Every(2)),
        ("i-tcp", Placement::One(PathPlace::LastRelay)),
        ("i-tcp:place=middle,buffer=9", Placement::One(PathPlace::Middle)),
    ] {
        base.techniques = vec![(technique.into(), None)];
        let it = good(&base);
        assert_eq!(it.agents[0].placement, placement, "{technique}");
        assert_eq!(it.agents[0].config.i_tcp.buffer, if technique.contains('9') { 9 } else { 64 });
    }
    base.techniques = vec![("i-tcp:sideways".into(), None)];
    assert_snapshot!(complaint(&base), @r#"--technique i-tcp:sideways: `agent.0.place` has no value "sideways"; expected one of "first-relay", "middle", "last-relay""#);
    base.techniques = vec![("i-tcp".into(), None), ("split-tcp".into(), None)];
    assert_snapshot!(complaint(&base), @r#"techniques/split-tcp.toml:12:9: techniques `i-tcp` and `split-tcp` contradict each other: each has a list `agent` of its own; use one of them, or write into the scenario what is to be in the list"#);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    assert_snapshot!(wrong("kind = \"isolate\"\nevery = 2"), @r#"my.toml:7:8: `agent.0.kind` has no value "isolate"; expected one of "i-tcp", "split-tcp", "snoop", "eln", "snoop-eln""#);
    assert_snapshot!(wrong("kind = \"i-tcp\""), @r#"my.toml:7:8: an agent must stand somewhere; like at = ["3"], every = 3 or place = "last-relay""#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nevery = 2\nat = [1]"), @r#"my.toml:8:9: `at`, `every` and `place` each say where the agents stand; keep one of them"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nat = [1]\nplace = \"middle\""), @r#"my.toml:9:9: `at`, `every` and `place` each say where the agents stand; keep one of them"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nplace = \"centre\""), @r#"my.toml:8:9: `agent.0.place` has no value "centre"; expected one of "first-relay", "middle", "last-relay""#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nat = []"), @r#"my.toml:8:6: agents at no nodes; name some, like at = ["3"]"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nat = [7]"), @r#"my.toml:8:7: `agent.0.at.0`: there is no node `7`; known: 0, 1, 2, 3, 4"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nat = [2, 2]"), @r#"my.toml:8:10: node `2` is named twice; name each once"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nat = [2, 4]"), @r#"my.toml:8:10: node `4` is an end of every flow that the agent serves; an agent stands between the ends"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nat = [true]"), @r#"my.toml:8:7: `agent.0.at.0`: expected the name of a node, like "0", got true"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nevery = 0"), @r#"my.toml:8:9: `agent.0.every` is 0; it must lie between 1 and 1000"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nevery = 2\nflows = []"), @r#"my.toml:9:9: agents for no flows; leave it out, or name some"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nevery = 2\nflows = [\"forth\"]"), @r#"my.toml:9:10: there is no flow `forth`; known: 1, back, 3"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nevery = 2\nflows = [4]"), @r#"my.toml:9:10: there is no flow `4`; known: 1, back, 3"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nevery = 2\nflows = [3]"), @r#"my.toml:9:10: flow `3` is not over TCP: agents serve flows over TCP alone; name another"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nevery = 2\nflows = [{}]"), @r#"my.toml:9:10: `agent.0.flows.0`: expected the name or the number of a flow, like "1", got a table"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nevery = 2\ni-tcp.buffer = 0"), @r#"my.toml:9:16: `agent.0.i-tcp.buffer` is 0; it must lie between 1 and 1000000"#);
    assert_snapshot!(wrong("kind = \"i-tcp\"\nevery = 2\ni-tcp.bufer = 9"), @r#"my.toml:9:7: unknown key `agent.0.i-tcp.bufer`; did you mean `buffer`?"#);
    assert_snapshot!(wrong("kind = \"split-tcp\"\nevery = 2"), @r#"my.toml:7:8: agents of kind "split-tcp" need their part at the ends of flow `1`; set shim.kind = "split-tcp", as the technique split-tcp does"#);
    assert_snapshot!(wrong("kind = \"split-tcp\"\nevery = 2\nsplit-tcp.buffer = 0"), @r#"my.toml:9:20: `agent.0.split-tcp.buffer` is 0; it must lie between 1 and 1000000"#);
}
