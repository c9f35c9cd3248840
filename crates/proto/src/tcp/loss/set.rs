//! The set of loss detectors, and which of them a configuration means.

use super::adtcp::Adtcp;
use super::config::{Loss, LossDetectorKind};
use super::contract::{Evidence, Input, LossDecision, LossDetector, Marking};
use super::dcr::Dcr;
use super::dup_acks::DupAcks;
use super::k_sack::KSack;
use super::rack::Rack;
use super::sack::Sack;
use crate::tcp::config::TcpConfig;
use crate::tcp::sendlog::SendLog;
use crate::units::SimTime;

dispatch! {
    /// One loss detector of the set.
    #[derive(Debug)]
    pub enum AnyLossDetector: LossDetector {
        /// Three duplicate ACKs.
        DupAcks(DupAcks),
        /// The scoreboard of SACK.
        Sack(Sack),
        /// Either, a round trip later.
        Dcr(Box<Dcr>),
        /// Several losses in a window.
        KSack(Box<KSack>),
        /// What the receiver takes the path for.
        Adtcp(Box<Adtcp>),
        /// What was sent before something that has arrived.
        Rack(Box<Rack>),
        /// One from outside this crate: experiments and tests.
        Custom(Box<dyn LossDetector>),
    }

    fn detect(&mut self, input: Input, evidence: &Evidence<'_>) -> LossDecision;
    fn observes_all_acks(&self) -> bool;
    fn marks(&self) -> bool;
    fn mark(&mut self, log: &mut SendLog, seen: &Marking<'_>) -> u64;
    fn on_recovery_end(&mut self, undone: bool);
    fn deadline(&self) -> SimTime;
    fn holds_window(&self) -> bool;
    fn repaired(&self) -> u64;
    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64));
}

impl AnyLossDetector {
    /// The detector of a configuration.
    #[must_use]
    pub fn new(config: &TcpConfig) -> Self {
        match (config.judge, config.loss) {
            (LossDetectorKind::Standard, Loss::DupAcks) => Self::DupAcks(DupAcks),
            (LossDetectorKind::Standard, Loss::Sack) => Self::Sack(Sack),
            (LossDetectorKind::Dcr, loss) => Self::Dcr(Box::new(Dcr::new(config.dcr, loss))),
            (LossDetectorKind::Adtcp, loss) => Self::Adtcp(Box::new(Adtcp::new(loss))),
            (LossDetectorKind::Rack, _) => Self::Rack(Box::new(Rack::new(config.rack))),
            (LossDetectorKind::KSack, _) => Self::KSack(Box::new(KSack::new(config.k_sack.losses))),
        }
    }
}
