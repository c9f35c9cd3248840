//! The set of ACK policies, and which of them a configuration means.

use super::contract::{CustomAcks, InOrder, When};
use super::dynamic::Dynamic;
use crate::contract::ReceiverView;
use crate::tcp::config::{ReceiveBuffer, TcpConfig};
use crate::units::Dur;
use crate::wire::RangeSet;

/// The policies.
#[derive(Debug)]
pub enum Acks {
    /// Every so many segments, or after a delay (RFC 1122 §4.2.3.2).
    Every {
        /// Segments.
        segments: u32,
        /// Longest delay.
        delay: Dur,
        /// What the window is.
        buffer: ReceiveBuffer,
    },
    /// The more, the further the transfer has come.
    Dynamic {
        /// How many.
        rule: Box<Dynamic>,
        /// What the window is.
        buffer: ReceiveBuffer,
    },
    /// One from outside.
    Custom(Box<dyn CustomAcks>),
}

impl Acks {
    /// The policy of a configuration.
    #[must_use]
    pub fn new(config: &TcpConfig) -> Self {
        let (segments, delay, buffer) = (config.ack_every.max(1), config.ack_delay, config.receive_buffer);
        if !config.ack_steps.is_empty() {
            let rule = Box::new(Dynamic::new(config.ack_steps.clone(), config.segment.0, delay));
            return Self::Dynamic { rule, buffer };
        }
        Self::Every { segments, delay, buffer }
    }

    /// When a segment in order is acknowledged.
    #[inline]
    pub fn when<'a>(&mut self, segment: &InOrder, receiver: impl FnOnce() -> ReceiverView<'a>) -> When {
        match self {
            Self::Every { segments, delay, .. } if segment.pending < *segments => When::Within(*delay),
            Self::Every { .. } => When::Now,
            Self::Dynamic { rule, .. } => rule.when(segment),
            Self::Custom(custom) => custom.when(segment, &receiver()),
        }
    }

    /// Whether an ACK may ever wait.
    #[inline]
    #[must_use]
    pub const fn may_wait(&self) -> bool {
        match self {
            Self::Every { segments, .. } => *segments > 1,
            Self::Dynamic { .. } | Self::Custom(_) => true,
        }
    }

    /// Window that the next ACK advertises; `most` is the buffer, in which so much waits beyond a gap.
    #[inline]
    #[must_use]
    pub fn window(&self, most: u32, waiting: &RangeSet) -> u32 {
        match self {
            Self::Every { buffer, .. } | Self::Dynamic { buffer, .. } => match buffer {
                ReceiveBuffer::Window => most,
                ReceiveBuffer::FreeSpace => {
                    let waits: u64 = waiting.iter().map(|(start, end)| end - start).sum();
                    most.saturating_sub(u32::try_from(waits).unwrap_or(u32::MAX))
                }
            },
            Self::Custom(custom) => custom.window(most).min(most),
        }
    }

    /// Tells every counter by its public name; none but [`Dynamic`] has any.
    pub fn each_counter(&self, tell: &mut impl FnMut(&'static str, u64)) {
        if let Self::Dynamic { rule, .. } = self {
            rule.each_counter(tell);
        }
    }
}
