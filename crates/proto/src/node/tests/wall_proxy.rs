//! A wall of the architecture: a proxy in a relay that splits a connection into two, each with a TCP of its own.

use crate::shim::AnyShim;
use std::sync::{Arc, Mutex};

use super::rig::{Rig, quick_tcp};
use crate::contract::{Cx, NodeState};
use crate::node::App;
use crate::proxy::{Action, Agent, Input, Towards, Verdict};
use crate::queue::QueueConfig;

use crate::tcp::connection::{Arrival, Timer};
use crate::tcp::{self, AnyGate, Handshake, Receiver, Sender, TcpConfig};
use crate::units::{FlowId, NodeId, SimTime};
use crate::wire::{Absorbed, PacketId, Payload};

/// Receives in the destination's name and sends in the source's.
#[derive(Debug)]
struct Split {
    receiver: Receiver,
    sender: Sender,
    deadlines: [SimTime; 2],
    open: bool,
    /// Most bytes that the proxy has acknowledged and not yet delivered.
    buffered: Arc<Mutex<u64>>,
    taken: u64,
}

impl Split {
    fn new(config: &TcpConfig, buffered: Arc<Mutex<u64>>) -> Self {
        // The second half needs no handshake: the destination answers data at once.
        let inner = TcpConfig { handshake: Handshake::None, ..config.clone() };
        Self {
            receiver: Receiver::new(config),
            sender: Sender::new(inner, FlowId(0)),
            deadlines: [SimTime::MAX; 2],
            open: false,
            buffered,
            taken: 0,
        }
    }

    fn carry_out(&mut self, actions: Vec<tcp::Action>, towards: Towards, out: &mut Vec<Action>) {
        for action in actions {
            match action {
                tcp::Action::Send(segment) => out.push(Action::Send(towards, segment)),
                tcp::Action::Arm(timer, at) => self.deadlines[timer as usize] = at,
                tcp::Action::Event(_) => {}
            }
        }
    }

    fn send(&mut self, now: SimTime, input: tcp::Input, out: &mut Vec<Action>) {
        let mut actions = Vec::new();
        self.sender.handle(now, input, &mut actions);
        self.carry_out(actions, Towards::Destination, out);
        let mut most = self.buffered.lock().expect("one thread");
        *most = (*most).max(self.taken - self.sender.view().una);
    }

    fn passing(&mut self, cx: &Cx<'_>, id: PacketId, out: &mut Vec<Action>) {
        let Payload::Tcp(segment) = &cx.packets[id].payload else { return };
        if cx.packets[id].towards == Towards::Source {
            return self.send(cx.now, tcp::Input::Segment(*segment), out);
        }
        let mut actions = Vec::new();
        let arrival = self.receiver.on_segment(cx.now, segment, &mut actions);
        self.carry_out(actions, Towards::Source, out);
        if !self.open {
            self.open = true;
            self.send(cx.now, tcp::Input::Open, out);
        }
        if let Arrival::New { readable } = arrival {
            self.taken += readable;
            self.send(cx.now, tcp::Input::Write(readable), out);
        }
    }
}

impl Agent for Split {
    fn handle(&mut self, cx: &mut Cx<'_>, _: &NodeState, input: Input, out: &mut Vec<Action>) -> Verdict {
        match input {
            Input::Passing(id) => self.passing(cx, id, out),
            Input::Signal(_) | Input::Notice(_) => {}
            Input::Timer => {
                if std::mem::replace(&mut self.deadlines[1], SimTime::MAX) <= cx.now {
                    let mut actions = Vec::new();
                    self.receiver.on_timer(cx.now, &mut actions);
                    self.carry_out(actions, Towards::Source, out);
                }
                if self.deadlines[0] <= cx.now {
                    self.deadlines[0] = SimTime::MAX;
                    self.send(cx.now, tcp::Input::Timer(Timer::Retransmit), out);
                }
            }
        }
        out.push(Action::Arm(self.deadlines[0].min(self.deadlines[1])));
        Verdict::Absorb
    }
}

#[test]
fn a_proxy_ends_one_connection_and_carries_on_with_another() {
    for handshake in [Handshake::Syn, Handshake::Ns2, Handshake::None] {
        let config = TcpConfig { handshake, ..quick_tcp() };
        let mut world = Rig::chain(4, &QueueConfig::default());
        let buffered = Arc::default();
        world.nodes[2].relays_mut().add(FlowId(0), Box::new(Split::new(&config, Arc::clone(&buffered))));
        world.tcp(0, 0, 3, &config, AnyShim::NONE, AnyGate::OPEN);
        // The link behind the proxy is dead for two seconds: only the proxy's TCP may suffer.
        world.lost = Box::new(|now, frame, to| {
            (frame.from, to) == (NodeId(2), NodeId(3))
                && (SimTime::from_ms(200)..SimTime::from_secs(2)).contains(&now)
        });
        world.app(0, 0, App::Open);
        world.app(0, 0, App::Write(150_000));
        world.run(SimTime::from_secs(60));
        assert!(world.is_complete(0), "{:?}", world.sender(0).view());
        assert_eq!(world.arrived(0), 150_000, "every byte arrives once");
        assert_eq!(world.sender(0).counters().timeouts, 0, "the source sees a good link");
        let ledger = world.packets.ledger();
        assert!(ledger.absorbed[Absorbed::Proxy as usize] >= 150, "{ledger:?}");
        assert!(*buffered.lock().expect("one thread") > 20_000, "the proxy carries what the link does not");
        world.check_ledger();
    }
}
