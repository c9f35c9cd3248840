//! What stands between TCP and IP at the sending host. Every ACK, notice and timer meant for TCP, the
//! retransmission timeout included, meets the shim first.

use crate::port::{Control, Cx, Notice, TcpView};
use crate::units::NodeId;
use crate::wire::{Segment, Signal};

/// What arrives at the shim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<'a> {
    /// A segment from the network.
    Segment(&'a Segment),
    /// TCP's retransmission timer is about to fire.
    Timeout,
    /// A notice from a lower layer.
    Notice(Notice),
}

/// Whether TCP gets to see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// TCP handles it.
    Pass,
    /// TCP never hears of it.
    Swallow,
}

/// The end of a flow that a shim stands at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// The sender of its data.
    Sender(TcpView),
    /// The receiver.
    Receiver {
        /// Offset of the next byte that it waits for.
        expected: u64,
    },
}

/// A shim from outside this crate: experiments and tests.
pub trait CustomShim: std::fmt::Debug + Send {
    /// Judges one input; may tell TCP what to do besides (carried out after the verdict, in order).
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        input: Input<'_>,
        tcp: &TcpView,
        controls: &mut Vec<Control>,
    ) -> Verdict;

    /// Hears a signal about its flow that node `from` has sent to this end; may tell a sending TCP what to do.
    fn signal(
        &mut self,
        _cx: &mut Cx<'_>,
        _signal: &Signal,
        _from: NodeId,
        _end: &End,
        _controls: &mut Vec<Control>,
    ) {
    }
}

/// The shims.
#[derive(Debug, Default)]
pub enum Shim {
    /// Nothing: TCP sees everything.
    #[default]
    None,
    /// One from outside.
    Custom(Box<dyn CustomShim>),
}

impl Shim {
    /// Judges one input.
    #[inline]
    pub fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        input: Input<'_>,
        tcp: impl FnOnce() -> TcpView,
        controls: &mut Vec<Control>,
    ) -> Verdict {
        match self {
            Self::None => Verdict::Pass,
            Self::Custom(custom) => custom.handle(cx, input, &tcp(), controls),
        }
    }

    /// Hears a signal about its flow.
    pub fn signal(
        &mut self,
        cx: &mut Cx<'_>,
        signal: &Signal,
        from: NodeId,
        end: impl FnOnce() -> End,
        controls: &mut Vec<Control>,
    ) {
        if let Self::Custom(custom) = self {
            custom.signal(cx, signal, from, &end(), controls);
        }
    }
}
