//! One test for each kind of mistake: the message must name place, key, expectation and the nearest right word.

use super::{MINIMAL, complaint, resolved, sources};
use insta::assert_snapshot;

/// The message about `extra` lines after the minimal scenario.
#[track_caller]
fn wrong(extra: &str) -> String {
    complaint(&sources(&format!("{MINIMAL}{extra}")))
}

#[track_caller]
fn wrong_set(set: &str) -> String {
    let mut sources = sources(&format!("{MINIMAL}flow = [{{ from = \"0\", to = \"2\" }}]\n"));
    sources.sets.push(set.into());
    complaint(&sources)
}

#[track_caller]
fn wrong_techniques(techniques: &[(&str, Option<&str>)]) -> String {
    let mut sources = sources(MINIMAL);
    sources.techniques =
        techniques.iter().map(|(spec, text)| ((*spec).into(), text.map(Into::into))).collect();
    complaint(&sources)
}

#[test]
fn unknown_keys_suggest_the_nearest() {
    assert_snapshot!(wrong("[tcp]\nwindw = \"reno\""), @r#"my.toml:3:1: unknown key `tcp.windw`; did you mean `window`?"#);
    assert_snapshot!(wrong("[tcp]\nmax_window = 8"), @r#"my.toml:3:1: unknown key `tcp.max_window`; did you mean `max-window`?"#);
    assert_snapshot!(wrong("[mac]\nbit-error-rate = 1e-5"), @r#"my.toml:3:1: unknown key `mac.bit-error-rate`; did you mean `air.bit-error-rate`?"#);
    assert_snapshot!(wrong("[rooting]\nkind = \"static\""), @r#"my.toml:2:2: unknown key `rooting`; did you mean `routing`?"#);
    assert_snapshot!(wrong("[routing.dsdv]\nperiode = \"15 s\""), @r#"my.toml:3:1: unknown key `routing.dsdv.periode`; did you mean `period`?"#);
    assert_snapshot!(wrong("[udp]\ncolour = 1"), @r#"my.toml:3:1: unknown key `udp.colour`; known: packet"#);
    assert_snapshot!(complaint(&sources("[topology]\nkind = \"chain\"\nhops = 7\nspacng = \"200 m\"")), @r#"my.toml:4:1: unknown key `topology.spacng`; did you mean `spacing`?"#);
    assert_snapshot!(wrong("[[flow]]\nfrom = \"0\"\nto = \"2\"\nid = \"a\""), @"my.toml:5:1: unknown key `flow.0.id`; known: name, kind, list, transport, from, to, start, stop, size, rate, packet, on, off, dscp, tcp, shim");
    assert_snapshot!(wrong("[[event]]\nat = \"1 s\"\nkind = \"link-cut\"\nduration = \"3 s\""), @"my.toml:5:1: unknown key `event.0.duration`; known: at, kind, node, from, to, one-way, loss, packets, rate, x, y, radius, until; or did you mean `run.duration`?");
    assert_snapshot!(wrong("[[flow]]\nfrom = \"0\"\nto = \"2\"\n[[flow]]\nform = \"0\"\nto = \"1\""), @r#"my.toml:6:1: unknown key `flow.1.form`; did you mean `from`?"#);
}

#[test]
fn words_of_other_tools_lead_to_the_keys() {
    assert_snapshot!(wrong_set("mac.rate=11"), @"--set mac.rate=11: unknown key `mac.rate`; did you mean `mac.data-rate`?");
    assert_snapshot!(wrong_set("bandwidth=11"), @"--set bandwidth=11: unknown key `bandwidth`; did you mean `mac.data-rate`?");
    assert_snapshot!(wrong_set("mac.retries=14"), @"--set mac.retries=14: unknown key `mac.retries`; did you mean `mac.short-retry-limit` or `mac.long-retry-limit`?");
    assert_snapshot!(wrong_set("tcp.cwnd=4"), @"--set tcp.cwnd=4: unknown key `tcp.cwnd`; did you mean `tcp.max-window`?");
    assert_snapshot!(wrong_set("queue.length=20"), @"--set queue.length=20: unknown key `queue.length`; did you mean `queue.limit`?");
    assert_snapshot!(wrong("[queue]\nBuffer_Size = 20"), @"my.toml:3:1: unknown key `queue.Buffer_Size`; did you mean `queue.limit`?");
    assert_snapshot!(wrong_set("run.length=20"), @"--set run.length=20: unknown key `run.length`; did you mean `run.duration`?");
}

#[test]
fn what_is_not_modelled_is_said_and_not_guessed() {
    assert_snapshot!(wrong_set("mac.channel=5"), @"--set mac.channel=5: unknown key `mac.channel`; `[[node]] radio = [{ channel = 36 }]` sets the channel of a radio, and `[channels]` those of all nodes");
    assert_snapshot!(wrong_set("routing.kind=olsr"), @r#"--set routing.kind=olsr: `routing.kind` has no value "olsr"; expected one of "static", "dsdv", "dsr", "aodv", "frn", "multipath"; this protocol is not modelled: routing is static, DSDV, AODV, DSR, or that of the Flexible Radio Network"#);
    assert_snapshot!(wrong("[tcp]\nwindow = \"COMPOUND\""), @r#"my.toml:3:10: `tcp.window` has no value "COMPOUND"; expected one of "tahoe", "reno", "newreno", "cubic", "bbr", "bbr-draft", "westwood", "vegas", "veno", "dctcp", "fixed"; this variant of TCP is not modelled: the values of `tcp.window` are, with and without SACK, and techniques that change them"#);
    assert_snapshot!(wrong_set("air.ttl=5"), @"--set air.ttl=5: unknown key `air.ttl`; no key sets the hop limit (TTL) of data packets; routing protocols have keys for their searches, like `routing.aodv.ttl-start`");
    assert_snapshot!(wrong_techniques(&[("illinois", None)]), @"--technique illinois: there is no technique `illinois`; this variant of TCP is not modelled: the values of `tcp.window` are, with and without SACK, and techniques that change them");
}

#[test]
fn quantities_need_their_units() {
    assert_snapshot!(wrong("[run]\nduration = 100"), @r#"my.toml:3:12: `run.duration`: expected a time with its unit, like "100 s"; got the bare number 100"#);
    assert_snapshot!(wrong("[run]\nduration = \"100\""), @r#"my.toml:3:12: `run.duration`: expected a time with its unit, like "20 us" (units: ns, s, ms, us, µs, min, h); `100` has no unit: write `100 s`?"#);
    assert_snapshot!(wrong("[run]\nduration = \"100 parsec\""), @r#"my.toml:3:12: `run.duration`: expected a time with its unit, like "20 us" (units: ns, s, ms, us, µs, min, h); `parsec` is not one of them"#);
    assert_snapshot!(wrong("[mac]\ndata-rate = 2.0"), @r#"my.toml:3:13: `mac.data-rate`: expected a data rate with its unit, like "2 Mbps"; got the bare number 2"#);
    assert_snapshot!(wrong("[mac]\ndata-rate = true"), @r#"my.toml:3:13: `mac.data-rate`: expected a data rate with its unit, like "2 Mbps", got true"#);
    assert_snapshot!(complaint(&sources("topology = { kind = \"chain\", hops = 2, spacing = 200 }")), @r#"my.toml:1:50: `topology.spacing`: expected a distance with its unit, like "200 m"; got the bare number 200"#);
}

#[test]
fn numbers_must_make_sense() {
    assert_snapshot!(wrong("[run]\nduration = \"-1 s\""), @r#"my.toml:3:12: `run.duration`: expected a time with its unit, like "20 us" (units: ns, s, ms, us, µs, min, h); `-1 s` is negative"#);
    assert_snapshot!(wrong("[run]\nduration = \"0 s\""), @r#"my.toml:3:12: `run.duration` is 0 s; it must lie between 1 ns and 10000000 s"#);
    assert_snapshot!(wrong("[run]\nduration = \"500000000 h\""), @r#"my.toml:3:12: `run.duration`: expected a time with its unit, like "20 us" (units: ns, s, ms, us, µs, min, h); `500000000 h` is too large"#);
    assert_snapshot!(wrong("[run]\nseed = -1"), @r#"my.toml:3:8: `run.seed`: expected a whole number, 0 or more, got -1"#);
    assert_snapshot!(wrong("[tcp]\nmax-window = 0"), @r#"my.toml:3:14: `tcp.max-window` is 0; it must lie between 1 and 1000000"#);
    assert_snapshot!(wrong("[tcp]\nmax-window = -4"), @r#"my.toml:3:14: `tcp.max-window`: expected a whole number from 0 to 4294967295, got -4"#);
    assert_snapshot!(wrong("[tcp]\nmax-window = 2.5"), @r#"my.toml:3:14: `tcp.max-window`: expected a whole number from 0 to 4294967295, got 2.5"#);
    assert_snapshot!(wrong("[air]\nbit-error-rate = 1.5"), @r#"my.toml:3:18: `air.bit-error-rate` is 1.5; it must be a probability, between 0 and 1"#);
    assert_snapshot!(wrong("[air]\nbit-error-rate = nan"), @r#"my.toml:3:18: `nan` is not a finite number"#);
    assert_snapshot!(wrong("[mac]\ndata-rate = \"0 Mbps\""), @r#"my.toml:3:13: `mac.data-rate` is 0 bps; it must lie between 1 bps and 1000 Gbps"#);
    assert_snapshot!(wrong("[mac]\ncw-max = 15"), @r#"my.toml:3:10: `mac.cw-max` is 15; it must lie between `mac.cw-min`, 31, and 1048576"#);
    // The profile says the other of the two, and nothing looks there.
    assert_snapshot!(wrong("[mac]\ncw-min = 5000"), @r#"my.toml:3:10: `mac.cw-max` is 1023; it must lie between `mac.cw-min`, 5000, and 1048576"#);
    assert_snapshot!(wrong("[air]\npropagation-delay = \"10 us\""), @r#"my.toml:3:21: `air.propagation-delay` is 10 us; it must be shorter than `mac.sifs`, 10 us"#);
    assert_snapshot!(wrong("[air]\npropagation-delay = \"3 us\""), @r#"my.toml:3:21: `air.propagation-delay` is 3 us; it must be at most half of `mac.timeout-slack`, 4 us"#);
    assert_snapshot!(complaint(&sources("topology = { kind = \"chain\", hops = 10000 }\nrun = { duration = \"100 h\" }")), @r#"my.toml:2:20: `run.duration` is 360000 s; it must be at most 140737 s with 10001 nodes"#);
    assert_snapshot!(wrong("[queue]\nlimit = 0"), @r#"my.toml:3:9: `queue.limit` is 0; it must lie between 2 and 1000000"#);
    assert_snapshot!(complaint(&sources("topology = { kind = \"chain\", hops = 0 }")), @r#"my.toml:1:37: `topology.hops` is 0; it must lie between 1 and 10000"#);
    assert_snapshot!(complaint(&sources("topology = { kind = \"chain\", hops = 20000 }")), @r#"my.toml:1:37: `topology.hops` is 20000; it must lie between 1 and 10000"#);
    assert_snapshot!(complaint(&sources("topology = { kind = \"chain\", hops = 2, spacing = \"0 m\" }")), @r#"my.toml:1:50: `topology.spacing` is 0 m; it must lie between 1 cm and 1000 km"#);
    assert_snapshot!(complaint(&sources("topology = { kind = \"grid\", columns = 400, rows = 400 }")), @r#"my.toml:1:51: the topology has 160000 nodes; between 2 and 10001 can be simulated"#);
    assert_snapshot!(complaint(&sources("topology = { kind = \"cross\", hops = 3 }")), @r#"my.toml:1:37: `topology.hops` is 3; it must be even, so that the chains share their middle"#);
}

#[test]
fn times_must_be_in_order() {
    assert_snapshot!(wrong("[measure]\nuntil = \"200 s\""), @r#"my.toml:3:9: `measure.until` is 200 s; it must not lie after the run's end, 100 s"#);
    assert_snapshot!(wrong("[measure]\nwarm-up = \"100 s\""), @r#"my.toml:3:11: `measure.warm-up` is 100 s; it must be shorter than the run's measured end, 100 s"#);
    assert_snapshot!(wrong("[measure]\nwindow = [{ from = \"50 s\", to = \"150 s\" }]"), @r#"my.toml:3:33: `measure.window.0.to` is 150 s; it must not lie after the run's end, 100 s"#);
    assert_snapshot!(wrong("[measure]\nwindow = [{ from = \"50 s\", to = \"50 s\" }]"), @r#"my.toml:3:20: `measure.window.0.from` is 50 s; it must lie before its end, 50 s"#);
    assert_snapshot!(wrong("[[flow]]\nfrom = \"0\"\nto = \"2\"\nstart = \"50 s\"\nstop = \"20 s\""), @r#"my.toml:6:8: flow `1` stops at 20 s, but starts at 50 s; a flow must start before it stops"#);
    assert_snapshot!(wrong("[measure]\nsample = \"1 ns\""), @r#"my.toml:3:10: `measure.sample` is 1 ns; it must leave no more than 10000000 samples, not 100000000000"#);
}

#[test]
fn flows_join_two_existing_nodes() {
    assert_snapshot!(wrong("[[flow]]\nfrom = \"0\"\nto = \"9\""), @r#"my.toml:4:6: `flow.0.to`: there is no node `9`; known: 0, 1, 2 (or `last`)"#);
    assert_snapshot!(wrong("[[flow]]\nfrom = 0\nto = 9"), @r#"my.toml:4:6: `flow.0.to`: there is no node `9`; known: 0, 1, 2 (or `last`)"#);
    assert_snapshot!(wrong("[[flow]]\nfrom = \"1\"\nto = \"1\""), @r#"my.toml:4:6: a flow from node `1` to itself crosses no air; name another node"#);
    assert_snapshot!(wrong("[[flow]]\nfrom = \"1\""), @r#"my.toml:2:1: `flow.0.to` is missing"#);
    assert_snapshot!(wrong("[[flow]]\nkind = \"file\"\nfrom = \"1\"\nto = \"2\""), @r#"my.toml:2:1: a flow of kind "file" needs `size`; like size = "1 MB""#);
    assert_snapshot!(wrong("[[flow]]\nrate = \"1 Mbps\"\nfrom = \"1\"\nto = \"2\""), @r#"my.toml:3:8: `rate` means nothing to a flow of kind "bulk"; leave it out, or choose another kind"#);
    assert_snapshot!(wrong("[[flow]]\ntransport = \"udp\"\nfrom = \"1\"\nto = \"2\""), @r#"my.toml:3:13: a flow of kind "bulk" over UDP has no rate; use kind = "cbr" with a rate"#);
    assert_snapshot!(wrong("[[flow]]\nname = \"2\"\nfrom = \"1\"\nto = \"2\"\n[[flow]]\nfrom = \"2\"\nto = \"1\""), @r#"my.toml:6:1: flows 1 and 2 are both called `2`; give each its own name"#);
    let named = "[topology]\nkind = \"explicit\"\nnode = [{ name = \"roof\", x = \"0 m\" }, { name = \"mast\", x = \"90 m\" }]\n";
    assert_snapshot!(complaint(&sources(&format!("{named}[[flow]]\nfrom = \"roof\"\nto = \"mats\""))), @r#"my.toml:6:6: `flow.0.to`: there is no node `mats`; did you mean `mast`?"#);
}

#[test]
fn nodes_have_their_own_names_and_places() {
    let nodes =
        |list: &str| complaint(&sources(&format!("[topology]\nkind = \"explicit\"\nnode = [{list}]")));
    assert_snapshot!(nodes("{ name = \"a\", x = \"1 m\" }, { name = \"a\", x = \"2 m\" }"), @r#"my.toml:3:45: two nodes are called `a`; give each its own name"#);
    assert_snapshot!(nodes("{ name = \"a\", x = \"1 m\" }"), @r#"my.toml:3:8: the topology has 1 node; between 2 and 10001 can be simulated"#);
    assert_snapshot!(nodes("{ name = \"a\", x = 1 }"), @r#"my.toml:3:27: `topology.node.0.x`: expected a distance with its unit, like "1 m"; got the bare number 1"#);
    let begin = "{ name = \"a\", x = \"1 m\", waypoint = [{ at = \"0 s\", x = \"2 m\" }] }, { name = \"b\", x = \"9 m\" }";
    assert_snapshot!(nodes(begin), @"my.toml:3:53: `topology.node.0.waypoint.0.at` is 0 s; it must lie after 0 s: `x` and `y` of the node say where it is then");
    let sparse = "[topology]\nkind = \"random\"\nnodes = 3\nwidth = \"50 km\"\nheight = \"50 km\"";
    assert_snapshot!(complaint(&sources(sparse)), @r#"my.toml:3:9: 3 nodes formed no connected network in 1000 draws at a receive range of 250 m; use more nodes, a smaller area or another seed"#);
}

/// The key at fault is the one that the user has written, whatever names the rule.
#[test]
fn a_value_that_the_profile_does_not_go_with_is_named() {
    assert_snapshot!(wrong("[routing.aodv]\ndiameter = 4"), @"my.toml:3:12: `routing.aodv.diameter` = 4 does not go with what profile ns2 says: `routing.aodv.ttl-start` is 5; it must lie between 1 and 4; change one of the two");
    assert_snapshot!(wrong_set("routing.aodv.diameter=4"), @"--set routing.aodv.diameter=4: `routing.aodv.diameter` = 4 does not go with what profile ns2 says: `routing.aodv.ttl-start` is 5; it must lie between 1 and 4; change one of the two");
    assert_snapshot!(wrong("[mac.snr]\nleast-2mbps = \"10 dB\""), @r#"my.toml:3:15: `mac.snr.least-2mbps` = "10 dB" does not go with what the default says: `mac.snr.least-5mbps` is 3 dB; it must not lie below that of a lower rate; change one of the two"#);
    // A rule that names the other key points at it without this.
    assert_snapshot!(wrong("[routing.dsdv]\njitter-low = 5.0"), @"my.toml:3:14: `routing.dsdv.jitter-high` is 1; it must lie between `routing.dsdv.jitter-low`, 5, and 10");
    assert_snapshot!(wrong("[routing.aodv]\ndiameter = 4\nttl-start = 5"), @"my.toml:4:13: `routing.aodv.ttl-start` is 5; it must lie between 1 and 4");
}

#[test]
fn nesting_has_an_end() {
    let told = wrong(&format!("x = {}", "[".repeat(200_000)));
    assert!(
        told.starts_with("my.toml:2:37: tables, lists or dotted keys are nested more than 32 deep"),
        "{told}"
    );
    for text in [format!("x = {}", "{a=".repeat(200_000)), format!("a{} = 1", ".a".repeat(200_000))] {
        assert!(wrong(&text).contains("nested more than 32 deep"));
    }
    let path = vec!["a"; 1000].join(".");
    assert!(wrong_set(&format!("{path}=1")).contains("more than 32 keys"));
    assert!(wrong_set(&format!("tcp.max-window={}", "[".repeat(100_000))).contains("tcp.max-window"));
    let overlay = format!("summary = \"deep\"\n[set]\n\"{path}\" = 1\n");
    assert!(wrong_techniques(&[("mine.toml", Some(&overlay))]).contains("more than 32 keys"));
}

#[test]
fn kinds_and_choices_are_named() {
    assert_snapshot!(complaint(&sources("[run]\nseed = 2")), @r#"my.toml: there is no [topology]; say where the nodes are, like kind = "chain", hops = 7, spacing = "200 m""#);
    assert_snapshot!(complaint(&sources("topology = { hops = 2 }")), @r#"my.toml:1:12: `topology.kind` is missing; known: chain, cross, grid, star, random, explicit, links"#);
    assert_snapshot!(complaint(&sources("topology = { kind = \"chian\", hops = 2 }")), @r#"my.toml:1:21: `topology.kind` is "chian", which is no known kind; did you mean `chain`?"#);
    assert_snapshot!(complaint(&sources("topology = 7")), @r#"my.toml:1:12: `topology` is 7; expected a table"#);
    assert_snapshot!(complaint(&sources("topology = { kind = \"chain\" }")), @r#"my.toml:1:12: `topology.hops` is missing"#);
    assert_snapshot!(wrong("[mac]\nkind = \"tdma\""), @r#"my.toml:3:8: `mac.kind` is "tdma", which is no known kind; known: dcf"#);
    assert_snapshot!(wrong("[tcp]\nwindow = \"newrenno\""), @r#"my.toml:3:10: `tcp.window` has no value "newrenno"; did you mean "newreno"?"#);
    assert_snapshot!(wrong("[tcp]\nwindow = \"CUBIC\""), @r#"my.toml:3:10: `tcp.window` has no value "CUBIC"; did you mean "cubic"?"#);
    assert_snapshot!(wrong("[tcp]\nwindow = \"NewRenno\""), @r#"my.toml:3:10: `tcp.window` has no value "NewRenno"; did you mean "newreno"?"#);
    assert_snapshot!(wrong("[tcp]\nwindow = \"illinois\""), @r#"my.toml:3:10: `tcp.window` has no value "illinois"; expected one of "tahoe", "reno", "newreno", "cubic", "bbr", "bbr-draft", "westwood", "vegas", "veno", "dctcp", "fixed"; this variant of TCP is not modelled: the values of `tcp.window` are, with and without SACK, and techniques that change them"#);
    assert_snapshot!(wrong("[tcp]\nwindow = 40"), @r#"my.toml:3:10: `tcp.window`: expected one of "tahoe", "reno", "newreno", "cubic", "bbr", "bbr-draft", "westwood", "vegas", "veno", "dctcp", "fixed"; got 40"#);
    assert_snapshot!(wrong("[tcp]\nhandshake = true"), @r#"my.toml:3:13: `tcp.handshake`: expected one of "none", "syn", "ns2"; got true"#);
    assert_snapshot!(wrong("[mac]\nwidth = \"5 MHz\""), @r#"my.toml:3:9: `mac.width` has no value "5 MHz"; did you mean "20 MHz"? There are "20 MHz", "40 MHz", "80 MHz", "160 MHz""#);
    assert_snapshot!(wrong("[mac]\nstandard = \"802.11be\""), @r#"my.toml:3:12: `mac.standard` has no value "802.11be"; expected one of "802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax"; 802.11be is not modelled: `mac.standard` says which amendment's frames stations send, up to 802.11ax"#);
    assert_snapshot!(wrong("[tcp]\ncareful = \"yes\""), @r#"my.toml:3:11: `tcp.careful`: expected true or false, got "yes""#);
    assert_snapshot!(wrong("tcp = 3"), @r#"my.toml:2:7: `tcp`: expected a table, got 3"#);
}

#[test]
fn toml_mistakes_are_located() {
    assert_snapshot!(wrong("[tcp\nwindow = \"reno\""), @r#"my.toml:2:5: not valid TOML: unclosed table, expected `]`"#);
    assert_snapshot!(wrong("[tcp]\nwindow = reno"), @r#"my.toml:3:10: not valid TOML: string values must be quoted, expected literal string"#);
    assert_snapshot!(wrong("[tcp]\nsegment = \"1460 B\"\nsegment = \"512 B\""), @r#"my.toml:4:1: not valid TOML: duplicate key"#);
    assert_snapshot!(wrong("[run]\nduration = 2003-01-01"), @r#"my.toml:3:12: a date or time of day has no meaning here"#);
    assert_snapshot!(wrong("[run]\nseed = 99999999999999999999"), @r#"my.toml:3:8: `99999999999999999999` is too large a number"#);
}

#[test]
fn profiles_and_techniques_exist() {
    assert_snapshot!(complaint(&sources(&format!("profile = \"ns4\"\n{MINIMAL}"))), @r#"my.toml:1:11: there is no profile `ns4`; did you mean `ns2`?"#);
    assert_snapshot!(complaint(&sources(&format!("profile = 2\n{MINIMAL}"))), @r#"my.toml:1:11: `profile` is 2; expected its name in quotes"#);
    let unknown = wrong_set("profile=qualnet");
    assert!(
        unknown.starts_with(
            "--set profile=qualnet: there is no profile `qualnet`; known: linux, linux24, ns2, "
        ),
        "{unknown}"
    );
    assert_snapshot!(wrong_techniques(&[("persistant-queue", None)]), @r#"--technique persistant-queue: there is no technique `persistant-queue`; did you mean `persistent-queue`?"#);
    let unknown = wrong_techniques(&[("zzz", None)]);
    assert!(
        unknown.starts_with("--technique zzz: there is no technique `zzz`; known: abe, accurate-ecn, "),
        "{unknown}"
    );
}

#[test]
fn parameters_of_techniques_fit() {
    assert_snapshot!(wrong_techniques(&[("small-window:many", None)]), @r#"--technique small-window:many: parameter `segments` cannot be `many`; expected a whole number like 4"#);
    assert_snapshot!(wrong_techniques(&[("small-window:0", None)]), @r#"--technique small-window:0: `tcp.max-window` is 0; it must lie between 1 and 1000000"#);
    assert_snapshot!(wrong_techniques(&[("small-window:size=3", None)]), @r#"--technique small-window:size=3: `small-window` has no parameter `size`; known: segments"#);
    assert_snapshot!(wrong_techniques(&[("drr:3", None)]), @r#"--technique drr:3: `drr` has no parameters"#);
    assert_snapshot!(wrong_techniques(&[("tcp-f:3", None)]), @r#"--technique tcp-f:3: `3` may be any of several parameters; write tcp-f:buffering=...; known: buffering, interval, per-packet, probe, query, reset, timer"#);
    assert_snapshot!(wrong_techniques(&[("delayed-ack:every=2,delay=soon", None)]), @r#"--technique delayed-ack:every=2,delay=soon: `tcp.ack-delay`: expected a time with its unit, like "20 us" (units: ns, s, ms, us, µs, min, h); `soon` does not begin with a number"#);
}

#[test]
fn contradicting_techniques_are_both_named() {
    assert_snapshot!(wrong_techniques(&[("tahoe", None), ("drr", None), ("reno", None)]), @r#"techniques/reno.toml:6:14: techniques `tahoe` and `reno` contradict each other: the one sets `tcp.window` to "tahoe", the other to "reno"; use one of them, or an overlay of your own that says which value holds"#);
    assert_snapshot!(wrong_techniques(&[("small-window:2", None), ("small-window:3", None)]), @r#"--technique small-window:3: techniques `small-window:2` and `small-window:3` contradict each other: the one sets `tcp.max-window` to 2, the other to 3; use one of them, or an overlay of your own that says which value holds"#);
    let mine = "summary = \"mine\"\n[set]\nqueue.service = \"fifo\"\n";
    assert_snapshot!(wrong_techniques(&[("drr", None), ("path/to/mine.toml", Some(mine))]), @r#"path/to/mine.toml:3:17: techniques `drr` and `mine` contradict each other: the one sets `queue.service` to "drr", the other to "fifo"; use one of them, or an overlay of your own that says which value holds"#);
}

#[test]
fn unmet_conditions_say_why() {
    let picky = "summary = \"needs RTS\"\n[requires]\nmac.rts-threshold = [\"65535 B\", \"256 B\"]\n";
    assert_snapshot!(wrong_techniques(&[("picky.toml", Some(picky))]), @r#"picky.toml:3:21: technique `picky` cannot act: it needs `mac.rts-threshold` = "65535 B" or "256 B", which is "0 B" (profile ns2); set `mac.rts-threshold` in the scenario"#);
    let odd = "summary = \"needs a limit\"\n[requires]\nqueue.keep-limit = 3\n";
    assert_snapshot!(wrong_techniques(&[("odd.toml", Some(odd))]), @r#"odd.toml:3:20: technique `odd` cannot act: it needs `queue.keep-limit` = 3, which is not set; set `queue.keep-limit` in the scenario"#);
    let mut undone = sources(MINIMAL);
    undone.techniques = vec![("multipath:paths=3".to_owned(), None)];
    undone.sets = vec!["routing.kind=static".to_owned()];
    let said = complaint(&undone);
    assert!(said.ends_with("which is \"static\" (--set); leave `routing.kind` to it"), "{said}");
}

#[test]
fn what_a_slot_and_its_link_cannot_do_is_said_with_numbers() {
    let frn = |flow: &str, more: &str| {
        let slot = "frn = { slot = \"5 ms\" }";
        complaint(&sources(&format!(
            "{MINIMAL}flow = [{{ from = 0, to = 2, {flow} }}]\n{slot}\n{more}link.kind = \"frn\"\n"
        )))
    };
    let tcp = frn("kind = \"bulk\"", "tcp.segment = \"1460 B\"\n");
    assert_snapshot!(tcp, @r"my.toml:3:16: `frn.slot` is 5 ms; it must hold a packet of 1520 B, which takes 6448 us with `frn.overhead` and preamble, beside mini-slots and guard, which leave 4.84 ms");
    let udp = frn("kind = \"cbr\", rate = \"8 kbps\", packet = \"1300 B\"", "");
    assert!(udp.contains("it must hold a packet of 1348 B, which takes 5.76 ms"), "{udp}");
    let asking = frn("kind = \"bulk\"", "tcp.segment = \"500 B\"\narp.kind = \"hold\"\n");
    assert!(asking.contains("address resolution cannot act: it needs interface queue and MAC"), "{asking}");
    let mut alone = sources(MINIMAL);
    alone.techniques = vec![("load-spreading".to_owned(), None)];
    let alone = complaint(&alone);
    assert!(alone.ends_with("use `-t frn+load-spreading`, or set `routing.kind` in the scenario"), "{alone}");
}

#[test]
fn what_leaves_too_little_of_a_slot_is_named_by_the_key_that_was_set() {
    let frn = |keys: &str| wrong(&format!("[frn]\nhold-off = 1\n{keys}"));
    assert_snapshot!(frn("guard = \"5 ms\""), @r"my.toml:4:9: `frn.guard` is 5 ms; it must leave half of `frn.slot`, 10 ms, to frames, which 8 mini-slots of 20 us and a guard of 5 ms do not");
    assert_snapshot!(frn("mini-slot = \"1 ms\""), @r"my.toml:4:13: `frn.mini-slot` is 1 ms; it must leave half of `frn.slot`, 10 ms, to frames, which 8 mini-slots of 1 ms and a guard of 0 s do not");
    assert_snapshot!(frn("mini-slots = 300"), @r"my.toml:4:14: `frn.mini-slots` is 300; it must leave half of `frn.slot`, 10 ms, to frames, which 300 mini-slots of 20 us and a guard of 0 s do not");
    assert_snapshot!(frn("mini-slots = 10\nmini-slot = \"1 ms\""), @r"my.toml:5:13: `frn.mini-slot` is 1 ms; it must leave half of `frn.slot`, 10 ms, to frames, which 10 mini-slots of 1 ms and a guard of 0 s do not");
    assert_snapshot!(frn("guard = \"1 ms\"\nmini-slots = 300"), @r"my.toml:5:14: `frn.mini-slots` is 300; it must leave half of `frn.slot`, 10 ms, to frames, which 300 mini-slots of 20 us and a guard of 1 ms do not");
    assert_snapshot!(frn("guard = \"100 us\"\nslot = \"500 us\""), @r"my.toml:4:9: `frn.guard` is 0.1 ms; it must leave half of `frn.slot`, 0.5 ms, to frames, which 8 mini-slots of 20 us and a guard of 0.1 ms do not");
}

#[test]
fn a_share_that_none_can_be_above_is_refused() {
    let threshold = |share: &str| format!("[routing.frn]\ncycle = \"10 s\"\nreliability-threshold = {share}");
    assert_snapshot!(wrong(&threshold("1")), @r"my.toml:4:25: `routing.frn.reliability-threshold` is 1; it must be 0 or more and below 1: a neighbour is whose share of control packets is above it, and none is above 1");
    assert!(
        wrong(&threshold("1.5")).starts_with("my.toml:4:25: `routing.frn.reliability-threshold` is 1.5; ")
    );
    assert!(
        wrong(&threshold("-0.1")).starts_with("my.toml:4:25: `routing.frn.reliability-threshold` is -0.1; ")
    );
    assert!(resolved(&format!("{MINIMAL}{}", threshold("0.99"))).is_ok());
}

#[test]
fn overlays_of_ones_own_are_checked() {
    let overlay = |text: &str| wrong_techniques(&[("my/own.toml", Some(text))]);
    assert_snapshot!(overlay("[set]\ntcp.window = \"reno\""), @r#"my/own.toml: `summary` is missing"#);
    assert_snapshot!(overlay("summary = \"s\"\nsetting = 1"), @r#"my/own.toml:2:1: unknown key `setting`; known: summary, source, parameters, set, requires, yields, counter"#);
    assert_snapshot!(overlay("summary = \"s\"\n[set]\ntcp.windw = \"reno\""), @r#"my/own.toml:3:5: unknown key `tcp.windw`; did you mean `window`?"#);
    assert_snapshot!(overlay("summary = \"s\"\n[set]\ntcp.max-window = \"$segments\""), @r#"my/own.toml:3:18: there is no parameter `segments`; there are none"#);
    assert_snapshot!(overlay("summary = \"s\"\n[set]\nprofile = \"rfc\""), @r#"my/own.toml:3:1: an overlay cannot change the profile; a profile is chosen by the scenario"#);
    assert_snapshot!(overlay("summary = \"s\"\n[parameters]\na = 3"), @r#"my/own.toml:3:5: `parameters.a`: expected a table, got 3"#);
    assert_snapshot!(overlay("summary = \"s\n"), @r#"my/own.toml:1:13: not valid TOML: invalid basic string, expected `"`"#);
}

#[test]
fn settings_of_the_command_line_are_checked() {
    assert_snapshot!(wrong_set("tcp.max-window"), @r#"--set tcp.max-window: expected path=value, like tcp.max-window=8"#);
    assert_snapshot!(wrong_set("=3"), @r#"--set =3: expected path=value, like tcp.max-window=8"#);
    assert_snapshot!(wrong_set("tcp.max-widow=3"), @r#"--set tcp.max-widow=3: unknown key `tcp.max-widow`; did you mean `max-window`?"#);
    assert_snapshot!(wrong_set("tcp.segment.size=3"), @r#"--set tcp.segment.size=3: `tcp.segment`: expected a size with its unit, like "1460 B", got a table"#);
    assert_snapshot!(wrong_set("flow.1.start=3 s"), @r#"--set flow.1.start=3 s: `flow` is a list of 1: `1` is no place in it; places count from 0, and there is only 0"#);
    assert_snapshot!(wrong_set("run.duration=3"), @r#"--set run.duration=3: `run.duration`: expected a time with its unit, like "3 s"; got the bare number 3"#);
    assert_snapshot!(wrong_set("air.bit-error-rate=-1"), @r#"--set air.bit-error-rate=-1: `air.bit-error-rate` is -1; it must be a probability, between 0 and 1"#);
}

/// The fields that Python shows besides the text.
#[test]
fn errors_carry_their_place() {
    let error = resolved(&format!("{MINIMAL}[tcp]\n  windw = \"reno\"")).expect_err("a wrong key");
    assert_eq!((error.file.as_str(), error.line, error.column), ("my.toml", Some(3), Some(3)));
    assert_eq!(error.key.as_deref(), Some("tcp.windw"));
}

#[test]
fn a_counter_that_nothing_counts_is_refused() {
    let own = |counter: &str| {
        let text = format!("summary = \"s\"\ncounter = \"{counter}\"\n[set]\n\"queue.limit\" = 9\n");
        wrong_techniques(&[("own.toml", Some(&text))])
    };
    assert_snapshot!(own("queue.keept"), @r#"own.toml:2:11: no machine of this scenario counts "queue.keept"; did you mean `queue.kept`?"#);
    let uncounted = own("dsdv.whatever");
    let said = "own.toml:2:11: no machine of this scenario counts \"dsdv.whatever\"; known: ";
    assert!(uncounted.starts_with(said) && uncounted.contains(", tcp.limited-transmits, "), "{uncounted}");
}

#[test]
fn names_must_be_printable() {
    assert_snapshot!(wrong("[[flow]]\nname = \"a\\u001b[2Jb\"\nfrom = \"0\"\nto = \"2\""), @r#"my.toml:3:8: `flow.0.name` holds U+001B, a character that cannot be printed; use letters, digits, signs and spaces"#);
    assert_snapshot!(wrong("[[flow]]\nname = \" \"\nfrom = \"0\"\nto = \"2\""), @r#"my.toml:3:8: `flow.0.name` is empty; it must be a name"#);
    assert_snapshot!(complaint(&sources("topology = { kind = \"explicit\", node = [\n{ name = \"a\", x = \"0 m\" },\n{ name = \"\\u202eb\", x = \"9 m\" }] }")), @r#"my.toml:3:10: `topology.node.1.name` holds U+202E, a character that cannot be printed; use letters, digits, signs and spaces"#);
    assert_snapshot!(wrong("[[measure.window]]\nname = \"a\\nb\"\nfrom = \"0 s\"\nto = \"1 s\""), @r#"my.toml:3:8: `measure.window.0.name` holds U+000A, a character that cannot be printed; use letters, digits, signs and spaces"#);
    assert_snapshot!(complaint(&sources(&format!("summary = \"\\u0007\"\n{MINIMAL}"))), @r#"my.toml:1:11: `summary` holds U+0007, a character that cannot be printed; use letters, digits, signs and spaces"#);
    assert_snapshot!(wrong_techniques(&[("a\u{1b}.toml", Some("summary = \"s\"\n[set]\n"))]), @r#"--technique a\u{1b}: the name holds U+001B, a character that cannot be printed; give the file another name"#);
    let mut named = sources(MINIMAL);
    named.scenario.name = "a\u{9b}31m.toml".into();
    assert_snapshot!(complaint(&named), @r#"scenario a\u{9b}31m.toml: the name holds U+009B, a character that cannot be printed; give the file another name"#);
}
