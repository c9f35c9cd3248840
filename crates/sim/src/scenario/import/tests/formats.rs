//! The formats as tools and people write them: their contents tell which one it is, and what is passed over is said.

use super::{moving, places, power, told_of_places};
use crate::scenario::Resolved;
use insta::assert_snapshot;

const TWO: &str = "$node_(0) set X_ 10\n$node_(0) set Y_ 20\n$node_(1) set X_ 90\n$node_(1) set Y_ 20\n";

/// What is remarked of a file.
fn remark(scenario: &Resolved) -> String {
    scenario.warnings.iter().find(|it| it.contains("passed over")).cloned().unwrap_or_default()
}

#[test]
fn contents_tell_the_format_whatever_the_name() {
    let cars = "<fcd-export><timestep time=\"0\"><vehicle id=\"a\" x=\"10\" y=\"20\"/>\
        <vehicle id=\"b\" x=\"90\" y=\"20\"/></timestep></fcd-export>";
    let bonn = "# written by BonnMotion\n0.0 10 20 5.0 10 20\n0.0 90 20\n";
    for name in
        ["a.scen", "a.mob", "a.ns2", "scenario-50-1", "a.tcl", "a.xml", "a.movements", "a.txt", "a.gz"]
    {
        for text in [TWO, bonn, cars, &format!("<?xml version=\"1.0\"?>\n<!-- SUMO -->\n{cars}")] {
            let scenario = moving(name, text).expect(name);
            let at = [0, 1].map(|node| places(&scenario, node, &[1.0])[0]);
            assert_eq!(at, [(10.0, 20.0), (90.0, 20.0)], "{name}: {text}");
        }
    }
}

#[test]
fn setdest_is_read_as_its_relatives_write_it() {
    let plain = moving("a", &format!("{TWO}$ns_ at 1.0 \"$node_(0) setdest 60 20 10\"\n")).expect("valid");
    let way = places(&plain, 0, &[0.0, 1.0, 3.0, 6.0, 9.0]);
    assert_eq!(way, [(10.0, 20.0), (10.0, 20.0), (30.0, 20.0), (60.0, 20.0), (60.0, 20.0)]);
    for text in [
        // several commands a line, semicolons, comments
        "$node_(0) set X_ 10; $node_(0) set Y_ 20 ;# here\n$node_(1) set X_ 90;$node_(1) set Y_ 20;\n\
         $ns_ at 1.0 \"$node_(0) setdest 60 20 10\"; # and off\n",
        // tabs, braces, other names, scientific numbers, no end of the last line
        "\t$n(0)\tset X_ 1.0e1\n$n(0) set Y_ 2e1\n$n(1) set X_ 9E+1\n$n(1) set Y_ 20.\n$sim at 1e0 {$n(0) setdest 6e1 20 1.0e+1}",
        // as ns-3 reads it: places by commands at an instant
        "$ns_ at 0.0 \"$node_(0) set X_ 10\"\n$ns_ at 0.0 \"$node_(0) set Y_ 20\"\n$node_(1) set X_ 90\n$node_(1) set Y_ 20\n\
         $ns_ at 1.0 \"$node_(0) setdest 60 20 10\"\n",
    ] {
        for text in
            [text.to_owned(), text.replace('\n', "\r\n"), text.replace('\n', "\r"), format!("\u{feff}{text}")]
        {
            let scenario = moving("a.tcl", &text).expect(&text);
            assert_eq!(places(&scenario, 0, &[0.0, 1.0, 3.0, 6.0, 9.0]), way, "{text}");
            assert_eq!(remark(&scenario), "");
        }
    }
}

#[test]
fn a_place_that_is_set_at_an_instant_is_taken_at_once() {
    let text = format!(
        "{TWO}$ns_ at 1.0 \"$node_(0) setdest 60 20 10\"\n$ns_ at 3.0 \"$node_(0) set X_ 200\"\n\
         $ns_ at 3.0 \"$node_(0) set Y_ 50\"\n$ns_ at 8.0 \"$node_(0) setdest 210 50 10\"\n"
    );
    let scenario = moving("a.tcl", &text).expect("valid");
    let way = places(&scenario, 0, &[2.0, 2.999, 3.0, 7.0, 8.5, 9.5]);
    assert_eq!(
        way,
        [(20.0, 20.0), (29.99, 20.0), (200.0, 50.0), (200.0, 50.0), (205.0, 50.0), (210.0, 50.0)]
    );
}

#[test]
fn nodes_are_switched_off_and_on() {
    let switched = |lines: &str| moving("a.tcl", &format!("{TWO}{lines}")).expect("valid");
    let at = |time: f64, what: &str| format!("$ns at {time} \"$node_(1) {what}\"\n");
    let scenario = switched(&(at(0.0, "off") + &at(10.0, "on") + &at(30.0, "off")));
    assert_eq!(
        (power(&scenario, 0), power(&scenario, 1)),
        (vec![], vec![(0, false), (10, true), (30, false)])
    );
    assert_eq!(power(&switched("$node_(1) off\n"), 1), [(0, false)], "for ever");
    assert_eq!(power(&switched(&(at(5.0, "on") + &at(9.0, "on"))), 1), [], "it is on");
    assert_eq!(power(&switched(&(at(20.0, "on") + &at(10.0, "off"))), 1), [(10, false), (20, true)]);
    assert_eq!(power(&switched(&(at(7.0, "off") + &at(7.0, "on"))), 1), []);
}

#[test]
fn what_is_passed_over_is_said() {
    let text = format!(
        "set opt(x) 500\n{TWO}$node_(0) set Z_ 0.0\n$node_(1) set Z_ 30\n$node_(0) set Z_ 1e1\n$god_ set-dist 0 1 1\n\
         $ns_ at 1.0 \"$node_(0) label boat\"\n$ns_ initial_node_pos $node_(0) 20\n$ns_ at 9.0 \"puts done\"\n"
    );
    let scenario = moving("a.tcl", &text).expect("valid");
    assert_snapshot!(remark(&scenario), @"dir/a.tcl: passed over, as it means nothing here: `initial_node_pos` of the simulator (once), `label` of a node (once), `puts` (once), `set` (once), a height, `Z_` (2 times)");
    let cars = "<fcd-export><timestep time=\"0\"><vehicle id=\"a\" x=\"10\" y=\"20\" z=\"4.5\"/><container id=\"c\"/>\
        <vehicle id=\"b\" x=\"90\" y=\"20\" z=\"0.00\"/></timestep><!-- end --></fcd-export>";
    assert_snapshot!(remark(&moving("a.xml", cars).expect("valid")), @"dir/a.xml: passed over, as it means nothing here: <container> (once), a height, `z` (once)");
    let many: String = (0..20).map(|number| format!("<e{number}/>")).collect();
    let told = remark(&moving("a.xml", &cars.replace("<container id=\"c\"/>", &many)).expect("valid"));
    assert!(told.ends_with("12 more, a height, `z` (once)") || told.ends_with("(once), 13 more"), "{told}");
}

#[test]
fn degrees_are_refused_by_every_reader() {
    let wrong = |text: &str| moving("a", text).expect_err(text).to_string();
    let degrees = "$node_(0) set X_ 8.5754\n$node_(0) set Y_ 47.7420\n$ns_ at 1.0 \"$node_(0) setdest 8.5755 47.7420 8.0\"\n\
        $node_(1) set X_ 8.5694\n$node_(1) set Y_ 47.7383\n";
    assert_snapshot!(wrong(degrees), @"dir/a:1:1: all places lie within 0.006100 by 0.003700 of each other, like degrees of longitude and latitude; expected metres; project the places first, for example to UTM");
    assert_snapshot!(wrong("0 8.5754 47.742 60 8.58 47.743\n0 8.5694 47.7383\n"), @"dir/a:1:1: all places lie within 0.010600 by 0.004700 of each other, like degrees of longitude and latitude; expected metres; project the places first, for example to UTM");
    // Three degrees apart: told by how slowly the nodes go, or by their speeds.
    assert_snapshot!(wrong("0 8.5754 47.742 60 8.58 47.743\n0 11.5 48.1\n"), @"dir/a:1:1: by its places the fastest node goes 0.000078 in a second, like degrees of longitude and latitude; expected metres; project the places first, for example to UTM");
    let step = |time: u32| {
        format!("$ns_ at {time} \"$node_(0) setdest {} 47.7 15.0\"\n", 8.5 + f64::from(time) * 2e-4)
    };
    let far = "$node_(0) set X_ 8.5\n$node_(0) set Y_ 47.7\n$node_(1) set X_ 11.5\n$node_(1) set Y_ 48.1\n"
        .to_owned();
    let told = wrong(&(far + &(1..30).map(step).collect::<String>()));
    assert!(told.contains("by their speeds all have gone 420 m and by their places 0.0056"), "{told}");
    // Metres: a small yard, a slow walk, a long stay after a short way, all in one place.
    for text in [
        "0 5 5\n0 25 60\n",
        "0 5 5 100 6 5\n0 25 60\n",
        "$node_(0) set X_ 5\n$node_(0) set Y_ 5\n$node_(1) set X_ 25\n$node_(1) set Y_ 60\n\
         $ns_ at 1 \"$node_(0) setdest 6 5 20\"\n$ns_ at 3000 \"$node_(0) setdest 5 5 20\"\n",
        "0 5 5\n0 5 5\n",
    ] {
        moving("a", text).expect(text);
    }
    // A scenario says its unit: there it is a remark.
    let told = |x: f64| {
        let node =
            format!("node = [{{ name = \"a\", x = \"{x} m\" }}, {{ name = \"b\", x = \"8.5694 m\" }}]");
        let text = format!("topology = {{ kind = \"explicit\", {node} }}\n");
        super::with(&text, "-", "").expect("valid").warnings.join(" ").contains("degrees of longitude")
    };
    assert_eq!([8.5754, 10.5, 300.0].map(told), [true, false, false]);
}

/// The reader of trees used the stack of the thread for each level.
#[test]
fn xml_may_be_nested_as_deep_as_it_likes() {
    let cars = "<timestep time=\"0\"><vehicle id=\"a\" x=\"10\" y=\"20\"/><vehicle id=\"b\" x=\"90\" y=\"20\"/></timestep>";
    let deep = format!("{}{}", "<a>".repeat(300_000), "</a>".repeat(300_000));
    let scenario = moving("a.xml", &format!("<fcd-export>{cars}{deep}</fcd-export>")).expect("valid");
    assert_snapshot!(remark(&scenario), @"dir/a.xml: passed over, as it means nothing here: <a> (300000 times)");
    let told = |text: &str| moving("a.xml", text).expect_err("wrong").to_string();
    assert_snapshot!(told(&deep), @"dir/a.xml:1:1: expected <fcd-export>, got <a>; SUMO writes it with --fcd-output");
    assert_snapshot!(told(&format!("<fcd-export>{cars}{}", "<a>".repeat(300_000))), @"dir/a.xml:1:1: the file ends here, within its XML; it has been cut off, or is still being written");
}

#[test]
fn xml_that_is_none_is_refused_on_its_line() {
    let begin = "<fcd-export>\n<timestep time=\"0\">\n<vehicle id=\"a\" x=\"1\" y=\"1\"/></timestep>\n";
    for (text, line, why) in [
        (format!("{begin}</fcd>"), 4, "not valid XML"),
        (format!("{begin}</fcd-export><fcd-export/>"), 4, "a second element"),
        (format!("{begin}</fcd-export>\n7"), 5, "text stands outside"),
        ("<fcd-export>\n<timestep time=\"&lol;\"/></fcd-export>".to_owned(), 2, "not valid XML"),
        ("<fcd-export>\n\n<timestep time='0' time='1'/></fcd-export>".to_owned(), 3, "two attributes `time`"),
        ("<fcd-export>\n<timestep time=0/></fcd-export>".to_owned(), 2, "not valid XML"),
        ("</fcd-export>".to_owned(), 1, "not valid XML"),
    ] {
        let told = moving("a.xml", &text).expect_err(&text).to_string();
        assert!(told.starts_with(&format!("dir/a.xml:{line}:1: ")) && told.contains(why), "{told}");
    }
}

#[test]
fn two_masts_on_a_roof_are_one_line() {
    let scenario = moving("a", "0 50 60\n0 50 60\n0 99 60\n").expect("valid");
    assert_eq!(scenario.warnings.iter().filter(|it| it.contains("in one place")).count(), 1);
    assert!(told_of_places(&scenario).starts_with("nodes `0`, `1` stand in one place"));
}
