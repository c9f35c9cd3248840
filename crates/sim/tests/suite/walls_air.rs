//! The air in time: nodes that pass each other while frames are on the air, links given as a list, and what a
//! scenario schedules. Every run's ledger balances.

use crate::common::{Case, on_threads};
use proptest::prelude::*;

const HEAD: &str = "profile = \"ns2\"\n[run]\nduration = \"40 s\"\n[measure]\nsample = \"0 s\"\n";

/// A sender, a receiver and a relay half-way that leaves after a while and comes back on the other side.
fn ferry() -> Case {
    Case::new(&format!(
        "{HEAD}[topology]\nkind = \"explicit\"\n\
         node = [{{ name = \"a\", x = \"0 m\" }}, {{ name = \"b\", x = \"400 m\" }},\n\
         {{ name = \"m\", x = \"200 m\", waypoint = [\n\
           {{ at = \"10 s\", x = \"200 m\" }}, {{ at = \"20 s\", x = \"200 m\", y = \"1 km\" }},\n\
           {{ at = \"30 s\", x = \"200 m\" }}] }}]\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"a\"\nto = \"b\"\nrate = \"200 kbps\"\npacket = \"1000 B\"\n"
    ))
}

/// Bytes of the first flow between two instants.
fn between(case: &Case, from: u64, to: u64) -> f64 {
    let run = case
        .clone()
        .set("measure.warm-up", format_args!("{from} s"))
        .set("measure.until", format_args!("{to} s"))
        .run(1);
    run.over_flows("delivered_bytes")
}

#[test]
fn a_relay_carries_while_it_is_in_range() {
    let rate = 25_000.0; // bytes per second
    // 250 m to either end: 150 m aside, which it passes 1.5 s after it leaves and before it returns.
    assert!((between(&ferry(), 1, 10) / (9.0 * rate) - 1.0).abs() < 0.01);
    let left = between(&ferry(), 10, 28);
    assert!((left / (1.5 * rate) - 1.0).abs() < 0.05, "{left}");
    assert!(between(&ferry(), 31, 40) > 8.9 * rate);
}

#[test]
fn the_way_of_a_node_is_the_same_however_the_nodes_are_listed() {
    let swapped = Case::new(&format!(
        "{HEAD}[topology]\nkind = \"explicit\"\n\
             node = [{{ name = \"m\", x = \"200 m\", waypoint = [\n\
               {{ at = \"10 s\", x = \"200 m\" }}, {{ at = \"20 s\", x = \"200 m\", y = \"1 km\" }},\n\
               {{ at = \"30 s\", x = \"200 m\" }}] }}, {{ name = \"b\", x = \"400 m\" }}, {{ name = \"a\", x = \"0 m\" }}]\n\
             [[flow]]\nkind = \"cbr\"\nfrom = \"a\"\nto = \"b\"\nrate = \"200 kbps\"\npacket = \"1000 B\"\n"
    ));
    let (one, other) = (ferry().run(1), swapped.run(1));
    assert_eq!(one.json["frames"], other.json["frames"]);
    assert_eq!(one.flows(), other.flows());
}

fn listed(links: &str, events: &str) -> Case {
    Case::new(&format!(
        "{HEAD}[topology]\nkind = \"links\"\nlink = [{links}]\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"a\"\nto = \"c\"\nrate = \"200 kbps\"\npacket = \"1000 B\"\n{events}"
    ))
}

const LINE: &str = "{ from = \"a\", to = \"b\" }, { from = \"b\", to = \"c\" }";

#[test]
fn a_list_of_links_is_a_network() {
    let whole = listed(LINE, "").run(1).over_flows("delivered_bytes");
    assert!((whole / (40.0 * 25_000.0) - 1.0).abs() < 0.01, "{whole}");
    let sensed = listed(&format!("{LINE}, {{ from = \"a\", to = \"d\", sense-only = true }}"), "").run(1);
    assert!(sensed.of_node(3, "airtime_busy_s") > 4.5, "it hears that a sends");
    assert_eq!(sensed.over_flows("delivered_bytes"), whole);
}

#[test]
fn a_lossy_link_costs_retries_in_its_direction() {
    let lossy = "{ from = \"a\", to = \"b\", one-way = true, loss = 0.2 }, { from = \"b\", to = \"a\", one-way = true }, \
                 { from = \"b\", to = \"c\" }";
    let run = listed(lossy, "").run(1);
    let (here, there) = (run.of_node(0, "rts_failures"), run.of_node(1, "rts_failures"));
    assert!(here > 200.0 && there < here / 10.0, "{here} {there}");
    assert!(run.over_flows("delivered_bytes") > 0.99 * 40.0 * 25_000.0);
}

#[test]
fn what_is_scheduled_happens_and_ends() {
    let event = |text: &str| format!("[[event]]\n{text}\n");
    let down = event("at = \"10 s\"\nkind = \"node-down\"\nnode = \"b\"")
        + &event("at = \"20 s\"\nkind = \"node-up\"\nnode = \"b\"");
    let cut = event("at = \"10 s\"\nkind = \"link-down\"\nfrom = \"b\"\nto = \"c\"")
        + &event("at = \"20 s\"\nkind = \"link-up\"\nfrom = \"b\"\nto = \"c\"");
    let lost = event("at = \"10 s\"\nkind = \"link-loss\"\nfrom = \"b\"\nto = \"c\"\nloss = 1.0")
        + &event("at = \"20 s\"\nkind = \"link-loss\"\nfrom = \"b\"\nto = \"c\"\nloss = 0.0");
    for (name, events) in [("down", down), ("cut", cut), ("lost", lost)] {
        let case = listed(LINE, &events);
        let parts = [(1, 10), (11, 20), (22, 40)].map(|(from, to)| between(&case, from, to));
        assert!(
            parts[0] > 8.9 * 25_000.0 && parts[1] == 0.0 && parts[2] > 17.0 * 25_000.0,
            "{name}: {parts:?}"
        );
    }
}

#[test]
fn a_jammed_region_receives_nothing_and_all_around_goes_on() {
    let case = Case::new(&format!(
        "{HEAD}[topology]\nkind = \"chain\"\nhops = 2\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"0\"\nto = \"2\"\nrate = \"200 kbps\"\npacket = \"1000 B\"\n\
         [[event]]\nat = \"10 s\"\nkind = \"jam\"\nx = \"400 m\"\nradius = \"100 m\"\nuntil = \"20 s\"\n"
    ));
    let parts = [(1, 10), (11, 20), (22, 40)].map(|(from, to)| between(&case, from, to));
    assert!(parts[0] > 8.9 * 25_000.0 && parts[1] == 0.0 && parts[2] > 17.0 * 25_000.0, "{parts:?}");
    let run = case.run(1);
    assert!(run.of_node(1, "given_up_rts") > 100.0, "the relay tries on");
}

fn waypoints() -> impl Strategy<Value = String> {
    prop::collection::vec((1..2000_u32, 0..800_i32, 0..400_i32), 0..6).prop_map(|mut legs| {
        legs.sort_unstable();
        legs.dedup_by_key(|leg| leg.0);
        let one = |(at, x, y)| format!("{{ at = \"{at} ms\", x = \"{x} m\", y = \"{y}.5 m\" }}");
        legs.into_iter().map(one).collect::<Vec<_>>().join(", ")
    })
}

fn happening(nodes: usize) -> impl Strategy<Value = String> {
    let node = 0..nodes;
    (0..2500_u32, 0..6_u8, node.clone(), node, 0..=10_u8).prop_map(move |(at, kind, a, b, loss)| {
        let b = if a == b { (b + 1) % nodes } else { b };
        let what = match kind {
            0 => format!("\"node-down\"\nnode = \"n{a}\""),
            1 => format!("\"node-up\"\nnode = \"n{a}\""),
            2 => format!("\"link-down\"\nfrom = \"n{a}\"\nto = \"n{b}\""),
            3 => format!("\"link-up\"\nfrom = \"n{a}\"\nto = \"n{b}\"\none-way = true"),
            4 => format!("\"link-loss\"\nfrom = \"n{a}\"\nto = \"n{b}\"\nloss = {}", f64::from(loss) / 10.0),
            _ => format!(
                "\"jam\"\nx = \"{} m\"\nradius = \"200 m\"\nuntil = \"2600 ms\"",
                80 * u32::from(loss)
            ),
        };
        format!("[[event]]\nat = \"{at} ms\"\nkind = {what}\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// Whatever moves, fails or is jammed: no panic, the books balance, and a run is the same beside others and under
    /// another listing of its nodes.
    #[test]
    fn anything_may_move_and_fail(
        next_hops in prop::collection::vec(waypoints(), 4..8),
        events in prop::collection::vec(happening(4), 0..12),
        reception in prop::sample::select(vec!["ns2", "sinr"]),
        routing in prop::sample::select(vec!["static", "dsdv"]),
        delay in prop::sample::select(vec!["0 us", "1 us"]),
        channel in prop::sample::select(vec![
            "", "", "fading = \"rayleigh\"\n",
            "shadowing = \"4 dB\"\nfading = \"rician\"\nburst = { good = \"400 ms\", bad = \"30 ms\" }\n",
        ]),
        model in prop::sample::select(vec![
            "", "kind = \"random-waypoint\"\nmax-speed = \"90 m/s\"\n", "kind = \"random-walk\"\nmax-speed = \"90 m/s\"\n",
            "kind = \"gauss-markov\"\nmean-speed = \"70 m/s\"\n",
        ]),
    ) {
        let place = |(number, way): (usize, &String)| {
            format!("{{ name = \"n{number}\", x = \"{} m\", y = \"{} m\", waypoint = [{way}] }}", 170 * number, number % 3)
        };
        let nodes: Vec<String> = next_hops.iter().enumerate().map(place).collect();
        // Moves the nodes that have drawn no waypoints.
        let area = "area = { width = \"1400 m\", height = \"500 m\" }\n";
        let mobility = if model.is_empty() { String::new() } else { format!("[mobility]\n{model}{area}") };
        let text = |nodes: &[String]| format!(
            "profile = \"ns2\"\n[run]\nduration = \"3 s\"\n[air]\nreception = \"{reception}\"\npropagation-delay = \"{delay}\"\n{channel}{mobility}\
             [routing]\nkind = \"{routing}\"\n[routing.dsdv]\nperiod = \"500 ms\"\n\
             [topology]\nkind = \"explicit\"\nnode = [{}]\n\
             [[flow]]\nfrom = \"n0\"\nto = \"n3\"\n[[flow]]\nkind = \"cbr\"\nfrom = \"n2\"\nto = \"n1\"\nrate = \"400 kbps\"\n{}",
            nodes.join(", "), events.concat()
        );
        let reversed: Vec<String> = nodes.iter().rev().cloned().collect();
        let cases = [text(&nodes), text(&nodes), text(&reversed)];
        let runs = on_threads(cases, |text| Case::new(&text).run(1));
        prop_assert_eq!(runs[0].fingerprint(), runs[1].fingerprint());
        prop_assert_eq!(runs[0].flows(), runs[2].flows());
        for key in ["frames_whole_run", "events", "ledger", "drops"] {
            prop_assert_eq!(&runs[0].json[key], &runs[2].json[key]);
        }
    }
}
