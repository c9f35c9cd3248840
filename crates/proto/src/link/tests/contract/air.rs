//! Three stations with links of one kind that all hear each other, and all that can happen to them. Whatever a link
//! answers is checked against the contract.

mod ends;

use std::collections::{BTreeMap, BTreeSet};

use super::script::{STATIONS, Step};
use crate::contract::{Hold, NoNextHops, Offer, Sink, Supply, drop_packet};
use crate::link::{Action, Link};
use crate::mac::{self, Input, Sensed, Timer};
use crate::testing::{Alarm, Finding, cx, ensure, udp};
use crate::units::{Dur, FlowId, NodeId, SimTime};
use crate::wire::{DropReason, Frame, PacketId, PacketStore, UserPriority};

/// What a link has answered.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    Mac(mac::Action),
    Link(Action),
}

struct Out<'a>(&'a mut Vec<Answer>);

impl Sink<mac::Action> for Out<'_> {
    fn put(&mut self, action: mac::Action) {
        self.0.push(Answer::Mac(action));
    }
}

impl Sink<Action> for Out<'_> {
    fn put(&mut self, action: Action) {
        self.0.push(Answer::Link(action));
    }
}

struct Station {
    link: Link,
    up: bool,
    asleep: bool,
    timers: [Alarm; 3],
    /// What waits in front of a MAC, with the instant before which it is not offered.
    waiting: Vec<(PacketId, NodeId, SimTime)>,
    held: BTreeMap<NodeId, SimTime>,
    /// Until when packets are held that are about to come back.
    delayed: BTreeMap<u32, SimTime>,
    /// What the link has: offered to the MAC, or handed over.
    inside: Vec<(PacketId, NodeId)>,
    sending_until: SimTime,
    deaf: u32,
}

const TIMERS: [Timer; 3] = [Timer::Access, Timer::Sequence, Timer::Release];

/// A frame on the air, and which stations will receive it whole.
struct OnAir {
    frame: Frame,
    ends: SimTime,
    whole: [bool; STATIONS],
}

pub(super) struct Air {
    now: SimTime,
    stations: Vec<Station>,
    on_air: Vec<OnAir>,
    packets: PacketStore,
    delivered: BTreeSet<(u64, usize)>,
    /// Whether a station has gone down: what it knew of duplicates is gone.
    forgot: bool,
    trace: Vec<(usize, Answer)>,
    /// Whether frames between others go the short way, as in a node.
    short: bool,
}

impl Air {
    /// Takes links through a script; returns all that they answered.
    pub(super) fn run(links: Vec<Link>, steps: &[Step], short: bool) -> Finding<Vec<(usize, Answer)>> {
        let station = |link| Station {
            link,
            up: true,
            asleep: false,
            timers: [Alarm::OFF; 3],
            waiting: Vec::new(),
            held: BTreeMap::new(),
            delayed: BTreeMap::new(),
            inside: Vec::new(),
            sending_until: SimTime::ZERO,
            deaf: 0,
        };
        let mut air = Self {
            now: SimTime::ZERO,
            stations: links.into_iter().map(station).collect(),
            on_air: Vec::new(),
            packets: PacketStore::new(1),
            delivered: BTreeSet::new(),
            forgot: false,
            trace: Vec::new(),
            short,
        };
        for &step in steps {
            air.take(step).and_then(|()| air.check()).map_err(|error| format!("{error}; after {step:?}"))?;
        }
        air.come_to_rest()?;
        Ok(air.trace)
    }

    /// With all up and nothing missed, each packet comes to its end.
    fn come_to_rest(&mut self) -> Finding {
        for at in 0..STATIONS {
            self.stations[at].deaf = 0;
            if !self.stations[at].up {
                self.power(at)?;
            }
        }
        self.wait(Dur::from_secs(60))?;
        let left: usize =
            self.stations.iter().map(|station| station.inside.len() + station.waiting.len()).sum();
        ensure!(left == 0, "{left} packets have come to no end after a minute");
        self.check()
    }

    fn take(&mut self, step: Step) -> Finding {
        match step {
            Step::Packet(at, to, size) if self.stations[at].up => {
                let to = if at == to { NodeId::BROADCAST } else { NodeId(to as u32) };
                let packet = udp(&mut self.packets, FlowId(0), to, 0, size);
                if self.stations[at].link.supply() == Supply::ByCategory {
                    self.packets[packet].priority = UserPriority::new((size % 8) as u8);
                }
                if !self.stations[at].link.owns_packets() {
                    self.stations[at].waiting.push((packet, to, self.now));
                    return self.serve(at);
                }
                let mut answers = Vec::new();
                let station = &mut self.stations[at];
                station.inside.push((packet, to));
                let mut cx = cx(self.now, &mut self.packets);
                station.link.hand_over(&mut cx, packet, to, &NoNextHops, &mut Out(&mut answers));
                self.apply(at, answers)
            }
            Step::Wait(us) => self.wait(Dur::from_us(us)),
            Step::Deaf(at, frames) => {
                self.stations[at].deaf = frames;
                Ok(())
            }
            Step::Early(at) => self.feed(at, || Input::Timer(Timer::Access)),
            Step::Withdraw(at, to) if self.stations[at].up && self.stations[at].link.owns_packets() => {
                let station = &mut self.stations[at];
                let mut ignored: Vec<crate::queue::Action> = Vec::new();
                let mut cx = cx(self.now, &mut self.packets);
                for packet in station.link.withdraw(&mut cx, NodeId(to as u32), &mut ignored) {
                    let place = station.inside.iter().position(|&(inside, _)| inside == packet);
                    ensure!(place.is_some(), "it gives back a packet that it does not have");
                    station.inside.remove(place.unwrap_or(0));
                    drop_packet(&mut cx, packet, DropReason::NoRoute);
                }
                Ok(())
            }
            Step::Power(at) => self.power(at),
            Step::Packet(..) | Step::Withdraw(..) => Ok(()),
        }
    }

    fn power(&mut self, at: usize) -> Finding {
        let up = !self.stations[at].up;
        self.stations[at].up = up;
        self.forgot = true;
        self.feed(at, || Input::Power(up))?;
        let station = &mut self.stations[at];
        (station.asleep, station.held) = (false, BTreeMap::new());
        if up {
            return self.serve(at);
        }
        ensure!(
            !station.link.owns_packets() || station.inside.is_empty(),
            "it keeps packets after the node went down"
        );
        let waiting = station.waiting.drain(..).map(|(packet, ..)| packet);
        let lost: Vec<PacketId> = waiting.chain(station.inside.drain(..).map(|(packet, _)| packet)).collect();
        for packet in lost {
            drop_packet(&mut cx(self.now, &mut self.packets), packet, DropReason::NodeDown);
        }
        Ok(())
    }

    /// Offers a MAC that wants one a frame.
    fn serve(&mut self, at: usize) -> Finding {
        let station = &self.stations[at];
        let Some(supply) = station.link.mac_asks() else { return Ok(()) };
        let busy = supply == Supply::Head && !station.inside.is_empty();
        if !station.up || busy {
            return Ok(());
        }
        let may = |&(packet, to, from): &(PacketId, NodeId, SimTime)| {
            let priority = self.packets[packet].priority;
            let supply = match supply {
                Supply::ByCategory => station.link.supply_for(priority.category()),
                supply => Some(supply),
            };
            let other = match supply {
                Some(Supply::NextFor(neighbour, of)) => neighbour != to || of != priority,
                other => other.is_none(),
            };
            !other && from <= self.now && station.held.get(&to).is_none_or(|&until| until <= self.now)
        };
        let Some(place) = station.waiting.iter().position(may) else { return Ok(()) };
        let (packet, to, _) = self.stations[at].waiting.remove(place);
        self.stations[at].inside.push((packet, to));
        let offer = Offer { packet, to, size: self.packets[packet].size, second: None, kept: false };
        self.feed(at, || Input::Send(offer))
    }

    /// Time passes: frames end, timers fire, holds end.
    fn wait(&mut self, gap: Dur) -> Finding {
        let until = self.now + gap;
        for _ in 0..200_000 {
            for at in 0..STATIONS {
                self.serve(at)?;
            }
            let ends = self.on_air.iter().map(|on_air| on_air.ends).min().unwrap_or(SimTime::MAX);
            let alarm = self.stations.iter().flat_map(|it| it.timers).map(|timer| timer.at).min();
            let alarm = alarm.unwrap_or(SimTime::MAX);
            let holds = self
                .stations
                .iter()
                .flat_map(|it| it.waiting.iter().map(|&(_, _, from)| from).chain(it.held.values().copied()));
            let hold = holds.filter(|&at| at > self.now).min().unwrap_or(SimTime::MAX);
            let next = ends.min(alarm).min(hold);
            if next > until || next == SimTime::MAX {
                self.now = until;
                return Ok(());
            }
            self.now = next;
            if ends == next {
                self.end_frame()?;
            } else if alarm == next {
                self.fire()?;
            }
        }
        Err("timers without end".into())
    }

    fn fire(&mut self) -> Finding {
        for at in 0..STATIONS {
            for (place, timer) in TIMERS.into_iter().enumerate() {
                if self.stations[at].timers[place].take(self.now).is_some() {
                    return self.feed(at, || Input::Timer(timer));
                }
            }
        }
        Ok(())
    }

    fn end_frame(&mut self) -> Finding {
        let place = self.on_air.iter().position(|on_air| on_air.ends == self.now).unwrap_or(0);
        let OnAir { frame, whole, .. } = self.on_air.remove(place);
        for (at, whole) in whole.into_iter().enumerate() {
            let station = &mut self.stations[at];
            if !whole || !station.up || station.asleep || station.sending_until > self.now {
                continue;
            }
            let between_others = frame.to != NodeId(at as u32) && frame.to != NodeId::BROADCAST;
            if self.short && between_others && station.link.try_update_nav(self.now, &frame) {
                continue;
            }
            self.feed(at, || Input::Receive(&frame))?;
        }
        self.packets.release(&frame);
        Ok(())
    }

    /// A frame begins: the others sense it, and it collides with what is on the air.
    fn begin_frame(&mut self, at: usize, frame: Frame) -> Finding {
        let station = &mut self.stations[at];
        let count = frame.packets();
        let parts = [Some((frame.to, frame.packet)), frame.second.map(|part| (part.to, part.packet))];
        let batch = (0..).zip(self.packets.mpdus(frame.batch));
        let batch = batch.flat_map(|(place, mpdu)| {
            std::iter::once(mpdu.packet).chain(self.packets.packed(frame.batch, place))
        });
        for packet in parts.into_iter().flatten().take(count).map(|(_, packet)| packet).chain(batch) {
            let has = station.inside.iter().any(|&(inside, _)| inside == packet);
            ensure!(has, "it sends a packet that it does not have");
        }
        ensure!(station.sending_until <= self.now, "two transmissions at a time");
        ensure!(
            frame.airtime > Dur::ZERO && frame.from == NodeId(at as u32),
            "a frame of another: {frame:?}"
        );
        for (_, packet) in parts.into_iter().flatten().take(count) {
            self.packets.hold(packet);
        }
        let ends = self.now + frame.airtime;
        station.sending_until = ends;
        let collides = !self.on_air.is_empty();
        for other in &mut self.on_air {
            other.whole = [false; STATIONS];
        }
        let mut whole = [!collides; STATIONS];
        whole[at] = false;
        for listener in (0..STATIONS).filter(|&listener| listener != at) {
            let station = &mut self.stations[listener];
            if station.deaf > 0 {
                station.deaf -= 1;
                whole[listener] = false;
            }
            if !station.up || station.asleep {
                whole[listener] = false;
                continue;
            }
            let sensed = if whole[listener] { Sensed::Carrier(ends) } else { Sensed::Undecodable(ends) };
            if let Some(to) = station.link.sense(self.now, sensed) {
                station.timers[0].arm(self.now, to)?;
            }
        }
        self.on_air.push(OnAir { frame, ends, whole });
        Ok(())
    }

    fn feed<'a>(&mut self, at: usize, input: impl Fn() -> Input<'a>) -> Finding {
        let mut answers = Vec::new();
        let mut cx = cx(self.now, &mut self.packets);
        self.stations[at].link.handle(&mut cx, input, &NoNextHops, Out(&mut answers));
        self.apply(at, answers)
    }

    fn apply(&mut self, at: usize, answers: Vec<Answer>) -> Finding {
        for answer in answers {
            self.trace.push((at, answer.clone()));
            match answer {
                Answer::Mac(mac::Action::Transmit(frame)) | Answer::Link(Action::Transmit(frame)) => {
                    ensure!(self.stations[at].up, "its node is down, and it transmits");
                    self.begin_frame(at, frame)?;
                }
                Answer::Mac(mac::Action::Arm(timer, to)) | Answer::Link(Action::Arm(timer, to)) => {
                    let station = &mut self.stations[at];
                    ensure!(
                        station.up || to == SimTime::MAX,
                        "its node is down, and it sets a timer for {to}"
                    );
                    let place = TIMERS.iter().position(|&it| it == timer);
                    station.timers[place.unwrap_or(0)].arm(self.now, to)?;
                }
                Answer::Mac(mac::Action::Deliver { packet, from })
                | Answer::Link(Action::Deliver { packet, from }) => self.deliver(at, packet, from)?,
                Answer::Mac(mac::Action::Outcome(packet, outcome)) => self.outcome(at, packet, outcome)?,
                Answer::Mac(mac::Action::Hold(Hold::Packet(packet, until))) => {
                    self.stations[at].delayed.insert(packet.0, until);
                }
                Answer::Mac(mac::Action::Hold(Hold::Neighbour(neighbour, until))) => {
                    self.stations[at].held.insert(neighbour, until);
                }
                Answer::Mac(mac::Action::Doze(asleep)) => {
                    self.stations[at].asleep = asleep && self.stations[at].sending_until <= self.now;
                }
                Answer::Link(Action::Ended(packet, end)) => self.ended(at, packet, end)?,
                Answer::Link(Action::Dropped(dropped)) => drop(self.leaves(at, dropped.copy)?),
                Answer::Mac(mac::Action::Ready | mac::Action::Dropped(_)) | Answer::Link(Action::Room) => {}
            }
        }
        let station = &self.stations[at];
        if station.link.owns_packets() {
            let has: BTreeSet<u32> = station.link.packets().map(|packet| packet.0).collect();
            let inside: BTreeSet<u32> = station.inside.iter().map(|&(packet, _)| packet.0).collect();
            let ended = has.is_superset(&inside);
            ensure!(ended, "of {inside:?} it says that it has {has:?}: some have come to no end");
            ensure!(has == inside, "it says that it has {has:?}, and it has {inside:?}");
        }
        Ok(())
    }
}
