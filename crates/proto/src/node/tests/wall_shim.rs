//! A wall of the architecture: a shim that swallows TCP's timeout and acts in its place.

use std::sync::{Arc, Mutex};

use super::rig::{Rig, quick_tcp};
use crate::contract::{Control, Cx, End, NodeState, Notice};
use crate::node::App;
use crate::queue::QueueConfig;
use crate::shim::{Action, AnyShim, Input, Shim, Verdict};
use crate::tcp::AnyGate;
use crate::units::{NodeId, SimTime};

/// Takes a timeout for a broken link: the window stays at seven, and the first segment is sent again.
#[derive(Debug, Default)]
struct CalmShim {
    seen: Arc<Mutex<Vec<&'static str>>>,
}

impl Shim for CalmShim {
    fn handle(
        &mut self,
        _: &mut Cx<'_>,
        _: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let mut seen = self.seen.lock().expect("one thread");
        match input {
            Input::Timeout => {
                seen.push("timeout");
                let seq = end.sender().map_or(0, |tcp| tcp.una);
                out.extend([
                    Action::Control(Control::SetCwnd { segments: 7.0 }),
                    Action::Control(Control::Retransmit { seq }),
                    Action::Control(Control::RestartTimer),
                ]);
                Verdict::Swallow
            }
            Input::Arriving { .. } | Input::Leaving(_) | Input::Timer | Input::Signal { .. } => Verdict::Pass,
            Input::Notice(notice) => {
                seen.push(match notice {
                    Notice::LinkFailed { .. } => "link-failed",
                    Notice::Power { up: false } => "down",
                    Notice::Power { up: true } => "up",
                    Notice::QueueSpace => "space",
                    Notice::Outage { .. } => "outage",
                    Notice::RouteLost { .. } | Notice::RouteFound { .. } => "route",
                });
                Verdict::Pass
            }
        }
    }
}

#[test]
fn a_shim_swallows_the_timeout_and_sets_the_window() {
    let seen = Arc::default();
    let shim = AnyShim::Custom(Box::new(CalmShim { seen: Arc::clone(&seen) }));
    let mut world = Rig::chain(2, &QueueConfig::default());
    world.tcp(0, 0, 1, &quick_tcp(), shim, AnyGate::OPEN);
    // Nothing gets through from 0.1 s to 2 s.
    world.lost = Box::new(|now, frame, _| {
        frame.from == NodeId(0) && (SimTime::from_ms(100)..SimTime::from_secs(2)).contains(&now)
    });
    world.app(0, 0, App::Open);
    world.app(0, 0, App::Write(200_000));
    world.run(SimTime::from_ms(1900));
    let sender = world.sender(0);
    assert_eq!(sender.counters().timeouts, 0, "TCP never heard of it");
    assert_eq!(sender.view().cwnd, 7.0);
    assert!(sender.counters().retransmissions > 0);
    world.run(SimTime::from_secs(30));
    assert!(world.is_complete(0));
    assert_eq!(world.sender(0).counters().timeouts, 0);
    let seen = seen.lock().expect("one thread");
    assert!(seen.contains(&"timeout") && seen.contains(&"link-failed"), "{seen:?}");
    world.check_ledger();
}

#[test]
fn a_shim_hears_of_the_node_itself() {
    let seen = Arc::default();
    let shim = AnyShim::Custom(Box::new(CalmShim { seen: Arc::clone(&seen) }));
    let mut world = Rig::chain(2, &QueueConfig { limit: 2, ..QueueConfig::default() });
    world.tcp(0, 0, 1, &quick_tcp(), shim, AnyGate::OPEN);
    world.app(0, 0, App::Open);
    world.app(0, 0, App::Write(20_000));
    world.run(SimTime::from_secs(1));
    world.power(0, false);
    world.power(0, true);
    let seen = seen.lock().expect("one thread");
    assert!(seen.ends_with(&["down", "up"]) && seen.contains(&"space"), "{seen:?}");
}
