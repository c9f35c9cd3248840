//! The DCF exchange: RTS, CTS, data, Ack (IEEE 802.11-2020 §10.3.2, §10.3.4).
//!
//! Clauses: §10.3.2.4 (virtual carrier sense), §10.3.2.9 (Ack procedure), §10.3.2.7/8 (RTS, CTS), §10.3.3 (retry),
//! §10.3.4.3 (back-off), §10.3.6 (RTS threshold), §10.3.7 (broadcast).
//!
//! Deviation: with `data-needs-idle`, data after a CTS goes out only on an idle medium (ns-2).
//! Not modelled: fragmentation, PCF, power save. Of several access categories one is on turn here: `mac/edca`.

use super::flow_control::FlowControl;
use super::nav_doze::NavDoze;
use super::pacing::Pacing;
use super::protection::Protection;
use super::{Access, Alone, DuplicateFilter, Others, Retry, Times};
use crate::contract::{Cx, Offer, Outcome, Sink};
use crate::mac::aggregate::{Aggregation, Peer, Rules};
use crate::mac::config::{DcfConfig, ImmediateAccess};
use crate::mac::rate::RateControl;
use crate::mac::{Action, Counters, Timer};
use crate::phy::TxVector;
use crate::units::{Bytes, Dur, NodeId, Rng, SimTime};
use crate::wire::{Frame, FrameKind, PacketId, UserPriority};

/// One station's coordination function. What signals and overheard frames touch comes first.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Dcf<O = Alone> {
    pub(in crate::mac) access: Access<O>,
    /// Which overheard frames mean more than the time they reserve, by kind.
    pub(super) overheard_matters: [bool; FrameKind::COUNT],
    pub(super) me: NodeId,
    next_number: u16,
    pub(super) up: bool,
    /// Whether what is sent, or what goes before it, is settled when the medium is won.
    careful: bool,
    pub(in crate::mac) sequence: Sequence,
    pub(in crate::mac) job: Option<Job>,
    pub(super) filter: DuplicateFilter,
    pub(in crate::mac) retry: Retry,
    pub(super) times: Times,
    pub(super) counters: Counters,
    pub(super) pacing: Option<Box<Pacing>>,
    pub(super) flow: Option<Box<FlowControl>>,
    pub(super) nav_doze: Option<Box<NavDoze>>,
    /// Where frames carry several MPDUs.
    pub(in crate::mac) aggregation: Option<Box<Aggregation>>,
    /// Where something goes before frames that not all stations understand.
    pub(super) protection: Option<Box<Protection>>,
    /// Where the rate of data frames is not fixed.
    pub(super) rates: Option<Box<RateControl>>,
    pub(super) eifs: Dur,
    /// End of the frame that was being received when the sequence timer fired last.
    pub(super) receiving_until: SimTime,
    /// Whose RTS was not answered last, and until when the medium was reserved then.
    pub(super) refused: Option<(NodeId, SimTime)>,
    pub(super) config: DcfConfig,
}

/// What the sequence timer stands for: the step of the exchange that this station is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mac) enum Sequence {
    /// No exchange.
    Idle,
    /// A CTS is due after SIFS.
    CtsDue { to: NodeId, duration: Dur, forced: bool },
    /// CTS sent; the data frame should follow.
    AwaitData,
    /// The same, and the RTS had to be answered.
    AwaitForced,
    /// An Ack is due after SIFS, for a frame that was sent with `data`.
    AckDue { to: NodeId, data: TxVector },
    /// A block ack is due after SIFS, for a frame that was sent with `data`.
    BlockAckDue { to: Peer, data: TxVector },
    /// RTS sent; the CTS should follow.
    AwaitCts,
    /// CTS received; the data frame is due after SIFS.
    DataDue,
    /// The medium is held for another frame, which is due after SIFS.
    NextDue,
    /// A CF-End is due after SIFS: what is left of the transmit opportunity is not used.
    EndDue,
    /// Data or a block ack request sent; the Ack or block ack should follow.
    AwaitAck,
    /// A broadcast is on the air.
    Broadcasting,
    /// The radio dozes while others use the medium.
    Dozing,
}

/// The frame being served.
#[derive(Clone, Copy, Debug)]
pub(in crate::mac) struct Job {
    pub(super) packet: PacketId,
    pub(super) to: NodeId,
    pub(super) priority: UserPriority,
    pub(super) mpdu: Bytes,
    pub(super) tx: TxVector,
    pub(super) airtime: Dur,
    pub(super) number: u16,
    /// Above the RTS threshold: RTS first, long retry counter.
    pub(super) long: bool,
    pub(super) retry: bool,
    /// How often its RTS and itself have been sent.
    pub(super) rts: u32,
    pub(super) attempts: u32,
}

impl Job {
    /// To contend for a neighbour; what is sent to it is settled when that may be.
    pub(super) const fn to(Peer { node, priority }: Peer, tx: TxVector) -> Self {
        Self {
            packet: PacketId::NONE,
            to: node,
            priority,
            mpdu: Bytes::ZERO,
            tx,
            airtime: Dur::ZERO,
            number: 0,
            long: false,
            retry: false,
            rts: 0,
            attempts: 0,
        }
    }

    /// Where it goes, and with which priority.
    pub(in crate::mac) const fn peer(&self) -> Peer {
        Peer { node: self.to, priority: self.priority }
    }

    /// How often it was tried after the first time: each attempt begins with an RTS, or none does.
    pub(super) const fn retries(&self) -> u32 {
        let most = if self.rts > self.attempts { self.rts } else { self.attempts };
        most.saturating_sub(1)
    }
}

impl Dcf {
    /// A station `me` that draws its back-offs from `rng`.
    #[must_use]
    pub fn new(config: DcfConfig, me: NodeId, rng: Rng) -> Self {
        let rules = Rules::without_categories(&config.aggregation);
        Self::beside(Alone, rules, config, me, rng)
    }
}

impl<O: Others> Dcf<O> {
    /// A station with other contenders, whose frames follow `rules`.
    pub(in crate::mac) fn beside(others: O, rules: Rules, config: DcfConfig, me: NodeId, rng: Rng) -> Self {
        let (times, mut rng) = (Times::new(&config), rng);
        let rates = RateControl::new(&config, || rng.split());
        let aggregation = Aggregation::new(&config.aggregation, rules);
        let protection = Protection::new(&config);
        Self {
            careful: aggregation.is_some() || protection.is_some(),
            protection,
            access: Access::new(times.access_rules(), others),
            sequence: Sequence::Idle,
            filter: DuplicateFilter::default(),
            counters: Counters::default(),
            eifs: times.eifs(),
            job: None,
            retry: Retry::new(&config, rng),
            pacing: Pacing::new(&config.pacing),
            flow: FlowControl::new(&config.flow_control),
            nav_doze: NavDoze::new(config.nav_doze),
            aggregation,
            rates,
            overheard_matters: Self::overheard_matters(&config),
            receiving_until: SimTime::ZERO,
            refused: None,
            next_number: 0,
            up: true,
            times,
            config,
            me,
        }
    }

    /// The access timer stands for an instant at which the medium is busy.
    #[inline(never)]
    pub(super) fn move_timer(&mut self, now: SimTime) -> Option<SimTime> {
        let deadline = self.access.deadline();
        if deadline <= now || deadline <= self.access.armed {
            return None;
        }
        self.access.armed = deadline;
        Some(deadline)
    }

    /// Whether the station is switched on.
    pub(in crate::mac) const fn is_up(&self) -> bool {
        self.up
    }

    /// Present contention window in slots.
    #[must_use]
    pub const fn window(&self) -> u32 {
        self.retry.window()
    }

    pub(super) fn send<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, offer: Offer, out: &mut S) {
        if self.aggregation.is_some() {
            return self.join(cx, offer, out);
        }
        debug_assert!(self.job.is_none() && offer.second.is_none(), "one frame of one part at a time");
        let broadcast = offer.to == NodeId::BROADCAST;
        let mpdu = self.times.mpdu(offer.size);
        // A frame that was given up and kept is offered under its old number, with the retry bit, so that a
        // receiver that had got it (only the Ack was lost) filters it.
        cx.packets[offer.packet].forced = false; // that was the hop before
        let sequence = &mut cx.packets.stay_mut(offer.packet).mac_sequence;
        let kept = *sequence;
        let number = if kept == 0 {
            self.next_number = (self.next_number + 1) & 0xfff;
            *sequence = self.next_number + 1;
            self.next_number
        } else {
            kept - 1
        };
        let tx =
            if self.rates.is_some() { self.chosen(cx.now, offer.to) } else { self.times.vector(offer.to) };
        self.job = Some(Job {
            packet: offer.packet,
            to: offer.to,
            priority: UserPriority::BEST_EFFORT,
            mpdu,
            tx,
            airtime: tx.airtime(mpdu),
            number,
            long: !broadcast && mpdu > self.config.rts_threshold,
            retry: kept != 0,
            rts: 0,
            attempts: 0,
        });
        self.contend(cx.now, out);
    }

    /// A frame waits for the medium.
    #[inline(always)]
    pub(super) fn contend<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, out: &mut S) {
        let Access { back_off, medium, .. } = &mut self.access;
        if let Some(deadline) = back_off.counts_until(medium, now) {
            return self.arm_by(deadline, out);
        }
        let ready = match self.config.immediate_access {
            ImmediateAccess::Never => false,
            ImmediateAccess::AfterDifs => back_off.immediate(medium, now),
            ImmediateAccess::IfIdle => back_off.if_idle(medium, now),
            ImmediateAccess::Defer => back_off.defer(medium, now),
        };
        if !ready {
            let slots = self.retry.draw();
            self.access.back_off(now, slots);
        }
        self.arm_by(self.access.deadline(), out);
    }

    /// The back-off may have ended: deadlines that moved later are found out here.
    #[inline]
    pub(in crate::mac) fn on_access<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let now = cx.now;
        let deadline = self.access.deadline();
        self.access.armed = SimTime::MAX;
        if deadline > now {
            self.rearm(out);
        } else if let Some(job) = self.job {
            if self.access.is_interrupted() {
                return self.draw_after_all(out);
            }
            self.access.back_off.expire();
            if self.careful {
                return self.begin_carefully(cx, job, out);
            }
            if job.long { self.transmit_plain_rts(now, job, out) } else { self.transmit_data(now, job, out) }
        }
    }

    /// The medium turned busy while the frame was waiting for DIFS alone.
    #[cold]
    fn draw_after_all<S: Sink<Action> + ?Sized>(&mut self, out: &mut S) {
        self.retry.widen();
        let slots = self.retry.draw();
        let Access { back_off, medium, .. } = &mut self.access;
        back_off.extend(medium, slots);
        self.rearm(out);
    }

    /// The next step of the exchange is due, or the response is missing.
    pub(super) fn on_sequence<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let now = cx.now;
        match self.sequence {
            Sequence::CtsDue { to, duration, .. } => self.transmit_cts(now, to, duration, out),
            Sequence::AckDue { to, data } => self.transmit_ack(now, to, data, out),
            Sequence::BlockAckDue { to, data } => self.transmit_block_ack(cx, to, data, out),
            Sequence::AwaitData | Sequence::AwaitForced => self.free(now, out),
            Sequence::Idle => {}
            Sequence::Dozing => self.wake(now, out),
            Sequence::EndDue => self.transmit_end(now, out),
            Sequence::DataDue
            | Sequence::NextDue
            | Sequence::AwaitCts
            | Sequence::AwaitAck
            | Sequence::Broadcasting => {
                if let Some(job) = self.job {
                    self.own_step(cx, job, out);
                }
            }
        }
    }

    /// A valid frame that is not the expected response counts as its absence.
    pub(super) fn on_other_frame<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        if matches!(self.sequence, Sequence::AwaitCts | Sequence::AwaitAck) {
            self.on_sequence(cx, out);
        }
    }

    /// The exchange is over; channel access goes on.
    pub(super) fn free<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, out: &mut S) {
        self.sequence = Sequence::Idle;
        self.access.release(now);
        self.rearm(out);
    }

    /// Goes to a step whose timer ends at `until`.
    pub(super) fn enter<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        step: Sequence,
        until: SimTime,
        out: &mut S,
    ) {
        self.access.hold(now, self.job.is_some());
        self.sequence = step;
        if self.access.armed != SimTime::MAX {
            self.access.armed = SimTime::MAX;
            out.put(Action::Arm(Timer::Access, SimTime::MAX));
        }
        out.put(Action::Arm(Timer::Sequence, until));
    }

    /// Asks for the access timer, unless it stands earlier already: then the deadline is checked when it fires.
    pub(in crate::mac) fn rearm<S: Sink<Action> + ?Sized>(&mut self, out: &mut S) {
        let deadline =
            if self.job.is_some() { self.access.deadline() } else { self.access.others_deadline() };
        self.arm_by(deadline, out);
    }

    #[inline(always)]
    fn arm_by<S: Sink<Action> + ?Sized>(&mut self, deadline: SimTime, out: &mut S) {
        if deadline < self.access.armed {
            self.access.armed = deadline;
            out.put(Action::Arm(Timer::Access, deadline));
        }
    }

    #[inline(always)]
    pub(super) fn transmit<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, frame: Frame, out: &mut S) {
        self.counters.airtime += frame.airtime;
        self.access.deafened(now, now + frame.airtime);
        out.put(Action::Transmit(frame));
    }

    /// Going down ends every exchange; the queue hears that its frame was not sent.
    pub(in crate::mac) fn power<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, up: bool, out: &mut S) {
        self.up = up;
        if !up {
            self.sequence = Sequence::Idle;
            self.access.restart();
            self.retry.reset();
            if let Some(rates) = &mut self.rates {
                rates.forget();
            }
            if self.aggregation.is_some() {
                self.end_aggregation(cx, out);
            }
            if let Some(job) = self.job.take() {
                out.put(Action::Outcome(job.packet, Outcome::Held(crate::contract::Held::NoRoute)));
            }
        }
    }
}
