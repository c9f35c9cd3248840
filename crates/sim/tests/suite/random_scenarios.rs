//! Scenarios that no person has thought of: every profile, topology, routing, traffic and any keys of the machines, by
//! chance. Whatever it is, the run reaches its end, its ledger balances by counted custody (checked in the run), it
//! is the same run alone and beside others, and the order in which the nodes are listed changes no table.
//!
//! `MULTIHOP_SCENARIOS` says how many, `MULTIHOP_SEED` the number of the first: a failure names its number.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::drawn::{self, Dice};
use crate::common::{Case, Outcome, first_difference, listed_as, on_threads, tables};
use multihop_proto::mac::Standard;
use multihop_sim::scenario::{Kind, json_schema, shipped};
use serde_json::Value;

/// Scenarios that are run beside each other.
const BATCH: u64 = 16;
const THREADS: usize = 4;

#[test]
fn random_scenarios_keep_every_promise() {
    let numbers = drawn::numbers(48);
    let keys = Keys::new();
    let mut faults = Vec::new();
    let mut start = numbers.start;
    while start < numbers.end {
        let batch: Vec<(u64, Case)> = (start..(start + BATCH).min(numbers.end))
            .map(|number| (number, scenario(number, &keys)))
            .collect();
        let alone: Vec<Result<Outcome, String>> =
            batch.iter().map(|(_, case)| attempt(|| case.run(1))).collect();
        let work: Vec<_> = batch.iter().zip(&alone).collect();
        let shares: Vec<_> = (0..THREADS)
            .map(|thread| work.iter().copied().skip(thread).step_by(THREADS).collect::<Vec<_>>())
            .collect();
        for found in on_threads(shares, |share| {
            share
                .into_iter()
                .filter_map(|((number, case), alone)| judge(*number, case, alone))
                .collect::<Vec<_>>()
        }) {
            faults.extend(found);
        }
        start += BATCH;
    }
    drawn::fine(&numbers, &faults);
}

/// Of 200 scenarios several have nodes of 802.11b among newer ones, and several have others.
#[test]
fn nodes_of_older_standards_are_drawn() {
    let keys = Keys::new();
    let standards = |number| {
        let config = scenario(number, &keys).resolve().config;
        let own = config.node.iter().filter_map(|group| group.mac.as_ref());
        own.filter(|mac| mac.says("standard")).map(|mac| mac.settled.standard()).collect::<Vec<_>>()
    };
    let drawn: Vec<_> = (1..=200).map(standards).collect();
    let with = |found: fn(&Standard) -> bool| drawn.iter().filter(|all| all.iter().any(found)).count();
    let (oldest, others) = (with(|it| *it == Standard::B), with(|it| *it != Standard::B));
    assert!(oldest > 4 && others > 4, "{oldest} {others}");
}

/// What is wrong with a scenario, if anything is; `alone` is a run of it.
fn judge(number: u64, case: &Case, alone: &Result<Outcome, String>) -> Option<String> {
    let said = |what: String| Some(drawn::said(number, &what, &case.text()));
    let alone = match alone {
        Ok(alone) => alone,
        Err(what) => return said(what.clone()),
    };
    match attempt(|| case.run(1)) {
        Err(what) => return said(format!("the second time: {what}")),
        Ok(again) if again.json != alone.json => {
            return said(format!("beside others: {}", first_difference(&again.json, &alone.json, "run")));
        }
        Ok(again) if format!("{:?}", again.series) != format!("{:?}", alone.series) => {
            return said("other series beside others".to_owned());
        }
        Ok(_) => {}
    }
    let shift = 1 + number as usize; // any
    let order = |place: usize, count: usize| match number % 2 {
        0 => count - 1 - place,
        _ => (place + shift) % count,
    };
    // Where the first node is another one, as in ns-2, numbers count.
    let case = &with(case.clone(), "routing.dsr.first-node-is-zero", "false");
    let listed = attempt(|| [listed_as(case, |place, _| place).run(1), listed_as(case, order).run(1)]);
    match listed {
        Err(what) => said(format!("with its nodes listed: {what}")),
        Ok(listed) => {
            let [one, other] = listed.map(|run| tables(&run));
            (one != other)
                .then(|| format!("nodes in another order: {}", first_difference(&other, &one, "")))
                .and_then(said)
        }
    }
}

/// Does it, and turns a panic into its message.
fn attempt<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
    })
}

/// The keys of the machines: which there are, and the words that they take.
struct Keys {
    /// By the last part of their path.
    words: Vec<(String, Vec<String>)>,
    /// Whole numbers that need not be said.
    optional: Vec<String>,
}

impl Keys {
    /// From the schema of the scenario file, so that new keys take part.
    fn new() -> Self {
        let schema: Value = serde_json::from_str(&json_schema()).expect("JSON");
        let definitions = schema["$defs"].as_object().expect("definitions");
        let mut keys = Self { words: Vec::new(), optional: Vec::new() };
        for (section, optional) in [("QueueConfig", "queue"), ("TcpConfig", "tcp"), ("DcfConfig", "mac")] {
            let properties = definitions.get(section).and_then(|it| it["properties"].as_object());
            for (key, property) in properties.into_iter().flatten() {
                if property["type"].as_array().is_some_and(|types| types.iter().any(|it| it == "integer")) {
                    keys.optional.push(format!("{optional}.{key}"));
                }
            }
        }
        for property in definitions.values().filter_map(|it| it["properties"].as_object()).flatten() {
            let (key, property) = property;
            let name = property["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
            let words = name.and_then(|name| definitions.get(name)).map(words).unwrap_or_default();
            if !words.is_empty() {
                keys.words.push((key.clone(), words));
            }
        }
        keys
    }
}

/// The words of an enumeration.
fn words(definition: &Value) -> Vec<String> {
    let plain = definition["enum"].as_array().into_iter().flatten();
    let described = definition["oneOf"].as_array().into_iter().flatten().map(|one| &one["const"]);
    plain.chain(described).filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

/// Scenario number `number`.
fn scenario(number: u64, keys: &Keys) -> Case {
    let dice = &mut Dice::new(number, 1);
    let mut case = mixed(number, wide(number, modern(number, tuned(number, skeleton(dice)))));
    for path in &keys.optional {
        if dice.one_in(8) {
            case = with(case, path, &(1 + dice.below(4)).to_string());
        }
    }
    let values: Value = serde_json::from_str(&case.resolve().to_json()).expect("JSON");
    let values = values["values"].as_object().expect("values").clone();
    for (path, value) in &values {
        let ours =
            ["air.", "mac.", "queue.", "routing.", "tcp.", "udp."].iter().any(|it| path.starts_with(it));
        if ours
            && !path.ends_with(".kind")
            && dice.one_in(9)
            && let Some(other) = another(dice, keys, path, &value["value"])
        {
            case = with(case, path, &other);
        }
    }
    case
}

/// The scenario, one in three times with radios on several channels. Draws of their own leave all else as it is.
fn tuned(number: u64, case: Case) -> Case {
    const RADIOS: [&str; 6] = ["1", "6", "1, 6", "6, 1", "6, 11", "11, 1, 6"];
    let dice = &mut Dice::new(number, 2);
    if !dice.one_in(3) {
        return case;
    }
    if dice.one_in(3) {
        let plan = *dice.of(&["by-link", "all"]);
        return with(case, "channels", &format!("{{ plan = \"{plan}\", list = [1, 6, 11] }}"));
    }
    let mut groups: Vec<Vec<String>> = vec![Vec::new(); RADIOS.len()];
    for node in case.resolve().nodes {
        groups[dice.below(RADIOS.len())].push(format!("{:?}", node.name));
    }
    let group = |(names, channels): (Vec<String>, &str)| {
        let radios: Vec<String> = channels.split(", ").map(|it| format!("{{ channel = {it} }}")).collect();
        (!names.is_empty())
            .then(|| format!("{{ names = [{}], radio = [{}] }}", names.join(", "), radios.join(", ")))
    };
    let groups: Vec<String> = groups.into_iter().zip(RADIOS).filter_map(group).collect();
    with(case, "node", &format!("[{}]", groups.join(", ")))
}

/// What stations since 802.11a have, and values of it.
const MODERN: &[(&str, &[&str])] = &[
    ("mac.standard", &["802.11a", "802.11g", "802.11n", "802.11n", "802.11ac", "802.11ax"]),
    ("mac.slot-count", &["exact"]),
    ("air.reception", &["sinr", "ns2"]),
    ("mac.mcs", &["0", "3", "7", "9", "11"]),
    ("mac.data-rate", &["6 Mbps", "24 Mbps", "54 Mbps"]),
    ("mac.streams", &["1", "2", "4"]),
    ("mac.width", &["20 MHz", "40 MHz", "80 MHz", "160 MHz"]),
    ("mac.guard-interval", &["0.4 us", "0.8 us", "1.6 us", "3.2 us"]),
    ("mac.edca.on", &["true", "false"]),
    ("mac.edca.map", &["linux", "rfc8325", "ns3"]),
    ("mac.rate-control", &["fixed", "minstrel", "minstrel-ht", "arf", "snr", "ideal"]),
    ("mac.minstrel-ht.version", &["linux-2021", "ns3"]),
    ("mac.rts-threshold", &["0 B", "500 B", "3000 B"]),
    ("mac.aggregation.on", &["true", "true", "false"]),
    ("mac.aggregation.window", &["1", "2", "16", "64", "256"]),
    ("mac.aggregation.gives-up", &["retries", "lifetime", "never"]),
    ("mac.aggregation.retries", &["0", "2", "10"]),
    ("mac.aggregation.lifetime", &["5 ms", "500 ms"]),
    ("mac.aggregation.after-missed", &["retry", "request"]),
    ("mac.aggregation.spacing", &["0 us", "8 us"]),
    ("mac.aggregation.release-timer", &["0 s", "1 ms", "100 ms"]),
    ("mac.aggregation.amsdu-length", &["0 B", "3839 B", "7935 B"]),
    ("mac.aggregation.announces-requests", &["true", "false"]),
    ("mac.edca.protection", &["single", "multiple"]),
];
const CODEPOINTS: &[&str] = &["EF", "CS0", "CS1", "AF41", "CS6"];

/// The scenario, one in two times with stations of 802.11a and later, access categories, and a technique laid over it.
/// Draws of their own leave all else as it is.
fn modern(number: u64, mut case: Case) -> Case {
    let dice = &mut Dice::new(number, 3);
    if dice.one_in(2) {
        return case;
    }
    for (path, values) in MODERN {
        let value = *dice.of(values);
        if !dice.one_in(4) {
            case = with(case, path, value);
        }
    }
    let mut flow = 0;
    while case.resolve().flows.len() > flow {
        case = with(case, &format!("flow.{flow}.dscp"), dice.of::<&str>(CODEPOINTS));
        flow += 1;
    }
    let techniques = shipped(Kind::Techniques);
    let laid = case.clone().technique(dice.of(&techniques).0);
    if laid.try_resolve().is_ok() { laid } else { case }
}

/// The scenario, with something that the first radio of a group says of its channel, where it may. Draws of their own
/// leave all else as it is.
fn wide(number: u64, mut case: Case) -> Case {
    const SAID: [(&str, &[&str]); 3] = [
        ("width", &["20 MHz", "40 MHz", "80 MHz", "160 MHz"]),
        ("mcs", &["0", "3", "7", "9", "11"]),
        ("streams", &["1", "2", "4"]),
    ];
    let dice = &mut Dice::new(number, 4);
    for (key, values) in SAID {
        let value = *dice.of(values);
        if dice.one_in(2) {
            case = with(case, &format!("node.0.radio.0.{key}"), value);
        }
    }
    case
}

/// The scenario, one in two times with a node or group of an older amendment, where it may have one. Draws of their own
/// leave all else as it is.
fn mixed(number: u64, mut case: Case) -> Case {
    let dice = &mut Dice::new(number, 5);
    if dice.one_in(2) {
        return case;
    }
    for (path, values) in [
        ("mac.protection", &["auto", "none", "cts-to-self", "rts-cts"][..]),
        ("air.reception", &["sinr"]),
        ("mac.band", &["2.4 GHz", "5 GHz"]),
    ] {
        case = with(case, path, dice.of::<&str>(values));
    }
    let first = case.resolve().nodes[0].name.clone();
    for older in ["802.11a", "802.11g", "802.11b"] {
        if !dice.one_in(3) {
            let before = case.text();
            case = with(case, "node.0.mac.standard", older);
            if case.text() == before && case.resolve().config.node.is_empty() {
                case = with(
                    case,
                    "node",
                    &format!("[{{ names = [{first:?}], mac = {{ standard = \"{older}\" }} }}]"),
                );
            }
        }
    }
    case
}

/// The scenario with one key set, if it may be.
fn with(case: Case, path: &str, value: &str) -> Case {
    let changed = case.clone().set(path, value);
    if changed.try_resolve().is_ok() { changed } else { case }
}

/// Another value in the place of one.
fn another(dice: &mut Dice, keys: &Keys, path: &str, value: &Value) -> Option<String> {
    let key = path.rsplit('.').next().unwrap_or(path);
    let factor = *dice.of(&[0.0, 0.1, 0.5, 0.9, 1.1, 2.0, 10.0]);
    match value {
        Value::Bool(_) => Some(dice.one_in(2).to_string()),
        Value::Number(number) if number.is_u64() => {
            Some(((number.as_f64()? * factor) as u64).saturating_add(dice.below(3) as u64).to_string())
        }
        Value::Number(number) => Some(match number.as_f64()? {
            0.0 => dice.of(&["0.0", "1e-6", "1e-5", "0.01", "0.1"]).to_string(),
            number => (number * factor).to_string(),
        }),
        Value::String(text) => {
            if let Some((_, words)) =
                keys.words.iter().find(|(known, words)| known == key && words.contains(text))
            {
                return Some(dice.of(words).clone());
            }
            let (number, unit) = text.split_once(' ')?;
            let number: f64 = number.parse().ok()?;
            // Powers and frequencies decide which node hears which: a little only.
            let factor = if path.starts_with("air.") { 0.8 + 0.4 * dice.share() } else { factor };
            match (number, unit) {
                (0.0, "s" | "ms" | "us" | "ns") => {
                    Some(dice.of(&["1 ns", "500 ns", "1 us", "2 us"]).to_string())
                }
                _ if unit == "B" => Some(format!("{} B", (number * factor) as u64)),
                _ => Some(format!("{} {unit}", number * factor)),
            }
        }
        _ => None,
    }
}

/// Profile, topology, routing and flows.
fn skeleton(dice: &mut Dice) -> Case {
    let profiles = shipped(Kind::Profiles);
    let (profile, content) = *dice.of(&profiles);
    let spacing = *dice.of(&[50, 150, 200, 240]);
    let (topology, nodes) = match dice.below(7) {
        0 => {
            let hops = 1 + dice.below(6);
            (format!("kind = \"chain\"\nhops = {hops}\nspacing = \"{spacing} m\""), hops + 1)
        }
        1 => {
            let hops = 2 + 2 * dice.below(2);
            (format!("kind = \"cross\"\nhops = {hops}\nspacing = \"{spacing} m\""), 2 * hops + 1)
        }
        2 => {
            let (columns, rows) = (2 + dice.below(3), 1 + dice.below(3));
            (
                format!("kind = \"grid\"\ncolumns = {columns}\nrows = {rows}\nspacing = \"{spacing} m\""),
                columns * rows,
            )
        }
        3 => {
            let leaves = 1 + dice.below(6);
            (format!("kind = \"star\"\nleaves = {leaves}\nradius = \"{spacing} m\""), leaves + 1)
        }
        4 => moving(dice, spacing),
        5 => linked(dice),
        _ => {
            let (count, seed) = (3 + dice.below(8), dice.below(1000));
            let size = "width = \"500 m\"\nheight = \"400 m\"";
            (format!("kind = \"random\"\nnodes = {count}\n{size}\nseed = {seed}"), count)
        }
    };
    let (routing, seconds) = *dice.of(&[
        ("kind = \"dsdv\"\ndsdv = { period = \"1 s\", startup-jitter = \"200 ms\", settling = \"1 s\" }", 6),
        ("kind = \"aodv\"", 3),
        ("kind = \"aodv\"\naodv = { link-detection = \"both\", gratuitous = true, rrep-ack = true }", 3),
        ("kind = \"static\"", 3),
    ]);
    let mut text = format!(
        "profile = \"{profile}\"\n[run]\nduration = \"{seconds} s\"\nseed = {}\n[measure]\nwarm-up = \"{} ms\"\n\
         sample = \"{} ms\"\n[topology]\n{topology}\n[routing]\n{routing}\n",
        dice.below(1000),
        dice.below(3) * 500,
        dice.below(3) * 300,
    );
    for _ in 0..=dice.below(4) {
        text += &flow(dice, nodes);
    }
    if dice.one_in(2) {
        for _ in 0..=dice.below(4) {
            // Links have no places.
            let kinds = if topology.starts_with("kind = \"links\"") { 7 } else { 8 };
            // Events name rates of 802.11b.
            let mut it = event(dice, kinds, nodes, seconds);
            while it.contains("kind = \"rate\"") && content.contains("standard = \"802.11n\"") {
                it = event(dice, kinds, nodes, seconds);
            }
            text += &it;
        }
    }
    if dice.one_in(4) {
        text += "[energy]\ntransmit = \"1.4 W\"\nreceive = \"0.9 W\"\nidle = \"0.8 W\"\n";
        text += *dice.of(&["", "accounting = \"ns2\"\n"]);
        text += *dice.of(&["", "battery = \"3 J\"\n", "battery = \"100 mJ\"\n"]);
    }
    let case = Case::new(&text).set("mac.nav-doze", dice.one_in(8));
    if dice.one_in(3) {
        return case
            .set("queue.aqm", "red")
            .set("queue.red.min-threshold", *dice.of(&["0.0", "1.0", "3.0"]))
            .set("queue.red.max-threshold", *dice.of(&["4.0", "10.0"]))
            .set("queue.red.weight", *dice.of(&["0.002", "0.1", "1.0"]))
            .set("tcp.ecn", dice.one_in(2));
    }
    case
}

/// A row of nodes. Some go elsewhere.
fn moving(dice: &mut Dice, spacing: usize) -> (String, usize) {
    let count = 2 + dice.below(5);
    let nodes: Vec<String> = (0..count)
        .map(|node| {
            let mut at = 0;
            let way: Vec<String> = (0..if dice.one_in(2) { dice.below(4) } else { 0 })
                .map(|_| {
                    at += 1 + dice.below(2500);
                    format!(
                        "{{ at = \"{at} ms\", x = \"{} m\", y = \"{} m\" }}",
                        dice.below(900),
                        dice.below(400)
                    )
                })
                .collect();
            format!("{{ name = \"{node}\", x = \"{} m\", waypoint = [{}] }}", node * spacing, way.join(", "))
        })
        .collect();
    (format!("kind = \"explicit\"\nnode = [{}]", nodes.join(", ")), count)
}

/// A row of links by name, and some more.
fn linked(dice: &mut Dice) -> (String, usize) {
    let count = 2 + dice.below(5);
    let mut links: Vec<String> = (1..count)
        .map(|node| {
            let loss = *dice.of(&["0.0", "0.0", "0.05", "0.5"]);
            format!("{{ from = \"{}\", to = \"{node}\", loss = {loss} }}", node - 1)
        })
        .collect();
    for node in 2..count {
        if dice.one_in(3) {
            let what = *dice.of(&["sense-only = true", "one-way = true", "loss = 0.2"]);
            links.push(format!("{{ from = \"{}\", to = \"{node}\", {what} }}", node - 2));
        }
    }
    (format!("kind = \"links\"\nlink = [{}]", links.join(", ")), count)
}

/// Something that happens, to any node or link.
fn event(dice: &mut Dice, kinds: usize, nodes: usize, seconds: usize) -> String {
    let one = dice.below(nodes);
    let other = (one + 1 + dice.below(nodes - 1)) % nodes;
    let mut link = format!("from = \"{one}\"\nto = \"{other}\"\n");
    if dice.one_in(3) {
        link += "one-way = true\n";
    }
    let node = format!("node = \"{one}\"\n");
    let rate = *dice.of(&["1 Mbps", "2 Mbps", "5.5 Mbps", "11 Mbps"]);
    let what = match dice.below(kinds) {
        0 => format!("kind = \"node-down\"\n{node}"),
        1 => format!("kind = \"node-up\"\n{node}"),
        2 => format!("kind = \"link-down\"\n{link}"),
        3 => format!("kind = \"link-up\"\n{link}"),
        4 => format!("kind = \"link-loss\"\n{link}loss = {}\n", *dice.of(&["0.0", "0.1", "0.9", "1.0"])),
        5 => format!("kind = \"rate\"\n{node}rate = \"{rate}\"\n"),
        6 => format!("kind = \"rate\"\n{link}rate = \"{rate}\"\n"),
        _ => format!("kind = \"jam\"\nx = \"{} m\"\nradius = \"150 m\"\n", dice.below(900)),
    };
    format!("[[event]]\nat = \"{} ms\"\n{what}", dice.below(1000 * seconds))
}

fn flow(dice: &mut Dice, nodes: usize) -> String {
    let from = dice.below(nodes);
    let to = (from + 1 + dice.below(nodes - 1)) % nodes;
    let rate = *dice.of(&["20 kbps", "200 kbps", "1 Mbps", "3 Mbps"]);
    let packet = *dice.of(&[40, 200, 512, 1000, 1460]);
    let transport = *dice.of(&["tcp", "udp"]);
    let what = match dice.below(4) {
        0 => "kind = \"bulk\"".to_owned(),
        1 => format!("kind = \"file\"\nsize = \"{} B\"", 1 + dice.below(100_000)),
        2 => {
            format!("kind = \"cbr\"\nrate = \"{rate}\"\npacket = \"{packet} B\"\ntransport = \"{transport}\"")
        }
        _ => format!(
            "kind = \"on-off\"\nrate = \"{rate}\"\npacket = \"{packet} B\"\ntransport = \"{transport}\"\n\
             on = \"{} ms\"\noff = \"{} ms\"",
            10 + dice.below(500),
            10 + dice.below(500)
        ),
    };
    let stop =
        if dice.one_in(3) { format!("stop = \"{} ms\"\n", 2000 + dice.below(1000)) } else { String::new() };
    // Several that start at one instant are the hard case.
    let start = if dice.one_in(2) { 0 } else { dice.below(2000) };
    format!("[[flow]]\nfrom = \"{from}\"\nto = \"{to}\"\n{what}\nstart = \"{start} ms\"\n{stop}")
}
