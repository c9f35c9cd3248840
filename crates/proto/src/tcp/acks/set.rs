//! The set of ACK policies, and which of them a configuration means.

use super::adaptive::Adaptive;
use super::contract::{AckPolicy, Heard, InOrder, When};
use super::dynamic::Dynamic;
use super::every::Every;
use super::quick::Quick;
use crate::contract::ReceiverView;
use crate::tcp::config::TcpConfig;
use crate::wire::RangeSet;

dispatch! {
    /// One policy of the set.
    #[derive(Debug)]
    pub enum AnyAckPolicy: AckPolicy {
        /// Every so many segments, or after a delay.
        Every(Every),
        /// At once for a while, then every so many.
        Quick(Quick),
        /// One by one when the sender needs it, else as the pace of segments suggests.
        Adaptive(Box<Adaptive>),
        /// The more, the further the transfer has come.
        Dynamic(Box<Dynamic>),
        /// One from outside this crate: experiments and tests.
        Custom(Box<dyn AckPolicy>),
    }

    fn when<'a>(&mut self, segment: &InOrder, receiver: &dyn Fn() -> ReceiverView<'a>) -> When;
    fn hear(&mut self, what: Heard);
    fn may_wait(&self) -> bool;
    fn window(&self, most: u32, waiting: &RangeSet) -> u32;
    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64));
}

impl AnyAckPolicy {
    /// The policy of a configuration.
    #[must_use]
    pub fn new(config: &TcpConfig) -> Self {
        let (segments, delay, buffer) = (config.ack_every.max(1), config.ack_delay, config.receive_buffer);
        if config.ack_steps.is_empty() {
            let every = Every { segments, delay, buffer };
            if config.receiver.adaptive_acks {
                return Self::Adaptive(Box::new(Adaptive::new(config, every)));
            }
            return match config.quick_acks {
                0 => Self::Every(every),
                left => Self::Quick(Quick { left, then: every }),
            };
        }
        Self::Dynamic(Box::new(Dynamic::new(config.ack_steps.clone(), config.segment.0, delay, buffer)))
    }
}
