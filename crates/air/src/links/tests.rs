use super::super::motion::Waypoint;
use super::*;

fn still(x: f64) -> Motion {
    Motion::still(Position { x, y: 0.0 })
}

fn heard(links: &mut Links, from: u32, seconds: u64) -> (Vec<u32>, usize) {
    let listeners = links.begin(NodeId(from), SimTime::from_secs(seconds));
    let decodable = listeners.iter().filter(|link| link.decodable).count();
    (listeners.iter().map(|link| link.to.0).collect(), decodable)
}

#[test]
fn the_usual_card_decodes_the_next_of_a_chain_and_senses_the_one_after() {
    let motions = (0..5).map(|node| still(200.0 * f64::from(node))).collect();
    let mut links =
        Links::new(&AirConfig { reception: super::super::Reception::Ns2, ..AirConfig::default() }, motions);
    assert_eq!(heard(&mut links, 0, 0), (vec![1, 2], 1));
    assert_eq!(heard(&mut links, 2, 0), (vec![1, 3, 0, 4], 2));
}

#[test]
fn a_node_that_passes_by_is_heard_while_it_is_near() {
    let way = [(0, -1000.0), (100, 1000.0)]; // 20 m/s along the x axis
    let waypoints =
        way.map(|(at, x)| Waypoint { at: SimTime::from_secs(at), place: Position { x, y: 100.0 } });
    let passing = Motion::along(waypoints[0].place, &waypoints);
    let mut links = Links::new(&AirConfig::default(), vec![still(0.0), passing]);
    let near = |links: &mut Links, seconds| heard(links, 0, seconds).1 == 1;
    // 250 m to the diagonal: 229.1 m on the way, 11.45 s before and after it passes at 50 s.
    let range: Vec<bool> = [38, 39, 50, 61, 62].map(|seconds| near(&mut links, seconds)).to_vec();
    assert_eq!(range, [false, true, true, true, false]);
}

#[test]
fn parts_that_grow_and_move_leave_no_lasting_gaps() {
    let there_and_back: Vec<Waypoint> = (1..200)
        .map(|leg| {
            let x = if leg % 2 == 0 { 900.0 } else { 0.0 };
            Waypoint { at: SimTime::from_secs(10 * leg), place: Position { x, y: 50.0 } }
        })
        .collect();
    let mut motions: Vec<Motion> = (0..5).map(|node| still(200.0 * f64::from(node))).collect();
    motions.push(Motion::along(Position { x: 900.0, y: 50.0 }, &there_and_back));
    let mut links = Links::new(&AirConfig::default(), motions);
    for second in 1..1990 {
        for from in 0..6 {
            let threshold = AirConfig::default().receive_threshold.get();
            let heard = links.begin(NodeId(from), SimTime::from_secs(second));
            assert!(heard.iter().all(|link| link.to != NodeId(from)));
            assert!(heard.iter().all(|link| link.decodable == (link.power >= threshold)));
            assert!(heard.is_sorted_by_key(|link| !link.decodable));
        }
    }
    assert!(links.links.len() < 80, "{}", links.links.len());
}

#[test]
fn around_a_node_are_all_whose_signals_reach_it() {
    let place =
        |node: i32| Position { x: f64::from(node * 7919 % 3000), y: f64::from(node * 104_729 % 2000) };
    let motions = (0..2 * FEW as i32).map(|node| Motion::still(place(node))).collect();
    let mut links = Links::new(&AirConfig::default(), motions);
    for node in (0..2 * FEW as u32).map(NodeId) {
        let around = links.around(node, SimTime::ZERO).expect("many nodes");
        assert!(around.len() < 2 * FEW, "no more than need be");
        let reach =
            |from: u32| links.between(NodeId(from), node).is_some() && !around.contains(&NodeId(from));
        assert!(!(0..2 * FEW as u32).any(reach));
    }
}

/// A frame over a link whose mean power is m is decoded with probability exp(-threshold / m); what ends is what began.
#[test]
fn under_rayleigh_fading_frames_are_decoded_as_often_as_the_closed_form_says() {
    let config = AirConfig { fading: super::super::Fading::Rayleigh, ..AirConfig::default() };
    let channel = Channel::new(&config, [("a", "a"), ("b", "b")].into_iter(), 1, 1);
    let mut links = Links::through(&config, vec![still(0.0), still(200.0)], channel, None);
    let mean = links.decodable(NodeId(0))[0].power;
    assert!(mean == super::super::path_loss(&config, 200.0), "routes see means");
    let frames = 40_000;
    let mut whole = 0;
    for frame in 0..frames {
        let heard = links.begin(NodeId(0), SimTime::from_us(frame * 700)).to_vec();
        let decodable = heard.iter().filter(|link| link.decodable).count();
        whole += decodable;
        let ending = links.range(NodeId(0));
        assert_eq!(ending.1 - ending.0.start, decodable);
        assert_eq!(ending.0.map(|index| links.at(index)).collect::<Vec<_>>(), heard);
    }
    let share = whole as f64 / frames as f64;
    let closed = libm::exp(-config.receive_threshold.get() / mean);
    assert!((share - closed).abs() < 0.01, "{share} {closed}");
}

/// Ranges are ranges, whatever the thresholds: 250 m to decode and 550 m to sense, with the same power for both.
#[test]
fn disks_decode_within_their_range_though_both_thresholds_are_the_same() {
    let power = AirConfig::default().receive_threshold;
    let disk = super::super::Propagation::Disk;
    let config = AirConfig { propagation: disk, sense_threshold: power, ..AirConfig::default() };
    let links = Links::new(&config, vec![still(0.0), still(200.0), still(500.0), still(800.0)]);
    let told = [1, 2, 3].map(|to| links.between(NodeId(0), NodeId(to)).map(|it| (it.sensed, it.decodable)));
    assert_eq!(told, [Some((true, true)), Some((true, false)), None]);
}

#[test]
fn a_cut_link_carries_nothing_in_its_direction_until_it_is_restored() {
    let away = [Waypoint { at: SimTime::from_secs(100), place: Position { x: 210.0, y: 0.0 } }];
    let moving = Motion::along(Position { x: 200.0, y: 0.0 }, &away);
    let mut links = Links::new(&AirConfig::default(), vec![still(0.0), moving, still(-150.0)]);
    links.cut(NodeId(0), NodeId(1), true);
    assert_eq!(heard(&mut links, 0, 1), (vec![2], 1));
    assert_eq!(heard(&mut links, 0, 2), (vec![2], 1));
    assert_eq!(heard(&mut links, 1, 2), (vec![0, 2], 1));
    links.cut(NodeId(0), NodeId(1), false);
    assert_eq!(heard(&mut links, 0, 3), (vec![2, 1], 2));
}
