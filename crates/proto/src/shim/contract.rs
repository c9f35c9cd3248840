//! What every shim speaks. An end without a shim pays nothing for it.

use super::{AdtcpReceiver, AdtcpSender, Atcp, Ebsn, Elfn, Eln, Enic, FreezeTcp, SplitTcp, TcpBus, TcpF};
use crate::contract::{Control, Cx, End, NodeState, Notice};
use crate::units::{NodeId, SimTime};
use crate::wire::{Segment, Signal};

/// What a shim is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<'a> {
    /// A segment from the network is about to reach TCP.
    Arriving {
        /// The segment.
        segment: &'a Segment,
        /// When its packet was made, as a timestamp would say (RFC 7323 §3).
        created: SimTime,
    },
    /// TCP sends a segment; what it knows of itself is already as after the sending.
    Leaving(&'a Segment),
    /// TCP's retransmission timer is about to fire.
    Timeout,
    /// The shim's own timer fires.
    Timer,
    /// The node has something to tell.
    Notice(Notice),
    /// A signal about the flow has come to this end.
    Signal {
        /// What it says.
        signal: &'a Signal,
        /// Who sent it.
        from: NodeId,
    },
}

/// What becomes of a segment or a timeout; an answer that counts for [`Input::Arriving`], [`Input::Leaving`] and
/// [`Input::Timeout`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// It goes on.
    Pass,
    /// It goes no further: TCP never hears of it, or the network never has it.
    Swallow,
    /// This segment goes on in its place.
    Replace(Segment),
}

/// What a shim asks for; done after the verdict, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// TCP shall do this. What it sends thereby passes the shim as everything does.
    Control(Control),
    /// Send this segment to the other end. It does not pass the shim.
    Send(Segment),
    /// TCP shall take this segment as if it came from the network now. It does not pass the shim.
    Deliver {
        /// The segment.
        segment: Segment,
        /// When its packet was made.
        created: SimTime,
    },
    /// Wake the shim at this instant; replaces an earlier request. `SimTime::MAX` disarms.
    Arm(SimTime),
}

/// A shim from outside this crate: experiments and tests.
pub trait CustomShim: std::fmt::Debug + Send {
    /// Takes one input.
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict;
}

/// The shims.
#[derive(Debug, Default)]
pub enum Shim {
    /// Nothing: TCP sees and sends everything.
    #[default]
    None,
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
    /// One from outside.
    Custom(Box<dyn CustomShim>),
}

impl Shim {
    /// Whether there is none.
    #[inline]
    #[must_use]
    pub const fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// First byte that the destination has not acknowledged itself, where others acknowledge besides.
    #[must_use]
    pub fn unacknowledged(&self) -> Option<u64> {
        if let Self::SplitTcp(shim) = self { shim.unacknowledged() } else { None }
    }

    /// Tells every counter by its public name; those of [`Counters::NAMES`], if it has any.
    pub fn each_counter(&self, tell: &mut impl FnMut(&'static str, u64)) {
        match self {
            Self::None | Self::Custom(_) => {}
            Self::TcpF(shim) => shim.counters.each(tell),
            Self::Elfn(shim) => shim.counters.each(tell),
            Self::Atcp(shim) => shim.counters.each(tell),
            Self::Ebsn(shim) => shim.counters.each(tell),
            Self::FreezeTcp(shim) => shim.counters.each(tell),
            Self::Enic(shim) => shim.counters.each(tell),
            Self::TcpBus(shim) => shim.counters.each(tell),
            Self::Eln(shim) => shim.counters.each(tell),
            Self::SplitTcp(shim) => shim.counters().each(tell),
            Self::AdtcpSender(shim) => shim.counters.each(tell),
            Self::AdtcpReceiver(shim) => shim.each_counter(tell),
        }
    }

    /// Takes one input.
    pub fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        match self {
            Self::None => Verdict::Pass,
            Self::TcpF(shim) => shim.handle(cx, input, end, out),
            Self::Elfn(shim) => shim.handle(cx, input, end, out),
            Self::Atcp(shim) => shim.handle(cx, input, end, out),
            Self::Ebsn(shim) => shim.handle(input, end, out),
            Self::FreezeTcp(shim) => shim.handle(cx, node_state, input, end, out),
            Self::Enic(shim) => shim.handle(cx, input, end, out),
            Self::TcpBus(shim) => shim.handle(cx, input, end, out),
            Self::Eln(shim) => end.sender().map_or(Verdict::Pass, |tcp| shim.handle(input, tcp, out)),
            Self::SplitTcp(shim) => shim.handle(cx, input, end, out),
            Self::AdtcpSender(shim) => shim.handle(cx, input, end, out),
            Self::AdtcpReceiver(shim) => shim.handle(cx, input, end),
            Self::Custom(custom) => custom.handle(cx, node_state, input, end, out),
        }
    }
}
