//! FQ-CoDel in whole runs: the ledger balances where a class loses half of its packets at once, and a flood leaves the
//! other flows their share (RFC 8290 §4.1).

use crate::common::{Case, Outcome};

/// Three nodes of 802.11b: TCP both ways, and 3 Mb/s of UDP, which is more than there is room for. All stop long before
/// the end.
fn flooded() -> Case {
    let flow = |kind: &str, from: usize, to: usize| {
        format!("[[flow]]\nkind = {kind:?}\nfrom = {from}\nto = {to}\nstart = \"0 s\"\nstop = \"18 s\"\n")
    };
    let flood = format!("{}rate = \"3 Mbps\"\npacket = \"1000 B\"\n", flow("cbr", 0, 2));
    Case::new(&format!(
        r#"
profile = "rfc"
run.duration = "30 s"
measure = {{ warm-up = "0 s", sample = "0 s" }}
topology = {{ kind = "chain", hops = 2, spacing = "150 m" }}
{}{}{flood}"#,
        flow("bulk", 0, 2),
        flow("bulk", 2, 0),
    ))
}

fn goodputs(of: &Outcome) -> Vec<f64> {
    of.flows().iter().map(|flow| flow["goodput_bps"].as_f64().expect("a rate")).collect()
}

#[test]
fn half_of_the_fattest_class_is_lost_at_once_and_the_ledger_balances() {
    let few = flooded().technique("fq-codel").set("queue.limit", 60).run(1);
    let ledger = &few.json["ledger"];
    let dropped = |why: &str| ledger["dropped"][why].as_f64().unwrap_or(0.0);
    assert!(dropped("queue-full") > 1000.0, "{ledger}");
    assert_eq!(ledger["in_network"], 0, "{ledger}");
    // The classes of TCP are never the fattest, so that the flood alone pays.
    let lost = |flow: usize| few.flows()[flow]["ledger"]["dropped"]["queue-full"].as_f64().unwrap_or(0.0);
    assert!((lost(0), lost(1)) == (0.0, 0.0) && lost(2) == dropped("queue-full"), "{ledger}");
}

#[test]
fn a_flood_leaves_tcp_of_both_ways_its_share() {
    let (fifo, fair) = (flooded().run(1), flooded().technique("fq-codel").run(1));
    let ([forth, back, _], [fair_forth, fair_back, flood]) =
        (<[f64; 3]>::try_from(goodputs(&fifo)).unwrap(), <[f64; 3]>::try_from(goodputs(&fair)).unwrap());
    assert!(
        fair_forth > 2.0 * forth && fair_back > back / 2.0,
        "{forth} {back}: {fair_forth} {fair_back} {flood}"
    );
    assert!(fair_forth > flood / 2.0 && fair_back > flood / 2.0, "{fair_forth} {fair_back} {flood}");
}
