//! What nodes act on: the clock, the timers, the frames on the air, the record.

use multihop_proto::contract::{Dropped, Sink};
use multihop_proto::node::Action;
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{Frame, PacketId, PacketKind};

use super::spans::Spans;
use crate::kernel::EventQueue;
use crate::probe::{Doubt, Recorder, RouteRecord, Tap};

/// What of a station is on the air. Whatever it is, it holds its packets in the store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Transmission {
    /// Nothing.
    None,
    /// A frame that has not begun to arrive anywhere; only with a propagation delay.
    Leaving(Frame),
    /// A frame that begins to arrive now, or (without a delay) has begun.
    Beginning(Frame),
    /// A frame that has begun to arrive.
    Arriving(Frame),
    /// Nothing: the radio dozes.
    Dozing,
    /// A frame that a dozing radio was given: it reaches no node.
    Mute(Frame),
}

impl Transmission {
    /// The frame.
    pub(super) const fn frame(&self) -> Option<&Frame> {
        match self {
            Self::None | Self::Dozing => None,
            Self::Leaving(frame) | Self::Beginning(frame) | Self::Arriving(frame) | Self::Mute(frame) => {
                Some(frame)
            }
        }
    }

    /// The frame, if it begins to arrive now.
    pub(super) const fn beginning(&self) -> Option<&Frame> {
        match self {
            Self::Beginning(frame) => Some(frame),
            _ => None,
        }
    }
}

/// Nodes whose transmissions leave or begin to arrive at one instant: mostly one, which then costs no list.
#[derive(Debug)]
pub(super) struct Starting {
    /// `NodeId::BROADCAST` if there is none.
    first: NodeId,
    more: Vec<NodeId>,
}

impl Starting {
    pub(super) const fn none() -> Self {
        Self { first: NodeId::BROADCAST, more: Vec::new() }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.first == NodeId::BROADCAST
    }

    #[inline]
    pub(super) fn push(&mut self, node: NodeId) {
        if self.is_empty() {
            self.first = node;
        } else {
            self.more.push(node);
        }
    }

    /// Leaves one out.
    fn forget(&mut self, node: NodeId) {
        self.more.retain(|&other| other != node);
        if self.first == node {
            self.first = if self.more.is_empty() { NodeId::BROADCAST } else { self.more.remove(0) };
        }
    }

    /// All of them, in the order in which they came.
    pub(super) fn iter(&self) -> impl Iterator<Item = NodeId> + Clone + '_ {
        let first = (!self.is_empty()).then_some(self.first);
        first.into_iter().chain(self.more.iter().copied())
    }

    /// Takes the only one, if there is only one.
    #[inline]
    pub(super) fn take_only(&mut self) -> Option<NodeId> {
        let only = self.more.is_empty() && !self.is_empty();
        only.then(|| std::mem::replace(&mut self.first, NodeId::BROADCAST))
    }

    /// Takes them all into `all`, in the order in which they came.
    pub(super) fn take_into(&mut self, all: &mut Vec<NodeId>) {
        all.clear();
        all.extend(self.iter());
        self.first = NodeId::BROADCAST;
        self.more.clear();
    }
}

/// What waits until the present event is over, for it takes more than the world to do it.
#[derive(Clone, Copy, Debug)]
pub(super) enum After {
    /// A segment is looked up at its receiver.
    LookUp(FlowId, u64, Doubt),
    /// A packet of a flow with open repairs has arrived, or that at this position was lost.
    SettleRepairs(FlowId, Option<u64>),
    /// A station dozes, or wakes.
    Doze(NodeId, bool),
    /// A packet passes from one end of a wire to the other.
    Wire(NodeId, NodeId, PacketId),
    /// A packet has arrived over a wire at the first node, from the second.
    WireReceived(NodeId, NodeId, PacketId),
}

/// Takes what nodes answer.
pub(super) struct World {
    pub(super) now: SimTime,
    /// The node that is being told something.
    pub(super) node: NodeId,
    pub(super) timers: EventQueue,
    /// Stations whose transmissions leave or begin to arrive at this instant.
    pub(super) starting: Starting,
    /// The frames that leave at this instant, with a propagation delay.
    pub(super) leaving: Vec<Frame>,
    /// Time that a signal takes to every listener.
    pub(super) delay: Dur,
    /// When the latest transmissions of each station arrive; kept with a propagation delay, and where MPDUs are
    /// watched.
    pub(super) arrivals: Vec<Spans>,
    /// What each station is sending, until it has arrived.
    pub(super) on_air: Vec<Transmission>,
    /// Frames that their nodes sent while the one before was still arriving, each with the instant at which it begins
    /// to arrive, in the order of sending.
    pub(super) behind: Vec<(SimTime, Frame)>,
    /// What is to be done when the present event is over.
    pub(super) after: Vec<After>,
    pub(super) recorder: Recorder,
    pub(super) tap: Option<Box<dyn Tap>>,
}

impl Sink<Action> for World {
    #[inline(always)]
    fn put(&mut self, action: Action) {
        match action {
            Action::Transmit(frame) => {
                let station = frame.from;
                let on_air = &mut self.on_air[station.index()];
                if self.delay > Dur::ZERO || !matches!(on_air, Transmission::None) {
                    // Not as a frame: what is handed on has to stand in memory, and here it stands only in its place.
                    return self.transmit_later(&Transmission::Leaving(frame));
                }
                self.timers.arm_end(station, self.now + frame.airtime);
                *on_air = Transmission::Beginning(frame);
                self.starting.push(station);
            }
            Action::Arm(station, timer, at) => self.timers.arm(station, timer, at),
            Action::Dropped(dropped) => self.dropped(dropped),
            Action::WireSent(to, packet) => self.after.push(After::Wire(self.node, to, packet)),
            Action::WireReceived(from, packet) => {
                self.after.push(After::WireReceived(self.node, from, packet));
            }
            Action::Doze(station, doze) => self.doze(station, doze),
            Action::GaveUp(station, cause) => self.recorder.gave_up(self.now, self.node, station, cause),
            Action::Transport { flow, event } => {
                let doubt = self.recorder.transport(self.now, flow, event);
                self.after.extend(doubt.map(|(seq, doubt)| After::LookUp(flow, seq, doubt)));
            }
            Action::Route { destination, found } => {
                self.recorder.route(RouteRecord { at: self.now, node: self.node, destination, found });
            }
            Action::Arrived { flow, readable, delay, hops } => {
                self.recorder.arrived(self.now, flow, readable, delay, hops);
                if self.recorder.has_open_repairs(flow) {
                    self.after.push(After::SettleRepairs(flow, None));
                }
            }
        }
    }
}

impl World {
    /// Notes when what begins now arrives, without a delay, if that is kept.
    pub(super) fn note_arrivals(&mut self) {
        if self.arrivals.is_empty() {
            return;
        }
        for station in self.starting.iter() {
            if let Some(frame) = self.on_air[station.index()].beginning() {
                self.arrivals[station.index()].push(self.now, self.now + frame.airtime);
            }
        }
    }

    /// A packet is no more, or a copy that it does not need.
    #[cold]
    fn dropped(&mut self, dropped: Dropped) {
        let why = self.recorder.dropped(self.now, self.node, dropped);
        if dropped.kind == PacketKind::TcpData && self.recorder.has_open_repairs(dropped.flow) {
            self.after.push(After::SettleRepairs(dropped.flow, dropped.position));
        }
        if let Some(tap) = self.tap.as_mut().filter(|_| !dropped.spare) {
            tap.dropped(self.now, self.node, &dropped, why);
        }
    }

    /// A node sends what arrives after a delay, or while what it sent before is still arriving. Without a delay that
    /// breaks the contract of its MAC: the frame goes out when the one before has ended.
    #[cold]
    fn transmit_later(&mut self, leaving: &Transmission) {
        let Some(&frame) = leaving.frame() else { return };
        let begin = self.now + self.delay;
        let station = frame.from;
        let on_air = &mut self.on_air[station.index()];
        if matches!(on_air, Transmission::Dozing) {
            *on_air = Transmission::Mute(frame);
            return self.timers.arm_end(station, self.now + frame.airtime);
        }
        if matches!(on_air, Transmission::None) {
            *on_air = Transmission::Leaving(frame);
            self.timers.arm_end(station, begin);
        } else {
            self.behind.push((begin, frame));
        }
        if self.delay > Dur::ZERO {
            self.leaving.push(frame);
            self.starting.push(station);
        }
    }

    /// A radio is to doze, or to wake: it does when the present event is over.
    #[cold]
    fn doze(&mut self, node: NodeId, doze: bool) {
        let on_air = &mut self.on_air[node.index()];
        match (&*on_air, doze) {
            (Transmission::None, true) => *on_air = Transmission::Dozing,
            (Transmission::Dozing, false) => *on_air = Transmission::None,
            (Transmission::Mute(_), false) => {} // what it has been given goes on reaching no node
            _ => return,
        }
        self.after.push(After::Doze(node, doze));
    }

    /// The next frame of a node takes the place of one that has arrived.
    #[cold]
    pub(super) fn follow_up(&mut self, node: NodeId) {
        if let Some(place) = self.behind.iter().position(|(_, frame)| frame.from == node) {
            let (begin, frame) = self.behind.remove(place);
            self.on_air[node.index()] = Transmission::Leaving(frame);
            self.timers.arm_end(node, begin.max(self.now));
        }
    }

    /// A node goes down: what it was about to send never leaves. Returns what was on the air of it, and whether others
    /// have heard it begin; and what was to follow.
    pub(super) fn silence(&mut self, node: NodeId) -> (Option<(Frame, bool)>, Vec<Frame>) {
        let beginning = self.starting.iter().any(|other| other == node);
        self.starting.forget(node);
        self.leaving.retain(|frame| frame.from != node);
        let behind =
            self.behind.extract_if(.., |(_, frame)| frame.from == node).map(|(_, frame)| frame).collect();
        let was = match std::mem::replace(&mut self.on_air[node.index()], Transmission::None) {
            Transmission::None | Transmission::Dozing => None,
            Transmission::Leaving(frame) | Transmission::Mute(frame) => Some((frame, false)),
            Transmission::Beginning(frame) => Some((frame, !beginning)),
            Transmission::Arriving(frame) => Some((frame, true)),
        };
        (was, behind)
    }

    /// What a station has yet to send of the frame that is on the air.
    pub(super) fn still_to_send(&self, station: NodeId) -> Dur {
        let airtime = match self.on_air[station.index()] {
            Transmission::None | Transmission::Dozing => return Dur::ZERO,
            Transmission::Leaving(frame) => frame.airtime,
            Transmission::Beginning(_) | Transmission::Arriving(_) | Transmission::Mute(_) => Dur::ZERO,
        };
        let end = self.timers.end_of(station).map(|event| event + airtime);
        end.map_or(Dur::ZERO, |end| end.saturating_since(self.now).saturating_sub(self.delay))
    }

    /// All that is on the air, and waits to be.
    pub(super) fn transmissions(&self) -> impl Iterator<Item = &Frame> {
        let behind = self.behind.iter().map(|(_, frame)| frame);
        self.on_air.iter().filter_map(Transmission::frame).chain(behind)
    }
}
