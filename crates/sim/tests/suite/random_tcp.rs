//! Rules of TCP, queues and shims laid over each other at random, over a wire and over three hops: no panic, the ledger
//! balances, the same twice, no sender with data and nothing armed, and a clean wire is used.

use crate::common::drawn::{self, Dice};
use crate::common::{Case, Outcome};
use multihop_proto::contract::Phase;
use multihop_proto::endpoint::Transport;
use multihop_proto::units::SimTime;
use multihop_sim::network::{Handle, Network, finish};

/// Values of a setting. One is drawn.
const SETTINGS: &[(&str, &[&str])] = &[
    ("tcp.window", &["tahoe", "reno", "newreno", "cubic", "bbr", "bbr-draft", "westwood", "vegas", "veno"]),
    ("tcp.slow-start", &["standard", "hystart", "hystart++"]),
    ("tcp.cubic.rules", &["rfc9438", "linux"]),
    ("tcp.recovery", &["pipe", "prr"]),
    ("tcp.pace.rule", &["off", "window"]),
    ("tcp.rto-restart", &["new-ack", "sack"]),
    ("tcp.rto-ssthresh", &["first", "outside-recovery", "every"]),
    ("tcp.limited-transmit", &["off", "rfc3042", "ns2"]),
    ("tcp.handshake", &["none", "syn", "ns2"]),
    ("tcp.ecn-rule", &["rfc3168", "ns2"]),
    ("tcp.gate", &["open", "interface-queue"]),
    ("queue.service", &["fifo", "drr", "fq", "airtime"]),
    ("queue.aqm", &["tail", "codel", "pie"]),
];
/// Those of switches.
const SWITCHES: &[&str] = &[
    "tcp.whole-window",
    "tcp.tail-probe.on",
    "tcp.dsack",
    "tcp.timestamps",
    "tcp.window-scaling",
    "tcp.receiver.autotune",
    "tcp.receiver.adaptive-acks",
];
/// What stands between the ends and the network, over radio.
const SHIMS: &[&str] = &[
    "none",
    "none",
    "none",
    "elfn:interval=200 ms",
    "atcp",
    "tcp-f",
    "ebsn",
    "freeze-tcp",
    "snoop:middle",
    "snoop-eln",
    "eln",
    "i-tcp",
    "split-tcp:2",
];
/// Those of them that go by marks of RFC 3168, or know of none.
const CLASSIC: &[&str] = &["atcp", "split-tcp:2"];
/// Values of `tcp.ecn`, those of RFC 3168 first.
const ECN: &[&str] = &["false", "true", "\"accurate\""];

/// A scenario, and the least goodput \[b/s\] that is to be expected.
struct Drawn {
    case: Case,
    least: f64,
}

fn scenario(number: u64) -> Drawn {
    let dice = &mut Dice::new(number, 2);
    let (wired, queue, loss) = (dice.below(3) > 0, 2 + dice.below(60), *dice.of(&[0.0, 0.0, 0.01, 0.1]));
    let hops = if wired { 1 } else { 3 };
    let spacing = if wired { "10 km" } else { "200 m" };
    let mut text = format!(
        "profile = \"rfc\"\nrun.duration = \"12 s\"\nmeasure = {{ sample = \"0 s\", warm-up = \"0 s\" }}\n\
         topology = {{ kind = \"chain\", hops = {hops}, spacing = \"{spacing}\" }}\n"
    );
    if wired {
        let (rate, delay) = (dice.of(&[1, 5]), dice.of(&[5, 60]));
        text += &format!(
            "[[wire]]\nfrom = 0\nto = 1\nrate = \"{rate} Mbps\"\ndelay = \"{delay} ms\"\nqueue = {queue}\nloss = {loss}\n"
        );
    }
    for _ in 0..=dice.below(2) {
        text += &format!("[[flow]]\nkind = \"bulk\"\nfrom = 0\nto = {hops}\n");
    }
    let shim = if wired { "none" } else { *dice.of::<&str>(SHIMS) };
    if !wired && dice.below(2) == 0 {
        text += "[[event]]\nat = \"3 s\"\nkind = \"link-down\"\nfrom = 1\nto = 2\n\
                 [[event]]\nat = \"6 s\"\nkind = \"link-up\"\nfrom = 1\nto = 2\n";
    }
    let mut case = Case::new(&text).technique(shim).set("tcp.loss", "\"sack\"");
    for (key, values) in SETTINGS {
        case = case.set(key, format!("\"{}\"", dice.of(values)));
    }
    let modes = if CLASSIC.contains(&shim) { &ECN[..2] } else { ECN };
    case = case.set("tcp.ecn", dice.of(modes));
    for key in SWITCHES {
        case = case.set(key, dice.below(2) == 0);
    }
    case = judged(case, dice);
    // Without the guard a recovery may follow a timeout at once and wait for the next one: such a sender may be slow.
    let careful = dice.below(2) == 0;
    case = case
        .set("tcp.careful", careful)
        .set("tcp.initial-window", 1 + dice.below(10))
        .set("tcp.byte-counting", *dice.of(&[1, 2, 1000]))
        .set("tcp.ack-every", 1 + dice.below(3))
        .set("tcp.quick-acks", *dice.of(&[0, 0, 50]));
    let clean = wired && careful && loss == 0.0 && queue >= 10;
    Drawn { case, least: if clean { 100e3 } else { 0.0 } }
}

/// A loss detector, and what stands only with it.
fn judged(case: Case, dice: &mut Dice) -> Case {
    let judge = *dice.of(&["standard", "rack", "dcr", "k-sack"]);
    let racks = judge == "rack";
    let (undo, samples) = (dice.below(2) == 0, *dice.of(&["one", "every", "sacked"]));
    let samples = if racks { samples } else { "one" };
    let rule = if racks { "rfc6675" } else { *dice.of(&["rfc6675", "rfc6675", "ns2", "fack"]) };
    case.set("tcp.judge", format!("\"{judge}\""))
        .set("tcp.sack-rule", format!("\"{rule}\""))
        .set("tcp.keep-sacked", rule != "ns2" && dice.below(2) == 0)
        .set("tcp.rtt-samples", format!("\"{samples}\""))
        .set("tcp.undo", undo)
        .set("tcp.frto", racks && undo && dice.below(2) == 0)
        .set("tcp.count-sacked", racks && dice.below(2) == 0)
}

/// Looks in a row at which a sender had everything acknowledged, by its place among the ends: a bulk transfer has more
/// to send, and no pace is so slow.
type Idle = Vec<(u64, u32)>;
const PATIENCE: u32 = 20;

/// A sender that nothing will ever wake, if there is one.
fn stalled(network: &Network, idle: &mut Idle) -> Option<String> {
    let now = network.now();
    let ends = network.nodes().iter().flat_map(|node| node.hosts().all());
    let views: Vec<_> = ends.filter_map(|end| end.kind.view()).collect();
    idle.resize(views.len(), (0, 0));
    views.iter().zip(idle).find_map(|(view, (una, looks))| {
        let sends = matches!(view.phase, Phase::Open | Phase::Recovery) && !view.frozen;
        let off = view.timer == SimTime::MAX || view.timer < now;
        let waits = sends && view.una == view.max_sent && view.timer == SimTime::MAX && view.una == *una;
        (*una, *looks) = (view.una, if waits { *looks + 1 } else { 0 });
        let flow = view.flow;
        if sends && view.una < view.max_sent && off {
            return Some(format!("{now}: flow {flow:?} has data outstanding and no timer"));
        }
        (*looks >= PATIENCE)
            .then(|| format!("{now}: flow {flow:?} sends nothing, though all is acknowledged"))
    })
}

/// A run that is looked at five times a second.
fn watched(drawn: &Drawn) -> (Outcome, Option<String>) {
    let scenario = drawn.case.resolve();
    let mut network = Network::new(&scenario, 1);
    let (mut wrong, mut idle) = (None, Idle::new());
    for step in 1..=60 {
        network.advance(SimTime::from_ns(step * 200_000_000));
        wrong = wrong.or_else(|| stalled(&network, &mut idle));
    }
    let outcome = Outcome::of(finish(network, &scenario, 1, &Handle::default()));
    let goodput = outcome.goodput();
    let slow = (goodput < drawn.least).then(|| format!("{goodput} b/s over a clean wire"));
    (outcome, wrong.or(slow))
}

#[test]
fn any_tcp_over_any_queue_balances_repeats_itself_and_never_stalls() {
    drawn::all(60, |number| {
        let drawn = scenario(number);
        drawn::twice(number, &drawn.case, || watched(&drawn))
    });
}
