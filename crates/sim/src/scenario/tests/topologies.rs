//! Numbers and places of generated nodes.

use super::{MINIMAL, good, sources};

fn places(topology: &str) -> Vec<(String, f64, f64)> {
    let it = good(&sources(&format!("topology = {{ {topology} }}\n")));
    it.nodes.into_iter().map(|node| (node.name, node.x.get(), node.y.get())).collect()
}

fn at(name: &str, x: f64, y: f64) -> (String, f64, f64) {
    (name.to_owned(), x, y)
}

#[test]
fn chains_run_from_left_to_right() {
    assert_eq!(
        places("kind = \"chain\", hops = 2"),
        [at("0", 0.0, 0.0), at("1", 200.0, 0.0), at("2", 400.0, 0.0)]
    );
}

#[test]
fn crosses_share_their_middle() {
    let nodes = places("kind = \"cross\", hops = 4");
    assert_eq!(nodes.len(), 9);
    assert_eq!(nodes[4], at("4", 800.0, 0.0));
    assert_eq!(
        nodes[5..],
        [at("5", 400.0, 400.0), at("6", 400.0, 200.0), at("7", 400.0, -200.0), at("8", 400.0, -400.0)]
    );
}

#[test]
fn grids_are_numbered_row_by_row() {
    let nodes = places("kind = \"grid\", columns = 3, rows = 2, spacing = \"50 m\"");
    assert_eq!(nodes[2], at("2", 100.0, 0.0));
    assert_eq!(nodes[3], at("3", 0.0, 50.0));
}

#[test]
fn stars_have_node_0_in_the_middle() {
    let nodes = places("kind = \"star\", leaves = 3, radius = \"100 m\"");
    assert_eq!(nodes[0], at("0", 0.0, 0.0));
    assert_eq!(nodes[1], at("1", 100.0, 0.0));
    assert!(nodes[1..].iter().all(|(_, x, y)| (libm::hypot(*x, *y) - 100.0).abs() < 1e-9));
}

#[test]
fn random_places_depend_on_their_own_seed_only() {
    let area = "kind = \"random\", nodes = 20, width = \"600 m\", height = \"600 m\"";
    let first = places(area);
    assert_eq!(places(area), first);
    assert_ne!(places(&format!("{area}, seed = 2")), first);
    let mut other_run = sources(&format!("topology = {{ {area} }}"));
    other_run.sets.push("run.seed=9".into());
    assert_eq!(good(&other_run).nodes[0].x.get(), first[0].1);
    assert!(first.iter().all(|(_, x, y)| (0.0..600.0).contains(x) && (0.0..600.0).contains(y)));
}

#[test]
fn explicit_nodes_keep_their_names() {
    let nodes = places(
        "kind = \"explicit\", node = [{ name = \"roof\", x = \"0 m\", y = \"3 m\" }, { name = 7, x = \"1 km\" }]",
    );
    assert_eq!(nodes, [at("roof", 0.0, 3.0), at("7", 1000.0, 0.0)]);
}

/// Each frame fades by itself: what one draw says of a link is nothing that lasts.
#[test]
fn what_nodes_hear_of_each_other_is_told_without_fading() {
    let told = |fading: &str| {
        crate::check::hearing(&good(&sources(&format!("{MINIMAL}air.fading = \"{fading}\"\n"))), 1)
    };
    let links = |told: &str| told.split("\"links\"").nth(1).map(str::to_owned);
    assert!(links(&told("none")).is_some());
    assert_eq!(links(&told("rayleigh")), links(&told("none")));
}

#[test]
fn a_flow_may_name_the_last_node() {
    for hops in ["1", "12"] {
        let mut last = sources(&format!("{MINIMAL}[[flow]]\nfrom = \"0\"\nto = \"last\"\n"));
        last.sets.push(format!("topology.hops={hops}"));
        let mut named = last.clone();
        named.sets.push(format!("flow.0.to={hops}"));
        assert_eq!(good(&last).config.flow[0].to, hops);
        assert_eq!(good(&last).hash(), good(&named).hash());
    }
    let own = "topology = { kind = \"explicit\", node = [{ name = \"last\", x = \"0 m\" }, { name = \"b\", x = \"9 m\" }] }\n";
    let own = good(&sources(&format!("{own}[[flow]]\nfrom = \"b\"\nto = \"last\"\n")));
    assert_eq!((own.flows[0].from.0, own.flows[0].to.0), (1, 0));
}
