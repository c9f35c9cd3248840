//! Radios on different channels in whole runs.

use multihop_proto::units::NodeId;
use multihop_sim::probe::Column;

use crate::common::{Case, first_difference, listed_as, tables};

/// Two pairs of nodes side by side, all in reach of each other, each with a stream that fills more than half of a
/// channel.
fn pairs(more: &str) -> Case {
    Case::new(&format!(
        r#"
run.duration = "20 s"
measure = {{ warm-up = "5 s", sample = "0 s" }}
routing.kind = "static"
topology = {{ kind = "explicit", node = [
  {{ name = "a", x = "0 m", y = "0 m" }}, {{ name = "b", x = "100 m", y = "0 m" }},
  {{ name = "c", x = "0 m", y = "100 m" }}, {{ name = "d", x = "100 m", y = "100 m" }},
] }}
flow = [
  {{ kind = "bulk", from = "a", to = "b" }},
  {{ kind = "bulk", from = "c", to = "d" }},
]
{more}
"#
    ))
}

/// Pairs on different channels each have what a pair has alone; on the same channel they share it.
#[test]
fn channels_do_not_disturb_each_other() {
    let apart = pairs("node = [{ names = [\"c\", \"d\"], radio = [{ channel = 6 }] }]").run(1);
    let shared = pairs("").run(1);
    let alone = pairs("").set("flow.1.start", "\"19.999 s\"").run(1);
    let goodput =
        |run: &crate::common::Outcome, flow: usize| run.flows()[flow]["goodput_bps"].as_f64().unwrap();
    let whole = goodput(&alone, 0);
    for flow in 0..2 {
        let share = goodput(&apart, flow) / whole;
        assert!((share - 1.0).abs() < 0.03, "{share} of a channel");
    }
    let sum = (goodput(&shared, 0) + goodput(&shared, 1)) / whole;
    assert!((0.8..1.1).contains(&sum), "{sum} of a channel");
}

/// Nodes that say that they are on channel 1 are where all others are.
#[test]
fn the_channel_of_all_others_changes_nothing() {
    let said = pairs("node = [{ names = [\"c\", \"d\"], radio = [{ channel = 1 }] }]").run(1);
    let all = pairs("node = [{ names = [\"a\", \"b\", \"c\", \"d\"], radio = [{ channel = 36 }] }]").run(1);
    let none = pairs("").run(1);
    assert_eq!(said.json["fingerprint"], none.json["fingerprint"]);
    assert_eq!(all.json["fingerprint"], none.json["fingerprint"]);
}

/// No frame passes between channels, with any routing, over places as over listed links; `check` says so.
#[test]
fn nothing_passes_between_channels() {
    let listed = r#"{ kind = "links", link = [{ from = "a", to = "b" }, { from = "b", to = "c" }] }"#;
    for kind in ["static", "dsdv", "aodv", "dsr"] {
        let other = "node = [{ names = [\"b\"], radio = [{ channel = 11 }] }]";
        let case = pairs(other).set("routing.kind", format!("\"{kind}\"").as_str());
        for case in [
            case.clone(),
            case.set("topology", listed).set("flow", "[{ kind = \"bulk\", from = \"a\", to = \"b\" }]"),
        ] {
            let run = case.run(1);
            assert_eq!(run.flows()[0]["goodput_bps"].as_f64(), Some(0.0), "{kind}");
            let remarks = case.resolve().warnings.join("\n");
            assert!(remarks.contains("cannot be reached") && remarks.contains("same channel"), "{remarks}");
        }
    }
}

#[test]
fn channels_that_are_none_are_refused() {
    for (channel, said) in [("0", "channel"), ("234", "channel"), ("\"six\"", "channel")] {
        let node = format!("node = [{{ names = [\"c\"], radio = [{{ channel = {channel} }}] }}]");
        let error = pairs(&node).try_resolve().expect_err("no channel");
        assert!(error.contains(said) && error.contains("radio"), "{error}");
    }
}

/// Two pairs of 802.11ac, all in reach of each other: the second on a channel of its own, with what is said of that.
fn two_widths(channel: &str) -> Case {
    let node = format!("node = [{{ names = [\"c\", \"d\"], radio = [{{ channel = 149{channel} }}] }}]");
    pairs(&format!("profile = \"linux\"\nmac.standard = \"802.11ac\"\n{node}"))
        .set("run.duration", "2 s")
        .set("measure.warm-up", "0.5 s")
}

/// Each channel has its own width, MCS and streams, and carries what a network of only these would.
#[test]
fn channels_have_widths_of_their_own() {
    let wide = ", width = \"80 MHz\", mcs = 9, streams = 2";
    let both = two_widths(wide).run(1);
    let narrow = two_widths("").run(1);
    let all = two_widths("").set("mac.width", "80 MHz").set("mac.mcs", "9").set("mac.streams", "2").run(1);
    let goodput =
        |run: &crate::common::Outcome, flow: usize| run.flows()[flow]["goodput_bps"].as_f64().unwrap();
    assert_eq!(goodput(&both, 0), goodput(&narrow, 0), "the channel of which nothing is said");
    assert_eq!(goodput(&both, 1), goodput(&all, 1), "the wide channel");
    assert!(goodput(&both, 1) > 5.0 * goodput(&both, 0));
}

/// What one radio says of a channel holds for all on it; said of the only channel it is as if `[mac]` said it.
#[test]
fn what_a_radio_says_of_its_channel_holds_for_all() {
    let one = |more: &str| {
        pairs(&format!("profile = \"linux\"\nmac.standard = \"802.11n\"\n{more}"))
            .set("run.duration", "2 s")
            .set("measure.warm-up", "0.5 s")
            .run(1)
    };
    let said = one("node = [{ names = [\"c\"], radio = [{ channel = 1, width = \"40 MHz\", mcs = 5 }] }]");
    let all = one("mac.width = \"40 MHz\"\nmac.mcs = 5");
    assert_eq!(said.json["fingerprint"], all.json["fingerprint"]);
    let joined = one("mac.width = \"40MHz\"\nmac.mcs = 5");
    assert_eq!(joined.json["fingerprint"], all.json["fingerprint"], "without a space");
    let bands = ["2.4 GHz", "2.4GHz", "5GHz"]
        .map(|it| one(&format!("mac.band = \"{it}\"")).json["fingerprint"].clone());
    assert!(bands[0] == bands[1] && bands[1] != bands[2], "the band brings its gaps");
}

#[test]
fn what_cannot_be_of_a_channel_is_refused() {
    let wrong = |standard: &str, radios: &str| {
        let text = format!("profile = \"linux\"\nmac.standard = \"{standard}\"\nnode = [{radios}]");
        pairs(&text).try_resolve().expect_err("refused")
    };
    let one = |radio: &str| format!("{{ names = [\"c\"], radio = [{{ channel = 36, {radio} }}] }}");
    let says = |error: String, what: &str| assert!(error.contains(what), "{error}");
    says(wrong("802.11n", &one("width = \"80 MHz\"")), "it must be at most 40 MHz in 802.11n");
    says(wrong("802.11n", &one("mcs = 9")), "`node.0.radio.0.mcs` is 9; it must be at most 7");
    says(wrong("802.11ac", &one("mcs = 9")), "must be another one with this width");
    says(
        wrong("802.11a", &one("width = \"40 MHz\"")),
        "`node.0.radio.0.width` means nothing here; it needs mac.standard",
    );
    let two = "{ names = [\"c\"], radio = [{ channel = 36, width = \"40 MHz\" }] }, \
               { names = [\"d\"], radio = [{ channel = 36, width = \"20 MHz\" }] }";
    says(
        wrong("802.11n", two),
        "`node.1.radio.0.width` is 20 MHz, and another radio on channel 36 has 40 MHz",
    );
    says(wrong("802.11n", &one("mcs = -1")), "expected a whole number from 0 to 255, got -1");
}

/// A chain with one greedy stream over all its hops, each node in the decoding range of the next only.
fn relayed(hops: usize, transport: &str) -> Case {
    Case::new(&format!(
        r#"
profile = "rfc"
run.duration = "10 s"
measure = {{ warm-up = "2 s", sample = "0 s" }}
routing.kind = "static"
topology = {{ kind = "chain", hops = {hops}, spacing = "200 m" }}
mac.rts-threshold = "3000 B"
flow = [{{ kind = "cbr", rate = "2 Mbps", packet = "1000 B", transport = "{transport}", from = "0", to = "{hops}" }}]
"#
    ))
}

fn plan(case: Case, plan: &str, list: &[u16]) -> Case {
    case.set("channels", format!("{{ plan = \"{plan}\", list = {list:?} }}"))
}

/// A node with two radios receives by one while it sends by the other. One channel is shared by the hops; four channels
/// in turn leave each hop alone.
#[test]
fn radios_on_channels_in_turn_keep_the_goodput_of_one_hop() {
    let goodput = |hops: usize, list: &[u16]| plan(relayed(hops, "udp"), "alternate", list).run(1).goodput();
    let alone = goodput(1, &[36]);
    for hops in [2, 3] {
        let share = goodput(hops, &[36]) / alone;
        assert!(share < 1.25 / hops as f64, "one channel, {hops} hops: {share} of one hop");
    }
    for hops in 2..=5 {
        let share = goodput(hops, &[36, 52, 100, 149]) / alone;
        assert!(share > 0.9, "four channels, {hops} hops: {share} of one hop");
    }
}

/// Where nodes have several radios, a series has the queue of each; together they are the queue of the node.
#[test]
fn each_radio_has_a_series_of_its_queue() {
    let case =
        |list: &[u16]| plan(relayed(2, "udp"), "alternate", list).set("measure.sample", "100 ms").run(1);
    let run = case(&[36, 149]);
    let column = |series: &str, name: &str| -> Vec<i64> {
        let (_, table) = run.series.iter().find(|(known, _)| *known == series).expect("a series");
        let (_, column) = table.iter().find(|(known, _)| *known == name).expect("a column");
        let Column::Int(values) = column else { panic!("whole numbers") };
        values.clone()
    };
    let rows =
        column("radios", "node").into_iter().zip(column("radios", "channel")).zip(column("radios", "length"));
    let rows: Vec<(i64, i64, i64)> = rows.map(|((node, channel), length)| (node, channel, length)).collect();
    let stations: std::collections::BTreeSet<(i64, i64)> = rows.iter().map(|row| (row.0, row.1)).collect();
    assert_eq!(stations.into_iter().collect::<Vec<_>>(), [(0, 36), (1, 36), (1, 149), (2, 149)]);
    let sums = |all: &mut dyn Iterator<Item = (i64, i64)>| {
        let mut sums = [0; 3];
        all.for_each(|(node, length)| sums[node as usize] += length);
        sums
    };
    let whole = sums(&mut column("queue", "node").into_iter().zip(column("queue", "length")));
    assert_eq!(sums(&mut rows.iter().map(|row| (row.0, row.2))), whole);
    assert!(whole[0] > 0);
    assert!(case(&[36]).series.iter().all(|(name, _)| *name != "radios"), "one radio a node");
}

/// Data and routing messages pass over several interfaces, with every routing protocol, with address resolution, over
/// places as over listed links; what is shown to captures and meters is per radio.
#[test]
fn every_routing_protocol_finds_its_way_over_several_radios() {
    let listed = r#"{ kind = "links", link = [{ from = "0", to = "1" }, { from = "1", to = "2" }, { from = "2", to = "3" }] }"#;
    for kind in ["static", "dsdv", "aodv", "dsr"] {
        let case = relayed(3, "tcp")
            .set("routing.kind", kind)
            .set("run.duration", "120 s")
            .set("measure.warm-up", "80 s");
        for case in [case.clone(), case.clone().set("arp.kind", "hold"), case.set("topology", listed)] {
            let run = plan(case, "alternate", &[36, 149]).run(1);
            assert!(run.goodput() > 100e3, "{kind}: {} bit/s", run.goodput());
        }
    }
}

/// Each link has a channel that its neighbours do not have, whatever the order of the nodes, and both ends use it.
#[test]
fn a_plan_by_link_keeps_the_links_of_a_node_apart() {
    let case = plan(relayed(5, "udp"), "by-link", &[36, 52, 100, 149]);
    let in_turn = plan(relayed(5, "udp"), "alternate", &[36, 52, 100, 149]).run(1).goodput();
    let share = case.run(1).goodput() / in_turn;
    assert!((0.97..1.03).contains(&share), "{share} of the channels in turn");
    let listed = r#"{ kind = "links", link = [{ from = "0", to = "1" }, { from = "0", to = "2" }, { from = "2", to = "1" }] }"#;
    let star =
        plan(relayed(2, "udp"), "by-link", &[1, 6]).set("topology", listed).set("routing.kind", "aodv");
    assert!(star.run(1).goodput() > 1e6, "a triangle needs three channels, and has two");
    let moving = plan(Case::shipped("rwp"), "by-link", &[1, 6]).try_resolve().expect_err("links come and go");
    assert!(moving.contains("by-link"), "{moving}");
}

/// A packet for all leaves by each radio.
#[test]
fn a_broadcast_leaves_by_every_radio() {
    let case =
        relayed(1, "udp").set("routing.kind", "dsdv").set("run.duration", "60 s").set("flow.0.start", "59 s");
    let count = |list: &[u16]| plan(case.clone(), "all", list).run(1).over_nodes("frames/broadcast");
    let (one, two) = (count(&[1]), count(&[1, 6]));
    assert!(one > 0.0 && (1.6..2.4).contains(&(two / one)), "{one}, then {two}");
}

/// An idle radio costs what the first one costs.
#[test]
fn each_radio_has_its_own_energy() {
    let case = relayed(1, "udp")
        .set("energy.idle", "0.8 W")
        .set("flow.0.start", "9.9 s")
        .set("measure.until", "9.8 s");
    let joules = |list: &[u16]| plan(case.clone(), "all", list).run(1).of_node(0, "energy_j");
    let (one, three) = (joules(&[1]), joules(&[1, 6, 11]));
    assert!((three / one - 3.0).abs() < 1e-9, "{one} J, then {three} J");
    let run = plan(relayed(2, "udp"), "alternate", &[1, 6]).run(1);
    let radios = run.json["nodes"][1]["radios"].as_array().expect("two radios");
    let of = |radio: usize, key: &str| radios[radio][key].as_f64().expect("a figure");
    assert_eq!([&radios[0]["channel"], &radios[1]["channel"]], [1, 6]);
    assert!(
        of(0, "airtime_tx_s") < of(1, "airtime_tx_s") / 3.0,
        "the first acknowledges, the second sends on"
    );
    let sum = of(0, "airtime_tx_s") + of(1, "airtime_tx_s");
    assert!((sum - run.of_node(1, "airtime_tx_s")).abs() < 1e-9);
    assert!(run.json["nodes"][0].get("radios").is_none(), "a node with one radio");
}

/// Where two nodes share several channels, the first of the sender's list is used.
#[test]
fn the_first_common_channel_carries_the_data() {
    let node = "[{ names = [\"0\"], radio = [{ channel = 6 }, { channel = 1 }] }, \
                { names = [\"1\"], radio = [{ channel = 11 }, { channel = 1 }, { channel = 6 }] }]";
    let case = relayed(1, "udp").set("node", node);
    let loud = case.clone().run(1);
    assert!(loud.goodput() > 1e6);
    let stations = case.resolve().stations();
    assert_eq!(stations.channels().into_iter().collect::<Vec<_>>(), [1, 6, 11]);
}

/// Nodes go down and come back, links are cut and lose frames: what an event says of two nodes holds for all their
/// radios.
#[test]
fn events_hold_for_all_radios_of_a_node() {
    for (event, least) in [
        ("{ at = \"1 s\", kind = \"node-down\", node = \"1\" }", 0.0),
        ("{ at = \"1 s\", kind = \"link-down\", from = \"1\", to = \"2\" }", 0.0),
        ("{ at = \"1 s\", kind = \"link-loss\", from = \"1\", to = \"2\", loss = 1.0 }", 0.0),
        (
            "{ at = \"1 s\", kind = \"node-down\", node = \"1\" }, { at = \"1500 ms\", kind = \"node-up\", node = \"1\" }",
            1e5,
        ),
    ] {
        let run = plan(relayed(3, "udp"), "all", &[6, 11]).set("event", format!("[{event}]")).run(1);
        assert!(
            run.goodput() >= least && (least > 0.0 || run.goodput() == 0.0),
            "{event}: {}",
            run.goodput()
        );
    }
}

#[test]
fn radios_that_cannot_be_are_refused() {
    let node =
        |radio: &str| relayed(2, "udp").set("node", format!("[{{ names = [\"0\"], radio = [{radio}] }}]"));
    let twice = node("{ channel = 6 }, { channel = 6 }").try_resolve().expect_err("twice");
    let said =
        "`node.0.radio.1.channel` is 6; it must be a channel of its own: another radio of the node is on it";
    assert!(twice.contains(said), "{twice}");
    let none = node("").try_resolve().expect_err("none");
    assert!(none.contains("`node.0.radio` is empty: there is one radio at least"), "{none}");
    let none = relayed(2, "udp").set("radio", "[]").try_resolve().expect_err("none");
    assert!(none.contains("`radio` is empty"), "{none}");
    let many: Vec<String> = (1..=9).map(|channel| format!("{{ channel = {channel} }}")).collect();
    assert!(node(&many.join(", ")).try_resolve().expect_err("many").contains("at most 8 radios"));
    let slotted = Case::shipped("frn-chain");
    for case in [plan(slotted.clone(), "alternate", &[1, 6]), plan(slotted.clone(), "all", &[1, 6])] {
        assert!(case.try_resolve().expect_err("slots").contains("slots of one channel"));
    }
    assert!(plan(slotted, "all", &[6]).try_resolve().is_ok(), "one channel is one radio");
    let empty = plan(relayed(2, "udp"), "all", &[]).try_resolve().expect_err("no channels");
    assert!(empty.contains("`channels.list` is empty: a plan without channels"), "{empty}");
    for (said, missing) in [
        ("{ list = [36] }", "`channels.plan` is missing; say \"alternate\", \"by-link\" or \"all\""),
        ("{ plan = \"all\" }", "`channels.list` is missing; name some channels"),
    ] {
        let error = relayed(2, "udp").set("channels", said).try_resolve().expect_err("half a plan");
        assert!(error.contains(missing), "{error}");
    }
}

/// 802.11ac has no channels at 2.4 GHz, and none there is wider than 40 MHz. At 6 GHz channels count from 1 again.
#[test]
fn channels_that_the_standard_does_not_have_in_their_band_are_remarked() {
    let of = |standard: &str, radio: &str| {
        let text =
            format!("mac = {{ standard = \"{standard}\", width = \"20 MHz\" }}\nradio = [{{ {radio} }}]\n");
        pairs(&text)
    };
    let said = |case: Case| case.resolve().warnings.join("\n");
    let ac = said(of("802.11ac", "channel = 11"));
    assert!(ac.contains("`radio.0.channel` is 11, a channel at 2.4 GHz, where 802.11ac has none"), "{ac}");
    let wide = said(of("802.11ax", "channel = 14, width = \"80 MHz\""));
    let named = "`radio.0.width` is 80 MHz, and channel 14 is at 2.4 GHz, where none is wider than 40 MHz";
    assert!(wide.contains(named), "{wide}");
    let all = said(of("802.11ax", "channel = 1").set("mac.width", "160 MHz"));
    assert!(all.contains("`mac.width` is 160 MHz, and channel 1 is at 2.4 GHz"), "{all}");
    let planned =
        plan(relayed(2, "udp"), "all", &[36, 6]).set("mac.standard", "802.11ac").set("mac.mcs", "7");
    let planned = said(planned);
    assert!(planned.contains("`channels.list.1` is 6, a channel at 2.4 GHz"), "{planned}");
    for standard in ["802.11n", "802.11g"] {
        let text = format!("mac.standard = \"{standard}\"\nradio = [{{ channel = 36 }}]\n");
        let above = said(pairs(&text).set("mac.band", "2.4 GHz"));
        assert!(above.contains("`radio.0.channel` is 36, a channel at 5 GHz"), "{above}");
    }
    for (standard, radio) in [
        ("802.11ax", "channel = 14, width = \"40 MHz\""),
        ("802.11n", "channel = 6"),
        ("802.11ac", "channel = 36, width = \"160 MHz\""),
    ] {
        let plain = said(of(standard, radio));
        assert!(!plain.contains("channel"), "{standard} {radio}: {plain}");
    }
    let six = said(of("802.11ax", "channel = 1, width = \"160 MHz\"").set("air.frequency", "5.955 GHz"));
    assert!(!six.contains("channel"), "{six}");
    let band = of("802.11ax", "channel = 36").set("mac.band", "2.4 GHz").set("mac.width", "80 MHz");
    let band = band.try_resolve().expect_err("it is refused");
    assert!(band.contains("`mac.width` is 80 MHz; it must be 20 or 40 MHz at 2.4 GHz"), "{band}");
}

/// Frames that end together at several radios of a node go on in an order that the numbers of their senders do not
/// change.
#[test]
fn frames_that_end_together_at_a_node_do_not_come_in_the_order_of_numbers() {
    let case = Case::new(
        r#"
run.duration = "3 s"
measure = { warm-up = "0 s", sample = "0 s" }
routing.kind = "static"
topology = { kind = "explicit", node = [
  { name = "a", x = "0 m", y = "0 m" }, { name = "b", x = "0 m", y = "300 m" },
  { name = "hub", x = "150 m", y = "150 m" }, { name = "out", x = "300 m", y = "300 m" },
] }
node = [
  { names = ["a"], radio = [{ channel = 1 }] }, { names = ["b"], radio = [{ channel = 6 }] },
  { names = ["hub"], radio = [{ channel = 1 }, { channel = 6 }, { channel = 11 }] },
  { names = ["out"], radio = [{ channel = 11 }] },
]
flow = [
  { kind = "cbr", from = "a", to = "out", transport = "udp", packet = "1000 B", rate = "100 kbps" },
  { kind = "cbr", from = "b", to = "out", transport = "udp", packet = "1000 B", rate = "100 kbps" },
]
"#,
    );
    let [one, other] = [false, true].map(|turned| {
        let order = |place: usize, count: usize| if turned { count - 1 - place } else { place };
        tables(&listed_as(&case, order).run(1))
    });
    assert_eq!(one, other, "{}", first_difference(&other, &one, ""));
}

/// A listed link carries what data frames are sent with, however near the threshold lies to the noise.
#[test]
fn noise_takes_nothing_of_a_listed_link() {
    let case = |rule: &str, more: &str| {
        Case::new(&format!(
            "profile = \"openwrt\"\nrun.duration = \"2 s\"\nmeasure.warm-up = \"1 s\"\n\
             topology = {{ kind = \"links\", link = [{{ from = \"a\", to = \"b\" }}] }}\n\
             flow = [{{ kind = \"cbr\", from = \"a\", to = \"b\", transport = \"udp\", rate = \"150 Mbps\" }}]\n\
             mac.rate-control = \"{rule}\"\n{more}\n"
        ))
    };
    for rule in ["fixed", "ideal", "snr", "minstrel-ht"] {
        let run = case(rule, "").run(1);
        let goodput = run.flows()[0]["goodput_bps"].as_f64().expect("a number");
        assert!(goodput > 100e6, "{rule}: {goodput} of 144 Mb/s");
    }
    // What is said to be lost is lost, and the paper's links are as strong as ever.
    let lossy = case("fixed", "").set("topology.link", "[{ from = \"a\", to = \"b\", loss = 0.5 }]").run(1);
    let goodput = lossy.flows()[0]["goodput_bps"].as_f64().expect("a number");
    assert!((20e6..90e6).contains(&goodput), "{goodput}");
    let power = |case: &Case| {
        let resolved = case.resolve();
        (
            resolved.links(1).listeners(multihop_proto::units::NodeId(0))[0].power,
            resolved.config.air.receive_threshold.get(),
        )
    };
    let dsss = Case::new(
        "topology = { kind = \"links\", link = [{ from = \"a\", to = \"b\" }] }\nflow = [{ from = \"a\", to = \"b\" }]",
    );
    let (here, threshold) = power(&dsss);
    assert_eq!(here.to_bits(), threshold.to_bits());
    let (here, threshold) = power(&case("fixed", ""));
    assert!((5.0..10.0).contains(&(10.0 * libm::log10(here / threshold))), "{here} {threshold}");
}

/// `[[radio]]` gives nodes the radios that `[[node]]` gives them one by one.
#[test]
fn a_radio_of_several_nodes_is_one_of_each() {
    let run = |more: &str| {
        pairs(&format!("profile = \"linux\"\nmac.standard = \"802.11n\"\n{more}"))
            .set("run.duration", "2 s")
            .set("measure.warm-up", "0.5 s")
            .run(1)
            .json["fingerprint"]
            .clone()
    };
    let each = run("node = [{ names = [\"a\"], radio = [{ channel = 36, width = \"40 MHz\" }] }, \
         { names = [\"b\"], radio = [{ channel = 36 }, { channel = 100 }] }, \
         { names = [\"c\"], radio = [{ channel = 100 }, { channel = 149 }] }, \
         { names = [\"d\"], radio = [{ channel = 149 }] }]");
    let common = run("[[radio]]\nnodes = [\"b\", \"a\"]\nchannel = 36\nwidth = \"40 MHz\"\n\
         [[radio]]\nnodes = [\"b\", \"c\"]\nchannel = 100\n\
         [[radio]]\nnodes = [\"c\", \"d\"]\nchannel = 149\n");
    assert_eq!(each, common);
    let plain = run("");
    assert_ne!(plain, common);
    assert_eq!(plain, run("radio = [{ channel = 48 }]"), "one channel, whatever its number");
    let wide = run("radio = [{ channel = 48, width = \"40 MHz\", mcs = 5 }]");
    assert_eq!(wide, run("mac.width = \"40 MHz\"\nmac.mcs = 5"), "what all radios say is what `[mac]` says");
}

/// The radios of `[[node]]` stand first, then those of each `[[radio]]` in the order of the file; both before a plan.
#[test]
fn radios_stand_in_the_order_of_the_file() {
    let text = "node = [{ names = [\"b\"], radio = [{ channel = 11 }] }]\n\
                channels = { plan = \"all\", list = [1] }\n\
                [[radio]]\nnodes = [\"b\", \"c\"]\nchannel = 6\n[[radio]]\nnodes = [\"c\", \"b\"]\nchannel = 36\n";
    let resolved = pairs(text).resolve();
    let stations = resolved.stations();
    let of = |node: u32| -> Vec<u16> {
        stations.of(NodeId(node)).map(|station| stations.channel(station)).collect()
    };
    assert_eq!([of(0), of(1), of(2), of(3)], [vec![1], vec![11, 6, 36], vec![6, 36], vec![1]]);
    let again = Case::new(&resolved.to_toml().expect("text")).resolve();
    assert_eq!(again.hash(), resolved.hash());
}

#[test]
fn a_wrong_radio_of_several_nodes_is_named_with_its_place() {
    let says = |text: &str, what: &str| {
        let error = pairs(text).try_resolve().expect_err("refused");
        assert!(error.contains(what), "{error}");
    };
    says("[[radio]]\nnodes = [\"a\", \"z\"]\nchannel = 36", "there is no node `z`");
    says("[[radio]]\nnodes = []\nchannel = 36", "a radio of no nodes");
    says("[[radio]]\nnodes = [\"a\", \"a\"]\nchannel = 36", "node `a` stands twice in the list");
    says("[[radio]]\nnodes = \"a\"\nchannel = 36", "`radio.0.nodes`");
    says("[[radio]]\nchannel = 234", "`radio.0.channel` is 234; it must lie between 1 and 233");
    says("[[radio]]\nnodes = [\"a\"]", "`radio.0.channel` is missing");
    says("[[radio]]\nchannel = 36\nspeed = 3", "`radio.0.speed`");
    says(
        "[[radio]]\nchannel = 36\n[[radio]]\nnodes = [\"c\"]\nchannel = 36",
        "`radio.1.channel` is 36: node `c` has a radio on it already; give each radio of a node a channel of its own",
    );
    says(
        "node = [{ names = [\"d\"], radio = [{ channel = 36 }] }]\n[[radio]]\nchannel = 36",
        "`radio.0.channel` is 36: node `d` has a radio on it already",
    );
    let nine: String = (1..10).map(|it| format!("[[radio]]\nchannel = {it}\n")).collect();
    says(&nine, "node `a` has more than 8 radios");
    says(
        "[[radio]]\nchannel = 36\nwidth = \"40 MHz\"",
        "`radio.0.width` means nothing here; it needs mac.standard",
    );
    let n = "mac.standard = \"802.11n\"\n";
    says(&format!("{n}[[radio]]\nchannel = 36\nmcs = 9"), "`radio.0.mcs` is 9; it must be at most 7");
    let two = "[[radio]]\nnodes = [\"a\"]\nchannel = 36\nwidth = \"40 MHz\"\n\
               [[radio]]\nnodes = [\"b\"]\nchannel = 36\nwidth = \"20 MHz\"";
    says(&format!("{n}{two}"), "`radio.1.width` is 20 MHz, and another radio on channel 36 has 40 MHz");
}
