//! What was lost, kept for traces.

use std::sync::Arc;

use super::PacketStore;
use crate::wire::{Carried, Dscp, Packet, PacketId};

/// A packet as it was when it was lost.
#[derive(Clone, Debug)]
pub struct LostPacket {
    /// Number of the loss in the run, from 1.
    pub loss: u64,
    /// Its headers.
    pub packet: Packet,
    /// Its bytes, if it was a routing message or of another transport than TCP and UDP.
    pub message: Option<Arc<[u8]>>,
    /// Its routing header, if it had one.
    pub header: Option<Arc<[u8]>>,
    /// Its codepoint.
    pub dscp: Dscp,
}

impl LostPacket {
    /// The packet with its bytes.
    #[must_use]
    pub fn carried(&self) -> Carried<'_> {
        Carried {
            packet: &self.packet,
            message: self.message.as_deref().unwrap_or_default(),
            header: self.header.as_deref().unwrap_or_default(),
            dscp: self.dscp,
        }
    }
}

impl PacketStore {
    /// Keeps every packet that is lost from now on, for traces.
    pub fn keep_lost(&mut self) {
        self.lost.get_or_insert_default();
    }

    /// Forgets what was lost until now.
    pub fn forget_lost(&mut self) {
        if let Some(lost) = &mut self.lost {
            lost.clear();
        }
    }

    /// What was lost since [`Self::keep_lost`] or [`Self::forget_lost`], in the order of the losses.
    #[must_use]
    pub fn lost(&self) -> &[LostPacket] {
        self.lost.as_deref().unwrap_or_default()
    }

    /// This copy is about to be lost; returns the number of the loss.
    pub(crate) fn note_loss(&mut self, id: PacketId) -> u64 {
        self.losses += 1;
        if self.lost.is_some() {
            let lost = LostPacket {
                loss: self.losses,
                packet: self[id],
                message: self.message(id).cloned(),
                header: self.header(id).cloned(),
                dscp: self.dscp(id),
            };
            self.lost.get_or_insert_default().push(lost);
        }
        self.losses
    }
}
