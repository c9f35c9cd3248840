//! How a packet leaves a link, and where packets are.

use std::collections::BTreeSet;

use super::{Air, STATIONS};
use crate::contract::{Outcome, drop_packet};
use crate::link::End;
use crate::testing::{Finding, cx, ensure};
use crate::units::NodeId;
use crate::wire::{Absorbed, DropReason, Fate, PacketId};

impl Air {
    /// A packet comes out of the link; it must have been there.
    pub(super) fn leaves(&mut self, at: usize, packet: PacketId) -> Finding<NodeId> {
        let station = &mut self.stations[at];
        let place = station.inside.iter().position(|&(inside, _)| inside == packet);
        ensure!(place.is_some(), "an end for a packet that it does not have");
        Ok(station.inside.remove(place.unwrap_or(0)).1)
    }

    pub(super) fn outcome(&mut self, at: usize, packet: PacketId, outcome: Outcome) -> Finding {
        let to = self.leaves(at, packet)?;
        match outcome {
            Outcome::Delivered { .. } if to.is_broadcast() => {
                self.packets.end(packet, Fate::Absorbed(Absorbed::Broadcast));
            }
            Outcome::Delivered { .. } => self.packets.end(packet, Fate::HandedOver),
            Outcome::GaveUp { cause, .. } => {
                drop_packet(&mut cx(self.now, &mut self.packets), packet, cause.reason());
            }
            Outcome::Held(_) => {
                let from = self.stations[at].delayed.remove(&packet.0).unwrap_or(self.now);
                self.stations[at].waiting.push((packet, to, from));
            }
        }
        Ok(())
    }

    pub(super) fn ended(&mut self, at: usize, packet: PacketId, end: End) -> Finding {
        self.leaves(at, packet)?;
        ensure!(self.packets.in_custody(packet), "it ended a packet that the node was to have");
        let fate = match end {
            End::Delivered { .. } => Fate::HandedOver,
            End::Broadcast => Fate::Absorbed(Absorbed::Broadcast),
            End::GaveUp { cause, .. } => Fate::Dropped(cause.reason()),
            End::Held { until, .. } => {
                ensure!(until >= self.now, "a packet is held until {until}, which is over");
                Fate::Dropped(DropReason::NoRoute)
            }
        };
        self.packets.end(packet, fate);
        Ok(())
    }

    pub(super) fn deliver(&mut self, at: usize, packet: PacketId, from: NodeId) -> Finding {
        ensure!(self.stations[at].up, "its node is down, and it delivers");
        let inside = self.stations.iter().any(|station| station.inside.iter().any(|&(it, _)| it == packet));
        ensure!(self.packets.in_custody(packet) && !inside, "it delivers a packet that is not its own copy");
        ensure!(from.index() < STATIONS && from.index() != at, "it delivers a packet from {from:?}");
        let first = self.delivered.insert((self.packets[packet].uid, at));
        // A MAC filters duplicates (IEEE 802.11-2020 §10.3.2.14); a link with relay echo leaves that to the ends.
        let may = self.forgot || self.stations[at].link.owns_packets();
        ensure!(first || may, "the same packet is delivered twice");
        self.packets.end(packet, Fate::Delivered);
        Ok(())
    }

    /// Each packet is in one place.
    pub(super) fn check(&self) -> Finding {
        let mut places = BTreeSet::new();
        for station in &self.stations {
            let waiting = station.waiting.iter().map(|&(packet, ..)| packet);
            for packet in waiting.chain(station.inside.iter().map(|&(packet, _)| packet)) {
                ensure!(places.insert(packet.0), "a packet is in two places");
                ensure!(self.packets.in_custody(packet), "it has ended a packet that it was only lent");
            }
        }
        let live = self.packets.live();
        ensure!(
            live == places.len(),
            "{live} packets are alive, {} are somewhere: one has leaked",
            places.len()
        );
        Ok(())
    }
}
