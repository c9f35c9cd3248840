//! The windows, scoreboards and reordering buffers of a station, and what it has under way.

use super::by_category::CategoryCounters;
use super::config::{AfterMissed, AggregationConfig, GivesUp};
use super::fates::{Departing, Fates};
use super::limits::{Limits, Load};
use super::originator::{Originator, Pending};
use super::peer::{Peer, PeerCounters};
use super::recipients::{RecipientCounters, Recipients};
use super::rules::Rules;
use super::singles::Singles;
use super::turn::{Turn, UnderWay};
use crate::contract::{Cx, Sink, Supply};
use crate::mac::Action;
use crate::phy::TxVector;
use crate::units::{Bytes, Dur, NodeId, SimTime, counters};
use crate::wire::{Bitmap, Category, Frame, Mpdu, Packed, PacketId};

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
        /// MPDUs sent that carried several packets.
        pub packed = "mac.a-msdus",
        /// Packets sent in them.
        pub packed_packets = "mac.a-msdu-packets",
        /// MPDUs that came after the reordering buffer had given up waiting for them.
        pub late = "mac.late-mpdus",
    }
}

/// What of a category's queue is welcome in the windows, whichever neighbour it is for.
#[derive(Clone, Copy, Debug, Default)]
struct Heads {
    /// Whether the next packet is: it may have waited longer than what is contended for.
    welcome: bool,
    /// The MPDU that was taken so although the next frame to its neighbour was full. Until it is sent no other is.
    beyond: Option<(Peer, u16)>,
}

/// What a station has of aggregation.
#[derive(Debug)]
pub struct Aggregation {
    pub(super) config: AggregationConfig,
    pub(super) limits: Limits,
    /// What is so of each category.
    pub(in crate::mac) rules: Rules,
    to: Vec<(Peer, Originator)>,
    /// Neighbours without block ack.
    pub(in crate::mac) singles: Singles,
    pub(in crate::mac) recipients: Recipients,
    /// The transmit opportunity under way.
    pub(in crate::mac) turn: Turn,
    /// Those of each category.
    heads: [Heads; Category::COUNT],
    /// Memory for the next frame.
    spare: Departing,
    /// The same for what becomes of it.
    spare_fates: Fates,
    counters: AggregationCounters,
    pub(in crate::mac) by_category: CategoryCounters,
}

impl Aggregation {
    /// That of a configuration, if it is on.
    #[must_use]
    pub fn new(config: &AggregationConfig, rules: Rules) -> Option<Box<Self>> {
        let fresh = || Self {
            config: *config,
            rules,
            limits: Limits::new(config),
            to: Vec::new(),
            singles: Singles::default(),
            recipients: Recipients::new(config.release_timer),
            turn: Turn::new(rules),
            heads: [Heads::default(); Category::COUNT],
            spare: Departing::default(),
            spare_fates: Fates::default(),
            counters: AggregationCounters::default(),
            by_category: CategoryCounters::default(),
        };
        rules.take_packets().then(|| Box::new(fresh()))
    }

    /// What was counted.
    #[must_use]
    pub const fn counters(&self) -> AggregationCounters {
        let RecipientCounters { block_acks, late } = self.recipients.counters();
        AggregationCounters { block_acks, late, ..self.counters }
    }

    /// A block ack request for a neighbour goes out: where its window begins.
    pub(in crate::mac) fn request(&mut self, of: Peer) -> u16 {
        self.counters.requests += 1;
        self.originator(of).start()
    }

    /// MPDUs have come from a neighbour: each goes up in its turn. Returns whether some go up before the frame ends;
    /// none for a neighbour of an older amendment, which knows no block ack: its numbers only tell duplicates.
    pub(in crate::mac) fn accept<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        frame: &Frame,
        out: &mut S,
    ) -> Option<bool> {
        self.recipients.note_reservation(frame.duration);
        if self.singles.has(frame.from) {
            return None;
        }
        let window = self.window(Peer { node: frame.from, priority: frame.priority });
        Some(self.recipients.receive(cx, frame, window, out))
    }

    /// A neighbour asks for a block ack, and says where its window begins.
    pub(in crate::mac) fn accept_request<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        request: &Frame,
        out: &mut S,
    ) {
        self.recipients.note_reservation(request.duration);
        let window = self.window(Peer { node: request.from, priority: request.priority });
        self.recipients.move_to(now, request, window, out);
    }

    /// Length of a block ack.
    #[must_use]
    pub const fn block_ack(&self) -> Bytes {
        self.config.block_ack()
    }

    /// The window of a neighbour, or of what is sent to all.
    pub fn originator(&mut self, to: Peer) -> &mut Originator {
        let place = self.to.iter().position(|(peer, _)| *peer == to).unwrap_or_else(|| {
            self.to.push((to, Originator::default()));
            self.to.len() - 1
        });
        &mut self.to[place].1
    }

    /// The window of a neighbour, if anything was sent to it.
    pub(super) fn sent_to(&self, to: Peer) -> Option<&Originator> {
        self.to.iter().find(|(peer, _)| *peer == to).map(|(_, originator)| originator)
    }

    /// Whether a category takes packets one by one, and could take another.
    fn takes_single(&self, category: Category) -> bool {
        let of = self.to.iter().filter(|(peer, _)| peer.priority.category() == category);
        let waiting = of.map(|(_, originator)| originator.waiting()).sum::<usize>();
        // In a transmit opportunity the next one follows at once.
        waiting < 1 + usize::from(self.rules.has_opportunities(category))
    }

    /// Which packet may join what is contended for to a neighbour, if any.
    #[must_use]
    pub fn supply(&self, to: Peer, tx: TxVector) -> Option<Supply> {
        let category = to.priority.category();
        if !self.aggregates(to) {
            let joins = || self.may_join(to).then_some(Supply::NextFor(to.node, to.priority));
            return if self.takes_single(category) { Some(Supply::Next) } else { joins() };
        }
        if self.heads[category.index()].welcome {
            return Some(Supply::Next);
        }
        self.has_room(to, &tx).then_some(Supply::NextFor(to.node, to.priority))
    }

    /// Whether another packet for this neighbour could go with the next frame, or would have to begin one that follows
    /// at once.
    fn has_room(&self, to: Peer, tx: &TxVector) -> bool {
        let Some(originator) = self.sent_to(to) else { return true };
        let category = to.priority.category();
        // Behind a frame with a whole window of MPDUs one more goes on with the transmit opportunity.
        let window = self.config.window + u16::from(self.rules.has_opportunities(category));
        let takes = originator.has_room(window) || self.may_join(to);
        if !takes || to.node == NodeId::BROADCAST {
            return false;
        }
        let most = self.rules.longest(category);
        originator.fits(&self.limits, tx, most, self.config.window)
    }

    /// Whether the next frame to this neighbour would take another packet.
    fn awaits(&self, to: Peer, tx: &TxVector) -> bool {
        if to.node == NodeId::BROADCAST || !self.aggregates(to) {
            return self.sent_to(to).is_none_or(|it| it.waiting() == 0);
        }
        self.has_room(to, tx)
    }

    /// A packet has joined its window, alone or in the last MPDU; `size`: of an MPDU with it alone, `tx`: how that
    /// would be sent.
    #[inline(always)]
    pub fn take(&mut self, to: Peer, tx: TxVector, packet: PacketId, size: Bytes, queued: SimTime) {
        let at = to.priority.category().index();
        let beyond = std::mem::take(&mut self.heads[at].welcome) && !self.awaits(to, &tx);
        match self.joined(to, tx, size) {
            Some(size) => self.originator(to).pack(packet, size, queued),
            None => {
                let number = self.singles.number(to.node);
                let originator = self.originator(to);
                number.into_iter().for_each(|number| originator.go_on_with(number));
                originator.take(packet, size, queued);
                if beyond {
                    self.heads[at].beyond = originator.last().map(|it| (to, it.number));
                }
            }
        }
    }

    /// The neighbour whose oldest packet of a category has waited longest.
    #[must_use]
    pub fn next(&self, category: Category) -> Option<Peer> {
        let of = self.to.iter().filter(|(peer, _)| peer.priority.category() == category);
        let waiting = of.filter_map(|(peer, it)| Some((it.oldest()?, *peer)));
        waiting.min_by_key(|&(since, _)| since).map(|(_, peer)| peer)
    }

    /// The neighbour that is served next, and the length of the first MPDU for it; none if it is asked for a block ack.
    #[must_use]
    pub fn first(&self, category: Category) -> Option<(Peer, Option<Bytes>)> {
        let next = self.next(category)?;
        let originator = self.sent_to(next)?;
        let first = originator.sendable(1).next().filter(|_| !originator.asks());
        Some((next, first.map(|it| it.size)))
    }

    /// From now on a packet for any neighbour is welcome, unless one that found the next frame full has not been sent.
    /// What is behind that one in the queue has not waited longer.
    pub fn open(&mut self, category: Category) {
        let unsent = |&(to, number): &(Peer, u16)| self.sent_to(to).is_some_and(|it| it.is_unsent(number));
        let beyond = self.heads[category.index()].beyond.filter(unsent);
        self.heads[category.index()] = Heads { welcome: beyond.is_none(), beyond };
    }

    /// Whether a block ack request to a neighbour is due, or has had no answer.
    #[must_use]
    pub fn asks(&self, of: Peer) -> bool {
        self.to.iter().any(|(peer, it)| *peer == of && it.asks())
    }

    /// Settles what the next frame to a neighbour is: of one MPDU, if that is to be `alone`; `most`: how long it may
    /// last, if it has several.
    pub fn settle(&mut self, to: Peer, tx: TxVector, most: Dur, alone: bool) -> UnderWay {
        self.heads[to.priority.category().index()].welcome = false;
        let broadcast = to.node == NodeId::BROADCAST;
        let originator = self.originator(to);
        let under_way = if originator.asks() {
            UnderWay::Request
        } else if broadcast || alone {
            UnderWay::Frame(Load {
                count: 1,
                psdu: originator.sendable(1).next().map_or(Bytes::ZERO, |it| it.size),
            })
        } else {
            let Some(originator) = self.sent_to(to) else { return self.turn.under_way() };
            UnderWay::Frame(originator.load(&self.limits, &tx, most, self.window(to)))
        };
        self.turn.settle(under_way);
        under_way
    }

    /// The MPDUs of the frame under way, which is sent now.
    pub fn depart(&mut self, to: Peer, tx: TxVector, count: usize) -> Departing {
        let room = self.limits.rooms(tx);
        let Departing { mut mpdus, mut packed } = std::mem::take(&mut self.spare);
        let (mut place, mut retries, mut several) = (0, 0, 0);
        self.originator(to).depart(count, |it| {
            let Pending { packet, size, number, attempts, ref more, .. } = *it;
            mpdus.push(Mpdu { packet, number, retry: attempts > 0, size, room: room(size) });
            retries += u64::from(attempts > 0);
            several += usize::from(!more.is_empty());
            packed.extend(more.iter().map(|msdu| Packed { place, packet: msdu.packet }));
            place += 1;
        });
        if to.node != NodeId::BROADCAST {
            self.counters.mpdus += mpdus.len() as u64;
            self.counters.aggregates += u64::from(mpdus.len() > 1);
            self.counters.retries += retries;
            self.counters.packed += several as u64;
            self.counters.packed_packets += (several + packed.len()) as u64;
        }
        Departing { mpdus, packed }
    }

    /// A frame that departed is on the air: its memory is that of the next one.
    pub fn reuse(&mut self, Departing { mut mpdus, mut packed }: Departing) {
        mpdus.clear();
        packed.clear();
        self.spare = Departing { mpdus, packed };
    }

    /// A block ack of a neighbour has come: what it acknowledges, and what is given up.
    pub fn acknowledged(&mut self, to: Peer, start: u16, map: Bitmap, now: SimTime) -> Fates {
        let mut fates = std::mem::take(&mut self.spare_fates);
        let originator = self.originator(to);
        originator.stop_asking();
        originator.acknowledge(start, map, &mut fates.done);
        self.discard(to, now, &mut fates);
        fates
    }

    /// What became of MPDUs has been told: its memory is that for the next ones.
    pub fn reuse_fates(&mut self, Fates { mut done, mut lost }: Fates) {
        done.clear();
        lost.clear();
        self.spare_fates = Fates { done, lost };
    }

    /// What was sent to a neighbour got no answer, or `sent` is false: its RTS got none.
    ///
    /// `over` is whether that was the last attempt for a frame that is not aggregated.
    pub fn missed(
        &mut self,
        to: Peer,
        (sent, over): (bool, bool),
        most_requests: u32,
        now: SimTime,
    ) -> Fates {
        let (under_way, rule) = (self.turn.under_way(), self.config.after_missed);
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
        if self.aggregates(to) {
            self.discard(to, now, &mut fates);
        } else if over {
            fates.lost.extend(self.originator(to).take_first());
        }
        fates
    }

    fn discard(&mut self, to: Peer, now: SimTime, fates: &mut Fates) {
        let AggregationConfig { gives_up, retries, lifetime, .. } = self.config;
        let (originator, lost) = (self.originator(to), &mut fates.lost);
        match gives_up {
            GivesUp::Retries => originator.discard(|it| it.tries() > retries, lost),
            GivesUp::Lifetime => originator.discard(|it| it.queued + lifetime <= now, lost),
            GivesUp::Never => {}
        }
    }

    /// Counts what became of packets to a neighbour.
    pub fn note_fates(&mut self, to: Peer, now: SimTime, fates: &Fates) {
        let ended = &mut self.originator(to).ended;
        ended.delivered += Fates::packets(&fates.done) as u64;
        ended.given_up += Fates::packets(&fates.lost) as u64;
        let delays = fates.done.iter().flat_map(Pending::msdus).map(|it| now.saturating_since(it.queued));
        ended.delay = delays.fold(ended.delay, |sum, delay| sum + delay);
    }

    /// Tells what became of the MPDUs to and from each neighbour; a neighbour may come several times.
    pub fn each_peer(&self, tell: &mut dyn FnMut(Peer, PeerCounters)) {
        let to = self.to.iter().filter(|(peer, _)| peer.node != NodeId::BROADCAST);
        to.for_each(|(peer, originator)| tell(*peer, originator.ended));
        self.recipients.each_peer(tell);
    }

    /// The station goes down: what waited to be sent, and what waited to go up.
    pub fn restart(&mut self) -> (Vec<Pending>, Vec<PacketId>) {
        let kept = self.recipients.restart();
        self.heads = [Heads::default(); Category::COUNT];
        self.turn.end();
        let waiting = self.to.iter_mut().flat_map(|(_, originator)| originator.restart()).collect();
        // Without an agreement there is nothing to tell.
        let (rules, singles) = (self.rules, &self.singles);
        let agreed = |peer: Peer| rules.aggregates(peer.priority.category()) && !singles.has(peer.node);
        let tells = |peer: Peer| peer.node != NodeId::BROADCAST && agreed(peer);
        self.to.iter_mut().filter(|(peer, _)| !tells(*peer)).for_each(|(_, it)| it.stop_asking());
        (waiting, kept)
    }
}
