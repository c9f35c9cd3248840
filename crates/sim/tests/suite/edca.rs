//! Access categories: what each gets of one hop is a sum of times, voice passes bulk data over several hops, and the
//! books balance whatever happens to the stations.

use crate::common::drawn::Dice;
use crate::common::{Case, Outcome, number};

/// A chain of 802.11n; `more` are the flows and what happens.
fn network(hops: u32, more: &str) -> Case {
    Case::new(&format!(
        "profile = \"rfc\"\n[run]\nduration = \"3 s\"\n[measure]\nsample = \"0 s\"\nwarm-up = \"1 s\"\n\
         [topology]\nkind = \"chain\"\nhops = {hops}\nspacing = \"10 m\"\n[queue]\nlimit = 200\n\
         [mac]\nstandard = \"802.11n\"\nedca.on = true\nedca.map = \"rfc8325\"\n{more}"
    ))
}

fn cbr(to: u32, dscp: &str, rate: &str, packet: u32) -> String {
    format!(
        "[[flow]]\nkind = \"cbr\"\nfrom = \"0\"\nto = \"{to}\"\nrate = \"{rate}\"\npacket = \"{packet} B\"\n\
         dscp = \"{dscp}\"\n"
    )
}

fn counter(outcome: &Outcome, name: &str) -> f64 {
    outcome.json["counters"].get(name).map_or(0.0, number)
}

/// A block ack takes 32 us at 24 Mb/s, an ACK 28; AIFS and the mean back-off go before each transmit opportunity.
#[test]
fn each_category_gets_its_sum_of_times() {
    let aggregate = |mpdus: f64| {
        let bits = ((mpdus - 1.0) * 1544.0 + 1542.0) * 8.0 + 22.0;
        36.0 + 4.0 * (bits / 260.0).ceil() + 16.0 + 32.0
    };
    let single = 228.0 + 16.0 + 28.0;
    for (dscp, sets, packets, cycle_us) in [
        ("CS0", &[][..], 12.0, 43.0 + 7.5 * 9.0 + aggregate(12.0)),
        ("CS1", &[], 12.0, 79.0 + 7.5 * 9.0 + aggregate(12.0)),
        ("AF41", &[], 20.0, 34.0 + 3.5 * 9.0 + aggregate(20.0)),
        ("EF", &[], 7.0, 34.0 + 1.5 * 9.0 + 7.0 * single + 6.0 * 16.0),
        ("EF", &[("mac.edca.voice.txop", "0 s")], 1.0, 34.0 + 1.5 * 9.0 + single),
        ("CS0", &[("mac.edca.best-effort.txop", "0 s")], 28.0, 43.0 + 7.5 * 9.0 + aggregate(28.0)),
        ("CS0", &[("mac.aggregation.on", "false")], 8.0, 43.0 + 7.5 * 9.0 + 8.0 * single + 7.0 * 16.0),
    ] {
        let plain = network(1, &cbr(1, dscp, "100 Mbps", 1472));
        let case = sets.iter().fold(plain, |case, (key, value)| case.set(key, value));
        let expected = packets * 1472.0 * 8.0 / (cycle_us * 1e-6);
        let goodput = case.run(1).goodput();
        assert!((goodput / expected - 1.0).abs() < 0.005, "{dscp} {sets:?}: {goodput} {expected}");
    }
}

/// Voice over three hops beside bulk data: in a queue of its own it does not wait behind them.
#[test]
fn voice_passes_bulk_data() {
    let bulk = "[[flow]]\nkind = \"bulk\"\nfrom = \"0\"\nto = \"3\"\n";
    let case = network(3, &format!("{bulk}{}", cbr(3, "EF", "64 kbps", 160)));
    let [with, without] = ["true", "false"].map(|on| case.clone().set("mac.edca.on", on).run(1));
    let delay = |run: &Outcome| number(&run.flows()[1]["delay_mean_s"]);
    assert!(delay(&with) < 0.25 * delay(&without), "{} {}", delay(&with), delay(&without));
    assert!(number(&with.flows()[0]["goodput_bps"]) > 1e6);
    assert!(counter(&with, "mac.internal-collisions") > 0.0, "both wait in the source");
    assert_eq!(without.json["counters"].get("mac.internal-collisions"), None);
}

/// Transmissions of video for one of best effort, and internal collisions for one, when both of one station always have
/// a frame. In a round each has counted its back-off down, best effort a slot later, as its AIFS is a slot longer. The
/// category that waits counts the slot in which the other begins, too (802.11-2020 10.23.2.4).
fn shares_of_one_station(rounds: u32) -> [f64; 2] {
    let dice = &mut Dice::new(1, 0);
    let mut draw = |window: usize| dice.below(window + 1);
    let (mut video, mut best_effort, mut window, mut failed) = (draw(7), draw(15), 15, 0);
    let [mut of_video, mut of_best_effort, mut collisions] = [0.0; 3];
    for _ in 0..rounds {
        if video <= best_effort + 1 {
            of_video += 1.0;
            if video <= best_effort {
                best_effort -= video;
            } else {
                collisions += 1.0;
                failed = (failed + 1) % 7;
                window = if failed == 0 { 15 } else { 2 * window + 1 };
                best_effort = draw(window);
            }
            video = draw(7);
        } else {
            of_best_effort += 1.0;
            video -= best_effort + 2;
            (window, failed) = (15, 0);
            best_effort = draw(window);
        }
    }
    [of_video, collisions].map(|count| count / of_best_effort)
}

/// Two flows of one station that fill the medium, one frame an exchange: video sends five frames for one of best
/// effort.
#[test]
fn a_higher_category_goes_first() {
    let flows = [cbr(1, "AF41", "40 Mbps", 1472), cbr(1, "CS0", "40 Mbps", 1472)].concat();
    let one_frame = ["mac.edca.video.txop", "mac.edca.best-effort.txop"];
    let case = one_frame.iter().fold(network(1, &flows), |case, key| case.set(key, "0 s"));
    let outcome = case.set("mac.aggregation.on", "false").set("run.duration", "31 s").run(1);
    let [video, best_effort] = [0, 1].map(|flow| number(&outcome.flows()[flow]["goodput_bps"]));
    let [ratio, collisions] = shares_of_one_station(1_000_000);
    assert!((video / best_effort / ratio - 1.0).abs() < 0.03, "{video} {best_effort} {ratio}");
    let frames = best_effort * 30.0 / (1472.0 * 8.0);
    let counted = counter(&outcome, "mac.internal-collisions") / frames;
    assert!((counted / collisions - 1.0).abs() < 0.05, "{counted} {collisions}");
}

/// Where stations have no categories a DSCP changes nothing but captures.
#[test]
fn without_categories_a_dscp_means_nothing() {
    let flows = |dscp| [cbr(2, dscp, "3 Mbps", 500), cbr(2, "CS0", "30 Mbps", 1472)].concat();
    let [plain, marked] =
        ["CS0", "EF"].map(|dscp| network(2, &flows(dscp)).set("mac.edca.on", "false").run(1));
    assert_eq!(plain.fingerprint(), marked.fingerprint());
}

/// Routing messages are voice by their DSCP, or best effort.
#[test]
fn routing_messages_have_a_category() {
    let flows = cbr(3, "CS0", "60 Mbps", 1472);
    let [first, behind] = ["CS6", "CS0"].map(|dscp| {
        let case = network(3, &flows).set("routing.kind", "dsdv").set("mac.edca.routing-dscp", dscp);
        case.run(1).fingerprint()
    });
    assert_ne!(first, behind);
}

/// Stations go and come back, links lose frames, all categories run both ways over relays: every packet has one end.
/// The ledger is checked in each run.
#[test]
fn the_books_balance_with_categories() {
    let flows = "[[flow]]\nkind = \"bulk\"\nfrom = \"0\"\nto = \"3\"\n\
                 [[flow]]\nkind = \"bulk\"\nfrom = \"3\"\nto = \"0\"\ndscp = \"AF41\"\n\
                 [[flow]]\nkind = \"cbr\"\nfrom = \"3\"\nto = \"0\"\nrate = \"2 Mbps\"\npacket = \"300 B\"\ndscp = \"EF\"\n\
                 [[flow]]\nkind = \"cbr\"\nfrom = \"0\"\nto = \"2\"\nrate = \"2 Mbps\"\npacket = \"900 B\"\ndscp = \"CS1\"\n\
                 [[flow]]\nkind = \"cbr\"\nfrom = \"1\"\nto = \"3\"\nrate = \"1 Mbps\"\npacket = \"900 B\"\ndscp = 18\n\
                 [[event]]\nkind = \"node-down\"\nnode = \"1\"\nat = \"1.2 s\"\n\
                 [[event]]\nkind = \"node-up\"\nnode = \"1\"\nat = \"1.5 s\"\n\
                 [[event]]\nkind = \"link-loss\"\nfrom = \"2\"\nto = \"3\"\nloss = 0.5\nat = \"1.8 s\"\n\
                 [[event]]\nkind = \"node-down\"\nnode = \"2\"\nat = \"2.2 s\"\n\
                 [[event]]\nkind = \"node-up\"\nnode = \"2\"\nat = \"2.3 s\"\n";
    let plain = network(3, flows).set("air.packet-error-rate", 0.1);
    for sets in [
        &[][..],
        &[("mac.edca.map", "linux"), ("mac.aggregation.on", "false")],
        &[("queue.on-give-up", "keep")],
        &[("queue.service", "drr"), ("queue.class-by", "flow")],
        &[("queue.service", "fq"), ("queue.aqm", "codel"), ("queue.limit", "20")],
        &[("queue.aqm", "pie"), ("queue.aqm-by", "class")],
        &[("mac.aggregation.after-missed", "request"), ("mac.aggregation.gives-up", "never")],
        &[("mac.aggregation.gives-up", "lifetime"), ("mac.aggregation.lifetime", "20 ms")],
        &[("mac.edca.voice.aggregate", "true"), ("mac.edca.video.txop", "0 s")],
        &[
            ("mac.immediate-access", "if-idle"),
            ("mac.response-timeout", "start"),
            ("mac.rts-threshold", "500 B"),
        ],
        &[("mac.immediate-access", "defer"), ("mac.nav-doze", "true"), ("mac.rts-threshold", "0 B")],
        &[
            ("mac.immediate-access", "never"),
            ("mac.retry-count", "per-frame"),
            ("mac.window-after-give-up", "keep"),
        ],
        &[("routing.kind", "aodv"), ("queue.aqm", "red")],
        &[("routing.kind", "dsr")],
        &[("air.reception", "sinr"), ("mac.standard", "802.11ax")],
    ] {
        plain.repeats(sets);
    }
}

#[test]
fn what_has_no_categories_says_so() {
    let case = network(1, &cbr(1, "EF", "1 Mbps", 100));
    for (key, value, says) in
        [("mac.standard", "802.11g", "802.11n and later"), ("mac.pacing.on", "true", "adaptive pacing")]
    {
        let refused = case.clone().set("mac.aggregation.on", "false").set(key, value).try_resolve();
        let said = refused.err().unwrap_or_default();
        assert!(said.contains("edca.on") && said.contains(says), "{said}");
    }
}
