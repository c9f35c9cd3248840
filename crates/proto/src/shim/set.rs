//! The set of shims, and which of them a configuration means.

use super::adtcp::SignCounters;
use super::atcp::AtcpCounters;
use super::config::{ShimConfig, ShimKind};
use super::contract::{Action, Beginning, Input, Shim, Verdict};
use super::counters::Counters;
use super::{AdtcpReceiver, AdtcpSender, Atcp, Ebsn, Elfn, Eln, Enic, FreezeTcp, SplitTcp, TcpBus, TcpF};
use crate::contract::{Cx, End, NodeState};

/// No shim: TCP sees and sends everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoShim;

impl Shim for NoShim {
    fn handle(
        &mut self,
        _cx: &mut Cx<'_>,
        _node_state: &NodeState,
        _input: Input<'_>,
        _end: &End<'_>,
        _out: &mut Vec<Action>,
    ) -> Verdict {
        Verdict::Pass
    }
}

dispatch! {
    /// One shim of the set.
    #[derive(Debug)]
    pub enum AnyShim: Shim {
        /// Nothing: TCP sees and sends everything.
        None(NoShim),
        /// TCP-F's source.
        TcpF(TcpF),
        /// ELFN's source.
        Elfn(Elfn),
        /// ATCP, as it is or modified.
        Atcp(Box<Atcp>),
        /// EBSN's source.
        Ebsn(Ebsn),
        /// Freeze-TCP's receiver.
        FreezeTcp(Box<FreezeTcp>),
        /// Either end of ENIC.
        Enic(Box<Enic>),
        /// TCP-BuS's source.
        TcpBus(Box<TcpBus>),
        /// ELN's source.
        Eln(Eln),
        /// Either end of Split TCP.
        SplitTcp(Box<SplitTcp>),
        /// ADTCP's source.
        AdtcpSender(Box<AdtcpSender>),
        /// ADTCP's receiver.
        AdtcpReceiver(Box<AdtcpReceiver>),
        /// One from outside this crate: experiments and tests.
        Custom(Box<dyn Shim>),
    }

    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict;
    fn unacknowledged(&self) -> Option<u64>;
    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64));
}

/// Names of the counters of all shims.
#[must_use]
pub fn counter_names() -> Vec<&'static str> {
    [&Counters::NAMES[..], &AtcpCounters::NAMES, &SignCounters::NAMES].concat()
}

impl AnyShim {
    /// No shim.
    pub const NONE: Self = Self::None(NoShim);

    /// Whether there is none: an end without a shim pays nothing for it.
    #[inline]
    #[must_use]
    pub const fn is_none(&self) -> bool {
        matches!(self, Self::None(_))
    }
}

impl Default for AnyShim {
    fn default() -> Self {
        Self::NONE
    }
}

impl ShimConfig {
    /// The shims of the sending and the receiving end.
    #[must_use]
    pub fn ends(&self, beginning: Beginning) -> (AnyShim, AnyShim) {
        match self.kind {
            ShimKind::None => (AnyShim::NONE, AnyShim::NONE),
            ShimKind::TcpF => (AnyShim::TcpF(TcpF::new(self.tcp_f, beginning)), AnyShim::NONE),
            ShimKind::Elfn => (AnyShim::Elfn(Elfn::new(self.elfn, beginning)), AnyShim::NONE),
            ShimKind::Atcp => (AnyShim::Atcp(Box::new(Atcp::new(self.atcp))), AnyShim::NONE),
            ShimKind::Ebsn => (AnyShim::Ebsn(Ebsn::default()), AnyShim::NONE),
            ShimKind::FreezeTcp => {
                (AnyShim::NONE, AnyShim::FreezeTcp(Box::new(FreezeTcp::new(self.freeze_tcp, beginning))))
            }
            ShimKind::Enic => {
                let (sender, receiver) = Enic::ends(self.enic, beginning);
                (AnyShim::Enic(Box::new(sender)), AnyShim::Enic(Box::new(receiver)))
            }
            ShimKind::Eln => (AnyShim::Eln(Eln::default()), AnyShim::NONE),
            ShimKind::SplitTcp => {
                let (source, destination) = SplitTcp::ends(self.split_tcp);
                (AnyShim::SplitTcp(Box::new(source)), AnyShim::SplitTcp(Box::new(destination)))
            }
            ShimKind::Adtcp => (
                AnyShim::AdtcpSender(Box::default()),
                AnyShim::AdtcpReceiver(Box::new(AdtcpReceiver::new(self.adtcp))),
            ),
            ShimKind::TcpBus => (AnyShim::TcpBus(Box::new(TcpBus::new(self.tcp_bus))), AnyShim::NONE),
        }
    }
}
