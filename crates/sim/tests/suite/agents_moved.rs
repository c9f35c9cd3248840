//! Agents that the path moves away from, for good, in the middle of a transfer: what they hold and have not
//! acknowledged is theirs no more, and the transfer is whole in the end; what Indirect TCP has acknowledged stays with
//! it, and the flow is reported as broken.

use crate::common::{Case, Outcome, number, on_threads};

const SIZE: u64 = 200_000;
const KINDS: &[&str] = &["i-tcp", "split-tcp", "snoop", "eln", "snoop-eln"];
const CUTS: [u64; 6] = [700, 900, 1100, 1400, 1700, 2000];

/// A transfer along the upper row of two, where an agent stands at the first relay. At `cut` ms both links of the relay
/// in that row are cut, so that the path moves to the lower row; the relay is still a neighbour of it.
fn moved(kind: &str, routing: &str, cut: u64) -> Outcome {
    let shim = match kind {
        "split-tcp" => "split-tcp",
        "eln" | "snoop-eln" => "eln",
        _ => "none",
    };
    let down = |from: u32| {
        format!("[[event]]\nat = \"{cut} ms\"\nkind = \"link-down\"\nfrom = {from}\nto = {}\n", from + 1)
    };
    let text = format!(
        "profile = \"rfc\"\nrun.duration = \"400 s\"\nmeasure.sample = \"0 s\"\nshim.kind = \"{shim}\"\n\
         topology = {{ kind = \"grid\", columns = 4, rows = 2, spacing = \"200 m\" }}\n\
         routing.kind = \"{routing}\"\nagent = [{{ kind = \"{kind}\", at = [1] }}]\n\
         [[flow]]\nkind = \"file\"\nsize = \"{SIZE} B\"\nfrom = 0\nto = 3\n{}{}",
        down(0),
        down(1)
    );
    Case::new(&text).run(1)
}

/// The others leave to the source what only the destination can acknowledge. Indirect TCP has acknowledged what it
/// holds: with the destination's ACKs passing elsewhere it sends the first of it for ever, and the source nothing that
/// would help.
#[test]
fn when_the_path_moves_away_all_arrives_but_what_indirect_tcp_has_acknowledged() {
    let cases = KINDS.iter().flat_map(|kind| {
        CUTS.iter().flat_map(move |&cut| ["aodv", "dsr"].map(|routing| (*kind, routing, cut)))
    });
    let fates = on_threads(cases, |(kind, routing, cut)| {
        let run = moved(kind, routing, cut);
        let flow = &run.flows()[0];
        let whole = number(&flow["delivered_bytes"]) as u64 == SIZE;
        let acted = run.json["counters"].as_object().is_some_and(|all| {
            all.iter().any(|(name, count)| name.starts_with("agent.") && count.as_u64() > Some(0))
        });
        assert_eq!(flow["broken_bytes"].is_null(), whole, "{kind} over {routing}, cut at {cut} ms");
        (kind, whole, acted)
    });
    for kind in KINDS {
        let of = |whole: bool| fates.iter().filter(|fate| fate.0 == *kind && fate.1 == whole).count();
        assert!(if *kind == "i-tcp" { of(false) > 0 } else { of(false) == 0 }, "{kind}: {} whole", of(true));
        assert!(*kind == "eln" || fates.iter().any(|fate| fate.0 == *kind && fate.2), "{kind} has acted");
    }
}
