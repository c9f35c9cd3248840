//! The machine: its cycle, what it hears, what it tells the other layers.

use crate::contract::Notice;
use crate::routing::Routing;
use crate::routing::contract::{Action, Decision, Input, Provenance};
use crate::routing::frn::{FrnRouting, FrnRoutingConfig, Line, emit, parse};
use crate::testing::{cx, routing_message};
use crate::units::{Dur, Entity, NodeId, Purpose, Rng, SimTime};
use crate::wire::{DropReason, PacketStore, Protocol};

const CYCLE: Dur = Dur::from_secs(10);

struct Rig {
    routing: FrnRouting,
    packets: PacketStore,
    now: SimTime,
}

impl Rig {
    fn new(cycle: Dur) -> Self {
        let rng = Rng::stream(1, 1, Entity::Node("0"), Purpose::Jitter);
        let config = FrnRoutingConfig { cycle, reliability_window: 4, reliability_threshold: 0.5 };
        Self {
            routing: FrnRouting::new(config, NodeId(0), rng),
            packets: PacketStore::new(1),
            now: SimTime::ZERO,
        }
    }

    fn feed(&mut self, input: Input) -> Vec<Action> {
        let mut out = Vec::new();
        self.routing.handle(&mut cx(self.now, &mut self.packets), input, &mut out);
        out
    }

    /// To the end of the cycle; all but the timer.
    fn cycle(&mut self, arm: &mut Vec<Action>) -> Vec<Action> {
        let Some(Action::Arm(at)) = arm.pop() else { panic!("no timer") };
        self.now = at;
        *arm = self.feed(Input::Timer);
        arm[..arm.len() - 1].to_vec()
    }

    fn hear(&mut self, from: u32, bytes: &[u8]) -> Vec<Action> {
        let packet = routing_message(&mut self.packets, Protocol::Frn, bytes);
        self.feed(Input::Message { packet, from: NodeId(from) })
    }

    fn lines_of(action: &Action) -> Vec<Line> {
        let Action::Send(message) = action else { panic!("{action:?}") };
        assert_eq!((message.to, message.destination), (NodeId::BROADCAST, NodeId::BROADCAST));
        parse(&message.body, NodeId(0)).expect("its own message")
    }
}

#[test]
fn every_cycle_it_tells_what_it_reaches_and_notices_what_comes_and_goes() {
    let mut rig = Rig::new(CYCLE);
    let mut arm = rig.feed(Input::Start);
    assert!(matches!(arm[..], [Action::Arm(at)] if at <= SimTime::ZERO + CYCLE), "{arm:?}");
    let theirs = emit([(NodeId(1), 0), (NodeId(2), 1)].into_iter());
    for heard in 1..=3 {
        assert_eq!(rig.hear(1, &theirs), []);
        assert_eq!(rig.packets.live(), 0, "the message has been read");
        let said = rig.cycle(&mut arm);
        let found = |id, hops| Action::Notice(Notice::RouteFound { destination: NodeId(id), hops });
        if heard < 3 {
            assert_eq!(said.iter().map(Rig::lines_of).collect::<Vec<_>>(), [[(NodeId(0), 0)]]);
        } else {
            assert_eq!(said[..2], [found(1, 1), found(2, 2)], "3/4 is above one half");
            assert_eq!(Rig::lines_of(&said[2]), [(NodeId(0), 0), (NodeId(1), 1), (NodeId(2), 2)]);
        }
    }
    assert_eq!(Provenance::Here.decide(rig.routing.next_hop(rig.now, NodeId(2))), Decision::To(NodeId(1)));
    rig.cycle(&mut arm);
    let said = rig.cycle(&mut arm);
    let lost = |id| Action::Notice(Notice::RouteLost { destination: NodeId(id) });
    assert_eq!(said[..2], [lost(1), lost(2)], "2/4 is not");
    assert_eq!(rig.routing.routes_lost(), 2);
    let refused = Decision::Refused(DropReason::NoRoute);
    assert_eq!(Provenance::Here.decide(rig.routing.next_hop(rig.now, NodeId(2))), refused);
    assert_eq!(Provenance::Kept(NodeId(1)).decide(rig.routing.next_hop(rig.now, NodeId(2))), Decision::Stays);
}

/// What a neighbour says is news at once, not at the end of the cycle.
#[test]
fn a_destination_that_a_neighbour_drops_or_gains_is_told_when_it_is_heard() {
    let mut rig = Rig::new(CYCLE);
    let mut arm = rig.feed(Input::Start);
    let near = emit([(NodeId(1), 0)].into_iter());
    let far = emit([(NodeId(1), 0), (NodeId(2), 1), (NodeId(3), 2)].into_iter());
    for _ in 0..4 {
        rig.hear(1, &near);
        rig.cycle(&mut arm);
    }
    let found = |id, hops| Action::Notice(Notice::RouteFound { destination: NodeId(id), hops });
    let lost = |id| Action::Notice(Notice::RouteLost { destination: NodeId(id) });
    assert_eq!(rig.hear(1, &far), [found(2, 2), found(3, 3)]);
    assert_eq!(rig.hear(1, &far), [], "no news");
    assert_eq!(rig.hear(1, &near), [lost(2), lost(3)]);
    assert_eq!(rig.routing.routes_lost(), 2);
    let said = rig.cycle(&mut arm);
    assert_eq!(Rig::lines_of(&said[0]), [(NodeId(0), 0), (NodeId(1), 1)], "told once");
}

#[test]
fn what_is_malformed_is_a_counted_drop_and_teaches_nothing() {
    let mut rig = Rig::new(CYCLE);
    let dropped =
        |action: &Action| matches!(action, Action::Dropped(it) if it.reason == DropReason::Malformed);
    for bytes in [&[1, 2, 3][..], &[10, 0, 0, 9, 0], &[10, 0, 0, 2, 0, 10, 255, 255, 255, 1]] {
        let said = rig.hear(1, bytes);
        assert!(matches!(&said[..], [only] if dropped(only)), "{said:?}");
    }
    assert_eq!(rig.routing.table().reliability(NodeId(1), 4), None);
}

#[test]
fn with_tables_for_good_it_says_nothing_and_forgets_nothing() {
    let mut rig = Rig::new(Dur::ZERO);
    rig.routing.table_mut().install(NodeId(1), [(NodeId(2), 1)]);
    assert_eq!(
        (rig.feed(Input::Start), rig.feed(Input::Timer), rig.feed(Input::Stop)),
        (vec![], vec![], vec![])
    );
    let others = emit([(NodeId(5), 0), (NodeId(2), 0)].into_iter());
    assert_eq!(rig.hear(5, &others), []);
    assert_eq!(rig.routing.next_hop(rig.now, NodeId(2)), Some(NodeId(1)));
}

#[test]
fn a_node_that_goes_down_starts_from_nothing() {
    let mut rig = Rig::new(CYCLE);
    rig.routing.table_mut().install(NodeId(1), [(NodeId(2), 1)]);
    assert_eq!(rig.feed(Input::Stop), []);
    assert_eq!(rig.routing.next_hop(rig.now, NodeId(2)), None);
    rig.now = SimTime::from_secs(60);
    assert_eq!(rig.feed(Input::Timer), [], "a timer from before");
    assert!(matches!(rig.feed(Input::Start)[..], [Action::Arm(_)]));
}
