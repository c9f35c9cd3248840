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
use super::job::Job;
use super::machine::Dcf;
use super::sequence::Sequence;
use super::times;
use crate::contract::{Cx, Sink};
use crate::mac::config::{DcfConfig, FrameProtection};
use crate::mac::{Action, Standard};
use crate::phy::TxVector;
use crate::units::{NodeId, SimTime, counters};
use crate::wire::FrameKind;

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
pub(in crate::mac) enum Guard {
    /// Nothing.
    None,
    /// A CTS to the own address.
    Cts,
    /// RTS and CTS.
    Rts,
}

impl Guard {
    /// What a configuration wants before frames that not all stations understand.
    pub(in crate::mac) fn of(config: &DcfConfig) -> Self {
        match config.protection {
            _ if config.standard == Standard::B => Self::None,
            FrameProtection::Auto | FrameProtection::None => Self::None,
            FrameProtection::CtsToSelf => Self::Cts,
            FrameProtection::RtsCts => Self::Rts,
        }
    }

    /// What goes before a frame that is sent so to one station: all understand frames of DSSS.
    pub(in crate::mac) const fn before(self, tx: TxVector) -> Self {
        if matches!(tx, TxVector::Dsss(_)) { Self::None } else { self }
    }
}

impl Protection {
    /// That of a configuration, if it has any.
    pub(super) fn new(config: &DcfConfig) -> Option<Box<Self>> {
        let kind = Guard::of(config);
        (kind != Guard::None).then(|| Box::new(Self { kind, counters: ProtectionCounters::default() }))
    }

    /// What goes before a frame to this station that is sent so.
    fn guard(&self, to: NodeId, tx: TxVector) -> Guard {
        if to == NodeId::BROADCAST { Guard::None } else { self.kind.before(tx) }
    }
}

impl<O: Others> Dcf<O> {
    /// What goes before a frame to this station that is sent so.
    pub(super) fn guard(&self, to: NodeId, tx: TxVector) -> Guard {
        self.protection.as_ref().map_or(Guard::None, |it| it.guard(to, tx))
    }

    /// The same of a frame that follows another one in a transmit opportunity.
    pub(super) fn guard_of_next(&self, to: NodeId, tx: TxVector) -> Guard {
        let category = self.exchange.access.others.on_turn();
        let reserved = self.aggregation.as_ref().is_some_and(|it| it.turn.reserves_all(category));
        if reserved { Guard::None } else { self.guard(to, tx) }
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
        let (cts, sifs) = (self.exchange.times.cts, self.exchange.config().sifs);
        let answer = self.exchange.times.answer(job.tx);
        let mut duration = sifs + job.airtime + answer.after_data;
        if let Some(aggregation) = &self.aggregation {
            let category = self.exchange.access.others.on_turn();
            duration += answer.beyond_ack(aggregation.turn.wants_block_ack());
            duration = aggregation.turn.reservation(category, now + cts, duration);
        }
        self.exchange.enter(now, Sequence::DataDue, now + cts + sifs, true, out);
        let sent = (self.exchange.times.basic, cts);
        self.exchange.transmit(
            now,
            self.exchange.control(FrameKind::Cts, self.exchange.me(), times::CTS, duration, sent),
            out,
        );
    }
}
