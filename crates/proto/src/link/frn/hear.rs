//! What is heard: echoes of what was sent, FRN ACKs, and packets.

use super::config::Postpone;
use super::entry::{Entry, Phase, State};
use super::machine::{Answer, Arrival, Frn, end_of_life};
use super::slot_header::SlotHeader;
use crate::contract::{Cx, Sink};
use crate::link::Action;
use crate::units::{NodeId, SimTime};
use crate::wire::{Frame, FrameKind, FramePart, PacketId};

/// What an FRN ACK names its packet by: the sequence number of the frame.
pub(super) const fn sequence(uid: u64) -> u16 {
    (uid & 0xfff) as u16
}

impl Frn {
    /// A frame was received whole, whichever node it is for.
    pub(super) fn hear<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, frame: &Frame, out: &mut S) {
        if self.undrawn.is_some() {
            self.hear_at_beginning(cx.now, out);
        }
        let slot = self.clock.number(cx.now - frame.airtime);
        let changes = match frame.kind {
            FrameKind::Ack => {
                frame.to == self.me
                    && self.echo(frame.from, (cx.now, slot), |uid| sequence(uid) == frame.sequence, out)
            }
            _ => self.hear_packets(cx, frame, slot, out),
        };
        if changes {
            let slot = self.clock.number(cx.now);
            self.wake_anew(slot, out);
        }
    }

    /// A frame with packets; returns whether it has changed what there is to do.
    fn hear_packets<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        frame: &Frame,
        slot: u64,
        out: &mut S,
    ) -> bool {
        let first = FramePart { to: frame.to, packet: frame.packet };
        // The node that sends a packet on has it.
        let changes = self.echo(frame.from, (cx.now, slot), |uid| uid == cx.packets[first.packet].uid, out);
        let Some(second) = frame.second else {
            let mine = first.to == self.me || first.to.is_broadcast();
            return mine && self.take(cx, frame, first.packet, (slot, slot + 1), out) || changes;
        };
        let changes =
            self.echo(frame.from, (cx.now, slot), |uid| uid == cx.packets[second.packet].uid, out) || changes;
        // The data are the first part. Of the two echoes one comes a slot later, and meanwhile its sender is silent.
        let (prompt, postponed) = match self.config.postpone {
            Postpone::Ack => (first, second),
            Postpone::Data => (second, first),
        };
        let mut changes = changes;
        if prompt.to == self.me {
            changes |= self.take(cx, frame, prompt.packet, (slot, slot + 1), out);
        } else if postponed.to == self.me {
            self.silent = slot + 1;
            changes = true;
        }
        if postponed.to == self.me {
            changes |= self.take(cx, frame, postponed.packet, (slot, slot + 2), out);
        }
        changes
    }

    /// A neighbour has shown that it has a packet; returns whether it was awaited.
    fn echo<S: Sink<Action>>(
        &mut self,
        from: NodeId,
        (now, slot): (SimTime, u64),
        is: impl Fn(u64) -> bool,
        out: &mut S,
    ) -> bool {
        let late = self.config.late_echo;
        let expected = |entry: &Entry| match entry.state.phase {
            Phase::Waiting => entry.state.due == slot || late,
            Phase::Backoff => late,
            Phase::Ready | Phase::On => false,
        };
        // The number first: mostly it is another one.
        let awaited = |entry: &Entry| is(entry.uid) && entry.to == from && expected(entry);
        let place = self.entries.iter().position(awaited);
        let Some(place) = place else { return false };
        let beside = self.entries[place].beside;
        self.through(place, (now, slot), out);
        self.end_beside(beside, (now, slot), out);
        true
    }

    /// Takes in a packet, and sends it on, or answers for it, in the slot given. Returns whether there is more to do
    /// than what was handed up may bring.
    fn take<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        frame: &Frame,
        part: PacketId,
        (slot, answer): (u64, u64),
        out: &mut S,
    ) -> bool {
        let (uid, from) = (cx.packets[part].uid, frame.from);
        if let Some(held) = self.entries.iter_mut().find(|entry| entry.uid == uid) {
            // The neighbour has not heard the echo: it gets another.
            self.counters.unawaited += u64::from(held.state.phase == Phase::Waiting);
            held.state = State::on(answer);
            self.look_again();
            self.counters.repeated += 1;
            cx.packets.receive_duplicate(part);
            return true;
        }
        let packet = cx.packets.receive(part);
        let copy = &cx.packets[packet];
        let dies = end_of_life(slot, SlotHeader::of(copy));
        let (here, to_all) = (copy.destination == self.me, frame.to.is_broadcast());
        if !to_all {
            self.counters.duplicates += u64::from(self.passed.has(uid));
            if here {
                self.passed.note(uid);
                self.answers.push(Answer { slot: answer, to: from, uid });
            } else {
                let heard = self.clock.number(cx.now);
                self.arrivals.retain(|it| it.heard == heard);
                self.arrivals.push(Arrival { packet, uid, from, heard, slot: answer, dies });
            }
        }
        out.put(Action::Deliver { packet, from });
        here && !to_all
    }
}
