//! Which node a failed attempt says has interfered, and whether that one was hidden from the sender.

use crate::common::{Case, Outcome, first_difference, listed_as, number, tables};
use serde_json::Value;

/// `s` sends to `r`, `x` to `y`, all in a line; more than the air can carry.
fn two_pairs(places: [u32; 4], reception: &str) -> Case {
    let nodes = ["s", "r", "x", "y"].iter().zip(places);
    let nodes: Vec<String> =
        nodes.map(|(name, x)| format!("{{ name = \"{name}\", x = \"{x} m\" }}")).collect();
    Case::new(&format!(
        "profile = \"ns2\"\n[run]\nduration = \"20 s\"\n[measure]\nwarm-up = \"2 s\"\n\
         [air]\nreception = \"{reception}\"\n\
         [topology]\nkind = \"explicit\"\nnode = [{}]\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"s\"\nto = \"r\"\nrate = \"2 Mbps\"\npacket = \"1460 B\"\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"x\"\nto = \"y\"\nrate = \"2 Mbps\"\npacket = \"1460 B\"\n",
        nodes.join(", ")
    ))
}

/// Rows about the link from one node to another: interferer, lost frames, and how many of these were hidden.
fn about(run: &Outcome, from: &str, to: &str) -> Vec<(Option<String>, f64, f64)> {
    let rows = run.list("interference").iter().filter(|row| row["from"] == from && row["to"] == to);
    let by = |row: &Value| row["by"].as_str().map(str::to_owned);
    rows.map(|row| (by(row), number(&row["n"]), number(&row["hidden"]))).collect()
}

/// Every failure by interference that a station counts is in the rows about its links, once.
fn balances(run: &Outcome) {
    for (node, place) in run.list("nodes").iter().zip(0..) {
        let rows = run.list("interference").iter().filter(|row| row["from"] == node["name"]);
        let named: f64 = rows.map(|row| number(&row["n"])).sum();
        assert_eq!(named, run.of_node(place, "attempt_failures/interference"));
    }
}

#[test]
fn a_hidden_station_is_named_and_called_hidden() {
    for reception in ["ns2", "sinr"] {
        // x is 340 m from r, whose signal from s is only four times as strong, and 580 m from s, which senses to 550.
        // The sum of interference must leave 8 dB. It leaves 6.
        let case = two_pairs([0, 240, 580, 780], reception)
            .set("air.error-curve", "none")
            .set("air.sinr-threshold", "8 dB");
        let run = case.run(1);
        balances(&run);
        let rows = about(&run, "s", "r");
        let (all, theirs): (f64, f64) = rows.iter().fold((0.0, 0.0), |(all, theirs), (by, n, hidden)| {
            let is_x = by.as_deref() == Some("x");
            assert!(!is_x || n == hidden, "x is always hidden from s: {rows:?}");
            (all + n, theirs + if is_x { *n } else { 0.0 })
        });
        assert!(all > 100.0 && theirs > 0.9 * all, "{reception}: {rows:?}");
    }
}

#[test]
fn stations_in_carrier_sense_collide_unhidden() {
    let run = two_pairs([0, 100, 200, 300], "ns2").set("flow.1.to", "r").run(1);
    balances(&run);
    let rows = about(&run, "s", "r");
    let named = rows.iter().filter(|(by, ..)| by.as_deref() == Some("x"));
    let (n, hidden) = named.fold((0.0, 0.0), |sum, row| (sum.0 + row.1, sum.1 + row.2));
    assert!(n > 20.0 && hidden == 0.0, "{rows:?}");
}

#[test]
fn a_receiver_that_sends_itself_is_its_own_interferer() {
    let run = two_pairs([0, 200, 1000, 1200], "ns2").set("flow.1.from", "r").set("flow.1.to", "s").run(1);
    balances(&run);
    for (from, to) in [("s", "r"), ("r", "s")] {
        let rows = about(&run, from, to);
        assert!(!rows.is_empty());
        assert!(rows.iter().all(|(by, _, hidden)| by.as_deref() == Some(to) && *hidden == 0.0), "{rows:?}");
    }
}

/// `x` begins with `s` and goes down in the middle: both frames end at once, as noise and as what `r` had listened to.
/// `r` has lost nothing, so that what it sends after its ACK waits for no extended interframe space, whichever is
/// listed first.
#[test]
fn what_a_station_did_not_listen_to_is_nothing_to_it_when_its_sender_is_gone() {
    let text = two_pairs([0, 20, 180, 200], "sinr").text()
        + "[[flow]]\nkind = \"cbr\"\nfrom = \"r\"\nto = \"s\"\nrate = \"2 Mbps\"\npacket = \"1460 B\"\nstart = \"1000500 us\"\n\
           [[event]]\nat = \"1000600 us\"\nkind = \"node-down\"\nnode = \"x\"\n";
    let case = Case::new(&text)
        .set("run.duration", "1003 ms") // before r's frame would end if it had waited
        .set("measure.warm-up", "0 s")
        // Its ACK is sooner over than the one that an extended interframe space allows for.
        .set("mac.data-rate", "11 Mbps")
        .set("mac.basic-rate", "11 Mbps")
        .set("mac.rts-threshold", "3000 B")
        .set("mac.cw-min", 1)
        .set("flow.0.start", "1 s")
        .set("flow.1.start", "1 s");
    for run in 1..=8 {
        let listed = |reversed: bool| {
            let order = |place, count| if reversed { count - 1 - place } else { place };
            tables(&listed_as(&case, order).run(run))
        };
        let (one, other) = (listed(false), listed(true));
        assert_eq!(one["run"]["flows"][2]["delivered_bytes"], 1460);
        assert_eq!(one, other, "run {run}: {}", first_difference(&one, &other, ""));
    }
}
