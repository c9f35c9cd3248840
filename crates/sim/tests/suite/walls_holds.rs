//! A wall of the architecture: a MAC holds a packet or a neighbour until an instant, calls for frames when it is ready
//! for them, and reads what waits behind it.

use std::sync::{Arc, Mutex};

use crate::common::Case;
use crate::common::walls::{advance, data_frame};
use multihop_proto::contract::{Backlog, Cx, Head, Held, Hold, Outcome, Sink};
use multihop_proto::mac::{Action as MacAction, Input as MacInput, Mac, Timer};
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::PacketId;
use multihop_sim::network::Network;

/// Sends one frame a slot and asks for it when the slot begins. It does not send to node 0 before its time, nor the
/// first packet that it gets, and it reads what waits behind it.
#[derive(Debug)]
struct SlotMac {
    me: NodeId,
    ready: bool,
    /// What it has sent: when, and to which node.
    sent: Arc<Mutex<Vec<(SimTime, NodeId)>>>,
    heads: Arc<Mutex<Vec<Head>>>,
    first: Option<PacketId>,
}

const SLOT: Dur = Dur::from_ms(10);
const HELD: SimTime = SimTime::from_ms(503);

impl Mac for SlotMac {
    fn handle<B: Backlog, S: Sink<MacAction>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: MacInput<'_>,
        backlog: &B,
        mut out: S,
    ) {
        match input {
            MacInput::Send(offer) => {
                assert!(backlog.free() <= 50 && backlog.length() < 50);
                let first = *self.first.get_or_insert(offer.packet);
                let back = if first == offer.packet && cx.now < HELD {
                    Some(Hold::Packet(first, HELD))
                } else {
                    (offer.to == NodeId(0) && cx.now < HELD).then_some(Hold::Neighbour(NodeId(0), HELD))
                };
                if let Some(hold) = back {
                    out.put(MacAction::Hold(hold));
                    return out.put(MacAction::Outcome(offer.packet, Outcome::Held(Held::Turn)));
                }
                self.ready = false;
                self.sent.lock().expect("one thread").push((cx.now, offer.to));
                out.put(MacAction::Transmit(data_frame(self.me, offer, None, Dur::from_ms(5))));
                out.put(MacAction::Outcome(offer.packet, Outcome::Delivered { rts: 0, attempts: 1 }));
            }
            MacInput::Timer(_) => {
                let mut heads = self.heads.lock().expect("one thread");
                heads.clear();
                backlog.each_head(&mut |head| heads.push(head));
                self.ready = true;
                out.put(MacAction::Ready);
                out.put(MacAction::Arm(Timer::Sequence, cx.now + SLOT));
            }
            MacInput::Receive(frame) => {
                if let Some(part) = frame.part_for(self.me) {
                    let packet = cx.packets.receive(part);
                    out.put(MacAction::Deliver { packet, from: frame.from });
                }
            }
            MacInput::Power(_) => out.put(MacAction::Arm(Timer::Sequence, cx.now + SLOT)),
        }
    }

    fn wants_frame(&self) -> bool {
        self.ready
    }
}

#[test]
fn a_mac_calls_for_frames_at_slots_and_holds_a_neighbour_and_a_packet_until_an_instant() {
    // By flow: the first packet of the first is held, and the neighbour of the second; the third goes.
    let flows = ["2", "0", "2"].map(|to| {
        format!(
            "[[flow]]\nkind = \"cbr\"\nfrom = \"1\"\nto = \"{to}\"\nrate = \"533 kbps\"\npacket = \"500 B\"\n\
             stop = \"150 ms\"\n"
        )
    });
    let text = format!(
        "profile = \"ns2\"\n[run]\nduration = \"60 s\"\n[topology]\nkind = \"chain\"\nhops = 2\nspacing = \"200 m\"\n\
         [queue]\nservice = \"drr\"\nclass-by = \"flow\"\n{}",
        flows.concat()
    );
    let scenario = Case::new(&text).resolve();
    let mut network = Network::new(&scenario, 1);
    let (sent, heads) = (Arc::<Mutex<Vec<_>>>::default(), Arc::<Mutex<Vec<_>>>::default());
    for id in 0..3 {
        let me = NodeId(id);
        let (sent, heads) = (Arc::clone(&sent), Arc::default());
        let mac = SlotMac { me, ready: false, sent, heads, first: None };
        network.node_mut(me).links_mut().link_mut().set_mac(mac);
    }
    let mac = SlotMac {
        me: NodeId(1),
        ready: false,
        sent: Arc::clone(&sent),
        heads: Arc::clone(&heads),
        first: None,
    };
    network.node_mut(NodeId(1)).links_mut().link_mut().set_mac(mac);
    network.power(NodeId(1), true);
    network.advance(SimTime::from_ms(495));
    {
        let (sent, heads) = (sent.lock().expect("one thread"), heads.lock().expect("one thread"));
        assert!(sent.iter().all(|&(at, to)| to == NodeId(2) && at.as_ns() % SLOT.as_ns() == 0), "{sent:?}");
        assert_eq!(sent.len(), 20, "{sent:?}");
        let waiting: Vec<_> =
            heads.iter().map(|head| (head.to, head.class_length, head.in_service)).collect();
        assert_eq!(waiting, [(NodeId(2), 20, false), (NodeId(0), 20, false)]);
    }
    advance(&mut network, 2);
    let sent = sent.lock().expect("one thread");
    let to = |to| sent.iter().filter(|&&(_, of)| of == NodeId(to)).count();
    assert_eq!((to(0), to(2)), (20, 40), "{sent:?}");
    // The end of the holds is in the middle of a slot: the MAC, which has been ready since the last, gets one at once.
    assert_eq!(sent[20].0, HELD, "{sent:?}");
    let first = sent.iter().find(|&&(_, to)| to == NodeId(0)).map(|&(at, _)| at);
    assert!(first.is_some_and(|at| at >= HELD && at < HELD + SLOT * 4), "{first:?}");
    assert_eq!(network.nodes()[1].held(), 0);
}
