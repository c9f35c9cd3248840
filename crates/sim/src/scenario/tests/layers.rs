//! Which layer wins, and whether the result says so.

use super::{MINIMAL, complaint, good, sources};
use insta::assert_snapshot;
use multihop_proto::queue::config::{ClassBy, OnGiveUp, Service};
use multihop_proto::tcp::config::Window;
use multihop_proto::units::{Bitrate, Bytes, Dur};

const FLOW: &str = "[[flow]]\nfrom = \"0\"\nto = \"2\"\n";

#[test]
fn later_layers_win_and_are_named() {
    let mut sources = sources(&format!("{MINIMAL}[tcp]\nmax-window = 30\nsegment = \"1000 B\"\n{FLOW}"));
    sources.techniques.push(("small-window:8".into(), None));
    sources.sets.push("tcp.segment=512 B".into());
    let it = good(&sources);
    assert_eq!((it.config.tcp.max_window, it.config.tcp.segment), (8, Bytes(512)));
    assert_eq!(it.origins["tcp.max-window"], "technique small-window:8");
    assert_eq!(it.origins["tcp.segment"], "--set");
    assert_eq!(it.origins["tcp.tick"], "profile ns2");
    assert_eq!(it.origins["topology.hops"], "file my.toml:1:37");
    assert_eq!(it.origins.get("measure.sample"), None);
}

#[test]
fn profiles_inherit() {
    let it = good(&sources(&format!("profile = \"ns2-21b8\"\n{MINIMAL}")));
    assert_eq!(it.config.tcp.min_rto, Dur::from_secs(1));
    assert_eq!(it.origins["tcp.min-rto"], "profile ns2-21b8");
    assert_eq!(it.origins["mac.eifs"], "profile ns2");
    assert_eq!(it.config.profile, "ns2-21b8");
}

/// What a standard brings lies over the profile, and under what the layer that says it, or a later one, has.
#[test]
fn a_standard_brings_its_timing() {
    let mac = |text: &str, sets: &[&str]| {
        let mut sources = sources(&format!("{MINIMAL}{text}"));
        sources.sets = sets.iter().map(ToString::to_string).collect();
        let it = good(&sources);
        let multihop_proto::mac::MacConfig::Dcf(dcf) = it.config.mac.clone() else { unreachable!("the DCF") };
        (dcf.slot.as_us(), dcf.sifs.as_us(), dcf.cw_min, it.origins["mac.slot"].clone())
    };
    let own = "[mac]\nslot = \"13 us\"\n";
    assert_eq!(mac("", &[]), (20, 10, 31, "profile ns2".into()));
    assert_eq!(mac("", &["mac.standard=802.11a"]), (9, 16, 15, "standard 802.11a".into()));
    assert_eq!(mac(own, &["mac.standard=802.11a"]).0, 9, "said later than the slot");
    let beside = mac(&format!("{own}standard = \"802.11g\"\n"), &[]);
    assert_eq!((beside.0, beside.1, beside.2), (13, 10, 15));
    let set = mac("[mac]\nstandard = \"802.11n\"\n", &["mac.sifs=11 us"]);
    assert_eq!((set.0, set.1), (9, 11));
    let band = mac("[mac]\nstandard = \"802.11n\"\n", &["mac.band=2.4 GHz"]);
    assert_eq!((band.0, band.1), (9, 10));
    assert_eq!(mac("", &["mac.standard=802.11a", "mac.standard=802.11b"]).0, 20, "the last one counts");
}

/// A profile that says a standard has what that brings, and another one said later replaces it.
#[test]
fn the_standard_of_a_profile_brings_its_timing() {
    let of = |set: &[&str]| {
        let mut sources = sources(MINIMAL);
        sources.sets = std::iter::once(&"profile=ns3-wifi").chain(set).map(ToString::to_string).collect();
        let it = good(&sources);
        let multihop_proto::mac::MacConfig::Dcf(dcf) = it.config.mac else { unreachable!("the DCF") };
        (dcf.slot.as_us(), dcf.data_overhead.0, dcf.aggregation.window, it.origins["mac.slot"].clone())
    };
    assert_eq!(of(&[]), (9, 38, 64, "standard 802.11n".into()));
    assert_eq!(of(&["mac.standard=802.11ax"]), (9, 38, 256, "standard 802.11ax".into()));
    assert_eq!(of(&["mac.standard=802.11a"]).1, 36);
    assert_eq!(of(&["mac.standard=802.11b"]).0, 20);
}

/// What OpenWrt has of 802.11n holds for 802.11ac too. Guard intervals of 802.11ax begin where those of both end.
#[test]
fn one_key_makes_the_profile_openwrt_11ac_or_11ax() {
    let of = |set: &[&str]| {
        let mut sources = sources(MINIMAL);
        sources.sets = std::iter::once(&"profile=openwrt").chain(set).map(ToString::to_string).collect();
        let multihop_proto::mac::MacConfig::Dcf(dcf) = good(&sources).config.mac else {
            unreachable!("the DCF")
        };
        let fastest = dcf.ladder().last().expect("some").rate().as_bps();
        (fastest, dcf.aggregation.window, dcf.aggregation.max_time.as_us(), dcf.edca.on)
    };
    assert_eq!(of(&[]), (144_444_444, 64, 4000, true));
    assert_eq!(of(&["mac.width=40 MHz"]).0, 300_000_000);
    assert_eq!(of(&["mac.band=2.4 GHz"]), (144_444_444, 64, 4000, true));
    let wide = ["mac.width=80 MHz", "mac.mcs=9"];
    assert_eq!(of(&["mac.standard=802.11ac", wide[0], wide[1]]), (866_666_666, 64, 4000, true));
    let wide = ["mac.width=80 MHz", "mac.mcs=11"];
    assert_eq!(of(&["mac.standard=802.11ax", wide[0], wide[1]]), (1_200_955_882, 256, 4000, true));
}

/// A file that has rates of 802.11b runs under such a profile if that is chosen from outside; in one file they
/// contradict each other.
#[test]
fn a_profile_from_outside_brings_its_rates() {
    let text = format!("{MINIMAL}[mac]\ndata-rate = \"2 Mbps\"\nbasic-rate = \"1 Mbps\"\n");
    let mut outside = sources(&text);
    outside.sets.push("profile=ns3-wifi".into());
    assert_eq!(good(&outside).origins["mac.basic-rate"], "standard 802.11n");
    let own = format!("{text}standard = \"802.11b\"\n");
    let mut outside = sources(&own);
    outside.sets.push("profile=ns3-wifi".into());
    assert_eq!(good(&outside).origins["mac.basic-rate"], "file my.toml:4:14");
    let said = complaint(&sources(&format!("profile = \"ns3-wifi\"\n{text}")));
    assert!(said.contains("`mac.basic-rate` is 1 Mbps; it must be 6, 9"), "{said}");
}

#[test]
fn the_profile_can_be_set_from_outside() {
    let mut sources = sources(MINIMAL);
    sources.sets.push("profile=rfc".into());
    assert_eq!(good(&sources).config.tcp.initial_window, 3);
}

/// The profile `rfc` writes out the built-in defaults.
#[test]
fn rfc_is_the_default() {
    let it = good(&sources(&format!("profile = \"rfc\"\n{MINIMAL}"))).config;
    let source = std::sync::Arc::new(super::super::tree::LayerSource::File("my.toml".into()));
    let root =
        super::super::tree::Node::parse(&format!("profile = \"rfc\"\n{MINIMAL}"), &source).expect("TOML");
    let built_in = super::super::Scenario::read(&root).expect("valid");
    assert_eq!(it, built_in);
}

#[test]
fn techniques_that_agree_compose() {
    let mut sources = sources(MINIMAL);
    sources.techniques = ["drr", "persistent-queue", "reno", "none"].map(|name| (name.into(), None)).into();
    let it = good(&sources);
    assert_eq!((it.config.queue.service, it.config.queue.on_give_up), (Service::Drr, OnGiveUp::Keep));
    assert_eq!(it.config.tcp.window, Window::Reno);
    let counters: Vec<_> = it.techniques.iter().map(|it| (it.name.as_str(), it.counter.as_deref())).collect();
    assert_eq!(counters[1], ("persistent-queue", Some("queue.kept")));
}

/// `fifo` is the queue that others are compared with: beside one of them its values give way, in either order.
#[test]
fn an_overlay_that_yields_gives_way_key_by_key() {
    for order in [["fifo:40", "persistent-queue"], ["persistent-queue", "fifo:40"]] {
        let mut sources = sources(MINIMAL);
        sources.techniques = order.map(|name| (name.into(), None)).into();
        let queue = good(&sources).config.queue;
        assert_eq!((queue.service, queue.on_give_up, queue.limit), (Service::Drr, OnGiveUp::Keep, 40));
    }
    let mut two = sources(MINIMAL);
    two.techniques = ["fifo:40", "fifo:50"].map(|name| (name.into(), None)).into();
    assert!(complaint(&two).contains("`fifo:40` and `fifo:50` contradict each other"), "both yield");
}

/// The persistent queue keeps the head of a queue that another technique serves; a rule of that one is none of its
/// own. Before one that it does not name it does not give way.
#[test]
fn an_overlay_may_yield_to_some_by_name() {
    for (other, service) in [("fq-codel:5 ms", Service::Fq), ("airtime-fairness", Service::Airtime)] {
        for order in [[other, "persistent-queue"], ["persistent-queue", other]] {
            let mut sources = sources(MINIMAL);
            sources.techniques = order.map(|name| (name.into(), None)).into();
            let queue = good(&sources).config.queue;
            assert_eq!((queue.service, queue.on_give_up), (service, OnGiveUp::Keep), "{other}");
            assert_eq!(queue.class_by, ClassBy::Flow, "{other}");
        }
    }
    let mut beside = sources(MINIMAL);
    let own = "summary = \"mine\"\n[set]\n\"queue.service\" = \"fifo\"\n";
    beside.techniques = vec![("persistent-queue".into(), None), ("mine.toml".into(), Some(own.into()))];
    assert!(complaint(&beside).contains("`persistent-queue` and `mine` contradict each other"));
    let own = "summary = \"mine\"\nyields = 3\n[set]\n\"queue.service\" = \"fifo\"\n";
    beside.techniques = vec![("mine.toml".into(), Some(own.into()))];
    assert_snapshot!(complaint(&beside), @"mine.toml:2:10: `yields`: expected true, false or a list of techniques in quotes");
}

#[test]
fn parameters_keep_their_type() {
    let mut sources = sources(MINIMAL);
    sources.techniques.push(("delayed-ack:every=4,delay=40ms".into(), None));
    let it = good(&sources);
    assert_eq!((it.config.tcp.ack_every, it.config.tcp.ack_delay), (4, Dur::from_ms(40)));
    assert_eq!(it.techniques[0].name, "delayed-ack:every=4,delay=40ms");
}

#[test]
fn an_overlay_of_ones_own_is_a_path() {
    let text = "summary = \"mine\"\nsource = \"a talk\"\ncounter = \"tcp.timeouts\"\n[parameters]\ngain = { default = 2, help = \"h\" }\n[set]\n\"tcp.max-window\" = \"$gain\"\n";
    let mut sources = sources(MINIMAL);
    sources.techniques.push(("some/where/mine.toml:5".into(), Some(text.into())));
    let it = good(&sources);
    assert_eq!(it.config.tcp.max_window, 5);
    assert_eq!(it.techniques[0].name, "mine:5");
    assert_eq!(it.origins["tcp.max-window"], "technique mine:5");
}

#[test]
fn placebo_moves_the_inner_streams_only() {
    let plain = good(&sources(MINIMAL));
    let mut with = sources(MINIMAL);
    with.techniques.push(("placebo".into(), None));
    let placebo = good(&with);
    assert_eq!(plain.config.run.seed, placebo.config.run.seed);
    assert_ne!(plain.config.run.inner_seed(), placebo.config.run.inner_seed());
    assert_eq!(plain.config.run.inner_seed(), plain.config.run.seed);
    assert_ne!(plain.hash(), placebo.hash());
}

#[test]
fn another_kind_replaces_the_section() {
    let mut sources = sources(MINIMAL);
    sources.sets = ["topology.kind=grid", "topology.columns=3", "topology.rows=2"].map(Into::into).into();
    assert_eq!(good(&sources).nodes.len(), 6);
    sources.sets = vec!["topology.kind=cross".into()];
    assert!(complaint(&sources).ends_with(
        "`topology.hops` is missing; another `kind` leaves out all keys of the one before: set those it needs as well"
    ));
}

#[test]
fn flows_are_set_by_place() {
    let mut sources = sources(&format!("{MINIMAL}{FLOW}"));
    sources.sets = ["flow.0.to=1", "flow.0.kind=file", "flow.0.size=1 MB"].map(Into::into).into();
    let it = good(&sources);
    assert_eq!((it.flows[0].to.0, it.flows[0].config.size), (1, Some(Bytes(1_000_000))));
}

#[test]
fn the_hash_counts_values_not_words() {
    let base = good(&sources(MINIMAL)).hash();
    let rewritten = "summary = \"other words\"\n# comment\n[topology]\nspacing = \"0.2 km\"\nhops = 2\nkind = \"chain\"\n";
    assert_eq!(good(&sources(rewritten)).hash(), base);
    let mut changed = sources(MINIMAL);
    changed.sets.push("run.seed=2".into());
    assert_ne!(good(&changed).hash(), base);
    assert_eq!(base.len(), 64);
}

#[test]
fn json_says_everything() {
    let it =
        good(&sources(&format!("{MINIMAL}measure.window = [{{ from = \"20 s\", to = \"30 s\" }}]\n{FLOW}")));
    let json: serde_json::Value = serde_json::from_str(&it.to_json()).expect("JSON");
    assert_eq!(json["values"]["tcp.max-window"], serde_json::json!({ "value": 20, "from": "profile ns2" }));
    assert_eq!(json["values"]["measure.sample"]["from"], "default");
    assert_eq!(json["nodes"][1], serde_json::json!({ "name": "1", "x": 200.0, "y": 0.0 }));
    assert_eq!(
        json["flows"][0],
        serde_json::json!({ "id": "1", "from": "0", "to": "2", "kind": "bulk", "transport": "tcp", "start_s": 0.0, "stop_s": 100.0 })
    );
    assert_eq!(json["windows"][0], serde_json::json!({ "name": "20-30 s", "from_s": 20.0, "to_s": 30.0 }));
    assert_eq!((json["duration_s"].as_f64(), json["seed"].as_u64()), (Some(100.0), Some(1)));
}

#[test]
fn what_is_likely_not_meant_is_a_warning() {
    insta::assert_debug_snapshot!(good(&sources(MINIMAL)).warnings, @r#"
    [
        "there is no [[flow]]: nothing but routing will be sent",
    ]
    "#);
    let apart = "topology = { kind = \"chain\", hops = 2, spacing = \"300 m\" }\n";
    insta::assert_debug_snapshot!(good(&sources(&format!("{apart}{FLOW}start = \"100 s\""))).warnings, @r#"
    [
        "flow `1`: node `2` cannot be reached from node `0` over hops of at most 250 m",
        "flow `1` starts at 100 s, after the end of the run",
    ]
    "#);
    assert!(good(&sources(&format!("{MINIMAL}{FLOW}"))).warnings.is_empty());
}

#[test]
fn events_that_change_nothing_are_warned_of_with_their_places() {
    let event = |what: &str| format!("[[event]]\nat = \"5 s\"\n{what}\n");
    let told = |topology: &str, events: &[&str]| {
        let events: String = events.iter().map(|what| event(what)).collect();
        good(&sources(&format!("{topology}{FLOW}{events}"))).warnings
    };
    let down = "kind = \"node-down\"\nnode = \"1\"";
    let up = "kind = \"node-up\"\nnode = \"1\"";
    let cut = "kind = \"link-down\"\nfrom = \"0\"\nto = \"1\"";
    let back = "kind = \"link-up\"\nfrom = \"1\"\nto = \"0\"";
    let chain = "topology = { kind = \"chain\", hops = 3 }\n";
    let two = "topology = { kind = \"chain\", hops = 2 }\n";
    assert_eq!(told(two, &[down, up, down, cut, back, cut]), [""; 0]);
    // One direction of a cut link is up again, so both can be cut, and the other restored.
    assert_eq!(told(two, &[cut, &format!("{back}\none-way = true"), cut, back]), [""; 0]);
    let expected = [
        "my.toml:7:8: the event at 5 s changes nothing: node `1` is up already",
        "my.toml:15:8: the event at 5 s changes nothing: node `1` is down already",
        "my.toml:19:8: the event at 5 s changes nothing: the link from `1` to `0` is up already",
        "my.toml:29:8: the event at 5 s changes nothing: the link from `0` to `1` is down already",
    ];
    assert_eq!(told(two, &[up, down, down, back, cut, cut]), expected);
    let far = |kind: &str| format!("kind = \"{kind}\"\nfrom = \"0\"\nto = \"3\"");
    let expected = [7, 12].map(|line| {
        format!("my.toml:{line}:8: the event at 5 s changes nothing: nodes `0` and `3` never hear each other")
    });
    assert_eq!(told(chain, &[&far("link-down"), &far("link-up")]), expected);
    let near = |kind: &str| format!("kind = \"{kind}\"\nfrom = \"0\"\nto = \"2\"");
    assert_eq!(told(chain, &[&near("link-down")]), [""; 0], "it is noise");
    assert_eq!(
        told(chain, &[&format!("{}\nloss = 0.5", near("link-loss"))]),
        ["my.toml:7:8: the event at 5 s changes nothing: nodes `0` and `2` can never receive each other"]
    );
    let listed = "topology = { kind = \"links\", link = [{ from = \"0\", to = \"1\" }, { from = \"1\", to = \"2\" }] }\n";
    assert_eq!(
        told(listed, &[cut, &near("link-down")]),
        ["my.toml:12:8: the event at 5 s changes nothing: nodes `0` and `2` never hear each other"]
    );
    // Where chance decides, nothing is said.
    let fading =
        "topology = { kind = \"chain\", hops = 3 }\nair.fading = \"rayleigh\"\nair.reception = \"sinr\"\n";
    assert_eq!(told(fading, &[&far("link-down")]), [""; 0]);
    let rate = |rate: &str| format!("kind = \"rate\"\nnode = \"1\"\nrate = \"{rate}\"");
    let [told] = &told(two, &[&rate("5.5 Mbps"), &rate("3 Mbps")])[..] else { panic!("one warning") };
    let expected = "my.toml:14:8: `event.1.rate` is 3 Mbps: frames here are those of DSSS, which has 1, 2, 5.5 and 11 Mbps; ";
    assert!(told.starts_with(expected), "{told}");
}

#[test]
fn losses_rates_and_jams_that_change_nothing_are_warned_of() {
    let told = |topology: &str, events: &[(&str, &str)]| -> Vec<String> {
        let event = |(at, what): &(&str, &str)| format!("[[event]]\nat = \"{at}\"\n{what}\n");
        let events: String = events.iter().map(event).collect();
        let run = "run.duration = \"60 s\"\nmac.data-rate = \"2 Mbps\"\n";
        let said = good(&sources(&format!("{run}{topology}{FLOW}{events}"))).warnings;
        said.into_iter()
            .map(|it| it.split_once("changes nothing: ").map_or(it.clone(), |it| it.1.to_owned()))
            .collect()
    };
    let chain = "topology = { kind = \"chain\", hops = 2 }\n";
    let listed = "topology = { kind = \"links\", link = [{ from = \"0\", to = \"1\", loss = 0.1 }, { from = \"1\", to = \"2\" }] }\n";
    let loss = |loss: f64| format!("kind = \"link-loss\"\nfrom = \"0\"\nto = \"1\"\nloss = {loss}");
    let (none, some) = (loss(0.0), loss(0.1));
    assert_eq!(told(chain, &[("5 s", &some), ("6 s", &none)]), [""; 0]);
    assert_eq!(told(listed, &[("5 s", &none), ("6 s", &some)]), [""; 0]);
    let already = |loss: &str| format!("the loss from `0` to `1` is {loss} already");
    assert_eq!(
        told(chain, &[("5 s", &none), ("6 s", &some), ("7 s", &some)]),
        [already("0"), already("0.1")]
    );
    assert_eq!(told(listed, &[("5 s", &some)]), [already("0.1")]);

    let node = |rate: &str| format!("kind = \"rate\"\nnode = \"0\"\nrate = \"{rate}\"");
    let link = |rate: &str| format!("kind = \"rate\"\nfrom = \"0\"\nto = \"1\"\nrate = \"{rate}\"");
    let (node1, node2, link1, link2) = (node("1 Mbps"), node("2 Mbps"), link("1 Mbps"), link("2 Mbps"));
    assert_eq!(told(chain, &[("5 s", &node1), ("6 s", &node2), ("7 s", &link1), ("8 s", &node2)]), [""; 0]);
    assert_eq!(
        told(chain, &[("5 s", &node2), ("6 s", &link2), ("7 s", &link1), ("8 s", &link1)]),
        [
            "node `0` sends at 2 Mbps already",
            "`0` and `1` send to each other at 2 Mbps already",
            "`0` and `1` send to each other at 1 Mbps already"
        ]
    );

    let jam = |x: u32, more: &str| format!("kind = \"jam\"\nx = \"{x} m\"\nradius = \"150 m\"\n{more}");
    let (here, nowhere, weak) = (jam(300, ""), jam(551, ""), jam(300, "loss = 0"));
    assert_eq!(told(chain, &[("5 s", &here)]), [""; 0]);
    assert_eq!(
        told(chain, &[("5 s", &nowhere), ("6 s", &weak)]),
        ["no node is in the region", "`loss` is 0"]
    );
    assert_eq!(told(listed, &[("5 s", &here)]), ["listed links have no places; `link-loss` is of a link"]);
    let moving = format!(
        "{chain}mobility = {{ kind = \"random-walk\", max-speed = \"9 m/s\", area = {{ width = \"500 m\", height = \"500 m\" }} }}\n"
    );
    assert_eq!(told(&moving, &[("5 s", &nowhere)]), [""; 0]);
    assert_eq!(told(chain, &[("60 s", &here)]), ["the run ends then"]);
}

#[test]
fn keys_of_the_slotted_link_that_act_on_nothing_are_warned_of() {
    let said =
        |lines: &str| good(&sources(&format!("{MINIMAL}{lines}\nlink.kind = \"frn\"\n{FLOW}"))).warnings;
    for (line, routing, vain) in [
        ("frn.next-hop = \"least-failing\"", "aodv", true),
        ("frn.next-hop = \"least-failing\"", "multipath", true),
        ("frn.next-hop = \"least-failing\"", "frn", false),
        ("frn.history = 20", "frn", true),
        ("frn.history = 20\nfrn.interval = \"load\"", "aodv", false),
        ("frn.history = 20\nfrn.next-hop = \"least-failing\"", "frn", false),
        ("frn.retry-to-most = 30", "frn", true),
        ("frn.retry-to-most = 30\nfrn.interval = \"csma-cd\"", "static", false),
        ("frn.postpone = \"data\"", "frn", true),
        ("frn.postpone = \"data\"\nfrn.combine = true", "frn", false),
    ] {
        let key = line.split(" = ").next().expect("a key");
        let found = said(&format!("{line}\nrouting.kind = \"{routing}\""));
        let told = found.iter().any(|it| it.contains(&format!("`{key}` is ignored: it is used only with")));
        assert_eq!(told, vain, "{line}, {routing}: {found:?}");
    }
}

#[test]
fn a_section_of_a_link_does_not_choose_it() {
    let said = |text: &str, sets: &[&str]| {
        let mut sources = sources(&format!("{MINIMAL}{text}{FLOW}"));
        sources.sets = sets.iter().map(|&set| set.to_owned()).collect();
        sources
    };
    let why = |key: &str| {
        format!(
            "`frn.{key}` is of a link that the scenario does not choose: `link.kind` is \"dcf\" by default; \
             set link.kind = \"frn\""
        )
    };
    let alone = "frn = { slot = \"10 ms\" }\n";
    assert_eq!(complaint(&said(alone, &[])), format!("my.toml:2:16: {}", why("slot")));
    assert_eq!(complaint(&said("", &["frn.limit=5"])), format!("--set frn.limit=5: {}", why("limit")));
    for chosen in ["link.kind=frn", "link.kind=\"frn\""] {
        let it = good(&said(alone, &[chosen]));
        assert!(it.config.slots().is_some() && !it.config.has_queues() && it.warnings.is_empty());
    }
    let other = good(&said(alone, &["link.kind=dcf"]));
    assert!(other.config.slots().is_none() && other.config.has_queues());
    let ignored = "my.toml:2:16: `frn.slot` is ignored: it is used only with link.kind = \"frn\"";
    assert_eq!(other.warnings, [ignored]);
}

#[test]
fn a_technique_of_another_link_is_refused() {
    let with = |text: &str, technique: (&str, Option<&str>)| {
        let mut sources = sources(&format!("{MINIMAL}{FLOW}{text}"));
        sources.techniques = vec![(technique.0.to_owned(), technique.1.map(str::to_owned))];
        sources
    };
    let mine = ("mine.toml", Some("summary = \"s\"\n[set]\nfrn.limit = 5\n"));
    assert_eq!(
        complaint(&with("", mine)),
        "mine.toml:3:13: technique `mine` cannot act: it sets `frn.limit`, which a link of kind \"dcf\" does not have; leave \
         it out, or set link.kind = \"frn\""
    );
    assert_eq!(good(&with("[link]\nkind = \"frn\"\n", mine)).config.frn.limit, 5);
    let refused = complaint(&with("[link]\nkind = \"frn\"\n", ("drr", None)));
    assert!(
        refused.contains("it sets `queue.class-by`, which a link of kind \"frn\" does not have"),
        "{refused}"
    );
    assert!(refused.ends_with("leave it out, or set link.kind = \"dcf\""), "{refused}");
    let needs = complaint(&with("", ("combined-data-ack", None)));
    assert!(
        needs.ends_with(
            "technique `combined-data-ack` cannot act: it needs `link.kind` = \"frn\", which is \"dcf\" (default); use \
             `-t frn+combined-data-ack`, or set `link.kind` in the scenario"
        ),
        "{needs}"
    );
}

#[test]
fn keys_of_tcp_and_queue_that_act_on_nothing_are_warned_of() {
    let told = |lines: &str| {
        let said = good(&sources(&format!("{MINIMAL}{lines}\n{FLOW}"))).warnings;
        said.into_iter().filter(|it| it.contains("is ignored: it is used only with")).collect::<Vec<_>>()
    };
    let rack = "tcp.loss = \"sack\"\ntcp.judge = \"rack\"";
    let fq = "queue.service = \"fq\"";
    let by_flow = "queue.service = \"fq\"\nqueue.class-by = \"flow\"";
    for (line, with) in [
        ("tcp.count-sacked = true", rack),
        ("tcp.frto = true\ntcp.timestamps = true\ntcp.undo = true", rack),
        ("tcp.rack.window = 0.5", rack),
        ("tcp.cubic.beta = 0.8", "tcp.window = \"cubic\""),
        ("tcp.hystart.growth = 0.5", "tcp.slow-start = \"hystart\""),
        ("tcp.dcr.round-trips = 2.0", "tcp.judge = \"dcr\""),
        ("tcp.k-sack.losses = 3", "tcp.loss = \"sack\"\ntcp.judge = \"k-sack\""),
        ("tcp.tail-probe.slack = \"1 ms\"", "tcp.loss = \"sack\"\ntcp.tail-probe.on = true"),
        ("tcp.pace.gain = 1.5", "tcp.pace.rule = \"window\""),
        ("tcp.pace.quantum = 2", "tcp.pace.rule = \"window\""),
        ("tcp.pace.quantum = 2", "tcp.window = \"bbr\""),
        ("tcp.receiver.buffer = 60", "tcp.receiver.autotune = true"),
        ("tcp.sack-rule = \"rfc6675\"", "tcp.loss = \"sack\""),
        ("tcp.ecn-rule = \"rfc3168\"", "tcp.ecn = true"),
        ("tcp.rto-variation = \"1 ms\"", "tcp.rto-arithmetic = \"real\""),
        ("queue.queues = 8", by_flow),
        ("queue.hash-seed = 8", "queue.service = \"fq\"\nqueue.class-by = \"flow\"\nqueue.queues = 8"),
        ("queue.class-limit = 8", fq),
        ("queue.class-by = \"next-hop\"", fq),
        ("queue.quantum = \"300 B\"", fq),
        ("queue.airtime.quantum = \"1 ms\"", "queue.service = \"airtime\""),
        ("queue.aqm-by = \"queue\"", "queue.aqm = \"red\""),
        ("queue.red.min-threshold = 6.0", "queue.aqm = \"red\""),
        ("queue.codel.target = \"20 ms\"", "queue.aqm = \"codel\""),
        ("queue.pie.target = \"20 ms\"", "queue.aqm = \"pie\""),
        ("queue.routing-order = \"fifo\"", "queue.routing-priority = true"),
    ] {
        let key = line.split(" = ").next().expect("a key");
        let alone = told(&format!("{line}\nqueue.routing-priority = false"));
        assert!(alone.len() == 1 && alone[0].contains(&format!("`{key}` is ignored")), "{line}: {alone:?}");
        assert_eq!(told(&format!("{line}\n{with}")), [""; 0], "{line} with {with}");
    }
    // What one flow or a group of nodes says counts for these alone, and what another uses is of use.
    let flow = "flow = [{ from = 0, to = 2, tcp = { window = \"cubic\" } }, { from = 1, to = 2, tcp = { frto = true, undo = true, timestamps = true } }]";
    let two = |lines: &str| good(&sources(&format!("{MINIMAL}{lines}\n{flow}\n"))).warnings;
    let said = two("tcp.cubic.beta = 0.8");
    assert!(
        said.len() == 1 && said[0].contains("`flow.1.tcp.frto` is ignored: it is used only with"),
        "{said:?}"
    );
    let group =
        "node = [{ names = [\"1\"], queue = { quantum = \"300 B\", codel = { target = \"9 ms\" } } }]";
    let said = told(&format!("queue.aqm = \"codel\"\n{group}"));
    assert!(said.len() == 1 && said[0].contains("`node.0.queue.quantum` is ignored"), "{said:?}");
}

#[test]
fn keys_of_models_that_are_not_chosen_are_warned_of() {
    let told = |lines: &str| good(&sources(&format!("{MINIMAL}{lines}\n{FLOW}"))).warnings;
    let one = |line: &str| -> String {
        let mut said = told(line);
        assert_eq!(said.len(), 1, "{line}: {said:?}");
        said.pop().unwrap_or_default()
    };
    for (line, needed) in [
        ("air.range = \"200 m\"", "air.propagation = \"disk\""),
        ("air.path-loss-exponent = 3.0", "air.propagation = \"log-distance\""),
        ("air.rician-k = \"6 dB\"", "air.fading = \"rician\""),
        ("air.sinr-threshold = \"9 dB\"", "air.reception = \"sinr\""),
        ("mac.arf.up-after = 5", "mac.rate-control = \"arf\""),
        ("mac.snr.weight = 0.3", "mac.rate-control = \"snr\""),
    ] {
        let (key, value) = line.split_once(" = ").expect("a value");
        let column = key.len() + 4;
        let expected = format!("my.toml:2:{column}: `{key}` is ignored: it is used only with {needed}");
        assert_eq!(one(line), expected);
        assert!(told(&format!("{line}\n{needed}\n")).iter().all(|it| !it.contains("is ignored")), "{value}");
    }
    assert_eq!(
        one("air.reception = \"sinr\"\nair.late-capture = false\nair.capture = \"5 dB\""),
        "my.toml:4:15: `air.capture` is ignored: it is used only with air.reception = \"ns2\" or \
         air.late-capture = true"
    );
    let captured = told("air.reception = \"sinr\"\nair.capture = \"5 dB\"\n");
    assert!(captured.iter().all(|it| !it.contains("is ignored")), "{captured:?}");
    let listed = "topology = { kind = \"links\", link = [{ from = \"0\", to = \"1\" }, { from = \"1\", to = \"2\" }] }\n";
    let said =
        good(&sources(&format!("{listed}air.shadowing = \"6 dB\"\nair.capture = \"9 dB\"\n{FLOW}"))).warnings;
    assert_eq!(said, ["my.toml:2:17: `air.shadowing` is ignored: listed links have no places and no powers"]);
    // The thresholds are the powers of listed links.
    let powers = "air.receive-threshold = \"-70 dBm\"\nair.sense-threshold = \"-80 dBm\"\n";
    let said = good(&sources(&format!("{listed}{powers}{FLOW}"))).warnings;
    assert!(said.is_empty(), "{said:?}");
}

#[test]
fn a_slot_too_short_for_data_and_ack_together_is_warned_of() {
    let told = |slot: &str, flow: &str| {
        let frn = format!(
            "frn = {{ slot = \"{slot}\", combine = true }}\nrouting.kind = \"frn\"\nlink.kind = \"frn\"\n"
        );
        good(&sources(&format!("{MINIMAL}{frn}{flow}"))).warnings
    };
    let why = "data packets and TCP ACKs never leave together: 1520 B and 60 B take 6864 us with twice `frn.overhead` and \
               preamble, of `frn.slot` mini-slots and guard leave 6.54 ms";
    assert_eq!(told("6.7 ms", FLOW), [format!("my.toml:2:36: {why}")]);
    assert_eq!(told("7.1 ms", FLOW), [""; 0]);
    assert_eq!(
        told("6.7 ms", "flow = [{ kind = \"cbr\", rate = \"9 kbps\", from = 0, to = 1 }]\n"),
        [""; 0],
        "no TCP"
    );
}

#[test]
fn what_the_slotted_link_takes_no_notice_of_is_warned_of_with_the_key_that_counts() {
    let told = |sets: &[&str], more: &str| {
        let frn = "frn.slot = \"20 ms\"\nrouting.kind = \"frn\"\n";
        let mut sources = sources(&format!("{MINIMAL}{frn}{more}{FLOW}[link]\nkind = \"frn\"\n"));
        sources.sets = sets.iter().map(|&set| set.to_owned()).collect();
        good(&sources).warnings
    };
    assert_eq!(told(&[], ""), [""; 0], "a profile says both");
    assert_eq!(told(&[], "mac.data-rate = \"2 Mbps\"\nqueue.limit = 10000\n"), [""; 0], "the same values");
    let rate = "`mac.data-rate`, 3 Mbps, has no effect over the slotted link of `[frn]`; `frn.rate`, 2 Mbps, counts there";
    let limit =
        "`queue.limit`, 20, has no effect over the slotted link of `[frn]`; `frn.limit`, 10000, counts there";
    assert_eq!(
        told(&[], "mac.data-rate = \"3 Mbps\"\nqueue.limit = 20\n"),
        [format!("my.toml:4:17: {rate}"), format!("my.toml:5:15: {limit}")]
    );
    assert_eq!(
        told(&["mac.data-rate=3 Mbps", "queue.limit=20"], ""),
        [format!("--set mac.data-rate=3 Mbps: {rate}"), format!("--set queue.limit=20: {limit}")]
    );
    let nothing = "has no effect over the slotted link of `[frn]`, which has neither this MAC nor this queue";
    assert_eq!(
        told(&["queue.class-by=next-hop"], "mac.short-retry-limit = 3\n"),
        [
            format!("my.toml:4:25: `mac.short-retry-limit` {nothing}"),
            format!("--set queue.class-by=next-hop: `queue.class-by` {nothing}")
        ]
    );
    let event =
        |what: &str| format!("event = [{{ at = \"5 s\", kind = \"rate\", rate = \"3 Mbps\", {what} }}]\n");
    let vain = "the event at 5 s changes nothing: all frames go at `frn.rate`, 2 Mbps";
    for what in ["node = 1", "from = 0, to = 1"] {
        assert_eq!(told(&[], &event(what)), [format!("my.toml:4:31: {vain}")]);
    }
}

#[test]
fn the_schema_describes_the_file() {
    let schema: serde_json::Value = serde_json::from_str(&super::super::json_schema()).expect("JSON");
    assert_eq!(schema["required"], serde_json::json!(["topology"]));
    assert!(schema["properties"]["tcp"].is_object());
    assert!(schema["$defs"]["TcpConfig"]["properties"]["max-window"]["description"].is_string());
    assert_eq!(schema["$defs"]["TcpConfig"]["properties"]["initial-rto"]["default"], "1 s");
}

#[test]
fn a_value_without_a_name_or_a_unit_is_meant_for_the_parameter_that_says_so() {
    let with = |technique: &str| {
        let mut sources = sources(MINIMAL);
        sources.techniques.push((technique.into(), None));
        good(&sources).config.tcp
    };
    assert_eq!(with("small-segment:536").segment, Bytes(536));
    assert_eq!(with("delayed-ack:3").ack_every, 3);
    let both = with("delayed-ack:4,delay=50 ms");
    assert_eq!((both.ack_every, both.ack_delay), (4, Dur::from_ms(50)));
}

#[test]
fn an_operators_knobs_are_techniques() {
    use multihop_proto::mac::MacConfig;
    let with = |technique: &str| {
        let mut sources = sources(MINIMAL);
        sources.techniques.push((technique.into(), None));
        let config = good(&sources).config;
        let MacConfig::Dcf(mac) = config.mac else { panic!("not the DCF") };
        (mac.data_rate, mac.rts_threshold, (mac.short_retry_limit, mac.long_retry_limit), config.queue.limit)
    };
    assert_eq!(with("rts-on").1, Bytes(0));
    assert_eq!(with("rts-on:256").1, Bytes(256));
    assert_eq!(with("rts-off").1, Bytes(65_535));
    assert_eq!(with("retries:9").2, (9, 9));
    assert_eq!(with("queue:7").3, 7);
    for spelt in [
        "data-rate",
        "data-rate:5.5",
        "data-rate:5.5 Mbps",
        "data-rate:5.5Mb/s",
        "data-rate:rate=5500 kbit/s",
    ] {
        assert_eq!(with(spelt).0, Bitrate::from_bps(5_500_000), "{spelt}");
    }
    assert_eq!(with("data-rate:11").0, Bitrate::from_mbps(11));
}

/// A flow names its ends, or a list that does; never both.
#[test]
fn the_schema_lets_a_list_stand_for_the_ends_of_flows() {
    let schema: serde_json::Value = serde_json::from_str(&super::super::json_schema()).expect("JSON");
    let flow = &schema["$defs"]["FlowConfig"];
    assert!(flow.get("required").is_none());
    assert_eq!(flow["if"]["required"], serde_json::json!(["list"]));
    assert_eq!(flow["else"]["required"], serde_json::json!(["from", "to"]));
    let barred = flow["then"]["not"]["anyOf"].as_array().expect("a list");
    assert!(barred.contains(&serde_json::json!({ "required": ["from"] })) && barred.len() == 3);
}
