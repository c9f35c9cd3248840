//! What is heard: echoes of what was sent, FRN ACKs, and packets.

use super::config::Postpone;
use super::entry::State;
use super::machine::{Answer, Arrival, Frn};
use crate::link::Action;
use crate::port::{Cx, Sink};
use crate::units::NodeId;
use crate::wire::{Frame, FrameKind, PacketId, Part};

/// What an FRN ACK names its packet by: the sequence number of the frame.
pub(super) const fn sequence(uid: u64) -> u16 {
    (uid & 0xfff) as u16
}

impl Frn {
    /// A frame was received whole, whomever it is for.
    pub(super) fn hear(&mut self, cx: &mut Cx<'_>, frame: &Frame, out: &mut dyn Sink<Action>) {
        let slot = self.clock.number(cx.now - frame.airtime);
        if frame.kind == FrameKind::Ack {
            if frame.to == self.me {
                self.echo(frame.from, slot, |uid| sequence(uid) == frame.sequence, out);
            }
            return self.wake(self.clock.number(cx.now), out);
        }
        let first = Part { to: frame.to, packet: frame.packet };
        // Who sends a packet on has it.
        for part in [Some(first), frame.second].into_iter().flatten() {
            let echoed = cx.packets[part.packet].uid;
            self.echo(frame.from, slot, |uid| uid == echoed, out);
        }
        let Some(second) = frame.second else {
            if first.to == self.me || first.to.is_broadcast() {
                self.take(cx, frame, first.packet, slot + 1, out);
            }
            return self.wake(self.clock.number(cx.now), out);
        };
        // The data are the first part. Of the two echoes one comes a slot later, and meanwhile its sender is silent.
        let (prompt, postponed) = match self.config.postpone {
            Postpone::Ack => (first, second),
            Postpone::Data => (second, first),
        };
        if prompt.to == self.me {
            self.take(cx, frame, prompt.packet, slot + 1, out);
        } else if postponed.to == self.me {
            self.silent = slot + 1;
        }
        if postponed.to == self.me {
            self.take(cx, frame, postponed.packet, slot + 2, out);
        }
        self.wake(self.clock.number(cx.now), out);
    }

    /// A neighbour has shown that it has a packet.
    fn echo(&mut self, from: NodeId, slot: u64, is: impl Fn(u64) -> bool, out: &mut dyn Sink<Action>) {
        let late = self.config.late_echo;
        let place = self.entries.iter().position(|entry| {
            let expected = match entry.state {
                State::Waiting { echo } => echo == slot || late,
                State::Backoff(_) => late,
                State::Ready | State::On(_) => false,
            };
            expected && entry.to == from && is(entry.uid)
        });
        if let Some(place) = place {
            let beside = self.entries[place].beside;
            self.through(place, slot, out);
            self.end_beside(beside, slot, out);
        }
    }

    /// Takes in a packet, and sends it on, or answers for it, in the slot given.
    fn take(
        &mut self,
        cx: &mut Cx<'_>,
        frame: &Frame,
        part: PacketId,
        answer: u64,
        out: &mut dyn Sink<Action>,
    ) {
        let (uid, from) = (cx.packets[part].uid, frame.from);
        if let Some(held) = self.entries.iter_mut().find(|entry| entry.uid == uid) {
            // The neighbour has not heard the echo: it gets another.
            held.state = State::On(answer);
            self.counters.repeated += 1;
            return cx.packets.receive_duplicate(part);
        }
        let header = cx.packets[part].mac_sequence;
        let packet = cx.packets.receive(part);
        let copy = &mut cx.packets[packet];
        copy.mac_sequence = header;
        let (here, to_all) = (copy.destination == self.me, frame.to.is_broadcast());
        if !to_all {
            self.counters.duplicates += u64::from(self.passed.contains(&uid));
            if here {
                self.remember(uid);
                self.answers.push(Answer { slot: answer, to: from, uid });
            } else {
                self.arrivals.push(Arrival { packet, uid, from, slot: answer });
            }
        }
        out.put(Action::Deliver { packet, from });
    }
}
