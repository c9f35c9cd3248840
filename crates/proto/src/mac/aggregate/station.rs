//! The windows, scoreboards and reordering buffers of a station, and what it has under way.

use super::config::{AfterMissed, AggregationConfig, GivesUp};
use super::limits::{Limits, Load};
use super::originator::{Originator, Pending};
use super::recipient::{Reception, Recipient};
use crate::phy::TxVector;
use crate::units::{Bytes, Dur, NodeId, SimTime, counters};
use crate::wire::{Bitmap, Mpdu, PacketId};

/// What the station sends, or contends for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnderWay {
    /// A frame with so many MPDUs, or with one to all.
    Frame(Load),
    /// A block ack request.
    Request,
}

counters! {
    /// What aggregation counts.
    pub struct AggregationCounters {
        /// Unicast MPDUs sent, alone or in an A-MPDU.
        pub mpdus = "mac.mpdus",
        /// A-MPDUs sent: frames with more than one MPDU.
        pub aggregates = "mac.a-mpdus",
        /// MPDUs sent that had been sent before.
        pub retries = "mac.mpdu-retries",
        /// Block acks sent.
        pub block_acks = "mac.block-acks",
        /// Block ack requests sent.
        pub requests = "mac.block-ack-requests",
        /// MPDUs that came after the reordering buffer had given up waiting for them.
        pub late = "mac.late-mpdus",
    }
}

/// What a station has of aggregation.
#[derive(Debug)]
pub struct Aggregation {
    config: AggregationConfig,
    limits: Limits,
    to: Vec<(NodeId, Originator)>,
    from: Vec<(NodeId, Recipient)>,
    pub(in crate::mac) under_way: UnderWay,
    /// Whether a packet for any neighbour is welcome: it may have waited longer than what is contended for.
    open: bool,
    /// When the release timer was asked for.
    armed: SimTime,
    pub(in crate::mac) counters: AggregationCounters,
}

impl Aggregation {
    /// That of a configuration, if it is on.
    #[must_use]
    pub fn new(config: &AggregationConfig) -> Option<Box<Self>> {
        let fresh = || Self {
            config: *config,
            limits: Limits::new(config),
            to: Vec::new(),
            from: Vec::new(),
            under_way: UnderWay::Request,
            open: false,
            armed: SimTime::MAX,
            counters: AggregationCounters::default(),
        };
        config.on.then(|| Box::new(fresh()))
    }

    /// Length of a block ack.
    #[must_use]
    pub const fn block_ack(&self) -> Bytes {
        self.config.block_ack()
    }

    /// The window of a neighbour, or of what is sent to all.
    pub fn originator(&mut self, to: NodeId) -> &mut Originator {
        let place = self.to.iter().position(|(node, _)| *node == to).unwrap_or_else(|| {
            self.to.push((to, Originator::default()));
            self.to.len() - 1
        });
        &mut self.to[place].1
    }

    /// Whether another packet for this neighbour could go with the next frame.
    #[must_use]
    pub fn has_room(&self, to: NodeId, tx: TxVector) -> bool {
        let Some((_, originator)) = self.to.iter().find(|(node, _)| *node == to) else { return true };
        if !originator.has_room(self.config.window) || to == NodeId::BROADCAST {
            return false;
        }
        let waiting = originator.sendable(self.config.window).count();
        self.load(originator, tx).count == waiting
    }

    /// Whether a packet for any neighbour is welcome beside what is contended for.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.open
    }

    /// A packet has joined its window.
    pub fn take(&mut self, to: NodeId, packet: PacketId, size: Bytes, queued: SimTime) {
        self.open = false;
        self.originator(to).take(packet, size, queued);
    }

    /// The neighbour whose oldest packet has waited longest.
    pub fn next(&self) -> Option<NodeId> {
        let waiting = self.to.iter().filter_map(|(node, it)| Some((it.oldest()?, *node)));
        waiting.min_by_key(|&(since, _)| since).map(|(_, node)| node)
    }

    /// From now on a packet for any neighbour is welcome: it may have waited longer than what is contended for.
    pub const fn open(&mut self) {
        self.open = true;
    }

    fn load(&self, originator: &Originator, tx: TxVector) -> Load {
        self.limits.load(tx, originator.sendable(self.config.window).map(|it| it.size))
    }

    /// Settles what the next frame to a neighbour is.
    pub fn settle(&mut self, to: NodeId, tx: TxVector) -> UnderWay {
        self.open = false;
        let broadcast = to == NodeId::BROADCAST;
        let originator = self.originator(to);
        self.under_way = if originator.asks() {
            UnderWay::Request
        } else if broadcast {
            UnderWay::Frame(Load {
                count: 1,
                psdu: originator.sendable(1).next().map_or(Bytes::ZERO, |it| it.size),
            })
        } else {
            let Some((_, originator)) = self.to.iter().find(|(node, _)| *node == to) else {
                return self.under_way;
            };
            UnderWay::Frame(self.load(originator, tx))
        };
        self.under_way
    }

    /// The MPDUs of the frame under way, which is sent now.
    pub fn depart(&mut self, to: NodeId, tx: TxVector, count: usize) -> Vec<Mpdu> {
        let limits = self.limits;
        let originator = self.originator(to);
        let mpdu = |it: &Pending| {
            let Pending { packet, size, number, attempts, .. } = *it;
            Mpdu { packet, number, retry: attempts > 0, size, room: limits.room(tx, size) }
        };
        let mpdus: Vec<Mpdu> = originator.sendable(u16::MAX).take(count).map(mpdu).collect();
        originator.depart(count);
        if to != NodeId::BROADCAST {
            self.counters.mpdus += mpdus.len() as u64;
            self.counters.aggregates += u64::from(mpdus.len() > 1);
            self.counters.retries += mpdus.iter().filter(|mpdu| mpdu.retry).count() as u64;
        }
        mpdus
    }

    /// A block ack of a neighbour has come: what it acknowledges, and what is given up.
    pub fn acknowledged(&mut self, to: NodeId, start: u16, map: Bitmap, now: SimTime) -> Fates {
        let mut fates = Fates::default();
        let originator = self.originator(to);
        originator.stop_asking();
        originator.acknowledge(start, map, &mut fates.done);
        self.discard(to, now, &mut fates);
        fates
    }

    /// What was sent to a neighbour got no answer, or `sent` is false: its RTS got none.
    pub fn missed(&mut self, to: NodeId, sent: bool, most_requests: u32, now: SimTime) -> Fates {
        let (under_way, rule) = (self.under_way, self.config.after_missed);
        let without_end = self.config.gives_up == GivesUp::Never;
        let originator = self.originator(to);
        let mut fates = Fates::default();
        match under_way {
            UnderWay::Request if without_end || originator.times_asked() < most_requests => return fates,
            UnderWay::Request => originator.stop_asking(),
            UnderWay::Frame(load) if sent && load.count > 1 && rule == AfterMissed::Request => {
                originator.ask();
                return fates;
            }
            UnderWay::Frame(_) => {}
        }
        originator.miss();
        self.discard(to, now, &mut fates);
        fates
    }

    fn discard(&mut self, to: NodeId, now: SimTime, fates: &mut Fates) {
        let AggregationConfig { gives_up, retries, lifetime, .. } = self.config;
        let is_over = |it: &Pending| match gives_up {
            GivesUp::Retries => it.tries() > retries,
            GivesUp::Lifetime => it.queued + lifetime <= now,
            GivesUp::Never => false,
        };
        self.originator(to).discard(is_over, &mut fates.lost);
    }

    /// Scoreboard and buffer for a neighbour, from which a frame or a request with this number as its first has come.
    pub fn recipient(&mut self, from: NodeId, first: u16, up: &mut Vec<PacketId>) -> &mut Recipient {
        let place = self.from.iter().position(|(node, _)| *node == from).unwrap_or_else(|| {
            self.from.push((from, Recipient::new(self.config.window, first)));
            self.from.len() - 1
        });
        let recipient = &mut self.from[place].1;
        recipient.meet(first, up);
        recipient
    }

    /// What a block ack for a neighbour says.
    #[must_use]
    pub fn scoreboard(&self, of: NodeId) -> (u16, Bitmap) {
        let of = self.from.iter().find(|(node, _)| *node == of);
        of.map_or((0, Bitmap::NONE), |(_, recipient)| recipient.scoreboard())
    }

    /// Counts what was late.
    pub fn note(&mut self, reception: Reception) {
        self.counters.late += u64::from(reception == Reception::Late);
    }

    /// The release timer ends: what goes up, and from which neighbour.
    pub fn release(&mut self, now: SimTime) -> Vec<(PacketId, NodeId)> {
        let mut all = Vec::new();
        self.armed = SimTime::MAX;
        for (from, recipient) in &mut self.from {
            let mut up = Vec::new();
            recipient.release(now, self.config.release_timer, &mut up);
            all.extend(up.into_iter().map(|packet| (packet, *from)));
        }
        all
    }

    /// When the release timer is to end, if that is earlier than was asked for, or not asked for at all. It may end early.
    pub fn rearm(&mut self) -> Option<SimTime> {
        let patience = self.config.release_timer;
        if patience == Dur::ZERO {
            return None;
        }
        let first = self.from.iter().filter_map(|(_, recipient)| recipient.deadline(patience)).min()?;
        let earlier = first < self.armed;
        self.armed = self.armed.min(first);
        earlier.then_some(first)
    }

    /// The copies that wait in reordering buffers.
    pub fn kept(&self) -> impl Iterator<Item = PacketId> {
        self.from.iter().flat_map(|(_, recipient)| recipient.packets())
    }

    /// The station goes down: what waited to be sent, and what waited to go up.
    pub fn restart(&mut self) -> (Vec<Pending>, Vec<PacketId>) {
        let kept = self.kept().collect();
        self.from.clear();
        (self.open, self.armed) = (false, SimTime::MAX);
        let waiting = self.to.iter_mut().flat_map(|(_, originator)| originator.restart()).collect();
        self.originator(NodeId::BROADCAST).stop_asking();
        (waiting, kept)
    }
}

/// What has become of MPDUs.
#[derive(Debug, Default)]
pub struct Fates {
    /// The neighbour has them.
    pub done: Vec<Pending>,
    /// They are given up.
    pub lost: Vec<Pending>,
}
