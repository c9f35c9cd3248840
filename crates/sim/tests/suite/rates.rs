//! Data rates that change at an instant: `[[event]]` of the kind `rate`.

use crate::common::Case;

/// One hop, 40 s, measured for ten of them.
fn hop(event: &str, from: u32) -> Case {
    let text = format!(
        r#"
profile = "ns2"
[run]
duration = "40 s"
[measure]
warm-up = "{from} s"
until = "{} s"
[topology]
kind = "chain"
hops = 1
[routing]
kind = "static"
[[flow]]
kind = "bulk"
from = "0"
to = "1"
{event}
"#,
        from + 10
    );
    Case::new(&text)
}

fn goodput(event: &str, from: u32) -> f64 {
    hop(event, from).run(1).goodput()
}

// From 2 to 1 Mb/s for ten seconds: the goodput between is that of a chain at 1 Mb/s, and before and after that of one
// at 2 Mb/s. Where only node 0 is slower, node 1's ACKs are as fast as before.
#[test]
fn a_node_or_a_link_changes_its_rate_and_back() {
    let (fast, slow) = (goodput("", 25), hop("", 25).set("mac.data-rate", "1 Mbps").run(1).goodput());
    assert!(slow < 0.75 * fast, "{slow} {fast}");
    let mut halves = Vec::new();
    for what in ["from = \"0\"\nto = \"1\"", "node = \"0\"", "from = \"0\"\nto = \"1\"\none-way = true"] {
        let event = |at, rate| {
            format!("[[event]]\nat = \"{at} s\"\nkind = \"rate\"\n{what}\nrate = \"{rate} Mbps\"\n")
        };
        let events = event(12, 1) + &event(24, 2);
        for from in [1, 25] {
            let found = goodput(&events, from);
            assert!((found / fast - 1.0).abs() < 0.02, "{what}, from {from} s: {found}, not {fast}");
        }
        halves.push(goodput(&events, 13));
    }
    assert!((halves[0] / slow - 1.0).abs() < 0.01, "{halves:?}, and {slow} at 1 Mb/s");
    assert!(halves[1] > 1.01 * slow && halves[1] < 1.1 * slow, "{halves:?}, and {slow} at 1 Mb/s");
    assert_eq!(halves[1], halves[2], "all that node 0 sends goes to node 1");
}

#[test]
fn a_rate_needs_a_value_and_whose_it_is() {
    for (keys, wanted) in [
        ("node = \"0\"", "needs `rate`"),
        ("rate = \"2 Mbps\"", "needs `node`"),
        ("rate = \"2 Mbps\"\nfrom = \"0\"", "needs `to`"),
        ("rate = \"2 Mbps\"\nfrom = \"0\"\nto = \"1\"\nnode = \"0\"", "both are said"),
        ("rate = \"0 Mbps\"\nnode = \"0\"", "rate"),
        ("rate = \"2 Mbps\"\nnode = \"0\"\nloss = 0.5", "`loss` means nothing"),
    ] {
        let event = format!("[[event]]\nat = \"1 s\"\nkind = \"rate\"\n{keys}\n");
        let error = hop(&event, 1).try_resolve().expect_err(keys);
        assert!(error.contains(wanted), "{keys}: {error}");
    }
}
