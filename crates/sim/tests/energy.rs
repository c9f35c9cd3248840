//! Energy in the air: radios whose times are known in advance, and radios that doze.

mod common;

use common::{Case, Outcome, number};
use multihop_proto::mac::dcf::Dcf;
use multihop_proto::mac::{Action, CustomMac, Input, MacConfig, Sensed, Timer};
use multihop_proto::port::{Backlog, Cx, Sink};
use multihop_proto::units::{Dur, Entity, NodeId, Purpose, Rng, SimTime};
use multihop_sim::network::{Ended, Handle, Network, finish};
use proptest::prelude::*;

const STATES: [&str; 6] = ["transmit_s", "receive_s", "overhear_s", "idle_s", "doze_s", "down_s"];

/// Nanoseconds that a node spent in each of [`STATES`].
fn times(run: &Outcome, node: usize) -> [i64; 6] {
    STATES.map(|state| (1e9 * run.of_node(node, &format!("radio/{state}"))).round() as i64)
}

/// 0 sends datagrams to 1, without RTS; 2 decodes 1 and senses 0. The first second is not measured.
fn pair(sets: &[(&str, &str)]) -> Case {
    let case = Case::new(
        "profile = \"rfc\"\n[run]\nduration = \"11 s\"\n[measure]\nwarm-up = \"1 s\"\nsample = \"0 s\"\n[energy]\n\
         [topology]\nkind = \"chain\"\nhops = 2\nspacing = \"200 m\"\n\
         [mac]\nrts-threshold = \"65535 B\"\ndata-rate = \"2 Mbps\"\nbasic-rate = \"1 Mbps\"\npreamble = \"long\"\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"0\"\nto = \"1\"\nrate = \"80 kbps\"\npacket = \"1000 B\"\nstart = \"2 s\"\n\
         stop = \"10 s\"\n",
    );
    sets.iter().fold(case, |case, (path, value)| case.set(path, value))
}

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
        assert!(plain.json["energy_j"].is_null() && plain.json["nodes"][0]["energy_j"].is_null());
        for node in 0..5 {
            assert_eq!(times(&metered, node).iter().sum::<i64>(), 15_000_000_000);
            let sent = metered.of_node(node, "airtime_tx_s");
            assert!((metered.of_node(node, "radio/transmit_s") - sent).abs() < 1e-9);
        }
    }
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
    fn at(
        scenario: &multihop_sim::scenario::Resolved,
        node: u32,
        awake: Dur,
        asleep: Dur,
    ) -> Box<dyn CustomMac> {
        let MacConfig::Dcf(config) = &scenario.config.mac;
        let name = node.to_string();
        let rng = Rng::stream(1, 1, Entity::Node(&name), Purpose::Backoff);
        let dcf = Dcf::new(config.clone(), NodeId(node), rng);
        let (dozing, next, sequence) = (false, SimTime::MAX, SimTime::MAX);
        Box::new(Self { dcf, awake, asleep, dozing, next, sequence })
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

impl CustomMac for Sleeper {
    fn handle(&mut self, cx: &mut Cx<'_>, input: Input<'_>, _: &dyn Backlog, out: &mut dyn Sink<Action>) {
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
            self.dcf.handle(cx, input, &(), &mut Answers { out, sequence: &mut self.sequence });
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
        network.node_mut(NodeId(node)).link_mut().set_mac(mac);
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
        assert_eq!(lost("nobody there") + lost("contention (data)") + lost("contention (rts)"), 0.0);
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
