//! Frames that stations of an older amendment do not understand (IEEE 802.11-2020 §10.27.2), and neighbours that are
//! such stations.
//!
//! ```text
//!   back-off │ CTS to self │SIFS│ data │SIFS│ Ack
//!            └─ reserves ───────────────────────┘
//! ```
//!
//! A CTS to the own address has no answer: whether it was heard shows only in the ACK. So a frame that fails counts as
//! one without RTS. In a transmit opportunity each exchange is protected, unless the first frame reserves all of it.

use super::Others;
use super::machine::{Dcf, Job, Sequence};
use super::times;
use crate::contract::{Cx, Sink};
use crate::mac::config::{DcfConfig, FrameProtection};
use crate::mac::{Action, MacConfig, Older, Standard};
use crate::phy::TxVector;
use crate::units::{Dur, NodeId, SimTime, counters};
use crate::wire::{Frame, FrameKind};

counters! {
    /// What protection counts.
    pub struct ProtectionCounters {
        /// CTS sent to the own address.
        pub cts_to_self = "mac.cts-to-self",
    }
}

/// What goes before the frames of a station.
#[derive(Debug)]
pub(super) struct Protection {
    kind: Guard,
    pub(super) counters: ProtectionCounters,
}

/// What goes before a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    /// Nothing.
    None,
    /// A CTS to the own address.
    Cts,
    /// RTS and CTS.
    Rts,
}

impl Protection {
    /// That of a configuration, if it has any.
    pub(super) fn new(config: &DcfConfig) -> Option<Box<Self>> {
        let kind = match config.protection {
            _ if config.standard == Standard::B => return None,
            FrameProtection::Auto | FrameProtection::None => return None,
            FrameProtection::CtsToSelf => Guard::Cts,
            FrameProtection::RtsCts => Guard::Rts,
        };
        Some(Box::new(Self { kind, counters: ProtectionCounters::default() }))
    }
}

impl<O: Others> Dcf<O> {
    /// A neighbour is of an older amendment.
    #[cold]
    pub(super) fn note_older(&mut self, older: &Older) {
        let MacConfig::Dcf(towards) = &older.mac;
        self.times.set_older(older.node, towards);
        if let Some(aggregation) = &mut self.aggregation {
            aggregation.singles.add(older.node);
        }
        if let Some(rates) = &mut self.rates {
            rates.add_older(older.node, towards, || self.retry.split());
        }
    }

    /// What goes before a frame to this station that is sent so.
    pub(super) fn guard(&self, to: NodeId, tx: TxVector) -> Guard {
        let understood = to == NodeId::BROADCAST || matches!(tx, TxVector::Dsss(_));
        self.protection.as_ref().filter(|_| !understood).map_or(Guard::None, |it| it.kind)
    }

    /// The same of a frame that follows another one in a transmit opportunity.
    pub(super) fn guard_of_next(&self, to: NodeId, tx: TxVector) -> Guard {
        let category = self.access.others.on_turn();
        let reserved = self.aggregation.as_ref().is_some_and(|it| it.rules.reserves_all(category));
        if reserved { Guard::None } else { self.guard(to, tx) }
    }

    /// How long what goes before a frame takes, up to its beginning.
    pub(super) fn before_data(&self, guard: Guard) -> Dur {
        match guard {
            Guard::None => Dur::ZERO,
            Guard::Cts => self.times.cts + self.config.sifs,
            Guard::Rts => self.times.rts + self.times.cts + self.config.sifs * 2,
        }
    }

    /// The back-off has ended, and what is sent is settled now, or something goes first.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_carefully<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        job: Job,
        out: &mut S,
    ) {
        if self.aggregation.is_some() {
            return self.begin_frame(cx, job, out);
        }
        let guard = self.guard(job.to, job.tx);
        let job = Job { long: job.long || guard == Guard::Rts, ..job };
        self.job = Some(job);
        match guard {
            _ if job.long => self.transmit_plain_rts(cx.now, job, out),
            Guard::Cts => self.transmit_cts_to_self(cx.now, job, out),
            Guard::None | Guard::Rts => self.transmit_data(cx.now, job, out),
        }
    }

    /// Reserves the medium for the frame of a job and its answer.
    #[cold]
    pub(super) fn transmit_cts_to_self<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        job: Job,
        out: &mut S,
    ) {
        if let Some(protection) = &mut self.protection {
            protection.counters.cts_to_self += 1;
        }
        let (cts, sifs) = (self.times.cts, self.config.sifs);
        let answer = self.times.answer(job.tx).after_data;
        let mut duration = sifs + job.airtime + answer;
        if self.aggregation.is_some() {
            duration = self.reservation(now + cts, duration + self.beyond_ack(job.tx));
        }
        self.enter(now, Sequence::DataDue, now + cts + sifs, out);
        let sent = (self.times.basic, cts);
        self.transmit(now, self.control(FrameKind::Cts, self.me, times::CTS, duration, sent), out);
    }

    /// A frame of a neighbour comes to a station that aggregates.
    #[cold]
    #[inline(never)]
    pub(super) fn accept_from<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        frame: &Frame,
        out: &mut S,
    ) {
        let single = self.aggregation.as_ref().is_some_and(|it| it.singles.has(frame.from));
        if single { self.accept_single(cx, frame, out) } else { self.accept(cx, frame, out) }
    }

    /// A frame of a neighbour of an older amendment, which knows no block ack.
    #[cold]
    fn accept_single<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, frame: &Frame, out: &mut S) {
        if let Some(aggregation) = &mut self.aggregation {
            aggregation.reserved = frame.duration;
        }
        if self.filter.is_duplicate(frame.from, frame.sequence, frame.retry) {
            cx.packets.receive_duplicate(frame.packet);
        } else {
            let packet = cx.packets.receive(frame.packet);
            out.put(Action::Deliver { packet, from: frame.from });
        }
    }
}
