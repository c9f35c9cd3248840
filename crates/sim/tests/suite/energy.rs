//! Energy in the air: radios whose times are known in advance, and radios that doze.

use crate::common::{Case, Outcome, number, on_threads};
use multihop_proto::contract::{Backlog, Cx, Sink};
use multihop_proto::mac::dcf::Dcf;
use multihop_proto::mac::{Action, Input, Mac, MacConfig, Sensed, Timer};
use multihop_proto::units::{Dur, Entity, NodeId, Purpose, Rng, SimTime};
use multihop_sim::network::{Ended, Handle, Network, finish};
use multihop_sim::scenario::{Kind, shipped};
use proptest::prelude::*;

const STATES: [&str; 6] = ["transmit_s", "receive_s", "overhear_s", "idle_s", "doze_s", "down_s"];

/// Nanoseconds that a node spent in each of [`STATES`].
fn times(run: &Outcome, node: usize) -> [i64; 6] {
    STATES.map(|state| (1e9 * run.of_node(node, &format!("radio/{state}"))).round() as i64)
}

/// 0 sends datagrams to 1, without RTS; 2 decodes 1 and senses 0. The first second is not measured.
fn pair(sets: &[(&str, &str)]) -> Case {
    pair_and("", sets)
}

/// The same with more in its scenario.
fn pair_and(more: &str, sets: &[(&str, &str)]) -> Case {
    let text = format!("{PAIR}{more}");
    sets.iter().fold(Case::new(&text), |case, (path, value)| case.set(path, value))
}

const PAIR: &str = "profile = \"rfc\"\n[run]\nduration = \"11 s\"\n[measure]\nwarm-up = \"1 s\"\nsample = \"0 s\"\n[energy]\n\
         [topology]\nkind = \"chain\"\nhops = 2\nspacing = \"200 m\"\n\
         [mac]\nrts-threshold = \"65535 B\"\ndata-rate = \"2 Mbps\"\nbasic-rate = \"1 Mbps\"\npreamble = \"long\"\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"0\"\nto = \"1\"\nrate = \"80 kbps\"\npacket = \"1000 B\"\nstart = \"2 s\"\n\
         stop = \"10 s\"\n";

/// A frame of 1000 bytes of payload, 28 of UDP and IP, 8 of LLC and 28 of the MAC takes 192 us and 4 us a byte; an Ack
/// of 14 bytes 192 us and 8 us a byte.
#[test]
fn the_times_of_a_lone_sender_are_those_of_its_frames() {
    for sets in [
        &[][..],
        &[("air.reception", "ns2")],
        &[("air.propagation-delay", "1 us")],
        &[("air.reception", "ns2"), ("air.propagation-delay", "1 us")],
    ] {
        let run = pair(sets).run(1);
        let packets = number(&run.flows()[0]["delivered_bytes"]) as i64 / 1000;
        assert_eq!(packets, 80);
        let (data, ack) = (packets * (192_000 + 4_000 * 1064), packets * (192_000 + 8_000 * 14));
        let idle = 10_000_000_000 - data - ack;
        assert_eq!(times(&run, 0), [data, ack, 0, idle, 0, 0], "{sets:?}");
        assert_eq!(times(&run, 1), [ack, data, 0, idle, 0, 0], "{sets:?}");
        assert_eq!(times(&run, 2), [0, 0, data + ack, idle, 0, 0], "{sets:?}");
        let joules = 1e-9 * (1.425 * (data + ack) as f64 + 0.925 * (30_000_000_000 - data - ack) as f64);
        assert!((number(&run.json["energy_j"]) / joules - 1.0).abs() < 1e-9, "{sets:?}");
        let bits = (8000 * packets) as f64;
        assert!((number(&run.json["energy_per_bit_j"]) * bits / joules - 1.0).abs() < 1e-9, "{sets:?}");
    }
}

#[test]
fn a_meter_changes_nothing_and_agrees_with_the_mac() {
    for reception in ["ns2", "sinr"] {
        let plain = Case::chain(4)
            .set("run.duration", "20 s")
            .set("measure.warm-up", "5 s")
            .set("air.reception", reception);
        let plain = plain.set("flow.0.start", "0 s");
        let metered = plain.clone().set("energy.idle", "0 W").run(1);
        let plain = plain.run(1);
        assert_eq!(plain.fingerprint(), metered.fingerprint());
        assert!(plain.json["nodes"][0]["radio"]["transmit_s"].is_null());
        for node in 0..5 {
            assert_eq!(times(&metered, node).iter().sum::<i64>(), 15_000_000_000);
            let sent = metered.of_node(node, "airtime_tx_s");
            assert!((metered.of_node(node, "radio/transmit_s") - sent).abs() < 1e-9);
        }
    }
}

/// What is drawn is known without a section `[energy]`, and is then what a meter with its defaults says, whatever
/// happens to the nodes: of every shipped scenario that has none, of nodes that go down while they send, that doze.
#[test]
fn without_a_meter_a_default_card_draws_what_the_meter_says() {
    let bare = |(_, text): &&(&str, &str)| !text.contains("[energy]");
    let mut cases: Vec<(String, Case)> = shipped(Kind::Scenarios)
        .iter()
        .filter(bare)
        .map(|(name, text)| {
            let case = Case::new(text).set("measure.window", "[]").set("run.duration", "22 s");
            ((*name).to_owned(), case.set("measure.warm-up", "10.0007 s"))
        })
        .filter(|(_, case)| case.try_resolve().is_ok()) // not those in which something happens later
        .collect();
    let down = "[[event]]\nat = \"3.0011 s\"\nkind = \"node-down\"\nnode = \"0\"\n\
                [[event]]\nat = \"5 s\"\nkind = \"node-up\"\nnode = \"0\"\n\
                [[event]]\nat = \"5.5023 s\"\nkind = \"node-down\"\nnode = \"1\"\n";
    let doze = [("mac.nav-doze", "true"), ("mac.rts-threshold", "0 B")];
    for (name, more, sets) in [
        ("down", down, &[][..]),
        ("down, delay", down, &[("air.propagation-delay", "2 us")]),
        ("doze", "", &doze),
        ("doze and down", down, &doze),
    ] {
        let case = Case::new(&format!("{PAIR}{more}").replace("[energy]\n", "")).set("flow.0.rate", "4 Mbps");
        cases.push((name.to_owned(), sets.iter().fold(case, |case, (path, value)| case.set(path, value))));
    }
    on_threads(cases, |(name, case)| {
        let runs = [case.run(1), case.set("energy.card", "orinoco").run(1)];
        assert_eq!(runs[0].fingerprint(), runs[1].fingerprint(), "{name}");
        let [bare, metered] = [0, 1].map(|run: usize| number(&runs[run].json["energy_j"]));
        assert!(bare > 0.0 && (bare / metered - 1.0).abs() < 1e-9, "{name}: {bare} {metered}");
        for node in 0..runs[0].list("nodes").len() {
            let [bare, metered] = [0, 1].map(|run: usize| runs[run].of_node(node, "energy_j"));
            assert!((bare - metered).abs() <= 1e-9 * metered, "{name}, node {node}: {bare} {metered}");
        }
    });
}

/// Joules of each of three nodes.
fn joules(run: &Outcome) -> [f64; 3] {
    [0, 1, 2].map(|node| run.of_node(node, "energy_j"))
}

fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
}

/// The same times, at the powers of another card, and at powers of one's own.
#[test]
fn a_card_is_a_set_of_powers_and_single_ones_can_differ() {
    let run = pair(&[]).run(1);
    let energy = |sets: &[(&str, &str)]| joules(&pair(sets).run(1));
    let of = |node: usize, powers: [f64; 5]| -> f64 {
        times(&run, node).iter().zip(powers).map(|(&ns, watts)| 1e-9 * ns as f64 * watts).sum()
    };
    for node in 0..3 {
        near(energy(&[])[node], of(node, [1.425, 0.925, 0.925, 0.925, 0.045]));
        near(energy(&[("energy.card", "ns2")])[node], of(node, [0.660, 0.395, 0.395, 0.0, 0.0]));
        let mixed = [("energy.card", "ns2"), ("energy.receive", "0.5 W"), ("energy.idle", "100 mW")];
        near(energy(&mixed)[node], of(node, [0.660, 0.5, 0.5, 0.1, 0.0]));
    }
}

/// ns-2's rules on a lone sender: nothing overlaps, so frames cost what they cost by the clock. Idle time is charged
/// from the end of one frame to the next, and at both ends of the measured time, so that none of the warm-up's falls
/// into it.
#[test]
fn by_ns2s_rules_frames_cost_the_same_and_so_does_idle_time_of_the_measured_time() {
    let clock = pair(&[]).run(1);
    let charged = pair(&[("energy.accounting", "ns2")]).run(1);
    for node in 0..3 {
        assert_eq!(times(&clock, node), times(&charged, node));
    }
}

/// Two that do not hear each other send to the one between them: where their frames overlap, it pays once.
#[test]
fn by_ns2s_rules_what_overlaps_is_paid_once() {
    let case = Case::new(
        "profile = \"ns2\"\n[run]\nduration = \"20 s\"\n[measure]\nsample = \"0 s\"\n[energy]\nidle = \"0 W\"\n\
         [topology]\nkind = \"chain\"\nhops = 2\nspacing = \"200 m\"\n[air]\npropagation = \"disk\"\nrange = \"250 m\"\n\
         sense-range = \"250 m\"\ninterference-range = \"250 m\"\n[mac]\nrts-threshold = \"65535 B\"\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"0\"\nto = \"1\"\nrate = \"2 Mbps\"\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"2\"\nto = \"1\"\nrate = \"2 Mbps\"\n",
    );
    let clock = case.run(1);
    let charged = case.clone().set("energy.accounting", "ns2").run(1);
    assert_eq!(clock.fingerprint(), charged.fingerprint());
    // The ends hear nothing but the one between them. It hears both, and by either rule pays for a time once; what it
    // sends (an Ack) while it hears another frame costs less by ns-2's, and what it hears by so much more.
    let (clock, charged) = (times(&clock, 1), times(&charged, 1));
    let heard = |times: [i64; 6]| times[1] + times[2];
    assert!(charged[0] < clock[0], "{charged:?} {clock:?}");
    assert!(heard(charged) > heard(clock));
    let all = |times: [i64; 6]| times[0] + heard(times);
    assert!(
        (all(charged) - all(clock)).abs() < 10_000_000,
        "but for the frame that is on the air at the end"
    );
}

#[test]
fn a_node_that_has_spent_its_battery_is_down_for_good() {
    let small = [
        ("energy.battery", "4 J"),
        ("energy.idle", "0.5 W"),
        ("run.duration", "20 s"),
        ("flow.0.stop", "20 s"),
    ];
    let run = pair(&small).run(1);
    for node in 0..3 {
        let spent = run.of_node(node, "battery_spent_s");
        let energy = run.of_node(node, "energy_j") + 0.5 * 1.0; // the first second is not measured
        assert!((energy - 4.0).abs() < 1.425e-3, "{energy} J of node {node}");
        let up: f64 = STATES[..5].iter().map(|state| run.of_node(node, &format!("radio/{state}"))).sum();
        assert!((up + 1.0 - spent).abs() < 1e-3 && spent < 8.0, "{node}: {up} {spent}");
    }
    let first = (0..3).map(|node| run.of_node(node, "battery_spent_s")).fold(f64::INFINITY, f64::min);
    assert!((number(&run.json["first_battery_spent_s"]) - first).abs() < 1e-9);
    // An event cannot bring it back.
    let event = "[[event]]\nat = \"15 s\"\nkind = \"node-up\"\nnode = \"0\"\n";
    let again = pair_and(event, &small).run(1);
    assert_eq!(times(&again, 0), times(&run, 0));
    // One that has enough stays up, and one without a battery has no such time.
    let enough = pair(&[("energy.battery", "100 J")]).run(1);
    let without = pair(&[]).run(1);
    assert_eq!(enough.fingerprint(), without.fingerprint());
    assert!(
        enough.json["first_battery_spent_s"].is_null()
            && without.json["nodes"][0]["battery_spent_s"].is_null()
    );
}

/// Third parties sleep through the exchange of others, and it costs the two nothing.
#[test]
fn who_overhears_a_reservation_dozes_through_it_and_saves_energy() {
    let rts = [("mac.rts-threshold", "0 B"), ("energy.idle", "0 W")];
    let awake = pair(&rts).run(1);
    let asleep = pair(&rts).set("mac.nav-doze", "true").run(1);
    let delivered = |run: &Outcome| number(&run.flows()[0]["delivered_bytes"]);
    assert_eq!(delivered(&awake), delivered(&asleep));
    let naps = asleep.json["counters"]["mac.nav-dozes"].as_u64().expect("a counter");
    assert!(naps >= 80, "{naps}");
    // 2 decodes the RTS or the CTS of 1 and hears no more of the exchange, but for what waking costs.
    let (before, after) = (times(&awake, 2), times(&asleep, 2));
    assert!(after[4] > 0 && after[2] < before[2] / 2, "{before:?} {after:?}");
    assert!(joules(&asleep)[2] < 0.5 * joules(&awake)[2]);
    assert_eq!(times(&asleep, 1)[4], 0, "a party to the exchange stays awake");
}

/// A DCF whose radio dozes now and then, in the middle of whatever it does.
#[derive(Debug)]
struct Sleeper {
    dcf: Dcf,
    /// How long it stays awake, and asleep, from when it first hears anything.
    awake: Dur,
    asleep: Dur,
    dozing: bool,
    next: SimTime,
    /// What the DCF's sequence timer stands for.
    sequence: SimTime,
}

impl Sleeper {
    fn at(scenario: &multihop_sim::scenario::Resolved, node: u32, awake: Dur, asleep: Dur) -> Self {
        let MacConfig::Dcf(config) = &scenario.config.mac else { panic!("not the DCF") };
        let name = node.to_string();
        let rng = Rng::stream(1, 1, Entity::Node(&name), Purpose::Backoff);
        let dcf = Dcf::new(config.clone(), NodeId(node), rng);
        let (dozing, next, sequence) = (false, SimTime::MAX, SimTime::MAX);
        Self { dcf, awake, asleep, dozing, next, sequence }
    }
}

/// Takes the DCF's answers, and notes for when its sequence timer is armed.
struct Answers<'a> {
    out: &'a mut dyn Sink<Action>,
    sequence: &'a mut SimTime,
}

impl Sink<Action> for Answers<'_> {
    fn put(&mut self, action: Action) {
        match action {
            Action::Arm(Timer::Sequence, at) => *self.sequence = at,
            other => self.out.put(other),
        }
    }
}

impl Mac for Sleeper {
    fn handle<B: Backlog, S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input<'_>, _: &B, mut out: S) {
        let now = cx.now;
        if self.next == SimTime::MAX {
            self.next = now + self.awake;
        }
        if self.next <= now {
            self.dozing = !self.dozing;
            self.next = now + if self.dozing { self.asleep } else { self.awake };
            out.put(Action::Doze(self.dozing));
        }
        let sequence = matches!(input, Input::Timer(Timer::Sequence));
        if !sequence || self.sequence <= now {
            if sequence {
                self.sequence = SimTime::MAX;
            }
            self.dcf.handle(cx, input, &(), Answers { out: &mut out, sequence: &mut self.sequence });
        }
        out.put(Action::Arm(Timer::Sequence, self.sequence.min(self.next)));
    }

    fn sense(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime> {
        self.dcf.sense(now, sensed)
    }

    fn wants_frame(&self) -> bool {
        self.dcf.wants_frame()
    }
}

/// A run in which some nodes doze: awake and asleep [us].
fn with_sleepers(case: &Case, sleepers: &[(u32, u64, u64)]) -> Outcome {
    let scenario = case.resolve();
    let mut network = Network::new(&scenario, 1);
    for &(node, awake, asleep) in sleepers {
        let mac = Sleeper::at(&scenario, node, Dur::from_us(awake), Dur::from_us(asleep));
        network.node_mut(NodeId(node)).links_mut().link_mut().set_mac(mac);
    }
    match finish(network, &scenario, 1, &Handle::default()) {
        Ok(Ended::Done(output)) => {
            let json = serde_json::from_str(&output.json).expect("the output is JSON");
            Outcome { json, series: output.series }
        }
        other => panic!("{other:?}"),
    }
}

/// The receiver sleeps three quarters of the time: what is for it then is lost, for a reason of its own.
#[test]
fn a_dozing_radio_hears_nothing_and_its_neighbours_learn_why() {
    for reception in ["ns2", "sinr"] {
        let case = pair(&[("flow.0.rate", "400 kbps"), ("air.reception", reception)]);
        let run = with_sleepers(&case, &[(1, 100_000, 300_000)]);
        let dozing = run.of_node(0, "attempt_failures/dozing");
        assert!(dozing > 300.0, "{reception}: {dozing}");
        let drops = run.list("drops");
        let lost = |cause: &str| -> f64 {
            drops.iter().filter(|drop| drop["cause"] == cause).map(|drop| number(&drop["n"])).sum()
        };
        assert!(lost("neighbour dozing") > 50.0, "{reception}: {drops:?}");
        assert_eq!(lost("neighbour absent") + lost("contention (data)") + lost("contention (rts)"), 0.0);
        let energy = times(&run, 1);
        assert_eq!(energy.iter().sum::<i64>(), 10_000_000_000);
        // It begins with the first frame, 2 s after the start, and goes on to the end, at 11 s.
        let asleep = energy[4] as f64 / 1e9;
        assert!((asleep - 0.75 * 9.0).abs() < 0.3, "{reception}: {asleep}");
        assert!(run.over_flows("delivered_bytes") > 0.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Radios that doze at any time, in nodes that go down and come back: no panic, the ledger balances (the run checks
    /// it), the times of each radio sum to the span, and a run is the same again.
    #[test]
    fn anyone_may_doze_at_any_time(
        sleepers in prop::collection::vec((500..50_000_u64, 200..50_000_u64), 4),
        downs in prop::collection::vec((0..3000_u32, 0..4_u32, any::<bool>()), 0..6),
        reception in prop::sample::select(vec!["ns2", "sinr"]),
        delay in prop::sample::select(vec!["0 us", "1 us"]),
    ) {
        let events: String = downs
            .iter()
            .map(|(at, node, up)| {
                let kind = if *up { "node-up" } else { "node-down" };
                format!("[[event]]\nat = \"{at} ms\"\nkind = \"{kind}\"\nnode = \"{node}\"\n")
            })
            .collect();
        let case = Case::new(&format!(
            "profile = \"ns2\"\n[run]\nduration = \"3 s\"\n[air]\nreception = \"{reception}\"\npropagation-delay = \"{delay}\"\n\
             [energy]\n[topology]\nkind = \"chain\"\nhops = 3\n[[flow]]\nfrom = \"0\"\nto = \"3\"\n\
             [[flow]]\nkind = \"cbr\"\nfrom = \"2\"\nto = \"1\"\nrate = \"400 kbps\"\n{events}"
        ));
        let sleepers: Vec<(u32, u64, u64)> =
            sleepers.iter().zip(0..).map(|(&(awake, asleep), node)| (node, awake, asleep)).collect();
        let (run, again) = (with_sleepers(&case, &sleepers), with_sleepers(&case, &sleepers));
        prop_assert_eq!(&run.json, &again.json);
        for node in 0..4 {
            prop_assert_eq!(times(&run, node).iter().sum::<i64>(), 3_000_000_000);
        }
    }
}
