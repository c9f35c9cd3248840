//! The set of recoveries, and which of them a configuration means.

use super::contract::{Next, Recovery, Repeated, Seen};
use super::fack::Fack;
use super::pipe::Pipe;
use super::prr::Prr;
use super::sack1::Sack1;
use super::window::ByWindow;
use crate::tcp::config::{Loss, LossDetectorKind, RecoveryRule, SackRule, TcpConfig, Window};

dispatch! {
    /// One recovery of the set.
    #[derive(Clone, Debug)]
    pub enum AnyRecovery: Recovery {
        /// What the inflated window has room for.
        Window(ByWindow),
        /// What the pipe of RFC 6675 has room for.
        Pipe(Pipe),
        /// A share of what is delivered.
        Prr(Prr),
        /// What was sent beyond the last block has room for.
        Fack(Fack),
        /// ns-2's count of packets.
        Sack1(Sack1),
    }

    fn governs(&self) -> bool;
    fn is_duplicate(&self, ack: &Repeated) -> bool;
    fn forgets_with_acks(&self) -> bool;
    fn opens_with_last_ack(&self) -> bool;
    fn sends_at_once(&self) -> bool;
    fn spreads_marks(&self) -> bool;
    fn counts_arrivals(&self) -> bool;
    fn begin(&mut self, seen: &Seen<'_>, brought: u64);
    fn begin_for_mark(&mut self, seen: &Seen<'_>);
    fn on_repair(&mut self, bytes: u64);
    fn on_duplicate(&mut self);
    fn on_partial_ack(&mut self);
    fn look(&mut self, seen: &Seen<'_>);
    fn next(&self, seen: &Seen<'_>) -> Next;
    fn window(&self) -> Option<u64>;
    fn sent(&mut self, bytes: u64);
}

impl AnyRecovery {
    /// RFC 6675's.
    pub const PIPE: Self = Self::Pipe(Pipe { pipe: 0 });

    /// The recovery of a configuration. Loss detectors that need to know more of losses than ns-2's keep to RFC 6675,
    /// and BBR says itself how much it sends in recovery.
    #[must_use]
    pub fn new(config: &TcpConfig) -> Self {
        match (config.loss, config.sack_rule, config.judge) {
            (Loss::DupAcks, ..) => Self::Window(ByWindow),
            _ if config.recovery == RecoveryRule::Prr
                && !matches!(config.window, Window::Bbr | Window::BbrDraft) =>
            {
                Self::Prr(Prr::default())
            }
            (Loss::Sack, SackRule::Fack, _) => Self::Fack(Fack::default()),
            (Loss::Sack, SackRule::Ns2, LossDetectorKind::Standard) => Self::Sack1(Sack1::default()),
            (Loss::Sack, ..) => Self::PIPE,
        }
    }

    /// The loss detector is another than is configured: it may need to know more of losses than ns-2's recovery does.
    pub fn know_more(&mut self) {
        if matches!(self, Self::Sack1(_)) {
            *self = Self::PIPE;
        }
    }
}
